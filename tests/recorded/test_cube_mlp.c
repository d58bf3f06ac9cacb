// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A network alone learns free flight, and does not care for directions and places in the plane.
#include "recorded/cube_mlp.h"

#include <math.h>
#include <stdlib.h>

#include "recorded/cube_slip.h"
#include "support/close.h"
#include "support/scratch.h"
#include "tools/files.h"

enum { ROW = CR_MLP_ROW, ROWS = 40, TOSSES = 6 };

static const char text[] =
    "<mujoco><option timestep=\"0.00675\"/><worldbody><geom name=\"board\" type=\"plane\" size=\"2 "
    "2 "
    "0.1\"/><body name=\"cube\" pos=\"0 0 1\"><freejoint/><geom name=\"cube\" type=\"box\" "
    "size=\"0.05 0.05 0.05\" mass=\"0.37\"/></body></worldbody></mujoco>";

static void open_cube(cr_model** m) {
  const char* path = scratch_path("cube.xml");
  assert_int_equal(cri_file_write(path, text, sizeof text - 1, NULL), CR_OK);
  assert_int_equal(cr_model_open(m, path, NULL), CR_OK);
}

// free flights from a height of a metre and more, by the model itself
static void fly(const cr_model* m, int i, cr_real* rows) {
  cr_recording_info toss = {.size = sizeof toss, .rows = ROWS};
  cr_real first[ROW] = {0, 0, 1 + CR_R(0.1) * (cr_real)i, 1};
  for (int k = 0; k < 6; k++) {
    first[7 + k] = (cr_real)((i * 7 + k * 3) % 11 - 5) / 5;
  }
  toss.values = first;
  assert_int_equal(cri_cube_predict(m, &toss, rows, NULL), CR_OK);
}

TEST(free_flight_is_learned) {
  static cr_real rows[TOSSES][ROWS * ROW], made[ROWS * ROW];
  cr_model* m = NULL;
  cr_recordings* list = NULL;
  cr_cube_mlp mlp;
  open_cube(&m);
  assert_int_equal(cr_recordings_create(&list, m, CR_R(0.00675), NULL), CR_OK);
  for (int i = 0; i < TOSSES; i++) {
    char name[8] = {(char)('a' + i), 0};
    fly(m, i, rows[i]);
    const cr_recording_info toss = {
        .size = sizeof toss, .name = name, .rows = ROWS, .values = rows[i], .group = i};
    assert_int_equal(cr_recordings_add(list, &toss, NULL), CR_OK);
  }
  assert_int_equal(cri_cube_mlp_train(&mlp, list, 40, 1, NULL, NULL, NULL), CR_OK);
  cr_real* room = calloc((size_t)cr_network_nroom(mlp.network) + 1, sizeof *room);
  assert_non_null(room);
  cr_copy(made, rows[2], ROW);
  cri_cube_mlp_predict(&mlp, made, ROWS, room);
  const cr_recording_info seen = {.size = sizeof seen, .rows = ROWS, .values = rows[2]};
  cr_cube_errors e = cri_cube_compare(&seen, made);
  assert_true(e.position < 2e-3 && e.rotation < 2e-3);

  // the same toss turned by 90 degrees about z and shifted
  cr_real turned[ROWS * ROW];
  const cr_real s = cr_sqrt(CR_R(0.5)), *f = rows[2];
  const cr_real start[ROW] = {3 - f[1],
                              f[0] - 2,
                              f[2],
                              s * (f[3] - f[6]),
                              s * (f[4] - f[5]),
                              s * (f[5] + f[4]),
                              s * (f[6] + f[3]),
                              -f[8],
                              f[7],
                              f[9],
                              f[10],
                              f[11],
                              f[12]};
  cr_copy(turned, start, ROW);
  cri_cube_mlp_predict(&mlp, turned, ROWS, room);
  const cr_real *a = made + (ptrdiff_t)ROW * (ROWS - 1), *b = turned + (ptrdiff_t)ROW * (ROWS - 1);
  assert_close(b[0], 3 - a[1], CR_R(1e-12));
  assert_close(b[1], a[0] - 2, CR_R(1e-12));
  assert_close(b[2], a[2], CR_R(1e-12));
  assert_close(b[12], a[12], CR_R(1e-12));
  free(room);
  cri_cube_mlp_free(&mlp);
  cr_recordings_destroy(list);
  cr_model_destroy(m);
}
