// SPDX-License-Identifier: Apache-2.0
// Everything that is not a product is a function of ten sums over the axes, U = u . u, P2 = a . u^2 and so
// on. So gradients are those of scalars, and then of the sums. The slope is contracted with l and
// r before it is differentiated: one scalar in place of a tensor.
#include "force/fluid_law.h"

#include "math/vec3.h"

#define GUARD CR_MINVAL

// ---- [fluid.f1] the ellipsoid

static const cr_real moment_factor = CR_R(8.0) / 15 * CR_PI;

// indices of the largest and the middle semi-axis
static void order(const cr_real s[3], int* most, int* middle) {
  int least = 0;
  *most = 0;
  for (int i = 1; i < 3; i++) {
    *most = s[i] > s[*most] ? i : *most;
    least = s[i] <= s[least] ? i : least;
  }
  *middle = 3 - *most - least;
}

static cr_real pow4(cr_real x) { return (x * x) * (x * x); }

static int wider(const cr_real s[3], int i) {
  int j = (i + 1) % 3, k = (i + 2) % 3;
  return s[j] >= s[k] ? j : k;
}

static void make_ellipsoid(const cr_real* x, cr_real* c) {
  enum { SCALE, BLUNT, SLENDER, ANGULAR, KUTTA, MAGNUS, MASS, INERTIA = MASS + 3 };
  const cr_real *s = x + CRI_FLUID_SIZE, *f = x + CRI_FLUID_COEF;
  cr_real rho = x[CRI_FLUID_RHO], beta = x[CRI_FLUID_BETA];
  int most, middle;
  order(s, &most, &middle);
  cr_real I_max = moment_factor * s[middle] * pow4(s[most]), D = 2 * (s[0] + s[1] + s[2]) / 3;
  for (int i = 0; i < 3; i++) {
    cr_real jk = s[(i + 1) % 3] * s[(i + 2) % 3];
    cr_real I = moment_factor * s[i] * pow4(s[wider(s, i)]);
    c[CRI_FLUID_A + i] = jk * jk;
    c[CRI_FLUID_M + i] = rho * f[MASS + i];
    c[CRI_FLUID_I + i] = rho * f[INERTIA + i];
    c[CRI_FLUID_K + i] = f[ANGULAR] * I + f[SLENDER] * (I_max - I);
  }
  c[CRI_FLUID_MAGNUS] = f[MAGNUS] * rho * 4 * CR_PI / 3 * s[0] * s[1] * s[2];
  c[CRI_FLUID_KUTTA] = CR_PI * f[KUTTA] * rho;
  c[CRI_FLUID_BLUNT] = CR_PI * rho * (f[BLUNT] - f[SLENDER]);
  c[CRI_FLUID_SLENDER] = CR_PI * rho * f[SLENDER] * s[most] * s[middle];
  c[CRI_FLUID_LIN] = 3 * CR_PI * beta * D;
  c[CRI_FLUID_ANG] = CR_PI * beta * D * D * D;
  c[CRI_FLUID_DENSITY] = rho;
  c[CRI_FLUID_SCALE] = f[SCALE];
}

// c[CRI_FLUID_K] of axis i, and I_max in all of them: adds to s_bar and f_bar
static void moments_vjp(const cr_real* s, const cr_real* f, const cr_real* k_bar, cr_real* s_bar,
                        cr_real* f_bar) {
  enum { SLENDER = 2, ANGULAR = 3 };
  int most, middle;
  order(s, &most, &middle);
  cr_real I_max = moment_factor * s[middle] * pow4(s[most]), I_max_bar = 0;
  for (int i = 0; i < 3; i++) {
    int j = wider(s, i);
    cr_real I = moment_factor * s[i] * pow4(s[j]), I_bar = k_bar[i] * (f[ANGULAR] - f[SLENDER]);
    f_bar[ANGULAR] += k_bar[i] * I;
    f_bar[SLENDER] += k_bar[i] * (I_max - I);
    I_max_bar += k_bar[i] * f[SLENDER];
    s_bar[i] += I_bar * moment_factor * pow4(s[j]);
    s_bar[j] += I_bar * moment_factor * s[i] * 4 * s[j] * s[j] * s[j];
  }
  s_bar[middle] += I_max_bar * moment_factor * pow4(s[most]);
  s_bar[most] += I_max_bar * moment_factor * s[middle] * 4 * s[most] * s[most] * s[most];
}

static void ellipsoid_vjp(const cr_real* x, const cr_real* c_bar, cr_real* x_bar) {
  enum { SCALE, BLUNT, SLENDER, ANGULAR, KUTTA, MAGNUS, MASS, INERTIA = MASS + 3 };
  const cr_real *s = x + CRI_FLUID_SIZE, *f = x + CRI_FLUID_COEF;
  cr_real *s_bar = x_bar + CRI_FLUID_SIZE, *f_bar = x_bar + CRI_FLUID_COEF;
  cr_real rho = x[CRI_FLUID_RHO], beta = x[CRI_FLUID_BETA], D = 2 * (s[0] + s[1] + s[2]) / 3;
  cr_real *rho_bar = x_bar + CRI_FLUID_RHO, *beta_bar = x_bar + CRI_FLUID_BETA;
  int most, middle;
  order(s, &most, &middle);
  moments_vjp(s, f, c_bar + CRI_FLUID_K, s_bar, f_bar);
  cr_real D_bar = 3 * CR_PI * beta * (c_bar[CRI_FLUID_LIN] + D * D * c_bar[CRI_FLUID_ANG]);
  cr_real volume = 4 * CR_PI / 3, magnus_bar = c_bar[CRI_FLUID_MAGNUS];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    cr_real a_bar = c_bar[CRI_FLUID_A + i];
    s_bar[j] += 2 * a_bar * s[j] * s[k] * s[k];
    s_bar[k] += 2 * a_bar * s[k] * s[j] * s[j];
    s_bar[i] += 2 * D_bar / 3 + magnus_bar * f[MAGNUS] * rho * volume * s[j] * s[k];
    f_bar[MASS + i] += rho * c_bar[CRI_FLUID_M + i];
    f_bar[INERTIA + i] += rho * c_bar[CRI_FLUID_I + i];
    *rho_bar += f[MASS + i] * c_bar[CRI_FLUID_M + i] + f[INERTIA + i] * c_bar[CRI_FLUID_I + i];
  }
  volume *= s[0] * s[1] * s[2];
  cr_real area = CR_PI * s[most] * s[middle], slender_bar = c_bar[CRI_FLUID_SLENDER];
  f_bar[MAGNUS] += magnus_bar * rho * volume;
  f_bar[KUTTA] += CR_PI * rho * c_bar[CRI_FLUID_KUTTA];
  f_bar[BLUNT] += CR_PI * rho * c_bar[CRI_FLUID_BLUNT];
  f_bar[SLENDER] += rho * (area * slender_bar - CR_PI * c_bar[CRI_FLUID_BLUNT]);
  f_bar[SCALE] += c_bar[CRI_FLUID_SCALE];
  s_bar[most] += CR_PI * rho * f[SLENDER] * s[middle] * slender_bar;
  s_bar[middle] += CR_PI * rho * f[SLENDER] * s[most] * slender_bar;
  *rho_bar += magnus_bar * f[MAGNUS] * volume + CR_PI * f[KUTTA] * c_bar[CRI_FLUID_KUTTA] +
              CR_PI * (f[BLUNT] - f[SLENDER]) * c_bar[CRI_FLUID_BLUNT] +
              f[SLENDER] * area * slender_bar + c_bar[CRI_FLUID_DENSITY];
  *beta_bar += 3 * CR_PI * D * c_bar[CRI_FLUID_LIN] + CR_PI * D * D * D * c_bar[CRI_FLUID_ANG];
}

// ---- [fluid.f2] the box: sides b_i = sqrt(6 (I_j + I_k - I_i) / mass)

static cr_real excess_of(const cr_real I[3], int i) {
  return I[(i + 1) % 3] + I[(i + 2) % 3] - I[i];
}

bool cri_fluid_box_is_flat(const cr_real I[3]) {
  return excess_of(I, 0) <= GUARD || excess_of(I, 1) <= GUARD || excess_of(I, 2) <= GUARD;
}

static void box_sides(const cr_real* x, cr_real excess[3], cr_real b[3]) {
  const cr_real *mass = x + CRI_FLUID_SIZE, *I = mass + 1;
  for (int i = 0; i < 3; i++) {
    excess[i] = excess_of(I, i);
    b[i] = cr_sqrt(cr_max(GUARD, excess[i]) / mass[0] * 6);
  }
}

static void make_box(const cr_real* x, cr_real* c) {
  cr_real excess[3], b[3], rho = x[CRI_FLUID_RHO], beta = x[CRI_FLUID_BETA];
  box_sides(x, excess, b);
  cr_real D = (b[0] + b[1] + b[2]) / 3;
  cr_zero(c, CRI_NFLUID_LAW);
  for (int i = 0; i < 3; i++) {
    cr_real j = b[(i + 1) % 3], k = b[(i + 2) % 3];
    c[CRI_FLUID_A + i] = rho / 2 * j * k;
    c[CRI_FLUID_M + i] = rho / 64 * b[i] * (pow4(j) + pow4(k));
  }
  c[CRI_FLUID_LIN] = 3 * CR_PI * beta * D;
  c[CRI_FLUID_ANG] = CR_PI * beta * D * D * D;
}

static void box_vjp(const cr_real* x, const cr_real* c_bar, cr_real* x_bar) {
  cr_real excess[3], b[3], b_bar[3], rho = x[CRI_FLUID_RHO], beta = x[CRI_FLUID_BETA];
  box_sides(x, excess, b);
  cr_real D = (b[0] + b[1] + b[2]) / 3, mass = x[CRI_FLUID_SIZE];
  cr_real D_bar = 3 * CR_PI * beta * (c_bar[CRI_FLUID_LIN] + D * D * c_bar[CRI_FLUID_ANG]);
  x_bar[CRI_FLUID_BETA] +=
      3 * CR_PI * D * c_bar[CRI_FLUID_LIN] + CR_PI * D * D * D * c_bar[CRI_FLUID_ANG];
  for (int i = 0; i < 3; i++) {
    b_bar[i] = D_bar / 3;
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    cr_real f_bar = c_bar[CRI_FLUID_A + i], t_bar = c_bar[CRI_FLUID_M + i];
    cr_real sum = pow4(b[j]) + pow4(b[k]);
    x_bar[CRI_FLUID_RHO] += f_bar * b[j] * b[k] / 2 + t_bar * b[i] * sum / 64;
    b_bar[j] += rho / 2 * f_bar * b[k] + rho / 16 * t_bar * b[i] * b[j] * b[j] * b[j];
    b_bar[k] += rho / 2 * f_bar * b[j] + rho / 16 * t_bar * b[i] * b[k] * b[k] * b[k];
    b_bar[i] += rho / 64 * t_bar * sum;
  }
  // b^2 = 6 excess / mass
  cr_real *mass_bar = x_bar + CRI_FLUID_SIZE, *I_bar = mass_bar + 1;
  for (int i = 0; i < 3; i++) {
    cr_real excess_bar = excess[i] > GUARD ? 3 * b_bar[i] / (mass * b[i]) : 0;
    mass_bar[0] -= b_bar[i] * b[i] / (2 * mass);
    I_bar[i] -= excess_bar;
    I_bar[(i + 1) % 3] += excess_bar;
    I_bar[(i + 2) % 3] += excess_bar;
  }
}

void cri_fluid_law_make(cri_fluid_law* law, bool box, const cr_real x[CRI_NFLUID_INPUT]) {
  law->box = box;
  if (box) {
    make_box(x, law->c);
  } else {
    make_ellipsoid(x, law->c);
  }
}

void cri_fluid_law_vjp(const cri_fluid_law* law, const cr_real x[CRI_NFLUID_INPUT],
                       const cr_real c_bar[CRI_NFLUID_LAW], cr_real x_bar[CRI_NFLUID_INPUT]) {
  if (law->box) {
    box_vjp(x, c_bar, x_bar);
  } else {
    ellipsoid_vjp(x, c_bar, x_bar);
  }
}

void cri_fluid_law_drag(bool box, cr_real c[CRI_NFLUID_LAW]) {
  if (!box) {
    cr_zero3(c + CRI_FLUID_M);
    cr_zero3(c + CRI_FLUID_I);
    c[CRI_FLUID_MAGNUS] = c[CRI_FLUID_KUTTA] = 0;
  }
}

// ---- the sums over axes

// of the velocity u and two weights l, r: U = u u, P2 = a u u, P4 = a^2 u u, l0 = l u, l1 = a l u,
// r0 = u r, r1 = a u r, r2 = a^2 u r, m0 = l r, m1 = a l r
typedef struct {
  cr_real U, P2, P4, l0, l1, r0, r1, r2, m0, m1;
} sums;

static sums sums_of(const cr_real* a, const cr_real* u, const cr_real* l, const cr_real* r) {
  sums s = {0};
  for (int i = 0; i < 3; i++) {
    cr_real au = a[i] * u[i];
    s.U += u[i] * u[i];
    s.P2 += au * u[i];
    s.P4 += au * au;
    s.l0 += l[i] * u[i];
    s.l1 += l[i] * au;
    s.r0 += r[i] * u[i];
    s.r1 += r[i] * au;
    s.r2 += r[i] * au * a[i];
    s.m0 += l[i] * r[i];
    s.m1 += l[i] * r[i] * a[i];
  }
  return s;
}

// b: cotangents of the sums
static void sums_vjp(const cr_real* a, const cr_real* u, const cr_real* l, const cr_real* r,
                     const sums* b, cr_real* a_bar, cr_real* u_bar, cr_real* l_bar,
                     cr_real* r_bar) {
  for (int i = 0; i < 3; i++) {
    cr_real A = a[i], x = u[i];
    u_bar[i] += 2 * x * (b->U + A * (b->P2 + A * b->P4)) + l[i] * (b->l0 + A * b->l1) +
                r[i] * (b->r0 + A * (b->r1 + A * b->r2));
    l_bar[i] += x * (b->l0 + A * b->l1) + r[i] * (b->m0 + A * b->m1);
    r_bar[i] += x * (b->r0 + A * (b->r1 + A * b->r2)) + l[i] * (b->m0 + A * b->m1);
    a_bar[i] += x * x * (b->P2 + 2 * A * b->P4) + l[i] * x * b->l1 +
                r[i] * x * (b->r1 + 2 * A * b->r2) + l[i] * r[i] * b->m1;
  }
}

// so slow that MuJoCo sets lift and quadratic drag to zero
static bool at_rest(const sums* s) { return cr_sqrt(s->U) <= GUARD; }

// A = sqrt(P4 / P2), the projected area over pi, and its transpose
static cr_real area_of(const sums* s) { return cr_sqrt(s->P4 / s->P2); }

static void area_vjp(const sums* s, cr_real A, cr_real A_bar, sums* b) {
  b->P4 += A_bar * A / (2 * s->P4);
  b->P2 -= A_bar * A / (2 * s->P2);
}

// ---- products x . ((D y) x z)

typedef struct {
  const cr_real *x, *D, *y, *z;
} triple;

// y = (D y) x z
static void product_add(cr_real* out, const cr_real* D, const cr_real* y, const cr_real* z) {
  const cr_real scaled[3] = {D[0] * y[0], D[1] * y[1], D[2] * y[2]};
  cr_acccross3(out, scaled, z);
}

// adds s times the gradient
static void triple_vjp(triple t, cr_real s, cr_real* x_bar, cr_real* D_bar, cr_real* y_bar,
                       cr_real* z_bar) {
  cr_real scaled[3], out[3];
  for (int i = 0; i < 3; i++) {
    scaled[i] = s * t.D[i] * t.y[i];
  }
  cr_acccross3(x_bar, scaled, t.z);
  cr_acccross3(z_bar, t.x, scaled);
  cr_cross3(out, t.z, t.x);
  for (int i = 0; i < 3; i++) {
    y_bar[i] += s * t.D[i] * out[i];
    D_bar[i] += s * t.y[i] * out[i];
  }
}

// ---- [fluid.f3] force of the box

static void box_force(const cr_real* c, const cr_real v[6], cr_real F[6]) {
  for (int i = 0; i < 3; i++) {
    F[i] = -(c[CRI_FLUID_ANG] + c[CRI_FLUID_M + i] * cr_abs(v[i])) * v[i];
    F[3 + i] = -(c[CRI_FLUID_LIN] + c[CRI_FLUID_A + i] * cr_abs(v[3 + i])) * v[3 + i];
  }
}

static void box_force_vjp(const cr_real* c, const cr_real v[6], const cr_real w[6],
                          cr_real v_bar[6], cr_real* c_bar) {
  for (int i = 0; i < 3; i++) {
    const cr_real turn = v[i], move = v[3 + i];
    v_bar[i] -= w[i] * (c[CRI_FLUID_ANG] + 2 * c[CRI_FLUID_M + i] * cr_abs(turn));
    v_bar[3 + i] -= w[3 + i] * (c[CRI_FLUID_LIN] + 2 * c[CRI_FLUID_A + i] * cr_abs(move));
    c_bar[CRI_FLUID_ANG] -= w[i] * turn;
    c_bar[CRI_FLUID_LIN] -= w[3 + i] * move;
    c_bar[CRI_FLUID_M + i] -= w[i] * cr_abs(turn) * turn;
    c_bar[CRI_FLUID_A + i] -= w[3 + i] * cr_abs(move) * move;
  }
}

// ---- [fluid.f4] force of the ellipsoid

// parts of lift and drag: F = -K u (a U - P2) - cd u
typedef struct {
  cr_real A, norm, K, cd;
} flow;

static flow flow_of(const cr_real* c, const sums* s) {
  flow f = {.cd = c[CRI_FLUID_LIN]};
  if (at_rest(s)) {
    return f;
  }
  f.A = area_of(s);
  f.norm = cr_sqrt(s->U);
  f.K = c[CRI_FLUID_KUTTA] * s->P2 * f.A / (f.norm * s->P4);
  f.cd = c[CRI_FLUID_LIN] + f.norm * (c[CRI_FLUID_BLUNT] * f.A + c[CRI_FLUID_SLENDER]);
  return f;
}

static cr_real angular_drag(const cr_real* c, const cr_real* w, cr_real* q_norm) {
  const cr_real* k = c + CRI_FLUID_K;
  const cr_real q[3] = {k[0] * w[0], k[1] * w[1], k[2] * w[2]};
  *q_norm = cr_norm3(q);
  return c[CRI_FLUID_ANG] + c[CRI_FLUID_DENSITY] * *q_norm;
}

static void ellipsoid_force(const cr_real* c, const cr_real v[6], cr_real F[6]) {
  const cr_real *w = v, *u = v + 3, *a = c + CRI_FLUID_A;
  cr_real q_norm, zero[3] = {0}, drag = angular_drag(c, w, &q_norm);
  sums s = sums_of(a, u, zero, zero);
  flow f = flow_of(c, &s);
  for (int i = 0; i < 3; i++) {
    F[i] = -drag * w[i];
    F[3 + i] = -(f.K * (a[i] * s.U - s.P2) + f.cd) * u[i];
  }
  const cr_real magnus[3] = {c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS]};
  product_add(F, c + CRI_FLUID_M, u, u);
  product_add(F, c + CRI_FLUID_I, w, w);
  product_add(F + 3, c + CRI_FLUID_M, u, w);
  product_add(F + 3, magnus, w, u);
  for (int i = 0; i < 6; i++) {
    F[i] *= c[CRI_FLUID_SCALE];
  }
}

// lift and drag times l
static void flow_vjp(const cr_real* c, const cr_real* u, const cr_real* l, cr_real* u_bar,
                     cr_real* c_bar) {
  const cr_real* a = c + CRI_FLUID_A;
  cr_real zero[3] = {0}, unused[3] = {0};
  sums s = sums_of(a, u, l, zero), b = {0};
  flow f = flow_of(c, &s);
  // -K (U l1 - P2 l0) - cd l0
  cr_real K_bar = -(s.U * s.l1 - s.P2 * s.l0), cd_bar = -s.l0;
  b.U = -f.K * s.l1;
  b.P2 = f.K * s.l0;
  b.l1 = -f.K * s.U;
  b.l0 = f.K * s.P2 - f.cd;
  c_bar[CRI_FLUID_LIN] += cd_bar;
  if (at_rest(&s)) {
    sums_vjp(a, u, l, zero, &b, c_bar + CRI_FLUID_A, u_bar, unused, unused);
    return;
  }
  // cd = lin + norm (blunt A + slender)
  cr_real norm_bar = cd_bar * (c[CRI_FLUID_BLUNT] * f.A + c[CRI_FLUID_SLENDER]);
  cr_real A_bar = cd_bar * f.norm * c[CRI_FLUID_BLUNT];
  c_bar[CRI_FLUID_BLUNT] += cd_bar * f.norm * f.A;
  c_bar[CRI_FLUID_SLENDER] += cd_bar * f.norm;
  // K = kutta P2 A / (norm P4)
  cr_real chord = s.P2 * f.A / (f.norm * s.P4);
  c_bar[CRI_FLUID_KUTTA] += K_bar * chord;
  b.P2 += K_bar * f.K / s.P2;
  A_bar += K_bar * f.K / f.A;
  norm_bar -= K_bar * f.K / f.norm;
  b.P4 -= K_bar * f.K / s.P4;
  area_vjp(&s, f.A, A_bar, &b);
  b.U += norm_bar / (2 * f.norm);
  sums_vjp(a, u, l, zero, &b, c_bar + CRI_FLUID_A, u_bar, unused, unused);
}

static void ellipsoid_force_vjp(const cr_real* c, const cr_real v[6], const cr_real weight[6],
                                cr_real v_bar[6], cr_real* c_bar) {
  const cr_real *w = v, *u = v + 3;
  cr_real F[6], t[3], l[3], unused[3], magnus_bar[3] = {0}, q_norm;
  ellipsoid_force(c, v, F);
  for (int i = 0; i < 3; i++) {
    t[i] = c[CRI_FLUID_SCALE] * weight[i];
    l[i] = c[CRI_FLUID_SCALE] * weight[3 + i];
    cr_real sum = weight[i] * F[i] + weight[3 + i] * F[3 + i];
    c_bar[CRI_FLUID_SCALE] += c[CRI_FLUID_SCALE] != 0 ? sum / c[CRI_FLUID_SCALE] : 0;
  }
  const cr_real magnus[3] = {c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS]};
  cr_real *m_bar = c_bar + CRI_FLUID_M, *I_bar = c_bar + CRI_FLUID_I;
  triple_vjp((triple){t, c + CRI_FLUID_M, u, u}, 1, unused, m_bar, v_bar + 3, v_bar + 3);
  triple_vjp((triple){t, c + CRI_FLUID_I, w, w}, 1, unused, I_bar, v_bar, v_bar);
  triple_vjp((triple){l, c + CRI_FLUID_M, u, w}, 1, unused, m_bar, v_bar + 3, v_bar);
  triple_vjp((triple){l, magnus, w, u}, 1, unused, magnus_bar, v_bar, v_bar + 3);
  c_bar[CRI_FLUID_MAGNUS] += magnus_bar[0] + magnus_bar[1] + magnus_bar[2];
  flow_vjp(c, u, l, v_bar + 3, c_bar);
  // -(ang + rho |k w|) t . w
  cr_real drag = angular_drag(c, w, &q_norm), turned = cr_dot3(t, w);
  c_bar[CRI_FLUID_ANG] -= turned;
  c_bar[CRI_FLUID_DENSITY] -= q_norm * turned;
  cr_real n_bar = q_norm > 0 ? -c[CRI_FLUID_DENSITY] * turned / q_norm : 0;
  for (int i = 0; i < 3; i++) {
    cr_real k = c[CRI_FLUID_K + i];
    v_bar[i] += n_bar * k * k * w[i] - drag * t[i];
    c_bar[CRI_FLUID_K + i] += n_bar * k * w[i] * w[i];
  }
}

void cri_fluid_force(const cri_fluid_law* law, const cr_real v[6], cr_real F[6]) {
  if (law->box) {
    box_force(law->c, v, F);
  } else {
    ellipsoid_force(law->c, v, F);
  }
}

void cri_fluid_force_vjp(const cri_fluid_law* law, const cr_real v[6], const cr_real w[6],
                         cr_real v_bar[6], cr_real c_bar[CRI_NFLUID_LAW]) {
  if (law->box) {
    box_force_vjp(law->c, v, w, v_bar, c_bar);
  } else {
    ellipsoid_force_vjp(law->c, v, w, v_bar, c_bar);
  }
}

void cri_fluid_unit_work(const cri_fluid_law* law, const cr_real v[6], const cr_real w[6],
                         cr_real* density, cr_real* viscosity) {
  cri_fluid_law thin = *law;
  cr_real F[6], scale = law->box ? 1 : law->c[CRI_FLUID_SCALE];
  thin.c[CRI_FLUID_LIN] = thin.c[CRI_FLUID_ANG] = 0;
  cri_fluid_force(&thin, v, F);
  *density = cr_dot3(w, F) + cr_dot3(w + 3, F + 3);
  *viscosity = -scale * (law->c[CRI_FLUID_ANG] * cr_dot3(w, v) +
                         law->c[CRI_FLUID_LIN] * cr_dot3(w + 3, v + 3));
}

// ---- [fluid.f5] slopes

// B of rows R, columns C += s ([(D y)]x) and s (-[z]x diag D): d((D y) x z) = (D dy) x z + (D y) x dz
static void add_cross(cr_real B[36], int row, int column, const cr_real x[3]) {
  static const int at[3][3] = {{-1, 2, 1}, {2, -1, 0}, {1, 0, -1}};
  static const int sign[3][3] = {{0, -1, 1}, {1, 0, -1}, {-1, 1, 0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (i != j) {
        B[6 * (row + i) + column + j] += (cr_real)sign[i][j] * x[at[i][j]];
      }
    }
  }
}

static void add_product_slope(cr_real B[36], int row, const cr_real* D, const cr_real* y,
                              int y_column, const cr_real* z, int z_column) {
  const cr_real scaled[3] = {D[0] * y[0], D[1] * y[1], D[2] * y[2]};
  cr_real turned[36] = {0}, minus[3] = {-z[0], -z[1], -z[2]};
  add_cross(B, row, z_column, scaled);
  add_cross(turned, 0, 0, minus);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      B[6 * (row + i) + y_column + j] += turned[6 * i + j] * D[j];
    }
  }
}

// the scalars of the slope of lift and drag
typedef struct {
  cr_real A, norm, Q, c4, df, pt, ct;
} slopes;

static slopes slopes_of(const cr_real* c, const sums* s) {
  slopes q = {.A = area_of(s), .norm = cr_sqrt(s->U)};
  q.Q = c[CRI_FLUID_BLUNT] * q.A + c[CRI_FLUID_SLENDER];
  q.c4 = c[CRI_FLUID_BLUNT] * q.norm / (s->P2 * cr_sqrt(s->P2 * s->P4));
  q.df = c[CRI_FLUID_KUTTA] / cr_sqrt(s->P4 * s->P2 * s->U);
  q.pt = s->P2 / s->P4;
  q.ct = s->P2 / s->U;
  return q;
}

static void flow_slope(const cr_real* c, const cr_real* u, cr_real B[36]) {
  const cr_real* a = c + CRI_FLUID_A;
  cr_real zero[3] = {0};
  sums s = sums_of(a, u, zero, zero);
  for (int i = 0; i < 3; i++) {
    B[7 * (3 + i)] -= c[CRI_FLUID_LIN];
  }
  if (at_rest(&s)) {
    return;
  }
  slopes q = slopes_of(c, &s);
  for (int i = 0; i < 3; i++) {
    cr_real e = a[i] * s.U - s.P2;
    for (int j = 0; j < 3; j++) {
      cr_real inner = a[j] * a[j] * q.pt - a[j] + q.ct, uu = u[i] * u[j];
      cr_real drag = -q.Q / q.norm * uu - u[i] * q.c4 * a[j] * u[j] * (a[j] * s.P2 - s.P4);
      cr_real lift = q.df * (2 * s.P2 * (a[j] - a[i]) + inner * e) * uu;
      if (i == j) {
        drag -= q.Q * q.norm;
        lift -= q.df * e * s.P2;
      }
      B[6 * (3 + i) + 3 + j] += drag + lift;
    }
  }
}

static void torque_slope(const cr_real* c, const cr_real* w, cr_real B[36]) {
  const cr_real* k = c + CRI_FLUID_K;
  cr_real n;
  (void)angular_drag(c, w, &n);
  cr_real density = n > 0 ? c[CRI_FLUID_DENSITY] / n : 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      B[6 * i + j] -= density * w[i] * k[j] * k[j] * w[j];
    }
    B[7 * i] -= density * n * n + c[CRI_FLUID_ANG];
  }
}

void cri_fluid_slope(const cri_fluid_law* law, const cr_real v[6], cr_real B[36]) {
  const cr_real *c = law->c, *w = v, *u = v + 3;
  cr_zero(B, 36);
  if (law->box) {
    for (int i = 0; i < 3; i++) {
      B[7 * i] = -c[CRI_FLUID_ANG] - 2 * c[CRI_FLUID_M + i] * cr_abs(w[i]);
      B[7 * (3 + i)] = -c[CRI_FLUID_LIN] - 2 * c[CRI_FLUID_A + i] * cr_abs(u[i]);
    }
    return;
  }
  const cr_real magnus[3] = {c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS]};
  add_product_slope(B, 0, c + CRI_FLUID_M, u, 3, u, 3);
  add_product_slope(B, 0, c + CRI_FLUID_I, w, 0, w, 0);
  add_product_slope(B, 3, c + CRI_FLUID_M, u, 3, w, 0);
  add_product_slope(B, 3, magnus, w, 0, u, 3);
  flow_slope(c, u, B);
  torque_slope(c, w, B);
}

static void box_slope_vjp(const cr_real* c, const cr_real v[6], const cr_real l[6],
                          const cr_real r[6], cr_real s, cr_real v_bar[6], cr_real l_bar[6],
                          cr_real r_bar[6], cr_real* c_bar) {
  for (int i = 0; i < 6; i++) {
    int linear = i < 3 ? CRI_FLUID_ANG : CRI_FLUID_LIN;
    int square = i < 3 ? CRI_FLUID_M + i : CRI_FLUID_A + i - 3;
    cr_real B = -c[linear] - 2 * c[square] * cr_abs(v[i]), lr = s * l[i] * r[i];
    l_bar[i] += s * B * r[i];
    r_bar[i] += s * B * l[i];
    c_bar[linear] -= lr;
    c_bar[square] -= 2 * lr * cr_abs(v[i]);
    v_bar[i] -= 2 * lr * c[square] * (v[i] > 0 ? 1 : (v[i] < 0 ? -1 : 0));
  }
}

// -Q (l0 r0 + U m0) / norm - c4 l0 (r2 P2 - r1 P4), times f
static void drag_slope_vjp(const cr_real* c, const sums* s, const slopes* q, cr_real f, sums* b,
                           cr_real* A_bar, cr_real* norm_bar, cr_real* c_bar) {
  cr_real Z = s->l0 * s->r0 + s->U * s->m0, Y = s->r2 * s->P2 - s->r1 * s->P4;
  cr_real Q_bar = -f * Z / q->norm, Z_bar = -f * q->Q / q->norm;
  cr_real c4_bar = -f * s->l0 * Y, Y_bar = -f * s->l0 * q->c4;
  b->l0 += Z_bar * s->r0 - f * q->c4 * Y;
  b->r0 += Z_bar * s->l0;
  b->U += Z_bar * s->m0;
  b->m0 += Z_bar * s->U;
  b->r2 += Y_bar * s->P2;
  b->P2 += Y_bar * s->r2;
  b->r1 -= Y_bar * s->P4;
  b->P4 -= Y_bar * s->r1;
  c_bar[CRI_FLUID_BLUNT] += Q_bar * q->A + c4_bar * q->norm / (s->P2 * cr_sqrt(s->P2 * s->P4));
  c_bar[CRI_FLUID_SLENDER] += Q_bar;
  *A_bar += Q_bar * c[CRI_FLUID_BLUNT];
  *norm_bar += c4_bar * q->c4 / q->norm + f * q->Q * Z / (q->norm * q->norm);
  b->P2 -= c4_bar * q->c4 * 3 / (2 * s->P2);
  b->P4 -= c4_bar * q->c4 / (2 * s->P4);
}

// df (2 P2 L + E N - P2 R), L = l0 r1 - l1 r0, E = l1 U - P2 l0, N = pt r2 - r1 + ct r0,
// R = m1 U - P2 m0, times f
static void lift_slope_vjp(const sums* s, const slopes* q, cr_real f, sums* b, cr_real* c_bar) {
  cr_real L = s->l0 * s->r1 - s->l1 * s->r0, E = s->l1 * s->U - s->P2 * s->l0;
  cr_real N = q->pt * s->r2 - s->r1 + q->ct * s->r0, R = s->m1 * s->U - s->P2 * s->m0;
  cr_real x = f * q->df, L_bar = 2 * s->P2 * x, E_bar = N * x, N_bar = E * x, R_bar = -s->P2 * x;
  cr_real df_bar = f * (2 * s->P2 * L + E * N - s->P2 * R);
  b->P2 += (2 * L - R) * x - E_bar * s->l0 - R_bar * s->m0;
  b->U += E_bar * s->l1 + R_bar * s->m1;
  b->l0 += L_bar * s->r1 - E_bar * s->P2;
  b->l1 += E_bar * s->U - L_bar * s->r0;
  b->r0 += N_bar * q->ct - L_bar * s->l1;
  b->r1 += L_bar * s->l0 - N_bar;
  b->r2 += N_bar * q->pt;
  b->m0 -= R_bar * s->P2;
  b->m1 += R_bar * s->U;
  c_bar[CRI_FLUID_KUTTA] += df_bar / cr_sqrt(s->P4 * s->P2 * s->U);
  cr_real pt_bar = N_bar * s->r2, ct_bar = N_bar * s->r0;
  b->P2 += pt_bar / s->P4 + ct_bar / s->U - df_bar * q->df / (2 * s->P2);
  b->P4 -= pt_bar * q->pt / s->P4 + df_bar * q->df / (2 * s->P4);
  b->U -= ct_bar * q->ct / s->U + df_bar * q->df / (2 * s->U);
}

static void flow_slope_vjp(const cr_real* c, const cr_real* u, const cr_real* l, const cr_real* r,
                           cr_real f, cr_real* u_bar, cr_real* l_bar, cr_real* r_bar,
                           cr_real* c_bar) {
  const cr_real* a = c + CRI_FLUID_A;
  sums s = sums_of(a, u, l, r), b = {.m0 = -f * c[CRI_FLUID_LIN]};
  c_bar[CRI_FLUID_LIN] -= f * s.m0;
  if (at_rest(&s)) {
    sums_vjp(a, u, l, r, &b, c_bar + CRI_FLUID_A, u_bar, l_bar, r_bar);
    return;
  }
  slopes q = slopes_of(c, &s);
  cr_real A_bar = 0, norm_bar = 0;
  drag_slope_vjp(c, &s, &q, f, &b, &A_bar, &norm_bar, c_bar);
  lift_slope_vjp(&s, &q, f, &b, c_bar);
  area_vjp(&s, q.A, A_bar, &b);
  b.U += norm_bar / (2 * q.norm);
  sums_vjp(a, u, l, r, &b, c_bar + CRI_FLUID_A, u_bar, l_bar, r_bar);
}

// -rho / n (n^2 l.r + (l.w) (k^2 w . r)) - ang l.r, n = |k w|, times f
static void torque_slope_vjp(const cr_real* c, const cr_real* w, const cr_real* l, const cr_real* r,
                             cr_real f, cr_real* w_bar, cr_real* l_bar, cr_real* r_bar,
                             cr_real* c_bar) {
  const cr_real* k = c + CRI_FLUID_K;
  cr_real n, p = 0, rho = c[CRI_FLUID_DENSITY];
  (void)angular_drag(c, w, &n);
  for (int i = 0; i < 3; i++) {
    p += k[i] * k[i] * w[i] * r[i];
  }
  cr_real g = n > 0 ? n : 1, lr = cr_dot3(l, r), lw = cr_dot3(l, w), sum = n * n * lr + lw * p;
  c_bar[CRI_FLUID_ANG] -= f * lr;
  c_bar[CRI_FLUID_DENSITY] -= f * sum / g;
  cr_real sum_bar = -f * rho / g, lr_bar = sum_bar * n * n - f * c[CRI_FLUID_ANG];
  // of n^2 / 2, so that k^2 w and k w^2 times it are the gradients
  cr_real half_bar = 2 * sum_bar * lr + (n > 0 ? f * rho * sum / (g * g * g) : 0);
  for (int i = 0; i < 3; i++) {
    cr_real kk = k[i] * k[i];
    l_bar[i] += lr_bar * r[i] + sum_bar * p * w[i];
    r_bar[i] += lr_bar * l[i] + sum_bar * lw * kk * w[i];
    w_bar[i] += sum_bar * (p * l[i] + lw * kk * r[i]) + half_bar * kk * w[i];
    c_bar[CRI_FLUID_K + i] += k[i] * w[i] * (2 * sum_bar * lw * r[i] + half_bar * w[i]);
  }
}

void cri_fluid_slope_vjp(const cri_fluid_law* law, const cr_real v[6], const cr_real l[6],
                         const cr_real r[6], cr_real s, cr_real v_bar[6], cr_real l_bar[6],
                         cr_real r_bar[6], cr_real c_bar[CRI_NFLUID_LAW]) {
  const cr_real *c = law->c, *w = v, *u = v + 3;
  if (law->box) {
    box_slope_vjp(c, v, l, r, s, v_bar, l_bar, r_bar, c_bar);
    return;
  }
  const cr_real magnus[3] = {c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS], c[CRI_FLUID_MAGNUS]};
  const cr_real *m = c + CRI_FLUID_M, *I = c + CRI_FLUID_I;
  cr_real *m_bar = c_bar + CRI_FLUID_M, *I_bar = c_bar + CRI_FLUID_I, magnus_bar[3] = {0};
  cr_real *w_bar = v_bar, *u_bar = v_bar + 3;
  // the products, each differentiated once along r
  triple_vjp((triple){l, m, r + 3, u}, s, l_bar, m_bar, r_bar + 3, u_bar);
  triple_vjp((triple){l, m, u, r + 3}, s, l_bar, m_bar, u_bar, r_bar + 3);
  triple_vjp((triple){l, I, r, w}, s, l_bar, I_bar, r_bar, w_bar);
  triple_vjp((triple){l, I, w, r}, s, l_bar, I_bar, w_bar, r_bar);
  triple_vjp((triple){l + 3, m, r + 3, w}, s, l_bar + 3, m_bar, r_bar + 3, w_bar);
  triple_vjp((triple){l + 3, m, u, r}, s, l_bar + 3, m_bar, u_bar, r_bar);
  triple_vjp((triple){l + 3, magnus, r, u}, s, l_bar + 3, magnus_bar, r_bar, u_bar);
  triple_vjp((triple){l + 3, magnus, w, r + 3}, s, l_bar + 3, magnus_bar, w_bar, r_bar + 3);
  c_bar[CRI_FLUID_MAGNUS] += magnus_bar[0] + magnus_bar[1] + magnus_bar[2];
  flow_slope_vjp(c, u, l + 3, r + 3, s, u_bar, l_bar + 3, r_bar + 3, c_bar);
  torque_slope_vjp(c, w, l, r, s, w_bar, l_bar, r_bar, c_bar);
}
