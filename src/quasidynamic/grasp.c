// SPDX-License-Identifier: Apache-2.0
// Grasps by random lines.
#include "quasidynamic/grasp.h"

#include "engine/driver.h"

enum { MOST_NQ = 256, MARCH = 24, BISECTIONS = 12, FREE_TRIES = 20, FINGER_TRIES = 12 };
enum { ENOUGH = 3 };    // fingers near an object: of a hand with more the others may stay away
enum { HOPELESS = 5 };  // draws in which no finger came near an object: it is out of reach

cr_real cri_servo_hold(const cr_model* m, const cri_servo* s, cr_real q) {
  if (s->stiffness > 0) {
    return q;
  }
  const ptrdiff_t i = s->actuator;
  const cr_real gear = m->actuator_gear[6 * (ptrdiff_t)m->actuator_outadr[i]];
  return -(m->actuator_biasprm[10 * i] + m->actuator_biasprm[10 * i + 1] * gear * q) /
         m->actuator_gainprm[10 * i];
}

void cri_servo_range(const cr_model* m, const cri_servo* s, cr_real range[2]) {
  const int joint = m->actuator_trnid[2 * (ptrdiff_t)s->actuator];
  range[0] = -CR_PI;
  range[1] = CR_PI;
  if (m->jnt_limited[joint] != 0) {
    cr_copy(range, m->jnt_range + 2 * (ptrdiff_t)joint, 2);
  }
  if (m->actuator_ctrllimited[s->ctrl] != 0) {
    // the setpoints' range as coordinates: hold is affine
    const cr_real zero = cri_servo_hold(m, s, 0), slope = cri_servo_hold(m, s, 1) - zero;
    const cr_real* ctrl = m->actuator_ctrlrange + 2 * (ptrdiff_t)s->ctrl;
    const cr_real a = (ctrl[0] - zero) / slope, b = (ctrl[1] - zero) / slope;
    range[0] = cr_max(range[0], cr_min(a, b));
    range[1] = cr_min(range[1], cr_max(a, b));
  }
}

// tree of a geom; -1 of what does not move
static int tree_of(const cr_model* m, int geom) { return m->body_treeid[m->geom_bodyid[geom]]; }

static bool is_finger(const cr_quasidynamic* x, int tree) {
  for (int i = 0; i < x->nservo; i++) {
    if (x->m.dof_treeid[x->servo[i].dof] == tree) {
      return true;
    }
  }
  return false;
}

cr_status cri_grasp_clearance(cr_quasidynamic* x, const cr_real* qpos, int tree, cr_real* distance,
                              bool* object) {
  static const char* const touch[] = {"kinematics", "collision", "mixing"};
  const cri_schedule* s = x->schedule;
  bool stages[CR_MAX_STAGES] = {false};
  for (int i = 0; i < x->nstage; i++) {
    for (int k = 0; k < 3; k++) {
      stages[i] = stages[i] || strcmp(s->row[i].name, touch[k]) == 0;
    }
  }
  const cri_rows rows = {.end = x->nstage, .only = stages};
  cr_data* d = x->d;
  x->stepped = false;
  cr_copy(d->qpos, qpos, x->m.nq);
  const cr_status status = cri_drive(s, CRI_FORWARD, &rows, &x->m, NULL, d);
  if (status != CR_OK) {
    x->error = d->error;
    return status;
  }
  *distance = x->options.reach;
  *object = false;
  for (int i = 0; i < d->ncon; i++) {
    const int a = tree_of(&x->m, d->contact_geom[2 * i]),
              b = tree_of(&x->m, d->contact_geom[2 * i + 1]);
    const bool of_a = tree < 0 ? is_finger(x, a) : a == tree,
               of_b = tree < 0 ? is_finger(x, b) : b == tree;
    const cr_real gap = d->contact_dist[i] - d->contact_includemargin[i];
    if ((of_a || of_b) && gap < *distance) {
      const int other = of_a ? b : a;
      *distance = gap;
      *object = other >= 0 && !is_finger(x, other);
    }
  }
  return CR_OK;
}

static void draw_pose(cr_quasidynamic* x, cr_random* random, int tree, cr_real* to) {
  for (int i = 0; i < x->nservo; i++) {
    const cri_servo* s = &x->servo[i];
    cr_real range[2];
    if (x->m.dof_treeid[s->dof] == tree) {
      cri_servo_range(&x->m, s, range);
      to[s->qpos] = cr_random_range(random, range[0], range[1]);
    }
  }
}

// a pose of one finger at which it is free; false if none was drawn
static cr_status draw_free(cr_quasidynamic* x, cr_random* random, int tree, cr_real gap,
                           cr_real* qpos, bool* found) {
  *found = false;
  for (int k = 0; k < FREE_TRIES && !*found; k++) {
    cr_real distance;
    bool object;
    draw_pose(x, random, tree, qpos);
    CR_TRY(cri_grasp_clearance(x, qpos, tree, &distance, &object));
    *found = distance > gap;
  }
  return CR_OK;
}

static void between(const cr_quasidynamic* x, const cr_real* a, const cr_real* b, cr_real t,
                    cr_real* to) {
  for (int i = 0; i < x->m.nq; i++) {
    to[i] = a[i] + t * (b[i] - a[i]);
  }
}

// moves a finger from its free pose in qpos along a random line, until something is `gap` away; *touches if that is an object
static cr_status close_finger(cr_quasidynamic* x, cr_random* random, int tree, cr_real gap,
                              cr_real* qpos, bool* touches) {
  cr_real from[MOST_NQ], towards[MOST_NQ], at[MOST_NQ], distance, low = 0, high = 0;
  bool object = false;
  cr_copy(from, qpos, x->m.nq);
  cr_copy(towards, qpos, x->m.nq);
  draw_pose(x, random, tree, towards);
  for (int k = 1; k <= MARCH && high == 0; k++) {
    const cr_real t = (cr_real)k / MARCH;
    between(x, from, towards, t, at);
    CR_TRY(cri_grasp_clearance(x, at, tree, &distance, &object));
    high = distance <= gap ? t : 0;
    low = high > 0 ? low : t;
  }
  *touches = high > 0 && object;
  for (int k = 0; k < BISECTIONS && *touches; k++) {
    const cr_real t = (low + high) / 2;
    between(x, from, towards, t, at);
    CR_TRY(cri_grasp_clearance(x, at, tree, &distance, &object));
    low = distance > gap ? t : low;
    high = distance > gap ? high : t;
  }
  between(x, from, towards, low, qpos);
  return CR_OK;
}

// which fingers move: each with the chance 1 - keep, at least one. Returns how many
static int choose_fingers(const cr_quasidynamic* x, cr_random* random, cr_real keep, bool* moves) {
  const int ntree = x->m.ntree;
  int fingers = 0, moving = 0;
  for (int tree = 0; tree < ntree; tree++) {
    const bool finger = is_finger(x, tree);
    moves[tree] = finger && !(keep > 0 && cr_random_uniform(random) < keep);
    fingers += finger;
    moving += moves[tree];
  }
  int one = moving == 0 ? cr_random_int(random, fingers) : -1;
  for (int tree = 0; tree < ntree && one >= 0; tree++) {
    if (is_finger(x, tree) && one-- == 0) {
      moves[tree] = true;
      moving = 1;
    }
  }
  return moving;
}

// *touches: -1 where a finger found no free pose, or fingers are in each other
static cr_status draw_once(cr_quasidynamic* x, cr_random* random, cr_real gap, const bool* moves,
                           cr_real* qpos, int* touches) {
  *touches = -1;
  for (int tree = 0; tree < x->m.ntree; tree++) {
    bool found;
    if (moves[tree]) {
      CR_TRY(draw_free(x, random, tree, gap, qpos, &found));
      if (!found) {
        return CR_OK;
      }
    }
  }
  *touches = 0;
  for (int tree = 0; tree < x->m.ntree; tree++) {
    bool near = false;
    for (int k = 0; moves[tree] && k < FINGER_TRIES && !near; k++) {
      bool found = true;
      CR_TRY(k > 0 ? draw_free(x, random, tree, gap, qpos, &found) : CR_OK);
      CR_TRY(found ? close_finger(x, random, tree, gap, qpos, &near) : CR_OK);
    }
    *touches += near;
  }
  for (int tree = 0; tree < x->m.ntree; tree++) {
    cr_real distance = 1;
    bool object;
    CR_TRY(moves[tree] ? cri_grasp_clearance(x, qpos, tree, &distance, &object) : CR_OK);
    *touches = distance > 0 ? *touches : -1;
  }
  return CR_OK;
}

cr_status cri_grasp_draw(cr_quasidynamic* x, cr_random* random, cr_real gap, cr_real keep,
                         int tries, cr_real* qpos, int* touches) {
  cr_real best[MOST_NQ], at[MOST_NQ];
  bool moves[MOST_NQ];
  *touches = 0;
  if (x->m.nq > MOST_NQ) {
    return cri_fail(&x->error, CR_ERR_UNSUPPORTED, "grasps: %d coordinates, more than %d", x->m.nq,
                    (int)MOST_NQ);
  }
  const int moving = choose_fingers(x, random, keep, moves);
  const int enough = moving < ENOUGH ? moving : (int)ENOUGH;
  cr_copy(best, qpos, x->m.nq);
  for (int k = 0; k < tries && *touches < enough && (k < HOPELESS || *touches > 0); k++) {
    int n;
    cr_copy(at, qpos, x->m.nq);
    CR_TRY(draw_once(x, random, gap, moves, at, &n));
    if (n > *touches) {
      *touches = n;
      cr_copy(best, at, x->m.nq);
    }
  }
  cr_copy(qpos, best, x->m.nq);
  return CR_OK;
}
