// SPDX-License-Identifier: Apache-2.0
// Checkpoints as lines of text:
//   carom-fit-checkpoint 2
//   FINGERPRINT SECONDS WIDTH COUNT
//   BATCH WINDOWS ZERO_WINDOWS CONTACT_FREE VALUE x... gradient...     COUNT times
//   end CHECKSUM                                                   of all before
#include "fit/fit_checkpoint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/locale.h"
#include "tools/files.h"

static const char magic[] = "carom-fit-checkpoint 2\n";
enum { SEAL = 21 };  // bytes of the last line

// ---- writing

typedef struct {
  char* text;
  size_t n, capacity;
} buffer;

static void print(buffer* b, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void print(buffer* b, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = cri_print_list(b->text + b->n, b->capacity - b->n, format, arguments);
  va_end(arguments);
  b->n += n > 0 ? (size_t)n : 0;
}

static void print_row(buffer* b, const cr_record_row* row, int width) {
  print(b, "%d %d %d %d %a", row->batch, row->e.windows, row->e.zero_windows, row->e.contact_free,
        row->e.loss);
  for (int i = 0; i < width; i++) {
    print(b, " %a", row->x[i]);
  }
  for (int i = 0; i < width; i++) {
    print(b, " %a", row->e.gradient[i]);
  }
  print(b, "\n");
}

cr_status cr_checkpoint_write(const char* path, const cr_checkpoint* c, const cr_record* record,
                              int count, cr_error* error) {
  enum { NUMBER = 32 };  // room for one number and a space
  int width = cr_record_width(record);
  size_t room = 256 + (size_t)count * (size_t)(5 + 2 * width) * NUMBER;
  buffer b = {malloc(room), 0, room};
  if (b.text == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  print(&b, "%s%016" PRIx64 " %a %d %d\n", magic, c->fingerprint, c->seconds, width, count);
  for (int i = 0; i < count; i++) {
    cr_record_row row = cr_record_get(record, i);
    print_row(&b, &row, width);
  }
  print(&b, "end %016" PRIx64 "\n", cri_fingerprint(0, b.text, b.n));
  cr_status status = cri_file_write(path, b.text, b.n, error);
  free(b.text);
  return status;
}

// ---- reading

static bool take_int(char** at, int* value) {
  char* end;
  long number = strtol(*at, &end, 10);
  bool ok = end != *at;
  *at = end;
  *value = (int)number;
  return ok;
}

static bool take_real(char** at, double* value) {
  char* end;
  *value = cri_number(*at, &end);
  bool ok = end != *at;
  *at = end;
  return ok;
}

static cr_status read_rows(char* at, int count, cr_record* record, const char* path,
                           cr_error* error) {
  int width = cr_record_width(record);
  double* numbers = calloc(2 * (size_t)width + 1, sizeof *numbers);
  cr_status status =
      numbers != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  for (int i = 0; i < count && status == CR_OK; i++) {
    int batch;
    cr_fit_value e = {.size = sizeof e, .gradient = numbers + width};
    bool ok = take_int(&at, &batch) && take_int(&at, &e.windows) &&
              take_int(&at, &e.zero_windows) && take_int(&at, &e.contact_free) &&
              take_real(&at, &e.loss);
    for (int k = 0; k < 2 * width && ok; k++) {
      ok = take_real(&at, &numbers[k]);
    }
    status = ok ? cr_record_add(record, batch, numbers, &e, error)
                : cri_fail(error, CR_ERR_FORMAT, "%s: evaluation %d is damaged", path, i);
  }
  free(numbers);
  if (status == CR_OK && strncmp(at, "\nend ", 5) != 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is truncated", path);
  }
  return status;
}

static cr_status check_seal(const char* text, size_t n, const char* path, cr_error* error) {
  const char* line = n < SEAL ? "" : text + n - SEAL;
  if (strncmp(line, "end ", 4) != 0 || line[SEAL - 1] != '\n') {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is truncated", path);
  }
  return strtoull(line + 4, NULL, 16) == cri_fingerprint(0, text, n - SEAL)
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT, "%s: the checksum is wrong: the file is damaged",
                        path);
}

static cr_status parse(char* text, size_t length, cr_checkpoint* c, cr_record* record,
                       const char* path, cr_error* error) {
  size_t n = strlen(magic);
  if (strncmp(text, magic, n) != 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: is not a checkpoint of carom fit", path);
  }
  CR_TRY(check_seal(text, length, path, error));
  char* at = text + n;
  int width, count;
  uint64_t fingerprint = strtoull(at, &at, 16);
  if (!take_real(&at, &c->seconds) || !take_int(&at, &width) || !take_int(&at, &count)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the first lines are damaged", path);
  }
  if (fingerprint != c->fingerprint || width != cr_record_width(record)) {
    return cri_fail(
        error, CR_ERR_ARG,
        "%s: belongs to a fit with other settings, model or data; --resume goes on with "
        "the same ones only",
        path);
  }
  return read_rows(at, count, record, path, error);
}

cr_status cr_checkpoint_read(const char* path, cr_checkpoint* checkpoint, cr_record* record,
                             cr_error* error) {
  char* text = NULL;
  size_t n = 0;
  CR_TRY(cri_file_read(path, &text, &n, error));
  cr_status status = parse(text, n, checkpoint, record, path, error);
  free(text);
  return status;
}
