// SPDX-License-Identifier: Apache-2.0
// carom check: a model held against MuJoCo at varied states, its step's gradient against
// differences, the dot-product identity, and times. The answer is yes or no. With --all, many models.
#include <stdio.h>
#include <stdlib.h>

#include "cli/check_all.h"
#include "cli/commands.h"
#include "cli/model_check.h"
#include "cli/setup.h"
#include "cli/urdf_words.h"

typedef struct {
  cr_check_all_options all;
  cr_urdf_words urdf;
  bool many, json;
} check_options;

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

static void put_off(cr_json* j, const cr_off* off) {
  cr_json_open(j, "mujoco_is_off", '{');
  for (int k = 0; k < CR_N_OFF; k++) {
    if (off->times[k] > 0) {
      cr_json_open(j, cri_off_name((cr_off_kind)k), '{');
      cr_json_int(j, "times", off->times[k]);
      cr_json_string(j, "worst", off->text[k]);
      cr_json_close(j, '}');
    }
  }
  cr_json_close(j, '}');
}

// null for what was not measured
static cr_real measured(const cr_check* c, double value) {
  return c->parity.states > 0 || c->passed ? (cr_real)value : (cr_real)NAN;
}

static void put_edges(cr_json* j, const cr_check* c) {
  const cr_edge_result* e = &c->edges;
  cr_json_open(j, "edges", '{');
  cr_json_real(j, "max_relative_error", measured(c, (double)e->max_error));
  cr_json_string(j, "worst", e->worst);
  cr_json_int(j, "places", e->places);
  cr_json_int(j, "samples", e->samples);
  cr_json_int(j, "kinks", e->kinks);
  cr_json_open(j, "kinks_told", '[');
  for (int i = 0; i < e->nkink; i++) {
    cr_json_string(j, NULL, e->kink[i]);
  }
  cr_json_close(j, ']');
  cr_json_int(j, "places_without_a_step", e->unvisited);
  cr_json_close(j, '}');
}

static void put_results(cr_json* j, const cr_check* c) {
  const char* field;
  cr_json_open(j, "parity", '{');
  cr_json_real(j, "max_relative_error", measured(c, cr_parity_worst(&c->parity, &field)));
  cr_json_string(j, "worst_field", field);
  cr_json_int(j, "states", c->parity.states);
  cr_json_int(j, "edges", c->parity.edges);
  cr_json_int(j, "states_with_contact", c->parity.states_with_contact);
  cr_json_int(j, "states_without_reference", c->parity.not_a_reference);
  cr_json_int(j, "states_without_solution", c->parity.unsolved);
  put_fields(j, &c->parity);
  cr_json_open(j, "convex_contacts", '{');
  cr_json_int(j, "pairs", c->parity.convex.pairs);
  cr_json_real(j, "distance", (cr_real)c->parity.convex.distance);
  cr_json_int(j, "other_normal", c->parity.convex.other_normal);
  cr_json_int(j, "other_count", c->parity.convex.other_count);
  cr_json_int(j, "other_points", c->parity.convex.other_points);
  cr_json_close(j, '}');
  put_off(j, &c->parity.off);
  cr_json_close(j, '}');
  cr_json_open(j, "gradient", '{');
  cr_json_real(j, "max_relative_error", measured(c, (double)c->gradient.max_error));
  cr_json_string(j, "worst", c->gradient.worst);
  cr_json_int(j, "kinks", c->gradient.kinks);
  cr_json_int(j, "lost", c->gradient.lost);
  cr_json_int(j, "samples", c->gradient.samples);
  cr_json_close(j, '}');
  put_edges(j, c);
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

static const char* doubt(const cr_check* c) {
  return c->gradient_check != NULL ? cr_step_check_doubt(c->gradient_check) : "";
}

static void print_json(const cr_check* c, cr_status status, const cr_error* error) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "model", c->path != NULL ? c->path : "");
  cr_json_real(&j, "nv", c->mj != NULL ? (cr_real)c->mj->nv : (cr_real)NAN);
  cr_json_bool(&j, "supported", c->mj != NULL && c->report.unsupported.n == 0);
  put_sentences(&j, "unsupported", &c->report.unsupported);
  put_sentences(&j, "ignored", &c->report.ignored);
  put_sentences(&j, "warnings", &c->report.warnings);
  put_results(&j, c);
  char why[1024] = "";
  if (status == CR_OK) {
    cr_check_explain(c, why, sizeof why);
  }
  cr_json_bool(&j, "passed", c->passed);
  cr_json_string(&j, "why", why);
  cr_json_string(&j, "conflict", c->conflict);
  cr_json_string(&j, "doubt", doubt(c));
  cr_json_real(&j, "rounding", measured(c, c->rounding));
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

static void print_parity(const cr_check* c) {
  const cr_parity* p = &c->parity;
  (void)printf("\nagainst MuJoCo at %d states (%d with contact) and %d edges of them\n", p->states,
               p->states_with_contact, p->edges);
  (void)printf("  %-24s %12s %12s %12s\n", "field", "largest", "difference", "relative");
  for (int i = 0; i < p->n; i++) {
    const cr_parity_row* r = &p->rows[i];
    (void)printf("  %-24s %12.4g %12.2e %12.2e\n", r->name, r->scale, r->absolute,
                 cr_parity_relative(r));
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
  if (p->unsolved > 0) {
    (void)printf(
        "  at %d of them the rows are too stiff for double precision: no step, no gradient\n",
        p->unsolved);
  }
  for (int k = 0; k < CR_N_OFF; k++) {
    if (p->off.times[k] > 0) {
      (void)printf("  MuJoCo's is off here, %d times (docs/parity.md, %s): %s\n", p->off.times[k],
                   cri_off_name((cr_off_kind)k), p->off.text[k]);
    }
  }
  (void)printf("  residual of the solves: MuJoCo %.1e, Carom %.1e\n", p->residual_mujoco,
               p->residual_carom);
}

static void print_edges(const cr_check* c) {
  const cr_edge_result* e = &c->edges;
  (void)printf("gradient at %d edges: worst error %.2e%s%s, %d entries, %d of them at kinks\n",
               e->places, (double)e->max_error, e->worst[0] != 0 ? " at " : "", e->worst,
               e->samples + e->kinks, e->kinks);
  for (int i = 0; i < e->nkink; i++) {
    (void)printf("  kink: %s on the right; the gradient is one of them or between\n", e->kink[i]);
  }
  if (e->unvisited > 0) {
    (void)printf("  %d places have no step; %s\n", e->unvisited, e->why);
  }
}

static void print_text(const cr_check* c) {
  const char* field;
  double parity = cr_parity_worst(&c->parity, &field);
  (void)printf("%s: nv %d, nbody %d, ngeom %d, nu %d\n", c->path, c->m.nv, c->m.nbody, c->m.ngeom,
               c->m.nu);
  print_list("ignored:", &c->report.ignored);
  print_list("warning:", &c->report.warnings);
  print_parity(c);
  (void)printf("\ngradient of a step: worst error %.2e%s%s, %d entries, %d of them at kinks\n",
               (double)c->gradient.max_error, c->gradient.worst[0] != 0 ? " at " : "",
               c->gradient.worst, c->gradient.samples, c->gradient.kinks);
  if (c->gradient.lost > 0) {
    (void)printf(
        "  %d entries are lost: they differ by no more than the round-off of rows that move "
        "nothing, "
        "times their forces\n",
        c->gradient.lost);
  }
  print_edges(c);
  (void)printf("dot-product identity of jvp and vjp: %.2e\n", (double)c->gradient.dot_error);
  (void)printf("\ntimes (us): mj_step %.2f, step %.2f, step_vjp %.2f, mjd_transitionFD %.1f\n",
               c->times.mj_step, c->times.step, c->times.step_vjp, c->times.transition);
  if (c->m.integrator == CR_INT_RK4) {
    (void)printf("  mj_step with RK4; step, step_vjp and mjd_transitionFD with Euler\n");
  }
  (void)printf("  residual at these solves: MuJoCo %.1e, Carom %.1e\n", c->times.residual_mujoco,
               c->times.residual_carom);
  if (c->conflict[0] != '\0') {
    (void)printf("  %s\n", c->conflict);
  }
  if (doubt(c)[0] != 0) {
    (void)printf("  %s\n", doubt(c));
  }
  if (c->rounding > CR_ROUNDING_BOUND) {
    (void)printf(
        "  rounding may be %.1e of the acceleration of %s: its own inertia is lost beside what it "
        "carries\n",
        c->rounding, c->rounding_at);
  }
  (void)printf("\n%s: parity %.2e (%s), bound %.0e; gradient %.2e, bound %.0e\n",
               c->passed ? "passed" : "NOT passed", parity, field, CR_PARITY_BOUND,
               (double)c->gradient.max_error, CR_GRADIENT_BOUND);
  char why[1024];
  cr_check_explain(c, why, sizeof why);
  if (!c->passed && why[0] != '\0') {
    (void)printf("because: %s\n", why);
  }
}

// the first option that is for many models
static const char* given_for_all(const cr_check_all_options* o) {
  return o->csv != NULL        ? "--csv"
         : o->markdown != NULL ? "--markdown"
         : o->jobs > 0         ? "--jobs"
         : o->limit > 0        ? "--limit"
                               : NULL;
}

static cr_status run_one(cr_check* c, const check_options* o, const cr_error* mistake,
                         cr_error* error) {
  c->path = o->all.path;
  c->states = o->all.states;
  c->seed = o->all.seed;
  *error = *mistake;
  CR_TRY(mistake->status);
  const char* given = given_for_all(&o->all);
  if (given != NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: only with --all", given);
  }
  CR_TRY(cr_urdf_arguments(&c->urdf, &o->urdf, c->path, error));
  return cr_check_run(c, error);
}

// mistake: of the command line, which with --json also makes an object
static int check_one(const check_options* o, const cr_error* mistake) {
  cr_error error;
  cr_check* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return cr_cli_no_memory("check");
  }
  cr_status status = run_one(c, o, mistake, &error);
  if (o->json) {
    print_json(c, status, &error);
  }
  int code = c->passed ? 0 : 1;
  if (status != CR_OK) {
    code = cr_cli_fail("check", false, &error, &c->report);
  } else if (!o->json) {
    print_text(c);
  }
  cr_check_free(c);
  free(c);
  return code;
}

static int check_many(const check_options* o) {
  cr_error error = {0};
  int failed = 0;
  cr_status status = CR_OK;
  const char* given = cr_urdf_given(&o->urdf);
  if (o->json) {
    status = cri_fail(&error, CR_ERR_ARG, "--json is for one model; with --all, --csv FILE");
  } else if (given != NULL) {
    status = cri_fail(&error, CR_ERR_ARG, "%s: for one model, not with --all", given);
  } else {
    status = cr_check_all(&o->all, &failed, &error);
  }
  return status != CR_OK ? cr_cli_fail("check", false, &error, NULL) : failed > 0;
}

int cr_cli_check(int argc, char** argv) {
  check_options o = {.all = {.states = 20, .seed = 1}};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.all.path, "MODEL", "MJCF or URDF file"},
      {"--states", CR_OPT_COUNT, &o.all.states, "N", "states to visit (default 20)"},
      {"--seed", CR_OPT_INT, &o.all.seed, "S", "seed of the random states (default 1)"},
      CR_URDF_OPTIONS(o.urdf),
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
      {"--all", CR_OPT_FLAG, &o.many, "",
       "MODEL is a folder of models, or a file with a path a line; print a table"},
      {"--csv", CR_OPT_TEXT, &o.all.csv, "FILE", "--all: write the table as CSV"},
      {"--markdown", CR_OPT_TEXT, &o.all.markdown, "FILE", "--all: write the table as Markdown"},
      {"--jobs", CR_OPT_COUNT, &o.all.jobs, "N",
       "--all: models at once (default: one a processor; times are truest with 1)"},
      {"--limit", CR_OPT_COUNT, &o.all.limit, "T", "--all: seconds a model may take (default 600)"},
  };
  const cr_command_line line = {"check",
                                "Holds a model against MuJoCo field by field, and the gradient of "
                                "a step against differences.",
                                rows, (int)(sizeof rows / sizeof rows[0])};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  (void)cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  return o.many && error.status == CR_OK ? check_many(&o) : check_one(&o, &error);
}
