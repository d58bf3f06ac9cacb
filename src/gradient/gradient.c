// SPDX-License-Identifier: Apache-2.0
// Gradients by name. carom/gradient.h documents the public functions.
#include "gradient/gradient.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/step.h"
#include "engine/constants.h"
#include "gradient/trust.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "math/quat.h"
#include "model/model_check.h"
#include "rollout/one_sided.h"

// ---- the names

static cr_status add(cr_gradient* g, const char* name, bool* wanted, cr_error* error) {
  cri_gradient_name* q = &g->requests[g->nrequest++];
  q->name = strdup(name);
  if (q->name == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory");
  }
  CR_TRY(cri_named_find(&q->named, g->m, g->nstep, q->name, wanted, error));
  q->n = cri_named_size(&q->named, g->m);
  q->gradient = calloc((size_t)q->n + 1, sizeof(cr_real));
  return q->gradient != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "gradient: no memory for %d numbers", q->n);
}

static cr_status fill(cr_gradient* g, const char* const* names, int n, const cri_call* call) {
  bool wanted[CR_N_FIELD] = {false};
  g->requests = calloc((size_t)n + 1, sizeof *g->requests);
  if (g->requests == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "gradient: no memory for %d names", n);
  }
  for (int i = 0; i < n; i++) {
    CR_TRY(cri_given(call, names[i], "a name"));
    CR_TRY(add(g, names[i], wanted, call->error));
  }
  for (int k = 0; k < CR_N_DERIVED && g->derive; k++) {
    wanted[cri_derived_fields[k]] = true;
  }
  return cri_rollout_create(&g->rollout, g->m, g->nstep, wanted, call->error);
}

cr_status cr_gradient_create(cr_gradient** out, cr_model* m, int nstep, const char* const* names,
                             int n, const cr_gradient_options* options, cr_error* error) {
  const cri_call call = {"cr_gradient_create", error};
  CR_TRY(cri_given(&call, out, "where the gradient goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, names, "the names"));
  CR_TRY(options == NULL
             ? CR_OK
             : cri_check_size(&call, options->size, sizeof *options, "cr_gradient_options"));
  if (n < 1) {
    return cri_fail(error, CR_ERR_ARG, "cr_gradient_create: no names");
  }
  cr_gradient* g = calloc(1, sizeof *g);
  if (g == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "gradient: no memory");
  }
  g->m = m;
  g->backward = options != NULL && options->backward != NULL ? options->backward : m;
  g->derive = options != NULL && options->derive;
  g->nstep = nstep;
  cr_status status = fill(g, names, n, &call);
  if (status != CR_OK) {
    cr_gradient_destroy(g);
    return status;
  }
  *out = g;
  return CR_OK;
}

void cr_gradient_destroy(cr_gradient* g) {
  if (g == NULL) {
    return;
  }
  for (int i = 0; i < g->nrequest; i++) {
    free(g->requests[i].name);
    free(g->requests[i].gradient);
  }
  free(g->requests);
  cri_start_free(&g->start);
  cr_rollout_destroy(g->rollout);
  free(g);
}

cr_rollout* cr_gradient_rollout(cr_gradient* g) { return g != NULL ? g->rollout : NULL; }

static const cri_gradient_name* find(const cr_gradient* g, int i) {
  return g != NULL && i >= 0 && i < g->nrequest ? &g->requests[i] : NULL;
}

int cr_gradient_count(const cr_gradient* g, int i) {
  const cri_gradient_name* q = find(g, i);
  return q != NULL ? q->n : 0;
}

const cr_real* cr_gradient_get(const cr_gradient* g, int i) {
  const cri_gradient_name* q = find(g, i);
  return q != NULL ? q->gradient : NULL;
}

// ---- the gradient

static cr_status check_ran(const cri_call* call, const cr_gradient* g) {
  CR_TRY(cri_given(call, g, "the gradient"));
  CR_TRY(cri_rollout_check(call, g->rollout, g->m));
  bool ran = g->rollout->ran && g->rollout->nstep == g->nstep;
  return ran ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: needs a run of all %d steps to its end",
                        call->name, g->nstep);
}

int cri_gradient_size(const cr_gradient* g) {
  int n = 0;
  for (int i = 0; i < g->nrequest; i++) {
    n += g->requests[i].n;
  }
  return n;
}

// the result of the backward pass, with the part of derived constants; `to` NULL: where each name has its own
static cr_status read_all(cr_gradient* g, cr_rollout* r, cr_real* to, cr_error* error) {
  if (g->derive) {
    CR_TRY(cr_constants_vjp(g->m, r->work, r->bar));
  }
  for (int i = 0; i < g->nrequest; i++) {
    const cri_gradient_name* q = &g->requests[i];
    CR_TRY(cri_named_read(&q->named, g->m, r, to != NULL ? to : q->gradient, error));
    to = to != NULL ? to + q->n : NULL;
  }
  return CR_OK;
}

cr_status cr_gradient_compute(cr_gradient* g, const cr_loss* loss, cr_error* error) {
  const cri_call call = {"cr_gradient_compute", error};
  CR_TRY(check_ran(&call, g));
  CR_TRY(cri_given(&call, loss, "the loss"));
  g->computed = g->kept = false;
  CR_TRY(cr_rollout_gradient(g->rollout, g->m, g->backward, loss, error));
  CR_TRY(read_all(g, g->rollout, NULL, error));
  g->loss = *loss;
  g->computed = true;
  return CR_OK;
}

// ---- scale, differences, two slopes

static cr_status keep_start(cr_gradient* g, cr_error* error) {
  if (!g->kept) {
    cri_start_free(&g->start);
    CR_TRY(cri_start_keep(&g->start, g->m, g->rollout, error));
    g->kept = true;
  }
  return CR_OK;
}

static cr_status check_computed(const cri_call* call, const cr_gradient* g) {
  CR_TRY(cri_given(call, g, "the gradient"));
  return g->computed ? CR_OK
                     : cri_fail(call->error, CR_ERR_ARG, "%s: needs cr_gradient_compute before",
                                call->name);
}

static bool is_parameter(const cri_gradient_name* q) {
  return cri_field(q->named.place.field)->kind == CR_KIND_PARAM;
}

bool cri_gradient_moves_model(const cr_gradient* g) {
  for (int i = 0; i < g->nrequest; i++) {
    if (is_parameter(&g->requests[i])) {
      return true;
    }
  }
  return false;
}

// a change of one of a state, control or rotation counts as one; a parameter counts when it has doubled
static cr_real scale_of(const cr_gradient* g, const cri_gradient_name* q, int k) {
  cr_real x = cr_abs(cri_named_value(&q->named, g->m, g->rollout, k));
  return is_parameter(q) ? (x > 0 ? x : 1) : cr_max(x, 1);
}

cr_status cr_gradient_scale(cr_gradient* g, int i, cr_real* scale, cr_error* error) {
  const cri_call call = {"cr_gradient_scale", error};
  CR_TRY(cri_given(&call, scale, "the scale"));
  CR_TRY(g != NULL && g->kept ? CR_OK : check_ran(&call, g));
  const cri_gradient_name* q = find(g, i);
  if (q == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_gradient_scale: there is no name %d", i);
  }
  if (g->kept) {
    cri_start_put(&g->start, g->m, g->rollout);
  } else {
    CR_TRY(cri_rollout_restore(g->rollout, g->m, 0, error));
  }
  for (int k = 0; k < q->n; k++) {
    scale[k] = scale_of(g, q, k);
  }
  return CR_OK;
}

static cr_status moved_loss(cr_gradient* g, const cri_gradient_name* q, int k, cr_real h,
                            cr_real* loss, cr_error* error) {
  cr_rollout* r = g->rollout;
  cri_start_put(&g->start, g->m, r);
  cri_named_move(&q->named, g->m, r, k, h);
  if (g->derive) {
    CR_TRY(cr_constants(g->m, r->work));
  }
  CR_TRY(cr_rollout_run(r, g->m, g->nstep, &g->loss, error));
  *loss = r->loss;
  return CR_OK;
}

static cr_status differences(cr_gradient* g, const cri_gradient_name* q, cr_real h, cr_real* values,
                             cr_error* error) {
  for (int k = 0; k < q->n; k++) {
    cr_real plus, minus;
    CR_TRY(moved_loss(g, q, k, h, &plus, error));
    CR_TRY(moved_loss(g, q, k, -h, &minus, error));
    values[k] = (plus - minus) / (2 * h);
  }
  return CR_OK;
}

cr_status cr_gradient_differences(cr_gradient* g, int i, cr_real h, cr_real* values,
                                  cr_error* error) {
  const cri_call call = {"cr_gradient_differences", error};
  CR_TRY(check_computed(&call, g));
  CR_TRY(cri_given(&call, values, "values"));
  const cri_gradient_name* q = find(g, i);
  if (q == NULL || !(h > 0)) {
    return cri_fail(error, CR_ERR_ARG, "cr_gradient_differences: name %d, h = %g", i, (double)h);
  }
  CR_TRY(keep_start(g, error));
  cr_status status = differences(g, q, h, values, error);
  cri_start_put(&g->start, g->m, g->rollout);
  g->rollout->ran = false;  // the last run was a moved one
  return status;
}

cr_status cr_gradient_two_slopes(cr_gradient* g, int i, char* text, int size, int* n,
                                 cr_error* error) {
  enum { MOST = 64 };
  const cri_call call = {"cr_gradient_two_slopes", error};
  CR_TRY(cri_given(&call, n, "n"));
  CR_TRY(check_ran(&call, g));
  bool asked[CR_N_FIELD] = {false};
  cri_one_sided list[MOST];
  for (int k = 0; k < g->nrequest; k++) {
    asked[g->requests[k].named.place.field] = true;
  }
  cr_data* d = g->rollout->d;
  CR_TRY(cri_rollout_restore(g->rollout, g->m, 0, error));
  cr_status status = cr_forward(g->m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "dynamics at the start: %s", d->error.text);
  }
  *n = cri_one_sided_find(g->m, d, asked, list, MOST);
  if (text != NULL && size > 0) {
    (void)snprintf(text, (size_t)size, "%s", i >= 0 && i < *n && i < MOST ? list[i].text : "");
  }
  return CR_OK;
}

// ---- all numbers moved at once, orientations by whole vectors

static bool is_qpos(const cri_gradient_name* q) { return q->named.place.field == CR_FIELD_qpos; }

static bool is_turned(const cri_gradient_name* q) {
  return cri_field(q->named.place.field)->tangent == CR_TANGENT_QUAT;
}

// the part of a step that moves qpos: nv numbers; false if there is none
static bool step_of_qpos(const cr_gradient* g, const cr_real* step, cr_real* dq) {
  bool moves = false;
  cr_zero(dq, g->m->nv);
  for (int i = 0; i < g->nrequest; step += g->requests[i++].n) {
    const cri_gradient_name* q = &g->requests[i];
    moves = moves || is_qpos(q);
    for (int k = 0; k < q->n && is_qpos(q); k++) {
      dq[q->named.place.tan_first + k] += step[k];
    }
  }
  return moves;
}

static void move_all(cr_gradient* g, cr_rollout* r, const cr_real* step) {
  size_t mark = cri_mark(r->d);
  cr_real* dq = cri_push(r->d, (size_t)g->m->nv);
  if (step_of_qpos(g, step, dq)) {
    cri_configuration_move(g->m, r->d->qpos, dq, 1, r->d->qpos);
  }
  cri_pop(r->d, mark);
  for (int i = 0; i < g->nrequest; step += g->requests[i++].n) {
    const cri_gradient_name* q = &g->requests[i];
    cr_real* quat = is_turned(q) ? cri_field_real(g->m, r->d, q->named.place.field) : NULL;
    for (int k = 0; k < q->n && !is_qpos(q); k += quat != NULL ? 3 : 1) {
      if (quat != NULL) {
        cr_quat_integrate(quat + 4 * ((q->named.place.tan_first + k) / 3), step + k, 1);
      } else {
        cri_named_move(&q->named, g->m, r, k, step[k]);
      }
    }
  }
}

// g = Jr(w)' g: from the tangent at the end of a turn by w to w itself
static void pull_turn(const cr_real* w, cr_real* g) {
  cr_real J[9], x[3] = {g[0], g[1], g[2]};
  cr_so3_jr(J, w);
  for (int i = 0; i < 3; i++) {
    g[i] = J[i] * x[0] + J[3 + i] * x[1] + J[6 + i] * x[2];
  }
}

cr_status cri_gradient_read_moved(cr_gradient* g, const cr_real* step, cr_real* gradient,
                                  cr_error* error) {
  cr_rollout* r = g->rollout;
  const cr_model* m = g->m;
  size_t mark = cri_mark(r->d);
  cr_real* dq = cri_push(r->d, (size_t)m->nv);
  bool moves = step_of_qpos(g, step, dq);
  for (int j = 0; j < m->njnt && moves; j++) {
    cri_joint_space s = cri_joint_space_of(m, j);
    if (s.rotates) {
      pull_turn(dq + s.v + s.nflat, r->bar->qpos + s.v + s.nflat);
    }
  }
  cri_pop(r->d, mark);
  CR_TRY(read_all(g, r, gradient, error));
  for (int i = 0; i < g->nrequest; i++) {
    const cri_gradient_name* q = &g->requests[i];
    for (int k = 0; k < q->n && is_turned(q) && !is_qpos(q); k += 3) {
      pull_turn(step + k, gradient + k);
    }
    step += q->n;
    gradient += q->n;
  }
  return CR_OK;
}

// ---- trust

static cr_status put_start(cr_gradient* g, cr_rollout* r, const cri_start* start,
                           const cr_real* step, cr_error* error) {
  if (cri_gradient_moves_model(g)) {
    cri_start_put(start, g->m, r);
  } else {
    cri_start_put_state(start, g->m, r);
  }
  if (step != NULL) {
    move_all(g, r, step);
  }
  cr_status status = step != NULL && g->derive ? cr_constants(g->m, r->work) : CR_OK;
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "derived constants: %s", r->work->error.text);
}

cr_status cri_gradient_put(cr_gradient* g, const cri_start* start, const cr_real* step,
                           cr_error* error) {
  return put_start(g, g->rollout, start, step, error);
}

static cr_status start_moved(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  cr_gradient* g = context;
  return put_start(g, r, &g->start, step, error);
}

static cr_status read_gradient(void* context, cr_rollout* r, cr_real* gradient, cr_error* error) {
  return read_all(context, r, gradient, error);
}

// parameters at zero that the model does not allow below
static void set_bounds(cr_gradient* g, bool* only_up) {
  for (int i = 0; i < g->nrequest; i++) {
    const cri_gradient_name* q = &g->requests[i];
    for (int k = 0; k < q->n; k++, only_up++) {
      cr_error ignored;
      if (!is_parameter(q) || cri_named_value(&q->named, g->m, g->rollout, k) != 0) {
        continue;
      }
      cri_named_move(&q->named, g->m, g->rollout, k, CR_R(-1e-6));
      *only_up = cri_model_check(g->m, &ignored) != CR_OK;
      cri_start_put(&g->start, g->m, g->rollout);
    }
  }
}

static cr_status measure(cr_gradient* g, cr_trust_problem* p, cr_real* scale, bool* only_up,
                         cr_trust* out, cr_error* error) {
  cri_start_put(&g->start, g->m, g->rollout);
  for (int i = 0, at = 0; i < g->nrequest; i++) {
    for (int k = 0; k < g->requests[i].n; k++) {
      scale[at++] = scale_of(g, &g->requests[i], k);
    }
  }
  set_bounds(g, only_up);
  p->scale = scale;
  p->only_up = only_up;
  return cr_trust_measure(out, p, error);
}

cr_status cr_gradient_trust(cr_gradient* g, cr_real reach, cr_trust* out, cr_error* error) {
  const cri_call call = {"cr_gradient_trust", error};
  CR_TRY(check_computed(&call, g));
  CR_TRY(cri_given(&call, out, "trust"));
  CR_TRY(keep_start(g, error));
  cr_trust_problem p = {.size = sizeof p,
                        .rollout = g->rollout,
                        .m = g->m,
                        .m_backward = g->backward,
                        .loss = &g->loss,
                        .nstep = g->nstep,
                        .reach = reach,
                        .context = g,
                        .start = start_moved,
                        .gradient = read_gradient};
  p.n = cri_gradient_size(g);
  cr_real* scale = calloc((size_t)p.n + 1, sizeof *scale);
  bool* only_up = calloc((size_t)p.n + 1, sizeof *only_up);
  cr_status status = scale == NULL || only_up == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "trust: no memory for %d numbers", p.n)
                         : measure(g, &p, scale, only_up, out, error);
  g->rollout->ran = false;
  free(scale);
  free(only_up);
  return status;
}
