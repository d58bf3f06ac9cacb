// SPDX-License-Identifier: Apache-2.0
#include "pressure/cut.h"

static const cr_real* plane_of(const cri_cut* cut, int plane) {
  return plane == 0 ? cut->across : cut->clip[plane - 1];
}

// ---- the polygon

// [pressure.c1] the zero of a plane between two nodes, where it has the values s_from and s_to
static int8_t add_node(cri_polygon* p, int from, int to, int plane, cr_real s_from, cr_real s_to) {
  cri_cut_node* y = &p->node[p->nnode];
  cr_real edge[3];
  y->from = (int8_t)from;
  y->to = (int8_t)to;
  y->plane = (int8_t)plane;
  y->along = s_from / (s_from - s_to);
  cr_sub3(edge, p->node[to].pos, p->node[from].pos);
  cr_copy3(y->pos, p->node[from].pos);
  cr_accscl3(y->pos, edge, y->along);
  return (int8_t)p->nnode++;
}

// The tetrahedron where `across` is 0: from the side with two vertices at most, a triangle or a quadrilateral.
static void slice(const cri_cut* cut, cri_polygon* p) {
  cr_real s[4];
  int few[4], rest[4], nfew = 0, nrest = 0, nabove = 0;
  for (int i = 0; i < 4; i++) {
    s[i] = cri_affine(cut->across, cut->start[i]);
    nabove += s[i] >= 0;
  }
  for (int i = 0; i < 4; i++) {
    if ((s[i] >= 0) == (nabove <= 2)) {
      few[nfew++] = i;
    } else {
      rest[nrest++] = i;
    }
  }
  for (int k = 0; k < nfew * nrest; k++) {
    // (0,0) (0,1) (0,2), or around the quadrilateral (0,0) (0,1) (1,1) (1,0)
    int i = few[k / nrest], j = rest[nfew == 2 && k >= 2 ? 3 - k : k % nrest];
    p->corner[p->n++] = add_node(p, i, j, 0, s[i], s[j]);
  }
}

static void clip(const cri_cut* cut, int plane, cri_polygon* p) {
  cr_real s[CRI_CUT_CORNERS];
  int8_t old[CRI_CUT_CORNERS];
  int n = p->n;
  memcpy(old, p->corner, sizeof old);
  for (int i = 0; i < n; i++) {
    s[i] = cri_affine(plane_of(cut, plane), p->node[old[i]].pos);
  }
  p->n = 0;
  for (int i = 0; i < n; i++) {
    int next = i + 1 < n ? i + 1 : 0;
    if (s[i] >= 0) {
      p->corner[p->n++] = old[i];
    }
    if ((s[i] >= 0) != (s[next] >= 0)) {
      p->corner[p->n++] = add_node(p, old[i], old[next], plane, s[i], s[next]);
    }
  }
}

// twice the area, around the direction n
static cr_real turn(const cri_polygon* p, const cr_real n[3]) {
  cr_real sum = 0;
  for (int i = 1; i + 1 < p->n; i++) {
    cr_real u[3], v[3], c[3];
    cr_sub3(u, p->node[p->corner[i]].pos, p->node[p->corner[0]].pos);
    cr_sub3(v, p->node[p->corner[i + 1]].pos, p->node[p->corner[0]].pos);
    cr_cross3(c, u, v);
    sum += cr_dot3(c, n);
  }
  return sum;
}

static void turn_around(cri_polygon* p) {
  for (int i = 0, j = p->n - 1; i < j; i++, j--) {
    int8_t other = p->corner[i];
    p->corner[i] = p->corner[j];
    p->corner[j] = other;
  }
}

void cri_cut_polygon(const cri_cut* cut, cri_polygon* p) {
  p->n = 0;
  p->nnode = cut->nstart;
  for (int i = 0; i < cut->nstart; i++) {
    cr_copy3(p->node[i].pos, cut->start[i]);
    p->node[i].from = p->node[i].to = (int8_t)i;
    p->node[i].plane = -1;
    p->node[i].along = 0;
  }
  if (cut->nstart == 4) {
    slice(cut, p);
  } else {
    for (int i = 0; i < 3; i++) {
      p->corner[p->n++] = (int8_t)i;
    }
  }
  for (int k = 0; k < cut->nclip && p->n > 0; k++) {
    clip(cut, 1 + k, p);
  }
  if (turn(p, cut->across) < 0) {
    turn_around(p);
  }
}

// ---- derivatives

// an edge lies in a plane below this cosine between it and the plane's gradient
#define WITHIN (16 * CR_EPS)

// Of y = u + t (v - u), t = s(u) / (s(u) - s(v)): with g the gradient of s and w = v - u, g . w = s(v) - s(u),
//   dy = x - w (ds(y) + g . x) / (g . w),  x = du + t (dv - du)                                   [pressure.c2]
// Sets w; returns 1 / (g . w), and 0 for an edge in the plane: its point keeps its share t.
static cr_real per_slope(const cri_cut* cut, const cri_polygon* p, const cri_cut_node* y,
                         cr_real w[3]) {
  const cr_real* g = plane_of(cut, y->plane);
  cr_sub3(w, p->node[y->to].pos, p->node[y->from].pos);
  cr_real gw = cr_dot3(g, w);
  return gw * gw > WITHIN * WITHIN * cr_dot3(g, g) * cr_dot3(w, w) ? 1 / gw : 0;
}

void cri_cut_polygon_tan(const cri_cut* cut, const cri_polygon* p, const cri_cut* cut_tan,
                         cr_real pos_tan[CRI_CUT_NODES][3]) {
  for (int i = 0; i < p->nnode; i++) {
    const cri_cut_node* y = &p->node[i];
    if (y->plane < 0) {
      cr_copy3(pos_tan[i], cut_tan->start[i]);
      continue;
    }
    cr_real w[3], per = per_slope(cut, p, y, w);
    cr_scl3(pos_tan[i], pos_tan[y->from], 1 - y->along);
    cr_accscl3(pos_tan[i], pos_tan[y->to], y->along);
    cr_real off = cri_affine(plane_of(cut_tan, y->plane), y->pos) +
                  cr_dot3(plane_of(cut, y->plane), pos_tan[i]);
    cr_accscl3(pos_tan[i], w, -off * per);  // [pressure.c2]
  }
}

void cri_cut_polygon_bar(const cri_cut* cut, const cri_polygon* p,
                         cr_real pos_bar[CRI_CUT_NODES][3], cri_cut* cut_bar) {
  for (int i = p->nnode - 1; i >= 0; i--) {
    const cri_cut_node* y = &p->node[i];
    if (y->plane < 0) {
      cr_acc3(cut_bar->start[i], pos_bar[i]);
      continue;
    }
    // [pressure.c2]'
    cr_real w[3], per = per_slope(cut, p, y, w), off_bar = -cr_dot3(w, pos_bar[i]) * per;
    cr_real* plane_bar = y->plane == 0 ? cut_bar->across : cut_bar->clip[y->plane - 1];
    cr_accscl3(plane_bar, y->pos, off_bar);
    plane_bar[3] += off_bar;
    cr_accscl3(pos_bar[i], plane_of(cut, y->plane), off_bar);
    cr_accscl3(pos_bar[y->from], pos_bar[i], 1 - y->along);
    cr_accscl3(pos_bar[y->to], pos_bar[i], y->along);
  }
}
