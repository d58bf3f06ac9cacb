// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own for the files that it writes.
#ifndef CR_TESTS_SCRATCH_H
#define CR_TESTS_SCRATCH_H

#include <stdbool.h>

/// Makes the folder and goes there; scratch_close comes back and removes it with what lies in it.
/// Both return 0, or not: made for cmocka's setup and teardown, state is not used.
int scratch_open(void** state);
int scratch_close(void** state);

/// The path of a file in the folder; good for a few calls.
const char* scratch_path(const char* name);

/// Writes a text file, and returns its path.
const char* scratch_write(const char* name, const char* text);

/// How many files the folder holds, and whether one of this name is among them.
int scratch_count(void);
bool scratch_has(const char* name);

/// While on, no file may grow beyond `bytes`: a disk that is full. The signal that goes with it is
/// ignored.
void scratch_disk_full(bool on, long bytes);

#endif
