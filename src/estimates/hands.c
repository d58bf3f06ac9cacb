// SPDX-License-Identifier: Apache-2.0
// Plans through contact by the tree of quasi-dynamic steps (Pang, Suh, Yang, Tedrake 2023): a planar hand, a hand with four fingers, two arms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "carom/view.h"
#include "estimates/estimate_studies.h"
#include "estimates/hand_scenes.h"
#include "notebook/sweep.h"
#include "tools/clock.h"
#include "tools/hdf5.h"
#include "tools/plot.h"

enum { MOST_SEEDS = 10 };
enum { TASK, SEED, REACHED, DISTANCE, NODES, POSES, GRASPS, SECONDS };

static const char csv[] = "hands.csv";
static const char header[] = "task,seed,reached,distance,nodes,poses,grasps,seconds";

typedef struct {
  cr_notebook* book;
  int rows, task[CR_N_HAND_TASK * MOST_SEEDS], seed[CR_N_HAND_TASK * MOST_SEEDS];
} hands;

static int seeds_of(const hands* h, int task) {
  return h->book->request.brief ? cri_hand_tasks[task].brief_seeds : cri_hand_tasks[task].seeds;
}

// ---- one plan

static void measure(const cr_hand_task* task, const cr_contact_plan* plan, double seconds,
                    cr_real* row) {
  const double tolerance = task->tree.tolerance > 0 ? (double)task->tree.tolerance : 0.01;
  bool grasp;
  row[DISTANCE] = cr_contact_plan_distance(plan);
  row[REACHED] = (double)row[DISTANCE] <= tolerance;
  row[NODES] = (cr_real)cr_contact_plan_nodes(plan);
  row[POSES] = (cr_real)cr_contact_plan_poses(plan);
  row[GRASPS] = 0;
  for (int i = 0; cr_contact_plan_get(plan, i, NULL, NULL, &grasp); i++) {
    row[GRASPS] += grasp;
  }
  row[SECONDS] = (cr_real)seconds;
}

// the poses of a plan, 0.1 s apart, as a recording
static cr_status write_poses(const cr_model* m, const cr_contact_plan* plan, const char* path,
                             cr_error* error) {
  const int n = cr_contact_plan_poses(plan), nq = cr_model_count(m, "nq");
  cr_real* q = calloc((size_t)nq, sizeof *q);
  double* numbers = calloc((size_t)n * ((size_t)nq + 1), sizeof *numbers);
  if (q == NULL || numbers == NULL) {
    free(q);
    free(numbers);
    return cri_fail(error, CR_ERR_MEMORY, "hands: no memory");
  }
  double* poses = numbers + n;
  for (int i = 0; i < n; i++) {
    numbers[i] = 0.1 * i;
    (void)cr_contact_plan_get(plan, i, q, NULL, NULL);
    for (int k = 0; k < nq; k++) {
      poses[(ptrdiff_t)i * nq + k] = (double)q[k];
    }
  }
  cr_h5* file;
  cr_status status = cri_h5_create(&file, path, error);
  if (status == CR_OK) {
    status = cri_h5_write(file, "time", numbers, n, 0, error);
    status = status == CR_OK ? cri_h5_write(file, "qpos", poses, n, nq, error) : status;
    status = status == CR_OK ? cri_h5_save(file, error) : status;
    cri_h5_close(file);
  }
  free(q);
  free(numbers);
  return status;
}

static cr_status show(const hands* h, const cr_hand_task* task, const cr_model* m,
                      const cr_contact_plan* plan, cr_error* error) {
  char recording[CR_MAX_PATH + 64], page[CR_MAX_PATH + 64];
  const cr_view_options options = {.size = sizeof options, .title = task->title};
  cr_view* view = NULL;
  (void)snprintf(recording, sizeof recording, "%s/hands_%s.h5", h->book->folder, task->name);
  (void)snprintf(page, sizeof page, "%s/hands_%s.html", h->book->folder, task->name);
  CR_TRY(write_poses(m, plan, recording, error));
  cr_status status = cr_view_create(&view, m, &options, error);
  status = status == CR_OK ? cr_view_read(view, recording, "plan", 0, error) : status;
  status = status == CR_OK ? cr_view_save(view, page, error) : status;
  cr_view_destroy(view);
  return status;
}

static cr_status plan_one(const hands* h, const cr_hand_task* task, int seed, const cr_model* m,
                          const cr_real* start, const cr_real* goal, cr_real* row,
                          cr_error* error) {
  cr_contact_tree_options options = task->tree;
  cr_contact_plan* plan = NULL;
  options.nodes = task->nodes;
  options.seed = (uint64_t)seed;
  const double begin = cri_seconds();
  CR_TRY(cr_contact_tree_grow(&plan, m, &task->steps, start, goal, &options, error));
  measure(task, plan, cri_seconds() - begin, row);
  const cr_status status = seed == 1 ? show(h, task, m, plan, error) : CR_OK;
  cr_contact_plan_destroy(plan);
  return status;
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const hands* h = context;
  const cr_hand_task* task = &cri_hand_tasks[h->task[i]];
  cr_model* m = NULL;
  cr_real *start = NULL, *goal = NULL;
  row[TASK] = (cr_real)h->task[i];
  row[SEED] = (cr_real)h->seed[i];
  cr_status status = cri_hand_scene_open(h->book, task, &m, &start, &goal, error);
  status = status == CR_OK ? plan_one(h, task, h->seed[i], m, start, goal, row, error) : status;
  free(start);
  free(goal);
  cr_model_destroy(m);
  return status;
}

// ---- claims

static void conclude(cr_notebook* book, const hands* h, cr_table* t) {
  cri_say(book,
          "Plans of the tree of quasi-dynamic steps. Seconds are those of a clock, a plan on one "
          "thread.\n\n"
          "                                              seeds  reached  nodes (most)  seconds "
          "(most)\n");
  for (int k = 0; k < CR_N_HAND_TASK; k++) {
    double n = 0, reached = 0, nodes = 0, most_nodes = 0, seconds = 0, most_seconds = 0;
    for (int i = 0; i < h->rows; i++) {
      const cr_real* row = cri_table_row(t, i);
      const double counts = h->task[i] == k;
      n += counts;
      reached += counts * (double)row[REACHED];
      nodes += counts * (double)row[NODES];
      seconds += counts * (double)row[SECONDS];
      most_nodes = fmax(most_nodes, counts * (double)row[NODES]);
      most_seconds = fmax(most_seconds, counts * (double)row[SECONDS]);
    }
    if (n == 0) {
      continue;
    }
    const cr_hand_task* task = &cri_hand_tasks[k];
    cri_say(book, "  %-44s %-6.0f %-8.0f %-5.0f (%.0f)  %-6.2f (%.2f)\n", task->title, n, reached,
            nodes / n, most_nodes, seconds / n, most_seconds);
    cri_claim(book, reached / n, task->least / 10.0, 1, task->published, "%s: share of seeds",
              task->title);
  }
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  const double nan = (double)NAN;
  const cr_curve curves[] = {{csv, "task", "nodes", "plans", CR_CURVE_POINTS, NULL, 0}};
  const cr_chart charts[] = {{"task", "nodes", false, true, nan, nan, curves, 1}};
  return cri_charts(book->folder, "hands", "Nodes of trees until the goal", charts, 1, 1, error);
}

cr_status cri_study_hands(cr_notebook* book, cr_error* error) {
  hands h = {.book = book};
  cr_table table = {0};
  for (int k = 0; k < CR_N_HAND_TASK; k++) {
    for (int s = 1; s <= seeds_of(&h, k); s++, h.rows++) {
      h.task[h.rows] = k;
      h.seed[h.rows] = s;
    }
  }
  cr_status status = cri_hand_scenes_write(book, error);
  status = status == CR_OK ? cri_table_create(&table, csv, header, NULL, h.rows, error) : status;
  status = status == CR_OK ? cri_sweep(book, &table, 4, work, &h, error) : status;
  status = status == CR_OK ? cri_table_save(&table, book->folder, error) : status;
  if (status == CR_OK) {
    conclude(book, &h, &table);
    status = draw(book, error);
  }
  cri_table_free(&table);
  return status;
}
