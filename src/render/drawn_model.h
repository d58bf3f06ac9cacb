// SPDX-License-Identifier: Apache-2.0
// The model of libmujoco that pictures are drawn of: with lights, materials, textures and cameras, which a cr_model does not have.
#ifndef CR_RENDER_DRAWN_MODEL_H
#define CR_RENDER_DRAWN_MODEL_H

#include <mujoco/mujoco.h>

#include "carom/carom.h"

/// Compiles the file of m again. A model without a sky or without lights gets them; a geom without a colour gets one of its
/// body, as on the pages of carom/view.h. Sizes of geoms are those that m has now.
/// Owner    the caller, mj_deleteModel
/// Errors   CR_ERR_ARG for a Carom model file, which holds no lights and materials, and for the file of another model; those of
///          cr_model_open
cr_status cr_drawn_model(mjModel** mj, const cr_model* m, const char* source,
                         const cr_urdf_options* urdf, cr_error* error);

/// Widens what libmujoco takes for the extent of the model to a motion, so that shadows reach all of it; the light of a model that
/// had none moves there.
void cr_drawn_model_reach(mjModel* mj, const cr_real centre[3], cr_real size);

#endif
