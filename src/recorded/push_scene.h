// SPDX-License-Identifier: Apache-2.0
// The model of a push: a flat body that slides and turns on a plane, on points of a grid below it, and a finger on a given path.
#ifndef CR_RECORDED_PUSH_SCENE_H
#define CR_RECORDED_PUSH_SCENE_H

#include "carom/model.h"
#include "recorded/push_data.h"

/// Coordinates of the model, in this order: of the finger (m), of the body (m, m, rad).
enum { CR_PUSH_FINGER, CR_PUSH_BODY = 2, CR_PUSH_NQ = 5, CR_PUSH_NU = 2 };

/// Writes folder/push_SURFACE_SHAPE.xml and opens it.
/// Model    the body has joints x, y, yaw. Below it are spheres at distances of 2 cm, fixed at a depth of 0.1 mm, so that each carries the same
///          part of the weight by Hunt-Crossley's law; the finger touches the body by the law ncp. The finger is heavy and a
///          servo moves it
/// Owner    the caller, cr_model_destroy
/// Errors   those of files, outlines and cr_model_open; CR_ERR_FORMAT: a shape that has no point of the grid
cr_status cri_push_scene(const char* folder, const cr_push_data* data, int shape, cr_model** m,
                         cr_error* error);

/// m that a foot is below the plane.
extern const double cr_push_depth;

/// Points below a shape. Shapes at[CR_PUSH_POINTS][2], m, from its centroid.
enum { CR_PUSH_POINTS = 64 };
int cri_push_points(const cr_push_shape* shape, double at[CR_PUSH_POINTS][2]);

/// Controls of step k of length h (s) that take the finger from its place at time k h to that at (k + 1) h, and its velocity at k h.
/// Shapes   ctrl[CR_PUSH_NU], velocity[2] (may be NULL), m/s
void cri_push_control(const cr_push* push, double h, int k, cr_real* ctrl, double* velocity);

#endif
