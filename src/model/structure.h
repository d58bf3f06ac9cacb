// SPDX-License-Identifier: Apache-2.0
// Derives addresses, roots, trees and the pattern of M from parents, joints and the bodies of geoms.
// One walk computes them, and either fills them in or finds where a model differs.
#ifndef CR_MODEL_STRUCTURE_H
#define CR_MODEL_STRUCTURE_H

#include "model/model.h"

/// Sets the counts of the tree in `m`: nbody, njnt, nq, nv, ntree, nC. Other members stay.
/// Shapes   parentid[nbody], jntnum[nbody] joints of each body, jnt_type[sum of jntnum]
/// Errors   CR_ERR_MODEL: the tree is not one (see cri_model_derive)
cr_status cri_model_sizes(cr_model* m, int nbody, const int32_t* parentid, const int32_t* jntnum,
                          const int32_t* jnt_type, cr_error* error);

/// Fills the addresses, counts and parents of bodies, joints, dofs, trees, M and the geoms of bodies.
/// Errors   CR_ERR_MODEL: parents, joints, mocap bodies or geoms make no tree (see cri_model_derive)
cr_status cri_structure_derive(cr_model* m, cr_error* error);

/// Checks that they equal what cri_structure_derive would fill; their numbers are in range already. Part of
/// cri_model_check.
cr_status cri_structure_check(const cr_model* m, cr_error* error);

/// M_rownnz, M_rowadr, M_colind from dof_parentid: part of cri_structure_derive.
void cri_model_derive_M(cr_model* m);

/// Numbers in qpos and in qvel of a joint of this type; 0 for an unknown type.
static inline int cri_jnt_nq(int type) {
  static const int nq[] = {7, 4, 1, 1};
  return type < CR_JNT_FREE || type > CR_JNT_HINGE ? 0 : nq[type];
}
static inline int cri_jnt_nv(int type) {
  static const int nv[] = {6, 3, 1, 1};
  return type < CR_JNT_FREE || type > CR_JNT_HINGE ? 0 : nv[type];
}

#endif
