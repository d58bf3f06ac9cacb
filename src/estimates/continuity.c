// SPDX-License-Identifier: Apache-2.0
// Is the end of a motion with contact a continuous function of its start? The largest jump of that function, by bisection, for shorter and shorter steps.
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "carom/carom.h"
#include "estimates/estimate_studies.h"
#include "notebook/scene_file.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

#define HEAD                                                                                      \
  "<mujoco>\n  <option cone=\"elliptic\" tolerance=\"1e-14\" iterations=\"200\"/>\n  <default>\n" \
  "    <geom solref=\"0.02 0.3\" condim=\"1\"/>\n  </default>\n  <worldbody>\n"
#define TAIL "    </body>\n  </worldbody>\n</mujoco>\n"

typedef struct {
  const char *name, *title, *text;
  const char *start, *end;  // the place that varies; what is looked at
  double low, high, time;   // range of the start; s
} scene;

static const scene scenes[] = {
    {"continuity_floor", "ball, floor",
     HEAD "    <geom type=\"plane\" size=\"1 1 0.1\"/>\n"
          "    <body name=\"ball\">\n"
          "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/>\n"
          "      <geom type=\"sphere\" size=\"0.05\" mass=\"1\"/>\n" TAIL,
     "qpos[z]", "qpos[z]", 0.25, 0.35, 0.5},
    {"continuity_corner", "box, corner of a ledge",
     HEAD "    <geom type=\"box\" size=\"0.5 0.2 0.5\" pos=\"0.5 0 -0.5\"/>\n"
          "    <body name=\"box\" pos=\"-0.2 0 0.2\">\n"
          "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>\n"
          "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/>\n"
          "      <geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/>\n" TAIL,
     "qpos[x]", "qpos[x]", -0.05, 0.05, 0.4},
    {"continuity_tilt", "box on its edge",
     HEAD "    <geom type=\"plane\" size=\"1 1 0.1\" condim=\"3\"/>\n"
          "    <body name=\"box\" pos=\"0 0 0.08\">\n"
          "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>\n"
          "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/>\n"
          "      <joint name=\"tilt\" type=\"hinge\" axis=\"0 1 0\"/>\n"
          "      <geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\" condim=\"3\"/>\n" TAIL,
     "qpos[tilt]", "qpos[tilt]", 0.6, 1.0, 1},
};
enum { FLOOR, CORNER, TILT, N_SCENE };

typedef struct {
  cr_model* models[N_SCENE];
  int steps;   // lengths of a step: 4 ms, halved again and again
  int points;  // of the range of starts
} continuity;

// ---- one motion

typedef struct {
  const scene* s;
  cr_model* m;
  cr_rollout* rollout;
  cr_expression* end;
  int steps;
} mover;

static cr_status open_mover(mover* v, const continuity* c, int at, double h, cr_error* error) {
  *v = (mover){.s = &scenes[at], .steps = (int)lround(scenes[at].time / h)};
  CR_TRY(cr_model_copy(&v->m, c->models[at], error));
  CR_TRY(cr_model_set_option(v->m, "timestep", (cr_real)h, error));
  CR_TRY(cr_rollout_create(&v->rollout, v->m, v->steps, NULL, 0, error));
  return cr_expression_create(&v->end, v->m, v->s->end, error);
}

static void close_mover(mover* v) {
  cr_expression_destroy(v->end);
  cr_rollout_destroy(v->rollout);
  cr_model_destroy(v->m);
}

static cr_status move(mover* v, double start, double* end, cr_error* error) {
  static const cr_real speed = 1;
  const cr_real x = (cr_real)start;
  cr_data* d = cr_rollout_data(v->rollout);
  const cr_loss loss = cr_expression_loss(v->end, false);
  CR_TRY(cr_data_reset(v->m, d));
  CR_TRY(cr_data_set(v->m, d, v->s->start, &x, 1, error));
  if (v->s == &scenes[CORNER]) {
    CR_TRY(cr_data_set(v->m, d, "qvel[x]", &speed, 1, error));
  }
  CR_TRY(cr_rollout_run(v->rollout, v->m, v->steps, &loss, error));
  *end = (double)cr_rollout_loss(v->rollout);
  return CR_OK;
}

// ---- the largest jump

static const char csv[] = "continuity.csv";
static const char header[] = "scene,step,start,change,jump";
enum { R_SCENE, R_STEP, R_START, R_CHANGE, R_JUMP };
static const double longest = 4e-3, closest = 1e-13;  // s; distance of starts that counts as none

static double step_of(int k) { return longest / (1 << k); }

// halves the interval, and keeps the half over which the end changes more
static cr_status bisect(mover* v, double* low, double* high, double* jump, cr_error* error) {
  double ends[2], middle;
  CR_TRY(move(v, *low, &ends[0], error));
  CR_TRY(move(v, *high, &ends[1], error));
  while (*high - *low > closest) {
    double at = (*low + *high) / 2;
    CR_TRY(move(v, at, &middle, error));
    bool left = fabs(middle - ends[0]) > fabs(ends[1] - middle);
    *(left ? high : low) = at;
    ends[left ? 1 : 0] = middle;
  }
  *jump = fabs(ends[1] - ends[0]);
  return CR_OK;
}

static cr_status find(mover* v, int points, cr_real* row, cr_error* error) {
  double before = 0, end, change = 0, most = 0;
  const double spacing = (v->s->high - v->s->low) / (points - 1);
  for (int i = 0; i < points; i++) {
    double start = v->s->low + spacing * i;
    CR_TRY(move(v, start, &end, error));
    if (i > 0) {
      double low = start - spacing, high = start, jump;
      change = fmax(change, fabs(end - before));
      CR_TRY(bisect(v, &low, &high, &jump, error));
      if (jump >= most) {
        most = jump;
        row[R_START] = (cr_real)low;
      }
    }
    before = end;
  }
  row[R_CHANGE] = (cr_real)change;
  row[R_JUMP] = (cr_real)most;
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const continuity* c = context;
  mover v;
  int at = i / c->steps;
  double h = step_of(i % c->steps);
  row[R_SCENE] = (cr_real)at;
  row[R_STEP] = (cr_real)h;
  cr_status status = open_mover(&v, c, at, h, error);
  status = status == CR_OK ? find(&v, c->points, row, error) : status;
  close_mover(&v);
  return status;
}

// ---- claims

static double jump_of(cr_table* t, const continuity* c, int at, int step) {
  return (double)cri_table_row(t, at * c->steps + step)[R_JUMP];
}

static void conclude(cr_notebook* book, const continuity* c, cr_table* t) {
  cri_say(book, "Largest jump of the end of a motion over its start\n\n  step, ms");
  for (int k = 0; k < N_SCENE; k++) {
    cri_say(book, "  %-24s", scenes[k].title);
  }
  for (int i = 0; i < c->steps; i++) {
    cri_say(book, "\n  %-8.4g", 1e3 * step_of(i));
    for (int k = 0; k < N_SCENE; k++) {
      cri_say(book, "  %-24.4g", jump_of(t, c, k, i));
    }
  }
  cri_say(book, "\n\n");
  int last = c->steps - 1;
  double shorter = step_of(0) / step_of(last);
  cri_claim(book, jump_of(t, c, FLOOR, 0) / jump_of(t, c, FLOOR, last), shorter / 4,
            (double)INFINITY, "",
            "ball, floor: jump of the longest step over that of the shortest");
  cri_claim(book, jump_of(t, c, CORNER, last) / jump_of(t, c, CORNER, 0), 0.7, 1.4, "",
            "box, corner: jump of the shortest step over that of the longest");
  cri_claim(book, jump_of(t, c, TILT, last) / jump_of(t, c, TILT, 0), 0, 0.5, "",
            "box on its edge: jump of the shortest step over that of the longest");
}

// ---- picture

static const char curves_csv[] = "continuity_curves.csv";
static const char curves_header[] = "scene,start,coarse,fine";

static cr_status trace(const continuity* c, cr_table* t, int at, cr_error* error) {
  enum { POINTS = 301 };
  mover v[2];
  cr_status status = open_mover(&v[0], c, at, step_of(0), error);
  cr_status other = open_mover(&v[1], c, at, step_of(c->steps - 1), error);
  status = status == CR_OK ? other : status;
  for (int i = 0; i < POINTS && status == CR_OK; i++) {
    double start = scenes[at].low + (scenes[at].high - scenes[at].low) * i / (POINTS - 1), ends[2];
    status = move(&v[0], start, &ends[0], error);
    status = status == CR_OK ? move(&v[1], start, &ends[1], error) : status;
    cr_real* row = cri_table_row(t, t->rows);
    row[0] = (cr_real)at;
    row[1] = (cr_real)start;
    row[2] = (cr_real)ends[0];
    row[3] = (cr_real)ends[1];
  }
  close_mover(&v[0]);
  close_mover(&v[1]);
  return status;
}

static cr_status save_curves(const cr_notebook* book, const continuity* c, cr_error* error) {
  cr_table t = {0};
  cr_status status = cri_table_create(&t, curves_csv, curves_header, NULL, 1000, error);
  for (int k = 0; k < N_SCENE && status == CR_OK; k++) {
    status = trace(c, &t, k, error);
  }
  status = status == CR_OK ? cri_table_save(&t, book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const labels[N_SCENE][2] = {
      {"height at the start, m", "height at the end, m"},
      {"place at the start, m", "place at the end, m"},
      {"tilt at the start, rad", "tilt at the end, rad"}};
  cr_curve curves[N_SCENE][2], jumps[N_SCENE];
  cr_chart charts[N_SCENE + 1];
  for (int k = 0; k < N_SCENE; k++) {
    curves[k][0] =
        (cr_curve){curves_csv, "start", "coarse", "longest step", CR_CURVE_POINTS, "scene", k};
    curves[k][1] =
        (cr_curve){curves_csv, "start", "fine", "shortest step", CR_CURVE_POINTS, "scene", k};
    jumps[k] = (cr_curve){csv, "step", "jump", scenes[k].title, CR_CURVE_BOTH, "scene", k};
    charts[k] = (cr_chart){labels[k][0], labels[k][1], false, false, nan, nan, curves[k], 2};
  }
  charts[N_SCENE] = (cr_chart){"step, s", "largest jump", true, true, nan, nan, jumps, N_SCENE};
  return cri_charts(book->folder, "continuity", "The end of a motion over its start", charts,
                    N_SCENE + 1, 2, error);
}

// ---- the study

static cr_status compute(cr_notebook* book, continuity* c, cr_table* t, cr_error* error) {
  for (int k = 0; k < N_SCENE; k++) {
    CR_TRY(cri_scene_open(book, scenes[k].name, scenes[k].text, &c->models[k], error));
  }
  CR_TRY(cri_table_create(t, csv, header, NULL, N_SCENE * c->steps, error));
  CR_TRY(cri_sweep(book, t, cr_pool_size(book->pool), work, c, error));
  return save_curves(book, c, error);
}

cr_status cri_study_continuity(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  continuity c = {.steps = brief ? 3 : 6, .points = brief ? 11 : 21};
  cr_table table = {0};
  cr_status status = compute(book, &c, &table, error);
  if (status == CR_OK) {
    conclude(book, &c, &table);
    status = draw(book, error);
  }
  cri_table_free(&table);
  for (int k = 0; k < N_SCENE; k++) {
    cr_model_destroy(c.models[k]);
  }
  return status;
}
