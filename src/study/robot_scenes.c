// SPDX-License-Identifier: Apache-2.0
#include "study/robot_scenes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

const char* const cri_robot_names[CR_N_ROBOT] = {"arm", "quadruped"};

// ---- models

enum { TEXT = 16384 };

typedef struct {
  char text[TEXT];
  int n;
} writing;

__attribute__((format(printf, 2, 3))) static void put(writing* w, const char* format, ...) {
  va_list list;
  va_start(list, format);
  w->n += vsnprintf(w->text + w->n, (size_t)(TEXT - w->n), format, list);
  va_end(list);
}

static void put_arm(writing* w) {
  // mass, length of the link, radii of gyration, as of a light arm of seven joints
  static const double mass[] = {3.2, 2.9, 2.4, 2.1, 1.6, 1.2, 0.8};
  static const double length[] = {0.15, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1};
  static const int servo[] = {300, 300, 200, 200, 100, 60, 40};
  put(w,
      "<mujoco model=\"arm\">\n  <option timestep=\"0.004\" tolerance=\"1e-10\"/>\n"
      "  <worldbody>\n");
  for (int i = 0; i < 7; i++) {
    double m = mass[i], l = length[i], across = m * l * l / 10, along = m * 0.0025;
    put(w,
        "    <body name=\"link%d\" pos=\"0 0 %.9g\">\n"
        "      <joint name=\"joint%d\" axis=\"%s\" damping=\"%.9g\" frictionloss=\"%.9g\" "
        "armature=\"%.9g\"/>\n"
        "      <inertial pos=\"0.01 -0.01 %.9g\" mass=\"%.9g\" diaginertia=\"%.9g %.9g %.9g\"/>\n",
        i + 1, i == 0 ? 0.3 : length[i - 1], i + 1, i % 2 == 0 ? "0 0 1" : "0 1 0", 0.8 - 0.08 * i,
        0.8 - 0.09 * i, 0.06 - 0.006 * i, l / 2, m, 1.1 * across + 0.5 * along,
        across + 0.5 * along, along);
  }
  put(w, "      <site name=\"imu\" pos=\"0.02 0 0.05\"/>\n");
  for (int i = 0; i < 7; i++) {
    put(w, "    </body>\n");
  }
  put(w, "  </worldbody>\n  <actuator>\n");
  for (int i = 0; i < 7; i++) {
    put(w, "    <position name=\"servo%d\" joint=\"joint%d\" kp=\"%d\" kv=\"%d\"/>\n", i + 1, i + 1,
        servo[i], servo[i] / 20);
  }
  put(w, "  </actuator>\n");
}

static void put_leg(writing* w, const char* name, double x, double y) {
  put(w,
      "      <body name=\"%s_hip\" pos=\"%.9g %.9g 0\">\n"
      "        <joint name=\"%s_hip\" axis=\"1 0 0\"/>\n"
      "        <inertial pos=\"0 %.9g 0.005\" mass=\"0.7\" diaginertia=\"6e-4 9e-4 7e-4\"/>\n"
      "        <body name=\"%s_thigh\" pos=\"0 %.9g 0\">\n"
      "          <joint name=\"%s_thigh\" axis=\"0 1 0\"/>\n"
      "          <inertial pos=\"-0.004 0.01 -0.05\" mass=\"1\" diaginertia=\"5.5e-3 5e-3 "
      "1.2e-3\"/>\n"
      "          <body name=\"%s_calf\" pos=\"0 0 -0.2\">\n"
      "            <joint name=\"%s_calf\" axis=\"0 1 0\"/>\n"
      "            <inertial pos=\"0.006 0.002 -0.09\" mass=\"0.25\" diaginertia=\"1.6e-3 1.5e-3 "
      "2e-4\"/>\n"
      "            <geom name=\"%s_foot\" type=\"sphere\" size=\"0.022\" pos=\"0 0 -0.2\" "
      "mass=\"0\" "
      "priority=\"1\" friction=\"0.7 0.02 0.01\" solimp=\"0 0.95 0.01 0.5 2\"/>\n"
      "          </body>\n        </body>\n      </body>\n",
      name, x, y, name, y > 0 ? 0.01 : -0.01, name, y > 0 ? 0.08 : -0.08, name, name, name, name);
}

static const char* const legs[] = {"fl", "fr", "rl", "rr"};
static const char* const parts[] = {"hip", "thigh", "calf"};
static const double stance[] = {0, 0.7, -1.4};

static void put_quadruped(writing* w) {
  put(w,
      "<mujoco model=\"quadruped\">\n  <option timestep=\"0.004\" tolerance=\"1e-10\" "
      "cone=\"elliptic\"/>\n"
      "  <default>\n    <joint damping=\"0.2\" frictionloss=\"0.2\" armature=\"0.012\"/>\n  "
      "</default>\n"
      "  <worldbody>\n    <geom name=\"floor\" type=\"plane\" size=\"10 10 0.1\"/>\n"
      "    <body name=\"trunk\" pos=\"0 0 0.33\">\n      <freejoint name=\"root\"/>\n"
      "      <inertial pos=\"0.01 0.002 0.005\" mass=\"7\" diaginertia=\"0.035 0.11 0.12\"/>\n"
      "      <site name=\"imu\" pos=\"-0.02 0 0.03\"/>\n");
  for (int i = 0; i < 4; i++) {
    put_leg(w, legs[i], i < 2 ? 0.19 : -0.19, i % 2 == 0 ? 0.05 : -0.05);
  }
  put(w, "    </body>\n  </worldbody>\n  <actuator>\n");
  for (int i = 0; i < 12; i++) {
    put(w, "    <position name=\"%s_%s\" joint=\"%s_%s\" kp=\"60\" kv=\"2\"/>\n", legs[i / 3],
        parts[i % 3], legs[i / 3], parts[i % 3]);
  }
  put(w, "  </actuator>\n");
}

cr_status cri_robot_write(const char* folder, cr_robot_kind kind, char path[CR_MAX_PATH],
                          cr_error* error) {
  writing w = {.n = 0};
  char file[64];
  if (kind == CR_ROBOT_ARM) {
    put_arm(&w);
  } else {
    put_quadruped(&w);
  }
  put(&w,
      "  <sensor>\n    <gyro name=\"gyro\" site=\"imu\"/>\n"
      "    <accelerometer name=\"accelerometer\" site=\"imu\"/>\n  </sensor>\n</mujoco>\n");
  (void)snprintf(file, sizeof file, "%s.xml", cri_robot_names[kind]);
  CR_TRY(cri_path_join(path, folder, file, error));
  return cri_file_write(path, w.text, (size_t)w.n, error);
}

// ---- parameters

static cr_status add(cr_robot_parameters* list, const cr_model* m, cr_fit_kind kind,
                     const char* name, const char* target, cr_error* error) {
  int i = list->n++;
  cr_parameter_info* item = &list->items[i];
  (void)snprintf(list->names[i], sizeof list->names[i], "%s", name);
  (void)snprintf(list->targets[i], sizeof list->targets[i], "%s", target);
  *item = (cr_parameter_info){
      .size = sizeof *item,
      .name = list->names[i],
      .target = list->targets[i],
      .kind = kind,
      .transform = kind == CR_FIT_INERTIA ? CR_TRANSFORM_NONE : CR_TRANSFORM_LOG,
      .lower = kind == CR_FIT_INERTIA ? -(cr_real)INFINITY : 0,
      .upper = (cr_real)INFINITY};
  list->list[i] = item;
  if (kind == CR_FIT_TIED) {
    return cr_model_get(m, "geom_friction[fl_foot][0]", &item->start, 1, error);
  }
  return kind == CR_FIT_FIELD ? cr_model_get(m, target, &item->start, 1, error) : CR_OK;
}

cr_status cri_robot_parameters(cr_robot_parameters* list, const cr_model* m, cr_error* error) {
  static const char* const laws[] = {"damping", "frictionloss", "armature"};
  bool walks = cr_model_id(m, "geom", "fl_foot") >= 0;
  char name[48], target[64], joint[24];
  *list = (cr_robot_parameters){.nlink = walks ? 13 : 7, .njoint = walks ? 12 : 7};
  for (int i = 0; i < list->nlink; i++) {
    if (walks && i > 0) {
      (void)snprintf(name, sizeof name, "%s_%s", legs[(i - 1) / 3], parts[(i - 1) % 3]);
    } else if (walks) {
      (void)snprintf(name, sizeof name, "trunk");
    } else {
      (void)snprintf(name, sizeof name, "link%d", i + 1);
    }
    CR_TRY(add(list, m, CR_FIT_INERTIA, name, name, error));
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < list->njoint; i++) {
      if (walks) {
        (void)snprintf(joint, sizeof joint, "%s_%s", legs[i / 3], parts[i % 3]);
      } else {
        (void)snprintf(joint, sizeof joint, "joint%d", i + 1);
      }
      (void)snprintf(name, sizeof name, "%s.%s", joint, laws[k]);
      (void)snprintf(target, sizeof target, "dof_%s[%s]", laws[k], joint);
      CR_TRY(add(list, m, CR_FIT_FIELD, name, target, error));
    }
  }
  return walks ? add(list, m, CR_FIT_TIED, "foot friction", "geom_friction[*_foot][0]", error)
               : CR_OK;
}

void cri_robot_hide(const cr_robot_parameters* list, const cr_real* start, cr_real* x) {
  static const cr_real away[10] = {CR_R(0.1),  CR_R(0.12), CR_R(0.12), CR_R(0.12), CR_R(0.01),
                                   CR_R(0.01), CR_R(0.01), CR_R(0.01), CR_R(0.01), CR_R(0.01)};
  cr_random random = cr_random_seed(7, 0);
  for (int i = 0; i < 10 * list->nlink; i++) {
    x[i] = start[i] + away[i % 10] * cr_random_range(&random, -1, 1);
  }
  for (int i = 10 * list->nlink; i < 10 * list->nlink + list->n - list->nlink; i++) {
    x[i] = start[i] + CR_R(0.25) * cr_random_range(&random, -1, 1);
  }
}

// ---- motion

void cri_robot_targets(cr_robot_kind kind, int recording, double time, double* ctrl) {
  static const double middle[] = {0, 0.5, 0, -0.9, 0, 0.6, 0};
  enum { WAVES = 4 };
  bool arm = kind == CR_ROBOT_ARM;
  cr_random random = cr_random_seed(arm ? 11 : 12, (uint64_t)recording);
  for (int i = 0; i < (arm ? 7 : 12); i++) {
    double at = arm ? middle[i] : stance[i % 3], size = arm ? 0.3 : i % 3 == 0 ? 0.144 : 0.108;
    for (int k = 0; k < WAVES; k++) {
      double rate = (arm ? 0.5 : 1) * (0.8 + 0.9 * k + 0.5 * (double)cr_random_uniform(&random));
      double phase = 6.283185307179586 * (double)cr_random_uniform(&random);
      at += size * (arm ? 1 : 0.8) * sin(6.283185307179586 * rate * time + phase) / (1 + 0.3 * k);
    }
    ctrl[i] = at;
  }
}
