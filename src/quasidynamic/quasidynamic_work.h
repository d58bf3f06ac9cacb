// SPDX-License-Identifier: Apache-2.0
// What the functions of carom/quasidynamic.h share.
#ifndef CR_QUASIDYNAMIC_QUASIDYNAMIC_WORK_H
#define CR_QUASIDYNAMIC_QUASIDYNAMIC_WORK_H

#include "carom/quasidynamic.h"
#include "model/names.h"
#include "quasidynamic/contact_cones.h"
#include "quasidynamic/servo.h"

struct cr_quasidynamic {
  cr_model m;       // a copy with the cone of the options, contacts from distance, all limits
  cr_real* margin;  // [njnt] the joints' own
  cr_data *d, *tan;
  cr_quasidynamic_options options;
  cri_servo* servo;
  int nservo;
  bool* has_servo;  // [nv]
  const struct cri_schedule* schedule;
  bool* stages;  // those that run
  bool* moved;   // those that carry a tangent of qpos: without contact parameters
  int nstage;
  cri_cone cone;
  cri_cone_row* row;
  cr_real inertia;  // factor of M for dofs without servos, 1/s^2
  bool stepped, linear;
  bool any_setpoint;                       // also those beyond ctrlrange
  cr_real *force, *rate, *work;            // [nefc_max]
  cr_real *rho, *sigma, *dx, *u, *column;  // [nv], [nrow], [nv], [nu], [nv]
  // parameters
  cr_place* place;
  int nplace, ncolumn;
  cr_data* par_tan;
  void* memory;
  cr_error error;
};

/// Factor of M, without and with its tangent: of CR_INERTIA_SCALED min Kp / (scale max M_ii).  [quasidynamic.s3]
cr_real cri_quasidynamic_inertia(const cr_quasidynamic* x, const cr_data* tan, cr_real* factor_tan);

#endif
