// SPDX-License-Identifier: Apache-2.0
// Sensors of the gap between two shapes: its width, its direction, and its place.
#ifndef CR_SENSOR_SENSOR_DISTANCE_H
#define CR_SENSOR_SENSOR_DISTANCE_H

#include "collision/distance.h"

/// True for the types below.
bool cri_is_sensor_distance(int type);

/// The nearest pair of geoms of sensor i; its distance is the cutoff, and the result false, if none is
/// below the cutoff.
bool cri_sensor_distance_nearest(const cr_model* m, const cr_data* d, int i, cri_distance* x);

/// y = numbers of sensor i. The object and the reference are a geom, or a body with all of its geoms. The nearest
/// geoms of the two have the distance r, the middle p of the nearest points, and the normal n from the
/// object to the reference (collision/distance.h):
///   distance: r, or the cutoff if r is not below it                               [sensor.g1]
///   normal:   n, -n where they overlap (r < 0); 0 beyond the cutoff               [sensor.g2]
///   fromto:   p - n r / 2, p + n r / 2; 0 beyond the cutoff                       [sensor.g3]
/// Smooth     except at the cutoff, where another geom or feature is nearest, and, [sensor.g2], where they touch.
///            A geom's direction to itself is open (a cylinder's turns with round-off): held fixed
void cri_sensor_distance(const cr_model* m, const cr_data* d, int i, cr_real* y);
void cri_sensor_distance_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                             cr_real* y_tan);
void cri_sensor_distance_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                             const cr_real* y_bar);

#endif
