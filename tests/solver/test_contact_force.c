// SPDX-License-Identifier: Apache-2.0
// The force of a contact from rows filled by hand, and against what the rows do to bodies.
#include "solver/contact_force.h"

#include "scenes/chain_model.h"
#include "support/close.h"

// one contact of dimension dim, whose rows start behind another row
typedef struct {
  cr_model m;
  cr_data d;
  int32_t address, dim;
  cr_real force[12], friction[5], adhesion;
} one;

static void fill(one* c, int cone, int dim) {
  *c = (one){.address = 1, .dim = dim, .adhesion = 2};
  c->m.cone = cone;
  c->d.contact_efc_address = &c->address;
  c->d.contact_dim = &c->dim;
  c->d.efc_force = c->force;
  c->d.contact_friction = c->friction;
  c->d.contact_adhesion = &c->adhesion;
  for (int i = 0; i < 12; i++) {
    c->force[i] = i;
  }
  for (int i = 0; i < 5; i++) {
    c->friction[i] = CR_R(0.5) * (cr_real)(i + 1);
  }
}

TEST(elliptic_rows_are_the_force) {
  static const int dims[] = {1, 3, 4, 6};
  for (int k = 0; k < 4; k++) {
    one c;
    cr_real w[6];
    fill(&c, CR_CONE_ELLIPTIC, dims[k]);
    cri_contact_force(&c.m, &c.d, 0, w);
    assert_close(w[0], -1, 0);  // 1 - adhesion
    for (int i = 1; i < 6; i++) {
      assert_close(w[i], i < dims[k] ? i + 1 : 0, 0);
    }
    assert_close(cri_contact_normal(&c.m, &c.d, &c.d, 0), -1, 0);
  }
}

// edges 1 2 | 3 4 | ... with friction 0.5, 1, ...
TEST(pyramids_are_decoded) {
  one c;
  cr_real w[6];
  fill(&c, CR_CONE_PYRAMIDAL, 4);
  cri_contact_force(&c.m, &c.d, 0, w);
  const cr_real expected[] = {1 + 2 + 3 + 4 + 5 + 6 - 2, CR_R(-0.5), -1, CR_R(-1.5), 0, 0};
  assert_all_close(w, expected, 6, 0);
  assert_close(cri_contact_normal(&c.m, &c.d, &c.d, 0), expected[0], 0);
  // without friction there is no pyramid
  fill(&c, CR_CONE_PYRAMIDAL, 1);
  cri_contact_force(&c.m, &c.d, 0, w);
  assert_close(w[0], -1, 0);
  assert_close(w[1], 0, 0);
}

TEST(a_contact_without_rows_has_no_force) {
  one c;
  cr_real w[6] = {7, 7, 7, 7, 7, 7};
  const cr_real zero[6] = {0};
  fill(&c, CR_CONE_ELLIPTIC, 3);
  c.address = -1;
  cri_contact_force(&c.m, &c.d, 0, w);
  assert_all_close(w, zero, 6, 0);
  assert_close(cri_contact_normal(&c.m, &c.d, &c.d, 0), 0, 0);
}

// w_bar . w_tan = bar . tan, both cones
TEST(the_transpose_is_the_transpose) {
  for (int cone = 0; cone < 2; cone++) {
    one c, tan, bar = {.address = 0};
    cr_real w_tan[6], along = 0, back;
    const cr_real w_bar[6] = {1, -2, 3, CR_R(0.5), CR_R(0.25), -1};
    fill(&c, cone, 4);
    fill(&tan, cone, 4);
    bar.d.efc_force = bar.force;
    bar.d.contact_friction = bar.friction;
    bar.d.contact_adhesion = &bar.adhesion;
    cri_contact_force_tan(&c.m, &c.d, &tan.d, 0, w_tan);
    cri_contact_force_bar(&c.m, &c.d, &bar.d, 0, w_bar);
    for (int k = 0; k < 6; k++) {
      along += w_bar[k] * w_tan[k];
    }
    back = bar.adhesion * tan.adhesion;
    for (int k = 0; k < 12; k++) {
      back += bar.force[k] * tan.force[k];
    }
    for (int k = 0; k < 5; k++) {
      back += bar.friction[k] * tan.friction[k];
    }
    assert_true(cr_abs(along) > CR_R(0.1));
    assert_close(back, along, 10 * ROUND_OFF * cr_abs(along));
  }
}
