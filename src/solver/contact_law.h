// SPDX-License-Identifier: Apache-2.0
// The force law of all rows where contact models were added to a model: contacts by the law of their contact
// model, all other rows, and contacts of the convex model, by solver/friction_cone.h.
#ifndef CR_SOLVER_CONTACT_LAW_H
#define CR_SOLVER_CONTACT_LAW_H

#include "math/runs.h"
#include "solver/contact_model.h"

/// Of efc_state, the zones of laws that were added: zone 0 and on. Below are those of the convex law.
enum { CRI_STATE_ADDED = 16 };

/// Whether all contacts are along normal and tangents, as laws that were added need it.
/// Errors   CR_ERR_UNSUPPORTED, with the names of the contact model and of a geom
cr_status cri_contact_law_check(const cr_model* m, cr_data* d);

/// Forces f and states at e, of rows that begin and end with a block. [contact_law.l1]
void cri_contact_law_force(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                           cr_real* f, int32_t* state);

/// Whether a row is of a contact whose force does not depend on e.
bool cri_contact_law_is_explicit(const cr_model* m, const cr_data* d, int row);

/// cri_contact_law_force of all rows, where f and state hold already what is right for such contacts.
void cri_contact_law_force_again(const cr_model* m, const cr_data* d, const cr_real* e, cr_real* f,
                                 int32_t* state);

/// f_tan and e_bar of a contact model (solver/contact_model.h) at e, of rows that begin and end with a block.
/// `bar` may be NULL.
void cri_contact_law_jvp(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                         const cr_data* tan, const cr_real* e_tan, cr_real* f_tan);
void cri_contact_law_vjp(const cr_model* m, const cr_data* d, cr_run rows, const cr_real* e,
                         cr_data* bar, const cr_real* f_bar, cr_real* e_bar);

/// All rows at acc_jar, as force, force_jvp and force_vjp of a contact model (solver/contact_model.h).
/// Errors   of cri_contact_law_check
cr_status cri_contact_law_force_all(const cr_model* m, cr_data* d);
void cri_contact_law_force_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                               const cr_real* e_tan, cr_real* f_tan);
void cri_contact_law_force_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                               const cr_real* f_bar, cr_real* e_bar);

/// See solver/contact_model.h.
void cri_contact_law_bends(const cr_model* m, const cr_data* d, int row,
                           cr_real bend[CRI_LAW_BENDS]);
bool cri_contact_law_has_directions(const cr_model* m, const cr_data* d, int row);

/// Whether a law that is in use depends on distances or velocities themselves.
bool cri_contact_law_sees_motion(const cr_model* m);

#endif
