// SPDX-License-Identifier: Apache-2.0
// Costs: a list of terms, each a residual, a norm and two weights.
//   [cost.c1] c = sum over k of h sum w n(r(x_k)) + sum w_T n(r(x_N))
//   [cost.c2] gradient sum of w J'g, Gauss-Newton Hessian sum of w J'N J
#include "control/cost.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "model/misuse.h"

// ---- making

cr_status cr_cost_create(cr_cost** out, const cr_model* m, cr_error* error) {
  const cri_call call = {"cr_cost_create", error};
  CR_TRY(cri_given(&call, out, "where the cost goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  cr_cost* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cost: no memory");
  }
  c->m = m;
  c->nz = cri_state_tangent_size(m) + m->nu;
  c->row = calloc(2 * (size_t)c->nz + 1, sizeof *c->row);
  c->at = calloc((size_t)c->nz + 1, sizeof *c->at);
  if (c->row == NULL || c->at == NULL) {
    cr_cost_destroy(c);
    return cri_fail(error, CR_ERR_MEMORY, "cost: no memory");
  }
  c->sum = c->row + c->nz;
  c->nstep = 1;
  c->interval = m->timestep;
  *out = c;
  return CR_OK;
}

void cr_cost_destroy(cr_cost* c) {
  if (c == NULL) {
    return;
  }
  for (int i = 0; i < c->n; i++) {
    cri_residual_free(&c->terms[i].residual);
  }
  free(c->terms);
  free(c->r);
  free(c->row);
  free(c->at);
  free(c);
}

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "cost: no memory");
}

static cr_status make_room(cr_cost* c, cr_error* error) {
  if (c->n < c->room) {
    return CR_OK;
  }
  int room = 2 * c->room + 4;
  cri_cost_term* terms = realloc(c->terms, (size_t)room * sizeof *terms);
  if (terms == NULL) {
    return no_memory(error);
  }
  c->terms = terms;
  c->room = room;
  return CR_OK;
}

// numbers of one residual: r, g, h, unit
static cr_status widen(cr_cost* c, int n, cr_error* error) {
  if (n <= c->most) {
    return CR_OK;
  }
  cr_real* r = calloc(4 * (size_t)n, sizeof *r);
  if (r == NULL) {
    return no_memory(error);
  }
  free(c->r);
  c->r = r;
  c->g = r + n;
  c->h = r + 2 * (ptrdiff_t)n;
  c->unit = r + 3 * (ptrdiff_t)n;
  c->most = n;
  return CR_OK;
}

static cr_status check_weights(const cri_cost_term* t, cr_error* error) {
  bool good = t->weight >= 0 && t->terminal >= 0 && isfinite(t->weight) && isfinite(t->terminal);
  if (!good) {
    return cri_fail(error, CR_ERR_ARG, "cost '%s': weights %.9g and %.9g: 0 or more is expected",
                    t->residual.name, (double)t->weight, (double)t->terminal);
  }
  return t->weight + t->terminal > 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "cost '%s': it has no weight", t->residual.name);
}

static cr_status make_term(cri_cost_term* t, const cr_model* m, const cr_cost_term* term,
                           cr_error* error) {
  *t = (cri_cost_term){
      .norm = {term->norm, term->p, term->q}, .weight = term->weight, .terminal = term->terminal};
  CR_TRY(cri_residual_make(&t->residual, m, term, error));
  CR_TRY(check_weights(t, error));
  CR_TRY(cri_norm_check(&t->norm, t->residual.name, error));
  t->direct = cri_residual_is_direct(&t->residual);
  cri_residual_reach(&t->residual, m, t->stages);
  return CR_OK;
}

cr_status cr_cost_add(cr_cost* c, const cr_cost_term* term, cr_error* error) {
  const cri_call call = {"cr_cost_add", error};
  CR_TRY(cri_given(&call, c, "the cost"));
  CR_TRY(cri_given(&call, term, "the term"));
  CR_TRY(cri_check_size(&call, term->size, sizeof *term, "cr_cost_term"));
  CR_TRY(make_room(c, error));
  cri_cost_term* t = &c->terms[c->n];
  cr_status status = make_term(t, c->m, term, error);
  status = status == CR_OK ? widen(c, t->residual.n, error) : status;
  if (status != CR_OK) {
    cri_residual_free(&t->residual);
    return status;
  }
  for (int k = 0; k < CR_MAX_STAGES; k++) {
    c->stages[k] = c->stages[k] || t->stages[k];
  }
  c->needs_fields = c->needs_fields || !t->direct;
  c->runs = c->runs || t->weight > 0;
  c->n++;
  return CR_OK;
}

cr_status cri_cost_copy(cr_cost** copy, const cr_cost* from, cr_error* error) {
  CR_TRY(cr_cost_create(copy, from->m, error));
  for (int i = 0; i < from->n; i++) {
    const cri_cost_term* t = &from->terms[i];
    const cri_residual* r = &t->residual;
    const cr_cost_term term = {.size = sizeof term,
                               .name = r->name,
                               .kind = r->kind,
                               .text = r->text,
                               .residual = &r->function,
                               .target = r->rows > 0 ? r->target : NULL,
                               .times = r->rows > 0 ? r->times : NULL,
                               .rows = r->rows,
                               .norm = t->norm.kind,
                               .p = t->norm.p,
                               .q = t->norm.q,
                               .weight = t->weight,
                               .terminal = t->terminal};
    cr_status status = cr_cost_add(*copy, &term, error);
    if (status != CR_OK) {
      cr_cost_destroy(*copy);
      *copy = NULL;
      return status;
    }
  }
  return CR_OK;
}

int cr_cost_count(const cr_cost* c) { return c != NULL ? c->n : 0; }

const char* cr_cost_name(const cr_cost* c, int i) {
  return c != NULL && i >= 0 && i < c->n ? c->terms[i].residual.name : NULL;
}

cr_real cr_cost_part(const cr_cost* c, int i) {
  return c != NULL && i >= 0 && i < c->n ? c->terms[i].sum : 0;
}

cr_status cri_cost_check(const cri_call* call, const cr_cost* c, const cr_model* m) {
  CR_TRY(cri_given(call, c, "the cost"));
  CR_TRY(cri_given(call, m, "the model"));
  const cri_shape shape = cri_shape_of(c->m);
  if (!cri_has_shape(m, &shape)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: the cost is of another model", call->name);
  }
  return c->n > 0 ? CR_OK
                  : cri_fail(call->error, CR_ERR_ARG, "%s: the cost has no terms", call->name);
}

void cri_cost_narrow(cr_cost* c, cr_rollout* r, const cr_model* backward) {
  memset(c->stages_backward, 0, sizeof c->stages_backward);
  for (int i = 0; i < c->n; i++) {
    cri_residual_reach(&c->terms[i].residual, backward, c->stages_backward);
  }
  cri_rollout_look(r, c->stages, c->stages_backward);
}

// ---- as a loss

// what a term counts at the state after `step` steps
static cr_real weight_of(const cr_cost* c, const cri_cost_term* t, int step) {
  return c->interval * t->weight + (step == c->nstep ? t->terminal : 0);
}

static bool looks_at(const void* context, int step, int nstep) {
  const cr_cost* c = context;
  return step == nstep || (c != NULL && c->runs);
}

// the sentence of a residual without one
static cr_status residual_failed(const cri_cost_term* t, cr_status status, const cr_data* d) {
  if (cri_error_of(d)->text[0] != 0) {
    return status;
  }
  return cri_fail(
      cri_error_of(d), status, "cost '%s': %s", t->residual.name,
      status == CR_ERR_NAME ? "a contact that it names does not exist" : cr_status_text(status));
}

static cr_status find_values(cr_cost* c, cri_cost_term* t, const cr_model* m, const cr_data* d) {
  cr_status status = cri_residual_values(&t->residual, m, d, c->r);
  return status == CR_OK ? CR_OK : residual_failed(t, status, d);
}

static cr_status loss_value(void* context, const cr_model* m, const cr_data* d, int step,
                            cr_real* loss) {
  cr_cost* c = context;
  const cri_call call = {"cr_cost_loss", cri_error_of(d)};
  CR_TRY(cri_cost_check(&call, c, m));
  for (int i = 0; i < c->n; i++) {
    cri_cost_term* t = &c->terms[i];
    cr_real w = weight_of(c, t, step);
    t->sum = step == 1 || !c->runs ? 0 : t->sum;
    if (w == 0) {
      continue;
    }
    CR_TRY(find_values(c, t, m, d));
    cr_real part = w * cri_norm_value(&t->norm, c->r, t->residual.n);
    t->sum += part;
    *loss += part;  // [cost.c1]
  }
  return CR_OK;
}

static cr_status loss_bar(void* context, const cr_model* m, const cr_data* d, int step,
                          cr_data* bar) {
  cr_cost* c = context;
  for (int i = 0; i < c->n; i++) {
    cri_cost_term* t = &c->terms[i];
    cr_real w = weight_of(c, t, step), outer;
    if (w == 0) {
      continue;
    }
    CR_TRY(find_values(c, t, m, d));
    cri_norm_derivatives(&t->norm, c->r, t->residual.n, c->g, c->h, &outer);
    for (int k = 0; k < t->residual.n; k++) {
      c->g[k] *= w;
    }
    cr_status status = cri_residual_pull(&t->residual, m, d, c->r, c->g, bar);
    CR_TRY(status == CR_OK ? CR_OK : residual_failed(t, status, d));
  }
  return CR_OK;
}

cr_loss cr_cost_loss(cr_cost* c, int nstep, cr_real interval) {
  if (c != NULL) {
    c->nstep = nstep;
    c->interval = interval;
  }
  return (cr_loss){.context = c,
                   .looks_at = looks_at,
                   .value = loss_value,
                   .bar = loss_bar,
                   .needs_fields = c != NULL && c->needs_fields};
}

// ---- the quadratic model

static void clear_forces(const cr_model* m, cr_data* bar) {
  cr_zero(bar->qfrc_applied, m->nv);
  cr_zero(bar->xfrc_applied, 6 * m->nbody);
}

// moves the cotangents of state and controls from bar to row; notes where they are not zero
static int take_row(const cr_cost* c, const cr_model* m, cr_data* bar) {
  const cri_state s = cri_state_twin(m, bar);
  int n = 0, i = 0;
  for (int k = 0; k < CRI_N_STATE + 1; k++) {
    cr_real* x = k < CRI_N_STATE ? s.part[k].x : bar->ctrl;
    int count = k < CRI_N_STATE ? s.part[k].n : m->nu;
    for (int j = 0; j < count; j++, i++) {
      c->row[i] = x[j];
      if (x[j] != 0) {
        c->at[n++] = i;
        x[j] = 0;
      }
    }
  }
  return n;
}

// adds w x x' at the n places at[]
static void add_square(cr_real* hessian, int nz, cr_real w, const cr_real* x, const int32_t* at,
                       int n) {
  for (int a = 0; a < n; a++) {
    cr_real s = w * x[at[a]];
    cr_real* to = hessian + (ptrdiff_t)at[a] * nz;
    for (int b = 0; b < n; b++) {
      to[at[b]] += s * x[at[b]];
    }
  }
}

// row k of the residual's Jacobian
static cr_status find_row(cr_cost* c, cri_cost_term* t, const cr_model* m, const cr_data* d, int k,
                          cr_data* bar, int* n) {
  c->unit[k] = 1;
  cr_status status = cri_residual_pull(&t->residual, m, d, c->r, c->unit, bar);
  c->unit[k] = 0;
  CR_TRY(status == CR_OK ? CR_OK : residual_failed(t, status, d));
  if (!t->direct) {
    CR_TRY(cri_forward_vjp_through(m, d, bar, t->stages));
    clear_forces(m, bar);
  }
  *n = take_row(c, m, bar);
  return CR_OK;
}

static cr_status add_term(cr_cost* c, cri_cost_term* t, const cr_model* m, const cr_data* d,
                          cr_real w, cr_data* bar, cr_real* value, cr_real* gradient,
                          cr_real* hessian) {
  cr_real outer;
  int n, nz = c->nz;
  CR_TRY(find_values(c, t, m, d));
  cri_norm_derivatives(&t->norm, c->r, t->residual.n, c->g, c->h, &outer);
  *value += w * cri_norm_value(&t->norm, c->r, t->residual.n);
  cr_zero(c->sum, outer != 0 ? nz : 0);
  cr_zero(c->unit, t->residual.n);
  for (int k = 0; k < t->residual.n; k++) {
    CR_TRY(find_row(c, t, m, d, k, bar, &n));
    add_square(hessian, nz, w * cr_max(c->h[k], 0), c->row, c->at, n);  // [cost.c2]
    for (int a = 0; a < n; a++) {
      int i = c->at[a];
      gradient[i] += w * c->g[k] * c->row[i];
      c->sum[i] += outer != 0 ? c->r[k] * c->row[i] : 0;
    }
  }
  if (outer != 0) {
    for (int i = 0; i < nz; i++) {
      c->at[i] = i;
    }
    add_square(hessian, nz, w * outer, c->sum, c->at, nz);
  }
  return CR_OK;
}

cr_status cri_cost_gauss_newton(cr_cost* c, const cr_model* m, const cr_data* d, int step,
                                cr_data* bar, cr_real* value, cr_real* gradient, cr_real* hessian) {
  *value = 0;
  cr_zero(gradient, c->nz);
  cr_zero(hessian, c->nz * c->nz);
  cri_error_of(d)->text[0] = 0;
  clear_forces(m, bar);  // what another gradient left
  (void)take_row(c, m, bar);
  for (int i = 0; i < c->n; i++) {
    cr_real w = weight_of(c, &c->terms[i], step);
    if (w > 0) {
      CR_TRY(add_term(c, &c->terms[i], m, d, w, bar, value, gradient, hessian));
    }
  }
  return CR_OK;
}

cr_status cr_cost_gauss_newton(cr_cost* c, const cr_model* m, const cr_data* d, int step,
                               cr_data* bar, cr_real* value, cr_real* gradient, cr_real* hessian) {
  const cri_call call = {"cr_cost_gauss_newton", cri_error_of(bar != NULL ? bar : d)};
  CR_TRY(cri_cost_check(&call, c, m));
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FORWARD));
  CR_TRY(cri_check_twin(&call, m, d, bar, CR_DATA_COTANGENT, "bar"));
  CR_TRY(cri_given(&call, value, "the value"));
  CR_TRY(cri_given(&call, gradient, "the gradient"));
  CR_TRY(cri_given(&call, hessian, "the Hessian"));
  if (step < 0 || step > c->nstep) {
    return cri_fail(call.error, CR_ERR_ARG, "%s: step %d of %d", call.name, step, c->nstep);
  }
  cr_status status = cri_cost_gauss_newton(c, m, d, step, bar, value, gradient, hessian);
  if (status != CR_OK) {
    const char* why = cri_error_of(d)->text;
    return cri_fail(call.error, status, "%s", why[0] != 0 ? why : bar->error.text);
  }
  return CR_OK;
}
