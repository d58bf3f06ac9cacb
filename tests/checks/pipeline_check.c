// SPDX-License-Identifier: Apache-2.0
// Models and states are visited once; the test of a row reports what was found for it. The last
// tests check the random states themselves: a feature that never occurs is not tested.
#include "checks/pipeline_check.h"

#include <stdio.h>

#include "checks/stage_check.h"
#include "collision/collision.h"
#include "engine/data_create.h"
#include "engine/forward.h"
#include "engine/plugin.h"
#include "scenes/coulomb.h"
#include "scenes/random_model.h"
#include "support/test.h"

enum { MAX_STAGE = 32 };

// how often each kind of thing occurred
typedef struct {
  int contacts[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE];
  int rows[8];   // by efc_type
  int flights;   // states without any row
  int wraps[4];  // around, by side; inside; straight past a geom
  int muscles, cranks, grips, gap_grips;
} census;

static stage_report reports[MAX_STAGE + 1];
static census seen;
static int edges;

static bool grips_contact(const cr_model* m, const cr_data* d, int i, int k) {
  int body = m->actuator_trnid[2 * i];
  return m->geom_bodyid[d->contact_geom[2 * k]] == body ||
         m->geom_bodyid[d->contact_geom[2 * k + 1]] == body;
}

static void count(const cr_model* m, const cr_data* d, census* c) {
  for (int i = 0; i < d->ncon; i++) {
    int a = m->geom_type[d->contact_geom[2 * i]], b = m->geom_type[d->contact_geom[2 * i + 1]];
    c->contacts[a][b]++;
  }
  for (int i = 0; i < d->nefc; i++) {
    c->rows[d->efc_type[i]]++;
  }
  c->flights += d->nefc == 0;
  for (int i = 0; i < m->nwrap; i++) {
    int branch = d->wrap_branch[i];
    if (m->wrap_type[i] == CR_WRAP_SPHERE || m->wrap_type[i] == CR_WRAP_CYLINDER) {
      c->wraps[branch == 1 ? 0 : branch == -1 ? 1 : branch > 1 ? 2 : 3]++;
    }
  }
  for (int i = 0; i < m->nactuator; i++) {
    bool muscle = m->actuator_gaintype[i] == CR_GAIN_MUSCLE;
    bool grips = m->actuator_trntype[i] == CR_TRN_BODY;
    c->cranks += m->actuator_trntype[i] == CR_TRN_SLIDERCRANK;
    c->grips += grips && d->moment_rownnz[m->actuator_outadr[i]] > 0;
    for (int k = 0; grips && k < d->ncon; k++) {
      c->gap_grips += d->contact_exclude[k] == 1 && grips_contact(m, d, i, k);
    }
    c->muscles += muscle && d->actuator_force[m->actuator_outadr[i]] != 0;
  }
}

static void check_state(const cr_model* m, cr_data* d, uint64_t seed, state_kind kind) {
  char label[64];
  (void)snprintf(label, sizeof label, "model %d %s", (int)seed,
                 kind == STATE_FLIGHT ? "in flight" : "in contact");
  random_state(m, d, seed, kind);
  d->want_M = seed % 2 == 1;
  stage_check(reports, m, d, cr_pipeline, cr_npipeline, 0, cr_npipeline - 1, seed, label);
  stage_check_derivatives(&reports[cr_npipeline], m, d, cr_pipeline, cr_npipeline, NULL, seed,
                          label);
  if (cr_forward(m, d) == CR_OK) {
    count(m, d, &seen);
  }
}

// tendon springs at rest too
static void check_edge(cr_model* m, cr_data* d, uint64_t seed) {
  char label[64];
  (void)snprintf(label, sizeof label, "model %d at an edge", (int)seed);
  random_state_edge(m, d, seed);
  if (cr_forward(m, d) != CR_OK) {
    return;
  }
  for (int t = 0; t < m->ntendon; t++) {
    m->tendon_lengthspring[2 * t] = m->tendon_lengthspring[2 * t + 1] = d->ten_length[t];
  }
  if (cr_forward(m, d) !=
      CR_OK) {  // an unsymmetric contact model may have an answer with the springs alone
    return;
  }
  d->beside_rest = seed % 4 == 1;
  stage_check_edge(reports, m, d, cr_pipeline, cr_npipeline, seed, label);
  d->beside_rest = false;
  edges++;
}

// of a program, or Carom's own
static void choose_contact_model(cr_model* m, uint64_t seed) {
  m->cone = CR_CONE_ELLIPTIC;
  if (seed % 8 == 2) {
    coulomb_choose(m, true);
    return;
  }
  bool ncp = seed % 16 == 14;
  m->contact_model = ncp ? CR_CONTACT_NCP : CR_CONTACT_HUNT_CROSSLEY;
  m->integrator = ncp ? CR_INT_EULER : m->integrator;
  m->friction_law = (int)(seed / 8) % 4;
}

static void check_models(uint64_t first, int models) {
  memset(reports, 0, sizeof reports);
  memset(&seen, 0, sizeof seen);
  for (uint64_t seed = first; seed < first + (uint64_t)models; seed++) {
    cr_model m;
    cr_data* d = NULL;
    cr_error error = {0};
    cr_status status = random_model(&m, seed, &error);
    m.npluginstate = seed % 3 == 0 ? 2 : 0;
    if (status == CR_OK && seed % 2 == 1) {
      random_model_discrete(&m);
      if (seed % 8 == 5) {
        random_model_loose(&m);
      }
    }
    if (status == CR_OK && seed % 4 == 2) {
      choose_contact_model(&m, seed);
    }
    if (status != CR_OK || cri_data_create(&d, &m, NULL, &error) != CR_OK) {
      print_error("model %d: %s\n", (int)seed, error.text);
      reports[0].failures++;
    } else {
      for (int kind = 0; kind < N_STATE_KIND; kind++) {
        check_state(&m, d, seed, (state_kind)kind);
      }
      check_edge(&m, d, seed);
    }
    cri_data_free(d);
    cri_model_free(&m);
  }
}

static void print_report(const char* name, const stage_report* r) {
  print_message("%-14s jvp %.1e  vjp %.1e  samples %d, skipped %d, noisy %d\n", name,
                (double)r->jvp_error, (double)r->vjp_error, r->samples, r->skipped, r->noisy);
}

static void stage_holds(void** state) {
  int row = (int)((stage_report*)*state - reports);
  if (cr_pipeline[row].forward != cr_plugin) {  // whose rates are zero, as are their derivatives
    stage_check_finish(&reports[row], &cr_pipeline[row]);
  }
  print_report(cr_pipeline[row].name, &reports[row]);
  stage_report_assert(&reports[row], cr_pipeline[row].name);
}

static void forward_holds(void** state) {
  stage_report* report = *state;
  print_report("all", report);
  assert_true(5 * report->skipped <= report->samples);
  stage_report_assert(report, "cr_forward");
}

static void edges_are_visited(void** state) {
  print_message("%d states at edges\n", edges);
  assert_true(4 * edges > 3 * *(int*)*state);
}

static void every_contact_occurs(void** state) {
  static const int types[] = {CR_GEOM_PLANE, CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER,
                              CR_GEOM_BOX};
  for (int i = 0; i < 5; i++) {
    for (int j = i > 0 ? i : 1; j < 5; j++) {
      if (cri_collision_supported(types[i], types[j]) && seen.contacts[types[i]][types[j]] == 0) {
        fail_msg("no contact of geom types %d and %d", types[i], types[j]);
      }
    }
  }
}

static void every_row_occurs(void** state) {
  assert_true(seen.flights > 0);
  assert_true(seen.rows[CR_CNSTR_EQUALITY] > 0);
  assert_true(seen.rows[CR_CNSTR_FRICTION_DOF] > 0);
  assert_true(seen.rows[CR_CNSTR_FRICTION_TENDON] > 0);
  assert_true(seen.rows[CR_CNSTR_LIMIT_JOINT] > 0);
  assert_true(seen.rows[CR_CNSTR_LIMIT_TENDON] > 0);
  assert_true(seen.rows[CR_CNSTR_CONTACT_FRICTIONLESS] > 0);
  assert_true(seen.rows[CR_CNSTR_CONTACT_PYRAMIDAL] > 0);
  assert_true(seen.rows[CR_CNSTR_CONTACT_ELLIPTIC] > 0);
}

static void every_wrap_occurs(void** state) {
  print_message("wraps %d %d %d, straight %d, muscles %d\n", seen.wraps[0], seen.wraps[1],
                seen.wraps[2], seen.wraps[3], seen.muscles);
  for (int i = 0; i < 4; i++) {
    assert_true(seen.wraps[i] > 0);
  }
  assert_true(seen.muscles > 0);
}

static void every_transmission_occurs(void** state) {
  print_message("cranks %d, grips %d, of contacts in the gap %d\n", seen.cranks, seen.grips,
                seen.gap_grips);
  assert_true(seen.cranks > 0 && seen.grips > 0 && seen.gap_grips > 0);
}

int pipeline_check(const char* name, uint64_t first, int models) {
  struct CMUnitTest tests[MAX_STAGE + 6];
  size_t n = 0;
  edges = 0;
  check_models(first, models);
  for (int row = 0; row < cr_npipeline; row++) {
    tests[n++] = (struct CMUnitTest){
        .name = cr_pipeline[row].name, .test_func = stage_holds, .initial_state = &reports[row]};
  }
  tests[n++] = (struct CMUnitTest){
      .name = "cr_forward", .test_func = forward_holds, .initial_state = &reports[cr_npipeline]};
  tests[n++] = (struct CMUnitTest){
      .name = "edges", .test_func = edges_are_visited, .initial_state = &models};
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_contact_occurs);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_row_occurs);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_wrap_occurs);
  tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_transmission_occurs);
  return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}
