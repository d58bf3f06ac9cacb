// SPDX-License-Identifier: Apache-2.0
// Hulls that own their numbers, for tests: prisms and double pyramids.
#ifndef CR_TESTS_HULLS_H
#define CR_TESTS_HULLS_H

#include "geometry/pair.h"

enum { HULL_SIDES = 16, HULL_VERTICES = 2 * HULL_SIDES + 2, HULL_POLYGONS = 2 * HULL_SIDES + 2 };

/// Do not move it: hull points into it.
typedef struct {
  cr_real vert[3 * HULL_VERTICES], normal[3 * HULL_POLYGONS];
  int32_t adr[HULL_POLYGONS], num[HULL_POLYGONS], polygon[8 * HULL_SIDES];
  int32_t mapadr[HULL_VERTICES], mapnum[HULL_VERTICES], map[8 * HULL_SIDES];
  int32_t graph[2 + 2 * HULL_VERTICES + 16 * HULL_SIDES];
  int32_t start[27];
  cr_hull hull;
} hull_store;

/// n sides about z, from 3 to HULL_SIDES.
void hull_prism(hull_store* s, int n, cr_real radius, cr_real half_height);
void hull_spindle(hull_store* s, int n, cr_real radius, cr_real half_height);

/// A triangle (corners 0 to 2, counter-clockwise seen from above) and another over it (3 to 5).
void hull_wedge(hull_store* s, const cr_real corner[6][3]);

#endif
