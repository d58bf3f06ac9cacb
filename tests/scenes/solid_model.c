// SPDX-License-Identifier: Apache-2.0
#include "scenes/solid_model.h"

#include "carom/model.h"
#include "math/quat.h"
#include "model/build.h"
#include "support/test.h"

enum { N = 7 };
static const char names[] = "\0thigh\0shank\0foot\0box\0cube\0egg\0leg_hip\0leg_knee\0ankle";
static const int32_t body_names[N] = {0, 1, 7, 13, 18, 22, 27}, joint_names[3] = {31, 39, 48};

void solid_moments(int type, const cr_real s[3], cr_real I[3]) {
  const cr_real a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
  switch (type) {
    case CR_GEOM_SPHERE:
      I[0] = I[1] = I[2] = 2 * a / 5;
      break;
    case CR_GEOM_BOX:
    case CR_GEOM_ELLIPSOID: {
      cr_real part = type == CR_GEOM_BOX ? 3 : 5;
      I[0] = (b + c) / part;
      I[1] = (a + c) / part;
      I[2] = (a + b) / part;
      break;
    }
    case CR_GEOM_CYLINDER:
      I[0] = I[1] = (3 * a + 4 * b) / 12;
      I[2] = a / 2;
      break;
    default: {  // capsule: volumes of the cylinder and of both caps
      cr_real rod = 2 * CR_PI * a * s[1], caps = 4 * CR_PI * a * s[0] / 3, all = rod + caps;
      cr_real out = s[1] + 3 * s[0] / 8,
              about = 2 * a / 5 - 9 * a / 64;  // of a half about its centre
      I[0] = I[1] = (rod * (3 * a + 4 * b) / 12 + caps * (about + out * out)) / all;
      I[2] = (rod * a / 2 + caps * 2 * a / 5) / all;
      break;
    }
  }
}

static void put_solid(cr_model* m, int b, int type, const cr_real size[3], cr_real mass) {
  cr_real axis[3] = {CR_R(0.6), 0, CR_R(0.8)}, at[3] = {CR_R(0.02), CR_R(-0.03), CR_R(-0.2)};
  cr_real q[4], moments[3];
  int g = b - 1;
  m->geom_type[g] = type;
  m->geom_bodyid[g] = b;
  cr_copy(m->geom_size + 3 * g, size, 3);
  cr_quat_axis_angle(q, axis, CR_R(0.3) * (cr_real)b);
  cr_copy(m->geom_quat + 4 * g, q, 4);
  cr_copy(m->body_iquat + 4 * b, q, 4);
  cr_copy(m->geom_pos + 3 * g, at, 3);
  cr_copy(m->body_ipos + 3 * b, at, 3);
  m->body_mass[b] = mass;
  solid_moments(type, size, moments);
  for (int k = 0; k < 3; k++) {
    m->body_inertia[3 * b + k] = mass * moments[k];
  }
  m->name_bodyadr[b] = m->name_geomadr[g] = body_names[b];
}

void solid_model(cr_model* m) {
  const int32_t parent[N] = {0, 0, 1, 2, 0, 0, 0}, joints[N] = {0, 1, 1, 1, 1, 1, 1};
  const int32_t type[] = {CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_BALL,
                          CR_JNT_FREE,  CR_JNT_FREE,  CR_JNT_FREE};
  const cr_real axes[] = {0, 1, 0, 1, 0, 0};
  cr_error error = {0};
  *m = (cr_model){.ngeom = N - 1, .nnames = (int32_t)sizeof names};
  assert_int_equal(cri_model_sizes(m, N, parent, joints, type, &error), CR_OK);
  assert_int_equal(cri_model_allocate(m, &error), CR_OK);
  cri_model_defaults(m);
  memcpy(m->names, names, sizeof names);
  m->timestep = CR_R(0.002);
  for (int b = 1; b < N; b++) {
    m->body_parentid[b] = parent[b];
    m->body_jntnum[b] = 1;
    m->jnt_type[b - 1] = type[b - 1];
    m->body_pos[3 * b] = parent[b] == 0 ? (cr_real)(3 * b) : CR_R(0.01);
    m->body_pos[3 * b + 2] = parent[b] == 0 ? 1 : CR_R(-0.4);
  }
  cr_copy(m->jnt_axis, axes, 6);
  for (int j = 0; j < 3; j++) {
    m->name_jntadr[j] = joint_names[j];
  }
  const cr_real thigh[] = {CR_R(0.06), CR_R(0.2), 0}, shank[] = {CR_R(0.04), CR_R(0.18), 0};
  const cr_real foot[] = {CR_R(0.05), 0, 0}, box[] = {CR_R(0.1), CR_R(0.07), CR_R(0.04)};
  const cr_real cube[] = {CR_R(0.06), CR_R(0.06), CR_R(0.06)};
  const cr_real egg[] = {CR_R(0.05), CR_R(0.08), CR_R(0.11)};
  put_solid(m, THIGH, CR_GEOM_CAPSULE, thigh, 4);
  put_solid(m, SHANK, CR_GEOM_CYLINDER, shank, 2);
  put_solid(m, FOOT, CR_GEOM_SPHERE, foot, CR_R(0.8));
  put_solid(m, BOX, CR_GEOM_BOX, box, 3);
  put_solid(m, CUBE, CR_GEOM_BOX, cube, CR_R(1.5));
  put_solid(m, EGG, CR_GEOM_ELLIPSOID, egg, 1);
  // principal axes x, y, z of the box along y, z, x of its geom
  const cr_real turned[4] = {CR_R(0.5), CR_R(0.5), CR_R(0.5), CR_R(0.5)};
  cr_real moments[3];
  cr_quat_mul(m->body_iquat + 4 * BOX, m->geom_quat + 4 * (BOX - 1), turned);
  cr_copy(moments, m->body_inertia + 3 * BOX, 3);
  for (int k = 0; k < 3; k++) {
    m->body_inertia[3 * BOX + k] = moments[(k + 1) % 3];
  }
  for (int i = 0; i < 5; i++) {
    m->dof_damping[i] = CR_R(0.1) + CR_R(0.05) * (cr_real)i;
    m->dof_armature[i] = CR_R(0.01);
  }
  m->dof_frictionloss[0] = CR_R(0.3);
  if (cri_model_derive(m, &error) != CR_OK || cr_model_derive(m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}
