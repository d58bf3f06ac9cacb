// SPDX-License-Identifier: Apache-2.0
// A model from any file that Carom reads. cr_model_open is public: carom/model.h.
#ifndef CR_IO_OPEN_H
#define CR_IO_OPEN_H

#include <mujoco/mujoco.h>

#include "access/report.h"
#include "carom/model.h"
#include "model/model.h"

/// Compiles MJCF or, with these options (NULL for none), URDF, and lists what is not supported. The
/// caller frees with mj_deleteModel.
cr_status cri_mjmodel_open(mjModel** mj, const char* path, const cr_urdf_options* options,
                           cr_load_report* report, cr_error* error);

/// Compiles the same with its specification. The caller frees with mj_deleteModel and mj_deleteSpec, also after an error.
cr_status cri_mjspec_open(mjSpec** spec, mjModel** mj, const char* path,
                          const cr_urdf_options* options, cr_load_report* report, cr_error* error);

/// A model from the result of libmujoco, checked, with the stages that it needs, as cri_model_open makes it from
/// a file. Free with cri_model_free, also after an error.
cr_status cri_model_of_compiled(cr_model* m, const mjModel* mj, cr_error* error);

/// Loads MJCF, URDF (through libmujoco) or a Carom model file, checks it, and refuses unsupported
/// features; `report` lists all of them. Free the model with cri_model_free.
cr_status cri_model_open(cr_model* m, const char* path, cr_load_report* report, cr_error* error);

/// The same with options for URDF, NULL: none.
cr_status cri_model_open_urdf(cr_model* m, const char* path, const cr_urdf_options* options,
                              cr_load_report* report, cr_error* error);

#endif
