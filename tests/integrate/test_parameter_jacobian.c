// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step by parameters: by tangents against by cotangents and against the tangent of
// the whole step, both against differences, and a closed form.
#include "integrate/parameter_jacobian.h"

#include <stdlib.h>

#include "checks/field_space.h"
#include "checks/stage_check.h"
#include "engine/constants.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/close.h"

enum { MODELS = 30, CHOSEN = 3, MOST = 60 };
#ifdef CR_LONG_DOUBLE
#define AGREE CR_R(1e-12)
#define DIFFER CR_R(1e-9)
#define STEP CR_R(1e-5)
#else
#define AGREE CR_R(1e-9)  // light bodies lose some digits
#define DIFFER CR_R(2e-5)
#define STEP CR_R(1e-4)
#endif

typedef struct {
  cr_model m;
  cr_data* d;
  cr_parameter_jacobian* work;
  cr_field_id id[CHOSEN];
  const char* names[CHOSEN];
  int n, rows, columns;
  cr_real *tangents, *cotangents;
} fixture;

// entries without a derivative are switches
static bool is_candidate(const cr_model* m, const cr_data* d, cr_field_id id) {
  bool site = id == CR_FIELD_site_pos || id == CR_FIELD_site_quat;  // of sensors mostly
  int n = cri_field(id)->kind == CR_KIND_PARAM ? cri_field_tangent_size(m, NULL, id) : 0;
  bool smooth = n > 0 && n <= MOST && !site;
  for (int i = 0; i < n && smooth; i++) {
    smooth = field_entry_smooth(m, d, id, i);
  }
  return smooth;
}

static fixture fixture_of(uint64_t seed, int integrator, bool derive) {
  fixture f = {.n = 0};
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.m.integrator = integrator;
  if (integrator == CR_INT_RK4) {
    random_model_calm(&f.m);
  }
  f.d = test_data(&f.m);
  cr_random r = cr_random_seed(seed, 11);
  f.id[f.n++] = derive ? CR_FIELD_body_mass : CR_FIELD_gravity;
  while (f.n < CHOSEN) {
    cr_field_id id = (cr_field_id)(cr_random_uniform(&r) * CR_N_MODEL_FIELD);
    bool taken = id == f.id[0] || id == f.id[f.n - 1];
    for (int k = 0; k < CR_N_DERIVED; k++) {
      taken = taken || (derive && id == cri_derived_fields[k]);
    }
    if (!taken && is_candidate(&f.m, f.d, id)) {
      f.id[f.n++] = id;
    }
  }
  for (int i = 0; i < f.n; i++) {
    f.names[i] = cri_field(f.id[i])->name;
  }
  cr_error error = {0};
  cr_status status = cr_parameter_jacobian_create(&f.work, &f.m, f.d, f.names, f.n, derive, &error);
  assert_string_equal(error.text, "");
  assert_int_equal(status, CR_OK);
  f.rows = 2 * f.m.nv + f.m.na;
  f.columns = cr_parameter_jacobian_columns(f.work);
  size_t size = (size_t)f.rows * (size_t)f.columns + 1;
  f.tangents = calloc(size, sizeof(cr_real));
  f.cotangents = calloc(size, sizeof(cr_real));
  assert_true(f.tangents != NULL && f.cotangents != NULL);
  return f;
}

static void fixture_free(fixture* f) {
  free(f->tangents);
  free(f->cotangents);
  cr_parameter_jacobian_destroy(f->work);
  test_release();
  cri_model_free(&f->m);
}

static void fill(fixture* f, bool by_rows, cr_real* to) {
  cri_parameter_jacobian_by_rows(f->work, by_rows);
  assert_int_equal(cr_step_parameter_jacobian(&f->m, f->d, f->work, to), CR_OK);
}

// against the largest number of the column, or a thousandth of all: products leave round-off where
// nothing is
static void compare(const fixture* f, uint64_t seed, const cr_real* actual,
                    const cr_real* expected) {
  cr_real all = 0;
  for (int i = 0; i < f->rows * f->columns; i++) {
    all = cr_max(all, cr_abs(expected[i]));
  }
  for (int k = 0; k < f->columns; k++) {
    cr_real scale = CR_R(1e-3) * all;
    for (int i = 0; i < f->rows; i++) {
      scale = cr_max(scale, cr_abs(expected[i * f->columns + k]));
    }
    for (int i = 0; i < f->rows; i++) {
      char name[200];
      (void)snprintf(name, sizeof name, "model %d by %s, %s, %s: row %d, column %d", (int)seed,
                     f->names[0], f->names[1], f->names[2], i, k);
      int at = i * f->columns + k;
      assert_close_at(actual[at], expected[at], AGREE * scale, name, __FILE__, __LINE__);
    }
  }
}

// every column is, bit by bit, the tangent of the whole step
static void compare_whole(const fixture* f) {
  const cr_model* m = &f->m;
  cr_data* work = test_data(m);
  cr_data* tan = test_twin(m, f->d, CR_DATA_TANGENT);
  for (int i = 0, column = 0; i < f->n; i++) {
    cr_real* seed = field_tangent(m, tan, f->id[i]);
    for (int k = 0; k < cr_parameter_jacobian_width(f->work, i); k++, column++) {
      seed[k] = 1;
      assert_int_equal(cr_step_jvp(m, f->d, work, tan), CR_OK);
      seed[k] = 0;
      for (int v = 0; v < m->nv; v++) {
        assert_true(f->tangents[v * f->columns + column] == tan->qpos_next[v]);
        assert_true(f->tangents[(m->nv + v) * f->columns + column] == tan->qvel_next[v]);
      }
    }
  }
}

TEST(columns_rows_and_whole_tangents_agree) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_RK4, CR_INT_IMPLICITFAST};
  int states = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    fixture f = fixture_of(seed, integrators[seed % 3], false);
    for (int kind = 0; kind < N_STATE_KIND; kind++) {
      random_state(&f.m, f.d, seed, (state_kind)kind);
      if (cr_step(&f.m, f.d) == CR_OK) {
        fill(&f, false, f.tangents);
        fill(&f, true, f.cotangents);
        compare(&f, seed, f.cotangents, f.tangents);
        compare_whole(&f);
        states++;
      }
    }
    fixture_free(&f);
  }
  assert_true(states > MODELS);
}

// ---- differences

// the next state after parameter `id` moved; false where a switch lies between
static bool moved(const fixture* f, const cr_data* tan, cr_field_id id, bool derive, cr_real h,
                  cr_real* next) {
  cr_model other;
  const cr_model* m = &f->m;
  assert_int_equal(cri_model_copy(&other, m, NULL), CR_OK);
  cr_data* d = test_data(m);
  field_move(m, f->d, tan, id, h, &other, d);
  bool fine = !derive || cr_constants(&other, d) == CR_OK;
  cri_inputs_copy(m, d, f->d);
  fine = fine && cr_step(&other, d) == CR_OK &&
         stage_discrete_state(&other, d) == stage_discrete_state(m, f->d);
  field_values(m, d, f->d, CR_FIELD_qpos_next, next);
  cr_copy(next + m->nv, d->qvel_next, m->nv);
  cr_copy(next + 2 * m->nv, d->act_next, m->na);
  cri_model_free(&other);
  return fine;
}

// fourth-order differences along a random direction of one parameter; false beside a switch
static bool check_direction(fixture* f, uint64_t seed, int which, int first, bool derive) {
  cr_random r = cr_random_seed(seed, 5);
  static cr_real at[4][1000];
  static const cr_real steps[4] = {1, -1, 2, -2};
  cr_field_id id = f->id[which];
  assert_true(f->rows <= 1000);
  cr_data* tan = test_twin(&f->m, f->d, CR_DATA_TANGENT);
  field_random_tangent(&r, &f->m, f->d, tan, id);
  const cr_real* t = field_tangent(&f->m, tan, id);
  bool fine = true;
  for (int k = 0; k < 4; k++) {
    fine = fine && moved(f, tan, id, derive, steps[k] * STEP, at[k]);
  }
  cr_real largest = CR_R(1e-3), worst = 0, size = 0;
  for (int i = 0; i < f->rows && fine; i++) {
    cr_real sum = 0;
    for (int k = 0; k < cr_parameter_jacobian_width(f->work, which); k++) {
      sum += f->cotangents[i * f->columns + first + k] * t[k];
    }
    cr_real near_by = at[0][i] - at[1][i], far = at[2][i] - at[3][i];
    worst = cr_max(worst, cr_abs((8 * near_by - far) / (12 * STEP) - sum));
    largest = cr_max(largest, cr_abs(sum));
    size = cr_max(size, cr_abs(at[0][i]));
  }
  char name[100];
  (void)snprintf(name, sizeof name, "model %d by %s", (int)seed, f->names[which]);
  cr_real noise = 1000 * CR_EPS * size / STEP;
  assert_close_at(worst, 0, DIFFER * largest + noise, name, __FILE__, __LINE__);
  return fine;
}

static void check_differences(bool derive) {
  int checked = 0, tried = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    fixture f = fixture_of(seed, CR_INT_EULER, derive);
    random_state(&f.m, f.d, seed, seed % 3 == 0 ? STATE_CONTACT : STATE_FLIGHT);
    if (derive) {
      assert_int_equal(cr_constants(&f.m, f.d), CR_OK);
      random_state(&f.m, f.d, seed, seed % 3 == 0 ? STATE_CONTACT : STATE_FLIGHT);
    }
    if (cr_step(&f.m, f.d) == CR_OK) {
      fill(&f, true, f.cotangents);
      for (int i = 0, first = 0; i < f.n; i++) {
        tried++;
        checked += check_direction(&f, seed, i, first, derive);
        first += cr_parameter_jacobian_width(f.work, i);
      }
    }
    fixture_free(&f);
  }
  print_message("%d of %d directions held against differences\n", checked, tried);
  assert_true(2 * checked > tried);
}

TEST(differences_agree) { check_differences(false); }

TEST(derived_constants_follow) { check_differences(true); }

// ---- a slide with a damper: (M + h b) a = f - b v, whatever the mass is made of
TEST(a_slide_has_a_closed_form) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  const char* const names[] = {"dof_damping[0]", "dof_armature"};
  cr_parameter_jacobian* work;
  cr_model m;
  assert_int_equal(chain_model(&m, 1, slide, 0, NULL), CR_OK);
  m.dof_damping[0] = 4;
  m.dof_armature[0] = CR_R(0.5);
  m.timestep = CR_R(0.02);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_parameter_jacobian_create(&work, &m, d, names, 2, false, NULL), CR_OK);
  assert_int_equal(cr_parameter_jacobian_columns(work), 2);
  d->qvel[0] = CR_R(-0.7);
  d->qfrc_applied[0] = 3;
  assert_int_equal(cr_step(&m, d), CR_OK);
  cr_real h = m.timestep, v = d->qvel[0], a = (d->qvel_next[0] - v) / h;
  cr_real M = CR_R(1.5) + CR_R(0.5) + h * 4, x[4];
  long allocations = allocation_count();
  for (int by_rows = 0; by_rows < 2; by_rows++) {
    cri_parameter_jacobian_by_rows(work, by_rows);
    assert_int_equal(cr_step_parameter_jacobian(&m, d, work, x), CR_OK);
    assert_close(x[2], -h * (v + h * a) / M, 8 * CR_EPS);
    assert_close(x[3], -h * a / M, 8 * CR_EPS);
    assert_close(x[0], h * x[2], 8 * CR_EPS);
    assert_close(x[1], h * x[3], 8 * CR_EPS);
  }
  assert_true(allocation_count() == allocations);
  cr_parameter_jacobian_destroy(work);
  cri_model_free(&m);
}

TEST(what_is_no_parameter_is_refused) {
  static const struct {
    const char *name, *sentence;
    bool derive;
    cr_status status;
  } cases[] = {{"qpos", "qpos: not a parameter", false, CR_ERR_NAME},
               {"body_mess", "body_mess", false, CR_ERR_NAME},
               {"body_quat[1].x", "the whole of it (3 numbers)", false, CR_ERR_NAME},
               {"dof_invweight0", "derived", true, CR_ERR_ARG}};
  cr_model m;
  cr_parameter_jacobian* work;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  cr_data* d = test_data(&m);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cr_error error = {0};
    assert_int_equal(
        cr_parameter_jacobian_create(&work, &m, d, &cases[i].name, 1, cases[i].derive, &error),
        cases[i].status);
    assert_null(work);
    assert_non_null(strstr(error.text, cases[i].sentence));
  }
  cri_model_free(&m);
}

// fields of which only some numbers are derived have columns for the rest
TEST(what_is_derived_in_part_is_not_refused) {
  static const cr_field_id fields[] = {CR_FIELD_eq_data, CR_FIELD_geom_fluid};
  int made = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    for (int k = 0; k < 2; k++) {
      const char* name = cri_field(fields[k])->name;
      cr_parameter_jacobian* work;
      if (cri_field_tangent_size(&m, NULL, fields[k]) > 0) {
        assert_int_equal(cr_parameter_jacobian_create(&work, &m, d, &name, 1, true, NULL), CR_OK);
        cr_parameter_jacobian_destroy(work);
        made++;
      }
    }
    cri_model_free(&m);
  }
  assert_true(made > 0);
}
