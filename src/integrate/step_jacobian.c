// SPDX-License-Identifier: Apache-2.0
// The columns of the acceleration, then the integrator: one step's map, or the chain of
// Runge-Kutta stages.
#include "integrate/step_jacobian.h"

#include <stdlib.h>

#include "actuator/activation.h"
#include "engine/data_create.h"
#include "inertia/implicit_inertia.h"
#include "integrate/acceleration_jac.h"
#include "integrate/implicit.h"
#include "integrate/runge_kutta.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "model/misuse.h"
#include "model/state_vector.h"
#include "model/tableau.h"

enum { MOST_DOFS = 6 };  // of a joint

struct cr_jacobian {
  cri_acceleration_jac c;
  cr_data* plain;  // for Runge-Kutta, and for the integrator discrete with tendons
  const char* why;
  cr_real *move_q, *move_v;  // MOST_DOFS a dof: derivative of coordinates after the step by both
  cr_real *act_by_act, *act_by_rate;
  cr_real* stage_X;  // of every Runge-Kutta stage
  cri_actuator_jac* stage_slopes;
  int stages;  // for which there is room
  void* memory;
};

// ---- room

// a step by an explicit method; t is NULL with other integrators
static cri_rk method_of(const cr_model* m) {
  return (cri_rk){.t = cri_tableau_of(m->integrator), .h = m->timestep};
}

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

cr_status cr_jacobian_create(cr_jacobian** work, const cr_model* m, const cr_data* d,
                             cr_error* error) {
  const cri_call call = {"cr_jacobian_create", error};
  CR_TRY(cri_given(&call, work, "where the work goes"));
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  size_t v = (size_t)m->nv, ld = 3 * v + 2 * (size_t)m->nout + 8;
  size_t slopes = (size_t)m->nactuator * sizeof(cri_actuator_jac) / sizeof(cr_real);
  size_t curved = cri_curvatures_size(m), tendons = (size_t)m->ntendon;  // integers are no larger
  size_t n = 2 * v * ld + (size_t)m->nC + 2 * MOST_DOFS * v + 2 * (size_t)m->na + slopes;
  cri_rk rk = method_of(m);
  size_t stages = rk.t == NULL ? 0 : (size_t)cri_runge_kutta_stages(&rk);
  n += curved + tendons + 2 * (size_t)m->nactuator + stages * (v * ld + slopes);
  cr_jacobian* x = calloc(1, sizeof *x);
  cr_real* at = calloc(n + 1, sizeof *at);
  *work = x;
  if (x == NULL || at == NULL) {
    free(at);
    free(x);
    *work = NULL;
    return cri_fail(error, CR_ERR_MEMORY, "Jacobian: no memory for %zu numbers", n);
  }
  x->memory = at;
  x->stages = (int)stages;
  x->c.X = take(&at, v * ld);
  x->c.Z = take(&at, v * ld);
  x->c.L = take(&at, (size_t)m->nC);
  x->move_q = take(&at, MOST_DOFS * v);
  x->move_v = take(&at, MOST_DOFS * v);
  x->act_by_act = take(&at, (size_t)m->na);
  x->act_by_rate = take(&at, (size_t)m->na);
  x->c.slopes = (cri_actuator_jac*)(void*)take(&at, slopes);
  x->c.slope_by_act = take(&at, (size_t)m->nactuator);
  x->c.slope_by_ctrl = take(&at, (size_t)m->nactuator);
  x->stage_X = take(&at, stages * v * ld);
  x->stage_slopes = (cri_actuator_jac*)(void*)take(&at, stages * slopes);
  x->c.curvatures.numbers = take(&at, curved);
  x->c.curvatures.at = (int32_t*)(void*)take(&at, tendons);
  cr_status status = cri_data_twin(&x->c.tan, m, d, CR_DATA_TANGENT, cri_no_params, error);
  if (status == CR_OK && (rk.t != NULL || (cri_is_discrete(m) && m->ntendon > 0))) {
    cr_capacity capacity = cri_capacity_of(d);
    status = cri_data_create(&x->plain, m, &capacity, error);
  }
  if (status != CR_OK) {
    cr_jacobian_destroy(x);
    *work = NULL;
  }
  return status;
}

void cr_jacobian_destroy(cr_jacobian* work) {
  if (work != NULL) {
    cri_data_free(work->c.tan);
    cri_data_free(work->plain);
    free(work->memory);
    free(work);
  }
}

const char* cr_jacobian_fallback(const cr_jacobian* work) {
  return work != NULL ? work->why : NULL;
}

const char* cr_jacobian_error(const cr_jacobian* work) {
  return work != NULL ? work->c.tan->error.text : "no work";
}

// ---- the integrator's map

// one tangent for the k-th dof of every joint
static void seed_dofs(const cr_model* m, int k, cr_real* x) {
  for (int i = 0; i < m->nv; i++) {
    x[i] = i - m->jnt_dofadr[m->dof_jntid[i]] == k;
  }
}

static void integrator_map(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  cr_data* tan = work->c.tan;
  size_t mark = cri_mark(tan), v = (size_t)m->nv, a = (size_t)m->na;
  cr_real *seed = cri_push(tan, v), *none = cri_push(tan, v), *v_next = cri_push(tan, v);
  cr_real* moved = cri_push(tan, v);
  cr_zero(none, m->nv);
  for (int i = 0; i < m->nv; i++) {
    v_next[i] = d->qvel[i] + m->timestep * d->euler_qacc[i];
  }
  for (int k = 0; k < MOST_DOFS; k++) {
    seed_dofs(m, k, seed);
    cri_configuration_move_jvp(m, v_next, m->timestep, seed, none, moved);
    for (int i = 0; i < m->nv; i++) {
      work->move_q[MOST_DOFS * i + k] = moved[i];
    }
    cri_configuration_move_jvp(m, v_next, m->timestep, none, seed, moved);
    for (int i = 0; i < m->nv; i++) {
      work->move_v[MOST_DOFS * i + k] = moved[i];
    }
  }
  cr_real *one = cri_push(tan, a), *zero = cri_push(tan, a);
  cr_zero(zero, m->na);
  for (int i = 0; i < m->na; i++) {
    one[i] = 1;
  }
  cr_real* at_rest = cri_push(tan, (size_t)m->nout);
  cr_zero(at_rest, m->nout);
  cri_activity x = {d->act, d->act_dot, d->actuator_length, d->actuator_velocity};
  cri_activity by_act = {one, zero, NULL, at_rest}, by_rate = {zero, one, NULL, at_rest};
  cri_activation_advance_jvp(m, 0, &x, tan, &by_act, work->act_by_act);
  cri_activation_advance_jvp(m, 0, &x, tan, &by_rate, work->act_by_rate);
  cri_pop(tan, mark);
}

// y += s times row i of the columns first[n] of qvel_next
static void add_velocity(const cr_model* m, const cr_jacobian* work, int i, int first, int n,
                         cr_real s, cr_real* y) {
  const cr_real* x = work->c.X + (ptrdiff_t)i * work->c.ld;
  cr_runs columns = cri_block_columns(&work->c.blocks, work->c.blocks.of_dof[i]);
  for (int r = 0; r < columns.n; r++) {
    int begin = columns.run[r].begin > first ? columns.run[r].begin : first;
    int end = columns.run[r].end < first + n ? columns.run[r].end : first + n;
    for (int k = begin; k < end; k++) {
      y[k - first] += s * m->timestep * x[k];
    }
  }
}

// the same by activations, or controls
static void add_actuators(const cr_model* m, const cr_jacobian* work, int i, bool of_act, cr_real s,
                          cr_real* y) {
  const cr_real* x = work->c.X + (ptrdiff_t)i * work->c.ld + 2 * m->nv;
  CR_EACH(k, cri_block_actuators(&work->c.blocks, work->c.blocks.of_dof[i])) {
    const cri_actuator_jac* by = &work->c.slopes[k];
    int at = of_act ? m->actuator_actadr[k] : m->actuator_ctrladr[k];
    if (at >= 0) {
      int out = m->actuator_outadr[k];
      y[at] += s * m->timestep * (of_act ? by->by_act : by->by_ctrl) * x[out];
      if (cri_is_implicit(m)) {
        cr_real slope = (of_act ? work->c.slope_by_act : work->c.slope_by_ctrl)[k];
        y[at] += s * m->timestep * slope * x[m->nout + out];
      }
    }
  }
}

// the row of the results, cleared; NULL if it is not wanted
typedef struct {
  cr_real *x, *ctrl, *force;
} rows;

static rows row_of(const cr_model* m, cr_real* by_x, cr_real* by_ctrl, cr_real* by_force, int i) {
  int nx = cri_state_tangent_size(m);
  rows r = {by_x == NULL ? NULL : by_x + (ptrdiff_t)i * nx,
            by_ctrl == NULL ? NULL : by_ctrl + (ptrdiff_t)i * m->nu,
            by_force == NULL ? NULL : by_force + (ptrdiff_t)i * m->nv};
  cr_zero(r.x, r.x == NULL ? 0 : nx);
  cr_zero(r.ctrl, r.ctrl == NULL ? 0 : m->nu);
  cr_zero(r.force, r.force == NULL ? 0 : m->nv);
  return r;
}

// s times d qvel_next of dof i
static void add_row(const cr_model* m, const cr_jacobian* work, int i, cr_real s, rows r) {
  if (r.x != NULL) {
    add_velocity(m, work, i, 0, 2 * m->nv, s, r.x);
    add_actuators(m, work, i, true, s, r.x + 2 * m->nv);
    r.x[m->nv + i] += s;
  }
  if (r.ctrl != NULL) {
    add_actuators(m, work, i, false, s, r.ctrl);
  }
  if (r.force != NULL) {
    add_velocity(m, work, i, cri_acceleration_applied(m), m->nv, s, r.force);
  }
}

static void write_results(const cr_model* m, const cr_jacobian* work, cr_real* by_x,
                          cr_real* by_ctrl, cr_real* by_force) {
  for (int i = 0; i < m->nv; i++) {
    add_row(m, work, i, 1, row_of(m, by_x, by_ctrl, by_force, m->nv + i));
    rows r = row_of(m, by_x, by_ctrl, by_force, i);
    for (int k = 0; k < MOST_DOFS; k++) {
      cr_real by_q = work->move_q[MOST_DOFS * i + k], by_v = work->move_v[MOST_DOFS * i + k];
      int dof = m->jnt_dofadr[m->dof_jntid[i]] + k;
      if (by_v != 0) {
        add_row(m, work, dof, by_v, r);
      }
      if (by_q != 0 && r.x != NULL) {
        r.x[dof] += by_q;
      }
    }
  }
  for (int i = 0; i < m->na; i++) {
    rows r = row_of(m, by_x, by_ctrl, by_force, 2 * m->nv + i);
    if (r.x != NULL) {
      r.x[2 * m->nv + i] = work->act_by_act[i];
    }
  }
  for (int k = 0; k < m->nactuator; k++) {
    int a = m->actuator_actadr[k], u = m->actuator_ctrladr[k], row = 2 * m->nv + a;
    if (a >= 0 && by_x != NULL) {
      by_x[row * cri_state_tangent_size(m) + row] +=
          work->act_by_rate[a] * work->c.slopes[k].rate_by_act;
    }
    if (a >= 0 && by_ctrl != NULL) {
      by_ctrl[row * m->nu + u] = work->act_by_rate[a] * work->c.slopes[k].rate_by_ctrl;
    }
  }
}

// ---- Runge-Kutta: the stages' Jacobians once, then their chain column by column

typedef struct {
  const cr_model* m;
  const cr_jacobian* work;
} stage_context;

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static cr_status stage_tangent(void* context, int i, cr_data* tan) {
  const cr_model* m = ((const stage_context*)context)->m;
  const cr_jacobian* work = ((const stage_context*)context)->work;
  const cr_real* X = work->stage_X + (size_t)i * (size_t)m->nv * (size_t)work->c.ld;
  const cri_actuator_jac* slopes = work->stage_slopes + (ptrdiff_t)i * m->nactuator;
  size_t mark = cri_mark(tan);
  cr_real* force = cri_push(tan, (size_t)m->nout);
  cr_zero(tan->actuator_velocity, m->nout);  // no activation with columns uses it
  for (int k = 0; k < m->nactuator; k++) {
    int a = m->actuator_actadr[k];
    cr_real u = tan->ctrl[m->actuator_ctrladr[k]], w = a < 0 ? 0 : tan->act[a];
    force[m->actuator_outadr[k]] = slopes[k].by_act * w + slopes[k].by_ctrl * u;
    if (a >= 0) {
      tan->act_dot[a] = slopes[k].rate_by_act * w + slopes[k].rate_by_ctrl * u;
    }
  }
  for (int j = 0; j < m->nv; j++) {
    const cr_real* x = X + (ptrdiff_t)j * work->c.ld;
    tan->qacc[j] =
        dot(x, tan->qpos, m->nv) + dot(x + m->nv, tan->qvel, m->nv) +
        dot(x + 2 * m->nv, force, m->nout) +
        (work->c.with_forces ? dot(x + cri_acceleration_applied(m), tan->qfrc_applied, m->nv) : 0);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// false if a stage has a feature without columns, or failed
static bool stage_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                          cr_status* status) {
  cri_rk rk = method_of(m);
  for (int i = 0; i < cri_runge_kutta_stages(&rk); i++) {
    *status = cri_runge_kutta_stage(&rk, m, d, i, work->plain, &work->c.tan->error);
    work->why = *status == CR_OK ? cri_acceleration_why(m, work->plain) : NULL;
    if (*status != CR_OK || work->why != NULL) {
      return false;
    }
    *status = cri_acceleration_jac_set(m, work->plain, &work->c);
    if (*status != CR_OK) {
      return false;
    }
    size_t size = (size_t)m->nv * (size_t)work->c.ld;
    cr_copy(work->stage_X + (size_t)i * size, work->c.X, (int)size);
    memcpy(work->stage_slopes + (ptrdiff_t)i * m->nactuator, work->c.slopes,
           (size_t)m->nactuator * sizeof *work->c.slopes);
  }
  return true;
}

// ---- column by column

// the tangent of the step under the seeds in work->c.tan
typedef cr_status tangent_of(const cr_model* m, const cr_data* d, cr_jacobian* work);

static cr_status step_tangent(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  return cri_step_jvp(m, d, work->plain, work->c.tan);
}

static cr_status chain_tangent(const cr_model* m, const cr_data* d, cr_jacobian* work) {
  cri_rk rk = method_of(m);
  stage_context context = {m, work};
  return cri_runge_kutta_jvp_with(&rk, m, d, work->c.tan, stage_tangent, &context);
}

void cri_jacobian_put_column(const cr_model* m, const cr_data* tan, cr_real* to, int width) {
  const cri_state next = cri_state_twin_next(m, tan);
  for (int k = 0; k < CRI_N_STATE; k++) {
    for (int i = 0; i < next.part[k].n; i++, to += width) {
      *to = next.part[k].x[i];
    }
  }
}

// columns first, first + 1, ... under unit tangents of seed[n]
static cr_status columns_under(const cr_model* m, const cr_data* d, cr_jacobian* work,
                               tangent_of* tangent, cr_real* seed, int n, cr_real* to, int width,
                               int first) {
  for (int k = 0; k < n && to != NULL; k++) {
    seed[k] = 1;
    cr_status status = tangent(m, d, work);
    seed[k] = 0;
    CR_TRY(status);
    cri_jacobian_put_column(m, work->c.tan, to + first + k, width);
  }
  return CR_OK;
}

static cr_status all_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                             tangent_of* tangent, cr_real* by_x, cr_real* by_ctrl,
                             cr_real* by_force) {
  cr_data* tan = work->c.tan;
  const cri_state s = cri_state_twin(m, tan);
  int nx = cri_state_tangent_size(m), first = 0;
  cri_acceleration_clear(m, tan);
  for (int k = 0; k < CRI_N_STATE; k++) {
    CR_TRY(columns_under(m, d, work, tangent, s.part[k].x, s.part[k].n, by_x, nx, first));
    first += s.part[k].n;
  }
  CR_TRY(columns_under(m, d, work, tangent, tan->ctrl, m->nu, by_ctrl, m->nu, 0));
  return columns_under(m, d, work, tangent, tan->qfrc_applied, m->nv, by_force, m->nv, 0);
}

cr_status cri_step_jacobian_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                    cr_real* by_x, cr_real* by_ctrl, cr_real* by_force) {
  return all_columns(m, d, work, step_tangent, by_x, by_ctrl, by_force);
}

// ---- the Jacobian

static cr_status all_at_once(const cr_model* m, const cr_data* d, cr_jacobian* work, cr_real* by_x,
                             cr_real* by_ctrl, cr_real* by_force) {
  CR_TRY(cri_acceleration_jac_set(m, d, &work->c));
  CR_TRY(cri_acceleration_jac_implicit(m, d, &work->c));
  integrator_map(m, d, work);
  write_results(m, work, by_x, by_ctrl, by_force);
  return CR_OK;
}

static cr_status through_stages(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                cr_real* by_x, cr_real* by_ctrl, cr_real* by_force) {
  cr_status status = CR_OK;
  bool direct = stage_columns(m, d, work, &status);
  work->plain->stage = 0;
  CR_TRY(status);
  return all_columns(m, d, work, direct ? chain_tangent : step_tangent, by_x, by_ctrl, by_force);
}

static cr_status check(const cr_model* m, const cr_data* d, const cr_jacobian* work) {
  const cri_call call = {"cr_step_jacobian", cri_error_of(work != NULL ? work->c.tan : d)};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_STEP));
  CR_TRY(cri_check_twin(&call, m, d, work->c.tan, CR_DATA_TANGENT, "work"));
  cri_rk rk = method_of(m);
  if (rk.t != NULL && work->stages < cri_runge_kutta_stages(&rk)) {
    return cri_fail(call.error, CR_ERR_ARG,
                    "cr_step_jacobian: work was made for another integrator; make it again");
  }
  return CR_OK;
}

cr_status cr_step_jacobian(const cr_model* m, const cr_data* d, cr_jacobian* work, cr_real* by_x,
                           cr_real* by_ctrl, cr_real* by_force) {
  CR_TRY(check(m, d, work));
  work->why = cri_acceleration_why(m, d);
  if (work->why != NULL) {
    return cri_step_jacobian_columns(m, d, work, by_x, by_ctrl, by_force);
  }
  int n = cri_acceleration_applied(m) + (by_force == NULL ? 0 : m->nv);
  work->c.ld = (n + CR_COLUMN_GROUP - 1) / CR_COLUMN_GROUP * CR_COLUMN_GROUP;
  work->c.with_forces = by_force != NULL;
  bool stages = method_of(m).t != NULL;
  size_t mark = cri_mark(work->c.tan);
  cri_acceleration_blocks(m, d, &work->c, stages);
  cr_status status = (stages ? through_stages : all_at_once)(m, d, work, by_x, by_ctrl, by_force);
  cri_pop(work->c.tan, mark);
  return status == CR_OK ? cri_room_check(work->c.tan, "Jacobian") : status;
}
