// SPDX-License-Identifier: Apache-2.0
#include "jumps/jump_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notebook/scene_file.h"

#define RIGID(name) "    <text name=\"pressure:" name "\" data=\"rigid\"/>\n"
#define FIXED(name, type, size, pos) \
  "    <geom name=\"" name "\" type=\"" type "\" size=\"" size "\" pos=\"" pos "\"/>\n"
#define BRICK "type=\"box\" size=\".1 .05 .03\""
#define BOX "type=\"box\" size=\".05 .05 .05\""

// Bodies are 1 mm deep in what they touch. At the ledge the box is turned by 11.5 degrees, so that no edges are parallel.
const cri_jump_scene cri_jump_scenes[CRI_N_JUMP_SCENE] = {
    {"jumps_edge", "box pushed over an edge", "way of the box, m", 0, CR_R(-0.1), CR_R(0.1),
     FIXED("ledge", "box", ".5 .5 .5", ".5 0 -.5"), RIGID("ledge"),
     "pos=\"0 0 .049\" euler=\"0 0 11.5\"", BOX},
    {"jumps_corner", "box pushed over a corner", "way of the box, m", 0, CR_R(-0.1), CR_R(0.1),
     FIXED("ledge", "box", ".5 .5 .5", ".5 .5 -.5"), RIGID("ledge"),
     "pos=\"0 -.02 .049\" euler=\"0 0 11.5\"", BOX},
    {"jumps_brick", "brick turned on a brick", "turn of the brick, rad", 5, 0, CR_R(1.57),
     FIXED("lower", "box", ".1 .05 .03", "0 0 0"), RIGID("lower"), "pos=\".03 0 .059\"", BRICK},
    {"jumps_peg", "peg tilted in a hole", "tilt of the peg, rad", 4, CR_R(-0.08), CR_R(0.08),
     FIXED("right", "box", ".02 .0605 .05", ".0405 0 0")
         FIXED("left", "box", ".02 .0605 .05", "-.0405 0 0")
             FIXED("back", "box", ".0205 .02 .05", "0 .0405 0")
                 FIXED("front", "box", ".0205 .02 .05", "0 -.0405 0"),
     RIGID("right") RIGID("left") RIGID("back") RIGID("front"), "pos=\"0 0 .03\"",
     "type=\"box\" size=\".02 .02 .05\""},
    {"jumps_cube", "cube turned over the ground", "turn of the cube, rad", 4, CR_R(-0.1),
     CR_R(1.67), FIXED("ground", "plane", "1 1 .1", "0 0 0"), RIGID("ground"), "pos=\"0 0 .049\"",
     BOX},
};

const char* const cri_jump_methods[CRI_N_JUMP_METHOD] = {"points", "MuJoCo", "smooth", "fields"};

// ---- opening

static const char text[] =
    "<mujoco>\n"
    "  <option gravity=\"0 0 0\" tolerance=\"1e-14\" iterations=\"200\">\n"
    "    <flag warmstart=\"disable\"/>\n"
    "  </option>\n"
    "  <worldbody>\n"
    "%s"
    "    <body %s>\n      <freejoint/>\n      <geom name=\"moved\" %s mass=\"1\"/>\n    </body>\n"
    "  </worldbody>\n"
    "%s%s%s"
    "</mujoco>\n";

static cr_status open_mujoco(cri_jump_probe* p, const cr_notebook* book, cr_error* error) {
  char path[CR_MAX_PATH], file[64], why[300] = "";
  (void)snprintf(file, sizeof file, "%s.xml", p->scene->name);
  CR_TRY(cri_path_join(path, book->folder, file, error));
  p->mj = mj_loadXML(path, NULL, why, (int)sizeof why);
  if (p->mj == NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: %s", path, why);
  }
  p->mjd = mj_makeData(p->mj);
  return p->mjd != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "%s: no memory for mjData", path);
}

cr_status cri_jump_probe_open(cri_jump_probe* p, const cr_notebook* book, int scene, int method,
                              cr_error* error) {
  const cri_jump_scene* s = &cri_jump_scenes[scene];
  const bool fields = method == CRI_BY_FIELDS;
  char mjcf[4096], name[64];
  *p = (cri_jump_probe){.scene = s};
  (void)snprintf(name, sizeof name, "%s%s", s->name, fields ? "_fields" : "");
  (void)snprintf(mjcf, sizeof mjcf, text, s->fixed, s->body, s->geom, fields ? "  <custom>\n" : "",
                 fields ? s->rigid : "",
                 fields ? "    <text name=\"pressure:moved\" data=\"compliant modulus=1e6\"/>\n"
                          "  </custom>\n"
                        : "");
  CR_TRY(cri_scene_open(book, name, mjcf, &p->m, error));
  CR_TRY(method == CRI_BY_SMOOTH ? cr_model_set_choice(p->m, "collision", "smooth", error) : CR_OK);
  CR_TRY(cr_data_create(&p->d, p->m, error));
  CR_TRY(cr_data_create_tangent(&p->tan, p->m, p->d, error));
  memcpy(p->start, cr_data_view(p->m, p->d, "qpos", NULL, NULL), sizeof p->start);
  cr_data_view(p->m, p->tan, "qpos", NULL, NULL)[s->dof] = 1;
  return method == CRI_BY_MUJOCO ? open_mujoco(p, book, error) : CR_OK;
}

void cri_jump_probe_close(cri_jump_probe* p) {
  mj_deleteData(p->mjd);
  mj_deleteModel(p->mj);
  cr_data_destroy(p->tan);
  cr_data_destroy(p->d);
  cr_model_destroy(p->m);
}

// ---- forces

static cr_status pose_at(const cri_jump_probe* p, cr_real at, cr_real qpos[7], cr_error* error) {
  cr_real way[CRI_WRENCH] = {0};
  way[p->scene->dof] = at;
  memcpy(qpos, p->start, sizeof p->start);
  return cr_integrate_pos(p->m, qpos, way, 1, error);
}

static cr_status mujoco_forces(const cri_jump_probe* p, cr_real at, cr_real* value, int* contacts,
                               cr_error* error) {
  cr_real qpos[7];
  CR_TRY(pose_at(p, at, qpos, error));
  for (int i = 0; i < 7; i++) {
    p->mjd->qpos[i] = (mjtNum)qpos[i];
  }
  mj_forward(p->mj, p->mjd);
  for (int i = 0; i < CRI_WRENCH; i++) {
    value[i] = (cr_real)p->mjd->qfrc_constraint[i];
  }
  *contacts = p->mjd->ncon;
  return CR_OK;
}

// of contacts and of pressure fields, in a block or its twin
static void read_forces(const cri_jump_probe* p, cr_data* d, cr_real* value) {
  const cr_real *contact = cr_data_view(p->m, d, "qfrc_constraint", NULL, NULL),
                *field = cr_data_view(p->m, d, "qfrc_pressure", NULL, NULL);
  for (int i = 0; i < CRI_WRENCH; i++) {
    value[i] = contact[i] + field[i];
  }
}

static cr_status carom_forces(const cri_jump_probe* p, cr_real at, cr_real* value, int* contacts,
                              cr_error* error) {
  CR_TRY(pose_at(p, at, cr_data_view(p->m, p->d, "qpos", NULL, NULL), error));
  cr_status status = cr_forward(p->m, p->d);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s at %g: %s", p->scene->name, (double)at, cr_data_error(p->d));
  }
  read_forces(p, p->d, value);
  (void)cr_data_view(p->m, p->d, "contact_dist", contacts, NULL);
  return CR_OK;
}

cr_status cri_jump_forces(void* probe, cr_real at, cr_real* value, int* contacts, cr_error* error) {
  const cri_jump_probe* p = probe;
  return p->mj != NULL ? mujoco_forces(p, at, value, contacts, error)
                       : carom_forces(p, at, value, contacts, error);
}

cr_status cri_jump_gradient(void* probe, cr_real at, cr_real* value, int* contacts,
                            cr_error* error) {
  const cri_jump_probe* p = probe;
  if (p->mj == NULL) {
    CR_TRY(carom_forces(p, at, value, contacts, error));
    cr_status status = cr_forward_jvp(p->m, p->d, p->tan);
    read_forces(p, p->tan, value);
    return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(p->tan));
  }
  const cr_real h = CR_R(1e-6);
  cr_real ahead[CRI_WRENCH];
  CR_TRY(mujoco_forces(p, at + h, ahead, contacts, error));
  CR_TRY(mujoco_forces(p, at - h, value, contacts, error));
  for (int i = 0; i < CRI_WRENCH; i++) {
    value[i] = (ahead[i] - value[i]) / (2 * h);
  }
  return CR_OK;
}
