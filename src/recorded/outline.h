// SPDX-License-Identifier: Apache-2.0
// Outlines of flat bodies: closed polygons, and the convex pieces that they fall into.
#ifndef CR_RECORDED_OUTLINE_H
#define CR_RECORDED_OUTLINE_H

#include <stdbool.h>

#include "base/status.h"

enum { CR_OUTLINE_CORNERS = 128, CR_OUTLINE_PIECES = 64 };

/// A polygon whose sides do not cross; the last corner is joined to the first one.
typedef struct {
  int n;
  double at[CR_OUTLINE_CORNERS][2];  // m
} cr_outline;

/// Corners of a piece, by their numbers in the outline, against the clock.
typedef struct {
  int n;
  int corner[CR_OUTLINE_CORNERS];
} cr_outline_piece;

/// Above 0: corners are against the clock. Unit m^2.
double cri_outline_area(const cr_outline* outline);

/// Turns the order of the corners so that the area is positive.
void cri_outline_orient(cr_outline* outline);

bool cri_outline_has(const cr_outline* outline, double x, double y);

/// Convex pieces that together are the outline: triangles (ears), joined across a side as long as the result is convex
/// (Hertel and Mehlhorn, 1983). The corners have to be against the clock.
/// Errors   CR_ERR_FORMAT: sides cross, or no area; more than CR_OUTLINE_PIECES pieces
cr_status cri_outline_pieces(const cr_outline* outline, cr_outline_piece* pieces, int* n,
                             cr_error* error);

#endif
