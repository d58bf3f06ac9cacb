// SPDX-License-Identifier: Apache-2.0
// Names of numbered files, as frames-%04d.png.
#ifndef CR_TOOLS_NUMBERED_PATH_H
#define CR_TOOLS_NUMBERED_PATH_H

#include <stdbool.h>
#include <stddef.h>

/// Whether a path has a place for a number: a '%' at all; and a right one: one %d, or %02d to %09d.
bool cri_path_is_numbered(const char* path);
bool cri_path_number_is_right(const char* path);

/// The path with number k.
/// Needs    cri_path_number_is_right
void cri_path_number(char* to, size_t size, const char* path, int k);

#endif
