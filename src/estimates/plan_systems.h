// SPDX-License-Identifier: Apache-2.0
// Systems of published plans: three smooth ones as functions, and a box and a hand as models with contact.
#ifndef CR_ESTIMATES_PLAN_SYSTEMS_H
#define CR_ESTIMATES_PLAN_SYSTEMS_H

#include "carom/carom.h"
#include "notebook/notebook.h"

enum { CR_PLAN_STATES = 12, CR_PLAN_CONTROLS = 4, CR_N_PLAN_SYSTEM = 8 };

/// How the planner gets its linear models.
typedef enum {
  CR_BUNDLE_EXACT,
  CR_BUNDLE_FIRST,
  CR_BUNDLE_ZEROTH,
  CR_BUNDLE_BARRIER,
  CR_N_BUNDLE
} cr_bundle;

/// A plan as irs_mpc (Suh, Pang, Tedrake) has it in its examples. Arrays have as many numbers as the system.
typedef struct {
  const char *name, *title;
  cr_mpc_system system;  // step NULL: a model with contact, `scene`
  const char* scene;     // MJCF
  int iterations, samples, nstep;
  double start[CR_PLAN_STATES], goal[CR_PLAN_STATES];
  double Q[CR_PLAN_STATES], end;  // the planner weighs the last state by Q `end`
  double R[CR_PLAN_CONTROLS];
  double guess[CR_PLAN_CONTROLS];  // first controls of a function
  double lead[CR_PLAN_CONTROLS];   // how far the first setpoints of a model move in all, evenly
  double sigma[CR_PLAN_STATES + CR_PLAN_CONTROLS], decay, power;
  double limit;  // of |state limited|, 0: none
  int limited;
  double change, trust;  // of all controls, 0: none
  double weight;         // of the barrier, of models
  bool decoupled;        // linear models without what the state does to the state
  bool circle;           // the goal goes around
  double stored[3];      // costs by exact, first and zeroth order
} cr_plan_system;

extern const cr_plan_system cri_plan_systems[CR_N_PLAN_SYSTEM];

/// Writes the scene into the book's folder and opens it.
cr_status cri_plan_scene_open(const cr_notebook* book, const cr_plan_system* system, cr_model** m,
                              cr_error* error);

#endif
