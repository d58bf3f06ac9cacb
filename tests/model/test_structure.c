// SPDX-License-Identifier: Apache-2.0
// The walk agrees with the arrays it fills, and finds every entry that differs.
#include "model/structure.h"

#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 6 };

// what the walk fills
static const cr_field_id filled[] = {
    CR_FIELD_body_jntadr,  CR_FIELD_body_dofnum, CR_FIELD_body_dofadr,  CR_FIELD_body_rootid,
    CR_FIELD_body_weldid,  CR_FIELD_body_treeid, CR_FIELD_jnt_bodyid,   CR_FIELD_jnt_qposadr,
    CR_FIELD_jnt_dofadr,   CR_FIELD_dof_bodyid,  CR_FIELD_dof_jntid,    CR_FIELD_dof_treeid,
    CR_FIELD_dof_parentid, CR_FIELD_tree_dofadr, CR_FIELD_tree_dofnum,  CR_FIELD_M_rownnz,
    CR_FIELD_M_rowadr,     CR_FIELD_M_colind,    CR_FIELD_body_geomnum, CR_FIELD_body_geomadr};
enum { N_FILLED = (int)(sizeof filled / sizeof filled[0]) };

TEST(every_other_number_is_found) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model m;
    cr_error error = {CR_OK, ""};
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    assert_int_equal(cri_structure_check(&m, &error), CR_OK);
    for (int k = 0; k < N_FILLED; k++) {
      int32_t* x = cri_field_index(&m, NULL, filled[k]);
      int n = cri_field_rows(&m, NULL, filled[k]);
      for (int i = 0; i < n; i++) {
        char says[128];
        int was = x[i];
        x[i] = was == 0 ? 1 : 0;
        assert_int_equal(cri_structure_check(&m, &error), CR_ERR_MODEL);
        (void)snprintf(says, sizeof says, "%s[%d] is %d", cri_field(filled[k])->name, i, x[i]);
        if (strstr(error.text, says) == NULL) {
          fail_msg("model %d: '%s' does not say '%s'", (int)seed, error.text, says);
        }
        x[i] = was;
      }
    }
    cri_model_free(&m);
  }
}
