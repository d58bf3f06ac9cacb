// SPDX-License-Identifier: Apache-2.0
// Tasks of hands and arms. Models are those of examples/tasks, which the build embeds (CMakeLists.txt).
#include "estimates/hand_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

extern const char cr_hand_planar[], cr_hand_allegro[], cr_hand_cube[], cr_hand_bimanual[];

#define STEPS \
  { .size = sizeof(cr_quasidynamic_options) }
#define PLANAR \
  { .size = sizeof(cr_contact_tree_options), .goal_share = CR_R(0.9) }
#define ARMS                                                                               \
  {                                                                                        \
    .size = sizeof(cr_contact_tree_options), .length = CR_R(0.3), .tolerance = CR_R(0.05), \
    .goal_share = CR_R(0.9)                                                                \
  }
// smoothed energies are those of a cube of 100 g that moves by centimetres
#define PALM \
  { .size = sizeof(cr_quasidynamic_options), .weight = 500, .reach = CR_R(0.025) }
#define CUBE                                                                              \
  {                                                                                       \
    .size = sizeof(cr_contact_tree_options), .length = CR_R(0.1), .tolerance = CR_R(0.1), \
    .stepsize = CR_R(0.4), .goal_share = CR_R(0.9), .grasp_share = CR_R(0.25), .trees = 6 \
  }
#define ALLEGRO(called, text, x, y, z, most, short_seeds, known)                                   \
  {                                                                                                \
    .name = called, .title = text, .file = "allegro_cube.xml", .joint = "cube", .turn = {x, y, z}, \
    .seeds = 10, .nodes = most, .brief_seeds = short_seeds, .steps = PALM, .tree = CUBE,           \
    .least = 8, .published = known                                                                 \
  }

const cr_hand_task cri_hand_tasks[CR_N_HAND_TASK] = {
    {.name = "planar_hand",
     .title = "planar hand, disc by 180 degrees",
     .file = "planar_hand.xml",
     .joint = "ball_turn",
     .turn = {PI},
     .seeds = 10,
     .nodes = 1000,
     .brief_seeds = 10,
     .steps = STEPS,
     .tree = PLANAR,
     .least = 10,
     .published = "1000 nodes, tolerance 0.01"},
    {.name = "bimanual_90",
     .title = "two arms, box by 90 degrees",
     .file = "bimanual.xml",
     .joint = "box_turn",
     .turn = {PI / 2},
     .seeds = 10,
     .nodes = 1000,
     .brief_seeds = 5,
     .steps = STEPS,
     .tree = ARMS,
     .least = 8,
     .published = ""},
    {.name = "bimanual_180",
     .title = "two arms, box by 180 degrees",
     .file = "bimanual.xml",
     .joint = "box_turn",
     .turn = {PI},
     .seeds = 10,
     .nodes = 2000,
     .steps = STEPS,
     .tree = ARMS,
     .least = 8,
     .published = ""},
    ALLEGRO("allegro_30", "Allegro hand, cube by 30 degrees about z", 0, 0, PI / 6, 1000, 2, ""),
    ALLEGRO("allegro_z", "Allegro hand, cube by 90 degrees about z", 0, 0, PI / 2, 2000, 0, ""),
    ALLEGRO("allegro_180", "Allegro hand, cube by 180 degrees about z", 0, 0, PI, 2000, 0,
            "a ball, 1000 nodes, tolerance 0.01"),
    ALLEGRO("allegro_x", "Allegro hand, cube by 90 degrees about x", PI / 2, 0, 0, 2000, 0, ""),
    ALLEGRO("allegro_y", "Allegro hand, cube by 90 degrees about y", 0, PI / 2, 0, 2000, 0, ""),
};

cr_status cri_hand_scenes_write(const cr_notebook* book, cr_error* error) {
  const struct {
    const char *file, *text;
  } all[] = {{"planar_hand.xml", cr_hand_planar},
             {"allegro_hand.xml", cr_hand_allegro},
             {"allegro_cube.xml", cr_hand_cube},
             {"bimanual.xml", cr_hand_bimanual}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char path[CR_MAX_PATH + 64];
    (void)snprintf(path, sizeof path, "%s/%s", book->folder, all[i].file);
    CR_TRY(cri_file_write(path, all[i].text, strlen(all[i].text), error));
  }
  return CR_OK;
}

// a hinge gets the angle, a free joint at unit orientation the rotation
static void set_goal(const cr_hand_task* task, const cr_place_info* place, cr_real* goal) {
  const double* t = task->turn;
  const double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  cr_real* q = goal + place->first;
  if (place->count == 1) {
    q[0] = (cr_real)t[0];
    return;
  }
  q[3] = (cr_real)cos(angle / 2);
  for (int k = 0; k < 3; k++) {
    q[4 + k] = (cr_real)(sin(angle / 2) * t[k] / angle);
  }
}

cr_status cri_hand_scene_open(const cr_notebook* book, const cr_hand_task* task, cr_model** m,
                              cr_real** start, cr_real** goal, cr_error* error) {
  char path[CR_MAX_PATH + 64], name[CR_NUMBER_NAME];
  (void)snprintf(path, sizeof path, "%s/%s", book->folder, task->file);
  CR_TRY(cr_model_open(m, path, error));
  const int nq = cr_model_count(*m, "nq");
  *start = calloc((size_t)nq, sizeof **start);
  *goal = calloc((size_t)nq, sizeof **goal);
  if (*start == NULL || *goal == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "hands: no memory");
  }
  cr_data* d = NULL;
  cr_status status = cr_data_create(&d, *m, error);
  status = status == CR_OK ? cr_data_reset_keyframe(*m, d, 0) : status;
  status = status == CR_OK ? cr_data_get(*m, d, "qpos", *start, nq, error) : status;
  cr_data_destroy(d);
  CR_TRY(status);
  memcpy(*goal, *start, (size_t)nq * sizeof **goal);
  cr_place_info place = {.size = sizeof place};
  (void)snprintf(name, sizeof name, "qpos[%s]", task->joint);
  CR_TRY(cr_model_place(*m, name, &place, error));
  set_goal(task, &place, *goal);
  return CR_OK;
}
