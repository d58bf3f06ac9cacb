// SPDX-License-Identifier: Apache-2.0
#include "scenes/io_random_mjcf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

enum { MAX_JOINT = 24 };

typedef struct {
  cr_random r;
  char* text;
  int nbody, njoint;
  bool ball[MAX_JOINT];  // of joint k: hinge or slide, or ball
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer* w, const char* format, ...) {
  size_t used = strlen(w->text);
  va_list list;
  va_start(list, format);
  (void)vsnprintf(w->text + used, RANDOM_MJCF_SIZE - used, format, list);
  va_end(list);
}

static double between(writer* w, double low, double high) {
  return (double)cr_random_range(&w->r, (cr_real)low, (cr_real)high);
}

static bool chance(writer* w, double p) { return between(w, 0, 1) < p; }
static int one_of(writer* w, int n) { return cr_random_int(&w->r, n); }

static void put_vector(writer* w, const char* name, int n, double size) {
  put(w, " %s='", name);
  for (int i = 0; i < n; i++) {
    put(w, "%.4f ", between(w, -size, size));
  }
  put(w, "'");
}

// ---- options

static void put_options(writer* w) {
  static const char* const flags[] = {"clampctrl", "damper", "spring", "eulerdamp", "actuation"};
  put(w, "<option timestep='%g' cone='%s'", chance(w, 0.5) ? 0.002 : 0.005,
      chance(w, 0.5) ? "elliptic" : "pyramidal");
  if (chance(w, 0.4)) {
    put(w, " density='%.3f' viscosity='%.4f' wind='1 -.5 .2'", between(w, 0, 50),
        between(w, 0, 0.1));
  }
  if (chance(w, 0.3)) {
    put(w, " actuatorgroupdisable='1'");
  }
  put(w, "><flag");
  for (int i = 0; i < 5; i++) {
    if (chance(w, 0.08)) {
      put(w, " %s='disable'", flags[i]);
    }
  }
  put(w, "/></option>\n");
}

// ---- bodies

static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1", ".6 0 .8"};

static void put_joint(writer* w, const char* type, int axis) {
  put(w, "<joint name='j%d' type='%s' axis='%s'", w->njoint, type, axes[axis]);
  w->ball[w->njoint++] = strcmp(type, "ball") == 0;
  if (chance(w, 0.5)) {
    put(w, " damping='%.3f'", between(w, 0, 2));
  }
  if (chance(w, 0.3)) {
    put(w, " stiffness='%.3f'", between(w, 0, 5));
  }
  if (chance(w, 0.3)) {
    put(w, " armature='%.3f'", between(w, 0.01, 0.2));
  }
  if (chance(w, 0.2)) {
    put(w, " frictionloss='%.3f'", between(w, 0.1, 1));
  }
  if (chance(w, 0.3) && strcmp(type, "ball") != 0) {
    put(w, " range='%.3f %.3f'", between(w, -1, -0.1), between(w, 0.1, 1));
  }
  if (chance(w, 0.2) && strcmp(type, "ball") != 0) {
    put(w, " actuatorfrcrange='-%.3f %.3f'", between(w, 0.5, 3), between(w, 0.5, 3));
  }
  put(w, "/>");
}

static void put_joints(writer* w, int kind) {
  int first = one_of(w, 3);
  switch (kind) {
    case 0:  // slides, of a simple body where its geom sits at its origin
      for (int i = 0, n = 1 + one_of(w, 3); i < n; i++) {
        put_joint(w, "slide", (first + i) % 3);
      }
      break;
    case 1:
      put_joint(w, "slide", first);
      put_joint(w, "slide", (first + 1) % 3);
      put_joint(w, "hinge", one_of(w, 3));
      break;
    case 2:
      put_joint(w, "ball", 2);
      break;
    case 3:
      put(w, "<freejoint/>");
      break;
    default:
      put_joint(w, "hinge", first);
      if (chance(w, 0.3)) {
        put_joint(w, "hinge", first == 1 ? 3 : (first + 1) % 3);
      }
  }
}

static void put_geom(writer* w) {
  static const char* const shapes[] = {"type='sphere' size='.1'", "type='box' size='.1 .15 .05'",
                                       "type='capsule' size='.05 .1'",
                                       "type='cylinder' size='.1 .06'"};
  put(w, "<geom %s mass='%.3f' condim='%d'", shapes[one_of(w, 4)], between(w, 0.2, 2),
      chance(w, 0.3) ? 1 : (chance(w, 0.7) ? 3 : 4));
  if (chance(w, 0.4)) {
    put_vector(w, "pos", 3, 0.1);
  }
  if (chance(w, 0.4)) {
    put(w, " fluidshape='ellipsoid'");
  }
  put(w, "/>");
}

static void put_body(writer* w, int depth) {
  int id = w->nbody++;
  put(w, "<body name='b%d' pos='%.3f %.3f %.3f'>", id, between(w, -1, 1), between(w, -1, 1),
      depth == 0 ? 0.1 + 0.25 * id : between(w, -0.2, 0.2));
  put_joints(w, depth == 0 ? one_of(w, 6) : 4);
  put_geom(w);
  put(w, "<site name='s%d'", id);
  put_vector(w, "pos", 3, 0.2);
  put(w, "/>");
  if (depth < 3 && w->njoint < MAX_JOINT - 3 && chance(w, 0.35)) {
    put_body(w, depth + 1);
  }
  put(w, "</body>\n");
}

// ---- tendons and actuators

static int scalar_joint(writer* w) {
  for (int tries = 0; tries < 20 && w->njoint > 0; tries++) {
    int j = one_of(w, w->njoint);
    if (!w->ball[j]) {
      return j;
    }
  }
  return -1;
}

static int put_tendons(writer* w) {
  int n = one_of(w, 4);
  put(w, "<tendon>");
  for (int i = 0; i < n; i++) {
    int a = scalar_joint(w), b = scalar_joint(w);
    bool fixed = a >= 0 && b != a && chance(w, 0.5);
    put(w, "<%s name='t%d' damping='%.3f' stiffness='%.3f'", fixed ? "fixed" : "spatial", i,
        chance(w, 0.7) ? between(w, 0, 5) : 0, chance(w, 0.4) ? between(w, 0, 20) : 0);
    if (chance(w, 0.2)) {
      put(w, " armature='%.3f'", between(w, 0.01, 0.2));
    }
    if (chance(w, 0.2)) {
      put(w, " frictionloss='%.3f'", between(w, 0.1, 1));
    }
    if (chance(w, 0.2)) {
      put(w, " actuatorfrcrange='-1 %.3f'", between(w, 0.5, 2));
    }
    put(w, ">");
    if (fixed) {
      put(w, "<joint joint='j%d' coef='%.3f'/><joint joint='j%d' coef='%.3f'/>", a,
          between(w, 0.2, 1), b, between(w, -1, -0.2));
    } else {
      put(w, "<site site='o'/><site site='s%d'/>", one_of(w, w->nbody));
    }
    put(w, "</%s>", fixed ? "fixed" : "spatial");
  }
  put(w, "</tendon>\n");
  return n;
}

// what the actuator pulls on
static void put_transmission(writer* w, int ntendon) {
  int site = one_of(w, w->nbody), j = w->njoint > 0 ? one_of(w, w->njoint) : -1;
  switch (one_of(w, 6)) {
    case 0:
      put(w, " site='s%d'", site);
      put_vector(w, "gear", 6, 1);
      return;
    case 1:
      put(w, " site='s%d' refsite='o'", site);
      put_vector(w, "gear", 6, 1);
      return;
    case 2:
      put(w, " cranksite='s%d' slidersite='o' cranklength='5'", site);
      return;
    case 3:
      if (ntendon > 0) {
        put(w, " tendon='t%d'", one_of(w, ntendon));
        return;
      }
      break;
    default:
      break;
  }
  if (j < 0) {
    put(w, " site='s%d'", site);
  } else {
    put(w, " %s='j%d'", chance(w, 0.3) ? "jointinparent" : "joint", j);
  }
  put_vector(w, "gear", 6, 1);
}

static void put_law(writer* w) {
  static const char* const dynamics[] = {"none", "integrator", "filter", "filterexact"};
  int dyn = chance(w, 0.5) ? 0 : one_of(w, 4);
  put(w, " gaintype='affine' gainprm='%.3f %.3f %.3f'", between(w, -1, 1), between(w, -1, 1),
      between(w, -1, 1));
  put(w, " biastype='affine' biasprm='%.3f %.3f %.3f'", between(w, -1, 1), between(w, -2, 0),
      between(w, -2, 0));
  put(w, " dyntype='%s'", dynamics[dyn]);
  if (dyn > 0) {
    put(w, " dynprm='%.3f'", between(w, 0.02, 0.2));
    put(w, " actearly='%s'", chance(w, 0.5) ? "true" : "false");
    if (chance(w, 0.5)) {
      put(w, " actrange='-%.3f %.3f'", between(w, 0.1, 0.5), between(w, 0.1, 0.5));
    }
  }
}

static void put_actuators(writer* w, int ntendon) {
  put(w, "<actuator>");
  for (int i = 0, n = 1 + one_of(w, 4); i < n; i++) {
    bool muscle = ntendon > 0 && chance(w, 0.15), damper = !muscle && chance(w, 0.2);
    put(w, "<%s name='a%d'", muscle ? "muscle" : damper ? "damper" : "general", i);
    if (muscle) {
      put(w, " tendon='t%d' lengthrange='.1 3'", one_of(w, ntendon));
    } else {
      put_transmission(w, ntendon);
    }
    if (damper) {
      put(w, " kv='%.3f' ctrlrange='0 %.3f'", between(w, 0.1, 3), between(w, 0.2, 1));
    } else if (!muscle) {
      put_law(w);
    }
    if (!damper && chance(w, 0.7)) {
      put(w, " ctrlrange='%.3f %.3f'", muscle ? 0 : between(w, -1, 0), between(w, 0.1, 1));
    }
    if (chance(w, 0.3)) {
      put(w, " forcerange='-%.3f %.3f'", between(w, 0.3, 3), between(w, 0.3, 3));
    }
    put(w, " group='%d'/>", one_of(w, 3));
  }
  put(w, "</actuator>\n");
}

void random_mjcf(uint64_t seed, char text[RANDOM_MJCF_SIZE]) {
  writer w = {.r = cr_random_seed(seed, 51), .text = text};
  text[0] = 0;
  put(&w, "<mujoco><compiler autolimits='true'/>");
  put_options(&w);
  put(&w, "<worldbody><geom type='plane' size='5 5 .1'/><site name='o' pos='.1 .2 -.9'/>\n");
  for (int i = 0, n = 1 + one_of(&w, 3); i < n; i++) {
    put_body(&w, 0);
  }
  put(&w, "</worldbody>\n");
  int ntendon = put_tendons(&w);
  put_actuators(&w, ntendon);
  put(&w, "</mujoco>\n");
}
