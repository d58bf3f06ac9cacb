// SPDX-License-Identifier: Apache-2.0
#include "checks/measured.h"

#include <stddef.h>
#include <stdint.h>

#include "engine/data_create.h"
#include "engine/forward.h"
#include "scenes/mechanism.h"
#include "support/test.h"

void measured_open(measured* s, int seed, state_kind kind) {
  cr_error error = {0};
  if (random_model(&s->m, (uint64_t)seed, &error) != CR_OK ||
      cri_data_create(&s->d, &s->m, NULL, &error) != CR_OK ||
      cri_data_twin(&s->tan, &s->m, s->d, CR_DATA_TANGENT, cri_no_params, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  random_state(&s->m, s->d, (uint64_t)seed, kind);
  assert_int_equal(cr_forward(&s->m, s->d), CR_OK);
}

void measured_close(measured* s) {
  cri_data_free(s->tan);
  cri_data_free(s->d);
  cri_model_free(&s->m);
}

void measured_move(const measured* s, cr_real h, cr_data* to) {
  cri_data_copy(&s->m, to, s->d);
  mechanism_move(&s->m, s->d, s->d->qvel, h, to);
  assert_int_equal(cr_forward(&s->m, to), CR_OK);
}

void measured_sensor(measured* s, cr_sensor_type type, int objtype, int objid, int reftype,
                     int refid) {
  cr_model* m = &s->m;
  assert_true(m->nsensor > 0);
  m->nsensor = 1;
  m->sensor_type[0] = (int32_t)type;
  m->sensor_objtype[0] = objtype;
  m->sensor_objid[0] = objid;
  m->sensor_reftype[0] = reftype;
  m->sensor_refid[0] = refid;
  m->sensor_cutoff[0] = 0;
  m->sensor_datatype[0] = 0;
  m->sensor_adr[0] = 0;
  m->sensor_dim[0] = cri_sensor_info((int)type)->dim;
  assert_true(m->sensor_dim[0] <= m->nsensordata);
}
