// SPDX-License-Identifier: Apache-2.0
#include "xla_calls.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xla_ffi.h"

// ---- maps by number

typedef struct entry {
  struct entry* next;
  int64_t number;
  pid_t process;
  int users;
  const carom_array_map* map;
} entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unused = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static entry* entries;
static int64_t last;

// A fork copies the mutex: nobody may hold it then.
static void hold(void) { (void)pthread_mutex_lock(&mutex); }
static void let_go(void) { (void)pthread_mutex_unlock(&mutex); }
static void stay_usable_after_fork(void) { (void)pthread_atfork(hold, let_go, let_go); }

int64_t carom_map_publish(const carom_array_map* map) {
  entry* e = calloc(1, sizeof *e);
  if (e == NULL) {
    return 0;
  }
  (void)pthread_once(&once, stay_usable_after_fork);
  (void)pthread_mutex_lock(&mutex);
  *e = (entry){.next = entries, .number = ++last, .process = getpid(), .map = map};
  entries = e;
  (void)pthread_mutex_unlock(&mutex);
  return e->number;
}

void carom_map_withdraw(int64_t number) {
  (void)pthread_mutex_lock(&mutex);
  entry** at = &entries;
  while (*at != NULL && (*at)->number != number) {
    at = &(*at)->next;
  }
  entry* e = *at;
  if (e != NULL) {
    *at = e->next;
    while (e->users > 0 && e->process == getpid()) {
      (void)pthread_cond_wait(&unused, &mutex);
    }
  }
  (void)pthread_mutex_unlock(&mutex);
  free(e);
}

// The map of a number, which stays until release().
static entry* find(int64_t number) {
  (void)pthread_mutex_lock(&mutex);
  entry* e = entries;
  while (e != NULL && (e->number != number || e->process != getpid())) {
    e = e->next;
  }
  if (e != NULL) {
    e->users++;
  }
  (void)pthread_mutex_unlock(&mutex);
  return e;
}

static void release(entry* e) {
  (void)pthread_mutex_lock(&mutex);
  e->users--;
  (void)pthread_cond_broadcast(&unused);
  (void)pthread_mutex_unlock(&mutex);
}

// ---- the version

static int version_major = XLA_MAJOR, version_minor = XLA_MINOR;

void carom_xla_newest(int* major, int* minor) {
  *major = XLA_MAJOR;
  *minor = XLA_MINOR;
}

bool carom_xla_knows(int major, int minor) {
  return major == XLA_MAJOR && minor >= 1 && minor <= XLA_MINOR;
}

void carom_xla_set_version(int major, int minor) {
  version_major = major;
  version_minor = minor;
}

// ---- one call

typedef struct {
  const xla_call_frame* frame;
  const carom_array_map* map;
  int n;          // rollouts
  int kind;       // XLA_F32 or XLA_F64
  double* spare;  // room for arrays of single precision in double precision
  double* room;   // where it is allocated
  const double** in;
  double** out;
  char text[600];  // what is wrong
} call;

static bool wrong(call* c, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(c->text, sizeof c->text, format, arguments);
  va_end(arguments);
  return false;
}

static int64_t count(const xla_buffer* b) {
  int64_t n = 1;
  for (int64_t i = 0; i < b->rank; i++) {
    n *= b->dims[i];
  }
  return n;
}

static const xla_buffer* argument(const call* c, int64_t i) { return c->frame->arguments.at[i]; }
static const xla_buffer* result(const call* c, int64_t i) { return c->frame->results.at[i]; }

// Whether XLA's structs are those of xla_ffi.h.
static bool known(call* c) {
  const xla_call_frame* f = c->frame;
  bool same = f->size >= sizeof *f && f->arguments.size == sizeof f->arguments &&
              f->results.size == sizeof f->results && f->attributes.size == sizeof f->attributes;
  for (int64_t i = 0; same && i < f->arguments.n; i++) {
    same = argument(c, i)->size >= sizeof(xla_buffer);
  }
  for (int64_t i = 0; same && i < f->results.n; i++) {
    same = result(c, i)->size >= sizeof(xla_buffer);
  }
  return same ||
         wrong(c, "this version of XLA has another foreign function interface than Carom knows");
}

static bool number_of(call* c, int64_t* number) {
  const xla_attributes* a = &c->frame->attributes;
  if (a->n == 1 && a->types[0] == XLA_ATTRIBUTE_SCALAR) {
    const xla_scalar* scalar = a->at[0];
    if (scalar->type == XLA_S64) {
      memcpy(number, scalar->value, sizeof *number);
      return true;
    }
  }
  return wrong(c, "Carom's functions have one attribute: the number of a map");
}

// The number of rollouts: all leading axes of the first input.
static bool count_rollouts(call* c) {
  const xla_buffer* first = argument(c, 0);
  int64_t n = 1, axes = first->rank - c->map->inputs[0].rank;
  for (int64_t i = 0; i < axes; i++) {
    n *= first->dims[i];
  }
  c->n = (int)n;
  c->kind = first->type;
  bool fits = axes >= 0 && n <= INT32_MAX && (c->kind == XLA_F32 || c->kind == XLA_F64);
  return fits || wrong(c, "%s is no array of rollouts", c->map->inputs[0].name);
}

static bool check_buffer(call* c, const xla_buffer* b, int kind, size_t row, const char* name) {
  bool fits = b->type == kind && (size_t)count(b) == (size_t)c->n * row;
  return fits || wrong(c, "%s has %lld numbers; %zu expected", name, (long long)count(b),
                       (size_t)c->n * row);
}

static const double* numbers_of(call* c, const xla_buffer* b) {
  if (c->kind == XLA_F64) {
    return b->data;
  }
  const float* from = b->data;
  double* to = c->spare;
  int64_t n = count(b);
  for (int64_t i = 0; i < n; i++) {
    to[i] = (double)from[i];
  }
  c->spare += n;
  return to;
}

static double* room(call* c, const xla_buffer* b) {
  if (c->kind == XLA_F64) {
    return b->data;
  }
  double* to = c->spare;
  c->spare += count(b);
  return to;
}

static void give_back(const call* c, const xla_buffer* b, const double* from) {
  float* to = b->data;
  int64_t n = c->kind == XLA_F64 ? 0 : count(b);
  for (int64_t i = 0; i < n; i++) {
    to[i] = (float)from[i];
  }
}

// Arguments from `first` on as numbers of these arrays, and results from `first` on as room for them.
static bool read_all(call* c, int64_t first, const carom_array* arrays, int n, const double** to) {
  for (int i = 0; i < n; i++) {
    const xla_buffer* b = argument(c, first + i);
    if (!check_buffer(c, b, c->kind, (size_t)arrays[i].size, arrays[i].name)) {
      return false;
    }
    to[i] = numbers_of(c, b);
  }
  return true;
}

static bool room_for_all(call* c, int64_t first, const carom_array* arrays, int n, double** to) {
  for (int i = 0; i < n; i++) {
    const xla_buffer* b = result(c, first + i);
    if (!check_buffer(c, b, c->kind, (size_t)arrays[i].size, arrays[i].name)) {
      return false;
    }
    to[i] = room(c, b);
  }
  return true;
}

static void write_all(const call* c, int64_t first, int n, double* const* from) {
  for (int i = 0; i < n; i++) {
    give_back(c, result(c, first + i), from[i]);
  }
}

// What is kept, as numbers; NULL where nothing is.
static bool kept_at(call* c, const xla_buffer* b, double** kept) {
  size_t size = cr_batch_kept_size(c->map->batch) * sizeof(double);
  if (!check_buffer(c, b, XLA_U8, size, "what is kept")) {
    return false;
  }
  *kept = size > 0 ? b->data : NULL;
  return (uintptr_t)b->data % sizeof(double) == 0 || wrong(c, "what is kept is not aligned");
}

static bool counts(call* c, int64_t arguments, int64_t least, int64_t most) {
  int64_t n = c->frame->results.n;
  return (c->frame->arguments.n == arguments && n >= least && n <= most) ||
         wrong(c, "%lld arguments and %lld results", (long long)c->frame->arguments.n,
               (long long)n);
}

static bool ended(call* c, cr_status status, const cr_error* error) {
  return status == CR_OK || wrong(c, "%s", error->text);
}

static bool forward(call* c) {
  const carom_array_map* map = c->map;
  int outputs = map->noutput;
  double* kept = NULL;
  bool good = counts(c, map->ninput, outputs, outputs + 1) &&
              read_all(c, 0, map->inputs, map->ninput, c->in) &&
              room_for_all(c, 0, map->outputs, outputs, c->out) &&
              (c->frame->results.n == outputs || kept_at(c, result(c, outputs), &kept));
  cr_error error = {0};
  good = good && ended(c, carom_map_forward(map, c->n, c->in, c->out, kept, &error), &error);
  if (good) {
    write_all(c, 0, outputs, c->out);
  }
  return good;
}

static bool backward(call* c) {
  const carom_array_map* map = c->map;
  int inputs = map->ninput, outputs = map->noutput;
  double* kept = NULL;
  const double *qpos = NULL, **bars = c->in + inputs;
  bool good = counts(c, inputs + 2 + outputs, inputs, inputs) &&
              read_all(c, 0, map->inputs, inputs, c->in) &&
              read_all(c, inputs, map->outputs, 1, &qpos) &&
              kept_at(c, argument(c, inputs + 1), &kept) &&
              read_all(c, inputs + 2, map->outputs, outputs, bars) &&
              room_for_all(c, 0, map->inputs, inputs, c->out);
  cr_error error = {0};
  good = good &&
         ended(c, carom_map_backward(map, c->n, c->in, qpos, bars, kept, c->out, &error), &error);
  if (good) {
    write_all(c, 0, inputs, c->out);
  }
  return good;
}

static bool cost(call* c) {
  const carom_array_map* map = c->map;
  const carom_array value = {.name = "the loss", .size = 1};
  int inputs = map->ninput, gradients = c->frame->results.n > 1 ? inputs : 0;
  bool good = counts(c, inputs, 1, 1 + inputs) && read_all(c, 0, map->inputs, inputs, c->in) &&
              room_for_all(c, 0, &value, 1, c->out) &&
              room_for_all(c, 1, map->inputs, gradients, c->out + 1);
  cr_error error = {0};
  good = good && ended(c,
                       carom_map_cost(map, c->n, c->in, NULL, c->out[0],
                                      gradients > 0 ? c->out + 1 : NULL, &error),
                       &error);
  if (good) {
    write_all(c, 0, 1 + gradients, c->out);
  }
  return good;
}

// Room for all arrays of a call.
static bool allocate(call* c) {
  const xla_call_frame* f = c->frame;
  size_t numbers = 1;
  for (int64_t i = 0; i < f->arguments.n; i++) {
    numbers += c->kind == XLA_F32 ? (size_t)count(argument(c, i)) : 0;
  }
  for (int64_t i = 0; i < f->results.n; i++) {
    numbers += c->kind == XLA_F32 ? (size_t)count(result(c, i)) : 0;
  }
  c->room = c->spare = malloc(numbers * sizeof *c->room);
  c->in = calloc((size_t)f->arguments.n + 1, sizeof *c->in);
  c->out = calloc((size_t)f->results.n + 1, sizeof *c->out);
  return (c->room != NULL && c->in != NULL && c->out != NULL) || wrong(c, "no memory");
}

static bool answer(call* c, bool (*function)(call*)) {
  int64_t number = 0;
  if (!known(c) || !number_of(c, &number)) {
    return false;
  }
  entry* e = find(number);
  if (e == NULL) {
    return wrong(c, "the model of this compiled function is gone, or the process was forked");
  }
  c->map = e->map;
  bool good = c->frame->arguments.n > 0 ? count_rollouts(c) && allocate(c) && function(c)
                                        : wrong(c, "no argument");
  release(e);
  free(c->room);
  free((void*)c->in);
  free((void*)c->out);
  return good;
}

// Tells XLA the version; false where it did not ask.
static bool tell(const xla_call_frame* frame) {
  const xla_extension* asked = frame->extension;
  if (asked == NULL || asked->type != XLA_EXTENSION_METADATA) {
    return false;
  }
  xla_metadata* metadata = ((const xla_metadata_extension*)(const void*)asked)->metadata;
  metadata->version.major = version_major;
  metadata->version.minor = version_minor;
  metadata->traits = 0;
  return true;
}

static xla_error* handle(const xla_call_frame* frame, bool (*function)(call*)) {
  call c = {.frame = frame};
  if (tell(frame) || answer(&c, function)) {
    return NULL;
  }
  xla_error_arguments error = {
      .size = sizeof error, .message = c.text, .code = XLA_INVALID_ARGUMENT};
  return frame->api->error_create(&error);
}

static xla_error* handle_forward(xla_call_frame* frame) { return handle(frame, forward); }
static xla_error* handle_backward(xla_call_frame* frame) { return handle(frame, backward); }
static xla_error* handle_cost(xla_call_frame* frame) { return handle(frame, cost); }

uintptr_t carom_xla_handler(carom_xla_call which) {
  return which == CAROM_XLA_FORWARD    ? (uintptr_t)handle_forward
         : which == CAROM_XLA_BACKWARD ? (uintptr_t)handle_backward
                                       : (uintptr_t)handle_cost;
}
