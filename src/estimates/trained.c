// SPDX-License-Identifier: Apache-2.0
#include "estimates/trained.h"

#include <stdio.h>

#include "estimates/courses.h"

enum { NAME = 96 };

static cr_status open(cr_table* table, char file[NAME], const char* name, int kind, int seed, int n,
                      cr_error* error) {
  *table = (cr_table){0};
  (void)snprintf(file, NAME, "%s_%s_%d.csv", name, cri_course_kinds[kind], seed);
  return cri_table_create(table, file, "weight", NULL, n, error);
}

cr_status cri_trained_save(const char* folder, const char* name, int kind, int seed,
                           const cr_real* weights, int n, cr_error* error) {
  char file[NAME];
  cr_table table;
  cr_status status = open(&table, file, name, kind, seed, n, error);
  for (int i = 0; i < n && status == CR_OK; i++) {
    *cri_table_row(&table, i) = weights[i];
  }
  status = status == CR_OK ? cri_table_save(&table, folder, error) : status;
  cri_table_free(&table);
  return status;
}

cr_status cri_trained_load(const char* folder, const char* name, int kind, int seed,
                           cr_real* weights, int n, cr_error* error) {
  char file[NAME];
  cr_table table;
  cr_status status = open(&table, file, name, kind, seed, n, error);
  status = status == CR_OK ? cri_table_load(&table, folder, error) : status;
  if (status == CR_OK && table.rows != n) {
    status = cri_fail(error, CR_ERR_FILE, "%s/%s: %d weights of a policy, %d expected", folder,
                      file, table.rows, n);
  }
  for (int i = 0; i < n && status == CR_OK; i++) {
    weights[i] = *cri_table_row(&table, i);
  }
  cri_table_free(&table);
  return status;
}
