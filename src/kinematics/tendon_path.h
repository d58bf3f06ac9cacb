// SPDX-License-Identifier: Apache-2.0
// The path of a spatial tendon: spans from site to site, each over at most one geom, made of straight
// pieces between points of bodies. kinematics/tendon measures it, sensor/tendon_wrench puts its tension on bodies.
#ifndef CR_KINEMATICS_TENDON_PATH_H
#define CR_KINEMATICS_TENDON_PATH_H

#include "kinematics/wrap.h"
#include "model/data.h"

/// Position of a walk along the elements of a tendon.
typedef struct {
  int at, end;    // current element, one behind the last
  cr_real share;  // 1 / divisor
  int pulley;     // element that set the divisor, -1 none
  bool again;     // forward already knows how elements wrap
} cri_tendon_walk;

/// Site to site. With four points the part between the inner two lies on the geom.
typedef struct {
  int site[2];
  int element, geom;  // path element and geom between the sites, -1 none
  int n;              // points: 2, or 4 where the tendon lies on the geom
  cr_real x[4][3];
  int body[4];
  cri_wrap wrap;
} cri_tendon_span;

/// A straight piece between points k and k + 1 of a span, k = 0 or 2: direction and length.
typedef struct {
  const cr_real* x[2];
  int body[2];
  cr_real e[3], length;
} cri_tendon_piece;

static inline bool cri_tendon_is_fixed(const cr_model* m, int tendon) {
  return m->wrap_type[m->tendon_adr[tendon]] == CR_WRAP_JOINT;
}

cri_tendon_walk cri_tendon_walk_of(const cr_model* m, int tendon);
/// For the derivatives of kinematics/tendon, which saved how elements wrap: the same spans.
cri_tendon_walk cri_tendon_walk_again(const cr_model* m, int tendon);

/// The next span of a spatial tendon; false at the end of the path. Reads site_xpos, geom_xpos,
/// geom_xmat and geom_size.
bool cri_tendon_next(const cr_model* m, const cr_data* d, cri_tendon_walk* w, cri_tendon_span* s);

/// Tangent of the share, by wrap_prm.
cr_real cri_tendon_share_tan(const cri_tendon_walk* w, const cr_data* tan);
/// Its transpose.
void cri_tendon_share_bar(const cri_tendon_walk* w, cr_data* bar, cr_real share_bar);

/// Tangents of the points of a span; returns the tangent of its length on the geom.
cr_real cri_tendon_span_tan(const cr_data* tan, const cri_tendon_span* s, cr_real x_tan[4][3]);
/// From the cotangents of the points and of that length to the cotangents of sites and geom.
void cri_tendon_span_bar(cr_data* bar, const cri_tendon_span* s, cr_real x_bar[4][3],
                         cr_real length_bar);

cri_tendon_piece cri_tendon_piece_of(const cri_tendon_span* s, int k);

/// Tangent of the direction e of a piece.
void cri_tendon_direction_tan(const cri_tendon_piece* p, const cr_real x0_tan[3],
                              const cr_real x1_tan[3], cr_real e_tan[3]);

/// Velocity of the point x under the motion S of a tree with its point at com.
void cri_tendon_velocity(cr_real v[3], const cr_real S[6], const cr_real x[3],
                         const cr_real com[3]);

/// Adds to F the force on the body at a piece's end `side`, 0 or 1, where T lengthens the piece:
/// T e at x_1, - T e at x_0, about the centre of mass of the tree.
void cri_tendon_piece_force(const cr_model* m, const cr_data* d, const cri_tendon_piece* p,
                            int side, cr_real T, cr_real F[6]);
/// Its tangent, from T and its tangent, and from the tangents of the piece's points and direction.
void cri_tendon_piece_force_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                const cri_tendon_piece* p, int side, cr_real T, cr_real T_tan,
                                const cr_real x_tan[3], const cr_real e_tan[3], cr_real F_tan[6]);

/// The work of these forces is T times the rate e . (u_1 - u_0), u_k the velocity of point k under the
/// motion V[k] of its body. Adds the derivative of T rate to the cotangents of both points and of the
/// centres of mass; returns the rate.
cr_real cri_tendon_piece_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cri_tendon_piece* p, const cr_real* const V[2], cr_real T,
                             cr_real x0_bar[3], cr_real x1_bar[3]);

#endif
