// SPDX-License-Identifier: Apache-2.0
// The sweep by parameters against the vjp of the whole step: random models, integrators and choices of fields, rows and contacts,
// every number of the next velocities and activations. And where there is no such sweep.
#include "integrate/parameter_sweep.h"

#include <stdlib.h>

#include "checks/field_space.h"
#include "integrate/step.h"
#include "model/state_vector.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MODELS = 96, MOST = 8192 };
#ifdef CR_LONG_DOUBLE
#define AGREE CR_R(1e-13)
#else
#define AGREE CR_R(1e-10)
#endif

static const cr_field_id inertial[] = {CR_FIELD_body_mass, CR_FIELD_body_inertia,
                                       CR_FIELD_body_ipos, CR_FIELD_body_iquat,
                                       CR_FIELD_dof_armature};
static const cr_field_id others[] = {CR_FIELD_dof_damping,      CR_FIELD_dof_dampingpoly,
                                     CR_FIELD_dof_frictionloss, CR_FIELD_geom_friction,
                                     CR_FIELD_pair_friction,    CR_FIELD_dof_invweight0,
                                     CR_FIELD_body_invweight0,  CR_FIELD_tendon_invweight0,
                                     CR_FIELD_geom_solref,      CR_FIELD_geom_solimp,
                                     CR_FIELD_geom_margin,      CR_FIELD_dof_solref,
                                     CR_FIELD_dof_solimp,       CR_FIELD_jnt_solref,
                                     CR_FIELD_jnt_solimp,       CR_FIELD_jnt_range,
                                     CR_FIELD_jnt_stiffness,    CR_FIELD_actuator_gainprm,
                                     CR_FIELD_actuator_biasprm, CR_FIELD_actuator_dynprm,
                                     CR_FIELD_actuator_acc0,    CR_FIELD_eq_solref,
                                     CR_FIELD_eq_data,          CR_FIELD_tendon_stiffness,
                                     CR_FIELD_tendon_damping,   CR_FIELD_tendon_frictionloss,
                                     CR_FIELD_actuator_damping};
enum { N_INERTIAL = 5, N_OTHER = (int)(sizeof others / sizeof others[0]) };

typedef struct {
  cr_model m;
  cr_data *d, *work, *full, *part;
  bool wanted[CR_N_FIELD];
  cri_parameter_sweep sweep;
  cr_real scale;
} fixture;

static void begin(fixture* f, uint64_t seed, int integrator) {
  cr_random r = cr_random_seed(seed, 3);
  memset(f, 0, sizeof *f);
  assert_int_equal(random_model(&f->m, seed, NULL), CR_OK);
  f->m.integrator = integrator;
  cr_zero(f->m.body_gravcomp, f->m.nbody);
  f->m.density[0] = f->m.viscosity[0] = 0;
  for (int i = 0; i < N_INERTIAL; i++) {
    f->wanted[inertial[i]] = seed % 5 != 4 || i == 4;
  }
  for (int i = 0; i < N_OTHER; i++) {
    f->wanted[others[i]] = cr_random_int(&r, 3) == 0;
  }
  f->d = test_data(&f->m);
  f->work = test_data(&f->m);
  f->full = test_twin(&f->m, f->d, CR_DATA_COTANGENT);
  f->part = test_twin(&f->m, f->d, CR_DATA_COTANGENT);
}

static void end(fixture* f) {
  test_release();
  cri_model_free(&f->m);
}

// one row of each, of all fields that are wanted
static void compare(const fixture* f, uint64_t seed, int row) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = f->wanted[i] ? cri_field_tangent_size(&f->m, NULL, id) : 0;
    const cr_real* a = n > 0 ? field_tangent(&f->m, f->full, id) : NULL;
    const cr_real* b = n > 0 ? field_tangent(&f->m, f->part, id) : NULL;
    cr_real scale = CR_R(1e-3);
    for (int k = 0; k < n; k++) {
      scale = cr_max(scale, cr_abs(a[k]));
    }
    for (int k = 0; k < n; k++) {
      char name[160];
      (void)snprintf(name, sizeof name, "model %d, integrator %d, row %d: %s[%d]", (int)seed,
                     f->m.integrator, row, cri_field(id)->name, k);
      assert_close_at(b[k], a[k], AGREE * scale, name, __FILE__, __LINE__);
    }
  }
}

static void sweep_both(fixture* f, int part, int i) {
  cr_data* bars[2] = {f->full, f->part};
  for (int k = 0; k < 2; k++) {
    cri_model_twin_zero(&bars[k]->par, &f->m);
    cri_state_zero(cri_state_twin(&f->m, bars[k]));
    cri_state_twin_next(&f->m, bars[k]).part[part].x[i] = 1;
  }
  assert_int_equal(cri_step_vjp(&f->m, &f->m, f->d, f->work, f->full), CR_OK);
  assert_int_equal(cri_parameter_sweep_vjp(&f->sweep, &f->m, f->d, f->part), CR_OK);
}

TEST(parameters_get_what_the_whole_step_gives) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICITFAST, CR_INT_IMPLICIT};
  int rows = 0, contacts = 0, planned = 0, limits = 0;
  for (uint64_t seed = 0; seed < MODELS; seed++) {
    fixture f;
    begin(&f, seed, integrators[seed % 3]);
    bool plan = cri_parameter_sweep_plan(&f.sweep, &f.m, f.wanted);
    planned += plan;
    for (int kind = 0; kind < N_STATE_KIND && plan; kind++) {
      random_state(&f.m, f.d, seed, (state_kind)kind);
      cr_zero(f.d->xfrc_applied, 6 * f.m.nbody);
      if (cr_step(&f.m, f.d) != CR_OK) {
        continue;
      }
      assert_true(cri_parameter_sweep_holds(&f.sweep, &f.m, f.d));
      contacts += f.d->ncon > 0;
      limits += f.d->nl > 0;
      const cri_state next = cri_state_twin_next(&f.m, f.part);
      for (int part = CRI_STATE_FLAT; part < CRI_N_STATE; part++) {
        for (int i = 0; i < next.part[part].n; i++, rows++) {
          sweep_both(&f, part, i);
          compare(&f, seed, rows);
        }
      }
    }
    end(&f);
  }
  print_message("%d rows of %d models, %d with contacts\n", rows, planned, contacts);
  assert_true(planned > MODELS / 2 && rows > 10 * planned && contacts > 10 && limits > 5);
}

TEST(there_is_none_where_more_is_moved) {
  fixture f;
  for (int k = 0; k < 7; k++) {
    begin(&f, 4, k == 0 ? CR_INT_RK4 : k == 1 ? CR_INT_DISCRETE : CR_INT_EULER);
    memset(f.wanted, 0, sizeof f.wanted);
    f.wanted[CR_FIELD_body_mass] = true;
    f.wanted[CR_FIELD_body_pos] = k == 2;
    f.wanted[CR_FIELD_gravity] = k == 3;
    f.wanted[CR_FIELD_jnt_axis] = k == 4;
    f.m.density[0] = k == 5 ? 1 : 0;
    f.m.body_gravcomp[1] = k == 6 ? 1 : 0;
    assert_false(cri_parameter_sweep_plan(&f.sweep, &f.m, f.wanted));
    end(&f);
  }
  begin(&f, 4, CR_INT_EULER);
  memset(f.wanted, 0, sizeof f.wanted);
  f.wanted[CR_FIELD_dof_armature] = true;
  f.m.density[0] = 1;  // nothing to inertias that are given
  assert_true(cri_parameter_sweep_plan(&f.sweep, &f.m, f.wanted));
  f.d->xfrc_applied[8] = 1;
  assert_true(cri_parameter_sweep_holds(&f.sweep, &f.m, f.d));
  f.m.density[0] = 0;
  f.wanted[CR_FIELD_body_ipos] = true;
  assert_true(cri_parameter_sweep_plan(&f.sweep, &f.m, f.wanted));
  assert_false(cri_parameter_sweep_holds(&f.sweep, &f.m, f.d));
  end(&f);
}
