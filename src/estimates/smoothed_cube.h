// SPDX-License-Identifier: Apache-2.0
// Linear models of a cube near contact: the mean of hard steps under normal noise (zeroth order, taken as the truth), the mean of Jacobians, the Jacobian at the point, and those with a
// force at a distance. Two scenes: a cube that falls on a corner (contacts from distance), and a square that a servo pushes in quasi-dynamic steps (log barrier).
#ifndef CR_ESTIMATES_SMOOTHED_CUBE_H
#define CR_ESTIMATES_SMOOTHED_CUBE_H

#include "carom/carom.h"
#include "notebook/notebook.h"

typedef enum { CR_CUBE_FALLS, CR_CUBE_PUSHED, CR_N_CUBE_SCENE } cr_cube_scene;

enum {
  CR_CUBE_WIDTHS = 5
};  // of the force at a distance: 1/4, 1/2, 1, 2, 4 times that of the noise

/// Distance of linear models from the truth, relative to its Frobenius norm.
typedef struct {
  double size;          // norm of the truth
  double error;         // of the truth itself, half an interval of 95 %, relative
  double plain, first;  // the Jacobian; the mean of Jacobians
  double barrier[CR_CUBE_WIDTHS];
  double centred
      [CR_CUBE_WIDTHS];  // falls: with the cube lifted by half the width, the mean of the noise that belongs to it
} cr_cube_errors;

/// The scene, the hard model and those with a force at a distance.
typedef struct {
  cr_cube_scene scene;
  cr_model *m, *smooth[CR_CUBE_WIDTHS];
  int samples;
} cr_smoothed_cube;

/// Writes folder/smoothing_cube.xml or smoothing_push.xml and opens it. Free with cri_smoothed_cube_close, also after an error.
/// Errors   CR_ERR_FILE, those of cr_model_open
cr_status cri_smoothed_cube_open(cr_smoothed_cube* cube, const cr_notebook* book,
                                 cr_cube_scene scene, int samples, cr_error* error);
void cri_smoothed_cube_close(cr_smoothed_cube* cube);

/// The errors at pose `pose` (a random one for each number), with so many standard deviations of the noise between the bodies. Several threads may call at once.
/// Errors   those of cr_smoothed_model and of steps
cr_status cri_smoothed_cube_errors(const cr_smoothed_cube* cube, int pose, double gap,
                                   cr_cube_errors* errors, cr_error* error);

/// Factor i of the widths.
double cri_cube_width(int i);

#endif
