// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Quaternions against angular velocities: order, direction, frame and unit. The IMU is turned against its body.
#include "math/quat.h"
#include "math/vec3.h"
#include "scenes/io_arm.h"
#include "support/close.h"

enum { ROWS = 400 };

static cr_model* m;
static cr_real time_of[ROWS], body[4 * ROWS], site[4 * ROWS], gyro[3 * ROWS];

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

// orientation of drone and IMU, and what the gyro in the frame of the IMU sees
static void make(void) {
  const cr_real local[4] = {CR_R(0.8), 0, CR_R(0.6), 0}, h = CR_R(0.01);
  cr_real q[4] = {1, 0, 0, 0}, R[9];
  cr_quat_to_mat(R, local);
  for (int i = 0; i < ROWS; i++) {
    cr_real t = h * (cr_real)i;
    const cr_real w[3] = {2 * cr_cos(2 * t), CR_R(1.5) * cr_sin(3 * t) + CR_R(0.5),
                          cr_cos(5 * t) - CR_R(0.8)};
    const cr_real next[3] = {2 * cr_cos(2 * t + h),
                             CR_R(1.5) * cr_sin(3 * t + CR_R(1.5) * h) + CR_R(0.5),
                             cr_cos(5 * t + CR_R(2.5) * h) - CR_R(0.8)};
    time_of[i] = t;
    cr_copy(body + 4 * i, q, 4);
    cr_quat_mul(site + 4 * i, q, local);
    cr_multmat3(gyro + 3 * i, R, w);
    cr_quat_integrate(q, next, h);
    (void)cr_quat_normalize(q);
  }
}

static cr_measurements* measured(const char* place, const cr_real* q) {
  cr_measurements* s = arm_measurements(m);
  arm_add(s, place, ROWS, time_of, q);
  arm_add(s, "gyro", ROWS, time_of, gyro);
  return s;
}

static void must_be_sure(const char* place, const cr_real* q, const char* text) {
  cr_measurements* s = measured(place, q);
  if (!arm_doubts(s, text)) {
    fail_msg("%s is not sure", text);
  }
  cr_measurements_destroy(s);
}

TEST(right_data_raise_nothing) {
  make();
  cr_measurements* s = measured("attitude", site);
  arm_is_fine(s);
  cr_measurements_destroy(s);
  s = measured("xquat[drone]", body);
  arm_is_fine(s);
  cr_measurements_destroy(s);
}

TEST(the_order_of_quaternions_is_seen) {
  make();
  cr_real other[4 * ROWS];
  for (int i = 0; i < 4 * ROWS; i++) {
    other[i] = site[i - i % 4 + (i % 4 + 1) % 4];
  }
  must_be_sure("attitude", other, "look like x, y, z, w");
}

// about one axis, x, y, z, w turns backwards
TEST(the_order_is_seen_in_turns_about_one_axis) {
  const cr_real axis[3] = {CR_R(0.6), 0, CR_R(0.8)};
  cr_real q[4], other[4 * ROWS];
  make();
  for (int i = 0; i < ROWS; i++) {
    const cr_real local[4] = {CR_R(0.8), 0, CR_R(0.6), 0};
    cr_real R[9], w[3];
    cr_quat_axis_angle(q, axis, CR_R(1.5) * cr_sin(2 * time_of[i]) + CR_R(0.3));
    for (int k = 0; k < 4; k++) {
      other[4 * i + k] = q[(k + 1) % 4];
    }
    cr_quat_to_mat(R, local);
    cr_scl3(w, axis, 3 * cr_cos(2 * time_of[i]));
    cr_multmat3(gyro + 3 * i, R, w);
  }
  must_be_sure("xquat[drone]", other, "look like x, y, z, w");
}

TEST(the_direction_of_quaternions_is_seen) {
  make();
  cr_real other[4 * ROWS];
  for (int i = 0; i < 4 * ROWS; i++) {
    other[i] = i % 4 == 0 ? body[i] : -body[i];
  }
  must_be_sure("xquat[drone]", other, "look like world to body");
}

TEST(the_frame_of_angular_velocities_is_seen) {
  make();
  for (int i = 0; i < ROWS; i++) {
    cr_real R[9], w[3];
    cr_quat_to_mat(R, site + 4 * i);
    cr_mulmat3(w, R, gyro + 3 * i);
    cr_copy(gyro + 3 * i, w, 3);
  }
  must_be_sure("attitude", site, "look like those in the world; those in the body are expected");
}

TEST(degrees_and_reversed_axes_are_seen) {
  make();
  for (int i = 0; i < 3 * ROWS; i++) {
    gyro[i] *= 180 / CR_PI;
  }
  must_be_sure("attitude", site, "angular velocities in deg/s?");
  make();
  for (int i = 0; i < 3 * ROWS; i++) {
    gyro[i] = -gyro[i];
  }
  must_be_sure("attitude", site, "is one of them reversed");
}
