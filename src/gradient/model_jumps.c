// SPDX-License-Identifier: Apache-2.0
// Jumps of the forces of contacts along a coordinate of a model. What is public is documented in carom/trust.h.
#include <stdlib.h>

#include "carom/state.h"
#include "carom/step.h"
#include "carom/trust.h"
#include "model/build.h"
#include "model/misuse.h"
#include "model/names.h"

// ---- the coordinate

// a velocity, and the joint that has it
typedef struct {
  int dof, joint, type;
  bool straight;  // m and N, else rad and N m
  bool scalar;    // `at` is the value of qpos itself
} coordinate;

static bool is_straight(const cr_model* m, int dof) {
  const int joint = m->dof_jntid[dof], type = m->jnt_type[joint];
  return type == CR_JNT_SLIDE || (type == CR_JNT_FREE && dof < m->jnt_dofadr[joint] + 3);
}

static cr_status find_coordinate(const cri_call* call, const cr_model* m, const char* name,
                                 coordinate* c) {
  cr_place place;
  CR_TRY(cri_place_find(&place, m, name, call->error));
  if (place.field != CR_FIELD_qvel || place.count != 1) {
    return cri_fail(call->error, CR_ERR_NAME,
                    "%s: '%s' is not one number of qvel, as \"qvel[elbow]\" or \"qvel[ball][4]\"",
                    call->name, name);
  }
  c->dof = place.first;
  c->joint = m->dof_jntid[c->dof];
  c->type = m->jnt_type[c->joint];
  c->straight = is_straight(m, c->dof);
  c->scalar = c->type == CR_JNT_SLIDE || c->type == CR_JNT_HINGE;
  return CR_OK;
}

// radius of the largest geom that a joint moves, 1 m without one
static cr_real size_moved(const cr_model* m, int joint) {
  cr_real most = 0;
  for (int i = 0; i < m->ngeom; i++) {
    int body = m->geom_bodyid[i];
    while (body > m->jnt_bodyid[joint]) {
      body = m->body_parentid[body];
    }
    most = body == m->jnt_bodyid[joint] ? cr_max(most, cri_geom_bound(m, i)) : most;
  }
  return most > 0 ? most : 1;
}

static void default_range(const cr_model* m, const coordinate* c, cr_real value, cr_real range[2]) {
  if (c->scalar && m->jnt_limited[c->joint]) {
    cr_copy(range, m->jnt_range + 2 * c->joint, 2);
    return;
  }
  cr_real reach = c->straight               ? CR_R(0.1) * size_moved(m, c->joint)
                  : c->type == CR_JNT_HINGE ? CR_PI
                                            : CR_R(0.2);
  range[0] = value - reach;
  range[1] = value + reach;
}

// ---- the sweep

typedef struct {
  coordinate c;
  cr_model* m;  // a copy, without what is no contact
  cr_data* d;
  cr_real *start, *way;  // qpos of the start, a velocity
  cr_real value;         // of the coordinate at the start
  int* unit;             // nv
} track;

static cr_status forces_at(void* context, cr_real at, cr_real* value, int* contacts,
                           cr_error* error) {
  track* t = context;
  const cr_model* m = t->m;
  cr_copy(t->d->qpos, t->start, m->nq);
  cr_zero(t->way, m->nv);
  t->way[t->c.dof] = at - t->value;
  CR_TRY(cr_integrate_pos(m, t->d->qpos, t->way, 1, error));
  if (cr_forward(m, t->d) != CR_OK) {
    return cri_fail(error, t->d->error.status, "sweep for jumps at %.9g: %s", (double)at,
                    t->d->error.text);
  }
  for (int i = 0; i < m->nv; i++) {
    value[i] = t->d->qfrc_constraint[i] + t->d->qfrc_pressure[i];
  }
  *contacts = t->d->ncon;
  return CR_OK;
}

// contacts alone, solved to rounding, each pose by itself
static void still(cr_model* m) {
  m->disableflags |= CR_DSBL_GRAVITY | CR_DSBL_SPRING | CR_DSBL_ACTUATION | CR_DSBL_WARMSTART;
  cr_zero(m->wind, 3);
  m->tolerance = 0;
  m->iterations = m->iterations > 200 ? m->iterations : 200;
}

static cr_status open_track(const cri_call* call, track* t, const cr_model* m,
                            const cr_data* start) {
  CR_TRY(cr_model_copy(&t->m, m, call->error));
  still(t->m);
  CR_TRY(cr_data_create(&t->d, t->m, call->error));
  t->start = malloc((size_t)(m->nq + m->nv) * sizeof *t->start);
  t->unit = malloc((size_t)m->nv * sizeof *t->unit);
  if (t->start == NULL || t->unit == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "%s: no memory", call->name);
  }
  t->way = t->start + m->nq;
  const int parts = CR_STATE_QPOS | CR_STATE_MOCAP_POS | CR_STATE_MOCAP_QUAT | CR_STATE_EQ_ACTIVE;
  if (cr_state_copy(t->m, start, t->d, parts) != CR_OK) {
    return cri_fail(call->error, t->d->error.status, "%s", t->d->error.text);
  }
  cr_copy(t->start, t->d->qpos, m->nq);
  t->value = t->c.scalar ? t->start[m->jnt_qposadr[t->c.joint]] : 0;
  for (int i = 0; i < m->nv; i++) {
    t->unit[i] = is_straight(m, i) ? 0 : 1;
  }
  return CR_OK;
}

static void close_track(track* t) {
  free(t->start);
  free(t->unit);
  cr_data_destroy(t->d);
  cr_model_destroy(t->m);
}

static cr_status search(track* t, const cr_jumps_options* o, cr_jumps** jumps, cr_error* error) {
  cr_real range[2] = {o->from, o->to};
  if (o->from == 0 && o->to == 0) {
    default_range(t->m, &t->c, t->value, range);
  }
  const cr_jump_sweep sweep = {.size = sizeof sweep,
                               .function = forces_at,
                               .context = t,
                               .n = t->m->nv,
                               .unit = t->unit,
                               .arm = size_moved(t->m, t->c.joint),
                               .from = range[0],
                               .to = range[1],
                               .steps = o->steps,
                               .tolerance = o->tolerance,
                               .resolution = o->resolution};
  return cr_jumps_find(jumps, &sweep, error);
}

cr_status cr_jumps_of_model(cr_jumps** jumps, const cr_model* m, const cr_data* start,
                            const cr_jumps_options* options, cr_error* error) {
  const cri_call call = {"cr_jumps_of_model", error};
  CR_TRY(cri_given(&call, jumps, "where the jumps go"));
  *jumps = NULL;
  CR_TRY(cri_check_data(&call, m, start, CR_DATA_PLAIN, "start"));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_jumps_options"));
  CR_TRY(cri_given(&call, options->coordinate, "the coordinate"));
  track t = {.m = NULL};
  CR_TRY(find_coordinate(&call, m, options->coordinate, &t.c));
  cr_status status = open_track(&call, &t, m, start);
  status = status == CR_OK ? search(&t, options, jumps, error) : status;
  close_track(&t);
  return status;
}
