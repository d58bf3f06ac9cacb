// SPDX-License-Identifier: Apache-2.0
// Slopes of actuator forces: the derivatives of the forces where MuJoCo takes all of them, what holds
// them, and their own derivatives.
#include "inertia/actuation_qderiv.h"

#include "actuator/activation.h"
#include "actuator/actuation.h"
#include "actuator/actuation_parts.h"
#include "base/random.h"
#include "checks/field_space.h"
#include "engine/forward.h"
#include "engine/pipeline.h"
#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 60 };

static cr_model m;
static cr_data *d, *tan_, *bar;

static void begin(uint64_t seed, int integrator) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  m.integrator = integrator;
  d = test_data(&m);
  tan_ = test_twin(&m, d, CR_DATA_TANGENT);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
  random_state(&m, d, seed, STATE_FLIGHT);
}

static void end(void) {
  test_release();
  cri_model_free(&m);
}

// slopes are those of the force, but for bristles, integrals that act early, and orientations over lengths
static bool is_whole(int i, cri_slope_over over) {
  bool bristle = m.actuator_gaintype[i] == CR_GAIN_DCMOTOR && m.actuator_dynprm[10 * i + 5] > 0;
  bool early = m.actuator_gaintype[i] == CR_GAIN_PID && m.actuator_actearly[i] != 0;
  bool geodesic = m.actuator_gaintype[i] == CR_GAIN_SO3 && over == CR_OVER_LENGTH;
  bool unheld = d->actuator_held[i] == 0;
  return unheld && !bristle && !early && !geodesic;
}

// how much an actuator's force changes when its own length moves by s, or its velocity
static cr_real force_beside(int out, cri_slope_over over, cr_real s) {
  cr_real f;
  if (over == CR_OVER_LENGTH) {
    d->actuator_length[out] += s;
    assert_int_equal(cr_actuation(&m, d), CR_OK);
    f = d->actuator_force[out];
    d->actuator_length[out] -= s;
    return f;
  }
  // along the moment's row, whose own velocity then changes by s
  cr_real square = 0;
  int first = d->moment_rowadr[out], n = d->moment_rownnz[out];
  for (int k = first; k < first + n; k++) {
    square += d->actuator_moment[k] * d->actuator_moment[k];
  }
  cri_moment_add(d, d->actuator_moment, out, s / square, d->qvel);
  assert_int_equal(cr_actuation(&m, d), CR_OK);
  f = d->actuator_force[out];
  cri_moment_add(d, d->actuator_moment, out, -s / square, d->qvel);
  return f;
}

// an output whose row of the moment is not zero
static bool pulls(int out) {
  int first = d->moment_rowadr[out];
  return !cr_is_zero(d->actuator_moment + first, d->moment_rownnz[out]);
}

TEST(slopes_are_those_of_the_forces) {
  int compared[CR_GAIN_PID + 1] = {0};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, CR_INT_EULER);
    for (int t = 0; t < m.ntendon; t++) {
      m.tendon_actfrclimited[t] = 0;  // it ties actuators to each other
    }
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int over = CR_OVER_VELOCITY; over <= CR_OVER_LENGTH; over++) {
      cr_real c[64], h = CR_R(1e-4);
      assert_true(m.nout <= 64);
      cri_actuation_qderiv(&m, d, (cri_slope_over)over, c);
      for (int i = 0; i < m.nactuator; i++) {
        int out = m.actuator_outadr[i];
        if (!is_whole(i, (cri_slope_over)over) || !pulls(out)) {
          continue;
        }
        cr_real near = (force_beside(out, (cri_slope_over)over, h) -
                        force_beside(out, (cri_slope_over)over, -h)) /
                       (2 * h);
        cr_real far = (force_beside(out, (cri_slope_over)over, 2 * h) -
                       force_beside(out, (cri_slope_over)over, -2 * h)) /
                      (4 * h);
        assert_int_equal(cr_actuation(&m, d), CR_OK);
        cr_real scale = 1 + cr_abs(near);
        if (cr_abs(near - far) < CR_R(1e-6) * scale) {  // else beside a kink
          assert_close(c[out], near, CR_R(1e-5) * scale);
          compared[m.actuator_gaintype[i]]++;
        }
      }
    }
    end();
  }
  for (int gain = 0; gain <= CR_GAIN_PID; gain++) {
    assert_true(compared[gain] > 1);
  }
}

// what a joint holds has no slope; what a range holds keeps that of cogging and bristles
TEST(held_forces_have_none) {
  int held = 0, motors = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, CR_INT_EULER);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cr_real c[64];
    for (int i = 0; i < m.nactuator; i++) {
      bool motor = m.actuator_gaintype[i] == CR_GAIN_DCMOTOR;
      d->actuator_held[i] = CR_HELD_FORCE;
      cri_actuation_qderiv(&m, d, CR_OVER_VELOCITY, c);
      bool off = cri_actuator_disabled(&m, i);
      cr_real left = motor && !off ? -m.actuator_dynprm[10 * i + 6] : 0;
      assert_close(c[m.actuator_outadr[i]], left, 0);
      motors += left != 0;
      d->actuator_held[i] |= CR_HELD_JOINT;
      cri_actuation_qderiv(&m, d, CR_OVER_VELOCITY, c);
      assert_close(c[m.actuator_outadr[i]], 0, 0);
      held++;
    }
    end();
  }
  assert_true(held > 50 && motors > 2);
}

// the transpose, over all that actuator/actuation reads
TEST(slopes_transpose) {
  int rows = 0;
  for (int k = 0; k < cr_npipeline; k++) {
    rows = strcmp(cr_pipeline[k].name, "actuation") == 0 ? k : rows;
  }
  const cr_stage* stage = &cr_pipeline[rows];
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed, seed % 2 == 0 ? CR_INT_DISCRETE : CR_INT_IMPLICIT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    cr_random r = cr_random_seed(seed, 12);
    for (int k = 0; k < stage->nread; k++) {
      cr_field_id id = stage->reads[k];
      cr_real* x = field_tangent(&m, tan_, id);
      for (int e = 0; e < field_tangent_size(&m, d, id); e++) {
        x[e] = cr_random_normal(&r);
      }
    }
    for (int over = CR_OVER_VELOCITY; over <= CR_OVER_LENGTH; over++) {
      cr_real c_tan[64], c_bar[64], out = 0, in = 0, size = 0;
      cri_actuation_qderiv_jvp(&m, d, tan_, (cri_slope_over)over, c_tan);
      for (int o = 0; o < m.nout; o++) {
        c_bar[o] = cr_random_normal(&r);
        out += c_bar[o] * c_tan[o];
      }
      for (int k = 0; k < stage->nread; k++) {
        cr_field_id id = stage->reads[k];
        cr_zero(field_tangent(&m, bar, id), field_tangent_size(&m, d, id));
      }
      bar->actuator_moment_pairs.n = 0;
      cri_actuation_qderiv_vjp(&m, d, bar, (cri_slope_over)over, c_bar);
      for (int k = 0; k < stage->nread; k++) {
        cr_field_id id = stage->reads[k];
        const cr_real* x = field_tangent(&m, tan_, id);
        const cr_real* y = field_tangent(&m, bar, id);
        bool operator= cri_field(id)->kind == CR_KIND_OP;
        for (int e = 0; !operator&& e<field_tangent_size(&m, d, id); e++) {
          in += x[e] * y[e];
          size += cr_abs(x[e] * y[e]);
        }
      }
      const cr_pairs* pairs = &bar->actuator_moment_pairs;
      for (int k = 0; k < pairs->n; k++) {
        for (int o = 0; o < m.nout; o++) {
          cr_real y = cri_pair_left(pairs, k)[o] *
                      cri_moment_mul(d, tan_->actuator_moment, o, cri_pair_right(pairs, k));
          in += y;
          size += cr_abs(y);
        }
      }
      assert_close(in, out, 1000 * CR_EPS * (1 + size));
    }
    end();
  }
}
