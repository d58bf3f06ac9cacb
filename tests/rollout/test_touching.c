// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Geoms that touch exactly where their contact begins, and spheres or capsules whose centres or centre lines meet:
// cr_two_slopes says so, and which slope the gradient has. Beside such a place nothing is said.
#include <stdio.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static void told(const char* bodies, int times, const char* what) {
  char text[1000], sentence[256] = "";
  cr_error error;
  cr_model* m;
  cr_data* d;
  int n = -1;
  (void)snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", bodies);
  assert_int_equal(cr_model_open(&m, scratch_write("touch.xml", text), &error), CR_OK);
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
  assert_int_equal(cr_forward(m, d), CR_OK);
  assert_int_equal(cr_two_slopes(m, d, "qvel", 0, sentence, (int)sizeof sentence, &n), CR_OK);
  if (n != times || strstr(sentence, what) == NULL) {
    fail_msg("%d times, \"%s\"", n, sentence);
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

#define BALL(pos, geom) "<body pos='" pos "'><freejoint/><geom size='.1' " geom "/></body>"

TEST(exact_contact_is_told) {
  static const char apart[] = "begins; the gradient is as if they stayed apart";
  static const char pressed[] = "begins; the gradient is as if they pressed";
  told("<geom type='plane' size='1 1 1'/>" BALL("0 0 .1", ""), 1, apart);
  told("<geom type='plane' size='1 1 1' margin='.15'/>" BALL("0 0 .25", ""), 1, apart);
  told(BALL("0 0 0", "") BALL(".2 0 0", ""), 1, apart);
  // .3 - .1 is .2 but for rounding
  told(BALL(".1 0 0", "") BALL(".3 0 0", ""), 1, pressed);
  // once for all corners
  told(
      "<geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 "
      ".1 .1'/></body>",
      1, apart);
}

TEST(centres_that_meet_are_told) {
  static const char what[] = "meet: the normal of their contact is arbitrary";
  told(BALL("0 0 0", "") BALL("0 0 0", ""), 1, what);
  told(BALL("0 0 0", "type='capsule' fromto='0 0 0 0 0 .3'") BALL("0 0 .2", ""), 1, what);
  told(BALL("0 0 0", "type='capsule' fromto='0 0 0 0 0 .3'")
           BALL("0 0 .1", "type='capsule' fromto='0 0 0 .3 0 0'"),
       1, what);
}

TEST(beside_it_nothing_is_told) {
  told("<geom type='plane' size='1 1 1'/>" BALL("0 0 .1000000001", ""), 0, "");
  told("<geom type='plane' size='1 1 1'/>" BALL("0 0 .0999999999", ""), 0, "");
  told("<geom type='plane' size='1 1 1'/>" BALL("0 0 .1", "contype='0' conaffinity='0'"), 0, "");
  told(BALL("0 0 0", "") BALL("1e-9 0 0", ""), 0, "");
}
