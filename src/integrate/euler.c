// SPDX-License-Identifier: Apache-2.0
// Semi-implicit Euler. The implicit damping is one more solve, M + hD in place of M; it is
// differentiated as the equation it solves. Solving for the difference to the explicit
// acceleration needs no product with M and loses nothing if the damping is weak. If it is
// strong the difference would be one of large numbers, and the forces are solved for instead.
#include "integrate/euler.h"

#include "actuator/activation.h"
#include "engine/acceleration.h"
#include "engine/rounding.h"
#include "force/damper.h"
#include "force/fluid.h"
#include "inertia/implicit_inertia.h"
#include "inertia/inertia.h"
#include "integrate/implicit.h"
#include "kinematics/configuration.h"
#include "math/cholesky.h"
#include "model/schedule.h"
#include "model/state_vector.h"

static bool may_damp_implicitly(const cr_model* m) {
  return m->integrator != CR_INT_DISCRETE &&
         (m->disableflags & (CR_DSBL_EULERDAMP | CR_DSBL_DAMPER)) == 0;
}

bool cri_euler_damps(const cr_model* m) { return may_damp_implicitly(m) && cri_damps(m); }

// ---- [euler.e1] the implicit acceleration

// thresholds for hD over the inertia of a dof, and for a over a2 of a tree, from which on a - (a - a2) is a difference
// of large numbers; and for a over a2 times the digits that a lacks already
static const cr_real FIRM = 1000, STRONG = CR_R(1e4), LOSSY = CR_R(1e5);

// terms of M a over those of tau + J' f below which M a is used
static const cr_real CANCELLED = CR_R(1e-4);

// factor on the smaller of two estimates, each from few signs
static const cr_real SAFE = 8;

const cr_real* cri_euler_damping(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* D = cri_push(owner, (size_t)m->nv);
  cri_damper_qderiv(m, d, CR_DAMPED_DOFS, D, owner);
  return D;
}

static cri_factors damped_factors(const cr_data* d) {
  return (cri_factors){d->euler_U, d->euler_Dinv, d->euler_L};
}

static cr_status factor(const cr_model* m, cr_data* d, const cr_real* D) {
  size_t mark = cri_mark(d);
  cr_real* extra = cri_push(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    extra[i] = m->timestep * D[i];
  }
  cr_status status = cri_inertia_factor(m, d, extra, damped_factors(d), d);
  cri_pop(d, mark);
  return status;
}

static void solve_damped(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cri_inertia_solve(m, d, damped_factors(d), x, work);
}

// without damping M + hD is M, whose factor exists already
static void solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cri_inertia_solve(m, d, cri_damps(m) ? damped_factors(d) : cri_factors_of_M(d), x, work);
}

static cr_real largest(const cr_real* x, int first, int n) {
  cr_real most = 0;
  for (int i = first; i < first + n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

bool cri_euler_is_strong(const cr_model* m, const cr_data* d, const cr_real* D) {
  const cr_real* inverse = cri_factors_of_M(d).Dinv;
  if (!cri_damps(m)) {
    return false;
  }
  if (d->rounding > 0) {
    return !d->euler_weak;
  }
  for (int t = 0; t < m->ntree; t++) {
    cr_real damping = 0, lost = 1, a = 0, a2 = 0;
    for (int i = m->tree_dofadr[t]; i < m->tree_dofadr[t] + m->tree_dofnum[t]; i++) {
      damping = cr_max(damping, D[i] * inverse[i]);
      // the diagonal of M over what elimination leaves of it, where M is formed
      cr_real M = d->M_formed ? d->M[m->M_rowadr[i] + m->M_rownnz[i] - 1] : 0;
      lost = cr_max(lost, M * inverse[i]);
      a = cr_max(a, cr_abs(d->qacc[i]));
      a2 = cr_max(a2, cr_abs(d->euler_qacc[i]));
    }
    if (m->timestep * damping > FIRM || a > cr_min(STRONG, LOSSY / lost) * a2) {
      return true;
    }
  }
  return false;
}

// [euler.e1] a2 = a - (M + hD)^-1 hD a
static void damp(const cr_model* m, cr_data* d, const cr_real* D) {
  size_t mark = cri_mark(d);
  cr_real* x = cri_push(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    x[i] = m->timestep * D[i] * d->qacc[i];
  }
  solve_damped(m, d, x, d);
  for (int i = 0; i < m->nv; i++) {
    d->euler_qacc[i] -= x[i];
  }
  cri_pop(d, mark);
}

// Corrections by the solver's residual g = M a - tau - J' f: of the accelerations, x = -H^-1 g,
// and of the forces, g + M x. Large accelerations that damping takes away hide small numbers beside them.
static void corrections(const cr_model* m, cr_data* d, const cr_pattern* p, const cr_real* Ma,
                        const cr_real* force, cr_real* x, cr_real* change) {
  for (int i = 0; i < m->nv; i++) {
    x[i] = force[i] - Ma[i];
  }
  cri_acceleration_solve(m, d, x, d);
  cr_sparse_mul(change, d->M, p, x);
}

// tau + J' f without the solver's residual. If tau and J' f of a dof cancel, M a has the digits that their
// sum has lost; the sizes of its terms tell. Not if a has few itself.
static void take_products(const cr_model* m, cr_data* d, cr_real* force) {
  size_t mark = cri_mark(d), v = (size_t)m->nv;
  cr_real *Ma = cri_push(d, v), *terms = cri_push(d, v), *forces = cri_push(d, v);
  cr_real *x = cri_push(d, v), *Mx = cri_push(d, v);
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(Ma, d->M, &p, d->qacc);
  corrections(m, d, &p, Ma, force, x, Mx);
  cr_zero(terms, m->nv);
  cri_noise_of_product(&p, d->M, d->qacc, terms);
  cri_noise_of_forces(m, d, forces);
  for (int i = 0; i < m->nv; i++) {
    cr_real left = Ma[i] - force[i];
    bool rounding = cr_abs(left) <= 16 * CR_EPS * (terms[i] + forces[i]);
    if (terms[i] < CANCELLED * forces[i]) {
      force[i] = Ma[i] + Mx[i];
    } else if (!rounding) {
      force[i] += left + Mx[i];
    }
  }
  cri_pop(d, mark);
}

// [euler.e1] a2 = (M + hD)^-1 (tau + J' f)
static void damp_strongly(const cr_model* m, cr_data* d) {
  for (int i = 0; i < m->nv; i++) {
    d->euler_qacc[i] = d->qfrc_smooth[i] + d->qfrc_constraint[i];
  }
  if (d->M_formed && d->rounding == 0) {
    take_products(m, d, d->euler_qacc);
  }
  solve_damped(m, d, d->euler_qacc, d);
}

// sizes of the terms of (M + hD) x
static void add_sizes(const cr_model* m, const cr_data* d, const cr_real* D, const cr_real* x,
                      cr_real* sizes) {
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cri_noise_of_product(&p, d->M, x, sizes);
  for (int i = 0; i < m->nv; i++) {
    sizes[i] += m->timestep * D[i] * cr_abs(x[i]);
  }
}

// effect of rounding on the solution x of (M + hD) x = b, in units of a2 and v / h; sizes: those of b
static cr_real moved(const cr_model* m, cr_data* d, const cr_real* D, const cr_real* x,
                     cr_real* sizes, const cr_real* a2) {
  size_t mark = cri_mark(d);
  cr_real* speed = cri_push(d, (size_t)m->nv);
  cri_noise_speeds(m, d, speed);
  add_sizes(m, d, D, x, sizes);
  const cri_noise n = {sizes, a2, speed, solve_damped, solve_damped};
  cr_real most = cri_noise_moves(m, d, &n);
  cri_pop(d, mark);
  return most;
}

// x = (M + hD)^-1 M H^-1 x, by which noise in the forces of a moves a2 through a; and the
// transpose
static void solve_by_way_of_a(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cri_acceleration_solve(m, d, x, work);
  cri_inertia_mul(m, d, x, x, work);
  solve_damped(m, d, x, work);
}

static void solve_back_by_a(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  solve_damped(m, d, x, work);
  cri_inertia_mul(m, d, x, x, work);
  cri_acceleration_solve_transposed(m, d, x, work);
}

// effect of rounding on a2 = a - x, x = (M + hD)^-1 hD a
static cr_real moved_by_difference(const cr_model* m, cr_data* d, const cr_real* D,
                                   const cr_real* a2) {
  size_t mark = cri_mark(d), v = (size_t)m->nv;
  cr_real *x = cri_push(d, v), *sizes = cri_push(d, v), *speed = cri_push(d, v);
  cri_noise_speeds(m, d, speed);
  for (int i = 0; i < m->nv; i++) {
    x[i] = d->qacc[i] - a2[i];
    sizes[i] = m->timestep * D[i] * cr_abs(d->qacc[i]);
  }
  cr_real most = moved(m, d, D, x, sizes, a2);
  cri_noise_of_forces(m, d, sizes);
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cri_noise_of_product(&p, d->M, d->qacc, sizes);
  const cri_noise n = {sizes, a2, speed, solve_by_way_of_a, solve_back_by_a};
  most += cri_noise_moves(m, d, &n);
  cri_pop(d, mark);
  return most;
}

// the largest ratio of a to a2: the share of rounding in a2 may be larger than in a by this factor
static cr_real excess(const cr_model* m, const cr_data* d) {
  cr_real most = 1;
  for (int t = 0; t < m->ntree; t++) {
    int first = m->tree_dofadr[t], n = m->tree_dofnum[t];
    cr_real a2 = largest(d->euler_qacc, first, n);
    most = a2 > 0 ? cr_max(most, largest(d->qacc, first, n) / a2) : most;
  }
  return most;
}

// If a has few digits itself: of a - (a - a2) and of the forces takes the one with less rounding. euler_qacc is
// the former.
static void choose(const cr_model* m, cr_data* d, const cr_real* D) {
  size_t mark = cri_mark(d);
  cr_real *a2 = cri_push(d, (size_t)m->nv), *sizes = cri_push(d, (size_t)m->nv);
  cr_copy(a2, d->euler_qacc, m->nv);
  cr_real weak = moved_by_difference(m, d, D, a2);
  damp_strongly(m, d);
  cri_noise_of_forces(m, d, sizes);
  cr_real strong = moved(m, d, D, d->euler_qacc, sizes, d->euler_qacc);
  d->euler_weak = weak < strong;
  if (d->euler_weak) {
    cr_copy(d->euler_qacc, a2, m->nv);
  }
  d->rounding = cr_max(d->rounding * excess(m, d), SAFE * cr_min(weak, strong));
  cri_pop(d, mark);
}

static cr_status accelerate(const cr_model* m, cr_data* d) {
  if (cri_is_implicit(m)) {
    return cri_implicit_accelerate(m, d);
  }
  cr_copy(d->euler_qacc, d->qacc, m->nv);
  // with discrete the acceleration is already that of the step
  if (!cri_euler_damps(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  const cr_real* D = cri_euler_damping(m, d, d);
  cr_status status = factor(m, d, D);
  if (status == CR_OK) {
    damp(m, d, D);
    if (d->rounding > 0) {
      choose(m, d, D);
    } else if (cri_euler_is_strong(m, d, D)) {
      damp_strongly(m, d);
    }
  }
  cri_pop(d, mark);
  return status;
}

// the acceleration a - a2 that implicit damping takes away
static void taken_away(const cr_model* m, const cr_data* d, cr_real* x) {
  for (int i = 0; i < m->nv; i++) {
    x[i] = d->qacc[i] - d->euler_qacc[i];
  }
}

// the derivative goes through the solve if there is damping, or may be
static bool solve_matters(const cr_model* m, const cr_data* twin) {
  return may_damp_implicitly(m) && (cri_damping_wanted(&twin->par) || cri_damps(m));
}

// a2' = (M + hD)^-1 (tau' + (J' f)' - hD' a2 - M' a2)
static void strong_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const cr_real* D_tan,
                       cr_real* a2_tan) {
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(a2_tan, tan->M, &p, d->euler_qacc);
  for (int i = 0; i < m->nv; i++) {
    a2_tan[i] = tan->qfrc_smooth[i] + tan->qfrc_constraint[i] -
                m->timestep * D_tan[i] * d->euler_qacc[i] - a2_tan[i];
  }
  solve(m, d, a2_tan, tan);
}

// a2' = a' - (M + hD)^-1 (hD a' + hD' a2 - M' (a - a2))
static void accelerate_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* a2_tan) {
  if (cri_is_implicit(m)) {
    cri_implicit_accelerate_jvp(m, d, tan, a2_tan);
    return;
  }
  cr_real h = m->timestep;
  cr_copy(a2_tan, tan->qacc, m->nv);
  if (!solve_matters(m, tan)) {
    return;
  }
  size_t mark = cri_mark(tan);
  cr_real* away = cri_push(tan, (size_t)m->nv);
  cr_real* x = cri_push(tan, (size_t)m->nv);
  cr_real* D_tan = cri_push(tan, (size_t)m->nv);
  const cr_real* D = cri_euler_damping(m, d, tan);
  cri_damper_qderiv_jvp(m, d, tan, CR_DAMPED_DOFS, D_tan);
  if (cri_euler_is_strong(m, d, D)) {
    strong_jvp(m, d, tan, D_tan, a2_tan);
    cri_pop(tan, mark);
    return;
  }
  taken_away(m, d, away);
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(x, tan->M, &p, away);
  for (int i = 0; i < m->nv; i++) {
    x[i] = h * (D[i] * tan->qacc[i] + D_tan[i] * d->euler_qacc[i]) - x[i];
  }
  solve(m, d, x, tan);
  for (int i = 0; i < m->nv; i++) {
    a2_tan[i] -= x[i];
  }
  cri_pop(tan, mark);
}

static void accelerate_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                           const cr_real* a2_bar) {
  if (cri_is_implicit(m)) {
    cri_implicit_accelerate_vjp(m, d, bar, a2_bar);
    return;
  }
  cr_real h = m->timestep;
  if (!solve_matters(m, bar)) {
    for (int i = 0; i < m->nv; i++) {
      bar->qacc[i] += a2_bar[i];
    }
    return;
  }
  size_t mark = cri_mark(bar);
  cr_real* D_bar = cri_push(bar, (size_t)m->nv);
  const cr_real* D = cri_euler_damping(m, d, bar);
  int k = cri_pairs_add(&bar->M_pairs);
  cr_real* w2 = cri_pair_left(&bar->M_pairs, k);
  // w2 = (M + hD)^-1 a2_bar
  cr_copy(w2, a2_bar, m->nv);
  solve(m, d, w2, bar);
  bool strong = cri_euler_is_strong(m, d, D);
  cr_real* right = cri_pair_right(&bar->M_pairs, k);
  for (int i = 0; i < m->nv && strong; i++) {
    // [euler.e1]' tau_bar += w2, (J' f)_bar += w2, M_bar -= w2 (x) a2, D_bar -= h w2 a2
    bar->qfrc_smooth[i] += w2[i];
    bar->qfrc_constraint[i] += w2[i];
    right[i] = -d->euler_qacc[i];
    D_bar[i] = -h * w2[i] * d->euler_qacc[i];
  }
  // [euler.e1]' M_bar += w2 (x) (a - a2), a_bar += M w2 = a2_bar - hD w2, D_bar -= h w2 a2
  if (!strong) {
    taken_away(m, d, right);
  }
  for (int i = 0; i < m->nv && !strong; i++) {
    D_bar[i] = -h * w2[i] * d->euler_qacc[i];
    bar->qacc[i] += a2_bar[i] - h * D[i] * w2[i];
  }
  cri_damper_qderiv_vjp(m, d, bar, CR_DAMPED_DOFS, D_bar);
  cri_pop(bar, mark);
}

// ---- the step

// [euler.e5] states other than motion and activation: x+ = x + h rate, which is its own tangent
static void advance_plain(const cr_model* m, cri_state x, cri_state rate, cri_state next) {
  for (int k = CRI_STATE_qvel + 1; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n && cri_state_rows[k].law == CRI_STATE_ADD; i++) {
      next.part[k].x[i] = x.part[k].x[i] + m->timestep * rate.part[k].x[i];
    }
  }
}

static void advance_plain_vjp(const cr_model* m, cri_state next, cri_state x, cri_state rate) {
  for (int k = CRI_STATE_qvel + 1; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n && cri_state_rows[k].law == CRI_STATE_ADD; i++) {
      x.part[k].x[i] += next.part[k].x[i];
      rate.part[k].x[i] += m->timestep * next.part[k].x[i];
    }
  }
}

static cri_activity activity_of(const cr_data* d) {
  return (cri_activity){d->act, d->act_dot, d->actuator_length, d->actuator_velocity};
}

cr_status cr_euler(const cr_model* model, cr_data* d) {
  const cr_model* m = cri_model_at(model, d);
  CR_TRY(accelerate(m, d));
  if (cri_is_implicit(m) || cri_is_discrete(m)) {
    cri_fluid_sides(m, d);
  }
  // [euler.e2] v+ = v + h a2
  for (int i = 0; i < m->nv; i++) {
    d->qvel_next[i] = d->qvel[i] + m->timestep * d->euler_qacc[i];
  }
  // [euler.e3] q+ = q (+) h v+
  cri_configuration_move(m, d->qpos, d->qvel_next, m->timestep, d->qpos_next);
  // [euler.e4]
  cri_activity x = activity_of(d);
  cri_activation_advance(m, 0, &x, d->act_next, d->act_side);
  // [euler.e5]
  advance_plain(m, cri_state_of(m, d), cri_state_rate(m, d), cri_state_next(m, d));
  return CR_OK;
}

cr_status cr_euler_jvp(const cr_model* model, const cr_data* d, cr_data* tan) {
  const cr_model* m = cri_twin_open(model, d, tan, false);
  size_t mark = cri_mark(tan);
  cr_real* a2_tan = cri_push(tan, (size_t)m->nv);
  cr_real* v_next = cri_push(tan, (size_t)m->nv);
  accelerate_jvp(m, d, tan, a2_tan);
  // [euler.e2]
  for (int i = 0; i < m->nv; i++) {
    v_next[i] = d->qvel[i] + m->timestep * d->euler_qacc[i];
    tan->qvel_next[i] = tan->qvel[i] + m->timestep * a2_tan[i];
  }
  // [euler.e3]
  cri_configuration_move_jvp(m, v_next, m->timestep, tan->qpos, tan->qvel_next, tan->qpos_next);
  // [euler.e4]
  cri_activity x = activity_of(d), x_tan = activity_of(tan);
  cri_activation_advance_jvp(m, 0, &x, tan, &x_tan, tan->act_next);
  // [euler.e5]
  advance_plain(m, cri_state_twin(m, tan), cri_state_rate(m, tan), cri_state_twin_next(m, tan));
  cri_pop(tan, mark);
  cri_twin_close(tan);
  return CR_OK;
}

cr_status cr_euler_vjp(const cr_model* model, const cr_data* d, cr_data* bar) {
  const cr_model* m = cri_twin_open(model, d, bar, false);
  size_t mark = cri_mark(bar);
  cr_real* v_next = cri_push(bar, (size_t)m->nv);
  cr_real* v_bar = cri_push(bar, (size_t)m->nv);
  // [euler.e5]'
  advance_plain_vjp(m, cri_state_twin_next(m, bar), cri_state_twin(m, bar), cri_state_rate(m, bar));
  // [euler.e4]'
  cri_activity x = activity_of(d), x_bar = activity_of(bar);
  cri_activation_advance_vjp(m, 0, &x, bar->act_next, &x_bar, bar);
  // [euler.e3]' cotangents of q and of v+
  cr_copy(v_bar, bar->qvel_next, m->nv);
  for (int i = 0; i < m->nv; i++) {
    v_next[i] = d->qvel[i] + m->timestep * d->euler_qacc[i];
  }
  cri_configuration_move_vjp(m, v_next, m->timestep, bar->qpos_next, bar->qpos, v_bar);
  // [euler.e2]' v_bar += v+_bar, a2_bar = h v+_bar
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += v_bar[i];
    v_bar[i] *= m->timestep;
  }
  accelerate_vjp(m, d, bar, v_bar);
  cri_pop(bar, mark);
  cri_twin_close(bar);
  return CR_OK;
}
