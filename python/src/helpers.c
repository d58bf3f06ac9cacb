// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"

#include <stdlib.h>
#include <string.h>

// ---- losses that keep arrays

// row of a track after `step` steps
static size_t row(const carom_tracker* t, int step) {
  return (size_t)t->item * (size_t)t->shared->nstep + (size_t)(step - 1);
}

// whether numbers are kept after every step
static bool keeps(const carom_tracking* s) {
  bool kept = s->qpos != NULL || s->qvel != NULL || s->act != NULL;
  for (int i = 0; i < s->ntrack; i++) {
    kept = kept || s->tracks[i].values != NULL;
  }
  return kept;
}

// whether a cotangent of the state after `step` steps is not zero
static bool has_bar(const carom_tracker* t, int step) {
  const carom_tracking* s = t->shared;
  for (int i = 0; i < s->ntrack; i++) {
    const carom_track* track = &s->tracks[i];
    size_t first = row(t, step) * (size_t)track->tangent;
    for (int j = 0; track->bar != NULL && j < track->tangent; j++) {
      if (track->bar[first + (size_t)j] != 0) {
        return true;
      }
    }
  }
  return false;
}

static bool looks_at(const void* context, int step, int nstep) {
  const carom_tracker* t = context;
  const carom_tracking* s = t->shared;
  bool last = step == nstep;
  bool inner = t->inner.looks_at == NULL ? last : t->inner.looks_at(t->inner.context, step, nstep);
  // cotangents that a call sets are not known before it
  return keeps(s) || inner || (s->call != NULL && (last || s->ntrack > 0)) || has_bar(t, step);
}

static bool inner_looks_at(const carom_tracker* t, int step) {
  int nstep = t->shared->nstep;
  return t->inner.looks_at == NULL ? step == nstep
                                   : t->inner.looks_at(t->inner.context, step, nstep);
}

static cr_status keep_state(const carom_tracker* t, const cr_model* m, const cr_data* d, int step) {
  const carom_tracking* s = t->shared;
  double* const to[] = {s->qpos, s->qvel, s->act};
  const int parts[] = {CR_STATE_QPOS, CR_STATE_QVEL, CR_STATE_ACT};
  cr_status status = CR_OK;
  for (int i = 0; i < 3 && status == CR_OK; i++) {
    if (to[i] != NULL) {
      size_t width = (size_t)cr_state_size(m, parts[i]);
      status = cr_state_get(m, d, to[i] + row(t, step) * width, parts[i]);
    }
  }
  return status;
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  carom_tracker* t = context;
  const carom_tracking* s = t->shared;
  cr_status kept = keep_state(t, m, d, step);
  if (kept != CR_OK) {
    return kept;
  }
  for (int i = 0; i < s->ntrack; i++) {
    const carom_track* track = &s->tracks[i];
    if (track->values != NULL) {
      const cr_real* x = cr_data_numbers(m, d, track->field, NULL, NULL);
      if (x == NULL) {
        return CR_ERR_NAME;
      }
      size_t width = (size_t)track->width;
      memcpy(track->values + row(t, step) * width, x, width * sizeof *x);
    }
  }
  if (t->inner.value != NULL && inner_looks_at(t, step)) {
    cr_status status = t->inner.value(t->inner.context, m, d, step, loss);
    if (status != CR_OK) {
      return status;
    }
  }
  if (s->call != NULL && step == s->nstep) {
    double part = 0;
    cr_status status = s->call(s->handle, t->item, t->worker, &part);
    *loss += part;
    return status;
  }
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* bars) {
  carom_tracker* t = context;
  const carom_tracking* s = t->shared;
  for (int i = 0; i < s->ntrack; i++) {
    const carom_track* track = &s->tracks[i];
    if (track->bar != NULL) {
      cr_real* x = cr_data_view(m, bars, track->field, NULL, NULL);
      if (x == NULL) {
        return CR_ERR_NAME;
      }
      const double* add = track->bar + row(t, step) * (size_t)track->tangent;
      for (int j = 0; j < track->tangent; j++) {
        x[j] += add[j];
      }
    }
  }
  if (t->inner.bar != NULL && inner_looks_at(t, step)) {
    return t->inner.bar(t->inner.context, m, d, step, bars);
  }
  return CR_OK;
}

cr_loss carom_tracker_loss(carom_tracker* t) {
  bool inner = t->inner.value != NULL && t->inner.needs_fields;
  return (cr_loss){t, looks_at, value, bar, t->shared->needs_fields || inner};
}

cr_loss carom_batch_tracker_loss(void* trackers, int item, int worker) {
  carom_tracker* t = (carom_tracker*)trackers + worker;
  t->item = item;
  t->worker = worker;
  return carom_tracker_loss(t);
}

// ---- steps

cr_status carom_steps(const cr_model* m, cr_data* d, int n) {
  for (int i = 0; i < n; i++) {
    cr_status status = cr_step(m, d);
    status = status == CR_OK ? cr_advance(m, d) : status;
    if (status != CR_OK) {
      return status;
    }
  }
  return CR_OK;
}

// ---- derivatives of a step, of the dynamics and of inverse dynamics

struct carom_inputs {
  int n;
  double** at;
  size_t* size;
};

void carom_inputs_destroy(carom_inputs* inputs) {
  if (inputs != NULL) {
    free(inputs->at);
    free(inputs->size);
    free(inputs);
  }
}

carom_inputs* carom_inputs_create(const cr_model* m, cr_data* twin) {
  int fields = cr_field_count();
  carom_inputs* inputs = calloc(1, sizeof *inputs);
  if (inputs == NULL) {
    return NULL;
  }
  inputs->at = calloc((size_t)fields, sizeof *inputs->at);
  inputs->size = calloc((size_t)fields, sizeof *inputs->size);
  if (inputs->at == NULL || inputs->size == NULL) {
    carom_inputs_destroy(inputs);
    return NULL;
  }
  for (int i = 0; i < fields; i++) {
    cr_field_info info = {.size = sizeof info};
    int rows = 0, width = 0;
    bool input = cr_field_get(m, i, &info, NULL) == CR_OK &&
                 (info.kind == CR_KIND_STATE || info.kind == CR_KIND_PARAM);
    double* x = input ? cr_data_view(m, twin, info.name, &rows, &width) : NULL;
    if (x != NULL && rows > 0 && width > 0) {
      inputs->at[inputs->n] = x;
      inputs->size[inputs->n++] = (size_t)rows * (size_t)width * sizeof *x;
    }
  }
  return inputs;
}

static void clear(const carom_inputs* inputs) {
  for (int i = 0; i < inputs->n; i++) {
    memset(inputs->at[i], 0, inputs->size[i]);
  }
}

static bool find(const cr_model* m, cr_data* twin, const carom_part* parts, int n, double** at) {
  for (int i = 0; i < n; i++) {
    at[i] = cr_data_view(m, twin, parts[i].field, NULL, NULL);
    if (at[i] == NULL && parts[i].size > 0) {
      return false;
    }
  }
  return true;
}

static void put(const carom_part* parts, int n, double** at, int j) {
  for (int i = 0; i < n; i++) {
    size_t size = (size_t)parts[i].size;
    if (size > 0) {
      memcpy(at[i], parts[i].values + (size_t)j * size, size * sizeof **at);
    }
  }
}

static void take(const carom_part* parts, int n, double** at, int j) {
  for (int i = 0; i < n; i++) {
    size_t size = (size_t)parts[i].size;
    if (size > 0) {
      memcpy(parts[i].values + (size_t)j * size, at[i], size * sizeof **at);
    }
  }
}

static void zero(const carom_part* parts, int n, double** at) {
  for (int i = 0; i < n; i++) {
    if (parts[i].size > 0) {
      memset(at[i], 0, (size_t)parts[i].size * sizeof **at);
    }
  }
}

enum { MOST = 300 };

cr_status carom_jvps(carom_map map, const cr_model* m, const cr_data* d, cr_data* work,
                     cr_data* tan, int k, const carom_part* in, int n_in, const carom_part* out,
                     int n_out) {
  double *from[MOST], *to[MOST];
  if (n_in > MOST || n_out > MOST || !find(m, tan, in, n_in, from) ||
      !find(m, tan, out, n_out, to)) {
    return CR_ERR_NAME;
  }
  cr_status status = CR_OK;
  for (int j = 0; j < k && status == CR_OK; j++) {
    put(in, n_in, from, j);
    status = map == CAROM_STEP      ? cr_step_jvp(m, d, work, tan)
             : map == CAROM_FORWARD ? cr_forward_jvp(m, d, tan)
                                    : cr_inverse_jvp(m, d, tan);
    take(out, n_out, to, j);
  }
  zero(in, n_in, from);
  return status;
}

cr_status carom_vjps(carom_map map, const cr_model* m, const cr_model* m_backward, const cr_data* d,
                     cr_data* work, cr_data* bars, const carom_inputs* inputs, int k,
                     const carom_part* in, int n_in, const carom_part* out, int n_out) {
  double *from[MOST], *to[MOST];
  if (n_in > MOST || n_out > MOST || !find(m, bars, in, n_in, from) ||
      !find(m, bars, out, n_out, to)) {
    return CR_ERR_NAME;
  }
  cr_status status = CR_OK;
  for (int j = 0; j < k && status == CR_OK; j++) {
    clear(inputs);
    zero(out, n_out, to);
    put(in, n_in, from, j);
    status = map == CAROM_STEP      ? cr_step_vjp(m, m_backward, d, work, bars)
             : map == CAROM_FORWARD ? cr_forward_vjp(m, d, bars)
                                    : cr_inverse_vjp(m, d, bars);
    take(out, n_out, to, j);
  }
  zero(in, n_in, from);
  zero(out, n_out, to);
  clear(inputs);
  return status;
}
