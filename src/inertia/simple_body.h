// SPDX-License-Identifier: Apache-2.0
// Bilinear forms over dofs that keep only the diagonal of some bodies' blocks, made from whole forms:
// one pass after another, each with dofs that do not couple there.
#ifndef CR_INERTIA_SIMPLE_BODY_H
#define CR_INERTIA_SIMPLE_BODY_H

#include "model/model.h"

/// A simple body has at most six dofs.
enum { CR_SIMPLE_PASSES = 7 };

/// The bodies: all simple bodies (drag), or those that are not free (implicitfast).
typedef enum { CR_SIMPLE_ALL, CR_SIMPLE_BUT_FREE } cri_simple_kind;

/// Sets kept[nv] to x if the dof belongs to the pass, else to zero; false if nothing is left.
/// Pass 0 has the dofs of all other bodies, pass k the dof k - 1 of each of these. Simple bodies are
/// separate trees, so they do not couple.
bool cri_simple_keep(const cr_model* m, cri_simple_kind kind, int pass, const cr_real* x,
                     cr_real* kept);

/// Number of passes after which nothing is left.
int cri_simple_passes(const cr_model* m, cri_simple_kind kind);

#endif
