// SPDX-License-Identifier: Apache-2.0
// The free hull.
#include "physics/free_hull.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"
#include "notebook/scene_file.h"

// the shell is what an error of sight turns; inertia and centre of mass stay with the box
static const char head[] =
    "<mujoco model=\"a body with free corners on a plane\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 -9.81\">\n"
    "    <flag refsafe=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" priority=\"1\" solref=\"-1 -1\" "
    "friction=\"0.5 0.005 0.0001\"/>\n"
    "    <body name=\"box\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"0.37\" diaginertia=\"1e-3 1e-3 1e-3\"/>\n"
    "      <body name=\"shell\">\n";
static const char corner[] =
    "        <geom name=\"corner%d\" type=\"sphere\" size=\"%g\" mass=\"0\" pos=\"%g %g %g\"/>\n";
static const char tail[] =
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

enum { TEXT = 4096 };
static const double radius = 1e-4;  // m
static const cr_real reach = CR_R(0.3), corner_unit = CR_R(0.03);

// -1 or 1: corner i of a cube along axis k
static double side_of(int i, int k) { return (i >> k & 1) != 0 ? 1 : -1; }

static cr_status open_model(const cr_notebook* book, cri_unknown* u, cr_error* error) {
  char text[TEXT];
  int n = snprintf(text, sizeof text, head, (double)cri_tossed_timestep);
  for (int i = 0; i < CRI_N_CORNER; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, corner, i, radius, 0.04 * side_of(i, 0),
                  0.04 * side_of(i, 1), 0.04 * side_of(i, 2));
  }
  (void)snprintf(text + n, sizeof text - (size_t)n, "%s", tail);
  CR_TRY(cri_scene_open(book, "hull", text, &u->m, error));
  return cri_unknown_set_distance(u->m, error);
}

static void add_corners(cri_unknown* u) {
  for (int i = 0; i < 3 * CRI_N_CORNER; i++, u->n++) {
    (void)snprintf(u->target[u->n], sizeof u->target[u->n], "geom_pos[corner%d][%d]", i / 3, i % 3);
    u->unit[u->n] = corner_unit;
    u->item[u->n] = (cr_parameter_info){.size = sizeof(cr_parameter_info),
                                        .name = u->target[u->n],
                                        .target = u->target[u->n],
                                        .kind = CR_FIT_FIELD,
                                        .lower = -reach,
                                        .upper = reach};
  }
}

cr_status cri_hull_open(const cr_notebook* book, cri_unknown** hull, cr_error* error) {
  CR_TRY(cri_unknown_create(hull, error));
  cri_unknown* u = *hull;
  u->turned = "body_quat[shell]";
  for (u->n = 0; u->n < CRI_HULL_CORNERS; u->n++) {
    u->item[u->n] = cri_box_unknowns[CRI_BOX_INERTIA + u->n];
    u->unit[u->n] = 1;
  }
  add_corners(u);
  return open_model(book, u, error);
}

void cri_hull_start(const cr_real* box, double spread, int number, cr_real* p) {
  cr_random random = cr_random_seed((uint64_t)number, 5);
  cr_copy(p, box + CRI_BOX_INERTIA, CRI_HULL_CORNERS);
  for (int i = 0; i < 3 * CRI_N_CORNER; i++) {
    const double moved = (double)cr_random_range(&random, (cr_real)-spread, (cr_real)spread);
    const double half = (double)box[CRI_BOX_HALF];
    p[CRI_HULL_CORNERS + i] = (cr_real)(half * (side_of(i / 3, i % 3) + moved));
  }
}

// c + 2 u x (u x c + w c), (w, u) the quaternion
static void turn_point(const cr_real q[4], cr_real c[3]) {
  const cr_real* u = q + 1;
  const cr_real t[3] = {u[1] * c[2] - u[2] * c[1] + q[0] * c[0],
                        u[2] * c[0] - u[0] * c[2] + q[0] * c[1],
                        u[0] * c[1] - u[1] * c[0] + q[0] * c[2]};
  const cr_real more[3] = {u[1] * t[2] - u[2] * t[1], u[2] * t[0] - u[0] * t[2],
                           u[0] * t[1] - u[1] * t[0]};
  for (int k = 0; k < 3; k++) {
    c[k] += 2 * more[k];
  }
}

void cri_hull_turn(cr_real* p, const cr_real turn[4]) {
  for (int i = 0; i < CRI_N_CORNER; i++) {
    turn_point(turn, p + CRI_HULL_CORNERS + 3 * (ptrdiff_t)i);
  }
}

static double distance(const cr_real* a, const cr_real* b) {
  double squares = 0;
  for (int k = 0; k < 3; k++) {
    squares += (double)((a[k] - b[k]) * (a[k] - b[k]));
  }
  return sqrt(squares);
}

double cri_hull_edge_error(const cr_real* p, double side) {
  const cr_real* at = p + CRI_HULL_CORNERS;
  double sum = 0;
  for (int i = 0; i < CRI_N_CORNER; i++) {
    for (int k = 0; k < 3; k++) {
      const int j = i | 1 << k;  // the other end of the edge
      sum += j != i ? fabs(distance(at + 3 * (ptrdiff_t)i, at + 3 * (ptrdiff_t)j) - side) : 0;
    }
  }
  return sum / 12;
}
