// SPDX-License-Identifier: Apache-2.0
// Limits of forces. The total on a tendon is a sum over actuators, so its cotangent is gathered first.
#include "actuator/force_limit.h"

#include "actuator/actuation_parts.h"
#include "math/vec3.h"

bool cri_pulls_limited(const cr_model* m, int i) {
  return m->actuator_trntype[i] == CR_TRN_TENDON &&
         m->tendon_actfrclimited[m->actuator_trnid[2 * i]] != 0;
}

static bool any_tendon_limited(const cr_model* m) {
  for (int i = 0; i < m->nactuator && m->ntendon > 0; i++) {
    if (cri_pulls_limited(m, i)) {
      return true;
    }
  }
  return false;
}

cr_real* cri_tendon_totals(const cr_model* m, const cr_real* raw, cr_data* owner) {
  if (!any_tendon_limited(m)) {
    return NULL;
  }
  cr_real* total = cri_push(owner, (size_t)m->ntendon);
  cr_zero(total, m->ntendon);
  for (int i = 0; i < m->nactuator; i++) {
    if (cri_pulls_limited(m, i)) {
      total[m->actuator_trnid[2 * i]] += raw[m->actuator_outadr[i]];
    }
  }
  return total;
}

cr_real* cri_tendon_pulls(const cr_model* m, const cr_real* totals, cr_data* owner) {
  if (totals == NULL) {
    return NULL;
  }
  cr_real* pulls = cri_push(owner, (size_t)m->ntendon);
  for (int t = 0; t < m->ntendon; t++) {
    int side;
    pulls[t] =
        cri_clip(totals[t], m->tendon_actfrclimited[t] != 0, m->tendon_actfrcrange + 2 * t, &side);
  }
  return pulls;
}

static cri_force_limit torque_limit(const cr_model* m, int i, const cr_real* raw, cr_real* f) {
  cri_force_limit limit = {.tendon = -1, .scale = 1, .share = 1, .norm = cr_norm3(raw)};
  cr_real most = m->actuator_forcerange[2 * i + 1];
  if (m->actuator_forcelimited[i] != 0 && limit.norm > most) {
    limit.share = most / limit.norm;
  }
  cr_scl3(f, raw, limit.share);
  return limit;
}

cri_force_limit cri_force_limit_of(const cr_model* m, int i, const cr_real* raw,
                                   const cr_real* totals, cr_real* f) {
  const cr_real* own = raw + m->actuator_outadr[i];
  if (m->actuator_outnum[i] == 3) {
    return torque_limit(m, i, own, f);
  }
  cri_force_limit limit = {.tendon = -1, .scale = 1, .share = 1};
  if (totals != NULL && cri_pulls_limited(m, i)) {
    limit.tendon = m->actuator_trnid[2 * i];
    limit.total = totals[limit.tendon];
  }
  if (limit.total != 0) {
    // [actuation.u9]
    const cr_real* range = m->tendon_actfrcrange + 2 * limit.tendon;
    cr_real held = cri_clip(limit.total, true, range, &limit.tendon_side);
    limit.scale = limit.tendon_side == 0 ? 1 : held / limit.total;
  }
  // [actuation.u6]
  f[0] = cri_clip(own[0] * limit.scale, m->actuator_forcelimited[i] != 0,
                  m->actuator_forcerange + 2 * i, &limit.side);
  return limit;
}

// share' = (range' - share raw . raw' / |raw|) / |raw|
static void torque_limit_tan(const cri_force_limit* limit, const cr_real* range_tan,
                             const cr_real* raw, const cr_real* raw_tan, cr_real* f_tan) {
  cr_scl3(f_tan, raw_tan, limit->share);
  if (limit->share < 1) {
    cr_real along = cr_dot3(raw, raw_tan) / limit->norm;
    cr_accscl3(f_tan, raw, (range_tan[1] - limit->share * along) / limit->norm);
  }
}

void cri_force_limit_tan(const cr_model* m, const cr_data* tan, int i, const cri_force_limit* limit,
                         const cr_real* raw, const cr_real* raw_tan, const cr_real* totals_tan,
                         cr_real* f_tan) {
  int out = m->actuator_outadr[i];
  const cr_real* range_tan = cri_par_tan(tan->par.actuator_forcerange, i, 2);
  if (m->actuator_outnum[i] == 3) {
    torque_limit_tan(limit, range_tan, raw + out, raw_tan + out, f_tan);
    return;
  }
  f_tan[0] = raw_tan[out] * limit->scale;
  if (limit->tendon_side != 0) {
    const cr_real* end_tan = cri_par_tan(tan->par.tendon_actfrcrange, limit->tendon, 2);
    cr_real held_tan = end_tan[limit->tendon_side > 0] - limit->scale * totals_tan[limit->tendon];
    f_tan[0] += raw[out] / limit->total * held_tan;
  }
  f_tan[0] = cri_clip_jvp(limit->side, f_tan[0], range_tan);
}

static void torque_limit_bar(const cri_force_limit* limit, const cr_real* raw, const cr_real* f_bar,
                             cr_real* range_bar, cr_real* raw_bar) {
  cr_scl3(raw_bar, f_bar, limit->share);
  if (limit->share < 1) {
    cr_real share_bar = cr_dot3(raw, f_bar) / limit->norm;
    cr_accscl3(raw_bar, raw, -share_bar * limit->share / limit->norm);
    if (range_bar != NULL) {
      range_bar[1] += share_bar;
    }
  }
}

void cri_force_limit_bar(const cr_model* m, cr_data* bar, int i, const cri_force_limit* limit,
                         const cr_real* raw, const cr_real* f_bar, cr_real* raw_bar,
                         cr_real* totals_bar) {
  cr_real* range_bar = cri_par_bar(bar->par.actuator_forcerange, i, 2);
  if (m->actuator_outnum[i] == 3) {
    torque_limit_bar(limit, raw + m->actuator_outadr[i], f_bar, range_bar, raw_bar);
    return;
  }
  // [actuation.u6]'
  cr_real scaled_bar = cri_clip_vjp(limit->side, f_bar[0], range_bar);
  // [actuation.u9]'
  if (limit->tendon_side != 0) {
    cr_real share_bar = scaled_bar * raw[m->actuator_outadr[i]] / limit->total;
    totals_bar[limit->tendon] -= share_bar * limit->scale;
    cri_par_add1(bar->par.tendon_actfrcrange, 2 * limit->tendon + (limit->tendon_side > 0),
                 share_bar);
  }
  raw_bar[0] = scaled_bar * limit->scale;
}

static bool at_end(cr_real x, const cr_real range[2]) { return x <= range[0] || x >= range[1]; }

void cri_tendon_pull(const cr_model* m, int i, const cri_force_limit* limit, const cr_real* raw,
                     cr_real f, cr_real* pulls) {
  if (limit->tendon >= 0) {
    pulls[limit->tendon] += f - raw[m->actuator_outadr[i]] * limit->scale;
  }
}

bool cri_force_held(const cr_model* m, int i, const cri_force_limit* limit, const cr_real* raw) {
  const cr_real* range = m->actuator_forcerange + 2 * i;
  if (m->actuator_forcelimited[i] == 0) {
    return false;
  }
  return m->actuator_outnum[i] == 3 ? limit->norm >= range[1]
                                    : at_end(raw[m->actuator_outadr[i]] * limit->scale, range);
}

bool cri_pull_held(const cr_model* m, int i, const cr_real* pulls) {
  int tendon = m->actuator_trnid[2 * i];
  return pulls != NULL && cri_pulls_limited(m, i) &&
         at_end(pulls[tendon], m->tendon_actfrcrange + 2 * tendon);
}
