// SPDX-License-Identifier: Apache-2.0
// What the columns leave out, by stage, and what makes them.
#include "engine/stage_jac.h"

#include "force/body_jac.h"
#include "force/passive.h"
#include "pressure/pressure_jac.h"
#include "solver/connect_weld_jac.h"
#include "solver/contact_jac.h"
#include "solver/contact_model.h"

const char* cri_jac_always(const cr_model* m, const cr_data* d) {
  (void)m, (void)d;
  return NULL;
}

const char* cri_jac_plugin(const cr_model* m, const cr_data* d) {
  (void)d;
  return m->npluginstate > 0 ? "the state of added stages" : NULL;
}

static bool any(const int32_t* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return true;
    }
  }
  return false;
}

const char* cri_jac_collision(const cr_model* m, const cr_data* d) {
  return d->nefc > 0 && m->collision == CR_COLLISION_SMOOTH ? "smooth collision detection" : NULL;
}

const char* cri_jac_adhesion(const cr_model* m, const cr_data* d) {
  bool pulls = d->nefc > 0 && (!cr_is_zero(d->contact_adhesion, d->ncon) ||
                               !cr_is_zero(d->contact_surfacevel, 3 * d->ncon));
  (void)m;
  return pulls ? "adhesion and moving surfaces of contacts" : NULL;
}

// a fixed tendon adds a constant to M, and no bias force
const char* cri_jac_tendon_bias(const cr_model* m, const cr_data* d) {
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_inertial[t] != 0 && m->wrap_type[m->tendon_adr[t]] != CR_WRAP_JOINT) {
      return "armature of spatial tendons";
    }
  }
  (void)d;
  return NULL;
}

const char* cri_jac_actuation(const cr_model* m, const cr_data* d) {
  const char* why = NULL;
  (void)d;
  if (cri_gravcomp_acts(m) && any(m->jnt_actgravcomp, m->njnt)) {
    return "gravity compensation that counts as actuation";
  }
  return cri_forces_along_lengths(m, &why) ? NULL : why;
}

const char* cri_jac_effective_mass(const cr_model* m, const cr_data* d) {
  (void)d;
  return m->integrator == CR_INT_DISCRETE ? "the integrator discrete" : NULL;
}

const char* cri_jac_regularisation(const cr_model* m, const cr_data* d) {
  bool exact = (m->enableflags & CR_ENBL_DIAGEXACT) != 0;
  return d->nefc > 0 && exact ? "the exact diagonal of A" : NULL;
}

const char* cri_jac_acceleration(const cr_model* m, const cr_data* d) {
  if (d->nefc > 0 && cri_contact_model(m)->sees_motion(m)) {
    return "a contact model that sees distances and velocities";
  }
  bool stiff = d->nefc > 0 && cri_contact_model(m)->delicate(m, d);
  return stiff ? "rows so stiff that one solve loses digits" : NULL;
}

// ---- the columns

void cri_columns_bodies(const cr_model* m, const cr_data* d, cri_force_columns* x) {
  cri_body_jac(m, d, &x->carried, 1, x->columns, x->tan);
}

void cri_columns_pressure(const cr_model* m, const cr_data* d, cri_force_columns* x) {
  cri_pressure_jac(m, d, &x->carried, x->columns, x->tan);
}

void cri_columns_springs(const cr_model* m, const cr_data* d, cri_force_columns* x) {
  cri_spring_jac(m, d, x->curvatures, x->columns, x->tan);
}

void cri_columns_actuators(const cr_model* m, const cr_data* d, cri_force_columns* x) {
  cri_actuation_jac(m, d, x->curvatures, x->slopes, x->columns, x->tan);
}

void cri_columns_rows(const cr_model* m, const cr_data* d, cri_force_columns* x) {
  if (d->nefc == 0) {
    return;
  }
  size_t mark = cri_mark(x->tan);
  cri_row_force_jac slopes = cri_row_force_jac_of(m, d, x->tan);
  cri_row_jac(m, d, &slopes, x->curvatures, d->acc_qacc, x->columns, x->tan);
  cri_connect_weld_jac(m, d, &slopes, &x->carried, x->columns, x->tan);
  cri_contact_jac(m, d, &slopes, &x->carried, x->columns, x->tan);
  cri_pop(x->tan, mark);
}
