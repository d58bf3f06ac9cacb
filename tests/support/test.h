// SPDX-License-Identifier: Apache-2.0
// Macros for test files, and cmocka's headers.
//
//     TEST(bias_is_gravity_at_rest) {
//       cr_data* d = test_data(&m);
//       ...
//     }
//
// tests/main.c runs the tests of a file in their order in the file, in a folder of their own
// (support/scratch.h).
#ifndef CR_TESTS_TEST_H
#define CR_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/data.h"

/// A test of this file: TEST(name) { ... }. The name is a sentence that must hold.
#define TEST(name)                                                                               \
  static void name(void** state);                                                                \
  __attribute__((constructor)) static void add_##name(void) { test_add(__FILE__, #name, name); } \
  static void name(void** state)

/// Functions that run before and after all tests of this file (data of test_data last as
/// long), or before and after each of them; NULL: none.
#define AROUND_FILE(setup, teardown)                          \
  __attribute__((constructor)) static void add_around(void) { \
    test_around_file(__FILE__, setup, teardown);              \
  }
#define AROUND_EACH(setup, teardown)                               \
  __attribute__((constructor)) static void add_around_each(void) { \
    test_around_each(__FILE__, setup, teardown);                   \
  }

/// More tests, made at run time: a function that runs them and returns how many failed.
#define MORE_TESTS(run) \
  __attribute__((constructor)) static void add_more(void) { test_more(__FILE__, run); }

/// Fails with the sentence of `error`, the file's own, where the call that has filled it has failed.
#define must(status) test_must((status), error.text, __FILE__, __LINE__)

typedef void (*test_fixture)(void);

void test_must(cr_status status, const char* text, const char* file, int line);
void test_add(const char* file, const char* name, CMUnitTestFunction run);
void test_around_file(const char* file, test_fixture setup, test_fixture teardown);
void test_around_each(const char* file, test_fixture setup, test_fixture teardown);
void test_more(const char* file, int (*run)(void));

/// Data of the default capacities, and a twin of it with all parameters. They belong to the test, which
/// fails if there is no memory, and are freed after it.
cr_data* test_data(const cr_model* m);
cr_data* test_twin(const cr_model* m, const cr_data* d, cr_data_role role);

/// Frees them at once: at the end of a loop over many models.
void test_release(void);

/// For tests/main.c: while on, test_release keeps the data that exist now.
void test_keep(bool on);

#endif
