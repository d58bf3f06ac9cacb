// SPDX-License-Identifier: Apache-2.0
// Mean error of predicted states, squared or absolute, the quaternion turned into a rotation matrix:
// q and -q are the same, and no unwrapping is needed. |x|^n is the sum over the entries of x.
//   [identification.w1] L += c w_p |p - p'|^n      [identification.w2] L += c w_R |R - R'|^n (all nine entries)
//   [identification.w3] L += c w_v |v - v'|^n      [identification.w4] L += c w_o |omega - omega'|^n      c = 1/(18 nstep)
#include "learn/window_loss.h"

#include "math/quat.h"

void cr_window_start(const cr_window* window, const cr_model* m, cr_data* d) {
  cri_data_reset(m, d);
  cr_copy(d->qpos, window->state, 7);
  cr_copy(d->qvel, window->state + 7, 6);
}

static cr_real share(const cr_window* w) { return 1 / (cr_real)(CR_STATE_ENTRIES * w->nstep); }

// |e|^n and its slope
static cr_real norm_of(cr_error_norm norm, cr_real e) {
  return norm == CR_NORM_ABSOLUTE ? cr_abs(e) : e * e;
}

static cr_real slope_of(cr_error_norm norm, cr_real e) {
  return norm == CR_NORM_ABSOLUTE ? (cr_real)((e > 0) - (e < 0)) : 2 * e;
}

static cr_real error_sum(const cr_window* w, const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += norm_of(w->norm, a[i] - b[i]);
  }
  return sum;
}

static int stride(const cr_window* w) { return w->every > 0 ? w->every : 1; }

static bool at_rows(const void* context, int step, int nstep) {
  const cr_window* w = context;
  (void)nstep;
  return step % stride(w) == 0;
}

static const cr_real* seen_at(const cr_window* w, int step) {
  return w->state + (size_t)CR_STATE_WIDTH * (size_t)(step / stride(w));
}

static void add_errors(const cr_window* w, const cr_real* qpos, const cr_real* qvel,
                       const cr_real* seen, cr_real* loss) {
  cr_real R[9], S[9], c = share(w);
  cr_quat_to_mat(R, qpos + 3);
  cr_quat_to_mat(S, seen + 3);
  *loss += c * w->weights.position * error_sum(w, qpos, seen, 3);       // [identification.w1]
  *loss += c * w->weights.rotation * error_sum(w, R, S, 9);             // [identification.w2]
  *loss += c * w->weights.velocity * error_sum(w, qvel, seen + 7, 3);   // [identification.w3]
  *loss += c * w->weights.spin * error_sum(w, qvel + 3, seen + 10, 3);  // [identification.w4]
}

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)m;
  cr_window* w = context;
  add_errors(w, d->qpos, d->qvel, seen_at(w, step), loss);
  w->rows += d->nefc;
  return CR_OK;
}

cr_real cr_window_standing_loss(const cr_window* w) {
  cr_real loss = 0;
  for (int k = 1; k <= w->nstep; k++) {
    add_errors(w, w->state, w->state + 7, w->state + (size_t)k * CR_STATE_WIDTH, &loss);
  }
  return loss;
}

// [identification.w2]' R_tan = R [delta]x: delta_bar = vee(A - A') with A = R' R_bar
static void rotation_bar(const cr_window* w, const cr_real q[4], const cr_real q_seen[4],
                         cr_real weight, cr_real delta_bar[3]) {
  cr_real R[9], S[9], R_bar[9], A[9];
  cr_quat_to_mat(R, q);
  cr_quat_to_mat(S, q_seen);
  for (int i = 0; i < 9; i++) {
    R_bar[i] = weight * slope_of(w->norm, R[i] - S[i]);
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

static void difference_bar(const cr_window* w, const cr_real* a, const cr_real* b, cr_real weight,
                           cr_real* a_bar) {
  for (int i = 0; i < 3; i++) {
    a_bar[i] += weight * slope_of(w->norm, a[i] - b[i]);
  }
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* b) {
  (void)m;
  const cr_window* w = context;
  const cr_real* seen = seen_at(w, step);
  cr_real c = share(w);
  difference_bar(w, d->qvel + 3, seen + 10, c * w->weights.spin,
                 b->qvel + 3);                                             // [identification.w4]'
  difference_bar(w, d->qvel, seen + 7, c * w->weights.velocity, b->qvel);  // [identification.w3]'
  rotation_bar(w, d->qpos + 3, seen + 3, c * w->weights.rotation,
               b->qpos + 3);                                           // [identification.w2]'
  difference_bar(w, d->qpos, seen, c * w->weights.position, b->qpos);  // [identification.w1]'
  return CR_OK;
}

cr_loss cr_window_loss(cr_window* window) {
  return (cr_loss){.context = window, .looks_at = at_rows, .value = value, .bar = bar};
}
