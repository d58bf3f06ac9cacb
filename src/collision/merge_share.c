// SPDX-License-Identifier: Apache-2.0
// The length over which contacts share, see merge_share.h.
#include "collision/merge_share.h"

// half widths per softness, and for the general pair 2 sin 5 degrees
#define SHARE CR_R(10.6)
#define MOST_SHARE CR_R(0.17431148549531634711612854167494)

// of a geom, and the size that it is, -1 none; planes and height fields have no width
static cr_real half_width(const cr_model* m, int geom, int* size) {
  static const int sizes[CR_N_GEOM_TYPE] = {[CR_GEOM_SPHERE] = 1,
                                            [CR_GEOM_CAPSULE] = 1,
                                            [CR_GEOM_ELLIPSOID] = 3,
                                            [CR_GEOM_CYLINDER] = 2,
                                            [CR_GEOM_BOX] = 3};
  const cr_real* x = m->geom_size + 3 * geom;
  int n = sizes[m->geom_type[geom]];
  *size = n > 0 ? 0 : -1;
  for (int k = 1; k < n; k++) {
    *size = x[k] < x[*size] ? k : *size;
  }
  if (m->geom_type[geom] == CR_GEOM_MESH) {
    return m->mesh_width[m->geom_dataid[geom]];
  }
  return n > 0 ? x[*size] : CR_MAX;
}

cri_merge_share cri_merge_share_of(const cr_model* m, const int32_t geom[2], bool general) {
  if (m->collision != CR_COLLISION_SMOOTH) {
    return (cri_merge_share){.length = 0};
  }
  int size[2];
  cr_real width[2] = {half_width(m, geom[0], &size[0]), half_width(m, geom[1], &size[1])};
  int less = width[0] < width[1] ? 0 : 1;
  cr_real factor = SHARE * m->softness;
  factor = general ? cr_min(factor, MOST_SHARE) : factor;
  return (cri_merge_share){factor * width[less], size[less] < 0 ? 0 : factor, geom[less],
                           size[less]};
}
