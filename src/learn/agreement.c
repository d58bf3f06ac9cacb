// SPDX-License-Identifier: Apache-2.0
// Each mistake is a hypothesis: the content of the recording if it was made. The data as they are, and
// each hypothesis, get a factor and a correlation; a hypothesis has to fit where the data do not.
#include "learn/agreement.h"

#include "base/locale.h"
#include "math/quat.h"
#include "math/vec3.h"

enum { SPAN = 8 };  // rows between compared positions: a longer span reduces the noise of positions

static const cr_real good = CR_R(0.9);  // correlation of related quantities

typedef struct {
  cr_real aa, ab, bb;
} sums;

typedef struct {
  cr_real factor, correlation;
} fit;

static void add(sums* s, const cr_real a[3], const cr_real b[3]) {
  s->aa += cr_dot3(a, a);
  s->ab += cr_dot3(a, b);
  s->bb += cr_dot3(b, b);
}

static fit fit_of(const sums* s) {
  if (!(s->aa > 0) || !(s->bb > 0)) {
    return (fit){1, 0};
  }
  return (fit){s->ab / s->bb, s->ab / (cr_sqrt(s->aa) * cr_sqrt(s->bb))};
}

// ---- hypotheses

typedef enum { LINEAR_WORLD, LINEAR_BODY, N_LINEAR } linear;
typedef enum { SPIN_BODY, SPIN_WORLD, XYZW, WORLD_TO_BODY, N_ANGULAR } angular;

typedef struct {
  sums linear[N_LINEAR], angular[N_ANGULAR];
  cr_real moved, noise;  // sums of |p_k+s - p_k|^2 and of second differences, a row each
} evidence;

static const cr_real* row(const cri_run* t, int k) { return t->state + (size_t)k * CR_BODY_WIDTH; }

// velocity of a row in the world, from a recording there or in the body
static void velocity(cr_real v[3], const cr_real* s, linear how) {
  cr_real R[9];
  cr_quat_to_mat(R, s + 3);
  if (how == LINEAR_BODY) {
    cr_mulmat3(v, R, s + 7);
  } else {
    cr_copy3(v, s + 7);
  }
}

// b: the mean velocity over `span` rows, by the trapezoid rule
static void mean_velocity(cr_real b[3], const cri_run* t, int k, int span, linear how) {
  cr_zero3(b);
  for (int i = 0; i <= span; i++) {
    cr_real v[3];
    velocity(v, row(t, k + i), how);
    cr_accscl3(b, v, (i == 0 || i == span ? CR_R(0.5) : 1) / (cr_real)span);
  }
}

static void add_positions(evidence* e, const cri_run* t, cr_real dt) {
  int span = t->rows - 1 < SPAN ? t->rows - 1 : SPAN;
  for (int k = 0; span > 0 && k + span < t->rows; k += span) {
    cr_real a[3], b[3];
    cr_sub3(a, row(t, k + span), row(t, k));
    e->moved += cr_dot3(a, a) / (cr_real)span;
    cr_scl3(a, a, 1 / ((cr_real)span * dt));
    for (int how = 0; how < N_LINEAR; how++) {
      mean_velocity(b, t, k, span, (linear)how);
      add(&e->linear[how], a, b);
    }
  }
  for (int k = 1; k + 1 < t->rows; k++) {
    cr_real d[3];
    cr_sub3(d, row(t, k + 1), row(t, k));
    cr_sub3(d, d, row(t, k));
    cr_accscl3(d, row(t, k - 1), 1);
    e->noise += cr_dot3(d, d) / (cr_real)t->rows;
  }
}

// the quaternion body to world, from a recording in the given form
static void orientation(cr_real q[4], const cr_real* s, angular how) {
  const cr_real* r = s + 3;
  bool inverse = how == WORLD_TO_BODY;
  for (int i = 0; i < 4; i++) {
    q[i] = how == XYZW ? r[(i + 3) % 4] : (inverse && i > 0 ? -r[i] : r[i]);
  }
}

static void spin(cr_real w[3], const cr_real* s, angular how) {
  cr_real R[9];
  cr_quat_to_mat(R, s + 3);
  if (how == SPIN_WORLD) {
    cr_multmat3(w, R, s + 10);
  } else {
    cr_copy3(w, s + 10);
  }
}

static void add_orientations(evidence* e, const cri_run* t, cr_real dt) {
  for (int k = 0; k + 1 < t->rows; k++) {
    for (int how = 0; how < N_ANGULAR; how++) {
      cr_real q[4], q_next[4], a[3], b[3], w[3];
      orientation(q, row(t, k), (angular)how);
      orientation(q_next, row(t, k + 1), (angular)how);
      cr_quat_sub(a, q_next, q);
      cr_scl3(a, a, 1 / dt);
      spin(b, row(t, k), (angular)how);
      spin(w, row(t, k + 1), (angular)how);
      cr_accscl3(b, w, 1);
      cr_scl3(b, b, CR_R(0.5));
      add(&e->angular[how], a, b);
    }
  }
}

// ---- their sentences

static bool near(cr_real x, cr_real value) {
  return x > CR_R(0.8) * value && x < value / CR_R(0.8);
}

// true if 1 within the effect of noise, filters and contacts
static bool is_off(fit f) {
  return f.correlation > good && !(f.factor > CR_R(0.6) && f.factor < CR_R(1.6));
}

static void say(char* text, size_t size, const char* what, cr_real factor, const char* cause) {
  (void)cri_print(text, size, "%s %.4g times as fast as the recorded velocities say: %s", what,
                  (double)factor, cause);
}

static bool complain_of_positions(const evidence* e, cr_real dt, char* text, size_t size) {
  static const struct {
    cr_real factor;
    const char* cause;
  } units[] = {{1000, "positions in mm?"},
               {100, "positions in cm?"},
               {CR_R(0.001), "velocities in mm/s?"},
               {CR_R(0.01), "velocities in cm/s?"}};
  fit p = fit_of(&e->linear[LINEAR_WORLD]), q = fit_of(&e->angular[SPIN_BODY]);
  if (!is_off(p)) {
    return false;
  }
  char cause[96];
  (void)cri_print(cause, sizeof cause, "other units, or dt %.4g s?", (double)(dt * p.factor));
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (near(p.factor, units[i].factor)) {
      (void)cri_print(cause, sizeof cause, "%s", units[i].cause);
    }
  }
  bool turns = q.correlation > good;
  if (turns && near(q.factor / p.factor, 1)) {  // positions and orientations alike: wrong time
    (void)cri_print(cause, sizeof cause, "dt is %.4g s, the motion says %.4g s%s", (double)dt,
                    (double)(dt * p.factor), near(p.factor, CR_R(0.001)) ? ": dt in ms?" : "");
    say(text, size, "positions and orientations change", p.factor, cause);
    return true;
  }
  if (!turns && near(p.factor, CR_R(0.001))) {
    (void)cri_print(cause, sizeof cause, "velocities in mm/s, or dt in ms?");
  }
  say(text, size, "positions change", p.factor, cause);
  return true;
}

static bool complain_of_frames(const evidence* e, char* text, size_t size) {
  fit world = fit_of(&e->linear[LINEAR_WORLD]), body = fit_of(&e->linear[LINEAR_BODY]);
  if (body.correlation > good && world.correlation < body.correlation - CR_R(0.2)) {
    (void)cri_print(text, size,
                    "velocities look like those in the frame of the body; those in the world are "
                    "expected");
    return true;
  }
  if (world.correlation < CR_R(0.5) && e->moved > 100 * e->noise && e->linear[0].bb > 0) {
    (void)cri_print(text, size,
                    "positions do not change as the recorded velocities say (correlation %.2f): "
                    "columns mixed up?",
                    (double)world.correlation);
    return true;
  }
  return false;
}

static bool complain_of_orientations(const evidence* e, char* text, size_t size) {
  static const char* const causes[N_ANGULAR] = {
      "", "angular velocities look like those in the world; those in the body are expected",
      "quaternions look like x, y, z, w; w, x, y, z is expected",
      "quaternions look like world to body; body to world is expected"};
  fit own = fit_of(&e->angular[SPIN_BODY]);
  if (is_off(own)) {
    const char* cause = near(own.factor, CR_PI / 180)   ? "angular velocities in degrees?"
                        : near(own.factor, 180 / CR_PI) ? "in radians, of something in degrees?"
                                                        : "other units?";
    say(text, size, "orientations turn", own.factor, cause);
    return true;
  }
  for (int how = 1; how < N_ANGULAR && own.correlation < good; how++) {
    fit f = fit_of(&e->angular[how]);
    if (f.correlation > good && own.correlation < f.correlation - CR_R(0.2)) {
      (void)cri_print(text, size, "%s%s", causes[how],
                      near(f.factor, CR_PI / 180) ? ", and angular velocities like degrees" : "");
      return true;
    }
  }
  return false;
}

void cr_tosses_disagreement(const cri_run* tosses, int n, cr_real dt, char* text, size_t size) {
  evidence e = {.moved = 0};
  text[0] = 0;
  for (int i = 0; i < n; i++) {
    add_positions(&e, &tosses[i], dt);
    add_orientations(&e, &tosses[i], dt);
  }
  // quaternions first: they decide whether velocities in the frame of the body fit
  (void)(complain_of_positions(&e, dt, text, size) || complain_of_orientations(&e, text, size) ||
         complain_of_frames(&e, text, size));
}
