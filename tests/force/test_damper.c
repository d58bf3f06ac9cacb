// SPDX-License-Identifier: Apache-2.0
// Dampers of dofs and tendons: closed forms, slopes and bends as derivatives, tangents and transposes of
// forces and slopes.
#include "force/damper.h"

#include "base/random.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MOST = 256 };

static cr_model m;
static cr_data *d, *tan_, *bar;

static void randomize(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(r);
  }
}

static void begin(uint64_t seed, cr_random* r) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  randomize(r, d->ten_velocity, m.ntendon);
  randomize(r, m.dof_dampingpoly, 2 * m.nv);
  randomize(r, m.tendon_dampingpoly, 2 * m.ntendon);
  tan_ = test_twin(&m, d, CR_DATA_TANGENT);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
}

static void end(void) { cri_model_free(&m); }

static int count(cri_damped what) { return what == CR_DAMPED_DOFS ? m.nv : m.ntendon; }

static cr_real* velocity(cr_data* x, cri_damped what) {
  return what == CR_DAMPED_DOFS ? x->qvel : x->ten_velocity;
}

// forces and slopes, one behind the other
static void numbers(cri_damped what, cr_real* y) {
  cri_damper_forces(&m, d, what, y, d);
  cri_damper_qderiv(&m, d, what, y + count(what), d);
}

TEST(closed_form) {
  cr_random r = cr_random_seed(3, 0);
  for (uint64_t seed = 0; seed < 10; seed++) {
    begin(seed, &r);
    for (int what = CR_DAMPED_DOFS; what <= CR_DAMPED_TENDONS; what++) {
      cr_real y[2 * MOST], b[3 * MOST], B[MOST], *v = velocity(d, (cri_damped)what);
      int32_t side[MOST];
      int n = count((cri_damped)what);
      assert_true(n <= MOST);
      numbers((cri_damped)what, y);
      cri_damper_bends(&m, d, (cri_damped)what, B, d);
      cri_damper_sides(&m, d, (cri_damped)what, side, d);
      if (what == CR_DAMPED_DOFS) {
        cri_reflected_damping(&m, b);
      } else {
        cri_tendon_damping(&m, b);
      }
      for (int i = 0; i < n; i++) {
        const cr_real *c = b + 3 * i, s = cr_abs(v[i]), near = CR_R(1e-12) * (1 + s) * (1 + s * s);
        assert_close(y[i], -v[i] * (c[0] + c[1] * s + c[2] * s * s), 100 * near);
        assert_close(y[n + i], c[0] + 2 * c[1] * s + 3 * c[2] * s * s, 100 * near);
        assert_close(B[i], 2 * c[1] * cr_sign(v[i]) + 6 * c[2] * v[i], 100 * near);
        assert_int_equal(side[i], c[1] != 0 && v[i] < 0);
      }
    }
    end();
  }
}

// x += s y
static void add_scaled(cr_real* x, const cr_real* y, cr_real s, int n) {
  for (int i = 0; i < n; i++) {
    x[i] += s * y[i];
  }
}

static void parameters_move(cr_real h) {
  add_scaled(m.dof_damping, tan_->par.dof_damping, h, m.nv);
  add_scaled(m.dof_dampingpoly, tan_->par.dof_dampingpoly, h, 2 * m.nv);
  add_scaled(m.tendon_damping, tan_->par.tendon_damping, h, m.ntendon);
  add_scaled(m.tendon_dampingpoly, tan_->par.tendon_dampingpoly, h, 2 * m.ntendon);
}

static cr_real product(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

TEST(tangents_and_transposes) {
  cr_random r = cr_random_seed(3, 1);
  const cr_real h = CR_R(1e-6);
  for (uint64_t seed = 0; seed < 20; seed++) {
    begin(seed, &r);
    randomize(&r, tan_->par.dof_damping, m.nv);
    randomize(&r, tan_->par.dof_dampingpoly, 2 * m.nv);
    randomize(&r, tan_->par.tendon_damping, m.ntendon);
    randomize(&r, tan_->par.tendon_dampingpoly, 2 * m.ntendon);
    cr_real forward = 0, size = 0;
    for (int what = CR_DAMPED_DOFS; what <= CR_DAMPED_TENDONS; what++) {
      cri_damped of = (cri_damped)what;
      cr_real y[2][2 * MOST], y_tan[2 * MOST], w[2 * MOST];
      cr_real *v = velocity(d, of), *v_tan = velocity(tan_, of);
      int n = count(of);
      randomize(&r, v_tan, n);
      cri_damper_forces_jvp(&m, d, tan_, of, y_tan);
      cri_damper_qderiv_jvp(&m, d, tan_, of, y_tan + n);
      for (int side = 0; side < 2; side++) {
        cr_real step = side == 0 ? -h : 2 * h;
        parameters_move(step);
        add_scaled(v, v_tan, step, n);
        numbers(of, y[side]);
      }
      parameters_move(-h);
      add_scaled(v, v_tan, -h, n);
      for (int i = 0; i < 2 * n; i++) {
        assert_close(y_tan[i], (y[1][i] - y[0][i]) / (2 * h), CR_R(1e-5) * (1 + cr_abs(y_tan[i])));
        w[i] = cr_random_normal(&r);
        forward += w[i] * y_tan[i];
        size += cr_abs(w[i] * y_tan[i]);
      }
      cri_damper_forces_vjp(&m, d, bar, of, w);
      cri_damper_qderiv_vjp(&m, d, bar, of, w + n);
    }
    cr_real backward =
        product(tan_->qvel, bar->qvel, m.nv) +
        product(tan_->ten_velocity, bar->ten_velocity, m.ntendon) +
        product(tan_->par.dof_damping, bar->par.dof_damping, m.nv) +
        product(tan_->par.dof_dampingpoly, bar->par.dof_dampingpoly, 2 * m.nv) +
        product(tan_->par.tendon_damping, bar->par.tendon_damping, m.ntendon) +
        product(tan_->par.tendon_dampingpoly, bar->par.tendon_dampingpoly, 2 * m.ntendon);
    assert_close(forward, backward, CR_R(1e-12) * (1 + size));
    end();
  }
}
