// SPDX-License-Identifier: Apache-2.0
// A library to preload: makes one call of the command into the C library fail. Only calls from the program
// itself count, not those of the libraries that it uses.
//
//   CAROM_FAULT=malloc:17          the 17th malloc, calloc, realloc or aligned_alloc finds no memory
//   CAROM_FAULT=write:3:ENOSPC     the third write fails so; also EIO, EINTR (then it goes well), and short:
//                                  half of it is written
//   CAROM_FAULT=fsync:1, rename:2, open:4, close:1     fail with EIO; open with EMFILE
//   CAROM_FAULT_COUNT=FILE         how many calls of that kind there were, written at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  char kind[16], how[16];
  long at;
  atomic_long count;
  uintptr_t low, high;  // the program's code
  bool ready;
} fault;

static int find_program(struct dl_phdr_info* info, size_t size, void* context) {
  (void)size;
  (void)context;
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const ElfW(Phdr)* h = &info->dlpi_phdr[k];
    if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
      fault.low = info->dlpi_addr + h->p_vaddr;
      fault.high = fault.low + h->p_memsz;
    }
  }
  return 1;  // the first is the program
}

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("CAROM_FAULT");
  if (text != NULL && sscanf(text, "%15[a-z]:%ld:%15s", fault.kind, &fault.at, fault.how) >= 2) {
    (void)dl_iterate_phdr(find_program, NULL);
    fault.ready = true;
  }
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("CAROM_FAULT_COUNT");
  fault.ready = false;
  FILE* file = path == NULL ? NULL : fopen(path, "w");
  if (file != NULL) {
    (void)fprintf(file, "%ld\n", atomic_load(&fault.count));
    (void)fclose(file);
  }
}

// true where this call is the one
static bool now(const char* kind, const void* from) {
  uintptr_t at = (uintptr_t)from;
  return fault.ready && at >= fault.low && at < fault.high && strcmp(kind, fault.kind) == 0 &&
         atomic_fetch_add(&fault.count, 1) + 1 == fault.at;
}

#define CALLER __builtin_return_address(0)
#define REAL(function)                          \
  static __typeof__(&function) real;            \
  if (real == NULL) {                           \
    void* symbol = dlsym(RTLD_NEXT, #function); \
    memcpy(&real, &symbol, sizeof real);        \
  }

// what dlsym allocates before calloc is known
static void* early(size_t n) {
  static _Alignas(16) char room[1 << 14];
  static size_t used;
  void* p = room + used;
  used += (n + 15) / 16 * 16;
  return used <= sizeof room ? p : NULL;
}

void* malloc(size_t n) {
  REAL(malloc)
  if (now("malloc", CALLER)) {
    errno = ENOMEM;
    return NULL;
  }
  return real(n);
}

void* calloc(size_t n, size_t size) {
  static bool looking;
  if (looking) {
    return early(n * size);
  }
  looking = true;
  REAL(calloc)
  looking = false;
  if (now("malloc", CALLER)) {
    errno = ENOMEM;
    return NULL;
  }
  return real(n, size);
}

void* realloc(void* p, size_t n) {
  REAL(realloc)
  if (now("malloc", CALLER)) {
    errno = ENOMEM;
    return NULL;
  }
  return real(p, n);
}

void* aligned_alloc(size_t align, size_t n) {
  REAL(aligned_alloc)
  if (now("malloc", CALLER)) {
    errno = ENOMEM;
    return NULL;
  }
  return real(align, n);
}

ssize_t write(int fd, const void* data, size_t n) {
  REAL(write)
  if (now("write", CALLER)) {
    if (strcmp(fault.how, "short") == 0 && n > 1) {
      return real(fd, data, n / 2);
    }
    errno = strcmp(fault.how, "EINTR") == 0 ? EINTR : strcmp(fault.how, "EIO") == 0 ? EIO : ENOSPC;
    return -1;
  }
  return real(fd, data, n);
}

int fsync(int fd) {
  REAL(fsync)
  if (now("fsync", CALLER)) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int rename(const char* from, const char* to) {
  REAL(rename)
  if (now("rename", CALLER)) {
    errno = EIO;
    return -1;
  }
  return real(from, to);
}

int close(int fd) {
  REAL(close)
  int result = real(fd);
  if (now("close", CALLER)) {
    errno = EIO;
    return -1;
  }
  return result;
}

int open(const char* path, int flags, ...) {
  REAL(open)
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (now("open", CALLER)) {
    errno = EMFILE;
    return -1;
  }
  return real(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  REAL(fopen)
  if (now("open", CALLER)) {
    errno = EMFILE;
    return NULL;
  }
  return real(path, mode);
}
