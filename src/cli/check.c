// SPDX-License-Identifier: Apache-2.0
// carom check: a model held against MuJoCo at varied states, its step's gradient against
// differences, the dot-product identity, and times. The answer is yes or no.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/setup.h"
#include "integrate/step.h"
#include "io/mujoco.h"
#include "io/parity.h"
#include "model/check.h"
#include "model/file.h"
#include "rollout/step_check.h"

// what must hold
static const double parity_bound = 1e-9, gradient_bound = 1e-6, dot_bound = 1e-10, kink_bound = 0.2;

typedef struct {
  const char* model;
  int states, seed;
  bool json;
} check_options;

typedef struct {
  double mj_step, step, step_vjp, transition;  // microseconds, medians over the states
  double residual_mujoco, residual_carom;      // of the timed solves
} times;

typedef struct {
  const check_options* o;
  mjModel* mj;
  cr_model m;
  cr_load_report report;
  cr_parity_bench* bench;
  cr_step_check* gradient_check;
  cr_data *d, *bar;
  cr_parity parity;
  cr_step_check_result gradient;
  times times;
  double* samples[4];
  bool passed;
} check;

static double now_us(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

// ---- loading

static cr_status load(check* c, cr_error* error) {
  if (cri_model_file_is(c->o->model)) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: a Carom model file, which MuJoCo cannot read; check the MJCF or URDF file "
                    "that it was made from",
                    c->o->model);
  }
  CR_TRY(cri_mujoco_load(&c->mj, c->o->model, error));
  cri_mujoco_survey(c->mj, &c->report);
  if (c->report.unsupported.n > 0) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: %s%s", c->o->model,
                    c->report.unsupported.text[0],
                    c->report.unsupported.n > 1 ? " (and more)" : "");
  }
  CR_TRY(cri_model_from_mjmodel(&c->m, c->mj, error));
  return cri_model_check(&c->m, error);
}

static cr_status prepare(check* c, cr_error* error) {
  // of large models a sample of every parameter field is enough
  int entries = c->m.nv > 40 ? 4 : (c->m.nv > 12 ? 8 : 24);
  CR_TRY(cr_parity_create(&c->bench, c->mj, &c->m, error));
  CR_TRY(cr_step_check_create(&c->gradient_check, &c->m, entries, error));
  cr_capacity room = cri_capacity_default(&c->m);
  room = (cr_capacity){2 * room.ncon, 2 * room.nefc, 2 * room.nJ};
  CR_TRY(cri_data_create(&c->d, &c->m, &room, error));
  CR_TRY(cri_data_twin(&c->bar, &c->m, c->d, CR_DATA_COTANGENT, NULL, error));
  for (int i = 0; i < 4; i++) {
    c->samples[i] = calloc((size_t)c->o->states, sizeof(double));
    if (c->samples[i] == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "check: no memory");
    }
  }
  return CR_OK;
}

// ---- times

enum { REPEATS = 9 };

// the step, then the vjp alone on data the step has just filled, for state, controls, parameters
static cr_status time_ours(check* c, int state, cr_error* error) {
  const cr_model* m = &c->m;
  double step = 1e30, vjp = 1e30;
  for (int k = 0; k < REPEATS; k++) {
    double start = now_us();
    cr_status status = cr_step(m, c->d);
    double middle = now_us();
    for (int i = 0; i < m->nv; i++) {
      c->bar->qpos_next[i] = c->bar->qvel_next[i] = 1;
    }
    double seeded = now_us();
    if (status == CR_OK && m->integrator == CR_INT_EULER) {
      status = cr_step_vjp(m, m, c->d, NULL, c->bar);
    }
    double end = now_us();
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

static cr_status time_all(check* c, int state, cr_error* error) {
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

// ---- the check

static cr_status visit_states(check* c, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)c->o->seed, 1);
  for (int k = 0; k < c->o->states; k++) {
    CR_TRY(cr_parity_next_state(c->bench, &random, c->d, error));
    CR_TRY(cr_parity_compare(c->bench, c->d, &c->parity, error));
    CR_TRY(cr_step_check_run(c->gradient_check, c->d, &random, &c->gradient, error));
    CR_TRY(time_all(c, k, error));
  }
  double* medians[4] = {&c->times.mj_step, &c->times.step, &c->times.step_vjp,
                        &c->times.transition};
  for (int i = 0; i < 4; i++) {
    *medians[i] = median(c->samples[i], c->o->states);
  }
  return CR_OK;
}

static bool judge(const check* c) {
  const char* field;
  const cr_step_check_result* g = &c->gradient;
  bool kinks_few = g->kinks <= kink_bound * g->samples;
  bool compared = c->parity.states == 0 || c->parity.not_a_reference < c->parity.states;
  return compared && cr_parity_worst(&c->parity, &field) <= parity_bound &&
         c->parity.convex.distance <= CR_CONVEX_PARITY_BOUND &&
         (double)g->max_error <= gradient_bound && kinks_few && (double)g->dot_error <= dot_bound;
}

// ---- output

static void put_sentences(cr_json* j, const char* key, const cr_sentences* list) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < list->n; i++) {
    cr_json_string(j, NULL, list->text[i]);
  }
  cr_json_close(j, ']');
}

static void put_fields(cr_json* j, const cr_parity* p) {
  cr_json_open(j, "fields", '{');
  for (int i = 0; i < p->n; i++) {
    cr_json_open(j, p->rows[i].name, '{');
    cr_json_real(j, "absolute", (cr_real)p->rows[i].absolute);
    cr_json_real(j, "scale", (cr_real)p->rows[i].scale);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
}

// null for what was not measured
static cr_real measured(const check* c, double value) {
  return c->parity.states > 0 || c->passed ? (cr_real)value : (cr_real)NAN;
}

static void put_results(cr_json* j, const check* c) {
  const char* field;
  cr_json_open(j, "parity", '{');
  cr_json_real(j, "max_relative_error", measured(c, cr_parity_worst(&c->parity, &field)));
  cr_json_string(j, "worst_field", field);
  cr_json_int(j, "states", c->parity.states);
  cr_json_int(j, "states_with_contact", c->parity.states_with_contact);
  cr_json_int(j, "states_without_reference", c->parity.not_a_reference);
  put_fields(j, &c->parity);
  cr_json_open(j, "convex_contacts", '{');
  cr_json_int(j, "pairs", c->parity.convex.pairs);
  cr_json_real(j, "distance", (cr_real)c->parity.convex.distance);
  cr_json_int(j, "other_normal", c->parity.convex.other_normal);
  cr_json_int(j, "other_count", c->parity.convex.other_count);
  cr_json_int(j, "other_points", c->parity.convex.other_points);
  cr_json_close(j, '}');
  cr_json_close(j, '}');
  cr_json_open(j, "gradient", '{');
  cr_json_real(j, "max_relative_error", measured(c, (double)c->gradient.max_error));
  cr_json_string(j, "worst", c->gradient.worst);
  cr_json_int(j, "kinks", c->gradient.kinks);
  cr_json_int(j, "samples", c->gradient.samples);
  cr_json_close(j, '}');
  cr_json_real(j, "dot_product_error", measured(c, (double)c->gradient.dot_error));
  cr_json_open(j, "time_us", '{');
  cr_json_real(j, "mj_step", measured(c, c->times.mj_step));
  cr_json_real(j, "step", measured(c, c->times.step));
  cr_json_real(j, "step_vjp", measured(c, c->times.step_vjp));
  cr_json_real(j, "mjd_transitionFD", measured(c, c->times.transition));
  cr_json_string(j, "note",
                 c->m.integrator == CR_INT_RK4
                     ? "mj_step with RK4; step, step_vjp and mjd_transitionFD with Euler"
                     : "all with Euler");
  cr_json_close(j, '}');
  cr_json_open(j, "residual", '{');
  cr_json_real(j, "mujoco", measured(c, c->times.residual_mujoco));
  cr_json_real(j, "carom", measured(c, c->times.residual_carom));
  cr_json_close(j, '}');
}

static void print_json(const check* c, cr_status status, const cr_error* error) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "model", c->o->model != NULL ? c->o->model : "");
  cr_json_real(&j, "nv", c->mj != NULL ? (cr_real)c->mj->nv : (cr_real)NAN);
  cr_json_bool(&j, "supported", c->mj != NULL && c->report.unsupported.n == 0);
  put_sentences(&j, "unsupported", &c->report.unsupported);
  put_sentences(&j, "ignored", &c->report.ignored);
  put_sentences(&j, "warnings", &c->report.warnings);
  put_results(&j, c);
  cr_json_bool(&j, "passed", c->passed);
  if (status != CR_OK) {
    cr_json_string(&j, "error", error->text);
  }
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_list(const char* title, const cr_sentences* list) {
  for (int i = 0; i < list->n; i++) {
    (void)printf("%s %s\n", title, list->text[i]);
  }
}

static void print_parity(const check* c) {
  const cr_parity* p = &c->parity;
  (void)printf("\nagainst MuJoCo at %d states (%d with contact)\n", p->states,
               p->states_with_contact);
  (void)printf("  %-24s %12s %12s %12s\n", "field", "largest", "difference", "relative");
  for (int i = 0; i < p->n; i++) {
    const cr_parity_row* r = &p->rows[i];
    (void)printf("  %-24s %12.4g %12.2e %12.2e\n", r->name, r->scale, r->absolute,
                 r->scale > 0 ? r->absolute / r->scale : r->absolute);
  }
  if (p->convex.pairs > 0) {
    (void)printf(
        "  contacts of %d convex pairs: distances differ by %.1e of the geoms' size; MuJoCo "
        "has other points\n  in %d, another number in %d, another normal in %d. What follows: "
        "with Carom's points in both\n",
        p->convex.pairs, p->convex.distance, p->convex.other_points, p->convex.other_count,
        p->convex.other_normal);
  }
  if (p->mismatch[0] != 0) {
    (void)printf("  MISMATCH: %s\n", p->mismatch);
  }
  if (p->not_a_reference > 0) {
    (void)printf("  at %d states MuJoCo's own solve did not converge: no reference there\n",
                 p->not_a_reference);
  }
  (void)printf("  residual of the solves: MuJoCo %.1e, Carom %.1e\n", p->residual_mujoco,
               p->residual_carom);
}

static void print_text(const check* c) {
  const char* field;
  double parity = cr_parity_worst(&c->parity, &field);
  (void)printf("%s: nv %d, nbody %d, ngeom %d, nu %d\n", c->o->model, c->m.nv, c->m.nbody,
               c->m.ngeom, c->m.nu);
  print_list("ignored:", &c->report.ignored);
  print_list("warning:", &c->report.warnings);
  print_parity(c);
  (void)printf("\ngradient of a step: worst error %.2e%s%s, %d entries, %d of them at kinks\n",
               (double)c->gradient.max_error, c->gradient.worst[0] != 0 ? " at " : "",
               c->gradient.worst, c->gradient.samples, c->gradient.kinks);
  (void)printf("dot-product identity of jvp and vjp: %.2e\n", (double)c->gradient.dot_error);
  (void)printf("\ntimes (us): mj_step %.2f, step %.2f, step_vjp %.2f, mjd_transitionFD %.1f\n",
               c->times.mj_step, c->times.step, c->times.step_vjp, c->times.transition);
  if (c->m.integrator == CR_INT_RK4) {
    (void)printf("  mj_step with RK4; step, step_vjp and mjd_transitionFD with Euler\n");
  }
  (void)printf("  residual at these solves: MuJoCo %.1e, Carom %.1e\n", c->times.residual_mujoco,
               c->times.residual_carom);
  (void)printf("\n%s: parity %.2e (%s), bound %.0e; gradient %.2e, bound %.0e\n",
               c->passed ? "passed" : "NOT passed", parity, field, parity_bound,
               (double)c->gradient.max_error, gradient_bound);
}

static cr_status run(check* c, cr_error* error) {
  if (c->o->states < 1) {
    return cri_fail(error, CR_ERR_ARG, "--states %d: at least 1 expected", c->o->states);
  }
  CR_TRY(load(c, error));
  if (c->m.nv > 0) {
    CR_TRY(prepare(c, error));
    CR_TRY(visit_states(c, error));
  }
  c->passed = judge(c);
  return CR_OK;
}

static void release(check* c) {
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
}

int cr_cli_check(int argc, char** argv) {
  check_options o = {.states = 20, .seed = 1};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.model, "MODEL", "MJCF or URDF file"},
      {"--states", CR_OPT_INT, &o.states, "N", "states to visit (default 20)"},
      {"--seed", CR_OPT_INT, &o.seed, "S", "seed of the random states (default 1)"},
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {"check",
                                "Holds a model against MuJoCo field by field, and the gradient of "
                                "a step against differences.",
                                rows, (int)(sizeof rows / sizeof rows[0])};
  cr_error error = {0};
  bool help = false;
  check* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return 2;
  }
  c->o = &o;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help) {
    cr_options_print_help(&line);
    free(c);
    return 0;
  }
  if (status == CR_OK) {
    status = run(c, &error);
  }
  if (o.json) {
    print_json(c, status, &error);
  }
  int code = c->passed ? 0 : 1;
  if (status != CR_OK) {
    code = cr_cli_fail("check", false, &error, &c->report);
  } else if (!o.json) {
    print_text(c);
  }
  release(c);
  free(c);
  return code;
}
