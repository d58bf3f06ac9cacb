// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Contacts that move nothing, under the integrator discrete: the derivative is that of the slope beside them,
// or it is said that there is none.
#include "solver/idle_rows.h"

#include <stdio.h>

#include "integrate/inputs.h"
#include "integrate/step.h"
#include "scenes/io_mjcf.h"
#include "support/test.h"

typedef struct {
  cr_model m;
  cr_data *d, *work, *bar, *tan;
} pole;

// a ball at the end of a rod of 0.2 below the joints, in the floor
static pole open_pole(const char* joints, int condim, const char* integrator) {
  char xml[1200];
  (void)snprintf(
      xml, sizeof xml,
      "<mujoco><option integrator='%s' timestep='.01'/><worldbody>"
      "<geom type='plane' size='1 1 1' condim='%d'/><body pos='0 0 .24'>%s"
      "<geom size='.05' pos='0 0 -.2' mass='.3' condim='%d'/></body></worldbody></mujoco>",
      integrator, condim, joints, condim);
  mjModel* mj = mjcf_compile(xml);
  pole p = {.m = mjcf_model(mj)};
  mj_deleteModel(mj);
  p.d = test_data(&p.m);
  p.work = test_data(&p.m);
  p.bar = test_twin(&p.m, p.d, CR_DATA_COTANGENT);
  p.tan = test_twin(&p.m, p.d, CR_DATA_TANGENT);
  return p;
}

static double stepped(const pole* p, int dof, double q) {
  cri_data_reset(&p->m, p->d);
  p->d->qpos[dof] = (cr_real)q;
  assert_int_equal(cri_step(&p->m, p->d), CR_OK);
  assert_true(p->d->nefc > 0);
  return (double)p->d->qvel_next[dof];
}

static const char* const hinge = "<joint type='hinge' axis='0 1 0' damping='.4' armature='.01'/>";

static void assert_slope(const pole* p, int dof) {
  const double h = 1e-4;
  double expected = (stepped(p, dof, h) - stepped(p, dof, -h)) / (2 * h);
  (void)stepped(p, dof, 0);
  assert_true(fabs(expected) > 1);
  p->bar->qvel_next[dof] = 1;
  assert_int_equal(cri_step_vjp(&p->m, &p->m, p->d, p->work, p->bar), CR_OK);
  assert_true(fabs((double)p->bar->qpos[dof] - expected) < 1e-5 * fabs(expected));
  cri_inputs_copy(&p->m, p->work, p->d);
  (void)stepped(p, dof, 0);
  p->tan->qpos[dof] = 1;
  assert_int_equal(cri_step_jvp(&p->m, p->d, p->work, p->tan), CR_OK);
  assert_true(fabs((double)p->tan->qvel_next[dof] - expected) < 1e-5 * fabs(expected));
}

// one dof: there is one slope
TEST(a_pole_on_its_joint) {
  pole p = open_pole(hinge, 1, "discrete");
  assert_slope(&p, 0);
  assert_int_equal(cri_idle_rows_undetermined(&p.m, p.d, p.work), -1);
  cri_model_free(&p.m);
}

static int row_in_doubt(const pole* p) {
  (void)stepped(p, 0, 0);
  return cri_idle_rows_undetermined(&p->m, p->d, p->work);
}

// a hinge and a slide that damping holds alike, or not; a row of several, which share its softness
TEST(whether_the_direction_counts) {
  static const char* const alike =
      "<joint type='hinge' axis='0 1 0'/><joint type='slide' axis='1 0 0'/>";
  static const char* const apart =
      "<joint type='hinge' axis='0 1 0'/><joint type='slide' axis='1 0 0' damping='3'/>";
  const struct {
    const char* joints;
    int condim;
    const char* integrator;
    int row;
  } rows[] = {{alike, 1, "discrete", -1}, {alike, 3, "discrete", -1}, {apart, 1, "discrete", 0},
              {apart, 3, "discrete", 0},  {hinge, 3, "discrete", 0},  {apart, 1, "Euler", -1},
              {hinge, 3, "implicit", -1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pole p = open_pole(rows[i].joints, rows[i].condim, rows[i].integrator);
    int row = row_in_doubt(&p);
    if (row != rows[i].row) {
      fail_msg("case %zu: row %d", i, row);
    }
    cri_model_free(&p.m);
  }
}

// each dof by itself has a slope, also where both together have another
TEST(each_dof_alone) {
  pole p = open_pole(
      "<joint type='hinge' axis='0 1 0' damping='.1'/>"
      "<joint type='hinge' axis='1 0 0' damping='.4'/>",
      1, "discrete");
  assert_int_equal(row_in_doubt(&p), 0);
  assert_slope(&p, 0);
  cr_zero(p.bar->qpos, 2);
  cr_zero(p.bar->qvel_next, 2);
  cr_zero(p.tan->qpos, 2);
  assert_slope(&p, 1);
  cri_model_free(&p.m);
}
