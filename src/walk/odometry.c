// SPDX-License-Identifier: Apache-2.0
#include "walk/odometry.h"

#include <string.h>

#include "walk/space.h"

void cri_odometry_begin(cr_odometry* odometry, const cr_legged* robot) {
  *odometry = (cr_odometry){.acceleration_sd = 3,
                            .foot_sd = 0.1,
                            .settle = 0.05,
                            .window = CR_ODOMETRY_WINDOW,
                            .variance = 1e-4,
                            .height = robot->height - robot->middle[2]};
}

// velocity of the trunk if the foot stands still, and its height above the foot's lowest point
static void seen_from(const cr_legged* robot, const cr_measured_body* measured, int leg,
                      const double R[9], double velocity[3], double* height) {
  const double below[3] = {0, 0, -robot->radius};
  double jacobian[9], swept[3], moved[3], world[3], off[3], touch[3];
  cri_turn_back(R, below, off);
  cri_leg_foot(&robot->leg[leg], measured->q + (ptrdiff_t)CR_LEG_JOINTS * leg, off, touch,
               jacobian);
  cri_cross(measured->turning, touch, swept);
  cri_turn(jacobian, measured->v + (ptrdiff_t)CR_LEG_JOINTS * leg, moved);
  cri_add(swept, moved, 1, moved);
  cri_turn(R, moved, world);
  for (int k = 0; k < 3; k++) {
    velocity[k] = -world[k];
  }
  cri_turn(R, touch, world);
  *height = -world[2];
}

static void average(cr_odometry* o) {
  memcpy(o->row[o->rows++ % o->window], o->velocity, sizeof o->velocity);
  int n = o->rows < o->window ? o->rows : o->window;
  memset(o->smooth, 0, sizeof o->smooth);
  for (int i = 0; i < n; i++) {
    cri_add(o->smooth, o->row[i], 1.0 / n, o->smooth);
  }
}

void cri_odometry_update(cr_odometry* odometry, const cr_legged* robot,
                         const cr_measured_body* measured, const bool stands[CR_LEGS], double h) {
  cr_odometry* o = odometry;
  double R[9], height = 0;
  int n = 0;
  cri_rotation_of(measured->quat, R);
  cri_add(o->velocity, measured->acceleration, h, o->velocity);
  o->variance += h * h * o->acceleration_sd * o->acceleration_sd;
  for (int leg = 0; leg < CR_LEGS; leg++) {
    double velocity[3], above;
    o->touched[leg] = measured->touches[leg] ? o->touched[leg] + h : 0;
    if (!stands[leg] || o->touched[leg] < o->settle) {
      continue;
    }
    seen_from(robot, measured, leg, R, velocity, &above);
    double gain = o->variance / (o->variance + o->foot_sd * o->foot_sd);
    for (int k = 0; k < 3; k++) {
      o->velocity[k] += gain * (velocity[k] - o->velocity[k]);
    }
    o->variance *= 1 - gain;
    height += above;
    n++;
  }
  o->height = n > 0 ? height / n : o->height + h * o->velocity[2];
  average(o);
}
