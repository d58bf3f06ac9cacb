// SPDX-License-Identifier: Apache-2.0
// The elements that may meet, kept from step to step (pressure_near): the search for them is as long as all else of a step. The list never
// changes a digit: it has all pairs that a search would find, in its order.
#ifndef CR_PRESSURE_NEAR_LIST_H
#define CR_PRESSURE_NEAR_LIST_H

#include "model/data.h"
#include "pressure/meeting.h"

/// Makes the list at the poses of d where the one that is there does not hold.
/// Equation a list that was made with elements as near as e_1 + e_2 in it holds while no point of geom i has moved by more than e_i:
///          |x - x_0| + r |R - R_0| <= e_i, r the radius of its elements about its origin     [pressure.n1]
/// Sizes    have to be the same; so has the pose of a plane
/// Memory   pressure_near, as far as it goes; a longer list is none
void cri_near_list_make(const cr_model* m, cr_data* d);

/// Whether there is a list, and it holds at the poses of d.
bool cri_near_list_holds(const cr_model* m, const cr_data* d);

/// The n pairs of elements of two geoms, as cri_meeting_order has them; false where the list has none. *at begins at 0; geoms are asked for in the
/// order of the search.
bool cri_near_list_find(const cr_data* d, int* at, const int geom[2], int* n,
                        const int32_t** elements);

/// Whether two geoms are too far from each other for elements as near as a margin. Planes never are.
bool cri_near_list_apart(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real margin);

#endif
