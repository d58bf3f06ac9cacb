// SPDX-License-Identifier: Apache-2.0
// Files that a test writes, in a folder of its own under the build folder.
#ifndef CR_TESTS_SCRATCH_FILE_H
#define CR_TESTS_SCRATCH_FILE_H

enum { SCRATCH_PATH = 1024 };

/// Path of a file in scratch/<process>; the folder is made. The caller's buffer.
const char* scratch_path(char path[SCRATCH_PATH], const char* name);

/// The same, with the text as content.
const char* scratch_text(char path[SCRATCH_PATH], const char* name, const char* text);

/// Removes all files of the folder, and the folder.
void scratch_clear(void);

#endif
