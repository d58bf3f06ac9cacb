// SPDX-License-Identifier: Apache-2.0
// Factors between units, and what is none.
#include "tools/units.h"

#include "support/close.h"

TEST(units_are_converted) {
  static const struct {
    const char *from, *to;
    double factor;
  } table[] = {{"mm", "m", 1e-3},
               {"cm", "m|rad", 1e-2},
               {"deg", "m|rad", CR_PI / 180},
               {"\xc2\xb0/s", "rad/s", CR_PI / 180},
               {"rpm", "rad/s", CR_PI / 30},
               {"ms", "s", 1e-3},
               {"\xc2\xb5s", "s", 1e-6},
               {"kN", "N", 1e3},
               {"Nm", "N m", 1},
               {"N*m", "N m", 1},
               {"mNm", "N m", 1e-3},
               {"N mm", "N|N m", 1e-3},
               {"g", "m/s^2", 9.80665},
               {"g", "kg", 1e-3},
               {"mm/s^2", "m/s^2", 1e-3},
               {"mm/s2", "m/s^2", 1e-3},
               {"m/s/s", "m/s^2", 1},
               {"m s^-2", "m/s^2", 1},
               {"m/s\xc2\xb2", "m/s^2", 1},
               {"km/h", "m/s", 1 / 3.6},
               {"min", "s", 60},
               {"kHz", "Hz", 1e3},
               {"kg m^2/s", "kg m^2/s", 1},
               {"J", "N m", 1},
               {"-", "1", 1},
               {"%", "1", 0.01}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double factor = 0;
    if (!cri_unit_convert(table[i].from, table[i].to, &factor) ||
        !(fabs(factor / table[i].factor - 1) < 1e-14)) {
      fail_msg("%s to %s: %.17g", table[i].from, table[i].to, factor);
    }
  }
}

TEST(other_dimensions_and_unknown_units_are_refused) {
  static const char* const table[][2] = {
      {"mm", "rad"}, {"deg", "m"}, {"N", "N m"}, {"s", "m"},    {"rad/s", "Hz"}, {"1", "m"},
      {"mmm", "m"},  {"foo", "m"}, {"m/", "m"},  {"^2", "m^2"}, {"g", "N"},      {"mmin", "s"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double factor;
    if (cri_unit_convert(table[i][0], table[i][1], &factor)) {
      fail_msg("%s to %s: %g", table[i][0], table[i][1], factor);
    }
  }
}
