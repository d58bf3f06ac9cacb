// SPDX-License-Identifier: Apache-2.0
#include "parity/follow_mujoco.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "integrate/step.h"
#include "io/open.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "parity/check_model.h"
#include "parity/convex_parity.h"
#include "parity/parity.h"

enum { HOLD = 10 };  // steps from one control to the next

typedef struct {
  mjModel* mj;
  const cr_model* m;
  cr_random* random;
  mjData *reference, *twin;
  cr_data* d;
  double scale[3];  // largest coordinate, velocity, activation so far
} follow;

static cr_status make_data(void* context) {
  follow* f = context;
  f->reference = mj_makeData(f->mj);
  f->twin = mj_makeData(f->mj);
  if (f->mj->nkey > 0) {
    mj_resetDataKeyframe(f->mj, f->reference, 0);
  }
  return CR_OK;
}

static cr_status begin(follow* f, cr_error* error) {
  CR_TRY(cri_mujoco_guard(make_data, f, "MuJoCo's data", error));
  cri_mujoco_state(f->m, f->reference, f->d);
  mj_copyData(f->twin, f->mj, f->reference);
  for (int k = 0; k < 3; k++) {
    f->scale[k] = 1;
  }
  return CR_OK;
}

// the twin a rounding error away; not at the start, where joints are often exactly at their limits
static void nudge(follow* f) {
  const mjModel* mj = f->mj;
  mj_copyData(f->twin, mj, f->reference);
  for (int i = 0; i < mj->nv; i++) {
    f->twin->qvel[i] = 1e-15 * (double)cr_random_normal(f->random);
  }
  mj_integratePos(mj, f->twin->qpos, f->twin->qvel, 1);
  mju_copy(f->twin->qvel, f->reference->qvel, (int)mj->nv);
}

static void control(follow* f) {
  const mjModel* mj = f->mj;
  for (int i = 0; i < mj->nu; i++) {
    bool limited = mj->actuator_ctrllimited[i];
    double low = limited ? mj->actuator_ctrlrange[2 * i] : -1;
    double high = limited ? mj->actuator_ctrlrange[2 * i + 1] : 1;
    double u = (double)cr_random_range(f->random, (cr_real)low, (cr_real)high);
    f->reference->ctrl[i] = f->twin->ctrl[i] = u;
    f->d->ctrl[i] = (cr_real)u;
  }
}

static double largest(const mjtNum* x, mjtSize n) {
  double most = 0;
  for (mjtSize i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static double apart(const mjtNum* x, const mjtNum* y, mjtSize n, double scale) {
  double most = 0;
  for (mjtSize i = 0; i < n; i++) {
    double off = fabs(x[i] - y[i]);
    most = off <= most ? most : off;  // also one that is NaN
  }
  return most / scale;
}

static cr_follow_step compare(follow* f) {
  const mjModel* mj = f->mj;
  const mjData *r = f->reference, *t = f->twin;
  const cr_data* d = f->d;
  f->scale[0] = fmax(f->scale[0], largest(r->qpos, mj->nq));
  f->scale[1] = fmax(f->scale[1], largest(r->qvel, mj->nv));
  f->scale[2] = fmax(f->scale[2], largest(r->act, mj->na));
  cr_follow_step s = {.ncon = r->ncon, .nefc = r->nefc};
  s.carom = fmax(apart(d->qpos, r->qpos, mj->nq, f->scale[0]),
                 fmax(apart(d->qvel, r->qvel, mj->nv, f->scale[1]),
                      apart(d->act, r->act, mj->na, f->scale[2])));
  s.twin = fmax(apart(t->qpos, r->qpos, mj->nq, f->scale[0]),
                fmax(apart(t->qvel, r->qvel, mj->nv, f->scale[1]),
                     apart(t->act, r->act, mj->na, f->scale[2])));
  return s;
}

static cr_status step_both(void* context) {
  follow* f = context;
  mj_step(f->mj, f->reference);
  mj_step(f->mj, f->twin);
  return CR_OK;
}

static cr_status run(follow* f, int nstep, cr_follow_step* steps, int* done, cr_error* error) {
  for (*done = 0; *done < nstep; ++*done) {
    if (*done % HOLD == 0) {
      control(f);
    }
    if (*done == HOLD) {
      nudge(f);
    }
    CR_TRY(cri_mujoco_guard(step_both, f, "MuJoCo's step", error));
    if (f->reference->warning[mjWARN_BADQACC].number > 0 ||
        f->reference->warning[mjWARN_BADQVEL].number > 0 ||
        f->reference->warning[mjWARN_BADQPOS].number > 0) {
      return CR_OK;
    }
    cr_status status = cr_step(f->m, f->d);
    if (status != CR_OK) {
      return cri_fail(error, status, "step %d: %s", *done, f->d->error.text);
    }
    cr_advance(f->m, f->d);
    steps[*done] = compare(f);
  }
  return CR_OK;
}

cr_status cri_follow(mjModel* mj, const cr_model* m, int nstep, cr_random* random,
                     cr_follow_step* steps, int* done, cr_error* error) {
  follow f = {.mj = mj, .m = m, .random = random};
  cr_capacity room = cri_capacity_default(m);
  room = (cr_capacity){2 * room.ncon, 2 * room.nefc, 2 * room.nJ};
  *done = 0;
  CR_TRY(cri_data_create(&f.d, m, &room, error));
  cri_parity_options(mj);
  cri_convex_parity_use(cri_convex_parity_applies(m) ? m : NULL, NULL, NULL);
  cr_status status = begin(&f, error);
  status = status != CR_OK ? status : run(&f, nstep, steps, done, error);
  cri_convex_parity_use(NULL, NULL, NULL);
  mj_deleteData(f.reference);
  mj_deleteData(f.twin);
  cri_data_free(f.d);
  return status;
}

// ---- public functions

typedef struct {
  mjModel* mj;
  cr_model m;
  cr_follow_step* steps;
} pair;

static cr_status open_pair(pair* p, const char* path, const cr_urdf_options* urdf,
                           cr_error* error) {
  cr_load_report report = {0};
  if (cri_model_file_is(path)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: a Carom model file, which MuJoCo cannot read", path);
  }
  cr_status status = cri_mjmodel_open(&p->mj, path, urdf, &report, error);
  if (status == CR_OK && report.unsupported.n > 0) {
    status = cri_fail(error, CR_ERR_UNSUPPORTED, "%s: %s", path, report.unsupported.text[0]);
  }
  cri_load_report_free(&report);
  CR_TRY(status);
  CR_TRY(cri_model_from_mjmodel(&p->m, p->mj, error));
  cr_error inner = {0};
  status = cri_model_check(&p->m, &inner);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
}

static void give_steps(const pair* p, int done, double* carom, double* twin, int* ncon, int* nefc) {
  for (int k = 0; k < done; k++) {
    const cr_follow_step* s = &p->steps[k];
    if (carom != NULL) {
      carom[k] = s->carom;
    }
    if (twin != NULL) {
      twin[k] = s->twin;
    }
    if (ncon != NULL) {
      ncon[k] = s->ncon;
    }
    if (nefc != NULL) {
      nefc[k] = s->nefc;
    }
  }
}

static cr_status follow_pair(pair* p, const char* path, const cr_check_options* options, int nstep,
                             int* done, cr_error* error) {
  CR_TRY(open_pair(p, path, options != NULL ? options->urdf : NULL, error));
  p->steps = calloc((size_t)nstep, sizeof *p->steps);
  if (p->steps == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "follow: no memory");
  }
  cr_random random = cr_random_seed(options != NULL ? (uint64_t)options->seed : 0, 1);
  return cri_follow(p->mj, &p->m, nstep, &random, p->steps, done, error);
}

cr_status cr_follow(const char* path, const cr_check_options* options, int nstep, double* carom,
                    double* twin, int* ncon, int* nefc, int* done, cr_error* error) {
  const cri_call call = {"cr_follow", error};
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_given(&call, done, "done"));
  CR_TRY(cri_check_options(&call, options));
  if (nstep < 1 || nstep > 100000000) {
    return cri_fail(error, CR_ERR_ARG, "cr_follow: 1 to 1e8 steps expected");
  }
  pair p = {.mj = NULL};
  cr_status status = follow_pair(&p, path, options, nstep, done, error);
  if (status == CR_OK) {
    give_steps(&p, *done, carom, twin, ncon, nefc);
  }
  free(p.steps);
  cri_model_free(&p.m);
  mj_deleteModel(p.mj);
  return status;
}
