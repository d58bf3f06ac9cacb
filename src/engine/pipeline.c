// SPDX-License-Identifier: Apache-2.0
// The pipeline table made from its rows, and the schedule of a model.
#include "engine/pipeline.h"

#include "engine/constants.h"
#include "engine/stage_jac.h"

#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs)      \
  cr_status cr_##stage(const cr_model* m, cr_data* d);                   \
  cr_status cr_##stage##_jvp(const cr_model*, const cr_data*, cr_data*); \
  cr_status cr_##stage##_vjp(const cr_model*, const cr_data*, cr_data*);
#include "engine/pipeline_table.h"

#define F(field) CR_FIELD_##field,
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs) \
  static const cr_field_id stage##_reads[] = {reads};               \
  static const cr_field_id stage##_writes[] = {writes};
#include "engine/pipeline_table.h"
#undef F

#define NEEDS(...) \
  (cri_need) { __VA_ARGS__ }
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs)         \
  static cri_need stage##_needs(const cri_counts* n, const cri_need* all) { \
    (void)n, (void)all;                                                     \
    return needs;                                                           \
  }
#define CR_DRIVER(folder, name, needs)                                     \
  static cri_need name##_holds(const cri_counts* n, const cri_need* all) { \
    (void)n, (void)all;                                                    \
    return needs;                                                          \
  }
#include "engine/pipeline_table.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define F(field)
#define cri_jac_none NULL
#define cri_columns_nothing NULL
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs) \
  {#stage,                                                          \
   cr_##stage,                                                      \
   cr_##stage##_jvp,                                                \
   cr_##stage##_vjp,                                                \
   stage##_reads,                                                   \
   stage##_writes,                                                  \
   COUNT(stage##_reads),                                            \
   COUNT(stage##_writes),                                           \
   cri_jac_##jac,                                                   \
   cri_columns_##columns,                                           \
   stage##_needs,                                                   \
   NULL},
const cr_stage cr_pipeline[] = {
#include "engine/pipeline_table.h"
};

enum {
#define CR_STAGE(folder, stage, jac, columns, reads, writes, needs) ROW_##stage,
#include "engine/pipeline_table.h"
  N_ROW
};
const int cr_npipeline = N_ROW;
const int cr_ndynamics = ROW_acceleration + 1;

static cr_stage_needs* const drivers[] = {
#define CR_DRIVER(folder, name, needs) name##_holds,
#include "engine/pipeline_table.h"
};

static const cri_schedule whole = {.row = cr_pipeline,
                                   .n = N_ROW,
                                   .nprepare = ROW_acceleration,
                                   .ndynamics = ROW_acceleration + 1};

const cri_schedule* cri_schedule_of(const cr_model* m) {
  return m->schedule != NULL ? m->schedule : &whole;
}

// ---- memory

static void add_pairs(cri_need* sum, const cri_need* x) {
#define CR_OP(name, left, right, nnz, text) sum->name += x->name;
#include "model/data_fields.h"
}

// what rows and drivers need, given all pairs; their pairs added up
static cri_need sum_up(const cri_schedule* s, const cri_counts* n, const cri_need* all) {
  cri_need sum = {0};
  size_t around = 0;
  for (int i = 0; i < s->n; i++) {
    if (s->row[i].needs != NULL) {
      const cri_need x = s->row[i].needs(n, all);
      add_pairs(&sum, &x);
      sum.scratch = x.scratch > sum.scratch ? x.scratch : sum.scratch;
    }
    if (s->row[i].added != NULL) {
      const cri_added* a = s->row[i].added;
      const size_t scratch = a->needs.scratch + a->scratch_row * n->nefc;
      add_pairs(&sum, &a->needs);
      sum.scratch = scratch > sum.scratch ? scratch : sum.scratch;
    }
  }
  for (size_t i = 0; i < COUNT(drivers); i++) {
    const cri_need x = drivers[i](n, all);
    add_pairs(&sum, &x);
    around += x.scratch;
  }
  sum.scratch += around;
  return sum;
}

cri_need cri_needs_of(const cr_model* m, const cri_counts* n) {
  // pairs of moments become pairs of rows, those pairs of tendons; and of all of them depends the scratch
  enum { PASSES = 4 };
  cri_need all = {0};
  for (int k = 0; k < PASSES; k++) {
    all = sum_up(cri_schedule_of(m), n, &all);
  }
  return all;
}

// ---- a schedule of a model's own

// an operator without rows may still get pairs, which its stage removes
static bool has_something_to_write(const cr_model* m, const cr_stage* stage) {
  for (int k = 0; k < stage->nwrite; k++) {
    cr_field_id id = stage->writes[k];
    if (cri_field(id)->kind == CR_KIND_OP || !cri_field_is_empty(m, id)) {
      return true;
    }
  }
  return false;
}

cr_status cri_schedule_build(cr_model* m, cr_error* error) {
  cr_stage row[N_ROW];
  int n = 0, nprepare = 0, ndynamics = 0;
  for (int i = 0; i < N_ROW; i++) {
    if (has_something_to_write(m, &cr_pipeline[i])) {
      row[n++] = cr_pipeline[i];
    }
    nprepare = i < ROW_acceleration ? n : nprepare;
    ndynamics = i <= ROW_acceleration ? n : ndynamics;
  }
  m->schedule = cri_schedule_create(row, n, nprepare, ndynamics);
  return m->schedule != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for the stages of a model");
}

void cri_stages_behind(const cr_model* m, cr_field_id field, const bool* without, bool* stages) {
  const cri_schedule* s = cri_schedule_of(m);
  bool reached[CR_N_FIELD] = {false};
  reached[field] = true;
  for (int i = s->n - 1; i >= 0; i--) {
    const cr_stage* stage = &s->row[i];
    stages[i] = false;
    for (int k = 0; k < stage->nwrite; k++) {
      stages[i] = stages[i] || reached[stage->writes[k]];
    }
    for (int k = 0; k < stage->nread && stages[i]; k++) {
      cr_field_id read = stage->reads[k];
      reached[read] = reached[read] || without == NULL || !without[read];
    }
  }
}
