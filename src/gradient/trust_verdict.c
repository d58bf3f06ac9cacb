// SPDX-License-Identifier: Apache-2.0
// Turns the measurements into one word and one sentence.
#include <stdarg.h>
#include <stdio.h>

#include "base/locale.h"
#include "carom/fields.h"
#include "gradient/trust_state.h"
#include "rollout/trajectory.h"

// ---- the word

static bool agree_to(const cri_trust* t, cr_real part, cr_real a, cr_real b, cr_real h) {
  cr_real round_off = CR_R(1e-12) * cr_abs(t->middle) / h;
  return cr_abs(a - b) <= part * cr_max(cr_abs(a), cr_abs(b)) + round_off;
}

bool cri_trust_agree(const cri_trust* t, cr_real a, cr_real b, cr_real h) {
  return agree_to(t, CRI_TRUST_AGREES, a, b, h);
}

// true if differences disagree between the right and the left of the start, and over an eighth of
// the reach nearly as much; for a curve it would be an eighth
static bool starts_on_kink(const cri_trust* t) {
  cr_real round_off = CR_R(1e-12) * cr_abs(t->middle) / (CRI_TRUST_NEAR * t->out->reach);
  cr_real size = cr_max(cr_abs(t->out->near_right), cr_abs(t->out->near_left));
  return cr_abs(t->near_jump) > CRI_TRUST_AGREES * size + round_off &&
         2 * cr_abs(t->near_jump) > cr_abs(t->jump);
}

// conclusions from the probes and the steps that count contacts
typedef struct {
  bool right, near_by;  // differences agree along the gradient, over the reach and an eighth of it
  bool across;          // and across it
  bool counted;         // no part is missing for contacts that move
} findings;

// true if events that could not be counted make no difference, by all probes
static bool is_negligible(const cri_trust* t) {
  const cr_trust* o = t->out;
  int most = t->p->n - 1 < CRI_TRUST_ACROSS ? t->p->n - 1 : CRI_TRUST_ACROSS;
  cr_real h = CRI_TRUST_NEAR * o->reach;
  return cri_trust_counts(t) && o->across == most && o->across_error <= CRI_TRUST_NEGLIGIBLE &&
         cri_trust_agree(t, o->quotient, o->slope, o->reach) &&
         agree_to(t, CRI_TRUST_NEGLIGIBLE, o->near_by, o->slope, h);
}

static findings find(const cri_trust* t) {
  const cr_trust* o = t->out;
  return (findings){
      .right = cri_trust_agree(t, o->quotient, o->slope, o->reach),
      .near_by = cri_trust_agree(t, o->near_by, o->slope, CRI_TRUST_NEAR * o->reach),
      .across = o->across_error <= CRI_TRUST_MISSES,
      .counted = o->uncounted == 0 ||
                 (o->lacking <= CRI_TRUST_LACKS && o->lacking_part <= CRI_TRUST_LACKS_PART) ||
                 is_negligible(t),
  };
}

// the reason not to trust a gradient that is not fine
static cr_trust_verdict blame(const cri_trust* t, const findings* f) {
  const cr_trust* o = t->out;
  if (f->right && f->near_by && f->across && f->counted) {  // but not settled
    return CR_TRUST_REFINE;
  }
  bool known = !isinf(o->lacking) && !isnan(o->lacking);
  if (t->settled && !f->counted && (known || (f->right && f->near_by && f->across))) {
    return CR_TRUST_EVENTS;
  }
  if (!isinf(o->beyond)) {
    return CR_TRUST_CHAOTIC;
  }
  if (!f->counted && f->right) {
    return CR_TRUST_EVENTS;
  }
  if (starts_on_kink(t) || o->apart > 0 || (f->near_by && f->across)) {
    return CR_TRUST_KINK;
  }
  return o->uncounted > 0 ? CR_TRUST_EVENTS : CR_TRUST_UNSETTLED;
}

static cr_trust_verdict judge(const cri_trust* t) {
  const cr_trust* o = t->out;
  findings f = find(t);
  bool along = f.right || (f.near_by && o->apart == 0 && isinf(o->beyond));
  if (along && f.across && f.counted && t->settled) {
    return o->off <= CRI_TRUST_CHANGES ? CR_TRUST_YES : CR_TRUST_REFINE;
  }
  return blame(t, &f);
}

const char* cr_trust_word(cr_trust_verdict verdict) {
  return cr_enum_word("trust_verdict", (int)verdict);
}

// ---- the sentence

// appends to the text
__attribute__((format(printf, 2, 3))) static void say(cr_trust* o, const char* format, ...) {
  size_t used = strlen(o->text);
  va_list values;
  va_start(values, format);
  (void)cri_print_list(o->text + used, sizeof o->text - used, format, values);
  va_end(values);
}

static void say_refined(const cri_trust* t, cr_real size) {
  say(t->out, "%s %.3g", t->p->rollout->adaptive ? "tolerance" : "time step", (double)size);
}

static void say_refine(const cri_trust* t) {
  cr_trust* o = t->out;
  if (o->refined > 0) {
    say(o, "a finer run changes the gradient by %.2g %%; rerun with ", 100 * (double)o->change);
    say_refined(t, o->refined);
    say(o, ", from where on it changes by less than 1 %%");
  } else {
    say(o, "the gradient still changes by more than 1 %% at ");
    say_refined(t, cri_trust_size_at(t, t->level));
    say(o, ", the finest that was tried");
  }
}

// what differences show where they do not agree, along the gradient or across it
static void say_differences(const cri_trust* t) {
  cr_trust* o = t->out;
  if (!cri_trust_agree(t, o->quotient, o->slope, o->reach)) {
    say(o, "the gradient predicts %.4g along itself, differences give %.4g", (double)o->slope,
        (double)o->quotient);
  } else {
    say(o, "across itself the gradient predicts %.4g, differences give %.4g",
        (double)o->across_slope, (double)o->across_quotient);
  }
}

static void say_events(const cri_trust* t) {
  cr_trust* o = t->out;
  if (cri_trust_counts(t)) {
    say(o,
        "%d contacts come, leave or change places in a way whose part of the gradient is not "
        "known; "
        "try a smaller --largest-step",
        o->uncounted);
    return;
  }
  if (isnan(o->lacking)) {
    say_differences(t);
  } else if (isinf(o->lacking)) {
    say(o, "contacts change %d times, at moments that these steps do not count", o->uncounted);
  } else {
    say(o,
        "steps that count the moments of contacts change the gradient by %.2g %%, and one of its "
        "numbers by %.2g %% of itself",
        100 * (double)o->lacking, 100 * (double)o->lacking_part);
  }
  say(o, ". Contact times move; rerun with --events and a tolerance");
}

static void say_kink(const cri_trust* t) {
  cr_trust* o = t->out;
  if (starts_on_kink(t)) {
    say(o,
        "the start lies on a kink: the slope is %.4g on one side and %.4g on the other, the "
        "gradient says %.4g; a control or a parameter at its bound, or a muscle at ctrl = act does "
        "that",
        (double)o->near_left, (double)o->near_right, (double)o->slope);
  } else {
    say(o,
        "within %.2g contacts come in another order or not at all, and the slope is %.4g on one "
        "side and %.4g on the other, not %.4g",
        (double)o->reach, (double)o->left, (double)o->right, (double)o->slope);
  }
}

void cri_trust_judge(cri_trust* t) {
  cr_trust* o = t->out;
  o->verdict = judge(t);
  if (o->verdict == CR_TRUST_YES) {
    say(o, "trust: a finer run changes it by %.2g %%, and differences agree", 100 * (double)o->off);
    if (o->uncounted > 0 && cri_trust_counts(t)) {
      say(o, ", also with what is missing for %d uncounted events", o->uncounted);
    }
    return;
  }
  say(o, "do not trust (%s): ", cr_trust_word(o->verdict));
  switch (o->verdict) {
    case CR_TRUST_REFINE:
      say_refine(t);
      break;
    case CR_TRUST_EVENTS:
      say_events(t);
      break;
    case CR_TRUST_CHAOTIC:
      say(o,
          "chaotic beyond time %.3g, where a change of %.2g has grown to order one; take a shorter "
          "time, or windows of it",
          (double)o->beyond, (double)o->reach);
      break;
    case CR_TRUST_KINK:
      say_kink(t);
      break;
    default:
      say_differences(t);
      say(o, ", and no finer run makes them agree");
      break;
  }
}
