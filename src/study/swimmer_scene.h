// SPDX-License-Identifier: Apache-2.0
// Swimmers: a chain of links in the plane with elastic joints, in a medium or in vacuum, and their motions under random torques.
#ifndef CR_STUDY_SWIMMER_SCENE_H
#define CR_STUDY_SWIMMER_SCENE_H

#include "notebook/notebook.h"
#include "study/learned.h"

enum {
  CR_SWIMMER_WATER_25,
  CR_SWIMMER_WATER_5,
  CR_SWIMMER_AIR_25,
  CR_SWIMMER_VACUUM,
  CR_SWIMMER_MEDIA = CR_SWIMMER_VACUUM
};
extern const char* const cri_swimmer_media[CR_SWIMMER_MEDIA + 1];  // as parts of file names

/// Places of x, y and heading of the head in qpos and qvel; the angles of the joints follow.
enum { CR_SWIMMER_HEADING = 2, CR_SWIMMER_ROOT, CR_SWIMMER_MOST_DOFS = 8 };

/// Ways to push a link: along it, across it, and about its centre.
enum { CR_SWIMMER_SURGE, CR_SWIMMER_SWAY, CR_SWIMMER_YAW, CR_SWIMMER_PUSHES };

/// A model of so many links, 2 to 6, with a motor for each joint; file swimmer_LINKS_MEDIUM.xml. Each link i has three idle actuators at
/// its centre, "surge_i", "sway_i" and "yaw_i": their velocities are the link's in its own frame, and a force on them acts there.
/// Owner: the caller, cr_model_destroy.
/// Errors   those of cri_scene_open
cr_status cri_swimmer_open(const cr_notebook* book, int links, int medium, cr_model** m,
                           cr_error* error);

/// A motion, and the controls that made it: rows - 1 x nu, torques first, then zeros.
typedef struct {
  cr_states states;
  int dofs, nu;
  cr_real* ctrl;
} cr_swimmer_motion;

/// From rest with a random heading and random angles, under torques that change every 20 steps, all by the seed. Free with
/// cri_swimmer_free, also after an error.
/// torque   the largest, as a share of what the motors can do
/// Errors   those of steps, CR_ERR_MEMORY
cr_status cri_swimmer_move(cr_swimmer_motion* motion, const cr_model* m, uint64_t seed,
                           uint64_t stream, cr_real torque, int rows, cr_error* error);
void cri_swimmer_free(cr_swimmer_motion* motion);

/// Its mirror image, which is a motion too.
void cri_swimmer_mirror(cr_swimmer_motion* motion);

/// Adds it as a run.
/// Errors   those of cr_measurements_begin and cri_states_add
cr_status cri_swimmer_measure(cr_measurements* ms, const cr_swimmer_motion* motion,
                              const char* name, int group, cr_error* error);

#endif
