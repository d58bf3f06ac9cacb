// SPDX-License-Identifier: Apache-2.0
// Checks of a model: first that every number is in its field's range (model/model_fields.h), so that
// the later checks may use indices; then that they fit each other.
#include "model/model_check.h"

#include <stdio.h>

#include "model/build.h"
#include "model/fields.h"
#include "model/model_options.h"
#include "model/names.h"
#include "model/sensors.h"

// ranges, in order if they are used
static const struct {
  cr_field_id range, used;
} ranges[] = {{CR_FIELD_jnt_range, CR_FIELD_jnt_limited},
              {CR_FIELD_jnt_actfrcrange, CR_FIELD_jnt_actfrclimited},
              {CR_FIELD_tendon_range, CR_FIELD_tendon_limited},
              {CR_FIELD_tendon_actfrcrange, CR_FIELD_tendon_actfrclimited},
              {CR_FIELD_actuator_ctrlrange, CR_FIELD_actuator_ctrllimited},
              {CR_FIELD_actuator_forcerange, CR_FIELD_actuator_forcelimited},
              {CR_FIELD_actuator_actrange, CR_FIELD_actuator_actlimited}};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- names of elements in errors: the name, or the number

static cr_label element(const cr_model* m, cr_field_id id, int row) {
  cri_object_kind kind = cri_object_of_rows(cri_field(id)->rows);
  cr_label l;
  if (kind < CRI_N_OBJECT) {
    return cri_label(m, kind, row);
  }
  (void)snprintf(l.text, sizeof l.text, "row %d", row);
  return l;
}

static cr_status bad(const cr_model* m, cr_field_id id, int row, const char* what, double value,
                     cr_error* error) {
  return cri_fail(error, CR_ERR_MODEL, "%s: %s %s (%.9g)", element(m, id, row).text,
                  cri_field(id)->name, what, value);
}

// ---- the checks

static cr_status check_integers(const cr_model* m, cr_field_id id, cr_error* error) {
  cr_field_range range = cri_field_range(m, id);
  int width = cri_field_width(m, id);
  ptrdiff_t n = (ptrdiff_t)cri_field_rows(m, NULL, id) * width;
  const int32_t* x = cri_field_index(m, NULL, id);
  for (ptrdiff_t i = 0; i < n; i++) {
    if ((cr_real)x[i] >= range.low && (cr_real)x[i] <= range.high) {
      continue;
    }
    int row = (int)(i / width);
    return !range.counted ? bad(m, id, row, "is no choice", x[i], error)
                          : cri_fail(error, CR_ERR_MODEL, "%s: %s is %d, out of range [%.0f, %.0f]",
                                     element(m, id, row).text, cri_field(id)->name, x[i],
                                     (double)range.low, (double)range.high);
  }
  return CR_OK;
}

static cr_status check_reals(const cr_model* m, cr_field_id id, cr_error* error) {
  cr_field_range range = cri_field_range(m, id);
  int width = cri_field_width(m, id);
  ptrdiff_t n = (ptrdiff_t)cri_field_rows(m, NULL, id) * width;
  const cr_real* x = cri_field_real(m, NULL, id);
  for (ptrdiff_t i = 0; i < n; i++) {
    const char* fault = !isfinite(x[i])                         ? "is not finite"
                        : x[i] < 0 && range.low == 0            ? "is negative"
                        : x[i] < range.low || x[i] > range.high ? "is longer than 1e10 m"
                                                                : NULL;
    if (fault != NULL) {
      return bad(m, id, (int)(i / width), fault, (double)x[i], error);
    }
  }
  return CR_OK;
}

// every number of every field; names lie before the end of all names, where there are any
static cr_status check_fields(const cr_model* m, cr_error* error) {
  if (m->nnames > 0 && m->names[m->nnames - 1] != 0) {
    return cri_fail(error, CR_ERR_MODEL, "names: the last one does not end");
  }
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    cr_field_id id = (cr_field_id)k;
    bool name = strncmp(cri_field(id)->name, "name_", 5) == 0;
    if (cri_field(id)->kind == CR_KIND_INT && !(name && m->nnames == 0)) {
      CR_TRY(check_integers(m, id, error));
    } else if (cri_field(id)->kind == CR_KIND_CONST || cri_field(id)->kind == CR_KIND_PARAM) {
      CR_TRY(check_reals(m, id, error));
    }
  }
  return CR_OK;
}

static cr_status check_dimensions(const cr_model* m, cr_field_id id, cr_error* error) {
  const int32_t* dim = cri_field_index(m, NULL, id);
  for (int i = 0; i < cri_field_rows(m, NULL, id); i++) {
    if (dim[i] == 2 || dim[i] == 5) {
      return bad(m, id, i, "is no choice", dim[i], error);
    }
  }
  return CR_OK;
}

static cr_status check_condim(const cr_model* m, cr_error* error) {
  CR_TRY(check_dimensions(m, CR_FIELD_geom_condim, error));
  return check_dimensions(m, CR_FIELD_pair_dim, error);
}

// the rows of ten_J, and the path: only joints, or sites with pulleys and geoms between them
static bool ascending(const int32_t* x, int n) {
  for (int i = 1; i < n; i++) {
    if (x[i] <= x[i - 1]) {
      return false;
    }
  }
  return true;
}

static bool has_column(const cr_model* m, int t, int dof) {
  int low = m->ten_J_rowadr[t], high = low + m->ten_J_rownnz[t];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (m->ten_J_colind[middle] == dof) {
      return true;
    }
    *(m->ten_J_colind[middle] < dof ? &low : &high) =
        m->ten_J_colind[middle] < dof ? middle + 1 : middle;
  }
  return false;
}

static int last_dof(const cr_model* m, int body) {
  int b = m->body_weldid[body];
  return m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

// row t must have the dofs that move one of two bodies, not both
static bool has_between(const cr_model* m, int t, int body1, int body2) {
  int a = last_dof(m, body1), b = last_dof(m, body2);
  while (a != b) {
    int* later = a > b ? &a : &b;
    if (!has_column(m, t, *later)) {
      return false;
    }
    *later = m->dof_parentid[*later];
  }
  return true;
}

// a row of ten_J must have all dofs on which its path may depend
static bool has_path(const cr_model* m, int t) {
  int last = -1;  // body of the element before; a pulley breaks the path
  for (int k = m->tendon_adr[t]; k < m->tendon_adr[t] + m->tendon_num[t]; k++) {
    int type = m->wrap_type[k], id = m->wrap_objid[k], body = -1;
    if (type == CR_WRAP_JOINT && !has_column(m, t, m->jnt_dofadr[id])) {
      return false;
    }
    if (type == CR_WRAP_SITE) {
      body = m->site_bodyid[id];
    } else if (type == CR_WRAP_SPHERE || type == CR_WRAP_CYLINDER) {
      body = m->geom_bodyid[id];
    }
    if (last >= 0 && body >= 0 && !has_between(m, t, last, body)) {
      return false;
    }
    last = body;
  }
  return true;
}

static cr_status check_tendons(const cr_model* m, cr_error* error) {
  for (int i = 0, element = 0, adr = 0; i < m->ntendon; i++) {
    int n = m->tendon_num[i], nnz = m->ten_J_rownnz[i];
    if (m->tendon_adr[i] != element || n < 1 || n > m->nwrap - element) {
      return bad(m, CR_FIELD_tendon_num, i, "does not fit", n, error);
    }
    if (m->ten_J_rowadr[i] != adr || nnz < 0 || nnz > m->nJten - adr) {
      return bad(m, CR_FIELD_ten_J_rownnz, i, "does not fit", nnz, error);
    }
    if (!ascending(m->ten_J_colind + adr, nnz)) {
      return bad(m, CR_FIELD_ten_J_rownnz, i, "is that of columns out of order", nnz, error);
    }
    bool fixed = m->wrap_type[element] == CR_WRAP_JOINT, armature = m->tendon_inertial[i] != 0;
    bool wraps = false;
    for (int k = element; k < element + n; k++) {
      int type = m->wrap_type[k], id = m->wrap_objid[k];
      bool geom = type == CR_WRAP_SPHERE || type == CR_WRAP_CYLINDER;
      cri_object_kind kind = fixed ? CRI_OBJECT_joint : (geom ? CRI_OBJECT_geom : CRI_OBJECT_site);
      bool fits = (type == CR_WRAP_JOINT) == fixed;
      if (type == CR_WRAP_PULLEY) {
        fits = fits && m->wrap_prm[k] > 0;
      } else {
        fits = fits && cri_object_is(m, kind, id);
      }
      if (geom) {
        fits = fits && k > element && k + 1 < element + n && m->wrap_type[k - 1] == CR_WRAP_SITE &&
               m->wrap_type[k + 1] == CR_WRAP_SITE && m->wrap_prm[k] >= -1 &&
               m->wrap_prm[k] < (cr_real)m->nsite;
      }
      if (fixed && fits) {
        fits = m->jnt_type[id] == CR_JNT_SLIDE || m->jnt_type[id] == CR_JNT_HINGE;
      }
      wraps = wraps || geom;
      if (!fits) {
        return bad(m, CR_FIELD_wrap_objid, k, "does not fit in the path of its tendon", id, error);
      }
    }
    if (!has_path(m, i)) {
      return bad(m, CR_FIELD_ten_J_rownnz, i, "leaves out a dof that moves its path", nnz, error);
    }
    if (m->tendon_armature[i] != 0 && !armature) {
      return bad(m, CR_FIELD_tendon_armature, i, "is not zero, but tendon_inertial is",
                 (double)m->tendon_armature[i], error);
    }
    if (wraps && armature) {
      return bad(m, CR_FIELD_tendon_armature, i, "is that of a tendon that wraps around a geom",
                 (double)m->tendon_armature[i], error);
    }
    element += n;
    adr += nnz;
  }
  return CR_OK;
}

// what actuators act on, by mjtTrn
static const cri_object_kind targets[] = {
    [CR_TRN_JOINT] = CRI_OBJECT_joint,      [CR_TRN_JOINTINPARENT] = CRI_OBJECT_joint,
    [CR_TRN_SLIDERCRANK] = CRI_OBJECT_site, [CR_TRN_TENDON] = CRI_OBJECT_tendon,
    [CR_TRN_SITE] = CRI_OBJECT_site,        [CR_TRN_BODY] = CRI_OBJECT_body,
    [CR_TRN_SO3] = CRI_OBJECT_site};

// an index into what another field names
static cr_status check_object(const cr_model* m, cri_object_kind kind, cr_field_id field, int i,
                              int id, cr_error* error) {
  char what[40];
  (void)snprintf(what, sizeof what, "is no %s", cri_object_info_of(kind)->label);
  return cri_object_is(m, kind, id) ? CR_OK : bad(m, field, i, what, id, error);
}

static cr_status check_transmission(const cr_model* m, int i, cr_error* error) {
  int type = m->actuator_trntype[i], id = m->actuator_trnid[2 * i];
  int other = m->actuator_trnid[2 * i + 1];
  // an orientation without a reference belongs to a ball joint
  bool joint = type == CR_TRN_SO3 && other == -1;
  CR_TRY(
      check_object(m, targets[joint ? CR_TRN_JOINT : type], CR_FIELD_actuator_trnid, i, id, error));
  if (joint && m->jnt_type[id] != CR_JNT_BALL) {
    return bad(m, CR_FIELD_actuator_trnid, i, "is no ball joint", id, error);
  }
  if ((type == CR_TRN_SITE || type == CR_TRN_SO3) && (other < -1 || other >= m->nsite)) {
    return bad(m, CR_FIELD_actuator_trnid, i, "has no reference site", other, error);
  }
  if (type == CR_TRN_SLIDERCRANK && (other < 0 || other >= m->nsite)) {
    return bad(m, CR_FIELD_actuator_trnid, i, "has no slider", other, error);
  }
  return CR_OK;
}

// true if a run of `num` entries from `adr` lies within `all`
static bool run_fits(int32_t adr, int32_t num, int all) {
  return adr >= 0 && num >= 0 && adr <= all && num <= all - adr;
}

// contradictions between a controller's type and its other fields; 0 if there are none
static const char* controller_fault(const cr_model* m, int i) {
  enum { SETPOINTS = 7, INPUTS = 15 };
  int gain = m->actuator_gaintype[i], bias = m->actuator_biastype[i], dyn = m->actuator_dyntype[i];
  int spec = m->actuator_ctrlspec[i], inputs = 0;
  const cr_real *dynprm = m->actuator_dynprm + 10 * i, *gainprm = m->actuator_gainprm + 10 * i;
  for (int bit = 1; bit <= INPUTS; bit *= 2) {
    inputs += (spec & bit) != 0;
  }
  bool fits;
  if (gain == CR_GAIN_SO3) {
    // a quaternion cannot be a state
    bool stored = dyn == CR_DYN_INTEGRATOR && spec != 2;
    fits = bias == CR_BIAS_SO3 && (dyn == CR_DYN_NONE || stored) && m->actuator_outnum[i] == 3 &&
           m->actuator_trntype[i] == CR_TRN_SO3;
    return fits && m->actuator_ctrlnum[i] == (spec == 2 ? 4 : 3) ? NULL : "is no orientation servo";
  }
  fits = m->actuator_ctrlnum[i] == inputs && m->actuator_outnum[i] == 1 &&
         m->actuator_trntype[i] != CR_TRN_SO3;
  if (gain == CR_GAIN_PID) {
    bool plain = dyn == CR_DYN_NONE && gainprm[0] <= 0 && dynprm[1] <= 0;  // without states
    fits = fits && bias == CR_BIAS_AFFINE && (plain || dyn == CR_DYN_PID);
    return fits ? NULL : "is no PID controller";
  }
  fits = fits && bias == CR_BIAS_DCMOTOR &&
         (dyn == CR_DYN_DCMOTOR || (dyn == CR_DYN_NONE && m->actuator_actnum[i] == 0)) &&
         (gainprm[1] > 0 || (spec & SETPOINTS) == 0) && (dynprm[2] <= 0 || dynprm[3] > 0);
  return fits ? NULL : "is no DC motor";
}

static cr_status check_actuators(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nactuator; i++) {
    int n = m->actuator_actnum[i], adr = m->actuator_actadr[i], dyn = m->actuator_dyntype[i];
    int gain = m->actuator_gaintype[i], bias = m->actuator_biastype[i];
    bool controller = gain >= CR_GAIN_DCMOTOR && gain < CR_GAIN_ADDED;
    CR_TRY(check_transmission(m, i, error));
    if (!run_fits(n == 0 ? 0 : adr, n, m->na)) {
      return bad(m, CR_FIELD_actuator_actnum, i, "does not fit", n, error);
    }
    if (!run_fits(m->actuator_ctrlnum[i] == 0 ? 0 : m->actuator_ctrladr[i], m->actuator_ctrlnum[i],
                  m->nu)) {
      return bad(m, CR_FIELD_actuator_ctrladr, i, "does not fit", m->actuator_ctrladr[i], error);
    }
    if (m->actuator_outnum[i] < 1 ||
        !run_fits(m->actuator_outadr[i], m->actuator_outnum[i], m->nout)) {
      return bad(m, CR_FIELD_actuator_outadr, i, "does not fit", m->actuator_outadr[i], error);
    }
    if (controller && n != cri_controller_states(m, i)) {
      return bad(m, CR_FIELD_actuator_actnum, i, "does not fit", n, error);
    }
    if (controller) {
      const char* fault = controller_fault(m, i);
      if (fault != NULL) {
        return bad(m, CR_FIELD_actuator_gaintype, i, fault, m->actuator_gaintype[i], error);
      }
    } else if (n != (dyn != CR_DYN_NONE) || m->actuator_ctrlnum[i] != 1 ||
               m->actuator_outnum[i] != 1 || dyn > CR_DYN_MUSCLE ||
               (bias > CR_BIAS_MUSCLE && bias < CR_BIAS_ADDED) ||
               m->actuator_trntype[i] == CR_TRN_SO3) {
      return bad(m, CR_FIELD_actuator_actnum, i, "does not fit", n, error);
    }
  }
  return CR_OK;
}

static bool all_below(const int32_t* x, int32_t n, int32_t below) {
  for (int32_t i = 0; i < n; i++) {
    if (x[i] < 0 || x[i] >= below) {
      return false;
    }
  }
  return true;
}

// the graph of a hull: each vertex exists, each list of neighbours ends
static bool graph_fits(const int32_t* graph, int size, int32_t nvert) {
  int32_t n = size < 2 ? -1 : graph[0];
  if (n < 1 || n > (size - 2) / 2) {
    return false;
  }
  const int32_t *first = graph + 2, *vertex = first + n, *edge = vertex + n;
  int nedge = size - 2 - 2 * n;
  if (!all_below(vertex, n, nvert) || !all_below(first, n, nedge)) {
    return false;
  }
  for (int32_t i = 0; i < n; i++) {
    int k = first[i];
    while (k < nedge && edge[k] >= 0 && edge[k] < n) {
      k++;
    }
    if (k >= nedge || edge[k] >= 0) {
      return false;
    }
  }
  return true;
}

static bool mesh_fits(const cr_model* m, int i) {
  int32_t vert = m->mesh_vertadr[i], nvert = m->mesh_vertnum[i];
  int32_t poly = m->mesh_polyadr[i], npoly = m->mesh_polynum[i], graph = m->mesh_graphadr[i];
  if (nvert < 1 || !run_fits(vert, nvert, m->nmeshvert) ||
      (npoly > 0 && !run_fits(poly, npoly, m->nmeshpoly)) || npoly < 0 ||
      (graph >= 0 && (graph >= m->nmeshgraph ||
                      !graph_fits(m->mesh_graph + graph, m->nmeshgraph - graph, nvert) ||
                      !all_below(m->mesh_start + 27 * (ptrdiff_t)i, 27, m->mesh_graph[graph])))) {
    return false;
  }
  int32_t face = m->mesh_faceadr[i], nface = m->mesh_facenum[i];
  if (nface > 0 && (!run_fits(face, nface, m->nmeshface) ||
                    !all_below(m->mesh_face + 3 * (ptrdiff_t)face, 3 * nface, nvert))) {
    return false;
  }
  for (int k = poly; k < poly + npoly; k++) {
    int32_t adr = m->mesh_polyvertadr[k], n = m->mesh_polyvertnum[k];
    if (n < 3 || !run_fits(adr, n, m->nmeshpolyvert) ||
        !all_below(m->mesh_polyvert + adr, n, nvert)) {
      return false;
    }
  }
  for (int k = vert; npoly > 0 && k < vert + nvert; k++) {
    int32_t adr = m->mesh_polymapadr[k], n = m->mesh_polymapnum[k];
    if (n > 0 &&
        (!run_fits(adr, n, m->nmeshpolymap) || !all_below(m->mesh_polymap + adr, n, npoly))) {
      return false;
    }
  }
  return true;
}

// contacts outside the box would be missed
static bool mesh_in_box(const cr_model* m, int i) {
  const cr_real *box = m->mesh_box + 6 * i,
                *vert = m->mesh_vert + 3 * (ptrdiff_t)m->mesh_vertadr[i];
  for (int k = 0; k < 3 * m->mesh_vertnum[i]; k++) {
    cr_real centre = box[k % 3], half = box[3 + k % 3];
    if (!(cr_abs(vert[k] - centre) <= half + 4 * CR_EPS * (cr_abs(centre) + half))) {
      return false;
    }
  }
  return true;
}

static cr_status check_shapes(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nmesh; i++) {
    if (!mesh_fits(m, i)) {
      return cri_fail(error, CR_ERR_MODEL, "mesh %d: its vertices, graph and polygons do not fit",
                      i);
    }
    if (!mesh_in_box(m, i)) {
      return cri_fail(error, CR_ERR_MODEL, "mesh %d: mesh_box does not hold its vertices", i);
    }
  }
  for (int i = 0; i < m->nhfield; i++) {
    int32_t row = m->hfield_nrow[i], col = m->hfield_ncol[i];
    if (row < 2 || col < 2 || row > CR_MAX_GRID / col ||
        !run_fits(m->hfield_adr[i], row * col, m->nhfielddata)) {
      return cri_fail(error, CR_ERR_MODEL, "height field %d: its grid does not fit", i);
    }
    const cr_real* size = m->hfield_size + 4 * i;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] > 0)) {
      return cri_fail(error, CR_ERR_MODEL, "height field %d: its sizes are not all positive", i);
    }
  }
  for (int i = 0; i < m->ngeom; i++) {
    int type = m->geom_type[i], id = m->geom_dataid[i];
    cri_object_kind kind = type == CR_GEOM_MESH ? CRI_OBJECT_mesh : CRI_OBJECT_hfield;
    if ((type == CR_GEOM_MESH || type == CR_GEOM_HFIELD) && !cri_object_is(m, kind, id)) {
      return bad(m, CR_FIELD_geom_dataid, i, "is no mesh or height field", id, error);
    }
  }
  return CR_OK;
}

static bool is_scalar_joint(const cr_model* m, int j) {
  return cri_object_is(m, CRI_OBJECT_joint, j) &&
         (m->jnt_type[j] == CR_JNT_SLIDE || m->jnt_type[j] == CR_JNT_HINGE);
}

// checks that the objects of an equality constraint exist
static cr_status check_equalities(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->neq; i++) {
    int type = m->eq_type[i], first = m->eq_obj1id[i], second = m->eq_obj2id[i];
    cri_object_kind kind = cri_object_of_type(m->eq_objtype[i]);
    if (type == CR_EQ_TENDON) {
      CR_TRY(check_object(m, CRI_OBJECT_tendon, CR_FIELD_eq_obj1id, i, first, error));
      CR_TRY(second == -1
                 ? CR_OK
                 : check_object(m, CRI_OBJECT_tendon, CR_FIELD_eq_obj2id, i, second, error));
    } else if (type == CR_EQ_JOINT) {
      if (!is_scalar_joint(m, first)) {
        return bad(m, CR_FIELD_eq_obj1id, i, "is no slide or hinge joint", first, error);
      }
      if (second != -1 && (!is_scalar_joint(m, second) || second == first)) {
        return bad(m, CR_FIELD_eq_obj2id, i, "is no other slide or hinge joint", second, error);
      }
    } else if (type == CR_EQ_CONNECT || type == CR_EQ_WELD) {
      if (m->eq_objtype[i] != CR_OBJ_BODY && m->eq_objtype[i] != CR_OBJ_SITE) {
        return bad(m, CR_FIELD_eq_objtype, i, "is neither body nor site", m->eq_objtype[i], error);
      }
      CR_TRY(check_object(m, kind, CR_FIELD_eq_obj1id, i, first, error));
      CR_TRY(check_object(m, kind, CR_FIELD_eq_obj2id, i, second, error));
    } else if (m->eq_active0[i] != 0) {
      return bad(m, CR_FIELD_eq_type, i, "is not supported", type, error);
    }
  }
  return CR_OK;
}

static bool is_quaternion(cr_field_id id) {
  return cri_field(id)->tangent == CR_TANGENT_QUAT || id == CR_FIELD_mocap_quat0;
}

static cr_real norm4(const cr_real* q) {
  return cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

// numbers of Carom's own contact models
static cr_status check_laws(const cr_model* m, cr_error* error) {
  if (!(m->ncp_cfm[0] > 0)) {
    return cri_fail(error, CR_ERR_MODEL,
                    "ncp_cfm: 0, but contacts that do not give way have no unique forces");
  }
  for (int i = 0; i < m->ngeom; i++) {
    const cr_real* p = m->geom_hunt_crossley + 5 * i;
    if (p[2] < 1) {
      return bad(m, CR_FIELD_geom_hunt_crossley, i, "has an exponent below 1", (double)p[2], error);
    }
    if (!(p[3] > 0)) {
      return bad(m, CR_FIELD_geom_hunt_crossley, i, "has a transition velocity of zero",
                 (double)p[3], error);
    }
  }
  return CR_OK;
}

// the elements of a pressure field have its own vertices; a plane has none, other shapes have some
static bool has_own_elements(const cr_model* m, int geom) {
  const int vert = m->geom_pressure_vertadr[geom], nvert = m->geom_pressure_vertnum[geom];
  const int tet = m->geom_pressure_tetadr[geom], ntet = m->geom_pressure_tetnum[geom];
  bool own = vert >= 0 && tet >= 0 && vert + nvert <= m->npressurevert &&
             tet + ntet <= m->npressuretet && (ntet == 0) == (m->geom_type[geom] == CR_GEOM_PLANE);
  const bool triangles = m->geom_pressure_kind[geom] == CR_PRESSURE_RIGID;
  for (int i = 4 * tet; own && i < 4 * (tet + ntet); i++) {
    const int v = m->pressure_tet[i];
    own = triangles && i % 4 == 3 ? v == -1 : v >= vert && v < vert + nvert;
  }
  return own;
}

static cr_status check_field(const cr_model* m, int geom, cr_error* error) {
  const cr_real* p = m->geom_pressure + CR_PRESSURE_WIDTH * geom;
  const bool compliant = m->geom_pressure_kind[geom] == CR_PRESSURE_COMPLIANT;
  const cr_field_id id = CR_FIELD_geom_pressure;
  if (!has_own_elements(m, geom)) {
    return bad(m, CR_FIELD_geom_pressure_tetadr, geom, "does not fit to the pressure field",
               m->geom_pressure_tetadr[geom], error);
  }
  if (compliant && !(p[CR_PRESSURE_MODULUS] > 0)) {
    return bad(m, id, geom, "has a modulus of zero", (double)p[CR_PRESSURE_MODULUS], error);
  }
  if (!(p[CR_PRESSURE_TRANSITION] > 0)) {
    return bad(m, id, geom, "has a transition velocity of zero", (double)p[CR_PRESSURE_TRANSITION],
               error);
  }
  if (compliant && m->geom_type[geom] == CR_GEOM_PLANE && !(p[CR_PRESSURE_THICKNESS] > 0)) {
    return bad(m, id, geom, "has a thickness of zero", (double)p[CR_PRESSURE_THICKNESS], error);
  }
  return CR_OK;
}

static cr_status check_pressure(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->ngeom; i++) {
    if (m->geom_pressure_kind[i] != CR_PRESSURE_NONE) {
      CR_TRY(check_field(m, i, error));
    }
  }
  return CR_OK;
}

static cr_status check_axes(const cr_model* m, cr_error* error) {
  for (int j = 0; j < m->njnt; j++) {
    const cr_real* a = m->jnt_axis + 3 * j;
    cr_real length = cr_sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    bool used = m->jnt_type[j] == CR_JNT_SLIDE || m->jnt_type[j] == CR_JNT_HINGE;
    if (used && cr_abs(length - 1) > CR_R(1e-6)) {
      return bad(m, CR_FIELD_jnt_axis, j, "is not of unit length", (double)length, error);
    }
  }
  return CR_OK;
}

static cr_status check_quaternions(const cr_model* m, cr_error* error) {
  for (int k = 0; k < CR_N_MODEL_FIELD; k++) {
    cr_field_id id = (cr_field_id)k;
    for (int i = 0; is_quaternion(id) && i < cri_field_rows(m, NULL, id); i++) {
      cr_real norm = norm4(cri_field_real(m, NULL, id) + 4 * (ptrdiff_t)i);
      if (cr_abs(norm - 1) > CR_R(1e-6)) {
        return bad(m, id, i, "is not of unit length", (double)norm, error);
      }
    }
  }
  return CR_OK;
}

static cr_status check_ranges(const cr_model* m, cr_error* error) {
  for (int k = 0; k < COUNT(ranges); k++) {
    const cr_real* x = cri_field_real(m, NULL, ranges[k].range);
    const int32_t* used = cri_field_index(m, NULL, ranges[k].used);
    for (int i = 0; i < cri_field_rows(m, NULL, ranges[k].range); i++) {
      if (used[i] != 0 && !(x[2 * i] <= x[2 * i + 1])) {
        return bad(m, ranges[k].range, i, "is not in order", (double)x[2 * i], error);
      }
    }
  }
  return CR_OK;
}

cr_status cri_model_check(const cr_model* m, cr_error* error) {
  if (m->nbody < 1) {
    return cri_fail(error, CR_ERR_MODEL, "nbody: a model has at least the world");
  }
  if (m->nkeymocap != (int64_t)m->nkey * m->nmocap) {
    return cri_fail(error, CR_ERR_MODEL, "nkeymocap: %d, not %d keyframes times %d mocap bodies",
                    m->nkeymocap, m->nkey, m->nmocap);
  }
  CR_TRY(cri_options_check(m, error));
  CR_TRY(check_fields(m, error));
  CR_TRY(check_condim(m, error));
  CR_TRY(cri_structure_check(m, error));
  CR_TRY(check_tendons(m, error));
  CR_TRY(check_actuators(m, error));
  CR_TRY(check_shapes(m, error));
  CR_TRY(check_equalities(m, error));
  CR_TRY(cri_sensors_check(m, error));
  CR_TRY(check_quaternions(m, error));
  CR_TRY(check_ranges(m, error));
  CR_TRY(check_laws(m, error));
  CR_TRY(check_pressure(m, error));
  return check_axes(m, error);
}

cr_status cri_qpos_check(const cr_model* m, const cr_real* qpos, cr_error* error) {
  for (int i = 0; i < m->nq; i++) {
    if (!isfinite(qpos[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "qpos[%d] is not finite", i);
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j];
    if (type != CR_JNT_FREE && type != CR_JNT_BALL) {
      continue;
    }
    int adr = m->jnt_qposadr[j] + (type == CR_JNT_FREE ? 3 : 0);
    cr_real norm = norm4(qpos + adr);
    if (cr_abs(norm - 1) > CR_R(1e-6)) {
      return cri_fail(error, CR_ERR_ARG,
                      "%s: its quaternion, qpos[%d] to qpos[%d], has length %.9g, not 1",
                      cri_label(m, CRI_OBJECT_joint, j).text, adr, adr + 3, (double)norm);
    }
  }
  return CR_OK;
}
