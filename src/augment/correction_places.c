// SPDX-License-Identifier: Apache-2.0
// The texts of a correction, resolved: its target, the members that share its network, and the numbers that each reads.
#include <stdio.h>
#include <stdlib.h>

#include "augment/correction.h"
#include "model/names.h"

enum { MAX_NAME = 2 * CR_MAX_CORRECTION_TEXT };

typedef struct {
  cri_correction* c;
  const cr_model* m;
  cr_error* error;
  const int* object;  // of each member; NULL: of none
  cri_object_kind kind;
} places;

// "field[star]rest", star with a *
typedef struct {
  int nfield;
  const char* star;
  int nstar;
  const char* rest;
} pattern;

static bool find_pattern(const char* text, pattern* p) {
  const char *open = strchr(text, '['), *close = open != NULL ? strchr(open, ']') : NULL;
  const char* star = open != NULL ? strchr(open, '*') : NULL;
  if (close == NULL || star == NULL || star > close) {
    return false;
  }
  *p = (pattern){(int)(open - text), open + 1, (int)(close - open - 1), close + 1};
  return true;
}

static bool is_all(const pattern* p) { return p->nstar == 1; }

static bool is_contact(const char* text) { return strncmp(text, "contact[", 8) == 0; }

static cr_status fail(const places* p, cr_status status, const char* place, const char* why) {
  return cri_fail(p->error, status, "correction '%s': '%s' %s", p->c->options.name, place, why);
}

// ---- a field of the stage

// number of a field in the reads, added where it is new
static cr_status use(places* p, cr_field_id id, const char* text, int32_t* field) {
  cri_correction* c = p->c;
  if (id == c->target && cri_carry_is_virtual(c->carry)) {
    return fail(p, CR_ERR_UNSUPPORTED, text, "is what this correction itself changes");
  }
  if (id == c->target) {
    c->reads_target = true;
    *field = CRI_SLOT_TARGET;
    return CR_OK;
  }
  int k = 0;
  while (k < c->nread && c->reads[k] != id) {
    k++;
  }
  if (k == CR_MAX_STAGE_READS) {
    return fail(p, CR_ERR_ARG, text, "is of one field more than a correction can read");
  }
  c->reads[k] = id;
  c->nread += k == c->nread;
  *field = k;
  return CR_OK;
}

// ---- slots

// of number i of qpos
static void coordinate_slot(const cr_model* m, int i, cri_slot* s) {
  for (int j = 0; j < m->njnt; j++) {
    const int k = i - m->jnt_qposadr[j], type = m->jnt_type[j];
    if (k < 0 || k >= cri_joint_numbers(type)) {
      continue;
    }
    const int first = type == CR_JNT_FREE ? 3 : 0;  // of the quaternion
    const bool turns = (type == CR_JNT_FREE || type == CR_JNT_BALL) && k >= first;
    s->tangent = m->jnt_dofadr[j] + (turns ? first : k);
    if (turns) {
      s->part = (int8_t)(k - first);
      s->value = i - (k - first);
    }
  }
}

static cri_slot slot_of(const cr_model* m, const cr_place* place, int32_t field, int k) {
  const cr_tangent tangent = cri_field(place->field)->tangent;
  const int at = place->first + k;
  cri_slot s = {.field = field, .value = at, .tangent = -1, .part = -1};
  if (tangent == CR_TANGENT_QPOS) {
    coordinate_slot(m, at, &s);
  } else if (tangent == CR_TANGENT_QUAT) {
    s.part = (int8_t)(at % 4);
    s.value = at - at % 4;
    s.tangent = 3 * (at / 4);
  } else if (tangent != CR_TANGENT_NONE && place->tan_count > 0) {
    s.tangent = at;
  }
  return s;
}

// ---- contacts

static cr_status fit_geoms(places* p, const char* text, const char* names, int n, bool* fits) {
  bool any = false;
  for (int g = 0; g < p->m->ngeom; g++) {
    const char* name = cri_object_name(p->m, CRI_OBJECT_geom, g);
    char number[16];
    (void)snprintf(number, sizeof number, "%d", g);
    fits[g] = cri_name_fits(names, (size_t)n, name) || cri_name_fits(names, (size_t)n, number);
    any = any || fits[g];
  }
  return any ? CR_OK : fail(p, CR_ERR_NAME, text, "names a geom that the model has not");
}

// "contact[a:b].field.component" with patterns a and b; "contact[*]" is "contact[*:*]"
static cr_status contact_pattern(const places* p, const char* text, const char** end, int* colon) {
  const char* close = strchr(text, ']');
  if (close == NULL || close[1] != '.' || close[2] == 0) {
    return fail(p, CR_ERR_NAME, text, "has to be as contact[foot:*].friction");
  }
  const char* at = memchr(text + 8, ':', (size_t)(close - text - 8));
  *end = close;
  *colon = at == NULL ? -1 : (int)(at - text);
  if (*colon < 0 && !(close - text == 9 && text[8] == '*')) {
    return fail(p, CR_ERR_NAME, text, "needs two geoms in its bracket, or a * alone");
  }
  return CR_OK;
}

// the numbers of a row: field and components, as those of contact[0:0] if there is a geom
static cr_status contact_numbers(const places* p, const char* text, const char* end,
                                 cr_place* place) {
  char name[MAX_NAME];
  if (p->m->ngeom == 0) {
    return fail(p, CR_ERR_NAME, text, "is of contacts, and the model has no geoms");
  }
  (void)snprintf(name, sizeof name, "contact[0:0]%s", end + 1);
  return cri_place_find(place, p->m, name, p->error) == CR_OK
             ? CR_OK
             : fail(p, CR_ERR_NAME, text, "is no field of contacts, as .dist or .friction.0");
}

// Forces of contacts are no fields: numbers of a force in the contact's frame, or a factor on all forces of the contact.
static const struct {
  const char* word;
  int first, count;
} contact_forces[] = {{"force", 0, 3}, {"normal_force", 0, 1}, {"friction_force", 1, 2}};
enum { N_CONTACT_FORCE = 3 };

// which of them the text behind the bracket names; -1: none
static int contact_force_of(const char* end) {
  for (int k = 0; k < N_CONTACT_FORCE; k++) {
    if (strcmp(end + 2, contact_forces[k].word) == 0) {
      return k;
    }
  }
  return -1;
}

static cr_status force_target(places* p, const char* text, int which, cr_place* place) {
  cri_correction* c = p->c;
  const bool add = c->options.act == CR_CORRECTION_ADD;
  if (!add && (c->options.act != CR_CORRECTION_SCALE || which != 0)) {
    return fail(p, CR_ERR_UNSUPPORTED, text,
                which != 0 ? "is known only to the solve; what is possible is add"
                           : "is known only to the solve; what is possible is add and scale");
  }
  *place = (cr_place){.field = add ? CR_FIELD_qfrc_passive : CR_FIELD_efc_D,
                      .first = add ? contact_forces[which].first : 0,
                      .count = add ? contact_forces[which].count : 1};
  c->carry = add ? CRI_CARRY_FORCE : CRI_CARRY_MASS;
  if (add) {
    c->friction = c->nread;
    c->reads[c->nread++] = CR_FIELD_contact_friction;
  }
  c->reads[c->nread++] = CR_FIELD_efc_J;
  return CR_OK;
}

static cr_status contact_target(places* p, const char* text) {
  cri_correction* c = p->c;
  const char* end;
  int colon;
  cr_place place;
  CR_TRY(contact_pattern(p, text, &end, &colon));
  const int which = contact_force_of(end);
  CR_TRY(which >= 0 ? force_target(p, text, which, &place) : contact_numbers(p, text, end, &place));
  const int n = p->m->ngeom;
  c->geoms = calloc(2 * (size_t)n, sizeof *c->geoms);
  c->value = calloc((size_t)place.count, sizeof *c->value);
  if (c->geoms == NULL || c->value == NULL) {
    return cri_fail(p->error, CR_ERR_MEMORY, "correction '%s': no memory", c->options.name);
  }
  const int left = colon < 0 ? 9 : colon;
  const char* second = colon < 0 ? text + 8 : text + colon + 1;
  CR_TRY(fit_geoms(p, text, text + 8, left - 8, c->geoms));
  CR_TRY(fit_geoms(p, text, second, (int)(end - second), c->geoms + n));
  c->contact = true;
  c->target = place.field;
  c->nvalue = place.count;
  for (int k = 0; k < place.count; k++) {
    c->value[k] = place.first + k;
  }
  return CR_OK;
}

static cr_status contact_input(places* p, const char* text, cr_place* place) {
  const char* end;
  int colon;
  if (!p->c->contact) {
    return fail(p, CR_ERR_UNSUPPORTED, text,
                "is of a contact; only a correction of contacts can read it");
  }
  CR_TRY(contact_pattern(p, text, &end, &colon));
  if (colon >= 0) {
    return fail(p, CR_ERR_UNSUPPORTED, text,
                "is of other contacts; contact[*] stands for the member's own");
  }
  return contact_numbers(p, text, end, place);
}

// ---- the target

// [*] alone passes over joints with several dofs, and actuators with several outputs, controls or activations
static bool is_single(const places* p, const char* rows, int i, int count) {
  const bool joint = strcmp(rows, "nq") == 0 || strcmp(rows, "nv") == 0;
  const bool part =
      joint || strcmp(rows, "nu") == 0 || strcmp(rows, "nout") == 0 || strcmp(rows, "na") == 0;
  return !part || (joint ? cri_joint_dofs(p->m->jnt_type[i]) : count) == 1;
}

static bool is_meant(const places* p, const pattern* q, const char* rows, int i) {
  int first, count;
  cri_object_rows(p->m, rows, i, &first, &count);
  if (is_all(q)) {
    const bool world = p->kind == CRI_OBJECT_body && i == 0;
    return count > 0 && !world && is_single(p, rows, i, count);
  }
  const char* name = cri_object_name(p->m, p->kind, i);
  return count > 0 && name != NULL && name[0] != 0 &&
         cri_name_fits(q->star, (size_t)q->nstar, name);
}

// the place that a pattern stands for with object i; its text is in name
static cr_status place_of_object(const places* p, const char* text, const pattern* q, int i,
                                 cr_place* place) {
  char name[MAX_NAME], field[64];
  (void)snprintf(field, sizeof field, "%.*s", q->nfield, text);
  const cr_field_id id = cri_field_find(field);
  if (id == CR_N_FIELD) {
    return cri_fail(p->error, CR_ERR_NAME, "correction '%s': '%s': there is no field '%s'",
                    p->c->options.name, text, field);
  }
  const char* rows = cri_field(id)->rows;
  if (cri_object_naming(rows) != p->kind) {
    const cri_object_info* has = cri_object_info_of(cri_object_naming(rows));
    return cri_fail(p->error, CR_ERR_NAME,
                    "correction '%s': '%s' is of each %s, and the members of '%s' are each a %s",
                    p->c->options.name, text, has == NULL ? "row" : has->label,
                    p->c->options.target, cri_object_info_of(p->kind)->label);
  }
  int first, count;
  cri_object_rows(p->m, rows, i, &first, &count);
  const char* object = cri_object_name(p->m, p->kind, i);
  if (count == 1) {
    (void)snprintf(name, sizeof name, "%s[%d]%s", field, first, q->rest);
  } else {
    (void)snprintf(name, sizeof name, "%s[%s]%s", field, object == NULL ? "" : object, q->rest);
  }
  return cri_place_find(place, p->m, name, p->error);
}

static cr_status find_members(places* p, const char* text, const pattern* q, int* objects, int* n) {
  char field[64];
  (void)snprintf(field, sizeof field, "%.*s", q->nfield, text);
  const cr_field_id id = cri_field_find(field);
  if (id == CR_N_FIELD) {
    const char* near = cri_field_nearest(field);
    return cri_fail(p->error, CR_ERR_NAME, "correction '%s': there is no field '%s'%s%s%s",
                    p->c->options.name, field, near[0] != 0 ? "; did you mean '" : "", near,
                    near[0] != 0 ? "'?" : "");
  }
  p->kind = cri_object_naming(cri_field(id)->rows);
  *n = 0;
  for (int i = 0; i < cri_object_count(p->m, p->kind); i++) {
    if (is_meant(p, q, cri_field(id)->rows, i)) {
      objects[(*n)++] = i;
    }
  }
  return *n > 0 ? CR_OK : fail(p, CR_ERR_NAME, text, "names nothing in this model");
}

static cr_status add_member(places* p, int i, const cr_place* place) {
  cri_correction* c = p->c;
  if (i == 0) {
    c->target = place->field;
    c->nvalue = place->count;
    c->value = calloc((size_t)c->nmember * (size_t)place->count, sizeof *c->value);
    if (c->value == NULL) {
      return cri_fail(p->error, CR_ERR_MEMORY, "correction '%s': no memory", c->options.name);
    }
  }
  if (place->count != c->nvalue) {
    return cri_fail(p->error, CR_ERR_ARG,
                    "correction '%s': members of '%s' have %d and %d numbers; take objects of one "
                    "type, by their names",
                    c->options.name, c->options.target, c->nvalue, place->count);
  }
  for (int k = 0; k < c->nvalue; k++) {
    c->value[i * c->nvalue + k] = place->first + k;
  }
  return CR_OK;
}

static cr_status find_place(places* p, const char* text, int* objects) {
  cri_correction* c = p->c;
  pattern q;
  cr_place place;
  if (!find_pattern(text, &q)) {
    CR_TRY(cri_place_find(&place, p->m, text, p->error));
    if (place.of_tangent) {
      return fail(p, CR_ERR_UNSUPPORTED, text, "is a direction and has no numbers");
    }
    c->nmember = 1;
    return place.count > 0 ? add_member(p, 0, &place)
                           : fail(p, CR_ERR_NAME, text, "has no numbers in this model");
  }
  CR_TRY(find_members(p, text, &q, objects, &c->nmember));
  p->object = objects;
  for (int i = 0; i < c->nmember; i++) {
    CR_TRY(place_of_object(p, text, &q, objects[i], &place));
    CR_TRY(add_member(p, i, &place));
  }
  return CR_OK;
}

// "ten_J[cable,hip]": rows are named as those of a field of the same objects
static const struct {
  cr_field_id id;
  const char *name, *like;
} operators[] = {{CR_FIELD_ten_J, "ten_J", "ten_length"},
                 {CR_FIELD_actuator_moment, "actuator_moment", "actuator_length"},
                 {CR_FIELD_M, "M", "qvel"}};
enum { N_OPERATOR = 3 };

static int operator_of(const char* text) {
  for (int k = 0; k < N_OPERATOR; k++) {
    const size_t n = strlen(operators[k].name);
    if (strncmp(text, operators[k].name, n) == 0 && (text[n] == 0 || text[n] == '[')) {
      return k;
    }
  }
  return -1;
}

static cr_status operator_target(places* p, const char* text, int which, int* objects) {
  cri_correction* c = p->c;
  const char *open = strchr(text, '['), *comma = strchr(text, ',');
  const int end = (int)strlen(text) - 1;
  if (open == NULL || text[end] != ']' || (comma == NULL && operators[which].id == CR_FIELD_M)) {
    return fail(p, CR_ERR_NAME, text,
                operators[which].id == CR_FIELD_M
                    ? "has to be as M[hip,knee]"
                    : "needs a row, as ten_J[cable] or ten_J[cable,hip]");
  }
  char row[MAX_NAME];
  const int n = comma != NULL ? (int)(comma - open) : (int)strlen(open) - 1;
  (void)snprintf(row, sizeof row, "%s%.*s]", operators[which].like, n, open);
  CR_TRY(find_place(p, row, objects));
  if (c->nvalue != 1) {
    return fail(p, CR_ERR_NAME, text, "needs one row: take it by its number");
  }
  return cri_operator_entries(c, p->m, operators[which].id, comma != NULL ? comma + 1 : NULL,
                              p->error);
}

// ten_force[...] is no field: a force along tendons, whose numbers are those of ten_length
static cr_status find_target(places* p, int* objects) {
  static const char name[] = "ten_force";
  cri_correction* c = p->c;
  const char* text = c->options.target;
  const size_t n = sizeof name - 1;
  if (is_contact(text)) {
    return contact_target(p, text);
  }
  if (operator_of(text) >= 0) {
    return operator_target(p, text, operator_of(text), objects);
  }
  if (strncmp(text, name, n) != 0 || (text[n] != 0 && text[n] != '[')) {
    return find_place(p, text, objects);
  }
  if (c->options.act != CR_CORRECTION_ADD) {
    return fail(p, CR_ERR_UNSUPPORTED, text,
                "has no value of its own; what is possible is add, and ten_length, whose springs "
                "follow");
  }
  char length[MAX_NAME];
  (void)snprintf(length, sizeof length, "ten_length%s", text + n);
  CR_TRY(find_place(p, length, objects));
  c->target = CR_FIELD_qfrc_passive;
  c->carry = CRI_CARRY_TENDON;
  c->reads[c->nread++] = CR_FIELD_ten_J;
  return CR_OK;
}

// ---- inputs

// the place of input k for member i
static cr_status input_place(places* p, const char* text, int i, cr_place* place) {
  pattern q;
  if (is_contact(text)) {
    return contact_input(p, text, place);
  }
  if (!find_pattern(text, &q)) {
    CR_TRY(cri_place_find(place, p->m, text, p->error));
    return place->of_tangent ? fail(p, CR_ERR_UNSUPPORTED, text, "is a direction, no number")
                             : CR_OK;
  }
  if (!is_all(&q)) {
    return fail(p, CR_ERR_ARG, text, "is a pattern; in an input [*] stands for the member's own");
  }
  return p->object != NULL
             ? place_of_object(p, text, &q, p->object[i], place)
             : fail(p, CR_ERR_ARG, text, "has a [*], but the target has none that it could follow");
}

static bool is_constant(const char* text, cri_slot* s) {
  if (text != NULL && strcmp(text, "time") != 0) {
    return false;
  }
  *s = (cri_slot){.field = text == NULL ? CRI_SLOT_ONE : CRI_SLOT_TIME, .tangent = -1, .part = -1};
  return true;
}

// adds the numbers of an input for member i to its slots; *n: how many there are
static cr_status add_input(places* p, const char* text, int i, cri_slot* slots, int room, int* n) {
  cr_place place;
  cri_slot s;
  if (is_constant(text, &s)) {
    slots[0] = s;
    *n = 1;
    return CR_OK;
  }
  CR_TRY(input_place(p, text, i, &place));
  int32_t field = 0;
  CR_TRY(use(p, place.field, text, &field));
  *n = place.count;
  for (int k = 0; k < place.count && k < room; k++) {
    slots[k] = slot_of(p->m, &place, field, k);
    slots[k].of_row = is_contact(text);
  }
  return CR_OK;
}

// what an input takes: as many numbers as for the first member
static cr_status count_inputs(places* p, int* numbers) {
  cri_correction* c = p->c;
  const cr_correction_options* o = &c->options;
  c->ninput = 0;
  for (int k = 0; k < o->ninput; k++) {
    cri_slot first;
    CR_TRY(add_input(p, o->inputs[k]->place, 0, &first, 1, &numbers[k]));
    if (numbers[k] > CR_MAX_STAGE_ROOM - c->ninput) {
      return fail(p, CR_ERR_ARG, o->inputs[k]->place, "has too many numbers");
    }
    c->ninput += numbers[k];
  }
  return CR_OK;
}

static cr_status find_inputs(places* p) {
  cri_correction* c = p->c;
  const cr_correction_options* o = &c->options;
  int numbers[CR_MAX_CORRECTION_INPUTS];
  const int members = c->contact ? 1 : c->nmember;
  CR_TRY(count_inputs(p, numbers));
  if (c->ninput == 0) {
    return fail(p, CR_ERR_NAME, o->inputs[0]->place, "has no numbers in this model");
  }
  c->slot = calloc((size_t)members * (size_t)c->ninput, sizeof *c->slot);
  c->offset = calloc((size_t)c->ninput, sizeof *c->offset);
  c->scale = calloc((size_t)c->ninput, sizeof *c->scale);
  c->numbers = malloc((size_t)o->ninput * sizeof *c->numbers);
  if (c->slot == NULL || c->offset == NULL || c->scale == NULL || c->numbers == NULL) {
    return cri_fail(p->error, CR_ERR_MEMORY, "correction '%s': no memory", o->name);
  }
  memcpy(c->numbers, numbers, (size_t)o->ninput * sizeof *c->numbers);
  cri_slot* at = c->slot;
  for (int i = 0; i < members; i++) {
    for (int k = 0; k < o->ninput; at += numbers[k], k++) {
      int n;
      CR_TRY(add_input(p, o->inputs[k]->place, i, at, numbers[k], &n));
      if (n != numbers[k]) {
        return cri_fail(p->error, CR_ERR_ARG,
                        "correction '%s': '%s' has %d numbers for one member and %d for another",
                        o->name, o->inputs[k]->place, numbers[k], n);
      }
    }
  }
  for (int k = 0, j = 0; k < o->ninput; k++) {
    for (int end = j + numbers[k]; j < end; j++) {
      c->offset[j] = o->inputs[k]->offset;
      c->scale[j] = o->inputs[k]->scale != 0 ? o->inputs[k]->scale : 1;
    }
  }
  return CR_OK;
}

cr_status cri_correction_places(cri_correction* c, const cr_model* m, cr_error* error) {
  places p = {.c = c, .m = m, .error = error, .kind = CRI_N_OBJECT};
  int most = 1;
  for (int k = 0; k < CRI_N_OBJECT; k++) {
    const int n = cri_object_count(m, (cri_object_kind)k);
    most = n > most ? n : most;
  }
  int* objects = calloc((size_t)most, sizeof *objects);
  if (objects == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "correction '%s': no memory", c->options.name);
  }
  cr_status status = find_target(&p, objects);
  status = status == CR_OK ? find_inputs(&p) : status;
  free(objects);
  return status;
}
