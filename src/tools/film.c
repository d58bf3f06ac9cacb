// SPDX-License-Identifier: Apache-2.0
#include "tools/film.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/locale.h"

extern char** environ;

// ---- the process

// ffmpeg with pictures as its standard input; the errno of its start
static int start(cri_film* f, int input, int width, int height, double fps) {
  char size[32], rate[32];
  (void)snprintf(size, sizeof size, "%dx%d", width, height);
  (void)cri_print(rate, sizeof rate, "%.9g", fps);
  const char* const arguments[] = {"ffmpeg",  "-nostdin",    "-hide_banner", "-loglevel",
                                   "error",   "-f",          "rawvideo",     "-pixel_format",
                                   "rgb24",   "-video_size", size,           "-framerate",
                                   rate,      "-i",          "pipe:0",       "-c:v",
                                   "libx264", "-crf",        "20",           "-pix_fmt",
                                   "yuv420p", "-movflags",   "+faststart",   "-f",
                                   "mp4",     "-y",          f->part,        NULL};
  posix_spawn_file_actions_t files;
  (void)posix_spawn_file_actions_init(&files);
  (void)posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  (void)posix_spawn_file_actions_adddup2(&files, fileno(f->said), STDERR_FILENO);
  int failed = posix_spawnp(&f->process, "ffmpeg", &files, NULL, (char* const*)(uintptr_t)arguments,
                            environ);
  (void)posix_spawn_file_actions_destroy(&files);
  return failed;
}

// its exit status, once it ends; -1: it did not end by itself
static int wait_for(pid_t process) {
  int state = 0;
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void close_all(cri_film* f) {
  if (f->pipe >= 0) {
    (void)close(f->pipe);
  }
  if (f->said != NULL) {
    (void)fclose(f->said);
  }
  f->pipe = -1;
  f->said = NULL;
}

static cr_status failed(const cri_film* f, cr_error* error) {
  char line[256] = "";
  rewind(f->said);
  if (fgets(line, sizeof line, f->said) == NULL) {
    (void)snprintf(line, sizeof line, "it gives no reason");
  }
  line[strcspn(line, "\n")] = 0;
  return cri_fail(error, CR_ERR_FILE, "%s: ffmpeg failed: %s", f->path, line);
}

// ---- a film

static cr_status begin(cri_film* f, const char* path, int width, int height, double fps,
                       cr_error* error) {
  int ends[2];
  if (snprintf(f->path, CR_MAX_PATH, "%s", path) >= CR_MAX_PATH ||
      snprintf(f->part, CR_MAX_PATH, "%s.tmp", path) >= CR_MAX_PATH) {
    return cri_fail(error, CR_ERR_ARG, "%.200s...: the path is too long", path);
  }
  f->said = tmpfile();
  // a socket rather than a pipe: a write to it gives an error and no signal where ffmpeg has ended
  if (f->said == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be begun: %s", path, strerror(errno));
  }
  f->pipe = ends[0];
  int code = start(f, ends[1], width, height, fps);
  (void)close(ends[1]);
  if (code == ENOENT) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "%s: a film needs the program ffmpeg (apt-get install ffmpeg); pictures in "
                    ".png do not",
                    path);
  }
  return code == 0 ? CR_OK
                   : cri_fail(error, CR_ERR_FILE, "%s: ffmpeg cannot be started: %s", path,
                              strerror(code));
}

cr_status cri_film_begin(cri_film* f, const char* path, int width, int height, double fps,
                         cr_error* error) {
  *f = (cri_film){.pipe = -1, .bytes = 3 * (size_t)width * (size_t)height};
  if (width % 2 != 0 || height % 2 != 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: a film of %d x %d pixels; even numbers expected", path,
                    width, height);
  }
  cr_status status = begin(f, path, width, height, fps, error);
  if (status != CR_OK) {
    close_all(f);
  }
  return status;
}

cr_status cri_film_add(cri_film* f, const unsigned char* rgb, cr_error* error) {
  for (size_t done = 0; done < f->bytes;) {
    ssize_t n = send(f->pipe, rgb + done, f->bytes - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      // ffmpeg has ended; what it said is there once it is gone
      (void)wait_for(f->process);
      f->process = 0;
      return failed(f, error);
    }
    done += n > 0 ? (size_t)n : 0;
  }
  return CR_OK;
}

cr_status cri_film_end(cri_film* f, bool keep, cr_error* error) {
  (void)close(f->pipe);
  f->pipe = -1;
  int code = f->process > 0 ? wait_for(f->process) : -1;
  cr_status status = CR_OK;
  if (keep && code != 0) {
    status = failed(f, error);
  } else if (keep && rename(f->part, f->path) != 0) {
    status = cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", f->path, strerror(errno));
  }
  if (!keep || status != CR_OK) {
    (void)unlink(f->part);
  }
  close_all(f);
  return status;
}
