// SPDX-License-Identifier: Apache-2.0
#include "study/robot_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

const cr_robot_noise cri_robot_noise = {.tick = 6.283185307179586 / 16384,
                                        .encoder = 3.2e-4,
                                        .current = 0.1,
                                        .gyro = 0.01,
                                        .accelerometer = 0.1,
                                        .place = 1e-3,
                                        .turn = 2e-3,
                                        .delay = 0.005};

enum { EVERY_CURRENT = 4, EVERY_IMU = 2, EVERY_CAMERA = 5 };
static const double settle = 0.8;  // s before the first row

static void give(mjtNum* to, int n, const cr_model* m, const char* field) {
  const cr_real* from = cr_model_numbers(m, field, NULL, NULL);
  for (int i = 0; i < n && from != NULL; i++) {
    to[i] = (mjtNum)from[i];
  }
}

void cri_robot_give(mjModel* mj, mjData* d, const cr_model* hidden) {
  give(mj->body_mass, (int)mj->nbody, hidden, "body_mass");
  give(mj->body_ipos, 3 * (int)mj->nbody, hidden, "body_ipos");
  give(mj->body_iquat, 4 * (int)mj->nbody, hidden, "body_iquat");
  give(mj->body_inertia, 3 * (int)mj->nbody, hidden, "body_inertia");
  give(mj->dof_damping, (int)mj->nv, hidden, "dof_damping");
  give(mj->dof_frictionloss, (int)mj->nv, hidden, "dof_frictionloss");
  give(mj->dof_armature, (int)mj->nv, hidden, "dof_armature");
  give(mj->geom_friction, 3 * (int)mj->ngeom, hidden, "geom_friction");
  for (int i = 0; i < mj->nbody; i++) {
    mj->body_sameframe[i] = mjSAMEFRAME_NONE;
    mj->body_simple[i] = 0;
  }
  mj_setConst(mj, d);
}

// ---- recording

static cr_status allocate(cr_robot_recording* r, const mjModel* mj, cr_error* error) {
  size_t n = (size_t)r->rows, nj = (size_t)r->njoint;
  double* at = calloc(n * (3 * nj + 13) + (size_t)(mj->nq + mj->nv), sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "robot: no memory for a recording");
  }
  r->ctrl = at;
  r->encoder = r->ctrl + n * nj;
  r->current = r->encoder + n * nj;
  r->gyro = r->current + n * nj;
  r->accelerometer = r->gyro + 3 * n;
  r->place = r->accelerometer + 3 * n;
  r->quat = r->place + 3 * n;
  r->qpos = r->quat + 4 * n;
  r->qvel = r->qpos + mj->nq;
  return CR_OK;
}

void cri_robot_recording_free(cr_robot_recording* r) {
  free(r->ctrl);
  *r = (cr_robot_recording){0};
}

// what is there without noise; the IMU in time
static void take(cr_robot_recording* r, const mjModel* mj, const mjData* d, int row,
                 const double* qpos) {
  int nj = r->njoint, first = (int)mj->nq - nj;
  for (int i = 0; i < nj; i++) {
    r->ctrl[row * nj + i] = d->ctrl[i];
    r->encoder[row * nj + i] = qpos[first + i];
    r->current[row * nj + i] = d->actuator_force[i];
  }
  for (int i = 0; i < 3; i++) {
    r->gyro[3 * row + i] = d->sensordata[i];
    r->accelerometer[3 * row + i] = d->sensordata[3 + i];
    r->place[3 * row + i] = first > 0 ? qpos[i] : 0;
  }
  for (int i = 0; i < 4 && first > 0; i++) {
    r->quat[4 * row + i] = qpos[3 + i];
  }
}

// values of `delay` ago, on the line between two steps
static void late(double* values, int rows, int width, double steps) {
  int whole = (int)floor(steps);
  double share = steps - whole;
  for (int k = rows - 1; k >= 0; k--) {
    int now = k - whole > 0 ? k - whole : 0, before = now > 0 ? now - 1 : 0;
    for (int i = 0; i < width; i++) {
      values[k * width + i] =
          (1 - share) * values[now * width + i] + share * values[before * width + i];
    }
  }
}

static void disturb(double* values, int n, double noise, cr_random* random) {
  for (int i = 0; i < n; i++) {
    values[i] += noise * (double)cr_random_normal(random);
  }
}

static void disturb_all(cr_robot_recording* r, double h, int number) {
  const cr_robot_noise* s = &cri_robot_noise;
  cr_random random = cr_random_seed(31, (uint64_t)number);
  double white = sqrt(s->encoder * s->encoder - s->tick * s->tick / 12);
  late(r->gyro, r->rows, 3, s->delay / h);
  late(r->accelerometer, r->rows, 3, s->delay / h);
  disturb(r->encoder, r->rows * r->njoint, white, &random);
  disturb(r->current, r->rows * r->njoint, s->current, &random);
  disturb(r->gyro, 3 * r->rows, s->gyro, &random);
  disturb(r->accelerometer, 3 * r->rows, s->accelerometer, &random);
  disturb(r->place, 3 * r->rows, s->place, &random);
  for (int i = 0; i < r->rows * r->njoint; i++) {
    r->encoder[i] = s->tick * round(r->encoder[i] / s->tick);
  }
  for (int k = 0; k < r->rows; k++) {
    double turn[3] = {0};
    disturb(turn, 3, s->turn, &random);
    if (r->quat[4 * k] != 0) {
      mju_quatIntegrate(r->quat + 4 * (ptrdiff_t)k, turn, 1);
    }
  }
}

cr_status cri_robot_record(cr_robot_recording* r, const mjModel* mj, mjData* d, cr_robot_kind kind,
                           int number, int rows, cr_error* error) {
  double h = mj->opt.timestep, qpos[64];
  int before = (int)(settle / h);
  *r = (cr_robot_recording){.rows = rows, .njoint = (int)mj->nu};
  CR_TRY(allocate(r, mj, error));
  mj_resetData(mj, d);
  cri_robot_targets(kind, number, -before * h, d->ctrl);
  for (int i = 0; i < mj->nu; i++) {
    d->qpos[mj->nq - mj->nu + i] = d->ctrl[i];
  }
  for (int k = -before; k < rows; k++) {
    cri_robot_targets(kind, number, k * h, d->ctrl);
    memcpy(qpos, d->qpos, sizeof *qpos * (size_t)mj->nq);
    if (k == 0) {
      memcpy(r->qpos, d->qpos, sizeof *qpos * (size_t)mj->nq);
      memcpy(r->qvel, d->qvel, sizeof *qpos * (size_t)mj->nv);
    }
    mj_step(mj, d);
    if (k >= 0) {
      take(r, mj, d, k, qpos);
    }
  }
  disturb_all(r, h, number);
  return CR_OK;
}

// ---- as measurements

typedef struct {
  const cr_robot_recording* r;
  cr_measurements* ms;
  double h;
  cr_real *time, *values;
} adding;

static cr_status add(const adding* a, const char* place, const double* from, int stride, int width,
                     int every, double noise, double delay, cr_error* error) {
  int n = 0;
  for (int k = 0; k < a->r->rows; k += every, n++) {
    a->time[n] = (cr_real)(k * a->h);
    for (int i = 0; i < width; i++) {
      a->values[n * width + i] = (cr_real)from[k * stride + i];
    }
  }
  const cr_channel_info channel = {.size = sizeof channel,
                                   .place = place,
                                   .rows = n,
                                   .time = a->time,
                                   .values = a->values,
                                   .noise = (cr_real)noise,
                                   .delay = (cr_real)delay};
  return cr_measurements_add(a->ms, &channel, error);
}

static cr_status add_all(const adding* a, const cr_model* m, cr_error* error) {
  const cr_robot_recording* r = a->r;
  const cr_robot_noise* s = &cri_robot_noise;
  int nj = r->njoint, first = cr_model_id(m, "joint", "root") >= 0 ? 1 : 0;
  char place[128];
  CR_TRY(cr_measurements_begin(a->ms, "recording", 0, error));
  for (int i = 0; i < nj; i++) {
    const char *servo = cr_model_name(m, "actuator", i),
               *joint = cr_model_name(m, "joint", first + i);
    (void)snprintf(place, sizeof place, "ctrl[%s]", servo);
    CR_TRY(add(a, place, r->ctrl + i, nj, 1, 1, 0, 0, error));
    (void)snprintf(place, sizeof place, "qpos[%s]", joint);
    CR_TRY(add(a, place, r->encoder + i, nj, 1, 1, s->encoder, 0, error));
    (void)snprintf(place, sizeof place, "actuator_force[%s]", servo);
    CR_TRY(add(a, place, r->current + i, nj, 1, EVERY_CURRENT, s->current, 0, error));
  }
  CR_TRY(add(a, "sensordata[gyro]", r->gyro, 3, 3, EVERY_IMU, s->gyro, 0, error));
  CR_TRY(add(a, "sensordata[accelerometer]", r->accelerometer, 3, 3, EVERY_IMU, s->accelerometer, 0,
             error));
  if (first == 0) {
    return CR_OK;
  }
  CR_TRY(add(a, "xpos[trunk]", r->place, 3, 3, EVERY_CAMERA, s->place, 0, error));
  return add(a, "xquat[trunk]", r->quat, 4, 4, EVERY_CAMERA, s->turn, 0, error);
}

cr_status cri_robot_measurements(cr_measurements** ms, const cr_robot_recording* r,
                                 const cr_model* m, cr_error* error) {
  cr_real h;
  CR_TRY(cr_model_get_option(m, "timestep", &h, error));
  CR_TRY(cr_measurements_create(ms, m, error));
  adding a = {.r = r, .ms = *ms, .h = (double)h};
  a.time = calloc(5 * (size_t)r->rows, sizeof *a.time);
  a.values = a.time != NULL ? a.time + r->rows : NULL;
  cr_status status =
      a.time != NULL ? add_all(&a, m, error) : cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  free(a.time);
  return status;
}

// ---- as files

static void put_row(FILE* out, const double* x, int n, bool seen) {
  for (int i = 0; i < n; i++) {
    (void)(seen ? fprintf(out, ",%.17g", x[i]) : fprintf(out, ","));
  }
}

static void put_names(FILE* out, const cr_robot_recording* r, const cr_model* m, bool walks) {
  (void)fprintf(out, "time");
  for (int i = 0; i < r->njoint; i++) {
    (void)fprintf(out, ",ctrl[%s]", cr_model_name(m, "actuator", i));
  }
  for (int i = 0; i < r->njoint; i++) {
    (void)fprintf(out, ",qpos[%s]", cr_model_name(m, "joint", i + (walks ? 1 : 0)));
  }
  for (int i = 0; i < r->njoint; i++) {
    (void)fprintf(out, ",actuator_force[%s]", cr_model_name(m, "actuator", i));
  }
  for (int i = 0; i < 6; i++) {
    (void)fprintf(out, ",sensordata[%s][%d]", i < 3 ? "gyro" : "accelerometer", i % 3);
  }
  for (int i = 0; i < 7 && walks; i++) {
    (void)fprintf(out, ",%s[trunk][%d]", i < 3 ? "xpos" : "xquat", i < 3 ? i : i - 3);
  }
  (void)fprintf(out, "\n");
}

cr_status cri_robot_save(const cr_robot_recording* r, const cr_model* m, const char* folder,
                         cr_robot_kind kind, cr_error* error) {
  char file[64], path[CR_MAX_PATH];
  bool walks = kind == CR_ROBOT_QUADRUPED;
  int nj = r->njoint, nq = nj + (walks ? 7 : 0);
  cr_real h;
  CR_TRY(cr_model_get_option(m, "timestep", &h, error));
  (void)snprintf(file, sizeof file, "%s_0.csv", cri_robot_names[kind]);
  CR_TRY(cri_path_join(path, folder, file, error));
  FILE* out = fopen(path, "w");
  if (out == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
  }
  put_names(out, r, m, walks);
  for (int k = 0; k < r->rows; k++) {
    (void)fprintf(out, "%.17g", k * (double)h);
    put_row(out, r->ctrl + k * nj, nj, true);
    put_row(out, r->encoder + k * nj, nj, true);
    put_row(out, r->current + k * nj, nj, k % EVERY_CURRENT == 0);
    put_row(out, r->gyro + 3 * k, 3, k % EVERY_IMU == 0);
    put_row(out, r->accelerometer + 3 * k, 3, k % EVERY_IMU == 0);
    put_row(out, r->place + 3 * k, walks ? 3 : 0, k % EVERY_CAMERA == 0);
    put_row(out, r->quat + 4 * k, walks ? 4 : 0, k % EVERY_CAMERA == 0);
    (void)fprintf(out, "\n");
  }
  (void)fprintf(out, "# first state as it was, qpos and qvel");
  put_row(out, r->qpos, nq, true);
  put_row(out, r->qvel, nq - (walks ? 1 : 0), true);
  (void)fprintf(out, "\n");
  return fclose(out) == 0 ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: cannot be written", path);
}
