// SPDX-License-Identifier: Apache-2.0
// Whole files and folders.
#include "tools/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/whole_file.h"

// ---- paths

static cr_status print_path(char path[CR_MAX_PATH], cr_error* error, const char* a, size_t na,
                            const char* b, const char* c) {
  int n = snprintf(path, CR_MAX_PATH, "%.*s%s%s", (int)na, a, b, c);
  if (na >= CR_MAX_PATH || n < 0 || n >= CR_MAX_PATH) {
    return cri_fail(error, CR_ERR_ARG, "the path %.200s... is longer than %d characters", a,
                    CR_MAX_PATH - 1);
  }
  return CR_OK;
}

cr_status cri_path_join(char path[CR_MAX_PATH], const char* folder, const char* name,
                        cr_error* error) {
  bool alone = name[0] == '/' || folder[0] == 0;
  size_t n = alone ? 0 : strlen(folder);
  return print_path(path, error, folder, n, alone || folder[n - 1] == '/' ? "" : "/", name);
}

cr_status cri_path_folder(char folder[CR_MAX_PATH], const char* path, cr_error* error) {
  const char* slash = strrchr(path, '/');
  size_t n = slash == NULL ? 0 : (size_t)(slash - path) + (slash == path);
  return print_path(folder, error, path, n, "", "");
}

cr_status cri_folder_make(const char* path, cr_error* error) {
  char part[CR_MAX_PATH];
  CR_TRY(print_path(part, error, path, strlen(path), "", ""));
  for (char* c = part + 1;; c++) {
    if (*c != '/' && *c != 0) {
      continue;
    }
    char end = *c;
    *c = 0;
    if (mkdir(part, 0777) != 0 && errno != EEXIST) {
      return cri_fail(error, CR_ERR_FILE, "%s: cannot make this folder: %s", part, strerror(errno));
    }
    *c = end;
    if (end == 0) {
      break;
    }
  }
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    return cri_fail(error, CR_ERR_FILE, "%s: this is a file, not a folder", path);
  }
  return CR_OK;
}

cr_status cri_file_fingerprint(uint64_t* hash, const char* path, cr_error* error) {
  unsigned char chunk[65536];
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
  }
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) {
    *hash = cri_fingerprint(*hash, chunk, n);
  }
  bool ok = ferror(file) == 0;
  (void)fclose(file);
  return ok ? CR_OK : cri_fail(error, CR_ERR_FILE, "%s: cannot be read", path);
}

// ---- writing

cr_status cri_file_write(const char* path, const void* data, size_t n, cr_error* error) {
  char temporary[CR_MAX_PATH];
  CR_TRY(print_path(temporary, error, path, strlen(path), ".tmp", ""));
  return cri_whole_file_write(path, data, n, error);
}

cr_status cri_folder_claim(const char* path, int* claim, cr_error* error) {
  *claim = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*claim < 0) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  }
  if (flock(*claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    (void)close(*claim);
    *claim = -1;
    return cri_fail(error, CR_ERR_FILE, "%s: another run is writing to this folder", path);
  }
  return CR_OK;
}

static cr_status refuse_folder(const char* path, cr_error* error) {
  struct stat info;
  bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  return folder ? cri_fail(error, CR_ERR_FILE, "%s: is a folder, not a file", path) : CR_OK;
}

cr_status cri_file_writable(const char* path, cr_error* error) {
  CR_TRY(refuse_folder(path, error));
  char temporary[CR_MAX_PATH];
  CR_TRY(print_path(temporary, error, path, strlen(path), ".tmp", ""));
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd < 0) {
    return errno == EEXIST
               ? CR_OK
               : cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  }
  (void)close(fd);
  (void)unlink(temporary);
  return CR_OK;
}

// ---- reading

static cr_status read_stream(FILE* file, const char* path, char** data, size_t* n,
                             cr_error* error) {
  size_t capacity = 0;
  *data = NULL;
  *n = 0;
  do {
    if (*n + 1 >= capacity) {
      capacity = 2 * capacity + 4096;
      char* grown = realloc(*data, capacity);
      if (grown == NULL) {
        return cri_fail(error, CR_ERR_MEMORY, "%s: no memory to read it", path);
      }
      *data = grown;
    }
    *n += fread(*data + *n, 1, capacity - 1 - *n, file);
  } while (!feof(file) && !ferror(file));
  (*data)[*n] = 0;
  return ferror(file)
             ? cri_fail(error, CR_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno))
             : CR_OK;
}

cr_status cri_file_check(const char* path, cr_error* error) {
  struct stat info;
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  }
  (void)fclose(file);
  CR_TRY(refuse_folder(path, error));
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the file is empty", path);
  }
  return CR_OK;
}

bool cri_file_same(const char* a, const char* b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cr_status cri_file_read(const char* path, char** data, size_t* n, cr_error* error) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return cri_fail(error, CR_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
  }
  cr_status status = read_stream(file, path, data, n, error);
  (void)fclose(file);
  if (status != CR_OK) {
    free(*data);
    *data = NULL;
  }
  return status;
}
