// SPDX-License-Identifier: Apache-2.0
// What a model uses that is refused, ignored or warned of: one small model for each feature, and one
// with many of them at once.
#include <stdio.h>

#include "scenes/io_mjcf.h"
#include "support/test.h"

// a two-link arm above a floor; what a feature needs is put in between
typedef struct {
  const char *option, *asset, *world;
  const char *joint, *geom, *type;  // attributes of the joint, of the second geom, its type
  const char* rest;                 // behind the bodies
} parts;

// a signed distance field: a shape that is not supported
#define SDF "<asset><mesh name='q' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
#define SDF_GROUND "<geom name='ground' type='sdf' mesh='q'/>"

static const char* or_empty(const char* text) { return text == NULL ? "" : text; }

static mjModel* arm(const parts* p) {
  static char text[8192];
  const char* visual = "contype='0' conaffinity='0'";
  (void)snprintf(text, sizeof text,
                 "<mujoco>%s%s<worldbody><geom name='floor' type='plane' size='1 1 .1'/>%s"
                 "<body name='upper' pos='0 0 1'><joint name='shoulder' axis='0 1 0' %s/>"
                 "<geom name='upper' type='capsule' size='.05' fromto='0 0 0 0 0 -.3' "
                 "contype='0' conaffinity='0'/><site name='s'/>"
                 "<body name='lower' pos='0 0 -.4'><joint name='elbow' axis='0 1 0'/>"
                 "<geom name='lower' type='%s' size='.05 .06 .07' %s/><site name='t'/>"
                 "</body></body></worldbody>%s</mujoco>",
                 or_empty(p->option), or_empty(p->asset), or_empty(p->world), or_empty(p->joint),
                 p->type == NULL ? "sphere" : p->type, p->geom == NULL ? visual : p->geom,
                 or_empty(p->rest));
  return mjcf_compile(text);
}

static cr_load_report survey(const parts* p) {
  cr_load_report report = {0};
  mjModel* mj = arm(p);
  cri_mujoco_survey(mj, &report);
  mj_deleteModel(mj);
  return report;
}

static bool lists(const cr_sentences* list, const char* sentence) {
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->text[i], sentence) == 0) {
      return true;
    }
  }
  return false;
}

static void assert_lists(const cr_sentences* list, const char* sentence) {
  if (!lists(list, sentence)) {
    for (int i = 0; i < list->n; i++) {
      print_error("   %s\n", list->text[i]);
    }
    fail_msg("not among these: %s", sentence);
  }
}

// ---- what is refused

static const struct {
  parts model;
  const char* sentence;
} refused[] = {
    // options and flags
    {{.option = "<option><flag sleep='enable'/></option>"},
     "flag 'sleep' (enabled): not supported yet"},
    {{.option = "<option integrator='discrete'><flag ipc='enable'/></option>"},
     "flag 'ipc' (enabled): not supported yet"},
    {{.option = "<option><flag speculative='enable'/></option>"},
     "flag 'speculative' (enabled): not supported yet"},
    // joints
    {{.joint = "stiffness='1' springyield='.5'"},
     "joint 'shoulder' (plasticity): not supported yet"},
    // equality
    // tendons
    // actuators
    {{.rest = "<actuator><general name='m' joint='elbow' gaintype='fixed' biastype='dcmotor'/>"
              "</actuator>"},
     "actuator 'm' (some of dyntype, gaintype and biastype are a dcmotor's): not supported yet"},
    {{.rest = "<actuator><general name='m' joint='elbow' dyntype='user' actdim='1'/></actuator>"},
     "actuator 'm' (user): not supported yet"},
    {{.rest = "<actuator><general name='m' joint='elbow' gaintype='user'/></actuator>"},
     "actuator 'm' (user): not supported yet"},
    {{.rest = "<actuator><general name='m' joint='elbow' biastype='user'/></actuator>"},
     "actuator 'm' (user): not supported yet"},
    {{.rest = "<actuator><motor name='m' joint='elbow' delay='.01' nsample='4'/></actuator>"},
     "actuator 'm' (delay): not supported yet"},
    // geoms that collide
    {{.geom = "", .asset = SDF, .world = SDF_GROUND},
     "geoms 'lower' (sphere) and 'ground' (sdf) can collide: not supported yet"},
    {{.world = "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2' "
               "radius='.01' pos='0 0 3'/>"},
     "flex (1 in the model): not supported yet"},
};
enum { N_REFUSED = (int)(sizeof refused / sizeof refused[0]) };

TEST(each_feature_is_refused_by_name) {
  for (int i = 0; i < N_REFUSED; i++) {
    cr_load_report report = survey(&refused[i].model);
    assert_lists(&report.unsupported, refused[i].sentence);
    cri_load_report_free(&report);
  }
}

// ---- what has been refused once

static const parts supported[] = {
    {.option = "<option><flag override='enable'/></option>"},
    {.rest = "<equality><connect name='lock' body1='lower' anchor='0 0 0'/></equality>"},
    {.rest = "<equality><weld name='lock' body1='lower'/></equality>"},
    {.rest = "<equality><joint name='lock' joint1='elbow'/></equality>"},
    {.rest = "<tendon><fixed name='cable'><joint joint='elbow' coef='1'/></fixed></tendon>"
             "<equality><tendon name='lock' tendon1='cable'/></equality>"},
    {.rest = "<tendon><fixed name='cable' stiffness='3'><joint joint='elbow' coef='1'/></fixed>"
             "</tendon>"},
    {.rest = "<tendon><fixed name='cable' stiffness='0 3'><joint joint='elbow' coef='1'/></fixed>"
             "</tendon>"},
    {.rest = "<tendon><fixed name='cable' damping='1'><joint joint='elbow' coef='1'/></fixed>"
             "</tendon>"},
    {.rest = "<tendon><fixed name='cable' limited='true' range='-1 1'>"
             "<joint joint='elbow' coef='1'/></fixed></tendon>"},
    {.rest = "<tendon><fixed name='cable' frictionloss='.1'><joint joint='elbow' coef='1'/>"
             "</fixed></tendon>"},
    {.rest = "<tendon><fixed name='cable'><joint joint='elbow' coef='1'/></fixed></tendon>"
             "<actuator><motor name='m' tendon='cable'/></actuator>"},
    {.rest = "<actuator><muscle name='m' joint='elbow' lengthrange='0 1'/></actuator>"},
    {.rest = "<tendon><spatial name='cable' armature='.1'><site site='s'/><site site='t'/>"
             "</spatial></tendon>"},
    {.rest = "<actuator><pid name='m' joint='elbow' kp='1'/></actuator>"},
    {.rest =
         "<actuator><dcmotor name='m' joint='elbow' motorconst='1' resistance='1'/></actuator>"},
    {.option = "<option integrator='implicit'/>",
     .rest = "<actuator><pid name='m' joint='elbow' kp='1' ki='1'/></actuator>"},
    {.option = "<option integrator='discrete'/>",
     .rest = "<actuator><dcmotor name='m' joint='elbow' motorconst='1' resistance='1' "
             "lugre='10 .1 .2 .3 .01'/></actuator>"},
    {.rest = "<actuator><motor name='m' jointinparent='elbow'/></actuator>"},
    {.rest = "<actuator><motor name='m' cranksite='s' slidersite='t' cranklength='.1'/>"
             "</actuator>"},
    {.rest = "<actuator><adhesion name='m' body='lower' ctrlrange='0 1'/></actuator>"},
    {.geom = "condim='4'"},
    {.geom = "condim='6'"},
    {.geom = "", .type = "ellipsoid"},
    {.type = "ellipsoid",
     .rest = "<contact><pair name='p' geom1='floor' geom2='lower'/></contact>"},
    {.asset = "<asset><mesh name='q' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>",
     .world = "<body pos='0 0 3'><freejoint/><geom name='stone' type='mesh' mesh='q'/></body>"},
    {.rest = "<contact><pair name='p' geom1='floor' geom2='lower' condim='6'/></contact>"}};

TEST(supported_features_pass) {
  for (size_t i = 0; i < sizeof supported / sizeof supported[0]; i++) {
    cr_load_report report = survey(&supported[i]);
    if (report.unsupported.n > 0) {
      fail_msg("refused: %s", report.unsupported.text[0]);
    }
    cri_load_report_free(&report);
  }
}

TEST(the_arm_itself_is_supported) {
  cr_load_report report = survey(&(parts){0});
  assert_int_equal(report.unsupported.n, 0);
  assert_int_equal(report.ignored.n, 0);
  assert_int_equal(report.warnings.n, 0);
  cri_load_report_free(&report);
}

TEST(all_problems_at_once) {
  const parts many = {
      .option = "<option><flag sleep='enable' speculative='enable'/></option>",
      .world =
          "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2' "
          "radius='.01' pos='0 0 3'/>",
      .joint = "stiffness='1' springyield='.5'",
      .rest =
          "<actuator><motor name='m' joint='elbow' delay='.01' nsample='4'/>"
          "<general joint='elbow' dyntype='user' actdim='1'/></actuator>"};
  static const char* const sentences[] = {"flag 'sleep' (enabled): not supported yet",
                                          "flag 'speculative' (enabled): not supported yet",
                                          "flex (1 in the model): not supported yet",
                                          "joint 'shoulder' (plasticity): not supported yet",
                                          "actuator 'm' (delay): not supported yet",
                                          "actuator '#1' (user): not supported yet"};
  cr_load_report report = survey(&many);
  for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
    assert_lists(&report.unsupported, sentences[i]);
  }
  cri_load_report_free(&report);
}

// of very many pairs of shapes only some are named, and all counted
TEST(very_many_pairs) {
  static char text[8192];
  size_t n = (size_t)snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s", SDF, SDF_GROUND);
  for (int i = 0; i < 11; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<body pos='%d 0 2'><freejoint/><geom size='.1'/></body>", i);
  }
  (void)snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  cr_load_report report = {0};
  mjModel* mj = mjcf_compile(text);
  cri_mujoco_survey(mj, &report);
  mj_deleteModel(mj);
  assert_int_equal(report.unsupported.n, 9);
  assert_lists(&report.unsupported,
               "geoms '#1' (sphere) and 'ground' (sdf) can collide: not supported yet");
  assert_lists(&report.unsupported,
               "3 more pairs of sphere and sdf can collide: not supported yet");
  cri_load_report_free(&report);
}

// ---- what cannot change the motion

static void harmless(const parts* p, const char* sentence) {
  cr_load_report report = survey(p);
  if (report.unsupported.n > 0) {
    fail_msg("refused: %s", report.unsupported.text[0]);
  }
  assert_lists(&report.ignored, sentence);
  cri_load_report_free(&report);
}

TEST(harmless_things_are_listed) {
  harmless(&(parts){.rest = "<sensor><jointpos joint='elbow'/><jointvel joint='elbow' nsample='3' "
                            "delay='.01'/></sensor>"},
           "sensor '#1' (jointvel) is not computed: history");
  harmless(&(parts){.world = "<camera name='c'/>"}, "cameras (1 in the model)");
  harmless(&(parts){.world = "<light name='l'/>"}, "lights (1 in the model)");
  harmless(&(parts){.asset = "<asset><texture name='t' type='2d' builtin='checker' width='8' "
                             "height='8'/></asset>"},
           "textures (1 in the model)");
  harmless(&(parts){.asset = "<size nuserdata='3'/>"}, "user data (3 in the model)");
  harmless(&(parts){.asset = "<asset><mesh name='q' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>",
                    .world = "<body pos='0 0 3'><freejoint/><geom type='mesh' mesh='q' "
                             "contype='0' conaffinity='0'/></body>"},
           "meshes that do not collide");
}

// shapes and properties of what never collides are nobody's business
TEST(shapes_that_never_collide) {
  const parts rows[] = {
      {.geom = "contype='0' conaffinity='0' adhesion='1' surfacevel='1 0 0 0 0 0'"},
      {.asset = SDF, .world = SDF_GROUND},
      {.asset = SDF,
       .world = SDF_GROUND,
       .geom = "",
       .option = "<option><flag contact='disable'/></option>"},
      {.asset = SDF,
       .world = SDF_GROUND,
       .geom = "",
       .option = "<option><flag constraint='disable'/></option>"},
      {.asset = SDF,
       .world = SDF_GROUND,
       .geom = "",
       .rest = "<contact><exclude body1='world' body2='lower'/></contact>"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_load_report report = survey(&rows[i]);
    assert_int_equal(report.unsupported.n, 0);
    cri_load_report_free(&report);
  }
}

TEST(warnings) {
  cr_load_report report = survey(&(parts){.option = "<option noslip_iterations='3'/>"});
  assert_int_equal(report.unsupported.n, 0);
  assert_lists(&report.warnings, "option 'noslip_iterations' (3): no-slip is ignored");
  cri_load_report_free(&report);
  report = survey(&(parts){.option = "<option><flag nativeccd='disable'/></option>"});
  assert_lists(&report.warnings, "flag 'nativeccd' (disabled): contacts are exact in either case");
  cri_load_report_free(&report);
  report = survey(&(parts){.world = "<body name='target' mocap='true' pos='1 1 1'><geom size='.1' "
                                    "contype='0' conaffinity='0'/></body>",
                           .rest = "<keyframe><key name='moved' mpos='2 2 2'/></keyframe>"});
  assert_int_equal(report.unsupported.n, 0);
  assert_int_equal(report.warnings.n, 0);
  cri_load_report_free(&report);
}

// every supported choice of every flag passes
TEST(flags_that_are_honoured) {
  static const char* const flags[] = {
      "constraint", "equality",  "frictionloss", "limit",        "contact",   "spring",  "damper",
      "gravity",    "clampctrl", "warmstart",    "filterparent", "actuation", "refsafe", "sensor",
      "midphase",   "eulerdamp", "autoreset",    "nativeccd",    "island",    "multiccd"};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    char option[96];
    (void)snprintf(option, sizeof option, "<option><flag %s='disable'/></option>", flags[i]);
    cr_load_report report = survey(&(parts){.option = option});
    assert_int_equal(report.unsupported.n, 0);
    cri_load_report_free(&report);
  }
  static const char* const enabled[] = {"energy", "fwdinv", "invdiscrete"};
  for (size_t i = 0; i < sizeof enabled / sizeof enabled[0]; i++) {
    char option[96];
    (void)snprintf(option, sizeof option, "<option><flag %s='enable'/></option>", enabled[i]);
    cr_load_report report = survey(&(parts){.option = option});
    assert_int_equal(report.unsupported.n, 0);
    cri_load_report_free(&report);
  }
}

// values of a MuJoCo to come
TEST(unknown_values) {
  mjModel* mj = mjcf_data("walker.xml");
  cr_load_report report = {0};
  cri_mujoco_survey(mj, &report);
  assert_int_equal(report.unsupported.n, 0);
  mj->opt.integrator = 17;
  mj->opt.enableflags |= 1 << 25;
  mj->opt.disableflags |= 1 << 26;
  mj->actuator_dyntype[0] = 99;
  mj->actuator_gaintype[1] = 99;
  mj->actuator_biastype[2] = 99;
  mj->geom_type[1] = 99;
  cri_mujoco_survey(mj, &report);
  assert_lists(&report.unsupported, "option 'integrator' (unknown): not supported yet");
  assert_lists(&report.unsupported, "option 'flag' (unknown bit): not supported yet");
  assert_lists(&report.unsupported, "actuator 'left_hip' (unknown): not supported yet");
  assert_lists(&report.unsupported, "actuator 'left_knee' (unknown): not supported yet");
  assert_lists(&report.unsupported, "actuator 'right_hip' (unknown): not supported yet");
  assert_lists(&report.unsupported, "geom 'torso' (unknown type): not supported yet");
  cri_load_report_free(&report);
  mj_deleteModel(mj);
}
