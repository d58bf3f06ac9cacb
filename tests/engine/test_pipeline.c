// SPDX-License-Identifier: Apache-2.0
// Every row of the pipeline through the generic stage check, and the rows' test files.
#include "engine/pipeline.h"

#include <stdio.h>

#include "checks/pipeline_check.h"
#include "engine/data_create.h"
#include "engine/forward.h"
#include "scenes/random_model.h"
#include "support/test.h"

static const char* const folders[] = {
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs) #folder,
#include "engine/pipeline_table.h"
};

static bool exists(const char* format, const char* folder, const char* stage) {
  char path[512];
  (void)snprintf(path, sizeof path, format, CAROM_SOURCE_DIR, folder, stage);
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  return fclose(file) == 0;
}

TEST(every_row_has_a_test_file) {
  int missing = 0;
  for (int i = 0; i < cr_npipeline; i++) {
    if (!exists("%s/tests/%s/test_%s.c", folders[i], cr_pipeline[i].name)) {
      print_error("no tests/%s/test_%s.c\n", folders[i], cr_pipeline[i].name);
      missing++;
    }
  }
  assert_int_equal(missing, 0);
}

TEST(every_row_has_its_own_source_file) {
  for (int i = 0; i < cr_npipeline; i++) {
    assert_true(exists("%s/src/%s/%s.c", folders[i], cr_pipeline[i].name));
    assert_true(exists("%s/src/%s/%s.h", folders[i], cr_pipeline[i].name));
  }
}

// a field is written by one row only, and read only behind it
TEST(rows_are_in_the_order_of_computation) {
  for (int i = 0; i < cr_npipeline; i++) {
    for (int k = 0; k < cr_pipeline[i].nwrite; k++) {
      cr_field_id id = cr_pipeline[i].writes[k];
      assert_false(cri_field_of_model(id));
      for (int j = 0; j < cr_npipeline; j++) {
        for (int l = 0; l < cr_pipeline[j].nwrite && j != i; l++) {
          assert_int_not_equal(cr_pipeline[j].writes[l], id);
        }
        for (int l = 0; l < cr_pipeline[j].nread && j <= i; l++) {
          assert_int_not_equal(cr_pipeline[j].reads[l], id);
        }
      }
    }
  }
}

// what a row reads is a state, a parameter, or written by an earlier row
TEST(every_read_has_a_source) {
  for (int i = 0; i < cr_npipeline; i++) {
    for (int k = 0; k < cr_pipeline[i].nread; k++) {
      cr_field_id id = cr_pipeline[i].reads[k];
      cr_field_kind kind = cri_field(id)->kind;
      bool found = kind == CR_KIND_STATE || kind == CR_KIND_PARAM || kind == CR_KIND_CONST;
      for (int j = 0; j < i && !found; j++) {
        for (int l = 0; l < cr_pipeline[j].nwrite; l++) {
          found = found || cr_pipeline[j].writes[l] == id;
        }
      }
      if (!found) {
        fail_msg("%s reads %s, which nobody writes", cr_pipeline[i].name, cri_field(id)->name);
      }
    }
  }
}

// bar holds no cotangent of a computed field after the sweep
TEST(vjp_clears_what_it_consumed) {
  cr_model m;
  cr_data *d, *bar;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_int_equal(cri_data_create(&d, &m, NULL, NULL), CR_OK);
  random_state(&m, d, 4, STATE_CONTACT);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_int_equal(cri_data_twin(&bar, &m, d, CR_DATA_COTANGENT, NULL, NULL), CR_OK);
  for (int i = 0; i < m.nv; i++) {
    bar->qacc[i] = i + 1;
  }
  assert_int_equal(cr_forward_vjp(&m, d, bar), CR_OK);
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_REAL && cri_field(id)->tangent != CR_TANGENT_NONE) {
      const cr_real* x = cri_field_real(&m, bar, id);
      for (int k = 0; k < cri_field_tangent_size(&m, d, id); k++) {
        assert_true(x[k] == 0);
      }
    }
  }
  assert_int_equal(bar->M_pairs.n, 0);
  assert_int_equal(bar->efc_J_pairs.n, 0);
  assert_int_equal(bar->ten_J_pairs.n, 0);
  assert_int_equal(bar->efm_fluid_pairs.n, 0);
  assert_int_equal(bar->actuator_moment_pairs.n, 0);
  cri_data_free(bar);
  cri_data_free(d);
  cri_model_free(&m);
}

static int every_row(void) { return pipeline_check("every row on random models", 0, 24); }

MORE_TESTS(every_row)
