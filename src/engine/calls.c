// SPDX-License-Identifier: Apache-2.0
// Functions that read an evaluated state: each a few lines over the outputs of the stages.
#include "carom/calls.h"

#include "collision/distance.h"
#include "force/newton_euler.h"
#include "inertia/inertia.h"
#include "kinematics/object_frame.h"
#include "kinematics/tendon_path.h"
#include "kinematics/tree.h"
#include "math/cholesky.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/schedule.h"
#include "model/sensors.h"
#include "solver/contact_force.h"

// the checks of all of them: kinematics at least, and a place for the numbers
static cr_status check(const char* name, const cr_model* m, const cr_data* d, const void* out,
                       const char* what) {
  const cri_call call = {name, cri_error_of(d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FRAMES));
  return cri_given(&call, out, what);
}

// ---- inertia

static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

cr_status cr_full_m(const cr_model* m, cr_data* d, cr_real* dst) {
  CR_TRY(check("cr_full_m", m, d, dst, "dst"));
  size_t mark = cri_mark(d);
  cr_real* M = cri_push(d, (size_t)m->nC);
  cri_inertia_form(cri_model_at(m, d), d, M, d);
  cr_zero(dst, m->nv * m->nv);
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      int j = m->M_colind[k];
      dst[i * m->nv + j] = dst[j * m->nv + i] = M[k];
    }
  }
  cri_pop(d, mark);
  return CR_OK;
}

cr_status cr_mul_m(const cr_model* m, cr_data* d, cr_real* y, const cr_real* x) {
  CR_TRY(check("cr_mul_m", m, d, y, "y"));
  CR_TRY(check("cr_mul_m", m, d, x, "x"));
  cri_inertia_mul(cri_model_at(m, d), d, y, x, d);
  return CR_OK;
}

cr_status cr_solve_m(const cr_model* m, cr_data* d, cr_real* x, const cr_real* y) {
  CR_TRY(check("cr_solve_m", m, d, x, "x"));
  CR_TRY(check("cr_solve_m", m, d, y, "y"));
  size_t mark = cri_mark(d);
  cr_real* L = cri_push(d, (size_t)m->nC);
  cr_pattern p = pattern_of(m);
  cri_inertia_form(cri_model_at(m, d), d, L, d);
  int row = cr_chol_factor(L, &p);
  if (row < 0) {
    cr_copy(x, y, x == y ? 0 : m->nv);
    cr_chol_solve(L, &p, x);
  }
  cri_pop(d, mark);
  return row < 0 ? CR_OK
                 : cri_fail(&d->error, CR_ERR_SINGULAR,
                            "the inertia matrix is not positive definite at dof %d", row);
}

// ---- Newton and Euler

cr_status cr_rne(const cr_model* m, cr_data* d, bool acceleration, cr_real* qfrc) {
  CR_TRY(check("cr_rne", m, d, qfrc, "qfrc"));
  size_t mark = cri_mark(d);
  cr_real *A = cri_push(d, 6 * (size_t)m->nbody), *F = cri_push(d, 6 * (size_t)m->nbody);
  // [bias.c1]
  cr_zero6(A);
  cr_zero6(F);
  if ((m->disableflags & CR_DSBL_GRAVITY) == 0) {
    cr_scl3(A + 3, cri_model_at(m, d)->gravity, -1);
  }
  for (int b = 1; b < m->nbody; b++) {
    cr_real* a = A + 6 * b;
    cri_tree_motion(a, m, b, A + 6 * m->body_parentid[b], d->cdof_dot, d->qvel);
    if (acceleration) {
      cri_tree_motion(a, m, b, a, d->cdof, d->qacc);
    }
    cri_newton(F + 6 * b, d->cinert + 10 * b, a, d->cvel + 6 * b);
  }
  cri_tree_gather(m, F, 6);
  for (int i = 0; i < m->nv; i++) {
    qfrc[i] = cr_dot6(d->cdof + 6 * i, F + 6 * m->dof_bodyid[i]);
  }
  cri_pop(d, mark);
  return CR_OK;
}

// ---- contacts

int cr_contact_count(const cr_data* d) {
  return d != NULL && (d->done & CRI_DONE_FRAMES) != 0 ? d->ncon : 0;
}

cr_status cr_contact_get(const cr_model* m, const cr_data* d, int id, cr_contact* contact) {
  CR_TRY(check("cr_contact_get", m, d, contact, "contact"));
  if (id < 0 || id >= d->ncon) {
    return cri_fail(cri_error_of(d), CR_ERR_ARG, "cr_contact_get: contact %d of %d", id, d->ncon);
  }
  cr_real w[6];
  *contact = (cr_contact){.geom = {d->contact_geom[2 * id], d->contact_geom[2 * id + 1]},
                          .dim = d->contact_dim[id],
                          .dist = d->contact_dist[id]};
  cr_copy3(contact->pos, d->contact_pos + 3 * id);
  cr_copy(contact->frame, d->contact_frame + 9 * id, 9);
  cr_copy(contact->friction, d->contact_friction + 5 * id, 5);
  cri_contact_force(m, d, id, w);
  cr_copy3(contact->force, w);
  cr_copy3(contact->torque, w + 3);
  return CR_OK;
}

cr_status cr_geom_distance(const cr_model* m, const cr_data* d, int geom1, int geom2,
                           cr_real distmax, cr_real* dist, cr_real* fromto) {
  CR_TRY(check("cr_geom_distance", m, d, dist, "dist"));
  if (geom1 < 0 || geom1 >= m->ngeom || geom2 < 0 || geom2 >= m->ngeom) {
    return cri_fail(cri_error_of(d), CR_ERR_ARG, "cr_geom_distance: geoms %d and %d of %d", geom1,
                    geom2, m->ngeom);
  }
  cri_distance x;
  cr_real ends[6] = {0};
  if (cri_distance_of(m, d, geom1, geom2, distmax, &x)) {
    cri_distance_ends(&x, ends);
  }
  *dist = x.dist;
  if (fromto != NULL) {
    cr_copy6(fromto, ends);
  }
  return CR_OK;
}

// ---- tendons

// points that have room are written, all are counted
typedef struct {
  cr_real* points;
  int most, n;
} path;

static void put_point(path* p, const cr_real x[3]) {
  if (p->points != NULL && p->n < p->most) {
    cr_copy3(p->points + 3 * p->n, x);
  }
  p->n++;
}

static void put_span(path* p, const cri_tendon_span* s) {
  const cr_real *first = s->x[0], *last = s->x[s->n - 1];
  cr_real middle[3];
  for (int k = 0; k < 3; k++) {
    middle[k] = (first[k] + last[k]) / 2;
  }
  for (int k = 1; k <= 2 && s->element >= 0; k++) {
    put_point(p, s->n == 4 ? s->x[k] : middle);
  }
  put_point(p, last);
}

cr_status cr_tendon_path(const cr_model* m, const cr_data* d, int tendon, cr_real* points, int most,
                         int* n) {
  CR_TRY(check("cr_tendon_path", m, d, points, "points"));
  CR_TRY(check("cr_tendon_path", m, d, n, "n"));
  if (tendon < 0 || tendon >= m->ntendon) {
    return cri_fail(cri_error_of(d), CR_ERR_ARG, "cr_tendon_path: tendon %d of %d", tendon,
                    m->ntendon);
  }
  path p = {.points = points, .most = most};
  cri_tendon_walk w = cri_tendon_walk_again(m, tendon);
  cri_tendon_span s;
  int end = -1;  // element at the end of the span before
  while (!cri_tendon_is_fixed(m, tendon) && cri_tendon_next(m, d, &w, &s)) {
    int begin = w.at - (s.element >= 0 ? 2 : 1);
    if (begin != end) {
      put_point(&p, s.x[0]);
    }
    put_span(&p, &s);
    end = w.at;
  }
  *n = p.n;
  return p.n <= most ? CR_OK
                     : cri_fail(cri_error_of(d), CR_ERR_ARG,
                                "cr_tendon_path: tendon %d has %d points, there is room for %d",
                                tendon, p.n, most);
}

// ---- objects

static bool exists(const cr_model* m, cr_frame kind, int id) {
  return cri_has_frame((int)kind) && cri_object_is(m, cri_object_of_type((int)kind), id);
}

static cr_status check_object(const char* name, const cr_model* m, const cr_data* d, cr_frame kind,
                              int id, const cr_real* x) {
  CR_TRY(check(name, m, d, x, "where the six numbers go"));
  return exists(m, kind, id)
             ? CR_OK
             : cri_fail(cri_error_of(d), CR_ERR_ARG, "%s: there is no object %d of kind %d", name,
                        id, (int)kind);
}

// x of six numbers with world axes, in the axes of the object
static void to_local(cr_real x[6], const cri_object* o) {
  cr_real r[6];
  cr_multmat3(r, o->mat, x);
  cr_multmat3(r + 3, o->mat, x + 3);
  cr_copy6(x, r);
}

cr_status cr_object_velocity(const cr_model* m, const cr_data* d, cr_frame kind, int id,
                             cr_real v[6], bool local) {
  CR_TRY(check_object("cr_object_velocity", m, d, kind, id, v));
  cri_object o = cri_object_of(m, d, (int)kind, id);
  cri_object_velocity(m, d, &o, v);
  if (local) {
    to_local(v, &o);
  }
  return CR_OK;
}

cr_status cr_object_acceleration(const cr_model* m, const cr_data* d, cr_frame kind, int id,
                                 cr_real a[6], bool local) {
  CR_TRY(check_object("cr_object_acceleration", m, d, kind, id, a));
  if (!d->measured) {
    return cri_fail(cri_error_of(d), CR_ERR_ARG,
                    "cr_object_acceleration: call cr_forward at this state first");
  }
  cri_object o = cri_object_of(m, d, (int)kind, id);
  cri_object_acceleration(m, d, &o, a);
  if (local) {
    to_local(a, &o);
  }
  return CR_OK;
}
