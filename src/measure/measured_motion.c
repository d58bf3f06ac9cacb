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
    {-1, true, true, "is one of them reversed?"},
};

static bool within(cr_real x, cr_real value, cr_real share) {
  return cr_abs(x / value - 1) <= share;
}

static void judge(cri_doubts* list, const cri_measured_run* run, const evidence* e, bool angle,
                  bool either, const char* position, const char* velocity) {
  cr_real factor = factor_of(e), correlation = correlation_of(e);
  char about[220], numbers[80];
  if (e->n < LEAST) {
    return;
  }
  (void)snprintf(about, sizeof about, "%.100s against %.100s:", position, velocity);
  bool moves = e->aa * (cr_real)e->rows > 100 * e->noise * (cr_real)e->n;
  if (cr_abs(correlation) < CR_R(0.5) && moves && e->bb > 0) {
    (void)cri_print(numbers, sizeof numbers, "correlation %.2f, ", (double)correlation);
    cri_doubts_add(list, run, false, about, numbers,
                   "they are not of one motion; columns mixed up?");
  }
  if (cr_abs(correlation) <= good || (factor > CR_R(0.6) && factor < CR_R(1.6))) {
    return;
  }
  (void)cri_print(numbers, sizeof numbers,
                  "positions change %.4g times as fast as velocities say: ", (double)factor);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    const unit_case* u = &units[i];
    if ((angle ? u->angle : u->length) || either) {
      if (within(factor, u->factor, CR_R(0.2))) {
        cri_doubts_add(list, run, within(factor, u->factor, CR_R(0.02)), about, numbers, u->cause);
        return;
      }
    }
  }
  cri_doubts_add(list, run, false, about, numbers, "other units, a gear, or not the same joint?");
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

// adds the axes of one thing, at the span of rows that shows most
static void compare(cri_doubts* list, const cr_model* m, const cri_measured_run* run,
                    const signal* all, int n, int position, int velocity) {
  static const int spans[] = {8, 32, 128, 1};
  evidence best = {.n = 0};
  const signal *x = &all[position], *v = &all[velocity];
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
    evidence e = {.n = 0};
    if (i > 0 && (spans[i] > 1 ? x->series.n < LEAST * spans[i] : best.n >= LEAST)) {
      continue;
    }
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        bool pair = all[a].channel == x->channel && all[b].channel == v->channel &&
                    same_thing(&all[a].what, &x->what) && same_thing(&all[b].what, &v->what) &&
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
  char first[128], second[128];
  bool either = x->what.kind == CRI_OBJECT_tendon || x->what.kind == CRI_OBJECT_actuator;
  name_of(m, x, first, sizeof first);
  name_of(m, v, second, sizeof second);
  judge(list, run, &best, x->what.turns, either, first, second);
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

void cri_doubt_motion(cri_doubts* list, const cr_model* m, const cri_measured_run* run) {
  int n;
  signal* all = signals_of(list, m, run, &n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      if (all[i].what.order == 0 && all[k].what.order == 1 &&
          same_thing(&all[i].what, &all[k].what) && leads(all, i) && leads(all, k)) {
        compare(list, m, run, all, n, i, k);
      }
    }
  }
  for (int i = 0; i < n; i++) {
    cri_series_free(&all[i].series);
  }
  free(all);
}
