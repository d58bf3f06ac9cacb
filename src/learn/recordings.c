// SPDX-License-Identifier: Apache-2.0
// Growing lists of runs.
#include "learn/recordings.h"

#include <stdio.h>
#include <stdlib.h>

#include "learn/agreement.h"
#include "model/misuse.h"

cr_status cr_recordings_create(cr_recordings** out, const cr_model* m, cr_real interval,
                               cr_error* error) {
  const cri_call call = {"cr_recordings_create", error};
  CR_TRY(cri_given(&call, out, "where the recordings go"));
  CR_TRY(cri_given(&call, m, "the model"));
  if (!(interval > 0) || !isfinite(interval)) {
    return cri_fail(error, CR_ERR_ARG, "cr_recordings_create: %g s from row to row",
                    (double)interval);
  }
  cr_recordings* r = calloc(1, sizeof *r);
  cri_joint_space* joint = calloc((size_t)m->njnt + 1, sizeof *joint);
  if (r == NULL || joint == NULL) {
    free(r);
    free(joint);
    return cri_fail(error, CR_ERR_MEMORY, "recordings: no memory");
  }
  *r = (cr_recordings){.interval = interval,
                       .sizes = cri_state_sizes(m),
                       .nu = m->nu,
                       .width = cri_state_size(m) + m->nu,
                       .joint = joint,
                       .njnt = m->njnt};
  for (int j = 0; j < m->njnt; j++) {
    joint[j] = cri_joint_space_of(m, j);
  }
  *out = r;
  return CR_OK;
}

void cr_recordings_destroy(cr_recordings* r) {
  if (r == NULL) {
    return;
  }
  for (int i = 0; i < r->n; i++) {
    free(r->run[i].state);
  }
  free(r->run);
  free(r->joint);
  free(r);
}

static bool is_free(const cri_joint_space* p) { return p->rotates && p->nflat == 3; }

bool cri_recordings_of_free_body(const cr_recordings* r) {
  return r->njnt == 1 && is_free(&r->joint[0]) && r->width == CR_BODY_WIDTH;
}

void cri_recordings_column(const cr_recordings* r, int k, char name[CR_COLUMN]) {
  static const char* const of_body[] = {"px", "py", "pz", "qw", "qx", "qy", "qz",
                                        "vx", "vy", "vz", "wx", "wy", "wz"};
  int part = 0;
  if (cri_recordings_of_free_body(r)) {
    (void)snprintf(name, CR_COLUMN, "%s", of_body[k]);
    return;
  }
  while (part < CRI_N_STATE && k >= r->sizes.part[part].n) {
    k -= r->sizes.part[part++].n;
  }
  cr_field_id id = part < CRI_N_STATE ? cri_state_rows[part].id : CR_FIELD_ctrl;
  (void)snprintf(name, CR_COLUMN, "%s[%d]", cri_field(id)->name, k);
}

// ---- runs

static cr_status check_row(const cr_recordings* r, const cri_run* run, int i, cr_error* error) {
  const cr_real* row = run->state + (size_t)i * (size_t)r->width;
  for (int k = 0; k < r->width; k++) {
    if (!isfinite(row[k])) {
      char column[CR_COLUMN];
      cri_recordings_column(r, k, column);
      return cri_fail(error, CR_ERR_FORMAT, "recording %s, row %d: %s is not finite", run->name, i,
                      column);
    }
  }
  for (int j = 0; j < r->njnt; j++) {
    const cr_real* q = row + r->joint[j].q + r->joint[j].nflat;
    cr_real length =
        r->joint[j].rotates ? cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) : 1;
    if (cr_abs(length - 1) > CR_R(1e-6)) {
      return cri_fail(error, CR_ERR_FORMAT,
                      "recording %s, row %d: the quaternion has length %.9g, not 1", run->name, i,
                      (double)length);
    }
  }
  return CR_OK;
}

static cr_status check(const cr_recordings* r, const cri_run* run, cr_error* error) {
  for (int i = 0; i < run->rows; i++) {
    CR_TRY(check_row(r, run, i, error));
  }
  return CR_OK;
}

static cr_status grow(cr_recordings* r, cr_error* error) {
  int capacity = r->n < r->capacity ? r->capacity : 2 * r->capacity + 16;
  cri_run* run = realloc(r->run, (size_t)capacity * sizeof *run);
  if (run == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "recordings: no memory for %d", r->n + 1);
  }
  r->run = run;
  r->capacity = capacity;
  return CR_OK;
}

static cr_status check_name(const cr_recordings* r, const char* name, cr_error* error) {
  for (int i = 0; i < r->n; i++) {
    if (strcmp(r->run[i].name, name) == 0) {
      return cri_fail(error, CR_ERR_ARG, "there is a recording '%s' already", name);
    }
  }
  return CR_OK;
}

cr_status cri_recordings_take(cr_recordings* r, const cri_run* run, cr_error* error) {
  cr_status status = check_name(r, run->name, error);
  status = status == CR_OK ? check(r, run, error) : status;
  status = status == CR_OK ? grow(r, error) : status;
  if (status != CR_OK) {
    free(run->state);
    return status;
  }
  r->run[r->n++] = *run;
  return CR_OK;
}

cr_status cr_recordings_add(cr_recordings* r, const cr_recording_info* info, cr_error* error) {
  const cri_call call = {"cr_recordings_add", error};
  CR_TRY(cri_given(&call, r, "the recordings"));
  CR_TRY(cri_given(&call, info, "the run"));
  CR_TRY(cri_check_size(&call, info->size, sizeof *info, "cr_recording_info"));
  CR_TRY(cri_given(&call, info->name, "its name"));
  CR_TRY(cri_given(&call, info->values, "its values"));
  cri_run run = {.rows = info->rows, .group = info->group};
  bool named =
      info->name[0] != 0 && strchr(info->name, '/') == NULL && strlen(info->name) < sizeof run.name;
  if (info->rows < 1 || !named) {
    return cri_fail(error, CR_ERR_ARG, "cr_recordings_add: '%.40s', %d rows: %s", info->name,
                    info->rows,
                    named ? "there are none" : "a name is 1 to 31 characters without '/'");
  }
  size_t n = (size_t)info->rows * (size_t)r->width;
  (void)snprintf(run.name, sizeof run.name, "%s", info->name);
  run.state = malloc(n * sizeof *run.state + 1);
  if (run.state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "recordings: no memory for %d rows", info->rows);
  }
  memcpy(run.state, info->values, n * sizeof *run.state);
  return cri_recordings_take(r, &run, error);
}

int cr_recordings_count(const cr_recordings* r) { return r != NULL ? r->n : 0; }

cr_real cr_recordings_interval(const cr_recordings* r) { return r != NULL ? r->interval : 0; }

cr_status cr_recordings_get(const cr_recordings* r, int i, cr_recording_info* info,
                            cr_error* error) {
  const cri_call call = {"cr_recordings_get", error};
  CR_TRY(cri_given(&call, r, "the recordings"));
  CR_TRY(cri_given(&call, info, "where the run goes"));
  if (i < 0 || i >= r->n) {
    return cri_fail(error, CR_ERR_ARG, "cr_recordings_get: no such run");
  }
  const cr_recording_info found = {.name = r->run[i].name,
                                   .rows = r->run[i].rows,
                                   .values = r->run[i].state,
                                   .group = r->run[i].group};
  return cri_give(&call, info, &found, sizeof found, "cr_recording_info");
}

// ---- whether they contradict themselves

// the rows of a free joint as those of a body alone; run->state is the caller's to free
static bool cut_out(const cr_recordings* r, const cri_joint_space* p, const cri_run* from,
                    cri_run* run) {
  *run = *from;
  run->state = malloc((size_t)from->rows * CR_BODY_WIDTH * sizeof *run->state + 1);
  for (int i = 0; i < from->rows && run->state != NULL; i++) {
    const cr_real* row = from->state + (size_t)i * (size_t)r->width;
    cr_copy(run->state + (size_t)i * CR_BODY_WIDTH, row + p->q, 7);
    cr_copy(run->state + (size_t)i * CR_BODY_WIDTH + 7, row + r->sizes.qpos.n + p->v, 6);
  }
  return run->state != NULL;
}

static cr_status doubt_joint(const cr_recordings* r, const cri_joint_space* p, char* text, int size,
                             cr_error* error) {
  cri_run* runs = calloc((size_t)r->n + 1, sizeof *runs);
  bool ok = runs != NULL;
  for (int i = 0; i < r->n && ok; i++) {
    ok = cut_out(r, p, &r->run[i], &runs[i]);
  }
  if (ok) {
    cr_tosses_disagreement(runs, r->n, r->interval, text, (size_t)size);
  }
  for (int i = 0; i < r->n && runs != NULL; i++) {
    free(runs[i].state);
  }
  free(runs);
  return ok ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "recordings: no memory to compare them");
}

cr_status cr_recordings_doubt(const cr_recordings* r, char* text, int size, cr_error* error) {
  const cri_call call = {"cr_recordings_doubt", error};
  CR_TRY(cri_given(&call, r, "the recordings"));
  CR_TRY(cri_given(&call, text, "text"));
  if (size < 1) {
    return cri_fail(error, CR_ERR_ARG, "cr_recordings_doubt: text of %d characters", size);
  }
  text[0] = 0;
  for (int j = 0; j < r->njnt && text[0] == 0; j++) {
    if (is_free(&r->joint[j])) {
      CR_TRY(doubt_joint(r, &r->joint[j], text, size, error));
    }
  }
  return CR_OK;
}
