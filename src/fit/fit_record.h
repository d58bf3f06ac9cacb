// SPDX-License-Identifier: Apache-2.0
// The record of a search: every evaluation, in order. A search that is started again with its record
// is served from it as long as it asks the same questions, bit for bit, and so arrives at the same
// state as if it had never stopped, whatever the optimiser keeps inside.
#ifndef CR_FIT_RECORD_H
#define CR_FIT_RECORD_H

#include "carom/fit.h"

typedef struct cr_record cr_record;

typedef struct {
  int batch;
  cr_fit_value e;    // its gradient belongs to the record
  const cr_real* x;  // n numbers
} cr_record_row;

/// What is asked where the record does not have the answer: cr_fit_evaluate of a fit.
typedef cr_status cr_record_inner(void* context, int batch, const cr_real* x, cr_fit_value* value,
                                  cr_error* error);

/// Called after every evaluation, row i; `fresh` is false where it came from the record. What it
/// returns is what the optimiser sees.
typedef cr_status cr_record_seen(void* context, const cr_record* record, int i, bool fresh,
                                 cr_error* error);

/// An empty record for n free numbers.
cr_status cr_record_create(cr_record** record, int n, cr_error* error);

void cr_record_free(cr_record* record);

/// Appends a row, copying x and gradient.
cr_status cr_record_add(cr_record* record, int batch, const cr_real* x, const cr_fit_value* e,
                        cr_error* error);

int cr_record_count(const cr_record* record);
int cr_record_width(const cr_record* record);  // n
cr_record_row cr_record_get(const cr_record* record, int i);

/// Begins a search at the first row: cr_record_ask asks `inner` only what the record does not have, and notes
/// what it answers.
void cr_record_begin(cr_record* record, cr_record_inner* inner, void* inner_context,
                     cr_record_seen* seen, void* context);

/// Answers a question, as the function of a cr_minimise_problem whose context is the record. Rows behind the first
/// question that differs are dropped. The last question asked once more is answered without a new row.
/// Errors   those of `inner` and of `seen`
cr_status cr_record_ask(void* record, int batch, const cr_real* x, cr_real* value,
                        cr_real* gradient, cr_error* error);

#endif
