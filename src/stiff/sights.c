// SPDX-License-Identifier: Apache-2.0
// Published noises.
#include "stiff/sights.h"

#define DEGREE (CR_PI / 180)
#define MM CR_R(1e-3)

const cri_sight cri_sights[CRI_N_SIGHT] = {
    [CRI_PAPER] = {"paper", 1 * MM, 1 * DEGREE, MM / 100, DEGREE / 100, -DEGREE / 100,
                   CR_R(0.00674)},
    [CRI_PAPER_BOUND] = {"paper, bound -0.1", 1 * MM, 1 * DEGREE, MM / 100, DEGREE / 100,
                         -DEGREE / 10, CR_R(0.00674)},
    [CRI_SCRIPTS] = {"scripts, 6.74 ms", 2 * MM, 2 * DEGREE, MM / 50, DEGREE / 50, -DEGREE / 50,
                     CR_R(0.00674)},
    [CRI_SCRIPTS_INTERVAL] = {"scripts, 6.7 ms", 2 * MM, 2 * DEGREE, MM / 50, DEGREE / 50,
                              -DEGREE / 50, CR_R(0.0067)}};
