// SPDX-License-Identifier: Apache-2.0
// Gates of contact.
#include "physics/contact_gates.h"

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"

enum { POINTS = CRI_GATE_POINTS, ROUNDS = CRI_GATE_ROUNDS };
enum { N_INPUT = 4, N_OUTPUT = 2, WIDTH = 32 };
static const cr_real unit = CR_R(0.1), lever = 200, depth_scale = 20;
static const cr_real closed = 20;              // of a gate's argument: sigmoid(-20) is 2e-9
static const cr_real least_slip = CR_R(1e-3);  // m/s, where the direction of sliding fades

// ---- the network

cr_status cri_gates_make(cri_gates* g, cr_real timestep, cr_error* error) {
  const cr_layer hidden = {.size = sizeof hidden, .width = WIDTH, .activation = CR_ACTIVATION_TANH};
  const cr_layer end = {.size = sizeof end, .width = N_OUTPUT};
  const cr_layer layers[] = {hidden, hidden, end};
  *g = (cri_gates){.timestep = timestep};
  CR_TRY(cr_network_create(&g->law, N_INPUT, layers, 3, error));
  g->n = CRI_GATE_LAW + cr_network_nweight(g->law);
  return CR_OK;
}

void cri_gates_free(cri_gates* g) {
  cr_network_destroy(g->law);
  *g = (cri_gates){.law = NULL};
}

cr_status cri_gates_start(const cri_gates* g, uint64_t seed, cr_real* p, cr_error* error) {
  cr_random random = cr_random_seed(seed, 6);
  int first, rows, columns;
  cr_zero(p, CRI_GATE_LAW);
  p[CRI_GATE_WIDTH] = cr_log(CR_R(0.1));
  for (int k = 0; k < 3; k++) {
    p[CRI_GATE_LEVER + k] = CR_R(0.5);
  }
  for (int i = 0; i < 3 * POINTS; i++) {
    p[CRI_GATE_PLACE + i] = cr_random_range(&random, CR_R(-0.8), CR_R(0.8));
  }
  CR_TRY(cr_network_init(g->law, seed, false, p + CRI_GATE_LAW, error));
  // impulses begin small
  CR_TRY(cr_network_weight_range(g->law, 2, &first, &rows, &columns, error));
  for (int i = first; i < first + rows * columns; i++) {
    p[CRI_GATE_LAW + i] *= CR_R(0.1);
  }
  return CR_OK;
}

// ---- vectors

static cr_real dot(const cr_real a[3], const cr_real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_cross(const cr_real a[3], const cr_real b[3], cr_real to[3]) {
  to[0] += a[1] * b[2] - a[2] * b[1];
  to[1] += a[2] * b[0] - a[0] * b[2];
  to[2] += a[0] * b[1] - a[1] * b[0];
}

static void add_scaled(cr_real s, const cr_real a[3], cr_real to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] += s * a[k];
  }
}

// of cri_tossed_rotation, by the quaternion
static void rotation_vjp(const cr_real q[4], const cr_real B[9], cr_real q_bar[4]) {
  const cr_real w = q[0], x = q[1], y = q[2], z = q[3];
  q_bar[0] += 2 * (-z * B[1] + y * B[2] + z * B[3] - x * B[5] - y * B[6] + x * B[7]);
  q_bar[1] +=
      2 * (y * (B[1] + B[3]) + z * (B[2] + B[6]) - 2 * x * (B[4] + B[8]) + w * (B[7] - B[5]));
  q_bar[2] +=
      2 * (x * (B[1] + B[3]) + z * (B[5] + B[7]) - 2 * y * (B[0] + B[8]) + w * (B[2] - B[6]));
  q_bar[3] +=
      2 * (x * (B[2] + B[6]) + y * (B[5] + B[7]) - 2 * z * (B[0] + B[4]) + w * (B[3] - B[1]));
}

// ---- the pose behind a step: p + h v, q d with the turn d = (cos(h |w| / 2), h/2 sinc(h |w| / 2) w)

typedef struct {
  cr_real d[4], sinc, slope;  // slope: of sinc, over its argument
} turn;

static turn turn_of(cr_real half, const cr_real w[3]) {
  const cr_real a = half * cr_sqrt(dot(w, w));
  const bool small = a < CR_R(1e-4);
  turn t;
  t.d[0] = cr_cos(a);
  t.sinc = small ? 1 - a * a / 6 : cr_sin(a) / a;
  t.slope = small ? -CR_R(1.) / 3 + a * a / 30 : (t.d[0] - t.sinc) / (a * a);
  for (int k = 0; k < 3; k++) {
    t.d[1 + k] = half * t.sinc * w[k];
  }
  return t;
}

static void multiply(const cr_real a[4], const cr_real b[4], cr_real to[4]) {
  to[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  to[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  to[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  to[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void move(cr_real h, const cr_real* state, cr_real* next) {
  const turn t = turn_of(h / 2, next + 10);
  for (int k = 0; k < 3; k++) {
    next[k] = state[k] + h * next[7 + k];
  }
  multiply(state + 3, t.d, next + 3);
}

// adds to the cotangent of the velocity behind the step, and of the pose before it
static void move_vjp(cr_real h, const cr_real* state, const cr_real* next, const cr_real* next_bar,
                     cr_real velocity_bar[6], cr_real* state_bar) {
  const cr_real half = h / 2, *w = next + 10, *q = state + 3;
  const turn t = turn_of(half, w);
  const cr_real d_back[4] = {t.d[0], -t.d[1], -t.d[2], -t.d[3]};
  const cr_real q_back[4] = {q[0], -q[1], -q[2], -q[3]};
  cr_real q_bar[4], d_bar[4];
  add_scaled(1, next_bar, state_bar);
  add_scaled(h, next_bar, velocity_bar);
  multiply(next_bar + 3, d_back, q_bar);
  multiply(q_back, next_bar + 3, d_bar);
  for (int k = 0; k < 4; k++) {
    state_bar[3 + k] += q_bar[k];
  }
  const cr_real along = half * half * (half * t.slope * dot(d_bar + 1, w) - d_bar[0] * t.sinc);
  add_scaled(half * t.sinc, d_bar + 1, velocity_bar + 3);
  add_scaled(along, w, velocity_bar + 3);
}

// ---- the room of a step

typedef struct {
  cr_real *R, *n;     // [9], [3]
  cr_real *v, *w;     // [ROUNDS + 1][3] before each round, and at the end
  cr_real* touch;     // [ROUNDS][POINTS][N_TOUCH]
  cr_real* law_room;  // [ROUNDS][POINTS][nroom]
  int nroom;
} room;

// of a point in a round: velocity, sliding velocity, their sizes, argument of the gate, gate, a and b, impulse
enum { U, UT = U + 3, UN = UT + 3, SLIP, ARGUMENT, GATE, A, B, IMPULSE, N_TOUCH = IMPULSE + 3 };
enum { N_STATE = 9 + 3 + 6 * (ROUNDS + 1) };

size_t cri_gates_room(const cri_gates* g) {
  return N_STATE + (size_t)(ROUNDS * POINTS) * (size_t)(N_TOUCH + cr_network_nroom(g->law));
}

static room room_of(const cri_gates* g, cr_real* at) {
  room r = {.R = at, .n = at + 9, .v = at + 12, .nroom = cr_network_nroom(g->law)};
  r.w = r.v + 3 * (ROUNDS + 1);
  r.touch = at + N_STATE;
  r.law_room = r.touch + ROUNDS * POINTS * N_TOUCH;
  return r;
}

static void place_of(const cr_real* p, int point, cr_real c[3]) {
  for (int k = 0; k < 3; k++) {
    c[k] = unit * p[CRI_GATE_PLACE + 3 * point + k];
  }
}

static cr_real level_of(const cr_real* p, cr_real z, const cr_real c[3], const cr_real n[3]) {
  return z + dot(c, n) - unit * p[CRI_GATE_LEVEL];
}

// ---- a point in a round

static void touch_point(const cri_gates* g, const cr_real* p, const room* r, cr_real z, int round,
                        int point) {
  const cr_real *v = r->v + (ptrdiff_t)3 * round, *w = r->w + (ptrdiff_t)3 * round, *n = r->n;
  const ptrdiff_t at = round * POINTS + point;
  cr_real* t = r->touch + N_TOUCH * at;
  cr_real c[3];
  place_of(p, point, c);
  cr_copy(t + U, v, 3);
  add_cross(w, c, t + U);
  t[UN] = dot(t + U, n);
  const cr_real phi = level_of(p, z, c, n), width = unit * cr_exp(p[CRI_GATE_WIDTH]);
  t[ARGUMENT] = (phi + g->timestep * t[UN]) / width;
  cr_zero(t + GATE, N_TOUCH - GATE);
  if (t[ARGUMENT] > closed) {
    return;
  }
  cr_copy(t + UT, t + U, 3);
  add_scaled(-t[UN], n, t + UT);
  t[SLIP] = cr_sqrt(dot(t + UT, t + UT) + least_slip * least_slip);
  const cr_real input[N_INPUT] = {depth_scale * phi, t[UN], t[SLIP], (cr_real)round};
  cr_network_forward(g->law, p + CRI_GATE_LAW, input, NULL, t + A, NULL,
                     r->law_room + r->nroom * at);
  t[GATE] = 1 / (1 + cr_exp(t[ARGUMENT]));
  add_scaled(t[GATE] * t[A], n, t + IMPULSE);
  add_scaled(t[GATE] * t[B] / t[SLIP], t + UT, t + IMPULSE);
}

typedef struct {
  cr_real v[3], w[3], n[3], z;
} bars;

// from the cotangent of the impulse; c_bar is that of the place
static void touch_vjp(const cri_gates* g, const cr_real* p, const room* r, int round, int point,
                      const cr_real impulse_bar[3], const cr_real c[3], cr_real c_bar[3],
                      cr_real* p_bar, bars* bar) {
  const ptrdiff_t at = round * POINTS + point;
  const cr_real *t = r->touch + N_TOUCH * at, *n = r->n, *w = r->w + (ptrdiff_t)3 * round;
  const cr_real width = unit * cr_exp(p[CRI_GATE_WIDTH]), slip = t[SLIP];
  const cr_real along = dot(impulse_bar, n), slide = dot(impulse_bar, t + UT) / slip;
  const cr_real out_bar[N_OUTPUT] = {t[GATE] * along, t[GATE] * slide};
  cr_real in_bar[N_INPUT] = {0}, u_bar[3] = {0}, ut_bar[3] = {0};
  cr_network_vjp(g->law, p + CRI_GATE_LAW, out_bar, NULL, p_bar + CRI_GATE_LAW, in_bar, NULL,
                 r->law_room + r->nroom * at);
  const cr_real argument_bar = -t[GATE] * (1 - t[GATE]) * (t[A] * along + t[B] * slide);
  const cr_real phi_bar = argument_bar / width + depth_scale * in_bar[0];
  cr_real un_bar = argument_bar * g->timestep / width + in_bar[1];
  p_bar[CRI_GATE_WIDTH] -= argument_bar * t[ARGUMENT];
  // the sliding velocity and its size
  add_scaled(t[GATE] * t[B] / slip, impulse_bar, ut_bar);
  add_scaled((in_bar[2] - t[GATE] * t[B] * slide / slip) / slip, t + UT, ut_bar);
  add_scaled(t[GATE] * t[A], impulse_bar, bar->n);
  add_scaled(-t[UN], ut_bar, bar->n);
  un_bar -= dot(ut_bar, n);
  add_scaled(1, ut_bar, u_bar);
  add_scaled(un_bar, n, u_bar);
  add_scaled(un_bar, t + U, bar->n);
  // u = v + w x c
  add_scaled(1, u_bar, bar->v);
  add_cross(c, u_bar, bar->w);
  add_cross(u_bar, w, c_bar);
  // phi = z + c.n - level
  bar->z += phi_bar;
  add_scaled(phi_bar, n, c_bar);
  add_scaled(phi_bar, c, bar->n);
  p_bar[CRI_GATE_LEVEL] -= unit * phi_bar;
}

// ---- a round of all points

static void run_round(const cri_gates* g, const cr_real* p, const room* r, cr_real z, int round) {
  const cr_real *v = r->v + (ptrdiff_t)3 * round, *w = r->w + (ptrdiff_t)3 * round;
  cr_real *v_next = r->v + (ptrdiff_t)3 * (round + 1), *w_next = r->w + (ptrdiff_t)3 * (round + 1);
  cr_real spin[3] = {0};
  cr_copy(v_next, v, 3);
  for (int i = 0; i < POINTS; i++) {
    const cr_real* t = r->touch + (ptrdiff_t)N_TOUCH * (round * POINTS + i);
    cr_real c[3];
    touch_point(g, p, r, z, round, i);
    if (t[GATE] > 0) {
      place_of(p, i, c);
      add_scaled(1, t + IMPULSE, v_next);
      add_cross(c, t + IMPULSE, spin);
    }
  }
  for (int k = 0; k < 3; k++) {
    w_next[k] = w[k] + lever * cr_exp(p[CRI_GATE_LEVER + k]) * spin[k];
  }
}

// from the cotangents behind the round to those before it
static void round_vjp(const cri_gates* g, const cr_real* p, const room* r, int round,
                      cr_real* p_bar, bars* bar) {
  const cr_real *w = r->w + (ptrdiff_t)3 * round, *w_next = w + 3;
  cr_real spin_bar[3], v_bar[3];
  cr_copy(v_bar, bar->v, 3);
  for (int k = 0; k < 3; k++) {
    spin_bar[k] = lever * cr_exp(p[CRI_GATE_LEVER + k]) * bar->w[k];
    p_bar[CRI_GATE_LEVER + k] += bar->w[k] * (w_next[k] - w[k]);
  }
  for (int i = 0; i < POINTS; i++) {
    const cr_real* t = r->touch + (ptrdiff_t)N_TOUCH * (round * POINTS + i);
    cr_real c[3], c_bar[3] = {0}, impulse_bar[3];
    if (t[GATE] == 0) {
      continue;
    }
    place_of(p, i, c);
    cr_copy(impulse_bar, v_bar, 3);
    add_cross(spin_bar, c, impulse_bar);
    add_cross(t + IMPULSE, spin_bar, c_bar);
    touch_vjp(g, p, r, round, i, impulse_bar, c, c_bar, p_bar, bar);
    add_scaled(unit, c_bar, p_bar + CRI_GATE_PLACE + (ptrdiff_t)3 * i);
  }
}

// ---- a step

void cri_gates_step(const cri_gates* g, const cr_real* p, const cr_real* state, cr_real* next,
                    cr_real* at) {
  const room r = room_of(g, at);
  cri_tossed_rotation(state, r.R);
  cr_copy(r.n, r.R + 6, 3);
  cr_copy(r.w, state + 10, 3);
  for (int k = 0; k < 3; k++) {
    r.v[k] = r.R[k] * state[7] + r.R[3 + k] * state[8] + r.R[6 + k] * state[9] +
             p[CRI_GATE_GAIN] * r.n[k];
  }
  for (int round = 0; round < ROUNDS; round++) {
    run_round(g, p, &r, state[2], round);
  }
  for (int k = 0; k < 3; k++) {
    next[7 + k] = dot(r.R + (ptrdiff_t)3 * k, r.v + 3 * ROUNDS);
  }
  cr_copy(next + 10, r.w + 3 * ROUNDS, 3);
  move(g->timestep, state, next);
}

void cri_gates_step_vjp(const cri_gates* g, const cr_real* p, const cr_real* state,
                        const cr_real* next, const cr_real* next_bar, cr_real* p_bar,
                        cr_real* state_bar, cr_real* at) {
  const room r = room_of(g, at);
  cr_real velocity_bar[6], R_bar[9];
  bars bar = {.z = 0};
  cr_copy(velocity_bar, next_bar + 7, 6);
  move_vjp(g->timestep, state, next, next_bar, velocity_bar, state_bar);
  // the velocity in the world
  cr_copy(bar.w, velocity_bar + 3, 3);
  for (int k = 0; k < 9; k++) {
    R_bar[k] = velocity_bar[k / 3] * r.v[3 * ROUNDS + k % 3];
    bar.v[k % 3] += r.R[k] * velocity_bar[k / 3];
  }
  for (int round = ROUNDS - 1; round >= 0; round--) {
    round_vjp(g, p, &r, round, p_bar, &bar);
  }
  // the velocity in the frame of the body, with the gain
  p_bar[CRI_GATE_GAIN] += dot(bar.v, r.n);
  add_scaled(p[CRI_GATE_GAIN], bar.v, bar.n);
  for (int k = 0; k < 9; k++) {
    R_bar[k] += state[7 + k / 3] * bar.v[k % 3];
    state_bar[7 + k / 3] += r.R[k] * bar.v[k % 3];
  }
  add_scaled(1, bar.n, R_bar + 6);
  add_scaled(1, bar.w, state_bar + 10);
  state_bar[2] += bar.z;
  rotation_vjp(state + 3, R_bar, state_bar + 3);
}
