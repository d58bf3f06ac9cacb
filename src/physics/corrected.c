// SPDX-License-Identifier: Apache-2.0
// Corrections of contacts.
#include "physics/corrected.h"

#include <stdio.h>

#include "base/real.h"
#include "base/status.h"

enum { WIDTH = 8, WEIGHTS_BOUND = 1000 };
static const cr_real weight_unit = CR_R(0.3);

// scales: a true friction of 1 is 49 times that of ice more, and true damping 21 to 104 N s/(kg m)
static const struct {
  const char* target;
  cr_correction_act act;
  cr_real scale;
} corrections[CRI_N_LAW] = {
    [CRI_LAW_TRUE] = {"contact[floor:*].force", CR_CORRECTION_SCALE, CR_R(0.1)},
    [CRI_LAW_ICE] = {"contact[floor:*].friction", CR_CORRECTION_SCALE, 20},
    [CRI_LAW_ELASTIC] = {"contact[floor:*].solref.1", CR_CORRECTION_ADD, -30},
};

static cr_status add_correction(cr_model* m, cri_law law, cr_error* error) {
  const cr_correction_input depth = {
      .size = sizeof depth, .place = "contact[*].dist", .scale = 100};
  const cr_correction_input velocity = {
      .size = sizeof velocity, .place = "qvel", .scale = CR_R(0.2)};
  const cr_correction_input* const inputs[] = {&depth, &velocity};
  const cr_layer hidden = {.size = sizeof hidden,
                           .kind = CR_LAYER_DENSE,
                           .width = WIDTH,
                           .activation = CR_ACTIVATION_TANH};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "contact",
                                   .target = corrections[law].target,
                                   .act = corrections[law].act,
                                   .inputs = inputs,
                                   .ninput = 2,
                                   .layers = &hidden,
                                   .nlayer = 1,
                                   .output_scale = corrections[law].scale};
  return cr_model_add_correction(m, &o, error);
}

static cr_status add_weights(cri_unknown* u, cr_error* error) {
  const int n = cr_model_count(u->m, "npluginparam");
  if (u->n + n > CRI_MOST_UNKNOWN) {
    return cri_fail(error, CR_ERR_ARG, "%d weights of a correction are too many", n);
  }
  for (int i = 0; i < n; i++, u->n++) {
    (void)snprintf(u->target[u->n], sizeof u->target[u->n], "plugin_param[%d]", i);
    u->unit[u->n] = weight_unit;
    u->item[u->n] = (cr_parameter_info){.size = sizeof(cr_parameter_info),
                                        .name = u->target[u->n],
                                        .target = u->target[u->n],
                                        .kind = CR_FIT_FIELD,
                                        .lower = -WEIGHTS_BOUND,
                                        .upper = WEIGHTS_BOUND};
  }
  return CR_OK;
}

cr_status cri_corrected_open(const cri_unknown* from, cri_law law, cri_unknown** u,
                             cr_error* error) {
  CR_TRY(cri_unknown_copy(from, u, error));
  CR_TRY(add_correction((*u)->m, law, error));
  return add_weights(*u, error);
}
