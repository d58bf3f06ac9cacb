// SPDX-License-Identifier: Apache-2.0
// The locale "C" for one thread, by POSIX's uselocale. glibc and musl allocate nothing for it.
#include "base/locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

cri_locale cri_locale_enter(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (cri_locale){.c = c, .before = uselocale(c)};
}

void cri_locale_leave(cri_locale locale) {
  (void)uselocale((locale_t)locale.before);
  if (locale.c != NULL) {
    freelocale((locale_t)locale.c);
  }
}

double cri_number(const char* text, char** end) {
  cri_locale locale = cri_locale_enter();
  double x = strtod(text, end);
  cri_locale_leave(locale);
  return x;
}

int cri_print_list(char* text, size_t size, const char* format, va_list arguments) {
  cri_locale locale = cri_locale_enter();
  int n = vsnprintf(text, size, format, arguments);
  cri_locale_leave(locale);
  return n;
}

int cri_print(char* text, size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = cri_print_list(text, size, format, arguments);
  va_end(arguments);
  return n;
}
