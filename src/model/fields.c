// SPDX-License-Identifier: Apache-2.0
// The two field tables, turned into rows, and the few functions that read them.
#include "model/fields.h"

#include <assert.h>

#include "base/nearest.h"
#include "model/sensors.h"

// every count of rows: those of the model, then those of the data
typedef enum {
#define CR_SIZE(name, text) DIM_##name,
#include "model/model_fields.h"
  N_MODEL_DIM,
  LAST_MODEL_DIM_ = N_MODEL_DIM - 1,
#define CR_LIVE(name, text) DIM_##name,
#define CR_ROOM(name, numbers, text) DIM_##name,
#include "model/data_counts.h"
} dim;

static const size_t model_counts[] = {
#define CR_SIZE(name, text) offsetof(cr_model, name),
#include "model/model_fields.h"
};

// live, capacity
static const size_t data_counts[][2] = {
#define CR_LIVE(name, text) {offsetof(cr_data, name), offsetof(cr_data, name##_max)},
#define CR_ROOM(name, numbers, text) {offsetof(cr_data, name), offsetof(cr_data, name)},
#include "model/data_counts.h"
};

#define M_ROW(kind, name, rows, tangent, unit, frame, text) \
  {#name, kind, tangent, #rows, unit, frame, text, offsetof(cr_model, name), 0, CRI_CHOICE_PLACE},
#define D_ROW(kind, name, rows, tangent, unit, frame, text) \
  {#name, kind, tangent, #rows, unit, frame, text, offsetof(cr_data, name), 0, CRI_CHOICE_PLACE},
// a parameter whose tangent is narrower than itself is a quaternion; checked in the tests
#define PARAM_TANGENT(width, tangent) ((width) == (tangent) ? CR_TANGENT_SAME : CR_TANGENT_QUAT)

enum {
  nq = -1,
  nv = -2,
  na = -3,
  nu = -4,
  npluginstate = -5
};  // widths that are counts, as in key_qpos

static const cr_field field_table[] = {
#define CR_INT(name, rows, width, range, text) \
  M_ROW(CR_KIND_INT, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_CHAR(name, rows, text) M_ROW(CR_KIND_CHAR, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_CONST(name, rows, width, range, unit, frame, text) \
  M_ROW(CR_KIND_CONST, name, rows, CR_TANGENT_NONE, unit, frame, text)
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) \
  M_ROW(CR_KIND_PARAM, name, rows, PARAM_TANGENT(width, tangent), unit, frame, text)
#include "model/model_fields.h"
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  D_ROW(CR_KIND_STATE, name, rows, CR_TANGENT_##tangent, unit, frame, text)
#define CR_REAL(name, rows, width, tangent, unit, frame, text) \
  D_ROW(CR_KIND_REAL, name, rows, CR_TANGENT_##tangent, unit, frame, text)
#define CR_OP(name, left, right, nnz, text) \
  {#name,                                   \
   CR_KIND_OP,                              \
   CR_TANGENT_SAME,                         \
   #nnz,                                    \
   "-",                                     \
   "-",                                     \
   text,                                    \
   offsetof(cr_data, name),                 \
   offsetof(cr_data, name##_pairs),         \
   CRI_CHOICE_PLACE},
#define CR_SAVE(name, rows, width, text) \
  D_ROW(CR_KIND_SAVE, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_INDEX(name, rows, width, choice, text)             \
  {#name, CR_KIND_INDEX, CR_TANGENT_NONE,         #rows, "-", \
   "-",   text,          offsetof(cr_data, name), 0,     CRI_CHOICE_##choice},
#include "model/data_fields.h"
};

static const struct {
  dim rows;
  int width, tangent;
} shape_table[] = {
#define CR_INT(name, rows, width, range, text) {DIM_##rows, width, 0},
#define CR_CHAR(name, rows, text) {DIM_##rows, 1, 0},
#define CR_CONST(name, rows, width, range, unit, frame, text) {DIM_##rows, width, 0},
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) \
  {DIM_##rows, width, tangent},
#include "model/model_fields.h"
#define CR_STATE(name, rows, width, tangent, unit, frame, text) {DIM_##rows, width, width},
#define CR_REAL(name, rows, width, tangent, unit, frame, text) {DIM_##rows, width, width},
#define CR_OP(name, left, right, nnz, text) {DIM_##nnz, 1, 1},
#define CR_SAVE(name, rows, width, text) {DIM_##rows, width, 0},
#define CR_INDEX(name, rows, width, choice, text) {DIM_##rows, width, 0},
#include "model/data_fields.h"
};

// ---- ranges

static int32_t count_at(const void* base, size_t offset) {
  int32_t value;
  memcpy(&value, (const char*)base + offset, sizeof value);
  return value;
}

// parts of a model and their places: no length beyond CR_LONGEST, m
#define CR_LONGEST CR_R(1e10)
enum { NO_COUNT = -1 };

// highest number: the count at that offset plus `high`, or `high` alone
static const struct {
  cr_real low;
  ptrdiff_t count;
  cr_real high;
} range_table[] = {
#define INDEX(n) 0, offsetof(cr_model, n), -1
#define INDEX_OR_NONE(n) -1, offsetof(cr_model, n), -1
#define COUNT(n) 0, offsetof(cr_model, n), 0
#define START(n) -1, offsetof(cr_model, n), 0
#define RANGE(low, high) low, NO_COUNT, high
#define OR_ADDED(low, high) low, offsetof(cr_model, nadded_law), high
#define BY_TYPE RANGE(-1, INT32_MAX)
#define ANY RANGE(-CR_MAX, CR_MAX)
#define NOT_NEGATIVE RANGE(0, CR_MAX)
#define LENGTH RANGE(-CR_LONGEST, CR_LONGEST)
#define EXTENT RANGE(0, CR_LONGEST)
#define CR_INT(name, rows, width, range, text) {range},
#define CR_CHAR(name, rows, text) {ANY},
#define CR_CONST(name, rows, width, range, unit, frame, text) {range},
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) {range},
#include "model/model_fields.h"
};

cr_field_range cri_field_range(const cr_model* m, cr_field_id id) {
  assert(cri_field_of_model(id));
  ptrdiff_t count = range_table[id].count;
  cr_real high = range_table[id].high;
  if (count != NO_COUNT) {
    high += (cr_real)count_at(m, (size_t)count);
  }
  return (cr_field_range){range_table[id].low, high, count != NO_COUNT};
}

// ---- shapes

const cr_field* cri_field(cr_field_id id) {
  assert((int)id >= 0 && id < CR_N_FIELD);
  return &field_table[id];
}

cr_field_id cri_field_find(const char* name) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    if (strcmp(field_table[i].name, name) == 0) {
      return (cr_field_id)i;
    }
  }
  return CR_N_FIELD;
}

const char* cri_field_nearest(const char* name) {
  cri_nearest nearest;
  cri_nearest_begin(&nearest, name, strlen(name));
  for (int i = 0; i < CR_N_FIELD; i++) {
    const cr_field* f = &field_table[i];
    if (f->kind != CR_KIND_SAVE && f->kind != CR_KIND_CHAR && f->kind != CR_KIND_INDEX) {
      cri_nearest_offer(&nearest, f->name);
    }
  }
  return nearest.name;
}

static int resolve_width(const cr_model* m, int width) {
  switch (width) {
    case nq:
      return m->nq;
    case nv:
      return m->nv;
    case na:
      return m->na;
    case nu:
      return m->nu;
    case npluginstate:
      return m->npluginstate;
    default:
      return width;
  }
}

int cri_field_width(const cr_model* m, cr_field_id id) {
  return resolve_width(m, shape_table[id].width);
}

int cri_field_tangent_width(const cr_model* m, cr_field_id id) {
  return cri_field(id)->tangent == CR_TANGENT_NONE ? 0 : resolve_width(m, shape_table[id].tangent);
}

static int rows_of(const cr_model* m, const cr_data* d, cr_field_id id, bool live) {
  dim rows = shape_table[id].rows;
  if (rows < N_MODEL_DIM) {
    return count_at(m, model_counts[rows]);
  }
  assert(d != NULL);
  return count_at(d, data_counts[rows - N_MODEL_DIM][live ? 0 : 1]);
}

int cri_field_capacity(const cr_model* m, const cr_data* d, cr_field_id id) {
  return rows_of(m, d, id, false);
}

int cri_field_rows(const cr_model* m, const cr_data* d, cr_field_id id) {
  return rows_of(m, d, id, true);
}

bool cri_field_is_empty(const cr_model* m, cr_field_id id) {
  return shape_table[id].rows < N_MODEL_DIM && cri_field_rows(m, NULL, id) == 0;
}

int cri_field_tangent_size(const cr_model* m, const cr_data* d, cr_field_id id) {
  if (cri_field(id)->tangent == CR_TANGENT_QPOS) {
    return m->nv;
  }
  return cri_field_rows(m, d, id) * cri_field_tangent_width(m, id);
}

static void* pointer_at(const void* base, size_t offset) {
  void* pointer;
  memcpy(&pointer, (const char*)base + offset, sizeof pointer);
  return pointer;
}

cr_real* cri_field_real(const cr_model* m, const cr_data* d, cr_field_id id) {
  const cr_field* f = cri_field(id);
  assert(f->kind != CR_KIND_INT && f->kind != CR_KIND_CHAR && f->kind != CR_KIND_INDEX);
  return pointer_at(cri_field_of_model(id) ? (const void*)m : (const void*)d, f->offset);
}

// Runs over all fields in every vjp, so a field without rows ends early.
void cri_fields_clear(const cr_model* m, const cr_data* d, cr_data* twin, const cr_field_id* ids,
                      int n) {
  for (int k = 0; k < n; k++) {
    const cr_field* f = &field_table[ids[k]];
    if (f->kind == CR_KIND_OP) {
      ((cr_pairs*)(void*)((char*)twin + f->pairs))->n = 0;
    } else if (f->tangent != CR_TANGENT_NONE && rows_of(m, d, ids[k], true) > 0) {
      cr_zero(cri_field_real(m, twin, ids[k]), cri_field_tangent_size(m, d, ids[k]));
    }
  }
}

int32_t* cri_field_index(const cr_model* m, const cr_data* d, cr_field_id id) {
  const cr_field* f = cri_field(id);
  assert(f->kind == CR_KIND_INT || f->kind == CR_KIND_INDEX);
  return pointer_at(cri_field_of_model(id) ? (const void*)m : (const void*)d, f->offset);
}
