// SPDX-License-Identifier: Apache-2.0
// Targets: cut into words, each word into one place or, where its first bracket has a star, into one for each row or
// object that fits. Names of single places are resolved by model/names.h alone.
#include "parameter/parameter_target.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_WORD = 768 };

typedef struct {
  cr_place* list;
  int n, room;
} places;

static cr_status add(places* to, const cr_model* m, const char* name, cr_error* error) {
  if (to->n == to->room) {
    int room = to->room > 0 ? 2 * to->room : 8;
    cr_place* list = realloc(to->list, (size_t)room * sizeof *list);
    if (list == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "'%s': no memory", name);
    }
    to->list = list;
    to->room = room;
  }
  CR_TRY(cri_place_find(&to->list[to->n], m, name, error));
  to->n++;
  return CR_OK;
}

// ---- patterns

// field[star]rest
typedef struct {
  const char* field;
  int nfield;
  const char* star;
  int nstar;
  const char* rest;
} pattern;

// all rows; the world does not move, and no row of it is meant
static cr_status add_rows(places* to, const cr_model* m, const pattern* p, cr_field_id id,
                          cr_error* error) {
  char name[MAX_WORD];
  const int first = strcmp(cri_field(id)->rows, "nbody") == 0 ? 1 : 0;
  if (p->rest[0] == 0 && first == 0) {
    (void)snprintf(name, sizeof name, "%.*s", p->nfield, p->field);
    return add(to, m, name, error);
  }
  for (int row = first; row < cri_field_rows(m, NULL, id); row++) {
    (void)snprintf(name, sizeof name, "%.*s[%d]%s", p->nfield, p->field, row, p->rest);
    CR_TRY(add(to, m, name, error));
  }
  return CR_OK;
}

static cr_status add_named(places* to, const cr_model* m, const pattern* p, cr_field_id id,
                           cr_error* error) {
  const cri_object_kind kind = cri_object_naming(cri_field(id)->rows);
  const int before = to->n;
  char name[MAX_WORD];
  for (int i = 0; i < cri_object_count(m, kind); i++) {
    const char* object = cri_object_name(m, kind, i);
    if (object != NULL && object[0] != 0 && cri_name_fits(p->star, (size_t)p->nstar, object)) {
      int n = snprintf(name, sizeof name, "%.*s[%s]%s", p->nfield, p->field, object, p->rest);
      if (n >= (int)sizeof name) {
        return cri_fail(error, CR_ERR_NAME, "'%.60s': the name is too long", object);
      }
      CR_TRY(add(to, m, name, error));
    }
  }
  return to->n > before ? CR_OK
                        : cri_fail(error, CR_ERR_NAME, "'%.*s[%.*s]%s': no name fits", p->nfield,
                                   p->field, p->nstar, p->star, p->rest);
}

static cr_status add_word(places* to, const cr_model* m, const char* word, cr_error* error) {
  const char* open = strchr(word, '[');
  const char* close = open != NULL ? strchr(open, ']') : NULL;
  const char* star = open != NULL ? strchr(open, '*') : NULL;
  if (close == NULL || star == NULL || star > close) {
    return add(to, m, word, error);
  }
  char field[64] = "";
  const pattern p = {word, (int)(open - word), open + 1, (int)(close - open - 1), close + 1};
  if (p.nfield < (int)sizeof field) {
    (void)snprintf(field, sizeof field, "%.*s", p.nfield, p.field);
  }
  const cr_field_id id = cri_field_find(field);
  if (id == CR_N_FIELD || !cri_field_of_model(id)) {
    return cri_fail(error, CR_ERR_NAME, "'%s': there is no field '%.*s' of the model", word,
                    p.nfield, p.field);
  }
  return p.nstar == 1 ? add_rows(to, m, &p, id, error) : add_named(to, m, &p, id, error);
}

// ---- words

static bool separates(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n'; }

// the length of the word at the start of a text; blanks and commas inside brackets belong to it
static size_t word_length(const char* text) {
  size_t n = 0;
  for (int depth = 0; text[n] != 0 && (depth > 0 || !separates(text[n])); n++) {
    depth += (text[n] == '[') - (text[n] == ']');
  }
  return n;
}

cr_status cri_target_find(const cr_model* m, const char* target, cr_place** list, int* n,
                          cr_error* error) {
  places to = {0};
  cr_status status = CR_OK;
  for (const char* c = target; *c != 0 && status == CR_OK;) {
    char word[MAX_WORD];
    size_t length = word_length(c);
    if (length == 0) {
      c++;
      continue;
    }
    if (length >= sizeof word) {
      status = cri_fail(error, CR_ERR_NAME, "'%.60s...': the name is too long", c);
      break;
    }
    memcpy(word, c, length);
    word[length] = 0;
    status = add_word(&to, m, word, error);
    c += length;
  }
  if (status == CR_OK && to.n == 0) {
    status = cri_fail(error, CR_ERR_NAME, "'%s' names nothing", target);
  }
  if (status != CR_OK) {
    free(to.list);
    return status;
  }
  *list = to.list;
  *n = to.n;
  return CR_OK;
}

// ---- names of numbers

static bool resolves(const cr_model* m, const char* name, cr_field_id field, int i) {
  cr_place place;
  return cri_place_find(&place, m, name, NULL) == CR_OK && place.field == field &&
         place.first == i && place.count == 1;
}

// by the name of the object that the row belongs to
static bool name_by_object(const cr_model* m, cr_field_id field, int row, int part, char* text,
                           size_t size) {
  const cr_field* f = cri_field(field);
  const cri_object_kind kind = cri_object_naming(f->rows);
  const int width = cri_field_width(m, field);
  for (int i = 0; i < cri_object_count(m, kind); i++) {
    const char* name = cri_object_name(m, kind, i);
    int first, count, n;
    cri_object_rows(m, f->rows, i, &first, &count);
    if (row < first || row >= first + count || name == NULL || name[0] == 0) {
      continue;
    }
    if (width > 1) {
      n = snprintf(text, size, "%s[%s][%d]", f->name, name, part);
    } else if (count > 1) {
      n = snprintf(text, size, "%s[%s][%d]", f->name, name, row - first);
    } else {
      n = snprintf(text, size, "%s[%s]", f->name, name);
    }
    return n < (int)size && strpbrk(name, "*]") == NULL &&
           resolves(m, text, field, row * width + part);
  }
  return false;
}

void cri_target_name(const cr_model* m, cr_field_id field, int i, char* text, size_t size) {
  const cr_field* f = cri_field(field);
  const int width = cri_field_width(m, field), row = i / width, part = i % width;
  const bool whole_model = strcmp(f->rows, "none") == 0;
  if (!whole_model && name_by_object(m, field, row, part, text, size)) {
    return;
  }
  char rest[32] = "";
  if (width > 1) {
    (void)snprintf(rest, sizeof rest, "[%d]", part);
  }
  if (whole_model) {
    (void)snprintf(text, size, "%s%s", f->name, rest);
  } else {
    (void)snprintf(text, size, "%s[%d]%s", f->name, row, rest);
  }
}

int cri_target_object(const cr_model* m, cri_object_kind kind, const char* text) {
  int id = cri_object_find(m, kind, text, strlen(text));
  if (id < 0 && text[0] != 0 && strlen(text) < 9 && text[strspn(text, "0123456789")] == 0) {
    id = (int)strtol(text, NULL, 10);
    id = cri_object_is(m, kind, id) ? id : -1;
  }
  return id;
}
