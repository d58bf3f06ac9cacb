// SPDX-License-Identifier: Apache-2.0
// The dofs between two bodies, which move one of them and not the other, and rows of a
// Jacobian made by two spatial forces, one on each body. Tendons and the transmissions at sites,
// cranks and gripping bodies have such rows.
#ifndef CR_KINEMATICS_RELATIVE_CHAIN_H
#define CR_KINEMATICS_RELATIVE_CHAIN_H

#include "model/data.h"

/// A walk over those dofs, from the leaves: the current dof of each body's chain.
typedef struct {
  int last[2];
} cri_relative_chain;

static inline int cri_relative_chain_last(const cr_model* m, int body) {
  int b = m->body_weldid[body];
  return m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

static inline cri_relative_chain cri_relative_chain_of(const cr_model* m, int body0, int body1) {
  return (cri_relative_chain){
      {cri_relative_chain_last(m, body0), cri_relative_chain_last(m, body1)}};
}

/// The next dof and which of the two bodies it moves (side 0 or 1); -1 at the end.
static inline int cri_relative_chain_next(const cr_model* m, cri_relative_chain* c, int* side) {
  if (c->last[0] == c->last[1]) {
    return -1;
  }
  *side = c->last[0] > c->last[1] ? 0 : 1;
  int dof = c->last[*side];
  c->last[*side] = m->dof_parentid[dof];
  return dof;
}

/// The reference point of the spatial vectors of a body's tree.
static inline const cr_real* cri_relative_chain_com(const cr_model* m, const cr_data* d, int body) {
  return d->subtree_com + 3 * m->body_rootid[body];
}

/// Spatial force of (torque t, force f at the point x) on a body: (t + (x - com) x f, f).
void cri_relative_chain_force(const cr_model* m, const cr_data* d, int body, const cr_real x[3],
                              const cr_real t[3], const cr_real f[3], cr_real F[6]);

/// Its transpose: adds to t_bar, f_bar, x_bar and to the cotangent of the centre of mass.
void cri_relative_chain_force_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int body,
                                  const cr_real x[3], const cr_real f[3], const cr_real F_bar[6],
                                  cr_real t_bar[3], cr_real f_bar[3], cr_real x_bar[3]);

/// Row `out` of the moment from the forces F[2] on the two bodies, with its structure. The row
/// starts at moment_rowadr[out].
/// Equation row_j = s_j . F_side over the dofs between the bodies           [tendon.b1]
void cri_relative_chain_row(const cr_model* m, cr_data* d, int out, const int body[2],
                            cr_real F[2][6]);
void cri_relative_chain_row_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int out,
                                const int body[2], cr_real F[2][6], cr_real F_tan[2][6]);
/// Adds to the cotangents F_bar of the forces and to that of cdof, for all pairs of the moment.
void cri_relative_chain_row_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int out,
                                const int body[2], cr_real F[2][6], cr_real F_bar[2][6]);

#endif
