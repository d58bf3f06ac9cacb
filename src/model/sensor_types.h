// SPDX-License-Identifier: Apache-2.0
// The types of sensors, a table without include guard: define CR_SENSOR, include it. In the order of
// MuJoCo's mjtSensor: name of the enumerator, word of MJCF, numbers (0: the sensor says how many),
// and the object that it measures:
//   NONE    the whole model, or nothing that Carom computes
//   SITE    a site               SCALAR  a slide or hinge joint      BALL    a ball joint
//   TENDON  a tendon             ACTUATOR                            BODY    a body, its subtree
//   FRAME   a body, geom or site by objtype, perhaps seen from another by reftype
//   INSIDE  a FRAME, and the site refid
//   PAIR    two geoms or bodies
//   CONTACT two geoms, bodies or subtrees, or a site, each of which may be left out
// clang-format off
CR_SENSOR(TOUCH,          "touch",             1, SITE)
CR_SENSOR(ACCELEROMETER,  "accelerometer",     3, SITE)
CR_SENSOR(VELOCIMETER,    "velocimeter",       3, SITE)
CR_SENSOR(GYRO,           "gyro",              3, SITE)
CR_SENSOR(FORCE,          "force",             3, SITE)
CR_SENSOR(TORQUE,         "torque",            3, SITE)
CR_SENSOR(MAGNETOMETER,   "magnetometer",      3, SITE)
CR_SENSOR(RANGEFINDER,    "rangefinder",       0, NONE)
CR_SENSOR(CAMPROJECTION,  "camprojection",     0, NONE)
CR_SENSOR(JOINTPOS,       "jointpos",          1, SCALAR)
CR_SENSOR(JOINTVEL,       "jointvel",          1, SCALAR)
CR_SENSOR(TENDONPOS,      "tendonpos",         1, TENDON)
CR_SENSOR(TENDONVEL,      "tendonvel",         1, TENDON)
CR_SENSOR(ACTUATORPOS,    "actuatorpos",       0, ACTUATOR)
CR_SENSOR(ACTUATORVEL,    "actuatorvel",       0, ACTUATOR)
CR_SENSOR(ACTUATORFRC,    "actuatorfrc",       0, ACTUATOR)
CR_SENSOR(JOINTACTFRC,    "jointactuatorfrc",  1, SCALAR)
CR_SENSOR(TENDONACTFRC,   "tendonactuatorfrc", 1, TENDON)
CR_SENSOR(BALLQUAT,       "ballquat",          4, BALL)
CR_SENSOR(BALLANGVEL,     "ballangvel",        3, BALL)
CR_SENSOR(JOINTLIMITPOS,  "jointlimitpos",     1, SCALAR)
CR_SENSOR(JOINTLIMITVEL,  "jointlimitvel",     1, SCALAR)
CR_SENSOR(JOINTLIMITFRC,  "jointlimitfrc",     1, SCALAR)
CR_SENSOR(TENDONLIMITPOS, "tendonlimitpos",    1, TENDON)
CR_SENSOR(TENDONLIMITVEL, "tendonlimitvel",    1, TENDON)
CR_SENSOR(TENDONLIMITFRC, "tendonlimitfrc",    1, TENDON)
CR_SENSOR(FRAMEPOS,       "framepos",          3, FRAME)
CR_SENSOR(FRAMEQUAT,      "framequat",         4, FRAME)
CR_SENSOR(FRAMEXAXIS,     "framexaxis",        3, FRAME)
CR_SENSOR(FRAMEYAXIS,     "frameyaxis",        3, FRAME)
CR_SENSOR(FRAMEZAXIS,     "framezaxis",        3, FRAME)
CR_SENSOR(FRAMELINVEL,    "framelinvel",       3, FRAME)
CR_SENSOR(FRAMEANGVEL,    "frameangvel",       3, FRAME)
CR_SENSOR(FRAMELINACC,    "framelinacc",       3, FRAME)
CR_SENSOR(FRAMEANGACC,    "frameangacc",       3, FRAME)
CR_SENSOR(SUBTREECOM,     "subtreecom",        3, BODY)
CR_SENSOR(SUBTREELINVEL,  "subtreelinvel",     3, BODY)
CR_SENSOR(SUBTREEANGMOM,  "subtreeangmom",     3, BODY)
CR_SENSOR(INSIDESITE,     "insidesite",        1, INSIDE)
CR_SENSOR(GEOMDIST,       "distance",          1, PAIR)
CR_SENSOR(GEOMNORMAL,     "normal",            3, PAIR)
CR_SENSOR(GEOMFROMTO,     "fromto",            6, PAIR)
CR_SENSOR(CONTACT,        "contact",           0, CONTACT)
CR_SENSOR(E_POTENTIAL,    "e_potential",       1, NONE)
CR_SENSOR(E_KINETIC,      "e_kinetic",         1, NONE)
CR_SENSOR(CLOCK,          "clock",             1, NONE)
CR_SENSOR(TACTILE,        "tactile",           0, NONE)
CR_SENSOR(PLUGIN,         "plugin",            0, NONE)
CR_SENSOR(USER,           "user",              0, NONE)
// clang-format on
#undef CR_SENSOR
