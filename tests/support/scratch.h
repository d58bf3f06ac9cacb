// SPDX-License-Identifier: Apache-2.0
// The folder in which each test file runs: tests/main.c makes it, goes there, and removes it with its
// files. It must hold no folder then.
#ifndef CR_TESTS_SCRATCH_H
#define CR_TESTS_SCRATCH_H

#include <stdbool.h>

bool scratch_open(void);
bool scratch_close(void);

/// The path of a file in the folder; valid for a few calls.
const char* scratch_path(const char* name);

/// Writes a text file, and returns its path.
const char* scratch_write(const char* name, const char* text);

/// How many files the folder holds, and whether one of this name is among them.
int scratch_count(void);
bool scratch_has(const char* name);

/// While on, no file may grow beyond `bytes`: like a full disk. The signal that goes with it is
/// ignored.
void scratch_disk_full(bool on, long bytes);

#endif
