// SPDX-License-Identifier: Apache-2.0
// Every row of the pipeline table takes no more scratch and adds no more pairs than its column NEEDS says, and
// says no more than some model comes near to.
#include <stdio.h>

#include "engine/driver.h"
#include "engine/forward.h"
#include "engine/pipeline.h"
#include "scenes/random_model.h"
#include "scenes/random_sensors.h"
#include "support/test.h"

enum { MODELS = 48, ROWS = 40 };

static const int integrators[] = {CR_INT_EULER, CR_INT_DISCRETE, CR_INT_IMPLICIT};

static const cr_field_id operators[] = {
#define CR_OP(name, left, right, nnz, text) CR_FIELD_##name,
#include "model/data_fields.h"
};
enum { N_OPERATORS = (int)(sizeof operators / sizeof operators[0]) };

static size_t pairs_needed(const cri_need* x, int k) {
  const size_t all[] = {
#define CR_OP(name, left, right, nnz, text) x->name,
#include "model/data_fields.h"
  };
  return all[k];
}

typedef struct {
  const cr_model* m;
  cr_data* to;
  const cri_schedule* s;
  cri_counts counts;
  cri_need all;
  int pairs[N_OPERATORS];
} watch;

static double share[ROWS];  // the most of its scratch that a row has taken
static int too_many;

static const cr_pairs* pairs_of(const cr_data* d, int k) {
  return (const cr_pairs*)(const void*)((const char*)d + cri_field(operators[k])->pairs);
}

static void begin(watch* w) {
  w->to->scratch_peak = w->to->scratch_used;
  for (int k = 0; k < N_OPERATORS; k++) {
    w->pairs[k] = w->to->role == CR_DATA_COTANGENT ? pairs_of(w->to, k)->n : 0;
  }
}

static void after(void* context, int row) {
  watch* w = context;
  const cr_stage* stage = &w->s->row[row];
  const cri_need need = stage->needs(&w->counts, &w->all);
  size_t taken = w->to->scratch_peak - w->to->scratch_used;
  if (taken > need.scratch) {
    too_many++;
    print_error("%s: %zu numbers of scratch, the table says %zu\n", stage->name, taken,
                need.scratch);
  }
  double part = need.scratch > 0 ? (double)taken / (double)need.scratch : 1;
  share[row] = part > share[row] ? part : share[row];
  for (int k = 0; k < N_OPERATORS && w->to->role == CR_DATA_COTANGENT; k++) {
    int added = pairs_of(w->to, k)->n - w->pairs[k];
    if (added > (int)pairs_needed(&need, k)) {
      too_many++;
      print_error("%s: %d pairs of %s, the table says %zu\n", stage->name, added,
                  cri_field(operators[k])->name, pairs_needed(&need, k));
    }
  }
  begin(w);
}

static cr_status run(const cr_model* m, cri_pass pass, const cr_data* d, cr_data* to) {
  watch w = {.m = m, .to = to, .s = cri_schedule_of(m), .counts = cri_counts_of(m, to)};
  w.all = cri_needs_of(m, &w.counts);
  begin(&w);
  const cri_rows rows = {.end = w.s->n, .after = after, .context = &w};
  return cri_drive(w.s, pass, &rows, m, d, to);
}

static void all_passes(const cr_model* m, uint64_t seed) {
  cr_data *d = test_data(m), *tan = test_twin(m, d, CR_DATA_TANGENT);
  cr_data* bar = test_twin(m, d, CR_DATA_COTANGENT);
  cr_random random = cr_random_seed(seed, 5);
  random_state(m, d, seed, seed % 2 == 0 ? STATE_CONTACT : STATE_FLIGHT);
  if (run(m, CRI_FORWARD, d, d) != CR_OK) {
    return;
  }
  d->measured = true;
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    const cr_field_id id = (cr_field_id)i;
    bool seeds = cri_field(id)->kind == CR_KIND_STATE || cri_field(id)->kind == CR_KIND_REAL;
    int n =
        seeds && cri_field(id)->tangent != CR_TANGENT_NONE ? cri_field_tangent_size(m, d, id) : 0;
    for (int k = 0; k < n; k++) {
      cri_field_real(m, tan, id)[k] = cr_random_normal(&random);
      cri_field_real(m, bar, id)[k] = cr_random_normal(&random);
    }
  }
  (void)run(m, CRI_JVP, d, tan);
  (void)run(m, CRI_VJP, d, bar);
}

TEST(rows_take_no_more_than_they_say) {
  assert_true(cr_npipeline <= ROWS);
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
      cr_model m;
      assert_int_equal(random_model(&m, seed, NULL), CR_OK);
      m.integrator = integrators[k];
      if (m.integrator == CR_INT_DISCRETE) {
        random_model_discrete(&m);
      }
      m.enableflags |= seed % 3 == 2 ? CR_ENBL_DIAGEXACT : 0;
      all_passes(&m, seed);
      test_release();
      cri_model_free(&m);
    }
  }
  assert_int_equal(too_many, 0);
}

// a bound that nothing comes near to is no bound
TEST(rows_say_no_more_than_they_may_take) {
  for (int i = 0; i < cr_npipeline; i++) {
    if (share[i] < 0.1) {
      fail_msg("%s takes %.3f of its scratch at most", cr_pipeline[i].name, share[i]);
    }
  }
}
