// SPDX-License-Identifier: Apache-2.0
// A million random pairs: shapes, meshes, poses, sizes and moduli, degenerate ones too. Forces and derivatives are finite,
// or one sentence says why there are none. Items of work on threads; each draws from its own stream.
#include <stdlib.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/random.h"
#include "carom/step.h"
#include "engine/constants.h"
#include "pressure/pressure_scene.h"

enum { MODELS = 125000, STATES = 8, CORNERS = 8, TRIANGLES = 12 };

// ---- what is drawn

static bool chance(cr_random* r, int one_in) { return cr_random_int(r, one_in) == 0; }

static cr_real log_uniform(cr_random* r, cr_real low, cr_real high) {
  return low * cr_pow(high / low, cr_random_uniform(r));
}

static cr_pressure_options draw_field(cr_random* r) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options),
                               .kind = chance(r, 4) ? "rigid" : "compliant",
                               .modulus = log_uniform(r, CR_R(1e-3), CR_R(1e15)),
                               .dissipation = chance(r, 2) ? 0 : log_uniform(r, CR_R(1e-3), 1000),
                               .transition = log_uniform(r, CR_R(1e-9), 10),
                               .thickness = log_uniform(r, CR_R(1e-6), 10),
                               .around = 4};
}

// a cube whose corners are moved, and fall together at times
typedef struct {
  cr_real vertex[3 * CORNERS];
  cr_pressure_solid solid;
} bent_cube;

static void draw_cube(cr_random* r, bent_cube* x) {
  static const int32_t sides[3 * TRIANGLES] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                               0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                               0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  const cr_real bend = chance(r, 2) ? 0 : log_uniform(r, CR_R(1e-15), CR_R(0.05));
  for (int i = 0; i < CORNERS; i++) {
    for (int k = 0; k < 3; k++) {
      const cr_real sign = (i >> k & 1) != 0 ? 1 : -1;
      x->vertex[3 * i + k] = CR_R(0.1) * sign + bend * cr_random_normal(r);
    }
  }
  if (chance(r, 8)) {
    cr_copy3(x->vertex, x->vertex + 3 * (1 + cr_random_int(r, CORNERS - 1)));
  }
  x->solid = (cr_pressure_solid){.size = sizeof x->solid,
                                 .nvert = CORNERS,
                                 .vertex = x->vertex,
                                 .nface = TRIANGLES - chance(r, 32),
                                 .face = sides};
}

static pressure_solid draw_solid(cr_random* r, bent_cube* cube) {
  static const cr_real sizes[] = {CR_R(1e-3), CR_R(0.05), CR_R(0.1), CR_R(0.1), CR_R(0.1), 2};
  pressure_solid s = {.type = CR_GEOM_SPHERE + (int)cr_random_int(r, 5), .field = draw_field(r)};
  for (int k = 0; k < 3; k++) {
    s.size[k] = chance(r, 2) ? sizes[cr_random_int(r, 6)] : log_uniform(r, CR_R(0.03), CR_R(0.3));
  }
  if (chance(r, 5)) {
    draw_cube(r, cube);
    s.field.solid = &cube->solid;
  }
  return s;
}

// anywhere near, or on a grid and turned by quarters of a turn, some a little beside both
static void draw_pose(cr_random* r, const cr_model* m, cr_data* d, int body) {
  static const cr_real off[] = {0, 0, 0, CR_R(1e-14), CR_R(-1e-10), CR_R(1e-6)};
  const bool grid = chance(r, 2);
  cr_real pos[3], axis[3] = {0};
  for (int k = 0; k < 3; k++) {
    pos[k] = grid ? CR_R(0.05) * (cr_real)cr_random_int(r, 5) + off[cr_random_int(r, 6)]
                  : CR_R(0.08) * cr_random_normal(r);
    axis[k] = grid ? 0 : cr_random_normal(r);
  }
  axis[cr_random_int(r, 3)] += 1;
  cr_normalize3(axis);
  pressure_pose(m, d, body, pos, axis,
                grid ? CR_PI / 2 * (cr_real)cr_random_int(r, 4) + off[cr_random_int(r, 6)]
                     : cr_random_normal(r));
}

// sizes and numbers as parameters change them, also to what no model has
static void draw_numbers(cr_random* r, cr_model* m) {
  static const cr_real wrong[] = {0, -1, CR_R(1e-300), (cr_real)NAN, (cr_real)INFINITY};
  for (int geom = 1; geom <= 2; geom++) {
    for (int k = 0; k < 3; k++) {
      m->geom_size[3 * geom + k] *= 1 + CR_R(0.05) * cr_random_normal(r);
    }
    m->geom_pressure[CR_PRESSURE_WIDTH * geom] *= log_uniform(r, CR_R(0.1), 10);
  }
  if (chance(r, 8)) {
    m->geom_pressure[cr_random_int(r, 3 * CR_PRESSURE_WIDTH)] = wrong[cr_random_int(r, 5)];
  }
  if (chance(r, 16)) {
    m->geom_size[3 + cr_random_int(r, 6)] = wrong[cr_random_int(r, 5)];
  }
}

// ---- what comes of it

typedef struct {
  long pairs, pressed, refused, silent, unfinished;
  char first[200];  // what is wrong with the first bad one
} tally;

static bool all_finite(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!(cr_abs(x[i]) <= CR_MAX)) {
      return false;
    }
  }
  return true;
}

static void blame(tally* t, long* count, int item, int state, const char* what) {
  if (t->first[0] == 0) {
    (void)snprintf(t->first, sizeof t->first, "model %d, state %d: %s", item, state, what);
  }
  ++*count;
}

static void count_refusal(tally* t, int item, int state, const char* sentence) {
  if (sentence[0] == 0) {
    blame(t, &t->silent, item, state, "refused without a sentence");
  }
  t->refused++;
}

static void differentiate(cr_random* r, const cr_model* m, const cr_data* d, cr_data* tan,
                          cr_data* bar, tally* t, int item, int state) {
  for (int i = 0; i < m->nv; i++) {
    tan->qpos[i] = cr_random_normal(r);
    tan->qvel[i] = cr_random_normal(r);
    bar->qacc[i] = 1;
  }
  if (cr_forward_jvp(m, d, tan) != CR_OK || cr_forward_vjp(m, d, bar) != CR_OK) {
    blame(t, &t->unfinished, item, state, "no derivative");
  } else if (!all_finite(tan->qfrc_pressure, m->nv) || !all_finite(bar->qpos, m->nv) ||
             !all_finite(bar->qvel, m->nv)) {
    blame(t, &t->silent, item, state, "a derivative is not finite");
  }
}

static void shake_state(cr_random* r, cr_model* m, cr_data* d, cr_data* tan, tally* t, int item,
                        int state) {
  cr_data* bar = NULL;
  cr_error error;
  for (int body = 1; body <= 2; body++) {
    draw_pose(r, m, d, body);
  }
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = chance(r, 2) ? 0 : cr_random_normal(r);
  }
  if (state % 2 == 1) {
    draw_numbers(r, m);
  }
  t->pairs++;
  if (cr_forward(m, d) != CR_OK) {
    count_refusal(t, item, state, d->error.text);
    return;
  }
  if (!all_finite(d->qfrc_pressure, m->nv)) {
    blame(t, &t->silent, item, state, "a force is not finite");
    return;
  }
  bool pressed = false;
  for (int i = 0; i < m->nv; i++) {
    pressed = pressed || d->qfrc_pressure[i] != 0;
  }
  t->pressed += pressed;
  if (cr_data_create_cotangent(&bar, m, d, &error) == CR_OK) {
    differentiate(r, m, d, tan, bar, t, item, state);
  }
  cr_data_destroy(bar);
}

typedef struct {
  tally* of;  // of each worker
} work;

static cr_status shake_model(void* context, int item, int worker) {
  tally* t = &((work*)context)->of[worker];
  cr_random r = cr_random_seed(23, (uint64_t)item);
  bent_cube cube[2];
  const cr_pressure_options ground = draw_field(&r);
  const pressure_solid solid[PRESSURE_SOLIDS] = {draw_solid(&r, &cube[0]),
                                                 draw_solid(&r, &cube[1])};
  cr_model m;
  cr_data *d = NULL, *tan = NULL;
  cr_error error = {0};
  if (pressure_scene_make(&m, &ground, 2, solid, &error) != CR_OK) {
    count_refusal(t, item, -1, error.text);
    t->pairs += STATES;
    cri_model_free(&m);
    return CR_OK;
  }
  if (cr_data_create(&d, &m, &error) == CR_OK && cr_constants(&m, d) == CR_OK &&
      cr_data_create_tangent(&tan, &m, d, &error) == CR_OK) {
    for (int state = 0; state < STATES; state++) {
      shake_state(&r, &m, d, tan, t, item, state);
    }
  } else {
    blame(t, &t->unfinished, item, -1, "no data");
  }
  cr_data_destroy(tan);
  cr_data_destroy(d);
  cri_model_free(&m);
  return CR_OK;
}

TEST(a_million_pairs_are_finite_or_refused) {
  cr_pool* pool = NULL;
  cr_error error;
  assert_int_equal(cr_pool_create(&pool, 0, &error), CR_OK);
  const int n = cr_pool_size(pool);
  work w = {calloc((size_t)n, sizeof(tally))};
  assert_non_null(w.of);
  assert_int_equal(cr_pool_run(pool, MODELS, shake_model, &w), CR_OK);
  tally all = {0};
  for (int i = 0; i < n; i++) {
    all.pairs += w.of[i].pairs;
    all.pressed += w.of[i].pressed;
    all.refused += w.of[i].refused;
    all.silent += w.of[i].silent;
    all.unfinished += w.of[i].unfinished;
    memcpy(all.first, all.first[0] == 0 ? w.of[i].first : all.first, sizeof all.first);
  }
  print_message("%ld pairs: %ld pressed, %ld refused with a sentence, %ld silent, %ld unfinished\n",
                all.pairs, all.pressed, all.refused, all.silent, all.unfinished);
  free(w.of);
  cr_pool_free(pool);
  if (all.silent + all.unfinished > 0) {
    fail_msg("%s", all.first);
  }
  assert_int_equal(all.pairs, (long)MODELS * STATES);
  assert_true(all.pressed > all.pairs / 4);
  assert_true(all.refused > all.pairs / 200);
}
