// SPDX-License-Identifier: Apache-2.0
#include "checks/io_user_ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

enum { NV = USER_NV, NU = USER_NU, STEPS = USER_STEPS, NPAR = USER_PARAMETERS, ROOM = 32 };

cr_error user_error;

void user_must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", user_error.text);
  }
}

// a against factor times b; the largest share by which a number is off
static double off_by(const double* a, const double* b, int n, double factor, double bound,
                     const char* what) {
  double most = 0, off = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(b[i] * factor));
    off = fmax(off, fabs(a[i] - b[i] * factor));
  }
  if (!(off <= bound * most) || most == 0) {
    fail_msg("%s: off by %g of %g", what, off, most);
  }
  return off / most;
}

void user_compare(const double* a, const double* b, int n, double bound, const char* what) {
  (void)off_by(a, b, n, 1, bound, what);
}

void user_copy(double* to, const cr_model* m, cr_data* d, const char* field, int n) {
  int rows, width;
  const double* x = cr_data_view(m, d, field, &rows, &width);
  assert_int_equal(rows * width, n);
  memcpy(to, x, (size_t)n * sizeof *to);
}

void user_set_state(const user_case* u, const cr_model* m, cr_data* d) {
  memcpy(cr_data_view(m, d, "qpos", NULL, NULL), u->qpos, sizeof u->qpos);
  memcpy(cr_data_view(m, d, "qvel", NULL, NULL), u->qvel, sizeof u->qvel);
}

void user_close(cr_model* m[2]) {
  cr_model_destroy(m[0]);
  cr_model_destroy(m[1]);
}

// ---- rollouts

typedef struct {
  double loss, q[NV], qpos[NV], qvel[NV], ctrl[STEPS * NU], by[NPAR][ROOM];
  int n[NPAR];
} result;

static int count_parameters(const user_case* u) {
  int n = 0;
  while (n < NPAR && u->parameters[n] != NULL) {
    n++;
  }
  return n;
}

static void set_methods(cr_rollout* r, const cr_model* m, const user_way* w) {
  const cr_adaptive adaptive = {
      .size = sizeof adaptive, .rtol = w->adaptive, .atol = w->adaptive, .events = w->events};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = 1e-9, .atol = 1e-9};
  if (w->adaptive > 0) {
    user_must(cr_rollout_set_adaptive(r, m, &adaptive, &user_error));
  }
  if (w->adjoint) {
    user_must(cr_rollout_set_adjoint(r, m, &adjoint, &user_error));
  }
  if (w->limited) {
    user_must(cr_rollout_set_memory(r, m, 8192, &user_error));
  }
}

static const struct {
  const char* name;
  double value;
} far[] = {{"cfd_dc", 0.01}, {"cfd_d0", 0.5}, {"cfd_wc", 0.05},
           {"cfd_mc", 0.5},  {"cfd_pc", 2},   {"cfd_scale", 0.01}};

// the model whose derivatives a gradient takes
static cr_model* open_backward(const cr_model* m, bool cfd) {
  cr_model* backward;
  user_must(cr_model_copy(&backward, m, &user_error));
  for (int i = 0; i < 6; i++) {
    user_must(cr_model_set_option(backward, far[i].name, far[i].value, &user_error));
  }
  user_must(cr_model_set_choice(backward, "cfd", cfd ? "on" : "off", &user_error));
  return backward;
}

static cr_expression* open_loss(const cr_model* m) {
  cr_expression* e;
  user_must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &user_error));
  return e;
}

static void read_result(const user_case* u, const cr_model* m, cr_rollout* r, result* out) {
  cr_data* bar = cr_rollout_bar(r);
  memset(out, 0, sizeof *out);
  out->loss = cr_rollout_loss(r);
  user_copy(out->q, m, cr_rollout_data(r), "qpos", NV);
  user_copy(out->qpos, m, bar, "qpos", NV);
  user_copy(out->qvel, m, bar, "qvel", NV);
  for (int k = 0; k < count_parameters(u); k++) {
    int rows, width;
    (void)cr_data_view(m, bar, u->parameters[k], &rows, &width);
    out->n[k] = rows * width;
    assert_true(out->n[k] > 0 && out->n[k] <= ROOM);
    user_copy(out->by[k], m, bar, u->parameters[k], out->n[k]);
  }
  memcpy(out->ctrl, cr_rollout_ctrl_bar(r), sizeof out->ctrl);
}

static void roll(const user_case* u, const cr_model* m, const user_way* w, result* out) {
  cr_rollout* r;
  cr_model* backward = open_backward(m, w->cfd);
  cr_expression* e = open_loss(m);
  cr_loss loss = cr_expression_loss(e, false);
  user_must(cr_rollout_create(&r, m, STEPS, u->parameters, count_parameters(u), &user_error));
  set_methods(r, m, w);
  user_set_state(u, m, cr_rollout_data(r));
  for (int i = 0; i < STEPS * NU; i++) {
    cr_rollout_ctrl(r)[i] = 0.3 * sin(0.2 * i);
  }
  user_must(cr_rollout_run(r, m, STEPS, &loss, &user_error));
  user_must(cr_rollout_gradient(r, m, w->cfd ? backward : m, &loss, &user_error));
  read_result(u, m, r, out);
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  cr_model_destroy(backward);
}

// the largest share by which a number is off
static double compare_results(const user_case* u, const result x[2], const user_way* w,
                              const char* what) {
  double worst = off_by(&x[0].loss, &x[1].loss, 1, 1, w->bound, what);
  worst = fmax(worst, off_by(x[0].q, x[1].q, NV, 1, w->bound, what));
  worst = fmax(worst, off_by(x[0].qpos, x[1].qpos, NV, 1, w->bound, what));
  worst = fmax(worst, off_by(x[0].qvel, x[1].qvel, NV, 1, w->bound, what));
  worst = fmax(worst, off_by(x[0].ctrl, x[1].ctrl, STEPS * NU, 1, w->bound, what));
  for (int k = 0; k < count_parameters(u); k++) {
    if (!w->flight || !u->of_contacts[k]) {
      double off = off_by(x[0].by[k], x[1].by[k], x[0].n[k], u->factor[k], w->bound, what);
      worst = fmax(worst, off);
    }
  }
  return worst;
}

const user_way user_stage_ways[USER_STAGE_WAYS] = {
    {.integrator = "euler", .bound = 1e-11},
    {.integrator = "euler", .limited = true, .bound = 1e-11},
    {.integrator = "euler", .cfd = true, .height = 0.16, .bound = 1e-11},
    {.integrator = "implicit", .bound = 1e-11},
    {.integrator = "implicitfast", .bound = 1e-11},
    {.integrator = "implicitfast", .cfd = true, .limited = true, .bound = 1e-11},
    {.integrator = "rk4", .bound = 1e-11},
    {.integrator = "tsit5", .bound = 1e-11},
    {.integrator = "tsit5", .adaptive = 1e-7, .height = 1, .flight = true, .bound = 1e-9},
    {.integrator = "tsit5", .adaptive = 1e-7, .events = true, .height = 0.2, .bound = 1e-5},
    {.integrator = "dopri5",
     .adaptive = 1e-7,
     .adjoint = true,
     .height = 1,
     .flight = true,
     .bound = 1e-9},
};
const char* const user_integrators[USER_INTEGRATORS] = {"euler", "implicit", "implicitfast", "rk4",
                                                        "tsit5"};

void user_rollouts_agree(const user_case* u, const user_way* ways, int n) {
  for (int i = 0; i < n; i++) {
    const user_way* w = &ways[i];
    cr_model* m[2];
    result x[2];
    char what[64];
    (void)snprintf(what, sizeof what, "way %d, %s", i, w->integrator);
    u->open(m, w->integrator, w->height > 0 ? w->height : u->height);
    roll(u, m[0], w, &x[0]);
    roll(u, m[1], w, &x[1]);
    print_message("%s: %.1e\n", what, compare_results(u, x, w, what));
    user_close(m);
  }
}

// fewer stored states change no bit, nor does a copy of a model that is closed
void user_checkpoints_and_copies_change_no_bit(const user_case* u) {
  cr_model *m[2], *copy;
  result x[3];
  user_way w = {.integrator = "euler"};
  u->open(m, w.integrator, u->height);
  roll(u, m[0], &w, &x[0]);
  w.limited = true;
  roll(u, m[0], &w, &x[1]);
  user_must(cr_model_copy(&copy, m[0], &user_error));
  user_close(m);
  w.limited = false;
  roll(u, copy, &w, &x[2]);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  assert_memory_equal(&x[0], &x[2], sizeof x[0]);
  cr_model_destroy(copy);
}

void user_recordings_agree(const user_case* u) {
  static const char* const names[] = {"contact[floor:box].dist"};
  cr_model* m[2];
  double force[2], dist[2];
  u->open(m, "euler", u->height);
  for (int i = 0; i < 2; i++) {
    cr_rollout* r;
    user_must(cr_rollout_create(&r, m[i], STEPS, NULL, 0, &user_error));
    user_set_state(u, m[i], cr_rollout_data(r));
    user_must(cr_rollout_run(r, m[i], STEPS, NULL, &user_error));
    user_must(cr_rollout_save(r, m[i], scratch_path("run.h5"), names, 1, &user_error));
    user_must(cr_rollout_forward(r, m[i], STEPS, &user_error));
    force[i] = cr_data_view(m[i], cr_rollout_data(r), "efc_force", NULL, NULL)[0];
    dist[i] = cr_data_view(m[i], cr_rollout_data(r), "contact_dist", NULL, NULL)[0];
    assert_true(scratch_has("run.h5"));
    cr_rollout_destroy(r);
  }
  user_compare(&force[0], &force[1], 1, 1e-10, "force");
  user_compare(&dist[0], &dist[1], 1, 1e-10, "distance");
  user_close(m);
}

// ---- one step

typedef struct {
  double A[4 * NV * NV], B[2 * NV * NU], F[2 * NV * NV], P[2 * NV * (NV + 3)];
  bool fast;
} jacobians;

static void find_jacobians(const user_case* u, const cr_model* m, bool added, jacobians* x) {
  static const char* const parameters[] = {"dof_damping", "body_mass"};
  cr_data* d;
  cr_jacobian* J;
  cr_parameter_jacobian* by;
  user_must(cr_data_create(&d, m, &user_error));
  user_must(cr_jacobian_create(&J, m, d, &user_error));
  user_must(cr_parameter_jacobian_create(&by, m, d, parameters, 2, false, &user_error));
  user_set_state(u, m, d);
  assert_int_equal(cr_step(m, d), CR_OK);
  assert_int_equal(cr_step_jacobian(m, d, J, x->A, x->B, x->F), CR_OK);
  assert_int_equal(cr_step_parameter_jacobian(m, d, by, x->P), CR_OK);
  const char* why = cr_jacobian_fallback(J);
  x->fast = why == NULL;
  if (added && u->fallback != NULL) {
    assert_non_null(why);
    assert_non_null(strstr(why, u->fallback));
  }
  cr_parameter_jacobian_destroy(by);
  cr_jacobian_destroy(J);
  cr_data_destroy(d);
}

void user_jacobians_agree(const user_case* u, const char* const* integrators, int n, double bound) {
  for (int i = 0; i < n; i++) {
    cr_model* m[2];
    jacobians x[2];
    u->open(m, integrators[i], u->height);
    find_jacobians(u, m[0], true, &x[0]);
    find_jacobians(u, m[1], false, &x[1]);
    assert_true(u->fallback != NULL || x[0].fast == x[1].fast);
    user_compare(x[0].A, x[1].A, 4 * NV * NV, bound, integrators[i]);
    user_compare(x[0].B, x[1].B, 2 * NV * NU, bound, integrators[i]);
    user_compare(x[0].F, x[1].F, 2 * NV * NV, bound, integrators[i]);
    user_compare(x[0].P, x[1].P, 2 * NV * (NV + 3), bound, integrators[i]);
    user_close(m);
  }
}

void user_inverse_dynamics_agree(const user_case* u) {
  cr_model* m[2];
  double force[2][NV], by_q[2][NV], by_v[2][NV], by_a[2][NV];
  u->open(m, "euler", u->height);
  for (int k = 0; k < 2; k++) {
    cr_data *d, *bar;
    user_must(cr_data_create(&d, m[k], &user_error));
    user_must(cr_data_create_cotangent(&bar, m[k], d, &user_error));
    user_set_state(u, m[k], d);
    for (int i = 0; i < NV; i++) {
      cr_data_view(m[k], d, "qacc", NULL, NULL)[i] = 1 + i;
      cr_data_view(m[k], bar, "qfrc_inverse", NULL, NULL)[i] = 2 - i;
    }
    assert_int_equal(cr_inverse(m[k], d), CR_OK);
    assert_int_equal(cr_inverse_vjp(m[k], d, bar), CR_OK);
    user_copy(force[k], m[k], d, "qfrc_inverse", NV);
    user_copy(by_q[k], m[k], bar, "qpos", NV);
    user_copy(by_v[k], m[k], bar, "qvel", NV);
    user_copy(by_a[k], m[k], bar, "qacc", NV);
    cr_data_destroy(bar);
    cr_data_destroy(d);
  }
  user_compare(force[0], force[1], NV, 1e-12, "inverse");
  user_compare(by_q[0], by_q[1], NV, 1e-12, "inverse by qpos");
  user_compare(by_v[0], by_v[1], NV, 1e-12, "inverse by qvel");
  user_compare(by_a[0], by_a[1], NV, 1e-12, "inverse by qacc");
  user_close(m);
}

// ---- batches

enum { ITEMS = 6, WORKERS = 4 };

static cr_loss loss_of(void* context, int item, int worker) {
  (void)item;
  return ((cr_loss*)context)[worker];
}

static void run_batch(const cr_model* m, int threads, double* ctrl_bar) {
  static const char* const parameters[] = {"dof_damping"};
  double qvel[ITEMS * NV], damping[ITEMS * NV];
  const double* values[] = {damping};
  cr_loss losses[WORKERS];
  cr_expression* e[WORKERS];
  cr_batch* batch;
  const cr_batch_options options = {.size = sizeof options,
                                    .nstep = STEPS,
                                    .nthread = threads,
                                    .parameters = parameters,
                                    .nparameter = 1};
  for (int i = 0; i < ITEMS * NV; i++) {
    qvel[i] = sin(i);
    damping[i] = 0.1 + 0.02 * i;
  }
  const cr_batch_input in = {.size = sizeof in, .qvel = qvel, .parameters = values};
  const cr_batch_output out = {.size = sizeof out, .ctrl_bar = ctrl_bar};
  for (int i = 0; i < WORKERS; i++) {
    e[i] = open_loss(m);
    losses[i] = cr_expression_loss(e[i], false);
  }
  user_must(cr_batch_create(&batch, m, m, &options, &user_error));
  user_must(cr_batch_run(batch, ITEMS, &in, loss_of, losses, &out, &user_error));
  cr_batch_destroy(batch);
  for (int i = 0; i < WORKERS; i++) {
    cr_expression_destroy(e[i]);
  }
}

void user_batches_agree(const user_case* u) {
  cr_model* m[2];
  static double bar[3][ITEMS * STEPS * NU];
  u->open(m, "implicitfast", u->height);
  run_batch(m[0], 1, bar[0]);
  run_batch(m[0], 3, bar[1]);
  run_batch(m[1], 2, bar[2]);
  assert_memory_equal(bar[0], bar[1], sizeof bar[0]);
  user_compare(bar[0], bar[2], ITEMS * STEPS * NU, 1e-10, "batch");
  user_close(m);
}
