// SPDX-License-Identifier: Apache-2.0
// From afar to the end: short windows without errors of sight, then these too. Contacts from distance lead from afar, but bend the gradient,
// so the last stages follow the gradient of the loss itself.
#include "physics/physics_fit.h"

#include <stdio.h>
#include <stdlib.h>

#include "notebook/course.h"
#include "physics/physics_joint.h"

static const cr_course_stage far[] = {{4, 4, 40, CR_R(0.05)}, {10, 5, 40, CR_R(0.02)}};
static const cri_joint_stage near[] = {{5, 3, 60, CR_R(0.1), CR_R(0.01), CR_R(0.02)},
                                       {5, 3, 60, CR_R(0.1), CR_R(0.01), 0},
                                       {10, 5, 80, CR_R(0.05), CR_R(0.001), 0},
                                       {20, 10, 40, CR_R(0.003), CR_R(0.0005), 0}};
static const cri_joint_stage many = {10, 15, 60, CR_R(0.04), CR_R(0.001), 0};
enum { N_FAR = (int)(sizeof far / sizeof far[0]), N_NEAR = (int)(sizeof near / sizeof near[0]) };
enum { FEW = 5 };  // tosses that all starts go through; the best one goes on with all

// ---- far

static cr_status record(const cri_sighted* tosses, const cr_model* m, cr_recordings** r,
                        cr_error* error) {
  CR_TRY(cr_recordings_create(r, m, cri_tossed_timestep, error));
  for (int i = 0; i < tosses->n; i++) {
    char name[24];
    cr_recording_info run = {.size = sizeof run, .name = name, .group = i};
    (void)snprintf(name, sizeof name, "toss_%d", i);
    run.values = cri_sighted_toss(tosses, i, &run.rows);
    CR_TRY(cr_recordings_add(*r, &run, error));
  }
  return CR_OK;
}

static cr_status come_near(const cri_starts* starts, const cri_unknown* u, const cri_sighted* few,
                           cr_real* p, cr_error* error) {
  cr_course course = {.m = u->m,
                      .items = u->item,
                      .nitem = u->n,
                      .stages = far,
                      .nstage = N_FAR,
                      .adam = cr_course_adam,
                      .norm = CR_NORM_POWER,
                      .p = 1,
                      .nthread = 1,
                      .stop = starts->stop,
                      .stop_context = starts->context};
  cr_recordings* r = NULL;
  course.adam.rate = CR_R(0.2);
  cr_status status = record(few, u->m, &r, error);
  course.recordings = r;
  status = status == CR_OK ? cr_course_run(&course, p, error) : status;
  cr_recordings_destroy(r);
  return status;
}

// ---- near

// errors of sight of each toss
typedef struct {
  cr_real *level, *turn;
} sights;

static void forget(const sights* s, int n) {
  for (int i = 0; i < n; i++) {
    s->level[i] = 0;
    for (int k = 0; k < 4; k++) {
      s->turn[4 * i + k] = k == 0 ? 1 : 0;
    }
  }
}

static cr_status stay_near(const cri_starts* starts, const cri_unknown* u, const cri_sighted* few,
                           const sights* s, cr_real* p, cr_real* loss, cr_error* error) {
  for (int k = 0; k < N_NEAR; k++) {
    CR_TRY(cri_joint_run(&near[k], u, few, starts->stop, starts->context, p, s->level, s->turn,
                         loss, error));
  }
  return CR_OK;
}

// turns are small, so that a mean of quaternions is one of turns
static void mean_turn(const sights* s, int n, cr_real turn[4]) {
  cr_real squares = 0;
  for (int k = 0; k < 4; k++) {
    turn[k] = 0;
    for (int i = 0; i < n; i++) {
      turn[k] += s->turn[4 * i] >= 0 ? s->turn[4 * i + k] : -s->turn[4 * i + k];
    }
    squares += turn[k] * turn[k];
  }
  for (int k = 0; k < 4; k++) {
    turn[k] /= cr_sqrt(squares);
  }
}

// ---- all starts

static int agreeing(const cr_real* losses, int n, cr_real lowest) {
  int agree = 0;
  for (int i = 0; i < n; i++) {
    agree += losses[i] <= 2 * lowest;
  }
  return agree;
}

static cr_status begin(const cri_starts* starts, const cri_unknown* u, int number, cr_real* p,
                       cr_error* error) {
  CR_TRY(cri_unknown_weights(u, number, p, error));
  if (starts->near != NULL) {
    return starts->near(starts->context, number, p, error);
  }
  u->start(number, p);
  return CR_OK;
}

static cr_status search(const cri_starts* starts, const cri_unknown* u, const cri_sighted* few,
                        const sights* s, cr_real* p, cr_real* loss, cr_error* error) {
  forget(s, few->n);
  CR_TRY(starts->near == NULL ? come_near(starts, u, few, p, error) : CR_OK);
  return stay_near(starts, u, few, s, p, loss, error);
}

static cr_status run_starts(const cri_starts* starts, const cri_unknown* u, const cri_sighted* few,
                            const sights* s, cr_real* losses, cri_found* found, cr_error* error) {
  found->agree = 0;
  for (int i = 0; i < starts->least || (i < starts->most && found->agree < 2); i++) {
    cr_real from[CRI_MOST_UNKNOWN], p[CRI_MOST_UNKNOWN];
    CR_TRY(begin(starts, u, starts->first + i, from, error));
    cr_copy(p, from, u->n);
    CR_TRY(search(starts, u, few, s, p, &losses[i], error));
    if (i == 0 || losses[i] < found->loss) {
      cr_copy(found->p, p, u->n);
      cr_copy(found->from, from, u->n);
      mean_turn(s, few->n, found->turn);
      found->loss = losses[i];
    }
    found->agree = agreeing(losses, i + 1, found->loss);
  }
  return CR_OK;
}

// the first tosses, which all starts go through
static cri_sighted few_of(const cri_sighted* tosses) {
  return (cri_sighted){
      .n = tosses->n < FEW ? tosses->n : FEW, .first = tosses->first, .seen = tosses->seen};
}

static cr_status go_on_with_all(const cri_starts* starts, const cri_unknown* u,
                                const cri_sighted* tosses, const sights* s, cri_found* found,
                                cr_error* error) {
  if (tosses->n <= FEW) {
    return CR_OK;
  }
  forget(s, tosses->n);
  CR_TRY(cri_joint_run(&many, u, tosses, starts->stop, starts->context, found->p, s->level, s->turn,
                       &found->loss, error));
  mean_turn(s, tosses->n, found->turn);
  return CR_OK;
}

cr_status cri_identify(const cri_starts* starts, const cri_unknown* u, const cri_sighted* tosses,
                       cri_found* found, cr_error* error) {
  const cri_sighted few = few_of(tosses);
  const size_t n = (size_t)tosses->n, most = (size_t)(starts->least + starts->most);
  cr_real* room = malloc((5 * n + most) * sizeof *room);
  CR_TRY(room != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a fit"));
  const sights s = {room, room + n};
  cr_status status = run_starts(starts, u, &few, &s, room + 5 * n, found, error);
  status = status == CR_OK ? go_on_with_all(starts, u, tosses, &s, found, error) : status;
  free(room);
  return status;
}
