// SPDX-License-Identifier: Apache-2.0
// The flat and straight parts of a shape, in the world: faces and lines that can have several contacts
// (geometry/face_clipping.h). Derivation: docs/derivations/collision_convex.md [collision_convex.h4].
#ifndef CR_GEOMETRY_FACET_H
#define CR_GEOMETRY_FACET_H

#include "geometry/support_map.h"

/// Corners of a disk, and the largest number of faces or lines tried.
enum { CRI_DISK_CORNERS = 16, CRI_MOST_FACETS = 32 };

/// A flat face: id is a face of a box (2 axis, + 1 on the negative side), a polygon of a hull, a disk of a
/// cylinder (1 the upper).
typedef struct {
  const cr_core* core;
  int32_t id;
  int n;              // of its corners
  cr_real normal[3];  // outward
} cri_flat;

/// A straight line: id is an edge of a box (the part + 13), of a hull (two vertices), or 0.
typedef struct {
  const cr_core* core;
  int32_t id;
  cr_real axis[3];  // unit; from the first end to the second
  cr_real end[2][3];
} cri_dual;

cri_flat cri_flat_of(const cr_core* c, int32_t id);

/// Corner i; they go around clockwise, seen from outside.
void cri_flat_corner(const cri_flat* f, int i, cr_real p[3]);

/// The faces to which an optimum's feature belongs; returns their number.
int cri_flats_near(const cr_core* c, const cr_touch* t, int32_t id[CRI_MOST_FACETS]);

/// The line of that id; for a round side the line in the direction m, outward.
cri_dual cri_dual_of(const cr_core* c, int32_t id, const cr_real m[3]);

/// The lines to which a feature belongs; returns their number.
int cri_lines_near(const cr_core* c, const cr_touch* t, int32_t id[CRI_MOST_FACETS]);

/// True for a capsule or a cylinder.
bool cri_has_round_side(const cr_core* c);

/// Distance of the line of a round side from the axis.
/// Equation r m_p (capsule) or r m_p/|m_p|, m_p the part of the outward direction m across the axis  [collision_convex.h4]
void cri_dual_offset(const cr_core* c, const cr_real axis[3], const cr_real m[3], cr_real r[3]);

/// Two numbers of 16 bits in one.
int32_t cri_pack(int32_t low, int32_t high);

#endif
