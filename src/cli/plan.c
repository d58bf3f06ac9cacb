// SPDX-License-Identifier: Apache-2.0
// carom plan: controls of a task, once over its horizon, or again and again while the plant moves.
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "command/setup.h"
#include "task/plan_memory.h"
#include "task/plan_motion.h"
#include "task/plan_report.h"
#include "tools/clock.h"
#include "tools/plot.h"
#include "tools/progress.h"

enum { CALM = 10, SAVE_EVERY = 10 };  // iterations; seconds

typedef struct {
  const char *path, *out;
  cr_text_list set;
  bool mpc, live, json, resume, force;
  int threads;
} plan_options;

typedef struct {
  const plan_options* o;
  cr_plan_task task;
  FILE* history;
  cr_progress progress;
  double begun, processor;  // when, on the clocks of the wall and of the processors
  int iterations;           // with those before a resume
  cr_plan_history past;
  double saved;  // when
  cr_plan_result last;
  const char* reason;
  cr_plan_outcome outcome;  // of the plan, or of the motion with --mpc
  double plan_seconds;      // spent on planning
  int replans;
  cr_plan_pace pace;  // in real time
} plan;

// ---- Ctrl-C: the iteration ends, and what there is gets written

static atomic_int interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  atomic_store(&interrupted, 1);
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
}

static bool stopped(void* context) {
  (void)context;
  return atomic_load(&interrupted) != 0;
}

// ---- files of the plan: its knots, the planner to go on from, and the history of costs

static void file_name(const plan* p, const char* name, char path[CR_MAX_PATH + 32]) {
  (void)snprintf(path, CR_MAX_PATH + 32, "%s/%s", p->task.folder, name);
}

static cr_status write_knots(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32], name[CR_CONTROL_NAME];
  char* text = NULL;
  size_t size = 0;
  int n;
  const cr_real* knots = cr_planner_knots(p->task.planning, &n);
  FILE* file = open_memstream(&text, &size);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  for (int i = 0; i < p->task.nu; i++) {
    (void)cr_control_name(p->task.m, i, name, (int)sizeof name, NULL);
    (void)fprintf(file, i == 0 ? "%s" : ",%s", name);
  }
  for (int i = 0; i < n * p->task.nu; i++) {
    (void)fprintf(file, i % p->task.nu == 0 ? "\n%.17g" : ",%.17g", (double)knots[i]);
  }
  (void)fprintf(file, "\n");
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    file_name(p, "knots.csv", path);
    status = cri_file_write(path, text, size, error);
  }
  free(text);
  return status;
}

static cr_status save_memory(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  file_name(p, "planner.h5", path);
  p->saved = cri_seconds();
  return cr_plan_memory_save(&p->task, &p->past, path, error);
}

static void write_row(const plan* p, const double* row) {
  (void)fprintf(p->history, "%.0f,%.17g,%.6g,%.0f,%.0f,%.6g\n", row[CR_PLAN_ITERATION],
                row[CR_PLAN_COST], row[CR_PLAN_SECONDS], row[CR_PLAN_ROLLOUTS], row[CR_PLAN_FAILED],
                row[CR_PLAN_PROCESSOR]);
}

static cr_status open_history(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  file_name(p, "cost.csv", path);
  p->history = fopen(path, "w");
  if (p->history == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
  }
  (void)fprintf(p->history, "iteration,cost,seconds,rollouts,failed,processor_seconds\n");
  for (int i = 0; i < p->past.n; i++) {
    write_row(p, p->past.row + (ptrdiff_t)i * CR_PLAN_COLUMNS);
  }
  (void)fflush(p->history);
  return CR_OK;
}

// the planner as it was, and its history
static cr_status read_back(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  file_name(p, "planner.h5", path);
  CR_TRY(cr_plan_memory_read(&p->task, &p->past, path, error));
  p->iterations = p->past.n;
  if (p->past.n > 0) {
    const double* row = p->past.row + (ptrdiff_t)(p->past.n - 1) * CR_PLAN_COLUMNS;
    p->begun -= row[CR_PLAN_SECONDS];
    p->processor -= row[CR_PLAN_PROCESSOR];
  }
  return CR_OK;
}

// ---- one plan

// notes an iteration, and saves the planner from time to time
static cr_status note(plan* p, cr_error* error) {
  const double row[CR_PLAN_COLUMNS] = {
      p->iterations,    (double)p->last.cost, cri_seconds() - p->begun,
      p->last.rollouts, p->last.failed,       cri_process_seconds() - p->processor};
  CR_TRY(cr_plan_history_add(&p->past, row, CR_PLAN_COLUMNS, error));
  write_row(p, row);
  (void)fflush(p->history);
  return cri_seconds() - p->saved > SAVE_EVERY ? save_memory(p, error) : CR_OK;
}

// whether ten iterations lowered the cost by next to nothing
static bool is_calm(const plan* p, double cost, double before) {
  double tolerance = p->task.planner.tolerance;
  return tolerance > 0 && before - cost <= tolerance * fabs(before);
}

static cr_status iterate(plan* p, int most, cr_error* error) {
  double older[CALM] = {0};
  int known = 0;
  for (int i = p->past.n > CALM ? p->past.n - CALM : 0; i < p->past.n; i++) {
    older[known++ % CALM] = p->past.row[(ptrdiff_t)i * CR_PLAN_COLUMNS + CR_PLAN_COST];
  }
  p->reason = "all iterations were made";
  const double begun = cri_seconds();
  for (int i = 0; i < most; i++) {
    p->last.size = sizeof p->last;
    double start = cri_seconds();
    CR_TRY(cr_planner_improve(p->task.planning, &p->last, error));
    p->plan_seconds += cri_seconds() - start;
    p->iterations++;
    CR_TRY(p->o->mpc ? CR_OK : note(p, error));
    if (cri_progress_due(&p->progress)) {
      char line[128];
      (void)snprintf(line, sizeof line, "iteration %d of %d: cost %.9g", i + 1, most,
                     (double)p->last.cost);
      cri_progress_left(&p->progress, line, cri_seconds() - begun, (double)(i + 1) / most,
                        " at most");
    }
    if (stopped(NULL)) {
      p->reason = "interrupted";
      return CR_OK;
    }
    double cost = (double)p->last.cost, before = older[known % CALM];
    older[known++ % CALM] = cost;
    if (known > CALM && is_calm(p, cost, before)) {
      p->reason = "the cost no longer falls";
      return CR_OK;
    }
  }
  return CR_OK;
}

// the motion of the plan, recorded, and what each term adds
static cr_status record(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  cr_plan_task* t = &p->task;
  file_name(p, "motion.h5", path);
  CR_TRY(cr_plan_motion(t, NULL, path, &p->outcome, error));
  return write_knots(p, error);
}

static void plot(plan* p) {
  cr_error error = {0};
  const cr_panel panel = {
      .title = "cost", .column = "cost", .log_scale = true, .line = (double)NAN};
  if (cri_plot(p->task.folder, "cost.csv", "cost of the plan over iterations", &panel, 1, &error) !=
      CR_OK) {
    (void)fprintf(stderr, "carom plan: warning: %s\n", error.text);
  }
}

static cr_status once(plan* p, cr_error* error) {
  if (p->o->resume) {
    CR_TRY(read_back(p, error));
  }
  CR_TRY(open_history(p, error));
  p->saved = cri_seconds();
  int most = p->task.planner.iterations;  // what an interruption left of them, or as many again
  CR_TRY(iterate(p, p->iterations < most ? most - p->iterations : most, error));
  cri_progress_end(&p->progress);
  CR_TRY(save_memory(p, error));
  CR_TRY(record(p, error));
  if (fclose(p->history) != 0) {
    p->history = NULL;
    return cri_fail(error, CR_ERR_FILE, "%s/cost.csv: cannot be written", p->task.folder);
  }
  p->history = NULL;
  plot(p);
  return CR_OK;
}

// ---- again and again

static cr_status replan(void* context, int step, cr_error* error) {
  plan* p = context;
  p->replans++;
  return iterate(p, step == 0 ? p->task.planner.iterations : p->task.mpc.iterations, error);
}

static cr_status again(plan* p, cr_error* error) {
  char path[CR_MAX_PATH + 32];
  file_name(p, "motion.h5", path);
  const cr_plan_loop loop = {p, replan, stopped, p->o->live ? &p->pace : NULL};
  CR_TRY(cr_plan_follow(&p->task, &loop, path, &p->outcome, error));
  cri_progress_end(&p->progress);
  p->reason = stopped(NULL) ? "interrupted" : "the time is over";
  return write_knots(p, error);
}

// ---- output

static void print_text(const plan* p) {
  const cr_plan_task* t = &p->task;
  if (p->o->live) {
    const cr_live_report* live = &p->pace.live;
    (void)printf("%d steps in %.3g s, %d missed; %d plans, %.3g a second, %d failed\n",
                 p->pace.steps, p->pace.seconds, p->pace.missed, live->plans,
                 live->plans / (p->pace.seconds > 0 ? p->pace.seconds : 1), live->failed);
    (void)printf("a plan is %.3g ms old when it gives a control, %.3g ms at most\n",
                 1e3 * t->step * p->pace.mean_age, 1e3 * t->step * live->oldest);
  } else if (p->o->mpc) {
    (void)printf("%d plans of %d steps, %.3g ms each\n", p->replans, t->nstep,
                 1e3 * p->plan_seconds / (p->replans > 0 ? p->replans : 1));
  } else {
    (void)printf("%d iterations of %s over %d steps in %.3g s: %s\n", p->iterations,
                 cr_enum_word("plan_method", t->planner.method), t->nstep, cri_seconds() - p->begun,
                 p->reason);
  }
  cr_plan_report_print(t, &p->outcome, p->o->mpc ? "cost of motion" : "cost");
  (void)printf("results in %s: motion.h5, knots.csv%s\n", t->folder,
               p->o->mpc ? "" : ", cost.csv, plot.png");
}

static void print_json(const plan* p) {
  const cr_plan_task* t = &p->task;
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "method", cr_enum_word("plan_method", t->planner.method));
  cr_json_bool(&j, "mpc", p->o->mpc);
  cr_json_int(&j, "steps", t->nstep);
  cr_json_int(&j, "iterations", p->iterations);
  cr_json_int(&j, "plans", p->o->live ? p->pace.live.plans : p->o->mpc ? p->replans : 1);
  if (p->o->live) {
    cr_json_int(&j, "failed_plans", p->pace.live.failed);
    cr_json_int(&j, "missed", p->pace.missed);
    cr_json_int(&j, "stale", p->pace.live.stale);
    cr_json_real(&j, "mean_age", (cr_real)(t->step * p->pace.mean_age));
    cr_json_real(&j, "largest_age", (cr_real)(t->step * p->pace.live.oldest));
    cr_json_real(&j, "motion_seconds", (cr_real)p->pace.seconds);
  }
  cr_json_string(&j, "reason", p->reason);
  cr_plan_report_json(t, &p->outcome, &j);
  cr_json_real(&j, "seconds", (cr_real)(cri_seconds() - p->begun));
  cr_json_real(&j, "planning_seconds", (cr_real)p->plan_seconds);
  cr_json_string(&j, "folder", t->folder);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

// the results of an earlier plan stay, unless they are to be overwritten or gone on with
static cr_status check_folder(const plan* p, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, p->task.folder, "motion.h5", error));
  if (p->o->force || p->o->resume || access(path, F_OK) != 0) {
    return CR_OK;
  }
  return cri_fail(error, CR_ERR_FILE,
                  "%s: holds motion.h5 of an earlier plan; --force overwrites it%s", p->task.folder,
                  p->o->mpc ? "" : ", --resume goes on");
}

static cr_status run(plan* p, cr_error* error) {
  const plan_options* o = p->o;
  if (o->path == NULL) {
    return cri_fail(error, CR_ERR_ARG, "a task file is missing; see carom plan --help");
  }
  if (o->live && !o->mpc) {
    return cri_fail(error, CR_ERR_ARG, "--real-time moves a plant: only with --mpc");
  }
  if (o->resume && o->mpc) {
    return cri_fail(error, CR_ERR_ARG, "--resume goes on with one plan; not with --mpc");
  }
  CR_TRY(cr_plan_task_read(&p->task, o->path, &o->set, "plan", o->out, o->threads, error));
  p->outcome.parts = calloc((size_t)p->task.ncost + 1, sizeof *p->outcome.parts);
  if (p->outcome.parts == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  CR_TRY(check_folder(p, error));
  CR_TRY(cri_folder_make(p->task.folder, error));
  catch_signals();
  p->progress = cri_progress_begin();
  p->begun = cri_seconds();
  p->processor = cri_process_seconds();
  CR_TRY(o->mpc ? again(p, error) : once(p, error));
  if (o->json) {
    print_json(p);
  } else {
    print_text(p);
  }
  return stopped(NULL) ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted; --resume goes on")
                       : CR_OK;
}

int cr_cli_plan(int argc, char** argv) {
  plan_options o = {0};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.path, "TASK.yaml", "model, start, cost and planner (docs/planning.md)"},
      {"--mpc", CR_OPT_FLAG, &o.mpc, "",
       "plan, move some steps, plan again, as `mpc` of the task says"},
      {"--real-time", CR_OPT_FLAG, &o.live, "",
       "the plant moves by the clock, the planner beside it: digits depend on the machine"},
      {"--set", CR_OPT_LIST, &o.set, "KEY=VALUE",
       "change the task, as planner.method=cem or cost.upright.weight=2"},
      {"--out", CR_OPT_TEXT, &o.out, "FOLDER",
       "folder of the results (default: the task's, or plan_NAME)"},
      {"--resume", CR_OPT_FLAG, &o.resume, "",
       "go on in the folder, to the same digits as without a stop"},
      {"--threads", CR_OPT_COUNT, &o.threads, "N",
       "threads (default: one a processor); the digits do not depend on it"},
      {"--force", CR_OPT_FLAG, &o.force, "", "overwrite the results of an earlier plan"},
      {"--json", CR_OPT_FLAG, &o.json, "", "print one JSON object"},
  };
  const cr_command_line line = {"plan",
                                "Finds controls that make the cost of a motion low.",
                                rows,
                                (int)(sizeof rows / sizeof rows[0]),
                                "--mpc --set --out --resume --force --json",
                                {"plan examples/tasks/cartpole.yaml --set planner.iterations=20",
                                 "plan examples/tasks/cartpole.yaml --mpc --out swing"}};
  cr_error error = {0};
  plan* p = calloc(1, sizeof *p);
  if (p == NULL) {
    return cr_cli_no_memory("plan");
  }
  p->o = &o;
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    free(p);
    return 0;
  }
  status = status == CR_OK ? run(p, &error) : status;
  cri_progress_end(&p->progress);
  int code = status == CR_OK
                 ? 0
                 : cr_cli_fail("plan", o.json && status != CR_ERR_INTERRUPTED, &error, NULL);
  if (p->history != NULL) {
    (void)fclose(p->history);
  }
  cr_plan_history_free(&p->past);
  cr_plan_task_free(&p->task);
  free(p->outcome.parts);
  free(p);
  return code;
}
