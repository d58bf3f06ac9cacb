// SPDX-License-Identifier: Apache-2.0
// Differences: D(h) = (y(+h) - y(-h)) / 2h at steps h_k = 4^-k / 16, extrapolated three times
// (Romberg), so that the error falls like h^8 until round-off. The best entry of the table counts,
// for all numbers of a field at once. Steps at which the discrete state differs from that of the base point
// are left out: a sample beside a switch is measured with smaller steps, or skipped.
// If forward itself is only good to a noise above round-off (a badly conditioned solve), no
// difference is better than noise / h. The noise is measured, and the bound follows it a little way.
#include "checks/stage_derivative.h"

#include <stdlib.h>

#include "math/quat.h"
#include "math/vec3.h"

enum { LEVELS = 10, FEWEST_LEVELS = 4, ORDERS = 4 };

// ---- outputs of a chain as one vector

typedef struct {
  int n;                      // numbers of all outputs
  int start[CR_N_FIELD + 1];  // of each output in the vector
  cr_real* y;                 // values, tangent, and the table of differences
  cr_real* y_tan;
  cr_real* scale;  // of the field that an entry belongs to
  cr_real* leaps;  // 1: the entry has no derivative here, 0 elsewhere
  cr_real *plus, *minus;
  cr_real* table[LEVELS];
} outputs;

static bool compared(const stage_bench* b, cr_field_id id) {
  return field_smooth(id) && field_present(b->d, id);
}

static bool outputs_open(outputs* o, const stage_bench* b, const stage_chain* c) {
  *o = (outputs){0};
  for (int k = 0; k < c->nwrite; k++) {
    o->start[k] = o->n;
    o->n += compared(b, c->writes[k]) ? field_tangent_size(b->m, b->d, c->writes[k]) : 0;
  }
  o->start[c->nwrite] = o->n;
  size_t n = (size_t)o->n + 1;
  o->y = calloc(n * (6 + LEVELS), sizeof(cr_real));
  if (o->y == NULL) {
    return false;
  }
  o->y_tan = o->y + n;
  o->scale = o->y + 2 * n;
  o->plus = o->y + 3 * n;
  o->minus = o->y + 4 * n;
  o->leaps = o->y + 5 * n;
  for (int k = 0; k < LEVELS; k++) {
    o->table[k] = o->y + (size_t)(6 + k) * n;
  }
  return true;
}

static void gather(const stage_bench* b, const stage_chain* c, const outputs* o, const cr_data* d,
                   cr_real* y) {
  for (int k = 0; k < c->nwrite; k++) {
    if (compared(b, c->writes[k])) {
      field_values(b->m, d, b->d, c->writes[k], y + o->start[k]);
    }
  }
}

static void gather_tangent(const stage_bench* b, const stage_chain* c, const outputs* o) {
  for (int k = 0; k < c->nwrite; k++) {
    cr_real* y_tan = o->y_tan + o->start[k];
    int n = o->start[k + 1] - o->start[k];
    if (n > 0) {
      cr_copy(y_tan, field_tangent(b->m, b->tan, c->writes[k]), n);
    }
  }
}

// the size of a field: the largest of its values and tangents
static void set_scales(const stage_chain* c, const outputs* o) {
  for (int k = 0; k < c->nwrite; k++) {
    cr_real scale = 0;
    for (int i = o->start[k]; i < o->start[k + 1]; i++) {
      scale = cr_max(scale, cr_max(cr_abs(o->y[i]), cr_abs(o->y_tan[i])));
    }
    for (int i = o->start[k]; i < o->start[k + 1]; i++) {
      o->scale[i] = scale;
    }
  }
}

// A gap of a geom to itself has a width, but no direction: round-off turns it.
static void mark_leaps(const stage_bench* b, const stage_chain* c, const outputs* o) {
  for (int k = 0; k < c->nwrite; k++) {
    for (int i = 0; c->writes[k] == CR_FIELD_sensordata && i < b->m->nsensor; i++) {
      for (int j = 0; j < b->m->sensor_dim[i]; j++) {
        o->leaps[o->start[k] + b->m->sensor_adr[i] + j] = stage_gap_turns(b->m, b->d, i);
      }
    }
  }
}

static int field_at(const stage_chain* c, const outputs* o, int entry) {
  int k = 0;
  while (k + 1 < c->nwrite && entry >= o->start[k + 1]) {
    k++;
  }
  return k;
}

// ---- evaluations beside the base point

// sensors of gaps have discrete choices of their own, which no field holds
static bool same_gaps(const stage_bench* b, const stage_chain* c) {
  for (int k = 0; k < c->nwrite; k++) {
    if (c->writes[k] == CR_FIELD_sensordata) {
      return stage_gap_choices(&b->other, b->work) == stage_gap_choices(b->m, b->d);
    }
  }
  return true;
}

// (b->other, b->work) = what follows from inputs a step h along b->tan away; false if a choice is another there
static bool move_inputs(stage_bench* b, const stage_chain* c, cr_real h) {
  cri_data_copy(b->m, b->work, b->d);
  for (int k = 0; k < c->nread; k++) {
    if (field_smooth(c->reads[k]) && cri_field(c->reads[k])->kind != CR_KIND_OP) {
      field_move(b->m, b->d, b->tan, c->reads[k], h, &b->other, b->work);
    }
  }
  return chain_forward(c, &b->other, b->work) == CR_OK &&
         b->discrete(&b->other, b->work) == b->discrete(b->m, b->d) && same_gaps(b, c);
}

static bool evaluate(stage_bench* b, const stage_chain* c, const outputs* o, cr_real h,
                     cr_real* y) {
  if (!move_inputs(b, c, h)) {
    return false;
  }
  gather(b, c, o, b->work, y);
  return all_finite(y, o->n);
}

static cr_real step_of(int level) { return cr_pow(CR_R(0.25), (cr_real)level) / 16; }

// fills the table from the smallest step up; returns the first level that is usable
static int differences(stage_bench* b, const stage_chain* c, const outputs* o) {
  int first = LEVELS;
  bench_restore_model(b);
  for (int k = LEVELS - 1; k >= 0; k--) {
    cr_real h = step_of(k);
    if (!evaluate(b, c, o, h, o->plus) || !evaluate(b, c, o, -h, o->minus)) {
      break;
    }
    for (int i = 0; i < o->n; i++) {
      o->table[k][i] = (o->plus[i] - o->minus[i]) / (2 * h);
    }
    first = k;
  }
  bench_restore_model(b);
  return first;
}

// ---- judgement, field by field

// errors are in units of the field
typedef struct {
  cr_real plain[LEVELS];  // largest of an entry in the plain differences
  cr_real best;           // smallest such error in the whole table
  cr_real step;           // the smallest step behind it
  int entry;              // the entry that has it
} field_verdict;

typedef struct {
  bool skipped, quotient, ordered;
  field_verdict worst;  // of the fields
  cr_real tolerance;
  field_verdict field[CR_N_FIELD];
} verdict;

static cr_real compare(const stage_bench* b, const stage_chain* c, const outputs* o,
                       const cr_real* D, int k, int* entry) {
  cr_real worst = 0;
  for (int i = o->start[k]; i < o->start[k + 1]; i++) {
    cr_real difference = cr_abs(D[i] - o->y_tan[i]);
    cr_real unit = cr_max(o->scale[i], cr_abs(D[i]));
    cr_real error = difference > 0 ? difference / unit : 0;
    bool counts = o->leaps[i] == 0 && field_entry_smooth(b->m, b->d, c->writes[k], i - o->start[k]);
    if (counts && !(error <= worst)) {
      worst = isfinite(difference) ? error : CR_MAX;
      *entry = i;
    }
  }
  return worst;
}

// Second order in the plain differences, somewhere, or nothing left to fall. `noise` of the values is noise / step there:
// errors count that are twice as large, which fall 5 times at least to be of second order. Where no two steps in sequence have
// such errors, there is no order to see.
static bool order_seen(const cr_real* plain, int first, cr_real tolerance, cr_real noise) {
  bool told = false;
  for (int k = first; k < LEVELS; k++) {
    if (plain[k] <= tolerance) {
      return true;
    }
    cr_real part = k + 1 < LEVELS ? noise / step_of(k + 1) : 0;
    if (k + 1 < LEVELS && plain[k + 1] >= 2 * part) {
      told = true;
      // a slope of 1.7 over a factor of 4
      if (plain[k] >= CR_R(10.5) * (plain[k + 1] - part)) {
        return true;
      }
    }
  }
  return noise > 0 && !told;
}

// A kink that shows in no index (a clamp, the end of an impedance curve) between two steps: there the
// error falls at once, faster than any smooth map's, and behind it in order or to round-off. That of
// a wrong tangent stays where it is.
static bool beside_a_kink(const field_verdict* f, int first) {
  bool drop = false, ordered = true;
  for (int k = first; k + 1 < LEVELS; k++) {
    bool falls = f->plain[k] >= CR_R(10.5) * f->plain[k + 1];
    ordered = ordered && (falls || f->plain[k + 1] <= 100 * JVP_TOLERANCE);
    if (f->plain[k] > 64 * f->plain[k + 1]) {
      drop = ordered = true;
    }
  }
  return drop && ordered && f->best <= CR_R(1e4) * JVP_TOLERANCE;
}

// what sensors list in another order at another step jumps
static bool reordered(stage_bench* b, const stage_chain* c, const outputs* o) {
  uint64_t order = stage_contact_order(b->m, b->d);
  bool same = true;
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 0; k < LEVELS && same; k++) {
      bool usable = evaluate(b, c, o, (cr_real)side * step_of(k), o->plus);
      same = !usable || stage_contact_order(&b->other, b->work) == order;
    }
  }
  bench_restore_model(b);
  return !same;
}

// The length of an actuator between two sites jumps at half a turn, and is badly conditioned beside it:
// round-off in the matrices counts by one over the angle that is left.
static bool near_half_turn(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < m->nactuator; i++) {
    int site = m->actuator_trnid[2 * i], ref = m->actuator_trnid[2 * i + 1];
    bool turns = m->actuator_trntype[i] == CR_TRN_SITE || m->actuator_trntype[i] == CR_TRN_SO3;
    if (turns && ref >= 0) {
      cr_real turn[3];
      cr_quat_sub(turn, d->site_xquat + 4 * site, d->site_xquat + 4 * ref);
      if (cr_norm3(turn) > CR_PI - CR_R(1e-4)) {
        return true;
      }
    }
  }
  return false;
}

// a jvp that is itself a difference quotient agrees with it to the last bit at one step only
static bool is_quotient(const outputs* o, int first) {
  int nonzero = 0, equal = 0;
  for (int i = 0; i < o->n; i++) {
    nonzero += o->y_tan[i] != 0;
  }
  for (int k = first; k < LEVELS; k++) {
    equal += same_bits(o->table[k], o->y_tan, o->n);
  }
  return nonzero >= 4 && equal > 0 && equal < LEVELS - first;
}

// changes of the outputs when the inputs change by round-off, in units of their fields
static cr_real noise_of(stage_bench* b, const stage_chain* c, const outputs* o) {
  cr_real noise = 0;
  for (int k = 1; k <= 2; k++) {
    if (evaluate(b, c, o, (cr_real)k * CR_EPS, o->plus)) {
      for (int i = 0; i < o->n; i++) {
        cr_real change = cr_abs(o->plus[i] - o->y[i]);
        noise = change > 0 && o->leaps[i] == 0 ? cr_max(noise, change / o->scale[i]) : noise;
      }
    }
  }
  bench_restore_model(b);
  return noise;
}

// D <- (16^n D(h/4) - D(h)) / (16^n - 1)
static void extrapolate(const outputs* o, int first, int n) {
  cr_real factor = cr_pow(16, (cr_real)n);
  for (int k = first; k + n < LEVELS; k++) {
    for (int i = 0; i < o->n; i++) {
      o->table[k][i] = (factor * o->table[k + 1][i] - o->table[k][i]) / (factor - 1);
    }
  }
}

static void judge_fields(const stage_bench* b, const stage_chain* c, const outputs* o, int first,
                         verdict* v) {
  for (int k = 0; k < c->nwrite; k++) {
    v->field[k].best = CR_MAX;
  }
  for (int n = 0; n < ORDERS; n++) {
    if (n > 0) {
      extrapolate(o, first, n);
    }
    for (int level = first; level + n < LEVELS; level++) {
      for (int k = 0; k < c->nwrite; k++) {
        field_verdict* f = &v->field[k];
        int entry = o->start[k];
        cr_real error = compare(b, c, o, o->table[level], k, &entry);
        if (n == 0) {
          f->plain[level] = error;
        }
        if (error < f->best) {
          f->best = error;
          f->entry = entry;
          f->step = step_of(level + n);
        }
      }
    }
  }
}

static bool all_ordered(const stage_chain* c, const verdict* v, int first, cr_real noise) {
  bool ordered = true;
  for (int k = 0; k < c->nwrite; k++) {
    ordered = ordered && order_seen(v->field[k].plain, first, v->tolerance, noise);
  }
  return ordered;
}

static void judge(stage_bench* b, const stage_chain* c, const outputs* o, verdict* v) {
  int first = differences(b, c, o);
  memset(v, 0, sizeof *v);
  v->skipped = LEVELS - first < FEWEST_LEVELS;
  v->ordered = true;
  // the whole pipeline bends more than one stage, and the smallest steps reach less far
  const cr_real tolerance = c->n > 8 ? 4 * JVP_TOLERANCE : JVP_TOLERANCE;
  v->tolerance = tolerance;
  if (v->skipped) {
    return;
  }
  v->quotient = is_quotient(o, first);
  judge_fields(b, c, o, first, v);
  for (int k = 0; k < c->nwrite; k++) {
    if (v->field[k].best > v->worst.best) {
      v->worst = v->field[k];
    }
  }
  if (v->worst.best > tolerance) {
    cr_real noise = 16 * noise_of(b, c, o) / v->worst.step;
    v->tolerance = cr_clip(noise, tolerance, 100 * JVP_TOLERANCE);
    // differences are no better than what the step says of its own rounding
    bool rounded = b->d->rounding / v->worst.step > v->tolerance;
    v->skipped = v->worst.best > v->tolerance && (rounded || beside_a_kink(&v->worst, first) ||
                                                  near_half_turn(b->m, b->d) || reordered(b, c, o));
  }
  v->ordered = all_ordered(c, v, first, 0) || all_ordered(c, v, first, noise_of(b, c, o));
}

static bool tangents(stage_bench* b, const stage_chain* c, outputs* o) {
  cr_status status = chain_jvp(c, b->m, b->d, b->tan);
  if (status != CR_OK) {
    bench_fail(b, "%s: jvp returns \"%s\"", c->name, cr_status_text(status));
    return false;
  }
  gather(b, c, o, b->d, o->y);
  gather_tangent(b, c, o);
  set_scales(c, o);
  mark_leaps(b, c, o);
  return true;
}

// the inputs one by one, to name those whose tangents go wrong
static void blame_inputs(stage_bench* b, const stage_chain* c, outputs* o, char* names,
                         size_t room) {
  verdict v;
  names[0] = 0;
  for (int k = 0; k < c->nread; k++) {
    cr_field_id id = c->reads[k];
    twin_zero(b->m, b->tan);
    if (!field_smooth(id) || field_tangent_size(b->m, b->d, id) == 0) {
      continue;
    }
    field_random_tangent(&b->random, b->m, b->d, b->tan, id);
    if (tangents(b, c, o)) {
      judge(b, c, o, &v);
      if (!v.skipped && !(v.worst.best <= v.tolerance) &&
          strlen(names) + strlen(cri_field(id)->name) + 2 < room) {
        strcat(strcat(names, " "), cri_field(id)->name);
      }
    }
  }
}

static void report_jvp(stage_bench* b, const stage_chain* c, outputs* o, const verdict* v) {
  char inputs[512];
  if (v->quotient) {
    bench_fail(b, "%s: jvp is a difference quotient", c->name);
  }
  if (!(v->worst.best <= v->tolerance)) {
    int entry = v->worst.entry, k = field_at(c, o, entry);
    cr_real y_tan = o->y_tan[entry], size = o->scale[entry];
    blame_inputs(b, c, o, inputs, sizeof inputs);
    bench_fail(b, "%s: jvp of %s[%d] is %.9g, off by %.2g of the field's %.3g; by input:%s",
               c->name, cri_field(c->writes[k])->name, entry - o->start[k], (double)y_tan,
               (double)v->worst.best, (double)size, inputs);
  } else if (!v->ordered) {
    bench_fail(b, "%s: differences approach jvp without their order", c->name);
  }
}

void derivative_differences(stage_bench* b, const stage_chain* c) {
  outputs o;
  if (!outputs_open(&o, b, c)) {
    bench_fail(b, "%s: no memory", c->name);
    return;
  }
  twin_zero(b->m, b->tan);
  for (int k = 0; k < c->nread; k++) {
    if (field_smooth(c->reads[k])) {
      field_random_tangent(&b->random, b->m, b->d, b->tan, c->reads[k]);
    }
  }
  if (tangents(b, c, &o)) {
    verdict v;
    judge(b, c, &o, &v);
    b->report->samples++;
    b->report->skipped += v.skipped;
    if (!v.skipped) {
      b->report->jvp_error = cr_max(b->report->jvp_error, v.worst.best);
      b->report->noisy += v.tolerance > 4 * JVP_TOLERANCE;
      report_jvp(b, c, &o, &v);
    }
  }
  free(o.y);
}

// ---- products

typedef struct {
  cr_real error, tolerance;
  bool failed;
} product_verdict;

// The tangents of the outputs once more in b->tan2, at inputs that differ by their rounding. Where the state lies beside
// a switch they are the same.
static void shake_tangents(stage_bench* b, const stage_chain* c) {
  bench_restore_model(b);
  if (!move_inputs(b, c, 4 * CR_EPS)) {
    cri_data_copy(b->m, b->work, b->d);
    bench_restore_model(b);
  }
  twin_zero(b->m, b->tan2);
  for (int k = 0; k < c->nread; k++) {
    cr_field_id id = c->reads[k];
    int n = field_smooth(id) ? field_tangent_size(b->m, b->d, id) : 0;
    if (n > 0) {
      cr_copy(field_tangent(b->m, b->tan2, id), field_tangent(b->m, b->tan, id), n);
    }
  }
  if (chain_jvp(c, &b->other, b->work, b->tan2) != CR_OK) {
    bench_fail(b, "%s: jvp returns an error at inputs that differ by rounding", c->name);
  }
  bench_restore_model(b);
}

// tangents of the outputs are in b->tan and b->tan2, cotangents in b->bar; runs vjp
static product_verdict product(stage_bench* b, const stage_chain* c) {
  field_product out = {0, 0, 0}, in = {0, 0, 0}, beside = {0, 0, 0};
  for (int k = 0; k < c->nwrite; k++) {
    if (field_smooth(c->writes[k])) {
      field_dot(b->m, b->d, b->bar, b->tan, c->writes[k], &out);
      field_dot(b->m, b->d, b->bar, b->tan2, c->writes[k], &beside);
    }
  }
  cr_status status = chain_vjp(c, b->m, b->d, b->bar);
  if (status != CR_OK) {
    bench_fail(b, "%s: vjp returns \"%s\"", c->name, cr_status_text(status));
    return (product_verdict){0, 0, true};
  }
  for (int k = 0; k < c->nread; k++) {
    if (field_smooth(c->reads[k])) {
      field_dot(b->m, b->d, b->bar, b->tan, c->reads[k], &in);
    }
  }
  // terms may themselves be what is left of larger ones
  cr_real size = out.absolute + in.absolute + CR_R(1e-3) * (out.size + in.size);
  cr_real gap = cr_abs(out.sum - in.sum);
  cr_real error = gap > 0 ? gap / size : 0;
  // the two ways add up other terms, between which large ones may cancel: a product is no better than the same one
  // at inputs that differ by rounding
  cr_real noise = cr_abs(out.sum - beside.sum);
  cr_real tolerance = cr_clip(noise > 0 ? 16 * noise / size : 0, VJP_TOLERANCE, 10 * VJP_TOLERANCE);
  return (product_verdict){isfinite(gap) ? error : CR_MAX, tolerance, false};
}

static bool input_tangents(stage_bench* b, const stage_chain* c, cr_field_id only) {
  twin_zero(b->m, b->tan);
  for (int k = 0; k < c->nread; k++) {
    cr_field_id id = c->reads[k];
    if (field_smooth(id) && (only == CR_N_FIELD || only == id)) {
      field_random_tangent(&b->random, b->m, b->d, b->tan, id);
    }
  }
  if (chain_jvp(c, b->m, b->d, b->tan) != CR_OK) {
    return false;
  }
  shake_tangents(b, c);
  return true;
}

static void output_cotangents(stage_bench* b, const stage_chain* c, cr_field_id only) {
  twin_zero(b->m, b->bar);
  for (int k = 0; k < c->nwrite; k++) {
    cr_field_id id = c->writes[k];
    if (field_smooth(id) && (only == CR_N_FIELD || only == id)) {
      field_random_cotangent(&b->random, b->m, b->d, b->bar, id);
    }
  }
}

// every pair of an output and an input by itself, to name those that disagree
static void blame_pairs(stage_bench* b, const stage_chain* c) {
  for (int k = 0; k < c->nwrite; k++) {
    for (int i = 0; i < c->nread && field_smooth(c->writes[k]); i++) {
      if (field_smooth(c->reads[i]) && input_tangents(b, c, c->reads[i])) {
        output_cotangents(b, c, c->writes[k]);
        product_verdict v = product(b, c);
        if (!v.failed && !(v.error <= v.tolerance)) {
          bench_fail(b, "%s: vjp from %s to %s against jvp: %.2g", c->name,
                     cri_field(c->writes[k])->name, cri_field(c->reads[i])->name, (double)v.error);
        }
      }
    }
  }
}

static bool judge_product(stage_bench* b, const stage_chain* c, const char* seed) {
  product_verdict v = product(b, c);
  b->report->vjp_error = cr_max(b->report->vjp_error, v.error);
  if (!v.failed && !(v.error <= v.tolerance)) {
    bench_fail(b, "%s: vjp against jvp, %s: %.2g of the terms", c->name, seed, (double)v.error);
    return false;
  }
  return !v.failed;
}

static bool nonzero(const cr_real* x, int n) {
  for (int i = 0; x != NULL && i < n; i++) {
    if (x[i] != 0) {
      return true;
    }
  }
  return false;
}

static void note_reached(stage_bench* b, const stage_chain* c) {
  for (int k = 0; k < c->nwrite; k++) {
    cr_field_id id = c->writes[k];
    b->report->reached[id] |=
        nonzero(field_tangent(b->m, b->tan, id), field_tangent_size(b->m, b->d, id));
  }
  for (int k = 0; k < c->nread; k++) {
    cr_field_id id = c->reads[k];
    bool is_operator = cri_field(id)->kind == CR_KIND_OP;
    b->report->reached[id] |=
        is_operator ? field_pairs(b->bar, id)->n > 0
                    : nonzero(field_tangent(b->m, b->bar, id), field_tangent_size(b->m, b->d, id));
  }
}

void derivative_products(stage_bench* b, const stage_chain* c) {
  if (!input_tangents(b, c, CR_N_FIELD)) {
    bench_fail(b, "%s: jvp returns an error", c->name);
    return;
  }
  output_cotangents(b, c, CR_N_FIELD);
  bool good = judge_product(b, c, "all fields");
  note_reached(b, c);

  // one field, and one entry of it; intermediate tangents in b->tan stay
  for (int k = 0; k < c->nwrite && good; k++) {
    cr_field_id id = c->writes[k];
    int n = field_tangent_size(b->m, b->d, id);
    if (n > 0) {
      output_cotangents(b, c, id);
      good = judge_product(b, c, cri_field(id)->name);
      twin_zero(b->m, b->bar);
      field_unit_cotangent(b->m, b->d, b->bar, id, cr_random_int(&b->random, n));
      good = good && judge_product(b, c, "one entry");
    }
  }
  if (!good) {
    blame_pairs(b, c);
  }
}
