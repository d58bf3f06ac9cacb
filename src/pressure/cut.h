// SPDX-License-Identifier: Apache-2.0
// A convex polygon: a tetrahedron cut by a plane, or a triangle, and then clipped by planes.
#ifndef CR_PRESSURE_CUT_H
#define CR_PRESSURE_CUT_H

#include "pressure/tetrahedron.h"

/// What a polygon is made of. Planes are affine functions: the polygon keeps the points where those of `clip` are 0 or
/// more. As a tangent or a cotangent: those of start, across and clip.
typedef struct {
  int nstart;  // 4: the tetrahedron `start`, cut where `across` is 0; 3: the triangle `start`
  int nclip;   // 0 to 4
  cr_real start[4][3];  // vertices
  cr_real across[4];    // of a triangle: its plane. The normal of the polygon points where it grows
  cr_real clip[4][4];
} cri_cut;

/// Rounding may find more than two corners of a polygon where a plane crosses it: each clip makes at most as many new
/// corners as there are old ones, and 3/2 of them in all. So 4, 6, 9, 13, 19 are the most corners.
enum { CRI_CUT_NODES = 40, CRI_CUT_CORNERS = 20 };

/// A point of the construction: a vertex of the start, or the zero of a plane between two earlier points.
typedef struct {
  cr_real pos[3];
  int8_t from, to;  // nodes
  int8_t plane;     // -1 a vertex, 0 `across`, 1 + k clip k
  cr_real along;    // pos = from + along (to - from)
} cri_cut_node;

/// Corners go around the normal counter-clockwise. n = 0: nothing is left.
typedef struct {
  int nnode, n;
  cri_cut_node node[CRI_CUT_NODES];
  int8_t corner[CRI_CUT_CORNERS];  // nodes
} cri_polygon;

/// Makes the polygon.
/// Equation [pressure.c1] between points u, v with s(u) >= 0 > s(v), or the other way round:
///          y = u + t (v - u), t = s(u) / (s(u) - s(v))
/// A point with s = 0 counts as inside, so that neighbours share a cut without gap or overlap.
void cri_cut_polygon(const cri_cut* cut, cri_polygon* p);

/// Tangents of the nodes' positions, pos_tan[nnode]; the transpose reads and changes pos_bar[nnode] and adds to cut_bar.
/// Smooth where no node is a plane's zero at both its ends.
void cri_cut_polygon_tan(const cri_cut* cut, const cri_polygon* p, const cri_cut* cut_tan,
                         cr_real pos_tan[CRI_CUT_NODES][3]);
void cri_cut_polygon_bar(const cri_cut* cut, const cri_polygon* p,
                         cr_real pos_bar[CRI_CUT_NODES][3], cri_cut* cut_bar);

#endif
