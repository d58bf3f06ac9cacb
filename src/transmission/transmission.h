// SPDX-License-Identifier: Apache-2.0
// The stage that computes the length of every actuator and its derivative by the joints, the
// moment. actuator/actuation uses the moment to turn actuator forces into joint forces, and joint velocities
// into actuator velocities.
#ifndef CR_TRANSMISSION_TRANSMISSION_H
#define CR_TRANSMISSION_TRANSMISSION_H

#include "model/data.h"

/// Actuator lengths and moments.
/// Map      (qpos, site_xpos, site_xmat, cdof, subtree_com, ten_length, ten_J, efc_J, contact_pos,
///          contact_frame; actuator_gear, actuator_cranklength) -> actuator_length, actuator_moment
/// Equation slide, hinge: length = gear_0 q,                moment = gear_0         [transmission.t1]
///          ball:         length = gear_012 . log(q),       moment = gear_012       [transmission.t2]
///          free:         length = 0,                       moment = gear_012345    [transmission.t3]
///          tendon:       length = gear_0 ten_length, moment = gear_0 ten_J          [transmission.t4]
///          joint in parent, ball and free: the turning gear g becomes R(q)' g       [transmission.t5]
///          site: transmission/transmission_site; slider-crank: transmission/transmission_slidercrank; body: transmission/transmission_body
///          derivation: docs/derivations/transmission.md
/// Shapes   length[nout]; moment nout x nv, sparse rows moment_rownnz, _rowadr, _colind
/// Units    length m|rad times gear.  Frames: rotation axes of ball and free joints in the body,
///          translation axis of a free joint in the world; joint in parent: all in the parent
/// Saves    the sparse structure of the moment
/// Memory   no allocation; scratch of transmission/transmission_body
/// Errors   none
/// Smooth   except for the length of a ball transmission at half a turn, where it jumps; the others: see there
cr_status cr_transmission(const cr_model* m, cr_data* d);
cr_status cr_transmission_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_transmission_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
