// SPDX-License-Identifier: Apache-2.0
// What a fuzzer calls with each input, whoever made it: ours (main.c) or libFuzzer (libfuzzer.c).
#ifndef CR_TESTS_FUZZ_ENTRY_H
#define CR_TESTS_FUZZ_ENTRY_H

#include "fuzz/fuzz.h"

typedef enum { FUZZ_MJCF, FUZZ_URDF, FUZZ_MODEL, N_FUZZ_KIND } fuzz_kind;

/// What became of the inputs.
typedef struct {
  long opened, unsupported, refused, stepped, diverged;
} fuzz_counts;

/// Writes the bytes into the working folder, opens them as a file of their kind, steps, differentiates and
/// saves what opens. Aborts, with a sentence on stderr, at a refusal without a sentence, a step that is
/// well with numbers that are not finite, a model that does not open from its own file. `r` chooses
/// the options of URDF.
void fuzz_try(fuzz_kind kind, const unsigned char* data, size_t n, cr_random* r,
              fuzz_counts* counts);

#endif
