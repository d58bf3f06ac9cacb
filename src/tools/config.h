// SPDX-License-Identifier: Apache-2.0
// Configurations in YAML, through libcyaml. A section of a configuration is a table of keys: its
// schema, its typed struct, defaults, limits, --set and the list of keys in error messages come from
// that one table. libcyaml reads every value as text into a struct of pointers; the values are
// turned into numbers here, so that "5x" is refused and a missing key is told from a zero.
#ifndef CR_TOOLS_CONFIG_H
#define CR_TOOLS_CONFIG_H

#include <cyaml/cyaml.h>

#include "base/status.h"

typedef enum {
  CR_KEY_REAL,
  CR_KEY_INT,
  CR_KEY_BOOL,
  CR_KEY_TEXT,
  CR_KEY_CHOICE,  // one of a list of words; the value is its index
  CR_KEY_WORD     // the word of one of the values low to high
} cr_key_kind;

typedef struct {
  const char* name;
  cr_key_kind kind;
  const char* otherwise;  // default value of the key; NULL: it must be given
  double low, high;       // limits of a number
  const char* choices;    // CHOICE: words, separated by spaces; WORD: what `word` is asked for
  const char* text;       // meaning, for error messages and the manual
  size_t raw;             // offset of the text (char*) in the section as read
  size_t typed;           // offset in the typed section: double, int, bool, const char*, int
  const char* (*word)(const char* choices, int value);  // WORD: NULL for a value without a word
} cr_key;

/// A row of a table of keys, with the comma behind it: `key` is a member of `raw_type`, as text, and of `type`.
#define CR_KEY(raw_type, type, key, kind, otherwise, low, high, choices, text)     \
  {#key, CR_KEY_##kind,           otherwise,           low,         high, choices, \
   text, offsetof(raw_type, key), offsetof(type, key), cr_enum_word},

/// A section of the configuration: a mapping, or a sequence of mappings named by their
/// first key.
typedef struct {
  const char* name;  // "" for the top level
  const cr_key* keys;
  int nkey;
  size_t raw;     // offset in the configuration as read
  bool sequence;  // at `raw` lies a pointer to items of raw_size, their number at `count`
  size_t raw_size;
  size_t count;
} cr_section;

typedef struct {
  const cyaml_schema_value_t* schema;
  const cr_section* sections;
  int nsection;
} cr_config_layout;

/// Reads a file into a new raw configuration; free it with cri_config_free.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT with file, line and key, and the existing keys
cr_status cri_config_read(void** raw, const cr_config_layout* layout, const char* path,
                          cr_error* error);

void cri_config_free(void* raw, const cr_config_layout* layout);

/// Changes one value: "data.stride=2", or in a sequence "parameters.side.start=0.06" with the item's
/// name or number. CR_ERR_NAME if there is no such key, with the existing ones.
cr_status cri_config_set(void* raw, const cr_config_layout* layout, const char* assignment,
                         cr_error* error);

/// Turns the texts of a section (one item of a sequence) into typed values; `where` begins every
/// error: "cube_side.yaml: parameters.side". CR_ERR_FORMAT naming key and value.
cr_status cri_section_parse(const cr_section* section, const void* raw, void* typed,
                            const char* where, cr_error* error);

/// True if no key of a section is given.
bool cri_section_empty(const cr_section* section, const void* raw);

#endif
