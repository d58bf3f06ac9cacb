// SPDX-License-Identifier: Apache-2.0
// The rows of a batch: what goes into its rollouts, from a file or at random, and what comes out, into
// a file. A process holds those it works on and no others.
#ifndef CR_CLI_BATCH_ROWS_H
#define CR_CLI_BATCH_ROWS_H

#include "carom/fields.h"
#include "tools/files.h"
#include "tools/hdf5.h"

/// A field that differs from rollout to rollout: a state, the controls, or a field of the model.
typedef struct {
  int field;  // cr_field_get
  const char* name;
  int width;            // numbers a rollout: of controls, those of all its steps
  bool from_file;       // read
  bool parameter;       // of the model
  int turns;            // numbers of its tangent where it is or has orientations; 0: it has none
  double spread;        // and moved at random; 0: not
  const cr_real* base;  // what all rollouts have otherwise
  cr_real* rows;
} cr_batch_column;

enum { CR_BATCH_COLUMNS = 64 };

/// Fills rows of rollouts first ... first + n - 1: base or file, then the spread. A rollout's random
/// numbers are those of (seed, rollout, field), whoever draws them: added to states and controls,
/// to orientations as turns; a parameter is multiplied by exp(spread times the number).
cr_status cr_batch_fill(cr_batch_column* column, const cr_model* m, const cr_h5* file,
                        uint64_t seed, int first, int n, cr_error* error);

/// A result: numbers first ... first + width - 1 of rows that are `apart` numbers apart.
typedef struct {
  char name[300];  // of the data set
  const cr_real* rows;
  int width, apart, first;
  bool single;  // one number a rollout, not a matrix with one column
} cr_batch_result;

enum { CR_BATCH_SENTENCE = 256 };  // bytes of what is said of a failure

/// Results of all rollouts on disk: PATH.part while it grows. Only rank 0 has one. Its data set
/// `checksum` has a number for every row of every result, by which a part is known to be whole.
typedef struct {
  int rollouts, chunk;  // rollouts in all, and at most in one call
  bool ends;            // how each rollout ended is part of it: data sets status, failure
  const cr_batch_result* results;
  int nresult;
  char path[CR_MAX_PATH], part[CR_MAX_PATH];
  cr_h5* file;
  double* sums;  // chunk x (results and ends): of the rollouts that are being written
  int failed;    // rollouts, counted when all are complete
  int first;     // the first of them
  char sentence[CR_BATCH_SENTENCE];
} cr_batch_file;

/// Makes the file, or with `resume` opens the part that another run left; *done rollouts are in it.
/// The caller has set the members up to nresult.
/// Errors   CR_ERR_FILE; CR_ERR_ARG where the part is of another batch, by its fingerprint
cr_status cr_batch_file_open(cr_batch_file* f, const char* path, bool resume, uint64_t fingerprint,
                             int* done, cr_error* error);

/// Reads the first `done` rows of a part again. `rows` is room for a chunk of any result.
/// Errors   CR_ERR_FORMAT where one is not what was written
cr_status cr_batch_file_verify(cr_batch_file* f, int done, double* rows, cr_error* error);

/// Writes rows of result i; how n rollouts ended; then, after all of these, that rollouts
/// 0 ... first + n - 1 are complete.
cr_status cr_batch_file_put(cr_batch_file* f, int i, int first, int n, const double* rows,
                            cr_error* error);
cr_status cr_batch_file_put_ends(cr_batch_file* f, int first, int n, const cr_error* ends,
                                 cr_error* error);
cr_status cr_batch_file_done(cr_batch_file* f, int first, int n, cr_error* error);

/// Counts the rollouts that failed, all in f->failed. `rows` is room for n numbers.
cr_status cr_batch_file_count(cr_batch_file* f, double* rows, int n, cr_error* error);

/// Mean over all rollouts but those that failed, summed in their order; not a number where all did.
/// `rows` is room for n of them.
cr_status cr_batch_file_mean(const cr_batch_file* f, const cr_batch_result* result, double* rows,
                             int n, double* mean, cr_error* error);

/// Gives the file its name. cr_batch_file_close leaves the part where this has not been called.
cr_status cr_batch_file_finish(cr_batch_file* f, cr_error* error);
void cr_batch_file_close(cr_batch_file* f);

#endif
