// SPDX-License-Identifier: Apache-2.0
// Plans of poses, in full dynamics.
#include "command/servo_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 20 };  // time steps between rows of a table

cr_status cr_servo_plan_create(cr_servo_plan* plan, const cr_setup* setup, int n, cr_error* error) {
  const size_t each = (size_t)(setup->nq + setup->nu);
  plan->n = n;
  plan->qpos = calloc((size_t)n * each + 1, sizeof *plan->qpos);
  plan->grasp = calloc((size_t)n + 1, sizeof *plan->grasp);
  if (plan->qpos == NULL || plan->grasp == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory for a plan of %d poses", n);
  }
  plan->u = plan->qpos + (ptrdiff_t)n * setup->nq;
  return CR_OK;
}

void cr_servo_plan_free(cr_servo_plan* plan) {
  free(plan->qpos);
  free(plan->grasp);
}

// ---- coordinates by name

cr_status cr_coordinate_read(const cr_model* m, const char* option, const char* text, int* first,
                             int* count, cr_real* value, cr_error* error) {
  char name[CR_NUMBER_NAME];
  const char* sign = strchr(text, '=');
  char* end = NULL;
  const size_t length = sign != NULL ? (size_t)(sign - text) : 0;
  *value = sign != NULL ? (cr_real)strtod(sign + 1, &end) : 0;
  if (sign == NULL || end == sign + 1 || *end != 0 || length >= sizeof name ||
      !isfinite((double)*value)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: NAME=VALUE is expected, as qpos[box]=1", option,
                    text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  cr_place_info place = {.size = sizeof place};
  cr_field_info field = {.size = sizeof field};
  CR_TRY(cr_model_place(m, name, &place, error));
  CR_TRY(cr_field_get(m, place.field, &field, error));
  if (strcmp(field.name, "qpos") != 0) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: a coordinate is expected, as qpos[box]", option,
                    text);
  }
  *first = place.first;
  *count = place.count;
  return CR_OK;
}

// ---- in full dynamics

typedef struct {
  const cr_setup* s;
  const cr_plan_times* times;
  cr_data* d;
  cr_pose_table* table;
  double time;
} run;

static cr_status told(const run* r, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(r->d));
}

static cr_status put_state(const run* r, cr_error* error) {
  return cr_pose_table_add(r->table, r->time, cr_setup_view(r->s, r->d, "qpos"), error);
}

static cr_status move(run* r, const cr_real* from, const cr_real* to, cr_error* error) {
  const int n = (int)(r->times->hold / r->times->timestep + 0.5);
  for (int k = 0; k < n; k++) {
    const double share = fmin(1, 2 * (k + 1.0) / n);
    cr_real* ctrl = cr_setup_view(r->s, r->d, "ctrl");
    for (int i = 0; i < r->s->nu; i++) {
      ctrl[i] = (cr_real)((1 - share) * (double)from[i] + share * (double)to[i]);
    }
    CR_TRY(told(r, cr_step(r->s->m, r->d), error));
    CR_TRY(told(r, cr_advance(r->s->m, r->d), error));
    r->time += r->times->timestep;
    CR_TRY(k % EVERY == EVERY - 1 ? put_state(r, error) : CR_OK);
  }
  return CR_OK;
}

// fingers are set down around the object where it is
static cr_status regrasp(run* r, const cr_real* pose, const bool* object) {
  cr_real* q = cr_setup_view(r->s, r->d, "qpos");
  for (int i = 0; i < r->s->nq; i++) {
    q[i] = object[i] ? q[i] : pose[i];
  }
  memset(cr_setup_view(r->s, r->d, "qvel"), 0, (size_t)r->s->nv * sizeof *q);
  return CR_OK;
}

cr_status cr_servo_plan_execute(const cr_servo_plan* plan, const cr_setup* setup,
                                const cr_plan_times* times, const bool* object, cr_data* d,
                                cr_pose_table* table, cr_error* error) {
  run r = {.s = setup, .times = times, .d = d, .table = table};
  CR_TRY(cr_model_set_option(setup->m, "timestep", (cr_real)times->timestep, error));
  CR_TRY(cr_data_set(setup->m, d, "qpos", plan->qpos, setup->nq, error));
  CR_TRY(put_state(&r, error));
  for (ptrdiff_t i = 1; i < plan->n; i++) {
    const cr_real* u = plan->u + i * setup->nu;
    CR_TRY(plan->grasp[i] ? regrasp(&r, plan->qpos + i * setup->nq, object)
                          : move(&r, u - setup->nu, u, error));
  }
  return CR_OK;
}
