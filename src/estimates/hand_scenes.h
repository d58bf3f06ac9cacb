// SPDX-License-Identifier: Apache-2.0
// Hands and arms of the study of plans through contact: the models of examples/tasks, and where their objects go.
#ifndef CR_ESTIMATES_HAND_SCENES_H
#define CR_ESTIMATES_HAND_SCENES_H

#include "carom/carom.h"
#include "notebook/notebook.h"

enum { CR_N_HAND_TASK = 13, CR_HAND_JOINTS = 3 };

/// A task: an object that the tree of quasi-dynamic steps brings to a goal.
typedef struct {
  const char* name;
  const char* title;
  const char* file;  // of the model in the folder of the study; its first keyframe is the start
  struct {
    const char* joint;  // of the object; NULL: no more
    double to[3];       // of a free joint a rotation vector in the world, rad; of others the first
  } goal[CR_HAND_JOINTS];
  int seeds, nodes;  // nodes at most
  int brief_seeds;   // of --short; 0: left out
  cr_quasidynamic_options steps;
  cr_contact_tree_options tree;
  int least;              // seeds that have to reach the goal, of 10
  const char* published;  // what is known of it
} cr_hand_task;

extern const cr_hand_task cri_hand_tasks[CR_N_HAND_TASK];

/// Writes the models of all tasks to the folder of the study.
/// Errors   CR_ERR_FILE
cr_status cri_hand_scenes_write(const cr_notebook* book, cr_error* error);

/// Opens the model of a task, with its start and its goal: qpos[nq] each. Owner: the caller, cr_model_destroy; the arrays are the caller's.
/// Errors   those of cr_model_open; CR_ERR_MEMORY
cr_status cri_hand_scene_open(const cr_notebook* book, const cr_hand_task* task, cr_model** m,
                              cr_real** start, cr_real** goal, cr_error* error);

#endif
