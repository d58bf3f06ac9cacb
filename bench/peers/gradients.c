// SPDX-License-Identifier: Apache-2.0
// Carom's side of the gradients of gradients.h: by one sweep back, and by differences of the same
// rollouts. Prints JSON with processor times in seconds, values and gradients. Writes its models to MODEL.xml.
// Usage: gradients MODEL.xml
#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gradients.h"

enum { ROUNDS = 5, MOST = 3 * FIVE_LINKS };

static void must(cr_status status, const cr_error* error) {
  if (status != CR_OK) {
    fprintf(stderr, "gradients: %s\n", error->text);
    exit(2);
  }
}

// seconds that this thread has had a processor for
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// the median of a few rounds of `repeat` calls, seconds a call
static double time_of(void (*call)(void* context), void* context, int repeat) {
  double rounds[ROUNDS];
  call(context);
  for (int r = 0; r < ROUNDS; r++) {
    double start = now();
    for (int k = 0; k < repeat; k++) {
      call(context);
    }
    rounds[r] = (now() - start) / repeat;
  }
  qsort(rounds, ROUNDS, sizeof *rounds, ascending);
  return rounds[ROUNDS / 2];
}

static void print_numbers(const char* name, const double* x, int n) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < n; i++) {
    printf(i > 0 ? ", %.12g" : "%.12g", x[i]);
  }
  printf("]");
}

// a function of `context`: how its value is found, and its gradient[n], by a sweep back and by differences
typedef void task(void* context);
typedef struct {
  task *evaluate, *sweep, *differ;
  void* context;
  const double *value, *gradient;
  int n, repeat;
} problem;

static void print_case(const char* name, const problem* p, const char* end) {
  double forward = time_of(p->evaluate, p->context, p->repeat);
  double differences = time_of(p->differ, p->context, p->repeat > 100 ? p->repeat / 100 : 1);
  double gradient = time_of(p->sweep, p->context, p->repeat);
  printf(
      "\"%s\": {\"value\": %.17g, \"forward_s\": %.6g, \"gradient_s\": %.6g, "
      "\"differences_s\": %.6g",
      name, *p->value, forward, gradient, differences);
  print_numbers("gradient", p->gradient, p->n);
  p->differ(p->context);
  print_numbers("by_differences", p->gradient, p->n);
  printf("}%s", end);
}

// ---- the network

typedef struct {
  cr_network* network;
  double weight[WEIGHTS], bar[WEIGHTS], input[INPUTS], output[OUTPUTS], value, *room;
} perceptron;

static void evaluate(void* context) {
  perceptron* p = (perceptron*)context;
  cr_network_forward(p->network, p->weight, p->input, NULL, p->output, NULL, p->room);
  p->value = 0;
  for (int i = 0; i < OUTPUTS; i++) {
    p->value += p->output[i] * p->output[i];
  }
}

static void sweep(void* context) {
  perceptron* p = (perceptron*)context;
  double output_bar[OUTPUTS];
  evaluate(p);
  for (int i = 0; i < OUTPUTS; i++) {
    output_bar[i] = 2 * p->output[i];
  }
  memset(p->bar, 0, sizeof p->bar);
  cr_network_vjp(p->network, p->weight, output_bar, NULL, p->bar, NULL, NULL, p->room);
}

static void differ(void* context) {
  perceptron* p = (perceptron*)context;
  evaluate(p);
  double value = p->value;
  for (int i = 0; i < WEIGHTS; i++) {
    double w = p->weight[i];
    p->weight[i] = w + DIFFERENCE;
    evaluate(p);
    p->bar[i] = (p->value - value) / DIFFERENCE;
    p->weight[i] = w;
  }
}

static void set_layer(double** w, int layer, int units, int inputs) {
  for (int i = 0; i < units; i++) {
    for (int j = 0; j < inputs; j++) {
      *(*w)++ = weight_of(layer, i, j);
    }
  }
  for (int i = 0; i < units; i++) {
    *(*w)++ = offset_of(layer, i);
  }
}

static void time_network(void) {
  static perceptron p;
  cr_error error;
  const cr_layer layers[] = {{.size = sizeof *layers,
                              .kind = CR_LAYER_DENSE,
                              .width = HIDDEN,
                              .activation = CR_ACTIVATION_TANH},
                             {.size = sizeof *layers, .kind = CR_LAYER_DENSE, .width = OUTPUTS}};
  must(cr_network_create(&p.network, INPUTS, layers, 2, &error), &error);
  p.room = (double*)calloc((size_t)cr_network_nroom(p.network), sizeof *p.room);
  double* w = p.weight;
  set_layer(&w, 0, HIDDEN, INPUTS);
  set_layer(&w, 1, OUTPUTS, HIDDEN);
  for (int i = 0; i < INPUTS; i++) {
    p.input[i] = input_of(i);
  }
  const problem x = {evaluate, sweep, differ, &p, &p.value, p.bar, WEIGHTS, 2000};
  print_case("network", &x, ", ");
  cr_network_destroy(p.network);
  free(p.room);
}

// ---- pendulums

typedef struct {
  cr_model* m;
  cr_rollout* rollout;
  cr_loss loss;
  int n, steps;                               // links
  double value, start[MOST], gradient[MOST];  // angles, speeds, masses
} pendulum;

static double* view(cr_data* d, const pendulum* p, const char* name) {
  int rows, width;
  return cr_data_view(p->m, d, name, &rows, &width);
}

static void run(void* context) {
  pendulum* p = (pendulum*)context;
  cr_error error;
  cr_data* d = cr_rollout_data(p->rollout);
  must(cr_data_reset(p->m, d), &(cr_error){.text = "reset"});
  memcpy(view(d, p, "qpos"), p->start, (size_t)p->n * sizeof(double));
  memcpy(view(d, p, "qvel"), p->start + p->n, (size_t)p->n * sizeof(double));
  must(cr_rollout_run(p->rollout, p->m, p->steps, &p->loss, &error), &error);
  p->value = cr_rollout_loss(p->rollout);
}

static void sweep_pendulum(void* context) {
  pendulum* p = (pendulum*)context;
  cr_error error;
  run(p);
  must(cr_rollout_gradient(p->rollout, p->m, p->m, &p->loss, &error), &error);
  cr_data* bar = cr_rollout_bar(p->rollout);
  size_t bytes = (size_t)p->n * sizeof(double);
  memcpy(p->gradient, view(bar, p, "qpos"), bytes);
  memcpy(p->gradient + p->n, view(bar, p, "qvel"), bytes);
  memcpy(p->gradient + 2 * p->n, view(bar, p, "body_mass") + 1, bytes);  // after the world's
}

static void set_mass(pendulum* p, int link, double mass) {
  char name[32];
  cr_error error;
  snprintf(name, sizeof name, "body_mass[%d]", link + 1);
  must(cr_model_set(p->m, name, &mass, 1, &error), &error);
}

static void displace(pendulum* p, int i, double by) {
  p->start[i] += by;
  if (i >= 2 * p->n) {
    set_mass(p, i - 2 * p->n, p->start[i]);
  }
}

static void differ_pendulum(void* context) {
  pendulum* p = (pendulum*)context;
  run(p);
  double value = p->value;
  for (int i = 0; i < 3 * p->n; i++) {
    displace(p, i, DIFFERENCE);
    run(p);
    p->gradient[i] = (p->value - value) / DIFFERENCE;
    displace(p, i, -DIFFERENCE);
  }
}

static void write_model(const pendulum* p, bool ground, const char* path) {
  FILE* to = fopen(path, "w");
  if (to == NULL) {
    fprintf(stderr, "gradients: %s cannot be written\n", path);
    exit(2);
  }
  fprintf(to, "<mujoco><option timestep='%.17g'/><worldbody>%s\n", TIMESTEP,
          ground ? "<geom type='plane' size='5 5 1'/>" : "");
  for (int i = 0; i < p->n; i++) {
    fprintf(
        to,
        "<body pos='0 0 %.17g'><joint axis='0 1 0'/>"
        "<inertial pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
        "<geom size='%.17g' pos='0 0 %.17g' contype='%d' conaffinity='0' friction='%.17g 0 0'/>\n",
        i == 0 ? HEIGHT : -2 * HALF_LENGTH, -HALF_LENGTH, mass_of(i), inertia_of(i), inertia_of(i),
        inertia_of(i), RADIUS, -2 * HALF_LENGTH, ground, FRICTION);
  }
  for (int i = 0; i < p->n; i++) {
    fprintf(to, "</body>");
  }
  fprintf(to, "</worldbody></mujoco>\n");
  fclose(to);
}

static void time_pendulum(const char* name, const char* path, int links, int steps, bool ground,
                          const char* end) {
  pendulum p = {.n = links, .steps = steps};
  cr_error error;
  cr_expression* squares;
  write_model(&p, ground, path);
  must(cr_model_open(&p.m, path, &error), &error);
  if (ground) {
    must(cr_model_set_choice(p.m, "cone", "elliptic", &error), &error);
    must(cr_model_set_choice(p.m, "contact_model", "ncp", &error), &error);
    must(cr_model_set(p.m, "ncp_baumgarte", &BAUMGARTE, 1, &error), &error);
    must(cr_model_set(p.m, "ncp_cfm", &MIXING, 1, &error), &error);
  }
  for (int i = 0; i < links; i++) {
    p.start[i] = angle_of(i);
    p.start[links + i] = speed_of(i);
    p.start[2 * links + i] = mass_of(i);
  }
  const char* parameters[] = {"body_mass"};
  must(cr_expression_create(&squares, p.m, "sum(qpos^2) + sum(qvel^2)", &error), &error);
  p.loss = cr_expression_loss(squares, false);
  must(cr_rollout_create(&p.rollout, p.m, steps, parameters, 1, &error), &error);
  const problem x = {run, sweep_pendulum, differ_pendulum, &p, &p.value, p.gradient, 3 * links, 1};
  print_case(name, &x, end);
  cr_rollout_destroy(p.rollout);
  cr_expression_destroy(squares);
  cr_model_destroy(p.m);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: gradients MODEL.xml\n");
    return 2;
  }
  printf("{");
  time_network();
  time_pendulum("double_pendulum", argv[1], DOUBLE_LINKS, DOUBLE_STEPS, false, ", ");
  time_pendulum("five_links", argv[1], FIVE_LINKS, FIVE_STEPS, true, "}\n");
  return 0;
}
