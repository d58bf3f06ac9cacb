// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "scenes/columns_scene.h"
#include "support/test.h"

void columns_open(columns_scene* f, int seed, force_columns* add) {
  scene_open(&f->s, seed);
  const cr_model* m = &f->s.m;
  scene_run(&f->s, "acceleration");
  assert_int_equal(cri_data_twin(&f->tan, m, f->s.d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  size_t v = (size_t)m->nv;
  f->numbers = calloc(2 * v * v, sizeof *f->numbers);
  assert_non_null(f->numbers);
  f->columns = (cri_columns){.ld = 2 * m->nv, .q = f->numbers, .v = f->numbers + v};
  cri_rigid_transport carried = cri_rigid_transport_of(m, f->s.d, f->s.d->acc_qacc, f->tan);
  cri_row_force_jac slopes = cri_row_force_jac_of(m, f->s.d, f->tan);
  add(m, f->s.d, &slopes, &carried, f->columns, f->tan);
  cri_pop(f->tan, 0);
}

void columns_close(columns_scene* f) {
  free(f->numbers);
  cri_data_free(f->tan);
  scene_close(&f->s);
}
