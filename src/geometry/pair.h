// SPDX-License-Identifier: Apache-2.0
// The functions of a pair of shapes for the collision stage. Detection chooses discrete features
// (which ends, faces, edges touch). A smooth measure then turns both poses and sizes and those
// features into hits. Derivatives are those of the measure at the chosen features.
//
//   cri_<pair>       detection and measure: hits in MuJoCo's order, with MuJoCo's numbers
//   cri_<pair>_tan   tangent of one hit; overwrites all of it
//   cri_<pair>_bar   its transpose: adds to the cotangents of both shapes
//
// The type of a is never above that of b, and the normal points from a to b. A hit needs
// dist <= margin, the same comparison as MuJoCo's.
#ifndef CR_GEOMETRY_PAIR_H
#define CR_GEOMETRY_PAIR_H

#include <stdbool.h>

#include "math/vec3.h"

/// Most hits of any pair, a height field. Others have up to eight; room that they do not use
/// costs nothing.
enum { CR_MAX_HITS = 50 };

/// A convex polyhedron in its own frame: MuJoCo's vertices, hull graph and polygons of a mesh. The
/// vertices of a polygon go around its outward normal, counter-clockwise.
typedef struct {
  int nvert, npoly;
  const cr_real* vert;       // nvert x 3
  const int32_t* graph;      // of the hull, as in mjModel.mesh_graph; NULL: search all vertices
  const int32_t* start;      // number in it of the vertex farthest towards part - 13 of a box, 27
  const cr_real* normal;     // npoly x 3
  const int32_t *adr, *num;  // first entry and number of entries in `polygon`, npoly
  const int32_t* polygon;    // vertices of the polygons
  const int32_t *mapadr, *mapnum;  // the same for `map`, nvert
  const int32_t* map;              // polygons of the vertices
} cr_hull;

/// A height field: MuJoCo's grid, rows along y and columns along x.
typedef struct {
  int32_t nrow, ncol;
  const cr_real* size;  // half size along x and y, height of 1, depth of the base
  const cr_real* data;  // nrow x ncol
} cr_terrain;

/// A shape in the world: centre, orientation (row-major, 9 numbers), size as in geom_size (3). Only the
/// general convex pair reads the other members.
typedef struct {
  const cr_real* pos;
  const cr_real* mat;
  const cr_real* size;
  int32_t type;               // mjtGeom
  bool single;                // one contact only, where several are possible (flag multiccd is off)
  bool all;                   // smooth collision: every corner of a flat contact, not only four
  cr_real bound;              // radius of the bounding sphere
  cr_real softness;           // of soft and smooth pairs
  const cr_hull* hull;        // of a mesh
  const cr_terrain* terrain;  // of a height field
} cr_shape;

/// Tangent of a shape: mat is turned by the world vector rot, mat_tan = [rot]x mat.
/// As a cotangent: those of pos, rot, size.
typedef struct {
  cr_real pos[3];
  cr_real rot[3];
  cr_real size[3];
} cr_shape_tan;

/// One contact. `hint`: direction that the first tangent of the frame follows, zero for MuJoCo's rule
/// (only its direction counts, and it need not be orthogonal to the normal).
typedef struct {
  cr_real dist;       // negative in penetration
  cr_real pos[3];     // midpoint between the two surfaces
  cr_real normal[3];  // unit, from a to b
  cr_real hint[3];
  int32_t feature[4];  // choices of detection, with the pair's own meaning; set all four
  cr_real local[6];    // numbers that _tan and _bar need again; set all six
} cr_hit;

/// Tangent, or cotangents, of a hit. normal_tan is orthogonal to the normal.
typedef struct {
  cr_real dist;
  cr_real pos[3];
  cr_real normal[3];
  cr_real hint[3];
} cr_hit_tan;

/// Returns the number of hits, at most CR_MAX_HITS.
typedef int cr_pair_detect(const cr_shape* a, const cr_shape* b, cr_real margin,
                           cr_hit hit[CR_MAX_HITS]);

/// hit_tan = D measure (a_tan, b_tan), at the features and numbers saved by detection.
typedef void cr_pair_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_shape_tan* a_tan,
                         const cr_shape_tan* b_tan, cr_hit_tan* hit_tan);

/// (a_bar, b_bar) += (D measure)' hit_bar. The cotangents of pos and normal may point anywhere.
typedef void cr_pair_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                         cr_shape_tan* b_bar);

/// A row of the stage's table, by the two types. A pair file declares its functions by type:
///   cr_pair_detect cri_plane_sphere;
///   cr_pair_tan cri_plane_sphere_tan;
///   cr_pair_bar cri_plane_sphere_bar;
typedef struct {
  cr_pair_detect* detect;
  cr_pair_tan* tan;
  cr_pair_bar* bar;
} cr_pair;

#endif
