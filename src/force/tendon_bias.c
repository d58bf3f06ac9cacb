// SPDX-License-Identifier: Apache-2.0
// A tendon is a chain of straight pieces between sites; a piece is made of two moving points.
#include "force/tendon_bias.h"

#include "force/tendon_inertia.h"
#include "kinematics/relative_chain.h"
#include "kinematics/tree.h"

// ---- the pieces of a path

typedef struct {
  int at, end;    // current element, last one
  int pulley;     // element that set the divisor, -1 none
  cr_real share;  // 1 / divisor
} path;

static path path_of(const cr_model* m, int i) {
  int adr = m->tendon_adr[i];
  return (path){.at = adr - 1, .end = adr + m->tendon_num[i] - 1, .pulley = -1, .share = 1};
}

// the next piece runs from the site of element `at` to that of the element behind it
static bool next(const cr_model* m, path* p) {
  while (++p->at < p->end) {
    if (m->wrap_type[p->at] == CR_WRAP_PULLEY) {
      p->pulley = p->at;
      p->share = 1 / m->wrap_prm[p->at];
    } else if (m->wrap_type[p->at] == CR_WRAP_SITE && m->wrap_type[p->at + 1] == CR_WRAP_SITE &&
               m->site_bodyid[m->wrap_objid[p->at]] != m->site_bodyid[m->wrap_objid[p->at + 1]]) {
      return true;
    }
  }
  return false;
}

// ---- moving points

typedef struct {
  int site, body;
  cr_real r[3], v[3], a[3];
} point;

// [tendon.u2]
static point point_of(const cr_model* m, const cr_data* d, const cr_real* W, int site) {
  point p = {.site = site, .body = m->site_bodyid[site]};
  const cr_real *V = d->cvel + 6 * p.body, *A = W + 6 * p.body;
  cr_sub3(p.r, d->site_xpos + 3 * site, cri_relative_chain_com(m, d, p.body));
  cr_copy3(p.v, V + 3);
  cr_acccross3(p.v, V, p.r);
  cr_copy3(p.a, A + 3);
  cr_acccross3(p.a, A, p.r);
  cr_acccross3(p.a, V, p.v);
  return p;
}

static point point_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* W,
                       const cr_real* W_tan, const point* p) {
  point t = {.site = p->site, .body = p->body};
  const cr_real *V = d->cvel + 6 * p->body, *V_tan = tan->cvel + 6 * p->body;
  const cr_real *A = W + 6 * p->body, *A_tan = W_tan + 6 * p->body;
  cr_sub3(t.r, tan->site_xpos + 3 * p->site, cri_relative_chain_com(m, tan, p->body));
  cr_copy3(t.v, V_tan + 3);
  cr_acccross3(t.v, V_tan, p->r);
  cr_acccross3(t.v, V, t.r);
  cr_copy3(t.a, A_tan + 3);
  cr_acccross3(t.a, A_tan, p->r);
  cr_acccross3(t.a, A, t.r);
  cr_acccross3(t.a, V_tan, p->v);
  cr_acccross3(t.a, V, t.v);
  return t;
}

// [tendon.u2]' from the cotangents of position, velocity and acceleration
static void point_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* W,
                      cr_real* W_bar, const point* p, const cr_real x_bar[3],
                      const cr_real v_bar[3], const cr_real a_bar[3]) {
  const cr_real *V = d->cvel + 6 * p->body, *A = W + 6 * p->body;
  cr_real *V_bar = bar->cvel + 6 * p->body, *A_bar = W_bar + 6 * p->body, v[3], r_bar[3];
  cr_acc3(A_bar + 3, a_bar);
  cr_acccross3(A_bar, p->r, a_bar);
  cr_cross3(r_bar, a_bar, A);
  cr_acccross3(V_bar, p->v, a_bar);
  cr_copy3(v, v_bar);
  cr_acccross3(v, a_bar, V);
  cr_acc3(V_bar + 3, v);
  cr_acccross3(V_bar, p->r, v);
  cr_acccross3(r_bar, v, V);
  cr_accscl3(bar->subtree_com + 3 * m->body_rootid[p->body], r_bar, -1);
  cr_acc3(r_bar, x_bar);
  cr_acc3(bar->site_xpos + 3 * p->site, r_bar);
}

// ---- one piece

typedef struct {
  point end[2];
  cr_real length, e[3], u[3], a[3];  // direction, relative velocity and acceleration
  cr_real along, across;             // e . u, |u|^2 - (e . u)^2
  cr_real value;                     // [tendon.u3] before the divisor
} piece;

static piece piece_of(const cr_model* m, const cr_data* d, const cr_real* W, const path* p) {
  piece s;
  for (int k = 0; k < 2; k++) {
    s.end[k] = point_of(m, d, W, m->wrap_objid[p->at + k]);
  }
  cr_sub3(s.e, d->site_xpos + 3 * s.end[1].site, d->site_xpos + 3 * s.end[0].site);
  cr_sub3(s.u, s.end[1].v, s.end[0].v);
  cr_sub3(s.a, s.end[1].a, s.end[0].a);
  s.length = cr_normalize3(s.e);
  s.along = cr_dot3(s.e, s.u);
  s.across = cr_dot3(s.u, s.u) - s.along * s.along;
  // [tendon.u3]
  s.value = cr_dot3(s.e, s.a) + (s.length > CR_MINVAL ? s.across / s.length : 0);
  return s;
}

static cr_real piece_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* W,
                         const cr_real* W_tan, const piece* s) {
  cr_real x[3], u[3], a[3], e[3];
  point t[2];
  for (int k = 0; k < 2; k++) {
    t[k] = point_tan(m, d, tan, W, W_tan, &s->end[k]);
  }
  cr_sub3(x, tan->site_xpos + 3 * s->end[1].site, tan->site_xpos + 3 * s->end[0].site);
  cr_sub3(u, t[1].v, t[0].v);
  cr_sub3(a, t[1].a, t[0].a);
  if (s->length <= CR_MINVAL) {
    return cr_dot3(s->e, a);
  }
  cr_normalize3_tan(e, s->e, s->length, x);
  cr_real across = 2 * (cr_dot3(s->u, u) - s->along * (cr_dot3(e, s->u) + cr_dot3(s->e, u)));
  return cr_dot3(e, s->a) + cr_dot3(s->e, a) +
         (across - s->across / s->length * cr_dot3(s->e, x)) / s->length;
}

// [tendon.u3]' with the cotangent g of the value
static void piece_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* W,
                      cr_real* W_bar, const piece* s, cr_real g) {
  cr_real x[3] = {0}, u[3] = {0}, a[3], e[3];
  cr_scl3(a, s->e, g);
  if (s->length > CR_MINVAL) {
    cr_scl3(u, s->u, 2 * g / s->length);
    cr_accscl3(u, s->e, -2 * g * s->along / s->length);
    cr_scl3(e, s->a, g);
    cr_accscl3(e, s->u, -2 * g * s->along / s->length);
    cr_normalize3_tan(x, s->e, s->length, e);
    cr_accscl3(x, s->e, -g * s->across / (s->length * s->length));
  }
  point_vjp(m, d, bar, W, W_bar, &s->end[1], x, u, a);
  cr_scl3(x, x, -1);
  cr_scl3(u, u, -1);
  cr_scl3(a, a, -1);
  point_vjp(m, d, bar, W, W_bar, &s->end[0], x, u, a);
}

// ---- the stage

static bool counts(const cr_model* m, int i) {
  return m->wrap_type[m->tendon_adr[i]] != CR_WRAP_JOINT && m->tendon_inertial[i] != 0;
}

static bool any_counts(const cr_model* m) {
  for (int i = 0; i < m->ntendon; i++) {
    if (counts(m, i)) {
      return true;
    }
  }
  return false;
}

// [tendon.u1] in scratch of `owner`
static const cr_real* accelerations(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* W = cri_push(owner, 6 * (size_t)m->nbody);
  cr_zero6(W);
  cri_tree_motions(m, d->cdof_dot, d->qvel, W);
  return W;
}

cr_status cr_tendon_bias(const cr_model* m, cr_data* d) {
  cr_zero(d->ten_bias, m->ntendon);
  if (!any_counts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(d);
  const cr_real* W = accelerations(m, d, d);
  for (int i = 0; i < m->ntendon; i++) {
    path p = path_of(m, i);
    while (counts(m, i) && next(m, &p)) {
      d->ten_bias[i] += p.share * piece_of(m, d, W, &p).value;
    }
  }
  cri_pop(d, mark);
  return CR_OK;
}

cr_status cr_tendon_bias_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->ten_bias, m->ntendon);
  if (!any_counts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(tan);
  const cr_real* W = accelerations(m, d, tan);
  cr_real* W_tan = cri_push(tan, 6 * (size_t)m->nbody);
  // [tendon.u1]
  cr_zero6(W_tan);
  for (int b = 1; b < m->nbody; b++) {
    cri_tree_motion(W_tan + 6 * b, m, b, W_tan + 6 * m->body_parentid[b], tan->cdof_dot, d->qvel);
    cri_tree_motion(W_tan + 6 * b, m, b, W_tan + 6 * b, d->cdof_dot, tan->qvel);
  }
  for (int i = 0; i < m->ntendon; i++) {
    path p = path_of(m, i);
    while (counts(m, i) && next(m, &p)) {
      piece s = piece_of(m, d, W, &p);
      tan->ten_bias[i] += p.share * piece_tan(m, d, tan, W, W_tan, &s);
      if (p.pulley >= 0) {
        tan->ten_bias[i] -=
            p.share * p.share * cri_par_tan(tan->par.wrap_prm, p.pulley, 1)[0] * s.value;
      }
    }
  }
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_tendon_bias_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (!any_counts(m)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  const cr_real* W = accelerations(m, d, bar);
  cr_real* W_bar = cri_push(bar, 6 * (size_t)m->nbody);
  cr_zero(W_bar, 6 * m->nbody);
  for (int i = 0; i < m->ntendon; i++) {
    path p = path_of(m, i);
    while (counts(m, i) && next(m, &p)) {
      piece s = piece_of(m, d, W, &p);
      piece_vjp(m, d, bar, W, W_bar, &s, p.share * bar->ten_bias[i]);
      if (p.pulley >= 0 && bar->par.wrap_prm != NULL) {
        bar->par.wrap_prm[p.pulley] -= p.share * p.share * s.value * bar->ten_bias[i];
      }
    }
  }
  // [tendon.u1]'
  cri_tree_gather(m, W_bar, 6);
  for (int i = 0; i < m->nv; i++) {
    const cr_real* w = W_bar + 6 * m->dof_bodyid[i];
    bar->qvel[i] += cr_dot6(d->cdof_dot + 6 * i, w);
    cr_accscl6(bar->cdof_dot + 6 * i, w, d->qvel[i]);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
