// SPDX-License-Identifier: Apache-2.0
// Shared by the tests named test_bug_<x>.c: a model from MJCF text with data at a random state, and
// the gradient of its step against differences. TESTING.md lists these tests.
#ifndef CR_TESTS_IO_BUG_H
#define CR_TESTS_IO_BUG_H

#include "model/data.h"

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
} bug_scene;

/// Opens the model and makes data and twins; then scatters qpos about qpos0 by `spread` and draws
/// velocities. Needs the scratch folder. Failures fail the test.
void bug_open(bug_scene* s, const char* mjcf, cr_real spread);
void bug_close(bug_scene* s);

/// cr_forward and its tangent along the seeds that are in s->tan.
void bug_forward(bug_scene* s);
void bug_forward_jvp(bug_scene* s);

/// Fails unless the gradient of a step agrees with differences to 1e-6 in every entry, with few kinks.
void bug_check_step(const bug_scene* s);

/// The rows of J as a dense matrix nefc x nv; free it.
cr_real* bug_dense_J(const bug_scene* s);

#endif
