// SPDX-License-Identifier: Apache-2.0
// Jumps that contact makes: bodies moved through contact, forces, torques and their derivative along the way, by points of
// Carom and of MuJoCo, smooth collision detection and pressure fields.
#include <math.h>
#include <stdio.h>

#include "jumps/jump_scenes.h"
#include "jumps/jump_studies.h"
#include "notebook/sweep.h"
#include "tools/plot.h"

enum { N_ROW = CRI_N_JUMP_SCENE * CRI_N_JUMP_METHOD };

// jumps of forces that count, and of derivatives, relative to the largest; the shortest step for derivatives of MuJoCo,
// which is longer than their differences
#define FORCE_TOLERANCE CR_R(1e-4)
#define GRADIENT_TOLERANCE CR_R(1e-2)
#define GRADIENT_RESOLUTION CR_R(1e-4)

static const char csv[] = "contact_jumps.csv";
static const char header[] =
    "scene,method,contacts,force,torque,force_jumps,force_jump,torque_jumps,torque_jump,gradient_"
    "jumps,gradient_jump";
enum {
  R_SCENE,
  R_METHOD,
  R_CONTACTS,
  R_LARGEST,                // force, torque
  R_JUMPS = R_LARGEST + 2,  // number and largest of forces, of torques, of the gradient
  N_COLUMN = R_JUMPS + 6
};

typedef struct {
  cri_jump_probe probes[N_ROW];  // method after method of each scene
  int steps, points;             // of a sweep, of a curve
} jumps_study;

static cri_jump_probe* probe_of(jumps_study* s, int scene, int method) {
  return &s->probes[scene * CRI_N_JUMP_METHOD + method];
}

// ---- a row

static const int units[CRI_WRENCH] = {0, 0, 0, 1, 1, 1};

// forces (part 0) or torques (1) alone
typedef struct {
  cri_jump_probe* probe;
  int part;
} half_wrench;

static cr_status forces_of_part(void* context, cr_real at, cr_real* value, int* contacts,
                                cr_error* error) {
  const half_wrench* h = context;
  CR_TRY(cri_jump_forces(h->probe, at, value, contacts, error));
  cr_zero(value + (h->part == 0 ? 3 : 0), 3);
  return CR_OK;
}

static cr_jump_sweep sweep_of(cri_jump_probe* p, int steps) {
  return (cr_jump_sweep){.size = sizeof(cr_jump_sweep),
                         .function = cri_jump_gradient,
                         .context = p,
                         .n = CRI_WRENCH,
                         .unit = units,
                         .from = p->scene->from,
                         .to = p->scene->to,
                         .steps = steps,
                         .tolerance = GRADIENT_TOLERANCE,
                         .resolution = p->mj != NULL ? GRADIENT_RESOLUTION : 0};
}

// number of jumps and the largest
static cr_status count(const cr_jump_sweep* sweep, cr_real to[2], cr_jumps_result* r,
                       cr_error* error) {
  cr_jumps* jumps;
  cr_jump jump = {.size = sizeof jump};
  CR_TRY(cr_jumps_find(&jumps, sweep, error));
  cr_status status = cr_jumps_get_result(jumps, r, error);
  to[0] = (cr_real)r->count;
  to[1] = cr_jumps_get(jumps, 0, &jump, NULL) == CR_OK ? jump.relative : 0;
  cr_jumps_destroy(jumps);
  return status;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  jumps_study* s = context;
  cr_jumps_result r = {.size = sizeof r};
  cr_jump_sweep sweep = sweep_of(&s->probes[i], s->steps);
  row[R_SCENE] = (cr_real)(i / CRI_N_JUMP_METHOD);
  row[R_METHOD] = (cr_real)(i % CRI_N_JUMP_METHOD);
  CR_TRY(count(&sweep, row + R_JUMPS + 4, &r, error));
  row[R_CONTACTS] = (cr_real)r.contacts;
  sweep.function = forces_of_part;
  sweep.tolerance = FORCE_TOLERANCE;
  sweep.resolution = 0;
  for (int part = 0; part < 2; part++) {
    sweep.context = &(half_wrench){&s->probes[i], part};
    CR_TRY(count(&sweep, row + R_JUMPS + 2 * part, &r, error));
    row[R_LARGEST + part] = r.largest[part];
  }
  return CR_OK;
}

// ---- curves: torque and its derivative along the way, relative to the largest

static const char curves_csv[] = "contact_jumps_curves.csv";
static const char curves_header[] =
    "scene,at,points,mujoco,smooth,fields,points_slope,mujoco_slope,smooth_slope,fields_slope";
enum { C_AT = 1, C_TORQUE, C_SLOPE = C_TORQUE + CRI_N_JUMP_METHOD, N_CURVE_COLUMN = 10 };

static cr_real torque_of(const cr_real value[CRI_WRENCH]) {
  return cr_sqrt(value[3] * value[3] + value[4] * value[4] + value[5] * value[5]);
}

static cr_status trace(jumps_study* s, int scene, cr_table* t, cr_error* error) {
  const cri_jump_scene* of = &cri_jump_scenes[scene];
  const int first = t->rows;
  cr_real most[N_CURVE_COLUMN] = {0}, value[CRI_WRENCH];
  int contacts;
  for (int i = 0; i < s->points; i++) {
    cr_real* row = cri_table_row(t, t->rows);
    row[0] = (cr_real)scene;
    row[C_AT] = of->from + (of->to - of->from) * (cr_real)i / (cr_real)(s->points - 1);
    for (int k = 0; k < CRI_N_JUMP_METHOD; k++) {
      CR_TRY(cri_jump_forces(probe_of(s, scene, k), row[C_AT], value, &contacts, error));
      row[C_TORQUE + k] = torque_of(value);
      CR_TRY(cri_jump_gradient(probe_of(s, scene, k), row[C_AT], value, &contacts, error));
      row[C_SLOPE + k] = torque_of(value);
    }
    for (int k = C_TORQUE; k < N_CURVE_COLUMN; k++) {
      most[k] = cr_max(most[k], row[k]);
    }
  }
  for (int i = first; i < t->rows; i++) {
    for (int k = C_TORQUE; k < N_CURVE_COLUMN; k++) {
      cri_table_row(t, i)[k] /= most[k] > 0 ? most[k] : 1;
    }
  }
  return CR_OK;
}

static cr_status save_curves(jumps_study* s, const cr_notebook* book, cr_error* error) {
  cr_table t = {0};
  cr_status status =
      cri_table_create(&t, curves_csv, curves_header, NULL, CRI_N_JUMP_SCENE * s->points, error);
  for (int k = 0; k < CRI_N_JUMP_SCENE && status == CR_OK; k++) {
    status = trace(s, k, &t, error);
  }
  status = status == CR_OK ? cri_table_save(&t, book->folder, error) : status;
  cri_table_free(&t);
  return status;
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  static const char* const columns[2][CRI_N_JUMP_METHOD] = {
      {"points", "mujoco", "smooth", "fields"},
      {"points_slope", "mujoco_slope", "smooth_slope", "fields_slope"}};
  static const char* const labels[2] = {"torque / largest", "derivative / largest"};
  cr_curve curves[CRI_N_JUMP_SCENE][2][CRI_N_JUMP_METHOD];
  cr_chart charts[2 * CRI_N_JUMP_SCENE];
  for (int i = 0; i < CRI_N_JUMP_SCENE; i++) {
    for (int part = 0; part < 2; part++) {
      for (int k = 0; k < CRI_N_JUMP_METHOD; k++) {
        curves[i][part][k] = (cr_curve){
            curves_csv, "at", columns[part][k], cri_jump_methods[k], CR_CURVE_LINE, "scene", i};
      }
      charts[2 * i + part] = (cr_chart){cri_jump_scenes[i].coordinate,
                                        labels[part],
                                        false,
                                        false,
                                        0,
                                        1.05,
                                        curves[i][part],
                                        CRI_N_JUMP_METHOD};
    }
  }
  return cri_charts(book->folder, "contact_jumps",
                    "Torque of contacts along a coordinate, and its derivative", charts,
                    2 * CRI_N_JUMP_SCENE, 2, error);
}

// ---- claims

static const cr_real* row_of(cr_table* t, int scene, int method) {
  return cri_table_row(t, scene * CRI_N_JUMP_METHOD + method);
}

static void say_table(cr_notebook* book, cr_table* t) {
  cri_say(book,
          "Jumps of forces and torques above %g of the largest, of their derivative above %g: "
          "number and largest\n\n  %-28s %-8s %8s  %-16s %-16s %-16s\n",
          (double)FORCE_TOLERANCE, (double)GRADIENT_TOLERANCE, "scene", "contact", "contacts",
          "force", "torque", "derivative");
  for (int i = 0; i < t->rows; i++) {
    const cr_real* row = cri_table_row(t, i);
    char contacts[16] = "surface";
    if (i % CRI_N_JUMP_METHOD != CRI_BY_FIELDS) {
      (void)snprintf(contacts, sizeof contacts, "%.0f", (double)row[R_CONTACTS]);
    }
    cri_say(book, "  %-28s %-8s %8s", cri_jump_scenes[i / CRI_N_JUMP_METHOD].title,
            cri_jump_methods[i % CRI_N_JUMP_METHOD], contacts);
    for (int k = 0; k < 3; k++) {
      cri_say(book, "  %4.0f %-10.2g", (double)row[R_JUMPS + 2 * k],
              (double)row[R_JUMPS + 2 * k + 1]);
    }
    cri_say(book, "\n");
  }
  cri_say(book, "\n");
}

static void conclude(cr_notebook* book, cr_table* t) {
  say_table(book, t);
  double fields = 0, points = 0, apart = 0;
  for (int i = 0; i < CRI_N_JUMP_SCENE; i++) {
    for (int k = 0; k < 2; k++) {
      const int at = R_JUMPS + 2 * k;
      const cr_real *by_points = row_of(t, i, CRI_BY_POINTS) + at,
                    *by_mujoco = row_of(t, i, CRI_BY_MUJOCO) + at;
      fields = fmax(fields, (double)row_of(t, i, CRI_BY_FIELDS)[at]);
      points = fmax(points, (double)by_points[1]);
      apart = fmax(apart, fabs((double)(by_points[0] - by_mujoco[0])));
    }
  }
  cri_claim(book, fields, 0, 0, "", "pressure fields: most jumps of forces or torques in a scene");
  cri_claim(book, points, 0.1, (double)INFINITY, "", "points: largest jump of forces or torques");
  cri_claim(book, apart, 0, 0, "",
            "points of Carom and of MuJoCo: difference of the number of jumps");
  cri_claim(book, (double)row_of(t, CRI_JUMP_CUBE, CRI_BY_SMOOTH)[R_JUMPS + 4], 0, 0, "",
            "smooth, cube turned over the ground: jumps of the derivative");
}

// ---- the study

static cr_status compute(cr_notebook* book, jumps_study* s, cr_table* t, cr_error* error) {
  for (int i = 0; i < N_ROW; i++) {
    CR_TRY(cri_jump_probe_open(&s->probes[i], book, i / CRI_N_JUMP_METHOD, i % CRI_N_JUMP_METHOD,
                               error));
  }
  CR_TRY(cri_table_create(t, csv, header, NULL, N_ROW, error));
  CR_TRY(cri_sweep(book, t, CRI_N_JUMP_METHOD, work, s, error));
  CR_TRY(save_curves(s, book, error));
  conclude(book, t);
  return draw(book, error);
}

cr_status cri_study_contact_jumps(cr_notebook* book, cr_error* error) {
  bool brief = book->request.brief;
  jumps_study s = {.steps = brief ? 60 : 1000, .points = brief ? 60 : 600};
  cr_table table = {0};
  cr_status status = compute(book, &s, &table, error);
  cri_table_free(&table);
  for (int i = 0; i < N_ROW; i++) {
    cri_jump_probe_close(&s.probes[i]);
  }
  return status;
}
