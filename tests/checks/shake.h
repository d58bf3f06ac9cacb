// SPDX-License-Identifier: Apache-2.0
// The geometry shaken: random pairs of convex shapes at all distances, in general and in degenerate
// poses, and what must hold for each. The proof needs no second algorithm:
//
//   apart        two points, one in each shape, are dist apart, so that they are no farther; and the
//                shapes' extents along the normal are dist apart, so that they are no nearer
//   overlapping  the extents along the normal overlap by -dist, so that this motion parts them; and
//                a search over other normals finds none that parts them sooner
//
// Extents and insides are computed here, not by the library.
#ifndef CR_TESTS_SHAKE_H
#define CR_TESTS_SHAKE_H

#include "checks/pair_check.h"
#include "scenes/hulls.h"

/// Placement of two shapes.
typedef enum {
  SHAKE_ANY,         // anywhere near
  SHAKE_FAR,         // up to a thousand sizes apart
  SHAKE_ALIGNED,     // axes parallel: faces, edges, sides
  SHAKE_NEARLY,      // axes parallel up to 1e-2 ... 1e-12
  SHAKE_COINCIDENT,  // centres in one point
  SHAKE_TOUCHING,    // as any, then moved until they touch
  SHAKE_FLUSH,       // as aligned, then moved until they touch
  N_SHAKE
} shake_kind;

typedef struct {
  shake_kind kind;
  solid a, b;    // the type of a is never above that of b
  cr_real size;  // of both together; errors are relative to it
} shake_pair;

/// Draws a pair of two types from CR_GEOM_SPHERE up. Sizes span six decades, some shapes are flat or
/// long by another four. Meshes take one of the hulls.
void shake_draw(cr_random* r, int32_t type_a, int32_t type_b, const cr_hull* const* hull, int nhull,
                shake_pair* pair);

/// Errors of the hits of a pair, relative to its size; all zero or round-off.
typedef struct {
  bool sane;        // numbers finite, normals of unit length
  cr_real dist;     // the distance itself, not relative
  cr_real extent;   // the distance against the extents along the normal
  cr_real outside;  // how far the two points are outside their shapes
  cr_real deeper;   // how much sooner another normal parts them
} shake_result;

/// Compares the optimum that the general pair finds with the definition.
shake_result shake_check(const shake_pair* pair, cr_random* r);

/// The same for a known hit.
shake_result shake_hit(const shake_pair* pair, const cr_hit* hit, cr_random* r);

/// True if the two are at least `by` apart along the normal that the general pair finds, which proves it.
bool shake_parted(const shake_pair* pair, cr_real by);

/// Draws a height field of up to five by five cells, level, stepped or rough. Draws a shape of a type
/// from CR_GEOM_SPHERE up over, in, beside or under it. Compares every prism with its definition: each
/// hit as shake_check does; without a hit there must be a normal that parts the two by the margin.
typedef struct {
  shake_result worst;
  int hits, missed;
} shake_field_result;
shake_field_result shake_field(cr_random* r, int32_t type, const cr_hull* const* hull, int nhull);

/// Signed distance along a normal: the extents of b above a.
cr_real shake_extent(const solid* a, const solid* b, const cr_real n[3]);

/// Lowest extent of a shape along n, minus that of the origin: for planes.
cr_real shake_lowest(const solid* s, const cr_real n[3]);

#endif
