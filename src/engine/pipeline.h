// SPDX-License-Identifier: Apache-2.0
// The pipeline as a run-time table. The forward evaluation, its jvp and vjp, the profiler and the
// generic tests are loops over it.
#ifndef CR_ENGINE_PIPELINE_H
#define CR_ENGINE_PIPELINE_H

#include "model/fields.h"

typedef cr_status (*cr_stage_forward)(const cr_model* m, cr_data* d);
typedef cr_status (*cr_stage_derivative)(const cr_model* m, const cr_data* d, cr_data* twin);

typedef struct {
  const char* name;
  cr_stage_forward forward;
  cr_stage_derivative jvp;  // overwrites the tangents of what the stage writes
  cr_stage_derivative vjp;  // adds to the cotangents of what the stage reads
  const cr_field_id* reads;
  const cr_field_id* writes;
  int nread, nwrite;
} cr_stage;

/// The rows of engine/pipeline_table.h, in the order of computation.
extern const cr_stage cr_pipeline[];
extern const int cr_npipeline;

/// The first of them are the dynamics, up to the acceleration; nothing among these reads what the
/// others, which only measure, write. A step runs the dynamics alone.
extern const int cr_ndynamics;

/// Clears the live extent of one field of a twin; for an operator its list of pairs.
void cri_clear_field(const cr_model* m, const cr_data* d, cr_data* twin, cr_field_id id);

#endif
