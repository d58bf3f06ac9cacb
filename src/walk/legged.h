// SPDX-License-Identifier: Apache-2.0
// A four-legged robot as what walks sees it: found in a model.
#ifndef CR_WALK_LEGGED_H
#define CR_WALK_LEGGED_H

#include "carom/carom.h"
#include "walk/gait.h"
#include "walk/leg.h"

enum { CR_LEGGED_JOINTS = CR_LEGS * CR_LEG_JOINTS };

typedef struct {
  const cr_model* m;          // borrowed
  int trunk, base_q, base_v;  // its body; places of its joint in qpos and qvel
  cr_leg leg[CR_LEGS];
  int toe[CR_LEGS];  // geoms
  int qpos[CR_LEGGED_JOINTS], dof[CR_LEGGED_JOINTS],
      motor[CR_LEGGED_JOINTS];  // of each leg's joints from the hip on
  double radius;                // of a toe, m
  double mass, gravity;         // kg, m/s^2
  double middle[3],
      inertia[9];          // standing: centre of mass and inertia about it, in the trunk's frame
  double height;           // standing: of the centre of mass above the ground, m
  double hip[CR_LEGS][3];  // standing: centres of the toes, in the trunk's frame
  double stand[CR_LEGGED_JOINTS];  // angles
} cr_legged;

/// Finds trunk, legs and toes. The model has one free joint. On its body hang four chains of three hinges, each with a motor, and at the end
/// of each a sphere that touches the ground. x is ahead, y left. The robot stands with its feet below the hips.
/// height   of the centre of mass above the ground, m
/// Errors   CR_ERR_MODEL naming what is not as it should be; CR_ERR_ARG for a height that legs cannot reach
cr_status cri_legged_find(cr_legged* robot, const cr_model* m, double height, cr_error* error);

/// Puts the standing robot into the data block, at rest, its centre of mass above the origin.
/// Errors   those of cr_data_reset
cr_status cri_legged_stand(const cr_legged* robot, cr_data* d, cr_error* error);

#endif
