// SPDX-License-Identifier: Apache-2.0
// A mass flies at a wall: q0 in [0, 3], v0 = -1, T = 2 s, loss |q(T) - 1|, and its derivative by q0
// (DiffMJX, experiment 01). Five ways:
//   elastic   fixed steps, v changes its sign in a step that begins with q < 0
//   penalty   fixed steps, a = -v - 50 q where q < 0
//   euler     the wall as a joint limit, Carom with the coarse fixed step
//   adaptive  the same limit, Carom with adaptive steps that end at events or not; the derivative of
//             the steps, and by the continuous adjoint
//   exact     the limit's motion in closed form
// A limit only pushes; the penalty also pulls shortly before the mass leaves. This is their only
// difference.
#include <math.h>

#include "notebook/sweep.h"
#include "study/launch.h"
#include "study/scenes.h"
#include "study/studies.h"
#include "tools/plot.h"

static const double horizon = 2, stiffness = 50, target = 1, farthest = 3;

enum {
  Q0,
  EXACT_LOSS,
  EXACT_GRADIENT,
  ELASTIC_COARSE_LOSS,
  ELASTIC_COARSE_GRADIENT,
  ELASTIC_FINE_LOSS,
  ELASTIC_FINE_GRADIENT,
  PENALTY_COARSE_LOSS,
  PENALTY_COARSE_GRADIENT,
  PENALTY_FINE_LOSS,
  PENALTY_FINE_GRADIENT,
  LIMIT_FINE_LOSS,
  LIMIT_FINE_GRADIENT,
  EULER_LOSS,
  EULER_GRADIENT,
  ADAPTIVE_LOSS,
  ADAPTIVE_GRADIENT,
  ADJOINT_GRADIENT,
  NO_EVENT_GRADIENT,
  SMOOTH,
  N_COLUMN
};
static const char header[] =
    "q0,exact_loss,exact_gradient,elastic_coarse_loss,elastic_coarse_gradient,elastic_fine_loss,"
    "elastic_fine_gradient,penalty_coarse_loss,penalty_coarse_gradient,penalty_fine_loss,"
    "penalty_fine_gradient,limit_fine_loss,limit_fine_gradient,euler_loss,euler_gradient,"
    "adaptive_loss,adaptive_gradient,adjoint_gradient,no_event_gradient,smooth";

// a number and its derivative by q0
typedef struct {
  double x, tan;
} dual;

static dual loss_of(dual q) {
  double side = q.x > target ? 1 : -1;
  return (dual){side * (q.x - target), side * q.tan};
}

// ---- the published steps

typedef enum { ELASTIC, PENALTY, LIMIT } law;

static dual fixed_steps(law kind, double q0, double h, int n) {
  dual q = {q0, 1}, v = {-1, 0};
  for (int k = 0; k < n; k++) {
    if (q.x < 0 && kind == ELASTIC) {
      v = (dual){-v.x, -v.tan};
    } else if (q.x < 0) {
      dual a = {-v.x - stiffness * q.x, -v.tan - stiffness * q.tan};
      if (kind == PENALTY || a.x > 0) {
        v = (dual){v.x + h * a.x, v.tan + h * a.tan};
      }
    }
    q = (dual){q.x + h * v.x, q.tan + h * v.tan};
  }
  return loss_of(q);
}

// ---- closed form: x = -exp(-t/2) sin(w t) / w in contact, left with a = 0

// time in contact, place and velocity when it ends
static void leave(double* t, double* x, double* v) {
  double w = sqrt(stiffness - 0.25);
  // a = -v - 50 x = exp(-t/2) (cos(w t) + (50 - 1/2) sin(w t) / w) = 0
  *t = ((double)CR_PI - atan2(w, stiffness - 0.5)) / w;
  *x = -exp(-*t / 2) * sin(w * *t) / w;
  *v = -exp(-*t / 2) * (cos(w * *t) - sin(w * *t) / (2 * w));
}

static dual exact(double q0) {
  double w = sqrt(stiffness - 0.25), t = horizon - q0, t_out, x_out, v_out;
  leave(&t_out, &x_out, &v_out);
  if (t <= 0) {
    return loss_of((dual){q0 - horizon, 1});
  }
  if (t >= t_out) {
    return loss_of((dual){x_out + v_out * (t - t_out), -v_out});
  }
  double x = -exp(-t / 2) * sin(w * t) / w;
  double v = -exp(-t / 2) * (cos(w * t) - sin(w * t) / (2 * w));
  return loss_of((dual){x, -v});
}

// the loss has kinks where the mass just touches at the end, where it just leaves, and at its target;
// derivatives are not compared within a step of these
static bool smooth(double q0) {
  double t_out, x_out, v_out, clear = 2e-3;
  leave(&t_out, &x_out, &v_out);
  dual end = exact(q0);
  return fabs(q0 - horizon) > clear && fabs(horizon - q0 - t_out) > clear && fabs(end.x) > clear &&
         q0 > clear;
}

// ---- a row

typedef struct {
  cr_model *m, *adaptive;  // with Euler, with tsit5
  int n;                   // starts
  double fine;
} toy;

static void put(cr_real* row, int column, dual value) {
  row[column] = (cr_real)value.x;
  row[column + 1] = (cr_real)value.tan;
}

static cr_status carom_row(const toy* t, double q0, cr_real* row, cr_error* error) {
  cr_adaptive events = {
      .size = sizeof events, .rtol = CR_R(1e-12), .atol = CR_R(1e-12), .events = true};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = CR_R(1e-12), .atol = CR_R(1e-12)};
  cr_adaptive plain = events;
  plain.events = false;
  cr_launch l = {.m = t->m,
                 .loss = "abs(qpos[0] - 1)",
                 .time = (cr_real)horizon,
                 .qpos = {(cr_real)q0},
                 .qvel = {-1},
                 .qpos_direction = {1}};
  cr_landing end;
  CR_TRY(cri_launch(&l, true, &end, error));
  put(row, EULER_LOSS, (dual){end.loss, end.gradient});
  l.m = t->adaptive;
  l.adaptive = &events;
  CR_TRY(cri_launch(&l, true, &end, error));
  put(row, ADAPTIVE_LOSS, (dual){end.loss, end.gradient});
  l.adjoint = &adjoint;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[ADJOINT_GRADIENT] = end.gradient;
  l.adjoint = NULL;
  l.adaptive = &plain;
  CR_TRY(cri_launch(&l, true, &end, error));
  row[NO_EVENT_GRADIENT] = end.gradient;
  return CR_OK;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const toy* t = context;
  double q0 = farthest * i / (t->n - 1), coarse = 0.1;
  int many = (int)lround(horizon / t->fine), few = (int)lround(horizon / coarse);
  row[Q0] = (cr_real)q0;
  put(row, EXACT_LOSS, exact(q0));
  put(row, ELASTIC_COARSE_LOSS, fixed_steps(ELASTIC, q0, coarse, few));
  put(row, ELASTIC_FINE_LOSS, fixed_steps(ELASTIC, q0, t->fine, many));
  put(row, PENALTY_COARSE_LOSS, fixed_steps(PENALTY, q0, coarse, few));
  put(row, PENALTY_FINE_LOSS, fixed_steps(PENALTY, q0, t->fine, many));
  put(row, LIMIT_FINE_LOSS, fixed_steps(LIMIT, q0, t->fine, many));
  row[SMOOTH] = smooth(q0);
  return carom_row(t, q0, row, error);
}

// ---- claims

static double worst(cr_table* table, int a, int b, bool all) {
  double most = 0;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (all || row[SMOOTH] != 0) {
      most = fmax(most, fabs((double)(row[a] - row[b])));
    }
  }
  return most;
}

// share of the starts whose derivative in column a is off by more than a tenth of 1
static double wrong(cr_table* table, int a, int b) {
  int off = 0, n = 0;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    n += row[SMOOTH] != 0;
    off += row[SMOOTH] != 0 && fabs((double)(row[a] - row[b])) > 0.1;
  }
  return (double)off / n;
}

static void conclude(cr_notebook* book, cr_table* table) {
  cri_say(
      book,
      "A mass flies at a wall with v0 = -1 from q0 in [0, 3]; loss |q(2 s) - 1|, its derivative "
      "by q0, %d starts.\n"
      "Derivatives are compared where the loss has no kink. Published (DiffMJX, experiment 01): "
      "a sawtooth with steps of 0.1 s,\n"
      "the right derivative of the penalty with fine or adaptive steps; no numbers.\n",
      table->rows);
  cri_claim(book, wrong(table, ELASTIC_COARSE_GRADIENT, EXACT_GRADIENT), 0.3, (double)INFINITY,
            "sawtooth", "elastic, steps of 0.1 s: share of wrong derivatives");
  cri_claim(book, wrong(table, ELASTIC_FINE_GRADIENT, EXACT_GRADIENT), 0.3, (double)INFINITY,
            "sawtooth", "elastic, finest steps: share of wrong derivatives");
  cri_claim(book, wrong(table, PENALTY_COARSE_GRADIENT, EXACT_GRADIENT), 0.3, (double)INFINITY,
            "sawtooth", "penalty, steps of 0.1 s: share of wrong derivatives");
  cri_claim(book, worst(table, EULER_LOSS, EXACT_LOSS, true), 0.01, (double)INFINITY, "",
            "limit, steps of 0.1 s: largest error of the loss");
  cri_claim(book, worst(table, ADAPTIVE_LOSS, LIMIT_FINE_LOSS, true), 0, 1e-3, "",
            "adaptive: largest difference of the loss to finest steps");
  cri_claim(book, worst(table, ADAPTIVE_LOSS, EXACT_LOSS, true), 0, 1e-9, "",
            "adaptive: largest error of the loss");
  cri_claim(book, worst(table, ADJOINT_GRADIENT, EXACT_GRADIENT, false), 0, 1e-6, "",
            "adaptive with events, adjoint: largest error of the derivative");
  cri_claim(book, worst(table, ADAPTIVE_GRADIENT, EXACT_GRADIENT, false), 0, 2e-4, "",
            "adaptive with events: largest error of the derivative");
  cri_say(
      book,
      "\nFor comparison, largest errors of the derivative: limit, finest fixed steps %.3g; "
      "adaptive without events %.3g.\n"
      "The wall's damping acts at once when it is touched: the acceleration jumps there, and that "
      "jump moves with q0.\n",
      worst(table, LIMIT_FINE_GRADIENT, EXACT_GRADIENT, false),
      worst(table, NO_EVENT_GRADIENT, EXACT_GRADIENT, false));
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const char* csv = "toy.csv";
  const cr_curve losses[] = {
      {csv, "q0", "exact_loss", "exact", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "elastic_coarse_loss", "elastic, 0.1 s", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "penalty_coarse_loss", "penalty, 0.1 s", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "penalty_fine_loss", "penalty, fine", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "adaptive_loss", "adaptive, events", CR_CURVE_DASHES, NULL, 0},
  };
  const cr_curve gradients[] = {
      {csv, "q0", "exact_gradient", "exact", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "elastic_coarse_gradient", "elastic, 0.1 s", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "penalty_coarse_gradient", "penalty, 0.1 s", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "penalty_fine_gradient", "penalty, fine", CR_CURVE_LINE, NULL, 0},
      {csv, "q0", "adaptive_gradient", "adaptive, events", CR_CURVE_DASHES, NULL, 0},
      {csv, "q0", "no_event_gradient", "adaptive, no events", CR_CURVE_LINE, NULL, 0},
  };
  const cr_chart charts[] = {
      {"q0, m", "loss |q - 1| after 2 s, m", false, false, (double)NAN, (double)NAN, losses, 5},
      {"q0, m", "derivative by q0", false, false, -4, 4, gradients, 6},
  };
  return cri_charts(book->folder, "toy", "A mass and a wall", charts, 2, 2, error);
}

cr_status cri_study_toy(cr_notebook* book, cr_error* error) {
  toy t = {.n = book->request.brief ? 61 : 2000, .fine = 1e-4};
  cr_table table = {0};
  cr_status status = cri_scene_open(book, "wall", cri_scene_wall, &t.m, error);
  if (status == CR_OK) {
    status = cri_scene_variant(&t.adaptive, t.m, "tsit5", "hard", error);
  }
  if (status == CR_OK) {
    status = cri_table_create(&table, "toy.csv", header, NULL, t.n, error);
  }
  if (status == CR_OK) {
    status = cri_sweep(book, &table, 16, work, &t, error);
  }
  if (status == CR_OK) {
    conclude(book, &table);
    status = draw(book, error);
  }
  cri_table_free(&table);
  cr_model_destroy(t.adaptive);
  cr_model_destroy(t.m);
  return status;
}
