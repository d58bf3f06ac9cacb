// SPDX-License-Identifier: Apache-2.0
// Numbers have a decimal point under every locale, in every thread, and the locale is left as it was.
#include "base/locale.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/comma_locale.h"
#include "support/test.h"

// how the host program itself still prints
static bool has_comma(void) {
  char text[32];
  (void)snprintf(text, sizeof text, "%g", 0.5);
  return strcmp(text, "0,5") == 0;
}

static bool agrees(void) {
  char text[64], *end;
  cr_error error;
  bool ok = cri_number("0.25;", &end) == 0.25 && *end == ';' && has_comma();
  ok = ok && cri_print(text, sizeof text, "%g %d", 1.5, 3) == 5 && strcmp(text, "1.5 3") == 0;
  (void)cri_fail(&error, CR_ERR_ARG, "not %.9g", 0.125);
  return ok && strcmp(error.text, "not 0.125") == 0 && has_comma();
}

TEST(numbers_have_a_point) {
  comma_locale_begin();
  assert_true(agrees());
  comma_locale_end();
}

TEST(a_locale_is_given_back) {
  char* end;
  comma_locale_begin();
  cri_locale outer = cri_locale_enter();
  cri_locale inner = cri_locale_enter();
  assert_true(strtod("0.5", &end) == 0.5);
  cri_locale_leave(inner);
  assert_true(strtod("0.5", &end) == 0.5);
  cri_locale_leave(outer);
  assert_true(has_comma());
  comma_locale_end();
}

static void* in_a_thread(void* context) {
  bool* ok = context;
  for (int k = 0; k < 2000 && *ok; k++) {
    *ok = agrees();
  }
  return NULL;
}

TEST(every_thread_has_its_own) {
  enum { N = 3 };
  pthread_t threads[N];
  bool ok[N] = {true, true, true};
  comma_locale_begin();
  for (int i = 0; i < N; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, in_a_thread, &ok[i]), 0);
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(ok[i]);
  }
  comma_locale_end();
}
