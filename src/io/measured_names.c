// SPDX-License-Identifier: Apache-2.0
// Names of columns and arrays. A name that no one knows is refused: a measurement that is left out in silence costs
// more than a second look at the file.
#include "io/measured_names.h"

#include <ctype.h>
#include <stdio.h>

#include "base/nearest.h"
#include "carom/model.h"
#include "tools/units.h"

// ---- what a mistyped name may mean

enum { MOST_ALIKE = 3 };

typedef struct {
  const cr_model* m;
  char wanted[CRI_PLACE_TEXT], base[CRI_PLACE_TEXT];  // in small letters; base: without a component
  char best[MOST_ALIKE][CRI_PLACE_TEXT];
  int distance[MOST_ALIKE], n;
} search;

static void small_letters(char* text) {
  for (; *text != 0; text++) {
    *text = (char)tolower((unsigned char)*text);
  }
}

// ends a name before its last component
static void cut_component(char* text) {
  char *dot = strrchr(text, '.'), *bracket = strrchr(text, '[');
  char* end = dot > bracket ? dot : bracket;
  if (end != NULL && end != text) {
    *end = 0;
  }
}

static void keep(search* s, const char* place, int distance) {
  int at = s->n < MOST_ALIKE ? s->n : MOST_ALIKE - 1;
  if (s->n == MOST_ALIKE && distance >= s->distance[at]) {
    return;
  }
  for (int i = 0; i < s->n; i++) {
    if (strcmp(s->best[i], place) == 0) {
      return;
    }
  }
  s->n += s->n < MOST_ALIKE;
  for (; at > 0 && s->distance[at - 1] > distance; at--) {
    s->distance[at] = s->distance[at - 1];
    (void)strcpy(s->best[at], s->best[at - 1]);
  }
  s->distance[at] = distance;
  (void)snprintf(s->best[at], CRI_PLACE_TEXT, "%s", place);
}

// looks at a place whose object has a name
static void look(search* s, const char* place, const char* name) {
  char small[CRI_PLACE_TEXT], object[CRI_PLACE_TEXT];
  (void)snprintf(small, sizeof small, "%s", place);
  (void)snprintf(object, sizeof object, "%s", name);
  small_letters(small);
  small_letters(object);
  int by_place = cri_edits(s->wanted, small), by_base = cri_edits(s->base, small);
  int by_name = 1 + cri_edits(s->wanted, object), least = by_place < by_base ? by_place : by_base;
  least = by_name < least ? by_name : least;
  if (least <= 1 + (int)strlen(s->wanted) / 4) {
    keep(s, place, least);
  }
}

static void look_at_objects(search* s, cri_object_kind kind, const char* format) {
  for (int i = 0; i < cri_object_count(s->m, kind); i++) {
    const char* name = cri_object_name(s->m, kind, i);
    char place[CRI_PLACE_TEXT];
    if (name != NULL && name[0] != 0 &&
        snprintf(place, sizeof place, "%s%s%s", format, name, format[0] != 0 ? "]" : "") <
            (int)sizeof place) {
      look(s, place, name);
    }
  }
}

// "; did you mean gyro or qpos[hinge]?", or ""
static void suggest(const cr_model* m, const char* name, char* text, size_t size) {
  search s = {.m = m};
  (void)snprintf(s.wanted, sizeof s.wanted, "%s", name);
  small_letters(s.wanted);
  (void)snprintf(s.base, sizeof s.base, "%s", s.wanted);
  cut_component(s.base);
  look(&s, "time", "time");
  look_at_objects(&s, CRI_OBJECT_sensor, "");
  static const struct {
    cri_object_kind kind;
    const char* field;
  } fields[] = {{CRI_OBJECT_joint, "qpos["},     {CRI_OBJECT_joint, "qvel["},
                {CRI_OBJECT_actuator, "ctrl["},  {CRI_OBJECT_actuator, "actuator_force["},
                {CRI_OBJECT_site, "site_xpos["}, {CRI_OBJECT_site, "site_xquat["},
                {CRI_OBJECT_body, "xpos["},      {CRI_OBJECT_body, "xquat["},
                {CRI_OBJECT_geom, "geom_xpos["}, {CRI_OBJECT_tendon, "ten_length["}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    look_at_objects(&s, fields[i].kind, fields[i].field);
  }
  if (strchr(name, '[') != NULL) {
    look_at_objects(&s, CRI_OBJECT_sensor, "sensordata[");
  }
  text[0] = 0;
  for (int i = 0; i < s.n; i++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%.60s%s", i == 0 ? "; did you mean " : " or ",
                   s.best[i], i == s.n - 1 ? "?" : "");
  }
}

// ---- names and units

// cuts "name [unit]" or "name (unit)"; blanks around do not count
static void split(char* text, char unit[CRI_UNIT]) {
  size_t n = strlen(text);
  unit[0] = 0;
  while (n > 0 && isspace((unsigned char)text[n - 1])) {
    text[--n] = 0;
  }
  char close = n > 0 ? text[n - 1] : 0;
  char* open = close == ']' ? strrchr(text, '[') : close == ')' ? strrchr(text, '(') : NULL;
  if (open == NULL || open == text || !isspace((unsigned char)open[-1])) {
    return;
  }
  (void)snprintf(unit, CRI_UNIT, "%.*s", (int)(text + n - 1 - open - 1), open + 1);
  do {
    *open-- = 0;
  } while (open > text && isspace((unsigned char)*open));
}

static bool same_column(const cri_measured_name* c, const char* bare, const char* given, size_t n) {
  return (strlen(c->shown) == n && strncmp(c->shown, given, n) == 0) ||
         (strlen(bare) == n && strncmp(bare, given, n) == 0);
}

// replaces a name that the options give a place, or finds that it is ignored
static void apply_options(cri_measured_name* c, const cr_measurements_file* o) {
  char bare[CRI_PLACE_TEXT];
  (void)strcpy(bare, c->text);
  for (int i = 0; i < o->nignored; i++) {
    if (o->ignored[i] != NULL && same_column(c, bare, o->ignored[i], strlen(o->ignored[i]))) {
      c->kind = CRI_NAME_IGNORED;
    }
  }
  for (int i = 0; i < o->ncolumn; i++) {
    const char* equals = o->columns[i] != NULL ? strrchr(o->columns[i], '=') : NULL;
    if (equals != NULL && same_column(c, bare, o->columns[i], (size_t)(equals - o->columns[i]))) {
      char unit[CRI_UNIT];
      (void)snprintf(c->text, sizeof c->text, "%s", equals + 1 + strspn(equals + 1, " \t"));
      split(c->text, unit);
      if (unit[0] != 0) {
        (void)strcpy(c->unit, unit);
      }
    }
  }
}

// the number of the control of this name, -1 none
static int control_of(const cr_model* m, const char* text) {
  char name[CRI_PLACE_TEXT];
  for (int i = 0; i < m->nu; i++) {
    if (cr_control_name(m, i, name, sizeof name, NULL) == CR_OK && strcmp(name, text) == 0) {
      return i;
    }
  }
  return -1;
}

// true for "gyro.x[deg/s]": the blank before the unit is missing
static bool lacks_blank(const cr_model* m, const char* text) {
  char name[CRI_PLACE_TEXT], inside[CRI_PLACE_TEXT];
  cri_unit unit;
  cr_place place;
  (void)snprintf(name, sizeof name, "%s", text);
  char* open =
      strpbrk(name, "[(") != NULL && strchr("])", name[strlen(name) - 1]) != NULL
          ? (strrchr(name, '[') != NULL && name[strlen(name) - 1] == ']' ? strrchr(name, '[')
                                                                         : strrchr(name, '('))
          : NULL;
  if (open == NULL || open == name) {
    return false;
  }
  (void)snprintf(inside, sizeof inside, "%.*s", (int)strlen(open) - 2, open + 1);
  *open = 0;
  return cri_unit_read(&unit, inside) && (strcmp(name, "time") == 0 || control_of(m, name) >= 0 ||
                                          cri_place_find(&place, m, name, NULL) == CR_OK);
}

static cr_status unknown(const cri_measured_name* c, const cri_measured_file* f, const char* where,
                         const cr_error* why) {
  char alike[256], field[CRI_PLACE_TEXT];
  const cr_model* m = f->to->m;
  if (lacks_blank(m, c->text)) {
    return cri_fail(f->error, CR_ERR_NAME,
                    "%s: column '%.80s': a unit stands behind a blank, as in 'time [ms]'", where,
                    c->shown);
  }
  suggest(m, c->text, alike, sizeof alike);
  (void)snprintf(field, sizeof field, "%.*s", (int)strcspn(c->text, "[."), c->text);
  bool known = cri_field_find(field) != CR_N_FIELD || control_of(m, field) >= 0 ||
               cri_object_find(m, CRI_OBJECT_sensor, field, strlen(field)) >= 0;
  if (known) {
    bool told = strstr(why->text, "did you mean") != NULL;
    return cri_fail(f->error, CR_ERR_NAME, "%s: column '%.80s': %.200s%s", where, c->shown,
                    why->text, told ? "" : alike);
  }
  return cri_fail(f->error, CR_ERR_NAME,
                  "%s: column '%.80s' is no place of the model, no control and not time%s", where,
                  c->shown, alike);
}

static cr_status find_place(cri_measured_name* c, const cri_measured_file* f, const char* where) {
  const cr_model* m = f->to->m;
  cr_error why = {.status = CR_OK};
  int control = control_of(m, c->text);
  cr_status status = cri_measured_place(&c->at, m, c->text, true, &why);
  c->kind = CRI_NAME_PLACE;
  if (control >= 0 && status == CR_OK &&
      (c->at.field != CR_FIELD_ctrl || c->at.first != control || c->at.count != 1)) {
    return cri_fail(f->error, CR_ERR_NAME,
                    "%s: column '%.80s' is a control and a sensor; write ctrl[%.60s] or "
                    "sensordata[%.60s]",
                    where, c->shown, c->text, c->text);
  }
  if (control < 0) {
    return status == CR_OK ? CR_OK : unknown(c, f, where, &why);
  }
  (void)snprintf(c->text, sizeof c->text, "ctrl[%d]", control);
  return cri_measured_place(&c->at, m, c->text, true, f->error);
}

cr_status cri_measured_name_find(cri_measured_name* c, const cri_measured_file* f,
                                 const char* where, const char* text) {
  enum { LONGEST = CRI_PLACE_TEXT - 1 };
  static const char end[] = ".time";
  *c = (cri_measured_name){.kind = CRI_NAME_PLACE};
  text += strspn(text, " \t");
  if (strlen(text) > LONGEST || text[0] == 0) {
    return cri_fail(f->error, CR_ERR_FORMAT, "%s: a column %s", where,
                    text[0] == 0 ? "has no name" : "has a name of more than 127 characters");
  }
  (void)strcpy(c->text, text);
  split(c->text, c->unit);
  (void)snprintf(c->shown, sizeof c->shown, "%s", text);
  for (size_t n = strlen(c->shown); n > 0 && isspace((unsigned char)c->shown[n - 1]); n--) {
    c->shown[n - 1] = 0;
  }
  apply_options(c, f->options);
  if (c->kind == CRI_NAME_IGNORED) {
    return CR_OK;
  }
  size_t n = strlen(c->text);
  if (strcmp(c->text, "time") == 0) {
    c->kind = CRI_NAME_TIME;
    c->text[0] = 0;
    return CR_OK;
  }
  if (strcmp(c->text, "rate") == 0) {
    c->kind = CRI_NAME_RATE;
    return CR_OK;
  }
  if (n >= sizeof end && strcmp(c->text + n - (sizeof end - 1), end) == 0) {
    c->kind = CRI_NAME_TIME;
    c->text[n - (sizeof end - 1)] = 0;
    return CR_OK;
  }
  return find_place(c, f, where);
}

// ---- factors

static cr_status wrong_unit(const cri_measured_name* c, const cri_measured_file* f,
                            const char* where, const char* wanted) {
  cri_unit unit;
  bool known = cri_unit_read(&unit, c->unit);
  return cri_fail(f->error, CR_ERR_FORMAT, "%s: column '%.80s': %s '%s'%s%s", where, c->shown,
                  known ? "it has the unit" : "there is no unit", c->unit,
                  known ? ", the model's unit is " : "; the model's is ", wanted);
}

cr_status cri_measured_factor(const cri_measured_name* c, const cri_measured_file* f,
                              const char* where, int k, cr_real* factor) {
  char wanted[CRI_UNIT];
  double by = 1;
  cri_unit unit;
  *factor = 1;
  if (c->unit[0] == 0) {
    return CR_OK;
  }
  cri_number_unit(f->to->m, c->at.field, c->at.first + k, wanted);
  if (strcmp(wanted, "-") == 0) {  // of a control, an activation: the model knows no unit
    if (!cri_unit_read(&unit, c->unit)) {
      return wrong_unit(c, f, where, wanted);
    }
    if (unit.factor > 1 || unit.factor < 1) {
      return cri_fail(f->error, CR_ERR_FORMAT,
                      "%s: column '%.80s': the model has no unit for it, so '%s' cannot be "
                      "converted; write the numbers as the model takes them",
                      where, c->shown, c->unit);
    }
    return CR_OK;
  }
  if (!cri_unit_convert(c->unit, wanted, &by)) {
    return wrong_unit(c, f, where, wanted);
  }
  *factor = (cr_real)by;
  return CR_OK;
}

cr_status cri_measured_time_factor(const cri_measured_name* c, const cri_measured_file* f,
                                   const char* where, const char* unit, cr_real* factor) {
  double by = 1;
  if (c->unit[0] != 0 && !cri_unit_convert(c->unit, unit, &by)) {
    return cri_fail(f->error, CR_ERR_FORMAT, "%s: column '%.80s': '%s' is no unit of %s", where,
                    c->shown, c->unit, strcmp(unit, "s") == 0 ? "time" : "a rate");
  }
  *factor = (cr_real)by;
  return CR_OK;
}

// ---- rates

cr_status cri_measured_rate(const cri_measured_file* f, double of_file, cr_real* rate) {
  cr_real given = f->options->rate;
  *rate = of_file > 0 ? (cr_real)of_file : given;
  if (of_file != 0 && !(of_file > 0 && isfinite(of_file))) {
    return cri_fail(f->error, CR_ERR_FORMAT,
                    "%s: rate %g; a positive number of rows a second is "
                    "expected",
                    f->path, of_file);
  }
  if (of_file > 0 && given > 0 && cr_abs(given - *rate) > CR_R(0.01) * given) {
    return cri_fail(f->error, CR_ERR_FORMAT, "%s: the file says %g rows a second, the options %g",
                    f->path, of_file, (double)given);
  }
  return CR_OK;
}

cr_status cri_measured_rate_check(const cri_measured_file* f, cr_real rate, const cr_real* time,
                                  int rows) {
  if (!(rate > 0) || rows < 2) {
    return CR_OK;
  }
  cr_real is = (cr_real)(rows - 1) / (time[rows - 1] - time[0]);
  return cr_abs(is - rate) <= CR_R(0.01) * rate
             ? CR_OK
             : cri_fail(f->error, CR_ERR_FORMAT,
                        "%s: the times have %.6g rows a second, the rate is %.6g; leave one of "
                        "them out",
                        f->path, (double)is, (double)rate);
}

// ---- runs

cr_status cri_measurements_begin_file(const cri_measured_file* f, const char* name, int group) {
  const char *slash = strrchr(f->path, '/'), *base = slash != NULL ? slash + 1 : f->path;
  const char *dot = strrchr(base, '.'), *given = f->options->run;
  char text[2 * CRI_RUN_NAME + 2];
  int length = dot != NULL ? (int)(dot - base) : (int)strlen(base);
  int n = name != NULL && given != NULL ? snprintf(text, sizeof text, "%s/%s", given, name)
          : name != NULL                ? snprintf(text, sizeof text, "%s", name)
          : given != NULL               ? snprintf(text, sizeof text, "%s", given)
                                        : snprintf(text, sizeof text, "%.*s", length, base);
  cr_error why = {.status = CR_OK};
  if (n >= CRI_RUN_NAME) {
    return cri_fail(f->error, CR_ERR_ARG,
                    "%s: run '%.70s': a name has at most %d characters; the member run of the "
                    "options gives another",
                    f->path, text, CRI_RUN_NAME - 1);
  }
  cr_status status = cr_measurements_begin(f->to, text, group, &why);
  return status == CR_OK ? CR_OK : cri_fail(f->error, status, "%s: %s", f->path, why.text);
}
