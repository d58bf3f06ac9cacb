// SPDX-License-Identifier: Apache-2.0
// Counting works on three plain arrays, before there is memory; everything else on the allocated model.
#include "model/structure.h"

#include "model/names.h"

// ---- the tree, and its faults

typedef struct {
  int nbody, njnt;  // njnt -1: the sum of jntnum
  const int32_t *parentid, *jntnum, *jnt_type;
  const cr_model* names;  // NULL before there are any
} tree;

static cr_label body_label(const tree* t, int id) {
  return cri_label(t->names, CRI_OBJECT_body, id);
}

static cr_label joint_label(const tree* t, int id) {
  return cri_label(t->names, CRI_OBJECT_joint, id);
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

// ---- derived from the tree

// One walk over the tree computes the contents of the arrays. It fills them or, for a model whose arrays are in
// range, finds the first that differs.
typedef struct {
  const cr_model* m;
  bool compare;
  cr_field_id id;  // that differs, CR_N_FIELD: none does
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

void cri_model_derive_M(cr_model* m) {
  walk w = {.m = m, .id = CR_N_FIELD};
  walk_M(&w);
}

// ---- given beyond the tree

static cr_status check_geoms(const cr_model* m, cr_error* error) {
  for (int i = 0, last = 0; i < m->ngeom; last = m->geom_bodyid[i++]) {
    int body = m->geom_bodyid[i];
    if (body < last || body >= m->nbody) {
      return cri_fail(error, CR_ERR_MODEL,
                      "%s: geom_bodyid is %d after %d of %d bodies: geoms are not sorted by body",
                      cri_label(m, CRI_OBJECT_geom, i).text, body, last, m->nbody);
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

// given by the caller: parents, joints, geoms
static cr_status check_given(const cr_model* m, cr_error* error) {
  tree t = {m->nbody, m->njnt, m->body_parentid, m->body_jntnum, m->jnt_type, m};
  CR_TRY(check_tree(&t, error));
  CR_TRY(check_counts(&t, m, error));
  CR_TRY(check_mocap(&t, m, error));
  return check_geoms(m, error);
}

// each part reads what the parts before it have filled, or found correct
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

cr_status cri_structure_derive(cr_model* m, cr_error* error) {
  walk w = {.m = m, .id = CR_N_FIELD};
  CR_TRY(check_given(m, error));
  walk_all(&w);
  return CR_OK;
}
