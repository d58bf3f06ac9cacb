// SPDX-License-Identifier: Apache-2.0
// Memory of cr_model and of its parameter twins: one block each, laid out from the field table.
#include "model/model.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/added_contact.h"
#include "model/fields.h"
#include "model/schedule.h"

enum { ALIGN = 64 };

static size_t rounded(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static size_t item_size(cr_field_kind kind) {
  return kind == CR_KIND_INT ? sizeof(int32_t) : (kind == CR_KIND_CHAR ? 1 : sizeof(cr_real));
}

static size_t field_bytes(const cr_model* m, cr_field_id id, bool twin) {
  int width = twin ? cri_field_tangent_width(m, id) : cri_field_width(m, id);
  size_t numbers = (size_t)cri_field_rows(m, NULL, id) * (size_t)width;
  return numbers * item_size(cri_field(id)->kind);
}

// one layout, run twice: with memory NULL it only counts
static size_t layout(cr_model* to, const cr_model* sizes, const bool* wanted, bool twin,
                     char* memory) {
  size_t used = 0;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cr_field* f = cri_field(id);
    bool has = !twin || (f->kind == CR_KIND_PARAM && (wanted == NULL || wanted[i]));
    void* pointer = has && memory != NULL ? memory + used : NULL;
    memcpy((char*)to + f->offset, &pointer, sizeof pointer);
    used += has ? rounded(field_bytes(sizes, id, twin)) : 0;
  }
  return used > 0 ? used : ALIGN;
}

static cr_status allocate(cr_model* to, const cr_model* sizes, const bool* wanted, bool twin,
                          cr_error* error) {
  size_t bytes = layout(to, sizes, wanted, twin, NULL);
  to->memory = aligned_alloc(ALIGN, bytes);
  if (to->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "model: no memory for %zu bytes", bytes);
  }
  memset(to->memory, 0, bytes);
  layout(to, sizes, wanted, twin, to->memory);
  return CR_OK;
}

cr_status cri_model_allocate(cr_model* m, cr_error* error) {
  m->none = 1;
  return allocate(m, m, NULL, false, error);
}

// a shallow copy owns neither
void cri_model_free(cr_model* m) {
  cri_schedule_release(m->memory != NULL ? m->schedule : NULL);
  cri_contacts_release(m->memory != NULL ? m->contacts : NULL);
  free(m->memory);
  m->memory = NULL;
}

// the arrays of `from`; those of `to` may be longer
static void copy_arrays(cr_model* to, const cr_model* from) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    size_t bytes = field_bytes(from, id, false);
    void *target, *source;
    memcpy(&target, (char*)to + cri_field(id)->offset, sizeof target);
    memcpy(&source, (const char*)from + cri_field(id)->offset, sizeof source);
    if (bytes > 0) {
      memcpy(target, source, bytes);
    }
  }
}

cr_status cri_model_copy(cr_model* to, const cr_model* from, cr_error* error) {
  *to = *from;
  to->base = NULL;
  CR_TRY(cri_model_allocate(to, error));
  cri_schedule_share(to->schedule);
  cri_contacts_share(to->contacts);
  copy_arrays(to, from);
  return CR_OK;
}

// the arrays of m where counts are those of `grown`
static cr_status grow(cr_model* grown, const cr_model* m, cr_error* error) {
  CR_TRY(cri_model_allocate(grown, error));
  copy_arrays(grown, m);
  return CR_OK;
}

cr_status cri_model_add_pressure(cr_model* m, int nvert, int ntet, cr_error* error) {
  cr_model grown = *m;
  grown.npressurevert += nvert;
  grown.npressuretet += ntet;
  CR_TRY(grow(&grown, m, error));
  free(m->memory);
  *m = grown;
  return CR_OK;
}

cr_status cri_model_add_params(cr_model* m, int n, const cr_real* values, cr_error* error) {
  cr_model grown = *m;
  grown.npluginparam += n;
  CR_TRY(grow(&grown, m, error));
  if (values != NULL) {
    cr_copy(grown.plugin_param + m->npluginparam, values, n);
  }
  free(m->memory);
  *m = grown;
  return CR_OK;
}

cr_status cri_model_twin(cr_model* twin, const cr_model* m, const bool* wanted, cr_error* error) {
  *twin = *m;
  twin->schedule = NULL;
  twin->contacts = NULL;
  return allocate(twin, m, wanted, true, error);
}

void cri_model_twin_zero(cr_model* twin, const cr_model* m) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM) {
      cr_real* array = cri_field_real(twin, NULL, id);
      if (array != NULL) {
        memset(array, 0, field_bytes(m, id, true));
      }
    }
  }
}

// ---- shape

// the counts are the first members of a model
static_assert(offsetof(cr_model, nq) == 0, "counts come first");
static_assert(offsetof(cr_model, none) == (CRI_N_SIZE - 1) * sizeof(int32_t),
              "counts are in a row");

cri_shape cri_shape_of(const cr_model* m) {
  cri_shape shape = {.structure = m->structure};
  memcpy(shape.size, m, sizeof shape.size);
  return shape;
}

bool cri_has_shape(const cr_model* m, const cri_shape* shape) {
  bool known = m->structure != 0 && shape->structure != 0;
  return memcmp(m, shape->size, sizeof shape->size) == 0 &&
         (!known || m->structure == shape->structure);
}

uint64_t cri_model_structure(const cr_model* m) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const int32_t* x = cri_field(id)->kind == CR_KIND_INT ? cri_field_index(m, NULL, id) : NULL;
    size_t n = x == NULL ? 0 : field_bytes(m, id, false) / sizeof *x;
    for (size_t k = 0; k < n; k++) {
      hash = (hash ^ (uint32_t)x[k]) * 0x100000001b3u;
    }
  }
  return hash;
}

bool cri_controller_switch(const cr_model* m, int i, bool gain, int k) {
  enum { PID_DYN = 0x3, PID_GAIN = 0x1, MOTOR_DYN = 0x1a7, MOTOR_GAIN = 0xa0 };
  bool pid = m->actuator_gaintype[i] == CR_GAIN_PID;
  int bits = gain ? (pid ? PID_GAIN : MOTOR_GAIN) : (pid ? PID_DYN : MOTOR_DYN);
  const cr_real* prm = (gain ? m->actuator_gainprm : m->actuator_dynprm) + 10 * i;
  bool controller = pid || m->actuator_gaintype[i] == CR_GAIN_DCMOTOR;
  return controller && prm[k] == 0 && ((bits >> k) & 1) != 0;
}

int cri_controller_states(const cr_model* m, int i) {
  const cr_real *dyn = m->actuator_dynprm + 10 * i, *gain = m->actuator_gainprm + 10 * i;
  if (m->actuator_dyntype[i] == CR_DYN_PID) {
    return (dyn[1] > 0) + (gain[0] > 0);
  }
  if (m->actuator_gaintype[i] == CR_GAIN_SO3) {
    return m->actuator_dyntype[i] == CR_DYN_INTEGRATOR ? 3 : 0;
  }
  bool motor = m->actuator_gaintype[i] == CR_GAIN_DCMOTOR;
  return motor ? (dyn[7] > 0) + (gain[5] > 0) + (dyn[2] > 0) + (dyn[5] > 0) + (dyn[0] > 0) : 0;
}

const cr_real* cri_par_tan(const cr_real* array, int row, int width) {
  static const cr_real zeros[16] = {0};
  return array == NULL ? zeros : array + (size_t)row * (size_t)width;
}
