// SPDX-License-Identifier: Apache-2.0
// Quantiles of the normal distribution against its tables.
#include "base/quantile.h"
#include "support/close.h"
#include "support/test.h"

TEST(quantiles_are_those_of_the_tables) {
  assert_close(cri_normal_quantile(CR_R(0.5)), CR_R(0.674489750196082), CR_R(1e-13));
  assert_close(cri_normal_quantile(CR_R(0.9)), CR_R(1.644853626951473), CR_R(1e-13));
  assert_close(cri_normal_quantile(CR_R(0.95)), CR_R(1.959963984540054), CR_R(1e-13));
  assert_close(cri_normal_quantile(CR_R(0.999)), CR_R(3.290526731491925), CR_R(1e-13));
  assert_close(cri_normal_quantile(CR_R(0.01)), CR_R(0.012533469508069), CR_R(1e-13));
}
