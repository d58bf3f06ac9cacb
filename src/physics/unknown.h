// SPDX-License-Identifier: Apache-2.0
// A model with unknown numbers, and how they are searched for.
#ifndef CR_PHYSICS_UNKNOWN_H
#define CR_PHYSICS_UNKNOWN_H

#include "carom/carom.h"

enum { CRI_MOST_UNKNOWN = 256 };

typedef struct {
  cr_model* m;
  const char* turned;  // the orientation that an error of sight turns: "geom_quat[box]"
  int n;
  cr_parameter_info item[CRI_MOST_UNKNOWN];  // their starts do not count
  cr_real
      unit[CRI_MOST_UNKNOWN];  // by how much the free number of an item moves where Adam moves by 1
  char target[CRI_MOST_UNKNOWN][48];      // targets, and names, of items that are made here
  void (*start)(int number, cr_real* p);  // a start, drawn from wide ranges by its number
} cri_unknown;

/// Without a model and without numbers. Free with cri_unknown_destroy, which destroys the model too.
/// Errors   CR_ERR_MEMORY
cr_status cri_unknown_create(cri_unknown** u, cr_error* error);
void cri_unknown_destroy(cri_unknown* u);

/// The same numbers of a copy of the model. Owner: the caller, cri_unknown_destroy, also after an error.
/// Errors   CR_ERR_MEMORY
cr_status cri_unknown_copy(const cri_unknown* from, cri_unknown** u, cr_error* error);

/// The model with these numbers.
/// Shapes   p[n]
/// Owner    the caller, cr_model_destroy
/// Errors   those of cr_parameters_create
cr_status cri_unknown_model(const cri_unknown* u, const cr_real* p, cr_model** m, cr_error* error);

/// First weights of the corrections of the model, which stand behind its numbers. Untrained they change nothing. Without a correction there is nothing to do.
/// seed     that they are drawn by
/// Shapes   p[n], of which the numbers of the model are left as they are
/// Errors   those of cr_network_init
cr_status cri_unknown_weights(const cri_unknown* u, int seed, cr_real* p, cr_error* error);

/// Contacts from distance of a model: impedance 0.9 at touch, as contacts have; how far they reach, m.
cr_status cri_unknown_set_distance(cr_model* m, cr_error* error);
cr_status cri_unknown_set_reach(cr_model* m, cr_real reach, cr_error* error);

#endif
