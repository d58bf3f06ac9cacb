// SPDX-License-Identifier: Apache-2.0
// Quaternions against angular velocities of the same body. Each usual mistake is a hypothesis; the data as they are
// are right unless one of them fits and they do not.
// Equation a = log(conj(q1) q2), b = integral of the angular velocity in the body's frame from t1 to t2;
//          factor and correlation as in measured_motion.c
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "measure/measurement_doubt.h"
#include "model/sensors.h"

enum { LEAST = 12 };

static const cr_real good = CR_R(0.9);

// an orientation or an angular velocity among the numbers of a channel
typedef struct {
  const cri_channel* channel;
  int k;             // its first number
  bool ball;         // of a ball joint, else of a body
  int id;            // joint or body
  cr_real local[4];  // its frame in that of the body
  bool in_world;     // the angular velocity
} turn;

typedef struct {
  turn *q, *w;
  int nq, nw;
} turns;

// ---- finding them

static turn of_body(int body, const cr_real local[4]) {
  turn t = {.id = body, .local = {1, 0, 0, 0}};
  if (local != NULL) {
    cr_copy(t.local, local, 4);
  }
  return t;
}

static turn of_object(const cr_model* m, int objtype, int id) {
  switch (objtype) {
    case CR_OBJ_SITE:
      return of_body(m->site_bodyid[id], m->site_quat + (ptrdiff_t)4 * id);
    case CR_OBJ_GEOM:
      return of_body(m->geom_bodyid[id], m->geom_quat + (ptrdiff_t)4 * id);
    case CR_OBJ_BODY:
      return of_body(id, m->body_iquat + (ptrdiff_t)4 * id);
    default:
      return of_body(id, NULL);
  }
}

static turn of_joint(const cr_model* m, int j) {
  turn t = of_body(m->jnt_bodyid[j], NULL);
  t.ball = m->jnt_type[j] == CR_JNT_BALL;
  t.id = t.ball ? j : t.id;
  return t;
}

static bool rotates(const cr_model* m, int j) {
  return j >= 0 && (m->jnt_type[j] == CR_JNT_BALL || m->jnt_type[j] == CR_JNT_FREE);
}

// an orientation whose first number is number i of a field
static bool orientation_at(const cr_model* m, cr_field_id field, int i, turn* t) {
  if (field == CR_FIELD_qpos) {
    int j = cri_joint_of_coordinate(m, i);
    *t = of_joint(m, j);
    return rotates(m, j);
  }
  if (field == CR_FIELD_xquat || field == CR_FIELD_site_xquat) {
    *t = of_object(m, field == CR_FIELD_xquat ? CR_OBJ_XBODY : CR_OBJ_SITE, i / 4);
    return true;
  }
  int s = field == CR_FIELD_sensordata ? cri_sensor_of_number(m, i) : -1;
  if (s >= 0 && m->sensor_type[s] == CR_SENS_BALLQUAT) {
    *t = of_joint(m, m->sensor_objid[s]);
    return true;
  }
  bool frame = s >= 0 && m->sensor_type[s] == CR_SENS_FRAMEQUAT && m->sensor_refid[s] < 0;
  if (frame) {
    *t = of_object(m, m->sensor_objtype[s], m->sensor_objid[s]);
  }
  return frame;
}

// an angular velocity whose first number is number i of a field
static bool velocity_at(const cr_model* m, cr_field_id field, int i, turn* t) {
  if (field == CR_FIELD_qvel) {
    int j = cri_joint_of_dof(m, i);
    bool first = rotates(m, j) && i == m->jnt_dofadr[j] + (m->jnt_type[j] == CR_JNT_FREE ? 3 : 0);
    if (first) {
      *t = of_joint(m, j);
    }
    return first;
  }
  int s = field == CR_FIELD_sensordata ? cri_sensor_of_number(m, i) : -1;
  if (s < 0 || i != m->sensor_adr[s]) {
    return false;
  }
  switch (m->sensor_type[s]) {
    case CR_SENS_GYRO:
      *t = of_object(m, CR_OBJ_SITE, m->sensor_objid[s]);
      return true;
    case CR_SENS_BALLANGVEL:
      *t = of_joint(m, m->sensor_objid[s]);
      return true;
    case CR_SENS_FRAMEANGVEL:
      *t = of_object(m, m->sensor_objtype[s], m->sensor_objid[s]);
      t->in_world = true;
      return m->sensor_refid[s] < 0;
    default:
      return false;
  }
}

static bool find_turns(turns* all, const cr_model* m, const cri_measured_run* run) {
  int most = 0;
  for (int i = 0; i < run->n; i++) {
    most += run->channel[i].width;
  }
  *all = (turns){.q = calloc((size_t)most + 1, sizeof *all->q),
                 .w = calloc((size_t)most + 1, sizeof *all->w)};
  for (int i = 0; i < run->n && all->q != NULL && all->w != NULL; i++) {
    const cri_channel* c = &run->channel[i];
    turn t;
    for (int k = 0; k < c->nquat; k++) {
      if (orientation_at(m, c->at.field, c->at.first + c->quat[k], &t)) {
        t.channel = c;
        t.k = c->quat[k];
        all->q[all->nq++] = t;
      }
    }
    for (int k = 0; k + 2 < c->width; k++) {
      if (velocity_at(m, c->at.field, c->at.first + k, &t)) {
        t.channel = c;
        t.k = k;
        all->w[all->nw++] = t;
      }
    }
  }
  return all->q != NULL && all->w != NULL;
}

// ---- hypotheses

typedef enum { OWN, OTHER_FRAME, XYZW, WORLD_TO_BODY, N_HOW } how;

typedef struct {
  cr_real aa, ab, bb;
  int n;
} sums;

static cr_real factor_of(const sums* s) { return s->bb > 0 ? s->ab / s->bb : 1; }

static cr_real correlation_of(const sums* s) {
  return s->aa > 0 && s->bb > 0 ? s->ab / (cr_sqrt(s->aa) * cr_sqrt(s->bb)) : 0;
}

static const cr_real* numbers(const turn* t, int row) {
  return t->channel->values + (size_t)row * (size_t)t->channel->width + (size_t)t->k;
}

// the orientation of the body, from a quaternion that was recorded under a hypothesis
static void body_orientation(cr_real q[4], const turn* t, int row, how h) {
  const cr_real* r = numbers(t, row);
  cr_real back[4] = {t->local[0], -t->local[1], -t->local[2], -t->local[3]};
  for (int i = 0; i < 4; i++) {
    q[i] = h == XYZW ? r[(i + 3) % 4] : (h == WORLD_TO_BODY && i > 0 ? -r[i] : r[i]);
  }
  cr_quat_mul(q, q, back);
}

// the angular velocity in the frame of the body
static void body_velocity(cr_real w[3], const turn* t, int row, const cr_real q[4], how h) {
  cr_real R[9];
  bool in_world = t->in_world != (h == OTHER_FRAME);
  if (in_world) {
    cr_quat_to_mat(R, q);
    cr_multmat3(w, R, numbers(t, row));
  } else {
    cr_quat_to_mat(R, t->local);
    cr_mulmat3(w, R, numbers(t, row));
  }
}

// mean angular velocity between two times; *at is a row of w before them. False where w has no numbers
static bool mean_velocity(cr_real b[3], const turn* w, int* at, cr_real from, cr_real to,
                          const cr_real q[4], how h) {
  const cri_channel* c = w->channel;
  int n = 0;
  cr_zero3(b);
  while (*at + 1 < c->rows && c->time[*at + 1] <= from) {
    ++*at;
  }
  for (int i = *at; i < c->rows; i++) {
    cr_real v[3];
    body_velocity(v, w, i, q, h);
    if (isnan(v[0] + v[1] + v[2])) {
      return false;
    }
    cr_real share = i > *at && c->time[i] < to ? 1 : CR_R(0.5);
    cr_accscl3(b, v, share);
    n++;
    if (c->time[i] >= to) {
      break;
    }
  }
  if (n < 2 || c->time[*at] > from || c->time[*at + n - 1] < to) {
    return false;
  }
  cr_scl3(b, b, 1 / (cr_real)(n - 1));
  return true;
}

static void add_turns(sums* s, const turn* q, const turn* w, int span, how h) {
  const cri_channel* c = q->channel;
  int at = 0;
  for (int k = 0; k + span < c->rows; k += span) {
    cr_real from[4], to[4], a[3], b[3];
    body_orientation(from, q, k, h);
    body_orientation(to, q, k + span, h);
    if (isnan(from[0] + to[0]) ||
        !mean_velocity(b, w, &at, c->time[k], c->time[k + span], from, h)) {
      continue;
    }
    cr_quat_sub(a, to, from);
    cr_scl3(b, b, c->time[k + span] - c->time[k]);
    if (cr_dot3(a, a) > 1) {  // too far for one direction of the axis
      continue;
    }
    s->aa += cr_dot3(a, a);
    s->ab += cr_dot3(a, b);
    s->bb += cr_dot3(b, b);
    s->n++;
  }
}

static sums best_of(const turn* q, const turn* w, how h) {
  static const int spans[] = {1, 4, 16};
  sums best = {.n = 0};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
    sums s = {.n = 0};
    add_turns(&s, q, w, spans[i], h);
    if (s.n >= LEAST && cr_abs(correlation_of(&s)) > cr_abs(correlation_of(&best))) {
      best = s;
    }
  }
  return best;
}

// ---- causes

static bool within(cr_real x, cr_real value, cr_real share) {
  return cr_abs(x / value - 1) <= share;
}

static const struct {
  cr_real factor;
  const char* cause;
} units[] = {{CR_R(0.017453292519943295), "angular velocities in deg/s?"},
             {CR_R(0.001), "time in ms?"},
             {CR_R(1.7453292519943295e-5), "angular velocities in deg/s and time in ms?"},
             {CR_R(0.10471975511965977), "angular velocities in rpm?"},
             {CR_R(1e-6), "time in us?"}};

static bool complain_of_units(cri_doubts* list, const cri_measured_run* run, const char* about,
                              const sums* own) {
  char text[80];
  cr_real factor = factor_of(own);
  if (correlation_of(own) <= good) {
    return false;
  }
  if (factor > CR_R(0.6) && factor < CR_R(1.6)) {
    return true;
  }
  (void)cri_print(text, sizeof text,
                  "it turns %.4g times as fast as angular velocities say: ", (double)factor);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (within(factor, units[i].factor, CR_R(0.2))) {
      cri_doubts_add(list, run, within(factor, units[i].factor, CR_R(0.02)), about, text,
                     units[i].cause);
      return true;
    }
  }
  cri_doubts_add(list, run, false, about, text, "other units, another rate, or not the same body?");
  return true;
}

static void judge(cri_doubts* list, const cri_measured_run* run, const turn* q, const turn* w) {
  static const char* const causes[N_HOW] = {
      [XYZW] = "the quaternions look like x, y, z, w; w, x, y, z is expected",
      [WORLD_TO_BODY] = "the quaternions look like world to body; body to world is expected"};
  char about[220], cause[112];
  sums own = best_of(q, w, OWN);
  (void)snprintf(about, sizeof about, "%.100s against %.100s:", q->channel->place,
                 w->channel->place);
  if (complain_of_units(list, run, about, &own)) {
    return;
  }
  int which = OWN;
  sums best = own;
  for (int h = 1; h < N_HOW; h++) {
    sums s = best_of(q, w, (how)h);
    if (correlation_of(&s) > cr_max(correlation_of(&best), good)) {
      best = s;
      which = h;
    }
  }
  // about one axis alone, reversed and world to body are the same
  bool reversed = correlation_of(&own) < -good && (which == OWN || which == WORLD_TO_BODY);
  if (reversed) {
    cri_doubts_add(list, run, within(factor_of(&own), -1, CR_R(0.02)), about, "",
                   "is one of them reversed, or are the quaternions world to body?");
  } else if (which != OWN && correlation_of(&own) < correlation_of(&best) - CR_R(0.2)) {
    bool degrees = within(factor_of(&best), units[0].factor, CR_R(0.02));
    bool sure = (within(factor_of(&best), 1, CR_R(0.02)) || degrees) &&
                correlation_of(&best) > CR_R(0.98) && correlation_of(&own) < CR_R(0.5);
    if (which == OTHER_FRAME) {
      (void)snprintf(
          cause, sizeof cause, "angular velocities look like those in %s; those in %s are expected",
          w->in_world ? "the body" : "the world", w->in_world ? "the world" : "the body");
    } else {
      (void)snprintf(cause, sizeof cause, "%s%s", causes[which], degrees ? ", and deg/s" : "");
    }
    cri_doubts_add(list, run, sure, about, "", cause);
  }
}

void cri_doubt_turns(cri_doubts* list, const cr_model* m, const cri_measured_run* run) {
  turns all;
  list->full = !find_turns(&all, m, run) || list->full;
  for (int i = 0; i < all.nq; i++) {
    for (int k = 0; k < all.nw; k++) {
      if (all.q[i].ball == all.w[k].ball && all.q[i].id == all.w[k].id) {
        judge(list, run, &all.q[i], &all.w[k]);
      }
    }
  }
  free(all.q);
  free(all.w);
}
