// SPDX-License-Identifier: Apache-2.0
// Cox's method.
#include "stiff/log_normal.h"

#include <math.h>

void cri_log_sums_add(cri_log_sums* s, double x) {
  const double y = log(x);
  s->n += 1;
  s->sum += (cr_real)x;
  s->logs += (cr_real)y;
  s->squares += (cr_real)(y * y);
}

void cri_log_sums_put(const cri_log_sums* sums, cr_real group[CRI_LOG_SUMS]) {
  group[0] = sums->n;
  group[1] = sums->sum;
  group[2] = sums->logs;
  group[3] = sums->squares;
}

static cri_log_sums group_of(const cr_real* groups, int stride, int i) {
  const cr_real* g = groups + (ptrdiff_t)stride * i;
  return (cri_log_sums){g[0], g[1], g[2], g[3]};
}

// [Cox] the influence of a group on mu + s^2/2
static double influence(const cri_log_sums* g, double mu, double s2) {
  const double n = (double)g->n, logs = (double)g->logs;
  const double about = (double)g->squares - 2 * mu * logs + n * mu * mu;
  return (logs - n * mu) + (about - n * s2) / 2;
}

cri_log_mean cri_log_mean_of(const cr_real* groups, int stride, int ngroup) {
  double n = 0, sum = 0, logs = 0, squares = 0, influences = 0;
  for (int i = 0; i < ngroup; i++) {
    const cri_log_sums g = group_of(groups, stride, i);
    n += (double)g.n;
    sum += (double)g.sum;
    logs += (double)g.logs;
    squares += (double)g.squares;
  }
  const double mu = logs / n, s2 = (squares - n * mu * mu) / (n - 1), mean = exp(mu + s2 / 2);
  for (int i = 0; i < ngroup; i++) {
    const cri_log_sums g = group_of(groups, stride, i);
    influences += pow(influence(&g, mu, s2), 2);
  }
  return (cri_log_mean){.arithmetic = sum / n,
                        .mean = mean,
                        .half = 1.96 * mean * sqrt(s2 / n + s2 * s2 / (2 * (n - 1))),
                        .deviation = mean * sqrt(influences) / n};
}
