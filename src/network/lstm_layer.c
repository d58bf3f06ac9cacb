// SPDX-License-Identifier: Apache-2.0
// The gates of long short-term memory. Memory: h, then c. Saved: i, f, g, o, t = tanh of the c after, the c and the h before.
#include "network/layers.h"

static cr_real sigmoid(cr_real s) { return cri_activation(CR_ACTIVATION_SIGMOID, s); }

void cri_lstm_forward(int n, const cr_real* a, const cr_real* b, const cr_real* memory,
                      cr_real* saved, cr_real* next) {
  cr_real *si = saved, *sf = si + n, *sg = sf + n, *so = sg + n, *st = so + n, *sc = st + n;
  cr_copy(sc + n, memory, n);
  cr_copy(sc, memory + n, n);
  // [network.l1]
  for (int k = 0; k < n; k++) {
    si[k] = sigmoid(a[k] + b[k]);
    sf[k] = sigmoid(a[n + k] + b[n + k]);
    sg[k] = cr_tanh(a[2 * n + k] + b[2 * n + k]);
    so[k] = sigmoid(a[3 * n + k] + b[3 * n + k]);
    next[n + k] = sf[k] * sc[k] + si[k] * sg[k];
    st[k] = cr_tanh(next[n + k]);
    next[k] = so[k] * st[k];
  }
}

void cri_lstm_jvp(int n, const cr_real* saved, const cr_real* a, const cr_real* b,
                  const cr_real* memory, cr_real* next) {
  const cr_real *si = saved, *sf = si + n, *sg = sf + n, *so = sg + n, *st = so + n, *sc = st + n;
  // [network.l1]
  for (int k = 0; k < n; k++) {
    const cr_real i = si[k] * (1 - si[k]) * (a[k] + b[k]);
    const cr_real f = sf[k] * (1 - sf[k]) * (a[n + k] + b[n + k]);
    const cr_real g = (1 - sg[k] * sg[k]) * (a[2 * n + k] + b[2 * n + k]);
    const cr_real o = so[k] * (1 - so[k]) * (a[3 * n + k] + b[3 * n + k]);
    const cr_real kept = memory != NULL ? sf[k] * memory[n + k] : 0;
    const cr_real c = f * sc[k] + i * sg[k] + si[k] * g + kept;
    next[n + k] = c;
    next[k] = o * st[k] + so[k] * (1 - st[k] * st[k]) * c;
  }
}

void cri_lstm_vjp(int n, const cr_real* saved, const cr_real* next_bar, cr_real* a_bar,
                  cr_real* b_bar, cr_real* memory_bar) {
  const cr_real *si = saved, *sf = si + n, *sg = sf + n, *so = sg + n, *st = so + n, *sc = st + n;
  // [network.l1]'
  for (int k = 0; k < n; k++) {
    const cr_real h = next_bar[k];
    const cr_real c = next_bar[n + k] + h * so[k] * (1 - st[k] * st[k]);
    a_bar[k] = b_bar[k] = c * sg[k] * si[k] * (1 - si[k]);
    a_bar[n + k] = b_bar[n + k] = c * sc[k] * sf[k] * (1 - sf[k]);
    a_bar[2 * n + k] = b_bar[2 * n + k] = c * si[k] * (1 - sg[k] * sg[k]);
    a_bar[3 * n + k] = b_bar[3 * n + k] = h * st[k] * so[k] * (1 - so[k]);
    if (memory_bar != NULL) {
      memory_bar[n + k] += c * sf[k];
    }
  }
}
