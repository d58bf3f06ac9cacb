// SPDX-License-Identifier: Apache-2.0
// Sphere against box, in the frame of the box: comparing coordinates finds the nearest part, and
// faces, edges and corners share one formula. Capsule-box uses it too.
// [collision_box.b1]..[collision_box.b4] in docs/derivations/collision_box.md.
#include "geometry/box.h"

#include "geometry/pair_distance.h"

// ---- parts

int32_t cri_part_nearest(const cr_real c[3], const cr_real size[3]) {
  int32_t part = 0;
  for (int k = 0; k < 3; k++) {
    part += cri_part(k, (c[k] > size[k]) - (c[k] < -size[k]));
  }
  return part;
}

void cri_part_normal(cr_real n[3], const cr_shape* box, int32_t face) {
  int sign[3];
  cri_part_signs(sign, face);
  cr_real s[3] = {(cr_real)sign[0], (cr_real)sign[1], (cr_real)sign[2]};
  cr_mulmat3(n, box->mat, s);
}

void cri_part_tan(cr_real v[3], const cr_shape* box, int32_t part, const cr_real p[3],
                  const cr_shape_tan* box_tan) {
  int sign[3];
  cr_real arm[3], stretch[3];
  cri_part_signs(sign, part);
  for (int k = 0; k < 3; k++) {
    stretch[k] = (cr_real)sign[k] * box_tan->size[k];
  }
  cr_sub3(arm, p, box->pos);
  cr_copy3(v, box_tan->pos);
  cr_acccross3(v, box_tan->rot, arm);
  cr_accmat3(v, box->mat, stretch);
}

void cri_part_bar(cr_shape_tan* box_bar, const cr_shape* box, int32_t part, const cr_real p[3],
                  const cr_real v_bar[3]) {
  int sign[3];
  cr_real arm[3], stretch_bar[3];
  cri_part_signs(sign, part);
  cr_sub3(arm, p, box->pos);
  cr_acc3(box_bar->pos, v_bar);
  cr_acccross3(box_bar->rot, arm, v_bar);
  cr_multmat3(stretch_bar, box->mat, v_bar);
  for (int k = 0; k < 3; k++) {
    box_bar->size[k] += (cr_real)sign[k] * stretch_bar[k];
  }
}

// ---- a point and a part, in the box frame

typedef struct {
  int sign[3];
  cr_real n[3];  // unit, towards the part; from inside, away from it
  cr_real gap;   // distance to the part, negative inside
  bool turns;    // n turns with the point: true for an edge or a corner, false for a face
} sight;

static sight look(const cr_real c[3], const cr_real size[3], int32_t part) {
  sight see = {.gap = 0};
  cri_part_signs(see.sign, part);
  int naxis = 0, face = 0;
  for (int k = 0; k < 3; k++) {
    if (see.sign[k]) {
      see.n[k] = (cr_real)see.sign[k] * size[k] - c[k];
      naxis++;
      face = k;
    }
  }

  // edge or corner: n = delta/|delta|, gap = |delta|
  if (naxis > 1) {
    see.gap = cr_normalize3(see.n);
    see.turns = see.gap > CR_TINY_LENGTH;
    return see;
  }

  // face: n = -s e_k, gap = n . delta of either sign
  cr_real inward = (cr_real)-see.sign[face];
  see.gap = inward * see.n[face];
  see.n[face] = inward;
  return see;
}

// derivative of n with respect to delta, symmetric: zero for a face
static void turn(cr_real r[3], const sight* see, const cr_real x[3]) {
  cr_zero3(r);
  if (see->turns) {
    cr_normalize3_tan(r, see->n, see->gap, x);
  }
}

// ---- detection

// the face nearest to a point inside; the lower axis, then the negative side, wins a tie
static int32_t nearest_face(const cr_real c[3], const cr_real size[3]) {
  int32_t part = 0;
  cr_real best = 2 * (size[0] + size[1] + size[2]);
  for (int k = 0; k < 3; k++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      cr_real depth = cr_abs((cr_real)sign * size[k] - c[k]);
      if (depth < best) {
        best = depth;
        part = cri_part(k, sign);
      }
    }
  }
  return part;
}

int cri_sphere_box(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  cr_real c[3], radius = a->size[0];

  // [collision_box.b1] c = R' (p - q)
  cri_box_local(c, b, a->pos);

  // nearest part; a centre on the surface counts as inside
  int32_t part = cri_part_nearest(c, b->size);
  sight see = {.gap = 0};
  if (part) {
    see = look(c, b->size, part);
    if (see.gap - radius > margin) {
      return 0;
    }
  }
  if (see.gap <= CR_MINVAL) {
    part = nearest_face(c, b->size);
    see = look(c, b->size, part);
  }

  // [collision_box.b2] normal = R n   [collision_box.b3] dist = gap - radius   [collision_box.b4] pos = p + (gap + radius)/2 normal
  *hit = (cr_hit){.dist = see.gap - radius, .feature = {part}};
  cr_mulmat3(hit->normal, b->mat, see.n);
  cr_copy3(hit->pos, a->pos);
  cr_accscl3(hit->pos, hit->normal, (see.gap + radius) / 2);
  return 1;
}

// ---- derivatives

void cri_sphere_box_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                        const cr_real local[6], const cr_shape_tan* a_tan,
                        const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)local;
  cr_real c[3], v[3], delta_tan[3], n_tan[3], normal[3], radius = a->size[0];
  cri_box_local(c, b, a->pos);
  sight see = look(c, b->size, feature[0]);
  cr_mulmat3(normal, b->mat, see.n);
  memset(hit_tan, 0, sizeof *hit_tan);

  // [collision_box.b1] delta_tan = R' (velocity of the part at the centre - p_tan), over the axes of the part
  cri_part_tan(v, b, feature[0], a->pos, b_tan);
  cr_sub3(v, v, a_tan->pos);
  cr_multmat3(delta_tan, b->mat, v);
  for (int k = 0; k < 3; k++) {
    delta_tan[k] = see.sign[k] ? delta_tan[k] : 0;
  }

  // [collision_box.b2] normal_tan = R n_tan + rot x normal
  turn(n_tan, &see, delta_tan);
  cr_mulmat3(hit_tan->normal, b->mat, n_tan);
  cr_acccross3(hit_tan->normal, b_tan->rot, normal);

  // [collision_box.b3]
  cr_real gap_tan = cr_dot3(see.n, delta_tan);
  hit_tan->dist = gap_tan - a_tan->size[0];

  // [collision_box.b4]
  cr_copy3(hit_tan->pos, a_tan->pos);
  cr_accscl3(hit_tan->pos, hit_tan->normal, (see.gap + radius) / 2);
  cr_accscl3(hit_tan->pos, normal, (gap_tan + a_tan->size[0]) / 2);
}

void cri_sphere_box_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                        const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                        cr_shape_tan* b_bar) {
  (void)local;
  cr_real c[3], v_bar[3], delta_bar[3], n_bar[3], normal[3], normal_bar[3], radius = a->size[0];
  cri_box_local(c, b, a->pos);
  sight see = look(c, b->size, feature[0]);
  cr_mulmat3(normal, b->mat, see.n);

  // [collision_box.b4]'
  cr_real along = cr_dot3(normal, hit_bar->pos) / 2;
  cr_acc3(a_bar->pos, hit_bar->pos);
  cr_copy3(normal_bar, hit_bar->normal);
  cr_accscl3(normal_bar, hit_bar->pos, (see.gap + radius) / 2);

  // [collision_box.b3]'
  cr_real gap_bar = hit_bar->dist + along;
  a_bar->size[0] += along - hit_bar->dist;

  // [collision_box.b2]'
  cr_acccross3(b_bar->rot, normal, normal_bar);
  cr_multmat3(n_bar, b->mat, normal_bar);
  turn(delta_bar, &see, n_bar);
  cr_accscl3(delta_bar, see.n, gap_bar);

  // [collision_box.b1]'
  for (int k = 0; k < 3; k++) {
    delta_bar[k] = see.sign[k] ? delta_bar[k] : 0;
  }
  cr_mulmat3(v_bar, b->mat, delta_bar);
  cri_part_bar(b_bar, b, feature[0], a->pos, v_bar);
  cr_accscl3(a_bar->pos, v_bar, -1);
}
