// SPDX-License-Identifier: Apache-2.0
// All shapes are convex, so a line meets one in an interval of its parameter; a ray meets it if the
// interval does not end behind its start. A capsule is the union of a cylinder and two spheres.
#include "sensor/sensor_zone.h"

#include "math/vec3.h"

bool cri_sensor_zone_known(int type) {
  return type == CR_GEOM_SPHERE || type == CR_GEOM_CAPSULE || type == CR_GEOM_ELLIPSOID ||
         type == CR_GEOM_CYLINDER || type == CR_GEOM_BOX;
}

static void to_site(cr_real r[3], const cr_data* d, int site, const cr_real point[3]) {
  cr_real offset[3];
  cr_sub3(offset, point, d->site_xpos + 3 * site);
  cr_multmat3(r, d->site_xmat + 9 * site, offset);
}

// ---- inside

static cr_real square(cr_real x) { return x * x; }

bool cri_sensor_zone_holds(const cr_model* m, const cr_data* d, int site, const cr_real point[3]) {
  const cr_real* s = m->site_size + 3 * site;
  cr_real r[3];
  to_site(r, d, site, point);
  switch (m->site_type[site]) {
    case CR_GEOM_SPHERE:
      return cr_dot3(r, r) < square(s[0]);
    case CR_GEOM_CAPSULE:
      r[2] -= cr_clip(r[2], -s[1], s[1]);
      return cr_dot3(r, r) < square(s[0]);
    case CR_GEOM_ELLIPSOID:
      return square(r[0] / s[0]) + square(r[1] / s[1]) + square(r[2] / s[2]) < 1;
    case CR_GEOM_CYLINDER:
      return cr_abs(r[2]) < s[1] && square(r[0]) + square(r[1]) < square(s[0]);
    case CR_GEOM_BOX:
      return cr_abs(r[0]) < s[0] && cr_abs(r[1]) < s[1] && cr_abs(r[2]) < s[2];
    default:
      return false;
  }
}

// ---- rays: the interval of the line r + t v that is inside, empty where from > to

typedef struct {
  cr_real from, to;
} interval;

static const interval nothing = {1, -1};
static const interval everything = {-CR_MAX, CR_MAX};

// a t^2 + 2 b t + c <= 0
static interval below_quadratic(cr_real a, cr_real b, cr_real c) {
  if (a < CR_MINVAL) {  // the line does not move across
    return c <= 0 ? everything : nothing;
  }
  cr_real det = b * b - a * c;
  if (det < 0) {
    return nothing;
  }
  return (interval){(-b - cr_sqrt(det)) / a, (-b + cr_sqrt(det)) / a};
}

// |x| <= size
static interval slab(cr_real x, cr_real v, cr_real size) {
  if (cr_abs(v) < CR_MINVAL) {
    return cr_abs(x) <= size ? everything : nothing;
  }
  cr_real a = (-size - x) / v, b = (size - x) / v;
  return (interval){cr_min(a, b), cr_max(a, b)};
}

static interval both(interval a, interval b) {
  return (interval){cr_max(a.from, b.from), cr_min(a.to, b.to)};
}

static bool ahead(interval i) { return i.from <= i.to && i.to >= 0; }

static interval in_ellipsoid(const cr_real r[3], const cr_real v[3], const cr_real s[3]) {
  cr_real p[3], q[3];
  for (int k = 0; k < 3; k++) {
    p[k] = r[k] / s[k];
    q[k] = v[k] / s[k];
  }
  return below_quadratic(cr_dot3(q, q), cr_dot3(q, p), cr_dot3(p, p) - 1);
}

static interval in_cylinder(const cr_real r[3], const cr_real v[3], const cr_real s[3]) {
  interval round = below_quadratic(v[0] * v[0] + v[1] * v[1], v[0] * r[0] + v[1] * r[1],
                                   r[0] * r[0] + r[1] * r[1] - s[0] * s[0]);
  return both(round, slab(r[2], v[2], s[1]));
}

static interval in_cap(const cr_real r[3], const cr_real v[3], const cr_real s[3], cr_real end) {
  cr_real from_end[3] = {r[0], r[1], r[2] - end};
  return below_quadratic(cr_dot3(v, v), cr_dot3(v, from_end),
                         cr_dot3(from_end, from_end) - s[0] * s[0]);
}

static interval in_box(const cr_real r[3], const cr_real v[3], const cr_real s[3]) {
  interval i = slab(r[0], v[0], s[0]);
  i = both(i, slab(r[1], v[1], s[1]));
  return both(i, slab(r[2], v[2], s[2]));
}

bool cri_sensor_zone_hit(const cr_model* m, const cr_data* d, int site, const cr_real point[3],
                         const cr_real along[3]) {
  const cr_real* s = m->site_size + 3 * site;
  cr_real r[3], v[3];
  to_site(r, d, site, point);
  cr_multmat3(v, d->site_xmat + 9 * site, along);
  switch (m->site_type[site]) {
    case CR_GEOM_SPHERE:
      return ahead(in_cap(r, v, s, 0));
    case CR_GEOM_CAPSULE:
      return ahead(in_cylinder(r, v, s)) || ahead(in_cap(r, v, s, s[1])) ||
             ahead(in_cap(r, v, s, -s[1]));
    case CR_GEOM_ELLIPSOID:
      return ahead(in_ellipsoid(r, v, s));
    case CR_GEOM_CYLINDER:
      return ahead(in_cylinder(r, v, s));
    case CR_GEOM_BOX:
      return ahead(in_box(r, v, s));
    default:
      return false;
  }
}
