// SPDX-License-Identifier: Apache-2.0
#include "walk/imitation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carom/learned.h"

// ---- inputs

static double* put(double* to, const double* from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return to + n;
}

void cri_imitation_read(const cr_body_view* view, double input[CR_IMITATION_INPUTS]) {
  double* at = put(input, view->velocity, 3);
  at = put(at, view->rpy, 3);
  at = put(at, view->turning, 3);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    *at++ = view->stands[leg];
  }
  at = put(at, view->foot[0], 3 * CR_LEGS);
  at = put(at, view->friction, CR_LEGS);
  at = put(at, view->wanted_rpy, 3);
  at = put(at, view->wanted_position, 3);
  at = put(at, view->wanted_turning, 3);
  (void)put(at, view->wanted_velocity, 3);
}

// ---- transitions

cr_status cri_transitions_create(cr_transitions* t, int room, cr_error* error) {
  size_t width = CR_IMITATION_INPUTS + CR_IMITATION_OUTPUTS;
  *t = (cr_transitions){.room = room};
  t->input = calloc((size_t)room * width + 1, sizeof *t->input);
  CR_TRY(t->input != NULL ? CR_OK
                          : cri_fail(error, CR_ERR_MEMORY, "no memory for %d decisions", room));
  t->output = t->input + (ptrdiff_t)room * CR_IMITATION_INPUTS;
  return CR_OK;
}

void cri_transitions_free(cr_transitions* t) {
  free(t->input);
  *t = (cr_transitions){.n = 0};
}

void cri_transitions_add(cr_transitions* t, const cr_body_view* view,
                         const double force[CR_LEGS][3]) {
  if (t->n < t->room) {
    cri_imitation_read(view, t->input + (ptrdiff_t)CR_IMITATION_INPUTS * t->n);
    (void)put(t->output + (ptrdiff_t)CR_IMITATION_OUTPUTS * t->n++, force[0], CR_IMITATION_OUTPUTS);
  }
}

// ---- mirror images: y changes its sign; so do roll and yaw, and turning about x and z

static const int across[3] = {1, -1, 1}, about[3] = {-1, 1, -1};

static void flip(const double from[3], const int sign[3], double to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = sign[k] * from[k];
  }
}

// legs 0 and 1, and 2 and 3, are right and left
static void flip_legs(const double* from, double* to) {
  for (int leg = 0; leg < CR_LEGS; leg++) {
    flip(from + (ptrdiff_t)3 * (leg ^ 1), across, to + (ptrdiff_t)3 * leg);
  }
}

static void exchange(const double* from, double* to) {
  for (int leg = 0; leg < CR_LEGS; leg++) {
    to[leg] = from[leg ^ 1];
  }
}

void cri_imitation_mirror(const double* input, const double* output, double* mirrored_input,
                          double* mirrored_output) {
  enum {
    VELOCITY,
    RPY = 3,
    TURNING = 6,
    STANDS = 9,
    FOOT = STANDS + CR_LEGS,
    FRICTION = FOOT + 3 * CR_LEGS,
    WANTED = FRICTION + CR_LEGS  // rpy, position, turning, velocity
  };
  double* to = mirrored_input;
  flip(input + VELOCITY, across, to + VELOCITY);
  flip(input + RPY, about, to + RPY);
  flip(input + TURNING, about, to + TURNING);
  exchange(input + STANDS, to + STANDS);
  flip_legs(input + FOOT, to + FOOT);
  exchange(input + FRICTION, to + FRICTION);
  flip(input + WANTED, about, to + WANTED);
  flip(input + WANTED + 3, across, to + WANTED + 3);
  flip(input + WANTED + 6, about, to + WANTED + 6);
  flip(input + WANTED + 9, across, to + WANTED + 9);
  flip_legs(output, mirrored_output);
}

// a decision, then its image
static cr_status with_images(const cr_transitions* t, cr_transitions* all, cr_error* error) {
  CR_TRY(cri_transitions_create(all, 2 * t->n, error));
  for (int i = 0; i < t->n; i++) {
    const double* input = t->input + (ptrdiff_t)CR_IMITATION_INPUTS * i;
    const double* output = t->output + (ptrdiff_t)CR_IMITATION_OUTPUTS * i;
    double* to = all->input + (ptrdiff_t)2 * CR_IMITATION_INPUTS * i;
    double* out = all->output + (ptrdiff_t)2 * CR_IMITATION_OUTPUTS * i;
    (void)put(to, input, CR_IMITATION_INPUTS);
    (void)put(out, output, CR_IMITATION_OUTPUTS);
    cri_imitation_mirror(input, output, to + CR_IMITATION_INPUTS, out + CR_IMITATION_OUTPUTS);
  }
  all->n = 2 * t->n;
  return CR_OK;
}

// ---- the network

struct cr_imitation {
  cr_learned* learned;
  double* room;
};

// takes the network over
static cr_status make(cr_imitation** imitation, cr_learned* learned, cr_error* error) {
  cr_imitation* s = calloc(1, sizeof *s);
  double* room = calloc((size_t)cr_learned_nroom(learned) + 1, sizeof *room);
  *imitation = s;
  if (s == NULL || room == NULL) {
    *imitation = NULL;
    free(s);
    free(room);
    cr_learned_destroy(learned);
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a network");
  }
  *s = (cr_imitation){.learned = learned, .room = room};
  return CR_OK;
}

cr_status cri_imitation_create(cr_imitation** imitation, uint64_t seed, cr_error* error) {
  const cr_layer hidden = {.size = sizeof hidden,
                           .kind = CR_LAYER_DENSE,
                           .width = CR_IMITATION_WIDTH,
                           .activation = CR_ACTIVATION_ELU};
  const cr_layer layers[] = {hidden,
                             hidden,
                             {.size = sizeof hidden,
                              .kind = CR_LAYER_DENSE,
                              .width = CR_IMITATION_OUTPUTS,
                              .activation = CR_ACTIVATION_IDENTITY}};
  cr_network* network = NULL;
  cr_learned* learned = NULL;
  *imitation = NULL;
  CR_TRY(cr_network_create(&network, CR_IMITATION_INPUTS, layers, 3, error));
  cr_status status = cr_learned_create(&learned, network, seed, error);
  cr_network_destroy(network);
  return status == CR_OK ? make(imitation, learned, error) : status;
}

cr_status cri_imitation_open(cr_imitation** imitation, const char* path, cr_error* error) {
  cr_learned* learned = NULL;
  *imitation = NULL;
  CR_TRY(cr_learned_open(&learned, path, error));
  const cr_network* network = cr_learned_network(learned);
  if (cr_network_ninput(network) != CR_IMITATION_INPUTS ||
      cr_network_noutput(network) != CR_IMITATION_OUTPUTS || cr_network_nmemory(network) != 0) {
    cr_learned_destroy(learned);
    return cri_fail(error, CR_ERR_FORMAT, "%s: not a network of %d inputs and %d outputs", path,
                    CR_IMITATION_INPUTS, CR_IMITATION_OUTPUTS);
  }
  return make(imitation, learned, error);
}

void cri_imitation_destroy(cr_imitation* imitation) {
  if (imitation != NULL) {
    cr_learned_destroy(imitation->learned);
    free(imitation->room);
    free(imitation);
  }
}

cr_status cri_imitation_save(const cr_imitation* imitation, const char* path, cr_error* error) {
  return cr_learned_save(imitation->learned, path, error);
}

int cri_imitation_weights(const cr_imitation* imitation) {
  return cr_network_nweight(cr_learned_network(imitation->learned));
}

static cr_status train(cr_imitation* imitation, const cr_transitions* all, int aside,
                       const cr_imitation_training* how, double* held, cr_error* error) {
  // the last tenth is held aside: neighbours in time are too much alike to hold aside at random
  const cr_learning_data last = {
      .size = sizeof last,
      .nsequence = aside,
      .input = all->input + (ptrdiff_t)CR_IMITATION_INPUTS * (all->n - aside),
      .target = all->output + (ptrdiff_t)CR_IMITATION_OUTPUTS * (all->n - aside)};
  const cr_learning_data data = {
      .size = sizeof data, .nsequence = all->n - aside, .input = all->input, .target = all->output};
  const cr_learning_options o = {.size = sizeof o,
                                 .normalise = true,
                                 .held = &last,
                                 .epochs = how->epochs,
                                 .batch = how->batch,
                                 .rate = how->rate,
                                 .final_rate = how->final_rate,
                                 .schedule = CR_LEARNING_COSINE,
                                 .seed = how->seed,
                                 .threads = how->threads,
                                 .go_on = how->go_on,
                                 .save = how->save,
                                 .save_every = 10,
                                 .stop = how->stop,
                                 .progress = how->progress,
                                 .context = how->context};
  cr_learning_end end = {.size = sizeof end};
  CR_TRY(cr_learned_train(imitation->learned, &data, &o, &end, error));
  *held = end.held_loss;
  return CR_OK;
}

cr_status cri_imitation_train(cr_imitation* imitation, const cr_transitions* t,
                              const cr_imitation_training* how, double* held, cr_error* error) {
  cr_transitions all = {.n = 0};
  cr_status status = with_images(t, &all, error);
  status = status == CR_OK ? train(imitation, &all, 2 * (t->n / 10), how, held, error) : status;
  cri_transitions_free(&all);
  return status;
}

// ---- decisions

static double within(double x, double low, double high) { return fmin(fmax(x, low), high); }

void cri_imitation_decide(cr_imitation* imitation, const cr_force_costs* costs,
                          const cr_body_view* view, double force[CR_LEGS][3]) {
  double input[CR_IMITATION_INPUTS], weight = costs->mass * costs->gravity;
  cri_imitation_read(view, input);
  cr_learned_step(imitation->learned, input, NULL, force[0], imitation->room);
  for (int leg = 0; leg < CR_LEGS; leg++) {
    double up = within(force[leg][2], costs->least * weight, costs->most * weight);
    double most = view->friction[leg] * up;
    for (int k = 0; k < 2; k++) {
      force[leg][k] = view->stands[leg] ? within(force[leg][k], -most, most) : 0;
    }
    force[leg][2] = view->stands[leg] ? up : 0;
  }
}
