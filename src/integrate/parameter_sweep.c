// SPDX-License-Identifier: Apache-2.0
// Inertias of bodies act through M and the bias force alone; what these receive is turned into cotangents of inertias at once
// (inertia/inertial_bar.h). All other parameters get theirs from the stages behind them.
#include "integrate/parameter_sweep.h"

#include "engine/driver.h"
#include "force/fluid.h"
#include "force/reflected.h"
#include "inertia/inertial_bar.h"
#include "integrate/euler.h"
#include "integrate/implicit.h"
#include "model/state_vector.h"
#include "model/tableau.h"

// ---- which stages

// fields that cri_inertial_bar serves
static bool is_inertial(cr_field_id id) {
  return id == CR_FIELD_body_mass || id == CR_FIELD_body_inertia || id == CR_FIELD_body_ipos ||
         id == CR_FIELD_body_iquat;
}

// what the stages left out compute
static bool is_motion(cr_field_id id) {
  return id == CR_FIELD_M || id == CR_FIELD_qfrc_bias || id == CR_FIELD_cdof ||
         id == CR_FIELD_cvel || id == CR_FIELD_cinert || id == CR_FIELD_xpos ||
         id == CR_FIELD_ten_J;
}

static bool writes(const cr_stage* stage, bool (*what)(cr_field_id)) {
  for (int k = 0; k < stage->nwrite; k++) {
    if (what(stage->writes[k])) {
      return true;
    }
  }
  return false;
}

static bool is_row(cr_field_id id) { return id == CR_FIELD_efc_J; }

// of the rows all but friction loss
static bool is_soft(cr_field_id id) {
  return id == CR_FIELD_efc_KBIP || id == CR_FIELD_efc_pos || id == CR_FIELD_efc_margin;
}

// whether what a stage writes changes with what it reads; friction is part of the rows of a pyramid
static bool follows(const cr_model* m, cr_field_id read, cr_field_id written) {
  switch (read) {
    case CR_FIELD_geom_friction:
    case CR_FIELD_pair_friction:
    case CR_FIELD_o_friction:
      return written == CR_FIELD_contact_friction || written == CR_FIELD_qfrc_pressure;
    case CR_FIELD_contact_friction:
      return !is_soft(written) && written != CR_FIELD_efc_frictionloss &&
             (written != CR_FIELD_efc_J || m->cone != CR_CONE_ELLIPTIC);
    case CR_FIELD_dof_frictionloss:
    case CR_FIELD_tendon_frictionloss:
      return !is_soft(written) && written != CR_FIELD_efc_J;
    case CR_FIELD_dof_solref:
    case CR_FIELD_dof_solimp:
    case CR_FIELD_jnt_solref:
    case CR_FIELD_jnt_solimp:
    case CR_FIELD_contact_solref:
    case CR_FIELD_contact_solreffriction:
    case CR_FIELD_contact_solimp:
    case CR_FIELD_contact_includemargin:
      return written != CR_FIELD_efc_J;
    default:
      return !cri_damps_dofs(read) ||
             (written != CR_FIELD_qfrc_gravcomp && written != CR_FIELD_qfrc_spring);
  }
}

static bool has_medium(const cr_model* m, const bool* wanted) {
  return cri_fluid_acts(m) || wanted[CR_FIELD_density] || wanted[CR_FIELD_viscosity];
}

static bool has_muscle(const cr_model* m) {
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_gaintype[i] == CR_GAIN_MUSCLE || m->actuator_biastype[i] == CR_BIAS_MUSCLE) {
      return true;
    }
  }
  return false;
}

// derived constants are wanted with everything; true for a field that the stages use in this model
static bool is_used(const cr_model* m, const bool* wanted, cr_field_id id) {
  switch (id) {
    case CR_FIELD_geom_fluid:
      return has_medium(m, wanted);
    case CR_FIELD_actuator_acc0:
      return has_muscle(m);
    default:
      return !cri_field_is_empty(m, id);
  }
}

// stages that what is wanted reaches, inertias by way of M and the bias force; false if it reaches a stage that is left out
static bool find_stages(cri_parameter_sweep* s, const cr_model* m, const bool* wanted) {
  const cri_schedule* all = cri_schedule_of(m);
  bool reached[CR_N_FIELD] = {false};
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    bool inertial = is_inertial((cr_field_id)i);
    s->masses = s->masses || (wanted[i] && inertial);
    reached[i] =
        wanted[i] && !inertial && i != CR_FIELD_dof_armature && is_used(m, wanted, (cr_field_id)i);
  }
  reached[CR_FIELD_M] = reached[CR_FIELD_qfrc_bias] = true;
  for (int i = 0; i < all->ndynamics; i++) {
    const cr_stage* stage = &all->row[i];
    bool row = writes(stage, is_row), now[CR_N_FIELD] = {false};
    for (int k = 0; k < stage->nwrite; k++) {
      cr_field_id to = stage->writes[k];
      for (int j = 0; j < stage->nread; j++) {
        now[to] = now[to] || (reached[stage->reads[j]] && follows(m, stage->reads[j], to));
      }
      s->stages[i] = s->stages[i] || now[to];
      if (row && !now[to]) {
        s->fixed[s->nfixed++] = to;
      }
    }
    for (int k = 0; k < stage->nwrite; k++) {
      reached[stage->writes[k]] = reached[stage->writes[k]] || now[stage->writes[k]];
    }
    s->split = row ? i + 1 : s->split;
    if (s->stages[i] && writes(stage, is_motion)) {
      return false;
    }
  }
  return true;
}

// all that the dynamics compute but what the sweep's own stages clear
static void find_left(cri_parameter_sweep* s, const cr_model* m) {
  const cri_schedule* all = cri_schedule_of(m);
  bool touched[CR_N_FIELD] = {false};
  // an implicit step and an activation have cotangents of more than these
  bool every = cri_is_implicit(m) || m->na > 0 || m->ntendon > 0;
  for (int i = 0; i < all->ndynamics; i++) {
    const cr_stage* stage = &all->row[i];
    for (int k = 0; k < stage->nread && s->stages[i]; k++) {
      touched[stage->reads[k]] = true;
    }
  }
  for (int i = 0; i < all->ndynamics; i++) {
    const cr_stage* stage = &all->row[i];
    for (int k = 0; k < stage->nwrite && !s->stages[i]; k++) {
      cr_field_id id = stage->writes[k];
      bool served = id == CR_FIELD_M || id == CR_FIELD_qfrc_bias || id == CR_FIELD_cinert;
      if ((every || touched[id]) && !served) {
        s->left[s->nleft++] = id;
      }
    }
  }
}

static bool lifts_bodies(const cr_model* m, const bool* wanted) {
  if (wanted[CR_FIELD_body_gravcomp]) {
    return true;
  }
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_gravcomp[b] != 0) {
      return true;
    }
  }
  return false;
}

bool cri_parameter_sweep_plan(cri_parameter_sweep* s, const cr_model* m, const bool* wanted) {
  *s = (cri_parameter_sweep){.split = 0};
  if (cri_tableau_of(m->integrator) != NULL || m->integrator == CR_INT_DISCRETE ||
      cri_schedule_of(m)->nadded > 0 || !find_stages(s, m, wanted) ||
      (s->masses && (has_medium(m, wanted) || lifts_bodies(m, wanted)))) {
    return false;
  }
  find_left(s, m);
  return true;
}

bool cri_parameter_sweep_holds(const cri_parameter_sweep* s, const cr_model* m, const cr_data* d) {
  for (int i = 0; i < 6 * m->nbody && s->masses; i++) {
    if (d->xfrc_applied[i] != 0) {
      return false;
    }
  }
  return true;
}

// ---- the sweep

static cr_status through_stages(const cri_parameter_sweep* s, const cr_model* m, const cr_data* d,
                                cr_data* bar) {
  const cri_schedule* all = cri_schedule_of(m);
  const cri_rows behind = {.first = s->split, .end = all->ndynamics, .only = s->stages};
  const cri_rows before = {.end = s->split, .only = s->stages};
  CR_TRY(cri_drive(all, CRI_VJP, &behind, m, d, bar));
  cri_fields_clear(m, d, bar, s->fixed, s->nfixed);
  return cri_drive(all, CRI_VJP, &before, m, d, bar);
}

cr_status cri_parameter_sweep_vjp(const cri_parameter_sweep* s, const cr_model* m, const cr_data* d,
                                  cr_data* bar) {
  CR_TRY(cr_euler_vjp(m, d, bar));
  CR_TRY(cri_room_check(bar, "integrator"));
  CR_TRY(through_stages(s, m, d, bar));
  cri_inertial_bar(m, d, bar);
  cri_fields_clear(m, d, bar, s->left, s->nleft);
  cri_state_zero(cri_state_twin_next(m, bar));
  return cri_room_check(bar, "parameters");
}
