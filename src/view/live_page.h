// SPDX-License-Identifier: Apache-2.0
// What a page holds that simulates: the core, the model, the state at which it begins, and its sliders.
#ifndef CR_VIEW_LIVE_PAGE_H
#define CR_VIEW_LIVE_PAGE_H

#include "carom/view.h"
#include "tools/json.h"

typedef struct cr_live_page cr_live_page;

/// Takes the state in d. Texts are copied. Owner: the caller, cr_live_page_free.
/// Errors   those of cr_view_set_live
cr_status cr_live_page_create(cr_live_page** page, const cr_model* m, const cr_data* d,
                              const cr_view_live* live, cr_error* error);
void cr_live_page_free(cr_live_page* page);

/// Adds the member "live" (docs/view.md).
void cr_live_page_put(cr_json* j, const cr_model* m, const cr_live_page* page);

#endif
