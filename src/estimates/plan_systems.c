// SPDX-License-Identifier: Apache-2.0
// Steps of smooth systems over complex numbers: the imaginary part of f(x + i t) / t is a derivative, to the last digit for a tiny t.
#include "estimates/plan_systems.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/files.h"

#define PI 3.14159265358979323846

typedef double _Complex number;
typedef void law(const number* x, const number* u, number* next);

typedef struct {
  int nx, nu;
  law* f;
} smooth;

// ---- the laws

// angle, speed; torque
static void pendulum(const number* x, const number* u, number* next) {
  next[1] = x[1] + 0.05 * (u[0] - csin(x[0]));
  next[0] = x[0] + 0.05 * next[1];
}

// place, heading, speed, steering angle; acceleration, speed of steering
static void bicycle(const number* x, const number* u, number* next) {
  const number rate[5] = {x[3] * ccos(x[2]), x[3] * csin(x[2]), x[3] * ctan(x[4]), u[0], u[1]};
  for (int i = 0; i < 5; i++) {
    next[i] = x[i] + 0.1 * rate[i];
  }
}

// second derivatives of roll, pitch, yaw from their first ones and the turning acceleration of the body's axes
static void turn(const number* angle, const number* rate, const number w[3], const number dw[3],
                 number out[3]) {
  const number sr = csin(angle[0]), cr = ccos(angle[0]), sp = csin(angle[1]), cp = ccos(angle[1]);
  const number t = sp / cp, a = rate[0], b = rate[1];
  out[0] = dw[0] + sr * t * dw[1] + cr * t * dw[2] + (cr * t * a + sr / (cp * cp) * b) * w[1] +
           (cr / (cp * cp) * b - sr * t * a) * w[2];
  out[1] = cr * dw[1] - sr * dw[2] - sr * a * w[1] - cr * a * w[2];
  out[2] = sr / cp * dw[1] + cr / cp * dw[2] + (cr * a + sr * t * b) / cp * w[1] +
           (cr * t * b - sr * a) / cp * w[2];
}

// place, roll, pitch, yaw, and their rates; four thrusts
static void quadrotor(const number* x, const number* u, number* next) {
  const double mass = 0.775, arm = 0.15, drag = 0.0245, inertia[3] = {0.0015, 0.0025, 0.0035};
  const number sr = csin(x[3]), cr = ccos(x[3]), sp = csin(x[4]), cp = ccos(x[4]), sy = csin(x[5]),
               cy = ccos(x[5]), thrust = (u[0] + u[1] + u[2] + u[3]) / mass;
  const number* rate = x + 9;
  const number w[3] = {rate[0] - sp * rate[2], cr * rate[1] + sr * cp * rate[2],
                       cr * cp * rate[2] - sr * rate[1]};
  const number moment[3] = {arm * (u[2] + u[3] - u[0] - u[1]), arm * (u[1] + u[2] - u[0] - u[3]),
                            drag * (u[1] + u[3] - u[0] - u[2])};
  number dw[3], turned[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    dw[i] = (moment[i] - (inertia[k] - inertia[j]) * w[j] * w[k]) / inertia[i];
  }
  turn(x + 3, rate, w, dw, turned);
  const number push[3] = {(cy * sp * cr + sy * sr) * thrust, (sy * sp * cr - cy * sr) * thrust,
                          cp * cr * thrust - 9.81};
  for (int i = 0; i < 6; i++) {
    next[i] = x[i] + 0.05 * x[6 + i];
    next[6 + i] = x[6 + i] + 0.05 * (i < 3 ? push[i] : turned[i - 3]);
  }
}

// ---- their steps

static void derive(const smooth* s, number* at, int n, const number* x, const number* u,
                   cr_real* J) {
  const double tiny = 1e-30;
  number next[CR_PLAN_STATES];
  for (int j = 0; j < n; j++) {
    const number kept = at[j];
    at[j] += (number)I * tiny;
    s->f(x, u, next);
    at[j] = kept;
    for (int i = 0; i < s->nx; i++) {
      J[i * n + j] = (cr_real)(cimag(next[i]) / tiny);
    }
  }
}

static cr_status step(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* to,
                      cr_real* A, cr_real* B, cr_error* error) {
  const smooth* s = context;
  number z[CR_PLAN_STATES], v[CR_PLAN_CONTROLS], next[CR_PLAN_STATES];
  (void)worker;
  (void)error;
  for (int i = 0; i < s->nx; i++) {
    z[i] = (double)x[i];
  }
  for (int i = 0; i < s->nu; i++) {
    v[i] = (double)u[i];
  }
  s->f(z, v, next);
  for (int i = 0; i < s->nx; i++) {
    to[i] = (cr_real)creal(next[i]);
  }
  if (A != NULL) {
    derive(s, z, s->nx, z, v, A);
  }
  if (B != NULL) {
    derive(s, v, s->nu, z, v, B);
  }
  return CR_OK;
}

// ---- scenes

extern const char cr_box_push[], cr_box_pivot[];

#define FINGER(SIDE, SIGN)                                                           \
  "<body name='" SIDE "_1' pos='0 " SIGN                                             \
  ".1 0'><inertial pos='0 0 0' mass='1' "                                            \
  "diaginertia='.0033 .0033 .0033'/><joint name='" SIDE "_1'/><geom pos='0 " SIGN    \
  ".1 0'/><geom pos='0 " SIGN ".2 0'/><geom pos='0 " SIGN ".3 0'/><body name='" SIDE \
  "_2' pos='0 " SIGN                                                                 \
  ".3 0'><inertial pos='0 0 0' mass='1' diaginertia='.0033 .0033 .0033'/>"           \
  "<joint name='" SIDE "_2'/><geom pos='0 " SIGN ".1 0'/><geom pos='0 " SIGN         \
  ".2 0'/></body></body><geom name='" SIDE "_base' pos='0 " SIGN ".1 0'/>"

#define HAND \
  "<mujoco><option gravity='0 0 -10'/><default><geom size='.05' friction='.8'/>"                   \
  "<joint axis='1 0 0'/></default><worldbody>" FINGER("left", "-")                                 \
      FINGER("right", "") "<body name='ball'><inertial pos='0 0 0' mass='1' "                      \
  "diaginertia='.025 .025 .025'/><joint name='ball_y' type='slide' axis='0 1 0'/>"                 \
  "<joint name='ball_z' type='slide' axis='0 0 1'/><joint name='ball_turn'/>"                      \
  "<geom name='ball' size='.25'/></body></worldbody><contact><exclude body1='world' "              \
  "body2='left_1'/><exclude body1='world' body2='right_1'/></contact><actuator>"                   \
  "<position joint='left_1' kp='50'/><position joint='left_2' kp='25'/>"                           \
  "<position joint='right_1' kp='50'/><position joint='right_2' kp='25'/></actuator></mujoco>\n"

cr_status cri_plan_scene_open(const cr_notebook* book, const cr_plan_system* system, cr_model** m,
                              cr_error* error) {
  char path[CR_MAX_PATH + 64];
  (void)snprintf(path, sizeof path, "%s/bundles_%s.xml", book->folder, system->name);
  CR_TRY(cri_file_write(path, system->scene, strlen(system->scene), error));
  return cr_model_open(m, path, error);
}

// ---- settings, as in the published examples. The stored costs of the hand's move do not belong to the published settings, and those of the pivoted
// box to none with its last limit, 0.015 m: no box that turns about its edge is so fast. 0.05 m is that of the first published script

static smooth laws[] = {{2, 1, pendulum}, {5, 2, bicycle}, {12, 4, quadrotor}};
#define SMOOTH(k, x, u) \
  { sizeof(cr_mpc_system), x, u, step, &laws[k] }
#define QUARTER (PI / 4)
#define BENT (PI / 2 - 0.5)
#define BICYCLE                                                                                \
  .system = SMOOTH(1, 5, 2), .nstep = 100, .Q = {5, 5, 3, 0.1, 0.1}, .end = 10, .R = {1, 0.1}, \
  .guess = {0.1}, .sigma = {2, 2, 1, 2, 0.01, 2, 1}, .power = 0.5, .limit = QUARTER, .limited = 4

const cr_plan_system cri_plan_systems[CR_N_PLAN_SYSTEM] = {
    {.name = "pendulum",
     .title = "pendulum",
     .system = SMOOTH(0, 2, 1),
     .iterations = 9,
     .samples = 1000,
     .nstep = 200,
     .goal = {PI, 0},
     .Q = {1, 1},
     .end = 20,
     .R = {1},
     .guess = {0.1},
     .sigma = {1, 1, 1},
     .power = 0.5,
     .stored = {357.30, 357.46, 357.45}},
    {.name = "pushing",
     .title = "box, pushed",
     .scene = cr_box_push,
     .iterations = 22,
     .samples = 100,
     .nstep = 50,
     .start = {0, -0.2, 0, 0.5, 0},
     .goal = {0, 0, 0.5, 1, -QUARTER},
     .Q = {0, 0, 3, 3, 1.2},
     .R = {10, 10},
     .sigma = {0, 0, 0, 0, 0, 0.3, 0.3},
     .decay = 0.3,
     .change = 0.04,
     .weight = 100,
     .stored = {112.01, 49.17, 62.76}},
    {.name = "bicycle_easy",
     .title = "bicycle, easy",
     BICYCLE,
     .iterations = 12,
     .samples = 10000,
     .goal = {3, 1, PI / 2},
     .stored = {671.19, 670.98, 671.18}},
    {.name = "bicycle_hard",
     .title = "bicycle, hard",
     BICYCLE,
     .iterations = 27,
     .samples = 10000,
     .goal = {-3, -1, -PI / 2},
     .stored = {1661.4, 782.4, 793.5}},
    {.name = "quadrotor",
     .title = "quadrotor",
     .system = SMOOTH(2, 12, 4),
     .iterations = 7,
     .samples = 1000,
     .nstep = 200,
     .Q = {10, 10, 10, 10, 10, 10},
     .end = 10,
     .R = {1, 1, 1, 1},
     .guess = {2, 2, 2, 2},
     .sigma = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
     .power = 0.5,
     .limit = PI / 2,
     .limited = 4,
     .circle = true,
     .stored = {3525.2, 3513.7, 3379.4}},
    {.name = "pivoting",
     .title = "box, pivoted",
     .scene = cr_box_pivot,
     .iterations = 5,
     .samples = 100,
     .nstep = 120,
     .start = {-0.5, 0.5, 0, 0.5, 0},
     .goal = {-0.5, 0.5, 1, 1, -PI / 2},
     .Q = {0, 0, 5, 5, 50},
     .end = 1,
     .R = {1000, 1000},
     .lead = {1, 0},
     .sigma = {0, 0, 0, 0, 0, 0.316, 0.316},
     .decay = 0.316,
     .change = 0.05,
     .weight = 100,
     .decoupled = true,
     .stored = {8853.3, 2424.1, 3145.7}},
    {.name = "hand",
     .title = "hand, ball moved",
     .scene = HAND,
     .iterations = 22,
     .samples = 50,
     .nstep = 30,
     .start = {-QUARTER, -QUARTER, QUARTER, QUARTER, 0, 0.35, 0},
     .goal = {-QUARTER, -QUARTER, QUARTER, QUARTER, 0.3, 0.25, 0},
     .Q = {1e-3, 1e-3, 1e-3, 1e-3, 10, 10, 1e-3},
     .end = 100,
     .R = {5, 5, 5, 5},
     .sigma = {0, 0, 0, 0, 0, 0, 0, 0.3, 0.3, 0.3, 0.3},
     .power = 0.8,
     .trust = 0.1,
     .weight = 300,
     .stored = {61.18, 11.16, 16.06}},
    {.name = "spin",
     .title = "hand, ball spun",
     .scene = HAND,
     .iterations = 22,
     .samples = 50,
     .nstep = 30,
     .start = {-BENT, -BENT, BENT, BENT, 0, 0.6, 0},
     .goal = {-BENT, -BENT, BENT, BENT, 0, 0.4, -QUARTER},
     .Q = {1e-3, 1e-3, 1e-3, 1e-3, 10, 1, 10},
     .end = 10,
     .R = {100, 100, 100, 100},
     .sigma = {0, 0, 0, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1},
     .power = 0.5,
     .trust = 0.1,
     .weight = 100,
     .stored = {63.79, 62.73, 125.7}}};
