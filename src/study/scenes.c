// SPDX-License-Identifier: Apache-2.0
// Scenes, with the numbers of the published experiments.
#include "study/scenes.h"

#include <stdio.h>

// direct stiffness and damping; with a constant impedance they are the acceleration's
const char cri_scene_wall[] =
    "<mujoco model=\"mass and wall\">\n"
    "  <option timestep=\"0.1\" gravity=\"0 0 0\">\n"
    "    <flag refsafe=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "    <body name=\"mass\">\n"
    "      <joint name=\"line\" type=\"slide\" axis=\"1 0 0\" limited=\"true\" range=\"0 100\"\n"
    "             solreflimit=\"-50 -1\" solimplimit=\"0.9999 0.9999 0.001 0.5 2\"/>\n"
    "      <geom type=\"sphere\" size=\"0.1\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

const char cri_scene_cube[] =
    "<mujoco model=\"cube and board\">\n"
    "  <option timestep=\"0.006756756756756757\"/>\n"
    "  <default>\n"
    "    <geom friction=\"0.4 0.01 0.1\" solref=\"0.02 1\" solimp=\"0.05 0.95 0.01 0.5 2\"/>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <geom name=\"board\" type=\"plane\" size=\"2 2 0.1\"/>\n"
    "    <body name=\"cube\" pos=\"0 0 0.2\">\n"
    "      <freejoint/>\n"
    "      <geom name=\"cube\" type=\"box\" size=\"0.0524 0.0524 0.0524\" mass=\"0.37\" "
    "priority=\"1\"/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

cr_status cri_scene_variant(cr_model** variant, const cr_model* m, const char* integrator,
                            const char* collision, cr_error* error) {
  CR_TRY(cr_model_copy(variant, m, error));
  CR_TRY(cr_model_set_choice(*variant, "integrator", integrator, error));
  CR_TRY(cr_model_set_choice(*variant, "collision", collision, error));
  return cr_model_set_option(*variant, "softness", CR_R(0.1), error);
}

// ---- tosses

const char* const cri_toss_names[CR_N_TOSS] = {"ball", "cube", "capsule", "cylinder", "ellipsoid"};
const cr_real cri_toss_y0[CR_N_TOSS] = {0, 0, CR_R(-0.04), 0, CR_R(-0.03)};

static const char toss_text[] =
    "<mujoco model=\"toss of a %s\">\n"
    "  <option gravity=\"0 0 -2\" timestep=\"0.01\" iterations=\"100\" tolerance=\"0\"\n"
    "          cone=\"pyramidal\">\n"
    "    <flag refsafe=\"disable\" eulerdamp=\"disable\"/>\n"
    "  </option>\n"
    "  <default>\n"
    "    <geom solref=\"0.005 1\" solimp=\"0 0.95 0.001 0.5 2\"/>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <geom name=\"floor\" type=\"plane\" size=\"20 20 0.125\" contype=\"0\"/>\n"
    "    <body name=\"%s\" pos=\"0 %.9g 0.2\">\n"
    "      <freejoint/>\n"
    "      <geom name=\"%s\" %s/>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

cr_status cri_scene_toss(const cr_notebook* book, int body, cr_model** m, cr_error* error) {
  static const char* const shapes[CR_N_TOSS] = {
      "type=\"sphere\" size=\"0.05\" density=\"1\"",
      "type=\"box\" size=\"0.05 0.05 0.05\" density=\"100\" euler=\"60 0 0\"",
      "type=\"capsule\" size=\"0.05 0.07\" density=\"50\" euler=\"60 0 0\"",
      "type=\"cylinder\" size=\"0.04 0.05\" density=\"100\" euler=\"70 10 0\"",
      "type=\"ellipsoid\" size=\"0.05 0.05 0.1\" density=\"200\" euler=\"80 0 0\"",
  };
  const char* name = cri_toss_names[body];
  char text[2048], file[64];
  (void)snprintf(text, sizeof text, toss_text, name, name, (double)cri_toss_y0[body], name,
                 shapes[body]);
  (void)snprintf(file, sizeof file, "toss_%s", name);
  return cri_scene_open(book, file, text, m, error);
}

// ---- billiard

static const char billiard_text[] =
    "<mujoco model=\"billiard\">\n"
    "  <option timestep=\"0.01\" gravity=\"0 0 %.9g\">\n"
    "    <flag refsafe=\"disable\" eulerdamp=\"disable\"/>\n"
    "  </option>\n"
    "  <default>\n"
    "    <geom solref=\"%s\" solimp=\"%s\"/>\n"
    "    <default class=\"table\">\n"
    "      <geom type=\"box\" contype=\"%d\" conaffinity=\"%d\"/>\n"
    "    </default>\n"
    "    <default class=\"ball\">\n"
    "      <joint type=\"free\" damping=\"0.0001\"/>\n"
    "      <geom type=\"sphere\" size=\"0.042\" mass=\"0.17\" contype=\"7\" "
    "friction=\"0.2 0.01 0.01\"/>\n"
    "    </default>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <geom class=\"table\" type=\"plane\" size=\"1.2 0.6 0.02\" pos=\"0 0 -0.015\"/>\n"
    "    <geom class=\"table\" size=\"1.25 0.05 0.05\" pos=\"0 0.65 0.025\"/>\n"
    "    <geom class=\"table\" size=\"1.25 0.05 0.05\" pos=\"0 -0.65 0.025\"/>\n"
    "    <geom class=\"table\" size=\"0.05 0.6 0.05\" pos=\"1.2 0 0.025\"/>\n"
    "    <geom class=\"table\" size=\"0.05 0.6 0.05\" pos=\"-1.2 0 0.025\"/>\n"
    "    <body name=\"cue\" pos=\"-0.375 0 0.1\" childclass=\"ball\"><joint/><geom/></body>\n"
    "    <body name=\"eight\" pos=\"-0.2 0 0.1\" childclass=\"ball\"><joint/><geom/></body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

cr_status cri_scene_billiard(const cr_notebook* book, bool gravity, cr_model** m, cr_error* error) {
  char text[4096];
  (void)snprintf(text, sizeof text, billiard_text, gravity ? -9.81 : 0.0,
                 gravity ? "0.01 0.2" : "0.1 0.2",
                 gravity ? "0.9 0.95 0.01 0.5 2" : "0.01 0.95 0.1 0.5 2", gravity, gravity ? 2 : 0);
  return cri_scene_open(book, gravity ? "billiard" : "billiard_nogravity", text, m, error);
}
