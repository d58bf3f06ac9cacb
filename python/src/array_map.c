// SPDX-License-Identifier: Apache-2.0
#include "array_map.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the lock of a batch

struct carom_lock {
  pthread_mutex_t mutex;
};

carom_lock* carom_lock_create(void) {
  carom_lock* lock = malloc(sizeof *lock);
  if (lock != NULL && pthread_mutex_init(&lock->mutex, NULL) != 0) {
    free(lock);
    return NULL;
  }
  return lock;
}

void carom_lock_destroy(carom_lock* lock) {
  if (lock != NULL) {
    (void)pthread_mutex_destroy(&lock->mutex);
    free(lock);
  }
}

void carom_lock_take(carom_lock* lock) { (void)pthread_mutex_lock(&lock->mutex); }
void carom_lock_give(carom_lock* lock) { (void)pthread_mutex_unlock(&lock->mutex); }

// ---- memory and errors of one call

typedef struct {
  const carom_array_map* map;
  int n;
  void* blocks;  // each begins with the pointer to the one before
  cr_error* error;
} call;

static void* take(call* c, size_t bytes) {
  double* block = malloc(sizeof(double) * 2 + bytes);
  if (block == NULL) {
    return NULL;
  }
  memcpy(block, &c->blocks, sizeof c->blocks);
  c->blocks = block;
  return block + 2;
}

static double* numbers(call* c, int row) {
  return take(c, (size_t)c->n * (size_t)row * sizeof(double));
}

static void end(call* c) {
  while (c->blocks != NULL) {
    void* before = NULL;
    memcpy(&before, c->blocks, sizeof before);
    free(c->blocks);
    c->blocks = before;
  }
}

static cr_status fail(const call* c, cr_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  c->error->status = status;
  (void)vsnprintf(c->error->text, sizeof c->error->text, format, arguments);
  va_end(arguments);
  return status;
}

static cr_status no_memory(const call* c) {
  return fail(c, CR_ERR_MEMORY, "no memory for %d rollouts of %d steps", c->n, c->map->nstep);
}

// ---- quaternions

static double length(const double* q) {
  return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// The three derivatives of q (0, w) by w, times two.
static void columns(const double* q, double column[3][4]) {
  const double of[3][4] = {
      {-q[1], q[0], q[3], -q[2]}, {-q[2], -q[3], q[0], q[1]}, {-q[3], q[2], -q[1], q[0]}};
  memcpy(column, of, sizeof of);
}

// Cotangent of the tangent w of a unit quaternion from that of its numbers: dq = q (0, w) / 2.
static void quaternion_tangent(double* to, const double* q, const double* bar) {
  double column[3][4];
  columns(q, column);
  for (int i = 0; i < 3; i++) {
    const double* x = column[i];
    to[i] = 0.5 * (bar[0] * x[0] + bar[1] * x[1] + bar[2] * x[2] + bar[3] * x[3]);
  }
}

// The gradient by the numbers of q, of a function that scales q to length one, from that by its tangent.
static void quaternion_gradient(double* to, const double* q, const double* tangent) {
  double column[3][4];
  columns(q, column);
  double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  for (int k = 0; k < 4; k++) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += tangent[i] * column[i][k];
    }
    to[k] = 2 * sum / square;
  }
}

// ---- inputs

static bool is(const carom_array* array, const char* name) {
  return strcmp(array->name, name) == 0;
}

static cr_status normalise(const call* c, const carom_array* array, double* q, int row, int first) {
  double l = length(q);
  if (!(l > 0) || !isfinite(l)) {
    return fail(c, CR_ERR_ARG, "%s[%d] to %s[%d] of rollout %d: the quaternion has length %g",
                array->name, first, array->name, first + 3, row, l);
  }
  for (int k = 0; k < 4; k++) {
    q[k] /= l;
  }
  return CR_OK;
}

// An input with quaternions of length one: itself where there are none.
static cr_status clean(call* c, const carom_array* array, const double* in, const double** out) {
  const carom_array_map* map = c->map;
  bool qpos = is(array, "qpos");
  int n = qpos ? map->nquaternion : array->quaternions ? array->size / 4 : 0;
  *out = in;
  if (n == 0) {
    return CR_OK;
  }
  double* copy = numbers(c, array->size);
  if (copy == NULL) {
    return no_memory(c);
  }
  memcpy(copy, in, (size_t)c->n * (size_t)array->size * sizeof *copy);
  *out = copy;
  for (int row = 0; row < c->n; row++) {
    for (int i = 0; i < n; i++) {
      int first = qpos ? map->quaternion[2 * (size_t)i] : 4 * i;
      double* q = copy + (size_t)row * (size_t)array->size + first;
      cr_status status = normalise(c, array, q, row, first);
      if (status != CR_OK) {
        return status;
      }
    }
  }
  return CR_OK;
}

// Where a named row of the batch's input or output is; NULL for a parameter.
static const double** input_row(cr_batch_input* in, const carom_array* array) {
  return is(array, "qpos")   ? &in->qpos
         : is(array, "qvel") ? &in->qvel
         : is(array, "act")  ? &in->act
         : is(array, "ctrl") ? &in->ctrl
                             : NULL;
}

static double** gradient_row(cr_batch_output* out, const carom_array* array) {
  return is(array, "qpos")   ? &out->qpos_bar
         : is(array, "qvel") ? &out->qvel_bar
         : is(array, "act")  ? &out->act_bar
         : is(array, "ctrl") ? &out->ctrl_bar
                             : NULL;
}

static cr_status set_inputs(call* c, const double* const* in, cr_batch_input* input) {
  const carom_array_map* map = c->map;
  const double** parameters = take(c, ((size_t)map->nparameter + 1) * sizeof *parameters);
  if (parameters == NULL) {
    return no_memory(c);
  }
  input->parameters = map->nparameter > 0 ? (const double* const*)parameters : NULL;
  for (int i = 0; i < map->ninput; i++) {
    const double* values = NULL;
    cr_status status = clean(c, &map->inputs[i], in[i], &values);
    if (status != CR_OK) {
      return status;
    }
    const double** row = input_row(input, &map->inputs[i]);
    *(row != NULL ? row : parameters++) = values;
  }
  return CR_OK;
}

// ---- gradients

// Whether the batch has another gradient of an array than the map: by the tangent of quaternions.
static bool converts(const carom_array* array) { return is(array, "qpos") || array->quaternions; }

static int tangent_size(const carom_array_map* map, const carom_array* array) {
  return is(array, "qpos") ? map->nv : array->quaternions ? array->size / 4 * 3 : array->size;
}

static cr_status set_gradients(call* c, double* const* gradients, cr_batch_output* output,
                               double** found) {
  const carom_array_map* map = c->map;
  double** parameters = take(c, ((size_t)map->nparameter + 1) * sizeof *parameters);
  if (parameters == NULL) {
    return no_memory(c);
  }
  output->parameters_bar = map->nparameter > 0 ? parameters : NULL;
  for (int i = 0; i < map->ninput; i++) {
    const carom_array* array = &map->inputs[i];
    bool own = gradients[i] != NULL && converts(array);
    found[i] = own ? numbers(c, tangent_size(map, array)) : gradients[i];
    if (own && found[i] == NULL) {
      return no_memory(c);
    }
    double** row = gradient_row(output, array);
    *(row != NULL ? row : parameters++) = found[i];
  }
  return CR_OK;
}

static void convert_qpos(const call* c, const double* qpos, const double* tangent, double* to) {
  const carom_array_map* map = c->map;
  for (int row = 0; row < c->n; row++, qpos += map->nq, to += map->nq, tangent += map->nv) {
    for (int i = 0; i < map->nplain; i++) {
      const int* pair = map->plain + 2 * (size_t)i;
      to[pair[0]] = tangent[pair[1]];
    }
    for (int i = 0; i < map->nquaternion; i++) {
      const int* pair = map->quaternion + 2 * (size_t)i;
      quaternion_gradient(to + pair[0], qpos + pair[0], tangent + pair[1]);
    }
  }
}

static void convert_gradients(const call* c, const double* const* in, double* const* found,
                              double* const* gradients) {
  const carom_array_map* map = c->map;
  for (int i = 0; i < map->ninput; i++) {
    const carom_array* array = &map->inputs[i];
    if (gradients[i] == NULL || !converts(array)) {
      continue;
    }
    if (is(array, "qpos")) {
      convert_qpos(c, in[i], found[i], gradients[i]);
    } else {
      size_t n = (size_t)c->n * (size_t)array->size / 4;
      for (size_t k = 0; k < n; k++) {
        quaternion_gradient(gradients[i] + 4 * k, in[i] + 4 * k, found[i] + 3 * k);
      }
    }
  }
}

// ---- what the rollouts keep and what is added to their cotangents

// The tangent's cotangents of the output qpos.
static void qpos_bars(const call* c, const double* qpos, const double* bar, double* to) {
  const carom_array_map* map = c->map;
  size_t rows = (size_t)c->n * (size_t)map->nstep;
  for (size_t row = 0; row < rows; row++, qpos += map->nq, bar += map->nq, to += map->nv) {
    for (int i = 0; i < map->nplain; i++) {
      const int* pair = map->plain + 2 * (size_t)i;
      to[pair[1]] = bar[pair[0]];
    }
    for (int i = 0; i < map->nquaternion; i++) {
      const int* pair = map->quaternion + 2 * (size_t)i;
      quaternion_tangent(to + pair[1], qpos + pair[0], bar + pair[0]);
    }
  }
}

static cr_status track_bars(call* c, const double* qpos, const double* const* bars,
                            carom_tracking* tracking) {
  const carom_array_map* map = c->map;
  for (int i = 0; i < map->noutput; i++) {
    const carom_array* array = &map->outputs[i];
    if (bars[i] == NULL || array->tangent == 0) {
      continue;
    }
    const double* bar = bars[i];
    if (i == 0 && map->nquaternion > 0) {
      double* tangent = numbers(c, array->tangent);
      if (tangent == NULL) {
        return no_memory(c);
      }
      qpos_bars(c, qpos, bar, tangent);
      bar = tangent;
    }
    tracking->needs_fields = tracking->needs_fields || array->computed;
    tracking->tracks[tracking->ntrack++] =
        (carom_track){.field = array->name, .tangent = array->tangent / map->nstep, .bar = bar};
  }
  return CR_OK;
}

// States after every step are copied from the run where it stores them, otherwise as they pass.
static void track_outputs(const call* c, double* const* out, carom_tracking* tracking,
                          cr_batch_output* output) {
  const carom_array_map* map = c->map;
  bool stored = cr_batch_kept_size(map->batch) > 0;
  *(stored ? &output->qpos_path : &tracking->qpos) = out[0];
  *(stored ? &output->qvel_path : &tracking->qvel) = out[1];
  *(stored ? &output->act_path : &tracking->act) = out[2];
  for (int i = 3; i < map->noutput; i++) {
    const carom_array* array = &map->outputs[i];
    tracking->needs_fields = tracking->needs_fields || array->computed;
    tracking->tracks[tracking->ntrack++] =
        (carom_track){.field = array->name, .width = array->size / map->nstep, .values = out[i]};
  }
}

static carom_tracker* trackers(call* c, carom_tracking* tracking) {
  const carom_array_map* map = c->map;
  int workers = cr_batch_threads(map->batch);
  tracking->nstep = map->nstep;
  tracking->tracks = take(c, ((size_t)map->noutput + 1) * sizeof *tracking->tracks);
  carom_tracker* found = take(c, ((size_t)workers + 1) * sizeof *found);
  for (int i = 0; found != NULL && i < workers; i++) {
    found[i] = (carom_tracker){.shared = tracking, .worker = i};
    if (map->losses != NULL) {
      found[i].inner = map->losses[i];
    }
  }
  return tracking->tracks == NULL ? NULL : found;
}

// ---- the calls

static cr_status run(call* c, const double* const* in, cr_batch_input* input,
                     carom_tracker* tracker, cr_batch_output* output) {
  cr_status status = set_inputs(c, in, input);
  if (status == CR_OK) {
    carom_lock_take(c->map->lock);
    status = cr_batch_run(c->map->batch, c->n, input, carom_batch_tracker_loss, tracker, output,
                          c->error);
    carom_lock_give(c->map->lock);
  }
  return status;
}

static cr_status run_gradients(call* c, const double* const* in, cr_batch_input* input,
                               carom_tracker* tracker, cr_batch_output* output,
                               double* const* gradients) {
  double** found = take(c, ((size_t)c->map->ninput + 1) * sizeof *found);
  cr_status status = found == NULL ? no_memory(c) : set_gradients(c, gradients, output, found);
  status = status == CR_OK ? run(c, in, input, tracker, output) : status;
  if (status == CR_OK) {
    convert_gradients(c, in, found, gradients);
  }
  return status;
}

cr_status carom_map_forward(const carom_array_map* map, int n, const double* const* in,
                            double* const* out, double* kept, cr_error* error) {
  call c = {map, n, NULL, error};
  carom_tracking tracking = {0};
  carom_tracker* tracker = trackers(&c, &tracking);
  cr_status status = tracker == NULL ? no_memory(&c) : CR_OK;
  if (status == CR_OK) {
    cr_batch_input input = {.size = sizeof input};
    cr_batch_output output = {.size = sizeof output, .kept = kept};
    track_outputs(&c, out, &tracking, &output);
    status = run(&c, in, &input, tracker, &output);
  }
  end(&c);
  return status;
}

cr_status carom_map_backward(const carom_array_map* map, int n, const double* const* in,
                             const double* qpos, const double* const* bars, const double* kept,
                             double* const* gradients, cr_error* error) {
  call c = {map, n, NULL, error};
  carom_tracking tracking = {0};
  carom_tracker* tracker = trackers(&c, &tracking);
  cr_status status = tracker == NULL ? no_memory(&c) : track_bars(&c, qpos, bars, &tracking);
  if (status == CR_OK) {
    cr_batch_input input = {.size = sizeof input, .kept = kept};
    cr_batch_output output = {.size = sizeof output};
    status = run_gradients(&c, in, &input, tracker, &output, gradients);
  }
  end(&c);
  return status;
}

cr_status carom_map_cost(const carom_array_map* map, int n, const double* const* in,
                         carom_tracker* given, double* values, double* const* gradients,
                         cr_error* error) {
  call c = {map, n, NULL, error};
  carom_tracking tracking = {0};
  carom_tracker* tracker = given != NULL ? given : trackers(&c, &tracking);
  cr_status status = tracker == NULL ? no_memory(&c) : CR_OK;
  if (status == CR_OK) {
    cr_batch_input input = {.size = sizeof input};
    cr_batch_output output = {.size = sizeof output, .loss = values};
    status = gradients == NULL ? run(&c, in, &input, tracker, &output)
                               : run_gradients(&c, in, &input, tracker, &output, gradients);
  }
  end(&c);
  return status;
}
