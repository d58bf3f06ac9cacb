// SPDX-License-Identifier: Apache-2.0
// The configuration of `carom fit`, from the lists of fit/fit_keys.h.
#include "fit/fit_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/status.h"
#include "carom/fields.h"
#include "tools/config.h"

enum { MAX_NAME = 64 };  // characters of a name and 0; twice as many of what it stands for

// ---- the configuration as read: every value is a text

#define RAW_MEMBER(section, key, kind, otherwise, low, high, choices, text) char* key;
typedef struct {
  CR_FIT_KEYS_DATA(RAW_MEMBER)
} raw_data;
typedef struct {
  CR_FIT_KEYS_MADE(RAW_MEMBER)
} raw_made;
typedef struct {
  CR_FIT_KEYS_LOSS(RAW_MEMBER)
} raw_loss;
typedef struct {
  CR_FIT_KEYS_CFD(RAW_MEMBER)
} raw_cfd;
typedef struct {
  CR_FIT_KEYS_PARAMETERS(RAW_MEMBER)
} raw_parameters;
typedef struct {
  CR_FIT_KEYS_OPTIMISERS(RAW_MEMBER)
} raw_optimisers;
typedef struct {
  CR_FIT_KEYS_TOP(RAW_MEMBER)
  raw_data data;
  raw_made made;
  raw_loss loss;
  raw_cfd cfd;
  raw_parameters* parameters;
  unsigned nparameters;
  raw_optimisers* optimisers;
  unsigned noptimisers;
} raw_top;

// ---- libcyaml's schema

#define SCHEMA(section, key, kind, otherwise, low, high, choices, text)                         \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_##section, key, 0, \
                         CYAML_UNLIMITED),

static const cyaml_schema_field_t data_fields[] = {CR_FIT_KEYS_DATA(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t made_fields[] = {CR_FIT_KEYS_MADE(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t loss_fields[] = {CR_FIT_KEYS_LOSS(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t cfd_fields[] = {CR_FIT_KEYS_CFD(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t parameter_fields[] = {CR_FIT_KEYS_PARAMETERS(SCHEMA)
                                                            CYAML_FIELD_END};
static const cyaml_schema_field_t optimiser_fields[] = {CR_FIT_KEYS_OPTIMISERS(SCHEMA)
                                                            CYAML_FIELD_END};
static const cyaml_schema_value_t parameter_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_parameters, parameter_fields)};
static const cyaml_schema_value_t optimiser_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_optimisers, optimiser_fields)};

static const cyaml_schema_field_t top_fields[] = {
    CR_FIT_KEYS_TOP(SCHEMA)
        CYAML_FIELD_MAPPING("data", CYAML_FLAG_OPTIONAL, raw_top, data, data_fields),
    CYAML_FIELD_MAPPING("made", CYAML_FLAG_OPTIONAL, raw_top, made, made_fields),
    CYAML_FIELD_MAPPING("loss", CYAML_FLAG_OPTIONAL, raw_top, loss, loss_fields),
    CYAML_FIELD_MAPPING("cfd", CYAML_FLAG_OPTIONAL, raw_top, cfd, cfd_fields),
    CYAML_FIELD_SEQUENCE_COUNT("parameters", CYAML_FLAG_POINTER, raw_top, parameters, nparameters,
                               &parameter_item, 1, CR_MAX_PARAMETERS),
    CYAML_FIELD_SEQUENCE_COUNT("optimisers", CYAML_FLAG_POINTER, raw_top, optimisers, noptimisers,
                               &optimiser_item, 1, CR_FIT_STAGES),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, raw_top, top_fields)};

// ---- Carom's tables of keys

#define KEY(type, section, ...) CR_KEY(raw_##section, type, __VA_ARGS__)
#define TOP(...) KEY(cr_fit_top, __VA_ARGS__)
#define DATA(...) KEY(cr_fit_data, __VA_ARGS__)
#define MADE(...) KEY(cr_fit_made, __VA_ARGS__)
#define LOSS(...) KEY(cr_fit_loss, __VA_ARGS__)
#define CFD(...) KEY(cr_fit_cfd, __VA_ARGS__)
#define PARAMETER(...) KEY(cr_fit_parameter, __VA_ARGS__)
#define OPTIMISER(...) KEY(cr_fit_optimiser, __VA_ARGS__)

static const cr_key top_keys[] = {CR_FIT_KEYS_TOP(TOP)};
static const cr_key data_keys[] = {CR_FIT_KEYS_DATA(DATA)};
static const cr_key made_keys[] = {CR_FIT_KEYS_MADE(MADE)};
static const cr_key loss_keys[] = {CR_FIT_KEYS_LOSS(LOSS)};
static const cr_key cfd_keys[] = {CR_FIT_KEYS_CFD(CFD)};
static const cr_key parameter_keys[] = {CR_FIT_KEYS_PARAMETERS(PARAMETER)};
static const cr_key optimiser_keys[] = {CR_FIT_KEYS_OPTIMISERS(OPTIMISER)};

#define KEYS(table) table, (int)(sizeof(table) / sizeof(table)[0])
enum { SECTION_TOP, DATA_, MADE_, LOSS_, CFD_, PARAMETERS_, OPTIMISERS_, N_SECTION };
static const cr_section sections[] = {
    {"", KEYS(top_keys), 0, false, 0, 0},
    {"data", KEYS(data_keys), offsetof(raw_top, data), false, 0, 0},
    {"made", KEYS(made_keys), offsetof(raw_top, made), false, 0, 0},
    {"loss", KEYS(loss_keys), offsetof(raw_top, loss), false, 0, 0},
    {"cfd", KEYS(cfd_keys), offsetof(raw_top, cfd), false, 0, 0},
    {"parameters", KEYS(parameter_keys), offsetof(raw_top, parameters), true,
     sizeof(raw_parameters), offsetof(raw_top, nparameters)},
    {"optimisers", KEYS(optimiser_keys), offsetof(raw_top, optimisers), true,
     sizeof(raw_optimisers), offsetof(raw_top, noptimisers)},
};
static const cr_config_layout layout = {&schema, sections, N_SECTION};

// ---- reading

static cr_status parse_items(cr_fit_config* c, const raw_top* raw, const char* path,
                             cr_error* error) {
  char where[256];
  c->nparameter = (int)raw->nparameters;
  c->nstage = (int)raw->noptimisers;
  for (int i = 0; i < c->nparameter; i++) {
    const char* name = raw->parameters[i].name;
    (void)snprintf(where, sizeof where, "%s: parameters.%s", path, name != NULL ? name : "?");
    CR_TRY(cri_section_parse(&sections[PARAMETERS_], &raw->parameters[i], &c->parameters[i], where,
                             error));
  }
  for (int i = 0; i < c->nstage; i++) {
    (void)snprintf(where, sizeof where, "%s: optimisers.%d", path, i);
    CR_TRY(cri_section_parse(&sections[OPTIMISERS_], &raw->optimisers[i], &c->stages[i], where,
                             error));
    if (isnan(c->stages[i].final_rate)) {
      c->stages[i].final_rate = c->stages[i].rate;
    }
    if ((c->stages[i].estimator != CR_NO_ESTIMATOR) != (c->stages[i].sigma > 0)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: an estimator and a sigma above 0 go together",
                      where);
    }
  }
  return CR_OK;
}

static cr_status parse(cr_fit_config* c, const raw_top* raw, const char* path, cr_error* error) {
  const struct {
    int section;
    const void* raw;
    void* typed;
  } rows[] = {
      {SECTION_TOP, raw, &c->top},   {DATA_, &raw->data, &c->data}, {MADE_, &raw->made, &c->made},
      {LOSS_, &raw->loss, &c->loss}, {CFD_, &raw->cfd, &c->cfd},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const cr_section* s = &sections[rows[i].section];
    char where[256];
    (void)snprintf(where, sizeof where, "%s%s%s", path, s->name[0] != 0 ? ": " : "", s->name);
    CR_TRY(cri_section_parse(s, rows[i].raw, rows[i].typed, where, error));
  }
  if (cri_section_empty(&sections[CFD_], &raw->cfd)) {
    c->cfd.use = false;
  }
  return parse_items(c, raw, path, error);
}

// checks that involve several keys
static cr_status check(const cr_fit_config* c, const char* path, cr_error* error) {
  const cr_fit_loss* w = &c->loss;
  if (!(w->position + w->rotation + w->velocity + w->spin > 0)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: loss: all weights are zero", path);
  }
  for (int i = 0; i < c->nparameter; i++) {
    const cr_fit_parameter* p = &c->parameters[i];
    bool side = p->kind == CR_FIT_BOX_SIDE;
    if ((side ? p->geom : p->field)[0] == 0) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: parameters.%s: '%s' is missing", path, p->name,
                      side ? "geom" : "field");
    }
    if (strlen(p->name) >= MAX_NAME || strlen(side ? p->geom : p->field) >= 2 * MAX_NAME ||
        p->name[strspn(p->name,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")]) {
      return cri_fail(error, CR_ERR_FORMAT,
                      "%s: parameters.%.40s: a name is up to %d letters, digits and _", path,
                      p->name, MAX_NAME - 1);
    }
  }
  return CR_OK;
}

cr_status cr_fit_config_read(cr_fit_config* config, const char* path, const char* const* set, int n,
                             cr_error* error) {
  void* raw = NULL;
  *config = (cr_fit_config){0};
  CR_TRY(cri_config_read(&raw, &layout, path, error));
  config->raw = raw;
  cr_status status = CR_OK;
  for (int i = 0; i < n && status == CR_OK; i++) {
    status = cri_config_set(raw, &layout, set[i], error);
  }
  status = status == CR_OK ? parse(config, raw, path, error) : status;
  status = status == CR_OK ? check(config, path, error) : status;
  if (status != CR_OK) {
    cr_fit_config_free(config);
  }
  return status;
}

void cr_fit_config_free(cr_fit_config* config) {
  if (config->raw != NULL) {
    cri_config_free(config->raw, &layout);
  }
  *config = (cr_fit_config){0};
}

// ---- as the library takes it

void cr_fit_config_parameters(const cr_fit_config* config, cr_parameter_info* items) {
  for (int i = 0; i < config->nparameter; i++) {
    const cr_fit_parameter* p = &config->parameters[i];
    items[i] = (cr_parameter_info){.size = sizeof items[i],
                                   .name = p->name,
                                   .target = p->kind == CR_FIT_BOX_SIDE ? p->geom : p->field,
                                   .kind = (cr_fit_kind)p->kind,
                                   .transform = (cr_transform)p->transform,
                                   .start = p->start,
                                   .lower = p->lower,
                                   .upper = p->upper};
  }
}

// ---- as text

typedef struct {
  char* text;
  size_t n, capacity;
} buffer;

static void print_key(buffer* b, const char* section, const cr_key* key, const void* typed) {
  const void* at = (const char*)typed + key->typed;
  char value[64] = "";
  switch (key->kind) {
    case CR_KEY_TEXT:
      break;
    case CR_KEY_REAL:
      (void)cri_print(value, sizeof value, "%a", *(const double*)at);
      break;
    case CR_KEY_BOOL:
      (void)snprintf(value, sizeof value, "%d", *(const bool*)at);
      break;
    default:
      (void)snprintf(value, sizeof value, "%d", *(const int*)at);
      break;
  }
  const char* text = key->kind == CR_KEY_TEXT ? *(const char* const*)at : value;
  int n = snprintf(b->text + b->n, b->capacity - b->n, "%s.%s=%s\n", section, key->name, text);
  b->n = n > 0 && b->n + (size_t)n < b->capacity ? b->n + (size_t)n : b->capacity;
}

static bool decides(const char* key) {
  static const char* const not_these[] = {"output", "file", "model", "iterations", "listed"};
  for (size_t i = 0; i < sizeof not_these / sizeof not_these[0]; i++) {
    if (strcmp(key, not_these[i]) == 0) {
      return false;
    }
  }
  return true;
}

static void print_section(buffer* b, int section, const void* typed) {
  for (int i = 0; i < sections[section].nkey; i++) {
    if (decides(sections[section].keys[i].name)) {
      print_key(b, sections[section].name, &sections[section].keys[i], typed);
    }
  }
}

char* cr_fit_config_text(const cr_fit_config* c) {
  enum { ROOM = 1 << 22 };  // CR_MAX_PARAMETERS with the longest names take half
  buffer b = {malloc(ROOM), 0, ROOM};
  if (b.text == NULL) {
    return NULL;
  }
  b.text[0] = 0;
  print_section(&b, SECTION_TOP, &c->top);
  print_section(&b, DATA_, &c->data);
  print_section(&b, MADE_, &c->made);
  print_section(&b, LOSS_, &c->loss);
  print_section(&b, CFD_, &c->cfd);
  for (int i = 0; i < c->nparameter; i++) {
    print_section(&b, PARAMETERS_, &c->parameters[i]);
  }
  for (int i = 0; i < c->nstage; i++) {
    print_section(&b, OPTIMISERS_, &c->stages[i]);
  }
  return b.text;
}
