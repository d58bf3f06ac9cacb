// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "base/random.h"
#include "learn/parameters.h"
#include "model/fields.h"
#include "scenes/tossed_cube.h"

static cr_parameter side(void) {
  return (cr_parameter){.name = "side",
                        .target = "cube",
                        .kind = CR_FIT_BOX_SIDE,
                        .transform = CR_TRANSFORM_LOG,
                        .start = CR_R(0.06),
                        .lower = CR_R(0.02),
                        .upper = CR_R(0.3)};
}

static cr_parameter field(const char* name, const char* target, cr_real start) {
  cr_parameter p = {.kind = CR_FIT_FIELD,
                    .start = start,
                    .lower = -(cr_real)INFINITY,
                    .upper = (cr_real)INFINITY};
  (void)snprintf(p.name, sizeof p.name, "%s", name);
  (void)snprintf(p.target, sizeof p.target, "%s", target);
  return p;
}

static cr_parameters* bound(const cr_model* m, const cr_parameter* items, int n) {
  cr_parameters* ps = NULL;
  cr_error error = {0};
  if (cri_parameters_create(&ps, items, n, m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return ps;
}

// ---- values

TEST(side_sets_sizes_inertia_and_what_follows) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter item = side();
  cr_parameters* ps = bound(&m, &item, 1);
  const cr_model* v = cri_parameters_model(ps);
  const cr_real s = CR_R(0.08), mass = CR_R(0.37), inertia = mass * s * s / 6;
  assert_int_equal(cri_parameters_apply(ps, &s, NULL), CR_OK);
  for (int i = 0; i < 3; i++) {
    assert_close(v->geom_size[3 + i], s / 2, CR_EPS);
    assert_close(v->body_inertia[3 + i], inertia, CR_EPS * inertia);
  }
  assert_close(v->geom_rbound[1], cr_sqrt(3) * s / 2, 4 * CR_EPS);
  assert_close(v->body_invweight0[2], 1 / mass, 100 * CR_EPS / mass);
  assert_close(v->body_invweight0[3], 1 / inertia, 1000 * CR_EPS / inertia);
  assert_close(v->dof_invweight0[4], 1 / inertia, 1000 * CR_EPS / inertia);
  assert_close(m.geom_size[3], CR_R(0.05), CR_EPS);  // the model itself is as it was
  cri_parameters_free(ps);
  cri_model_free(&m);
}

TEST(inertia_follows_a_mass_that_is_fitted_too) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  const cr_parameter items[] = {side(), field("mass", "body_mass[cube]", CR_R(0.4))};
  cr_parameters* ps = bound(&m, items, 2);
  const cr_real p[] = {CR_R(0.12), CR_R(0.5)};
  assert_int_equal(cri_parameters_apply(ps, p, NULL), CR_OK);
  assert_close(cri_parameters_model(ps)->body_inertia[4], CR_R(0.5) * CR_R(0.0144) / 6,
               10 * CR_EPS);
  cri_parameters_free(ps);
  cri_model_free(&m);
}

TEST(transforms_carry_start_and_bounds) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter items[] = {side(), field("mass", "body_mass[cube]", CR_R(0.4))};
  items[1].transform = CR_TRANSFORM_SOFTPLUS;
  items[1].lower = 0;
  cr_parameters* ps = bound(&m, items, 2);
  cr_real x[2], low[2], high[2], p[2];
  cri_parameters_start(ps, x);
  cri_parameters_bounds(ps, low, high);
  cri_parameters_values(ps, x, p);
  assert_close(p[0], CR_R(0.06), CR_EPS);
  assert_close(p[1], CR_R(0.4), 4 * CR_EPS);
  assert_close(low[0], cr_log(CR_R(0.02)), 10 * CR_EPS);
  assert_close(high[0], cr_log(CR_R(0.3)), 10 * CR_EPS);
  assert_true(isinf(low[1]) && low[1] < 0 && isinf(high[1]) && high[1] > 0);
  cri_parameters_free(ps);
  cri_model_free(&m);
}

// ---- cotangents

// c . (all fields that the parameters write), a linear function of the variant
typedef struct {
  cr_real size[3], inertia[3], mass, friction, invweight[2], dof_invweight[6];
} weights;

static cr_real weighed(const cr_model* m, const weights* c) {
  cr_real sum = c->mass * m->body_mass[1] + c->friction * m->geom_friction[3];
  for (int i = 0; i < 3; i++) {
    sum += c->size[i] * m->geom_size[3 + i] + c->inertia[i] * m->body_inertia[3 + i];
  }
  for (int i = 0; i < 2; i++) {
    sum += c->invweight[i] * m->body_invweight0[2 + i];
  }
  for (int i = 0; i < 6; i++) {
    sum += c->dof_invweight[i] * m->dof_invweight0[i];
  }
  return sum;
}

static cr_real weighed_at(cr_parameters* ps, const cr_real x[3], int i, cr_real h,
                          const weights* c) {
  cr_real moved[3], p[3];
  cr_copy(moved, x, 3);
  moved[i] += h;
  cri_parameters_values(ps, moved, p);
  assert_int_equal(cri_parameters_apply(ps, p, NULL), CR_OK);
  return weighed(cri_parameters_model(ps), c);
}

static void random_weights(weights* c, cr_random* r) {
  c->mass = cr_random_normal(r);
  c->friction = cr_random_normal(r);
  for (int i = 0; i < 3; i++) {
    c->size[i] = cr_random_normal(r);
    c->inertia[i] = 1000 * cr_random_normal(r);
  }
  for (int i = 0; i < 2; i++) {
    c->invweight[i] = CR_R(0.001) * cr_random_normal(r);
  }
  for (int i = 0; i < 6; i++) {
    c->dof_invweight[i] = CR_R(0.001) * cr_random_normal(r);
  }
}

static void pull_back(cr_parameters* ps, const cr_model* m, const weights* c, const cr_real x[3],
                      cr_real x_bar[3]) {
  cr_model bar;
  cr_real p_bar[3] = {0, 0, 0}, derived[64] = {0};
  assert_true(cri_parameters_nderived(ps) <= 64);
  assert_int_equal(cri_model_twin(&bar, m, cri_parameters_wanted(ps), NULL), CR_OK);
  cr_copy(bar.geom_size + 3, c->size, 3);
  cr_copy(bar.body_inertia + 3, c->inertia, 3);
  bar.body_mass[1] = c->mass;
  bar.geom_friction[3] = c->friction;
  cr_copy(bar.body_invweight0 + 2, c->invweight, 2);
  cr_copy(bar.dof_invweight0, c->dof_invweight, 6);
  cri_parameters_pullback(ps, &bar, p_bar, derived);
  assert_int_equal(cri_parameters_derived(ps, derived, p_bar, NULL), CR_OK);
  cri_parameters_chain(ps, x, p_bar, x_bar);
  cri_model_free(&bar);
}

TEST(pullback_matches_differences) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter items[] = {side(), field("mass", "body_mass[cube]", CR_R(0.4)),
                          field("mu", "geom_friction[cube][0]", CR_R(0.3))};
  items[1].transform = CR_TRANSFORM_SOFTPLUS;
  items[1].lower = items[2].lower = 0;
  cr_parameters* ps = bound(&m, items, 3);
  cr_random r = cr_random_seed(9, 0);
  for (int trial = 0; trial < 5; trial++) {
    cr_real x[3], p[3], x_bar[3], h = cr_pow(CR_EPS, CR_R(0.2)) / 4;
    weights c;
    random_weights(&c, &r);
    cri_parameters_start(ps, x);
    for (int i = 0; i < 3; i++) {
      x[i] += CR_R(0.3) * cr_random_normal(&r);
    }
    cri_parameters_values(ps, x, p);
    assert_int_equal(cri_parameters_apply(ps, p, NULL), CR_OK);
    pull_back(ps, &m, &c, x, x_bar);
    for (int i = 0; i < 3; i++) {
      cr_real near = weighed_at(ps, x, i, h, &c) - weighed_at(ps, x, i, -h, &c);
      cr_real far = weighed_at(ps, x, i, 2 * h, &c) - weighed_at(ps, x, i, -2 * h, &c);
      assert_close((8 * near - far) / (12 * h), x_bar[i],
                   1000 * cr_pow(CR_EPS, CR_R(0.8)) * cr_max(1, cr_abs(x_bar[i])));
    }
  }
  cri_parameters_free(ps);
  cri_model_free(&m);
}

// of geom_fluid the drag is a parameter, and the added mass follows from sizes; each counts once
TEST(partly_derived_field) {
  cr_model m, bar;
  tossed_cube(&m, CR_R(0.1));
  m.geom_fluid[12] = 1;
  cr_parameter items[] = {field("drag", "geom_fluid[cube][1]", CR_R(0.5)),
                          field("size", "geom_size[cube][0]", CR_R(0.05))};
  cr_parameters* ps = bound(&m, items, 2);
  cr_real p[2] = {CR_R(0.5), CR_R(0.05)}, p_bar[2] = {0}, derived[64] = {0}, sum[2];
  const cr_real h = CR_R(1e-5);
  assert_int_equal(cri_model_twin(&bar, &m, cri_parameters_wanted(ps), NULL), CR_OK);
  bar.geom_fluid[13] = 3;
  bar.geom_fluid[18] = 7;
  cri_parameters_pullback(ps, &bar, p_bar, derived);
  assert_int_equal(cri_parameters_derived(ps, derived, p_bar, NULL), CR_OK);
  for (int side = 0; side < 2; side++) {
    p[1] = CR_R(0.05) + (side == 0 ? -h : h);
    assert_int_equal(cri_parameters_apply(ps, p, NULL), CR_OK);
    sum[side] = 7 * cri_parameters_model(ps)->geom_fluid[18];
  }
  assert_close(p_bar[0], 3, 8 * CR_EPS);
  assert_close(p_bar[1], (sum[1] - sum[0]) / (2 * h), CR_R(1e-6) * cr_abs(p_bar[1]));
  assert_true(p_bar[1] != 0);
  cri_model_free(&bar);
  cri_parameters_free(ps);
  cri_model_free(&m);
}

TEST(free_flight_leaves_no_round_off) {
  cr_model m, bar;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter item = side();
  cr_real p_bar = 0, derived[64] = {0};
  for (int armature = 0; armature < 2; armature++) {
    m.dof_armature[4] = armature;  // with it a cube's inertia has a part in free flight
    cr_parameters* ps = bound(&m, &item, 1);
    assert_int_equal(cri_model_twin(&bar, &m, cri_parameters_wanted(ps), NULL), CR_OK);
    bar.body_inertia[3] = 1;
    bar.body_inertia[4] = CR_R(-0.5);
    bar.body_inertia[5] = CR_R(-0.5) + 8 * CR_EPS;
    p_bar = 0;
    cri_parameters_pullback(ps, &bar, &p_bar, derived);
    assert_int_equal(p_bar != 0, armature);
    cri_model_free(&bar);
    cri_parameters_free(ps);
  }
  cri_model_free(&m);
}

// ---- what is refused

static void refuse(const cr_model* m, const cr_parameter* items, int n, cr_status status,
                   const char* part) {
  cr_parameters* ps = NULL;
  cr_error error = {0};
  assert_int_equal(cri_parameters_create(&ps, items, n, m, &error), status);
  assert_null(ps);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
}

// a parameter that cannot leave its bounds, whatever x is; the derivative by x is that of the value
TEST(bounded_parameters_stay_inside) {
  cr_model m;
  cr_parameters* ps = NULL;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter item = field("mass", "body_mass[cube]", CR_R(0.7));
  item.transform = CR_TRANSFORM_BOUNDED;
  refuse(&m, &item, 1, CR_ERR_ARG,
         "'mass': the transform bounded needs a lower and an upper bound");
  item.lower = CR_R(0.2);
  item.upper = CR_R(1.2);
  item.start = item.lower;
  refuse(&m, &item, 1, CR_ERR_ARG, "numbers between the bounds only");
  item.start = CR_R(0.7);
  assert_int_equal(cri_parameters_create(&ps, &item, 1, &m, NULL), CR_OK);
  cr_real x, p, more, less, x_bar, lower, upper, one = 1, h = CR_R(1e-4);
  cri_parameters_start(ps, &x);
  assert_close(x, 0, 10 * CR_EPS);
  cri_parameters_bounds(ps, &lower, &upper);
  assert_true(isinf(lower) && isinf(upper));
  cri_parameters_search_bounds(ps, &lower, &upper);
  cri_parameters_values(ps, &lower, &less);
  cri_parameters_values(ps, &upper, &more);
  assert_close(less, item.lower + CR_R(0.001) * (item.upper - item.lower), CR_R(1e-12));
  assert_close(more, item.upper - CR_R(0.001) * (item.upper - item.lower), CR_R(1e-12));
  for (x = -20; x <= 20; x += 5) {
    cri_parameters_values(ps, &x, &p);
    assert_true(p > item.lower && p < item.upper);
    assert_int_equal(cri_parameters_apply(ps, &p, NULL), CR_OK);
    cri_parameters_chain(ps, &x, &one, &x_bar);
    cr_real above = x + h, below = x - h;
    cri_parameters_values(ps, &above, &more);
    cri_parameters_values(ps, &below, &less);
    assert_close(x_bar, (more - less) / (2 * h), CR_R(1e-7) * x_bar + CR_EPS / h);
  }
  cri_parameters_free(ps);
  cri_model_free(&m);
}

TEST(bad_parameters_are_refused_by_name) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cr_parameter item = side();
  (void)snprintf(item.target, sizeof item.target, "dice");
  refuse(&m, &item, 1, CR_ERR_NAME, "'side': the model has no geom 'dice'");
  (void)snprintf(item.target, sizeof item.target, "board");
  refuse(&m, &item, 1, CR_ERR_ARG, "'board' is not a box");
  item = side();
  item.start = CR_R(0.5);
  refuse(&m, &item, 1, CR_ERR_ARG, "'side': the start 0.5 is not between");
  item = side();
  item.start = item.lower = -1;
  refuse(&m, &item, 1, CR_ERR_ARG, "positive numbers only");
  item = field("mass", "body_mas[cube]", 1);
  refuse(&m, &item, 1, CR_ERR_NAME, "'mass'");
  item = field("size", "geom_size[cube]", 1);
  refuse(&m, &item, 1, CR_ERR_ARG, "stands for 3 numbers");
  item = field("weight", "body_invweight0[cube][0]", 1);
  refuse(&m, &item, 1, CR_ERR_ARG, "is derived");
  m.geom_fluid[12] = 1;
  item = field("added", "geom_fluid[cube][6]", 1);
  refuse(&m, &item, 1, CR_ERR_ARG, "'added': geom_fluid[cube][6] is derived");
  item = field("speed", "qvel[0]", 1);
  refuse(&m, &item, 1, CR_ERR_ARG, "not a field that can be fitted");
  item = field("mass", "body_mass[cube]", -1);
  refuse(&m, &item, 1, CR_ERR_MODEL, "mass");
  const cr_parameter twice[] = {field("a", "body_mass[cube]", 1), field("b", "body_mass[1]", 1)};
  refuse(&m, twice, 2, CR_ERR_ARG, "'a' and 'b' set the same number");
  const cr_parameter size[] = {side(), field("b", "geom_size[cube][2]", 1)};
  refuse(&m, size, 2, CR_ERR_ARG, "'side' and 'b' set the same number");
  const cr_parameter same[] = {field("a", "body_mass[cube]", 1),
                               field("a", "geom_friction[cube][0]", 1)};
  refuse(&m, same, 2, CR_ERR_ARG, "two parameters have the name 'a'");
  refuse(&m, NULL, 0, CR_ERR_ARG, "0 parameters");
  cri_model_free(&m);
}

TEST(fingerprints_tell_parameters_apart) {
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  const cr_parameter item = field("mass", "body_mass[cube]", 1);
  cr_parameter others[7];
  uint64_t prints[8];
  for (int i = 0; i < 7; i++) {
    others[i] = item;
  }
  (void)snprintf(others[0].name, sizeof others[0].name, "weight");
  (void)snprintf(others[1].target, sizeof others[1].target, "body_mass[1]");
  others[2].transform = CR_TRANSFORM_SOFTPLUS;
  others[3].start = 2;
  others[4].upper = 50;
  others[5].lower = CR_R(0.01);
  others[6].prior_sd = 1;
  for (int i = 0; i < 8; i++) {
    cr_parameters* ps = NULL;
    assert_int_equal(cri_parameters_create(&ps, i < 7 ? &others[i] : &item, 1, &m, NULL), CR_OK);
    prints[i] = cri_parameters_fingerprint(ps, 0);
    assert_true(prints[i] == cri_parameters_fingerprint(ps, 0));
    for (int k = 0; k < i; k++) {
      assert_true(prints[i] != prints[k]);
    }
    cri_parameters_free(ps);
  }
  cri_model_free(&m);
}
