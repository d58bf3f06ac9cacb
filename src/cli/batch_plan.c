// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "tools/column_names.h"

cr_status cr_batch_plan_take(cr_batch_plan* p, cr_real** x, size_t rows, size_t n,
                             cr_error* error) {
  size_t more = n + (size_t)cr_model_count(p->m, "nv") + 1;  // a tangent of any row
  *x = calloc(rows * n + more, sizeof **x);
  p->memory[p->nmemory++] = *x;
  return *x != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for %zu rollouts of %zu numbers", rows, n);
}

// ---- what differs from rollout to rollout

static cr_field_info field_of(const cr_batch_plan* p, int field) {
  cr_field_info info = {.size = sizeof info};
  (void)cr_field_get(p->m, field, &info, NULL);
  return info;
}

static int rows_of_field(const cr_batch_plan* p, const cr_field_info* f) {
  return strcmp(f->rows, "none") == 0 ? 1 : cr_model_count(p->m, f->rows);
}

static bool is_named(const cr_field_info* f, const char* name) {
  return strcmp(f->name, name) == 0;
}

// numbers of a rollout
static int width_of(const cr_batch_plan* p, int field) {
  cr_field_info f = field_of(p, field);
  int width = rows_of_field(p, &f) * f.width;
  return is_named(&f, "ctrl") ? p->nstep * width : width;
}

// those of its tangent
static int tangent_of(const cr_batch_plan* p, int field) {
  cr_field_info f = field_of(p, field);
  return is_named(&f, "qpos")   ? cr_model_count(p->m, "nv")
         : is_named(&f, "ctrl") ? width_of(p, field)
                                : rows_of_field(p, &f) * f.tangent_width;
}

static cr_batch_column* column_of(cr_batch_plan* p, int field) {
  for (int i = 0; i < p->ncolumn; i++) {
    if (p->columns[i].field == field) {
      return &p->columns[i];
    }
  }
  return NULL;
}

// where rows of a state's parts and of controls, at the start and at the end, and their gradients go
typedef struct {
  const char* name;
  const cr_real** in;
  cr_real **out, **bar;
} rows_of;

enum { N_END = 3, N_ROWS = 4 };  // the last are controls

static void find_rows(rows_of rows[N_ROWS], cr_batch_input* in, cr_batch_output* out) {
#define ROWS(name, end) \
  { #name, &in->name, end, &out->name##_bar }
  const rows_of all[N_ROWS] = {ROWS(qpos, &out->qpos), ROWS(qvel, &out->qvel), ROWS(act, &out->act),
                               ROWS(ctrl, NULL)};
#undef ROWS
  memcpy(rows, all, sizeof all);
}

// the field of a name; -1 for one that is none
static int field_named(const cr_batch_plan* p, const char* name) {
  for (int i = 0; i < cr_field_count(); i++) {
    cr_field_info f = field_of(p, i);
    if (is_named(&f, name)) {
      return i;
    }
  }
  return -1;
}

static bool is_state(const cr_field_info* f) {
  cr_batch_input in;
  cr_batch_output out;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, &out);
  bool is = false;
  for (int i = 0; i < N_ROWS; i++) {
    is = is || is_named(f, rows[i].name);
  }
  return is;
}

static const cr_real* base_of(const cr_batch_plan* p, const cr_field_info* f) {
  return is_named(f, "ctrl") ? p->ctrl
         : is_state(f)       ? cr_data_view(p->m, p->start, f->name, NULL, NULL)
                             : cr_model_numbers(p->m, f->name, NULL, NULL);
}

static cr_status add_column(cr_batch_plan* p, const char* name, const char* what,
                            cr_batch_column** out, cr_error* error) {
  int field = field_named(p, name);
  cr_field_info f = field < 0 ? (cr_field_info){0} : field_of(p, field);
  if (field < 0 || (!is_state(&f) && f.kind != CR_KIND_PARAM)) {
    return cri_fail(error, CR_ERR_NAME,
                    "%s: '%s' is none of qpos, qvel, act, ctrl, and no parameter of the model",
                    what, name);
  }
  *out = column_of(p, field);
  if (*out == NULL) {
    if (p->ncolumn == CR_BATCH_COLUMNS) {
      return cri_fail(error, CR_ERR_ARG, "%s: more than %d fields", what, (int)CR_BATCH_COLUMNS);
    }
    bool turns = is_named(&f, "qpos") || f.tangent_width < f.width;
    *out = &p->columns[p->ncolumn++];
    **out = (cr_batch_column){.field = field,
                              .name = f.name,
                              .width = width_of(p, field),
                              .parameter = f.kind == CR_KIND_PARAM,
                              .turns = turns ? tangent_of(p, field) : 0,
                              .base = base_of(p, &f)};
  }
  return CR_OK;
}

// the names of all controls, "a,b,c"; the caller frees
static char* control_names(const cr_model* m) {
  int nu = cr_model_count(m, "nu");
  char* text = calloc((size_t)nu + 1, CR_CONTROL_NAME);
  char* at = text;
  for (int i = 0; i < nu && text != NULL; i++) {
    at += strlen(at);
    *at = ',';
    at += i > 0;
    (void)cr_control_name(m, i, at, CR_CONTROL_NAME, NULL);
  }
  return text;
}

static cr_status visit_input(void* context, const char* name) {
  cr_batch_plan* p = ((void**)context)[0];
  cr_error* error = ((void**)context)[1];
  cr_batch_column* c = NULL;
  int rows = 0, width = 0;
  CR_TRY(add_column(p, name, p->input_path, &c, error));
  CR_TRY(cri_h5_shape(p->input, name, &rows, &width, error));
  if (width != c->width) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d numbers a rollout, %d expected",
                    p->input_path, name, width, c->width);
  }
  p->rows = p->rows == 0 ? rows : p->rows;
  if (rows < p->rows) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' has %d rows, %d rollouts expected",
                    p->input_path, name, rows, p->rows);
  }
  c->from_file = true;
  if (strcmp(c->name, "ctrl") != 0) {
    return CR_OK;
  }
  char* controls = control_names(p->m);
  cr_status status = controls == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", p->input_path)
                         : cri_columns_are(p->input, p->input_path, name, controls, error);
  free(controls);
  return status;
}

static cr_status read_spread(cr_batch_plan* p, const char* text, cr_error* error) {
  char name[256];
  char* end = NULL;
  size_t length = strcspn(text, "=");
  double spread = text[length] == 0 ? -1 : cri_number(text + length + 1, &end);
  if (length >= sizeof name || !(spread > 0) || !isfinite(spread) || *end != 0) {
    return cri_fail(error, CR_ERR_ARG, "--random %s: NAME=SPREAD with a positive number expected",
                    text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  cr_batch_column* c = NULL;
  CR_TRY(add_column(p, name, "--random", &c, error));
  c->spread = spread;
  return CR_OK;
}

cr_status cr_batch_plan_inputs(cr_batch_plan* p, const char* input, const cr_text_list* spread,
                               int count, cr_error* error) {
  cr_batch_column* c = NULL;
  void* context[] = {p, error};
  p->input_path = input;
  p->rows = count;
  if (input != NULL) {
    CR_TRY(cri_h5_open(&p->input, input, error));
    CR_TRY(cri_h5_each(p->input, "/", visit_input, context, error));
  }
  for (int i = 0; i < spread->n; i++) {
    CR_TRY(read_spread(p, spread->text[i], error));
  }
  return cr_model_count(p->m, "nu") > 0 ? add_column(p, "ctrl", "controls", &c, error) : CR_OK;
}

cr_status cr_batch_plan_fill(cr_batch_plan* p, uint64_t seed, int first, int n, cr_batch_input* in,
                             cr_error* error) {
  *in = (cr_batch_input){
      .size = sizeof *in, .parameters = p->parameter_rows, .start = p->start, .first = first};
  for (int i = 0; i < p->ncolumn; i++) {
    CR_TRY(cr_batch_fill(&p->columns[i], p->m, p->input, seed, first, n, error));
  }
  rows_of rows[N_ROWS];
  find_rows(rows, in, &p->output);
  for (int i = 0; i < N_ROWS; i++) {
    const cr_batch_column* c = column_of(p, field_named(p, rows[i].name));
    *rows[i].in = c == NULL ? NULL : c->rows;
  }
  return CR_OK;
}

// ---- what comes out

static cr_batch_result* add_result(cr_batch_plan* p, const cr_real* rows, int width, int apart,
                                   int first) {
  cr_batch_result* r = &p->results[p->nresult++];
  *r = (cr_batch_result){.rows = rows, .width = width, .apart = apart, .first = first};
  p->widest = width > p->widest ? width : p->widest;
  p->together += width;
  return r;
}

static cr_status find_ends(cr_batch_plan* p, bool loss, bool ends, cr_error* error) {
  cr_batch_output* out = &p->output;
  out->size = sizeof *out;
  cr_batch_input in;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, out);
  for (int i = 0; i < N_END; i++) {
    int width = width_of(p, field_named(p, rows[i].name));
    if (width > 0) {
      CR_TRY(cr_batch_plan_take(p, rows[i].out, (size_t)p->room, (size_t)width, error));
      (void)snprintf(add_result(p, *rows[i].out, width, width, 0)->name, 300, "%s", rows[i].name);
    }
  }
  if (loss) {
    CR_TRY(cr_batch_plan_take(p, &out->loss, (size_t)p->room, 1, error));
    cr_batch_result* r = add_result(p, out->loss, 1, 1, 0);
    (void)snprintf(r->name, sizeof r->name, "loss");
    r->single = true;
  }
  if (ends) {
    out->error = calloc((size_t)p->room, sizeof *out->error);
    p->memory[p->nmemory++] = out->error;
  }
  return !ends || out->error != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for the ends of %d rollouts", p->room);
}

// the index of a parameter of the batch, made where there is none
static int parameter_of(cr_batch_plan* p, const char* name) {
  for (int i = 0; i < p->nparameter; i++) {
    if (strcmp(p->parameters[i], name) == 0) {
      return i;
    }
  }
  p->parameters[p->nparameter] = name;
  return p->nparameter++;
}

// where the gradient by a field goes, made where there is none
static cr_real** bar_of(cr_batch_plan* p, const cr_field_info* f) {
  cr_batch_input in;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, &p->output);
  for (int i = 0; i < N_ROWS; i++) {
    if (is_named(f, rows[i].name)) {
      return rows[i].bar;
    }
  }
  return &p->parameters_bar[parameter_of(p, f->name)];
}

static cr_status add_gradient(cr_batch_plan* p, const char* name, cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  CR_TRY(cr_model_place(p->m, name, &place, error));
  cr_field_info f = field_of(p, place.field);
  bool control = is_named(&f, "ctrl");
  if (!is_state(&f) && f.kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: neither state, control nor parameter", name);
  }
  if (place.tangent_count == 0 || (control && strcmp(name, "ctrl") != 0)) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: %s", name,
                    control            ? "name the whole of it, ctrl"
                    : place.count == 0 ? "the model has none of these"
                                       : "part of a quaternion; name the whole of it");
  }
  int apart = tangent_of(p, place.field);
  cr_real** bar = bar_of(p, &f);
  if (*bar == NULL) {
    CR_TRY(cr_batch_plan_take(p, bar, (size_t)p->room, (size_t)apart, error));
  }
  int width = control ? apart : place.tangent_count;
  cr_batch_result* r = add_result(p, *bar, width, apart, control ? 0 : place.tangent_first);
  (void)snprintf(r->name, sizeof r->name, "gradient/%s", name);
  return CR_OK;
}

cr_status cr_batch_plan_outputs(cr_batch_plan* p, bool loss, const cr_text_list* wrt, bool ends,
                                cr_error* error) {
  for (int i = 0; i < p->ncolumn; i++) {
    cr_batch_column* c = &p->columns[i];
    CR_TRY(cr_batch_plan_take(p, &c->rows, (size_t)p->room, (size_t)c->width, error));
    if (c->parameter) {
      p->parameter_rows[parameter_of(p, c->name)] = c->rows;
    }
  }
  CR_TRY(find_ends(p, loss, ends, error));
  for (int i = 0; i < wrt->n; i++) {
    CR_TRY(add_gradient(p, wrt->text[i], error));
  }
  p->output.parameters_bar = p->parameters_bar;
  return CR_OK;
}

void cr_batch_plan_free(cr_batch_plan* p) {
  for (int i = 0; i < p->nmemory; i++) {
    free(p->memory[i]);
  }
  cri_h5_close(p->input);
}
