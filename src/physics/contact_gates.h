// SPDX-License-Identifier: Apache-2.0
// A network for motion that jumps. Points of the body, whose places are learned, each have a gate that opens where the point gets below the floor.
// Behind the gate one small network, the same for all points, says with what impulse the floor answers. So a jump is where a gate says, and
// networks have smooth functions to learn. Shape, inertia, level of the floor, gravity and the law of contact are all unknown.
#ifndef CR_PHYSICS_CONTACT_GATES_H
#define CR_PHYSICS_CONTACT_GATES_H

#include "carom/network.h"
#include "stiff/tossed.h"

/// Points answer in two rounds: in the second one they see what the first has done, so that points that touch at the same time share the
/// work.
enum { CRI_GATE_POINTS = 16, CRI_GATE_ROUNDS = 2 };

/// The first weights: gain of the velocity along the vertical in a step (m/s), level of the floor (0.1 m), logarithm of a gate's width over 0.1 m, logarithms of
/// the lever of impulses (200/m), places of the points in the body (0.1 m). All other weights are those of the law.
enum {
  CRI_GATE_GAIN,
  CRI_GATE_LEVEL,
  CRI_GATE_WIDTH,
  CRI_GATE_LEVER,
  CRI_GATE_PLACE = CRI_GATE_LEVER + 3,
  CRI_GATE_LAW = CRI_GATE_PLACE + 3 * CRI_GATE_POINTS
};

typedef struct {
  cr_network* law;
  cr_real timestep;  // s
  int n;             // all weights
} cri_gates;

/// Owner    the caller, cri_gates_free, also after an error
/// Errors   CR_ERR_MEMORY
cr_status cri_gates_make(cri_gates* g, cr_real timestep, cr_error* error);
void cri_gates_free(cri_gates* g);

/// First weights: points anywhere within 80 mm of the centre along each axis.
/// Shapes   p[g->n]
/// Errors   those of cr_network_init
cr_status cri_gates_start(const cri_gates* g, uint64_t seed, cr_real* p, cr_error* error);

/// Numbers of the room of a step.
size_t cri_gates_room(const cri_gates* g);

/// A step: the velocity behind it, and the pose that follows from it.
/// Map      (p, state) -> next
/// Equation v, w: of the body, in its frame; n: upwards there. v += gain n, then in each round, for each point c:
///          u = v + w x c, phi = z + c.n - level, gate = sigmoid(-(phi + h u.n) / width), (a, b) = law(phi, u.n, |u - (u.n) n|, round),
///          v += gate (a n + b (u - (u.n) n) / |u - (u.n) n|), w += lever (c x the same)            [gates.e1]
/// Smooth   everywhere; a gate that is closed to 2e-9 counts as closed
/// Shapes   p[g->n], state[CRI_STATE], next[CRI_STATE], room[cri_gates_room(g)]
void cri_gates_step(const cri_gates* g, const cr_real* p, const cr_real* state, cr_real* next,
                    cr_real* room);

/// Adds to p_bar and state_bar. The room is that of the step.
/// Shapes   next_bar[CRI_STATE], p_bar[g->n], state_bar[CRI_STATE]
void cri_gates_step_vjp(const cri_gates* g, const cr_real* p, const cr_real* state,
                        const cr_real* next, const cr_real* next_bar, cr_real* p_bar,
                        cr_real* state_bar, cr_real* room);

#endif
