// SPDX-License-Identifier: Apache-2.0
// A face of a contact surface: where a tetrahedron of a compliant body meets an element of another body.
#ifndef CR_PRESSURE_FACE_H
#define CR_PRESSURE_FACE_H

#include "pressure/cut.h"

/// What the tetrahedron a meets.
typedef enum {
  CRI_RIGID_SPACE,  // a rigid half-space: b.field grows into it with slope 1, and is 0 at its surface
  CRI_COMPLIANT_SPACE,  // a compliant half-space: b.field is its pressure
  CRI_COMPLIANT,        // a tetrahedron of a compliant body
  CRI_RIGID,  // a triangle of a rigid body: b.vertex[0..2], counter-clockwise seen from outside
  CRI_RIGID_IN_SPACE  // the same, and a is no tetrahedron, but a compliant half-space: a.field is its pressure
} cri_other;

/// Two elements in one frame, complete (cri_tetrahedron_complete) where they are tetrahedra. Also their tangent,
/// complete too, or their cotangent.
typedef struct {
  cri_other other;
  cri_tetrahedron a, b;
} cri_elements;

/// The face between a and b, or its tangent or cotangent.
typedef struct {
  cr_real area;       // m^2
  cr_real pos[3];     // centre of pressure, m: where the force has no couple
  cr_real normal[3];  // unit, from a to b
  cr_real pressure;   // mean, Pa. Times the area it is the integral over the face
  cr_real gradient;   // rise of the pressure when a and b approach along the normal, Pa/m
} cri_face;

/// Sums over the triangles of a fan at the first corner y_0. Also their tangent, or their cotangent.
typedef struct {
  cr_real weight;     // sum w_i
  cr_real load;       // sum w_i (p_0 + p_i + p_i+1)
  cr_real moment[3];  // sum w_i ((p_0 + 2 p_i + p_i+1) u_i + (p_0 + p_i + 2 p_i+1) u_i+1)
} cri_face_sums;

/// What a face was made by, which its derivatives read.
typedef struct {
  cri_cut cut;
  cri_polygon polygon;
  cri_face_sums sums;
  cr_real length;  // |N|
} cri_face_parts;

/// Makes a face.
/// Equation [pressure.f1] N = grad(P_b - P_a), compliant; grad(b.field), rigid half-space; minus the outward normal of
///          the triangle, rigid body.  n = N / |N|
///          [pressure.f2] the polygon: where P_a = P_b, or on the rigid surface, within a and b
///          [pressure.f3] u_i = y_i - y_0, w_i = n . (u_i x u_i+1), A = sum w_i / 2
///          [pressure.f4] p_i = P_a(y_i), L = sum w_i (p_0 + p_i + p_i+1), pressure = L / (6 A),
///          pos = y_0 + sum w_i ((p_0 + 2 p_i + p_i+1) u_i + (p_0 + p_i + 2 p_i+1) u_i+1) / (4 L)
///          [pressure.f5] gradient = k_a, rigid; k_a k_b / (k_a + k_b), compliant; k_a = - n . grad P_a,
///          k_b = n . grad P_b
/// Returns  false if there is no face: a and b do not meet, their pressures have one gradient, the area is below 1e-14
///          of the square of a's longest edge, or the pressure below 1e-14 of a's greatest; in a half-space the edge is the
///          triangle's, and the pressure that at the depth of this edge
/// Smooth   where no corner of the polygon appears or goes. There the area times the pressure and its moment are
///          continuous
/// Derivation docs/derivations/pressure.md
bool cri_face_make(const cri_elements* e, cri_face_parts* parts, cri_face* f);

/// Tangent of a face that was made; and the transpose, which sets the cotangents of vertices and pressures of tetrahedra,
/// of vertices of triangles and of the fields of half-spaces; fields and shares of tetrahedra in e_bar are room for it.
void cri_face_tan(const cri_elements* e, const cri_face_parts* parts, const cri_face* f,
                  const cri_elements* e_tan, cri_face* f_tan);
void cri_face_bar(const cri_elements* e, const cri_face_parts* parts, const cri_face* f,
                  const cri_face* f_bar, cri_elements* e_bar);

#endif
