// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: in d(J v)/dv a dof that moves both bodies of a row was counted once for each
// chain that passes it. J v is linear in v, so its derivative is J, and a dof that moves both bodies
// alike has no part in it.
#include <stdlib.h>

#include "carom/step.h"
#include "checks/io_bug.h"
#include "support/close.h"

#define TREE(contacts, equality)                                                            \
  "<mujoco><option gravity='0 0 0'/><default><geom contype='0' conaffinity='0'/></default>" \
  "<worldbody><body><freejoint/><geom size='.2'/><body pos='0 0 .3'><joint axis='0 0 1'/>"  \
  "<geom size='.1'/>"                                                                       \
  "<body name='a' pos='.2 0 .1'><joint axis='0 1 0'/><geom size='.15'" contacts             \
  "/></body>"                                                                               \
  "<body name='b' pos='-.05 0 .1'><joint axis='1 0 0'/><geom size='.15'" contacts           \
  "/></body>"                                                                               \
  "</body></body></worldbody>" equality "</mujoco>"

static const char* const scenes[] = {
    TREE("", "<equality><connect body1='a' body2='b' anchor='.1 .1 0'/></equality>"),
    TREE("", "<equality><weld body1='a' body2='b'/></equality>"),
    TREE(" contype='1' conaffinity='1'", ""),
};
enum { SHARED = 7 };  // dofs of the free joint and of the hinge above both arms

TEST(bug_shared_ancestors_count_once) {
  for (int k = 0; k < 3; k++) {
    bug_scene s;
    bug_open(&s, scenes[k], CR_R(0.1));
    bug_forward(&s);
    int nv = s.m.nv, n = s.d->nefc;
    assert_int_equal(nv, SHARED + 2);
    assert_true(n >= 3);
    cr_real *J = bug_dense_J(&s), own = 0, *spin = calloc((size_t)n, sizeof *spin);
    for (int i = 0; i < n; i++) {
      // a translation of the whole tree moves neither body against the other
      for (int dof = 0; dof < 3; dof++) {
        assert_close(J[i * nv + dof], 0, CR_R(1e-14));
      }
      own = cr_max(own, cr_abs(J[i * nv + SHARED]));
      spin[i] = s.d->efc_vel[i];
    }
    assert_true(own > CR_R(0.01));

    // forward: J v; jvp: J along each dof; vjp: each row of J
    for (int i = 0; i < n; i++) {
      cr_real Jv = 0;
      for (int dof = 0; dof < nv; dof++) {
        Jv += J[i * nv + dof] * s.d->qvel[dof];
      }
      assert_close(spin[i], Jv, CR_R(1e-12));
    }
    for (int dof = 0; dof < nv; dof++) {
      cr_zero(s.tan->qvel, nv);
      s.tan->qvel[dof] = 1;
      bug_forward_jvp(&s);
      for (int i = 0; i < n; i++) {
        assert_close(s.tan->efc_vel[i], J[i * nv + dof], CR_R(1e-12));
      }
    }
    for (int i = 0; i < n; i++) {
      s.bar->efc_vel[i] = 1;
      assert_int_equal(cr_forward_vjp(&s.m, s.d, s.bar), CR_OK);
      for (int dof = 0; dof < nv; dof++) {
        assert_close(s.bar->qvel[dof], J[i * nv + dof], CR_R(1e-12));
      }
      cr_zero(s.bar->qvel, nv);
      cr_zero(s.bar->qpos, nv);
    }
    bug_check_step(&s);
    free(spin);
    free(J);
    bug_close(&s);
  }
}
