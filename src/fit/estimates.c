// SPDX-License-Identifier: Apache-2.0
#include "fit/estimates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/status.h"
#include "carom/fields.h"

typedef struct {
  cr_fit_kind kind;
  char name[432], target[400];  // name: the words without numbers
  bool started, bounded;
  double start, low, high;
} request;

// ---- words

static cr_status wrong(const char* words, const char* why, cr_error* error) {
  return cri_fail(error, CR_ERR_ARG, "--estimate %s: %s", words, why);
}

static cr_status read_numbers(const char* words, const char* at, request* r, cr_error* error) {
  char* end;
  r->start = cri_number(at, &end);
  if (end == at || !isfinite(r->start)) {
    return wrong(words, "a number expected behind '='", error);
  }
  r->started = true;
  if (*end == 0) {
    return CR_OK;
  }
  if (*end == ':') {
    const char* low = end + 1;
    r->low = cri_number(low, &end);
    if (end != low && *end == ':') {
      const char* high = end + 1;
      r->high = cri_number(high, &end);
      r->bounded = end != high && *end == 0;
    }
  }
  if (!r->bounded) {
    return wrong(words, "START or START:LOW:HIGH expected behind '='", error);
  }
  if (!(r->low < r->high)) {
    return wrong(words, "LOW has to be below HIGH", error);
  }
  return r->low <= r->start && r->start <= r->high
             ? CR_OK
             : wrong(words, "the start is not between its bounds", error);
}

static cr_status no_kind(const char* words, const char* kind, cr_error* error) {
  char all[256];
  int n = 0;
  for (int i = 0; cr_enum_word("fit_kind", i) != NULL && n < (int)sizeof all; i++) {
    n += snprintf(all + n, sizeof all - (size_t)n, " %s", cr_enum_word("fit_kind", i));
  }
  return cri_fail(error, CR_ERR_ARG, "--estimate %s: no kind '%s'; there is:%s", words, kind, all);
}

static cr_status read_words(const char* words, request* r, cr_error* error) {
  const char *from = words, *colon = strchr(words, ':'), *equals = strchr(words, '=');
  *r = (request){.kind = CR_FIT_FIELD};
  if (colon != NULL && (equals == NULL || colon < equals) &&
      memchr(words, '[', (size_t)(colon - words)) == NULL) {
    char word[32];
    (void)snprintf(word, sizeof word, "%.*s", (int)(colon - words), words);
    int kind = cr_enum_value("fit_kind", word);
    if (kind < 0) {
      return no_kind(words, word, error);
    }
    r->kind = (cr_fit_kind)kind;
    from = colon + 1;
  }
  size_t length = equals != NULL ? (size_t)(equals - from) : strlen(from);
  if (length == 0 || length >= sizeof r->target) {
    return wrong(words, length == 0 ? "the target is missing" : "the target is too long", error);
  }
  memcpy(r->target, from, length);
  r->target[length] = 0;
  (void)snprintf(r->name, sizeof r->name, "%.*s", (int)(from - words + (ptrdiff_t)length), words);
  return equals != NULL ? read_numbers(words, equals + 1, r, error) : CR_OK;
}

// ---- parameters

// whether a number of the model has to be positive: it is refused below zero
static cr_status find_sign(const cr_model* m, const char* target, double value, bool* positive,
                           cr_error* error) {
  cr_model* copy = NULL;
  cr_real below = value > 0 ? -(cr_real)value : -1;
  CR_TRY(cr_model_copy(&copy, m, error));
  cr_error refusal = {0};
  cr_status status = cr_model_set(copy, target, &below, 1, &refusal);
  *positive = status != CR_OK;
  cr_model_destroy(copy);
  return status == CR_ERR_MEMORY ? cri_fail(error, status, "%s", refusal.text) : CR_OK;
}

static cr_status make_room(cr_estimates* e, cr_error* error) {
  if (e->items == NULL) {
    e->items = calloc(CR_MAX_PARAMETERS, sizeof *e->items);
    e->texts = calloc(2 * CR_MAX_PARAMETERS, sizeof *e->texts);
  }
  if (e->items == NULL || e->texts == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimates: no memory");
  }
  return e->n < CR_MAX_PARAMETERS
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "--estimate: more than %d parameters",
                        (int)CR_MAX_PARAMETERS);
}

static cr_parameter_info* push(cr_estimates* e, cr_fit_kind kind, const char* name,
                               const char* target) {
  char *own_name = e->texts[2 * e->n], *own_target = e->texts[2 * e->n + 1];
  (void)snprintf(own_name, sizeof *e->texts, "%.63s", name);
  (void)snprintf(own_target, sizeof *e->texts, "%s", target);
  cr_parameter_info* item = &e->items[e->n++];
  *item = (cr_parameter_info){.size = sizeof *item,
                              .name = own_name,
                              .target = own_target,
                              .kind = kind,
                              .lower = -(cr_real)INFINITY,
                              .upper = (cr_real)INFINITY};
  return item;
}

// start, bounds and transform of a number that begins at `value` in the model
static void begin(cr_parameter_info* item, const request* r, double value, bool positive) {
  item->start = (cr_real)(r->started ? r->start : value);
  if (positive) {
    item->lower = 0;
    item->transform = item->start > 0 ? CR_TRANSFORM_LOG : CR_TRANSFORM_NONE;
  }
  if (r->bounded) {
    item->lower = (cr_real)r->low;
    item->upper = (cr_real)r->high;
    item->transform = r->low > 0 || (r->low == 0 && positive && item->start > 0)
                          ? CR_TRANSFORM_LOG
                          : CR_TRANSFORM_NONE;
  }
}

static cr_status number_of(const cr_model* m, const char* words, const char* target, double* value,
                           cr_error* error) {
  cr_real x;
  cr_error inner;
  cr_status status = cr_model_get(m, target, &x, 1, &inner);
  *value = status == CR_OK ? (double)x : 0;
  return status == CR_OK ? CR_OK : cri_fail(error, status, "--estimate %s: %s", words, inner.text);
}

static cr_status expand(const cr_model* m, const char* words, const char* target,
                        cr_parameter_target** names, int* n, cr_error* error) {
  cr_error inner = {0};
  *names = calloc(CR_MAX_PARAMETERS, sizeof **names);
  if (*names == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimates: no memory");
  }
  cr_status status = cr_parameter_expand(m, target, *names, CR_MAX_PARAMETERS, n, &inner);
  if (status != CR_OK || *n > CR_MAX_PARAMETERS) {
    free(*names);
    return status != CR_OK ? cri_fail(error, status, "--estimate %s: %s", words, inner.text)
                           : wrong(words, "more numbers than parameters there may be", error);
  }
  return CR_OK;
}

// numbers that may not change one by one
static bool has_unit_length(const char* target) {
  size_t n = strcspn(target, "[");
  return (n == 8 && strncmp(target, "jnt_axis", n) == 0) ||
         (n > 5 && strncmp(target + n - 5, "_quat", 5) == 0);
}

static cr_status check_sign(const char* words, const request* r, bool positive, cr_error* error) {
  if (positive && r->started && r->start < 0) {
    return wrong(words, "this number may not be negative", error);
  }
  return positive && r->bounded && r->low < 0
             ? wrong(words, "this number may not be negative: LOW of 0 or more expected", error)
             : CR_OK;
}

static cr_status add_each(cr_estimates* e, const cr_model* m, const char* words, const request* r,
                          cr_error* error) {
  cr_parameter_target* names;
  int n;
  if (has_unit_length(r->target)) {
    return cri_fail(error, CR_ERR_ARG,
                    "--estimate %s: its numbers together have unit length; write direction:%.*s",
                    words, (int)(strcspn(r->target, "]") + 1), r->target);
  }
  CR_TRY(expand(m, words, r->target, &names, &n, error));
  cr_status status = CR_OK;
  for (int i = 0; i < n && status == CR_OK; i++) {
    double value;
    status = number_of(m, words, names[i].text, &value, error);
    status = status == CR_OK ? make_room(e, error) : status;
    bool positive = false;
    status = status == CR_OK ? find_sign(m, names[i].text, value, &positive, error) : status;
    status = status == CR_OK ? check_sign(words, r, positive, error) : status;
    if (status == CR_OK) {
      begin(push(e, CR_FIT_FIELD, names[i].text, names[i].text), r, value, positive);
    }
  }
  free(names);
  return status;
}

static cr_status add_tied(cr_estimates* e, const cr_model* m, const char* words, const request* r,
                          cr_error* error) {
  cr_parameter_target* names;
  int n;
  double value = 0;
  CR_TRY(expand(m, words, r->target, &names, &n, error));
  cr_status status = number_of(m, words, names[0].text, &value, error);
  bool positive = false;
  status = status == CR_OK ? find_sign(m, names[0].text, value, &positive, error) : status;
  free(names);
  CR_TRY(status);
  CR_TRY(check_sign(words, r, positive, error));
  begin(push(e, CR_FIT_TIED, r->name, r->target), r, value, positive);
  return CR_OK;
}

cr_status cr_estimates_add(cr_estimates* e, const cr_model* m, const char* words, cr_error* error) {
  request r;
  CR_TRY(read_words(words, &r, error));
  CR_TRY(make_room(e, error));
  bool factor = r.kind == CR_FIT_SCALE || r.kind == CR_FIT_DENSITY || r.kind == CR_FIT_SHAPE ||
                r.kind == CR_FIT_BOX_SIDE;
  CR_TRY(check_sign(words, &r, factor, error));
  switch (r.kind) {
    case CR_FIT_FIELD:
      return add_each(e, m, words, &r, error);
    case CR_FIT_TIED:
      return add_tied(e, m, words, &r, error);
    case CR_FIT_SCALE:
    case CR_FIT_DENSITY:
      begin(push(e, r.kind, r.name, r.target), &r, 1, true);
      return CR_OK;
    case CR_FIT_SHAPE: {
      double value;
      CR_TRY(number_of(m, words, r.target, &value, error));
      begin(push(e, r.kind, r.name, r.target), &r, value, true);
      return CR_OK;
    }
    case CR_FIT_BOX_SIDE: {
      char size[512];
      double value;
      (void)snprintf(size, sizeof size, "geom_size[%.400s][0]", r.target);
      CR_TRY(number_of(m, words, size, &value, error));
      begin(push(e, r.kind, r.name, r.target), &r, 2 * value, true);
      return CR_OK;
    }
    default:
      begin(push(e, r.kind, r.name, r.target), &r, 0, false);
      return CR_OK;
  }
}

void cr_estimates_free(cr_estimates* e) {
  free(e->items);
  free(e->texts);
  *e = (cr_estimates){0};
}
