// SPDX-License-Identifier: Apache-2.0
// Where the build has no OSQP.
#include "walk/osqp.h"

const char* cri_osqp_version(void) { return NULL; }

static cr_status missing(cr_error* error) {
  return cri_fail(error, CR_ERR_UNSUPPORTED,
                  "this build has no OSQP: run `make osqp`, then `make` again");
}

cr_status cri_osqp_create(cr_osqp** osqp, double accuracy, cr_error* error) {
  (void)accuracy;
  *osqp = NULL;
  return missing(error);
}

void cri_osqp_destroy(cr_osqp* osqp) { (void)osqp; }

cr_status cri_osqp_solve(cr_osqp* osqp, const cr_qp* qp, double* x, double* y, int* iterations,
                         cr_error* error) {
  (void)osqp;
  (void)qp;
  (void)x;
  (void)y;
  *iterations = 0;
  return missing(error);
}
