// SPDX-License-Identifier: Apache-2.0
#include "task/plan_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "tools/config.h"
#include "tools/hdf5.h"

enum { MOST_NUMBERS = 4096 };

// ---- the file as read: every value is a text

#define RAW_MEMBER(section, key, kind, otherwise, low, high, choices, text) char* key;
typedef struct {
  CR_PLAN_KEYS_SET(RAW_MEMBER)
} raw_set;
typedef struct {
  CR_PLAN_KEYS_START(RAW_MEMBER)
} raw_start;
typedef struct {
  CR_PLAN_KEYS_COST(RAW_MEMBER)
} raw_cost;
typedef struct {
  CR_PLAN_KEYS_GOAL(RAW_MEMBER)
} raw_goal;
typedef struct {
  CR_PLAN_KEYS_PLANNER(RAW_MEMBER)
} raw_planner;
typedef struct {
  CR_PLAN_KEYS_MPC(RAW_MEMBER)
} raw_mpc;
typedef struct {
  CR_PLAN_KEYS_OBSERVE(RAW_MEMBER)
} raw_observe;
typedef struct {
  CR_PLAN_KEYS_POLICY(RAW_MEMBER)
} raw_policy;
typedef struct {
  CR_PLAN_KEYS_TRAIN(RAW_MEMBER)
} raw_train;
typedef struct {
  CR_PLAN_KEYS_SPREAD(RAW_MEMBER)
} raw_spread;
typedef struct {
  CR_PLAN_KEYS_VARY(RAW_MEMBER)
} raw_vary;
typedef struct {
  CR_PLAN_KEYS_TOP(RAW_MEMBER)
  raw_set* set;
  unsigned nset;
  raw_start* start;
  unsigned nstart;
  raw_cost* cost;
  unsigned ncost;
  raw_goal* goal;
  unsigned ngoal;
  raw_observe* observe;
  unsigned nobserve;
  raw_spread* spread;
  unsigned nspread;
  raw_vary* vary;
  unsigned nvary;
  raw_planner planner;
  raw_mpc mpc;
  raw_policy policy;
  raw_train train;
} raw_top;

#define SCHEMA(section, key, kind, otherwise, low, high, choices, text)                         \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_##section, key, 0, \
                         CYAML_UNLIMITED),
static const cyaml_schema_field_t set_fields[] = {CR_PLAN_KEYS_SET(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t start_fields[] = {CR_PLAN_KEYS_START(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t cost_fields[] = {CR_PLAN_KEYS_COST(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t goal_fields[] = {CR_PLAN_KEYS_GOAL(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t planner_fields[] = {CR_PLAN_KEYS_PLANNER(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t mpc_fields[] = {CR_PLAN_KEYS_MPC(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t observe_fields[] = {CR_PLAN_KEYS_OBSERVE(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t policy_fields[] = {CR_PLAN_KEYS_POLICY(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t train_fields[] = {CR_PLAN_KEYS_TRAIN(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t spread_fields[] = {CR_PLAN_KEYS_SPREAD(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_field_t vary_fields[] = {CR_PLAN_KEYS_VARY(SCHEMA) CYAML_FIELD_END};
static const cyaml_schema_value_t set_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_set, set_fields)};
static const cyaml_schema_value_t start_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_start, start_fields)};
static const cyaml_schema_value_t cost_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_cost, cost_fields)};
static const cyaml_schema_value_t goal_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_goal, goal_fields)};
static const cyaml_schema_value_t observe_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_observe, observe_fields)};
static const cyaml_schema_value_t spread_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_spread, spread_fields)};
static const cyaml_schema_value_t vary_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, raw_vary, vary_fields)};
static const cyaml_schema_field_t top_fields[] = {
    CR_PLAN_KEYS_TOP(SCHEMA)
        CYAML_FIELD_SEQUENCE_COUNT("set", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top, set,
                                   nset, &set_item, 0, CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("start", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top, start,
                               nstart, &start_item, 0, CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("cost", CYAML_FLAG_POINTER, raw_top, cost, ncost, &cost_item, 0,
                               CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("goal", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top, goal,
                               ngoal, &goal_item, 0, CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("observe", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top,
                               observe, nobserve, &observe_item, 0, CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("spread", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top, spread,
                               nspread, &spread_item, 0, CR_TASK_MOST),
    CYAML_FIELD_SEQUENCE_COUNT("vary", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, raw_top, vary,
                               nvary, &vary_item, 0, CR_TASK_MOST),
    CYAML_FIELD_MAPPING("policy", CYAML_FLAG_OPTIONAL, raw_top, policy, policy_fields),
    CYAML_FIELD_MAPPING("train", CYAML_FLAG_OPTIONAL, raw_top, train, train_fields),
    CYAML_FIELD_MAPPING("planner", CYAML_FLAG_OPTIONAL, raw_top, planner, planner_fields),
    CYAML_FIELD_MAPPING("mpc", CYAML_FLAG_OPTIONAL, raw_top, mpc, mpc_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, raw_top, top_fields)};

#define KEY(type, section, ...) CR_KEY(raw_##section, type, __VA_ARGS__)
#define TOP(...) KEY(cr_task_top, __VA_ARGS__)
#define SET(...) KEY(cr_task_set, __VA_ARGS__)
#define START(...) KEY(cr_task_start, __VA_ARGS__)
#define COST(...) KEY(cr_task_cost, __VA_ARGS__)
#define GOAL(...) KEY(cr_task_goal, __VA_ARGS__)
#define PLANNER(...) KEY(cr_task_planner, __VA_ARGS__)
#define MPC(...) KEY(cr_task_mpc, __VA_ARGS__)
#define OBSERVE(...) KEY(cr_task_observe, __VA_ARGS__)
#define POLICY(...) KEY(cr_task_policy, __VA_ARGS__)
#define TRAIN(...) KEY(cr_task_train, __VA_ARGS__)
#define SPREAD(...) KEY(cr_task_spread, __VA_ARGS__)
#define VARY(...) KEY(cr_task_vary, __VA_ARGS__)
static const cr_key top_keys[] = {CR_PLAN_KEYS_TOP(TOP)};
static const cr_key set_keys[] = {CR_PLAN_KEYS_SET(SET)};
static const cr_key start_keys[] = {CR_PLAN_KEYS_START(START)};
static const cr_key cost_keys[] = {CR_PLAN_KEYS_COST(COST)};
static const cr_key goal_keys[] = {CR_PLAN_KEYS_GOAL(GOAL)};
static const cr_key planner_keys[] = {CR_PLAN_KEYS_PLANNER(PLANNER)};
static const cr_key mpc_keys[] = {CR_PLAN_KEYS_MPC(MPC)};
static const cr_key observe_keys[] = {CR_PLAN_KEYS_OBSERVE(OBSERVE)};
static const cr_key policy_keys[] = {CR_PLAN_KEYS_POLICY(POLICY)};
static const cr_key train_keys[] = {CR_PLAN_KEYS_TRAIN(TRAIN)};
static const cr_key spread_keys[] = {CR_PLAN_KEYS_SPREAD(SPREAD)};
static const cr_key vary_keys[] = {CR_PLAN_KEYS_VARY(VARY)};

#define KEYS(table) table, (int)(sizeof(table) / sizeof(table)[0])
enum {
  TOP_,
  SET_,
  START_,
  COST_,
  GOAL_,
  OBSERVE_,
  SPREAD_,
  VARY_,
  PLANNER_,
  MPC_,
  POLICY_,
  TRAIN_,
  N_SECTION
};
static const cr_section sections[N_SECTION] = {
    {"", KEYS(top_keys), 0, false, 0, 0},
    {"set", KEYS(set_keys), offsetof(raw_top, set), true, sizeof(raw_set), offsetof(raw_top, nset)},
    {"start", KEYS(start_keys), offsetof(raw_top, start), true, sizeof(raw_start),
     offsetof(raw_top, nstart)},
    {"cost", KEYS(cost_keys), offsetof(raw_top, cost), true, sizeof(raw_cost),
     offsetof(raw_top, ncost)},
    {"goal", KEYS(goal_keys), offsetof(raw_top, goal), true, sizeof(raw_goal),
     offsetof(raw_top, ngoal)},
    {"observe", KEYS(observe_keys), offsetof(raw_top, observe), true, sizeof(raw_observe),
     offsetof(raw_top, nobserve)},
    {"spread", KEYS(spread_keys), offsetof(raw_top, spread), true, sizeof(raw_spread),
     offsetof(raw_top, nspread)},
    {"vary", KEYS(vary_keys), offsetof(raw_top, vary), true, sizeof(raw_vary),
     offsetof(raw_top, nvary)},
    {"planner", KEYS(planner_keys), offsetof(raw_top, planner), false, 0, 0},
    {"mpc", KEYS(mpc_keys), offsetof(raw_top, mpc), false, 0, 0},
    {"policy", KEYS(policy_keys), offsetof(raw_top, policy), false, 0, 0},
    {"train", KEYS(train_keys), offsetof(raw_top, train), false, 0, 0},
};
static const cr_config_layout layout = {&schema, sections, N_SECTION};

// the items of a list: `named` where their first key is a name that sentences have
static cr_status parse_list(const char* path, int k, const void* raw, unsigned n, void* typed,
                            size_t size, cr_error* error) {
  const cr_section* section = &sections[k];
  char where[256];
  for (unsigned i = 0; i < n; i++) {
    const char* item = (const char*)raw + i * section->raw_size;
    const char* name = NULL;
    memcpy(&name, item + section->keys[0].raw, sizeof name);
    bool named = k == COST_ || k == GOAL_;
    if (named) {
      (void)snprintf(where, sizeof where, "%.150s: %s.%.60s", path, section->name,
                     name != NULL ? name : "?");
    } else {
      (void)snprintf(where, sizeof where, "%.200s: %s.%u", path, section->name, i);
    }
    CR_TRY(cri_section_parse(section, item, (char*)typed + i * size, where, error));
  }
  return CR_OK;
}

#define LIST(k, name, items, count)                                                          \
  CR_TRY(parse_list(path, k, raw->name, raw->n##name, t->items, sizeof t->items[0], error)); \
  t->count = (int)raw->n##name

static cr_status parse_lists(cr_plan_task* t, const raw_top* raw, const char* path,
                             cr_error* error) {
  LIST(SET_, set, sets, nset);
  LIST(START_, start, starts, nstart);
  LIST(COST_, cost, costs, ncost);
  LIST(GOAL_, goal, goals, ngoal);
  LIST(OBSERVE_, observe, observes, nobserve);
  LIST(SPREAD_, spread, spreads, nspread);
  LIST(VARY_, vary, varies, nvary);
  return t->ncost > 0 ? CR_OK
                      : cri_fail(error, CR_ERR_FORMAT, "%s: cost: there are no terms", path);
}

static cr_status parse(cr_plan_task* t, const char* path, cr_error* error) {
  const raw_top* raw = t->raw;
  const struct {
    int section;
    const void* raw;
    void* typed;
  } parts[] = {{TOP_, raw, &t->top},
               {PLANNER_, &raw->planner, &t->planner},
               {MPC_, &raw->mpc, &t->mpc},
               {POLICY_, &raw->policy, &t->policy},
               {TRAIN_, &raw->train, &t->train}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const cr_section* section = &sections[parts[i].section];
    char where[256];
    (void)snprintf(where, sizeof where, "%.200s%s%s", path, i > 0 ? ": " : "", section->name);
    CR_TRY(cri_section_parse(section, parts[i].raw, parts[i].typed, where, error));
  }
  return parse_lists(t, raw, path, error);
}

// ---- numbers in texts

cr_status cr_plan_task_numbers(const char* where, const char* text, cr_real* values, int most,
                               int* n, cr_error* error) {
  *n = 0;
  for (const char* at = text; *(at += strspn(at, " ,\t")) != 0;) {
    char* end;
    double value = cri_number(at, &end);
    if (end == at || *n == most || !isfinite(value)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' is not a list of numbers", where, text);
    }
    values[(*n)++] = (cr_real)value;
    at = end;
  }
  return CR_OK;
}

static cr_status read_numbers(const char* where, const char* text, cr_real* values, int* n,
                              cr_error* error) {
  return cr_plan_task_numbers(where, text, values, MOST_NUMBERS, n, error);
}

// ---- the model and its start

// a place of the model, or an option, which is one number
static cr_status set_fields_of(const cr_plan_task* t, cr_model* m, cr_error* error) {
  static cr_real values[MOST_NUMBERS];
  for (int i = 0; i < t->nset; i++) {
    const char* field = t->sets[i].field;
    int n;
    char where[160];
    cr_real now;
    (void)snprintf(where, sizeof where, "set: %.120s", field);
    CR_TRY(read_numbers(where, t->sets[i].value, values, &n, error));
    bool option = n == 1 && cr_model_get_option(m, field, &now, NULL) == CR_OK;
    CR_TRY(option ? cr_model_set_option(m, field, values[0], error)
                  : cr_model_set(m, field, values, n, error));
  }
  return CR_OK;
}

static cr_status open_model(cr_plan_task* t, const char* folder, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, folder, t->top.model, error));
  CR_TRY(cr_model_open(&t->m, path, error));
  if (t->mpc.plant[0] != 0) {
    CR_TRY(cri_path_join(path, folder, t->mpc.plant, error));
    CR_TRY(cr_model_open(&t->plant, path, error));
  } else {
    CR_TRY(cr_model_copy(&t->plant, t->m, error));
  }
  cr_model* const both[2] = {t->m, t->plant};
  for (int i = 0; i < 2; i++) {
    if (t->top.integrator[0] != 0) {
      CR_TRY(cr_model_set_choice(both[i], "integrator", t->top.integrator, error));
    }
    CR_TRY(set_fields_of(t, both[i], error));
    if (t->top.timestep > 0) {
      CR_TRY(cr_model_set_option(both[i], "timestep", (cr_real)t->top.timestep, error));
    }
  }
  static const char* const counts[] = {"nq", "nv", "na", "nu"};
  for (int i = 0; i < 4; i++) {
    int ours = cr_model_count(t->m, counts[i]), other = cr_model_count(t->plant, counts[i]);
    if (ours != other) {
      return cri_fail(error, CR_ERR_MODEL, "mpc.plant %s: it has %s %d, the model %d", t->mpc.plant,
                      counts[i], other, ours);
    }
  }
  return CR_OK;
}

static cr_status apply_keyframe(cr_plan_task* t, cr_error* error) {
  const char* name = t->top.keyframe;
  if (name[0] == 0) {
    return CR_OK;
  }
  char* end;
  int id = cr_model_id(t->m, "keyframe", name);
  double number = cri_number(name, &end);
  id = id < 0 && end != name && *end == 0 ? (int)number : id;
  int keys = cr_model_count(t->m, "nkey");
  return id >= 0 && id < keys
             ? cr_data_reset_keyframe(t->m, t->start, id)
             : cri_fail(error, CR_ERR_NAME, "keyframe '%s': the model has no such keyframe", name);
}

static cr_status set_start(cr_plan_task* t, cr_error* error) {
  static cr_real values[MOST_NUMBERS];
  CR_TRY(cr_data_create(&t->start, t->m, error));
  CR_TRY(apply_keyframe(t, error));
  for (int i = 0; i < t->nstart; i++) {
    int n;
    char where[160];
    (void)snprintf(where, sizeof where, "start: %.120s", t->starts[i].place);
    CR_TRY(read_numbers(where, t->starts[i].value, values, &n, error));
    CR_TRY(cr_data_set(t->m, t->start, t->starts[i].place, values, n, error));
  }
  return cr_data_check(t->m, t->start, error);
}

// ---- the cost

static cr_status add_reference(cr_plan_task* t, const cr_task_cost* c, cr_cost_term* term,
                               const char* path, cr_error* error) {
  cr_h5* file = NULL;
  double *target = NULL, *times = NULL;
  int rows = 0, cols = 0, n = 0, one = 0;
  CR_TRY(cri_h5_open(&file, path, error));
  cr_status status = cri_h5_read(file, c->of, &target, &rows, &cols, error);
  status = status == CR_OK ? cri_h5_read(file, "time", &times, &n, &one, error) : status;
  if (status == CR_OK && n != rows) {
    status = cri_fail(error, CR_ERR_FORMAT, "%s: %d times and %d rows of %s", path, n, rows, c->of);
  }
  if (status == CR_OK) {
    term->target = target;
    term->times = times;
    term->rows = rows;
    cr_place_info place = {.size = sizeof place};
    status = cr_model_place(t->m, c->of, &place, error);
    if (status == CR_OK && place.count != cols) {
      status = cri_fail(error, CR_ERR_FORMAT, "%s: %s has %d numbers a row, the model's %d", path,
                        c->of, cols, place.count);
    }
    status = status == CR_OK ? cr_cost_add(t->cost, term, error) : status;
  }
  free(target);
  free(times);
  cri_h5_close(file);
  return status;
}

// how many numbers a target has
static cr_status check_target(const cr_plan_task* t, const cr_task_cost* c, int n,
                              cr_error* error) {
  cr_place_info place = {.size = sizeof place};
  if (c->residual != CR_RESIDUAL_EXPRESSION) {
    CR_TRY(cr_model_place(t->m, c->of, &place, error));
    return n == place.count
               ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT, "cost.%s: target has %d numbers, %s %d", c->name, n,
                          c->of, place.count);
  }
  return cri_fail(error, CR_ERR_FORMAT,
                  "cost.%s: an expression has its target in it, as 'qpos[0] - 1'", c->name);
}

static cr_status make_cost(cr_plan_task* t, const char* folder, cr_error* error) {
  static cr_real values[MOST_NUMBERS];
  char path[CR_MAX_PATH], where[160];
  CR_TRY(cr_cost_create(&t->cost, t->m, error));
  for (int i = 0; i < t->ncost; i++) {
    const cr_task_cost* c = &t->costs[i];
    int n = 0;
    cr_cost_term term = {.size = sizeof term,
                         .name = c->name,
                         .kind = (cr_residual_kind)c->residual,
                         .text = c->of,
                         .norm = (cr_norm)c->norm,
                         .p = (cr_real)c->p,
                         .q = (cr_real)c->q,
                         .weight = (cr_real)c->weight,
                         .terminal = (cr_real)c->terminal};
    if (c->reference[0] != 0) {
      CR_TRY(cri_path_join(path, folder, c->reference, error));
      CR_TRY(add_reference(t, c, &term, path, error));
      continue;
    }
    (void)snprintf(where, sizeof where, "cost.%.100s: target", c->name);
    CR_TRY(read_numbers(where, c->target, values, &n, error));
    if (n > 0) {
      CR_TRY(check_target(t, c, n, error));
      term.target = values;
      term.rows = 1;
    }
    CR_TRY(cr_cost_add(t->cost, &term, error));
  }
  return CR_OK;
}

// ---- goals: mistakes in them are found before the planning, not behind it

static cr_status check_goals(const cr_plan_task* t, cr_error* error) {
  for (int i = 0; i < 2 * t->ngoal; i++) {
    const cr_task_goal* goal = &t->goals[i / 2];
    cr_expression* expression = NULL;
    cr_error why = {0};
    cr_status status =
        cr_expression_create(&expression, i % 2 == 0 ? t->m : t->plant, goal->of, &why);
    cr_expression_destroy(expression);
    if (status != CR_OK) {
      return cri_fail(error, status, "goal.%s: of: %s", goal->name, why.text);
    }
  }
  return CR_OK;
}

// ---- the planner

static cr_status make_backward(cr_plan_task* t, cr_error* error) {
  static const char* const names[] = {"cfd_dc", "cfd_d0", "cfd_wc",
                                      "cfd_mc", "cfd_pc", "cfd_scale"};
  static cr_real values[MOST_NUMBERS];
  int n = 0;
  if (t->planner.cfd[0] == 0) {
    return t->planner.cfd_iterations == 0
               ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT, "planner: cfd_iterations: only with cfd");
  }
  CR_TRY(read_numbers("planner: cfd", t->planner.cfd, values, &n, error));
  if (n != 5 && n != 6) {
    return cri_fail(error, CR_ERR_FORMAT, "planner: cfd: five or six numbers are expected, not %d",
                    n);
  }
  values[5] = n == 6 ? values[5] : values[2] / 10;
  CR_TRY(cr_model_copy(&t->backward, t->m, error));
  for (int i = 0; i < 6; i++) {
    CR_TRY(cr_model_set_option(t->backward, names[i], values[i], error));
  }
  return cr_model_set_choice(t->backward, "cfd", "on", error);
}

// the controls of the start, which a keyframe sets, are the first plan: a servo stays where it is
static void hold_start(cr_plan_task* t) {
  int n;
  cr_real* knots = cr_planner_knots(t->planning, &n);
  const cr_real* ctrl = cr_data_view(t->m, t->start, "ctrl", NULL, NULL);
  for (int i = 0; i < n; i++) {
    memcpy(knots + (ptrdiff_t)i * t->nu, ctrl, (size_t)t->nu * sizeof *knots);
  }
  cr_planner_restart(t->planning);
}

// the estimator of the task; none: options->size is 0
static cr_status make_estimator(const cr_plan_task* t, cr_estimator_options* options,
                                cr_error* error) {
  static cr_real sigma[MOST_NUMBERS];
  const cr_task_planner* o = &t->planner;
  int n, kind = cr_enum_value("estimator_kind", o->estimator);
  if (o->estimator[0] == 0) {
    return o->sigma[0] == 0
               ? CR_OK
               : cri_fail(error, CR_ERR_FORMAT, "planner: sigma: only with an estimator");
  }
  if (kind < 0) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "planner: estimator '%s': first, zeroth or alpha expected", o->estimator);
  }
  CR_TRY(read_numbers("planner: sigma", o->sigma, sigma, &n, error));
  if ((n != 1 && n != t->nu) || t->nu > MOST_NUMBERS) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "planner: sigma has %d numbers; one, or %d for the controls, are expected", n,
                    t->nu);
  }
  for (int i = n; i < t->nu; i++) {
    sigma[i] = sigma[0];
  }
  *options = (cr_estimator_options){.size = sizeof *options,
                                    .kind = (cr_estimator_kind)kind,
                                    .samples = o->estimator_samples,
                                    .sigma = sigma,
                                    .draws = (cr_draws)o->draws,
                                    .bias = (cr_real)o->bias};
  return CR_OK;
}

static cr_status make_planner(cr_plan_task* t, int nthread, cr_error* error) {
  cr_estimator_options estimator = {.size = 0};
  CR_TRY(make_estimator(t, &estimator, error));
  const cr_task_planner* o = &t->planner;
  double steps = t->top.horizon / t->step;
  t->nstep = steps < 1e8 ? (int)(steps + 0.5) : -1;
  if (t->nstep < 1) {
    return cri_fail(error, CR_ERR_FORMAT, "horizon: %.9g s are %.9g steps of %.9g s",
                    t->top.horizon, steps, t->step);
  }
  const cr_adaptive adaptive = {.size = sizeof adaptive,
                                .rtol = (cr_real)o->rtol,
                                .atol = (cr_real)(o->rtol / 1000),
                                .events = o->events};
  const cr_plan_options options = {.size = sizeof options,
                                   .method = (cr_plan_method)o->method,
                                   .nstep = t->nstep,
                                   .shape = (cr_control_shape)o->controls,
                                   .knots = o->knots,
                                   .nthread = nthread,
                                   .seed = (uint64_t)o->seed,
                                   .backward = t->backward,
                                   .backward_iterations = o->cfd_iterations,
                                   .adaptive = o->rtol > 0 ? &adaptive : NULL,
                                   .descent = (cr_descent)o->descent,
                                   .rate = (cr_real)o->rate,
                                   .clip = (cr_real)o->clip,
                                   .samples = o->samples,
                                   .elite = o->elite,
                                   .colour = (cr_noise_colour)o->colour,
                                   .noise = (cr_real)o->noise,
                                   .wide_noise = (cr_real)o->wide_noise,
                                   .temperature = (cr_real)o->temperature,
                                   .polish = o->polish,
                                   .regularisation = (cr_real)o->regularisation,
                                   .estimator = estimator.size > 0 ? &estimator : NULL};
  CR_TRY(cr_planner_create(&t->planning, t->m, t->cost, &options, error));
  hold_start(t);
  return cr_planner_set_start(t->planning, t->start, error);
}

// plan_<name of the task>
static cr_status name_folder(cr_plan_task* t, const char* path, const char* command,
                             const char* folder, cr_error* error) {
  const char* slash = strrchr(path, '/');
  const char* name = slash != NULL ? slash + 1 : path;
  const char* dot = strrchr(name, '.');
  int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
  const char* given = folder != NULL ? folder : t->top.output;
  int n = given[0] != 0 ? snprintf(t->folder, sizeof t->folder, "%s", given)
                        : snprintf(t->folder, sizeof t->folder, "%s_%.*s", command, length, name);
  return n < (int)sizeof t->folder ? CR_OK
                                   : cri_fail(error, CR_ERR_ARG, "%s: the name is too long", given);
}

cr_status cr_plan_task_read(cr_plan_task* t, const char* path, const cr_text_list* set,
                            const char* command, const char* folder, int nthread, cr_error* error) {
  char beside[CR_MAX_PATH];
  cr_error inner = {0};
  CR_TRY(cri_config_read(&t->raw, &layout, path, error));
  for (int i = 0; i < set->n; i++) {
    CR_TRY(cri_config_set(t->raw, &layout, set->text[i], error));
  }
  CR_TRY(parse(t, path, error));
  CR_TRY(cri_path_folder(beside, path, error));
  CR_TRY(name_folder(t, path, command, folder, error));
  CR_TRY(open_model(t, beside, error));
  t->nu = cr_model_count(t->m, "nu");
  t->step = (double)cr_model_timestep(t->m);
  cr_status status = set_start(t, &inner);
  status = status == CR_OK ? make_cost(t, beside, &inner) : status;
  status = status == CR_OK ? check_goals(t, &inner) : status;
  status = status == CR_OK ? make_backward(t, &inner) : status;
  status = status == CR_OK ? make_planner(t, nthread, &inner) : status;
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
}

static cr_status read_cost(cr_plan_task* t, const char* path, cr_error* error) {
  char beside[CR_MAX_PATH];
  cr_error inner = {0};
  CR_TRY(cri_config_read(&t->raw, &layout, path, error));
  CR_TRY(parse_lists(t, t->raw, path, error));
  CR_TRY(cri_path_folder(beside, path, error));
  cr_status status = make_cost(t, beside, &inner);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s: %s", path, inner.text);
}

cr_status cr_plan_task_cost(cr_cost** cost, const cr_model* m, const char* path, cr_error* error) {
  cr_plan_task* t = calloc(1, sizeof *t);
  *cost = NULL;
  if (t == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  t->m = (cr_model*)(uintptr_t)m;  // borrowed
  cr_status status = read_cost(t, path, error);
  if (status == CR_OK) {
    *cost = t->cost;
    t->cost = NULL;
  }
  t->m = NULL;
  cr_plan_task_free(t);
  free(t);
  return status;
}

void cr_plan_task_free(cr_plan_task* t) {
  cr_planner_destroy(t->planning);
  cr_cost_destroy(t->cost);
  cr_data_destroy(t->start);
  cr_model_destroy(t->backward);
  cr_model_destroy(t->plant);
  cr_model_destroy(t->m);
  if (t->raw != NULL) {
    cri_config_free(t->raw, &layout);
  }
}
