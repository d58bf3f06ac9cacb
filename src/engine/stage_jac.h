// SPDX-License-Identifier: Apache-2.0
// Tells if stages of the pipeline have a structured derivative at a state: the column of
// engine/pipeline_table.h. See cr_stage_jac.
#ifndef CR_ENGINE_STAGE_JAC_H
#define CR_ENGINE_STAGE_JAC_H

#include "model/schedule.h"

const char* cri_jac_always(const cr_model* m, const cr_data* d);
const char* cri_jac_plugin(const cr_model* m, const cr_data* d);
const char* cri_jac_collision(const cr_model* m, const cr_data* d);
const char* cri_jac_adhesion(const cr_model* m, const cr_data* d);
const char* cri_jac_tendon_bias(const cr_model* m, const cr_data* d);
const char* cri_jac_actuation(const cr_model* m, const cr_data* d);
const char* cri_jac_metric(const cr_model* m, const cr_data* d);
const char* cri_jac_regularisation(const cr_model* m, const cr_data* d);
const char* cri_jac_acceleration(const cr_model* m, const cr_data* d);

#endif
