// SPDX-License-Identifier: Apache-2.0
// The model of a push, as MJCF.
#include "recorded/push_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/real.h"
#include "carom/contact.h"
#include "tools/files.h"

const double cr_push_depth = 1e-4;                                        // m
static const double grid = 0.02, foot_radius = 0.002, thickness = 0.013;  // m
static const double gravity = 9.81;
// the finger: kg, N/m, N s/m; critically damped at 100 rad/s. A push of 5 N moves it by 5 um
static const double finger_mass = 100, finger_kp = 1e6, finger_kv = 2e4;

// ---- text

typedef struct {
  char text[1 << 16];
  size_t n;
} page;

__attribute__((format(printf, 2, 3))) static void put(page* p, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof p->text - p->n;
  int n = vsnprintf(p->text + p->n, room, format, arguments);
  va_end(arguments);
  p->n += n > 0 && (size_t)n < room ? (size_t)n : room;  // a full page is refused by the parser
  p->n = p->n < sizeof p->text ? p->n : sizeof p->text - 1;
}

static void put_mesh(page* p, const cr_push_shape* shape, const cr_outline_piece* piece, int i) {
  put(p, "    <mesh name=\"piece%d\" vertex=\"", i);
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < piece->n; k++) {
      const double* at = shape->outline.at[piece->corner[k]];
      put(p, "%.6g %.6g %g ", at[0], at[1], side * thickness);
    }
  }
  put(p, "\"/>\n");
}

static void put_pieces(page* p, const cr_push_shape* shape, int npiece) {
  if (shape->ellipse) {
    // a tall one: near the finger it is upright
    put(p,
        "        <geom name=\"piece0\" class=\"plate\" type=\"ellipsoid\" size=\"%.9g %.9g 0.1\" "
        "pos=\"0 0 %g\"/>\n",
        shape->semi[0], shape->semi[1], thickness / 2);
  }
  for (int i = 0; i < npiece; i++) {
    put(p, "        <geom name=\"piece%d\" class=\"plate\" type=\"mesh\" mesh=\"piece%d\"/>\n", i,
        i);
  }
}

int cri_push_points(const cr_push_shape* shape, double at[CR_PUSH_POINTS][2]) {
  int n = 0;
  for (int i = -8; i <= 8; i++) {
    for (int j = -8; j <= 8 && n < CR_PUSH_POINTS; j++) {
      if (cri_outline_has(&shape->outline, shape->centroid[0] + grid * i,
                          shape->centroid[1] + grid * j)) {
        at[n][0] = grid * i;
        at[n++][1] = grid * j;
      }
    }
  }
  return n;
}

static void put_scene(page* p, const cr_push_data* data, const cr_push_shape* shape,
                      const cr_outline_piece* pieces, int npiece) {
  double at[CR_PUSH_POINTS][2];
  int n = cri_push_points(shape, at);
  double load = shape->mass * gravity / n;
  put(p,
      "<mujoco model=\"push\">\n"
      "  <!-- carom: --contact-model hunt_crossley; the finger's contacts by ncp -->\n"
      "  <option timestep=\"0.002\" gravity=\"0 0 -%g\" cone=\"elliptic\" integrator=\"Euler\"/>\n"
      "  <default>\n"
      "    <default class=\"plate\"><geom mass=\"0\" contype=\"0\" conaffinity=\"2\"/></default>\n"
      "    <default class=\"foot\">\n"
      "      <geom type=\"sphere\" size=\"%g\" mass=\"0\" contype=\"0\" conaffinity=\"1\"/>\n"
      "    </default>\n"
      "  </default>\n"
      "  <asset>\n",
      gravity, foot_radius);
  for (int i = 0; i < npiece; i++) {
    put_mesh(p, shape, &pieces[i], i);
  }
  put(p,
      "  </asset>\n"
      "  <worldbody>\n"
      "    <!-- each foot carries %.4g N at a depth of %g m -->\n"
      "    <geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" contype=\"1\" conaffinity=\"0\" "
      "priority=\"1\" friction=\"0.4\"/>\n"
      "    <body name=\"finger\" pos=\"0 0 %g\">\n"
      "      <joint name=\"finger_x\" type=\"slide\" axis=\"1 0 0\"/>\n"
      "      <joint name=\"finger_y\" type=\"slide\" axis=\"0 1 0\"/>\n"
      "      <geom name=\"finger\" type=\"sphere\" size=\"%.9g\" mass=\"%g\" contype=\"2\" "
      "conaffinity=\"0\" priority=\"1\" friction=\"0.3\"/>\n"
      "    </body>\n"
      "    <body name=\"body\">\n"
      "      <joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/>\n"
      "      <joint name=\"y\" type=\"slide\" axis=\"0 1 0\"/>\n"
      "      <joint name=\"yaw\" axis=\"0 0 1\"/>\n"
      "      <inertial pos=\"%.9g %.9g 0.0065\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n"
      "      <body name=\"plate\">\n",
      load, cr_push_depth, thickness / 2, data->radius, finger_mass, shape->centroid[0],
      shape->centroid[1], shape->mass, shape->inertia, shape->inertia, shape->inertia);
  put_pieces(p, shape, npiece);
  put(p, "      </body>\n      <body name=\"feet\" pos=\"%.9g %.9g %.9g\">\n", shape->centroid[0],
      shape->centroid[1], foot_radius - cr_push_depth);
  for (int i = 0; i < n; i++) {
    put(p, "        <geom name=\"foot%d\" class=\"foot\" pos=\"%.9g %.9g 0\"/>\n", i, at[i][0],
        at[i][1]);
  }
  put(p,
      "      </body>\n"
      "    </body>\n"
      "  </worldbody>\n"
      "  <actuator>\n"
      "    <position name=\"to_x\" joint=\"finger_x\" kp=\"%g\" kv=\"%g\"/>\n"
      "    <position name=\"to_y\" joint=\"finger_y\" kp=\"%g\" kv=\"%g\"/>\n"
      "  </actuator>\n"
      "</mujoco>\n",
      finger_kp, finger_kv, finger_kp, finger_kv);
}

// ---- the model

static cr_status set_contacts(cr_model* m, const cr_push_shape* shape, cr_error* error) {
  double at[CR_PUSH_POINTS][2];
  double load = shape->mass * gravity / cri_push_points(shape, at);
  const cr_real stiffness = (cr_real)(load / (cr_push_depth * sqrt(cr_push_depth))),
                transition = CR_R(0.01);
  // softens contacts that neighbouring pieces share; 4 N go 4 um deep
  const cr_real mixing = CR_R(1e-4);
  CR_TRY(cr_model_set(m, "ncp_cfm", &mixing, 1, error));
  CR_TRY(cr_model_set_choice(m, "contact_model", "hunt_crossley", error));
  CR_TRY(cr_model_set(m, "geom_hunt_crossley[floor][0]", &stiffness, 1, error));
  CR_TRY(cr_model_set(m, "geom_hunt_crossley[floor][3]", &transition, 1, error));
  return cr_model_set_contact_pair(m, cr_model_id(m, "geom", "finger"), -1, "ncp", error);
}

cr_status cri_push_scene(const char* folder, const cr_push_data* data, int number, cr_model** m,
                         cr_error* error) {
  static const page empty = {.n = 0};
  const cr_push_shape* shape = &data->shape[number];
  cr_outline_piece pieces[CR_OUTLINE_PIECES];
  double at[CR_PUSH_POINTS][2];
  char name[2 * CR_PUSH_NAME + 16], path[CR_MAX_PATH];
  int npiece = 0;
  page p = empty;
  if (cri_push_points(shape, at) == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "shape %s: no point of a grid of 2 cm lies below it",
                    shape->name);
  }
  if (!shape->ellipse) {
    cr_error why;
    cr_status status = cri_outline_pieces(&shape->outline, pieces, &npiece, &why);
    CR_TRY(status == CR_OK ? CR_OK
                           : cri_fail(error, status, "shape %s: %s", shape->name, why.text));
  }
  put_scene(&p, data, shape, pieces, npiece);
  (void)snprintf(name, sizeof name, "push_%s_%s.xml", shape->surface, shape->name);
  CR_TRY(cri_path_join(path, folder, name, error));
  CR_TRY(cri_file_write(path, p.text, p.n, error));
  CR_TRY(cr_model_open(m, path, error));
  cr_status status = set_contacts(*m, shape, error);
  if (status != CR_OK) {
    cr_model_destroy(*m);
    *m = NULL;
  }
  return status;
}

// ---- the finger

void cri_push_control(const cr_push* push, double h, int k, cr_real* ctrl, double* velocity) {
  double at[3][2];
  for (int i = 0; i < 3; i++) {
    cri_push_finger(push, h * (k - 1 + i), at[i]);
  }
  for (int j = 0; j < 2; j++) {
    // semi-implicit Euler: from v = (p_k - p_k-1) / h the force M a leads to p_k+1
    double v = (at[1][j] - at[0][j]) / h, a = (at[2][j] - 2 * at[1][j] + at[0][j]) / (h * h);
    ctrl[j] = (cr_real)(at[1][j] + (finger_mass * a + finger_kv * v) / finger_kp);
    if (velocity != NULL) {
      velocity[j] = v;
    }
  }
}
