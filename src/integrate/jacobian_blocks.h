// SPDX-License-Identifier: Apache-2.0
// The blocks of a step's Jacobian. Trees that rows, tendons or actuators couple move independently of
// the others. So each block of rows has its own columns of the acceleration; everything
// outside the blocks is zero and never read.
#ifndef CR_INTEGRATE_JACOBIAN_BLOCKS_H
#define CR_INTEGRATE_JACOBIAN_BLOCKS_H

#include "math/runs.h"
#include "model/data.h"

/// Columns come in groups of this many, a cache line of double: solves take a group at once.
enum { CR_COLUMN_GROUP = 8 };

/// Block k: dofs dof_adr[k] .. of `dof`; columns column_adr[k] .. of `column`, in whole groups, so that
/// two blocks may share a group, but no entry; actuators actuator_adr[k] .. of `actuator`. Dof i is in
/// block of_dof[i].
typedef struct {
  int n;
  const int32_t *dof_adr, *column_adr, *actuator_adr, *of_dof;
  const cr_run *dof, *column, *actuator;
} cri_blocks;

static inline cr_runs cri_block_dofs(const cri_blocks* b, int k) {
  return (cr_runs){b->dof_adr[k + 1] - b->dof_adr[k], b->dof + b->dof_adr[k]};
}
static inline cr_runs cri_block_columns(const cri_blocks* b, int k) {
  return (cr_runs){b->column_adr[k + 1] - b->column_adr[k], b->column + b->column_adr[k]};
}
static inline cr_runs cri_block_actuators(const cri_blocks* b, int k) {
  return (cr_runs){b->actuator_adr[k + 1] - b->actuator_adr[k], b->actuator + b->actuator_adr[k]};
}

/// Columns from `first` on, one for each dof or, of_outputs, for each output of an actuator.
typedef struct {
  int first;
  bool of_outputs;
} cri_section;

/// All columns, section after section.
typedef struct {
  int n;
  cri_section at[5];
} cri_sections;

/// The blocks at d, whose rows, tendons and moments are set; in `work`'s scratch, which the caller pops:
/// at most 26 ntree + 10 nout + 5 nactuator + nv + 16 integers. An actuator without any dof is in the
/// first block. `whole`: all is one block.
cri_blocks cri_blocks_find(const cr_model* m, const cr_data* d, const cri_sections* s, bool whole,
                           cr_data* work);

#endif
