// SPDX-License-Identifier: Apache-2.0
// Two geoms with pressure fields, and the faces between them, in the frame of the first.
#ifndef CR_PRESSURE_MEETING_H
#define CR_PRESSURE_MEETING_H

#include "collision/collision.h"
#include "pressure/box_tree.h"
#include "pressure/face.h"

/// The two geoms in the frame of the first. The first is compliant; it has tetrahedra unless `other` is CRI_RIGID_IN_SPACE.
typedef struct {
  const cr_model* m;
  int geom[2];
  cri_other other;
  cr_real R[9], t[3];     // pose of the second
  cr_real space[4];       // field of a half-space
  cr_real space_body[4];  // the same in the frame of the other geom
  int bad;                // tetrahedron that is flat at the sizes now, -1 none
} cri_meeting;

/// Tangent of a meeting, or its cotangent.
typedef struct {
  cr_real size[2][3];
  cr_real turn[3], shift[3];  // of the second
  cr_real space[4];
  cr_real modulus[2];
} cri_meeting_twin;

/// Motion of two geoms: what a tangent is made of and a cotangent goes to.
typedef struct {
  cr_shape_tan shape[2];
  cr_real modulus[2], thickness;  // thickness of a half-space
} cri_meeting_motion;

/// Whether the geoms make faces: both have fields, one is compliant, one has elements, and the model lets them collide.
/// Then order[0] is the first.
bool cri_meeting_order(const cr_model* m, int geom1, int geom2, int order[2]);

/// Radius of a ball about the origin of a geom that holds its elements; 0 of a plane.
cr_real cri_meeting_radius(const cr_model* m, int geom);

/// Places two geoms.
/// Equation [pressure.m1] R = R_a' R_b, t = R_a' (x_b - x_a), vertices of b at R x + t
///          [pressure.m2] depth in the half-space: -u . (x - t), u its normal; pressure: depth times E / H
void cri_meeting_place(const cr_model* m, const cr_data* d, const int geom[2], cri_meeting* x);

/// The side that is a half-space, 0 or 1; -1 none.
int cri_meeting_space(const cri_meeting* x);

/// Tangent; the transpose, which adds.
void cri_meeting_tan(const cri_meeting* x, const cr_data* d, const cri_meeting_motion* motion,
                     cri_meeting_twin* x_tan);
void cri_meeting_bar(const cri_meeting* x, const cr_data* d, const cri_meeting_twin* x_bar,
                     cri_meeting_motion* motion_bar);

/// A face with the elements that make it: i of the first and j of the second geom, 0 of a half-space.
typedef struct {
  int i, j;
  cri_elements elements;
  cri_face_parts parts;
  cri_face face;
} cri_meeting_face;

/// Calls visit for every face. `near` has n pairs of elements, those of cri_meeting_near at a pose from which elements have not come nearer
/// than its margin: the same faces in the same order. NULL: elements are searched.
typedef void cri_meeting_visit(void* context, const cri_meeting_face* face);
void cri_meeting_faces(cri_meeting* x, const int32_t* near, int n, cri_meeting_visit* visit,
                       void* context);

/// Calls visit for all pairs of elements whose boxes come as near as a margin.
void cri_meeting_near(const cri_meeting* x, cr_real margin, cri_box_visit* visit, void* context);

/// Tangent of the elements of a face from that of the meeting; the transpose, which adds.
void cri_meeting_elements_tan(const cri_meeting* x, const cri_meeting_twin* x_tan,
                              const cri_meeting_face* f, cri_elements* e_tan);
void cri_meeting_elements_bar(const cri_meeting* x, const cri_elements* e_bar,
                              const cri_meeting_face* f, cri_meeting_twin* x_bar);

#endif
