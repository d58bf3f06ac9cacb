// SPDX-License-Identifier: Apache-2.0
#include "walk/walker.h"

#include <math.h>
#include <string.h>

#include "walk/space.h"
#include "walk/swing.h"

cr_walk_options cri_walk_options(const cr_legged* robot) {
  cr_walk_options o = {.gait = cri_trot,
                       .costs = cri_force_costs,
                       .friction = 0.45,
                       .every = 10,
                       .raibert = 0.03,
                       .clearance = 0.1,
                       .kp = 220,
                       .kd = {0.3, 2, 2},
                       .yaw_limit = 0.3};
  o.costs.mass = robot->mass;
  o.costs.gravity = robot->gravity;
  cri_matrix_copy(robot->inertia, o.costs.inertia);
  return o;
}

void cri_walker_begin(cr_walker* walker, const cr_legged* robot, const cr_walk_options* options,
                      cr_decide* decide, void* context) {
  *walker = (cr_walker){
      .robot = robot, .options = *options, .decide = decide, .context = context, .last = -1};
  cri_odometry_begin(&walker->odometry, robot);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    walker->stands[leg] = true;
    walker->planned[leg] = true;
  }
}

// ---- frames: the trunk's, and the level one of its heading

typedef struct {
  double level[9];  // of the trunk
  double rpy[3];
} frames;

static void find_frames(const cr_measured_body* measured, frames* f) {
  static const double up[3] = {0, 0, 1};
  double R[9], back[9];
  cri_rotation_of(measured->quat, R);
  cri_roll_pitch_yaw(R, f->rpy);
  cri_rotation(up, -f->rpy[2], back);
  cri_matrix_product(back, R, f->level);
}

static void to_heading(double yaw, const double world[3], double to[3]) {
  double c = cos(yaw), s = sin(yaw);
  to[0] = c * world[0] + s * world[1];
  to[1] = -s * world[0] + c * world[1];
  to[2] = world[2];
}

// ---- gait

// returns true if a foot has begun or ended to stand
static bool update_gait(cr_walker* w, const cr_measured_body* measured, double time,
                        double foot[CR_LEGS][3]) {
  bool changed = false;
  for (int leg = 0; leg < CR_LEGS; leg++) {
    bool planned = cri_gait_stands(&w->options.gait, leg, time, &w->phase[leg]);
    if (!planned && w->planned[leg]) {
      memcpy(w->lifted[leg], foot[leg], sizeof w->lifted[leg]);
    }
    w->planned[leg] = planned;
    bool early = !planned && measured->touches[leg] && w->phase[leg] > w->options.gait.detect;
    bool stands = planned || early;
    changed = changed || stands != w->stands[leg];
    w->stands[leg] = stands;
  }
  return changed;
}

// ---- view

static void look(cr_walker* w, const cr_measured_body* measured, const frames* f,
                 double foot[CR_LEGS][3], const double wanted[3]) {
  const cr_legged* robot = w->robot;
  cr_body_view* v = &w->view;
  double middle[3], swept[3];
  cri_turn(f->level, robot->middle, middle);
  cri_turn(f->level, measured->turning, v->turning);
  to_heading(f->rpy[2], w->odometry.smooth, v->velocity);
  cri_cross(v->turning, middle, swept);
  cri_add(v->velocity, swept, 1, v->velocity);
  double error = remainder(f->rpy[2] - w->heading, 2 * 3.14159265358979323846);
  error = fmin(fmax(error, -w->options.yaw_limit), w->options.yaw_limit);
  v->rpy[0] = f->rpy[0];
  v->rpy[1] = f->rpy[1];
  v->rpy[2] = error;
  v->height = w->odometry.height + middle[2];
  for (int leg = 0; leg < CR_LEGS; leg++) {
    v->stands[leg] = w->stands[leg];
    v->friction[leg] = w->options.friction;
    cri_add(foot[leg], middle, -1, v->foot[leg]);
    v->foot[leg][2] -= robot->radius;
  }
  const double velocity[3] = {wanted[0], wanted[1], 0}, turning[3] = {0, 0, wanted[2]};
  memcpy(v->wanted_velocity, velocity, sizeof velocity);
  memcpy(v->wanted_turning, turning, sizeof turning);
  v->wanted_position[2] = robot->height;
}

// ---- torques

static void push(const cr_walker* w, const frames* f, int leg, const double jacobian[9],
                 double* torque) {
  double body[3];
  cri_turn_back(f->level, w->force[leg], body);
  cri_turn_back(jacobian, body, torque);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    torque[i] = -torque[i];
  }
}

static void swing(const cr_walker* w, const cr_measured_body* measured, const frames* f, int leg,
                  const double wanted[3], double* torque) {
  const cr_legged* robot = w->robot;
  const cr_walk_options* o = &w->options;
  double hip[3], target[3], point[3], body[3], q[CR_LEG_JOINTS], trunk[3], swept[3], middle[3];
  const double* is = measured->q + (ptrdiff_t)CR_LEG_JOINTS * leg;
  const double* speed = measured->v + (ptrdiff_t)CR_LEG_JOINTS * leg;
  // the trunk's velocity, and where feet stand below it
  cri_turn(f->level, robot->middle, middle);
  cri_cross(w->view.turning, middle, swept);
  cri_add(w->view.velocity, swept, -1, trunk);
  memcpy(hip, robot->hip[leg], sizeof hip);
  hip[2] = robot->radius - (robot->height - middle[2]);
  cri_swing_target(hip, trunk, w->view.turning[2], wanted, wanted[2], o->gait.stance, o->raibert,
                   target);
  cri_swing_point(w->lifted[leg], target, w->phase[leg], o->clearance, point);
  cri_turn_back(f->level, point, body);
  memcpy(q, is, sizeof q);
  (void)cri_leg_reach(&robot->leg[leg], body, q);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    torque[i] = o->kp * (q[i] - is[i]) - o->kd[i] * speed[i];
  }
}

cr_status cri_walker_act(cr_walker* walker, const cr_measured_body* measured, double time, double h,
                         const double wanted[3], double torque[CR_LEGGED_JOINTS], cr_error* error) {
  cr_walker* w = walker;
  double foot[CR_LEGS][3], jacobian[CR_LEGS][9];
  frames f;
  find_frames(measured, &f);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    const double below[3] = {0, 0, -w->robot->radius};
    double body[3], off[3];
    cri_turn_back(f.level, below, off);
    cri_leg_foot(&w->robot->leg[leg], measured->q + (ptrdiff_t)CR_LEG_JOINTS * leg, off, body,
                 jacobian[leg]);
    cri_turn(f.level, body, foot[leg]);
    cri_add(foot[leg], below, -1, foot[leg]);
  }
  cri_odometry_update(&w->odometry, w->robot, measured, w->stands, h);
  w->heading += h * wanted[2];
  bool changed = update_gait(w, measured, time, foot);
  look(w, measured, &f, foot, wanted);
  if (changed || w->last < 0 || w->step - w->last >= w->options.every) {
    CR_TRY(w->decide(w->context, &w->view, w->force, error));
    w->last = w->step;
    w->decisions++;
  }
  w->step++;
  const double down[3] = {0, 0, -w->robot->gravity};
  double gravity[3];
  cri_turn_back(f.level, down, gravity);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    double* to = torque + (ptrdiff_t)CR_LEG_JOINTS * leg;
    if (w->stands[leg]) {
      push(w, &f, leg, jacobian[leg], to);
    } else {
      swing(w, measured, &f, leg, wanted, to);
    }
    double carry[CR_LEG_JOINTS];
    cri_leg_carry(&w->robot->leg[leg], measured->q + (ptrdiff_t)CR_LEG_JOINTS * leg, gravity,
                  carry);
    cri_add(to, carry, 1, to);
  }
  return CR_OK;
}
