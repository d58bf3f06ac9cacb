// SPDX-License-Identifier: Apache-2.0
// See qderiv_jac.h.
#include "inertia/qderiv_jac.h"

#include "force/body_jac.h"
#include "force/damper.h"
#include "force/fluid.h"
#include "force/rank_one.h"
#include "inertia/actuation_qderiv.h"
#include "kinematics/tree.h"
#include "model/build.h"

// ---- rows a: D has a_i c a_j where M has an entry

typedef struct {
  int n;
  const int32_t* col;
  const cr_real *a, *H, *by_q;  // H and by_q as in actuator/length_jac.h
  cr_real c, by_length, by_velocity;
  bool fast;
} slope_row;

// sum of x_j r_j over the columns j that D couples with dof i
static cr_real coupled(const cr_model* m, const slope_row* s, const cr_real* x, int stride, int i,
                       const cr_real* r) {
  cr_real sum = 0;
  for (int j = 0; j < s->n; j++) {
    if (cri_rank_one_place(m, s->fast, i, s->col[j]) >= 0) {
      sum += x[j * stride] * r[s->col[j]];
    }
  }
  return sum;
}

// [step_jacobian.y8] (a_i c w_i)'
static void add_row(const cr_model* m, const cr_data* d, const slope_row* s, const cr_real* r,
                    const cri_qderiv_jac* to) {
  const cr_real* length_by_q = s->by_q == NULL ? s->a : s->by_q;
  for (int i = 0; i < s->n; i++) {
    ptrdiff_t at = (ptrdiff_t)s->col[i] * to->columns.ld;
    cr_real w = coupled(m, s, s->a, 1, s->col[i], r);
    for (int k = 0; k < s->n; k++) {
      cr_real Hv = 0, by_q = 0;
      for (int j = 0; j < s->n && s->H != NULL; j++) {
        Hv += s->H[j * s->n + k] * d->qvel[s->col[j]];
      }
      if (s->H != NULL) {
        by_q = s->H[i * s->n + k] * s->c * w +
               s->a[i] * s->c * coupled(m, s, s->H + k, s->n, s->col[i], r);
      }
      by_q += s->a[i] * (s->by_length * length_by_q[k] + s->by_velocity * Hv) * w;
      to->columns.q[at + s->col[k]] += to->scale * by_q;
      to->columns.v[at + s->col[k]] += to->scale * s->a[i] * s->by_velocity * s->a[k] * w;
    }
  }
}

// The slope of actuator i: its derivative by activation and control, and in s by length and velocity. Uses
// its entries of `tan`, which are zero before and after.
static void slope_changes(const cr_model* m, const cr_data* d, int i, slope_row* s,
                          const cri_qderiv_jac* to, cr_data* tan) {
  int ctrl = m->actuator_ctrladr[i], act = m->actuator_actadr[i], out = m->actuator_outadr[i];
  to->by_act[i] = to->by_ctrl[i] = 0;
  if (cri_gain_has_slope(m, i)) {
    tan->ctrl[ctrl] = 1;
    to->by_ctrl[i] = cri_actuation_qderiv_tan(m, d, tan, i, CR_OVER_VELOCITY, 0);
    tan->ctrl[ctrl] = 0;
  }
  if (cri_gain_has_slope(m, i) && m->actuator_actnum[i] > 0) {
    tan->act[act] = 1;
    to->by_act[i] = cri_actuation_qderiv_tan(m, d, tan, i, CR_OVER_VELOCITY, 0);
    tan->act[act] = 0;
  }
  if (cri_force_bends(m, i)) {
    tan->actuator_length[out] = 1;
    s->by_length = cri_actuation_qderiv_tan(m, d, tan, i, CR_OVER_VELOCITY, 0);
    tan->actuator_length[out] = 0;
    s->by_velocity = cri_actuation_qderiv_tan(m, d, tan, i, CR_OVER_VELOCITY, 1);
  }
}

static void actuators(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                      const cri_curvatures* curvatures, const cri_qderiv_jac* to, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* c = cri_push(tan, (size_t)m->nout);
  cri_actuation_qderiv(m, d, CR_OVER_VELOCITY, c);
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    size_t inner = cri_mark(tan);
    cr_real by_q[6];
    cri_length_force x;
    cri_actuator_row(m, d, curvatures, i, by_q, &x, tan);
    slope_row s = {.n = x.n,
                   .col = x.col,
                   .a = x.J,
                   .H = x.H,
                   .by_q = x.by_q,
                   .c = c[out],
                   .fast = kind == CR_QDERIV_FAST};
    slope_changes(m, d, i, &s, to, tan);
    if (s.H != NULL || s.by_length != 0 || s.by_velocity != 0) {
      add_row(m, d, &s, r, to);
    }
    for (int k = 0; k < s.n; k++) {
      ptrdiff_t at = (ptrdiff_t)s.col[k] * to->columns.ld + out;
      to->columns.out[at] += to->scale * s.a[k] * coupled(m, &s, s.a, 1, s.col[k], r);
    }
    cri_pop(tan, inner);
  }
  cri_pop(tan, mark);
}

static void tendons(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                    const cri_curvatures* curvatures, const cri_qderiv_jac* to, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real *D = cri_push(work, (size_t)m->ntendon), *B = cri_push(work, (size_t)m->ntendon);
  cri_damper_qderiv(m, d, CR_DAMPED_TENDONS, D, work);
  cri_damper_bends(m, d, CR_DAMPED_TENDONS, B, work);
  for (int t = 0; t < m->ntendon; t++) {
    int adr = m->ten_J_rowadr[t];
    slope_row s = {.n = m->ten_J_rownnz[t],
                   .col = m->ten_J_colind + adr,
                   .a = d->ten_J + adr,
                   .H = cri_curvature(curvatures, t),
                   .c = -D[t],
                   .by_velocity = -B[t],
                   .fast = kind == CR_QDERIV_FAST};
    if (s.c != 0 || s.by_velocity != 0) {
      add_row(m, d, &s, r, to);
    }
  }
  cri_pop(work, mark);
}

static void dampers(const cr_model* m, const cr_data* d, const cr_real* r, const cri_qderiv_jac* to,
                    cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* B = cri_push(work, (size_t)m->nv);
  cri_damper_bends(m, d, CR_DAMPED_DOFS, B, work);
  for (int i = 0; i < m->nv; i++) {
    to->columns.v[(ptrdiff_t)i * to->columns.ld + i] -= to->scale * B[i] * r[i];
  }
  cri_pop(work, mark);
}

// ---- [qderiv.d4] of all trees, or of free bodies alone

static bool full(const cr_model* m, cri_qderiv_kind kind, int i) {
  int tree = m->dof_treeid[i], joint = m->dof_jntid[m->tree_dofadr[tree]];
  return kind == CR_QDERIV_ALL || (m->tree_dofnum[tree] == 6 && m->jnt_type[joint] == CR_JNT_FREE);
}

// the columns of the bias force, without gravity, at v + s r, times `scale`
static void bias_at(const cr_model* m, const cr_data* d, const cr_real* r, cr_real s, cr_real scale,
                    cri_columns columns, cr_data* work) {
  size_t mark = cri_mark(work), v = (size_t)m->nv, b = (size_t)m->nbody;
  cr_model still = *m;
  cr_data at = *d;
  cr_real* none = cri_push(work, 6 * b + v);
  still.disableflags |= CR_DSBL_GRAVITY | CR_DSBL_SPRING | CR_DSBL_DAMPER;
  cr_zero(none, 6 * m->nbody + m->nv);
  at.xfrc_applied = none;
  at.qvel = cri_push(work, v);
  at.cdof_dot = cri_push(work, 6 * v);
  for (int i = 0; i < m->nv; i++) {
    at.qvel[i] = d->qvel[i] + s * r[i];
  }
  cri_rigid_transport carried = cri_rigid_transport_of(m, &at, none + 6 * b, work);
  for (int i = 0; i < m->nv; i++) {
    cr_cross_motion(at.cdof_dot + 6 * i, carried.V + 6 * i, d->cdof + 6 * i);
  }
  cri_body_jac(&still, &at, &carried, scale, columns, work);
  cri_pop(work, mark);
}

static void bias(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                 const cri_qderiv_jac* to, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real *along = cri_push(work, (size_t)m->nv), v_norm = 0, r_norm = 0;
  for (int i = 0; i < m->nv; i++) {
    along[i] = full(m, kind, i) ? r[i] : 0;
    v_norm += d->qvel[i] * d->qvel[i];
    r_norm += along[i] * along[i];
  }
  // exact for any size of the shift; this one makes both of equal size, which is best for round-off
  cr_real s = v_norm > 0 && r_norm > 0 ? cr_sqrt(v_norm / r_norm) : 1;
  if (r_norm > 0) {
    bias_at(m, d, along, s, to->scale / (2 * s), to->columns, work);
    bias_at(m, d, along, -s, -to->scale / (2 * s), to->columns, work);
  }
  cri_pop(work, mark);
}

// ---- all of it

bool cri_qderiv_has_jac(const cr_model* m, const char** why) {
  if (cri_fluid_acts(m)) {
    *why = "a medium with an implicit integrator";
    return false;
  }
  return true;
}

void cri_qderiv_jac_add(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                        const cri_curvatures* curvatures, const cri_qderiv_jac* to, cr_data* tan) {
  if ((m->disableflags & CR_DSBL_DAMPER) == 0) {
    dampers(m, d, r, to, tan);
    tendons(m, d, kind, r, curvatures, to, tan);
  }
  actuators(m, d, kind, r, curvatures, to, tan);
  bias(m, d, kind, r, to, tan);
}
