// SPDX-License-Identifier: Apache-2.0
#include "pressure/tetrahedron.h"

// a tetrahedron is flat below this share of the cube of its longest edge
#define FLAT CR_R(1e-12)

cr_real cri_tetrahedron_volume6(const cri_tetrahedron* t) {
  cr_real a[3], b[3], c[3], n[3];
  cr_sub3(a, t->vertex[1], t->vertex[0]);
  cr_sub3(b, t->vertex[2], t->vertex[0]);
  cr_sub3(c, t->vertex[3], t->vertex[0]);
  cr_cross3(n, a, b);
  return cr_dot3(n, c);
}

cr_real cri_tetrahedron_size2(const cri_tetrahedron* t) {
  cr_real longest = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) {
      cr_real edge[3];
      cr_sub3(edge, t->vertex[i], t->vertex[j]);
      longest = cr_max(longest, cr_dot3(edge, edge));
    }
  }
  return longest;
}

// [pressure.p2] field = sum p_i share_i
static void mix(const cr_real p[4], const cri_tetrahedron* t, cr_real field[4]) {
  for (int k = 0; k < 4; k++) {
    field[k] = p[0] * t->share[0][k] + p[1] * t->share[1][k] + p[2] * t->share[2][k] +
               p[3] * t->share[3][k];
  }
}

bool cri_tetrahedron_complete(cri_tetrahedron* t) {
  cr_real size2 = cri_tetrahedron_size2(t);
  if (!(cr_abs(cri_tetrahedron_volume6(t)) > 6 * FLAT * size2 * cr_sqrt(size2))) {
    return false;
  }
  for (int i = 0; i < 4; i++) {
    const cr_real *x = t->vertex[i], *on = t->vertex[(i + 1) % 4];
    cr_real u[3], v[3], up[3], n[3];
    cr_sub3(u, t->vertex[(i + 2) % 4], on);
    cr_sub3(v, t->vertex[(i + 3) % 4], on);
    cr_sub3(up, x, on);
    cr_cross3(n, u, v);
    cr_scl3(t->share[i], n, 1 / cr_dot3(n, up));  // [pressure.p1]
    t->share[i][3] = -cr_dot3(t->share[i], on);
  }
  mix(t->pressure, t, t->field);
  return true;
}

void cri_tetrahedron_complete_tan(const cri_tetrahedron* t, cri_tetrahedron* t_tan) {
  cr_real moved[4];
  for (int i = 0; i < 4; i++) {
    cr_real* share_tan = t_tan->share[i];
    cr_zero(share_tan, 4);
    for (int j = 0; j < 4; j++) {  // [pressure.p3]
      cr_real along = cr_dot3(t->share[i], t_tan->vertex[j]);
      for (int k = 0; k < 4; k++) {
        share_tan[k] -= along * t->share[j][k];
      }
    }
  }
  mix(t_tan->pressure, t, t_tan->field);
  mix(t->pressure, t_tan, moved);
  for (int k = 0; k < 4; k++) {
    t_tan->field[k] += moved[k];
  }
}

static cr_real dot4(const cr_real a[4], const cr_real b[4]) { return cr_dot3(a, b) + a[3] * b[3]; }

void cri_tetrahedron_field_bar(const cri_tetrahedron* t, cri_tetrahedron* t_bar) {
  for (int i = 0; i < 4; i++) {  // [pressure.p4]'
    const cr_real along = dot4(t->share[i], t_bar->field);
    t_bar->pressure[i] += along;
    cr_accscl3(t_bar->vertex[i], t->field, -along);
  }
}

void cri_tetrahedron_complete_bar(const cri_tetrahedron* t, cri_tetrahedron* t_bar) {
  for (int i = 0; i < 4; i++) {
    cr_real share_bar[4];
    for (int k = 0; k < 4; k++) {  // [pressure.p2]'
      share_bar[k] = t_bar->share[i][k] + t->pressure[i] * t_bar->field[k];
    }
    t_bar->pressure[i] += dot4(t->share[i], t_bar->field);
    for (int j = 0; j < 4; j++) {  // [pressure.p3]'
      cr_accscl3(t_bar->vertex[j], t->share[i], -dot4(t->share[j], share_bar));
    }
  }
}
