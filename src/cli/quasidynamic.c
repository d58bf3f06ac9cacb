// SPDX-License-Identifier: Apache-2.0
// carom quasidynamic: where servos and contacts come to rest, step after step, and how that depends on pose and setpoints.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/quasidynamic_goal.h"
#include "command/labels.h"
#include "command/setup.h"
#include "tools/clock.h"

enum { HORIZON = 30 };  // steps of --planner mpc

typedef struct {
  cr_setup_options setup;
  const char *mode, *inertia, *csv, *out, *u;
  double smooth, step, reach, scale;
  int steps;
  cr_text_list wrt;
  bool jacobian;
  cr_goal_options goal;
} quasidynamic_options;

typedef struct {
  const quasidynamic_options* o;
  cr_setup setup;
  cr_quasidynamic* steps;
  cr_real *qpos, *A, *B, *P;  // steps + 1 rows; of the last step
  int ncolumn;
  cr_real residual;  // largest of all steps
  double seconds;
} quasidynamic;

// ---- options

static cr_status steps_of(const quasidynamic_options* o, cr_quasidynamic_options* steps,
                          cr_error* error) {
  int mode = cr_enum_value("friction", o->mode), inertia = cr_enum_value("inertia_use", o->inertia);
  if (mode < 0) {
    return cri_fail(error, CR_ERR_ARG, "--mode %s: pyramid or cone is expected", o->mode);
  }
  if (inertia < 0) {
    return cri_fail(error, CR_ERR_ARG, "--inertia %s: whole, scaled or none is expected",
                    o->inertia);
  }
  *steps = (cr_quasidynamic_options){.size = sizeof *steps,
                                     .friction = (cr_friction)mode,
                                     .inertia = (cr_inertia_use)inertia,
                                     .step = (cr_real)o->step,
                                     .weight = (cr_real)o->smooth,
                                     .reach = (cr_real)o->reach,
                                     .scale = (cr_real)o->scale};
  return CR_OK;
}

// ---- the steps

static cr_status told(const quasidynamic* x, cr_status status, int step, cr_error* error) {
  return status == CR_OK
             ? CR_OK
             : cri_fail(error, status, "step %d: %s", step, cr_quasidynamic_error(x->steps));
}

static cr_status make_room(quasidynamic* x, cr_error* error) {
  const size_t n = (size_t)x->setup.nstep + 1, q = (size_t)x->setup.nq, v = (size_t)x->setup.nv;
  const size_t u = (size_t)x->setup.nu;
  CR_TRY(told(x, cr_quasidynamic_set_parameters(x->steps, x->o->wrt.text, x->o->wrt.n), 0, error));
  x->ncolumn = cr_quasidynamic_columns(x->steps);
  x->qpos = calloc(n * q + v * v + v * u + v * (size_t)x->ncolumn + 1, sizeof *x->qpos);
  if (x->qpos == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory for %d steps", x->setup.nstep);
  }
  x->A = x->qpos + n * q;
  x->B = x->A + v * v;
  x->P = x->B + v * u;
  return CR_OK;
}

static cr_status run_steps(quasidynamic* x, cr_error* error) {
  const cr_setup* s = &x->setup;
  const cr_real* u = cr_rollout_ctrl(s->rollout);
  const double start = cri_seconds();
  memcpy(x->qpos, cr_setup_view(s, cr_rollout_data(s->rollout), "qpos"),
         (size_t)s->nq * sizeof *x->qpos);
  for (ptrdiff_t k = 0; k < s->nstep; k++) {
    cr_real* q = x->qpos + k * s->nq;
    CR_TRY(told(x, cr_quasidynamic_step(x->steps, q, u + k * s->nu, q + s->nq), (int)k, error));
    x->residual = (cr_real)fmax((double)x->residual, (double)cr_quasidynamic_residual(x->steps));
    if (x->o->jacobian) {
      CR_TRY(told(x, cr_quasidynamic_jacobian(x->steps, x->A, x->B), (int)k, error));
    }
  }
  x->seconds = cri_seconds() - start;
  return x->ncolumn > 0
             ? told(x, cr_quasidynamic_parameter_jacobian(x->steps, x->P), s->nstep - 1, error)
             : CR_OK;
}

// ---- output

static void put_matrix(cr_json* j, const char* key, const cr_real* x, int rows, int columns) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < rows; i++) {
    cr_json_reals(j, NULL, x + (ptrdiff_t)i * columns, columns);
  }
  cr_json_close(j, ']');
}

static const char* geom_name(const quasidynamic* x, int geom) {
  const char* name = cr_model_name(x->setup.m, "geom", geom);
  return name != NULL ? name : "";
}

static void put_contacts(const quasidynamic* x, cr_json* j) {
  cr_json_open(j, "contacts", '[');
  for (int i = 0; i < cr_quasidynamic_contacts(x->steps); i++) {
    cr_quasidynamic_contact c = {.size = sizeof c};
    if (cr_quasidynamic_get_contact(x->steps, i, &c, NULL) != CR_OK) {
      continue;
    }
    cr_json_open(j, NULL, '{');
    cr_json_open(j, "geoms", '[');
    cr_json_string(j, NULL, geom_name(x, c.geom[0]));
    cr_json_string(j, NULL, geom_name(x, c.geom[1]));
    cr_json_close(j, ']');
    cr_json_real(j, "distance", c.distance);
    cr_json_reals(j, "force", c.force, 3);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void print_json(const quasidynamic* x) {
  cr_json j = {0};
  const cr_setup* s = &x->setup;
  cr_json_open(&j, NULL, '{');
  cr_json_int(&j, "steps", s->nstep);
  cr_json_real(&j, "step", (cr_real)x->o->step);
  cr_json_string(&j, "mode", x->o->mode);
  cr_json_real(&j, "weight", (cr_real)x->o->smooth);
  cr_json_real(&j, "residual", x->residual);
  put_matrix(&j, "qpos", x->qpos, s->nstep + 1, s->nq);
  put_contacts(x, &j);
  if (x->o->jacobian) {
    put_matrix(&j, "A", x->A, s->nv, s->nv);
    put_matrix(&j, "B", x->B, s->nv, s->nu);
  }
  if (x->ncolumn > 0) {
    put_matrix(&j, "by_parameters", x->P, s->nv, x->ncolumn);
  }
  cr_json_real(&j, "seconds", (cr_real)x->seconds);
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

static void print_matrix(const quasidynamic* x, const char* title, const cr_real* J, int columns) {
  (void)printf("%s:\n", title);
  for (int i = 0; i < x->setup.nv; i++) {
    char label[CR_NUMBER_NAME];
    cr_label(x->setup.m, "qpos", i, true, label);
    (void)printf("  %-20s", label);
    for (int j = 0; j < columns; j++) {
      (void)printf(" %10.4g", (double)J[(ptrdiff_t)i * columns + j]);
    }
    (void)printf("\n");
  }
}

static void print_text(const quasidynamic* x) {
  const cr_setup* s = &x->setup;
  const cr_real* end = x->qpos + (ptrdiff_t)s->nstep * s->nq;
  int touching = 0;
  for (int i = 0; i < cr_quasidynamic_contacts(x->steps); i++) {
    cr_quasidynamic_contact c = {.size = sizeof c};
    touching += cr_quasidynamic_get_contact(x->steps, i, &c, NULL) == CR_OK && c.force[0] > 0;
  }
  (void)printf("%d steps of %.4g s, %s, %s: residual at most %.2g\n", s->nstep, x->o->step,
               x->o->mode, x->o->smooth > 0 ? "smoothed" : "exact", (double)x->residual);
  (void)printf("%.0f steps a second%s\n", s->nstep / x->seconds,
               x->o->jacobian ? " with their Jacobians" : "");
  for (int i = 0; i < s->nq; i++) {
    char label[CR_NUMBER_NAME];
    cr_label(s->m, "qpos", i, false, label);
    (void)printf("  %-20s %12.6g -> %12.6g\n", label, (double)x->qpos[i], (double)end[i]);
  }
  (void)printf("contacts with a force in the last step: %d\n", touching);
  if (x->o->jacobian) {
    print_matrix(x, "A, by qpos", x->A, s->nv);
    print_matrix(x, "B, by ctrl", x->B, s->nu);
  }
  if (x->ncolumn > 0) {
    print_matrix(x, "by parameters", x->P, x->ncolumn);
  }
  cr_output_tell(x->o->csv);
  cr_output_tell(x->o->out);
}

// a row a state
static cr_status write_table(const quasidynamic* x, cr_error* error) {
  cr_pose_table table = {.m = x->setup.m};
  cr_status status = CR_OK;
  for (ptrdiff_t k = 0; k <= x->setup.nstep && status == CR_OK; k++) {
    status = cr_pose_table_add(&table, (double)k * x->o->step, x->qpos + k * x->setup.nq, error);
  }
  status = status == CR_OK ? cr_pose_table_write(&table, x->o->csv, x->o->out, error) : status;
  cr_pose_table_free(&table);
  return status;
}

// ---- the command

static int steps_asked(const quasidynamic_options* o) {
  const bool horizon =
      (o->goal.goal.n > 0 || o->goal.turn.n > 0) && strcmp(o->goal.planner, "mpc") == 0;
  return o->steps > 0 ? o->steps : horizon ? HORIZON : 1;
}

static cr_status run(quasidynamic* x, int* code, cr_error* error) {
  const quasidynamic_options* o = x->o;
  cr_setup_options setup = o->setup;
  cr_quasidynamic_options steps;
  if (o->u != NULL && setup.ctrl.n < CR_MAX_LIST) {
    setup.ctrl.text[setup.ctrl.n++] = o->u;
  }
  CR_TRY(steps_of(o, &steps, error));
  CR_TRY(cr_setup_load(&x->setup, &setup, error));
  CR_TRY(cr_setup_output(&setup, "--csv", o->csv, "csv", error));
  CR_TRY(cr_setup_output(&setup, "--out", o->out, "h5 hdf5", error));
  const cr_real timestep = cr_model_timestep(x->setup.m);
  setup.time = o->step * steps_asked(o);
  CR_TRY(cr_model_set_option(x->setup.m, "timestep", (cr_real)o->step, error));
  CR_TRY(cr_setup_rollout(&x->setup, &setup, NULL, 0, error));
  if ((o->goal.goal.n > 0 || o->goal.turn.n > 0)) {
    cr_goal_options goal = o->goal;
    goal.json = o->setup.json;
    goal.csv = o->csv;
    goal.out = o->out;
    goal.guess = setup.ctrl.n > 0;
    return cr_cli_goal(&goal, &x->setup, &steps, timestep, code, error);
  }
  CR_TRY(cr_quasidynamic_create(&x->steps, x->setup.m, &steps, error));
  CR_TRY(make_room(x, error));
  CR_TRY(run_steps(x, error));
  CR_TRY(write_table(x, error));
  if (o->setup.json) {
    print_json(x);
  } else {
    print_text(x);
  }
  return CR_OK;
}

int cr_cli_quasidynamic(int argc, char** argv) {
  quasidynamic_options o = {.setup = CR_SETUP_DEFAULTS,
                            .mode = "pyramid",
                            .inertia = "whole",
                            .step = 0.1,
                            .reach = 0.1,
                            .scale = 10,
                            .goal = CR_GOAL_DEFAULTS};
  const cr_option rows[] = {
      {"", CR_OPT_TEXT, &o.setup.model_path, "MODEL", "MJCF, URDF or Carom model file"},
      {"--keyframe", CR_OPT_TEXT, &o.setup.keyframe, "K",
       "start from a keyframe, by name or number"},
      {"--set", CR_OPT_LIST, &o.setup.set, "NAME=VALUE",
       "pose or model field; VALUE may be a list a,b,c"},
      {"--ctrl", CR_OPT_LIST, &o.setup.ctrl, "NAME=VALUE", "constant setpoint of a servo"},
      {"--u", CR_OPT_TEXT, &o.u, "FILE.csv", "setpoints from a CSV or HDF5 file, a row a step"},
      {"--steps", CR_OPT_COUNT, &o.steps, "N",
       "number of steps (default 1; with --planner mpc 30)"},
      {"--step", CR_OPT_POSITIVE, &o.step, "H", "seconds from rest to rest (default 0.1)"},
      {"--mode", CR_OPT_TEXT, &o.mode, "pyramid|cone",
       "friction: a pyramid (quadratic program, the default) or a circular cone"},
      {"--smooth", CR_OPT_POSITIVE, &o.smooth, "WEIGHT",
       "log barrier: contacts act from a distance, the more the smaller the weight in 1/J "
       "(default: exact)"},
      {"--inertia", CR_OPT_TEXT, &o.inertia, "whole|scaled|none",
       "inertia of what has no servo: the model's (the default), scaled to a share of the softest "
       "servo, or none"},
      {"--scale", CR_OPT_POSITIVE, &o.scale, "S",
       "--inertia scaled: how much softer than the softest servo (default 10)"},
      {"--reach", CR_OPT_POSITIVE, &o.reach, "R",
       "contacts nearer than R metres count (default 0.1)"},
      {"--jacobian", CR_OPT_FLAG, &o.jacobian, "",
       "derivatives of each step by pose (A) and setpoints (B); the last ones are printed"},
      {"--wrt", CR_OPT_LIST, &o.wrt, "NAME",
       "derivative of the last step by a parameter, as geom_friction[box][0]"},
      CR_TREE_OPTIONS(o.goal),
      {"--execute", CR_OPT_FLAG, &o.goal.execute, "",
       "--goal: run the plan in full dynamics and print where it ends"},
      {"--hold", CR_OPT_POSITIVE, &o.goal.hold, "T",
       "--execute: seconds for each step of the plan (default 1)"},
      {"--open-loop", CR_OPT_FLAG, &o.goal.open_loop, "",
       "--execute: setpoints as planned, new grasps set; without corrections and new plans"},
      {"--replans", CR_OPT_INT, &o.goal.replans, "N",
       "--execute: new plans of the tree where an execution ends far from the goal (default 10)"},
      CR_MPC_OPTIONS(o.goal.mpc),
      {"--csv", CR_OPT_TEXT, &o.csv, "FILE.csv", "write the poses: a row a step"},
      {"--out", CR_OPT_TEXT, &o.out, "FILE.h5",
       "the same as HDF5, which carom view and render show"},
      CR_FORCE_OPTION(o.setup.force),
      {"--json", CR_OPT_FLAG, &o.setup.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "quasidynamic",
      "Moves a model from rest to rest: servos, contacts and friction, without velocities.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--keyframe --set --u --steps --mode --smooth --jacobian --goal --planner --csv --out --json",
      {"quasidynamic examples/tasks/planar_hand.xml --keyframe grasp --ctrl left_1=-1.1 --steps 5",
       "quasidynamic examples/tasks/planar_hand.xml --keyframe grasp --goal "
       "'qpos[ball_turn]=3.1416' --execute"}};
  cr_error error = {0};
  quasidynamic x = {.o = &o};
  cr_help help = CR_HELP_NONE;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  int done = 0;
  status = status == CR_OK ? run(&x, &done, &error) : status;
  int code =
      status == CR_OK ? done : cr_cli_fail("quasidynamic", o.setup.json, &error, x.setup.report);
  cr_quasidynamic_destroy(x.steps);
  free(x.qpos);
  cr_setup_free(&x.setup);
  return code;
}
