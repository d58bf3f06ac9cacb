// SPDX-License-Identifier: Apache-2.0
// Springs of joints, piece by piece: how far each is from rest, how stiff it is there, and what both
// depend on. dynamics/passive makes forces of them, dynamics/metric stiffness of the joint.
#ifndef CR_DYNAMICS_JOINT_SPRING_H
#define CR_DYNAMICS_JOINT_SPRING_H

#include "model/data.h"

/// A piece of a joint with one spring force: a coordinate (n = 1), a position or an orientation.
typedef struct {
  int n;
  bool turns;
  int q, v;  // first coordinate and first dof
} cri_spring_piece;

/// Pieces of joint j; returns how many.
int cri_spring_pieces(const cr_model* m, int j, cri_spring_piece out[2]);

/// e and what its stiffness depends on: x = e of a coordinate, |e| of the rest; k, dk/dx; dx/de.
/// Equation e = q - q_s, or log(q_s^-1 q);  k = k0 + k1 x + k2 x^2
typedef struct {
  cr_real e[3], x, k, slope, dx[3];
} cri_spring_pull;

cri_spring_pull cri_spring_pull_of(const cr_model* m, const cr_data* d, int j,
                                   const cri_spring_piece* p);

/// Tangent of e; and its transpose, which adds to bar->qpos and bar->par.qpos_spring.
void cri_spring_pull_jvp(const cr_data* tan, const cri_spring_piece* p, const cri_spring_pull* s,
                         cr_real e_tan[3]);
void cri_spring_pull_vjp(cr_data* bar, const cri_spring_piece* p, const cri_spring_pull* s,
                         const cr_real e_bar[3]);

#endif
