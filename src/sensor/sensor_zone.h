// SPDX-License-Identifier: Apache-2.0
// The volume of a site: what touch and insidesite sensors ask of it. Yes or no, so without derivative.
#ifndef CR_SENSOR_SENSOR_ZONE_H
#define CR_SENSOR_SENSOR_ZONE_H

#include "model/data.h"

/// True for the shapes below; sites may also be meshes, which are not asked.
bool cri_sensor_zone_known(int type);

/// True if the point is inside the site, not on its surface (MuJoCo's mju_insideGeom).
bool cri_sensor_zone_holds(const cr_model* m, const cr_data* d, int site, const cr_real point[3]);

/// True if the ray from a point, along a unit vector, meets the site or starts in it.
bool cri_sensor_zone_hit(const cr_model* m, const cr_data* d, int site, const cr_real point[3],
                         const cr_real along[3]);

#endif
