// SPDX-License-Identifier: Apache-2.0
// The options of a model: the table's rows, and their checks.
#include "model/model_options.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "model/added_contact.h"

// ---- words, the only list of each

static const cri_word integrators[] = {
#define CR_INTEGRATOR(id, word) {word, CR_INT_##id},
#define CR_METHOD(id, word, name, n, order, embedded, last_is_first) {word, CR_INT_##id},
#include "model/integrator_table.h"
    {NULL, 0}};
static const cri_word cones[] = {
    {"pyramidal", CR_CONE_PYRAMIDAL}, {"elliptic", CR_CONE_ELLIPTIC}, {NULL, 0}};
static const cri_word collisions[] = {{"hard", CR_COLLISION_HARD},
                                      {"soft", CR_COLLISION_SOFT},
                                      {"smooth", CR_COLLISION_SMOOTH},
                                      {NULL, 0}};
static const cri_word contact_models[] = {{"convex", CR_CONTACT_CONVEX},
                                          {"hunt_crossley", CR_CONTACT_HUNT_CROSSLEY},
                                          {"ncp", CR_CONTACT_NCP},
                                          {NULL, 0}};
static const cri_word friction_laws[] = {{"coulomb", CR_FRICTION_COULOMB},
                                         {"andersson", CR_FRICTION_ANDERSSON},
                                         {"hollars", CR_FRICTION_HOLLARS},
                                         {"brown", CR_FRICTION_BROWN},
                                         {NULL, 0}};
static const cri_word switches[] = {{"off", 0}, {"on", 1}, {NULL, 0}};
// of MJCF's <flag>; a set bit switches off
static const cri_word disables[] = {{"constraint", CR_DSBL_CONSTRAINT},
                                    {"equality", CR_DSBL_EQUALITY},
                                    {"frictionloss", CR_DSBL_FRICTIONLOSS},
                                    {"limit", CR_DSBL_LIMIT},
                                    {"contact", CR_DSBL_CONTACT},
                                    {"spring", CR_DSBL_SPRING},
                                    {"damper", CR_DSBL_DAMPER},
                                    {"gravity", CR_DSBL_GRAVITY},
                                    {"clampctrl", CR_DSBL_CLAMPCTRL},
                                    {"warmstart", CR_DSBL_WARMSTART},
                                    {"filterparent", CR_DSBL_FILTERPARENT},
                                    {"actuation", CR_DSBL_ACTUATION},
                                    {"refsafe", CR_DSBL_REFSAFE},
                                    {"sensor", CR_DSBL_SENSOR},
                                    {"midphase", CR_DSBL_MIDPHASE},
                                    {"eulerdamp", CR_DSBL_EULERDAMP},
                                    {"autoreset", 1 << 16},
                                    {"nativeccd", 1 << 17},
                                    {"island", 1 << 18},
                                    {"multiccd", CR_DSBL_MULTICCD},
                                    {NULL, 0}};
// a set bit switches on
static const cri_word enables[] = {{"override", CR_ENBL_OVERRIDE},
                                   {"energy", 1 << 1},
                                   {"fwdinv", 1 << 2},
                                   {"invdiscrete", CR_ENBL_INVDISCRETE},
                                   {"diagexact", CR_ENBL_DIAGEXACT},
                                   {NULL, 0}};

// ---- rows

static const cri_option table[] = {
#define ANY CRI_OPTION_REAL, -CR_MAX, CR_MAX, NULL, false
#define POSITIVE CRI_OPTION_REAL, (cr_real)DBL_TRUE_MIN, CR_MAX, NULL, false
#define BETWEEN(low, high) CRI_OPTION_REAL, low, high, NULL, false
#define COUNTED CRI_OPTION_INTEGER, 0, INT32_MAX, NULL, false
#define BITS CRI_OPTION_INTEGER, INT32_MIN, INT32_MAX, NULL, false
#define CHOICE(words) CRI_OPTION_CHOICE, INT32_MIN, INT32_MAX, words, false
#define CHOICE_OR_ADDED(words) CRI_OPTION_CHOICE, INT32_MIN, INT32_MAX, words, true
#define FLAGS(words) CRI_OPTION_FLAGS, INT32_MIN, INT32_MAX, words, false
#define CR_OPT_I(name, range, text) {#name, "-", text, offsetof(cr_model, name), range},
#define CR_OPT_R(name, range, unit, text) {#name, unit, text, offsetof(cr_model, name), range},
#include "model/model_fields.h"
};

const cri_option* cri_option_row(int i) {
  assert(i >= 0 && i < CRI_N_OPTION);
  return &table[i];
}

const cri_option* cri_option_find(const char* name) {
  for (int i = 0; i < CRI_N_OPTION; i++) {
    if (strcmp(table[i].name, name) == 0) {
      return &table[i];
    }
  }
  return NULL;
}

const char* cri_option_word(const cri_option* o, int32_t value) {
  for (const cri_word* w = o->words; w != NULL && w->name != NULL; w++) {
    if (w->value == value) {
      return w->name;
    }
  }
  return "";
}

static int nadded(const cr_model* m, const cri_option* o) {
  return o->added ? cri_nadded_contact(m) : 0;
}

const char* cri_choice_word(const cr_model* m, const cri_option* o, int32_t value) {
  bool added = value >= CR_CONTACT_ADDED && value - CR_CONTACT_ADDED < nadded(m, o);
  return added ? m->contacts->model[value - CR_CONTACT_ADDED].name : cri_option_word(o, value);
}

cr_real cri_option_get(const cr_model* m, const cri_option* o) {
  const char* at = (const char*)m + o->offset;
  int32_t integer = 0;
  cr_real real = 0;
  if (o->kind == CRI_OPTION_REAL) {
    memcpy(&real, at, sizeof real);
    return real;
  }
  memcpy(&integer, at, sizeof integer);
  return (cr_real)integer;
}

void cri_option_put(cr_model* m, const cri_option* o, cr_real value) {
  char* at = (char*)m + o->offset;
  int32_t integer = o->kind == CRI_OPTION_REAL ? 0 : (int32_t)value;
  if (o->kind == CRI_OPTION_REAL) {
    memcpy(at, &value, sizeof value);
  } else {
    memcpy(at, &integer, sizeof integer);
  }
}

// ---- checks

static bool has_words(const cr_model* m, const cri_option* o, int32_t value) {
  int32_t known = 0;
  for (const cri_word* w = o->words; w->name != NULL; w++) {
    known |= w->value;
  }
  return o->kind == CRI_OPTION_FLAGS ? (value & ~known) == 0 : *cri_choice_word(m, o, value) != 0;
}

static cr_status check_option(const cr_model* m, const cri_option* o, cr_error* error) {
  cr_real value = cri_option_get(m, o);
  double shown = (double)value;
  if (!isfinite(value)) {
    return cri_fail(error, CR_ERR_MODEL, "option %s: %g is not finite", o->name, shown);
  }
  if (o->words != NULL && !has_words(m, o, (int32_t)value)) {
    return o->kind == CRI_OPTION_CHOICE
               ? cri_fail(error, CR_ERR_MODEL, "option %s: there is no %g", o->name, shown)
               : cri_fail(error, CR_ERR_MODEL, "option %s: a bit of %g is unknown or not supported",
                          o->name, shown);
  }
  if (value >= o->low && value <= o->high) {
    return CR_OK;
  }
  if (o->high < CR_MAX) {
    return cri_fail(error, CR_ERR_MODEL, "option %s: %.9g is not in [%g, %g]", o->name, shown,
                    (double)o->low, (double)o->high);
  }
  return cri_fail(error, CR_ERR_MODEL, "option %s: %.9g is not %s", o->name, shown,
                  o->low > 0 ? "positive" : "zero or more");
}

static cr_status check_distant(const cr_model* m, cr_error* error) {
  const struct {
    const char* name;
    cr_real value;
    bool fits;
    const char* range;
  } numbers[] = {{"cfd_dc", m->cfd_dc, m->cfd_dc >= 0 && m->cfd_dc < 1, "in [0, 1)"},
                 {"cfd_d0", m->cfd_d0, m->cfd_d0 >= 0 && m->cfd_d0 < 1, "in [0, 1)"},
                 {"cfd_wc", m->cfd_wc, m->cfd_wc > 0, "positive"},
                 {"cfd_mc", m->cfd_mc, m->cfd_mc > 0 && m->cfd_mc <= 1, "in (0, 1]"},
                 {"cfd_pc", m->cfd_pc, m->cfd_pc >= 1, "1 or more"},
                 {"cfd_scale", m->cfd_scale, m->cfd_scale >= 0, "zero or more"}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (!numbers[i].fits) {
      return cri_fail(error, CR_ERR_MODEL, "option %s: %g is not %s", numbers[i].name,
                      (double)numbers[i].value, numbers[i].range);
    }
  }
  return CR_OK;
}

cr_status cri_options_check(const cr_model* m, cr_error* error) {
  for (int i = 0; i < CRI_N_OPTION; i++) {
    CR_TRY(check_option(m, &table[i], error));
  }
  if (m->collision != CR_COLLISION_HARD && !(m->softness > 0 && m->softness <= CR_MAX_SOFTNESS)) {
    return cri_fail(error, CR_ERR_MODEL, "option softness: %g is not in (0, %g]",
                    (double)m->softness, (double)CR_MAX_SOFTNESS);
  }
  return m->cfd == 0 ? CR_OK : check_distant(m, error);
}

// ---- words in sentences

const cri_word* cri_word_find(const cri_word* words, const char* name) {
  for (const cri_word* w = words; w != NULL && w->name != NULL; w++) {
    if (strcmp(w->name, name) == 0) {
      return w;
    }
  }
  return NULL;
}

static void append(cri_word_list* list, const char* before, const char* word) {
  size_t n = strlen(list->text);
  (void)snprintf(list->text + n, sizeof list->text - n, "%s%s", n > 0 ? before : "", word);
}

cri_word_list cri_words(const cri_word* words, bool (*takes)(int value)) {
  cri_word_list list = {""};
  const char* last = NULL;
  for (const cri_word* w = words; w->name != NULL; w++) {
    if (takes != NULL && !takes(w->value)) {
      continue;
    }
    if (last != NULL) {
      append(&list, ", ", last);
    }
    last = w->name;
  }
  if (last != NULL) {
    append(&list, " or ", last);
  }
  return list;
}

// words of a choice with the added ones; only the contact model has these
static void all_words(const cr_model* m, const cri_option* o, cri_word* all) {
  int n = 0;
  for (const cri_word* w = o->words; w->name != NULL; w++) {
    all[n++] = *w;
  }
  for (int k = 0; k < nadded(m, o); k++) {
    all[n++] = (cri_word){m->contacts->model[k].name, CR_CONTACT_ADDED + k};
  }
  all[n] = (cri_word){NULL, 0};
}
enum { MOST_WORDS = 32 };

bool cri_choice_find(const cr_model* m, const cri_option* o, const char* name, int32_t* value) {
  cri_word all[MOST_WORDS];
  all_words(m, o, all);
  const cri_word* word = cri_word_find(all, name);
  *value = word != NULL ? word->value : 0;
  return word != NULL;
}

cri_word_list cri_choices(const cr_model* m, const cri_option* o) {
  cri_word all[MOST_WORDS];
  all_words(m, o, all);
  return cri_words(all, NULL);
}

cri_word_list cri_integrators(bool (*takes)(int integrator)) {
  return cri_words(integrators, takes);
}

const char* cri_integrator_word(int integrator) {
  return cri_option_word(cri_option_find("integrator"), integrator);
}
