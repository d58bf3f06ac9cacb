// SPDX-License-Identifier: Apache-2.0
// libmujoco's reading of a URDF file, edited before it is compiled.
#include "io/urdf_compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "io/mujoco.h"
#include "io/package.h"
#include "io/urdf.h"

typedef struct {
  const cr_urdf_options* options;
  const cr_urdf* u;
  cr_load_report* report;
  cr_error* error;
  mjSpec* spec;
  mjModel* model;
} compile;

// ---- meshes

static const cr_xml* find_mesh(const cr_xml* e, const char* filename) {
  for (; e != NULL; e = e->next) {
    const char* name = strcmp(e->name, "mesh") == 0 ? cri_xml_attribute(e, "filename") : NULL;
    const cr_xml* found =
        name != NULL && strcmp(name, filename) == 0 ? e : find_mesh(e->child, filename);
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

static bool readable_format(const char* name) {
  const char* dot = strrchr(name, '.');
  return dot != NULL && (strcasecmp(dot, ".stl") == 0 || strcasecmp(dot, ".obj") == 0 ||
                         strcasecmp(dot, ".msh") == 0);
}

// a path as libmujoco will look for it; false if the file's own <compiler> moves it elsewhere
static bool plain_path(char path[CR_MAX_PATH], const compile* c, const char* name) {
  char folder[CR_MAX_PATH];
  const char* moved = mjs_getString(c->spec->compiler.meshdir);
  return (moved == NULL || moved[0] == 0) && !c->spec->strippath &&
         cri_path_folder(folder, c->u->path, NULL) == CR_OK &&
         cri_path_join(path, folder, name, NULL) == CR_OK;
}

static cr_status place_mesh(const compile* c, mjsMesh* mesh) {
  char name[CR_MAX_PATH], path[CR_MAX_PATH];
  struct stat info;
  (void)snprintf(name, sizeof name, "%s", mjs_getString(mesh->file));
  const cr_xml* at = find_mesh(c->u->xml->child, name);
  at = at != NULL ? at : c->u->xml;
  if (!readable_format(name)) {
    return cri_urdf_fail(c->u, at, c->error, "'%.120s' is no STL, OBJ or MSH file", name);
  }
  if (cri_package_is(name)) {
    if (!cri_package_find(path, name, c->u->path, c->options->package_path)) {
      return cri_urdf_fail(c->u, at, c->error, "'%.120s' is not found %s", name,
                           c->options->package_path != NULL
                               ? "in the package path"
                               : "from the file's own folder; set --package-path");
    }
    mjs_setString(mesh->file, path);
  } else if (plain_path(path, c, name) && stat(path, &info) != 0) {
    return cri_urdf_fail(c->u, at, c->error, "there is no file '%.120s'", path);
  }
  return CR_OK;
}

static cr_status place_meshes(const compile* c) {
  mjsElement* e = mjs_firstElement(c->spec, mjOBJ_MESH);
  for (; e != NULL; e = mjs_nextElement(c->spec, e)) {
    CR_TRY(place_mesh(c, mjs_asMesh(e)));
  }
  return CR_OK;
}

// ---- links without inertia. Fixed joints make groups of links that move as one body.

static int leader(const cr_urdf* u, int link) {
  while (u->links[link].joint >= 0 && strcmp(u->joints[u->links[link].joint].type, "fixed") == 0) {
    link = u->joints[u->links[link].joint].parent;
  }
  return link;
}

typedef struct {
  double mass;
  bool inertia, shape, inferred;  // inferred: libmujoco itself derives mass from shapes
} group;

static group sum_group(const cr_urdf* u, int first) {
  group g = {0};
  for (int i = 0; i < u->nlink; i++) {
    const cr_urdf_link* link = &u->links[i];
    if (leader(u, i) == first) {
      g.mass += link->mass;
      g.inertia = g.inertia || (link->mass > 0 && link->has_inertia);
      g.shape = g.shape || link->has_collision;
      g.inferred = g.inferred || (!link->has_inertial && link->has_collision);
    }
  }
  return g;
}

static void set_inertia(mjsBody* body, double mass, double inertia) {
  body->mass = mass;
  body->explicitinertial = 1;
  for (int i = 0; i < 3; i++) {
    body->inertia[i] = inertia;
    body->ipos[i] = mju_isBad(body->ipos[i]) ? 0 : body->ipos[i];
  }
  body->fullinertia[0] = (double)NAN;
}

static void infer_inertia(mjsBody* body) {
  mjsBody fresh = *body;
  mjs_defaultBody(&fresh);
  body->mass = fresh.mass;
  body->explicitinertial = fresh.explicitinertial;
  memcpy(body->ipos, fresh.ipos, sizeof fresh.ipos);
  memcpy(body->iquat, fresh.iquat, sizeof fresh.iquat);
  memcpy(body->inertia, fresh.inertia, sizeof fresh.inertia);
  memcpy(body->fullinertia, fresh.fullinertia, sizeof fresh.fullinertia);
  body->ialt = fresh.ialt;
}

static void complete_link(const compile* c, int i, const group* g) {
  const cr_urdf_link* link = &c->u->links[i];
  mjsBody* body = mjs_findBody(c->spec, link->name);
  const char* path = c->u->path;
  if (body == NULL) {
    return;
  }
  if (g->mass == 0 && link->has_collision) {
    if (link->has_inertial && !g->inferred) {
      infer_inertia(body);
    }
    cri_sentence(&c->report->warnings,
                 "%s:%d: link '%s' has no mass: that of its collision shapes at 1000 kg/m^3", path,
                 link->xml->line, link->name);
  } else if (g->mass == 0 && !g->shape && leader(c->u, i) == i) {
    set_inertia(body, CR_URDF_MASS, CR_URDF_INERTIA);
    cri_sentence(&c->report->warnings,
                 "%s:%d: link '%s' has no mass and no shape: %g kg and %g kg m^2", path,
                 link->xml->line, link->name, CR_URDF_MASS, CR_URDF_INERTIA);
  } else if (g->mass > 0 && !g->inertia && !g->inferred && link->mass > 0) {
    set_inertia(body, link->mass, 0.4 * link->mass * CR_URDF_RADIUS * CR_URDF_RADIUS);
    cri_sentence(&c->report->warnings,
                 "%s:%d: link '%s' has mass but no inertia: that of a ball of radius %g m", path,
                 link->xml->line, link->name, CR_URDF_RADIUS);
  }
}

static void complete_inertias(const compile* c) {
  for (int i = 0; i < c->u->nlink; i++) {
    int first = leader(c->u, i);
    if (first != c->u->root || c->options->floating) {
      group g = sum_group(c->u, first);
      complete_link(c, i, &g);
    }
  }
}

// ---- options

// a name that no element of this type has yet
static const char* fresh_name(const compile* c, mjtObj type, const char* name) {
  return mjs_findElement(c->spec, type, name) == NULL ? name : "";
}

static cr_status free_base(const compile* c) {
  const cr_urdf_link* root = &c->u->links[c->u->root];
  mjsBody* body = mjs_findBody(c->spec, root->name);
  if (body == NULL || body == mjs_findBody(c->spec, "world")) {
    return cri_urdf_fail(c->u, root->xml, c->error, "the base cannot float: it is the world");
  }
  mjsJoint* joint = mjs_addFreeJoint(body);
  (void)mjs_setName(joint->element, fresh_name(c, mjOBJ_JOINT, "floating_base"));
  return CR_OK;
}

static void disable_self_collision(const compile* c) {
  mjsElement* e = mjs_firstElement(c->spec, mjOBJ_GEOM);
  for (; e != NULL; e = mjs_nextElement(c->spec, e)) {
    mjs_asGeom(e)->conaffinity = 0;
  }
}

static void add_ground(const compile* c) {
  mjsGeom* plane = mjs_addGeom(mjs_findBody(c->spec, "world"), NULL);
  (void)mjs_setName(plane->element, fresh_name(c, mjOBJ_GEOM, "ground"));
  plane->type = mjGEOM_PLANE;
  plane->size[2] = 1;
}

static bool has_servo(const cr_urdf_joint* j) {
  return (strcmp(j->type, "revolute") == 0 || strcmp(j->type, "continuous") == 0 ||
          strcmp(j->type, "prismatic") == 0) &&
         cri_xml_child(j->xml, "mimic") == NULL;
}

static void add_servos(const compile* c) {
  for (int i = 0; i < c->u->njoint; i++) {
    const cr_urdf_joint* j = &c->u->joints[i];
    if (!has_servo(j)) {
      continue;
    }
    mjsActuator* servo = mjs_addActuator(c->spec, NULL);
    double kv[1] = {(double)c->options->servo_kv};
    (void)mjs_setToPosition(servo, (double)c->options->servo_kp, kv, NULL, NULL, 0);
    servo->trntype = mjTRN_JOINT;
    mjs_setString(servo->target, j->name);
    (void)mjs_setName(servo->element, j->name);
  }
}

static cr_status edit(const compile* c) {
  CR_TRY(place_meshes(c));
  complete_inertias(c);
  if (c->options->floating) {
    CR_TRY(free_base(c));
  }
  if (c->options->no_self_collision) {
    disable_self_collision(c);
  }
  if (c->options->ground) {
    add_ground(c);
  }
  if (c->options->servo_kp != 0 || c->options->servo_kv != 0) {
    add_servos(c);
  }
  return CR_OK;
}

// ---- libmujoco's part

// the line of the link or joint that libmujoco's sentence names, 0 if it names none
static int named_line(const cr_urdf* u, const char* text) {
  static const char mark[] = "Element name '";
  const char* at = strstr(text, mark);
  char name[256] = "";
  if (at != NULL) {
    (void)snprintf(name, sizeof name, "%s", at + sizeof mark - 1);
    name[strcspn(name, "'")] = 0;
  }
  int link = cri_urdf_link_find(u, name), joint = cri_urdf_joint_find(u, name);
  return link >= 0 ? u->links[link].xml->line : (joint >= 0 ? u->joints[joint].xml->line : 0);
}

static cr_status refused(const compile* c, const char* said) {
  char text[400];
  (void)snprintf(text, sizeof text, "%s", said);
  for (char* at = text; *at != 0; at++) {
    *at = *at == '\n' ? ' ' : *at;
  }
  int line = named_line(c->u, text);
  return line > 0 ? cri_fail(c->error, CR_ERR_MODEL, "%s:%d: %s", c->u->path, line, text)
                  : cri_fail(c->error, CR_ERR_MODEL, "%s: %s", c->u->path, text);
}

static cr_status work(void* context) {
  compile* c = context;
  char text[1000] = "";
  c->spec = mj_parseXML(c->u->path, NULL, text, (int)sizeof text);
  if (c->spec == NULL) {
    return refused(c, text);
  }
  CR_TRY(edit(c));
  c->model = mj_compile(c->spec, NULL);
  if (c->model == NULL) {
    return refused(c, mjs_getError(c->spec));
  }
  for (int i = 0; i < mjs_numWarnings(c->spec); i++) {
    cri_sentence(&c->report->warnings, "%s: %s", c->u->path, mjs_getWarning(c->spec, i));
  }
  return CR_OK;
}

cr_status cri_urdf_load_spec(mjSpec** spec, mjModel** out, const char* path,
                             const cr_urdf_options* options, cr_load_report* report,
                             cr_error* error) {
  static const cr_urdf_options otherwise = {0};
  cr_urdf u;
  cr_error inner = {0};
  compile c = {.options = options != NULL ? options : &otherwise,
               .u = &u,
               .report = report,
               .error = &inner};
  cr_status status = cri_urdf_read(&u, path, report, error);
  if (status == CR_OK) {
    status = cri_mujoco_guard(work, &c, path, &inner);
    if (status != CR_OK && error != NULL) {
      *error = inner;
    }
  }
  cri_urdf_free(&u);
  *spec = c.spec;
  if (status == CR_OK) {
    *out = c.model;
  }
  return status;
}

cr_status cri_urdf_load(mjModel** out, const char* path, const cr_urdf_options* options,
                        cr_load_report* report, cr_error* error) {
  mjSpec* spec = NULL;
  cr_status status = cri_urdf_load_spec(&spec, out, path, options, report, error);
  mj_deleteSpec(spec);
  return status;
}
