// SPDX-License-Identifier: Apache-2.0
// The law of added contact models in the rows of random models: contacts have it, all others the convex law; its
// tangent against differences, its cotangent against its tangent; contacts that are switched off.
#include "solver/contact_law.h"

#include "base/random.h"
#include "carom/model.h"
#include "model/added_contact.h"
#include "scenes/contact_scene.h"
#include "scenes/coulomb.h"
#include "solver/friction_cone.h"
#include "solver/friction_cone_bends.h"
#include "support/close.h"

enum { N_SEED = 8, MOST_ROWS = 600 };

static void open_scene(contact_scene* s, int seed) {
  scene_open(s, seed);
  s->m.cone = CR_CONE_ELLIPTIC;
  coulomb_choose(&s->m, seed % 2 == 0);
  cri_data_free(s->d);
  scene_reopen(s);
  scene_run(s, "reference");
  assert_true(s->d->nefc <= MOST_ROWS);
}

static void fill(cr_real* x, int n, cr_random* r, cr_real scale) {
  for (int i = 0; i < n; i++) {
    x[i] = scale * cr_random_normal(r);
  }
}

static int first_contact(const cr_data* d) { return d->ne + d->nf + d->nl; }

TEST(rows_that_are_no_contacts_are_convex) {
  cr_random r = cr_random_seed(7, 1);
  int contacts = 0, others = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real e[MOST_ROWS], f[2][MOST_ROWS];
    int32_t zone[2][MOST_ROWS];
    open_scene(&s, seed);
    fill(e, s.d->nefc, &r, 20);
    cri_contact_law_force(&s.m, s.d, cri_all_rows(s.d), e, f[0], zone[0]);
    cri_constraint_force(s.d, cri_all_rows(s.d), e, f[1], zone[1]);
    for (int i = 0; i < s.d->nefc; i++) {
      bool contact = i >= first_contact(s.d);
      assert_true(contact == (zone[0][i] >= CRI_STATE_ADDED));
      assert_true(contact || (f[0][i] == f[1][i] && zone[0][i] == zone[1][i]));
      contacts += contact;
      others += !contact;
    }
    scene_close(&s);
  }
  assert_true(contacts > 20 && others > 20);
}

// ---- derivatives

static cr_data* twin_of(const contact_scene* s, cr_data_role role) {
  cr_data* twin;
  assert_int_equal(cri_data_twin(&twin, &s->m, s->d, role, cri_no_params, NULL), CR_OK);
  return twin;
}

// what a law reads besides e
typedef struct {
  cr_real *of, *tan, *bar;
  int n;
} part;

enum { N_PART = 10 };
static void parts_of(cr_data* d, cr_data* tan, cr_data* bar, part* p) {
  p[0] = (part){d->efc_D, tan->efc_D, bar->efc_D, d->nefc};
  p[1] = (part){d->contact_friction, tan->contact_friction, bar->contact_friction, 5 * d->ncon};
  p[2] = (part){d->contact_mu, tan->contact_mu, bar->contact_mu, d->ncon};
  p[4] = (part){d->contact_area, tan->contact_area, bar->contact_area, d->ncon};
  p[5] = (part){d->contact_stiffness, tan->contact_stiffness, bar->contact_stiffness, d->ncon};
  p[6] = (part){d->contact_weight, tan->contact_weight, bar->contact_weight, d->ncon};
  p[7] = (part){d->efc_pos, tan->efc_pos, bar->efc_pos, d->nefc};
  p[8] = (part){d->efc_margin, tan->efc_margin, bar->efc_margin, d->nefc};
  p[9] = (part){d->efc_vel, tan->efc_vel, bar->efc_vel, d->nefc};
  p[3] = (part){d->efc_frictionloss, tan->efc_frictionloss, bar->efc_frictionloss, d->nefc};
}

static void move(const part* p, cr_real h) {
  for (int k = 0; k < N_PART; k++) {
    for (int i = 0; i < p[k].n; i++) {
      p[k].of[i] += h * p[k].tan[i];
    }
  }
}

static void check_derivatives(contact_scene* s, cr_random* r) {
  cr_data *d = s->d, *tan = twin_of(s, CR_DATA_TANGENT), *bar = twin_of(s, CR_DATA_COTANGENT);
  cr_real e[MOST_ROWS], e_tan[MOST_ROWS], f[2][MOST_ROWS], f_tan[MOST_ROWS], f_bar[MOST_ROWS],
      e_bar[MOST_ROWS], moved[MOST_ROWS], left = 0, right = 0, size = 0;
  const cr_real h = CR_R(1e-6);
  int32_t state[2][MOST_ROWS];
  part p[N_PART];
  int n = d->nefc;
  parts_of(d, tan, bar, p);
  for (int i = 0; i < d->ncon; i++) {
    d->contact_area[i] = CR_R(0.02) * cr_random_uniform(r);
    d->contact_stiffness[i] = 10000 * cr_random_uniform(r);
  }
  fill(e, n, r, 20);
  fill(e_tan, n, r, 1);
  fill(f_bar, n, r, 1);
  for (int k = 0; k < N_PART; k++) {
    for (int i = 0; i < p[k].n; i++) {
      p[k].tan[i] = CR_R(0.1) * p[k].of[i] * cr_random_normal(r);
    }
  }
  cri_contact_law_jvp(&s->m, d, cri_all_rows(d), e, tan, e_tan, f_tan);
  cri_contact_law_vjp(&s->m, d, cri_all_rows(d), e, bar, f_bar, e_bar);
  for (int i = 0; i < n; i++) {
    left += f_bar[i] * f_tan[i];
    right += e_bar[i] * e_tan[i];
    size += cr_abs(f_bar[i] * f_tan[i]) + cr_abs(e_bar[i] * e_tan[i]);
  }
  for (int k = 0; k < N_PART; k++) {
    for (int i = 0; i < p[k].n; i++) {
      right += p[k].bar[i] * p[k].tan[i];
      size += cr_abs(p[k].bar[i] * p[k].tan[i]);
    }
  }
  assert_close(left, right, CR_R(1e4) * CR_EPS * size);
  for (int side = 0; side < 2; side++) {
    move(p, side == 0 ? -h : 2 * h);
    for (int i = 0; i < n; i++) {
      moved[i] = e[i] + (side == 0 ? -h : h) * e_tan[i];
    }
    cri_contact_law_force(&s->m, d, cri_all_rows(d), moved, f[side], state[side]);
  }
  move(p, -h);
  for (int i = first_contact(d); i < n; i++) {
    cr_real scale = 1 + cr_abs(f[0][i]) + cr_abs(f_tan[i]);
    if (state[0][i] == state[1][i]) {
      assert_close(f_tan[i], (f[1][i] - f[0][i]) / (2 * h), CR_R(1e-5) * scale);
    }
  }
  cri_data_free(tan);
  cri_data_free(bar);
}

TEST(derivatives_are_those_of_the_law) {
  cr_random r = cr_random_seed(7, 2);
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    open_scene(&s, seed);
    check_derivatives(&s, &r);
    scene_close(&s);
  }
}

// a law says whether tangents matter besides friction; where it bends, the first row of a contact says it
TEST(laws_say_their_directions_and_bends) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_error error;
    cr_contact_options o = coulomb;
    o.name = "directed";
    o.directed = true;
    o.bends = NULL;
    open_scene(&s, seed);
    assert_int_equal(cr_model_add_contact_model(&s.m, &o, &error), CR_OK);
    for (int i = 0; i < s.d->nefc; i++) {
      s.d->acc_jar[i] = -1;
    }
    for (int i = first_contact(s.d); i < s.d->nefc; i++) {
      cr_real bend[CRI_LAW_BENDS];
      bool first = s.d->contact_efc_address[s.d->efc_id[i]] == i;
      assert_int_equal(cr_model_set_choice(&s.m, "contact_model", "coulomb", &error), CR_OK);
      assert_true(cri_contact_law_has_directions(&s.m, s.d, i) ==
                  cri_friction_cone_has_directions(&s.m, s.d, i));
      cri_contact_law_bends(&s.m, s.d, i, bend);
      assert_true((first ? bend[0] != 1 : bend[0] == 1) && bend[1] == 1);
      assert_int_equal(cr_model_set_choice(&s.m, "contact_model", "directed", &error), CR_OK);
      assert_true(cri_contact_law_has_directions(&s.m, s.d, i));
      cri_contact_law_bends(&s.m, s.d, i, bend);
      assert_true(bend[0] == 1 && bend[1] == 1);
    }
    scene_close(&s);
  }
}

// events switch contacts off by their D
TEST(a_contact_without_mass_has_no_force) {
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real e[MOST_ROWS], f[MOST_ROWS], f_tan[MOST_ROWS], e_bar[MOST_ROWS];
    int32_t zone[MOST_ROWS];
    open_scene(&s, seed);
    cr_data *tan = twin_of(&s, CR_DATA_TANGENT), *bar = twin_of(&s, CR_DATA_COTANGENT);
    for (int i = 0; i < s.d->nefc; i++) {
      s.d->efc_D[i] = i < first_contact(s.d) ? s.d->efc_D[i] : 0;
      e[i] = -1;
    }
    cri_contact_law_force(&s.m, s.d, cri_all_rows(s.d), e, f, zone);
    cri_contact_law_jvp(&s.m, s.d, cri_all_rows(s.d), e, tan, e, f_tan);
    cri_contact_law_vjp(&s.m, s.d, cri_all_rows(s.d), e, bar, e, e_bar);
    for (int i = first_contact(s.d); i < s.d->nefc; i++) {
      assert_true(f[i] == 0 && f_tan[i] == 0 && e_bar[i] == 0);
      assert_true(bar->efc_D[i] == 0);
    }
    cri_data_free(tan);
    cri_data_free(bar);
    scene_close(&s);
  }
}
