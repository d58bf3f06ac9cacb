// SPDX-License-Identifier: Apache-2.0
// Rows of the moment made by two spatial forces, see relative_chain.h.
#include "kinematics/relative_chain.h"

#include "math/spatial.h"

void cri_relative_chain_force(const cr_model* m, const cr_data* d, int body, const cr_real x[3],
                              const cr_real t[3], const cr_real f[3], cr_real F[6]) {
  cr_real arm[3];
  cr_sub3(arm, x, cri_relative_chain_com(m, d, body));
  cr_copy3(F, t);
  cr_acccross3(F, arm, f);
  cr_copy3(F + 3, f);
}

void cri_relative_chain_force_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int body,
                                  const cr_real x[3], const cr_real f[3], const cr_real F_bar[6],
                                  cr_real t_bar[3], cr_real f_bar[3], cr_real x_bar[3]) {
  cr_real arm[3], arm_bar[3];
  cr_sub3(arm, x, cri_relative_chain_com(m, d, body));
  cr_acc3(t_bar, F_bar);
  cr_acc3(f_bar, F_bar + 3);
  cr_acccross3(f_bar, F_bar, arm);
  cr_cross3(arm_bar, f, F_bar);
  cr_acc3(x_bar, arm_bar);
  cr_accscl3(bar->subtree_com + 3 * m->body_rootid[body], arm_bar, -1);
}

void cri_relative_chain_row(const cr_model* m, cr_data* d, int out, const int body[2],
                            cr_real F[2][6]) {
  int at = d->moment_rowadr[out], n = 0, side = 0;
  cri_relative_chain c = cri_relative_chain_of(m, body[0], body[1]);
  // [tendon.b1]
  for (int j = cri_relative_chain_next(m, &c, &side); j >= 0;
       j = cri_relative_chain_next(m, &c, &side), n++) {
    d->moment_colind[at + n] = j;
    d->actuator_moment[at + n] = cr_dot6(d->cdof + 6 * j, F[side]);
  }
  d->moment_rownnz[out] = n;
}

void cri_relative_chain_row_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int out,
                                const int body[2], cr_real F[2][6], cr_real F_tan[2][6]) {
  int at = d->moment_rowadr[out], side = 0;
  cri_relative_chain c = cri_relative_chain_of(m, body[0], body[1]);
  // [tendon.b1]
  for (int j = cri_relative_chain_next(m, &c, &side); j >= 0;
       j = cri_relative_chain_next(m, &c, &side), at++) {
    tan->actuator_moment[at] =
        cr_dot6(tan->cdof + 6 * j, F[side]) + cr_dot6(d->cdof + 6 * j, F_tan[side]);
  }
}

void cri_relative_chain_row_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int out,
                                const int body[2], cr_real F[2][6], cr_real F_bar[2][6]) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  for (int p = 0; p < pairs->n; p++) {
    cr_real left = cri_pair_left(pairs, p)[out];
    const cr_real* right = cri_pair_right(pairs, p);
    int side = 0;
    cri_relative_chain c = cri_relative_chain_of(m, body[0], body[1]);
    // [tendon.b1]' F_bar = left sum of s_j right_j, s_bar_j += left right_j F
    for (int j = cri_relative_chain_next(m, &c, &side); j >= 0 && left != 0;
         j = cri_relative_chain_next(m, &c, &side)) {
      cr_accscl6(F_bar[side], d->cdof + 6 * j, left * right[j]);
      cr_accscl6(bar->cdof + 6 * j, F[side], left * right[j]);
    }
  }
}
