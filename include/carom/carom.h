// SPDX-License-Identifier: Apache-2.0
// All of the public API.
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/base.h"
#include "carom/batch.h"
#include "carom/calls.h"
#include "carom/check.h"
#include "carom/contact.h"
#include "carom/correction.h"
#include "carom/cost.h"
#include "carom/data.h"
#include "carom/feedback.h"
#include "carom/fields.h"
#include "carom/fit.h"
#include "carom/gradient.h"
#include "carom/identify.h"
#include "carom/inverse.h"
#include "carom/jacobian.h"
#include "carom/learned.h"
#include "carom/measure.h"
#include "carom/minimise.h"
#include "carom/model.h"
#include "carom/mujoco.h"
#include "carom/network.h"
#include "carom/parameters.h"
#include "carom/plan.h"
#include "carom/profile.h"
#include "carom/recording.h"
#include "carom/rollout.h"
#include "carom/stage.h"
#include "carom/state.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "carom/training.h"
#include "carom/trust.h"

#endif
