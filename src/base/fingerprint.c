// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.h"

uint64_t cri_fingerprint(uint64_t hash, const void* data, size_t n) {
  const unsigned char* bytes = data;
  hash = hash == 0 ? 0xcbf29ce484222325u : hash;
  for (size_t i = 0; i < n; i++) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  return hash;
}
