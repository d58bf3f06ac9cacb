// SPDX-License-Identifier: Apache-2.0
// Defaults of elements, and everything that follows from their sizes and poses.
#include "model/build.h"

#include <stdio.h>

#include "model/fields.h"
#include "model/hull.h"
#include "model/model_check.h"
#include "model/names.h"
#include "model/structure.h"

// ---- defaults

// every row of an array is `row`
static void fill(cr_real* array, int rows, int width, const cr_real* row) {
  for (int i = 0; i < rows; i++) {
    cr_copy(array + (size_t)i * (size_t)width, row, width);
  }
}

static void default_options(cr_model* m) {
  const cr_real gravity[3] = {0, 0, CR_R(-9.81)};
  cr_copy(m->gravity, gravity, 3);
  m->timestep = CR_R(0.002);
  m->impratio = 1;
  m->tolerance = 0;
  m->integrator = CR_INT_EULER;
  m->cone = CR_CONE_PYRAMIDAL;
  m->iterations = 200;
}

void cri_model_default_laws(cr_model* m) {
  const cr_real hunt_crossley[5] = {CR_R(1e5), CR_R(1e5), CR_R(1.5), CR_R(0.05), 1};
  fill(m->geom_hunt_crossley, m->ngeom, 5, hunt_crossley);
  m->ncp_baumgarte[0] = CR_R(0.2);
  m->ncp_cfm[0] = CR_R(1e-6);
  m->ncp_sweeps = 50;
}

static void default_contacts(cr_model* m) {
  const cr_real solref[2] = {CR_R(0.02), 1};
  const cr_real solimp[5] = {CR_R(0.9), CR_R(0.95), CR_R(0.001), CR_R(0.5), 2};
  const cr_real friction[5] = {1, 1, CR_R(0.005), CR_R(0.0001), CR_R(0.0001)};
  const cr_real one = 1;
  fill(m->jnt_solref, m->njnt, 2, solref);
  fill(m->jnt_solimp, m->njnt, 5, solimp);
  fill(m->dof_solref, m->nv, 2, solref);
  fill(m->dof_solimp, m->nv, 5, solimp);
  fill(m->geom_solref, m->ngeom, 2, solref);
  fill(m->geom_solimp, m->ngeom, 5, solimp);
  fill(m->geom_solmix, m->ngeom, 1, &one);
  fill(m->geom_friction, m->ngeom, 3, friction + 1);
  fill(m->tendon_solref_lim, m->ntendon, 2, solref);
  fill(m->tendon_solimp_lim, m->ntendon, 5, solimp);
  fill(m->tendon_solref_fri, m->ntendon, 2, solref);
  fill(m->tendon_solimp_fri, m->ntendon, 5, solimp);
  fill(m->eq_solref, m->neq, 2, solref);
  fill(m->eq_solimp, m->neq, 5, solimp);
  fill(m->o_solref, 1, 2, solref);
  fill(m->o_solimp, 1, 5, solimp);
  fill(m->o_friction, 1, 5, friction);
  fill(m->pair_solref, m->npair, 2, solref);
  fill(m->pair_solimp, m->npair, 5, solimp);
  fill(m->pair_friction, m->npair, 5, friction);
  for (int i = 0; i < m->ngeom; i++) {
    m->geom_contype[i] = m->geom_conaffinity[i] = 1;
    m->geom_condim[i] = 3;
  }
  for (int i = 0; i < m->npair; i++) {
    m->pair_dim[i] = 3;
  }
}

static void default_actuators(cr_model* m) {
  const cr_real first[10] = {1};
  fill(m->actuator_dynprm, m->nactuator, 10, first);
  fill(m->actuator_gainprm, m->nactuator, 10, first);
  fill(m->actuator_gear, m->nout, 6, first);
  for (int i = 0; i < m->nactuator; i++) {
    m->actuator_trnid[2 * i + 1] = -1;
    m->actuator_ctrladr[i] = m->nactuator == m->nu ? i : 0;
    m->actuator_outadr[i] = m->nactuator == m->nout ? i : 0;
    m->actuator_actadr[i] = -1;
    m->actuator_ctrlnum[i] = m->actuator_outnum[i] = 1;
  }
}

void cri_model_defaults(cr_model* m) {
  const cr_real identity[4] = {1, 0, 0, 0}, z[3] = {0, 0, 1};
  fill(m->body_quat, m->nbody, 4, identity);
  fill(m->body_iquat, m->nbody, 4, identity);
  fill(m->geom_quat, m->ngeom, 4, identity);
  fill(m->site_quat, m->nsite, 4, identity);
  fill(m->jnt_axis, m->njnt, 3, z);
  for (int i = 0; i < m->nbody; i++) {
    m->body_mocapid[i] = -1;
  }
  default_options(m);
  default_contacts(m);
  cri_model_default_laws(m);
  default_actuators(m);
}

// ---- deriving: tendons

void cri_model_derive_inertial(cr_model* m) {
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_inertial[i] = m->tendon_armature[i] != 0;
  }
  for (int k = 0; k < m->nactuator; k++) {
    int t = m->actuator_trnid[2 * k];
    if (m->actuator_trntype[k] == CR_TRN_TENDON && m->actuator_armature[k] != 0 && t >= 0 &&
        t < m->ntendon) {
      m->tendon_inertial[t] = 1;
    }
  }
}

// ---- deriving: geoms

cr_real cri_geom_rbound(int type, const cr_real size[3]) {
  switch (type) {
    case CR_GEOM_PLANE:
      return 0;
    case CR_GEOM_SPHERE:
      return size[0];
    case CR_GEOM_CAPSULE:
      return size[0] + size[1];
    case CR_GEOM_ELLIPSOID:
      return cr_max(size[0], cr_max(size[1], size[2]));
    case CR_GEOM_CYLINDER:
      return cr_sqrt(size[0] * size[0] + size[1] * size[1]);
    case CR_GEOM_BOX:
      return cr_sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    default:
      return -1;
  }
}

cr_real cri_geom_bound(const cr_model* m, int geom) {
  int id = m->geom_dataid[geom];
  if (m->geom_type[geom] == CR_GEOM_HFIELD && id >= 0 && id < m->nhfield) {
    const cr_real* size = m->hfield_size + 4 * id;
    cr_real z = cr_max(size[2], size[3]);
    return cr_sqrt(size[0] * size[0] + size[1] * size[1] + z * z);
  }
  cr_real radius = cri_geom_rbound(m->geom_type[geom], m->geom_size + 3 * (size_t)geom);
  return radius < 0 ? m->geom_rbound[geom] : radius;
}

static void derive_bounds(cr_model* m) {
  for (int i = 0; i < m->ngeom; i++) {
    m->geom_rbound[i] = cri_geom_bound(m, i);
  }
}

// distance of the nearest polygon of a mesh from its origin
static cr_real mesh_width(const cr_model* m, int mesh) {
  int32_t first = m->mesh_polyadr[mesh], n = m->mesh_polynum[mesh];
  int32_t vert = m->mesh_vertadr[mesh], nvert = m->mesh_vertnum[mesh];
  cr_real least = CR_MAX;
  for (int32_t p = first; n > 0 && first >= 0 && first <= m->nmeshpoly - n && p < first + n; p++) {
    int32_t adr = m->mesh_polyvertadr[p],
            v = adr < 0 || adr >= m->nmeshpolyvert ? -1 : m->mesh_polyvert[adr];
    if (v >= 0 && v < nvert) {
      const cr_real *normal = m->mesh_polynormal + 3 * (ptrdiff_t)p,
                    *corner = m->mesh_vert + 3 * (ptrdiff_t)(vert + v);
      least = cr_min(least, normal[0] * corner[0] + normal[1] * corner[1] + normal[2] * corner[2]);
    }
  }
  return least < CR_MAX ? cr_max(least, 0) : 0;
}

// true if a hull graph is in range
static void mesh_starts(const cr_model* m, int mesh, int32_t start[27]) {
  int32_t adr = m->mesh_graphadr[mesh], room = m->nmeshgraph - adr - 2;
  memset(start, 0, 27 * sizeof *start);
  if (adr >= 0 && room > 0 && m->mesh_graph[adr] <= room / 2) {
    cri_hull_starts(m->mesh_graph + adr, m->mesh_vert + 3 * (ptrdiff_t)m->mesh_vertadr[mesh],
                    m->mesh_vertnum[mesh], start);
  }
}

void cri_model_derive_meshes(cr_model* m) {
  for (int i = 0; i < m->nmesh; i++) {
    int32_t adr = m->mesh_vertadr[i], n = m->mesh_vertnum[i];
    if (n < 1 || adr < 0 || adr > m->nmeshvert - n) {
      continue;
    }
    const cr_real* vert = m->mesh_vert + 3 * (ptrdiff_t)adr;
    cr_real* box = m->mesh_box + 6 * i;
    for (int k = 0; k < 3; k++) {
      cr_real low = vert[k], high = vert[k];
      for (int32_t v = 1; v < n; v++) {
        low = cr_min(low, vert[3 * v + k]);
        high = cr_max(high, vert[3 * v + k]);
      }
      box[k] = (low + high) / 2;
      box[3 + k] = (high - low) / 2;
    }
    m->mesh_width[i] = mesh_width(m, i);
    mesh_starts(m, i, m->mesh_start + 27 * (ptrdiff_t)i);
  }
}

// ---- deriving: unit vectors

static bool is_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

// scales to unit length, but leaves a vector that is unit to round-off, so that deriving again changes nothing
static bool make_unit(cr_real* x, int n) {
  cr_real nn = 0;
  for (int i = 0; i < n; i++) {
    nn += x[i] * x[i];
  }
  cr_real length = cr_sqrt(nn);
  if (!(length >= CR_MINVAL)) {
    return false;
  }
  for (int i = 0; i < n && cr_abs(length - 1) > 4 * CR_EPS; i++) {
    x[i] /= length;
  }
  return true;
}

// quaternions of all fields that hold some
static cr_status unit_quats(cr_model* m, cr_real* quat, cr_field_id id, cr_error* error) {
  const cr_field* f = cri_field(id);
  for (int i = 0; i < cri_field_rows(m, NULL, id); i++) {
    if (!make_unit(quat + 4 * (ptrdiff_t)i, 4)) {
      return cri_fail(error, CR_ERR_MODEL, "%s: %s has no length",
                      cri_label(m, cri_object_of_rows(f->rows), i).text, f->name);
    }
  }
  return CR_OK;
}

static cr_status unit_vectors(cr_model* m, cr_error* error) {
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    const cr_field_id id = (cr_field_id)k;
    if (cri_field(id)->tangent == CR_TANGENT_QUAT) {
      CR_TRY(unit_quats(m, cri_field_real(m, NULL, id), id, error));
    }
  }
  const cr_real z[3] = {0, 0, 1};
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == CR_JNT_FREE || m->jnt_type[j] == CR_JNT_BALL) {
      cr_copy(m->jnt_axis + 3 * j, z, 3);
    } else if (!make_unit(m->jnt_axis + 3 * j, 3)) {
      return cri_fail(error, CR_ERR_MODEL, "%s: jnt_axis has no length",
                      cri_label(m, CRI_OBJECT_joint, j).text);
    }
  }
  return CR_OK;
}

// ---- deriving: simple bodies

static bool is_leaf(const cr_model* m, int body) {
  return body + 1 == m->nbody || m->body_parentid[body + 1] != body;
}

// an axis along x, y or z of the body; for a rotation an anchor at its origin too
static bool is_simple_joint(const cr_model* m, int j) {
  const cr_real* a = m->jnt_axis + 3 * j;
  bool along = (a[0] != 0) + (a[1] != 0) + (a[2] != 0) == 1;
  bool at_origin = m->jnt_type[j] == CR_JNT_SLIDE || is_zero(m->jnt_pos + 3 * j, 3);
  return along && at_origin;
}

// MuJoCo's rule: 1 if the body's block of M is diagonal by its structure, 2 if it only slides.
// The armature of a tendon fills the blocks of the bodies that stretch it
static void derive_simple(cr_model* m) {
  for (int i = 0; i < m->nbody; i++) {
    int slides = 0, n = m->body_jntnum[i];
    bool simple = (i == 0 || is_leaf(m, i)) && m->body_weldid[m->body_parentid[i]] == 0 &&
                  is_zero(m->body_ipos + 3 * i, 3) && is_zero(m->body_iquat + 4 * i + 1, 3);
    for (int j = m->body_jntadr[i]; j < m->body_jntadr[i] + n; j++) {
      slides += m->jnt_type[j] == CR_JNT_SLIDE;
      simple = simple && is_simple_joint(m, j);
    }
    simple = simple && n - slides <= 1;
    m->body_simple[i] = !simple ? 0 : n > 0 && slides == n ? 2 : 1;
  }
  for (int t = 0; t < m->ntendon; t++) {
    int first = m->ten_J_rowadr[t], end = first + m->ten_J_rownnz[t];
    for (int k = first; m->tendon_inertial[t] != 0 && k < end && k >= 0 && k < m->nJten; k++) {
      int dof = m->ten_J_colind[k];
      if (dof >= 0 && dof < m->nv) {  // checked later
        m->body_simple[m->dof_bodyid[dof]] = 0;
      }
    }
  }
}

// ---- deriving: poses left out

// the quaternions of one array of coordinates, and positions of free joints with them
static void fill_coordinates(const cr_model* m, cr_real* qpos) {
  const cr_real identity[4] = {1, 0, 0, 0};
  for (int j = 0; j < m->njnt; j++) {
    cr_real* q = qpos + m->jnt_qposadr[j];
    if (m->jnt_type[j] == CR_JNT_FREE && is_zero(q + 3, 4)) {
      cr_copy(q, m->body_pos + 3 * m->jnt_bodyid[j], 3);
      cr_copy(q + 3, m->body_quat + 4 * m->jnt_bodyid[j], 4);
    } else if (m->jnt_type[j] == CR_JNT_BALL && is_zero(q, 4)) {
      cr_copy(q, identity, 4);
    }
  }
}

// keyframes without mocap poses leave mocap bodies where they are at reset
static void fill_key_mocap(cr_model* m) {
  for (int i = 0; i < m->nkeymocap; i++) {
    int id = i % m->nmocap;
    if (is_zero(m->key_mquat + 4 * i, 4)) {
      cr_copy(m->key_mpos + 3 * i, m->mocap_pos0 + 3 * id, 3);
      cr_copy(m->key_mquat + 4 * i, m->mocap_quat0 + 4 * id, 4);
    }
  }
}

static void fill_poses(cr_model* m) {
  fill_coordinates(m, m->qpos0);
  fill_coordinates(m, m->qpos_spring);
  for (int i = 0; i < m->nbody; i++) {
    int id = m->body_mocapid[i];
    if (id >= 0 && is_zero(m->mocap_quat0 + 4 * id, 4)) {
      cr_copy(m->mocap_pos0 + 3 * id, m->body_pos + 3 * i, 3);
      cr_copy(m->mocap_quat0 + 4 * id, m->body_quat + 4 * i, 4);
    }
  }
  fill_key_mocap(m);
}

cr_status cri_model_derive(cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nbody && m->nmocap == 0; i++) {
    m->body_mocapid[i] = -1;
  }
  CR_TRY(cri_structure_derive(m, error));
  cri_model_derive_inertial(m);
  derive_bounds(m);
  cri_model_derive_meshes(m);
  CR_TRY(unit_vectors(m, error));
  derive_simple(m);
  fill_poses(m);
  return cri_model_check(m, error);
}
