// SPDX-License-Identifier: Apache-2.0
// The pipeline as a run-time table, and the schedule of a model, made of its rows. engine/driver.h
// runs them.
#ifndef CR_ENGINE_PIPELINE_H
#define CR_ENGINE_PIPELINE_H

#include "model/schedule.h"

/// The rows of engine/pipeline_table.h, in the order of computation.
extern const cr_stage cr_pipeline[];
extern const int cr_npipeline;

/// The first rows are the dynamics, up to the acceleration. They read nothing that the
/// other rows write, which only measure. A step runs the dynamics alone.
extern const int cr_ndynamics;

/// The stages of m in order: its own schedule, or the whole table if none was built.
const cri_schedule* cri_schedule_of(const cr_model* m);

/// The stages that a field depends on, its own and those before it; fields in `without` (NULL: none) are passed over.
/// Shapes   without[CR_N_FIELD], stages[CR_MAX_STAGES]
void cri_stages_behind(const cr_model* m, cr_field_id field, const bool* without, bool* stages);

/// Builds the schedule of a model that has none: the rows of the table that, by its counts, have something to
/// write. Errors: CR_ERR_MEMORY.
cr_status cri_schedule_build(cr_model* m, cr_error* error);

/// What a block has to have ready for the rows of the model's schedule and all who drive them: the largest scratch
/// of a row with that of all drivers, and all pairs.
cri_need cri_needs_of(const cr_model* m, const cri_counts* n);

#endif
