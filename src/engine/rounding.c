// SPDX-License-Identifier: Apache-2.0
// What rounding leaves of the acceleration, see rounding.h.
#include "engine/rounding.h"

#include "dynamics/effective.h"

static const cr_real LOST = 1000;  // diagonal over pivot from which on it is worth a look
static const cr_real GROWTH = 32;  // of the rounding of a number on its way through a factor
static const cr_real FUTILE = CR_R(1e-3);  // share of the acceleration beyond which it is none

// the dof whose diagonal of the metric is largest over what elimination leaves of it; -1 where no digits
// are lost
static int lost_dof(const cr_model* m, const cr_data* d, const cr_metric_view* metric) {
  bool discrete = cri_is_discrete(m);
  cr_real most = LOST;
  int dof = -1;
  for (int i = 0; i < m->nv; i++) {
    int at = metric->pattern.adr[i] + metric->pattern.nnz[i] - 1;
    cr_real inverse = discrete ? d->metric_L[at] * d->metric_L[at] : d->art_Dinv[i];
    if (metric->value[at] * inverse > most) {
      most = metric->value[at] * inverse;
      dof = i;
    }
  }
  return dof;
}

// eps times the sizes of what is added up on each dof
static void noise_of(const cr_model* m, const cr_data* d, const cr_metric_view* metric,
                     cr_real* noise) {
  const cr_pattern* p = &metric->pattern;
  for (int i = 0; i < m->nv; i++) {
    noise[i] = cr_abs(metric->tau[i]);
  }
  for (int i = 0; i < m->nv; i++) {
    int diagonal = p->nnz[i] - 1;
    for (int k = 0; k <= diagonal; k++) {
      int j = p->col[p->adr[i] + k];
      cr_real M = cr_abs(metric->value[p->adr[i] + k]);
      noise[i] += M * cr_abs(d->acc_qacc[j]);
      noise[j] += k < diagonal ? M * cr_abs(d->acc_qacc[i]) : 0;
    }
  }
  for (int r = 0; r < d->nefc; r++) {
    for (int k = d->efc_J_rowadr[r]; k < d->efc_J_rowadr[r] + d->efc_J_rownnz[r]; k++) {
      noise[d->efc_J_colind[k]] += cr_abs(d->efc_J[k] * d->acc_force[r]);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    noise[i] *= GROWTH * CR_EPS;
  }
}

// the largest acceleration, with or without rows, in the tree of a dof
static cr_real scale_of(const cr_model* m, const cr_data* d, int dof) {
  int tree = m->dof_treeid[dof];
  cr_real most = 0;
  for (int i = m->tree_dofadr[tree]; i < m->tree_dofadr[tree] + m->tree_dofnum[tree]; i++) {
    most = cr_max(most, cr_max(cr_abs(d->acc_qacc[i]), cr_abs(d->qacc_smooth[i])));
  }
  return most;
}

// signs of the noise, which are not known: all alike, those of the acceleration, in turn
enum { PATTERNS = 3 };
static cr_real sign_of(const cr_data* d, int pattern, int i) {
  bool minus = pattern == 1 ? d->acc_qacc[i] < 0 : (pattern == 2 ? i % 2 == 1 : false);
  return minus ? -1 : 1;
}

// the dof that noise with these signs moves most, in units of its tree
static int most_moved(const cr_model* m, cr_data* d, const cr_real* noise, int pattern, cr_real* x,
                      cri_linear_solve* solve) {
  int dof = 0;
  cr_real most = 0;
  for (int i = 0; i < m->nv; i++) {
    x[i] = sign_of(d, pattern, i) * noise[i];
  }
  solve(m, d, x, d);
  for (int i = 0; i < m->nv; i++) {
    cr_real scale = scale_of(m, d, i);
    if (cr_abs(x[i]) > most * scale) {
      most = cr_abs(x[i]) / scale;
      dof = i;
    }
  }
  return dof;
}

// by how much the worst signs move a dof, from its row of H^-1
static cr_real moved(const cr_model* m, cr_data* d, const cr_real* noise, int dof, cr_real* x,
                     cri_linear_solve* solve) {
  cr_real sum = 0, scale = scale_of(m, d, dof);
  cr_zero(x, m->nv);
  x[dof] = 1;
  solve(m, d, x, d);
  for (int i = 0; i < m->nv; i++) {
    sum += cr_abs(x[i]) * noise[i];
  }
  return scale > 0 ? sum / scale : 0;
}

static cr_status futile(const cr_model* m, cr_data* d) {
  int joint = m->dof_jntid[d->rounding_dof];
  return cri_fail(
      &d->error, CR_ERR_SINGULAR,
      "joint %d \"%s\", dof %d: rounding leaves fewer than three digits of its acceleration, "
      "its own inertia is lost beside what it carries; give the joint armature, or bodies "
      "masses that are nearer to each other",
      joint, cri_name(m, m->name_jntadr, joint), d->rounding_dof);
}

cr_status cri_rounding(const cr_model* m, cr_data* d, const cr_metric_view* metric,
                       cri_linear_solve* solve) {
  d->rounding = 0;
  d->rounding_dof = lost_dof(m, d, metric);
  if (d->rounding_dof < 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  cr_real* noise = cri_push(d, (size_t)m->nv);
  cr_real* x = cri_push(d, (size_t)m->nv);
  noise_of(m, d, metric, noise);
  for (int k = 0, last = -1; k < PATTERNS; k++) {
    int dof = most_moved(m, d, noise, k, x, solve);
    d->rounding =
        dof == last ? d->rounding : cr_max(d->rounding, moved(m, d, noise, dof, x, solve));
    last = dof;
  }
  cri_pop(d, mark);
  return d->rounding > FUTILE ? futile(m, d) : CR_OK;
}
