// SPDX-License-Identifier: Apache-2.0
// Fields there and back, known bytes, and damaged messages that fail.
#include "tools/protobuf.h"

#include <stdlib.h>

#include "support/test.h"

TEST(known_bytes) {
  // the example of the format's documentation: field 1 is 150; and field 2 is "testing"
  cri_writer w = {0};
  cri_pb_put_int(&w, 1, 150);
  cri_pb_put_text(&w, 2, "testing");
  static const unsigned char right[] = {0x08, 0x96, 0x01, 0x12, 0x07, 0x74,
                                        0x65, 0x73, 0x74, 0x69, 0x6e, 0x67};
  assert_int_equal(w.n, sizeof right);
  assert_memory_equal(w.data, right, sizeof right);
  free(w.data);
  (void)state;
}

TEST(fields_there_and_back) {
  cri_writer w = {0}, inner = {0};
  cri_pb_put_int(&w, 3, -2);
  cri_pb_put_float(&w, 100, 1.5F);
  cri_pb_put_int(&inner, 1, 7);
  cri_pb_put_message(&w, 9, &inner);
  assert_null(inner.data);
  cri_pb_reader r = {{w.data, w.n}, false};
  cri_pb_field f;
  assert_true(cri_pb_next(&r, &f) && f.number == 3 && (int64_t)f.value == -2);
  assert_true(cri_pb_next(&r, &f) && f.number == 100 && f.wire == CRI_WIRE_4);
  assert_true(f.value == 0x3fc00000);
  assert_true(cri_pb_next(&r, &f) && f.number == 9 && f.bytes.n == 2);
  cri_pb_reader within = {f.bytes, false};
  assert_true(cri_pb_next(&within, &f) && f.number == 1 && f.value == 7);
  assert_true(!cri_pb_next(&within, &f) && !within.failed);
  assert_true(!cri_pb_next(&r, &f) && !r.failed);
  // every message that is cut off ends, most with a failure
  int failed = 0;
  for (size_t n = 0; n < w.n; n++) {
    r = (cri_pb_reader){{w.data, n}, false};
    while (cri_pb_next(&r, &f)) {
    }
    failed += r.failed;
  }
  assert_int_equal(failed, (int)w.n - 3);
  free(w.data);
  (void)state;
}

TEST(damaged_messages_fail) {
  static const unsigned char endless[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                          0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  static const unsigned char group[] = {0x0b, 0x00}, longer[] = {0x12, 0x7f, 0x00};
  const cri_span all[] = {
      {endless, sizeof endless}, {group, sizeof group}, {longer, sizeof longer}};
  for (int i = 0; i < 3; i++) {
    cri_pb_reader r = {all[i], false};
    cri_pb_field f;
    while (cri_pb_next(&r, &f)) {
    }
    assert_true(r.failed);
  }
  (void)state;
}

TEST(spans) {
  char text[CRI_SPAN_TEXT];
  const cri_span a = {(const unsigned char*)"Ge\nmm", 5}, none = {0};
  assert_true(!cri_span_is(a, "Gemm") && cri_span_is(none, "") && !cri_span_same(a, none));
  assert_string_equal(cri_span_text(a, text), "Ge?mm");
  (void)state;
}
