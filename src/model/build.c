// SPDX-License-Identifier: Apache-2.0
// What follows from the structure of a model: addresses, roots, trees and the pattern of M. Counting
// works on three plain arrays, before there is memory; everything else on the allocated model.
#include "model/build.h"

#include <stdio.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/hull.h"

// ---- the tree, and what is wrong with it

typedef struct {
  int nbody, njnt;  // njnt -1: whatever jntnum adds up to
  const int32_t *parentid, *jntnum, *jnt_type;
  const cr_model* names;  // NULL before there are any
} tree;

static cr_label body_label(const tree* t, int id) {
  return cri_label(t->names, "body", t->names == NULL ? NULL : t->names->name_bodyadr, id);
}

static cr_label joint_label(const tree* t, int id) {
  return cri_label(t->names, "joint", t->names == NULL ? NULL : t->names->name_jntadr, id);
}

// parents come first, and subtrees are contiguous
static cr_status check_parent(const tree* t, int body, cr_error* error) {
  int parent = t->parentid[body], last = body - 1;
  if (parent < 0 || parent >= body) {
    return cri_fail(error, CR_ERR_MODEL,
                    "%s: body_parentid is %d, but a parent comes before its children",
                    body_label(t, body).text, parent);
  }
  while (last > parent) {
    last = t->parentid[last];
  }
  if (last != parent) {
    return cri_fail(error, CR_ERR_MODEL,
                    "%s: body_parentid is %d, whose subtree has ended: bodies are not depth-first",
                    body_label(t, body).text, parent);
  }
  return CR_OK;
}

// the joints adr, adr + 1, ... of one body
static cr_status check_joints(const tree* t, int body, int adr, cr_error* error) {
  int dofs = 0, n = t->jntnum[body];
  bool ball = false;
  for (int j = adr; j < adr + n; j++) {
    int type = t->jnt_type[j];
    if (cri_jnt_nv(type) == 0) {
      return cri_fail(error, CR_ERR_MODEL, "%s of %s: jnt_type %d does not exist",
                      joint_label(t, j).text, body_label(t, body).text, type);
    }
    if (type == CR_JNT_FREE && (n > 1 || t->parentid[body] != 0)) {
      return cri_fail(error, CR_ERR_MODEL,
                      "%s of %s: a free joint is the only joint of a child of the world",
                      joint_label(t, j).text, body_label(t, body).text);
    }
    if (ball && type != CR_JNT_SLIDE) {
      return cri_fail(error, CR_ERR_MODEL, "%s of %s: no rotation may follow a ball joint",
                      joint_label(t, j).text, body_label(t, body).text);
    }
    ball = ball || type == CR_JNT_BALL;
    dofs += cri_jnt_nv(type);
  }
  if (dofs > 6) {
    return cri_fail(error, CR_ERR_MODEL, "%s: %d dofs, a body has at most 6",
                    body_label(t, body).text, dofs);
  }
  return CR_OK;
}

static cr_status check_jntnum(const tree* t, int body, int adr, cr_error* error) {
  if (t->jntnum[body] < 0 || (t->njnt >= 0 && t->jntnum[body] > t->njnt - adr)) {
    return cri_fail(error, CR_ERR_MODEL, "%s: body_jntnum %d is negative or more than njnt leaves",
                    body_label(t, body).text, t->jntnum[body]);
  }
  return CR_OK;
}

static cr_status check_tree(const tree* t, cr_error* error) {
  if (t->nbody < 1 || t->parentid[0] != 0 || t->jntnum[0] != 0) {
    return cri_fail(error, CR_ERR_MODEL,
                    "body 0 must be the world, its own parent and without joints");
  }
  int adr = 0;
  for (int i = 1; i < t->nbody; i++) {
    CR_TRY(check_parent(t, i, error));
    CR_TRY(check_jntnum(t, i, adr, error));
    CR_TRY(check_joints(t, i, adr, error));
    adr += t->jntnum[i];
  }
  if (t->njnt >= 0 && adr != t->njnt) {
    return cri_fail(error, CR_ERR_MODEL, "njnt is %d, but the bodies have %d joints", t->njnt, adr);
  }
  return CR_OK;
}

// ---- counting

typedef struct {
  int njnt, nq, nv, ntree, nC;
} counts;

static int sum_nv(const int32_t* jnt_type, int n) {
  int nv = 0;
  for (int j = 0; j < n; j++) {
    nv += cri_jnt_nv(jnt_type[j]);
  }
  return nv;
}

// dofs of all bodies below `body`, whose joints end at adr; its subtree is contiguous
static int descendant_nv(const tree* t, int body, int adr) {
  int nv = 0;
  for (int i = body + 1; i < t->nbody && t->parentid[i] >= body; i++) {
    nv += sum_nv(t->jnt_type + adr, t->jntnum[i]);
    adr += t->jntnum[i];
  }
  return nv;
}

static bool moves(const tree* t, int body) {
  while (body > 0 && t->jntnum[body] == 0) {
    body = t->parentid[body];
  }
  return body > 0;
}

static counts count(const tree* t) {
  counts c = {0};
  for (int i = 1; i < t->nbody; i++) {
    int n = sum_nv(t->jnt_type + c.njnt, t->jntnum[i]);
    for (int j = c.njnt; j < c.njnt + t->jntnum[i]; j++) {
      c.nq += cri_jnt_nq(t->jnt_type[j]);
    }
    c.njnt += t->jntnum[i];
    c.nv += n;
    c.ntree += n > 0 && !moves(t, t->parentid[i]);
    c.nC += n * (n + 1) / 2 + (n > 0 ? n * descendant_nv(t, i, c.njnt) : 0);
  }
  return c;
}

cr_status cri_model_sizes(cr_model* m, int nbody, const int32_t* parentid, const int32_t* jntnum,
                          const int32_t* jnt_type, cr_error* error) {
  tree t = {nbody, -1, parentid, jntnum, jnt_type, NULL};
  CR_TRY(check_tree(&t, error));
  counts c = count(&t);
  m->nbody = nbody;
  m->njnt = c.njnt;
  m->nq = c.nq;
  m->nv = c.nv;
  m->ntree = c.ntree;
  m->nC = c.nC;
  m->nkeymocap = m->nkey * m->nmocap;
  return CR_OK;
}

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
  default_actuators(m);
}

// ---- deriving: bodies, joints and dofs

// One walk over the tree says what the arrays hold. It fills them, or, of a model whose arrays are in
// range, finds the first that says something else.
typedef struct {
  const cr_model* m;
  bool compare;
  cr_field_id id;  // that disagrees, CR_N_FIELD: none does
  int row, wanted;
} walk;

static bool agrees(const walk* w) { return w->id == CR_N_FIELD; }

static void say(walk* w, cr_field_id id, int row, int value) {
  int32_t* x = cri_field_index(w->m, NULL, id) + row;
  if (!w->compare) {
    *x = value;
  } else if (*x != value && agrees(w)) {
    w->id = id;
    w->row = row;
    w->wanted = value;
  }
}

static void walk_bodies(walk* w) {
  const cr_model* m = w->m;
  for (int i = 0, jnt = 0, dof = 0, ntree = 0; i < m->nbody && agrees(w); i++) {
    int parent = m->body_parentid[i], n = m->body_jntnum[i];
    int nv = sum_nv(m->jnt_type + jnt, n);
    int inherited = i == 0 ? -1 : m->body_treeid[parent];
    bool own = n > 0 || m->body_mocapid[i] >= 0 || i == 0;
    say(w, CR_FIELD_body_jntadr, i, n > 0 ? jnt : -1);
    say(w, CR_FIELD_body_dofnum, i, nv);
    say(w, CR_FIELD_body_dofadr, i, nv > 0 ? dof : -1);
    say(w, CR_FIELD_body_rootid, i, parent == 0 ? i : m->body_rootid[parent]);
    say(w, CR_FIELD_body_weldid, i, own ? i : m->body_weldid[parent]);
    say(w, CR_FIELD_body_treeid, i, n > 0 && inherited < 0 ? ntree++ : inherited);
    jnt += n;
    dof += nv;
  }
}

// the last dof that moves a body, -1 if it is static
static int last_dof(const cr_model* m, int body) {
  while (body > 0 && m->body_dofnum[body] == 0) {
    body = m->body_parentid[body];
  }
  return body > 0 ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
}

static void walk_joints(walk* w) {
  const cr_model* m = w->m;
  int jnt = 0, qpos = 0, dof = 0;
  for (int i = 1; i < m->nbody; i++) {
    int parent = last_dof(m, m->body_parentid[i]);
    for (int j = 0; j < m->body_jntnum[i]; j++, jnt++) {
      say(w, CR_FIELD_jnt_bodyid, jnt, i);
      say(w, CR_FIELD_jnt_qposadr, jnt, qpos);
      say(w, CR_FIELD_jnt_dofadr, jnt, dof);
      qpos += cri_jnt_nq(m->jnt_type[jnt]);
      for (int k = 0; k < cri_jnt_nv(m->jnt_type[jnt]); k++) {
        say(w, CR_FIELD_dof_bodyid, dof, i);
        say(w, CR_FIELD_dof_jntid, dof, jnt);
        say(w, CR_FIELD_dof_treeid, dof, m->body_treeid[i]);
        say(w, CR_FIELD_dof_parentid, dof, parent);
        parent = dof++;
      }
    }
  }
}

// the dofs of a tree follow one another
static void walk_trees(walk* w) {
  const cr_model* m = w->m;
  for (int i = 0, n = 0; i < m->nv && agrees(w); i += n) {
    int id = m->dof_treeid[i];
    for (n = 0; i + n < m->nv && m->dof_treeid[i + n] == id; n++) {
    }
    say(w, CR_FIELD_tree_dofadr, id, i);
    say(w, CR_FIELD_tree_dofnum, id, n);
  }
}

// row i of M's lower triangle: the columns of its parent's row, then i
static void walk_M(walk* w) {
  const cr_model* m = w->m;
  for (int i = 0, adr = 0; i < m->nv && agrees(w); i++) {
    int parent = m->dof_parentid[i], n = parent < 0 ? 0 : m->M_rownnz[parent];
    say(w, CR_FIELD_M_rownnz, i, n + 1);
    say(w, CR_FIELD_M_rowadr, i, adr);
    for (int k = 0; k < n; k++) {
      say(w, CR_FIELD_M_colind, adr + k, m->M_colind[m->M_rowadr[parent] + k]);
    }
    say(w, CR_FIELD_M_colind, adr + n, i);
    adr += n + 1;
  }
}

// geoms are sorted by body
static void walk_geoms(walk* w) {
  const cr_model* m = w->m;
  for (int i = 0, geom = 0, n = 0; i < m->nbody; i++, geom += n) {
    for (n = 0; geom + n < m->ngeom && m->geom_bodyid[geom + n] == i; n++) {
    }
    say(w, CR_FIELD_body_geomnum, i, n);
    say(w, CR_FIELD_body_geomadr, i, n > 0 ? geom : -1);
  }
}

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

void cri_model_derive_M(cr_model* m) {
  walk w = {.m = m, .id = CR_N_FIELD};
  walk_M(&w);
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

// where a hull graph is in range
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

// scales to unit length, but leaves what is unit to round-off, so that deriving again changes nothing
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

static cr_status unit_quats(cr_model* m, cr_real* quat, int n, const char* kind, const char* field,
                            const int32_t* adr, cr_error* error) {
  for (int i = 0; i < n; i++) {
    if (!make_unit(quat + 4 * i, 4)) {
      return cri_fail(error, CR_ERR_MODEL, "%s: %s has no length", cri_label(m, kind, adr, i).text,
                      field);
    }
  }
  return CR_OK;
}

static cr_status unit_vectors(cr_model* m, cr_error* error) {
  CR_TRY(unit_quats(m, m->body_quat, m->nbody, "body", "body_quat", m->name_bodyadr, error));
  CR_TRY(unit_quats(m, m->body_iquat, m->nbody, "body", "body_iquat", m->name_bodyadr, error));
  CR_TRY(unit_quats(m, m->geom_quat, m->ngeom, "geom", "geom_quat", m->name_geomadr, error));
  CR_TRY(unit_quats(m, m->site_quat, m->nsite, "site", "site_quat", m->name_siteadr, error));
  const cr_real z[3] = {0, 0, 1};
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == CR_JNT_FREE || m->jnt_type[j] == CR_JNT_BALL) {
      cr_copy(m->jnt_axis + 3 * j, z, 3);
    } else if (!make_unit(m->jnt_axis + 3 * j, 3)) {
      return cri_fail(error, CR_ERR_MODEL, "%s: jnt_axis has no length",
                      cri_label(m, "joint", m->name_jntadr, j).text);
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

// MuJoCo's rule: 1 if the body's block of M is diagonal as its structure goes, 2 if it slides only;
// the armature of a tendon fills the blocks of the bodies that stretch it
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

// keyframes that say nothing of mocap bodies leave them where they are at reset
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

// ---- checks beyond the tree

static cr_status check_geoms(const cr_model* m, cr_error* error) {
  for (int i = 0, last = 0; i < m->ngeom; last = m->geom_bodyid[i++]) {
    int body = m->geom_bodyid[i];
    if (body < last || body >= m->nbody) {
      return cri_fail(error, CR_ERR_MODEL,
                      "%s: geom_bodyid is %d after %d of %d bodies: geoms are not sorted by body",
                      cri_label(m, "geom", m->name_geomadr, i).text, body, last, m->nbody);
    }
  }
  return CR_OK;
}

// mocap bodies are jointless children of the world, with ids 0 .. nmocap - 1 in order
static cr_status check_mocap(const tree* t, const cr_model* m, cr_error* error) {
  int next = 0;
  for (int i = 0; i < m->nbody; i++) {
    int id = m->body_mocapid[i];
    if (id < 0) {
      continue;
    }
    if (i == 0 || m->body_parentid[i] != 0 || m->body_jntnum[i] != 0) {
      return cri_fail(error, CR_ERR_MODEL,
                      "%s: a mocap body is a child of the world without joints",
                      body_label(t, i).text);
    }
    if (id != next++) {
      return cri_fail(error, CR_ERR_MODEL, "%s: body_mocapid is %d instead of %d",
                      body_label(t, i).text, id, next - 1);
    }
  }
  return next == m->nmocap ? CR_OK
                           : cri_fail(error, CR_ERR_MODEL, "nmocap is %d, but %d bodies are mocap",
                                      m->nmocap, next);
}

static cr_status check_counts(const tree* t, const cr_model* m, cr_error* error) {
  counts c = count(t);
  if (c.nq != m->nq || c.nv != m->nv || c.ntree != m->ntree || c.nC != m->nC) {
    return cri_fail(error, CR_ERR_MODEL,
                    "(nq, nv, ntree, nC) is (%d, %d, %d, %d), but the joints make (%d, %d, %d, %d)",
                    m->nq, m->nv, m->ntree, m->nC, c.nq, c.nv, c.ntree, c.nC);
  }
  return CR_OK;
}

// what is said by a person: parents, joints, geoms
static cr_status check_given(const cr_model* m, cr_error* error) {
  tree t = {m->nbody, m->njnt, m->body_parentid, m->body_jntnum, m->jnt_type, m};
  CR_TRY(check_tree(&t, error));
  CR_TRY(check_counts(&t, m, error));
  CR_TRY(check_mocap(&t, m, error));
  return check_geoms(m, error);
}

// each part reads what those before it have filled, or found right
static void walk_all(walk* w) {
  static void (*const parts[])(walk*) = {walk_bodies, walk_joints, walk_trees, walk_M, walk_geoms};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && agrees(w); i++) {
    parts[i](w);
  }
}

cr_status cri_structure_check(const cr_model* m, cr_error* error) {
  walk w = {.m = m, .compare = true, .id = CR_N_FIELD};
  CR_TRY(check_given(m, error));
  walk_all(&w);
  return agrees(&w)
             ? CR_OK
             : cri_fail(error, CR_ERR_MODEL, "%s[%d] is %d, but parents and joints make it %d",
                        cri_field(w.id)->name, w.row, cri_field_index(m, NULL, w.id)[w.row],
                        w.wanted);
}

cr_status cri_model_derive(cr_model* m, cr_error* error) {
  walk w = {.m = m, .id = CR_N_FIELD};
  for (int i = 0; i < m->nbody && m->nmocap == 0; i++) {
    m->body_mocapid[i] = -1;
  }
  CR_TRY(check_given(m, error));
  walk_all(&w);
  cri_model_derive_inertial(m);
  derive_bounds(m);
  cri_model_derive_meshes(m);
  CR_TRY(unit_vectors(m, error));
  derive_simple(m);
  fill_poses(m);
  return cri_model_check(m, error);
}
