// SPDX-License-Identifier: Apache-2.0
// Free corners, a network beside, and gates of contact.
#include "study/cube_ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"
#include "notebook/scene_file.h"
#include "recorded/cube_slip.h"

// ---- the model with free corners: the board has the numbers of contacts

enum { N_CORNER = 8, TEXT = 4096 };
static const double radius = 2e-3, mass = 0.37;  // m, at the start; kg

static const char head[] =
    "<mujoco model=\"cube with free corners and board\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 %.17g\"/>\n"
    "  <worldbody>\n"
    "    <geom name=\"board\" type=\"plane\" size=\"2 2 0.1\" priority=\"1\" friction=\"%.17g 0.01 "
    "0.1\"\n          solref=\"%.17g %.17g\" solimp=\"%.17g %.17g %.17g %.17g %.17g\"/>\n"
    "    <body name=\"cube\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n";
static const char corner[] =
    "      <geom name=\"corner%d\" type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\"/>\n";
static const char tail[] =
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

// items of the cube, gravity in the place of the mass
enum { SIDE, GRAVITY, TIMECONST, DAMPRATIO, SOLIMP, FRICTION = SOLIMP + 5 };

cr_status cri_cube_open_corners(cr_model** m, const cr_notebook* book, const cr_cube* cube,
                                const cr_real* found, cr_error* error) {
  double x[CR_CUBE_N];
  char text[TEXT];
  for (int i = 0; i < CR_CUBE_N; i++) {
    x[i] = (double)found[i];
  }
  const double inertia = mass * x[SIDE] * x[SIDE] / 6, at = x[SIDE] / 2 - radius;
  int n = snprintf(text, sizeof text, head, (double)cr_model_timestep(cube->m), x[GRAVITY],
                   x[FRICTION], x[TIMECONST], x[DAMPRATIO], x[SOLIMP], x[SOLIMP + 1], x[SOLIMP + 2],
                   x[SOLIMP + 3], x[SOLIMP + 4], mass, inertia, inertia, inertia);
  for (int i = 0; i < N_CORNER; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, corner, i, radius, (i & 1) != 0 ? at : -at,
                  (i & 2) != 0 ? at : -at, (i & 4) != 0 ? at : -at);
  }
  (void)snprintf(text + n, sizeof text - (size_t)n, "%s", tail);
  return cri_scene_open(book, "cube_corners", text, m, error);
}

// ---- what is trained

enum { MOST = 512, NAME = 32 };

// numbers of the board, geom 0, within their bounds
static const struct {
  const char *target, *field;
  int at;
  cr_real lower, upper, unit;
} contact[] = {{"geom_friction[board][0]", "geom_friction", 0, CR_R(0.02), 2, CR_R(0.2)},
               {"geom_solref[board][0]", "geom_solref", 0, CR_R(0.0136), CR_R(0.2), CR_R(0.01)},
               {"geom_solref[board][1]", "geom_solref", 1, CR_R(0.1), 5, CR_R(0.5)},
               {"geom_solimp[board][0]", "geom_solimp", 0, CR_R(0.01), CR_R(0.99), CR_R(0.2)},
               {"geom_solimp[board][1]", "geom_solimp", 1, CR_R(0.3), CR_R(0.999), CR_R(0.2)},
               {"geom_solimp[board][2]", "geom_solimp", 2, CR_R(0.0005), CR_R(0.1), CR_R(0.01)},
               {"gravity[2]", "gravity", 2, CR_R(-9.9), CR_R(-9.5), CR_R(0.1)},
               {"body_inertia[cube][0]", "body_inertia", 3, CR_R(2e-4), CR_R(3e-3), CR_R(3e-4)},
               {"body_inertia[cube][1]", "body_inertia", 4, CR_R(2e-4), CR_R(3e-3), CR_R(3e-4)},
               {"body_inertia[cube][2]", "body_inertia", 5, CR_R(2e-4), CR_R(3e-3), CR_R(3e-4)}};
enum { N_CONTACT = (int)(sizeof contact / sizeof contact[0]) };

typedef struct {
  int n;
  cr_parameter_info item[MOST];
  char name[MOST][NAME];
  cr_real unit[MOST];  // by how much x moves where Adam moves by 1
  cr_fit* fit;
} unknowns;

static void add(unknowns* u, cr_real start, cr_real lower, cr_real upper, cr_real unit) {
  u->unit[u->n] = unit;
  u->item[u->n] = (cr_parameter_info){.size = sizeof(cr_parameter_info),
                                      .name = u->name[u->n],
                                      .target = u->name[u->n],
                                      .kind = CR_FIT_FIELD,
                                      .start = start,
                                      .lower = lower,
                                      .upper = upper};
  u->n++;
}

static cr_status list_unknowns(unknowns* u, const cr_model* m, cr_error* error) {
  const cr_real far = CR_R(0.1), least = CR_R(1e-4), most = CR_R(0.02), none = CR_R(1e6);
  int n;
  const cr_real* place = cr_model_numbers(m, "geom_pos", NULL, NULL);
  const cr_real* weight = cr_model_numbers(m, "plugin_param", &n, NULL);
  if (4 * N_CORNER + N_CONTACT + n > MOST) {
    return cri_fail(error, CR_ERR_ARG, "%d weights of a correction are too many", n);
  }
  for (int i = 0; i < 3 * N_CORNER; i++) {  // the board is geom 0
    (void)snprintf(u->name[u->n], NAME, "geom_pos[corner%d][%d]", i / 3, i % 3);
    add(u, place[3 + i], -far, far, CR_R(0.02));
  }
  for (int i = 0; i < N_CORNER; i++) {
    (void)snprintf(u->name[u->n], NAME, "geom_size[corner%d][0]", i);
    add(u, (cr_real)radius, least, most, CR_R(0.02));
  }
  for (int i = 0; i < N_CONTACT; i++) {
    (void)snprintf(u->name[u->n], NAME, "%s", contact[i].target);
    add(u, cr_model_numbers(m, contact[i].field, NULL, NULL)[contact[i].at], contact[i].lower,
        contact[i].upper, contact[i].unit);
  }
  for (int i = 0; i < n; i++) {
    (void)snprintf(u->name[u->n], NAME, "plugin_param[%d]", i);
    add(u, weight[i], -none, none, 1);
  }
  return CR_OK;
}

static cr_status evaluate(void* context, int batch, const cr_real* y, cr_real* value,
                          cr_real* gradient, cr_error* error) {
  const unknowns* u = context;
  cr_real x[MOST];
  for (int i = 0; i < u->n; i++) {
    x[i] = u->unit[i] * y[i];
  }
  CR_TRY(cr_fit_objective(u->fit, batch, x, value, gradient, error));
  for (int i = 0; i < u->n; i++) {
    gradient[i] *= u->unit[i];
  }
  return CR_OK;
}

static cr_status search(unknowns* u, int epochs, cr_real* p, cr_real loss[2], cr_error* error) {
  enum { WINDOWS = 32 };
  cr_fit_info info = {.size = sizeof info};
  cr_real y[MOST], lower[MOST], upper[MOST], gradient[MOST];
  CR_TRY(cr_fit_get_info(u->fit, CR_FIT_TRAIN, &info, error));
  CR_TRY(cr_fit_set_batch(u->fit, WINDOWS < info.windows ? WINDOWS : info.windows, error));
  for (int i = 0; i < u->n; i++) {
    y[i] = u->item[i].start / u->unit[i];
    lower[i] = u->item[i].lower / u->unit[i];
    upper[i] = u->item[i].upper / u->unit[i];
  }
  const cr_minimise_problem problem = {.size = sizeof problem,
                                       .n = u->n,
                                       .evaluate = evaluate,
                                       .context = u,
                                       .lower = lower,
                                       .upper = upper};
  const cr_adam_options how = {.size = sizeof how,
                               .iterations = epochs * ((info.windows + WINDOWS - 1) / WINDOWS),
                               .rate = CR_R(0.02),
                               .final_rate = CR_R(0.002),
                               .batches = true};
  CR_TRY(evaluate(u, CR_ALL_DATA, y, &loss[0], gradient, error));
  CR_TRY(cr_minimise_adam(&problem, &how, y, NULL, error));
  CR_TRY(evaluate(u, CR_ALL_DATA, y, &loss[1], gradient, error));
  for (int i = 0; i < u->n; i++) {
    p[i] = u->unit[i] * y[i];
  }
  return CR_OK;
}

static cr_status bind(const unknowns* u, const cr_model* m, cr_parameters** ps, cr_error* error) {
  const cr_parameter_info* list[MOST];
  for (int i = 0; i < u->n; i++) {
    list[i] = &u->item[i];
  }
  return cr_parameters_create(ps, m, list, u->n, error);
}

// the model with the numbers p in the place of its own
static cr_status keep(unknowns* u, const cr_real* p, cr_model** m, cr_error* error) {
  cr_parameters* ps = NULL;
  cr_model* trained = NULL;
  for (int i = 0; i < u->n; i++) {
    u->item[i].start = p[i];
  }
  CR_TRY(bind(u, *m, &ps, error));
  cr_status status = cr_model_copy(&trained, cr_parameters_model(ps), error);
  cr_parameters_destroy(ps);
  if (status == CR_OK) {
    cr_model_destroy(*m);
    *m = trained;
  }
  return status;
}

static cr_status train(unknowns* u, cr_model** m, const cr_cube_lesson* lesson, cr_real loss[2],
                       cr_error* error) {
  const cr_fit_options options = cri_cube_windows(lesson->seed, lesson->stop, lesson->context);
  cr_parameters* ps = NULL;
  cr_real p[MOST];
  CR_TRY(list_unknowns(u, *m, error));
  CR_TRY(bind(u, *m, &ps, error));
  cr_status status = cr_fit_create(&u->fit, ps, lesson->tosses, &options, error);
  status = status == CR_OK ? search(u, lesson->epochs, p, loss, error) : status;
  cr_fit_destroy(u->fit);
  cr_parameters_destroy(ps);
  return status == CR_OK ? keep(u, p, m, error) : status;
}

cr_status cri_cube_free_corners(cr_model** m, const cr_model* corners, const cr_cube_lesson* lesson,
                                cr_real loss[2], cr_error* error) {
  *m = NULL;
  unknowns* u = calloc(1, sizeof *u);
  CR_TRY(u != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for free corners"));
  cr_status status = cr_model_copy(m, corners, error);
  status = status == CR_OK ? cri_cube_add_friction(*m, lesson->seed, error) : status;
  status = status == CR_OK ? train(u, m, lesson, loss, error) : status;
  free(u);
  return status;
}

// ---- beside the simulator. A row of a recording is a state: qpos and qvel

static cr_status rows_of(const cr_recordings* tosses, cri_sighted* s, cr_error* error) {
  const int n = cr_recordings_count(tosses);
  *s = (cri_sighted){.n = n, .first = calloc((size_t)n + 1, sizeof *s->first)};
  for (int pass = 0; pass < 2; pass++) {
    if (s->first == NULL || (pass == 1 && s->seen == NULL)) {
      return cri_fail(error, CR_ERR_MEMORY, "no memory for tosses");
    }
    for (int i = 0; i < n; i++) {
      cr_recording_info toss = {.size = sizeof toss};
      CR_TRY(cr_recordings_get(tosses, i, &toss, error));
      if (pass == 1) {
        cr_copy(s->seen + (ptrdiff_t)CRI_STATE * s->first[i], toss.values, CRI_STATE * toss.rows);
      }
      s->first[i + 1] = s->first[i] + toss.rows;
    }
    s->seen = pass == 0 ? malloc((size_t)s->first[n] * CRI_STATE * sizeof *s->seen) : s->seen;
  }
  return CR_OK;
}

cr_status cri_cube_beside(cri_step_network* r, const cr_model* m, const cr_cube_lesson* lesson,
                          cr_error* error) {
  enum { PATIENCE = 30 };
  const cri_step_lesson how = {.epochs = lesson->epochs,
                               .patience = PATIENCE,
                               .seed = lesson->seed,
                               .stop = lesson->stop,
                               .context = lesson->context};
  cri_sighted tosses;
  *r = (cri_step_network){.m = NULL};
  cr_status status = rows_of(lesson->tosses, &tosses, error);
  status = status == CR_OK ? cri_step_network_train(r, m, &how, &tosses, error) : status;
  cri_sighted_free(&tosses);
  return status;
}

cr_status cri_cube_beside_predict(cri_step_network* r, const cr_recording_info* toss, cr_real* rows,
                                  cr_error* error) {
  const cri_addition more = cri_step_network_addition(r);
  cr_data* d = NULL;
  CR_TRY(cr_data_create(&d, r->m, error));
  cr_status status = CR_OK;
  cr_copy(rows, toss->values, CRI_STATE);
  for (int k = 1; k < toss->rows && status == CR_OK; k++) {
    const cr_real* state = rows + (ptrdiff_t)CRI_STATE * (k - 1);
    cr_real* next = rows + (ptrdiff_t)CRI_STATE * k;
    status = cri_tossed_step(r->m, d, state, error);
    status = status == CR_OK ? cri_tossed_state(r->m, d, next, error) : status;
    status = status == CR_OK ? more.add(more.context, state, next, error) : status;
  }
  cr_data_destroy(d);
  return status;
}

// ---- without a simulator

cr_status cri_cube_gates_train(cr_cube_gates* c, const cr_cube_lesson* lesson, cr_error* error) {
  const cri_gate_lesson how = {.seed = lesson->seed,
                               .share = lesson->share,
                               .stop = lesson->stop,
                               .context = lesson->context};
  cri_sighted tosses = {.n = 0};
  cr_real loss;
  *c = (cr_cube_gates){.p = NULL};
  CR_TRY(cri_gates_make(&c->g, cr_recordings_interval(lesson->tosses), error));
  c->p = malloc(((size_t)c->g.n + cri_gates_room(&c->g)) * sizeof *c->p);
  CR_TRY(c->p != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for gates of contact"));
  c->room = c->p + c->g.n;
  cr_status status = rows_of(lesson->tosses, &tosses, error);
  status = status == CR_OK ? cri_gates_train(&c->g, &how, &tosses, c->p, &loss, error) : status;
  cri_sighted_free(&tosses);
  return status;
}

void cri_cube_gates_free(cr_cube_gates* c) {
  free(c->p);
  cri_gates_free(&c->g);
}

void cri_cube_gates_predict(const cr_cube_gates* c, const cr_recording_info* toss, cr_real* rows) {
  cr_copy(rows, toss->values, CRI_STATE);
  for (int k = 1; k < toss->rows; k++) {
    cr_real* next = rows + (ptrdiff_t)CRI_STATE * k;
    cri_gates_step(&c->g, c->p, next - CRI_STATE, next, c->room);
  }
}
