// SPDX-License-Identifier: Apache-2.0
// A joint as a piece of the configuration manifold: a run of plain coordinates, then perhaps an
// orientation. Springs and integrators loop over joints in this form.
#ifndef CR_KINEMATICS_JOINT_H
#define CR_KINEMATICS_JOINT_H

#include "model/model.h"

typedef struct {
  int nflat;     // plain coordinates: 1, 3 for a free joint, 0 for a ball
  bool rotates;  // an orientation follows: four numbers of qpos, three dofs
  int q, v;      // first coordinate and first dof
} cri_joint_space;

static inline cri_joint_space cri_joint_space_of(const cr_model* m, int j) {
  int type = m->jnt_type[j];
  return (cri_joint_space){.nflat = type == CR_JNT_FREE ? 3 : (type == CR_JNT_BALL ? 0 : 1),
                           .rotates = type == CR_JNT_FREE || type == CR_JNT_BALL,
                           .q = m->jnt_qposadr[j],
                           .v = m->jnt_dofadr[j]};
}

#endif
