// SPDX-License-Identifier: Apache-2.0
// A table of symbols, and products of them.
#include "tools/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- symbols

typedef struct {
  const char* text;
  bool prefix;  // may have one
  cri_unit unit;
} symbol;

// powers: m, kg, s, rad, A, K
static const symbol symbols[] = {
    {"m", true, {1, {1}}},
    {"in", false, {0.0254, {1}}},
    {"inch", false, {0.0254, {1}}},
    {"ft", false, {0.3048, {1}}},
    {"g", true, {1e-3, {0, 1}}},
    {"s", true, {1, {0, 0, 1}}},
    {"sec", false, {1, {0, 0, 1}}},
    {"min", false, {60, {0, 0, 1}}},
    {"h", false, {3600, {0, 0, 1}}},
    {"rad", true, {1, {0, 0, 0, 1}}},
    {"deg", true, {PI / 180, {0, 0, 0, 1}}},
    {"\xc2\xb0", false, {PI / 180, {0, 0, 0, 1}}},
    {"rev", false, {2 * PI, {0, 0, 0, 1}}},
    {"turn", false, {2 * PI, {0, 0, 0, 1}}},
    {"rpm", false, {2 * PI / 60, {0, 0, -1, 1}}},
    {"Hz", true, {1, {0, 0, -1}}},
    {"N", true, {1, {1, 1, -2}}},
    {"Nm", true, {1, {2, 1, -2}}},
    {"Nmm", false, {1e-3, {2, 1, -2}}},
    {"Ncm", false, {1e-2, {2, 1, -2}}},
    {"kgf", false, {9.80665, {1, 1, -2}}},
    {"lbf", false, {4.4482216152605, {1, 1, -2}}},
    {"J", true, {1, {2, 1, -2}}},
    {"W", true, {1, {2, 1, -3}}},
    {"Pa", true, {1, {-1, 1, -2}}},
    {"bar", true, {1e5, {-1, 1, -2}}},
    {"A", true, {1, {0, 0, 0, 0, 1}}},
    {"V", true, {1, {2, 1, -3, 0, -1}}},
    {"T", true, {1, {0, 1, -2, 0, -1}}},
    {"K", false, {1, {0, 0, 0, 0, 0, 1}}},
    {"%", false, {0.01, {0}}},
    {"1", false, {1, {0}}},
};

static const struct {
  const char* text;
  double factor;
} prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6}, {"m", 1e-3},
                {"c", 1e-2}, {"d", 0.1},  {"k", 1e3},         {"M", 1e6}};

static const symbol* find(const char* text, size_t n, bool prefixed) {
  for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
    const symbol* s = &symbols[i];
    if (strlen(s->text) == n && strncmp(s->text, text, n) == 0 && (s->prefix || !prefixed)) {
      return s;
    }
  }
  return NULL;
}

static bool read_symbol(cri_unit* unit, const char* text, size_t n) {
  const symbol* s = find(text, n, false);
  if (s != NULL) {
    *unit = s->unit;
    return true;
  }
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = strlen(prefixes[i].text);
    if (n > length && strncmp(text, prefixes[i].text, length) == 0 &&
        (s = find(text + length, n - length, true)) != NULL) {
      *unit = s->unit;
      unit->factor *= prefixes[i].factor;
      return true;
    }
  }
  return false;
}

// ---- products

static double raised(double x, int power) {
  double y = 1;
  for (int i = 0; i < abs(power); i++) {
    y = power > 0 ? y * x : y / x;
  }
  return y;
}

// the power at the end of a factor, "^2", "2", "\xc2\xb2"; *n becomes the length of the symbol
static int power_of(const char* text, size_t* n) {
  if (*n >= 3 && memcmp(text + *n - 2, "\xc2\xb2", 2) == 0) {
    *n -= 2;
    return 2;
  }
  char last = text[*n - 1];
  if (*n < 2 || last < '1' || last > '9') {
    return 1;
  }
  int power = last - '0';
  *n -= 1;
  if (*n >= 2 && text[*n - 1] == '-') {
    power = -power;
    *n -= 1;
  }
  *n -= *n >= 2 && text[*n - 1] == '^';
  return power;
}

static bool multiply(cri_unit* unit, const char* text, size_t n, bool over) {
  cri_unit one;
  int power = power_of(text, &n);
  if (!read_symbol(&one, text, n)) {
    return false;
  }
  power = over ? -power : power;
  unit->factor *= raised(one.factor, power);
  for (int i = 0; i < CRI_N_DIMENSION; i++) {
    unit->power[i] += power * one.power[i];
  }
  return true;
}

bool cri_unit_read(cri_unit* unit, const char* text) {
  static const char* const between = " \t*";
  *unit = (cri_unit){.factor = 1};
  text += strspn(text, between);
  if (strcmp(text, "-") == 0) {
    return true;
  }
  while (*text != 0) {
    bool over = *text == '/';
    text += over;
    text += strspn(text, between);
    size_t n = strcspn(text, " \t*/");
    if (n == 0 || !multiply(unit, text, n, over)) {
      return false;
    }
    text += n;
    text += strspn(text, between);
  }
  return true;
}

// ---- conversion

bool cri_unit_convert(const char* from, const char* to, double* factor) {
  cri_unit a, b;
  char one[64];
  bool known = cri_unit_read(&a, from);
  for (const char* at = to;; at++) {
    size_t n = strcspn(at, "|");
    (void)snprintf(one, sizeof one, "%.*s", (int)n, at);
    if (strcmp(from, "g") == 0 && strcmp(one, "m/s^2") == 0) {
      *factor = 9.80665;
      return true;
    }
    if (known && cri_unit_read(&b, one) && memcmp(a.power, b.power, sizeof a.power) == 0) {
      *factor = a.factor / b.factor;
      return true;
    }
    at += n;
    if (*at == 0) {
      return false;
    }
  }
}
