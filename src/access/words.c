// SPDX-License-Identifier: Apache-2.0
// Words of the public enumerations. See carom/fields.h.
#include <string.h>

#include "carom/carom.h"

typedef struct {
  const char *kind, *word;
  int value;
} row;

#define STATUS_ROW(name, exit_code, text) {"status", &#name[STATUS_PREFIX], name},
enum { STATUS_PREFIX = sizeof "CR_" - 1 };

static const row rows[] = {
    CR_STATUS_LIST(STATUS_ROW){"load_finding", "unsupported", CR_LOAD_UNSUPPORTED},
    {"load_finding", "ignored", CR_LOAD_IGNORED},
    {"load_finding", "warning", CR_LOAD_WARNING},
    {"field_kind", "int", CR_KIND_INT},
    {"field_kind", "char", CR_KIND_CHAR},
    {"field_kind", "const", CR_KIND_CONST},
    {"field_kind", "param", CR_KIND_PARAM},
    {"field_kind", "state", CR_KIND_STATE},
    {"field_kind", "real", CR_KIND_REAL},
    {"field_kind", "op", CR_KIND_OP},
    {"field_kind", "save", CR_KIND_SAVE},
    {"field_kind", "index", CR_KIND_INDEX},
    {"frame", "body", CR_FRAME_BODY},
    {"frame", "xbody", CR_FRAME_XBODY},
    {"frame", "geom", CR_FRAME_GEOM},
    {"frame", "site", CR_FRAME_SITE},
    {"adjoint_states", "interpolated", CR_STATES_INTERPOLATED},
    {"adjoint_states", "integrated", CR_STATES_INTEGRATED},
    {"adjoint_states", "backward", CR_STATES_BACKWARD},
    {"trust_verdict", "trust", CR_TRUST_YES},
    {"trust_verdict", "refine", CR_TRUST_REFINE},
    {"trust_verdict", "events", CR_TRUST_EVENTS},
    {"trust_verdict", "chaotic", CR_TRUST_CHAOTIC},
    {"trust_verdict", "kink", CR_TRUST_KINK},
    {"trust_verdict", "unsettled", CR_TRUST_UNSETTLED},
    {"transform", "none", CR_TRANSFORM_NONE},
    {"transform", "log", CR_TRANSFORM_LOG},
    {"transform", "softplus", CR_TRANSFORM_SOFTPLUS},
    {"transform", "bounded", CR_TRANSFORM_BOUNDED},
    {"activation", "identity", CR_ACTIVATION_IDENTITY},
    {"activation", "tanh", CR_ACTIVATION_TANH},
    {"activation", "elu", CR_ACTIVATION_ELU},
    {"activation", "relu", CR_ACTIVATION_RELU},
    {"activation", "softplus", CR_ACTIVATION_SOFTPLUS},
    {"activation", "sigmoid", CR_ACTIVATION_SIGMOID},
    {"activation", "silu", CR_ACTIVATION_SILU},
    {"activation", "sine", CR_ACTIVATION_SINE},
    {"layer_kind", "dense", CR_LAYER_DENSE},
    {"layer_kind", "gru", CR_LAYER_GRU},
    {"layer_kind", "lstm", CR_LAYER_LSTM},
    {"correction_act", "add", CR_CORRECTION_ADD},
    {"correction_act", "scale", CR_CORRECTION_SCALE},
    {"correction_act", "replace", CR_CORRECTION_REPLACE},
    {"correction_act", "blend", CR_CORRECTION_BLEND},
    {"estimator_kind", "first", CR_ESTIMATOR_FIRST},
    {"estimator_kind", "zeroth", CR_ESTIMATOR_ZEROTH},
    {"estimator_kind", "alpha", CR_ESTIMATOR_ALPHA},
    {"draws", "random", CR_DRAWS_RANDOM},
    {"draws", "antithetic", CR_DRAWS_ANTITHETIC},
    {"draws", "quasi", CR_DRAWS_QUASI},
    {"alpha_verdict", "free", CR_ALPHA_FREE},
    {"alpha_verdict", "bounded", CR_ALPHA_BOUNDED},
    {"alpha_verdict", "zero", CR_ALPHA_ZERO},
    {"fit_kind", "field", CR_FIT_FIELD},
    {"fit_kind", "box_side", CR_FIT_BOX_SIDE},
    {"fit_kind", "direction", CR_FIT_DIRECTION},
    {"fit_kind", "tied", CR_FIT_TIED},
    {"fit_kind", "scale", CR_FIT_SCALE},
    {"fit_kind", "offset", CR_FIT_OFFSET},
    {"fit_kind", "inertia", CR_FIT_INERTIA},
    {"fit_kind", "shape", CR_FIT_SHAPE},
    {"fit_kind", "density", CR_FIT_DENSITY},
    {"least_squares_method", "levenberg_marquardt", CR_LEVENBERG_MARQUARDT},
    {"least_squares_method", "gauss_newton", CR_GAUSS_NEWTON},
    {"global_method", "restarts", CR_GLOBAL_RESTARTS},
    {"global_method", "basin_hopping", CR_GLOBAL_BASIN_HOPPING},
    {"global_method", "cma_es", CR_GLOBAL_CMA_ES},
    {"global_method", "differential_evolution", CR_GLOBAL_DIFFERENTIAL_EVOLUTION},
    {"local_method", "none", CR_LOCAL_NONE},
    {"local_method", "lbfgs", CR_LOCAL_LBFGS},
    {"local_method", "levenberg_marquardt", CR_LOCAL_LEVENBERG_MARQUARDT},
    {"local_method", "own", CR_LOCAL_OWN},
    {"start", "estimated", CR_START_ESTIMATED},
    {"start", "reference", CR_START_REFERENCE},
    {"start", "measured", CR_START_MEASURED},
    {"run_part", "train", CR_RUNS_TRAIN},
    {"run_part", "held", CR_RUNS_HELD},
    {"fit_part", "train", CR_FIT_TRAIN},
    {"fit_part", "held", CR_FIT_HELD},
    {"residual_kind", "place", CR_RESIDUAL_PLACE},
    {"residual_kind", "orientation", CR_RESIDUAL_ORIENTATION},
    {"residual_kind", "expression", CR_RESIDUAL_EXPRESSION},
    {"residual_kind", "callback", CR_RESIDUAL_CALLBACK},
    {"friction", "pyramid", CR_FRICTION_PYRAMID},
    {"friction", "cone", CR_FRICTION_CONE},
    {"inertia_use", "whole", CR_INERTIA_WHOLE},
    {"inertia_use", "scaled", CR_INERTIA_SCALED},
    {"inertia_use", "none", CR_INERTIA_NONE},
    {"plan_method", "gradient", CR_PLAN_GRADIENT},
    {"plan_method", "ilqr", CR_PLAN_ILQR},
    {"plan_method", "sampling", CR_PLAN_SAMPLING},
    {"plan_method", "cem", CR_PLAN_CEM},
    {"plan_method", "mppi", CR_PLAN_MPPI},
    {"plan_method", "mixed", CR_PLAN_MIXED},
    {"control_shape", "step", CR_CONTROLS_STEP},
    {"control_shape", "zero", CR_CONTROLS_ZERO},
    {"control_shape", "linear", CR_CONTROLS_LINEAR},
    {"control_shape", "cubic", CR_CONTROLS_CUBIC},
    {"noise_colour", "white", CR_NOISE_WHITE},
    {"noise_colour", "pink", CR_NOISE_PINK},
    {"noise_colour", "brown", CR_NOISE_BROWN},
    {"descent", "adam", CR_DESCENT_ADAM},
    {"descent", "lbfgs", CR_DESCENT_LBFGS},
    {"policy_descent", "adam", CR_POLICY_ADAM},
    {"policy_descent", "plain", CR_POLICY_PLAIN},
    {"norm", "null", CR_NORM_NULL},
    {"norm", "quadratic", CR_NORM_QUADRATIC},
    {"norm", "l22", CR_NORM_L22},
    {"norm", "l2", CR_NORM_L2},
    {"norm", "cosh", CR_NORM_COSH},
    {"norm", "power", CR_NORM_POWER},
    {"norm", "smooth_abs", CR_NORM_SMOOTH_ABS},
    {"norm", "smooth_abs2", CR_NORM_SMOOTH_ABS2},
    {"norm", "rectify", CR_NORM_RECTIFY},
    {"learning_loss", "squares", CR_LEARNING_SQUARES},
    {"learning_loss", "absolute", CR_LEARNING_ABSOLUTE},
    {"learning_loss", "huber", CR_LEARNING_HUBER},
    {"learning_schedule", "geometric", CR_LEARNING_GEOMETRIC},
    {"learning_schedule", "cosine", CR_LEARNING_COSINE},
};
enum { N_ROW = sizeof rows / sizeof rows[0] };

const char* cr_enum_word(const char* kind, int value) {
  for (int i = 0; i < N_ROW && kind != NULL; i++) {
    if (rows[i].value == value && strcmp(rows[i].kind, kind) == 0) {
      return rows[i].word;
    }
  }
  return NULL;
}

int cr_enum_value(const char* kind, const char* word) {
  for (int i = 0; i < N_ROW && kind != NULL && word != NULL; i++) {
    if (strcmp(rows[i].kind, kind) == 0 && strcmp(rows[i].word, word) == 0) {
      return rows[i].value;
    }
  }
  return -1;
}
