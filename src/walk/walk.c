// SPDX-License-Identifier: Apache-2.0
#include "walk/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tools/hdf5.h"
#include "walk/space.h"

enum { TURN = 3 };  // of six numbers of a free joint
static const double row_time = 0.5;

typedef struct {
  const cr_walk* walk;
  const cr_legged* robot;
  cr_walker walker;
  cr_data* d;
  cr_random random;
  int nq, nv, nu, base_q, base_v;
  double h, before[3];  // velocity of the trunk one step ago
  int step, steps;
  long touched, paired;  // sums over steps: feet that touch; diagonal pairs that agree
  // sums over a row of the result
  double sum[CR_WALK_COLUMNS];
  int count;
  // what is recorded
  double *time, *qpos, *qvel, *ctrl;
} world;

// ---- what is measured

static double noise(world* w, double sd) {
  return w->walk->noise > 0 ? w->walk->noise * sd * (double)cr_random_normal(&w->random) : 0;
}

// which feet touch the ground, by the contacts of the step before
static void find_touches(const world* w, bool touches[CR_LEGS]) {
  memset(touches, 0, CR_LEGS * sizeof *touches);
  for (int i = 0; i < cr_contact_count(w->d); i++) {
    cr_contact contact;
    if (cr_contact_get(w->robot->m, w->d, i, &contact) != CR_OK || contact.force[0] <= 1) {
      continue;
    }
    for (int leg = 0; leg < CR_LEGS; leg++) {
      touches[leg] = touches[leg] || contact.geom[0] == w->robot->toe[leg] ||
                     contact.geom[1] == w->robot->toe[leg];
    }
  }
}

static void measure(world* w, cr_measured_body* to) {
  const cr_real* q = cr_data_view(w->robot->m, w->d, "qpos", NULL, NULL);
  const cr_real* v = cr_data_view(w->robot->m, w->d, "qvel", NULL, NULL);
  const cr_real* base = v + w->base_v;
  memcpy(to->quat, q + w->base_q + 3, sizeof to->quat);
  for (int k = 0; k < 3; k++) {
    to->turning[k] = base[TURN + k] + noise(w, 0.01);
    to->acceleration[k] = (w->step > 0 ? (base[k] - w->before[k]) / w->h : 0) + noise(w, 0.1);
    w->before[k] = base[k];
  }
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    to->q[k] = q[w->robot->qpos[k]] + noise(w, 0.001);
    to->v[k] = v[w->robot->dof[k]] + noise(w, 0.01);
  }
  find_touches(w, to->touches);
}

// ---- what comes of it

// velocity of the centre of mass in the frame of the heading, and tilt
static void judge(const world* w, double speed[3], double* height, double* tilt, double* turning) {
  const cr_real* q = cr_data_view(w->robot->m, w->d, "qpos", NULL, NULL);
  const cr_real* base = cr_data_view(w->robot->m, w->d, "qvel", NULL, NULL) + w->base_v;
  double R[9], rpy[3], swept[3], in_world[3];
  cri_rotation_of(q + w->base_q + 3, R);
  cri_roll_pitch_yaw(R, rpy);
  cri_cross(base + TURN, w->robot->middle, swept);
  cri_turn(R, swept, in_world);
  cri_add(base, in_world, 1, in_world);
  double c = cos(rpy[2]), s = sin(rpy[2]);
  speed[0] = c * in_world[0] + s * in_world[1];
  speed[1] = -s * in_world[0] + c * in_world[1];
  speed[2] = in_world[2];
  double up[3];
  cri_turn(R, w->robot->middle, up);
  *height = q[w->base_q + 2] + up[2];
  *tilt = fmax(fabs(rpy[0]), fabs(rpy[1]));
  cri_turn(R, base + TURN, in_world);
  *turning = in_world[2];
}

static bool add_row(world* w, const double wanted[3], const double* torque, cr_walk_end* end) {
  const cr_real* v = cr_data_view(w->robot->m, w->d, "qvel", NULL, NULL);
  double speed[3], height, tilt, turning, power = 0, off = 0;
  judge(w, speed, &height, &tilt, &turning);
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    power += fabs(torque[k] * v[w->robot->dof[k]]);
  }
  for (int k = 0; k < 2; k++) {
    off += (speed[k] - w->walker.view.velocity[k]) * (speed[k] - w->walker.view.velocity[k]);
  }
  const double now[CR_WALK_COLUMNS] = {0,         speed[0], speed[1], turning, wanted[0], wanted[1],
                                       wanted[2], height,   0,        power,   off};
  for (int k = 0; k < CR_WALK_COLUMNS; k++) {
    w->sum[k] += now[k];
  }
  w->sum[CR_WALK_TILT] = fmax(w->sum[CR_WALK_TILT], tilt);
  w->count++;
  bool fell = height < w->robot->height / 2 || tilt > 1;
  if (w->count >= (int)(row_time / w->h + 0.5) || fell) {
    double* row = end->row + (ptrdiff_t)CR_WALK_COLUMNS * end->rows++;
    for (int k = 0; k < CR_WALK_COLUMNS; k++) {
      row[k] = w->sum[k] / w->count;
    }
    row[CR_WALK_TIME] = (w->step + 1) * w->h;
    row[CR_WALK_TILT] = w->sum[CR_WALK_TILT];
    row[CR_WALK_ESTIMATE] = sqrt(row[CR_WALK_ESTIMATE]);
    memset(w->sum, 0, sizeof w->sum);
    w->count = 0;
  }
  if (fell) {
    end->fell = (w->step + 1) * w->h;
  }
  return fell;
}

// ---- steps

static void apply_shoves(const world* w, double time) {
  cr_real* applied = cr_data_view(w->robot->m, w->d, "xfrc_applied", NULL, NULL);
  cr_real* force = applied + (ptrdiff_t)6 * w->robot->trunk;
  memset(force, 0, 3 * sizeof *force);
  for (int i = 0; i < w->walk->nshove; i++) {
    const cr_shove* s = &w->walk->shove[i];
    if (time >= s->start && time < s->start + s->length) {
      cri_add(force, s->force, 1, force);
    }
  }
}

static void keep(const world* w, int row) {
  if (w->qpos == NULL) {
    return;
  }
  w->time[row] = row * w->h;
  memcpy(w->qpos + (ptrdiff_t)row * w->nq, cr_data_view(w->robot->m, w->d, "qpos", NULL, NULL),
         (size_t)w->nq * sizeof *w->qpos);
  memcpy(w->qvel + (ptrdiff_t)row * w->nv, cr_data_view(w->robot->m, w->d, "qvel", NULL, NULL),
         (size_t)w->nv * sizeof *w->qvel);
  if (row > 0) {
    memcpy(w->ctrl + (ptrdiff_t)(row - 1) * w->nu,
           cr_data_view(w->robot->m, w->d, "ctrl", NULL, NULL), (size_t)w->nu * sizeof *w->ctrl);
  }
}

static cr_status step_once(world* w, bool* fell, cr_walk_end* end, cr_error* error) {
  const cr_walk* walk = w->walk;
  cr_measured_body measured;
  double time = w->step * w->h, wanted[3], torque[CR_LEGGED_JOINTS];
  walk->wanted(walk->course, time, wanted);
  measure(w, &measured);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    w->touched += measured.touches[leg];
  }
  w->paired +=
      (measured.touches[0] == measured.touches[3]) + (measured.touches[1] == measured.touches[2]);
  CR_TRY(cri_walker_act(&w->walker, &measured, time, w->h, wanted, torque, error));
  cr_real* ctrl = cr_data_view(w->robot->m, w->d, "ctrl", NULL, NULL);
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    ctrl[w->robot->motor[k]] = torque[k];
  }
  apply_shoves(w, time);
  cr_status status = cr_step(w->robot->m, w->d);
  status = status == CR_OK ? cr_advance(w->robot->m, w->d) : status;
  if (status != CR_OK) {
    return cri_fail(error, status, "after %.3f s: %s", time, cr_data_error(w->d));
  }
  *fell = add_row(w, wanted, torque, end);
  keep(w, w->step + 1);
  return walk->watch != NULL ? walk->watch(walk->watcher, &w->walker, time, error) : CR_OK;
}

static cr_status make_room(world* w, cr_walk_end* end, cr_error* error) {
  size_t steps = (size_t)w->steps + 1;
  end->row = calloc(steps / (size_t)(row_time / w->h) + 2, CR_WALK_COLUMNS * sizeof *end->row);
  bool made = end->row != NULL;
  if (w->walk->record != NULL) {
    w->time = calloc(steps, sizeof *w->time);
    w->qpos = calloc(steps * (size_t)w->nq, sizeof *w->qpos);
    w->qvel = calloc(steps * (size_t)w->nv, sizeof *w->qvel);
    w->ctrl = calloc(steps * (size_t)w->nu, sizeof *w->ctrl);
    made = made && w->time != NULL && w->qpos != NULL && w->qvel != NULL && w->ctrl != NULL;
  }
  return made ? CR_OK
              : cri_fail(error, CR_ERR_MEMORY, "no memory for a motion of %d steps", w->steps);
}

static cr_status save(const world* w, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, w->walk->record, error));
  cr_status status = cri_h5_write(file, "time", w->time, w->step + 1, 0, error);
  status =
      status == CR_OK ? cri_h5_write(file, "qpos", w->qpos, w->step + 1, w->nq, error) : status;
  status =
      status == CR_OK ? cri_h5_write(file, "qvel", w->qvel, w->step + 1, w->nv, error) : status;
  status = status == CR_OK ? cri_h5_write(file, "ctrl", w->ctrl, w->step, w->nu, error) : status;
  status = status == CR_OK ? cri_h5_write_attribute(file, "/", "timestep", w->h, error) : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

static cr_status run(world* w, cr_walk_end* end, cr_error* error) {
  const cr_walk* walk = w->walk;
  bool fell = false;
  CR_TRY(make_room(w, end, error));
  CR_TRY(cr_data_create(&w->d, w->robot->m, error));
  CR_TRY(cri_legged_stand(w->robot, w->d, error));
  cri_walker_begin(&w->walker, w->robot, &walk->options, walk->decide, walk->context);
  keep(w, 0);
  for (w->step = 0; w->step < w->steps && !fell; w->step++) {
    if (walk->stop != NULL && w->step % 256 == 0 && walk->stop()) {
      return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
    }
    CR_TRY(step_once(w, &fell, end, error));
  }
  end->decisions = w->walker.decisions;
  end->duty = (double)w->touched / (CR_LEGS * (double)w->step);
  end->diagonal = (double)w->paired / (2 * (double)w->step);
  return walk->record != NULL ? save(w, error) : CR_OK;
}

cr_status cri_walk_run(const cr_walk* walk, cr_walk_end* end, cr_error* error) {
  const cr_model* m = walk->robot->m;
  *end = (cr_walk_end){.fell = (double)INFINITY};
  world w = {.walk = walk,
             .robot = walk->robot,
             .random = cr_random_seed(walk->seed, 0),
             .nq = cr_model_count(m, "nq"),
             .nv = cr_model_count(m, "nv"),
             .nu = cr_model_count(m, "nu"),
             .h = cr_model_timestep(m)};
  w.steps = (int)(walk->time / w.h + 0.5);
  w.base_q = walk->robot->base_q;
  w.base_v = walk->robot->base_v;
  cr_status status = run(&w, end, error);
  cr_data_destroy(w.d);
  free(w.time);
  free(w.qpos);
  free(w.qvel);
  free(w.ctrl);
  return status;
}

void cri_walk_free(cr_walk_end* end) {
  free(end->row);
  *end = (cr_walk_end){.rows = 0};
}
