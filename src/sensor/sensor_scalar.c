// SPDX-License-Identifier: Apache-2.0
// Every such sensor is a short list of runs of numbers with a weight each. The list is the same for
// the data and its twins; only the block differs.
#include "sensor/sensor_scalar.h"

#include "model/sensors.h"

// weight times the numbers at `at`
typedef struct {
  cr_real* at;
  cr_real weight;
} run;

// first row of a limit, -1 none
static int limit_row(const cr_model* m, const cr_data* d, int i) {
  bool tendon = cri_sensor_info(m->sensor_type[i])->of == CR_OF_TENDON;
  int wanted = tendon ? CR_CNSTR_LIMIT_TENDON : CR_CNSTR_LIMIT_JOINT;
  for (int row = d->ne + d->nf; row < d->ne + d->nf + d->nl; row++) {
    if (d->efc_type[row] == wanted && d->efc_id[row] == m->sensor_objid[i]) {
      return row;
    }
  }
  return -1;
}

static bool on_tendon(const cr_model* m, int actuator, int tendon) {
  return m->actuator_trntype[actuator] == CR_TRN_TENDON &&
         m->actuator_trnid[2 * actuator] == tendon;
}

static bool of_limit(int type) {
  return type >= CR_SENS_JOINTLIMITPOS && type <= CR_SENS_TENDONLIMITFRC;
}

// the numbers of a sensor that is one run of a field, in block x
static cr_real* plain_run(const cr_model* m, const cr_data* x, int type, int id) {
  bool twin = x->role != CR_DATA_PLAIN;
  switch (type) {
    case CR_SENS_JOINTPOS:
      return x->qpos + (twin ? m->jnt_dofadr[id] : m->jnt_qposadr[id]);
    case CR_SENS_JOINTVEL:
    case CR_SENS_BALLANGVEL:
      return x->qvel + m->jnt_dofadr[id];
    case CR_SENS_TENDONPOS:
      return x->ten_length + id;
    case CR_SENS_TENDONVEL:
      return x->ten_velocity + id;
    case CR_SENS_ACTUATORPOS:
      return x->actuator_length + m->actuator_outadr[id];
    case CR_SENS_ACTUATORVEL:
      return x->actuator_velocity + m->actuator_outadr[id];
    case CR_SENS_ACTUATORFRC:
      return x->actuator_force + m->actuator_outadr[id];
    case CR_SENS_JOINTACTFRC:
      return x->qfrc_actuator + m->jnt_dofadr[id];
    case CR_SENS_SUBTREECOM:
      return x->subtree_com + 3 * id;
    case CR_SENS_SUBTREELINVEL:
      return x->subtree_linvel + 3 * id;
    case CR_SENS_SUBTREEANGMOM:
      return x->subtree_angmom + 3 * id;
    case CR_SENS_E_POTENTIAL:
      return x->energy;
    case CR_SENS_E_KINETIC:
      return x->energy + 1;
    default:
      return NULL;
  }
}

// [sensor.r2] of row `row`
static int limit_runs(const cr_data* x, int type, int row, run out[2]) {
  if (row < 0) {
    return 0;
  }
  if (type == CR_SENS_JOINTLIMITPOS || type == CR_SENS_TENDONLIMITPOS) {
    out[0] = (run){x->efc_pos + row, 1};
    out[1] = (run){x->efc_margin + row, -1};
    return 2;
  }
  bool velocity = type == CR_SENS_JOINTLIMITVEL || type == CR_SENS_TENDONLIMITVEL;
  out[0] = (run){(velocity ? x->efc_vel : x->efc_force) + row, 1};
  return 1;
}

// calls use(context, run) for each run of sensor i in block x
typedef void use_run(void* context, const run* r);

static void each_run(const cr_model* m, const cr_data* d, const cr_data* x, int i, use_run* use,
                     void* context) {
  int type = m->sensor_type[i], id = m->sensor_objid[i];
  if (type == CR_SENS_TENDONACTFRC) {
    for (int k = 0; k < m->nactuator; k++) {
      // [sensor.r1]
      if (on_tendon(m, k, id)) {
        use(context, &(run){x->actuator_force + m->actuator_outadr[k], 1});
      }
    }
  } else if (of_limit(type)) {
    run runs[2];
    for (int k = limit_runs(x, type, limit_row(m, d, i), runs) - 1; k >= 0; k--) {
      use(context, &runs[k]);
    }
  } else if (plain_run(m, x, type, id) != NULL) {
    use(context, &(run){plain_run(m, x, type, id), 1});
  }
}

bool cri_is_sensor_scalar(int type) {
  bool sized = (type >= CR_SENS_JOINTPOS && type <= CR_SENS_TENDONACTFRC) || of_limit(type) ||
               (type >= CR_SENS_SUBTREECOM && type <= CR_SENS_SUBTREEANGMOM);
  return sized || type == CR_SENS_BALLANGVEL || type == CR_SENS_E_POTENTIAL ||
         type == CR_SENS_E_KINETIC || type == CR_SENS_CLOCK;
}

// ---- uses of a run

typedef struct {
  cr_real* y;
  const cr_real* y_bar;
  int n;
} numbers;

static void take(void* context, const run* r) {
  numbers* s = context;
  for (int k = 0; k < s->n; k++) {
    s->y[k] += r->weight * r->at[k];
  }
}

static void give(void* context, const run* r) {
  numbers* s = context;
  for (int k = 0; k < s->n; k++) {
    r->at[k] += r->weight * s->y_bar[k];
  }
}

void cri_sensor_scalar(const cr_model* m, const cr_data* d, int i, cr_real* y) {
  numbers s = {.y = y, .n = m->sensor_dim[i]};
  cr_zero(y, s.n);
  each_run(m, d, d, i, take, &s);
  if (m->sensor_type[i] == CR_SENS_CLOCK) {
    y[0] = d->time;
  }
}

void cri_sensor_scalar_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                           cr_real* y_tan) {
  numbers s = {.y = y_tan, .n = m->sensor_dim[i]};
  cr_zero(y_tan, s.n);
  each_run(m, d, tan, i, take, &s);
}

void cri_sensor_scalar_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           const cr_real* y_bar) {
  numbers s = {.y_bar = y_bar, .n = m->sensor_dim[i]};
  each_run(m, d, bar, i, give, &s);
}
