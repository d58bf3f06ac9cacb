// SPDX-License-Identifier: Apache-2.0
// Flights are parabolas, which steps of the classical Runge-Kutta method follow exactly. Where the ball stops follows from the state after the
// step in which it does.
#include "estimates/thrower.h"

#include <math.h>

#include "notebook/scene_file.h"

static const double wall = 0.06, height = 0.02, gravity = 9.81;  // m, m, m/s^2; speed 1 m/s

// ---- the motion

enum { STEPS = 7 };  // the longest flight is 0.204 s
static const double interval = 0.03;

static const char text[] =
    "<mujoco model=\"ball thrown by a heavy hinge\">\n"
    "  <option timestep=\"0.03\" integrator=\"RK4\" gravity=\"0 0 -9.81\"/>\n"
    "  <worldbody>\n"
    "    <geom name=\"wall\" type=\"box\" size=\"0.0005 0.02 0.01\" pos=\"0.0605 0 0.01\" "
    "contype=\"0\" conaffinity=\"0\"/>\n"
    "    <body name=\"hinge\">\n"
    "      <joint name=\"angle\" type=\"hinge\" axis=\"0 -1 0\" armature=\"1e12\"/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n"
    "      <body name=\"ball\">\n"
    "        <joint name=\"along\" type=\"slide\" axis=\"1 0 0\"/>\n"
    "        <joint name=\"across\" type=\"slide\" axis=\"0 0 1\"/>\n"
    "        <geom type=\"sphere\" size=\"0.002\" mass=\"0.01\" contype=\"0\" "
    "conaffinity=\"0\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

cr_status cri_thrower_open(const cr_notebook* book, cr_model** m, cr_error* error) {
  return cri_scene_open(book, "wall", text, m, error);
}

// the ball in the world: place and velocity
typedef struct {
  cr_real x, z, vx, vz, cosine, sine;
} ball;

static ball ball_of(const cr_model* m, const cr_data* d) {
  const cr_real* q = cr_data_numbers(m, d, "qpos", NULL, NULL);
  const cr_real* v = cr_data_numbers(m, d, "qvel", NULL, NULL);
  cr_real c = cr_cos(q[0]), s = cr_sin(q[0]);
  return (ball){.x = c * q[1] - s * q[2],
                .z = s * q[1] + c * q[2],
                .vx = c * v[1] - s * v[2],
                .vz = s * v[1] + c * v[2],
                .cosine = c,
                .sine = s};
}

static bool every_step(const void* context, int step, int nstep) {
  (void)context;
  (void)step;
  (void)nstep;
  return true;
}

// the wall stops a ball that reaches it in this step, above the ground and not above the wall
static bool hits(const ball* b) {
  cr_real ahead = ((cr_real)wall - b->x) / b->vx;  // time from now on, below 0
  cr_real z = b->z + b->vz * ahead - (cr_real)gravity * ahead * ahead / 2;
  return b->vx > 0 && ahead > -(cr_real)interval && ahead <= 0 && z > 0 && z <= (cr_real)height;
}

// time from now on, at most 0, at which a ball below the ground came down
static cr_real landing(const ball* b) {
  cr_real square = b->vz * b->vz + 2 * (cr_real)gravity * b->z;
  return (b->vz + cr_sqrt(cr_max(square, 0))) / (cr_real)gravity;
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  cr_thrower_flight* flight = context;
  ball b = ball_of(m, d);
  if (step == 1) {
    flight->end = 0;
  }
  if (flight->end > 0) {
    return CR_OK;
  }
  flight->at_wall = hits(&b);
  if (flight->at_wall || b.z <= 0) {
    cr_real x = flight->at_wall ? (cr_real)wall : b.x + b.vx * landing(&b);
    flight->end = step;
    *loss -= x * x;
  }
  return CR_OK;
}

// x = x_1 + vx t, g t^2 / 2 - vz t - z = 0
static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* twin) {
  const cr_thrower_flight* flight = context;
  if (step != flight->end || flight->at_wall) {
    return CR_OK;
  }
  ball b = ball_of(m, d);
  cr_real t = landing(&b), x = -2 * (b.x + b.vx * t);
  cr_real by_time = x * b.vx / ((cr_real)gravity * t - b.vz);
  const cr_real z = by_time, vx = x * t, vz = by_time * t;
  cr_real* q = cr_data_view(m, twin, "qpos", NULL, NULL);
  cr_real* v = cr_data_view(m, twin, "qvel", NULL, NULL);
  q[0] += -b.z * x + b.x * z - b.vz * vx + b.vx * vz;
  q[1] += b.cosine * x + b.sine * z;
  q[2] += -b.sine * x + b.cosine * z;
  v[1] += b.cosine * vx + b.sine * vz;
  v[2] += -b.sine * vx + b.cosine * vz;
  return CR_OK;
}

static cr_status begin(const void* context, const cr_motion* motion, const cr_real* x,
                       cr_error* error) {
  (void)context;
  static const cr_real speed = 1;
  cr_data* d = cr_rollout_data(cr_gradient_rollout(motion->gradient));
  CR_TRY(cr_data_reset(motion->m, d));
  CR_TRY(cr_data_set(motion->m, d, "qpos[angle]", x, 1, error));
  return cr_data_set(motion->m, d, "qvel[along]", &speed, 1, error);
}

cr_status cri_thrower_motion(cr_motion* motion, const cr_model* m, cr_thrower_flight* flight,
                             cr_error* error) {
  const cr_motion_options o = {
      .name = "qpos[angle]",
      .steps = STEPS,
      .own = {.context = flight, .looks_at = every_step, .value = value, .bar = bar},
      .begin = begin};
  return cri_motion_open(motion, m, &o, error);
}

// ---- closed form

// where the ball would come down
static double range(double angle) {
  return angle < 0 || angle > (double)CR_PI ? 0 : sin(2 * angle) / gravity;
}

double cri_thrower_loss(double angle) {
  double x = range(angle);
  if (x > wall) {
    double at = tan(angle) * wall - gravity * wall * wall / (2 * pow(cos(angle), 2));
    x = at <= height ? wall : x;
  }
  return -x * x;
}

// height above the wall's top is 0: drop u^2 - wall u + drop + height = 0, u = tan(angle)
void cri_thrower_jumps(double* angles, double* sizes) {
  double drop = gravity * wall * wall / 2;
  double root = sqrt(wall * wall - 4 * drop * (drop + height));
  for (int i = 0; i < CR_THROWER_JUMPS; i++) {
    angles[i] = atan((wall + (i == 0 ? -root : root)) / (2 * drop));
    double clear = -pow(range(angles[i]), 2), stopped = -wall * wall;
    sizes[i] = i == 0 ? clear - stopped : stopped - clear;
  }
}

static double density(double x) { return exp(-x * x / 2) / sqrt(2 * (double)CR_PI); }

double cri_thrower_lack(double angle, double sigma) {
  double angles[CR_THROWER_JUMPS], sizes[CR_THROWER_JUMPS], sum = 0;
  cri_thrower_jumps(angles, sizes);
  for (int i = 0; i < CR_THROWER_JUMPS; i++) {
    sum += sizes[i] * density((angles[i] - angle) / sigma) / sigma;
  }
  return sum;
}

// midpoints over eight standard deviations to both sides
void cri_thrower_mean(double angle, double sigma, double* mean, double* slope) {
  enum { POINTS = 100000 };
  const double far = 8, h = 2 * far / POINTS;
  *mean = *slope = 0;
  for (int i = 0; i < POINTS; i++) {
    double z = -far + (i + 0.5) * h;
    double weighted = cri_thrower_loss(angle + sigma * z) * density(z) * h;
    *mean += weighted;
    *slope += weighted * z / sigma;
  }
}
