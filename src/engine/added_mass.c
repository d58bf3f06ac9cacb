// SPDX-License-Identifier: Apache-2.0
#include "engine/added_mass.h"

#include "force/fluid.h"
#include "math/vec3.h"

// ---- the integral k

// Kronrod's nodes in (0, 1) up to the middle, and their weights: the eight digits of MuJoCo
enum { NODES = 15, HALF = 8 };
static const cr_real node[HALF] = {CR_R(0.00427231), CR_R(0.02544604), CR_R(0.06756779),
                                   CR_R(0.12923441), CR_R(0.20695638), CR_R(0.29707742),
                                   CR_R(0.39610752), CR_R(0.5)};
static const cr_real node_weight[HALF] = {CR_R(0.01146766), CR_R(0.03154605), CR_R(0.05239501),
                                          CR_R(0.07032663), CR_R(0.08450236), CR_R(0.09517529),
                                          CR_R(0.10221647), CR_R(0.10474107)};

// exponents of the scale in the three semi-axes, and of 1 + u in the integrand
static const cr_real scale_power[3] = {CR_R(1.2), CR_R(0.4), CR_R(0.4)};
static const cr_real power[3] = {CR_R(1.5), CR_R(0.5), CR_R(0.5)};

// k, its own axis first, and its slopes against the semi-axes in that order
typedef struct {
  cr_real value, by[3];
} integral;

static integral integrate(const cr_real s[3]) {
  integral k = {0};
  cr_real scale = cr_pow(s[0] * s[0] * s[0] * s[1] * s[2], CR_R(0.4));
  for (int i = 0; i < NODES; i++) {
    cr_real x = i < HALF ? node[i] : 1 - node[NODES - 1 - i], rest = 1 - x;
    cr_real w = node_weight[i < HALF ? i : NODES - 1 - i];
    cr_real l = scale * x * x * x / (rest * rest), root = 1, share[3];
    for (int j = 0; j < 3; j++) {
      cr_real u = l / (s[j] * s[j]);
      root *= 1 + u;
      share[j] = u / (1 + u);
    }
    cr_real first = 1 + l / (s[0] * s[0]);
    cr_real term = scale * x * x * (3 - x) / (rest * rest * rest) * w / (first * cr_sqrt(root));
    k.value += term / (s[0] * s[0]);
    for (int j = 0; j < 3; j++) {
      cr_real log_slope = scale_power[j] - (j == 0 ? 2 : 0);
      for (int n = 0; n < 3; n++) {
        log_slope -= power[n] * share[n] * (scale_power[j] - (n == j ? 2 : 0));
      }
      k.by[j] += term / (s[0] * s[0]) * log_slope / s[j];
    }
  }
  return k;
}

// ---- mass and inertia

// the two axes after axis i
static int after(int i) { return (i + 1) % 3; }
static int last(int i) { return (i + 2) % 3; }

static integral integral_of(const cr_real s[3], int i) {
  return integrate((const cr_real[3]){s[i], s[after(i)], s[last(i)]});
}

// factors of the inertia about axis i: V/5 difference^2 |turn| / size,
// size = |2 difference - sum turn|
typedef struct {
  cr_real difference, sum, turn, size, sign;
} lever;

static lever lever_of(const cr_real s[3], const integral k[3], int i) {
  cr_real a = s[after(i)] * s[after(i)], b = s[last(i)] * s[last(i)];
  lever x = {.difference = a - b, .sum = a + b, .turn = k[last(i)].value - k[after(i)].value};
  cr_real size = 2 * x.difference - x.sum * x.turn;
  x.sign = cr_sign(size);
  x.size = cr_max(CR_MINVAL, cr_abs(size));
  return x;
}

static cr_real volume(const cr_real s[3]) { return 4 * CR_PI / 3 * s[0] * s[1] * s[2]; }

void cri_added_mass(const cr_real s[3], cr_real out[6]) {
  integral k[3] = {integral_of(s, 0), integral_of(s, 1), integral_of(s, 2)};
  for (int i = 0; i < 3; i++) {
    lever x = lever_of(s, k, i);
    out[i] = volume(s) * k[i].value / (2 - k[i].value);
    out[3 + i] = volume(s) / 5 * x.difference * x.difference * cr_abs(x.turn) / x.size;
  }
}

void cri_added_mass_vjp(const cr_real s[3], const cr_real out_bar[6], cr_real s_bar[3]) {
  integral k[3] = {integral_of(s, 0), integral_of(s, 1), integral_of(s, 2)};
  cr_real k_bar[3] = {0}, volume_bar = 0, fifth = volume(s) / 5;
  for (int i = 0; i < 3; i++) {
    lever x = lever_of(s, k, i);
    cr_real rest = 2 - k[i].value;
    volume_bar += out_bar[i] * k[i].value / rest;
    k_bar[i] += out_bar[i] * volume(s) * 2 / (rest * rest);
    if (x.size <= CR_MINVAL) {
      continue;
    }
    cr_real y = out_bar[3 + i], area = x.difference * x.difference;
    cr_real share = area * cr_abs(x.turn) / x.size, size_bar = -y * fifth * share / x.size * x.sign;
    cr_real difference_bar = y * fifth * 2 * x.difference * cr_abs(x.turn) / x.size + 2 * size_bar;
    cr_real turn_bar = y * fifth * area * cr_sign(x.turn) / x.size - x.sum * size_bar;
    cr_real sum_bar = -x.turn * size_bar;
    volume_bar += y * share / 5;
    s_bar[after(i)] += 2 * s[after(i)] * (sum_bar + difference_bar);
    s_bar[last(i)] += 2 * s[last(i)] * (sum_bar - difference_bar);
    k_bar[last(i)] += turn_bar;
    k_bar[after(i)] -= turn_bar;
  }
  for (int i = 0; i < 3; i++) {
    s_bar[i] += volume_bar * volume(s) / s[i];
    for (int j = 0; j < 3; j++) {
      s_bar[(i + j) % 3] += k_bar[i] * k[i].by[j];
    }
  }
}

// ---- of all geoms

enum { NFLUID = 12, FIRST = 6 };

bool cri_added_mass_derives(const cr_model* m, int i) {
  return i % NFLUID >= FIRST && m->geom_fluid[i / NFLUID * NFLUID] > 0;
}

// the semi-axes of a geom that has the ellipsoid model, and sizes
static bool axes_of(const cr_model* m, int g, cr_real s[3]) {
  cri_fluid_axes(s, m->geom_type[g], m->geom_size + 3 * g);
  return m->geom_fluid[NFLUID * g] > 0 && cr_min(s[0], cr_min(s[1], s[2])) > 0;
}

void cri_added_masses(cr_model* m) {
  cr_real s[3];
  for (int g = 0; g < m->ngeom; g++) {
    if (axes_of(m, g, s)) {
      cri_added_mass(s, m->geom_fluid + NFLUID * g + FIRST);
    }
  }
}

// a row of the slopes for each number: six against three
void cri_added_masses_jvp(const cr_model* m, cr_model* par_tan) {
  for (int g = 0; g < m->ngeom && par_tan->geom_fluid != NULL; g++) {
    const cr_real* size_tan = cri_par_tan(par_tan->geom_size, g, 3);
    cr_real s[3];
    if (!axes_of(m, g, s)) {
      continue;
    }
    for (int k = 0; k < NFLUID - FIRST; k++) {
      cr_real unit[NFLUID - FIRST] = {0}, s_bar[3] = {0}, size_bar[3] = {0};
      unit[k] = 1;
      cri_added_mass_vjp(s, unit, s_bar);
      cri_fluid_axes_vjp(size_bar, m->geom_type[g], s_bar);
      par_tan->geom_fluid[NFLUID * g + FIRST + k] = cr_dot3(size_bar, size_tan);
    }
  }
}

void cri_added_masses_vjp(const cr_model* m, cr_model* par_bar) {
  bool wanted = par_bar->geom_fluid != NULL && par_bar->geom_size != NULL;
  for (int g = 0; g < m->ngeom && wanted; g++) {
    const cr_real* fluid_bar = par_bar->geom_fluid + NFLUID * g + FIRST;
    cr_real s[3], s_bar[3] = {0};
    if (axes_of(m, g, s) && !cr_is_zero(fluid_bar, NFLUID - FIRST)) {
      cri_added_mass_vjp(s, fluid_bar, s_bar);
      cri_fluid_axes_vjp(par_bar->geom_size + 3 * g, m->geom_type[g], s_bar);
    }
  }
}
