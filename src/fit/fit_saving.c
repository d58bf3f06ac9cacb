// SPDX-License-Identifier: Apache-2.0
// A head of eight-byte integers, the state before, the last state, a checksum over all.
#include "fit/fit_saving.h"

#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/status.h"
#include "tools/clock.h"

enum {
  MAGIC,
  VERSION,
  OF,
  PHASE = OF + CR_FIT_OF,
  SPENT,
  STEP_BEFORE,
  SIZE_BEFORE,
  STEP,
  SIZE,
  N_HEAD
};
static const uint64_t magic = UINT64_C(0x6669742d72756e73), version = 2;

static const char* const names[] = {[CR_FIT_OF_MODEL] = "another model or --integrator",
                                    [CR_FIT_OF_BLUEPRINT] = "another --blueprint",
                                    [CR_FIT_OF_DATA] = "other runs",
                                    [CR_FIT_OF_ESTIMATES] = "another --estimate",
                                    [CR_FIT_OF_SETTINGS] = "other settings",
                                    [CR_FIT_OF_SEARCH] = "another --search",
                                    [CR_FIT_OF_RANKS] = "another number of ranks"};

static double seconds_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// ---- writing

static unsigned char* put(unsigned char* at, const void* data, size_t n) {
  if (n > 0) {
    memcpy(at, data, n);
  }
  return at + n;
}

static cr_status write(cr_fit_saving* s, cr_error* error) {
  uint64_t head[N_HEAD] = {[MAGIC] = magic, [VERSION] = version}, sum;
  size_t size = sizeof head + s->before.size + s->last.size + sizeof sum;
  unsigned char *bytes = malloc(size), *at = bytes;
  if (bytes == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", s->path);
  }
  memcpy(&head[OF], s->of, sizeof s->of);
  head[PHASE] = (uint64_t)s->phase;
  head[SPENT] = bits_of(s->spent + cri_seconds() - s->begin);
  head[STEP_BEFORE] = (uint64_t)s->before.step;
  head[SIZE_BEFORE] = s->before.size;
  head[STEP] = (uint64_t)s->last.step;
  head[SIZE] = s->last.size;
  at = put(at, head, sizeof head);
  at = put(at, s->before.bytes, s->before.size);
  at = put(at, s->last.bytes, s->last.size);
  sum = cri_fingerprint(0, bytes, (size_t)(at - bytes));
  (void)put(at, &sum, sizeof sum);
  cr_status status = cri_file_write(s->path, bytes, size, error);
  free(bytes);
  s->written = cri_seconds();
  s->behind = status != CR_OK;
  return status;
}

cr_status cr_fit_saving_begin(cr_fit_saving* s, cr_error* error) { return write(s, error); }

static void drop(cr_fit_state* state) {
  free(state->bytes);
  *state = (cr_fit_state){0};
}

static cr_status copy(const cr_fit_saving* s, cr_fit_state* state, int64_t step, const void* bytes,
                      size_t size, cr_error* error) {
  *state = (cr_fit_state){.step = step, .size = size, .bytes = malloc(size + 1)};
  if (state->bytes == NULL) {
    *state = (cr_fit_state){0};
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", s->path);
  }
  (void)put(state->bytes, bytes, size);
  return CR_OK;
}

cr_status cr_fit_saving_keep(cr_fit_saving* s, cr_fit_phase phase, int64_t step, const void* bytes,
                             size_t size, double interval, cr_error* error) {
  cr_fit_state state;
  CR_TRY(copy(s, &state, step, bytes, size, error));
  drop(&s->before);
  // the last place of many valleys is no use to a search that has left them
  if (phase == s->phase && phase == CR_FIT_GLOBAL) {
    s->before = s->last;
  } else {
    drop(&s->last);
  }
  s->phase = phase;
  s->last = state;
  s->behind = true;
  return cri_seconds() - s->written >= interval ? write(s, error) : CR_OK;
}

cr_status cr_fit_saving_settle(cr_fit_saving* s, cr_error* error) {
  return s->behind ? write(s, error) : CR_OK;
}

// ---- reading

static cr_status damaged(const cr_fit_saving* s, cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT, "%s: the file is damaged", s->path);
}

static cr_status parse(cr_fit_saving* s, const char* bytes, size_t n, cr_error* error) {
  uint64_t head[N_HEAD], sum;
  if (n < sizeof head + sizeof sum) {
    return damaged(s, error);
  }
  memcpy(head, bytes, sizeof head);
  memcpy(&sum, bytes + n - sizeof sum, sizeof sum);
  if (head[MAGIC] != magic || head[VERSION] != version) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: is not a state of a %s of this version", s->path,
                    s->kind);
  }
  size_t room = n - sizeof head - sizeof sum;
  if (sum != cri_fingerprint(0, bytes, n - sizeof sum) || head[SIZE_BEFORE] > room ||
      head[SIZE] != room - head[SIZE_BEFORE] || head[PHASE] > CR_FIT_SOLVE) {
    return damaged(s, error);
  }
  for (int i = 0; i < CR_FIT_OF; i++) {
    if (head[OF + i] != s->of[i]) {
      return cri_fail(error, CR_ERR_ARG,
                      "%s: belongs to a %s with %s; --resume goes on with the same model, runs "
                      "and options only",
                      s->path, s->kind, names[i]);
    }
  }
  s->phase = (cr_fit_phase)head[PHASE];
  s->spent = seconds_of(head[SPENT]);
  const char* at = bytes + sizeof head;
  size_t before = (size_t)head[SIZE_BEFORE];
  CR_TRY(copy(s, &s->before, (int64_t)head[STEP_BEFORE], at, before, error));
  return copy(s, &s->last, (int64_t)head[STEP], at + before, (size_t)head[SIZE], error);
}

cr_status cr_fit_saving_read(cr_fit_saving* s, cr_error* error) {
  char* bytes = NULL;
  size_t n = 0;
  CR_TRY(cri_file_read(s->path, &bytes, &n, error));
  cr_status status = parse(s, bytes, n, error);
  free(bytes);
  s->written = cri_seconds();
  return status;
}

cr_status cr_fit_saving_go_back(cr_fit_saving* s, int64_t step, cr_error* error) {
  if (step == 0) {
    drop(&s->before);
    drop(&s->last);
    s->phase = CR_FIT_BEGUN;
    return CR_OK;
  }
  if (s->last.size > 0 && s->last.step == step) {
    return CR_OK;
  }
  if (s->before.size == 0 || s->before.step != step) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: holds no state after generation %lld, as those of other ranks do", s->path,
                    (long long)step);
  }
  drop(&s->last);
  s->last = s->before;
  s->before = (cr_fit_state){0};
  return CR_OK;
}

void cr_fit_saving_free(cr_fit_saving* s) {
  drop(&s->before);
  drop(&s->last);
}
