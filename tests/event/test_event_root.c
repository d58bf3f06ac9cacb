// SPDX-License-Identifier: Apache-2.0
// The search for the end of a step, on lists of rows from a ball with a known flight: the end of the
// step, the events it reports, and how few lengths it tries.
#include "event/event_root.h"

#include "carom/step.h"
#include "engine/forward.h"
#include "scenes/tossed_cube.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
  cr_real height, speed;  // of the cube's lower face, which does not turn
} fixture;

static void open_fixture(fixture* f, cr_real height, cr_real speed) {
  tossed_cube(&f->m, CR_R(0.1));
  f->d = test_data(&f->m);
  f->height = height;
  f->speed = speed;
}

static void close_fixture(fixture* f) { cri_model_free(&f->m); }

// the rows after h of unhindered flight
static void fly(fixture* f, cr_real h) {
  cr_real g = f->m.gravity[2];
  f->d->qpos[2] = CR_R(0.05) + f->height + f->speed * h + g * h * h / 2;
  f->d->qvel[2] = f->speed + g * h;
  assert_int_equal(cri_dynamics(&f->m, f->d), CR_OK);
}

// searches from the length h on; returns the one the step ends with
static cr_real search(fixture* f, cri_event_root* l, cr_real h, cri_step_kind kind, int* tries) {
  size_t mark = cri_mark(f->d);
  fly(f, 0);
  cri_event_root_begin(l, &f->m, f->d, kind, cri_tableau_of(CR_INT_BOSH3));
  l->zones[1] = l->zones[2] = l->zones[3] = l->zones[0];
  *tries = 0;
  for (;; ++*tries) {
    cr_real next;
    assert_in_range(*tries, 0, 60);
    fly(f, h);
    if (cri_event_root_ends(l, &f->m, f->d, h, &next)) {
      cri_pop(f->d, mark);
      return h;
    }
    assert_true(next > 0);
    h = next;
  }
}

// when the face touches
static cr_real touch(const fixture* f) {
  cr_real g = -f->m.gravity[2];
  return (f->speed + cr_sqrt(f->speed * f->speed + 2 * g * f->height)) / g;
}

TEST(nothing_happens) {
  fixture f;
  cri_event_root l;
  int tries;
  open_fixture(&f, 1, 0);
  assert_true(search(&f, &l, CR_R(0.1), CRI_STEP_LONG, &tries) == CR_R(0.1));
  assert_false(l.happened);
  assert_int_equal(l.counts.entered + l.counts.left + l.counts.swapped, 0);
  assert_int_equal(tries, 0);
  close_fixture(&f);
}

TEST(a_long_step_ends_before_an_entry_and_a_short_one_behind) {
  static const double starts[] = {0.001, 0.01, 0.03};
  for (int i = 0; i < 3; i++) {
    fixture f;
    cri_event_root l;
    int tries;
    open_fixture(&f, (cr_real)starts[i], CR_R(-0.4));
    cr_real at = touch(&f), h = search(&f, &l, at * CR_R(1.7), CRI_STEP_LONG, &tries);
    assert_true(h < at && h > at * CR_R(0.99));
    assert_true(l.happened && l.counts.entered == 0 && l.next == CRI_STEP_SHORT);
    assert_true(l.cross > at - h && l.cross < CR_R(0.01) * at);
    assert_in_range(tries, 1, 8);
    // go there, and cross
    f.height += f.speed * h + f.m.gravity[2] * h * h / 2;
    f.speed += f.m.gravity[2] * h;
    cr_real rest = touch(&f), behind = search(&f, &l, l.cross, l.next, &tries) - rest;
    assert_true(behind >= 0 && behind <= cri_event_near(&f.m, 0));
    // all four corners, each once
    assert_true(l.counts.entered == 4 && l.counts.missed == 0 && l.happened && l.cross == 0);
    assert_in_range(tries, 1, 8);
    close_fixture(&f);
  }
}

// a cube pulled out of the board; what pushes on it is the damping of its contacts
TEST(a_short_step_ends_before_a_contact_that_pushes_leaves) {
  fixture f;
  cri_event_root l;
  int tries;
  open_fixture(&f, CR_R(-1e-4), CR_R(0.05));
  f.d->xfrc_applied[6 + 2] = -20;  // so that they push while it leaves
  cr_real g = -f.m.gravity[2];
  cr_real at = (f.speed - cr_sqrt(f.speed * f.speed + 2 * g * f.height)) / g;
  cr_real h = search(&f, &l, 2 * at, CRI_STEP_SHORT, &tries);
  assert_true(h < at && at - h <= 2 * cri_event_near(&f.m, 0));
  assert_true(l.counts.left == 0 && l.happened && l.next == CRI_STEP_TINY && l.cross > at - h);
  // the tiny step that crosses counts them, all four corners, each once
  f.height += f.speed * h - g * h * h / 2;
  f.speed -= g * h;
  cr_real cross = l.cross;
  assert_true(search(&f, &l, cross, l.next, &tries) == cross);
  assert_int_equal(tries, 0);
  assert_true(l.counts.left == 4 && l.counts.missed == 0);
  assert_true(cri_event_root_is_tiny(&l, cross));
  close_fixture(&f);
}

// the stages of bosh3, at 1/2, 3/4 and the end, in a flight: those beyond `far` have seen something
static cr_real search_astray(fixture* f, cri_event_root* l, cr_real h, cr_real far, int* tries) {
  static const double c[] = {0, 0.5, 0.75, 1};
  cr_real next = h;
  fly(f, 0);
  size_t mark = cri_mark(f->d);
  cri_event_root_begin(l, &f->m, f->d, CRI_STEP_LONG, cri_tableau_of(CR_INT_BOSH3));
  *tries = 0;
  do {
    h = next;
    for (int i = 1; i < 4; i++) {
      l->zones[i] = l->zones[0] + (h * (cr_real)c[i] > far);
    }
    fly(f, h);
    assert_in_range(++*tries, 0, 20);
  } while (!cri_event_root_ends(l, &f->m, f->d, h, &next));
  cri_pop(f->d, mark);
  return h;
}

TEST(a_long_step_with_a_stage_astray_is_made_shorter) {
  fixture f;
  cri_event_root l;
  int tries;
  open_fixture(&f, 1, 0);
  // the last stage: by a tenth each time
  cr_real h = search_astray(&f, &l, CR_R(0.1), CR_R(0.085), &tries);
  assert_close(h, CR_R(0.081), 8 * CR_EPS);
  assert_int_equal(tries, 3);
  assert_false(l.happened);
  // the first: to where it was
  cr_real far = CR_R(0.021);
  h = search_astray(&f, &l, CR_R(0.1), far, &tries);
  assert_true(h <= far && h > far / 2);
  assert_in_range(tries, 2, 6);
  close_fixture(&f);
}

// stages that are there however short the step is do not make it short
TEST(a_start_on_the_verge_is_let_go) {
  fixture f;
  cri_event_root l;
  int tries;
  open_fixture(&f, 1, 0);
  assert_true(search_astray(&f, &l, CR_R(0.1), 0, &tries) == CR_R(0.1));
  assert_in_range(tries, 2, 12);
  close_fixture(&f);
}
