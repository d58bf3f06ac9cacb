// SPDX-License-Identifier: Apache-2.0
// Contact parameters from geoms and explicit pairs, see mixing.h.
#include "constraint/mixing.h"

#include "math/vec3.h"
#include "model/added_contact.h"

// geom friction (slide, spin, roll) to the five numbers of a contact
static const int FRICTION_OF[5] = {0, 0, 1, 2, 2};

// Weights of geom 0 and geom 1 in a contact: every mixed number is w[0] x0 + w[1] x1. The
// weights are constants except those of solimp and of a standard solref (smooth).
typedef struct {
  int geom[2];
  bool equal;      // same priority
  bool standard;   // solref is mixed by weight
  cr_real mix[2];  // weights from solmix or priority
  cr_real friction[3][2];
  cr_real solref[2][2];
  cr_real adhesion[2];  // both pull, or the geom of higher priority
} weights;

// weights of a maximum (s = 1) or minimum (s = -1): half each where they tie
static void choose(cr_real w[2], cr_real x0, cr_real x1, int s) {
  w[0] = x0 == x1 ? CR_R(0.5) : (cr_real)((x0 > x1) == (s > 0));
  w[1] = 1 - w[0];
}

// [mixing.x1] share of the first geom from the two solmix
static cr_real share(cr_real mix0, cr_real mix1) {
  bool has0 = mix0 >= CR_MINVAL, has1 = mix1 >= CR_MINVAL;
  if (has0 && has1) {
    return mix0 / (mix0 + mix1);
  }
  return has0 == has1 ? CR_R(0.5) : (cr_real)has0;
}

static weights weights_of(const cr_model* m, const int32_t geom[2]) {
  int a = geom[0], b = geom[1];
  weights w = {.geom = {a, b}, .equal = m->geom_priority[a] == m->geom_priority[b]};
  if (!w.equal) {
    w.mix[0] = m->geom_priority[a] > m->geom_priority[b];
    w.mix[1] = 1 - w.mix[0];
    for (int i = 0; i < 3; i++) {
      cr_copy(w.friction[i], w.mix, 2);
    }
    w.standard = true;
    cr_copy(w.adhesion, w.mix, 2);
    return w;
  }
  w.adhesion[0] = w.adhesion[1] = 1;
  w.mix[0] = share(m->geom_solmix[a], m->geom_solmix[b]);
  w.mix[1] = 1 - w.mix[0];
  for (int i = 0; i < 3; i++) {
    choose(w.friction[i], m->geom_friction[3 * a + i], m->geom_friction[3 * b + i], 1);
  }
  w.standard = m->geom_solref[2 * a] > 0 && m->geom_solref[2 * b] > 0;
  for (int i = 0; i < 2 && !w.standard; i++) {
    choose(w.solref[i], m->geom_solref[2 * a + i], m->geom_solref[2 * b + i], -1);
  }
  return w;
}

static const cr_real* solref_weights(const weights* w, int i) {
  return w->standard ? w->mix : w->solref[i];
}

static void mix_geoms(const cr_model* m, cr_data* d, int c) {
  weights w = weights_of(m, d->contact_geom + 2 * c);
  int a = w.geom[0], b = w.geom[1];

  // [mixing.x2] friction
  for (int i = 0; i < 5; i++) {
    int k = FRICTION_OF[i];
    d->contact_friction[5 * c + i] = w.friction[k][0] * m->geom_friction[3 * a + k] +
                                     w.friction[k][1] * m->geom_friction[3 * b + k];
  }

  // [mixing.x3] solver reference and impedance
  for (int i = 0; i < 2; i++) {
    const cr_real* wi = solref_weights(&w, i);
    d->contact_solref[2 * c + i] =
        wi[0] * m->geom_solref[2 * a + i] + wi[1] * m->geom_solref[2 * b + i];
  }
  for (int i = 0; i < 5; i++) {
    d->contact_solimp[5 * c + i] =
        w.mix[0] * m->geom_solimp[5 * a + i] + w.mix[1] * m->geom_solimp[5 * b + i];
  }
  cr_zero(d->contact_solreffriction + 2 * c, 2);

  // [mixing.x4] margin, dimension, adhesion
  d->contact_adhesion[c] =
      w.adhesion[0] * m->geom_adhesion[a] + w.adhesion[1] * m->geom_adhesion[b];
  d->contact_includemargin[c] = m->geom_margin[a] + m->geom_margin[b];
  int dim0 = m->geom_condim[a], dim1 = m->geom_condim[b];
  int larger = dim0 > dim1 ? dim0 : dim1;
  d->contact_dim[c] = w.equal ? larger : (w.mix[0] > 0 ? dim0 : dim1);
}

// [mixing.x8] what contact models other than the convex one read, also of explicit pairs; 0 where nothing reads it
static void mix_hunt_crossley(const cr_model* m, cr_data* d, int c) {
  if (cri_all_convex(m)) {
    cr_zero(d->contact_hunt_crossley + 5 * c, 5);
    return;
  }
  weights w = weights_of(m, d->contact_geom + 2 * c);
  for (int i = 0; i < 5; i++) {
    d->contact_hunt_crossley[5 * c + i] = w.mix[0] * m->geom_hunt_crossley[5 * w.geom[0] + i] +
                                          w.mix[1] * m->geom_hunt_crossley[5 * w.geom[1] + i];
  }
}

static void copy_pair(const cr_model* m, cr_data* d, int c, int p) {
  cr_copy(d->contact_friction + 5 * c, m->pair_friction + 5 * p, 5);
  cr_copy(d->contact_solref + 2 * c, m->pair_solref + 2 * p, 2);
  cr_copy(d->contact_solreffriction + 2 * c, m->pair_solreffriction + 2 * p, 2);
  cr_copy(d->contact_solimp + 5 * c, m->pair_solimp + 5 * p, 5);
  d->contact_includemargin[c] = m->pair_margin[p];
  d->contact_adhesion[c] = m->pair_adhesion[p];
  d->contact_dim[c] = m->pair_dim[p];
}

// ---- surface velocity

static bool surface_moves(const cr_model* m, int geom) {
  bool moves = false;
  for (int i = 0; i < 6; i++) {
    moves = moves || m->geom_surfacevel[6 * geom + i] != 0;
  }
  return moves;
}

// velocity of the surface of a geom at a contact, world axes: linear, angular
static void surface_of(const cr_model* m, const cr_data* d, int c, int geom, cr_real lin[3],
                       cr_real ang[3], cr_real arm[3]) {
  const cr_real *v = m->geom_surfacevel + 6 * geom, *R = d->geom_xmat + 9 * geom;
  cr_sub3(arm, d->contact_pos + 3 * c, d->geom_xpos + 3 * geom);
  cr_mulmat3(lin, R, v);
  cr_mulmat3(ang, R, v + 3);
  cr_acccross3(lin, ang, arm);
}

// [mixing.x6] (t1 . v, t2 . v, n . w), v and w of the second geom minus the first
static void surface_velocity(const cr_model* m, cr_data* d, int c, bool moves) {
  const cr_real* f = d->contact_frame + 9 * c;
  cr_real *s = d->contact_surfacevel + 3 * c, lin[3], ang[3], arm[3];
  cr_zero3(s);
  for (int side = 0; moves && side < 2; side++) {
    int g = d->contact_geom[2 * c + side];
    cr_real sign = side == 1 ? 1 : -1;
    if (surface_moves(m, g)) {
      surface_of(m, d, c, g, lin, ang, arm);
      s[0] += sign * cr_dot3(f + 3, lin);
      s[1] += sign * cr_dot3(f + 6, lin);
      s[2] += sign * cr_dot3(f, ang);
    }
  }
}

static void surface_velocity_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c) {
  const cr_real *f = d->contact_frame + 9 * c, *f_tan = tan->contact_frame + 9 * c;
  cr_real *s_tan = tan->contact_surfacevel + 3 * c, lin[3], ang[3], arm[3];
  cr_zero3(s_tan);
  for (int side = 0; side < 2; side++) {
    int g = d->contact_geom[2 * c + side];
    cr_real sign = side == 1 ? 1 : -1, lin_tan[3], ang_tan[3], arm_tan[3];
    if (!surface_moves(m, g) && tan->par.geom_surfacevel == NULL) {
      continue;
    }
    const cr_real *v = m->geom_surfacevel + 6 * g, *R_tan = tan->geom_xmat + 9 * g;
    const cr_real *v_tan = cri_par_tan(tan->par.geom_surfacevel, g, 6), *R = d->geom_xmat + 9 * g;
    surface_of(m, d, c, g, lin, ang, arm);
    cr_sub3(arm_tan, tan->contact_pos + 3 * c, tan->geom_xpos + 3 * g);
    cr_mulmat3(ang_tan, R_tan, v + 3);
    cr_accmat3(ang_tan, R, v_tan + 3);
    cr_mulmat3(lin_tan, R_tan, v);
    cr_accmat3(lin_tan, R, v_tan);
    cr_acccross3(lin_tan, ang_tan, arm);
    cr_acccross3(lin_tan, ang, arm_tan);
    s_tan[0] += sign * (cr_dot3(f_tan + 3, lin) + cr_dot3(f + 3, lin_tan));
    s_tan[1] += sign * (cr_dot3(f_tan + 6, lin) + cr_dot3(f + 6, lin_tan));
    s_tan[2] += sign * (cr_dot3(f_tan, ang) + cr_dot3(f, ang_tan));
  }
}

static void surface_velocity_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c) {
  const cr_real *f = d->contact_frame + 9 * c, *s_bar = bar->contact_surfacevel + 3 * c;
  cr_real *f_bar = bar->contact_frame + 9 * c, lin[3], ang[3], arm[3];
  for (int side = 0; side < 2; side++) {
    int g = d->contact_geom[2 * c + side];
    cr_real sign = side == 1 ? 1 : -1, lin_bar[3], ang_bar[3], arm_bar[3];
    if (!surface_moves(m, g) && bar->par.geom_surfacevel == NULL) {
      continue;
    }
    // [mixing.x6]'
    const cr_real* v = m->geom_surfacevel + 6 * g;
    surface_of(m, d, c, g, lin, ang, arm);
    cr_accscl3(f_bar + 3, lin, sign * s_bar[0]);
    cr_accscl3(f_bar + 6, lin, sign * s_bar[1]);
    cr_accscl3(f_bar, ang, sign * s_bar[2]);
    cr_scl3(lin_bar, f + 3, sign * s_bar[0]);
    cr_accscl3(lin_bar, f + 6, sign * s_bar[1]);
    cr_scl3(ang_bar, f, sign * s_bar[2]);
    cr_acccross3(ang_bar, arm, lin_bar);
    cr_cross3(arm_bar, lin_bar, ang);
    cr_acc3(bar->contact_pos + 3 * c, arm_bar);
    cr_accscl3(bar->geom_xpos + 3 * g, arm_bar, -1);
    cr_accouter3(bar->geom_xmat + 9 * g, lin_bar, v);
    cr_accouter3(bar->geom_xmat + 9 * g, ang_bar, v + 3);
    if (bar->par.geom_surfacevel != NULL) {
      cr_acctmat3(bar->par.geom_surfacevel + 6 * g, d->geom_xmat + 9 * g, lin_bar);
      cr_acctmat3(bar->par.geom_surfacevel + 6 * g + 3, d->geom_xmat + 9 * g, ang_bar);
    }
  }
}

// [mixing.x5] the same numbers for all contacts
static bool overrides(const cr_model* m) { return (m->enableflags & CR_ENBL_OVERRIDE) != 0; }

static void copy_override(const cr_model* m, cr_data* d, int c) {
  cr_copy(d->contact_friction + 5 * c, m->o_friction, 5);
  cr_copy(d->contact_solref + 2 * c, m->o_solref, 2);
  cr_copy(d->contact_solreffriction + 2 * c, m->o_solref, 2);
  cr_copy(d->contact_solimp + 5 * c, m->o_solimp, 5);
  d->contact_includemargin[c] = m->o_margin[0];
}

// all parameters that do not depend on the pose
static void mix(const cr_model* m, cr_data* d, int c) {
  if (d->contact_pair[c] >= 0) {
    copy_pair(m, d, c, d->contact_pair[c]);
  } else {
    mix_geoms(m, d, c);
  }
  mix_hunt_crossley(m, d, c);
  if (overrides(m)) {
    copy_override(m, d, c);
  }
  for (int i = 0; i < 5; i++) {
    cr_real* mu = d->contact_friction + 5 * c + i;
    *mu = cr_max(*mu, CR_MIN_FRICTION);
  }
}

// copies row c of an array from the row before it
static inline void copy_rows(cr_real* x, int c, int n) {
  for (int i = 0; i < n; i++) {
    x[n * c + i] = x[n * (c - 1) + i];
  }
}

// true if the contact before is one of the same two geoms
static bool is_sibling(const cr_data* d, int c) {
  const int32_t* geom = d->contact_geom + 2 * c;
  return c > 0 && d->contact_pair[c] == d->contact_pair[c - 1] && geom[0] == geom[-2] &&
         geom[1] == geom[-1];
}

// true if it has been mixed already
static void copy_sibling(cr_data* d, int c) {
  copy_rows(d->contact_friction, c, 5);
  copy_rows(d->contact_solref, c, 2);
  copy_rows(d->contact_solreffriction, c, 2);
  copy_rows(d->contact_solimp, c, 5);
  copy_rows(d->contact_hunt_crossley, c, 5);
  copy_rows(d->contact_adhesion, c, 1);
  copy_rows(d->contact_includemargin, c, 1);
}

// [mixing.x7] a point
static void set_point(const cr_data* d, cr_data* x) {
  cr_zero(x->contact_area, d->ncon);
  cr_zero(x->contact_stiffness, d->ncon);
}

cr_status cr_mixing(const cr_model* m, cr_data* d) {
  int dim = 0;
  bool moves = false;
  set_point(d, d);
  for (int c = 0; c < d->ncon; c++) {
    if (is_sibling(d, c)) {
      copy_sibling(d, c);
      d->contact_dim[c] = dim;
    } else {
      mix(m, d, c);
      dim = d->contact_dim[c];
      moves =
          surface_moves(m, d->contact_geom[2 * c]) || surface_moves(m, d->contact_geom[2 * c + 1]);
    }
    surface_velocity(m, d, c, moves);
    // a contact that pulls across its gap has no friction
    if (d->contact_adhesion[c] != 0 && d->contact_dist[c] >= d->contact_includemargin[c]) {
      d->contact_dim[c] = 1;
    }
  }
  return CR_OK;
}

// Gradient of the share w0 with respect to the two solmix: (w1, -w0) / (mix0 + mix1). The same next to a solmix
// of zero, from which it can only grow. Between two zeros the share jumps.
static void share_gradient(const cr_model* m, const weights* w, cr_real g[2]) {
  cr_real mix0 = m->geom_solmix[w->geom[0]], mix1 = m->geom_solmix[w->geom[1]];
  g[0] = g[1] = 0;
  if (w->equal && (mix0 >= CR_MINVAL || mix1 >= CR_MINVAL)) {
    g[0] = w->mix[1] / (mix0 + mix1);
    g[1] = -w->mix[0] / (mix0 + mix1);
  }
}

// true if a friction number is above its least value, so that it has a derivative
static bool free_friction(const cr_model* m, const cr_data* d, int c, int i, const weights* w) {
  int p = d->contact_pair[c], k = FRICTION_OF[i];
  if (p >= 0) {
    return m->pair_friction[5 * p + i] > CR_MIN_FRICTION;
  }
  return w->friction[k][0] * m->geom_friction[3 * w->geom[0] + k] +
             w->friction[k][1] * m->geom_friction[3 * w->geom[1] + k] >
         CR_MIN_FRICTION;
}

static cr_real par(const cr_real* array, int row, int width, int i) {
  return cri_par_tan(array, row, width)[i];
}

static void mix_geoms_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c) {
  weights w = weights_of(m, d->contact_geom + 2 * c);
  int a = w.geom[0], b = w.geom[1];
  const cr_model* t = &tan->par;

  // [mixing.x1]
  cr_real g[2];
  share_gradient(m, &w, g);
  cr_real share_tan = g[0] * par(t->geom_solmix, a, 1, 0) + g[1] * par(t->geom_solmix, b, 1, 0);

  // [mixing.x2]
  for (int i = 0; i < 5; i++) {
    int k = FRICTION_OF[i];
    tan->contact_friction[5 * c + i] = free_friction(m, d, c, i, &w)
                                           ? w.friction[k][0] * par(t->geom_friction, a, 3, k) +
                                                 w.friction[k][1] * par(t->geom_friction, b, 3, k)
                                           : 0;
  }

  // [mixing.x3]
  for (int i = 0; i < 2; i++) {
    const cr_real* wi = solref_weights(&w, i);
    cr_real difference = m->geom_solref[2 * a + i] - m->geom_solref[2 * b + i];
    tan->contact_solref[2 * c + i] = wi[0] * par(t->geom_solref, a, 2, i) +
                                     wi[1] * par(t->geom_solref, b, 2, i) +
                                     (w.standard ? share_tan * difference : 0);
  }
  for (int i = 0; i < 5; i++) {
    cr_real difference = m->geom_solimp[5 * a + i] - m->geom_solimp[5 * b + i];
    tan->contact_solimp[5 * c + i] = w.mix[0] * par(t->geom_solimp, a, 5, i) +
                                     w.mix[1] * par(t->geom_solimp, b, 5, i) +
                                     share_tan * difference;
  }
  cr_zero(tan->contact_solreffriction + 2 * c, 2);

  // [mixing.x4]
  tan->contact_adhesion[c] = w.adhesion[0] * par(t->geom_adhesion, a, 1, 0) +
                             w.adhesion[1] * par(t->geom_adhesion, b, 1, 0);
  tan->contact_includemargin[c] = par(t->geom_margin, a, 1, 0) + par(t->geom_margin, b, 1, 0);
}

static void mix_hunt_crossley_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c) {
  if (cri_all_convex(m)) {
    cr_zero(tan->contact_hunt_crossley + 5 * c, 5);
    return;
  }
  weights w = weights_of(m, d->contact_geom + 2 * c);
  const cr_model* t = &tan->par;
  int a = w.geom[0], b = w.geom[1];
  cr_real g[2];
  share_gradient(m, &w, g);
  cr_real share_tan = g[0] * par(t->geom_solmix, a, 1, 0) + g[1] * par(t->geom_solmix, b, 1, 0);
  // [mixing.x8]
  for (int i = 0; i < 5; i++) {
    cr_real difference = m->geom_hunt_crossley[5 * a + i] - m->geom_hunt_crossley[5 * b + i];
    tan->contact_hunt_crossley[5 * c + i] = w.mix[0] * par(t->geom_hunt_crossley, a, 5, i) +
                                            w.mix[1] * par(t->geom_hunt_crossley, b, 5, i) +
                                            share_tan * difference;
  }
}

static void copy_pair_tan(const cr_model* m, const cr_data* d, cr_data* tan, int c, int p) {
  const cr_model* t = &tan->par;
  for (int i = 0; i < 5; i++) {
    tan->contact_friction[5 * c + i] =
        free_friction(m, d, c, i, NULL) ? par(t->pair_friction, p, 5, i) : 0;
  }
  cr_copy(tan->contact_solref + 2 * c, cri_par_tan(t->pair_solref, p, 2), 2);
  cr_copy(tan->contact_solreffriction + 2 * c, cri_par_tan(t->pair_solreffriction, p, 2), 2);
  cr_copy(tan->contact_solimp + 5 * c, cri_par_tan(t->pair_solimp, p, 5), 5);
  tan->contact_includemargin[c] = par(t->pair_margin, p, 1, 0);
  tan->contact_adhesion[c] = par(t->pair_adhesion, p, 1, 0);
}

static void copy_override_tan(const cr_model* m, cr_data* tan, int c) {
  const cr_model* t = &tan->par;
  for (int i = 0; i < 5; i++) {
    bool free = m->o_friction[i] > CR_MIN_FRICTION;
    tan->contact_friction[5 * c + i] = free ? par(t->o_friction, 0, 5, i) : 0;
  }
  cr_copy(tan->contact_solref + 2 * c, cri_par_tan(t->o_solref, 0, 2), 2);
  cr_copy(tan->contact_solreffriction + 2 * c, cri_par_tan(t->o_solref, 0, 2), 2);
  cr_copy(tan->contact_solimp + 5 * c, cri_par_tan(t->o_solimp, 0, 5), 5);
  tan->contact_includemargin[c] = par(t->o_margin, 0, 1, 0);
}

cr_status cr_mixing_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  set_point(d, tan);
  for (int c = 0; c < d->ncon; c++) {
    if (d->contact_pair[c] >= 0) {
      copy_pair_tan(m, d, tan, c, d->contact_pair[c]);
    } else {
      mix_geoms_tan(m, d, tan, c);
    }
    mix_hunt_crossley_tan(m, d, tan, c);
    if (overrides(m)) {
      copy_override_tan(m, tan, c);
    }
    surface_velocity_tan(m, d, tan, c);
  }
  return CR_OK;
}

// array += s at one number, if the twin has the array
static void add(cr_real* array, int i, cr_real s) {
  if (array != NULL) {
    array[i] += s;
  }
}

static void mix_geoms_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c) {
  weights w = weights_of(m, d->contact_geom + 2 * c);
  const cr_model* t = &bar->par;
  const cr_real* friction_bar = bar->contact_friction + 5 * c;
  const cr_real* solref_bar = bar->contact_solref + 2 * c;
  const cr_real* solimp_bar = bar->contact_solimp + 5 * c;

  for (int side = 0; side < 2; side++) {
    int g = w.geom[side];

    // [mixing.x4]'
    add(t->geom_adhesion, g, w.adhesion[side] * bar->contact_adhesion[c]);
    if (overrides(m)) {
      continue;
    }
    add(t->geom_margin, g, bar->contact_includemargin[c]);

    // [mixing.x3]'
    for (int i = 0; i < 5; i++) {
      add(t->geom_solimp, 5 * g + i, w.mix[side] * solimp_bar[i]);
    }
    for (int i = 0; i < 2; i++) {
      add(t->geom_solref, 2 * g + i, solref_weights(&w, i)[side] * solref_bar[i]);
    }

    // [mixing.x2]'
    for (int i = 0; i < 5; i++) {
      int k = FRICTION_OF[i];
      if (free_friction(m, d, c, i, &w)) {
        add(t->geom_friction, 3 * g + k, w.friction[k][side] * friction_bar[i]);
      }
    }
  }

  if (overrides(m)) {
    return;
  }

  // [mixing.x1]'
  cr_real g[2], share_bar = 0;
  int a = w.geom[0], b = w.geom[1];
  share_gradient(m, &w, g);
  for (int i = 0; i < 5; i++) {
    share_bar += (m->geom_solimp[5 * a + i] - m->geom_solimp[5 * b + i]) * solimp_bar[i];
  }
  for (int i = 0; i < 2 && w.standard; i++) {
    share_bar += (m->geom_solref[2 * a + i] - m->geom_solref[2 * b + i]) * solref_bar[i];
  }
  add(t->geom_solmix, a, g[0] * share_bar);
  add(t->geom_solmix, b, g[1] * share_bar);
}

static void mix_hunt_crossley_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c) {
  if (cri_all_convex(m)) {
    return;
  }
  weights w = weights_of(m, d->contact_geom + 2 * c);
  const cr_model* t = &bar->par;
  const cr_real* own_bar = bar->contact_hunt_crossley + 5 * c;
  int a = w.geom[0], b = w.geom[1];
  cr_real g[2], share_bar = 0;
  share_gradient(m, &w, g);
  // [mixing.x8]'
  for (int i = 0; i < 5; i++) {
    add(t->geom_hunt_crossley, 5 * a + i, w.mix[0] * own_bar[i]);
    add(t->geom_hunt_crossley, 5 * b + i, w.mix[1] * own_bar[i]);
    share_bar += (m->geom_hunt_crossley[5 * a + i] - m->geom_hunt_crossley[5 * b + i]) * own_bar[i];
  }
  add(t->geom_solmix, a, g[0] * share_bar);
  add(t->geom_solmix, b, g[1] * share_bar);
}

static void copy_pair_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c, int p) {
  const cr_model* t = &bar->par;
  add(t->pair_adhesion, p, bar->contact_adhesion[c]);
  if (overrides(m)) {
    return;
  }
  add(t->pair_margin, p, bar->contact_includemargin[c]);
  for (int i = 0; i < 5; i++) {
    add(t->pair_solimp, 5 * p + i, bar->contact_solimp[5 * c + i]);
    if (free_friction(m, d, c, i, NULL)) {
      add(t->pair_friction, 5 * p + i, bar->contact_friction[5 * c + i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    add(t->pair_solref, 2 * p + i, bar->contact_solref[2 * c + i]);
    add(t->pair_solreffriction, 2 * p + i, bar->contact_solreffriction[2 * c + i]);
  }
}

static void copy_override_bar(const cr_model* m, cr_data* bar, int c) {
  const cr_model* t = &bar->par;
  add(t->o_margin, 0, bar->contact_includemargin[c]);
  for (int i = 0; i < 5; i++) {
    add(t->o_solimp, i, bar->contact_solimp[5 * c + i]);
    if (m->o_friction[i] > CR_MIN_FRICTION) {
      add(t->o_friction, i, bar->contact_friction[5 * c + i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    add(t->o_solref, i, bar->contact_solref[2 * c + i] + bar->contact_solreffriction[2 * c + i]);
  }
}

// true if a twin has room for any of the parameters that this stage reads
static bool wanted(const cr_model* par) {
  return par->o_margin != NULL || par->o_solref != NULL || par->o_solimp != NULL ||
         par->o_friction != NULL || par->geom_adhesion != NULL || par->pair_adhesion != NULL ||
         par->geom_friction != NULL || par->geom_solref != NULL || par->geom_solimp != NULL ||
         par->geom_solmix != NULL || par->geom_margin != NULL || par->pair_friction != NULL ||
         par->pair_solref != NULL || par->pair_solreffriction != NULL || par->pair_solimp != NULL ||
         par->pair_margin != NULL || par->geom_hunt_crossley != NULL;
}

cr_status cr_mixing_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  bool parameters = wanted(&bar->par);
  for (int c = 0; c < d->ncon; c++) {
    surface_velocity_bar(m, d, bar, c);
    if (!parameters) {
      continue;
    }
    if (overrides(m)) {
      copy_override_bar(m, bar, c);
    }
    if (d->contact_pair[c] >= 0) {
      copy_pair_bar(m, d, bar, c, d->contact_pair[c]);
    } else {
      mix_geoms_bar(m, d, bar, c);
    }
    mix_hunt_crossley_bar(m, d, bar, c);
  }
  return CR_OK;
}
