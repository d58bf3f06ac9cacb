// SPDX-License-Identifier: Apache-2.0
// Array maps as functions of XLA on the CPU, without Python: what carom.jax calls. make_module.py reads the declarations below.
#ifndef CAROM_PYTHON_XLA_CALLS_H
#define CAROM_PYTHON_XLA_CALLS_H

#include "array_map.h"

// Gives a map a number, by which compiled functions of XLA find it; 0 without memory. It has to stay where it is until
// carom_map_withdraw, which waits for runs to end. A number is never given again.
int64_t carom_map_publish(const carom_array_map* map);
void carom_map_withdraw(int64_t number);

// Handlers of XLA's foreign function interface, as addresses: with an attribute `map`, the number. All arrays have the same
// leading axes, whose product is the number of rollouts, and one type, f32 or f64; what is kept is u8.
//   forward    inputs -> outputs, and behind them what is kept, if there is one more result
//   backward   inputs, output qpos, kept, cotangents of the outputs -> gradients
//   cost       inputs -> losses, and behind them gradients, if there are more results
typedef enum { CAROM_XLA_FORWARD, CAROM_XLA_BACKWARD, CAROM_XLA_COST } carom_xla_call;
uintptr_t carom_xla_handler(carom_xla_call call);

// The newest version of the interface that the handlers know, as major and minor, and whether they know one.
void carom_xla_newest(int* major, int* minor);
bool carom_xla_knows(int major, int minor);

// The version that handlers tell XLA: one of the known ones.
void carom_xla_set_version(int major, int minor);

#endif
