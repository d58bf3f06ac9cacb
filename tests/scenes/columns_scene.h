// SPDX-License-Identifier: Apache-2.0
// A contact scene with the columns of one kind of force. cmocka's headers first.
#ifndef CR_TESTS_COLUMNS_SCENE_H
#define CR_TESTS_COLUMNS_SCENE_H

#include "kinematics/rigid_transport.h"
#include "scenes/contact_scene.h"
#include "solver/row_force_jac.h"

typedef struct {
  contact_scene s;
  cr_data* tan;
  cr_real* numbers;
  cri_columns columns;  // q and v
} columns_scene;

/// The function that adds the columns: cri_contact_jac, cri_connect_weld_jac.
typedef void force_columns(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                           const cri_rigid_transport* carried, cri_columns columns, cr_data* work);

/// The scene of a seed up to its acceleration, and the columns there.
void columns_open(columns_scene* f, int seed, force_columns* add);
void columns_close(columns_scene* f);

#endif
