// SPDX-License-Identifier: Apache-2.0
// Broken input: opens damaged files, and steps, differentiates and saves those that open.
// Nothing may crash, hang or be silently wrong: a step that reports success has finite numbers,
// a model that opened opens again from its own binary file.
//
// A child process takes one input after another. If it dies the parent records why and continues behind
// that input with a new child. Crashes inside libmujoco, which compiles MJCF and URDF, are counted
// apart: the module of the innermost frame that is not the system's identifies them.
//
//   carom_fuzz {mjcf|urdf|model|fields} FOLDER SEED COUNT [SECONDS]
//
// `fields` takes model files and changes one integer of one of them at a time, COUNT of all possible
// changes, in an order that the seed decides.
//
// FOLDER: files to begin with (*.xml or *.urdf). Inputs that fail stay in the working
// folder. Exit code 1 if there were any.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "carom/model.h"
#include "fuzz/entry.h"

enum { MOST_FILES = 256, SECONDS_EACH = 20 };

typedef struct {
  long at;  // input in progress
  fuzz_counts counts;
  char module[128], place[256];  // of the last crash
} shared_notes;

static shared_notes* notes;

// ---- whose crash: the innermost frame outside the C library and the sanitizers

static bool is_system(const char* module) {
  static const char* const names[] = {"libc.so",    "libc-",     "libasan",   "libubsan",
                                      "libm.so",    "ld-linux",  "libstdc++", "libgcc",
                                      "libpthread", "linux-vdso"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strstr(module, names[i]) != NULL) {
      return true;
    }
  }
  return false;
}

static void on_crash(int signal_number) {
  void* frames[64];
  int n = backtrace(frames, 64);
  bool found = false;
  int i = 0;
  // past ourselves, to where the system called us
  for (bool ours = false; i < n; i++) {
    Dl_info info;
    bool system =
        dladdr(frames[i], &info) != 0 && info.dli_fname != NULL && is_system(info.dli_fname);
    if (system && ours) {
      break;
    }
    ours = ours || !system;
  }
  for (; i < n && !found; i++) {
    Dl_info info;
    if (dladdr(frames[i], &info) != 0 && info.dli_fname != NULL && !is_system(info.dli_fname)) {
      (void)snprintf(notes->module, sizeof notes->module, "%s", info.dli_fname);
      (void)snprintf(notes->place, sizeof notes->place, "%s+0x%lx",
                     info.dli_sname != NULL ? info.dli_sname : "?",
                     (unsigned long)((char*)frames[i] - (char*)info.dli_fbase));
      found = true;
    }
  }
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

static void catch_crashes(void) {
  static unsigned char stack[1 << 16];
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
  (void)sigaltstack(&other, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    (void)sigaction(signals[i], &action, NULL);
  }
}

// the sanitizers leave the signals to us, and end with one
const char* __asan_default_options(void);
const char* __asan_default_options(void) {
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
         "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000:"
         "use_sigaltstack=0";
}
const char* __ubsan_default_options(void);
const char* __ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

// ---- what to begin with

typedef struct {
  fuzz_bytes file[MOST_FILES];
  int n;
  bool fields;     // one integer at a time
  size_t changes;  // of all files
} corpus;

static bool read_whole(fuzz_bytes* b, const char* path) {
  FILE* file = fopen(path, "rb");
  unsigned char chunk[65536];
  size_t n;
  if (file == NULL) {
    return false;
  }
  while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) {
    fuzz_splice(b, b->n, 0, chunk, n);
  }
  (void)fclose(file);
  return b->n > 0;
}

// for model files the XML is compiled and saved first
static bool take(corpus* c, fuzz_kind kind, const char* path) {
  cr_model* m = NULL;
  const char* from = path;
  if (kind == FUZZ_MODEL) {
    cr_error error;
    if (cr_model_open(&m, path, &error) != CR_OK || cr_model_save(m, "seed.crm", &error) != CR_OK) {
      cr_model_destroy(m);
      return false;
    }
    cr_model_destroy(m);
    from = "seed.crm";
  }
  return read_whole(&c->file[c->n], from);
}

static int by_name(const struct dirent** a, const struct dirent** b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_corpus(corpus* c, fuzz_kind kind, const char* folder) {
  struct dirent** list;
  int n = scandir(folder, &list, NULL, by_name);
  for (int i = 0; i < n; i++) {
    const char* dot = strrchr(list[i]->d_name, '.');
    bool xml = dot != NULL && strcmp(dot, ".xml") == 0,
         urdf = dot != NULL && strcmp(dot, ".urdf") == 0;
    char path[2048];
    (void)snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
    if (c->n < MOST_FILES && ((xml && kind != FUZZ_URDF) || (urdf && kind != FUZZ_MJCF)) &&
        take(c, kind, path)) {
      c->n++;
    }
    free(list[i]);
  }
  if (n >= 0) {
    free(list);
  }
}

// ---- the run

// change number i in an order that visits each once
static void change_one(const corpus* c, uint64_t seed, size_t i, fuzz_bytes* b) {
  const size_t stride = 1000003;  // a prime
  size_t k = (size_t)(((uint64_t)i * stride + seed) % c->changes);
  for (int f = 0; f < c->n; f++) {
    size_t own = fuzz_field_changes(&c->file[f]);
    if (k < own) {
      fuzz_copy(b, &c->file[f]);
      fuzz_change_field(b, k);
      return;
    }
    k -= own;
  }
}

static void child(const corpus* c, fuzz_kind kind, uint64_t seed, long first, long count) {
  fuzz_bytes b = {0};
  if (freopen("input.log", "w", stderr) == NULL || freopen("/dev/null", "w", stdout) == NULL) {
    _exit(3);
  }
  catch_crashes();
  for (long i = first; i < count; i++) {
    cr_random r = cr_random_seed(seed, (uint64_t)i);
    notes->at = i;
    fuzz_copy(&b, &c->file[cr_random_int(&r, c->n)]);
    if (c->fields) {
      change_one(c, seed, (size_t)i, &b);
    } else if (kind == FUZZ_MODEL) {
      fuzz_mutate_model(&b, &r);
    } else {
      fuzz_mutate_xml(&b, &c->file[cr_random_int(&r, c->n)], &r);
    }
    (void)alarm(SECONDS_EACH);
    fuzz_try(kind, b.data, b.n, &r, &notes->counts);
    (void)alarm(0);
  }
  notes->at = count;
  _exit(0);
}

typedef struct {
  long ours, theirs;
} crashes;

static void note_crash(crashes* n, fuzz_kind kind, int status) {
  static const char* const names[] = {"mjcf", "urdf", "model"};
  static const char* const ends[] = {"xml", "urdf", "crm"};
  const char* what = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
  if (strstr(notes->module, "libmujoco") != NULL) {
    n->theirs++;
    return;
  }
  n->ours++;
  (void)printf("FAILED: %s input %ld: %s in %s %s\n", names[kind], notes->at, what, notes->module,
               notes->place);
  char line[512];
  (void)snprintf(line, sizeof line, "cp input.%s failed-%s-%ld.%s; cp input.log failed-%s-%ld.log",
                 ends[kind], names[kind], notes->at, ends[kind], names[kind], notes->at);
  if (system(line) != 0) {
    (void)printf("the input could not be kept\n");
  }
}

static int run(const corpus* c, fuzz_kind kind, uint64_t seed, long count, double seconds) {
  crashes n = {0, 0};
  time_t start = time(NULL);
  for (long first = 0; first < count && difftime(time(NULL), start) < seconds;) {
    long end =
        first + 200 < count ? first + 200 : count;  // libmujoco's own leaks end with the child
    notes->module[0] = notes->place[0] = 0;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      child(c, kind, seed, first, end);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
      return 2;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      first = end;
    } else {
      note_crash(&n, kind, status);
      first = notes->at + 1;
    }
    notes->at = first;
  }
  const fuzz_counts* k = &notes->counts;
  (void)printf(
      "%ld inputs in %.0f s: %ld opened (%ld stepped, %ld ended in an error of the step), "
      "%ld not supported, %ld refused, %ld crashes inside libmujoco, %ld failures of ours\n",
      notes->at, difftime(time(NULL), start), k->opened, k->stepped, k->diverged, k->unsupported,
      k->refused, n.theirs, n.ours);
  return n.ours > 0;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"mjcf", "urdf", "model"};
  static corpus c;
  int kind = 0;
  c.fields = argc >= 5 && strcmp(argv[1], "fields") == 0;
  while (argc >= 5 && kind < 3 && strcmp(c.fields ? "model" : argv[1], names[kind]) != 0) {
    kind++;
  }
  if (argc < 5 || kind == 3) {
    (void)fprintf(stderr,
                  "usage: carom_fuzz {mjcf|urdf|model|fields} FOLDER SEED COUNT [SECONDS]\n");
    return 2;
  }
  notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (notes == MAP_FAILED) {
    return 2;
  }
  void* warm[1];
  (void)backtrace(warm, 1);  // loads what it needs before a handler needs it
  read_corpus(&c, (fuzz_kind)kind, argv[2]);
  if (c.n == 0) {
    (void)fprintf(stderr, "carom_fuzz: nothing to begin with in %s\n", argv[2]);
    return 2;
  }
  for (int i = 0; i < c.n && c.fields; i++) {
    c.changes += fuzz_field_changes(&c.file[i]);
  }
  long count = strtol(argv[4], NULL, 10);
  count = c.fields && (size_t)count > c.changes ? (long)c.changes : count;
  return run(&c, (fuzz_kind)kind, strtoull(argv[3], NULL, 10), count,
             argc > 5 ? strtod(argv[5], NULL) : 1e9);
}
