// SPDX-License-Identifier: Apache-2.0
#include "geometry/facet.h"

#include "geometry/box.h"

// ---- flat faces

static void box_corner(int32_t id, int i, int sign[3]) {
  static const signed char corner[6][4][3] = {{{1, 1, 1}, {1, 1, -1}, {1, -1, -1}, {1, -1, 1}},
                                              {{-1, 1, -1}, {-1, 1, 1}, {-1, -1, 1}, {-1, -1, -1}},
                                              {{-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}},
                                              {{-1, -1, 1}, {1, -1, 1}, {1, -1, -1}, {-1, -1, -1}},
                                              {{-1, 1, 1}, {1, 1, 1}, {1, -1, 1}, {-1, -1, 1}},
                                              {{1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {1, -1, -1}}};
  for (int k = 0; k < 3; k++) {
    sign[k] = corner[id][i][k];
  }
}

// the corners of a disk are 16 to a turn: corner i at angle i pi/8
static void disk_corner(int i, cr_real* cosine, cr_real* sine) {
  static const cr_real quarter[5] = {1, CR_R(0.92387953251128675612818318939678828682),
                                     CR_R(0.70710678118654752440084436210484903928),
                                     CR_R(0.38268343236508977172845998403039886676), 0};
  int k = i % 4;
  const cr_real along = quarter[k], across = quarter[4 - k];
  const cr_real turned[4][2] = {
      {along, across}, {-across, along}, {-along, -across}, {across, -along}};
  *cosine = turned[i / 4][0];
  *sine = turned[i / 4][1];
}

static void place(const cr_core* c, const cr_real x[3], cr_real p[3]) {
  cr_mulmat3(p, c->shape->mat, x);
  cr_acc3(p, c->pos);
}

cri_flat cri_flat_of(const cr_core* c, int32_t id) {
  cri_flat f = {.core = c, .id = id, .n = 4};
  cr_real x[3] = {0, 0, 0};
  if (c->shape->type == CR_GEOM_BOX) {
    x[id / 2] = id % 2 ? -1 : 1;
  } else if (c->shape->type == CR_GEOM_CYLINDER) {
    f.n = CRI_DISK_CORNERS;
    x[2] = id ? 1 : -1;
  } else {
    f.n = c->shape->hull->num[id];
    cr_copy3(x, c->shape->hull->normal + 3 * id);
  }
  cr_mulmat3(f.normal, c->shape->mat, x);
  return f;
}

void cri_flat_corner(const cri_flat* f, int i, cr_real p[3]) {
  const cr_shape* s = f->core->shape;
  cr_real x[3];
  if (s->type == CR_GEOM_BOX) {
    int sign[3];
    box_corner(f->id, i, sign);
    for (int k = 0; k < 3; k++) {
      x[k] = (cr_real)sign[k] * s->size[k];
    }
  } else if (s->type == CR_GEOM_CYLINDER) {
    cr_real cosine, sine;
    disk_corner(i, &cosine, &sine);
    x[0] = s->size[0] * cosine;
    x[1] = (f->id ? -s->size[0] : s->size[0]) * sine;
    x[2] = f->id ? s->size[1] : -s->size[1];
  } else {
    const cr_hull* h = s->hull;
    cr_copy3(x, h->vert + 3 * h->polygon[h->adr[f->id] + f->n - 1 - i]);
  }
  place(f->core, x, p);
}

int cri_flats_near(const cr_core* c, const cr_touch* t, int32_t id[CRI_MOST_FACETS]) {
  int n = 0;
  if (c->shape->type == CR_GEOM_BOX) {
    int sign[3];
    cri_part_signs(sign, t->id[0] - 13);
    for (int k = 0; k < 3; k++) {
      if (sign[k] != 0) {
        id[n++] = 2 * k + (sign[k] < 0);
      }
    }
  } else if (c->shape->type == CR_GEOM_CYLINDER && t->kind != CR_TOUCH_SIDE) {
    id[n++] = t->id[0];
  } else if (c->shape->type == CR_GEOM_MESH && t->kind == CR_TOUCH_FACE) {
    id[0] = cri_touch_polygon(c->shape->hull, t);
    n = id[0] >= 0;
  } else if (c->shape->type == CR_GEOM_MESH) {
    const cr_hull* h = c->shape->hull;
    const int32_t* first = h->map + h->mapadr[t->id[0]];
    for (int i = 0; i < h->mapnum[t->id[0]] && n < CRI_MOST_FACETS; i++) {
      bool common = t->kind == CR_TOUCH_POINT;
      for (int k = 0; !common && k < h->mapnum[t->id[1]]; k++) {
        common = h->map[h->mapadr[t->id[1]] + k] == first[i];
      }
      if (common) {
        id[n++] = first[i];
      }
    }
  }
  return n;
}

// ---- straight lines

int32_t cri_pack(int32_t low, int32_t high) {
  return (int32_t)((uint32_t)low | (uint32_t)high << 16);
}

// [collision_convex.h4]
void cri_dual_offset(const cr_core* c, const cr_real axis[3], const cr_real m[3], cr_real r[3]) {
  cr_copy3(r, m);
  cr_accscl3(r, axis, -cr_dot3(m, axis));
  if (c->shape->type == CR_GEOM_CYLINDER) {
    cr_normalize3(r);
  }
  cr_scl3(r, r, c->shape->size[0]);
}

cri_dual cri_dual_of(const cr_core* c, int32_t id, const cr_real m[3]) {
  cri_dual l = {.core = c, .id = id};
  const cr_shape* s = c->shape;
  if (s->type == CR_GEOM_BOX) {
    int sign[3];
    cri_part_signs(sign, id - 13);
    for (int e = 0; e < 2; e++) {
      cr_real x[3];
      for (int k = 0; k < 3; k++) {
        x[k] = (sign[k] != 0 ? (cr_real)sign[k] : (cr_real)(2 * e - 1)) * s->size[k];
      }
      place(c, x, l.end[e]);
    }
  } else if (s->type == CR_GEOM_MESH) {
    place(c, s->hull->vert + 3 * (ptrdiff_t)(id & 0xffff), l.end[0]);
    place(c, s->hull->vert + 3 * (ptrdiff_t)((uint32_t)id >> 16), l.end[1]);
  } else {
    cr_real offset[3];
    cr_col3(l.axis, s->mat, 2);
    cri_dual_offset(c, l.axis, m, offset);
    for (int e = 0; e < 2; e++) {
      cr_add3(l.end[e], c->pos, offset);
      cr_accscl3(l.end[e], l.axis, e ? s->size[1] : -s->size[1]);
    }
  }
  cr_sub3(l.axis, l.end[1], l.end[0]);
  cr_normalize3(l.axis);
  return l;
}

bool cri_has_round_side(const cr_core* c) {
  return c->shape->type == CR_GEOM_CAPSULE || c->shape->type == CR_GEOM_CYLINDER;
}

int cri_lines_near(const cr_core* c, const cr_touch* t, int32_t id[CRI_MOST_FACETS]) {
  int n = 0;
  if (cri_has_round_side(c)) {
    id[n++] = 0;
  } else if (t->kind == CR_TOUCH_EDGE) {
    id[n++] = c->shape->type == CR_GEOM_BOX ? t->id[0] : cri_pack(t->id[0], t->id[1]);
  } else if (t->kind == CR_TOUCH_POINT && c->shape->type == CR_GEOM_BOX) {
    int sign[3];
    cri_part_signs(sign, t->id[0] - 13);
    for (int k = 0; k < 3; k++) {
      id[n++] = t->id[0] - cri_part(k, sign[k]);
    }
  } else if (t->kind == CR_TOUCH_POINT && c->shape->type == CR_GEOM_MESH) {
    const cr_hull* h = c->shape->hull;
    for (int i = 0; i < h->mapnum[t->id[0]] && n < CRI_MOST_FACETS; i++) {
      int32_t p = h->map[h->mapadr[t->id[0]] + i];
      const int32_t* corner = h->polygon + h->adr[p];
      for (int k = 0; k < h->num[p]; k++) {
        if (corner[k] == t->id[0]) {
          id[n++] = cri_pack(t->id[0], corner[k == 0 ? h->num[p] - 1 : k - 1]);
          break;
        }
      }
    }
  }
  return n;
}
