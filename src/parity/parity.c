// SPDX-License-Identifier: Apache-2.0
// Field-by-field comparison with MuJoCo. Fields of the same name and layout are rows of a table;
// the inertia matrix, contacts and constraint rows are matched first.
#include "parity/parity.h"

#include <stdio.h>
#include <stdlib.h>

#include "collision/collision.h"
#include "engine/forward.h"
#include "force/fluid.h"
#include "inertia/implicit_inertia.h"
#include "integrate/step.h"
#include "io/mujoco.h"
#include "model/names.h"
#include "model/sensors.h"
#include "parity/parity_bench.h"
#include "sensor/sensor_distance.h"
#include "solver/discrete_row.h"

// ---- accumulating

static cr_parity_row* find_row(cr_parity* p, const char* name) {
  for (int i = 0; i < p->n; i++) {
    if (strcmp(p->rows[i].name, name) == 0) {
      return &p->rows[i];
    }
  }
  return NULL;
}

static cr_parity_row* row_of(cr_parity* p, const char* name) {
  cr_parity_row* row = find_row(p, name);
  if (row != NULL) {
    return row;
  }
  if (p->n == CR_PARITY_ROWS) {
    return &p->rows[CR_PARITY_ROWS - 1];
  }
  p->rows[p->n] = (cr_parity_row){.name = name};
  return &p->rows[p->n++];
}

static void compare(cr_parity* p, const char* name, const cr_real* ours, const mjtNum* theirs,
                    int n) {
  cr_parity_row* row = row_of(p, name);
  for (int i = 0; i < n; i++) {
    double difference = fabs((double)ours[i] - theirs[i]);
    double* absolute = p->fast ? &row->fast_absolute : &row->absolute;
    double* scale = p->fast ? &row->fast_scale : &row->scale;
    *absolute = difference > *absolute || difference != difference ? difference : *absolute;
    *scale = fabs(theirs[i]) > *scale ? fabs(theirs[i]) : *scale;
  }
}

static double relative_of(double absolute, double scale) {
  return scale > 0 ? absolute / scale : absolute;
}

double cr_parity_relative(const cr_parity_row* row) {
  double slow = relative_of(row->absolute, row->scale);
  double fast = relative_of(row->fast_absolute, row->fast_scale);
  return fast > slow || fast != fast ? fast : slow;
}

double cr_parity_worst(const cr_parity* p, const char** field) {
  double worst = p->mismatch[0] != 0 ? 1 : 0;
  *field = p->mismatch[0] != 0 ? p->mismatch : "";
  for (int i = 0; i < p->n; i++) {
    const cr_parity_row* row = &p->rows[i];
    double relative = cr_parity_relative(row);
    if (relative > worst || relative != relative) {
      worst = relative;
      *field = row->name;
    }
  }
  return worst;
}

// ---- fields of the same name and layout

typedef struct {
  cr_field_id id;
  size_t offset;  // in mjData
} same_row;

#define SAME(name) \
  { CR_FIELD_##name, offsetof(mjData, name) }
static const same_row position_rows[] = {
    SAME(xpos),      SAME(xquat),      SAME(xmat),        SAME(xipos),     SAME(ximat),
    SAME(xanchor),   SAME(xaxis),      SAME(geom_xpos),   SAME(geom_xmat), SAME(site_xpos),
    SAME(site_xmat), SAME(site_xquat), SAME(subtree_com), SAME(cinert),    SAME(cdof),
    SAME(cvel),      SAME(cdof_dot),   SAME(ten_length),  SAME(ten_J),     SAME(ten_velocity)};
static const same_row force_rows[] = {
    SAME(qfrc_spring),       SAME(qfrc_damper),    SAME(qfrc_gravcomp), SAME(qfrc_adhesion),
    SAME(qfrc_fluid),        SAME(qfrc_passive),   SAME(qfrc_bias),     SAME(actuator_length),
    SAME(actuator_velocity), SAME(actuator_force), SAME(qfrc_actuator), SAME(act_dot),
    SAME(qfrc_smooth),       SAME(qacc_smooth)};
static const same_row solved_rows[] = {SAME(qacc), SAME(qfrc_constraint), SAME(cacc)};
static const same_row momentum_rows[] = {SAME(subtree_linvel), SAME(subtree_angmom)};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void compare_same(cr_parity_bench* b, const same_row* rows, int n) {
  for (int i = 0; i < n; i++) {
    const mjtNum* theirs;
    memcpy(&theirs, (const char*)b->d + rows[i].offset, sizeof theirs);
    int count = cri_field_rows(b->m, b->carom, rows[i].id) * cri_field_width(b->m, rows[i].id);
    compare(b->result, cri_field(rows[i].id)->name, cri_field_real(b->m, b->carom, rows[i].id),
            theirs, count);
  }
}

// ---- inertia: MuJoCo leaves out entries that are zero

static mjtNum entry_at(const mjModel* mj, const mjtNum* values, int i, int j) {
  for (int k = 0; k < mj->M_rownnz[i]; k++) {
    if (mj->M_colind[mj->M_rowadr[i] + k] == j) {
      return values[mj->M_rowadr[i] + k];
    }
  }
  return 0;
}

static void compare_in_pattern(cr_parity_bench* b, const char* name, const cr_real* ours,
                               const mjtNum* values) {
  const cr_model* m = b->m;
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      mjtNum theirs = entry_at(b->mj, values, i, m->M_colind[k]);
      compare(b->result, name, ours + k, &theirs, 1);
    }
  }
}

static void compare_inertia(cr_parity_bench* b) {
  compare_in_pattern(b, "M", b->carom->M, b->d->M);
  if (b->carom->nefmfluid > 0 && cri_fluid_acts(b->m)) {
    compare_in_pattern(b, "efm_fluid", b->carom->efm_fluid, b->d->efm_fluid);
  }
}

// ---- contacts: same pair of geoms, nearest point

static void mismatch(cr_parity_bench* b, const char* what, int ours, int theirs) {
  if (b->result->mismatch[0] == 0) {
    (void)snprintf(b->result->mismatch, sizeof b->result->mismatch,
                   "%s (%d in Carom, %d in MuJoCo, state %d)", what, ours, theirs,
                   b->result->states);
  }
}

static double distance(const cr_real a[3], const mjtNum b[3]) {
  double s = 0;
  for (int i = 0; i < 3; i++) {
    s += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
  }
  return s;
}

static int match_contact(const cr_parity_bench* b, int i, const bool* used) {
  int best = -1;
  double nearest = 0;
  const int32_t* geom = b->carom->contact_geom + 2 * i;
  for (int k = 0; k < b->d->ncon; k++) {
    const mjContact* c = &b->d->contact[k];
    double far = distance(b->carom->contact_pos + 3 * i, c->pos);
    if (!used[k] && c->geom[0] == geom[0] && c->geom[1] == geom[1] && (best < 0 || far < nearest)) {
      best = k;
      nearest = far;
    }
  }
  return best;
}

static void compare_contact(cr_parity_bench* b, int i, const mjContact* c) {
  const cr_data* d = b->carom;
  cr_parity* p = b->result;
  compare(p, "contact_dist", d->contact_dist + i, &c->dist, 1);
  compare(p, "contact_pos", d->contact_pos + 3 * i, c->pos, 3);
  compare(p, "contact_frame", d->contact_frame + 9 * i, c->frame, 9);
  compare(p, "contact_includemargin", d->contact_includemargin + i, &c->includemargin, 1);
  compare(p, "contact_friction", d->contact_friction + 5 * i, c->friction, 5);
  compare(p, "contact_solref", d->contact_solref + 2 * i, c->solref, 2);
  compare(p, "contact_adhesion", d->contact_adhesion + i, &c->adhesion, 1);
  compare(p, "contact_surfacevel", d->contact_surfacevel + 3 * i, c->surfacevel, 3);
  compare(p, "contact_solimp", d->contact_solimp + 5 * i, c->solimp, 5);
  compare(p, "contact_solreffriction", d->contact_solreffriction + 2 * i, c->solreffriction, 2);
}

// fills row_of_mujoco[nefc of Carom]; false if the lists do not correspond
static bool match_rows(cr_parity_bench* b, int* mj_row) {
  const cr_data* d = b->carom;
  bool used[4096] = {false};
  if (d->ncon != b->d->ncon || d->ncon > COUNT(used)) {
    mismatch(b, "ncon", d->ncon, b->d->ncon);
    return false;
  }
  if (d->nefc != b->d->nefc) {
    mismatch(b, "nefc", d->nefc, b->d->nefc);
    return false;
  }
  for (int i = 0; i < d->nefc; i++) {
    mj_row[i] = i;
    if (d->efc_type[i] != b->d->efc_type[i]) {
      mismatch(b, "efc_type", d->efc_type[i], b->d->efc_type[i]);
      return false;
    }
  }
  for (int i = 0; i < d->ncon; i++) {
    int k = match_contact(b, i, used);
    if (k < 0) {
      mismatch(b, "contact_geom", d->contact_geom[2 * i], b->d->contact[i].geom[0]);
      return false;
    }
    used[k] = true;
    compare_contact(b, i, &b->d->contact[k]);
    int ours = d->contact_efc_address[i], theirs = b->d->contact[k].efc_address;
    if ((ours < 0) != (theirs < 0)) {
      mismatch(b, "efc_address", ours, theirs);
      return false;
    }
    for (int r = ours; ours >= 0 && r < d->nefc && d->efc_id[r] == i &&
                       d->efc_type[r] >= CR_CNSTR_CONTACT_FRICTIONLESS;
         r++) {
      mj_row[r] = theirs + (r - ours);
    }
  }
  return true;
}

static mjtNum entry_of_J(const cr_parity_bench* b, int row, int col) {
  const mjData* d = b->d;
  if (!mj_isSparse(b->mj)) {
    return d->efc_J[(size_t)row * (size_t)b->mj->nv + (size_t)col];
  }
  for (int k = 0; k < d->efc_J_rownnz[row]; k++) {
    if (d->efc_J_colind[d->efc_J_rowadr[row] + k] == col) {
      return d->efc_J[d->efc_J_rowadr[row] + k];
    }
  }
  return 0;
}

// A pyramid with almost no friction: its edges almost coincide. Inputs determine only their sum and mu times their
// differences, the force in the contact's frame.
static bool is_flat(const cr_data* d, int i) {
  const cr_real* mu = d->contact_friction + 5 * d->efc_id[i];
  bool flat = false;
  if (d->efc_type[i] != CR_CNSTR_CONTACT_PYRAMIDAL) {
    return false;
  }
  for (int k = 0; k < d->contact_dim[d->efc_id[i]] - 1; k++) {
    flat = flat || mu[k] < 1e-3;
  }
  return flat;
}

static void compare_flat(cr_parity_bench* b, int i, int k) {
  const cr_data* d = b->carom;
  int dim = d->contact_dim[d->efc_id[i]];
  const cr_real *mu = d->contact_friction + 5 * d->efc_id[i], *ours = d->efc_force + i;
  const mjtNum* theirs = b->d->efc_force + k;
  double force[2][6] = {{0}};
  for (int edge = 0; edge < 2 * (dim - 1); edge++) {
    double sign = edge % 2 == 0 ? 1 : -1;
    force[0][0] += ours[edge];
    force[1][0] += theirs[edge];
    force[0][1 + edge / 2] += sign * mu[edge / 2] * ours[edge];
    force[1][1 + edge / 2] += sign * mu[edge / 2] * theirs[edge];
  }
  compare(b->result, "efc_force", force[0], force[1], dim);
}

// the force of row i, row k of MuJoCo
static void compare_force(cr_parity_bench* b, int i, int k) {
  const cr_data* d = b->carom;
  if (!is_flat(d, i)) {
    compare(b->result, "efc_force", d->efc_force + i, b->d->efc_force + k, 1);
  } else if (i == d->contact_efc_address[d->efc_id[i]]) {
    compare_flat(b, i, k);
  }
}

static void compare_rows(cr_parity_bench* b, const int* mj_row, bool solved) {
  const cr_data* d = b->carom;
  const mjData* r = b->d;
  cr_parity* p = b->result;
  for (int i = 0; i < d->nefc; i++) {
    int k = mj_row[i];
    for (int e = d->efc_J_rowadr[i]; e < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; e++) {
      mjtNum theirs = entry_of_J(b, k, d->efc_J_colind[e]);
      compare(p, "efc_J", d->efc_J + e, &theirs, 1);
    }
    compare(p, "efc_pos", d->efc_pos + i, r->efc_pos + k, 1);
    compare(p, "efc_margin", d->efc_margin + i, r->efc_margin + k, 1);
    compare(p, "efc_frictionloss", d->efc_frictionloss + i, r->efc_frictionloss + k, 1);
    compare(p, "efc_diagA", d->efc_diagA + i, r->efc_diagA + k, 1);
    // with the integrator discrete MuJoCo shows the spring by which it replaces one too stiff
    cri_step_row row = cri_step_row_of(b->m, d, i);
    const cr_real KBIP[4] = {row.K, row.B, d->efc_KBIP[4 * i + 2], d->efc_KBIP[4 * i + 3]};
    compare(p, "efc_KBIP", KBIP, r->efc_KBIP + 4 * (size_t)k, 4);
    compare(p, "efc_D", d->efc_D + i, r->efc_D + k, 1);
    compare(p, "efc_R", d->efc_R + i, r->efc_R + k, 1);
    compare(p, "efc_vel", d->efc_vel + i, r->efc_vel + k, 1);
    compare(p, "efc_aref", d->efc_aref + i, r->efc_aref + k, 1);
    if (solved) {
      compare_force(b, i, k);
    }
  }
}

// ---- measured quantities: each type of sensor is a field of its own

// A touch sensor counts a contact whose ray meets the zone of its site. A ray that meets an edge of
// the zone may miss both faces by round-off, even from inside. MuJoCo's number then jumps with a tiny
// change of the zone, and says nothing about ours.
static bool on_an_edge(cr_parity_bench* b, int i) {
  enum { TRIALS = 2 };
  const double touch = b->d->sensordata[b->m->sensor_adr[i]];
  mjtNum *size = b->mj->site_size + 3 * (ptrdiff_t)b->m->sensor_objid[i], keep[3];
  bool jumps = false;
  mju_copy3(keep, size);
  for (int trial = 0; trial < TRIALS; trial++) {
    double stretch = trial == 0 ? 1e-9 : -1e-9;
    size[0] = keep[0] * (1 + stretch);
    size[2] = keep[2] * (1 - stretch);
    mj_sensorAcc(b->mj, b->d);
    jumps = jumps || fabs(b->d->sensordata[b->m->sensor_adr[i]] - touch) > 1e-3 * fabs(touch);
    mju_copy3(size, keep);
  }
  mj_sensorAcc(b->mj, b->d);
  return jumps;
}

// MuJoCo's search for a general pair ends at a tolerance if a shape is curved; else
// its points are some of many. A gap is compared if every pair of geoms has a closed formula.
static bool closed_form(const cr_model* m, int i) {
  int type[2] = {m->sensor_objtype[i], m->sensor_reftype[i]};
  int id[2] = {m->sensor_objid[i], m->sensor_refid[i]}, first[2], n[2];
  for (int side = 0; side < 2; side++) {
    bool body = type[side] == CR_OBJ_BODY;
    first[side] = body ? m->body_geomadr[id[side]] : id[side];
    n[side] = body ? m->body_geomnum[id[side]] : 1;
  }
  for (int k = 0; k < n[0] * n[1]; k++) {
    int a = m->geom_type[first[0] + k / n[1]], c = m->geom_type[first[1] + k % n[1]];
    bool boxes = a == CR_GEOM_BOX && c == CR_GEOM_BOX;
    if (boxes || cri_collision_general(a < c ? a : c, a < c ? c : a)) {
      return false;
    }
  }
  return true;
}

static bool has_reference(cr_parity_bench* b, int i) {
  if (cri_is_sensor_distance(b->m->sensor_type[i])) {
    return closed_form(b->m, i);
  }
  int adr = b->m->sensor_adr[i];
  double ours = (double)b->carom->sensordata[adr], theirs = b->d->sensordata[adr];
  if (b->m->sensor_type[i] != CR_SENS_TOUCH || fabs(ours - theirs) <= 1e-6 * fabs(ours) ||
      !on_an_edge(b, i)) {
    return true;
  }
  cri_off_add(
      &b->result->off, CR_OFF_TOUCH, fabs(ours - theirs),
      "state %d: %s measures %.6g, and something else with a zone larger by 1e-9; Carom %.6g",
      b->result->states, cri_label(b->m, CRI_OBJECT_sensor, i).text, theirs, ours);
  return false;
}

static void compare_sensors(cr_parity_bench* b) {
  static const char* const names[] = {
#define CR_SENSOR(type, word, dim, of) "sensor " word,
#include "model/sensor_types.h"
  };
  const cr_model* m = b->m;
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i], adr = m->sensor_adr[i];
    if (m->sensor_skip[i] == 0 && has_reference(b, i)) {
      compare(b->result, names[type], b->carom->sensordata + adr, b->d->sensordata + adr,
              m->sensor_dim[i]);
    }
  }
}

static void compare_measured(cr_parity_bench* b) {
  const cr_model* m = b->m;
  const cr_data* d = b->carom;
  mj_energyPos(b->mj, b->d);
  mj_energyVel(b->mj, b->d);
  mj_subtreeVel(b->mj, b->d);
  mj_rnePostConstraint(b->mj, b->d);
  compare(b->result, "potential energy", d->energy, b->d->energy, 1);
  compare(b->result, "kinetic energy", d->energy + 1, b->d->energy + 1, 1);
  compare_same(b, momentum_rows, COUNT(momentum_rows));
  compare(b->result, "cfrc_ext", d->cfrc_ext, b->d->cfrc_ext, 6 * m->nbody);
  compare(b->result, "cfrc_int", d->cfrc_int, b->d->cfrc_int, 6 * m->nbody);
  compare_sensors(b);
}

// largest relative residual of a solve that can be compared
static const double CONVERGED = 1e-11;

// ---- the solve: |M a - qfrc_smooth - J' f| over the scale of its terms

// with the integrator discrete in the implicit inertia, except for free bodies with an effective mass matrix of their own
double cri_parity_residual(const cr_parity_bench* b, mjData* d, mjtNum* Ma) {
  const mjModel* mj = b->mj;
  bool discrete = mj->opt.integrator == mjINT_DISCRETE;
  bool own = discrete && b->discrete_data != NULL;
  const cr_data* carom = own ? b->discrete_data : b->carom;
  const cr_model* m = own ? &b->discrete : b->m;
  double worst = 0, scale = 0;
  mj_mulM(mj, d, Ma, d->qacc);
  if (discrete) {
    cri_implicit_inertia_add(m, carom, d->qacc, Ma);
  }
  for (int i = 0; i < mj->nv; i++) {
    double shift = discrete ? carom->qfrc_shift[i] : 0;
    if (discrete && carom->efm_free[m->dof_treeid[i]] != 0) {
      continue;
    }
    double r = fabs(Ma[i] - d->qfrc_smooth[i] - shift - d->qfrc_constraint[i]);
    double s = fabs(Ma[i]) + fabs(d->qfrc_smooth[i]) + fabs(d->qfrc_constraint[i]);
    worst = r > worst ? r : worst;
    scale = s > scale ? s : scale;
  }
  return scale > 0 ? worst / scale : 0;
}

// ---- steps

// true if MuJoCo's step ends beyond its own limit, or was restarted for that reason
static bool blown_up(const cr_parity_bench* b) {
  static const int bad[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};
  for (int i = 0; i < COUNT(bad); i++) {
    if (b->scratch->warning[bad[i]].number > b->state->warning[bad[i]].number) {
      return true;
    }
  }
  for (int i = 0; i < b->mj->nv; i++) {
    if (!(fabs(b->scratch->qvel[i]) <= mjMAXVAL)) {
      return true;
    }
  }
  for (int i = 0; i < b->mj->na; i++) {
    if (!(fabs(b->scratch->act[i]) <= mjMAXVAL)) {
      return true;
    }
  }
  return false;
}

// an explicit step at ten times the speed may be far beyond its stability: its numbers are no motion
static bool runs_away(const cr_parity_bench* b) {
  double before = 1, after = 0;
  for (int i = 0; i < b->mj->nv; i++) {
    before = fmax(before, fabs(b->state->qvel[i]));
    after = fmax(after, fabs(b->scratch->qvel[i]));
  }
  return b->result->fast && after > 1e3 * before;
}

static void step_mujoco(cr_parity_bench* b, int integrator) {
  int keep = b->mj->opt.integrator;
  b->mj->opt.integrator = integrator;
  mj_copyData(b->scratch, b->mj, b->state);
  mj_step(b->mj, b->scratch);
  b->mj->opt.integrator = keep;
}

// If a pivot of M - hD of implicitfast is not positive MuJoCo warns and puts a small number in
// its place; the resulting step solves no equation. Carom solves the original equation.
static bool pivot_replaced(cr_parity_bench* b, int integrator) {
  const mjWarningStat* warning = b->scratch->warning + mjWARN_INERTIA;
  if (integrator != mjINT_IMPLICITFAST ||
      warning->number == b->state->warning[mjWARN_INERTIA].number) {
    return false;
  }
  cri_off_add(
      &b->result->off, CR_OFF_PIVOT, 0,
      "state %d: a pivot of M - hD at dof %d is not positive, and implicitfast goes on with "
      "another; not compared",
      b->result->states, warning->lastinfo);
  return true;
}

// Beside a degenerate pose (shapes deep in each other, edges or faces parallel by design) the last bit
// decides which contact there is. MuJoCo alone shows it: its step from coordinates moved by 1e-12 differs
// from its own by as much as ours does.
static bool last_bit_decides(cr_parity_bench* b, int integrator, const cr_data* d) {
  const int nv = (int)b->mj->nv, nq = (int)b->mj->nq;
  mjtNum* keep = calloc((size_t)(nq + nv) + 1, sizeof *keep);
  double off = 0, moved = 0, scale = 1;
  for (int i = 0; i < nv && keep != NULL; i++) {
    keep[nq + i] = b->scratch->qvel[i];
    off = fmax(off, fabs((double)d->qvel_next[i] - keep[nq + i]));
    scale = fmax(scale, fabs(keep[nq + i]));
  }
  if (keep != NULL && off > 1e-10 * scale) {
    mju_copy(keep, b->state->qpos, nq);
    for (int i = 0; i < nq; i++) {
      b->state->qpos[i] += (i % 2 == 0 ? 1e-12 : -1e-12);
    }
    step_mujoco(b, integrator);
    mju_copy(b->state->qpos, keep, nq);
    for (int i = 0; i < nv; i++) {
      moved = fmax(moved, fabs(b->scratch->qvel[i] - keep[nq + i]));
    }
    step_mujoco(b, integrator);
  }
  free(keep);
  bool decides = off > 1e-10 * scale && off <= 10 * moved;
  if (decides) {
    cri_off_add(
        &b->result->off, CR_OFF_POSE, off,
        "state %d: qvel after a step differs by %.2g, MuJoCo's from coordinates moved by 1e-12 by "
        "%.2g; not compared",
        b->result->states, off, moved);
  }
  return decides;
}

static void compare_next(cr_parity_bench* b, const cr_model* m, const cr_data* d,
                         const char* const names[3]) {
  compare(b->result, names[0], d->qpos_next, b->scratch->qpos, m->nq);
  compare(b->result, names[1], d->qvel_next, b->scratch->qvel, m->nv);
  compare(b->result, names[2], d->act_next, b->scratch->act, m->na);
}

static cr_status compare_step(cr_parity_bench* b, int integrator, const char* const names[3],
                              cr_error* error) {
  cr_model m = *b->m;
  m.integrator = integrator;
  step_mujoco(b, integrator);
  if (pivot_replaced(b, integrator)) {
    return CR_OK;
  }
  cr_data* d = b->carom;
  cr_status status = cr_step(&m, d);
  if ((status == CR_ERR_DIVERGED || status == CR_ERR_NONFINITE) && blown_up(b)) {
    return CR_OK;  // too fast for this integrator, in both
  }
  if (status != CR_OK) {
    return cri_fail(error, status, "state %d: %s", b->result->states, d->error.text);
  }
  if (!runs_away(b) && !last_bit_decides(b, integrator, d)) {
    compare_next(b, &m, d, names);
  }
  return CR_OK;
}

// The limit of an orientation servo holds its torque. Round-off then decides whether MuJoCo counts the servo's slopes: it
// compares the length of the shortened torque with the limit. Here they do not
// count.
static bool torque_is_full(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_gaintype[i] == CR_GAIN_SO3 && d->actuator_held[i] != 0) {
      return true;
    }
  }
  return false;
}

// the rows of a comparison of states
#define AFTER(integrator) \
  { "qpos after " integrator, "qvel after " integrator, "act after " integrator }

static cr_status compare_steps(cr_parity_bench* b, cr_error* error) {
  static const char *const euler[3] = AFTER("Euler"), *const rk4[3] = AFTER("RK4");
  static const char *const implicit[3] = AFTER("implicit"), *const fast[3] = AFTER("implicitfast");
  CR_TRY(compare_step(b, mjINT_EULER, euler, error));
  if (!torque_is_full(b->m, b->carom)) {
    CR_TRY(compare_step(b, mjINT_IMPLICITFAST, fast, error));
    CR_TRY(compare_step(b, mjINT_IMPLICIT, implicit, error));
  }
  return compare_step(b, mjINT_RK4, rk4, error);  // last: it changes poses
}

// ---- the integrator discrete: its solve has another effective mass matrix

// no comparison if either refuses the model or does not solve the state
static cr_status compare_discrete(void* context) {
  static const char* const names[3] = AFTER("discrete");
  cr_parity_bench* b = context;
  cr_data* d = b->discrete_data;
  mjtNum* Ma = calloc((size_t)b->mj->nv + 1, sizeof *Ma);
  int keep = b->mj->opt.integrator;
  if (Ma == NULL) {
    return CR_ERR_MEMORY;
  }
  cri_mujoco_state(&b->discrete, b->state, d);
  cr_status status = cr_step(&b->discrete, d);
  b->mj->opt.integrator = mjINT_DISCRETE;
  if (status == CR_OK) {
    if (cri_convex_parity_applies(b->m)) {
      cri_convex_parity_use(b->m, d, &b->result->off);
    }
    mj_copyData(b->scratch, b->mj, b->state);
    mj_forward(b->mj, b->scratch);
    bool solved = cri_parity_residual(b, b->scratch, Ma) < CONVERGED;
    step_mujoco(b, mjINT_DISCRETE);
    if (solved && !blown_up(b) && !last_bit_decides(b, mjINT_DISCRETE, d)) {
      compare_next(b, &b->discrete, d, names);
    }
  }
  b->mj->opt.integrator = keep;
  free(Ma);
  return CR_OK;
}

// ---- scales: a small difference of large terms is as exact as its terms

static void raise_scale(cr_parity* p, const char* name, const char* term, double factor) {
  cr_parity_row *row = find_row(p, name), *from = find_row(p, term);
  if (row != NULL && from != NULL) {
    double* scale = p->fast ? &row->fast_scale : &row->scale;
    *scale = fmax(*scale, factor * (p->fast ? from->fast_scale : from->scale));
  }
}

static void raise_scales(cr_parity* p, double timestep) {
  static const char* const terms[][2] = {
      {"qfrc_passive", "qfrc_spring"},   {"qfrc_passive", "qfrc_damper"},
      {"qfrc_passive", "qfrc_gravcomp"}, {"qfrc_passive", "qfrc_fluid"},
      {"qfrc_smooth", "qfrc_passive"},   {"qfrc_smooth", "qfrc_bias"},
      {"qfrc_smooth", "qfrc_actuator"},  {"qfrc_constraint", "qfrc_smooth"},
      {"efc_force", "qfrc_smooth"},      {"qacc", "qacc_smooth"},
      {"cacc", "qacc_smooth"},           {"cfrc_int", "cfrc_ext"},
      {"cfrc_int", "qfrc_bias"},         {"cfrc_int", "M"},
      {"sensor force", "cfrc_int"},      {"sensor torque", "cfrc_int"},
      {"sensor accelerometer", "cacc"},  {"sensor framelinacc", "cacc"},
      {"sensor frameangacc", "cacc"},    {"subtree_linvel", "cvel"},
      {"contact_dist", "geom_xpos"},     {"efc_pos", "contact_dist"}};
  // centripetal terms, which vanish for a body that spins about a principal axis
  const cr_parity_row* speed = find_row(p, "cvel");
  if (speed != NULL) {
    const double v = p->fast ? speed->fast_scale : speed->scale;
    raise_scale(p, "qfrc_bias", "M", 1e-3 * v * v);
    raise_scale(p, "cacc", "cvel", 1e-3 * v);
    raise_scale(p, "qacc_smooth", "cvel", 1e-3 * v);
    // a sum over bodies, which may vanish
    raise_scale(p, "subtree_angmom", "M", v);
    // rows of a contact that sits at a joint: unit axes times arms
    raise_scale(p, "efc_J", "contact_pos", 1);
    raise_scale(p, "efc_vel", "efc_J", v);
  }
  for (int i = 0; i < COUNT(terms); i++) {
    raise_scale(p, terms[i][0], terms[i][1], 1);
  }
  static const char* const steps[][2] = {{"qvel after Euler", "qpos after Euler"},
                                         {"qvel after RK4", "qpos after RK4"},
                                         {"qvel after implicit", "qpos after implicit"},
                                         {"qvel after implicitfast", "qpos after implicitfast"},
                                         {"qvel after discrete", "qpos after discrete"}};
  for (int i = 0; i < COUNT(steps); i++) {
    raise_scale(p, steps[i][0], "qacc", timestep);
    raise_scale(p, steps[i][1], steps[i][0], timestep);
  }
}

// ---- one state

typedef struct {
  cr_parity_bench* b;
  cr_error* error;
} compare_context;

static cr_status compare_guarded(void* context) {
  compare_context* c = context;
  cr_parity_bench* b = c->b;
  cr_data* d = b->carom;
  bool general = cri_convex_parity_applies(b->m);
  d->want_M = true;
  cr_status status = cr_forward(b->m, d);
  d->want_M = false;
  b->result->last_unsolved = status == CR_ERR_SOLVER;
  if (status != CR_OK && status != CR_ERR_SOLVER) {
    return cri_fail(c->error, status, "state %d: %s", b->result->states, d->error.text);
  }
  mj_copyData(b->d, b->mj, b->state);
  if (general) {
    mj_forward(b->mj, b->d);
    cri_convex_parity_compare(b->m, d, b->d, &b->result->convex, &b->result->off);
    cri_convex_parity_use(b->m, d, &b->result->off);
    mj_copyData(b->d, b->mj, b->state);
  }
  mj_forward(b->mj, b->d);
  b->result->states_with_contact += d->ncon > 0;
  // contacts of general pairs are compared with Carom's shapes
  compare(b->result, "geom_size", b->m->geom_size, b->mj->geom_size, 3 * b->m->ngeom);
  compare(b->result, "hfield_size", b->m->hfield_size, b->mj->hfield_size, 4 * b->m->nhfield);
  compare_same(b, position_rows, COUNT(position_rows));
  if (torque_is_full(b->m, d)) {
    cri_off_add(
        &b->result->off, CR_OFF_TORQUE, 0,
        "state %d: whether the slopes of a saturated orientation servo count is a matter of the "
        "last bit; no implicit steps compared",
        b->result->states);
    if (b->m->integrator == CR_INT_DISCRETE) {
      return CR_OK;
    }
  }
  compare_same(b, force_rows, COUNT(force_rows));
  compare_inertia(b);
  mjtNum* Ma = calloc((size_t)b->mj->nv + 1, sizeof *Ma);
  int* mj_row = calloc((size_t)d->nefc + 1, sizeof *mj_row);
  if (Ma == NULL || mj_row == NULL) {
    free(Ma);
    free(mj_row);
    return cri_fail(c->error, CR_ERR_MEMORY, "parity: no memory");
  }
  double residual = cri_parity_residual(b, b->d, Ma);
  bool solved = residual < CONVERGED;
  if (status != CR_OK && solved) {
    free(Ma);
    free(mj_row);
    return cri_fail(c->error, status, "state %d: %s", b->result->states, d->error.text);
  }
  bool matched = match_rows(b, mj_row);
  if (matched) {
    compare_rows(b, mj_row, solved);
  }
  free(Ma);
  free(mj_row);
  if (!solved) {
    b->result->not_a_reference++;
    b->result->unsolved += status != CR_OK;
  }
  double ours = (double)d->solver_residual;
  b->result->residual_carom = fmax(b->result->residual_carom, status == CR_OK ? ours : 0);
  if (matched && solved) {
    b->result->residual_mujoco = fmax(b->result->residual_mujoco, residual);
    compare_measured(b);
    compare_same(b, solved_rows, COUNT(solved_rows));
    CR_TRY(compare_steps(b, c->error));
  }
  return CR_OK;
}

// at b->state
static cr_status compare_here(cr_parity_bench* b, cr_error* error) {
  compare_context context = {b, error};
  cri_mujoco_state(b->m, b->state, b->carom);
  cr_status status = cri_mujoco_guard(compare_guarded, &context, "MuJoCo", error);
  if (status == CR_OK && b->discrete_data != NULL && !torque_is_full(b->m, b->carom)) {
    (void)cri_mujoco_guard(compare_discrete, b, "", NULL);
  }
  raise_scales(b->result, b->mj->opt.timestep);
  cri_convex_parity_use(NULL, NULL, NULL);
  return status;
}

typedef struct {
  cr_parity_bench* b;
  cr_random random;
  int k;
  bool first;
  cri_parity_edge_kind kind;
} edge_context;

static cr_status go_to_edge(void* context) {
  edge_context* c = context;
  c->kind = cri_parity_edge(c->b, c->k, c->first, &c->random);
  return CR_OK;
}

static cr_status compare_edges(cr_parity_bench* b, cr_error* error) {
  edge_context c = {.b = b, .first = b->result->states == 0};
  c.random = cr_random_seed((uint64_t)b->visited, 11);
  mj_copyData(b->kept, b->mj, b->state);
  const cr_parity before = *b->result;
  cr_status status = CR_OK;
  for (c.k = 0; status == CR_OK; c.k++) {
    status = cri_mujoco_guard(go_to_edge, &c, "MuJoCo", error);
    if (status != CR_OK || c.kind == CR_EDGE_NONE) {
      break;
    }
    b->result->fast = c.kind == CR_EDGE_FAST;
    status = compare_here(b, error);
    b->result->edges++;
  }
  b->result->fast = false;
  mj_copyData(b->state, b->mj, b->kept);
  // counts are those of the states themselves
  b->result->states_with_contact = before.states_with_contact;
  b->result->not_a_reference = before.not_a_reference;
  b->result->unsolved = before.unsolved;
  b->result->last_unsolved = before.last_unsolved;
  return status;
}

cr_status cr_parity_compare(cr_parity_bench* b, cr_data* d, cr_parity* result, cr_error* error) {
  b->result = result;
  b->carom = d;
  CR_TRY(compare_here(b, error));
  CR_TRY(compare_edges(b, error));
  cri_mujoco_state(b->m, b->state, d);
  result->states++;
  return CR_OK;
}
