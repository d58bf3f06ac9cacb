// SPDX-License-Identifier: Apache-2.0
// Equality constraints. A connect or a weld holds together two points, and a
// weld also two frames, of two bodies. Here are its residual, the rate of the residual under motions of the bodies,
// and its bias acceleration, each with tangent and transpose. A coupling holds a joint or tendon to a
// polynomial of another. constraint/constraint makes rows of both, solver/reference adds the bias
// acceleration.
//   docs/derivations/equality.md [equality.q1]-[equality.q5]
#ifndef CR_CONSTRAINT_EQUALITY_H
#define CR_CONSTRAINT_EQUALITY_H

#include "model/data.h"

/// Rows of an equality constraint of this type; 0 for a type without rows.
static inline int cri_equality_rows(int type) {
  bool one = type == CR_EQ_JOINT || type == CR_EQ_TENDON;
  return type == CR_EQ_WELD ? 6 : (type == CR_EQ_CONNECT ? 3 : (one ? 1 : 0));
}

/// True for a connect or weld, which have several rows.
static inline bool cri_is_connect_weld(int type) {
  return type == CR_EQ_CONNECT || type == CR_EQ_WELD;
}

// ---- connects and welds

/// Most rows of a connect or weld.
enum { CR_MAX_CONNECT_WELD = 6 };

/// A connect or weld at a state. Tangents and cotangents have the same form; nrow and body mean nothing there.
typedef struct {
  int nrow, body[2];
  cr_real x[2][3];  // the two points, from the centres of mass of their trees
  cr_real gap[3];   // from the second to the first
  cr_real s, u[3];  // q2^-1 q1 rel, scalar and vector part
  cr_real R2[9];    // orientation of the second frame
  cr_real scale;    // of rotations relative to translations
} cri_connect_weld;

/// [equality.q1] Connect or weld i at a state; its tangent; the transpose, which adds to the cotangents of xpos, xmat,
/// site_xpos, site_xmat, subtree_com and eq_data.
cri_connect_weld cri_connect_weld_of(const cr_model* m, const cr_data* d, int i);
cri_connect_weld cri_connect_weld_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                      int i);
void cri_connect_weld_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                          const cri_connect_weld* b_bar);

/// [equality.q2] The residual: gap, then scale u.
void cri_connect_weld_residual(const cri_connect_weld* b, cr_real r[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_residual_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                                   cr_real r_tan[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_residual_bar(const cri_connect_weld* b,
                                   const cr_real r_bar[CR_MAX_CONNECT_WELD],
                                   cri_connect_weld* b_bar);

/// [equality.q3] Its rate where the bodies move with V1 and V2: a column of J for V = cdof of a dof.
/// The transpose adds to b_bar and to the cotangents of V1 and V2.
void cri_connect_weld_rate(const cri_connect_weld* b, const cr_real V1[6], const cr_real V2[6],
                           cr_real rate[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_rate_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                               const cr_real V1[6], const cr_real V2[6], const cr_real V1_tan[6],
                               const cr_real V2_tan[6], cr_real rate_tan[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_rate_bar(const cri_connect_weld* b, const cr_real V1[6], const cr_real V2[6],
                               const cr_real rate_bar[CR_MAX_CONNECT_WELD], cri_connect_weld* b_bar,
                               cr_real V1_bar[6], cr_real V2_bar[6]);

/// Velocities and, with qacc zero, accelerations of the two bodies.
typedef struct {
  cr_real V[2][6], A[2][6];
} cri_connect_weld_motion;

/// [equality.q4] Jdot v: the second derivative of the residual with qacc zero.
void cri_connect_weld_bias(const cri_connect_weld* b, const cri_connect_weld_motion* w,
                           cr_real bias[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_bias_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                               const cri_connect_weld_motion* w,
                               const cri_connect_weld_motion* w_tan,
                               cr_real bias_tan[CR_MAX_CONNECT_WELD]);
void cri_connect_weld_bias_bar(const cri_connect_weld* b, const cri_connect_weld_motion* w,
                               const cr_real bias_bar[CR_MAX_CONNECT_WELD], cri_connect_weld* b_bar,
                               cri_connect_weld_motion* w_bar);

/// The dofs that move either body, ascending, and which body: bit k of `moves` for body k. Both lists have
/// room for nv; returns their number.
int cri_connect_weld_chain(const cr_model* m, const cri_connect_weld* b, int32_t* dof,
                           int32_t* moves);

// ---- couplings of joints or tendons

/// The row of a joint's or tendon's length over the dofs, ascending.
typedef struct {
  int n;
  const int32_t* col;
  const cr_real* value;
} cri_length_row;

/// Row of a slide or hinge joint; of tendon t, with the values of ten_J or of its tangent.
cri_length_row cri_joint_row(const cr_model* m, int joint);
cri_length_row cri_tendon_row(const cr_model* m, const cr_real* ten_J, int t);

/// [equality.q5] Coupling i: residual y - P(x), with y and x the lengths of the two objects beyond their
/// reference; the slope P' and its derivative.
typedef struct {
  int id[2];  // joints or tendons; -1 if there is no second
  bool tendons;
  cr_real pos, slope, curvature;
  cr_real power[5];  // of x
} cri_coupling;

cri_coupling cri_coupling_of(const cr_model* m, const cr_data* d, int i);

/// Row of its object `side`, 0 or 1.
static inline cri_length_row cri_coupling_row(const cr_model* m, const cri_coupling* c,
                                              const cr_real* ten_J, int side) {
  return c->tendons ? cri_tendon_row(m, ten_J, c->id[side]) : cri_joint_row(m, c->id[side]);
}

#endif
