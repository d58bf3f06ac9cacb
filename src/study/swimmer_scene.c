// SPDX-License-Identifier: Apache-2.0
// Swimmers as MJCF text, and how they move.
#include "study/swimmer_scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"
#include "study/scenes.h"

const char* const cri_swimmer_media[CR_SWIMMER_MEDIA + 1] = {"water25", "water5", "air25",
                                                             "vacuum"};
static const double density[CR_SWIMMER_MEDIA + 1] = {997, 1000, 1.184, 0};                 // kg/m^3
static const double viscosity[CR_SWIMMER_MEDIA + 1] = {0.00089, 0.001518, 0.00001849, 0};  // Pa s

// ---- the model

static const char head_text[] =
    "<mujoco model=\"swimmer\">\n"
    "  <option timestep=\"0.01\" gravity=\"0 0 0\" density=\"%.9g\" viscosity=\"%.9g\"/>\n"
    "  <default>\n"
    "    <geom type=\"capsule\" size=\"0.015\" fromto=\"0 0 0 -0.1 0 0\" contype=\"0\" "
    "conaffinity=\"0\"/>\n"
    "    <joint axis=\"0 0 1\" stiffness=\"0.01\" damping=\"0.0003\"/>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <body>\n"
    "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\" stiffness=\"0\" damping=\"0\"/>\n"
    "      <joint name=\"y\" type=\"slide\" axis=\"0 1 0\" stiffness=\"0\" damping=\"0\"/>\n"
    "      <joint name=\"heading\" stiffness=\"0\" damping=\"0\"/>\n"
    "      <geom/>\n"
    "      <site name=\"link_0\" pos=\"-0.05 0 0\"/>\n";

static const char link_text[] = "    <body pos=\"-0.1 0 0\"><joint name=\"hinge_%d\"/><geom/>\n";
static const char site_text[] = "    <site name=\"link_%d\" pos=\"-0.05 0 0\"/>\n";
static const char motor_text[] = "    <motor joint=\"hinge_%d\" gear=\"0.02\"/>\n";

static const char* const idle_text[CR_SWIMMER_PUSHES] = {
    "    <general name=\"surge_%d\" gear=\"1 0 0 0 0 0\" gainprm=\"0\"",
    "    <general name=\"sway_%d\" gear=\"0 1 0 0 0 0\" gainprm=\"0\"",
    "    <general name=\"yaw_%d\" gear=\"0 0 0 0 0 1\" gainprm=\"0\""};

enum { TEXT = 8192 };

// appends to a text of TEXT characters
static int put(char* text, int at, const char* format, int number) {
  int n = snprintf(text + at, (size_t)(TEXT - at), format, number);
  return at + n < TEXT ? at + n : TEXT - 1;
}

cr_status cri_swimmer_open(const cr_notebook* book, int links, int medium, cr_model** m,
                           cr_error* error) {
  char text[TEXT], name[32];
  int at = snprintf(text, sizeof text, head_text, density[medium], viscosity[medium]);
  for (int i = 1; i < links; i++) {
    at = put(text, at, link_text, i);
    at = put(text, at, site_text, i);
  }
  for (int i = 0; i < links; i++) {
    at = put(text, at, "    </body>\n", 0);
  }
  at = put(text, at, "  </worldbody>\n  <actuator>\n", 0);
  for (int i = 1; i < links; i++) {
    at = put(text, at, motor_text, i);
  }
  for (int i = 0; i < links * CR_SWIMMER_PUSHES; i++) {
    at = put(text, at, idle_text[i % CR_SWIMMER_PUSHES], i / CR_SWIMMER_PUSHES);
    at = put(text, at, " site=\"link_%d\"/>\n", i / CR_SWIMMER_PUSHES);
  }
  (void)put(text, at, "  </actuator>\n</mujoco>\n", 0);
  (void)snprintf(name, sizeof name, "swimmer_%d_%s", links, cri_swimmer_media[medium]);
  return cri_scene_open(book, name, text, m, error);
}

// ---- motions

enum { HOLD = 20 };

cr_status cri_swimmer_move(cr_swimmer_motion* motion, const cr_model* m, uint64_t seed,
                           uint64_t stream, cr_real torque, int rows, cr_error* error) {
  int dofs = cr_model_count(m, "nv"), nu = cr_model_count(m, "nu");
  cr_random random = cr_random_seed(seed, stream);
  cr_real qpos[CR_SWIMMER_MOST_DOFS] = {0}, qvel[CR_SWIMMER_MOST_DOFS] = {0};
  *motion = (cr_swimmer_motion){.dofs = dofs, .nu = nu};
  motion->ctrl = calloc((size_t)rows * (size_t)nu, sizeof *motion->ctrl);
  if (motion->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "swimmer: no memory");
  }
  qpos[CR_SWIMMER_HEADING] = cr_random_range(&random, -CR_PI, CR_PI);
  for (int j = CR_SWIMMER_ROOT; j < dofs; j++) {
    qpos[j] = cr_random_range(&random, CR_R(-0.7), CR_R(0.7));
  }
  for (int i = 0; i < rows - 1; i++) {
    for (int j = 0; j < dofs - CR_SWIMMER_ROOT; j++) {
      cr_real* ctrl = motion->ctrl + (ptrdiff_t)nu * i + j;
      *ctrl = i % HOLD == 0 ? torque * cr_random_range(&random, -1, 1) : ctrl[-nu];
    }
  }
  return cri_states_drive(&motion->states, m, qpos, qvel, motion->ctrl, rows, error);
}

void cri_swimmer_free(cr_swimmer_motion* motion) {
  cri_states_free(&motion->states);
  free(motion->ctrl);
  *motion = (cr_swimmer_motion){0};
}

static void negate(cr_real* x, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; i++) {
    x[i] = -x[i];
  }
}

void cri_swimmer_mirror(cr_swimmer_motion* motion) {
  const cr_states* s = &motion->states;
  for (int i = 0; i < s->rows; i++) {  // x stays
    ptrdiff_t row = (ptrdiff_t)motion->dofs * i;
    negate(s->q + row + 1, motion->dofs - 1);
    negate(s->v + row + 1, motion->dofs - 1);
  }
  negate(motion->ctrl, (ptrdiff_t)(s->rows - 1) * motion->nu);
}

// what an error of a position counts by: m, rad; of a velocity ten times as much a second
static cr_real noise_of(int dof) { return dof < CR_SWIMMER_HEADING ? CR_R(0.002) : CR_R(0.01); }

static void name_of(int dof, char* name, size_t room) {
  static const char* const root[CR_SWIMMER_ROOT] = {"x", "y", "heading"};
  (void)(dof < CR_SWIMMER_ROOT
             ? snprintf(name, room, "%s", root[dof])
             : snprintf(name, room, "hinge_%d", (dof - CR_SWIMMER_ROOT + 1) % 10));
}

static cr_status measure_dof(cr_measurements* ms, const cr_swimmer_motion* motion, int dof,
                             cr_error* error) {
  char name[16], position[32], velocity[32];
  name_of(dof, name, sizeof name);
  (void)snprintf(position, sizeof position, "qpos[%s]", name);
  (void)snprintf(velocity, sizeof velocity, "qvel[%s]", name);
  const cr_states_part parts[] = {{position, false, dof, 1, noise_of(dof)},
                                  {velocity, true, dof, 1, 10 * noise_of(dof)}};
  return cri_states_add(ms, &motion->states, motion->dofs, motion->dofs, parts, 2, error);
}

cr_status cri_swimmer_measure(cr_measurements* ms, const cr_swimmer_motion* motion,
                              const char* name, int group, cr_error* error) {
  const cr_states_part torque = {"ctrl", false, 0, motion->nu, 0};
  const cr_states torques = {
      .rows = motion->states.rows - 1, .interval = motion->states.interval, .q = motion->ctrl};
  CR_TRY(cr_measurements_begin(ms, name, group, error));
  for (int j = 0; j < motion->dofs; j++) {
    CR_TRY(measure_dof(ms, motion, j, error));
  }
  return cri_states_add(ms, &torques, motion->nu, motion->nu, &torque, 1, error);
}
