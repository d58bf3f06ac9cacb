// SPDX-License-Identifier: Apache-2.0
// Transmission at sites: numbers of MuJoCo 4.0.0's definitions by brute force.
#include "transmission/transmission_site.h"

#include "engine/forward.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data *d, *moved;
} bench;

static bool open_bench(bench* b, uint64_t seed, int* actuator) {
  assert_int_equal(random_model(&b->m, seed, NULL), CR_OK);
  b->d = test_data(&b->m);
  b->moved = test_data(&b->m);
  random_state(&b->m, b->d, seed, STATE_CONTACT);
  assert_int_equal(cr_forward(&b->m, b->d), CR_OK);
  for (*actuator = 0; *actuator < b->m.nactuator; (*actuator)++) {
    if (b->m.actuator_trntype[*actuator] == CR_TRN_SITE) {
      return true;
    }
  }
  return false;
}

static void close_bench(bench* b) { cri_model_free(&b->m); }

// power of the force on one body, from the velocity of its site
static cr_real power(const bench* b, int site, const cr_real f[3], const cr_real t[3]) {
  int body = b->m.site_bodyid[site];
  const cr_real* v = b->d->cvel + 6 * body;
  cr_real arm[3], u[3];
  cr_sub3(arm, b->d->site_xpos + 3 * site, b->d->subtree_com + 3 * b->m.body_rootid[body]);
  cr_copy3(u, v + 3);
  cr_acccross3(u, v, arm);
  return cr_dot3(u, f) + cr_dot3(v, t);
}

// actuator velocity is the power of the unit output
TEST(rows_are_the_power_of_the_gear) {
  int alone = 0, against = 0;
  for (uint64_t seed = 0; seed < 120; seed++) {
    bench b;
    int i;
    if (open_bench(&b, seed, &i)) {
      int out = b.m.actuator_outadr[i], site = b.m.actuator_trnid[2 * i];
      int reference = b.m.actuator_trnid[2 * i + 1];
      const cr_real* gear = b.m.actuator_gear + 6 * out;
      const cr_real* R = b.d->site_xmat + 9 * (reference < 0 ? site : reference);
      cr_real f[3], t[3], expected, bodies = 0;
      cr_mulmat3(f, R, gear);
      cr_mulmat3(t, R, gear + 3);
      expected = power(&b, site, f, t);
      if (reference >= 0) {
        int root = b.m.body_rootid[b.m.site_bodyid[site]];
        bodies = root == b.m.body_rootid[b.m.site_bodyid[reference]];
        expected -= power(&b, reference, f, t);
      }
      // what moves both sites is left out: only trees apart have nothing of the kind
      if (bodies == 0) {
        assert_close(b.d->actuator_velocity[out], expected, CR_R(1e-12) * (1 + cr_abs(expected)));
        alone += reference < 0;
        against += reference >= 0;
      }
    }
    close_bench(&b);
  }
  assert_true(alone > 3 && against > 0);
}

// the length is where the site is in the frame of the reference
TEST(length_is_the_pose_in_the_reference) {
  int seen = 0;
  for (uint64_t seed = 0; seed < 120; seed++) {
    bench b;
    int i;
    if (open_bench(&b, seed, &i) && b.m.actuator_trnid[2 * i + 1] >= 0) {
      int out = b.m.actuator_outadr[i], s0 = b.m.actuator_trnid[2 * i];
      int s1 = b.m.actuator_trnid[2 * i + 1];
      const cr_real *gear = b.m.actuator_gear + 6 * out, *R1 = b.d->site_xmat + 9 * s1;
      cr_real gap[3], local[3], q[2][4], e[3];
      cr_sub3(gap, b.d->site_xpos + 3 * s0, b.d->site_xpos + 3 * s1);
      cr_multmat3(local, R1, gap);
      for (int k = 0; k < 2; k++) {
        int site = k == 0 ? s0 : s1;
        const cr_real* body = b.d->xquat + 4 * b.m.site_bodyid[site];
        cr_quat_mul(q[k], body, b.m.site_quat + 4 * site);
      }
      cr_quat_sub(e, q[0], q[1]);
      cr_real expected = cr_dot3(gear, local) + cr_dot3(gear + 3, e);
      assert_close(b.d->actuator_length[out], expected, CR_R(1e-12) * (1 + cr_abs(expected)));
      seen++;
    }
    close_bench(&b);
  }
  assert_true(seen > 3);
}
