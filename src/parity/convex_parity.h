// SPDX-License-Identifier: Apache-2.0
// Compares contacts of general convex pairs with MuJoCo's. MuJoCo's search for them stops at a
// tolerance, and where faces are parallel it returns some of many possible points. So only the unique number is
// compared, the distance of each pair. MuJoCo then computes with Carom's contacts, so that everything that
// follows from them can be compared to round-off.
#ifndef CR_PARITY_CONVEX_PARITY_H
#define CR_PARITY_CONVEX_PARITY_H

#include "io/mujoco.h"
#include "model/data.h"
#include "parity/off.h"

typedef struct {
  int pairs;         // pairs of geoms with contacts, over all states
  double distance;   // largest difference of a pair's distance, relative to the size of the geoms
  int other_normal;  // pairs whose normals do not agree
  int other_count;   // pairs with another number of contacts
  int other_points;  // pairs with other points of the same planes, or MuJoCo's on a neighbouring face
} cr_convex_parity;

/// Largest difference that the tolerance of MuJoCo's search explains.
#define CR_CONVEX_PARITY_BOUND 1e-6

/// True if the model has geoms whose contacts come from the general pair, or cylinders.
bool cri_convex_parity_applies(const cr_model* m);

/// From now on MuJoCo, in this thread, takes the contacts of general pairs from Carom. It also takes those of nearly
/// flat cylinders over planes if its own are off, and reports this to `off`. NULL: its own again. The model
/// must be the same in both. The contacts are those at the poses of `at` if MuJoCo's are equal up to round-off; else, or
/// if `at` is NULL, at MuJoCo's poses. For shapes in degenerate poses the last bit decides.
void cri_convex_parity_use(const cr_model* m, const cr_data* at, cr_off* off);

/// Adds the contacts of d, compared with MuJoCo's own in reference, to the result. Adds to `off` if MuJoCo's
/// are not the nearest ones: along its normal the shapes overlap more than along Carom's, or by
/// another length than it reports.
void cri_convex_parity_compare(const cr_model* m, const cr_data* d, const mjData* reference,
                               cr_convex_parity* result, cr_off* off);

#endif
