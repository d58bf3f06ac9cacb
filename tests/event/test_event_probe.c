// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Moments at which contacts of a pair swap without a number that is zero there: gradients with them are those of the
// motion.
#include "event/event_probe.h"

#include "carom/carom.h"
#include "scenes/io_toss.h"
#include "support/test.h"

// a mesh and boxes whose contacts come and go several at a time: no distance tells when
TEST(moments_of_swaps_are_probed) {
  static const cr_real mesh[TOSS_MOST] = {-0.288, 0.049, -1.038, 0.315, 1.963, 0.503};
  static const cr_real boxes[TOSS_MOST] = {-0.38, -0.482, 0.033,  -0.463, 1.323,  -1.172,
                                           0.405, -0.382, -1.549, -0.961, -0.701, -0.626};
  toss tosses[] = {{.file = "tests/data/toss_mesh.xml", .time = 0.12, .qvel = mesh},
                   {.file = "tests/data/toss_boxes.xml", .time = 0.1, .qvel = boxes}};
  for (int i = 0; i < 2; i++) {
    toss* t = &tosses[i];
    double truth[TOSS_MOST];
    t->loss = "qpos[0] + 0.5*qpos[1] + 0.25*qpos[2]";
    t->integrator = "dopri8";
    t->tolerance = 1e-11;
    t->events = true;
    toss_differences(t, 1e-5, truth);
    toss_result x = toss_differentiate(t);
    double off = toss_apart(x.gradient, truth, x.nv);
    print_message("%s: %d uncounted, off by %.1e\n", t->file, x.uncounted, off);
    assert_int_equal(x.uncounted, 0);
    assert_true(off < 1e-5);
  }
}
