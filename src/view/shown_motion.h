// SPDX-License-Identifier: Apache-2.0
// A motion as a page shows it: at each frame the poses of bodies, paths of tendons, contacts, surfaces of pressure fields, and the numbers of plots.
#ifndef CR_VIEW_SHOWN_MOTION_H
#define CR_VIEW_SHOWN_MOTION_H

#include "base/status.h"
#include "carom/carom.h"
#include "tools/json.h"

/// Most numbers in one plot.
enum { CR_MAX_PLOTTED = 12 };

/// Numbers to plot, by name.
typedef struct {
  const char* const* names;
  int n;
} cr_plotted;

/// Faces of pressure fields, all frames together: polygons one after the other.
typedef struct {
  int nface, ncorner, face_room, corner_room;
  int32_t *first, *corners;    // faces before each frame; corners of each face
  cr_real *corner, *pressure;  // 3 a corner; 1 a face
} cr_shown_surface;

typedef struct {
  const cr_model* m;
  const char* name;  // in the legend
  cr_plotted plotted;
  int nframe, room, nbody, ntendon, npoint, ncontact,
      nplot;                                   // nplot: numbers of all plots together
  cr_real *time, *pose, *path, *level, *plot;  // a row a frame
  int32_t* first;                              // nframe + 1: contacts before each frame
  cr_real* contact;                            // position and force of each
  int contact_room;
  bool bare;  // without contacts
  bool no_surface;
  cr_shown_surface surface;
} cr_shown_motion;

/// Checks the names of plots: places with 1 to CR_MAX_PLOTTED numbers.
/// Errors   CR_ERR_NAME, CR_ERR_ARG
cr_status cr_plotted_check(const cr_model* m, const cr_plotted* plotted, cr_error* error);

/// A motion without frames, which borrows name and plotted. Owner: the caller, cr_shown_motion_free.
void cr_shown_motion_make(cr_shown_motion* motion, const cr_model* m, const char* name,
                          const cr_plotted* plotted);
void cr_shown_motion_free(cr_shown_motion* motion);

/// Takes the next frame from a state: checks it, calls cr_forward.
/// Errors   CR_ERR_ARG: a time that is not later; those of cr_data_check and cr_forward; CR_ERR_MEMORY
cr_status cr_shown_motion_take(cr_shown_motion* motion, cr_data* d, cr_error* error);

/// The number in act of the muscle on a tendon, which is then the tendon's level; -1 if it has none, and its length is.
int cr_shown_activation(const cr_model* m, int tendon);

/// Adds the motion as an object, with times since the first frame and levels as shares from 0 to 1. A motion of
/// another model than that of the page, which has its bodies and geoms, brings their sizes.
void cr_shown_motion_put(cr_json* j, const cr_model* page, const cr_shown_motion* motion);

/// Adds titles, units and columns of the plots as the member "plots".
void cr_plotted_put(cr_json* j, const cr_model* m, const cr_plotted* plotted);

/// Point and force of a contact: the force on the body that moves, in the world; on the second one where both do.
void cr_shown_contact(cr_real to[6], const cr_model* m, const cr_contact* c);

#endif
