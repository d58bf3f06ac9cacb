// SPDX-License-Identifier: Apache-2.0
// The unknown box.
#include "physics/physics_box.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "notebook/scene_file.h"

const char* const cri_law_names[CRI_N_LAW] = {"true", "ice", "elastic"};

// solref of -1: factors on it are stiffness and damping. The floor's priority makes its friction and solref those of the contact
static const char scene[] =
    "<mujoco model=\"an unknown box on a plane\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 -9.81\"%s>\n"
    "    <flag refsafe=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" priority=\"1\" solref=\"-1 %s\" "
    "friction=\"%s 0.005 0.0001\"/>\n"
    "    <body name=\"box\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"1e-3 1e-3 1e-3\"/>\n"
    "      <geom name=\"box\" type=\"box\" size=\"0.04 0.04 0.04\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

static const struct {
  const char *file, *medium, *damping, *friction;
} laws[CRI_N_LAW] = {
    [CRI_LAW_TRUE] = {"box", "", "-1", "0.5"},
    [CRI_LAW_ICE] = {"box_ice", " viscosity=\"1\"", "-1", "0.02"},
    [CRI_LAW_ELASTIC] = {"box_elastic", " viscosity=\"1\"", "-1e-6", "0.5"},
};

#define UNKNOWN(NAME, TARGET, KIND, LOWER, UPPER)                                          \
  {                                                                                        \
    .size = sizeof(cr_parameter_info), .name = (NAME), .target = (TARGET), .kind = (KIND), \
    .transform = CR_TRANSFORM_LOG, .start = CR_R(LOWER), .lower = CR_R(LOWER),             \
    .upper = CR_R(UPPER)                                                                   \
  }
const cr_parameter_info cri_box_unknowns[CRI_BOX_N] = {
    [CRI_BOX_HALF] = UNKNOWN("half side", "geom_size[box]", CR_FIT_TIED, 0.01, 0.3),
    [CRI_BOX_INERTIA] = UNKNOWN("inertia", "body_inertia[box]", CR_FIT_TIED, 1e-5, 1e-1),
    [CRI_BOX_FRICTION] = UNKNOWN("friction", "geom_friction[floor][0]", CR_FIT_FIELD, 1e-2, 5.),
    [CRI_BOX_STIFFNESS] = UNKNOWN("stiffness", "geom_solref[floor][0]", CR_FIT_SCALE, 1., 1e5),
    [CRI_BOX_DAMPING] = UNKNOWN("damping", "geom_solref[floor][1]", CR_FIT_SCALE, 0.1, 1e4)};
static const cr_parameter_info viscosity =
    UNKNOWN("viscosity", "viscosity", CR_FIT_FIELD, 1e-4, 1e2);

static const double mass = 0.37;

// ---- starts

// half side, radius of gyration, friction, stiffness, damping ratio
static const double range[CRI_BOX_N][2] = {
    {0.025, 0.1}, {0.02, 0.08}, {0.1, 2}, {30, 10000}, {0.2, 3}};
static const double viscosity_range[2] = {0.02, 2};

static double draw(cr_random* random, const double between[2]) {
  return exp((double)cr_random_range(random, (cr_real)log(between[0]), (cr_real)log(between[1])));
}

static void start_box(int number, cr_real* p) {
  cr_random random = cr_random_seed((uint64_t)number, 3);
  double drawn[CRI_BOX_N];
  for (int i = 0; i < CRI_BOX_N; i++) {
    drawn[i] = draw(&random, range[i]);
    p[i] = (cr_real)drawn[i];
  }
  p[CRI_BOX_INERTIA] = (cr_real)(mass * drawn[1] * drawn[1]);
  p[CRI_BOX_DAMPING] = (cr_real)(2 * drawn[4] * sqrt(drawn[3]));
}

static void start_with(int number, int place, cr_real* p) {
  cr_random random = cr_random_seed((uint64_t)number, 4);
  start_box(number, p);
  p[place] = (cr_real)draw(&random, viscosity_range);
}

static void start_ice(int number, cr_real* p) { start_with(number, CRI_BOX_FRICTION, p); }

static void start_elastic(int number, cr_real* p) { start_with(number, CRI_BOX_DAMPING, p); }

void cri_box_truth(int floor, cr_real p[CRI_BOX_N]) {
  const double k = cri_floors[floor].stiffness;
  p[CRI_BOX_HALF] = (cr_real)(cri_tossed_side / 2);
  p[CRI_BOX_INERTIA] = CR_R(6.167e-4);
  p[CRI_BOX_FRICTION] = 1;
  p[CRI_BOX_STIFFNESS] = (cr_real)k;
  p[CRI_BOX_DAMPING] = (cr_real)(2 * cri_tossed_damping_ratio * sqrt(k));
}

// ---- the model

static cr_status open_model(const cr_notebook* book, cri_law law, cri_unknown* u, cr_error* error) {
  char text[2048];
  (void)snprintf(text, sizeof text, scene, (double)cri_tossed_timestep, laws[law].medium,
                 laws[law].damping, laws[law].friction, mass);
  CR_TRY(cri_scene_open(book, laws[law].file, text, &u->m, error));
  return cri_unknown_set_distance(u->m, error);
}

cr_status cri_box_open(const cr_notebook* book, cri_law law, cri_unknown** box, cr_error* error) {
  static void (*const starts[CRI_N_LAW])(int number, cr_real* p) = {start_box, start_ice,
                                                                    start_elastic};
  CR_TRY(cri_unknown_create(box, error));
  cri_unknown* u = *box;
  u->turned = "geom_quat[box]";
  u->start = starts[law];
  for (u->n = 0; u->n < CRI_BOX_N; u->n++) {
    u->item[u->n] = cri_box_unknowns[u->n];
    u->unit[u->n] = 1;
  }
  if (law != CRI_LAW_TRUE) {
    u->item[law == CRI_LAW_ICE ? CRI_BOX_FRICTION : CRI_BOX_DAMPING] = viscosity;
  }
  return open_model(book, law, u, error);
}
