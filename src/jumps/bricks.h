// SPDX-License-Identifier: Apache-2.0
// Two toy bricks with four studs: the lower one is fixed, the upper one is free and a hand may push it.
#ifndef CR_JUMPS_BRICKS_H
#define CR_JUMPS_BRICKS_H

#include "carom/carom.h"
#include "notebook/notebook.h"

/// Contact at the points of collision detection; at balls that a person has placed on the studs; over pressure fields.
typedef enum {
  CRI_BRICKS_POINTS,
  CRI_BRICKS_BALLS,
  CRI_BRICKS_FIELDS,
  CRI_N_BRICKS
} cri_bricks_way;
extern const char* const cri_bricks_ways[CRI_N_BRICKS];

/// Heights of the upper brick's centre, m: its walls reach the tops of the studs, they stand on the lower brick.
#define CRI_BRICKS_TOUCH CR_R(0.053)
#define CRI_BRICKS_SEATED CR_R(0.0445)

/// Writes mating_<way>.xml into the folder of the results, and opens it. The one control pushes down at the upper brick's top, N.
/// Owner: the caller. Errors: those of cri_scene_open.
cr_status cri_bricks_open(const cr_notebook* book, cri_bricks_way way, cr_model** m,
                          cr_error* error);

#endif
