// SPDX-License-Identifier: Apache-2.0
// What a contact model is: the one interface between the acceleration stage and whatever turns
// constraint rows into forces. The stage knows the residual
//   r(a) = M a - tau - J' f(e) = 0,  e = J a - aref,
// and differentiates it by the implicit function theorem; the model knows f, how to solve, and the
// Newton matrix H = M - J' F' J, F' = df/de, at the solution. H and F' need not be symmetric. Nothing else
// knows the law, its zones, or how H is kept.
#ifndef CR_SOLVER_CONTACT_MODEL_H
#define CR_SOLVER_CONTACT_MODEL_H

#include "math/cholesky.h"
#include "model/data.h"

/// The effective mass matrix of the acceleration: a sparse symmetric matrix with the pattern of M or, `tree` false,
/// one that couples branches, and the force that it stands against.
typedef struct {
  const cr_real* value;
  cr_pattern pattern;
  bool tree;
  const cr_real* tau;
  /// x = mass^-1 x, in scratch of `work`
  void (*solve)(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work);
} cr_mass_view;

/// Right sides of a solve with H, which become the solutions: n columns of nv numbers each, X[i ld + k] the
/// number of dof i in column k.
typedef struct {
  int n, ld;
  cr_real* X;
  bool transposed;  // with H^T
} cri_right_sides;

/// What the derivative at hand leaves open, in words.
typedef struct {
  char text[480];
} cri_doubt;

/// Numbers of a row that change sign where its law bends.
enum { CRI_LAW_BENDS = 2 };

/// F' couples the rows of one contact or of one equality constraint alone. Forces of a contact or of another
/// row are 0 where all its efc_D are: events switch rows off by that.
typedef struct cr_contact_model {
  /// Solves for the acceleration in the effective mass matrix `mass`. Reads qacc_smooth = mass^-1 tau, efc_J,
  /// efc_aref, efc_D, efc_frictionloss, contact_mu, contact_friction, qacc_warmstart.
  /// Leaves the solution in acc_qacc, acc_jar (e), acc_force (f) and qfrc_constraint (J' f),
  /// efc_state, tree_island (solver/islands.h), and what `linear`
  /// needs in H_factor, H_index, for that very solution; the largest
  /// solver_iterations and solver_residual of an island.
  /// efc_state: equal numbers of all rows tell that the law is smooth in between.
  /// Only called where there are rows.
  cr_status (*solve)(const cr_model* m, cr_data* d, const cr_mass_view* mass);

  /// X = H^-1 X or H^-T X at the solution, for the dofs of trees in islands: H has no others. `dofs` are
  /// those of whole islands; the rest of X is neither read nor written. In scratch of `work`.
  void (*linear)(const cr_model* m, const cr_data* d, cr_runs dofs, const cri_right_sides* x,
                 cr_data* work);

  /// Whether H is so much stiffer than M along some row that one solve leaves too few digits.
  bool (*delicate)(const cr_model* m, const cr_data* d);

  /// acc_force and efc_state at acc_jar, for inverse dynamics. CR_ERR_UNSUPPORTED where e alone does not
  /// say what the forces are.
  cr_status (*force)(const cr_model* m, cr_data* d);

  /// f_tan = F' e_tan + what the tangents in `tan` of efc_D, efc_frictionloss, contact_mu, contact_friction and all
  /// else that the law reads add.
  void (*force_jvp)(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* e_tan,
                    cr_real* f_tan);

  /// e_bar = F'^T f_bar; adds to the cotangents of these in `bar`, unless that is NULL.
  void (*force_vjp)(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* f_bar,
                    cr_real* e_bar);

  /// Derivatives that rows do not have, since they are not there or move nothing: the first adds to
  /// the tangent of J' f, the second reads its cotangent and adds to what it depends on.
  void (*latent_jvp)(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan);
  void (*latent_vjp)(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar);

  /// Whether the friction loss of dof i, or of tendon i - nv, is zero and has a derivative of 0 because what it would
  /// hold moves so slowly that it may be rounding.
  bool (*creeps)(const cr_model* m, const cr_data* d, int i);

  /// Whether the derivative at d is one of several; then `doubt`, unless it is NULL, says why. In scratch
  /// of `work`.
  bool (*in_doubt)(const cr_model* m, const cr_data* d, cr_data* work, cri_doubt* doubt);

  /// Where the law of a row bends, at the solution: numbers that change sign there while the row pushes, 1 for
  /// none. Of the rows of a contact the first says it for all. Events are found by them, at the moment
  /// that a line through two of them is 0, so that both sides should have about one slope.
  void (*bends)(const cr_model* m, const cr_data* d, int row, cr_real bend[CRI_LAW_BENDS]);

  /// Whether the forces of the contact of this row depend on which way its tangents point.
  bool (*has_directions)(const cr_model* m, const cr_data* d, int row);

  /// Whether forces depend on efc_pos, efc_margin, efc_vel or contact_weight besides what D and e have of them.
  bool (*sees_motion)(const cr_model* m);
} cr_contact_model;

/// What solves for m: the convex model; the explicit one where all contacts are hunt_crossley; else Newton's method.
const cr_contact_model* cri_contact_model(const cr_model* m);

#endif
