// SPDX-License-Identifier: Apache-2.0
// The pipeline table made from its rows, and the three loops over it.
#include "engine/pipeline.h"

#include "engine/forward.h"
#include "model/misuse.h"
#define CR_STAGE(folder, stage, reads, writes)                           \
  cr_status cr_##stage(const cr_model* m, cr_data* d);                   \
  cr_status cr_##stage##_jvp(const cr_model*, const cr_data*, cr_data*); \
  cr_status cr_##stage##_vjp(const cr_model*, const cr_data*, cr_data*);
#include "engine/pipeline_table.h"

#define F(field) CR_FIELD_##field,
#define CR_STAGE(folder, stage, reads, writes)        \
  static const cr_field_id stage##_reads[] = {reads}; \
  static const cr_field_id stage##_writes[] = {writes};
#include "engine/pipeline_table.h"
#undef F

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define F(field)
#define CR_STAGE(folder, stage, reads, writes)                            \
  {#stage,        cr_##stage,     cr_##stage##_jvp,     cr_##stage##_vjp, \
   stage##_reads, stage##_writes, COUNT(stage##_reads), COUNT(stage##_writes)},
const cr_stage cr_pipeline[] = {
#include "engine/pipeline_table.h"
};
const int cr_npipeline = COUNT(cr_pipeline);

enum {
#define CR_STAGE(folder, stage, reads, writes) ROW_##stage,
#include "engine/pipeline_table.h"
};
const int cr_ndynamics = ROW_acceleration + 1;

void cri_clear_field(const cr_model* m, const cr_data* d, cr_data* twin, cr_field_id id) {
  const cr_field* f = cri_field(id);
  if (f->kind == CR_KIND_OP) {
    ((cr_pairs*)(void*)((char*)twin + f->pairs))->n = 0;
  } else if (f->tangent != CR_TANGENT_NONE) {
    cr_zero(cri_field_real(m, twin, id), cri_field_tangent_size(m, d, id));
  }
}

static cr_status run_rows(const cr_model* m, cr_data* d, int first, int end) {
  for (int i = first; i < end; i++) {
    CR_TRY(cr_pipeline[i].forward(m, d));
    CR_TRY(cri_room_check(d, cr_pipeline[i].name));
  }
  return CR_OK;
}

cr_status cri_dynamics(const cr_model* m, cr_data* d) {
  d->measured = false;
  d->done = 0;
  CR_TRY(run_rows(m, d, 0, cr_ndynamics));
  d->done = CRI_DONE_FRAMES | CRI_DONE_FORWARD;
  return CR_OK;
}

cr_status cr_forward(const cr_model* m, cr_data* d) {
  const cri_call call = {"cr_forward", cri_error_of(d)};
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_dynamics(m, d));
  CR_TRY(run_rows(m, d, cr_ndynamics, cr_npipeline));
  d->measured = true;
  return CR_OK;
}

// rows that d has been through
static int rows_run(const cr_data* d) { return d->measured ? cr_npipeline : cr_ndynamics; }

static cr_status check_sweep(const char* name, const cr_model* m, const cr_data* d,
                             const cr_data* twin, cr_data_role role) {
  const cri_call call = {name, cri_error_of(twin != NULL ? twin : d)};
  const char* what = role == CR_DATA_TANGENT ? "tan" : "bar";
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FORWARD));
  return cri_check_twin(&call, m, d, twin, role, what);
}

cr_status cr_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(check_sweep("cr_forward_jvp", m, d, tan, CR_DATA_TANGENT));
  return cri_forward_jvp(m, d, tan);
}

cr_status cr_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(check_sweep("cr_forward_vjp", m, d, bar, CR_DATA_COTANGENT));
  return cri_forward_vjp(m, d, bar);
}

cr_status cri_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < rows_run(d); i++) {
    CR_TRY(cr_pipeline[i].jvp(m, d, tan));
    CR_TRY(cri_room_check(tan, cr_pipeline[i].name));
  }
  return CR_OK;
}

cr_status cri_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int i = rows_run(d) - 1; i >= 0; i--) {
    const cr_stage* stage = &cr_pipeline[i];
    CR_TRY(stage->vjp(m, d, bar));
    CR_TRY(cri_room_check(bar, stage->name));
    for (int k = 0; k < stage->nwrite; k++) {
      cri_clear_field(m, d, bar, stage->writes[k]);
    }
  }
  return CR_OK;
}
