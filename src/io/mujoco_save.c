// SPDX-License-Identifier: Apache-2.0
// The file of a model written anew with the values of a variant, as MJCF or as MuJoCo's binary file. What is written
// is read back and compared before the file is there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "carom/model.h"
#include "carom/mujoco.h"
#include "engine/constants.h"
#include "io/asset_path.h"
#include "io/mujoco.h"
#include "io/open.h"
#include "model/added_contact.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/schedule.h"
#include "tools/files.h"

// digits of libmujoco's XML in this thread; six without it
extern int _mjPRIVATE__get_xml_precision(void);
extern void _mjPRIVATE__set_xml_precision(int digits);

typedef struct {
  const cr_model* m;
  cr_model was;  // as the source has it
  const char *source, *path;
  const cr_urdf_options* options;
  char folder[CR_MAX_PATH];  // of path
  bool binary;
  mjSpec *spec, *read_spec;
  mjModel *mj, *read;
  mjData* data;
  char* text;
  size_t n;
  cr_error* error;
} save;

// ---- the values

static size_t field_count(const cr_model* m, cr_field_id id) {
  return (size_t)cri_field_rows(m, NULL, id) * (size_t)cri_field_width(m, id);
}

static bool is_real(cr_field_id id) {
  cr_field_kind kind = cri_field(id)->kind;
  return kind == CR_KIND_PARAM || kind == CR_KIND_CONST;
}

static void put(mjtNum* to, const cr_real* value, const cr_real* was, int n) {
  for (int i = 0; i < n; i++) {
    to[i] = value[i] != was[i] ? (mjtNum)value[i] : to[i];
  }
}

static void put_options(mjOption* opt, const cr_model* m, const cr_model* was) {
  put(&opt->timestep, &m->timestep, &was->timestep, 1);
  put(&opt->impratio, &m->impratio, &was->impratio, 1);
  put(opt->gravity, m->gravity, was->gravity, 3);
  put(opt->wind, m->wind, was->wind, 3);
  put(opt->magnetic, m->magnetic, was->magnetic, 3);
  put(&opt->density, m->density, was->density, 1);
  put(&opt->viscosity, m->viscosity, was->viscosity, 1);
  put(&opt->o_margin, m->o_margin, was->o_margin, 1);
  put(opt->o_solref, m->o_solref, was->o_solref, 2);
  put(opt->o_solimp, m->o_solimp, was->o_solimp, 5);
  put(opt->o_friction, m->o_friction, was->o_friction, 5);
  opt->integrator = m->integrator <= mjINT_DISCRETE ? m->integrator : opt->integrator;
  opt->cone = m->cone;
  opt->disableflags = m->disableflags;
  opt->enableflags = m->enableflags;
  opt->disableactuator = m->disableactuator;
}

static bool is_free(const cr_model* m, int body) {
  return m->body_jntnum[body] > 0 && m->jnt_type[m->body_jntadr[body]] == CR_JNT_FREE;
}

// a free body begins where its joint does, a mocap body where it is at reset
static void put_poses(const cr_model* m, mjModel* mj) {
  for (int i = 0; i < m->nbody; i++) {
    int joint = is_free(m, i) ? m->body_jntadr[i] : -1, mocap = m->body_mocapid[i];
    const cr_real *pos = NULL, *quat = NULL;
    if (joint >= 0) {
      pos = m->qpos0 + m->jnt_qposadr[joint];
      quat = pos + 3;
    } else if (mocap >= 0) {
      pos = m->mocap_pos0 + 3 * mocap;
      quat = m->mocap_quat0 + 4 * mocap;
    }
    for (int k = 0; pos != NULL && k < 4; k++) {
      mj->body_pos[3 * i + (k < 3 ? k : 0)] = (mjtNum)pos[k < 3 ? k : 0];
      mj->body_quat[4 * i + k] = (mjtNum)quat[k];
    }
  }
}

// what differs from the source and is not derived, as mj_copyBack takes it; `derived`: all parameters
static cr_status put_values(const save* s, mjModel* mj, bool derived) {
  cri_mujoco_array* rows = calloc(CRI_MUJOCO_ARRAYS, sizeof *rows);
  if (rows == NULL) {
    return cri_fail(s->error, CR_ERR_MEMORY, "%s: no memory", s->path);
  }
  int n = cri_mujoco_arrays(mj, rows);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    const cri_mujoco_array* to = cri_mujoco_find(rows, n, cri_field(id)->name);
    bool all = derived && cri_field(id)->kind == CR_KIND_PARAM;
    if (to == NULL || !is_real(id)) {
      continue;
    }
    const cr_real *value = cri_field_real(s->m, NULL, id), *was = cri_field_real(&s->was, NULL, id);
    for (size_t k = 0; k < field_count(s->m, id) && (mjtSize)k < to->count; k++) {
      if (all || (value[k] != was[k] && !cri_is_derived(s->m, id, (int)k))) {
        cri_mujoco_set(to, (mjtSize)k, (double)value[k]);
      }
    }
  }
  free(rows);
  put_poses(s->m, mj);
  put_options(&mj->opt, s->m, &s->was);
  return CR_OK;
}

// what mj_copyBack does not carry
static void fill_spec(const save* s) {
  const cr_model* m = s->m;
  mjSpec* spec = s->spec;
  mjsElement* e;
  for (e = mjs_firstElement(spec, mjOBJ_BODY); e != NULL; e = mjs_nextElement(spec, e)) {
    mjs_asBody(e)->gravcomp = (double)m->body_gravcomp[mjs_getId(e)];
  }
  for (e = mjs_firstElement(spec, mjOBJ_JOINT); e != NULL; e = mjs_nextElement(spec, e)) {
    for (int k = 0; k < 2; k++) {
      mjs_asJoint(e)->actfrcrange[k] = (double)m->jnt_actfrcrange[2 * mjs_getId(e) + k];
    }
  }
  for (e = mjs_firstElement(spec, mjOBJ_TENDON); e != NULL; e = mjs_nextElement(spec, e)) {
    for (int k = 0; k < 2; k++) {
      mjs_asTendon(e)->springlength[k] = (double)m->tendon_lengthspring[2 * mjs_getId(e) + k];
    }
  }
  for (e = mjs_firstElement(spec, mjOBJ_GEOM); e != NULL; e = mjs_nextElement(spec, e)) {
    const cr_real* fluid = m->geom_fluid + 12 * mjs_getId(e);
    for (int k = 0; k < 5 && fluid[0] > 0; k++) {
      mjs_asGeom(e)->fluid_coefs[k] = (mjtNum)fluid[1 + k];
    }
  }
  for (e = mjs_firstElement(spec, mjOBJ_HFIELD); e != NULL; e = mjs_nextElement(spec, e)) {
    for (int k = 0; k < 4; k++) {
      mjs_asHField(e)->size[k] = (double)m->hfield_size[4 * mjs_getId(e) + k];
    }
  }
}

// from end to end a geom has no rotation about its axis, so its frame is written instead; masses that the compiler
// would change are written as it has left them
static void settle_notation(const save* s) {
  mjSpec* spec = s->spec;
  const mjModel* mj = s->mj;
  mjsElement* e;
  for (e = mjs_firstElement(spec, mjOBJ_GEOM); e != NULL; e = mjs_nextElement(spec, e)) {
    mjsGeom* geom = mjs_asGeom(e);
    int i = mjs_getId(e);
    if (!mju_isBad(geom->fromto[0]) && mjs_getFrame(e) == NULL) {
      geom->fromto[0] = (double)NAN;
      geom->alt.type = mjORIENTATION_QUAT;
      mju_copy(geom->pos, mj->geom_pos + 3 * i, 3);
      mju_copy(geom->quat, mj->geom_quat + 4 * i, 4);
      mju_copy(geom->size, mj->geom_size + 3 * i, 3);
    }
  }
  const mjsCompiler* c = &spec->compiler;
  bool changes = c->inertiafromgeom == mjINERTIAFROMGEOM_TRUE || c->balanceinertia ||
                 c->boundmass > 0 || c->boundinertia > 0 || c->settotalmass > 0;
  for (e = changes ? mjs_firstElement(spec, mjOBJ_BODY) : NULL; e != NULL;
       e = mjs_nextElement(spec, e)) {
    mjsBody* body = mjs_asBody(e);
    int i = mjs_getId(e);
    if (i > 0) {
      body->explicitinertial = 1;
      body->mass = mj->body_mass[i];
      body->fullinertia[0] = (double)NAN;
      body->ialt.type = mjORIENTATION_QUAT;
      mju_copy(body->ipos, mj->body_ipos + 3 * i, 3);
      mju_copy(body->iquat, mj->body_iquat + 4 * i, 4);
      mju_copy(body->inertia, mj->body_inertia + 3 * i, 3);
    }
  }
  if (spec->compiler.inertiafromgeom == mjINERTIAFROMGEOM_TRUE) {
    spec->compiler.inertiafromgeom = mjINERTIAFROMGEOM_AUTO;
  }
}

// the compiler changes no mass, frame or order any more, and writes all of them
static void settle_compiler(mjSpec* spec) {
  spec->compiler.boundmass = 0;
  spec->compiler.boundinertia = 0;
  spec->compiler.settotalmass = -1;
  spec->compiler.balanceinertia = 0;
  spec->compiler.alignfree = 0;
  spec->compiler.saveinertial = 1;
  spec->compiler.savecompiled = 1;
  spec->compiler.savecanonical = 1;
}

// ---- reading back

static cr_status differs(const save* s, cr_field_id id, size_t k, double wanted, double read) {
  const cr_field* f = cri_field(id);
  int width = cri_field_width(s->m, id);
  cri_object_kind kind = cri_object_naming(f->rows);
  int row = width > 0 ? (int)k / width : 0;
  char place[160] = "";
  for (int i = 0; i < cri_object_count(s->m, kind); i++) {
    int first, count;
    cri_object_rows(s->m, f->rows, i, &first, &count);
    if (row >= first && row < first + count) {
      (void)snprintf(place, sizeof place, " of %s", cri_label(s->m, kind, i).text);
    }
  }
  return cri_fail(
      s->error, CR_ERR_UNSUPPORTED,
      "%s: %s[%d]%s is %.9g and would be read back as %.9g; %sa Carom model file holds it", s->path,
      f->name, (int)k, place, wanted, read, s->binary ? "" : "a .mjb file may hold it, ");
}

// of a row the largest number, so that what rounding leaves of a zero counts as zero
static bool same_row(const cr_real* a, const cr_real* b, int width, int* k) {
  cr_real scale = 0;
  for (int i = 0; i < width; i++) {
    scale = cr_max(scale, cr_abs(a[i]));
  }
  for (*k = 0; *k < width; ++*k) {
    if (!(cr_abs(a[*k] - b[*k]) <= (cr_real)1e-9 * scale + (cr_real)1e-15)) {
      return false;
    }
  }
  return true;
}

// whether no motion depends on a row: MuJoCo has another number there, or none
static bool is_idle(const cr_model* m, cr_field_id id, int row) {
  if (id == CR_FIELD_body_pos || id == CR_FIELD_body_quat) {
    return is_free(m, row) || m->body_mocapid[row] >= 0;
  }
  if (id == CR_FIELD_qpos_spring) {
    int j = 0;
    while (j + 1 < m->njnt && m->jnt_qposadr[j + 1] <= row) {
      j++;
    }
    return (m->jnt_type[j] == CR_JNT_FREE || m->jnt_type[j] == CR_JNT_BALL) &&
           m->jnt_stiffness[j] == 0;
  }
  return (id == CR_FIELD_geom_size && m->geom_type[row] == CR_GEOM_HFIELD) ||
         id == CR_FIELD_geom_cfd || id == CR_FIELD_geom_hunt_crossley ||
         id == CR_FIELD_ncp_baumgarte || id == CR_FIELD_ncp_cfm || id == CR_FIELD_pair_cfd ||
         id == CR_FIELD_body_simple;
}

// numbers of a size that a shape has; all of other fields
static int used_width(const cr_model* m, cr_field_id id, int row) {
  static const int used[CR_N_GEOM_TYPE] = {[CR_GEOM_SPHERE] = 1,
                                           [CR_GEOM_CAPSULE] = 2,
                                           [CR_GEOM_ELLIPSOID] = 3,
                                           [CR_GEOM_CYLINDER] = 2,
                                           [CR_GEOM_BOX] = 3};
  int width = cri_field_width(m, id);
  int type = id == CR_FIELD_geom_size   ? m->geom_type[row]
             : id == CR_FIELD_site_size ? m->site_type[row]
                                        : CR_GEOM_PLANE;
  return used[type] > 0 ? used[type] : width;
}

static cr_status compare_field(const save* s, const cr_model* back, cr_field_id id) {
  const cr_model* m = s->m;
  size_t n = field_count(m, id);
  if (field_count(back, id) != n) {
    return cri_fail(s->error, CR_ERR_UNSUPPORTED,
                    "%s: %s would be read back with %d numbers instead of %d", s->path,
                    cri_field(id)->name, (int)field_count(back, id), (int)n);
  }
  if (cri_field(id)->kind == CR_KIND_CHAR) {
    return CR_OK;
  }
  if (!is_real(id)) {
    const int32_t *a = cri_field_index(m, NULL, id), *b = cri_field_index(back, NULL, id);
    for (size_t k = 0; k < n; k++) {
      if (a[k] != b[k] && !is_idle(m, id, (int)k)) {
        return differs(s, id, k, a[k], b[k]);
      }
    }
    return CR_OK;
  }
  const cr_real *a = cri_field_real(m, NULL, id), *b = cri_field_real(back, NULL, id);
  int width = cri_field_width(m, id), k;
  for (size_t row = 0; width > 0 && row < n / (size_t)width; row++) {
    size_t at = row * (size_t)width;
    if (!is_idle(m, id, (int)row) && !same_row(a + at, b + at, used_width(m, id, (int)row), &k)) {
      at += (size_t)k;
      return differs(s, id, at, (double)a[at], (double)b[at]);
    }
  }
  return CR_OK;
}

static cr_status compare_options(const save* s, const mjOption* opt) {
  const cr_model* m = s->m;
  const struct {
    const char* name;
    double wanted, read;
  } rows[] = {{"timestep", (double)m->timestep, opt->timestep},
              {"impratio", (double)m->impratio, opt->impratio},
              {"cone", m->cone, opt->cone},
              {"disableflags", m->disableflags, opt->disableflags},
              {"enableflags", m->enableflags, opt->enableflags},
              {"disableactuator", m->disableactuator, opt->disableactuator}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].wanted != rows[i].read) {
      return cri_fail(s->error, CR_ERR_UNSUPPORTED,
                      "%s: the option '%s' is %.9g and would be read back as %.9g", s->path,
                      rows[i].name, rows[i].wanted, rows[i].read);
    }
  }
  return CR_OK;
}

static cr_status compare(const save* s) {
  cr_model back = {0};
  CR_TRY(compare_options(s, &s->read->opt));
  cr_status status = cri_model_from_mjmodel(&back, s->read, s->error);
  for (int i = 0; status == CR_OK && i < CR_N_MODEL_FIELD; i++) {
    status = compare_field(s, &back, (cr_field_id)i);
  }
  cri_model_free(&back);
  return status;
}

// ---- writing

static cr_status refused(const save* s, const char* said) {
  char text[400];
  (void)snprintf(text, sizeof text, "%s", said);
  for (char* at = text; *at != 0; at++) {
    *at = *at == '\n' ? ' ' : *at;
  }
  return cri_fail(s->error, CR_ERR_MODEL, "%s: %s", s->path, text);
}

static cr_status compile(save* s, bool derived) {
  mj_deleteModel(s->mj);
  s->mj = mj_compile(s->spec, NULL);
  return s->mj != NULL ? put_values(s, s->mj, derived) : refused(s, mjs_getError(s->spec));
}

static cr_status make_text(save* s) {
  char said[1000] = "", one[2] = "";
  int n = mj_saveXMLString(s->spec, one, 1, said, (int)sizeof said);
  s->text = n > 0 ? calloc((size_t)n + 2, 1) : NULL;
  if (s->text == NULL) {
    return refused(s, n > 0 ? "no memory" : said);
  }
  if (mj_saveXMLString(s->spec, s->text, n + 1, said, (int)sizeof said) != 0) {
    return refused(s, said);
  }
  s->n = strlen(s->text);
  s->read_spec = mj_parseXMLString(s->text, NULL, said, (int)sizeof said);
  if (s->read_spec == NULL) {
    return refused(s, said);
  }
  mjs_setString(s->read_spec->modelfiledir, mjs_getString(s->spec->modelfiledir));
  s->read = mj_compile(s->read_spec, NULL);
  return s->read != NULL ? CR_OK : refused(s, mjs_getError(s->read_spec));
}

static bool same(const cr_real* a, const cr_real* b, int n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// MuJoCo computes with another frame where one is marked as the same: no longer where it is another
static void unmark_frames(const cr_model* m, const cr_model* was, mjModel* mj) {
  for (int i = 0; i < m->nbody; i++) {
    if (!same(m->body_ipos + 3 * i, was->body_ipos + 3 * i, 3) ||
        !same(m->body_iquat + 4 * i, was->body_iquat + 4 * i, 4)) {
      mj->body_sameframe[i] = mjSAMEFRAME_NONE;
    }
  }
  for (int i = 0; i < m->ngeom; i++) {
    if (!same(m->geom_pos + 3 * i, was->geom_pos + 3 * i, 3) ||
        !same(m->geom_quat + 4 * i, was->geom_quat + 4 * i, 4)) {
      mj->geom_sameframe[i] = mjSAMEFRAME_NONE;
    }
  }
  for (int i = 0; i < m->nsite; i++) {
    if (!same(m->site_pos + 3 * i, was->site_pos + 3 * i, 3) ||
        !same(m->site_quat + 4 * i, was->site_quat + 4 * i, 4)) {
      mj->site_sameframe[i] = mjSAMEFRAME_NONE;
    }
  }
}

static cr_status make_binary(save* s) {
  unmark_frames(s->m, &s->was, s->mj);
  s->n = (size_t)mj_sizeModel(s->mj);
  s->text = malloc(s->n + 1);
  if (s->text == NULL) {
    return refused(s, "no memory");
  }
  mj_saveModel(s->mj, NULL, s->text, (mjtSize)s->n);
  s->read = mj_loadModelBuffer(s->text, (mjtSize)s->n);
  return s->read != NULL ? CR_OK : refused(s, "MuJoCo cannot read what it has written");
}

// whether bounding volumes, which the compiler alone makes, are those of the source
static bool shapes_stay(const save* s) {
  const cr_field_id shapes[] = {CR_FIELD_geom_size, CR_FIELD_geom_pos,   CR_FIELD_geom_quat,
                                CR_FIELD_body_ipos, CR_FIELD_body_iquat, CR_FIELD_hfield_size};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (!same(cri_field_real(s->m, NULL, shapes[i]), cri_field_real(&s->was, NULL, shapes[i]),
              (int)field_count(s->m, shapes[i]))) {
      return false;
    }
  }
  return true;
}

// the numbers alone, where the specification has no place for one of them
static cr_status set_constants(save* s) {
  CR_TRY(put_values(s, s->mj, true));
  s->data = mj_makeData(s->mj);
  if (s->data == NULL) {
    return refused(s, "no memory");
  }
  mj_setConst(s->mj, s->data);
  return put_values(s, s->mj, true);
}

static cr_status work(void* context) {
  save* s = context;
  cri_assets_move(s->spec, s->source, s->folder);
  settle_notation(s);
  fill_spec(s);
  settle_compiler(s->spec);
  CR_TRY(compile(s, false));
  bool carried = mj_copyBack(s->spec, s->mj) == 1;
  if (!carried && !(s->binary && shapes_stay(s))) {
    return refused(s, mjs_getError(s->spec));
  }
  if (s->binary) {
    CR_TRY(carried ? compile(s, true) : set_constants(s));
  }
  CR_TRY(s->binary ? make_binary(s) : make_text(s));
  return compare(s);
}

// the counts and integers of the model are those of its source
static cr_status check_source(save* s) {
  CR_TRY(cri_model_from_mjmodel(&s->was, s->mj, s->error));
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    size_t n = field_count(s->m, id);
    bool of_it = n == field_count(&s->was, id);
    if (of_it && cri_field(id)->kind == CR_KIND_INT) {
      of_it = memcmp(cri_field_index(s->m, NULL, id), cri_field_index(&s->was, NULL, id),
                     n * sizeof(int32_t)) == 0;
    }
    if (!of_it) {
      return cri_fail(s->error, CR_ERR_ARG, "%s: not the file of this model: %s differs", s->source,
                      cri_field(id)->name);
    }
  }
  return CR_OK;
}

static cr_status write(save* s) {
  cr_load_report found = {0};
  cr_status status = cri_mjspec_open(&s->spec, &s->mj, s->source, s->options, &found, s->error);
  cri_load_report_free(&found);
  CR_TRY(status);
  CR_TRY(check_source(s));
  cr_error inner = {0}, *outer = s->error;
  int digits = _mjPRIVATE__get_xml_precision();
  s->error = &inner;
  _mjPRIVATE__set_xml_precision(17);
  status = cri_mujoco_guard(work, s, s->path, &inner);
  _mjPRIVATE__set_xml_precision(digits);
  s->error = outer;
  if (status != CR_OK && outer != NULL) {
    *outer = inner;
  }
  CR_TRY(status);
  return cri_file_write(s->path, s->text, s->n, s->error);
}

static cr_status check_laws(const cr_model* m, const char* path, cr_error* error) {
  const char* added = m->schedule != NULL && m->schedule->nadded > 0 ? "stages that were added"
                      : !cri_all_convex(m)                           ? "a contact model of its own"
                      : m->nadded_law > 0 ? "actuator laws that were added"
                                          : NULL;
  return added == NULL ? CR_OK
                       : cri_fail(error, CR_ERR_UNSUPPORTED,
                                  "%s: the model has %s, which MuJoCo does not know", path, added);
}

static bool ends_in(const char* path, const char* suffix) {
  size_t n = strlen(path), k = strlen(suffix);
  return n > k && strcasecmp(path + n - k, suffix) == 0;
}

cr_status cr_mujoco_save(const cr_model* m, const char* source, const cr_urdf_options* options,
                         const char* path, cr_error* error) {
  const cri_call call = {"cr_mujoco_save", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, source, "the source"));
  CR_TRY(cri_given(&call, path, "the path"));
  CR_TRY(options != NULL ? cri_check_size(&call, options->size, sizeof *options, "cr_urdf_options")
                         : CR_OK);
  if (!ends_in(path, ".xml") && !ends_in(path, ".mjb")) {
    return cri_fail(error, CR_ERR_ARG, "%s: ends neither in .xml nor in .mjb", path);
  }
  if (cri_model_file_is(source)) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: a Carom model file; the MJCF or URDF file of the model is needed", source);
  }
  CR_TRY(check_laws(m, path, error));
  save s = {.m = m,
            .source = source,
            .path = path,
            .options = options,
            .binary = ends_in(path, ".mjb"),
            .error = error};
  CR_TRY(cri_path_folder(s.folder, path, error));
  cr_status status = write(&s);
  mj_deleteData(s.data);
  mj_deleteModel(s.mj);
  mj_deleteModel(s.read);
  mj_deleteSpec(s.spec);
  mj_deleteSpec(s.read_spec);
  cri_model_free(&s.was);
  free(s.text);
  return status;
}
