// SPDX-License-Identifier: Apache-2.0
// A rapidly-exploring tree over poses in contact. derivation: docs/derivations/quasidynamic.md
//   [quasidynamic.t0] x - c: difference of object poses in tangents, m over the length that counts as 1 rad
//   [quasidynamic.t1] distance of a node to x: (x - c)'(B B' + reg I)^-1 (x - c)
//   [quasidynamic.t2] du = B'(B B' + reg I)^-1 (x - c), limited in norm and to the range of setpoints
//   [quasidynamic.t3] next = the exact step from the node's pose at u + du
#include <stdlib.h>

#include "math/dense_cholesky.h"
#include "model/misuse.h"
#include "quasidynamic/grasp.h"
#include "quasidynamic/object_space.h"

enum { GRASP_TRIES = 40, WAY = 400, CONTEST = 50 };
// of new grasps on the way to the goal: at the nearest node
static const cr_real BEST_SHARE = CR_R(0.2);
static const cr_real LEAST_MOTION = CR_R(0.1);  // of objects in a step, in tolerances

typedef struct {
  int parent;
  bool grasp, tried;  // tried: it was extended towards the goal
  cr_real distance;   // to the goal
  cr_real *qpos, *u;  // pose, and the setpoints that led there
  cr_real *hold, *c, *B,
      *L;  // setpoints that hold it; smoothed next pose [nq], slopes [no nu], factor [no no]
} node;

struct cr_contact_plan {
  cr_quasidynamic *exact, *smooth;
  cr_contact_tree_options options;
  cr_random random;
  cri_object_space objects;
  int nq, nv, nu, no;                  // no: dofs of objects
  cr_real *start, *goal, *low, *high;  // [nq], [nq], [no], [no]
  cr_real *x, *y, *du, *next, *B;      // sample [nq], [no], [nu], [nq], [nv nu]
  node* nodes;
  int n, best;
  int before;  // nodes of trees before this one
  cr_real distance;
  cr_real* poses;  // [WAY nq] of a way to a new grasp
  int* way;        // from the start to the best node
  int nway;
};

// ---- options and memory

static cr_status set_options(cr_contact_plan* p, const cr_contact_tree_options* given,
                             cr_error* error) {
  const cri_call call = {"cr_contact_tree_grow", error};
  cr_contact_tree_options* o = &p->options;
  if (given != NULL) {
    CR_TRY(cri_check_size(&call, given->size, sizeof *given, "cr_contact_tree_options"));
    *o = *given;
  }
  const struct {
    const char* name;
    cr_real *at, otherwise, most;
  } all[] = {{"goal_share", &o->goal_share, CR_R(0.8), 1},
             {"grasp_share", &o->grasp_share, CR_R(0.2), 1},
             {"regularisation", &o->regularisation, CR_R(1e-4), CR_MAX},
             {"stepsize", &o->stepsize, CR_R(0.35), CR_MAX},
             {"tolerance", &o->tolerance, CR_R(0.01), CR_MAX},
             {"around", &o->around, CR_R(0.1), CR_MAX},
             {"gap", &o->gap, CR_R(0.001), CR_MAX},
             {"length", &o->length, 1, CR_MAX},
             {"keep_share", &o->keep_share, 0, 1}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!(*all[i].at >= 0 && *all[i].at <= all[i].most)) {
      return cri_fail(error, CR_ERR_ARG, "contact tree: %s %.9g: between 0 and %.3g is expected",
                      all[i].name, (double)*all[i].at, (double)all[i].most);
    }
    *all[i].at = *all[i].at > 0 ? *all[i].at : all[i].otherwise;
  }
  if (o->nodes < 0 || o->trees < 0) {
    return cri_fail(error, CR_ERR_ARG, "contact tree: %d nodes in each of %d trees", o->nodes,
                    o->trees);
  }
  o->nodes = o->nodes > 0 ? o->nodes : 1000;
  o->trees = o->trees > 0 ? o->trees : 1;
  return CR_OK;
}

static cr_status open_steps(cr_contact_plan* p, const cr_model* m,
                            const cr_quasidynamic_options* steps, cr_error* error) {
  cr_quasidynamic_options o = {.size = sizeof o};
  if (steps != NULL) {
    const cri_call call = {"cr_contact_tree_grow", error};
    CR_TRY(cri_check_size(&call, steps->size, sizeof *steps, "cr_quasidynamic_options"));
    o = *steps;
  }
  const cr_real weight = o.weight > 0 ? o.weight : 100;
  o.weight = 0;
  CR_TRY(cr_quasidynamic_create(&p->exact, m, &o, error));
  o.weight = weight;
  return cr_quasidynamic_create(&p->smooth, m, &o, error);
}

static cr_status make_room(cr_contact_plan* p, cr_error* error) {
  const size_t q = (size_t)p->nq, u = (size_t)p->nu, o = (size_t)p->no,
               n = (size_t)p->options.nodes;
  const size_t each = 2 * q + 2 * u + o * u + o * o;
  p->nodes = calloc(n, sizeof *p->nodes);
  p->way = calloc(n, sizeof *p->way);
  p->start = calloc((4 + WAY) * q + 3 * o + u + (size_t)p->nv * u + n * each, sizeof *p->start);
  if (p->nodes == NULL || p->way == NULL || p->start == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "contact tree: no memory for %d nodes", p->options.nodes);
  }
  p->goal = p->start + q;
  p->low = p->goal + q;
  p->high = p->low + o;
  p->x = p->high + o;
  p->y = p->x + q;
  p->du = p->y + o;
  p->next = p->du + u;
  p->B = p->next + q;
  p->poses = p->B + (size_t)p->nv * u;
  cr_real* at = p->poses + WAY * q;
  for (size_t i = 0; i < n; i++, at += each) {
    node* k = &p->nodes[i];
    k->qpos = at;
    k->u = at + q;
    k->hold = k->u + u;
    k->c = k->hold + u;
    k->B = k->c + q;
    k->L = k->B + o * u;
  }
  return CR_OK;
}

void cr_contact_plan_destroy(cr_contact_plan* plan) {
  if (plan != NULL) {
    cr_quasidynamic_destroy(plan->exact);
    cr_quasidynamic_destroy(plan->smooth);
    free(plan->nodes);
    free(plan->way);
    free(plan->start);
    cri_objects_free(&plan->objects);
    free(plan);
  }
}

// ---- nodes

static cr_status fail_by(const cr_quasidynamic* x, cr_status status, cr_error* error) {
  return cri_fail(error, status, "contact tree: %s", cr_quasidynamic_error(x));
}

// c, B and the factor of B B' + reg I at a pose                                             [quasidynamic.t1]
static cr_status add_metric(cr_contact_plan* p, node* k) {
  (void)cr_quasidynamic_hold(p->exact, k->qpos, k->hold);
  CR_TRY(cr_quasidynamic_step(p->smooth, k->qpos, k->hold, p->next));
  CR_TRY(cr_quasidynamic_jacobian(p->smooth, NULL, p->B));
  cr_copy(k->c, p->next, p->nq);
  for (int i = 0; i < p->no; i++) {
    for (int l = 0; l < p->nu; l++) {
      k->B[(ptrdiff_t)i * p->nu + l] =
          p->B[(ptrdiff_t)p->objects.dof[i] * p->nu + l] / p->objects.unit[i];
    }
  }
  for (int i = 0; i < p->no; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real sum = i == j ? p->options.regularisation : 0;
      for (int l = 0; l < p->nu; l++) {
        sum += k->B[(ptrdiff_t)i * p->nu + l] * k->B[(ptrdiff_t)j * p->nu + l];
      }
      k->L[(ptrdiff_t)i * p->no + j] = sum;
    }
  }
  return cr_dense_chol_factor(k->L, p->no, 0) < 0
             ? CR_OK
             : cri_fail(&p->smooth->error, CR_ERR_SINGULAR, "contact tree: no metric");
}

// a node at p->next, if its metric exists; poses without one are left out of the tree
static void add_node(cr_contact_plan* p, int parent, bool grasp, const cr_real* qpos,
                     const cr_real* u) {
  node* k = &p->nodes[p->n];
  k->parent = parent;
  k->tried = false;
  k->grasp = grasp;
  cr_copy(k->qpos, qpos, p->nq);
  cr_copy(k->u, u, p->nu);
  if (add_metric(p, k) != CR_OK) {
    return;
  }
  const cr_real distance = cri_objects_distance(&p->objects, k->qpos, p->goal);
  k->distance = distance;
  if (p->n == 0 || distance < p->distance) {
    p->distance = distance;
    p->best = p->n;
  }
  p->n++;
}

// ---- growth

// of the goal only those that were not tried yet: a second time would give the same pose; -1: there is none
static int nearest(cr_contact_plan* p, bool goal) {
  int best = -1;
  cr_real least = CR_MAX;
  for (int i = 0; i < p->n; i++) {
    const node* k = &p->nodes[i];
    cr_real sum = 0;
    cri_objects_difference(&p->objects, p->x, k->c, p->y);
    cr_dense_chol_forward(k->L, p->no, p->y);
    for (int j = 0; j < p->no; j++) {
      sum += p->y[j] * p->y[j];
    }
    if (sum < least && !(goal && k->tried)) {
      least = sum;
      best = i;
    }
  }
  return best;
}

// where the smoothed step expects a motion that the exact step does not make, nodes would repeat without an end
static bool has_moved(const cr_contact_plan* p, const cr_real* from, const cr_real* to) {
  return cri_objects_distance(&p->objects, to, from) > LEAST_MOTION * p->options.tolerance;
}

// [quasidynamic.t2], [quasidynamic.t3]
static void extend(cr_contact_plan* p, int i) {
  const node* k = &p->nodes[i];
  const cr_model* m = &p->exact->m;
  cri_objects_difference(&p->objects, p->x, k->c, p->y);
  cr_dense_chol_solve(k->L, p->no, p->y);
  cr_real norm = 0;
  for (int l = 0; l < p->nu; l++) {
    p->du[l] = 0;
    for (int j = 0; j < p->no; j++) {
      p->du[l] += k->B[(ptrdiff_t)j * p->nu + l] * p->y[j];
    }
    norm += p->du[l] * p->du[l];
  }
  norm = cr_sqrt(norm);
  for (int l = 0; l < p->nu; l++) {
    const cr_real* range = m->actuator_ctrlrange + 2 * (ptrdiff_t)l;
    p->du[l] = k->hold[l] + p->du[l] * cr_min(1, p->options.stepsize / cr_max(norm, CR_MINVAL));
    if (m->actuator_ctrllimited[l] != 0) {
      p->du[l] = cr_clip(p->du[l], range[0], range[1]);
    }
  }
  cr_real* next = p->nodes[p->n].qpos;
  if (cr_quasidynamic_step(p->exact, k->qpos, p->du, next) == CR_OK &&
      has_moved(p, k->qpos, next)) {
    add_node(p, i, false, next, p->du);
  }
}

// whether the fingers can go from a node's grasp to the new one
static bool has_way(cr_contact_plan* p, const cr_real* from, const cr_real* to) {
  int n = 0;
  return !p->options.ways || (cr_quasidynamic_way(p->exact, from, to, p->options.gap,
                                                  p->options.seed, WAY, p->poses, &n) == CR_OK &&
                              n > 0);
}

static cr_status regrasp(cr_contact_plan* p, int i) {
  int touches;
  cr_real* qpos = p->nodes[p->n].qpos;
  cr_copy(qpos, p->nodes[i].qpos, p->nq);
  CR_TRY(cri_grasp_draw(p->exact, &p->random, p->options.gap, p->options.keep_share, GRASP_TRIES,
                        qpos, &touches));
  (void)cr_quasidynamic_hold(p->exact, qpos, p->du);
  // objects have to stay where they are while the fingers are elsewhere
  if (touches > 0 && cr_quasidynamic_step(p->exact, qpos, p->du, p->next) == CR_OK &&
      !has_moved(p, qpos, p->next) && has_way(p, p->nodes[i].qpos, qpos)) {
    add_node(p, i, true, qpos, p->du);
  }
  return CR_OK;
}

static bool draw_sample(cr_contact_plan* p) {
  const bool goal = cr_random_uniform(&p->random) < p->options.goal_share;
  if (goal) {
    cr_copy(p->x, p->goal, p->nq);
  } else {
    cri_objects_draw(&p->objects, &p->random, p->start, p->low, p->high, p->x);
  }
  return goal;
}

// a node near the goal, but not always the nearest: that one may lead nowhere
static int near_goal(cr_contact_plan* p) {
  int best = cr_random_int(&p->random, p->n);
  for (int k = 1; k < CONTEST; k++) {
    const int i = cr_random_int(&p->random, p->n);
    best = p->nodes[i].distance < p->nodes[best].distance ? i : best;
  }
  return best;
}

static cr_status grow(cr_contact_plan* p, cr_error* error) {
  // an extension may fail: so many in all
  for (int k = 0; k < 4 * p->options.nodes && p->n < p->options.nodes; k++) {
    if (p->distance <= p->options.tolerance) {
      break;
    }
    const bool goal = draw_sample(p);
    const bool grasp = cr_random_uniform(&p->random) < p->options.grasp_share;
    const int i = !goal || !grasp                              ? nearest(p, goal)
                  : cr_random_uniform(&p->random) < BEST_SHARE ? p->best
                                                               : near_goal(p);
    if (i < 0) {
      continue;
    }
    if (grasp) {
      const cr_status status = regrasp(p, i);
      if (status != CR_OK) {
        return fail_by(p->exact, status, error);
      }
    } else {
      p->nodes[i].tried = p->nodes[i].tried || goal;
      extend(p, i);
    }
  }
  return CR_OK;
}

static void set_ends(cr_contact_plan* p, const cr_real* qpos, const cr_real* goal) {
  cr_copy(p->start, qpos, p->nq);
  cr_copy(p->goal, goal, p->nq);
  cri_objects_normalise(&p->objects, p->start);
  cri_objects_normalise(&p->objects, p->goal);
  cri_objects_box(&p->objects, p->start, p->goal, p->options.around, p->low, p->high);
}

static cr_status grow_tree(cr_contact_plan* p, int tree, cr_error* error) {
  p->before += p->n;
  p->n = 0;
  p->random = cr_random_seed(p->options.seed, (uint64_t)tree);
  (void)cr_quasidynamic_hold(p->exact, p->start, p->du);
  add_node(p, -1, false, p->start, p->du);
  return p->n == 1 ? grow(p, error) : fail_by(p->smooth, CR_ERR_SOLVER, error);
}

// one after the other until one is at the goal; if none is, the best one once more
static cr_status grow_trees(cr_contact_plan* p, cr_error* error) {
  int best = 0;
  cr_real least = CR_MAX;
  for (int tree = 0; tree < p->options.trees; tree++) {
    CR_TRY(grow_tree(p, tree, error));
    if (p->distance <= p->options.tolerance) {
      return CR_OK;
    }
    best = p->distance < least ? tree : best;
    least = cr_min(p->distance, least);
  }
  return best < p->options.trees - 1 ? grow_tree(p, best, error) : CR_OK;
}

static void find_way(cr_contact_plan* p) {
  for (int i = p->best; i >= 0; i = p->nodes[i].parent) {
    p->way[p->nway++] = i;
  }
  for (int i = 0; i < p->nway / 2; i++) {
    const int other = p->way[p->nway - 1 - i];
    p->way[p->nway - 1 - i] = p->way[i];
    p->way[i] = other;
  }
}

static cr_status make(cr_contact_plan* p, const cr_model* m, const cr_quasidynamic_options* steps,
                      const cr_contact_tree_options* options, cr_error* error) {
  CR_TRY(set_options(p, options, error));
  CR_TRY(open_steps(p, m, steps, error));
  p->nq = m->nq;
  p->nv = m->nv;
  p->nu = m->nu;
  CR_TRY(
      cri_objects_find(&p->objects, &p->exact->m, p->exact->has_servo, p->options.length, error));
  p->no = p->objects.n;
  return make_room(p, error);
}

cr_status cr_contact_tree_grow(cr_contact_plan** plan, const cr_model* m,
                               const cr_quasidynamic_options* steps, const cr_real* qpos,
                               const cr_real* goal, const cr_contact_tree_options* options,
                               cr_error* error) {
  const cri_call call = {"cr_contact_tree_grow", error};
  CR_TRY(cri_given(&call, plan, "where the plan goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, qpos, "qpos"));
  CR_TRY(cri_given(&call, goal, "the goal"));
  cr_contact_plan* p = calloc(1, sizeof *p);
  *plan = NULL;
  if (p == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "contact tree: no memory");
  }
  cr_status status = make(p, m, steps, options, error);
  if (status == CR_OK) {
    set_ends(p, qpos, goal);
    status = grow_trees(p, error);
  }
  if (status != CR_OK) {
    cr_contact_plan_destroy(p);
    return status;
  }
  find_way(p);
  *plan = p;
  return CR_OK;
}

// ---- what it leaves

int cr_contact_plan_poses(const cr_contact_plan* plan) { return plan != NULL ? plan->nway : 0; }
int cr_contact_plan_nodes(const cr_contact_plan* plan) {
  return plan != NULL ? plan->before + plan->n : 0;
}
cr_real cr_contact_plan_distance(const cr_contact_plan* plan) {
  return plan != NULL ? plan->distance : 0;
}

bool cr_contact_plan_get(const cr_contact_plan* plan, int i, cr_real* qpos, cr_real* u,
                         bool* grasp) {
  if (plan == NULL || i < 0 || i >= plan->nway) {
    return false;
  }
  const node* k = &plan->nodes[plan->way[i]];
  if (qpos != NULL) {
    cr_copy(qpos, k->qpos, plan->nq);
  }
  if (u != NULL) {
    cr_copy(u, k->u, plan->nu);
  }
  if (grasp != NULL) {
    *grasp = k->grasp;
  }
  return true;
}
