// SPDX-License-Identifier: Apache-2.0
// The force of a face: its pressure, dissipation and friction. [Hunt and Crossley 1975; Elandt et al. 2019]
#ifndef CR_PRESSURE_TRACTION_H
#define CR_PRESSURE_TRACTION_H

#include <stdbool.h>

#include "math/vec3.h"

/// What the law reads, or its tangent or cotangent.
typedef struct {
  cr_real normal[3];    // unit, from a to b
  cr_real load;         // area times pressure, N
  cr_real velocity[3];  // of b against a at the centre of pressure, m/s
  cr_real dissipation;  // s/m
  cr_real friction;     // 1
  cr_real transition;   // slip velocity at which friction has 1/sqrt(2) of its limit, m/s, above 0
} cri_traction;

/// What the force was made by, which its derivatives read.
typedef struct {
  cr_real v_n, v_t[3];
  cr_real rest;  // 1 - d v_n, or 0
  cr_real N;
  cr_real root;  // sqrt(v_t^2 + v_s^2)
} cri_traction_parts;

/// The force on b; that on a is the opposite.
/// Equation [pressure.t1] N = load max(0, 1 - d v_n), v_n = n . v
///          [pressure.t2] F = N n - mu N v_t / sqrt(v_t^2 + v_s^2), v_t = v - n v_n
/// Returns  whether it pushes: v_n < 1 / d
/// Smooth   where v_n is not 1 / d
bool cri_traction_force(const cri_traction* x, cri_traction_parts* p, cr_real F[3]);

/// Tangent; transpose, which adds.
void cri_traction_tan(const cri_traction* x, const cri_traction_parts* p, const cri_traction* x_tan,
                      cr_real F_tan[3]);
void cri_traction_bar(const cri_traction* x, const cri_traction_parts* p, const cr_real F_bar[3],
                      cri_traction* x_bar);

#endif
