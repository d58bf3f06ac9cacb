// SPDX-License-Identifier: Apache-2.0
// The same draw twice: once to count, once to fill.
#include "scenes/random_sensors.h"

#include "model/sensors.h"
#include "scenes/random_model.h"
#include "sensor/sensor_contacts.h"

enum { N_SENSOR = 18, N_CONTACT = 4 };

typedef struct {
  int type, dim;
  int objtype, objid, reftype, refid;
  int bits, reduce;
} pick;

// an object of n, -1 if there is none
static int any_of(cr_random* r, int n) { return n > 0 ? cr_random_int(r, n) : -1; }

static int any_joint(cr_random* r, const int32_t* types, int n, bool ball) {
  int first = any_of(r, n);
  for (int k = 0; k < n; k++) {
    int j = (first + k) % n;
    if (ball ? types[j] == CR_JNT_BALL : types[j] >= CR_JNT_SLIDE) {
      return j;
    }
  }
  return -1;
}

// a frame: body, geom or site
static int any_frame(cr_random* r, const cr_model* m, int* objtype) {
  static const int types[] = {CR_OBJ_BODY, CR_OBJ_XBODY, CR_OBJ_GEOM, CR_OBJ_SITE};
  *objtype = types[cr_random_int(r, 4)];
  int n = *objtype == CR_OBJ_GEOM ? m->ngeom : (*objtype == CR_OBJ_SITE ? m->nsite : m->nbody);
  return any_of(r, n);
}

// a geom, or a body with all of its geoms
static void draw_shape(cr_random* r, const cr_model* m, int* type, int* id) {
  *type = random_chance(r, CR_R(0.5)) ? CR_OBJ_BODY : CR_OBJ_GEOM;
  *id = any_of(r, *type == CR_OBJ_BODY ? m->nbody : m->ngeom);
}

// one side of a contact sensor, which may be left open
static void draw_side(cr_random* r, const cr_model* m, int* type, int* id) {
  static const int types[] = {CR_OBJ_UNKNOWN, CR_OBJ_UNKNOWN, CR_OBJ_BODY, CR_OBJ_XBODY,
                              CR_OBJ_GEOM};
  *type = types[cr_random_int(r, m->ngeom > 0 ? 5 : 4)];
  *id = cr_random_int(r, *type == CR_OBJ_GEOM ? m->ngeom : m->nbody);
}

static void draw_contact(cr_random* r, const cr_model* m, pick* p) {
  draw_side(r, m, &p->objtype, &p->objid);
  draw_side(r, m, &p->reftype, &p->refid);
  p->bits = 1 + cr_random_int(r, (1 << CR_N_CON) - 1);
  p->reduce = cr_random_int(r, 4);
  int slots = p->reduce == CR_REDUCE_NETFORCE ? 1 : 1 + cr_random_int(r, 3);
  p->dim = slots * cri_contact_slot_size(p->bits);
}

static pick draw(cr_random* r, const cr_model* m, const int32_t* jnt_type, int type) {
  const cr_sensor_info* info = cri_sensor_info(type);
  pick p = {.type = type, .dim = info->dim, .objid = -1, .refid = -1};
  switch (info->of) {
    case CR_OF_SITE:
      p.objtype = CR_OBJ_SITE;
      p.objid = any_of(r, m->nsite);
      break;
    case CR_OF_SCALAR:
    case CR_OF_BALL:
      p.objid = any_joint(r, jnt_type, m->njnt, info->of == CR_OF_BALL);
      break;
    case CR_OF_TENDON:
      p.objid = any_of(r, m->ntendon);
      break;
    case CR_OF_ACTUATOR:
      p.objid = any_of(r, m->nactuator);
      p.dim = 1;
      break;
    case CR_OF_BODY:
      p.objid = cr_random_int(r, m->nbody);
      break;
    case CR_OF_FRAME:
      p.objid = any_frame(r, m, &p.objtype);
      p.refid = random_chance(r, CR_R(0.6)) ? any_frame(r, m, &p.reftype) : -1;
      break;
    case CR_OF_INSIDE:
      p.objid = any_frame(r, m, &p.objtype);
      p.refid = any_of(r, m->nsite);
      p.objid = p.refid < 0 ? -1 : p.objid;
      break;
    case CR_OF_PAIR:
      draw_shape(r, m, &p.objtype, &p.objid);
      draw_shape(r, m, &p.reftype, &p.refid);
      p.objid = p.refid < 0 ? -1 : p.objid;
      break;
    case CR_OF_CONTACT:
      draw_contact(r, m, &p);
      break;
    default:
      p.objid = 0;
      break;
  }
  return p;
}

// the sensors of a model, types in turn; returns how many
static int draw_all(const cr_model* m, uint64_t seed, const int32_t* jnt_type,
                    pick picks[N_SENSOR + N_CONTACT]) {
  cr_random r = cr_random_seed(seed, 21);
  int n = 0, type = (int)((7 * seed) % CR_N_SENSOR_TYPE);
  for (int tries = 0; tries < CR_N_SENSOR_TYPE && n < N_SENSOR; tries++) {
    type = (type + 1) % CR_N_SENSOR_TYPE;
    pick p = draw(&r, m, jnt_type, type);
    if (cri_sensor_known(type) && p.objid >= 0) {
      picks[n++] = p;
    }
  }
  // contacts are what varies most
  while (n < N_SENSOR + N_CONTACT) {
    picks[n++] = draw(&r, m, jnt_type, CR_SENS_CONTACT);
  }
  return n;
}

void random_sensor_counts(cr_model* m, uint64_t seed, const int32_t* jnt_type) {
  pick picks[N_SENSOR + N_CONTACT];
  m->nsensor = draw_all(m, seed, jnt_type, picks);
  for (int i = 0; i < m->nsensor; i++) {
    m->nsensordata += picks[i].dim;
  }
}

static void fill_zones(cr_random* r, cr_model* m) {
  static const int types[] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID, CR_GEOM_CYLINDER,
                              CR_GEOM_BOX};
  for (int i = 0; i < m->nsite; i++) {
    m->site_type[i] = types[cr_random_int(r, 5)];
    for (int k = 0; k < 3; k++) {
      m->site_size[3 * i + k] = cr_random_range(r, CR_R(0.05), 1);
    }
  }
}

// a height field is one geom, the first, of many: some gaps are over it
static void set_over_terrain(cr_random* r, cr_model* m, int i) {
  if (m->nhfield > 0 && random_chance(r, CR_R(0.5))) {
    m->sensor_reftype[i] = CR_OBJ_GEOM;
    m->sensor_refid[i] = 0;
    m->sensor_cutoff[i] = 5;
  }
}

void random_sensors(cr_model* m, uint64_t seed) {
  pick picks[N_SENSOR + N_CONTACT];
  cr_random r = cr_random_seed(seed, 22);
  int n = draw_all(m, seed, m->jnt_type, picks);
  for (int i = 0, adr = 0; i < n; i++) {
    const pick* p = &picks[i];
    bool vector = cri_sensor_info(p->type)->of != CR_OF_BALL && p->type != CR_SENS_FRAMEQUAT;
    m->sensor_type[i] = p->type;
    m->sensor_objtype[i] = p->objtype;
    m->sensor_objid[i] = p->objid;
    m->sensor_reftype[i] = p->reftype;
    m->sensor_refid[i] = p->refid;
    m->sensor_dim[i] = p->dim;
    m->sensor_intprm[3 * i] = p->bits;
    m->sensor_intprm[3 * i + 1] = p->reduce;
    m->sensor_adr[i] = adr;
    m->sensor_datatype[i] = p->type == CR_SENS_TOUCH ? 1 : (vector ? 0 : 3);
    bool gap = cri_sensor_info(p->type)->of == CR_OF_PAIR;
    m->sensor_cutoff[i] =
        random_chance(&r, gap ? CR_R(0.9) : CR_R(0.25)) ? cr_random_range(&r, CR_R(0.5), 5) : 0;
    if (gap) {
      set_over_terrain(&r, m, i);
    }
    adr += p->dim;
  }
  fill_zones(&r, m);
  for (int k = 0; k < 3; k++) {
    m->magnetic[k] = cr_random_normal(&r);
  }
}
