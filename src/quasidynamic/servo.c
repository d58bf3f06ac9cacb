// SPDX-License-Identifier: Apache-2.0
// Servos, and what a model may not have beside them.
#include "quasidynamic/servo.h"

#include "force/joint_spring.h"
#include "model/names.h"
#include "model/schedule.h"

// ---- the servos

static cr_status no_servo(const cr_model* m, int i, const char* why, cr_error* error) {
  return cri_fail(error, CR_ERR_UNSUPPORTED, "%s is no position servo for quasi-dynamic steps: %s",
                  cri_label(m, CRI_OBJECT_actuator, i).text, why);
}

static cr_status check_servo(const cr_model* m, int i, bool given, cr_error* error) {
  const int type = m->actuator_trntype[i];
  if (type != CR_TRN_JOINT && type != CR_TRN_JOINTINPARENT) {
    return no_servo(m, i, "it does not act on a joint", error);
  }
  const int joint = m->jnt_type[m->actuator_trnid[2 * (ptrdiff_t)i]];
  if (joint != CR_JNT_HINGE && joint != CR_JNT_SLIDE) {
    return no_servo(m, i, "its joint is no hinge or slide", error);
  }
  if (given) {
    return CR_OK;
  }
  if (m->actuator_dyntype[i] != CR_DYN_NONE) {
    return no_servo(m, i, "it has an activation", error);
  }
  if (m->actuator_gaintype[i] != CR_GAIN_FIXED || m->actuator_biastype[i] != CR_BIAS_AFFINE ||
      !(m->actuator_biasprm[10 * (ptrdiff_t)i + 1] < 0)) {
    return no_servo(m, i, "its force does not fall with its length; give a stiffness", error);
  }
  return CR_OK;
}

static bool is_off(const cr_model* m, int i) {
  const int group = m->actuator_group[i];
  return (m->disableflags & CR_DSBL_ACTUATION) != 0 ||
         (group >= 0 && group < 31 && (m->disableactuator & (1 << group)) != 0);
}

cr_status cri_servos_find(const cr_model* m, const cr_real* stiffness, cri_servo* servo, int* n,
                          cr_error* error) {
  *n = 0;
  for (int i = 0; i < m->nactuator; i++) {
    const cr_real given = stiffness != NULL ? stiffness[i] : 0;
    if (!(given >= 0) || !isfinite(given)) {
      return cri_fail(error, CR_ERR_ARG, "stiffness %.9g of %s: 0 or more is expected",
                      (double)given, cri_label(m, CRI_OBJECT_actuator, i).text);
    }
    if (is_off(m, i)) {
      continue;
    }
    CR_TRY(check_servo(m, i, given > 0, error));
    const int joint = m->actuator_trnid[2 * (ptrdiff_t)i];
    servo[(*n)++] = (cri_servo){.actuator = i,
                                .ctrl = m->actuator_ctrladr[i],
                                .dof = m->jnt_dofadr[joint],
                                .qpos = m->jnt_qposadr[joint],
                                .stiffness = given};
  }
  return *n > 0 ? CR_OK
                : cri_fail(error, CR_ERR_ARG,
                           "quasi-dynamic steps need position servos: the model has no actuators");
}

typedef struct {
  cr_real gear, gain, b0, b1;
} law;

static law law_of(const cr_model* m, const cri_servo* s) {
  const ptrdiff_t i = s->actuator;
  return (law){m->actuator_gear[6 * (ptrdiff_t)m->actuator_outadr[i]], m->actuator_gainprm[10 * i],
               m->actuator_biasprm[10 * i], m->actuator_biasprm[10 * i + 1]};
}

static law law_tan(const cr_model* m, const cri_servo* s, const cr_model* par) {
  const int i = s->actuator;
  const cr_real* bias = cri_par_tan(par->actuator_biasprm, i, 10);
  return (law){cri_par_tan(par->actuator_gear, m->actuator_outadr[i], 6)[0],
               cri_par_tan(par->actuator_gainprm, i, 10)[0], bias[0], bias[1]};
}

cr_real cri_servo_stiffness(const cr_model* m, const cri_servo* s) {
  const law x = law_of(m, s);
  return s->stiffness > 0 ? s->stiffness : -x.b1 * x.gear * x.gear;
}

cr_real cri_servo_force(const cr_model* m, const cri_servo* s, const cr_real* qpos,
                        const cr_real* u) {
  const law x = law_of(m, s);
  const cr_real q = qpos[s->qpos], at = u[s->ctrl];
  return s->stiffness > 0 ? s->stiffness * (at - q)
                          : x.gear * (x.gain * at + x.b0 + x.b1 * x.gear * q);
}

cr_real cri_servo_gain(const cr_model* m, const cri_servo* s) {
  const law x = law_of(m, s);
  return s->stiffness > 0 ? s->stiffness : x.gear * x.gain;
}

cr_real cri_servo_stiffness_tan(const cr_model* m, const cri_servo* s, const cr_model* par) {
  const law x = law_of(m, s), t = law_tan(m, s, par);
  return s->stiffness > 0 ? 0 : -x.gear * (t.b1 * x.gear + 2 * x.b1 * t.gear);
}

cr_real cri_servo_force_tan(const cr_model* m, const cri_servo* s, const cr_model* par,
                            const cr_real* qpos, const cr_real* u) {
  const law x = law_of(m, s), t = law_tan(m, s, par);
  const cr_real q = qpos[s->qpos], at = u[s->ctrl];
  return s->stiffness > 0 ? 0
                          : t.gear * (x.gain * at + x.b0 + x.b1 * x.gear * q) +
                                x.gear * (t.gain * at + t.b0 + (t.b1 * x.gear + x.b1 * t.gear) * q);
}

// ---- what there may not be

static cr_status refuse(cr_error* error, const char* what) {
  return cri_fail(error, CR_ERR_UNSUPPORTED, "quasi-dynamic steps do not support %s", what);
}

static cr_status refuse_object(const cr_model* m, cri_object_kind kind, int id, const char* what,
                               cr_error* error) {
  return cri_fail(error, CR_ERR_UNSUPPORTED, "quasi-dynamic steps do not support %s of %s", what,
                  cri_label(m, kind, id).text);
}

static cr_status check_joints(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_frictionloss[i] != 0) {
      return refuse_object(m, CRI_OBJECT_joint, m->dof_jntid[i], "the friction loss", error);
    }
  }
  for (int i = 0; i < m->njnt; i++) {
    if (!cri_joint_spring_is_linear(m, i)) {
      return refuse_object(m, CRI_OBJECT_joint, i, "the nonlinear spring", error);
    }
  }
  return CR_OK;
}

cr_status cri_quasidynamic_supports(const cr_model* m, cr_error* error) {
  if (m->nv == 0) {
    return cri_fail(error, CR_ERR_ARG, "quasi-dynamic steps need a model with joints");
  }
  if (m->neq > 0) {
    return refuse_object(m, CRI_OBJECT_equality, 0, "the constraint", error);
  }
  if (m->ntendon > 0) {
    return refuse_object(m, CRI_OBJECT_tendon, 0, "the path", error);
  }
  if ((m->schedule != NULL && m->schedule->nadded > 0) || m->contacts != NULL) {
    return refuse(error, "stages and contact models that were added to the model");
  }
  if (*m->density != 0 || *m->viscosity != 0) {
    return refuse(error, "density and viscosity of a medium");
  }
  for (int i = 0; i < m->ngeom; i++) {
    if (m->geom_adhesion[i] != 0) {
      return refuse_object(m, CRI_OBJECT_geom, i, "the adhesion", error);
    }
  }
  return check_joints(m, error);
}
