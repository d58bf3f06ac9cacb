// SPDX-License-Identifier: Apache-2.0
// [acceleration.z1], row by row; none of these rows exists.
#include "solver/latent_friction.h"

#include "constraint/rows.h"
#include "constraint/solref_impedance.h"
#include "force/rank_one.h"
#include "inertia/implicit_inertia.h"

// the largest acceleration and velocity, the units for round-off. At rest forces
// cancel, and the acceleration is the round-off of what each force would cause alone
typedef struct {
  cr_real a, v;
} largest;

static largest largest_of(const cr_model* m, const cr_data* d, int first, int n) {
  largest x = {0, 0};
  for (int i = first; i < first + n; i++) {
    x.a = cr_max(x.a,
                 cr_max(cr_abs(d->acc_qacc[i]), cr_abs(d->qfrc_smooth[i]) * m->dof_invweight0[i]));
    x.v = cr_max(x.v, cr_abs(d->qvel[i]));
  }
  return x;
}

// of one tree: other trees have no part in the round-off of its dofs
static largest largest_of_tree(const cr_model* m, const cr_data* d, int tree) {
  return largest_of(m, d, m->tree_dofadr[tree], m->tree_dofnum[tree]);
}

// e = a + b v along a row, and what of it may be round-off
typedef struct {
  cr_real e, round_off;
} creep;

// a and v along the row, J the sum of its |entries|. Constraints at rest hold a position to its round-off: a
// spring as stiff as the row, off by that much, pulls with K times as much.
static creep creep_of(const cr_model* m, const cr_real solref[2], const cr_real solimp[5],
                      cr_real a, cr_real v, const largest* x, cr_real J) {
  cr_real K, B;
  cri_stiffness(m, solref, cri_impedance_width(solimp), &K, &B);
  // with the integrator discrete the row is taken at the end of the step
  B = cri_is_discrete(m) ? B / (1 + m->timestep * B) : B;
  return (creep){a + B * v, 4096 * CR_EPS * J * (x->a + B * x->v + K)};
}

static creep dof_creep(const cr_model* m, const cr_data* d, int i, const largest* x) {
  return creep_of(m, m->dof_solref + 2 * i, m->dof_solimp + 5 * i, d->acc_qacc[i], d->qvel[i], x,
                  1);
}

static creep tendon_creep(const cr_model* m, const cr_data* d, const cri_rows* rows, int t,
                          const largest* x) {
  cr_real J = 0;
  for (int k = rows->adr[t]; k < rows->adr[t] + rows->nnz[t]; k++) {
    J += cr_abs(d->ten_J[k]);
  }
  return creep_of(m, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t,
                  cri_row_dot(rows, d->ten_J, t, d->acc_qacc),
                  cri_row_dot(rows, d->ten_J, t, d->qvel), x, J);
}

static bool rests(creep c) { return cr_abs(c.e) <= c.round_off; }

static cr_real slope(creep c) { return rests(c) ? 0 : -cr_sign(c.e); }

static cr_real dof_slope(const cr_model* m, const cr_data* d, int i, const largest* x) {
  return slope(dof_creep(m, d, i, x));
}

static cr_real tendon_slope(const cr_model* m, const cr_data* d, const cri_rows* rows, int t,
                            const largest* x) {
  return slope(tendon_creep(m, d, rows, t, x));
}

static bool is_creep(creep c) { return c.e != 0 && rests(c); }

static bool dof_creeps(const cr_model* m, const cr_data* d, int i) {
  largest x = largest_of_tree(m, d, m->dof_treeid[i]);
  return m->dof_frictionloss[i] == 0 && is_creep(dof_creep(m, d, i, &x));
}

static bool tendon_creeps(const cr_model* m, const cr_data* d, int t) {
  largest x = largest_of(m, d, 0, m->nv);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  return m->tendon_frictionloss[t] == 0 && is_creep(tendon_creep(m, d, &rows, t, &x));
}

bool cri_latent_friction_creeps(const cr_model* m, const cr_data* d, int i) {
  return cri_rows_on(m, CR_DSBL_FRICTIONLOSS) &&
         (i < m->nv ? dof_creeps(m, d, i) : tendon_creeps(m, d, i - m->nv));
}

// true if the twin has room for these derivatives
static bool acts(const cr_model* m, const cr_model* par) {
  bool asked = par->dof_frictionloss != NULL || par->tendon_frictionloss != NULL;
  return asked && cri_rows_on(m, CR_DSBL_FRICTIONLOSS);
}

static void dofs_jvp(const cr_model* m, const cr_data* d, const cr_real* loss_tan,
                     cr_real* tau_tan) {
  for (int tree = 0; tree < m->ntree; tree++) {
    largest x = largest_of_tree(m, d, tree);
    int first = m->tree_dofadr[tree];
    for (int i = first; i < first + m->tree_dofnum[tree]; i++) {
      if (m->dof_frictionloss[i] == 0 && loss_tan[i] != 0) {
        tau_tan[i] += dof_slope(m, d, i, &x) * loss_tan[i];
      }
    }
  }
}

static void dofs_vjp(const cr_model* m, const cr_data* d, const cr_real* tau_bar,
                     cr_real* loss_bar) {
  for (int tree = 0; tree < m->ntree; tree++) {
    largest x = largest_of_tree(m, d, tree);
    int first = m->tree_dofadr[tree];
    for (int i = first; i < first + m->tree_dofnum[tree]; i++) {
      if (m->dof_frictionloss[i] == 0) {
        loss_bar[i] += dof_slope(m, d, i, &x) * tau_bar[i];
      }
    }
  }
}

void cri_latent_friction_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                             cr_real* tau_tan) {
  const cr_model* par = &tan->par;
  if (!acts(m, par)) {
    return;
  }
  if (par->dof_frictionloss != NULL) {
    dofs_jvp(m, d, par->dof_frictionloss, tau_tan);
  }
  if (m->ntendon == 0 || par->tendon_frictionloss == NULL) {
    return;
  }
  largest x = largest_of(m, d, 0, m->nv);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_frictionloss[t] == 0 && par->tendon_frictionloss[t] != 0) {
      cri_row_add(&rows, d->ten_J, t,
                  tendon_slope(m, d, &rows, t, &x) * par->tendon_frictionloss[t], tau_tan);
    }
  }
}

void cri_latent_friction_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cr_real* tau_bar) {
  const cr_model* par = &bar->par;
  if (!acts(m, par)) {
    return;
  }
  if (par->dof_frictionloss != NULL) {
    dofs_vjp(m, d, tau_bar, par->dof_frictionloss);
  }
  if (m->ntendon == 0 || par->tendon_frictionloss == NULL) {
    return;
  }
  largest x = largest_of(m, d, 0, m->nv);
  cri_rows rows = cri_tendon_rows(m, d->ten_J);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_frictionloss[t] == 0) {
      par->tendon_frictionloss[t] +=
          tendon_slope(m, d, &rows, t, &x) * cri_row_dot(&rows, d->ten_J, t, tau_bar);
    }
  }
}
