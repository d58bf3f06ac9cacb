// SPDX-License-Identifier: Apache-2.0
// The state of added stages (cr_model_add_state): while no stage changes its rate, it stays constant.
#ifndef CR_ENGINE_PLUGIN_H
#define CR_ENGINE_PLUGIN_H

#include "model/data.h"

/// The initial rates for added stages.
/// Map      plugin_state -> plugin_state_dot
/// Equation plugin_state_dot = 0                                                      [plugin.z1]
/// Shapes   plugin_state_dot[npluginstate]
/// Smooth   everywhere
cr_status cr_plugin(const cr_model* m, cr_data* d);
cr_status cr_plugin_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_plugin_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
