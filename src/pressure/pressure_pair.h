// SPDX-License-Identifier: Apache-2.0
// Pairs of geoms with pressure fields: which ones may meet, what their dissipation and friction are, and their faces in the world.
#ifndef CR_PRESSURE_PRESSURE_PAIR_H
#define CR_PRESSURE_PRESSURE_PAIR_H

#include "model/data.h"
#include "pressure/meeting.h"
#include "pressure/traction.h"

/// Two geoms that can make a surface, as cri_meeting_order has them, and what cri_meeting_faces takes.
typedef struct {
  int geom[2];
  const int32_t* near;
  int n;
} cri_pressure_pair;

/// Calls visit for all pairs of geoms that can make a surface and whose bounding spheres meet, in a fixed order.
/// Errors   those of visit
typedef cr_status cri_pressure_visit(void* context, const cri_pressure_pair* pair);
cr_status cri_pressure_pairs(const cr_model* m, const cr_data* d, cri_pressure_visit* visit,
                             void* context);

/// [pressure.q2] Numbers of a pair, or their tangent or cotangent.
typedef struct {
  cr_real dissipation, friction, transition;
  cr_real share[2];  // of the dissipation of each geom
  int slippery;      // which geom's friction counts
} cri_pressure_numbers;
cri_pressure_numbers cri_pressure_mix(const cri_meeting* x);

/// The numbers of a geom, CR_PRESSURE_WIDTH of them.
static inline const cr_real* cri_pressure_numbers_of(const cr_model* m, int geom) {
  return m->geom_pressure + CR_PRESSURE_WIDTH * geom;
}

/// A face in the world. The force is on the second geom. The world itself, body 0, has no arm: it neither moves nor takes forces.
typedef struct {
  int body[2];
  cr_real pos[3], arm[2][3];  // centre of pressure, and from the centres of mass to it
  cri_traction traction;
} cri_world_face;
void cri_world_face_set(const cr_data* d, const cri_meeting* x, const cri_pressure_numbers* p,
                        const cri_face* f, cri_world_face* w);

#endif
