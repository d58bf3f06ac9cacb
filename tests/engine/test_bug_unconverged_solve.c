// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: solves that had not converged were accepted silently. Here the file's solver and
// iteration counts never change the answer. If there is no answer every level reports it: the stage,
// the step, the rollout.
#include "carom/step.h"
#include "checks/io_bug.h"
#include "engine/acceleration.h"
#include "rollout/trajectory.h"
#include "support/close.h"

#define PILE(option)                                                           \
  "<mujoco><option " option                                                    \
  "/><worldbody><geom type='plane' size='1 1 1'/>"                             \
  "<body pos='0 0 .099'><freejoint/><geom type='box' size='.1 .1 .1'/></body>" \
  "<body pos='.02 .01 .297'><freejoint/><geom type='box' size='.1 .1 "         \
  ".1'/></body></worldbody></mujoco>"

TEST(bug_unconverged_solve_iterations_of_the_file) {
  static const char* const few[] = {PILE("iterations='1' tolerance='1'"),
                                    PILE("solver='PGS' iterations='0'"),
                                    PILE("solver='CG' iterations='2' cone='pyramidal'")};
  bug_scene exact;
  bug_open(&exact, PILE(""), 0);
  bug_forward(&exact);
  assert_true(exact.d->nefc > 20 && exact.d->solver_iterations > 1);
  for (int k = 0; k < 3; k++) {
    bug_scene s;
    bug_open(&s, few[k], 0);
    cr_copy(s.d->qvel, exact.d->qvel, s.m.nv);
    bug_forward(&s);
    assert_true(s.d->solver_residual < CR_R(1e-12));
    assert_all_close(s.d->qacc, exact.d->qacc, s.m.nv, CR_R(1e-12));
    bug_close(&s);
  }
  bug_close(&exact);
}

// rows that contradict each other so strongly that the difference of their forces is rounding
TEST(bug_unconverged_solve_is_an_error) {
  bug_scene s;
  bug_open(&s, PILE(""), 0);
  bug_forward(&s);
  for (int i = 0; i < s.d->nefc; i++) {
    s.d->efc_D[i] = 1 / (CR_EPS * CR_EPS);
    s.d->efc_aref[i] = CR_R(1e9) * (1 + CR_R(0.37) * (cr_real)(i % 5));
  }
  assert_int_equal(cr_acceleration(&s.m, s.d), CR_ERR_SOLVER);
  assert_non_null(strstr(s.d->error.text, "constraint solver"));
  bug_close(&s);
}

// a push that no number can hold comes back as an error of the rollout, with its step
TEST(bug_unconverged_solve_stops_the_rollout) {
  bug_scene s;
  cr_rollout* r;
  cr_error error = {0};
  bug_open(&s, PILE(""), 0);
  assert_int_equal(cri_rollout_create(&r, &s.m, 10, cri_no_params, &error), CR_OK);
  cr_copy(r->d->qpos, s.d->qpos, s.m.nq);
  r->d->qfrc_applied[2] = CR_R(-1e300);
  cr_status status = cr_rollout_run(r, &s.m, 10, NULL, &error);
  assert_true(status == CR_ERR_SOLVER || status == CR_ERR_NONFINITE || status == CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "step"));
  cr_rollout_destroy(r);
  bug_close(&s);
}
