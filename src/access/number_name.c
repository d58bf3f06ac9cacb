// SPDX-License-Identifier: Apache-2.0
// Names of single numbers of a field, as labels and columns of tables have them. See carom/fields.h.
#include <stdio.h>
#include <string.h>

#include "carom/fields.h"
#include "model/misuse.h"
#include "model/names.h"

enum { LONGEST = 120 };  // letters of a name in a label

// the object that a row belongs to: its name, and the first of its rows; "" where it has no name that a place can have
static const char* owner_of(const cr_model* m, const char* rows, int row, int* first, int* count) {
  cri_object_kind kind = cri_object_naming(rows);
  *first = row;
  *count = 1;
  for (int i = 0; i < cri_object_count(m, kind); i++) {
    int from, n;
    cri_object_rows(m, rows, i, &from, &n);
    if (row >= from && row < from + n) {
      const char* name = cri_object_name(m, kind, i);
      *first = from;
      *count = n;
      bool plain = name != NULL && strlen(name) <= LONGEST && strpbrk(name, ",\"'[]=#") == NULL;
      return plain && cri_object_find(m, kind, name, strlen(name)) == i ? name : "";
    }
  }
  return "";
}

// field[owner][component]; a component below 0: none
static int put(char* text, int size, const char* field, const char* owner, int row, int component) {
  char part[16] = "";
  if (component >= 0) {
    (void)snprintf(part, sizeof part, "[%d]", component);
  }
  return owner[0] != 0 ? snprintf(text, (size_t)size, "%s[%s]%s", field, owner, part)
                       : snprintf(text, (size_t)size, "%s[%d]%s", field, row, part);
}

// a coordinate of the tangent of qpos; that of a joint with one coordinate is the coordinate itself
static int put_dof(const cr_model* m, int dof, char* text, int size) {
  int first, count;
  const char* owner = owner_of(m, "nv", dof, &first, &count);
  if (owner[0] == 0) {
    return put(text, size, "tangent", "", dof, -1);
  }
  return count == 1 ? put(text, size, "qpos", owner, dof, -1)
                    : put(text, size, "tangent", owner, dof, dof - first);
}

static int put_number(const cr_model* m, const cr_field* f, int width, int number, char* text,
                      int size) {
  int first, count, row = number / width, k = number % width;
  if (strcmp(f->rows, "none") == 0) {
    return width == 1 ? snprintf(text, (size_t)size, "%s", f->name)
                      : snprintf(text, (size_t)size, "%s[%d]", f->name, k);
  }
  const char* owner = owner_of(m, f->rows, row, &first, &count);
  if (count > 1) {  // the numbers of a joint, sensor or actuator are its rows
    return width == 1 && owner[0] != 0 ? put(text, size, f->name, owner, row, row - first)
                                       : put(text, size, f->name, "", row, width == 1 ? -1 : k);
  }
  return put(text, size, f->name, owner, row, width == 1 ? -1 : k);
}

cr_status cr_number_name(const cr_model* m, int field, int number, bool tangent, char* text,
                         int size, cr_error* error) {
  const cri_call call = {"cr_number_name", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, text, "text"));
  if (field < 0 || field >= CR_N_FIELD || size < 1) {
    return cri_fail(error, CR_ERR_ARG, "cr_number_name: field %d, text of %d", field, size);
  }
  const cr_field_id id = (cr_field_id)field;
  const cr_field* f = cri_field(id);
  const bool dof = tangent && id == CR_FIELD_qpos;
  int width = cri_field_width(m, id), turn = tangent ? cri_field_tangent_width(m, id) : width;
  bool live = strcmp(f->rows, "ncon") == 0 || strcmp(f->rows, "nefc") == 0;
  int all = dof ? m->nv : live || width < 1 ? 0 : turn * cri_field_rows(m, NULL, id);
  if (number < 0 || number >= all) {
    return cri_fail(error, CR_ERR_ARG, "cr_number_name: number %d of %d in %s", number, all,
                    f->name);
  }
  int n;
  if (dof) {
    n = put_dof(m, number, text, size);
  } else if (turn != width) {  // a quaternion that turns about its axes
    char row[CR_NUMBER_NAME];
    (void)put_number(m, f, 1, number / turn, row, (int)sizeof row);
    n = snprintf(text, (size_t)size, "%s about %c", row, "xyz"[number % turn]);
  } else {
    n = put_number(m, f, width, number, text, size);
  }
  return n < size ? CR_OK
                  : cri_fail(error, CR_ERR_ARG, "cr_number_name: %s needs %d characters", f->name,
                             n + 1);
}
