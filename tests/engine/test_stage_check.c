// SPDX-License-Identifier: Apache-2.0
// The generic stage check must catch mistakes. Real rows get one mistake at a time,
// and each has to be reported, in the right words. Without a mistake the same rows pass.
#include "checks/stage_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "actuator/actuation.h"
#include "engine/smooth.h"
#include "force/bias.h"
#include "inertia/inertia.h"
#include "model/model_check.h"
#include "scenes/random_model.h"
#include "sensor/sensor.h"
#include "support/allocation.h"
#include "support/test.h"

enum { MAX_STAGE = 32 };

// ---- spoiled functions

static cr_data* writable(const cr_data* d) { return (cr_data*)(uintptr_t)d; }

// one entry of a tangent 1 % off
static cr_status bias_jvp_entry_off(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_bias_jvp(m, d, tan));
  tan->qfrc_bias[m->nv - 1] *= CR_R(1.01);
  return CR_OK;
}

// one term of a tangent 1 % off: the power of gravity's tangent
static cr_status bias_jvp_term_off(const cr_model* m, const cr_data* d, cr_data* tan) {
  const cr_real* gravity_tan = cri_par_tan(tan->par.gravity, 0, 3);
  CR_TRY(cr_bias_jvp(m, d, tan));
  tan->qfrc_bias[0] += CR_R(0.01) * gravity_tan[2];
  return CR_OK;
}

// one entry of a cotangent 1 % off
static cr_status bias_vjp_entry_off(const cr_model* m, const cr_data* d, cr_data* bar) {
  cr_real before = bar->cinert[19];
  CR_TRY(cr_bias_vjp(m, d, bar));
  bar->cinert[19] += CR_R(0.01) * (bar->cinert[19] - before);
  return CR_OK;
}

// an off-diagonal entry of an operator's tangent 1 % off
static cr_status inertia_jvp_entry_off(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_inertia_jvp(m, d, tan));
  tan->M[m->M_rowadr[m->nv - 1]] *= CR_R(1.01);
  return CR_OK;
}

// an operator's pairs read as if M were not symmetric
static cr_status inertia_vjp_one_sided(const cr_model* m, const cr_data* d, cr_data* bar) {
  cr_real* left = cri_pair_left(&bar->M_pairs, 0);
  cr_real kept = left[m->nv - 1];
  left[m->nv - 1] = 0;
  cr_status status = cr_inertia_vjp(m, d, bar);
  left[m->nv - 1] = kept;
  return status;
}

// the tangent of an operator forgotten
static cr_status actuation_jvp_no_moment(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_real kept[128];
  cr_copy(kept, tan->actuator_moment, d->nmoment);
  cr_zero(tan->actuator_moment, d->nmoment);
  cr_status status = cr_actuation_jvp(m, d, tan);
  cr_copy(tan->actuator_moment, kept, d->nmoment);
  return status;
}

static cr_status smooth_vjp_overwrites(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_smooth_vjp(m, d, bar));
  for (int i = 0; i < m->nv; i++) {
    bar->qfrc_bias[i] = -bar->qfrc_smooth[i];
  }
  return CR_OK;
}

static cr_status smooth_vjp_uses_up(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_smooth_vjp(m, d, bar));
  bar->qfrc_smooth[0] = 0;
  return CR_OK;
}

static cr_status smooth_vjp_strays(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_smooth_vjp(m, d, bar));
  bar->qvel[0] = 1;
  return CR_OK;
}

static cr_status smooth_jvp_adds(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_real before = isfinite(tan->qfrc_smooth[0]) ? tan->qfrc_smooth[0] : 0;
  CR_TRY(cr_smooth_jvp(m, d, tan));
  tan->qfrc_smooth[0] += before;
  return CR_OK;
}

static cr_status smooth_reads_field(const cr_model* m, cr_data* d) {
  CR_TRY(cr_smooth(m, d));
  d->qfrc_smooth[0] += 0 * d->qfrc_spring[0];
  return CR_OK;
}

static cr_status smooth_reads_parameter(const cr_model* m, cr_data* d) {
  CR_TRY(cr_smooth(m, d));
  d->qfrc_smooth[0] += 0 * m->dof_damping[0];
  return CR_OK;
}

static cr_status smooth_writes_field(const cr_model* m, cr_data* d) {
  CR_TRY(cr_smooth(m, d));
  d->qfrc_bias[0] += 1;
  return CR_OK;
}

static cr_status smooth_remembers(const cr_model* m, cr_data* d) {
  cr_real before = isfinite(d->qfrc_smooth[0]) ? d->qfrc_smooth[0] : 0;
  CR_TRY(cr_smooth(m, d));
  d->qfrc_smooth[0] += before;
  return CR_OK;
}

static cr_status smooth_jvp_reads_output(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_smooth_jvp(m, d, tan));
  tan->qfrc_smooth[0] += 0 * d->qfrc_smooth[0];
  return CR_OK;
}

static cr_status smooth_vjp_reads_output(const cr_model* m, const cr_data* d, cr_data* bar) {
  CR_TRY(cr_smooth_vjp(m, d, bar));
  bar->qfrc_bias[0] += 0 * d->qfrc_smooth[0];
  return CR_OK;
}

static cr_status smooth_jvp_writes_data(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_smooth_jvp(m, d, tan));
  writable(d)->qfrc_smooth[0] += 1;
  return CR_OK;
}

static cr_status smooth_vjp_uses_scratch_of_data(const cr_model* m, const cr_data* d,
                                                 cr_data* bar) {
  size_t mark = cri_mark(d);
  *cri_push(writable(d), 1) = 3;
  cri_pop(writable(d), mark);
  return cr_smooth_vjp(m, d, bar);
}

static void* volatile heap;

static cr_status smooth_vjp_allocates(const cr_model* m, const cr_data* d, cr_data* bar) {
  heap = malloc(64);
  free(heap);
  return cr_smooth_vjp(m, d, bar);
}

static cr_status smooth_allocates(const cr_model* m, cr_data* d) {
  heap = calloc(4, 16);
  free(heap);
  return cr_smooth(m, d);
}

static cr_status smooth_jvp_leaves_scratch(const cr_model* m, const cr_data* d, cr_data* tan) {
  cri_push(tan, 1);
  return cr_smooth_jvp(m, d, tan);
}

static cr_status smooth_jvp_needs_parameters(const cr_model* m, const cr_data* d, cr_data* tan) {
  CR_TRY(cr_smooth_jvp(m, d, tan));
  tan->qfrc_smooth[0] += tan->par.gravity == NULL ? 1 : 0;
  return CR_OK;
}

static cr_status smooth_fails(const cr_model* m, cr_data* d) {
  return cri_fail(&d->error, CR_ERR_SINGULAR, "as asked");
}

// a map whose tangent is a difference quotient: good to round-off, and still not a derivative
static cr_status cube(const cr_model* m, cr_data* d) {
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_bias[i] = d->qvel[i] * d->qvel[i] * d->qvel[i];
  }
  return CR_OK;
}

static cr_status cube_jvp_by_differences(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < m->nv; i++) {
    cr_real h = cr_pow(CR_R(0.25), 9) / 16;
    cr_real x = d->qvel[i] + h * tan->qvel[i], y = d->qvel[i] + -h * tan->qvel[i];
    tan->qfrc_bias[i] = (x * x * x - y * y * y) / (2 * h);
  }
  return CR_OK;
}

static cr_status cube_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int i = 0; i < m->nv; i++) {
    bar->qvel[i] += 3 * d->qvel[i] * d->qvel[i] * bar->qfrc_bias[i];
  }
  return CR_OK;
}

// a switch of the discrete state right beside every point
static cr_status cube_switches(const cr_model* m, cr_data* d) {
  d->nl = (int32_t)(d->qvel[0] * CR_R(1e8));
  return cube(m, d);
}

// ---- the bench they are put on

typedef struct {
  const char* row;
  cr_stage_forward forward;
  cr_stage_derivative jvp, vjp;
  const char* words;  // what the report has to say
} spoiled;

static const spoiled cases[] = {
    {"bias", NULL, bias_jvp_entry_off, NULL, "bias: jvp of qfrc_bias"},
    {"bias", NULL, bias_jvp_term_off, NULL, "by input: gravity"},
    {"bias", NULL, NULL, bias_vjp_entry_off, "bias: vjp from qfrc_bias to cinert"},
    {"inertia", NULL, inertia_jvp_entry_off, NULL, "inertia: jvp of M"},
    {"inertia", NULL, NULL, inertia_vjp_one_sided, "inertia: vjp from M to"},
    {"actuation", NULL, actuation_jvp_no_moment, NULL, "actuation: jvp of"},
    {"smooth", NULL, NULL, smooth_vjp_overwrites, "vjp does not add to the cotangent of qfrc_bias"},
    {"smooth", NULL, NULL, smooth_vjp_uses_up, "vjp writes qfrc_smooth"},
    {"smooth", NULL, NULL, smooth_vjp_strays, "vjp writes qvel"},
    {"smooth", NULL, smooth_jvp_adds, NULL, "jvp does not overwrite: tangent of qfrc_smooth"},
    {"smooth", smooth_reads_field, NULL, NULL, "forward uses an undeclared field: qfrc_smooth"},
    {"smooth", smooth_reads_parameter, NULL, NULL, "forward uses an undeclared field: qfrc_smooth"},
    {"smooth", smooth_writes_field, NULL, NULL, "forward writes qfrc_bias"},
    {"smooth", smooth_remembers, NULL, NULL, "forward gives other numbers in a second call"},
    {"smooth", smooth_fails, NULL, NULL, "inertia matrix is not positive definite"},
    {"smooth", NULL, smooth_jvp_reads_output, NULL, "jvp uses an undeclared field"},
    {"smooth", NULL, NULL, smooth_vjp_reads_output, "vjp uses an undeclared field"},
    {"smooth", NULL, smooth_jvp_writes_data, NULL, "jvp changes the data"},
    {"smooth", NULL, NULL, smooth_vjp_uses_scratch_of_data, "vjp changes the data"},
    {"smooth", NULL, smooth_jvp_leaves_scratch, NULL, "jvp leaves scratch in use"},
    {"smooth", NULL, smooth_jvp_needs_parameters, NULL, "twin without parameters"},
};
enum { N_CASE = sizeof cases / sizeof cases[0] };

static int row_of(const char* name) {
  int row = 0;
  while (strcmp(cr_pipeline[row].name, name) != 0) {
    row++;
  }
  return row;
}

// the row in `pipeline`, on trees without contacts and one with actuators
static void check(const cr_stage* pipeline, int row, stage_report* report) {
  stage_report reports[MAX_STAGE];
  memset(reports, 0, sizeof reports);
  for (uint64_t seed = 3; seed < 16; seed += 4) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    cr_data* d = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    stage_check(reports, &m, d, pipeline, cr_npipeline, row, row, seed, "spoiled");
    cri_model_free(&m);
  }
  *report = reports[row];
}

static int check_spoiled(const spoiled* s, stage_report* report) {
  cr_stage pipeline[MAX_STAGE];
  memcpy(pipeline, cr_pipeline, (size_t)cr_npipeline * sizeof *pipeline);
  int row = row_of(s->row);
  pipeline[row].forward = s->forward != NULL ? s->forward : pipeline[row].forward;
  pipeline[row].jvp = s->jvp != NULL ? s->jvp : pipeline[row].jvp;
  pipeline[row].vjp = s->vjp != NULL ? s->vjp : pipeline[row].vjp;
  check(pipeline, row, report);
  return row;
}

static void must_say(const spoiled* s) {
  stage_report report;
  check_spoiled(s, &report);
  if (report.failures == 0 || strstr(report.text, s->words) == NULL) {
    fail_msg("\"%s\" was not said; what was:\n%s", s->words, report.text);
  }
}

TEST(every_mistake_is_found) {
  for (int i = 0; i < N_CASE; i++) {
    must_say(&cases[i]);
  }
}

TEST(allocations_are_found) {
  if (allocation_count() < 0) {
    skip();
  }
  must_say(&(spoiled){"smooth", smooth_allocates, NULL, NULL, "forward allocates"});
  must_say(&(spoiled){"smooth", NULL, NULL, smooth_vjp_allocates, "vjp allocates"});
}

TEST(sound_rows_pass) {
  static const char* const rows[] = {"velocity", "inertia", "actuation", "smooth"};
  for (int i = 0; i < 4; i++) {
    stage_report report;
    int row = check_spoiled(&(spoiled){.row = rows[i]}, &report);
    stage_check_finish(&report, &cr_pipeline[row]);
    stage_report_assert(&report, rows[i]);
    assert_int_equal(report.samples, 4);
    assert_int_equal(report.skipped, 0);
  }
}

// ---- where there is no derivative, or few digits

// all rows, so that the directions are those of test_pipeline_long
static void check_flight(const cr_stage* pipeline, uint64_t seed, stage_report reports[MAX_STAGE]) {
  cr_model m;
  memset(reports, 0, MAX_STAGE * sizeof *reports);
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  m.npluginstate = 2;
  cr_data* d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  stage_check(reports, &m, d, pipeline, cr_npipeline, 0, cr_npipeline - 1, seed, "model");
  cri_model_free(&m);
}

// the largest entry 1 % off
static cr_status sensor_jvp_entry_off(const cr_model* m, const cr_data* d, cr_data* tan) {
  int largest = 0;
  CR_TRY(cr_sensor_jvp(m, d, tan));
  for (int i = 0; i < m->nsensordata; i++) {
    largest = cr_abs(tan->sensordata[i]) > cr_abs(tan->sensordata[largest]) ? i : largest;
  }
  tan->sensordata[largest] *= CR_R(1.01);
  return CR_OK;
}

// a cylinder's direction to itself is as open as round-off leaves it; all other numbers are compared
TEST(the_direction_of_a_geom_to_itself_is_not_compared) {
  cr_stage pipeline[MAX_STAGE];
  stage_report reports[MAX_STAGE];
  int row = row_of("sensor");
  memcpy(pipeline, cr_pipeline, (size_t)cr_npipeline * sizeof *pipeline);
  check_flight(pipeline, 1125, reports);
  stage_report_assert(&reports[row], "sensor");
  assert_int_equal(reports[row].samples, 1);
  assert_int_equal(reports[row].skipped, 0);
  pipeline[row].jvp = sensor_jvp_entry_off;
  check_flight(pipeline, 1125, reports);
  assert_non_null(strstr(reports[row].text, "jvp of sensordata"));
}

// the error falls with the precision of the build
TEST(products_are_as_good_as_the_acceleration_is) {
  stage_report reports[MAX_STAGE];
  int row = row_of("acceleration");
  check_flight(cr_pipeline, 1092, reports);
  stage_report_assert(&reports[row], "acceleration");
  assert_true(reports[row].vjp_error < CR_EPS / CR_R(1e-8));
}

// ---- one row that stands alone

static const cr_field_id cube_reads[] = {CR_FIELD_qvel};
static const cr_field_id cube_writes[] = {CR_FIELD_qfrc_bias};

static void check_cube(cr_stage_forward forward, cr_stage_derivative jvp, stage_report* report) {
  cr_stage row = {"cube", forward, jvp,  cube_vjp, cube_reads, cube_writes,
                  1,      1,       NULL, NULL,     NULL,       NULL};
  cr_model m;
  assert_int_equal(random_model(&m, 3, NULL), CR_OK);
  cr_data* d = test_data(&m);
  random_state(&m, d, 3, STATE_FLIGHT);
  memset(report, 0, sizeof *report);
  stage_check_derivatives(report, &m, d, &row, 1, NULL, 3, "cube");
  stage_check_finish(report, &row);
  cri_model_free(&m);
}

static cr_status cube_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < m->nv; i++) {
    tan->qfrc_bias[i] = 3 * d->qvel[i] * d->qvel[i] * tan->qvel[i];
  }
  return CR_OK;
}

static cr_status cube_jvp_zero(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->qfrc_bias, m->nv);
  return CR_OK;
}

TEST(a_difference_quotient_is_no_derivative) {
  stage_report report;
  check_cube(cube, cube_jvp, &report);
  stage_report_assert(&report, "cube");
  check_cube(cube, cube_jvp_by_differences, &report);
  assert_non_null(strstr(report.text, "jvp is a difference quotient"));
}

TEST(a_derivative_that_is_always_zero_is_found) {
  stage_report report;
  check_cube(cube, cube_jvp_zero, &report);
  assert_non_null(strstr(report.text, "the tangent of qfrc_bias is always zero"));
}

TEST(skipped_samples_are_counted) {
  stage_report report;
  check_cube(cube_switches, cube_jvp, &report);
  assert_int_equal(report.skipped, 1);
  assert_non_null(strstr(report.text, "1 of 1 samples skipped"));
}

// ---- the material

TEST(random_models_are_valid) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    cr_model m;
    cr_error error = {0};
    cr_status status = random_model(&m, seed, &error);
    status = status == CR_OK ? cri_model_check(&m, &error) : status;
    if (status != CR_OK) {
      fail_msg("model %d: %s", (int)seed, error.text);
    }
    assert_true(m.nv > 0);
    cri_model_free(&m);
  }
}

TEST(random_models_are_reproducible) {
  cr_model a, b;
  assert_int_equal(random_model(&a, 5, NULL), CR_OK);
  assert_int_equal(random_model(&b, 5, NULL), CR_OK);
  assert_int_equal(a.nv, b.nv);
  assert_memory_equal(a.body_mass, b.body_mass, (size_t)a.nbody * sizeof(cr_real));
  assert_memory_equal(a.geom_size, b.geom_size, 3 * (size_t)a.ngeom * sizeof(cr_real));
  cri_model_free(&a);
  cri_model_free(&b);
}
