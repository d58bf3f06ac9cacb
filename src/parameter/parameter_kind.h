// SPDX-License-Identifier: Apache-2.0
// Kinds of parameters. A parameter bound to a model is an entry; its kind says how it puts numbers into the model, and
// how tangents and cotangents of fields go with that. Kinds that read what others set are applied after these.
#ifndef CR_PARAMETER_PARAMETER_KIND_H
#define CR_PARAMETER_PARAMETER_KIND_H

#include "carom/parameters.h"
#include "model/names.h"

enum { CR_MAX_NAME = 64, CR_MAX_TARGET = 512 };

typedef struct {
  char name[CR_MAX_NAME];
  char target[CR_MAX_TARGET];  // places of numbers, or the name of a geom or body
  cr_fit_kind kind;
  cr_transform transform;
  cr_real start, lower, upper;  // bounds may be infinite
  cr_real prior, prior_sd;      // a Gaussian on p; sd 0: none
} cr_parameter;

typedef struct {
  cr_parameter item;
  int first, n;      // its free numbers, and its numbers in p
  cr_place* places;  // all numbers of the model that it sets
  int nplace;
  cr_real* base;   // these numbers in the model, one place after the other
  int geom, body;  // box side, shape, inertia, density
  bool drifts;     // box side: nothing but contact turns the body
  cr_real share
      [9];  // shape: moment k of the body is the sum of share[3 k + j] times that about axis j of the geom
} cri_parameter_entry;

typedef struct {
  bool own_start;  // x = p from the numbers of the model: no transform, bounds and prior
  bool reads;      // numbers that other kinds may set: applied after these, pulled back before them
  /// Fills places, and what else the kind needs; marks the fields whose cotangents it takes.
  cr_status (*bind)(cri_parameter_entry* e, const cr_model* m, bool* wanted, cr_error* error);
  /// p at the start; NULL: that of the item.
  void (*start)(const cri_parameter_entry* e, const cr_model* m, cr_real* p);
  void (*apply)(const cri_parameter_entry* e, cr_model* m, const cr_real* p);
  /// Sets the tangents of the places. m is the model with the parameters p.
  void (*push)(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
               const cr_real* p_tan, cr_model* par_tan);
  /// Adds to p_bar, and to the cotangents of what it reads; those of what it set from that become zero.
  void (*pull)(const cri_parameter_entry* e, const cr_model* m, const cr_real* p, cr_model* par_bar,
               cr_real* p_bar);
} cri_parameter_kind;

/// Makes the places of an entry: n of them, zero.
cr_status cri_entry_places(cri_parameter_entry* e, int n, cr_error* error);

/// The place of `count` numbers of a field whose tangents have the same numbers; and marks the field.
void cri_entry_place(cri_parameter_entry* e, int i, cr_field_id field, int first, int count,
                     bool* wanted);

/// Stores the numbers that its places have in m.
cr_status cri_entry_base(cri_parameter_entry* e, const cr_model* m, cr_error* error);

/// Frees what an entry owns.
void cri_entry_free(cri_parameter_entry* e);

#endif
