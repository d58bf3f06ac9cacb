// SPDX-License-Identifier: Apache-2.0
// Pushes that a study makes for itself.
#ifndef CR_RECORDED_PUSH_MAKE_H
#define CR_RECORDED_PUSH_MAKE_H

#include <stdbool.h>

#include "base/status.h"

/// Simulates `pushes` pushes of each of two shapes, a square and an angle that is not convex, and writes them as cri_push_read reads them.
/// The reference differs from the model of cri_push_scene: drag along the body's y at the start (15 N s/m), friction that is higher at rest
/// (Brown's law, 1.4), and loads of the feet that grow with the square of the distance from the middle. Poses have noise of 0.05 mm and 1 mrad.
/// stop     asked before each push; may be NULL
/// Errors   those of scenes and steps; CR_ERR_FILE, CR_ERR_MEMORY, CR_ERR_INTERRUPTED
cr_status cri_push_make(const char* folder, int pushes, const char* path, bool (*stop)(void),
                        cr_error* error);

#endif
