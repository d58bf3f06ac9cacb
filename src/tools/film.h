// SPDX-License-Identifier: Apache-2.0
// Films: pictures that ffmpeg, a program of its own, makes an MP4 file of.
#ifndef CR_TOOLS_FILM_H
#define CR_TOOLS_FILM_H

#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"
#include "tools/files.h"

typedef struct {
  char path[CR_MAX_PATH], part[CR_MAX_PATH];  // where it goes, and what ffmpeg writes
  size_t bytes;                               // of a picture
  pid_t process;
  int pipe;    // to ffmpeg; -1: closed
  FILE* said;  // by ffmpeg
} cri_film;

/// Begins a film: H.264, so that browsers play it. Needs ffmpeg in PATH.
/// Needs    an even width and height, in pixels
/// Errors   CR_ERR_ARG for odd ones; CR_ERR_UNSUPPORTED without ffmpeg, with the package that has it; CR_ERR_FILE
cr_status cri_film_begin(cri_film* film, const char* path, int width, int height, double fps,
                         cr_error* error);

/// Adds a picture.
/// Shapes   rgb[height][width][3], the top row first
/// Errors   CR_ERR_FILE with the sentence of ffmpeg
cr_status cri_film_add(cri_film* film, const unsigned char* rgb, cr_error* error);

/// Ends the film, and puts it where it goes if `keep` is true: whole or not at all. Without it, or after an error, nothing is left.
/// Errors   CR_ERR_FILE with the sentence of ffmpeg
cr_status cri_film_end(cri_film* film, bool keep, cr_error* error);

#endif
