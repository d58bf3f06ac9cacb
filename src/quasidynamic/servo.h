// SPDX-License-Identifier: Apache-2.0
// The servos of a model: springs between joints and their setpoints.
#ifndef CR_QUASIDYNAMIC_SERVO_H
#define CR_QUASIDYNAMIC_SERVO_H

#include "model/data.h"

/// A servo on a hinge or slide: its force over q is gear (gain u + b_0 + b_1 gear q) [quasidynamic.s1], or, with a stiffness that
/// was given, stiffness (u - q).
typedef struct {
  int32_t actuator, ctrl, dof, qpos;
  cr_real stiffness;  // given, else 0
} cri_servo;

/// Finds the servos: at most nactuator of them. `stiffness` as in cr_quasidynamic_options.
/// Errors   CR_ERR_UNSUPPORTED: an actuator that is none; CR_ERR_ARG: there are none, or a stiffness is negative
cr_status cri_servos_find(const cr_model* m, const cr_real* stiffness, cri_servo* servo, int* n,
                          cr_error* error);

/// Stiffness over q, Kp; force at rest at qpos with the control u; slope of the force over u.
cr_real cri_servo_stiffness(const cr_model* m, const cri_servo* s);
cr_real cri_servo_force(const cr_model* m, const cri_servo* s, const cr_real* qpos,
                        const cr_real* u);
cr_real cri_servo_gain(const cr_model* m, const cri_servo* s);

/// Their tangents by parameters, from par; of the force at qpos and u held.
cr_real cri_servo_stiffness_tan(const cr_model* m, const cri_servo* s, const cr_model* par);
cr_real cri_servo_force_tan(const cr_model* m, const cri_servo* s, const cr_model* par,
                            const cr_real* qpos, const cr_real* u);

/// What quasi-dynamic steps have no place for.
/// Errors   CR_ERR_UNSUPPORTED, naming it
cr_status cri_quasidynamic_supports(const cr_model* m, cr_error* error);

#endif
