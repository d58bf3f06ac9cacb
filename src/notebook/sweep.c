// SPDX-License-Identifier: Apache-2.0
// Sweeps: rounds of a few rows on the pool; between them the table is saved.
#include "notebook/sweep.h"

#include <stdio.h>

static const double save_every = 2;  // s

typedef struct {
  cr_sweep_work* work;
  void* context;
  cr_table* table;
  int first;
  cr_error errors[CR_SWEEP_ROUND];
} round_of;

static cr_status work_row(void* context, int item, int worker) {
  round_of* r = context;
  int row = r->first + item;
  return r->work(r->context, row, worker, r->table->value + (size_t)row * (size_t)r->table->width,
                 &r->errors[item]);
}

static cr_status run_round(cr_notebook* book, round_of* r, int n, cr_error* error) {
  for (int i = 0; i < n; i++) {
    r->errors[i] = (cr_error){0};
  }
  cr_status status = cr_pool_run(book->pool, n, work_row, r);
  for (int i = 0; i < n && status != CR_OK; i++) {
    if (r->errors[i].text[0] != 0) {
      return cri_fail(error, status, "%s, row %d: %s", r->table->file, r->first + i,
                      r->errors[i].text);
    }
  }
  return status;
}

cr_status cri_sweep(cr_notebook* book, cr_table* table, int round, cr_sweep_work* work,
                    void* context, cr_error* error) {
  round_of r = {.work = work, .context = context, .table = table};
  double saved = cri_seconds();
  // a new start: removes rows of an earlier run, which a resumed run must not find
  CR_TRY(book->request.resume ? cri_table_load(table, book->folder, error)
                              : cri_table_save(table, book->folder, error));
  const double begun = cri_seconds();
  const int from = table->rows;
  while (table->rows < table->room) {
    int most = round < CR_SWEEP_ROUND ? round : CR_SWEEP_ROUND;
    int n = table->room - table->rows < most ? table->room - table->rows : most;
    r.first = table->rows;
    cr_status status = cri_notebook_stopped(book, error);
    status = status == CR_OK ? run_round(book, &r, n, error) : status;
    if (status != CR_OK) {  // rows before this round are kept
      (void)cri_table_save(table, book->folder, NULL);
      // a row that was stopped itself says less
      return status == CR_ERR_INTERRUPTED ? cri_notebook_stopped(book, error) : status;
    }
    table->rows += n;
    if (cri_seconds() - saved > save_every) {
      CR_TRY(cri_table_save(table, book->folder, error));
      saved = cri_seconds();
    }
    if (cri_progress_due(&book->progress)) {
      char line[128];
      (void)snprintf(line, sizeof line, "%s: %d of %d rows", table->file, table->rows, table->room);
      cri_progress_left(&book->progress, line, cri_seconds() - begun,
                        (double)(table->rows - from) / (table->room - from), " of this table");
    }
  }
  return cri_table_save(table, book->folder, error);
}
