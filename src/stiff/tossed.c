// SPDX-License-Identifier: Apache-2.0
// Tosses of a cube.
#include "stiff/tossed.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "notebook/scene_file.h"

const cri_floor cri_floors[CRI_N_FLOOR] = {[CRI_HARD] = {"hard", 2500, 500},
                                           [CRI_MEDIUM] = {"medium", 300, 81},
                                           [CRI_SOFT] = {"soft", 100, 81}};
const double cri_tossed_side = 0.1;
const cr_real cri_tossed_timestep = CR_R(0.00674);

const double cri_tossed_damping_ratio = 1.04;

static const char scene[] =
    "<mujoco model=\"cube on a %s floor\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 -9.81\">\n"
    "    <flag refsafe=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" solref=\"%.17g %.17g\" "
    "friction=\"1 0.005 0.0001\"/>\n"
    "    <body name=\"cube\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"0.37\" diaginertia=\"6.167e-4 6.167e-4 6.167e-4\"/>\n"
    "      <geom name=\"cube\" type=\"box\" size=\"0.05 0.05 0.05\" friction=\"0.3 0.005 "
    "0.0001\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

cr_status cri_tossed_open(const cr_notebook* book, int floor, cr_model** m, cr_error* error) {
  char text[2048], name[32];
  const cri_floor* f = &cri_floors[floor];
  (void)snprintf(text, sizeof text, scene, f->name, (double)cri_tossed_timestep, -f->stiffness,
                 -2 * cri_tossed_damping_ratio * sqrt(f->stiffness));
  (void)snprintf(name, sizeof name, "cube_%s", f->name);
  return cri_scene_open(book, name, text, m, error);
}

// ---- random turns

static void draw_box(cr_random* random, cr_real size, cr_real* x) {
  for (int i = 0; i < 3; i++) {
    x[i] = cr_random_range(random, -size, size);
  }
}

// angle times an axis: a point of a cube, made a unit vector
static void draw_turn(cr_random* random, cr_real low, cr_real high, cr_real* turn) {
  const cr_real angle = cr_random_range(random, low, high);
  draw_box(random, 1, turn);
  const cr_real length = cr_sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
  for (int i = 0; i < 3; i++) {
    turn[i] *= angle / length;
  }
}

// ---- a toss

enum { STREAM_START = 1, STREAM_SIGHT };
enum { STILL_ROWS = 10 };
static const cr_real still = CR_R(1e-3);

// position, quaternion, velocity, angular velocity in the body's frame
static const cr_real nominal[CRI_STATE] = {
    CR_R(0.186), CR_R(0.026), CR_R(0.122),  CR_R(-0.525), CR_R(0.394),  CR_R(-0.296), CR_R(-0.678),
    CR_R(0.014), CR_R(1.291), CR_R(-0.212), CR_R(1.463),  CR_R(-4.854), CR_R(9.870)};

static void add_box(cr_random* random, cr_real size, cr_real* x) {
  cr_real off[3];
  draw_box(random, size, off);
  for (int i = 0; i < 3; i++) {
    x[i] += off[i];
  }
}

static cr_status draw_start(const cr_model* m, int toss, cr_real* state, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)toss, STREAM_START);
  cr_real turn[CRI_TWIST] = {0}, squares = 0;
  cr_copy(state, nominal, CRI_STATE);
  for (int i = 3; i < CRI_POSE; i++) {
    squares += state[i] * state[i];
  }
  for (int i = 3; i < CRI_POSE; i++) {
    state[i] /= cr_sqrt(squares);
  }
  add_box(&random, CR_R(0.1), state);
  add_box(&random, CR_R(0.1), state + CRI_POSE);
  add_box(&random, CR_R(0.1), state + CRI_POSE + 3);
  draw_turn(&random, -1, 1, turn + 3);
  return cr_integrate_pos(m, state, turn, 1, error);
}

static bool rests(const cr_real* state, int rows) {
  if (rows <= STILL_ROWS) {
    return false;
  }
  for (const cr_real* row = state + (ptrdiff_t)CRI_STATE * (rows - STILL_ROWS);
       row < state + (ptrdiff_t)CRI_STATE * rows; row += CRI_STATE) {
    cr_real squares = 0;
    for (int i = 0; i < CRI_STATE; i++) {
      squares += (row[i] - row[i - CRI_STATE]) * (row[i] - row[i - CRI_STATE]);
    }
    if (!(squares < still * still)) {
      return false;
    }
  }
  return true;
}

static cr_status told(cr_status status, const cr_data* d, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

cr_status cri_tossed_advance(const cr_model* m, cr_data* d, cr_error* error) {
  CR_TRY(told(cr_step(m, d), d, error));
  return told(cr_advance(m, d), d, error);
}

cr_status cri_tossed_run(const cr_model* m, cr_data* d, int floor, int toss, cr_real* state,
                         int* rows, cr_error* error) {
  CR_TRY(draw_start(m, toss, state, error));
  CR_TRY(told(cr_data_reset(m, d), d, error));
  CR_TRY(told(cr_state_set(m, d, state, CR_STATE_PHYSICS), d, error));
  for (*rows = 1; *rows < cri_floors[floor].most && !rests(state, *rows); ++*rows) {
    CR_TRY(cri_tossed_advance(m, d, error));
    CR_TRY(cri_tossed_state(m, d, state + (ptrdiff_t)CRI_STATE * *rows, error));
  }
  return CR_OK;
}

// height of a corner: z + R_3 . (+-s, +-s, +-s)
double cri_tossed_depth(const cr_real* state) {
  const double w = (double)state[3], x = (double)state[4], y = (double)state[5],
               z = (double)state[6];
  const double reach =
      fabs(2 * (x * z - w * y)) + fabs(2 * (y * z + w * x)) + fabs(w * w - x * x - y * y + z * z);
  return fmax(0, cri_tossed_side / 2 * reach - (double)state[2]);
}

// ---- what is seen

cr_status cri_tossed_see(const cr_model* m, const cri_sight* sight, int toss, const cr_real* state,
                         int rows, cr_real* seen, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)toss, STREAM_SIGHT);
  cr_real whole[CRI_TWIST], of_row[CRI_TWIST], before[CRI_POSE];
  draw_box(&random, sight->offset, whole);
  draw_turn(&random, -sight->turn, sight->turn, whole + 3);
  for (int i = 0; i < rows; i++) {
    cr_real pose[CRI_POSE];
    cr_copy(pose, state + (ptrdiff_t)CRI_STATE * i, CRI_POSE);
    CR_TRY(cr_integrate_pos(m, pose, whole, 1, error));
    draw_box(&random, sight->row_offset, of_row);
    draw_turn(&random, sight->row_turn_low, sight->row_turn, of_row + 3);
    CR_TRY(cr_integrate_pos(m, pose, of_row, 1, error));
    if (i > 0) {
      cr_real* row = seen + (ptrdiff_t)CRI_STATE * (i - 1);
      cr_copy(row, pose, CRI_POSE);
      CR_TRY(cr_differentiate_pos(m, row + CRI_POSE, sight->interval, before, pose, error));
    }
    cr_copy(before, pose, CRI_POSE);
  }
  return CR_OK;
}

// ---- steps

cr_status cri_tossed_step(const cr_model* m, cr_data* d, const cr_real* state, cr_error* error) {
  CR_TRY(told(cr_data_reset(m, d), d, error));
  CR_TRY(told(cr_state_set(m, d, state, CR_STATE_PHYSICS), d, error));
  return cri_tossed_advance(m, d, error);
}

cr_status cri_tossed_state(const cr_model* m, const cr_data* d, cr_real* state, cr_error* error) {
  return told(cr_state_get(m, d, state, CR_STATE_PHYSICS), d, error);
}

void cri_tossed_rotation(const cr_real state[CRI_STATE], cr_real R[9]) {
  const cr_real w = state[3], x = state[4], y = state[5], z = state[6];
  R[0] = 1 - 2 * (y * y + z * z);
  R[1] = 2 * (x * y - w * z);
  R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z);
  R[4] = 1 - 2 * (x * x + z * z);
  R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y);
  R[7] = 2 * (y * z + w * x);
  R[8] = 1 - 2 * (x * x + y * y);
}

cr_status cri_tossed_distance(const cr_model* m, const cr_real* a, const cr_real* b,
                              double* distance, double* angle, cr_error* error) {
  cr_real twist[CRI_TWIST];
  CR_TRY(cr_differentiate_pos(m, twist, 1, a, b, error));
  *distance = sqrt((double)(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]));
  *angle = sqrt((double)(twist[3] * twist[3] + twist[4] * twist[4] + twist[5] * twist[5]));
  return CR_OK;
}
