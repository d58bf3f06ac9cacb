// SPDX-License-Identifier: Apache-2.0
// A walk along the path of each spatial tendon. A piece between two points of one body does nothing.
#include "sensor/tendon_wrench.h"

#include "kinematics/tendon_path.h"
#include "math/vec3.h"
#include "sensor/tendon_tension.h"

static bool acts(const cri_tendon_piece* p) { return p->body[0] != p->body[1]; }

static void pull_of(const cr_model* m, const cr_data* d, int t, cr_real T, cr_real* F) {
  cri_tendon_walk w = cri_tendon_walk_of(m, t);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    for (int k = 0; k < s.n; k += 2) {
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      for (int side = 0; side < 2 && acts(&p); side++) {
        // [reaction.e4]
        if (p.body[side] > 0) {
          cri_tendon_piece_force(m, d, &p, side, T * w.share, F + 6 * p.body[side]);
        }
      }
    }
  }
}

void cri_tendon_wrench(const cr_model* m, const cr_data* d, cr_real* F, cr_data* work) {
  if (!cri_has_spatial_tendon(m)) {
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* T = cri_push(work, (size_t)m->ntendon);
  cri_tendon_tension(m, d, T, work);
  for (int t = 0; t < m->ntendon; t++) {
    if (T[t] != 0) {
      pull_of(m, d, t, T[t], F);
    }
  }
  cri_pop(work, mark);
}

static void pull_tan_of(const cr_model* m, const cr_data* d, const cr_data* tan, int t, cr_real T,
                        cr_real T_tan, cr_real* F_tan) {
  cri_tendon_walk w = cri_tendon_walk_of(m, t);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    cr_real x_tan[4][3], f_tan = T_tan * w.share + T * cri_tendon_share_tan(&w, tan);
    (void)cri_tendon_span_tan(tan, &s, x_tan);
    for (int k = 0; k < s.n; k += 2) {
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      cr_real e_tan[3];
      cri_tendon_direction_tan(&p, x_tan[k], x_tan[k + 1], e_tan);
      for (int side = 0; side < 2 && acts(&p); side++) {
        // [reaction.e4]
        if (p.body[side] > 0) {
          cri_tendon_piece_force_tan(m, d, tan, &p, side, T * w.share, f_tan, x_tan[k + side],
                                     e_tan, F_tan + 6 * p.body[side]);
        }
      }
    }
  }
}

void cri_tendon_wrench_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* F_tan) {
  if (!cri_has_spatial_tendon(m)) {
    return;
  }
  size_t mark = cri_mark(tan);
  cr_real *T = cri_push(tan, (size_t)m->ntendon), *T_tan = cri_push(tan, (size_t)m->ntendon);
  cri_tendon_tension(m, d, T, tan);
  cri_tendon_tension_jvp(m, d, tan, T_tan);
  for (int t = 0; t < m->ntendon; t++) {
    if (!cri_tendon_is_fixed(m, t)) {
      pull_tan_of(m, d, tan, t, T[t], T_tan[t], F_tan);
    }
  }
  cri_pop(tan, mark);
}

// [reaction.e4]' of tendon t; returns the cotangent of T, its rate under the motion u
static cr_real pull_bar_of(const cr_model* m, const cr_data* d, cr_data* bar, int t, cr_real T,
                           const cr_real* u) {
  static const cr_real still[6] = {0};
  cr_real T_bar = 0;
  cri_tendon_walk w = cri_tendon_walk_of(m, t);
  cri_tendon_span s;
  while (cri_tendon_next(m, d, &w, &s)) {
    cr_real x_bar[4][3] = {{0}}, rate = 0;
    for (int k = 0; k < s.n; k += 2) {
      cri_tendon_piece p = cri_tendon_piece_of(&s, k);
      const cr_real* V[2];
      for (int side = 0; side < 2; side++) {
        V[side] = p.body[side] > 0 ? u + 6 * p.body[side] : still;
      }
      if (acts(&p)) {
        rate += cri_tendon_piece_bar(m, d, bar, &p, V, T * w.share, x_bar[k], x_bar[k + 1]);
      }
    }
    T_bar += w.share * rate;
    cri_tendon_share_bar(&w, bar, T * rate);
    cri_tendon_span_bar(bar, &s, x_bar, 0);
  }
  return T_bar;
}

void cri_tendon_wrench_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* u) {
  if (!cri_has_spatial_tendon(m)) {
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real *T = cri_push(bar, (size_t)m->ntendon), *T_bar = cri_push(bar, (size_t)m->ntendon);
  cri_tendon_tension(m, d, T, bar);
  for (int t = 0; t < m->ntendon; t++) {
    T_bar[t] = cri_tendon_is_fixed(m, t) ? 0 : pull_bar_of(m, d, bar, t, T[t], u);
  }
  cri_tendon_tension_vjp(m, d, bar, T_bar);
  cri_pop(bar, mark);
}
