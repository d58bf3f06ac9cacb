// SPDX-License-Identifier: Apache-2.0
// Two bricks pressed together: the force over the depth, and where bricks end that a hand pressed from a little beside, by points of
// collision detection, by balls on the studs and by pressure fields.
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "jumps/bricks.h"
#include "jumps/jump_studies.h"
#include "notebook/sweep.h"
#include "tools/clock.h"
#include "tools/plot.h"

enum { PRESSED = 500, STEPS = 1000, WIDTH = 6 };  // steps under the hand; of a motion; forces
#define PUSH CR_R(6.0)                            // N, on a brick that weighs 1.4 N
#define SPEED CR_R(-0.01)                         // m/s, of the sweep
#define JUMP CR_R(0.01)                           // of the largest force

// A start and its mirror image, at x and at -x.
typedef struct {
  cr_model* models[CRI_N_BRICKS];
  int starts;  // without mirror images
} mating;

// ---- the force over the depth

typedef struct {
  cr_model* m;
  cr_data* d;
} press;

// forces and torques on the upper brick, in the middle, on its way down
static cr_status force_at(void* context, cr_real at, cr_real* value, int* contacts,
                          cr_error* error) {
  const press* p = context;
  const cr_real qpos[7] = {0, 0, CRI_BRICKS_TOUCH - at, 1, 0, 0, 0}, qvel[6] = {0, 0, SPEED};
  CR_TRY(cr_data_set(p->m, p->d, "qpos", qpos, 7, error));
  CR_TRY(cr_data_set(p->m, p->d, "qvel", qvel, 6, error));
  cr_status status = cr_forward(p->m, p->d);
  if (status != CR_OK) {
    return cri_fail(error, status, "mating at a depth of %g m: %s", (double)at,
                    cr_data_error(p->d));
  }
  const cr_real *contact = cr_data_view(p->m, p->d, "qfrc_constraint", NULL, NULL),
                *field = cr_data_view(p->m, p->d, "qfrc_pressure", NULL, NULL);
  for (int i = 0; i < WIDTH; i++) {
    value[i] = contact[i] + field[i];
  }
  (void)cr_data_view(p->m, p->d, "contact_dist", contacts, NULL);
  return CR_OK;
}

static const char curves_csv[] = "mating_curves.csv";
static const char curves_header[] = "depth,points,balls,fields";

typedef struct {
  double jumps, largest_jump;    // of the force, relative to the largest
  double first, last, sideways;  // N: in the first and the last tenth of the way, most to the side
} insertion;

static cr_status find_jumps(press* p, insertion* result, cr_error* error) {
  static const int units[WIDTH] = {0, 0, 0, 1, 1, 1};
  const cr_jump_sweep sweep = {.size = sizeof sweep,
                               .function = force_at,
                               .context = p,
                               .n = WIDTH,
                               .unit = units,
                               .arm = CR_R(0.04),
                               .from = CR_R(-0.0005),
                               .to = CRI_BRICKS_TOUCH - CRI_BRICKS_SEATED - CR_R(0.0005),
                               .steps = 200,
                               .tolerance = JUMP};
  cr_jumps* jumps;
  cr_jumps_result found = {.size = sizeof found};
  cr_jump most = {.size = sizeof most};
  CR_TRY(cr_jumps_find(&jumps, &sweep, error));
  cr_status status = cr_jumps_get_result(jumps, &found, error);
  result->jumps = found.count;
  result->largest_jump = cr_jumps_get(jumps, 0, &most, NULL) == CR_OK ? (double)most.relative : 0;
  cr_jumps_destroy(jumps);
  return status;
}

static cr_status trace(const cr_model* m, int column, cr_table* t, insertion* result,
                       cr_error* error) {
  enum { POINTS = 201 };
  press p = {0};
  int contacts;
  cr_real value[WIDTH];
  *result = (insertion){0};
  cr_status status = cr_model_copy(&p.m, m, error);
  status = status == CR_OK ? cr_data_create(&p.d, p.m, error) : status;
  for (int i = 0; i < POINTS && status == CR_OK; i++) {
    cr_real* row = cri_table_row(t, i);
    row[0] = (CRI_BRICKS_TOUCH - CRI_BRICKS_SEATED - CR_R(0.0005)) * (cr_real)i / (POINTS - 1);
    status = force_at(&p, row[0], value, &contacts, error);
    row[column] = value[2];
    result->first = i == POINTS / 10 ? (double)value[2] : result->first;
    result->last = (double)value[2];
    result->sideways = fmax(result->sideways, hypot((double)value[0], (double)value[1]));
  }
  status = status == CR_OK ? find_jumps(&p, result, error) : status;
  cr_data_destroy(p.d);
  cr_model_destroy(p.m);
  return status;
}

static cr_status insert(const cr_notebook* book, const mating* s, insertion* results,
                        cr_error* error) {
  cr_table t = {0};
  cr_status status = cri_table_create(&t, curves_csv, curves_header, NULL, 201, error);
  for (int k = 0; k < CRI_N_BRICKS && status == CR_OK; k++) {
    status = trace(s->models[k], 1 + k, &t, &results[k], error);
  }
  status = status == CR_OK ? cri_table_save(&t, book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

// ---- pressed by a hand

static const char csv[] = "mating.csv";
static const char header[] = "way,start,x,y,tilt,end_height,end_x,end_y,end_tilt,end_speed";
enum { R_WAY, R_START, R_X, R_Y, R_TILT, R_END, R_END_X, R_END_Y, R_END_TILT, R_SPEED };

// up to 0.4 mm beside the middle, tilted by up to 0.6 degrees about y
static void draw_start(int start, cr_real* row) {
  cr_random r = cr_random_seed(11, (uint64_t)(start / 2));
  const cr_real mirror = start % 2 == 0 ? 1 : -1;
  row[R_X] = mirror * CR_R(4e-4) * (2 * cr_random_uniform(&r) - 1);
  row[R_Y] = CR_R(4e-4) * (2 * cr_random_uniform(&r) - 1);
  row[R_TILT] = mirror * CR_R(0.01) * (2 * cr_random_uniform(&r) - 1);
}

static cr_status press_from(cr_rollout* rollout, const cr_model* m, cr_real* row, cr_error* error) {
  const cr_real half = row[R_TILT] / 2,
                qpos[7] = {row[R_X],     row[R_Y], CRI_BRICKS_TOUCH + CR_R(0.001), cr_cos(half), 0,
                           cr_sin(half), 0};
  cr_real end[7], speed[6];
  CR_TRY(cr_data_set(m, cr_rollout_data(rollout), "qpos", qpos, 7, error));
  cr_real* ctrl = cr_rollout_ctrl(rollout);
  for (int k = 0; k < STEPS; k++) {
    ctrl[k] = k < PRESSED ? PUSH : 0;
  }
  CR_TRY(cr_rollout_run(rollout, m, STEPS, NULL, error));
  CR_TRY(cr_rollout_get_states(rollout, m, STEPS, 1, NULL, end, speed, NULL, error));
  row[R_END] = end[2];
  row[R_END_X] = end[0];
  row[R_END_Y] = end[1];
  row[R_END_TILT] = 2 * cr_sqrt(end[4] * end[4] + end[5] * end[5]);
  row[R_SPEED] = cr_sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const mating* s = context;
  const int way = i / (2 * s->starts);
  cr_model* m = NULL;
  cr_rollout* rollout = NULL;
  row[R_WAY] = (cr_real)way;
  row[R_START] = (cr_real)(i % (2 * s->starts));
  draw_start(i % (2 * s->starts), row);
  cr_status status = cr_model_copy(&m, s->models[way], error);
  status = status == CR_OK ? cr_rollout_create(&rollout, m, STEPS, NULL, 0, error) : status;
  status = status == CR_OK ? press_from(rollout, m, row, error) : status;
  cr_rollout_destroy(rollout);
  cr_model_destroy(m);
  return status;
}

// the first start by each way, to be seen; how fast it is
static cr_status record(cr_notebook* book, const mating* s, double* factor, cr_error* error) {
  cr_status status = CR_OK;
  for (int k = 0; k < CRI_N_BRICKS && status == CR_OK; k++) {
    char file[64], path[CR_MAX_PATH];
    cr_real row[WIDTH + R_SPEED] = {0};
    cr_rollout* rollout;
    draw_start(0, row);
    (void)snprintf(file, sizeof file, "mating_%s.h5", cri_bricks_ways[k]);
    CR_TRY(cri_path_join(path, book->folder, file, error));
    CR_TRY(cr_rollout_create(&rollout, s->models[k], STEPS, NULL, 0, error));
    const double began = cri_process_seconds();
    status = press_from(rollout, s->models[k], row, error);
    factor[k] = 1e-3 * STEPS / (cri_process_seconds() - began);
    status =
        status == CR_OK ? cr_rollout_save(rollout, s->models[k], path, NULL, 0, error) : status;
    cr_rollout_destroy(rollout);
  }
  return status;
}

// ---- claims

typedef struct {
  double above, side, speed, unequal;  // the worst end: m, m, m/s, m
} ends;

static ends ends_of(cr_table* t, const mating* s, int way) {
  ends e = {0};
  for (int i = 0; i < 2 * s->starts; i++) {
    const cr_real* row = cri_table_row(t, 2 * s->starts * way + i);
    const cr_real* other = cri_table_row(t, 2 * s->starts * way + (i ^ 1));
    e.above = fmax(e.above, fabs((double)(row[R_END] - CRI_BRICKS_SEATED)));
    e.side = fmax(e.side, hypot((double)row[R_END_X], (double)row[R_END_Y]));
    e.speed = fmax(e.speed, (double)row[R_SPEED]);
    e.unequal = fmax(e.unequal, hypot((double)(row[R_END_X] + other[R_END_X]),
                                      hypot((double)(row[R_END_Y] - other[R_END_Y]),
                                            (double)(row[R_END] - other[R_END]))));
  }
  return e;
}

static void say_insertion(cr_notebook* book, const insertion* r) {
  cri_say(book,
          "A brick on its way down in the middle, 10 mm/s\n\n"
          "  %-8s %12s %12s %14s %8s %14s\n",
          "contact", "first, N", "last, N", "to the side, N", "jumps", "largest jump");
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    cri_say(book, "  %-8s %12.3g %12.3g %14.2g %8.0f %14.2g\n", cri_bricks_ways[k], r[k].first,
            r[k].last, r[k].sideways, r[k].jumps, r[k].largest_jump);
  }
}

static void say_ends(cr_notebook* book, const ends* e, const double* factor) {
  cri_say(book,
          "\nPressed with %g N for 0.5 s from a little beside, then left alone: the worst of all "
          "starts\n\n  %-8s %14s %14s %14s %18s %18s\n",
          (double)PUSH, "contact", "from seat, m", "to a side, m", "speed, m/s", "from mirror, m",
          "times real time");
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    cri_say(book, "  %-8s %14.2g %14.2g %14.2g %18.2g %18.2g\n", cri_bricks_ways[k], e[k].above,
            e[k].side, e[k].speed, e[k].unequal, factor[k]);
  }
  cri_say(book, "\n");
}

static void conclude(cr_notebook* book, const insertion* r, const ends* e) {
  const double inf = (double)INFINITY;
  const insertion* field = &r[CRI_BRICKS_FIELDS];
  cri_claim(book, field->jumps, 0, 0, "", "fields: jumps of forces and torques over the depth");
  cri_claim(book, field->sideways / field->last, 0, 1e-9, "",
            "fields: force to the side over the force of insertion");
  cri_claim(book, field->last / field->first, 2, inf, "",
            "fields: force of insertion at the end over that after a tenth of the way");
  cri_claim(book, fmin(r[CRI_BRICKS_POINTS].jumps, r[CRI_BRICKS_BALLS].jumps), 1, inf, "",
            "points and balls: fewest jumps of forces and torques");
  cri_claim(book, e[CRI_BRICKS_FIELDS].above, 0, 5e-5, "", "fields: farthest from the seat, m");
  cri_claim(book, e[CRI_BRICKS_FIELDS].side, 0, 1e-6, "", "fields: farthest from the middle, m");
  cri_claim(book, e[CRI_BRICKS_FIELDS].speed, 0, 1e-6, "", "fields: fastest at the end, m/s");
  cri_claim(book, e[CRI_BRICKS_FIELDS].unequal, 0, 1e-6, "",
            "fields: ends of mirrored starts, farthest from mirror images, m");
  cri_claim(book, fmin(e[CRI_BRICKS_POINTS].above, e[CRI_BRICKS_BALLS].above), 1e-3, inf, "",
            "points and balls: farthest from the seat, m");
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  cr_curve force[CRI_N_BRICKS], height[CRI_N_BRICKS];
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    force[k] = (cr_curve){.csv = curves_csv,
                          .x = "depth",
                          .y = cri_bricks_ways[k],
                          .title = cri_bricks_ways[k],
                          .style = CR_CURVE_LINE};
    height[k] =
        (cr_curve){csv, "start", "end_height", cri_bricks_ways[k], CR_CURVE_POINTS, "way", k};
  }
  const cr_chart charts[] = {
      {"depth, m", "force of insertion, N", false, false, nan, nan, force, CRI_N_BRICKS},
      {"start", "height at the end, m (seated: 0.0445)", false, false, nan, nan, height,
       CRI_N_BRICKS}};
  return cri_charts(book->folder, "mating", "Two bricks pressed together", charts, 2, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, mating* s, cr_table* t, cr_error* error) {
  insertion inserted[CRI_N_BRICKS];
  ends e[CRI_N_BRICKS];
  double factor[CRI_N_BRICKS];
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    CR_TRY(cri_bricks_open(book, (cri_bricks_way)k, &s->models[k], error));
  }
  CR_TRY(insert(book, s, inserted, error));
  CR_TRY(cri_table_create(t, csv, header, NULL, 2 * CRI_N_BRICKS * s->starts, error));
  CR_TRY(cri_sweep(book, t, cr_pool_size(book->pool), work, s, error));
  CR_TRY(record(book, s, factor, error));
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    e[k] = ends_of(t, s, k);
  }
  say_insertion(book, inserted);
  say_ends(book, e, factor);
  conclude(book, inserted, e);
  return draw(book, error);
}

cr_status cri_study_mating(cr_notebook* book, cr_error* error) {
  mating s = {.starts = book->request.brief ? 2 : 20};
  cr_table table = {0};
  cr_status status = compute(book, &s, &table, error);
  cri_table_free(&table);
  for (int k = 0; k < CRI_N_BRICKS; k++) {
    cr_model_destroy(s.models[k]);
  }
  return status;
}
