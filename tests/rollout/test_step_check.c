// SPDX-License-Identifier: Apache-2.0
// The gradient check of a step: it passes right gradients, fails wrong ones, and recognises a
// kink.
#include <stdio.h>

#include "carom/step.h"
#include "model/build.h"
#include "rollout/step_check.h"
#include "scenes/random_model.h"
#include "support/test.h"

typedef struct {
  cr_model m;
  cr_data* d;
  cr_step_check* check;
  cr_step_check_result result;
} bench;

static void open_bench(bench* b, uint64_t seed, state_kind kind, int entries) {
  cr_error error;
  *b = (bench){0};
  assert_int_equal(random_model(&b->m, seed, &error), CR_OK);
  random_model_calm(&b->m);
  b->m.timestep = CR_R(5e-4);
  b->d = test_data(&b->m);
  assert_int_equal(cr_step_check_create(&b->check, &b->m, entries, &error), CR_OK);
  random_state(&b->m, b->d, seed, kind);
}

static void close_bench(bench* b) {
  cr_step_check_free(b->check);
  cri_model_free(&b->m);
}

static void run(bench* b, uint64_t seed) {
  cr_error error = {0};
  cr_random random = cr_random_seed(seed, 3);
  if (cr_step_check_run(b->check, b->d, &random, &b->result, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

TEST(right_gradients_pass) {
  int samples = 0, kinks = 0;
  cr_real worst = 0, dot = 0;
  for (uint64_t seed = 0; seed < 4; seed++) {
    for (int kind = 0; kind < N_STATE_KIND; kind++) {
      bench b;
      open_bench(&b, seed, (state_kind)kind, 2);
      run(&b, seed);
      if (b.result.max_error > CR_R(1e-6)) {
        print_message("model %d: %s\n", (int)seed, b.result.worst);
      }
      worst = cr_max(worst, b.result.max_error);
      dot = cr_max(dot, b.result.dot_error);
      samples += b.result.samples;
      kinks += b.result.kinks;
      assert_int_equal(b.result.lost, 0);  // forces that move something lose nothing
      close_bench(&b);
    }
  }
  print_message("worst %.1e, dot %.1e, %d samples, %d kinks\n", (double)worst, (double)dot, samples,
                kinks);
  assert_true(worst <= CR_R(1e-6));
  assert_true(dot <= CR_R(1e-10));
  assert_true(samples > 600);
  assert_true(kinks < samples / 20);
}

// the gradient of one model against differences of another, that steps from rest as the first does
// but is damped differently: the check moves a copy of its own
TEST(wrong_gradients_fail) {
  bench b;
  open_bench(&b, 3, STATE_FLIGHT, 2);
  b.m.integrator = CR_INT_EULER;
  b.m.disableflags = CR_DSBL_EULERDAMP;
  cr_zero(b.m.dof_frictionloss, b.m.nv);
  cr_zero(b.d->qvel, b.m.nv);
  cr_step_check_free(b.check);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 2, NULL), CR_OK);
  run(&b, 1);
  assert_true(b.result.max_error <= CR_R(1e-6));
  int kinks = b.result.kinks;
  b.m.dof_damping[b.m.nv - 1] += CR_R(0.01);
  b.result = (cr_step_check_result){0};
  run(&b, 1);
  assert_true(b.result.max_error > CR_R(1e-5));
  assert_non_null(strstr(b.result.worst, "qvel["));
  assert_non_null(strstr(b.result.worst, " against "));
  assert_int_equal(b.result.kinks, kinks);
  assert_true(b.result.dot_error <= CR_R(1e-10));  // jvp and vjp agree with each other
  close_bench(&b);
}

// two states add up
TEST(results_accumulate) {
  bench b;
  open_bench(&b, 3, STATE_FLIGHT, 4);
  run(&b, 1);
  int once = b.result.samples;
  cr_real error = b.result.max_error;
  random_state(&b.m, b.d, 9, STATE_FLIGHT);
  run(&b, 1);
  assert_int_equal(b.result.samples, 2 * once);
  assert_true(b.result.max_error >= error);
  close_bench(&b);
}

// the state, the controls, and as many entries of each parameter as were asked for
TEST(samples_are_bounded) {
  bench few, all;
  open_bench(&few, 3, STATE_FLIGHT, 2);
  open_bench(&all, 3, STATE_FLIGHT, 0);
  run(&few, 1);
  run(&all, 1);
  int inputs = 2 * few.m.nv + few.m.na + few.m.nu;
  assert_true(few.result.samples > inputs);
  assert_true(few.result.samples <= inputs + 2 * CR_N_MODEL_FIELD);
  assert_true(all.result.samples > few.result.samples);
  close_bench(&few);
  close_bench(&all);
}

// joints exactly at the margin of their limits: to one side there is a row, to the other none
TEST(kinks_are_told) {
  bench b;
  int told = 0;
  for (uint64_t seed = 3; seed < 31; seed += 4) {
    open_bench(&b, seed, STATE_FLIGHT, 2);
    int at_limit = 0;
    for (int j = 0; j < b.m.njnt; j++) {
      bool scalar = b.m.jnt_type[j] >= CR_JNT_SLIDE;
      if (b.m.jnt_limited[j] && scalar) {
        b.d->qpos[b.m.jnt_qposadr[j]] = b.m.jnt_range[2 * j] + b.m.jnt_margin[j];
        at_limit++;
      }
    }
    run(&b, seed);
    if (b.result.max_error > CR_R(1e-6)) {
      print_message("model %d: %s\n", (int)seed, b.result.worst);
    }
    // beside a kink a quotient counts as known to 1e-4
    assert_true(b.result.max_error <= CR_R(1e-4));
    assert_true(at_limit == 0 || b.result.kinks > 0);
    told += at_limit;
    close_bench(&b);
  }
  assert_true(told > 3);
}

// parameters where zero is a switch are no samples, and no errors
TEST(switches_are_left_out) {
  bench b;
  open_bench(&b, 7, STATE_CONTACT, 0);
  run(&b, 5);
  int samples = b.result.samples, moved = 0;
  close_bench(&b);
  open_bench(&b, 7, STATE_CONTACT, 0);
  for (int i = 0; i < b.m.nv; i++) {
    moved += b.m.dof_frictionloss[i] > 0;
    b.m.dof_frictionloss[i] = 0;
  }
  cr_step_check_free(b.check);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  run(&b, 5);
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_int_equal(b.result.samples, samples - moved);
  close_bench(&b);
}

// parameters that are zero have no size of their own to step by: a light body at high speed answers
// to the least drag, and turns more than once if it is not the least
TEST(steps_stay_small) {
  const int32_t parents[] = {0, 0}, jntnums[] = {0, 1}, types[] = {CR_JNT_FREE};
  const cr_real velocity[] = {10, -20, 30, 100, -50, 70};
  bench b = {0};
  assert_int_equal(cri_model_sizes(&b.m, 2, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.body_jntnum[1] = 1;
  b.m.jnt_type[0] = CR_JNT_FREE;
  b.m.timestep = CR_R(0.01);
  b.m.disableflags = CR_DSBL_EULERDAMP;
  b.m.dof_damping[0] = CR_R(1e-6);
  b.m.body_mass[1] = CR_R(5e-4);
  for (int i = 0; i < 3; i++) {
    b.m.body_inertia[3 + i] = CR_R(5e-7);
  }
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  for (int seed = 0; seed < 5; seed++) {
    cr_copy(b.d->qvel, velocity, b.m.nv);
    run(&b, (uint64_t)seed);
  }
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_int_equal(b.result.kinks, 0);
  close_bench(&b);
}

// a rail of next to no weight that floats, with a heavy cart on it and a pole on the cart: what the rail
// is accelerated by is a difference of numbers a million times larger, and a difference of two steps
// sees the round-off of these. Every entry is compared, and none fails for noise
TEST(light_bodies_carry_heavy_ones) {
  const int32_t parents[] = {0, 0, 1, 2}, jntnums[] = {0, 1, 1, 1};
  const int32_t types[] = {CR_JNT_FREE, CR_JNT_SLIDE, CR_JNT_HINGE};
  bench b = {0};
  assert_int_equal(cri_model_sizes(&b.m, 4, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.timestep = CR_R(2e-3);
  b.m.gravity[2] = CR_R(-9.81);
  for (int k = 1; k < 4; k++) {
    b.m.body_parentid[k] = parents[k];
    b.m.body_jntnum[k] = 1;
    b.m.jnt_type[k - 1] = types[k - 1];
    b.m.body_mass[k] = k == 1 ? CR_R(1e-6) : (k == 2 ? 1 : CR_R(0.1));
    for (int i = 0; i < 3; i++) {
      b.m.body_inertia[3 * k + i] = k == 1 ? CR_R(1e-9) : CR_R(0.02);
    }
  }
  b.m.jnt_axis[3] = b.m.jnt_axis[7] = 1;
  b.m.body_ipos[11] = CR_R(0.5);
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_random random = cr_random_seed(seed, 1);
    cri_data_reset(&b.m, b.d);
    for (int i = 0; i < b.m.nv; i++) {
      b.d->qvel[i] = cr_random_normal(&random);
      b.d->qfrc_applied[i] = CR_R(0.1) * cr_random_normal(&random);
    }
    b.d->qpos[7] = cr_random_normal(&random);
    b.d->qpos[8] = cr_random_normal(&random);
    run(&b, seed);
  }
  if (b.result.max_error > CR_R(1e-6)) {
    print_message("%s\n", b.result.worst);
  }
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_true(b.result.samples > 1000 && b.result.kinks < b.result.samples / 10);
  close_bench(&b);
}

// Three spheres in one point, on the axis of the three hinges between them: the contact of the first
// with the last pushes with 1e17 N on a Jacobian that is zero. Some entries are nothing but its
// round-off; all others are right.
TEST(forces_on_nothing_are_told_from_errors) {
  enum { N = 3 };
  const int32_t parents[] = {0, 0, 1, 2}, jntnums[] = {0, 1, 1, 1};
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_HINGE};
  bench b = {.m.ngeom = N};
  assert_int_equal(cri_model_sizes(&b.m, N + 1, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.timestep = CR_R(2e-3);
  for (int k = 0; k < N; k++) {
    b.m.body_parentid[k + 1] = parents[k + 1];
    b.m.body_jntnum[k + 1] = 1;
    b.m.jnt_type[k] = CR_JNT_HINGE;
    b.m.jnt_axis[3 * k + 2] = 1;
    b.m.body_mass[k + 1] = CR_R(4.1887902);
    b.m.geom_bodyid[k] = k + 1;
    b.m.geom_type[k] = CR_GEOM_SPHERE;
    b.m.geom_size[3 * k] = CR_R(0.1);
    for (int i = 0; i < 3; i++) {
      b.m.body_inertia[3 * (k + 1) + i] = CR_R(0.0167551608);
    }
  }
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  for (uint64_t seed = 0; seed < 10; seed++) {
    cr_random random = cr_random_seed(seed, 1);
    for (int i = 0; i < N; i++) {
      b.d->qpos[i] = cr_random_normal(&random);
      b.d->qvel[i] = cr_random_normal(&random);
    }
    run(&b, seed);
  }
  if (b.result.max_error > CR_R(1e-6)) {
    print_message("%s\n", b.result.worst);
  }
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_true(b.result.lost > 0 && b.result.lost < b.result.samples / 5);
  print_message("%d of %d lost\n", b.result.lost, b.result.samples);
  close_bench(&b);
}

// A body that tumbles slowly, with the integrator discrete: the least friction loss takes its gyroscopic term
// out of the effective mass matrix. The step leaps by less than the finest difference can tell, and is told to leap.
TEST(small_leaps_of_the_effective_mass_are_no_errors) {
  const int32_t parents[] = {0, 0}, jntnums[] = {0, 1}, types[] = {CR_JNT_FREE};
  bench b = {0};
  cr_edge_result edges = {0};
  assert_int_equal(cri_model_sizes(&b.m, 2, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.body_jntnum[1] = 1;
  b.m.jnt_type[0] = CR_JNT_FREE;
  b.m.timestep = CR_R(0.008);
  b.m.integrator = CR_INT_DISCRETE;
  b.m.body_mass[1] = 1;
  for (int i = 0; i < 3; i++) {
    b.m.body_inertia[3 + i] = CR_R(0.01) * (cr_real)(1 + i);
  }
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  cr_real spin = CR_R(0.1);
  for (uint64_t seed = 0; seed < 8; seed++, spin *= CR_R(0.5)) {
    cr_random random = cr_random_seed(seed, 3);
    for (int i = 3; i < 6; i++) {
      b.d->qvel[i] = spin * cr_random_normal(&random);
      b.d->qfrc_applied[i] = CR_R(0.1) * cr_random_normal(&random);
    }
    assert_int_equal(
        cr_step_check_bound(b.check, b.d, CR_FIELD_dof_frictionloss, 0, &random, &edges, NULL),
        CR_OK);
  }
  if (edges.max_error > 0) {
    print_message("%s\n", edges.worst);
  }
  assert_int_equal(edges.places, 8);
  assert_true(edges.max_error <= CR_R(1e-6));
  assert_true(edges.kinks >= 24);
  close_bench(&b);
}

// A box without extent in a floor: which of its corners touch depends on the way that it grows. No gradient
// is an error there, and it is told
TEST(points_that_are_boxes_are_kinks) {
  const int32_t parents[] = {0, 0}, jntnums[] = {0, 1}, types[] = {CR_JNT_FREE};
  bench b = {.m.ngeom = 2};
  cr_edge_result edges = {0};
  cr_random random = cr_random_seed(1, 3);
  int said;
  assert_int_equal(cri_model_sizes(&b.m, 2, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.body_jntnum[1] = 1;
  b.m.jnt_type[0] = CR_JNT_FREE;
  b.m.body_mass[1] = 1;
  b.m.geom_type[0] = CR_GEOM_PLANE;
  b.m.geom_type[1] = CR_GEOM_BOX;
  b.m.geom_bodyid[1] = 1;
  b.m.gravity[2] = CR_R(-9.81);
  for (int i = 0; i < 3; i++) {
    b.m.body_inertia[3 + i] = CR_R(0.01) * (cr_real)(1 + i);
    b.m.geom_size[3 + i] = CR_R(0.1);
  }
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  b.d->qpos[2] = CR_R(-1e-3);
  b.d->qpos[3] = CR_R(0.8);
  b.d->qpos[4] = CR_R(0.6);
  b.d->qvel[0] = 1;
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  assert_int_equal(cr_step_check_bound(b.check, b.d, CR_FIELD_geom_size, 0, &random, &edges, NULL),
                   CR_OK);
  if (edges.max_error > 0) {
    print_message("%s\n", edges.worst);
  }
  assert_int_equal(edges.places, 1);
  assert_true(edges.max_error <= CR_R(1e-6));
  assert_int_equal(edges.kinks, 3);
  for (int point = 0; point < 2; point++) {
    assert_int_equal(cr_forward(&b.m, b.d), CR_OK);
    assert_int_equal(cr_two_slopes(&b.m, b.d, "geom_size", 0, NULL, 0, &said), CR_OK);
    assert_true(b.d->ncon > 0);
    assert_int_equal(said, point);
    cr_zero(b.m.geom_size + 3, 3);
  }
  close_bench(&b);
}

// A sphere slides over a floor, and another body flies so fast that its round-off hides the sphere from fine
// steps. Friction of less than 1e-5 counts as 1e-5: coarse steps, beyond that, have another slope.
TEST(friction_at_its_least_value_has_no_slope) {
  const int32_t parents[] = {0, 0, 0}, jntnums[] = {0, 1, 1}, types[] = {CR_JNT_FREE, CR_JNT_FREE};
  bench b = {.m.ngeom = 2};
  cr_edge_result edges = {0};
  cr_random random = cr_random_seed(1, 3);
  assert_int_equal(cri_model_sizes(&b.m, 3, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  for (int body = 1; body < 3; body++) {
    b.m.body_jntnum[body] = 1;
    b.m.jnt_type[body - 1] = CR_JNT_FREE;
    b.m.body_mass[body] = 1;
    for (int i = 0; i < 3; i++) {
      b.m.body_inertia[3 * body + i] = CR_R(0.01);
    }
  }
  b.m.geom_type[0] = CR_GEOM_PLANE;
  b.m.geom_type[1] = CR_GEOM_SPHERE;
  b.m.geom_bodyid[1] = 1;
  b.m.geom_size[3] = CR_R(0.1);
  b.m.gravity[2] = CR_R(-9.81);
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  b.d->qpos[2] = CR_R(0.099);
  b.d->qvel[0] = 1;
  b.d->qvel[6] = CR_R(4.5e9);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  assert_int_equal(
      cr_step_check_bound(b.check, b.d, CR_FIELD_geom_friction, 0, &random, &edges, NULL), CR_OK);
  if (edges.max_error > 0) {
    print_message("%s\n", edges.worst);
  }
  assert_int_equal(edges.places, 1);
  assert_true(edges.max_error <= CR_R(1e-6));
  assert_int_equal(edges.samples, 6);
  close_bench(&b);
}

// A body of two dofs in a medium. Without inertia its box is as flat as it may be, and has no slope until 1e-15;
// differences know the slopes beyond that alone.
TEST(flat_boxes_in_a_medium_are_not_compared) {
  const int32_t parents[] = {0, 0}, jntnums[] = {0, 2}, types[] = {CR_JNT_SLIDE, CR_JNT_HINGE};
  bench b = {0};
  cr_edge_result edges = {0};
  cr_random random = cr_random_seed(1, 3);
  assert_int_equal(cri_model_sizes(&b.m, 2, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b.m, NULL), CR_OK);
  cri_model_defaults(&b.m);
  b.m.body_jntnum[1] = 2;
  b.m.body_mass[1] = 1;
  b.m.body_ipos[3] = CR_R(0.1);
  b.m.density[0] = 1000;
  for (int i = 0; i < 2; i++) {
    b.m.jnt_type[i] = types[i];
    b.m.jnt_axis[3 * i + 2 * i] = 1;
  }
  for (int i = 0; i < 3; i++) {
    b.m.body_inertia[3 + i] = CR_R(0.01);
  }
  assert_int_equal(cri_model_derive(&b.m, NULL), CR_OK);
  b.d = test_data(&b.m);
  b.d->qpos[1] = b.d->qvel[0] = b.d->qvel[1] = 1;
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  assert_int_equal(
      cr_step_check_bound(b.check, b.d, CR_FIELD_body_inertia, 0, &random, &edges, NULL), CR_OK);
  if (edges.max_error > 0) {
    print_message("%s\n", edges.worst);
  }
  assert_int_equal(edges.places, 1);
  assert_true(edges.max_error <= CR_R(1e-6));
  close_bench(&b);
}

// a wheel that friction loss holds, and one that turns
static void open_wheels(bench* b, cr_real loss) {
  const int32_t parents[] = {0, 0, 0}, jntnums[] = {0, 1, 1};
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_HINGE};
  *b = (bench){0};
  assert_int_equal(cri_model_sizes(&b->m, 3, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b->m, NULL), CR_OK);
  cri_model_defaults(&b->m);
  for (int k = 1; k < 3; k++) {
    b->m.body_jntnum[k] = 1;
    b->m.body_mass[k] = 1;
    b->m.jnt_type[k - 1] = CR_JNT_HINGE;
    b->m.jnt_axis[3 * k - 1] = 1;
    b->m.dof_frictionloss[k - 1] = loss;
    for (int i = 0; i < 3; i++) {
      b->m.body_inertia[3 * k + i] = CR_R(0.02);
    }
  }
  assert_int_equal(cri_model_derive(&b->m, NULL), CR_OK);
  b->d = test_data(&b->m);
  b->d->qvel[1] = 1;
  assert_int_equal(cr_step_check_create(&b->check, &b->m, 0, NULL), CR_OK);
}

// Friction holds a wheel up to a speed of 1e-8 or so. Coarse steps agree with each other on the slope of a wheel
// that slips, and finer ones have to find the one that holds.
TEST(friction_that_holds_is_found_by_finer_steps) {
  bench b;
  cr_edge_result edges = {0};
  cr_random random = cr_random_seed(1, 3);
  open_wheels(&b, CR_R(1e-7));
  for (int seed = 0; seed < 4; seed++) {
    assert_int_equal(
        cr_step_check_edge(b.check, b.d, CR_EDGE_QVEL, 0, "rest", &random, &edges, NULL), CR_OK);
    run(&b, (uint64_t)seed);
  }
  if (edges.max_error > 0) {
    print_message("%s\n", edges.worst);
  }
  assert_int_equal(edges.places, 4);
  assert_true(edges.max_error <= CR_R(1e-6) && b.result.max_error <= CR_R(1e-6));
  assert_int_equal(edges.samples, 8);
  assert_int_equal(edges.kinks, 0);
  close_bench(&b);
}

// Beside a wheel so fast that steps small enough to hold the other are round-off, its slope is not compared.
TEST(finer_steps_within_round_off_do_not_count) {
  bench b;
  cr_edge_result edges = {0};
  cr_random random = cr_random_seed(1, 3);
  open_wheels(&b, CR_R(1e-7));
  b.d->qvel[1] = CR_R(1e-10) / CR_EPS;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(
        cr_step_check_edge(b.check, b.d, CR_EDGE_QVEL, 0, "rest", &random, &edges, NULL), CR_OK);
  }
  assert_true(edges.max_error <= CR_R(1e-6));
  assert_int_equal(edges.samples, 4);
  assert_int_equal(edges.kinks, 4);
  close_bench(&b);
}

// A wheel that creeps so slowly that it may be rounding: any loss there is holds it, and the derivative by a loss of
// zero is 0. It has a name, and is not compared; a faster one has none, and is.
TEST(what_creeps_is_not_compared) {
  for (int k = 0; k < 2; k++) {
    bench b;
    cr_edge_result edges = {0};
    int said;
    open_wheels(&b, CR_R(1e-7));
    b.d->qvel[0] = k == 0 ? CR_R(1e5) * CR_EPS : CR_R(2e-6);
    b.d->qvel[1] = CR_R(1e-3);
    for (uint64_t seed = 0; seed < 4; seed++) {
      cr_random random = cr_random_seed(seed, 3);
      assert_int_equal(
          cr_step_check_bound(b.check, b.d, CR_FIELD_dof_frictionloss, 0, &random, &edges, NULL),
          CR_OK);
    }
    if (edges.max_error > 0) {
      print_message("%s\n", edges.worst);
    }
    assert_int_equal(edges.places, 4);
    assert_true(edges.max_error <= CR_R(1e-6));
    assert_int_equal(edges.kinks, k == 0 ? 4 : 0);
    assert_int_equal(edges.samples, k == 0 ? 4 : 8);
    cr_zero(b.m.dof_frictionloss, 2);
    assert_int_equal(cr_forward(&b.m, b.d), CR_OK);
    assert_int_equal(cr_two_slopes(&b.m, b.d, "dof_frictionloss", 0, NULL, 0, &said), CR_OK);
    assert_int_equal(said, k == 0);
    close_bench(&b);
  }
}

// a slide at its lower limit, `depth` beyond it
static void open_slide(bench* b, cr_real depth) {
  const int32_t parents[] = {0, 0}, jntnums[] = {0, 1}, types[] = {CR_JNT_SLIDE};
  const cr_real solimp[5] = {CR_R(0.5), CR_R(0.9), CR_R(1e-4), CR_R(0.5), 2};
  *b = (bench){0};
  assert_int_equal(cri_model_sizes(&b->m, 2, parents, jntnums, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&b->m, NULL), CR_OK);
  cri_model_defaults(&b->m);
  b->m.body_jntnum[1] = 1;
  b->m.jnt_type[0] = CR_JNT_SLIDE;
  b->m.jnt_axis[0] = 1;
  b->m.timestep = CR_R(1e-3);
  b->m.body_mass[1] = 1;
  for (int i = 0; i < 3; i++) {
    b->m.body_inertia[3 + i] = 1;
  }
  b->m.jnt_limited[0] = 1;
  b->m.jnt_range[1] = 1;
  cr_copy(b->m.jnt_solimp, solimp, 5);
  assert_int_equal(cri_model_derive(&b->m, NULL), CR_OK);
  b->d = test_data(&b->m);
  assert_int_equal(cr_step_check_create(&b->check, &b->m, 0, NULL), CR_OK);
  b->d->qpos[0] = -depth;
}

// impedances have their largest value beyond a width of 0.1 mm: coarse steps see nothing but that, and
// agree with each other on a slope that is not the slope here
TEST(coarse_steps_do_not_decide) {
  bench b;
  open_slide(&b, CR_R(3e-5));
  run(&b, 1);
  if (b.result.max_error > CR_R(1e-6)) {
    print_message("%s\n", b.result.worst);
  }
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_true(b.result.kinks <= 2 && b.result.samples > 20);
  close_bench(&b);
}

// a time constant at its lower bound, twice the time step: left and right slope differ
TEST(a_bound_is_a_kink) {
  bench b;
  open_slide(&b, CR_R(3e-5));
  run(&b, 1);
  int kinks = b.result.kinks;
  b.m.jnt_solref[0] = 2 * b.m.timestep;
  cr_step_check_free(b.check);
  assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
  b.result = (cr_step_check_result){0};
  run(&b, 1);
  assert_true(b.result.max_error <= CR_R(1e-6));
  assert_int_equal(b.result.kinks, kinks + 1);
  close_bench(&b);
}

// inverse weights of zero, those of the world among them, are at their bound
TEST(weights_at_their_bound_are_left_out) {
  int samples[2];
  for (int k = 0; k < 2; k++) {
    bench b;
    open_slide(&b, CR_R(3e-5));
    assert_true(b.m.body_invweight0[0] == 0);
    b.m.body_invweight0[2] = (cr_real)k;
    cr_step_check_free(b.check);
    assert_int_equal(cr_step_check_create(&b.check, &b.m, 0, NULL), CR_OK);
    run(&b, 1);
    samples[k] = b.result.samples;
    close_bench(&b);
  }
  assert_int_equal(samples[1], samples[0] + 1);
}

TEST(a_step_that_fails_is_an_error) {
  bench b;
  cr_error error = {0};
  cr_random random = cr_random_seed(1, 3);
  open_bench(&b, 3, STATE_FLIGHT, 2);
  b.d->qvel[0] = (cr_real)NAN;
  assert_int_equal(cr_step_check_run(b.check, b.d, &random, &b.result, &error), CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "qvel[0]"));
  close_bench(&b);
  cr_step_check_free(NULL);
}
