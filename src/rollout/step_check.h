// SPDX-License-Identifier: Apache-2.0
// Checks the gradient of a step at a state: every entry of its vjp against differences of the
// step itself, extrapolated to zero step size; and the dot-product identity of jvp and vjp.
#ifndef CR_ROLLOUT_STEP_CHECK_H
#define CR_ROLLOUT_STEP_CHECK_H

#include "base/random.h"
#include "model/fields.h"

/// Result of a check; sums over several states if called again with the same result.
typedef struct {
  cr_real max_error;   // worst of |g - fd| / max(|g|, |fd|, 1e-3 of the largest entry of the block)
  char worst[128];     // where: field[entry]
  int samples, kinks;  // entries compared, entries at a kink (not compared)
  int lost;            // entries of which rows that move nothing leave only round-off
  cr_real dot_error;   // worst |<bar, jvp tan> - <vjp bar, tan>| over the sum of absolute terms
} cr_step_check_result;

/// Result of a check at the edges of legal ranges; sums as well.
enum { CR_EDGE_KINKS = 6, CR_EDGE_TEXT = 256 };
typedef struct {
  cr_real max_error;         // as above, but against the slope of a side, or of the nearer one
  char worst[CR_EDGE_TEXT];  // where, and at which place
  int places, samples, kinks;
  int unvisited;           // places without a step
  char why[CR_EDGE_TEXT];  // why the first of them has none
  int nkink;
  char kink[CR_EDGE_KINKS]
           [CR_EDGE_TEXT];  // the first: slopes of both sides, both of which can be reached
} cr_edge_result;

/// Which entries to check at an edge.
enum { CR_EDGE_QPOS = 1, CR_EDGE_QVEL = 2, CR_EDGE_ACT = 4, CR_EDGE_CTRL = 8, CR_EDGE_INPUTS = 15 };

/// Work space: a copy of the model whose parameters are moved, and data blocks.
typedef struct cr_step_check cr_step_check;

/// `entries` bounds the number of sampled entries of every parameter field, and 64 times as many of state
/// and controls; 0 for all.
cr_status cr_step_check_create(cr_step_check** check, const cr_model* m, int entries,
                               cr_error* error);
void cr_step_check_free(cr_step_check* check);

/// Checks at the state, controls and applied forces in d. An entry is at a kink if the slopes of its two sides
/// differ. It also is if at every useful step size the two sides have other contacts, rows, active rows or
/// limits of an actuator.
/// An entry is lost if it differs by no more than the effect of the round-off of the rows' Jacobian on
/// their forces: the sum over rows of |f| times EPS times the response of the next state, with lengths and angles
/// in units of 1. If forces move what they act on, this is far below the compared differences. It is not
/// where rows without any lever share the load, as of spheres in one point on the axis of the
/// joint between them: MuJoCo's forces there are 1e17 N, and the Jacobian on which they act is round-off.
/// Errors   those of the step at the unmoved state
cr_status cr_step_check_run(cr_step_check* check, const cr_data* d, cr_random* random,
                            cr_step_check_result* result, cr_error* error);

/// The same where kinks are to be expected: at a place called `place`, with the entries `what`
/// (CR_EDGE_...) and `entries` of every parameter field. An entry is compared with differences of both
/// sides if it is smooth; at the end of its range, with the slope of the side that is
/// left; if the sides differ and both can be reached, it must be one of them or lie between.
/// A place from which there is no step counts as not visited.
/// Errors   those of derivatives
cr_status cr_step_check_edge(cr_step_check* check, const cr_data* d, int what, int entries,
                             const char* place, cr_random* random, cr_edge_result* result,
                             cr_error* error);

/// The same at the state in d for the entries of parameter id, all of them at their least value. Does nothing for
/// fields without one.
cr_status cr_step_check_bound(cr_step_check* check, const cr_data* d, cr_field_id id, int entries,
                              cr_random* random, cr_edge_result* result, cr_error* error);

/// The cause why the derivative depended on the direction (solver/contact_model.h), at the first such
/// place; "" if there was none. Entries that differ there count as kinks.
const char* cr_step_check_doubt(const cr_step_check* check);

#endif
