// SPDX-License-Identifier: Apache-2.0
// Rows in and out of a batch.
#include "cli/batch_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/random.h"

// ---- in

static cr_status spread_row(const cr_batch_column* c, const cr_model* m, cr_random* r, cr_real* row,
                            cr_real* direction, cr_error* error) {
  cr_real spread = (cr_real)c->spread;
  if (c->turns > 0) {
    for (int i = 0; i < c->turns; i++) {
      direction[i] = cr_random_normal(r);
    }
    return cr_field_move(m, c->field, row, direction, spread, error);
  }
  for (int i = 0; i < c->width; i++) {
    cr_real x = spread * cr_random_normal(r);
    row[i] = c->parameter ? row[i] * cr_exp(x) : row[i] + x;
  }
  return CR_OK;
}

cr_status cr_batch_fill(cr_batch_column* c, const cr_model* m, const cr_h5* file, uint64_t seed,
                        int first, int n, cr_error* error) {
  if (c->from_file) {
    CR_TRY(cri_h5_read_rows(file, c->name, first, n, c->rows, error));
  }
  cr_real* room = c->rows + (size_t)n * (size_t)c->width;  // for the numbers of a tangent
  for (int i = 0; i < n; i++) {
    cr_real* row = c->rows + (size_t)i * (size_t)c->width;
    if (!c->from_file) {
      cr_copy(row, c->base, c->width);
    }
    if (c->spread > 0) {
      cr_random r = cr_random_seed(seed, ((uint64_t)(first + i) << 16) + (uint64_t)c->field);
      CR_TRY(spread_row(c, m, &r, row, room, error));
    }
  }
  return CR_OK;
}

// ---- out

static int sets(const cr_batch_file* f) { return f->nresult + f->ends; }

static cr_status make(cr_batch_file* f, uint64_t fingerprint, cr_error* error) {
  size_t numbers = 1 + (size_t)sets(f) * (size_t)f->rollouts;
  for (int i = 0; i < f->nresult; i++) {
    numbers += (size_t)f->results[i].width * (size_t)f->rollouts;
  }
  numbers += f->ends ? (size_t)f->rollouts * (1 + CR_BATCH_SENTENCE / sizeof(double)) : 0;
  CR_TRY(cri_h5_create_on_disk(&f->file, f->part, numbers, error));
  for (int i = 0; i < f->nresult; i++) {
    const cr_batch_result* r = &f->results[i];
    CR_TRY(cri_h5_reserve(f->file, r->name, f->rollouts, r->single ? 0 : r->width, error));
  }
  if (f->ends) {
    CR_TRY(cri_h5_reserve(f->file, "status", f->rollouts, 0, error));
    CR_TRY(cri_h5_reserve_texts(f->file, "failure", f->rollouts, CR_BATCH_SENTENCE, error));
  }
  CR_TRY(cri_h5_reserve(f->file, "checksum", f->rollouts, sets(f), error));
  CR_TRY(cri_h5_reserve(f->file, "done", 1, 0, error));
  double low = (double)(fingerprint & 0xffffffffu), high = (double)(fingerprint >> 32);
  CR_TRY(cri_h5_write_attribute(f->file, "/", "fingerprint_low", low, error));
  CR_TRY(cri_h5_write_attribute(f->file, "/", "fingerprint_high", high, error));
  CR_TRY(cri_h5_settle(f->file, error));
  return cr_batch_file_done(f, 0, 0, error);
}

// a set of a file to go on with has the size that it was made with
static cr_status check_set(const cr_batch_file* f, const char* name, int rows, int width,
                           cr_error* error) {
  int have_rows = 0, have_width = 0;
  CR_TRY(cri_h5_shape(f->file, name, &have_rows, &have_width, error));
  return have_rows == rows && have_width == width
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT,
                        "--resume: %s: '%s' has %d rows of %d numbers instead of %d of %d", f->part,
                        name, have_rows, have_width, rows, width);
}

static cr_status check_sets(const cr_batch_file* f, cr_error* error) {
  for (int i = 0; i < f->nresult; i++) {
    CR_TRY(check_set(f, f->results[i].name, f->rollouts, f->results[i].width, error));
  }
  CR_TRY(check_set(f, "checksum", f->rollouts, sets(f), error));
  if (f->ends) {
    CR_TRY(check_set(f, "status", f->rollouts, 1, error));
  }
  return check_set(f, "done", 1, 1, error);
}

static cr_status open_again(cr_batch_file* f, uint64_t fingerprint, int* done, cr_error* error) {
  double low = 0, high = 0, rollouts = 0;
  bool has_low = false, has_high = false;
  CR_TRY(cri_h5_open_on_disk(&f->file, f->part, error));
  CR_TRY(cri_h5_read_attribute(f->file, "/", "fingerprint_low", &low, &has_low, error));
  CR_TRY(cri_h5_read_attribute(f->file, "/", "fingerprint_high", &high, &has_high, error));
  if (!has_low || !has_high || low != (double)(fingerprint & 0xffffffffu) ||
      high != (double)(fingerprint >> 32)) {
    return cri_fail(error, CR_ERR_ARG, "--resume: %s is of another batch", f->part);
  }
  CR_TRY(check_sets(f, error));
  CR_TRY(cri_h5_read_rows(f->file, "done", 0, 1, &rollouts, error));
  if (!(rollouts >= 0 && rollouts <= f->rollouts) || rollouts != floor(rollouts)) {
    return cri_fail(error, CR_ERR_FORMAT, "--resume: %s: 'done' is %g, not 0 to %d", f->part,
                    rollouts, f->rollouts);
  }
  *done = (int)rollouts;
  return CR_OK;
}

cr_status cr_batch_file_open(cr_batch_file* f, const char* path, bool resume, uint64_t fingerprint,
                             int* done, cr_error* error) {
  *done = 0;
  CR_TRY(cri_path_join(f->path, "", path, error));
  if (snprintf(f->part, sizeof f->part, "%s.part", path) >= (int)sizeof f->part) {
    return cri_fail(error, CR_ERR_ARG, "--out %s: the path is too long", path);
  }
  f->sums = calloc((size_t)f->chunk * (size_t)sets(f) + 1, sizeof *f->sums);
  if (f->sums == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for the checksums of %d rows", f->chunk);
  }
  FILE* part = resume ? fopen(f->part, "rb") : NULL;
  if (part == NULL) {
    return make(f, fingerprint, error);
  }
  (void)fclose(part);
  return open_again(f, fingerprint, done, error);
}

// ---- checksums: of each row, 32 bits, which a double holds

static double fold(uint64_t hash) { return (double)(uint32_t)(hash ^ (hash >> 32)); }

static double sum_row(const cr_batch_file* f, int set, const double* row) {
  return fold(cri_fingerprint(0, row, (size_t)f->results[set].width * sizeof *row));
}

static double sum_end(double status, const char* text) {
  return fold(cri_fingerprint(cri_fingerprint(0, &status, sizeof status), text, strlen(text)));
}

// of row k of a chunk that begins at `first`, as the file has it
static cr_status sum_again(const cr_batch_file* f, int set, int first, int k, const double* rows,
                           double* sum, cr_error* error) {
  if (set < f->nresult) {
    *sum = sum_row(f, set, rows + (size_t)k * (size_t)f->results[set].width);
    return CR_OK;
  }
  char text[CR_BATCH_SENTENCE] = "";
  if (rows[k] != CR_OK) {
    CR_TRY(cri_h5_read_text(f->file, "failure", first + k, CR_BATCH_SENTENCE, text, error));
  }
  *sum = sum_end(rows[k], text);
  return CR_OK;
}

static cr_status verify_chunk(const cr_batch_file* f, int first, int n, double* rows,
                              cr_error* error) {
  CR_TRY(cri_h5_read_rows(f->file, "checksum", first, n, f->sums, error));
  for (int set = 0; set < sets(f); set++) {
    const char* name = set < f->nresult ? f->results[set].name : "status";
    CR_TRY(cri_h5_read_rows(f->file, name, first, n, rows, error));
    for (int k = 0; k < n; k++) {
      double sum = 0;
      CR_TRY(sum_again(f, set, first, k, rows, &sum, error));
      if (sum != f->sums[(size_t)k * (size_t)sets(f) + (size_t)set]) {
        return cri_fail(error, CR_ERR_FORMAT,
                        "--resume: %s is damaged: row %d of '%s' is not what was written", f->part,
                        first + k, name);
      }
    }
  }
  return CR_OK;
}

cr_status cr_batch_file_verify(cr_batch_file* f, int done, double* rows, cr_error* error) {
  for (int first = 0; first < done; first += f->chunk) {
    int n = done - first < f->chunk ? done - first : f->chunk;
    CR_TRY(verify_chunk(f, first, n, rows, error));
  }
  return CR_OK;
}

// ---- rows

cr_status cr_batch_file_put(cr_batch_file* f, int i, int first, int n, const double* rows,
                            cr_error* error) {
  for (int k = 0; k < n; k++) {
    f->sums[(size_t)k * (size_t)sets(f) + (size_t)i] =
        sum_row(f, i, rows + (size_t)k * (size_t)f->results[i].width);
  }
  return cri_h5_write_rows(f->file, f->results[i].name, first, n, rows, error);
}

cr_status cr_batch_file_put_ends(cr_batch_file* f, int first, int n, const cr_error* ends,
                                 cr_error* error) {
  double* numbers = calloc((size_t)n + 1, sizeof *numbers);
  char* texts = calloc((size_t)n + 1, CR_BATCH_SENTENCE);
  cr_status status = numbers != NULL && texts != NULL
                         ? CR_OK
                         : cri_fail(error, CR_ERR_MEMORY, "no memory for %d sentences", n);
  for (int i = 0; i < n && status == CR_OK; i++) {
    char* text = texts + (size_t)i * CR_BATCH_SENTENCE;
    numbers[i] = (double)ends[i].status;
    (void)snprintf(text, CR_BATCH_SENTENCE, "%.*s", CR_BATCH_SENTENCE - 1, ends[i].text);
    f->sums[(size_t)i * (size_t)sets(f) + (size_t)f->nresult] =
        sum_end(numbers[i], ends[i].status == CR_OK ? "" : text);
  }
  status =
      status == CR_OK ? cri_h5_write_rows(f->file, "status", first, n, numbers, error) : status;
  status = status == CR_OK
               ? cri_h5_write_texts(f->file, "failure", first, n, CR_BATCH_SENTENCE, texts, error)
               : status;
  free(numbers);
  free(texts);
  return status;
}

cr_status cr_batch_file_done(cr_batch_file* f, int first, int n, cr_error* error) {
  double number = first + n;
  if (n > 0) {
    CR_TRY(cri_h5_write_rows(f->file, "checksum", first, n, f->sums, error));
  }
  CR_TRY(cri_h5_flush(f->file, error));  // the rows first
  CR_TRY(cri_h5_write_rows(f->file, "done", 0, 1, &number, error));
  return cri_h5_flush(f->file, error);
}

cr_status cr_batch_file_count(cr_batch_file* f, double* rows, int n, cr_error* error) {
  f->failed = 0;
  for (int first = 0; f->ends && first < f->rollouts; first += n) {
    int some = f->rollouts - first < n ? f->rollouts - first : n;
    CR_TRY(cri_h5_read_rows(f->file, "status", first, some, rows, error));
    for (int i = 0; i < some; i++) {
      f->first = rows[i] != CR_OK && f->failed == 0 ? first + i : f->first;
      f->failed += rows[i] != CR_OK;
    }
  }
  return f->failed == 0 ? CR_OK
                        : cri_h5_read_text(f->file, "failure", f->first, CR_BATCH_SENTENCE,
                                           f->sentence, error);
}

cr_status cr_batch_file_mean(const cr_batch_file* f, const cr_batch_result* result, double* rows,
                             int n, double* mean, cr_error* error) {
  cr_zero(mean, result->width);
  for (int first = 0; first < f->rollouts; first += n) {
    int some = f->rollouts - first < n ? f->rollouts - first : n;
    CR_TRY(cri_h5_read_rows(f->file, result->name, first, some, rows, error));
    for (int i = 0; i < some; i++) {
      for (int k = 0; k < result->width; k++) {
        mean[k] += rows[(size_t)i * (size_t)result->width + (size_t)k];
      }
    }
  }
  for (int i = 0; i < result->width; i++) {
    mean[i] /= f->rollouts - f->failed;  // whose rows are zero
  }
  return CR_OK;
}

cr_status cr_batch_file_finish(cr_batch_file* f, cr_error* error) {
  cr_h5* file = f->file;
  f->file = NULL;
  return cri_h5_finish(file, f->path, error);
}

void cr_batch_file_close(cr_batch_file* f) {
  cri_h5_close(f->file);
  free(f->sums);
  f->file = NULL;
  f->sums = NULL;
}
