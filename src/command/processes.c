// SPDX-License-Identifier: Apache-2.0
#include "command/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  pid_t id;
  int job;
  int pipe;  // for the result
  int64_t deadline;
  size_t got;
  _Alignas(max_align_t) unsigned char result[CR_MAX_RESULT];
} process;

typedef struct {
  const cr_processes* p;
  process running[CR_MAX_PROCESSES];
  int nrunning;
  int next;  // job
} process_pool;

static int64_t now_ms(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000 * (int64_t)t.tv_sec + t.tv_nsec / 1000000;
}

// ---- in the child

static _Noreturn void serve(const cr_processes* p, int job, int to) {
  _Alignas(max_align_t) unsigned char result[CR_MAX_RESULT] = {0};
  p->work(p->context, job, result);
  const unsigned char* at = result;
  for (size_t left = p->nbyte; left > 0;) {
    ssize_t n = write(to, at, left);
    if (n < 0 && errno != EINTR) {
      _exit(1);
    }
    left -= n > 0 ? (size_t)n : 0;
    at += n > 0 ? n : 0;
  }
  _exit(0);
}

// ---- in the parent

static cr_status start(process_pool* pool, cr_error* error) {
  int ends[2];
  if (pipe(ends) != 0) {
    return cri_fail(error, CR_ERR_FILE, "no pipe for a process: %s", strerror(errno));
  }
  (void)fflush(NULL);
  process* child = &pool->running[pool->nrunning];
  pid_t id = fork();
  if (id < 0) {
    (void)close(ends[0]);
    (void)close(ends[1]);
    return cri_fail(error, CR_ERR_FILE, "no process: %s", strerror(errno));
  }
  if (id == 0) {
    (void)close(ends[0]);
    serve(pool->p, pool->next, ends[1]);
  }
  (void)close(ends[1]);
  child->id = id;
  child->job = pool->next++;
  child->pipe = ends[0];
  child->deadline = now_ms() + 1000 * (int64_t)pool->p->limit;
  child->got = 0;
  pool->nrunning++;
  return CR_OK;
}

// waits for an ended or overdue child and passes its result on; the last one takes its place
static void finish(process_pool* pool, int k, bool overdue) {
  process* child = &pool->running[k];
  char why[128] = "";
  int status = 0;
  if (overdue) {
    (void)kill(child->id, SIGKILL);
  }
  (void)close(child->pipe);
  while (waitpid(child->id, &status, 0) < 0 && errno == EINTR) {
  }
  bool whole = !overdue && child->got == pool->p->nbyte;
  if (overdue) {
    (void)snprintf(why, sizeof why, "not done after %d s", pool->p->limit);
  } else if (WIFSIGNALED(status)) {
    (void)snprintf(why, sizeof why, "crashed: %s", strsignal(WTERMSIG(status)));
  } else if (!whole) {
    (void)snprintf(why, sizeof why, "ended with code %d", WEXITSTATUS(status));
  }
  pool->p->done(pool->p->context, child->job, whole ? child->result : NULL, why);
  if (k != --pool->nrunning) {
    *child = pool->running[pool->nrunning];
  }
}

// true at the end of the pipe
static bool receive(process_pool* pool, process* child) {
  ssize_t n = read(child->pipe, child->result + child->got, pool->p->nbyte - child->got);
  child->got += n > 0 ? (size_t)n : 0;
  return child->got == pool->p->nbyte || n == 0 || (n < 0 && errno != EINTR);
}

static void wait_for_some(process_pool* pool) {
  struct pollfd fds[CR_MAX_PROCESSES];
  int64_t first = INT64_MAX, now = now_ms();
  for (int k = 0; k < pool->nrunning; k++) {
    fds[k] = (struct pollfd){.fd = pool->running[k].pipe, .events = POLLIN};
    first = pool->running[k].deadline < first ? pool->running[k].deadline : first;
  }
  (void)poll(fds, (nfds_t)pool->nrunning, first > now ? (int)(first - now) : 0);
  now = now_ms();
  for (int k = pool->nrunning - 1; k >= 0; k--) {
    bool ended = fds[k].revents != 0 && receive(pool, &pool->running[k]);
    bool overdue = !ended && now >= pool->running[k].deadline;
    if (ended || overdue) {
      finish(pool, k, overdue);
    }
  }
}

cr_status cr_processes_run(const cr_processes* p, cr_error* error) {
  if (p->at_once < 1 || p->at_once > CR_MAX_PROCESSES || p->limit < 1 || p->nbyte > CR_MAX_RESULT) {
    return cri_fail(error, CR_ERR_ARG,
                    "%d processes at once, %d s each: 1 to %d processes and at least 1 s expected",
                    p->at_once, p->limit, CR_MAX_PROCESSES);
  }
  process_pool* pool = calloc(1, sizeof *pool);
  if (pool == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for processes");
  }
  pool->p = p;
  cr_status status = CR_OK;
  while ((pool->next < p->njob && status == CR_OK) || pool->nrunning > 0) {
    while (pool->nrunning < p->at_once && pool->next < p->njob && status == CR_OK) {
      status = start(pool, error);
    }
    if (pool->nrunning > 0) {
      wait_for_some(pool);
    }
  }
  free(pool);
  return status;
}
