// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Places taken apart, what is refused, and errors and derivatives of orientations of every kind.
#include "predict/outputs.h"

#include "carom/carom.h"
#include "engine/forward.h"
#include "engine/pipeline.h"
#include "math/quat.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_scene[] =
    "<mujoco><worldbody><body name='box' pos='0 0 .3'><freejoint name='f'/><geom name='box' "
    "type='box' size='.05 .06 .07'/></body><body name='arm' pos='1 0 1'><joint name='b' "
    "type='ball'/><geom type='capsule' fromto='0 0 0 .3 0 .1' size='.02'/><body name='hand' "
    "pos='.3 "
    "0 .1'><joint name='h' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.2' size='.02'/>"
    "<site name='tip' pos='0 0 -.2'/></body></body></worldbody><sensor><jointpos name='enc' "
    "joint='h'/><jointvel name='rate' joint='h'/><ballquat name='ball' joint='b'/><framequat "
    "name='turn' objtype='site' objname='tip'/><gyro name='gyro' site='tip'/><accelerometer "
    "name='acc' site='tip'/><jointpos name='cut' joint='h' cutoff='1'/></sensor></mujoco>";

static cr_error error;
static cr_model* m;

static void setup(void) {
  if (cr_model_open(&m, scratch_write("outputs.xml", text_of_scene), &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

enum { ROOM = 64 };

TEST(places_become_outputs) {
  const struct {
    const char* place;
    int n, turns;
    cri_output_kind kind;
  } rows[] = {
      {"qpos[f]", 4, 1, CRI_OUTPUT_STATE},     {"qpos[b]", 1, 1, CRI_OUTPUT_STATE},
      {"qpos", 6, 2, CRI_OUTPUT_STATE},        {"qvel[f]", 6, 0, CRI_OUTPUT_STATE},
      {"enc", 1, 0, CRI_OUTPUT_STATE},         {"sensordata[rate]", 1, 0, CRI_OUTPUT_STATE},
      {"cut", 1, 0, CRI_OUTPUT_NUMBER},        {"ball", 1, 1, CRI_OUTPUT_AMBIENT},
      {"xquat[box]", 1, 1, CRI_OUTPUT_MATRIX}, {"site_xpos[tip].z", 1, 0, CRI_OUTPUT_NUMBER},
      {"gyro", 3, 0, CRI_OUTPUT_NUMBER},       {"xpos[hand]", 3, 0, CRI_OUTPUT_NUMBER}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cri_output o[ROOM];
    int n = 0, turns = 0;
    assert_int_equal(cri_outputs_of(m, rows[i].place, o, ROOM, &n, &error), CR_OK);
    for (int k = 0; k < n; k++) {
      turns += o[k].turns;
      assert_int_equal(o[k].kind, rows[i].kind);
    }
    assert_int_equal(n, rows[i].n);
    assert_int_equal(turns, rows[i].turns);
  }
}

// a sensor that a correction changes is no number of the state
TEST(a_corrected_sensor_is_what_the_correction_makes_of_it) {
  const cr_correction_input rate = {.size = sizeof rate, .place = "qvel[h]"};
  const cr_correction_input* const inputs[] = {&rate};
  const cr_correction_options options = {.size = sizeof options,
                                         .name = "gears",
                                         .target = "sensordata[enc]",
                                         .inputs = inputs,
                                         .ninput = 1};
  cr_model* corrected = NULL;
  cri_output o[ROOM];
  int n;
  assert_int_equal(cr_model_copy(&corrected, m, &error), CR_OK);
  assert_int_equal(cr_model_add_correction(corrected, &options, &error), CR_OK);
  assert_int_equal(cri_outputs_of(corrected, "enc", o, ROOM, &n, &error), CR_OK);
  assert_true(n == 1 && o[0].kind == CRI_OUTPUT_NUMBER && o[0].field == CR_FIELD_sensordata);
  assert_int_equal(cri_outputs_of(m, "enc", o, ROOM, &n, &error), CR_OK);
  assert_true(n == 1 && o[0].kind == CRI_OUTPUT_STATE);
  cr_model_destroy(corrected);
}

TEST(what_cannot_be_fitted_is_refused) {
  const char* const rows[][2] = {
      {"qpos[f][4]", "part of a quaternion"}, {"xquat[box].x", "part of a quaternion"},
      {"turn.y", "part of a quaternion"},     {"tangent[2]", "it is a direction"},
      {"body_mass[box]", "no derivative"},    {"contact[box:box].dist", "contacts come and go"},
      {"mocap_pos", "no derivative"},         {"qpos[nobody]", "nobody"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cri_output o[ROOM];
    int n;
    assert_int_equal(cri_outputs_of(m, rows[i][0], o, ROOM, &n, &error), CR_ERR_NAME);
    assert_non_null(strstr(error.text, rows[i][1]));
  }
}

// cotangents of each output against differences of its error, by the velocities and the coordinates
TEST(sweeps_through_the_stages_reached_match_differences) {
  const char* const places[] = {"turn",           "xquat[hand]", "gyro", "acc",
                                "site_xpos[tip]", "cut",         "ball"};
  cr_data *d = NULL, *bar = NULL, *moved = NULL;
  assert_int_equal(cr_data_create(&d, m, &error), CR_OK);
  assert_int_equal(cr_data_create(&moved, m, &error), CR_OK);
  assert_int_equal(cr_data_create_cotangent(&bar, m, d, &error), CR_OK);
  const cr_real q[4] = {CR_R(0.5), CR_R(0.5), CR_R(-0.5), CR_R(0.5)};
  cr_copy(d->qpos + 7, q, 4);
  d->qpos[11] = CR_R(0.4);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = cr_sin((cr_real)i + 1);
  }
  assert_int_equal(cr_forward(m, d), CR_OK);
  const cri_schedule* s = cri_schedule_of(m);
  for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
    cri_output o[ROOM];
    int n;
    bool stages[CR_MAX_STAGES];
    assert_int_equal(cri_outputs_of(m, places[p], o, ROOM, &n, &error), CR_OK);
    for (int k = 0; k < n; k++) {
      cri_output_reach(&o[k], m, stages);
      for (int i = 0; i < cri_output_errors(&o[k]); i++) {
        cri_twin_clear(bar);
        cri_output_seed(&o[k], m, d, i, 1, bar);
        assert_int_equal(cri_forward_vjp_through(m, d, bar, stages), CR_OK);
        for (int j = 0; j < 2 * m->nv; j++) {
          cr_real e[2][3], t[32] = {0}, h = CR_R(1e-5);
          for (int side = 0; side < 2; side++) {
            cr_copy(moved->qpos, d->qpos, m->nq);
            cr_copy(moved->qvel, d->qvel, m->nv);
            t[j % m->nv] = 1;
            if (j < m->nv) {
              assert_int_equal(cr_integrate_pos(m, moved->qpos, t, side == 0 ? h : -h, &error),
                               CR_OK);
            } else {
              moved->qvel[j - m->nv] += side == 0 ? h : -h;
            }
            assert_int_equal(cr_forward(m, moved), CR_OK);
            cri_output_error(&o[k], cri_output_value(&o[k], m, moved),
                             cri_output_value(&o[k], m, d), e[side]);
          }
          cr_real difference = (e[0][i] - e[1][i]) / (2 * h);
          cr_real sweep = j < m->nv ? bar->qpos[j] : bar->qvel[j - m->nv];
          if (cr_abs(difference - sweep) > CR_R(1e-6) * (1 + cr_abs(sweep))) {
            fail_msg("%s, row %d by %d: %g, by differences %g", places[p], i, j, (double)sweep,
                     (double)difference);
          }
        }
      }
    }
  }
  // a gyro needs no forces
  cri_output o[ROOM];
  int n, skipped = 0;
  bool stages[CR_MAX_STAGES];
  assert_int_equal(cri_outputs_of(m, "gyro", o, ROOM, &n, &error), CR_OK);
  cri_output_reach(&o[0], m, stages);
  for (int i = 0; i < s->n; i++) {
    skipped += strcmp(s->row[i].name, "acceleration") == 0 && !stages[i];
  }
  assert_int_equal(skipped, 1);
  cr_data_destroy(d);
  cr_data_destroy(bar);
  cr_data_destroy(moved);
}
