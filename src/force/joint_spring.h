// SPDX-License-Identifier: Apache-2.0
// Springs of joints, the one place of their law: energy, force and stiffness, each with its tangent and
// its transpose. force/passive uses the forces, inertia/effective_mass the stiffness, sensor/energy the
// energy, actuator/length_jac the derivatives of the forces.
#ifndef CR_FORCE_JOINT_SPRING_H
#define CR_FORCE_JOINT_SPRING_H

#include "force/polynomial.h"
#include "model/data.h"

/// A piece of a joint with one spring force: a coordinate (n = 1), a position or an orientation.
typedef struct {
  int joint, n;
  bool turns;
  int q, v;  // first coordinate and first dof
} cri_spring_piece;

/// Pieces of joint j; returns their number.
int cri_spring_pieces(const cr_model* m, int j, cri_spring_piece out[2]);

extern const cri_coefficient_fields cri_joint_spring_fields;

/// True if the spring of joint j has a coefficient that is not zero.
bool cri_joint_spring_acts(const cr_model* m, int j);

/// True if the force of the spring of joint j is proportional to its extension: the stiffness alone counts.
bool cri_joint_spring_is_linear(const cr_model* m, int j);

/// True if the twin has room for a coefficient.
bool cri_joint_spring_wanted(const cr_model* par);

/// A piece at the state of d.
/// Equation e = q - q_s, or log(q_s^-1 q); x = e of a coordinate, |e| of the rest
typedef struct {
  cri_spring_piece piece;
  cr_real e[3], x, dx[3];  // dx: the derivative of x by e
  cr_real c[3];            // coefficients of force/polynomial.h
} cri_spring;

cri_spring cri_spring_of(const cr_model* m, const cr_data* d, const cri_spring_piece* p);

/// Force on the dofs of the piece, its tangent, and its transpose, which adds to bar.
/// Equation f = -s(x) e, s the chord [passive.p9]                                  [passive.p1]
void cri_spring_force(const cri_spring* s, cr_real f[3]);
void cri_spring_force_tan(const cr_data* tan, const cri_spring* s, cr_real f_tan[3]);
void cri_spring_force_bar(cr_data* bar, const cri_spring* s, const cr_real f_bar[3]);

/// The columns of df/dq: K[3 i + k] = df_i / dq_k, n by n of 3 by 3.
void cri_spring_force_jac(const cri_spring* s, cr_real K[9]);

/// A function of x and the coefficients: the energy [passive.p7] or the stiffness [passive.p10]; the tangent of
/// either, and its transpose, which adds y_bar times the derivatives to bar.
static inline cr_real cri_spring_number(const cri_spring* s, cri_polynomial_order order) {
  return cri_polynomial(order, s->c, s->x);
}
cr_real cri_spring_number_tan(const cr_data* tan, const cri_spring* s, cri_polynomial_order order);
void cri_spring_number_bar(cr_data* bar, const cri_spring* s, cri_polynomial_order order,
                           cr_real y_bar);

/// True if the stiffness over |e| has a kink at rest.
static inline bool cri_spring_has_kink(const cri_spring* s) {
  return s->piece.n > 1 && s->c[1] != 0;
}

#endif
