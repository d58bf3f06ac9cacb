// SPDX-License-Identifier: Apache-2.0
// Quasi-dynamic steps: the problem of a step from the stages of a model, and its solution. derivation: docs/derivations/quasidynamic.md
#include <stdlib.h>

#include "engine/data_create.h"
#include "engine/driver.h"
#include "kinematics/configuration.h"
#include "model/misuse.h"
#include "quasidynamic/grasp.h"
#include "quasidynamic/quasidynamic_work.h"

static const char* const STAGES[] = {"kinematics", "com",     "collision", "mixing",
                                     "constraint", "inertia", "passive",   "bias"};
static const cr_real ALL_LIMITS = CR_R(1e6);  // margin of joints with which all limits have rows

// ---- making it

static cr_status check_number(const char* name, cr_real x, cr_error* error) {
  return isfinite(x) && x >= 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "quasi-dynamic steps: %s is %.9g: 0 or more is expected",
                        name, (double)x);
}

static cr_status set_options(cr_quasidynamic* x, const cr_quasidynamic_options* given,
                             cr_error* error) {
  const cri_call call = {"cr_quasidynamic_create", error};
  cr_quasidynamic_options* o = &x->options;
  if (given != NULL) {
    CR_TRY(cri_check_size(&call, given->size, sizeof *given, "cr_quasidynamic_options"));
    *o = *given;
  }
  CR_TRY(check_number("step", o->step, error));
  CR_TRY(check_number("weight", o->weight, error));
  CR_TRY(check_number("reach", o->reach, error));
  CR_TRY(check_number("scale", o->scale, error));
  if ((int)o->friction < CR_FRICTION_PYRAMID || (int)o->friction > CR_FRICTION_CONE ||
      (int)o->inertia < CR_INERTIA_WHOLE || (int)o->inertia > CR_INERTIA_NONE) {
    return cri_fail(error, CR_ERR_ARG, "quasi-dynamic steps: unknown friction %d or inertia %d",
                    (int)o->friction, (int)o->inertia);
  }
  o->step = o->step > 0 ? o->step : CR_R(0.1);
  o->reach = o->reach > 0 ? o->reach : CR_R(0.1);
  o->scale = o->scale > 0 ? o->scale : 10;
  return CR_OK;
}

static cr_status copy_model(cr_quasidynamic* x, const cr_model* from, cr_error* error) {
  cr_model* m = &x->m;
  CR_TRY(cri_quasidynamic_supports(from, error));
  if (cri_model_copy(m, from, error) != CR_OK) {
    m->memory = NULL;
    return CR_ERR_MEMORY;
  }
  m->cone = x->options.friction == CR_FRICTION_CONE ? CR_CONE_ELLIPTIC : CR_CONE_PYRAMIDAL;
  m->contact_model = CR_CONTACT_CONVEX;
  m->integrator = CR_INT_EULER;
  m->cfd = 1;
  m->cfd_wc = x->options.reach;
  cr_zero(m->geom_cfd, m->ngeom);
  cr_zero(m->pair_cfd, m->npair);
  return CR_OK;
}

static cr_status make_room(cr_quasidynamic* x, cr_error* error) {
  cr_model* m = &x->m;
  CR_TRY(cri_data_create(&x->d, m, NULL, error));
  CR_TRY(cri_data_twin(&x->tan, m, x->d, CR_DATA_TANGENT, cri_no_params, error));
  const size_t v = (size_t)m->nv, r = (size_t)x->d->nefc_max + 1, u = (size_t)m->nu;
  const size_t j = (size_t)m->njnt, a = (size_t)m->nactuator + 1;
  CR_TRY(cri_cone_create(&x->cone, m->nv, x->d->nefc_max, error));
  x->memory = calloc(1, (j + 4 * r + 3 * v + u) * sizeof(cr_real) + r * sizeof(cri_cone_row) +
                            a * sizeof(cri_servo) + v + 2 * CR_MAX_STAGES);
  if (x->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasi-dynamic steps: no memory");
  }
  x->margin = x->memory;
  x->force = x->margin + j;
  x->rate = x->force + r;
  x->work = x->rate + r;
  x->sigma = x->work + r;
  x->rho = x->sigma + r;
  x->dx = x->rho + v;
  x->column = x->dx + v;
  x->u = x->column + v;
  x->servo = (cri_servo*)(void*)(x->u + u);
  x->row = (cri_cone_row*)(void*)(x->servo + a);
  x->has_servo = (bool*)(void*)(x->row + r);
  x->stages = x->has_servo + v;
  x->moved = x->stages + CR_MAX_STAGES;
  return CR_OK;
}

static void choose_stages(cr_quasidynamic* x) {
  const cri_schedule* s = x->schedule = cri_schedule_of(&x->m);
  for (int i = 0; i < s->n; i++) {
    for (size_t k = 0; k < sizeof STAGES / sizeof STAGES[0]; k++) {
      if (strcmp(s->row[i].name, STAGES[k]) == 0) {
        x->stages[i] = true;
        x->moved[i] = strcmp(STAGES[k], "mixing") != 0;
        x->nstage = i + 1;
      }
    }
  }
}

static cr_status make(cr_quasidynamic* x, const cr_model* m, const cr_quasidynamic_options* options,
                      cr_error* error) {
  CR_TRY(set_options(x, options, error));
  CR_TRY(copy_model(x, m, error));
  CR_TRY(make_room(x, error));
  CR_TRY(cri_servos_find(&x->m, x->options.stiffness, x->servo, &x->nservo, error));
  x->options.stiffness = NULL;  // the caller's array is read once
  for (int i = 0; i < x->nservo; i++) {
    x->has_servo[x->servo[i].dof] = true;
  }
  for (int i = 0; i < m->njnt; i++) {
    x->margin[i] = m->jnt_margin[i];
    x->m.jnt_margin[i] = ALL_LIMITS;
  }
  choose_stages(x);
  x->d->want_M = true;
  x->cone.nv = m->nv;
  x->cone.weight = x->options.weight;
  return CR_OK;
}

cr_status cr_quasidynamic_create(cr_quasidynamic** work, const cr_model* m,
                                 const cr_quasidynamic_options* options, cr_error* error) {
  const cri_call call = {"cr_quasidynamic_create", error};
  CR_TRY(cri_given(&call, work, "where the steps go"));
  CR_TRY(cri_given(&call, m, "the model"));
  cr_quasidynamic* x = calloc(1, sizeof *x);
  *work = NULL;
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasi-dynamic steps: no memory");
  }
  const cr_status status = make(x, m, options, error);
  if (status != CR_OK) {
    cr_quasidynamic_destroy(x);
    return status;
  }
  *work = x;
  return CR_OK;
}

void cr_quasidynamic_destroy(cr_quasidynamic* work) {
  if (work != NULL) {
    cri_data_free(work->d);
    cri_data_free(work->tan);
    cri_data_free(work->par_tan);
    cri_cone_free(&work->cone);
    if (work->m.memory != NULL) {
      cri_model_free(&work->m);
    }
    free(work->place);
    free(work->memory);
    free(work);
  }
}

const char* cr_quasidynamic_error(const cr_quasidynamic* work) {
  return work != NULL ? work->error.text : "no quasi-dynamic steps";
}

// ---- the problem

cr_real cri_quasidynamic_inertia(const cr_quasidynamic* x, const cr_data* tan,
                                 cr_real* factor_tan) {
  const cr_model* m = &x->m;
  if (x->options.inertia != CR_INERTIA_SCALED) {
    if (factor_tan != NULL) {
      *factor_tan = 0;
    }
    return x->options.inertia == CR_INERTIA_NONE ? 0 : 1 / (x->options.step * x->options.step);
  }
  int heaviest = -1;
  cr_real most = 0;
  for (int i = 0; i < m->nv; i++) {
    const int k = m->M_rowadr[i] + m->M_rownnz[i] - 1;
    if (!x->has_servo[i] && x->d->M[k] > most) {
      most = x->d->M[k];
      heaviest = k;
    }
  }
  const cri_servo* softest = &x->servo[0];
  for (int i = 1; i < x->nservo; i++) {
    if (cri_servo_stiffness(m, &x->servo[i]) < cri_servo_stiffness(m, softest)) {
      softest = &x->servo[i];
    }
  }
  const cr_real Kp = cri_servo_stiffness(m, softest);
  const cr_real factor = heaviest >= 0 ? Kp / (x->options.scale * most) : 0;
  if (factor_tan != NULL) {
    *factor_tan = heaviest < 0 ? 0
                               : factor * (cri_servo_stiffness_tan(m, softest, &tan->par) / Kp -
                                           tan->M[heaviest] / most);
  }
  return factor;
}

// [quasidynamic.s2] Q and tau
static void set_energy(cr_quasidynamic* x, const cr_real* qpos, const cr_real* u) {
  const cr_model* m = &x->m;
  const cr_data* d = x->d;
  cri_cone* c = &x->cone;
  const ptrdiff_t n = m->nv;
  cr_zero(c->Q, m->nv * m->nv);
  x->inertia = cri_quasidynamic_inertia(x, NULL, NULL);
  for (int i = 0; i < n; i++) {
    c->b[i] = d->qfrc_passive[i] - d->qfrc_bias[i];
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      const int j = m->M_colind[k];
      if (!x->has_servo[i] && !x->has_servo[j]) {
        c->Q[i * n + j] = c->Q[j * n + i] = x->inertia * d->M[k];
      }
    }
    const bool springs = (m->disableflags & CR_DSBL_SPRING) == 0;
    c->Q[i * n + i] += springs ? m->jnt_stiffness[m->dof_jntid[i]] : 0;
  }
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    c->Q[s->dof * n + s->dof] += cri_servo_stiffness(m, s);
    c->b[s->dof] += cri_servo_force(m, s, qpos, u);
  }
}

static cr_status check_input(cr_quasidynamic* x, const cr_real* qpos, const cr_real* u) {
  const cr_model* m = &x->m;
  for (int i = 0; i < m->nq; i++) {
    if (!isfinite(qpos[i])) {
      return cri_fail(&x->error, CR_ERR_NONFINITE, "quasi-dynamic step: qpos[%d] is not finite", i);
    }
  }
  for (int i = 0; i < m->nu; i++) {
    const cr_real* range = m->actuator_ctrlrange + 2 * (ptrdiff_t)i;
    if (!isfinite(u[i])) {
      return cri_fail(&x->error, CR_ERR_NONFINITE, "quasi-dynamic step: u[%d] is not finite", i);
    }
    if (!x->any_setpoint && m->actuator_ctrllimited[i] != 0 &&
        (u[i] < range[0] || u[i] > range[1])) {
      return cri_fail(&x->error, CR_ERR_ARG,
                      "quasi-dynamic step: u[%d] is %.9g, outside its ctrlrange %.9g to %.9g", i,
                      (double)u[i], (double)range[0], (double)range[1]);
    }
  }
  return CR_OK;
}

static cr_status not_solved(cr_quasidynamic* x, cri_cone_answer answer) {
  const cri_cone* c = &x->cone;
  char text[256];
  if (answer == CRI_CONE_NOT_CONVEX) {
    return cri_fail(
        &x->error, CR_ERR_SINGULAR,
        "quasi-dynamic step: nothing resists dof %d, of %s; give it inertia, a spring or a servo",
        c->culprit, cri_label(&x->m, CRI_OBJECT_joint, x->m.dof_jntid[c->culprit]).text);
  }
  if (answer == CRI_CONE_INFEASIBLE) {
    cri_cones_label(&x->m, x->d, c, x->row, c->culprit, text, sizeof text);
    return cri_fail(
        &x->error, CR_ERR_SOLVER,
        "quasi-dynamic step: found no displacement that separates all contacts, %s among them",
        text);
  }
  return cri_fail(&x->error, CR_ERR_SOLVER,
                  "quasi-dynamic step: residual %.3g after %d iterations, above 1e-9",
                  (double)c->residual, c->iterations);
}

cr_status cr_quasidynamic_step(cr_quasidynamic* work, const cr_real* qpos, const cr_real* u,
                               cr_real* next) {
  const cri_call call = {"cr_quasidynamic_step", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_given(&call, qpos, "qpos"));
  CR_TRY(cri_given(&call, u, "u"));
  CR_TRY(cri_given(&call, next, "next"));
  cr_quasidynamic* x = work;
  const cr_model* m = &x->m;
  x->stepped = x->linear = false;
  CR_TRY(check_input(x, qpos, u));
  const cri_rows rows = {.end = x->nstage, .only = x->stages};
  cr_copy(x->d->qpos, qpos, m->nq);
  cr_copy(x->u, u, m->nu);
  const cr_status status = cri_drive(x->schedule, CRI_FORWARD, &rows, m, NULL, x->d);
  if (status != CR_OK) {
    x->error = x->d->error;
    return status;
  }
  set_energy(x, x->d->qpos, x->u);
  cri_cones_set(m, x->d, x->margin, &x->cone, x->row);
  const cri_cone_answer answer = cri_cone_solve(&x->cone);
  if (answer != CRI_CONE_SOLVED) {
    return not_solved(x, answer);
  }
  cri_cones_force(x->d, &x->cone, x->row, x->force);
  cri_configuration_move(m, x->d->qpos, x->cone.x, 1, next);
  x->stepped = true;
  return CR_OK;
}

// ---- what a step leaves

const cr_real* cr_quasidynamic_displacement(const cr_quasidynamic* work) {
  return work != NULL && work->stepped ? work->cone.x : NULL;
}

cr_real cr_quasidynamic_residual(const cr_quasidynamic* work) {
  return work != NULL ? work->cone.residual : 0;
}

int cr_quasidynamic_contacts(const cr_quasidynamic* work) {
  return work != NULL && work->stepped ? work->d->ncon : 0;
}

static void set_force(const cr_quasidynamic* x, int i, cr_real force[6]) {
  const cr_data* d = x->d;
  const int first = d->contact_efc_address[i], dim = d->contact_dim[i];
  if (first < 0) {
    return;
  }
  const cr_real *f = x->force + first, *mu = d->contact_friction + 5 * (ptrdiff_t)i;
  if (d->efc_type[first] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    cr_copy(force, f, dim);
    return;
  }
  for (int k = 1; k < dim; k++) {
    force[0] += f[2 * k - 2] + f[2 * k - 1];
    force[k] = mu[k - 1] * (f[2 * k - 2] - f[2 * k - 1]);
  }
}

cr_status cr_quasidynamic_get_contact(const cr_quasidynamic* work, int i,
                                      cr_quasidynamic_contact* contact, cr_error* error) {
  const cri_call call = {"cr_quasidynamic_get_contact", error};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_given(&call, contact, "contact"));
  if (i < 0 || i >= cr_quasidynamic_contacts(work)) {
    return cri_fail(error, CR_ERR_ARG, "contact %d: there are %d", i,
                    cr_quasidynamic_contacts(work));
  }
  const cr_data* d = work->d;
  cr_quasidynamic_contact r = {.size = sizeof r};
  r.geom[0] = d->contact_geom[2 * i];
  r.geom[1] = d->contact_geom[2 * i + 1];
  r.distance = d->contact_dist[i] - d->contact_includemargin[i];
  cr_copy(r.position, d->contact_pos + 3 * (ptrdiff_t)i, 3);
  cr_copy(r.frame, d->contact_frame + 9 * (ptrdiff_t)i, 9);
  set_force(work, i, r.force);
  return cri_give(&call, contact, &r, sizeof r, "cr_quasidynamic_contact");
}

cr_status cr_quasidynamic_hold(cr_quasidynamic* work, const cr_real* qpos, cr_real* u) {
  const cri_call call = {"cr_quasidynamic_hold", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_given(&call, qpos, "qpos"));
  CR_TRY(cri_given(&call, u, "u"));
  const cr_quasidynamic* x = work;
  cr_zero(u, x->m.nu);
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    const cr_real* range = x->m.actuator_ctrlrange + 2 * (ptrdiff_t)s->ctrl;
    u[s->ctrl] = cri_servo_hold(&x->m, s, qpos[s->qpos]);
    if (x->m.actuator_ctrllimited[s->ctrl] != 0) {
      u[s->ctrl] = cr_clip(u[s->ctrl], range[0], range[1]);
    }
  }
  return CR_OK;
}
