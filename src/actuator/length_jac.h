// SPDX-License-Identifier: Apache-2.0
// Forces along a length: springs, dampers and actuators of joints and tendons, and rows of limits and
// couplings. Each adds a small dense block to the derivatives of the joint force.
#ifndef CR_ACTUATOR_LENGTH_JAC_H
#define CR_ACTUATOR_LENGTH_JAC_H

#include "actuator/actuator_jac.h"
#include "kinematics/rigid_transport.h"

/// A force f along a length, tau = J' f: its row J over the dofs col[n]; its derivative dJ_i/dq_j
/// at H[i n + j] (NULL: none); the gradient of the length (NULL: J too); and f with its derivatives.
typedef struct {
  int n;
  const int32_t* col;
  const cr_real *J, *H, *by_q;
  cr_real f, by_length, by_velocity, by_acceleration;
} cri_length_force;

/// Adds the derivatives of J' f.
/// Equation f_j = by_length L_j + by_velocity (H v)_j + by_acceleration (H a)_j
///          q: J_i f_j + f H_ij;  v: J_i by_velocity J_j           [step_jacobian.y6]
/// Shapes   v, a[nv]; rows i with skip[i] not zero are left out (NULL: none)
void cri_length_jac(const cri_length_force* x, const cr_real* v, const cr_real* a,
                    const int32_t* skip, cri_columns columns);

/// Curvatures of spatial tendons and behind each the gradient of its length; those of tendon t begin at at[t].
/// -1 for a fixed tendon, which has no curvature and whose gradient is its row.
typedef struct {
  int32_t* at;
  cr_real* numbers;
} cri_curvatures;

/// Number of numbers needed; at holds ntendon.
size_t cri_curvatures_size(const cr_model* m);

/// Curvature and gradient of tendon t; NULL for a fixed one.
static inline const cr_real* cri_curvature(const cri_curvatures* c, int t) {
  return c->at[t] < 0 ? NULL : c->numbers + c->at[t];
}
static inline const cr_real* cri_length_gradient(const cr_model* m, const cri_curvatures* c,
                                                 int t) {
  int n = m->ten_J_rownnz[t];
  return c->at[t] < 0 ? NULL : c->numbers + c->at[t] + n * n;
}

/// Sets both. Memory: nv integers of `work`'s scratch.
void cri_curvatures_set(const cr_model* m, const cr_data* d, cri_curvatures* c, cr_data* work);

/// Row, curvature and gradient of the length of actuator i, on a joint or a tendon; the rest of x is zero.
/// by_q[6] and scratch of `work` hold some of it: the caller pops the scratch.
void cri_actuator_row(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures, int i,
                      cr_real by_q[6], cri_length_force* x, cr_data* work);

/// Adds the derivatives of the joint forces of springs and dampers, of joints and of tendons.
/// Equation [step_jacobian.y6]; springs of joints piece by piece, as [passive.p1] of force/passive.h
/// Memory   4 nv + 5 ntendon numbers of `work`'s scratch
/// Smooth   as force/passive
void cri_spring_jac(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                    cri_columns columns, cr_data* work);

/// The same of actuators. Column k of columns.out is the moment of output k; slopes[nactuator] are set.
/// Equation [step_jacobian.y6]
/// Memory   nv + 36 numbers of `work`'s scratch, and n^2 + n of the widest tendon
/// Smooth   as actuator/actuation
void cri_actuation_jac(const cr_model* m, const cr_data* d, const cri_curvatures* curvatures,
                       cri_actuator_jac* slopes, cri_columns columns, cr_data* work);

/// True if all forces of actuators have this form; if not, *why names one that does not.
bool cri_forces_along_lengths(const cr_model* m, const char** why);

#endif
