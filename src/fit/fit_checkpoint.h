// SPDX-License-Identifier: Apache-2.0
// A fit's checkpoint: the record of its evaluations in a file, every number in hexadecimal, so that
// it comes back with the same bits.
#ifndef CR_FIT_CHECKPOINT_H
#define CR_FIT_CHECKPOINT_H

#include "fit/fit_record.h"

typedef struct {
  uint64_t fingerprint;  // of everything that decides the numbers: settings, model, data
  double seconds;        // spent so far
} cr_checkpoint;

/// Writes the first `count` evaluations of a record, through a temporary file.
cr_status cr_checkpoint_write(const char* path, const cr_checkpoint* checkpoint,
                              const cr_record* record, int count, cr_error* error);

/// Reads a file into an empty record.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT (not a checkpoint, truncated); CR_ERR_ARG where it belongs to
///          another fit: checkpoint->fingerprint as given differs from the file's
cr_status cr_checkpoint_read(const char* path, cr_checkpoint* checkpoint, cr_record* record,
                             cr_error* error);

#endif
