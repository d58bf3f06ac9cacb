// SPDX-License-Identifier: Apache-2.0
// The digits of models: 200 steps, a gradient of the last 20 and the Jacobian of one more.
//   build/tests/tests/carom_digits [MODEL.crm ...]
// prints a line for each quantity: model, quantity, value, scale. A value is the sum of all numbers of
// the quantity, each times a random weight between -1 and 1; the scale is that of their sizes. There is a second
// program, carom_digits.long_double. scripts/compare_digits.py compares two builds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "carom/carom.h"
#include "model/file.h"

enum { STEPS = 180, LAST = 20 };

static const char* const STATES[] = {"qpos", "qvel", "act"};
static const char* const PARAMETERS[] = {
    "body_mass",     "body_inertia",     "dof_damping",     "dof_armature", "jnt_stiffness",
    "geom_friction", "geom_size",        "geom_solref",     "geom_solimp",  "tendon_stiffness",
    "gravity",       "actuator_gainprm", "actuator_biasprm"};

static void print(const char* model, const char* quantity, const cr_real* x, size_t n) {
  cr_random r = cr_random_seed(14, 0);
  long double value = 0, scale = 0;
  for (size_t i = 0; i < n; i++) {
    long double part = (long double)(cr_random_range(&r, -1, 1) * x[i]);
    value += part;
    scale += part < 0 ? -part : part;
  }
  (void)printf("%s %s %.21Lg %.3Lg\n", model, quantity, value, scale);
}

static void print_view(const char* model, const char* prefix, const char* name, const cr_model* m,
                       cr_data* d) {
  int rows = 0, width = 0;
  const cr_real* x = cr_data_view(m, d, name, &rows, &width);
  char quantity[100];
  (void)snprintf(quantity, sizeof quantity, "%s%s", prefix, name);
  if (x != NULL && rows * width > 0) {
    print(model, quantity, x, (size_t)rows * (size_t)width);
  }
}

// a loss that every number of the last state takes part in
static const char* const LOOKED_AT[] = {"qvel", "act", "xpos"};

static cr_real weight(size_t i) { return (cr_real)((i * 7 + 3) % 11) / 11 - (cr_real)0.4; }

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)context, (void)step;
  for (int k = 0; k < 3; k++) {
    int rows, width;
    const cr_real* x = cr_data_view(m, (cr_data*)(size_t)d, LOOKED_AT[k], &rows, &width);
    for (size_t i = 0; x != NULL && i < (size_t)rows * (size_t)width; i++) {
      *loss += weight(i) * x[i];
    }
  }
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bars) {
  (void)context, (void)d, (void)step;
  for (int k = 0; k < 3; k++) {
    int rows, width;
    cr_real* x = cr_data_view(m, bars, LOOKED_AT[k], &rows, &width);
    for (size_t i = 0; x != NULL && i < (size_t)rows * (size_t)width; i++) {
      x[i] += weight(i);
    }
  }
  return CR_OK;
}

static void start(const cr_model* m, cr_rollout* rollout) {
  cr_random r = cr_random_seed(14, 1);
  cr_real* qvel = cr_data_view(m, cr_rollout_data(rollout), "qvel", NULL, NULL);
  int nv = cr_model_count(m, "nv"), nu = cr_model_count(m, "nu");
  for (int i = 0; i < nv; i++) {
    qvel[i] += (cr_real)0.01 * cr_random_range(&r, -1, 1);
  }
  cr_real* ctrl = cr_rollout_ctrl(rollout);
  for (int i = 0; i < STEPS * nu; i++) {
    ctrl[i] = (cr_real)0.1 * weight((size_t)i);
  }
}

static cr_status jacobian(const char* name, const cr_model* m, cr_data* d, cr_error* error) {
  size_t nv = (size_t)cr_model_count(m, "nv"), nx = 2 * nv + (size_t)cr_model_count(m, "na");
  size_t nu = (size_t)cr_model_count(m, "nu");
  cr_jacobian* work = NULL;
  cr_real* J = calloc(nx * (nx + nu + nv) + 1, sizeof *J);
  cr_status status = cr_step(m, d);
  status = status == CR_OK ? cr_jacobian_create(&work, m, d, error) : status;
  if (status == CR_OK && J != NULL) {
    cr_real *by_ctrl = J + nx * nx, *by_force = by_ctrl + nx * nu;
    status = cr_step_jacobian(m, d, work, J, by_ctrl, by_force);
    print(name, "jacobian.state", J, nx * nx);
    print(name, "jacobian.ctrl", by_ctrl, nx * nu);
    print(name, "jacobian.force", by_force, nx * nv);
  }
  cr_jacobian_destroy(work);
  free(J);
  return status;
}

static cr_status trajectory(const char* name, const cr_model* m, cr_rollout* rollout,
                            cr_error* error) {
  cr_loss loss = {.value = value, .bar = bar, .needs_fields = true};
  start(m, rollout);
  cr_status status = cr_rollout_run(rollout, m, STEPS, NULL, error);
  status = status == CR_OK ? cr_rollout_run(rollout, m, LAST, &loss, error) : status;
  for (int k = 0; k < 3; k++) {
    print_view(name, "", STATES[k], m, cr_rollout_data(rollout));
  }
  status = status == CR_OK ? cr_rollout_gradient(rollout, m, m, &loss, error) : status;
  cr_data* bars = cr_rollout_bar(rollout);
  for (int k = 0; k < 3 && status == CR_OK; k++) {
    print_view(name, "gradient.", STATES[k], m, bars);
  }
  for (size_t k = 0; k < sizeof PARAMETERS / sizeof *PARAMETERS && status == CR_OK; k++) {
    print_view(name, "gradient.", PARAMETERS[k], m, bars);
  }
  size_t controls = (size_t)LAST * (size_t)cr_model_count(m, "nu");
  if (status == CR_OK && controls > 0) {
    print(name, "gradient.ctrl", cr_rollout_ctrl_bar(rollout), controls);
  }
  return status == CR_OK ? jacobian(name, m, cr_rollout_data(rollout), error) : status;
}

static void digits(const char* path) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  cr_model m;
  cr_error error = {0};
  cr_rollout* rollout = NULL;
  cr_status status = cri_model_read(&m, path, &error);
  if (status != CR_OK) {
    (void)printf("%s refused: %s\n", name, error.text);
    return;
  }
  const char* names[sizeof PARAMETERS / sizeof *PARAMETERS];
  int n = 0;
  for (size_t k = 0; k < sizeof PARAMETERS / sizeof *PARAMETERS; k++) {
    cr_rollout* probe = NULL;
    if (cr_rollout_create(&probe, &m, 1, &PARAMETERS[k], 1, &error) == CR_OK) {
      names[n++] = PARAMETERS[k];
    }
    cr_rollout_destroy(probe);
  }
  status = cr_rollout_create(&rollout, &m, STEPS, names, n, &error);
  status = status == CR_OK ? trajectory(name, &m, rollout, &error) : status;
  (void)printf("%s status %d 0\n", name, (int)status);
  (void)fflush(stdout);
  cr_rollout_destroy(rollout);
  cri_model_free(&m);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    digits(argv[i]);
  }
  return 0;
}
