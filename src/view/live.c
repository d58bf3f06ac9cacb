// SPDX-License-Identifier: Apache-2.0
// The simulation inside a page: opening, stepping, and what is drawn of a state.
#include "view/live.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CONTACTS = 64 };

// ---- creation

cr_live* cr_live_create(void) { return calloc(1, sizeof(cr_live)); }

void cr_live_destroy(cr_live* l) {
  if (l == NULL) {
    return;
  }
  cr_live_prediction_free(&l->ahead);
  cr_shown_motion_free(&l->motion);
  cr_data_destroy(l->d);
  cr_data_destroy(l->shown);
  cr_model_destroy(l->m);
  free(l->start);
  free(l->text);
  free(l->names);
  free(l->values);
  free(l);
}

const char* cr_live_error(const cr_live* l) { return l->error.text; }

// the lines of a text become its names
static cr_status take_names(cr_live* l, const char* names) {
  size_t n = strlen(names);
  l->text = malloc(n + 1);
  l->names = calloc(n + 1, sizeof *l->names);
  l->values = calloc(n + 1, sizeof *l->values);
  if (l->text == NULL || l->names == NULL || l->values == NULL) {
    return cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  }
  memcpy(l->text, names, n + 1);
  for (char* at = l->text; *at != 0;) {
    size_t line = strcspn(at, "\n");
    bool last = at[line] == 0;
    at[line] = 0;
    CR_TRY(cr_model_get(l->m, at, &l->values[l->nparameter], 1, &l->error));
    l->names[l->nparameter++] = at;
    at += line + (last ? 0 : 1);
  }
  return CR_OK;
}

static cr_status make_blocks(cr_live* l, cr_data** d, cr_data** shown) {
  cr_status status = cr_data_create_room(d, l->m, l->contacts, &l->error);
  return status == CR_OK ? cr_data_create_room(shown, l->m, l->contacts, &l->error) : status;
}

cr_status cr_live_open(cr_live* l, const void* file, size_t n, const char* names) {
  CR_TRY(cr_model_open_bytes(&l->m, file, n, &l->error));
  CR_TRY(take_names(l, names));
  l->contacts = FIRST_CONTACTS;
  CR_TRY(make_blocks(l, &l->d, &l->shown));
  l->start = calloc((size_t)cr_state_size(l->m, CR_STATE_INTEGRATION), sizeof *l->start);
  if (l->start == NULL) {
    return cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  }
  cr_shown_motion_make(&l->motion, l->m, "", &(cr_plotted){0});
  l->motion.no_surface = true;
  return cr_live_told(l, l->d, cr_state_get(l->m, l->d, l->start, CR_STATE_INTEGRATION));
}

// more room for contacts; the state stays
static cr_status grow(cr_live* l) {
  l->contacts *= 2;
  cr_data *d = NULL, *shown = NULL;
  cr_status status = make_blocks(l, &d, &shown);
  if (status == CR_OK) {
    status = cr_live_told(l, d, cr_state_copy(l->m, l->d, d, CR_STATE_INTEGRATION));
  }
  if (status != CR_OK) {
    cr_data_destroy(d);
    cr_data_destroy(shown);
    return status;
  }
  cr_data_destroy(l->d);
  cr_data_destroy(l->shown);
  l->d = d;
  l->shown = shown;
  return CR_OK;
}

// ---- numbers

typedef struct {
  const cr_real* x;
  int n;
} numbers;

static numbers field_of(const cr_live* l, const cr_data* d, const char* name) {
  int rows = 0, width = 0;
  const cr_real* x = cr_data_numbers(l->m, d, name, &rows, &width);
  return (numbers){x, rows * width};
}

static numbers gradient_of(const cr_live* l, int name) {
  return (numbers){cr_gradient_get(l->ahead.of, name), cr_gradient_count(l->ahead.of, name)};
}

static numbers find(const cr_live* l, cr_live_part part) {
  const cr_shown_motion* s = &l->motion;
  switch (part) {
    case CR_LIVE_START:
      return (numbers){l->start, cr_state_size(l->m, CR_STATE_INTEGRATION)};
    case CR_LIVE_CTRL:
      return field_of(l, l->d, "ctrl");
    case CR_LIVE_PARAMETER:
      return (numbers){l->values, l->nparameter};
    case CR_LIVE_QPOS:
      return field_of(l, l->d, "qpos");
    case CR_LIVE_QVEL:
      return field_of(l, l->d, "qvel");
    case CR_LIVE_POSE:
      return (numbers){s->pose, 7 * s->nbody};
    case CR_LIVE_PATH:
      return (numbers){s->path, 3 * s->npoint};
    case CR_LIVE_LEVEL:
      return (numbers){s->level, s->ntendon};
    case CR_LIVE_CONTACT:
      return (numbers){s->contact, 6 * s->ncontact};
    case CR_LIVE_ENERGY:
      return field_of(l, l->shown, "energy");
    case CR_LIVE_AHEAD:
      return (numbers){l->ahead.ahead, 3 * l->ahead.nahead};
    case CR_LIVE_BY_VELOCITY:
      return gradient_of(l, 0);
    case CR_LIVE_BY_FORCE:
      return gradient_of(l, 1);
    case CR_LIVE_BY_CTRL:
      return (numbers){l->ahead.by_ctrl, cr_model_count(l->m, "nu")};
    case CR_LIVE_BY_PARAMETER:
      return (numbers){l->ahead.by_parameter, l->nparameter};
  }
  return (numbers){0};
}

cr_real* cr_live_numbers(cr_live* l, cr_live_part part) {
  return (cr_real*)(uintptr_t)find(l, part).x;
}

int cr_live_count(const cr_live* l, cr_live_part part) { return find(l, part).n; }

cr_real cr_live_time(const cr_live* l) { return cr_data_time(l->d); }

// ---- the simulation

cr_status cr_live_reset(cr_live* l) {
  cr_live_let_go(l);
  return cr_live_told(l, l->d, cr_state_set(l->m, l->d, l->start, CR_STATE_INTEGRATION));
}

static cr_status put_parameters(cr_live* l, const cr_real* values) {
  const cr_real** each = calloc((size_t)l->nparameter + 1, sizeof *each);
  if (each == NULL) {
    return cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  }
  for (int i = 0; i < l->nparameter; i++) {
    each[i] = &values[i];
  }
  cr_status status = cr_model_set_many(l->m, l->names, each, l->nparameter, &l->error);
  free(each);
  return status == CR_OK ? cr_model_derive(l->m, &l->error) : status;
}

cr_status cr_live_set_parameters(cr_live* l) {
  cr_real* before = calloc((size_t)l->nparameter + 1, sizeof *before);
  if (before == NULL) {
    return cri_fail(&l->error, CR_ERR_MEMORY, "live: no memory");
  }
  cr_status status = CR_OK;
  for (int i = 0; i < l->nparameter && status == CR_OK; i++) {
    status = cr_model_get(l->m, l->names[i], &before[i], 1, &l->error);
  }
  status = status == CR_OK ? put_parameters(l, l->values) : status;
  if (status != CR_OK) {
    cr_error why = l->error;
    (void)put_parameters(l, before);
    memcpy(l->values, before, (size_t)l->nparameter * sizeof *before);
    l->error = why;
  }
  free(before);
  return status;
}

static cr_status pulled_step(cr_live* l) {
  CR_TRY(cr_live_pull(l));
  return cr_live_told(l, l->d, cr_step(l->m, l->d));
}

cr_status cr_live_step(cr_live* l, int n) {
  for (int k = 0; k < n; k++) {
    cr_status status = pulled_step(l);
    while (status == CR_ERR_CAPACITY) {
      CR_TRY(grow(l));
      status = pulled_step(l);
    }
    CR_TRY(status);
    cr_advance(l->m, l->d);
  }
  return CR_OK;
}

// as the next frame of a motion that has none
static cr_status take(cr_live* l) {
  CR_TRY(cr_live_told(l, l->shown, cr_state_copy(l->m, l->d, l->shown, CR_STATE_INTEGRATION)));
  l->motion.nframe = 0;
  return cr_shown_motion_take(&l->motion, l->shown, &l->error);
}

cr_status cr_live_show(cr_live* l) {
  cr_status status = take(l);
  while (status == CR_ERR_CAPACITY) {
    CR_TRY(grow(l));
    status = take(l);
  }
  return status;
}
