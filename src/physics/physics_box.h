// SPDX-License-Identifier: Apache-2.0
// A box on a plane of which nothing else is known: five unknown numbers of a model. The law of its contact is the one of the tosses, or
// a wrong one.
#ifndef CR_PHYSICS_PHYSICS_BOX_H
#define CR_PHYSICS_PHYSICS_BOX_H

#include "physics/unknown.h"
#include "stiff/tossed.h"

/// CRI_LAW_TRUE: the law of the tosses, with unknown numbers.
/// CRI_LAW_ICE: the floor has a friction of 0.02, and the medium is viscous: what slides is slowed as in honey.
/// CRI_LAW_ELASTIC: the contact has no damping, and the medium is viscous: what falls bounces, and is slowed later.
typedef enum { CRI_LAW_TRUE, CRI_LAW_ICE, CRI_LAW_ELASTIC, CRI_N_LAW } cri_law;
extern const char* const cri_law_names[CRI_N_LAW];

/// Half of the side, m; inertia, kg m^2; friction; stiffness and damping of the contact, N/(kg m) and N s/(kg m). In a wrong law the viscosity
/// of the medium, kg/(m s), is in the place of friction or damping. The mass is known: motion shows only ratios to it.
enum {
  CRI_BOX_HALF,
  CRI_BOX_INERTIA,
  CRI_BOX_FRICTION,
  CRI_BOX_STIFFNESS,
  CRI_BOX_DAMPING,
  CRI_BOX_N
};

/// The unknown numbers of the true law.
extern const cr_parameter_info cri_box_unknowns[CRI_BOX_N];

/// The model with its unknown numbers. Starts are drawn even in logarithms.
/// Owner    the caller, cri_unknown_destroy
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY, those of cr_model_open
cr_status cri_box_open(const cr_notebook* book, cri_law law, cri_unknown** box, cr_error* error);

/// Numbers with which the tosses of a floor were made.
void cri_box_truth(int floor, cr_real p[CRI_BOX_N]);

#endif
