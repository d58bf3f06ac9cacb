// SPDX-License-Identifier: Apache-2.0
// The jumps of tangents and cotangents at the events of a step.
#include "event/event_jump.h"

#include "collision/collision.h"
#include "engine/acceleration.h"
#include "engine/forward.h"
#include "event/event.h"
#include "kinematics/configuration.h"
#include "math/vec3.h"
#include "model/schedule.h"

// both ends of a step and the events in between
typedef struct {
  const cr_model* m;
  cr_data *a, *b;
  cri_event_list rows[2];  // of a, of b
  cr_real h, near;
} passage;

static cri_event_list list_rows(const cr_model* m, const cr_data* d, cr_data* owner) {
  return cri_event_rows(m, d, cri_event_push(m, owner, d->nefc, d->ncon));
}

// lists of rows on the scratch of a
static passage passage_of(const cr_model* m, cr_data* a, cr_data* b, cr_real h) {
  passage p = {.m = m, .a = a, .b = b, .h = h, .near = cri_event_near(m, a->time)};
  p.rows[0] = list_rows(m, a, a);
  p.rows[1] = list_rows(m, b, a);
  return p;
}

static cr_status failed(const passage* p, const cr_data* d, cr_status status) {
  if (status != CR_OK && d != p->a) {
    p->a->error = d->error;
  }
  return status;
}

static cri_fate fate_of(const passage* p, bool new, int row) {
  return new ? cri_event_fate_of_new(&p->rows[0], &p->rows[1], row, p->h, p->near)
             : cri_event_fate_of_old(&p->rows[0], &p->rows[1], row, p->h, p->near);
}

// the rows of a that leave, or those of b that enter. Returns how many
static int gather(const passage* p, bool new, int* rows) {
  int n = 0;
  for (int row = 0; row < p->rows[new].n; row++) {
    if (fate_of(p, new, row) == (new ? CRI_ENTERS : CRI_LEAVES)) {
      rows[n++] = row;
    }
  }
  return n;
}

// ---- accelerations with and without rows

// the constraint mass of all rows of the limit or contact at `row`: with zero mass they do not push
static void set_mass(cr_data* to, const cr_real* D, int row, cr_real scale) {
  for (int i = row; i < cri_event_end(to, row); i++) {
    to->efc_D[i] = scale * D[i];
  }
}

// s: the gap at a row; or, if `contact` is not below 0, the lean of the normal of that contact; or the moment
// probed at d
typedef struct {
  int row, contact;
  const cri_event_sign* probed;
  const cr_data* d;
} part;

// effect of a change of the acceleration on a tangent, or on cotangents, divided by the rate of s
typedef void jump(const cr_model* m, cr_data* twin, part s, const cr_real* change, cr_real by);

// [event.e6] the tangent of the moment
static cr_real moment_tan(const part* s, const cr_data* tan) {
  cr_real sum = 0;
  for (int k = 0; k < 2; k++) {
    cr_shape_tan x = cri_collision_shape_tan(s->d, tan, s->probed->geom[k]);
    const cr_shape_tan* by = &s->probed->moment[k];
    sum += cr_dot3(by->pos, x.pos) + cr_dot3(by->rot, x.rot) + cr_dot3(by->size, x.size);
  }
  return sum;
}

// [event.e6]'
static void moment_bar(const part* s, cr_real c, cr_data* bar) {
  for (int k = 0; k < 2; k++) {
    cr_shape_tan x = s->probed->moment[k];
    cr_scl3(x.pos, x.pos, c);
    cr_scl3(x.rot, x.rot, c);
    cr_scl3(x.size, x.size, c);
    cri_collision_shape_bar(s->d, &x, s->probed->geom[k], bar);
  }
}

// [event.e2]
static void jump_tan(const cr_model* m, cr_data* tan, part s, const cr_real* change, cr_real by) {
  cr_real s_tan = s.probed != NULL ? moment_tan(&s, tan)
                  : s.contact >= 0 ? tan->contact_frame[9 * s.contact + 1]
                                   : tan->efc_pos[s.row] - tan->efc_margin[s.row];
  for (int i = 0; i < m->nv; i++) {
    tan->qvel[i] += by * s_tan * change[i];
  }
}

// [event.e2]'
static void jump_bar(const cr_model* m, cr_data* bar, part s, const cr_real* change, cr_real by) {
  cr_real c = 0;
  for (int i = 0; i < m->nv; i++) {
    c += by * bar->qvel[i] * change[i];
  }
  if (s.probed != NULL) {
    moment_bar(&s, c, bar);
    return;
  }
  if (s.contact >= 0) {
    bar->contact_frame[9 * s.contact + 1] += c;
    return;
  }
  bar->efc_pos[s.row] += c;
  bar->efc_margin[s.row] -= c;
}

// rows one after the other, from the first to the last or back: switched on at b, off at a
static cr_status jump_in_order(const passage* p, bool new, const int* rows, int n, bool back,
                               const cr_real* D, jump* f, cr_data* twin) {
  cr_data* d = new ? p->b : p->a;
  size_t mark = cri_mark(p->a);
  cr_real* change = cri_push(p->a, (size_t)p->m->nv);
  for (int i = 0; i < n; i++) {
    set_mass(d, D, rows[i], new ? 0 : 1);
  }
  cr_status status = failed(p, d, cr_acceleration(cri_model_at(p->m, d), d));
  for (int i = 0; i < n && status == CR_OK; i++) {
    int row = rows[back ? n - 1 - i : i];
    cr_copy(change, d->qacc, p->m->nv);
    set_mass(d, D, row, new ? 1 : 0);
    status = failed(p, d, cr_acceleration(cri_model_at(p->m, d), d));
    for (int k = 0; k < p->m->nv; k++) {
      change[k] = d->qacc[k] - change[k];
    }
    f(p->m, twin, (part){.row = row, .contact = -1}, change,
      1 / (p->rows[new].row[row].velocity * (n > 1 ? 2 : 1)));
  }
  cri_pop(p->a, mark);
  return status;
}

// all rows that enter, or leave. beside: qacc before the first, or after the last
static cr_status jump_all(const passage* p, bool new, jump* f, cr_data* twin, cr_real* beside) {
  cr_data* d = new ? p->b : p->a;
  size_t mark = cri_mark(p->a);
  int* rows = (int*)(void*)cri_push(p->a, (size_t)p->rows[new].n);
  cr_real* D = cri_push(p->a, (size_t)d->nefc);
  cr_status status = CR_OK;
  int n = gather(p, new, rows);
  cr_copy(D, d->efc_D, d->nefc);
  for (int i = 0; i < n; i++) {
    set_mass(d, D, rows[i], 0);
  }
  if (n > 0) {
    status = failed(p, d, cr_acceleration(cri_model_at(p->m, d), d));
  }
  cr_copy(beside, d->qacc, p->m->nv);
  for (int back = 0; back < (n > 1 ? 2 : n) && status == CR_OK; back++) {
    status = jump_in_order(p, new, rows, n, back == 1, D, f, twin);
  }
  cr_copy(d->efc_D, D, d->nefc);
  cri_pop(p->a, mark);
  return status;
}

// ---- swaps

// the n-th swap of a pair of geoms with rows that identify it; false if there is none
static bool find_swap(const passage* p, int n, cri_event_sign* sign) {
  for (int k = 0; k < p->rows[0].n + p->rows[1].n; k++) {
    bool new = k >= p->rows[0].n;
    int row = new ? k - p->rows[0].n : k;
    cr_real pair = p->rows[new].row[row].pair;
    bool seen = false;
    if (fate_of(p, new, row) != CRI_SWAPS) {
      continue;
    }
    for (int i = 0; i < k && !seen; i++) {
      bool early = i >= p->rows[0].n;
      int before = early ? i - p->rows[0].n : i;
      seen = p->rows[early].row[before].pair == pair && fate_of(p, early, before) == CRI_SWAPS;
    }
    if (!seen &&
        cri_event_sign_of(p->m, p->b, &p->rows[0], &p->rows[1], pair, p->h, p->near, sign) &&
        n-- == 0) {
      return true;
    }
  }
  return false;
}

// [event.e4], [event.e5], [event.e6] the parts of swaps at a, or at b
static void jump_swaps(const passage* p, bool new, const cr_real* change, jump* f, cr_data* twin) {
  cri_event_sign x;
  int n = 0;
  while (find_swap(p, n, &x)) {
    n++;
  }
  for (int i = 0; i < n && find_swap(p, i, &x); i++) {
    if (x.probed) {
      if (new) {
        f(p->m, twin, (part){.row = -1, .contact = -1, .probed = &x, .d = p->b}, change,
          -1 / (cr_real)n);
      }
      continue;
    }
    cr_real by = 1 / (x.rate * (cr_real)n);
    if (!x.leans && (new ? x.now : x.was) >= 0) {
      f(p->m, twin, (part){.row = new ? x.now : x.was, .contact = -1}, change, new ? by : -by);
    } else if (x.leans && new) {
      f(p->m, twin, (part){.row = x.now, .contact = p->b->efc_id[x.now]}, change, by);
    }
  }
}

// ---- both derivatives

typedef cr_status derivative(const cr_model* m, const cr_data* d, cr_data* twin);

typedef struct {
  derivative* through;
  jump* f;
  cr_data* twin;
  bool before;  // with the dynamics before the jump, or after it
} kind;

static cr_status through(const passage* p, const kind* x, bool new) {
  return failed(p, x->twin, x->through(p->m, new ? p->b : p->a, x->twin));
}

// the events at one end
static cr_status pass_end(const passage* p, const kind* x, bool new, cr_real* beside,
                          const cr_real* change) {
  cr_data* d = new ? p->b : p->a;
  if (x->before) {
    CR_TRY(through(p, x, new));
  }
  CR_TRY(jump_all(p, new, x->f, x->twin, beside));
  if (change != NULL) {
    jump_swaps(p, new, change, x->f, x->twin);
  }
  CR_TRY(failed(p, d, cri_dynamics(p->m, d)));
  return x->before ? CR_OK : through(p, x, new);
}

// qacc without the rows that enter, or leave
static void ignore(const cr_model* m, cr_data* twin, part s, const cr_real* change, cr_real by) {
  (void)m, (void)twin, (void)s, (void)change, (void)by;
}

static cr_status find_change(const passage* p, cr_real* change, cr_real* beside) {
  CR_TRY(jump_all(p, true, ignore, NULL, change));
  CR_TRY(jump_all(p, false, ignore, NULL, beside));
  for (int i = 0; i < p->m->nv; i++) {
    change[i] -= beside[i];
  }
  CR_TRY(failed(p, p->b, cri_dynamics(p->m, p->b)));
  return cri_dynamics(p->m, p->a);
}

static cr_status pass(const passage* p, const kind* x) {
  cri_event_count n = cri_event_counts(p->m, p->b, &p->rows[0], &p->rows[1], p->h, p->near);
  size_t mark = cri_mark(p->a);
  cr_real *beside = cri_push(p->a, (size_t)p->m->nv), *change = NULL;
  cr_status status = CR_OK;
  if (n.swapped > 0) {
    change = cri_push(p->a, (size_t)p->m->nv);
    status = find_change(p, change, beside);
  }
  if (status == CR_OK && n.entered + n.swapped > 0) {
    status = pass_end(p, x, true, beside, change);
  }
  if (status == CR_OK && n.left + n.swapped > 0) {
    status = pass_end(p, x, false, beside, change);
  }
  cri_pop(p->a, mark);
  return status;
}

static cr_status evaluate_and_pass(const cr_model* m, cr_data* a, cr_data* b, cr_real h,
                                   const kind* x) {
  CR_TRY(cri_dynamics(m, a));
  cr_status status = cri_dynamics(m, b);
  if (status != CR_OK) {
    a->error = b->error;
    return status;
  }
  size_t mark = cri_mark(a);
  passage p = passage_of(m, a, b, h);
  status = pass(&p, x);
  cri_pop(a, mark);
  return status;
}

cr_status cri_jump_jvp(const cr_model* m, cr_data* a, cr_data* b, cr_real h, cr_data* tan) {
  const kind x = {cr_forward_jvp, jump_tan, tan, true};
  return evaluate_and_pass(m, a, b, h, &x);
}

cr_status cri_jump_vjp(const cr_model* m, cr_data* a, cr_data* b, cr_real h, cr_data* bar) {
  const kind x = {cr_forward_vjp, jump_bar, bar, false};
  return evaluate_and_pass(m, a, b, h, &x);
}

// ---- the state before

// true if b, whose rows are evaluated again, has one of the rows that entered; numbers are their features
static bool is_one_there(const passage* p, const cr_real* features, int n) {
  size_t mark = cri_mark(p->a);
  cri_event_list now = list_rows(p->m, p->b, p->a);
  bool there = false;
  for (int k = 0; k < now.n * n; k++) {
    there = there || now.row[k / n].feature == features[k % n];
  }
  cri_pop(p->a, mark);
  return there;
}

static cr_status move_back(const passage* p, const cr_real* features, int n, cr_real back) {
  cr_real* qpos = cri_push(p->a, (size_t)p->m->nq);
  cr_copy(qpos, p->b->qpos, p->m->nq);
  for (int i = 0; i < 24; i++, back *= 4) {
    cri_configuration_move(p->m, qpos, p->b->qvel, -back, p->b->qpos);
    CR_TRY(cri_dynamics(p->m, p->b));
    if (!is_one_there(p, features, n)) {
      return CR_OK;
    }
  }
  cr_copy(p->b->qpos, qpos, p->m->nq);
  return cri_dynamics(p->m, p->b);
}

cr_status cri_jump_before(const cr_model* m, cr_data* a, cr_data* b, cr_real h) {
  size_t mark = cri_mark(a);
  passage p = passage_of(m, a, b, h);
  cr_real *features = cri_push(a, (size_t)p.rows[1].n), back = 16 * CR_EPS;
  cr_status status = CR_OK;
  int n = 0;
  for (int row = 0; row < p.rows[1].n; row++) {
    const cri_event_row* r = &p.rows[1].row[row];
    if (fate_of(&p, true, row) == CRI_ENTERS) {
      features[n++] = r->feature;
      back = cr_max(back, r->gap / r->velocity);
    }
  }
  if (n > 0) {
    status = move_back(&p, features, n, 2 * back);
  }
  cri_pop(a, mark);
  return status;
}
