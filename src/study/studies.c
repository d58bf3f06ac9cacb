// SPDX-License-Identifier: Apache-2.0
// The list of studies.
#include "study/studies.h"

#include <string.h>

#include "estimates/estimate_studies.h"
#include "jumps/jump_studies.h"
#include "physics/physics_study.h"
#include "stiff/stiff_studies.h"

static const cr_study studies[] = {
    {"toy", "a mass and a wall: what fixed steps do to a gradient", false, cri_study_toy},
    {"toss", "five bodies tossed on a floor: adaptive steps against fixed ones", false,
     cri_study_toss},
    {"billiard", "one ball is to hit another: contacts from distance", false, cri_study_billiard},
    {"time-toss", "error of loss and derivative against run time, for every method", false,
     cri_study_time_toss},
    {"sysid", "ten parameters of a tossed cube at once, from tuned and random starts", true,
     cri_study_sysid},
    {"landscape", "link lengths of a double pendulum: the next valley or the right one", false,
     cri_study_landscape},
    {"pendulum", "a filmed double pendulum: lengths, inertias, friction, and how far it predicts",
     true, cri_study_pendulum},
    {"robot", "an arm and a quadruped with hidden parameters: errors, intervals, time", false,
     cri_study_robot},
    {"golf", "a golf ball in air: forces that a network learns from twenty launches", false,
     cri_study_golf},
    {"sparse", "friction of a double pendulum: a network, and which inputs it needs", false,
     cri_study_sparse},
    {"swimmer", "swimmers in water and in air: a network adds the medium to a model in vacuum",
     false, cri_study_swimmer},
    {"push", "flat bodies pushed by a finger: tuned numbers, then a network on the friction below",
     true, cri_study_push},
    {"cube", "a tossed cube: identified numbers, then a network on the friction of contacts", true,
     cri_study_cube},
    {"quadruped", "a robot trots: forces of feet by predictive control, then by a network", true,
     cri_study_quadruped},
    {"curling", "gradients under noise: variances as contact gets sharp", false, cri_study_curling},
    {"wall", "gradients under noise: a loss that jumps", false, cri_study_wall},
    {"pushing", "gradients under noise: descent of bodies that push or drag another", false,
     cri_study_pushing},
    {"pivot", "gradients under noise: descent of a throw at a bar", false, cri_study_pivot},
    {"heaviside", "gradients under noise: steps in one and five dimensions", false,
     cri_study_heaviside},
    {"tennis", "gradients under noise: a racket's policy, trained through hits and misses", false,
     cri_study_tennis},
    {"roomba", "gradients under noise: a robot that bumps into pillars", false, cri_study_roomba},
    {"lqr", "gradients under noise: a regulator by policy gradients, with closed forms", false,
     cri_study_lqr},
    {"smoothing", "noise or a force at a distance: which belongs to which, and on a cube", false,
     cri_study_smoothing},
    {"bundles", "plans through contact by smoothed linear models: published costs", false,
     cri_study_bundles},
    {"hands", "plans through contact by a tree: hands and arms that turn objects", false,
     cri_study_hands},
    {"continuity", "jumps of the end of a motion over its start, as steps get shorter", false,
     cri_study_continuity},
    {"contact-jumps", "jumps of contact forces over a pose: points, smooth detection, surfaces",
     false, cri_study_contact_jumps},
    {"box-push", "a box pushed over an edge: gradients and plans by points and by surfaces", false,
     cri_study_box_push},
    {"mating", "two toy bricks pressed together: points, balls on the studs, surfaces", false,
     cri_study_mating},
    {"bounce1d", "a point on a soft and a stiff floor: what networks learn from twenty examples",
     false, cri_study_bounce1d},
    {"stiff-contact",
     "a cube tossed on floors of three stiffnesses, seen with noise: what networks learn", false,
     cri_study_stiff_contact},
    {"stiff-contact-physics", "the same tosses: a box identified from a few of them", false,
     cri_study_stiff_contact_physics},
};
enum { N_STUDY = (int)(sizeof studies / sizeof studies[0]) };

const cr_study* cri_study_at(int i) { return i >= 0 && i < N_STUDY ? &studies[i] : NULL; }

const cr_study* cri_study_find(const char* name) {
  for (int i = 0; i < N_STUDY; i++) {
    if (strcmp(studies[i].name, name) == 0) {
      return &studies[i];
    }
  }
  return NULL;
}
