// SPDX-License-Identifier: Apache-2.0
// Pushes that a study makes for itself.
#ifndef CR_STUDY_PUSH_MAKE_H
#define CR_STUDY_PUSH_MAKE_H

#include "study/notebook.h"

/// Simulates `pushes` pushes of each of two shapes, a square and an angle that is not convex, and writes them as cri_push_read reads them.
/// The reference differs from the model of cri_push_scene: drag along the body's y at the start (15 N s/m), friction that is higher at rest
/// (Brown's law, 1.4), and loads of the feet that grow with the square of the distance from the middle. Poses have noise of 0.05 mm and 1 mrad.
/// Errors   those of scenes and steps; CR_ERR_FILE, CR_ERR_MEMORY
cr_status cri_push_make(const cr_notebook* book, int pushes, const char* path, cr_error* error);

#endif
