// SPDX-License-Identifier: Apache-2.0
// Counts allocations by standing in front of glibc's functions: a definition in the executable wins
// over the one in the shared library, which stays reachable under its other name.
#include "support/allocation.h"

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_COUNT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define CAN_COUNT 0
#endif
#endif
#if !defined(CAN_COUNT)
#if defined(__linux__) && defined(__GNUC__)
#define CAN_COUNT 1
#else
#define CAN_COUNT 0
#endif
#endif

#if CAN_COUNT

static long count;

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size);
void* calloc(size_t n, size_t size);
void* realloc(void* memory, size_t size);
void* aligned_alloc(size_t alignment, size_t size);

void* malloc(size_t size) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return __libc_calloc(n, size);
}

void* realloc(void* memory, size_t size) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return __libc_memalign(alignment, size);
}

long allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

#else

long allocation_count(void) { return -1; }

#endif
