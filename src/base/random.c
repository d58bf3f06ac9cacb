// SPDX-License-Identifier: Apache-2.0
// Random streams. Integer arithmetic only up to the last conversion, so every machine agrees.
#include "base/random.h"

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

// splitmix64: a full-period mixer, used only to fill the state of the main generator
static uint64_t splitmix(uint64_t* x) {
  *x += 0x9e3779b97f4a7c15u;
  uint64_t z = *x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

cr_random cr_random_seed(uint64_t seed, uint64_t stream) {
  cr_random random;
  uint64_t x = seed ^ (stream * 0xd1342543de82ef95u);
  for (int i = 0; i < 4; i++) {
    random.state[i] = splitmix(&x);
  }
  return random;
}

uint64_t cr_random_bits(cr_random* random) {
  uint64_t* s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

cr_real cr_random_uniform(cr_random* random) {
  return (cr_real)(cr_random_bits(random) >> 11) * CR_R(0x1p-53);
}

cr_real cr_random_range(cr_random* random, cr_real low, cr_real high) {
  return low + (high - low) * cr_random_uniform(random);
}

cr_real cr_random_normal(cr_random* random) {
  for (;;) {
    cr_real u = cr_random_range(random, -1, 1);
    cr_real v = cr_random_range(random, -1, 1);
    cr_real s = u * u + v * v;
    if (s > 0 && s < 1) {
      return u * cr_sqrt(-2 * cr_log(s) / s);
    }
  }
}

int cr_random_int(cr_random* random, int n) { return (int)(cr_random_bits(random) % (uint64_t)n); }

void cr_random_shuffle(cr_random* random, int32_t* order, int n) {
  for (int i = 0; i < n; i++) {
    order[i] = i;
  }
  for (int i = n - 1; i > 0; i--) {
    int j = cr_random_int(random, i + 1);
    int32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}
