// SPDX-License-Identifier: Apache-2.0
// The laws that column `bends` of model/model_fields.h names.
#include "rollout/parameter_bends.h"

#include "actuator/setpoint.h"
#include "force/fluid.h"
#include "force/reflected.h"
#include "inertia/effective_mass.h"

typedef cri_bend bend_law(const cr_model* m, cr_field_id id, int k);

static cri_bend when(bool here, cri_bend bend) { return here ? bend : CRI_BEND_NONE; }

// ---- laws of any field

static cri_bend nowhere(const cr_model* m, cr_field_id id, int k) {
  (void)m, (void)id, (void)k;
  return CRI_BEND_NONE;
}

static cri_bend at_zero(const cr_model* m, cr_field_id id, int k) {
  return when(cri_field_real(m, NULL, id)[k] == 0, CRI_BEND_SIDES);
}

// an inverse weight of zero: the regularisation is held at its least value, 1e-15, and moves only from there
static cri_bend floored(const cr_model* m, cr_field_id id, int k) {
  return when(cri_field_real(m, NULL, id)[k] == 0, CRI_BEND_FLOOR);
}

// ---- laws of one

// numbers of a rest quaternion do not move alone
static cri_bend cri_bends_rest(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j];
    int first = m->jnt_qposadr[j] + (type == CR_JNT_FREE ? 3 : 0);
    if ((type == CR_JNT_FREE || type == CR_JNT_BALL) && k >= first && k < first + 4) {
      return CRI_BEND_SWITCH;
    }
  }
  return CRI_BEND_NONE;
}

// springs, and the slopes of other forces over lengths, where the integrator takes them
static cri_bend cri_bends_spring(const cr_model* m, cr_field_id id, int k) {
  return when(cri_effective_mass_switch(m, id, k), CRI_BEND_SIDES);
}

// damping that is zero everywhere: no implicit damping of Euler's step
static cri_bend cri_bends_damper(const cr_model* m, cr_field_id id, int k) {
  bool none = cri_damps_dofs(id) && !cri_damps(m);
  return none ? CRI_BEND_SIDES : cri_bends_spring(m, id, k);
}

// what switches parts of controllers
static cri_bend cri_bends_dynamics(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  return when(cri_controller_switch(m, k / 10, false, k % 10), CRI_BEND_SWITCH);
}

static cri_bend cri_bends_gain(const cr_model* m, cr_field_id id, int k) {
  bool part = cri_controller_switch(m, k / 10, true, k % 10);
  return part ? CRI_BEND_SWITCH : cri_bends_spring(m, id, k);
}

// armature of tendons without any
static cri_bend cri_bends_tendon_inertia(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  return when(m->tendon_inertial[k] == 0, CRI_BEND_SWITCH);
}

static cri_bend cri_bends_actuator_inertia(const cr_model* m, cr_field_id id, int k) {
  bool tendon = m->actuator_trntype[k] == CR_TRN_TENDON;
  return tendon ? cri_bends_tendon_inertia(m, id, m->actuator_trnid[2 * k]) : CRI_BEND_NONE;
}

// two zeros stand for solref
static cri_bend cri_bends_friction_reference(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  return when(cr_is_zero(m->pair_solreffriction + k - k % 2, 2), CRI_BEND_SWITCH);
}

// the first number of a geom switches its ellipsoid on
static cri_bend cri_bends_fluid(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  return when(k % 12 == 0 && m->geom_fluid[k] == 0, CRI_BEND_SWITCH);
}

// a side of the box that stands for a body in a medium is held at its least length
static cri_bend cri_bends_box(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  return when(cri_fluid_is_flat(m, k / 3), CRI_BEND_FLOOR);
}

// an output of a servo between sites whose setpoint lies on a circle
static bool turns_only(const cr_model* m, int out) {
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_outadr[i] == out) {
      return m->actuator_trntype[i] == CR_TRN_SITE && cri_servo_period(m, i) > 0;
    }
  }
  return false;
}

// with such a gear a servo on a circle would no longer only turn
static cri_bend cri_bends_gear(const cr_model* m, cr_field_id id, int k) {
  (void)id;
  bool straight = k % 6 < 3 && m->actuator_gear[k] == 0;
  return when(straight && turns_only(m, k / 6), CRI_BEND_SWITCH);
}

// ---- the column

static bend_law* const laws[CR_N_MODEL_FIELD] = {
#define NOWHERE nowhere
#define AT_ZERO at_zero
#define FLOORED floored
#define BY(law) cri_bends_##law
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) \
  [CR_FIELD_##name] = bends,
#include "model/model_fields.h"
};

cri_bend cri_bend_at(const cr_model* m, cr_field_id id, int k) {
  bool parameter = cri_field_of_model(id) && laws[id] != NULL;
  return parameter ? laws[id](m, id, k) : CRI_BEND_NONE;
}
