// SPDX-License-Identifier: Apache-2.0
// White, pink and brown noise, scaled so that the mean variance over the row is 1.
#include "control/control_noise.h"

enum { MOST_OCTAVES = 16 };

static void white(cr_random* random, int n, int stride, cr_real* noise) {
  for (ptrdiff_t j = 0; j < n; j++) {
    noise[j * stride] = cr_random_normal(random);
  }
}

// after j + 1 numbers the variance is j + 1, (n + 1) / 2 on average
static void brown(cr_random* random, int n, int stride, cr_real* noise) {
  cr_real sum = 0, scale = cr_sqrt(2 / (cr_real)(n + 1));
  for (ptrdiff_t j = 0; j < n; j++) {
    sum += cr_random_normal(random);
    noise[j * stride] = scale * sum;
  }
}

static void pink(cr_random* random, int n, int stride, cr_real* noise) {
  int octaves = 1;
  while (octaves < MOST_OCTAVES && (1 << octaves) <= n) {
    octaves++;
  }
  cr_real held[MOST_OCTAVES], scale = 1 / cr_sqrt((cr_real)octaves);
  for (ptrdiff_t j = 0; j < n; j++) {
    cr_real sum = 0;
    for (int o = 0; o < octaves; o++) {
      if (j % ((ptrdiff_t)1 << o) == 0) {
        held[o] = cr_random_normal(random);
      }
      sum += held[o];
    }
    noise[j * stride] = scale * sum;
  }
}

void cri_control_noise(cr_random* random, cr_noise_colour colour, int n, int stride,
                       cr_real* noise) {
  if (colour == CR_NOISE_PINK) {
    pink(random, n, stride, noise);
  } else if (colour == CR_NOISE_BROWN) {
    brown(random, n, stride, noise);
  } else {
    white(random, n, stride, noise);
  }
}
