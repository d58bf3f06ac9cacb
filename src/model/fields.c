// SPDX-License-Identifier: Apache-2.0
// The two field tables, turned into rows, and the few functions that read them.
#include "model/fields.h"

#include <assert.h>

typedef struct {
  const char* name;
  size_t offset;
} size_row;

// counts by name: those of the model, then the live counts and capacities of the data
static const size_row model_sizes[] = {
#define CR_SIZE(name, text) {#name, offsetof(cr_model, name)},
#include "model/model_fields.h"
};

typedef struct {
  const char* name;
  size_t live, capacity;
} data_size_row;

static const data_size_row data_sizes[] = {
    {"ncon", offsetof(cr_data, ncon), offsetof(cr_data, ncon_max)},
    {"nefc", offsetof(cr_data, nefc), offsetof(cr_data, nefc_max)},
    {"nJ", offsetof(cr_data, nJ), offsetof(cr_data, nJ_max)},
    {"nH", offsetof(cr_data, nH), offsetof(cr_data, nH)},
    {"nHindex", offsetof(cr_data, nHindex), offsetof(cr_data, nHindex)},
    {"nmoment", offsetof(cr_data, nmoment), offsetof(cr_data, nmoment)},
    {"nrk", offsetof(cr_data, nrk), offsetof(cr_data, nrk)},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define M_ROW(kind, name, rows, tangent, unit, frame, text) \
  {#name, kind, tangent, #rows, unit, frame, text, offsetof(cr_model, name), 0},
#define D_ROW(kind, name, rows, tangent, unit, frame, text) \
  {#name, kind, tangent, #rows, unit, frame, text, offsetof(cr_data, name), 0},
// a parameter whose tangent is narrower than itself is a quaternion; checked in the tests
#define PARAM_TANGENT(width, tangent) ((width) == (tangent) ? CR_TANGENT_SAME : CR_TANGENT_QUAT)

enum { nq = -1, nv = -2, na = -3, nu = -4 };  // widths that are counts, as in key_qpos

static const cr_field field_table[] = {
#define CR_INT(name, rows, width, text) \
  M_ROW(CR_KIND_INT, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_CHAR(name, rows, text) M_ROW(CR_KIND_CHAR, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_CONST(name, rows, width, unit, frame, text) \
  M_ROW(CR_KIND_CONST, name, rows, CR_TANGENT_NONE, unit, frame, text)
#define CR_PARAM(name, rows, width, tangent, unit, frame, text) \
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
   offsetof(cr_data, name##_pairs)},
#define CR_SAVE(name, rows, width, text) \
  D_ROW(CR_KIND_SAVE, name, rows, CR_TANGENT_NONE, "-", "-", text)
#define CR_INDEX(name, rows, width, text) \
  D_ROW(CR_KIND_INDEX, name, rows, CR_TANGENT_NONE, "-", "-", text)
#include "model/data_fields.h"
};

static const struct {
  int width, tangent;
} width_table[] = {
#define CR_INT(name, rows, width, text) {width, 0},
#define CR_CHAR(name, rows, text) {1, 0},
#define CR_CONST(name, rows, width, unit, frame, text) {width, 0},
#define CR_PARAM(name, rows, width, tangent, unit, frame, text) {width, tangent},
#include "model/model_fields.h"
#define CR_STATE(name, rows, width, tangent, unit, frame, text) {width, width},
#define CR_REAL(name, rows, width, tangent, unit, frame, text) {width, width},
#define CR_OP(name, left, right, nnz, text) {1, 1},
#define CR_SAVE(name, rows, width, text) {width, 0},
#define CR_INDEX(name, rows, width, text) {width, 0},
#include "model/data_fields.h"
};

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
    default:
      return width;
  }
}

int cri_field_width(const cr_model* m, cr_field_id id) {
  return resolve_width(m, width_table[id].width);
}

int cri_field_tangent_width(const cr_model* m, cr_field_id id) {
  return cri_field(id)->tangent == CR_TANGENT_NONE ? 0 : resolve_width(m, width_table[id].tangent);
}

static int32_t count_at(const void* base, size_t offset) {
  int32_t value;
  memcpy(&value, (const char*)base + offset, sizeof value);
  return value;
}

static int rows_of(const cr_model* m, const cr_data* d, const char* rows, bool live) {
  for (int i = 0; i < COUNT(model_sizes); i++) {
    if (strcmp(model_sizes[i].name, rows) == 0) {
      return count_at(m, model_sizes[i].offset);
    }
  }
  for (int i = 0; d != NULL && i < COUNT(data_sizes); i++) {
    if (strcmp(data_sizes[i].name, rows) == 0) {
      return count_at(d, live ? data_sizes[i].live : data_sizes[i].capacity);
    }
  }
  assert(0 && "a field names a count that does not exist");
  return 0;
}

int cri_field_capacity(const cr_model* m, const cr_data* d, cr_field_id id) {
  return rows_of(m, d, cri_field(id)->rows, false);
}

int cri_field_rows(const cr_model* m, const cr_data* d, cr_field_id id) {
  return rows_of(m, d, cri_field(id)->rows, true);
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

int32_t* cri_field_index(const cr_model* m, const cr_data* d, cr_field_id id) {
  const cr_field* f = cri_field(id);
  assert(f->kind == CR_KIND_INT || f->kind == CR_KIND_INDEX);
  return pointer_at(cri_field_of_model(id) ? (const void*)m : (const void*)d, f->offset);
}
