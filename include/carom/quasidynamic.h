// SPDX-License-Identifier: Apache-2.0
// Quasi-dynamic steps: where a model that is driven by position servos comes to rest, contacts included, a short time after
// its setpoints have changed. Each step is a convex problem, exact or smoothed by a log barrier, with its derivatives.
#ifndef CAROM_QUASIDYNAMIC_H
#define CAROM_QUASIDYNAMIC_H

#include "carom/data.h"
#include "carom/estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model with servos, and the memory of a step. Belongs to one thread.
typedef struct cr_quasidynamic cr_quasidynamic;

/// The friction cone of the steps.
typedef enum {
  CR_FRICTION_PYRAMID = 0,  // rays J_n +- mu_k J_k: a quadratic program
  CR_FRICTION_CONE = 1      // J_n d + phi >= |(mu_k J_k d)|: a second-order cone program
} cr_friction;

/// Inertia of the dofs without a servo.
typedef enum {
  CR_INERTIA_WHOLE = 0,  // that of the model: quasi-dynamic
  CR_INERTIA_SCALED =
      1,  // that of the model, scaled to a share of the softest servo: a regularised quasi-static step
  CR_INERTIA_NONE = 2  // none; springs of joints have to hold what no servo holds
} cr_inertia_use;

/// Settings. A zero stands for the value in brackets.
typedef struct {
  size_t size;             // sizeof(cr_quasidynamic_options), set by the caller
  cr_friction friction;    // [pyramid]
  cr_inertia_use inertia;  // [whole]
  cr_real step;            // s, from rest to rest [0.1]
  cr_real weight;  // 1/J, of the log barrier: energies of 1 / weight are smoothed. 0: [exact]
  cr_real reach;   // m, contacts nearer than this count [0.1]
  cr_real
      scale;  // of CR_INERTIA_SCALED: how much softer than the softest servo the heaviest dof is [10]
  const cr_real*
      stiffness;  // [nactuator] N m/rad or N/m of the joint, in the place of the actuators' own [NULL: their own]
} cr_quasidynamic_options;

/// A contact of the last step.
typedef struct {
  size_t size;          // sizeof(cr_quasidynamic_contact), set by the caller
  int geom[2];          // the normal points from the first to the second
  cr_real distance;     // m, before the step, less the margin
  cr_real position[3];  // m, world
  cr_real frame[9];     // normal and two tangents, in rows, world
  cr_real force[6];     // N, N m: normal, two tangents, spin, two rolls; on the second geom
} cr_quasidynamic_contact;

/// Opens a model for quasi-dynamic steps. An actuator is a servo if its force is gain u + bias, with a fixed gain and an affine bias
/// with a negative slope over length, -Kp, on a hinge or a slide. The model has to outlive it.
/// Errors   CR_ERR_ARG: no actuators, options that are not sane; CR_ERR_UNSUPPORTED: what has no place in these steps (an
///          actuator that is no servo, equality constraints, tendons, friction loss, fluids, added stages), naming it; CR_ERR_MEMORY
/// Ignored  dampers of joints, ranges of forces: servos and contacts come to rest within a step, however large the force
/// Owner    the caller, cr_quasidynamic_destroy
CR_API cr_status cr_quasidynamic_create(cr_quasidynamic** work, const cr_model* m,
                                        const cr_quasidynamic_options* options, cr_error* error);
CR_API void cr_quasidynamic_destroy(cr_quasidynamic* work);

/// A step.
/// Map      (qpos, u) -> next
/// Equation minimise d'Q d / 2 - d'tau over d with the contacts' linearised distances J d + phi in the cones, next = qpos (+) d
///          Q = Kp of servos, M / step^2 of other dofs, stiffness of joints; tau = servos, springs and gravity at qpos
///          [Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, 2006; Pang, Suh, Yang, Tedrake,
///          Global planning for contact-rich manipulation via local smoothing of quasi-dynamic contact models, 2023]
///          derivation: docs/derivations/quasidynamic.md
/// Shapes   qpos[nq], u[nu], next[nq]; next may be qpos
/// Units    as in the model; u those of the actuators
/// Errors   CR_ERR_ARG: u beyond ctrlrange; CR_ERR_SINGULAR: a dof that nothing resists; CR_ERR_SOLVER: contacts that no
///          displacement separates, naming the geoms, or a residual above 1e-9; CR_ERR_NONFINITE; CR_ERR_CAPACITY
/// Memory   no allocation
/// Smooth   smoothed: wherever collision is. Exact: where no contact begins, ends, sticks or slips
CR_API cr_status cr_quasidynamic_step(cr_quasidynamic* work, const cr_real* qpos, const cr_real* u,
                                      cr_real* next);

/// The derivatives of the last step.
/// Equation implicit function theorem, second derivatives of the geometry included; exact steps with the active set
/// Shapes   A[nv nv] = d next / d qpos, in tangents (docs/conventions.md); B[nv nu] = d next / d u; row by row; each may be NULL
/// Errors   CR_ERR_ARG before a step; CR_ERR_SINGULAR
/// Memory   no allocation
CR_API cr_status cr_quasidynamic_jacobian(cr_quasidynamic* work, cr_real* A, cr_real* B);

/// Names the parameters of cr_quasidynamic_parameter_jacobian: "geom_friction[box][0]", "body_mass[box]",
/// "actuator_gainprm[finger][0]", "gravity". Kp is -actuator_biasprm[finger][1], and of a position servo also
/// actuator_gainprm[finger][0]: the sum of both columns.
/// Errors   CR_ERR_NAME for what is no parameter; CR_ERR_MEMORY
CR_API cr_status cr_quasidynamic_set_parameters(cr_quasidynamic* work, const char* const* names,
                                                int n);

/// Columns of the Jacobian by parameters: the numbers of all names together.
CR_API int cr_quasidynamic_columns(const cr_quasidynamic* work);

/// d next / d parameters of the last step.
/// Shapes   by_parameters[nv columns], row by row, columns in the order of the names
/// Errors   CR_ERR_ARG before a step; CR_ERR_SINGULAR
/// Memory   no allocation
CR_API cr_status cr_quasidynamic_parameter_jacobian(cr_quasidynamic* work, cr_real* by_parameters);

/// The displacement of the last step, nv numbers, and how well it solves the problem: relative residual of the conditions of
/// optimality, below 1e-9.
CR_API const cr_real* cr_quasidynamic_displacement(const cr_quasidynamic* work);
CR_API cr_real cr_quasidynamic_residual(const cr_quasidynamic* work);

/// Contacts of the last step, and one of them.
/// Errors   CR_ERR_ARG where there is no contact i
CR_API int cr_quasidynamic_contacts(const cr_quasidynamic* work);
CR_API cr_status cr_quasidynamic_get_contact(const cr_quasidynamic* work, int i,
                                             cr_quasidynamic_contact* contact, cr_error* error);

/// The setpoints that hold a pose without a force of the servos, within their ranges. Other controls: 0.
/// Shapes   qpos[nq], u[nu]
/// Errors   CR_ERR_ARG for NULL
CR_API cr_status cr_quasidynamic_hold(cr_quasidynamic* work, const cr_real* qpos, cr_real* u);

/// A way of the fingers, which are the kinematic trees with servos, from one pose to another: one finger after another moves around the rest.
/// Equation two trees of poses that grow towards each other [Kuffner and LaValle, RRT-Connect, 2000], shortened. A finger that touches something
///          first moves away from it, and approaches in the same way at the end; it may be up to 5 gaps inside
/// Shapes   from[nq], to[nq]: of `to` the coordinates of servos count; way[most nq]: poses, the first is `from`. *n: how many, 0 where no way was found
/// Units    gap in m: fingers pass at half of it or more
/// Errors   CR_ERR_ARG; CR_ERR_UNSUPPORTED: more than 16 servos in a tree; CR_ERR_CAPACITY: more than `most` poses; CR_ERR_MEMORY
/// Memory   allocates; a step of work is over
CR_API cr_status cr_quasidynamic_way(cr_quasidynamic* work, const cr_real* from, const cr_real* to,
                                     cr_real gap, uint64_t seed, int most, cr_real* way, int* n);

/// The sentence of the last failure.
CR_API const char* cr_quasidynamic_error(const cr_quasidynamic* work);

/// Many steps side by side.
typedef struct cr_quasidynamic_batch cr_quasidynamic_batch;

/// nthread 0: one a processor.
CR_API cr_status cr_quasidynamic_batch_create(cr_quasidynamic_batch** batch, const cr_model* m,
                                              const cr_quasidynamic_options* options, int nthread,
                                              cr_error* error);
CR_API void cr_quasidynamic_batch_destroy(cr_quasidynamic_batch* batch);

/// n steps, with the same bits for any number of threads.
/// Shapes   qpos[n nq], u[n nu], next[n nq]; A[n nv nv], B[n nv nu], each may be NULL
/// Errors   those of the lowest row that failed, with its number
/// Memory   no allocation
CR_API cr_status cr_quasidynamic_batch_run(cr_quasidynamic_batch* batch, int n, const cr_real* qpos,
                                           const cr_real* u, cr_real* next, cr_real* A, cr_real* B,
                                           cr_error* error);

/// A motion of servos that brings objects to a goal through contact, as a tree found it.
typedef struct cr_contact_plan cr_contact_plan;

/// Settings of the tree. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_contact_tree_options), set by the caller
  int nodes;    // most nodes of a tree [1000]
  int trees;  // trees, one after the other until one reaches the goal; each has random numbers of its own [1]
  uint64_t seed;
  cr_real goal_share;      // share of extensions towards the goal itself [0.8]
  cr_real grasp_share;     // share of nodes that are new grasps of the same object pose [0.2]
  cr_real regularisation;  // of the metric [1e-4]
  cr_real stepsize;        // largest norm of a change of setpoints [0.35]
  cr_real tolerance;       // of the goal: norm over the objects' coordinates [0.01]
  cr_real around;          // samples lie between start and goal, and so much beyond, m|rad [0.1]
  cr_real gap;             // m, from fingers to objects in a new grasp [0.001]
  cr_real length;  // m that count as much as 1 rad: of the metric, the tolerance, `around` [1]
  bool ways;  // new grasps only where the fingers find a free way to them, cr_quasidynamic_way [no]
  cr_real keep_share;  // share of fingers that stay where they are in a new grasp [0]
} cr_contact_tree_options;

/// Grows a tree of quasi-dynamic steps from qpos until an object pose is within the tolerance of the goal.
/// Equation a node has the smoothed next pose c at setpoints that hold it, and B of the objects' rows; its distance to x is
///          (x - c)'(B B' + reg I)^-1 (x - c). The node nearest to a sample is extended by the least-squares change of setpoints, limited,
///          with an exact step; or it gets a new grasp, or, towards the goal, another node that is near to it: fingers, from random poses, close along
///          random lines up to the object, if objects rest meanwhile. x - c in tangents: metres over `length`, rotation vectors of ball and free joints
///          [Pang, Suh, Yang, Tedrake 2023]; derivation: docs/derivations/quasidynamic.md [quasidynamic.t1]-[quasidynamic.t3]
/// Shapes   qpos[nq], goal[nq]: entries of objects count; steps: those of the exact steps, whose weight is that of the smoothed ones [100]
/// Errors   those of cr_quasidynamic_create and _step; CR_ERR_MEMORY. A tree without
///          the goal is no error: cr_contact_plan_distance tells
/// Owner    the caller, cr_contact_plan_destroy
CR_API cr_status cr_contact_tree_grow(cr_contact_plan** plan, const cr_model* m,
                                      const cr_quasidynamic_options* steps, const cr_real* qpos,
                                      const cr_real* goal, const cr_contact_tree_options* options,
                                      cr_error* error);
CR_API void cr_contact_plan_destroy(cr_contact_plan* plan);

/// Poses of the way to the node nearest to the goal, the start included; nodes of all trees; distance left, m|rad.
CR_API int cr_contact_plan_poses(const cr_contact_plan* plan);
CR_API int cr_contact_plan_nodes(const cr_contact_plan* plan);
CR_API cr_real cr_contact_plan_distance(const cr_contact_plan* plan);

/// Pose i: qpos[nq], the setpoints that led there [nu], and whether it is a new grasp of the pose before. Each may be NULL. False if there is no pose i.
CR_API bool cr_contact_plan_get(const cr_contact_plan* plan, int i, cr_real* qpos, cr_real* u,
                                bool* grasp);

// ---- iterative smoothed predictive control: controls that lead a system along a goal, from linear models that noise or a log barrier has smoothed.
// It finds its way through contacts where derivatives at one point are zero (docs/smoothed_mpc.md)

/// A system x' = f(x, u) whose state is plain numbers.
typedef struct {
  size_t size;  // sizeof(cr_mpc_system), set by the caller
  int nx, nu;
  /// A step and its Jacobian: A[nx nx] = df/dx, B[nx nu] = df/du, row by row, or NULL: not asked. Many threads call at once, each with
  /// its own worker, 0 ... threads - 1.
  cr_status (*step)(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* next,
                    cr_real* A, cr_real* B, cr_error* error);
  void* context;
} cr_mpc_system;

/// Settings. What a zero stands for is in brackets. Arrays are copied.
typedef struct {
  size_t size;  // sizeof(cr_mpc_options), set by the caller
  int nstep;    // of the horizon
  // cost: sum over steps of Q (x - goal)^2 + R u^2, and Q_end (x - goal)^2 at the end
  const cr_real* goal;       // (nstep + 1) nx
  const cr_real *Q, *Q_end;  // nx each; Q_end NULL: [Q]
  const cr_real* R;          // nu
  bool changes;              // R is of u - the control before
  const int*
      follows;  // nu: the number of x that is the control before the first step; NULL: [none, 0]
  // limits; NULL: [none]
  const cr_real *x_lower, *x_upper, *u_lower, *u_upper;
  const cr_real* change;  // nu: largest |u - the control before|
  const cr_real* trust;   // nu: largest |u - x of the plan that it follows|, needs `follows`
  // linear models
  cr_estimator_kind kind;  // FIRST: mean of Jacobians; ZEROTH: least squares from steps alone
  int samples;             // of each step; 0: [the Jacobian itself]
  const cr_real*
      sigma;  // nx + nu: standard deviations in the first iteration. What has 0 keeps its own derivative
  cr_real decay, power;  // in iteration i: sigma decay^(i - 1) / i^power [1, 0]
  cr_draws draws;
  uint64_t seed;
  cr_real growth;  // quasi-dynamic with a weight: in iteration i weight growth^(i - 1) [1]
  bool decoupled;  // linear models without what x does to x [smoothed_mpc.e6], needs `follows`
  int nthread;     // [one a processor]; the digits do not depend on it
} cr_mpc_options;

/// What an iteration came to.
typedef struct {
  size_t size;           // sizeof(cr_mpc_result), set by the caller
  cr_real before, cost;  // of the motions before and after
  cr_real best;          // lowest so far
  cr_real spread;        // factor of sigma, or the weight of the log barrier
  int iteration;         // from 1
  int failed;            // samples without a step
  int unlimited;  // last steps that were planned without limits of the state, since no controls keep them
} cr_mpc_result;

/// A planner. Belongs to one thread, and has others of its own.
typedef struct cr_smoothed_mpc cr_smoothed_mpc;

/// A planner for a system. Its controls are 0, its start is 0.
/// Owner    the caller, cr_smoothed_mpc_destroy
/// Errors   CR_ERR_ARG for options that are none; CR_ERR_MEMORY
CR_API cr_status cr_smoothed_mpc_create(cr_smoothed_mpc** mpc, const cr_mpc_system* system,
                                        const cr_mpc_options* options, cr_error* error);

/// A planner for quasi-dynamic steps: x is qpos, u are the setpoints, and controls follow their servos' joints. Steps are exact. With steps->weight their
/// derivatives are those of steps that a log barrier of this weight smooths. Controls begin at the setpoints that hold the start.
/// Errors   those of cr_quasidynamic_create; CR_ERR_UNSUPPORTED for ball and free joints
CR_API cr_status cr_smoothed_mpc_create_quasidynamic(cr_smoothed_mpc** mpc, const cr_model* m,
                                                     const cr_quasidynamic_options* steps,
                                                     const cr_mpc_options* options,
                                                     cr_error* error);
CR_API void cr_smoothed_mpc_destroy(cr_smoothed_mpc* mpc);

/// The start, x[nx]. Call it before the first iteration, or to begin anew.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_smoothed_mpc_set_start(cr_smoothed_mpc* mpc, const cr_real* x, cr_error* error);

/// The controls, nstep nu: write the first guess here, behind cr_smoothed_mpc_set_start and before the first iteration.
/// Owner    borrowed
CR_API cr_real* cr_smoothed_mpc_ctrl(cr_smoothed_mpc* mpc);

/// One iteration: linear models along the motion, then a new motion. Each of its controls is the first of the best controls that are left, of the linear
/// models and within the limits. The cost may rise: cr_smoothed_mpc_best has the best motion. result may be NULL.
/// Equation [smoothed_mpc.e1 ... e5], docs/derivations/smoothed_mpc.md
/// Threads  the same bits for any number of them
/// Memory   no allocation
/// Errors   those of the steps; CR_ERR_SOLVER: nothing holds a control at a finite value; CR_ERR_NONFINITE. A motion that failed leaves the one before
CR_API cr_status cr_smoothed_mpc_improve(cr_smoothed_mpc* mpc, cr_mpc_result* result,
                                         cr_error* error);

/// The motion now, (nstep + 1) nx. Its cost: NaN before the first iteration.
CR_API const cr_real* cr_smoothed_mpc_states(const cr_smoothed_mpc* mpc);
CR_API cr_real cr_smoothed_mpc_cost(const cr_smoothed_mpc* mpc);

/// The best motion so far: states (nstep + 1) nx, controls nstep nu; each may be NULL. Returns its cost, NaN before the first iteration.
CR_API cr_real cr_smoothed_mpc_best(const cr_smoothed_mpc* mpc, const cr_real** states,
                                    const cr_real** ctrl);

#ifdef __cplusplus
}
#endif
#endif
