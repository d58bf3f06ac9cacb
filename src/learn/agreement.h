// SPDX-License-Identifier: Apache-2.0
// Checks that the velocities of a recording are the rates of its positions and orientations. Wrong units, a
// wrong time between rows and a wrong order of quaternions show here, long before a fit goes wrong.
#ifndef CR_LEARN_AGREEMENT_H
#define CR_LEARN_AGREEMENT_H

#include "learn/windows.h"

/// Numbers in a row: position (3), quaternion body to world w first (4), velocity in the world (3), angular
/// velocity in the body (3): qpos and qvel of one free body.
enum { CR_BODY_WIDTH = 13 };

/// Compares, over all rows of n tosses that are dt seconds apart, steps of position with velocities and
/// turns of the quaternions with angular velocities. If they clearly contradict each other, puts
/// the likely cause into text; else "".
/// Equation a = (p_k+s - p_k) / (s dt), b = the mean of v between; a = factor b by least squares, and
///          correlation = sum a.b / sqrt(sum a.a sum b.b). A contact is a jump of v within one row of many;
///          it moves both by little
void cr_tosses_disagreement(const cri_run* tosses, int n, cr_real dt, char* text, size_t size);

#endif
