// SPDX-License-Identifier: Apache-2.0
// Mistakes that recordings come with, made on good ones: each is named, and good ones pass.
#include "learn/agreement.h"

#include <stdlib.h>

#include "math/quat.h"
#include "math/vec3.h"
#include "scenes/tossed_cube.h"
#include "support/close.h"

enum { N = 6, ROWS = 90 };

typedef struct {
  cr_model m;
  cri_run* tosses;
  cr_real dt;
  char text[256];
} scene;

static void begin(scene* s, cr_real position_noise, cr_real rotation_noise, uint64_t seed) {
  *s = (scene){.tosses = NULL};
  tossed_cube(&s->m, CR_R(0.1));
  const cr_throw o = {N, ROWS, position_noise, rotation_noise, seed, NULL};
  s->tosses = tosses_thrown(&s->m, &o);
  s->dt = s->m.timestep;
}

static void end(scene* s) {
  tosses_free(s->tosses, N);
  cri_model_free(&s->m);
}

static const char* heard(scene* s) {
  cr_tosses_disagreement(s->tosses, N, s->dt, s->text, sizeof s->text);
  return s->text;
}

// what is done to every row
typedef void change(cr_real* row);

static void change_all(scene* s, change* f) {
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < s->tosses[i].rows; k++) {
      f(s->tosses[i].state + (size_t)k * CR_STATE_WIDTH);
    }
  }
}

static void millimetres(cr_real* s) { cr_scl3(s, s, 1000); }
static void slow_millimetres(cr_real* s) { cr_scl3(s + 7, s + 7, 1000); }
static void inches(cr_real* s) { cr_scl3(s, s, 1 / CR_R(0.0254)); }
static void degrees(cr_real* s) { cr_scl3(s + 10, s + 10, 180 / CR_PI); }
static void still(cr_real* s) { cr_zero3(s + 10); }

static void xyzw(cr_real* s) {
  cr_real w = s[3];
  s[3] = s[4];
  s[4] = s[5];
  s[5] = s[6];
  s[6] = w;
}

static void world_to_body(cr_real* s) { cr_scl3(s + 4, s + 4, -1); }

static void spin_in_world(cr_real* s) {
  cr_real R[9], w[3];
  cr_quat_to_mat(R, s + 3);
  cr_mulmat3(w, R, s + 10);
  cr_copy3(s + 10, w);
}

static void velocity_in_body(cr_real* s) {
  cr_real R[9], v[3];
  cr_quat_to_mat(R, s + 3);
  cr_multmat3(v, R, s + 7);
  cr_copy3(s + 7, v);
}

static void columns_turned(cr_real* s) {
  cr_real x = s[7];
  s[7] = s[9];
  s[9] = s[8];
  s[8] = x;
}

TEST(every_mistake_is_named) {
  static const struct {
    change* change;
    cr_real dt;  // times
    const char* says;
  } mistakes[] = {
      {millimetres, 1, "positions in mm?"},
      {slow_millimetres, 1, "velocities in mm/s?"},
      {inches, 1, "other units"},
      {degrees, 1, "angular velocities in degrees?"},
      {xyzw, 1, "quaternions look like x, y, z, w"},
      {world_to_body, 1, "quaternions look like world to body"},
      {spin_in_world, 1, "angular velocities look like those in the world"},
      {velocity_in_body, 1, "velocities look like those in the frame of the body"},
      {columns_turned, 1, "columns mixed up?"},
      {NULL, 1000, "dt in ms?"},
      {NULL, 2, "dt is 0.01"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
      scene s;
      begin(&s, CR_R(0.0005), CR_R(0.002), seed);
      s.dt *= mistakes[i].dt;
      if (mistakes[i].change != NULL) {
        change_all(&s, mistakes[i].change);
      }
      if (strstr(heard(&s), mistakes[i].says) == NULL) {
        fail_msg("seed %d: '%s' does not say '%s'", (int)seed, s.text, mistakes[i].says);
      }
      end(&s);
    }
  }
}

// noise up to ten times that of a camera, contacts, rest, and no spin at all
TEST(good_recordings_pass) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    for (int k = 0; k < 4; k++) {
      scene s;
      cr_real noise = (cr_real[]){0, 1, 4, 10}[k];
      begin(&s, noise * CR_R(0.0005), noise * CR_R(0.002), seed);
      assert_string_equal(heard(&s), "");
      for (int i = 0; i < N; i++) {  // only where it lies
        cr_real* state_ = s.tosses[i].state;
        s.tosses[i].rows = 20;
        memmove(state_, state_ + (ROWS - 20) * CR_STATE_WIDTH,
                20 * CR_STATE_WIDTH * sizeof *state_);
      }
      assert_string_equal(heard(&s), "");
      change_all(&s, still);
      assert_string_equal(heard(&s), "");
      end(&s);
    }
  }
}

TEST(little_is_enough_or_nothing_is_said) {
  scene s;
  begin(&s, 0, 0, 1);
  for (int i = 0; i < N; i++) {
    s.tosses[i].rows = 3;
  }
  assert_string_equal(heard(&s), "");
  change_all(&s, millimetres);
  assert_non_null(strstr(heard(&s), "positions in mm?"));
  for (int i = 0; i < N; i++) {
    s.tosses[i].rows = 1;
  }
  assert_string_equal(heard(&s), "");
  end(&s);
}
