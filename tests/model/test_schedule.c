// SPDX-License-Identifier: Apache-2.0
// Schedules keep copies of what was said of added stages, and live until their last owner lets go.
#include "model/schedule.h"

#include "support/close.h"

TEST(rows_are_copies) {
  static const cr_field_id reads[] = {CR_FIELD_qpos}, writes[] = {CR_FIELD_xpos};
  cri_added a = {.name = "mine", .uses = {CR_FIELD_qvel, CR_FIELD_xpos}, .nread = 1, .nchange = 1};
  const cr_stage rows[] = {
      {.name = "table", .reads = reads, .writes = writes, .nread = 1, .nwrite = 1},
      {.name = a.name,
       .reads = a.uses,
       .writes = a.uses + 1,
       .nread = 2,
       .nwrite = 1,
       .added = &a}};
  cri_schedule* s = cri_schedule_create(rows, 2, 1, 2);
  assert_non_null(s);
  memset(&a, 0xff, sizeof a);
  assert_true(s->n == 2 && s->nprepare == 1 && s->ndynamics == 2 && s->nadded == 1);
  assert_ptr_equal(s->row[0].reads, reads);
  assert_string_equal(s->row[1].name, "mine");
  assert_true(s->row[1].reads[0] == CR_FIELD_qvel && s->row[1].writes[0] == CR_FIELD_xpos);
  cri_schedule* again = cri_schedule_create(s->row, s->n, 1, 2);
  cri_schedule_release(s);
  assert_string_equal(again->row[1].name, "mine");
  cri_schedule_release(again);
}

// the address sanitizer sees what is freed too early, or never
TEST(the_last_owner_frees) {
  const cr_stage row = {.name = "one"};
  const cri_schedule constant = {.row = &row, .n = 1};
  cri_schedule* s = cri_schedule_create(&row, 1, 0, 1);
  cri_schedule_share(s);
  cri_schedule_release(s);
  assert_string_equal(s->row[0].name, "one");
  cri_schedule_release(s);
  cri_schedule_share(&constant);
  cri_schedule_release(&constant);
  cri_schedule_release(NULL);
  cri_schedule_share(NULL);
}
