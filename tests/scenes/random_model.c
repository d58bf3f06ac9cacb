// SPDX-License-Identifier: Apache-2.0
// Random models: first the shape (a plan with counts), then the numbers, array by array.
#include "scenes/random_model.h"

#include <stdio.h>

#include "carom/contact.h"
#include "collision/collision.h"
#include "math/quat.h"
#include "model/build.h"
#include "scenes/random_actuators.h"
#include "scenes/random_sensors.h"
#include "scenes/random_tendons.h"

enum { MAX_BODY = 12, MAX_JOINT = 24, MAX_GEOM = 24, MAX_ACTUATOR = 6, MAX_PAIR = 3, MAX_EQ = 4 };
enum { FIELD_ROWS = 4, FIELD_COLUMNS = 5 };
enum { STYLE_TREES, STYLE_HEAP, STYLE_ARM, STYLE_BARE, N_STYLE };

typedef struct {
  uint64_t seed;
  int style;
  int nbody;
  int32_t parent[MAX_BODY], jntnum[MAX_BODY];
  bool mocap[MAX_BODY];
  int njnt;
  int32_t joint_type[MAX_JOINT];
  int ngeom, geom_body[MAX_GEOM], geom_type[MAX_GEOM];
  int nactuator, actuator_joint[MAX_ACTUATOR], dyntype[MAX_ACTUATOR];
  int npair, pair[MAX_PAIR][2];
  int nexclude, exclude[1][2];
  int neq, eq_type[MAX_EQ];
  bool field;  // the ground is a height field
} plan;

// ---- numbers

bool random_chance(cr_random* r, cr_real p) { return cr_random_uniform(r) < p; }

void random_unit3(cr_random* r, cr_real v[3]) {
  do {
    for (int i = 0; i < 3; i++) {
      v[i] = cr_random_normal(r);
    }
  } while (cr_normalize3(v) < CR_R(0.01));
}

void random_unit_quat(cr_random* r, cr_real q[4]) {
  do {
    for (int i = 0; i < 4; i++) {
      q[i] = cr_random_normal(r);
    }
  } while (cr_quat_normalize(q) < CR_R(0.01));
}

static cr_real log_range(cr_random* r, cr_real low, cr_real high) {
  return cr_exp(cr_random_range(r, cr_log(low), cr_log(high)));
}

// zero in half of the cases
static cr_real sometimes(cr_random* r, cr_real low, cr_real high) {
  return random_chance(r, CR_R(0.5)) ? log_range(r, low, high) : 0;
}

static void fill_vectors(cr_random* r, cr_real* x, int n, cr_real size) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(r, -size, size);
  }
}

static void fill_quats(cr_random* r, cr_real* q, int n) {
  for (int i = 0; i < n; i++) {
    random_unit_quat(r, q + 4 * i);
  }
}

static void fill_interval(cr_random* r, cr_real x[2], cr_real low, cr_real high) {
  cr_real a = cr_random_range(r, low, high), b = cr_random_range(r, low, high);
  x[0] = cr_min(a, b) - CR_R(0.1);
  x[1] = cr_max(a, b) + CR_R(0.1);
}

// time constant and damping ratio, or stiffness and damping
static void fill_solref(cr_random* r, cr_real x[2]) {
  if (random_chance(r, CR_R(0.25))) {
    x[0] = -log_range(r, 50, 2000);
    x[1] = -log_range(r, 5, 50);
  } else {
    x[0] = cr_random_range(r, CR_R(0.008), CR_R(0.06));
    x[1] = cr_random_range(r, CR_R(0.5), CR_R(1.5));
  }
}

static void fill_solimp(cr_random* r, cr_real x[5]) {
  static const cr_real powers[] = {1, 2, CR_R(2.7), 3};
  x[0] = cr_random_range(r, CR_R(0.4), CR_R(0.9));
  x[1] = random_chance(r, CR_R(0.1)) ? x[0] : cr_random_range(r, CR_R(0.9), CR_R(0.99));
  x[2] = log_range(r, CR_R(0.002), CR_R(0.3));
  x[3] = cr_random_range(r, CR_R(0.3), CR_R(0.7));
  x[4] = powers[cr_random_int(r, 4)];
}

// ---- the shape

static void add_joint(plan* p, int type) {
  p->jntnum[p->nbody - 1]++;
  p->joint_type[p->njnt++] = type;
}

static void add_geom(plan* p, int body, int type) {
  p->geom_body[p->ngeom] = body;
  p->geom_type[p->ngeom++] = type;
}

static int random_solid(cr_random* r) {
  static const int types[] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER, CR_GEOM_BOX};
  return types[cr_random_int(r, 4)];
}

// all joints but free, alone and several on one body
static void add_joints(cr_random* r, plan* p) {
  enum { B = CR_JNT_BALL, S = CR_JNT_SLIDE, H = CR_JNT_HINGE, O = -1 };
  static const int sets[][3] = {{O, O, O}, {H, O, O}, {H, O, O}, {B, O, O}, {S, O, O}, {H, H, O},
                                {S, H, O}, {H, S, O}, {S, B, O}, {S, S, H}, {H, H, H}};
  const int* set = sets[cr_random_int(r, (int)(sizeof sets / sizeof sets[0]))];
  for (int i = 0; i < 3 && set[i] != O; i++) {
    add_joint(p, set[i]);
  }
}

static void add_body(cr_random* r, plan* p, int parent, bool loose) {
  p->parent[p->nbody++] = parent;
  if (loose) {
    add_joint(p, CR_JNT_FREE);
  } else {
    add_joints(r, p);
  }
  for (int n = p->style == STYLE_BARE ? 0 : cr_random_int(r, 3); n > 0; n--) {
    add_geom(p, p->nbody - 1, random_solid(r));
  }
}

// bodies depth first: a parent is on the path from the last body to the root
static int random_parent(cr_random* r, const plan* p, int root) {
  int parent = p->nbody - 1;
  while (parent > root && random_chance(r, CR_R(0.35))) {
    parent = p->parent[parent];
  }
  return parent;
}

static void add_tree(cr_random* r, plan* p, int n, bool loose) {
  int root = p->nbody;
  add_body(r, p, 0, loose);
  for (int i = 1; i < n; i++) {
    add_body(r, p, random_parent(r, p, root), false);
  }
}

// every kind of solid in turn, so that all pairs of kinds meet
static void add_heap(cr_random* r, plan* p, int n) {
  static const int types[] = {CR_GEOM_SPHERE, CR_GEOM_BOX, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER};
  int first = cr_random_int(r, 4);
  for (int i = 0; i < n; i++) {
    p->parent[p->nbody++] = 0;
    add_joint(p, CR_JNT_FREE);
    add_geom(p, p->nbody - 1, types[(first + i) % 4]);
  }
}

static void add_mocap(plan* p) {
  p->mocap[p->nbody] = true;
  p->parent[p->nbody++] = 0;
  add_geom(p, p->nbody - 1, CR_GEOM_SPHERE);
}

static void plan_bodies(cr_random* r, plan* p) {
  p->nbody = 1;
  if (p->style != STYLE_BARE) {
    add_geom(p, 0, CR_GEOM_PLANE);
  }
  // drawn before the call that takes it: C leaves the order of a call's arguments open
  bool loose;
  switch (p->style) {
    case STYLE_TREES:
      add_tree(r, p, 3 + cr_random_int(r, 3), true);
      loose = random_chance(r, CR_R(0.5));
      add_tree(r, p, 2 + cr_random_int(r, 2), loose);
      break;
    case STYLE_HEAP:
      add_heap(r, p, 3 + cr_random_int(r, 3));
      break;
    case STYLE_ARM:
      add_geom(p, 0, CR_GEOM_BOX);
      add_tree(r, p, 4 + cr_random_int(r, 2), false);
      add_heap(r, p, 2);
      add_mocap(p);
      break;
    default:
      loose = random_chance(r, CR_R(0.5));
      add_tree(r, p, 3 + cr_random_int(r, 5), loose);
      add_tree(r, p, 1 + cr_random_int(r, 2), false);
      break;
  }
  // something must move
  if (p->njnt == 0) {
    add_joint(p, CR_JNT_HINGE);
  }
}

static void plan_actuators(cr_random* r, plan* p) {
  p->nactuator = p->style == STYLE_HEAP ? cr_random_int(r, 2) : cr_random_int(r, MAX_ACTUATOR + 1);
  for (int i = 0; i < p->nactuator; i++) {
    p->actuator_joint[i] = cr_random_int(r, p->njnt);
    p->dyntype[i] = cr_random_int(r, 4);
  }
}

static bool collide(const plan* p, const int* geoms) {
  int a = p->geom_type[geoms[0]], b = p->geom_type[geoms[1]];
  return cri_collision_supported(a < b ? a : b, a < b ? b : a);
}

static int signature(const plan* p, const int* geoms) {
  int a = p->geom_body[geoms[0]], b = p->geom_body[geoms[1]];
  return a < b ? a * MAX_BODY + b : b * MAX_BODY + a;
}

// explicit pairs of geoms on different bodies, in the order of their bodies
static void plan_pairs(cr_random* r, plan* p) {
  int wanted = p->style == STYLE_ARM && p->ngeom > 3 ? MAX_PAIR : 0;
  for (int tries = 0; tries < 40 && p->npair < wanted; tries++) {
    int* pair = p->pair[p->npair];
    pair[0] = cr_random_int(r, p->ngeom);
    pair[1] = cr_random_int(r, p->ngeom);
    bool moves = p->geom_body[pair[0]] > 0 || p->geom_body[pair[1]] > 0;
    bool ordered = p->npair == 0 || signature(p, pair) > signature(p, p->pair[p->npair - 1]);
    p->npair +=
        moves && ordered && collide(p, pair) && p->geom_body[pair[0]] != p->geom_body[pair[1]];
  }
  if (p->style != STYLE_BARE && p->nbody > 3 && random_chance(r, CR_R(0.5))) {
    p->exclude[0][0] = 1 + cr_random_int(r, p->nbody - 2);
    p->exclude[0][1] = p->nbody - 1;
    p->nexclude = 1;
  }
}

static bool is_scalar(int type) { return type == CR_JNT_SLIDE || type == CR_JNT_HINGE; }

// constraints of any two bodies or sites, and of scalar joints where there are some
static void plan_equalities(cr_random* r, plan* p) {
  bool couples = false;
  for (int i = 0; i < p->njnt; i++) {
    couples = couples || is_scalar(p->joint_type[i]);
  }
  p->neq = cr_random_int(r, MAX_EQ + 1);
  for (int i = 0; i < p->neq; i++) {
    // welds most often, for they are most; there are always tendons
    static const int types[] = {CR_EQ_WELD, CR_EQ_WELD, CR_EQ_CONNECT, CR_EQ_TENDON, CR_EQ_JOINT};
    p->eq_type[i] = types[cr_random_int(r, couples ? 5 : 4)];
  }
}

static cr_status set_counts(cr_model* m, const plan* p, cr_error* error) {
  *m = (cr_model){.ngeom = p->ngeom, .none = 1};
  for (int i = 0; i < p->nbody; i++) {
    m->nmocap += p->mocap[i];
  }
  m->nactuator = p->nactuator;
  m->npair = p->npair;
  m->nexclude = p->nexclude;
  m->neq = p->neq;
  if (p->field) {
    m->nhfield = 1;
    m->nhfielddata = FIELD_ROWS * FIELD_COLUMNS;
  }
  m->nsite = p->style == STYLE_HEAP ? 0 : 2;
  int ball = random_ball_joint(p->njnt, p->joint_type);
  for (int i = 0; i < p->nactuator; i++) {
    random_controller c = random_controller_of(p->seed, i, ball);
    m->na += c.gain < 0 ? p->dyntype[i] != CR_DYN_NONE : c.nact;
    m->nu += c.nu;
    m->nout += c.nout;
  }
  m->nkey = 1;
  CR_TRY(cri_model_sizes(m, p->nbody, p->parent, p->jntnum, p->joint_type, error));
  int scalar = 0;
  for (int i = 0; i < p->njnt; i++) {
    scalar += p->joint_type[i] == CR_JNT_SLIDE || p->joint_type[i] == CR_JNT_HINGE;
  }
  random_tendon_counts(m, p->seed, scalar);
  random_sensor_counts(m, p->seed, p->joint_type);
  m->nnames = 1 + 12 * (65 + p->nbody + p->njnt + p->ngeom + p->nactuator + m->nsite + p->npair +
                        p->neq + m->nsensor);
  return CR_OK;
}

// ---- options

static void fill_options(cr_random* r, cr_model* m, uint64_t seed) {
  static const int flags[] = {CR_DSBL_REFSAFE,      CR_DSBL_EULERDAMP, CR_DSBL_CLAMPCTRL,
                              CR_DSBL_FILTERPARENT, CR_DSBL_SPRING,    CR_DSBL_DAMPER};
  m->timestep = cr_random_range(r, CR_R(0.001), CR_R(0.005));
  m->impratio = random_chance(r, CR_R(0.5)) ? 1 : cr_random_range(r, 1, 5);
  m->tolerance = 0;
  m->iterations = 200;
  m->integrator = random_chance(r, CR_R(0.3)) ? CR_INT_RK4 : CR_INT_EULER;
  m->cone = (seed / N_STYLE) % 2 == 0 ? CR_CONE_PYRAMIDAL : CR_CONE_ELLIPTIC;
  m->disableflags = random_chance(r, CR_R(0.3)) ? flags[cr_random_int(r, 6)] : 0;
  m->gravity[2] = CR_R(-9.81);
  for (int i = 0; i < 3; i++) {
    m->gravity[i] += cr_random_range(r, -1, 1);
  }
}

static void fill_laws(cr_model* m, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 77);
  m->ncp_baumgarte[0] = cr_random_range(&r, CR_R(0.05), CR_R(0.8));
  m->ncp_cfm[0] = log_range(&r, CR_R(1e-4), CR_R(1e-2));
  m->ncp_sweeps = 20;
  for (int i = 0; i < m->ngeom; i++) {
    const cr_real numbers[5] = {log_range(&r, 1000, 20000), log_range(&r, 100, 3000),
                                cr_random_range(&r, CR_R(1.2), 2), log_range(&r, CR_R(0.1), 1),
                                cr_random_range(&r, CR_R(0.8), 2)};
    cr_copy(m->geom_hunt_crossley + 5 * i, numbers, 5);
  }
}

// contacts from distance, in a third of the models
static void fill_distance(cr_random* r, cr_model* m, uint64_t seed) {
  m->cfd = (seed / (2 * N_STYLE)) % 3 == 2;
  m->cfd_dc = log_range(r, CR_R(1e-6), CR_R(1e-3));
  m->cfd_d0 = cr_random_range(r, CR_R(0.05), CR_R(0.5));
  m->cfd_wc = cr_random_range(r, CR_R(0.05), CR_R(0.3));
  m->cfd_mc = cr_random_range(r, CR_R(0.2), CR_R(0.8));
  m->cfd_pc = cr_random_range(r, CR_R(1.5), 4);
  m->cfd_scale = sometimes(r, CR_R(0.001), CR_R(0.02));
  for (int i = 0; m->cfd != 0 && i < m->ngeom; i += 3) {
    m->geom_cfd[i] = CR_R(0.5) * m->cfd_wc * (cr_real)(1 + i % 5);
  }
  for (int i = 0; m->cfd != 0 && i < m->npair; i += 2) {
    m->pair_cfd[i] = m->cfd_wc * CR_R(1.5);
  }
}

// smooth collision in a quarter of the models, soft in another where all geoms know it
static void fill_collision(cr_model* m, uint64_t seed) {
  bool soft = seed % 4 == 1, smooth = seed % 4 == 3 || seed % 16 == 5;
  for (int i = 0; i < m->ngeom; i++) {
    for (int j = 0; j < m->ngeom; j++) {
      int a = m->geom_type[i], b = m->geom_type[j];
      soft = soft && (a > b || cri_collision_soft(a, b));
    }
  }
  m->collision = soft ? CR_COLLISION_SOFT : smooth ? CR_COLLISION_SMOOTH : CR_COLLISION_HARD;
  m->softness = CR_R(0.3);
}

// ---- bodies

static void fill_inertia(cr_random* r, cr_real inertia[3], cr_real mass) {
  cr_real side[3];
  for (int i = 0; i < 3; i++) {
    side[i] = cr_random_range(r, CR_R(0.05), CR_R(0.3));
  }
  for (int i = 0; i < 3; i++) {
    cr_real a = side[(i + 1) % 3], b = side[(i + 2) % 3];
    inertia[i] = mass / 3 * (a * a + b * b);
  }
}

static void fill_bodies(cr_random* r, cr_model* m, const plan* p) {
  fill_vectors(r, m->body_pos + 3, 3 * (m->nbody - 1), CR_R(0.3));
  fill_quats(r, m->body_quat, m->nbody);
  fill_vectors(r, m->body_ipos + 3, 3 * (m->nbody - 1), CR_R(0.1));
  fill_quats(r, m->body_iquat, m->nbody);
  m->body_quat[0] = m->body_iquat[0] = 1;
  cr_zero3(m->body_quat + 1);
  cr_zero3(m->body_iquat + 1);
  for (int i = 1, mocap = 0; i < m->nbody; i++) {
    m->body_parentid[i] = p->parent[i];
    m->body_jntnum[i] = p->jntnum[i];
    m->body_mocapid[i] = p->mocap[i] ? mocap++ : -1;
    m->body_mass[i] = log_range(r, CR_R(1e-3), 100);
    fill_inertia(r, m->body_inertia + 3 * i, m->body_mass[i]);
    m->body_gravcomp[i] = random_chance(r, CR_R(0.3)) ? cr_random_range(r, CR_R(0.2), 1) : 0;
    m->body_invweight0[2 * i] = log_range(r, CR_R(0.01), 10);
    m->body_invweight0[2 * i + 1] = log_range(r, CR_R(0.1), 100);
  }
  m->body_mocapid[0] = -1;
  fill_vectors(r, m->mocap_pos0, 3 * m->nmocap, CR_R(0.3));
  fill_quats(r, m->mocap_quat0, m->nmocap);
}

// ---- joints and dofs

static void fill_range(cr_random* r, cr_real range[2], int type) {
  if (type == CR_JNT_BALL) {
    range[0] = 0;
    range[1] = cr_random_range(r, CR_R(0.4), 2);
  } else {
    fill_interval(r, range, CR_R(-0.8), CR_R(0.8));
  }
}

static void fill_joint(cr_random* r, cr_model* m, int i, int type) {
  bool scalar = type == CR_JNT_SLIDE || type == CR_JNT_HINGE;
  m->jnt_limited[i] = type != CR_JNT_FREE && random_chance(r, CR_R(0.5));
  m->jnt_actfrclimited[i] = scalar && random_chance(r, CR_R(0.3));
  m->jnt_actgravcomp[i] = random_chance(r, CR_R(0.3));
  m->jnt_stiffness[i] = sometimes(r, CR_R(0.1), 50);
  m->jnt_margin[i] = sometimes(r, CR_R(0.01), CR_R(0.2));
  fill_solref(r, m->jnt_solref + 2 * i);
  fill_solimp(r, m->jnt_solimp + 5 * i);
  fill_range(r, m->jnt_range + 2 * i, type);
  fill_interval(r, m->jnt_actfrcrange + 2 * i, -8, 8);
  if (scalar) {
    random_unit3(r, m->jnt_axis + 3 * i);
  } else {
    m->jnt_axis[3 * i + 2] = 1;
  }
  if (type != CR_JNT_FREE) {
    fill_vectors(r, m->jnt_pos + 3 * i, 3, CR_R(0.15));
  }
}

// reference coordinates and the rest pose of the spring
static void fill_reference(cr_random* r, cr_model* m, int type, int body, int qposadr) {
  cr_real *q = m->qpos0 + qposadr, *spring = m->qpos_spring + qposadr;
  if (type == CR_JNT_SLIDE || type == CR_JNT_HINGE) {
    q[0] = cr_random_range(r, CR_R(-0.3), CR_R(0.3));
    spring[0] = cr_random_range(r, CR_R(-0.5), CR_R(0.5));
  } else if (type == CR_JNT_BALL) {
    q[0] = 1;
    random_unit_quat(r, spring);
  } else {
    cr_copy(q, m->body_pos + 3 * body, 3);
    cr_copy(q + 3, m->body_quat + 4 * body, 4);
    fill_vectors(r, spring, 3, CR_R(0.3));
    random_unit_quat(r, spring + 3);
  }
}

static void fill_joints(cr_random* r, cr_model* m, const plan* p) {
  for (int body = 1, i = 0, q = 0; body < m->nbody; body++) {
    for (int k = 0; k < p->jntnum[body]; k++, i++) {
      m->jnt_type[i] = p->joint_type[i];
      fill_joint(r, m, i, p->joint_type[i]);
      fill_reference(r, m, p->joint_type[i], body, q);
      q += cri_jnt_nq(p->joint_type[i]);
    }
  }
  // a model without friction loss can be without rows, and then without M
  bool dry = random_chance(r, CR_R(0.6));
  for (int i = 0; i < m->nv; i++) {
    fill_solref(r, m->dof_solref + 2 * i);
    fill_solimp(r, m->dof_solimp + 5 * i);
    m->dof_frictionloss[i] = dry && random_chance(r, CR_R(0.35)) ? log_range(r, CR_R(0.05), 2) : 0;
    m->dof_armature[i] = sometimes(r, CR_R(1e-3), CR_R(0.5));
    m->dof_damping[i] = sometimes(r, CR_R(0.01), 5);
    m->dof_invweight0[i] = log_range(r, CR_R(0.1), 100);
  }
}

// ---- geoms, sites, pairs

static void fill_geom(cr_random* r, cr_model* m, int i) {
  bool plane = m->geom_type[i] == CR_GEOM_PLANE;
  m->geom_contype[i] = 1 + cr_random_int(r, 2) * 2;
  m->geom_conaffinity[i] = random_chance(r, CR_R(0.15)) ? 2 : 1;
  m->geom_condim[i] = random_chance(r, CR_R(0.25)) ? 1 : 3;
  m->geom_priority[i] = random_chance(r, CR_R(0.2)) ? 1 : 0;
  m->geom_solmix[i] = random_chance(r, CR_R(0.15)) ? 0 : cr_random_range(r, CR_R(0.3), 2);
  fill_solref(r, m->geom_solref + 2 * i);
  fill_solimp(r, m->geom_solimp + 5 * i);
  for (int k = 0; k < 3; k++) {
    m->geom_size[3 * i + k] = cr_random_range(r, CR_R(0.06), CR_R(0.2));
    m->geom_friction[3 * i + k] = log_range(r, CR_R(0.2), CR_R(1.5)) * (k == 0 ? 1 : CR_R(0.01));
  }
  m->geom_margin[i] = sometimes(r, CR_R(0.002), CR_R(0.03));
  m->geom_gap[i] = random_chance(r, CR_R(0.2)) ? cr_random_range(r, 0, CR_R(0.02)) : 0;
  if (plane) {
    cr_real tilt[3] = {cr_random_range(r, CR_R(-0.1), CR_R(0.1)),
                       cr_random_range(r, CR_R(-0.1), CR_R(0.1)), 0};
    m->geom_quat[4 * i] = 1;
    cr_quat_integrate(m->geom_quat + 4 * i, tilt, 1);
  } else {
    random_unit_quat(r, m->geom_quat + 4 * i);
    fill_vectors(r, m->geom_pos + 3 * i, 3, CR_R(0.15));
  }
}

static void fill_geoms(cr_random* r, cr_model* m, const plan* p) {
  for (int i = 0; i < m->ngeom; i++) {
    m->geom_bodyid[i] = p->geom_body[i];
    m->geom_type[i] = p->geom_type[i];
    fill_geom(r, m, i);
  }
  // those of tendons come behind
  int free_sites = p->style == STYLE_HEAP ? 0 : 2;
  for (int i = 0; i < free_sites; i++) {
    m->site_bodyid[i] = cr_random_int(r, m->nbody);
  }
  fill_vectors(r, m->site_pos, 3 * free_sites, CR_R(0.2));
  fill_quats(r, m->site_quat, free_sites);
}

// the plane becomes a height field, with rows along its own y
static void fill_field(cr_random* r, cr_model* m) {
  m->geom_type[0] = CR_GEOM_HFIELD;
  m->geom_dataid[0] = 0;
  m->hfield_nrow[0] = FIELD_ROWS;
  m->hfield_ncol[0] = FIELD_COLUMNS;
  for (int k = 0; k < 4; k++) {
    cr_real high = k < 2 ? 1 : CR_R(0.2);
    m->hfield_size[k] = cr_random_range(r, high / 2, high);
  }
  m->geom_pos[2] -= m->hfield_size[2];
  for (int k = 0; k < m->nhfielddata; k++) {
    m->hfield_data[k] = cr_random_range(r, CR_R(0.05), CR_R(0.95));
  }
}

static void fill_pairs(cr_random* r, cr_model* m, const plan* p) {
  for (int i = 0; i < m->npair; i++) {
    m->pair_dim[i] = random_chance(r, CR_R(0.3)) ? 1 : 3;
    m->pair_geom1[i] = p->pair[i][0];
    m->pair_geom2[i] = p->pair[i][1];
    fill_solref(r, m->pair_solref + 2 * i);
    if (random_chance(r, CR_R(0.5))) {
      fill_solref(r, m->pair_solreffriction + 2 * i);
    }
    fill_solimp(r, m->pair_solimp + 5 * i);
    m->pair_margin[i] = sometimes(r, CR_R(0.002), CR_R(0.05));
    m->pair_gap[i] = random_chance(r, CR_R(0.3)) ? CR_R(0.01) : 0;
    for (int k = 0; k < 5; k++) {
      m->pair_friction[5 * i + k] = log_range(r, CR_R(0.2), CR_R(1.5));
    }
  }
  for (int i = 0; i < 2 * m->nexclude; i++) {
    m->exclude_body[i] = p->exclude[0][i];
  }
}

// contacts that also spin and roll, and now and then the same parameters for all of them
static void fill_dimensions(cr_random* r, cr_model* m, uint64_t seed) {
  for (int i = 0; i < m->ngeom; i++) {
    m->geom_condim[i] =
        random_chance(r, CR_R(0.4)) ? 4 + 2 * cr_random_int(r, 2) : m->geom_condim[i];
  }
  for (int i = 0; i < m->npair; i++) {
    m->pair_dim[i] = random_chance(r, CR_R(0.4)) ? 4 + 2 * cr_random_int(r, 2) : m->pair_dim[i];
  }
  // sticky ones, and surfaces that move
  for (int i = 0; i < m->ngeom && seed % 3 == 1; i++) {
    m->geom_adhesion[i] = sometimes(r, CR_R(0.1), 5);
    if (random_chance(r, CR_R(0.5))) {
      fill_vectors(r, m->geom_surfacevel + 6 * i, 6, 1);
    }
  }
  for (int i = 0; i < m->npair; i++) {
    m->pair_adhesion[i] = sometimes(r, CR_R(0.1), 5);
  }
  m->enableflags |= seed % 8 == 4 || seed % 16 == 9 ? CR_ENBL_OVERRIDE : 0;
  m->enableflags |= seed % 16 == 11 ? CR_ENBL_DIAGEXACT : 0;
  m->o_margin[0] = sometimes(r, CR_R(0.002), CR_R(0.05));
  fill_solref(r, m->o_solref);
  fill_solimp(r, m->o_solimp);
  for (int k = 0; k < 5; k++) {
    m->o_friction[k] = log_range(r, CR_R(0.2), CR_R(1.5)) * (k < 2 ? 1 : CR_R(0.01));
  }
}

// ---- equality constraints

static int random_scalar_joint(cr_random* r, const cr_model* m) {
  int j;
  do {
    j = cr_random_int(r, m->njnt);
  } while (!is_scalar(m->jnt_type[j]));
  return j;
}

static void fill_coupling(cr_random* r, cr_model* m, int i) {
  if (m->eq_type[i] == CR_EQ_TENDON) {
    m->eq_obj1id[i] = cr_random_int(r, m->ntendon);
    m->eq_obj2id[i] = cr_random_int(r, m->ntendon + 1) - 1;
    fill_vectors(r, m->eq_data + CR_NEQDATA * i, 2, CR_R(0.5));
    // tendons may be long: curved, but not steep
    for (int k = 2; k < 5; k++) {
      const cr_real sizes[] = {CR_R(1e-3), CR_R(1e-4), CR_R(1e-5)};
      fill_vectors(r, m->eq_data + CR_NEQDATA * i + k, 1, sizes[k - 2]);
    }
    return;
  }
  m->eq_obj1id[i] = random_scalar_joint(r, m);
  m->eq_obj2id[i] = random_scalar_joint(r, m);
  if (m->eq_obj2id[i] == m->eq_obj1id[i]) {
    m->eq_obj2id[i] = -1;
  }
  fill_vectors(r, m->eq_data + CR_NEQDATA * i, 5, CR_R(0.5));
}

static void fill_connect_weld(cr_random* r, cr_model* m, int i) {
  bool sites = m->nsite > 1 && random_chance(r, CR_R(0.5));
  int n = sites ? m->nsite : m->nbody;
  cr_real* data = m->eq_data + CR_NEQDATA * i;
  m->eq_objtype[i] = sites ? CR_OBJ_SITE : CR_OBJ_BODY;
  m->eq_obj1id[i] = cr_random_int(r, n);
  m->eq_obj2id[i] = (m->eq_obj1id[i] + 1 + cr_random_int(r, n - 1)) % n;
  fill_vectors(r, data, 6, CR_R(0.2));
  random_unit_quat(r, data + 6);
  data[10] = cr_random_range(r, CR_R(0.3), 2);
  data[11] = i % 2;  // of a weld: its pose is that of qpos0
}

// what is held together may be far apart
static void fill_slow_solref(cr_random* r, cr_real x[2]) {
  bool direct = random_chance(r, CR_R(0.25));
  x[0] = direct ? -log_range(r, 10, 100) : cr_random_range(r, CR_R(0.04), CR_R(0.12));
  x[1] = direct ? -log_range(r, 2, 10) : cr_random_range(r, CR_R(0.7), CR_R(1.5));
}

// rows of tendons; a model in flight may have none
static void fill_tendon_rows(cr_random* r, cr_model* m) {
  cr_real often = random_chance(r, CR_R(0.5)) ? CR_R(0.6) : 0;
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_limited[i] = random_chance(r, often);
    m->tendon_range[2 * i] = cr_random_range(r, 0, CR_R(0.5));
    m->tendon_range[2 * i + 1] = m->tendon_range[2 * i] + cr_random_range(r, CR_R(0.2), 1);
    m->tendon_margin[i] = sometimes(r, CR_R(0.01), CR_R(0.2));
    m->tendon_frictionloss[i] = random_chance(r, often) ? log_range(r, CR_R(0.05), 2) : 0;
    m->tendon_length0[i] = cr_random_range(r, 0, 1);
    m->tendon_invweight0[i] = log_range(r, CR_R(0.1), 100);
    fill_slow_solref(r, m->tendon_solref_lim + 2 * i);
    fill_slow_solref(r, m->tendon_solref_fri + 2 * i);
    fill_solimp(r, m->tendon_solimp_lim + 5 * i);
    fill_solimp(r, m->tendon_solimp_fri + 5 * i);
    m->tendon_solimp_lim[5 * i + 1] = cr_random_range(r, CR_R(0.6), CR_R(0.9));
  }
}

static void fill_equalities(cr_random* r, cr_model* m, const plan* p) {
  for (int i = 0; i < m->neq; i++) {
    m->eq_type[i] = p->eq_type[i];
    m->eq_active0[i] = random_chance(r, CR_R(0.85));
    fill_slow_solref(r, m->eq_solref + 2 * i);
    fill_solimp(r, m->eq_solimp + 5 * i);
    m->eq_solimp[5 * i + 1] =
        cr_random_range(r, CR_R(0.6), CR_R(0.9));  // light bodies are held too
    if (p->eq_type[i] == CR_EQ_JOINT || p->eq_type[i] == CR_EQ_TENDON) {
      fill_coupling(r, m, i);
    } else {
      fill_connect_weld(r, m, i);
    }
  }
}

// ---- actuators

static void fill_actuator(cr_random* r, cr_model* m, int i) {
  m->actuator_gaintype[i] = cr_random_int(r, 2);
  m->actuator_biastype[i] = cr_random_int(r, 2);
  m->actuator_group[i] = 0;
  m->actuator_forcelimited[i] = random_chance(r, CR_R(0.4));
  m->actuator_ctrllimited[i] = random_chance(r, CR_R(0.4));
  m->actuator_dynprm[10 * i] = cr_random_range(r, CR_R(0.02), CR_R(0.5));
  fill_vectors(r, m->actuator_gainprm + 10 * i, 3, 4);
  fill_vectors(r, m->actuator_biasprm + 10 * i, 3, 4);
  fill_interval(r, m->actuator_actrange + 2 * i, -1, 1);
  fill_interval(r, m->actuator_forcerange + 2 * i, -5, 5);
  fill_interval(r, m->actuator_ctrlrange + 2 * i, -1, 1);
  fill_vectors(r, m->actuator_gear + 6 * m->actuator_outadr[i], 6, 3);
}

static void fill_actuators(cr_random* r, cr_model* m, const plan* p) {
  int ball = random_ball_joint(p->njnt, p->joint_type);
  for (int i = 0, act = 0, ctrl = 0, out = 0; i < m->nactuator; i++) {
    random_controller c = random_controller_of(p->seed, i, ball);
    int states = c.gain < 0 ? p->dyntype[i] != CR_DYN_NONE : c.nact;
    bool stateful = states > 0;
    m->actuator_dyntype[i] = p->dyntype[i];
    m->actuator_trnid[2 * i] = p->actuator_joint[i];
    m->actuator_trnid[2 * i + 1] = -1;
    m->actuator_ctrladr[i] = ctrl;
    m->actuator_outadr[i] = out;
    m->actuator_actadr[i] = stateful ? act : -1;
    m->actuator_ctrlnum[i] = c.nu;
    m->actuator_outnum[i] = c.nout;
    m->actuator_actnum[i] = states;
    act += states;
    ctrl += c.nu;
    out += c.nout;
    m->actuator_actlimited[i] = stateful && random_chance(r, CR_R(0.5));
    m->actuator_actearly[i] = stateful && random_chance(r, CR_R(0.5));
    fill_actuator(r, m, i);
  }
}

// ---- polynomial springs and dampers, what actuators add to joints

static void fill_polynomials(cr_random* r, cr_model* m) {
  for (int j = 0; j < m->njnt; j++) {
    if (random_chance(r, CR_R(0.4))) {
      fill_vectors(r, m->jnt_stiffnesspoly + 2 * j, 2, 2);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    m->dof_dampingpoly[2 * i] = sometimes(r, CR_R(1e-4), CR_R(0.01));
    m->dof_dampingpoly[2 * i + 1] = sometimes(r, CR_R(1e-5), CR_R(0.001));
  }
  for (int k = 0; k < m->nactuator; k++) {
    m->actuator_armature[k] = log_range(r, CR_R(1e-3), CR_R(0.1));
    m->actuator_damping[k] = sometimes(r, CR_R(0.01), CR_R(0.1));
    m->actuator_dampingpoly[2 * k] = sometimes(r, CR_R(1e-4), CR_R(0.01));
    m->actuator_dampingpoly[2 * k + 1] = sometimes(r, CR_R(1e-5), CR_R(0.001));
  }
  if (m->integrator == CR_INT_RK4) {
    random_model_calm(m);
  }
}

// a thin medium, in two thirds of the models, with ellipsoids on half of the geoms
static void fill_fluid(cr_random* r, cr_model* m, uint64_t seed) {
  fill_vectors(r, m->wind, 3, 1);
  if (seed % 3 != 0) {
    m->density[0] = sometimes(r, CR_R(0.01), 1);
    m->viscosity[0] = sometimes(r, CR_R(1e-4), CR_R(1e-2));
  }
  for (int i = 0; i < m->ngeom; i++) {
    cr_real* fluid = m->geom_fluid + 12 * i;
    if (random_chance(r, CR_R(0.5))) {
      fluid[0] = 1;
      for (int k = 1; k < 6; k++) {
        fluid[k] = cr_random_range(r, CR_R(0.2), 2);
      }
      for (int k = 6; k < 12; k++) {
        fluid[k] = cr_random_range(r, CR_R(1e-4), CR_R(1e-3));
      }
    }
  }
}

// pressure fields on all shapes that can have one, soft ones and rigid ones
static cr_status add_fields(cr_random* r, cr_model* m, cr_error* error) {
  for (int i = 0; i < m->ngeom; i++) {
    const int type = m->geom_type[i];
    const bool soft = i % 3 != 0;
    const cr_pressure_options o = {.size = sizeof o,
                                   .kind = soft ? "compliant" : "rigid",
                                   .modulus = log_range(r, 100, 1000),
                                   .dissipation = cr_random_range(r, 0, CR_R(0.2)),
                                   .transition = cr_random_range(r, CR_R(0.5), 2),
                                   .thickness = cr_random_range(r, CR_R(0.1), 1),
                                   .around = 4};
    if (type == CR_GEOM_PLANE || (type >= CR_GEOM_SPHERE && type <= CR_GEOM_BOX)) {
      CR_TRY(cr_model_set_pressure(m, i, &o, error));
    }
  }
  return CR_OK;
}

void random_model_discrete(cr_model* m) {
  m->integrator = CR_INT_DISCRETE;
  // some free bodies as if their block of M were diagonal: then drag adds no more than that
  for (int b = 1; b < m->nbody; b += 2) {
    int tree = m->body_treeid[b];
    bool alone = tree >= 0 && m->tree_dofnum[tree] == 6 && m->body_dofnum[b] == 6;
    m->body_simple[b] = alone ? 1 : m->body_simple[b];
  }
  // controls count in the slopes of forces, within their range and held by it
  for (int i = 0; i < m->nu; i += 2) {
    m->actuator_ctrllimited[i] = 1;
    m->actuator_ctrlrange[2 * i] = -CR_R(0.01);
    m->actuator_ctrlrange[2 * i + 1] = CR_R(0.01);
  }
  for (int i = 0; i < m->nactuator; i++) {
    bool plain = m->actuator_gaintype[i] == CR_GAIN_FIXED && m->actuator_dyntype[i] == CR_DYN_NONE;
    m->actuator_gaintype[i] = plain ? CR_GAIN_AFFINE : m->actuator_gaintype[i];
  }
}

void random_model_loose(cr_model* m) {
  m->disableflags |= CR_DSBL_EQUALITY | CR_DSBL_ACTUATION | CR_DSBL_FRICTIONLOSS | CR_DSBL_LIMIT |
                     CR_DSBL_SPRING | CR_DSBL_DAMPER;
}

void random_model_calm(cr_model* m) {
  cr_zero(m->jnt_stiffnesspoly, 2 * m->njnt);
  cr_zero(m->dof_dampingpoly, 2 * m->nv);
  cr_zero(m->actuator_dampingpoly, 2 * m->nactuator);
  for (int i = 0; i < m->nv; i++) {
    m->dof_armature[i] += CR_R(0.01);
  }
}

// ---- names: the empty one first, then one of each object, some objects without

static void fill_name_list(cr_random* r, cr_model* m, int32_t* adr, int n, const char* kind,
                           int* used) {
  for (int i = 0; i < n; i++) {
    adr[i] = 0;
    if (random_chance(r, CR_R(0.8))) {
      adr[i] = *used;
      *used += 1 + snprintf(m->names + *used, 12, "%s%d", kind, i);
    }
  }
}

static void fill_names(cr_random* r, cr_model* m) {
  int used = 1;
  fill_name_list(r, m, m->name_bodyadr, m->nbody, "body", &used);
  fill_name_list(r, m, m->name_jntadr, m->njnt, "joint", &used);
  fill_name_list(r, m, m->name_geomadr, m->ngeom, "geom", &used);
  fill_name_list(r, m, m->name_siteadr, m->nsite, "site", &used);
  fill_name_list(r, m, m->name_actuatoradr, m->nactuator, "motor", &used);
  fill_name_list(r, m, m->name_pairadr, m->npair, "pair", &used);
  fill_name_list(r, m, m->name_keyadr, m->nkey, "key", &used);
  fill_name_list(r, m, m->name_eqadr, m->neq, "tie", &used);
  cr_random own = cr_random_seed((uint64_t)m->nsensor, 23);
  fill_name_list(&own, m, m->name_sensoradr, m->nsensor, "sensor", &used);
}

// bodies that are trees of their own, but not free, as if its block of M were diagonal
static void fill_simple(cr_model* m) {
  for (int b = 1; b < m->nbody; b++) {
    int tree = m->body_treeid[b], n = m->body_dofnum[b];
    bool alone = tree >= 0 && m->tree_dofnum[tree] == n && n > 1;
    if (alone && m->jnt_type[m->body_jntadr[b]] != CR_JNT_FREE) {
      m->body_simple[b] = 1;
    }
  }
}

cr_status random_model_derived(cr_model* m, uint64_t seed, cr_error* error) {
  cr_random r = cr_random_seed(seed, 1);
  plan p = {.seed = seed, .style = (int)(seed % N_STYLE)};
  p.field = seed % 24 == 5;
  plan_bodies(&r, &p);
  plan_actuators(&r, &p);
  plan_pairs(&r, &p);
  cr_random more = cr_random_seed(seed, 12);
  plan_equalities(&more, &p);
  CR_TRY(set_counts(m, &p, error));
  CR_TRY(cri_model_allocate(m, error));
  fill_options(&r, m, seed);
  fill_bodies(&r, m, &p);
  fill_joints(&r, m, &p);
  fill_geoms(&r, m, &p);
  fill_pairs(&r, m, &p);
  fill_actuators(&r, m, &p);
  fill_names(&r, m);
  fill_distance(&r, m, seed);
  fill_laws(m, seed);
  fill_dimensions(&more, m, seed);
  random_tendons(m, seed);
  random_actuators(m, seed);
  fill_equalities(&more, m, &p);
  fill_tendon_rows(&more, m);
  fill_polynomials(&r, m);
  random_tendon_armature(m, seed);
  fill_fluid(&r, m, seed);
  random_sensors(m, seed);
  if (p.field) {
    fill_field(&more, m);
  }
  fill_collision(m, seed);
  if (seed % 100 == 9) {
    CR_TRY(add_fields(&more, m, error));
  }
  cr_copy(m->key_qpos, m->qpos0, m->nq);
  return cri_model_derive(m, error);
}

cr_status random_model(cr_model* m, uint64_t seed, cr_error* error) {
  CR_TRY(random_model_derived(m, seed, error));
  fill_simple(m);
  return CR_OK;
}

cr_model random_model_far(const cr_model* m) {
  cr_model far = *m;
  far.memory = NULL;
  far.cfd = 1;
  far.cfd_dc = CR_R(0.05);
  far.cfd_d0 = CR_R(0.2);
  far.cfd_wc = CR_R(0.4);
  far.cfd_mc = CR_R(0.5);
  far.cfd_pc = 2;
  far.cfd_scale = CR_R(0.04);
  return far;
}
