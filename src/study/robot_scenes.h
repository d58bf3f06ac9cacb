// SPDX-License-Identifier: Apache-2.0
// The robots of the study `robot`: an arm of seven joints and a quadruped, both driven by position servos. What a
// user believes of them is the model; what they are is hidden.
#ifndef CR_STUDY_ROBOT_SCENES_H
#define CR_STUDY_ROBOT_SCENES_H

#include "carom/carom.h"
#include "notebook/notebook.h"

typedef enum { CR_ROBOT_ARM, CR_ROBOT_QUADRUPED, CR_N_ROBOT } cr_robot_kind;

enum {
  CR_ROBOT_LINKS = 13,
  CR_ROBOT_JOINTS = 12,
  CR_ROBOT_NUMBERS = 10 * CR_ROBOT_LINKS + 3 * CR_ROBOT_JOINTS + 1
};

/// The parameters of a robot: the inertia of every link, then damping, friction loss and armature of every joint, then the
/// friction of the feet.
typedef struct {
  int n, nlink, njoint;
  cr_parameter_info items[CR_ROBOT_LINKS + 3 * CR_ROBOT_JOINTS + 1];
  const cr_parameter_info* list[CR_ROBOT_LINKS + 3 * CR_ROBOT_JOINTS + 1];
  char names[CR_ROBOT_LINKS + 3 * CR_ROBOT_JOINTS + 1][48],
      targets[CR_ROBOT_LINKS + 3 * CR_ROBOT_JOINTS + 1][64];
} cr_robot_parameters;

extern const char* const cri_robot_names[CR_N_ROBOT];

/// Writes folder/<name>.xml. Errors: CR_ERR_FILE.
cr_status cri_robot_write(const char* folder, cr_robot_kind kind, char path[CR_MAX_PATH],
                          cr_error* error);

/// Fills the list of parameters, started at what the model has. Borrows from *list: it stays where it is.
/// Errors   CR_ERR_ARG
cr_status cri_robot_parameters(cr_robot_parameters* list, const cr_model* m, cr_error* error);

/// The hidden robot: x away from the start by up to a quarter of dampings, frictions and armatures, a fifth of
/// masses, an eighth of radii of gyration, and a centimetre of centres of mass.
void cri_robot_hide(const cr_robot_parameters* list, const cr_real* start, cr_real* x);

/// Targets of the servos at a time: sums of sines, with phases by the number of the recording.
void cri_robot_targets(cr_robot_kind kind, int recording, double time, double* ctrl);

#endif
