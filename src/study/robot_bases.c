// SPDX-License-Identifier: Apache-2.0
#include "study/robot_bases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { N = CR_ROBOT_NUMBERS, STATES = 60, MOST_DOFS = 18 };

// ---- inverse dynamics over the numbers

// gives a body mass, first moments and inertia about its origin (xx, yy, zz, xy, xz, yz)
static void set_link(mjModel* mj, int body, const double* v) {
  double m = v[0], c[3] = {v[1] / m, v[2] / m, v[3] / m},
         cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  double xy = v[7] + m * c[0] * c[1], xz = v[8] + m * c[0] * c[2], yz = v[9] + m * c[1] * c[2];
  const double full[9] = {v[4] - m * (cc - c[0] * c[0]), xy, xz, xy,
                          v[5] - m * (cc - c[1] * c[1]), yz, xz, yz,
                          v[6] - m * (cc - c[2] * c[2])};
  double vectors[9];
  mj->body_mass[body] = m;
  memcpy(mj->body_ipos + 3 * (ptrdiff_t)body, c, sizeof c);
  mju_eig3(mj->body_inertia + 3 * (ptrdiff_t)body, vectors, mj->body_iquat + 4 * (ptrdiff_t)body,
           full);
}

static void random_state(const mjModel* mj, mjData* d, cr_random* random) {
  mj_resetData(mj, d);
  for (int i = 0; i < mj->nv; i++) {
    d->qvel[i] = 2 * (double)cr_random_normal(random);
    d->qacc[i] = 10 * (double)cr_random_normal(random);
  }
  double turn[MOST_DOFS];
  for (int i = 0; i < mj->nv; i++) {
    turn[i] = 1.5 * (double)cr_random_normal(random);
  }
  mj_integratePos(mj, d->qpos, turn, 1);
}

// one column: forces with the number 1 larger less those without, exact as forces are linear in the numbers
static void column(mjModel* mj, mjData* d, const cr_robot_parameters* list, int number,
                   double* to) {
  const double base[10] = {3, 0, 0, 0, 2, 2, 2, 0, 0, 0};
  int nlink = list->nlink, armature = 10 * nlink + 2 * list->njoint;
  bool link = number < 10 * nlink;
  memset(to, 0, sizeof *to * (size_t)mj->nv);
  if (!link && (number < armature || number >= armature + list->njoint)) {
    return;
  }
  for (int side = 0; side < 2; side++) {
    double v[10];
    memcpy(v, base, sizeof v);
    if (link) {
      v[number % 10] += side;
      set_link(mj, number / 10 + 1, v);
    } else {
      mj->dof_armature[mj->nv - list->njoint + number - armature] = side;
    }
    mj_inverse(mj, d);
    for (int i = 0; i < mj->nv; i++) {
      to[i] += (side == 1 ? 1 : -1) * d->qfrc_inverse[i];
    }
  }
  if (link) {
    set_link(mj, number / 10 + 1, base);
  } else {
    mj->dof_armature[mj->nv - list->njoint + number - armature] = 0;
  }
}

static void gather(mjModel* mj, mjData* d, const cr_robot_parameters* list, int n, double* G,
                   double* W) {
  const double base[10] = {3, 0, 0, 0, 2, 2, 2, 0, 0, 0};
  cr_random random = cr_random_seed(3, 0);
  mj->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_ACTUATION;
  for (int b = 0; b < list->nlink; b++) {
    set_link(mj, b + 1, base);
    mj->body_sameframe[b + 1] = mjSAMEFRAME_NONE;
    mj->body_simple[b + 1] = 0;
  }
  memset(mj->dof_armature, 0, sizeof *mj->dof_armature * (size_t)mj->nv);
  memset(mj->dof_damping, 0, sizeof *mj->dof_damping * (size_t)mj->nv);
  for (int k = 0; k < STATES; k++) {
    random_state(mj, d, &random);
    for (int j = 0; j < n; j++) {
      column(mj, d, list, j, W + (ptrdiff_t)j * mj->nv);
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        for (int v = 0; v < mj->nv; v++) {
          G[(ptrdiff_t)i * n + j] += W[(ptrdiff_t)i * mj->nv + v] * W[(ptrdiff_t)j * mj->nv + v];
        }
      }
    }
  }
}

// ---- which numbers are told, and what adds to them

// the order in which numbers become base parameters: armatures, then links from the tips, moments before mass
static int in_order(const cr_robot_parameters* list, int k) {
  int armature = 10 * list->nlink + 2 * list->njoint;
  if (k < list->njoint) {
    return armature + k;
  }
  int i = k - list->njoint, link = list->nlink - 1 - i / 10, part = (i % 10 + 1) % 10;
  return 10 * link + part;
}

// Gauss and Jordan: the columns that depend on earlier ones add to them
static void eliminate(cr_robot_bases* b, const cr_robot_parameters* list, double* G) {
  int n = b->n, moved = list->njoint + 10 * list->nlink;
  bool is_base[N] = {false};
  double size[N], largest = 0;
  for (int i = 0; i < n; i++) {
    size[i] = G[(ptrdiff_t)i * n + i];
    largest = fmax(largest, size[i]);
  }
  for (int k = 0; k < moved; k++) {
    int at = in_order(list, k);
    double* row = G + (ptrdiff_t)at * n;
    if (!(row[at] > 1e-9 * size[at] && size[at] > 1e-15 * largest)) {
      continue;
    }
    is_base[at] = true;
    double pivot = row[at];
    for (int j = 0; j < n; j++) {
      row[j] /= pivot;
    }
    for (int i = 0; i < n; i++) {
      double share = G[(ptrdiff_t)i * n + at];
      for (int j = 0; j < n && i != at; j++) {
        G[(ptrdiff_t)i * n + j] -= share * row[j];
      }
    }
  }
  int armature = 10 * list->nlink + 2 * list->njoint;
  b->nbase = 0;
  for (int i = 0; i < n; i++) {
    bool inert = i < 10 * list->nlink || (i >= armature && i < armature + list->njoint);
    double* to = b->combine + (ptrdiff_t)b->nbase * n;
    for (int j = 0; j < n; j++) {
      double share = inert && is_base[i] && !is_base[j] ? G[(ptrdiff_t)i * n + j] : 0;
      to[j] = fabs(share) > 1e-9 ? share : 0;
    }
    to[i] = 1;
    b->number[b->nbase] = i;
    b->nbase += !inert || is_base[i];
  }
}

cr_status cri_robot_bases(cr_robot_bases* b, const mjModel* model, const cr_robot_parameters* list,
                          cr_error* error) {
  *b = (cr_robot_bases){.n = 9 * list->nlink + list->n};
  size_t n = (size_t)b->n;
  b->combine = calloc((n + 1) * n, sizeof(double));
  double* room = calloc(n * n + n * MOST_DOFS, sizeof *room);
  mjModel* mj = mj_copyModel(NULL, model);
  mjData* d = mj != NULL ? mj_makeData(mj) : NULL;
  bool made = b->combine != NULL && room != NULL && d != NULL;
  if (made) {
    gather(mj, d, list, b->n, room, room + n * n);
    eliminate(b, list, room);
  }
  mj_deleteData(d);
  mj_deleteModel(mj);
  free(room);
  return made ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "robot: no memory for base parameters");
}

void cri_robot_bases_free(cr_robot_bases* b) {
  free(b->combine);
  *b = (cr_robot_bases){0};
}

void cri_robot_number_name(const cr_robot_parameters* list, int number, char* name, size_t size) {
  static const char* const parts[] = {"mass", "hx",  "hy",  "hz",  "Ixx",
                                      "Iyy",  "Izz", "Ixy", "Ixz", "Iyz"};
  if (number < 10 * list->nlink) {
    (void)snprintf(name, size, "%s.%s", list->names[number / 10], parts[number % 10]);
  } else {
    (void)snprintf(name, size, "%s", list->names[number - 9 * list->nlink]);
  }
}

// ---- at x

// of a link: mass, centre c and moments I about it, moved to the origin; or its tangent along dv
static void about_origin(const double* v, const double* dv, double* to) {
  const double m = v[0], *c = v + 1, dm = dv != NULL ? dv[0] : 0;
  static const int a[] = {0, 1, 2, 0, 0, 1}, b[] = {0, 1, 2, 1, 2, 2};
  double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  double dc[3] = {0}, dcc = 0;
  for (int i = 0; i < 3 && dv != NULL; i++) {
    dc[i] = dv[1 + i];
    dcc += 2 * c[i] * dc[i];
  }
  to[0] = dv != NULL ? dm : m;
  for (int i = 0; i < 3; i++) {
    to[1 + i] = dv != NULL ? dm * c[i] + m * dc[i] : m * c[i];
  }
  for (int k = 0; k < 6; k++) {
    double shape = (a[k] == b[k] ? cc : 0) - c[a[k]] * c[b[k]];
    double turn = (a[k] == b[k] ? dcc : 0) - dc[a[k]] * c[b[k]] - c[a[k]] * dc[b[k]];
    to[4 + k] = dv != NULL ? dv[4 + k] + dm * shape + m * turn : v[4 + k] + m * shape;
  }
}

static void combine(const cr_robot_bases* b, const double* numbers, cr_real* to, int stride) {
  for (int k = 0; k < b->nbase; k++) {
    double sum = 0;
    for (int j = 0; j < b->n; j++) {
      sum += b->combine[(ptrdiff_t)k * b->n + j] * numbers[j];
    }
    to[(ptrdiff_t)k * stride] = (cr_real)sum;
  }
}

cr_status cri_robot_bases_at(const cr_robot_bases* b, const cr_robot_parameters* list,
                             const cr_parameters* parameters, const cr_real* x, cr_real* values,
                             cr_real* jacobian, cr_error* error) {
  cr_real told[N];
  int n = b->n;
  double at[N], moved[N], tangent[N];
  cr_real* J = calloc((size_t)n * (size_t)n, sizeof *J);
  if (J == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "robot: no memory");
  }
  cr_status status = cr_parameters_report_values(parameters, x, told, J, error);
  for (int i = 0; i < n; i++) {
    at[i] = moved[i] = (double)told[i];
  }
  for (int l = 0; l < list->nlink; l++) {
    about_origin(at + 10 * l, NULL, moved + 10 * l);
  }
  combine(b, moved, values, 1);
  for (int j = 0; j < n && jacobian != NULL; j++) {
    for (int i = 0; i < n; i++) {
      moved[i] = tangent[i] = (double)J[(ptrdiff_t)i * n + j];
    }
    for (int l = 0; l < list->nlink; l++) {
      about_origin(at + 10 * l, tangent + 10 * l, moved + 10 * l);
    }
    combine(b, moved, jacobian + j, n);
  }
  free(J);
  return status;
}
