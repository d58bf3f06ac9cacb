// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers the same under every locale; a host program may have a decimal comma. The locale of
// the process never changes. Only the calling thread's does, and only until a call returns.
#ifndef CR_BASE_LOCALE_H
#define CR_BASE_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

/// Gives the calling thread the locale "C" until cri_locale_leave, for third-party code that reads or
/// writes numbers.
typedef struct {
  void *c, *before;
} cri_locale;
cri_locale cri_locale_enter(void);
void cri_locale_leave(cri_locale locale);

/// strtod, snprintf and vsnprintf with a decimal point.
double cri_number(const char* text, char** end);
int cri_print(char* text, size_t size, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
int cri_print_list(char* text, size_t size, const char* format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
