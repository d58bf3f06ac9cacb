// SPDX-License-Identifier: Apache-2.0
// carom bench: the step and its derivatives against MuJoCo, and where the time goes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/counters.h"
#include "bench/measure_rounds.h"
#include "bench/profile.h"
#include "cli/bench_batch.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/setup.h"
#include "task/plan_bench.h"
#include "tools/files.h"
#include "tools/json.h"

typedef struct {
  cr_text_list models, set;
  int states, rounds, seed, batch, steps, plan;
  const char *threads, *memory;
  bool no_peer;
  bool profile, no_differences, markdown, json, force;
  const char* csv;
} bench_options;

typedef struct {
  const bench_options* o;
  cr_scene scene;
  cr_measurement measured;
  cr_profile profile;
  bool pinned;
  FILE* csv;
} bench;

static const char* const pass_name[CR_PASSES] = {"forward", "jvp", "vjp"};

// ---- numbers that all forms print

// median of a ratio, and its tenth and ninetieth percentile
typedef struct {
  double median, low, high;
} ratio;

static ratio ratio_of(const cr_timing* a, const cr_timing* b) {
  cr_timing r = cr_timing_ratio(a, b);
  return (ratio){cr_timing_median(&r), cr_timing_quantile(&r, 0.1), cr_timing_quantile(&r, 0.9)};
}

// the name of the processor, as the system gives it
static void machine(char* text, size_t size) {
  char line[256];
  (void)snprintf(text, size, "unknown");
  FILE* file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
      line[strcspn(line, "\n")] = 0;
      (void)snprintf(text, size, "%s", colon + 2);
      break;
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
}

// ---- as text

static void print_line(const char* name, const cr_timing* t, const cr_timing* against,
                       const char* of) {
  if (t->n == 0) {
    return;
  }
  (void)printf("  %-28s %12.2f us", name, cr_timing_median(t));
  if (against != NULL) {
    ratio r = ratio_of(t, against);
    (void)printf("  %.3g (%.3g..%.3g) %s", r.median, r.low, r.high, of);
  }
  (void)printf("\n");
}

static void print_profile(const cr_profile* p) {
  double total[CR_PASSES] = {0};
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < CR_PASSES; k++) {
      total[k] += p->row[i].us[k];
    }
  }
  (void)printf("\n  %-16s", "microseconds");
  for (int k = 0; k < CR_PASSES; k++) {
    (void)printf(" %9s      %%", pass_name[k]);
    if (p->counted) {
      (void)printf(" %9s %12s", "cycles", "instructions");
    }
  }
  for (int i = 0; i < p->n; i++) {
    const cr_profile_row* r = &p->row[i];
    (void)printf("\n  %-16s", r->stage);
    for (int k = 0; k < CR_PASSES; k++) {
      (void)printf(" %9.3f %6.1f", r->us[k], 100 * r->us[k] / total[k]);
      if (p->counted) {
        (void)printf(" %9.0f %12.0f", r->cycles[k], r->instructions[k]);
      }
    }
  }
  (void)printf("\n  %-16s", "sum");
  for (int k = 0; k < CR_PASSES; k++) {
    (void)printf(" %9.3f %6.1f", total[k], 100.0);
    if (p->counted) {
      (void)printf(" %9s %12s", "", "");
    }
  }
  (void)printf("\n");
}

static void print_text(const bench* b) {
  const cr_measurement* x = &b->measured;
  (void)printf("%s: nv %d, nu %d; %.1f contacts and %.1f rows a state, %d states, %d rounds%s\n",
               b->scene.name, b->scene.nv, b->scene.nu, b->scene.contacts, b->scene.rows,
               b->scene.nstate, x->step.n, b->pinned ? ", pinned" : "");
  print_line("mj_step", &x->mj_step, NULL, "");
  print_line("step", &x->step, &x->mj_step, "of mj_step");
  print_line("vjp of the step, alone", &x->vjp, &x->step, "of the step");
  print_line("full Jacobian of the step", &x->jacobian, &x->step, "of the step");
  if (x->by_columns > 0) {
    (void)printf("  (column by column in %d of the states)\n", x->by_columns);
  }
  print_line("mjd_transitionFD, one-sided", &x->transition, &x->step, "of the step");
  print_line("mjd_transitionFD, centred", &x->centred, &x->step, "of the step");
  (void)printf("  residual of the solves: MuJoCo %.0e, Carom %.0e\n", x->residual_mujoco,
               x->residual_carom);
  if (b->o->profile) {
    print_profile(&b->profile);
  }
}

// ---- as Markdown

static void print_markdown_head(const bench* b) {
  time_t day = time(NULL);
  char date[32], name[256];
  (void)strftime(date, sizeof date, "%Y-%m-%d", gmtime(&day));
  machine(name, sizeof name);
  (void)printf(
      "# Benchmarks\n\n"
      "Made by `make bench MYOHAND=... MYOARM=... LAIKAGO=...` (%s), Carom %s against MuJoCo %s, "
      "one thread%s.\nMachine: %s\n\n"
      "Both engines step the same %d states of one simulation, in turn, %d rounds, each thing in\n"
      "a loop of its own; times are microseconds, medians over the rounds, ratios are formed\n"
      "round by round (10 %% to 90 %% in brackets). Euler on both sides, no-slip off, warm starts "
      "alike, MuJoCo's solver as its\n"
      "file sets it; residual: the largest |M a - qfrc_smooth - J'f| over its terms, MuJoCo and\n"
      "Carom. `vjp`: the vjp alone on data the step has just filled, for all of state, controls\n"
      "and parameters. `jac`: the Jacobian of the next state by state and controls, on the same\n"
      "data (* column by column in some states). `FD`: mjd_transitionFD, one-sided, and centred, "
      "of\n"
      "the same.\n"
      "One row again: `carom bench MODEL`; where its time goes: `carom bench MODEL --profile`.\n\n"
      "| model | nv | rows | mj_step | step | step / mj_step | vjp | vjp / step | jac | jac / step "
      "| "
      "FD | centred | jac / FD | residual "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      date, cr_version(), mj_versionString(), b->pinned ? ", pinned" : "", name, b->o->states,
      b->o->rounds);
}

static void print_markdown_row(const bench* b) {
  const cr_measurement* x = &b->measured;
  ratio step = ratio_of(&x->step, &x->mj_step), vjp = ratio_of(&x->vjp, &x->step);
  ratio jac = ratio_of(&x->jacobian, &x->step);
  (void)printf("| %s | %d | %.1f | %.2f | %.2f | %.2f (%.2f..%.2f) | %.2f | %.2f (%.2f..%.2f) | ",
               b->scene.name, b->scene.nv, b->scene.rows, cr_timing_median(&x->mj_step),
               cr_timing_median(&x->step), step.median, step.low, step.high,
               cr_timing_median(&x->vjp), vjp.median, vjp.low, vjp.high);
  if (x->jacobian.n > 0) {
    (void)printf("%.2f | %.2f (%.2f..%.2f)%s | ", cr_timing_median(&x->jacobian), jac.median,
                 jac.low, jac.high, x->by_columns > 0 ? " *" : "");
  } else {
    (void)printf("| | ");
  }
  if (x->transition.n > 0) {
    ratio fd = ratio_of(&x->transition, &x->jacobian);
    (void)printf("%.1f | %.1f | 1/%.0f | ", cr_timing_median(&x->transition),
                 cr_timing_median(&x->centred), fd.median);
  } else {
    (void)printf("| | | ");
  }
  (void)printf("%.0e, %.0e |\n", x->residual_mujoco, x->residual_carom);
}

// ---- as JSON and CSV

static void put_ratio(cr_json* j, const char* key, const cr_timing* a, const cr_timing* against) {
  ratio r = a->n > 0 ? ratio_of(a, against) : (ratio){(double)NAN, (double)NAN, (double)NAN};
  const cr_real all[] = {r.median, r.low, r.high};
  cr_json_numbers(j, key, all, 3);
}

static cr_real median_or_null(const cr_timing* t) {
  return t->n > 0 ? cr_timing_median(t) : (double)NAN;
}

static void put_profile(cr_json* j, const cr_profile* p) {
  cr_json_open(j, "profile", '[');
  for (int i = 0; i < p->n; i++) {
    const cr_profile_row* r = &p->row[i];
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "stage", r->stage);
    for (int k = 0; k < CR_PASSES; k++) {
      cr_json_open(j, pass_name[k], '{');
      cr_json_real(j, "us", r->us[k]);
      cr_json_real(j, "cycles", p->counted ? r->cycles[k] : (double)NAN);
      cr_json_real(j, "instructions", p->counted ? r->instructions[k] : (double)NAN);
      cr_json_close(j, '}');
    }
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void put_scene(cr_json* j, const bench* b) {
  const cr_measurement* x = &b->measured;
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "model", b->scene.name);
  cr_json_int(j, "nv", b->scene.nv);
  cr_json_int(j, "nu", b->scene.nu);
  cr_json_real(j, "contacts", b->scene.contacts);
  cr_json_real(j, "rows", b->scene.rows);
  cr_json_int(j, "states", b->scene.nstate);
  cr_json_int(j, "rounds", x->step.n);
  cr_json_bool(j, "pinned", b->pinned);
  cr_json_real(j, "mj_step_us", median_or_null(&x->mj_step));
  cr_json_real(j, "step_us", median_or_null(&x->step));
  cr_json_real(j, "step_vjp_us", median_or_null(&x->vjp));
  cr_json_real(j, "step_jacobian_us", median_or_null(&x->jacobian));
  cr_json_int(j, "step_jacobian_by_columns", x->by_columns);
  cr_json_real(j, "mjd_transitionFD_us", median_or_null(&x->transition));
  cr_json_real(j, "mjd_transitionFD_centred_us", median_or_null(&x->centred));
  cr_json_open(j, "ratio", '{');  // median, 10 %, 90 %
  put_ratio(j, "step_of_mj_step", &x->step, &x->mj_step);
  put_ratio(j, "step_vjp_of_step", &x->vjp, &x->step);
  put_ratio(j, "step_jacobian_of_step", &x->jacobian, &x->step);
  put_ratio(j, "mjd_transitionFD_of_step", &x->transition, &x->step);
  cr_json_close(j, '}');
  cr_json_open(j, "residual", '{');
  cr_json_real(j, "mujoco", x->residual_mujoco);
  cr_json_real(j, "carom", x->residual_carom);
  cr_json_close(j, '}');
  if (b->o->profile) {
    put_profile(j, &b->profile);
  }
  cr_json_close(j, '}');
}

static void put_csv(const bench* b) {
  const cr_measurement* x = &b->measured;
  (void)fprintf(b->csv, "\"%s\",%d,%g,%g", b->scene.name, b->scene.nv, b->scene.contacts,
                b->scene.rows);
  const cr_timing* all[] = {&x->mj_step,  &x->step,       &x->vjp,
                            &x->jacobian, &x->transition, &x->centred};
  for (int i = 0; i < 6; i++) {
    (void)fprintf(b->csv, all[i]->n > 0 ? ",%g" : ",", cr_timing_median(all[i]));
  }
  (void)fprintf(b->csv, ",%g,%g\n", x->residual_mujoco, x->residual_carom);
}

// ---- the run

static cr_status run_one(bench* b, const char* text, cr_error* error) {
  const bench_options* o = b->o;
  CR_TRY(cr_scene_open(&b->scene, text, o->states, (uint64_t)o->seed, error));
  CR_TRY(cr_measure(&b->scene, o->rounds, !o->no_differences, &b->measured, error));
  return o->profile ? cr_profile_take(&b->scene, o->rounds, &b->profile, error) : CR_OK;
}

static void show(const bench* b, cr_json* j) {
  if (b->csv != NULL) {
    put_csv(b);
  }
  if (b->o->json) {
    put_scene(j, b);
  } else if (b->o->markdown) {
    print_markdown_row(b);
  } else {
    print_text(b);
  }
  (void)fflush(stdout);
}

static cr_status run_batches(const bench* b, cr_json* j, cr_error* error) {
  const bench_options* o = b->o;
  const cr_bench_batch_options batch = {.rollouts = o->batch,
                                        .steps = o->steps == 0 ? 100 : o->steps,
                                        .rounds = o->rounds,
                                        .states = o->states,
                                        .seed = o->seed,
                                        .threads = o->threads,
                                        .memory = o->memory,
                                        .no_peer = o->no_peer,
                                        .markdown = o->markdown,
                                        .json = o->json};
  for (int i = 0; i < o->models.n; i++) {
    CR_TRY(cr_cli_bench_batch(&batch, o->models.text[i], i == 0, j, b->csv, error));
  }
  return CR_OK;
}

static cr_status run_plans(bench* b, cr_json* j, cr_error* error) {
  const bench_options* o = b->o;
  const cr_plan_bench_options plans = {.tasks = &o->models,
                                       .set = &o->set,
                                       .rounds = o->rounds,
                                       .iterations = o->plan,
                                       .markdown = o->markdown,
                                       .json = o->json};
  b->pinned = cr_pin();
  return cr_plan_bench(&plans, j, error);
}

static cr_status run_all(bench* b, cr_json* j, cr_error* error) {
  if (b->o->plan > 0) {
    return run_plans(b, j, error);
  }
  if (b->o->batch > 0) {
    return run_batches(b, j, error);
  }
  b->pinned = cr_pin();
  if (b->o->markdown) {
    print_markdown_head(b);
  }
  cr_status status = CR_OK;
  for (int i = 0; i < b->o->models.n && status == CR_OK; i++) {
    status = run_one(b, b->o->models.text[i], error);
    if (status == CR_OK) {
      show(b, j);
    }
    cr_scene_close(&b->scene);
  }
  return status;
}

static cr_status check_options(const bench_options* o, cr_error* error) {
  if (o->states < 1) {
    return cri_fail(error, CR_ERR_ARG, "--states %d: must be at least 1", o->states);
  }
  if (o->rounds < 1 || o->rounds > CR_MAX_ROUNDS) {
    return cri_fail(error, CR_ERR_ARG, "--rounds %d: must be from 1 to %d", o->rounds,
                    (int)CR_MAX_ROUNDS);
  }
  bool of_batch = o->steps != 0 || o->threads != NULL || o->memory != NULL || o->no_peer;
  if (o->batch < 0 || (o->batch == 0 && of_batch)) {
    return cri_fail(
        error, CR_ERR_ARG,
        "--batch %d: rollouts expected; --steps, --threads, --memory and --no-peer need it",
        o->batch);
  }
  if (o->plan < 0 || (o->plan == 0 && o->set.n > 0) ||
      (o->plan > 0 && (o->batch > 0 || o->profile || o->no_differences || o->csv != NULL))) {
    return cri_fail(error, CR_ERR_ARG,
                    "--plan %d: iterations expected; --set needs it; --batch, --profile, "
                    "--no-differences and --csv do not go with it",
                    o->plan);
  }
  if (o->batch > 0 && (o->profile || o->no_differences)) {
    return cri_fail(error, CR_ERR_ARG, "--batch: not with --profile or --no-differences");
  }
  if (o->json && o->markdown) {
    return cri_fail(error, CR_ERR_ARG, "--markdown: not with --json");
  }
  for (int i = 0; o->csv != NULL && i < o->models.n; i++) {
    if (cri_file_same(o->csv, o->models.text[i])) {
      return cri_fail(error, CR_ERR_ARG, "--csv %s: this file is a model; choose another name",
                      o->csv);
    }
  }
  return cr_output_check("--csv", o->csv, "csv", o->force, error);
}

static cr_status run(bench* b, cr_json* j, cr_error* error) {
  CR_TRY(check_options(b->o, error));
  char* text = NULL;
  size_t n = 0;
  if (b->o->csv != NULL) {
    b->csv = open_memstream(&text, &n);
    if (b->csv == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "bench: no memory");
    }
    (void)fputs(b->o->batch > 0
                    ? ""
                    : "model,nv,contacts,rows,mj_step_us,step_us,step_vjp_us,step_jacobian_us,mjd_"
                      "transitionFD_us,"
                      "mjd_transitionFD_centred_us,residual_mujoco,residual_carom\n",
                b->csv);
  }
  cr_status status = run_all(b, j, error);
  if (b->csv != NULL) {
    (void)fclose(b->csv);
    status = status == CR_OK ? cri_file_write(b->o->csv, text, n, error) : status;
    free(text);
    cr_output_tell(status == CR_OK && !b->o->json && !b->o->markdown ? b->o->csv : NULL);
  }
  return status;
}

int cr_cli_bench(int argc, char** argv) {
  bench_options o = {.states = 200, .rounds = 15, .seed = 7};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &o.models, "MODEL ...",
       "MJCF or URDF file; N*FILE: N copies of its bodies side by side; chain:N, stack:N: made "
       "models; each may begin with NAME="},
      {"--states", CR_OPT_INT, &o.states, "N", "states of the simulation (default 200)"},
      {"--rounds", CR_OPT_INT, &o.rounds, "N", "rounds over all states (default 15)"},
      {"--seed", CR_OPT_INT, &o.seed, "S", "seed of the random controls (default 7)"},
      {"--profile", CR_OPT_FLAG, &o.profile, "",
       "time of every stage, forward, jvp and vjp; cycles and instructions where they are counted"},
      {"--no-differences", CR_OPT_FLAG, &o.no_differences, "",
       "leave mjd_transitionFD out, which takes long with large models"},
      {"--batch", CR_OPT_INT, &o.batch, "N",
       "instead: N rollouts with gradients, for several numbers of threads, and mjb_rollout"},
      {"--steps", CR_OPT_INT, &o.steps, "K", "--batch: steps of a rollout (default 100)"},
      {"--threads", CR_OPT_TEXT, &o.threads, "T1,T2,...", "--batch: threads (default 1,2)"},
      {"--memory", CR_OPT_TEXT, &o.memory, "BYTES",
       "--batch: limit for the stored states of a thread, as 64M (default: none)"},
      {"--no-peer", CR_OPT_FLAG, &o.no_peer, "", "--batch: leave mjb_rollout out"},
      {"--plan", CR_OPT_INT, &o.plan, "N",
       "instead: MODEL is a task of carom plan; N iterations of ilqr, and what they would take "
       "with mjd_transitionFD"},
      {"--set", CR_OPT_LIST, &o.set, "KEY=VALUE", "--plan: changes the tasks, as carom plan does"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE.csv", "write the times as CSV, a row a model"},
      CR_FORCE_OPTION(o.force),
      {"--markdown", CR_OPT_FLAG, &o.markdown, "", "print a table in Markdown"},
      {"--json", CR_OPT_FLAG, &o.json, "",
       "print one JSON object, with a list if there are several models"},
  };
  const cr_command_line line = {
      "bench",
      "Times a step, its vjp and its Jacobian against MuJoCo, in turn, on the same "
      "states.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--profile --states --rounds --batch --no-differences --csv --markdown --json",
      {"bench examples/cube_toss.xml --states 20 --rounds 5",
       "bench examples/arm.xml chain:20 --states 20 --rounds 5 --csv times.csv"}};
  cr_error error = {0};
  cr_json j = {0};
  bench b = {.o = &o};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  bool many = o.json && o.models.n > 1;
  if (many) {
    cr_json_open(&j, NULL, '{');
    cr_json_open(&j, "models", '[');
  }
  status = status == CR_OK ? run(&b, &j, &error) : status;
  if (status != CR_OK) {
    cr_json_free(&j);
    return cr_cli_fail("bench", o.json, &error, NULL);
  }
  if (many) {
    cr_json_close(&j, ']');
    cr_json_close(&j, '}');
  }
  if (o.json) {
    cr_json_finish(&j);
  }
  return 0;
}
