// SPDX-License-Identifier: Apache-2.0
#include "walk/leg.h"

#include <math.h>
#include <stddef.h>

#include "walk/space.h"

// joints where they are now; behind joint i a point x of the reference is at turned[i] x + moved[i]
typedef struct {
  double axis[CR_LEG_JOINTS][3], anchor[CR_LEG_JOINTS][3];
  double turned[CR_LEG_JOINTS][9], moved[CR_LEG_JOINTS][3];
} chain;

static void turn_chain(const cr_leg* leg, const double q[CR_LEG_JOINTS], chain* c) {
  double turned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, moved[3] = {0, 0, 0};
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    double rotation[9], before[9];
    cri_turn(turned, leg->axis[i], c->axis[i]);
    cri_turn(turned, leg->anchor[i], c->anchor[i]);
    cri_add(c->anchor[i], moved, 1, c->anchor[i]);
    cri_rotation(leg->axis[i], q[i] - leg->reference[i], rotation);
    cri_matrix_copy(turned, before);
    cri_matrix_product(before, rotation, turned);
    cri_turn(turned, leg->anchor[i], moved);
    cri_add(c->anchor[i], moved, -1, moved);
    cri_matrix_copy(turned, c->turned[i]);
    cri_add(moved, moved, 0, c->moved[i]);
  }
}

// where a point of the link behind joint i is
static void place(const chain* c, int i, const double reference[3], double point[3]) {
  cri_turn(c->turned[i], reference, point);
  cri_add(point, c->moved[i], 1, point);
}

static void differentiate(const chain* c, const double point[3], double jacobian[9]) {
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    double arm[3], column[3];
    cri_add(point, c->anchor[i], -1, arm);
    cri_cross(c->axis[i], arm, column);
    for (int k = 0; k < 3; k++) {
      jacobian[3 * k + i] = column[k];
    }
  }
}

void cri_leg_foot(const cr_leg* leg, const double q[CR_LEG_JOINTS], const double off[3],
                  double foot[3], double* jacobian) {
  chain c;
  turn_chain(leg, q, &c);
  place(&c, CR_LEG_JOINTS - 1, leg->foot, foot);
  cri_add(foot, off, 1, foot);
  if (jacobian != NULL) {
    differentiate(&c, foot, jacobian);
  }
}

void cri_leg_knee(const cr_leg* leg, const double q[CR_LEG_JOINTS], double knee[3]) {
  chain c;
  turn_chain(leg, q, &c);
  memcpy(knee, c.anchor[CR_LEG_JOINTS - 1], sizeof c.anchor[0]);
}

void cri_leg_carry(const cr_leg* leg, const double q[CR_LEG_JOINTS], const double gravity[3],
                   double torque[CR_LEG_JOINTS]) {
  chain c;
  turn_chain(leg, q, &c);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    torque[i] = 0;
    for (int link = i; link < CR_LEG_JOINTS; link++) {
      double middle[3], arm[3], moment[3];
      place(&c, link, leg->middle[link], middle);
      cri_add(middle, c.anchor[i], -1, arm);
      cri_cross(arm, gravity, moment);
      torque[i] -= leg->mass[link] * cri_dot(c.axis[i], moment);
    }
  }
}

// where angles q end when they move towards the target: (J'J + damping) move = J' off, within limits
static void move(const cr_leg* leg, const double jacobian[9], const double off[3], double damping,
                 const double q[CR_LEG_JOINTS], double moved[CR_LEG_JOINTS]) {
  const double most = 0.5;
  double normal[9], right[3], step[3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      normal[3 * i + j] = i == j ? damping : 0;
      for (int k = 0; k < 3; k++) {
        normal[3 * i + j] += jacobian[3 * k + i] * jacobian[3 * k + j];
      }
    }
  }
  cri_turn_back(jacobian, off, right);
  cri_solve3(normal, right, step);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    double to = q[i] + fmin(fmax(step[i], -most), most);
    moved[i] = fmin(fmax(to, leg->lower[i]), leg->upper[i]);
  }
}

// the distance of the foot from the target; off: the way to it
static double miss(const cr_leg* leg, const double target[3], const double q[CR_LEG_JOINTS],
                   double off[3], double* jacobian) {
  const double none[3] = {0, 0, 0};
  double foot[3];
  cri_leg_foot(leg, q, none, foot, jacobian);
  cri_add(target, foot, -1, off);
  return sqrt(cri_dot(off, off));
}

double cri_leg_reach(const cr_leg* leg, const double target[3], double q[CR_LEG_JOINTS]) {
  enum { STEPS = 60 };
  const double enough = 1e-10, least = 1e-8, largest = 1e3;
  double jacobian[9], off[3], damping = 1e-6;
  double distance = miss(leg, target, q, off, jacobian);
  for (int step = 0; step < STEPS && distance > enough && damping < largest; step++) {
    double moved[CR_LEG_JOINTS], next[3];
    move(leg, jacobian, off, damping, q, moved);
    if (miss(leg, target, moved, next, NULL) < distance) {
      memcpy(q, moved, sizeof moved);
      distance = miss(leg, target, q, off, jacobian);
      damping = fmax(damping / 10, least);
    } else {
      damping *= 10;
    }
  }
  return distance;
}
