// SPDX-License-Identifier: Apache-2.0
// A random model in a random state with contacts, limits and friction loss, evaluated up to a
// stage, and its sparse operators as dense matrices. cmocka's headers first.
#ifndef CR_TESTS_CONTACT_SCENE_H
#define CR_TESTS_CONTACT_SCENE_H

#include "model/data.h"

typedef struct {
  cr_model m;
  cr_data* d;
  int seed;
} contact_scene;

/// The model and state of a seed, loose bodies in a heap; rows have room for pyramids of condim 6.
void scene_open(contact_scene* s, int seed);

/// New data for the model as it is now; frees the old data before.
void scene_reopen(contact_scene* s);
void scene_close(contact_scene* s);

/// Runs the pipeline up to and with a stage, which must not fail.
void scene_run(contact_scene* s, const char* stage);

/// Sets the dimension of all contacts.
void scene_condim(contact_scene* s, int dim);

/// J[nefc * nv] and M[nv * nv], filled from the sparse forms. The caller frees.
cr_real* scene_dense_J(const contact_scene* s);
cr_real* scene_dense_M(const contact_scene* s);

/// A scene whose equality constraint `eq` is of a chosen type, switched on, evaluated up to kinematics.
typedef struct {
  contact_scene s;
  int eq;
} connect_weld_scene;

/// The first random one, between sites or not; scene_close on `s`.
void connect_weld_scene_open(connect_weld_scene* w, int type, bool sites);

/// Runs the generic checks over the rows from `first` to the last of the pipeline; fails if they find
/// anything.
void scene_check_stages(contact_scene* s, const char* first, const char* last);

#endif
