// SPDX-License-Identifier: Apache-2.0
// A robot that walks in simulation: its motion under commands and pushes, and what came of it.
#ifndef CR_WALK_WALK_H
#define CR_WALK_WALK_H

#include "walk/walker.h"

/// A push of the trunk: a force in the world, N, from a time on, for a time, s.
typedef struct {
  double start, length, force[3];
} cr_shove;

typedef struct {
  const cr_legged* robot;
  cr_walk_options options;
  cr_decide* decide;
  void* context;
  double time;  // s
  // speeds that are wanted at a time: ahead, to the left, m/s, turning, rad/s
  void (*wanted)(const void* course, double time, double to[3]);
  const void* course;
  const cr_shove* shove;
  int nshove;
  uint64_t seed;  // of the noise of what is measured
  double
      noise;  // 1: gyroscope 0.01 rad/s, accelerometer 0.1 m/s^2, joints 0.001 rad and 0.01 rad/s
  const char* record;  // HDF5 file of the motion; NULL: none
  bool (*stop)(void);  // may be NULL
  // called at the end of each step; may be NULL
  cr_status (*watch)(void* watcher, const cr_walker* walker, double time, cr_error* error);
  void* watcher;
} cr_walk;

/// A row for each half second: its end, s; mean speeds and those that were wanted (ahead, left, turning); mean height, m; the largest roll or pitch,
/// rad; mean power of the motors, |torque x speed|, W; rms error of the estimated velocity, m/s.
enum {
  CR_WALK_TIME,
  CR_WALK_SPEED,
  CR_WALK_WANTED = CR_WALK_SPEED + 3,
  CR_WALK_HEIGHT = CR_WALK_WANTED + 3,
  CR_WALK_TILT,
  CR_WALK_POWER,
  CR_WALK_ESTIMATE,
  CR_WALK_COLUMNS
};

typedef struct {
  double fell;  // s; infinite: it did not
  int rows;
  double* row;  // rows x CR_WALK_COLUMNS
  int decisions;
  double duty;      // part of the time that a foot touches the ground, mean over feet
  double diagonal;  // part of the time that both feet of each diagonal pair touch, or both do not
} cr_walk_end;

/// Walks from standing. It falls where its trunk is lower than half of the height, or tilts by more than a radian; the motion ends
/// there. Free with cri_walk_free, also after an error.
/// Errors   those of steps, with the time; those of decide; CR_ERR_INTERRUPTED; CR_ERR_FILE; CR_ERR_MEMORY
cr_status cri_walk_run(const cr_walk* walk, cr_walk_end* end, cr_error* error);
void cri_walk_free(cr_walk_end* end);

#endif
