// SPDX-License-Identifier: Apache-2.0
// The cube over a board of examples/cube_toss.xml, filled in C, and tosses of it.
#ifndef CR_TESTS_TOSSED_CUBE_H
#define CR_TESTS_TOSSED_CUBE_H

#include "fit/throw.h"
#include "learn/windows.h"
#include "model/model.h"

enum { CR_STATE_WIDTH = 13 };  // numbers in a recorded state: 7 of qpos, 6 of qvel

/// Geoms "board" and "cube", body "cube". Free with cri_model_free.
void tossed_cube(cr_model* m, cr_real side);

/// The cube of DiffMJX's tosses: half size 0.05 m, turned by 60 degrees about x in its body, low
/// gravity, soft contacts, Tsit5. Free with cri_model_free.
void published_cube(cr_model* m);

/// Tosses made with the model; free with tosses_free. tosses_made: n of `rows` rows without noise.
cri_run* tosses_thrown(const cr_model* m, const cr_throw* options);
cri_run* tosses_made(const cr_model* m, int n, int rows, uint64_t seed);
void tosses_free(cri_run* tosses, int n);

#endif
