// SPDX-License-Identifier: Apache-2.0
// Scenes of the study of jumps: forces by Carom's points are those of MuJoCo, derivatives are differences of forces.
#include "jumps/jump_scenes.h"

#include "base/status.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static void open_probe(cri_jump_probe* p, int scene, int method) {
  static cr_notebook book;
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path("."));
  must(cri_jump_probe_open(p, &book, scene, method, &error));
}

static cr_real way(const cri_jump_probe* p, int i) {
  return p->scene->from + (p->scene->to - p->scene->from) * (CR_R(0.03) + CR_R(0.047) * (cr_real)i);
}

static void largest(const cr_real* value, cr_real* most) {
  for (int k = 0; k < CRI_WRENCH; k++) {
    *most = cr_max(*most, cr_abs(value[k]));
  }
}

TEST(forces_by_points_are_those_of_mujoco) {
  for (int scene = 0; scene < CRI_N_JUMP_SCENE; scene++) {
    cri_jump_probe ours, theirs;
    cr_real most = 0;
    open_probe(&ours, scene, CRI_BY_POINTS);
    open_probe(&theirs, scene, CRI_BY_MUJOCO);
    for (int i = 0; i < 20; i++) {
      cr_real a[CRI_WRENCH], b[CRI_WRENCH];
      int contacts[2];
      must(cri_jump_forces(&ours, way(&ours, i), a, &contacts[0], &error));
      must(cri_jump_forces(&theirs, way(&theirs, i), b, &contacts[1], &error));
      assert_int_equal(contacts[0], contacts[1]);
      largest(b, &most);
      for (int k = 0; k < CRI_WRENCH; k++) {
        assert_close(a[k], b[k], CR_R(1e-8) * (1 + most));
      }
    }
    assert_true(most > 0);
    cri_jump_probe_close(&ours);
    cri_jump_probe_close(&theirs);
  }
}

TEST(derivatives_are_differences_of_forces) {
  const cr_real h = CR_R(1e-6);
  for (int scene = 0; scene < CRI_N_JUMP_SCENE; scene++) {
    for (int method = 0; method < CRI_N_JUMP_METHOD; method++) {
      cri_jump_probe p;
      cr_real most = 0;
      open_probe(&p, scene, method);
      for (int i = 0; i < 20; i++) {
        cr_real slope[CRI_WRENCH], left[CRI_WRENCH], right[CRI_WRENCH];
        int contacts;
        must(cri_jump_gradient(&p, way(&p, i), slope, &contacts, &error));
        must(cri_jump_forces(&p, way(&p, i) - h, left, &contacts, &error));
        must(cri_jump_forces(&p, way(&p, i) + h, right, &contacts, &error));
        largest(slope, &most);
        for (int k = 0; k < CRI_WRENCH; k++) {
          assert_close(slope[k], (right[k] - left[k]) / (2 * h), CR_R(1e-5) * (1 + most));
        }
      }
      assert_true(most > 0);
      cri_jump_probe_close(&p);
    }
  }
}
