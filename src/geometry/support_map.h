// SPDX-License-Identifier: Apache-2.0
// A convex shape for the general pair: a core plus a ball (of radius 0 except for
// spheres and capsules), its support points, and the features on which these lie. All coordinates are relative
// to an origin near both shapes. Derivation: docs/derivations/collision_convex.md [collision_convex.c1]-[collision_convex.c5].
//
// With m an outward unit normal, the support point s(m) of a feature moves with the shape and, where
// the feature is curved, bends with the normal:
//   s_tan = v + W (m_tan - rot x m),   v the velocity of the point as fixed to the shape
#ifndef CR_GEOMETRY_SUPPORT_MAP_H
#define CR_GEOMETRY_SUPPORT_MAP_H

#include "geometry/pair.h"
#include "model/model.h"

/// The core of a shape: a point (sphere), a segment (capsule), an ellipsoid, cylinder, box or hull.
typedef struct {
  const cr_shape* shape;
  cr_real pos[3];  // centre
  cr_real radius;  // of the ball added to the core
  int32_t near;    // hull: where the next search begins (a number of the graph), -1 nowhere
} cr_core;

/// Kinds of features, by what touches for a given normal.
typedef enum {
  CR_TOUCH_NONE = 0,
  CR_TOUCH_POINT,   // a corner, an end, a centre
  CR_TOUCH_SMOOTH,  // a point of an ellipsoid
  CR_TOUCH_RIM,     // a point of a cylinder's rim
  CR_TOUCH_EDGE,    // a straight edge
  CR_TOUCH_SIDE,    // a straight line on a cylinder's side
  CR_TOUCH_FACE     // a flat face
} cr_touch_kind;

/// A feature. id: box: part + 13; capsule: -1, 0, 1 plus 1; cylinder: 0 or 1, the lower or upper disk;
/// hull: one vertex, two of an edge, three of a face, counter-clockwise.
typedef struct {
  cr_touch_kind kind;
  int32_t id[3];
} cr_touch;

cr_core cri_core(const cr_shape* shape, const cr_real origin[3]);

/// True if the core is a polyhedron (a point and a segment included): finitely many support points.
bool cri_core_flat(const cr_core* c);

/// p: a point of the core farthest along the unit vector m. Returns the id of its place: box:
/// bits of the corner; capsule, cylinder: 0 or 1, the lower or upper end; hull: the vertex; else 0.
int32_t cri_support(cr_core* c, const cr_real m[3], cr_real p[3]);

/// Features on which up to four support points, found near the outward normal m, may lie, most likely
/// first; returns their number.
enum { CR_MAX_TOUCH = 4 };
int cri_touches(const cr_core* c, const cr_real m[3], const int32_t* id, int n,
                cr_touch touch[CR_MAX_TOUCH]);

/// The two ends of an edge or side, corners or points of a rim; returns 0 for other features, else 2.
int cri_touch_ends(const cr_core* c, const cr_touch* t, cr_touch end[2]);

/// A point of the feature; the support point if the normal m decides it.
void cri_touch_point(const cr_core* c, const cr_touch* t, const cr_real m[3], cr_real p[3]);

/// The polygon of a hull on which a face is; -1 if its three corners share none.
int32_t cri_touch_polygon(const cr_hull* h, const cr_touch* t);

/// Dimension of the feature: 1 with `axis` along an edge or side, 2 with `axis` the outward normal of
/// a face, else 0.
int cri_touch_axis(const cr_core* c, const cr_touch* t, cr_real axis[3]);

/// r = W x; zero except for smooth, rim and side.
void cri_touch_bend(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real x[3],
                    cr_real r[3]);

/// The part of the line p + t u, which lies on the line of the edge or side or in the plane of the face,
/// that is on the feature: t from span[0] to span[1], none if span[0] > span[1].
void cri_touch_span(const cr_core* c, const cr_touch* t, const cr_real p[3], const cr_real u[3],
                    cr_real span[2]);

/// True if p, which lies on the line of the edge or side or in the plane of the face, is on it.
bool cri_touch_holds(const cr_core* c, const cr_touch* t, const cr_real p[3], cr_real slack);

/// Velocity v of the point p of the feature, and its transpose: s_bar += (dv/ds)' v_bar.
void cri_touch_tan(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real p[3],
                   const cr_shape_tan* s_tan, cr_real v[3]);
void cri_touch_bar(const cr_core* c, const cr_touch* t, const cr_real m[3], const cr_real p[3],
                   const cr_real v_bar[3], cr_shape_tan* s_bar);

#endif
