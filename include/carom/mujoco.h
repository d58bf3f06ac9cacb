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
