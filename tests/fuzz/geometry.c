// SPDX-License-Identifier: Apache-2.0
// Shakes the geometry: random pairs of all shapes in all poses, beside MuJoCo.
//   build/tests/tests/carom_shake [SEED [PAIRS [FIRST]]]
// prints a row for each two types and ends with 1 if a number is not finite or a distance is off by
// more than 1e-9 of the shapes' size. A pair is found again by its seed and number.
#include <stdio.h>
#include <stdlib.h>

#include "checks/io_shake.h"

static const char* const NAMES[CR_N_GEOM_TYPE] = {"plane",     "hfield",   "sphere", "capsule",
                                                  "ellipsoid", "cylinder", "box",    "mesh"};

static void print_row(const char* a, const char* b, const shake_tally* t) {
  (void)printf(
      "%-9s %-9s %8ld %6ld %6ld  %7.1e %7.1e %7.1e  %8ld %7ld %8ld %7ld %8.1e  %8ld %7ld\n", a, b,
      t->pairs, t->wrong, t->off, (double)t->extent, (double)t->deeper, (double)t->outside,
      t->apart, t->apart - t->same, t->overlap, t->worse, (double)t->beyond, t->closed,
      t->closed - t->alike);
}

int main(int argc, char** argv) {
  static shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE];
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t pairs = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000;
  uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  shake_bench bench;
  shake_bench_open(&bench);
  for (uint64_t i = first; i < first + pairs; i++) {
    shake_one(&bench, seed, i, tally);
  }
  shake_bench_close(&bench);
  (void)printf("%-9s %-9s %8s %6s %6s  %7s %7s %7s  %8s %7s %8s %7s %8s  %8s %7s\n", "", "",
               "pairs", "wrong", "points", "extent", "deeper", "outside", "apart", "differ",
               "overlap", "deeper", "less", "closed", "differ");
  for (int i = 0; i < CR_N_GEOM_TYPE; i++) {
    for (int k = i; k < CR_N_GEOM_TYPE; k++) {
      if (tally[i][k].pairs + tally[i][k].closed > 0) {
        print_row(NAMES[i], NAMES[k], &tally[i][k]);
      }
    }
  }
  shake_tally sum = shake_total(tally);
  print_row("all", "", &sum);
  return sum.insane > 0 || sum.wrong > 0 ? 1 : 0;
}
