// SPDX-License-Identifier: Apache-2.0
// The models of the studies, as MJCF text.
#ifndef CR_STUDY_SCENES_H
#define CR_STUDY_SCENES_H

#include "carom/carom.h"
#include "notebook/scene_file.h"

/// A mass on a line before a wall that pushes back with -50 q - v.
extern const char cri_scene_wall[];

/// Bodies that are tossed on a floor.
enum { CR_TOSS_BALL, CR_TOSS_CUBE, CR_TOSS_CAPSULE, CR_TOSS_CYLINDER, CR_TOSS_ELLIPSOID };
enum { CR_N_TOSS = 5 };
extern const char* const cri_toss_names[CR_N_TOSS];
extern const cr_real cri_toss_y0[CR_N_TOSS];  // where they start

/// The scene of a toss: file toss_<name>.xml.
cr_status cri_scene_toss(const cr_notebook* book, int body, cr_model** m, cr_error* error);

/// Two balls on a billiard table with cushions, or floating in space without any of these.
cr_status cri_scene_billiard(const cr_notebook* book, bool gravity, cr_model** m, cr_error* error);

/// A copy of m with this integrator and collision detection, by name, with a softness of 0.1. Owner: the
/// caller, cr_model_destroy.
cr_status cri_scene_variant(cr_model** variant, const cr_model* m, const char* integrator,
                            const char* collision, cr_error* error);

/// A cube on a board, as it was recorded; only its contact parameters matter.
extern const char cri_scene_cube[];

#endif
