// SPDX-License-Identifier: Apache-2.0
// A box on a plane of which nothing else is known: five unknown numbers of a model.
#ifndef CR_STIFF_PHYSICS_BOX_H
#define CR_STIFF_PHYSICS_BOX_H

#include "carom/carom.h"
#include "notebook/notebook.h"
#include "stiff/tossed.h"

/// Half of the side, m; inertia, kg m^2; friction; stiffness and damping of the contact, N/(kg m) and N s/(kg m). The mass is known: motion shows
/// only ratios to it.
enum {
  CRI_BOX_HALF,
  CRI_BOX_INERTIA,
  CRI_BOX_FRICTION,
  CRI_BOX_STIFFNESS,
  CRI_BOX_DAMPING,
  CRI_BOX_N
};
extern const cr_parameter_info cri_box_unknowns[CRI_BOX_N];

/// The model. Its contacts from distance have the impedance 0.9 at touch, as its contacts have. Owner: the caller, cr_model_destroy.
/// Errors   CR_ERR_FILE, those of cr_model_open
cr_status cri_box_open(const cr_notebook* book, cr_model** m, cr_error* error);

/// How far contacts from distance reach, m.
cr_status cri_box_set_reach(cr_model* m, cr_real reach, cr_error* error);

/// Start number `start`: drawn from wide ranges, even in logarithms.
void cri_box_start(int start, cr_real p[CRI_BOX_N]);

/// Numbers with which the tosses of a floor were made.
void cri_box_truth(int floor, cr_real p[CRI_BOX_N]);

/// The model with these numbers. Owner: the caller, cr_model_destroy.
/// Errors   those of cr_parameters_create
cr_status cri_box_model(const cr_model* box, const cr_real p[CRI_BOX_N], cr_model** m,
                        cr_error* error);

#endif
