// SPDX-License-Identifier: Apache-2.0
// The thread pool: workers sleep on a condition until a run raises the round number.
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  cr_pool* pool;
  int index;
  pthread_t thread;
  cr_status status;  // of the lowest item that failed in this run
  int failed_item;
} worker;

struct cr_pool {
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  int nworker, running;
  unsigned round;
  bool quit;
  int nitem;
  cr_pool_work* work;
  void* context;
  worker* workers;
};

static void do_items(worker* w) {
  cr_pool* pool = w->pool;
  w->status = CR_OK;
  for (int i = w->index; i < pool->nitem && w->status == CR_OK; i += pool->nworker) {
    w->status = pool->work(pool->context, i, w->index);
    w->failed_item = i;
  }
}

static void* worker_main(void* argument) {
  worker* w = argument;
  cr_pool* pool = w->pool;
  unsigned seen = 0;
  (void)pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->round == seen && !pool->quit) {
      (void)pthread_cond_wait(&pool->start, &pool->lock);
    }
    if (pool->quit) {
      break;
    }
    seen = pool->round;
    (void)pthread_mutex_unlock(&pool->lock);
    do_items(w);
    (void)pthread_mutex_lock(&pool->lock);
    if (--pool->running == 0) {
      (void)pthread_cond_signal(&pool->done);
    }
  }
  (void)pthread_mutex_unlock(&pool->lock);
  return NULL;
}

cr_status cr_pool_create(cr_pool** out, int nworker, cr_error* error) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int n = nworker > 0 ? nworker : (processors > 0 ? (int)processors : 1);
  cr_pool* pool = calloc(1, sizeof *pool);
  worker* workers = calloc((size_t)n, sizeof *workers);
  if (pool == NULL || workers == NULL) {
    free(pool);
    free(workers);
    return cri_fail(error, CR_ERR_MEMORY, "thread pool: no memory");
  }
  (void)pthread_mutex_init(&pool->lock, NULL);
  (void)pthread_cond_init(&pool->start, NULL);
  (void)pthread_cond_init(&pool->done, NULL);
  pool->workers = workers;
  pool->nworker = 1;
  workers[0] = (worker){.pool = pool};
  for (int i = 1; i < n; i++) {
    workers[i] = (worker){.pool = pool, .index = i};
    if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0) {
      cr_pool_free(pool);
      return cri_fail(error, CR_ERR_MEMORY, "thread pool: thread %d of %d did not start", i, n);
    }
    pool->nworker = i + 1;
  }
  *out = pool;
  return CR_OK;
}

cr_status cr_pool_run(cr_pool* pool, int nitem, cr_pool_work* work, void* context) {
  (void)pthread_mutex_lock(&pool->lock);
  pool->nitem = nitem;
  pool->work = work;
  pool->context = context;
  pool->running = pool->nworker - 1;
  pool->round++;
  (void)pthread_cond_broadcast(&pool->start);
  (void)pthread_mutex_unlock(&pool->lock);
  do_items(&pool->workers[0]);
  (void)pthread_mutex_lock(&pool->lock);
  while (pool->running > 0) {
    (void)pthread_cond_wait(&pool->done, &pool->lock);
  }
  (void)pthread_mutex_unlock(&pool->lock);

  const worker* first = NULL;
  for (int i = 0; i < pool->nworker; i++) {
    const worker* w = &pool->workers[i];
    if (w->status != CR_OK && (first == NULL || w->failed_item < first->failed_item)) {
      first = w;
    }
  }
  return first == NULL ? CR_OK : first->status;
}

int cr_pool_size(const cr_pool* pool) { return pool->nworker; }

void cr_pool_free(cr_pool* pool) {
  if (pool == NULL) {
    return;
  }
  (void)pthread_mutex_lock(&pool->lock);
  pool->quit = true;
  (void)pthread_cond_broadcast(&pool->start);
  (void)pthread_mutex_unlock(&pool->lock);
  for (int i = 1; i < pool->nworker; i++) {
    (void)pthread_join(pool->workers[i].thread, NULL);
  }
  (void)pthread_cond_destroy(&pool->start);
  (void)pthread_cond_destroy(&pool->done);
  (void)pthread_mutex_destroy(&pool->lock);
  free(pool->workers);
  free(pool);
}
