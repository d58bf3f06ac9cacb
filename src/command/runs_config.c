// SPDX-License-Identifier: Apache-2.0
#include "command/runs_config.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/config.h"
#include "tools/files.h"

enum { MAX_KEYS = 96, MAX_KEY = 48 };

// a value as read: a list has items, and a text only by --set
typedef struct {
  char* text;
  char** items;
  unsigned n;
} slot;

typedef struct {
  char name[MAX_KEY];
  const cr_option* option;  // NULL: `model`, `runs`
  bool list;
} key;

struct cr_runs_config {
  const char* path;
  char* text;  // of the file, for lines
  const cr_text_list* set;
  key keys[MAX_KEYS];
  int nkey;
  cr_key rows[MAX_KEYS];
  cyaml_schema_field_t fields[MAX_KEYS + 1];
  cyaml_schema_value_t item, schema;
  cr_section section;
  cr_config_layout layout;
  slot* raw;
  char* paths[CR_MAX_LIST];
  int npath;
  char blueprint[CR_MAX_PATH];
};

// ---- keys, from the options of the command

static bool is_key(const char* option) {
  static const char* const not_these[] = {"", "--set", "--data", "--resume", "--force", "--json"};
  for (size_t i = 0; i < sizeof not_these / sizeof not_these[0]; i++) {
    if (strcmp(option, not_these[i]) == 0) {
      return false;
    }
  }
  return true;
}

static void add_key(cr_runs_config* c, const char* name, const cr_option* option, bool list) {
  key* k = &c->keys[c->nkey];
  size_t at = (size_t)c->nkey++ * sizeof(slot);
  (void)snprintf(k->name, sizeof k->name, "%s", name);
  for (char* s = k->name; *s != 0; s++) {
    *s = *s == '-' ? '_' : *s;
  }
  k->option = option;
  k->list = list;
  c->rows[c->nkey - 1] =
      (cr_key){.name = k->name, .kind = CR_KEY_TEXT, .raw = at + offsetof(slot, text)};
  cyaml_schema_field_t* field = &c->fields[c->nkey - 1];
  *field =
      (cyaml_schema_field_t){.key = k->name,
                             .data_offset = (uint32_t)(at + offsetof(slot, text)),
                             .value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                                                          char, 0, CYAML_UNLIMITED)}};
  if (list) {
    *field = (cyaml_schema_field_t){
        .key = k->name,
        .data_offset = (uint32_t)(at + offsetof(slot, items)),
        .count_offset = (uint32_t)(at + offsetof(slot, n)),
        .count_size = sizeof(unsigned),
        .value = {CYAML_VALUE_SEQUENCE(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, char*, &c->item, 0,
                                       CR_MAX_LIST)}};
  }
}

static void make_keys(cr_runs_config* c, const cr_command_line* line) {
  c->item =
      (cyaml_schema_value_t){CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
  add_key(c, "model", NULL, false);
  add_key(c, "runs", NULL, true);
  for (int i = 0; i < line->noption && c->nkey < MAX_KEYS - 1; i++) {
    const cr_option* o = &line->options[i];
    if (is_key(o->name)) {
      add_key(c, o->name + 2, o, o->kind == CR_OPT_LIST);
    }
    if (strcmp(o->name, "--out") == 0) {  // as the other kind of configuration has it
      add_key(c, "output", o, false);
    }
  }
  c->schema = (cyaml_schema_value_t){.type = CYAML_MAPPING,
                                     .flags = CYAML_FLAG_POINTER,
                                     .data_size = (uint32_t)((size_t)c->nkey * sizeof(slot)),
                                     .mapping = {.fields = c->fields}};
  c->section = (cr_section){.name = "", .keys = c->rows, .nkey = c->nkey};
  c->layout = (cr_config_layout){&c->schema, &c->section, 1};
}

// ---- where something stands

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A key and its colon: at the beginning of a line, or behind { or , of a mapping in braces; not in a comment
static const char* find_key(const char* text, const char* name) {
  size_t n = strlen(name);
  bool begins = true;
  for (const char* at = text; *at != 0; at++) {
    const char* word = at + (*at == '"' || *at == '\'');
    if (begins && strncmp(word, name, n) == 0 && word[n + strspn(word + n, " \"'")] == ':') {
      return at;
    }
    if (*at == '#' && (at == text || is_blank(at[-1]) || at[-1] == '\n')) {
      at += strcspn(at, "\n");
      if (*at == 0) {
        return NULL;
      }
    }
    begins = *at == '\n' || *at == '{' || *at == ',' || (begins && is_blank(*at));
  }
  return NULL;
}

// "FILE, line 3" or "--set rate=x"; `item` of a list, or NULL
static void name_place(const cr_runs_config* c, const char* name, const char* item, char* text,
                       size_t size) {
  size_t n = strlen(name);
  for (int i = c->set->n - 1; i >= 0; i--) {
    if (strncmp(c->set->text[i], name, n) == 0 && c->set->text[i][n] == '=') {
      (void)snprintf(text, size, "--set %s", c->set->text[i]);
      return;
    }
  }
  const char* at = find_key(c->text, name);
  const char* inner = at != NULL && item != NULL ? strstr(at, item) : NULL;
  at = inner != NULL ? inner : at;
  int line = 1;
  for (const char* s = c->text; at != NULL && s < at; s++) {
    line += *s == '\n';
  }
  (void)snprintf(text, size, at != NULL ? "%s, line %d" : "%s", c->path, line);
}

static cr_status wrong(const cr_runs_config* c, const char* name, const char* item,
                       cr_status status, const char* what, cr_error* error) {
  char place[CR_MAX_PATH];
  name_place(c, name, item, place, sizeof place);
  return cri_fail(error, status, "%s: %s", place, what);
}

// ---- model and runs

static cr_status add_path(cr_runs_config* c, const char* path, cr_text_list* paths,
                          cr_error* error) {
  for (int i = 1; i < paths->n; i++) {
    if (cri_file_same(paths->text[i], path)) {
      return CR_OK;  // two patterns fit it
    }
  }
  if (c->npath == CR_MAX_LIST) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: runs: more than %d files", c->path, CR_MAX_LIST - 1);
  }
  c->paths[c->npath] = strdup(path);
  if (c->paths[c->npath] == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", c->path);
  }
  paths->text[paths->n++] = c->paths[c->npath++];
  return CR_OK;
}

// a folder may have characters that a pattern gives a meaning
static cr_status make_pattern(char pattern[2 * CR_MAX_PATH], const char* folder, const char* word,
                              cr_error* error) {
  size_t n = 0;
  char joined[CR_MAX_PATH];
  CR_TRY(cri_path_join(joined, folder, word, error));
  size_t literal = strlen(joined) - strlen(word);
  for (size_t i = 0; joined[i] != 0; i++) {
    if (i < literal && strchr("*?[\\", joined[i]) != NULL) {
      pattern[n++] = '\\';
    }
    pattern[n++] = joined[i];
  }
  pattern[n] = 0;
  return CR_OK;
}

static cr_status add_runs(cr_runs_config* c, const char* folder, const char* word,
                          cr_text_list* paths, cr_error* error) {
  char path[CR_MAX_PATH], pattern[2 * CR_MAX_PATH], what[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, folder, word, error));
  if (access(path, F_OK) == 0) {
    return add_path(c, path, paths, error);
  }
  CR_TRY(make_pattern(pattern, folder, word, error));
  glob_t found = {0};
  cr_status status = CR_OK;
  if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0) {
    (void)snprintf(what, sizeof what, "runs: no file fits '%.200s'", word);
    status = wrong(c, "runs", word, CR_ERR_FILE, what, error);
  }
  for (size_t i = 0; i < found.gl_pathc && status == CR_OK; i++) {
    status = add_path(c, found.gl_pathv[i], paths, error);
  }
  globfree(&found);
  return status;
}

static cr_status fill_paths(cr_runs_config* c, cr_text_list* paths, cr_error* error) {
  char folder[CR_MAX_PATH], model[CR_MAX_PATH];
  const slot *m = &c->raw[0], *runs = &c->raw[1];
  CR_TRY(cri_path_folder(folder, c->path, error));
  if (m->text == NULL || m->text[0] == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: 'model' is missing (the model file)", c->path);
  }
  CR_TRY(cri_path_join(model, folder, m->text, error));
  paths->n = 0;
  CR_TRY(add_path(c, model, paths, error));
  if (runs->text != NULL) {
    return add_runs(c, folder, runs->text, paths, error);
  }
  for (unsigned i = 0; i < runs->n; i++) {
    CR_TRY(add_runs(c, folder, runs->items[i], paths, error));
  }
  return CR_OK;
}

// ---- options

static cr_status fill_flag(const cr_option* o, const char* text, cr_error* error) {
  bool* value = o->value;
  *value = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
  bool known = *value || strcmp(text, "false") == 0 || strcmp(text, "no") == 0;
  return known ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT, "%s: '%s' is not true or false", o->name, text);
}

static cr_status fill_one(const cr_runs_config* c, const key* k, const char* text,
                          cr_error* error) {
  cr_option o = *k->option;
  o.name = k->name;
  cr_error inner = {0};
  cr_status status =
      o.kind == CR_OPT_FLAG ? fill_flag(&o, text, &inner) : cr_option_set(&o, text, &inner);
  return status == CR_OK
             ? CR_OK
             : wrong(c, k->name, k->list ? text : NULL, CR_ERR_FORMAT, inner.text, error);
}

// two keys for one folder
static cr_status check_output(const cr_runs_config* c, cr_error* error) {
  int given = 0;
  const char* last = NULL;
  for (int i = 0; i < c->nkey; i++) {
    bool folder = strcmp(c->keys[i].name, "out") == 0 || strcmp(c->keys[i].name, "output") == 0;
    if (folder && c->raw[i].text != NULL) {
      given++;
      last = c->keys[i].name;
    }
  }
  return given < 2
             ? CR_OK
             : wrong(c, last, NULL, CR_ERR_FORMAT,
                     "'out' and 'output' both name the folder of the results; give one", error);
}

// what is read is as seen from the file
static cr_status place_blueprint(cr_runs_config* c, const key* k, cr_error* error) {
  const char** path = k->option->value;
  char folder[CR_MAX_PATH];
  CR_TRY(cri_path_folder(folder, c->path, error));
  CR_TRY(cri_path_join(c->blueprint, folder, *path, error));
  *path = c->blueprint;
  return CR_OK;
}

static cr_status fill_options(cr_runs_config* c, int argc, char** argv, cr_error* error) {
  CR_TRY(check_output(c, error));
  for (int i = 0; i < c->nkey; i++) {
    const key* k = &c->keys[i];
    const slot* s = &c->raw[i];
    if (k->option == NULL || cr_option_given(argc, argv, k->option->name)) {
      continue;
    }
    if (s->text != NULL && s->text[0] != 0) {
      CR_TRY(fill_one(c, k, s->text, error));
      bool blueprint = strcmp(k->option->name, "--blueprint") == 0;
      CR_TRY(blueprint ? place_blueprint(c, k, error) : CR_OK);
    }
    for (unsigned n = 0; n < s->n && s->text == NULL; n++) {
      CR_TRY(fill_one(c, k, s->items[n], error));
    }
  }
  return CR_OK;
}

// ---- what was wrong later

// the value of a key that an error speaks of: the longest that stands in its text
static const char* spoken_of(const slot* s, const char* text) {
  const char* best = s->text != NULL && s->text[0] != 0 && strstr(text, s->text) ? s->text : NULL;
  for (unsigned i = 0; i < s->n && s->text == NULL; i++) {
    const char* item = s->items[i];
    bool longer = best == NULL || strlen(item) > strlen(best);
    best = item[0] != 0 && longer && strstr(text, item) != NULL ? item : best;
  }
  return best;
}

// the part of a value that an error repeats: of "[KIND:]TARGET=START:LOW:HIGH" and "PLACE=SD" what stands before '='
static const char* place_in(const slot* s, const char* text) {
  for (unsigned i = 0; i < s->n && s->text == NULL; i++) {
    char place[256];
    (void)snprintf(place, sizeof place, "%.*s", (int)strcspn(s->items[i], "="), s->items[i]);
    const char* at = place[0] != 0 ? strstr(text, place) : NULL;
    if (at != NULL && (at[strlen(place)] == 0 || strchr(" :,;'", at[strlen(place)]) != NULL)) {
      return s->items[i];
    }
  }
  return NULL;
}

void cr_runs_config_locate(const cr_runs_config* c, int argc, char** argv, cr_error* error) {
  char text[sizeof error->text], said[sizeof error->text];
  (void)snprintf(text, sizeof text, "%s", error->text);
  bool of_words = error->status == CR_ERR_ARG || error->status == CR_ERR_NAME;
  if (c == NULL || c->raw == NULL || !of_words || strstr(text, c->path) != NULL ||
      strstr(text, "--set ")) {
    return;
  }
  // an error that begins with an option says which key it is
  bool option = strncmp(text, "--", 2) == 0;
  for (int i = 0; i < c->nkey; i++) {
    const key* k = &c->keys[i];
    if (k->option == NULL || cr_option_given(argc, argv, k->option->name)) {
      continue;
    }
    size_t n = strlen(k->option->name);
    bool named = option && strncmp(text, k->option->name, n) == 0 && strchr(" :", text[n]) != NULL;
    const char* item = named                ? spoken_of(&c->raw[i], text)
                       : !option && k->list ? place_in(&c->raw[i], text)
                                            : NULL;
    bool given = c->raw[i].text != NULL || c->raw[i].n > 0;
    if (given && (named || item != NULL)) {
      const char* rest = named ? text + n + strspn(text + n, " :") : text;
      (void)snprintf(said, sizeof said, "%s: %.*s", k->name, (int)sizeof said - MAX_KEY - 3, rest);
      (void)wrong(c, k->name, k->list ? item : NULL, error->status, said, error);
      return;
    }
  }
}

// ---- all of it

bool cr_runs_config_is_model(const char* path) {
  static const char* const endings[] = {".xml", ".mjcf", ".urdf", ".crm"};
  size_t n = strlen(path);
  bool is = false;
  for (int i = 0; i < 4; i++) {
    size_t k = strlen(endings[i]);
    is = is || (n > k && strcmp(path + n - k, endings[i]) == 0);
  }
  return is;
}

bool cr_runs_config_is(const char* path) {
  char* text = NULL;
  size_t n = 0;
  bool is = cri_file_read(path, &text, &n, NULL) == CR_OK && find_key(text, "runs") != NULL;
  free(text);
  return is;
}

cr_status cr_runs_config_read(cr_runs_config** config, const char* path,
                              const cr_command_line* line, int argc, char** argv,
                              const cr_text_list* set, cr_text_list* paths, cr_error* error) {
  cr_runs_config* c = calloc(1, sizeof *c);
  *config = c;
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  size_t n = 0;
  void* raw = NULL;
  c->path = path;
  c->set = set;
  make_keys(c, line);
  CR_TRY(cri_file_read(path, &c->text, &n, error));
  CR_TRY(cri_config_read(&raw, &c->layout, path, error));
  c->raw = raw;
  for (int i = 0; i < set->n; i++) {
    CR_TRY(cri_config_set(c->raw, &c->layout, set->text[i], error));
  }
  CR_TRY(fill_paths(c, paths, error));
  return fill_options(c, argc, argv, error);
}

void cr_runs_config_free(cr_runs_config* c) {
  if (c == NULL) {
    return;
  }
  for (int i = 0; i < c->nkey && c->raw != NULL; i++) {
    if (c->keys[i].list) {  // by --set, which the schema does not know
      free(c->raw[i].text);
    }
  }
  if (c->raw != NULL) {
    cri_config_free(c->raw, &c->layout);
  }
  for (int i = 0; i < c->npath; i++) {
    free(c->paths[i]);
  }
  free(c->text);
  free(c);
}
