// SPDX-License-Identifier: Apache-2.0
// Counts every allocation of the process, so that a test can check that there was none.
#ifndef CR_TESTS_ALLOCATION_H
#define CR_TESTS_ALLOCATION_H

/// Calls of malloc, calloc, realloc and aligned_alloc so far; -1 in builds that cannot count them, those
/// with a sanitizer.
long allocation_count(void);

#endif
