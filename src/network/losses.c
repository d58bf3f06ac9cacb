// SPDX-License-Identifier: Apache-2.0
// Losses of an error.
#include "network/losses.h"

cr_real cri_loss(cr_learning_loss kind, cr_real delta, cr_real e, cr_real* slope) {
  const cr_real size = cr_abs(e);
  switch (kind) {
    case CR_LEARNING_ABSOLUTE:  // [network.o2]
      *slope = cr_sign(e);
      return size;
    case CR_LEARNING_HUBER:  // [network.o3]
      *slope = size < delta ? e : delta * cr_sign(e);
      return size < delta ? e * e / 2 : delta * (size - delta / 2);
    case CR_LEARNING_SQUARES:  // [network.o1]
    default:
      *slope = 2 * e;
      return e * e;
  }
}
