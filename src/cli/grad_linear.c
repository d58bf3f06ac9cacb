// SPDX-License-Identifier: Apache-2.0
#include "cli/grad_linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/jacobian.h"
#include "command/labels.h"
#include "tools/files.h"

// what has noise, and the count of its tangent, in the order of a linear model's columns
static const struct {
  const char *name, *count;
} noisy[] = {{"qpos", "nv"}, {"qvel", "nv"}, {"act", "na"}, {"ctrl", "nu"}};
enum { N_NOISY = sizeof noisy / sizeof noisy[0] };

typedef struct {
  const cr_model* m;
  int nx, nu, samples;
  const char* kind;
  cr_linear_model found;
  cr_real *sigma, *memory;
} linear;

// ---- options

static cr_status take_sigma(linear* l, const cr_text_list* given, cr_error* error) {
  for (int i = 0; i < given->n; i++) {
    bool known = false;
    for (int k = 0; k < N_NOISY; k++) {
      size_t length = strlen(noisy[k].name);
      known = known || (strncmp(given->text[i], noisy[k].name, length) == 0 &&
                        given->text[i][length] == '=');
    }
    if (!known) {
      return cri_fail(error, CR_ERR_ARG,
                      "--sigma %s: NAME=S with ctrl or a part of the state, as qvel, is expected",
                      given->text[i]);
    }
  }
  cr_real* to = l->sigma;
  for (int k = 0; k < N_NOISY; k++) {
    cr_real sigma = 0;
    bool present;
    CR_TRY(cr_cli_grad_estimate_sigma(given, noisy[k].name, &sigma, &present, error));
    for (int i = 0; i < cr_model_count(l->m, noisy[k].count); i++) {
      *to++ = sigma;
    }
  }
  return CR_OK;
}

static cr_status check(const cr_estimate_options* o, cr_error* error) {
  if (o->bias > 0) {
    return cri_fail(error, CR_ERR_ARG, "--bias: not with --jacobian, whose rows have weights each");
  }
  return o->sigma.n > 0
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "--jacobian --estimator: --sigma NAME=S of ctrl or a part of the state is "
                        "missing");
}

static cr_status make_room(linear* l, cr_error* error) {
  size_t x = (size_t)l->nx, u = (size_t)l->nu, all = x * x + x * u + x;
  cr_real* at = l->memory = calloc(2 * all + x + u + 1, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--jacobian: no memory for %d rows", l->nx);
  }
  l->found = (cr_linear_model){.size = sizeof l->found,
                               .A = at,
                               .B = at + x * x,
                               .c = at + x * x + x * u,
                               .A_error = at + all,
                               .B_error = at + all + x * x,
                               .c_error = at + all + x * x + x * u};
  l->sigma = at + 2 * all;
  return CR_OK;
}

static cr_status prepare(linear* l, const cr_estimate_options* o, int* kind_of, int* draws_of,
                         cr_error* error) {
  int kind = cr_enum_value("estimator_kind", o->kind);
  int draws = o->draws != NULL ? cr_enum_value("draws", o->draws) : 0;
  if (kind < 0 || draws < 0) {
    return cri_fail(error, CR_ERR_ARG, "--%s: %s expected", kind < 0 ? "estimator" : "draws",
                    kind < 0 ? "first, zeroth or alpha" : "random, antithetic or quasi");
  }
  CR_TRY(make_room(l, error));
  CR_TRY(take_sigma(l, &o->sigma, error));
  l->samples = cr_cli_grad_estimate_samples(o);
  l->kind = o->kind;
  *kind_of = kind;
  *draws_of = draws;
  return CR_OK;
}

static cr_status find(linear* l, const cr_data* d, const cr_estimate_options* o, cr_ranks* ranks,
                      cr_error* error) {
  const cr_processes processes = cr_ranks_processes(ranks);
  int kind = 0, draws = 0;
  CR_TRY(cr_ranks_agree(ranks, prepare(l, o, &kind, &draws, error), error));
  const cr_smoothed_model_options options = {
      .size = sizeof options,
      .kind = (cr_estimator_kind)kind,
      .samples = l->samples,
      .sigma = l->sigma,
      .draws = (cr_draws)draws,
      .seed = (uint64_t)o->seed,
      .confidence = (cr_real)o->confidence,
      .nthread = o->threads == 0 && ranks->size > 1 ? 1 : o->threads,
      .processes = &processes};
  return cr_smoothed_model(l->m, d, &options, &l->found, error);
}

// ---- output

static void put_matrix(cr_json* json, const char* key, const cr_real* x, int rows, int columns) {
  cr_json_open(json, key, '[');
  for (int i = 0; i < rows; i++) {
    cr_json_reals(json, NULL, x + (ptrdiff_t)i * columns, columns);
  }
  cr_json_close(json, ']');
}

static void print_json(const linear* l, const cr_data* d) {
  const cr_linear_model* f = &l->found;
  cr_json json = {0};
  cr_json_open(&json, NULL, '{');
  cr_json_real(&json, "time", cr_data_time(d));
  cr_json_string(&json, "estimator", l->kind);
  cr_json_int(&json, "samples", l->samples);
  put_matrix(&json, "by_state", f->A, l->nx, l->nx);
  put_matrix(&json, "by_ctrl", f->B, l->nx, l->nu);
  cr_json_reals(&json, "offset", f->c, l->nx);
  put_matrix(&json, "by_state_error", f->A_error, l->nx, l->nx);
  put_matrix(&json, "by_ctrl_error", f->B_error, l->nx, l->nu);
  cr_json_reals(&json, "offset_error", f->c_error, l->nx);
  cr_json_close(&json, '}');
  cr_json_finish(&json);
}

static void print_row(FILE* file, const cr_real* A, const cr_real* B, const cr_real* c, int nx,
                      int nu, int row) {
  for (int k = 0; k < nx; k++) {
    (void)fprintf(file, ",%.17g", (double)A[(ptrdiff_t)row * nx + k]);
  }
  for (int k = 0; k < nu; k++) {
    (void)fprintf(file, ",%.17g", (double)B[(ptrdiff_t)row * nu + k]);
  }
  (void)fprintf(file, ",%.17g\n", (double)c[row]);
}

// a row of errors behind each row
static void print_csv(const linear* l, FILE* file) {
  const cr_linear_model* f = &l->found;
  char name[CR_NUMBER_NAME];
  (void)fprintf(file, "next");
  for (int i = 0; i < l->nx; i++) {
    cr_label_of_state(l->m, i, name);
    (void)fprintf(file, ",%s", name);
  }
  for (int i = 0; i < l->nu; i++) {
    cr_label(l->m, "ctrl", i, false, name);
    (void)fprintf(file, ",%s", name);
  }
  (void)fprintf(file, ",offset\n");
  for (int i = 0; i < l->nx; i++) {
    cr_label_of_state(l->m, i, name);
    (void)fprintf(file, "%s", name);
    print_row(file, f->A, f->B, f->c, l->nx, l->nu, i);
    (void)fprintf(file, "%s error", name);
    print_row(file, f->A_error, f->B_error, f->c_error, l->nx, l->nu, i);
  }
}

static cr_status write_csv(const linear* l, const char* path, cr_error* error) {
  char* text = NULL;
  size_t n = 0;
  FILE* file = open_memstream(&text, &n);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  print_csv(l, file);
  cr_status status = CR_ERR_MEMORY;
  if (fclose(file) == 0) {
    status = cri_file_write(path, text, n, error);
  }
  free(text);
  return status;
}

static cr_status tell(const linear* l, const cr_data* d, bool json, const char* csv,
                      cr_error* error) {
  CR_TRY(csv != NULL ? write_csv(l, csv, error) : CR_OK);
  if (json) {
    print_json(l, d);
  } else if (csv == NULL) {
    print_csv(l, stdout);
  } else {
    cr_output_tell(csv);
  }
  return CR_OK;
}

cr_status cr_cli_grad_linear(cr_setup* setup, cr_setup_options options,
                             const cr_estimate_options* o, const char* csv, cr_ranks* ranks,
                             cr_error* error) {
  cr_status status = check(o, error);
  status = status == CR_OK ? cr_cli_jacobian_prepare(setup, &options, error) : status;
  CR_TRY(cr_ranks_agree(ranks, status, error));
  linear l = {.m = setup->m, .nx = 2 * setup->nv + setup->na, .nu = setup->nu};
  cr_data* d = cr_rollout_data(setup->rollout);
  status = find(&l, d, o, ranks, error);
  if (status == CR_OK) {
    status = ranks->rank == 0 ? tell(&l, d, options.json, csv, error) : CR_OK;
    status = cr_ranks_agree(ranks, status, error);
  }
  free(l.memory);
  return status;
}
