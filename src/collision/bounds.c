// SPDX-License-Identifier: Apache-2.0
#include "collision/bounds.h"

#include "math/vec3.h"
#include "model/build.h"

/// Boxes are this much too large, so that rounding never hides a contact that just touches. A vector
/// across two axes that are parallel up to this is only rounding.
#define SLACK CR_R(1.000000001)
#define PARALLEL CR_R(1e-9)

// ---- in the frame of the geom

// its box there: offset of the centre from the geom's, half the sizes, and the radius of the ball that
// is added to all of it
typedef struct {
  cr_real centre[3], half[3], round;
} own_box;

static own_box own_of(const cr_model* m, int geom) {
  const cr_real* size = m->geom_size + 3 * geom;
  switch (m->geom_type[geom]) {
    case CR_GEOM_MESH: {
      const cr_real* box = m->mesh_box + 6 * m->geom_dataid[geom];
      return (own_box){{box[0], box[1], box[2]}, {box[3], box[4], box[5]}, 0};
    }
    case CR_GEOM_HFIELD: {
      const cr_real* field = m->hfield_size + 4 * m->geom_dataid[geom];
      cr_real up = field[2], down = field[3];
      return (own_box){{0, 0, (up - down) / 2}, {field[0], field[1], (up + down) / 2}, 0};
    }
    case CR_GEOM_SPHERE:
      return (own_box){{0, 0, 0}, {0, 0, 0}, size[0]};
    case CR_GEOM_CAPSULE:
      return (own_box){{0, 0, 0}, {0, 0, size[1]}, size[0]};
    case CR_GEOM_CYLINDER:
      return (own_box){{0, 0, 0}, {size[0], size[0], size[1]}, 0};
    default:
      return (own_box){{0, 0, 0}, {size[0], size[1], size[2]}, 0};
  }
}

// ---- along the world's axes

void cri_bounds_world(const cr_model* m, const cr_data* d, int geom, cr_real reach,
                      cr_real box[6]) {
  const cr_real *pos = d->geom_xpos + 3 * geom, *mat = d->geom_xmat + 9 * geom;
  cr_real centre[3], half[3];
  if (m->geom_type[geom] == CR_GEOM_PLANE) {
    half[0] = half[1] = half[2] = CR_MAX;
    cr_copy3(centre, pos);
  } else {
    own_box own = own_of(m, geom);
    cr_mulmat3(centre, mat, own.centre);
    cr_acc3(centre, pos);
    for (int k = 0; k < 3; k++) {
      const cr_real* row = mat + 3 * k;
      half[k] = cr_abs(row[0]) * own.half[0] + cr_abs(row[1]) * own.half[1] +
                cr_abs(row[2]) * own.half[2];
      half[k] = (half[k] + own.round + reach) * SLACK;
    }
  }
  cr_sub3(box, centre, half);
  cr_add3(box + 3, centre, half);
}

// ---- along the geoms' own axes

bool cri_bounds_apart(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real reach) {
  own_box a = own_of(m, geom1), b = own_of(m, geom2);
  const cr_real *mat_a = d->geom_xmat + 9 * geom1, *mat_b = d->geom_xmat + 9 * geom2;
  cr_real arm[3], other[3], t[3], turn[3][3], wide[3][3];
  cr_mulmat3(arm, mat_b, b.centre);
  cr_mulmat3(other, mat_a, a.centre);
  for (int k = 0; k < 3; k++) {
    arm[k] += d->geom_xpos[3 * geom2 + k] - d->geom_xpos[3 * geom1 + k] - other[k];
    a.half[k] = (a.half[k] + a.round) * SLACK;
    b.half[k] = (b.half[k] + b.round) * SLACK;
  }

  // the second box in the frame of the first: along its axes
  cr_multmat3(t, mat_a, arm);
  for (int i = 0; i < 3; i++) {
    cr_real half = a.half[i] + reach;
    for (int j = 0; j < 3; j++) {
      turn[i][j] = mat_a[i] * mat_b[j] + mat_a[3 + i] * mat_b[3 + j] + mat_a[6 + i] * mat_b[6 + j];
      wide[i][j] = cr_abs(turn[i][j]) + PARALLEL;
      half += wide[i][j] * b.half[j];
    }
    if (cr_abs(t[i]) > half) {
      return true;
    }
  }

  // along those of the second
  for (int j = 0; j < 3; j++) {
    cr_real along = t[0] * turn[0][j] + t[1] * turn[1][j] + t[2] * turn[2][j];
    cr_real half = b.half[j] + reach + wide[0][j] * a.half[0] + wide[1][j] * a.half[1] +
                   wide[2][j] * a.half[2];
    if (cr_abs(along) > half) {
      return true;
    }
  }

  // across axis i of the one and j of the other. Such a vector is no longer than 1, and the full `reach`
  // is required
  for (int i = 0; i < 3; i++) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      cr_real along = t[i2] * turn[i1][j] - t[i1] * turn[i2][j];
      cr_real half = a.half[i1] * wide[i2][j] + a.half[i2] * wide[i1][j] +
                     b.half[j1] * wide[i][j2] + b.half[j2] * wide[i][j1];
      if (cr_abs(along) > half + reach) {
        return true;
      }
    }
  }
  return false;
}
