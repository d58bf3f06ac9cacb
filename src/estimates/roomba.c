// SPDX-License-Identifier: Apache-2.0
// A robot drives among pillars to a goal and stops at what it bumps into (alpha_gradient, motion_planning). Its velocities in every step are found by descent. The loss jumps where
// a bump begins, and a robot that stands has no gradient. Which estimator leads around the pillars?
#include <math.h>
#include <string.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/room.h"
#include "estimates/trained.h"
#include "tools/plot.h"

enum { NUMBERS = 2 * CR_ROOM_STEPS, MOST_SEEDS = 3 };

// as published, with fewer samples and steps of descent; alpha_gradient takes the 0.95 of its bound as the probability of failure
static const double sigma = 0.05, rate = 0.01, first_guess = 0.01, confidence = 0.05, bias = 150,
                    bound = 10;
static const char* const titles[] = {"roomba"};

typedef struct {
  const char* folder;
  cr_model* m;
  int samples;
  bool (*stop)(void);
} roomba;

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  (void)system;
  const roomba* r = context;
  cr_motion motion;
  cr_real x[NUMBERS];
  for (int i = 0; i < NUMBERS; i++) {
    x[i] = (cr_real)first_guess;
  }
  const cr_motion_descent d = {.options = {.kind = kind,
                                           .samples = r->samples,
                                           .seed = (uint64_t)seed * 100000,
                                           .confidence = (cr_real)confidence,
                                           .bias = (cr_real)bias,
                                           .bound = (cr_real)bound},
                               .sigma = (cr_real)sigma,
                               .rate = (cr_real)rate,
                               .steps = result->steps,
                               .stop = r->stop};
  cr_status status = cri_room_motion(&motion, r->m, error);
  status = status == CR_OK
               ? cri_motion_descend(&motion, &d, x, result->losses, result->alphas, error)
               : status;
  cri_motion_close(&motion);
  for (int k = 0; k <= result->steps; k++) {
    result->losses[k] += CR_ROOM_START_COST;
  }
  result->end = result->losses[result->steps];
  return status == CR_OK ? cri_trained_save(r->folder, "roomba", kind, seed, x, NUMBERS, error)
                         : status;
}

// ---- the motions that were found

static const char medians_csv[] = "roomba_medians.csv", motions_csv[] = "roomba_motions.csv",
                  pillars_csv[] = "roomba_pillars.csv";
enum { AROUND = 49 };

// places after each step of the first seed's motion; where it ends, and how many steps bumped
static cr_status run(const roomba* r, int kind, cr_real* qpos, int* bumps, cr_error* error) {
  cr_motion motion;
  cr_real x[NUMBERS], qvel[2 * (CR_ROOM_STEPS + 1)];
  cr_status status = cri_room_motion(&motion, r->m, error);
  status =
      status == CR_OK ? cri_trained_load(r->folder, "roomba", kind, 0, x, NUMBERS, error) : status;
  status = status == CR_OK ? motion.begin(motion.context, &motion, x, error) : status;
  cr_rollout* rollout = motion.gradient != NULL ? cr_gradient_rollout(motion.gradient) : NULL;
  status = status == CR_OK ? cr_rollout_run(rollout, motion.m, CR_ROOM_STEPS, &motion.loss, error)
                           : status;
  status = status == CR_OK ? cr_rollout_get_states(rollout, motion.m, 0, CR_ROOM_STEPS + 1, NULL,
                                                   qpos, qvel, NULL, error)
                           : status;
  *bumps = 0;
  for (int k = 0; k < CR_ROOM_STEPS && status == CR_OK; k++) {
    const cr_real *u = x + (ptrdiff_t)2 * k, *v = qvel + (ptrdiff_t)2 * (k + 1);
    *bumps += cr_abs(v[0]) + cr_abs(v[1]) < CR_R(1e-3) * (cr_abs(u[0]) + cr_abs(u[1]));
  }
  cri_motion_close(&motion);
  return status;
}

static cr_status save_pillars(const roomba* r, cr_error* error) {
  cr_table table = {0};
  cr_status status =
      cri_table_create(&table, pillars_csv, "pillar,x,y", NULL, CR_ROOM_PILLARS * AROUND, error);
  for (int i = 0; i < CR_ROOM_PILLARS * AROUND && status == CR_OK; i++) {
    double x, y, radius, angle = 2 * (double)CR_PI * (i % AROUND) / (AROUND - 1);
    cri_room_pillar(i / AROUND, &x, &y, &radius);
    cr_real* row = cri_table_row(&table, i);
    row[0] = (cr_real)(i / AROUND);
    row[1] = (cr_real)(x + radius * cos(angle));
    row[2] = (cr_real)(y + radius * sin(angle));
  }
  status = status == CR_OK ? cri_table_save(&table, r->folder, error) : status;
  cri_table_free(&table);
  return status;
}

typedef struct {
  double left;  // m, from the end to the goal
  int bumps;
} arrival;

static cr_status save_motions(const roomba* r, arrival arrivals[CR_COURSE_KINDS], cr_error* error) {
  cr_table table = {0};
  cr_real qpos[2 * (CR_ROOM_STEPS + 1)];
  cr_status status = cri_table_create(&table, motions_csv, "order,time,x,y", NULL,
                                      CR_COURSE_KINDS * (CR_ROOM_STEPS + 1), error);
  for (int kind = 0; kind < CR_COURSE_KINDS && status == CR_OK; kind++) {
    status = run(r, kind, qpos, &arrivals[kind].bumps, error);
    for (int k = 0; k <= CR_ROOM_STEPS && status == CR_OK; k++) {
      const cr_real* q = qpos + (ptrdiff_t)2 * k;
      const cr_real row[] = {(cr_real)kind, (cr_real)k * cr_model_timestep(r->m), q[0], q[1]};
      memcpy(cri_table_row(&table, kind * (CR_ROOM_STEPS + 1) + k), row, sizeof row);
      arrivals[kind].left = hypot((double)q[0], (double)q[1] - 4);
    }
  }
  status = status == CR_OK ? cri_table_save(&table, r->folder, error) : status;
  cri_table_free(&table);
  return status == CR_OK ? save_pillars(r, error) : status;
}

// ---- claims

static void conclude(cr_notebook* book, cr_table* t, const arrival* arrivals, int seeds) {
  double last[CR_COURSE_KINDS];
  cri_say(
      book,
      "A robot drives from (0, 0) to (0, 4) in 2 s among pillars. Cost by descent, medians over "
      "%d "
      "seeds; motions of the first seed.\n\n"
      "  order    at first  at last   least     most      mean alpha  left, m  steps that "
      "bump\n",
      seeds);
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    double least = (double)INFINITY, most = 0;
    for (int seed = 0; seed < seeds; seed++) {
      least = fmin(least, cri_courses_end_of(t, 0, kind, seed));
      most = fmax(most, cri_courses_end_of(t, 0, kind, seed));
    }
    last[kind] = cri_courses_loss(t, 0, kind, -1);
    cri_say(book, "  %-7s  %-9.5g %-9.5g %-9.5g %-9.5g %-11.3g %-8.3f %d\n", cri_course_kinds[kind],
            cri_courses_loss(t, 0, kind, 0), last[kind], least, most, cri_courses_alpha(t, 0, kind),
            arrivals[kind].left, arrivals[kind].bumps);
  }
  double better = fmin(last[CR_ESTIMATOR_FIRST], last[CR_ESTIMATOR_ZEROTH]);
  cri_claim(
      book,
      last[CR_ESTIMATOR_ALPHA] / (book->request.brief ? cri_courses_loss(t, 0, 2, 0) : better), 0,
      book->request.brief ? 0.8 : 1.05, book->request.brief ? "" : "as good as the better",
      book->request.brief ? "alpha order: cost, last over first"
                          : "cost at the end, alpha over the better of the others");
}

// ---- picture

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve courses[] = {
      {medians_csv, "step", "first_roomba", "first", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "zeroth_roomba", "zeroth", CR_CURVE_LINE, NULL, 0},
      {medians_csv, "step", "alpha_roomba", "alpha", CR_CURVE_DASHES, NULL, 0}};
  cr_curve paths[CR_COURSE_KINDS + CR_ROOM_PILLARS];
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    paths[kind] =
        (cr_curve){motions_csv, "x", "y", cri_course_kinds[kind], CR_CURVE_BOTH, "order", kind};
  }
  for (int i = 0; i < CR_ROOM_PILLARS; i++) {
    paths[CR_COURSE_KINDS + i] =
        (cr_curve){pillars_csv, "x", "y", "", CR_CURVE_DASHES, "pillar", i};
  }
  const cr_chart charts[] = {
      {"step of descent", "cost", false, true, nan, nan, courses, 3},
      {"x, m", "y, m", false, false, nan, nan, paths, CR_COURSE_KINDS + CR_ROOM_PILLARS}};
  return cri_charts(book->folder, "roomba", "A robot among pillars", charts, 2, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, roomba* r, int seeds, cr_table* t, arrival* arrivals,
                         cr_error* error) {
  const cr_courses courses = {.file = "roomba.csv",
                              .titles = titles,
                              .systems = 1,
                              .seeds = seeds,
                              .steps = book->request.brief ? 40 : 200,
                              .descend = descend,
                              .context = r};
  CR_TRY(cri_courses_run(book, &courses, t, error));
  CR_TRY(cri_courses_save_medians(&courses, t, book->folder, medians_csv, error));
  return save_motions(r, arrivals, error);
}

cr_status cri_study_roomba(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  int seeds = brief ? 1 : MOST_SEEDS;
  roomba r = {.folder = book->folder, .samples = brief ? 10 : 100, .stop = book->request.stop};
  arrival arrivals[CR_COURSE_KINDS] = {{0}};
  cr_table table = {0};
  cr_status status = cri_room_open(book, &r.m, error);
  status = status == CR_OK ? compute(book, &r, seeds, &table, arrivals, error) : status;
  if (status == CR_OK) {
    conclude(book, &table, arrivals, seeds);
    status = draw(book, error);
  }
  cri_table_free(&table);
  cr_model_destroy(r.m);
  return status;
}
