// SPDX-License-Identifier: Apache-2.0
// A cube over a board, as parameters of identification have it.
#include "scenes/tossed_cube.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "learn/recordings.h"
#include "model/build.h"
#include "support/test.h"

// offsets in names: an empty one, "cube", "board"
static const char names[] = "\0cube\0board";
enum { NAME_NONE = 0, NAME_CUBE = 1, NAME_BOARD = 6 };

static void name(cr_model* m) {
  memcpy(m->names, names, sizeof names);
  m->name_bodyadr[0] = NAME_NONE;
  m->name_bodyadr[1] = m->name_geomadr[1] = m->name_jntadr[0] = NAME_CUBE;
  m->name_geomadr[0] = NAME_BOARD;
}

void tossed_cube(cr_model* m, cr_real side) {
  const int32_t parent[] = {0, 0}, joints[] = {0, 1}, type[] = {CR_JNT_FREE};
  cr_error error = {0};
  *m = (cr_model){.ngeom = 2, .nnames = (int32_t)sizeof names};
  assert_int_equal(cri_model_sizes(m, 2, parent, joints, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(m, &error), CR_OK);
  cri_model_defaults(m);
  name(m);
  m->timestep = 1 / CR_R(148.0);
  m->body_parentid[1] = 0;
  m->body_jntnum[1] = 1;
  m->jnt_type[0] = CR_JNT_FREE;
  m->geom_type[0] = CR_GEOM_PLANE;
  m->geom_type[1] = CR_GEOM_BOX;
  m->geom_bodyid[1] = 1;
  m->body_mass[1] = CR_R(0.37);
  m->body_pos[5] = CR_R(0.2);
  m->geom_size[0] = m->geom_size[1] = 2;
  for (int i = 0; i < 3; i++) {
    m->geom_size[3 + i] = side / 2;
    m->body_inertia[3 + i] = m->body_mass[1] * side * side / 6;
  }
  for (int g = 0; g < 2; g++) {
    const cr_real solimp[] = {CR_R(0.05), CR_R(0.95), CR_R(0.01), CR_R(0.5), 2};
    cr_copy(m->geom_solimp + 5 * g, solimp, 5);
    m->geom_friction[3 * g] = CR_R(0.4);
  }
  if (cri_model_derive(m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  m->body_invweight0[2] = 1 / m->body_mass[1];
  m->body_invweight0[3] = 1 / m->body_inertia[3];
  for (int i = 0; i < 6; i++) {
    m->dof_invweight0[i] = m->body_invweight0[2 + (i > 2)];
  }
}

void published_cube(cr_model* m) {
  const cr_real solimp[] = {0, CR_R(0.95), CR_R(0.001), CR_R(0.5), 2};
  const cr_real friction[] = {1, CR_R(0.005), CR_R(0.0001)};
  cr_real mass = CR_R(0.1), inertia = mass * CR_R(0.01) / 6;
  tossed_cube(m, CR_R(0.1));
  m->timestep = CR_R(0.01);
  m->tolerance = 0;
  m->gravity[2] = -2;
  m->disableflags = CR_DSBL_REFSAFE | CR_DSBL_EULERDAMP;
  m->integrator = CR_INT_TSIT5;
  m->softness = CR_DEFAULT_SOFTNESS;
  m->body_mass[1] = mass;
  for (int i = 0; i < 3; i++) {
    m->body_inertia[3 + i] = inertia;
  }
  m->body_invweight0[2] = 1 / mass;
  m->body_invweight0[3] = 1 / inertia;
  for (int i = 0; i < 6; i++) {
    m->dof_invweight0[i] = m->body_invweight0[2 + (i > 2)];
  }
  // turned by 60 degrees about x
  m->geom_quat[4] = cr_sqrt(CR_R(0.75));
  m->geom_quat[5] = CR_R(0.5);
  for (int g = 0; g < 2; g++) {
    cr_copy(m->geom_solimp + 5 * g, solimp, 5);
    cr_copy(m->geom_friction + 3 * g, friction, 3);
    m->geom_solref[2 * g] = CR_R(0.005);
    m->geom_solref[2 * g + 1] = 1;
  }
}

cri_run* tosses_thrown(const cr_model* m, const cr_throw* options) {
  cr_recordings* made = NULL;
  cr_error error = {0};
  assert_int_equal(cr_recordings_create(&made, m, m->timestep, &error), CR_OK);
  if (cri_throw(options, m, made, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  cri_run* tosses = made->run;
  made->run = NULL;
  made->n = 0;
  cr_recordings_destroy(made);
  return tosses;
}

cri_run* tosses_made(const cr_model* m, int n, int rows, uint64_t seed) {
  const cr_throw options = {.tosses = n, .rows = rows, .seed = seed};
  return tosses_thrown(m, &options);
}

void tosses_free(cri_run* tosses, int n) {
  for (int i = 0; i < n; i++) {
    free(tosses[i].state);
  }
  free(tosses);
}
