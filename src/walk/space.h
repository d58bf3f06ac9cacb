// SPDX-License-Identifier: Apache-2.0
// Vectors and 3 x 3 matrices, row by row, for what walks.
#ifndef CR_WALK_SPACE_H
#define CR_WALK_SPACE_H

#include <math.h>
#include <string.h>

/// to = a + scale b; to may be a or b.
static inline void cri_add(const double a[3], const double b[3], double scale, double to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = a[k] + scale * b[k];
  }
}

static inline double cri_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// to = a x b; to may not be one of them.
static inline void cri_cross(const double a[3], const double b[3], double to[3]) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

/// to = M x, and to = M' x; to may not be x.
static inline void cri_turn(const double M[9], const double x[3], double to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = cri_dot(M + 3 * k, x);
  }
}
static inline void cri_turn_back(const double M[9], const double x[3], double to[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = M[k] * x[0] + M[3 + k] * x[1] + M[6 + k] * x[2];
  }
}

static inline void cri_matrix_copy(const double A[9], double to[9]) {
  memcpy(to, A, 9 * sizeof *to);
}

/// to = A B; to may not be one of them.
static inline void cri_matrix_product(const double A[9], const double B[9], double to[9]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}

/// The rotation about an axis of length 1.
/// Equation cos I + (1 - cos) axis axis' + sin [axis]x
static inline void cri_rotation(const double axis[3], double angle, double to[9]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to[3 * i + j] = (1 - c) * axis[i] * axis[j] + (i == j ? c : 0);
    }
  }
  to[1] -= s * axis[2];
  to[2] += s * axis[1];
  to[3] += s * axis[2];
  to[5] -= s * axis[0];
  to[6] -= s * axis[1];
  to[7] += s * axis[0];
}

/// x of M x = b, M not singular.
static inline void cri_solve3(const double M[9], const double b[3], double x[3]) {
  double c[3][3], column[3][3];
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      column[j][i] = M[3 * i + j];
    }
  }
  cri_cross(column[1], column[2], c[0]);
  cri_cross(column[2], column[0], c[1]);
  cri_cross(column[0], column[1], c[2]);
  double volume = cri_dot(column[0], c[0]);
  for (int k = 0; k < 3; k++) {
    x[k] = cri_dot(c[k], b) / volume;
  }
}

/// The rotation of a quaternion of length 1, w first.
static inline void cri_rotation_of(const double q[4], double to[9]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  to[0] = 1 - 2 * (y * y + z * z);
  to[1] = 2 * (x * y - w * z);
  to[2] = 2 * (x * z + w * y);
  to[3] = 2 * (x * y + w * z);
  to[4] = 1 - 2 * (x * x + z * z);
  to[5] = 2 * (y * z - w * x);
  to[6] = 2 * (x * z - w * y);
  to[7] = 2 * (y * z + w * x);
  to[8] = 1 - 2 * (x * x + y * y);
}

/// Roll, pitch and yaw of a rotation: yaw about z, then pitch about the new y, then roll about the new x.
static inline void cri_roll_pitch_yaw(const double R[9], double rpy[3]) {
  rpy[0] = atan2(R[7], R[8]);
  rpy[1] = atan2(-R[6], hypot(R[7], R[8]));
  rpy[2] = atan2(R[3], R[0]);
}

#endif
