// SPDX-License-Identifier: Apache-2.0
// Zones that contain all contacts of a body, none, and those of the other side.
#include "sensor/sensor_touch.h"

#include "checks/measured.h"
#include "math/vec3.h"
#include "model/sensors.h"
#include "scenes/chain_model.h"
#include "solver/contact_force.h"
#include "support/close.h"

// a zone of size r about site 0, on body b
static void zone_about(measured* s, int b, cr_real r) {
  s->m.site_bodyid[0] = b;
  s->m.site_type[0] = CR_GEOM_SPHERE;
  s->m.site_size[0] = r;
  measured_sensor(s, CR_SENS_TOUCH, CR_OBJ_SITE, 0, 0, -1);
}

TEST(a_zone_takes_the_contacts_of_its_body) {
  int touched = 0;
  for (int seed = 0; seed < 24; seed += 2) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    for (int b = 1; b < s.m.nbody && s.m.nsite > 0 && s.m.nsensor > 0; b++) {
      cr_real sum = 0;
      for (int c = 0; c < s.d->ncon; c++) {
        const int32_t* g = s.d->contact_geom + 2 * c;
        bool mine = s.m.geom_bodyid[g[0]] == b || s.m.geom_bodyid[g[1]] == b;
        cr_real w[6];
        cri_contact_force(&s.m, s.d, c, w);
        sum += mine && w[0] > 0 ? w[0] : 0;
      }
      zone_about(&s, b, 100);
      assert_close(cri_sensor_touch(&s.m, s.d, 0), sum, 10 * ROUND_OFF * (1 + sum));
      touched += sum > 0;
      // far away and small: no ray of a contact comes by
      s.d->site_xpos[0] += 1000;
      zone_about(&s, b, CR_R(1e-6));
      assert_true(cri_sensor_touch(&s.m, s.d, 0) == 0);
      s.d->site_xpos[0] -= 1000;
    }
    measured_close(&s);
  }
  assert_true(touched > 3);
}

// the ray goes from the contact into the body: beyond the contact there is nothing
TEST(the_ray_has_a_direction) {
  int seen = 0;
  for (int seed = 0; seed < 24; seed += 2) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    for (int c = 0; c < s.d->ncon && s.m.nsite > 0 && s.m.nsensor > 0; c++) {
      int b = s.m.geom_bodyid[s.d->contact_geom[2 * c + 1]];
      const cr_real* normal = s.d->contact_frame + 9 * c;
      cr_real w[6];
      cri_contact_force(&s.m, s.d, c, w);
      if (b == 0 || w[0] <= 0 || s.m.geom_bodyid[s.d->contact_geom[2 * c]] == b) {
        continue;
      }
      cr_zero(s.d->efc_force, s.d->nefc);
      cr_zero(s.d->contact_adhesion, s.d->ncon);
      s.d->efc_force[s.d->contact_efc_address[c]] = 1;
      zone_about(&s, b, CR_R(0.01));
      for (int side = -1; side <= 1; side += 2) {
        cr_copy3(s.d->site_xpos, s.d->contact_pos + 3 * c);
        cr_accscl3(s.d->site_xpos, normal, side);
        // the second body's ray runs against the normal, which points to it
        assert_close(cri_sensor_touch(&s.m, s.d, 0), side < 0, ROUND_OFF);
      }
      seen++;
      break;
    }
    measured_close(&s);
  }
  assert_true(seen > 3);
}
