// SPDX-License-Identifier: Apache-2.0
// A path is one of a few patterns of sites (s), geoms (g) and pulleys (p).
#include "scenes/random_tendons.h"

#include "scenes/random_model.h"

static const char* const patterns[] = {"ss", "sgs", "sgss", "sgspsgs", "pssgsgs", "sspss"};

typedef struct {
  int fixed, spatial;
  const char* pattern[3];
} plan;

static plan plan_of(uint64_t seed, bool geoms, int scalar_joints) {
  cr_random r = cr_random_seed(seed, 21);
  plan p = {.fixed = scalar_joints > 0 ? cr_random_int(&r, 2) : 0,
            .spatial = 1 + cr_random_int(&r, 3)};
  for (int i = 0; i < p.spatial; i++) {
    p.pattern[i] = patterns[geoms ? cr_random_int(&r, 6) : 0];
  }
  return p;
}

static int count(const char* pattern, char what) {
  int n = 0;
  for (; *pattern != 0; pattern++) {
    n += *pattern == what;
  }
  return n;
}

// each geom gets a side site of its own
static int sites_of(const char* pattern) { return count(pattern, 's') + count(pattern, 'g'); }

void random_tendon_counts(cr_model* m, uint64_t seed, int scalar_joints) {
  plan p = plan_of(seed, m->ngeom > 0, scalar_joints);
  m->ntendon = p.fixed + p.spatial;
  m->nwrap = p.fixed * scalar_joints;
  for (int i = 0; i < p.spatial; i++) {
    m->nwrap += (int)strlen(p.pattern[i]);
    m->nsite += sites_of(p.pattern[i]);
  }
  m->nJten = m->ntendon * m->nv;
}

// tendons pull on bodies that do not fly away within a step
static bool heavy(const cr_model* m, int body) { return m->body_mass[body] > CR_R(0.3); }

static int random_body(cr_random* r, const cr_model* m) {
  int body = 0;
  for (int tries = 0; tries < 10 && !heavy(m, body); tries++) {
    body = cr_random_int(r, m->nbody);
  }
  return heavy(m, body) ? body : 0;
}

static int random_geom(cr_random* r, const cr_model* m) {
  int geom = 0;
  for (int tries = 0; tries < 10 && !heavy(m, m->geom_bodyid[geom]); tries++) {
    geom = cr_random_int(r, m->ngeom);
  }
  return heavy(m, m->geom_bodyid[geom]) ? geom : 0;
}

static void fill_site(cr_random* r, cr_model* m, int site, int body, const cr_real* about,
                      cr_real size) {
  m->site_bodyid[site] = body;
  for (int k = 0; k < 3; k++) {
    m->site_pos[3 * site + k] = cr_random_range(r, -size, size) + (about != NULL ? about[k] : 0);
  }
  random_unit_quat(r, m->site_quat + 4 * site);
}

static void fill_path(cr_random* r, cr_model* m, const char* pattern, int adr, int* site) {
  int geom = -1;
  for (int k = 0; pattern[k] != 0; k++) {
    int e = adr + k;
    m->wrap_objid[e] = -1;
    switch (pattern[k]) {
      case 'p':
        m->wrap_type[e] = CR_WRAP_PULLEY;
        m->wrap_prm[e] = cr_random_range(r, CR_R(0.7), 3);
        break;
      case 'g':
        geom = random_geom(r, m);
        m->wrap_type[e] = random_chance(r, CR_R(0.5)) ? CR_WRAP_SPHERE : CR_WRAP_CYLINDER;
        m->wrap_objid[e] = geom;
        m->wrap_prm[e] = -1;
        if (random_chance(r, CR_R(0.8))) {
          // inside the geom, or beside it
          cr_real size = random_chance(r, CR_R(0.3)) ? CR_R(0.03) : CR_R(0.4);
          m->wrap_prm[e] = *site;
          fill_site(r, m, (*site), m->geom_bodyid[geom], m->geom_pos + 3 * geom, size);
        } else {
          fill_site(r, m, (*site), 0, NULL, 1);
        }
        (*site)++;
        break;
      default:
        m->wrap_type[e] = CR_WRAP_SITE;
        m->wrap_objid[e] = *site;
        fill_site(r, m, *site, random_body(r, m), NULL, CR_R(0.5));
        (*site)++;
        break;
    }
  }
}

// little where a joint turns little
static int fill_joints(cr_random* r, cr_model* m, int adr) {
  int n = 0;
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == CR_JNT_SLIDE || m->jnt_type[j] == CR_JNT_HINGE) {
      m->wrap_type[adr + n] = CR_WRAP_JOINT;
      m->wrap_objid[adr + n] = j;
      m->wrap_prm[adr + n] =
          cr_random_range(r, -2, 2) * (heavy(m, m->jnt_bodyid[j]) ? 1 : CR_R(0.01));
      n++;
    }
  }
  return n;
}

// bent laws in some models only: differences of a whole step cannot tell a slight bend from noise
static void fill_forces(cr_random* r, cr_model* m, int i, bool bent) {
  bool spring = random_chance(r, CR_R(0.7)), damper = random_chance(r, CR_R(0.7));
  m->tendon_stiffness[i] = spring ? cr_random_range(r, CR_R(0.01), CR_R(0.1)) : 0;
  m->tendon_damping[i] = damper ? cr_random_range(r, CR_R(0.02), CR_R(0.2)) : 0;
  if (bent) {
    m->tendon_stiffnesspoly[2 * i] = cr_random_range(r, 0, CR_R(5e-3));
    m->tendon_stiffnesspoly[2 * i + 1] = cr_random_range(r, 0, CR_R(1e-4));
    m->tendon_dampingpoly[2 * i] = cr_random_range(r, 0, CR_R(1e-2));
    m->tendon_dampingpoly[2 * i + 1] = cr_random_range(r, 0, CR_R(1e-4));
  }
  m->tendon_lengthspring[2 * i] = cr_random_range(r, 0, CR_R(0.6));
  m->tendon_lengthspring[2 * i + 1] =
      m->tendon_lengthspring[2 * i] + (random_chance(r, CR_R(0.5)) ? CR_R(0.3) : 0);
  m->tendon_actfrclimited[i] = random_chance(r, CR_R(0.5));
  m->tendon_actfrcrange[2 * i] = -cr_random_range(r, CR_R(0.02), CR_R(0.5));
  m->tendon_actfrcrange[2 * i + 1] = cr_random_range(r, CR_R(0.02), CR_R(0.5));
}

static void fill_muscle(cr_random* r, cr_model* m, int i) {
  const cr_real prm[9] = {CR_R(0.75), CR_R(1.05), -1,        CR_R(0.8), CR_R(0.5),
                          CR_R(1.6),  CR_R(1.5),  CR_R(1.3), CR_R(1.2)};
  cr_real* both[] = {m->actuator_gainprm + 10 * i, m->actuator_biasprm + 10 * i};
  cr_real* dyn = m->actuator_dynprm + 10 * i;
  for (int k = 0; k < 2; k++) {
    cr_copy(both[k], prm, 9);
    for (int a = 3; a < 9; a++) {
      both[k][a] *= cr_random_range(r, CR_R(0.9), CR_R(1.1));
    }
    both[k][2] = random_chance(r, CR_R(0.7)) ? -1 : cr_random_range(r, CR_R(0.2), 1);
  }
  m->actuator_gaintype[i] = CR_GAIN_MUSCLE;
  m->actuator_biastype[i] = CR_BIAS_MUSCLE;
  if (m->actuator_dyntype[i] != CR_DYN_NONE) {
    m->actuator_dyntype[i] = CR_DYN_MUSCLE;
    dyn[0] = cr_random_range(r, CR_R(0.01), CR_R(0.1));
    dyn[1] = cr_random_range(r, CR_R(0.04), CR_R(0.4));
    dyn[2] = random_chance(r, CR_R(0.5)) ? cr_random_range(r, CR_R(0.2), 2) : 0;
  }
}

// at a site of a body that does not fly away, against another one or not
static void fill_at_site(cr_random* r, cr_model* m, int i) {
  int site[2];
  for (int k = 0; k < 2; k++) {
    site[k] = cr_random_int(r, m->nsite);
    if (!heavy(m, m->site_bodyid[site[k]]) && m->site_bodyid[site[k]] != 0) {
      return;
    }
  }
  m->actuator_trntype[i] = CR_TRN_SITE;
  m->actuator_trnid[2 * i] = site[0];
  m->actuator_trnid[2 * i + 1] = random_chance(r, CR_R(0.5)) ? site[1] : -1;
  for (int k = 0; k < 6; k++) {
    m->actuator_gear[6 * m->actuator_outadr[i] + k] = cr_random_range(r, CR_R(-0.1), CR_R(0.1));
  }
  for (int k = 1; k < 3 && m->actuator_gaintype[i] != CR_GAIN_MUSCLE; k++) {
    m->actuator_gainprm[10 * i + k] *= CR_R(0.1);
    m->actuator_biasprm[10 * i + k] *= CR_R(0.1);
  }
}

static void fill_actuators(cr_random* r, cr_model* m, uint64_t seed) {
  cr_random at_sites = cr_random_seed(seed, 24);
  m->muscle_smooth = seed % 3 == 2 ? cr_random_range(r, CR_R(0.05), CR_R(0.2)) : 0;
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    m->actuator_acc0[out] = cr_random_range(r, CR_R(0.5), 2);
    m->actuator_lengthrange[2 * out] = cr_random_range(r, CR_R(-0.2), CR_R(0.3));
    m->actuator_lengthrange[2 * out + 1] =
        m->actuator_lengthrange[2 * out] + cr_random_range(r, CR_R(0.3), CR_R(0.8));
    if (random_chance(r, CR_R(0.5))) {
      m->actuator_trntype[i] = CR_TRN_TENDON;
      m->actuator_trnid[2 * i] = cr_random_int(r, m->ntendon);
      m->actuator_gear[6 * out] = cr_random_range(r, CR_R(0.1), CR_R(0.3));
    }
    if (random_chance(r, CR_R(0.4))) {
      fill_muscle(r, m, i);
    }
    if (m->nsite > 0 && random_chance(&at_sites, CR_R(0.2))) {
      fill_at_site(&at_sites, m, i);
    }
  }
}

// a tendon that wraps around a geom cannot have armature, not an actuator's either
static bool wraps(const cr_model* m, int i) {
  for (int k = m->tendon_adr[i]; k < m->tendon_adr[i] + m->tendon_num[i]; k++) {
    if (m->wrap_type[k] == CR_WRAP_SPHERE || m->wrap_type[k] == CR_WRAP_CYLINDER) {
      return true;
    }
  }
  return false;
}

void random_tendon_armature(cr_model* m, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 32);
  for (int i = 0; i < m->ntendon; i++) {
    bool none = wraps(m, i) || random_chance(&r, CR_R(0.3));
    m->tendon_armature[i] = none ? 0 : cr_random_range(&r, CR_R(1e-3), CR_R(0.02));
    for (int k = 0; none && k < m->nactuator; k++) {
      bool pulls = m->actuator_trntype[k] == CR_TRN_TENDON && m->actuator_trnid[2 * k] == i;
      m->actuator_armature[k] = pulls ? 0 : m->actuator_armature[k];
    }
  }
}

void random_tendons(cr_model* m, uint64_t seed) {
  int scalar = 0, site = m->nsite, adr = 0;
  for (int j = 0; j < m->njnt; j++) {
    scalar += m->jnt_type[j] == CR_JNT_SLIDE || m->jnt_type[j] == CR_JNT_HINGE;
  }
  plan p = plan_of(seed, m->ngeom > 0, scalar);
  for (int i = 0; i < p.spatial; i++) {
    site -= sites_of(p.pattern[i]);
  }
  cr_random r = cr_random_seed(seed, 22);
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_adr[i] = adr;
    if (i < p.fixed) {
      m->tendon_num[i] = fill_joints(&r, m, adr);
    } else {
      const char* pattern = p.pattern[i - p.fixed];
      fill_path(&r, m, pattern, adr, &site);
      m->tendon_num[i] = (int)strlen(pattern);
    }
    adr += m->tendon_num[i];
    m->ten_J_rownnz[i] = m->nv;
    m->ten_J_rowadr[i] = i * m->nv;
    for (int k = 0; k < m->nv; k++) {
      m->ten_J_colind[i * m->nv + k] = k;
    }
    fill_forces(&r, m, i, seed >= 6 && seed % 4 != 3);
  }
  fill_actuators(&r, m, seed);
}
