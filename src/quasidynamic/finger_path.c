// SPDX-License-Identifier: Apache-2.0
// Ways of fingers by two trees.
#include "quasidynamic/finger_path.h"

#include <stdlib.h>

#include "model/misuse.h"
#include "quasidynamic/grasp.h"

enum { DOFS = CRI_PATH_DOFS, NODES = 1500, ITERATIONS = 2000, SHORT_CUTS = 60 };
enum { RETREATS = 40, DIRECTIONS = 24 };
static const cr_real STRIDE = CR_R(0.3);  // of an extension, rad|m
static const cr_real CHECK = CR_R(0.05);  // between checks of an edge
static const cr_real DEEP = 5;            // gaps that a pose may be inside something
static const cr_real BACK = CR_R(0.04);   // of a step away from what the finger touches

typedef struct {
  int n, parent[NODES];
  cr_real at[NODES * DOFS];
} tree_of_poses;

typedef struct {
  cr_quasidynamic* x;
  cr_random* random;
  int tree, k;
  const int32_t* coordinate;
  cr_real low[DOFS], high[DOFS], gap;
  cr_real* qpos;         // [nq] the pose that is checked
  tree_of_poses *a, *b;  // from the start, from the end
  cr_status status;
} search;

static cr_real gap_between(const search* s, const cr_real* a, const cr_real* b) {
  cr_real sum = 0;
  for (int i = 0; i < s->k; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return cr_sqrt(sum);
}

static void between(const search* s, const cr_real* a, const cr_real* b, cr_real t, cr_real* to) {
  for (int i = 0; i < s->k; i++) {
    to[i] = a[i] + t * (b[i] - a[i]);
  }
}

static cr_real clearance(search* s, const cr_real* at) {
  cr_real distance = 0;
  bool object;
  for (int i = 0; i < s->k; i++) {
    s->qpos[s->coordinate[i]] = at[i];
  }
  const cr_status status = cri_grasp_clearance(s->x, s->qpos, s->tree, &distance, &object);
  s->status = s->status == CR_OK ? status : s->status;
  return status == CR_OK ? distance : -CR_MAX;
}

static bool is_free(search* s, const cr_real* a, const cr_real* b) {
  const int n = (int)(gap_between(s, a, b) / CHECK) + 1;
  cr_real at[DOFS];
  for (int i = 1; i <= n; i++) {
    between(s, a, b, (cr_real)i / (cr_real)n, at);
    if (!(clearance(s, at) > s->gap / 2)) {
      return false;
    }
  }
  return true;
}

static cr_real* pose(tree_of_poses* t, int i) { return t->at + (ptrdiff_t)i * DOFS; }

static void add(const search* s, tree_of_poses* t, int parent, const cr_real* at) {
  t->parent[t->n] = parent;
  cr_copy(pose(t, t->n++), at, s->k);
}

// a finger that touches something moves away from it in small steps, each the best of random ones; false if it is deep inside or stays near
static bool retreat(search* s, tree_of_poses* t, const cr_real* from) {
  cr_real at[DOFS], best[DOFS] = {0}, now = clearance(s, from);
  cr_copy(at, from, s->k);
  t->n = 0;
  add(s, t, -1, at);
  const bool deep = now < -DEEP * s->gap;
  for (int i = 0; i < RETREATS && now <= s->gap && !deep; i++) {
    cr_real most = now;
    for (int k = 0; k < DIRECTIONS; k++) {
      cr_real to[DOFS];
      for (int j = 0; j < s->k; j++) {
        to[j] = cr_clip(at[j] + BACK * cr_random_range(s->random, -1, 1), s->low[j], s->high[j]);
      }
      const cr_real distance = clearance(s, to);
      if (distance > most) {
        most = distance;
        cr_copy(best, to, s->k);
      }
    }
    if (most > now) {
      cr_copy(at, best, s->k);
      add(s, t, t->n - 1, at);
      now = most;
    }
  }
  return now > s->gap / 2;
}

static int nearest(const search* s, tree_of_poses* t, const cr_real* to) {
  int best = 0;
  cr_real least = CR_MAX;
  for (int i = 0; i < t->n; i++) {
    const cr_real distance = gap_between(s, pose(t, i), to);
    best = distance < least ? i : best;
    least = cr_min(least, distance);
  }
  return best;
}

// a step from node i towards a pose; true if it gave a node, *there: which is the pose itself
static bool extend(search* s, tree_of_poses* t, int i, const cr_real* to, bool* there) {
  cr_real at[DOFS];
  const cr_real far = gap_between(s, pose(t, i), to);
  *there = far <= STRIDE;
  between(s, pose(t, i), to, *there ? 1 : STRIDE / far, at);
  if (t->n >= NODES || !is_free(s, pose(t, i), at)) {
    return false;
  }
  add(s, t, i, at);
  return true;
}

// true if the other tree reaches the newest node of one
static bool connect(search* s, tree_of_poses* one, tree_of_poses* other) {
  cr_real to[DOFS];
  cr_copy(to, pose(one, one->n - 1), s->k);
  bool there = false;
  int i = nearest(s, other, to);
  while (!there && extend(s, other, i, to, &there)) {
    i = other->n - 1;
  }
  return there && gap_between(s, pose(other, other->n - 1), to) == 0;
}

static bool grow(search* s) {
  tree_of_poses *one = s->a, *other = s->b;
  if (connect(s, one, other)) {
    return true;
  }
  for (int i = 0; i < ITERATIONS && s->status == CR_OK; i++) {
    cr_real to[DOFS];
    bool there;
    for (int j = 0; j < s->k; j++) {
      to[j] = cr_random_range(s->random, s->low[j], s->high[j]);
    }
    if (extend(s, one, nearest(s, one, to), to, &there) && connect(s, one, other)) {
      return true;
    }
    tree_of_poses* swap = one;
    one = other;
    other = swap;
  }
  return false;
}

// both trees end in one pose
static void collect(const search* s, cri_finger_path* path) {
  int n = 0;
  for (int i = s->a->n - 1; i >= 0; i = s->a->parent[i]) {
    n++;
  }
  const int first = n;
  for (int i = s->b->parent[s->b->n - 1]; i >= 0; i = s->b->parent[i]) {
    n++;
  }
  path->n = n <= CRI_PATH_POINTS ? n : 0;
  n = first;
  for (int i = s->a->n - 1; i >= 0 && path->n > 0; i = s->a->parent[i]) {
    cr_copy(path->at + (ptrdiff_t)--n * s->k, pose(s->a, i), s->k);
  }
  n = first;
  for (int i = s->b->parent[s->b->n - 1]; i >= 0 && path->n > 0; i = s->b->parent[i]) {
    cr_copy(path->at + (ptrdiff_t)n++ * s->k, pose(s->b, i), s->k);
  }
}

static void shorten(search* s, cri_finger_path* path) {
  for (int i = 0; i < SHORT_CUTS && path->n > 2; i++) {
    int from = cr_random_int(s->random, path->n), to = cr_random_int(s->random, path->n);
    if (from > to) {
      const int swap = from;
      from = to;
      to = swap;
    }
    const cr_real *a = path->at + (ptrdiff_t)from * s->k, *b = path->at + (ptrdiff_t)to * s->k;
    if (to - from > 1 && is_free(s, a, b)) {
      memmove(path->at + (ptrdiff_t)(from + 1) * s->k, b,
              (size_t)((path->n - to) * s->k) * sizeof *b);
      path->n -= to - from - 1;
    }
  }
}

static cr_status prepare(search* s, int tree, cri_finger_path* path) {
  const cr_quasidynamic* x = s->x;
  path->n = path->k = 0;
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* servo = &x->servo[i];
    cr_real range[2];
    if (x->m.dof_treeid[servo->dof] != tree) {
      continue;
    }
    if (path->k == DOFS) {
      return cri_fail(&s->x->error, CR_ERR_UNSUPPORTED, "way of a finger: more than %d servos",
                      (int)DOFS);
    }
    cri_servo_range(&x->m, servo, range);
    s->low[path->k] = range[0];
    s->high[path->k] = range[1];
    path->coordinate[path->k++] = servo->qpos;
  }
  s->k = path->k;
  s->tree = tree;
  s->coordinate = path->coordinate;
  return CR_OK;
}

cr_status cri_finger_path_find(cr_quasidynamic* x, cr_random* random, int tree, const cr_real* from,
                               const cr_real* to, cr_real gap, cri_finger_path* path) {
  search s = {.x = x, .random = random, .gap = gap};
  cr_real start[DOFS], end[DOFS];
  CR_TRY(prepare(&s, tree, path));
  s.a = calloc(2, sizeof *s.a);
  s.qpos = calloc((size_t)x->m.nq, sizeof *s.qpos);
  if (s.a == NULL || s.qpos == NULL) {
    free(s.a);
    free(s.qpos);
    return cri_fail(&x->error, CR_ERR_MEMORY, "way of a finger: no memory");
  }
  s.b = s.a + 1;
  cr_copy(s.qpos, from, x->m.nq);
  for (int i = 0; i < s.k; i++) {
    start[i] = from[path->coordinate[i]];
    end[i] = to[path->coordinate[i]];
  }
  if (retreat(&s, s.a, start) && retreat(&s, s.b, end) && grow(&s)) {
    collect(&s, path);
    shorten(&s, path);
  }
  free(s.a);
  free(s.qpos);
  return s.status;
}

// ---- finger after finger

static bool differs(const cr_quasidynamic* x, int tree, const cr_real* from, const cr_real* to) {
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    if (x->m.dof_treeid[s->dof] == tree && from[s->qpos] != to[s->qpos]) {
      return true;
    }
  }
  return false;
}

// adds the way of one finger to the poses; *n stays if there is none or no room
static cr_status add_finger(cr_quasidynamic* x, cr_random* random, int tree, const cr_real* to,
                            cr_real gap, int most, cr_real* way, int* n, cri_finger_path* path) {
  const ptrdiff_t nq = x->m.nq;
  CR_TRY(cri_finger_path_find(x, random, tree, way + (*n - 1) * nq, to, gap, path));
  if (*n + path->n > most) {
    return cri_fail(&x->error, CR_ERR_CAPACITY, "way of fingers: more than %d poses", most);
  }
  for (int i = 1; i < path->n; i++, ++*n) {
    cr_copy(way + *n * nq, way + (*n - 1) * nq, x->m.nq);
    for (int k = 0; k < path->k; k++) {
      way[*n * nq + path->coordinate[k]] = path->at[(ptrdiff_t)i * path->k + k];
    }
  }
  return CR_OK;
}

// each finger that is not there yet gets a turn; fingers that found no way try again when others have moved
static cr_status move_fingers(cr_quasidynamic* x, cr_random* random, const cr_real* to, cr_real gap,
                              int most, cr_real* way, int* n, cri_finger_path* path) {
  for (bool moved = true, left = true; moved && left;) {
    moved = left = false;
    for (int tree = 0; tree < x->m.ntree; tree++) {
      const int before = *n;
      if (differs(x, tree, way + (ptrdiff_t)(*n - 1) * x->m.nq, to)) {
        CR_TRY(add_finger(x, random, tree, to, gap, most, way, n, path));
        moved = moved || *n > before;
        left = left || *n == before;
      }
    }
    if (left && !moved) {
      *n = 0;
    }
  }
  return CR_OK;
}

cr_status cr_quasidynamic_way(cr_quasidynamic* work, const cr_real* from, const cr_real* to,
                              cr_real gap, uint64_t seed, int most, cr_real* way, int* n) {
  const cri_call call = {"cr_quasidynamic_way", work != NULL ? &work->error : NULL};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_given(&call, from, "from"));
  CR_TRY(cri_given(&call, to, "to"));
  CR_TRY(cri_given(&call, way, "way"));
  CR_TRY(cri_given(&call, n, "n"));
  *n = 0;
  if (!(gap > 0) || most < 1) {
    return cri_fail(call.error, CR_ERR_ARG, "cr_quasidynamic_way: gap %.9g, room for %d poses",
                    (double)gap, most);
  }
  cri_finger_path* path = calloc(1, sizeof *path);
  if (path == NULL) {
    return cri_fail(call.error, CR_ERR_MEMORY, "cr_quasidynamic_way: no memory");
  }
  cr_random random = cr_random_seed(seed, 0);
  cr_copy(way, from, work->m.nq);
  *n = 1;
  const cr_status status = move_fingers(work, &random, to, gap, most, way, n, path);
  free(path);
  return status;
}
