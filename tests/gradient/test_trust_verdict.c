// SPDX-License-Identifier: Apache-2.0
// One verdict for each set of figures, and a sentence that says what to do.
#include "gradient/trust_state.h"
#include "rollout/trajectory.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_rollout r;
  cr_trust_problem p;
  cr_trust out;
  cri_trust t;
} figures;

// all is well
static void begin(figures* f, bool events) {
  *f = (figures){.r = {.adaptive = true},
                 .out = {.beyond = (cr_real)INFINITY,
                         .lacking = (cr_real)NAN,
                         .reach = CR_R(1e-3),
                         .refined = CR_R(1e-6),
                         .slope = 2,
                         .quotient = CR_R(2.01),
                         .near_by = 2,
                         .left = 2,
                         .right = CR_R(2.02),
                         .near_left = 2,
                         .near_right = 2}};
  f->p = (cr_trust_problem){.rollout = &f->r, .m = &f->m, .n = 6};
  f->t = (cri_trust){.p = &f->p, .out = &f->out, .settled = true, .level = 1, .middle = 1};
  f->t.steps = (cr_adaptive){.size = sizeof(cr_adaptive), .rtol = CR_R(1e-6), .events = events};
}

static void judged(figures* f, cr_trust_verdict verdict, const char* words) {
  cri_trust_judge(&f->t);
  print_message("%s\n", f->out.text);
  assert_int_equal(f->out.verdict, verdict);
  assert_non_null(strstr(f->out.text, words));
}

TEST(good_figures_are_trusted) {
  figures f;
  begin(&f, true);
  f.out.off = CR_R(0.02);
  judged(&f, CR_TRUST_YES, "trust: a finer run changes it by 2 %");
}

TEST(one_far_from_the_finest_is_to_be_refined) {
  figures f;
  begin(&f, true);
  f.out.off = CR_R(0.04);
  judged(&f, CR_TRUST_REFINE, "do not trust (refine): ");
  begin(&f, true);
  f.t.settled = false;
  f.out.refined = 0;
  judged(&f, CR_TRUST_REFINE, "tolerance 1e-07, the finest that was tried");
}

TEST(errors_across_withhold_trust) {
  figures f;
  begin(&f, true);
  f.out.across_error = CR_R(0.029);
  judged(&f, CR_TRUST_YES, "trust: ");
  begin(&f, true);
  f.out.across_error = CR_R(0.031);
  f.out.across_quotient = CR_R(0.05);
  judged(&f, CR_TRUST_UNSETTLED, "across itself the gradient predicts 0, differences give 0.05");
}

TEST(moments_that_are_not_counted_withhold_trust) {
  figures f;
  begin(&f, false);
  f.out.uncounted = 3;
  f.out.lacking = CR_R(0.03);
  f.out.lacking_part = CR_R(0.05);
  judged(&f, CR_TRUST_YES, "trust: ");
  begin(&f, false);
  f.out.uncounted = 3;
  f.out.lacking = CR_R(0.03);
  f.out.lacking_part = CR_R(0.08);
  judged(&f, CR_TRUST_EVENTS, "rerun with --events and a tolerance");
  begin(&f, false);
  f.out.uncounted = 3;
  f.out.lacking = (cr_real)INFINITY;  // counting was given up
  judged(&f, CR_TRUST_EVENTS, "contacts change 3 times");
  begin(&f, true);
  f.out.uncounted = 1;  // one that steps which end on events could not resolve
  judged(&f, CR_TRUST_EVENTS, "try a smaller --largest-step");
}

// an event that could not be counted, and all probes say that nothing is missing; or one of them does not
TEST(what_all_probes_find_negligible_is_trusted) {
  for (int i = 0; i < 5; i++) {
    figures f;
    begin(&f, true);
    f.out.uncounted = 3;
    f.out.across = i == 1 ? 3 : CRI_TRUST_ACROSS;
    f.out.across_error = i == 2 ? CR_R(0.011) : CR_R(0.009);
    f.out.near_by = i == 3 ? CR_R(2.03) : CR_R(2.01);
    f.t.steps.events = i != 4;
    f.out.lacking = i == 4 ? CR_R(0.05) : (cr_real)NAN;
    judged(&f, i == 0 ? CR_TRUST_YES : CR_TRUST_EVENTS,
           i == 0 ? "missing for 3 uncounted events" : "do not trust (events)");
  }
}

TEST(kinks_at_the_start_are_named) {
  figures f;
  begin(&f, true);
  f.out.quotient = f.out.near_by = 1;
  f.out.left = f.out.near_left = 0;
  f.t.jump = f.t.near_jump = 2;
  judged(&f, CR_TRUST_KINK, "the start lies on a kink");
  // a curve has an eighth of it; here contacts come in another order
  begin(&f, true);
  f.out.quotient = 1;
  f.out.apart = 1;
  f.t.jump = 2;
  f.t.near_jump = CR_R(0.25);
  judged(&f, CR_TRUST_KINK, "contacts come in another order");
}

TEST(chaos_has_a_time) {
  figures f;
  begin(&f, true);
  f.out.quotient = f.out.near_by = -7;
  f.out.beyond = CR_R(3.5);
  judged(&f, CR_TRUST_CHAOTIC, "chaotic beyond time 3.5");
}
