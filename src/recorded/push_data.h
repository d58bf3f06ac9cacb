// SPDX-License-Identifier: Apache-2.0
// Pushes: a flat body lies on a plane, a round finger pushes it along a line, and poses of both are tracked.
#ifndef CR_RECORDED_PUSH_DATA_H
#define CR_RECORDED_PUSH_DATA_H

#include "recorded/outline.h"

enum { CR_PUSH_NAME = 32, CR_PUSH_SHAPES = 16 };

/// A flat body. Coordinates are those of its tracked frame.
typedef struct {
  char name[CR_PUSH_NAME], surface[CR_PUSH_NAME];  // surface: on which it lies
  bool ellipse;
  double semi[2];                     // m, of an ellipse
  cr_outline outline;                 // of a polygon against the clock; of an ellipse points on it
  double mass, inertia, centroid[2];  // kg, kg m^2 about the centroid, m
} cr_push_shape;

/// A push. Places are in the frame of the body at the start, times begin at 0, while all rests.
typedef struct {
  char name[CR_PUSH_NAME];
  int shape;
  double speed;         // m/s, of the finger, mean, as it was tracked
  int nbody, nfinger;   // rows
  double (*body)[4];    // s, m, m, rad: unwrapped
  double (*finger)[3];  // s, m, m: of its centre
  double time;          // s: the finger has come to rest a little before
  double size;          // m, of the path of the body's frame, end to end
} cr_push;

typedef struct {
  double radius;  // m, of the finger
  cr_push_shape shape[CR_PUSH_SHAPES];
  int nshape;
  cr_push* push;  // in order of shapes, then of names
  int n;
  int still, alone;  // left out: the body hardly moved; a surface with too few pushes of the shape
} cr_push_data;

/// The least number of pushes of a shape.
enum { CR_PUSH_LEAST = 6 };

/// HDF5: root attribute pusher_radius_m; shape/NAME with attributes mass_kg, inertia_kg_m2, centroid_m and the data set polygon [corners][2]
/// or the attribute semi_axes_m; push/NAME with attributes shape, surface, object_moved, and the data sets object [rows][4] (s, x, y, yaw),
/// tip [rows][3 or more] (s, x, y), in one frame, each with its own times. Pushes that hardly moved the body are left out, and those of a surface
/// that has fewer than CR_PUSH_LEAST of the shape. Pushes slower than 4 cm/s become as fast as that.
/// Owner    the caller, cri_push_free, also after an error
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT naming file, push and row; CR_ERR_ARG: no shape has enough pushes; CR_ERR_MEMORY
cr_status cri_push_read(cr_push_data* data, const char* path, cr_error* error);
void cri_push_free(cr_push_data* data);

/// First push of a shape; *n: how many it has.
int cri_push_of_shape(const cr_push_data* data, int shape, int* n);

/// The centre of the finger at time t, by cubics through the tracked places; before the first and after the last it rests.
void cri_push_finger(const cr_push* push, double t, double at[2]);

#endif
