// SPDX-License-Identifier: Apache-2.0
#include "cli/check_jumps.h"

#include <stdio.h>
#include <stdlib.h>

#include "command/setup.h"

enum { MOST_TOLD = 10 };  // jumps of a coordinate that --verbose lists

// one coordinate
typedef struct {
  char name[CR_NUMBER_NAME];
  bool straight;
  cr_jumps* jumps;
  cr_jumps_result r;
} swept;

typedef struct {
  const char* path;
  const cr_check_jumps_options* o;
  cr_model* m;
  cr_load_report* report;
  cr_data* d;
  swept* all;
  int n, count;  // coordinates; jumps of all
  int worst;     // the coordinate with the largest jump, -1 none
  cr_jump largest;
} jump_check;

static cr_real tolerance_of(const cr_check_jumps_options* o) {
  return o->tolerance > 0 ? (cr_real)o->tolerance : CR_R(1e-3);
}

const char* cr_check_jumps_given(const cr_check_jumps_options* o) {
  return o->coordinates.n > 0  ? "--coordinate"
         : !isnan(o->from)     ? "--from"
         : !isnan(o->to)       ? "--to"
         : o->keyframe != NULL ? "--keyframe"
         : o->settle >= 0      ? "--settle"
         : o->points > 0       ? "--points"
         : o->tolerance > 0    ? "--tolerance"
                               : NULL;
}

// ---- the pose

static cr_status settle(const jump_check* c, cr_error* error) {
  const double time = c->o->settle >= 0 ? c->o->settle : 1;
  const int steps = (int)ceil(time / (double)cr_model_timestep(c->m) - 1e-9);
  for (int i = 0; i < steps; i++) {
    cr_status status = cr_step(c->m, c->d);
    status = status == CR_OK ? cr_advance(c->m, c->d) : status;
    if (status != CR_OK) {
      return cri_fail(error, status,
                      "step %d before the sweeps: %s; --settle 0 sweeps from the start", i,
                      cr_data_error(c->d));
    }
  }
  return CR_OK;
}

static cr_status open_pose(jump_check* c, const cr_urdf_words* words, cr_error* error) {
  cr_urdf_options urdf;
  CR_TRY(cr_urdf_arguments(&urdf, words, c->path, error));
  CR_TRY(cr_load_report_create(&c->report, error));
  CR_TRY(cr_model_open_report(&c->m, c->path, &urdf, c->report, error));
  CR_TRY(cr_data_create(&c->d, c->m, error));
  if (c->o->keyframe != NULL) {
    CR_TRY(cr_setup_keyframe(c->m, c->d, c->o->keyframe, error));
  }
  return settle(c, error);
}

// ---- the sweeps

static cr_status check_options(const cr_check_jumps_options* o, cr_error* error) {
  const bool from = !isnan(o->from), to = !isnan(o->to);
  if (from != to) {
    return cri_fail(error, CR_ERR_ARG, "%s needs %s", from ? "--from" : "--to",
                    from ? "--to" : "--from");
  }
  if (from && o->coordinates.n != 1) {
    return cri_fail(error, CR_ERR_ARG, "--from and --to are for one --coordinate");
  }
  return !from || o->from < o->to
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "--from %g is not below --to %g", o->from, o->to);
}

// the joints' numbers: which of qvel is straight is in the type of its joint
static bool is_straight(const cr_model* m, int dof) {
  enum { FREE = 0, SLIDE = 2 };
  const int joint = cr_model_integers(m, "dof_jntid", NULL, NULL)[dof];
  const int type = cr_model_integers(m, "jnt_type", NULL, NULL)[joint];
  const int first = cr_model_integers(m, "jnt_dofadr", NULL, NULL)[joint];
  return type == SLIDE || (type == FREE && dof < first + 3);
}

static cr_status sweep(jump_check* c, swept* s, cr_error* error) {
  const cr_check_jumps_options* o = c->o;
  const cr_jumps_options options = {.size = sizeof options,
                                    .coordinate = s->name,
                                    .from = isnan(o->from) ? 0 : (cr_real)o->from,
                                    .to = isnan(o->to) ? 0 : (cr_real)o->to,
                                    .steps = o->points,
                                    .tolerance = tolerance_of(o)};
  cr_jump first = {.size = sizeof first};
  cr_place_info place = {.size = sizeof place};
  CR_TRY(cr_jumps_of_model(&s->jumps, c->m, c->d, &options, error));
  CR_TRY(cr_model_place(c->m, s->name, &place, error));
  s->straight = is_straight(c->m, place.first);
  s->r.size = sizeof s->r;
  CR_TRY(cr_jumps_get_result(s->jumps, &s->r, error));
  c->count += s->r.count;
  if (s->r.count == 0) {
    return CR_OK;
  }
  CR_TRY(cr_jumps_get(s->jumps, 0, &first, error));
  if (c->worst < 0 || first.relative > c->largest.relative) {
    c->worst = (int)(s - c->all);
    c->largest = first;
  }
  return CR_OK;
}

// all coordinates, or those that were named
static cr_status name_coordinates(jump_check* c, cr_error* error) {
  const cr_text_list* named = &c->o->coordinates;
  cr_place_info place = {.size = sizeof place};
  c->n = named->n > 0 ? named->n : cr_model_count(c->m, "nv");
  c->all = calloc((size_t)c->n + 1, sizeof *c->all);
  if (c->all == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "--jumps: no memory for %d coordinates", c->n);
  }
  CR_TRY(cr_model_place(c->m, "qvel", &place, error));
  for (int i = 0; i < c->n; i++) {
    if (named->n > 0) {
      (void)snprintf(c->all[i].name, sizeof c->all[i].name, "%s", named->text[i]);
    } else {
      CR_TRY(cr_number_name(c->m, place.field, i, false, c->all[i].name, sizeof c->all[i].name,
                            error));
    }
  }
  return CR_OK;
}

static cr_status run(jump_check* c, const cr_urdf_words* urdf, cr_error* error) {
  bool touched = false;
  CR_TRY(check_options(c->o, error));
  CR_TRY(open_pose(c, urdf, error));
  CR_TRY(name_coordinates(c, error));
  for (int i = 0; i < c->n; i++) {
    CR_TRY(sweep(c, &c->all[i], error));
    touched = touched || c->all[i].r.largest[0] > 0 || c->all[i].r.largest[1] > 0;
  }
  return touched ? CR_OK
                 : cri_fail(error, CR_ERR_ARG,
                            "%s: no sweep touches anything; start from another pose with "
                            "--keyframe or --settle, or go further with --from and --to",
                            c->path);
}

// ---- output

static const char* unit(const swept* s) { return s->straight ? "m" : "rad"; }

static void print_verdict(const jump_check* c) {
  if (c->count == 0) {
    (void)printf("passed: no jump above %g of the largest force or torque in %d sweep%s\n",
                 (double)tolerance_of(c->o), c->n, c->n == 1 ? "" : "s");
    return;
  }
  const swept* s = &c->all[c->worst];
  (void)printf(
      "NOT passed: %d jump%s above %g of the largest force or torque; the largest is %.3g "
      "of it, at %s = %.6g %s\n",
      c->count, c->count == 1 ? "" : "s", (double)tolerance_of(c->o), (double)c->largest.relative,
      s->name, (double)c->largest.at, unit(s));
}

static void print_jump(const swept* s, int i) {
  cr_jump j = {.size = sizeof j};
  if (cr_jumps_get(s->jumps, i, &j, NULL) == CR_OK) {
    (void)printf("    at %.9g %s: %.3g of the largest, from %.6g to %.6g; contacts %d to %d\n",
                 (double)j.at, unit(s), (double)j.relative, (double)j.before, (double)j.behind,
                 j.contacts[0], j.contacts[1]);
  }
}

static void print_text(const jump_check* c, bool verbose) {
  print_verdict(c);
  for (int i = 0; i < c->n; i++) {
    const swept* s = &c->all[i];
    (void)printf("  %s from %.6g to %.6g %s: at most %d contacts, %.4g N, %.4g N m; %d jump%s\n",
                 s->name, (double)s->r.from, (double)s->r.to, unit(s), s->r.contacts,
                 (double)s->r.largest[0], (double)s->r.largest[1], s->r.count,
                 s->r.count == 1 ? "" : "s");
    int told = verbose ? MOST_TOLD : 1;
    for (int k = 0; k < told && k < s->r.count; k++) {
      print_jump(s, k);
    }
  }
}

static void put_jumps(cr_json* j, const swept* s) {
  cr_json_open(j, "jumps", '[');
  for (int i = 0; i < s->r.count; i++) {
    cr_jump jump = {.size = sizeof jump};
    (void)cr_jumps_get(s->jumps, i, &jump, NULL);
    cr_json_open(j, NULL, '{');
    cr_json_real(j, "at", jump.at);
    cr_json_real(j, "relative", jump.relative);
    cr_json_int(j, "value", jump.value);
    cr_json_real(j, "before", jump.before);
    cr_json_real(j, "behind", jump.behind);
    cr_json_int(j, "contacts_before", jump.contacts[0]);
    cr_json_int(j, "contacts_behind", jump.contacts[1]);
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
}

static void print_json(const jump_check* c, cr_status status, const cr_error* error) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_string(&j, "model", c->path != NULL ? c->path : "");
  cr_json_bool(&j, "passed", status == CR_OK && c->count == 0);
  cr_json_real(&j, "tolerance", tolerance_of(c->o));
  cr_json_int(&j, "jumps", c->count);
  cr_json_open(&j, "sweeps", '[');
  for (int i = 0; i < c->n && status == CR_OK; i++) {
    const swept* s = &c->all[i];
    cr_json_open(&j, NULL, '{');
    cr_json_string(&j, "coordinate", s->name);
    cr_json_real(&j, "from", s->r.from);
    cr_json_real(&j, "to", s->r.to);
    cr_json_real(&j, "largest_force", s->r.largest[0]);
    cr_json_real(&j, "largest_torque", s->r.largest[1]);
    cr_json_int(&j, "contacts", s->r.contacts);
    put_jumps(&j, s);
    cr_json_close(&j, '}');
  }
  cr_json_close(&j, ']');
  if (status != CR_OK) {
    cr_json_string(&j, "error", error->text);
  }
  cr_json_close(&j, '}');
  cr_json_finish(&j);
}

int cr_check_jumps(const char* path, const cr_urdf_words* urdf, const cr_check_jumps_options* o,
                   bool json, bool verbose, const cr_error* mistake) {
  cr_error error = *mistake;
  jump_check c = {.path = path, .o = o, .worst = -1};
  cr_status status = error.status == CR_OK ? run(&c, urdf, &error) : error.status;
  int code = c.count > 0 ? 1 : 0;
  if (json) {
    print_json(&c, status, &error);
  }
  if (status != CR_OK) {
    code = cr_cli_fail("check", false, &error, c.report);
  } else if (!json) {
    print_text(&c, verbose);
  }
  for (int i = 0; i < c.n && c.all != NULL; i++) {
    cr_jumps_destroy(c.all[i].jumps);
  }
  free(c.all);
  cr_data_destroy(c.d);
  cr_load_report_destroy(c.report);
  cr_model_destroy(c.m);
  return code;
}
