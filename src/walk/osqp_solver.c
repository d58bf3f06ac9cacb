// SPDX-License-Identifier: Apache-2.0
// Where the build has OSQP.
#include <math.h>
#include <osqp/osqp.h>
#include <stdlib.h>
#include <string.h>

#include "walk/osqp.h"

struct cr_osqp {
  OSQPSolver* solver;
  double accuracy;
  int n, m, nentry;
  // the upper triangle of P, and A, column by column; from: the entry of the rows of A that a place has
  OSQPCscMatrix P, A;
  OSQPInt *P_start, *P_row, *A_start, *A_row;
  OSQPFloat *P_value, *A_value, *lower, *upper;
  int* from;
};

const char* cri_osqp_version(void) {
  static const char* const known[] = {"OSQP 1", "OSQP"};
  return osqp_version()[0] == '1' ? known[0] : known[1];
}

cr_status cri_osqp_create(cr_osqp** osqp, double accuracy, cr_error* error) {
  *osqp = calloc(1, sizeof **osqp);
  CR_TRY(*osqp != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "OSQP: no memory"));
  (*osqp)->accuracy = accuracy > 0 ? accuracy : 1e-3;
  return CR_OK;
}

void cri_osqp_destroy(cr_osqp* osqp) {
  if (osqp != NULL) {
    if (osqp->solver != NULL) {
      (void)osqp_cleanup(osqp->solver);
    }
    free(osqp->P_start);
    free(osqp->P_value);
    free(osqp->from);
    free(osqp);
  }
}

static cr_status failed(OSQPInt code, cr_error* error) {
  return cri_fail(error, CR_ERR_SOLVER, "OSQP: %s", osqp_error_message(code));
}

// ---- the matrices

// OSQP's bounds are finite
static double bound(double x) { return fmin(fmax(x, -OSQP_INFTY), OSQP_INFTY); }

static void put_values(cr_osqp* s, const cr_qp* qp) {
  for (int i = 0; i < s->m; i++) {
    s->lower[i] = bound(qp->lower[i]);
    s->upper[i] = bound(qp->upper[i]);
  }
  OSQPInt at = 0;
  for (int j = 0; j < s->n; j++) {
    for (int i = 0; i <= j; i++) {
      s->P_value[at++] = qp->P[(ptrdiff_t)i * s->n + j];
    }
  }
  for (int k = 0; k < s->nentry; k++) {
    s->A_value[k] = qp->entry[s->from[k]];
  }
}

static void put_places(cr_osqp* s, const cr_qp* qp) {
  OSQPInt at = 0;
  for (int j = 0; j < s->n; j++) {
    s->P_start[j] = at;
    for (int i = 0; i <= j; i++) {
      s->P_row[at++] = i;
    }
  }
  s->P_start[s->n] = at;
  int k = 0;
  for (int j = 0; j < s->n; j++) {
    s->A_start[j] = k;
    for (int i = 0; i < s->m; i++) {
      for (int e = qp->start[i]; e < qp->start[i + 1]; e++) {
        if (qp->column[e] == j) {
          s->A_row[k] = i;
          s->from[k++] = e;
        }
      }
    }
  }
  s->A_start[s->n] = k;
}

static cr_status make_matrices(cr_osqp* s, const cr_qp* qp, cr_error* error) {
  size_t n = (size_t)qp->n, entries = (size_t)qp->start[qp->m], upper = n * (n + 1) / 2;
  *s = (cr_osqp){.accuracy = s->accuracy, .n = qp->n, .m = qp->m, .nentry = qp->start[qp->m]};
  s->P_start = calloc(2 * (n + 1) + upper + entries, sizeof *s->P_start);
  s->P_value = calloc(upper + entries + 2 * (size_t)qp->m, sizeof *s->P_value);
  s->from = calloc(entries + 1, sizeof *s->from);
  if (s->P_start == NULL || s->P_value == NULL || s->from == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "OSQP: no memory");
  }
  s->A_start = s->P_start + n + 1;
  s->P_row = s->A_start + n + 1;
  s->A_row = s->P_row + upper;
  s->A_value = s->P_value + upper;
  s->lower = s->A_value + entries;
  s->upper = s->lower + qp->m;
  put_places(s, qp);
  put_values(s, qp);
  OSQPCscMatrix_set_data(&s->P, qp->n, qp->n, (OSQPInt)upper, s->P_value, s->P_row, s->P_start);
  OSQPCscMatrix_set_data(&s->A, qp->m, qp->n, (OSQPInt)entries, s->A_value, s->A_row, s->A_start);
  return CR_OK;
}

// ---- solving

static cr_status set_up(cr_osqp* s, const cr_qp* qp, cr_error* error) {
  OSQPSettings settings;
  CR_TRY(make_matrices(s, qp, error));
  osqp_set_default_settings(&settings);
  settings.verbose = 0;
  settings.warm_starting = 1;
  settings.polishing = 1;
  settings.adaptive_rho = OSQP_ADAPTIVE_RHO_UPDATE_ITERATIONS;  // by time it would not repeat
  settings.adaptive_rho_interval = 25;
  settings.eps_abs = settings.eps_rel = s->accuracy;
  settings.max_iter = 20000;
  OSQPInt code =
      osqp_setup(&s->solver, &s->P, qp->q, &s->A, s->lower, s->upper, qp->m, qp->n, &settings);
  return code == 0 ? CR_OK : failed(code, error);
}

static cr_status update(cr_osqp* s, const cr_qp* qp, cr_error* error) {
  if (qp->n != s->n || qp->m != s->m || qp->start[qp->m] != s->nentry) {
    return cri_fail(error, CR_ERR_ARG, "OSQP: a problem of another size");
  }
  put_values(s, qp);
  OSQPInt code = osqp_update_data_mat(s->solver, s->P_value, NULL, s->P_start[s->n], s->A_value,
                                      NULL, s->nentry);
  code = code == 0 ? osqp_update_data_vec(s->solver, qp->q, s->lower, s->upper) : code;
  return code == 0 ? CR_OK : failed(code, error);
}

cr_status cri_osqp_solve(cr_osqp* osqp, const cr_qp* qp, double* x, double* y, int* iterations,
                         cr_error* error) {
  CR_TRY(osqp->solver != NULL ? update(osqp, qp, error) : set_up(osqp, qp, error));
  OSQPInt code = osqp_solve(osqp->solver);
  CR_TRY(code == 0 ? CR_OK : failed(code, error));
  const OSQPInfo* info = osqp->solver->info;
  *iterations = (int)info->iter;
  if (info->status_val == OSQP_SIGINT) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
  }
  if (info->status_val != OSQP_SOLVED && info->status_val != OSQP_SOLVED_INACCURATE) {
    return cri_fail(error, CR_ERR_SOLVER, "OSQP: %s", info->status);
  }
  memcpy(x, osqp->solver->solution->x, (size_t)qp->n * sizeof *x);
  if (y != NULL) {
    memcpy(y, osqp->solver->solution->y, (size_t)qp->m * sizeof *y);
  }
  return CR_OK;
}
