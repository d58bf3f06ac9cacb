// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Two geoms that share a line or a face and have one contact on it: the least turn moves it to an end, and
// cr_two_slopes reports this. Beside it, and where a face has several contacts, there is no report.
#include <stdio.h>

#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static void told(const char* ground, const char* body, int times) {
  char text[1000], sentence[256] = "";
  cr_error error;
  cr_model* m;
  cr_data* d;
  int n = -1;
  (void)snprintf(
      text, sizeof text,
      "<mujoco><asset><hfield name='level' nrow='3' ncol='3' size='1 1 .1 .1' elevation='1 1 1 1 1 "
      "1 1 1 1'/></asset><worldbody>%s<body %s</body></worldbody></mujoco>",
      ground, body);
  assert_int_equal(cr_model_open(&m, scratch_write("two.xml", text), &error), CR_OK);
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
  assert_int_equal(cr_forward(m, d), CR_OK);
  assert_true(cr_contact_count(d) > 0);
  assert_int_equal(cr_two_slopes(m, d, "qpos", 0, sentence, (int)sizeof sentence, &n), CR_OK);
  assert_int_equal(n, times);
  assert_int_equal(strstr(sentence, "share a line or a face") != NULL, times > 0);
  cr_data_destroy(d);
  cr_model_destroy(m);
}

static const char* const post = "<geom type='cylinder' size='.1 .3'/>";
static const char* const level = "<geom type='hfield' hfield='level'/>";
static const char* const block = "<geom type='box' size='1 1 .1'/>";

TEST(shared_lines_and_faces_are_told) {
  told(post, "pos='.19 0 .1'><freejoint/><geom type='capsule' size='.1 .2'/>", 1);
  told(post, "pos='.19 0 .1'><freejoint/><geom type='cylinder' size='.1 .2'/>", 1);
  told(level, "pos='.2 .3 .099'><freejoint/><geom type='box' size='.1 .1 .1'/>", 1);
}

TEST(others_are_not) {
  told(post, "pos='.19 0 .1' euler='1 0 0'><freejoint/><geom type='capsule' size='.1 .2'/>", 0);
  told(post, "pos='.19 0 .1' euler='0 .1 0'><freejoint/><geom type='cylinder' size='.1 .2'/>", 0);
  told(level, "pos='.2 .3 .095' euler='1 2 0'><freejoint/><geom type='box' size='.1 .1 .1'/>", 0);
  told(level, "pos='.2 .3 .099'><freejoint/><geom type='ellipsoid' size='.3 .2 .1'/>", 0);
  told(block, "pos='.2 .3 .199'><freejoint/><geom type='cylinder' size='.1 .1'/>", 0);
  told(block, "pos='.2 .3 .199'><freejoint/><geom type='box' size='.1 .1 .1'/>", 0);
}
