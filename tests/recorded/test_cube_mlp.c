// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Networks alone, with memory and without, learn free flight and do not care for directions and places in the plane.
#include "recorded/cube_mlp.h"

#include <math.h>
#include <stdlib.h>

#include "recorded/cube_lstm.h"
#include "recorded/cube_slip.h"
#include "support/close.h"
#include "support/scratch.h"
#include "tools/files.h"

enum { ROW = CR_CUBE_ROW, ROWS = 40, TOSSES = 6 };

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

typedef struct {
  cr_model* m;
  cr_recordings* list;
  cr_real rows[TOSSES][ROWS * ROW];
} flights;

static void record(flights* f) {
  open_cube(&f->m);
  assert_int_equal(cr_recordings_create(&f->list, f->m, CR_R(0.00675), NULL), CR_OK);
  for (int i = 0; i < TOSSES; i++) {
    char name[8] = {(char)('a' + i), 0};
    fly(f->m, i, f->rows[i]);
    const cr_recording_info toss = {
        .size = sizeof toss, .name = name, .rows = ROWS, .values = f->rows[i], .group = i};
    assert_int_equal(cr_recordings_add(f->list, &toss, NULL), CR_OK);
  }
}

static void forget(flights* f) {
  cr_recordings_destroy(f->list);
  cr_model_destroy(f->m);
}

static cr_cube_errors errors_of(const cr_real* seen, const cr_real* made) {
  const cr_recording_info toss = {.size = sizeof toss, .rows = ROWS, .values = seen};
  return cri_cube_compare(&toss, made);
}

// the first row of a toss turned by 90 degrees about z and shifted
static void turn_row(const cr_real* f, cr_real* to) {
  const cr_real s = cr_sqrt(CR_R(0.5));
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
  cr_copy(to, start, ROW);
}

static void assert_turned(const cr_real* made, const cr_real* turned) {
  const cr_real *a = made + (ptrdiff_t)ROW * (ROWS - 1), *b = turned + (ptrdiff_t)ROW * (ROWS - 1);
  assert_close(b[0], 3 - a[1], CR_R(1e-12));
  assert_close(b[1], a[0] - 2, CR_R(1e-12));
  assert_close(b[2], a[2], CR_R(1e-12));
  assert_close(b[12], a[12], CR_R(1e-12));
}

TEST(free_flight_is_learned) {
  static flights f;
  static cr_real made[ROWS * ROW], turned[ROWS * ROW];
  cr_cube_mlp mlp;
  record(&f);
  assert_int_equal(cri_cube_mlp_train(&mlp, f.list, 40, 1, NULL, NULL, NULL), CR_OK);
  cr_real* room = calloc((size_t)cr_network_nroom(mlp.network) + 1, sizeof *room);
  assert_non_null(room);
  cr_copy(made, f.rows[2], ROW);
  cri_cube_mlp_predict(&mlp, made, ROWS, room);
  cr_cube_errors e = errors_of(f.rows[2], made);
  assert_true(e.position < 2e-3 && e.rotation < 2e-3);
  turn_row(f.rows[2], turned);
  cri_cube_mlp_predict(&mlp, turned, ROWS, room);
  assert_turned(made, turned);
  free(room);
  cri_cube_mlp_free(&mlp);
  forget(&f);
}

TEST(free_flight_is_learned_with_a_memory) {
  static flights f;
  static cr_real made[ROWS * ROW], turned[ROWS * ROW];
  cr_cube_lstm lstm;
  record(&f);
  assert_int_equal(cri_cube_lstm_train(&lstm, f.list, 400, 1, NULL, NULL, NULL), CR_OK);
  cr_copy(made, f.rows[2], ROW);
  assert_int_equal(cri_cube_lstm_predict(&lstm, made, ROWS, NULL), CR_OK);
  cr_cube_errors e = errors_of(f.rows[2], made);
  print_message("off by %.3g m and %.3g rad\n", e.position, e.rotation);
  assert_true(e.position < 4e-2 && e.rotation < 6e-2);
  turn_row(f.rows[2], turned);
  assert_int_equal(cri_cube_lstm_predict(&lstm, turned, ROWS, NULL), CR_OK);
  assert_turned(made, turned);
  cri_cube_lstm_free(&lstm);
  forget(&f);
}
