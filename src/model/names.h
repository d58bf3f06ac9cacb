// SPDX-License-Identifier: Apache-2.0
// A name is a place. This is the only resolver for the command line, configurations, costs and recordings.
//
//   qpos                      a whole field
//   qpos[2]  body_mass[3]     one row, by number
//   qfrc_passive[elbow]       the row, or rows, of a named object: body, joint, geom, site, actuator
//   site_xpos[palm].z         one component of a row: .x .y .z, .w .x .y .z of quaternions, or [k]
//   geom_size[cube][0]        the same, by number
//   contact[floor:cube].dist  a field of the deepest contact of two geoms; contact[floor:cube][1]
//                             the second deepest; .dist .pos .frame, .pos.z
//   tangent[4]                a coordinate of the tangent of qpos, 0 <= j < nv; tangent[root][3], tangent[root] by
//                             joint
//   qpos[root].z  qvel[root][5]  the numbers of a joint are its components, as those of an actuator
//   sensordata[gyro].x        the numbers of a sensor are its components; as long as no field has its
//   gyro  gyro.x              name, a sensor may stand alone
//   gravity  gravity.z        fields of the whole model have one row, which needs no name
#ifndef CR_MODEL_NAMES_H
#define CR_MODEL_NAMES_H

#include "model/fields.h"

typedef struct {
  cr_field_id field;
  int first, count;          // numbers of the field, flat
  int tan_first, tan_count;  // numbers of its tangent; tan_count 0: it has none of its own
  bool of_tangent;           // tangent[j]: no value, only a direction
  int geom1, geom2, rank;    // a contact: the two geoms and which of their contacts; else -1
} cr_place;

/// Resolves a name. CR_ERR_NAME with a sentence that says which part is wrong and, if a name is
/// unknown, which names exist.
cr_status cri_place_find(cr_place* place, const cr_model* m, const char* name, cr_error* error);

/// The numbers of a place: returns a pointer to place->count of them in m or d, or NULL for a
/// contact that does not exist now.
const cr_real* cri_place_value(const cr_place* place, const cr_model* m, const cr_data* d);

/// The numbers of a place's tangent or cotangent in a twin (place->tan_count of them); d gives the
/// contact list. NULL if the twin has none.
cr_real* cri_place_tangent(const cr_place* place, const cr_model* m, const cr_data* d,
                           cr_data* twin);

/// A row of model/object_table.h.
typedef struct {
  const char *kind, *label;
  const char* rows;  // the count, by name
  int type;          // its mjtObj
  size_t count;      // offsets in cr_model: of the count,
  ptrdiff_t names;   // and of the places of the names
} cri_object_info;
enum { CRI_UNNAMED = -1 };

/// The row of a kind; NULL for CRI_N_OBJECT.
const cri_object_info* cri_object_info_of(cri_object_kind kind);

/// The kind that names the rows that a count counts: bodies for "nbody", joints for "nv". And its rows of object i;
/// none for an actuator without activation, or a body that is no mocap body.
cri_object_kind cri_object_naming(const char* rows);
void cri_object_rows(const cr_model* m, const char* rows, int i, int* first, int* count);

/// How many objects of a kind a model has, none of CRI_N_OBJECT; and whether id is one of them.
int cri_object_count(const cr_model* m, cri_object_kind kind);
bool cri_object_is(const cr_model* m, cri_object_kind kind, int id);

/// The kind that a count counts ("nbody"), that has a word ("body"), that is an mjtObj (of bodies there are two);
/// CRI_N_OBJECT where there is none.
cri_object_kind cri_object_of_rows(const char* rows);
cri_object_kind cri_object_of_word(const char* word);
cri_object_kind cri_object_of_type(int type);

/// Id of a named object, -1 if unknown.
int cri_object_find(const cr_model* m, cri_object_kind kind, const char* name, size_t length);

/// Name of object id, "" where it has none; NULL for an id that is none, and for kinds without names.
const char* cri_object_name(const cr_model* m, cri_object_kind kind, int id);

/// True if a name fits a pattern of a length, in which * stands for any characters.
bool cri_name_fits(const char* pattern, size_t npattern, const char* name);

/// "body 'arm'", or "body 3" where it has no name or m is NULL: how an error names an object.
typedef struct {
  char text[96];
} cr_label;
cr_label cri_label(const cr_model* m, cri_object_kind kind, int id);

#endif
