// SPDX-License-Identifier: Apache-2.0
// The small matrix of every law against differences, also that of the slopes.
#include "actuator/controller.h"

#include "base/random.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  int i;
  cr_real z[CR_LAW_COLUMNS];
} at;

static void law_at(const at* a, cri_law* law) {
  cri_law_of(&a->m, a->i, a->z, a->z + CR_LAW_U, a->z + CR_LAW_L, a->z + CR_LAW_V, law);
}

// column k, or behind the columns parameter k
static cr_real* number(at* a, int k) {
  int p = k - CR_LAW_COLUMNS;
  if (p < 0) {
    return a->z + k;
  }
  cr_real* arrays[] = {a->m.actuator_dynprm + 10 * a->i, a->m.actuator_gainprm + 10 * a->i,
                       a->m.actuator_biasprm + 10 * a->i, a->m.actuator_actrange + 2 * a->i};
  return arrays[p / 10] + p % 10;
}

static bool is_switch(const at* a, int k) {
  int p = k - CR_LAW_COLUMNS;
  return p >= 0 && p < 20 && cri_controller_switch(&a->m, a->i, p / 10 == 1, p % 10);
}

// the derivatives of all rows over number k, by two steps; differ: beside a kink
static void measure(at* a, int k, cr_real h, cr_real slope[CR_LAW_ROWS], bool* kink) {
  static cri_law plus, minus;
  cr_real *x = number(a, k), keep = *x;
  *kink = false;
  for (int pass = 0; pass < 2; pass++, h /= 2) {
    *x = keep + h;
    law_at(a, &plus);
    *x = keep - h;
    law_at(a, &minus);
    for (int r = 0; r < CR_LAW_ROWS; r++) {
      cr_real d = (plus.row[r].value - minus.row[r].value) / (2 * h);
      if (pass == 1) {
        *kink = *kink || cr_abs(d - slope[r]) > CR_R(1e-5) * (1 + cr_abs(d));
        d += (d - slope[r]) / 3;
      }
      slope[r] = d;
    }
  }
  *x = keep;
}

TEST(laws_have_their_derivatives) {
  static cri_law law;
  static at a;
  int laws[CR_GAIN_PID + 1] = {0}, bristles = 0, kinks = 0, entries = 0;
  for (uint64_t seed = 0; seed < 150; seed++) {
    assert_int_equal(random_model(&a.m, seed, NULL), CR_OK);
    cr_random r = cr_random_seed(seed, 77);
    for (a.i = 0; a.i < a.m.nactuator; a.i++) {
      if (!cri_is_controller(&a.m, a.i)) {
        continue;
      }
      laws[a.m.actuator_gaintype[a.i]]++;
      bristles +=
          a.m.actuator_gaintype[a.i] == CR_GAIN_DCMOTOR && a.m.actuator_dynprm[10 * a.i + 5] > 0;
      for (int k = 0; k < CR_LAW_COLUMNS; k++) {
        a.z[k] = CR_R(0.6) * cr_random_normal(&r);
      }
      law_at(&a, &law);
      for (int k = 0; k < CR_LAW_COLUMNS + CR_LAW_PRMS; k++) {
        cr_real slope[CR_LAW_ROWS];
        bool kink;
        if (is_switch(&a, k)) {
          continue;
        }
        measure(&a, k, CR_R(1e-4), slope, &kink);
        kinks += kink;
        for (int row = 0; row < CR_LAW_ROWS && !kink; row++) {
          const cri_dual* line = &law.row[row];
          cr_real by = k < CR_LAW_COLUMNS ? line->by[k] : line->by_prm[k - CR_LAW_COLUMNS];
          assert_close(by, slope[row], CR_R(1e-7) * (1 + cr_abs(slope[row])));
          entries++;
        }
      }
    }
    cri_model_free(&a.m);
  }
  assert_true(laws[CR_GAIN_PID] > 5 && laws[CR_GAIN_DCMOTOR] > 5 && laws[CR_GAIN_SO3] > 2);
  assert_true(bristles > 3 && entries > 20000 && kinks < entries / 100);
}
