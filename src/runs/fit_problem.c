// SPDX-License-Identifier: Apache-2.0
// Loading of a fit.
#include "runs/fit_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "base/random.h"
#include "base/status.h"
#include "carom/state.h"
#include "fit/throw.h"
#include "task/plan_task.h"

enum { STREAM_TRUTH = 1 };  // of the seed

// ---- configuration and model

// fit_<name of the configuration>, in the working folder
static void default_folder(char folder[CR_MAX_PATH], const char* config_path) {
  const char* slash = strrchr(config_path, '/');
  const char* name = slash != NULL ? slash + 1 : config_path;
  (void)snprintf(folder, CR_MAX_PATH, "fit_%.*s", (int)strcspn(name, "."), name);
}

static cr_status read_config(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  CR_TRY(cr_fit_config_read(&p->config, r->config_path, r->set, r->nset, error));
  p->config.top.seed = r->seed >= 0 ? r->seed : p->config.top.seed;
  const char* folder = r->folder != NULL ? r->folder : p->config.top.output;
  if (folder[0] == 0) {
    default_folder(p->folder, r->config_path);
  } else {
    CR_TRY(cri_path_join(p->folder, "", folder, error));
  }

  // data: the command line's as seen from here, the configuration's as seen from there
  char base[CR_MAX_PATH];
  CR_TRY(cri_path_folder(base, r->config_path, error));
  if (r->data_path != NULL) {
    return cri_path_join(p->data_path, "", r->data_path, error);
  }
  if (p->config.data.file[0] != 0) {
    return cri_path_join(p->data_path, base, p->config.data.file, error);
  }
  p->made = true;
  return cri_path_join(p->data_path, p->folder, "tosses.h5", error);
}

// options of contacts from distance, in the order of the section cfd
enum { N_CFD = 6 };
static const char* const cfd_options[N_CFD] = {"cfd_dc", "cfd_d0", "cfd_wc",
                                               "cfd_mc", "cfd_pc", "cfd_scale"};

// --cfd goes before the configuration
static cr_status take_cfd(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  cr_model* variant;
  CR_TRY(cr_method_backward(&r->method, p->m, &variant, error));
  p->cfd = p->config.cfd.use || variant != NULL;
  for (int i = 0; i < N_CFD && variant != NULL; i++) {
    cr_real value = 0;
    (void)cr_model_get_option(variant, cfd_options[i], &value, NULL);
    (void)cr_model_set_option(p->m, cfd_options[i], value, NULL);
  }
  cr_model_destroy(variant);
  return cr_model_set_choice(p->m, "cfd", "off", error);
}

static cr_status open_model(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  char base[CR_MAX_PATH], path[CR_MAX_PATH];
  CR_TRY(cri_path_folder(base, r->config_path, error));
  CR_TRY(cri_path_join(path, base, p->config.top.model, error));
  CR_TRY(cr_load_report_create(&p->report, error));
  CR_TRY(cr_model_open_report(&p->m, path, NULL, p->report, error));
  const cr_fit_cfd* cfd = &p->config.cfd;
  const double values[N_CFD] = {cfd->dc, cfd->d0, cfd->wc, cfd->mc, cfd->pc, cfd->scale};
  for (int i = 0; i < N_CFD; i++) {
    CR_TRY(cr_model_set_option(p->m, cfd_options[i], (cr_real)values[i], error));
  }
  CR_TRY(cr_method_apply(&r->method, p->m, error));
  return take_cfd(p, r, error);
}

static cr_status bind_parameters(cr_fit_problem* p, cr_error* error) {
  const cr_parameter_info* list[CR_MAX_PARAMETERS];
  cr_parameter_info* items = calloc((size_t)p->config.nparameter + 1, sizeof *items);
  if (items == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "parameters: no memory");
  }
  cr_fit_config_parameters(&p->config, items);
  for (int i = 0; i < p->config.nparameter; i++) {
    list[i] = &items[i];
  }
  cr_status status = cr_parameters_create(&p->parameters, p->m, list, p->config.nparameter, error);
  free(items);
  return status;
}

// ---- steps: from one row of the recording, dt, to the next

static cr_status take_steps(cr_fit_problem* p, const cr_method_options* o, cr_real dt,
                            cr_error* error) {
  bool adaptive = cr_method_is_adaptive(o);
  double step = adaptive && o->grid > 0            ? o->grid
                : !adaptive && !isnan(o->timestep) ? o->timestep
                                                   : (double)dt;
  double every = floor((double)dt / step + 0.5);
  if (!(every >= 1 && every <= 1e6) || fabs((double)dt / step - every) > 1e-6 * every) {
    return cri_fail(error, CR_ERR_ARG,
                    "--%s %.9g: rows of the tosses are %.9g s apart, no multiple",
                    adaptive ? "grid" : "timestep", step, (double)dt);
  }
  p->every = (int)every;
  p->adjoint = cr_method_adjoint(o);
  if (adaptive) {
    p->adaptive = cr_method_tolerances(o, (double)dt / every);
    return CR_OK;
  }
  return cr_model_set_option(p->m, "timestep", dt / (cr_real)every, error);
}

// ---- tosses

static cr_status draw_truth(cr_fit_problem* p, cr_error* error) {
  cr_random random = cr_random_seed((uint64_t)p->config.top.seed, STREAM_TRUTH);
  for (int i = 0; i < p->config.nparameter; i++) {
    const cr_fit_parameter* item = &p->config.parameters[i];
    if (!(item->draw_low <= item->draw_high)) {
      return cri_fail(error, CR_ERR_FORMAT,
                      "parameters.%s: without recorded tosses draw_low <= draw_high are needed, "
                      "between which the truth of made ones is drawn",
                      item->name);
    }
    p->truth[i] = cr_random_range(&random, item->draw_low, item->draw_high);
  }
  return CR_OK;
}

// an earlier fit's results are not for this one to lose
static cr_status check_folder(const cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  static const char* const names[] = {"result.json", "checkpoint.txt"};
  for (int i = 0; i < 2 && !r->resume && !r->force; i++) {
    char path[CR_MAX_PATH];
    CR_TRY(cri_path_join(path, p->folder, names[i], error));
    if (access(path, F_OK) == 0) {
      return cri_fail(error, CR_ERR_ARG,
                      "%s: holds %s of an earlier fit; --force overwrites it, --resume goes on",
                      p->folder, names[i]);
    }
  }
  return CR_OK;
}

// the folder, made where it is missing, is this run's until it ends
static cr_status claim_folder(cr_fit_problem* p, cr_error* error) {
  CR_TRY(cri_folder_make(p->folder, error));
  if (!p->claimed) {
    CR_TRY(cri_folder_claim(p->folder, &p->claim, error));
    p->claimed = true;
  }
  return CR_OK;
}

// a variant of the model with the truth
static cr_status throw_tosses(cr_fit_problem* p, cr_recordings* made, cr_error* error) {
  const cr_fit_made* o = &p->config.made;
  const cr_throw options = {.tosses = o->tosses,
                            .rows = o->rows,
                            .position_noise = o->position_noise,
                            .rotation_noise = o->rotation_noise,
                            .seed = (uint64_t)p->config.top.seed,
                            .adaptive = p->adaptive.atol > 0 ? &p->adaptive : NULL};
  CR_TRY(cr_parameters_set_values(p->parameters, p->truth, error));
  CR_TRY(cri_throw(&options, cr_parameters_model(p->parameters), made, error));
  CR_TRY(claim_folder(p, error));
  return cr_recordings_write(made, p->data_path, "tosses made by carom fit", error);
}

static cr_status make_tosses(cr_fit_problem* p, cr_error* error) {
  cr_recordings* made = NULL;
  CR_TRY(draw_truth(p, error));
  CR_TRY(cr_recordings_create(&made, p->m, cr_model_timestep(p->m), error));
  cr_status status = throw_tosses(p, made, error);
  cr_recordings_destroy(made);
  return status;
}

// velocities against positions and orientations
static cr_status check_agreement(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  char text[256];
  CR_TRY(cr_recordings_doubt(p->tosses, text, (int)sizeof text, error));
  if (text[0] == 0) {
    return CR_OK;
  }
  if (r->as_recorded) {
    (void)snprintf(p->warning, sizeof p->warning, "%s: %s", p->data_path, text);
    return CR_OK;
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: %s (--as-recorded takes the data as they are)",
                  p->data_path, text);
}

static cr_status load_tosses(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  if (p->made) {
    CR_TRY(take_steps(p, &r->method, cr_model_timestep(p->m), error));
    CR_TRY(bind_parameters(p, error));
    CR_TRY(make_tosses(p, error));
    return cr_recordings_read(&p->tosses, p->m, p->data_path, error);
  }
  CR_TRY(cr_recordings_read(&p->tosses, p->m, p->data_path, error));
  CR_TRY(check_agreement(p, r, error));
  CR_TRY(take_steps(p, &r->method, cr_recordings_interval(p->tosses), error));
  return bind_parameters(p, error);
}

// ---- a cost beside the errors

static cr_loss cost_loss(void* context, int worker, int nstep, cr_real interval) {
  const cr_fit_problem* p = context;
  return cr_cost_loss(p->costs[worker], nstep, interval);
}

static cr_status make_costs(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  char base[CR_MAX_PATH], path[CR_MAX_PATH];
  if (p->config.top.cost[0] == 0) {
    return CR_OK;
  }
  CR_TRY(cri_path_folder(base, r->config_path, error));
  CR_TRY(cri_path_join(path, base, p->config.top.cost, error));
  CR_TRY(cri_file_fingerprint(&p->fingerprint, path, error));
  p->ncost = cr_fit_threads(p->fit);
  p->costs = calloc((size_t)p->ncost + 1, sizeof *p->costs);
  if (p->costs == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  for (int i = 0; i < p->ncost; i++) {
    CR_TRY(cr_plan_task_cost(&p->costs[i], p->m, path, error));
  }
  return CR_OK;
}

// ---- the problem

static cr_status make_problem(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  const cr_fit_config* c = &p->config;
  size_t memory;
  CR_TRY(cr_method_memory(&r->method, &memory, error));
  const cr_fit_options options = {
      .size = sizeof options,
      .steps = c->data.steps,
      .stride = c->data.stride,
      .held_out = c->data.held_out,
      .seed = c->top.seed,
      .position = c->loss.position,
      .rotation = c->loss.rotation,
      .velocity = c->loss.velocity,
      .spin = c->loss.spin,
      .norm = (cr_norm)c->loss.norm,
      .p = (cr_real)c->loss.p,
      .q = (cr_real)c->loss.q,
      .more = {p, c->top.cost[0] != 0 ? cost_loss : NULL},
      .adaptive = p->adaptive.atol > 0 ? &p->adaptive : NULL,
      .adjoint = p->adjoint.rtol > 0 ? &p->adjoint : NULL,
      .memory = memory,
      .cfd = p->cfd,
      .nthread = r->threads,
      .stop = r->stop,
  };
  p->train.size = sizeof p->train;
  p->held.size = sizeof p->held;
  CR_TRY(cr_fit_create(&p->fit, p->parameters, p->tosses, &options, error));
  CR_TRY(make_costs(p, r, error));
  CR_TRY(cr_fit_get_info(p->fit, CR_FIT_TRAIN, &p->train, error));
  return cr_fit_get_info(p->fit, CR_FIT_HELD, &p->held, error);
}

static uint64_t add_method(uint64_t hash, const cr_fit_problem* p) {
  const cr_adaptive* a = &p->adaptive;
  const int32_t counts[] = {p->every,
                            p->cfd,
                            a->events,
                            a->max_steps,
                            a->linear,
                            a->quaternions,
                            (int32_t)p->adjoint.states};
  const cr_real numbers[] = {a->rtol, a->atol,         a->first_step,  a->largest_step,
                             a->grid, p->adjoint.rtol, p->adjoint.atol};
  hash = cri_fingerprint(hash, counts, sizeof counts);
  return cri_fingerprint(hash, numbers, sizeof numbers);
}

static cr_status add_fingerprint(cr_fit_problem* p, cr_error* error) {
  char* text = cr_fit_config_text(&p->config);
  if (text == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory");
  }
  uint64_t hash = cr_model_fingerprint(p->m, cri_fingerprint(p->fingerprint, text, strlen(text)));
  hash = add_method(hash, p);
  free(text);
  int width = cr_state_size(p->m, CR_STATE_PHYSICS | CR_STATE_PLUGIN | CR_STATE_CTRL);
  for (int i = 0; i < cr_recordings_count(p->tosses); i++) {
    cr_recording_info t = {.size = sizeof t};
    CR_TRY(cr_recordings_get(p->tosses, i, &t, error));
    hash = cri_fingerprint(hash, t.values, (size_t)t.rows * (size_t)width * sizeof *t.values);
  }
  p->fingerprint = hash;
  return CR_OK;
}

cr_status cr_fit_problem_load(cr_fit_problem* p, const cr_fit_request* r, cr_error* error) {
  if (r->threads > 1024) {
    return cri_fail(error, CR_ERR_ARG, "--threads %d: 1 to 1024 expected", r->threads);
  }
  CR_TRY(read_config(p, r, error));
  CR_TRY(check_folder(p, r, error));
  CR_TRY(open_model(p, r, error));
  CR_TRY(load_tosses(p, r, error));
  CR_TRY(make_problem(p, r, error));
  CR_TRY(add_fingerprint(p, error));
  return claim_folder(p, error);
}

void cr_fit_problem_free(cr_fit_problem* p) {
  cr_fit_destroy(p->fit);
  for (int i = 0; i < p->ncost && p->costs != NULL; i++) {
    cr_cost_destroy(p->costs[i]);
  }
  free(p->costs);
  cr_recordings_destroy(p->tosses);
  cr_parameters_destroy(p->parameters);
  cr_model_destroy(p->m);
  cr_load_report_destroy(p->report);
  cr_fit_config_free(&p->config);
  if (p->claimed) {
    (void)close(p->claim);
  }
}
