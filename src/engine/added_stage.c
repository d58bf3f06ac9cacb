// SPDX-License-Identifier: Apache-2.0
// Calls of stages that were added to a model, and their place in the schedule.
#include "engine/added_stage.h"

#include <ctype.h>

#include "model/misuse.h"
#include "model/schedule.h"

const char* cri_first_added(const cr_model* m) {
  const cri_schedule* s = cri_schedule_of(m);
  for (int i = 0; i < s->ndynamics && s->nadded > 0; i++) {
    if (s->row[i].added != NULL && cri_added_runs(m, s->row[i].added)) {
      return s->row[i].name;
    }
  }
  return NULL;
}

const char* cr_model_stage(const cr_model* m, int i) {
  return m != NULL && i >= 0 && i < cri_schedule_of(m)->n ? cri_schedule_of(m)->row[i].name : NULL;
}

// ---- calls

// shape and numbers of a field, and its numbers in a twin, NULL if the twin has none
static cr_stage_field field_of(const cr_model* m, const cr_data* d, const cr_data* twin,
                               cr_field_id id) {
  cr_stage_field f = {.rows = cri_field_rows(m, d, id), .width = cri_field_width(m, id)};
  f.count = f.rows * f.width;
  f.value = cri_field_real(m, d, id);
  if (cri_field(id)->tangent != CR_TANGENT_NONE) {
    f.tangent = cri_field_tangent_size(m, d, id);
    f.twin = twin == NULL ? NULL : cri_field_real(&twin->par, twin, id);
  }
  return f;
}

// arguments of the stage; d->stage_before holds the fields it changes, before the change, and its room
static cr_stage_call* call_of(cri_stage_call* room, const cri_schedule* s, int i, const cr_model* m,
                              const cr_data* d, cr_data* to) {
  const cri_added* a = s->row[i].added;
  cr_real* before = d->stage_before + cri_schedule_before(s, i, m, d);
  for (int k = 0; k < a->nread + a->nchange; k++) {
    cr_stage_field* f = &room->field[k];
    if (k < a->nread && cri_field(a->uses[k])->kind == CR_KIND_OP) {
      *f = (cr_stage_field){0};
      continue;
    }
    *f = field_of(m, d, to == d ? NULL : to, a->uses[k]);
    if (k >= a->nread) {
      f->value = before;
      before += cri_field_capacity(m, d, a->uses[k]) * f->width;
    }
  }
  room->call = (cr_stage_call){.size = sizeof room->call,
                               .model = m,
                               .nread = a->nread,
                               .nchange = a->nchange,
                               .read = room->field,
                               .change = room->field + a->nread,
                               .time = d->time,
                               .room = before,
                               .scratch = cri_push(to, a->needs.scratch)};
  room->d = d;
  room->to = to;
  return &room->call;
}

static cr_status check(const cri_added* a, cr_status status, const char* what, cr_error* error) {
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "stage '%s': its %s says: %s", a->name, what,
                                    cr_status_text(status));
}

static cr_status check_result(const cri_added* a, const cr_stage_field* f, int k, const cr_model* m,
                              cr_data* d) {
  const cr_field_id id = a->uses[a->nread + k];
  for (int i = 0; i < f->count; i++) {
    if (!isfinite(f->result[i])) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "stage '%s' makes number %d of %s not finite",
                      a->name, i, cri_field(id)->name);
    }
  }
  if (!cri_field_of_model(id)) {
    return CR_OK;
  }
  const cr_field_range range = cri_field_range(m, id);
  for (int i = 0; i < f->count; i++) {
    if (f->result[i] < range.low || f->result[i] > range.high) {
      return cri_fail(&d->error, CR_ERR_MODEL, "stage '%s' makes number %d of %s %g, %s than %g",
                      a->name, i, cri_field(id)->name, (double)f->result[i],
                      f->result[i] < range.low ? "less" : "more",
                      (double)(f->result[i] < range.low ? range.low : range.high));
    }
  }
  return CR_OK;
}

// ---- parameters: their numbers of this moment begin with those of the model       [correction.p1]

static cr_status check_view(const cri_added* a, const cr_model* m, cr_data* to) {
  for (int k = 0; k < a->nchange; k++) {
    if (cri_field_of_model(a->uses[a->nread + k]) && m->base == NULL) {
      return cri_fail(&to->error, CR_ERR_ARG,
                      "the data were made before stage '%s' was added; make them again", a->name);
    }
  }
  return CR_OK;
}

static void begin_forward(const cri_added* a, const cr_model* m, cr_data* d) {
  for (int k = 0; k < a->nchange; k++) {
    const cr_field_id id = a->uses[a->nread + k];
    if (a->begins[k]) {
      cr_copy(cri_field_real(m, d, id), cri_field_real(m->base, d, id),
              cri_field_rows(m, d, id) * cri_field_width(m, id));
    }
  }
}

static void begin_jvp(const cri_added* a, const cr_model* m, const cr_data* tan) {
  for (int k = 0; k < a->nchange; k++) {
    const cr_field_id id = a->uses[a->nread + k];
    const cr_real* own = a->begins[k] ? cri_twin_own(tan, id) : NULL;
    const int n = a->begins[k] ? cri_field_tangent_size(m, NULL, id) : 0;
    cr_real* twin = n > 0 ? cri_field_real(&tan->par, NULL, id) : NULL;
    if (own != NULL) {
      cr_copy(twin, own, n);
    } else if (n > 0) {
      cr_zero(twin, n);
    }
  }
}

static void end_vjp(const cri_added* a, const cr_model* m, const cr_data* bar) {
  for (int k = 0; k < a->nchange; k++) {
    const cr_field_id id = a->uses[a->nread + k];
    cr_real* own = a->begins[k] ? cri_twin_own(bar, id) : NULL;
    const int n = a->begins[k] ? cri_field_tangent_size(m, NULL, id) : 0;
    cr_real* twin = n > 0 ? cri_field_real(&bar->par, NULL, id) : NULL;
    for (int i = 0; i < n; i++) {
      if (own != NULL) {
        own[i] += twin[i];
      }
      twin[i] = 0;
    }
  }
}

cr_status cri_added_forward(const cri_schedule* s, int i, const cr_model* m, cr_data* d) {
  const cri_added* a = s->row[i].added;
  CR_TRY(check_view(a, m, d));
  begin_forward(a, m, d);
  if (!cri_added_runs(m, a)) {
    return CR_OK;
  }
  if (cri_schedule_before(s, i + 1, m, d) > d->nbefore) {
    return cri_fail(&d->error, CR_ERR_ARG,
                    "the data were made before stage '%s' was added; make them again", a->name);
  }
  cri_stage_call room;
  size_t mark = cri_mark(d);
  cr_stage_call* call = call_of(&room, s, i, m, d, d);
  for (int k = 0; k < a->nchange; k++) {
    cr_stage_field* f = &room.field[a->nread + k];
    f->result = cri_field_real(m, d, a->uses[a->nread + k]);
    cr_copy(d->stage_before + (f->value - d->stage_before), f->result, f->count);
  }
  cr_status status = a->forward(a->user, call);
  cri_pop(d, mark);
  CR_TRY(check(a, status, "forward", &d->error));
  for (int k = 0; k < a->nchange; k++) {
    CR_TRY(check_result(a, &room.field[a->nread + k], k, m, d));
  }
  return a->finish == NULL ? CR_OK : a->finish(a->user, m, d);
}

static cr_status call_derivative(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                                 cr_data* twin, cr_stage_function* f, const char* what) {
  const cri_added* a = s->row[i].added;
  if (!cri_added_runs(m, a)) {
    return CR_OK;
  }
  if (f == NULL) {
    return cri_fail(&twin->error, CR_ERR_UNSUPPORTED,
                    "stage '%s' has no %s, which this derivative needs", a->name, what);
  }
  cri_stage_call room;
  size_t mark = cri_mark(twin);
  cr_status status = f(a->user, call_of(&room, s, i, m, d, twin));
  cri_pop(twin, mark);
  return check(a, status, what, &twin->error);
}

cr_status cri_added_jvp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* tan) {
  const cri_added* a = s->row[i].added;
  CR_TRY(check_view(a, m, tan));
  begin_jvp(a, m, tan);
  return call_derivative(s, i, m, d, tan, a->jvp, "jvp");
}

cr_status cri_added_vjp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* bar) {
  const cri_added* a = s->row[i].added;
  CR_TRY(check_view(a, m, bar));
  CR_TRY(call_derivative(s, i, m, d, bar, a->vjp, "vjp"));
  end_vjp(a, m, bar);
  return CR_OK;
}

// ---- its place

static bool has(const cr_field_id* ids, int n, cr_field_id id) {
  for (int i = 0; i < n; i++) {
    if (ids[i] == id) {
      return true;
    }
  }
  return false;
}

static int row_of(const cri_schedule* s, const char* name) {
  for (int i = 0; i < s->n; i++) {
    if (strcmp(s->row[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static int table_row_of(const char* name) {
  for (int i = 0; i < cr_npipeline; i++) {
    if (strcmp(cr_pipeline[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

// the row of the table that writes a field; -1 for inputs, parameters and fields that the table leaves out
static int maker_of(cr_field_id id) {
  for (int i = 0; i < cr_npipeline; i++) {
    if (has(cr_pipeline[i].writes, cr_pipeline[i].nwrite, id)) {
      return i;
    }
  }
  return -1;
}

// place of a stage: before row `at` of s, behind row `table` of the table
typedef struct {
  const cri_schedule* s;
  const char* name;
  int at, table;
  cr_error* error;
} place;

// the row of the table that row i of the schedule is, or behind which it runs
static int table_row_at(const cri_schedule* s, int i) {
  while (i >= 0 && s->row[i].added != NULL) {
    i--;
  }
  return i >= 0 ? table_row_of(s->row[i].name) : -1;
}

// behind a stage that was added, or behind a row of the table and all stages added there; a model may
// lack that row itself
static cr_status find_place(place* p, const char* after) {
  const cri_schedule* s = p->s;
  p->table = table_row_of(after);
  for (int i = 0; i < s->n; i++) {
    if (s->row[i].added != NULL && strcmp(s->row[i].name, after) == 0) {
      p->at = i + 1;
      p->table = table_row_at(s, i);
      return CR_OK;
    }
  }
  if (p->table < 0) {
    return cri_fail(p->error, CR_ERR_NAME, "stage '%s': there is no stage '%s' to run behind",
                    p->name, after);
  }
  for (p->at = 0; p->at < s->n && table_row_at(s, p->at) <= p->table; p->at++) {
  }
  return CR_OK;
}

static cr_status find_field(const place* p, const char* name, cr_field_id* id) {
  *id = name == NULL ? CR_N_FIELD : cri_field_find(name);
  if (*id == CR_N_FIELD) {
    const char* near = name == NULL ? "" : cri_field_nearest(name);
    return cri_fail(p->error, CR_ERR_NAME, "stage '%s': there is no field '%s'%s%s%s", p->name,
                    name == NULL ? "" : name, near[0] != 0 ? "; '" : "", near,
                    near[0] != 0 ? "' may be meant" : "");
  }
  return CR_OK;
}

static cr_status refuse(const place* p, cr_field_id id, const char* why) {
  return cri_fail(p->error, CR_ERR_UNSUPPORTED, "stage '%s' %s: %s", p->name, why,
                  cri_field(id)->name);
}

// true for computed numbers that carry their own derivative
static cr_status check_read(const place* p, cr_field_id id, bool inner) {
  cr_field_kind kind = cri_field(id)->kind;
  int maker = maker_of(id);
  bool operator= inner && kind == CR_KIND_OP;
  if (kind == CR_KIND_CONST || kind == CR_KIND_STATE) {
    return CR_OK;
  }
  if (kind != CR_KIND_PARAM && ((kind != CR_KIND_REAL && !operator) || maker < 0)) {
    return refuse(p, id, "cannot read fields that are not plain numbers of the dynamics");
  }
  if (maker > p->table) {
    return cri_fail(p->error, CR_ERR_UNSUPPORTED, "stage '%s' reads %s, which '%s' computes later",
                    p->name, cri_field(id)->name, cr_pipeline[maker].name);
  }
  if (kind != CR_KIND_PARAM && cri_field(id)->tangent == CR_TANGENT_NONE) {
    return refuse(p, id, "cannot read a field without a derivative of its own");
  }
  for (int i = p->at; i < p->s->n; i++) {
    const cr_stage* row = &p->s->row[i];
    if (row->added != NULL && has(row->writes, row->nwrite, id)) {
      return cri_fail(p->error, CR_ERR_UNSUPPORTED, "stage '%s' reads %s, which '%s' changes later",
                      p->name, cri_field(id)->name, row->name);
    }
  }
  return CR_OK;
}

// no stage may have read a changed field: derivatives would see other numbers than the stage did
static cr_status check_unread(const place* p, cr_field_id id, int maker) {
  const char* reader = NULL;
  for (int i = maker + 1; i <= p->table; i++) {
    reader = reader == NULL && has(cr_pipeline[i].reads, cr_pipeline[i].nread, id)
                 ? cr_pipeline[i].name
                 : reader;
  }
  for (int i = 0; i < p->at; i++) {
    const cr_stage* row = &p->s->row[i];
    bool reads = row->added != NULL && has(row->reads, row->added->nread, id);
    reader = reads ? row->name : reader;
  }
  if (reader == NULL && maker >= 0 && maker < cr_ndynamics && p->table >= cr_ndynamics - 1) {
    reader = cr_pipeline[cr_ndynamics - 1].name;
  }
  return reader == NULL ? CR_OK
                        : cri_fail(p->error, CR_ERR_UNSUPPORTED,
                                   "stage '%s' changes %s, which '%s' has used before", p->name,
                                   cri_field(id)->name, reader);
}

// Numbers of a model that decide what other fields hold: bounds of shapes, types of a path's elements.
static const char* why_fixed(cr_field_id id) {
  switch ((int)id) {
    case CR_FIELD_geom_size:
    case CR_FIELD_hfield_size:
    case CR_FIELD_hfield_data:
      return "cannot change a shape, whose bounds are found when the model is opened";
    case CR_FIELD_wrap_prm:
      return "cannot change the elements of paths, some of which are numbers of sites";
    case CR_FIELD_jnt_axis:
      return "cannot change a direction of unit length";
    case CR_FIELD_plugin_param:
      return "cannot change the parameters of added stages";
    default:
      return cri_field(id)->tangent == CR_TANGENT_SAME
                 ? NULL
                 : "cannot change an orientation, or a field without a derivative";
  }
}

// Fields on which others than their readers rely: implicit integrators differentiate forces by velocities that are
// J qvel, and the cone that a solve relies on holds between its mu and the D of its rows.
static bool is_tied(cr_field_id id) {
  return id == CR_FIELD_cvel || id == CR_FIELD_cdof_dot || id == CR_FIELD_efc_D ||
         id == CR_FIELD_contact_mu;
}

static cr_status check_change(const place* p, cr_field_id id, bool inner) {
  const cr_field* f = cri_field(id);
  int maker = maker_of(id);
  if (f->kind == CR_KIND_PARAM) {
    return why_fixed(id) == NULL ? check_unread(p, id, -1) : refuse(p, id, why_fixed(id));
  }
  bool operator=
      inner &&(id == CR_FIELD_ten_J || id == CR_FIELD_actuator_moment || id == CR_FIELD_M);
  if ((f->kind != CR_KIND_REAL && !operator) || maker < 0) {
    return refuse(p, id,
                  "can change only computed numbers and parameters, not an input or an operator");
  }
  if (f->tangent != CR_TANGENT_SAME) {
    return refuse(p, id, "cannot change an orientation, or a field without a derivative");
  }
  if (is_tied(id) && !inner) {
    return refuse(p, id, "cannot change a field that has to fit to other fields");
  }
  if (maker == cr_ndynamics - 1) {
    return refuse(p, id,
                  "cannot change the unknowns of the acceleration, only the forces before it");
  }
  if (maker > p->table) {
    return cri_fail(p->error, CR_ERR_UNSUPPORTED,
                    "stage '%s' changes %s, which '%s' computes later", p->name, f->name,
                    cr_pipeline[maker].name);
  }
  return check_unread(p, id, maker);
}

static cr_status find_uses(const place* p, const cr_stage_options* o, cri_added* a) {
  a->nread = o->nread;
  a->nchange = o->nchange;
  for (int k = 0; k < o->nread + o->nchange; k++) {
    bool reads = k < o->nread;
    cr_field_id* id = &a->uses[k];
    CR_TRY(find_field(p, reads ? o->reads[k] : o->changes[k - o->nread], id));
    if (has(a->uses, k, *id)) {
      return cri_fail(p->error, CR_ERR_ARG, "stage '%s' names %s twice%s", a->name,
                      cri_field(*id)->name, reads ? "" : "; what it changes it may read too");
    }
    CR_TRY(reads ? check_read(p, *id, a->inner) : check_change(p, *id, a->inner));
  }
  return CR_OK;
}

static bool is_word(const char* name) {
  size_t n = 0;
  for (; name[n] != 0; n++) {
    if (n >= CR_MAX_STAGE_NAME || (!isalnum((unsigned char)name[n]) && name[n] != '_')) {
      return false;
    }
  }
  return n > 0;
}

static cr_status check_options(const cri_call* call, const cr_stage_options* o,
                               const cri_schedule* s) {
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_stage_options"));
  CR_TRY(cri_given(call, o->name, "name"));
  CR_TRY(cri_given(call, o->after, "after"));
  if (!is_word(o->name)) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: '%.60s' is no name of letters, digits and _",
                    call->name, o->name);
  }
  if (table_row_of(o->name) >= 0 || row_of(s, o->name) >= 0) {
    return cri_fail(call->error, CR_ERR_NAME, "there is a stage '%s' already", o->name);
  }
  if (o->nread < 0 || o->nread > CR_MAX_STAGE_READS || o->nchange < 1 ||
      o->nchange > CR_MAX_STAGE_CHANGES) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "stage '%s': it reads %d fields (%d at most) and changes %d (1 to %d)", o->name,
                    o->nread, CR_MAX_STAGE_READS, o->nchange, CR_MAX_STAGE_CHANGES);
  }
  CR_TRY(o->nread > 0 ? cri_given(call, o->reads, "reads") : CR_OK);
  CR_TRY(cri_given(call, o->changes, "changes"));
  const int most = CR_MAX_STAGE_ROOM;
  if (o->room < 0 || o->room_row < 0 || o->scratch < 0 || o->room > most || o->room_row > most ||
      o->scratch > most) {
    return cri_fail(call->error, CR_ERR_ARG,
                    "stage '%s': room %d, room_row %d, scratch %d (0 to %d each)", o->name, o->room,
                    o->room_row, o->scratch, most);
  }
  return o->forward != NULL ? CR_OK : cri_is_null(call, "forward");
}

static cr_status insert(cr_model* m, const place* p, const cr_stage* row) {
  cr_stage rows[CR_MAX_STAGES];
  const cri_schedule* s = p->s;
  if (s->n >= CR_MAX_STAGES) {
    return cri_fail(p->error, CR_ERR_ARG, "stage '%s': a model has room for %d stages", p->name,
                    CR_MAX_STAGES);
  }
  for (int i = 0; i < s->n; i++) {
    rows[i < p->at ? i : i + 1] = s->row[i];
  }
  rows[p->at] = *row;
  int nprepare = s->nprepare + (p->at <= s->nprepare), ndynamics = s->ndynamics;
  ndynamics += p->at <= s->nprepare;
  const cri_schedule* made = cri_schedule_create(rows, s->n + 1, nprepare, ndynamics);
  if (made == NULL) {
    return cri_fail(p->error, CR_ERR_MEMORY, "stage '%s': no memory", p->name);
  }
  cri_schedule_release(m->schedule);
  m->schedule = made;
  return CR_OK;
}

static cr_status add(cr_model* m, const cr_stage_options* options, int32_t contact,
                     const cri_inner_stage* inner, cr_error* error) {
  const cri_call call = {"cr_model_add_stage", error};
  CR_TRY(cri_given(&call, m, "the model"));
  const cri_schedule* s = cri_schedule_of(m);
  CR_TRY(check_options(&call, options, s));
  cri_added a = {.forward = options->forward,
                 .jvp = options->jvp,
                 .vjp = options->vjp,
                 .user = options->user,
                 .contact = contact,
                 .room = options->room,
                 .room_row = options->room_row,
                 .inner = inner != NULL};
  if (inner != NULL) {
    a.needs = inner->pairs;
    a.scratch_row = inner->scratch_row;
    a.share = inner->share;
    a.release = inner->release;
    a.finish = inner->finish;
  }
  a.needs.scratch = (size_t)options->scratch;
  memcpy(a.name, options->name, strlen(options->name) + 1);
  place p = {.s = s, .name = a.name, .error = error};
  CR_TRY(find_place(&p, options->after));
  CR_TRY(find_uses(&p, options, &a));
  a.room_of = inner != NULL ? inner->room_of : a.uses[a.nread];
  const cr_stage row = {.name = a.name,
                        .reads = a.uses,
                        .writes = a.uses + a.nread,
                        .nread = a.nread + a.nchange,
                        .nwrite = a.nchange,
                        .added = &a};
  return insert(m, &p, &row);
}

cr_status cr_model_add_stage(cr_model* m, const cr_stage_options* options, cr_error* error) {
  return cri_added_add(m, options, 0, error);
}

cr_status cri_added_add(cr_model* m, const cr_stage_options* options, int32_t contact,
                        cr_error* error) {
  return add(m, options, contact, NULL, error);
}

cr_status cri_inner_stage_add(cr_model* m, const cr_stage_options* options,
                              const cri_inner_stage* inner, cr_error* error) {
  return add(m, options, 0, inner, error);
}
// ---- where all fields of a stage are made

typedef struct {
  int row;            // -1: no row makes one
  cr_field_id field;  // which of them is made there
} making;

// the last row that writes one of the fields
static making last_maker(const cr_stage* rows, int nrow, const cr_field_id* field, int n) {
  making last = {-1, field[0]};
  for (int i = 0; i < nrow; i++) {
    for (int k = 0; k < n; k++) {
      if (has(rows[i].writes, rows[i].nwrite, field[k])) {
        last = (making){i, field[k]};
      }
    }
  }
  return last;
}

cr_status cri_added_after(const cr_model* m, const char* name, const cr_field_id* field, int n,
                          const char** after, cr_error* error) {
  const cri_schedule* s = cri_schedule_of(m);
  const making last = last_maker(s->row, s->n, field, n);
  const making changed = last_maker(s->row, s->n, field, 1);
  if (last.row < 0) {  // a model without such rows: where the table has them
    const making in_table = last_maker(cr_pipeline, cr_npipeline, field, n);
    *after = cr_pipeline[in_table.row >= 0 ? in_table.row : 0].name;
    return CR_OK;
  }
  *after = s->row[last.row].name;
  const bool made = changed.row >= 0 || cri_field_of_model(field[0]);
  for (int i = changed.row + 1; made && i <= last.row; i++) {
    const cr_stage* row = &s->row[i];
    if (has(row->reads, row->added != NULL ? row->added->nread : row->nread, field[0])) {
      return cri_fail(error, CR_ERR_UNSUPPORTED,
                      "stage '%s' changes %s and reads %s, which '%s' makes, but '%s' has used %s "
                      "before",
                      name, cri_field(field[0])->name, cri_field(last.field)->name, *after,
                      row->name, cri_field(field[0])->name);
    }
  }
  return CR_OK;
}

bool cri_added_changes(const cr_model* m, cr_field_id field) {
  const cri_schedule* s = cri_schedule_of(m);
  for (int i = 0; i < s->n && s->nadded > 0; i++) {
    if (s->row[i].added != NULL && has(s->row[i].writes, s->row[i].nwrite, field)) {
      return true;
    }
  }
  return false;
}

void* cri_added_user(const cr_model* m, cr_stage_function* forward, int i) {
  const cri_schedule* s = cri_schedule_of(m);
  for (int row = 0; row < s->n; row++) {
    const cri_added* a = s->row[row].added;
    if (a != NULL && a->forward == forward && i-- == 0) {
      return a->user;
    }
  }
  return NULL;
}

// ---- states of added stages

cr_status cr_model_add_state(cr_model* m, int n, int* first, cr_error* error) {
  const cri_call call = {"cr_model_add_state", error};
  CR_TRY(cri_given(&call, m, "the model"));
  if (n < 1 || n > CR_MAX_STAGE_STATES - m->npluginstate) {
    return cri_fail(error, CR_ERR_ARG, "cr_model_add_state: %d numbers beside %d (1 to %d in all)",
                    n, m->npluginstate, CR_MAX_STAGE_STATES);
  }
  const cri_schedule* s = cri_schedule_of(m);
  if (strcmp(s->row[0].name, cr_pipeline[0].name) != 0) {
    // the row that initialises their rates, which nothing before needed
    const place p = {.s = s, .name = cr_pipeline[0].name, .error = error};
    CR_TRY(insert(m, &p, &cr_pipeline[0]));
  }
  if (first != NULL) {
    *first = m->npluginstate;
  }
  m->npluginstate += n;
  return CR_OK;
}

cr_status cr_model_add_parameters(cr_model* m, int n, const cr_real* values, int* first,
                                  cr_error* error) {
  const cri_call call = {"cr_model_add_parameters", error};
  CR_TRY(cri_given(&call, m, "the model"));
  if (n < 1 || n > CR_MAX_STAGE_PARAMETERS - m->npluginparam) {
    return cri_fail(error, CR_ERR_ARG, "%s: %d numbers beside %d (1 to %d in all)", call.name, n,
                    m->npluginparam, CR_MAX_STAGE_PARAMETERS);
  }
  for (int i = 0; i < n && values != NULL; i++) {
    if (!isfinite(values[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "%s: number %d is not finite", call.name, i);
    }
  }
  if (m->memory == NULL) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: the model borrows the numbers of another",
                    call.name);
  }
  const int before = m->npluginparam;
  CR_TRY(cri_model_add_params(m, n, values, error));
  if (first != NULL) {
    *first = before;
  }
  return CR_OK;
}

// ---- consequences of the fields it changes

// whether a row of the table reads a field
static bool reads(const char* row, cr_field_id id) {
  const cr_stage* stage = &cr_pipeline[table_row_of(row)];
  return has(stage->reads, stage->nread, id);
}

// parameters from which places, and distances of rows, are made
static bool is_motion_param(cr_field_id id) {
  static const cr_field_id distances[] = {
      CR_FIELD_o_margin,      CR_FIELD_geom_margin, CR_FIELD_pair_margin,
      CR_FIELD_jnt_range,     CR_FIELD_jnt_margin,  CR_FIELD_tendon_range,
      CR_FIELD_tendon_margin, CR_FIELD_eq_data,     CR_FIELD_tendon_length0};
  return reads("kinematics", id) || reads("tendon", id) || reads("collision", id) ||
         has(distances, (int)(sizeof distances / sizeof distances[0]), id);
}

// With events the rate of a row's distance must be its velocity: the fields from which both are made may not change. Of
// the outputs of mixing only the margin is one of these.
static bool is_motion(cr_field_id id) {
  int maker = maker_of(id);
  if (cri_field_of_model(id)) {
    return is_motion_param(id);
  }
  bool mixed = maker == table_row_of("mixing") && id != CR_FIELD_contact_includemargin &&
               id != CR_FIELD_contact_surfacevel && id != CR_FIELD_contact_adhesion;
  return (maker <= table_row_of("constraint") && !mixed) || maker == table_row_of("velocity") ||
         id == CR_FIELD_efc_vel;
}

const char* cri_first_moving(const cr_model* m) {
  const cri_schedule* s = cri_schedule_of(m);
  for (int i = 0; i < s->ndynamics && s->nadded > 0; i++) {
    bool runs = s->row[i].added != NULL && cri_added_runs(m, s->row[i].added);
    for (int k = 0; k < s->row[i].nwrite && runs; k++) {
      if (is_motion(s->row[i].writes[k])) {
        return s->row[i].name;
      }
    }
  }
  return NULL;
}
