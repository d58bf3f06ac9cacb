// SPDX-License-Identifier: Apache-2.0
// One step of Adam (Kingma and Ba, 2015) or AdamW.
#ifndef CR_DESCENT_ADAM_STEP_H
#define CR_DESCENT_ADAM_STEP_H

#include "base/real.h"

/// decay: AdamW, each step takes rate times this part of x away.
typedef struct {
  cr_real b1, b2, eps, decay;
} cri_adam_rule;

/// One step, k = 1, 2, ...
/// Map      (x, mean, square, g) -> (x, mean, square), all [n], in place
/// Equation m = b1 m + (1 - b1) g;  s = b2 s + (1 - b2) g^2
///          x -= rate (m / (1 - b1^k)) / (sqrt(s / (1 - b2^k)) + eps) + rate decay x
///          (decay: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, 2019)
void cri_adam_step(const cri_adam_rule* rule, cr_real rate, int k, int n, cr_real* x, cr_real* mean,
                   cr_real* square, const cr_real* g);

#endif
