// SPDX-License-Identifier: Apache-2.0
// Some tosses of a floor as they are seen, made in memory.
#ifndef CR_STIFF_SIGHTED_H
#define CR_STIFF_SIGHTED_H

#include "stiff/tossed.h"

typedef struct {
  int n;
  int32_t* first;  // [n + 1], row of each toss, and the end
  cr_real* seen;   // [first[n]][CRI_STATE]
} cri_sighted;

/// Tosses `from` ... from + n - 1, of the published noise of the scripts. Free with cri_sighted_free, also after an error.
/// Errors   CR_ERR_MEMORY, those of steps
cr_status cri_sighted_make(cri_sighted* s, const cr_model* m, cr_data* d, int floor, int from,
                           int n, cr_error* error);
void cri_sighted_free(cri_sighted* s);

/// Rows of toss i, and how many there are.
const cr_real* cri_sighted_toss(const cri_sighted* s, int i, int* rows);

#endif
