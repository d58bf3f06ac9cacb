// SPDX-License-Identifier: Apache-2.0
// Touch: the normal forces of the contacts of a site's body whose line of action meets the site.
#ifndef CR_SENSOR_SENSOR_TOUCH_H
#define CR_SENSOR_SENSOR_TOUCH_H

#include "model/data.h"

/// Touch sensor i.
/// Map      (efc_force, contact_adhesion) -> y; positions of contacts and sites decide which count
/// Equation y = sum of the normal forces N > 0 of contacts of the site's body, where the ray from
///          contact_pos along the normal, away from the body (or into it, for the first geom), meets
///          the site                                                       [sensor.h1]
/// Smooth   except where a contact enters or leaves the zone, or its force passes 0
cr_real cri_sensor_touch(const cr_model* m, const cr_data* d, int i);
cr_real cri_sensor_touch_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i);
void cri_sensor_touch_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real y_bar);

#endif
