// SPDX-License-Identifier: Apache-2.0
// A hidden robot, simulated by MuJoCo and recorded: encoders with ticks, currents of the servos, a late IMU, and of
// the quadruped motion capture of its trunk.
#ifndef CR_STUDY_ROBOT_RECORD_H
#define CR_STUDY_ROBOT_RECORD_H

#include <mujoco/mujoco.h>

#include "study/robot_scenes.h"

/// Standard deviations of what is recorded: of the encoders noise and tick together, rad; currents, as torques, N m;
/// gyro, rad/s; accelerometer, m/s^2; motion capture, m and rad. How late the IMU is, s.
typedef struct {
  double tick, encoder, current, gyro, accelerometer, place, turn, delay;
} cr_robot_noise;
extern const cr_robot_noise cri_robot_noise;

/// One recording, a row a step. With fields of `hidden` in place of those of mj.
typedef struct {
  int rows, njoint;
  double *ctrl, *encoder, *current;             // rows x njoint
  double *gyro, *accelerometer, *place, *quat;  // rows x 3, 3, 3, 4
  double *qpos, *qvel;                          // the state at the first row, as it was
} cr_robot_recording;

/// Gives mj the numbers of a model that has been made from it: inertias, laws of joints, friction, and what MuJoCo
/// derives from them.
void cri_robot_give(mjModel* mj, mjData* d, const cr_model* hidden);

/// Records `rows` steps. mj has the numbers of the hidden robot. Free with cri_robot_recording_free. Errors: CR_ERR_MEMORY.
cr_status cri_robot_record(cr_robot_recording* recording, const mjModel* mj, mjData* d,
                           cr_robot_kind kind, int number, int rows, cr_error* error);
void cri_robot_recording_free(cr_robot_recording* recording);

/// The recording as measurements of m: currents at every fourth step, the IMU at every second, motion capture at every tenth.
cr_status cri_robot_measurements(cr_measurements** measurements, const cr_robot_recording* r,
                                 const cr_model* m, cr_error* error);

/// Writes it as folder/<name>_0.csv, which `carom fit` reads; a last comment has the first state as it was.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cri_robot_save(const cr_robot_recording* r, const cr_model* m, const char* folder,
                         cr_robot_kind kind, cr_error* error);

#endif
