// SPDX-License-Identifier: Apache-2.0
// What rollout and grad have in common: a model file, changes to it, an initial state, controls.
#ifndef CR_CLI_SETUP_H
#define CR_CLI_SETUP_H

#include "carom/model.h"
#include "cli/method.h"
#include "cli/urdf_words.h"
#include "io/report.h"
#include "rollout/trajectory.h"
#include "tools/json.h"

typedef struct {
  const char* model_path;
  cr_urdf_words urdf;
  double time;
  cr_method_options method;
  const char* keyframe;
  cr_text_list set, ctrl;
  bool derive, json;
} cr_setup_options;

/// Values of options that are not given.
#define CR_SETUP_DEFAULTS \
  { .time = 1, .method = CR_METHOD_DEFAULTS }

/// The rows of these options, to begin a command's table with.
#define CR_SETUP_OPTIONS(s)                                                                        \
  {"", CR_OPT_TEXT, &(s).model_path, "MODEL", "MJCF, URDF or Carom model file"},                   \
      {"--time", CR_OPT_REAL, &(s).time, "T", "seconds to simulate (default 1)"},                  \
      CR_METHOD_OPTIONS((s).method,                                                                \
                        "from one control, and one look of the loss, to the next (default: the "   \
                        "time step with controls from a file, otherwise the whole time)"),         \
      {"--keyframe", CR_OPT_TEXT, &(s).keyframe, "K", "start from a keyframe, by name or number"}, \
      {"--set", CR_OPT_LIST, &(s).set, "NAME=VALUE",                                               \
       "initial state or model field; VALUE may be a list a,b,c"},                                 \
      {"--ctrl", CR_OPT_LIST, &(s).ctrl, "FILE|NAME=VALUE",                                        \
       "constant control of an actuator, or a CSV or HDF5 file with a row a step"},                \
      {"--derive", CR_OPT_FLAG, &(s).derive, "",                                                   \
       "after --set of model fields, derive constants such as body_invweight0 again"},             \
      CR_URDF_OPTIONS((s).urdf), {                                                                 \
    "--json", CR_OPT_FLAG, &(s).json, "", "print one JSON object"                                  \
  }

/// A model ready to run. Every part is valid or zero, whatever cr_setup_load returned.
typedef struct {
  cr_model m;
  cr_load_report report;
  cr_rollout* rollout;
  int nstep;
} cr_setup;

/// Loads the model, applies options, makes a rollout with initial state and controls filled in.
/// `wanted`: parameters that need a gradient, see cri_data_twin.
cr_status cr_setup_load(cr_setup* setup, const cr_setup_options* options, cr_error* error);
cr_status cr_setup_rollout(cr_setup* setup, const cr_setup_options* options, const bool* wanted,
                           cr_error* error);

/// That a file to be written after the run can be written, and is not the model; `path` may be NULL.
cr_status cr_setup_output(const cr_setup_options* options, const char* option, const char* path,
                          cr_error* error);

/// Whether a file is called as HDF5 is; and what is said of one to be written that is not.
bool cr_setup_names_hdf5(const char* path);
#define CR_SETUP_HDF5 "--out %s: HDF5 is written; a name that ends in .h5 is expected"

/// Steps of the last run: those of the file's length, or the accepted ones of an adaptive rollout.
int cr_setup_steps(const cr_setup* setup);

void cr_setup_free(cr_setup* setup);

/// Says that there is no memory to begin with; returns the exit code.
int cr_cli_no_memory(const char* command);

/// Reports a failure as a command does: the sentence on standard error, with --json an object with
/// `error` on standard output; returns the exit code.
int cr_cli_fail(const char* command, bool json, const cr_error* error,
                const cr_load_report* report);

/// The --set of one NAME=VALUE on model or state.
cr_status cr_setup_assign(cr_model* m, cr_data* d, const char* text, cr_error* error);

#endif
