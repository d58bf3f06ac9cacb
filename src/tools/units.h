// SPDX-License-Identifier: Apache-2.0
// Units of measured numbers, as people write them: "deg/s", "mm", "N m", "m/s^2", "rpm".
#ifndef CR_TOOLS_UNITS_H
#define CR_TOOLS_UNITS_H

#include <stdbool.h>

/// Powers of metre, kilogram, second, radian, ampere and kelvin.
enum { CRI_N_DIMENSION = 6 };

typedef struct {
  double factor;  // to the units of which `power` are the powers
  int power[CRI_N_DIMENSION];
} cri_unit;

/// Reads a unit: symbols with prefixes and powers, between them blanks, '*' or '/'. "1", "-" and "" are plain numbers.
/// False for one that is not known.
bool cri_unit_read(cri_unit* unit, const char* text);

/// The factor from one unit to another, one of several between '|' ("m|rad"): the first that it fits.
/// "g" is the gravity of Earth where an acceleration is wanted, else a gram. False if none fits.
bool cri_unit_convert(const char* from, const char* to, double* factor);

#endif
