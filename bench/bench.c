// SPDX-License-Identifier: Apache-2.0
// Carom against MuJoCo, in one process and in turn, on the same sequence of states: a step, the vjp
// of a step for all of state, controls and parameters, and mjd_transitionFD. Prints Markdown.
// Usage: carom_bench NAME=MODEL | NAME=N*MODEL ...
// N*MODEL: N copies of the bodies of an MJCF file beside each other. A model that is not there is skipped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "io/mujoco.h"
#include "io/parity.h"
#include "model/check.h"

enum { STATES = 200, ROUNDS = 15, FD_STATES = 20 };

typedef struct {
  mjModel* mj;
  mjData *d, *states[STATES];
  cr_model m;
  cr_data *c, *bar, *ours[STATES];
  double rows;
  double residual_mujoco, residual_carom;
} scene;

typedef struct {
  double round[ROUNDS];
} timing;

static double now_us(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double quantile(const timing* t, double q) {
  double sorted[ROUNDS];
  memcpy(sorted, t->round, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof sorted[0], ascending);
  return sorted[(int)(q * (ROUNDS - 1) + 0.5)];
}

static double median(const timing* t) { return quantile(t, 0.5); }

// ratio of two timings, round by round
static timing ratio(const timing* a, const timing* b) {
  timing r;
  for (int i = 0; i < ROUNDS; i++) {
    r.round[i] = a->round[i] / b->round[i];
  }
  return r;
}

// ---- the states: a simulation by MuJoCo under random controls, one in ten steps kept

static void record(scene* s) {
  cr_random random = cr_random_seed(7, 0);
  mj_resetData(s->mj, s->d);
  if (s->mj->nkey > 0) {
    mj_resetDataKeyframe(s->mj, s->d, 0);
  }
  for (int k = 0; k < STATES; k++) {
    for (int step = 0; step < 10; step++) {
      for (int i = 0; i < s->mj->nu; i++) {
        s->d->ctrl[i] = 0.5 * (double)cr_random_range(&random, -1, 1);
      }
      mj_step(s->mj, s->d);
    }
    mj_copyData(s->states[k], s->mj, s->d);
    s->rows += (double)s->d->nefc / STATES;
    cri_parity_state(&s->m, s->d, s->ours[k]);
  }
}

// ---- one round of each

static double residual_of(const mjModel* mj, mjData* d) {
  static mjtNum Ma[4096];
  double worst = 0, scale = 0;
  mj_mulM(mj, d, Ma, d->qacc);
  for (int i = 0; i < mj->nv; i++) {
    double r = fabs(Ma[i] - d->qfrc_smooth[i] - d->qfrc_constraint[i]);
    worst = fmax(worst, r);
    scale = fmax(scale, fabs(Ma[i]) + fabs(d->qfrc_smooth[i]) + fabs(d->qfrc_constraint[i]));
  }
  return scale > 0 ? worst / scale : 0;
}

static double mujoco_step(scene* s) {
  double total = 0;
  for (int k = 0; k < STATES; k++) {
    mj_copyData(s->d, s->mj, s->states[k]);
    double start = now_us();
    mj_step(s->mj, s->d);
    total += now_us() - start;
    s->residual_mujoco = fmax(s->residual_mujoco, residual_of(s->mj, s->d));
  }
  return total / STATES;
}

// the step, then its vjp on data that the step has just filled
static void our_step(scene* s, double* step, double* vjp) {
  *step = *vjp = 0;
  for (int k = 0; k < STATES; k++) {
    cri_inputs_copy(&s->m, s->c, s->ours[k]);
    double start = now_us();
    cr_status status = cr_step(&s->m, s->c);
    double middle = now_us();
    for (int i = 0; i < s->m.nv; i++) {
      s->bar->qpos_next[i] = s->bar->qvel_next[i] = 1;
    }
    double seeded = now_us();
    status = status != CR_OK ? status : cr_step_vjp(&s->m, &s->m, s->c, NULL, s->bar);
    *vjp += (now_us() - seeded) / STATES;
    *step += (middle - start) / STATES;
    if (status != CR_OK) {
      (void)fprintf(stderr, "carom_bench: %s%s\n", s->c->error.text, s->bar->error.text);
      exit(3);
    }
    s->residual_carom = fmax(s->residual_carom, (double)s->c->solver_residual);
  }
}

static double transition(scene* s, mjtNum* AB) {
  size_t nx = (size_t)(2 * s->mj->nv + s->mj->na);
  double total = 0;
  int n = s->mj->nv < 50 ? FD_STATES : 1;  // seconds each of the largest
  for (int k = 0; k < n; k++) {
    mj_copyData(s->d, s->mj, s->states[k * (STATES / FD_STATES)]);
    double start = now_us();
    mjd_transitionFD(s->mj, s->d, 1e-6, 0, AB, AB + nx * nx, NULL, NULL);
    total += now_us() - start;
  }
  return total / n;
}

// ---- a row of the table

static void fail(const char* what) {
  (void)fprintf(stderr, "carom_bench: %s\n", what);
  exit(2);
}

// the bodies of a file, n times on a grid, over the rest of it once
static mjModel* copies_of(const char* path, int n) {
  char text[500] = "", prefix[32];
  mjSpec* spec = mj_parseXML(path, NULL, text, (int)sizeof text);
  mjSpec* child = mj_parseXML(path, NULL, text, (int)sizeof text);
  if (spec == NULL || child == NULL) {
    fail(text);
  }
  mjs_setDeepCopy(spec, 1);
  mjsBody *world = mjs_findBody(spec, "world"), *from = mjs_findBody(child, "world");
  for (int i = 1; i < n; i++) {
    mjsFrame* frame = mjs_addFrame(world, NULL);
    frame->pos[0] = 1.5 * (i % 5);
    frame->pos[1] = 1.5 * (i / 5);
    (void)snprintf(prefix, sizeof prefix, "copy%d-", i);
    for (mjsElement* e = mjs_firstChild(from, mjOBJ_BODY, 0); e != NULL;
         e = mjs_nextChild(from, e, 0)) {
      if (mjs_attach(frame->element, e, prefix, "") == NULL) {
        fail(mjs_getError(spec));
      }
    }
  }
  mjModel* mj = mj_compile(spec, NULL);
  if (mj == NULL) {
    fail(mjs_getError(spec));
  }
  mj_deleteSpec(child);
  mj_deleteSpec(spec);
  return mj;
}

static void load(scene* s, const char* path, int copies) {
  cr_error error = {0};
  cr_load_report report = {0};
  if (copies > 1) {
    s->mj = copies_of(path, copies);
  } else if (cri_mujoco_load(&s->mj, path, &report, &error) != CR_OK) {
    fail(error.text);
  }
  cri_mujoco_survey(s->mj, &report);
  if (report.unsupported.n > 0) {
    fail(report.unsupported.text[0]);
  }
  if (cri_model_from_mjmodel(&s->m, s->mj, &error) != CR_OK ||
      cri_model_check(&s->m, &error) != CR_OK) {
    fail(error.text);
  }
  cri_load_report_free(&report);
  // both with Euler and without no-slip; the solver's tolerance is that of the file
  s->mj->opt.integrator = mjINT_EULER;
  s->mj->opt.noslip_iterations = 0;
  s->m.integrator = CR_INT_EULER;
  s->d = mj_makeData(s->mj);
  bool ok = cri_data_create(&s->c, &s->m, NULL, &error) == CR_OK &&
            cri_data_twin(&s->bar, &s->m, s->c, CR_DATA_COTANGENT, NULL, &error) == CR_OK;
  for (int k = 0; ok && k < STATES; k++) {
    s->states[k] = mj_makeData(s->mj);
    ok = cri_data_create(&s->ours[k], &s->m, NULL, &error) == CR_OK;
  }
  if (!ok) {
    fail(error.text);
  }
}

static void print_row(const char* name, const scene* s, const timing* mj, const timing* step,
                      const timing* vjp, const timing* fd) {
  timing a = ratio(step, mj), b = ratio(vjp, step), c = ratio(vjp, fd);
  (void)printf(
      "| %s | %lld | %.1f | %.2f | %.2f | %.2f (%.2f..%.2f) | %.2f | %.2f (%.2f..%.2f) | "
      "%.1f | 1/%.0f | %.0e, %.0e |\n",
      name, (long long)s->mj->nv, s->rows, median(mj), median(step), median(&a), quantile(&a, 0.1),
      quantile(&a, 0.9), median(vjp), median(&b), quantile(&b, 0.1), quantile(&b, 0.9), median(fd),
      1 / median(&c), s->residual_mujoco, s->residual_carom);
  (void)fflush(stdout);
}

static void run(const char* name, const char* path) {
  static scene s;
  char* rest;
  long copies = strtol(path, &rest, 10);
  path = *rest == '*' ? rest + 1 : path;
  if (access(path, R_OK) != 0) {
    (void)fprintf(stderr, "carom_bench: %s is skipped, %s is not there\n", name, path);
    return;
  }
  s = (scene){0};
  load(&s, path, *rest == '*' ? (int)copies : 1);
  record(&s);
  size_t nx = (size_t)(2 * s.mj->nv + s.mj->na);
  mjtNum* AB = calloc(nx * (nx + (size_t)s.mj->nu) + 1, sizeof *AB);
  if (AB == NULL) {
    fail("no memory");
  }
  timing mj, step, vjp, fd;
  (void)mujoco_step(&s);  // warm up
  our_step(&s, &step.round[0], &vjp.round[0]);
  for (int r = 0; r < ROUNDS; r++) {
    mj.round[r] = mujoco_step(&s);
    our_step(&s, &step.round[r], &vjp.round[r]);
    fd.round[r] = transition(&s, AB);
  }
  print_row(name, &s, &mj, &step, &vjp, &fd);
  free(AB);
  for (int k = 0; k < STATES; k++) {
    mj_deleteData(s.states[k]);
    cri_data_free(s.ours[k]);
  }
  mj_deleteData(s.d);
  mj_deleteModel(s.mj);
  cri_data_free(s.c);
  cri_data_free(s.bar);
  cri_model_free(&s.m);
}

// name of the processor, as the system gives it
static void print_machine(void) {
  char line[256];
  FILE* file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
      (void)printf("Machine:%s", colon + 1);
      break;
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
}

int main(int argc, char** argv) {
  time_t day = time(NULL);
  char date[32];
  (void)strftime(date, sizeof date, "%Y-%m-%d", gmtime(&day));
  (void)printf(
      "# Benchmarks\n\nMade by `make bench` (%s), Carom %s against MuJoCo %s, one thread.\n", date,
      cr_version(), mj_versionString());
  print_machine();
  (void)printf(
      "\nBoth engines step the same %d states of one simulation, in turn, %d rounds; times are\n"
      "microseconds, medians over the rounds, ratios are formed round by round (10 %% to 90 %% in\n"
      "brackets). Euler on both sides, no-slip off, warm starts alike, MuJoCo's solver as its "
      "file\n"
      "sets it; residual: the largest |M a - qfrc_smooth - J'f| over its terms, MuJoCo and Carom.\n"
      "`vjp`: the vjp alone on data the step has just filled, for all of state, controls and\n"
      "parameters. `FD`: mjd_transitionFD, one-sided.\n\n"
      "| model | nv | rows | mj_step | step | step / mj_step | vjp | vjp / step | FD | vjp / FD | "
      "residual |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      STATES, ROUNDS);
  for (int i = 1; i < argc; i++) {
    char* equals = strchr(argv[i], '=');
    if (equals == NULL) {
      fail("usage: carom_bench NAME=MODEL ...");
    }
    *equals = 0;
    run(argv[i], equals + 1);
  }
  return 0;
}
