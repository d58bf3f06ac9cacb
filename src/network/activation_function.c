// SPDX-License-Identifier: Apache-2.0
// Activation functions and their slopes.
#include "network/layers.h"

static cr_real sigmoid(cr_real s) {
  const cr_real e = cr_exp(-cr_abs(s));  // never large
  return s >= 0 ? 1 / (1 + e) : e / (1 + e);
}

cr_real cri_activation(cr_activation kind, cr_real s) {
  switch (kind) {  // [network.a1]
    case CR_ACTIVATION_TANH:
      return cr_tanh(s);
    case CR_ACTIVATION_ELU:
      return s > 0 ? s : cr_exp(s) - 1;
    case CR_ACTIVATION_RELU:
      return s > 0 ? s : 0;
    case CR_ACTIVATION_SOFTPLUS:
      return cr_max(s, 0) + cr_log(1 + cr_exp(-cr_abs(s)));
    case CR_ACTIVATION_SIGMOID:
      return sigmoid(s);
    case CR_ACTIVATION_SILU:
      return s * sigmoid(s);
    case CR_ACTIVATION_SINE:
      return cr_sin(s);
    case CR_ACTIVATION_IDENTITY:
    default:
      return s;
  }
}

cr_real cri_activation_slope(cr_activation kind, cr_real s) {
  cr_real y;
  switch (kind) {
    case CR_ACTIVATION_TANH:
      y = cr_tanh(s);
      return 1 - y * y;
    case CR_ACTIVATION_ELU:
      return s > 0 ? 1 : cr_exp(s);
    case CR_ACTIVATION_RELU:
      return s > 0 ? 1 : 0;
    case CR_ACTIVATION_SOFTPLUS:
      return sigmoid(s);
    case CR_ACTIVATION_SIGMOID:
      y = sigmoid(s);
      return y * (1 - y);
    case CR_ACTIVATION_SILU:
      y = sigmoid(s);
      return y * (1 + s * (1 - y));
    case CR_ACTIVATION_SINE:
      return cr_cos(s);
    case CR_ACTIVATION_IDENTITY:
    default:
      return 1;
  }
}
