// SPDX-License-Identifier: Apache-2.0
// Steps at extreme states, each compared with a solve in extended precision:
//   build/tests/tests/carom_solves [--states N] [--seed S] [--seconds T] MODEL...
// prints for each model how many steps were right, how many were refused and with which sentence. Exits
// with 1 if a step was wrong without a report, or was refused though there is an answer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/io_solves.h"

static void print(const char* path, const solves_tally* t) {
  int refused = t->states - t->stepped;
  (void)printf(
      "%s: %d states, %d refused, %d told, %d silent, %d needless; worst residual %.1e, qacc %.1e, "
      "J' f %.1e, step %.1e, inertia %.1e, rounding %.1e, %d iterations%s\n",
      path, t->states, refused, t->told, t->silent, t->needless, t->residual, t->acceleration,
      t->force, t->step, t->inertia, t->rounding, t->iterations,
      t->unknown > 0 ? "; some not checked" : "");
  for (int k = 0; k < SOLVES_KINDS; k++) {
    if (t->refused[k] > 0) {
      (void)printf("  %d refused, %s\n", t->refused[k], t->sentence[k]);
    }
  }
  if (t->silent > 0) {
    (void)printf("  silent: %s\n", t->silent_at);
  }
  if (t->needless > 0) {
    (void)printf("  needless: %s\n", t->needless_at);
  }
  (void)fflush(stdout);
}

int main(int argc, char** argv) {
  int states = 1000, bad = 0;
  uint64_t seed = 1;
  double seconds = 1e9;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--states") == 0 && i + 1 < argc) {
      states = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = strtoull(argv[++i], NULL, 10);
    } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = atof(argv[++i]);
    } else {
      solves_tally tally = {0};
      char why[SOLVES_SENTENCE];
      if (solves_run(argv[i], seed, states, seconds, &tally, why)) {
        print(argv[i], &tally);
        bad += tally.silent + tally.needless;
      } else {
        (void)printf("%s: not opened: %s\n", argv[i], why);
      }
    }
  }
  return bad > 0;
}
