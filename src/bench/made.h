// SPDX-License-Identifier: Apache-2.0
// Models that are made, not read from a file: one size of a family, to see how time grows.
#ifndef CR_BENCH_MADE_H
#define CR_BENCH_MADE_H

#include <mujoco/mujoco.h>

#include "base/status.h"

/// The bodies of an MJCF file n times on a grid, over the rest of it once.
cr_status cr_made_copies(mjModel** mj, const char* path, int n, cr_error* error);

/// A chain of n links that hang from each other by hinges of turning axes; nothing touches.
cr_status cr_made_chain(mjModel** mj, int n, cr_error* error);

/// n boxes on each other in towers of at most ten, on a plane.
cr_status cr_made_stack(mjModel** mj, int n, cr_error* error);

#endif
