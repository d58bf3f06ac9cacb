// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Gates of contact: the derivative of a step, entry by entry; what a step does in the air; a turn about the vertical and a shift change nothing.
#include "physics/contact_gates.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"

enum { MOST = 4000 };

typedef struct {
  cri_gates g;
  cr_real p[MOST], *room;
} gates;

static void open_gates(gates* o) {
  assert_int_equal(cri_gates_make(&o->g, CR_R(0.007), NULL), CR_OK);
  assert_true(o->g.n <= MOST);
  assert_int_equal(cri_gates_start(&o->g, 3, o->p, NULL), CR_OK);
  for (int i = CRI_GATE_LAW; i < o->g.n; i++) {
    o->p[i] *= 3;  // no longer small
  }
  o->p[CRI_GATE_GAIN] = CR_R(-0.07);
  o->p[CRI_GATE_LEVEL] = CR_R(0.1);
  o->room = malloc(cri_gates_room(&o->g) * sizeof *o->room);
  assert_non_null(o->room);
}

static void close_gates(gates* o) {
  free(o->room);
  cri_gates_free(&o->g);
}

static void normalise(cr_real q[4]) {
  const cr_real size = cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; k++) {
    q[k] /= size;
  }
}

// anywhere between deep in the floor and in the air
static void draw(cr_random* random, cr_real state[CRI_STATE]) {
  for (int k = 0; k < CRI_STATE; k++) {
    state[k] = cr_random_normal(random);
  }
  state[2] = CR_R(0.06) * cr_random_uniform(random);
  normalise(state + 3);
}

static cr_real value_of(gates* o, const cr_real* state, const cr_real* weight) {
  cr_real next[CRI_STATE], sum = 0;
  cri_gates_step(&o->g, o->p, state, next, o->room);
  for (int k = 0; k < CRI_STATE; k++) {
    sum += weight[k] * next[k];
  }
  return sum;
}

// by x, one of the numbers that value_of reads; central, of fourth order
static cr_real difference(gates* o, const cr_real* state, const cr_real* weight, cr_real* x) {
  const cr_real h = CR_R(1e-4), at = *x;
  cr_real v[4];
  for (int i = 0; i < 4; i++) {
    *x = at + h * (cr_real)(i < 2 ? i - 2 : i - 1);
    v[i] = value_of(o, state, weight);
  }
  *x = at;
  return (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h);
}

TEST(derivatives_are_those_of_differences) {
  gates o;
  cr_random random = cr_random_seed(5, 0);
  int touched = 0;
  open_gates(&o);
  for (int trial = 0; trial < 6; trial++) {
    cr_real row[CRI_STATE], next[CRI_STATE], weight[CRI_STATE];
    cr_real row_bar[CRI_STATE] = {0}, p_bar[MOST] = {0};
    draw(&random, row);
    for (int k = 0; k < CRI_STATE; k++) {
      weight[k] = cr_random_normal(&random);
    }
    if (trial == 0) {
      cr_zero(row + 10, 3);  // no turn
    }
    cri_gates_step(&o.g, o.p, row, next, o.room);
    cri_gates_step_vjp(&o.g, o.p, row, next, weight, p_bar, row_bar, o.room);
    for (int k = 0; k < CRI_STATE; k++) {
      const cr_real expected = difference(&o, row, weight, &row[k]);
      assert_close(row_bar[k], expected, CR_R(2e-7) * (1 + cr_abs(expected)));
    }
    for (int i = 0; i < o.g.n; i++) {
      const cr_real expected = difference(&o, row, weight, &o.p[i]);
      assert_close(p_bar[i], expected, CR_R(2e-7) * (1 + cr_abs(expected)));
      touched += i >= CRI_GATE_LAW && p_bar[i] != 0;
    }
  }
  assert_true(touched > 5 * (o.g.n - CRI_GATE_LAW));
  close_gates(&o);
}

TEST(in_the_air_there_is_the_gain_alone) {
  gates o;
  cr_real row[CRI_STATE], next[CRI_STATE];
  cr_random random = cr_random_seed(7, 0);
  open_gates(&o);
  draw(&random, row);
  row[2] = 1;
  cri_gates_step(&o.g, o.p, row, next, o.room);
  for (int k = 7; k < CRI_STATE; k++) {
    const cr_real gain = k == 9 ? o.p[CRI_GATE_GAIN] : 0;
    assert_close(next[k], row[k] + gain, CR_R(1e-14));
  }
  close_gates(&o);
}

// q about the vertical
static void turn_about_z(const cr_real from[CRI_STATE], cr_real angle, cr_real to[CRI_STATE]) {
  const cr_real c = cr_cos(angle), s = cr_sin(angle), ch = cr_cos(angle / 2),
                sh = cr_sin(angle / 2);
  const cr_real* q = from + 3;
  cr_copy(to, from, CRI_STATE);
  for (int k = 0; k < 8; k += 7) {  // place and velocity
    to[k] = c * from[k] - s * from[k + 1];
    to[k + 1] = s * from[k] + c * from[k + 1];
  }
  to[3] = ch * q[0] - sh * q[3];
  to[4] = ch * q[1] - sh * q[2];
  to[5] = ch * q[2] + sh * q[1];
  to[6] = ch * q[3] + sh * q[0];
}

TEST(a_turn_about_the_vertical_changes_nothing) {
  gates o;
  cr_random random = cr_random_seed(9, 0);
  open_gates(&o);
  for (int trial = 0; trial < 5; trial++) {
    cr_real row[CRI_STATE], turned[CRI_STATE], next[CRI_STATE], expected[CRI_STATE];
    draw(&random, row);
    cri_gates_step(&o.g, o.p, row, next, o.room);
    turn_about_z(next, 1, expected);
    turn_about_z(row, 1, turned);
    cri_gates_step(&o.g, o.p, turned, next, o.room);
    for (int k = 0; k < CRI_STATE; k++) {
      assert_close(next[k], expected[k], CR_R(1e-13));
    }
  }
  close_gates(&o);
}
