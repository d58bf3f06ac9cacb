// SPDX-License-Identifier: Apache-2.0
// Features of an mjModel that Carom refuses, ignores or warns of. The rule: a feature that could change qacc or
// the next state is refused by name, all of them at once; any other is listed as ignored.
#include "collision/broad.h"
#include "collision/collision.h"
#include "io/mujoco.h"
#include "model/hull.h"

static const char* const dyn_names[] = {"none",   "integrator", "filter", "filterexact",
                                        "muscle", "dcmotor",    "pid",    "user"};
static const char* const gain_names[] = {"fixed", "affine", "muscle", "dcmotor",
                                         "so3",   "pid",    "user"};
static const char* const bias_names[] = {"none", "affine", "muscle", "dcmotor", "so3", "user"};
static const char* const trn_names[] = {"joint", "jointinparent", "slidercrank", "tendon",
                                        "site",  "body",          "so3"};
static const char* const eq_names[] = {"connect", "weld",     "joint",      "tendon",
                                       "flex",    "flexvert", "flexstrain", "distance"};
static const char* const geom_names[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                         "cylinder", "box",    "mesh",   "sdf"};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define WORD(names, i) ((i) >= 0 && (i) < COUNT(names) ? (names)[i] : "unknown")

static void refuse(cr_load_report* r, const char* kind, const char* name, const char* what) {
  cri_sentence(&r->unsupported, "%s '%s' (%s): not supported yet", kind, name, what);
}

static void survey_options(const mjModel* mj, cr_load_report* r) {
  static const struct {
    int bit;
    const char* name;
  } refused[] = {{mjENBL_SLEEP, "sleep"}, {mjENBL_IPC, "ipc"}, {mjENBL_SPECULATIVE, "speculative"}};
  if (mj->opt.integrator > mjINT_DISCRETE) {
    refuse(r, "option", "integrator", "unknown");
  }
  for (int i = 0; i < COUNT(refused); i++) {
    if ((mj->opt.enableflags & refused[i].bit) != 0) {
      refuse(r, "flag", refused[i].name, "enabled");
    }
  }
  if ((mj->opt.enableflags >> mjNENABLE) != 0 || (mj->opt.disableflags >> mjNDISABLE) != 0) {
    refuse(r, "option", "flag", "unknown bit");
  }
  if ((mj->opt.disableflags & mjDSBL_NATIVECCD) != 0) {
    cri_sentence(&r->warnings, "flag 'nativeccd' (disabled): contacts are exact in either case");
  }
  if (mj->opt.noslip_iterations > 0) {
    cri_sentence(&r->warnings, "option 'noslip_iterations' (%d): no-slip is ignored",
                 mj->opt.noslip_iterations);
  }
}

static void survey_whole_features(const mjModel* mj, cr_load_report* r) {
  const struct {
    mjtSize n;
    const char* name;
  } refused[] = {{mj->nflex, "flex"}, {mj->nplugin, "plugin"}};
  for (int i = 0; i < COUNT(refused); i++) {
    if (refused[i].n > 0) {
      cri_sentence(&r->unsupported, "%s (%lld in the model): not supported yet", refused[i].name,
                   (long long)refused[i].n);
    }
  }
  const struct {
    mjtSize n;
    const char* name;
  } ignored[] = {{mj->ncam, "cameras"},
                 {mj->nlight, "lights"},
                 {mj->nskin, "skins"},
                 {mj->ntex, "textures"},
                 {mj->nuserdata, "user data"}};
  for (int i = 0; i < COUNT(ignored); i++) {
    if (ignored[i].n > 0) {
      cri_sentence(&r->ignored, "%s (%lld in the model)", ignored[i].name, (long long)ignored[i].n);
    }
  }
}

static void survey_equalities(const mjModel* mj, cr_load_report* r) {
  for (int i = 0; i < mj->neq; i++) {
    const char* name = cri_mujoco_name(mj, mjOBJ_EQUALITY, i);
    const char* type = WORD(eq_names, mj->eq_type[i]);
    bool supported = mj->eq_type[i] == mjEQ_CONNECT || mj->eq_type[i] == mjEQ_WELD ||
                     mj->eq_type[i] == mjEQ_JOINT || mj->eq_type[i] == mjEQ_TENDON;
    if (supported) {
      continue;
    }
    if (mj->eq_active0[i] && (mj->opt.disableflags & mjDSBL_EQUALITY) == 0) {
      refuse(r, "equality", name, type);
    } else {
      cri_sentence(&r->ignored, "equality '%s' (%s) is not active", name, type);
    }
  }
}

static bool nonzero(const mjtNum* x, mjtSize n) {
  for (mjtSize i = 0; i < n; i++) {
    if (x[i] != 0) {
      return true;
    }
  }
  return false;
}

static void survey_joints(const mjModel* mj, cr_load_report* r) {
  for (int i = 0; i < mj->njnt; i++) {
    const char* name = cri_mujoco_name(mj, mjOBJ_JOINT, i);
    if (mj->jnt_plasticadr[i] >= 0) {
      refuse(r, "joint", name, "plasticity");
    }
    if (mj->jnt_type[i] > mjJNT_HINGE) {
      refuse(r, "joint", name, "unknown type");
    }
  }
}

// features of a tendon that are not computed
static const char* tendon_effect(const mjModel* mj, int i) {
  if (mj->tendon_plasticadr[i] >= 0) {
    return "plasticity";
  }
  bool armature = mj->tendon_armature[i] > 0;
  for (int k = 0; k < mj->nactuator && !armature; k++) {
    armature = mj->actuator_trntype[k] == mjTRN_TENDON && mj->actuator_trnid[2 * k] == i &&
               mj->actuator_armature[k] > 0;
  }
  for (int k = 0; k < mj->tendon_num[i] && armature; k++) {
    int type = mj->wrap_type[mj->tendon_adr[i] + k];
    if (type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER) {
      return "armature, and wraps around a geom";
    }
  }
  return NULL;
}

static void survey_tendons(const mjModel* mj, cr_load_report* r) {
  for (int i = 0; i < mj->ntendon; i++) {
    const char* name = cri_mujoco_name(mj, mjOBJ_TENDON, i);
    const char* effect = tendon_effect(mj, i);
    if (effect != NULL) {
      refuse(r, "tendon", name, effect);
    }
  }
}

// an actuator that is part DC motor and part something else
static bool mixes_motor(const mjModel* mj, int i) {
  bool gain = mj->actuator_gaintype[i] == mjGAIN_DCMOTOR;
  bool bias = mj->actuator_biastype[i] == mjBIAS_DCMOTOR;
  int dyn = mj->actuator_dyntype[i];
  return gain != bias || (gain ? dyn != mjDYN_DCMOTOR && dyn != mjDYN_NONE : dyn == mjDYN_DCMOTOR);
}

static void survey_actuator(const mjModel* mj, int i, cr_load_report* r) {
  const char* name = cri_mujoco_name(mj, mjOBJ_ACTUATOR, i);
  int trn = mj->actuator_trntype[i];
  if (trn < 0 || trn > mjTRN_SO3) {
    refuse(r, "actuator", name, WORD(trn_names, trn));
  }
  if (mj->actuator_dyntype[i] > mjDYN_PID) {
    refuse(r, "actuator", name, WORD(dyn_names, mj->actuator_dyntype[i]));
  }
  if (mj->actuator_gaintype[i] > mjGAIN_PID) {
    refuse(r, "actuator", name, WORD(gain_names, mj->actuator_gaintype[i]));
  }
  if (mj->actuator_biastype[i] > mjBIAS_SO3) {
    refuse(r, "actuator", name, WORD(bias_names, mj->actuator_biastype[i]));
  }
  if (mixes_motor(mj, i)) {
    refuse(r, "actuator", name, "some of dyntype, gaintype and biastype are a dcmotor's");
  }
  if (mj->actuator_gaintype[i] <= mjGAIN_MUSCLE && mj->actuator_actnum[i] > 1) {
    refuse(r, "actuator", name, "several activations");
  }
  if (mj->actuator_delay[i] != 0 || mj->actuator_historyadr[i] >= 0) {
    refuse(r, "actuator", name, mj->actuator_delay[i] != 0 ? "delay" : "history");
  }
  bool can_have = trn == mjTRN_JOINT || trn == mjTRN_JOINTINPARENT || trn == mjTRN_TENDON;
  if (!can_have && (mj->actuator_damping[i] != 0 || mj->actuator_armature[i] != 0 ||
                    nonzero(mj->actuator_dampingpoly + mjNPOLY * i, mjNPOLY))) {
    refuse(r, "actuator", name, "damping or armature of its own");
  }
}

// pairs of shapes that collide only in MuJoCo; the first few of each two types by name
enum { N_TYPES = COUNT(geom_names), MAX_NAMED = 8 };

typedef struct {
  int n[N_TYPES][N_TYPES];
} pair_counts;

static void refuse_geoms(const mjModel* mj, int a, int b, pair_counts* counts, cr_load_report* r) {
  if (counts->n[mj->geom_type[a]][mj->geom_type[b]]++ < MAX_NAMED) {
    cri_sentence(&r->unsupported, "geoms '%s' (%s) and '%s' (%s) can collide: not supported yet",
                 cri_mujoco_name(mj, mjOBJ_GEOM, a), geom_names[mj->geom_type[a]],
                 cri_mujoco_name(mj, mjOBJ_GEOM, b), geom_names[mj->geom_type[b]]);
  }
}

static void refuse_more_geoms(const pair_counts* counts, cr_load_report* r) {
  for (int i = 0; i < N_TYPES; i++) {
    for (int j = 0; j < N_TYPES; j++) {
      if (counts->n[i][j] > MAX_NAMED) {
        cri_sentence(&r->unsupported, "%d more pairs of %s and %s can collide: not supported yet",
                     counts->n[i][j] - MAX_NAMED, geom_names[i], geom_names[j]);
      }
    }
  }
}

static void survey_hull(const mjModel* mj, int i, cr_load_report* r) {
  int mesh = mj->geom_type[i] == mjGEOM_MESH ? mj->geom_dataid[i] : -1;
  if (mesh < 0) {
    return;
  }
  int graph = mj->mesh_graphadr[mesh];
  int nvert = graph >= 0 ? mj->mesh_graph[graph] : mj->mesh_vertnum[mesh];
  if (nvert > CR_MAX_MESH_VERTICES) {
    refuse(r, "mesh", cri_mujoco_name(mj, mjOBJ_MESH, mesh),
           "more than 65535 vertices on its hull");
  }
  if (mj->mesh_polynum[mesh] == 0) {
    refuse(r, "mesh", cri_mujoco_name(mj, mjOBJ_MESH, mesh), "collides without a convex hull");
  }
}

static void survey_collision(const mjModel* mj, cr_load_report* r) {
  cr_model m;
  pair_counts counts = {0};
  if ((mj->opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) != 0 ||
      cri_model_from_mjmodel(&m, mj, NULL) != CR_OK) {
    return;
  }
  bool visual = false;
  for (int i = 0; i < mj->ngeom; i++) {
    bool collides = false;
    if (mj->geom_type[i] >= N_TYPES) {
      refuse(r, "geom", cri_mujoco_name(mj, mjOBJ_GEOM, i), "unknown type");
      continue;
    }
    for (int j = 0; j < mj->ngeom; j++) {
      int a = i, b = j;
      if (i == j || mj->geom_type[j] >= N_TYPES || !cri_pair_possible(&m, a, b)) {
        continue;
      }
      collides = true;
      if (mj->geom_type[a] > mj->geom_type[b] || (mj->geom_type[a] == mj->geom_type[b] && a > b)) {
        continue;  // each pair once, lower type first
      }
      if (!cri_collision_supported(mj->geom_type[a], mj->geom_type[b])) {
        refuse_geoms(mj, a, b, &counts, r);
      }
    }
    if (collides) {
      survey_hull(mj, i, r);
    }
    visual = visual || (!collides && mj->geom_type[i] == mjGEOM_MESH);
  }
  refuse_more_geoms(&counts, r);
  if (visual) {
    cri_sentence(&r->ignored, "meshes that do not collide");
  }
  cri_model_free(&m);
}

void cri_mujoco_survey(const mjModel* mj, cr_load_report* report) {
  survey_options(mj, report);
  survey_whole_features(mj, report);
  survey_equalities(mj, report);
  survey_joints(mj, report);
  survey_tendons(mj, report);
  for (int i = 0; i < mj->nactuator; i++) {
    survey_actuator(mj, i, report);
  }
  cri_mujoco_survey_sensors(mj, report);
  survey_collision(mj, report);
}
