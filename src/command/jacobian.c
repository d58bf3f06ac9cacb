// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step, printed.
#include "command/jacobian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/labels.h"
#include "tools/files.h"

typedef struct {
  const cr_model* m;
  cr_jacobian* work;
  int nx, nv, na, nu;
  cr_real *x, *ctrl, *force;
  const cr_text_list* wrt;
  cr_parameter_jacobian* par;  // NULL without parameters
  int npar;
  cr_real* parameters;
  char doubt[512];  // "" if there is none
} jacobian;

// ---- the last step

cr_status cr_cli_jacobian_prepare(cr_setup* s, cr_setup_options* o, cr_error* error) {
  if (cr_method_is_adaptive(&o->method)) {
    return cri_fail(error, CR_ERR_ARG,
                    "--jacobian is that of one step of the time step's length; --rtol and --atol "
                    "make steps of other lengths");
  }
  if (o->method.cfd != NULL) {
    return cri_fail(error, CR_ERR_ARG, "--jacobian is that of the step itself; --cfd is not");
  }
  CR_TRY(cr_setup_load(s, o, error));
  o->time = isnan(o->time) ? (double)cr_model_timestep(s->m) : o->time;
  CR_TRY(cr_setup_rollout(s, o, NULL, 0, error));
  if (s->nstep == 1 && o->method.memory != NULL) {
    return cri_fail(error, CR_ERR_ARG,
                    "--memory %s: one step stores nothing; it limits the states on the way to the "
                    "last step of --time",
                    o->method.memory);
  }
  CR_TRY(cr_rollout_run(s->rollout, s->m, s->nstep, NULL, error));
  return cr_rollout_restore(s->rollout, s->m, s->nstep - 1, error);
}

static cr_status by_parameters(jacobian* j, const cr_data* d, bool derive, cr_error* error) {
  const cr_text_list* wrt = j->wrt;
  if (wrt->n == 0) {
    return CR_OK;
  }
  CR_TRY(cr_parameter_jacobian_create(&j->par, j->m, d, wrt->text, wrt->n, derive, error));
  j->npar = cr_parameter_jacobian_columns(j->par);
  j->parameters = calloc((size_t)j->nx * (size_t)j->npar + 1, sizeof *j->parameters);
  if (j->parameters == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--jacobian: no memory for %d columns", j->npar);
  }
  cr_status status = cr_step_parameter_jacobian(j->m, d, j->par, j->parameters);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "%s", cr_parameter_jacobian_error(j->par));
}

static cr_status differentiate(jacobian* j, cr_data* d, bool derive, cr_error* error) {
  const cr_model* m = j->m;
  size_t nx = (size_t)j->nx;
  j->x = calloc(nx * nx + 1, sizeof *j->x);
  j->ctrl = calloc(nx * (size_t)j->nu + 1, sizeof *j->ctrl);
  j->force = calloc(nx * (size_t)j->nv + 1, sizeof *j->force);
  if (j->x == NULL || j->ctrl == NULL || j->force == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--jacobian: no memory for %d rows", j->nx);
  }
  CR_TRY(cr_jacobian_create(&j->work, m, d, error));
  cr_status status = cr_step(m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_data_error(d));
  }
  CR_TRY(cr_step_doubt(m, d, j->doubt, (int)sizeof j->doubt));
  status = cr_step_jacobian(m, d, j->work, j->x, j->ctrl, j->force);
  CR_TRY(status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_jacobian_error(j->work)));
  return by_parameters(j, d, derive, error);
}

// ---- output

// columns of a matrix whose rows are `apart` numbers apart
static void put_matrix(cr_json* json, const char* key, const cr_real* x, int rows, int columns,
                       int apart) {
  cr_json_open(json, key, '[');
  for (int i = 0; i < rows; i++) {
    cr_json_reals(json, NULL, x + (ptrdiff_t)i * apart, columns);
  }
  cr_json_close(json, ']');
}

static void put_parameters(cr_json* json, const jacobian* j) {
  cr_json_open(json, "by_parameter", '{');
  const cr_real* x = j->parameters;
  for (int i = 0; i < j->wrt->n; i++) {
    int width = cr_parameter_jacobian_width(j->par, i);
    put_matrix(json, j->wrt->text[i], x, j->nx, width, j->npar);
    x += width;
  }
  cr_json_close(json, '}');
}

static void print_json(const jacobian* j, const cr_data* d) {
  cr_json json = {0};
  cr_json_open(&json, NULL, '{');
  cr_json_real(&json, "time", cr_data_time(d));
  cr_json_int(&json, "nv", j->nv);
  cr_json_int(&json, "na", j->na);
  cr_json_int(&json, "nu", j->nu);
  put_matrix(&json, "by_state", j->x, j->nx, j->nx, j->nx);
  put_matrix(&json, "by_ctrl", j->ctrl, j->nx, j->nu, j->nu);
  put_matrix(&json, "by_qfrc_applied", j->force, j->nx, j->nv, j->nv);
  if (j->wrt->n > 0) {
    put_parameters(&json, j);
  }
  if (j->doubt[0] != 0) {
    cr_json_string(&json, "doubt", j->doubt);
  }
  const char* why = cr_jacobian_fallback(j->work);
  if (why != NULL) {
    cr_json_string(&json, "column_by_column", why);
  }
  cr_json_close(&json, '}');
  cr_json_finish(&json);
}

static void print_header(const jacobian* j, FILE* file) {
  char name[CR_NUMBER_NAME];
  (void)fprintf(file, "next");
  for (int i = 0; i < j->nx; i++) {
    cr_label_of_state(j->m, i, name);
    (void)fprintf(file, ",%s", name);
  }
  for (int i = 0; i < j->nu; i++) {
    cr_label(j->m, "ctrl", i, false, name);
    (void)fprintf(file, ",%s", name);
  }
  for (int i = 0; i < j->nv; i++) {
    cr_label(j->m, "qfrc_applied", i, false, name);
    (void)fprintf(file, ",%s", name);
  }
  for (int i = 0; i < j->wrt->n; i++) {
    int width = cr_parameter_jacobian_width(j->par, i);
    for (int k = 0; k < width; k++) {
      cr_label_of_place(j->m, j->wrt->text[i], k, true, name);
      (void)fprintf(file, ",%s", name);
    }
  }
  (void)fprintf(file, "\n");
}

static void print_numbers(FILE* file, const cr_real* x, int n) {
  for (int k = 0; k < n; k++) {
    (void)fprintf(file, ",%.17g", (double)x[k]);
  }
}

static void print_csv(const jacobian* j, FILE* file) {
  char name[CR_NUMBER_NAME];
  print_header(j, file);
  for (int i = 0; i < j->nx; i++) {
    cr_label_of_state(j->m, i, name);
    (void)fprintf(file, "%s", name);
    print_numbers(file, j->x + (ptrdiff_t)i * j->nx, j->nx);
    print_numbers(file, j->ctrl + (ptrdiff_t)i * j->nu, j->nu);
    print_numbers(file, j->force + (ptrdiff_t)i * j->nv, j->nv);
    print_numbers(file, j->parameters + (ptrdiff_t)i * j->npar, j->npar);
    (void)fprintf(file, "\n");
  }
}

static cr_status write_csv(const jacobian* j, const char* path, cr_error* error) {
  char* text = NULL;
  size_t n = 0;
  FILE* file = open_memstream(&text, &n);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  print_csv(j, file);
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    status = cri_file_write(path, text, n, error);
  }
  free(text);
  return status;
}

cr_status cr_cli_jacobian(cr_setup* setup, cr_setup_options options, const cr_text_list* wrt,
                          const char* csv, cr_error* error) {
  CR_TRY(cr_cli_jacobian_prepare(setup, &options, error));
  jacobian j = {.m = setup->m,
                .nx = 2 * setup->nv + setup->na,
                .nv = setup->nv,
                .na = setup->na,
                .nu = setup->nu,
                .wrt = wrt};
  cr_data* d = cr_rollout_data(setup->rollout);
  cr_status status = differentiate(&j, d, options.derive, error);
  if (status == CR_OK && csv != NULL) {
    status = write_csv(&j, csv, error);
  }
  if (status == CR_OK && !options.json && j.doubt[0] != 0) {
    (void)fprintf(stderr, "carom grad: warning: %s\n", j.doubt);
  }
  if (status == CR_OK && options.json) {
    print_json(&j, d);
  } else if (status == CR_OK && csv == NULL) {
    print_csv(&j, stdout);
  } else if (status == CR_OK) {
    cr_output_tell(csv);
  }
  cr_jacobian_destroy(j.work);
  cr_parameter_jacobian_destroy(j.par);
  free(j.parameters);
  free(j.x);
  free(j.ctrl);
  free(j.force);
  return status;
}
