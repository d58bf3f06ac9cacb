// SPDX-License-Identifier: Apache-2.0
// Everything is done twice: on true data, and on data where whatever the row does not declare is NaN.
// Equal results, bit by bit, prove that nothing else was used.
#include "checks/stage_contract.h"

#include "support/allocation.h"

// ---- what a row may use

// Values it may read: what it declares, and behind an operator all that the operator is made of.
static void allowed(const cr_stage* pipeline, int row, bool* use) {
  memset(use, 0, CR_N_FIELD * sizeof *use);
  for (int k = 0; k < pipeline[row].nread; k++) {
    cr_field_id id = pipeline[row].reads[k];
    use[id] = true;
    for (int j = 0; j < row && cri_field(id)->kind == CR_KIND_OP; j++) {
      const cr_stage* maker = &pipeline[j];
      for (int i = 0; ids_have(maker->writes, maker->nwrite, id) && i < maker->nread; i++) {
        use[maker->reads[i]] = true;
      }
    }
  }
}

static int live_numbers(const cr_model* m, const cr_data* d, cr_field_id id) {
  return cri_field_rows(m, d, id) * cri_field_width(m, id);
}

static size_t field_bytes(const cr_model* m, const cr_data* d, cr_field_id id) {
  size_t item = cri_field(id)->kind == CR_KIND_INDEX ? sizeof(int32_t) : sizeof(cr_real);
  return (size_t)cri_field_capacity(m, d, id) * (size_t)cri_field_width(m, id) * item;
}

static char* field_memory(const cr_model* m, const cr_data* d, cr_field_id id) {
  return cri_field(id)->kind == CR_KIND_INDEX ? (char*)cri_field_index(m, d, id)
                                              : (char*)cri_field_real(m, d, id);
}

// NaN in every public field that is not allowed, and behind the live part of those that are
static void poison_data(const cr_model* m, cr_data* d, const bool* use) {
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (field_public(id)) {
      size_t keep = use[i] ? (size_t)live_numbers(m, d, id) * sizeof(cr_real) : 0;
      memset(field_memory(m, d, id) + keep, 0xff, field_bytes(m, d, id) - keep);
    }
  }
  memset(d->scratch, 0xff, d->scratch_size * sizeof(cr_real));
}

static void poison_model(stage_bench* b, const bool* use) {
  bench_restore_model(b);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM && !use[i]) {
      int n = cri_field_rows(b->m, NULL, id) * cri_field_width(b->m, id);
      cr_real* x = cri_field_real(&b->other, NULL, id);
      for (int k = 0; k < n; k++) {
        x[k] = (cr_real)NAN;
      }
    }
  }
}

// ---- comparisons of data

static bool same_counts(const cr_data* a, const cr_data* c) {
  return a->ncon == c->ncon && a->nefc == c->nefc && a->nJ == c->nJ && a->ne == c->ne &&
         a->nf == c->nf && a->nl == c->nl && a->M_formed == c->M_formed;
}

// what the row writes, finite and the same in both
static void compare_written(stage_bench* b, const cr_stage* row, const cr_data* d, const cr_data* e,
                            const char* what) {
  if (!same_counts(d, e)) {
    bench_fail(b, "%s: %s: other counts of contacts or rows", row->name, what);
    return;
  }
  for (int k = 0; k < row->nwrite; k++) {
    cr_field_id id = row->writes[k];
    int n = live_numbers(b->m, d, id);
    const cr_real *x = cri_field_real(b->m, d, id), *y = cri_field_real(b->m, e, id);
    if (!field_present(d, id)) {
      continue;
    }
    if (!all_finite(x, n)) {
      bench_fail(b, "%s: forward leaves %s not finite", row->name, cri_field(id)->name);
    } else if (!same_bits(x, y, n)) {
      bench_fail(b, "%s: %s: %s differs", row->name, what, cri_field(id)->name);
    }
  }
}

// saves and indices, the same in both
static void compare_internal(stage_bench* b, const cr_stage* row, const cr_data* d,
                             const cr_data* e, const char* what) {
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = live_numbers(b->m, d, id);
    bool same = true;
    if (cri_field(id)->kind == CR_KIND_SAVE) {
      same = same_bits(cri_field_real(b->m, d, id), cri_field_real(b->m, e, id), n);
    } else if (cri_field(id)->kind == CR_KIND_INDEX && n > 0) {
      same = memcmp(cri_field_index(b->m, d, id), cri_field_index(b->m, e, id),
                    (size_t)n * sizeof(int32_t)) == 0;
    }
    if (!same) {
      bench_fail(b, "%s: %s: internal %s differs", row->name, what, cri_field(id)->name);
    }
  }
}

// what it does not write is as it was
static void compare_unwritten(stage_bench* b, const cr_stage* row, const cr_data* after,
                              const cr_data* before) {
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (field_public(id) && !ids_have(row->writes, row->nwrite, id) &&
        memcmp(field_memory(b->m, after, id), field_memory(b->m, before, id),
               field_bytes(b->m, after, id)) != 0) {
      bench_fail(b, "%s: forward writes %s, which is not declared", row->name, cri_field(id)->name);
    }
  }
}

// ---- the frame around each call: allocations, scratch, data that must not change

typedef struct {
  long allocations;
  cr_data header;
} watch;

static watch watch_start(const cr_data* d) { return (watch){allocation_count(), *d}; }

static void watch_call(stage_bench* b, const cr_stage* row, const char* function, const watch* w,
                       const cr_data* scratch_owner) {
  if (allocation_count() != w->allocations) {
    bench_fail(b, "%s: %s allocates", row->name, function);
  }
  if (scratch_owner->scratch_used != 0) {
    bench_fail(b, "%s: %s leaves scratch in use", row->name, function);
  }
}

// a derivative must leave d alone; b->third is a copy from before
static void watch_data(stage_bench* b, const cr_stage* row, const char* function, const watch* w) {
  if (memcmp(b->d->memory, b->third->memory, b->d->memory_size) != 0 ||
      memcmp(b->d, &w->header, sizeof *b->d) != 0) {
    bench_fail(b, "%s: %s changes the data", row->name, function);
  }
}

static bool succeeded(stage_bench* b, const cr_stage* row, const char* function, cr_status status,
                      const cr_data* d) {
  if (status != CR_OK) {
    bench_fail(b, "%s: %s returns \"%s\" (%s)", row->name, function, cr_status_text(status),
               d->error.text);
  }
  return status == CR_OK;
}

bool contract_forward(stage_bench* b, const cr_stage* pipeline, int row) {
  const cr_stage* stage = &pipeline[row];
  bool use[CR_N_FIELD];
  allowed(pipeline, row, use);
  cri_data_copy(b->m, b->work, b->d);
  poison_data(b->m, b->work, use);
  cri_data_copy(b->m, b->third, b->work);
  poison_model(b, use);

  // true data
  watch w = watch_start(b->d);
  cr_status status = stage->forward(b->m, b->d);
  watch_call(b, stage, "forward", &w, b->d);
  if (!succeeded(b, stage, "forward", status, b->d)) {
    return false;
  }

  // with NaN in the place of what it may not use
  status = stage->forward(&b->other, b->work);
  if (succeeded(b, stage, "forward without undeclared fields", status, b->work)) {
    compare_written(b, stage, b->d, b->work, "forward uses an undeclared field");
    compare_internal(b, stage, b->d, b->work, "forward uses an undeclared field");
    compare_unwritten(b, stage, b->work, b->third);
  }

  // once more
  cri_data_copy(b->m, b->third, b->d);
  status = stage->forward(b->m, b->d);
  if (succeeded(b, stage, "forward, second call", status, b->d)) {
    compare_written(b, stage, b->d, b->third, "forward gives other numbers in a second call");
    compare_internal(b, stage, b->d, b->third, "forward gives other numbers in a second call");
  }
  return true;
}

// ---- twins: bytes before a call, kept aside

static size_t twin_bytes(const cr_model* m, const cr_data* twin, cr_field_id id) {
  if (cri_field_of_model(id)) {
    return (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_tangent_width(m, id) *
           sizeof(cr_real);
  }
  return field_bytes(m, twin, id);
}

static void keep_twin(stage_bench* b, const cr_data* twin) {
  char* to = b->shadow;
  memcpy(to, twin->memory, twin->memory_size);
  to += twin->memory_size;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (cri_field(id)->kind == CR_KIND_PARAM) {
      size_t n = twin_bytes(b->m, twin, id);
      if (n > 0) {
        memcpy(to, field_tangent(b->m, twin, id), n);
      }
      to += n;
    }
  }
}

// everything but the fields in `may` has the bytes that were kept
static void compare_twin(stage_bench* b, const cr_stage* row, const cr_data* twin,
                         const cr_field_id* may, int nmay, const char* function) {
  const char* parameter = b->shadow + twin->memory_size;
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (!field_smooth(id)) {
      continue;
    }
    size_t n = twin_bytes(b->m, twin, id);
    const char* now = (const char*)field_tangent(b->m, twin, id);
    const char* then = parameter;
    if (cri_field_of_model(id)) {
      parameter += n;
    } else {
      then = b->shadow + (now - (const char*)twin->memory);
    }
    if (n > 0 && !ids_have(may, nmay, id) && memcmp(now, then, n) != 0) {
      bench_fail(b, "%s: %s writes %s, which is not its to write", row->name, function,
                 cri_field(id)->name);
    }
  }
}

static void clear_parameters(const cr_model* m, const cr_stage* row, cr_data* twin) {
  for (int k = 0; k < row->nread; k++) {
    if (cri_field_of_model(row->reads[k])) {
      field_clear(m, twin, twin, row->reads[k]);
    }
  }
}

// ---- jvp

static void start_tangent(stage_bench* b, const cr_stage* row, cr_data* tan, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 11);
  twin_poison(b->m, tan);
  for (int k = 0; k < row->nread; k++) {
    if (field_smooth(row->reads[k])) {
      field_random_tangent(&r, b->m, b->d, tan, row->reads[k]);
    }
  }
}

static void compare_tangents(stage_bench* b, const cr_stage* row, const cr_data* x,
                             const cr_data* y, const char* what) {
  for (int k = 0; k < row->nwrite; k++) {
    cr_field_id id = row->writes[k];
    int n = field_tangent_size(b->m, b->d, id);
    if (n > 0 && !all_finite(field_tangent(b->m, x, id), n)) {
      bench_fail(b, "%s: jvp leaves the tangent of %s not finite", row->name, cri_field(id)->name);
    } else if (n > 0 && !same_bits(field_tangent(b->m, x, id), field_tangent(b->m, y, id), n)) {
      bench_fail(b, "%s: %s: tangent of %s differs", row->name, what, cri_field(id)->name);
    }
  }
}

// a twin without parameters counts as one in which they are zero
static void jvp_without_parameters(stage_bench* b, const cr_stage* row) {
  clear_parameters(b->m, row, b->tan);
  clear_parameters(b->m, row, b->tan2);
  cr_model parameters = b->tan2->par;
  b->tan2->par = (cr_model){0};
  bool done = succeeded(b, row, "jvp", row->jvp(b->m, b->d, b->tan), b->tan) &&
              succeeded(b, row, "jvp", row->jvp(b->m, b->d, b->tan2), b->tan2);
  b->tan2->par = parameters;
  if (done) {
    compare_tangents(b, row, b->tan, b->tan2, "jvp with a twin without parameters");
  }
}

void contract_jvp(stage_bench* b, const cr_stage* pipeline, int row) {
  const cr_stage* stage = &pipeline[row];
  bool use[CR_N_FIELD];
  allowed(pipeline, row, use);
  uint64_t seed = cr_random_bits(&b->random);
  cri_data_copy(b->m, b->third, b->d);
  start_tangent(b, stage, b->tan, seed);
  keep_twin(b, b->tan);

  // true data
  watch w = watch_start(b->d);
  cr_status status = stage->jvp(b->m, b->d, b->tan);
  watch_call(b, stage, "jvp", &w, b->tan);
  watch_data(b, stage, "jvp", &w);
  if (!succeeded(b, stage, "jvp", status, b->tan)) {
    return;
  }
  compare_twin(b, stage, b->tan, stage->writes, stage->nwrite, "jvp");

  // with NaN in the place of what it may not use, and over its own result
  cri_data_copy(b->m, b->work, b->d);
  poison_data(b->m, b->work, use);
  poison_model(b, use);
  start_tangent(b, stage, b->tan2, seed);
  if (succeeded(b, stage, "jvp", stage->jvp(&b->other, b->work, b->tan2), b->tan2)) {
    compare_tangents(b, stage, b->tan, b->tan2, "jvp uses an undeclared field");
  }
  if (succeeded(b, stage, "jvp", stage->jvp(b->m, b->d, b->tan2), b->tan2)) {
    compare_tangents(b, stage, b->tan, b->tan2, "jvp does not overwrite");
  }
  jvp_without_parameters(b, stage);
}

// ---- vjp

// cotangents of what is written, the same for the same seed; zero or random for what is read
static void start_cotangent(stage_bench* b, const cr_stage* row, cr_data* bar, uint64_t seed,
                            bool full) {
  cr_random r = cr_random_seed(seed, 13), r2 = cr_random_seed(seed, 14);
  twin_poison(b->m, bar);
  for (int k = 0; k < row->nread; k++) {
    cr_field_id id = row->reads[k];
    field_clear(b->m, b->d, bar, id);
    if (full && field_smooth(id) && cri_field(id)->kind != CR_KIND_OP) {
      field_random_cotangent(&r2, b->m, b->d, bar, id);
    }
  }
  for (int k = 0; k < row->nwrite; k++) {
    if (field_smooth(row->writes[k])) {
      field_clear(b->m, b->d, bar, row->writes[k]);
      field_random_cotangent(&r, b->m, b->d, bar, row->writes[k]);
    }
  }
}

static bool same_pairs(const cr_pairs* p, const cr_pairs* q, int left_live) {
  bool same = p->n == q->n;
  for (int k = 0; same && k < p->n; k++) {
    same = same_bits(cri_pair_left(p, k), cri_pair_left(q, k), left_live) &&
           same_bits(cri_pair_right(p, k), cri_pair_right(q, k), p->right_size);
  }
  return same;
}

static int live_left(const cr_model* m, const cr_data* d, cr_field_id id) {
  return id == CR_FIELD_ten_J       ? m->ntendon
         : id == CR_FIELD_efc_J     ? d->nefc
         : id == CR_FIELD_efm_fluid ? (d->nefmfluid > 0 ? m->nv : 0)
                                    : (id == CR_FIELD_M ? m->nv : m->nout);
}

static bool finite_pairs(const cr_pairs* p, int left_live) {
  bool finite = true;
  for (int k = 0; k < p->n; k++) {
    finite = finite && all_finite(cri_pair_left(p, k), left_live) &&
             all_finite(cri_pair_right(p, k), p->right_size);
  }
  return finite;
}

static void compare_cotangents(stage_bench* b, const cr_stage* row, const cr_data* x,
                               const cr_data* y, const char* what) {
  for (int k = 0; k < row->nread; k++) {
    cr_field_id id = row->reads[k];
    bool finite = true, same = true;
    if (cri_field(id)->kind == CR_KIND_OP) {
      finite = finite_pairs(field_pairs(x, id), live_left(b->m, b->d, id));
      same = same_pairs(field_pairs(x, id), field_pairs(y, id), live_left(b->m, b->d, id));
    } else if (field_smooth(id) && field_tangent(b->m, y, id) != NULL) {
      int n = field_tangent_size(b->m, b->d, id);
      finite = all_finite(field_tangent(b->m, x, id), n);
      same = same_bits(field_tangent(b->m, x, id), field_tangent(b->m, y, id), n);
    }
    if (!finite) {
      bench_fail(b, "%s: vjp leaves the cotangent of %s not finite", row->name,
                 cri_field(id)->name);
    } else if (!same) {
      bench_fail(b, "%s: %s: cotangent of %s differs", row->name, what, cri_field(id)->name);
    }
  }
}

// the pairs of operators that the row does not read stay as the seed made them
static void compare_pairs(stage_bench* b, const cr_stage* row, const cr_data* bar, uint64_t seed) {
  static const cr_field_id operators[] = {CR_FIELD_M, CR_FIELD_efc_J, CR_FIELD_actuator_moment,
                                          CR_FIELD_efm_fluid};
  start_cotangent(b, row, b->bar2, seed, false);
  for (int i = 0; i < 4; i++) {
    cr_field_id id = operators[i];
    bool read = ids_have(row->reads, row->nread, id);
    if (!read &&
        !same_pairs(field_pairs(bar, id), field_pairs(b->bar2, id), live_left(b->m, b->d, id))) {
      bench_fail(b, "%s: vjp changes the pairs of %s", row->name, cri_field(id)->name);
    }
  }
}

// from random cotangents r of what is read, the result must be r + what it is from zero
static void vjp_adds(stage_bench* b, const cr_stage* row, uint64_t seed) {
  start_cotangent(b, row, b->bar2, seed, true);
  keep_twin(b, b->bar2);
  if (!succeeded(b, row, "vjp", row->vjp(b->m, b->d, b->bar2), b->bar2)) {
    return;
  }
  const char* parameter = b->shadow + b->bar2->memory_size;
  for (int i = 0; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (!field_smooth(id)) {
      continue;
    }
    const cr_real* now = field_tangent(b->m, b->bar2, id);
    const char* then = parameter;
    if (cri_field_of_model(id)) {
      parameter += twin_bytes(b->m, b->bar2, id);
    } else {
      then = b->shadow + ((const char*)now - (const char*)b->bar2->memory);
    }
    int n = field_tangent_size(b->m, b->d, id);
    if (cri_field(id)->kind == CR_KIND_OP || !ids_have(row->reads, row->nread, id) || n == 0) {
      continue;
    }
    const cr_real* added = field_tangent(b->m, b->bar, id);
    cr_real scale = 1, worst = 0;
    for (int k = 0; k < n; k++) {
      cr_real before;
      memcpy(&before, then + (size_t)k * sizeof before, sizeof before);
      cr_real error = cr_abs(now[k] - (before + added[k]));
      worst = isfinite(error) ? cr_max(worst, error) : CR_MAX;
      scale = cr_max(scale, cr_abs(added[k]));
    }
    if (!(worst <= scale * CR_EPS * CR_R(1e6))) {
      bench_fail(b, "%s: vjp does not add to the cotangent of %s", row->name, cri_field(id)->name);
    }
  }
}

static void vjp_without_parameters(stage_bench* b, const cr_stage* row, uint64_t seed) {
  start_cotangent(b, row, b->bar2, seed, false);
  cr_model parameters = b->bar2->par;
  b->bar2->par = (cr_model){0};
  if (succeeded(b, row, "vjp", row->vjp(b->m, b->d, b->bar2), b->bar2)) {
    compare_cotangents(b, row, b->bar, b->bar2, "vjp with a twin without parameters");
  }
  b->bar2->par = parameters;
}

void contract_vjp(stage_bench* b, const cr_stage* pipeline, int row) {
  const cr_stage* stage = &pipeline[row];
  bool use[CR_N_FIELD];
  allowed(pipeline, row, use);
  uint64_t seed = cr_random_bits(&b->random);
  cri_data_copy(b->m, b->third, b->d);
  start_cotangent(b, stage, b->bar, seed, false);
  keep_twin(b, b->bar);

  // true data
  watch w = watch_start(b->d);
  cr_status status = stage->vjp(b->m, b->d, b->bar);
  watch_call(b, stage, "vjp", &w, b->bar);
  watch_data(b, stage, "vjp", &w);
  if (!succeeded(b, stage, "vjp", status, b->bar)) {
    return;
  }
  compare_twin(b, stage, b->bar, stage->reads, stage->nread, "vjp");
  compare_pairs(b, stage, b->bar, seed);

  // with NaN in the place of what it may not use
  cri_data_copy(b->m, b->work, b->d);
  poison_data(b->m, b->work, use);
  poison_model(b, use);
  start_cotangent(b, stage, b->bar2, seed, false);
  if (succeeded(b, stage, "vjp", stage->vjp(&b->other, b->work, b->bar2), b->bar2)) {
    compare_cotangents(b, stage, b->bar, b->bar2, "vjp uses an undeclared field");
  }
  vjp_adds(b, stage, seed);
  vjp_without_parameters(b, stage, seed);
}
