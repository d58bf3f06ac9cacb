// SPDX-License-Identifier: Apache-2.0
// Models from MJCF text of a test, or from tests/data.
#ifndef CR_TESTS_IO_MJCF_H
#define CR_TESTS_IO_MJCF_H

#include "io/mujoco.h"

/// Compiles MJCF text (in the scratch folder), or a file of tests/data; fails the test if that
/// does not work. Free with mj_deleteModel.
mjModel* mjcf_compile(const char* text);
mjModel* mjcf_data(const char* name);

/// The path of a file in tests/data; valid until the next call.
const char* mjcf_path(const char* name);

/// The Carom model of a compiled one, checked. Free with cri_model_free.
cr_model mjcf_model(const mjModel* mj);

#endif
