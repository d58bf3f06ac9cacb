// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG files, 8 bits a colour (ISO/IEC 15948), compressed by zlib.
#ifndef CR_TOOLS_PNG_H
#define CR_TOOLS_PNG_H

#include "base/status.h"

/// A picture as the bytes of a PNG file, which the caller frees.
/// Shapes   pixels[height][width][channels], the top row first; channels 1 grey, 3 red green blue, 4 with opacity
/// Errors   CR_ERR_MEMORY
cr_status cri_png_encode(unsigned char** data, size_t* n, const unsigned char* pixels, int width,
                         int height, int channels, cr_error* error);

/// The same as a file, whole or not at all.
/// Errors   CR_ERR_MEMORY, CR_ERR_FILE
cr_status cri_png_write(const char* path, const unsigned char* pixels, int width, int height,
                        int channels, cr_error* error);

#endif
