// SPDX-License-Identifier: Apache-2.0
// Bodies, geoms and sites as moving frames: pose, velocity and acceleration.
#ifndef CR_KINEMATICS_OBJECT_FRAME_H
#define CR_KINEMATICS_OBJECT_FRAME_H

#include "model/data.h"

/// A frame in one block: position and orientation in d, or their tangents or cotangents in a twin.
typedef struct {
  int body;
  cr_real *pos, *mat;
} cri_object;

/// Frame of an object: CR_OBJ_BODY the inertial frame of a body, XBODY its frame, GEOM, SITE.
cri_object cri_object_of(const cr_model* m, const cr_data* x, int type, int id);

/// Unit quaternion of an object's orientation; of q and -q the one that MuJoCo takes.
void cri_object_quat(const cr_model* m, const cr_data* d, int type, int id, cr_real q[4]);

/// Angular and linear velocity of the frame, world axes (mj_objectVelocity).
/// Map      (cvel, subtree_com, pos) -> v
/// Equation (w, V_lin + w x r), r = pos - com of the tree                  [sensor.o1]
void cri_object_velocity(const cr_model* m, const cr_data* d, const cri_object* o, cr_real v[6]);
void cri_object_velocity_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                             const cri_object* o, const cri_object* o_tan, cr_real v_tan[6]);
void cri_object_velocity_bar(const cr_model* m, const cr_data* d, cr_data* bar, const cri_object* o,
                             const cri_object* o_bar, const cr_real v_bar[6]);

/// Angular and linear acceleration of the frame, minus gravity, world axes (mj_objectAcceleration).
/// Map      (cacc, cvel, subtree_com, pos) -> a
/// Equation (A_ang, A_lin + A_ang x r + w x v), (w, v) of [sensor.o1]              [sensor.o2]
void cri_object_acceleration(const cr_model* m, const cr_data* d, const cri_object* o,
                             cr_real a[6]);
void cri_object_acceleration_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                 const cri_object* o, const cri_object* o_tan, cr_real a_tan[6]);
void cri_object_acceleration_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cri_object* o, const cri_object* o_bar,
                                 const cr_real a_bar[6]);

#endif
