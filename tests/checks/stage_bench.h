// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the generic stage check: their work memory, chains of stages, NaN
// in place of numbers, comparison bit by bit. Nothing else includes this.
#ifndef CR_TESTS_STAGE_BENCH_H
#define CR_TESTS_STAGE_BENCH_H

#include "checks/field_space.h"
#include "checks/stage_check.h"

/// Bound on an error: differences leave round-off of eps^(4/5) in them, products a few eps.
#ifdef CR_LONG_DOUBLE
#define JVP_TOLERANCE CR_R(1e-12)
#define VJP_TOLERANCE CR_R(2e-12)  // a gram on a ton: 1.2e-12 is seen once in 400 models
#else
#define JVP_TOLERANCE CR_R(1e-8)
#define VJP_TOLERANCE CR_R(4e-9)
#endif

enum { MAX_ROW = 32 };

/// Stages that run one after the other, seen as one map.
typedef struct {
  cr_stage row[MAX_ROW];
  int n;
  const char* name;
  cr_field_id reads[CR_N_FIELD], writes[CR_N_FIELD];
  int nread, nwrite;
} stage_chain;

/// Memory of one model and state.
typedef struct {
  stage_report* report;
  const char* label;
  const cr_model* m;
  cr_model other;             // a copy of m to perturb or to poison
  cr_data *d, *work, *third;  // the base point, and two copies
  cr_data *tan, *tan2, *bar, *bar2;
  char* shadow;  // bytes of a twin and of its parameters
  size_t shadow_size;
  cr_random random;
  stage_discrete discrete;
} stage_bench;

/// Copies the state of `state` into data that is NaN everywhere else. False: no memory.
bool bench_open(stage_bench* b, const cr_model* m, const cr_data* state, uint64_t seed,
                const char* label);
void bench_close(stage_bench* b);

/// Adds a line to the report.
void bench_fail(stage_bench* b, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// The row alone; the row with all the producers of operators that it needs; several rows.
void chain_single(stage_chain* c, const cr_stage* row);
void chain_closed(stage_chain* c, const cr_stage* pipeline, int row);
void chain_all(stage_chain* c, const cr_stage* rows, int n);

cr_status chain_forward(const stage_chain* c, const cr_model* m, cr_data* d);
cr_status chain_jvp(const stage_chain* c, const cr_model* m, const cr_data* d, cr_data* tan);
/// As the drivers do it: after each vjp clears the cotangents of that stage's outputs.
cr_status chain_vjp(const stage_chain* c, const cr_model* m, const cr_data* d, cr_data* bar);

bool ids_have(const cr_field_id* ids, int n, cr_field_id id);

/// True where d holds something under that name: M exists only when it is formed.
bool field_present(const cr_data* d, cr_field_id id);

/// True for real arrays of cr_data that are not saves: the fields of the pipeline table.
bool field_public(cr_field_id id);

bool same_bits(const cr_real* a, const cr_real* b, int n);
bool all_finite(const cr_real* a, int n);

/// All numbers of a twin to zero, or to NaN with pair counts of -7.
void twin_zero(const cr_model* m, cr_data* twin);
void twin_poison(const cr_model* m, cr_data* twin);

/// Restores b->other to m.
void bench_restore_model(stage_bench* b);

/// Which geoms are nearest to each other, and with which features, for every sensor of a gap.
uint64_t stage_gap_choices(const cr_model* m, const cr_data* d);

/// True for sensors of the direction or the place of a gap where the nearest geoms are one and the same, as
/// where the two objects are a body and a geom of it: any direction across its axis is as good as another.
bool stage_gap_turns(const cr_model* m, const cr_data* d, int sensor);

/// The order of the contacts by depth and by force, in which contact sensors with mindist and maxforce
/// list them. Reads contact_dist and the inputs of contact forces.
uint64_t stage_contact_order(const cr_model* m, const cr_data* d);

#endif
