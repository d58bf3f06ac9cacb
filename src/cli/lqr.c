// SPDX-License-Identifier: Apache-2.0
// carom lqr: an equilibrium near a pose, the gain of the linear-quadratic regulator there, and whether it holds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "command/labels.h"
#include "command/setup.h"
#include "tools/files.h"

typedef struct {
  cr_setup_options setup;
  double q, qvel, r, push, hold, settle, discount;
  bool hold_pose;
  const char* csv;
} lqr_options;

typedef struct {
  const lqr_options* o;
  cr_setup setup;
  int nx, nu, nv, na;
  cr_data *at, *d;  // the equilibrium; a motion
  cr_jacobian* jacobian;
  cr_real *A, *B, *Q, *R, *K, *closed, *dx, *ctrl;
  cr_real *faded_A, *faded_B;  // with the discount
  cr_real open_radius, radius;
  double end, most;  // distance from the equilibrium after the motion, and the largest
} lqr;

static cr_status make_room(lqr* l, cr_error* error) {
  size_t x = (size_t)l->nx, u = (size_t)l->nu;
  cr_real* at = calloc(4 * x * x + 3 * x * u + u * u + 2 * x + u + 1, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "lqr: no memory for %d states", l->nx);
  }
  l->A = at;
  l->Q = at + x * x;
  l->closed = at + 2 * x * x;
  l->B = at + 3 * x * x;
  l->K = l->B + x * u;
  l->R = l->K + x * u;
  l->dx = l->R + u * u;
  l->ctrl = l->dx + 2 * x;
  l->faded_A = l->ctrl + u;
  l->faded_B = l->faded_A + x * x;
  return CR_OK;
}

static cr_status told(const cr_data* d, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

// costs of later steps count less: the problem of A and B times the root of the discount
static cr_status find_gain(lqr* l, cr_error* error) {
  const cr_real factor = (cr_real)sqrt(l->o->discount);
  cr_error inner = {0};
  for (ptrdiff_t i = 0; i < (ptrdiff_t)l->nx * l->nx; i++) {
    l->faded_A[i] = factor * l->A[i];
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)l->nx * l->nu; i++) {
    l->faded_B[i] = factor * l->B[i];
  }
  cr_status status = cr_lqr(l->nx, l->nu, l->faded_A, l->faded_B, l->Q, l->R, l->K, NULL, &inner);
  if (status == CR_OK) {
    return status;
  }
  return cri_fail(error, status, "%s%s", inner.text,
                  status == CR_ERR_SINGULAR && l->o->discount == 1
                      ? "; --discount 0.999999 leaves alone what no control reaches"
                      : "");
}

static cr_status linearise(lqr* l, cr_error* error) {
  const cr_model* m = l->setup.m;
  CR_TRY(cr_jacobian_create(&l->jacobian, m, l->at, error));
  CR_TRY(told(l->at, cr_step(m, l->at), error));
  cr_status status = cr_step_jacobian(m, l->at, l->jacobian, l->A, l->B, NULL);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_jacobian_error(l->jacobian));
  }
  for (int i = 0; i < l->nx; i++) {
    bool speed = i >= l->nv && i < 2 * l->nv;
    l->Q[(ptrdiff_t)i * l->nx + i] = (cr_real)(speed ? l->o->qvel : l->o->q);
  }
  for (int i = 0; i < l->nu; i++) {
    l->R[(ptrdiff_t)i * l->nu + i] = (cr_real)l->o->r;
  }
  CR_TRY(cr_spectral_radius(l->nx, l->A, &l->open_radius, error));
  CR_TRY(find_gain(l, error));
  for (int i = 0; i < l->nx; i++) {
    for (int j = 0; j < l->nx; j++) {
      cr_real sum = l->A[(ptrdiff_t)i * l->nx + j];
      for (int k = 0; k < l->nu; k++) {
        sum -= l->B[(ptrdiff_t)i * l->nu + k] * l->K[(ptrdiff_t)k * l->nx + j];
      }
      l->closed[(ptrdiff_t)i * l->nx + j] = sum;
    }
  }
  return cr_spectral_radius(l->nx, l->closed, &l->radius, error);
}

static const char* const states[] = {"qpos", "qvel", "act"};

// dx = x (-) x of the equilibrium
static cr_status find_distance(lqr* l, double* distance, cr_error* error) {
  const cr_model* m = l->setup.m;
  cr_setup* s = &l->setup;
  CR_TRY(cr_differentiate_pos(m, l->dx, 1, cr_setup_view(s, l->at, states[0]),
                              cr_setup_view(s, l->d, states[0]), error));
  memcpy(l->dx + l->nv, cr_setup_view(s, l->d, states[1]), (size_t)l->nv * sizeof *l->dx);
  const cr_real *act = cr_setup_view(s, l->d, states[2]),
                *rest = cr_setup_view(s, l->at, states[2]);
  *distance = 0;
  for (int i = 0; i < l->na; i++) {
    l->dx[2 * l->nv + i] = act[i] - rest[i];
  }
  for (int i = 0; i < l->nv; i++) {
    *distance = fmax(*distance, fabs((double)l->dx[i]));
  }
  return CR_OK;
}

// from beside the equilibrium, under u - K dx within the limits
static cr_status hold(lqr* l, cr_error* error) {
  const cr_model* m = l->setup.m;
  cr_setup* s = &l->setup;
  CR_TRY(cr_data_create(&l->d, m, error));
  CR_TRY(told(l->d, cr_state_copy(m, l->at, l->d, CR_STATE_INTEGRATION), error));
  for (int i = 0; i < l->nv; i++) {
    l->dx[i] = (cr_real)(l->o->push * (i % 2 == 0 ? 1 : -1));
  }
  CR_TRY(cr_integrate_pos(m, cr_setup_view(s, l->d, "qpos"), l->dx, 1, error));
  const cr_real* u = cr_setup_view(s, l->at, "ctrl");
  const cr_real* range = cr_model_numbers(m, "actuator_ctrlrange", NULL, NULL);
  const int32_t* limited = cr_model_integers(m, "actuator_ctrllimited", NULL, NULL);
  int steps = (int)(l->o->hold / (double)cr_model_timestep(m) + 0.5);
  for (int k = 0; k < steps; k++) {
    CR_TRY(find_distance(l, &l->end, error));
    l->most = fmax(l->most, l->end);
    for (int i = 0; i < l->nu; i++) {
      l->ctrl[i] = u[i];
      for (int j = 0; j < l->nx; j++) {
        l->ctrl[i] -= l->K[(ptrdiff_t)i * l->nx + j] * l->dx[j];
      }
      if (limited[i] != 0) {
        l->ctrl[i] =
            (cr_real)fmin(fmax((double)l->ctrl[i], (double)range[2 * i]), (double)range[2 * i + 1]);
      }
    }
    CR_TRY(cr_data_set(m, l->d, "ctrl", l->ctrl, l->nu, error));
    CR_TRY(told(l->d, cr_step(m, l->d), error));
    CR_TRY(told(l->d, cr_advance(m, l->d), error));
  }
  return find_distance(l, &l->end, error);
}

// ---- output

static void put_matrix(cr_json* j, const char* key, const cr_real* x, int rows, int columns) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < rows; i++) {
    cr_json_reals(j, NULL, x + (ptrdiff_t)i * columns, columns);
  }
  cr_json_close(j, ']');
}

static void print_json(const lqr* l) {
  cr_json j = {0};
  const cr_setup* s = &l->setup;
  cr_json_open(&j, NULL, '{');
  cr_json_reals(&j, "qpos", cr_setup_view(s, l->at, "qpos"), s->nq);
  cr_json_reals(&j, "act", cr_setup_view(s, l->at, "act"), s->na);
  cr_json_reals(&j, "ctrl", cr_setup_view(s, l->at, "ctrl"), s->nu);
  put_matrix(&j, "A", l->A, l->nx, l->nx);
  put_matrix(&j, "B", l->B, l->nx, l->nu);
  put_matrix(&j, "gain", l->K, l->nu, l->nx);
  cr_json_real(&j, "radius_open", l->open_radius);
  cr_json_real(&j, "radius", l->radius);
  cr_json_real(&j, "pushed", (cr_real)l->o->push);
  cr_json_real(&j, "farthest", (cr_real)l->most);
  cr_json_real(&j, "end", (cr_real)l->end);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_text(const lqr* l) {
  const cr_setup* s = &l->setup;
  const cr_real* u = cr_setup_view(s, l->at, "ctrl");
  char name[CR_CONTROL_NAME];
  (void)printf("equilibrium at");
  for (int i = 0; i < l->nu; i++) {
    (void)cr_control_name(s->m, i, name, (int)sizeof name, NULL);
    (void)printf("%s %s = %.6g", i > 0 ? "," : "", name, (double)u[i]);
  }
  (void)printf("\nlargest eigenvalue: %.9g without feedback, %.9g with it\n",
               (double)l->open_radius, (double)l->radius);
  (void)printf("pushed by %.3g: at most %.3g away, %.3g after %.3g s\n", l->o->push, l->most,
               l->end, l->o->hold);
  cr_output_tell(l->o->csv);
}

static cr_status write_gain(const lqr* l, cr_error* error) {
  char name[CR_CONTROL_NAME];
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", l->o->csv);
  }
  (void)fprintf(file, "control");
  for (int i = 0; i < l->nx; i++) {
    char label[CR_NUMBER_NAME];
    cr_label_of_state(l->setup.m, i, label);
    (void)fprintf(file, ",%s", label);
  }
  for (int i = 0; i < l->nu; i++) {
    (void)cr_control_name(l->setup.m, i, name, (int)sizeof name, NULL);
    (void)fprintf(file, "\n%s", name);
    for (int j = 0; j < l->nx; j++) {
      (void)fprintf(file, ",%.17g", (double)l->K[(ptrdiff_t)i * l->nx + j]);
    }
  }
  (void)fprintf(file, "\n");
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    status = cri_file_write(l->o->csv, text, size, error);
  }
  free(text);
  return status;
}

static cr_status run(lqr* l, cr_error* error) {
  const lqr_options* o = l->o;
  cr_setup_options setup = o->setup;
  CR_TRY(cr_setup_load(&l->setup, &setup, error));
  const cr_model* m = l->setup.m;
  CR_TRY(cr_setup_output(&setup, "--csv", o->csv, "csv", error));
  setup.time = (double)cr_model_timestep(m);
  CR_TRY(cr_setup_rollout(&l->setup, &setup, NULL, 0, error));
  l->nv = l->setup.nv;
  l->na = l->setup.na;
  l->nu = l->setup.nu;
  l->nx = 2 * l->nv + l->na;
  if (o->discount > 1) {
    return cri_fail(error, CR_ERR_ARG, "--discount %.9g: at most 1 is expected", o->discount);
  }
  if (l->nu == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: the model has no controls", setup.model_path);
  }
  CR_TRY(make_room(l, error));
  CR_TRY(cr_data_create(&l->at, m, error));
  cr_data* start = cr_rollout_data(l->setup.rollout);
  CR_TRY(told(l->at, cr_state_copy(m, start, l->at, CR_STATE_INTEGRATION), error));
  CR_TRY(cr_data_set(m, l->at, "ctrl", cr_rollout_ctrl(l->setup.rollout), l->nu, error));
  const cr_equilibrium_options options = {
      .size = sizeof options, .hold_pose = o->hold_pose, .settle = (cr_real)o->settle};
  CR_TRY(cr_equilibrium(m, l->at, &options, error));
  CR_TRY(linearise(l, error));
  CR_TRY(hold(l, error));
  CR_TRY(o->csv != NULL ? write_gain(l, error) : CR_OK);
  if (o->setup.json) {
    print_json(l);
  } else {
    print_text(l);
  }
  return CR_OK;
}

int cr_cli_lqr(int argc, char** argv) {
  lqr_options o = {.setup = CR_SETUP_DEFAULTS,
                   .q = 1,
                   .qvel = 0.1,
                   .r = 1,
                   .push = 1e-3,
                   .hold = 5,
                   .discount = 1};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.setup.model_path, "MODEL", "MJCF, URDF or Carom model file"},
      {"--keyframe", CR_OPT_TEXT, &o.setup.keyframe, "K",
       "look near a keyframe, by name or number"},
      {"--set", CR_OPT_LIST, &o.setup.set, "NAME=VALUE",
       "pose or model field; VALUE may be a list a,b,c"},
      {"--ctrl", CR_OPT_LIST, &o.setup.ctrl, "NAME=VALUE", "control to begin with"},
      {"--integrator", CR_OPT_TEXT, &o.setup.method.integrator, "NAME", "instead of the model's"},
      {"--timestep", CR_OPT_REAL, &o.setup.method.timestep, "H",
       "time step (default: the model's)"},
      {"--hold-pose", CR_OPT_FLAG, &o.hold_pose, "",
       "the pose is the equilibrium; only controls and activations are looked for"},
      {"--settle", CR_OPT_POSITIVE, &o.settle, "T",
       "first let it come to rest on what holds it: so many seconds, slowed down"},
      {"--pose-weight", CR_OPT_POSITIVE, &o.q, "W",
       "weight of pose and activations, squared (default 1)"},
      {"--speed-weight", CR_OPT_POSITIVE, &o.qvel, "W", "weight of velocities (default 0.1)"},
      {"--control-weight", CR_OPT_POSITIVE, &o.r, "W", "weight of controls (default 1)"},
      {"--discount", CR_OPT_POSITIVE, &o.discount, "G",
       "costs of each step count so much of those of the step before (default 1)"},
      {"--push", CR_OPT_POSITIVE, &o.push, "X",
       "how far beside the equilibrium the check begins, m|rad (default 1e-3)"},
      {"--hold", CR_OPT_POSITIVE, &o.hold, "T", "seconds of the check (default 5)"},
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE.csv", "write the gain: a row a control"},
      CR_FORCE_OPTION(o.setup.force),
      {"--json", CR_OPT_FLAG, &o.setup.json, "", "print one JSON object"},
  };
  const cr_command_line line = {"lqr",
                                "Finds an equilibrium and the feedback that holds a model there.",
                                rows,
                                (int)(sizeof rows / sizeof rows[0]),
                                "--keyframe --set --csv --hold-pose --pose-weight --speed-weight "
                                "--control-weight --json",
                                {"lqr examples/tasks/acrobot.xml --csv gain.csv",
                                 "lqr examples/arm.xml --set qpos=0.5,-0.5 --control-weight 10"}};
  cr_error error = {0};
  lqr l = {.o = &o};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  status = status == CR_OK ? run(&l, &error) : status;
  int code = status == CR_OK ? 0 : cr_cli_fail("lqr", o.setup.json, &error, l.setup.report);
  cr_jacobian_destroy(l.jacobian);
  cr_data_destroy(l.at);
  cr_data_destroy(l.d);
  free(l.A);
  cr_setup_free(&l.setup);
  return code;
}
