// SPDX-License-Identifier: Apache-2.0
// The kinds of objects, no include guard: define the macros you want, include it. Names, error labels, bounds of
// indices and rows of fields by name come from it.
//
//   CR_OBJECT(kind, label, type, count, names)
//        kind    as cr_model_id and cr_model_name know it
//        label   how an error calls one
//        type    its mjtObj
//        count   of the model
//        names   NAMED(field): where the name of each begins; UNNAMED
//   CR_PART(rows, kind, first, n)   rows of another count that belong to object i: n of them from `first`, m the
//        model; so qpos[elbow] are numbers of a joint
#ifndef CR_OBJECT
#define CR_OBJECT(kind, label, type, count, names)
#endif
#ifndef CR_PART
#define CR_PART(rows, kind, first, n)
#endif
// clang-format off

CR_OBJECT(body,     "body",                CR_OBJ_BODY,     nbody,     NAMED(name_bodyadr))
CR_OBJECT(joint,    "joint",               CR_OBJ_JOINT,    njnt,      NAMED(name_jntadr))
CR_OBJECT(dof,      "dof",                 CR_OBJ_DOF,      nv,        UNNAMED)
CR_OBJECT(geom,     "geom",                CR_OBJ_GEOM,     ngeom,     NAMED(name_geomadr))
CR_OBJECT(site,     "site",                CR_OBJ_SITE,     nsite,     NAMED(name_siteadr))
CR_OBJECT(mesh,     "mesh",                CR_OBJ_MESH,     nmesh,     UNNAMED)
CR_OBJECT(hfield,   "height field",        CR_OBJ_HFIELD,   nhfield,   UNNAMED)
CR_OBJECT(pair,     "pair",                CR_OBJ_PAIR,     npair,     NAMED(name_pairadr))
CR_OBJECT(equality, "equality constraint", CR_OBJ_EQUALITY, neq,       NAMED(name_eqadr))
CR_OBJECT(tendon,   "tendon",              CR_OBJ_TENDON,   ntendon,   NAMED(name_tendonadr))
CR_OBJECT(actuator, "actuator",            CR_OBJ_ACTUATOR, nactuator, NAMED(name_actuatoradr))
CR_OBJECT(sensor,   "sensor",              CR_OBJ_SENSOR,   nsensor,   NAMED(name_sensoradr))
CR_OBJECT(keyframe, "keyframe",            CR_OBJ_KEY,      nkey,      NAMED(name_keyadr))

CR_PART(nq,          joint,    m->jnt_qposadr[i],      cri_joint_numbers(m->jnt_type[i]))
CR_PART(nv,          joint,    m->jnt_dofadr[i],       cri_joint_dofs(m->jnt_type[i]))
CR_PART(nu,          actuator, m->actuator_ctrladr[i], m->actuator_ctrlnum[i])
CR_PART(nout,        actuator, m->actuator_outadr[i],  m->actuator_outnum[i])
CR_PART(na,          actuator, m->actuator_actadr[i],  m->actuator_actnum[i])
CR_PART(nmocap,      body,     m->body_mocapid[i],     m->body_mocapid[i] >= 0)
CR_PART(nsensordata, sensor,   m->sensor_adr[i],       m->sensor_dim[i])

// clang-format on
#undef CR_OBJECT
#undef CR_PART
