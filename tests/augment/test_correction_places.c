// SPDX-License-Identifier: Apache-2.0
// Which numbers the members of a correction read and change.
#include "augment/correction.h"

#include <stdlib.h>

#include "scenes/random_model.h"
#include "support/test.h"

static cr_error error;

static cri_correction* resolve(cr_correction_options* o, const cr_model* m) {
  cri_correction* c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->options = *o;
  c->target = CR_N_FIELD;
  assert_int_equal(cri_correction_places(c, m, &error), CR_OK);
  return c;
}

static void release(cri_correction* c) {
  free(c->value);
  free(c->column);
  free(c->numbers);
  free(c->slot);
  free(c->offset);
  free(c->scale);
  free(c->geoms);
  free(c);
}

static bool is_scalar(const cr_model* m, int j) { return m->jnt_type[j] >= CR_JNT_SLIDE; }

// each hinge and slide joint has its own coordinate, velocity, axis
TEST(members_read_what_is_theirs) {
  const cr_correction_input in[] = {{.size = sizeof in[0], .place = "qpos[*]"},
                                    {.size = sizeof in[0], .place = "qvel[*]", .offset = 2},
                                    {.size = sizeof in[0], .place = "xaxis[*]", .scale = 3},
                                    {.size = sizeof in[0], .place = "time"},
                                    {.size = sizeof in[0]}};
  const cr_correction_input* inputs[] = {&in[0], &in[1], &in[2], &in[3], &in[4]};
  int members = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    int scalars = 0;
    for (int j = 0; j < m.njnt; j++) {
      scalars += is_scalar(&m, j);
    }
    if (scalars > 0) {
      cr_correction_options o = {
          .name = "net", .target = "qfrc_passive[*]", .inputs = inputs, .ninput = 5};
      cri_correction* c = resolve(&o, &m);
      assert_true(c->nmember == scalars && c->nvalue == 1 && c->ninput == 7);
      assert_true(c->target == CR_FIELD_qfrc_passive && c->nread == 3 && !c->reads_target);
      for (int j = 0, i = 0; j < m.njnt; j++) {
        if (is_scalar(&m, j)) {
          const cri_slot* s = c->slot + 7 * i;
          assert_int_equal(c->value[i], m.jnt_dofadr[j]);
          assert_true(s[0].value == m.jnt_qposadr[j] && s[0].tangent == m.jnt_dofadr[j]);
          assert_true(s[1].value == m.jnt_dofadr[j] && s[1].tangent == m.jnt_dofadr[j]);
          assert_true(s[2].value == 3 * j && s[4].value == 3 * j + 2);
          assert_true(s[5].field == CRI_SLOT_TIME && s[6].field == CRI_SLOT_ONE);
          i++;
          members++;
        }
      }
      assert_true(c->offset[1] == 2 && c->scale[1] == 1 && c->scale[2] == 3 && c->scale[4] == 3);
      release(c);
    }
    cri_model_free(&m);
  }
  assert_true(members > 10);
}

// a quaternion in qpos: four numbers, one tangent of three
TEST(orientations_are_four_numbers) {
  const cr_correction_input in = {.size = sizeof in, .place = "qpos"};
  const cr_correction_input* inputs[] = {&in};
  int balls = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, &error), CR_OK);
    cr_correction_options o = {
        .name = "net", .target = "qfrc_passive", .inputs = inputs, .ninput = 1};
    cri_correction* c = resolve(&o, &m);
    assert_true(c->ninput == m.nq && c->nvalue == m.nv && c->nmember == 1);
    for (int j = 0; j < m.njnt; j++) {
      const int first = m.jnt_type[j] == CR_JNT_FREE ? 3 : 0, q = m.jnt_qposadr[j];
      for (int k = 0; !is_scalar(&m, j) && k < 4; k++, balls++) {
        const cri_slot* s = &c->slot[q + first + k];
        assert_true(s->part == k && s->value == q + first);
        assert_int_equal(s->tangent, m.jnt_dofadr[j] + first);
      }
    }
    release(c);
    cri_model_free(&m);
  }
  assert_true(balls > 10);
}

TEST(contacts_fit_patterns_of_geoms) {
  const cr_correction_input in = {.size = sizeof in, .place = "contact[*].pos.z"};
  const cr_correction_input* inputs[] = {&in};
  cr_model m;
  assert_int_equal(random_model(&m, 1, &error), CR_OK);
  cr_correction_options o = {
      .name = "net", .target = "contact[1:*].friction.2", .inputs = inputs, .ninput = 1};
  cri_correction* c = resolve(&o, &m);
  assert_true(c->contact && c->nmember == 0 && c->nvalue == 1 && c->value[0] == 2);
  assert_true(c->slot[0].of_row && c->slot[0].value == 2 && c->slot[0].tangent == 2);
  for (int g = 0; g < m.ngeom; g++) {
    assert_true(c->geoms[g] == (g == 1) && c->geoms[m.ngeom + g]);
  }
  release(c);
  cri_model_free(&m);
}
