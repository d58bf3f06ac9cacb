// SPDX-License-Identifier: Apache-2.0
// The comparison with MuJoCo: it agrees if the models are the same, and names the field if they
// differ.
#include "parity/parity.h"

#include <stdio.h>

#include "engine/data_create.h"
#include "scenes/io_mjcf.h"
#include "support/scratch.h"
#include "support/test.h"

static const double bound = 1e-9;

typedef struct {
  mjModel* mj;
  cr_model m;
  cr_data* d;
  cr_parity_bench* bench;
  cr_parity result;
  cr_random random;
} comparison;

static void open_with(comparison* c, mjModel* mj) {
  cr_error error = {0};
  *c = (comparison){.mj = mj, .m = mjcf_model(mj), .random = cr_random_seed(1, 1)};
  assert_int_equal(cr_parity_create(&c->bench, c->mj, &c->m, &error), CR_OK);
  assert_int_equal(cri_data_create(&c->d, &c->m, NULL, &error), CR_OK);
}

static void close_comparison(comparison* c) {
  cr_parity_free(c->bench);
  cri_data_free(c->d);
  cri_model_free(&c->m);
  mj_deleteModel(c->mj);
}

static void visit(comparison* c, int states) {
  cr_error error = {0};
  for (int k = 0; k < states; k++) {
    if (cr_parity_next_state(c->bench, &c->random, c->d, &error) != CR_OK ||
        cr_parity_compare(c->bench, c->d, &c->result, &error) != CR_OK) {
      fail_msg("%s", error.text);
    }
  }
}

static const cr_parity_row* row_of(const cr_parity* p, const char* name) {
  for (int i = 0; i < p->n; i++) {
    if (strcmp(p->rows[i].name, name) == 0) {
      return &p->rows[i];
    }
  }
  return NULL;
}

// ---- agreement

static void assert_agrees(const char* file, int states, int with_contact) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_data(file));
  visit(&c, states);
  double worst = cr_parity_worst(&c.result, &field);
  if (!(worst <= bound)) {
    fail_msg("%s: %s differs by %g", file, field, worst);
  }
  assert_int_equal(c.result.states, states);
  assert_true(c.result.states_with_contact >= with_contact);
  assert_int_equal(c.result.not_a_reference, 0);
  assert_true(c.result.residual_carom < 1e-10);
  close_comparison(&c);
}

TEST(models_agree) {
  assert_agrees("cube.xml", 20, 3);
  assert_agrees("double_pendulum.xml", 12, 0);
  assert_agrees("walker.xml", 20, 3);
  assert_agrees("equality.xml", 8, 0);
  assert_agrees("tendon_rows.xml", 8, 0);
  assert_agrees("rolling.xml", 8, 0);
  assert_agrees("override.xml", 8, 0);
  assert_agrees("actuators.xml", 12, 6);
  assert_agrees("controllers.xml", 12, 6);
}

// nothing that both compute is left out
TEST(what_is_compared) {
  static const char* const fields[] = {"xpos",
                                       "xquat",
                                       "xmat",
                                       "xipos",
                                       "geom_xpos",
                                       "site_xpos",
                                       "subtree_com",
                                       "cinert",
                                       "cdof",
                                       "cvel",
                                       "cdof_dot",
                                       "qfrc_passive",
                                       "qfrc_bias",
                                       "actuator_length",
                                       "actuator_force",
                                       "act_dot",
                                       "qfrc_actuator",
                                       "qfrc_smooth",
                                       "qacc_smooth",
                                       "M",
                                       "contact_dist",
                                       "contact_pos",
                                       "contact_frame",
                                       "contact_friction",
                                       "efc_J",
                                       "efc_pos",
                                       "efc_D",
                                       "efc_R",
                                       "efc_diagA",
                                       "efc_KBIP",
                                       "efc_aref",
                                       "efc_vel",
                                       "efc_force",
                                       "qfrc_constraint",
                                       "qacc",
                                       "qpos after Euler",
                                       "qvel after Euler",
                                       "act after Euler",
                                       "qpos after RK4",
                                       "qvel after RK4",
                                       "act after RK4",
                                       "qvel after implicit",
                                       "qvel after implicitfast",
                                       "qpos after discrete",
                                       "qvel after discrete"};
  comparison c;
  open_with(&c, mjcf_data("walker.xml"));
  visit(&c, 12);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    if (row_of(&c.result, fields[i]) == NULL) {
      fail_msg("%s is not compared", fields[i]);
    }
  }
  assert_true(c.result.n < CR_PARITY_ROWS);
  close_comparison(&c);
}

// ---- disagreement

static void assert_differs(void (*change)(cr_model* m), const char* field) {
  comparison c;
  const char* worst_field = NULL;
  open_with(&c, mjcf_data("walker.xml"));
  change(&c.m);
  visit(&c, 12);
  double worst = cr_parity_worst(&c.result, &worst_field);
  if (!(worst > bound) || worst_field[0] == 0) {
    fail_msg("%s: worst %g (%s)", field, worst, worst_field);
  }
  const cr_parity_row* row = row_of(&c.result, field);
  if (row == NULL || row->absolute <= bound * row->scale) {
    fail_msg("%s does not differ", field);
  }
  close_comparison(&c);
}

static void change_mass(cr_model* m) { m->body_mass[3] *= 1 + 1e-7; }
static void change_inertia(cr_model* m) { m->body_inertia[3] *= 1 + 1e-4; }
static void change_pose(cr_model* m) { m->body_pos[9] += 1e-7; }
static void change_size(cr_model* m) { m->geom_size[3 * (m->ngeom - 1)] += 1e-7; }
static void change_friction(cr_model* m) { m->geom_friction[0] = 0.9; }
static void change_gravity(cr_model* m) { m->gravity[0] = 1e-7; }
static void change_damping(cr_model* m) { m->dof_damping[7] += 1e-6; }
static void change_stiffness(cr_model* m) { m->jnt_stiffness[1] += 1e-6; }
static void change_gain(cr_model* m) { m->actuator_gainprm[0] += 1e-6; }
static void change_range(cr_model* m) { m->jnt_range[7] += 1e-7; }
static void change_weight(cr_model* m) { m->dof_invweight0[10] *= 1 + 1e-6; }
static void change_timestep(cr_model* m) { m->timestep *= 1 + 1e-6; }
static void change_control_range(cr_model* m) { m->actuator_ctrlrange[1] += 1e-3; }
static void change_clamp(cr_model* m) { m->disableflags |= CR_DSBL_CLAMPCTRL; }

TEST(differences_are_found) {
  assert_differs(change_mass, "cinert");
  assert_differs(change_inertia, "M");
  assert_differs(change_pose, "xpos");
  assert_differs(change_size, "contact_dist");
  assert_differs(change_friction, "contact_friction");
  assert_differs(change_gravity, "qfrc_bias");
  assert_differs(change_damping, "qfrc_damper");
  assert_differs(change_stiffness, "qfrc_spring");
  assert_differs(change_gain, "actuator_force");
  assert_differs(change_range, "efc_pos");
  assert_differs(change_weight, "efc_diagA");
  assert_differs(change_timestep, "qvel after Euler");
  assert_differs(change_control_range, "actuator_force");
  assert_differs(change_clamp, "actuator_force");
}

// ---- edges

// of the first state also the default start and the keyframe
TEST(edges_are_compared) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_data("double_pendulum.xml"));
  cr_real before[64];
  cr_error error = {0};
  assert_int_equal(cr_parity_next_state(c.bench, &c.random, c.d, &error), CR_OK);
  cr_copy(before, c.d->qvel, c.m.nv);
  assert_int_equal(cr_parity_compare(c.bench, c.d, &c.result, &error), CR_OK);
  assert_memory_equal(before, c.d->qvel, (size_t)c.m.nv * sizeof(cr_real));
  assert_int_equal(c.result.edges, 2 + c.mj->nkey + 1);
  visit(&c, 3);
  assert_int_equal(c.result.edges, 2 + c.mj->nkey + 1 + 6);
  assert_int_equal(c.result.states, 4);
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  close_comparison(&c);
}

// at the key it turns at 3 rad/s
TEST(the_default_start_is_visited) {
  comparison c;
  cr_error error = {0};
  open_with(&c, mjcf_compile("<mujoco><worldbody><body><joint name='j' axis='0 1 0' pos='0 0 .3' "
                             "stiffness='5'/><geom size='.1'/></body></worldbody><keyframe>"
                             "<key qvel='3'/></keyframe></mujoco>"));
  assert_int_equal(cr_parity_next_state(c.bench, &c.random, c.d, &error), CR_OK);
  assert_true(c.d->qvel[0] == 3);
  assert_int_equal(cr_parity_compare(c.bench, c.d, &c.result, &error), CR_OK);
  assert_int_equal(c.result.edges, 4);
  assert_true(row_of(&c.result, "xpos")->absolute == 0);
  assert_true(row_of(&c.result, "cvel")->scale < 3.1);
  assert_true(row_of(&c.result, "cvel")->fast_scale > 29);
  close_comparison(&c);
}

// ---- where MuJoCo's number is off

#define ON_THE_GROUND                                                                    \
  "<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1'/><body><freejoint/>" \
  "<geom name='can' type='cylinder' size='.1 .1'/></body></worldbody><keyframe>"         \
  "<key qpos='0 0 .0999 1 3e-13 4e-13 0'/><key qpos='0 0 .0999 .6 3e-9 4e-9 "            \
  ".8'/></keyframe></mujoco>"

TEST(a_cylinder_that_lies_nearly_flat) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_compile(ON_THE_GROUND));
  visit(&c, 2);
  assert_true(c.result.off.times[CR_OFF_CYLINDER] > 0);
  assert_non_null(strstr(c.result.off.text[CR_OFF_CYLINDER], "geom 'can', tilted by"));
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  assert_true(row_of(&c.result, "contact_dist")->absolute < 1e-15);
  close_comparison(&c);
}

// that excuses MuJoCo's rim, not ours
TEST(another_cylinder_is_a_difference) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_compile(ON_THE_GROUND));
  c.m.geom_size[4] += 1e-8;
  visit(&c, 2);
  assert_true(cr_parity_worst(&c.result, &field) > bound);
  close_comparison(&c);
}

TEST(a_pivot_that_is_not_positive) {
  comparison c;
  const char* field = NULL;
  open_with(&c,
            mjcf_compile("<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom "
                         "size='.1' pos='.2 0 0' mass='1'/></body></worldbody><actuator><general "
                         "joint='j' biastype='affine' biasprm='0 0 100'/></actuator></mujoco>"));
  visit(&c, 2);
  assert_true(c.result.off.times[CR_OFF_PIVOT] > 0);
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  close_comparison(&c);
}

TEST(lists_that_differ) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_data("cube.xml"));
  c.m.geom_contype[0] = c.m.geom_conaffinity[0] = 0;
  visit(&c, 8);
  assert_true(cr_parity_worst(&c.result, &field) >= 1);
  assert_non_null(strstr(field, "ncon (0 in Carom, "));
  close_comparison(&c);
}

TEST(not_a_number) {
  cr_parity p = {.n = 2, .rows = {{"qacc", (double)NAN, 1, 0, 0}, {"qpos", 1e-3, 1, 0, 0}}};
  const char* field = NULL;
  assert_true(!(cr_parity_worst(&p, &field) <= 1e300));
  assert_string_equal(field, "qacc");
  p = (cr_parity){.n = 2, .rows = {{"qacc", 1e-3, 10, 0, 0}, {"qpos", 1e-3, 0, 0, 0}}};
  assert_true(cr_parity_worst(&p, &field) == 1e-3);  // without a scale: absolute
  assert_string_equal(field, "qpos");
}

// forces that cancel are as exact as what they are made of: dry friction in free fall is round-off
TEST(cancellation_is_no_difference) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_compile("<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/>"
                             "<body pos='.3 .1 0'><joint axis='1 2 3' frictionloss='.3'/>"
                             "<geom size='.05' pos='.1 0 .1'/></body></body></worldbody>"
                             "<keyframe><key/></keyframe></mujoco>"));
  visit(&c, 1);
  const cr_parity_row* row = row_of(&c.result, "efc_force");
  assert_non_null(row);
  assert_true(row->absolute < 1e-12 && row->scale > 1);
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  close_comparison(&c);
}

// nor is the bias of a body that spins about a principal axis where nothing pulls on it
TEST(spinning_in_empty_space) {
  comparison c;
  const char* field = NULL;
  open_with(&c, mjcf_compile("<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
                             "<geom type='sphere' size='.1' pos='.1 .2 .3'/></body></worldbody>"
                             "<keyframe><key qpos='1 2 3 .5 .5 .5 .5' qvel='1 2 3 4 5 6'/>"
                             "</keyframe></mujoco>"));
  visit(&c, 1);
  assert_true(row_of(&c.result, "qfrc_bias")->absolute < 1e-12);
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  close_comparison(&c);
}

// ---- a touch sensor whose ray runs into an edge of its zone, from inside

enum { YAWS = 24 };

// a ball on the ground; the zone around the contact is a box on one of its edges
static mjModel* ball_on_edge(void) {
  char text[8192], key[160];
  (void)snprintf(
      text, sizeof text,
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball'><freejoint/>"
      "<geom type='sphere' size='.1'/><site name='zone' type='box' size='.05 .05 .05' "
      "pos='0 0 -.1' euler='45 0 0'/></body></worldbody><sensor><touch site='zone'/>"
      "</sensor><keyframe>");
  for (int k = 0; k < YAWS; k++) {
    double half = 0.5 * 0.37 * k;
    (void)snprintf(key, sizeof key, "<key qpos='.%d .2 .099 %.17g 0 0 %.17g'/>", k, cos(half),
                   sin(half));
    (void)strcat(text, key);
  }
  (void)strcat(text, "</keyframe></mujoco>");
  return mjcf_compile(text);
}

// keyframes where MuJoCo's ray misses both faces of the edge
static int misses(const mjModel* mj) {
  int n = 0;
  mjData* d = mj_makeData(mj);
  for (int k = 0; k < YAWS; k++) {
    mj_resetDataKeyframe(mj, d, k);
    mj_forward(mj, d);
    n += d->ncon == 1 && d->efc_force[0] > 0 && d->sensordata[0] == 0;
  }
  mj_deleteData(d);
  return n;
}

TEST(round_off_on_an_edge_is_no_difference) {
  comparison c;
  const char* field = NULL;
  open_with(&c, ball_on_edge());
  assert_true(misses(c.mj) > 0);
  visit(&c, YAWS);
  assert_true(row_of(&c.result, "sensor touch")->scale > 0);
  assert_true(cr_parity_worst(&c.result, &field) <= bound);
  assert_true(c.mj->site_size[0] == 0.05 && c.mj->site_size[2] == 0.05);
  close_comparison(&c);
}

TEST(a_zone_elsewhere_is_a_difference) {
  comparison c;
  const char* field = NULL;
  open_with(&c, ball_on_edge());
  c.m.site_pos[2] += 0.2;
  visit(&c, YAWS);
  assert_true(row_of(&c.result, "sensor touch")->absolute > 1);
  assert_true(cr_parity_worst(&c.result, &field) > bound);
  close_comparison(&c);
}

// ---- states

TEST(keyframes_first) {
  comparison c;
  cr_error error = {0};
  open_with(&c, mjcf_data("double_pendulum.xml"));
  assert_int_equal(cr_parity_next_state(c.bench, &c.random, c.d, &error), CR_OK);
  assert_true(c.d->qpos[0] == 2.5 && c.d->qvel[1] == -1 && c.d->act[0] == 0.1);
  assert_true(c.d->ctrl[1] == 0.3);
  close_comparison(&c);
}

TEST(the_same_seed_the_same_states) {
  comparison a, b;
  cr_error error = {0};
  int differs = 0;
  open_with(&a, mjcf_data("walker.xml"));
  open_with(&b, mjcf_data("walker.xml"));
  cr_real before[64] = {0};
  for (int k = 0; k < 8; k++) {
    assert_int_equal(cr_parity_next_state(a.bench, &a.random, a.d, &error), CR_OK);
    assert_int_equal(cr_parity_next_state(b.bench, &b.random, b.d, &error), CR_OK);
    assert_memory_equal(a.d->qpos, b.d->qpos, (size_t)a.m.nq * sizeof(cr_real));
    assert_memory_equal(a.d->qvel, b.d->qvel, (size_t)a.m.nv * sizeof(cr_real));
    assert_memory_equal(a.d->ctrl, b.d->ctrl, (size_t)a.m.nu * sizeof(cr_real));
    differs += memcmp(before, a.d->qpos, (size_t)a.m.nq * sizeof(cr_real)) != 0;
    cr_copy(before, a.d->qpos, a.m.nq);
  }
  assert_int_equal(differs, 8);
  close_comparison(&a);
  close_comparison(&b);
}

// a spring that no step of this length can follow: states are found all the same
TEST(a_contact_model_that_mujoco_has_not_is_refused) {
  cr_error error = {0};
  comparison c;
  open_with(&c, mjcf_compile("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>"));
  cr_parity_bench* other = NULL;
  c.m.contact_model = CR_CONTACT_HUNT_CROSSLEY;
  assert_int_equal(cr_parity_create(&other, c.mj, &c.m, &error), CR_ERR_UNSUPPORTED);
  assert_string_equal(error.text, "MuJoCo has no contact model 'hunt_crossley' to compare with");
  close_comparison(&c);
}

TEST(a_model_that_blows_up) {
  comparison c;
  cr_error error = {0};
  open_with(&c, mjcf_compile("<mujoco><option timestep='.1'><flag autoreset='disable' "
                             "eulerdamp='disable'/></option><worldbody><body><joint type='slide' "
                             "stiffness='1e6' springref='1'/><geom size='.1' mass='.1'/></body>"
                             "</worldbody></mujoco>"));
  for (int k = 0; k < 8; k++) {
    assert_int_equal(cr_parity_next_state(c.bench, &c.random, c.d, &error), CR_OK);
    assert_true(fabs(c.d->qvel[0]) < 1e3);
  }
  close_comparison(&c);
}

// ---- times

TEST(times) {
  static const char* const files[] = {"cube.xml", "walker.xml"};
  for (int i = 0; i < 2; i++) {
    comparison c;
    cr_error error = {0};
    double step = -1, transition = -1, residual = -1;
    open_with(&c, mjcf_data(files[i]));
    mjOption before = c.mj->opt;
    visit(&c, 2);
    assert_int_equal(cr_parity_time(c.bench, &step, &transition, &residual, &error), CR_OK);
    assert_true(step > 0 && step < 1e6 && transition > step && residual >= 0);
    assert_int_equal(c.mj->opt.integrator, before.integrator);
    assert_true(c.mj->opt.tolerance == before.tolerance);
    close_comparison(&c);
  }
}

// mjd_transitionFD would end the process
TEST(no_time_for_what_mujoco_refuses) {
  comparison c;
  cr_error error = {0};
  double step = -1, transition = -1, residual = -1;
  open_with(&c, mjcf_compile("<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body>"
                             "</worldbody><sensor><jointpos joint='j' nsample='3' delay='.01'/>"
                             "</sensor></mujoco>"));
  visit(&c, 2);
  assert_int_equal(cr_parity_time(c.bench, &step, &transition, &residual, &error), CR_OK);
  assert_true(step > 0 && transition != transition);
  assert_false(scratch_has("MUJOCO_LOG.TXT"));
  close_comparison(&c);
}
