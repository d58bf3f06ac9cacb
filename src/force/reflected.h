// SPDX-License-Identifier: Apache-2.0
// Damping and armature of dofs and of tendons: their own, and those of actuators on the joint
// or tendon, reflected through the gear. Inertia, dampers and every integrator that
// damps implicitly use these.
#ifndef CR_FORCE_REFLECTED_H
#define CR_FORCE_REFLECTED_H

#include "force/polynomial.h"
#include "model/data.h"

/// Armature of every dof.
/// Map      (dof_armature, actuator_armature, actuator_gear) -> armature
/// Equation armature_i = dof_armature_i + sum of gear_k^2 actuator_armature_k over the actuators k
///          on the joint of dof i, all its dofs alike                    [passive.r1]
/// Shapes   armature[nv]
void cri_reflected_armature(const cr_model* m, cr_real* armature);
void cri_reflected_armature_jvp(const cr_model* m, const cr_data* tan, cr_real* armature_tan);
/// Adds to bar->par.
void cri_reflected_armature_vjp(const cr_model* m, cr_data* bar, const cr_real* armature_bar);

/// The same for every tendon, with tendon_armature and the actuators on the tendon; armature[ntendon].
void cri_tendon_armature(const cr_model* m, cr_real* armature);
void cri_tendon_armature_jvp(const cr_model* m, const cr_data* tan, cr_real* armature_tan);
void cri_tendon_armature_vjp(const cr_model* m, cr_data* bar, const cr_real* armature_bar);

/// Damping law of every dof: force -(b0 v + b1 v |v| + b2 v^3).
/// Equation b_i = (dof_damping, dof_dampingpoly)_i + sum of gear_k^2 (actuator_damping,
///          actuator_dampingpoly)_k                                      [passive.r2]
/// Shapes   b[nv * 3]
void cri_reflected_damping(const cr_model* m, cr_real* b);
void cri_reflected_damping_jvp(const cr_model* m, const cr_data* tan, cr_real* b_tan);
/// Adds to bar->par.
void cri_reflected_damping_vjp(const cr_model* m, cr_data* bar, const cr_real* b_bar);

/// The same for every tendon, with tendon_damping and tendon_dampingpoly; b[ntendon * 3].
void cri_tendon_damping(const cr_model* m, cr_real* b);
void cri_tendon_damping_jvp(const cr_model* m, const cr_data* tan, cr_real* b_tan);
void cri_tendon_damping_vjp(const cr_model* m, cr_data* bar, const cr_real* b_bar);

/// True if some dof is damped, by MuJoCo's rule: negative linear damping alone does not count.
bool cri_damps(const cr_model* m);

/// True if field id is a parameter of the damping laws of dofs.
bool cri_damps_dofs(cr_field_id id);

/// True if the twin has room for a parameter of the damping law.
bool cri_damping_wanted(const cr_model* par);

/// b0 + b1 |v| + b2 v^2: the force is -v times this.
static inline cr_real cri_damping_chord(const cr_real b[3], cr_real v) {
  return cri_polynomial(CR_POLY_CHORD, b, cr_abs(v));
}
/// D = b0 + 2 b1 |v| + 3 b2 v^2: minus the derivative of the force.        [passive.r3]
static inline cr_real cri_damping_slope(const cr_real b[3], cr_real v) {
  return cri_polynomial(CR_POLY_STIFFNESS, b, cr_abs(v));
}
/// dD/dv = 2 b1 sign(v) + 6 b2 v, b1's part 0 at rest.
static inline cr_real cri_damping_bend(const cr_real b[3], cr_real v) {
  return v == 0 ? 0 : cr_sign(v) * cri_polynomial_slope(CR_POLY_STIFFNESS, b, cr_abs(v));
}

/// Fields of the laws of dofs, of tendons, and of the parts that actuators add.
extern const cri_coefficient_fields cri_dof_damper_fields, cri_tendon_damper_fields,
    cri_actuator_damper_fields;

#endif
