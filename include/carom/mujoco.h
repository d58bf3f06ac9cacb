// SPDX-License-Identifier: Apache-2.0
// A door to and from libmujoco, for programs that use both: a model of what libmujoco has compiled, and a state
// of what it has simulated. These functions need a library built with libmujoco (CAROM_IO=ON);
// without it they are CR_ERR_UNSUPPORTED, with a sentence.
#ifndef CAROM_MUJOCO_H
#define CAROM_MUJOCO_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// as <mujoco/mujoco.h> has them, which this header does not need
typedef struct mjModel_ mjModel;
typedef struct mjData_ mjData;

/// Compiles an MJCF or URDF file as cr_model_open does, with its repairs, packages and options. What is changed
/// on the way is a warning in the report (NULL: in none).
/// Owner    the caller, mj_deleteModel
/// Errors   CR_ERR_ARG, CR_ERR_FILE; CR_ERR_FORMAT or CR_ERR_MODEL with libmujoco's sentence
/// Thread   any; libmujoco's log handler and the locale stay as they are
CR_API cr_status cr_mujoco_compile(mjModel** mj, const char* path, const cr_urdf_options* options,
                                   cr_load_report* report, cr_error* error);

/// A model of a compiled one, which it need not outlive; the report (NULL: none) gets what is found.
/// Map      mjModel -> cr_model
/// Units    MuJoCo's, as are frames and names
/// Owner    the caller closes it with cr_model_destroy
/// Errors   CR_ERR_ARG, CR_ERR_MODEL, CR_ERR_MEMORY; CR_ERR_UNSUPPORTED when the model uses what could change
///          its motion and is not supported: the sentence names the first such feature, the report all
CR_API cr_status cr_model_from_mujoco(cr_model** model, const mjModel* mj, cr_load_report* report,
                                      cr_error* error);

/// Writes a model as a file that MuJoCo loads: the MJCF or URDF file from which it was opened, with the values that it
/// has now. A path in .xml becomes MJCF, one in .mjb MuJoCo's binary file. Whole or not at all: what is written is
/// read back first, and every number of every field has to be that of m to 1e-9 of the largest in its row.
/// XML has 17 digits. It holds no number that MJCF has no place for: one damping for the three axes of a ball
/// joint, heights of a height field in single precision. A .mjb file holds those that mjModel has.
/// Includes and defaults become one file. Meshes and textures stay files: they are named as seen from
/// the new file, relative or, where both have no common folder, absolute. Of options those that MuJoCo has are written: no
/// contacts from distance, no soft collision detection, and of Carom's own integrators that of `source`.
/// Shapes   source: the file of m; options: those with which it was opened, NULL none
/// Errors   CR_ERR_ARG for another source, a Carom model file as source, another suffix; CR_ERR_UNSUPPORTED for a number
///          that would not be read back, with field and object, for stages, contact models and actuator
///          laws that were added; those of cr_model_open; CR_ERR_FILE
/// Thread   any, as cr_mujoco_compile
CR_API cr_status cr_mujoco_save(const cr_model* m, const char* source,
                                const cr_urdf_options* options, const char* path, cr_error* error);

/// The inputs of a step as MuJoCo's data have them: qpos, qvel, act, ctrl, applied forces, mocap poses, active
/// equalities, warm start and time.
/// Shapes   those of MuJoCo's model mj, which are those of m: m was made of it or of the same file
/// Errors   CR_ERR_ARG, also for a model of other sizes; the sentence is in cr_data_error(to)
/// Memory   no allocation
CR_API cr_status cr_state_from_mujoco(const cr_model* m, const mjModel* mj, const mjData* from,
                                      cr_data* to);

#ifdef __cplusplus
}
#endif
#endif
