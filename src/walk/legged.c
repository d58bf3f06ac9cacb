// SPDX-License-Identifier: Apache-2.0
#include "walk/legged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "walk/space.h"

enum { FREE_JOINT = 0, HINGE_JOINT = 3, SPHERE = 2 };

static cr_status not_a_robot(cr_error* error, const char* what) {
  return cri_fail(error, CR_ERR_MODEL, "the model cannot walk: %s", what);
}

// ---- what hangs on what

static int free_joint(const cr_model* m) {
  const int32_t* type = cr_model_integers(m, "jnt_type", NULL, NULL);
  int found = -1;
  for (int j = 0; j < cr_model_count(m, "njnt"); j++) {
    if (type[j] == FREE_JOINT) {
      if (found >= 0) {
        return -1;
      }
      found = j;
    }
  }
  return found;
}

// joints of the chain from the trunk to a body, from the trunk on; -1 if there are not three hinges, one a body
static bool chain_to(const cr_model* m, int trunk, int body, int joints[CR_LEG_JOINTS]) {
  const int32_t* parent = cr_model_integers(m, "body_parentid", NULL, NULL);
  const int32_t* of = cr_model_integers(m, "jnt_bodyid", NULL, NULL);
  const int32_t* type = cr_model_integers(m, "jnt_type", NULL, NULL);
  int n = 0;
  for (int b = body; b > 0 && b != trunk; b = parent[b]) {
    for (int j = cr_model_count(m, "njnt") - 1; j >= 0; j--) {
      if (of[j] == b && (type[j] != HINGE_JOINT || n == CR_LEG_JOINTS)) {
        return false;
      }
      if (of[j] == b) {
        joints[CR_LEG_JOINTS - ++n] = j;
      }
    }
  }
  return n == CR_LEG_JOINTS;
}

static int motor_of(const cr_model* m, int joint) {
  const int32_t* id = cr_model_integers(m, "actuator_trnid", NULL, NULL);
  const int32_t* type = cr_model_integers(m, "actuator_trntype", NULL, NULL);
  int width = 0;
  (void)cr_model_integers(m, "actuator_trnid", NULL, &width);
  for (int i = 0; i < cr_model_count(m, "nu"); i++) {
    if (type[i] == 0 && id[(ptrdiff_t)i * width] == joint) {
      return i;
    }
  }
  return -1;
}

// ---- one leg, from data at the reference pose

typedef struct {
  const cr_model* m;
  const cr_data* d;
  double R[9], origin[3];  // of the trunk
} pose;

static const cr_real* row_of(const pose* p, const char* name, int i) {
  int width = 0;
  const cr_real* all = cr_data_numbers(p->m, p->d, name, NULL, &width);
  return all + (ptrdiff_t)i * width;
}

static void into_trunk(const pose* p, const cr_real* world, double to[3]) {
  double off[3];
  cri_add(world, p->origin, -1, off);
  cri_turn_back(p->R, off, to);
}

static cr_status take_leg(cr_legged* robot, const pose* p, int at, int toe,
                          const int joints[CR_LEG_JOINTS], cr_error* error) {
  cr_leg* leg = &robot->leg[at];
  const int32_t* qpos = cr_model_integers(p->m, "jnt_qposadr", NULL, NULL);
  const int32_t* dof = cr_model_integers(p->m, "jnt_dofadr", NULL, NULL);
  const int32_t* limited = cr_model_integers(p->m, "jnt_limited", NULL, NULL);
  const int32_t* body = cr_model_integers(p->m, "jnt_bodyid", NULL, NULL);
  const cr_real* mass = cr_model_numbers(p->m, "body_mass", NULL, NULL);
  const cr_real* range = cr_model_numbers(p->m, "jnt_range", NULL, NULL);
  robot->toe[at] = toe;
  into_trunk(p, row_of(p, "geom_xpos", toe), leg->foot);
  for (int i = 0; i < CR_LEG_JOINTS; i++) {
    int j = joints[i], k = CR_LEG_JOINTS * at + i;
    robot->qpos[k] = qpos[j];
    robot->dof[k] = dof[j];
    robot->motor[k] = motor_of(p->m, j);
    if (robot->motor[k] < 0) {
      return cri_fail(error, CR_ERR_MODEL, "the model cannot walk: joint '%s' has no motor",
                      cr_model_name(p->m, "joint", j));
    }
    leg->reference[i] = row_of(p, "qpos", qpos[j])[0];
    into_trunk(p, row_of(p, "xanchor", j), leg->anchor[i]);
    cri_turn_back(p->R, row_of(p, "xaxis", j), leg->axis[i]);
    leg->mass[i] = mass[body[j]];
    into_trunk(p, row_of(p, "xipos", body[j]), leg->middle[i]);
    leg->lower[i] = limited[j] ? range[2 * j] : -(double)INFINITY;
    leg->upper[i] = limited[j] ? range[2 * j + 1] : (double)INFINITY;
  }
  return CR_OK;
}

// front right, front left, rear right, rear left, by where the hips are
static int place_of(const double hip[3], double middle) {
  return (hip[0] > middle ? 0 : 2) + (hip[1] > 0 ? 1 : 0);
}

static cr_status take_legs(cr_legged* robot, const pose* p, cr_error* error) {
  int toes[CR_LEGS], joints[CR_LEGS][CR_LEG_JOINTS], n = 0;
  bool taken[CR_LEGS] = {false};
  const int32_t* type = cr_model_integers(p->m, "geom_type", NULL, NULL);
  const int32_t* body = cr_model_integers(p->m, "geom_bodyid", NULL, NULL);
  const cr_real* size = cr_model_numbers(p->m, "geom_size", NULL, NULL);
  double hip[CR_LEGS][3], middle = 0;
  for (int g = 0; g < cr_model_count(p->m, "ngeom"); g++) {
    int found[CR_LEG_JOINTS];
    if (type[g] != SPHERE || !chain_to(p->m, robot->trunk, body[g], found)) {
      continue;
    }
    if (n == CR_LEGS) {
      return not_a_robot(error, "it has more than four legs with a round toe");
    }
    into_trunk(p, row_of(p, "xanchor", found[1]), hip[n]);
    memcpy(joints[n], found, sizeof found);
    middle += hip[n][0] / CR_LEGS;
    toes[n++] = g;
  }
  if (n < CR_LEGS) {
    return not_a_robot(error, "it has fewer than four legs of three hinges with a round toe");
  }
  for (int i = 0; i < CR_LEGS; i++) {
    int at = place_of(hip[i], middle);
    if (taken[at]) {
      return not_a_robot(error, "its hips are not front and rear, right and left");
    }
    taken[at] = true;
    robot->radius = size[(ptrdiff_t)3 * toes[i]];
    CR_TRY(take_leg(robot, p, at, toes[i], joints[i], error));
  }
  return CR_OK;
}

// ---- standing

// the knee bends one way or the other: the one that puts it further back
static cr_status stand_leg(cr_legged* robot, int at, const double foot[3], cr_error* error) {
  const cr_leg* leg = &robot->leg[at];
  double* best = robot->stand + (ptrdiff_t)CR_LEG_JOINTS * at;
  double furthest = (double)INFINITY;
  for (int way = 0; way < 2; way++) {
    double q[CR_LEG_JOINTS];
    for (int i = 0; i < CR_LEG_JOINTS; i++) {
      double bend = i == 2 ? (way == 0 ? -1 : 1) : i == 1 ? (way == 0 ? 0.5 : -0.5) : 0;
      q[i] = fmin(fmax(leg->reference[i] + bend, leg->lower[i]), leg->upper[i]);
    }
    if (cri_leg_reach(leg, foot, q) > 1e-6) {
      continue;
    }
    double knee[3];
    cri_leg_knee(leg, q, knee);
    if (knee[0] < furthest) {
      furthest = knee[0];
      memcpy(best, q, sizeof q);
    }
  }
  return isfinite(furthest) ? CR_OK
                            : cri_fail(error, CR_ERR_ARG,
                                       "the robot cannot stand at a height of %g m: leg %d does "
                                       "not reach the ground",
                                       robot->height, at);
}

static void put(const cr_legged* robot, cr_data* d, double height) {
  cr_real* qpos = cr_data_view(robot->m, d, "qpos", NULL, NULL);
  const cr_real start[7] = {-robot->middle[0], -robot->middle[1], height, 1, 0, 0, 0};
  memcpy(qpos + robot->base_q, start, sizeof start);
  for (int k = 0; k < CR_LEGGED_JOINTS; k++) {
    qpos[robot->qpos[k]] = robot->stand[k];
  }
}

// mass, centre of mass and inertia from the rows of the free joint in the mass matrix
static cr_status weigh(cr_legged* robot, cr_data* d, cr_error* error) {
  int nv = cr_model_count(robot->m, "nv");
  int at = robot->base_v;
  double* M = calloc((size_t)nv * (size_t)nv, sizeof *M);
  CR_TRY(M != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a mass matrix"));
  cr_status status = cr_forward(robot->m, d);
  status = status == CR_OK ? cr_full_m(robot->m, d, M) : status;
  const double* row[6];
  for (int i = 0; i < 6; i++) {
    row[i] = M + (ptrdiff_t)(at + i) * nv + at;
  }
  if (status == CR_OK) {
    double m = row[0][0];
    robot->mass = m;
    // M of (velocity, turning) is m [c]x': its entries are the centre of mass
    robot->middle[0] = row[1][5] / m;
    robot->middle[1] = -row[0][5] / m;
    robot->middle[2] = row[0][4] / m;
    double square = cri_dot(robot->middle, robot->middle);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        robot->inertia[3 * i + j] =
            row[3 + i][3 + j] - m * ((i == j ? square : 0) - robot->middle[i] * robot->middle[j]);
      }
    }
  }
  free(M);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

static cr_status stand(cr_legged* robot, cr_data* d, cr_error* error) {
  // the centre of mass moves with the legs: a few rounds settle it
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < CR_LEGS; i++) {
      robot->hip[i][0] = robot->leg[i].anchor[1][0];
      robot->hip[i][1] = robot->leg[i].foot[1];
      robot->hip[i][2] = robot->middle[2] - robot->height + robot->radius;
      CR_TRY(stand_leg(robot, i, robot->hip[i], error));
    }
    put(robot, d, robot->height - robot->middle[2]);
    CR_TRY(weigh(robot, d, error));
  }
  return CR_OK;
}

cr_status cri_legged_find(cr_legged* robot, const cr_model* m, double height, cr_error* error) {
  *robot = (cr_legged){.m = m, .height = height};
  int joint = free_joint(m);
  cr_real gravity[3];
  if (joint < 0) {
    return not_a_robot(error, "it has no free joint, or several");
  }
  robot->trunk = (int)cr_model_integers(m, "jnt_bodyid", NULL, NULL)[joint];
  robot->base_q = (int)cr_model_integers(m, "jnt_qposadr", NULL, NULL)[joint];
  robot->base_v = (int)cr_model_integers(m, "jnt_dofadr", NULL, NULL)[joint];
  CR_TRY(cr_model_get(m, "gravity", gravity, 3, error));
  robot->gravity = -gravity[2];
  cr_data* d = NULL;
  CR_TRY(cr_data_create(&d, m, error));
  cr_status status = cr_forward(m, d);
  status = status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
  if (status == CR_OK) {
    pose p = {.m = m, .d = d};
    cri_matrix_copy(row_of(&p, "xmat", robot->trunk), p.R);
    memcpy(p.origin, row_of(&p, "xpos", robot->trunk), sizeof p.origin);
    status = take_legs(robot, &p, error);
  }
  status = status == CR_OK ? stand(robot, d, error) : status;
  cr_data_destroy(d);
  return status;
}

cr_status cri_legged_stand(const cr_legged* robot, cr_data* d, cr_error* error) {
  cr_status status = cr_data_reset(robot->m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_data_error(d));
  }
  put(robot, d, robot->height - robot->middle[2]);
  return CR_OK;
}
