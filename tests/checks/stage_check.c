// SPDX-License-Identifier: Apache-2.0
// The order of the checks, and what is said at the end.
#include "checks/stage_check.h"

#include <stdio.h>

#include "checks/stage_bench.h"
#include "checks/stage_contract.h"
#include "checks/stage_derivative.h"
#include "support/test.h"

// smooth: there are derivatives in all directions, for differences to be compared with
static void check_row(stage_bench* b, const cr_stage* pipeline, int row, bool smooth) {
  contract_jvp(b, pipeline, row);
  contract_vjp(b, pipeline, row);
  stage_chain alone, closed;
  chain_single(&alone, &pipeline[row]);
  derivative_products(b, &alone);
  chain_closed(&closed, pipeline, row);
  if (smooth) {
    derivative_differences(b, &closed);
  }
  if (closed.n > 1) {
    derivative_products(b, &closed);
  }
}

static void check_rows(stage_report* reports, const cr_model* m, const cr_data* state,
                       const cr_stage* pipeline, int n, int first, int last, uint64_t seed,
                       const char* label, bool smooth) {
  stage_bench b;
  if (!bench_open(&b, m, state, seed, label)) {
    b.report = &reports[first];
    bench_fail(&b, "no memory");
    bench_close(&b);
    return;
  }
  for (int row = 0; row < n && row <= last; row++) {
    b.report = &reports[row < first ? first : row];
    if (row < first) {
      cr_status status = pipeline[row].forward(m, b.d);
      if (status != CR_OK) {
        bench_fail(&b, "%s: forward returns \"%s\"", pipeline[row].name, cr_status_text(status));
        break;
      }
      continue;
    }
    if (!contract_forward(&b, pipeline, row)) {
      break;
    }
    check_row(&b, pipeline, row, smooth);
  }
  bench_close(&b);
}

void stage_check(stage_report* reports, const cr_model* m, const cr_data* state,
                 const cr_stage* pipeline, int n, int first, int last, uint64_t seed,
                 const char* label) {
  check_rows(reports, m, state, pipeline, n, first, last, seed, label, true);
}

void stage_check_edge(stage_report* reports, const cr_model* m, const cr_data* state,
                      const cr_stage* pipeline, int n, uint64_t seed, const char* label) {
  check_rows(reports, m, state, pipeline, n, 0, n - 1, seed, label, false);
}

void stage_check_derivatives(stage_report* report, const cr_model* m, const cr_data* state,
                             const cr_stage* rows, int n, stage_discrete discrete, uint64_t seed,
                             const char* label) {
  stage_bench b;
  stage_chain c;
  bool open = bench_open(&b, m, state, seed, label);
  b.report = report;
  b.discrete = discrete != NULL ? discrete : b.discrete;
  chain_all(&c, rows, n);
  cr_status status = open ? chain_forward(&c, m, b.d) : CR_ERR_MEMORY;
  if (status != CR_OK) {
    bench_fail(&b, "%s: forward returns \"%s\" (%s)", c.name, cr_status_text(status),
               open ? b.d->error.text : "");
  } else {
    derivative_products(&b, &c);
    derivative_differences(&b, &c);
  }
  bench_close(&b);
}

// fields that a row reads only to decide what there is
static bool decides_only(const cr_stage* row, cr_field_id id) {
  if (id == CR_FIELD_contact_dist && strcmp(row->name, "mixing") == 0) {
    return true;
  }
  if (id == CR_FIELD_contact_adhesion && strcmp(row->name, "constraint") == 0) {
    return true;
  }
  // signs
  static const cr_field_id of_sensor[] = {CR_FIELD_body_iquat, CR_FIELD_geom_quat};
  for (int i = 0; i < 2 && strcmp(row->name, "sensor") == 0; i++) {
    if (id == of_sensor[i]) {
      return true;
    }
  }
  if (strcmp(row->name, "effective_mass") == 0) {
    return id == CR_FIELD_qfrc_gravcomp || id == CR_FIELD_actuator_forcerange ||
           id == CR_FIELD_jnt_actfrcrange || id == CR_FIELD_tendon_actfrcrange;
  }
  // the way in which a friction that is not there would act
  bool inverse = strcmp(row->name, "inverse") == 0;
  if (inverse || strcmp(row->name, "acceleration") == 0) {
    return (inverse && (id == CR_FIELD_qvel || id == CR_FIELD_qfrc_smooth)) ||
           id == CR_FIELD_dof_invweight0 || id == CR_FIELD_dof_solref ||
           id == CR_FIELD_dof_solimp || id == CR_FIELD_tendon_solref_fri ||
           id == CR_FIELD_tendon_solimp_fri;
  }
  // which side a limit of a tendon is on
  if (strcmp(row->name, "reaction") == 0) {
    return id == CR_FIELD_tendon_range || id == CR_FIELD_tendon_margin;
  }
  return strcmp(row->name, "collision") == 0 &&
         (id == CR_FIELD_geom_margin || id == CR_FIELD_pair_margin || id == CR_FIELD_o_margin);
}

// fields that are 0 unless a stage of one's own changes them
static bool is_made_zero(cr_field_id id) {
  return id == CR_FIELD_contact_area || id == CR_FIELD_contact_stiffness;
}

void stage_check_finish(stage_report* report, const cr_stage* row) {
  stage_bench b = {.report = report, .label = "all models"};
  if (5 * report->skipped > report->samples) {
    bench_fail(&b, "%s: %d of %d samples skipped", row->name, report->skipped, report->samples);
  }
  if (10 * report->noisy > report->samples) {
    bench_fail(&b, "%s: %d of %d samples noisy", row->name, report->noisy, report->samples);
  }
  for (int k = 0; k < row->nread; k++) {
    if (field_smooth(row->reads[k]) && !report->reached[row->reads[k]] &&
        !decides_only(row, row->reads[k])) {
      bench_fail(&b, "%s: the cotangent of %s is always zero", row->name,
                 cri_field(row->reads[k])->name);
    }
  }
  for (int k = 0; k < row->nwrite; k++) {
    if (field_smooth(row->writes[k]) && !report->reached[row->writes[k]] &&
        !is_made_zero(row->writes[k])) {
      bench_fail(&b, "%s: the tangent of %s is always zero", row->name,
                 cri_field(row->writes[k])->name);
    }
  }
}

void stage_report_assert(const stage_report* report, const char* name) {
  if (report->failures > 0) {
    print_error("%s", report->text);
    fail_msg("%s: %d failures", name, report->failures);
  }
}
