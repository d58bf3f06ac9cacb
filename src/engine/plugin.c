// SPDX-License-Identifier: Apache-2.0
// A rate of zero, which depends on nothing.
#include "engine/plugin.h"

cr_status cr_plugin(const cr_model* m, cr_data* d) {
  // [plugin.z1]
  cr_zero(d->plugin_state_dot, m->npluginstate);
  return CR_OK;
}

cr_status cr_plugin_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  // [plugin.z1]
  (void)d;
  cr_zero(tan->plugin_state_dot, m->npluginstate);
  return CR_OK;
}

cr_status cr_plugin_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  // [plugin.z1]' nothing
  (void)m, (void)d, (void)bar;
  return CR_OK;
}
