// SPDX-License-Identifier: Apache-2.0
// Misuse of the public API. Every function of include/carom has a row in the table below; the headers
// themselves are read, so one without a row, or with another number of pointers, fails. Each is called
// rightly, then with every pointer NULL in turn, with names that are none, before what it needs, with
// data of another model, of another role and for another integrator: no crash, a status and a sentence.
#include <ctype.h>
#include <dirent.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"
#include "view/view_assets.h"

// ---- what functions are called with

static const char text_of_a[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='box' pos='0 0 0.09'><freejoint/><geom name='box' type='box' size='.1 .1 .1'/>"
    "<site name='tip'/><site name='heel' pos='-.1 0 0'/></body><body name='arm' pos='1 0 1'><joint "
    "name='elbow' type='%s' "
    "damping='.1'/><geom name='rod' type='capsule' size='.05' fromto='0 0 0 .3 0 0'/></body>"
    "</worldbody><tendon><spatial><site site='tip'/><site site='heel'/></spatial></tendon>"
    "<actuator><motor name='drive' joint='elbow'/></actuator><sensor><jointpos "
    "name='angle' joint='elbow'/></sensor><keyframe><key name='home' ctrl='.5'/></keyframe>"
    "</mujoco>";
static const char text_of_other[] =
    "<mujoco><worldbody><body><joint name='elbow'/><geom size='.1'/></body></worldbody></mujoco>";

enum { MOST = 8, ROOM = 4096 };

static const cr_real noise_of_all[64] = {0};
static const cr_estimator_options estimator_options = {
    .size = sizeof estimator_options, .samples = 2, .sigma = noise_of_all};

static struct {
  cr_model *m, *same_sizes, *other, *servo_model, *corrected;  // corrected: m with a correction
  cr_data *d, *work, *tan, *bar, *fresh;
  cr_jacobian* jacobian;
  cr_parameter_jacobian* by_parameters;
  cr_sensor_jacobian* of_sensors;
  cr_filter* filter;
  cr_quasidynamic* quasidynamic;
  cr_quasidynamic_batch* quasidynamic_batch;
  cr_quasidynamic_contact touches;
  cr_contact_plan* contact_plan;
  cr_smoothed_mpc* mpc;
  cr_mpc_result mpc_result;
  cr_rollout* rollout;
  cr_expression* expression;
  cr_batch* batch;
  cr_load_report* report;
  cr_gradient* gradient;
  cr_parameters* parameters;
  cr_check *check, *checked;
  cr_check_result result;
  cr_check_field compared;
  cr_recordings* recordings;
  cr_recording_info run;
  cr_measurements* measurements;
  cr_channel_info channel, seen;
  cr_identification* identification;
  cr_search_end end;
  cr_training_end training_end;
  cr_estimate estimate;
  cr_fit_of_place of_place;
  cr_fit* fit;
  cr_fit_info fit_info;
  cr_fit_value fit_value;
  cr_trust trust;
  cr_jumps* jumps;
  cr_jumps_result jumps_result;
  cr_jump jump;
  cr_smoothed_gradient smoothed;
  cr_smoothed_objective* objective;
  mjModel* mj;
  mjData* mj_data;
  cr_network* network;
  cr_layer as_given;
  cr_sequences* sequences;
  cr_learned* learned;
  cr_learning_end learning_end;
  cr_cost* cost;
  cr_model* live_model;  // others change m while its thread plans
  cr_cost* live_cost;
  cr_planner *planner, *live_planner;
  cr_policy* policy;
  cr_policy_training* training;
  cr_policy_training_result trained;
  cr_plan_result planned;
  cr_live_plan* live;
  cr_live_report live_report;
  cr_view *view, *shown;      // one whose last motion has no state yet, one that can be saved
  cr_render *render, *drawn;  // one whose last motion has no state yet, one that can be drawn
  cr_correction_info corrects;
  cr_correction_usage usage;
  cr_trust_problem problem;
  cr_loss loss;
  cr_field_info field;
  cr_place_info place;
  cr_real numbers[4][ROOM];
  int counts[3];
  void* slot;  // where creators put what they make
} w;

#include "io/public_arguments.h"

static cr_error error;

static char model_path[512], blueprint_path[512], saved_path[512], mjcf_path[512], ctrl_path[512],
    motion_path[512], recorded_path[512], measured_path[512];
static char learned_path[1024], onnx_path[1024], seen_path[1024], page_path[1024],
    picture_path[1024];

static cr_model* open_text(const char* name, const char* text) {
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write(name, text), &error));
  return m;
}

// two states of the model
static void make_fit(void) {
  static cr_real rows[2 * ROOM];
  int nq = cr_model_count(w.m, "nq"), nv = cr_model_count(w.m, "nv");
  int width = nq + nv + cr_model_count(w.m, "na") + cr_model_count(w.m, "nu");
  for (int k = 0; k < 2; k++) {
    must(cr_state_get(w.m, w.d, rows + (ptrdiff_t)k * width, CR_STATE_QPOS));
  }
  w.run = (cr_recording_info){.size = sizeof w.run, .name = "still", .rows = 2, .values = rows};
  w.fit_info.size = sizeof w.fit_info;
  w.fit_value.size = sizeof w.fit_value;
  (void)snprintf(recorded_path, sizeof recorded_path, "%s", scratch_path("recorded.h5"));
  must(cr_recordings_create(&w.recordings, w.m, cr_model_timestep(w.m), &error));
  must(cr_recordings_add(w.recordings, &w.run, &error));
  must(cr_recordings_write(w.recordings, recorded_path, "still", &error));
  must(cr_fit_create(&w.fit, w.parameters, w.recordings, &fit_options, &error));
}

// a run with one channel; an angle that stands still
static void make_measurements(void) {
  enum { SEEN = 20 };  // more numbers than unknowns
  static cr_real time[SEEN], values[SEEN];
  for (int i = 0; i < SEEN; i++) {
    time[i] = CR_R(0.001) * (cr_real)i;
    values[i] = CR_R(0.0001) * (cr_real)i;
  }
  w.channel = (cr_channel_info){
      .size = sizeof w.channel, .place = "angle", .rows = SEEN, .time = time, .values = values};
  w.seen.size = sizeof w.seen;
  must(cr_measurements_create(&w.measurements, w.m, &error));
  must(cr_measurements_begin(w.measurements, "still", 0, &error));
  must(cr_measurements_add(w.measurements, &w.channel, &error));
  const cr_channel_info control = {
      .size = sizeof control, .place = "ctrl[drive]", .rows = SEEN, .time = time, .values = values};
  must(cr_measurements_add(w.measurements, &control, &error));
  (void)snprintf(measured_path, sizeof measured_path, "%s",
                 scratch_write("measured.csv", "time,angle\n0,0.1\n1,0.2\n"));
}

#include "io/public_scenes.h"

static const cr_identification_options identification_options = {
    .size = sizeof identification_options, .nthread = 1};
static const cr_search two_steps = {.size = sizeof two_steps, .iterations = 2};
static const cr_training_options two_epochs = {
    .size = sizeof two_epochs, .epochs = 2, .rate = CR_R(1e-6)};

static void make_identification(void) {
  cr_real x[4];
  w.end.size = sizeof w.end;
  w.training_end.size = sizeof w.training_end;
  w.estimate.size = sizeof w.estimate;
  w.of_place.size = sizeof w.of_place;
  must(cr_identification_create(&w.identification, w.parameters, w.measurements,
                                &identification_options, &error));
  must(cr_identification_get_start(w.identification, x, &error));
  must(cr_identification_solve(w.identification, &two_steps, x, &w.end, &error));
}

static void setup(void) {
  char text[2048];
  (void)snprintf(text, sizeof text, text_of_a, "slide");
  w.same_sizes = open_text("same.xml", text);
  w.other = open_text("other.xml", text_of_other);
  (void)snprintf(text, sizeof text, text_of_a, "hinge");
  w.m = open_text("a.xml", text);
  (void)snprintf(model_path, sizeof model_path, "%s", scratch_path("a.xml"));
  (void)snprintf(saved_path, sizeof saved_path, "%s", scratch_path("saved.crm"));
  (void)snprintf(mjcf_path, sizeof mjcf_path, "%s", scratch_path("saved.xml"));
  must(cr_mujoco_compile(&w.mj, model_path, NULL, NULL, &error));
  w.mj_data = mj_makeData(w.mj);
  must(cr_data_create(&w.d, w.m, &error));
  must(cr_data_create(&w.work, w.m, &error));
  must(cr_data_create(&w.fresh, w.m, &error));
  must(cr_data_create_tangent(&w.tan, w.m, w.d, &error));
  must(cr_data_create_cotangent(&w.bar, w.m, w.d, &error));
  must(cr_jacobian_create(&w.jacobian, w.m, w.d, &error));
  must(cr_parameter_jacobian_create(&w.by_parameters, w.m, w.d, parameters, 1, false, &error));
  must(cr_sensor_jacobian_create(&w.of_sensors, w.m, w.d, &error));
  must(cr_filter_create(&w.filter, w.m, w.d, &filter_options, &error));
  make_quasidynamic();
  must(cr_rollout_create(&w.rollout, w.m, 3, parameters, 1, &error));
  must(cr_expression_create(&w.expression, w.m, "norm(qpos)^2", &error));
  must(cr_batch_create(&w.batch, w.m, w.m, &batch_options, &error));
  w.loss = cr_expression_loss(w.expression, false);
  must(cr_cost_create(&w.cost, w.m, &error));
  must(cr_cost_add(w.cost, &cost_term, &error));
  must(cr_planner_create(&w.planner, w.m, w.cost, &plan_options, &error));
  w.planned.size = sizeof w.planned;
  must(cr_policy_create(&w.policy, w.m, &policy_options, &error));
  must(cr_policy_training_create(&w.training, w.m, w.d, w.cost, &policy_options,
                                 &policy_training_options, &error));
  w.trained.size = sizeof w.trained;
  must(cr_model_copy(&w.live_model, w.m, &error));
  must(cr_cost_create(&w.live_cost, w.live_model, &error));
  must(cr_cost_add(w.live_cost, &cost_term, &error));
  must(cr_planner_create(&w.live_planner, w.live_model, w.live_cost, &live_plan_options, &error));
  must(cr_live_plan_create(&w.live, w.live_planner, &live_options, &error));
  w.live_report.size = sizeof w.live_report;
  make_views();
  make_pictures();
  must(cr_load_report_create(&w.report, &error));
  must(cr_model_copy(&w.corrected, w.m, &error));
  must(cr_model_add_correction(w.corrected, &correction_options, &error));
  (void)snprintf(blueprint_path, sizeof blueprint_path, "%s", scratch_path("net.crb"));
  must(cr_model_save_blueprint(w.corrected, blueprint_path, &error));
  must(cr_network_create(&w.network, 2, &layer, 1, &error));
  w.as_given.size = sizeof w.as_given;
  w.learning_end.size = sizeof w.learning_end;
  (void)snprintf(learned_path, sizeof learned_path, "%s", scratch_path("net.crn"));
  must(cr_learned_create(&w.learned, w.network, 1, &error));
  must(cr_learned_save(w.learned, learned_path, &error));
  (void)snprintf(onnx_path, sizeof onnx_path, "%s", scratch_path("net.onnx"));
  must(cr_learned_save_onnx(w.learned, onnx_path, false, &error));
  must(cr_sequences_create(&w.sequences, w.network, &error));
  must(cr_sequences_set_lengths(w.sequences, &one_row, 1, &error));
  must(cr_sequences_forward(w.sequences, w.numbers[0], w.numbers[1], NULL, w.numbers[2], NULL,
                            &error));
  w.corrects.size = sizeof w.corrects;
  w.usage.size = sizeof w.usage;
  must(cr_parameters_create(&w.parameters, w.m, items, 1, &error));
  make_fit();
  make_measurements();
  make_identification();
  must(cr_check_create(&w.checked, &error));
  must(cr_check_run(w.checked, model_path, &few_states, &error));
  w.result.size = sizeof w.result;
  w.compared.size = sizeof w.compared;
  must(cr_gradient_create(&w.gradient, w.m, 2, parameters, 1, NULL, &error));
  w.trust.size = sizeof w.trust;
  make_jumps();
  w.smoothed.size = sizeof w.smoothed;
  must(cr_smoothed_objective_create(&w.objective, &minimum, &estimator_options, &error));
  w.problem = (cr_trust_problem){.size = sizeof w.problem,
                                 .rollout = w.rollout,
                                 .m = w.m,
                                 .m_backward = w.m,
                                 .loss = &w.loss,
                                 .nstep = 2,
                                 .n = 1,
                                 .scale = scale,
                                 .quick = true,
                                 .start = start,
                                 .gradient = read_one};
  (void)snprintf(ctrl_path, sizeof ctrl_path, "%s", scratch_write("ctrl.csv", "drive\n0.1\n0.2\n"));
  (void)snprintf(motion_path, sizeof motion_path, "%s", scratch_path("motion.h5"));
  w.field.size = sizeof w.field;
  w.place.size = sizeof w.place;
}

static void teardown(void) {
  cr_fit_destroy(w.fit);
  cr_recordings_destroy(w.recordings);
  cr_identification_destroy(w.identification);
  cr_measurements_destroy(w.measurements);
  cr_gradient_destroy(w.gradient);
  cr_smoothed_objective_destroy(w.objective);
  cr_load_report_destroy(w.report);
  cr_parameters_destroy(w.parameters);
  cr_jumps_destroy(w.jumps);
  cr_check_destroy(w.checked);
  cr_check_destroy(w.check);
  cr_model_destroy(w.corrected);
  cr_sequences_destroy(w.sequences);
  cr_learned_destroy(w.learned);
  cr_network_destroy(w.network);
  cr_batch_destroy(w.batch);
  cr_expression_destroy(w.expression);
  cr_cost_destroy(w.cost);
  cr_planner_destroy(w.planner);
  cr_policy_destroy(w.policy);
  cr_policy_training_destroy(w.training);
  cr_live_plan_destroy(w.live);
  cr_planner_destroy(w.live_planner);
  cr_cost_destroy(w.live_cost);
  cr_model_destroy(w.live_model);
  cr_rollout_destroy(w.rollout);
  cr_parameter_jacobian_destroy(w.by_parameters);
  cr_jacobian_destroy(w.jacobian);
  cr_sensor_jacobian_destroy(w.of_sensors);
  cr_filter_destroy(w.filter);
  cr_quasidynamic_destroy(w.quasidynamic);
  cr_quasidynamic_batch_destroy(w.quasidynamic_batch);
  cr_contact_plan_destroy(w.contact_plan);
  cr_smoothed_mpc_destroy(w.mpc);
  cr_model_destroy(w.servo_model);
  cr_view_destroy(w.view);
  cr_view_destroy(w.shown);
  cr_render_destroy(w.render);
  cr_render_destroy(w.drawn);
  cr_data_destroy(w.bar);
  cr_data_destroy(w.tan);
  cr_data_destroy(w.fresh);
  cr_data_destroy(w.work);
  cr_data_destroy(w.d);
  mj_deleteData(w.mj_data);
  mj_deleteModel(w.mj);
  cr_model_destroy(w.m);
  cr_model_destroy(w.other);
  cr_model_destroy(w.same_sizes);
}

AROUND_FILE(setup, teardown)

static int field_of_mass(void) {
  cr_place_info place = {.size = sizeof place};
  must(cr_model_place(w.m, "body_mass", &place, &error));
  return place.field;
}

#include "io/public_calls.h"

// ---- the table

#define ROW(name, arguments, returns, needs, text, second) \
  { #name, arguments, returns, needs, text, second, call_##name }
static const row table[] = {
    // base, model
    ROW(cr_status_text, "", POINTER, 0, NULL, NULL),
    ROW(cr_status_exit_code, "", STATUS, 0, NULL, NULL),
    ROW(cr_version, "", POINTER, 0, NULL, NULL),
    ROW(cr_model_open, "OUe", STATUS, 0, model_path, NULL),
    ROW(cr_model_open_urdf, "OUae", STATUS, 0, model_path, NULL),
    ROW(cr_model_destroy, "m", NOTHING, 0, NULL, NULL),
    ROW(cr_load_report_create, "Oe", STATUS, 0, NULL, NULL),
    ROW(cr_load_report_destroy, "3", NOTHING, 0, NULL, NULL),
    ROW(cr_load_report_count, "3", NOTHING, 0, NULL, NULL),
    ROW(cr_load_report_get, "3", NOTHING, 0, NULL, NULL),
    ROW(cr_model_open_report, "OUaae", STATUS, 0, model_path, NULL),
    ROW(cr_model_set_many, "M45e", STATUS, 0, NULL, NULL),
    ROW(cr_data_get, "MDSXe", STATUS, 0, "qpos[elbow]", NULL),
    ROW(cr_data_set, "MDSXe", STATUS, 0, "qpos[elbow]", NULL),
    ROW(cr_data_check, "MDe", STATUS, 0, NULL, NULL),
    ROW(cr_step_doubt, "MDX", STATUS, 's', NULL, NULL),
    ROW(cr_parameter_jacobian_width, "K", COUNT, 0, NULL, NULL),
    ROW(cr_rollout_get_states, "RMxyzxe", STATUS, 'r', NULL, NULL),
    ROW(cr_rollout_restore, "RMe", STATUS, 'r', NULL, NULL),
    ROW(cr_rollout_forward, "RMe", STATUS, 'r', NULL, NULL),
    ROW(cr_rollout_switches, "RMIe", STATUS, 'r', NULL, NULL),
    ROW(cr_rollout_uncounted_time, "R", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_save, "RMUPe", STATUS, 'r', motion_path, NULL),
    ROW(cr_controls_read, "MUXe", STATUS, 0, ctrl_path, NULL),
    ROW(cr_check_create, "Oe", STATUS, 0, NULL, NULL),
    ROW(cr_check_destroy, "9", NOTHING, 0, NULL, NULL),
    ROW(cr_check_run, "9Uae", STATUS, 0, model_path, NULL),
    ROW(cr_check_get_result, "!#e", STATUS, 0, NULL, NULL),
    ROW(cr_check_field_count, "!", COUNT, 0, NULL, NULL),
    ROW(cr_check_get_field, "!$e", STATUS, 0, NULL, NULL),
    ROW(cr_check_get_kink, "!", NOTHING, 0, NULL, NULL),
    ROW(cr_check_get_off, "!ia", NOTHING, 0, NULL, NULL),
    ROW(cr_check_get_report, "!", POINTER, 0, NULL, NULL),
    JUMP_ROWS ROW(cr_follow, "UaxyiiIe", STATUS, 0, model_path, NULL),
    ROW(cr_transform_value, "", POINTER, 0, NULL, NULL),
    ROW(cr_transform_inverse, "", POINTER, 0, NULL, NULL),
    ROW(cr_transform_slope, "", POINTER, 0, NULL, NULL),
    ROW(cr_parameters_create, "OM%e", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_destroy, "&", NOTHING, 0, NULL, NULL),
    ROW(cr_parameters_count, "&", COUNT, 0, NULL, NULL),
    ROW(cr_parameters_model, "&", POINTER, 0, NULL, NULL),
    ROW(cr_parameters_fields, "&i", POINTER, 0, NULL, NULL),
    ROW(cr_parameters_get_start, "&Xe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_get_bounds, "&XYe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_get_values, "&XYe", STATUS, 0, NULL, NULL),
    ROW(cr_parameter_expand, "MSxIe", STATUS, 0, "body_mass[*]", NULL),
    ROW(cr_parameters_number_name, "&Xe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_prior, "&XYZe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_report_count, "&", COUNT, 0, NULL, NULL),
    ROW(cr_parameters_report_name, "&Xe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_report_values, "&XYze", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_set_values, "&Ze", STATUS, 0, NULL, NULL),
    ROW(cr_recordings_create, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_recordings_destroy, "@", NOTHING, 0, NULL, NULL),
    ROW(cr_recordings_add, "@{e", STATUS, 0, NULL, NULL),
    ROW(cr_recordings_read, "OMUe", STATUS, 0, recorded_path, NULL),
    ROW(cr_recordings_write, "@USe", STATUS, 0, recorded_path, "a title"),
    ROW(cr_recordings_count, "@", COUNT, 0, NULL, NULL),
    ROW(cr_recordings_get, "@{e", STATUS, 0, NULL, NULL),
    ROW(cr_recordings_interval, "@", NOTHING, 0, NULL, NULL),
    ROW(cr_recordings_doubt, "@Xe", STATUS, 0, NULL, NULL),
    ROW(cr_measurements_create, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_measurements_destroy, "|", NOTHING, 0, NULL, NULL),
    ROW(cr_measurements_begin, "|Xe", STATUS, 0, NULL, NULL),
    ROW(cr_measurements_add, "|/e", STATUS, 0, NULL, NULL),
    ROW(cr_measurements_read, "|Uae", STATUS, 0, measured_path, NULL),
    ROW(cr_measurements_count, "|", COUNT, 0, NULL, NULL),
    ROW(cr_measurements_channels, "|", COUNT, 0, NULL, NULL),
    ROW(cr_measurements_name, "|", POINTER, 0, NULL, NULL),
    ROW(cr_measurements_group, "|", NOTHING, 0, NULL, NULL),
    ROW(cr_measurements_get, "|?e", STATUS, 0, NULL, NULL),
    ROW(cr_measurements_set_noise, "|Se", STATUS, 0, "angle", NULL),
    ROW(cr_measurements_set_delay, "|Se", STATUS, 0, "angle", NULL),
    ROW(cr_measurements_doubt, "|aaie", STATUS, 0, NULL, NULL),
    ROW(cr_identification_create, "O&|-e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_destroy, "_", NOTHING, 0, NULL, NULL),
    ROW(cr_identification_count, "_", COUNT, 0, NULL, NULL),
    ROW(cr_identification_name, "_", POINTER, 0, NULL, NULL),
    ROW(cr_identification_get_start, "_Xe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_get_bounds, "_XYe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_descend, "_XYe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_evaluate, "_XYze", STATUS, 0, NULL, NULL),
    ROW(cr_identification_solve, "_.X,e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_train, "_\1X\2e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_get, "_\"e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_report_count, "_", COUNT, 0, NULL, NULL),
    ROW(cr_identification_get_report, "_\"e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_profile, "_\"e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_get_scale, "_XYe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_information, "_XYe", STATUS, 0, NULL, NULL),
    ROW(cr_design_order, "XyZIxe", STATUS, 0, NULL, NULL),
    ROW(cr_design_deviations, "XZXe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_get_combination, "_X\"e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_covariance, "_xye", STATUS, 0, NULL, NULL),
    ROW(cr_identification_untold, "_xIe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_places, "_", COUNT, 0, NULL, NULL),
    ROW(cr_identification_get_place, "_`e", STATUS, 0, NULL, NULL),
    ROW(cr_identification_windows, "_", COUNT, 0, NULL, NULL),
    ROW(cr_identification_get_state, "_ixyzxe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_take, "_Xe", STATUS, 0, NULL, NULL),
    ROW(cr_identification_predict, "_Xe", STATUS, 0, NULL, NULL),
    ROW(cr_fit_create, "O&@}e", STATUS, 0, NULL, NULL),
    ROW(cr_fit_destroy, "~", NOTHING, 0, NULL, NULL),
    ROW(cr_fit_get_info, "~[e", STATUS, 0, NULL, NULL),
    ROW(cr_fit_set_batch, "~e", STATUS, 0, NULL, NULL),
    ROW(cr_fit_threads, "~", COUNT, 0, NULL, NULL),
    ROW(cr_fit_evaluate, "~X]e", STATUS, 0, NULL, NULL),
    ROW(cr_fit_objective, "~XYZe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_set, "&Xe", STATUS, 0, NULL, NULL),
    ROW(cr_parameters_gradient, "&BXYe", STATUS, 0, NULL, NULL),
    ROW(cr_minimise_lbfgs, "(<Xae", STATUS, 0, NULL, NULL),
    ROW(cr_minimise_adam, "(>Xae", STATUS, 0, NULL, NULL),
    ROW(cr_minimise_levenberg_marquardt, ";:Xae", STATUS, 0, NULL, NULL),
    ROW(cr_minimise_global, "=^Xae", STATUS, 0, NULL, NULL),
    ROW(cr_trust_measure, "78e", STATUS, 0, NULL, NULL),
    ROW(cr_trust_word, "", POINTER, 0, NULL, NULL),
    ROW(cr_gradient_create, "OMPae", STATUS, 0, NULL, NULL),
    ROW(cr_gradient_destroy, "6", NOTHING, 0, NULL, NULL),
    ROW(cr_gradient_rollout, "6", POINTER, 0, NULL, NULL),
    ROW(cr_gradient_count, "6", COUNT, 0, NULL, NULL),
    ROW(cr_gradient_get, "6", POINTER, 0, NULL, NULL),
    ROW(cr_gradient_compute, "6Le", STATUS, 'u', NULL, NULL),
    ROW(cr_gradient_scale, "6Xe", STATUS, 'u', NULL, NULL),
    ROW(cr_gradient_differences, "6Xe", STATUS, 'g', NULL, NULL),
    ROW(cr_gradient_two_slopes, "6xIe", STATUS, 'u', NULL, NULL),
    ROW(cr_gradient_trust, "67e", STATUS, 'g', NULL, NULL),
    ROW(cr_gradient_estimate, "\011L\012\177e", STATUS, 0, NULL, NULL),
    ROW(cr_estimator_for, "7", NOTHING, 0, NULL, NULL),
    ROW(cr_smoothed_model, "MD\231\232e", STATUS, 0, NULL, NULL),
    ROW(cr_smoothed_objective_create, "O(\012e", STATUS, 0, NULL, NULL),
    ROW(cr_smoothed_objective_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_smoothed_objective_evaluate, "\015XYze", STATUS, 0, NULL, NULL),
    ROW(cr_model_save, "MUe", STATUS, 0, saved_path, NULL),
    ROW(cr_model_save_bytes, "MxIe", STATUS, 0, NULL, NULL),
    ROW(cr_model_open_bytes, "OXe", STATUS, 0, NULL, NULL),
    ROW(cr_model_count, "MS", COUNT, 0, "nq", NULL),
    ROW(cr_model_id, "MSS", COUNT, 0, "body", "box"),
    ROW(cr_model_name, "MS", POINTER, 0, "body", NULL),
    ROW(cr_model_get, "MSXe", STATUS, 0, "gravity", NULL),
    ROW(cr_model_set, "MSXe", STATUS, 0, "gravity", NULL),
    ROW(cr_control_name, "MXe", STATUS, 0, NULL, NULL),
    ROW(cr_model_fingerprint, "M", NOTHING, 0, NULL, NULL),
    ROW(cr_model_timestep, "M", NOTHING, 0, NULL, NULL),
    ROW(cr_model_get_option, "MSXe", STATUS, 0, "timestep", NULL),
    ROW(cr_model_set_option, "MSe", STATUS, 0, "timestep", NULL),
    ROW(cr_model_get_choice, "MS", POINTER, 0, "integrator", NULL),
    ROW(cr_model_set_choice, "MSSe", STATUS, 0, "integrator", "euler"),
    ROW(cr_model_get_flag, "MS", COUNT, 0, "contact", NULL),
    ROW(cr_model_set_flag, "MSe", STATUS, 0, "contact", NULL),
    ROW(cr_model_copy, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_field_count, "", NOTHING, 0, NULL, NULL),
    ROW(cr_enum_word, "S", POINTER, 0, "transform", NULL),
    ROW(cr_enum_value, "SS", COUNT, 0, "transform", "log"),
    ROW(cr_field_get, "M1e", STATUS, 0, NULL, NULL),
    ROW(cr_field_move, "MXYe", STATUS, 0, NULL, NULL),
    ROW(cr_model_numbers, "MSii", POINTER, 0, "body_mass", NULL),
    ROW(cr_model_integers, "MSii", POINTER, 0, "jnt_type", NULL),
    ROW(cr_data_integers, "MDSii", POINTER, 0, "contact_geom", NULL),
    ROW(cr_number_name, "MXe", STATUS, 0, NULL, NULL),
    ROW(cr_model_place, "MS2e", STATUS, 0, "qpos[elbow]", NULL),
    ROW(cr_model_derive, "Me", STATUS, 0, NULL, NULL),
    ROW(cr_model_add_stage, "M)e", STATUS, 0, NULL, NULL),
    ROW(cr_model_add_state, "Mie", STATUS, 0, NULL, NULL),
    ROW(cr_model_add_parameters, "Mxie", STATUS, 0, NULL, NULL),
    ROW(cr_model_add_correction, "M'e", STATUS, 0, NULL, NULL),
    ROW(cr_model_read_blueprint, "MUe", STATUS, 0, blueprint_path, NULL),
    ROW(cr_model_save_blueprint, "MUe", STATUS, 0, blueprint_path, NULL),
    ROW(cr_model_correction_count, "M", COUNT, 0, NULL, NULL),
    ROW(cr_model_get_correction, "M\\e", STATUS, 0, NULL, NULL),
    ROW(cr_correction_get_usage, "M\017e", STATUS, 0, NULL, NULL),
    ROW(cr_correction_get_weights, "MXe", STATUS, 0, NULL, NULL),
    ROW(cr_network_create, "O e", STATUS, 0, NULL, NULL),
    ROW(cr_network_create_for_sequences, "O e", STATUS, 0, NULL, NULL),
    ROW(cr_network_nlayer, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_get_layer, "I\3e", STATUS, 0, NULL, NULL),
    ROW(cr_network_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_network_ninput, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_noutput, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_nweight, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_nmemory, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_nroom, "I", COUNT, 0, NULL, NULL),
    ROW(cr_network_weight_range, "IIIIe", STATUS, 0, NULL, NULL),
    ROW(cr_network_init, "IXe", STATUS, 0, NULL, NULL),
    ROW(cr_network_forward, "IXYZZYX", NOTHING, 0, NULL, NULL),
    ROW(cr_network_jvp, "IXyYzZYX", NOTHING, 0, NULL, NULL),
    ROW(cr_network_vjp, "IXYyzxyX", NOTHING, 0, NULL, NULL),
    ROW(cr_sequences_create, "OIe", STATUS, 0, NULL, NULL),
    ROW(cr_sequences_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_sequences_set_lengths, "\4Ie", STATUS, 0, NULL, NULL),
    ROW(cr_sequences_nrow, "\4", COUNT, 0, NULL, NULL),
    ROW(cr_sequences_forward, "\4XYzZye", STATUS, 0, NULL, NULL),
    ROW(cr_sequences_jvp, "\4XyYzZye", STATUS, 0, NULL, NULL),
    ROW(cr_sequences_vjp, "\4XYzyzze", STATUS, 0, NULL, NULL),
    ROW(cr_network_input_groups, "IIe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_create, "OIe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_learned_network, "\5", POINTER, 0, NULL, NULL),
    ROW(cr_learned_weights, "\5", POINTER, 0, NULL, NULL),
    ROW(cr_learned_set_normalisation, "\5xyxye", STATUS, 0, NULL, NULL),
    ROW(cr_learned_get_normalisation, "\5xyzxe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_fold, "\5Xe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_predict, "\5iXYe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_predict_ends, "\5iiXYe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_nroom, "\5", COUNT, 0, NULL, NULL),
    ROW(cr_learned_step, "\5XYZX", NOTHING, 0, NULL, NULL),
    ROW(cr_learned_evaluate, "\5\6Xe", STATUS, 0, NULL, NULL),
    ROW(cr_learned_train, "\5\6\7\016e", STATUS, 0, NULL, NULL),
    ROW(cr_learned_save, "\5Ue", STATUS, 0, learned_path, NULL),
    ROW(cr_learned_open, "OUe", STATUS, 0, learned_path, NULL),
    ROW(cr_learned_save_onnx, "\5Ue", STATUS, 0, onnx_path, NULL),
    ROW(cr_learned_open_onnx, "OUe", STATUS, 0, onnx_path, NULL),
    ROW(cr_model_add_contact_model, "M0e", STATUS, 0, NULL, NULL),
    ROW(cr_model_set_contact_pair, "MSe", STATUS, 0, "convex", NULL),
    ROW(cr_model_set_pressure, "M\211e", STATUS, 0, NULL, NULL),
    ROW(cr_pressure_faces, "MDYZe", STATUS, 'k', NULL, NULL),
    ROW(cr_pressure_corners, "MDYxZe", STATUS, 'k', NULL, NULL),
    ROW(cr_contact_residual, "MXyz", STATUS, 0, NULL, NULL),
    ROW(cr_contact_matrix, "MXY", STATUS, 0, NULL, NULL),
    ROW(cr_model_get_contact_pair, "M", POINTER, 0, NULL, NULL),
    ROW(cr_model_stage, "M", POINTER, 0, NULL, NULL),
    // data, state
    ROW(cr_data_create, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_data_create_room, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_data_destroy, "d", NOTHING, 0, NULL, NULL),
    ROW(cr_data_reset, "MD", STATUS, 0, NULL, NULL),
    ROW(cr_data_create_tangent, "OMDe", STATUS, 0, NULL, NULL),
    ROW(cr_data_create_cotangent, "OMDe", STATUS, 0, NULL, NULL),
    ROW(cr_data_view, "MDSii", POINTER, 0, "qpos", NULL),
    ROW(cr_data_numbers, "MDSii", POINTER, 0, "qpos", NULL),
    ROW(cr_data_time, "D", NOTHING, 0, NULL, NULL),
    ROW(cr_data_error, "d", POINTER, 0, NULL, NULL),
    ROW(cr_state_size, "M", COUNT, 0, NULL, NULL),
    ROW(cr_state_get, "MDX", STATUS, 0, NULL, NULL),
    ROW(cr_state_set, "MDX", STATUS, 0, NULL, NULL),
    ROW(cr_state_copy, "MDD", STATUS, 0, NULL, NULL),
    ROW(cr_data_reset_keyframe, "MD", STATUS, 0, NULL, NULL),
    ROW(cr_integrate_pos, "MXYe", STATUS, 0, NULL, NULL),
    ROW(cr_differentiate_pos, "MXYZe", STATUS, 0, NULL, NULL),
    // the step
    ROW(cr_forward, "MD", STATUS, 0, NULL, NULL),
    ROW(cr_forward_jvp, "MDT", STATUS, 'f', NULL, NULL),
    ROW(cr_forward_vjp, "MDB", STATUS, 'f', NULL, NULL),
    ROW(cr_two_slopes, "MDSxI", STATUS, 'f', "ctrl", NULL),
    ROW(cr_step, "MD", STATUS, 0, NULL, NULL),
    ROW(cr_solver_residual, "D", NOTHING, 0, NULL, NULL),
    ROW(cr_step_stages, "M", COUNT, 0, NULL, NULL),
    ROW(cr_step_watched, "MDc", STATUS, 0, NULL, NULL),
    ROW(cr_step_jvp_watched, "MDTc", STATUS, 's', NULL, NULL),
    ROW(cr_step_vjp_watched, "MDBc", STATUS, 's', NULL, NULL),
    ROW(cr_mujoco_compile, "OUaae", STATUS, 0, model_path, NULL),
    ROW(cr_model_from_mujoco, "O*ae", STATUS, 0, NULL, NULL),
    ROW(cr_mujoco_save, "MSaSe", STATUS, 0, model_path, mjcf_path),
    ROW(cr_state_from_mujoco, "M*+D", STATUS, 0, NULL, NULL),
    ROW(cr_advance, "MD", STATUS, 's', NULL, NULL),
    ROW(cr_step_jvp, "MDwT", STATUS, 's', NULL, NULL),
    ROW(cr_step_vjp, "MNDwB", STATUS, 's', NULL, NULL),
    ROW(cr_inverse, "MD", STATUS, 0, NULL, NULL),
    ROW(cr_inverse_jvp, "MDT", STATUS, 'i', NULL, NULL),
    ROW(cr_inverse_vjp, "MDB", STATUS, 'i', NULL, NULL),
    // read-outs
    ROW(cr_jac, "MDxyZ", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_body, "MDxy", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_body_com, "MDxy", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_geom, "MDxy", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_site, "MDxy", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_subtree_com, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_jac_dot, "MDxyZ", STATUS, 'k', NULL, NULL),
    ROW(cr_angmom_mat, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_apply_ft, "MDxyZX", STATUS, 'k', NULL, NULL),
    ROW(cr_full_m, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_mul_m, "MDXY", STATUS, 'k', NULL, NULL),
    ROW(cr_solve_m, "MDXY", STATUS, 'k', NULL, NULL),
    ROW(cr_rne, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_contact_count, "D", COUNT, 'k', NULL, NULL),
    ROW(cr_contact_get, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_geom_distance, "MDXy", STATUS, 'k', NULL, NULL),
    ROW(cr_tendon_path, "MDXI", STATUS, 'k', NULL, NULL),
    ROW(cr_object_velocity, "MDX", STATUS, 'k', NULL, NULL),
    ROW(cr_object_acceleration, "MDX", STATUS, 'f', NULL, NULL),
    // Jacobians of a step
    ROW(cr_jacobian_create, "OMDe", STATUS, 0, NULL, NULL),
    ROW(cr_jacobian_destroy, "j", NOTHING, 0, NULL, NULL),
    ROW(cr_step_jacobian, "MDJxyz", STATUS, 's', NULL, NULL),
    ROW(cr_jacobian_fallback, "J", NOTHING, 0, NULL, NULL),
    ROW(cr_jacobian_error, "j", POINTER, 0, NULL, NULL),
    ROW(cr_sensor_jacobian_create, "OMDe", STATUS, 0, NULL, NULL),
    ROW(cr_sensor_jacobian_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_sensordata_jacobian, "MD\027xy", STATUS, 'f', NULL, NULL),
    ROW(cr_sensor_jacobian_error, "\027", NOTHING, 0, NULL, NULL),
    ROW(cr_parameter_jacobian_create, "OMDPe", STATUS, 0, NULL, NULL),
    ROW(cr_parameter_jacobian_destroy, "k", NOTHING, 0, NULL, NULL),
    ROW(cr_parameter_jacobian_columns, "K", COUNT, 0, NULL, NULL),
    ROW(cr_step_parameter_jacobian, "MDKX", STATUS, 's', NULL, NULL),
    ROW(cr_parameter_jacobian_error, "k", POINTER, 0, NULL, NULL),
    // costs
    ROW(cr_cost_create, "OMe", STATUS, 0, NULL, NULL),
    ROW(cr_cost_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_cost_add, "\020\021e", STATUS, 0, NULL, NULL),
    ROW(cr_cost_count, "\020", COUNT, 0, NULL, NULL),
    ROW(cr_cost_name, "\020", POINTER, 0, NULL, NULL),
    ROW(cr_cost_loss, "\020", STATUS, 0, NULL, NULL),
    ROW(cr_cost_part, "\020", NOTHING, 0, NULL, NULL),
    ROW(cr_cost_gauss_newton, "\020MDBXYZ", STATUS, 'f', NULL, NULL),
    // planners
    ROW(cr_planner_create, "OM\020\023e", STATUS, 0, NULL, NULL),
    ROW(cr_planner_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_planner_set_start, "\022De", STATUS, 0, NULL, NULL),
    ROW(cr_planner_knots, "\022i", POINTER, 0, NULL, NULL),
    ROW(cr_planner_restart, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_planner_improve, "\022ae", STATUS, 0, NULL, NULL),
    ROW(cr_planner_shift, "\022e", STATUS, 0, NULL, NULL),
    ROW(cr_planner_control, "\022dXe", STATUS, 0, NULL, NULL),
    ROW(cr_planner_ctrl, "\022", POINTER, 0, NULL, NULL),
    ROW(cr_planner_gain, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_planner_memory_size, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_planner_get_memory, "\022Xe", STATUS, 0, NULL, NULL),
    ROW(cr_planner_set_memory, "\022Xe", STATUS, 0, NULL, NULL),
    POLICY_ROWS ROW(cr_live_plan_create, "O\022\025e", STATUS, 0, NULL, NULL),
    ROW(cr_live_plan_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_live_plan_observe, "\024De", STATUS, 0, NULL, NULL),
    ROW(cr_live_plan_control, "\024DXe", STATUS, 0, NULL, NULL),
    ROW(cr_live_plan_get_report, "\024\026e", STATUS, 0, NULL, NULL),
    // feedback
    ROW(cr_equilibrium, "MDae", STATUS, 0, NULL, NULL),
    ROW(cr_lqr, "YYYYXze", STATUS, 0, NULL, NULL),
    ROW(cr_spectral_radius, "YXe", STATUS, 0, NULL, NULL),
    QUASIDYNAMIC_ROWS
        // the filter
        ROW(cr_filter_create, "OMD\031e", STATUS, 0, NULL, NULL),
    ROW(cr_filter_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_filter_data, "\030", POINTER, 0, NULL, NULL),
    ROW(cr_filter_covariance, "\030", POINTER, 0, NULL, NULL),
    ROW(cr_filter_correct, "\030Yxyze", STATUS, 0, NULL, NULL),
    ROW(cr_filter_predict, "\030xe", STATUS, 0, NULL, NULL),
    // the page of a motion
    ROW(cr_view_create, "OM\033e", STATUS, 0, NULL, NULL),
    ROW(cr_view_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_view_begin, "\032\034e", STATUS, 0, NULL, NULL),
    ROW(cr_view_take, "\032De", STATUS, 0, NULL, NULL),
    ROW(cr_view_read, "\035Use", STATUS, 0, seen_path, "seen"),
    ROW(cr_view_set_live, "\032D\014e", STATUS, 0, NULL, NULL),
    ROW(cr_view_states, "\035", COUNT, 0, NULL, NULL),
    ROW(cr_view_save, "\035Ue", STATUS, 0, page_path, NULL),
    // pictures of a motion
    ROW(cr_render_create, "OMUa\037e", STATUS, 0, model_path, NULL),
    ROW(cr_render_destroy, "i", NOTHING, 0, NULL, NULL),
    ROW(cr_render_begin, "\036e", STATUS, 0, NULL, NULL),
    ROW(cr_render_take, "\036De", STATUS, 0, NULL, NULL),
    ROW(cr_render_read, "\010Ue", STATUS, 0, seen_path, NULL),
    ROW(cr_render_time, "\010", NOTHING, 0, NULL, NULL),
    ROW(cr_render_frames, "\010U\013", COUNT, 0, picture_path, NULL),
    ROW(cr_render_draw, "\010Xe", STATUS, 0, NULL, NULL),
    ROW(cr_render_save, "\010U\013e", STATUS, 0, picture_path, NULL),
    // rollouts
    ROW(cr_expression_create, "OMSe", STATUS, 0, "norm(qpos)", NULL),
    ROW(cr_expression_destroy, "q", NOTHING, 0, NULL, NULL),
    ROW(cr_expression_loss, "Q", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_create, "OMPe", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_destroy, "r", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_data, "R", POINTER, 0, NULL, NULL),
    ROW(cr_rollout_ctrl, "R", POINTER, 0, NULL, NULL),
    ROW(cr_rollout_set_control, "Rc", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_set_control_bar, "Rc", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_set_adaptive, "RMae", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_set_memory, "RMe", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_steps, "Riii", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_uncounted, "R", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_doubt, "r", POINTER, 0, NULL, NULL),
    ROW(cr_rollout_set_adjoint, "RMae", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_adjoint_steps, "Rii", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_run, "RMle", STATUS, 0, NULL, NULL),
    ROW(cr_rollout_loss, "R", NOTHING, 0, NULL, NULL),
    ROW(cr_rollout_gradient, "RMNle", STATUS, 'r', NULL, NULL),
    ROW(cr_rollout_bar, "R", POINTER, 0, NULL, NULL),
    ROW(cr_rollout_ctrl_bar, "R", POINTER, 0, NULL, NULL),
    ROW(cr_batch_create, "OMNFe", STATUS, 0, NULL, NULL),
    ROW(cr_batch_destroy, "g", NOTHING, 0, NULL, NULL),
    ROW(cr_batch_threads, "G", COUNT, 0, NULL, NULL),
    ROW(cr_batch_kept_size, "G", COUNT, 0, NULL, NULL),
    ROW(cr_batch_run, "GVcHe", STATUS, 0, NULL, NULL),
};
enum { N_ROW = sizeof table / sizeof table[0] };

// of measurements and identifications; NULL for other letters
static void* argument_of_identification(char letter) {
  const struct {
    char letter;
    const void* argument;
  } all[] = {
      {'\1', &two_epochs},
      {'\2', &w.training_end},
      {'\3', &w.as_given},
      {'\4', w.sequences},
      {'\5', w.learned},
      {'\6', &learning_data},
      {'\7', &learning_options},
      {'\016', &w.learning_end},
      {'\017', &w.usage},
      {'|', w.measurements},
      {'/', &w.channel},
      {'?', &w.seen},
      {'_', w.identification},
      {'-', &identification_options},
      {'.', &two_steps},
      {',', &w.end},
      {'"', &w.estimate},
      {'`', &w.of_place},
      {'\'', &correction_options},
      {'\\', &w.corrects},
      {' ', &layer},
      {'\020', w.cost},
      {'\021', &cost_term},
      {'\022', w.planner},
      {'\023', &plan_options},
      {'\221', w.policy},
      {'\222', &policy_options},
      {'\223', w.training},
      {'\224', &policy_training_options},
      {'\225', &w.trained},
      {'\024', w.live},
      {'\025', &live_options},
      {'\026', &w.live_report},
      {'\027', w.of_sensors},
      {'\030', w.filter},
      {'\200', w.servo_model},
      {'\201', w.quasidynamic},
      {'\202', &w.touches},
      {'\203', w.quasidynamic_batch},
      {'\204', w.contact_plan},
      {'\205', w.mpc},
      {'\206', (void*)(uintptr_t)&mpc_options},
      {'\207', (void*)(uintptr_t)&mpc_system},
      {'\211', (void*)(uintptr_t)&pressure_options},
      JUMP_LETTERS{'\031', (void*)(uintptr_t)&filter_options},
      {'\032', w.view},
      {'\033', &view_options},
      {'\034', &view_motion},
      {'\035', w.shown},
      {'\011', &w.gradient},
      {'\012', &estimator_options},
      {'\177', &w.smoothed},
      {'\015', w.objective},
      {'\231', &smoothed_options},
      {'\232', &linear_model},
      {'\014', &live_page_options},
      {'\036', w.render},
      {'\037', &render_options},
      {'\010', w.drawn},
      {'\013', &film_options},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (all[i].letter == letter) {
      return (void*)(uintptr_t)all[i].argument;
    }
  }
  return NULL;
}

static void* argument(const row* r, int i) {
  const char* first = strchr(r->arguments, 'S');
  bool second = r->arguments[i] == 'S' && first != NULL && first < r->arguments + i;
  switch (toupper((unsigned char)r->arguments[i])) {
    case 'M':
    case 'N':
      return w.m;
    case 'D':
      return w.d;
    case 'T':
      return w.tan;
    case 'B':
      return w.bar;
    case 'W':
      return w.work;
    case 'E':
      return &error;
    case 'O':
      return &w.slot;
    case 'S':
    case 'U':
      return (void*)(uintptr_t)(second ? r->second : r->text);
    case 'X':
      return w.numbers[0];
    case 'Y':
      return w.numbers[1];
    case 'Z':
      return w.numbers[2];
    case 'I':
      return &w.counts[i % 3];
    case 'P':
      return (void*)(uintptr_t)parameters;
    case 'J':
      return w.jacobian;
    case 'K':
      return w.by_parameters;
    case 'R':
      return w.rollout;
    case 'Q':
      return w.expression;
    case 'L':
      return &w.loss;
    case 'G':
      return w.batch;
    case 'F':
      return (void*)(uintptr_t)&batch_options;
    case 'V':
      return (void*)(uintptr_t)&batch_input;
    case 'H':
      return (void*)(uintptr_t)&batch_output;
    case '%':
      return (void*)(uintptr_t)items;
    case '&':
      return w.parameters;
    case '(':
      return (void*)(uintptr_t)&minimum;
    case '<':
      return (void*)(uintptr_t)&lbfgs;
    case '>':
      return (void*)(uintptr_t)&adam;
    case ';':
      return (void*)(uintptr_t)&squares;
    case ':':
      return (void*)(uintptr_t)&squares_options;
    case '=':
      return (void*)(uintptr_t)&searched;
    case '^':
      return (void*)(uintptr_t)&search_options;
    case '9':
      return w.check;
    case '!':
      return w.checked;
    case '#':
      return &w.result;
    case '$':
      return &w.compared;
    case '3':
      return w.report;
    case '4':
      return (void*)(uintptr_t)many_names;
    case '5':
      return (void*)(uintptr_t)many_values;
    case '6':
      return w.gradient;
    case '7':
      return &w.trust;
    case '8':
      return &w.problem;
    case '1':
      return &w.field;
    case '2':
      return &w.place;
    case '@':
      return w.recordings;
    case '{':
      return &w.run;
    case '~':
      return w.fit;
    case '}':
      return (void*)(uintptr_t)&fit_options;
    case '[':
      return &w.fit_info;
    case ']':
      return &w.fit_value;
    case '*':
      return w.mj;
    case '+':
      return w.mj_data;
    case ')':
      return (void*)(uintptr_t)&stage_options;
    case '0':
      return (void*)(uintptr_t)&contact_options;
    default:
      return argument_of_identification(r->arguments[i]);  // A, C: NULL
  }
}

// ---- a call

static void clear_numbers(void) {
  memset(w.numbers, 0, sizeof w.numbers);
  for (int k = 0; k < 4; k++) {
    w.numbers[k][2] = -1;  // a gravity
    w.numbers[k][3] = 1;   // a quaternion
  }
}

// the state before a right call
static void prepare(char needs) {
  must(cr_model_set_choice(w.m, "integrator", "euler", &error));
  must(cr_data_reset(w.m, w.d));
  must(cr_rollout_set_adaptive(w.rollout, w.m, NULL, &error));
  must(cr_rollout_set_adjoint(w.rollout, w.m, NULL, &error));
  clear_numbers();
  assert_int_equal(needs == 'f' || needs == 'k' ? cr_forward(w.m, w.d) : CR_OK, CR_OK);
  assert_int_equal(needs == 's' ? cr_step(w.m, w.d) : CR_OK, CR_OK);
  assert_int_equal(needs == 'i' ? cr_inverse(w.m, w.d) : CR_OK, CR_OK);
  must(needs == 'r' ? cr_rollout_run(w.rollout, w.m, 2, &w.loss, &error) : CR_OK);
  cr_check_destroy(w.check);
  w.check = NULL;
  must(cr_check_create(&w.check, &error));
  cr_gradient_destroy(w.gradient);
  w.gradient = NULL;
  must(cr_gradient_create(&w.gradient, w.m, 2, parameters, 1, NULL, &error));
  if (needs == 'u' || needs == 'g') {
    must(cr_rollout_run(cr_gradient_rollout(w.gradient), w.m, 2, &w.loss, &error));
    must(needs == 'g' ? cr_gradient_compute(w.gradient, &w.loss, &error) : CR_OK);
  }
}

static void forget(void) {
  cr_data* const blocks[] = {w.d, w.tan, w.bar, w.work, w.fresh};
  error.text[0] = 0;
  for (int i = 0; i < 5; i++) {
    ((char*)(uintptr_t)cr_data_error(blocks[i]))[0] = 0;
  }
  ((char*)(uintptr_t)cr_jacobian_error(w.jacobian))[0] = 0;
  ((char*)(uintptr_t)cr_parameter_jacobian_error(w.by_parameters))[0] = 0;
  ((char*)(uintptr_t)cr_sensor_jacobian_error(w.of_sensors))[0] = 0;
}

static bool said_something(void) {
  const char* const said[] = {error.text,
                              cr_data_error(w.d),
                              cr_data_error(w.tan),
                              cr_data_error(w.bar),
                              cr_data_error(w.work),
                              cr_data_error(w.fresh),
                              cr_jacobian_error(w.jacobian),
                              cr_sensor_jacobian_error(w.of_sensors),
                              cr_parameter_jacobian_error(w.by_parameters)};
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    if (said[i][0] != 0) {
      return true;
    }
  }
  return false;
}

// one that could take a sentence: an error, a block of data or a Jacobian that is not NULL
static bool can_say(const row* r, void* const* a) {
  for (int i = 0; r->arguments[i] != 0; i++) {
    if (a[i] != NULL && strchr("EDTBWJK\027", toupper((unsigned char)r->arguments[i])) != NULL) {
      return true;
    }
  }
  return false;
}

static long call(const row* r, void** a) {
  forget();
  return r->call(a);
}

static void fill(const row* r, void** a) {
  for (int i = 0; r->arguments[i] != 0; i++) {
    a[i] = argument(r, i);
  }
}

static bool is_refusal(const row* r, long result) {
  return r->returns == STATUS ? result == CR_ERR_ARG || result == CR_ERR_NAME
                              : r->returns == NOTHING || result <= 0;
}

static void must_be_refused(const row* r, void** a, const char* why) {
  long result = call(r, a);
  if (!is_refusal(r, result)) {
    fail_msg("%s, %s: %ld", r->name, why, result);
  }
  if (r->returns == STATUS && can_say(r, a) && !said_something()) {
    fail_msg("%s, %s: refused without a sentence", r->name, why);
  }
}

// ---- the headers

typedef struct {
  char name[64];
  int pointers;
} declaration;

static int declarations_in(const char* text, void* to, int n) {
  declaration* list = to;
  for (const char* at = strstr(text, "\nCR_API "); at != NULL; at = strstr(at + 1, "\nCR_API ")) {
    const char *open = strchr(at, '('), *end = strstr(at, ");"), *begin = open;
    while (begin[-1] == '_' || isalnum((unsigned char)begin[-1])) {
      begin--;
    }
    declaration* d = &list[n++];
    (void)snprintf(d->name, sizeof d->name, "%.*s", (int)(open - begin), begin);
    d->pointers = 0;
    for (const char* c = open + 1; c < end;) {  // an argument with a star or a bracket
      size_t length = strcspn(c, ",)");
      d->pointers += memchr(c, '*', length) != NULL || memchr(c, '[', length) != NULL;
      c += length + 1;
    }
  }
  return n;
}

static int each_header(int (*read)(const char* text, void* to, int n), void* to) {
  enum { SIZE = 1 << 16 };
  static char text[SIZE];
  char path[512];
  int n = 0;
  DIR* folder = opendir(CAROM_SOURCE_DIR "/include/carom");
  assert_non_null(folder);
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    (void)snprintf(path, sizeof path, CAROM_SOURCE_DIR "/include/carom/%s", entry->d_name);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, SIZE - 1, file);
    text[length] = 0;
    assert_true(length < SIZE - 1);
    (void)fclose(file);
    n = read(text, to, n);
  }
  (void)closedir(folder);
  return n;
}

static const row* find(const char* name) {
  for (int i = 0; i < N_ROW; i++) {
    if (strcmp(table[i].name, name) == 0) {
      return &table[i];
    }
  }
  return NULL;
}

TEST(every_public_function_has_a_row) {
  static declaration list[4 * N_ROW];
  int n = each_header(declarations_in, list);
  for (int i = 0; i < n; i++) {
    const row* r = find(list[i].name);
    if (r == NULL) {
      fail_msg("%s is declared in include/carom and has no row here", list[i].name);
    }
    if ((int)strlen(r->arguments) != list[i].pointers) {
      fail_msg("%s has %d pointers, its row %s", list[i].name, list[i].pointers, r->arguments);
    }
  }
  assert_int_equal(n, N_ROW);
}

// ---- right and wrong

TEST(right_calls_work) {
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    void* a[MOST] = {0};
    prepare(r->needs);
    fill(r, a);
    long result = call(r, a);
    if (r->returns == STATUS ? result != CR_OK : r->returns != NOTHING && result <= 0) {
      fail_msg("%s: %ld %s%s", r->name, result, error.text, cr_data_error(w.d));
    }
  }
}

TEST(every_pointer_may_be_null) {
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    for (int i = 0; r->arguments[i] != 0; i++) {
      void* a[MOST] = {0};
      prepare(r->needs);
      fill(r, a);
      a[i] = NULL;
      if (!islower((unsigned char)r->arguments[i])) {
        char why[32];
        (void)snprintf(why, sizeof why, "argument %d NULL", i);
        must_be_refused(r, a, why);
      } else {
        long result = call(r, a);
        assert_int_equal(r->returns == STATUS ? result : 0, 0);
      }
    }
  }
}

TEST(names_that_are_none) {
  static char endless[3000];
  memset(endless, 'a', sizeof endless - 1);
  const char* const names[] = {"no_such_thing", "", "[", "qpos[", "body_mass[0", ".", endless};
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    const char* s = strpbrk(r->arguments, "SU");
    for (size_t i = 0; s != NULL && i < sizeof names / sizeof names[0]; i++) {
      void* a[MOST] = {0};
      char path[3100];
      prepare(r->needs);
      fill(r, a);
      (void)snprintf(path, sizeof path, "/no/such/folder/%s", names[i]);
      a[s - r->arguments] = (void*)(uintptr_t)(*s == 'U' ? path : names[i]);
      long result = call(r, a);
      if (r->returns == STATUS ? result == CR_OK : result > 0) {
        fail_msg("%s takes '%.40s'", r->name, names[i]);
      }
      if (r->returns == STATUS || r->returns == POINTER) {
        assert_true(!can_say(r, a) || said_something());
      }
    }
    const char* p = strchr(r->arguments, 'P');
    if (p != NULL) {
      const char* const wrong[] = {"body_mas"};
      void* a[MOST] = {0};
      prepare(r->needs);
      fill(r, a);
      a[p - r->arguments] = (void*)(uintptr_t)wrong;
      must_be_refused(r, a, "an unknown parameter");
    }
  }
}

TEST(calls_before_what_they_need) {
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    const char* data = strchr(r->arguments, 'D');
    if (r->needs == 0) {
      continue;
    }
    void* a[MOST] = {0};
    prepare(0);
    fill(r, a);
    if (data != NULL) {
      a[data - r->arguments] = w.fresh;
    }
    must_be_refused(r, a, "too early");
    if (r->needs == 's' || r->needs == 'i') {
      prepare('f');
      fill(r, a);
      must_be_refused(r, a, "after another call");
    }
    if (strchr("fsi", r->needs) != NULL) {  // the state has gone on
      prepare('s');
      assert_int_equal(cr_advance(w.m, w.d), CR_OK);
      fill(r, a);
      must_be_refused(r, a, "after cr_advance");
    }
  }
}

static bool has_any(const row* r, const char* letters) {
  return strpbrk(r->arguments, letters) != NULL;
}

TEST(models_that_are_others) {
  cr_model* const others[] = {w.other, w.same_sizes};
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    const char* m = strchr(r->arguments, 'M');
    const char* n = strchr(r->arguments, 'N');
    for (int i = 0; i < 2 && m != NULL && has_any(r, "DTBRJKN"); i++) {
      void* a[MOST] = {0};
      prepare(r->needs);
      fill(r, a);
      a[m - r->arguments] = others[i];
      must_be_refused(r, a, "another model");
      prepare(r->needs);
      fill(r, a);
      if (n != NULL) {
        a[n - r->arguments] = others[i];
        must_be_refused(r, a, "another model backward");
      }
    }
  }
}

// ---- sizes of structs

// every struct with a size that a caller sets: a right one, and where it goes
typedef struct {
  const char* type;
  size_t size;
  const void* right;
  const char* function;
  int argument;
  void* (*wrapped)(void* x);
} sized;

#define SIZED(type, right, function, argument, wrapped) \
  { #type, sizeof(type), right, #function, argument, wrapped }
static const sized sizes[] = {
    SIZED(cr_batch_options, &batch_options, cr_batch_create, 3, itself),
    SIZED(cr_batch_input, &batch_input, cr_batch_run, 1, itself),
    SIZED(cr_batch_output, &batch_output, cr_batch_run, 3, itself),
    SIZED(cr_check_options, &few_states, cr_check_run, 2, itself),
    SIZED(cr_check_options, &few_states, cr_follow, 1, itself),
    SIZED(cr_check_result, &w.result, cr_check_get_result, 1, itself),
    JUMP_SIZES SIZED(cr_check_field, &w.compared, cr_check_get_field, 1, itself),
    SIZED(cr_equilibrium_options, &equilibrium_options, cr_equilibrium, 2, itself),
    SIZED(cr_plan_options, &plan_options, cr_planner_create, 3, itself),
    SIZED(cr_policy_options, &policy_options, cr_policy_create, 2, itself),
    SIZED(cr_policy_training_options, &policy_training_options, cr_policy_training_create, 5,
          itself),
    SIZED(cr_observation, &observation, cr_policy_create, 2, in_policy),
    SIZED(cr_varied, &varied_mass, cr_policy_training_create, 5, in_training),
    SIZED(cr_policy_training_result, &w.trained, cr_policy_training_step, 1, itself),
    SIZED(cr_plan_result, &w.planned, cr_planner_improve, 1, itself),
    SIZED(cr_quasidynamic_options, &quasidynamic_options, cr_quasidynamic_create, 2, itself),
    SIZED(cr_contact_tree_options, &few_nodes, cr_contact_tree_grow, 5, itself),
    SIZED(cr_mpc_system, &mpc_system, cr_smoothed_mpc_create, 1, itself),
    SIZED(cr_mpc_options, &mpc_options, cr_smoothed_mpc_create, 2, itself),
    SIZED(cr_mpc_result, &w.mpc_result, cr_smoothed_mpc_improve, 1, itself),
    SIZED(cr_quasidynamic_contact, &w.touches, cr_quasidynamic_get_contact, 1, itself),
    SIZED(cr_filter_options, &filter_options, cr_filter_create, 3, itself),
    SIZED(cr_live_options, &live_options, cr_live_plan_create, 2, itself),
    SIZED(cr_view_options, &view_options, cr_view_create, 2, itself),
    SIZED(cr_view_live, &live_page_options, cr_view_set_live, 2, itself),
    SIZED(cr_view_motion, &view_motion, cr_view_begin, 1, itself),
    SIZED(cr_render_options, &render_options, cr_render_create, 4, itself),
    SIZED(cr_film_options, &film_options, cr_render_save, 2, itself),
    SIZED(cr_live_report, &w.live_report, cr_live_plan_get_report, 1, itself),
    SIZED(cr_cost_term, &cost_term, cr_cost_add, 1, itself),
    SIZED(cr_contact_options, &contact_options, cr_model_add_contact_model, 1, itself),
    SIZED(cr_pressure_options, &pressure_options, cr_model_set_pressure, 1, itself),
    SIZED(cr_field_info, &w.field, cr_field_get, 1, itself),
    SIZED(cr_place_info, &w.place, cr_model_place, 2, itself),
    SIZED(cr_recording_info, &w.run, cr_recordings_add, 1, itself),
    SIZED(cr_recording_info, &w.run, cr_recordings_get, 1, itself),
    SIZED(cr_fit_options, &fit_options, cr_fit_create, 3, itself),
    SIZED(cr_fit_info, &w.fit_info, cr_fit_get_info, 1, itself),
    SIZED(cr_fit_value, &w.fit_value, cr_fit_evaluate, 2, itself),
    SIZED(cr_gradient_options, &gradient_options, cr_gradient_create, 3, itself),
    SIZED(cr_urdf_options, &urdf_options, cr_model_open_urdf, 2, itself),
    SIZED(cr_urdf_options, &urdf_options, cr_model_open_report, 2, itself),
    SIZED(cr_urdf_options, &urdf_options, cr_mujoco_compile, 2, itself),
    SIZED(cr_urdf_options, &urdf_options, cr_mujoco_save, 2, itself),
    SIZED(cr_urdf_options, &urdf_options, cr_check_run, 2, in_check),
    SIZED(cr_urdf_options, &urdf_options, cr_follow, 1, in_check),
    SIZED(cr_parameter_info, &mass, cr_parameters_create, 2, in_list),
    SIZED(cr_minimise_problem, &minimum, cr_minimise_lbfgs, 0, itself),
    SIZED(cr_minimise_problem, &minimum, cr_minimise_adam, 0, itself),
    SIZED(cr_least_squares_problem, &squares, cr_minimise_levenberg_marquardt, 0, itself),
    SIZED(cr_least_squares_options, &squares_options, cr_minimise_levenberg_marquardt, 1, itself),
    SIZED(cr_global_problem, &searched, cr_minimise_global, 0, itself),
    SIZED(cr_global_options, &search_options, cr_minimise_global, 1, itself),
    SIZED(cr_global_result, &searched_out, cr_minimise_global, 3, itself),
    SIZED(cr_measurements_file, &as_it_is, cr_measurements_read, 2, itself),
    SIZED(cr_channel_info, &w.channel, cr_measurements_add, 1, itself),
    SIZED(cr_channel_info, &w.seen, cr_measurements_get, 1, itself),
    SIZED(cr_identification_options, &identification_options, cr_identification_create, 3, itself),
    SIZED(cr_search, &two_steps, cr_identification_solve, 1, itself),
    SIZED(cr_search_end, &w.end, cr_identification_solve, 3, itself),
    SIZED(cr_training_options, &two_epochs, cr_identification_train, 1, itself),
    SIZED(cr_training_end, &w.training_end, cr_identification_train, 3, itself),
    SIZED(cr_estimate, &w.estimate, cr_identification_get, 1, itself),
    SIZED(cr_estimate, &w.estimate, cr_identification_get_report, 1, itself),
    SIZED(cr_estimate, &w.estimate, cr_identification_profile, 1, itself),
    SIZED(cr_estimate, &w.estimate, cr_identification_get_combination, 2, itself),
    SIZED(cr_fit_of_place, &w.of_place, cr_identification_get_place, 1, itself),
    SIZED(cr_lbfgs_options, &lbfgs, cr_minimise_lbfgs, 1, itself),
    SIZED(cr_adam_options, &adam, cr_minimise_adam, 1, itself),
    SIZED(cr_adaptive, &by_tolerance, cr_rollout_set_adaptive, 2, itself),
    SIZED(cr_adaptive, &by_tolerance, cr_fit_create, 3, in_fit),
    SIZED(cr_adaptive, &by_tolerance, cr_batch_create, 3, in_batch),
    SIZED(cr_adjoint, &backward, cr_rollout_set_adjoint, 2, itself),
    SIZED(cr_adjoint, &backward, cr_fit_create, 3, in_fit_adjoint),
    SIZED(cr_correction_options, &correction_options, cr_model_add_correction, 1, itself),
    SIZED(cr_correction_info, &w.corrects, cr_model_get_correction, 1, itself),
    SIZED(cr_correction_usage, &w.usage, cr_correction_get_usage, 1, itself),
    SIZED(cr_correction_input, &input_of_correction, cr_model_add_correction, 1, in_correction),
    SIZED(cr_layer, &layer, cr_network_create, 1, itself),
    SIZED(cr_learning_data, &learning_data, cr_learned_evaluate, 1, itself),
    SIZED(cr_learning_options, &learning_options, cr_learned_train, 2, itself),
    SIZED(cr_learning_end, &w.learning_end, cr_learned_train, 3, itself),
    SIZED(cr_layer, &w.as_given, cr_network_get_layer, 1, itself),
    SIZED(cr_stage_options, &stage_options, cr_model_add_stage, 1, itself),
    SIZED(cr_stage_options, &stage_options, cr_model_add_contact_model, 1, in_contact_model),
    SIZED(cr_trust_problem, &w.problem, cr_trust_measure, 1, itself),
    SIZED(cr_trust, &w.trust, cr_trust_measure, 0, itself),
    SIZED(cr_trust, &w.trust, cr_gradient_trust, 1, itself),
    SIZED(cr_estimator_options, &estimator_options, cr_gradient_estimate, 2, itself),
    SIZED(cr_processes, &one_process, cr_gradient_estimate, 2, in_estimate),
    SIZED(cr_minimise_problem, &minimum, cr_smoothed_objective_create, 1, itself),
    SIZED(cr_smoothed_model_options, &smoothed_options, cr_smoothed_model, 2, itself),
    SIZED(cr_linear_model, &linear_model, cr_smoothed_model, 3, itself),
    SIZED(cr_estimator_options, &estimator_options, cr_smoothed_objective_create, 2, itself),
    SIZED(cr_smoothed_gradient, &w.smoothed, cr_gradient_estimate, 3, itself),
};
enum { N_SIZED = sizeof sizes / sizeof sizes[0], BEHIND = 64, UNKNOWN = 0xa5 };

// the call with a struct that says it has this size; bytes behind the known ones are no zeros
static long call_sized(const sized* s, size_t size, char* x) {
  const row* r = find(s->function);
  void* a[MOST] = {0};
  prepare(r->needs);
  bool tolerances = strcmp(s->type, "cr_adaptive") == 0 || strcmp(s->type, "cr_adjoint") == 0;
  must(cr_model_set_choice(w.m, "integrator", tolerances ? "tsit5" : "euler", &error));
  fill(r, a);
  memcpy(x, s->right, s->size);
  memset(x + s->size, UNKNOWN, BEHIND);
  memcpy(x, &size, sizeof size);
  a[s->argument] = s->wrapped(x);
  return call(r, a);
}

TEST(a_size_is_that_of_the_struct_or_more) {
  static _Alignas(max_align_t) char x[ROOM];
  for (int k = 0; k < N_SIZED; k++) {
    const sized* s = &sizes[k];
    const size_t wrong[] = {0, 1, sizeof(size_t), s->size - 1},
                 right[] = {s->size, s->size + BEHIND};
    char sentence[128];
    assert_true(s->size + BEHIND <= sizeof x);
    for (int i = 0; i < 4; i++) {
      (void)snprintf(sentence, sizeof sentence, "member size of %s is %zu; set it to sizeof(%s)",
                     s->type, wrong[i], s->type);
      long status = call_sized(s, wrong[i], x);
      if (status != CR_ERR_ARG || strstr(error.text, sentence) == NULL) {
        fail_msg("%s takes a %s of size %zu: %ld %s", s->function, s->type, wrong[i], status,
                 error.text);
      }
    }
    for (int i = 0; i < 2; i++) {
      long status = call_sized(s, right[i], x);
      size_t left;
      memcpy(&left, x, sizeof left);
      // one within another may be refused for another reason
      if (status != CR_OK && (s->wrapped == itself || strstr(error.text, "size") != NULL)) {
        fail_msg("%s refuses a %s of size %zu: %s", s->function, s->type, right[i], error.text);
      }
      assert_int_equal(left, right[i]);
      for (int j = 0; j < BEHIND; j++) {
        assert_int_equal((unsigned char)x[s->size + (size_t)j], UNKNOWN);
      }
    }
  }
}

// the structs of the headers: "size_t size;  // sizeof(NAME), set by the caller", or without these words where the
// library sets it
static int sizes_in(const char* text, void* unused, int n) {
  static const char member[] = "\n  size_t size;", begin[] = "// sizeof(",
                    set[] = "), set by the caller\n";
  (void)unused;
  for (const char* at = strstr(text, member); at != NULL; at = strstr(at + 1, member)) {
    const char* type = at + strlen(member);
    type += strspn(type, " ");
    assert_memory_equal(type, begin, strlen(begin));
    type += strlen(begin);
    size_t length = strcspn(type, ")");
    bool found = false;
    for (int k = 0; k < N_SIZED; k++) {
      found =
          found || (strlen(sizes[k].type) == length && strncmp(sizes[k].type, type, length) == 0);
    }
    bool by_caller = strncmp(type + length, set, strlen(set)) == 0;
    if (by_caller && !found) {
      fail_msg("%.*s has a size and no row here", (int)length, type);
    }
    n += by_caller;
  }
  return n;
}

TEST(every_struct_with_a_size_has_a_row) { assert_true(each_header(sizes_in, NULL) > 20); }

// a loss of names of another model
TEST(losses_of_other_models) {
  cr_expression* x = NULL;
  must(cr_expression_create(&x, w.m, "qpos[7] + body_mass[2]", &error));
  cr_rollout* r = NULL;
  must(cr_rollout_create(&r, w.other, 2, NULL, 0, &error));
  cr_loss loss = cr_expression_loss(x, true);
  assert_int_equal(cr_rollout_run(r, w.other, 2, &loss, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "another model"));
  cr_rollout_destroy(r);
  cr_expression_destroy(x);
}

TEST(blocks_of_other_roles) {
  for (int k = 0; k < N_ROW; k++) {
    const row* r = &table[k];
    for (int i = 0; r->arguments[i] != 0; i++) {
      cr_data* const blocks[] = {w.d, w.tan, w.bar};
      char letter = (char)toupper((unsigned char)r->arguments[i]);
      const char* roles = letter == 'D' ? "D" : (letter == 'W' ? "W" : letter == 'T' ? "T" : "B");
      bool reads_any = strcmp(r->name, "cr_data_view") == 0 ||
                       strcmp(r->name, "cr_data_numbers") == 0 || r->returns == COUNT ||
                       r->returns == NOTHING || strcmp(r->name, "cr_data_error") == 0;
      for (int b = 0; b < 3 && strchr("DWTB", letter) != NULL && !reads_any; b++) {
        void* a[MOST] = {0};
        bool right = (b == 0 && roles[0] == 'D') || (b == 1 && roles[0] == 'T') ||
                     (b == 2 && roles[0] == 'B');
        if (right) {
          continue;
        }
        prepare(r->needs);
        fill(r, a);
        a[i] = blocks[b];
        must_be_refused(r, a, "a block of another role");
      }
    }
  }
}

// data made for Euler, the model now with another integrator: it works or is refused, never a crash
TEST(integrators_that_changed) {
  static const char* const integrators[] = {"rk4",   "implicit", "implicitfast", "discrete",
                                            "tsit5", "dopri5",   "dopri8",       "bosh3",
                                            "heun",  "midpoint", "ralston",      "forward-euler"};
  int refused = 0;
  for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
    for (int k = 0; k < N_ROW; k++) {
      const row* r = &table[k];
      void* a[MOST] = {0};
      for (int early = 0; early < 2; early++) {
        prepare(early == 0 ? r->needs : 0);
        fill(r, a);
        must(cr_model_set_choice(w.m, "integrator", integrators[i], &error));
        if (early == 1 && r->needs == 's') {
          (void)cr_step(w.m, w.d);
        }
        long result = call(r, a);
        refused += r->returns == STATUS && result != CR_OK;
        if (r->returns == STATUS && result != CR_OK && can_say(r, a) && !said_something()) {
          fail_msg("%s with %s: refused without a sentence", r->name, integrators[i]);
        }
      }
    }
  }
  assert_true(refused > 0);
}

// what crashed: README's snippet with an integrator of several stages
TEST(rk4_without_a_second_block) {
  prepare(0);
  must(cr_model_set_choice(w.m, "integrator", "rk4", &error));
  assert_int_equal(cr_step(w.m, w.d), CR_OK);
  assert_int_equal(cr_step_vjp(w.m, w.m, w.d, NULL, w.bar), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(w.bar), "work is NULL"));
  assert_int_equal(cr_step_jvp(w.m, w.d, NULL, w.tan), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(w.tan), "work is NULL"));
  assert_int_equal(cr_step_vjp(w.m, w.m, w.d, w.work, w.bar), CR_OK);
  assert_int_equal(cr_step_jvp(w.m, w.d, w.work, w.tan), CR_OK);
  // what the last stage left is not of this state
  assert_int_equal(cr_full_m(w.m, w.d, w.numbers[0]), CR_ERR_ARG);
  assert_int_equal(cr_forward_vjp(w.m, w.d, w.bar), CR_ERR_ARG);
  prepare(0);
}

TEST(sentences_say_what_to_do) {
  prepare(0);
  cr_jacobian* j = w.jacobian;
  assert_int_equal(cr_step_jacobian(w.m, w.fresh, j, NULL, NULL, NULL), CR_ERR_ARG);
  assert_non_null(strstr(cr_jacobian_error(j), "call cr_step at this state first"));
  assert_null(cr_data_view(w.m, w.d, "qvl", NULL, NULL));
  assert_non_null(strstr(cr_data_error(w.d), "did you mean 'qvel'?"));
  assert_null(cr_data_view(w.m, w.d, "colour", NULL, NULL));
  assert_null(strstr(cr_data_error(w.d), "did you mean"));
  assert_non_null(cr_data_view(w.m, w.d, "qvel", NULL, NULL));
  assert_int_equal(cr_step(w.other, w.d), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(w.d), "of another model, with nq 8 where it is 1"));
  assert_int_equal(cr_step(w.same_sizes, w.d), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(w.d), "another model of the same sizes"));
}
