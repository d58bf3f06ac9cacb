// SPDX-License-Identifier: Apache-2.0
// The volume of a site, for touch and insidesite sensors. Answers are yes or no, without derivative.
#ifndef CR_SENSOR_SENSOR_ZONE_H
#define CR_SENSOR_SENSOR_ZONE_H

#include "model/data.h"

/// True for the shapes below; sites may also be meshes, which are not tested.
bool cri_sensor_zone_known(int type);

/// True if the point is inside the site, not on its surface (MuJoCo's mju_insideGeom).
bool cri_sensor_zone_holds(const cr_model* m, const cr_data* d, int site, const cr_real point[3]);

/// True if the ray from a point, along a unit vector, meets the site or starts in it.
bool cri_sensor_zone_hit(const cr_model* m, const cr_data* d, int site, const cr_real point[3],
                         const cr_real along[3]);

#endif
