// SPDX-License-Identifier: Apache-2.0
// Forces of the standing feet by convex model predictive control (Di Carlo, Wensing, Katz, Bledt, Kim, Dynamic locomotion in the MIT
// Cheetah 3 through convex model-predictive control, 2018), with the constants of google-research's motion_imitation. The robot is one rigid
// body. Frame: level, x the heading, origin at the centre of mass.
#ifndef CR_WALK_FORCE_PLAN_H
#define CR_WALK_FORCE_PLAN_H

#include "walk/convex_qp.h"
#include "walk/gait.h"

enum { CR_PLAN_STEPS = 10 };  // of 0.025 s

/// What a decision is made from.
typedef struct {
  double velocity[3], rpy[3],
      turning[3];  // m/s; roll, pitch, and yaw as seen from what is wanted; rad/s
  double height;   // m, of the centre of mass
  bool stands[CR_LEGS];
  double foot[CR_LEGS][3];  // m, where feet touch, from the centre of mass
  double friction[CR_LEGS];
  double wanted_rpy[3], wanted_position[3], wanted_turning[3], wanted_velocity[3];
} cr_body_view;

/// The body and the costs.
typedef struct {
  double mass, inertia[9];  // kg; kg m^2 about the centre of mass, in the trunk's frame
  double gravity, step;     // m/s^2, s
  double weight[12];        // of rpy, position, turning, velocity, squared, at the end of each step
  double effort;            // of forces squared, 1/N^2
  double least, most;       // of the upward force of a standing foot, in weights of the robot
} cr_force_costs;

/// Those of motion_imitation, but for mass and inertia.
extern const cr_force_costs cri_force_costs;

typedef struct cr_force_plan cr_force_plan;

/// Owner: the caller, cri_force_plan_destroy. Errors: those of cri_qp_solver_create
cr_status cri_force_plan_create(cr_force_plan** plan, const cr_force_costs* costs,
                                cr_qp_method method, cr_error* error);
void cri_force_plan_destroy(cr_force_plan* plan);

/// Plans CR_PLAN_STEPS steps, all with the feet that stand now where they stand now; tells the forces on the robot of the first one.
/// Equation d/dt (rpy, p, w, v) = (T w, v, I^-1 sum r x f, sum f / m - g), exactly over each step of constant f    [walk.f1]
///          minimise sum over steps of weight (x - x_wanted)^2 + effort f^2 / 2; |f_x|, |f_y| <= mu f_z;
///          least m g <= f_z <= most m g                                                                     [walk.f2]
/// Shapes   force[CR_LEGS][3], N; 0 where no foot stands
/// Errors   those of cri_qp_solve
cr_status cri_force_plan_decide(cr_force_plan* plan, const cr_body_view* view,
                                double force[CR_LEGS][3], cr_error* error);

/// The problem of the last decision, and its solution; the order of unknowns is step, leg, axis. For tests and timings.
const cr_qp* cri_force_plan_problem(const cr_force_plan* plan, const double** x, const double** y);

/// Iterations of the last decision.
int cri_force_plan_iterations(const cr_force_plan* plan);

#endif
