// SPDX-License-Identifier: Apache-2.0
// The page of carom view: one HTML file that needs nothing else. docs/view.md has the form of the data in it.
#ifndef CR_VIEW_VIEW_PAGE_H
#define CR_VIEW_VIEW_PAGE_H

#include "view/shown_motion.h"

/// Writes the page of a model with motions over each other, all with the same plots, whole or not at all.
/// title    in the corner of the page
/// triangles  that the page draws of all meshes together, about: larger ones are made coarser
/// Leaves   the motions put into the page; free them
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_view_page_write(const cr_model* m, const char* title, int triangles,
                             cr_shown_motion* motions, int n, const char* path, cr_error* error);

#endif
