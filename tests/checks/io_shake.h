// SPDX-License-Identifier: Apache-2.0
// Shaken pairs compared with MuJoCo: its own distances and its own contacts of the same two shapes.
#ifndef CR_TESTS_IO_SHAKE_H
#define CR_TESTS_IO_SHAKE_H

#include <mujoco/mujoco.h>

#include "checks/shake.h"
#include "model/model.h"

enum { SHAKE_HULLS = 4 };

/// A model with two geoms of each type and of each hull, to be sized and placed freely.
typedef struct {
  mjModel* mj;
  mjData* d;
  cr_model m;
  cr_hull store[SHAKE_HULLS];
  const cr_hull* hull[SHAKE_HULLS];
} shake_bench;

void shake_bench_open(shake_bench* b);
void shake_bench_close(shake_bench* b);

/// Results of the pairs. Errors are relative to the size of both.
typedef struct {
  long pairs, insane, wrong, off;  // wrong: a distance off by more than 1e-9; off: points that are
  cr_real extent, outside, deeper;
  long apart, same, overlap,
      worse;           // of mj_geomDistance: apart, of these equal to 1e-9; overlapping,
                       // of these deeper than need be
  cr_real beyond;      // overlapping: how much less deep MuJoCo's answer is
  long closed, alike;  // pairs with functions of their own: all, with MuJoCo's contacts
  cr_real contact;     // largest difference where the number of contacts is the same
} shake_tally;

/// Draws pair number `index` of a seed and adds it to the tally of its two types. One pair in sixteen is a
/// height field and a shape; a missed prism is a wrong distance.
void shake_one(shake_bench* b, uint64_t seed, uint64_t index,
               shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE]);

/// The sum of all.
shake_tally shake_total(shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE]);

/// `pairs` of a seed, from the first. A cmocka test that they are sane and right, that no more than `off`
/// points are off, and that MuJoCo agrees where it is right itself.
void shake_test(uint64_t seed, long pairs, long off);

#endif
