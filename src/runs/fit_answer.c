// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

static bool tells_nothing(const cr_runs_fit* f) {
  for (int i = 0; i < f->nline; i++) {
    if (f->lines[i].found.told) {
      return false;
    }
  }
  return true;
}

// no place is predicted better than by its mean
static bool explains_nothing(const cr_runs_fit* f) {
  bool any = false;
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    (void)cr_identification_get_place(f->id, CR_RUNS_TRAIN, i, &p, NULL);
    any = any || isnan(p.explained) || p.explained > 0;
  }
  return !any;
}

int cr_fit_answer_code(const cr_runs_fit* f) {
  return !f->end.converged || tells_nothing(f) || explains_nothing(f) ? 1 : 0;
}

static cr_status put_places(cr_json* j, const cr_runs_fit* f, const char* key, cr_run_part part,
                            cr_error* error) {
  cr_json_open(j, key, '{');
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    CR_TRY(cr_identification_get_place(f->id, part, i, &p, error));
    if (p.n > 0) {
      cr_json_open(j, p.place, '{');
      cr_json_int(j, "n", (long)p.n);
      cr_json_real(j, "noise", p.noise);
      cr_json_bool(j, "noise_given", p.noise_given);
      cr_json_real(j, "rms", p.rms);
      cr_json_real(j, "explained", p.explained);
      cr_json_real(j, "correlation", p.correlation);
      cr_json_bool(j, "white", cr_abs(p.correlation) <= 2 * p.white);
      cr_json_close(j, '}');
    }
  }
  cr_json_close(j, '}');
  return CR_OK;
}

static void put_numbers(cr_json* j, const char* key, const cr_real* x, int n) {
  cr_json_open(j, key, '[');
  for (int i = 0; i < n; i++) {
    cr_json_real(j, NULL, x[i]);
  }
  cr_json_close(j, ']');
}

// states at the starts of windows, for carom rollout with the model found
static cr_status put_starts(cr_json* j, const cr_runs_fit* f, cr_error* error) {
  int nq = cr_model_count(f->m, "nq"), nv = cr_model_count(f->m, "nv"),
      na = cr_model_count(f->m, "na");
  int n = cr_identification_windows(f->id, CR_RUNS_TRAIN), run;
  int all = n + cr_identification_windows(f->id, CR_RUNS_HELD);
  cr_real time, *qpos = calloc((size_t)nq + (size_t)nv + (size_t)na + 1, sizeof *qpos);
  cr_status status = qpos != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  cr_json_open(j, "starts", '[');
  for (int i = 0; i < all && status == CR_OK; i++) {
    status =
        cr_identification_get_state(f->id, i, &run, &time, qpos, qpos + nq, qpos + nq + nv, error);
    if (status == CR_OK) {
      cr_json_open(j, NULL, '{');
      cr_json_string(j, "run", cr_measurements_name(f->measurements, run));
      cr_json_bool(j, "held_out", i >= n);
      cr_json_real(j, "time", time);
      put_numbers(j, "qpos", qpos, nq);
      put_numbers(j, "qvel", qpos + nq, nv);
      put_numbers(j, "act", qpos + nq + nv, na);
      cr_json_close(j, '}');
    }
  }
  cr_json_close(j, ']');
  free(qpos);
  return status;
}

// in the folder `output`; the model as --save has it
static void put_files(cr_json* j, const cr_runs_fit* f) {
  char name[CR_FIT_FILE_NAME];
  cr_json_open(j, "files", '[');
  cr_json_string(j, NULL, "result.json");
  for (int i = 0; cr_fit_report_file(f->measurements, i, name); i++) {
    cr_json_string(j, NULL, name);
  }
  cr_json_close(j, ']');
  if (f->o->save != NULL) {
    cr_json_string(j, "model", f->o->save);
  }
}

cr_status cr_fit_answer_put(cr_json* j, const cr_runs_fit* f, double seconds, cr_error* error) {
  cr_json_open(j, NULL, '{');
  cr_json_open(j, "estimates", '{');
  for (int i = 0; i < f->nline; i++) {
    const cr_estimate* e = &f->lines[i].found;
    cr_json_open(j, e->name, '{');
    cr_json_real(j, "value", e->value);
    cr_json_real(j, "lower", e->lower);
    cr_json_real(j, "upper", e->upper);
    cr_json_real(j, "start", f->lines[i].start);
    cr_json_bool(j, "told", e->told);
    cr_json_bool(j, "at_bound", e->at_bound);
    cr_json_bool(j, "profiled", f->lines[i].profiled);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
  int n = 0;
  char text[512];
  CR_TRY(cr_identification_untold(f->id, 0, NULL, 0, &n, error));
  cr_json_open(j, "untold", '[');
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_identification_untold(f->id, i, text, (int)sizeof text, &n, error));
    cr_json_string(j, NULL, text);
  }
  cr_json_close(j, ']');
  CR_TRY(put_places(j, f, "places", CR_RUNS_TRAIN, error));
  CR_TRY(put_places(j, f, "held_out", CR_RUNS_HELD, error));
  CR_TRY(put_starts(j, f, error));
  cr_json_real(j, "cost", f->end.cost);
  cr_json_real(j, "start_cost", f->end.start_cost);
  cr_json_real(j, "left", f->end.left);
  cr_json_int(j, "uncounted_events", f->end.uncounted);
  cr_json_bool(j, "correlated", f->o->correlated);
  cr_json_int(j, "steps", f->end.steps);
  cr_json_bool(j, "converged", f->end.converged);
  cr_json_string(j, "ended", f->end.reason);
  cr_json_int(j, "runs", cr_measurements_count(f->measurements));
  cr_json_real(j, "seconds", (cr_real)seconds);
  cr_json_string(j, "output", f->folder);
  put_files(j, f);
  cr_json_bool(j, "passed", cr_fit_answer_code(f) == 0);
  cr_json_close(j, '}');
  return CR_OK;
}

static cr_status print_places(const cr_runs_fit* f, cr_run_part part, cr_error* error) {
  for (int i = 0; i < cr_identification_places(f->id); i++) {
    cr_fit_of_place p = {.size = sizeof p};
    CR_TRY(cr_identification_get_place(f->id, part, i, &p, error));
    if (p.n > 0) {
      (void)printf("%s%-24s errors %.4g, noise %.4g, explains %.2f %%%s\n",
                   part == CR_RUNS_HELD ? "held aside: " : "", p.place, p.rms, p.noise,
                   100 * p.explained,
                   cr_abs(p.correlation) <= 2 * p.white ? ""
                   : part == CR_RUNS_HELD ? "; errors follow each other: the model misses something"
                   : f->o->correlated
                       ? "; errors follow each other: the model misses something; the intervals "
                         "count it"
                       : "; errors follow each other: the model misses something, and intervals "
                         "are too narrow (--correlated)");
    }
  }
  return CR_OK;
}

static void print_files(const cr_runs_fit* f) {
  char name[CR_FIT_FILE_NAME];
  (void)printf("results in %s: result.json", f->folder);
  for (int i = 0; cr_fit_report_file(f->measurements, i, name); i++) {
    (void)printf(", %s", name);
  }
  (void)printf("%s%s\n", f->o->save != NULL ? "; the model in " : "",
               f->o->save != NULL ? f->o->save : "");
}

cr_status cr_fit_answer_print(const cr_runs_fit* f, double seconds, cr_error* error) {
  int n = 0;
  char text[512];
  (void)printf("%s after %d steps (%s), %.1f s\n", f->end.converged ? "converged" : "NOT converged",
               f->end.steps, f->end.reason, seconds);
  for (int i = 0; i < f->nline; i++) {
    const cr_fit_line* line = &f->lines[i];
    const cr_estimate* e = &line->found;
    if (e->told) {
      (void)printf("%-28s %-12.6g (%.6g to %.6g%s; start %.6g)%s\n", e->name, e->value, e->lower,
                   e->upper, line->profiled ? " by profile" : "", line->start,
                   e->at_bound ? ", at its bound" : "");
    } else {
      (void)printf("%-28s %-12s (start %.6g)%s\n", e->name, "not told", line->start,
                   line->profiled ? ", by profile" : "");
    }
  }
  CR_TRY(cr_identification_untold(f->id, 0, NULL, 0, &n, error));
  for (int i = 0; i < n; i++) {
    CR_TRY(cr_identification_untold(f->id, i, text, (int)sizeof text, &n, error));
    (void)printf("%s\n", text);
  }
  CR_TRY(print_places(f, CR_RUNS_TRAIN, error));
  CR_TRY(print_places(f, CR_RUNS_HELD, error));
  if (explains_nothing(f)) {
    (void)printf("the model explains nothing of these runs; look at units, names and the start\n");
  }
  if (f->end.uncounted > 0) {
    (void)printf(
        "uncounted events: %d; derivatives lack their part, so intervals are a guess "
        "(docs/trust.md)\n",
        f->end.uncounted);
  }
  print_files(f);
  return CR_OK;
}
