// SPDX-License-Identifier: Apache-2.0
// What a pressure field costs: a ball at rest on a plane, by a point contact and by a pressure field, a step and its cotangent, on one
// thread; processor times of the best of 40 rounds, which take turns. From the root of the project:
//     make && cc -O2 -Iinclude bench/pressure_cost.c build/libcarom.so -Wl,-rpath,build -lm -o build/pressure_cost
//     build/pressure_cost
// With a model its own step, the cotangent and the Jacobian instead, after 1000 steps: carom study mating; build/pressure_cost mating/mating_fields.xml
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "carom/carom.h"

enum { STEPS = 2000, ROUNDS = 40 };

static cr_error error;

static void ok(cr_status status, const char* sentence) {
  if (status != CR_OK) {
    (void)fprintf(stderr, "%s\n", sentence);
    exit(2);
  }
}

// processor time of this thread
static double seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  cr_model* m;
  cr_data *d, *bar;
  double step, vjp;  // s, the best
} scene;

static void open_scene(scene* s, const char* fields) {
  FILE* file = fopen("pressure_cost.xml", "w");
  if (file == NULL) {
    ok(CR_ERR_FILE, "pressure_cost.xml cannot be written");
    return;
  }
  (void)fprintf(
      file,
      "<mujoco><option timestep='0.001'/><worldbody>"
      "<geom name='floor' type='plane' size='1 1 .1'/>"
      "<body pos='0 0 .0995'><freejoint/><geom name='ball' type='sphere' size='.1' mass='1'/>"
      "</body></worldbody>%s</mujoco>",
      fields);
  (void)fclose(file);
  *s = (scene){.step = 1, .vjp = 1};
  ok(cr_model_open(&s->m, "pressure_cost.xml", &error), error.text);
  ok(cr_data_create(&s->d, s->m, &error), error.text);
  ok(cr_data_create_cotangent(&s->bar, s->m, s->d, &error), error.text);
  for (int i = 0; i < STEPS; i++) {
    ok(cr_step(s->m, s->d), cr_data_error(s->d));
    ok(cr_advance(s->m, s->d), cr_data_error(s->d));
  }
  (void)remove("pressure_cost.xml");
}

static void time_round(scene* s, int steps) {
  int rows, width;
  cr_real* bar = cr_data_view(s->m, s->bar, "qvel_next", &rows, &width);
  double begun = seconds();
  for (int i = 0; i < steps; i++) {
    ok(cr_step(s->m, s->d), cr_data_error(s->d));
    ok(cr_advance(s->m, s->d), cr_data_error(s->d));
  }
  double took = (seconds() - begun) / steps;
  s->step = took < s->step ? took : s->step;
  ok(cr_step(s->m, s->d), cr_data_error(s->d));
  begun = seconds();
  for (int i = 0; i < steps; i++) {
    for (int k = 0; k < rows * width; k++) {
      bar[k] = 1;
    }
    ok(cr_step_vjp(s->m, s->m, s->d, NULL, s->bar), cr_data_error(s->bar));
  }
  took = (seconds() - begun) / steps;
  s->vjp = took < s->vjp ? took : s->vjp;
}

// the model of a file
static int time_model(const char* path) {
  enum { SETTLED = 1000, RUNS = 100, MODEL_ROUNDS = 8 };
  scene s = {.step = 1, .vjp = 1};
  cr_jacobian* work;
  double jacobian = 1;
  ok(cr_model_open(&s.m, path, &error), error.text);
  ok(cr_data_create(&s.d, s.m, &error), error.text);
  ok(cr_data_create_cotangent(&s.bar, s.m, s.d, &error), error.text);
  ok(cr_jacobian_create(&work, s.m, s.d, &error), error.text);
  for (int i = 0; i < SETTLED; i++) {
    ok(cr_step(s.m, s.d), cr_data_error(s.d));
    ok(cr_advance(s.m, s.d), cr_data_error(s.d));
  }
  const int nx = 2 * cr_model_count(s.m, "nv") + cr_model_count(s.m, "na");
  cr_real* A = calloc((size_t)(nx * nx), sizeof *A);
  for (int round = 0; round < MODEL_ROUNDS && A != NULL; round++) {
    time_round(&s, RUNS);
    const double begun = seconds();
    for (int i = 0; i < RUNS; i++) {
      ok(cr_step_jacobian(s.m, s.d, work, A, NULL, NULL), "no Jacobian");
    }
    const double took = (seconds() - begun) / RUNS;
    jacobian = took < jacobian ? took : jacobian;
  }
  const char* why = cr_jacobian_fallback(work);
  (void)printf("step %.0f us   vjp %.2f steps   Jacobian %.2f steps%s%s\n", 1e6 * s.step,
               s.vjp / s.step, jacobian / s.step, why != NULL ? ", column by column: " : "",
               why != NULL ? why : "");
  free(A);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    return time_model(argv[1]);
  }
  scene point, field;
  open_scene(&point, "");
  open_scene(&field,
             "<custom><text name='pressure:floor' data='rigid'/><text name='pressure:ball' "
             "data='compliant modulus=1e5 dissipation=2 transition=0.1'/></custom>");
  for (int i = 0; i < ROUNDS; i++) {
    time_round(&point, STEPS);
    time_round(&field, STEPS);
  }
  (void)printf("point contact   step %.2f us   vjp %.2f us, %.2f steps\n", 1e6 * point.step,
               1e6 * point.vjp, point.vjp / point.step);
  (void)printf("pressure field  step %.2f us   vjp %.2f us, %.2f steps   step / point %.2f\n",
               1e6 * field.step, 1e6 * field.vjp, field.vjp / field.step, field.step / point.step);
  return 0;
}
