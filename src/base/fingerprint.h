// SPDX-License-Identifier: Apache-2.0
// A number by which data are known again.
#ifndef CR_BASE_FINGERPRINT_H
#define CR_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/// Adds bytes to a fingerprint; begin with 0.
/// Equation FNV-1a, 64 bits [Fowler, Noll, Vo, The FNV hash function, 1991]
uint64_t cri_fingerprint(uint64_t hash, const void* data, size_t n);

#endif
