// SPDX-License-Identifier: Apache-2.0
// A data block that grows inside an adaptive step: the cube flies, its block has no room for contacts, and
// the first one is seen by a stage in the middle of a step.
#include "engine/data_create.h"
#include "model/fields.h"
#include "rollout/trajectory.h"
#include "scenes/chain_model.h"
#include "scenes/tossed_cube.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_rollout* r;
} toss;

typedef struct {
  cr_real weight[3];
} weights;

// of where the cube is at the end
static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  const weights* w = context;
  (void)step;
  for (int i = 0; i < 3; i++) {
    *loss += w->weight[i] * d->qpos[i];
  }
  return CR_OK;
}

static cr_status bar_of(void* context, const cr_model* m, const cr_data* d, int step,
                        cr_data* bar) {
  const weights* w = context;
  for (int i = 0; i < 3; i++) {
    bar->qpos[i] += w->weight[i];
  }
  return CR_OK;
}

static weights along = {{CR_R(0.3), CR_R(-0.7), 1}};

static void open_toss(toss* t, int integrator, bool events) {
  const cr_adaptive options = {.size = sizeof options,
                               .rtol = CR_R(1e-6),
                               .atol = CR_R(1e-6),
                               .grid = CR_R(0.15),
                               .events = events};
  const bool none[CR_N_FIELD] = {false};
  cr_error error = {0};
  tossed_cube(&t->m, CR_R(0.1));
  t->m.integrator = integrator;
  assert_int_equal(cri_rollout_create(&t->r, &t->m, 2, none, &error), CR_OK);
  assert_int_equal(cr_rollout_set_adaptive(t->r, &t->m, &options, &error), CR_OK);
  cr_data* d = t->r->d;
  cri_data_reset(&t->m, d);
  d->qpos[2] = CR_R(0.4);
  d->qvel[0] = CR_R(0.5);
  d->qvel[2] = CR_R(-3);
  d->qvel[3] = 2;
  d->qvel[4] = 1;
}

static void close_toss(toss* t) {
  cr_rollout_destroy(t->r);
  cri_model_free(&t->m);
}

// blocks with room for so many contacts, at the same state
static void leave_room(toss* t, int ncon) {
  cr_rollout* r = t->r;
  const cr_capacity none = {ncon + 1, 4 * ncon + 2, 24 * ncon + 4};
  cr_data *d, *start = r->d;
  assert_int_equal(cri_data_create(&d, &t->m, &none, NULL), CR_OK);
  cr_copy(d->qpos, start->qpos, t->m.nq);
  cr_copy(d->qvel, start->qvel, t->m.nv);
  cri_data_free(r->d);
  cri_data_free(r->work);
  cri_data_free(r->bar);
  r->d = d;
  assert_int_equal(cri_data_create(&r->work, &t->m, &none, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&r->bar, &t->m, r->d, CR_DATA_COTANGENT, r->wanted, NULL), CR_OK);
}

static void run(toss* t) {
  const cr_loss loss = {.value = value, .bar = bar_of, .context = &along};
  cr_error error = {0};
  if (cr_rollout_run(t->r, &t->m, 2, &loss, &error) != CR_OK ||
      cr_rollout_gradient(t->r, &t->m, &t->m, &loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void a_block_grows_inside_a_step(int integrator, bool events, int ncon) {
  toss roomy, tight;
  int accepted[2], rejected[2], ended[2];
  open_toss(&roomy, integrator, events);
  open_toss(&tight, integrator, events);
  leave_room(&tight, ncon);
  run(&roomy);
  run(&tight);
  // it did grow, and not at the start: the cube was in the air for a while
  assert_true(tight.r->d->ncon_max > ncon + 1 && tight.r->d->nefc_max > 4 * ncon + 2);
  cr_rollout_steps(roomy.r, &accepted[0], &rejected[0], &ended[0]);
  cr_rollout_steps(tight.r, &accepted[1], &rejected[1], &ended[1]);
  assert_true(accepted[0] > 8);
  assert_int_equal(accepted[0], accepted[1]);
  assert_int_equal(rejected[0], rejected[1]);
  assert_int_equal(ended[0], ended[1]);
  assert_true((ended[0] > 0) == events);
  // the same but for the warm start of a solve
  assert_close(tight.r->loss, roomy.r->loss, CR_R(1e5) * ROUND_OFF);
  cr_real size = 0;
  for (int i = 0; i < roomy.m.nv; i++) {
    size = cr_max(size, cr_abs(roomy.r->bar->qvel[i]));
  }
  for (int i = 0; i < roomy.m.nv; i++) {
    assert_close(tight.r->bar->qvel[i], roomy.r->bar->qvel[i], CR_R(1e6) * ROUND_OFF * size);
    assert_close(tight.r->bar->qpos[i], roomy.r->bar->qpos[i], CR_R(1e7) * ROUND_OFF * size);
  }
  close_toss(&roomy);
  close_toss(&tight);
}

TEST(with_a_stage_kept_from_the_step_before) {
  a_block_grows_inside_a_step(CR_INT_TSIT5, false, 0);
  a_block_grows_inside_a_step(CR_INT_BOSH3, false, 0);
  a_block_grows_inside_a_step(CR_INT_TSIT5, false, 1);
}
// with rows from before, which the larger block must know again
TEST(with_events) {
  for (int ncon = 0; ncon < 3; ncon++) {
    a_block_grows_inside_a_step(CR_INT_TSIT5, true, ncon);
  }
}

// The stage that a larger block evaluates anew has another warm start than when it ended the step
// before: round-off, which decides whether two contacts at rest leave in one event or in two. The
// motion is the same well within the tolerance.
TEST(with_events_that_hang_on_round_off) {
  toss roomy, tight;
  open_toss(&roomy, CR_INT_TSIT5, true);
  open_toss(&tight, CR_INT_TSIT5, true);
  leave_room(&tight, 3);
  run(&roomy);
  run(&tight);
  assert_true(tight.r->d->nefc_max > 14);
  assert_close(tight.r->loss, roomy.r->loss, CR_R(1e-9));
  close_toss(&roomy);
  close_toss(&tight);
}
TEST(without_such_a_stage) { a_block_grows_inside_a_step(CR_INT_DOPRI8, false, 0); }
