// SPDX-License-Identifier: Apache-2.0
// Poses of objects: the coordinates of joints without servos, their differences, and random poses between two of them.
#ifndef CR_QUASIDYNAMIC_OBJECT_SPACE_H
#define CR_QUASIDYNAMIC_OBJECT_SPACE_H

#include "base/random.h"
#include "model/model.h"

typedef struct {
  const cr_model* m;
  int njoint, n;   // joints of objects, and their dofs
  int32_t* joint;  // [njoint]
  int32_t* dof;    // [n]
  cr_real* unit;   // [n] what counts as 1: 1 rad, and `length` metres
  cr_real* work;   // [n] a difference
} cri_object_space;

/// Finds the objects; belongs to one thread. has_servo[nv]; length: metres that count as much as 1 rad. The model has to outlive it.
/// Errors   CR_ERR_ARG: every joint has a servo; CR_ERR_MEMORY
/// Owner    the caller, cri_objects_free
cr_status cri_objects_find(cri_object_space* s, const cr_model* m, const bool* has_servo,
                           cr_real length, cr_error* error);
void cri_objects_free(cri_object_space* s);

/// d[n] = to (-) from in units: differences of slides, hinges and positions; rotation vectors in the frame of `from`.  [quasidynamic.t0]
/// Shapes   to[nq], from[nq]: other coordinates are not read
void cri_objects_difference(const cri_object_space* s, const cr_real* to, const cr_real* from,
                            cr_real* d);

/// Norm of the difference.
cr_real cri_objects_distance(const cri_object_space* s, const cr_real* to, const cr_real* from);

/// A box that contains `from` and `to`, and `around` units more on either side: of slides, hinges and positions their values, of
/// orientations rotation vectors from `from`. low[n], high[n]
void cri_objects_box(const cri_object_space* s, const cr_real* from, const cr_real* to,
                     cr_real around, cr_real* low, cr_real* high);

/// Sets the coordinates of objects in qpos[nq] to a random pose of the box.
void cri_objects_draw(const cri_object_space* s, cr_random* random, const cr_real* from,
                      const cr_real* low, const cr_real* high, cr_real* qpos);

/// Gives orientations in qpos unit length.
void cri_objects_normalise(const cri_object_space* s, cr_real* qpos);

#endif
