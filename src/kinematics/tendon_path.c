// SPDX-License-Identifier: Apache-2.0
#include "kinematics/tendon_path.h"

#include "kinematics/relative_chain.h"
#include "math/vec3.h"

// ---- the path

cri_tendon_walk cri_tendon_walk_of(const cr_model* m, int tendon) {
  int first = m->tendon_adr[tendon];
  return (cri_tendon_walk){
      .at = first, .end = first + m->tendon_num[tendon], .share = 1, .pulley = -1};
}

cri_tendon_walk cri_tendon_walk_again(const cr_model* m, int tendon) {
  cri_tendon_walk w = cri_tendon_walk_of(m, tendon);
  w.again = true;
  return w;
}

// the next two sites of one branch; false at the end of the path
static bool next_sites(const cr_model* m, cri_tendon_walk* w, cri_tendon_span* s) {
  for (; w->at + 1 < w->end; w->at++) {
    int type = m->wrap_type[w->at], next = m->wrap_type[w->at + 1];
    if (type == CR_WRAP_PULLEY) {
      w->share = 1 / m->wrap_prm[w->at];
      w->pulley = w->at;
    }
    if (type == CR_WRAP_PULLEY || next == CR_WRAP_PULLEY) {
      continue;
    }
    bool over = next == CR_WRAP_SPHERE || next == CR_WRAP_CYLINDER;
    s->element = over ? w->at + 1 : -1;
    s->geom = over ? m->wrap_objid[w->at + 1] : -1;
    s->site[0] = m->wrap_objid[w->at];
    w->at += over ? 2 : 1;
    s->site[1] = m->wrap_objid[w->at];
    return true;
  }
  return false;
}

static void set_end(const cr_model* m, const cr_data* d, cri_tendon_span* s, int point, int site) {
  cr_copy3(s->x[point], d->site_xpos + 3 * site);
  s->body[point] = m->site_bodyid[site];
}

// true if the tendon lies on the geom: sets s->wrap, as forward found it or by a new search
static bool wraps(const cr_model* m, const cr_data* d, const cri_tendon_walk* w,
                  cri_tendon_span* s) {
  int g = s->geom, side = (int)m->wrap_prm[s->element];
  bool cylinder = m->wrap_type[s->element] == CR_WRAP_CYLINDER;
  const cr_real *x1 = d->site_xpos + 3 * s->site[1], *pos = d->geom_xpos + 3 * g;
  const cr_real* mat = d->geom_xmat + 9 * g;
  cr_real r = m->geom_size[3 * g];
  if (!w->again) {
    return cri_wrap_path(&s->wrap, s->x[0], x1, pos, mat, r, cylinder,
                         side < 0 ? NULL : d->site_xpos + 3 * side);
  }
  int branch = d->wrap_branch[s->element];
  if (branch != CR_WRAP_NOT) {
    cri_wrap_recall(&s->wrap, s->x[0], x1, pos, mat, r, cylinder, branch,
                    d->wrap_kept + CR_WRAP_KEPT * s->element);
  }
  return branch != CR_WRAP_NOT;
}

bool cri_tendon_next(const cr_model* m, const cr_data* d, cri_tendon_walk* w, cri_tendon_span* s) {
  if (!next_sites(m, w, s)) {
    return false;
  }
  s->n = 2;
  set_end(m, d, s, 0, s->site[0]);
  if (s->element >= 0 && wraps(m, d, w, s)) {
    s->n = 4;
    for (int k = 0; k < 2; k++) {
      cr_copy3(s->x[1 + k], s->wrap.point[k]);
      s->body[1 + k] = m->geom_bodyid[s->geom];
    }
  }
  set_end(m, d, s, s->n - 1, s->site[1]);
  return true;
}

cr_real cri_tendon_share_tan(const cri_tendon_walk* w, const cr_data* tan) {
  return w->pulley < 0 ? 0 : -w->share * w->share * cri_par_tan(tan->par.wrap_prm, w->pulley, 1)[0];
}

void cri_tendon_share_bar(const cri_tendon_walk* w, cr_data* bar, cr_real share_bar) {
  if (w->pulley >= 0 && bar->par.wrap_prm != NULL) {
    bar->par.wrap_prm[w->pulley] -= w->share * w->share * share_bar;
  }
}

cr_real cri_tendon_span_tan(const cr_data* tan, const cri_tendon_span* s, cr_real x_tan[4][3]) {
  cr_real length_tan = 0;
  const cr_real* end_tan[2] = {tan->site_xpos + 3 * s->site[0], tan->site_xpos + 3 * s->site[1]};
  cr_copy3(x_tan[0], end_tan[0]);
  cr_copy3(x_tan[s->n - 1], end_tan[1]);
  if (s->n == 4) {
    cr_real r_tan = cri_par_tan(tan->par.geom_size, s->geom, 3)[0];
    cri_wrap_path_tan(&s->wrap, end_tan[0], end_tan[1], tan->geom_xpos + 3 * s->geom,
                      tan->geom_xmat + 9 * s->geom, r_tan, x_tan + 1, &length_tan);
  }
  return length_tan;
}

void cri_tendon_span_bar(cr_data* bar, const cri_tendon_span* s, cr_real x_bar[4][3],
                         cr_real length_bar) {
  cr_real* end_bar[2] = {bar->site_xpos + 3 * s->site[0], bar->site_xpos + 3 * s->site[1]};
  cr_acc3(end_bar[0], x_bar[0]);
  cr_acc3(end_bar[1], x_bar[s->n - 1]);
  if (s->n == 4) {
    cr_real r_bar = 0;
    cri_wrap_path_bar(&s->wrap, x_bar + 1, length_bar, end_bar[0], end_bar[1],
                      bar->geom_xpos + 3 * s->geom, bar->geom_xmat + 9 * s->geom, &r_bar);
    if (bar->par.geom_size != NULL) {
      bar->par.geom_size[3 * s->geom] += r_bar;
    }
  }
}

// ---- a straight piece

cri_tendon_piece cri_tendon_piece_of(const cri_tendon_span* s, int k) {
  cri_tendon_piece p = {.x = {s->x[k], s->x[k + 1]}, .body = {s->body[k], s->body[k + 1]}};
  cr_sub3(p.e, p.x[1], p.x[0]);
  p.length = cr_normalize3(p.e);
  return p;
}

void cri_tendon_direction_tan(const cri_tendon_piece* p, const cr_real x0_tan[3],
                              const cr_real x1_tan[3], cr_real e_tan[3]) {
  cr_real move[3];
  cr_sub3(move, x1_tan, x0_tan);
  cr_zero3(e_tan);
  if (p->length > 0) {
    cr_normalize3_tan(e_tan, p->e, p->length, move);
  }
}

// its transpose
static void direction_bar(const cri_tendon_piece* p, const cr_real e_bar[3], cr_real x0_bar[3],
                          cr_real x1_bar[3]) {
  cr_real move_bar[3];
  if (p->length > 0) {
    cr_normalize3_tan(move_bar, p->e, p->length, e_bar);
    cr_acc3(x1_bar, move_bar);
    cr_accscl3(x0_bar, move_bar, -1);
  }
}

void cri_tendon_velocity(cr_real v[3], const cr_real S[6], const cr_real x[3],
                         const cr_real com[3]) {
  cr_real arm[3];
  cr_sub3(arm, x, com);
  cr_copy3(v, S + 3);
  cr_acccross3(v, S, arm);
}

static cr_real sign_of(int side) { return side == 1 ? 1 : -1; }

void cri_tendon_piece_force(const cr_model* m, const cr_data* d, const cri_tendon_piece* p,
                            int side, cr_real T, cr_real F[6]) {
  cr_real f[3], arm[3];
  cr_scl3(f, p->e, sign_of(side) * T);
  cr_sub3(arm, p->x[side], cri_relative_chain_com(m, d, p->body[side]));
  cr_acccross3(F, arm, f);
  cr_acc3(F + 3, f);
}

void cri_tendon_piece_force_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                const cri_tendon_piece* p, int side, cr_real T, cr_real T_tan,
                                const cr_real x_tan[3], const cr_real e_tan[3], cr_real F_tan[6]) {
  cr_real f[3], f_tan[3], arm[3], arm_tan[3], sign = sign_of(side);
  cr_scl3(f, p->e, sign * T);
  cr_scl3(f_tan, p->e, sign * T_tan);
  cr_accscl3(f_tan, e_tan, sign * T);
  cr_sub3(arm, p->x[side], cri_relative_chain_com(m, d, p->body[side]));
  cr_sub3(arm_tan, x_tan, cri_relative_chain_com(m, tan, p->body[side]));
  cr_acccross3(F_tan, arm, f_tan);
  cr_acccross3(F_tan, arm_tan, f);
  cr_acc3(F_tan + 3, f_tan);
}

cr_real cri_tendon_piece_bar(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cri_tendon_piece* p, const cr_real* const V[2], cr_real T,
                             cr_real x0_bar[3], cr_real x1_bar[3]) {
  cr_real* x_bar[2] = {x0_bar, x1_bar};
  cr_real rate[3] = {0}, e_bar[3];
  for (int side = 0; side < 2; side++) {
    int b = p->body[side];
    cr_real u[3], f[3], arm_bar[3];
    cri_tendon_velocity(u, V[side], p->x[side], cri_relative_chain_com(m, d, b));
    cr_accscl3(rate, u, sign_of(side));
    // a motion of the point also moves the force on it
    cr_scl3(f, p->e, sign_of(side) * T);
    cr_cross3(arm_bar, f, V[side]);
    cr_acc3(x_bar[side], arm_bar);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[b], arm_bar, -1);
  }
  cr_scl3(e_bar, rate, T);
  direction_bar(p, e_bar, x0_bar, x1_bar);
  return cr_dot3(p->e, rate);
}
