// SPDX-License-Identifier: Apache-2.0
// carom follow: Carom and MuJoCo side by side until chaos separates them.
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "command/setup.h"
#include "command/urdf_words.h"

typedef struct {
  const char* model;
  cr_urdf_words urdf;
  int steps, seed;
  bool json;
} follow_options;

typedef struct {
  cr_model* m;
  cr_load_report* report;
  double *carom, *twin;
  int *ncon, *nefc;
  int done;
} follow;

static cr_status run(follow* f, const follow_options* o, cr_error* error) {
  cr_urdf_options urdf;
  if (o->steps > 100000000) {
    return cri_fail(error, CR_ERR_ARG, "--steps %d: 1 to 1e8 expected", o->steps);
  }
  CR_TRY(cr_urdf_arguments(&urdf, &o->urdf, o->model, error));
  CR_TRY(cr_load_report_create(&f->report, error));
  CR_TRY(cr_model_open_report(&f->m, o->model, &urdf, f->report, error));
  size_t n = (size_t)o->steps;
  f->carom = calloc(n, sizeof *f->carom);
  f->twin = calloc(n, sizeof *f->twin);
  f->ncon = calloc(n, sizeof *f->ncon);
  f->nefc = calloc(n, sizeof *f->nefc);
  if (f->carom == NULL || f->twin == NULL || f->ncon == NULL || f->nefc == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "follow: no memory");
  }
  const cr_check_options options = {.size = sizeof options, .urdf = &urdf, .seed = o->seed};
  return cr_follow(o->model, &options, o->steps, f->carom, f->twin, f->ncon, f->nefc, &f->done,
                   error);
}

// first step that is more than `far` apart, or -1
static int first_beyond(const follow* f, double far, bool twin) {
  for (int k = 0; k < f->done; k++) {
    double off = twin ? f->twin[k] : f->carom[k];
    if (!(off <= far)) {
      return k + 1;
    }
  }
  return -1;
}

// 1, 2, 5, 10, ... and the last
static bool shown(int step, int last) {
  int power = 1;
  while (10 * power <= step) {
    power *= 10;
  }
  return step == last || step == power || step == 2 * power || step == 5 * power;
}

static const double distances[] = {1e-12, 1e-9, 1e-6, 1e-3};
enum { N_DISTANCES = (int)(sizeof distances / sizeof distances[0]) };

static void print_step(int step) {
  if (step > 0) {
    (void)printf(" %7d", step);
  } else {
    (void)printf(" %7s", "never");
  }
}

// how far apart the engines get, beside the twins
static void print_verdict(const follow* f) {
  double apart = 0, twins = 0;
  for (int k = 0; k < f->done; k++) {
    apart = f->carom[k] > apart ? f->carom[k] : apart;
    twins = f->twin[k] > twins ? f->twin[k] : twins;
  }
  (void)printf("Carom gets %.1e away from MuJoCo, MuJoCo %.1e from itself moved by 1e-15\n", apart,
               twins);
}

static void print_text(const follow* f, const follow_options* o) {
  print_verdict(f);
  (void)printf("%s: nv %d, %d steps under random controls\n\n", o->model,
               cr_model_count(f->m, "nv"), f->done);
  (void)printf("%8s %9s %9s %8s %8s   largest difference, relative\n%8s %9s %9s\n", "step", "Carom",
               "twin", "contacts", "rows", "", "to MuJoCo", "to MuJoCo");
  for (int k = 1; k <= f->done; k++) {
    if (shown(k, f->done)) {
      (void)printf("%8d %9.1e %9.1e %8d %8d\n", k, f->carom[k - 1], f->twin[k - 1], f->ncon[k - 1],
                   f->nefc[k - 1]);
    }
  }
  (void)printf("\nfirst step beyond   Carom    twin (MuJoCo moved by 1e-15 after ten steps)\n");
  for (int i = 0; i < N_DISTANCES; i++) {
    (void)printf("  %-15.0e", distances[i]);
    print_step(first_beyond(f, distances[i], false));
    print_step(first_beyond(f, distances[i], true));
    (void)printf("\n");
  }
  if (f->done < o->steps) {
    (void)printf("after %d steps the state diverges in MuJoCo\n", f->done);
  }
}

static void print_json(const follow* f, const follow_options* o) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "model", o->model);
  cr_json_int(&j, "steps", f->done);
  cr_json_open(&j, "carom", '[');
  for (int k = 0; k < f->done; k++) {
    cr_json_real(&j, NULL, (cr_real)f->carom[k]);
  }
  cr_json_close(&j, ']');
  cr_json_open(&j, "twin", '[');
  for (int k = 0; k < f->done; k++) {
    cr_json_real(&j, NULL, (cr_real)f->twin[k]);
  }
  cr_json_close(&j, ']');
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

int cr_cli_follow(int argc, char** argv) {
  follow_options o = {.steps = 1000, .seed = 1};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.model, "MODEL", "MJCF or URDF file"},
      {"--steps", CR_OPT_COUNT, &o.steps, "N", "steps to follow (default 1000)"},
      {"--seed", CR_OPT_INT, &o.seed, "S", "seed of the random controls (default 1)"},
      CR_URDF_OPTIONS(o.urdf),
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "follow",
      "Runs Carom and MuJoCo side by side, and says how far apart they are after how many steps;\n"
      "beside that, how far apart MuJoCo gets from itself when moved by 1e-15 after ten steps.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--steps --seed --json",
      {"follow examples/arm.xml", "follow examples/cube_toss.xml --steps 200 --seed 3"}};
  cr_error error = {0};
  follow f = {0};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  status = status != CR_OK ? status : run(&f, &o, &error);
  int code = 0;
  if (status != CR_OK) {
    code = cr_cli_fail("follow", o.json, &error, f.report);
  } else if (o.json) {
    print_json(&f, &o);
  } else {
    print_text(&f, &o);
  }
  free(f.carom);
  free(f.twin);
  free(f.ncon);
  free(f.nefc);
  cr_model_destroy(f.m);
  cr_load_report_destroy(f.report);
  return code;
}
