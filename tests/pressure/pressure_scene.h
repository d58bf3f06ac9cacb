// SPDX-License-Identifier: Apache-2.0
// Free bodies of one geom each with pressure fields, over a plane with one.
#ifndef CR_TESTS_PRESSURE_PRESSURE_SCENE_H
#define CR_TESTS_PRESSURE_PRESSURE_SCENE_H

#include "carom/contact.h"
#include "engine/driver.h"
#include "engine/pipeline.h"
#include "math/quat.h"
#include "model/build.h"
#include "support/test.h"

/// A body of mass 1 with a geom of a type; of a plane the body does not count.
typedef struct {
  int type;
  cr_real size[3];
  cr_pressure_options field;  // kind NULL: none
} pressure_solid;

enum { PRESSURE_SOLIDS = 3 };

/// Geom 0 is the ground with its normal up, geom i body i's. Friction 0.5, 0.4, 0.3, 0.2. Free with cri_model_free, also
/// after a failure.
static inline cr_status pressure_scene_make(cr_model* m, const cr_pressure_options* ground, int n,
                                            const pressure_solid solid[PRESSURE_SOLIDS],
                                            cr_error* error) {
  const int32_t parent[PRESSURE_SOLIDS + 1] = {0}, joints[] = {0, 1, 1, 1};
  const int32_t type[] = {CR_JNT_FREE, CR_JNT_FREE, CR_JNT_FREE};
  *m = (cr_model){.ngeom = n + 1, .nnames = 1};
  CR_TRY(cri_model_sizes(m, n + 1, parent, joints, type, error));
  CR_TRY(cri_model_allocate(m, error));
  cri_model_defaults(m);
  for (int i = 0; i <= n; i++) {
    m->geom_type[i] = i == 0 ? CR_GEOM_PLANE : solid[i - 1].type;
    m->geom_bodyid[i] = i;
    m->geom_friction[3 * i] = CR_R(0.5) - CR_R(0.1) * (cr_real)i;
    if (i > 0) {
      cr_copy3(m->geom_size + 3 * i, solid[i - 1].size);
      m->body_jntnum[i] = 1;
      m->jnt_type[i - 1] = CR_JNT_FREE;
      m->body_mass[i] = 1;
      for (int k = 0; k < 3; k++) {
        m->body_inertia[3 * i + k] = CR_R(0.01);
      }
    }
    const cr_pressure_options* field = i == 0 ? ground : &solid[i - 1].field;
    if (field != NULL && field->kind != NULL) {
      CR_TRY(cr_model_set_pressure(m, i, field, error));
    }
  }
  return cri_model_derive(m, error);
}

/// The same, and the test fails where it does.
static inline void pressure_scene(cr_model* m, const cr_pressure_options* ground, int n,
                                  const pressure_solid solid[PRESSURE_SOLIDS]) {
  cr_error error = {0};
  if (pressure_scene_make(m, ground, n, solid, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

/// Runs the stages up to and with qfrc_pressure.
static inline void pressure_run(const cr_model* m, cr_data* d) {
  for (int i = 0; i < cr_npipeline; i++) {
    assert_int_equal(cr_pipeline[i].forward(m, d), CR_OK);
    if (strcmp(cr_pipeline[i].name, "pressure") == 0) {
      return;
    }
  }
}

/// The pose of body b (1 and on), turned by `angle` about an axis; at rest.
static inline void pressure_pose(const cr_model* m, cr_data* d, int b, const cr_real pos[3],
                                 const cr_real axis[3], cr_real angle) {
  cr_real* q = d->qpos + m->jnt_qposadr[m->body_jntadr[b]];
  cr_copy3(q, pos);
  cr_quat_axis_angle(q + 3, axis, angle);
  cr_zero(d->qvel, m->nv);
}

#endif
