// SPDX-License-Identifier: Apache-2.0
// The derivatives of the whole step, with respect to everything it depends on: jvp against
// differences, vjp against jvp, with both integrators, over random models in flight and in contact.
#include <stdio.h>

#include "checks/stage_check.h"
#include "engine/pipeline.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "model/state_vector.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/test.h"

enum { MODELS = 24 };

// ---- the step as a row: all states and parameters to the next state

static cr_data* work;  // the step's derivatives need one

static cr_status step_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  return cr_step_jvp(m, d, work, tan);
}

static cr_status step_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  return cr_step_vjp(m, m, d, work, bar);
}

// Runge-Kutta evaluates the dynamics at more points than it leaves behind: visit them again
static uint64_t discrete_state(const cr_model* m, const cr_data* d) {
  uint64_t hash = stage_discrete_state(m, d);
  for (int i = 0; m->integrator == CR_INT_RK4 && i < d->nrk; i++) {
    cri_inputs_copy(m, work, d);
    cri_state_copy(cri_state_of(m, work), cri_state_stage(m, d, i));
    hash = cr_forward(m, work) == CR_OK ? 3 * hash + stage_discrete_state(m, work) : 0;
  }
  return hash;
}

// sites have no part in the motion
static bool given(cr_field_id id) {
  cr_field_kind kind = cri_field(id)->kind;
  bool site = id == CR_FIELD_site_pos || id == CR_FIELD_site_quat;
  return kind == CR_KIND_STATE || (kind == CR_KIND_PARAM && !site);
}

static int collect_inputs(cr_field_id* inputs, int integrator) {
  int n = 0;
  for (int i = 0; i < cr_ndynamics; i++) {
    for (int k = 0; k < cr_pipeline[i].nread; k++) {
      cr_field_id id = cr_pipeline[i].reads[k];
      bool ncp = id == CR_FIELD_ncp_cfm || id == CR_FIELD_ncp_baumgarte;
      bool have = !given(id) || (ncp && integrator == CR_INT_RK4);
      for (int j = 0; j < n; j++) {
        have = have || inputs[j] == id;
      }
      if (!have) {
        inputs[n++] = id;
      }
    }
  }
  return n;
}

// Carom's own in the last four; ncp knows no stages
static void choose_contact_model(cr_model* m, uint64_t seed) {
  bool ncp = seed % 2 == 0 && m->integrator != CR_INT_RK4;
  if (seed >= MODELS) {
    m->cone = CR_CONE_ELLIPTIC;
    m->contact_model = ncp ? CR_CONTACT_NCP : CR_CONTACT_HUNT_CROSSLEY;
  }
}

static void check_step(int integrator, stage_report* report, cr_stage* row) {
  static cr_field_id inputs[CR_N_FIELD];
  static const cr_field_id next[] = {
#define CR_EVOLVES(name, n, tangent, law, rate) CR_FIELD_##name##_next,
#include "model/state_table.h"
  };
  *row = (cr_stage){
      "step",      cr_step, step_jvp, step_vjp, inputs, next, collect_inputs(inputs, integrator),
      CRI_N_STATE, NULL,    NULL,     NULL,     NULL};
  memset(report, 0, sizeof *report);
  for (uint64_t seed = 0; seed < MODELS + 4; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    m.npluginstate = seed % 8 == 1 ? 2 : 0;
    m.integrator = integrator;
    if (integrator == CR_INT_RK4) {
      random_model_calm(&m);
      m.timestep /= 4;  // four points a step: fewer switches lie between them
    }
    if (integrator == CR_INT_DISCRETE) {
      random_model_discrete(&m);
    }
    choose_contact_model(&m, seed);
    cr_data* d = test_data(&m);
    work = test_data(&m);
    for (int kind = 0; kind < N_STATE_KIND; kind++) {
      char label[64];
      (void)snprintf(label, sizeof label, "model %d %s", (int)seed,
                     kind == STATE_FLIGHT ? "in flight" : "in contact");
      random_state(&m, d, seed, (state_kind)kind);
      stage_check_derivatives(report, &m, d, row, 1, discrete_state, seed, label);
    }
    cri_model_free(&m);
  }
  print_message("step %d: jvp %.1e  vjp %.1e  samples %d, skipped %d\n", integrator,
                (double)report->jvp_error, (double)report->vjp_error, report->samples,
                report->skipped);
}

TEST(euler_step) {
  static stage_report report;
  cr_stage row;
  check_step(CR_INT_EULER, &report, &row);
  stage_check_finish(&report, &row);
  stage_report_assert(&report, "step, Euler");
}

TEST(implicit_step) {
  static stage_report report;
  cr_stage row;
  check_step(CR_INT_IMPLICIT, &report, &row);
  stage_check_finish(&report, &row);
  stage_report_assert(&report, "step, implicit");
}

TEST(implicitfast_step) {
  static stage_report report;
  cr_stage row;
  check_step(CR_INT_IMPLICITFAST, &report, &row);
  stage_check_finish(&report, &row);
  stage_report_assert(&report, "step, implicitfast");
}

TEST(discrete_step) {
  static stage_report report;
  cr_stage row;
  check_step(CR_INT_DISCRETE, &report, &row);
  stage_check_finish(&report, &row);
  stage_report_assert(&report, "step, discrete");
}

TEST(rk4_step) {
  static stage_report report;
  cr_stage row;
  check_step(CR_INT_RK4, &report, &row);
  stage_check_finish(&report, &row);
  stage_report_assert(&report, "step, RK4");
}

// ---- side effects

typedef struct {
  cr_model m;
  cr_data *d, *twin, *bar, *tan;
} bench;

static void open_bench(bench* b, uint64_t seed, int integrator) {
  assert_int_equal(random_model(&b->m, seed, NULL), CR_OK);
  b->m.integrator = integrator;
  b->d = test_data(&b->m);
  b->twin = test_data(&b->m);
  work = test_data(&b->m);
  b->tan = test_twin(&b->m, b->d, CR_DATA_TANGENT);
  b->bar = test_twin(&b->m, b->d, CR_DATA_COTANGENT);
  random_state(&b->m, b->d, seed, STATE_CONTACT);
  for (int i = 0; i < b->m.nv; i++) {
    b->tan->qpos[i] = b->bar->qpos_next[i] = i + 1;
    b->tan->qvel[i] = b->bar->qvel_next[i] = -i;
  }
}

TEST(derivatives_leave_the_data_alone) {
  for (int integrator = 0; integrator < 2; integrator++) {
    bench b;
    open_bench(&b, 5, integrator);
    assert_int_equal(cr_step(&b.m, b.d), CR_OK);
    cri_data_copy(&b.m, b.twin, b.d);
    assert_int_equal(cr_step_jvp(&b.m, b.d, work, b.tan), CR_OK);
    assert_int_equal(cr_step_vjp(&b.m, &b.m, b.d, work, b.bar), CR_OK);
    assert_memory_equal(b.d->memory, b.twin->memory, b.d->memory_size);
    assert_int_equal(b.d->scratch_used, 0);
    assert_int_equal(b.tan->scratch_used, 0);
    assert_int_equal(b.bar->scratch_used, 0);
    cri_model_free(&b.m);
  }
}

TEST(nothing_is_allocated) {
  if (allocation_count() < 0) {
    skip();
  }
  for (int integrator = 0; integrator < 2; integrator++) {
    bench b;
    open_bench(&b, 2, integrator);
    long before = allocation_count();
    cr_status status = cr_step(&b.m, b.d);
    status = status == CR_OK ? cr_step_jvp(&b.m, b.d, work, b.tan) : status;
    status = status == CR_OK ? cr_step_vjp(&b.m, &b.m, b.d, work, b.bar) : status;
    cr_advance(&b.m, b.d);
    long after = allocation_count();
    assert_int_equal(status, CR_OK);
    assert_int_equal(after, before);
    cri_model_free(&b.m);
  }
}

// cotangents of the inputs do not depend on what a twin was used for before
TEST(a_cotangent_can_be_used_again) {
  for (int integrator = 0; integrator < 2; integrator++) {
    bench b;
    open_bench(&b, 1, integrator);
    assert_int_equal(cr_step(&b.m, b.d), CR_OK);
    assert_int_equal(cr_step_vjp(&b.m, &b.m, b.d, work, b.bar), CR_OK);
    cr_real kept[128];
    int n = b.m.nv;
    assert_in_range(n, 1, 128);
    cr_copy(kept, b.bar->qvel, n);
    cr_zero(b.bar->qvel, n);
    cr_zero(b.bar->qpos, n);
    for (int i = 0; i < n; i++) {
      b.bar->qpos_next[i] = i + 1;
      b.bar->qvel_next[i] = -i;
    }
    assert_int_equal(cr_step_vjp(&b.m, &b.m, b.d, work, b.bar), CR_OK);
    for (int i = 0; i < n; i++) {
      assert_true(b.bar->qvel[i] == kept[i]);
    }
    cri_model_free(&b.m);
  }
}
