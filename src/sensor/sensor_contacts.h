// SPDX-License-Identifier: Apache-2.0
// Contact sensors: the contacts of two objects, and the numbers of a slot for one of them.
#ifndef CR_SENSOR_SENSOR_CONTACTS_H
#define CR_SENSOR_SENSOR_CONTACTS_H

#include "model/data.h"

/// Contents of a slot, by bit of sensor_intprm[0], in this order (mjtConDataField).
enum {
  CR_CON_FOUND,   // number of contacts that match
  CR_CON_FORCE,   // along normal and tangents
  CR_CON_TORQUE,  // about them
  CR_CON_DIST,
  CR_CON_POS,
  CR_CON_NORMAL,
  CR_CON_TANGENT,
  CR_CON_LINVEL,  // of the second body against the first, along normal and tangents
  CR_CON_ANGVEL,
  CR_N_CON
};

/// Numbers of one slot with these bits.
int cri_contact_slot_size(int bits);

/// How contacts are reduced to slots, sensor_intprm[1].
enum { CR_REDUCE_NONE, CR_REDUCE_MINDIST, CR_REDUCE_MAXFORCE, CR_REDUCE_NETFORCE };

/// Contact sensor i: sensor_dim / slot size slots, those without a contact 0.
/// Map      (contact_dist, contact_pos, contact_frame, efc_force, contact_friction,
///          contact_adhesion, cvel, subtree_com) -> y; forward decides which contacts match, and
///          their order
/// Equation a contact matches if its two sides are the two objects, in either order;
///          none, mindist, maxforce: the first in the list, the deepest, those of largest force; for
///          a contact with sides in reverse order force, torque and velocities have their
///          third number negated, and normal and tangent are negated     [sensor.n1]
///          netforce: one slot, f = sum R' f_c, point = sum |f_c| pos_c / sum |f_c|,
///          n = sum R' n_c + (pos_c - point) x R' f_c, world axes; normal x, tangent y  [sensor.n2]
/// Smooth   while the same contacts match in the same order
void cri_contacts(const cr_model* m, const cr_data* d, int i, cr_real* y);
void cri_contacts_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                      cr_real* y_tan);
void cri_contacts_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                      const cr_real* y_bar);

#endif
