// SPDX-License-Identifier: Apache-2.0
// Status texts, exit codes and the error sentence, all from the one list in carom/base.h.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/locale.h"

typedef struct {
  int exit_code;
  const char* text;
} status_row;

#define STATUS_ROW(name, exit_code, text) {exit_code, text},
static const status_row status_table[] = {CR_STATUS_LIST(STATUS_ROW)};

static bool known(cr_status status) { return (int)status >= 0 && status < CR_N_STATUS; }

const char* cr_status_text(cr_status status) {
  return known(status) ? status_table[status].text : "unknown status";
}

int cr_status_exit_code(cr_status status) {
  return known(status) ? status_table[status].exit_code : 3;
}

const char* cr_version(void) { return CR_VERSION_TEXT; }

cr_status cri_fail(cr_error* error, cr_status status, const char* format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    (void)cri_print_list(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
  }
  return status;
}
