// SPDX-License-Identifier: Apache-2.0
#include "checks/io_solves.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/step.h"
#include "checks/wide_solve.h"
#include "engine/data_create.h"
#include "integrate/step.h"
#include "io/mujoco.h"
#include "io/open.h"
#include "model/model_check.h"
#include "parity/parity.h"
#include "tools/clock.h"

enum { BATCH = 20 };

const double SOLVES_BOUND = 1e-9;
static const double NEAR = 4;  // an estimate of what rounding does is not better than this

typedef struct {
  mjModel* plain;  // as in the file
  mjModel* mj;     // scaled
  mjData* state;
  cr_model m;
  cr_data* d;
  cr_random random;
  bool scaled;
} bench;

static double uniform(bench* b, double low, double high) {
  return low + (high - low) * (double)cr_random_uniform(&b->random);
}

static double normal(bench* b) { return (double)cr_random_normal(&b->random); }

static double decades(bench* b, double low, double high) { return pow(10, uniform(b, low, high)); }

// ---- the model

static void scale_parameters(bench* b) {
  mjModel* mj = b->mj;
  for (int i = 1; i < mj->nbody; i++) {
    double by = decades(b, -6, 6);
    mj->body_mass[i] *= by;
    for (int k = 0; k < 3; k++) {
      mj->body_inertia[3 * i + k] *= by;
    }
  }
  for (int i = 0; i < mj->nv; i++) {
    if (uniform(b, 0, 1) < 0.5) {
      mj->dof_damping[i] = decades(b, -7, 8);
    }
  }
}

static bool make(bench* b) {
  static const int integrators[] = {mjINT_EULER, mjINT_EULER, mjINT_IMPLICITFAST, mjINT_IMPLICIT,
                                    mjINT_DISCRETE};
  cri_data_free(b->d);
  cri_model_free(&b->m);
  b->d = NULL;
  mj_copyModel(b->mj, b->plain);
  b->mj->opt.integrator = integrators[(int)uniform(b, 0, 4.999)];
  if (uniform(b, 0, 1) < 0.3) {
    b->mj->opt.cone = 1 - b->mj->opt.cone;
  }
  if (b->scaled) {
    scale_parameters(b);
  }
  mj_setConst(b->mj, b->state);
  cr_error error = {0};
  return cri_model_from_mjmodel(&b->m, b->mj, &error) == CR_OK &&
         cri_model_check(&b->m, &error) == CR_OK &&
         cri_data_create(&b->d, &b->m, NULL, &error) == CR_OK;
}

// ---- the state

static void draw_joint(bench* b, int j, double spread) {
  const mjModel* mj = b->mj;
  mjtNum* q = b->state->qpos + mj->jnt_qposadr[j];
  bool limited = mj->jnt_limited[j] != 0;
  const mjtNum* range = mj->jnt_range + 2 * j;
  double size = mj->stat.extent > 0 ? mj->stat.extent : 1;
  switch (mj->jnt_type[j]) {
    case mjJNT_FREE:
      for (int k = 0; k < 3; k++) {
        q[k] += spread * 0.2 * size * normal(b);
      }
      q += 3;
      // fall through
    case mjJNT_BALL:
      for (int k = 0; k < 4; k++) {
        q[k] += spread * normal(b);
      }
      mju_normalize4(q);
      break;
    default:
      if (limited) {
        double middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2;
        *q = middle + half * uniform(b, -1, 1) * (1 + spread);
      } else {
        *q += spread * normal(b) * (mj->jnt_type[j] == mjJNT_HINGE ? 1 : 0.1 * size);
      }
  }
}

static void draw(bench* b) {
  const mjModel* mj = b->mj;
  mjData* s = b->state;
  int key = mj->nkey > 0 && uniform(b, 0, 1) < 0.3 ? (int)uniform(b, 0, (double)mj->nkey) : -1;
  if (key >= 0) {
    mj_resetDataKeyframe(mj, s, key);
  } else {
    mj_resetData(mj, s);
  }
  double spread = decades(b, -4, 0.5), speed = decades(b, -3, 3), push = decades(b, -2, 2);
  for (int j = 0; j < mj->njnt; j++) {
    draw_joint(b, j, spread);
  }
  for (int i = 0; i < mj->nv; i++) {
    s->qvel[i] = speed * normal(b);
    // a start from another problem, or none
    s->qacc_warmstart[i] = uniform(b, 0, 1) < 0.5 ? 0 : decades(b, -2, 8) * normal(b);
  }
  for (int i = 0; i < mj->nu; i++) {
    s->ctrl[i] = push * normal(b);
  }
  for (int i = 0; i < mj->na; i++) {
    s->act[i] = uniform(b, 0, 1);
  }
}

// ---- one step

static void describe(const bench* b, const cr_data* d, int state, const wide_report* w,
                     char* text) {
  (void)snprintf(text, SOLVES_SENTENCE,
                 "state %d%s, integrator %d: qacc off by %.1e (joint '%s'), J' f by %.1e, step by "
                 "%.1e (joint '%s'), rounding of forces %.1e and %.1e, inertia %.1e, said %.1e, %d "
                 "rows, residual %.1e",
                 state, b->scaled ? ", scaled" : "", b->m.integrator, w->acceleration,
                 cri_name(&b->m, b->m.name_jntadr, b->m.dof_jntid[w->dof]), w->force, w->step,
                 cri_name(&b->m, b->m.name_jntadr, b->m.dof_jntid[w->step_dof]), w->noise,
                 w->step_noise, w->inertia, (double)d->rounding, d->nefc,
                 (double)d->solver_residual);
}

// Right; or d->rounding says how far off; or the residual says that forces cancel, and it is as right as their rounding
// lets it be.
static bool is_reported(const cr_data* d, double off, double noise) {
  bool cancels = (double)d->solver_residual > SOLVES_BOUND && off <= NEAR * noise;
  return off <= SOLVES_BOUND || off <= NEAR * (double)d->rounding || cancels;
}

static void succeeded(bench* b, int state, solves_tally* t) {
  cr_data* d = b->d;
  t->stepped++;
  t->iterations =
      d->nefc > 0 && d->solver_iterations > t->iterations ? d->solver_iterations : t->iterations;
  wide_report w = wide_check(&b->m, d, false);
  t->unknown += !w.solved;
  if (d->nefc > 0) {
    t->residual = fmax(t->residual, (double)d->solver_residual);
  }
  t->inertia = fmax(t->inertia, b->scaled ? 0 : w.inertia);
  t->rounding = fmax(t->rounding, b->scaled ? 0 : (double)d->rounding);
  t->acceleration = fmax(t->acceleration, w.acceleration);
  t->force = fmax(t->force, w.force);
  t->step = fmax(t->step, w.step);
  double off = fmax(w.acceleration, w.step);
  bool silent = !is_reported(d, w.acceleration, w.noise) || !is_reported(d, w.step, w.step_noise);
  t->told += !silent && !(off <= SOLVES_BOUND);
  if (silent) {
    describe(b, d, state, &w, t->silent_at);
    if (getenv("SOLVES_ALL") != NULL) {
      (void)printf("  silent: %s\n", t->silent_at);
    }
  }
  t->silent += silent;
}

static void refused(bench* b, int state, cr_status status, solves_tally* t) {
  cr_data* d = b->d;
  t->refused[status]++;
  if (t->sentence[status][0] == 0 || getenv("SOLVES_ALL") != NULL) {
    (void)snprintf(t->sentence[status], SOLVES_SENTENCE, "state %d%s: %.300s", state,
                   b->scaled ? ", scaled" : "", d->error.text);
    if (getenv("SOLVES_ALL") != NULL) {
      (void)printf("  refused: %s\n", t->sentence[status]);
    }
  }
  if (status == CR_ERR_SOLVER) {
    wide_report w = wide_check(&b->m, d, true);
    t->unknown += !w.solved;
    if (w.solved && w.noise < SOLVES_BOUND / 10) {
      t->needless++;
      describe(b, d, state, &w, t->needless_at);
    }
  }
}

static cr_status step_guarded(bench* b) {
  cri_mujoco_state(&b->m, b->state, b->d);
  b->d->want_M = true;
  return cr_step(&b->m, b->d);
}

bool solves_run(const char* path, uint64_t seed, int states, double seconds, solves_tally* tally,
                char why[SOLVES_SENTENCE]) {
  bench b = {.random = cr_random_seed(seed, 77)};
  cr_load_report report = {0};
  cr_error error = {0};
  bool fine = cri_mjmodel_open(&b.plain, path, NULL, &report, &error) == CR_OK;
  if (fine && report.unsupported.n > 0) {
    (void)snprintf(error.text, sizeof error.text, "%s", report.unsupported.text[0]);
    fine = false;
  }
  cri_load_report_free(&report);
  if (fine && b.plain->nv == 0) {
    (void)snprintf(error.text, sizeof error.text, "nothing in it moves");
    fine = false;
  }
  why[0] = 0;
  if (fine) {
    b.mj = mj_copyModel(NULL, b.plain);
    b.state = mj_makeData(b.plain);
    double end = cri_microseconds() + 1e6 * seconds;
    for (int k = 0; k < states && cri_microseconds() < end; k++) {
      if (k % BATCH == 0) {
        b.scaled = k / BATCH % 2 == 1;
        b.random = cr_random_seed(seed + (uint64_t)(k / BATCH), 77);
        if (!make(&b)) {
          continue;
        }
      }
      if (b.d == NULL) {
        continue;
      }
      draw(&b);
      tally->states++;
      cr_status status = step_guarded(&b);
      status == CR_OK ? succeeded(&b, k, tally) : refused(&b, k, status, tally);
    }
  } else {
    (void)snprintf(why, SOLVES_SENTENCE, "%.300s", error.text);
  }
  cri_data_free(b.d);
  cri_model_free(&b.m);
  mj_deleteData(b.state);
  mj_deleteModel(b.mj);
  mj_deleteModel(b.plain);
  return fine;
}
