// SPDX-License-Identifier: Apache-2.0
// A list of sentences about measurements that look wrong. The same doubt about several runs is one sentence.
#ifndef CR_MEASURE_MEASUREMENT_DOUBT_H
#define CR_MEASURE_MEASUREMENT_DOUBT_H

#include "measure/measurements.h"

typedef struct {
  char key[320], text[400];
  int runs;
  bool sure;
} cri_doubt;

typedef struct {
  cri_doubt* doubt;
  int n, capacity;
  bool full;  // no memory for more
} cri_doubts;

/// Adds a doubt about a run: "run 'NAME': ABOUT NUMBERS CAUSE". The same about and cause in another run only count.
void cri_doubts_add(cri_doubts* list, const cri_measured_run* run, bool sure, const char* about,
                    const char* numbers, const char* cause);

/// The numbers of one component of a channel where it was measured. Free time and value. False: no memory.
typedef struct {
  cr_real *time, *value;
  int n;
  cr_real spacing;  // median of the times between them, 0 where there are fewer than two
} cri_series;
bool cri_series_of(cri_series* s, const cri_channel* c, int k);
void cri_series_free(cri_series* s);

/// Adds what positions and velocities of one run say against each other (measure/measured_motion.c).
void cri_doubt_motion(cri_doubts* list, const cr_model* m, const cri_measured_run* run);

/// The same of quaternions and angular velocities (measure/measured_turn.c).
void cri_doubt_turns(cri_doubts* list, const cr_model* m, const cri_measured_run* run);

#endif
