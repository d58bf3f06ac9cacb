// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "io/columns.h"
#include "model/names.h"

cr_status cr_batch_plan_take(cr_batch_plan* p, cr_real** x, size_t rows, size_t n,
                             cr_error* error) {
  size_t more = (size_t)p->m->nv + 1;
  *x = calloc(rows * n + more, sizeof **x);
  p->memory[p->nmemory++] = *x;
  return *x != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "no memory for %zu rollouts of %zu numbers", rows, n);
}

// ---- what differs from rollout to rollout

static int width_of(const cr_batch_plan* p, cr_field_id id) {
  return id == CR_FIELD_ctrl ? p->nstep * p->m->nu
                             : cri_field_rows(p->m, NULL, id) * cri_field_width(p->m, id);
}

static cr_batch_column* column_of(cr_batch_plan* p, cr_field_id id) {
  for (int i = 0; i < p->ncolumn; i++) {
    if (p->columns[i].id == id) {
      return &p->columns[i];
    }
  }
  return NULL;
}

// where rows of a state's parts and of controls, at the start and at the end, and their gradients go
typedef struct {
  cr_field_id id;
  const cr_real** in;
  cr_real **out, **bar;
} rows_of;

enum { N_END = 3, N_ROWS = 4 };  // the last are controls

static void find_rows(rows_of rows[N_ROWS], cr_batch_input* in, cr_batch_output* out) {
#define ROWS(name, end) \
  { CR_FIELD_##name, &in->name, end, &out->name##_bar }
  const rows_of all[N_ROWS] = {ROWS(qpos, &out->qpos), ROWS(qvel, &out->qvel), ROWS(act, &out->act),
                               ROWS(ctrl, NULL)};
#undef ROWS
  memcpy(rows, all, sizeof all);
}

static bool is_state(cr_field_id id) {
  cr_batch_input in;
  cr_batch_output out;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, &out);
  bool is = false;
  for (int i = 0; i < N_ROWS; i++) {
    is = is || rows[i].id == id;
  }
  return is;
}

static const cr_real* base_of(const cr_batch_plan* p, cr_field_id id) {
  return id == CR_FIELD_ctrl ? p->ctrl : cri_field_real(p->m, p->start, id);
}

static cr_status add_column(cr_batch_plan* p, const char* name, const char* what,
                            cr_batch_column** out, cr_error* error) {
  cr_field_id id = cri_field_find(name);
  if (id == CR_N_FIELD || (!is_state(id) && cri_field(id)->kind != CR_KIND_PARAM)) {
    return cri_fail(error, CR_ERR_NAME,
                    "%s: '%s' is none of qpos, qvel, act, ctrl, and no parameter of the model",
                    what, name);
  }
  *out = column_of(p, id);
  if (*out == NULL) {
    if (p->ncolumn == CR_BATCH_COLUMNS) {
      return cri_fail(error, CR_ERR_ARG, "%s: more than %d fields", what, (int)CR_BATCH_COLUMNS);
    }
    *out = &p->columns[p->ncolumn++];
    **out = (cr_batch_column){
        .id = id, .name = cri_field(id)->name, .width = width_of(p, id), .base = base_of(p, id)};
  }
  return CR_OK;
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
  if (c->id != CR_FIELD_ctrl) {
    return CR_OK;
  }
  char* controls = cri_control_names(p->m);
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
  return p->m->nu > 0 ? add_column(p, "ctrl", "controls", &c, error) : CR_OK;
}

cr_status cr_batch_plan_fill(cr_batch_plan* p, uint64_t seed, int first, int n, cr_batch_input* in,
                             cr_error* error) {
  *in = (cr_batch_input){.parameters = p->parameter_rows, .start = p->start, .first = first};
  for (int i = 0; i < p->ncolumn; i++) {
    CR_TRY(cr_batch_fill(&p->columns[i], p->m, p->input, seed, first, n, error));
  }
  rows_of rows[N_ROWS];
  find_rows(rows, in, &p->output);
  for (int i = 0; i < N_ROWS; i++) {
    const cr_batch_column* c = column_of(p, rows[i].id);
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
  cr_batch_input in;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, out);
  for (int i = 0; i < N_END; i++) {
    int width = width_of(p, rows[i].id);
    if (width > 0) {
      CR_TRY(cr_batch_plan_take(p, rows[i].out, (size_t)p->room, (size_t)width, error));
      (void)snprintf(add_result(p, *rows[i].out, width, width, 0)->name, 300, "%s",
                     cri_field(rows[i].id)->name);
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
static cr_real** bar_of(cr_batch_plan* p, cr_field_id id, int* apart) {
  cr_batch_input in;
  rows_of rows[N_ROWS];
  find_rows(rows, &in, &p->output);
  *apart = id == CR_FIELD_ctrl ? width_of(p, id) : cri_field_tangent_size(p->m, NULL, id);
  for (int i = 0; i < N_ROWS; i++) {
    if (rows[i].id == id) {
      return rows[i].bar;
    }
  }
  return &p->parameters_bar[parameter_of(p, cri_field(id)->name)];
}

static cr_status add_gradient(cr_batch_plan* p, const char* name, cr_error* error) {
  cr_place place;
  CR_TRY(cri_place_find(&place, p->m, name, error));
  cr_field_id id = place.field;
  if (!is_state(id) && cri_field(id)->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: neither state, control nor parameter", name);
  }
  if (place.tan_count == 0 || (id == CR_FIELD_ctrl && strcmp(name, "ctrl") != 0)) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: %s", name,
                    id == CR_FIELD_ctrl ? "name the whole of it, ctrl"
                    : place.count == 0  ? "the model has none of these"
                                        : "part of a quaternion; name the whole of it");
  }
  int apart;
  cr_real** bar = bar_of(p, id, &apart);
  if (*bar == NULL) {
    CR_TRY(cr_batch_plan_take(p, bar, (size_t)p->room, (size_t)apart, error));
  }
  int width = id == CR_FIELD_ctrl ? apart : place.tan_count;
  cr_batch_result* r = add_result(p, *bar, width, apart, place.tan_first);
  (void)snprintf(r->name, sizeof r->name, "gradient/%s", name);
  return CR_OK;
}

cr_status cr_batch_plan_outputs(cr_batch_plan* p, bool loss, const cr_text_list* wrt, bool ends,
                                cr_error* error) {
  for (int i = 0; i < p->ncolumn; i++) {
    cr_batch_column* c = &p->columns[i];
    CR_TRY(cr_batch_plan_take(p, &c->rows, (size_t)p->room, (size_t)c->width, error));
    if (!is_state(c->id)) {
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
