// SPDX-License-Identifier: Apache-2.0
// The options for URDF files on the command line.
#ifndef CR_COMMAND_URDF_WORDS_H
#define CR_COMMAND_URDF_WORDS_H

#include "carom/model.h"
#include "command/options.h"

typedef struct {
  const char *base, *package_path, *servo;
  bool ground, no_self_collision;
} cr_urdf_words;

/// The rows of these options.
#define CR_URDF_OPTIONS(w)                                                                   \
  {"--base", CR_OPT_TEXT, &(w).base, "fixed|floating", "URDF: how the root link is held"},   \
      {"--package-path", CR_OPT_TEXT, &(w).package_path, "DIR",                              \
       "URDF: folder for package:// paths"},                                                 \
      {"--servo", CR_OPT_TEXT, &(w).servo, "KP,KV", "URDF: a position servo on each joint"}, \
      {"--ground", CR_OPT_FLAG, &(w).ground, "", "URDF: a plane at z = 0"}, {                \
    "--no-self-collision", CR_OPT_FLAG, &(w).no_self_collision, "",                          \
        "URDF: links collide with the ground only"                                           \
  }

/// The name of the first of them that was given, or NULL.
const char* cr_urdf_given(const cr_urdf_words* words);

/// Converts them for the model at `path`. CR_ERR_ARG with a sentence if one is not valid, or the
/// file is no URDF.
cr_status cr_urdf_arguments(cr_urdf_options* options, const cr_urdf_words* words, const char* path,
                            cr_error* error);

#endif
