// SPDX-License-Identifier: Apache-2.0
// The temporary file is locked while it is written. A writer that had to wait checks if the name
// still stands for the file it waited for; if not, it opens the next one.
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

// without locks on this system it goes on
static bool lock(int fd) {
  while (flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) {
      return errno != EIO;
    }
  }
  return true;
}

static bool is_at(int fd, const char* path) {
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool empty(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && (!S_ISREG(info.st_mode) || ftruncate(fd, 0) == 0);
}

// the file at `path`, locked and empty; -1 on failure
static int open_alone(const char* path) {
  for (;;) {
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    if (fd < 0 && errno == EINTR) {
      continue;
    }
    if (fd < 0) {
      return -1;
    }
    bool ok = lock(fd);
    if (ok && is_at(fd, path)) {
      if (empty(fd)) {
        return fd;
      }
      ok = false;
    }
    int reason = errno;
    (void)close(fd);
    errno = reason;
    if (!ok) {
      return -1;
    }
  }
}

static bool write_all(int fd, const char* data, size_t n) {
  while (n > 0) {
    ssize_t written = write(fd, data, n);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    data += written;
    n -= (size_t)written;
  }
  return true;
}

// pipes and some file systems have nothing to flush to a disk
static bool settle(int fd) {
  while (fsync(fd) != 0) {
    if (errno != EINTR) {
      return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
    }
  }
  return true;
}

cr_status cri_whole_file_write(const char* path, const void* data, size_t n, cr_error* error) {
  char temporary[MOST_PATH];
  int length = snprintf(temporary, sizeof temporary, "%s.tmp", path);
  if (length < 0 || (size_t)length >= sizeof temporary) {
    return cri_fail(error, CR_ERR_FILE, "%.200s...: the path is too long", path);
  }
  int fd = open_alone(temporary);
  if (fd < 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  }
  bool ok = write_all(fd, data, n) && settle(fd) && rename(temporary, path) == 0;
  int reason = errno;
  if (!ok) {
    (void)unlink(temporary);
  }
  // a file that fails to close is on the disk nevertheless: settle has checked it
  (void)close(fd);
  return ok ? CR_OK
            : cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", path, strerror(reason));
}
