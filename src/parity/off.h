// SPDX-License-Identifier: Apache-2.0
// Cases in which MuJoCo's number is off and Carom's is not: by kind, how often, and the worst in a
// sentence. docs/parity.md says how each is recognised.
#ifndef CR_PARITY_OFF_H
#define CR_PARITY_OFF_H

#include <stddef.h>

typedef enum {
  CR_OFF_CONVEX,    // the search for the contact of two convex geoms ended early
  CR_OFF_CYLINDER,  // the rim of a nearly flat cylinder over a plane, lost in cancellation
  CR_OFF_PIVOT,     // implicitfast replaced a negative pivot by another number
  CR_OFF_TORQUE,    // the limit of an orientation servo's torque, by the last bit
  CR_OFF_POSE,      // a degenerate pose, where the last bit decides on contacts
  CR_OFF_TOUCH,     // a touch sensor's ray through an edge of its zone
  CR_N_OFF
} cr_off_kind;

typedef struct {
  int times[CR_N_OFF];
  double worst[CR_N_OFF];
  char text[CR_N_OFF][320];
} cr_off;

/// Counts one more; the sentence of the largest `size` is kept.
__attribute__((format(printf, 4, 5))) void cri_off_add(cr_off* off, cr_off_kind kind, double size,
                                                       const char* format, ...);

/// Name of a kind: its heading in docs/parity.md.
const char* cri_off_name(cr_off_kind kind);

#endif
