// SPDX-License-Identifier: Apache-2.0
// Sizes with the moments that follow, and density.
//   [identification.p2]  box side  size = s/2 (1, 1, 1)
//   [identification.p3]            inertia = m s^2/6 (1, 1, 1)
//   [identification.p10] shape     inertia_k = m sum_j R_jk^2 c_j(size), R from the body's principal axes to the geom's,
//                                  c_j the moment of the solid about axis j of the geom over its mass
//   [identification.p11] density   mass = p mass_0, inertia = p inertia_0
#include "math/quat.h"
#include "parameter/kind_table.h"
#include "parameter/parameter_target.h"

// ---- geoms and bodies by name

static cr_status find_geom(cri_parameter_entry* e, const cr_model* m, cr_error* error) {
  e->geom = cri_target_object(m, CRI_OBJECT_geom, e->item.target);
  if (e->geom < 0) {
    return cri_fail(error, CR_ERR_NAME, "parameter '%s': the model has no geom '%s'", e->item.name,
                    e->item.target);
  }
  e->body = m->geom_bodyid[e->geom];
  return CR_OK;
}

// true for a geom that is the only one of a moving body, with its centre at the centre of mass
static bool is_alone(const cr_model* m, int g) {
  int b = m->geom_bodyid[g];
  cr_real off = 0;
  for (int i = 0; i < 3; i++) {
    off = cr_max(off, cr_abs(m->geom_pos[3 * g + i] - m->body_ipos[3 * b + i]));
  }
  return b > 0 && m->body_geomnum[b] == 1 && off <= CR_R(1e-9);
}

// ---- side of a cube

// true for a free body without springs, dampers, armature and friction loss
static bool drifts(const cr_model* m, int body) {
  int j = m->body_jntadr[body];
  bool alone = m->body_jntnum[body] == 1 && m->jnt_type[j] == CR_JNT_FREE &&
               m->body_parentid[body] == 0 && m->jnt_stiffness[j] == 0 &&
               m->jnt_stiffnesspoly[2 * j] == 0 && m->jnt_stiffnesspoly[2 * j + 1] == 0;
  for (int k = 0; k < 6 && alone; k++) {
    int i = m->jnt_dofadr[j] + k;
    alone = m->dof_damping[i] == 0 && m->dof_dampingpoly[2 * i] == 0 &&
            m->dof_dampingpoly[2 * i + 1] == 0 && m->dof_armature[i] == 0 &&
            m->dof_frictionloss[i] == 0;
  }
  return alone;
}

static cr_status bind_box_side(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                               cr_error* error) {
  CR_TRY(find_geom(e, m, error));
  if (m->geom_type[e->geom] != CR_GEOM_BOX || !is_alone(m, e->geom)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': geom '%s' is not a box that is alone on a moving body, with "
                    "its centre at the centre of mass",
                    e->item.name, e->item.target);
  }
  e->drifts = drifts(m, e->body);
  CR_TRY(cri_entry_places(e, 2, error));
  cri_entry_place(e, 0, CR_FIELD_geom_size, 3 * e->geom, 3, wanted);
  cri_entry_place(e, 1, CR_FIELD_body_inertia, 3 * e->body, 3, wanted);
  return CR_OK;
}

static void apply_box_side(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  cr_real s = p[0];
  for (int i = 0; i < 3; i++) {
    m->geom_size[3 * e->geom + i] = s / 2;                                 // [identification.p2]
    m->body_inertia[3 * e->body + i] = m->body_mass[e->body] * s * s / 6;  // [identification.p3]
  }
}

static void push_box_side(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                          const cr_real* p_tan, cr_model* par_tan) {
  cr_real s = p[0], mass_tan = cri_par_tan(par_tan->body_mass, e->body, 1)[0];
  for (int i = 0; i < 3; i++) {
    par_tan->geom_size[3 * e->geom + i] = p_tan[0] / 2;
    par_tan->body_inertia[3 * e->body + i] =
        mass_tan * s * s / 6 + m->body_mass[e->body] * s * p_tan[0] / 3;
  }
}

static void pull_box_side(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                          cr_model* par_bar, cr_real* p_bar) {
  const cr_real* size_bar = par_bar->geom_size + 3 * e->geom;
  const cr_real* inertia_bar = par_bar->body_inertia + 3 * e->body;
  cr_real s = p[0], moment_bar = inertia_bar[0] + inertia_bar[1] + inertia_bar[2];
  cri_par_add1(par_bar->body_mass, e->body, moment_bar * s * s / 6);  // [identification.p3]'
  p_bar[0] += moment_bar * m->body_mass[e->body] * s / 3 +            // [identification.p3]'
              (size_bar[0] + size_bar[1] + size_bar[2]) / 2;          // [identification.p2]'
}

const cri_parameter_kind cri_kind_box_side = {.reads = true,
                                              .bind = bind_box_side,
                                              .apply = apply_box_side,
                                              .push = push_box_side,
                                              .pull = pull_box_side};

// ---- moments of solids over their mass

// how many sizes a shape has; 0: it is none of these
static int count_sizes(int type) {
  switch (type) {
    case CR_GEOM_SPHERE:
      return 1;
    case CR_GEOM_CAPSULE:
    case CR_GEOM_CYLINDER:
      return 2;
    case CR_GEOM_ELLIPSOID:
    case CR_GEOM_BOX:
      return 3;
    default:
      return 0;
  }
}

// c[j] and its slopes by[3 j + k] against size k
static void solid_of_axes(const cr_real s[3], cr_real part, cr_real c[3], cr_real by[9]) {
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    c[j] = (s[a] * s[a] + s[b] * s[b]) * part;
    by[3 * j + a] = 2 * s[a] * part;
    by[3 * j + b] = 2 * s[b] * part;
  }
}

// radius r, half length h of the cylinder; the caps are a share of the mass: a sphere's halves, whose
// centres are 3/8 r beyond the ends
static void capsule(cr_real r, cr_real h, cr_real c[3], cr_real by[9]) {
  cr_real whole = 2 * r + 3 * h, caps = whole > 0 ? 2 * r / whole : 1;
  cr_real caps_r = whole > 0 ? 6 * h / (whole * whole) : 0;
  cr_real caps_h = whole > 0 ? -6 * r / (whole * whole) : 0;
  cr_real rod = r * r / 4 + h * h / 3, ends = 2 * r * r / 5 + h * h + 3 * h * r / 4;
  c[0] = c[1] = (1 - caps) * rod + caps * ends;
  c[2] = (1 - caps) * r * r / 2 + caps * 2 * r * r / 5;
  by[0] = by[3] = caps_r * (ends - rod) + (1 - caps) * r / 2 + caps * (4 * r / 5 + 3 * h / 4);
  by[1] = by[4] = caps_h * (ends - rod) + (1 - caps) * 2 * h / 3 + caps * (2 * h + 3 * r / 4);
  by[6] = -caps_r * r * r / 10 + (1 - caps) * r + caps * 4 * r / 5;
  by[7] = -caps_h * r * r / 10;
}

static void solid(int type, const cr_real s[3], cr_real c[3], cr_real by[9]) {
  cr_zero(by, 9);
  switch (type) {
    case CR_GEOM_SPHERE:
      c[0] = c[1] = c[2] = 2 * s[0] * s[0] / 5;
      by[0] = by[3] = by[6] = 4 * s[0] / 5;
      break;
    case CR_GEOM_CAPSULE:
      capsule(s[0], s[1], c, by);
      break;
    case CR_GEOM_CYLINDER:
      c[0] = c[1] = s[0] * s[0] / 4 + s[1] * s[1] / 3;
      c[2] = s[0] * s[0] / 2;
      by[0] = by[3] = s[0] / 2;
      by[1] = by[4] = 2 * s[1] / 3;
      by[6] = s[0];
      break;
    case CR_GEOM_ELLIPSOID:
      solid_of_axes(s, CR_R(1.0) / 5, c, by);
      break;
    default:
      solid_of_axes(s, CR_R(1.0) / 3, c, by);
      break;
  }
}

// moment k of the body over its mass, and its slopes
static void moments(const cri_parameter_entry* e, const cr_model* m, cr_real c[3], cr_real by[9]) {
  cr_real own[3], own_by[9];
  solid(m->geom_type[e->geom], m->geom_size + 3 * e->geom, own, own_by);
  cr_mulmat3(c, e->share, own);
  cr_matmul3(by, e->share, own_by);
}

// ---- shape

// shares from the turn between the geom and the principal axes; false if the axes of a box or ellipsoid
// are not its own, or the axis of a capsule or cylinder is none
static bool share_axes(cri_parameter_entry* e, const cr_model* m) {
  const int type = m->geom_type[e->geom];
  const cr_real* of_body = m->body_iquat + 4 * e->body;
  const cr_real conjugate[4] = {of_body[0], -of_body[1], -of_body[2], -of_body[3]};
  cr_real q[4], R[9];  // R[3 k + j]: axis j of the geom along axis k of the body
  cr_quat_mul(q, conjugate, m->geom_quat + 4 * e->geom);
  cr_quat_to_mat(R, q);
  bool aligned[3];
  for (int j = 0; j < 3; j++) {
    cr_real most = 0;
    for (int k = 0; k < 3; k++) {
      most = cr_max(most, cr_abs(R[3 * k + j]));
      e->share[3 * k + j] = R[3 * k + j] * R[3 * k + j];
    }
    aligned[j] = most >= 1 - CR_R(1e-6);
  }
  return type == CR_GEOM_SPHERE || (aligned[2] && (count_sizes(type) == 2 || aligned[0]));
}

static bool is_solid(const cri_parameter_entry* e, const cr_model* m) {
  cr_real c[3], by[9], mass = m->body_mass[e->body];
  bool same = mass > 0;
  moments(e, m, c, by);
  for (int k = 0; k < 3; k++) {
    cr_real moment = m->body_inertia[3 * e->body + k];
    same = same && cr_abs(moment - mass * c[k]) <= CR_R(1e-6) * moment;
  }
  return same;
}

static cr_status bind_shape(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                            cr_error* error) {
  const char *name = e->item.name, *target = e->item.target;
  cr_place place;
  cr_error inner;
  cr_status status = cri_place_find(&place, m, target, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "parameter '%s': %s", name, inner.text);
  }
  e->geom = place.first / 3;
  if (place.field != CR_FIELD_geom_size || place.count != 1 ||
      place.first % 3 >= count_sizes(m->geom_type[e->geom])) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': %s is not one size of a box, sphere, capsule, cylinder or "
                    "ellipsoid",
                    name, target);
  }
  e->body = m->geom_bodyid[e->geom];
  if (!is_alone(m, e->geom) || !share_axes(e, m) || !is_solid(e, m)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': %s is not of a geom that is alone on a moving body, with its "
                    "centre at the centre of mass and the moments of a solid",
                    name, target);
  }
  CR_TRY(cri_entry_places(e, 2, error));
  cri_entry_place(e, 0, CR_FIELD_geom_size, place.first, 1, wanted);
  cri_entry_place(e, 1, CR_FIELD_body_inertia, 3 * e->body, 3, wanted);
  return CR_OK;
}

// Several sizes of a geom: each sets its own, the last one of the list sees all.
static void apply_shape(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  cr_real c[3], by[9];
  m->geom_size[e->places[0].first] = p[0];
  moments(e, m, c, by);
  cr_scl3(m->body_inertia + 3 * e->body, c, m->body_mass[e->body]);  // [identification.p10]
}

static void push_shape(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                       const cr_real* p_tan, cr_model* par_tan) {
  cr_real c[3], by[9], c_tan[3], *inertia_tan = par_tan->body_inertia + 3 * e->body;
  (void)p;
  par_tan->geom_size[e->places[0].first] = p_tan[0];
  moments(e, m, c, by);
  cr_mulmat3(c_tan, by, par_tan->geom_size + 3 * e->geom);
  cr_scl3(inertia_tan, c_tan, m->body_mass[e->body]);
  cr_accscl3(inertia_tan, c, cri_par_tan(par_tan->body_mass, e->body, 1)[0]);
}

static void pull_shape(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                       cr_model* par_bar, cr_real* p_bar) {
  cr_real c[3], by[9], c_bar[3], *inertia_bar = par_bar->body_inertia + 3 * e->body;
  (void)p;
  moments(e, m, c, by);
  cri_par_add1(par_bar->body_mass, e->body, cr_dot3(c, inertia_bar));  // [identification.p10]'
  cr_scl3(c_bar, inertia_bar, m->body_mass[e->body]);
  cr_acctmat3(par_bar->geom_size + 3 * e->geom, by, c_bar);
  cr_zero3(inertia_bar);
  p_bar[0] += par_bar->geom_size[e->places[0].first];
}

const cri_parameter_kind cri_kind_shape = {.reads = true,
                                           .bind = bind_shape,
                                           .apply = apply_shape,
                                           .push = push_shape,
                                           .pull = pull_shape};

// ---- density

static cr_status bind_density(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                              cr_error* error) {
  const char *name = e->item.name, *target = e->item.target;
  e->body = cri_target_object(m, CRI_OBJECT_body, target);
  if (e->body < 0) {
    return cri_fail(error, CR_ERR_NAME, "parameter '%s': the model has no body '%s'", name, target);
  }
  if (e->body == 0 || !(m->body_mass[e->body] > 0)) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': body '%s' has no mass", name, target);
  }
  CR_TRY(cri_entry_places(e, 2, error));
  cri_entry_place(e, 0, CR_FIELD_body_mass, e->body, 1, wanted);
  cri_entry_place(e, 1, CR_FIELD_body_inertia, 3 * e->body, 3, wanted);
  return cri_entry_base(e, m, error);
}

static void apply_density(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  m->body_mass[e->body] = p[0] * e->base[0];  // [identification.p11]
  cr_scl3(m->body_inertia + 3 * e->body, e->base + 1, p[0]);
}

static void push_density(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         const cr_real* p_tan, cr_model* par_tan) {
  (void)m, (void)p;
  par_tan->body_mass[e->body] = p_tan[0] * e->base[0];
  cr_scl3(par_tan->body_inertia + 3 * e->body, e->base + 1, p_tan[0]);
}

static void pull_density(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         cr_model* par_bar, cr_real* p_bar) {
  (void)m, (void)p;
  p_bar[0] += par_bar->body_mass[e->body] * e->base[0] +
              cr_dot3(par_bar->body_inertia + 3 * e->body, e->base + 1);
}

const cri_parameter_kind cri_kind_density = {
    .bind = bind_density, .apply = apply_density, .push = push_density, .pull = pull_density};
