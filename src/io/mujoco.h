// SPDX-License-Identifier: Apache-2.0
// Turns MuJoCo models into Carom models. libmujoco compiles MJCF and URDF; everything else here reads
// its mjModel. MuJoCo's own fatal errors are caught, and it writes no log file.
#ifndef CR_IO_MUJOCO_H
#define CR_IO_MUJOCO_H

#include <mujoco/mujoco.h>

#include "access/report.h"
#include "model/model.h"

/// Runs work(context); a fatal error of libmujoco inside it becomes CR_ERR_MODEL with MuJoCo's
/// sentence behind `what`. What libmujoco logs meanwhile in this thread is dropped. The log handler of
/// the process, which is the host program's, stays as it is; numbers are those of the locale "C".
cr_status cri_mujoco_guard(cr_status (*work)(void* context), void* context, const char* what,
                           cr_error* error);

/// Compiles an MJCF or URDF file. The caller frees with mj_deleteModel. Repairs on the way
/// (io/repair.h) give a warning in the report, which may be NULL.
cr_status cri_mujoco_load(mjModel** out, const char* path, cr_load_report* report, cr_error* error);

/// The same with the specification that was compiled, which the caller frees with mj_deleteSpec, also after an error.
cr_status cri_mujoco_load_spec(mjSpec** spec, mjModel** out, const char* path,
                               cr_load_report* report, cr_error* error);

/// Lists the features of mj that Carom refuses, ignores or warns of.
void cri_mujoco_survey(const mjModel* mj, cr_load_report* report);

/// Copies mj into a new cr_model (free with cri_model_free). Does not check what is supported:
/// call cri_mujoco_survey first.
cr_status cri_model_from_mjmodel(cr_model* m, const mjModel* mj, cr_error* error);

/// An array of an mjModel. cri_mujoco_arrays lists them and returns their number; cri_mujoco_find gives the one of
/// a name, or NULL; cri_mujoco_set writes number i of a real array, and nothing into others.
typedef struct {
  const char* name;
  int type;
  void* data;
  mjtSize count;
} cri_mujoco_array;
enum { CRI_MUJOCO_ARRAYS = 640 };
int cri_mujoco_arrays(const mjModel* mj, cri_mujoco_array rows[CRI_MUJOCO_ARRAYS]);
const cri_mujoco_array* cri_mujoco_find(const cri_mujoco_array* rows, int n, const char* name);
void cri_mujoco_set(const cri_mujoco_array* a, mjtSize i, double value);

/// Name of an object in MuJoCo, or "#id" if it has none; in a static ring of buffers
/// valid for a few calls.
const char* cri_mujoco_name(const mjModel* mj, int type, int id);

/// The part of cri_mujoco_survey about sensors.
void cri_mujoco_survey_sensors(const mjModel* mj, cr_load_report* report);

/// Why sensor i is not computed; NULL if it is.
const char* cri_mujoco_sensor_gap(const mjModel* mj, int i);

/// Gives geoms of m the pressure fields that mj names:
///   <text name="pressure:ball" data="compliant modulus=1e5 dissipation=0.5 around=32"/>
/// The first word is the kind; the others are members of cr_pressure_options with their numbers.
/// Errors   CR_ERR_NAME for a geom that there is not, CR_ERR_FORMAT for words, those of cr_model_set_pressure
cr_status cri_pressure_texts(cr_model* m, const mjModel* mj, cr_error* error);

#endif
