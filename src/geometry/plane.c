// SPDX-License-Identifier: Apache-2.0
// A plane against each shape: detection, tangent, transpose, shape by shape.
#include "geometry/plane.h"

#include "geometry/pair_distance.h"

static cr_halfspace plane_of(const cr_shape* a) {
  cr_halfspace h;
  cr_copy3(h.pos, a->pos);
  cr_col3(h.normal, a->mat, 2);
  return h;
}

static cr_halfspace plane_tan_of(const cr_halfspace* h, const cr_shape_tan* a_tan) {
  cr_halfspace h_tan;
  cr_copy3(h_tan.pos, a_tan->pos);
  cr_cross3(h_tan.normal, a_tan->rot, h->normal);
  return h_tan;
}

static void plane_bar_of(const cr_halfspace* h, const cr_halfspace* h_bar, cr_shape_tan* a_bar) {
  cr_acc3(a_bar->pos, h_bar->pos);
  cr_acccross3(a_bar->rot, h->normal, h_bar->normal);
}

// a contact of the ball with the plane, dist given
static void emit(const cr_halfspace* h, const cr_real centre[3], cr_real radius, cr_real dist,
                 cr_hit* hit) {
  hit->dist = dist;
  cr_copy3(hit->pos, centre);
  cr_accscl3(hit->pos, h->normal, -dist / 2 - radius);
  cr_copy3(hit->normal, h->normal);
  cr_zero3(hit->hint);
  memset(hit->feature, 0, sizeof hit->feature);
  memset(hit->local, 0, sizeof hit->local);
}

// [collision.p1] the ball `centre`, `radius` above the plane; false if it is too far
static bool ball_hits(const cr_halfspace* h, const cr_real centre[3], cr_real radius,
                      cr_real margin, cr_hit* hit) {
  cr_real dif[3];
  cr_sub3(dif, centre, h->pos);
  cr_real height = cr_dot3(dif, h->normal);
  if (height > margin + radius) {
    return false;
  }
  emit(h, centre, radius, height - radius, hit);
  return true;
}

// ---- sphere

int cri_plane_sphere(const cr_shape* a, const cr_shape* b, cr_real margin,
                     cr_hit hit[CR_MAX_HITS]) {
  cr_halfspace h = plane_of(a);
  return ball_hits(&h, b->pos, b->size[0], margin, hit);
}

// the sphere as a ball
static cr_ball sphere_ball(const cr_shape* b) {
  return (cr_ball){{b->pos[0], b->pos[1], b->pos[2]}, b->size[0]};
}

void cri_plane_sphere_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                          const cr_real local[6], const cr_shape_tan* a_tan,
                          const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)feature, (void)local;
  cr_halfspace h = plane_of(a), h_tan = plane_tan_of(&h, a_tan);
  cr_ball ball = sphere_ball(b), ball_tan;
  cr_copy3(ball_tan.pos, b_tan->pos);
  ball_tan.radius = b_tan->size[0];
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
}

void cri_plane_sphere_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                          const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                          cr_shape_tan* b_bar) {
  (void)feature, (void)local;
  cr_halfspace h = plane_of(a), h_bar;
  cr_ball ball = sphere_ball(b), ball_bar;
  cri_plane_ball_bar(&h, &ball, hit_bar, &h_bar, &ball_bar);
  plane_bar_of(&h, &h_bar, a_bar);
  cr_acc3(b_bar->pos, ball_bar.pos);
  b_bar->size[0] += ball_bar.radius;
}

// ---- capsule

int cri_plane_capsule(const cr_shape* a, const cr_shape* b, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]) {
  cr_halfspace h = plane_of(a);
  cr_real axis[3];
  cr_col3(axis, b->mat, 2);
  int n = 0;
  for (int32_t end = 1; end >= -1; end -= 2) {
    // [collision.p2] the ball at this end
    cr_real centre[3];
    cr_scl3(centre, axis, (cr_real)end * b->size[1]);
    cr_acc3(centre, b->pos);
    if (ball_hits(&h, centre, b->size[0], margin, hit + n)) {
      cr_copy3(hit[n].hint, axis);
      hit[n++].feature[0] = end;
    }
  }
  return n;
}

// the ball at the end with this sign
static cr_ball capsule_ball(const cr_shape* b, const cr_real axis[3], cr_real sign) {
  cr_ball ball = sphere_ball(b);
  cr_accscl3(ball.pos, axis, sign * b->size[1]);
  return ball;
}

void cri_plane_capsule_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                           const cr_real local[6], const cr_shape_tan* a_tan,
                           const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)local;
  cr_real axis[3], axis_tan[3], sign = (cr_real)feature[0];
  cr_col3(axis, b->mat, 2);
  cr_cross3(axis_tan, b_tan->rot, axis);

  // [collision.p2]
  cr_ball ball = capsule_ball(b, axis, sign), ball_tan;
  cr_copy3(ball_tan.pos, b_tan->pos);
  cr_accscl3(ball_tan.pos, axis_tan, sign * b->size[1]);
  cr_accscl3(ball_tan.pos, axis, sign * b_tan->size[1]);
  ball_tan.radius = b_tan->size[0];

  // [collision.p1]
  cr_halfspace h = plane_of(a), h_tan = plane_tan_of(&h, a_tan);
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
  cr_copy3(hit_tan->hint, axis_tan);
}

void cri_plane_capsule_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                           const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                           cr_shape_tan* b_bar) {
  (void)local;
  cr_real axis[3], axis_bar[3], sign = (cr_real)feature[0];
  cr_col3(axis, b->mat, 2);

  // [collision.p1]'
  cr_halfspace h = plane_of(a), h_bar;
  cr_ball ball = capsule_ball(b, axis, sign), ball_bar;
  cri_plane_ball_bar(&h, &ball, hit_bar, &h_bar, &ball_bar);
  plane_bar_of(&h, &h_bar, a_bar);

  // [collision.p2]'
  cr_acc3(b_bar->pos, ball_bar.pos);
  b_bar->size[0] += ball_bar.radius;
  b_bar->size[1] += sign * cr_dot3(axis, ball_bar.pos);
  cr_copy3(axis_bar, hit_bar->hint);
  cr_accscl3(axis_bar, ball_bar.pos, sign * b->size[1]);
  cr_acccross3(b_bar->rot, axis, axis_bar);
}

// ---- box

int cri_plane_box(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  enum { MOST = 4 };
  cr_halfspace h = plane_of(a);
  cr_real dif[3];
  cr_sub3(dif, b->pos, a->pos);
  cr_real height = cr_dot3(dif, h.normal);

  // [collision.p3] the first corners that are within reach and not above the centre
  int n = 0;
  for (int32_t i = 0; i < 8 && n < MOST; i++) {
    const cr_real corner[3] = {i & 1 ? b->size[0] : -b->size[0], i & 2 ? b->size[1] : -b->size[1],
                               i & 4 ? b->size[2] : -b->size[2]};
    cr_real arm[3];
    cr_mulmat3(arm, b->mat, corner);
    cr_real below = cr_dot3(h.normal, arm);
    if (height + below <= margin && below <= 0) {
      cr_acc3(arm, b->pos);
      emit(&h, arm, 0, height + below, hit + n);
      hit[n++].feature[0] = i;
    }
  }
  return n;
}

// signs of the corner's coordinates, and its arm from the centre
static void box_corner(const cr_shape* b, int32_t corner, cr_real sign[3], cr_real arm[3]) {
  cr_real x[3];
  for (int k = 0; k < 3; k++) {
    sign[k] = corner >> k & 1 ? 1 : -1;
    x[k] = sign[k] * b->size[k];
  }
  cr_mulmat3(arm, b->mat, x);
}

int cri_plane_box_all(const cr_shape* a, const cr_shape* b, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]) {
  cr_halfspace h = plane_of(a);
  int n = 0;
  for (int32_t i = 0; i < 8; i++) {
    cr_real sign[3], corner[3];
    box_corner(b, i, sign, corner);
    cr_acc3(corner, b->pos);
    if (ball_hits(&h, corner, 0, margin, hit + n)) {
      hit[n++].feature[0] = i;
    }
  }
  return n;
}

void cri_plane_box_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                       const cr_real local[6], const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                       cr_hit_tan* hit_tan) {
  (void)local;
  cr_real sign[3], arm[3], x_tan[3];
  box_corner(b, feature[0], sign, arm);

  // [collision.p3]
  cr_ball ball = {.radius = 0}, ball_tan = {.radius = 0};
  cr_add3(ball.pos, b->pos, arm);
  for (int k = 0; k < 3; k++) {
    x_tan[k] = sign[k] * b_tan->size[k];
  }
  cr_copy3(ball_tan.pos, b_tan->pos);
  cr_acccross3(ball_tan.pos, b_tan->rot, arm);
  cr_accmat3(ball_tan.pos, b->mat, x_tan);

  // [collision.p1]
  cr_halfspace h = plane_of(a), h_tan = plane_tan_of(&h, a_tan);
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
}

void cri_plane_box_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                       const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                       cr_shape_tan* b_bar) {
  (void)local;
  cr_real sign[3], arm[3], x_bar[3];
  box_corner(b, feature[0], sign, arm);

  // [collision.p1]'
  cr_halfspace h = plane_of(a), h_bar;
  cr_ball ball = {.radius = 0}, ball_bar;
  cr_add3(ball.pos, b->pos, arm);
  cri_plane_ball_bar(&h, &ball, hit_bar, &h_bar, &ball_bar);
  plane_bar_of(&h, &h_bar, a_bar);

  // [collision.p3]'
  cr_acc3(b_bar->pos, ball_bar.pos);
  cr_acccross3(b_bar->rot, arm, ball_bar.pos);
  cr_multmat3(x_bar, b->mat, ball_bar.pos);
  for (int k = 0; k < 3; k++) {
    b_bar->size[k] += sign[k] * x_bar[k];
  }
}

// ---- cylinder

// feature[2]: how e moves; nearly flat it would run along the rim by one over the tilt
enum { TILTED, FLAT, NEARLY_FLAT };

// [collision.p4] z: the axis, turned to the plane   [collision.p5] e: the lowest direction in the disk, f = e x z
// [collision.p6] a point = centre + along h z + r (low e + side f)
typedef struct {
  cr_real along, low, side;
} rim_point;

static const rim_point RIM[4] = {
    {1, 1, 0},
    {-1, 1, 0},
    {1, CR_R(-0.5), CR_R(0.86602540378443864676372317075293618)},
    {1, CR_R(-0.5), CR_R(-0.86602540378443864676372317075293618)},
};

// The part of -n in the disk, normalised, and its length; local x if the disk is parallel to the plane.
// From n in the cylinder's own axes: z (n . z) - n would lose all digits near there.
static cr_real lowest_in_disk(const cr_halfspace* h, const cr_shape* b, cr_real e[3]) {
  cr_real x[3], y[3];
  cr_col3(x, b->mat, 0);
  cr_col3(y, b->mat, 1);
  cr_real u = cr_dot3(h->normal, x), v = cr_dot3(h->normal, y), length = cr_sqrt(u * u + v * v);
  cr_copy3(e, x);
  if (length >= CR_MINVAL) {
    cr_scl3(e, x, -u / length);
    cr_accscl3(e, y, -v / length);
  }
  return length;
}

int cri_plane_cylinder(const cr_shape* a, const cr_shape* b, cr_real margin,
                       cr_hit hit[CR_MAX_HITS]) {
  cr_halfspace h = plane_of(a);
  cr_real radius = b->size[0], half = b->size[1], z[3], dif[3];
  cr_sub3(dif, b->pos, a->pos);
  cr_real height = cr_dot3(dif, h.normal);

  // [collision.p4]
  cr_col3(z, b->mat, 2);
  int32_t disk = cr_dot3(h.normal, z) > 0 ? -1 : 1;
  cr_scl3(z, z, (cr_real)disk);
  cr_real fall = cr_dot3(h.normal, z);

  // [collision.p5]
  cr_real e[3], f[3];
  cr_real length = lowest_in_disk(&h, b, e);
  bool flat = length < CR_MINVAL;
  int32_t kind = flat ? FLAT : length < CR_TINY_LENGTH ? NEARLY_FLAT : TILTED;
  cr_cross3(f, e, z);
  cr_normalize3(f);
  cr_real slope = flat ? radius * cr_dot3(e, h.normal) : -radius * length;

  // [collision.p6] the lowest point decides whether there is contact at all
  int n = 0;
  for (int32_t i = 0; i < 4; i++) {
    const rim_point* p = RIM + i;
    cr_real dist = height + p->along * half * fall + p->low * slope;
    if (dist <= margin) {
      cr_real point[3];
      cr_copy3(point, b->pos);
      cr_accscl3(point, z, p->along * half);
      cr_accscl3(point, e, p->low * radius);
      cr_accscl3(point, f, p->side * radius);
      emit(&h, point, 0, dist, hit + n);
      hit[n].feature[0] = i;
      hit[n].feature[1] = disk;
      hit[n].feature[2] = kind;
      cr_copy3(hit[n].local, e);
      hit[n++].local[3] = length;
    } else if (i == 0) {
      return 0;
    }
  }
  return n;
}

// the frame z, e, f of a cylinder's contact and the arm of its point
typedef struct {
  cr_real z[3], e[3], f[3], arm[3];
} rim_frame;

static rim_frame rim_of(const cr_shape* b, const int32_t feature[4], const cr_real local[6]) {
  const rim_point* p = RIM + feature[0];
  rim_frame k;
  cr_col3(k.z, b->mat, 2);
  cr_scl3(k.z, k.z, (cr_real)feature[1]);
  cr_copy3(k.e, local);
  cr_cross3(k.f, k.e, k.z);
  cr_scl3(k.arm, k.z, p->along * b->size[1]);
  cr_accscl3(k.arm, k.e, p->low * b->size[0]);
  cr_accscl3(k.arm, k.f, p->side * b->size[0]);
  return k;
}

// [collision.p5] tangent of e: that of the normalised part of -n in the disk. If the disk is flat: local x. If it nearly
// is: held in the disk, about whose axis it does not turn
static void lowest_tan(const rim_frame* k, const cr_real n[3], const int32_t feature[4],
                       const cr_real local[6], const cr_real n_tan[3], const cr_real rot[3],
                       const cr_real z_tan[3], cr_real e_tan[3]) {
  if (feature[2] == FLAT) {
    cr_cross3(e_tan, rot, k->e);
    return;
  }
  if (feature[2] == NEARLY_FLAT) {
    cr_scl3(e_tan, k->z, -cr_dot3(k->e, z_tan));
    return;
  }
  cr_real v_tan[3];
  cr_scl3(v_tan, z_tan, cr_dot3(n, k->z));
  cr_accscl3(v_tan, k->z, cr_dot3(n_tan, k->z) + cr_dot3(n, z_tan));
  cr_sub3(v_tan, v_tan, n_tan);
  cr_normalize3_tan(e_tan, k->e, local[3], v_tan);
}

void cri_plane_cylinder_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                            const cr_real local[6], const cr_shape_tan* a_tan,
                            const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_halfspace h = plane_of(a), h_tan = plane_tan_of(&h, a_tan);
  const rim_point* p = RIM + feature[0];
  rim_frame k = rim_of(b, feature, local);

  // [collision.p4], [collision.p5]
  cr_real z_tan[3], e_tan[3], f_tan[3];
  cr_cross3(z_tan, b_tan->rot, k.z);
  lowest_tan(&k, h.normal, feature, local, h_tan.normal, b_tan->rot, z_tan, e_tan);
  cr_cross3(f_tan, e_tan, k.z);
  cr_acccross3(f_tan, k.e, z_tan);

  // [collision.p6]
  cr_ball ball = {.radius = 0}, ball_tan = {.radius = 0};
  cr_add3(ball.pos, b->pos, k.arm);
  cr_copy3(ball_tan.pos, b_tan->pos);
  cr_accscl3(ball_tan.pos, k.z, p->along * b_tan->size[1]);
  cr_accscl3(ball_tan.pos, z_tan, p->along * b->size[1]);
  cr_accscl3(ball_tan.pos, k.e, p->low * b_tan->size[0]);
  cr_accscl3(ball_tan.pos, e_tan, p->low * b->size[0]);
  cr_accscl3(ball_tan.pos, k.f, p->side * b_tan->size[0]);
  cr_accscl3(ball_tan.pos, f_tan, p->side * b->size[0]);

  // [collision.p1]
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
}

// [collision.p5]' into the normal, the axis and the rotation
static void lowest_bar(const rim_frame* k, const cr_real n[3], const int32_t feature[4],
                       const cr_real local[6], const cr_real e_bar[3], cr_real n_bar[3],
                       cr_real z_bar[3], cr_real rot_bar[3]) {
  if (feature[2] == FLAT) {
    cr_acccross3(rot_bar, k->e, e_bar);
    return;
  }
  if (feature[2] == NEARLY_FLAT) {
    cr_accscl3(z_bar, k->e, -cr_dot3(k->z, e_bar));
    return;
  }
  cr_real v_bar[3];
  cr_normalize3_tan(v_bar, k->e, local[3], e_bar);
  cr_real along = cr_dot3(k->z, v_bar);
  cr_accscl3(z_bar, v_bar, cr_dot3(n, k->z));
  cr_accscl3(z_bar, n, along);
  cr_accscl3(n_bar, k->z, along);
  cr_sub3(n_bar, n_bar, v_bar);
}

void cri_plane_cylinder_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                            const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                            cr_shape_tan* b_bar) {
  cr_halfspace h = plane_of(a), h_bar;
  const rim_point* p = RIM + feature[0];
  rim_frame k = rim_of(b, feature, local);

  // [collision.p1]'
  cr_ball ball = {.radius = 0}, ball_bar;
  cr_add3(ball.pos, b->pos, k.arm);
  cri_plane_ball_bar(&h, &ball, hit_bar, &h_bar, &ball_bar);

  // [collision.p6]'
  cr_real z_bar[3], e_bar[3], f_bar[3];
  cr_acc3(b_bar->pos, ball_bar.pos);
  b_bar->size[1] += p->along * cr_dot3(k.z, ball_bar.pos);
  b_bar->size[0] += p->low * cr_dot3(k.e, ball_bar.pos) + p->side * cr_dot3(k.f, ball_bar.pos);
  cr_scl3(z_bar, ball_bar.pos, p->along * b->size[1]);
  cr_scl3(e_bar, ball_bar.pos, p->low * b->size[0]);
  cr_scl3(f_bar, ball_bar.pos, p->side * b->size[0]);

  // [collision.p5]', [collision.p4]'
  cr_acccross3(e_bar, k.z, f_bar);
  cr_acccross3(z_bar, f_bar, k.e);
  lowest_bar(&k, h.normal, feature, local, e_bar, h_bar.normal, z_bar, b_bar->rot);
  cr_acccross3(b_bar->rot, k.z, z_bar);
  plane_bar_of(&h, &h_bar, a_bar);
}
