// SPDX-License-Identifier: Apache-2.0
// The tossed cube.
#include "study/cube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/status.h"
#include "carom/state.h"
#include "fit/throw.h"
#include "study/scenes.h"

enum { NQ = 7, NV = 6, WIDTH = NQ + NV };  // of a body and a recorded row
enum { TRAIN = 40, TRAIN_BRIEF = 12, OTHERS = 200 };

// ---- the unknowns, their starts and bounds

// below two time steps refsafe holds the time constant, and no gradient would lead out of there
const cr_cube_unknown cri_cube_unknowns[CR_CUBE_N] = {
    {"side", "cube", 0.1048, 0.06, 0.14, 0.03, 0.3},
    {"mass", "body_mass[cube]", 0.37, 0.1, 1, 0.05, 5},
    {"timeconst", "geom_solref[cube][0]", 0.02, 0.0137, 0.05, 0.0136, 0.2},
    {"dampratio", "geom_solref[cube][1]", 1, 0.3, 2, 0.1, 5},
    {"dmin", "geom_solimp[cube][0]", 0.05, 0.02, 0.8, 0.01, 0.99},
    {"dmax", "geom_solimp[cube][1]", 0.95, 0.8, 0.99, 0.3, 0.999},
    {"width", "geom_solimp[cube][2]", 0.01, 0.002, 0.03, 0.0005, 0.1},
    {"midpoint", "geom_solimp[cube][3]", 0.5, 0.2, 0.8, 0.1, 0.9},
    {"power", "geom_solimp[cube][4]", 2, 1.5, 4, 1, 6},
    {"friction", "geom_friction[cube][0]", 0.4, 0.05, 1, 0.02, 2},
};

static void fill_items(cr_cube* cube) {
  for (int i = 0; i < CR_CUBE_N; i++) {
    const cr_cube_unknown* u = &cri_cube_unknowns[i];
    cube->items[i] = (cr_parameter_info){.size = sizeof cube->items[i],
                                         .name = u->name,
                                         .target = u->field,
                                         .kind = i == CR_CUBE_SIDE ? CR_FIT_BOX_SIDE : CR_FIT_FIELD,
                                         .transform = CR_TRANSFORM_LOG,
                                         .start = (cr_real)u->tuned,
                                         .lower = (cr_real)u->least,
                                         .upper = (cr_real)u->most};
  }
}

void cri_cube_start(int start, cr_real p[CR_CUBE_N]) {
  static const cr_real published_sides[] = {0, CR_R(0.06), CR_R(0.14)};
  cr_random random = cr_random_seed(1, (uint64_t)start);
  for (int i = 0; i < CR_CUBE_N; i++) {
    const cr_cube_unknown* u = &cri_cube_unknowns[i];
    double drawn = (double)cr_random_range(&random, (cr_real)log(u->low), (cr_real)log(u->high));
    p[i] = (cr_real)(start == 0 ? u->tuned : exp(drawn));
  }
  if (start == 1 || start == 2) {
    p[CR_CUBE_SIDE] = published_sides[start];
  }
}

static cr_status bind(const cr_cube* cube, const cr_real* p, cr_parameters** parameters,
                      cr_error* error) {
  cr_parameter_info items[CR_CUBE_N];
  const cr_parameter_info* list[CR_CUBE_N];
  for (int i = 0; i < CR_CUBE_N; i++) {
    items[i] = cube->items[i];
    items[i].start = cr_clip(p[i], items[i].lower, items[i].upper);
    list[i] = &items[i];
  }
  return cr_parameters_create(parameters, cube->m, list, CR_CUBE_N, error);
}

cr_status cri_cube_model(const cr_cube* cube, const cr_real* p, cr_model** m, cr_error* error) {
  cr_parameters* parameters;
  *m = NULL;
  CR_TRY(bind(cube, p, &parameters, error));
  cr_status status = cr_model_copy(m, cr_parameters_model(parameters), error);
  cr_parameters_destroy(parameters);
  return status;
}

// ---- tosses: recorded, or made with a known truth

const cr_real cri_cube_truth[CR_CUBE_N] = {CR_R(0.1), CR_R(0.37), CR_R(0.025), CR_R(0.8),
                                           CR_R(0.1), CR_R(0.95), CR_R(0.01),  CR_R(0.5),
                                           2,         CR_R(0.3)};

typedef cr_status cube_change(cr_model* m, cr_error* error);

static cr_status throw_changed(cr_cube* cube, const cr_throw* options, cube_change* change,
                               const cr_model* truth, cr_error* error) {
  cr_model* m = NULL;
  if (change == NULL) {
    return cri_throw(options, truth, cube->tosses, error);
  }
  cr_status status = cr_model_copy(&m, truth, error);
  status = status == CR_OK ? change(m, error) : status;
  status = status == CR_OK ? cri_throw(options, m, cube->tosses, error) : status;
  cr_model_destroy(m);
  return status;
}

static cr_status throw_tosses(cr_cube* cube, const cr_notebook* book, cube_change* change,
                              cr_error* error) {
  cr_parameters* parameters;
  int most = book->request.brief ? 24 : 80;
  const cr_throw options = {.tosses = change != NULL ? 2 * most + 12 : most,
                            .rows = 100,
                            // a change has to stand out
                            .position_noise = change != NULL ? CR_R(0.0001) : CR_R(0.0005),
                            .rotation_noise = change != NULL ? CR_R(0.0005) : CR_R(0.002),
                            .seed = 1};
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, book->folder, "tosses.h5", error));
  CR_TRY(cr_recordings_create(&cube->tosses, cube->m, cr_model_timestep(cube->m), error));
  CR_TRY(bind(cube, cri_cube_truth, &parameters, error));
  cr_status status = throw_changed(cube, &options, change, cr_parameters_model(parameters), error);
  cr_parameters_destroy(parameters);
  return status == CR_OK
             ? cr_recordings_write(cube->tosses, path, "tosses made by carom study", error)
             : status;
}

static cr_status load_tosses(cr_cube* cube, const cr_notebook* book, cube_change* change,
                             cr_error* error) {
  const char* data = book->request.data;
  CR_TRY(data != NULL ? cr_recordings_read(&cube->tosses, cube->m, data, error)
                      : throw_tosses(cube, book, change, error));
  CR_TRY(cr_model_set_option(cube->m, "timestep", cr_recordings_interval(cube->tosses), error));
  int n = cr_recordings_count(cube->tosses), most = book->request.brief ? TRAIN_BRIEF : TRAIN;
  if (n < 2) {
    return cri_fail(error, CR_ERR_ARG,
                    "%s: at least two tosses are needed, one to fit and one to test", data);
  }
  cube->ntrain = n / 2 < most ? n / 2 : most;
  cube->nother = n - cube->ntrain < OTHERS ? n - cube->ntrain : OTHERS;
  return CR_OK;
}

// ---- the score

static cr_real quaternion_error(const cr_real* q, const cr_real* seen) {
  cr_real same = 0, opposite = 0;
  for (int i = 0; i < 4; i++) {
    same += cr_abs(q[i] - seen[i]);
    opposite += cr_abs(q[i] + seen[i]);
  }
  return cr_min(same, opposite);
}

static cr_real row_error(const cr_real* qpos, const cr_real* qvel, const cr_real* seen) {
  cr_real sum = quaternion_error(qpos + 3, seen + 3);
  for (int i = 0; i < 3; i++) {
    sum += cr_abs(qpos[i] - seen[i]);
  }
  for (int i = 0; i < 6; i++) {
    sum += cr_abs(qvel[i] - seen[NQ + i]);
  }
  return sum / WIDTH;
}

static cr_recording_info toss_of(const cr_cube* cube, int i) {
  cr_recording_info toss = {.size = sizeof toss};
  (void)cr_recordings_get(cube->tosses, i, &toss, NULL);
  return toss;
}

static cr_status run_toss(const cr_recording_info* toss, const cr_model* m, cr_rollout* r,
                          cr_real* sum, cr_error* error) {
  cr_data* d = cr_rollout_data(r);
  CR_TRY(cr_data_reset(m, d));
  cr_copy(cr_data_view(m, d, "qpos", NULL, NULL), toss->values, NQ);
  cr_copy(cr_data_view(m, d, "qvel", NULL, NULL), toss->values + NQ, NV);
  CR_TRY(cr_rollout_run(r, m, toss->rows - 1, NULL, error));
  for (int k = 1; k < toss->rows; k++) {
    cr_real qpos[NQ], qvel[NV];
    CR_TRY(cr_rollout_get_states(r, m, k, 1, NULL, qpos, qvel, NULL, error));
    *sum += row_error(qpos, qvel, toss->values + (size_t)WIDTH * (size_t)k);
  }
  return CR_OK;
}

static cr_status run_tosses(const cr_cube* cube, const cr_model* m, cr_rollout* r, cr_real* score,
                            cr_error* error) {
  cr_real sum = 0;
  int rows = 0;
  for (int i = 0; i < cube->ntrain; i++) {
    const cr_recording_info toss = toss_of(cube, i);
    CR_TRY(run_toss(&toss, m, r, &sum, error));
    rows += toss.rows - 1;
  }
  *score = sum / (cr_real)rows;
  return CR_OK;
}

cr_status cri_cube_score_quaternions(const cr_cube* cube, const cr_real* p, cr_real* score,
                                     cr_error* error) {
  cr_parameters* parameters;
  cr_rollout* r = NULL;
  int longest = 1;
  for (int i = 0; i < cube->ntrain; i++) {
    int rows = toss_of(cube, i).rows;
    longest = rows - 1 > longest ? rows - 1 : longest;
  }
  CR_TRY(bind(cube, p, &parameters, error));
  const cr_model* m = cr_parameters_model(parameters);
  cr_status status = cr_rollout_create(&r, m, longest, NULL, 0, error);
  status = status == CR_OK ? run_tosses(cube, m, r, score, error) : status;
  cr_rollout_destroy(r);
  cr_parameters_destroy(parameters);
  return status;
}

// ---- opening

cr_status cri_cube_open(cr_cube* cube, const cr_notebook* book, cube_change* change,
                        cr_error* error) {
  *cube = (cr_cube){.made = book->request.data == NULL};
  CR_TRY(cri_scene_open(book, "cube", cri_scene_cube, &cube->m, error));
  CR_TRY(cr_model_set_option(cube->m, "cfd_dc", 0, error));
  CR_TRY(cr_model_set_option(cube->m, "cfd_d0", CR_R(0.05), error));
  CR_TRY(cr_model_set_option(cube->m, "cfd_mc", CR_R(0.001), error));
  CR_TRY(cr_model_set_option(cube->m, "cfd_pc", 12, error));
  fill_items(cube);
  return load_tosses(cube, book, change, error);
}

void cri_cube_free(cr_cube* cube) {
  cr_recordings_destroy(cube->tosses);
  cr_model_destroy(cube->m);
}
