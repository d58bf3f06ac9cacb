// SPDX-License-Identifier: Apache-2.0
// The force of a tendon's own spring and damper, along its length. dynamics/passive brings it to the
// joints, sensor/pull to the bodies.
#ifndef CR_DYNAMICS_TENDON_LAW_H
#define CR_DYNAMICS_TENDON_LAW_H

#include "model/data.h"

/// f = -(k x + p_0 x^2 + p_1 x^3), x the length beyond the dead band                    [p5]
/// Here and below the slope is that of f by the length or velocity; NULL: not asked for.
cr_real cri_tendon_spring(const cr_model* m, const cr_data* d, int i, cr_real* slope);
cr_real cri_tendon_spring_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i);
/// Adds to the cotangents of ten_length and of the spring's parameters.
void cri_tendon_spring_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real f_bar);

/// f = -(b v + c_0 v |v| + c_1 v^3), b the laws of all tendons of dynamics/reflected.h   [p6]
cr_real cri_tendon_damper(const cr_data* d, const cr_real* b, int i, cr_real* slope);
cr_real cri_tendon_damper_tan(const cr_data* d, const cr_data* tan, const cr_real* b,
                              const cr_real* b_tan, int i);
/// Adds to the cotangent of ten_velocity, sets the three of b_bar that are the tendon's.
void cri_tendon_damper_bar(const cr_data* d, cr_data* bar, const cr_real* b, cr_real* b_bar, int i,
                           cr_real f_bar);

#endif
