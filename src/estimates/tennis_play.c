// SPDX-License-Identifier: Apache-2.0
// The task of examples/tasks/tennis.yaml through the library, with its model (cr_tennis_scene, embedded by the build).
#include "estimates/tennis_play.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"
#include "notebook/scene_file.h"

extern const char cr_tennis_scene[];  // examples/tasks/tennis.xml

enum { PLACES = 5, NV = 5, NU = 3, JUDGED = 77 };  // JUDGED: seed of the starts

static const cr_cost_term terms[] = {{.text = "qpos[ball_x]", .terminal = 200},
                                     {.text = "qpos[ball_y] - 2.5", .terminal = 200},
                                     {.text = "qvel[ball_x]", .terminal = 20},
                                     {.text = "qvel[ball_y]", .terminal = 20},
                                     {.text = "ctrl", .weight = CR_R(0.04)}};
enum { N_TERM = (int)(sizeof terms / sizeof terms[0]) };

static const struct {
  const char* place;
  cr_real mean, sigma;
} starts[] = {{"qpos[ball_x]", 1, CR_R(0.2)},          {"qpos[ball_y]", 2, CR_R(0.1)},
              {"qpos[pad_x]", 0, CR_R(0.1)},           {"qpos[pad_y]", 0, CR_R(0.05)},
              {"qpos[pad_turn]", 0, CR_R(0.05)},       {"qvel[ball_x]", CR_R(-0.2), CR_R(0.03)},
              {"qvel[ball_y]", CR_R(-0.4), CR_R(0.03)}};
enum { N_START = (int)(sizeof starts / sizeof starts[0]) };

static const cr_observation of_places = {.size = sizeof of_places, .text = "qpos"};
static const cr_observation of_speed[2] = {{.size = sizeof of_speed[0], .text = "qvel[ball_x]"},
                                           {.size = sizeof of_speed[0], .text = "qvel[ball_y]"}};
static const cr_observation* const observations[] = {&of_places, &of_speed[0], &of_speed[1]};
static const cr_policy_options policy_options = {.size = sizeof policy_options,
                                                 .observations = observations,
                                                 .nobservation = 3,
                                                 .every = CR_TENNIS_EVERY};

cr_status cri_tennis_open(const cr_notebook* book, cr_model** m, cr_error* error) {
  return cri_scene_open(book, "tennis", cr_tennis_scene, m, error);
}

static cr_status make_cost(cr_cost** cost, const cr_model* m, cr_error* error) {
  CR_TRY(cr_cost_create(cost, m, error));
  for (int i = 0; i < N_TERM; i++) {
    cr_cost_term term = terms[i];
    term.size = sizeof term;
    term.norm = CR_NORM_QUADRATIC;
    term.kind = i < N_TERM - 1 ? CR_RESIDUAL_EXPRESSION : CR_RESIDUAL_PLACE;
    CR_TRY(cr_cost_add(*cost, &term, error));
  }
  return CR_OK;
}

// ---- training

static bool stopped(void* context) {
  const cr_tennis* tennis = context;
  return tennis->stop != NULL && tennis->stop();
}

static cr_status put_means(const cr_model* m, cr_data* d, cr_error* error) {
  for (int i = 0; i < N_START; i++) {
    CR_TRY(cr_data_set(m, d, starts[i].place, &starts[i].mean, 1, error));
  }
  return CR_OK;
}

cr_status cri_tennis_make(cr_tennis* tennis, const cr_model* m, const cr_tennis_setting* setting,
                          cr_error* error) {
  static const cr_real noise[NU] = {CR_R(0.01), CR_R(0.01), CR_R(0.01)};
  cr_real spread[2 * NV] = {0};
  *tennis = (cr_tennis){.stop = setting->stop};
  for (int i = 0; i < N_START; i++) {  // joints in their order: five places, then the ball's speed
    spread[i] = starts[i].sigma;
  }
  const cr_policy_training_options o = {.size = sizeof o,
                                        .nstep = CR_TENNIS_STEPS,
                                        .estimator = setting->kind,
                                        .samples = setting->samples,
                                        .starts = setting->starts,
                                        .noise = noise,
                                        .spread = spread,
                                        .iterations = setting->iterations,
                                        .rate = CR_R(0.02),
                                        .final_rate = CR_R(0.001),
                                        .seed = setting->seed,
                                        .nthread = 1,
                                        .stop = stopped,
                                        .context = tennis};
  CR_TRY(cr_data_create(&tennis->start, m, error));
  CR_TRY(put_means(m, tennis->start, error));
  CR_TRY(make_cost(&tennis->cost, m, error));
  return cr_policy_training_create(&tennis->training, m, tennis->start, tennis->cost,
                                   &policy_options, &o, error);
}

void cri_tennis_close(cr_tennis* tennis) {
  cr_policy_training_destroy(tennis->training);
  cr_cost_destroy(tennis->cost);
  cr_data_destroy(tennis->start);
  *tennis = (cr_tennis){.cost = NULL};
}

// ---- motions without noise

typedef struct {
  cr_cost* cost;
  cr_loss loss;
  cr_policy* policy;
  cr_rollout* rollout;
} player;

static void player_free(player* p) {
  cr_rollout_destroy(p->rollout);
  cr_policy_destroy(p->policy);
  cr_cost_destroy(p->cost);
}

static cr_status player_make(player* p, const cr_model* m, const cr_real* weights,
                             cr_error* error) {
  *p = (player){.cost = NULL};
  CR_TRY(make_cost(&p->cost, m, error));
  CR_TRY(cr_policy_create(&p->policy, m, &policy_options, error));
  for (int i = 0; i < cr_policy_nweight(p->policy); i++) {
    cr_policy_weights(p->policy)[i] = weights[i];
  }
  CR_TRY(cr_rollout_create(&p->rollout, m, CR_TENNIS_STEPS, NULL, 0, error));
  p->loss = cr_cost_loss(p->cost, CR_TENNIS_STEPS, cr_model_timestep(m));
  return cr_policy_attach(p->policy, p->rollout, NULL, error);
}

static cr_status play(const player* p, const cr_model* m, int start, cr_error* error) {
  cr_data* d = cr_rollout_data(p->rollout);
  cr_random random = cr_random_seed(JUDGED, (uint64_t)start);
  CR_TRY(cr_data_reset(m, d));
  for (int i = 0; i < N_START; i++) {
    const cr_real x = starts[i].mean + starts[i].sigma * cr_random_normal(&random);
    CR_TRY(cr_data_set(m, d, starts[i].place, &x, 1, error));
  }
  return cr_rollout_run(p->rollout, m, CR_TENNIS_STEPS, &p->loss, error);
}

cr_status cri_tennis_judge(const cr_model* m, const cr_real* weights, int nstart,
                           bool (*stop)(void), cr_real* mean, cr_error* error) {
  player p;
  cr_real sum = 0;
  cr_status status = player_make(&p, m, weights, error);
  for (int i = 0; i < nstart && status == CR_OK; i++) {
    status = stop != NULL && stop() ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted")
                                    : play(&p, m, i, error);
    sum += cr_rollout_loss(p.rollout);
  }
  *mean = sum / (cr_real)nstart;
  player_free(&p);
  return status;
}

cr_status cri_tennis_run(const cr_model* m, const cr_real* weights, int start, cr_real* qpos,
                         cr_error* error) {
  player p;
  cr_status status = player_make(&p, m, weights, error);
  status = status == CR_OK ? play(&p, m, start, error) : status;
  status = status == CR_OK ? cr_rollout_get_states(p.rollout, m, 0, CR_TENNIS_STEPS + 1, NULL, qpos,
                                                   NULL, NULL, error)
                           : status;
  player_free(&p);
  return status;
}
