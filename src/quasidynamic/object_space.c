// SPDX-License-Identifier: Apache-2.0
// Poses of objects: loops over joints. derivation: docs/derivations/quasidynamic.md
#include "quasidynamic/object_space.h"

#include <stdlib.h>

#include "kinematics/joint.h"
#include "math/quat.h"

cr_status cri_objects_find(cri_object_space* s, const cr_model* m, const bool* has_servo,
                           cr_real length, cr_error* error) {
  memset(s, 0, sizeof *s);
  s->m = m;
  s->joint = calloc((size_t)m->njnt + 1, sizeof *s->joint);
  s->dof = calloc((size_t)m->nv + 1, sizeof *s->dof);
  s->unit = calloc(2 * (size_t)m->nv + 1, sizeof *s->unit);
  if (s->joint == NULL || s->dof == NULL || s->unit == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "contact tree: no memory");
  }
  s->work = s->unit + m->nv;
  for (int j = 0; j < m->njnt; j++) {
    const cri_joint_space p = cri_joint_space_of(m, j);
    if (has_servo[p.v]) {
      continue;
    }
    s->joint[s->njoint++] = j;
    for (int k = 0; k < p.nflat + (p.rotates ? 3 : 0); k++) {
      s->unit[s->n] = k < p.nflat && m->jnt_type[j] != CR_JNT_HINGE ? length : 1;
      s->dof[s->n++] = p.v + k;
    }
  }
  return s->n > 0 ? CR_OK
                  : cri_fail(error, CR_ERR_ARG,
                             "contact tree: all joints have servos, there is no object");
}

void cri_objects_free(cri_object_space* s) {
  free(s->joint);
  free(s->dof);
  free(s->unit);
  memset(s, 0, sizeof *s);
}

// [quasidynamic.t0]
void cri_objects_difference(const cri_object_space* s, const cr_real* to, const cr_real* from,
                            cr_real* d) {
  const cr_real* unit = s->unit;
  for (int i = 0; i < s->njoint; i++) {
    const cri_joint_space p = cri_joint_space_of(s->m, s->joint[i]);
    for (int k = 0; k < p.nflat; k++) {
      *d++ = (to[p.q + k] - from[p.q + k]) / *unit++;
    }
    if (p.rotates) {
      cr_quat_sub(d, to + p.q + p.nflat, from + p.q + p.nflat);
      d += 3;
      unit += 3;
    }
  }
}

cr_real cri_objects_distance(const cri_object_space* s, const cr_real* to, const cr_real* from) {
  cr_real sum = 0;
  cri_objects_difference(s, to, from, s->work);
  for (int i = 0; i < s->n; i++) {
    sum += s->work[i] * s->work[i];
  }
  return cr_sqrt(sum);
}

void cri_objects_box(const cri_object_space* s, const cr_real* from, const cr_real* to,
                     cr_real around, cr_real* low, cr_real* high) {
  int n = 0;
  for (int i = 0; i < s->njoint; i++) {
    const cri_joint_space p = cri_joint_space_of(s->m, s->joint[i]);
    cr_real turn[3] = {0};
    if (p.rotates) {
      cr_quat_sub(turn, to + p.q + p.nflat, from + p.q + p.nflat);
    }
    for (int k = 0; k < p.nflat + (p.rotates ? 3 : 0); k++, n++) {
      const bool flat = k < p.nflat;
      const cr_real a = flat ? from[p.q + k] : 0, b = flat ? to[p.q + k] : turn[k - p.nflat];
      low[n] = cr_min(a, b) - around * s->unit[n];
      high[n] = cr_max(a, b) + around * s->unit[n];
    }
  }
}

void cri_objects_draw(const cri_object_space* s, cr_random* random, const cr_real* from,
                      const cr_real* low, const cr_real* high, cr_real* qpos) {
  int n = 0;
  for (int i = 0; i < s->njoint; i++) {
    const cri_joint_space p = cri_joint_space_of(s->m, s->joint[i]);
    for (int k = 0; k < p.nflat; k++, n++) {
      qpos[p.q + k] = cr_random_range(random, low[n], high[n]);
    }
    if (p.rotates) {
      cr_real turn[3];
      for (int k = 0; k < 3; k++, n++) {
        turn[k] = cr_random_range(random, low[n], high[n]);
      }
      cr_copy(qpos + p.q + p.nflat, from + p.q + p.nflat, 4);
      cr_quat_integrate(qpos + p.q + p.nflat, turn, 1);
    }
  }
}

void cri_objects_normalise(const cri_object_space* s, cr_real* qpos) {
  for (int i = 0; i < s->njoint; i++) {
    const cri_joint_space p = cri_joint_space_of(s->m, s->joint[i]);
    if (p.rotates) {
      (void)cr_quat_normalize(qpos + p.q + p.nflat);
    }
  }
}
