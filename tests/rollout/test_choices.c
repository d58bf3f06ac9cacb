// SPDX-License-Identifier: Apache-2.0
// Every discrete choice of the field table is seen, as its own kind, and nothing else is.
#include "rollout/choices.h"

#include "engine/forward.h"
#include "scenes/random_model.h"
#include "support/test.h"

enum { KINDS = CRI_CHOICE_PLACE + 1 };

static void hashes(const cr_model* m, const cr_data* d, uint64_t hash[KINDS]) {
  for (int k = 0; k < KINDS; k++) {
    hash[k] = cri_choice_hash(m, d, (cri_choice)k);
  }
}

// the last number of a field, changed
static void change(const cr_model* m, cr_data* d, cr_field_id id, int n) {
  uint64_t before[KINDS], after[KINDS];
  int32_t* x = cri_field_index(m, d, id) + n - 1;
  hashes(m, d, before);
  (*x)++;
  hashes(m, d, after);
  (*x)--;
  for (int k = 0; k < KINDS; k++) {
    if ((before[k] != after[k]) != (k == (int)cri_field(id)->choice)) {
      fail_msg("%s: kind %d", cri_field(id)->name, k);
    }
  }
}

TEST(a_choice_that_changes_is_seen) {
  bool tried[CR_N_FIELD] = {false};
  for (uint64_t seed = 0; seed < 24; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    random_model_discrete(&m);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    (void)cri_dynamics(&m, d);
    for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
      const cr_field_id id = (cr_field_id)i;
      int n = cri_field_rows(&m, d, id) * cri_field_width(&m, id);
      if (cri_field(id)->kind == CR_KIND_INDEX && n > 0) {
        change(&m, d, id, n);
        tried[i] = true;
      }
    }
    test_release();
    cri_model_free(&m);
  }
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    if (cri_field((cr_field_id)i)->kind == CR_KIND_INDEX && !tried[i]) {
      fail_msg("%s: no model has any", cri_field((cr_field_id)i)->name);
    }
  }
}

// rows that were there are no longer
TEST(live_counts_are_seen) {
  cr_model m;
  uint64_t before[KINDS], after[KINDS];
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  cr_data* d = test_data(&m);
  random_state(&m, d, 1, STATE_CONTACT);
  assert_int_equal(cri_dynamics(&m, d), CR_OK);
  assert_true(d->ncon > 0);
  hashes(&m, d, before);
  d->ncon--;
  hashes(&m, d, after);
  assert_true(before[CRI_CHOICE_ROWS] != after[CRI_CHOICE_ROWS]);
  assert_true(before[CRI_CHOICE_LAW] == after[CRI_CHOICE_LAW]);
  cri_model_free(&m);
}

// rows of friction loss are in the one part, all other rows, and contacts, in the other
TEST(friction_loss_has_its_own_part) {
  cr_model m;
  int losses = 0, others = 0;
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  cr_data* d = test_data(&m);
  random_state(&m, d, 1, STATE_CONTACT);
  assert_int_equal(cri_dynamics(&m, d), CR_OK);
  uint64_t rest = cri_choice_hash_rows(&m, d, false), loss = cri_choice_hash_rows(&m, d, true);
  for (int i = 0; i < d->nefc; i++) {
    bool is_loss =
        d->efc_type[i] == CR_CNSTR_FRICTION_DOF || d->efc_type[i] == CR_CNSTR_FRICTION_TENDON;
    d->efc_id[i]++;
    assert_true((cri_choice_hash_rows(&m, d, false) != rest) == !is_loss);
    assert_true((cri_choice_hash_rows(&m, d, true) != loss) == is_loss);
    d->efc_id[i]--;
    losses += is_loss;
    others += !is_loss;
  }
  assert_true(losses > 0 && others > 0);
  d->contact_dim[0]++;
  assert_true(cri_choice_hash_rows(&m, d, false) != rest);
  assert_true(cri_choice_hash_rows(&m, d, true) == loss);
  cri_model_free(&m);
}
