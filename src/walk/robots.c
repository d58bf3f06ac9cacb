// SPDX-License-Identifier: Apache-2.0
#include "walk/robots.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/real.h"

enum { TEXT = 16384, HINGE_JOINT = 3 };
static const double step = 0.001;
static const char file[] = "robot.xml";

typedef struct {
  char text[TEXT];
  size_t n;
} page;

__attribute__((format(printf, 2, 3))) static void put(page* p, const char* format, ...) {
  va_list list;
  va_start(list, format);
  size_t room = sizeof p->text - p->n;
  int n = vsnprintf(p->text + p->n, room, format, list);
  va_end(list);
  p->n += n > 0 && (size_t)n < room ? (size_t)n : room - 1;
}

// ---- Carom's own: about the size of Laikago, of boxes and cylinders

static void put_leg(page* p, const char* name, double x, double y) {
  put(p,
      "      <body name=\"%s_hip\" pos=\"%.9g %.9g 0\">\n"
      "        <joint name=\"%s_hip\" axis=\"1 0 0\" range=\"-0.9 0.9\"/>\n"
      "        <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.0015 0.0018 0.0018\"/>\n"
      "        <body name=\"%s_thigh\" pos=\"0 %.9g 0\">\n"
      "          <joint name=\"%s_thigh\" axis=\"0 1 0\"/>\n"
      "          <geom type=\"cylinder\" size=\"0.03\" fromto=\"0 0 -0.05 0 0 -0.22\" "
      "mass=\"1.4\"/>\n"
      "          <body name=\"%s_calf\" pos=\"0 0 -0.25\">\n"
      "            <joint name=\"%s_calf\" axis=\"0 1 0\" range=\"-2.6 -0.1\"/>\n"
      "            <geom type=\"cylinder\" size=\"0.015\" fromto=\"0 0 -0.02 0 0 -0.2\" "
      "mass=\"0.25\"/>\n"
      "            <geom name=\"%s_toe\" type=\"sphere\" size=\"0.025\" pos=\"0 0 -0.25\" "
      "mass=\"0.1\"/>\n"
      "          </body>\n        </body>\n      </body>\n",
      name, x, y, name, name, y > 0 ? 0.06 : -0.06, name, name, name, name);
}

static void put_own(page* p) {
  static const char* const legs[] = {"fr", "fl", "rr", "rl"};
  static const char* const joints[] = {"hip", "thigh", "calf"};
  put(p,
      "<mujoco model=\"quadruped\">\n"
      "  <compiler angle=\"radian\" autolimits=\"true\"/>\n"
      "  <option timestep=\"%.9g\"/>\n"
      "  <default>\n    <joint damping=\"0.1\" armature=\"0.01\"/>\n    <motor ctrlrange=\"-80 "
      "80\"/>\n"
      "    <geom contype=\"2\" conaffinity=\"1\"/>\n"
      "  </default>\n"
      "  <worldbody>\n    <geom name=\"ground\" type=\"plane\" size=\"50 50 0.1\" contype=\"1\" "
      "conaffinity=\"2\"/>\n"
      "    <body name=\"trunk\" pos=\"0 0 0.5\">\n      <freejoint name=\"floating_base\"/>\n"
      "      <geom type=\"box\" size=\"0.24 0.09 0.06\" mass=\"12\"/>\n",
      step);
  for (int i = 0; i < 4; i++) {
    put_leg(p, legs[i], i < 2 ? 0.21 : -0.21, i % 2 == 0 ? -0.06 : 0.06);
  }
  put(p, "    </body>\n  </worldbody>\n  <actuator>\n");
  for (int i = 0; i < 12; i++) {
    put(p, "    <motor name=\"%s_%s\" joint=\"%s_%s\"/>\n", legs[i / 3], joints[i % 3], legs[i / 3],
        joints[i % 3]);
  }
  put(p, "  </actuator>\n</mujoco>\n");
}

// ---- a URDF file: floating, above a floor, and with motors

static bool is_urdf(const char* name) {
  size_t n = strlen(name);
  return n > 5 && strcmp(name + n - 5, ".urdf") == 0;
}

static cr_status find_file(const char* source, char path[CR_MAX_PATH], cr_error* error) {
  struct stat about;
  DIR* folder = NULL;
  if (stat(source, &about) != 0 || !S_ISDIR(about.st_mode) || (folder = opendir(source)) == NULL) {
    return cri_path_join(path, "", source, error);
  }
  int n = 0;
  cr_status status = CR_OK;
  for (const struct dirent* e = readdir(folder); e != NULL && status == CR_OK;
       e = readdir(folder)) {
    if (is_urdf(e->d_name)) {
      n++;
      status = cri_path_join(path, source, e->d_name, error);
    }
  }
  (void)closedir(folder);
  CR_TRY(status);
  return n == 1 ? CR_OK
                : cri_fail(error, CR_ERR_FORMAT, "%s: %s URDF file in this folder", source,
                           n == 0 ? "there is no" : "there is more than one");
}

// adds motors before the end of the model that was saved
static cr_status add_motors(const cr_model* m, const char* path, cr_error* error) {
  static const char end[] = "</mujoco>";
  page* p = calloc(1, sizeof *p);
  char* text = NULL;
  size_t n = 0;
  CR_TRY(p != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for motors"));
  const int32_t* type = cr_model_integers(m, "jnt_type", NULL, NULL);
  put(p, "  <actuator>\n");
  for (int j = 0; j < cr_model_count(m, "njnt"); j++) {
    const char* name = cr_model_name(m, "joint", j);
    if (type[j] == HINGE_JOINT) {
      put(p, "    <motor name=\"%s\" joint=\"%s\"/>\n", name, name);
    }
  }
  put(p, "  </actuator>\n%s\n", end);
  cr_status status = cri_file_read(path, &text, &n, error);
  char* cut = status == CR_OK ? strstr(text, end) : NULL;
  if (status == CR_OK && cut == NULL) {
    status = cri_fail(error, CR_ERR_FORMAT, "%s: no %s", path, end);
  }
  if (status == CR_OK) {
    size_t before = (size_t)(cut - text);
    char* whole = malloc(before + p->n + 1);
    status = whole != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for motors");
    if (whole != NULL) {
      memcpy(whole, text, before);
      memcpy(whole + before, p->text, p->n);
      status = cri_file_write(path, whole, before + p->n, error);
    }
    free(whole);
  }
  free(text);
  free(p);
  return status;
}

static cr_status write_urdf(const char* source, const char* path, cr_error* error) {
  char urdf[CR_MAX_PATH];
  cr_model* m = NULL;
  const cr_urdf_options o = {
      .size = sizeof o, .floating = true, .ground = true, .no_self_collision = true};
  CR_TRY(find_file(source, urdf, error));
  CR_TRY(cr_model_open_urdf(&m, urdf, &o, error));
  cr_status status = cr_model_set_option(m, "timestep", (cr_real)step, error);
  status = status == CR_OK ? cr_mujoco_save(m, urdf, &o, path, error) : status;
  status = status == CR_OK ? add_motors(m, path, error) : status;
  cr_model_destroy(m);
  return status;
}

cr_status cri_robot_open(const char* folder, const char* source, cr_model** m,
                         char path[CR_MAX_PATH], cr_error* error) {
  *m = NULL;
  CR_TRY(cri_path_join(path, folder, file, error));
  if (source != NULL) {
    CR_TRY(write_urdf(source, path, error));
  } else {
    page* p = calloc(1, sizeof *p);
    CR_TRY(p != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a robot"));
    put_own(p);
    cr_status status = cri_file_write(path, p->text, p->n, error);
    free(p);
    CR_TRY(status);
  }
  return cr_model_open(m, path, error);
}
