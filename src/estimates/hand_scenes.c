// SPDX-License-Identifier: Apache-2.0
// Tasks of hands and arms. Models are those of examples/tasks, which the build embeds (CMakeLists.txt).
#include "estimates/hand_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

extern const char cr_hand_planar[], cr_hand_allegro[], cr_hand_cube[], cr_hand_ball[],
    cr_hand_bimanual[], cr_box_push[], cr_box_pivot[];

#define STEPS \
  { .size = sizeof(cr_quasidynamic_options) }
#define PLANAR \
  { .size = sizeof(cr_contact_tree_options), .goal_share = CR_R(0.9) }
#define BOX \
  { .size = sizeof(cr_contact_tree_options), .tolerance = CR_R(0.02), .goal_share = CR_R(0.9) }
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
#define ALLEGRO(called, text, object, x, y, z, most, short_seeds, known)                         \
  {                                                                                              \
    .name = "allegro_" called, .title = "Allegro hand, " object " " text,                        \
    .file = "allegro_" object ".xml", .goal = {{object, {x, y, z}}}, .seeds = 10, .nodes = most, \
    .brief_seeds = short_seeds, .steps = PALM, .tree = CUBE, .least = 8, .published = known      \
  }

// goals are the last arguments
#define TASK(called, text, model, most, short_seeds, how, enough, known, ...)                \
  {                                                                                          \
    .name = called, .title = text, .file = model, .goal = {__VA_ARGS__}, .seeds = 10,        \
    .nodes = most, .brief_seeds = short_seeds, .steps = STEPS, .tree = how, .least = enough, \
    .published = known                                                                       \
  }

const cr_hand_task cri_hand_tasks[CR_N_HAND_TASK] = {
    TASK("planar_hand", "planar hand, disc by 180 degrees", "planar_hand.xml", 1000, 10, PLANAR, 10,
         "1000 nodes, tolerance 0.01", {"ball_turn", {PI}}),
    TASK("bimanual_90", "two arms, box by 90 degrees", "bimanual.xml", 1000, 5, ARMS, 8, "",
         {"box_turn", {PI / 2}}),
    TASK("bimanual_180", "two arms, box by 180 degrees", "bimanual.xml", 2000, 0, ARMS, 8, "",
         {"box_turn", {PI}}),
    TASK("box_push", "box, pushed by 0.5 m and 45 degrees", "box_push.xml", 1000, 5, BOX, 8, "",
         {"box_y", {0.5}}, {"box_z", {1}}, {"box_turn", {-PI / 4}}),
    TASK("box_pivot", "box, tipped by 90 degrees", "box_pivot.xml", 1000, 5, BOX, 8, "",
         {"box_y", {1}}, {"box_z", {0.5}}, {"box_turn", {-PI / 2}}),
    ALLEGRO("30", "by 30 degrees about z", "cube", 0, 0, PI / 6, 1000, 2, ""),
    ALLEGRO("z", "by 90 degrees about z", "cube", 0, 0, PI / 2, 2000, 0, ""),
    ALLEGRO("180", "by 180 degrees about z", "cube", 0, 0, PI, 2000, 0, ""),
    ALLEGRO("x", "by 90 degrees about x", "cube", PI / 2, 0, 0, 2000, 0, ""),
    ALLEGRO("y", "by 90 degrees about y", "cube", 0, PI / 2, 0, 2000, 0, ""),
    ALLEGRO("ball_180", "by 180 degrees about z", "ball", 0, 0, PI, 2000, 0,
            "1000 nodes, tolerance 0.01"),
    ALLEGRO("ball_x", "by 90 degrees about x", "ball", PI / 2, 0, 0, 2000, 0, ""),
    ALLEGRO("ball_y", "by 90 degrees about y", "ball", 0, PI / 2, 0, 2000, 0, ""),
};

cr_status cri_hand_scenes_write(const cr_notebook* book, cr_error* error) {
  const struct {
    const char *file, *text;
  } all[] = {{"planar_hand.xml", cr_hand_planar}, {"allegro_hand.xml", cr_hand_allegro},
             {"allegro_cube.xml", cr_hand_cube},  {"allegro_ball.xml", cr_hand_ball},
             {"bimanual.xml", cr_hand_bimanual},  {"box_push.xml", cr_box_push},
             {"box_pivot.xml", cr_box_pivot}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char path[CR_MAX_PATH + 64];
    (void)snprintf(path, sizeof path, "%s/%s", book->folder, all[i].file);
    CR_TRY(cri_file_write(path, all[i].text, strlen(all[i].text), error));
  }
  return CR_OK;
}

// a slide or hinge gets the number, a free joint at unit orientation the rotation
static cr_status set_goal(const cr_model* m, const char* joint, const double* to, cr_real* goal,
                          cr_error* error) {
  char name[CR_NUMBER_NAME];
  cr_place_info place = {.size = sizeof place};
  (void)snprintf(name, sizeof name, "qpos[%s]", joint);
  CR_TRY(cr_model_place(m, name, &place, error));
  cr_real* q = goal + place.first;
  if (place.count == 1) {
    q[0] = (cr_real)to[0];
    return CR_OK;
  }
  const double angle = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
  q[3] = (cr_real)cos(angle / 2);
  for (int k = 0; k < 3; k++) {
    q[4 + k] = (cr_real)(sin(angle / 2) * to[k] / angle);
  }
  return CR_OK;
}

cr_status cri_hand_scene_open(const cr_notebook* book, const cr_hand_task* task, cr_model** m,
                              cr_real** start, cr_real** goal, cr_error* error) {
  char path[CR_MAX_PATH + 64];
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
  for (int k = 0; k < CR_HAND_JOINTS && task->goal[k].joint != NULL; k++) {
    CR_TRY(set_goal(*m, task->goal[k].joint, task->goal[k].to, *goal, error));
  }
  return CR_OK;
}
