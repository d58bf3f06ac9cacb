// SPDX-License-Identifier: Apache-2.0
#include "jumps/bricks.h"

#include <math.h>
#include <stdio.h>

#include "notebook/scene_file.h"

const char* const cri_bricks_ways[CRI_N_BRICKS] = {"points", "balls", "fields"};

// Five times a common toy brick: 40 mm from stud to stud. The studs are 0.25 mm wider than the room between walls and tube.
#define COMPLIANT "compliant modulus=1e6 dissipation=1 transition=0.02 around=16"
#define RIGID(name) \
  "    <text name=\"pressure:" name "\" data=\"rigid transition=0.02 around=16\"/>\n"

static const char lower[] =
    "<mujoco>\n  <option timestep=\"0.001\"/>\n  <default>\n"
    "    <geom friction=\".3\" rgba=\".8 .3 .1 1\"/>\n"
    "    <default class=\"upper\">\n      <geom rgba=\".2 .4 .8 .5\"/>\n    </default>\n"
    "  </default>\n  <worldbody>\n"
    "    <geom name=\"base\" type=\"box\" size=\".0395 .0395 .024\"/>\n";

static const char upper[] =
    "    <body name=\"upper\" childclass=\"upper\" pos=\"0 0 .058\">\n      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\".145\" diaginertia=\"1.25e-4 1.25e-4 1.25e-4\"/>\n"
    "      <geom name=\"east\" type=\"box\" size=\".00375 .0395 .0205\" pos=\".03575 0 0\"/>\n"
    "      <geom name=\"west\" type=\"box\" size=\".00375 .0395 .0205\" pos=\"-.03575 0 0\"/>\n"
    "      <geom name=\"north\" type=\"box\" size=\".032 .00375 .0205\" pos=\"0 .03575 0\"/>\n"
    "      <geom name=\"south\" type=\"box\" size=\".032 .00375 .0205\" pos=\"0 -.03575 0\"/>\n"
    "      <geom name=\"plate\" type=\"box\" size=\".0395 .0395 .00375\" pos=\"0 0 .02425\"/>\n"
    "      <geom name=\"tube\" type=\"cylinder\" size=\".016285 .0205\"/>\n"
    "      <site name=\"hand\" pos=\"0 0 .028\"/>\n    </body>\n  </worldbody>\n";

static const char hand[] =
    "  <actuator>\n    <motor name=\"push\" site=\"hand\" gear=\"0 0 -1 0 0 0\"/>\n  </actuator>\n"
    "</mujoco>\n";

static const double pitch = 0.02, radius = 0.01225, half_height = 0.00425, foot = 0.024;

// a stud, or the balls that stand for it: below and above on its sides towards two walls and the tube
static int print_stud(char* text, size_t size, cri_bricks_way way, int i) {
  const double x = i % 2 == 0 ? -pitch : pitch, y = i < 2 ? -pitch : pitch, ball = 0.002;
  if (way != CRI_BRICKS_BALLS) {
    return snprintf(
        text, size,
        "    <geom name=\"stud%d\" type=\"cylinder\" size=\"%g %g\" pos=\"%g %g %g\"/>\n", i,
        radius, half_height, x, y, foot + half_height);
  }
  const double arm = radius - ball,
               towards[3][2] = {{copysign(arm, x), 0},
                                {0, copysign(arm, y)},
                                {-copysign(arm, x) * sqrt(0.5), -copysign(arm, y) * sqrt(0.5)}};
  int n = 0;
  for (int k = 0; k < 6; k++) {
    const double z = k < 3 ? foot + ball : foot + 2 * half_height - ball;
    n += snprintf(text + n, size - (size_t)n,
                  "    <geom type=\"sphere\" size=\"%g\" pos=\"%.9g %.9g %g\"/>\n", ball,
                  x + towards[k % 3][0], y + towards[k % 3][1], z);
  }
  return n;
}

static const char fields[] =
    "  <custom>\n"
    "    <text name=\"pressure:base\" data=\"" COMPLIANT
    "\"/>\n"
    "    <text name=\"pressure:stud0\" data=\"" COMPLIANT
    "\"/>\n"
    "    <text name=\"pressure:stud1\" data=\"" COMPLIANT
    "\"/>\n"
    "    <text name=\"pressure:stud2\" data=\"" COMPLIANT
    "\"/>\n"
    "    <text name=\"pressure:stud3\" data=\"" COMPLIANT "\"/>\n"  //
    RIGID("east") RIGID("west") RIGID("north") RIGID("south") RIGID("plate")
        RIGID("tube") "  </custom>\n";

cr_status cri_bricks_open(const cr_notebook* book, cri_bricks_way way, cr_model** m,
                          cr_error* error) {
  char text[8192], name[64];
  int n = snprintf(text, sizeof text, "%s", lower);
  for (int i = 0; i < 4; i++) {
    n += print_stud(text + n, sizeof text - (size_t)n, way, i);
  }
  (void)snprintf(text + n, sizeof text - (size_t)n, "%s%s%s", upper,
                 way == CRI_BRICKS_FIELDS ? fields : "", hand);
  (void)snprintf(name, sizeof name, "mating_%s", cri_bricks_ways[way]);
  return cri_scene_open(book, name, text, m, error);
}
