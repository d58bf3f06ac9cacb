// SPDX-License-Identifier: Apache-2.0
// [contact_law.l1], its derivatives, and what calls of the functions of a law are made of.
#include "solver/contact_law.h"

#include "constraint/rows.h"
#include "law/hunt_crossley.h"
#include "law/ncp.h"
#include "model/added_contact.h"
#include "model/names.h"
#include "solver/friction_cone.h"
#include "solver/friction_cone_bends.h"

_Static_assert((int)CR_MAX_CONTACT_DIM == (int)CR_MAX_CONE, "rows of a contact");
_Static_assert((int)CR_MAX_CONTACT_BENDS == (int)CRI_LAW_BENDS, "bends of a law");

// ---- whose law

// Carom's own, as a program would add them
static const cri_added_contact own[] = {
    [CR_CONTACT_HUNT_CROSSLEY] = {.name = "hunt_crossley",
                                  .options = {.force = cri_hunt_crossley_force,
                                              .jvp = cri_hunt_crossley_jvp,
                                              .vjp = cri_hunt_crossley_vjp,
                                              .bends = cri_hunt_crossley_bends,
                                              .motion = true}},
    [CR_CONTACT_NCP] = {
        .name = "ncp",
        .options = {.force = cri_ncp_force, .jvp = cri_ncp_jvp, .vjp = cri_ncp_vjp}}};
enum { N_OWN = sizeof own / sizeof own[0] };

// NULL: the convex one
static const cri_added_contact* law_of(const cr_model* m, int32_t model) {
  if (model >= CR_CONTACT_ADDED) {
    return &m->contacts->model[model - CR_CONTACT_ADDED];
  }
  return model == CR_CONTACT_CONVEX ? NULL : &own[model];
}

// the contact model of contact c; NULL: the convex one
static const cri_added_contact* model_of(const cr_model* m, const cr_data* d, int c) {
  int32_t model = cri_contact_model_of(m, d->contact_geom[2 * c], d->contact_geom[2 * c + 1]);
  return law_of(m, model);
}

static bool is_contact(const cr_data* d, int row) {
  return d->efc_type[row] >= CR_CNSTR_CONTACT_FRICTIONLESS;
}

// rows from row i on that have one law: all that are no contacts, or those of one contact; NULL: the convex law
typedef struct {
  cr_run rows;
  const cri_added_contact* model;
} piece;

static piece piece_at(const cr_model* m, const cr_data* d, int i, int end) {
  int contacts = d->ne + d->nf + d->nl;
  if (i < contacts) {
    return (piece){{i, end < contacts ? end : contacts}, NULL};
  }
  return (piece){{i, i + cri_rows_block(m, d, i)}, model_of(m, d, d->efc_id[i])};
}

cr_status cri_contact_law_check(const cr_model* m, cr_data* d) {
  for (int i = d->ne + d->nf + d->nl; i < d->nefc; i += cri_rows_block(m, d, i)) {
    const cri_added_contact* x = model_of(m, d, d->efc_id[i]);
    if (x != NULL && d->efc_type[i] == CR_CNSTR_CONTACT_PYRAMIDAL) {
      cr_label geom = cri_label(m, CRI_OBJECT_geom, d->contact_geom[2 * d->efc_id[i]]);
      return cri_fail(&d->error, CR_ERR_UNSUPPORTED,
                      "contact model '%s': forces of the contact of %s are along normal and "
                      "tangents; set the option cone to elliptic",
                      x->name, geom.text);
    }
  }
  return CR_OK;
}

bool cri_contact_law_sees_motion(const cr_model* m) {
  bool motion = false;
  for (int i = CR_CONTACT_CONVEX + 1; i < N_OWN; i++) {
    motion = motion || (own[i].options.motion && cri_contact_in_use(m, i));
  }
  for (int i = 0; i < cri_nadded_contact(m); i++) {
    motion = motion ||
             (m->contacts->model[i].options.motion && cri_contact_in_use(m, CR_CONTACT_ADDED + i));
  }
  return motion;
}

// ---- calls

typedef struct {
  cr_contact_call call;
  cr_contact_numbers at, twin;
  cr_real force[CR_MAX_CONTACT_DIM];
} call_room;

// numbers of the contact at row i, of d or of a tangent twin with its own e
static void gather(const piece* p, int contact, const cr_data* x, const cr_real* e,
                   cr_contact_numbers* to) {
  int i = p->rows.begin, dim = p->rows.end - i;
  cr_copy(to->e, e + i, dim);
  cr_copy(to->D, x->efc_D + i, dim);
  cr_copy(to->friction, x->contact_friction + 5 * contact, 5);
  to->mu = x->contact_mu[contact];
  to->area = x->contact_area[contact];
  to->stiffness = x->contact_stiffness[contact];
  cr_copy(to->hunt_crossley, x->contact_hunt_crossley + 5 * contact, 5);
  if (p->model->options.motion) {
    to->gap = x->efc_pos[i] - x->efc_margin[i];
    to->weight = x->contact_weight[contact];
    cr_copy(to->velocity, x->efc_vel + i, dim);
  }
}

// adds cotangents of the numbers
static void scatter(const piece* p, int contact, const cr_contact_numbers* from, cr_data* bar) {
  int i = p->rows.begin, dim = p->rows.end - i;
  for (int k = 0; k < dim; k++) {
    bar->efc_D[i + k] += from->D[k];
  }
  for (int k = 0; k < 5; k++) {
    bar->contact_hunt_crossley[5 * contact + k] += from->hunt_crossley[k];
    bar->contact_friction[5 * contact + k] += from->friction[k];
  }
  bar->contact_mu[contact] += from->mu;
  bar->contact_area[contact] += from->area;
  bar->contact_stiffness[contact] += from->stiffness;
  if (p->model->options.motion) {
    bar->efc_pos[i] += from->gap;
    bar->efc_margin[i] -= from->gap;
    bar->contact_weight[contact] += from->weight;
    for (int k = 0; k < dim; k++) {
      bar->efc_vel[i + k] += from->velocity[k];
    }
  }
}

static bool is_off(const cr_data* d, cr_run rows) {
  return cr_is_zero(d->efc_D + rows.begin, rows.end - rows.begin);
}

static void begin(const cr_model* m, const cr_data* d, const piece* p, const cr_real* e,
                  call_room* room) {
  int contact = d->efc_id[p->rows.begin];
  // the twin is cleared where it is used
  room->call =
      (cr_contact_call){.size = sizeof room->call,
                        .model = m,
                        .contact = contact,
                        .geom = {d->contact_geom[2 * contact], d->contact_geom[2 * contact + 1]},
                        .dim = p->rows.end - p->rows.begin,
                        .at = &room->at,
                        .force = room->force};
  room->at = (cr_contact_numbers){.mu = 0};
  cr_zero(room->force, CR_MAX_CONTACT_DIM);
  gather(p, contact, d, e, &room->at);
}

// ---- forces

static void contact_force(const cr_model* m, const cr_data* d, const piece* p, const cr_real* e,
                          cr_real* f, int32_t* state) {
  const cr_contact_options* o = &p->model->options;
  int i = p->rows.begin, dim = p->rows.end - i;
  call_room room;
  begin(m, d, p, e, &room);
  if (!is_off(d, p->rows)) {
    // [contact_law.l1]
    o->force(o->user, &room.call);
  }
  cr_copy(f + i, room.force, dim);
  for (int k = i; k < p->rows.end; k++) {
    state[k] = CRI_STATE_ADDED + room.call.zone;
  }
}

void cri_contact_law_force(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                           cr_real* f, int32_t* state) {
  for (int i = rows.begin; i < rows.end;) {
    piece p = piece_at(m, d, i, rows.end);
    if (p.model == NULL) {
      cri_constraint_force(d, p.rows, e, f, state);
    } else {
      contact_force(m, d, &p, e, f, state);
    }
    i = p.rows.end;
  }
}

bool cri_contact_law_is_explicit(const cr_model* m, const cr_data* d, int row) {
  return is_contact(d, row) && model_of(m, d, d->efc_id[row]) == &own[CR_CONTACT_HUNT_CROSSLEY];
}

void cri_contact_law_force_again(const cr_model* m, const cr_data* d, const cr_real* e, cr_real* f,
                                 int32_t* state) {
  for (int i = 0; i < d->nefc;) {
    piece p = piece_at(m, d, i, d->nefc);
    if (p.model == NULL) {
      cri_constraint_force(d, p.rows, e, f, state);
    } else if (p.model != &own[CR_CONTACT_HUNT_CROSSLEY]) {
      contact_force(m, d, &p, e, f, state);
    }
    i = p.rows.end;
  }
}

static void contact_jvp(const cr_model* m, const cr_data* d, const piece* p, const cr_real* e,
                        const cr_data* tan, const cr_real* e_tan, cr_real* f_tan) {
  const cr_contact_options* o = &p->model->options;
  int i = p->rows.begin, dim = p->rows.end - i;
  call_room room;
  begin(m, d, p, e, &room);
  if (!is_off(d, p->rows)) {
    room.twin = (cr_contact_numbers){.mu = 0};
    room.call.twin = &room.twin;
    gather(p, room.call.contact, tan, e_tan, &room.twin);
    o->jvp(o->user, &room.call);
  }
  cr_copy(f_tan + i, room.force, dim);
}

void cri_contact_law_jvp(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                         const cr_data* tan, const cr_real* e_tan, cr_real* f_tan) {
  for (int i = rows.begin; i < rows.end;) {
    piece p = piece_at(m, d, i, rows.end);
    if (p.model == NULL) {
      cri_constraint_jvp(d, p.rows, e, tan, e_tan, f_tan);
    } else {
      contact_jvp(m, d, &p, e, tan, e_tan, f_tan);
    }
    i = p.rows.end;
  }
}

static void contact_vjp(const cr_model* m, const cr_data* d, const piece* p, const cr_real* e,
                        cr_data* bar, const cr_real* f_bar, cr_real* e_bar) {
  const cr_contact_options* o = &p->model->options;
  int i = p->rows.begin, dim = p->rows.end - i;
  call_room room;
  begin(m, d, p, e, &room);
  room.twin = (cr_contact_numbers){.mu = 0};
  if (!is_off(d, p->rows)) {
    room.call.twin = &room.twin;
    cr_copy(room.force, f_bar + i, dim);
    o->vjp(o->user, &room.call);
  }
  cr_copy(e_bar + i, room.twin.e, dim);
  if (bar != NULL) {
    scatter(p, room.call.contact, &room.twin, bar);
  }
}

void cri_contact_law_vjp(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                         cr_data* bar, const cr_real* f_bar, cr_real* e_bar) {
  for (int i = rows.begin; i < rows.end;) {
    piece p = piece_at(m, d, i, rows.end);
    if (p.model == NULL) {
      cri_constraint_vjp(d, p.rows, e, bar, f_bar, e_bar);
    } else {
      contact_vjp(m, d, &p, e, bar, f_bar, e_bar);
    }
    i = p.rows.end;
  }
}

// ---- of a contact model

cr_status cri_contact_law_force_all(const cr_model* m, cr_data* d) {
  CR_TRY(cri_contact_law_check(m, d));
  cri_contact_law_force(m, d, cri_all_rows(d), d->acc_jar, d->acc_force, d->efc_state);
  return CR_OK;
}

void cri_contact_law_force_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                               const cr_real* e_tan, cr_real* f_tan) {
  cri_contact_law_jvp(m, d, cri_all_rows(d), d->acc_jar, tan, e_tan, f_tan);
}

void cri_contact_law_force_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                               const cr_real* f_bar, cr_real* e_bar) {
  cri_contact_law_vjp(m, d, cri_all_rows(d), d->acc_jar, bar, f_bar, e_bar);
}

// ---- events

void cri_contact_law_bends(const cr_model* m, const cr_data* d, int row,
                           cr_real bend[CRI_LAW_BENDS]) {
  const cri_added_contact* x = is_contact(d, row) ? model_of(m, d, d->efc_id[row]) : NULL;
  if (x == NULL) {
    cri_friction_cone_bends(m, d, row, bend);
    return;
  }
  bend[0] = bend[1] = 1;
  if (x->options.bends == NULL || d->contact_efc_address[d->efc_id[row]] != row) {
    return;
  }
  piece p = piece_at(m, d, row, d->nefc);
  call_room room;
  begin(m, d, &p, d->acc_jar, &room);
  room.call.bend[0] = room.call.bend[1] = 1;
  x->options.bends(x->options.user, &room.call);
  cr_copy(bend, room.call.bend, CRI_LAW_BENDS);
}

bool cri_contact_law_has_directions(const cr_model* m, const cr_data* d, int row) {
  const cri_added_contact* x = model_of(m, d, d->efc_id[row]);
  return cri_friction_cone_has_directions(m, d, row) || (x != NULL && x->options.directed);
}
