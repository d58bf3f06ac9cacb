// SPDX-License-Identifier: Apache-2.0
// Normal equations of an identification. Every window knows the numbers of x, its own start and that of the window behind it;
// starts are eliminated window by window, so that what is left has the size of x.
#ifndef CR_IDENTIFY_NORMAL_H
#define CR_IDENTIFY_NORMAL_H

#include "predict/problem.h"

/// J'J and J'e of the windows: blocks over (x, start, start of the next).
typedef struct cri_normal cri_normal;

cr_status cri_normal_create(cri_normal** normal, const cri_problem* problem, cr_error* error);
void cri_normal_free(cri_normal* normal);

/// Empties the block of a window.
void cri_normal_clear(cri_normal* normal, const cri_problem* problem, int span);

/// Adds a row of J with its error, both times sqrt(weight).
/// Equation N += weight j j', g += weight e j
/// Shapes   row[cri_columns_of]
void cri_normal_add(cri_normal* normal, const cri_problem* problem, int span, const cr_real* row,
                    cr_real error, cr_real weight);

/// Gradient and diagonal of J'J for spans first ... first + n - 1.
/// Shapes   n + nspan nx numbers each
void cri_normal_gather(const cri_normal* normal, const cri_problem* problem, int first, int n,
                       cr_real* gradient, cr_real* diagonal);

/// Solves (J'J + damping diag(scale)) step = -J'e for these spans, with step 0 where fixed (of x only; starts are never
/// fixed, but where they are known).
/// Equation the start z of a window: Z z = -(g_z + X' x + Y' y), y the next start; Schur complement of Z into x and y, from
///          the first window of a run to the last                          [identification.m4]
/// Errors   CR_ERR_SINGULAR
cr_status cri_normal_solve(cri_normal* normal, const cri_problem* problem, int first, int n,
                           cr_real damping, const cr_real* scale, const bool* fixed, cr_real* step,
                           cr_error* error);

/// The matrix of x alone, starts eliminated, of the last cri_normal_solve: n x n, before numbers were fixed.
const cr_real* cri_normal_matrix(const cri_normal* normal);

/// And J'e of x alone: n numbers.
const cr_real* cri_normal_right(const cri_normal* normal);

/// step' J'J step of these spans.
cr_real cri_normal_curvature(const cri_normal* normal, const cri_problem* problem, int first, int n,
                             const cr_real* step);

#endif
