# SPDX-License-Identifier: Apache-2.0
# What is in the long tier, or is left out, without a name that says so (TESTING.md).

# Above ten seconds.
set(slow cli/fit_search.sh cli/fit_stopped.sh cli/train_stopped.sh engine/own_contact_models event/event_pairs.io
    identify/correlated.io io/check_constraints.sh jumps/box_push.sh rollout/coulomb_step stiff/bounce1d.sh study/cube.sh
    study/sparse.sh study/swimmer.sh study/toss.sh)

# Their double runs say most of what these say.
set(slow_twice augment/correction_call.long_double engine/added_stage.long_double engine/own_contact_models.long_double
    engine/pipeline.long_double engine/stage_check.long_double integrate/step_jacobian.long_double
    network/learned_file.long_double pressure/pressure.long_double pressure/pressure_jac.long_double
    pressure/stack.long_double rollout/coulomb_step.long_double rollout/step_check.long_double
    rollout/trajectory_memory.long_double)

# Above five seconds under a sanitizer or an emulator: whole studies, fits and trainings, and these.
set(slow_hosted_scripts "^(study|estimates|jumps|stiff)/.*[.]sh$|^cli/(fit|train)(_[a-z]+)?[.]sh$")
set(slow_hosted augment/correction_call cli/batch.sh cli/bench.sh cli/blueprint.sh cli/check.sh cli/edges.sh cli/files.sh
    cli/grad.sh cli/grad_estimate.sh cli/main.sh cli/plan.sh cli/render.sh cli/rollout.sh cli/study.sh cli/trust.sh
    cli/urdf.sh cli/view.sh collision/aligned control/plan_noise.io engine/added_stage engine/stage_check
    event/event.io event/event_crowd.io event/event_jump.io event/event_parts.io event/event_probe.io
    event/event_repeat.io gradient/estimator.io gradient/trust.io identify/descent.io identify/found.io
    identify/identification.io identify/saving.io identify/search.io identify/training.io integrate/parameter_jacobian
    integrate/step_jacobian io/check_sensors.sh io/public.io learn/identify
    physics/contact_gates.io physics/corrected.io physics/free_hull.io physics/gate_training.io physics/physics_fit.io
    policy/policy_training.io pressure/press.sh pressure/pressure pressure/pressure_jac pressure/stack
    quasidynamic/quasidynamic.sh recorded/push_fit.io rollout/adaptive_room rollout/adjoint rollout/adjoint_contact.io
    rollout/coulomb_events.io rollout/hunt_crossley_motion.io rollout/ncp_motion.io rollout/rollout_batch
    rollout/step_check rollout/trajectory rollout/trajectory_memory search/global_nlopt.io solver/regularisation
    stiff/stiff_learner.io study/cube_slip.io task/train_policy.sh walk/imitation.io)

# Larger runs of fast tests: under sanitizers those say as much.
set(left_out)
if(CAROM_SANITIZE)
  list(APPEND left_out pipeline_long event_pairs_long likelihood_long found_long geometry_long trust_long fit_coverage.long
       launches.long models.long putback.long full.long)
endif()
if(CAROM_SANITIZE STREQUAL "thread")
  list(APPEND left_out run.long fields.long faults.long memory.long)
endif()
