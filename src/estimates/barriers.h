// SPDX-License-Identifier: Apache-2.0
// Contacts in one dimension, hard and with a force at a distance, and the noise that makes the mean of the hard one equal to the other. Responses are in units in which the hard
// one is max(0, -x), x the gap in m, or 1 for x < 0 and 0 beyond.
//   softplus              F = k s log(1 + exp(-x / s))                          logistic noise of scale s
//   contact from distance F = jump (1 - y(x / s)), y the curve of the impedance, y(1) = 1       one-sided noise of -s times a draw with density y'
//   log barrier           F = k ((x^2 + 2 s^2)^(1/2) - x) / 2                    Student's t with two degrees of freedom, of scale s
// [Pang, Suh, Yang, Tedrake, Global planning for contact-rich manipulation via local smoothing of quasi-dynamic contact models, 2023: the last one]
#ifndef CR_ESTIMATES_BARRIERS_H
#define CR_ESTIMATES_BARRIERS_H

#include "carom/carom.h"
#include "estimates/sliders.h"
#include "notebook/notebook.h"

typedef enum {
  CR_BARRIER_SOFTPLUS,  // two bodies on a line, a penalty between them
  CR_BARRIER_DISTANCE,  // a ball falls on a floor that damps and has no spring: its velocity jumps
  CR_BARRIER_SPRING,    // the same with the spring of MuJoCo's default solref
  CR_BARRIER_LOG,       // a servo pushes a body, in quasi-dynamic steps
  CR_N_BARRIER
} cr_barrier;

typedef enum {
  CR_NOISE_LOGISTIC,
  CR_NOISE_ONE_SIDED,
  CR_NOISE_STUDENT,
  CR_NOISE_NORMAL,
  CR_N_NOISE
} cr_noise;

/// Word of a kind, as in tables. Which noise is that of a barrier.
extern const char* const cri_barrier_names[CR_N_BARRIER];
extern const char* const cri_noise_names[CR_N_NOISE];
cr_noise cri_barrier_noise(cr_barrier kind);

/// Whether the hard response is a jump; else it is a kink.
bool cri_barrier_jumps(cr_barrier kind);

/// One system. Belongs to one thread.
typedef struct {
  cr_barrier kind;
  double scale;         // s, m
  cr_model* models[2];  // hard, smooth
  cr_data* data[2];
  cr_quasidynamic* steps[2];
  cr_sliders sliders[2];
  double free, jump;  // velocity without contact, and what contact changes, m/s
} cr_barrier_system;

/// Writes folder/smoothing_<kind>.xml and opens it. The struct must stay where it is. Free with cri_barrier_close, also after an error.
/// Errors   CR_ERR_FILE; those of cr_model_open, cr_quasidynamic_create
cr_status cri_barrier_open(cr_barrier_system* system, const cr_notebook* book, cr_barrier kind,
                           double scale, cr_error* error);
void cri_barrier_close(cr_barrier_system* system);

/// The response of a step at gap x, hard or smooth.
/// Errors   those of a step
cr_status cri_barrier_response(cr_barrier_system* system, bool smooth, double x, double* y,
                               cr_error* error);

/// The quantile of standard noise: P(w < quantile) = q, 0 < q < 1.
double cri_noise_quantile(cr_noise noise, double q);

/// Noise centre + factor w, w standard.
typedef struct {
  cr_noise noise;
  double centre, factor;  // m
} cr_scaled_noise;

/// The noise of a system, or another one with the same median and the same quartiles.
cr_scaled_noise cri_noise_like(const cr_barrier_system* system, cr_noise noise);

/// The mean of the hard response at gap x under noise on x, by steps at `nodes` quantiles.
/// Errors   those of a step
cr_status cri_barrier_mean(cr_barrier_system* system, const cr_scaled_noise* noise, int nodes,
                           double x, double* y, cr_error* error);

#endif
