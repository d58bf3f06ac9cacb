// SPDX-License-Identifier: Apache-2.0
// carom check: compares a model with MuJoCo at varied states, its step's gradient with
// differences; tests the dot-product identity, and measures times. With --all, many models; with --jumps, another check.
#include <math.h>
#include <stdio.h>

#include "cli/check_all.h"
#include "cli/check_jumps.h"
#include "cli/commands.h"
#include "command/setup.h"
#include "command/urdf_words.h"

typedef struct {
  cr_check_all_options all;
  const char* blueprint;
  cr_urdf_words urdf;
  cr_check_jumps_options jumps;
  bool many, json, verbose;
} check_options;

// ---- output

// the numbers to print
typedef struct {
  const cr_check* check;
  const char* path;
  cr_check_result r;
  bool verbose;
} shown;

static void put_fields(cr_json* j, const cr_check* c) {
  cr_json_open(j, "fields", '{');
  for (int i = 0; i < cr_check_field_count(c); i++) {
    cr_check_field f = {.size = sizeof f};
    (void)cr_check_get_field(c, i, &f, NULL);
    cr_json_open(j, f.name, '{');
    cr_json_real(j, "absolute", (cr_real)f.absolute);
    cr_json_real(j, "scale", (cr_real)f.scale);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
}

static void put_off(cr_json* j, const cr_check* c) {
  cr_json_open(j, "mujoco_is_off", '{');
  for (int i = 0;; i++) {
    int times;
    const char *worst, *name = cr_check_get_off(c, i, &times, &worst);
    if (name == NULL) {
      break;
    }
    cr_json_open(j, name, '{');
    cr_json_int(j, "times", times);
    cr_json_string(j, "worst", worst);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
}

// null for numbers that were not measured
static cr_real measured(const shown* c, double value) {
  return c->r.states > 0 || c->r.passed ? (cr_real)value : (cr_real)NAN;
}

static void put_edges(cr_json* j, const shown* c) {
  const cr_check_result* e = &c->r;
  cr_json_open(j, "edges", '{');
  cr_json_real(j, "max_relative_error", measured(c, e->edge));
  cr_json_string(j, "worst", e->worst_edge);
  cr_json_int(j, "places", e->edge_places);
  cr_json_int(j, "samples", e->edge_samples);
  cr_json_int(j, "kinks", e->edge_kinks);
  cr_json_open(j, "kinks_told", '[');
  for (int i = 0; cr_check_get_kink(c->check, i) != NULL; i++) {
    cr_json_string(j, NULL, cr_check_get_kink(c->check, i));
  }
  cr_json_close(j, ']');
  cr_json_int(j, "places_without_a_step", e->edge_unvisited);
  cr_json_close(j, '}');
}

static void put_parity(cr_json* j, const shown* c) {
  const cr_check_result* r = &c->r;
  cr_json_open(j, "parity", '{');
  cr_json_real(j, "max_relative_error", measured(c, r->parity));
  cr_json_string(j, "worst_field", r->worst_field);
  cr_json_int(j, "states", r->states);
  cr_json_int(j, "edges", r->edges);
  cr_json_int(j, "states_with_contact", r->states_with_contact);
  cr_json_int(j, "states_without_reference", r->states_without_reference);
  cr_json_int(j, "states_without_solution", r->states_without_solution);
  put_fields(j, c->check);
  cr_json_open(j, "convex_contacts", '{');
  cr_json_int(j, "pairs", r->convex_pairs);
  cr_json_real(j, "distance", (cr_real)r->convex_distance);
  cr_json_int(j, "other_normal", r->convex_other_normal);
  cr_json_int(j, "other_count", r->convex_other_count);
  cr_json_int(j, "other_points", r->convex_other_points);
  cr_json_close(j, '}');
  put_off(j, c->check);
  cr_json_close(j, '}');
}

static void put_times(cr_json* j, const shown* c) {
  const cr_check_result* r = &c->r;
  cr_json_open(j, "time_us", '{');
  cr_json_real(j, "mj_step", measured(c, r->mj_step_us));
  cr_json_real(j, "step", measured(c, r->step_us));
  cr_json_real(j, "step_vjp", measured(c, r->step_vjp_us));
  cr_json_real(j, "mjd_transitionFD", measured(c, r->transition_us));
  cr_json_string(j, "note",
                 r->rk4 ? "mj_step with RK4; step, step_vjp and mjd_transitionFD with Euler"
                        : "all with Euler");
  cr_json_close(j, '}');
  cr_json_open(j, "residual", '{');
  cr_json_real(j, "mujoco", measured(c, r->timed_residual_mujoco));
  cr_json_real(j, "carom", measured(c, r->timed_residual_carom));
  cr_json_close(j, '}');
}

static void put_results(cr_json* j, const shown* c) {
  const cr_check_result* r = &c->r;
  put_parity(j, c);
  cr_json_open(j, "gradient", '{');
  cr_json_real(j, "max_relative_error", measured(c, r->gradient));
  cr_json_string(j, "worst", r->worst_gradient);
  cr_json_int(j, "kinks", r->kinks);
  cr_json_int(j, "lost", r->lost);
  cr_json_int(j, "samples", r->samples);
  cr_json_close(j, '}');
  put_edges(j, c);
  cr_json_real(j, "dot_product_error", measured(c, r->dot_product));
  put_times(j, c);
}

static void print_json(const shown* c, cr_status status, const cr_error* error) {
  const cr_check_result* r = &c->r;
  const cr_load_report* report = cr_check_get_report(c->check);
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "model", c->path != NULL ? c->path : "");
  cr_json_real(&j, "nv", r->opened ? (cr_real)r->nv : (cr_real)NAN);
  cr_json_bool(&j, "supported",
               r->opened && cr_load_report_count(report, CR_LOAD_UNSUPPORTED) == 0);
  cr_put_findings(&j, "unsupported", report, CR_LOAD_UNSUPPORTED);
  cr_put_findings(&j, "ignored", report, CR_LOAD_IGNORED);
  cr_put_findings(&j, "warnings", report, CR_LOAD_WARNING);
  put_results(&j, c);
  cr_json_bool(&j, "passed", r->passed);
  cr_json_string(&j, "why", r->why);
  cr_json_string(&j, "conflict", r->conflict);
  cr_json_string(&j, "doubt", r->doubt);
  cr_json_real(&j, "rounding", measured(c, r->rounding));
  if (status != CR_OK) {
    cr_json_string(&j, "error", error->text);
  }
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_list(const char* title, const cr_load_report* report, cr_load_finding kind) {
  for (int i = 0; i < cr_load_report_count(report, kind); i++) {
    (void)printf("%s %s\n", title, cr_load_report_get(report, kind, i));
  }
}

static void print_fields(const cr_check* c) {
  (void)printf("  %-24s %12s %12s %12s\n", "field", "largest", "difference", "relative");
  for (int i = 0; i < cr_check_field_count(c); i++) {
    cr_check_field f = {.size = sizeof f};
    (void)cr_check_get_field(c, i, &f, NULL);
    (void)printf("  %-24s %12.4g %12.2e %12.2e\n", f.name, f.scale, f.absolute, f.relative);
  }
}

static void print_parity(const shown* c) {
  const cr_check_result* p = &c->r;
  (void)printf("against MuJoCo at %d states (%d with contact) and %d edges of them\n", p->states,
               p->states_with_contact, p->edges);
  if (c->verbose) {
    print_fields(c->check);
  }
  if (p->convex_pairs > 0) {
    (void)printf(
        "  contacts of %d convex pairs: distances differ by %.1e of the geoms' size; MuJoCo "
        "has other points\n  in %d, another number in %d, another normal in %d. The rest is "
        "compared with Carom's points in both\n",
        p->convex_pairs, p->convex_distance, p->convex_other_points, p->convex_other_count,
        p->convex_other_normal);
  }
  if (p->mismatch[0] != 0) {
    (void)printf("  MISMATCH: %s\n", p->mismatch);
  }
  if (p->states_without_reference > 0) {
    (void)printf("  at %d states MuJoCo's own solve did not converge: no reference there\n",
                 p->states_without_reference);
  }
  if (p->states_without_solution > 0) {
    (void)printf(
        "  at %d of them the rows are too stiff for double precision: no step, no gradient\n",
        p->states_without_solution);
  }
  int times;
  const char *worst, *name;
  for (int i = 0; (name = cr_check_get_off(c->check, i, &times, &worst)) != NULL; i++) {
    (void)printf("  MuJoCo's is off here, %d times (docs/parity.md, %s): %s\n", times, name, worst);
  }
  if (c->verbose) {
    (void)printf("  residual of the solves: MuJoCo %.1e, Carom %.1e\n", p->residual_mujoco,
                 p->residual_carom);
  }
}

static void print_edges(const shown* c) {
  const cr_check_result* e = &c->r;
  (void)printf("gradient at %d edges: worst error %.2e%s%s, %d entries, %d of them at kinks\n",
               e->edge_places, e->edge, e->worst_edge[0] != 0 ? " at " : "", e->worst_edge,
               e->edge_samples + e->edge_kinks, e->edge_kinks);
  for (int i = 0; c->verbose && cr_check_get_kink(c->check, i) != NULL; i++) {
    (void)printf("  kink: %s on the right; the gradient is one of them or between\n",
                 cr_check_get_kink(c->check, i));
  }
  if (e->edge_unvisited > 0) {
    (void)printf("  %d places have no step; %s\n", e->edge_unvisited, e->edge_why);
  }
}

static void print_gradient(const shown* c) {
  const cr_check_result* r = &c->r;
  (void)printf("gradient of a step: worst error %.2e%s%s, %d entries, %d of them at kinks\n",
               r->gradient, r->worst_gradient[0] != 0 ? " at " : "", r->worst_gradient, r->samples,
               r->kinks);
  if (r->lost > 0) {
    (void)printf(
        "  %d entries are lost: they differ by no more than the round-off of rows that move "
        "nothing, "
        "times their forces\n",
        r->lost);
  }
  print_edges(c);
  (void)printf("dot-product identity of jvp and vjp: %.2e\n", r->dot_product);
}

static void print_times(const shown* c) {
  const cr_check_result* r = &c->r;
  (void)printf("times (us): mj_step %.2f, step %.2f, step_vjp %.2f, mjd_transitionFD %.1f\n",
               r->mj_step_us, r->step_us, r->step_vjp_us, r->transition_us);
  if (r->rk4) {
    (void)printf("  mj_step with RK4; step, step_vjp and mjd_transitionFD with Euler\n");
  }
  (void)printf("  residual at these solves: MuJoCo %.1e, Carom %.1e\n", r->timed_residual_mujoco,
               r->timed_residual_carom);
}

// the verdict first
static void print_text(const shown* c) {
  const cr_check_result* r = &c->r;
  const cr_load_report* report = cr_check_get_report(c->check);
  (void)printf("%s: parity %.2e (%s), bound %.0e; gradient %.2e, bound %.0e\n",
               r->passed ? "passed" : "NOT passed", r->parity, r->worst_field, r->parity_bound,
               r->gradient, r->gradient_bound);
  if (!r->passed && r->why[0] != '\0') {
    (void)printf("because: %s\n", r->why);
  }
  (void)printf("%s: nv %d, nbody %d, ngeom %d, nu %d\n", c->path, r->nv, r->nbody, r->ngeom, r->nu);
  print_list("ignored:", report, CR_LOAD_IGNORED);
  print_list("warning:", report, CR_LOAD_WARNING);
  print_parity(c);
  print_gradient(c);
  if (c->verbose) {
    print_times(c);
  }
  if (r->conflict[0] != '\0') {
    (void)printf("  %s\n", r->conflict);
  }
  if (r->doubt[0] != 0) {
    (void)printf("  %s\n", r->doubt);
  }
  if (r->rounding > r->rounding_bound) {
    (void)printf(
        "  rounding may be %.1e of the acceleration of %s: its own inertia is lost beside the "
        "inertia that it carries\n",
        r->rounding, r->rounding_at);
  }
}

// the first option for many models that was given
static const char* given_for_all(const cr_check_all_options* o) {
  return o->csv != NULL        ? "--csv"
         : o->markdown != NULL ? "--markdown"
         : o->jobs > 0         ? "--jobs"
         : o->limit > 0        ? "--limit"
                               : NULL;
}

static cr_status run_one(cr_check* c, const check_options* o, const cr_error* mistake,
                         cr_error* error) {
  *error = *mistake;
  CR_TRY(mistake->status);
  const char* given = given_for_all(&o->all);
  if (given != NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: only with --all", given);
  }
  cr_urdf_options urdf;
  CR_TRY(cr_urdf_arguments(&urdf, &o->urdf, o->all.path, error));
  const cr_check_options options = {.size = sizeof options,
                                    .urdf = &urdf,
                                    .states = o->all.states,
                                    .seed = o->all.seed,
                                    .blueprint = o->blueprint};
  return cr_check_run(c, o->all.path, &options, error);
}

// mistake: on the command line, which with --json also prints an object
static int check_one(const check_options* o, const cr_error* mistake) {
  cr_error error;
  cr_check* c = NULL;
  if (cr_check_create(&c, &error) != CR_OK) {
    return cr_cli_no_memory("check");
  }
  cr_status status = run_one(c, o, mistake, &error);
  shown s = {.check = c, .path = o->all.path, .verbose = o->verbose, .r.size = sizeof s.r};
  (void)cr_check_get_result(c, &s.r, NULL);
  if (o->json) {
    print_json(&s, status, &error);
  }
  int code = s.r.passed ? 0 : 1;
  if (status != CR_OK) {
    code = cr_cli_fail("check", false, &error, cr_check_get_report(c));
  } else if (!o->json) {
    print_text(&s);
  }
  cr_check_destroy(c);
  return code;
}

static int check_many(const check_options* o) {
  cr_error error = {0};
  int failed = 0;
  cr_status status = CR_OK;
  const char* given = o->blueprint != NULL ? "--blueprint" : cr_urdf_given(&o->urdf);
  if (o->json) {
    status = cri_fail(&error, CR_ERR_ARG, "--json is for one model; use --csv FILE with --all");
  } else if (given != NULL) {
    status = cri_fail(&error, CR_ERR_ARG, "%s: for one model, not with --all", given);
  } else {
    status = cr_check_all(&o->all, &failed, &error);
  }
  return status != CR_OK ? cr_cli_fail("check", false, &error, NULL) : failed > 0;
}

// options that do not go together
static cr_status check_together(const check_options* o, cr_error* error) {
  const char* given = cr_check_jumps_given(&o->jumps);
  if (!o->jumps.asked && given != NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: only with --jumps", given);
  }
  const char* other = o->many                ? "--all"
                      : o->blueprint != NULL ? "--blueprint"
                                             : given_for_all(&o->all);
  return o->jumps.asked && other != NULL
             ? cri_fail(error, CR_ERR_ARG, "%s: not with --jumps", other)
             : CR_OK;
}

int cr_cli_check(int argc, char** argv) {
  check_options o = {.all = {.states = 20, .seed = 1}, .jumps = CR_CHECK_JUMPS_DEFAULTS};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.all.path, "MODEL", "MJCF or URDF file"},
      {"--states", CR_OPT_COUNT, &o.all.states, "N", "states to visit (default 20)"},
      {"--seed", CR_OPT_INT, &o.all.seed, "S", "seed of the random states (default 1)"},
      CR_URDF_OPTIONS(o.urdf),
      {"--blueprint", CR_OPT_TEXT, &o.blueprint, "FILE",
       "add the corrections of a blueprint; untrained ones must agree with MuJoCo"},
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
      {"--all", CR_OPT_FLAG, &o.many, "",
       "MODEL is a folder of models, or a file with a path a line; print a table"},
      {"--csv", CR_OPT_TEXT, &o.all.csv, "FILE.csv", "--all: write the table as CSV"},
      {"--markdown", CR_OPT_TEXT, &o.all.markdown, "FILE.md", "--all: write the table as Markdown"},
      CR_CHECK_JUMPS_OPTIONS(o.jumps),
      CR_FORCE_OPTION(o.all.force),
      {"--verbose", CR_OPT_FLAG, &o.verbose, "",
       "print every field that was compared, kinks, and times too"},
      {"--jobs", CR_OPT_COUNT, &o.all.jobs, "N",
       "--all: models at once (default: one a processor; times are most exact with 1)"},
      {"--limit", CR_OPT_COUNT, &o.all.limit, "T", "--all: seconds a model may take (default 600)"},
  };
  const cr_command_line line = {
      "check",
      "Compares a model with MuJoCo field by field, and the gradient of a step with differences.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--verbose --states --all --jumps --json --csv --markdown --seed",
      {"check examples/arm.xml", "check --all examples --csv table.csv"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  (void)cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  if (error.status == CR_OK) {
    (void)check_together(&o, &error);
  }
  if (o.jumps.asked) {
    return cr_check_jumps(o.all.path, &o.urdf, &o.jumps, o.json, o.verbose, &error);
  }
  return o.many && error.status == CR_OK ? check_many(&o) : check_one(&o, &error);
}
