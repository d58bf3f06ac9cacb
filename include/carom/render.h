// SPDX-License-Identifier: Apache-2.0
// Pictures and films of motions, drawn by libmujoco: PNG and MP4 files, or pixels. docs/render.md says what they show. They need
// OpenGL without a screen (EGL or OSMesa), which is loaded when the first picture is drawn, and MP4 files need the program ffmpeg.
#ifndef CAROM_RENDER_H
#define CAROM_RENDER_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Motions to draw over each other, and a camera. Belongs to one thread.
typedef struct cr_render cr_render;

/// Camera and pictures. A zero stands for the value in brackets.
typedef struct {
  size_t size;         // sizeof(cr_render_options), set by the caller
  int width, height;   // pixels [640 x 480]
  const char* camera;  // of the model, by name or number [a free one, which the rest describes]
  const char*
      track;  // a body; the camera looks at the centre of mass of it and of what it carries [none]
  const cr_real* azimuth;  // degrees, from x to y: the way in which the camera looks [the model's]
  const cr_real* elevation;  // degrees, below 0 it looks down [the model's]
  const cr_real* lookat;     // 3 numbers, m: where it looks to [the middle of all that moves]
  cr_real distance;          // m, from there [such that all that moves is seen]
  bool forces;               // contact forces are shown as arrows
} cr_render_options;

/// A film, or some pictures of the motions. A zero stands for the value in brackets.
typedef struct {
  size_t size;       // sizeof(cr_film_options), set by the caller
  cr_real from, to;  // s since the first state [0; the end of the longest motion]
  cr_real fps;       // pictures a second of the film [30]
  cr_real speed;     // seconds of motion in a second of the film [1]
  int strip;         // so many pictures beside each other in one PNG file [one picture, of `from`]
  void (*progress)(void* context, int done, int all);  // after each picture [none]
  bool (*stop)(void* context);                         // true ends the work [never]
  void* context;
} cr_film_options;

/// A camera, and no motion yet. m must outlive it; texts and numbers are copied.
/// source   the MJCF or URDF file of m, which has lights, materials and textures; urdf: the options with which it was opened,
///          NULL none
/// Owner    the caller, cr_render_destroy
/// Errors   CR_ERR_NAME for a camera or a body that there is not; CR_ERR_ARG for options that exclude each other, sizes that are not
///          1 to 8192, a Carom model file as source, the file of another model; those of cr_model_open; CR_ERR_UNSUPPORTED without libmujoco
CR_API cr_status cr_render_create(cr_render** render, const cr_model* m, const char* source,
                                  const cr_urdf_options* urdf, const cr_render_options* options,
                                  cr_error* error);
CR_API void cr_render_destroy(cr_render* render);

/// Begins a motion. The second and later ones are translucent, and each of several has its colour.
/// Errors   CR_ERR_MEMORY
CR_API cr_status cr_render_begin(cr_render* render, cr_error* error);

/// Takes the state in d as the next one of the last motion begun.
/// Needs    cr_render_begin; d of the model, with a later time than the state before
/// Errors   CR_ERR_ARG: no motion, another model, a time that is not later; those of cr_data_check; CR_ERR_MEMORY
CR_API cr_status cr_render_take(cr_render* render, const cr_data* d, cr_error* error);

/// Adds the motion of an HDF5 file, as cr_rollout_save writes it.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: no positions, another model, no rows; those of cr_render_take, with the row
CR_API cr_status cr_render_read(cr_render* render, const char* path, cr_error* error);

/// Time from the first state to the last one of the longest motion, in s; 0 without motions.
CR_API cr_real cr_render_time(const cr_render* render);

/// Pictures that cr_render_save makes with these options; -1 for options that it refuses.
CR_API int cr_render_frames(const cr_render* render, const char* path, const cr_film_options* film);

/// Draws the picture at a time since the first state. Positions between two states follow the velocity from one to the other.
/// Shapes   rgb[height][width][3], the top row first
/// Errors   CR_ERR_ARG: no state; CR_ERR_UNSUPPORTED without OpenGL, with the package that has it; CR_ERR_CAPACITY for more
///          shapes than a picture has room for; those of cr_forward
CR_API cr_status cr_render_draw(cr_render* render, cr_real time, unsigned char* rgb,
                                cr_error* error);

/// Writes a film (.mp4), a picture or a strip (.png), or numbered pictures (.png with %d or %04d in its name, from 0 on). Each file
/// is written whole or not at all: one that exists is replaced.
/// Errors   CR_ERR_ARG: another name, odd sizes of a film, times that no motion has, a strip of a film; CR_ERR_UNSUPPORTED without
///          ffmpeg, with the package that has it; CR_ERR_FILE; CR_ERR_INTERRUPTED; those of cr_render_draw
CR_API cr_status cr_render_save(cr_render* render, const char* path, const cr_film_options* film,
                                cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
