// SPDX-License-Identifier: Apache-2.0
// The unknown box.
#include "stiff/physics_box.h"

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "notebook/scene_file.h"

// solref of -1: factors on it are stiffness and damping. The floor's priority makes its friction and solref those of the contact
static const char scene[] =
    "<mujoco model=\"an unknown box on a plane\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 -9.81\">\n"
    "    <flag refsafe=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" priority=\"1\" solref=\"-1 -1\" "
    "friction=\"0.5 0.005 0.0001\"/>\n"
    "    <body name=\"box\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"1e-3 1e-3 1e-3\"/>\n"
    "      <geom name=\"box\" type=\"box\" size=\"0.04 0.04 0.04\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

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

static const double mass = 0.37;

cr_status cri_box_open(const cr_notebook* book, cr_model** m, cr_error* error) {
  char text[2048];
  (void)snprintf(text, sizeof text, scene, (double)cri_tossed_timestep, mass);
  CR_TRY(cri_scene_open(book, "box", text, m, error));
  CR_TRY(cr_model_set_option(*m, "cfd_dc", 0, error));
  CR_TRY(cr_model_set_option(*m, "cfd_d0", CR_R(0.9), error));
  CR_TRY(cr_model_set_option(*m, "cfd_mc", CR_R(0.001), error));
  return cr_model_set_option(*m, "cfd_pc", 12, error);
}

cr_status cri_box_set_reach(cr_model* m, cr_real reach, cr_error* error) {
  CR_TRY(cr_model_set_option(m, "cfd_wc", reach, error));
  return cr_model_set_option(m, "cfd_scale", reach / 50, error);
}

void cri_box_start(int start, cr_real p[CRI_BOX_N]) {
  // half side, radius of gyration, friction, stiffness, damping ratio
  static const double range[CRI_BOX_N][2] = {
      {0.025, 0.1}, {0.02, 0.08}, {0.1, 2}, {30, 10000}, {0.2, 3}};
  cr_random random = cr_random_seed((uint64_t)start, 3);
  double drawn[CRI_BOX_N];
  for (int i = 0; i < CRI_BOX_N; i++) {
    drawn[i] =
        exp((double)cr_random_range(&random, (cr_real)log(range[i][0]), (cr_real)log(range[i][1])));
    p[i] = (cr_real)drawn[i];
  }
  p[CRI_BOX_INERTIA] = (cr_real)(mass * drawn[1] * drawn[1]);
  p[CRI_BOX_DAMPING] = (cr_real)(2 * drawn[4] * sqrt(drawn[3]));
}

void cri_box_truth(int floor, cr_real p[CRI_BOX_N]) {
  const double k = cri_floors[floor].stiffness;
  p[CRI_BOX_HALF] = (cr_real)(cri_tossed_side / 2);
  p[CRI_BOX_INERTIA] = CR_R(6.167e-4);
  p[CRI_BOX_FRICTION] = 1;
  p[CRI_BOX_STIFFNESS] = (cr_real)k;
  p[CRI_BOX_DAMPING] = (cr_real)(2 * cri_tossed_damping_ratio * sqrt(k));
}

cr_status cri_box_model(const cr_model* box, const cr_real p[CRI_BOX_N], cr_model** m,
                        cr_error* error) {
  cr_parameter_info items[CRI_BOX_N];
  const cr_parameter_info* list[CRI_BOX_N];
  cr_parameters* parameters = NULL;
  *m = NULL;
  for (int i = 0; i < CRI_BOX_N; i++) {
    items[i] = cri_box_unknowns[i];
    items[i].start = p[i];
    list[i] = &items[i];
  }
  CR_TRY(cr_parameters_create(&parameters, box, list, CRI_BOX_N, error));
  cr_status status = cr_model_copy(m, cr_parameters_model(parameters), error);
  cr_parameters_destroy(parameters);
  return status;
}
