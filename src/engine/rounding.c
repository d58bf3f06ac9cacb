// SPDX-License-Identifier: Apache-2.0
// Digits that rounding leaves of the acceleration, see rounding.h.
#include "engine/rounding.h"

#include "inertia/implicit_inertia.h"

static const cr_real LOST = 1000;  // diagonal over pivot from which on rounding is estimated
static const cr_real GROWTH = 32;  // growth of the rounding of a number in a factor
static const cr_real FUTILE = CR_R(1e-3);  // share of the acceleration beyond which it is an error

// the dof with the largest ratio of the effective mass matrix's diagonal to its pivot; -1 if no digits
// are lost
static int lost_dof(const cr_model* m, const cr_data* d, const cr_mass_view* mass) {
  bool discrete = cri_is_discrete(m);
  cr_real most = LOST;
  int dof = -1;
  for (int i = 0; i < m->nv; i++) {
    int at = mass->pattern.adr[i] + mass->pattern.nnz[i] - 1;
    cr_real inverse = discrete ? d->efm_L[at] * d->efm_L[at] : d->art_Dinv[i];
    if (mass->value[at] * inverse > most) {
      most = mass->value[at] * inverse;
      dof = i;
    }
  }
  return dof;
}

void cri_noise_of_product(const cr_pattern* p, const cr_real* value, const cr_real* x,
                          cr_real* noise) {
  for (int i = 0; i < p->n; i++) {
    int diagonal = p->nnz[i] - 1;
    for (int k = 0; k <= diagonal; k++) {
      int j = p->col[p->adr[i] + k];
      cr_real A = cr_abs(value[p->adr[i] + k]);
      noise[i] += A * cr_abs(x[j]);
      noise[j] += k < diagonal ? A * cr_abs(x[i]) : 0;
    }
  }
}

void cri_noise_of_rows(const cr_data* d, cr_real* noise) {
  for (int r = 0; r < d->nefc; r++) {
    for (int k = d->efc_J_rowadr[r]; k < d->efc_J_rowadr[r] + d->efc_J_rownnz[r]; k++) {
      noise[d->efc_J_colind[k]] += cr_abs(d->efc_J[k] * d->acc_force[r]);
    }
  }
}

void cri_noise_of_forces(const cr_model* m, const cr_data* d, cr_real* sizes) {
  for (int i = 0; i < m->nv; i++) {
    sizes[i] = cr_abs(d->qfrc_smooth[i]);
  }
  cri_noise_of_rows(d, sizes);
}

void cri_noise_speeds(const cr_model* m, const cr_data* d, cr_real* speeds) {
  for (int i = 0; i < m->nv; i++) {
    speeds[i] = d->qvel[i] / m->timestep;
  }
}

// the largest size in the tree of a dof
static cr_real scale_of(const cr_model* m, const cri_noise* n, int dof) {
  int tree = m->dof_treeid[dof];
  cr_real most = 0;
  for (int i = m->tree_dofadr[tree]; i < m->tree_dofadr[tree] + m->tree_dofnum[tree]; i++) {
    most = cr_max(most, cr_max(cr_abs(n->x[i]), cr_abs(n->beside[i])));
  }
  return most;
}

// signs of the noise, which are not known: all alike, or those of the solution, in turn
enum { PATTERNS = 3 };
static cr_real sign_of(const cri_noise* n, int pattern, int i) {
  bool minus = pattern == 1 ? n->x[i] < 0 : (pattern == 2 ? i % 2 == 1 : false);
  return minus ? -1 : 1;
}

// the dof that noise with these signs moves most, in units of its tree
static int most_moved(const cr_model* m, cr_data* d, const cri_noise* n, int pattern, cr_real* x) {
  int dof = 0;
  cr_real most = 0;
  for (int i = 0; i < m->nv; i++) {
    x[i] = sign_of(n, pattern, i) * n->sizes[i];
  }
  n->solve(m, d, x, d);
  for (int i = 0; i < m->nv; i++) {
    cr_real scale = scale_of(m, n, i);
    if (cr_abs(x[i]) > most * scale) {
      most = cr_abs(x[i]) / scale;
      dof = i;
    }
  }
  return dof;
}

// how far the worst signs move a dof, from its row of the inverse
static cr_real moved(const cr_model* m, cr_data* d, const cri_noise* n, int dof, cr_real* x) {
  cr_real sum = 0, scale = scale_of(m, n, dof);
  cr_zero(x, m->nv);
  x[dof] = 1;
  n->transposed(m, d, x, d);
  for (int i = 0; i < m->nv; i++) {
    sum += cr_abs(x[i]) * n->sizes[i];
  }
  return scale > 0 ? sum / scale : 0;
}

cr_real cri_noise_moves(const cr_model* m, cr_data* d, const cri_noise* n) {
  size_t mark = cri_mark(d);
  cr_real *x = cri_push(d, (size_t)m->nv), most = 0;
  for (int k = 0, last = -1; k < PATTERNS; k++) {
    int dof = most_moved(m, d, n, k, x);
    most = dof == last ? most : cr_max(most, moved(m, d, n, dof, x));
    last = dof;
  }
  cri_pop(d, mark);
  return GROWTH * CR_EPS * most;
}

static cr_status futile(const cr_model* m, cr_data* d) {
  int joint = m->dof_jntid[d->rounding_dof];
  return cri_fail(&d->error, CR_ERR_SINGULAR,
                  "joint %d \"%s\", dof %d: rounding leaves fewer than three digits of its "
                  "acceleration: its own inertia is lost beside the inertia that it carries; give "
                  "the joint armature, or the bodies masses nearer to each other",
                  joint, cri_name(m, m->name_jntadr, joint), d->rounding_dof);
}

cr_status cri_rounding(const cr_model* m, cr_data* d, const cr_mass_view* mass,
                       cri_linear_solve* solve, cri_linear_solve* transposed) {
  d->rounding = 0;
  d->rounding_dof = lost_dof(m, d, mass);
  if (d->rounding_dof < 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  cr_real* sizes = cri_push(d, (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) {
    sizes[i] = cr_abs(mass->tau[i]);
  }
  cri_noise_of_product(&mass->pattern, mass->value, d->acc_qacc, sizes);
  cri_noise_of_rows(d, sizes);
  const cri_noise n = {sizes, d->acc_qacc, d->qacc_smooth, solve, transposed};
  d->rounding = cri_noise_moves(m, d, &n);
  cri_pop(d, mark);
  return d->rounding > FUTILE ? futile(m, d) : CR_OK;
}
