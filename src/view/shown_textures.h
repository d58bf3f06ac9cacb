// SPDX-License-Identifier: Apache-2.0
// The textures of a model as a page shows them. A cr_model has none: they come from libmujoco's model of the same file.
#ifndef CR_VIEW_SHOWN_TEXTURES_H
#define CR_VIEW_SHOWN_TEXTURES_H

#include <mujoco/mujoco.h>

#include "carom/carom.h"
#include "tools/json.h"

/// Longest side of a texture in the page, and of a face of a cube, in pixels: larger ones are made smaller by whole factors.
enum { CR_TEXTURE_PIXELS = 256, CR_CUBE_PIXELS = 128 };

/// Adds the members "textures", pictures in PNG as base64, and "looks", which geom has which of them, to an object. A 2d texture is
/// shown on planes, boxes and height fields; other geoms have its mean colour. mj NULL: without textures.
/// Errors   the object is marked as failed
void cr_shown_textures(cr_json* j, const mjModel* mj);

/// Checks that mj is of the same file as m.
/// Errors   CR_ERR_ARG
cr_status cr_same_geoms(const mjModel* mj, const cr_model* m, const char* source, cr_error* error);

#endif
