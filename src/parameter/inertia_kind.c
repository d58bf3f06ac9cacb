// SPDX-License-Identifier: Apache-2.0
// Mass, centre of mass and inertia of a body. Its moments and principal axes follow from the inertia, its cotangent
// from theirs (pseudo_inertia.h).
#include "force/fluid.h"
#include "math/quat.h"
#include "parameter/kind_table.h"
#include "parameter/parameter_target.h"
#include "parameter/pseudo_inertia.h"

enum { MASS, CENTRE, MOMENTS, AXES };  // places

static void body_of(const cr_model* m, int b, cri_rigid_body* body) {
  const cr_real* moments = m->body_inertia + 3 * b;
  cr_real R[9];
  cr_quat_to_mat(R, m->body_iquat + 4 * b);
  body->mass = m->body_mass[b];
  cr_copy3(body->centre, m->body_ipos + 3 * b);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      body->inertia[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) {
        body->inertia[3 * i + j] += R[3 * i + k] * moments[k] * R[3 * j + k];
      }
    }
  }
}

// a body that a medium takes for a box, with axes that are not defined
static bool has_no_axes(const cr_model* m, int b) {
  const cr_real* I = m->body_inertia + 3 * b;
  cr_real gap = cr_min(cr_abs(I[0] - I[1]), cr_min(cr_abs(I[1] - I[2]), cr_abs(I[2] - I[0])));
  return cri_fluid_takes_box(m, b) && gap <= CR_R(1e-6) * (I[0] + I[1] + I[2]);
}

static cr_status bind_inertia(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                              cr_error* error) {
  const char *name = e->item.name, *target = e->item.target;
  cri_rigid_body body;
  cr_real theta[CRI_PSEUDO];
  int b = e->body = cri_target_object(m, CRI_OBJECT_body, target);
  if (b < 0) {
    return cri_fail(error, CR_ERR_NAME, "parameter '%s': the model has no body '%s'", name, target);
  }
  body_of(m, b, &body);
  if (b == 0 || !cri_pseudo_theta(&body, theta)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': body '%s' has no mass with a volume, which its inertia needs",
                    name, target);
  }
  if (has_no_axes(m, b)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': the medium takes body '%s' for a box along its principal "
                    "axes, and two of its moments are equal",
                    name, target);
  }
  e->n = CRI_PSEUDO;
  CR_TRY(cri_entry_places(e, 4, error));
  cri_entry_place(e, MASS, CR_FIELD_body_mass, b, 1, wanted);
  cri_entry_place(e, CENTRE, CR_FIELD_body_ipos, 3 * b, 3, wanted);
  cri_entry_place(e, MOMENTS, CR_FIELD_body_inertia, 3 * b, 3, wanted);
  cri_entry_place(e, AXES, CR_FIELD_body_iquat, 4 * b, 4, wanted);
  e->places[AXES].tan_first = 3 * b;
  e->places[AXES].tan_count = 3;
  return cri_entry_base(e, m, error);
}

static void start_inertia(const cri_parameter_entry* e, const cr_model* m, cr_real* p) {
  cri_rigid_body body;
  body_of(m, e->body, &body);
  (void)cri_pseudo_theta(&body, p);
}

static void apply_inertia(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  const cr_real* axes = e->base + 1 + 3 + 3;  // those of the model
  const int b = e->body;
  cri_rigid_body body;
  cr_real near[9], R[9];
  cri_pseudo_body(p, &body);
  m->body_mass[b] = body.mass;
  cr_copy3(m->body_ipos + 3 * b, body.centre);
  cr_quat_to_mat(near, axes);
  cri_principal_axes(body.inertia, near, m->body_inertia + 3 * b, R);
  cr_quat_of_mat(m->body_iquat + 4 * b, R);
  m->body_simple[b] = 0;  // its block of M fills
}

static void push_inertia(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         const cr_real* p_tan, cr_model* par_tan) {
  const int b = e->body;
  cri_rigid_body tan;
  cr_real R[9];
  cri_pseudo_jvp(p, p_tan, &tan);
  par_tan->body_mass[b] = tan.mass;
  cr_copy3(par_tan->body_ipos + 3 * b, tan.centre);
  cr_quat_to_mat(R, m->body_iquat + 4 * b);
  cri_principal_jvp(m->body_inertia + 3 * b, R, tan.inertia, par_tan->body_inertia + 3 * b,
                    par_tan->body_iquat + 3 * b);
}

static void pull_inertia(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         cr_model* par_bar, cr_real* p_bar) {
  const int b = e->body;
  cri_rigid_body bar = {.mass = par_bar->body_mass[b]};
  cr_real R[9];
  cr_copy3(bar.centre, par_bar->body_ipos + 3 * b);
  cr_quat_to_mat(R, m->body_iquat + 4 * b);
  cri_principal_vjp(m->body_inertia + 3 * b, R, par_bar->body_inertia + 3 * b,
                    par_bar->body_iquat + 3 * b, bar.inertia);
  cri_pseudo_vjp(p, &bar, p_bar);
}

const cri_parameter_kind cri_kind_inertia = {.own_start = true,
                                             .bind = bind_inertia,
                                             .start = start_inertia,
                                             .apply = apply_inertia,
                                             .push = push_inertia,
                                             .pull = pull_inertia};
