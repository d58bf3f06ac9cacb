// SPDX-License-Identifier: Apache-2.0
// Levenberg-Marquardt and Gauss-Newton as one loop: without damping the step is shortened, with it the damping grows.
#include "learn/levenberg_marquardt.h"

#define ENOUGH CR_R(1e-4)  // of the predicted decrease, without damping

static const char no_longer_falls[] = "sum of squares no longer falls";

// of n numbers each; what a search knows
typedef struct {
  const cr_damping* damping;
  const cr_damped* damped;
  const cr_real *lower, *upper;
  cr_real *x, *gradient, *diagonal, *scale, *step, *trial;
  bool* fixed;
  cr_real value;         // at x
  cr_real mu, nu, part;  // part of the step that is taken, 1 with damping
} search;

size_t cri_damped_room(int n) { return 6 * (size_t)n; }

static cr_status linearise(search* s, cr_error* error) {
  const cr_damped* d = s->damped;
  CR_TRY(d->linearise(d->context, s->x, s->gradient, s->diagonal, error));
  for (int i = 0; i < d->n; i++) {
    s->scale[i] = cr_max(s->scale[i], s->diagonal[i]);
  }
  return CR_OK;
}

// fixes what stands at a bound and would go out along the gradient; the largest of the other gradients
static cr_real fix(search* s) {
  cr_real largest = 0;
  for (int i = 0; i < s->damped->n; i++) {
    cr_real g = s->gradient[i];
    s->fixed[i] = s->lower[i] == s->upper[i] || (s->x[i] <= s->lower[i] && g > 0) ||
                  (s->x[i] >= s->upper[i] && g < 0);
    largest = s->fixed[i] ? largest : cr_max(largest, cr_abs(g));
  }
  return largest;
}

// fixes what stands at a bound and would go out along the step; true if there is any
static bool fix_more(search* s) {
  bool any = false;
  for (int i = 0; i < s->damped->n; i++) {
    bool out =
        (s->x[i] <= s->lower[i] && s->step[i] < 0) || (s->x[i] >= s->upper[i] && s->step[i] > 0);
    if (out && !s->fixed[i]) {
      s->fixed[i] = any = true;
    }
  }
  return any;
}

// the step to the trial point, within bounds
static cr_status step_to_trial(search* s, cr_error* error) {
  const cr_damped* d = s->damped;
  // what has no influence so far is scaled by 1; x_i stays, as its gradient is zero
  for (int i = 0; i < d->n; i++) {
    s->scale[i] = s->scale[i] > 0 ? s->scale[i] : 1;
  }
  do {
    CR_TRY(d->solve(d->context, s->mu, s->scale, s->fixed, s->step, error));
  } while (fix_more(s));
  for (int i = 0; i < d->n; i++) {
    s->step[i] *= s->part;
    s->trial[i] = s->x[i] + s->step[i];
  }
  if (d->move != NULL) {
    d->move(d->context, s->x, s->step, s->trial);
  }
  for (int i = 0; i < d->n; i++) {
    cr_real inside = cr_clip(s->trial[i], s->lower[i], s->upper[i]);
    if (inside != s->trial[i] || d->move == NULL) {
      s->step[i] = inside - s->x[i];
    }
    s->trial[i] = inside;
  }
  return CR_OK;
}

static cr_status predict(const search* s, cr_real* predicted, cr_error* error) {
  const cr_damped* d = s->damped;
  cr_real square, slope = 0;
  CR_TRY(d->curvature(d->context, s->step, &square, error));
  for (int i = 0; i < d->n; i++) {
    slope += s->gradient[i] * s->step[i];
  }
  *predicted = -slope - square / 2;
  return CR_OK;
}

static bool step_is_small(const search* s) {
  cr_real tolerance = s->damping->step_tolerance;
  for (int i = 0; i < s->damped->n; i++) {
    if (cr_abs(s->step[i]) > tolerance * (cr_abs(s->x[i]) + tolerance)) {
      return false;
    }
  }
  return true;
}

static void shorter(search* s) {
  if (s->mu > 0) {
    s->mu *= s->nu;
    s->nu *= 2;
  } else {
    s->part /= 2;
  }
}

static void longer(search* s, cr_real gain) {
  cr_real miss = 2 * gain - 1;
  s->mu *= cr_max(CR_R(1.0) / 3, 1 - miss * miss * miss);
  s->nu = 2;
  s->part = 1;
}

// the value at the trial point
static cr_status try_step(const search* s, cr_real* value, cr_error* error) {
  CR_TRY(s->damped->value(s->damped->context, s->trial, value, error));
  return isnan(*value) ? cri_fail(error, CR_ERR_NONFINITE,
                                  "levenberg-marquardt: the sum of squares is not a number")
                       : CR_OK;
}

static cr_status take_step(search* s, cr_real value, cr_real gain, cr_error* error) {
  cr_copy(s->x, s->trial, s->damped->n);
  s->value = value;
  longer(s, gain);
  return linearise(s, error);
}

// a step that is tried; *reason is set where the search ends
static cr_status iterate(search* s, cr_damped_end* end, cr_error* error) {
  const cr_real tolerance = s->damping->value_tolerance;
  if (fix(s) <= s->damping->gradient_tolerance) {
    end->reason = "gradient below the tolerance";
    return CR_OK;
  }
  end->tried++;
  cr_status status = step_to_trial(s, error);
  if (status == CR_ERR_SINGULAR && s->mu > 0) {
    shorter(s);
    return CR_OK;
  }
  CR_TRY(status);
  if (step_is_small(s)) {
    end->reason = "steps below the tolerance";
    return CR_OK;
  }
  cr_real predicted, value;
  CR_TRY(predict(s, &predicted, error));
  if (!(predicted > 0)) {
    shorter(s);
    return CR_OK;
  }
  CR_TRY(try_step(s, &value, error));
  cr_real decrease = s->value - value, gain = decrease / predicted;
  bool all = predicted <= cr_max(tolerance, CR_EPS) * s->value && decrease <= predicted;
  if (gain > (s->mu > 0 ? 0 : ENOUGH)) {
    end->taken++;
    all = all && decrease <= tolerance * s->value;
    CR_TRY(take_step(s, value, gain, error));
  } else {
    shorter(s);
  }
  end->reason = all ? no_longer_falls : NULL;
  return CR_OK;
}

// ---- begin, go on

static cr_status begin(search* s, cr_error* error) {
  const cr_damped* d = s->damped;
  CR_TRY(d->value(d->context, s->x, &s->value, error));
  if (!isfinite(s->value)) {
    return cri_fail(error, CR_ERR_NONFINITE,
                    "levenberg-marquardt: the sum of squares at the start is not finite");
  }
  cr_zero(s->scale, d->n);
  return linearise(s, error);
}

static cr_status go_on(search* s, const cr_damped_state* from, cr_damped_end* end,
                       cr_error* error) {
  s->value = from->value;
  s->mu = from->mu;
  s->nu = from->nu;
  s->part = from->part;
  cr_copy(s->x, from->x, s->damped->n);
  cr_copy(s->scale, from->scale, s->damped->n);
  *end = (cr_damped_end){
      .tried = from->tried, .taken = from->taken, .reason = from->ended ? no_longer_falls : NULL};
  return from->ended ? CR_OK : linearise(s, error);
}

static cr_status tell(const search* s, const cr_damped_end* end, cr_error* error) {
  const cr_damped_state state = {.value = s->value,
                                 .mu = s->mu,
                                 .nu = s->nu,
                                 .part = s->part,
                                 .tried = end->tried,
                                 .taken = end->taken,
                                 .ended = end->reason != NULL,
                                 .x = s->x,
                                 .scale = s->scale};
  return s->damped->taken(s->damped->context, &state, error);
}

cr_status cri_damped_minimise(const cr_damping* damping, const cr_damped* damped,
                              const cr_real* lower, const cr_real* upper, cr_real* x, cr_real* room,
                              cr_damped_end* end, cr_error* error) {
  int n = damped->n;
  search s = {.damping = damping,
              .damped = damped,
              .lower = lower,
              .upper = upper,
              .x = x,
              .gradient = room,
              .diagonal = room + n,
              .scale = room + 2 * n,
              .step = room + 3 * n,
              .trial = room + 4 * n,
              .fixed = (bool*)(room + 5 * n),
              .mu = damping->damping,
              .nu = 2,
              .part = 1};
  *end = (cr_damped_end){.reason = NULL};
  cr_status status =
      damped->resume != NULL ? go_on(&s, damped->resume, end, error) : begin(&s, error);
  while (status == CR_OK && end->reason == NULL) {
    if (end->tried >= damping->iterations) {
      end->reason = "all iterations done";
      break;
    }
    int taken = end->taken;
    status = iterate(&s, end, error);
    if (status == CR_OK && damped->taken != NULL && end->taken > taken) {
      status = tell(&s, end, error);
    }
  }
  end->value = s.value;
  return status;
}
