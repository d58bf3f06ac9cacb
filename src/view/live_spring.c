// SPDX-License-Identifier: Apache-2.0
// The hand: a spring and a damper between a point of a body and a point in the world.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/live.h"

// rad/s; with a long time step less, so that the spring stays stable
enum { FREQUENCY = 30 };
static const cr_real MOST_PHASE = 0.3;  // rad a step

static const cr_real* row(const cr_live* l, const cr_data* d, const char* field, int i, int width) {
  return cr_data_numbers(l->m, d, field, NULL, NULL) + (ptrdiff_t)i * width;
}

static void cross(cr_real to[3], const cr_real a[3], const cr_real b[3]) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

// trace(J M^-1 J'), J the Jacobian of a point: work has 4 nv numbers
static cr_status mobility(cr_live* l, const cr_real point[3], int body, cr_real* work,
                          cr_real* trace) {
  int nv = cr_model_count(l->m, "nv");
  cr_real* x = work + 3 * (ptrdiff_t)nv;
  CR_TRY(cr_live_told(l, l->shown, cr_jac(l->m, l->shown, work, NULL, point, body)));
  *trace = 0;
  for (int axis = 0; axis < 3; axis++) {
    const cr_real* jac = work + (ptrdiff_t)axis * nv;
    CR_TRY(cr_live_told(l, l->shown, cr_solve_m(l->m, l->shown, x, jac)));
    for (int i = 0; i < nv; i++) {
      *trace += jac[i] * x[i];
    }
  }
  return CR_OK;
}

// stiffness k = m w^2, critical damping c = 2 m w
static cr_status tune(cr_live* l, const cr_real point[3], int body, cr_live_spring* s) {
  cr_real trace = 0, w = fmin(FREQUENCY, MOST_PHASE / cr_model_timestep(l->m));
  cr_real* work = calloc(4 * (size_t)cr_model_count(l->m, "nv") + 1, sizeof *work);
  if (work == NULL) {
    return cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  }
  cr_status status = mobility(l, point, body, work, &trace);
  free(work);
  CR_TRY(status);
  cr_real mass = trace > 0 ? 3 / trace : 0;  // a point that cannot move
  s->stiffness = mass * w * w;
  s->damping = 2 * mass * w;
  return CR_OK;
}

cr_status cr_live_grab(cr_live* l, int body, cr_real x, cr_real y, cr_real z) {
  if (body < 1 || body >= cr_model_count(l->m, "nbody")) {
    return cri_fail(&l->error, CR_ERR_ARG, "live: there is no body %d to pull", body);
  }
  cr_live_spring s = {.body = body, .target = {x, y, z}};
  CR_TRY(tune(l, s.target, body, &s));
  const cr_real *pos = row(l, l->shown, "xpos", body, 3), *turn = row(l, l->shown, "xmat", body, 9);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      s.at[k] += turn[3 * i + k] * (s.target[i] - pos[i]);
    }
  }
  l->spring = s;
  return CR_OK;
}

void cr_live_move(cr_live* l, cr_real x, cr_real y, cr_real z) {
  const cr_real target[3] = {x, y, z};
  memcpy(l->spring.target, target, sizeof target);
}

void cr_live_let_go(cr_live* l) { l->spring = (cr_live_spring){0}; }

// where the point is and how fast
static cr_status point_of(cr_live* l, cr_real at[3], cr_real velocity[3]) {
  const cr_live_spring* s = &l->spring;
  const cr_real *pos = row(l, l->d, "xpos", s->body, 3), *turn = row(l, l->d, "xmat", s->body, 9);
  cr_real v[6], arm[3], swing[3];
  CR_TRY(cr_live_told(l, l->d, cr_object_velocity(l->m, l->d, CR_FRAME_XBODY, s->body, v, false)));
  for (int k = 0; k < 3; k++) {
    arm[k] = turn[3 * k] * s->at[0] + turn[3 * k + 1] * s->at[1] + turn[3 * k + 2] * s->at[2];
    at[k] = pos[k] + arm[k];
  }
  cross(swing, v, arm);
  for (int k = 0; k < 3; k++) {
    velocity[k] = v[3 + k] + swing[k];
  }
  return CR_OK;
}

cr_status cr_live_pull(cr_live* l) {
  int rows, width;
  const cr_live_spring* s = &l->spring;
  cr_real* applied = cr_data_view(l->m, l->d, "xfrc_applied", &rows, &width);
  memset(applied, 0, (size_t)rows * (size_t)width * sizeof *applied);
  if (s->body == 0) {
    return CR_OK;
  }
  // poses and velocities of the present state; a step leaves those of another one
  CR_TRY(cr_live_told(l, l->d, cr_forward(l->m, l->d)));
  cr_real at[3], velocity[3], arm[3], *force = applied + 6 * (ptrdiff_t)s->body;
  CR_TRY(point_of(l, at, velocity));
  const cr_real* com = row(l, l->d, "xipos", s->body, 3);
  for (int k = 0; k < 3; k++) {
    force[k] = s->stiffness * (s->target[k] - at[k]) - s->damping * velocity[k];
    arm[k] = at[k] - com[k];
  }
  cross(force + 3, arm, force);
  return CR_OK;
}
