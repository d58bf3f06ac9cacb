// SPDX-License-Identifier: Apache-2.0
// Views of a model whose parameters stages change. See model/schedule.h.

#include <stdlib.h>
#include <string.h>

#include "model/schedule.h"

static int size_of(const cr_model* m, cr_field_id id) {
  return cri_field_rows(m, NULL, id) * cri_field_width(m, id);
}

cr_status cri_effective_make(cri_effective** out, const cr_model* m, cr_error* error) {
  const cri_schedule* s = m->schedule;
  *out = NULL;
  if (s == NULL || s->nparam == 0) {
    return CR_OK;
  }
  size_t n = (size_t)s->nparam, numbers = 0;
  for (size_t k = 0; k < n; k++) {
    numbers += (size_t)size_of(m, s->param[k]);
  }
  cri_effective* e = calloc(1, sizeof *e);
  if (e != NULL) {
    e->n = (int)n;
    e->numbers = (int)numbers;
    e->field = malloc(n * sizeof *e->field);
    e->own = calloc(n, sizeof *e->own);
    e->now = calloc(2 * numbers + 1, sizeof *e->now);
  }
  if (e == NULL || e->field == NULL || e->own == NULL || e->now == NULL) {
    cri_effective_free(e);
    return cri_fail(error, CR_ERR_MEMORY, "data: no memory for the parameters that stages change");
  }
  e->first = e->now + numbers;
  memcpy(e->field, s->param, n * sizeof *e->field);
  *out = e;
  return CR_OK;
}

void cri_effective_free(cri_effective* e) {
  if (e != NULL) {
    free(e->field);
    free(e->own);
    free(e->now);
    free(e);
  }
}

void cri_effective_clear(cri_effective* e) {
  if (e != NULL) {
    cr_zero(e->now, 2 * e->numbers);
  }
}

void cri_effective_copy(cri_effective* to, const cri_effective* from) {
  if (to != NULL && from != NULL && to->numbers == from->numbers) {
    cr_copy(to->now, from->now, 2 * from->numbers);
  }
}

// ---- views

static void set_pointer(cr_model* m, cr_field_id id, cr_real* x) {
  memcpy((char*)m + cri_field(id)->offset, &x, sizeof x);
}

// made before a stage was added: no view, and the stage refuses to run
static bool is_whole(const cri_effective* e, const cr_model* m) {
  return e != NULL && m->schedule != NULL && e->n == m->schedule->nparam;
}

// m with the numbers x
static const cr_model* view(cr_model* to, const cr_model* m, const cri_effective* e, cr_real* x) {
  const cr_model* base = m->base != NULL ? m->base : m;
  *to = *base;
  to->base = base;
  for (int k = 0; k < e->n; k++) {
    set_pointer(to, e->field[k], x);
    x += size_of(base, e->field[k]);
  }
  return to;
}

const cr_model* cri_view_of(const cr_model* m, const cr_data* d) {
  cri_effective* e = d->effective;
  return m == &e->view || !is_whole(e, m) ? m : view(&e->view, m, e, e->now);
}

const cr_model* cri_view_first(const cr_model* m, const cr_data* d) {
  cri_effective* e = d->effective;
  return is_whole(e, m) ? view(&e->view, m, e, e->first) : m;
}

const cr_model* cri_twin_view(const cr_model* m, const cr_data* d, cr_data* twin, bool first) {
  const cri_effective* e = d->effective;
  cri_effective* t = twin->effective;
  if (!is_whole(e, m) || !is_whole(t, m)) {
    return m;
  }
  if (t->open++ > 0) {
    return &t->view;
  }
  cr_real* x = first ? t->first : t->now;
  for (int k = 0; k < t->n; k++) {
    t->own[k] = cri_field_real(&twin->par, NULL, t->field[k]);
    set_pointer(&twin->par, t->field[k], x);
    x += size_of(m, t->field[k]);
  }
  return view(&t->view, m, e, first ? e->first : e->now);
}

void cri_twin_unview(cr_data* twin) {
  cri_effective* t = twin->effective;
  if (t->open == 0 || --t->open > 0) {
    return;
  }
  for (int k = 0; k < t->n; k++) {
    set_pointer(&twin->par, t->field[k], t->own[k]);
  }
}

cr_real* cri_twin_own(const cr_data* twin, cr_field_id id) {
  const cri_effective* t = twin->effective;
  for (int k = 0; k < t->n; k++) {
    if (t->field[k] == id) {
      return t->own[k];
    }
  }
  return NULL;
}

// ---- the first stage of a step

void cri_effective_begin(cr_data* d) {
  if (d->effective != NULL) {
    cr_copy(d->effective->first, d->effective->now, d->effective->numbers);
  }
}

void cri_effective_return(cr_data* bar) {
  cri_effective* e = bar->effective;
  for (int i = 0; e != NULL && i < e->numbers; i++) {
    e->now[i] += e->first[i];
    e->first[i] = 0;
  }
}
