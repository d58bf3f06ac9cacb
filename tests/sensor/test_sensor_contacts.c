// SPDX-License-Identifier: Apache-2.0
// Contact sensors: who matches, what turning the sides round does, and the net force against what
// contacts do to a body.
#include "sensor/sensor_contacts.h"

#include "checks/measured.h"
#include "math/vec3.h"
#include "scenes/chain_model.h"
#include "sensor/external_force.h"
#include "sensor/tendon_wrench.h"
#include "support/close.h"

enum { N_SEED = 24, MAX_DIM = 128, MAX_BODY = 32, ALL = (1 << CR_N_CON) - 1 };

static void ask(measured* s, int bits, int reduce, int slots, int type1, int id1, int type2,
                int id2) {
  s->m.nsensor = 1;
  s->m.sensor_type[0] = CR_SENS_CONTACT;
  s->m.sensor_objtype[0] = type1;
  s->m.sensor_objid[0] = id1;
  s->m.sensor_reftype[0] = type2;
  s->m.sensor_refid[0] = id2;
  s->m.sensor_intprm[0] = bits;
  s->m.sensor_intprm[1] = reduce;
  s->m.sensor_dim[0] = slots * cri_contact_slot_size(bits);
}

TEST(sizes_of_slots) {
  assert_int_equal(cri_contact_slot_size(ALL), 23);
  assert_int_equal(cri_contact_slot_size(1 << CR_CON_FOUND), 1);
  assert_int_equal(cri_contact_slot_size(1 << CR_CON_DIST | 1 << CR_CON_ANGVEL), 4);
}

// deepest first, and no more slots than contacts
TEST(the_deepest_come_first) {
  int several = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real y[MAX_DIM];
    measured_open(&s, seed, STATE_CONTACT);
    int bits = 1 << CR_CON_FOUND | 1 << CR_CON_DIST;
    ask(&s, bits, CR_REDUCE_MINDIST, 40, CR_OBJ_UNKNOWN, -1, CR_OBJ_UNKNOWN, -1);
    cri_contacts(&s.m, s.d, 0, y);
    for (int k = 0; k < 40; k++) {
      bool filled = k < s.d->ncon;
      assert_true(y[2 * k] == (filled ? s.d->ncon : 0));
      assert_true(!filled || k == 0 || y[2 * k + 1] >= y[2 * k - 1]);
      assert_true(filled || y[2 * k + 1] == 0);
    }
    several += s.d->ncon > 1;
    measured_close(&s);
  }
  assert_true(several > 5);
}

// the other way round: normal and tangent turn, of the rest the third numbers
TEST(sides_the_other_way_round) {
  int seen = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real y[23], z[23];
    measured_open(&s, seed, STATE_CONTACT);
    for (int c = 0; c < s.d->ncon && s.m.nsensor > 0; c++) {
      const int32_t* g = s.d->contact_geom + 2 * c;
      ask(&s, ALL, CR_REDUCE_NONE, 1, CR_OBJ_GEOM, g[0], CR_OBJ_GEOM, g[1]);
      cri_contacts(&s.m, s.d, 0, y);
      ask(&s, ALL, CR_REDUCE_NONE, 1, CR_OBJ_GEOM, g[1], CR_OBJ_GEOM, g[0]);
      cri_contacts(&s.m, s.d, 0, z);
      assert_true(y[0] >= 1 && y[0] == z[0]);
      for (int k = 1; k < 23; k++) {
        // found, force, torque, dist, pos, normal, tangent, linvel, angvel
        bool turned = k == 3 || k == 6 || (k >= 11 && k < 17) || k == 19 || k == 22;
        assert_true(z[k] == (turned ? -y[k] : y[k]));
      }
      seen++;
    }
    measured_close(&s);
  }
  assert_true(seen > 20);
}

// a body's net force on others is minus what its contacts do to it, about the point given
TEST(net_force_of_a_body) {
  int seen = 0;
  for (int seed = 1; seed < N_SEED; seed += 4) {  // heaps of free bodies
    measured s;
    cr_real y[MAX_DIM], F[6 * MAX_BODY];
    measured_open(&s, seed, STATE_CONTACT);
    cr_zero(s.d->xfrc_applied, 6 * s.m.nbody);
    s.d->ne = 0;  // no connects and welds
    cri_external(&s.m, s.d, F, s.d);
    cr_real P[6 * MAX_BODY] = {0};  // tendons pull besides
    cri_tendon_wrench(&s.m, s.d, P, s.d);
    for (int k = 0; k < 6 * s.m.nbody; k++) {
      F[k] -= P[k];
    }
    for (int b = 1; b < s.m.nbody && s.m.nsensor > 0; b++) {
      int bits = 1 << CR_CON_FORCE | 1 << CR_CON_TORQUE | 1 << CR_CON_POS;
      ask(&s, bits, CR_REDUCE_NETFORCE, 1, CR_OBJ_BODY, b, CR_OBJ_UNKNOWN, -1);
      cri_contacts(&s.m, s.d, 0, y);
      const cr_real* f = F + 6 * b;
      cr_real arm[3], torque[3], size = 1 + cr_norm3(f) + cr_norm3(f + 3);
      cr_sub3(arm, y + 6, s.d->subtree_com + 3 * s.m.body_rootid[b]);
      cr_cross3(torque, arm, y);
      cr_acc3(torque, y + 3);
      for (int k = 0; k < 3 && cr_norm3(y) > 0; k++) {
        assert_close(y[k], -f[3 + k], 100 * ROUND_OFF * size);
        assert_close(torque[k], -f[k], 100 * ROUND_OFF * size);
      }
      seen += cr_norm3(y) > 0;
    }
    measured_close(&s);
  }
  assert_true(seen > 5);
}

// nothing matches: all zero, also with netforce
TEST(without_a_match) {
  measured s;
  cr_real y[MAX_DIM];
  measured_open(&s, 1, STATE_FLIGHT);
  assert_int_equal(s.d->ncon, 0);
  for (int reduce = 0; reduce < 4; reduce++) {
    ask(&s, ALL, reduce, 1, CR_OBJ_UNKNOWN, -1, CR_OBJ_BODY, 1);
    cri_contacts(&s.m, s.d, 0, y);
    for (int k = 0; k < 23; k++) {
      assert_true(y[k] == 0);
    }
  }
  measured_close(&s);
}
