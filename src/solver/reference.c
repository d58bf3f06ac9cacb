// SPDX-License-Identifier: Apache-2.0
// Reference acceleration of the constraint rows, see reference.h.
#include "solver/reference.h"

#include "constraint/adhesion.h"
#include "constraint/contact_rows.h"
#include "constraint/equality.h"
#include "constraint/rows.h"
#include "constraint/solref_impedance.h"
#include "inertia/implicit_inertia.h"
#include "kinematics/tree.h"
#include "solver/discrete_row.h"

// [reference.e2] h of row i and its slope in pos - margin
static cr_real depth(const cr_model* m, const cr_data* d, int i, cr_real* slope) {
  bool contact = d->efc_type[i] >= CR_CNSTR_CONTACT_FRICTIONLESS;
  cr_real width = contact ? cri_contact_width(m, d, d->efc_id[i]) : 0;
  return cri_penetration(m, d->efc_pos[i] - d->efc_margin[i], width, slope);
}

// ---- contacts: surface velocity and adhesion

// [reference.e4] rows of contact c along which its surfaces move: vel_k += sign of the row x factor x velocity;
// k counts the rows behind the first, `of` is the number of contact_surfacevel
typedef struct {
  int row, of;
  cr_real factor;  // 1, or +-mu of a pyramid's edge
  int mu;          // number of contact_friction in it, -1 none
} slide;

// slides of contact c; returns their number
static int slides_of(const cr_model* m, const cr_data* d, int c, slide s[6]) {
  int dim = d->contact_dim[c], first = d->contact_efc_address[c], n = 0;
  bool pyramid = m->cone == CR_CONE_PYRAMIDAL;
  for (int k = 1; k < dim && k < 4; k++) {
    if (!pyramid) {
      s[n++] = (slide){first + k, k - 1, 1, -1};
      continue;
    }
    cr_real mu = d->contact_friction[5 * c + k - 1];
    s[n++] = (slide){first + 2 * k - 2, k - 1, mu, k - 1};
    s[n++] = (slide){first + 2 * k - 1, k - 1, -mu, k - 1};
  }
  return n;
}

static bool slides(const cr_data* d, int c) { return d->contact_efc_address[c] >= 0; }

// few models have moving surfaces
static bool moves(const cr_real* surfacevel, int c) {
  const cr_real* s = surfacevel + 3 * c;
  return s[0] != 0 || s[1] != 0 || s[2] != 0;
}

// vel += the surface velocities of all contacts
static void add_surfaces(const cr_model* m, const cr_data* d, const cr_real* surfacevel,
                         cr_real* vel) {
  slide s[6];
  for (int c = 0; c < d->ncon; c++) {
    int n = slides(d, c) && moves(surfacevel, c) ? slides_of(m, d, c, s) : 0;
    for (int k = 0; k < n; k++) {
      vel[s[k].row] += s[k].factor * surfacevel[3 * c + s[k].of];
    }
  }
}

// the part of friction in the tangent
static void add_surfaces_friction(const cr_model* m, const cr_data* d, const cr_data* tan,
                                  cr_real* vel_tan) {
  slide s[6];
  for (int c = 0; c < d->ncon; c++) {
    int n = slides(d, c) ? slides_of(m, d, c, s) : 0;
    for (int k = 0; k < n; k++) {
      if (s[k].mu >= 0) {
        vel_tan[s[k].row] += (s[k].factor > 0 ? 1 : -1) * tan->contact_friction[5 * c + s[k].mu] *
                             d->contact_surfacevel[3 * c + s[k].of];
      }
    }
  }
}

// [reference.e4]'
static void surfaces_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                         const cr_real* vel_bar) {
  slide s[6];
  for (int c = 0; c < d->ncon; c++) {
    int n = slides(d, c) ? slides_of(m, d, c, s) : 0;
    for (int k = 0; k < n; k++) {
      bar->contact_surfacevel[3 * c + s[k].of] += s[k].factor * vel_bar[s[k].row];
      if (s[k].mu >= 0) {
        bar->contact_friction[5 * c + s[k].mu] +=
            (s[k].factor > 0 ? 1 : -1) * vel_bar[s[k].row] * d->contact_surfacevel[3 * c + s[k].of];
      }
    }
  }
}

// [reference.e5] aref += w / D, w the row's share of the adhesion: the rows press by as much more as it pulls
static void adhesion(const cr_model* m, cr_data* d) {
  for (int c = 0; c < d->ncon; c++) {
    int first = d->contact_efc_address[c];
    for (int k = 0; cri_adheres(d, c) && k < cri_adhesion_rows(m, d, c); k++) {
      cr_real w = cri_adhesion_share(m, d, c) * d->contact_adhesion[c];
      d->efc_aref[first + k] += w / d->efc_D[first + k];
    }
  }
}

static void adhesion_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int c = 0; c < d->ncon; c++) {
    int first = d->contact_efc_address[c];
    for (int k = 0; first >= 0 && k < cri_adhesion_rows(m, d, c); k++) {
      cr_real share = cri_adhesion_share(m, d, c), D = d->efc_D[first + k];
      tan->efc_aref[first + k] +=
          share * (tan->contact_adhesion[c] - d->contact_adhesion[c] / D * tan->efc_D[first + k]) /
          D;
    }
  }
}

static void adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int c = 0; c < d->ncon; c++) {
    int first = d->contact_efc_address[c];
    for (int k = 0; first >= 0 && k < cri_adhesion_rows(m, d, c); k++) {
      cr_real D = d->efc_D[first + k];
      cr_real w_bar = cri_adhesion_share(m, d, c) * bar->efc_aref[first + k] / D;
      bar->contact_adhesion[c] += w_bar;
      bar->efc_D[first + k] -= w_bar * d->contact_adhesion[c] / D;
    }
  }
}

// ---- [reference.e3] the bias acceleration of connects and welds

// true if any row belongs to a connect or weld
static bool any_connect_weld(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (cri_is_connect_weld(m->eq_type[d->efc_id[i]])) {
      return true;
    }
  }
  return false;
}

static cri_connect_weld_motion motion_of(const cri_connect_weld* b, const cr_real* V,
                                         const cr_real* A) {
  cri_connect_weld_motion w;
  for (int k = 0; k < 2; k++) {
    cr_copy6(w.V[k], V + 6 * b->body[k]);
    cr_copy6(w.A[k], A + 6 * b->body[k]);
  }
  return w;
}

// accelerations of all bodies with qacc zero: A_b = A_parent + sum of cdof_dot v
static void accelerations(const cr_model* m, const cr_real* cdof_dot, const cr_real* qvel,
                          cr_real* A) {
  cr_zero6(A);
  cri_tree_motions(m, cdof_dot, qvel, A);
}

static void connect_welds(const cr_model* m, const cr_data* d, cr_real* aref, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* A = cri_push(work, 6 * (size_t)m->nbody);
  accelerations(m, d->cdof_dot, d->qvel, A);
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    if (!cri_is_connect_weld(m->eq_type[d->efc_id[i]])) {
      continue;
    }
    cri_connect_weld b = cri_connect_weld_of(m, d, d->efc_id[i]);
    cri_connect_weld_motion w = motion_of(&b, d->cvel, A);
    cr_real bias[CR_MAX_CONNECT_WELD];
    cri_connect_weld_bias(&b, &w, bias);
    for (int k = 0; k < b.nrow; k++) {
      aref[i + k] -= bias[k];
    }
  }
  cri_pop(work, mark);
}

static void connect_welds_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan), n = 6 * (size_t)m->nbody;
  cr_real *A = cri_push(tan, n), *A_tan = cri_push(tan, n), *turned = cri_push(tan, n);
  accelerations(m, d->cdof_dot, d->qvel, A);
  accelerations(m, d->cdof_dot, tan->qvel, A_tan);
  accelerations(m, tan->cdof_dot, d->qvel, turned);
  for (size_t k = 0; k < n; k++) {
    A_tan[k] += turned[k];
  }
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (!cri_is_connect_weld(m->eq_type[e])) {
      continue;
    }
    cri_connect_weld b = cri_connect_weld_of(m, d, e), b_tan = cri_connect_weld_tan(m, d, tan, e);
    cri_connect_weld_motion w = motion_of(&b, d->cvel, A), w_tan = motion_of(&b, tan->cvel, A_tan);
    cr_real bias_tan[CR_MAX_CONNECT_WELD];
    cri_connect_weld_bias_tan(&b, &b_tan, &w, &w_tan, bias_tan);
    for (int k = 0; k < b.nrow; k++) {
      tan->efc_aref[i + k] -= bias_tan[k];
    }
  }
  cri_pop(tan, mark);
}

static void connect_welds_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                              const cr_real* aref_bar) {
  size_t mark = cri_mark(bar), n = 6 * (size_t)m->nbody;
  cr_real *A = cri_push(bar, n), *A_bar = cri_push(bar, n);
  accelerations(m, d->cdof_dot, d->qvel, A);
  cr_zero(A_bar, 6 * m->nbody);
  for (int i = 0; i < d->ne; i += cri_rows_block(m, d, i)) {
    int e = d->efc_id[i];
    if (!cri_is_connect_weld(m->eq_type[e])) {
      continue;
    }
    cri_connect_weld b = cri_connect_weld_of(m, d, e), b_bar = {.nrow = b.nrow};
    cri_connect_weld_motion w = motion_of(&b, d->cvel, A), w_bar = {{{0}}, {{0}}};
    cr_real bias_bar[CR_MAX_CONNECT_WELD];
    for (int k = 0; k < b.nrow; k++) {
      bias_bar[k] = -aref_bar[i + k];
    }
    cri_connect_weld_bias_bar(&b, &w, bias_bar, &b_bar, &w_bar);
    cri_connect_weld_bar(m, d, bar, e, &b_bar);
    for (int k = 0; k < 2; k++) {
      cr_acc6(bar->cvel + 6 * b.body[k], w_bar.V[k]);
      cr_acc6(A_bar + 6 * b.body[k], w_bar.A[k]);
    }
  }

  // [reference.e3]' of the accelerations
  cri_tree_gather(m, A_bar, 6);
  for (int j = 0; j < m->nv; j++) {
    const cr_real* a_bar = A_bar + 6 * m->dof_bodyid[j];
    bar->qvel[j] += cr_dot6(d->cdof_dot + 6 * j, a_bar);
    cr_accscl6(bar->cdof_dot + 6 * j, a_bar, d->qvel[j]);
  }
  cri_pop(bar, mark);
}

// ---- [reference.e2] spring and damper of a row

// k and b of aref = (-b vel - k h - ...) / f; with the integrator discrete the spring is taken at the
// end of the step, which damps
typedef struct {
  cr_real k, b;
  cri_step_row row;
  cr_real h;  // the time step with discrete, else 0
  bool ncp;
} pull;

static pull pull_of(const cr_model* m, const cr_data* d, int i) {
  if (cri_row_is_ncp(m, d, i)) {
    // [reference.e6] b = 1 / h, k = beta / h^2
    cr_real h = m->timestep;
    return (pull){.k = m->ncp_baumgarte[0] / (h * h), .b = 1 / h, .row = {.f = 1}, .ncp = true};
  }
  pull p = {.row = cri_step_row_of(m, d, i), .h = cri_is_discrete(m) ? m->timestep : 0};
  p.k = p.row.K * d->efc_KBIP[4 * i + 2];
  p.b = p.row.B + p.h * p.k;
  return p;
}

cr_real cri_reference_damping(const cr_model* m, const cr_data* d, int i) {
  pull p = pull_of(m, d, i);
  return cri_is_discrete(m) ? p.b / p.row.f : p.b;
}

// f aref, without adhesion
static void numerators(const cr_model* m, const cr_data* d, const cr_real* vel, cr_real* aref,
                       cr_data* work) {
  bool discrete = cri_is_discrete(m);
  for (int i = 0; i < d->nefc; i++) {
    const cr_real* KBIP = d->efc_KBIP + 4 * i;
    cr_real k = KBIP[0] * KBIP[2], b = KBIP[1], slope;
    if (discrete || cri_row_is_ncp(m, d, i)) {
      pull p = pull_of(m, d, i);
      k = p.k;
      b = p.b;
    }
    aref[i] = -b * vel[i] - k * depth(m, d, i, &slope);
  }
  if (any_connect_weld(m, d)) {
    connect_welds(m, d, aref, work);
  }
}

// ---- the stage

cr_status cr_reference(const cr_model* m, cr_data* d) {
  // [reference.e1] efc_vel = J v
  cri_rows_mul(m, d, d->efc_J, d->efc_vel, d->qvel);
  add_surfaces(m, d, d->contact_surfacevel, d->efc_vel);

  // [reference.e2] aref = (-b efc_vel - k h) / f
  numerators(m, d, d->efc_vel, d->efc_aref, d);
  for (int i = 0; i < d->nefc && cri_is_discrete(m); i++) {
    d->efc_aref[i] /= pull_of(m, d, i).row.f;
  }
  adhesion(m, d);
  return CR_OK;
}

// [reference.e2] num' / f - num f' / f^2
static void divide_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const cr_real* vel) {
  size_t mark = cri_mark(tan);
  cr_real* num = cri_push(tan, (size_t)d->nefc);
  numerators(m, d, vel, num, tan);
  for (int i = 0; i < d->nefc; i++) {
    cri_step_row row = pull_of(m, d, i).row;
    cr_real f_tan = cri_step_row_tan(row.f_y, tan->efc_KBIP + 4 * i);
    tan->efc_aref[i] = (tan->efc_aref[i] - num[i] / row.f * f_tan) / row.f;
  }
  cri_pop(tan, mark);
}

cr_status cr_reference_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* vel = cri_push(tan, (size_t)d->nefc);
  cr_real* turned = cri_push(tan, (size_t)d->nefc);

  // [reference.e1]
  cri_rows_mul(m, d, d->efc_J, vel, d->qvel);
  add_surfaces(m, d, d->contact_surfacevel, vel);
  cri_rows_mul(m, d, d->efc_J, tan->efc_vel, tan->qvel);
  add_surfaces(m, d, tan->contact_surfacevel, tan->efc_vel);
  add_surfaces_friction(m, d, tan, tan->efc_vel);
  cri_rows_mul(m, d, tan->efc_J, turned, d->qvel);

  // [reference.e2]
  for (int i = 0; i < d->nefc; i++) {
    const cr_real* KBIP_tan = tan->efc_KBIP + 4 * i;
    pull p = pull_of(m, d, i);
    cr_real slope, h = depth(m, d, i, &slope);
    cr_real h_tan = slope * (tan->efc_pos[i] - tan->efc_margin[i]);
    cr_real k_tan =
        cri_step_row_tan(p.row.K_y, KBIP_tan) * d->efc_KBIP[4 * i + 2] + p.row.K * KBIP_tan[2];
    cr_real b_tan = cri_step_row_tan(p.row.B_y, KBIP_tan) + p.h * k_tan;
    if (p.ncp) {
      k_tan = cri_par_tan(tan->par.ncp_baumgarte, 0, 1)[0] / (m->timestep * m->timestep);
    }
    tan->efc_vel[i] += turned[i];
    tan->efc_aref[i] = -b_tan * vel[i] - p.b * tan->efc_vel[i] - k_tan * h - p.k * h_tan;
  }
  if (any_connect_weld(m, d)) {
    connect_welds_jvp(m, d, tan);
  }
  if (cri_is_discrete(m)) {
    divide_jvp(m, d, tan, vel);
  }
  adhesion_jvp(m, d, tan);
  cri_pop(tan, mark);
  return CR_OK;
}

// [reference.e2]' num_bar = aref_bar / f, f_bar = -num / f^2 aref_bar
static void divide_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* vel,
                       cr_real* num_bar) {
  size_t mark = cri_mark(bar);
  cr_real* num = cri_push(bar, (size_t)d->nefc);
  numerators(m, d, vel, num, bar);
  for (int i = 0; i < d->nefc; i++) {
    cri_step_row row = pull_of(m, d, i).row;
    num_bar[i] /= row.f;
    cri_step_row_bar(row.f_y, -num[i] / row.f * num_bar[i], bar->efc_KBIP + 4 * i);
  }
  cri_pop(bar, mark);
}

cr_status cr_reference_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (d->nefc == 0) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real* vel = cri_push(bar, (size_t)d->nefc);
  cr_real* num_bar = cri_push(bar, (size_t)d->nefc);
  cri_rows_mul(m, d, d->efc_J, vel, d->qvel);
  add_surfaces(m, d, d->contact_surfacevel, vel);
  int pair = cri_pairs_add(&bar->efc_J_pairs);
  cr_real* vel_bar = cri_pair_left(&bar->efc_J_pairs, pair);
  cr_copy(num_bar, bar->efc_aref, d->nefc);
  if (cri_is_discrete(m)) {
    divide_vjp(m, d, bar, vel, num_bar);
  }

  // [reference.e2]'
  for (int i = 0; i < d->nefc; i++) {
    pull p = pull_of(m, d, i);
    cr_real *KBIP_bar = bar->efc_KBIP + 4 * i, slope, h = depth(m, d, i, &slope);
    cr_real b_bar = -vel[i] * num_bar[i], k_bar = -h * num_bar[i] + p.h * b_bar;
    if (p.ncp) {
      cri_par_add1(bar->par.ncp_baumgarte, 0, k_bar / (m->timestep * m->timestep));
    }
    cri_step_row_bar(p.row.B_y, b_bar, KBIP_bar);
    cri_step_row_bar(p.row.K_y, d->efc_KBIP[4 * i + 2] * k_bar, KBIP_bar);
    KBIP_bar[2] += p.row.K * k_bar;
    bar->efc_pos[i] -= p.k * slope * num_bar[i];
    bar->efc_margin[i] += p.k * slope * num_bar[i];
    vel_bar[i] = bar->efc_vel[i] - p.b * num_bar[i];
  }

  adhesion_vjp(m, d, bar);
  surfaces_bar(m, d, bar, vel_bar);
  if (any_connect_weld(m, d)) {
    connect_welds_vjp(m, d, bar, num_bar);
  }

  // [reference.e1]' qvel_bar += J' vel_bar, J_bar += vel_bar (x) qvel
  cri_rows_mul_transposed(m, d, d->efc_J, bar->qvel, vel_bar);
  cr_copy(cri_pair_right(&bar->efc_J_pairs, pair), d->qvel, m->nv);
  cri_pop(bar, mark);
  return CR_OK;
}
