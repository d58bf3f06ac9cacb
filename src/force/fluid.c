// SPDX-License-Identifier: Apache-2.0
// Elements, boxes of bodies and ellipsoids of geoms, one after the other: motion into the element's frame,
// its law, and force out again. Out is the transpose of in: a local force makes the body force that does
// the same work on every motion. Gradients are those of that work.
#include "force/fluid.h"

#include "force/fluid_law.h"
#include "kinematics/tree.h"
#include "math/vec3.h"

// ---- elements

typedef struct {
  bool box;
  int body, geom;  // geom -1: the body's box
  const cr_real *x, *R;
  cr_real r[3];                      // x - subtree_com
  cr_real inputs[CRI_NFLUID_INPUT];  // of its law
  cri_fluid_law law;
} element;

bool cri_fluid_on(const cr_model* m) {
  const int both = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  return (m->disableflags & both) != both;
}

bool cri_fluid_acts(const cr_model* m) {
  return cri_fluid_on(m) && (m->density[0] != 0 || m->viscosity[0] != 0);
}

bool cri_fluid_matters(const cr_model* m, const cr_data* twin) {
  bool wanted = twin->par.density != NULL || twin->par.viscosity != NULL;
  return cri_fluid_acts(m) || (wanted && cri_fluid_on(m));
}

static bool has_ellipsoid(const cr_model* m, int b) {
  for (int g = m->body_geomadr[b]; g < m->body_geomadr[b] + m->body_geomnum[b]; g++) {
    if (m->geom_fluid[12 * g] > 0) {
      return true;
    }
  }
  return false;
}

void cri_fluid_axes(cr_real s[3], int type, const cr_real* size) {
  bool round = type == CR_GEOM_SPHERE || type == CR_GEOM_CAPSULE || type == CR_GEOM_CYLINDER;
  s[0] = size[0];
  s[1] = round ? size[0] : size[1];
  s[2] = type == CR_GEOM_SPHERE ? size[0] : (round ? size[1] : size[2]);
  s[2] += type == CR_GEOM_CAPSULE ? size[0] : 0;
}

// its transpose
void cri_fluid_axes_vjp(cr_real* size_bar, int type, const cr_real s_bar[3]) {
  bool round = type == CR_GEOM_SPHERE || type == CR_GEOM_CAPSULE || type == CR_GEOM_CYLINDER;
  size_bar[0] += s_bar[0];
  size_bar[round ? 0 : 1] += s_bar[1];
  size_bar[type == CR_GEOM_SPHERE ? 0 : (round ? 1 : 2)] += s_bar[2];
  size_bar[0] += type == CR_GEOM_CAPSULE ? s_bar[2] : 0;
}

// density and viscosity
typedef struct {
  cr_real rho, beta;
} medium;

static medium medium_of(const cr_model* m) { return (medium){m->density[0], m->viscosity[0]}; }

static void put_into(element* e, medium of) {
  e->inputs[CRI_FLUID_RHO] = of.rho;
  e->inputs[CRI_FLUID_BETA] = of.beta;
  cri_fluid_law_make(&e->law, e->box, e->inputs);
}

static bool feels(const cr_model* m, int body) {
  return cri_tree_moves(m, body) && m->body_mass[body] >= CR_MINVAL;
}

static bool is_box(const cr_model* m, int body) {
  return feels(m, body) && !has_ellipsoid(m, body);
}

// element k: the box of body k, or the ellipsoid of geom k - nbody; false if there is none
static bool element_in(const cr_model* m, const cr_data* d, medium of, int k, element* e) {
  e->box = k < m->nbody;
  e->geom = k - m->nbody;
  e->body = e->box ? k : m->geom_bodyid[e->geom];
  if (e->box
          ? !is_box(m, e->body)
          : !feels(m, e->body) || !has_ellipsoid(m, e->body) || m->geom_fluid[12 * e->geom] == 0) {
    return false;
  }
  cr_zero(e->inputs, CRI_NFLUID_INPUT);
  if (e->box) {
    e->x = d->xipos + 3 * e->body;
    e->R = d->ximat + 9 * e->body;
    e->inputs[CRI_FLUID_SIZE] = m->body_mass[e->body];
    cr_copy3(e->inputs + CRI_FLUID_SIZE + 1, m->body_inertia + 3 * e->body);
  } else {
    e->x = d->geom_xpos + 3 * e->geom;
    e->R = d->geom_xmat + 9 * e->geom;
    cri_fluid_axes(e->inputs + CRI_FLUID_SIZE, m->geom_type[e->geom], m->geom_size + 3 * e->geom);
    cr_copy(e->inputs + CRI_FLUID_COEF, m->geom_fluid + 12 * e->geom, 12);
  }
  cr_sub3(e->r, e->x, d->subtree_com + 3 * m->body_rootid[e->body]);
  put_into(e, of);
  return true;
}

static bool element_at(const cr_model* m, const cr_data* d, int k, element* e) {
  return element_in(m, d, medium_of(m), k, e);
}

static int count(const cr_model* m) { return m->nbody + m->ngeom; }

// ---- [fluid.f9] a vacuum: its force is linear in density and viscosity, and zero

// the medium that the tangents make
static medium medium_tangent(const cr_data* tan) {
  return (medium){cri_par_tan(tan->par.density, 0, 1)[0], cri_par_tan(tan->par.viscosity, 0, 1)[0]};
}

static const medium unit_density = {1, 0}, unit_viscosity = {0, 1};

// ---- parameters of the law

static void law_vjp(const cr_model* m, const element* e, const cr_real* c_bar, cr_data* bar) {
  cr_real x_bar[CRI_NFLUID_INPUT] = {0};
  cr_model* par = &bar->par;
  cri_fluid_law_vjp(&e->law, e->inputs, c_bar, x_bar);
  if (par->density != NULL) {
    par->density[0] += x_bar[CRI_FLUID_RHO];
  }
  if (par->viscosity != NULL) {
    par->viscosity[0] += x_bar[CRI_FLUID_BETA];
  }
  if (e->box) {
    if (par->body_mass != NULL) {
      par->body_mass[e->body] += x_bar[CRI_FLUID_SIZE];
    }
    if (par->body_inertia != NULL) {
      cr_acc3(par->body_inertia + 3 * e->body, x_bar + CRI_FLUID_SIZE + 1);
    }
    return;
  }
  if (par->geom_size != NULL) {
    cri_fluid_axes_vjp(par->geom_size + 3 * e->geom, m->geom_type[e->geom], x_bar + CRI_FLUID_SIZE);
  }
  for (int k = 0; par->geom_fluid != NULL && k < 12; k++) {
    par->geom_fluid[12 * e->geom + k] += x_bar[CRI_FLUID_COEF + k];
  }
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// the tangent of a component is its gradient against the tangents
static void law_jvp(const cr_model* m, const cr_data* tan, const element* e, cr_real* c_tan) {
  const cr_model* par = &tan->par;
  cr_real x_tan[CRI_NFLUID_INPUT] = {0};
  if (e->box) {
    x_tan[CRI_FLUID_SIZE] = cri_par_tan(par->body_mass, e->body, 1)[0];
    cr_copy3(x_tan + CRI_FLUID_SIZE + 1, cri_par_tan(par->body_inertia, e->body, 3));
  } else {
    cri_fluid_axes(x_tan + CRI_FLUID_SIZE, m->geom_type[e->geom],
                   cri_par_tan(par->geom_size, e->geom, 3));
    cr_copy(x_tan + CRI_FLUID_COEF, cri_par_tan(par->geom_fluid, e->geom, 12), 12);
  }
  x_tan[CRI_FLUID_RHO] = cri_par_tan(par->density, 0, 1)[0];
  x_tan[CRI_FLUID_BETA] = cri_par_tan(par->viscosity, 0, 1)[0];
  for (int k = 0; k < CRI_NFLUID_LAW; k++) {
    cr_real unit[CRI_NFLUID_LAW] = {0}, x_bar[CRI_NFLUID_INPUT] = {0};
    unit[k] = 1;
    cri_fluid_law_vjp(&e->law, e->inputs, unit, x_bar);
    c_tan[k] = dot(x_bar, x_tan, CRI_NFLUID_INPUT);
  }
}

// ---- [fluid.f6] motions into the frame of an element; [fluid.f7] is the transpose of it

static void world_at(const element* e, const cr_real V[6], const cr_real* wind, cr_real out[6]) {
  cr_copy3(out, V);
  cr_copy3(out + 3, V + 3);
  cr_acccross3(out + 3, V, e->r);
  if (wind != NULL) {
    cr_accscl3(out + 3, wind, -1);
  }
}

static void local(const element* e, const cr_real V[6], const cr_real* wind, cr_real v[6]) {
  cr_real at[6];
  world_at(e, V, wind, at);
  cr_multmat3(v, e->R, at);
  cr_multmat3(v + 3, e->R, at + 3);
}

// tangents of an element's frame
typedef struct {
  cr_real r[3];
  const cr_real* R;
} frame_tan;

static frame_tan frame_tangent(const cr_model* m, const cr_data* tan, const element* e) {
  frame_tan t = {.R = e->box ? tan->ximat + 9 * e->body : tan->geom_xmat + 9 * e->geom};
  const cr_real* x = e->box ? tan->xipos + 3 * e->body : tan->geom_xpos + 3 * e->geom;
  cr_sub3(t.r, x, tan->subtree_com + 3 * m->body_rootid[e->body]);
  return t;
}

static void local_jvp(const element* e, const frame_tan* t, const cr_real V[6],
                      const cr_real V_tan[6], const cr_real* wind, const cr_real* wind_tan,
                      cr_real v_tan[6]) {
  cr_real at[6], moved[3];
  world_at(e, V, wind, at);
  local(e, V_tan, wind_tan, v_tan);
  cr_cross3(moved, V, t->r);
  for (int h = 0; h < 6; h += 3) {
    cr_real turned[3];
    cr_multmat3(turned, t->R, at + h);
    cr_acc3(v_tan + h, turned);
  }
  cr_real brought[3];
  cr_multmat3(brought, e->R, moved);
  cr_acc3(v_tan + 3, brought);
}

typedef struct {
  cr_real r[3], R[9], wind[3];
} frame_bar;

// F = X' y, the body force of the local one; with b the rest of the gradient of y . v
static void local_vjp(const element* e, const cr_real V[6], const cr_real* wind, const cr_real y[6],
                      cr_real V_bar[6], frame_bar* b) {
  cr_real f[6];
  cr_mulmat3(f, e->R, y);
  cr_mulmat3(f + 3, e->R, y + 3);
  cr_acc3(V_bar, f);
  cr_acccross3(V_bar, e->r, f + 3);
  cr_acc3(V_bar + 3, f + 3);
  if (b == NULL) {
    return;
  }
  cr_real at[6];
  world_at(e, V, wind, at);
  cr_acccross3(b->r, f + 3, V);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      b->R[3 * i + j] += at[i] * y[j] + at[3 + i] * y[3 + j];
    }
  }
  if (wind != NULL) {
    cr_accscl3(b->wind, f + 3, -1);
  }
}

// tangent of X' y
static void force_jvp(const element* e, const frame_tan* t, const cr_real y[6],
                      const cr_real y_tan[6], cr_real F_tan[6]) {
  cr_real f[3], f_tan[6], part[3];
  cr_mulmat3(f, e->R, y + 3);
  for (int h = 0; h < 6; h += 3) {
    cr_mulmat3(f_tan + h, e->R, y_tan + h);
    cr_mulmat3(part, t->R, y + h);
    cr_acc3(f_tan + h, part);
  }
  cr_acc3(F_tan, f_tan);
  cr_acccross3(F_tan, e->r, f_tan + 3);
  cr_acccross3(F_tan, t->r, f);
  cr_acc3(F_tan + 3, f_tan + 3);
}

static void frame_vjp(const cr_model* m, const element* e, const frame_bar* b, cr_data* bar) {
  cr_acc3(e->box ? bar->xipos + 3 * e->body : bar->geom_xpos + 3 * e->geom, b->r);
  cr_accscl3(bar->subtree_com + 3 * m->body_rootid[e->body], b->r, -1);
  cr_real* R_bar = e->box ? bar->ximat + 9 * e->body : bar->geom_xmat + 9 * e->geom;
  for (int k = 0; k < 9; k++) {
    R_bar[k] += b->R[k];
  }
  if (bar->par.wind != NULL) {
    cr_acc3(bar->par.wind, b->wind);
  }
}

// ---- the stage

static void forces_in(const cr_model* m, const cr_data* d, medium of, cr_real* F) {
  cr_zero(F, 6 * m->nbody);
  for (int k = 0; k < count(m); k++) {
    element e;
    if (!element_in(m, d, of, k, &e)) {
      continue;
    }
    cr_real v[6], f[6];
    // [fluid.f6], [fluid.f3], [fluid.f4]
    local(&e, d->cvel + 6 * e.body, m->wind, v);
    cri_fluid_force(&e.law, v, f);
    // [fluid.f7]
    local_vjp(&e, NULL, NULL, f, F + 6 * e.body, NULL);
  }
}

void cri_fluid_forces(const cr_model* m, const cr_data* d, cr_real* F) {
  forces_in(m, d, medium_of(m), F);
}

// true if the medium acts on dofs
static void dof_forces(const cr_model* m, const cr_data* d, medium of, cr_real* out,
                       cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* F = cri_push(work, 6 * (size_t)m->nbody);
  forces_in(m, d, of, F);
  cri_tree_gather(m, F, 6);
  for (int i = 0; i < m->nv; i++) {
    out[i] = cr_dot6(d->cdof + 6 * i, F + 6 * m->dof_bodyid[i]);
  }
  cri_pop(work, mark);
}

bool cri_fluid_takes_box(const cr_model* m, int body) {
  return cri_fluid_acts(m) && is_box(m, body);
}

bool cri_fluid_is_flat(const cr_model* m, int body) {
  return cri_fluid_takes_box(m, body) && cri_fluid_box_is_flat(m->body_inertia + 3 * body);
}

// a component that is zero but for round-off has no side
static int32_t side_of(const cr_model* m, const cr_data* d, int body) {
  int32_t side = 0;
  element e;
  if (element_at(m, d, body, &e)) {
    cr_real v[6];
    local(&e, d->cvel + 6 * body, m->wind, v);
    cr_real zero = 0;
    for (int i = 0; i < 6; i++) {
      zero += 4096 * CR_EPS * cr_abs(v[i]);
    }
    for (int i = 0; i < 6; i++) {
      side |= v[i] < -zero ? 1 << i : 0;
    }
  }
  return side;
}

void cri_fluid_sides(const cr_model* m, cr_data* d) {
  bool acts = cri_fluid_acts(m);
  for (int b = 0; b < m->nbody; b++) {
    d->body_fluid_side[b] = acts ? side_of(m, d, b) : 0;
  }
}

cr_status cr_fluid(const cr_model* m, cr_data* d) {
  cr_zero(d->qfrc_fluid, m->nv);
  if (cri_fluid_acts(m)) {
    dof_forces(m, d, medium_of(m), d->qfrc_fluid, d);
  }
  return CR_OK;
}

static void element_jvp(const cr_model* m, const cr_data* d, const cr_data* tan, const element* e,
                        cr_real F_tan[6]) {
  frame_tan t = frame_tangent(m, tan, e);
  cr_real v[6], v_tan[6], f[6], f_tan[6], c_tan[CRI_NFLUID_LAW];
  const cr_real *V = d->cvel + 6 * e->body, *V_tan = tan->cvel + 6 * e->body;
  // [fluid.f6]
  local(e, V, m->wind, v);
  local_jvp(e, &t, V, V_tan, m->wind, cri_par_tan(tan->par.wind, 0, 3), v_tan);
  law_jvp(m, tan, e, c_tan);
  // [fluid.f3], [fluid.f4]
  cri_fluid_force(&e->law, v, f);
  for (int k = 0; k < 6; k++) {
    cr_real unit[6] = {0}, v_bar[6] = {0}, c_bar[CRI_NFLUID_LAW] = {0};
    unit[k] = 1;
    cri_fluid_force_vjp(&e->law, v, unit, v_bar, c_bar);
    f_tan[k] = dot(v_bar, v_tan, 6) + dot(c_bar, c_tan, CRI_NFLUID_LAW);
  }
  // [fluid.f7]
  force_jvp(e, &t, f, f_tan, F_tan);
}

cr_status cr_fluid_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->qfrc_fluid, m->nv);
  if (!cri_fluid_matters(m, tan)) {
    return CR_OK;
  }
  if (!cri_fluid_acts(m)) {
    dof_forces(m, d, medium_tangent(tan), tan->qfrc_fluid, tan);
    return CR_OK;
  }
  size_t mark = cri_mark(tan);
  cr_real* F = cri_push(tan, 6 * (size_t)m->nbody);
  cr_real* F_tan = cri_push(tan, 6 * (size_t)m->nbody);
  cri_fluid_forces(m, d, F);
  cr_zero(F_tan, 6 * m->nbody);
  for (int k = 0; k < count(m); k++) {
    element e;
    if (element_at(m, d, k, &e)) {
      element_jvp(m, d, tan, &e, F_tan + 6 * e.body);
    }
  }
  cri_tree_gather(m, F, 6);
  cri_tree_gather(m, F_tan, 6);
  for (int i = 0; i < m->nv; i++) {
    int b = 6 * m->dof_bodyid[i];
    tan->qfrc_fluid[i] = cr_dot6(d->cdof + 6 * i, F_tan + b) + cr_dot6(tan->cdof + 6 * i, F + b);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// gradient of W . F of one element; adds its body force to F
static void element_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const element* e,
                        const cr_real* W, cr_real* F) {
  cr_real v[6], w[6], f[6], v_bar[6] = {0}, c_bar[CRI_NFLUID_LAW] = {0};
  frame_bar b = {.r = {0}};
  const cr_real* V = d->cvel + 6 * e->body;
  local(e, V, m->wind, v);
  local(e, W, NULL, w);
  // [fluid.f7]'
  cri_fluid_force(&e->law, v, f);
  local_vjp(e, W, NULL, f, F, &b);
  // [fluid.f4]', [fluid.f3]'
  cri_fluid_force_vjp(&e->law, v, w, v_bar, c_bar);
  law_vjp(m, e, c_bar, bar);
  // [fluid.f6]'
  local_vjp(e, V, m->wind, v_bar, bar->cvel + 6 * e->body, &b);
  frame_vjp(m, e, &b, bar);
}

// [fluid.f9]' the work of the force of a unit of density, and of viscosity
static void vacuum_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* W) {
  const cr_model* par = &bar->par;
  for (int k = 0; k < count(m); k++) {
    element e;
    cr_real v[6], w[6], by_density, by_viscosity;
    if (element_in(m, d, (medium){1, 1}, k, &e)) {
      local(&e, d->cvel + 6 * e.body, m->wind, v);
      local(&e, W + 6 * e.body, NULL, w);
      cri_fluid_unit_work(&e.law, v, w, &by_density, &by_viscosity);
      cri_par_add1(par->density, 0, by_density);
      cri_par_add1(par->viscosity, 0, by_viscosity);
    }
  }
}

cr_status cr_fluid_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!cri_fluid_matters(m, bar)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real* W = cri_push(bar, 6 * (size_t)m->nbody);
  cr_zero6(W);
  cri_tree_motions(m, d->cdof, bar->qfrc_fluid, W);
  if (!cri_fluid_acts(m)) {
    vacuum_vjp(m, d, bar, W);
    cri_pop(bar, mark);
    return CR_OK;
  }
  cr_real* F = cri_push(bar, 6 * (size_t)m->nbody);
  cr_zero(F, 6 * m->nbody);
  for (int k = 0; k < count(m); k++) {
    element e;
    if (element_at(m, d, k, &e)) {
      element_vjp(m, d, bar, &e, W + 6 * e.body, F + 6 * e.body);
    }
  }
  // [fluid.f7]' s_bar_i += q_bar_i F
  cri_tree_gather(m, F, 6);
  for (int i = 0; i < m->nv; i++) {
    cr_accscl6(bar->cdof + 6 * i, F + 6 * m->dof_bodyid[i], bar->qfrc_fluid[i]);
  }
  cri_pop(bar, mark);
  return CR_OK;
}

// ---- [fluid.f8] slopes over velocity

static bool is_symmetric(cri_fluid_part part, int body) {
  return part.drag || part.symmetric[body];
}

// the law whose slope is used
static cri_fluid_law law_of(const element* e, cri_fluid_part part) {
  cri_fluid_law law = e->law;
  if (part.drag) {
    cri_fluid_law_drag(e->box, law.c);
  }
  return law;
}

void cri_fluid_qderiv(const cr_model* m, const cr_data* d, cri_fluid_part part, cr_real* K) {
  cr_zero(K, 36 * m->nbody);
  for (int k = 0; k < count(m); k++) {
    element e;
    if (!element_at(m, d, k, &e)) {
      continue;
    }
    cr_real v[6], B[36], *Kb = K + 36 * e.body;
    cri_fluid_law law = law_of(&e, part);
    bool symmetric = is_symmetric(part, e.body);
    local(&e, d->cvel + 6 * e.body, m->wind, v);
    cri_fluid_slope(&law, v, B);
    for (int j = 0; j < 6; j++) {
      cr_real unit[6] = {0}, x[6], y[6], column[6] = {0};
      unit[j] = 1;
      local(&e, unit, NULL, x);
      for (int i = 0; i < 6; i++) {
        y[i] = dot(B + 6 * i, x, 6);
        for (int l = 0; symmetric && l < 6; l++) {
          y[i] += (B[6 * l + i] - B[6 * i + l]) * x[l] / 2;
        }
      }
      local_vjp(&e, NULL, NULL, y, column, NULL);
      for (int i = 0; i < 6; i++) {
        Kb[6 * i + j] += column[i];
      }
    }
  }
}

// adds the gradient of s l . B r, or of s l . (B + B') r / 2
static void slope_vjp(const cri_fluid_law* law, bool symmetric, const cr_real* v, const cr_real* l,
                      const cr_real* r, cr_real s, cr_real* v_bar, cr_real* l_bar, cr_real* r_bar,
                      cr_real* c_bar) {
  cr_real part = symmetric ? s / 2 : s;
  cri_fluid_slope_vjp(law, v, l, r, part, v_bar, l_bar, r_bar, c_bar);
  if (symmetric) {
    cri_fluid_slope_vjp(law, v, r, l, part, v_bar, r_bar, l_bar, c_bar);
  }
}

// l . B r, made symmetric or not, in the medium `of`
static cr_real slope_work(element* e, medium of, cri_fluid_part part, const cr_real* v,
                          const cr_real* l, const cr_real* r) {
  cr_real B[36], sum = 0, other = 0;
  put_into(e, of);
  cri_fluid_law law = law_of(e, part);
  cri_fluid_slope(&law, v, B);
  for (int i = 0; i < 6; i++) {
    sum += l[i] * dot(B + 6 * i, r, 6);
    other += r[i] * dot(B + 6 * i, l, 6);
  }
  return is_symmetric(part, e->body) ? (sum + other) / 2 : sum;
}

// gradient of s L . K R of one element
static void element_slope_vjp(const cr_model* m, const cr_data* d, cr_data* bar, element* e,
                              cri_fluid_part part, const cr_real* L, const cr_real* R, cr_real s,
                              cr_real* L_bar, cr_real* R_bar) {
  const cr_real* V = d->cvel + 6 * e->body;
  cr_real v[6], l[6], r[6];
  local(e, V, m->wind, v);
  local(e, L, NULL, l);
  local(e, R, NULL, r);
  // [fluid.f9]'
  if (!cri_fluid_acts(m)) {
    cri_par_add1(bar->par.density, 0, s * slope_work(e, unit_density, part, v, l, r));
    cri_par_add1(bar->par.viscosity, 0, s * slope_work(e, unit_viscosity, part, v, l, r));
    return;
  }
  cr_real v_bar[6] = {0}, l_bar[6] = {0}, r_bar[6] = {0}, c_bar[CRI_NFLUID_LAW] = {0};
  frame_bar b = {.r = {0}};
  cri_fluid_law law = law_of(e, part);
  slope_vjp(&law, is_symmetric(part, e->body), v, l, r, s, v_bar, l_bar, r_bar, c_bar);
  if (part.drag) {
    cri_fluid_law_drag(e->box, c_bar);
  }
  law_vjp(m, e, c_bar, bar);
  local_vjp(e, V, m->wind, v_bar, bar->cvel + 6 * e->body, &b);
  local_vjp(e, L, NULL, l_bar, L_bar, &b);
  local_vjp(e, R, NULL, r_bar, R_bar, &b);
  frame_vjp(m, e, &b, bar);
}

void cri_fluid_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_fluid_part part,
                          const cr_real* l, const cr_real* r, cr_real s) {
  size_t mark = cri_mark(bar), n = 6 * (size_t)m->nbody;
  cr_real *L = cri_push(bar, n), *R = cri_push(bar, n);
  cr_real *L_bar = cri_push(bar, n), *R_bar = cri_push(bar, n);
  cr_zero6(L);
  cr_zero6(R);
  cr_zero(L_bar, (int)n);
  cr_zero(R_bar, (int)n);
  cri_tree_motions(m, d->cdof, l, L);
  cri_tree_motions(m, d->cdof, r, R);
  for (int k = 0; k < count(m); k++) {
    int b = 6 * (k < m->nbody ? k : m->geom_bodyid[k - m->nbody]);
    element e;
    bool rests = cr_is_zero(L + b, 6) && cr_is_zero(R + b, 6);
    if (!rests && element_at(m, d, k, &e)) {
      element_slope_vjp(m, d, bar, &e, part, L + b, R + b, s, L_bar + b, R_bar + b);
    }
  }
  cri_tree_gather(m, L_bar, 6);
  cri_tree_gather(m, R_bar, 6);
  for (int i = 0; i < m->nv; i++) {
    int b = 6 * m->dof_bodyid[i];
    cr_accscl6(bar->cdof + 6 * i, L_bar + b, l[i]);
    cr_accscl6(bar->cdof + 6 * i, R_bar + b, r[i]);
  }
  cri_pop(bar, mark);
}

void cri_fluid_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_fluid_part part,
                          const cr_real* R, const cr_real* R_tan, cr_real* G, cr_real* G_tan) {
  cr_zero(G, 6 * m->nbody);
  cr_zero(G_tan, 6 * m->nbody);
  for (int k = 0; k < count(m); k++) {
    element e;
    if (!element_at(m, d, k, &e)) {
      continue;
    }
    int at = 6 * e.body;
    cri_fluid_law law = law_of(&e, part);
    frame_tan t = frame_tangent(m, tan, &e);
    cr_real v[6], v_tan[6], r[6], r_tan[6], y[6], y_tan[6], c_tan[CRI_NFLUID_LAW];
    local(&e, d->cvel + at, m->wind, v);
    local_jvp(&e, &t, d->cvel + at, tan->cvel + at, m->wind, cri_par_tan(tan->par.wind, 0, 3),
              v_tan);
    local(&e, R + at, NULL, r);
    local_jvp(&e, &t, R + at, R_tan + at, NULL, NULL, r_tan);
    law_jvp(m, tan, &e, c_tan);
    if (part.drag) {
      cri_fluid_law_drag(e.box, c_tan);
    }
    // y = B r, a component and its gradient at a time
    for (int i = 0; i < 6; i++) {
      cr_real unit[6] = {0}, v_bar[6] = {0}, l_bar[6] = {0}, r_bar[6] = {0};
      cr_real c_bar[CRI_NFLUID_LAW] = {0};
      unit[i] = 1;
      slope_vjp(&law, is_symmetric(part, e.body), v, unit, r, 1, v_bar, l_bar, r_bar, c_bar);
      y[i] = dot(r_bar, r, 6);
      y_tan[i] = dot(v_bar, v_tan, 6) + dot(r_bar, r_tan, 6) + dot(c_bar, c_tan, CRI_NFLUID_LAW);
    }
    local_vjp(&e, NULL, NULL, y, G + at, NULL);
    force_jvp(&e, &t, y, y_tan, G_tan + at);
  }
}
