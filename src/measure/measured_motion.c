// SPDX-License-Identifier: Apache-2.0
// Positions against velocities of the same thing. A difference of positions is compared with the integral of the
// velocity over the same time; the factor between them is 1, or tells the unit that was meant.
// Equation a = x(t2) - x(t1), b = integral of v from t1 to t2; factor = sum a b / sum b b,
//          correlation = sum a b / sqrt(sum a a sum b b)
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "measure/measurement_doubt.h"
#include "model/sensors.h"

enum { LEAST = 12 };  // pairs of times: fewer correlate by chance

static const cr_real good = CR_R(0.9);  // correlation of related signals

// ---- what a number is the position or the velocity of

typedef struct {
  cri_object_kind kind;  // CRI_N_OBJECT: neither
  int of, id;            // which point of it; the object
  int axis, reftype, refid;
  int order;   // 0 position, 1 velocity
  bool turns;  // an angle
} motion;

// which point of an object
enum { WHOLE, FRAME, INERTIAL, SUBTREE };

static motion of_frame(int objtype, int id, int axis, int order) {
  cri_object_kind kind = objtype == CR_OBJ_GEOM   ? CRI_OBJECT_geom
                         : objtype == CR_OBJ_SITE ? CRI_OBJECT_site
                                                  : CRI_OBJECT_body;
  return (motion){.kind = kind,
                  .of = objtype == CR_OBJ_BODY ? INERTIAL : FRAME,
                  .id = id,
                  .axis = axis,
                  .refid = -1,
                  .order = order};
}

static motion of_joint(const cr_model* m, int j, int k, int order) {
  int type = m->jnt_type[j];
  if (type == CR_JNT_FREE && k < 3) {
    return of_frame(CR_OBJ_XBODY, m->jnt_bodyid[j], k, order);
  }
  bool scalar = type == CR_JNT_SLIDE || type == CR_JNT_HINGE;
  return (motion){.kind = scalar ? CRI_OBJECT_joint : CRI_N_OBJECT,
                  .id = j,
                  .refid = -1,
                  .order = order,
                  .turns = type == CR_JNT_HINGE};
}

static motion of_whole(cri_object_kind kind, int of, int id, int axis, int order) {
  return (motion){.kind = kind, .of = of, .id = id, .axis = axis, .refid = -1, .order = order};
}

static motion of_sensor(const cr_model* m, int s, int k) {
  int id = m->sensor_objid[s], type = m->sensor_type[s];
  motion none = {.kind = CRI_N_OBJECT}, x;
  switch (type) {
    case CR_SENS_JOINTPOS:
    case CR_SENS_JOINTVEL:
      return of_joint(m, id, 0, type == CR_SENS_JOINTVEL);
    case CR_SENS_TENDONPOS:
    case CR_SENS_TENDONVEL:
      return of_whole(CRI_OBJECT_tendon, WHOLE, id, k, type == CR_SENS_TENDONVEL);
    case CR_SENS_ACTUATORPOS:
    case CR_SENS_ACTUATORVEL:
      return of_whole(CRI_OBJECT_actuator, WHOLE, id, k, type == CR_SENS_ACTUATORVEL);
    case CR_SENS_SUBTREECOM:
    case CR_SENS_SUBTREELINVEL:
      return of_whole(CRI_OBJECT_body, SUBTREE, id, k, type == CR_SENS_SUBTREELINVEL);
    case CR_SENS_FRAMEPOS:
    case CR_SENS_FRAMELINVEL:
      x = of_frame(m->sensor_objtype[s], id, k, type == CR_SENS_FRAMELINVEL);
      x.refid = m->sensor_refid[s];
      x.reftype = x.refid >= 0 ? m->sensor_reftype[s] : 0;
      return x;
    default:
      return none;
  }
}

static motion motion_of(const cr_model* m, cr_field_id field, int i) {
  motion none = {.kind = CRI_N_OBJECT};
  int j = -1;
  switch ((int)field) {
    case CR_FIELD_qpos:
      j = cri_joint_of_coordinate(m, i);
      return j >= 0 ? of_joint(m, j, i - m->jnt_qposadr[j], 0) : none;
    case CR_FIELD_qvel:
      j = cri_joint_of_dof(m, i);
      return j >= 0 ? of_joint(m, j, i - m->jnt_dofadr[j], 1) : none;
    case CR_FIELD_sensordata:
      j = cri_sensor_of_number(m, i);
      return j >= 0 ? of_sensor(m, j, i - m->sensor_adr[j]) : none;
    case CR_FIELD_xpos:
      return of_frame(CR_OBJ_XBODY, i / 3, i % 3, 0);
    case CR_FIELD_xipos:
      return of_frame(CR_OBJ_BODY, i / 3, i % 3, 0);
    case CR_FIELD_geom_xpos:
      return of_frame(CR_OBJ_GEOM, i / 3, i % 3, 0);
    case CR_FIELD_site_xpos:
      return of_frame(CR_OBJ_SITE, i / 3, i % 3, 0);
    case CR_FIELD_subtree_com:
      return of_whole(CRI_OBJECT_body, SUBTREE, i / 3, i % 3, 0);
    case CR_FIELD_ten_length:
    case CR_FIELD_ten_velocity:
      return of_whole(CRI_OBJECT_tendon, WHOLE, i, 0, field == CR_FIELD_ten_velocity);
    default:
      return none;
  }
}

static bool same_thing(const motion* a, const motion* b) {
  return a->kind == b->kind && a->of == b->of && a->id == b->id && a->reftype == b->reftype &&
         a->refid == b->refid;
}

// ---- evidence

typedef struct {
  cr_real aa, ab, bb;
  cr_real noise;  // sum of squares of second differences
  int n, rows;    // terms of the sums, and of this one
} evidence;

static cr_real factor_of(const evidence* e) { return e->bb > 0 ? e->ab / e->bb : 1; }

static cr_real correlation_of(const evidence* e) {
  return e->aa > 0 && e->bb > 0 ? e->ab / (cr_sqrt(e->aa) * cr_sqrt(e->bb)) : 0;
}

// the integral of a series up to time t, in order of t: *at is the row before t, `sum` the integral up to there
typedef struct {
  const cri_series* v;
  int at;
  cr_real sum;
} integral;

// false outside of the series, or in a gap
static bool integrate_to(integral* g, cr_real t, cr_real* value) {
  const cri_series* v = g->v;
  if (t < v->time[0] || t > v->time[v->n - 1]) {
    return false;
  }
  while (g->at + 1 < v->n && v->time[g->at + 1] <= t) {
    cr_real h = v->time[g->at + 1] - v->time[g->at];
    g->sum += CR_R(0.5) * h * (v->value[g->at] + v->value[g->at + 1]);
    g->at++;
  }
  *value = g->sum;
  if (g->at + 1 < v->n) {
    cr_real h = v->time[g->at + 1] - v->time[g->at], s = t - v->time[g->at];
    cr_real x = v->value[g->at] + (v->value[g->at + 1] - v->value[g->at]) * s / h;
    *value += CR_R(0.5) * s * (v->value[g->at] + x);
  }
  return true;
}

// true if two rows of positions lie in a piece without a gap of the velocities
static bool in_one_piece(const cri_series* v, int from, int to) {
  for (int i = from; i < to && i + 1 < v->n; i++) {
    if (v->time[i + 1] - v->time[i] > 5 * v->spacing) {
      return false;
    }
  }
  return true;
}

static void add_evidence(evidence* e, const cri_series* x, const cri_series* v, int span) {
  integral g = {.v = v};
  bool before = false;
  cr_real last = 0;
  int row = 0;
  for (int k = 0; k < x->n && v->n > 1; k += span) {
    cr_real now = 0;
    bool there = integrate_to(&g, x->time[k], &now);
    if (before && there && in_one_piece(v, row, g.at)) {
      cr_real a = x->value[k] - x->value[k - span], b = now - last;
      e->aa += a * a;
      e->ab += a * b;
      e->bb += b * b;
      e->n++;
    }
    before = there;
    last = now;
    row = g.at;
  }
  for (int k = 1; k + 1 < x->n; k++) {
    cr_real d = x->value[k + 1] - 2 * x->value[k] + x->value[k - 1];
    e->noise += d * d;
    e->rows++;
  }
}

// ---- causes

typedef struct {
  cr_real factor;
  bool angle, length;
  const char* cause;
} unit_case;

static const unit_case units[] = {
    {1000, false, true, "positions in mm?"},
    {100, false, true, "positions in cm?"},
    {CR_R(0.001), false, true, "velocities in mm/s, or time in ms?"},
    {CR_R(0.01), false, true, "velocities in cm/s?"},
    {CR_R(57.29577951308232), true, false, "positions in degrees?"},
    {CR_R(0.017453292519943295), true, false, "velocities in deg/s?"},
    {CR_R(0.05729577951308232), true, false, "positions in degrees and time in ms?"},
    {CR_R(0.001), true, false, "time in ms?"},
    {CR_R(1.7453292519943295e-5), true, false, "velocities in deg/s and time in ms?"},
    {CR_R(0.10471975511965977), true, false, "velocities in rpm?"},
    {CR_R(0.15915494309189535), true, false, "positions in turns?"},
    {CR_R(1e-6), true, true, "time in us?"},
    {60, true, true, "time in minutes?"},
    {3600, true, true, "time in hours?"},
    {-1, true, true, "is one of them reversed?"},
};

static bool within(cr_real x, cr_real value, cr_real share) {
  return cr_abs(x / value - 1) <= share;
}

static cr_real off_by(cr_real factor, const unit_case* u) { return cr_abs(factor / u->factor - 1); }

// the unit that a factor is nearest to, within 20 %; NULL: none
static const unit_case* unit_of(cr_real factor, bool angle, bool either) {
  const unit_case* best = NULL;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    const unit_case* u = &units[i];
    bool applies = (angle ? u->angle : u->length) || either;
    if (applies && off_by(factor, u) <= CR_R(0.2) &&
        (best == NULL || off_by(factor, u) < off_by(factor, best))) {
      best = u;
    }
  }
  return best;
}

static void judge(cri_doubts* list, const cri_measured_run* run, const evidence* e, bool angle,
                  bool either, const char* about) {
  cr_real factor = factor_of(e), correlation = correlation_of(e);
  char numbers[80];
  bool moves = e->aa * (cr_real)e->rows > 100 * e->noise * (cr_real)e->n;
  if (cr_abs(correlation) < CR_R(0.5) && moves && e->bb > 0) {
    (void)cri_print(numbers, sizeof numbers, "correlation %.2f, ", (double)correlation);
    cri_doubts_add(list, run, false, about, numbers,
                   "they are not of one motion; columns mixed up?");
  }
  bool clear = correlation > CR_R(0.99) && cr_abs(factor - 1) > CR_R(0.15);
  if (cr_abs(correlation) <= good || (!clear && factor > CR_R(0.6) && factor < CR_R(1.6))) {
    return;
  }
  (void)cri_print(numbers, sizeof numbers,
                  "positions change %.4g times as fast as velocities say: ", (double)factor);
  const unit_case* u = unit_of(factor, angle, either);
  cri_doubts_add(
      list, run, u != NULL && within(factor, u->factor, CR_R(0.02)), about, numbers,
      u != NULL ? u->cause : "other units, another rate, a gear, or not the same joint?");
}

// ---- all pairs of a run

typedef struct {
  const cri_channel* channel;
  int k;
  motion what;
  cri_series series;
} signal;

static signal* signals_of(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          int* count) {
  int all = 0;
  for (int i = 0; i < run->n; i++) {
    all += run->channel[i].width;
  }
  signal* s = calloc((size_t)all + 1, sizeof *s);
  list->full = list->full || s == NULL;
  *count = 0;
  for (int i = 0; i < run->n && s != NULL; i++) {
    const cri_channel* c = &run->channel[i];
    for (int k = 0; k < c->width; k++) {
      motion what = motion_of(m, c->at.field, c->at.first + k);
      if (what.kind == CRI_N_OBJECT) {
        continue;
      }
      s[*count] = (signal){.channel = c, .k = k, .what = what};
      if (!cri_series_of(&s[*count].series, c, k)) {
        list->full = true;
        return s;
      }
      ++*count;
    }
  }
  return s;
}

// "qpos[hinge]", or of a channel of several things "qpos[hinge] in qpos"
static void name_of(const cr_model* m, const signal* s, char* text, size_t size) {
  const char* object = cri_object_name(m, s->what.kind, s->what.id);
  bool several = strchr(s->channel->place, '[') == NULL &&
                 cri_field_find(s->channel->place) != CR_N_FIELD && object != NULL;
  (void)snprintf(text, size, "%.60s%s%.40s%s", s->channel->place, several ? "[" : "",
                 several ? object : "", several ? "]" : "");
}

// true for the first axis of a thing in its channel
static bool leads(const signal* all, int i) {
  for (int k = 0; k < i; k++) {
    if (all[k].channel == all[i].channel && all[k].what.order == all[i].what.order &&
        same_thing(&all[k].what, &all[i].what)) {
      return false;
    }
  }
  return true;
}

// the evidence of all axes of two things, at the span of rows that shows most
static evidence best_evidence(const signal* all, int n, const signal* x, const signal* v) {
  static const int spans[] = {8, 32, 128, 1};
  evidence best = {.n = 0};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
    evidence e = {.n = 0};
    if (i > 0 && (spans[i] > 1 ? x->series.n < LEAST * spans[i] : best.n >= LEAST)) {
      continue;
    }
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        bool pair = all[a].channel == x->channel && all[b].channel == v->channel &&
                    same_thing(&all[a].what, &x->what) && same_thing(&all[b].what, &v->what) &&
                    all[a].what.order == x->what.order && all[b].what.order == v->what.order &&
                    all[a].what.axis == all[b].what.axis;
        if (pair) {
          add_evidence(&e, &all[a].series, &all[b].series, spans[i]);
        }
      }
    }
    if (best.n < LEAST || cr_abs(correlation_of(&e)) > cr_abs(correlation_of(&best))) {
      best = e;
    }
  }
  return best;
}

static bool fits(const evidence* e) {
  return e->n >= LEAST && correlation_of(e) > CR_R(0.97) && within(factor_of(e), 1, CR_R(0.1));
}

// columns of two things, or of position and velocity, whose names are exchanged: what a position really follows
static bool is_exchanged(cri_doubts* list, const cri_measured_run* run, const cr_model* m,
                         const signal* all, int n, const signal* x, const signal* v,
                         const char* about) {
  char other[128], text[80] = "";
  evidence back = best_evidence(all, n, v, x);
  if (fits(&back)) {
    cri_doubts_add(list, run, true, about, text,
                   "the second is the first integrated; columns exchanged?");
    return true;
  }
  for (int k = 0; k < n; k++) {
    const signal* w = &all[k];
    if (w->what.order != 1 || !leads(all, k) || same_thing(&w->what, &x->what)) {
      continue;
    }
    evidence e = best_evidence(all, n, x, w);
    if (fits(&e)) {
      name_of(m, w, other, sizeof other);
      (void)snprintf(text, sizeof text, "the first moves as %.50s says; ", other);
      cri_doubts_add(list, run, true, about, text, "columns of two joints swapped?");
      return true;
    }
  }
  return false;
}

// two signals of one number that are not the same
static void compare_values(cri_doubts* list, const cri_measured_run* run, const signal* x,
                           const signal* y, const char* about) {
  const cri_series *a = &x->series, *b = &y->series;
  cr_real s = 0, t = 0, ss = 0, tt = 0, st = 0;
  int n = 0;
  for (int i = 0, k = 0; i < a->n && k < b->n;) {
    if (a->time[i] < b->time[k]) {
      i++;
    } else if (b->time[k] < a->time[i]) {
      k++;
    } else {
      cr_real u = a->value[i++], v = b->value[k++];
      s += u, t += v, ss += u * u, tt += v * v, st += u * v;
      n++;
    }
  }
  cr_real d = CR_R(1) / cr_max(1, (cr_real)n), aa = ss - s * s * d, bb = tt - t * t * d,
          ab = st - s * t * d;
  if (n >= LEAST && aa > 0 && bb > 0 && ab < CR_R(0.5) * cr_sqrt(aa) * cr_sqrt(bb)) {
    char text[80];
    (void)cri_print(text, sizeof text, "both measure one thing, their correlation is %.2f: ",
                    (double)(ab / (cr_sqrt(aa) * cr_sqrt(bb))));
    cri_doubts_add(list, run, false, about, text, "columns mixed up?");
  }
}

// a position and a velocity of one thing
typedef struct {
  int x, v;
  evidence e;
} pair;

static pair* pairs_of(cri_doubts* list, const signal* all, int n, int* count) {
  pair* p = calloc((size_t)n * (size_t)n + 1, sizeof *p);
  list->full = list->full || p == NULL;
  *count = 0;
  for (int i = 0; i < n && p != NULL; i++) {
    for (int k = 0; k < n; k++) {
      if (all[i].what.order == 0 && all[k].what.order == 1 &&
          same_thing(&all[i].what, &all[k].what) && leads(all, i) && leads(all, k)) {
        pair found = {i, k, best_evidence(all, n, &all[i], &all[k])};
        if (found.e.n >= LEAST) {
          p[(*count)++] = found;
        }
      }
    }
  }
  return p;
}

// all things, two or more, by one factor that is no unit: not the signals are wrong but the times
static bool complain_of_rate(cri_doubts* list, const cri_measured_run* run, const signal* all,
                             const pair* p, int n) {
  cr_real first = 0;
  bool things = false;
  for (int i = 0; i < n; i++) {
    cr_real factor = factor_of(&p[i].e);
    const unit_case* u = unit_of(factor, all[p[i].x].what.turns, false);
    first = i == 0 ? factor : first;
    things = things || !same_thing(&all[p[i].x].what, &all[p[0].x].what);
    if (correlation_of(&p[i].e) < CR_R(0.97) || cr_abs(factor - 1) < CR_R(0.1) ||
        !within(factor, first, CR_R(0.03)) ||
        (u != NULL && within(factor, u->factor, CR_R(0.02)))) {
      return false;
    }
  }
  if (things) {
    char text[80];
    (void)cri_print(text, sizeof text,
                    "all positions change %.4g times as fast as velocities say: ", (double)first);
    cri_doubts_add(list, run, first > CR_R(1.6) || first < CR_R(0.6), "times:", text,
                   "another rate of rows?");
  }
  return things;
}

static void judge_pair(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                       const signal* all, int n, const pair* p) {
  char first[128], second[128], about[220];
  const signal *x = &all[p->x], *v = &all[p->v];
  bool either = x->what.kind == CRI_OBJECT_tendon || x->what.kind == CRI_OBJECT_actuator;
  name_of(m, x, first, sizeof first);
  name_of(m, v, second, sizeof second);
  (void)snprintf(about, sizeof about, "%.100s against %.100s:", first, second);
  if (cr_abs(correlation_of(&p->e)) > good || !is_exchanged(list, run, m, all, n, x, v, about)) {
    judge(list, run, &p->e, x->what.turns, either, about);
  }
}

static void doubt_doubles(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                          const signal* all, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      const motion *a = &all[i].what, *b = &all[k].what;
      if (a->order == b->order && a->axis == b->axis && same_thing(a, b) &&
          all[i].channel != all[k].channel) {
        char first[128], second[128], about[220];
        name_of(m, &all[k], first, sizeof first);
        name_of(m, &all[i], second, sizeof second);
        (void)snprintf(about, sizeof about, "%.100s and %.100s:", first, second);
        compare_values(list, run, &all[k], &all[i], about);
      }
    }
  }
}

void cri_doubt_motion(cri_doubts* list, const cr_model* m, const cri_measured_run* run) {
  int n, count;
  signal* all = signals_of(list, m, run, &n);
  pair* p = pairs_of(list, all, n, &count);
  if (p != NULL && !complain_of_rate(list, run, all, p, count)) {
    for (int i = 0; i < count; i++) {
      judge_pair(list, m, run, all, n, &p[i]);
    }
  }
  doubt_doubles(list, m, run, all, n);
  free(p);
  for (int i = 0; i < n; i++) {
    cri_series_free(&all[i].series);
  }
  free(all);
}
