// SPDX-License-Identifier: Apache-2.0
// Base parameters: the combinations of masses, first moments, inertias and armatures that forces of joints depend on, the
// most that any motion can tell (Gautier and Khalil, 1990).
#ifndef CR_STUDY_ROBOT_BASES_H
#define CR_STUDY_ROBOT_BASES_H

#include <mujoco/mujoco.h>

#include "study/robot_scenes.h"

/// Numbers: the ten of every link (mass, first moments and inertia about the origin of the body), then the other parameters of the
/// list, CR_ROBOT_NUMBERS at most. A base parameter is a number plus combinations of numbers that motion does not tell apart from it.
typedef struct {
  int n, nbase;
  int number[CR_ROBOT_NUMBERS];  // of each base parameter: its own number
  double* combine;               // n x n, row k: base parameter k over all numbers
} cr_robot_bases;

/// Found by inverse dynamics at random states. Free with cri_robot_bases_free. Errors: CR_ERR_MEMORY.
cr_status cri_robot_bases(cr_robot_bases* bases, const mjModel* mj, const cr_robot_parameters* list,
                          cr_error* error);
void cri_robot_bases_free(cr_robot_bases* bases);

/// Name of a number: "link3.mass", "link3.Ixx" ..., that of its parameter.
void cri_robot_number_name(const cr_robot_parameters* list, int number, char* name, size_t size);

/// Base parameters at x, with their derivative by x.
/// Shapes   values[nbase], jacobian[nbase n] (NULL: not wanted)
cr_status cri_robot_bases_at(const cr_robot_bases* bases, const cr_robot_parameters* list,
                             const cr_parameters* parameters, const cr_real* x, cr_real* values,
                             cr_real* jacobian, cr_error* error);

#endif
