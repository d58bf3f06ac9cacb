// SPDX-License-Identifier: Apache-2.0
// Reading YAML by tables of keys.
#include "tools/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/nearest.h"
#include "tools/files.h"

// ---- pieces of memory described by offsets

static char** text_at(void* raw, const cr_key* key) {
  return (char**)(void*)((char*)raw + key->raw);
}

static const char* text_of(const void* raw, const cr_key* key) {
  const char* const* at = (const char* const*)(const void*)((const char*)raw + key->raw);
  return *at != NULL && **at != 0 ? *at : NULL;
}

static void* section_at(void* raw, const cr_section* s) { return (char*)raw + s->raw; }

// item i of a sequence
static void* item_at(void* raw, const cr_section* s, unsigned i) {
  char* items;
  memcpy(&items, section_at(raw, s), sizeof items);
  return items + i * s->raw_size;
}

static unsigned count_of(const void* raw, const cr_section* s) {
  unsigned n;
  memcpy(&n, (const char*)raw + s->count, sizeof n);
  return n;
}

// ---- lists for error messages

typedef struct {
  char text[512];
  size_t n;
} list;

static void add(list* l, const char* word, size_t length) {
  int n = snprintf(l->text + l->n, sizeof l->text - l->n, "%s%.*s", l->n > 0 ? ", " : "",
                   (int)length, word);
  l->n = n > 0 && l->n + (size_t)n < sizeof l->text ? l->n + (size_t)n : l->n;
}

static void add_keys(list* l, const cr_section* s) {
  for (int i = 0; i < s->nkey; i++) {
    add(l, s->keys[i].name, strlen(s->keys[i].name));
  }
}

// keys of a section; at the top level the sections too
static list keys_of(const cr_config_layout* layout, const cr_section* s) {
  list l = {{0}, 0};
  add_keys(&l, s);
  for (int i = 0; i < layout->nsection && s->name[0] == 0; i++) {
    const char* name = layout->sections[i].name;
    if (name[0] != 0) {
      add(&l, name, strlen(name));
    }
  }
  return l;
}

// the key that a word most likely means, or all there are, as the end of a sentence
static list keys_near(const cr_config_layout* layout, const cr_section* s, const char* word,
                      size_t length) {
  cri_nearest nearest;
  cri_nearest_begin(&nearest, word, length);
  for (int i = 0; i < s->nkey; i++) {
    cri_nearest_offer(&nearest, s->keys[i].name);
  }
  for (int i = 0; i < layout->nsection && s->name[0] == 0; i++) {
    cri_nearest_offer(&nearest, layout->sections[i].name);
  }
  list l = {{0}, 0}, all = keys_of(layout, s);
  if (nearest.name[0] != 0) {
    add(&l, cri_nearest_hint(&nearest), strlen(cri_nearest_hint(&nearest)));
  } else {
    (void)snprintf(l.text, sizeof l.text, "; known: %.500s", all.text);
  }
  return l;
}

static const cr_section* find_section(const cr_config_layout* layout, const char* name,
                                      size_t length) {
  for (int i = 0; i < layout->nsection; i++) {
    const char* candidate = layout->sections[i].name;
    if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
      return &layout->sections[i];
    }
  }
  return NULL;
}

// ---- reading; libcyaml explains itself line by line to a log function

typedef struct {
  char what[256];  // the first line
  int line;        // the innermost line in its backtrace, 0 none
  char outer[64];  // the outermost mapping field
} complaint;

static void listen(cyaml_log_t level, void* context, const char* format, va_list arguments) {
  complaint* c = context;
  char text[256];
  (void)level;
  (void)cri_print_list(text, sizeof text, format, arguments);
  text[strcspn(text, "\n")] = 0;
  const char* line = strstr(text, "(line: ");
  const char* field = strstr(text, "mapping field '");
  if (c->what[0] == 0) {
    const char* after = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
    (void)snprintf(c->what, sizeof c->what, "%s", after);
  }
  if (line != NULL && c->line == 0) {
    c->line = (int)strtol(line + 7, NULL, 10);
  }
  if (field != NULL) {
    const char* name = field + strlen("mapping field '");
    (void)snprintf(c->outer, sizeof c->outer, "%.*s", (int)strcspn(name, "'"), name);
  }
}

// The line of a key that libcyaml does not know: it names the line of the key before.
static int line_of_key(const char* text, int from, const char* key) {
  size_t length = strlen(key);
  int line = 1;
  for (const char* c = text; *c != 0; c++) {
    line += *c == '\n';
    if (line >= from && strncmp(c, key, length) == 0 &&
        c[length + strspn(c + length, " '\"")] == ':') {
      return line;
    }
  }
  return from;
}

// libcyaml's "Expecting SEQUENCE, got event: SCALAR", in words; NULL for any other complaint
static const char* kind_expected(const char* what) {
  return strncmp(what, "Expecting SEQUENCE", 18) == 0
             ? "a list expected, with '- ' in front of every item"
         : strncmp(what, "Expecting MAPPING", 17) == 0 ? "KEY: VALUE expected"
         : strncmp(what, "Expecting STRING", 16) == 0
             ? "one value expected, not a list or KEY: VALUE"
             : NULL;
}

static cr_status explain(const complaint* c, cyaml_err_t code, const cr_config_layout* layout,
                         const char* path, const char* text, cr_error* error) {
  char line[32] = "";
  const char* key = code == CYAML_ERR_INVALID_KEY ? strrchr(c->what, ' ') : NULL;
  int number = key != NULL ? line_of_key(text, c->line, key + 1) : c->line;
  if (number > 0) {
    (void)snprintf(line, sizeof line, ", line %d", number);
  }
  if (key != NULL) {
    const cr_section* s = find_section(layout, c->outer, strlen(c->outer));
    s = s != NULL ? s : &layout->sections[0];
    return cri_fail(error, CR_ERR_FORMAT, "%s%s: unknown key '%s'%s%s%s", path, line, key + 1,
                    s->name[0] != 0 ? " in " : "", s->name,
                    keys_near(layout, s, key + 1, strlen(key + 1)).text);
  }
  const char* kind = kind_expected(c->what);
  if (kind != NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s%s: %s%s%s", path, line, c->outer,
                    c->outer[0] != 0 ? ": " : "", kind);
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s%s: %s", path, line,
                  c->what[0] != 0 ? c->what : cyaml_strerror(code));
}

cr_status cri_config_read(void** raw, const cr_config_layout* layout, const char* path,
                          cr_error* error) {
  char* text = NULL;
  size_t n = 0;
  complaint c = {.line = 0};
  cyaml_config_t config = {
      .log_fn = listen, .log_ctx = &c, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
  CR_TRY(cri_file_read(path, &text, &n, error));
  if (memchr(text, 0, n) != NULL) {
    bool hdf5 = n > 4 && memcmp(text, "\x89HDF", 4) == 0;
    free(text);
    return cri_fail(error, CR_ERR_FORMAT, "%s: this is %s, not a configuration (YAML)%s", path,
                    hdf5 ? "data (HDF5)" : "not text", hdf5 ? "; give data with --data" : "");
  }
  cyaml_data_t* data = NULL;
  cyaml_err_t code = cyaml_load_data((const uint8_t*)text, n, &config, layout->schema, &data, NULL);
  cr_status status = code == CYAML_OK ? CR_OK : explain(&c, code, layout, path, text, error);
  free(text);
  CR_TRY(status);
  if (data == NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is empty", path);
  }
  *raw = data;
  return CR_OK;
}

void cri_config_free(void* raw, const cr_config_layout* layout) {
  const cyaml_config_t config = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};
  (void)cyaml_free(&config, layout->schema, raw, 0);
}

// ---- --set

static const cr_key* find_key(const cr_section* s, const char* name, size_t length) {
  for (int i = 0; i < s->nkey; i++) {
    if (strlen(s->keys[i].name) == length && strncmp(s->keys[i].name, name, length) == 0) {
      return &s->keys[i];
    }
  }
  return NULL;
}

// the item of a sequence with this name or number, NULL none
static void* find_item(void* raw, const cr_section* s, const char* name, size_t length) {
  char* end;
  long number = strtol(name, &end, 10);
  if (length > 0 && end == name + length) {
    return number >= 0 && number < (long)count_of(raw, s) ? item_at(raw, s, (unsigned)number)
                                                          : NULL;
  }
  for (unsigned i = 0; i < count_of(raw, s); i++) {
    const char* item = text_of(item_at(raw, s, i), &s->keys[0]);
    if (item != NULL && strlen(item) == length && strncmp(item, name, length) == 0) {
      return item_at(raw, s, i);
    }
  }
  return NULL;
}

static list items_of(void* raw, const cr_section* s) {
  list l = {{0}, 0};
  for (unsigned i = 0; i < count_of(raw, s); i++) {
    const char* item = text_of(item_at(raw, s, i), &s->keys[0]);
    add(&l, item != NULL ? item : "?", strlen(item != NULL ? item : "?"));
  }
  return l;
}

static cr_status replace(void* raw, const cr_key* key, const char* value, cr_error* error) {
  char* copy = strdup(value);
  if (copy == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory");
  }
  free(*text_at(raw, key));
  *text_at(raw, key) = copy;
  return CR_OK;
}

static cr_status set_in(const cr_config_layout* layout, const cr_section* s, void* raw,
                        const char* assignment, const char* at, cr_error* error) {
  size_t length = strcspn(at, "=");
  const cr_key* key = find_key(s, at, length);
  if (key == NULL) {
    return cri_fail(error, CR_ERR_NAME, "--set %s: there is no key '%.*s'%s%s%s", assignment,
                    (int)length, at, s->name[0] != 0 ? " in " : "", s->name,
                    keys_near(layout, s, at, length).text);
  }
  return replace(raw, key, at + length + 1, error);
}

cr_status cri_config_set(void* raw, const cr_config_layout* layout, const char* assignment,
                         cr_error* error) {
  const cr_section* top = &layout->sections[0];
  size_t length = strcspn(assignment, ".=");
  if (strchr(assignment, '=') == NULL) {
    return cri_fail(error, CR_ERR_ARG, "--set %s: KEY=VALUE expected", assignment);
  }
  if (assignment[length] == '=') {
    const cr_section* whole = find_section(layout, assignment, length);
    if (whole != NULL && whole != top) {
      return cri_fail(error, CR_ERR_NAME, "--set %s: '%s' is a section; write %s.%sKEY=VALUE",
                      assignment, whole->name, whole->name, whole->sequence ? "ITEM." : "");
    }
    return set_in(layout, top, raw, assignment, assignment, error);
  }
  const cr_section* s = find_section(layout, assignment, length);
  if (s == NULL || s == top) {
    return cri_fail(error, CR_ERR_NAME, "--set %s: there is no section '%.*s'%s", assignment,
                    (int)length, assignment, keys_near(layout, top, assignment, length).text);
  }
  const char* at = assignment + length + 1;
  if (!s->sequence) {
    return set_in(layout, s, section_at(raw, s), assignment, at, error);
  }
  length = strcspn(at, ".=");
  void* item = find_item(raw, s, at, length);
  if (item == NULL || at[length] != '.') {
    return cri_fail(error, CR_ERR_NAME, "--set %s: write %s.ITEM.KEY=VALUE; ITEM is one of: %s",
                    assignment, s->name, items_of(raw, s).text);
  }
  return set_in(layout, s, item, assignment, at + length + 1, error);
}

// ---- texts to values

static cr_status parse_number(const cr_key* key, const char* text, bool limits, const char* where,
                              double* value, cr_error* error) {
  char* end;
  *value = cri_number(text, &end);
  if (end == text || *end != 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s: '%s' is not a number", where, key->name, text);
  }
  if (limits && !(*value >= key->low && *value <= key->high)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s: %s is not between %g and %g", where, key->name,
                    text, key->low, key->high);
  }
  return CR_OK;
}

static cr_status parse_bool(const cr_key* key, const char* text, const char* where, bool* value,
                            cr_error* error) {
  static const char* const yes[] = {"true", "yes", "on", "1"};
  static const char* const no[] = {"false", "no", "off", "0"};
  for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
    if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
      *value = strcmp(text, yes[i]) == 0;
      return CR_OK;
    }
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s: '%s' is not true or false", where, key->name,
                  text);
}

static cr_status parse_choice(const cr_key* key, const char* text, const char* where, int* value,
                              cr_error* error) {
  int i = 0;
  for (const char* word = key->choices; *word != 0; i++) {
    size_t length = strcspn(word, " ");
    if (strlen(text) == length && strncmp(text, word, length) == 0) {
      *value = i;
      return CR_OK;
    }
    word += length + (word[length] == ' ');
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s: '%s' is not one of: %s", where, key->name, text,
                  key->choices);
}

static cr_status parse_word(const cr_key* key, const char* text, const char* where, int* value,
                            cr_error* error) {
  list words = {{0}, 0};
  for (int i = (int)key->low; i <= (int)key->high; i++) {
    const char* word = key->word(key->choices, i);
    if (word != NULL && strcmp(text, word) == 0) {
      *value = i;
      return CR_OK;
    }
    add(&words, word != NULL ? word : "?", strlen(word != NULL ? word : "?"));
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s: '%s' is not one of: %s", where, key->name, text,
                  words.text);
}

static cr_status parse_key(const cr_key* key, const void* raw, void* typed, const char* where,
                           cr_error* error) {
  void* to = (char*)typed + key->typed;
  const char* given = text_of(raw, key);
  const char* text = given != NULL ? given : key->otherwise;
  double number;
  if (text == NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' is missing (%s)", where, key->name, key->text);
  }
  switch (key->kind) {
    case CR_KEY_TEXT:
      *(const char**)to = text;
      return CR_OK;
    case CR_KEY_BOOL:
      return parse_bool(key, text, where, to, error);
    case CR_KEY_CHOICE:
      return parse_choice(key, text, where, to, error);
    case CR_KEY_WORD:
      return parse_word(key, text, where, to, error);
    case CR_KEY_REAL:
      return parse_number(key, text, given != NULL, where, to, error);
    default:
      break;
  }
  CR_TRY(parse_number(key, text, given != NULL, where, &number, error));
  *(int*)to = (int)number;
  if ((double)*(int*)to != number) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s: %s is not a whole number", where, key->name,
                    text);
  }
  return CR_OK;
}

cr_status cri_section_parse(const cr_section* section, const void* raw, void* typed,
                            const char* where, cr_error* error) {
  for (int i = 0; i < section->nkey; i++) {
    CR_TRY(parse_key(&section->keys[i], raw, typed, where, error));
  }
  return CR_OK;
}

bool cri_section_empty(const cr_section* section, const void* raw) {
  for (int i = 0; i < section->nkey; i++) {
    if (text_of(raw, &section->keys[i]) != NULL) {
      return false;
    }
  }
  return true;
}
