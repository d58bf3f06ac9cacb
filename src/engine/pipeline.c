// SPDX-License-Identifier: Apache-2.0
// The pipeline table made from its rows, and what a model takes of it.
#include "engine/pipeline.h"

#include "engine/stage_jac.h"

#define CR_STAGE(folder, stage, jac, reads, writes)                      \
  cr_status cr_##stage(const cr_model* m, cr_data* d);                   \
  cr_status cr_##stage##_jvp(const cr_model*, const cr_data*, cr_data*); \
  cr_status cr_##stage##_vjp(const cr_model*, const cr_data*, cr_data*);
#include "engine/pipeline_table.h"

#define F(field) CR_FIELD_##field,
#define CR_STAGE(folder, stage, jac, reads, writes)   \
  static const cr_field_id stage##_reads[] = {reads}; \
  static const cr_field_id stage##_writes[] = {writes};
#include "engine/pipeline_table.h"
#undef F

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define F(field)
#define cri_jac_none NULL
#define CR_STAGE(folder, stage, jac, reads, writes)                                              \
  {#stage,         cr_##stage,           cr_##stage##_jvp,      cr_##stage##_vjp, stage##_reads, \
   stage##_writes, COUNT(stage##_reads), COUNT(stage##_writes), cri_jac_##jac,    NULL},
const cr_stage cr_pipeline[] = {
#include "engine/pipeline_table.h"
};

enum {
#define CR_STAGE(folder, stage, jac, reads, writes) ROW_##stage,
#include "engine/pipeline_table.h"
  N_ROW
};
const int cr_npipeline = N_ROW;
const int cr_ndynamics = ROW_acceleration + 1;

static const cri_schedule whole_table = {.row = cr_pipeline,
                                         .n = N_ROW,
                                         .nprepare = ROW_acceleration,
                                         .ndynamics = ROW_acceleration + 1};

const cri_schedule* cri_schedule_of(const cr_model* m) {
  return m->schedule != NULL ? m->schedule : &whole_table;
}

// an operator without rows may get pairs all the same, which its stage takes away
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
