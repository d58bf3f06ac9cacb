// SPDX-License-Identifier: Apache-2.0
// The checks of a URDF file, as two tables: the places of each element, and the numbers of each
// attribute. Then the tree that the joints make of the links.
#include "io/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

// elements and their places; any other is ignored and reported, "" is not read further
static const struct {
  const char *parent, *name, *attributes;
} known[] = {
    {"robot", "link", " name "},
    {"robot", "joint", " name type "},
    {"robot", "material", ""},
    {"robot", "mujoco", ""},
    {"link", "inertial", " "},
    {"link", "visual", ""},
    {"link", "collision", " name "},
    {"inertial", "origin", " xyz rpy "},
    {"inertial", "mass", " value "},
    {"inertial", "inertia", " ixx iyy izz ixy ixz iyz "},
    {"collision", "origin", " xyz rpy "},
    {"collision", "geometry", " "},
    {"collision", "material", ""},
    {"geometry", "box", " size "},
    {"geometry", "sphere", " radius "},
    {"geometry", "cylinder", " radius length "},
    {"geometry", "capsule", " radius length "},
    {"geometry", "mesh", " filename scale "},
    {"joint", "origin", " xyz rpy "},
    {"joint", "parent", " link "},
    {"joint", "child", " link "},
    {"joint", "axis", " xyz "},
    {"joint", "limit", " lower upper effort velocity "},
    {"joint", "dynamics", " damping friction "},
    {"joint", "mimic", " joint multiplier offset "},
};

typedef enum { ANY, NOT_NEGATIVE, POSITIVE, NO_ZERO_VECTOR, NO_ZERO } condition;
enum { TEXT = 0 };

// attributes: how many numbers (or a text), whether they must be there, and their range
static const struct {
  const char *element, *attribute;
  int n;
  bool required;
  condition rule;
} attributes[] = {
    {"origin", "xyz", 3, false, ANY},
    {"origin", "rpy", 3, false, ANY},
    {"mass", "value", 1, true, NOT_NEGATIVE},
    {"inertia", "ixx", 1, true, NOT_NEGATIVE},
    {"inertia", "iyy", 1, true, NOT_NEGATIVE},
    {"inertia", "izz", 1, true, NOT_NEGATIVE},
    {"inertia", "ixy", 1, true, ANY},
    {"inertia", "ixz", 1, true, ANY},
    {"inertia", "iyz", 1, true, ANY},
    {"box", "size", 3, true, POSITIVE},
    {"sphere", "radius", 1, true, POSITIVE},
    {"cylinder", "radius", 1, true, POSITIVE},
    {"cylinder", "length", 1, true, POSITIVE},
    {"capsule", "radius", 1, true, POSITIVE},
    {"capsule", "length", 1, true, POSITIVE},
    {"mesh", "filename", TEXT, true, ANY},
    {"mesh", "scale", 3, false, NO_ZERO},
    {"parent", "link", TEXT, true, ANY},
    {"child", "link", TEXT, true, ANY},
    {"axis", "xyz", 3, true, NO_ZERO_VECTOR},
    {"limit", "lower", 1, false, ANY},
    {"limit", "upper", 1, false, ANY},
    {"limit", "effort", 1, false, NOT_NEGATIVE},
    {"limit", "velocity", 1, false, NOT_NEGATIVE},
    {"dynamics", "damping", 1, false, NOT_NEGATIVE},
    {"dynamics", "friction", 1, false, NOT_NEGATIVE},
    {"mimic", "joint", TEXT, true, ANY},
    {"mimic", "multiplier", 1, false, ANY},
    {"mimic", "offset", 1, false, ANY},
    {"link", "name", TEXT, true, ANY},
    {"joint", "name", TEXT, true, ANY},
    {"joint", "type", TEXT, true, ANY},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- sentences

// the link or joint that contains an element
static const cr_xml* owner(const cr_xml* e) {
  while (e->parent != NULL && e->parent->parent != NULL) {
    e = e->parent;
  }
  return e;
}

cr_status cri_urdf_fail(const cr_urdf* u, const cr_xml* at, cr_error* error, const char* format,
                        ...) {
  char what[256];
  va_list list;
  va_start(list, format);
  (void)cri_print_list(what, sizeof what, format, list);
  va_end(list);
  const cr_xml* top = owner(at);
  const char* name = cri_xml_attribute(top, "name");
  if (name == NULL) {
    return cri_fail(error, CR_ERR_FORMAT, "%s:%d: <%s>: %s", u->path, at->line, at->name, what);
  }
  if (top == at) {
    return cri_fail(error, CR_ERR_FORMAT, "%s:%d: %s '%s': %s", u->path, at->line, top->name, name,
                    what);
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s:%d: <%s> of %s '%s': %s", u->path, at->line, at->name,
                  top->name, name, what);
}

// ---- numbers

static int read_numbers(const char* text, double* x, int n) {
  int found = 0;
  char* end = NULL;
  for (const char* at = text; *at != 0; at = end) {
    double value = cri_number(at, &end);
    if (end == at) {
      return strspn(at, " \t\r\n") == strlen(at) ? found : -1;
    }
    if (!isfinite(value)) {
      return -1;
    }
    if (found < n) {
      x[found] = value;
    }
    found++;
  }
  return found;
}

// the fault of numbers, NULL if there is none
static const char* broken(const double* x, int n, condition rule) {
  bool all_zero = true;
  for (int i = 0; i < n; i++) {
    if (rule == NOT_NEGATIVE && x[i] < 0) {
      return "is negative";
    }
    if (rule == POSITIVE && x[i] <= 0) {
      return "is not positive";
    }
    if (rule == NO_ZERO && x[i] == 0) {
      return "is zero";
    }
    all_zero = all_zero && x[i] == 0;
  }
  return rule == NO_ZERO_VECTOR && all_zero ? "is zero" : NULL;
}

// the axis of a joint that neither turns nor slides may be anything
static bool is_idle_axis(const cr_xml* e) {
  const char* type = e->parent != NULL ? cri_xml_attribute(e->parent, "type") : NULL;
  return strcmp(e->name, "axis") == 0 && type != NULL &&
         (strcmp(type, "fixed") == 0 || strcmp(type, "floating") == 0);
}

static cr_status check_attributes(const cr_urdf* u, const cr_xml* e, cr_error* error) {
  double x[3];
  for (int i = 0; i < COUNT(attributes); i++) {
    if (strcmp(attributes[i].element, e->name) != 0) {
      continue;
    }
    const char* name = attributes[i].attribute;
    const char* text = cri_xml_attribute(e, name);
    int n = attributes[i].n;
    if (text == NULL && attributes[i].required) {
      return cri_urdf_fail(u, e, error, "attribute '%s' is missing", name);
    }
    if (text == NULL || n == TEXT) {
      continue;
    }
    if (read_numbers(text, x, n) != n) {
      return cri_urdf_fail(u, e, error, "%s=\"%.40s\": %d number%s expected", name, text, n,
                           n == 1 ? "" : "s");
    }
    const char* what = broken(x, n, is_idle_axis(e) ? ANY : attributes[i].rule);
    if (what != NULL) {
      return cri_urdf_fail(u, e, error, "%s=\"%.40s\" %s", name, text, what);
    }
  }
  return CR_OK;
}

static double number(const cr_xml* e, const char* name, double otherwise) {
  const char* text = e != NULL ? cri_xml_attribute(e, name) : NULL;
  (void)(text != NULL && read_numbers(text, &otherwise, 1));
  return otherwise;
}

// ---- elements

static const char* known_attributes(const cr_xml* e) {
  for (int i = 0; i < COUNT(known); i++) {
    if (strcmp(known[i].name, e->name) == 0 && strcmp(known[i].parent, e->parent->name) == 0) {
      return known[i].attributes;
    }
  }
  return NULL;
}

// kinds of elements and attributes that were reported already
enum { MAX_KINDS = 64 };
typedef struct {
  char kinds[MAX_KINDS][96];
  int n;
  cr_load_report* report;
} ignored;

static void ignore(ignored* seen, const cr_xml* e, const char* attribute) {
  char kind[96];
  (void)snprintf(kind, sizeof kind, attribute != NULL ? "<%.24s %.24s>" : "<%.24s>", e->name,
                 attribute);
  (void)snprintf(kind + strlen(kind), sizeof kind - strlen(kind), " in <%.24s>", e->parent->name);
  for (int i = 0; i < seen->n; i++) {
    if (strcmp(seen->kinds[i], kind) == 0) {
      return;
    }
  }
  if (seen->n < MAX_KINDS) {
    (void)snprintf(seen->kinds[seen->n++], sizeof kind, "%s", kind);
    cri_sentence(&seen->report->ignored, "URDF: %s (first in line %d)", kind, e->line);
  }
}

static void ignore_unknown_attributes(ignored* seen, const cr_xml* e, const char* allowed) {
  for (const char* const* a = e->attributes; *a != NULL; a += 2) {
    const char* at = strstr(allowed, a[0]);
    size_t n = strlen(a[0]);
    while (at != NULL && !(at > allowed && at[-1] == ' ' && at[n] == ' ')) {
      at = strstr(at + 1, a[0]);
    }
    if (at == NULL) {
      ignore(seen, e, a[0]);
    }
  }
}

static cr_status check_elements(const cr_urdf* u, const cr_xml* parent, ignored* seen,
                                cr_error* error) {
  for (const cr_xml* e = parent->child; e != NULL; e = e->next) {
    const char* allowed = known_attributes(e);
    if (allowed == NULL) {
      if (strcmp(parent->name, "geometry") == 0) {
        return cri_urdf_fail(u, e, error, "no shape that is known");
      }
      ignore(seen, e, NULL);
    }
    if (allowed == NULL || allowed[0] == 0) {
      continue;
    }
    ignore_unknown_attributes(seen, e, allowed);
    CR_TRY(check_attributes(u, e, error));
    CR_TRY(check_elements(u, e, seen, error));
  }
  return CR_OK;
}

// ---- links and joints

int cri_urdf_link_find(const cr_urdf* u, const char* name) {
  for (int i = 0; i < u->nlink; i++) {
    if (strcmp(u->links[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int cri_urdf_joint_find(const cr_urdf* u, const char* name) {
  for (int i = 0; i < u->njoint; i++) {
    if (strcmp(u->joints[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static cr_status add_link(cr_urdf* u, const cr_xml* e, cr_error* error) {
  const char* name = cri_xml_attribute(e, "name");
  if (cri_urdf_link_find(u, name) >= 0) {
    return cri_urdf_fail(u, e, error, "there is another link of this name in line %d",
                         u->links[cri_urdf_link_find(u, name)].xml->line);
  }
  cr_urdf_link* link = &u->links[u->nlink++];
  const cr_xml* inertial = cri_xml_child(e, "inertial");
  *link = (cr_urdf_link){.xml = e, .name = name, .joint = -1, .has_inertial = inertial != NULL};
  if (inertial != NULL) {
    static const char* const moments[] = {"ixx", "iyy", "izz"};
    const cr_xml *mass = cri_xml_child(inertial, "mass"),
                 *inertia = cri_xml_child(inertial, "inertia");
    if (mass == NULL || inertia == NULL) {
      return cri_urdf_fail(u, inertial, error, "<%s> is missing",
                           mass == NULL ? "mass" : "inertia");
    }
    link->mass = number(mass, "value", 0);
    for (int i = 0; i < 3; i++) {
      link->has_inertia = link->has_inertia || number(inertia, moments[i], 0) > 0;
    }
  }
  for (const cr_xml* c = cri_xml_child(e, "collision"); c != NULL; c = cri_xml_next(c)) {
    const cr_xml* geometry = cri_xml_child(c, "geometry");
    if (geometry == NULL || geometry->child == NULL) {
      return cri_urdf_fail(u, c, error, "it has no geometry");
    }
    link->has_collision = true;
  }
  return CR_OK;
}

static cr_status find_end(int* link, const cr_urdf* u, const cr_xml* joint, const char* end,
                          cr_error* error) {
  const cr_xml* e = cri_xml_child(joint, end);
  if (e == NULL) {
    return cri_urdf_fail(u, joint, error, "<%s> is missing", end);
  }
  const char* name = cri_xml_attribute(e, "link");
  *link = cri_urdf_link_find(u, name);
  return *link >= 0 ? CR_OK : cri_urdf_fail(u, e, error, "there is no link '%.60s'", name);
}

static cr_status check_type(const cr_urdf* u, const cr_urdf_joint* j, cr_error* error) {
  static const char* const types[] = {"revolute", "continuous", "prismatic", "fixed",
                                      "floating", "planar",     "spherical"};
  for (int i = 0; i < COUNT(types); i++) {
    if (strcmp(j->type, types[i]) == 0) {
      return CR_OK;
    }
  }
  return cri_urdf_fail(u, j->xml, error, "there is no joint type '%.40s'", j->type);
}

static cr_status add_joint(cr_urdf* u, const cr_xml* e, cr_error* error) {
  cr_urdf_joint j = {
      .xml = e, .name = cri_xml_attribute(e, "name"), .type = cri_xml_attribute(e, "type")};
  int same = cri_urdf_joint_find(u, j.name);
  if (same >= 0) {
    return cri_urdf_fail(u, e, error, "there is another joint of this name in line %d",
                         u->joints[same].xml->line);
  }
  CR_TRY(check_type(u, &j, error));
  CR_TRY(find_end(&j.parent, u, e, "parent", error));
  CR_TRY(find_end(&j.child, u, e, "child", error));
  int* above = &u->links[j.child].joint;
  if (*above >= 0) {
    return cri_urdf_fail(u, e, error, "its child '%.60s' hangs on joint '%.60s' already",
                         u->links[j.child].name, u->joints[*above].name);
  }
  *above = u->njoint;
  u->joints[u->njoint++] = j;
  return CR_OK;
}

static cr_status check_limit(const cr_urdf* u, const cr_urdf_joint* j, cr_load_report* report,
                             cr_error* error) {
  const cr_xml* limit = cri_xml_child(j->xml, "limit");
  bool ranged = strcmp(j->type, "revolute") == 0 || strcmp(j->type, "prismatic") == 0;
  if (limit == NULL || !ranged) {
    return CR_OK;
  }
  double lower = number(limit, "lower", 0), upper = number(limit, "upper", 0);
  if (lower > upper) {
    return cri_urdf_fail(u, limit, error, "lower %g is above upper %g", lower, upper);
  }
  if (lower == upper) {
    cri_sentence(&report->warnings,
                 "%s:%d: joint '%s': lower and upper limit are both %g, so it has none", u->path,
                 limit->line, j->name, lower);
  }
  if (number(limit, "velocity", 0) > 0) {
    cri_sentence(&report->ignored, "URDF: velocity limits of joints");
  }
  return CR_OK;
}

static bool one_coordinate(const cr_urdf_joint* j) {
  return strcmp(j->type, "revolute") == 0 || strcmp(j->type, "continuous") == 0 ||
         strcmp(j->type, "prismatic") == 0;
}

static cr_status check_mimic(const cr_urdf* u, const cr_urdf_joint* j, cr_error* error) {
  const cr_xml* mimic = cri_xml_child(j->xml, "mimic");
  if (mimic == NULL) {
    return CR_OK;
  }
  const char* name = cri_xml_attribute(mimic, "joint");
  int other = cri_urdf_joint_find(u, name);
  if (other < 0) {
    return cri_urdf_fail(u, mimic, error, "there is no joint '%.60s'", name);
  }
  if (&u->joints[other] == j) {
    return cri_urdf_fail(u, mimic, error, "a joint cannot mimic itself");
  }
  if (!one_coordinate(j) || !one_coordinate(&u->joints[other])) {
    return cri_urdf_fail(u, mimic, error, "both joints must be revolute, continuous or prismatic");
  }
  return CR_OK;
}

// checks for one root, from which every link is reached
static cr_status check_tree(cr_urdf* u, cr_error* error) {
  u->root = -1;
  for (int i = 0; i < u->nlink; i++) {
    if (u->links[i].joint >= 0) {
      continue;
    }
    if (u->root >= 0) {
      return cri_urdf_fail(u, u->links[i].xml, error, "no joint holds it, nor link '%.60s'",
                           u->links[u->root].name);
    }
    u->root = i;
  }
  for (int i = 0; i < u->nlink; i++) {
    int at = i, steps = 0;
    while (u->links[at].joint >= 0 && steps++ <= u->nlink) {
      at = u->joints[u->links[at].joint].parent;
    }
    if (u->links[at].joint >= 0) {
      return cri_urdf_fail(u, u->links[i].xml, error, "its joints lead in a circle");
    }
  }
  return CR_OK;
}

// ---- the file

static cr_status allocate(cr_urdf* u, cr_error* error) {
  int nlink = 0, njoint = 0;
  for (const cr_xml* e = u->xml->child; e != NULL; e = e->next) {
    nlink += strcmp(e->name, "link") == 0;
    njoint += strcmp(e->name, "joint") == 0;
  }
  if (nlink == 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s:%d: the robot has no link", u->path, u->xml->line);
  }
  u->links = calloc((size_t)nlink, sizeof *u->links);
  u->joints = calloc((size_t)njoint + 1, sizeof *u->joints);
  return u->links != NULL && u->joints != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", u->path);
}

static cr_status build_tree(cr_urdf* u, cr_load_report* report, cr_error* error) {
  CR_TRY(allocate(u, error));
  for (const cr_xml* e = cri_xml_child(u->xml, "link"); e != NULL; e = cri_xml_next(e)) {
    CR_TRY(add_link(u, e, error));
  }
  for (const cr_xml* e = cri_xml_child(u->xml, "joint"); e != NULL; e = cri_xml_next(e)) {
    CR_TRY(add_joint(u, e, error));
  }
  for (int i = 0; i < u->njoint; i++) {
    CR_TRY(check_limit(u, &u->joints[i], report, error));
    CR_TRY(check_mimic(u, &u->joints[i], error));
  }
  return check_tree(u, error);
}

cr_status cri_urdf_read(cr_urdf* u, const char* path, cr_load_report* report, cr_error* error) {
  *u = (cr_urdf){.path = path};
  CR_TRY(cri_xml_read(&u->xml, path, error));
  if (strcmp(u->xml->name, "robot") != 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s:%d: <%s> where <robot> is expected", path,
                    u->xml->line, u->xml->name);
  }
  ignored seen = {.report = report};
  CR_TRY(check_elements(u, u->xml, &seen, error));
  return build_tree(u, report, error);
}

void cri_urdf_free(cr_urdf* u) {
  cri_xml_free(u->xml);
  free(u->links);
  free(u->joints);
  *u = (cr_urdf){0};
}
