// SPDX-License-Identifier: Apache-2.0
// The increments r about the state q0 at the start of a step, which a Runge-Kutta method adds up instead
// of coordinates. Two kinds. Turns: nv numbers, rotation vectors for orientations, with the exact
// rate of the group (Munthe-Kaas). Quaternions: nq numbers, the plain equation q' = q w / 2 in four
// dimensions, scaled to unit length where a state is needed.
#ifndef CR_INTEGRATE_LOCAL_COORDINATES_H
#define CR_INTEGRATE_LOCAL_COORDINATES_H

#include "model/model.h"

typedef enum { CRI_TURNS, CRI_QUATERNIONS } cri_local_coordinates;

/// Numbers of r: nv or nq.
int cri_local_coordinates_width(const cr_model* m, cri_local_coordinates chart);

/// r' at r with the velocity v.
/// Equation turns: see configuration.h; quaternions, relative to q0: y' = y (0, w) / 2, y = 1 + r [runge_kutta.y1]
///          the rest: r' = v
/// Shapes   r[width], v[nv], rate[width], which must not overlap
void cri_local_coordinates_rate(const cr_model* m, cri_local_coordinates chart, const cr_real* r,
                                const cr_real* v, cr_real* rate);
void cri_local_coordinates_rate_jvp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* v, const cr_real* r_tan,
                                    const cr_real* v_tan, cr_real* rate_tan);
/// Adds to r_bar and v_bar.
void cri_local_coordinates_rate_vjp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* v, const cr_real* rate_bar,
                                    cr_real* r_bar, cr_real* v_bar);

/// The state at r.
/// Equation quaternions: next = q0 y / |y|                                         [runge_kutta.y2]
/// Shapes   qpos[nq], r[width], next[nq]; tangents of states nv
void cri_local_coordinates_move(const cr_model* m, cri_local_coordinates chart, const cr_real* qpos,
                                const cr_real* r, cr_real* next);
void cri_local_coordinates_move_jvp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* qpos_tan, const cr_real* r_tan,
                                    cr_real* next_tan);
/// Adds to qpos_bar and r_bar.
void cri_local_coordinates_move_vjp(const cr_model* m, cri_local_coordinates chart,
                                    const cr_real* r, const cr_real* next_bar, cr_real* qpos_bar,
                                    cr_real* r_bar);

/// The coordinates in which errors are measured, before and after an increment r: positions; for
/// orientations the increment itself, or the quaternion relative to q0.
void cri_local_coordinates_coordinates(const cr_model* m, cri_local_coordinates chart,
                                       const cr_real* qpos, const cr_real* r, cr_real* before,
                                       cr_real* after);

#endif
