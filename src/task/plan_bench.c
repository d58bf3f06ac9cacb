// SPDX-License-Identifier: Apache-2.0
#include "task/plan_bench.h"

#include <stdio.h>
#include <string.h>

#include "bench/plan_timing.h"
#include "carom/mujoco.h"
#include "task/plan_task.h"

static double ms(const cr_timing* t) { return cr_timing_median(t) / 1000; }

static void show(const cr_plan_bench_options* o, const char* name, const cr_plan_task* t,
                 const cr_plan_measurement* x, cr_json* j) {
  const cr_timing ratio = cr_timing_ratio(&x->instead, &x->iteration);
  const double median = cr_timing_median(&ratio), low = cr_timing_quantile(&ratio, 0.1),
               high = cr_timing_quantile(&ratio, 0.9);
  if (o->json) {
    const cr_real all[] = {(cr_real)median, (cr_real)low, (cr_real)high};
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "task", name);
    cr_json_int(j, "steps", t->nstep);
    cr_json_int(j, "rounds", o->rounds);
    cr_json_int(j, "iterations", o->iterations);
    cr_json_real(j, "iteration_ms", (cr_real)ms(&x->iteration));
    cr_json_real(j, "jacobians_ms", (cr_real)ms(&x->jacobians));
    cr_json_real(j, "mjd_transitionFD_ms", (cr_real)ms(&x->differences));
    cr_json_reals(j, "with_differences_of_iteration", all, 3);
    cr_json_close(j, '}');
  } else if (o->markdown) {
    (void)printf("| %s | %d | %d | %.2f | %.2f | %.2f | %.2f (%.2f..%.2f) |\n", name, t->nstep,
                 t->nu, ms(&x->iteration), ms(&x->jacobians), ms(&x->differences), median, low,
                 high);
  } else {
    (void)printf("%s: %d steps, %d controls, %d rounds of %d iterations\n", name, t->nstep, t->nu,
                 o->rounds, o->iterations);
    (void)printf("  an iteration of ilqr           %9.2f ms\n", ms(&x->iteration));
    (void)printf("  steps and their Jacobians      %9.2f ms\n", ms(&x->jacobians));
    (void)printf("  mjd_transitionFD, one-sided    %9.2f ms\n", ms(&x->differences));
    (void)printf("  an iteration with differences  %9.2f ms, %.2f (%.2f..%.2f) times as long\n",
                 ms(&x->instead), median, low, high);
  }
  (void)fflush(stdout);
}

static cr_status compile(mjModel** mj, const cr_plan_task* t, const char* task, cr_error* error) {
  char folder[CR_MAX_PATH], path[CR_MAX_PATH];
  CR_TRY(cri_path_folder(folder, task, error));
  CR_TRY(cri_path_join(path, folder, t->top.model, error));
  CR_TRY(cr_mujoco_compile(mj, path, NULL, NULL, error));
  (*mj)->opt.timestep = t->step;
  return CR_OK;
}

static cr_status measure(const cr_plan_bench_options* o, const char* path, cr_json* j,
                         cr_error* error) {
  static cr_plan_task task;
  task = (cr_plan_task){.raw = NULL};
  mjModel* mj = NULL;
  cr_plan_measurement x;
  cr_status status = cr_plan_task_read(&task, path, o->set, "plan", NULL, 1, error);
  if (status == CR_OK && (task.planner.method != CR_PLAN_ILQR || task.top.integrator[0] != 0)) {
    status =
        cri_fail(error, CR_ERR_ARG, "%s: --plan times ilqr with the integrator of the file", path);
  }
  status = status == CR_OK ? compile(&mj, &task, path, error) : status;
  if (status == CR_OK) {
    const cr_plan_bench_case what = {task.planning, task.m, mj, task.start, task.nstep};
    status = cr_plan_measure(&what, o->iterations, o->rounds, &x, error);
  }
  if (status == CR_OK) {
    const char* slash = strrchr(path, '/');
    show(o, slash != NULL ? slash + 1 : path, &task, &x, j);
  }
  if (mj != NULL) {
    mj_deleteModel(mj);
  }
  cr_plan_task_free(&task);
  return status;
}

cr_status cr_plan_bench(const cr_plan_bench_options* o, cr_json* j, cr_error* error) {
  if (o->markdown) {
    (void)printf(
        "| task | steps | controls | iteration, ms | steps and Jacobians, ms | "
        "mjd_transitionFD, ms | with differences / iteration |\n"
        "|---|---|---|---|---|---|---|\n");
  }
  for (int i = 0; i < o->tasks->n; i++) {
    CR_TRY(measure(o, o->tasks->text[i], j, error));
  }
  return CR_OK;
}
