// SPDX-License-Identifier: Apache-2.0
// States of a model as one object: places of all quantities that evolve (model/state_table.h) in a data block,
// a twin or a row of numbers, and operations on all of them at once.
#ifndef CR_MODEL_STATE_VECTOR_H
#define CR_MODEL_STATE_VECTOR_H

#include "model/data.h"
#include "model/fields.h"

/// One quantity: n numbers at x.
typedef struct {
  cr_real* x;
  int n;
} cri_state_part;

enum {
#define CR_EVOLVES(name, n, tangent, law, rate) CRI_STATE_##name,
#include "model/state_table.h"
  CRI_N_STATE,
  CRI_STATE_FLAT = CRI_STATE_qpos + 1  // from here on x + h rate, before that on the manifold
};

/// All quantities, by name or in the order of the table.
typedef union {
  struct {
#define CR_EVOLVES(name, n, tangent, law, rate) cri_state_part name;
#include "model/state_table.h"
  };
  cri_state_part part[CRI_N_STATE];
} cri_state;

/// How integrators advance a quantity.
typedef enum { CRI_STATE_MANIFOLD, CRI_STATE_ADD, CRI_STATE_ACTIVATION } cri_state_law;

/// A row of the table: the fields that hold a quantity, its rate, and its value after a step.
typedef struct {
  cr_field_id id, rate, next;
  cri_state_law law;
} cri_state_row;

extern const cri_state_row cri_state_rows[CRI_N_STATE];

/// The row of a field, -1 if it does not evolve.
int cri_state_find(cr_field_id id);

/// Only the sizes.
static inline cri_state cri_state_sizes(const cr_model* m) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {NULL, m->n},
#include "model/state_table.h"
                     }};
}

static inline cri_state cri_state_tangent_sizes(const cr_model* m) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {NULL, m->tangent},
#include "model/state_table.h"
                     }};
}

/// Where the state is in a data block, the state after a step, and stage k of a Runge-Kutta step.
static inline cri_state cri_state_of(const cr_model* m, const cr_data* d) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {d->name, m->n},
#include "model/state_table.h"
                     }};
}

static inline cri_state cri_state_next(const cr_model* m, const cr_data* d) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {d->name##_next, m->n},
#include "model/state_table.h"
                     }};
}

static inline cri_state cri_state_stage(const cr_model* m, const cr_data* d, int k) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {d->rk_##name + (ptrdiff_t)k * m->n, m->n},
#include "model/state_table.h"
                     }};
}

/// The same for a twin: tangents or cotangents of states.
static inline cri_state cri_state_twin(const cr_model* m, const cr_data* twin) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {twin->name, m->tangent},
#include "model/state_table.h"
                     }};
}

static inline cri_state cri_state_twin_next(const cr_model* m, const cr_data* twin) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {twin->name##_next, m->tangent},
#include "model/state_table.h"
                     }};
}

/// The rates in a data block or in a twin; and the saved rates of the Runge-Kutta stages, the first of them.
static inline cri_state cri_state_rate(const cr_model* m, const cr_data* d) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {d->rate, m->tangent},
#include "model/state_table.h"
                     }};
}

static inline cri_state cri_state_stage_rates(const cr_model* m, const cr_data* d) {
  return (cri_state){.part = {
#define CR_EVOLVES(name, n, tangent, law, rate) {d->rk_##rate, m->tangent},
#include "model/state_table.h"
                     }};
}

/// Numbers of all quantities of a state, and of its tangent.
static inline int cri_state_size(const cr_model* m) {
  return 0
#define CR_EVOLVES(name, n, tangent, law, rate) +m->n
#include "model/state_table.h"
      ;
}

static inline int cri_state_tangent_size(const cr_model* m) {
  return 0
#define CR_EVOLVES(name, n, tangent, law, rate) +m->tangent
#include "model/state_table.h"
      ;
}

/// The quantities of `like`, `rows` times, one after the other at x; read only if the numbers may not
/// be changed.
cri_state cri_state_at(cri_state like, int rows, const cr_real* x);

/// Row k of such rows.
cri_state cri_state_row_of(cri_state rows, int k);

/// to = from;  s = 0;  to += s from.
void cri_state_copy(cri_state to, cri_state from);
void cri_state_zero(cri_state s);
void cri_state_add(cri_state to, cr_real s, cri_state from);

/// The state after a step becomes the state; of a twin, its tangent.
void cri_state_take_next(const cr_model* m, cr_data* d);
void cri_state_take_next_twin(const cr_model* m, cr_data* tan);

/// The cotangent of the state becomes that of the state after the step before, and is then zero.
void cri_state_give_next_twin(const cr_model* m, cr_data* bar);

#endif
