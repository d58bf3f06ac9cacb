// SPDX-License-Identifier: Apache-2.0
// Plans of poses, and how commands name poses.
#include "command/servo_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

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

// q = turn q, the turn about world axes by t rad
static void turn(cr_real q[4], const double t[3]) {
  const double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  const double s = angle > 0 ? sin(angle / 2) / angle : 0.5, w = cos(angle / 2);
  const double x = s * t[0], y = s * t[1], z = s * t[2];
  const double a = (double)q[0], b = (double)q[1], c = (double)q[2], d = (double)q[3];
  q[0] = (cr_real)(w * a - x * b - y * c - z * d);
  q[1] = (cr_real)(w * b + x * a + y * d - z * c);
  q[2] = (cr_real)(w * c - x * d + y * a + z * b);
  q[3] = (cr_real)(w * d + x * c - y * b + z * a);
}

// X,Y,Z and nothing more
static bool three_numbers(const char* text, double t[3]) {
  for (int k = 0; k < 3; k++) {
    char* end;
    t[k] = strtod(text, &end);
    if (end == text || *end != (k < 2 ? ',' : 0) || !isfinite(t[k])) {
      return false;
    }
    text = end + 1;
  }
  return true;
}

cr_status cr_turn_read(const cr_model* m, const char* option, const char* text, cr_real* qpos,
                       cr_error* error) {
  char name[CR_NUMBER_NAME], place[CR_NUMBER_NAME + 8];
  const char* sign = strchr(text, '=');
  const size_t length = sign != NULL ? (size_t)(sign - text) : 0;
  double t[3];
  if (sign == NULL || length == 0 || length >= sizeof name || !three_numbers(sign + 1, t)) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: JOINT=X,Y,Z in degrees is expected, as cube=0,0,90",
                    option, text);
  }
  memcpy(name, text, length);
  name[length] = 0;
  (void)snprintf(place, sizeof place, "qpos[%s]", name);
  cr_place_info info = {.size = sizeof info};
  CR_TRY(cr_model_place(m, place, &info, error));
  if (info.count != 4 && info.count != 7) {
    return cri_fail(error, CR_ERR_ARG, "%s %s: joint '%s' is no ball or free joint", option, text,
                    name);
  }
  for (int k = 0; k < 3; k++) {
    t[k] *= PI / 180;
  }
  turn(qpos + info.first + info.count - 4, t);
  return CR_OK;
}

double cr_object_distance(const cr_model* m, const double* weight, cr_real* move, const cr_real* a,
                          const cr_real* b) {
  double sum = 0;
  (void)cr_differentiate_pos(m, move, 1, b, a, NULL);
  for (int i = 0; i < cr_model_count(m, "nv"); i++) {
    sum += pow(weight[i] * (double)move[i], 2);
  }
  return sqrt(sum);
}
