// SPDX-License-Identifier: Apache-2.0
// The members of a list of parameters, for the files that are its functions.
#ifndef CR_LEARN_PARAMETER_LIST_H
#define CR_LEARN_PARAMETER_LIST_H

#include "learn/parameters.h"

struct cr_parameters {
  int n, nentry;  // numbers; parameters
  cri_parameter_entry* entries;
  bool wanted[CR_N_FIELD];
  const char* fields[CR_N_FIELD];  // the same by name
  int nfield;
  cr_model m;           // the variant, a copy that owns its arrays
  cr_real *p, *start;   // its values, those of the start
  cr_data *work, *bar;  // for the derived constants
};

/// Most numbers of one parameter.
enum { CRI_MAX_NUMBERS = 10 };

/// p of entry e from its x; and the derivative of number k of its p by number j of its x.
void cri_entry_values(const cri_parameter_entry* e, const cr_real* x, cr_real* p);
cr_real cri_entry_slope(const cri_parameter_entry* e, const cr_real* x, int k, int j);

#endif
