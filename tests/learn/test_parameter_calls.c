// SPDX-License-Identifier: Apache-2.0
// The public functions of parameters: lists of many, priors, and names of the numbers of a target.
#include "carom/parameters.h"

#include "carom/model.h"
#include "carom/rollout.h"
#include "model/fields.h"
#include "scenes/solid_model.h"
#include "support/close.h"

static cr_model m;
static cr_error error;

static void open(void) { solid_model(&m); }
static void close(void) { cri_model_free(&m); }
AROUND_EACH(open, close)

static cr_parameter_info info_of(const char* name, const char* target, cr_real start) {
  return (cr_parameter_info){.size = sizeof(cr_parameter_info),
                             .name = name,
                             .target = target,
                             .start = start,
                             .lower = -(cr_real)INFINITY,
                             .upper = (cr_real)INFINITY};
}

// ---- names

TEST(a_target_is_named_number_by_number) {
  static const char* const expected[] = {"dof_damping[leg_hip]",  "dof_damping[leg_knee]",
                                         "dof_damping[ankle][0]", "dof_damping[ankle][1]",
                                         "dof_damping[ankle][2]", "dof_damping[5]"};
  cr_parameter_target names[6];
  int n = 0;
  must(cr_parameter_expand(&m, "dof_damping[*]", NULL, 0, &n, &error));
  assert_int_equal(n, m.nv);
  must(cr_parameter_expand(&m, "dof_damping", names, 6, &n, &error));
  assert_int_equal(n, m.nv);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(names[i].text, expected[i]);
  }
  must(cr_parameter_expand(&m, "geom_size[s*] body_mass[egg]", names, 6, &n, &error));
  assert_int_equal(n, 4);
  assert_string_equal(names[2].text, "geom_size[shank][2]");
  assert_string_equal(names[3].text, "body_mass[egg]");
  assert_int_equal(cr_parameter_expand(&m, "qpos", names, 6, &n, &error), CR_ERR_ARG);
  assert_int_equal(cr_parameter_expand(&m, "dof_dampin", names, 6, &n, &error), CR_ERR_NAME);
}

// ---- many

// every number of two fields, as parameters of one number each: more than 64
TEST(hundreds_of_parameters_have_gradients) {
  enum { MOST = CR_MAX_PARAMETERS };
  static cr_parameter_target names[MOST];
  static cr_parameter_info items[MOST];
  static const cr_parameter_info* list[MOST + 1];
  static cr_real x[MOST], x_bar[MOST];
  static const char all[] =
      "dof_damping dof_armature dof_frictionloss body_mass body_inertia body_ipos geom_size "
      "geom_pos "
      "geom_friction geom_solref geom_solimp jnt_stiffness jnt_range jnt_solref jnt_solimp "
      "body_pos "
      "jnt_pos geom_margin dof_solref dof_solimp jnt_margin qpos_spring[leg_*]";
  int n = 0, k = 0;
  must(cr_parameter_expand(&m, all, names, MOST, &n, &error));
  assert_in_range(n, 300, MOST);
  for (int i = 0; i < n; i++) {
    cr_real start = 0;
    must(cr_model_get(&m, names[i].text, &start, 1, &error));
    items[i] = info_of(names[i].text, names[i].text, start);
    list[i] = &items[i];
  }
  cr_parameters* ps = NULL;
  must(cr_parameters_create(&ps, &m, list, n, &error));
  assert_int_equal(cr_parameters_count(ps), n);
  cr_data *d = test_data(cr_parameters_model(ps)), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
  for (int i = 0; i < m.nv; i++) {
    bar->par.dof_damping[i] = i + 1;
  }
  bar->par.jnt_margin[m.njnt - 1] = 7;
  must(cr_parameters_get_start(ps, x, &error));
  must(cr_parameters_set(ps, x, &error));
  must(cr_parameters_gradient(ps, bar, x, x_bar, &error));
  for (int i = 0; i < n; i++) {
    cr_real expected = i < m.nv ? i + 1 : strcmp(names[i].text, "jnt_margin[5]") == 0 ? 7 : 0;
    assert_true(x_bar[i] == expected);
    k += x_bar[i] != 0;
  }
  assert_int_equal(k, m.nv + 1);
  assert_true(cr_is_zero(bar->par.dof_damping, m.nv));  // the next rollout begins anew
  cr_parameters_destroy(ps);
  for (int i = n; i <= MOST; i++) {
    list[i] = &items[0];
  }
  assert_int_equal(cr_parameters_create(&ps, &m, list, MOST + 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "1 to 4096"));
}

// fifty bodies would have ten numbers each and more
TEST(numbers_are_counted_not_parameters) {
  assert_int_equal((int)CR_MAX_PARAMETERS, 4096);
  cr_parameter_info i = info_of("foot", "foot", 0);
  const cr_parameter_info* list[] = {&i};
  cr_parameters* ps = NULL;
  i.kind = CR_FIT_INERTIA;
  must(cr_parameters_create(&ps, &m, list, 1, &error));
  assert_int_equal(cr_parameters_count(ps), 10);
  cr_parameters_destroy(ps);
}

// ---- priors

TEST(priors_are_residuals) {
  cr_parameter_info a = info_of("a", "body_mass[shank]", 2), b = info_of("b", "dof_damping", 0),
                    c = info_of("c", "foot", 0);
  a.transform = CR_TRANSFORM_LOG;
  a.lower = 0;
  a.prior = 3;
  a.prior_sd = CR_R(0.5);
  b.kind = CR_FIT_SCALE;
  c.kind = CR_FIT_INERTIA;
  const cr_parameter_info* list[] = {&a, &b, &c};
  cr_parameters* ps = NULL;
  cr_real x[12], r[12], slope[12];
  must(cr_parameters_create(&ps, &m, list, 3, &error));
  must(cr_parameters_get_start(ps, x, &error));
  must(cr_parameters_prior(ps, x, r, slope, &error));
  assert_close(r[0], -2, 20 * CR_EPS);
  assert_close(slope[0], 4, 20 * CR_EPS);  // dp/dx = p
  assert_true(cr_is_zero(r + 1, 11) && cr_is_zero(slope + 1, 11));
  cr_parameters_destroy(ps);
  a.prior_sd = -1;
  assert_int_equal(cr_parameters_create(&ps, &m, list, 3, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "'a': a prior has a finite mean"));
  a.prior_sd = 1;
  a.prior = (cr_real)NAN;
  assert_int_equal(cr_parameters_create(&ps, &m, list, 3, &error), CR_ERR_ARG);
}

TEST(long_lists_of_places_fit) {
  static char target[600];
  cr_parameter_info i = info_of("d", target, 1);
  const cr_parameter_info* list[] = {&i};
  cr_parameters* ps = NULL;
  i.kind = CR_FIT_TIED;
  for (int k = 0; k < m.nv; k++) {
    size_t used = strlen(target);
    (void)snprintf(target + used, sizeof target - used, "dof_damping[%d], ", k);
  }
  assert_in_range(strlen(target), 300, 511);
  must(cr_parameters_create(&ps, &m, list, 1, &error));
  cr_parameters_destroy(ps);
  memset(target, ' ', 512);
  assert_int_equal(cr_parameters_create(&ps, &m, list, 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "too long"));
}

// ---- long rollouts

// the last velocities of a cube that spins; `gradient` may be NULL
static cr_real spun(cr_parameters* ps, cr_rollout* r, const cr_loss* loss, const cr_real* x,
                    cr_real* gradient) {
  enum { STEPS = 300 };
  must(cr_parameters_set(ps, x, &error));
  const cr_model* v = cr_parameters_model(ps);
  cr_data* d = cr_rollout_data(r);
  must(cr_data_reset(v, d));
  const cr_real spin[] = {CR_R(0.1), CR_R(-0.2), CR_R(0.3), 3, -2, CR_R(2.5)};
  cr_copy(d->qvel + 11, spin, 6);
  must(cr_rollout_run(r, v, STEPS, loss, &error));
  if (gradient != NULL) {
    must(cr_rollout_gradient(r, v, v, loss, &error));
    must(cr_parameters_gradient(ps, cr_rollout_bar(r), x, gradient, &error));
  }
  return cr_rollout_loss(r);
}

// over hundreds of steps of a body whose principal axes are any, round-off does not add up
TEST(inertia_of_a_cube_has_gradients_of_rollouts) {
  cr_parameter_info info = info_of("cube", "cube", 0);
  const cr_parameter_info* list[] = {&info};
  cr_parameters* ps = NULL;
  cr_rollout* r = NULL;
  cr_expression* e = NULL;
  cr_real x[10], g[10], largest = 0, worst = 0;
  int n = 0;
  info.kind = CR_FIT_INERTIA;
  must(cr_parameters_create(&ps, &m, list, 1, &error));
  const char* const* fields = cr_parameters_fields(ps, &n);
  must(cr_rollout_create(&r, cr_parameters_model(ps), 300, fields, n, &error));
  must(cr_expression_create(&e, cr_parameters_model(ps),
                            "qvel[14] + 0.5*qvel[15] - 0.7*qvel[16] + 0.3*qvel[12]", &error));
  const cr_loss loss = cr_expression_loss(e, false);
  must(cr_parameters_get_start(ps, x, &error));
  (void)spun(ps, r, &loss, x, g);
  for (int i = 0; i < 10; i++) {
    largest = cr_max(largest, cr_abs(g[i]));
  }
  for (int i = 0; i < 10; i++) {
    const cr_real h = 4 * cr_pow(CR_EPS, CR_R(0.2)), at = x[i];
    const cr_real steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
    cr_real slope = 0;
    for (int k = 0; k < 4; k++) {
      x[i] = at + steps[k] * h / 4;
      slope += weights[k] * spun(ps, r, &loss, x, NULL) / (3 * h);
    }
    x[i] = at;
    worst = cr_max(worst, cr_abs(slope - g[i]) / largest);
  }
  print_message("worst %.1e of %.2g\n", (double)worst, (double)largest);
#ifdef CR_LONG_DOUBLE
  assert_true(worst < CR_R(1e-6));
#else
  assert_true(worst < CR_R(1e-4));
#endif
  cr_expression_destroy(e);
  cr_rollout_destroy(r);
  cr_parameters_destroy(ps);
}
