// SPDX-License-Identifier: Apache-2.0
// The faces between two geoms, and their corners. What is public is documented in carom/contact.h.
#include "carom/contact.h"

#include "model/misuse.h"
#include "pressure/meeting.h"

typedef struct {
  const cr_data* d;
  cri_meeting meeting;
  bool turned;  // the caller's first geom is the second of the meeting
  int most, count;
  cr_pressure_face* faces;
  cr_real* corner;
  int32_t* ncorner;
} listing;

static void turn_to_world(const listing* x, const cr_real own[3], cr_real world[3]) {
  cr_mulmat3(world, x->d->geom_xmat + 9 * x->meeting.geom[0], own);
}

static void gradient_of(const listing* x, const cri_tetrahedron* t, bool compliant,
                        cr_real gradient[3]) {
  cr_zero3(gradient);
  if (compliant) {
    turn_to_world(x, t->field, gradient);
  }
}

static void add_face(void* context, const cri_meeting_face* f) {
  listing* x = context;
  const cri_other other = x->meeting.other;
  if (x->count++ >= x->most) {
    return;
  }
  cr_pressure_face* to = &x->faces[x->count - 1];
  *to = (cr_pressure_face){.area = f->face.area, .pressure = f->face.pressure};
  turn_to_world(x, f->face.pos, to->pos);
  cr_acc3(to->pos, x->d->geom_xpos + 3 * x->meeting.geom[0]);
  turn_to_world(x, f->face.normal, to->normal);
  cr_scl3(to->normal, to->normal, x->turned ? -1 : 1);
  gradient_of(x, &f->elements.a, true, to->gradient[x->turned ? 1 : 0]);
  gradient_of(x, &f->elements.b, other == CRI_COMPLIANT || other == CRI_COMPLIANT_SPACE,
              to->gradient[x->turned ? 0 : 1]);
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* d, const int geom[2],
                       int most, const void* list, const char* what, const int* count) {
  CR_TRY(cri_check_done(call, m, d, CRI_DONE_FRAMES));
  CR_TRY(cri_given(call, count, "count"));
  for (int k = 0; k < 2; k++) {
    if (geom[k] < 0 || geom[k] >= m->ngeom) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: there is no geom %d", call->name, geom[k]);
    }
  }
  if (most < 0) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: room for %d %s, 0 or more expected", call->name,
                    most, what);
  }
  return most > 0 ? cri_given(call, list, what) : CR_OK;
}

// calls visit for all faces of the listing
static cr_status list(const cri_call* call, const cr_model* m, listing* x, int geom1, int geom2,
                      cri_meeting_visit* visit) {
  int order[2] = {geom1, geom2};
  if (geom1 == geom2 || !cri_meeting_order(m, geom1, geom2, order)) {
    return CR_OK;
  }
  x->turned = order[0] == geom2;
  cri_meeting_place(m, x->d, order, &x->meeting);
  cri_meeting_faces(&x->meeting, NULL, 0, visit, x);
  return x->meeting.bad < 0
             ? CR_OK
             : cri_fail(call->error, CR_ERR_MODEL, "%s: geom %d: its size makes tetrahedra flat",
                        call->name, order[0]);
}

cr_status cr_pressure_faces(const cr_model* m, const cr_data* d, int geom1, int geom2, int most,
                            cr_pressure_face* faces, int* count, cr_error* error) {
  const cri_call call = {"cr_pressure_faces", error};
  CR_TRY(check(&call, m, d, (const int[]){geom1, geom2}, most, faces, "faces", count));
  listing x = {.d = d, .most = most, .faces = faces};
  *count = 0;
  CR_TRY(list(&call, m, &x, geom1, geom2, add_face));
  *count = x.count;
  return CR_OK;
}

static void add_corners(void* context, const cri_meeting_face* f) {
  listing* x = context;
  const cri_polygon* p = &f->parts.polygon;
  for (int k = 0; k < p->n; k++) {  // the normal of the other order points the other way
    const int corner = p->corner[x->turned ? p->n - 1 - k : k];
    if (x->count++ < x->most) {
      cr_real* to = x->corner + 3 * (ptrdiff_t)(x->count - 1);
      turn_to_world(x, p->node[corner].pos, to);
      cr_acc3(to, x->d->geom_xpos + 3 * x->meeting.geom[0]);
    }
  }
  if (x->ncorner != NULL) {
    *x->ncorner++ = p->n;
  }
}

cr_status cr_pressure_corners(const cr_model* m, const cr_data* d, int geom1, int geom2, int most,
                              cr_real* corner, int32_t* ncorner, int* count, cr_error* error) {
  const cri_call call = {"cr_pressure_corners", error};
  CR_TRY(check(&call, m, d, (const int[]){geom1, geom2}, most, corner, "corners", count));
  listing x = {.d = d, .most = most, .corner = corner, .ncorner = ncorner};
  *count = 0;
  CR_TRY(list(&call, m, &x, geom1, geom2, add_corners));
  *count = x.count;
  return CR_OK;
}
