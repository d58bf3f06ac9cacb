// SPDX-License-Identifier: Apache-2.0
// The parts of the fuzzer: inputs that grow, and what bends them out of shape. How it is run is in
// TESTING.md.
#ifndef CR_TESTS_FUZZ_H
#define CR_TESTS_FUZZ_H

#include "base/random.h"

typedef struct {
  unsigned char* data;
  size_t n, capacity;
} fuzz_bytes;

/// Replaces `cut` bytes from `at` by n others.
void fuzz_splice(fuzz_bytes* b, size_t at, size_t cut, const void* data, size_t n);
void fuzz_copy(fuzz_bytes* to, const fuzz_bytes* from);

/// Below n; 0 where n is 0.
size_t fuzz_below(cr_random* r, size_t n);

/// A few changes to an XML text, some with pieces of `other`.
void fuzz_mutate_xml(fuzz_bytes* b, const fuzz_bytes* other, cr_random* r);

/// A few changes to a Carom model file, most of them to single numbers of its records; the checksum is
/// made right again, as a rule.
void fuzz_mutate_model(fuzz_bytes* b, cr_random* r);

/// Every integer of a Carom model file set to each of a few values that are likely to be wrong: how many
/// such changes there are, and number k of them, with the checksum made right.
size_t fuzz_field_changes(const fuzz_bytes* b);
void fuzz_change_field(fuzz_bytes* b, size_t k);

#endif
