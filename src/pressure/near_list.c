// SPDX-License-Identifier: Apache-2.0
#include "pressure/near_list.h"

// how far a geom may move before there is a new list, over its radius
#define SHARE CR_R(0.001)

// numbers of pressure_near_pose a geom; of a pair of geoms in the list; room for an element
enum { POSE = 15, HEAD = 3, ROOM = 24 };

static cr_real way_of(const cr_model* m, int geom) { return SHARE * cri_meeting_radius(m, geom); }

bool cri_near_list_apart(const cr_model* m, const cr_data* d, int geom1, int geom2,
                         cr_real margin) {
  cr_real r1 = cri_meeting_radius(m, geom1), r2 = cri_meeting_radius(m, geom2), arm[3];
  cr_sub3(arm, d->geom_xpos + 3 * geom1, d->geom_xpos + 3 * geom2);
  const cr_real reach = r1 + r2 + margin;
  return r1 > 0 && r2 > 0 && cr_dot3(arm, arm) > reach * reach;
}

// ---- whether it holds

// [pressure.n1]
static bool stayed(const cr_model* m, const cr_data* d, int geom) {
  const cr_real* was = d->pressure_near_pose + POSE * geom;
  const cr_real r = cri_meeting_radius(m, geom);
  cr_real way[3], turn2 = 0;
  cr_sub3(way, d->geom_xpos + 3 * geom, was);
  for (int k = 0; k < 9; k++) {
    const cr_real change = d->geom_xmat[9 * geom + k] - was[3 + k];
    turn2 += change * change;
  }
  const bool same_size = memcmp(m->geom_size + 3 * geom, was + 12, 3 * sizeof *was) == 0;
  return r > 0 ? same_size && cr_norm3(way) + r * cr_sqrt(turn2) <= SHARE * r
               : cr_norm3(way) + turn2 == 0;
}

static bool unmoved(const cr_model* m, const cr_data* d) {
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_pressure_kind[g] != CR_PRESSURE_NONE && !stayed(m, d, g)) {
      return false;
    }
  }
  return true;
}

bool cri_near_list_holds(const cr_model* m, const cr_data* d) {
  return d->pressure_near_count[0] >= 0 && unmoved(m, d);
}

// ---- the list

typedef struct {
  int32_t* to;
  int n, room;  // numbers; n beyond room: it does not fit
} writer;

static void put(writer* w, int x) {
  if (w->n < w->room) {
    w->to[w->n] = x;
  }
  w->n++;
}

static void put_pair(void* context, int i, int j) {
  put(context, i);
  put(context, j);
}

static void list_geoms(const cr_model* m, const cr_data* d, const int geom[2], cr_real margin,
                       writer* w) {
  cri_meeting x;
  cri_meeting_place(m, d, geom, &x);
  put_pair(w, geom[0], geom[1]);
  const int count = w->n;
  put(w, 0);
  cri_meeting_near(&x, margin, put_pair, w);
  if (w->n <= w->room) {
    w->to[count] = (w->n - count - 1) / 2;
  }
}

static void list_all(const cr_model* m, const cr_data* d, writer* w) {
  for (int i = 0; i < m->ngeom; i++) {
    for (int j = i + 1; j < m->ngeom && m->geom_pressure_kind[i] != CR_PRESSURE_NONE; j++) {
      const cr_real margin = way_of(m, i) + way_of(m, j);
      int geom[2];
      if (m->geom_pressure_kind[j] != CR_PRESSURE_NONE && cri_meeting_order(m, i, j, geom) &&
          !cri_near_list_apart(m, d, i, j, margin)) {
        list_geoms(m, d, geom, margin, w);
      }
    }
  }
}

void cri_near_list_make(const cr_model* m, cr_data* d) {
  if (unmoved(m, d)) {
    return;
  }
  writer w = {.to = d->pressure_near, .room = ROOM * m->npressuretet};
  list_all(m, d, &w);
  d->pressure_near_count[0] = w.n <= w.room ? w.n : -1;
  for (int g = 0; g < m->ngeom; g++) {
    cr_real* pose = d->pressure_near_pose + POSE * g;
    cr_copy3(pose, d->geom_xpos + 3 * g);
    cr_copy(pose + 3, d->geom_xmat + 9 * g, 9);
    cr_copy3(pose + 12, m->geom_size + 3 * g);
  }
}

bool cri_near_list_find(const cr_data* d, int* at, const int geom[2], int* n,
                        const int32_t** elements) {
  for (int i = *at; i + HEAD <= d->pressure_near_count[0];) {
    const int32_t* head = d->pressure_near + i;
    i += HEAD + 2 * head[2];
    if (head[0] == geom[0] && head[1] == geom[1]) {
      *n = head[2];
      *elements = head + HEAD;
      *at = i;
      return true;
    }
  }
  return false;
}
