// SPDX-License-Identifier: Apache-2.0
// Two mailboxes of three slots each: states go from the loop to the planner, plans from the planner to the loop. The writer fills a slot of
// its own and swaps it with the one in the middle, the reader swaps its own with the middle where that is new. So nobody waits.
#include "carom/live_plan.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/planner.h"
#include "engine/data_create.h"
#include "integrate/inputs.h"

enum { N_SLOT = 3, IS_NEW = 4 };

typedef struct {
  int back, front;    // of the writer, of the reader
  atomic_int middle;  // a slot, and IS_NEW until it was read
} mailbox;

static void mailbox_init(mailbox* b) {
  b->back = 0;
  b->front = 1;
  atomic_init(&b->middle, 2);
}

// the writer's slot goes out
static void post(mailbox* b) { b->back = atomic_exchange(&b->middle, b->back | IS_NEW) & ~IS_NEW; }

// true if the reader's slot is new
static bool fetch(mailbox* b) {
  if ((atomic_load(&b->middle) & IS_NEW) == 0) {
    return false;
  }
  b->front = atomic_exchange(&b->middle, b->front) & ~IS_NEW;
  return true;
}

typedef struct {
  cr_data* d;
  int step;
} seen_state;

// a plan, from the state at step `first` on
typedef struct {
  int first, plans, failed;
  cr_real *ctrl, *K, *state;  // as in cri_plan_feedback; fed: K and state are there
  bool fed;
  cr_error reason;
} plan_slot;

struct cr_live_plan {
  cr_planner* p;
  int iterations;
  pthread_t thread;
  bool running;
  atomic_bool stop;
  sem_t wake;  // a state was told
  mailbox states, plans;
  seen_state seen[N_SLOT];
  plan_slot plan[N_SLOT];
  plan_slot made;  // the numbers that the planner's thread counts; its arrays are not used
  int told;        // the loop's: last step told
  int age, oldest, stale;
  cr_real *memory, *dx;
};

// ---- the planner's thread

static size_t gain_size(const cr_planner* p) {
  return (size_t)p->o.nstep * (size_t)p->m->nu * (size_t)cri_state_tangent_size(p->m);
}

static size_t states_size(const cr_planner* p) {
  return ((size_t)p->o.nstep + 1) * (size_t)cri_state_size(p->m);
}

static void publish(cr_live_plan* x) {
  const cr_planner* p = x->p;
  plan_slot* to = &x->plan[x->plans.back];
  const cri_plan_feedback f = cri_plan_feedback_of(p);
  to->first = x->made.first;
  to->plans = x->made.plans;
  to->failed = x->made.failed;
  to->reason = x->made.reason;
  to->fed = f.K != NULL;
  memcpy(to->ctrl, p->ctrl, (size_t)p->o.nstep * (size_t)p->m->nu * sizeof(cr_real));
  if (to->fed) {
    memcpy(to->K, f.K, gain_size(p) * sizeof(cr_real));
    memcpy(to->state, f.state, states_size(p) * sizeof(cr_real));
  }
  post(&x->plans);
}

// from the newest state, if there is one
static cr_status look(cr_live_plan* x) {
  while (sem_trywait(&x->wake) == 0) {  // of states that are gone
  }
  if (!fetch(&x->states)) {
    return CR_OK;
  }
  const seen_state* s = &x->seen[x->states.front];
  CR_TRY(cr_planner_shift(x->p, s->step - x->made.first, &x->made.reason));
  x->made.first = s->step;
  return cr_planner_set_start(x->p, s->d, &x->made.reason);
}

static cr_status improve(cr_live_plan* x, int iterations, bool* improved) {
  *improved = false;
  for (int i = 0; i < iterations; i++) {
    cr_plan_result r = {.size = sizeof r};
    CR_TRY(cr_planner_improve(x->p, &r, &x->made.reason));
    *improved = *improved || r.improved;
  }
  return CR_OK;
}

// until the next state is told, or for 20 ms
static void rest(cr_live_plan* x) {
  struct timespec end;
  (void)clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 20000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  (void)sem_timedwait(&x->wake, &end);
}

static void* work(void* context) {
  cr_live_plan* x = context;
  while (!atomic_load(&x->stop)) {
    bool improved = false;
    cr_status status = look(x);
    status = status == CR_OK ? improve(x, x->iterations, &improved) : status;
    x->made.plans += status == CR_OK && improved;
    x->made.failed += status != CR_OK;
    if (status != CR_OK) {  // goes on with the controls alone, and says so
      cr_planner_restart(x->p);
    }
    if (status != CR_OK || improved) {
      publish(x);
    }
    if (status != CR_OK || !improved) {  // little to gain before the next state
      rest(x);
    }
  }
  return NULL;
}

// ---- making

static cr_status make(cr_live_plan* x, const cr_live_options* o, cr_error* error) {
  const cr_planner* p = x->p;
  size_t ctrl = (size_t)p->o.nstep * (size_t)p->m->nu, K = gain_size(p), states = states_size(p);
  bool fed = p->method == &cri_plan_by_ilqr;
  size_t one = ctrl + (fed ? K + states : 0), nx = (size_t)cri_state_tangent_size(p->m);
  x->memory = calloc(N_SLOT * one + nx + 1, sizeof *x->memory);
  if (x->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d steps", p->o.nstep);
  }
  x->dx = x->memory + N_SLOT * one;
  for (size_t i = 0; i < N_SLOT; i++) {
    x->plan[i].ctrl = x->memory + i * one;
    x->plan[i].K = x->plan[i].ctrl + ctrl;
    x->plan[i].state = x->plan[i].K + (fed ? K : 0);
    CR_TRY(cri_data_create(&x->seen[i].d, p->m, NULL, error));
  }
  bool improved;
  cr_status status = improve(x, o->first > 0 ? o->first : 1, &improved);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", x->made.reason.text);
  }
  x->made.plans = 1;
  publish(x);
  (void)fetch(&x->plans);
  if (pthread_create(&x->thread, NULL, work, x) != 0) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no thread for the planner");
  }
  x->running = true;
  return CR_OK;
}

cr_status cr_live_plan_create(cr_live_plan** live, cr_planner* planner,
                              const cr_live_options* options, cr_error* error) {
  const cri_call call = {"cr_live_plan_create", error};
  CR_TRY(cri_given(&call, live, "where the live plan goes"));
  CR_TRY(cri_given(&call, planner, "the planner"));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_live_options"));
  if (options->first < 0 || options->iterations < 0) {
    return cri_fail(error, CR_ERR_ARG, "plan: %d and %d iterations; 0 or more are expected",
                    options->first, options->iterations);
  }
  cr_live_plan* x = calloc(1, sizeof *x);
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  x->p = planner;
  x->iterations = options->iterations > 0 ? options->iterations : 1;
  atomic_init(&x->stop, false);
  (void)sem_init(&x->wake, 0, 0);
  mailbox_init(&x->states);
  mailbox_init(&x->plans);
  cr_status status = make(x, options, error);
  if (status != CR_OK) {
    cr_live_plan_destroy(x);
    return status;
  }
  *live = x;
  return CR_OK;
}

void cr_live_plan_destroy(cr_live_plan* x) {
  if (x == NULL) {
    return;
  }
  atomic_store(&x->stop, true);
  (void)sem_post(&x->wake);
  if (x->running) {
    (void)pthread_join(x->thread, NULL);
  }
  for (int i = 0; i < N_SLOT; i++) {
    cri_data_free(x->seen[i].d);
  }
  (void)sem_destroy(&x->wake);
  free(x->memory);
  free(x);
}

// ---- the loop

cr_status cr_live_plan_observe(cr_live_plan* x, const cr_data* d, int step, cr_error* error) {
  const cri_call call = {"cr_live_plan_observe", error};
  CR_TRY(cri_given(&call, x, "the live plan"));
  CR_TRY(cri_check_data(&call, x->p->m, d, CR_DATA_PLAIN, "the data"));
  if (step < x->told) {
    return cri_fail(error, CR_ERR_ARG, "plan: the state of step %d comes after that of %d", step,
                    x->told);
  }
  seen_state* to = &x->seen[x->states.back];
  cri_inputs_copy(x->p->m, to->d, d);
  to->step = x->told = step;
  post(&x->states);
  (void)sem_post(&x->wake);
  return CR_OK;
}

cr_status cr_live_plan_control(cr_live_plan* x, int step, const cr_data* d, cr_real* ctrl,
                               cr_error* error) {
  const cri_call call = {"cr_live_plan_control", error};
  CR_TRY(cri_given(&call, x, "the live plan"));
  CR_TRY(cri_given(&call, ctrl, "the control"));
  CR_TRY(cri_check_data(&call, x->p->m, d, CR_DATA_PLAIN, "the data"));
  (void)fetch(&x->plans);
  const plan_slot* plan = &x->plan[x->plans.front];
  int last = x->p->o.nstep - 1, at = step - plan->first, nu = x->p->m->nu;
  if (at < 0) {
    return cri_fail(error, CR_ERR_ARG, "plan: step %d is before the plan, which begins at step %d",
                    step, plan->first);
  }
  x->age = at;
  x->oldest = at > x->oldest ? at : x->oldest;
  x->stale += at > last;
  const cri_plan_feedback f = {.K = plan->K, .state = plan->state};
  cr_copy(ctrl, plan->ctrl + (ptrdiff_t)(at > last ? last : at) * nu, nu);
  if (plan->fed && at <= last) {
    cri_plan_feedback_add(x->p, &f, at, d, x->dx, ctrl);
  }
  return CR_OK;
}

cr_status cr_live_plan_get_report(const cr_live_plan* x, cr_live_report* report, cr_error* error) {
  const cri_call call = {"cr_live_plan_get_report", error};
  CR_TRY(cri_given(&call, x, "the live plan"));
  CR_TRY(cri_given(&call, report, "the report"));
  const plan_slot* plan = &x->plan[x->plans.front];
  const cr_live_report made = {.size = sizeof made,
                               .plans = plan->plans,
                               .failed = plan->failed,
                               .age = x->age,
                               .oldest = x->oldest,
                               .stale = x->stale,
                               .reason = plan->reason};
  return cri_give(&call, report, &made, sizeof made, "cr_live_report");
}
