// SPDX-License-Identifier: Apache-2.0
// Memory, chains and comparisons of the generic stage check.
#include "checks/stage_bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/data_create.h"
#include "math/vec3.h"
#include "model/sensors.h"
#include "sensor/sensor_contacts.h"
#include "sensor/sensor_distance.h"
#include "solver/contact_force.h"

// ---- memory

static size_t model_bytes(const cr_model* m, cr_field_id id, bool twin) {
  int width = twin ? cri_field_tangent_width(m, id) : cri_field_width(m, id);
  return (size_t)cri_field_rows(m, NULL, id) * (size_t)width * sizeof(cr_real);
}

void bench_restore_model(stage_bench* b) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM && model_bytes(b->m, id, false) > 0) {
      memcpy(cri_field_real(&b->other, NULL, id), cri_field_real(b->m, NULL, id),
             model_bytes(b->m, id, false));
    }
  }
}

static void copy_state(const cr_model* m, cr_data* d, const cr_data* state) {
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_STATE) {
      int n = cri_field_rows(m, d, id) * cri_field_width(m, id);
      cr_copy(cri_field_real(m, d, id), cri_field_real(m, state, id), n);
    }
  }
  d->time = state->time;
  d->want_M = state->want_M;
  d->beside_rest = state->beside_rest;
}

bool bench_open(stage_bench* b, const cr_model* m, const cr_data* state, uint64_t seed,
                const char* label) {
  *b = (stage_bench){
      .m = m, .label = label, .random = cr_random_seed(seed, 7), .discrete = stage_discrete_state};
  cr_capacity c = cri_capacity_of(state);
  bool done = cri_model_copy(&b->other, m, NULL) == CR_OK &&
              cri_data_create(&b->d, m, &c, NULL) == CR_OK &&
              cri_data_create(&b->work, m, &c, NULL) == CR_OK &&
              cri_data_create(&b->third, m, &c, NULL) == CR_OK &&
              cri_data_twin(&b->tan, m, b->d, CR_DATA_TANGENT, NULL, NULL) == CR_OK &&
              cri_data_twin(&b->tan2, m, b->d, CR_DATA_TANGENT, NULL, NULL) == CR_OK &&
              cri_data_twin(&b->bar, m, b->d, CR_DATA_COTANGENT, NULL, NULL) == CR_OK &&
              cri_data_twin(&b->bar2, m, b->d, CR_DATA_COTANGENT, NULL, NULL) == CR_OK;
  if (done) {
    size_t parameters = 0;
    for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
      cr_field_id id = (cr_field_id)i;
      parameters += cri_field(id)->kind == CR_KIND_PARAM ? model_bytes(m, id, true) : 0;
    }
    b->shadow_size = b->bar->memory_size + parameters;
    b->shadow = malloc(b->shadow_size);
    memset(b->d->memory, 0xff, b->d->memory_size);
    copy_state(m, b->d, state);
  }
  return done && b->shadow != NULL;
}

void bench_close(stage_bench* b) {
  cri_model_free(&b->other);
  cr_data* all[] = {b->d, b->work, b->third, b->tan, b->tan2, b->bar, b->bar2};
  for (int i = 0; i < 7; i++) {
    cri_data_free(all[i]);
  }
  free(b->shadow);
}

void bench_fail(stage_bench* b, const char* format, ...) {
  stage_report* report = b->report;
  size_t used = strlen(report->text), room = sizeof report->text - used;
  report->failures++;
  int head = snprintf(report->text + used, room, "%s: ", b->label);
  if (head > 0 && (size_t)head < room) {
    va_list arguments;
    va_start(arguments, format);
    int body = vsnprintf(report->text + used + head, room - (size_t)head, format, arguments);
    va_end(arguments);
    size_t end = used + (size_t)head + (body > 0 ? (size_t)body : 0);
    if (end + 2 < sizeof report->text) {
      report->text[end] = '\n';
      report->text[end + 1] = 0;
    }
  }
}

// ---- chains

bool ids_have(const cr_field_id* ids, int n, cr_field_id id) {
  for (int i = 0; i < n; i++) {
    if (ids[i] == id) {
      return true;
    }
  }
  return false;
}

static void chain_add(stage_chain* c, const cr_stage* row) {
  c->row[c->n++] = *row;
  c->name = row->name;
  for (int i = 0; i < row->nread; i++) {
    bool inside = ids_have(c->writes, c->nwrite, row->reads[i]);
    if (!inside && !ids_have(c->reads, c->nread, row->reads[i])) {
      c->reads[c->nread++] = row->reads[i];
    }
  }
  for (int i = 0; i < row->nwrite; i++) {
    if (!ids_have(c->writes, c->nwrite, row->writes[i])) {
      c->writes[c->nwrite++] = row->writes[i];
    }
  }
}

void chain_all(stage_chain* c, const cr_stage* rows, int n) {
  *c = (stage_chain){0};
  for (int i = 0; i < n; i++) {
    chain_add(c, &rows[i]);
  }
}

void chain_single(stage_chain* c, const cr_stage* row) { chain_all(c, row, 1); }

void chain_closed(stage_chain* c, const cr_stage* pipeline, int row) {
  bool inside[MAX_ROW] = {false};
  inside[row] = true;
  for (int i = row; i >= 0; i--) {
    for (int k = 0; inside[i] && k < pipeline[i].nread; k++) {
      cr_field_id id = pipeline[i].reads[k];
      for (int j = 0; j < i && cri_field(id)->kind == CR_KIND_OP; j++) {
        inside[j] |= ids_have(pipeline[j].writes, pipeline[j].nwrite, id);
      }
    }
  }
  *c = (stage_chain){0};
  for (int i = 0; i <= row; i++) {
    if (inside[i]) {
      chain_add(c, &pipeline[i]);
    }
  }
}

static cr_status drive(const stage_chain* c, cri_pass pass, const cr_model* m, const cr_data* d,
                       cr_data* to) {
  const cri_schedule s = {.row = c->row, .n = c->n};
  const cri_rows rows = {.end = c->n};
  return cri_drive(&s, pass, &rows, m, d, to);
}

cr_status chain_forward(const stage_chain* c, const cr_model* m, cr_data* d) {
  return drive(c, CRI_FORWARD, m, d, d);
}

cr_status chain_jvp(const stage_chain* c, const cr_model* m, const cr_data* d, cr_data* tan) {
  return drive(c, CRI_JVP, m, d, tan);
}

cr_status chain_vjp(const stage_chain* c, const cr_model* m, const cr_data* d, cr_data* bar) {
  return drive(c, CRI_VJP, m, d, bar);
}

// ---- fields

bool field_present(const cr_data* d, cr_field_id id) { return id != CR_FIELD_M || d->M_formed; }

bool field_public(cr_field_id id) {
  cr_field_kind kind = cri_field(id)->kind;
  return kind == CR_KIND_STATE || kind == CR_KIND_REAL || kind == CR_KIND_OP;
}

// a long double of x87 has ten bytes of number and six of padding
static size_t number_bytes(void) {
#if defined(CR_LONG_DOUBLE) && LDBL_MANT_DIG == 64
  return 10;
#else
  return sizeof(cr_real);
#endif
}

bool same_bits(const cr_real* a, const cr_real* b, int n) {
  for (int i = 0; i < n; i++) {
    if (memcmp(a + i, b + i, number_bytes()) != 0) {
      return false;
    }
  }
  return true;
}

bool all_finite(const cr_real* a, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(a[i])) {
      return false;
    }
  }
  return true;
}

// one more word into a hash (FNV-1a)
static uint64_t mix(uint64_t hash, int32_t word) {
  return (hash ^ (uint64_t)(uint32_t)word) * 0x100000001b3u;
}

// which side of its switches number k of sensordata is on
static int sensor_switch(const cr_model* m, const cr_data* d, int k) {
  int i = 0;
  while (i + 1 < m->nsensor && m->sensor_adr[i + 1] <= k) {
    i++;
  }
  cr_real x = d->sensordata[k], cutoff = m->sensor_cutoff[i];
  bool yes = m->sensor_type[i] == CR_SENS_INSIDESITE && x == 1;
  if (m->sensor_type[i] == CR_SENS_CONTACT) {
    return (x > 0) - (x < 0);
  }
  return cutoff > 0 ? (x == cutoff) - (x == -cutoff) : yes;
}

uint64_t stage_discrete_state(const cr_model* m, const cr_data* d) {
  const int32_t counts[] = {d->ncon, d->nefc, d->nJ, d->ne, d->nf, d->nl, d->M_formed};
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < 7; i++) {
    hash = mix(hash, counts[i]);
  }
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    // where a slope alone bends, as that of drag, is too slight for these differences
    if (cri_field(id)->kind == CR_KIND_INDEX && cri_field(id)->choice != CRI_CHOICE_SLOPE) {
      int n = cri_field_rows(m, d, id) * cri_field_width(m, id);
      for (int k = 0; k < n; k++) {
        hash = mix(hash, cri_field_index(m, d, id)[k]);
      }
    }
  }
  // numbers of sensors that a cutoff clips, or that say yes or no
  for (int i = 0; i < m->nsensordata; i++) {
    hash = mix(hash, sensor_switch(m, d, i));
  }
  return hash;
}

uint64_t stage_gap_choices(const cr_model* m, const cr_data* d) {
  uint64_t hash = 0;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_skip[i] == 0 && cri_is_sensor_distance(m->sensor_type[i])) {
      cri_distance x;
      hash = mix(hash, cri_sensor_distance_nearest(m, d, i, &x));
      hash = mix(mix(hash, x.geom[0]), x.geom[1]);
      for (int k = 0; k < 4; k++) {
        hash = mix(hash, x.hit.feature[k]);
      }
    }
  }
  return hash;
}

bool stage_gap_turns(const cr_model* m, const cr_data* d, int sensor) {
  int type = m->sensor_type[sensor];
  cri_distance x;
  return m->sensor_skip[sensor] == 0 &&
         (type == CR_SENS_GEOMNORMAL || type == CR_SENS_GEOMFROMTO) &&
         cri_sensor_distance_nearest(m, d, sensor, &x) && x.geom[0] == x.geom[1];
}

static bool has_contact_sensor(const cr_model* m, int reduce) {
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == CR_SENS_CONTACT && m->sensor_intprm[3 * i + 1] == reduce) {
      return true;
    }
  }
  return false;
}

static cr_real force_of(const cr_model* m, const cr_data* d, int contact) {
  cr_real w[6];
  cri_contact_force(m, d, contact, w);
  return cr_norm3(w);
}

uint64_t stage_contact_order(const cr_model* m, const cr_data* d) {
  uint64_t hash = 0;
  bool by_depth = has_contact_sensor(m, CR_REDUCE_MINDIST);
  bool by_force = has_contact_sensor(m, CR_REDUCE_MAXFORCE);
  for (int i = 0; i < d->ncon; i++) {
    for (int k = 0; k < i; k++) {
      hash = mix(hash, by_depth && d->contact_dist[k] < d->contact_dist[i]);
      hash = mix(hash, by_force && force_of(m, d, k) < force_of(m, d, i));
    }
  }
  return hash;
}

// ---- twins

static void set_pairs(cr_data* twin, int n) {
  static const cr_field_id operators[] = {CR_FIELD_M, CR_FIELD_efc_J, CR_FIELD_actuator_moment,
                                          CR_FIELD_ten_J, CR_FIELD_efm_fluid};
  for (int i = 0; twin->role == CR_DATA_COTANGENT && i < 5; i++) {
    field_pairs(twin, operators[i])->n = n;
  }
}

static void set_bytes(const cr_model* m, cr_data* twin, int byte) {
  memset(twin->memory, byte, twin->memory_size);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM && model_bytes(m, id, true) > 0) {
      memset(cri_field_real(&twin->par, NULL, id), byte, model_bytes(m, id, true));
    }
  }
}

void twin_zero(const cr_model* m, cr_data* twin) {
  set_bytes(m, twin, 0);
  set_pairs(twin, 0);
}

void twin_poison(const cr_model* m, cr_data* twin) {
  set_bytes(m, twin, 0xff);
  set_pairs(twin, -7);
}
