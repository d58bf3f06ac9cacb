// SPDX-License-Identifier: Apache-2.0
// Scenes of the study of jumps: a body that one coordinate moves through contact, and the forces on it by four ways to
// detect contact.
#ifndef CR_JUMPS_JUMP_SCENES_H
#define CR_JUMPS_JUMP_SCENES_H

#include <mujoco/mujoco.h>

#include "carom/carom.h"
#include "notebook/notebook.h"

enum {
  CRI_JUMP_EDGE,
  CRI_JUMP_CORNER,
  CRI_JUMP_BRICK,
  CRI_JUMP_PEG,
  CRI_JUMP_CUBE,
  CRI_N_JUMP_SCENE
};

/// Points of Carom and of MuJoCo, smooth collision detection, pressure fields.
enum { CRI_BY_POINTS, CRI_BY_MUJOCO, CRI_BY_SMOOTH, CRI_BY_FIELDS, CRI_N_JUMP_METHOD };

typedef struct {
  const char *name, *title, *coordinate;  // of the file; for people; axis of a picture
  int dof;                                // of the body's free joint
  cr_real from, to;                       // m or rad
  const char *fixed, *rigid, *body,
      *geom;  // MJCF: geoms, their pressure fields, the body that moves
} cri_jump_scene;

extern const cri_jump_scene cri_jump_scenes[CRI_N_JUMP_SCENE];
extern const char* const cri_jump_methods[CRI_N_JUMP_METHOD];

/// Numbers of a force on a free body: forces, then torques.
enum { CRI_WRENCH = 6 };

/// A scene by a method.
typedef struct {
  const cri_jump_scene* scene;
  cr_model* m;
  cr_data *d, *tan;
  mjModel* mj;
  mjData* mjd;
  cr_real start[7];
} cri_jump_probe;

/// Writes <name>.xml, or <name>_fields.xml, into the folder of the results, and opens it. Close it also after an error.
cr_status cri_jump_probe_open(cri_jump_probe* probe, const cr_notebook* book, int scene, int method,
                              cr_error* error);
void cri_jump_probe_close(cri_jump_probe* probe);

/// Functions for cr_jumps_find whose context is a probe: the forces of contacts on the body, at rest; their derivative
/// by the coordinate: the exact one of Carom, central differences over 1e-6 of MuJoCo.
/// Shapes   value[CRI_WRENCH]
cr_status cri_jump_forces(void* probe, cr_real at, cr_real* value, int* contacts, cr_error* error);
cr_status cri_jump_gradient(void* probe, cr_real at, cr_real* value, int* contacts,
                            cr_error* error);

#endif
