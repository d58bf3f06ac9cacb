// SPDX-License-Identifier: Apache-2.0
// Plain differential equations under step-size control: closed forms, quadratures, failures.
#include "integrate/ode.h"

#include <stdlib.h>

#include "support/close.h"

// an oscillator; quadratures of its energy's parts, and of a fast wave that it knows nothing of
typedef struct {
  cr_real omega, fails_beyond;
  cr_status status;
  int calls;
} oscillator;

enum { N = 2, NQUAD = 3 };

static cr_status rate(void* context, cr_real s, const cr_real* y, cr_real* dy) {
  oscillator* o = context;
  o->calls++;
  dy[0] = y[1];
  dy[1] = -o->omega * o->omega * y[0];
  dy[2] = y[0] * y[0];
  dy[3] = 1;
  dy[4] = cr_cos(10 * s);
  return s > o->fails_beyond ? o->status : CR_OK;
}

static cr_status solve(int method, oscillator* o, const cr_adaptive* options, cr_real until,
                       cr_real* y, cri_controller* c, cr_error* error) {
  const cri_tableau* t = cri_tableau_of(method);
  cr_real* memory = calloc(cri_ode_room(t, N, NQUAD), sizeof *memory);
  cri_ode ode = {.t = t,
                 .n = N,
                 .nquad = NQUAD,
                 .rate = rate,
                 .context = o,
                 .y = y,
                 .z = y + N,
                 .memory = memory};
  *c = (cri_controller){.h = CR_R(0.01), .inverse = {1, 1}};
  cr_status status = CR_OK;
  for (cr_real s = 0, h; s < until && status == CR_OK;) {
    status = cri_ode_step(&ode, options, s, until, c, &h, error);
    s = h == until - s ? until : s + h;
  }
  free(memory);
  return status;
}

TEST(closed_forms) {
  static const int methods[] = {CR_INT_TSIT5, CR_INT_DOPRI5, CR_INT_DOPRI8, CR_INT_BOSH3,
                                CR_INT_HEUN};
  for (int i = 0; i < 5; i++) {
    cr_real last = 0;
    for (cr_real tol = CR_R(1e-4); tol > CR_R(0.5e-6); tol /= 100) {
      cri_controller c;
      oscillator o = {.omega = 3, .fails_beyond = 100};
      const cr_adaptive options = {.size = sizeof options, .rtol = tol, .atol = tol};
      cr_real y[N + NQUAD] = {1, 0}, T = 2;
      assert_int_equal(solve(methods[i], &o, &options, T, y, &c, NULL), CR_OK);
      const cr_real exact[] = {cr_cos(3 * T), -3 * cr_sin(3 * T), T / 2 + cr_sin(6 * T) / 12, T,
                               cr_sin(10 * T) / 10};
      cr_real worst = 0;
      for (int k = 0; k < N + NQUAD; k++) {
        worst = cr_max(worst, cr_abs(y[k] - exact[k]));
      }
      assert_true(worst < 100 * tol);
      assert_true(last == 0 || worst < last / 20);
      last = worst;
    }
  }
}

// a state at rest would allow any step: what is only summed up counts too
TEST(quadratures_bound_the_steps) {
  cri_controller c;
  oscillator o = {.omega = 0, .fails_beyond = 100};
  const cr_adaptive options = {.size = sizeof options, .rtol = CR_R(1e-8), .atol = CR_R(1e-8)};
  cr_real y[N + NQUAD] = {0, 0};
  assert_int_equal(solve(CR_INT_TSIT5, &o, &options, 3, y, &c, NULL), CR_OK);
  assert_close(y[4], cr_sin(30) / 10, CR_R(1e-7));
  assert_true(c.accepted > 20);
}

TEST(the_last_stage_begins_the_next_step) {
  cri_controller c;
  oscillator o = {.omega = 3, .fails_beyond = 100};
  const cr_adaptive options = {.size = sizeof options, .rtol = CR_R(1e-6), .atol = CR_R(1e-6)};
  cr_real y[N + NQUAD] = {1, 0};
  assert_int_equal(solve(CR_INT_TSIT5, &o, &options, 2, y, &c, NULL), CR_OK);
  assert_int_equal(o.calls, 1 + 6 * (c.accepted + c.rejected));
}

TEST(failures_are_said) {
  cri_controller c;
  cr_error error;
  cr_adaptive options = {
      .size = sizeof options, .rtol = CR_R(1e-6), .atol = CR_R(1e-6), .max_steps = 5};
  oscillator o = {.omega = 3, .fails_beyond = 100};
  cr_real y[N + NQUAD] = {1, 0};
  assert_int_equal(solve(CR_INT_TSIT5, &o, &options, 2, y, &c, &error), CR_ERR_BUDGET);
  assert_non_null(strstr(error.text, "5 steps"));
  // at once where no shorter step mends it
  options.max_steps = 0;
  o = (oscillator){.omega = 3, .fails_beyond = CR_R(0.5), .status = CR_ERR_CAPACITY};
  assert_int_equal(solve(CR_INT_TSIT5, &o, &options, 2, y, &c, &error), CR_ERR_CAPACITY);
  // otherwise as near as steps come
  o = (oscillator){.omega = 3, .fails_beyond = CR_R(0.5), .status = CR_ERR_SINGULAR};
  int rejected = c.rejected;
  assert_int_equal(solve(CR_INT_TSIT5, &o, &options, 2, y, &c, &error), CR_ERR_DIVERGED);
  assert_true(c.rejected > rejected + 5);
}
