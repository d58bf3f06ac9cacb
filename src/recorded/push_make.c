// SPDX-License-Identifier: Apache-2.0
// Made pushes.
#include "recorded/push_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "carom/carom.h"
#include "recorded/push_scene.h"
#include "tools/hdf5.h"

enum { SHAPES = 2, BODY_EVERY = 2, STREAM_PUSH = 1 << 22 };
static const double radius = 0.00475, path_length = 0.03;   // m
static const double rest = 0.05, ramp = 0.06;               // s: before and after; of the speed
static const double interval = 0.002;                       // s, of a tracked row of the finger
static const double place_noise = 5e-5, turn_noise = 1e-3;  // m, rad
static const cr_real drag = 15;                             // N s/m
static const double areal_density = 103.2;                  // kg/m^2

static const cr_push_shape shapes[SHAPES] = {
    {.name = "square",
     .surface = "made",
     .outline = {4, {{-0.045, -0.045}, {0.045, -0.045}, {0.045, 0.045}, {-0.045, 0.045}}}},
    {.name = "angle",
     .surface = "made",
     .outline = {6,
                 {{-0.05, -0.05},
                  {0.05, -0.05},
                  {0.05, -0.005},
                  {-0.005, -0.005},
                  {-0.005, 0.05},
                  {-0.05, 0.05}}}},
};

// mass, centroid and inertia of a plate
static void weigh(cr_push_shape* s) {
  double area = cri_outline_area(&s->outline), x = 0, y = 0, square = 0;
  for (int i = 0; i < s->outline.n; i++) {
    const double *p = s->outline.at[i], *q = s->outline.at[(i + 1) % s->outline.n];
    double cross = p[0] * q[1] - p[1] * q[0];
    x += cross * (p[0] + q[0]) / 6;
    y += cross * (p[1] + q[1]) / 6;
    square += cross *
              (p[0] * p[0] + p[0] * q[0] + q[0] * q[0] + p[1] * p[1] + p[1] * q[1] + q[1] * q[1]) /
              12;
  }
  s->centroid[0] = x / area;
  s->centroid[1] = y / area;
  s->mass = areal_density * area;
  s->inertia = areal_density * (square - (x * x + y * y) / area);
}

// ---- the reference

static cr_status load_feet(cr_model* m, const cr_push_shape* shape, cr_error* error) {
  double at[CR_PUSH_POINTS][2], sum = 0, square[CR_PUSH_POINTS];
  int n = cri_push_points(shape, at);
  for (int i = 0; i < n; i++) {
    square[i] = at[i][0] * at[i][0] + at[i][1] * at[i][1];
    sum += square[i];
  }
  for (int i = 0; i < n; i++) {
    // k depth^1.5 is the load; the mean stays what it was
    double load = 0.2 + 0.8 * square[i] * n / sum;
    char name[48];
    (void)snprintf(name, sizeof name, "geom_pos[foot%d][2]", i);
    const cr_real down = (cr_real)(cr_push_depth * (1 - pow(load, 1 / 1.5)));
    CR_TRY(cr_model_set(m, name, &down, 1, error));
  }
  return CR_OK;
}

static cr_status reference(const char* folder, const cr_push_data* data, int shape, cr_model** m,
                           cr_error* error) {
  static const struct {
    const char* place;
    cr_real value;
  } numbers[] = {{"geom_friction[floor][0]", CR_R(0.3)},
                 {"geom_friction[finger][0]", CR_R(0.2)},
                 {"geom_hunt_crossley[floor][4]", CR_R(1.4)},
                 {"dof_damping[y]", drag}};
  CR_TRY(cri_push_scene(folder, data, shape, m, error));
  CR_TRY(cr_model_set_choice(*m, "friction_law", "brown", error));
  CR_TRY(cr_model_set_option(*m, "timestep", CR_R(0.0005), error));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    CR_TRY(cr_model_set(*m, numbers[i].place, &numbers[i].value, 1, error));
  }
  return load_feet(*m, &data->shape[shape], error);
}

// ---- one push

// how far the finger has come at time t: at constant speed but for the ends
static double way(double t, double time, double speed) {
  double u = fmin(fmax(t - rest, 0), time);
  double start = fmin(u, ramp), end = fmax(u - (time - ramp), 0);
  return speed * (start * start / (2 * ramp) + fmax(u - ramp, 0) - end * end / (2 * ramp));
}

// a path from beside a side of the outline inwards
static void draw_path(const cr_push_shape* shape, cr_random* random, double from[2],
                      double along[2]) {
  const cr_outline* o = &shape->outline;
  int i = cr_random_int(random, o->n);
  const double *a = o->at[i], *b = o->at[(i + 1) % o->n];
  double part = (double)cr_random_range(random, CR_R(0.2), CR_R(0.8));
  double turn = (double)cr_random_range(random, CR_R(-0.6), CR_R(0.6));
  double x = b[0] - a[0], y = b[1] - a[1], size = hypot(x, y);
  double in[2] = {-y / size, x / size};
  for (int k = 0; k < 2; k++) {
    from[k] = a[k] + part * (b[k] - a[k]) - (radius + 2e-4) * in[k];
  }
  along[0] = cos(turn) * in[0] - sin(turn) * in[1];
  along[1] = sin(turn) * in[0] + cos(turn) * in[1];
}

typedef struct {
  double speed, from[2], along[2];
  double pose[3];  // of the body in the frame of the tracker
  int rows;
  cr_push push;  // what the finger does
} throwing;

static cr_status draw_push(throwing* t, const cr_push_shape* shape, cr_random* random,
                           cr_error* error) {
  t->speed = (double)cr_random_range(random, CR_R(0.05), CR_R(0.1));
  for (int k = 0; k < 3; k++) {
    t->pose[k] = (double)cr_random_range(random, CR_R(-0.3), CR_R(0.3)) * (k == 2 ? 10 : 1);
  }
  draw_path(shape, random, t->from, t->along);
  double time = path_length / t->speed + ramp;
  t->rows = (int)ceil((time + 2 * rest) / interval);
  t->push =
      (cr_push){.nfinger = t->rows, .finger = calloc((size_t)t->rows, sizeof *t->push.finger)};
  if (t->push.finger == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory");
  }
  for (int i = 0; i < t->rows; i++) {
    double* row = t->push.finger[i];
    row[0] = interval * i;
    for (int k = 0; k < 2; k++) {
      row[1 + k] = t->from[k] + t->along[k] * way(row[0], time, t->speed);
    }
  }
  t->push.time = interval * (t->rows - 1);
  return CR_OK;
}

static void into_tracker(const double pose[3], const double at[2], double out[2]) {
  double c = cos(pose[2]), s = sin(pose[2]);
  out[0] = pose[0] + c * at[0] - s * at[1];
  out[1] = pose[1] + s * at[0] + c * at[1];
}

static void track(const throwing* t, const cr_real* qpos, double time, cr_random* random,
                  double row[4]) {
  const double at[2] = {(double)qpos[CR_PUSH_BODY], (double)qpos[CR_PUSH_BODY + 1]};
  into_tracker(t->pose, at, row + 1);
  row[0] = time;
  row[1] += place_noise * (double)cr_random_normal(random);
  row[2] += place_noise * (double)cr_random_normal(random);
  row[3] =
      t->pose[2] + (double)qpos[CR_PUSH_BODY + 2] + turn_noise * (double)cr_random_normal(random);
}

// the body's rows; the finger's become those of the tracker
static cr_status simulate(throwing* t, const cr_model* m, cr_rollout* r, cr_random* random,
                          double (*body)[4], int* nbody, cr_error* error) {
  double h = (double)cr_model_timestep(m);
  int every = (int)lround(BODY_EVERY * interval / h), n = (int)(t->push.time / h);
  cr_data* d = cr_rollout_data(r);
  CR_TRY(cr_data_reset(m, d));
  cr_real* qpos = cr_data_view(m, d, "qpos", NULL, NULL);
  qpos[0] = (cr_real)t->from[0];
  qpos[1] = (cr_real)t->from[1];
  for (int k = 0; k < n; k++) {
    cri_push_control(&t->push, h, k, cr_rollout_ctrl(r) + (ptrdiff_t)CR_PUSH_NU * k, NULL);
  }
  CR_TRY(cr_rollout_run(r, m, n, NULL, error));
  *nbody = n / every + 1;
  for (int i = 0; i < *nbody; i++) {
    cr_real row[CR_PUSH_NQ];
    CR_TRY(cr_rollout_get_states(r, m, i * every, 1, NULL, row, NULL, NULL, error));
    track(t, row, interval * BODY_EVERY * i, random, body[i]);
  }
  for (int i = 0; i < t->rows; i++) {
    const double at[2] = {t->push.finger[i][1], t->push.finger[i][2]};
    into_tracker(t->pose, at, t->push.finger[i] + 1);
  }
  return CR_OK;
}

// ---- the file

static cr_status write_push(cr_h5* file, const throwing* t, const cr_push_shape* shape, int number,
                            double (*body)[4], int nbody, cr_error* error) {
  char object[32], name[48];
  const double* finger = t->push.finger[0];
  double moved = hypot(body[nbody - 1][1] - body[0][1], body[nbody - 1][2] - body[0][2]);
  (void)snprintf(object, sizeof object, "push/%03d", number);
  (void)snprintf(name, sizeof name, "%s/object", object);
  CR_TRY(cri_h5_write(file, name, body[0], nbody, 4, error));
  (void)snprintf(name, sizeof name, "%s/tip", object);
  CR_TRY(cri_h5_write(file, name, finger, t->rows, 3, error));
  CR_TRY(cri_h5_write_text(file, object, "shape", shape->name, error));
  CR_TRY(cri_h5_write_text(file, object, "surface", shape->surface, error));
  return cri_h5_write_attribute(file, object, "object_moved", moved > 1e-3, error);
}

static cr_status write_shape(cr_h5* file, const cr_push_shape* shape, cr_error* error) {
  char object[CR_PUSH_NAME + 8], name[CR_PUSH_NAME + 24];
  (void)snprintf(object, sizeof object, "shape/%s", shape->name);
  (void)snprintf(name, sizeof name, "%s/polygon", object);
  CR_TRY(cri_h5_write(file, name, shape->outline.at[0], shape->outline.n, 2, error));
  CR_TRY(cri_h5_write_attribute(file, object, "mass_kg", shape->mass, error));
  return cri_h5_write_attribute(file, object, "inertia_kg_m2", shape->inertia, error);
}

static cr_status make_push(cr_h5* file, const cr_model* m, const cr_push_shape* shape, int number,
                           cr_error* error) {
  cr_random random = cr_random_seed(1, STREAM_PUSH + (uint64_t)number);
  throwing t = {.rows = 0};
  cr_rollout* r = NULL;
  int nbody = 0;
  cr_status status = draw_push(&t, shape, &random, error);
  double(*body)[4] = calloc((size_t)t.rows + 1, sizeof *body);
  if (status == CR_OK && body == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "no memory");
  }
  int steps = (int)(t.push.time / (double)cr_model_timestep(m)) + 1;
  status = status == CR_OK ? cr_rollout_create(&r, m, steps, NULL, 0, error) : status;
  status = status == CR_OK ? simulate(&t, m, r, &random, body, &nbody, error) : status;
  status = status == CR_OK ? write_push(file, &t, shape, number, body, nbody, error) : status;
  cr_rollout_destroy(r);
  free(body);
  free(t.push.finger);
  return status;
}

static cr_status make_shape(const char* folder, cr_h5* file, cr_push_data* data, int shape,
                            int pushes, bool (*stop)(void), cr_error* error) {
  cr_model* m = NULL;
  cr_status status = reference(folder, data, shape, &m, error);
  status = status == CR_OK ? write_shape(file, &data->shape[shape], error) : status;
  for (int i = 0; i < pushes && status == CR_OK; i++) {
    status = stop != NULL && stop() ? cri_fail(error, CR_ERR_INTERRUPTED, "stopped") : CR_OK;
    if (status == CR_OK) {
      status = make_push(file, m, &data->shape[shape], shape * pushes + i, error);
    }
  }
  cr_model_destroy(m);
  return status;
}

cr_status cri_push_make(const char* folder, int pushes, const char* path, bool (*stop)(void),
                        cr_error* error) {
  cr_push_data data = {.radius = radius, .nshape = SHAPES};
  cr_h5* file;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = cri_h5_write_attribute(file, "/", "pusher_radius_m", radius, error);
  for (int i = 0; i < SHAPES && status == CR_OK; i++) {
    data.shape[i] = shapes[i];
    weigh(&data.shape[i]);
    // the tracked frame is at the centroid
    for (int k = 0; k < data.shape[i].outline.n; k++) {
      data.shape[i].outline.at[k][0] -= data.shape[i].centroid[0];
      data.shape[i].outline.at[k][1] -= data.shape[i].centroid[1];
    }
    data.shape[i].centroid[0] = data.shape[i].centroid[1] = 0;
    status = make_shape(folder, file, &data, i, pushes, stop, error);
  }
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}
