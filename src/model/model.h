// SPDX-License-Identifier: Apache-2.0
// cr_model: everything that is constant during a simulation, as pointers to constant arrays.
// A variant with other masses or sizes is a shallow copy with other pointers for those
// arrays. A parameter twin is a cr_model with real arrays only for the parameters asked
// for, NULL for all others. It holds their tangents or cotangents, `tangent` numbers a row.
#ifndef CR_MODEL_MODEL_H
#define CR_MODEL_MODEL_H

#include "base/real.h"
#include "base/status.h"

// MuJoCo's numbers for its enumerations, so that fields of the two compare directly.
enum { CR_JNT_FREE = 0, CR_JNT_BALL = 1, CR_JNT_SLIDE = 2, CR_JNT_HINGE = 3 };
enum {
  CR_GEOM_PLANE = 0,
  CR_GEOM_HFIELD = 1,
  CR_GEOM_SPHERE = 2,
  CR_GEOM_CAPSULE = 3,
  CR_GEOM_ELLIPSOID = 4,
  CR_GEOM_CYLINDER = 5,
  CR_GEOM_BOX = 6,
  CR_GEOM_MESH = 7,
  CR_N_GEOM_TYPE = 8
};
enum { CR_PRESSURE_NONE = 0, CR_PRESSURE_RIGID = 1, CR_PRESSURE_COMPLIANT = 2 };
// numbers of geom_pressure
enum {
  CR_PRESSURE_MODULUS = 0,
  CR_PRESSURE_DISSIPATION = 1,
  CR_PRESSURE_TRANSITION = 2,
  CR_PRESSURE_THICKNESS = 3,
  CR_PRESSURE_WIDTH = 4
};
enum {
  CR_EQ_CONNECT = 0,
  CR_EQ_WELD = 1,
  CR_EQ_JOINT = 2,
  CR_EQ_TENDON = 3,
  CR_EQ_HIGHEST = 7  // MuJoCo's highest; those above CR_EQ_TENDON only if they are off
};
enum {
  CR_OBJ_UNKNOWN = 0,
  CR_OBJ_BODY = 1,
  CR_OBJ_XBODY = 2,
  CR_OBJ_JOINT = 3,
  CR_OBJ_DOF = 4,
  CR_OBJ_GEOM = 5,
  CR_OBJ_SITE = 6,
  CR_OBJ_MESH = 10,
  CR_OBJ_HFIELD = 12,
  CR_OBJ_PAIR = 15,
  CR_OBJ_EQUALITY = 17,
  CR_OBJ_TENDON = 18,
  CR_OBJ_ACTUATOR = 19,
  CR_OBJ_SENSOR = 20,
  CR_OBJ_KEY = 24,
  CR_OBJ_HIGHEST = 105  // MuJoCo's highest
};

/// The kinds of objects: rows of model/object_table.h.
typedef enum {
#define CR_OBJECT(kind, label, type, count, names) CRI_OBJECT_##kind,
#include "model/object_table.h"
  CRI_N_OBJECT
} cri_object_kind;

/// Numbers of qpos and dofs of a joint of a type.
static inline int cri_joint_numbers(int type) {
  return type == CR_JNT_FREE ? 7 : (type == CR_JNT_BALL ? 4 : 1);
}
static inline int cri_joint_dofs(int type) {
  return type == CR_JNT_FREE ? 6 : (type == CR_JNT_BALL ? 3 : 1);
}
enum { CR_NEQDATA = 12 };
enum { CR_MAX_GRID = 1 << 24 };  // points of a height field: contacts number its cells
enum { CR_COLLISION_HARD = 0, CR_COLLISION_SOFT = 1, CR_COLLISION_SMOOTH = 2 };
#define CR_DEFAULT_SOFTNESS CR_R(0.1)
#define CR_MAX_SOFTNESS CR_R(100.0)
#define CR_MAX_MUSCLE_SMOOTH CR_R(10.0)
enum { CR_CONE_PYRAMIDAL = 0, CR_CONE_ELLIPTIC = 1 };
// MuJoCo's integrators, then explicit methods of Carom's from CR_INT_FIRST_METHOD on
enum {
#define CR_INTEGRATOR(id, word) CR_INT_##id,
#include "model/integrator_table.h"
  CR_INT_BEFORE_METHODS_ = 99,
#define CR_METHOD(id, word, name, n, order, embedded, last_is_first) CR_INT_##id,
#include "model/integrator_table.h"
  CR_INT_END_METHODS_,
  CR_INT_FIRST_METHOD = CR_INT_BEFORE_METHODS_ + 1,
  CR_INT_N_METHOD = CR_INT_END_METHODS_ - CR_INT_FIRST_METHOD
};
enum {
  CR_TRN_JOINT = 0,
  CR_TRN_JOINTINPARENT = 1,
  CR_TRN_SLIDERCRANK = 2,
  CR_TRN_TENDON = 3,
  CR_TRN_SITE = 4,
  CR_TRN_BODY = 5,
  CR_TRN_SO3 = 6
};
enum {
  CR_WRAP_NONE = 0,
  CR_WRAP_JOINT = 1,
  CR_WRAP_PULLEY = 2,
  CR_WRAP_SITE = 3,
  CR_WRAP_SPHERE = 4,
  CR_WRAP_CYLINDER = 5
};
enum {
  CR_DYN_NONE = 0,
  CR_DYN_INTEGRATOR = 1,
  CR_DYN_FILTER = 2,
  CR_DYN_FILTEREXACT = 3,
  CR_DYN_MUSCLE = 4,
  CR_DYN_DCMOTOR = 5,
  CR_DYN_PID = 6
};
enum {
  CR_GAIN_FIXED = 0,
  CR_GAIN_AFFINE = 1,
  CR_GAIN_MUSCLE = 2,
  CR_GAIN_DCMOTOR = 3,
  CR_GAIN_SO3 = 4,
  CR_GAIN_PID = 5,
  CR_GAIN_ADDED = 6  // and above: laws that were added to the model
};
enum {
  CR_BIAS_NONE = 0,
  CR_BIAS_AFFINE = 1,
  CR_BIAS_MUSCLE = 2,
  CR_BIAS_DCMOTOR = 3,
  CR_BIAS_SO3 = 4,
  CR_BIAS_ADDED = 5
};
enum {
  CR_DSBL_CONSTRAINT = 1 << 0,
  CR_DSBL_EQUALITY = 1 << 1,
  CR_DSBL_FRICTIONLOSS = 1 << 2,
  CR_DSBL_LIMIT = 1 << 3,
  CR_DSBL_CONTACT = 1 << 4,
  CR_DSBL_SPRING = 1 << 5,
  CR_DSBL_DAMPER = 1 << 6,
  CR_DSBL_GRAVITY = 1 << 7,
  CR_DSBL_CLAMPCTRL = 1 << 8,
  CR_DSBL_WARMSTART = 1 << 9,
  CR_DSBL_FILTERPARENT = 1 << 10,
  CR_DSBL_ACTUATION = 1 << 11,
  CR_DSBL_REFSAFE = 1 << 12,
  CR_DSBL_SENSOR = 1 << 13,
  CR_DSBL_MIDPHASE = 1 << 14,
  CR_DSBL_EULERDAMP = 1 << 15,
  CR_DSBL_MULTICCD = 1 << 19
};
enum { CR_ENBL_OVERRIDE = 1 << 0, CR_ENBL_INVDISCRETE = 1 << 3, CR_ENBL_DIAGEXACT = 1 << 5 };
enum {
  CR_CNSTR_EQUALITY = 0,
  CR_CNSTR_FRICTION_DOF = 1,
  CR_CNSTR_FRICTION_TENDON = 2,
  CR_CNSTR_LIMIT_JOINT = 3,
  CR_CNSTR_LIMIT_TENDON = 4,
  CR_CNSTR_CONTACT_FRICTIONLESS = 5,
  CR_CNSTR_CONTACT_PYRAMIDAL = 6,
  CR_CNSTR_CONTACT_ELLIPTIC = 7
};

enum {
  CR_CONTACT_CONVEX = 0,
  CR_CONTACT_HUNT_CROSSLEY = 1,
  CR_CONTACT_NCP = 2,
  CR_CONTACT_ADDED = 16  // and above: contact models that were added to the model
};

// friction over slip velocity
enum { CR_FRICTION_COULOMB, CR_FRICTION_ANDERSSON, CR_FRICTION_HOLLARS, CR_FRICTION_BROWN };

struct cr_model {
#define CR_SIZE(name, text) int32_t name;
#define CR_OPT_I(name, range, text) int32_t name;
#define CR_OPT_R(name, range, unit, text) cr_real name;
#define CR_INT(name, rows, width, range, text) int32_t* name;
#define CR_CHAR(name, rows, text) char* name;
#define CR_CONST(name, rows, width, range, unit, frame, text) cr_real* name;
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) cr_real* name;
#include "model/model_fields.h"
  void* memory;  // the one block behind the arrays; NULL in a shallow copy, which owns nothing
  uint64_t structure;  // cri_model_structure of the file that was opened; 0: not known
  const struct cri_actuator_law* added_law;  // cri_actuator_laws_add of actuator/actuator_laws
  int32_t nadded_law;
  const struct cri_contacts*
      contacts;  // contact models that were added (model/added_contact.h), or NULL
  const struct cri_schedule*
      schedule;                 // the stages in order; NULL: the pipeline table as it stands
  const struct cr_model* base;  // of a view (model/schedule.h) the model itself; else NULL
};
typedef struct cr_model cr_model;

/// The shape of a model decides which data fit it: its counts, and a hash of all its integers.
enum {
  CRI_N_SIZE = 0
#define CR_SIZE(name, text) +1
#include "model/model_fields.h"
};
typedef struct {
  int32_t size[CRI_N_SIZE];  // in the order of the table
  uint64_t structure;
} cri_shape;
cri_shape cri_shape_of(const cr_model* m);

/// True if m has this shape; an unknown structure matches any.
bool cri_has_shape(const cr_model* m, const cri_shape* shape);

/// FNV-1a of the integer fields: types of joints and geoms, and which body each belongs to.
uint64_t cri_model_structure(const cr_model* m);

/// Allocates and zeroes every array for the counts already set in `m`; sizes, options stay.
/// On failure nothing is allocated. Free with cri_model_free.
cr_status cri_model_allocate(cr_model* m, cr_error* error);

/// Frees the block of cri_model_allocate or cri_model_twin; harmless on a shallow copy.
void cri_model_free(cr_model* m);

/// A deep copy.
cr_status cri_model_copy(cr_model* to, const cr_model* from, cr_error* error);

/// Appends n numbers to plugin_param, 0 if values is NULL, of a model that owns its memory. Pointers into its arrays change.
/// On failure the model is unchanged.
cr_status cri_model_add_params(cr_model* m, int n, const cr_real* values, cr_error* error);

/// Makes room for more vertices and tetrahedra of pressure fields, behind the others, of a model that owns its memory. Pointers
/// into its arrays change.
cr_status cri_model_add_pressure(cr_model* m, int nvert, int ntet, cr_error* error);

/// A parameter twin of m: zeroed arrays, `tangent` numbers a row, for those model fields f with
/// wanted[f] (indices of cr_field_id); `wanted` NULL means all parameters.
cr_status cri_model_twin(cr_model* twin, const cr_model* m, const bool* wanted, cr_error* error);

/// Sets every array of a parameter twin to zero.
void cri_model_twin_zero(cr_model* twin, const cr_model* m);

/// Name of an object, "" when it has none. `adr` is one of m->name_...adr.
static inline const char* cri_name(const cr_model* m, const int32_t* adr, int id) {
  return m->names == NULL || m->nnames == 0 ? "" : m->names + adr[id];
}

/// Place of the entry (i, j) of M's lower triangle or, of an ancestor i of j, of (j, i); -1 where
/// neither dof is above the other.
static inline int cri_place_in_M(const cr_model* m, int i, int j) {
  int deep = i > j ? i : j, high = i > j ? j : i;
  int k = m->M_rowadr[deep] + m->M_rownnz[high] - 1;
  return m->M_rownnz[high] <= m->M_rownnz[deep] && m->M_colind[k] == high ? k : -1;
}

/// True if each of n dofs, ascending or descending, is above or below the next.
static inline bool cri_on_one_chain(const cr_model* m, const int32_t* dof, int n) {
  for (int k = 1; k < n; k++) {
    bool turns = (dof[k] > dof[k - 1]) != (dof[1] > dof[0]);
    if (turns || cri_place_in_M(m, dof[k - 1], dof[k]) < 0) {
      return false;
    }
  }
  return true;
}

/// True for a dof of a simple body (body_simple), whose block of M is diagonal. MuJoCo's M has no more entries
/// there, so integrators add only to the diagonal.
static inline bool cri_is_simple(const cr_model* m, int dof) {
  return m->body_simple[m->dof_bodyid[dof]] != 0;
}

/// The same for implicitfast, which solves free bodies separately, with their whole block.
static inline bool cri_is_diagonal(const cr_model* m, int dof) {
  return cri_is_simple(m, dof) && m->jnt_type[m->dof_jntid[dof]] != CR_JNT_FREE;
}

/// For the n dofs of a row a: true if implicitfast keeps all entries of a' a.
static inline bool cri_is_whole(const cr_model* m, const int32_t* dof, int n) {
  return cri_on_one_chain(m, dof, n) && (n < 2 || !cri_is_diagonal(m, dof[0]));
}

/// True if number k of dynprm (of gainprm with `gain`) of actuator i is a zero that switches a part of a
/// controller off: it has no derivative.
bool cri_controller_switch(const cr_model* m, int i, bool gain, int k);

/// Number of states that the parameters of a controller need.
int cri_controller_states(const cr_model* m, int i);

/// Row `row` of a parameter tangent, or zeros if the twin does not hold that parameter.
const cr_real* cri_par_tan(const cr_real* array, int row, int width);

/// Adds x to row `row` of a parameter's cotangent, if the twin holds it.
static inline void cri_par_add(cr_real* array, int row, int width, const cr_real* x) {
  for (int i = 0; i < width && array != NULL; i++) {
    array[row * width + i] += x[i];
  }
}
static inline void cri_par_add1(cr_real* array, int i, cr_real x) { cri_par_add(array, i, 1, &x); }

#endif
