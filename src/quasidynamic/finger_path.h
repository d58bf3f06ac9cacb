// SPDX-License-Identifier: Apache-2.0
// A way of one finger between two poses around everything else: two trees of poses that grow towards each other.
#ifndef CR_QUASIDYNAMIC_FINGER_PATH_H
#define CR_QUASIDYNAMIC_FINGER_PATH_H

#include "base/random.h"
#include "quasidynamic/quasidynamic_work.h"

enum { CRI_PATH_DOFS = 16, CRI_PATH_POINTS = 200 };

/// Points of a way: coordinates of the servos of one kinematic tree.
typedef struct {
  int n, k;                                     // points; coordinates of each
  int32_t coordinate[CRI_PATH_DOFS];            // in qpos
  cr_real at[CRI_PATH_POINTS * CRI_PATH_DOFS];  // n k
} cri_finger_path;

/// Finds a way of the servos of a kinematic tree from their pose in `from` to that in `to`; all other coordinates stay as in `from`. Between its
/// ends, which may touch, the finger is more than gap / 2 from everything. path->n = 0: none was found.
/// Equation [Kuffner and LaValle, RRT-Connect: an efficient approach to single-query path planning, 2000]; then random short cuts
/// Errors   CR_ERR_UNSUPPORTED: more than CRI_PATH_DOFS servos in a tree; those of collision detection; CR_ERR_MEMORY
cr_status cri_finger_path_find(cr_quasidynamic* x, cr_random* random, int tree, const cr_real* from,
                               const cr_real* to, cr_real gap, cri_finger_path* path);

#endif
