// SPDX-License-Identifier: Apache-2.0
// Mean error of predicted states, quaternions turned into rotation matrices: q and -q are the same, and no unwrapping is
// needed. n is the norm of an error, by default the sum of its squares; a joint after the other.
//   [identification.w1] L += c w_p n(p - p')      [identification.w2] L += c w_R n(R - R') (all nine entries)
//   [identification.w3] L += c w_v n(v - v')      [identification.w4] L += c w_o n(omega - omega')      c = 1/(E nstep)
// A hinge is an angle with w_R and a speed with w_o; a slide a position with w_p and a speed with w_v.
#include "learn/window_loss.h"

#include "kinematics/joint.h"
#include "math/quat.h"
#include "model/state_vector.h"

int cri_state_width(const cr_model* m) { return cri_state_size(m) + m->nu; }

int cri_state_entries(const cr_model* m) {
  int n = 0;
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    n += 2 * p.nflat + (p.rotates ? 9 + 3 : 0);
  }
  return n;
}

void cr_window_start(const cr_window* window, const cr_model* m, cr_data* d) {
  cri_data_reset(m, d);
  cri_state_copy(cri_state_of(m, d), cri_state_at(cri_state_sizes(m), 1, window->state));
}

static int stride(const cr_window* w) { return w->every > 0 ? w->every : 1; }

void cr_window_controls(const cr_window* w, const cr_model* m, cr_real* ctrl) {
  for (int step = 0; step < w->nstep * stride(w) && m->nu > 0; step++) {
    const cr_real* row = w->state + (size_t)cri_state_width(m) * (size_t)(step / stride(w));
    cr_copy(ctrl + (size_t)step * (size_t)m->nu, row + cri_state_size(m), m->nu);
  }
}

// ---- the errors of a joint

enum { MOST = 9 };  // numbers of an error: of a rotation matrix

static void subtract(cr_real* e, const cr_real* a, const cr_real* b, int n) {
  for (int i = 0; i < n; i++) {
    e[i] = a[i] - b[i];
  }
}

// n(a - b)
static cr_real error_norm(const cr_window* w, const cr_real* a, const cr_real* b, int n) {
  cr_real e[MOST];
  subtract(e, a, b, n);
  return cri_norm_value(&w->norm, e, n);
}

// and its gradient by a
static void error_slope(const cr_window* w, const cr_real* a, const cr_real* b, int n,
                        cr_real* slope) {
  cr_real e[MOST] = {0}, curvature[MOST], outer;
  subtract(e, a, b, n);
  cri_norm_derivatives(&w->norm, e, n, slope, curvature, &outer);
}

// what the plain coordinates of a joint and their rates count
static void flat_weights(const cr_window* w, const cr_model* m, int j, cr_real* position,
                         cr_real* velocity) {
  bool hinge = m->jnt_type[j] == CR_JNT_HINGE;
  *position = hinge ? w->weights.rotation : w->weights.position;
  *velocity = hinge ? w->weights.spin : w->weights.velocity;
}

static cr_real share(const cr_window* w, const cr_model* m) {
  return 1 / (cr_real)(cri_state_entries(m) * w->nstep);
}

static void add_errors(const cr_window* w, const cr_model* m, const cr_real* qpos,
                       const cr_real* qvel, const cr_real* seen, cr_real* loss) {
  cr_real R[9], S[9], c = share(w, m), position, velocity;
  const cr_real* rates = seen + m->nq;
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    int q = p.q + p.nflat, v = p.v + p.nflat;
    flat_weights(w, m, j, &position, &velocity);
    *loss += c * position * error_norm(w, qpos + p.q, seen + p.q, p.nflat);  // [identification.w1]
    if (p.rotates) {
      cr_quat_to_mat(R, qpos + q);
      cr_quat_to_mat(S, seen + q);
      *loss += c * w->weights.rotation * error_norm(w, R, S, 9);  // [identification.w2]
    }
    *loss += c * velocity * error_norm(w, qvel + p.v, rates + p.v, p.nflat);  // [identification.w3]
    if (p.rotates) {
      *loss += c * w->weights.spin * error_norm(w, qvel + v, rates + v, 3);  // [identification.w4]
    }
  }
}

cr_real cr_window_standing_loss(const cr_window* w, const cr_model* m) {
  cr_real loss = 0;
  for (int k = 1; k <= w->nstep; k++) {
    add_errors(w, m, w->state, w->state + m->nq, w->state + (size_t)k * (size_t)cri_state_width(m),
               &loss);
  }
  return loss;
}

// ---- as a loss of a rollout

static bool is_row(const cr_window* w, int step) { return step % stride(w) == 0; }

static bool has_more(const cr_window* w, int step, int nstep) {
  const cr_loss* more = &w->more;
  return more->value != NULL &&
         (more->looks_at != NULL ? more->looks_at(more->context, step, nstep) : step == nstep);
}

static bool looks_at(const void* context, int step, int nstep) {
  return is_row(context, step) || has_more(context, step, nstep);
}

static const cr_real* seen_at(const cr_window* w, const cr_model* m, int step) {
  return w->state + (size_t)cri_state_width(m) * (size_t)(step / stride(w));
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  cr_window* w = context;
  if (is_row(w, step)) {
    add_errors(w, m, d->qpos, d->qvel, seen_at(w, m, step), loss);
  }
  if (!has_more(w, step, w->nstep * stride(w))) {
    return CR_OK;
  }
  cr_real more = 0;
  CR_TRY(w->more.value(w->more.context, m, d, step, &more));
  w->by_more += more;
  *loss += more;
  return CR_OK;
}

// [identification.w2]' R_tan = R [delta]x: delta_bar = vee(A - A') with A = R' R_bar
static void rotation_bar(const cr_window* w, const cr_real q[4], const cr_real q_seen[4],
                         cr_real weight, cr_real delta_bar[3]) {
  cr_real R[9], S[9], R_bar[9], A[9];
  cr_quat_to_mat(R, q);
  cr_quat_to_mat(S, q_seen);
  error_slope(w, R, S, 9, R_bar);
  for (int i = 0; i < 9; i++) {
    R_bar[i] *= weight;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A[3 * i + j] = R[i] * R_bar[j] + R[3 + i] * R_bar[3 + j] + R[6 + i] * R_bar[6 + j];
    }
  }
  delta_bar[0] += A[7] - A[5];
  delta_bar[1] += A[2] - A[6];
  delta_bar[2] += A[3] - A[1];
}

static void difference_bar(const cr_window* w, const cr_real* a, const cr_real* b, int n,
                           cr_real weight, cr_real* a_bar) {
  cr_real slope[MOST];
  error_slope(w, a, b, n, slope);
  for (int i = 0; i < n; i++) {
    a_bar[i] += weight * slope[i];
  }
}

static void errors_bar(const cr_window* w, const cr_model* m, const cr_data* d, int step,
                       cr_data* to) {
  const cr_real *seen = seen_at(w, m, step), *rates = seen + m->nq;
  cr_real c = share(w, m), position, velocity;
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    int q = p.q + p.nflat, v = p.v + p.nflat;
    flat_weights(w, m, j, &position, &velocity);
    if (p.rotates) {
      difference_bar(w, d->qvel + v, rates + v, 3, c * w->weights.spin,
                     to->qvel + v);  // [identification.w4]'
    }
    difference_bar(w, d->qvel + p.v, rates + p.v, p.nflat, c * velocity,
                   to->qvel + p.v);  // [identification.w3]'
    if (p.rotates) {
      rotation_bar(w, d->qpos + q, seen + q, c * w->weights.rotation,
                   to->qpos + v);  // [identification.w2]'
    }
    difference_bar(w, d->qpos + p.q, seen + p.q, p.nflat, c * position,
                   to->qpos + p.v);  // [identification.w1]'
  }
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* to) {
  const cr_window* w = context;
  if (is_row(w, step)) {
    errors_bar(w, m, d, step, to);
  }
  return has_more(w, step, w->nstep * stride(w)) ? w->more.bar(w->more.context, m, d, step, to)
                                                 : CR_OK;
}

cr_loss cr_window_loss(cr_window* window) {
  return (cr_loss){.context = window,
                   .looks_at = looks_at,
                   .value = value,
                   .bar = bar,
                   .needs_fields = window->more.needs_fields};
}
