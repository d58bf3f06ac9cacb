// SPDX-License-Identifier: Apache-2.0
// What a contact model is: the one interface between the acceleration stage and whatever turns
// constraint rows into forces. The stage knows the residual
//   r(a) = M a - tau - J' f(e) = 0,  e = J a - aref,
// and differentiates it by the implicit function theorem; the model knows f, how to solve, and the
// Newton matrix H = M - J' F' J, F' = df/de, at the solution. H and F' need not be symmetric.
#ifndef CR_CONTACT_MODEL_H
#define CR_CONTACT_MODEL_H

#include "math/cholesky.h"
#include "model/data.h"

/// The metric of the acceleration: a sparse symmetric matrix with the pattern of M or, `tree` false,
/// one that couples branches, and the force that it stands against.
typedef struct {
  const cr_real* value;
  cr_pattern pattern;
  bool tree;
  const cr_real* tau;
} cr_metric_view;

typedef struct {
  const char* name;

  /// Solves for the acceleration in the metric `metric`. Reads qacc_smooth = metric^-1 tau, efc_J,
  /// efc_aref, efc_D, efc_frictionloss, contact_mu, contact_friction, qacc_warmstart.
  /// Leaves the solution in acc_qacc, acc_jar (e), acc_force (f) and qfrc_constraint (J' f),
  /// efc_state, and what `linear`
  /// needs in tree_island, H_factor, H_index, for that very solution; the largest
  /// solver_iterations and solver_residual of an island.
  /// Only called where there are rows.
  cr_status (*solve)(const cr_model* m, cr_data* d, const cr_metric_view* metric);

  /// x = H^-1 x and x = H^-T x at the solution, for the dofs of trees in islands: H has no others.
  void (*linear)(const cr_model* m, const cr_data* d, cr_runs dofs, cr_real* x);
  void (*linear_transposed)(const cr_model* m, const cr_data* d, cr_runs dofs, cr_real* x);

  /// Whether H is so much stiffer than M along some row that one solve leaves too few digits.
  bool (*delicate)(const cr_model* m, const cr_data* d);

  /// f_tan = F' e_tan + what the tangents of efc_D, efc_frictionloss, contact_mu and
  /// contact_friction in `tan` add.
  void (*force_jvp)(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* e_tan,
                    cr_real* f_tan);

  /// e_bar = F'^T f_bar; adds to the cotangents of efc_D, efc_frictionloss, contact_mu and
  /// contact_friction in `bar`, unless that is NULL.
  void (*force_vjp)(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* f_bar,
                    cr_real* e_bar);
} cr_contact_model;

/// The contact model of a model: the convex one is the only one.
const cr_contact_model* cri_contact_model(const cr_model* m);

#endif
