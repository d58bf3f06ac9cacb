// SPDX-License-Identifier: Apache-2.0
// Corrections from a file: a blueprint in YAML, or a file with weights. See carom/correction.h.
#include <stdio.h>
#include <stdlib.h>

#include "augment/blueprint_file.h"
#include "augment/correction.h"
#include "carom/fields.h"
#include "model/misuse.h"
#include "tools/config.h"
#include "tools/files.h"

// ---- as libcyaml reads it: texts

typedef struct {
  char *place, *offset, *scale;
} raw_input;

typedef struct {
  char *kind, *width, *activation;
} raw_layer;

typedef struct {
  char *name, *target, *act, *output_scale, *tau, *seed, *random_output, *l2, *lasso, *group_lasso;
  raw_input* inputs;
  unsigned ninputs;
  raw_layer* layers;
  unsigned nlayers;
} raw_correction;

typedef struct {
  raw_correction* corrections;
  unsigned ncorrections;
} raw_top;

#define TEXT(type, key)                                                                \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key, 0, \
                         CYAML_UNLIMITED)

static const cyaml_schema_field_t input_fields[] = {TEXT(raw_input, place), TEXT(raw_input, offset),
                                                    TEXT(raw_input, scale), CYAML_FIELD_END};
static const cyaml_schema_field_t layer_fields[] = {TEXT(raw_layer, kind), TEXT(raw_layer, width),
                                                    TEXT(raw_layer, activation), CYAML_FIELD_END};
static const cyaml_schema_value_t input_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_input, input_fields)};
static const cyaml_schema_value_t layer_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_layer, layer_fields)};
static const cyaml_schema_field_t correction_fields[] = {
    TEXT(raw_correction, name),
    TEXT(raw_correction, target),
    TEXT(raw_correction, act),
    TEXT(raw_correction, output_scale),
    TEXT(raw_correction, tau),
    TEXT(raw_correction, seed),
    TEXT(raw_correction, random_output),
    TEXT(raw_correction, l2),
    TEXT(raw_correction, lasso),
    TEXT(raw_correction, group_lasso),
    CYAML_FIELD_SEQUENCE_COUNT("inputs", CYAML_FLAG_POINTER, raw_correction, inputs, ninputs,
                               &input_item, 1, CR_MAX_CORRECTION_INPUTS),
    CYAML_FIELD_SEQUENCE_COUNT("layers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_correction,
                               layers, nlayers, &layer_item, 0, CR_MAX_CORRECTION_LAYERS),
    CYAML_FIELD_END};
static const cyaml_schema_value_t correction_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_correction, correction_fields)};
enum { MOST = 256 };
static const cyaml_schema_field_t top_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("corrections", CYAML_FLAG_POINTER, raw_top, corrections,
                               ncorrections, &correction_item, 1, MOST),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, raw_top, top_fields)};

// ---- as typed

typedef struct {
  const char* place;
  double offset, scale;
} typed_input;

typedef struct {
  int kind, width, activation;
} typed_layer;

typedef struct {
  const char *name, *target;
  int act, seed;
  double output_scale, tau, l2, lasso, group_lasso;
  bool random_output;
} typed_correction;

#define KEY(section, key, kind, otherwise, low, high, choices, text)                        \
  {                                                                                         \
#key, CR_KEY_##kind, otherwise, low, high, choices, text, offsetof(raw_##section, key), \
        offsetof(typed_##section, key), cr_enum_word                                        \
  }
static const cr_key input_keys[] = {
    KEY(input, place, TEXT, NULL, 0, 0, "", "what it reads, as qvel[hip], time or constant"),
    KEY(input, offset, REAL, "0", -1e300, 1e300, "", "subtracted first"),
    KEY(input, scale, REAL, "1", -1e300, 1e300, "", "factor"),
};
static const cr_key layer_keys[] = {
    KEY(layer, kind, WORD, "dense", CR_LAYER_DENSE, CR_LAYER_LSTM, "layer_kind", "its kind"),
    KEY(layer, width, INT, NULL, 1, 1e6, "", "number of its outputs"),
    KEY(layer, activation, WORD, "tanh", CR_ACTIVATION_IDENTITY, CR_ACTIVATION_SINE, "activation",
        "its activation"),
};
static const cr_key correction_keys[] = {
    KEY(correction, name, TEXT, NULL, 0, 0, "", "letters, digits and _"),
    KEY(correction, target, TEXT, NULL, 0, 0, "", "what it changes, as qfrc_passive[hip]"),
    KEY(correction, act, WORD, "add", CR_CORRECTION_ADD, CR_CORRECTION_BLEND, "correction_act",
        "how it changes the target"),
    KEY(correction, output_scale, REAL, "1", -1e300, 1e300, "", "factor on its outputs"),
    KEY(correction, tau, REAL, "0", 0, 1e300, "", "time constant of its memory"),
    KEY(correction, seed, INT, "0", 0, 2147483647, "", "of the first weights"),
    KEY(correction, random_output, BOOL, "false", 0, 0, "", "also the last layer starts random"),
    KEY(correction, l2, REAL, "0", 0, 1e300, "", "penalty of squares above the first layer"),
    KEY(correction, lasso, REAL, "0", 0, 1e300, "", "penalty of each weight of the inputs"),
    KEY(correction, group_lasso, REAL, "0", 0, 1e300, "", "penalty of all weights of an input"),
};

#define KEYS(table) table, (int)(sizeof(table) / sizeof(table)[0])
static const cr_section sections[] = {
    {"", NULL, 0, 0, false, 0, 0},
    {"corrections", KEYS(correction_keys), offsetof(raw_top, corrections), true,
     sizeof(raw_correction), offsetof(raw_top, ncorrections)},
    {"inputs", KEYS(input_keys), 0, true, 0, 0},
    {"layers", KEYS(layer_keys), 0, true, 0, 0},
};
enum { CORRECTIONS = 1, INPUTS, LAYERS, N_SECTION };
static const cr_config_layout layout = {&schema, sections, N_SECTION};

// ---- to options

typedef struct {
  cr_correction_options o;
  cr_correction_input input[CR_MAX_CORRECTION_INPUTS];
  const cr_correction_input* inputs[CR_MAX_CORRECTION_INPUTS];
  cr_layer layers[CR_MAX_CORRECTION_LAYERS];
} parsed;

static cr_status parse_input(parsed* p, int k, const raw_input* raw, const char* where,
                             cr_error* error) {
  typed_input t;
  CR_TRY(cri_section_parse(&sections[INPUTS], raw, &t, where, error));
  if (t.scale == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: scale: an input times 0 says nothing", where);
  }
  p->input[k] = (cr_correction_input){.size = sizeof p->input[k],
                                      .place = strcmp(t.place, "constant") == 0 ? NULL : t.place,
                                      .offset = (cr_real)t.offset,
                                      .scale = (cr_real)t.scale};
  p->inputs[k] = &p->input[k];
  return CR_OK;
}

static cr_status parse_layer(parsed* p, int k, const raw_layer* raw, const char* where,
                             cr_error* error) {
  typed_layer t;
  CR_TRY(cri_section_parse(&sections[LAYERS], raw, &t, where, error));
  p->layers[k] = (cr_layer){.size = sizeof p->layers[k],
                            .kind = (cr_layer_kind)t.kind,
                            .width = t.width,
                            .activation = (cr_activation)t.activation};
  return CR_OK;
}

static cr_status parse_correction(parsed* p, const raw_correction* raw, int i, const char* path,
                                  cr_error* error) {
  typed_correction t;
  char where[512];
  if (raw->name != NULL) {
    (void)snprintf(where, sizeof where, "%s: correction '%s'", path, raw->name);
  } else {
    (void)snprintf(where, sizeof where, "%s: correction %d", path, i);
  }
  CR_TRY(cri_section_parse(&sections[CORRECTIONS], raw, &t, where, error));
  p->o = (cr_correction_options){.size = sizeof p->o,
                                 .name = t.name,
                                 .target = t.target,
                                 .act = (cr_correction_act)t.act,
                                 .inputs = p->inputs,
                                 .ninput = (int)raw->ninputs,
                                 .layers = p->layers,
                                 .nlayer = (int)raw->nlayers,
                                 .output_scale = (cr_real)t.output_scale,
                                 .tau = (cr_real)t.tau,
                                 .seed = (uint64_t)t.seed,
                                 .random_output = t.random_output,
                                 .l2 = (cr_real)t.l2,
                                 .lasso = (cr_real)t.lasso,
                                 .group_lasso = (cr_real)t.group_lasso};
  if (t.output_scale == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: output_scale: outputs times 0 change nothing",
                    where);
  }
  for (int k = 0; k < p->o.ninput; k++) {
    (void)snprintf(where, sizeof where, "%s: correction '%s': input %d", path, t.name, k);
    CR_TRY(parse_input(p, k, &raw->inputs[k], where, error));
  }
  for (int k = 0; k < p->o.nlayer; k++) {
    (void)snprintf(where, sizeof where, "%s: correction '%s': layer %d", path, t.name, k);
    CR_TRY(parse_layer(p, k, &raw->layers[k], where, error));
  }
  return CR_OK;
}

static cr_status add_parsed(cr_model* m, const raw_top* raw, parsed* list, const char* path,
                            cr_error* error) {
  const int n = (int)raw->ncorrections;
  for (int i = 0; i < n; i++) {
    CR_TRY(parse_correction(&list[i], &raw->corrections[i], i, path, error));
  }
  cr_correction_options* options = calloc(raw->ncorrections, sizeof *options);
  if (options == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  for (int i = 0; i < n; i++) {
    options[i] = list[i].o;
  }
  cr_error inner = {0};
  cr_status status = cri_corrections_add(m, options, n, &inner);
  free(options);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
}

static cr_status read_yaml(cr_model* m, const char* path, cr_error* error) {
  void* raw = NULL;
  CR_TRY(cri_config_read(&raw, &layout, path, error));
  const raw_top* top = raw;
  parsed* list = calloc(top->ncorrections, sizeof *list);
  cr_status status = list != NULL ? add_parsed(m, top, list, path, error)
                                  : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  free(list);
  cri_config_free(raw, &layout);
  return status;
}

cr_status cr_model_read_blueprint(cr_model* m, const char* path, cr_error* error) {
  const cri_call call = {"cr_model_read_blueprint", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, path, "the path"));
  char* data = NULL;
  size_t n = 0;
  CR_TRY(cri_file_read(path, &data, &n, error));
  const unsigned char* bytes = (const unsigned char*)data;
  cr_status status = cri_is_blueprint_file(bytes, n)
                         ? cri_blueprint_file_read(m, bytes, n, path, error)
                         : read_yaml(m, path, error);
  free(data);
  return status;
}
