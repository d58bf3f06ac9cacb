// SPDX-License-Identifier: Apache-2.0
// Shared by rollout and grad: a model file, changes to it, an initial state, controls.
#ifndef CR_COMMAND_SETUP_H
#define CR_COMMAND_SETUP_H

#include "carom/carom.h"
#include "command/method.h"
#include "command/output.h"
#include "command/urdf_words.h"
#include "tools/json.h"

typedef struct {
  const char* model_path;
  const char* blueprint;  // corrections, or NULL
  cr_urdf_words urdf;
  double time;
  cr_method_options method;
  const char* keyframe;
  cr_text_list set, ctrl;
  bool derive, json, force;
} cr_setup_options;

/// Values of options that are not given.
#define CR_SETUP_DEFAULTS \
  { .time = 1, .method = CR_METHOD_DEFAULTS }

/// The rows of these options, at the beginning of a command's table.
#define CR_SETUP_OPTIONS(s)                                                                        \
  {"", CR_OPT_TEXT, &(s).model_path, "MODEL", "MJCF, URDF or Carom model file"},                   \
      {"--time", CR_OPT_REAL, &(s).time, "T", "seconds to simulate (default 1)"},                  \
      CR_METHOD_OPTIONS((s).method,                                                                \
                        "interval at which controls change and the loss is evaluated (default: "   \
                        "the time step with controls from a file, otherwise the whole time)"),     \
      {"--keyframe", CR_OPT_TEXT, &(s).keyframe, "K", "start from a keyframe, by name or number"}, \
      {"--set", CR_OPT_LIST, &(s).set, "NAME=VALUE",                                               \
       "initial state or model field; VALUE may be a list a,b,c"},                                 \
      {"--ctrl", CR_OPT_LIST, &(s).ctrl, "FILE|NAME=VALUE",                                        \
       "constant control of an actuator, or a CSV or HDF5 file with a row a step"},                \
      {"--blueprint", CR_OPT_TEXT, &(s).blueprint, "FILE",                                         \
       "add the corrections of a blueprint (YAML, or with weights as cr_model_save_blueprint)"},   \
      {"--derive", CR_OPT_FLAG, &(s).derive, "",                                                   \
       "after --set of model fields, derive constants such as body_invweight0 again"},             \
      CR_URDF_OPTIONS((s).urdf), {"--json", CR_OPT_FLAG, &(s).json, "", "print one JSON object"},  \
      CR_FORCE_OPTION((s).force)

/// A model ready to run. Every part is valid or zero, whatever cr_setup_load returned.
typedef struct {
  cr_model* m;
  cr_load_report* report;
  bool derived;  // and length ranges of muscles were left as compiled
  cr_rollout* rollout;
  int nstep;
  int nq, nv, na, nu;  // of m
} cr_setup;

/// Loads the model, applies options, makes a rollout with initial state and controls filled in.
/// parameters: those that need a gradient, by name.
cr_status cr_setup_load(cr_setup* setup, const cr_setup_options* options, cr_error* error);
cr_status cr_setup_rollout(cr_setup* setup, const cr_setup_options* options,
                           const char* const* parameters, int nparameter, cr_error* error);

/// Puts options, initial state and controls into a rollout of setup->nstep steps that a command made; it
/// becomes the setup's.
cr_status cr_setup_fill(cr_setup* setup, const cr_setup_options* options, cr_rollout* rollout,
                        cr_error* error);
/// The number of steps or intervals: setup->nstep.
cr_status cr_setup_count(cr_setup* setup, const cr_setup_options* options, cr_error* error);

/// Puts a keyframe into d, by name or number. CR_ERR_NAME for one that does not exist.
cr_status cr_setup_keyframe(const cr_model* m, cr_data* d, const char* name, cr_error* error);

/// The same as cr_output_check for a file of these options, which is not the model either; `path` may be NULL.
cr_status cr_setup_output(const cr_setup_options* options, const char* option, const char* path,
                          const char* endings, cr_error* error);

/// Steps of the last run: those of the file's length, or the accepted ones of an adaptive rollout.
int cr_setup_steps(const cr_setup* setup, const cr_setup_options* options);

void cr_setup_free(cr_setup* setup);

/// Reports that there is no memory to begin with; returns the exit code.
int cr_cli_no_memory(const char* command);

/// Reports a failure as a command does: the sentence on standard error, with --json an object with
/// `error` on standard output; returns the exit code.
int cr_cli_fail(const char* command, bool json, const cr_error* error,
                const cr_load_report* report);

/// The sentences of a report, as a list.
void cr_put_findings(cr_json* j, const char* key, const cr_load_report* report,
                     cr_load_finding kind);

/// Warnings of the report and of --derive, in order; NULL after the last.
const char* cr_setup_warning(const cr_setup* setup, int i);

/// The numbers of a data field by name, which must exist.
cr_real* cr_setup_view(const cr_setup* setup, cr_data* d, const char* name);

#endif
