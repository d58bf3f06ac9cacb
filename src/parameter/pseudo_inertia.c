// SPDX-License-Identifier: Apache-2.0
// The factor A is upper triangular, so the centre of mass is t itself and A A' the second moments about it, over
// the mass.
#include "parameter/pseudo_inertia.h"

#include "math/vec3.h"

enum { ALPHA = 0, D = 1, S12 = 4, S23 = 5, S13 = 6, T = 7 };

static const int place_of_d[3] = {0, 4, 8};

static void factor(const cr_real theta[CRI_PSEUDO], cr_real A[9]) {
  cr_zero(A, 9);
  for (int k = 0; k < 3; k++) {
    A[place_of_d[k]] = cr_exp(theta[D + k]);
  }
  A[1] = theta[S12];
  A[2] = theta[S13];
  A[5] = theta[S23];
}

static void transpose(cr_real r[9], const cr_real A[9]) {
  for (int i = 0; i < 9; i++) {
    r[i] = A[i % 3 * 3 + i / 3];
  }
}

// A B' + B A', over 2 where A is B
static void product(cr_real r[9], const cr_real A[9], const cr_real B[9]) {
  cr_real Bt[9], AB[9];
  transpose(Bt, B);
  cr_matmul3(AB, A, Bt);
  for (int i = 0; i < 9; i++) {
    r[i] = A == B ? AB[i] : AB[i] + AB[i % 3 * 3 + i / 3];
  }
}

// tr(S) 1 - S; its own transpose
static void turned(cr_real I[9], const cr_real S[9]) {
  cr_real trace = S[0] + S[4] + S[8];
  for (int i = 0; i < 9; i++) {
    I[i] = (i % 4 == 0 ? trace : 0) - S[i];
  }
}

void cri_pseudo_body(const cr_real theta[CRI_PSEUDO], cri_rigid_body* body) {
  cr_real A[9], S[9];
  factor(theta, A);
  product(S, A, A);
  body->mass = cr_exp(2 * theta[ALPHA]);
  for (int i = 0; i < 9; i++) {
    S[i] *= body->mass;
  }
  turned(body->inertia, S);
  cr_copy3(body->centre, theta + T);
}

void cri_pseudo_jvp(const cr_real theta[CRI_PSEUDO], const cr_real theta_tan[CRI_PSEUDO],
                    cri_rigid_body* tan) {
  cr_real A[9], A_tan[9] = {0}, S[9], S_tan[9], mass = cr_exp(2 * theta[ALPHA]);
  factor(theta, A);
  product(S, A, A);
  for (int k = 0; k < 3; k++) {
    A_tan[place_of_d[k]] = A[place_of_d[k]] * theta_tan[D + k];
  }
  A_tan[1] = theta_tan[S12];
  A_tan[2] = theta_tan[S13];
  A_tan[5] = theta_tan[S23];
  product(S_tan, A, A_tan);
  tan->mass = 2 * mass * theta_tan[ALPHA];
  for (int i = 0; i < 9; i++) {
    S_tan[i] = mass * S_tan[i] + tan->mass * S[i];
  }
  turned(tan->inertia, S_tan);
  cr_copy3(tan->centre, theta_tan + T);
}

void cri_pseudo_vjp(const cr_real theta[CRI_PSEUDO], const cri_rigid_body* bar,
                    cr_real theta_bar[CRI_PSEUDO]) {
  cr_real A[9], S[9], S_bar[9], A_bar[9], mass = cr_exp(2 * theta[ALPHA]), mass_bar = bar->mass;
  factor(theta, A);
  product(S, A, A);
  turned(S_bar, bar->inertia);
  for (int i = 0; i < 9; i++) {
    mass_bar += S_bar[i] * S[i];
    S_bar[i] *= 2 * mass;
  }
  cr_matmul3(A_bar, S_bar, A);
  theta_bar[ALPHA] += 2 * mass * mass_bar;
  for (int k = 0; k < 3; k++) {
    theta_bar[D + k] += A_bar[place_of_d[k]] * A[place_of_d[k]];
  }
  theta_bar[S12] += A_bar[1];
  theta_bar[S13] += A_bar[2];
  theta_bar[S23] += A_bar[5];
  cr_acc3(theta_bar + T, bar->centre);
}

bool cri_pseudo_theta(const cri_rigid_body* body, cr_real theta[CRI_PSEUDO]) {
  const cr_real* I = body->inertia;
  cr_real half = (I[0] + I[4] + I[8]) / 2, P[9], A[9] = {0};
  if (!(body->mass > 0) || !(half > 0)) {
    return false;
  }
  // S = tr(I)/2 1 - I; a square below this share of it is round-off
  const cr_real least = 64 * CR_EPS * half / body->mass;
  for (int i = 0; i < 9; i++) {
    P[i] = ((i % 4 == 0 ? half : 0) - I[i]) / body->mass;
  }
  cr_real square = P[8];
  if (!(square > least)) {
    return false;
  }
  A[8] = cr_sqrt(square);
  A[5] = P[5] / A[8];
  A[2] = P[2] / A[8];
  square = P[4] - A[5] * A[5];
  if (!(square > least)) {
    return false;
  }
  A[4] = cr_sqrt(square);
  A[1] = (P[1] - A[2] * A[5]) / A[4];
  square = P[0] - A[1] * A[1] - A[2] * A[2];
  if (!(square > least)) {
    return false;
  }
  A[0] = cr_sqrt(square);
  theta[ALPHA] = cr_log(body->mass) / 2;
  for (int k = 0; k < 3; k++) {
    theta[D + k] = cr_log(A[place_of_d[k]]);
  }
  theta[S12] = A[1];
  theta[S13] = A[2];
  theta[S23] = A[5];
  cr_copy3(theta + T, body->centre);
  return true;
}

// ---- principal axes

// B = V' A V
static void in_frame(cr_real B[9], const cr_real V[9], const cr_real A[9]) {
  cr_real Vt[9], AV[9];
  transpose(Vt, V);
  cr_matmul3(AV, A, V);
  cr_matmul3(B, Vt, AV);
}

// Turns axes i and j of R so that B[i][j] vanishes, by the smaller of the two angles. Round-off turns nothing: equal
// moments keep their axes.
static void rotate(cr_real B[9], cr_real R[9], int i, int j) {
  cr_real off = B[3 * i + j];
  if (cr_abs(off) <= 8 * CR_EPS * (B[0] + B[4] + B[8])) {
    return;
  }
  cr_real tau = (B[4 * j] - B[4 * i]) / (2 * off);
  cr_real t = (tau >= 0 ? 1 : -1) / (cr_abs(tau) + cr_sqrt(1 + tau * tau));
  cr_real c = 1 / cr_sqrt(1 + t * t), s = t * c, turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, next[9];
  turn[4 * i] = turn[4 * j] = c;
  turn[3 * i + j] = s;
  turn[3 * j + i] = -s;
  cr_matmul3(next, R, turn);
  cr_copy(R, next, 9);
  in_frame(next, turn, B);
  cr_copy(B, next, 9);
  B[3 * i + j] = B[3 * j + i] = 0;
}

// Raises second moments, from the second smallest on, to a distance from the one below. Moments of inertia are sums of
// two of them, so these stay those of a real body.
static void part(cr_real moments[3]) {
  int order[3] = {0, 1, 2};
  cr_real half = (moments[0] + moments[1] + moments[2]) / 2, second[3];
  const cr_real apart = 2 * cr_sqrt(CR_EPS) * half;
  for (int k = 0; k < 3; k++) {
    second[k] = half - moments[k];
  }
  for (int a = 0; a < 2; a++) {
    for (int b = 0; b < 2 - a; b++) {
      if (second[order[b]] > second[order[b + 1]]) {
        int swap = order[b];
        order[b] = order[b + 1];
        order[b + 1] = swap;
      }
    }
  }
  for (int k = 1; k < 3; k++) {
    cr_real raise = second[order[k - 1]] + apart - second[order[k]];
    if (raise > 0) {
      second[order[k]] += raise;
      moments[(order[k] + 1) % 3] += raise;
      moments[(order[k] + 2) % 3] += raise;
    }
  }
}

void cri_principal_axes(const cr_real inertia[9], const cr_real near[9], cr_real moments[3],
                        cr_real R[9]) {
  enum { SWEEPS = 12 };  // Jacobi's converge quadratically: five do
  cr_real B[9];
  cr_copy(R, near, 9);
  in_frame(B, R, inertia);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    rotate(B, R, 0, 1);
    rotate(B, R, 0, 2);
    rotate(B, R, 1, 2);
  }
  for (int k = 0; k < 3; k++) {
    moments[k] = B[4 * k];
  }
  part(moments);
}

void cri_principal_jvp(const cr_real moments[3], const cr_real R[9], const cr_real inertia_tan[9],
                       cr_real moments_tan[3], cr_real turn[3]) {
  cr_real K[9];
  in_frame(K, R, inertia_tan);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    moments_tan[k] = K[4 * k];
    turn[k] = K[3 * i + j] / (moments[i] - moments[j]);
  }
}

void cri_principal_vjp(const cr_real moments[3], const cr_real R[9], const cr_real moments_bar[3],
                       const cr_real turn_bar[3], cr_real inertia_bar[9]) {
  cr_real K_bar[9], Rt[9];
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    K_bar[4 * k] = moments_bar[k];
    K_bar[3 * i + j] = K_bar[3 * j + i] = turn_bar[k] / (2 * (moments[i] - moments[j]));
  }
  transpose(Rt, R);
  in_frame(inertia_bar, Rt, K_bar);
}

// ---- moves

// second moments about the centre, from the inertia about it, and back: each is tr(X) 1 - X of the other, but for a half
static void moments_of(const cr_real X[9], cr_real share, cr_real Y[9]) {
  cr_real trace = share * (X[0] + X[4] + X[8]);
  for (int i = 0; i < 9; i++) {
    Y[i] = (i % 4 == 0 ? trace : 0) - X[i];
  }
}

void cri_pseudo_move(const cr_real theta[CRI_PSEUDO], const cr_real step[CRI_PSEUDO],
                     cr_real to[CRI_PSEUDO]) {
  cri_rigid_body at, tan, next;
  cr_real S[9], S_tan[9];
  cri_pseudo_body(theta, &at);
  cri_pseudo_jvp(theta, step, &tan);
  moments_of(at.inertia, CR_R(0.5), S);
  moments_of(tan.inertia, CR_R(0.5), S_tan);
  next.mass = at.mass + tan.mass;
  const cr_real *c = at.centre, *dc = tan.centre;
  for (int i = 0; i < 3; i++) {
    next.centre[i] = c[i] + at.mass * dc[i] / next.mass;
  }
  // Sigma = S + m c c' moves along its tangent
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      S[3 * i + j] += S_tan[3 * i + j] + next.mass * c[i] * c[j] +
                      at.mass * (dc[i] * c[j] + c[i] * dc[j]) -
                      next.mass * next.centre[i] * next.centre[j];
    }
  }
  moments_of(S, 1, next.inertia);
  if (!(next.mass > at.mass / 2) || !cri_pseudo_theta(&next, to)) {
    for (int i = 0; i < CRI_PSEUDO; i++) {
      to[i] = theta[i] + step[i];
    }
  }
}
