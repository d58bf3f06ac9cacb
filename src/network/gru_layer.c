// SPDX-License-Identifier: Apache-2.0
// The gates of gated recurrent units. Saved: r, z, n, and q = Whn h + bhn, then h.
#include "network/layers.h"

static cr_real sigmoid(cr_real s) { return cri_activation(CR_ACTIVATION_SIGMOID, s); }

void cri_gru_forward(int n, const cr_real* a, const cr_real* b, const cr_real* memory,
                     cr_real* saved, cr_real* next) {
  cr_real *sr = saved, *sz = sr + n, *sn = sz + n, *sq = sn + n, *sh = sq + n;
  cr_copy(sh, memory, n);
  // [network.g1]
  for (int i = 0; i < n; i++) {
    sr[i] = sigmoid(a[i] + b[i]);
    sz[i] = sigmoid(a[n + i] + b[n + i]);
    sq[i] = b[2 * n + i];
    sn[i] = cr_tanh(a[2 * n + i] + sr[i] * sq[i]);
    next[i] = (1 - sz[i]) * sn[i] + sz[i] * sh[i];
  }
}

void cri_gru_jvp(int n, const cr_real* saved, const cr_real* a, const cr_real* b,
                 const cr_real* memory, cr_real* next) {
  const cr_real *sr = saved, *sz = sr + n, *sn = sz + n, *sq = sn + n, *sh = sq + n;
  // [network.g1]
  for (int i = 0; i < n; i++) {
    const cr_real r = sr[i] * (1 - sr[i]) * (a[i] + b[i]);
    const cr_real z = sz[i] * (1 - sz[i]) * (a[n + i] + b[n + i]);
    const cr_real m = (1 - sn[i] * sn[i]) * (a[2 * n + i] + r * sq[i] + sr[i] * b[2 * n + i]);
    const cr_real kept = memory != NULL ? sz[i] * memory[i] : 0;
    next[i] = (1 - sz[i]) * m + z * (sh[i] - sn[i]);
    next[i] += kept;
  }
}

void cri_gru_vjp(int n, const cr_real* saved, const cr_real* next_bar, cr_real* a_bar,
                 cr_real* b_bar, cr_real* memory_bar) {
  const cr_real *sr = saved, *sz = sr + n, *sn = sz + n, *sq = sn + n, *sh = sq + n;
  // [network.g1]'
  for (int i = 0; i < n; i++) {
    const cr_real m = next_bar[i] * (1 - sz[i]) * (1 - sn[i] * sn[i]);
    a_bar[i] = b_bar[i] = m * sq[i] * sr[i] * (1 - sr[i]);
    a_bar[n + i] = b_bar[n + i] = next_bar[i] * (sh[i] - sn[i]) * sz[i] * (1 - sz[i]);
    a_bar[2 * n + i] = m;
    b_bar[2 * n + i] = m * sr[i];
    if (memory_bar != NULL) {
      memory_bar[i] += next_bar[i] * sz[i];
    }
  }
}
