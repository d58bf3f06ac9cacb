// SPDX-License-Identifier: Apache-2.0
// Contact parameters: friction, solref, solimp, dimension and margin from the two geoms of a contact, or
// from its explicit pair.
#ifndef CR_CONSTRAINT_MIXING_H
#define CR_CONSTRAINT_MIXING_H

#include "model/data.h"

/// The least friction of a contact, as in MuJoCo.
#define CR_MIN_FRICTION CR_R(1e-5)

/// Parameters of every contact.
/// Map      (geom_friction, geom_solref, geom_solimp, geom_solmix, geom_margin, geom_hunt_crossley; pair_..., o_...) ->
///          contact_includemargin, _friction, _solref, _solreffriction, _solimp, _dim, _adhesion,
///          _surfacevel, _hunt_crossley
/// Equation an explicit pair: its own numbers. Otherwise, with w = solmix1 / (solmix1 + solmix2)
///          (two zeros: 1/2) and equal priorities:
///          solimp = w solimp1 + (1-w) solimp2; solref alike if both time constants are positive,
///          else the elementwise smaller; friction and dimension: the larger. With unequal
///          priorities: all of these from the geom of higher priority. Margin: the sum of both.
///          Adhesion: the sum of both, or that of higher priority; a contact that pulls has dimension
///          1 beyond its margin. Surface velocity: (t1 . v, t2 . v, n . w), v and w the velocities of
///          the second geom's surface against the first's, v = R v0 + w x (pos - xpos), w = R w0.
///          Numbers of Hunt-Crossley contacts: mixed as solimp, by the geoms also of explicit pairs; 0 where
///          all contacts are convex.
///          With the flag override: o_margin, o_solref for both references, o_solimp, o_friction.
///          Friction (slide, spin, roll) unfolds to (slide, slide, spin, roll, roll), at least 1e-5.
///          [MuJoCo manual, Computation, "Contact": "Contact parameters"]
/// Shapes   ncon rows; of the state only the list of touching geoms is read
/// Units    friction 1 (slide), m (spin, roll); solref s, 1; margin m
/// Memory   none.  Errors: none.  Thread: safe for distinct d
/// Smooth   except where two numbers tie in a maximum or minimum: there each gets half, the mean of the
///          two sides, so that equal geoms share the derivative; at the least friction, where the
///          derivative is zero; and between two solmix of zero, beside which the share jumps
/// Derivation docs/derivations/mixing.md
cr_status cr_mixing(const cr_model* m, cr_data* d);
cr_status cr_mixing_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_mixing_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
