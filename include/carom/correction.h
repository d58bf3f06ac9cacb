// SPDX-License-Identifier: Apache-2.0
// Corrections: small networks that read fields of the dynamics and change others, within every step. Their weights are
// parameters of the model and can be fitted as any other parameter. docs/corrections.md shows how.
#ifndef CAROM_CORRECTION_H
#define CAROM_CORRECTION_H

#include "carom/model.h"
#include "carom/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CR_MAX_CORRECTION_NAME = 47,
  CR_MAX_CORRECTION_INPUTS = 256,
  CR_MAX_CORRECTION_LAYERS = 16,
  CR_MAX_CORRECTION_TEXT = 255
};

/// How a correction changes a number x of its target; y, z, g are outputs of the network.
/// Equation ADD      x + s y                                                             [correction.a1]
///          SCALE    x (1 + s y)                                                         [correction.a2]
///          REPLACE  s y: also an untrained one changes x, to 0                          [correction.a3]
///          BLEND    x + tanh(g) (s z - x), two outputs for each number                  [correction.a4]
///          s is output_scale
typedef enum {
  CR_CORRECTION_ADD,
  CR_CORRECTION_SCALE,
  CR_CORRECTION_REPLACE,
  CR_CORRECTION_BLEND
} cr_correction_act;

/// An input of a network: all numbers x of a place, each as (x - offset) scale.
typedef struct {
  size_t size;        // sizeof(cr_correction_input), set by the caller
  const char* place;  // "qvel[hip]", "qpos[*]", "contact[*].dist", "time"; NULL: the constant 1
  cr_real offset;
  cr_real scale;  // 0: 1
} cr_correction_input;

/// A correction.
typedef struct {
  size_t size;         // sizeof(cr_correction_options), set by the caller
  const char* name;    // letters, digits and _; no stage may have this name already
  const char* target;  // what it changes, see cr_model_add_correction
  cr_correction_act act;
  const cr_correction_input* const* inputs;
  int ninput;
  // hidden layers; behind them there is a dense layer with as many outputs as needed
  const cr_layer* layers;
  int nlayer;
  cr_real output_scale;  // 0: 1
  cr_real tau;           // s, of the memory of recurrent layers; 0: the timestep
  uint64_t seed;         // of the first weights
  bool
      random_output;  // also the last layer starts random; otherwise it starts at 0, and no bit changes
  const cr_real* weights;  // instead of random ones; NULL: none
  int nweight;             // of weights
  // penalties for who trains the weights (carom/training.h), 0 or more; a step does not read them
  cr_real
      l2;  // of the matrices of all layers above the first, and of what recurrent layers remember
  cr_real lasso,    // of each weight of the inputs
      group_lasso;  // of all weights of an input number together
} cr_correction_options;

/// Adds a correction: a network that is evaluated once for each member of its target, with the same weights.
/// Target     a place, as "qfrc_passive[hip]", "qfrc_actuator", "ten_length[achilles]": one member. A bracket with *,
///            as "qfrc_passive[*]" or "qfrc_passive[hip_*]": one member for each object whose name fits. [*] alone
///            passes over joints with several dofs and actuators with several outputs. "contact[foot:*].friction",
///            "contact[*].solref.0": one member for each contact of such geoms that there is now. "dof_damping[*]",
///            "geom_friction[sole][0]": parameters, for all that reads them in this step. "M[hip,knee]",
///            "ten_J[cable,hip]", "actuator_moment[motor,hip]": entries of operators, without a second name a row.
///            What is possible: docs/corrections.md
/// Inputs     any fields that are made before the target is used. "[*]" in an input stands for the object of the
///            member: "qvel[*]" beside "qfrc_passive[*]" is the velocity of the same joint. "contact[*].dist" is of the
///            same contact. An orientation counts as its four numbers
/// Weights    number first ... of plugin_param (cr_model_add_parameters), to be set, fitted and differentiated as
///            any parameter
/// Memory     of layers that are recurrent: numbers of plugin_state (cr_model_add_state), nmemory for each member.
///            Equation  z' = (next(z, inputs) - z) / tau                                    [correction.m1]
///            With Euler's method and tau = timestep that is z = next(z, inputs) in each step
/// Exact      with the last layer at 0 each bit of a step is that without the correction (not REPLACE)
/// Smooth     where the activations are
/// Implicit   integrators treat it explicitly: a force as it is, a parameter as a number
/// Owner      the model, with its copies; nothing of options is borrowed
/// Data       and rollouts of the model have to be made after this
/// Errors     CR_ERR_ARG, CR_ERR_NAME (unknown fields, objects, names), CR_ERR_UNSUPPORTED (inputs that are made
///            too late, with the names of both stages; fields that cannot be corrected), CR_ERR_MEMORY. The model is then
///            unchanged. A step: CR_ERR_MODEL for a parameter out of its range, CR_ERR_SINGULAR for an M that is no
///            inertia
CR_API cr_status cr_model_add_correction(cr_model* model, const cr_correction_options* options,
                                         cr_error* error);

/// What a correction takes in a model.
typedef struct {
  size_t size;       // sizeof(cr_correction_info), set by the caller
  const char* name;  // the texts belong to the model
  const char* target;
  const char* after;  // the stage that it runs behind
  cr_correction_act act;
  int nmember;                // of contacts: 0, it changes from step to step
  int ninput, noutput;        // numbers of the network
  int weight_first, nweight;  // in plugin_param
  int state_first, nstate;    // in plugin_state; of all members
  const cr_network* network;  // belongs to the model
  cr_real l2, lasso, group_lasso;
} cr_correction_info;

/// Adds the corrections of a file: a blueprint in YAML (docs/corrections.md), or a file of cr_model_save_blueprint.
/// Errors   those of cr_model_add_correction, with file and name; CR_ERR_FILE; CR_ERR_FORMAT with file, line and key.
///          The model is then unchanged. A library without libraries for files (CAROM_IO=OFF) reads no YAML
CR_API cr_status cr_model_read_blueprint(cr_model* model, const char* path, cr_error* error);

/// Writes all corrections of a model with their weights, in one step: a file that exists is replaced when the new one is
/// whole. Numbers are exact in double precision.
/// Errors   CR_ERR_ARG without corrections; CR_ERR_FILE, CR_ERR_MEMORY
CR_API cr_status cr_model_save_blueprint(const cr_model* model, const char* path, cr_error* error);

CR_API int cr_model_correction_count(const cr_model* model);

/// Errors   CR_ERR_ARG for i out of range or a size that is not set
CR_API cr_status cr_model_get_correction(const cr_model* model, int i, cr_correction_info* info,
                                         cr_error* error);

/// How much the first layer of a correction weighs one of its input numbers.
typedef struct {
  size_t size;        // sizeof(cr_correction_usage), set by the caller
  const char* place;  // of the input, as it was given; NULL: the constant. It belongs to the model
  int number, count;  // the input number is number `number` of `count` of this place
  cr_real norm;   // of its weights, each by the input as the network reads it, (x - offset) scale
  cr_real share;  // of the sum of the norms of all inputs; 0 where all are 0
  int zeros, weights;  // weights that are exactly 0; all of them
  bool used;           // false: all are exactly 0, and the correction does not depend on this input
} cr_correction_usage;

/// Which inputs a correction uses, from its weights in the model: input number `input` of info.ninput.
/// Equation norm_k = sqrt(sum over j of W_jk^2), W the matrix of the first layer by its input (cr_network_weight_range)
/// Errors   CR_ERR_ARG for i or input out of range, or a size that is not set
CR_API cr_status cr_correction_get_usage(const cr_model* model, int i, int input,
                                         cr_correction_usage* usage, cr_error* error);

/// What a weight of a correction is.
enum {
  CR_WEIGHT_BIAS = -1,  // added to a unit's sum
  CR_WEIGHT_UPPER = -2  // of a layer above the first, or of what a recurrent layer remembers
};

/// For each weight the input number that it multiplies, or one of the above: what groups and l2 of cr_training_options are made of.
/// Shapes   kind[nweight], nweight = info.nweight
/// Errors   CR_ERR_ARG for i out of range
CR_API cr_status cr_correction_get_weights(const cr_model* model, int i, int32_t* kind,
                                           cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
