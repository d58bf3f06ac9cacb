// SPDX-License-Identifier: Apache-2.0
// One function for each kind of number with two slopes.
#include "rollout/one_sided.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actuator/actuation_parts.h"
#include "actuator/range_ends.h"
#include "actuator/setpoint.h"
#include "base/locale.h"
#include "carom/step.h"
#include "collision/collision.h"
#include "constraint/contact_rows.h"
#include "constraint/rows.h"
#include "engine/implicit_inertia_solve.h"
#include "force/damper.h"
#include "force/fluid.h"
#include "force/tendon_spring.h"
#include "geometry/plane.h"
#include "inertia/effective_mass.h"
#include "inertia/implicit_inertia.h"
#include "math/vec3.h"
#include "model/misuse.h"
#include "model/names.h"
#include "model/tableau.h"
#include "solver/contact_model.h"

typedef struct {
  const cr_model* m;
  const cr_data* d;
  const bool* asked;
  cri_one_sided* list;
  int n, most;
} notes;

static void note(notes* s, const char* format, ...) {
  if (s->n < s->most) {
    va_list args;
    va_start(args, format);
    (void)cri_print_list(s->list[s->n].text, sizeof s->list[s->n].text, format, args);
    va_end(args);
  }
  s->n++;
}

// ---- actuators

static cr_label actuator(const cr_model* m, int i) { return cri_label(m, CRI_OBJECT_actuator, i); }

static bool drives_asked(const notes* s) {
  return s->asked[CR_FIELD_ctrl] || s->asked[CR_FIELD_act];
}

static void muscle(notes* s, int i, cr_real u, cr_real act) {
  const cr_model* m = s->m;
  const cr_real* prm = m->actuator_dynprm + 10 * i;
  int k = m->actuator_ctrladr[i];
  cr_real smooth = cr_max(prm[2], m->muscle_smooth), e = cr_clip(u, 0, 1);
  if (m->actuator_dyntype[i] != CR_DYN_MUSCLE || e != act || smooth >= CR_MINVAL) {
    return;
  }
  int end = cri_control_end_of(m, k, true, e);
  if (end == 0 && drives_asked(s)) {
    note(s,
         "ctrl[%d] equals act[%d] of %s: above act the muscle activates, below it deactivates, "
         "each at its own rate; the gradient is that of deactivation",
         k, m->actuator_actadr[i], actuator(m, i).text);
  } else if (end != 0 && s->asked[CR_FIELD_ctrl] && !cri_control_limited(m, k)) {
    note(s, "ctrl[%d] of %s is %.0f: beyond, it moves nothing; the gradient is that of within", k,
         actuator(m, i).text, (double)e);
  }
}

// an activation that the stages of a step take beyond its range, but not the step
static void opposite_ends(notes* s, int i, cr_real u, cr_real act, int u_side) {
  const cr_model* m = s->m;
  const cr_real* end = m->actuator_actrange + 2 * i;
  if (m->actuator_actlimited[i] == 0 || m->actuator_actearly[i] != 0 || u_side != 0 ||
      cri_tableau_of(m->integrator) == NULL || s->d->act_dot[m->actuator_actadr[i]] != 0) {
    return;
  }
  bool is_muscle = m->actuator_dyntype[i] == CR_DYN_MUSCLE;
  int k = m->actuator_ctrladr[i];
  if (cri_control_end_of(m, k, is_muscle, u) * ((act == end[0]) - (act == end[1])) < 0 &&
      s->asked[CR_FIELD_ctrl]) {
    note(s,
         "ctrl[%d] of %s and its activation stand at opposite ends of their ranges: moved by ctrl, "
         "the activation stays; the gradient is as if it moved",
         k, actuator(m, i).text);
  }
}

// an input of zero whose damping or stiffness counts only to one side
static void gain_at_zero(notes* s, int i, cr_real x) {
  const cr_model* m = s->m;
  const cr_real* gain = m->actuator_gainprm + 10 * i;
  bool stateful = m->actuator_actnum[i] > 0;
  int k = stateful ? m->actuator_actadr[i] : m->actuator_ctrladr[i];
  int end = stateful ? cri_activation_end(m, k, x) : cri_control_end(m, k, x);
  if (cri_is_discrete(m) && m->actuator_gaintype[i] == CR_GAIN_AFFINE && x == 0 && end == 0 &&
      (gain[1] != 0 || gain[2] != 0) && s->asked[stateful ? CR_FIELD_act : CR_FIELD_ctrl]) {
    note(s,
         "%s[%d] of %s is 0: what its gain damps or stiffens counts on one side only; the gradient "
         "is that to the right",
         stateful ? "act" : "ctrl", k, actuator(m, i).text);
  }
}

static void circle(notes* s, int i) {
  const cr_model* m = s->m;
  if (s->asked[CR_FIELD_actuator_gear] && m->actuator_trntype[i] == CR_TRN_SITE &&
      cri_servo_period(m, i) > 0) {
    note(s,
         "actuator_gear of %s: with a gear along an axis its setpoint would no longer lie on a "
         "circle; the gradient by those three numbers is that of the circle",
         actuator(m, i).text);
  }
}

static void actuators(notes* s) {
  const cr_model* m = s->m;
  for (int i = 0; i < m->nactuator && (m->disableflags & CR_DSBL_ACTUATION) == 0; i++) {
    int k = m->actuator_ctrladr[i], a = m->actuator_actnum[i] > 0 ? m->actuator_actadr[i] : -1;
    circle(s, i);
    if (m->actuator_ctrlnum[i] != 1 || m->actuator_actnum[i] > 1) {
      continue;
    }
    int side;
    cr_real u =
        cri_clip(s->d->ctrl[k], cri_control_limited(m, k), m->actuator_ctrlrange + 2 * k, &side);
    if (a >= 0) {
      muscle(s, i, u, s->d->act[a]);
      opposite_ends(s, i, u, s->d->act[a], side);
    }
    gain_at_zero(s, i, a >= 0 ? s->d->act[a] : u);
  }
}

// ---- tendons and joints

static const char at_limit_text[] =
    "%s is exactly where its limit begins; the gradient is that of %s";

// Whether r, the distance to where rows begin, is nothing but the rounding of lengths as large as `size`.
static bool begins(cr_real r, cr_real size) { return cr_abs(r) <= CR_R(1e-14) * cr_max(1, size); }

// the side of a limit that the gradient has: rows are there where the distance is negative. The stages of a step may
// stand on both sides.
static const char* side_of_limit(const cr_model* m, cr_real r) {
  const cri_tableau* method = cri_tableau_of(m->integrator);
  if (method != NULL && method->n > 1) {
    return "the side on which each stage of a step stands, or lies between";
  }
  return r < 0 ? "beyond" : "within";
}

static cr_real distance_to_limit(cr_real x, const cr_real range[2], cr_real margin) {
  return cr_min(x - range[0], range[1] - x) - margin;
}

// *r: how far from its limit
static bool tendon_at_limit(const cr_model* m, const cr_data* d, int t, cr_real* r) {
  *r = distance_to_limit(d->ten_length[t], m->tendon_range + 2 * t, m->tendon_margin[t]);
  return m->tendon_limited[t] != 0 && cri_rows_on(m, CR_DSBL_LIMIT) &&
         begins(*r, cr_abs(d->ten_length[t]));
}

static bool joint_at_limit(const cr_model* m, const cr_data* d, int j, cr_real* r) {
  cr_real q = d->qpos[m->jnt_qposadr[j]];
  *r = distance_to_limit(q, m->jnt_range + 2 * j, m->jnt_margin[j]);
  return m->jnt_limited[j] != 0 && cri_rows_on(m, CR_DSBL_LIMIT) &&
         m->jnt_type[j] >= CR_JNT_SLIDE && begins(*r, cr_abs(q));
}

// a rest length without a dead band, which the tendon has up to rounding
static void spring_at_rest(notes* s, int t, cr_label name) {
  const cr_real* end = s->m->tendon_lengthspring + 2 * t;
  cri_tendon_spring spring = cri_tendon_spring_of(s->m, s->d, t);
  if (!s->asked[CR_FIELD_tendon_lengthspring] || end[0] != end[1] ||
      cr_abs(spring.x) > 8 * CR_EPS * cr_abs(end[0])) {
    return;
  }
  note(s,
       "tendon_lengthspring of %s: both ends equal its length; one moved outward moves nothing, "
       "one inward the spring; the gradient has %s; over several steps only their sum is a slope",
       name.text, spring.x == 0 ? "half for each" : "all for the end that rounding oversteps");
}

static void tendons(notes* s) {
  const cr_model* m = s->m;
  cr_real r;
  if (cri_effective_mass_rests(m, s->d)) {
    note(s,
         "a tendon spring is exactly at its rest length, where a step leaves its stiffness out of "
         "the effective mass matrix; the gradient is that beside it");
  }
  for (int t = 0; t < m->ntendon; t++) {
    cr_label name = cri_label(m, CRI_OBJECT_tendon, t);
    spring_at_rest(s, t, name);
    if (m->wrap_type[m->tendon_adr[t]] != CR_WRAP_JOINT && s->d->ten_length[t] == 0) {
      note(s, "%s has no length: its direction is arbitrary, the gradient that of one along x",
           name.text);
    }
    if (tendon_at_limit(m, s->d, t, &r)) {
      note(s, at_limit_text, name.text, side_of_limit(m, r));
    }
  }
}

static void joints(notes* s) {
  const cr_model* m = s->m;
  cr_real r;
  for (int j = 0; j < m->njnt; j++) {
    cr_label name = cri_label(m, CRI_OBJECT_joint, j);
    const cr_real* q = s->d->qpos + m->jnt_qposadr[j];
    if (joint_at_limit(m, s->d, j, &r)) {
      note(s, at_limit_text, name.text, side_of_limit(m, r));
    }
    bool limited = m->jnt_limited[j] != 0 && cri_rows_on(m, CR_DSBL_LIMIT);
    cr_real widest = cr_max(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
    if (limited && m->jnt_type[j] == CR_JNT_BALL && q[1] == 0 && q[2] == 0 && q[3] == 0 &&
        widest < m->jnt_margin[j]) {
      note(s, "%s is not turned and within the margin of its limit, whose axis is arbitrary",
           name.text);
    }
  }
}

// ---- friction loss

static const char creep_text[] =
    "%s is 0 for %d that may move by nothing but rounding, the first %s: any real loss holds it; "
    "the "
    "gradient is 0, as if it were held";

// once for all numbers of a field, those from `first` on of dofs and tendons
static void creeping(notes* s, cr_field_id id, cri_object_kind object, int first, int n) {
  int found = 0, least = 0;
  for (int i = n - 1; i >= 0 && s->asked[id]; i--) {
    bool creeps = cri_contact_model(s->m)->creeps(s->m, s->d, first + i);
    found += creeps;
    least = creeps ? i : least;
  }
  if (found > 0) {
    int k = object == CRI_OBJECT_joint ? s->m->dof_jntid[least] : least;
    note(s, creep_text, cri_field(id)->name, found, cri_label(s->m, object, k).text);
  }
}

// ---- free bodies

// The integrator discrete has the gyroscopic term of a free body in the effective mass matrix until the least row,
// tendon or actuator touches it.
static const char free_text[] =
    "%s of %s: as soon as it acts, the gyroscopic term of a free body leaves the effective mass "
    "matrix, and the "
    "step leaps; the gradient is as if the term stayed";

static bool touches(const cr_model* m, const cr_data* d, const int32_t* col, int n) {
  for (int k = 0; k < n; k++) {
    if (d->efm_free[m->dof_treeid[col[k]]] != 0) {
      return true;
    }
  }
  return false;
}

// the first of those fields that was asked for, or NULL
static const char* first_asked(const notes* s, const cr_field_id* ids, int n) {
  for (int i = 0; i < n; i++) {
    if (s->asked[ids[i]]) {
      return cri_field(ids[i])->name;
    }
  }
  return NULL;
}

static void free_bodies(notes* s) {
  const cr_field_id of_tendon[] = {CR_FIELD_tendon_frictionloss, cri_tendon_spring_fields.first,
                                   cri_tendon_spring_fields.rest, cri_tendon_damper_fields.first,
                                   cri_tendon_damper_fields.rest};
  static const cr_field_id of_actuator[] = {CR_FIELD_actuator_gainprm, CR_FIELD_actuator_biasprm};
  const cr_model* m = s->m;
  const cr_data* d = s->d;
  if (!cri_implicit_inertia_any_free(m, d)) {
    return;
  }
  for (int t = 0; t < m->ntree && s->asked[CR_FIELD_dof_frictionloss]; t++) {
    if (d->efm_free[t] != 0 && cri_rows_on(m, CR_DSBL_FRICTIONLOSS)) {
      cr_label name = cri_label(m, CRI_OBJECT_joint, m->dof_jntid[m->tree_dofadr[t]]);
      note(s, free_text, "dof_frictionloss", name.text);
    }
  }
  const char* of = first_asked(s, of_tendon, (int)(sizeof of_tendon / sizeof of_tendon[0]));
  for (int t = 0; t < m->ntendon && of != NULL; t++) {
    if (touches(m, d, m->ten_J_colind + m->ten_J_rowadr[t], m->ten_J_rownnz[t])) {
      note(s, free_text, of, cri_label(m, CRI_OBJECT_tendon, t).text);
    }
  }
  of = first_asked(s, of_actuator, (int)(sizeof of_actuator / sizeof of_actuator[0]));
  for (int i = 0; i < m->nactuator && of != NULL; i++) {
    int o = m->actuator_outadr[i];
    if (touches(m, d, d->moment_colind + d->moment_rowadr[o], d->moment_rownnz[o])) {
      note(s, free_text, of, actuator(m, i).text);
    }
  }
}

// ---- bodies in a medium

static void flat_boxes(notes* s) {
  const cr_model* m = s->m;
  for (int b = 1; b < m->nbody && s->asked[CR_FIELD_body_inertia]; b++) {
    if (cri_fluid_is_flat(m, b)) {
      note(
          s,
          "body_inertia of %s: the box that stands for it in the medium is flat, and its thickness "
          "grows as a root; the gradient is as if it stayed flat",
          cri_label(m, CRI_OBJECT_body, b).text);
    }
  }
}

// ---- equalities

// True if an impedance has a slope at zero error, to every side: its power is 1.
static bool stiffens_at_once(const cr_real solimp[5]) {
  return solimp[0] != solimp[1] && solimp[2] > CR_MINVAL && solimp[4] <= 1;
}

// An equality that holds; the impedance of its rows depends on the size of all their errors.
static void equalities(notes* s) {
  static const cr_real HOLDS = CR_R(1e-14);
  const cr_data* d = s->d;
  for (int i = 0, n = 1; i < d->nefc && d->efc_type[i] == CR_CNSTR_EQUALITY; i += n) {
    cr_real most = 0;
    for (n = 0; i + n < d->nefc && d->efc_type[i + n] == CR_CNSTR_EQUALITY &&
                d->efc_id[i + n] == d->efc_id[i];
         n++) {
      most = cr_max(most, cr_abs(d->efc_pos[i + n]));
    }
    if (most <= HOLDS && stiffens_at_once(s->m->eq_solimp + 5 * d->efc_id[i])) {
      note(s,
           "%s holds but for rounding, and its solimp stiffens it in proportion to any error; the "
           "gradient %s",
           cri_label(s->m, CRI_OBJECT_equality, d->efc_id[i]).text,
           most == 0 ? "lies between the slopes" : "is that of the side where rounding has it");
    }
  }
}

// ---- contacts

static void point_box(notes* s, int g) {
  const cr_model* m = s->m;
  if (s->asked[CR_FIELD_geom_size] && g >= 0 && m->geom_type[g] == CR_GEOM_BOX &&
      cr_norm3(m->geom_size + 3 * g) == 0) {
    note(s,
         "geom_size of %s is 0 in all directions: which of its corners touch depends on the way it "
         "grows; the gradient is that of those with the first numbers",
         cri_label(m, CRI_OBJECT_geom, g).text);
  }
}

// a cylinder on a plane, once for all its points; anything that moves it tilts it in the stages of a Runge-Kutta step
static void flat_cylinder(notes* s, int c) {
  const cr_model* m = s->m;
  const int32_t* geom = s->d->contact_geom + 2 * c;
  bool tilts = cri_tableau_of(m->integrator) != NULL || s->asked[CR_FIELD_qpos] ||
               s->asked[CR_FIELD_body_quat] || s->asked[CR_FIELD_geom_quat];
  bool first = c == 0 || geom[0] != geom[-2] || geom[1] != geom[-1];
  if (tilts && first && geom[0] >= 0 && geom[1] >= 0 && m->geom_type[geom[0]] == CR_GEOM_PLANE &&
      m->geom_type[geom[1]] == CR_GEOM_CYLINDER &&
      cri_plane_cylinder_stands_flat(s->d->contact_feature + 4 * c)) {
    note(s,
         "the cylinder of geom %d stands flat on the plane of geom %d: tilted a little, its points "
         "of contact run round its rim; the gradient is as if they stayed",
         geom[1], geom[0]);
  }
}

static void contacts(notes* s) {
  const cr_model* m = s->m;
  for (int c = 0; c < s->d->ncon; c++) {
    int a = s->d->contact_geom[2 * c], b = s->d->contact_geom[2 * c + 1];
    flat_cylinder(s, c);
    if (s->asked[CR_FIELD_geom_solmix] && s->d->contact_pair[c] < 0 && a >= 0 && b >= 0 &&
        m->geom_solmix[a] < CR_MINVAL && m->geom_solmix[b] < CR_MINVAL &&
        m->geom_priority[a] == m->geom_priority[b]) {
      note(s,
           "geom_solmix of geoms %d and %d, both 0: the share leaps from a half to one; the "
           "gradient is 0",
           a, b);
    }
    for (int k = 0; k < 2; k++) {
      const int32_t* g = s->d->contact_geom + 2 * c + k;
      if (c == 0 || g[0] != g[-2]) {
        point_box(s, g[0]);
      }
    }
  }
}

// Contact from distance has no edge here. One behind another or without dofs has no rows on either side.
static bool contact_begins(const cr_model* m, const cr_data* d, int c) {
  const cr_real* x = d->contact_pos + 3 * c;
  cr_real size = cr_max(cr_abs(x[0]), cr_max(cr_abs(x[1]), cr_abs(x[2])));
  return d->contact_exclude[c] <= 1 && cri_rows_on(m, CR_DSBL_CONTACT) &&
         cri_contact_width(m, d, c) == 0 &&
         begins(d->contact_dist[c] - d->contact_includemargin[c], size);
}

static bool presses(const cr_model* m, const cr_data* d, int c) {
  int first = d->contact_efc_address[c];
  for (int i = first; first >= 0 && i < first + cri_contact_rows(m, d->contact_dim[c]); i++) {
    if (d->efc_force[i] != 0) {
      return true;
    }
  }
  return false;
}

// The contacts of a pair follow each other: once for all that begin where they stand.
static void touching(notes* s) {
  const cr_data* d = s->d;
  bool told = false;
  for (int c = 0; c < d->ncon; c++) {
    const int32_t* geom = d->contact_geom + 2 * c;
    told = told && memcmp(geom, geom - 2, 2 * sizeof *geom) == 0;
    if (!told && contact_begins(s->m, d, c)) {
      note(
          s,
          "geoms %d and %d touch exactly where their contact begins; the gradient is as if they %s",
          geom[0], geom[1], presses(s->m, d, c) ? "pressed" : "stayed apart");
      told = true;
    }
  }
}

static bool is_round(const cr_model* m, int g) {
  return g >= 0 && (m->geom_type[g] == CR_GEOM_SPHERE || m->geom_type[g] == CR_GEOM_CAPSULE);
}

// Spheres and capsules whose centres or centre lines meet: once for all contacts of a pair.
static void centred(notes* s) {
  const cr_model* m = s->m;
  const cr_data* d = s->d;
  for (int c = 0; c < d->ncon; c++) {
    const int32_t* geom = d->contact_geom + 2 * c;
    bool first = c == 0 || memcmp(geom, geom - 2, 2 * sizeof *geom) != 0;
    if (first && is_round(m, geom[0]) && is_round(m, geom[1])) {
      cr_real depth = m->geom_size[3 * geom[0]] + m->geom_size[3 * geom[1]];
      if (begins(d->contact_dist[c] + depth, depth)) {
        note(s,
             "the centres or centre lines of geoms %d and %d meet: the normal of their contact is "
             "arbitrary, the gradient that of the one taken",
             geom[0], geom[1]);
      }
    }
  }
}

// A contact whose first tangent follows an axis, as of a capsule, that is along the normal: once for a pair.
static void upright(notes* s) {
  const cr_model* m = s->m;
  const cr_data* d = s->d;
  for (int c = 0; c < d->ncon; c++) {
    const int32_t *geom = d->contact_geom + 2 * c, row = d->contact_efc_address[c];
    bool first = c == 0 || memcmp(geom, geom - 2, 2 * sizeof *geom) != 0;
    if (first && row >= 0 && d->contact_axes[8 * c + 7] == 0 &&
        cri_contact_model(m)->has_directions(m, d, row)) {
      note(s,
           "the contact of geoms %d and %d is along the axis of one: tilted any way, its tangents "
           "leap; the gradient is as if they stayed",
           geom[0], geom[1]);
    }
  }
}

// One contact on a line or a face that two geoms of the general pair share. Contacts of one pair are
// consecutive. Several of them belong to one face and stay in place, except those of height fields.
static void shared_places(notes* s) {
  const cr_model* m = s->m;
  for (int c = 0, n; c < s->d->ncon; c += n) {
    const int32_t* geom = s->d->contact_geom + 2 * c;
    for (n = 1; c + n < s->d->ncon && memcmp(geom + 2 * n, geom, 2 * sizeof *geom) == 0;) {
      n++;
    }
    int a = geom[0], b = geom[1];
    bool field = m->geom_type[a] == CR_GEOM_HFIELD;
    if (cri_collision_general(m->geom_type[a], m->geom_type[b]) && (n == 1 || field) &&
        cri_collision_leaps(m, s->d, c, n)) {
      note(s,
           "geoms %d and %d share a line or a face and have one contact on it: the least turn "
           "moves it to an end; the gradient is that of a place between the ends",
           a, b);
    }
  }
}

int cri_one_sided_find(const cr_model* m, const cr_data* d, const bool* asked, cri_one_sided* list,
                       int most) {
  notes s = {.m = m, .d = d, .asked = asked, .list = list, .most = most};
  actuators(&s);
  tendons(&s);
  joints(&s);
  creeping(&s, CR_FIELD_dof_frictionloss, CRI_OBJECT_joint, 0, m->nv);
  creeping(&s, CR_FIELD_tendon_frictionloss, CRI_OBJECT_tendon, m->nv, m->ntendon);
  free_bodies(&s);
  flat_boxes(&s);
  equalities(&s);
  contacts(&s);
  touching(&s);
  centred(&s);
  upright(&s);
  shared_places(&s);
  return s.n;
}

cr_status cr_two_slopes(const cr_model* m, const cr_data* d, const char* field, int i, char* text,
                        int size, int* n) {
  enum { MOST = 64 };
  cri_one_sided list[MOST];
  bool asked[CR_N_FIELD] = {false};
  const cri_call call = {"cr_two_slopes", cri_error_of(d)};
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FORWARD));
  CR_TRY(cri_given(&call, field, "the name of a field"));
  CR_TRY(cri_given(&call, n, "where the number goes"));
  cr_field_id id = cri_field_find(field);
  if (id == CR_N_FIELD) {
    return cri_fail(call.error, CR_ERR_NAME, "cr_two_slopes: there is no field %s", field);
  }
  asked[id] = true;
  *n = cri_one_sided_find(m, d, asked, list, MOST);
  if (text != NULL && size > 0) {
    (void)cri_print(text, (size_t)size, "%s", i >= 0 && i < *n && i < MOST ? list[i].text : "");
  }
  return CR_OK;
}
