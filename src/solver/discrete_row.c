// SPDX-License-Identifier: Apache-2.0
// Rows of the integrator discrete, see discrete_row.h.
#include "solver/discrete_row.h"

#include "constraint/solref_impedance.h"
#include "inertia/implicit_inertia.h"

// the time constant of a row that refsafe may replace; 0 for others
static cr_real time_constant(const cr_model* m, const cr_data* d, int i) {
  int id = d->efc_id[i];
  switch (d->efc_type[i]) {
    case CR_CNSTR_LIMIT_JOINT:
      return m->jnt_solref[2 * id];
    case CR_CNSTR_LIMIT_TENDON:
      return m->tendon_solref_lim[2 * id];
    case CR_CNSTR_CONTACT_FRICTIONLESS:
    case CR_CNSTR_CONTACT_PYRAMIDAL:
    case CR_CNSTR_CONTACT_ELLIPTIC:
      return d->contact_solref[2 * id];
    default:
      return 0;
  }
}

static bool is_too_stiff(const cr_model* m, const cr_real KBIP[4]) {
  return (m->disableflags & CR_DSBL_REFSAFE) == 0 && KBIP[0] > 0 &&
         m->timestep * m->timestep * KBIP[0] * KBIP[2] > 1;
}

// K* and B* of a row that is replaced
static void resolve(cri_step_row* s, cr_real h, const cr_real* KBIP) {
  cr_real I = KBIP[2], root = h * cr_sqrt(KBIP[0] * I), slower = KBIP[1] / root;
  cr_real F = CR_MAX_IMPEDANCE * (1 - I) / ((1 - CR_MAX_IMPEDANCE) * I);
  cr_real most = cr_max(0, F - 2) / h;
  s->K = 1 / (h * h * I);
  s->K_y[0] = 0;
  s->K_y[2] = -s->K / I;
  s->B = cr_min(slower, most);
  if (slower <= most) {
    s->B_y[0] = -slower / (2 * KBIP[0]);
    s->B_y[1] = 1 / root;
    s->B_y[2] = -slower / (2 * I);
  } else {
    s->B_y[0] = s->B_y[1] = 0;
    s->B_y[2] = F > 2 ? -CR_MAX_IMPEDANCE / ((1 - CR_MAX_IMPEDANCE) * I * I * h) : 0;
  }
}

static cri_step_row plain(const cr_real KBIP[4]) {
  return (cri_step_row){.K = KBIP[0], .B = KBIP[1], .f = 1, .K_y = {1, 0, 0}, .B_y = {0, 1, 0}};
}

// a row of the integrator discrete; `safe` if refsafe replaces it
static cri_step_row row_of(const cr_model* m, const cr_real KBIP[4], bool safe) {
  cri_step_row s = plain(KBIP);
  cr_real h = m->timestep, I = KBIP[2];
  if (safe) {
    resolve(&s, h, KBIP);
  }
  // [regularisation.s5]
  s.f = 1 + h * s.B + h * h * s.K * I;
  for (int k = 0; k < 3; k++) {
    s.f_y[k] = h * s.B_y[k] + h * h * I * s.K_y[k];
  }
  s.f_y[2] += h * h * s.K;
  return s;
}

cri_step_row cri_step_row_of(const cr_model* m, const cr_data* d, int i) {
  const cr_real* KBIP = d->efc_KBIP + 4 * i;
  return cri_is_discrete(m) ? row_of(m, KBIP, is_too_stiff(m, KBIP) && time_constant(m, d, i) > 0)
                            : plain(KBIP);
}

cri_step_row cri_step_row_of_contact(const cr_model* m, const cr_real solref[2],
                                     const cr_real KBIP[4]) {
  return cri_is_discrete(m) ? row_of(m, KBIP, is_too_stiff(m, KBIP) && solref[0] > 0) : plain(KBIP);
}
