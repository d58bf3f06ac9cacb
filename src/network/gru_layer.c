// SPDX-License-Identifier: Apache-2.0
// Gated recurrent units. Saved: r, z, n, and q = Whn h + bhn, then h, then the output.
#include "network/layers.h"

// the parts of weights, or of their tangents or cotangents
typedef struct {
  cr_real *Wi, *Wh, *bi, *bh;
} parts;

static parts parts_of(const cri_layer* l, const cr_real* weight) {
  const int n = l->width;
  cr_real* w = (cr_real*)(uintptr_t)weight;
  return (parts){w, w + 3 * n * l->in, w + 3 * n * (l->in + n), w + 3 * n * (l->in + n + 1)};
}

typedef struct {
  cr_real *r, *z, *n, *q, *h;
} saved;

static saved saved_of(const cri_layer* l, const cri_layer_call* c) {
  const int n = l->width;
  cr_real* s = c->saved;
  return (saved){s, s + n, s + 2 * n, s + 3 * n, s + 4 * n};
}

static cr_real sigmoid(cr_real s) { return cri_activation(CR_ACTIVATION_SIGMOID, s); }

void cri_gru_forward(const cri_layer* l, const cri_layer_call* c, cr_real* y) {
  const int n = l->width;
  const parts p = parts_of(l, c->weight);
  const saved s = saved_of(l, c);
  cr_real *a = c->scratch, *b = a + 3 * n;
  cr_copy(s.h, c->h, n);
  // [network.g1]
  cri_affine(3 * n, l->in, p.Wi, p.bi, c->x, a);
  cri_affine(3 * n, n, p.Wh, p.bh, s.h, b);
  for (int i = 0; i < n; i++) {
    s.r[i] = sigmoid(a[i] + b[i]);
    s.z[i] = sigmoid(a[n + i] + b[n + i]);
    s.q[i] = b[2 * n + i];
    s.n[i] = cr_tanh(a[2 * n + i] + s.r[i] * s.q[i]);
    y[i] = (1 - s.z[i]) * s.n[i] + s.z[i] * s.h[i];
  }
}

void cri_gru_jvp(const cri_layer* l, const cri_layer_call* c, const cr_real* weight_tan,
                 const cr_real* x_tan, const cr_real* h_tan, cr_real* y_tan) {
  const int n = l->width;
  const parts p = parts_of(l, c->weight), t = parts_of(l, weight_tan);
  const saved s = saved_of(l, c);
  cr_real *a = c->scratch, *b = a + 3 * n;
  cri_affine(3 * n, l->in, p.Wi, weight_tan != NULL ? t.bi : NULL, x_tan, a);
  cr_zero(b, 3 * n);
  if (h_tan != NULL) {
    cri_affine(3 * n, n, p.Wh, NULL, h_tan, b);
  }
  if (weight_tan != NULL) {
    cri_affine_add(3 * n, l->in, t.Wi, c->x, a);
    cri_affine_add(3 * n, n, t.Wh, s.h, b);
    for (int i = 0; i < 3 * n; i++) {
      b[i] += t.bh[i];
    }
  }
  // [network.g1]
  for (int i = 0; i < n; i++) {
    const cr_real r = s.r[i] * (1 - s.r[i]) * (a[i] + b[i]);
    const cr_real z = s.z[i] * (1 - s.z[i]) * (a[n + i] + b[n + i]);
    const cr_real m = (1 - s.n[i] * s.n[i]) * (a[2 * n + i] + r * s.q[i] + s.r[i] * b[2 * n + i]);
    y_tan[i] = (1 - s.z[i]) * m + z * (s.h[i] - s.n[i]);
    y_tan[i] += h_tan != NULL ? s.z[i] * h_tan[i] : 0;
  }
}

void cri_gru_vjp(const cri_layer* l, const cri_layer_call* c, const cr_real* y_bar,
                 cr_real* weight_bar, cr_real* x_bar, cr_real* h_bar) {
  const int n = l->width;
  const parts p = parts_of(l, c->weight), w = parts_of(l, weight_bar);
  const saved s = saved_of(l, c);
  cr_real *a = c->scratch, *b = a + 3 * n;  // cotangents of Wi x + bi and of Wh h + bh
  // [network.g1]'
  for (int i = 0; i < n; i++) {
    const cr_real m = y_bar[i] * (1 - s.z[i]) * (1 - s.n[i] * s.n[i]);
    a[i] = b[i] = m * s.q[i] * s.r[i] * (1 - s.r[i]);
    a[n + i] = b[n + i] = y_bar[i] * (s.h[i] - s.n[i]) * s.z[i] * (1 - s.z[i]);
    a[2 * n + i] = m;
    b[2 * n + i] = m * s.r[i];
    if (h_bar != NULL) {
      h_bar[i] += y_bar[i] * s.z[i];
    }
  }
  if (x_bar != NULL) {
    cri_affine_back(3 * n, l->in, p.Wi, a, x_bar);
  }
  if (h_bar != NULL) {
    cri_affine_back(3 * n, n, p.Wh, b, h_bar);
  }
  if (weight_bar != NULL) {
    cri_affine_outer(3 * n, l->in, a, c->x, w.Wi);
    cri_affine_outer(3 * n, n, b, s.h, w.Wh);
    for (int i = 0; i < 3 * n; i++) {
      w.bi[i] += a[i];
      w.bh[i] += b[i];
    }
  }
}
