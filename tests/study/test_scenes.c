// SPDX-License-Identifier: Apache-2.0
// Scenes against the laws and bodies that their experiments name.
#include "support/close.h"

#include "carom/step.h"
#include "model/data.h"
#include "model/model.h"
#include "study/scenes.h"
#include "support/scratch.h"

static const cr_real PI = CR_R(3.14159265358979323846264338327950288);

static cr_notebook book_here(void) {
  cr_notebook book = {0};
  (void)strcpy(book.folder, scratch_path(""));
  return book;
}

// behind the wall a mass of 1 has the acceleration -50 q - v, before it none
TEST(wall_pushes_as_it_says) {
  const cr_notebook book = book_here();
  cr_model* m = NULL;
  cr_data* d;
  assert_int_equal(cri_scene_open(&book, "wall", cri_scene_wall, &m, NULL), CR_OK);
  assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
  for (int k = 0; k < 8; k++) {
    cr_real q = CR_R(0.05) * (cr_real)k - CR_R(0.3), v = CR_R(0.2) * (cr_real)(k % 3 - 1);
    d->qpos[0] = q;
    d->qvel[0] = v;
    assert_int_equal(cr_forward(m, d), CR_OK);
    assert_close(d->qacc[0], q < 0 ? -50 * q - v : 0, CR_R(1e-3) * (1 + 50 * cr_abs(q)));
  }
  cr_data_destroy(d);
  cr_model_destroy(m);
}

// masses by density and volume, places, and the gravity of 2 of all tosses
TEST(tossed_bodies_weigh_what_they_should) {
  const cr_real r = CR_R(0.05);
  const cr_real mass[CR_N_TOSS] = {4 * PI / 3 * r * r * r, 100 * 8 * r * r * r,
                                   50 * (PI * r * r * CR_R(0.14) + 4 * PI / 3 * r * r * r),
                                   100 * PI * CR_R(0.04) * CR_R(0.04) * CR_R(0.1),
                                   200 * 4 * PI / 3 * r * r * CR_R(0.1)};
  const cr_notebook book = book_here();
  for (int body = 0; body < CR_N_TOSS; body++) {
    cr_model* m = NULL;
    assert_int_equal(cri_scene_toss(&book, body, &m, NULL), CR_OK);
    assert_int_equal(m->nq, 7);
    assert_int_equal(m->ngeom, 2);
    assert_close(m->body_mass[1], mass[body], CR_R(1e-9) * mass[body]);
    assert_close(m->gravity[2], -2, 0);
    assert_close(m->qpos0[1], cri_toss_y0[body], CR_R(1e-9));
    assert_close(m->qpos0[2], CR_R(0.2), CR_R(1e-9));
    cr_model_destroy(m);
  }
}

// two balls float in space for ever and touch nothing; under gravity they drop on a table that holds them
TEST(billiard_has_a_table_under_gravity_only) {
  const cr_notebook book = book_here();
  for (int gravity = 0; gravity < 2; gravity++) {
    cr_model* m = NULL;
    cr_data* d;
    int touching = 0;
    assert_int_equal(cri_scene_billiard(&book, gravity == 1, &m, NULL), CR_OK);
    assert_int_equal(m->nv, 12);
    assert_close(m->gravity[2], gravity ? CR_R(-9.81) : 0, CR_R(1e-12));
    m->timestep = CR_R(0.001);
    assert_int_equal(cr_data_create(&d, m, NULL), CR_OK);
    for (int i = 0; i < 500; i++) {
      assert_int_equal(cr_step(m, d), CR_OK);
      touching += d->ncon;
      cr_advance(m, d);
      assert_true(d->qpos[2] > CR_R(0.02) && d->qpos[2] <= CR_R(0.1));
      assert_close(d->qpos[9], d->qpos[2], CR_R(1e-12));
    }
    assert_int_equal(touching > 0, gravity == 1);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  assert_true(scratch_has("billiard.xml") && scratch_has("billiard_nogravity.xml"));
}
