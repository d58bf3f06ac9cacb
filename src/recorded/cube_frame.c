// SPDX-License-Identifier: Apache-2.0
// Rows of a tossed body in its own frame.
#include "recorded/cube_frame.h"

// ---- frames. Rows: place 3, quaternion 4 (body to world), velocity 3 (world), angular velocity 3 (body)

// R of q, row by row
static void matrix_of(const cr_real* q, cr_real R[9]) {
  cr_real w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z);
  R[1] = 2 * (x * y - w * z);
  R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z);
  R[4] = 1 - 2 * (x * x + z * z);
  R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y);
  R[7] = 2 * (y * z + w * x);
  R[8] = 1 - 2 * (x * x + y * y);
}

static void into_body(const cr_real R[9], const cr_real* v, cr_real* out) {
  for (int i = 0; i < 3; i++) {
    out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
  }
}

static void into_world(const cr_real R[9], const cr_real* v, cr_real* out) {
  for (int i = 0; i < 3; i++) {
    out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
  }
}

void cri_cube_read(const cr_real* row, cr_real* in) {
  cr_real R[9];
  matrix_of(row + 3, R);
  in[0] = row[2];
  for (int i = 0; i < 3; i++) {
    in[1 + i] = R[6 + i];  // R' e_z
  }
  into_body(R, row + 7, in + 4);
  cr_copy(in + 7, row + 10, 3);
}

void cri_cube_gain(const cr_cube_flight* flight, const cr_real* row, const cr_real* next,
                   cr_real* out) {
  cr_real R[9], gain[3];
  matrix_of(row + 3, R);
  for (int i = 0; i < 3; i++) {
    gain[i] = next[7 + i] - row[7 + i] + (i == 2 ? flight->gravity * flight->interval : 0);
    out[3 + i] = next[10 + i] - row[10 + i];
  }
  into_body(R, gain, out);
}

// ---- the next row

// q (x) exp(w h)
static void turn(cr_real* q, const cr_real* w, cr_real h) {
  cr_real rate = cr_sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), angle = rate * h / 2;
  cr_real s = rate > 0 ? cr_sin(angle) / rate : 0, c = cr_cos(angle);
  cr_real x = s * w[0], y = s * w[1], z = s * w[2];
  const cr_real p[4] = {q[0], q[1], q[2], q[3]};
  q[0] = p[0] * c - p[1] * x - p[2] * y - p[3] * z;
  q[1] = p[0] * x + p[1] * c + p[2] * z - p[3] * y;
  q[2] = p[0] * y - p[1] * z + p[2] * c + p[3] * x;
  q[3] = p[0] * z + p[1] * y - p[2] * x + p[3] * c;
  cr_real size = cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) {
    q[i] /= size;
  }
}

void cri_cube_advance(const cr_cube_flight* flight, const cr_real* row, const cr_real* gain,
                      cr_real* next) {
  cr_real R[9], linear[3], h = flight->interval;
  matrix_of(row + 3, R);
  into_world(R, gain, linear);
  linear[2] -= flight->gravity * h;
  cr_copy(next, row, CR_CUBE_ROW);
  for (int i = 0; i < 3; i++) {
    next[7 + i] += linear[i];
    next[10 + i] += gain[3 + i];
    next[i] += h * next[7 + i];
  }
  turn(next + 3, next + 10, h);
}

// ---- recordings

int cri_cube_rows(const cr_recordings* tosses) {
  int n = 0;
  for (int i = 0; i < cr_recordings_count(tosses); i++) {
    cr_recording_info toss = {.size = sizeof toss};
    (void)cr_recordings_get(tosses, i, &toss, NULL);
    n += toss.rows;
  }
  return n;
}
