// SPDX-License-Identifier: Apache-2.0
// Calls into libmujoco that may fail, and the copy of an mjModel into a cr_model: both have a table
// of their fields, and the copy matches the two by name.
#include "io/mujoco.h"

#include <ctype.h>
#include <mujoco/mjxmacro.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "io/repair.h"
#include "model/build.h"
#include "model/fields.h"
#include "model/hull.h"
#include "tools/files.h"

// where to return on a fatal error of libmujoco, and its message
static _Thread_local jmp_buf* escape;
static _Thread_local char fatal_text[1024];

// libmujoco's own: the handler of the calling thread, which comes before that of the process. The handler of the process
// belongs to the host program and is never changed
extern mjfLogHandler _mjPRIVATE_setTlsLogHandler(mjfLogHandler handler);

static void on_message(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR && escape != NULL) {
    (void)snprintf(fatal_text, sizeof fatal_text, "%s", message->subject);
    longjmp(*escape, 1);
  }
}

cr_status cri_mujoco_guard(cr_status (*work)(void*), void* context, const char* what,
                           cr_error* error) {
  jmp_buf here;
  jmp_buf* const outer = escape;
  const mjfLogHandler before = _mjPRIVATE_setTlsLogHandler(on_message);
  const cri_locale locale = cri_locale_enter();
  cr_status status;
  if (setjmp(here) == 0) {
    escape = &here;
    status = work(context);
  } else {
    status = cri_fail(error, CR_ERR_MODEL, "%s: %s", what, fatal_text);
  }
  escape = outer;
  cri_locale_leave(locale);
  (void)_mjPRIVATE_setTlsLogHandler(before);
  return status;
}

typedef struct {
  const char* path;
  const mjVFS* vfs;
  bool keep;  // also the specification of the model
  mjSpec* spec;
  mjModel* model;
  char text[1000];
} load_context;

static cr_status load(void* context) {
  load_context* c = context;
  if (!c->keep) {
    c->model = mj_loadXML(c->path, c->vfs, c->text, (int)sizeof c->text);
    return c->model != NULL ? CR_OK : CR_ERR_MODEL;
  }
  mj_deleteSpec(c->spec);
  c->spec = mj_parseXML(c->path, c->vfs, c->text, (int)sizeof c->text);
  c->model = c->spec != NULL ? mj_compile(c->spec, c->vfs) : NULL;
  if (c->spec != NULL && c->model == NULL) {
    (void)snprintf(c->text, sizeof c->text, "%s", mjs_getError(c->spec));
  }
  return c->model != NULL ? CR_OK : CR_ERR_MODEL;
}

static cr_status load_guarded(load_context* context, cr_error* error) {
  cr_error inner = {0};
  if (cri_mujoco_guard(load, context, context->path, &inner) == CR_OK) {
    return CR_OK;
  }
  if (inner.text[0] != 0) {
    return cri_fail(error, CR_ERR_MODEL, "%s", inner.text);
  }
  size_t n = strlen(context->text);
  while (n > 0 && isspace((unsigned char)context->text[n - 1])) {
    context->text[--n] = 0;
  }
  for (char* c = context->text; *c != 0; c++) {
    *c = *c == '\n' ? ' ' : *c;
  }
  return cri_fail(error, CR_ERR_MODEL, "%s: %s", context->path, context->text);
}

// once more, without the attribute that 4.0.0 refuses
static cr_status load_repaired(load_context* context, cr_load_report* report, cr_error* error) {
  mjVFS vfs;
  bool changed = false;
  mj_defaultVFS(&vfs);
  cr_status status = cri_mjcf_repair(&vfs, context->path, &changed, report, error);
  if (status == CR_OK) {
    context->vfs = &vfs;
    status = load_guarded(context, error);
  }
  mj_deleteVFS(&vfs);
  return status;
}

static cr_status load_file(load_context* c, cr_load_report* report, cr_error* error) {
  CR_TRY(cri_file_check(c->path, error));
  cr_error first = {0};
  cr_status status = load_guarded(c, &first);
  if (status != CR_OK && strstr(first.text, "'convexhull'") != NULL) {
    status = load_repaired(c, report, error);
  } else if (status != CR_OK && error != NULL) {
    *error = first;
  }
  return status;
}

cr_status cri_mujoco_load(mjModel** out, const char* path, cr_load_report* report,
                          cr_error* error) {
  load_context context = {.path = path};
  cr_status status = load_file(&context, report, error);
  *out = context.model;
  return status;
}

cr_status cri_mujoco_load_spec(mjSpec** spec, mjModel** out, const char* path,
                               cr_load_report* report, cr_error* error) {
  load_context context = {.path = path, .keep = true};
  cr_status status = load_file(&context, report, error);
  *spec = context.spec;
  *out = context.model;
  return status;
}

const char* cri_mujoco_name(const mjModel* mj, int type, int id) {
  enum { RING = 4, LENGTH = 96 };
  static _Thread_local char ring[RING][LENGTH];
  static _Thread_local int next;
  const char* name = mj_id2name(mj, type, id);
  if (name != NULL && name[0] != 0) {
    return name;
  }
  next = (next + 1) % RING;
  (void)snprintf(ring[next], LENGTH, "#%d", id);
  return ring[next];
}

// ---- the copy

enum { TYPE_int, TYPE_mjtNum, TYPE_mjtByte, TYPE_mjtBool, TYPE_float, TYPE_char };

// enumerators for types that the project does not read, so that the table below compiles
enum { TYPE_uintptr_t = 100, TYPE_uint64_t, TYPE_mjtSize, TYPE_int64_t };

int cri_mujoco_arrays(const mjModel* mj, cri_mujoco_array rows[CRI_MUJOCO_ARRAYS]) {
  int n = 0;
#undef MJ_M
#define MJ_M(n) mj->n
#define X(type, name, nr, nc) \
  rows[n++] = (cri_mujoco_array){#name, TYPE_##type, mj->name, (mjtSize)(mj->nr) * (mjtSize)(nc)};
  MJMODEL_POINTERS
#undef X
#undef MJ_M
#define MJ_M(n) n
  return n;
}

static double element(const cri_mujoco_array* a, mjtSize i) {
  switch (a->type) {
    case TYPE_int:
      return ((const int*)a->data)[i];
    case TYPE_mjtByte:
      return ((const mjtByte*)a->data)[i];
    case TYPE_mjtBool:
      return ((const mjtBool*)a->data)[i];
    case TYPE_mjtNum:
      return ((const mjtNum*)a->data)[i];
    case TYPE_float:
      return (double)((const float*)a->data)[i];
    default:
      return 0;
  }
}

void cri_mujoco_set(const cri_mujoco_array* a, mjtSize i, double value) {
  if (a->type == TYPE_mjtNum) {
    ((mjtNum*)a->data)[i] = value;
  } else if (a->type == TYPE_float) {
    ((float*)a->data)[i] = (float)value;
  }
}

const cri_mujoco_array* cri_mujoco_find(const cri_mujoco_array* rows, int n, const char* name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

static void copy_field(cr_model* m, cr_field_id id, const cri_mujoco_array* from) {
  const cr_field* f = cri_field(id);
  if (f->kind == CR_KIND_CHAR) {
    memcpy(m->names, from->data, (size_t)from->count);
  } else if (f->kind == CR_KIND_INT) {
    int32_t* to = cri_field_index(m, NULL, id);
    for (mjtSize i = 0; i < from->count; i++) {
      to[i] = (int32_t)element(from, i);
    }
  } else {
    cr_real* to = cri_field_real(m, NULL, id);
    for (mjtSize i = 0; i < from->count; i++) {
      to[i] = (cr_real)element(from, i);
    }
  }
}

// M keeps an entry for every dof and ancestor: the entries that MuJoCo drops for "simple" bodies are
// zero, but their derivatives are not
static int count_ancestors(const mjModel* mj) {
  int n = 0;
  for (int i = 0; i < mj->nv; i++) {
    for (int j = i; j >= 0; j = mj->dof_parentid[j]) {
      n++;
    }
  }
  return n;
}

static void copy_sizes_and_options(cr_model* m, const mjModel* mj) {
  *m = (cr_model){.nq = (int)mj->nq,
                  .nv = (int)mj->nv,
                  .nu = (int)mj->nu,
                  .na = (int)mj->na,
                  .nbody = (int)mj->nbody,
                  .njnt = (int)mj->njnt,
                  .ntree = (int)mj->ntree,
                  .ngeom = (int)mj->ngeom,
                  .nsite = (int)mj->nsite,
                  .nC = count_ancestors(mj),
                  .nactuator = (int)mj->nactuator,
                  .nout = (int)mj->nout,
                  .npair = (int)mj->npair,
                  .nexclude = (int)mj->nexclude,
                  .neq = (int)mj->neq,
                  .nmocap = (int)mj->nmocap,
                  .nkey = (int)mj->nkey,
                  .nkeymocap = (int)(mj->nkey * mj->nmocap),
                  .nmesh = (int)mj->nmesh,
                  .nmeshvert = (int)mj->nmeshvert,
                  .nmeshgraph = (int)mj->nmeshgraph,
                  .nmeshpoly = (int)mj->nmeshpoly,
                  .nmeshpolyvert = (int)mj->nmeshpolyvert,
                  .nmeshpolymap = (int)mj->nmeshpolymap,
                  .nmeshface = (int)mj->nmeshface,
                  .nhfield = (int)mj->nhfield,
                  .nhfielddata = (int)mj->nhfielddata,
                  .ntendon = (int)mj->ntendon,
                  .nwrap = (int)mj->nwrap,
                  .nJten = (int)mj->nJten,
                  .nsensor = (int)mj->nsensor,
                  .nsensordata = (int)mj->nsensordata,
                  .nnames = (int)mj->nnames,
                  .none = 1,
                  .timestep = mj->opt.timestep,
                  .impratio = mj->opt.impratio,
                  .tolerance = 0,
                  .integrator = mj->opt.integrator,
                  .cone = mj->opt.cone,
                  .iterations = 200,
                  .disableflags = mj->opt.disableflags,
                  .enableflags = mj->opt.enableflags,
                  .disableactuator = mj->opt.disableactuator};
}

// colours of materials, where an object has MuJoCo's default colour
static void colour(cr_real* rgba, const int* material, int n, const mjModel* mj) {
  static const cr_real none[] = {0.5, 0.5, 0.5, 1};
  for (int i = 0; i < n; i++) {
    cr_real* own = rgba + 4 * i;
    bool given = own[0] != none[0] || own[1] != none[1] || own[2] != none[2] || own[3] != none[3];
    for (int k = 0; k < 4 && material[i] >= 0 && !given; k++) {
      own[k] = (cr_real)mj->mat_rgba[4 * material[i] + k];
    }
  }
}

// fields that Carom stores in another form than mjModel
static void fill_special(cr_model* m, const mjModel* mj) {
  for (int i = 0; i < 3; i++) {
    m->gravity[i] = mj->opt.gravity[i];
    m->wind[i] = mj->opt.wind[i];
    m->magnetic[i] = mj->opt.magnetic[i];
  }
  m->density[0] = mj->opt.density;
  m->viscosity[0] = mj->opt.viscosity;
  m->o_margin[0] = mj->opt.o_margin;
  for (int i = 0; i < 5; i++) {
    m->o_solimp[i] = mj->opt.o_solimp[i];
    m->o_friction[i] = mj->opt.o_friction[i];
  }
  for (int i = 0; i < 2; i++) {
    m->o_solref[i] = mj->opt.o_solref[i];
  }
  for (int i = 0; i < m->nsensor; i++) {
    m->sensor_skip[i] = cri_mujoco_sensor_gap(mj, i) != NULL;
  }
  for (int i = 0; i < m->nexclude; i++) {
    m->exclude_body[2 * i] = mj->exclude_signature[i] >> 16;
    m->exclude_body[2 * i + 1] = mj->exclude_signature[i] & 0xffff;
  }
  colour(m->geom_rgba, mj->geom_matid, m->ngeom, mj);
  colour(m->site_rgba, mj->site_matid, m->nsite, mj);
  colour(m->tendon_rgba, mj->tendon_matid, m->ntendon, mj);
  for (int i = 0; i < m->nbody; i++) {
    int id = m->body_mocapid[i];
    if (id >= 0) {
      cr_copy(m->mocap_pos0 + 3 * id, m->body_pos + 3 * i, 3);
      cr_copy(m->mocap_quat0 + 4 * id, m->body_quat + 4 * i, 4);
    }
  }
}

// one frame in its body, replaced by the frame with which MuJoCo computes
static void snap(cr_real* pos, cr_real* quat, int sameframe, const cr_real* ipos,
                 const cr_real* iquat) {
  const cr_real origin[3] = {0}, identity[4] = {1};
  if (sameframe == mjSAMEFRAME_BODY || sameframe == mjSAMEFRAME_INERTIA) {
    cr_copy(pos, sameframe == mjSAMEFRAME_BODY ? origin : ipos, 3);
  }
  if (sameframe != mjSAMEFRAME_NONE) {
    bool body = sameframe == mjSAMEFRAME_BODY || sameframe == mjSAMEFRAME_BODYROT;
    cr_copy(quat, body ? identity : iquat, 4);
  }
}

// MuJoCo takes frames that agree to 1e-6 as the same; so the model must have the same frames
static void snap_frames(cr_model* m, const mjModel* mj) {
  for (int i = 0; i < m->nbody; i++) {
    snap(m->body_ipos + 3 * i, m->body_iquat + 4 * i, mj->body_sameframe[i], NULL, NULL);
  }
  for (int i = 0; i < m->ngeom; i++) {
    int b = m->geom_bodyid[i];
    snap(m->geom_pos + 3 * i, m->geom_quat + 4 * i, mj->geom_sameframe[i], m->body_ipos + 3 * b,
         m->body_iquat + 4 * b);
  }
  for (int i = 0; i < m->nsite; i++) {
    int b = m->site_bodyid[i];
    snap(m->site_pos + 3 * i, m->site_quat + 4 * i, mj->site_sameframe[i], m->body_ipos + 3 * b,
         m->body_iquat + 4 * b);
  }
}

// contacts name vertices, so a mesh with too many of them keeps only its hull
static cr_status keep_hulls(cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nmesh; i++) {
    if (m->mesh_vertnum[i] > CR_MAX_MESH_VERTICES && m->mesh_graphadr[i] >= 0) {
      CR_TRY(cri_mesh_keep_hull(m, i, error));
    }
  }
  return CR_OK;
}

cr_status cri_model_from_mjmodel(cr_model* m, const mjModel* mj, cr_error* error) {
  cri_mujoco_array* rows = calloc(CRI_MUJOCO_ARRAYS, sizeof *rows);
  if (rows == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "model: no memory");
  }
  int n = cri_mujoco_arrays(mj, rows);
  copy_sizes_and_options(m, mj);
  cr_status status = cri_model_allocate(m, error);
  for (int i = 0; status == CR_OK && i < CR_N_MODEL_FIELD; i++) {
    const cri_mujoco_array* from = cri_mujoco_find(rows, n, cri_field((cr_field_id)i)->name);
    bool own = i == CR_FIELD_M_rownnz || i == CR_FIELD_M_rowadr || i == CR_FIELD_M_colind;
    if (from != NULL && !own) {
      copy_field(m, (cr_field_id)i, from);
    }
  }
  free(rows);
  CR_TRY(status);
  fill_special(m, mj);
  cri_model_default_laws(m);
  cri_model_derive_M(m);
  cri_model_derive_inertial(m);
  CR_TRY(keep_hulls(m, error));
  cri_model_derive_meshes(m);
  snap_frames(m, mj);
  status = cri_pressure_texts(m, mj, error);
  if (status != CR_OK) {
    cri_model_free(m);
  }
  return status;
}
