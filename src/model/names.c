// SPDX-License-Identifier: Apache-2.0
// The name resolver: a field, then rows by number or object name, then a component.
#include "model/names.h"

#include <stdio.h>

#include "base/nearest.h"

// ---- kinds of objects

static const cri_object_info objects[] = {
#define NAMED(field) offsetof(cr_model, field)
#define UNNAMED CRI_UNNAMED
#define CR_OBJECT(kind, label, type, count, names) \
  {#kind, label, #count, type, offsetof(cr_model, count), names},
#include "model/object_table.h"
};

// counts whose rows belong to objects of another count
static const struct {
  const char* rows;
  cri_object_kind kind;
} parts[] = {
#define CR_PART(rows, kind, first, n) {#rows, CRI_OBJECT_##kind},
#include "model/object_table.h"
};
enum { N_PARTS = (int)(sizeof parts / sizeof parts[0]) };

const cri_object_info* cri_object_info_of(cri_object_kind kind) {
  return kind < CRI_N_OBJECT ? &objects[kind] : NULL;
}

int cri_object_count(const cr_model* m, cri_object_kind kind) {
  int32_t n = 0;
  if (kind < CRI_N_OBJECT) {
    memcpy(&n, (const char*)m + objects[kind].count, sizeof n);
  }
  return n;
}

bool cri_object_is(const cr_model* m, cri_object_kind kind, int id) {
  return id >= 0 && id < cri_object_count(m, kind);
}

cri_object_kind cri_object_of_rows(const char* rows) {
  int k = 0;
  while (k < CRI_N_OBJECT && strcmp(objects[k].rows, rows) != 0) {
    k++;
  }
  return (cri_object_kind)k;
}

cri_object_kind cri_object_of_word(const char* word) {
  int k = 0;
  while (k < CRI_N_OBJECT && strcmp(objects[k].kind, word) != 0) {
    k++;
  }
  return (cri_object_kind)k;
}

cri_object_kind cri_object_of_type(int type) {
  int k = 0;
  while (k < CRI_N_OBJECT && objects[k].type != (type == CR_OBJ_XBODY ? CR_OBJ_BODY : type)) {
    k++;
  }
  return (cri_object_kind)k;
}

// ---- their names

// "" also for a place that no check has seen yet, and lies nowhere
static const char* name_of(const cr_model* m, cri_object_kind kind, int id) {
  if (m == NULL || m->names == NULL || kind == CRI_N_OBJECT || objects[kind].names == CRI_UNNAMED) {
    return "";
  }
  const int32_t* adr;
  memcpy(&adr, (const char*)m + objects[kind].names, sizeof adr);
  return adr[id] >= 0 && adr[id] < m->nnames ? m->names + adr[id] : "";
}

cr_label cri_label(const cr_model* m, cri_object_kind kind, int id) {
  cr_label l;
  const char *name = name_of(m, kind, id), *word = objects[kind].label;
  if (name[0] != 0) {
    (void)snprintf(l.text, sizeof l.text, "%s '%.60s'", word, name);
  } else {
    (void)snprintf(l.text, sizeof l.text, "%s %d", word, id);
  }
  return l;
}

int cri_object_find(const cr_model* m, cri_object_kind kind, const char* name, size_t length) {
  for (int i = 0; i < cri_object_count(m, kind); i++) {
    const char* candidate = name_of(m, kind, i);
    if (strlen(candidate) == length && length > 0 && strncmp(candidate, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

const char* cri_object_name(const cr_model* m, cri_object_kind kind, int id) {
  bool named = cri_object_is(m, kind, id) && objects[kind].names != CRI_UNNAMED;
  return named ? name_of(m, kind, id) : NULL;
}

// ---- patterns

bool cri_name_fits(const char* pattern, size_t npattern, const char* name) {
  const char* end = pattern + npattern;
  const char *star = NULL,
             *again = NULL;  // after the last star, and where in the name it was tried
  while (*name != 0) {
    if (pattern < end && *pattern == '*') {
      star = ++pattern;
      again = name;
    } else if (pattern < end && *pattern == *name) {
      pattern++;
      name++;
    } else if (star != NULL) {
      pattern = star;
      name = ++again;
    } else {
      return false;
    }
  }
  while (pattern < end && *pattern == '*') {
    pattern++;
  }
  return pattern == end;
}

// ---- their rows

static int part_of(const char* rows) {
  int k = 0;
  while (k < N_PARTS && strcmp(parts[k].rows, rows) != 0) {
    k++;
  }
  return k;
}

cri_object_kind cri_object_naming(const char* rows) {
  int part = part_of(rows);
  return part < N_PARTS ? parts[part].kind : cri_object_of_rows(rows);
}

void cri_object_rows(const cr_model* m, const char* rows, int i, int* first, int* count) {
  *first = i;
  *count = 1;
#define CR_PART(rows_, kind, first_, n) \
  if (strcmp(rows, #rows_) == 0) {      \
    *first = first_;                    \
    *count = n;                         \
  }
#include "model/object_table.h"
}

// ---- the text of a name, cut into pieces

typedef struct {
  const char* text;
  size_t length;
} piece;

enum { MAX_BRACKETS = 2 };

typedef struct {
  piece field;
  piece bracket[MAX_BRACKETS];
  int nbracket;
  piece component;
} pieces;

static cr_status cut(pieces* p, const char* name, cr_error* error) {
  *p = (pieces){0};
  p->field = (piece){name, strcspn(name, "[.")};
  const char* c = name + p->field.length;
  while (*c == '[' && p->nbracket < MAX_BRACKETS) {
    const char* end = strchr(c, ']');
    if (end == NULL) {
      return cri_fail(error, CR_ERR_NAME, "'%s': the bracket is not closed", name);
    }
    p->bracket[p->nbracket++] = (piece){c + 1, (size_t)(end - c - 1)};
    c = end + 1;
  }
  if (*c == '.' && c[1] != 0) {
    p->component = (piece){c + 1, strlen(c + 1)};
    c += 1 + p->component.length;
  }
  if (*c != 0 || p->field.length == 0) {
    return cri_fail(error, CR_ERR_NAME, "'%s': '%s' does not belong to a name", name, c);
  }
  return CR_OK;
}

static bool same(piece p, const char* text) {
  return strlen(text) == p.length && strncmp(p.text, text, p.length) == 0;
}

// true for digits only; a number larger than any index stays larger
static bool number_of(piece p, int* value) {
  enum { LARGEST = 1000000000 };
  *value = 0;
  for (size_t i = 0; i < p.length; i++) {
    int digit = p.text[i] - '0';
    if (digit < 0 || digit > 9) {
      return false;
    }
    *value = *value > LARGEST / 10 - 1 ? LARGEST : 10 * *value + digit;
  }
  return p.length > 0;
}

static cr_field_id field_of(piece p) {
  char text[64];
  if (p.length >= sizeof text) {
    return CR_N_FIELD;
  }
  memcpy(text, p.text, p.length);
  text[p.length] = 0;
  return cri_field_find(text);
}

// ---- components

static cr_status component(int* k, piece p, int width, const char* name, cr_error* error) {
  static const char* const axes = "xyz";
  static const char* const quaternion = "wxyz";
  const char* letters = width == 4 ? quaternion : axes;  // of a free joint: its position
  const char* at = p.length == 1 ? strchr(letters, p.text[0]) : NULL;
  if (number_of(p, k)) {
    if (*k < width) {
      return CR_OK;
    }
    return cri_fail(error, CR_ERR_NAME, "'%s': component %d of %d", name, *k, width);
  }
  if (at == NULL || at - letters >= width) {
    return cri_fail(error, CR_ERR_NAME, "'%s': no component '%.*s' in a row of %d", name,
                    (int)p.length, p.text, width);
  }
  *k = (int)(at - letters);
  return CR_OK;
}

// ---- contacts: contact[geom1:geom2][rank].field.component

static int find_geom(const cr_model* m, const char* text, size_t length) {
  int id;
  if (number_of((piece){text, length}, &id)) {
    return id < m->ngeom ? id : -1;
  }
  return cri_object_find(m, CRI_OBJECT_geom, text, length);
}

static cr_status find_contact(cr_place* place, const cr_model* m, const pieces* p, const char* name,
                              cr_error* error) {
  piece pair = p->bracket[0];
  const char* colon = p->nbracket > 0 ? memchr(pair.text, ':', pair.length) : NULL;
  if (colon == NULL) {
    return cri_fail(error, CR_ERR_NAME, "'%s': a contact is named contact[geom:geom]", name);
  }
  size_t left = (size_t)(colon - pair.text);
  place->geom1 = find_geom(m, pair.text, left);
  place->geom2 = find_geom(m, colon + 1, pair.length - left - 1);
  if (place->geom1 < 0 || place->geom2 < 0) {
    const bool first = place->geom1 < 0;
    const piece wrong = {first ? pair.text : colon + 1, first ? left : pair.length - left - 1};
    cri_nearest nearest;
    cri_nearest_begin(&nearest, wrong.text, wrong.length);
    for (int i = 0; i < m->ngeom; i++) {
      cri_nearest_offer(&nearest, name_of(m, CRI_OBJECT_geom, i));
    }
    return cri_fail(error, CR_ERR_NAME, "'%s': no geom '%.*s'%s", name, (int)wrong.length,
                    wrong.text, cri_nearest_hint(&nearest));
  }
  place->rank = 0;
  if (p->nbracket > 1 && !number_of(p->bracket[1], &place->rank)) {
    return cri_fail(error, CR_ERR_NAME, "'%s': which contact is a number", name);
  }
  char field[80];
  const char* what = p->component.length > 0 ? p->component.text : "dist";
  size_t length = strcspn(what, ".");
  (void)snprintf(field, sizeof field, "contact_%.*s", (int)length, what);
  place->field = cri_field_find(field);
  if (place->field == CR_N_FIELD || cri_field(place->field)->kind != CR_KIND_REAL) {
    return cri_fail(error, CR_ERR_NAME, "'%s': a contact has no '%s'", name, field + 8);
  }
  place->count = cri_field_width(m, place->field);
  if (what[length] != 0) {
    piece last = {what + length + 1, strlen(what + length + 1)};
    CR_TRY(component(&place->first, last, place->count, name, error));
    place->count = 1;
  }
  place->tan_first = place->first;
  place->tan_count = place->count;
  return CR_OK;
}

// flat index of the contact that a place names in d, -1 if there is none
static int contact_row(const cr_place* place, const cr_data* d) {
  int found = -1;
  cr_real above = -CR_MAX;
  int above_row = -1;
  for (int rank = 0; rank <= place->rank; rank++) {
    found = -1;
    for (int i = 0; i < d->ncon; i++) {
      const int32_t* g = d->contact_geom + 2 * i;
      bool mine = (g[0] == place->geom1 && g[1] == place->geom2) ||
                  (g[0] == place->geom2 && g[1] == place->geom1);
      bool later = d->contact_dist[i] > above || (d->contact_dist[i] == above && i > above_row);
      if (mine && later && (found < 0 || d->contact_dist[i] < d->contact_dist[found])) {
        found = i;
      }
    }
    if (found < 0) {
      return -1;
    }
    above = d->contact_dist[found];
    above_row = found;
  }
  return found;
}

// ---- the tangent of a place

// dof of a coordinate of qpos, -1 if it is part of a quaternion
static int dof_of_coordinate(const cr_model* m, int i) {
  for (int j = 0; j < m->njnt; j++) {
    int k = i - m->jnt_qposadr[j];
    if (k >= 0 && k < cri_joint_numbers(m->jnt_type[j])) {
      bool free_position = m->jnt_type[j] == CR_JNT_FREE && k < 3;
      bool scalar = m->jnt_type[j] == CR_JNT_SLIDE || m->jnt_type[j] == CR_JNT_HINGE;
      return free_position || scalar ? m->jnt_dofadr[j] + k : -1;
    }
  }
  return -1;
}

// a quaternion among these coordinates
static bool holds_quaternion(const cr_model* m, int row, int nrow) {
  for (int i = row; i < row + nrow; i++) {
    if (dof_of_coordinate(m, i) < 0) {
      return true;
    }
  }
  return false;
}

static void set_tangent(cr_place* place, const cr_model* m, int row, int nrow, int comp) {
  cr_tangent tangent = cri_field(place->field)->tangent;
  int width = cri_field_tangent_width(m, place->field);
  place->tan_first = row * width + (comp < 0 ? 0 : comp);
  place->tan_count = comp < 0 ? nrow * width : 1;
  bool rest = place->field == CR_FIELD_qpos_spring && holds_quaternion(m, row, nrow);
  if (tangent == CR_TANGENT_NONE || (tangent == CR_TANGENT_QUAT && comp >= 0) || rest) {
    place->tan_count = 0;
  } else if (tangent == CR_TANGENT_QPOS) {
    bool whole = nrow == m->nq;
    int dof = dof_of_coordinate(m, row);
    place->tan_first = whole ? 0 : dof;
    place->tan_count = whole ? m->nv : (dof >= 0 && nrow == 1 ? 1 : 0);
    for (int j = 0; !whole && nrow > 1 && j < m->njnt; j++) {
      if (m->jnt_qposadr[j] == row) {
        place->tan_first = m->jnt_dofadr[j];
        place->tan_count = cri_joint_dofs(m->jnt_type[j]);
      }
    }
  }
}

// ---- the resolver

static cr_status unknown_object(const cr_model* m, const char* rows, piece p, const char* name,
                                cr_error* error) {
  char list[256] = "";
  size_t used = 0;
  cri_nearest nearest;
  cri_nearest_begin(&nearest, p.text, p.length);
  const cri_object_kind kind = cri_object_naming(rows);
  for (int i = 0; i < cri_object_count(m, kind); i++) {
    const char* candidate = name_of(m, kind, i);
    cri_nearest_offer(&nearest, candidate);
    if (candidate[0] != 0 && used + strlen(candidate) + 6 < sizeof list) {
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                               candidate);
    }
  }
  if (nearest.name[0] != 0) {
    return cri_fail(error, CR_ERR_NAME, "'%s': there is no '%.*s'%s", name, (int)p.length, p.text,
                    cri_nearest_hint(&nearest));
  }
  return cri_fail(error, CR_ERR_NAME, "'%s': there is no '%.*s'%s%s", name, (int)p.length, p.text,
                  used > 0 ? "; there are: " : "", list);
}

static cr_status find_row(const cr_model* m, const char* rows, int total, piece p, const char* name,
                          int* row, int* nrow, cr_error* error) {
  *nrow = 1;
  if (number_of(p, row)) {
    if (*row < total) {
      return CR_OK;
    }
    return cri_fail(error, CR_ERR_NAME, "'%s': row %d of %d", name, *row, total);
  }
  int id = cri_object_find(m, cri_object_naming(rows), p.text, p.length);
  if (id < 0) {
    return unknown_object(m, rows, p, name, error);
  }
  cri_object_rows(m, rows, id, row, nrow);
  if (strcmp(rows, "nsensordata") == 0 && m->sensor_skip[id] != 0) {
    return cri_fail(error, CR_ERR_NAME, "'%s': sensor '%.*s' is not computed", name, (int)p.length,
                    p.text);
  }
  return *nrow > 0
             ? CR_OK
             : cri_fail(error, CR_ERR_NAME, "'%s': '%.*s' has none", name, (int)p.length, p.text);
}

static cr_status find_in_field(cr_place* place, const cr_model* m, const pieces* p,
                               const char* name, cr_error* error) {
  const cr_field* f = cri_field(place->field);
  bool live = strcmp(f->rows, "ncon") == 0 || strcmp(f->rows, "nefc") == 0;
  if (f->kind == CR_KIND_OP || f->kind == CR_KIND_SAVE || f->kind == CR_KIND_INT ||
      f->kind == CR_KIND_INDEX || f->kind == CR_KIND_CHAR || live) {
    return cri_fail(error, CR_ERR_NAME, "'%s': %s has no numbers that can be named%s", name,
                    f->name, live ? "; contacts are named contact[geom:geom].dist" : "");
  }
  int width = cri_field_width(m, place->field);
  int total = cri_field_rows(m, NULL, place->field);
  int row = 0, nrow = total, comp = -1, next = 0;
  bool whole_model = strcmp(f->rows, "none") == 0;
  if (p->nbracket > 0 && !whole_model) {
    CR_TRY(find_row(m, f->rows, total, p->bracket[0], name, &row, &nrow, error));
    next = 1;
  }
  if (p->nbracket - next + (p->component.length > 0) > 1) {
    return cri_fail(error, CR_ERR_NAME, "'%s': one component too many", name);
  }
  piece last = p->nbracket > next ? p->bracket[next] : p->component;
  if (last.text != NULL && width == 1 && next == 1 && nrow > 1) {
    // the numbers of a joint, sensor or actuator are its rows
    CR_TRY(component(&comp, last, nrow, name, error));
    row += comp;
    nrow = 1;
    comp = -1;
  } else if (last.text != NULL) {
    CR_TRY(component(&comp, last, width, name, error));
    if (nrow != 1) {
      return cri_fail(error, CR_ERR_NAME, "'%s': a component needs one row, not %d", name, nrow);
    }
  }
  place->first = row * width + (comp < 0 ? 0 : comp);
  place->count = comp < 0 ? nrow * width : 1;
  set_tangent(place, m, row, nrow, comp);
  return CR_OK;
}

static cr_status find_tangent(cr_place* place, const cr_model* m, const pieces* p, const char* name,
                              cr_error* error) {
  int j, n = 1, k = 0;
  const bool whole = p->nbracket == 1 && p->component.length == 0;
  if (p->nbracket == 0 || p->nbracket > 2 || (p->nbracket == 2 && p->component.length > 0) ||
      (number_of(p->bracket[0], &j) && (!whole || j >= m->nv))) {
    return cri_fail(error, CR_ERR_NAME,
                    "'%s': tangent[j] with j from 0 to %d, or tangent[joint], tangent[joint][k]",
                    name, m->nv - 1);
  }
  CR_TRY(find_row(m, "nv", m->nv, p->bracket[0], name, &j, &n, error));
  if (!whole) {
    CR_TRY(component(&k, p->nbracket == 2 ? p->bracket[1] : p->component, n, name, error));
    n = 1;
  }
  place->field = CR_FIELD_qpos;
  place->of_tangent = true;
  place->tan_first = j + k;
  place->tan_count = n;
  return CR_OK;
}

// an unknown field name may be the name of a sensor: gyro.x is sensordata[gyro].x
static void as_sensor(cr_place* place, const cr_model* m, pieces* p) {
  if (p->nbracket < MAX_BRACKETS &&
      cri_object_find(m, CRI_OBJECT_sensor, p->field.text, p->field.length) >= 0) {
    place->field = CR_FIELD_sensordata;
    p->bracket[1] = p->bracket[0];
    p->bracket[0] = p->field;
    p->nbracket++;
  }
}

cr_status cri_place_find(cr_place* place, const cr_model* m, const char* name, cr_error* error) {
  pieces p;
  *place = (cr_place){.geom1 = -1, .geom2 = -1};
  CR_TRY(cut(&p, name, error));
  if (same(p.field, "contact")) {
    return find_contact(place, m, &p, name, error);
  }
  if (same(p.field, "tangent")) {
    return find_tangent(place, m, &p, name, error);
  }
  place->field = field_of(p.field);
  if (place->field == CR_N_FIELD) {
    as_sensor(place, m, &p);
  }
  if (place->field == CR_N_FIELD) {
    char field[64] = "";
    (void)snprintf(field, sizeof field, "%.*s", (int)p.field.length, p.field.text);
    const char* near = cri_field_nearest(field);
    return cri_fail(error, CR_ERR_NAME, "'%s': there is no field '%.*s'%s%s%s", name,
                    (int)p.field.length, p.field.text, near[0] != 0 ? "; did you mean '" : "", near,
                    near[0] != 0 ? "'?" : "");
  }
  return find_in_field(place, m, &p, name, error);
}

const cr_real* cri_place_value(const cr_place* place, const cr_model* m, const cr_data* d) {
  if (place->of_tangent) {
    return NULL;
  }
  int first = place->first;
  if (place->geom1 >= 0) {
    int row = contact_row(place, d);
    if (row < 0) {
      return NULL;
    }
    first += row * cri_field_width(m, place->field);
  }
  return cri_field_real(m, d, place->field) + first;
}

cr_real* cri_place_tangent(const cr_place* place, const cr_model* m, const cr_data* d,
                           cr_data* twin) {
  const cr_model* par = cri_field_of_model(place->field) ? &twin->par : m;
  cr_real* array = cri_field_real(par, twin, place->field);
  int first = place->tan_first;
  if (place->geom1 >= 0) {
    int row = contact_row(place, d);
    first += row * cri_field_tangent_width(m, place->field);
    array = row < 0 ? NULL : array;
  }
  return array == NULL || place->tan_count == 0 ? NULL : array + first;
}
