// SPDX-License-Identifier: Apache-2.0
#include "parity/check_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "carom/correction.h"
#include "carom/state.h"
#include "engine/data_create.h"
#include "integrate/step.h"
#include "io/open.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "parity/convex_parity.h"
#include "solver/conflict.h"
#include "tools/clock.h"

// ---- loading

static cr_status load(cr_check* c, cr_error* error) {
  if (cri_model_file_is(c->path)) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: a Carom model file, which MuJoCo cannot read; check the MJCF or URDF file "
                    "that it was made from",
                    c->path);
  }
  CR_TRY(cri_mjmodel_open(&c->mj, c->path, c->urdf, &c->report, error));
  if (c->report.unsupported.n > 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: %s%s", c->path, c->report.unsupported.text[0],
                    c->report.unsupported.n > 1 ? " (and more)" : "");
  }
  CR_TRY(cri_model_from_mjmodel(&c->m, c->mj, error));
  cr_error inner = {0};
  cr_status status = cri_model_check(&c->m, &inner);
  if (status == CR_OK && c->blueprint != NULL) {
    return cr_model_read_blueprint(&c->m, c->blueprint, error);
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", c->path, inner.text);
}

static cr_status prepare(cr_check* c, cr_error* error) {
  // for large models a sample of every parameter field is enough
  int entries = c->m.nv > 40 ? 4 : (c->m.nv > 12 ? 8 : 24);
  CR_TRY(cr_parity_create(&c->bench, c->mj, &c->m, error));
  CR_TRY(cr_step_check_create(&c->gradient_check, &c->m, entries, error));
  cr_capacity room = cri_capacity_default(&c->m);
  room = (cr_capacity){2 * room.ncon, 2 * room.nefc, 2 * room.nJ};
  CR_TRY(cri_data_create(&c->d, &c->m, &room, error));
  CR_TRY(cri_data_twin(&c->bar, &c->m, c->d, CR_DATA_COTANGENT, NULL, error));
  for (int i = 0; i < 4; i++) {
    c->samples[i] = calloc((size_t)c->states, sizeof(double));
    if (c->samples[i] == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "check: no memory");
    }
  }
  return CR_OK;
}

// ---- times

enum { REPEATS = 9, STATES = 20 };

// the step, then the vjp alone on data that the step has just filled, for state, controls, parameters
static cr_status time_ours(cr_check* c, int state, cr_error* error) {
  const cr_model* m = &c->m;
  double step = 1e30, vjp = 1e30;
  for (int k = 0; k < REPEATS; k++) {
    double start = cri_microseconds();
    cr_status status = cr_step(m, c->d);
    double middle = cri_microseconds();
    for (int i = 0; i < m->nv; i++) {
      c->bar->qpos_next[i] = c->bar->qvel_next[i] = 1;
    }
    double seeded = cri_microseconds();
    if (status == CR_OK && m->integrator == CR_INT_EULER) {
      status = cr_step_vjp(m, m, c->d, NULL, c->bar);
    }
    double end = cri_microseconds();
    if (status != CR_OK) {
      const cr_data* failed = c->bar->error.status == status ? c->bar : c->d;
      return cri_fail(error, status, "%s", failed->error.text);
    }
    step = fmin(step, middle - start);
    vjp = fmin(vjp, end - seeded);
  }
  c->samples[1][state] = step;
  c->samples[2][state] = vjp;
  c->times.residual_carom = fmax(c->times.residual_carom, (double)c->d->solver_residual);
  return CR_OK;
}

static cr_status time_all(cr_check* c, int state, cr_error* error) {
  double residual = 0;
  CR_TRY(cr_parity_time(c->bench, &c->samples[0][state], &c->samples[3][state], &residual, error));
  c->times.residual_mujoco = fmax(c->times.residual_mujoco, residual);
  int keep = c->m.integrator;
  c->m.integrator = CR_INT_EULER;  // as mjd_transitionFD, and as the vjp that needs no second block
  cr_status status = time_ours(c, state, error);
  c->m.integrator = keep;
  return status;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* x, int n) {
  qsort(x, (size_t)n, sizeof *x, ascending);
  return n > 0 ? x[n / 2] : 0;
}

// ---- edges

// position of controls: at the lower or upper end of their range, or beyond it on both sides in turn
typedef enum { AT_LOWER, AT_UPPER, OUTSIDE, N_CONTROL_PLACE } control_place;

static void place_controls(const cr_model* m, cr_data* d, control_place place) {
  for (int i = 0; i < m->nu; i++) {
    const cr_real* range = m->actuator_ctrlrange + 2 * i;
    bool limited = m->actuator_ctrllimited[i] != 0;
    bool upper = place == AT_UPPER || (place == OUTSIDE && i % 2 == 0);
    cr_real end = limited ? range[upper] : (cr_real)upper;
    d->ctrl[i] = place == OUTSIDE ? end + (upper ? 1 : -1) : end;
  }
  for (int i = 0; i < m->nactuator && place != OUTSIDE; i++) {
    bool muscle = m->actuator_dyntype[i] == CR_DYN_MUSCLE, limited = m->actuator_actlimited[i] != 0;
    for (int k = 0; k < m->actuator_actnum[i] && (muscle || limited); k++) {
      const cr_real* range = m->actuator_actrange + 2 * i;
      d->act[m->actuator_actadr[i] + k] =
          limited ? range[place == AT_UPPER] : (cr_real)(place == AT_UPPER);
    }
  }
}

// slides and hinges at an end of their range; false where no joint has one
static bool place_joints(const cr_model* m, cr_data* d, bool upper) {
  bool any = false;
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_limited[j] != 0 && m->jnt_type[j] >= CR_JNT_SLIDE) {
      d->qpos[m->jnt_qposadr[j]] = m->jnt_range[2 * j + upper];
      any = true;
    }
  }
  return any;
}

static cr_status visit_starts(cr_check* c, cr_random* random, cr_error* error) {
  const cr_model* m = &c->m;
  int most = 8 / (m->nkey + 1), entries = most < 1 ? 1 : most;
  cri_data_reset(m, c->d);
  CR_TRY(cr_step_check_edge(c->gradient_check, c->d, CR_EDGE_INPUTS, entries, "the default start",
                            random, &c->edges, error));
  for (int key = 0; key < m->nkey; key++) {
    char place[96];
    const char* name = cri_name(m, m->name_keyadr, key);
    (void)snprintf(place, sizeof place, name[0] != 0 ? "keyframe %.60s" : "keyframe %.0s%d", name,
                   key);
    CR_TRY(cr_data_reset_keyframe(m, c->d, key));
    CR_TRY(cr_step_check_edge(c->gradient_check, c->d, CR_EDGE_INPUTS, entries, place, random,
                              &c->edges, error));
  }
  return CR_OK;
}

static cr_status visit_ends(cr_check* c, cr_random* random, cr_error* error) {
  static const char* const controls[] = {"controls at their lower ends",
                                         "controls at their upper ends", "controls out of range"};
  static const char* const joints[] = {"joints at their lower ends", "joints at their upper ends"};
  const cr_model* m = &c->m;
  for (int i = 0; i < N_CONTROL_PLACE && m->nu > 0; i++) {
    CR_TRY(cr_parity_next_state(c->bench, random, c->d, error));
    place_controls(m, c->d, (control_place)i);
    CR_TRY(cr_step_check_edge(c->gradient_check, c->d, CR_EDGE_ACT | CR_EDGE_CTRL, 0, controls[i],
                              random, &c->edges, error));
  }
  for (int i = 0; i < 2; i++) {
    CR_TRY(cr_parity_next_state(c->bench, random, c->d, error));
    if (place_joints(m, c->d, i == 1)) {
      CR_TRY(cr_step_check_edge(c->gradient_check, c->d, CR_EDGE_QPOS, 0, joints[i], random,
                                &c->edges, error));
    }
  }
  return CR_OK;
}

static cr_status visit_bounds(cr_check* c, cr_random* random, cr_error* error) {
  CR_TRY(cr_parity_next_state(c->bench, random, c->d, error));
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    CR_TRY(
        cr_step_check_bound(c->gradient_check, c->d, (cr_field_id)i, 4, random, &c->edges, error));
  }
  return CR_OK;
}

// points that random states never reach
static cr_status visit_edges(cr_check* c, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)c->seed, 2);
  CR_TRY(visit_starts(c, &random, error));
  CR_TRY(visit_ends(c, &random, error));
  return visit_bounds(c, &random, error);
}

// ---- the check

// effect of rounding on the solve at this state
static void note_rounding(cr_check* c) {
  const cr_data* d = c->d;
  if (c->conflict[0] == '\0' && c->parity.last_unsolved) {
    (void)snprintf(c->conflict, sizeof c->conflict, "%s", d->error.text);
  } else if (c->conflict[0] == '\0' && d->solver_residual > CR_ROUNDING_BOUND) {
    cri_conflict worst = cri_conflict_worst(&c->m, d);
    (void)snprintf(c->conflict, sizeof c->conflict, "%s", cri_conflict_say(&c->m, d, &worst).text);
  }
  if ((double)d->rounding > c->rounding && d->rounding_dof >= 0) {
    int joint = c->m.dof_jntid[d->rounding_dof];
    c->rounding = (double)d->rounding;
    (void)snprintf(c->rounding_at, sizeof c->rounding_at, "joint %d \"%.60s\"", joint,
                   cri_name(&c->m, c->m.name_jntadr, joint));
  }
}

static cr_status visit_states(cr_check* c, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)c->seed, 1);
  int steps = 0;
  for (int k = 0; k < c->states; k++) {
    CR_TRY(cr_parity_next_state(c->bench, &random, c->d, error));
    CR_TRY(cr_parity_compare(c->bench, c->d, &c->parity, error));
    note_rounding(c);
    if (c->parity.last_unsolved) {
      continue;
    }
    cr_error inner = {0};
    cr_status status = cr_step_check_run(c->gradient_check, c->d, &random, &c->gradient, &inner);
    status = status == CR_OK ? time_all(c, steps++, &inner) : status;
    if (status != CR_OK) {
      return cri_fail(error, status, "state %d: %s", k, inner.text);
    }
  }
  double* medians[4] = {&c->times.mj_step, &c->times.step, &c->times.step_vjp,
                        &c->times.transition};
  for (int i = 0; i < 4; i++) {
    *medians[i] = median(c->samples[i], steps);
  }
  return CR_OK;
}

// ---- reasons for a failure

__attribute__((format(printf, 3, 4))) static void append(char* text, size_t n, const char* format,
                                                         ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  (void)snprintf(text + used, n - used, "%s", used > 0 ? "; " : "");
  used = strlen(text);
  (void)cri_print_list(text + used, n - used, format, arguments);
  va_end(arguments);
}

static void explain(const cr_check* c, char* text, size_t n) {
  const char* field;
  const cr_step_check_result* g = &c->gradient;
  double parity = cr_parity_worst(&c->parity, &field);
  text[0] = 0;
  if (c->parity.states > 0 && c->parity.not_a_reference == c->parity.states) {
    append(text, n, "MuJoCo's own solve converged at no state%s%s%s",
           c->conflict[0] != '\0' ? " (" : "", c->conflict, c->conflict[0] != '\0' ? ")" : "");
  }
  if (!(parity <= CR_PARITY_BOUND)) {
    append(text, n, "parity %.1e (%s)", parity, field);
  }
  if (!(c->parity.convex.distance <= CR_CONVEX_PARITY_BOUND)) {
    append(text, n, "distances of convex pairs %.1e", c->parity.convex.distance);
  }
  if (!((double)g->max_error <= CR_GRADIENT_BOUND)) {
    append(text, n, "gradient %.1e (%s)", (double)g->max_error, g->worst);
  }
  if (!((double)c->edges.max_error <= CR_EDGE_BOUND)) {
    append(text, n, "gradient at an edge %.1e (%s)", (double)c->edges.max_error, c->edges.worst);
  }
  if (!(g->kinks + g->lost <= CR_KINK_BOUND * g->samples)) {
    append(text, n, "%d of %d entries at kinks, %d lost in round-off", g->kinks, g->samples,
           g->lost);
  }
  if (!((double)g->dot_error <= CR_DOT_BOUND)) {
    append(text, n, "dot product %.1e", (double)g->dot_error);
  }
}

// ---- the result

static bool judge(const cr_check* c) {
  const char* field;
  const cr_step_check_result* g = &c->gradient;
  bool kinks_few = g->kinks + g->lost <= CR_KINK_BOUND * g->samples;
  bool compared = c->parity.states == 0 || c->parity.not_a_reference < c->parity.states;
  return compared && cr_parity_worst(&c->parity, &field) <= CR_PARITY_BOUND &&
         c->parity.convex.distance <= CR_CONVEX_PARITY_BOUND &&
         (double)g->max_error <= CR_GRADIENT_BOUND && kinks_few &&
         (double)c->edges.max_error <= CR_EDGE_BOUND && (double)g->dot_error <= CR_DOT_BOUND;
}

cr_status cri_check_run(cr_check* c, cr_error* error) {
  CR_TRY(load(c, error));
  if (c->m.nv > 0) {
    CR_TRY(prepare(c, error));
    CR_TRY(visit_states(c, error));
    CR_TRY(visit_edges(c, error));
  }
  c->passed = judge(c);
  explain(c, c->why, sizeof c->why);
  return CR_OK;
}

// ---- public functions

cr_status cr_check_create(cr_check** out, cr_error* error) {
  const cri_call call = {"cr_check_create", error};
  CR_TRY(cri_given(&call, out, "where the check goes"));
  *out = calloc(1, sizeof **out);
  return *out != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "check: no memory");
}

void cr_check_destroy(cr_check* c) {
  if (c == NULL) {
    return;
  }
  cr_parity_free(c->bench);
  cr_step_check_free(c->gradient_check);
  cri_data_free(c->d);
  cri_data_free(c->bar);
  cri_model_free(&c->m);
  mj_deleteModel(c->mj);
  cri_load_report_free(&c->report);
  for (int i = 0; i < 4; i++) {
    free(c->samples[i]);
  }
  free(c->path);
  free(c);
}

cr_status cri_check_options(const cri_call* call, const cr_check_options* o) {
  if (o == NULL) {
    return CR_OK;
  }
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_check_options"));
  return o->urdf == NULL ? CR_OK
                         : cri_check_size(call, o->urdf->size, sizeof *o->urdf, "cr_urdf_options");
}

cr_status cr_check_run(cr_check* c, const char* path, const cr_check_options* options,
                       cr_error* error) {
  const cri_call call = {"cr_check_run", error};
  CR_TRY(cri_given(&call, c, "the check"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(cri_check_options(&call, options));
  const char* wrong = c->path != NULL                          ? "ran before"
                      : options != NULL && options->states < 0 ? "states below 0"
                                                               : NULL;
  if (wrong != NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_check_run: %s", wrong);
  }
  c->path = strdup(path);
  c->urdf = options != NULL ? options->urdf : NULL;
  c->blueprint = options != NULL ? options->blueprint : NULL;
  c->states = options != NULL && options->states > 0 ? options->states : STATES;
  c->seed = options != NULL ? options->seed : 0;
  cr_status status = c->path == NULL ? cri_fail(error, CR_ERR_MEMORY, "check: no memory")
                                     : cri_check_run(c, error);
  c->urdf = NULL;  // borrowed for the run
  c->blueprint = NULL;
  return status;
}

static void put_parity(cr_check_result* r, const cr_check* c) {
  const cr_parity* p = &c->parity;
  r->parity = cr_parity_worst(p, &r->worst_field);
  r->parity_bound = CR_PARITY_BOUND;
  r->states = p->states;
  r->edges = p->edges;
  r->states_with_contact = p->states_with_contact;
  r->states_without_reference = p->not_a_reference;
  r->states_without_solution = p->unsolved;
  r->mismatch = p->mismatch;
  r->convex_pairs = p->convex.pairs;
  r->convex_distance = p->convex.distance;
  r->convex_other_normal = p->convex.other_normal;
  r->convex_other_count = p->convex.other_count;
  r->convex_other_points = p->convex.other_points;
  r->residual_mujoco = p->residual_mujoco;
  r->residual_carom = p->residual_carom;
}

static void put_gradient(cr_check_result* r, const cr_check* c) {
  const cr_step_check_result* g = &c->gradient;
  const cr_edge_result* e = &c->edges;
  r->gradient = (double)g->max_error;
  r->gradient_bound = CR_GRADIENT_BOUND;
  r->worst_gradient = g->worst;
  r->samples = g->samples;
  r->kinks = g->kinks;
  r->lost = g->lost;
  r->dot_product = (double)g->dot_error;
  r->edge = (double)e->max_error;
  r->worst_edge = e->worst;
  r->edge_places = e->places;
  r->edge_samples = e->samples;
  r->edge_kinks = e->kinks;
  r->edge_unvisited = e->unvisited;
  r->edge_why = e->why;
}

cr_status cr_check_get_result(const cr_check* c, cr_check_result* result, cr_error* error) {
  const cri_call call = {"cr_check_get_result", error};
  CR_TRY(cri_given(&call, c, "the check"));
  CR_TRY(cri_given(&call, result, "result"));
  const cr_check_times* t = &c->times;
  cr_check_result r = {.opened = c->mj != NULL,
                       .passed = c->passed,
                       .rk4 = c->m.integrator == CR_INT_RK4,
                       .why = c->why,
                       .timed_residual_mujoco = t->residual_mujoco,
                       .timed_residual_carom = t->residual_carom,
                       .mj_step_us = t->mj_step,
                       .step_us = t->step,
                       .step_vjp_us = t->step_vjp,
                       .transition_us = t->transition,
                       .conflict = c->conflict,
                       .rounding = c->rounding,
                       .rounding_bound = CR_ROUNDING_BOUND,
                       .rounding_at = c->rounding_at};
  r.doubt = c->gradient_check != NULL ? cr_step_check_doubt(c->gradient_check) : "";
  if (c->mj != NULL) {
    r.nv = (int)c->mj->nv;
    r.nbody = (int)c->mj->nbody;
    r.ngeom = (int)c->mj->ngeom;
    r.nu = (int)c->mj->nu;
  }
  put_parity(&r, c);
  put_gradient(&r, c);
  return cri_give(&call, result, &r, sizeof r, "cr_check_result");
}

int cr_check_field_count(const cr_check* c) { return c != NULL ? c->parity.n : 0; }

cr_status cr_check_get_field(const cr_check* c, int i, cr_check_field* field, cr_error* error) {
  const cri_call call = {"cr_check_get_field", error};
  CR_TRY(cri_given(&call, c, "the check"));
  CR_TRY(cri_given(&call, field, "field"));
  if (i < 0 || i >= c->parity.n) {
    return cri_fail(error, CR_ERR_ARG, "cr_check_get_field: there is no field %d", i);
  }
  const cr_parity_row* row = &c->parity.rows[i];
  const cr_check_field f = {.name = row->name,
                            .absolute = row->absolute,
                            .scale = row->scale,
                            .relative = cr_parity_relative(row)};
  return cri_give(&call, field, &f, sizeof f, "cr_check_field");
}

const char* cr_check_get_kink(const cr_check* c, int i) {
  return c != NULL && i >= 0 && i < c->edges.nkink ? c->edges.kink[i] : NULL;
}

const char* cr_check_get_off(const cr_check* c, int i, int* times, const char** worst) {
  int at = -1, kind = 0;
  for (; c != NULL && kind < CR_N_OFF; kind++) {
    at += c->parity.off.times[kind] > 0;
    if (at == i && c->parity.off.times[kind] > 0) {
      break;
    }
  }
  bool found = c != NULL && kind < CR_N_OFF;
  if (times != NULL) {
    *times = found ? c->parity.off.times[kind] : 0;
  }
  if (worst != NULL) {
    *worst = found ? c->parity.off.text[kind] : NULL;
  }
  return found ? cri_off_name((cr_off_kind)kind) : NULL;
}

const cr_load_report* cr_check_get_report(const cr_check* c) {
  return c != NULL ? &c->report : NULL;
}
