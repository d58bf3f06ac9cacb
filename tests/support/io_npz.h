// SPDX-License-Identifier: Apache-2.0
// Writes .npz files as numpy.savez does, so that tests can spoil them.
#ifndef CR_TESTS_IO_NPZ_H
#define CR_TESTS_IO_NPZ_H

#include <stdbool.h>
#include <stddef.h>

enum { NPZ_ROOM = 1 << 16 };

typedef struct {
  unsigned char bytes[NPZ_ROOM];
  size_t size;
  unsigned char directory[4096];
  size_t directory_size;
  int n;
} npz_file;

/// Adds an array: `header` is the dictionary ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"), behind which
/// come n bytes of numbers. Compressed as savez_compressed does, or stored.
void npz_add(npz_file* z, const char* name, const char* header, const void* numbers, size_t n,
             bool compressed);

/// Adds doubles; cols 0: one dimension.
void npz_doubles(npz_file* z, const char* name, int rows, int cols, const double* numbers);

/// Adds the directory: the file is whole.
void npz_end(npz_file* z);

/// Writes the first `size` bytes to a file of the scratch folder; returns its path.
const char* npz_save(const npz_file* z, const char* name, size_t size);

#endif
