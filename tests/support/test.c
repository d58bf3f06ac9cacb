// SPDX-License-Identifier: Apache-2.0
// What belongs to a test.
#include "support/test.h"
#include "engine/data_create.h"

#include <stdlib.h>

static cr_data** owned;
static int nowned, kept;  // the first `kept` belong to the file

static cr_data* own(cr_data* d) {
  cr_data** more = realloc(owned, ((size_t)nowned + 1) * sizeof *owned);
  assert_non_null(more);
  owned = more;
  owned[nowned++] = d;
  return d;
}

cr_data* test_data(const cr_model* m) {
  cr_data* d = NULL;
  cr_error error = {0};
  must(cri_data_create(&d, m, NULL, &error));
  return own(d);
}

cr_data* test_twin(const cr_model* m, const cr_data* d, cr_data_role role) {
  cr_data* twin = NULL;
  cr_error error = {0};
  must(cri_data_twin(&twin, m, d, role, NULL, &error));
  return own(twin);
}

void test_keep(bool on) { kept = on ? nowned : 0; }

void test_release(void) {
  while (nowned > kept) {
    cri_data_free(owned[--nowned]);
  }
  if (nowned == 0) {
    free(owned);
    owned = NULL;
  }
}

void test_must(cr_status status, const char* text, const char* file, int line) {
  if (status != CR_OK) {
    print_error("%s\n", text);
    _fail(file, line);
  }
}
