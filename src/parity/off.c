// SPDX-License-Identifier: Apache-2.0
#include "parity/off.h"

#include <stdarg.h>

#include "base/locale.h"

void cri_off_add(cr_off* off, cr_off_kind kind, double size, const char* format, ...) {
  if (off->times[kind]++ == 0 || size > off->worst[kind]) {
    va_list arguments;
    off->worst[kind] = size;
    va_start(arguments, format);
    (void)cri_print_list(off->text[kind], sizeof off->text[kind], format, arguments);
    va_end(arguments);
  }
}

const char* cri_off_name(cr_off_kind kind) {
  static const char* const names[CR_N_OFF] = {"convex contacts",  "nearly flat cylinders",
                                              "negative pivots",  "saturated orientation servos",
                                              "degenerate poses", "touch zones"};
  return names[kind];
}
