// SPDX-License-Identifier: Apache-2.0
// carom check --jumps: sweeps coordinates of a model through contact, and lists the jumps of contact forces.
#ifndef CR_CLI_CHECK_JUMPS_H
#define CR_CLI_CHECK_JUMPS_H

#include <math.h>

#include "command/options.h"
#include "command/urdf_words.h"

typedef struct {
  bool asked;
  cr_text_list coordinates;  // none: all
  double from, to;           // NaN: not given
  const char* keyframe;
  double settle;  // s, below 0: not given
  int points;     // 0: not given
  double tolerance;
} cr_check_jumps_options;

#define CR_CHECK_JUMPS_DEFAULTS \
  { .from = (double)NAN, .to = (double)NAN, .settle = -1 }

#define CR_CHECK_JUMPS_OPTIONS(o)                                                                \
  {"--jumps", CR_OPT_FLAG, &(o).asked, "",                                                       \
   "sweep coordinates through contact instead, and list jumps of contact forces"},               \
      {"--coordinate", CR_OPT_LIST, &(o).coordinates, "NAME",                                    \
       "--jumps: sweep this one, as 'qvel[elbow]' or 'qvel[ball][4]' (default: all)"},           \
      {"--from", CR_OPT_REAL, &(o).from, "A", "--jumps: begin of the sweep, m or rad"},          \
      {"--to", CR_OPT_REAL, &(o).to, "B", "--jumps: end of the sweep, m or rad"},                \
      {"--keyframe", CR_OPT_TEXT, &(o).keyframe, "K",                                            \
       "--jumps: start from a keyframe, by name or number"},                                     \
      {"--settle", CR_OPT_REAL, &(o).settle, "T",                                                \
       "--jumps: simulate T seconds first, so that bodies touch (default 1)"},                   \
      {"--points", CR_OPT_COUNT, &(o).points, "N", "--jumps: steps of a sweep (default 500)"}, { \
    "--tolerance", CR_OPT_POSITIVE, &(o).tolerance, "X",                                         \
        "--jumps: largest jump that passes, relative to the largest force or torque (default "   \
        "0.001)"                                                                                 \
  }

/// The first of these options that was given without --jumps, NULL if none was.
const char* cr_check_jumps_given(const cr_check_jumps_options* options);

/// Sweeps and prints; returns the exit code: 1 if a jump is above the tolerance. `mistake` is one of the command line.
int cr_check_jumps(const char* path, const cr_urdf_words* urdf,
                   const cr_check_jumps_options* options, bool json, bool verbose,
                   const cr_error* mistake);

#endif
