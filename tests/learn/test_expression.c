// SPDX-License-Identifier: Apache-2.0
// Expressions of named places: their values, their cotangents against differences in every number
// they name, and what is said about the ones that make no sense.
#include <stdio.h>

#include "carom/step.h"
#include "kinematics/configuration.h"
#include "learn/expression.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_model model;  // loose trees and a plane, in contact
static cr_data *data, *bar;

static void setup(void) {
  assert_int_equal(random_model(&model, 8, NULL), CR_OK);
  data = test_data(&model);
  bar = test_twin(&model, data, CR_DATA_COTANGENT);
  random_state(&model, data, 8, STATE_CONTACT);
  assert_int_equal(cr_forward(&model, data), CR_OK);
  assert_true(data->ncon > 0 && model.nu > 1);
}

static void teardown(void) { cri_model_free(&model); }

AROUND_FILE(setup, teardown)

static cr_expression* parse(const char* text) {
  cr_expression* e = NULL;
  cr_error error = {0};
  if (cr_expression_create(&e, &model, text, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return e;
}

static cr_real value_of(const char* text) {
  cr_expression* e = parse(text);
  cr_real value = 0;
  assert_int_equal(cr_expression_value(e, &model, data, &value), CR_OK);
  cr_expression_destroy(e);
  return value;
}

// ---- values

TEST(arithmetic) {
  static const struct {
    const char* text;
    double value;
  } rows[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"7 - 2 - 1", 4},
      {"12 / 4 / 3", 1},
      {"2 ^ 3 ^ 2", 512},
      {"-2 ^ 2", -4},
      {"2 ^ -1", 0.5},
      {"--3", 3},
      {"abs(-2.5)", 2.5},
      {"norm(-3)", 3},
      {"sum(4)", 4},
      {"1e-3 * 2e3", 2},
      {".5 + 1.", 1.5},
      {" 1+\t1 ", 2},
      {"-(1 - 4)", 3},
      {"2 * -3", -6},
      {"1 - -1", 2},
      {"sum ( abs ( 0 - 1 ) )", 1},
      {"sin(1)", 0.84147098480789651},
      {"cos(2 / 2)", 0.54030230586813972},
      {"exp(1)", 2.7182818284590452},
      {"log(10)", 2.3025850929940457},
      {"sqrt(2)", 1.4142135623730950},
      {"min(3, 2)", 2},
      {"max(1, 3, -4)", 3},
      {"min(5, 2 + 2, 3 ^ 2)", 4},
      {"-max(1, 2) ^ 2", -4},
      {"sqrt(3 ^ 2 + 4 ^ 2)", 5},
      {"log(exp(3) * exp(4))", 7},
      {"sin(2) ^ 2 + cos(2) ^ 2", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_real value = value_of(rows[i].text);
    if (!((double)cr_abs(value - (cr_real)rows[i].value) < 1e-14)) {
      fail_msg("%s is %g, not %g", rows[i].text, (double)value, rows[i].value);
    }
  }
}

TEST(names) {
  cr_real sum = 0, square = 0;
  for (int i = 0; i < model.nv; i++) {
    sum += data->qvel[i];
    square += data->qvel[i] * data->qvel[i];
  }
  const cr_real tolerance = CR_R(1e-14) * square;
  assert_true(value_of("qpos[0]") == data->qpos[0]);
  assert_close(value_of("sum(qvel)"), sum, tolerance);
  assert_close(value_of("norm(qvel) ^ 2"), square, tolerance);
  assert_close(value_of("sum(qvel * qvel)"), square, tolerance);
  assert_close(value_of("sum(qvel ^ 2)"), square, tolerance);
  assert_close(value_of("sum(2 * qvel - qvel / 2)"), CR_R(1.5) * sum, tolerance);
  assert_close(value_of("sum(1 + qvel)"), (cr_real)model.nv + sum, tolerance);
  assert_true(value_of("body_mass[1] * gravity.z") == model.body_mass[1] * model.gravity[2]);
  assert_true(value_of("xpos[1].z") == data->xpos[5]);
  assert_true(value_of("site_xpos[1][0]") == data->site_xpos[3]);
  assert_true(value_of("-xpos[1].z") == -data->xpos[5]);
}

TEST(time_is_that_of_the_state) {
  const cr_real kept = data->time;
  data->time = CR_R(1.25);
  assert_true(value_of("time") == CR_R(1.25));
  assert_true(value_of("2 * time ^ 2") == CR_R(3.125));
  assert_close(value_of("sum(qvel * time)"), CR_R(1.25) * value_of("sum(qvel)"), CR_R(1e-14));
  data->time = kept;
}

// number by number; a single number goes with all
TEST(functions_of_vectors) {
  cr_real least = 0, sines = 0;
  for (int i = 0; i < model.nv; i++) {
    least += cr_min(data->qvel[i], CR_R(0.1));
    sines += cr_sin(data->qvel[i]);
  }
  assert_close(value_of("sum(min(qvel, 0.1))"), least, CR_R(1e-13));
  assert_close(value_of("sum(min(0.1, qvel))"), least, CR_R(1e-13));
  assert_close(value_of("sum(sin(qvel))"), sines, CR_R(1e-13));
  assert_close(value_of("sum(max(qvel, -qvel))"), value_of("sum(abs(qvel))"), CR_R(1e-13));
}

// a value is added to what is there
TEST(values_add_up) {
  cr_expression* e = parse("qvel[1]");
  cr_real value = 10;
  assert_int_equal(cr_expression_value(e, &model, data, &value), CR_OK);
  assert_true(value == 10 + data->qvel[1]);
  cr_expression_destroy(e);
}

TEST(mocap_bodies_are_constants) {
  cr_model m;
  cr_expression* e = NULL;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  assert_int_equal(cr_expression_create(&e, &m, "norm(xpos[2] - mocap_pos[0])", NULL), CR_OK);
  cr_expression_destroy(e);
  cri_model_free(&m);
}

// ---- cotangents

// everything that the expressions below name, as independent inputs
static const cr_field_id inputs[] = {CR_FIELD_qvel,         CR_FIELD_ctrl,        CR_FIELD_xpos,
                                     CR_FIELD_xmat,         CR_FIELD_site_xpos,   CR_FIELD_qacc,
                                     CR_FIELD_contact_dist, CR_FIELD_contact_pos, CR_FIELD_act,
                                     CR_FIELD_qfrc_applied, CR_FIELD_subtree_com};
enum { N_INPUTS = (int)(sizeof inputs / sizeof inputs[0]) };

static const char* const smooth[] = {
    "sum(qvel)",
    "norm(qvel)",
    "norm(xpos[1] - xpos[2]) ^ 3",
    "sum(abs(qvel)) * sum(ctrl ^ 2)",
    "xpos[1].z / (1 + qvel[0] ^ 2) - 2 * qvel[1]",
    "-(qvel[2] - ctrl[0]) * ctrl[1] ^ 3",
    "sum(xmat[1]) + site_xpos[0].y * site_xpos[1].x",
    "sum(qacc * qvel)",
    "2 ^ qvel[0] + abs(qvel[1]) ^ qvel[3]",
    "norm(subtree_com[1]) + sum(qfrc_applied / 3)",
    "sum(qvel[0] - qvel) + sum(ctrl / norm(ctrl))",
    "norm(qpos)",
    "sum(qpos ^ 2 * 3) - qpos[3] * qpos[4] + qpos[5] ^ 2",
    "body_mass[1] * qvel[0] ^ 2 / 2 + norm(gravity) * xpos[1].z",
    "sum(geom_size[0]) * qvel[1]",
    "sum(sin(qvel) * cos(2 * qvel))",
    "exp(qvel[0] / 3) * log(1 + qvel[1] ^ 2)",
    "sqrt(1 + xpos[1].z ^ 2) - sum(sqrt(1 + qvel ^ 2))",
    "sum(min(qvel, 0.1)) + 2 * sum(max(qvel, ctrl[0], -0.2))",
    "max(sum(qvel), sum(ctrl)) * min(qvel[0], time)",
    "sin(1 + exp(cos(xpos[1].x)))",
};
enum { N_SMOOTH = (int)(sizeof smooth / sizeof smooth[0]) };

#ifdef CR_LONG_DOUBLE
static const double bound = 1e-11;
#else
static const double bound = 1e-8;
#endif

static void zero_bar(void) {
  for (int i = 0; i < N_INPUTS; i++) {
    cr_zero(cri_field_real(&model, bar, inputs[i]),
            cri_field_tangent_size(&model, data, inputs[i]));
  }
  cr_zero(bar->qpos, model.nv);
  cri_model_twin_zero(&bar->par, &model);
}

static cr_real at(cr_expression* e) {
  cr_real value = 0;
  assert_int_equal(cr_expression_value(e, &model, data, &value), CR_OK);
  return value;
}

// derivative by the number x, a part of the data or of the model
static cr_real slope(cr_expression* e, cr_real* x) {
  const cr_real h = CR_R(1e-4), kept = *x;
  const cr_real steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  cr_real sum = 0;
  for (int i = 0; i < 4; i++) {
    *x = kept + steps[i] * h;
    sum += weights[i] * at(e) / (12 * h);
  }
  *x = kept;
  return sum;
}

// derivative along a coordinate of the tangent of qpos
static cr_real slope_of_tangent(cr_expression* e, int j) {
  const cr_real h = CR_R(1e-4);
  const cr_real steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  cr_real kept[128], direction[128] = {0}, sum = 0;
  assert_in_range(model.nq, 1, 128);
  cr_copy(kept, data->qpos, model.nq);
  direction[j] = 1;
  for (int i = 0; i < 4; i++) {
    cri_configuration_move(&model, kept, direction, steps[i] * h, data->qpos);
    sum += weights[i] * at(e) / (12 * h);
  }
  cr_copy(data->qpos, kept, model.nq);
  return sum;
}

static void compare(const char* text, const char* name, int k, cr_real ours, cr_real fd) {
  if (!(cr_abs(ours - fd) <= (cr_real)bound * (1 + cr_abs(fd)))) {
    fail_msg("%s: by %s[%d] %.15g, difference %.15g", text, name, k, (double)ours, (double)fd);
  }
}

TEST(cotangents_match_differences) {
  int reached = 0;
  for (int t = 0; t < N_SMOOTH; t++) {
    cr_expression* e = parse(smooth[t]);
    zero_bar();
    assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_OK);
    for (int i = 0; i < N_INPUTS; i++) {
      cr_real *x = cri_field_real(&model, data, inputs[i]),
              *b = cri_field_real(&model, bar, inputs[i]);
      for (int k = 0; k < cri_field_tangent_size(&model, data, inputs[i]); k++) {
        compare(smooth[t], cri_field(inputs[i])->name, k, b[k], slope(e, x + k));
        reached += b[k] != 0;
      }
    }
    for (int j = 0; j < model.nv; j++) {
      compare(smooth[t], "tangent", j, bar->qpos[j], slope_of_tangent(e, j));
      reached += bar->qpos[j] != 0;
    }
    compare(smooth[t], "body_mass", 1, bar->par.body_mass[1], slope(e, model.body_mass + 1));
    compare(smooth[t], "gravity", 2, bar->par.gravity[2], slope(e, model.gravity + 2));
    compare(smooth[t], "geom_size", 0, bar->par.geom_size[0], slope(e, model.geom_size));
    cr_expression_destroy(e);
  }
  assert_true(reached > 100);
}

TEST(contacts) {
  char text[96];
  const int32_t* g = data->contact_geom;
  (void)snprintf(text, sizeof text, "contact[%d:%d].dist ^ 2 + contact[%d:%d].pos.z", (int)g[0],
                 (int)g[1], (int)g[1], (int)g[0]);
  cr_expression* e = parse(text);
  zero_bar();
  assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_OK);
  for (int i = 0; i < data->ncon; i++) {
    compare(text, "contact_dist", i, bar->contact_dist[i], slope(e, data->contact_dist + i));
  }
  for (int i = 0; i < 3 * data->ncon; i++) {
    compare(text, "contact_pos", i, bar->contact_pos[i], slope(e, data->contact_pos + i));
  }
  assert_true(cr_expression_needs_fields(e));
  // without the contact there is no value
  int32_t kept = data->ncon;
  cr_real value = 1;
  data->ncon = 0;
  assert_int_equal(cr_expression_value(e, &model, data, &value), CR_ERR_NAME);
  assert_true(value == 1);
  assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_ERR_NAME);
  data->ncon = kept;
  cr_expression_destroy(e);
}

// cotangents add to what is there
TEST(cotangents_add_up) {
  cr_expression* e = parse("3 * qvel[1] + qpos[0]");
  zero_bar();
  for (int k = 1; k <= 3; k++) {
    assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_OK);
    assert_true(bar->qvel[1] == 3 * k && bar->qpos[0] == k);
  }
  cr_expression_destroy(e);
}

// where there is no derivative, that of a branch: finite, and zero where all branches are equal
TEST(singular_points) {
  cr_real kept[3];
  cr_copy(kept, data->qvel, 3);
  cr_zero(data->qvel, 3);
  static const char* const texts[] = {"norm(qvel[0])",
                                      "abs(qvel[0])",
                                      "qvel[0] ^ 2",
                                      "qvel[0] ^ 1",
                                      "qvel[0] ^ 0",
                                      "min(qvel[0], 0)",
                                      "max(0, qvel[0])",
                                      "min(qvel[0], 3 * qvel[0])",
                                      "max(qvel[0], -qvel[0])",
                                      "max(qvel[0], qvel[0], 0)",
                                      "sqrt(1 + qvel[0])"};
  static const double slopes[] = {0, 0, 0, 1, 0, 0.5, 0.5, 2, 0, 0.5, 0.5};
  for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
    cr_expression* e = parse(texts[i]);
    zero_bar();
    assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_OK);
    assert_close(bar->qvel[0], (cr_real)slopes[i], 0);
    cr_expression_destroy(e);
  }
  cr_copy(data->qvel, kept, 3);
}

// a value or a derivative that does not exist is refused, and said
TEST(undefined_points) {
  static const struct {
    const char* text;
    double at;   // qvel[0]
    bool value;  // that one exists
    const char* because;
  } rows[] = {{"(0 - 1) ^ qvel[0]", 0, true, "-1 ^ 0 has no derivative by its second number"},
              {"(0 - 2) ^ qvel[0]", 2, true, "-2 ^ 2 has no derivative by its second number"},
              {"0 ^ qvel[0]", 0, true, "0 ^ 0 has no derivative by its second number"},
              {"qvel[0] ^ 0.5", 0, true, "0 ^ 0.5 has no derivative by its first number"},
              {"norm(qvel[0]) ^ 0.5", 0, true, "0 ^ 0.5 has no derivative by its first number"},
              {"qvel[0] ^ -1", 0, false, NULL},
              {"0 ^ qvel[0]", -1, false, NULL},
              {"qvel[0] ^ 0.5", -1, false, NULL},
              {"1 / qvel[0]", 0, false, NULL},
              {"qvel[0] / qvel[0]", 0, false, NULL},
              {"1 / (1 / qvel[0])", 0, false, NULL},
              {"sqrt(qvel[0])", 0, true, "sqrt(0) has no derivative"},
              {"2 * sqrt(norm(qvel[0]))", 0, true, "sqrt(0) has no derivative"},
              {"sqrt(qvel[0])", -1, false, NULL},
              {"log(qvel[0])", 0, false, NULL},
              {"log(qvel[0])", -2, false, NULL},
              {"exp(qvel[0])", 1e6, false, NULL}};
  cr_real kept = data->qvel[0];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_expression* e = parse(rows[i].text);
    cr_real value = 0;
    data->qvel[0] = (cr_real)rows[i].at;
    zero_bar();
    data->error.text[0] = 0;
    assert_int_equal(cr_expression_value(e, &model, data, &value),
                     rows[i].value ? CR_OK : CR_ERR_NONFINITE);
    assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_ERR_NONFINITE);
    if (rows[i].because != NULL && strstr(data->error.text, rows[i].because) == NULL) {
      fail_msg("%s: '%s' does not say '%s'", rows[i].text, data->error.text, rows[i].because);
    }
    cr_expression_destroy(e);
  }
  data->qvel[0] = kept;
}

// what does not move needs no derivative; and the limit counts where there is one
TEST(defined_beside_them) {
  static const struct {
    const char* text;
    double at, slope;
  } rows[] = {{"(0 - 1) ^ 2 * qvel[0]", 3, 1}, {"qvel[0] ^ 3", -2, 12},
              {"qvel[0] ^ -1", -2, -0.25},     {"0 ^ qvel[0]", 2, 0},
              {"qvel[0] / 2", 0, 0.5},         {"0 ^ 0.5 + qvel[0]", 0, 1}};
  cr_real kept = data->qvel[0];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_expression* e = parse(rows[i].text);
    data->qvel[0] = (cr_real)rows[i].at;
    zero_bar();
    assert_int_equal(cr_expression_bar(e, &model, data, bar), CR_OK);
    assert_close(bar->qvel[0], (cr_real)rows[i].slope, CR_R(1e-14));
    cr_expression_destroy(e);
  }
  data->qvel[0] = kept;
}

// ---- as a loss

TEST(which_need_fields) {
  static const struct {
    const char* text;
    bool needs;
  } rows[] = {{"sum(qpos)", false},
              {"sum(qvel * body_mass[1]) + sum(ctrl)", false},
              {"norm(qfrc_applied)", false},
              {"xpos[1].z", true},
              {"sum(qvel) + sum(qacc)", true},
              {"1", false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_expression* e = parse(rows[i].text);
    assert_int_equal(cr_expression_needs_fields(e), rows[i].needs);
    assert_int_equal(cr_expression_loss(e, true).needs_fields, rows[i].needs);
    cr_expression_destroy(e);
  }
}

TEST(end_or_every_step) {
  cr_expression* e = parse("qvel[1]");
  cr_loss loss = cr_expression_loss(e, false);
  assert_false(loss.looks_at(loss.context, 3, 4));
  assert_true(loss.looks_at(loss.context, 4, 4));
  loss = cr_expression_loss(e, true);
  assert_true(loss.looks_at(loss.context, 3, 4));
  cr_real value = 0;
  assert_int_equal(loss.value(loss.context, &model, data, 3, &value), CR_OK);
  assert_true(value == data->qvel[1]);
  zero_bar();
  assert_int_equal(loss.bar(loss.context, &model, data, 3, bar), CR_OK);
  assert_true(bar->qvel[1] == 1);
  cr_expression_destroy(e);
}

// ---- several numbers

TEST(residuals_have_several_numbers) {
  cr_expression* e = NULL;
  assert_int_equal(cri_expression_create(&e, &model, "2 * qvel - time", true, NULL), CR_OK);
  assert_int_equal(cri_expression_size(e), model.nv);
  cr_real values[128], bars[128];
  assert_int_equal(cri_expression_values(e, &model, data, values), CR_OK);
  for (int i = 0; i < model.nv; i++) {
    assert_true(values[i] == 2 * data->qvel[i] - data->time);
    bars[i] = (cr_real)(i + 1);
  }
  zero_bar();
  assert_int_equal(cri_expression_pull(e, &model, data, bars, bar), CR_OK);
  for (int i = 0; i < model.nv; i++) {
    assert_true(bar->qvel[i] == (cr_real)(2 * (i + 1)));
  }
  cr_expression_destroy(e);
}

// ---- mistakes

static void refused(const char* text, const char* because) {
  cr_expression* e = NULL;
  cr_error error = {0};
  assert_int_equal(cr_expression_create(&e, &model, text, &error), CR_ERR_NAME);
  assert_null(e);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s': '%s' does not say '%s'", text, error.text, because);
  }
}

TEST(mistakes_are_named) {
  refused("", "a name, a number or '(' expected");
  refused("1 +", "a name, a number or '(' expected");
  refused("1 2", "at '2': not understood");
  refused("(1", "')' expected");
  refused("sum(qvel", "')' expected");
  refused("qvel", "one number; use sum() or norm()");
  refused("abs(qvel)", "one number");
  refused("sum(qvel + xpos[1])", "different lengths");
  refused("2 ^ qvel", "an exponent is one number");
  refused("qvell[0]", "there is no field 'qvell'");
  refused("qvel[0", "a name does not end");
  refused("tangent[0]", "a tangent has no value");
  refused("xquat[1].w", "carries no derivative");
  refused("qacc_warmstart[0]", "carries no derivative");
  refused("body_parentid[1]", "no numbers that can be named");
  refused("tan(1)", "'tan'");
  refused("sin", "'sin'");
  refused("min(1)", "',' expected");
  refused("max(qvel[0], )", "a name, a number or '(' expected");
  refused("min(1, 2", "')' expected");
  refused("sin(1, 2)", "')' expected");
  refused("sum(min(qvel, xpos[1]))", "different lengths");
  refused("sqrt(qvel)", "one number");
  refused("1 & 2", "at '& 2': not understood");
  refused("sum()", "expected");
  refused("xpos[nobody].z", "there is no 'nobody'");
  refused("contact[0:99999].dist", "no geom '99999'");
}

TEST(long_and_deep) {
  char text[4096];
  memset(text, '(', 2000);
  text[2000] = 0;
  refused(text, "nested too deep");
  memset(text, '-', 2000);
  refused(text, "nested too deep");
  strcpy(text, "1");
  for (int i = 0; i < 100; i++) {
    strcat(text, "+1");
  }
  refused(text, "too long");
  memset(text, 'q', 1000);
  text[1000] = 0;
  refused(text, "a name does not end");
}
