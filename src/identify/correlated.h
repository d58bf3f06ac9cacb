// SPDX-License-Identifier: Apache-2.0
// What errors that follow each other leave of the information: a sandwich covariance with the autocorrelation that the errors show.
#ifndef CR_IDENTIFY_CORRELATED_H
#define CR_IDENTIFY_CORRELATED_H

#include "identify/search.h"

/// Longest lag that is counted, and most terms of the autoregression.
enum { CRI_CORRELATED_LAGS = 1000, CRI_CORRELATED_TERMS = 20 };

/// Autocorrelation at lags 1, 2 ... from sums c[k] of e_t e_t+k over n errors; returns the number of lags that count.
/// Equation r_k = sum phi_i r_k-i: the autoregression of Levinson and Durbin, its order by Akaike's criterion; up to the last lag
///          with |r_k| > 0.01                                                    [identification.m10]
/// Shapes   c[CRI_CORRELATED_TERMS + 1], r[CRI_CORRELATED_LAGS]
int cri_correlated_lags(const cr_real* c, int64_t n, cr_real* r);

/// H becomes the information of which the covariance H^-1 M H^-1 is the inverse. `follows` says of which places errors follow each
/// other; errors of the others are white. Runs every window three times on the calling thread.
/// Equation M = H + sum over t != s of r_|t-s| j_t' j_s, j the rows of x over the noise, starts eliminated; in no direction is M less
///          than H                                                              [identification.m10]
/// Requires windows that do not go on where the last one ended (continuity)
/// Shapes   follows[nplace], scale[n], H[n n]
/// Errors   those of rollouts, CR_ERR_MEMORY
cr_status cri_correlated_information(cri_search* search, const bool* follows, const cr_real* scale,
                                     cr_real* H, cr_error* error);

#endif
