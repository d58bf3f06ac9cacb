// SPDX-License-Identifier: Apache-2.0
// The network that imitates a plan: what it reads, mirror images, what it learns, forces within limits, files.
#include "walk/imitation.h"

#include "base/random.h"
#include "carom/learned.h"
#include "support/close.h"
#include "walk/robot.h"

static cr_body_view random_view(cr_random* random) {
  cr_body_view v = {.height = 0.4};
  int pair = cr_random_int(random, 3);
  for (int k = 0; k < 3; k++) {
    v.velocity[k] = 0.3 * cr_random_normal(random);
    v.rpy[k] = 0.05 * cr_random_normal(random);
    v.turning[k] = 0.3 * cr_random_normal(random);
    v.wanted_velocity[k] = k < 2 ? 0.3 * cr_random_normal(random) : 0;
  }
  v.wanted_turning[2] = cr_random_normal(random);
  v.wanted_position[2] = 0.4;
  for (int leg = 0; leg < CR_LEGS; leg++) {
    bool first = leg == 0 || leg == 3;
    v.stands[leg] = pair == 2 || first == (pair == 0);
    v.friction[leg] = 0.45;
    v.foot[leg][0] = (leg < 2 ? 0.2 : -0.2) + 0.05 * cr_random_normal(random);
    v.foot[leg][1] = (leg % 2 == 0 ? -0.12 : 0.12) + 0.02 * cr_random_normal(random);
    v.foot[leg][2] = -0.4;
  }
  return v;
}

static cr_force_costs costs_of(void) {
  cr_force_costs c = cri_force_costs;
  c.mass = 25;
  c.inertia[0] = 0.6;
  c.inertia[4] = 1.2;
  c.inertia[8] = 1.3;
  return c;
}

// the other way round: a view from what the network reads
static cr_body_view view_of(const double* input) {
  cr_body_view v = {.height = 0.4};
  memcpy(v.velocity, input, sizeof v.velocity);
  memcpy(v.rpy, input + 3, sizeof v.rpy);
  memcpy(v.turning, input + 6, sizeof v.turning);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    v.stands[leg] = input[9 + leg] > 0.5;
  }
  memcpy(v.foot, input + 13, sizeof v.foot);
  memcpy(v.friction, input + 25, sizeof v.friction);
  memcpy(v.wanted_rpy, input + 29, sizeof v.wanted_rpy);
  memcpy(v.wanted_position, input + 32, sizeof v.wanted_position);
  memcpy(v.wanted_turning, input + 35, sizeof v.wanted_turning);
  memcpy(v.wanted_velocity, input + 38, sizeof v.wanted_velocity);
  return v;
}

TEST(the_plan_of_a_mirror_image_is_the_mirror_image_of_the_plan) {
  const cr_force_costs c = costs_of();
  cr_random random = cr_random_seed(8, 0);
  cr_force_plan* plan;
  must(cri_force_plan_create(&plan, &c, CR_QP_INTERIOR, &error));
  for (int round = 0; round < 10; round++) {
    double input[CR_IMITATION_INPUTS], other[CR_IMITATION_INPUTS], back[CR_IMITATION_INPUTS];
    double force[CR_LEGS][3], image[CR_LEGS][3], again[CR_LEGS][3];
    const cr_body_view v = random_view(&random);
    cri_imitation_read(&v, input);
    must(cri_force_plan_decide(plan, &v, force, &error));
    cri_imitation_mirror(input, force[0], other, image[0]);
    const cr_body_view mirrored = view_of(other);
    must(cri_force_plan_decide(plan, &mirrored, again, &error));
    for (int leg = 0; leg < CR_LEGS; leg++) {
      for (int k = 0; k < 3; k++) {
        assert_close(again[leg][k], image[leg][k], 1e-3);
      }
    }
    cri_imitation_mirror(other, image[0], back, again[0]);
    assert_memory_equal(back, input, sizeof back);
    assert_memory_equal(again, force, sizeof again);
  }
  cri_force_plan_destroy(plan);
}

TEST(it_learns_the_forces_of_a_plan_and_keeps_their_limits) {
  enum { N = 400 };
  const cr_force_costs c = costs_of();
  cr_random random = cr_random_seed(5, 0);
  cr_force_plan* plan;
  cr_transitions t;
  cr_imitation *network, *opened;
  double held, force[CR_LEGS][3], again[CR_LEGS][3];
  must(cri_force_plan_create(&plan, &c, CR_QP_INTERIOR, &error));
  must(cri_transitions_create(&t, N, &error));
  for (int i = 0; i < N; i++) {
    const cr_body_view v = random_view(&random);
    must(cri_force_plan_decide(plan, &v, force, &error));
    cri_transitions_add(&t, &v, (const double(*)[3])force);
  }
  assert_int_equal(t.n, N);
  const cr_body_view one_more = random_view(&random);
  cri_transitions_add(&t, &one_more, (const double(*)[3])force);
  assert_int_equal(t.n, N);  // full
  const char* path = scratch_path("network.crn");
  const cr_imitation_training how = {.epochs = 25,
                                     .batch = 32,
                                     .threads = 1,
                                     .rate = 1e-3,
                                     .final_rate = 1e-4,
                                     .seed = 1,
                                     .save = path};
  must(cri_imitation_create(&network, 1, &error));
  assert_int_equal(cri_imitation_weights(network),
                   41 * 192 + 192 + 192 * 192 + 192 + 192 * 12 + 12);
  must(cri_imitation_train(network, &t, &how, &held, &error));
  assert_true(held > 0 && held < 0.3);  // of the variance
  must(cri_imitation_save(network, path, &error));
  must(cri_imitation_open(&opened, path, &error));
  for (int i = 0; i < 20; i++) {
    cr_body_view v = random_view(&random);
    v.velocity[0] *= 20;  // beyond what it has learned from
    cri_imitation_decide(network, &c, &v, force);
    cri_imitation_decide(opened, &c, &v, again);
    assert_memory_equal(force, again, sizeof force);
    for (int leg = 0; leg < CR_LEGS; leg++) {
      double up = force[leg][2];
      assert_true(v.stands[leg] ? up >= 0.1 * 25 * 9.81 : up == 0);
      assert_true(fabs(force[leg][0]) <= 0.45 * up && fabs(force[leg][1]) <= 0.45 * up);
    }
  }
  cri_imitation_destroy(network);
  cri_imitation_destroy(opened);
  cri_transitions_free(&t);
  cri_force_plan_destroy(plan);
}

TEST(another_network_is_refused) {
  const cr_layer layer = {.size = sizeof layer, .kind = CR_LAYER_DENSE, .width = 2};
  cr_network* network;
  cr_learned* learned;
  cr_imitation* imitation;
  const char* path = scratch_path("other.crn");
  must(cr_network_create(&network, 3, &layer, 1, &error));
  must(cr_learned_create(&learned, network, 1, &error));
  must(cr_learned_save(learned, path, &error));
  assert_int_equal(cri_imitation_open(&imitation, path, &error), CR_ERR_FORMAT);
  assert_null(imitation);
  assert_non_null(strstr(error.text, "not a network of 41 inputs and 12 outputs"));
  cr_learned_destroy(learned);
  cr_network_destroy(network);
}
