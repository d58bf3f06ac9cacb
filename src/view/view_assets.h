// SPDX-License-Identifier: Apache-2.0
// The parts of a page that are the same for all models. cmake/embed.cmake makes them from the files of this folder.
#ifndef CR_VIEW_VIEW_ASSETS_H
#define CR_VIEW_VIEW_ASSETS_H

extern const char cr_view_style[];          // page.css
extern const char cr_view_body[];           // page.html
extern const char cr_view_script[];         // all *.js, one after the other
extern const unsigned char cr_view_core[];  // the core as WebAssembly (cmake/live.cmake)
extern const unsigned cr_view_core_size;    // 0: the build had no compiler for it

#endif
