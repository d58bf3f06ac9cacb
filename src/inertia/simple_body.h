// SPDX-License-Identifier: Apache-2.0
// Bilinear forms over dofs that keep the diagonal alone of some bodies' blocks, made of whole ones: the
// form of one pass after another, each with the dofs that do not mix there.
#ifndef CR_INERTIA_SIMPLE_BODY_H
#define CR_INERTIA_SIMPLE_BODY_H

#include "model/model.h"

/// A simple body has at most six dofs.
enum { CR_SIMPLE_PASSES = 7 };

/// Whose blocks: those of all simple bodies (drag), or of those that are not free (implicitfast).
typedef enum { CR_SIMPLE_ALL, CR_SIMPLE_BUT_FREE } cri_simple_kind;

/// Sets kept[nv] to x where the dof belongs to the pass, else to zero; false where that leaves nothing.
/// Pass 0 has the dofs of all other bodies, pass k the dof k - 1 of each of these: simple bodies are
/// trees of their own, so they do not mix.
bool cri_simple_keep(const cr_model* m, cri_simple_kind kind, int pass, const cr_real* x,
                     cr_real* kept);

/// Number of passes beyond which nothing is left.
int cri_simple_passes(const cr_model* m, cri_simple_kind kind);

#endif
