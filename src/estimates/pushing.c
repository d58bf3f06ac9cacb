// SPDX-License-Identifier: Apache-2.0
// One body brings another to its goal: by pushing it, with contacts of three stiffnesses, or by friction below it (alpha_gradient, curling and friction). Forces in
// every step are found by descent along first, zeroth and alpha order from ten samples a step. Which one ends lowest?
#include <math.h>

#include "estimates/courses.h"
#include "estimates/estimate_studies.h"
#include "estimates/sliders.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

enum { SYSTEMS = 4, FRICTION = 3, MOST_STEPS = 400, SAMPLES = 10 };

// gamma and L as published; alpha_gradient takes the 0.95 of its bound as the probability of failure
static const double confidence = 0.05, bound = 100;
static const struct {
  const char *name, *title;
  cr_sliders sliders;
  double bias, start, rate;
} settings[SYSTEMS] = {
    {"pushing_soft",
     "soft",
     {.law = CR_SLIDERS_CONTACT,
      .keep = 0.998,
      .stiffness = 10,
      .start = 1,
      .goal = {1, 2},
      .steps = 400},
     1e8,
     0.1,
     1e-3},
    {"pushing_middle",
     "middle",
     {.law = CR_SLIDERS_CONTACT,
      .keep = 0.998,
      .stiffness = 100,
      .start = 1,
      .goal = {1, 2},
      .steps = 200},
     1e8,
     0.1,
     1e-3},
    {"pushing_stiff",
     "stiff",
     {.law = CR_SLIDERS_CONTACT,
      .keep = 0.99,
      .stiffness = 1000,
      .start = 1,
      .goal = {1, 2},
      .steps = 200},
     1e8,
     0.1,
     1e-3},
    {"pushing_friction",
     "friction",
     {.law = CR_SLIDERS_FRICTION, .keep = 1, .start = 0, .goal = {2, 2}, .steps = 400},
     2e4,
     0,
     1e-4}};

typedef struct {
  cr_model* models[SYSTEMS];
  int first;  // system of the courses at hand
  bool (*stop)(void);
} pushing;

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* error) {
  const pushing* p = context;
  int at = p->first + system;
  const cr_sliders* s = &settings[at].sliders;
  cr_motion motion;
  cr_real x[MOST_STEPS];
  for (int i = 0; i < s->steps; i++) {
    x[i] = (cr_real)settings[at].start;
  }
  const cr_motion_descent d = {.options = {.kind = kind,
                                           .samples = SAMPLES,
                                           .seed = (uint64_t)seed * 100000,
                                           .confidence = (cr_real)confidence,
                                           .bias = (cr_real)settings[at].bias,
                                           .bound = (cr_real)bound},
                               .sigma = CR_R(0.1),
                               .rate = (cr_real)settings[at].rate,
                               .steps = result->steps,
                               .stop = p->stop};
  cr_status status = cri_sliders_motion(&motion, p->models[at], s, error);
  status = status == CR_OK
               ? cri_motion_descend(&motion, &d, x, result->losses, result->alphas, error)
               : status;
  cri_motion_close(&motion);
  for (int k = 0; k <= result->steps; k++) {
    result->losses[k] += (cr_real)cri_sliders_start_cost(s);
  }
  result->end = x[0];
  return status;
}

// ---- claims

static void conclude_system(cr_notebook* book, cr_table* t, int system, int at) {
  double last[CR_COURSE_KINDS];
  for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
    last[kind] = cri_courses_loss(t, system, kind, -1);
    cri_say(book, "  %-9s %-7s  %-10.4g %-10.4g %-10.3g %d\n", settings[at].title,
            cri_course_kinds[kind], cri_courses_loss(t, system, kind, 0), last[kind],
            cri_courses_alpha(t, system, kind), cri_courses_failed(t, system, kind));
  }
  if (book->request.brief) {  // too early to compare
    cri_claim(book, last[CR_ESTIMATOR_ALPHA] / cri_courses_loss(t, system, 0, 0), 0, 0.8, "",
              "%s: cost of the alpha order, last over first", settings[at].title);
    return;
  }
  double better = fmin(last[CR_ESTIMATOR_FIRST], last[CR_ESTIMATOR_ZEROTH]);
  cri_claim(book, last[CR_ESTIMATOR_ALPHA] / better, 0, 1.05, "as good as the better",
            "%s: cost at the end, alpha over the better of the others", settings[at].title);
}

static void conclude(cr_notebook* book, cr_table* tables) {
  cri_say(book,
          "Forces that bring a second body to its goal, by descent with %d samples a step; medians "
          "over "
          "seeds.\n\n  system    order    at first   at last    mean alpha  got worse\n",
          SAMPLES);
  for (int at = 0; at < SYSTEMS; at++) {
    conclude_system(book, &tables[at == FRICTION], at == FRICTION ? 0 : at, at);
  }
}

// ---- picture

static const char *const push_csv = "pushing_medians.csv", *const friction_csv =
                                                               "pushing_friction_medians.csv";

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const columns[SYSTEMS][CR_COURSE_KINDS] = {
      {"first_soft", "zeroth_soft", "alpha_soft"},
      {"first_middle", "zeroth_middle", "alpha_middle"},
      {"first_stiff", "zeroth_stiff", "alpha_stiff"},
      {"first_friction", "zeroth_friction", "alpha_friction"}};
  static const char* const labels[SYSTEMS] = {"cost, k = 10 N/m", "cost, k = 100 N/m",
                                              "cost, k = 1000 N/m", "cost, friction"};
  cr_curve curves[SYSTEMS][CR_COURSE_KINDS];
  cr_chart charts[SYSTEMS];
  for (int s = 0; s < SYSTEMS; s++) {
    for (int k = 0; k < CR_COURSE_KINDS; k++) {
      curves[s][k] = (cr_curve){s == FRICTION ? friction_csv : push_csv,
                                "step",
                                columns[s][k],
                                cri_course_kinds[k],
                                k == CR_ESTIMATOR_ALPHA ? CR_CURVE_DASHES : CR_CURVE_LINE,
                                NULL,
                                0};
    }
    charts[s] =
        (cr_chart){"step of descent", labels[s], false, true, nan, nan, curves[s], CR_COURSE_KINDS};
  }
  return cri_charts(book->folder, "pushing", "Descent along three estimators", charts, SYSTEMS, 2,
                    error);
}

// ---- the study

static cr_status open(const cr_notebook* book, pushing* p, cr_error* error) {
  for (int i = 0; i < SYSTEMS; i++) {
    CR_TRY(cri_sliders_open(book, settings[i].name, &settings[i].sliders, &p->models[i], error));
  }
  return CR_OK;
}

static cr_status compute(cr_notebook* book, pushing* p, cr_table* tables, cr_error* error) {
  const char* titles[SYSTEMS];
  for (int i = 0; i < SYSTEMS; i++) {
    titles[i] = settings[i].title;
  }
  bool brief = book->request.brief;
  cr_courses courses = {.file = "pushing.csv",
                        .titles = titles,
                        .systems = FRICTION,
                        .seeds = brief ? 1 : 5,
                        .steps = brief ? 20 : 500,
                        .descend = descend,
                        .context = p};
  p->first = 0;
  CR_TRY(cri_courses_run(book, &courses, &tables[0], error));
  CR_TRY(cri_courses_save_medians(&courses, &tables[0], book->folder, push_csv, error));
  courses.file = "pushing_friction.csv";
  courses.titles = titles + FRICTION;
  courses.systems = 1;
  courses.steps = brief ? 20 : 100;
  p->first = FRICTION;
  CR_TRY(cri_courses_run(book, &courses, &tables[1], error));
  return cri_courses_save_medians(&courses, &tables[1], book->folder, friction_csv, error);
}

cr_status cri_study_pushing(cr_notebook* book, cr_error* error) {
  pushing p = {.stop = book->request.stop};
  cr_table tables[2] = {{0}};
  cr_status status = open(book, &p, error);
  status = status == CR_OK ? compute(book, &p, tables, error) : status;
  if (status == CR_OK) {
    conclude(book, tables);
    status = draw(book, error);
  }
  cri_table_free(&tables[0]);
  cri_table_free(&tables[1]);
  for (int i = 0; i < SYSTEMS; i++) {
    cr_model_destroy(p.models[i]);
  }
  return status;
}
