// SPDX-License-Identifier: Apache-2.0
#include "command/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

// written by the handler, which any thread may run, and read by all workers
static atomic_int interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  atomic_store(&interrupted, 1);
}

bool cr_interrupted(void* context) {
  (void)context;
  return atomic_load(&interrupted) != 0;
}

void cr_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  (void)sigemptyset(&action.sa_mask);
  struct sigaction before;
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  // nohup wants to hear nothing of a terminal that closes
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
    (void)sigaction(SIGHUP, &action, NULL);
  }
}
