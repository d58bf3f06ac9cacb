// SPDX-License-Identifier: Apache-2.0
// The proximal step of a sparse-group lasso in Adam's metric.
#include "descent/sparse_step.h"

enum { MOST_NEWTON = 30 };

void cri_sparse_groups(cri_sparse_penalty* penalty, const int32_t* group, int n, int32_t* member,
                       int32_t* first) {
  int32_t end = 0;
  for (int k = 0; k <= n; k++) {
    first[k] = 0;
  }
  for (int i = 0; i < n; i++) {
    if (group[i] >= 0) {
      first[group[i]]++;
    }
  }
  for (int k = 0; k <= n; k++) {
    end += first[k];
    first[k] = end;  // behind the group: filled from its end
  }
  for (int i = n - 1; i >= 0; i--) {
    if (group[i] >= 0) {
      member[--first[group[i]]] = i;
    }
  }
  penalty->n = penalty->ngroup = n;
  penalty->member = member;
  penalty->first = first;
}

// The minimum y = h x / (h + c / r), r = |y|, of sum h (y - x)^2 / 2 + c |y|; 0 where |h x| <= c. It is found by Newton's
// method on 1 / |h x / (h r + c)|, which is concave in r: from 0 it never goes too far.
static void shrink_group(const int32_t* member, int n, cr_real c, const cr_real* h, cr_real* x) {
  cr_real r = 0;
  for (int k = 0; k < MOST_NEWTON; k++) {
    cr_real sum = 0, slope = 0;
    for (int j = 0; j < n; j++) {
      const int i = (int)member[j];
      const cr_real part = h[i] * x[i] / (h[i] * r + c);
      sum += part * part;
      slope += 2 * part * part * h[i] / (h[i] * r + c);
    }
    if (sum - 1 <= 8 * CR_EPS) {
      break;
    }
    r += 2 * sum * (cr_sqrt(sum) - 1) / slope;
  }
  for (int j = 0; j < n; j++) {
    const int i = (int)member[j];
    x[i] *= h[i] * r / (h[i] * r + c);
  }
}

static cr_real factor_of(const cri_sparse_penalty* p, int i) {
  return p->factor != NULL ? p->factor[i] : 1;
}

static cr_real group_factor_of(const cri_sparse_penalty* p, int i) {
  return p->group_factor != NULL ? p->group_factor[i] : factor_of(p, i);
}

void cri_sparse_step(const cri_sparse_penalty* p, const cri_adam_rule* rule, cr_real rate, int k,
                     cr_real* x, const cr_real* mean, const cr_real* square, cr_real* metric) {
  const cr_real c1 = 1 - cr_pow(rule->b1, (cr_real)k), c2 = 1 - cr_pow(rule->b2, (cr_real)k);
  for (int g = 0; g < p->ngroup; g++) {
    const int32_t* member = p->member + p->first[g];
    const int n = (int)(p->first[g + 1] - p->first[g]);
    cr_real sum = 0;
    for (int j = 0; j < n; j++) {
      const cr_real f = group_factor_of(p, (int)member[j]);
      sum += f * f;
    }
    const cr_real whole = p->group_lasso * cr_sqrt(sum);
    for (int j = 0; j < n; j++) {
      const int i = (int)member[j];
      const cr_real alone = p->lasso * factor_of(p, i);
      const cr_real adam = cr_sqrt(square[i] / c2) + rule->eps;
      metric[i] = cr_max(adam, alone + whole / cr_sqrt((cr_real)n));
      x[i] += rate * mean[i] / c1 * (1 / adam - 1 / metric[i]);
      const cr_real size = cr_max(cr_abs(x[i]) - rate * alone / metric[i], 0);
      x[i] = x[i] < 0 ? -size : size;
    }
    if (n > 0 && whole > 0) {
      shrink_group(member, n, rate * whole, metric, x);
    }
  }
}
