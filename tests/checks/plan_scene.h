// SPDX-License-Identifier: Apache-2.0
// A small task for planners: a double pendulum with a motor of limited strength at its root that shall come to rest
// at given angles; or a slide with a motor, a linear problem.
#ifndef CR_TESTS_PLAN_SCENE_H
#define CR_TESTS_PLAN_SCENE_H

#include "control/planner.h"

/// Free the model with cri_model_free, the cost with cr_cost_destroy.
void plan_pendulum(cr_model* m, cr_cost** cost);
void plan_slide(cr_model* m, cr_cost** cost);

/// A planner that has to be made.
cr_planner* plan_make(const cr_model* m, const cr_cost* cost, const cr_plan_options* options);

/// One iteration that has to work.
cr_plan_result plan_improve(cr_planner* p);

#endif
