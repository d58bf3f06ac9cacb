// SPDX-License-Identifier: Apache-2.0
// A page that shows a model and its motions in a browser, or simulates it there: one HTML file that needs no network and no server.
// docs/view.md says what it shows, and which numbers it holds.
#ifndef CAROM_VIEW_H
#define CAROM_VIEW_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A page, as long as motions are added to it. Belongs to one thread.
typedef struct cr_view cr_view;

/// What is shown beside the motions. A zero stands for the value in brackets.
typedef struct {
  size_t size;               // sizeof(cr_view_options), set by the caller
  const char* title;         // in the corner of the page [none]
  const char* const* plots;  // places whose numbers are plotted, as "qpos[hinge]", with at most 12
                             // numbers each
  int nplot;
  int triangles;       // of all meshes together, about; larger meshes are drawn coarser [150000]
  const char* source;  // the MJCF or URDF file of the model, whose textures are shown [none]
  const cr_urdf_options* urdf;  // with which it was opened [none]
} cr_view_options;

/// A motion.
typedef struct {
  size_t size;            // sizeof(cr_view_motion), set by the caller
  const char* name;       // in the legend [none]
  const cr_model* model;  // with other numbers, as sizes of geoms; NULL: [the model of the page]
  bool no_contacts;       // contacts are not shown, as of measured poses whose noise makes some
} cr_view_motion;

/// A page without motions. m must outlive it; texts are copied.
/// Owner    the caller, cr_view_destroy
/// Errors   CR_ERR_NAME for a plot of a place that there is not; CR_ERR_ARG for one with too many numbers, and for the file of another model
///          as source; those of cr_model_open; CR_ERR_MEMORY
CR_API cr_status cr_view_create(cr_view** view, const cr_model* m, const cr_view_options* options,
                                cr_error* error);
CR_API void cr_view_destroy(cr_view* view);

/// Begins a motion, over those that are there. Its model must outlive the page.
/// Errors   CR_ERR_ARG: a model with other bodies, geoms or tendons; CR_ERR_MEMORY
CR_API cr_status cr_view_begin(cr_view* view, const cr_view_motion* motion, cr_error* error);

/// Takes the state in d as the next of the last motion begun: poses, paths of tendons, contacts with their forces, plots. The page
/// shows what is between two states by interpolation.
/// Needs    cr_view_begin; d of the motion's model, with a later time than the state before
/// Leaves   d as after cr_forward
/// Errors   CR_ERR_ARG: no motion, another model, a time that is not later; those of cr_data_check and cr_forward
CR_API cr_status cr_view_take(cr_view* view, cr_data* d, cr_error* error);

/// Adds the motion of an HDF5 file, as cr_rollout_save writes it.
/// name     in the legend; NULL: [the name of the file]
/// fps      so many states a second at most, the first and the last among them; 0: [50]
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT: no positions, another model, no rows; those of cr_view_take, with the row
CR_API cr_status cr_view_read(cr_view* view, const char* path, const char* name, cr_real fps,
                              cr_error* error);

/// A page that simulates: the core as WebAssembly and the model are in it. The mouse pulls bodies, sliders move controls and parameters, and the
/// page predicts a coordinate of a body's centre of mass and shows its gradient. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_view_live), set by the caller
  const char* const*
      parameters;  // places of parameters of the model, as "body_mass[cube]": a slider for each number
                   // [mass and friction of the body, gravity[2]]
  const cr_real *low,
      *high;  // the ends of the sliders, for each place; where both are 0: [a tenth of the number, three times it]
  int nparameter;
  const char* body;  // whose centre of mass is predicted at first [the first that moves]
  cr_real ahead;     // how far the page predicts at first, s [0.3 s, at most 200 steps]
} cr_view_live;

/// Makes the page simulate from the state in d, which becomes its only motion, with one state.
/// Leaves   d as after cr_forward
/// Errors   CR_ERR_UNSUPPORTED if the library was built without WebAssembly (docs/view.md), or for a model that no file can hold; CR_ERR_ARG: the
///          page has motions, nothing moves, a slider without length; CR_ERR_NAME for a place that is no parameter with a gradient, or that the page draws
///          as it is (sizes and poses of geoms and sites, meshes, height fields); those of cr_view_take
CR_API cr_status cr_view_set_live(cr_view* view, cr_data* d, const cr_view_live* live,
                                  cr_error* error);

/// States of motion i, in the order in which they were begun; -1 if there is no such motion.
CR_API int cr_view_states(const cr_view* view, int i);

/// Writes the page, whole or not at all: a file that exists is replaced. More motions may be added after it.
/// Errors   CR_ERR_ARG: no motion, or one without a state; CR_ERR_FILE, CR_ERR_MEMORY
CR_API cr_status cr_view_save(cr_view* view, const char* path, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
