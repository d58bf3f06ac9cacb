// SPDX-License-Identifier: Apache-2.0
// Equality constraints against the motion of the bodies they hold together: along coordinates that move
// with a constant velocity, a residual's first derivative is J v and its second is Jdot v.
#include "constraint/equality.h"

#include "constraint/constraint.h"
#include "math/quat.h"
#include "scenes/contact_scene.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { N_SEED = 40 };

static cr_real size_of(const cr_real* x, int n) {
  cr_real most = 0;
  for (int k = 0; k < n; k++) {
    most = cr_max(most, cr_abs(x[k]));
  }
  return most;
}

// residual of connect or weld i a time h along the velocities
static void residual_after(const contact_scene* s, cr_data* moved, int i, cr_real h,
                           cr_real r[CR_MAX_CONNECT_WELD]) {
  mechanism_move(&s->m, s->d, s->d->qvel, h, moved);
  mechanism_pose(&s->m, moved);
  cri_connect_weld b = cri_connect_weld_of(&s->m, moved, i);
  cri_connect_weld_residual(&b, r);
}

// rows of a connect or weld and what the motion of the bodies makes of its residual, differences of 6th order
static void check_connect_weld(const contact_scene* s, cr_data* moved, int row) {
  const cr_data* d = s->d;
  const cr_real h = cr_exp(cr_log(CR_EPS) / 8) / 4, first[] = {45, -9, 1}, second[] = {270, -27, 2};
  int i = d->efc_id[row], n = cri_equality_rows(s->m.eq_type[i]);
  cr_real r0[CR_MAX_CONNECT_WELD], r[2][CR_MAX_CONNECT_WELD], rate[CR_MAX_CONNECT_WELD] = {0},
                                                              bias[CR_MAX_CONNECT_WELD];
  residual_after(s, moved, i, 0, r0);
  assert_all_close(d->efc_pos + row, r0, n, 4 * CR_EPS);
  for (int k = 0; k < n; k++) {
    bias[k] = -490 * r0[k];
  }
  for (int step = 1; step <= 3; step++) {
    residual_after(s, moved, i, (cr_real)step * h, r[0]);
    residual_after(s, moved, i, -(cr_real)step * h, r[1]);
    for (int k = 0; k < n; k++) {
      rate[k] += first[step - 1] * (r[0][k] - r[1][k]);
      bias[k] += second[step - 1] * (r[0][k] + r[1][k]);
    }
  }
  cr_real length = 0, tolerance = 1000 * CR_EPS / (h * h);
  for (int k = 0; k < n; k++) {
    length += r0[k] * r0[k];
  }
  for (int k = 0; k < n; k++) {
    const cr_real* KBIP = d->efc_KBIP + 4 * (row + k);
    cr_real expected = bias[k] / (180 * h * h);
    cr_real scale = 1 + size_of(r0, n) + size_of(d->qvel, s->m.nv) * size_of(d->qvel, s->m.nv);
    assert_close(d->efc_vel[row + k], rate[k] / (60 * h), tolerance * scale);
    cr_real spring = -KBIP[1] * d->efc_vel[row + k] - KBIP[0] * KBIP[2] * d->efc_pos[row + k];
    assert_close(spring - d->efc_aref[row + k], expected, tolerance * scale);
  }
  assert_true(length > 0);
}

TEST(rows_are_derivatives_of_the_residual) {
  int seen[2][2] = {{0}};
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "reference");
    cr_data* moved = test_data(&s.m);
    cri_data_reset(&s.m, moved);
    for (int row = 0; row < s.d->ne;) {
      int i = s.d->efc_id[row];
      if (cri_is_connect_weld(s.m.eq_type[i])) {
        seen[s.m.eq_type[i]][s.m.eq_objtype[i] == CR_OBJ_SITE]++;
        check_connect_weld(&s, moved, row);
      }
      row += cri_equality_rows(s.m.eq_type[i]);
    }
    scene_close(&s);
  }
  assert_true(seen[0][0] > 0 && seen[0][1] > 0 && seen[1][0] > 0 && seen[1][1] > 0);
}

// a weld that asks for the pose at hand has no residual, and turning it by an angle t gives sin(t/2)
TEST(weld_at_rest_has_no_residual) {
  connect_weld_scene w;
  connect_weld_scene_open(&w, CR_EQ_WELD, false);
  const cr_model* m = &w.s.m;
  const cr_data* d = w.s.d;
  int b1 = m->eq_obj1id[w.eq], b2 = m->eq_obj2id[w.eq];
  cr_real *data = m->eq_data + CR_NEQDATA * w.eq, inverse[4], p[3], r[CR_MAX_CONNECT_WELD];

  // rel = q1^-1 q2, and the second anchor where the first one is
  const cr_real* q1 = d->xquat + 4 * b1;
  const cr_real conjugate[4] = {q1[0], -q1[1], -q1[2], -q1[3]};
  cr_copy(inverse, conjugate, 4);
  cr_quat_mul(data + 6, inverse, d->xquat + 4 * b2);
  cr_copy3(p, d->xpos + 3 * b1);
  cr_accmat3(p, d->xmat + 9 * b1, data + 3);
  cr_accscl3(p, d->xpos + 3 * b2, -1);
  cr_multmat3(data, d->xmat + 9 * b2, p);
  data[10] = CR_R(1.5);
  cri_connect_weld b = cri_connect_weld_of(m, d, w.eq);
  cri_connect_weld_residual(&b, r);
  for (int k = 0; k < 6; k++) {
    assert_close(r[k], 0, 32 * CR_EPS);
  }
  const cr_real axis[3] = {0, 0, 1};
  cr_quat_integrate(data + 6, axis, CR_R(0.8));
  b = cri_connect_weld_of(m, d, w.eq);
  cri_connect_weld_residual(&b, r);
  assert_close(cr_abs(r[5]), CR_R(1.5) * cr_sin(CR_R(0.4)), 32 * CR_EPS);
  scene_close(&w.s);
}

TEST(coupling_is_a_polynomial) {
  int32_t type[1] = {CR_EQ_JOINT}, id1[1] = {1}, id2[1] = {0}, adr[2] = {0, 1};
  cr_real data[CR_NEQDATA] = {CR_R(0.5), 2, -1, 3, CR_R(0.25)};
  cr_real qpos[2] = {CR_R(0.7), CR_R(4)}, qpos0[2] = {CR_R(0.2), 1};
  cr_model m = {.neq = 1,
                .eq_type = type,
                .eq_obj1id = id1,
                .eq_obj2id = id2,
                .eq_data = data,
                .jnt_qposadr = adr,
                .jnt_dofadr = adr,
                .qpos0 = qpos0};
  cr_data d = {.qpos = qpos};
  cri_coupling c = cri_coupling_of(&m, &d, 0);
  cr_real x = CR_R(0.5);
  assert_int_equal(c.id[0], 1);
  assert_int_equal(c.id[1], 0);
  assert_close(c.pos, 3 - (CR_R(0.5) + 2 * x - x * x + 3 * x * x * x + x * x * x * x / 4),
               16 * CR_EPS);
  assert_close(c.slope, 2 - 2 * x + 9 * x * x + x * x * x, 16 * CR_EPS);
  assert_close(c.curvature, -2 + 18 * x + 3 * x * x, 32 * CR_EPS);
  id2[0] = -1;
  c = cri_coupling_of(&m, &d, 0);
  assert_int_equal(c.id[1], -1);
  assert_close(c.pos, CR_R(2.5), 8 * CR_EPS);
  assert_true(c.slope == 0);
}
