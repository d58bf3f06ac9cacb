// SPDX-License-Identifier: Apache-2.0
// Candidate pairs of geoms: pairs that may touch by the model, and are close enough now
// to be tested. The order is that of MuJoCo's contact list:
//   body pairs (b1 < b2) ascending; in one, first its explicit pairs, then the rest, ordered by
//   (geom of lower type, other geom), or with the midphase off by (geom of b1, geom of b2).
// A geom has a box along the world's axes, a body one about those of its geoms
// (collision/bounds.h), neighbours in a tree one about theirs. With many bodies a sweep of these
// along the axis of widest spread finds which trees meet, then which of their bodies do. Each pair is
// noted in a table of bits, which gives the pairs in order. Of two such bodies, geoms whose boxes
// and bounding spheres meet are candidates; with a mesh among them also the boxes along their own
// axes must meet. Explicit pairs and excludes are sorted by body pair, as MuJoCo compiles them.
#ifndef CR_COLLISION_BROAD_H
#define CR_COLLISION_BROAD_H

#include "model/data.h"

/// True if the two geoms can ever make a contact: an explicit pair names them, or their bodies can
/// move against each other, are not parent and child, not excluded, and their bits match.
bool cri_pair_possible(const cr_model* m, int geom1, int geom2);

/// True if the forces of two geoms come from pressure fields, and they have no contacts: both have one, one of
/// them is compliant, and one of them has elements (a plane has none).
bool cri_pair_by_pressure(const cr_model* m, int geom1, int geom2);

/// Reach of contacts of a pair from distance in the backward pass (docs/collision.md): the reach
/// of an explicit pair (`pair` >= 0) or the larger of two geoms', or if that is 0
/// cfd_wc; 0 without contacts from distance.
cr_real cri_pair_width(const cr_model* m, int geom1, int geom2, int pair);

/// Distance below which a contact is listed: margin + gap of an explicit pair (`pair` >= 0) or the
/// sums of both geoms; with contacts from distance the gap is at least their reach.
cr_real cri_pair_reach(const cr_model* m, int geom1, int geom2, int pair);

/// A candidate: the geom of lower type first (equal types: lower id), the explicit pair or -1.
typedef struct {
  int32_t geom[2];
  int32_t pair;
  cr_real reach;
} cr_candidate;

/// Calls visit(context, candidate) for every candidate, in order.
/// Reads    geom_xpos, geom_xmat; geom_margin, pair_margin
/// Memory   no allocation; scratch 80 numbers a body, 7 a geom
/// Notes    bounding spheres follow geom_size, see cri_geom_bound
typedef void cr_candidate_visit(void* context, const cr_candidate* candidate);
void cri_candidates(const cr_model* m, cr_data* d, cr_candidate_visit* visit, void* context);

#endif
