// SPDX-License-Identifier: Apache-2.0
// Gradients of 64 steps against differences in extended precision: machines of the project's own, with
// tendons that wrap, muscles and contacts; and, where the environment variable CAROM_ROLLOUT names a file
// that scripts/check_rollout.py wrote, the gradient that the command computed in double on a user's model.
// In double there is no extended precision: then the bound is what double differences can tell.
#include <stdio.h>
#include <stdlib.h>

#include "engine/data_create.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "math/quat.h"
#include "model/fields.h"
#include "model/file.h"
#include "rollout/trajectory.h"
#include "scenes/random_model.h"
#include "support/test.h"

enum { LEVELS = 6, MAX_LINE = 4096 };
#ifdef CR_LONG_DOUBLE
#define BOUND CR_R(1e-9)
#else
#define BOUND CR_R(1e-4)
#endif
#define FIRST_STEP CR_R(2e-4)

typedef struct {
  cr_model m, moved;
  cr_data *start, *d;
  cr_expression* loss;
  int nstep;
  cr_real* ctrl;     // nstep x nu
  uint64_t pieces0;  // and the loss, of the run that nothing moves
  cr_real loss0;
} problem;

// ---- one run

static uint64_t mix(uint64_t h, int64_t x) { return (h ^ (uint64_t)x) * 0x100000001b3u; }

// which pieces the run is made of
static uint64_t pieces(uint64_t h, const cr_model* m, const cr_data* d) {
  h = mix(mix(h, d->ncon), d->nefc);
  for (int i = 0; i < 4 * d->ncon; i++) {
    h = mix(h, d->contact_feature[i]);
  }
  for (int i = 0; i < d->nefc; i++) {
    h = mix(mix(h, d->efc_state[i]), d->efc_id[i]);
  }
  for (int i = 0; i < m->nwrap; i++) {
    h = mix(h, d->wrap_branch[i]);
  }
  for (int i = 0; i < m->nactuator; i++) {
    int adr = m->actuator_actadr[i];
    h = mix(h, adr >= 0 && d->act_dot[adr] > 0);
    // a muscle's time constants stand still outside of [0, 1]
    h = mix(h, adr >= 0 ? (d->act[adr] > 1) - (d->act[adr] < 0) : 0);
  }
  return h;
}

// the loss after all steps, from the start in p->start with p->moved; control `entry` moved by h
static cr_real run(problem* p, int entry, cr_real h, uint64_t* hash) {
  const cr_model* m = &p->moved;
  cr_data* d = p->d;
  cr_loss loss = cr_expression_loss(p->loss, false);
  cr_real sum = 0;
  *hash = 0xcbf29ce484222325u;
  for (int k = 0; k < p->nstep; k++) {
    cr_copy(d->ctrl, p->ctrl + (size_t)k * (size_t)m->nu, m->nu);
    if (m->nu > 0 && entry / m->nu == k) {
      d->ctrl[entry % m->nu] += h;
    }
    if (cr_step(m, d) != CR_OK) {
      fail_msg("step %d: %s", k, d->error.text);
    }
    *hash = pieces(*hash, m, d);
    cr_advance(m, d);
  }
  if (loss.needs_fields) {
    assert_int_equal(cr_forward(m, d), CR_OK);
  }
  assert_int_equal(loss.value(loss.context, m, d, p->nstep, &sum), CR_OK);
  return sum;
}

// ---- one entry moved

static void reset(problem* p) {
  cr_data *d = p->d, *s = p->start;
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  cr_copy(d->name, s->name, p->m.rows*(width));
#include "model/data_fields.h"
  d->time = s->time;
}

static cr_real run_moved(problem* p, cr_field_id id, int k, cr_real h, uint64_t* hash) {
  reset(p);
  if (id == CR_FIELD_ctrl) {
    return run(p, k, h, hash);
  }
  if (id == CR_FIELD_qpos) {
    cr_real* direction = calloc((size_t)p->m.nv, sizeof *direction);
    assert_non_null(direction);
    direction[k] = 1;
    cri_configuration_move(&p->m, p->start->qpos, direction, h, p->d->qpos);
    free(direction);
    return run(p, -1, 0, hash);
  }
  if (!cri_field_of_model(id)) {
    cri_field_real(&p->m, p->d, id)[k] += h;
    return run(p, -1, 0, hash);
  }
  int width = cri_field(id)->tangent == CR_TANGENT_QUAT ? 4 : 1;
  cr_real* x = cri_field_real(&p->moved, NULL, id) + (width == 4 ? 4 * (k / 3) : k);
  cr_real keep[4];
  cr_copy(keep, x, width);
  if (width == 4) {
    const cr_real axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    cr_quat_integrate(x, axis, h);
  } else {
    *x += h;
  }
  cr_real loss = run(p, -1, 0, hash);
  cr_copy(x, keep, width);
  return loss;
}

// Ridders' table over steps where both sides are made of the pieces of the unmoved run; the error holds
// what the round-off of the loss puts into the quotients
static bool slope_of(problem* p, cr_field_id id, int k, cr_real* slope, cr_real* error) {
  cr_real table[LEVELS][LEVELS], h = FIRST_STEP;
  int first = 0;
  *error = CR_MAX;
  for (int level = 0; level < LEVELS; level++, h /= 4) {
    uint64_t plus, minus;
    cr_real right = run_moved(p, id, k, h, &plus), left = run_moved(p, id, k, -h, &minus);
    if (plus != p->pieces0 || minus != p->pieces0) {
      first = level + 1;
      *error = CR_MAX;
      continue;
    }
    table[level][0] = (right - left) / (2 * h);
    cr_real factor = 16;
    for (int order = 1; order <= level - first; order++, factor *= 16) {
      table[level][order] =
          (factor * table[level][order - 1] - table[level - 1][order - 1]) / (factor - 1);
      cr_real off = cr_max(cr_abs(table[level][order] - table[level][order - 1]),
                           cr_abs(table[level][order] - table[level - 1][order - 1]));
      off += 64 * CR_EPS * cr_abs(p->loss0) / h;
      if (off < *error) {
        *error = off;
        *slope = table[level][order];
      }
    }
  }
  return *error < CR_MAX;
}

// ---- a gradient, entry by entry

typedef struct {
  cr_real worst;  // relative to the larger of the entry and 1e-3 of the largest of its kind
  int compared, kinks, blurred;  // blurred: differences that do not settle to the bound
  char where[96];
} tally;

static void compare(problem* p, cr_field_id id, int k, cr_real g, cr_real largest, cr_real bound,
                    tally* t) {
  cr_real slope, error;
  if (!slope_of(p, id, k, &slope, &error)) {
    t->kinks++;
    return;
  }
  cr_real scale = cr_max(cr_max(cr_abs(g), cr_abs(slope)), CR_R(1e-3) * largest);
  if (scale == 0) {
    return;
  }
  if (error > bound / 2 * scale) {
    t->blurred++;
    return;
  }
  t->compared++;
  if (cr_abs(g - slope) / scale > t->worst || isnan(g)) {
    t->worst = isnan(g) ? CR_MAX : cr_abs(g - slope) / scale;
    (void)snprintf(t->where, sizeof t->where, "%s[%d]: %.12g against %.12g", cri_field(id)->name, k,
                   (double)g, (double)slope);
  }
}

static void open_loss(problem* p, const char* text) {
  cr_error error = {0};
  if (cr_expression_create(&p->loss, &p->m, text, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void open_data(problem* p) {
  cr_capacity room = cri_capacity_default(&p->m);
  room = (cr_capacity){2 * room.ncon, 2 * room.nefc, 2 * room.nJ};
  assert_int_equal(cri_data_create(&p->d, &p->m, &room, NULL), CR_OK);
  p->start = test_data(&p->m);
  assert_int_equal(cri_model_copy(&p->moved, &p->m, NULL), CR_OK);
  p->ctrl = calloc((size_t)p->nstep * (size_t)p->m.nu + 1, sizeof *p->ctrl);
  assert_non_null(p->ctrl);
}

static void close_problem(problem* p) {
  cr_expression_destroy(p->loss);
  cri_data_free(p->d);
  cri_model_free(&p->m);
  cri_model_free(&p->moved);
  free(p->ctrl);
}

// ---- machines of the project's own

static const cr_field_id sampled[] = {CR_FIELD_qpos,
                                      CR_FIELD_qvel,
                                      CR_FIELD_act,
                                      CR_FIELD_ctrl,
                                      CR_FIELD_body_mass,
                                      CR_FIELD_site_pos,
                                      CR_FIELD_geom_size,
                                      CR_FIELD_actuator_gainprm,
                                      CR_FIELD_actuator_dynprm,
                                      CR_FIELD_tendon_stiffness,
                                      CR_FIELD_jnt_axis,
                                      CR_FIELD_geom_friction};
enum { N_SAMPLED = (int)(sizeof sampled / sizeof sampled[0]), EACH = 3 };

static void random_problem(problem* p, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 5);
  *p = (problem){.nstep = 64};
  assert_int_equal(random_model(&p->m, seed, NULL), CR_OK);
  random_model_calm(&p->m);
  p->m.timestep = CR_R(1e-4);
  open_data(p);
  random_state(&p->m, p->start, seed, STATE_CONTACT);
  cr_zero(p->start->xfrc_applied, 6 * p->m.nbody);
  cr_zero(p->start->qfrc_applied, p->m.nv);
  for (int i = 0; i < p->nstep * p->m.nu; i++) {
    p->ctrl[i] = cr_random_range(&r, CR_R(0.1), CR_R(0.9));
  }
  open_loss(p, "sum(qpos^2) + 0.01*sum(qvel^2)");
}

static cr_rollout* differentiate(problem* p) {
  bool wanted[CR_N_FIELD] = {false};
  cr_rollout* r = NULL;
  cr_error error = {0};
  for (int i = 0; i < N_SAMPLED; i++) {
    wanted[sampled[i]] = cri_field_of_model(sampled[i]);
  }
  assert_int_equal(cri_rollout_create(&r, &p->m, p->nstep, wanted, NULL), CR_OK);
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  cr_copy(r->d->name, p->start->name, p->m.rows*(width));
#include "model/data_fields.h"
  cr_copy(r->ctrl, p->ctrl, p->nstep * p->m.nu);
  cr_loss loss = cr_expression_loss(p->loss, false);
  if (cr_rollout_run(r, &p->m, p->nstep, &loss, &error) != CR_OK ||
      cr_rollout_gradient(r, &p->m, &p->m, &loss, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return r;
}

static const cr_real* gradient_of(const problem* p, const cr_rollout* r, cr_field_id id, int* n) {
  if (id == CR_FIELD_ctrl) {
    *n = p->nstep * p->m.nu;
    return r->ctrl_bar;
  }
  *n = cri_field_tangent_size(&p->m, p->start, id);
  return cri_field_real(cri_field_of_model(id) ? &r->bar->par : &p->m, r->bar, id);
}

TEST(gradients_of_64_steps) {
  if (getenv("CAROM_ROLLOUT") != NULL) {
    skip();
  }
  tally t = {0};
  int muscles = 0, wraps = 0, rows = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    problem p;
    random_problem(&p, seed);
    cr_random random = cr_random_seed(seed, 6);
    cr_rollout* r = differentiate(&p);
    reset(&p);
    p.loss0 = run(&p, -1, 0, &p.pieces0);
    rows += p.d->nefc;
    wraps += p.m.nwrap;
    for (int i = 0; i < p.m.nactuator; i++) {
      muscles += p.m.actuator_dyntype[i] == CR_DYN_MUSCLE;
    }
    for (int i = 0; i < N_SAMPLED; i++) {
      int n;
      const cr_real* g = gradient_of(&p, r, sampled[i], &n);
      cr_real largest = 0;
      for (int k = 0; k < n; k++) {
        largest = cr_max(largest, cr_abs(g[k]));
      }
      for (int k = 0; k < EACH && n > 0; k++) {
        int entry = cr_random_int(&random, n);
        compare(&p, sampled[i], entry, g[entry], largest, BOUND, &t);
      }
    }
    cr_rollout_destroy(r);
    close_problem(&p);
  }
  print_message(
      "worst %.1e at %s; %d compared, %d at kinks, %d not settled; %d muscles, %d wraps, %d rows\n",
      (double)t.worst, t.where, t.compared, t.kinks, t.blurred, muscles, wraps, rows);
  assert_true(muscles > 3 && wraps > 20 && rows > 100);
  assert_true(t.worst <= BOUND);
  assert_true(t.compared > 80);
  assert_true(t.kinks < t.compared / 2);
}

// ---- a user's model: lines model file, loss, keyframe (-1 none), steps, activations at the start (nan: as
// they are); then the controls of all steps, then entries "field index gradient largest-of-the-field"

static void read_line(FILE* file, char text[MAX_LINE]) {
  assert_non_null(fgets(text, MAX_LINE, file));
  text[strcspn(text, "\n")] = 0;
}

static cr_real read_number(FILE* file) {
  char word[128];
  assert_int_equal(fscanf(file, "%127s", word), 1);
  return (cr_real)strtold(word, NULL);
}

static void open_file(problem* p, FILE* file) {
  char path[MAX_LINE], loss[MAX_LINE];
  cr_error error = {0};
  *p = (problem){0};
  read_line(file, path);
  read_line(file, loss);
  int key = (int)read_number(file);
  p->nstep = (int)read_number(file);
  if (cri_model_read(&p->m, path, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  open_data(p);
  open_loss(p, loss);
  if (key >= 0) {
    const cr_model* m = &p->m;
    cr_copy(p->start->qpos, m->key_qpos + key * m->nq, m->nq);
    cr_copy(p->start->qvel, m->key_qvel + key * m->nv, m->nv);
    cr_copy(p->start->act, m->key_act + key * m->na, m->na);
  }
  cr_real act = read_number(file);
  for (int i = 0; i < p->m.na && !isnan(act); i++) {
    p->start->act[i] = act;
  }
  for (int i = 0; i < p->nstep * p->m.nu; i++) {
    p->ctrl[i] = read_number(file);
  }
}

static cr_field_id field_named(const char* name) {
  for (int i = 0; i < CR_N_FIELD; i++) {
    if (strcmp(cri_field((cr_field_id)i)->name, name) == 0) {
      return (cr_field_id)i;
    }
  }
  fail_msg("there is no field '%s'", name);
  return (cr_field_id)0;
}

TEST(gradient_of_a_users_model) {
  const char* path = getenv("CAROM_ROLLOUT");
  if (path == NULL) {
    skip();
  }
  FILE* file = fopen(path, "r");
  problem p;
  tally t = {0};
  char name[64];
  int entry;
  assert_non_null(file);
  open_file(&p, file);
  reset(&p);
  p.loss0 = run(&p, -1, 0, &p.pieces0);
  while (fscanf(file, "%63s %d", name, &entry) == 2) {
    cr_real g = read_number(file), largest = read_number(file);
    compare(&p, field_named(name), entry, g, largest, CR_R(1e-6), &t);
  }
  (void)fclose(file);
  print_message(
      "loss %.15g after %d steps; worst %.1e at %s; %d compared, %d at kinks, %d not settled\n",
      (double)p.loss0, p.nstep, (double)t.worst, t.where, t.compared, t.kinks, t.blurred);
  close_problem(&p);
  assert_true(t.worst <= CR_R(1e-6));
  assert_true(t.compared > t.kinks + t.blurred);
}
