// SPDX-License-Identifier: Apache-2.0
// Runs with tighter tolerances, the tangent's growth, probes to both sides, the same with contacts
// counted; then the verdict.
#include "gradient/trust.h"

#include <stdlib.h>

#include "gradient/trust_state.h"
#include "rollout/tangent.h"
#include "rollout/trajectory.h"

#define REACH CR_R(1e-3)

// ---- the figures of a gradient

// one level finer; *finer: false if that cannot be run
static cr_status refine(cri_trust* t, bool* finer, cr_error* error) {
  cr_real loss;
  t->level++;
  cr_status status = cri_trust_run(t, NULL, &loss, t->finer, NULL, error);
  *finer = status == CR_OK;
  if (status == CR_ERR_BUDGET || status == CR_ERR_DIVERGED) {
    t->level--;  // the finest that runs
    return CR_OK;
  }
  t->middle = loss;
  t->missed = cr_rollout_uncounted(t->p->rollout);
  return status;
}

// tightens until the gradient no longer changes
static cr_status settle(cri_trust* t, cr_error* error) {
  bool finer = true;
  t->level = 0;
  CR_TRY(cri_trust_run(t, NULL, &t->middle, t->gradient, &t->here, error));
  cr_copy(t->first, t->gradient, t->p->n);
  t->out->switches = t->here.n - 1;
  t->missed = cr_rollout_uncounted(t->p->rollout);
  t->out->cost = t->evaluations;
  while (!t->settled && cri_trust_can_run(t, t->level + 1)) {
    CR_TRY(refine(t, &finer, error));
    if (!finer) {
      break;
    }
    cr_real change = cri_trust_apart(t, t->gradient, t->finer);
    t->out->change = t->level == 1 ? change : t->out->change;
    t->settled = change < CRI_TRUST_SETTLED;
    cr_copy(t->gradient, t->finer, t->p->n);
  }
  t->out->off = cri_trust_apart(t, t->first, t->gradient);
  return CR_OK;
}

// the last time at which the tangent was shorter than the limit
typedef struct {
  cr_real limit, since;
  bool longer;
  int steps;
} passing;

static void look(void* context, const cr_model* m, const cr_data* tan, cr_real time) {
  passing* p = context;
  bool longer = cri_tangent_norm(m, tan) > p->limit;
  p->since = longer && !p->longer ? time : p->since;
  p->longer = longer;
  p->steps++;
}

static cr_status grow(cri_trust* t, cr_error* error) {
  cr_real loss;
  passing p = {.limit = 1 / t->out->reach};
  int level = t->level;
  t->level = 0;
  CR_TRY(cri_trust_run(t, NULL, &loss, NULL, NULL, error));
  CR_TRY(cri_rollout_growth(t->p->rollout, t->p->m, look, &p, &t->out->growth, error));
  t->out->beyond = p.longer ? p.since : (cr_real)INFINITY;
  // repeats a step, its tangent, and its cotangent
  t->evaluations += (cr_real)(4 * cri_trust_stages(t->p->m)) * (cr_real)p.steps;
  t->level = level;
  return CR_OK;
}

// ---- contacts whose moments are not counted

// distance of the gradient from one that counts them, if so many evaluations suffice for that
static cr_status count(cri_trust* t, cr_real evaluations, cr_error* error) {
  cr_status status = cri_trust_count(t, evaluations, t->finer, error);
  if (status == CR_ERR_BUDGET || status == CR_ERR_DIVERGED || status == CR_ERR_ARG) {
    t->out->lacking = (cr_real)INFINITY;
    return CR_OK;
  }
  CR_TRY(status);
  t->out->lacking = cri_trust_apart(t, t->gradient, t->finer);
  t->out->lacking_part = cri_trust_apart_part(t, t->gradient, t->finer);
  return CR_OK;
}

// ---- the whole measurement

static cr_status measure(cri_trust* t, cr_error* error) {
  cr_trust* o = t->out;
  CR_TRY(settle(t, error));
  o->uncounted = cri_trust_counts(t) ? t->missed : o->switches;
  CR_TRY(cri_trust_probe_along(t, error));
  bool right = cri_trust_agree(t, o->quotient, o->slope, o->reach);
  bool near_by = cri_trust_agree(t, o->near_by, o->slope, CRI_TRUST_NEAR * o->reach);
  if (!t->p->quick || !t->settled || !right) {
    CR_TRY(grow(t, error));
  }
  cr_real before = t->evaluations;
  if (right || near_by) {
    CR_TRY(cri_trust_probe_across(t, before, error));
    if (o->uncounted > 0 && !cri_trust_counts(t)) {
      CR_TRY(count(t, 2 * before - t->evaluations, error));
    }
  }
  o->cost_more = (t->evaluations - before) / o->cost;
  o->cost = t->evaluations / o->cost;
  o->refined = t->settled ? cri_trust_size_at(t, t->level - 1) : 0;
  cri_trust_judge(t);
  return CR_OK;
}

cr_status cri_trust_measure(cr_trust* out, const cr_trust_problem* p, cr_error* error) {
  cr_rollout* r = p->rollout;
  size_t n = (size_t)p->n;
  cr_real* memory = calloc((5 + CRI_TRUST_ACROSS) * n + 1, sizeof *memory);
  if (memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "trust: no memory for %d numbers", p->n);
  }
  *out = (cr_trust){.reach = p->reach > 0 ? p->reach : REACH,
                    .beyond = (cr_real)INFINITY,
                    .lacking = (cr_real)NAN};
  cri_trust t = {.p = p,
                 .out = out,
                 .first = memory,
                 .gradient = memory + n,
                 .finer = memory + 2 * n,
                 .step = memory + 3 * n,
                 .direction = memory + 4 * n,
                 .steps = r->options,
                 .adjoint = r->adjoint.options};
  cr_status status = measure(&t, error);
  r->options = t.steps;
  r->adjoint.options = t.adjoint;
  cri_switches_free(&t.here);
  cri_switches_free(&t.left);
  cri_switches_free(&t.right);
  free(memory);
  return status == CR_OK ? p->start(p->context, r, NULL, error) : status;
}

// ---- public functions

static cr_status check(const cri_call* call, const cr_trust* out, const cr_trust_problem* p) {
  CR_TRY(cri_given(call, out, "trust"));
  CR_TRY(cri_given(call, p, "the problem"));
  CR_TRY(cri_check_size(call, out->size, sizeof *out, "cr_trust"));
  CR_TRY(cri_check_size(call, p->size, sizeof *p, "cr_trust_problem"));
  CR_TRY(cri_rollout_check(call, p->rollout, p->m));
  CR_TRY(cri_given(call, p->m_backward, "the model backward"));
  CR_TRY(cri_given(call, p->loss, "the loss"));
  CR_TRY(cri_given(call, p->scale, "the scale"));
  return p->n > 0 && p->nstep > 0 && p->start != NULL && p->gradient != NULL
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG,
                        "%s: steps, numbers, and both functions of the problem are needed",
                        call->name);
}

cr_status cr_trust_measure(cr_trust* out, const cr_trust_problem* p, cr_error* error) {
  const cri_call call = {"cr_trust_measure", error};
  CR_TRY(check(&call, out, p));
  size_t size = out->size;
  cr_status status = cri_trust_measure(out, p, error);
  out->size = size;
  return status;
}
