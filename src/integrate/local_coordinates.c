// SPDX-License-Identifier: Apache-2.0
// The plain quaternion equation beside that of the group.
#include "integrate/local_coordinates.h"

#include "kinematics/configuration.h"
#include "math/quat.h"

int cri_local_coordinates_width(const cr_model* m, cri_local_coordinates chart) {
  return chart == CRI_TURNS ? m->nv : m->nq;
}

// ---- joints: n plain numbers, then perhaps a quaternion

typedef struct {
  int q, v;  // first coordinate and dof
  int n;     // plain numbers
  bool turns;
} joint;

static joint joint_at(const cr_model* m, int j) {
  int type = m->jnt_type[j];
  return (joint){.q = m->jnt_qposadr[j],
                 .v = m->jnt_dofadr[j],
                 .n = type == CR_JNT_FREE   ? 3
                      : type == CR_JNT_BALL ? 0
                                            : 1,
                 .turns = type == CR_JNT_FREE || type == CR_JNT_BALL};
}

// y = 1 + r of a joint
static void relative(cr_real y[4], const cr_real r[4]) {
  cr_copy(y, r, 4);
  y[0] += 1;
}

// a (0, w), and conj(a) b without its first number
static void times_vector(cr_real out[4], const cr_real a[4], const cr_real w[3]) {
  const cr_real b[4] = {0, w[0], w[1], w[2]};
  cr_quat_mul(out, a, b);
}

static void vector_of(cr_real out[3], const cr_real a[4], const cr_real b[4]) {
  const cr_real conj[4] = {a[0], -a[1], -a[2], -a[3]};
  cr_real c[4];
  cr_quat_mul(c, conj, b);
  cr_copy(out, c + 1, 3);
}

// u = y / |y|
static cr_real unit(cr_real u[4], const cr_real r[4]) {
  cr_real y[4], norm;
  relative(y, r);
  norm = cr_sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
  for (int i = 0; i < 4; i++) {
    u[i] = y[i] / norm;
  }
  return norm;
}

// ---- rate

void cri_local_coordinates_rate(const cr_model* m, cri_local_coordinates chart, const cr_real* r,
                                const cr_real* v, cr_real* rate) {
  if (chart == CRI_TURNS) {
    cri_configuration_rate(m, r, v, rate);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    cr_copy(rate + t.q, v + t.v, t.n);
    if (t.turns) {
      // [runge_kutta.y1]
      cr_real y[4], *out = rate + t.q + t.n;
      relative(y, r + t.q + t.n);
      times_vector(out, y, v + t.v + t.n);
      for (int i = 0; i < 4; i++) {
        out[i] /= 2;
      }
    }
  }
}

void cri_local_coordinates_rate_jvp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* v, const cr_real* r_tan,
                                    const cr_real* v_tan, cr_real* rate_tan) {
  if (chart == CRI_TURNS) {
    cri_configuration_rate_jvp(m, r, v, r_tan, v_tan, rate_tan);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    cr_copy(rate_tan + t.q, v_tan + t.v, t.n);
    if (t.turns) {
      // [runge_kutta.y1]
      cr_real y[4], a[4], b[4];
      relative(y, r + t.q + t.n);
      times_vector(a, r_tan + t.q + t.n, v + t.v + t.n);
      times_vector(b, y, v_tan + t.v + t.n);
      for (int i = 0; i < 4; i++) {
        rate_tan[t.q + t.n + i] = (a[i] + b[i]) / 2;
      }
    }
  }
}

void cri_local_coordinates_rate_vjp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* v, const cr_real* rate_bar,
                                    cr_real* r_bar, cr_real* v_bar) {
  if (chart == CRI_TURNS) {
    cri_configuration_rate_vjp(m, r, v, rate_bar, r_bar, v_bar);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    for (int i = 0; i < t.n; i++) {
      v_bar[t.v + i] += rate_bar[t.q + i];
    }
    if (t.turns) {
      // [runge_kutta.y1]' y_bar -= rate_bar (0, w) / 2, w_bar += vector of conj(y) rate_bar / 2
      const cr_real* b = rate_bar + t.q + t.n;
      cr_real y[4], y_bar[4], w_bar[3];
      relative(y, r + t.q + t.n);
      times_vector(y_bar, b, v + t.v + t.n);
      vector_of(w_bar, y, b);
      for (int i = 0; i < 4; i++) {
        r_bar[t.q + t.n + i] -= y_bar[i] / 2;
      }
      cr_accscl3(v_bar + t.v + t.n, w_bar, CR_R(0.5));
    }
  }
}

// ---- move

void cri_local_coordinates_move(const cr_model* m, cri_local_coordinates chart, const cr_real* qpos,
                                const cr_real* r, cr_real* next) {
  if (chart == CRI_TURNS) {
    cri_configuration_move(m, qpos, r, 1, next);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    for (int i = 0; i < t.n; i++) {
      next[t.q + i] = qpos[t.q + i] + r[t.q + i];
    }
    if (t.turns) {
      // [runge_kutta.y2]; normalised once more, since the product loses the last digits of unit length
      cr_real u[4], q[4];
      (void)unit(u, r + t.q + t.n);
      cr_quat_mul(q, qpos + t.q + t.n, u);
      (void)cr_quat_normalize(q);
      cr_copy(next + t.q + t.n, q, 4);
    }
  }
}

void cri_local_coordinates_move_jvp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* qpos_tan, const cr_real* r_tan,
                                    cr_real* next_tan) {
  if (chart == CRI_TURNS) {
    cri_configuration_move_jvp(m, r, 1, qpos_tan, r_tan, next_tan);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    for (int i = 0; i < t.n; i++) {
      next_tan[t.v + i] = qpos_tan[t.v + i] + r_tan[t.q + i];
    }
    if (t.turns) {
      // [runge_kutta.y2] R(u)' delta0 + 2 vector of conj(u) r_tan / |y|
      cr_real u[4], R[9], turned[3], own[3];
      cr_real norm = unit(u, r + t.q + t.n);
      cr_quat_to_mat(R, u);
      cr_multmat3(turned, R, qpos_tan + t.v + t.n);
      vector_of(own, u, r_tan + t.q + t.n);
      for (int i = 0; i < 3; i++) {
        next_tan[t.v + t.n + i] = turned[i] + 2 * own[i] / norm;
      }
    }
  }
}

void cri_local_coordinates_move_vjp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* next_bar, cr_real* qpos_bar,
                                    cr_real* r_bar) {
  if (chart == CRI_TURNS) {
    cri_configuration_move_vjp(m, r, 1, next_bar, qpos_bar, r_bar);
    return;
  }
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    for (int i = 0; i < t.n; i++) {
      qpos_bar[t.v + i] += next_bar[t.v + i];
      r_bar[t.q + i] += next_bar[t.v + i];
    }
    if (t.turns) {
      // [runge_kutta.y2]' delta0_bar += R(u) b, r_bar += 2 u (0, b) / |y|
      const cr_real* b = next_bar + t.v + t.n;
      cr_real u[4], R[9], turned[3], own[4];
      cr_real norm = unit(u, r + t.q + t.n);
      cr_quat_to_mat(R, u);
      cr_mulmat3(turned, R, b);
      cr_acc3(qpos_bar + t.v + t.n, turned);
      times_vector(own, u, b);
      for (int i = 0; i < 4; i++) {
        r_bar[t.q + t.n + i] += 2 * own[i] / norm;
      }
    }
  }
}

// ---- errors

void cri_local_coordinates_coordinates(const cr_model* m, cri_local_coordinates chart,
                                       const cr_real* qpos, const cr_real* r, cr_real* before,
                                       cr_real* after) {
  int width = cri_local_coordinates_width(m, chart);
  cr_zero(before, width);
  for (int j = 0; j < m->njnt; j++) {
    joint t = joint_at(m, j);
    int first = chart == CRI_TURNS ? t.v : t.q;
    cr_copy(before + first, qpos + t.q, t.n);
    if (t.turns && chart == CRI_QUATERNIONS) {
      before[first + t.n] = 1;
    }
  }
  for (int i = 0; i < width; i++) {
    after[i] = before[i] + r[i];
  }
}
