// SPDX-License-Identifier: Apache-2.0
// Pressure fields in MJCF: custom texts named pressure:GEOM.

#include "base/locale.h"
#include "carom/contact.h"
#include "io/mujoco.h"

#define PREFIX "pressure:"
enum { MOST_TEXT = 255 };

static bool is_key(const char* word, const char* key, const char** number) {
  size_t n = strlen(key);
  *number = word + n + 1;
  return strncmp(word, key, n) == 0 && word[n] == '=';
}

// the number of a word, all of it
static bool read_number(const char* text, double* x) {
  char* end;
  *x = cri_number(text, &end);
  return end != text && *end == 0;
}

static cr_status read_word(const char* name, const char* word, cr_pressure_options* o,
                           cr_error* error) {
  const struct {
    const char* key;
    cr_real* to;
  } keys[] = {{"modulus", &o->modulus},
              {"dissipation", &o->dissipation},
              {"transition", &o->transition},
              {"thickness", &o->thickness}};
  const char* number;
  double x;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (is_key(word, keys[i].key, &number) && read_number(number, &x)) {
      *keys[i].to = (cr_real)x;
      return CR_OK;
    }
  }
  if (is_key(word, "around", &number) && read_number(number, &x) && x >= 1 && x <= 1000) {
    o->around = (int)x;
    return (double)o->around == x
               ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT,
                          "custom text '%s': around is %g, a whole number expected", name, x);
  }
  return cri_fail(error, CR_ERR_FORMAT,
                  "custom text '%s': '%s', but modulus=, dissipation=, transition=, thickness= or "
                  "around= with a number expected",
                  name, word);
}

static cr_status read_text(cr_model* m, const char* name, const char* data, cr_error* error) {
  const int geom = cr_model_id(m, "geom", name + strlen(PREFIX));
  char text[MOST_TEXT + 1], *rest = text;
  cr_pressure_options o = {.size = sizeof o};
  if (geom < 0) {
    return cri_fail(error, CR_ERR_NAME, "custom text '%s': there is no geom '%s'", name,
                    name + strlen(PREFIX));
  }
  if (strlen(data) > MOST_TEXT) {
    return cri_fail(error, CR_ERR_FORMAT, "custom text '%s': more than %d characters", name,
                    MOST_TEXT);
  }
  memcpy(text, data, strlen(data) + 1);
  for (char* word; (word = strtok_r(rest, " \t\n", &rest)) != NULL;) {
    if (o.kind == NULL) {
      o.kind = word;
    } else {
      CR_TRY(read_word(name, word, &o, error));
    }
  }
  if (o.kind == NULL) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "custom text '%s': empty, 'compliant' or 'rigid' expected", name);
  }
  return cr_model_set_pressure(m, geom, &o, error);
}

cr_status cri_pressure_texts(cr_model* m, const mjModel* mj, cr_error* error) {
  for (int i = 0; i < mj->ntext; i++) {
    const char* name = mj->names + mj->name_textadr[i];
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0) {
      CR_TRY(read_text(m, name, mj->text_data + mj->text_adr[i], error));
    }
  }
  return CR_OK;
}
