// SPDX-License-Identifier: Apache-2.0
// Two bodies on a line, of which the first is pushed (alpha_gradient: Suh, Simchowitz, Zhang and Tedrake, ICML 2022). A step is
//   v' = keep v + h f / m,   x' = x + h v',   m = 0.1 kg,   h = 0.005 s
// The force between the bodies is a contact with or without smoothing, or friction while one lies on the other.
#ifndef CR_ESTIMATES_SLIDERS_H
#define CR_ESTIMATES_SLIDERS_H

#include "carom/carom.h"
#include "estimates/motion.h"
#include "notebook/notebook.h"

typedef enum {
  CR_SLIDERS_CONTACT,   // k max(0, p), p = 1 - (x2 - x1): two spheres, the law of Hunt and Crossley
  CR_SLIDERS_SOFTPLUS,  // k log(1 + exp(kappa p)) / kappa, an added stage
  CR_SLIDERS_FRICTION  // -1.8 clamp(v2 - v1, -0.1, 0.1) on body 2 where abs(x2 - x1) < 0.1, an added stage
} cr_sliders_law;

typedef struct {
  cr_sliders_law law;
  double keep;              // share of the velocity that a step keeps
  double stiffness, kappa;  // k, N/m; 1/m
  double start, goal[2];    // of body 2, of both, m; body 1 starts at 0, both at rest
  int steps;
} cr_sliders;

/// Writes folder/<name>.xml, without the law, and opens it. Owner: the caller, cr_model_destroy.
/// Errors   CR_ERR_FILE, those of cr_model_open
cr_status cri_sliders_open(const cr_notebook* book, const char* name, const cr_sliders* s,
                           cr_model** m, cr_error* error);

/// Adds the law to the model. `s` is borrowed, by copies of the model too.
/// Errors   those of cr_model_add_stage, cr_model_set
cr_status cri_sliders_add_law(cr_model* m, const cr_sliders* s, cr_error* error);

/// The loss of a model without its law, by the forces on body 1 in every step: sum of e' Q e + u^2, e' Q e at the end as well, e the state minus (goal, 0, 0),
/// Q = diag(0.1, 10, 0.1, 0.1). It lacks the start's constant, cri_sliders_start_cost. `s` is borrowed. Owner: the caller, cri_motion_close.
/// Errors   those of cri_motion_open
cr_status cri_sliders_motion(cr_motion* motion, const cr_model* m, const cr_sliders* s,
                             cr_error* error);

/// e' Q e at the start.
double cri_sliders_start_cost(const cr_sliders* s);

#endif
