// SPDX-License-Identifier: Apache-2.0
// A model from any file Carom reads. cr_model_open is public: carom/model.h.
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

/// A model of what libmujoco has compiled, checked, with the stages that it needs, as cri_model_open makes it of
/// a file. Free with cri_model_free, also where it fails.
cr_status cri_model_of_compiled(cr_model* m, const mjModel* mj, cr_error* error);

/// Loads MJCF, URDF (through libmujoco) or a Carom model file, checks it, and refuses what is not
/// supported; `report` lists all of that. Free the model with cri_model_free.
cr_status cri_model_open(cr_model* m, const char* path, cr_load_report* report, cr_error* error);

/// The same with options for URDF, NULL for none.
cr_status cri_model_open_urdf(cr_model* m, const char* path, const cr_urdf_options* options,
                              cr_load_report* report, cr_error* error);

#endif
