// SPDX-License-Identifier: Apache-2.0
// One step of Adam and AdamW.
#include "descent/adam_step.h"

void cri_adam_step(const cri_adam_rule* rule, cr_real rate, int k, int n, cr_real* x, cr_real* mean,
                   cr_real* square, const cr_real* g) {
  cr_real b1 = rule->b1, b2 = rule->b2;
  cr_real c1 = 1 - cr_pow(b1, (cr_real)k), c2 = 1 - cr_pow(b2, (cr_real)k);
  for (int i = 0; i < n; i++) {
    mean[i] = b1 * mean[i] + (1 - b1) * g[i];
    square[i] = b2 * square[i] + (1 - b2) * g[i] * g[i];
    cr_real away = rate * rule->decay * x[i];
    x[i] -= rate * (mean[i] / c1) / (cr_sqrt(square[i] / c2) + rule->eps);
    x[i] -= away;
  }
}
