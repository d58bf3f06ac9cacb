// SPDX-License-Identifier: Apache-2.0
// One picture: shapes of one or several motions at a time, drawn by libmujoco into memory.
#ifndef CR_RENDER_PICTURE_H
#define CR_RENDER_PICTURE_H

#include <mujoco/mujoco.h>

#include "carom/carom.h"
#include "render/gl_context.h"

typedef struct {
  mjModel* mj;  // borrowed
  mjData* data;
  cr_gl* gl;
  mjvScene scene;
  mjvOption option;
  mjrContext context;
  int width, height;
  int first_force;  // the shape with which forces begin
} cr_picture;

/// Room for the shapes of pictures of this size. mj must outlive it.
/// Owner    the caller, cr_picture_close, also after an error
/// Errors   CR_ERR_MODEL with libmujoco's sentence; CR_ERR_MEMORY
cr_status cr_picture_open(cr_picture* p, mjModel* mj, int width, int height, cr_error* error);

/// A context of OpenGL, with the meshes and textures of mj.
/// Errors   those of cr_gl_open; CR_ERR_MODEL with libmujoco's sentence; CR_ERR_MEMORY
cr_status cr_picture_start(cr_picture* p, cr_error* error);
void cr_picture_close(cr_picture* p);

/// The shapes of a motion in a new picture: everything as the model has it; `coloured`: what moves has the colour of the first
/// motion.
/// Needs    cr_forward of d
/// Errors   CR_ERR_MODEL with libmujoco's sentence
cr_status cr_picture_begin(cr_picture* p, const cr_model* m, const cr_data* d, mjvCamera* camera,
                           bool coloured, cr_error* error);

/// What moves, in another motion, over it, translucent and in the colour of motion i.
/// Needs    cr_forward of d
cr_status cr_picture_add(cr_picture* p, const cr_model* m, const cr_data* d, int i,
                         cr_error* error);

/// The contacts of motion i, with forces as arrows. A force as large as the weight of the model is 0.4 `size` long, longer ones end
/// at twice that, as on the pages of carom/view.h. Nothing hides them.
/// Needs    cr_forward of d; no motion is added after it
cr_status cr_picture_forces(cr_picture* p, const cr_model* m, const cr_data* d, int i, cr_real size,
                            cr_error* error);

/// Draws it.
/// Shapes   rgb[height][width][3], the top row first
/// Errors   CR_ERR_CAPACITY: more shapes than there is room for; CR_ERR_MODEL with libmujoco's sentence
cr_status cr_picture_finish(cr_picture* p, unsigned char* rgb, cr_error* error);

/// libmujoco's poses of bodies, geoms, sites, cameras, lights and tendons are those of d.
void cr_picture_pose(const cr_picture* p, const cr_model* m, const cr_data* d);

#endif
