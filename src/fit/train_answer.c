// SPDX-License-Identifier: Apache-2.0
// What a training found, as JSON and as text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fit/train_report.h"

// ---- JSON

static cr_status put_corrections(cr_json* j, const cr_model* m, cr_error* error) {
  char name[CR_MAX_CORRECTION_TEXT + 16];
  cr_json_open(j, "corrections", '[');
  for (int c = 0; c < cr_model_correction_count(m); c++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(m, c, &info, error));
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "name", info.name);
    cr_json_string(j, "target", info.target);
    cr_json_int(j, "weights", info.nweight);
    cr_json_open(j, "inputs", '[');
    for (int i = 0; i < info.ninput; i++) {
      cr_correction_usage u = {.size = sizeof u};
      CR_TRY(cr_correction_get_usage(m, c, i, &u, error));
      cr_train_input_name(&u, name, (int)sizeof name);
      cr_json_open(j, NULL, '{');
      cr_json_string(j, "input", name);
      cr_json_real(j, "norm", u.norm);
      cr_json_real(j, "share", u.share);
      cr_json_int(j, "weights", u.weights);
      cr_json_int(j, "zeros", u.zeros);
      cr_json_bool(j, "used", u.used);
      cr_json_close(j, '}');
    }
    cr_json_close(j, ']');
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
  return CR_OK;
}

static cr_status put_places(cr_json* j, const cr_train_report* r, const char* key, cr_run_part part,
                            cr_error* error) {
  cr_identification *id = r->predictions.identification, *plain = r->predictions.other;
  int n = cr_identification_windows(id, part) > 0 ? cr_identification_places(id) : 0;
  cr_json_open(j, key, '{');
  for (int i = 0; i < n; i++) {
    cr_fit_of_place p = {.size = sizeof p}, q = {.size = sizeof q, .rms = (cr_real)NAN};
    CR_TRY(cr_identification_get_place(id, part, i, &p, error));
    CR_TRY(plain != NULL ? cr_identification_get_place(plain, part, i, &q, error) : CR_OK);
    if (p.n > 0) {
      cr_json_open(j, p.place, '{');
      cr_json_int(j, "n", (long)p.n);
      cr_json_real(j, "noise", p.noise);
      cr_json_bool(j, "noise_given", p.noise_given);
      cr_json_real(j, "rms", p.rms);
      cr_json_real(j, "uncorrected_rms", q.rms);
      cr_json_real(j, "explained", p.explained);
      cr_json_close(j, '}');
    }
  }
  cr_json_close(j, '}');
  return CR_OK;
}

static void put_numbers(cr_json* j, const cr_train_report* r) {
  cr_json_open(j, "numbers", '{');
  for (int i = 0; i < r->nnumber; i++) {
    cr_json_open(j, r->numbers[i].name, '{');
    cr_json_real(j, "value", r->numbers[i].value);
    cr_json_real(j, "start", r->numbers[i].start);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
}

static void put_files(cr_json* j, const cr_train_report* r) {
  char name[CR_FIT_FILE_NAME];
  cr_json_open(j, "files", '[');
  cr_json_string(j, NULL, "corrections.crb");
  cr_json_string(j, NULL, "result.json");
  for (int i = 0; cr_train_report_file(r, i, name); i++) {
    cr_json_string(j, NULL, name);
  }
  cr_json_close(j, ']');
  if (r->saved != NULL) {
    cr_json_string(j, "model", r->saved);
  }
}

cr_status cr_train_answer_put(const cr_train_report* r, cr_json* j, cr_error* error) {
  const cr_training_end* end = r->end;
  double gain;
  CR_TRY(cr_train_report_gain(r, &gain, error));
  cr_json_open(j, NULL, '{');
  CR_TRY(put_corrections(j, r->m, error));
  put_numbers(j, r);
  CR_TRY(put_places(j, r, "places", CR_RUNS_TRAIN, error));
  CR_TRY(put_places(j, r, "held_out", CR_RUNS_HELD, error));
  cr_json_real(j, "gain", (cr_real)gain);
  if (r->plain_why[0] != 0) {
    cr_json_string(j, "uncorrected_fails", r->plain_why);
  }
  cr_json_real(j, "cost", end->cost);
  cr_json_real(j, "start_cost", end->start_cost);
  cr_json_real(j, "held_cost", end->held_cost);
  cr_json_int(j, "epochs", end->epochs);
  cr_json_int(j, "steps", end->steps);
  cr_json_int(j, "best_epoch", end->best_epoch);
  cr_json_int(j, "cuts", end->cuts);
  cr_json_string(j, "ended", end->reason);
  cr_json_int(j, "runs", cr_measurements_count(r->predictions.measurements));
  cr_json_real(j, "seconds", (cr_real)r->seconds);
  cr_json_string(j, "output", r->folder);
  put_files(j, r);
  cr_json_bool(j, "passed", !(gain <= 1));
  cr_json_close(j, '}');
  return CR_OK;
}

// ---- text

enum { MOST_LINES = 16 };  // of inputs of a correction

static void print_input(const cr_correction_usage* u) {
  char name[CR_MAX_CORRECTION_TEXT + 16];
  cr_train_input_name(u, name, (int)sizeof name);
  if (u->used) {
    (void)printf("  %-26s norm %-10.4g %5.1f %%", name, (double)u->norm, 100 * (double)u->share);
    (void)printf(u->zeros > 0 ? "  %d of %d weights are 0\n" : "\n", u->zeros, u->weights);
  } else {
    (void)printf("  %-26s not used: its weights are exactly 0\n", name);
  }
}

static int by_norm(const void* a, const void* b) {
  const cr_correction_usage *x = a, *y = b;
  return x->norm > y->norm ? -1 : x->norm < y->norm;
}

// in their order; of many those with the largest norms
static void print_inputs(cr_correction_usage* all, int n) {
  int shown = n <= MOST_LINES ? n : MOST_LINES, used = 0;
  if (shown < n) {
    qsort(all, (size_t)n, sizeof *all, by_norm);
  }
  for (int i = 0; i < n; i++) {
    used += i >= shown && all[i].used;
    if (i < shown) {
      print_input(&all[i]);
    }
  }
  if (shown < n) {
    (void)printf(
        "  and %d inputs that are used less, %d that are not used: report.html lists them\n", used,
        n - shown - used);
  }
}

static cr_status print_corrections(const cr_model* m, cr_error* error) {
  (void)printf("which inputs do the learned terms use?\n");
  for (int c = 0; c < cr_model_correction_count(m); c++) {
    cr_correction_info info = {.size = sizeof info};
    CR_TRY(cr_model_get_correction(m, c, &info, error));
    cr_correction_usage* all = calloc((size_t)info.ninput + 1, sizeof *all);
    cr_status status = all != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "train: no memory");
    for (int i = 0; i < info.ninput && status == CR_OK; i++) {
      all[i].size = sizeof *all;
      status = cr_correction_get_usage(m, c, i, &all[i], error);
    }
    if (status == CR_OK) {
      (void)printf("%s of %s, %d weights\n", info.name, info.target, info.nweight);
      print_inputs(all, info.ninput);
    }
    free(all);
    CR_TRY(status);
  }
  return CR_OK;
}

static cr_status print_places(const cr_train_report* r, cr_run_part part, cr_error* error) {
  cr_identification *id = r->predictions.identification, *plain = r->predictions.other;
  int n = cr_identification_windows(id, part) > 0 ? cr_identification_places(id) : 0;
  for (int i = 0; i < n; i++) {
    cr_fit_of_place p = {.size = sizeof p}, q = {.size = sizeof q};
    CR_TRY(cr_identification_get_place(id, part, i, &p, error));
    CR_TRY(plain != NULL ? cr_identification_get_place(plain, part, i, &q, error) : CR_OK);
    if (p.n == 0) {
      continue;
    }
    (void)printf("%s%-24s errors %.4g", part == CR_RUNS_HELD ? "held aside: " : "", p.place,
                 (double)p.rms);
    if (plain != NULL) {
      (void)printf(", uncorrected %.4g", (double)q.rms);
    }
    (void)printf(", explains %.2f %%\n", 100 * (double)p.explained);
  }
  return CR_OK;
}

static void print_gain(const cr_train_report* r, double gain) {
  if (r->plain_why[0] != 0) {
    (void)printf("the uncorrected model cannot be simulated: %s\n", r->plain_why);
  } else if (gain <= 1) {
    (void)printf(
        "the corrected model predicts no better than the uncorrected one: errors without "
        "corrections are %.3g times as large\n",
        gain);
  } else {
    (void)printf("without the corrections errors are %.3g times as large\n", gain);
  }
}

cr_status cr_train_answer_print(const cr_train_report* r, cr_error* error) {
  const cr_training_end* end = r->end;
  char name[CR_FIT_FILE_NAME];
  double gain;
  CR_TRY(cr_train_report_gain(r, &gain, error));
  print_gain(r, gain);
  (void)printf("cost %.4g after %d epochs, %.4g at the start; epoch %d is kept (%s), %.1f s\n",
               (double)end->cost, end->epochs, (double)end->start_cost, end->best_epoch,
               end->reason, r->seconds);
  CR_TRY(print_corrections(r->m, error));
  for (int i = 0; i < r->nnumber; i++) {
    (void)printf("%-28s %-12.6g (start %.6g)\n", r->numbers[i].name, (double)r->numbers[i].value,
                 (double)r->numbers[i].start);
  }
  CR_TRY(print_places(r, CR_RUNS_TRAIN, error));
  CR_TRY(print_places(r, CR_RUNS_HELD, error));
  (void)printf("results in %s: corrections.crb, result.json", r->folder);
  for (int i = 0; cr_train_report_file(r, i, name); i++) {
    (void)printf(", %s", name);
  }
  (void)printf("%s%s\n", r->saved != NULL ? "; the model in " : "",
               r->saved != NULL ? r->saved : "");
  return CR_OK;
}
