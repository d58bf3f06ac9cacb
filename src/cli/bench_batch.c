// SPDX-License-Identifier: Apache-2.0
// The batch of a bench, measured and printed.
#include "cli/bench_batch.h"

#include <stdlib.h>

#include "bench/batch_timing.h"
#include "command/method.h"

typedef struct {
  cr_scene scene;
  cr_batch_bench what;
  cr_batch_measurement x;
} batch_bench;

enum { MOST_THREADS = 1024 };

static cr_status read_threads(cr_batch_bench* what, const char* text, cr_error* error) {
  for (const char* at = text;; at++) {
    char* end;
    long n = strtol(at, &end, 10);
    if (end == at || n < 1 || n > MOST_THREADS || (*end != 0 && *end != ',') ||
        what->ncount == CR_BENCH_COUNTS) {
      return cri_fail(error, CR_ERR_ARG, "--threads %s: up to %d numbers from 1 to %d expected",
                      text, (int)CR_BENCH_COUNTS, (int)MOST_THREADS);
    }
    what->threads[what->ncount++] = (int)n;
    at = end;
    if (*end == 0) {
      return CR_OK;
    }
  }
}

static cr_status measure(batch_bench* b, const cr_bench_batch_options* o, const char* model,
                         cr_error* error) {
  cr_method_options method = CR_METHOD_DEFAULTS;
  method.memory = o->memory;
  b->what = (cr_batch_bench){
      .rollouts = o->rollouts, .steps = o->steps, .rounds = o->rounds, .peer = !o->no_peer};
  if (o->rollouts < 1 || o->steps < 1) {
    return cri_fail(error, CR_ERR_ARG, "--batch %d --steps %d: must be at least 1", o->rollouts,
                    o->steps);
  }
  CR_TRY(read_threads(&b->what, o->threads == NULL ? "1,2" : o->threads, error));
  CR_TRY(cr_method_memory(&method, &b->what.memory, error));
  CR_TRY(cr_scene_open(&b->scene, model, o->states, (uint64_t)o->seed, error));
  return cr_batch_measure(&b->scene, &b->what, (uint64_t)o->seed, &b->x, error);
}

// ---- one number of threads

typedef struct {
  int threads;
  double seconds, forward, mujoco;  // medians
  double step_us;                   // of one step with its gradient
  double faster;                    // than the first number of threads, median over the rounds
  double resident;
} line;

static line line_of(const batch_bench* b, int k) {
  const cr_batch_measurement* x = &b->x;
  cr_timing faster = cr_timing_ratio(&x->gradient[0], &x->gradient[k]);
  double seconds = cr_timing_median(&x->gradient[k]);
  return (line){b->what.threads[k],
                seconds,
                cr_timing_median(&x->forward[k]),
                x->mujoco[k].n > 0 ? cr_timing_median(&x->mujoco[k]) : (double)NAN,
                1e6 * seconds / b->what.rollouts / b->what.steps,
                cr_timing_median(&faster),
                x->resident[k]};
}

static void put(const batch_bench* b, cr_json* j) {
  cr_json_open(j, NULL, '{');
  cr_json_string(j, "model", b->scene.name);
  cr_json_int(j, "nv", b->scene.nv);
  cr_json_int(j, "rollouts", b->what.rollouts);
  cr_json_int(j, "steps", b->what.steps);
  cr_json_int(j, "rounds", b->what.rounds);
  cr_json_real(j, "rows_mib", b->x.rows);
  cr_json_bool(j, "same_bits", b->x.same_bits);
  cr_json_int(j, "mjb_rollout_failed", b->x.failed);
  cr_json_open(j, "threads", '[');
  for (int k = 0; k < b->what.ncount; k++) {
    line l = line_of(b, k);
    cr_json_open(j, NULL, '{');
    cr_json_int(j, "threads", l.threads);
    cr_json_real(j, "seconds", l.seconds);
    cr_json_real(j, "step_with_gradient_us", l.step_us);
    cr_json_real(j, "times_faster", l.faster);
    cr_json_real(j, "forward_seconds", l.forward);
    cr_json_real(j, "mjb_rollout_seconds", l.mujoco);
    cr_json_real(j, "processor_seconds", cr_timing_median(&b->x.gradient_processor[k]));
    cr_json_real(j, "forward_processor_seconds", cr_timing_median(&b->x.forward_processor[k]));
    cr_json_real(j, "resident_mib", l.resident);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
  cr_json_close(j, '}');
}

static void put_csv(const batch_bench* b, bool first, FILE* csv) {
  if (first) {
    (void)fprintf(csv,
                  "model,nv,rollouts,steps,threads,seconds,step_with_gradient_us,times_faster,"
                  "forward_seconds,mjb_rollout_seconds,resident_mib,rows_mib,same_bits\n");
  }
  for (int k = 0; k < b->what.ncount; k++) {
    line l = line_of(b, k);
    (void)fprintf(csv, "\"%s\",%d,%d,%d,%d,%g,%g,%g,%g,", b->scene.name, b->scene.nv,
                  b->what.rollouts, b->what.steps, l.threads, l.seconds, l.step_us, l.faster,
                  l.forward);
    if (!isnan(l.mujoco)) {
      (void)fprintf(csv, "%g", l.mujoco);
    }
    (void)fprintf(csv, ",%g,%g,%d\n", l.resident, b->x.rows, b->x.same_bits);
  }
}

static void print_text(const batch_bench* b) {
  (void)printf("%s: nv %d, %d rollouts of %d steps, %d rounds; rows in and out %.1f MiB; %s\n",
               b->scene.name, b->scene.nv, b->what.rollouts, b->what.steps, b->what.rounds,
               b->x.rows, b->x.same_bits ? "same bits throughout" : "THE BITS DIFFER");
  for (int k = 0; k < b->what.ncount; k++) {
    line l = line_of(b, k);
    (void)printf(
        "  %4d threads: with gradients %8.3f s (%.2f us a step, %.2f times as fast), "
        "forward %.3f s",
        l.threads, l.seconds, l.step_us, l.faster, l.forward);
    if (!isnan(l.mujoco)) {
      (void)printf(", mjb_rollout %.3f s", l.mujoco);
    }
    (void)printf("; %.1f MiB more resident\n", l.resident);
  }
}

static void print_markdown(const batch_bench* b, bool first) {
  if (first) {
    (void)printf(
        "| model | rollouts x steps | threads | with gradients | times faster | forward | "
        "mjb_rollout | forward / mjb_rollout | resident | rows | same bits |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
  }
  for (int k = 0; k < b->what.ncount; k++) {
    line l = line_of(b, k);
    (void)printf("| %s | %d x %d | %d | %.3f s | %.2f | %.3f s | ", b->scene.name, b->what.rollouts,
                 b->what.steps, l.threads, l.seconds, l.faster, l.forward);
    if (isnan(l.mujoco)) {
      (void)printf("| |");
    } else {
      (void)printf("%.3f s | %.2f |", l.mujoco, l.forward / l.mujoco);
    }
    (void)printf(" %.1f MiB | %.1f MiB | %s |\n", l.resident, b->x.rows,
                 b->x.same_bits ? "yes" : "NO");
  }
}

cr_status cr_cli_bench_batch(const cr_bench_batch_options* o, const char* model, bool first,
                             cr_json* j, FILE* csv, cr_error* error) {
  batch_bench* b = calloc(1, sizeof *b);
  if (b == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bench: no memory");
  }
  cr_status status = measure(b, o, model, error);
  if (status == CR_OK && csv != NULL) {
    put_csv(b, first, csv);
  }
  if (status == CR_OK && o->json) {
    put(b, j);
  } else if (status == CR_OK && o->markdown) {
    print_markdown(b, first);
  } else if (status == CR_OK) {
    print_text(b);
  }
  (void)fflush(stdout);
  cr_scene_close(&b->scene);
  free(b);
  return status;
}
