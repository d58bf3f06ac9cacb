// SPDX-License-Identifier: Apache-2.0
#include "view/recorded_states.h"

#include <stdlib.h>
#include <string.h>

#include "tools/column_names.h"
#include "tools/hdf5.h"

// what a state is set from
enum { TIME, QPOS, QVEL, ACT, CTRL, N_SET };
static const struct {
  const char *name, *count;
  bool needed;
} sets[N_SET] = {{"time", "none", true},
                 {"qpos", "nq", true},
                 {"qvel", "nv", false},
                 {"act", "na", false},
                 {"ctrl", "nu", false}};

struct cr_recorded {
  double* values[N_SET];
  int rows[N_SET];
};

void cr_recorded_close(cr_recorded* r) {
  for (int i = 0; i < N_SET && r != NULL; i++) {
    free(r->values[i]);
  }
  free(r);
}

// ---- reading

static cr_status check_names(const cr_h5* file, const cr_model* m, const char* path,
                             cr_error* error) {
  int nu = cr_model_count(m, "nu");
  char* names = calloc((size_t)nu + 1, CR_CONTROL_NAME + 1);
  if (names == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d names", path, nu);
  }
  for (int i = 0; i < nu; i++) {
    char name[CR_CONTROL_NAME];
    (void)cr_control_name(m, i, name, (int)sizeof name, NULL);
    strcat(strcat(names, i > 0 ? "," : ""), name);
  }
  cr_status status = cri_columns_are(file, path, "ctrl", names, error);
  free(names);
  return status;
}

static cr_status read_set(cr_recorded* r, int i, const cr_h5* file, const cr_model* m,
                          const char* path, cr_error* error) {
  int columns = 0, count = cr_model_count(m, sets[i].count);
  if (!cri_h5_has(file, sets[i].name)) {
    return !sets[i].needed
               ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT,
                          "%s: there is no data set '%s'; carom rollout --out records one", path,
                          sets[i].name);
  }
  CR_TRY(cri_h5_read(file, sets[i].name, &r->values[i], &r->rows[i], &columns, error));
  return columns == count
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT,
                        "%s: '%s' has %d numbers in a row, the model's has %d: this is a recording "
                        "of another model",
                        path, sets[i].name, columns, count);
}

static cr_status check_rows(const cr_recorded* r, const char* path, cr_error* error) {
  int n = r->rows[TIME];
  if (n < 1) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: there are no rows in it", path);
  }
  for (int i = QPOS; i < N_SET; i++) {
    bool fits = r->rows[i] == n || (i == CTRL && r->rows[i] == n - 1);
    if (r->values[i] != NULL && !fits) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d rows, time has %d", path, sets[i].name,
                      r->rows[i], n);
    }
  }
  for (int k = 1; k < n; k++) {
    if (!(r->values[TIME][k] > r->values[TIME][k - 1])) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: row %d: time %.9g s comes after %.9g s", path, k,
                      r->values[TIME][k], r->values[TIME][k - 1]);
    }
  }
  return CR_OK;
}

static cr_status read_all(cr_recorded* r, const cr_model* m, const char* path, cr_error* error) {
  cr_h5* file;
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = CR_OK;
  for (int i = 0; i < N_SET && status == CR_OK; i++) {
    status = read_set(r, i, file, m, path, error);
  }
  if (status == CR_OK && r->values[CTRL] != NULL) {
    status = check_names(file, m, path, error);
  }
  cri_h5_close(file);
  return status == CR_OK ? check_rows(r, path, error) : status;
}

cr_status cr_recorded_open(cr_recorded** out, const cr_model* m, const char* path,
                           cr_error* error) {
  cr_recorded* r = calloc(1, sizeof *r);
  if (r == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  cr_status status = read_all(r, m, path, error);
  if (status != CR_OK) {
    cr_recorded_close(r);
    return status;
  }
  *out = r;
  return CR_OK;
}

// ---- rows

int cr_recorded_rows(const cr_recorded* r) { return r->rows[TIME]; }

const double* cr_recorded_times(const cr_recorded* r) { return r->values[TIME]; }

cr_status cr_recorded_set(const cr_recorded* r, int k, const cr_model* m, cr_data* d,
                          cr_error* error) {
  cr_status status = cr_state_set(m, d, &r->values[TIME][k], CR_STATE_TIME);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_data_error(d));
  }
  for (int i = QPOS; i < N_SET; i++) {
    int count = cr_model_count(m, sets[i].count), row = i == CTRL && k > 0 ? k - 1 : k;
    if (r->values[i] != NULL && row < r->rows[i]) {
      CR_TRY(cr_data_set(m, d, sets[i].name, r->values[i] + (ptrdiff_t)row * count, count, error));
    }
  }
  return CR_OK;
}
