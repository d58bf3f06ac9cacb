// SPDX-License-Identifier: Apache-2.0
// Recorded motion: runs of states. What is public is documented in carom/fit.h.
#ifndef CR_LEARN_RECORDINGS_H
#define CR_LEARN_RECORDINGS_H

#include "carom/fit.h"
#include "kinematics/joint.h"
#include "learn/windows.h"
#include "model/state_vector.h"

struct cr_recordings {
  cri_run* run;
  int n, capacity;
  cr_real interval;
  cri_state sizes;  // of the parts of a row, behind which are nu controls
  int nu, width;
  cri_joint_space* joint;  // of the model
  int njnt;
};

/// Rows of one free body and nothing else.
bool cri_recordings_of_free_body(const cr_recordings* recordings);

enum { CR_COLUMN = 32 };

/// Name of column k: "qpos[2]", of one free body "pz".
void cri_recordings_column(const cr_recordings* recordings, int k, char name[CR_COLUMN]);

/// Checks a run, and takes its rows over; frees them where it fails.
/// Errors   CR_ERR_FORMAT naming row and column; CR_ERR_MEMORY
cr_status cri_recordings_take(cr_recordings* recordings, const cri_run* run, cr_error* error);

#endif
