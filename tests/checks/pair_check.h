// SPDX-License-Identifier: Apache-2.0
// Shapes that own their numbers, and the check of every pair of shapes: its tangent against
// differences of its own hits, its cotangents against its tangent.
#ifndef CR_TESTS_PAIR_CHECK_H
#define CR_TESTS_PAIR_CHECK_H

#include "base/random.h"
#include "geometry/pair.h"

/// Only the general pair uses the type, the hull and the terrain.
typedef struct {
  cr_real pos[3], mat[9], size[3];
  int32_t type;
  const cr_hull* hull;
  const cr_terrain* terrain;
  bool all;
  cr_real softness;  // read from the second solid of a soft pair
} solid;

cr_shape solid_shape(const solid* s);

/// At a place, not turned.
solid solid_at(cr_real x, cr_real y, cr_real z, cr_real size0, cr_real size1, cr_real size2);

/// Turned by `angle` about a world axis through its centre.
void solid_turn(solid* s, const cr_real axis[3], cr_real angle);

/// The step h along a tangent, exactly on the rotations.
solid solid_moved(const solid* s, const cr_shape_tan* s_tan, cr_real h);

/// Any orientation, sizes in [low, high), centre in the cube [-reach, reach).
solid solid_random(cr_random* r, cr_real low, cr_real high, cr_real reach);

/// Turned about the origin by a rotation given as a solid's mat, then shifted by its pos.
solid solid_carried(const solid* s, const solid* by);

/// The hits of a pair.
int solid_hits(const cr_pair* pair, const solid* a, const solid* b, cr_real margin,
               cr_hit hit[CR_MAX_HITS]);

/// Points on the two surfaces of a hit: pos -+ dist/2 normal.
void hit_points(const cr_hit* hit, cr_real on_a[3], cr_real on_b[3]);

/// Result of the check. Errors are relative: tangents to their largest entry or 1, products to the
/// sum of their absolute terms. Zero it before the first.
typedef struct {
  int hits,
      skipped;  // skipped: hits whose features differ beside them, so that differences mean nothing
  cr_real tan_error, bar_error;
  cr_real off_normal;  // largest normal . normal_tan
} pair_report;

/// Adds the hits of one pose, along one random direction.
void pair_check(pair_report* report, const cr_pair* pair, const solid* a, const solid* b,
                cr_real margin, cr_random* r);

/// Fails the running test unless some hits were compared, few skipped, and all errors small.
void pair_report_assert(const pair_report* report);

#endif
