// SPDX-License-Identifier: Apache-2.0
// Contacts: candidate pairs (collision/broad.h), then for each the functions of its two types
// (geometry/pair.h), then the frame.
#ifndef CR_COLLISION_COLLISION_H
#define CR_COLLISION_COLLISION_H

#include "geometry/pair.h"
#include "model/data.h"

/// Detects all contacts (MuJoCo's mj_collision).
/// Map      (geom_xpos, geom_xmat, geom_size, hfield_size, hfield_data) -> (contact_dist,
///          contact_pos, contact_frame, contact_weight);
///          geom_margin, pair_margin decide only what is listed, and carry no derivative
/// Equation detection chooses features; with these held, (dist, pos, n, hint) is a smooth measure of
///          both poses and sizes, and the frame has the rows n, t1 = h/|h|, t2 = n x t1,
///          h = hint - n (n . hint), hint = e_y or e_z where the pair gives none
///          [derivation: docs/derivations/collision.md [collision.k1]-[collision.k3]]
/// Writes   ncon, contact_geom, contact_pair, contact_follows; contacts in MuJoCo's order
/// Saves    contact_feature, contact_local, contact_axes; contact_own where contacts share
/// Units    m; frames: world
/// Memory   no allocation; scratch 72 numbers a body, 6 a geom
/// Errors   CR_ERR_CAPACITY when ncon_max is too small, with the number needed (ncon_max of them are
///          stored); CR_ERR_UNSUPPORTED when two geoms meet whose types have no functions
/// Smooth   where no feature changes. A contact that appears or goes, a nearest end, edge, face or
///          corner that becomes another, are jumps. There the derivative is that of the side on which
///          forward was. A first tangent whose hint is parallel to the normal to 1e-8 is held fixed.
cr_status cr_collision(const cr_model* m, cr_data* d);
cr_status cr_collision_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_collision_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// Motion of contact i when its two shapes move, sizes held. Its frame turns with the world vector
/// `turn`. a_tan and b_tan: pos and rot of the shapes.                      [collision.k1]-[collision.k3]
typedef struct {
  cr_real dist, pos[3], turn[3];
} cri_contact_motion;

cri_contact_motion cri_collision_motion(const cr_model* m, const cr_data* d, int i,
                                        const cr_shape_tan* a_tan, const cr_shape_tan* b_tan);

/// The same for shapes that move with their bodies, d->cvel: the rates of distance and place as
/// measured, also if the nearest point wanders over its shape.
cri_contact_motion cri_collision_velocity(const cr_model* m, const cr_data* d, int i);

/// A contact that smooth collision merges with others: its own place and the rates of that, its
/// share, the part of the length left until the share is zero, 1 - (x - dist) / L, and the rate of that part.
typedef struct {
  cr_hit_tan at, rate;
  cr_real share, left, left_rate;
} cri_contact_part;

/// The parts of contact i, which follows none; returns their number, 0 if contacts are not merged.
int cri_collision_parts(const cr_model* m, const cr_data* d, int i,
                        cri_contact_part part[CR_MAX_HITS]);

/// Hits of two geoms (the lower type first) with all geoms at the given poses, ngeom x 3 and x 9;
/// their number, 0 for types without functions.
int cri_collide(const cr_model* m, const cr_real* xpos, const cr_real* xmat, const int32_t geom[2],
                cr_real reach, cr_hit hit[CR_MAX_HITS]);

/// Place and size of a geom.
typedef struct {
  cr_real pos[3], mat[9], size[3];
} cri_place;

/// The contacts of two geoms elsewhere, or of other sizes, with their weights. If smooth collision
/// merges them, the one contact, over the length of the model's own sizes.
int cri_collide_at(const cr_model* m, const int32_t geom[2], const cri_place place[2],
                   cr_real reach, cr_hit hit[CR_MAX_HITS], cr_real weight[CR_MAX_HITS]);

/// Motion of the shape of a geom with its body, d->cvel.
cr_shape_tan cri_collision_shape_velocity(const cr_model* m, const cr_data* d, int geom);

/// Tangent of the shape of a geom; and the transpose, which adds.
cr_shape_tan cri_collision_shape_tan(const cr_data* d, const cr_data* tan, int geom);
void cri_collision_shape_bar(const cr_data* d, const cr_shape_tan* s_bar, int geom, cr_data* bar);

/// Hits of two geoms (the lower type first) by the functions of a pair, whichever functions the stage uses for
/// them; `single` asks for one hit where several are possible. Tangent of one of them, with features and
/// numbers as detection set them; its transpose adds to the cotangents of poses, sizes and heights.
int cri_pair_hits(const cr_pair* pair, const cr_model* m, const cr_real* xpos, const cr_real* xmat,
                  const int32_t geom[2], cr_real reach, bool single, cr_hit hit[CR_MAX_HITS]);
void cri_pair_hit_tan(const cr_pair* pair, const cr_model* m, const cr_data* d, const cr_data* tan,
                      const int32_t geom[2], const int32_t feature[4], const cr_real local[6],
                      cr_hit_tan* hit_tan);
void cri_pair_hit_bar(const cr_pair* pair, const cr_model* m, const cr_data* d, cr_data* bar,
                      const int32_t geom[2], const int32_t feature[4], const cr_real local[6],
                      const cr_hit_tan* hit_bar);

/// Depth of the second geom in the first along n (geometry/convex_pair.h); in the prism that the
/// feature of a contact names, if the first is a height field.
cr_real cri_collide_depth(const cr_model* m, const cr_real* xpos, const cr_real* xmat,
                          const int32_t geom[2], const int32_t feature[4], const cr_real n[3]);

/// True if a turn of 1e-8 moves one of the n contacts from `first` on, all of two geoms, to another place: it is
/// the only one along a line or a face that the two share. Detects them again, four times a contact.
bool cri_collision_leaps(const cr_model* m, const cr_data* d, int first, int n);

/// The functions of two types (MuJoCo's numbers, the lower first), NULL if there are none.
const cr_pair* cri_collision_pair(int type1, int type2);

/// True if contacts between geoms of these types come from the general convex pair, directly or
/// prism by prism.
bool cri_collision_general(int type1, int type2);

/// True if contacts between geoms of these types (MuJoCo's numbers, the lower first) are computed,
/// or if MuJoCo has none either (planes and height fields among themselves).
bool cri_collision_supported(int type1, int type2);

/// The same for soft collision detection, for types in range.
bool cri_collision_soft(int type1, int type2);

#endif
