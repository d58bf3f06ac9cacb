// SPDX-License-Identifier: Apache-2.0
// Models made in C, without MuJoCo: from the few arrays that a person writes (parents, joints, geoms)
// everything else is derived. The order of the calls:
//
//   cr_model m = {.ngeom = 2, .nsite = 1};              counts that are not of the tree
//   cri_model_sizes(&m, nbody, parents, jntnums, jnt_types, &error);
//   cri_model_allocate(&m, &error);
//   cri_model_defaults(&m);                             MuJoCo's defaults of MJCF
//   ... body_parentid, body_jntnum, jnt_type, geom_bodyid, masses, poses, sizes ...
//   cri_model_derive(&m, &error);
//
// Numbering is MuJoCo's: body 0 is the world, bodies are in depth-first order, joints and geoms
// are sorted by body. M has an entry for every pair of a dof and one of its ancestors, also where
// MuJoCo would drop those that vanish for "simple" bodies: their derivatives do not vanish.
#ifndef CR_MODEL_BUILD_H
#define CR_MODEL_BUILD_H

#include "model/structure.h"

/// Fills an allocated model with the defaults of MJCF: options,
/// unit quaternions, solver parameters, contact bits, friction, gear 1; masses and sizes stay 0.
/// Actuator i gets control i and force output i where the counts agree, and no activation.
void cri_model_defaults(cr_model* m);

/// The part of it that MuJoCo does not know: numbers of Carom's own contact models.
void cri_model_default_laws(cr_model* m);

/// Derives everything that follows from the structure, and checks it.
/// Reads    body_parentid, body_jntnum, jnt_type, body_mocapid, geom_bodyid, geom_type, geom_size,
///          geom_dataid, hfield_size, mesh_vertadr, mesh_vertnum, mesh_vert,
///          for body_simple also body_ipos, body_iquat, jnt_pos, jnt_axis
/// Writes   body_jntadr, body_rootid, body_weldid, body_dofnum, body_dofadr, body_treeid,
///          body_simple, body_geomnum, body_geomadr, jnt_qposadr, jnt_dofadr, jnt_bodyid,
///          dof_bodyid, dof_jntid, dof_parentid, dof_treeid, tree_dofadr, tree_dofnum, M_rownnz,
///          M_rowadr, M_colind, tendon_inertial, geom_rbound (not of meshes), mesh_box,
///          mesh_width, mesh_start
/// Scales   quaternions and the axes of hinges and slides to unit length; other axes become z
/// Defaults a quaternion left at zero in qpos0, qpos_spring or a mocap body's reset pose takes
///          body_quat, with body_pos as position (a ball joint: identity); body_mocapid is -1
///          throughout where nmocap is 0
/// Errors   CR_ERR_MODEL with a sentence that names the body, joint, geom, ... at fault; at the end
///          cri_model_check checks the model
cr_status cri_model_derive(cr_model* m, cr_error* error);

/// tendon_inertial from the armature of tendons and of actuators on them: part of cri_model_derive.
/// Leaves a trnid out of range for cri_model_check to find.
void cri_model_derive_inertial(cr_model* m);

/// mesh_box, mesh_width and mesh_start from vertices, polygons and hull graph: part of cri_model_derive.
/// Leaves vertices out of range for cri_model_check to find.
void cri_model_derive_meshes(cr_model* m);

/// Radius of the sphere about a primitive shape's centre that holds it; 0 for a plane, which no
/// sphere holds, and -1 for another type.
cr_real cri_geom_rbound(int type, const cr_real size[3]);

/// The same for a geom as it is now: from its size for primitive shapes, from hfield_size for height fields,
/// geom_rbound for meshes. Culling uses it, so that bounds follow sizes that change.
cr_real cri_geom_bound(const cr_model* m, int geom);

#endif
