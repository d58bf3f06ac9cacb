// SPDX-License-Identifier: Apache-2.0
// The field table of cr_model, no include guard: define the macros you want, include it.
// Allocation, copies, the binary file, parameter twins, the name resolver, checks and
// docs/fields.md come from it. Names, shapes, units and frames are MuJoCo's.
//
//   CR_SIZE (name, text)                                          a count
//   CR_OPT_I(name, range, text)                                   an integer option
//   CR_OPT_R(name, range, unit, text)                             a real option
//   CR_INT  (name, rows, width, range, text)                      int32 array
//   CR_CHAR (name, rows, text)                                    text, 0-terminated pieces
//   CR_CONST(name, rows, width, range, unit, frame, text)         real array, no derivative
//   CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) real array that may be a parameter;
//        its tangent has `tangent` numbers a row: width, or 3 for quaternions (body perturbation)
//
// `range` is what each number may be; model/model_check.c refuses others before anything reads them.
//   integers   INDEX(n)          a row of what n counts        INDEX_OR_NONE(n)  the same, or -1
//              COUNT(n)          0 to n                        START(n)          -1 to n: where rows begin
//              RANGE(low, high)  a choice                      ANY               bits, or a plain number
//              OR_ADDED(low, high)  a choice, or one of the laws that were added to the model
//              BY_TYPE           an index into what another field names: checked by code in model/model_check.c
//   reals      ANY               finite                        NOT_NEGATIVE      0 or more
//              LENGTH            not beyond 1e10 m             EXTENT            0 to 1e10 m
//   options    ANY               finite                        POSITIVE          above 0
//              BETWEEN(low, high)                              COUNTED           0 or more
//              CHOICE(words)     one of the words, or          FLAGS(words)      bits, of those of
//                                                              model/model_options.c
//              BITS              any                           CHOICE_OR_ADDED(words)  or one of the contact
//                                                              models that were added to the model
//
// `bends` is where the step has no derivative over an entry, so that differences cannot be compared with it:
//   NOWHERE           an entry is a number as any other
//   AT_ZERO           a slope on each side of zero
//   FLOORED           the same, and from zero an entry moves up only, from some least value
//   BY(law)           cri_bends_<law> of rollout/parameter_bends.c says
#ifndef CR_SIZE
#define CR_SIZE(name, text)
#endif
#ifndef CR_OPT_I
#define CR_OPT_I(name, range, text)
#endif
#ifndef CR_OPT_R
#define CR_OPT_R(name, range, unit, text)
#endif
#ifndef CR_INT
#define CR_INT(name, rows, width, range, text)
#endif
#ifndef CR_CHAR
#define CR_CHAR(name, rows, text)
#endif
#ifndef CR_CONST
#define CR_CONST(name, rows, width, range, unit, frame, text)
#endif
#ifndef CR_PARAM
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text)
#endif
// clang-format off

// ---- counts
CR_SIZE(nq,        "generalized coordinates, length of qpos")
CR_SIZE(nv,        "degrees of freedom, length of qvel")
CR_SIZE(nu,        "controls, length of ctrl")
CR_SIZE(na,        "activations, length of act")
CR_SIZE(nbody,     "bodies, the world included")
CR_SIZE(njnt,      "joints")
CR_SIZE(ntree,     "kinematic trees")
CR_SIZE(ngeom,     "geoms")
CR_SIZE(nsite,     "sites")
CR_SIZE(nC,        "non-zeros of the lower triangle of M")
CR_SIZE(nactuator, "actuators")
CR_SIZE(nout,      "actuator force outputs")
CR_SIZE(npair,     "explicit contact pairs")
CR_SIZE(nexclude,  "excluded body pairs")
CR_SIZE(neq,       "equality constraints")
CR_SIZE(nmocap,    "mocap bodies")
CR_SIZE(nkey,      "keyframes")
CR_SIZE(nkeymocap, "mocap bodies of all keyframes")
CR_SIZE(nmesh,     "meshes")
CR_SIZE(nmeshvert, "vertices of all meshes")
CR_SIZE(nmeshgraph, "integers of all hull graphs")
CR_SIZE(nmeshpoly, "polygons of all hulls")
CR_SIZE(nmeshpolyvert, "corners of all polygons")
CR_SIZE(nmeshpolymap, "polygons of all vertices")
CR_SIZE(nmeshface, "triangles of all meshes, as drawn")
CR_SIZE(npressurevert, "vertices of all pressure fields")
CR_SIZE(npressuretet, "elements of all pressure fields: tetrahedra of compliant bodies, triangles of rigid ones")
CR_SIZE(nhfield,   "height fields")
CR_SIZE(nhfielddata, "heights of all height fields")
CR_SIZE(ntendon,   "tendons")
CR_SIZE(nwrap,     "elements of all tendon paths")
CR_SIZE(nJten,     "non-zeros of the tendon Jacobian")
CR_SIZE(nsensor,   "sensors")
CR_SIZE(nsensordata, "numbers of all sensors")
CR_SIZE(npluginstate, "numbers in the state of added stages")
CR_SIZE(npluginparam, "parameters of added stages")
CR_SIZE(nnames,    "bytes of all names")
CR_SIZE(none,      "one: rows of fields of the whole model")

// ---- options
CR_OPT_R(timestep,  POSITIVE, "s", "time step")
CR_OPT_R(impratio,  POSITIVE, "1", "ratio of friction to normal contact impedance")
CR_OPT_R(tolerance, ANY, "1", "Newton stops when the gradient norm is below this share of the force scale; 0 iterates to round-off")
CR_OPT_I(integrator,   CHOICE(integrators), "mjtIntegrator: 0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete")
CR_OPT_I(cone,         CHOICE(cones), "mjtCone: 0 pyramidal, 1 elliptic")
CR_OPT_I(contact_model, CHOICE_OR_ADDED(contact_models), "law that turns rows into forces: 0 convex, 1 hunt_crossley, 2 ncp, 16 and above: contact models added to the model")
CR_OPT_I(ncp_sweeps, COUNTED, "contact model ncp: most sweeps of projected Gauss-Seidel before Newton's method")
CR_OPT_I(friction_law, CHOICE(friction_laws), "contact model hunt_crossley: friction over slip velocity: 0 coulomb, 1 andersson, 2 hollars, 3 brown")
CR_OPT_I(iterations,   BITS, "most Newton iterations before the solve counts as failed")
CR_OPT_I(disableflags, FLAGS(disables), "mjtDisableBit flags")
CR_OPT_I(enableflags,  FLAGS(enables), "mjtEnableBit flags")
CR_OPT_I(disableactuator, BITS, "actuator groups that are switched off, one bit a group")
CR_OPT_R(muscle_smooth, BETWEEN(0, CR_MAX_MUSCLE_SMOOTH), "1", "muscles: width over which smooth surrogates round the kinks; 0 MuJoCo's curves")
CR_OPT_I(collision,    CHOICE(collisions), "collision detection: 0 hard, 1 soft (the published formulas), 2 smooth")
CR_OPT_R(softness,  ANY, "1", "soft and smooth collision detection: how far choices are smeared out")
CR_OPT_I(cfd,          CHOICE(switches), "contacts from distance: 1 on; used by the backward pass only")
CR_OPT_R(cfd_dc,    ANY, "1", "contacts from distance: impedance at the end of the reach")
CR_OPT_R(cfd_d0,    ANY, "1", "contacts from distance: impedance at distance 0+")
CR_OPT_R(cfd_wc,    ANY, "m", "contacts from distance: reach of pairs that have none of their own")
CR_OPT_R(cfd_mc,    ANY, "1", "contacts from distance: midpoint of the impedance curve")
CR_OPT_R(cfd_pc,    ANY, "1", "contacts from distance: power of the impedance curve")
CR_OPT_R(cfd_scale, ANY, "m", "contacts from distance: length over which softplus rounds min(r, 0), for a reach of cfd_wc; others in proportion")

// ---- whole model
CR_PARAM(gravity,          none, 3, 3, ANY, NOWHERE, "m/s^2", "world", "gravitational acceleration")
CR_PARAM(density,          none, 1, 1, NOT_NEGATIVE, NOWHERE, "kg/m^3", "-", "density of the medium")
CR_PARAM(viscosity,        none, 1, 1, NOT_NEGATIVE, NOWHERE, "kg/(m s)", "-", "viscosity of the medium")
CR_PARAM(wind,             none, 3, 3, ANY, NOWHERE, "m/s", "world", "velocity of the medium")
CR_PARAM(magnetic,         none, 3, 3, ANY, NOWHERE, "-", "world", "magnetic flux, what magnetometers read")
CR_PARAM(ncp_baumgarte,    none, 1, 1, NOT_NEGATIVE, NOWHERE, "1", "-", "contact model ncp: share of a penetration that one step takes back")
CR_PARAM(ncp_cfm,          none, 1, 1, NOT_NEGATIVE, NOWHERE, "s/kg", "-", "contact model ncp: constraint force mixing, velocity at which a contact gives way to a force of 1 N (above 0)")
CR_PARAM(o_margin,         none, 1, 1, ANY, NOWHERE, "m", "-", "override: margin of every contact")
CR_PARAM(o_solref,         none, 2, 2, ANY, NOWHERE, "s|1", "-", "override: solver reference of every contact, normal and friction")
CR_PARAM(o_solimp,         none, 5, 5, ANY, NOWHERE, "1", "-", "override: solver impedance of every contact")
CR_PARAM(o_friction,       none, 5, 5, NOT_NEGATIVE, NOWHERE, "1|m", "-", "override: friction of every contact: two tangents, spin, two rolls")
CR_CONST(qpos0,            nq, 1, ANY, "m|rad", "-", "coordinates of the reference pose")
CR_PARAM(qpos_spring,      nq, 1, 1, ANY, BY(rest), "m|rad", "-", "rest coordinates of joint springs (ball and free joints: a quaternion, no derivative)")

// ---- bodies
CR_INT  (body_parentid,    nbody, 1, INDEX(nbody), "parent body")
CR_INT  (body_rootid,      nbody, 1, INDEX(nbody), "ancestor that is a child of the world")
CR_INT  (body_weldid,      nbody, 1, INDEX(nbody), "topmost body to which it is welded")
CR_INT  (body_mocapid,     nbody, 1, INDEX_OR_NONE(nmocap), "mocap id, -1 none")
CR_INT  (body_jntnum,      nbody, 1, COUNT(njnt), "number of joints")
CR_INT  (body_jntadr,      nbody, 1, INDEX_OR_NONE(njnt), "first joint, -1 none")
CR_INT  (body_dofnum,      nbody, 1, RANGE(0, 6), "number of dofs")
CR_INT  (body_dofadr,      nbody, 1, INDEX_OR_NONE(nv), "first dof, -1 none")
CR_INT  (body_treeid,      nbody, 1, INDEX_OR_NONE(ntree), "kinematic tree, -1 static")
CR_INT  (body_simple,      nbody, 1, RANGE(0, 2), "2: slides along principal axes only; decides how invweight0 is derived")
CR_INT  (body_geomnum,     nbody, 1, COUNT(ngeom), "number of geoms")
CR_INT  (body_geomadr,     nbody, 1, INDEX_OR_NONE(ngeom), "first geom, -1 none")
CR_PARAM(body_pos,         nbody, 3, 3, LENGTH, NOWHERE, "m", "parent", "position in the parent's frame")
CR_PARAM(body_quat,        nbody, 4, 3, ANY, NOWHERE, "1", "parent", "orientation in the parent's frame")
CR_PARAM(body_ipos,        nbody, 3, 3, LENGTH, NOWHERE, "m", "body", "centre of mass")
CR_PARAM(body_iquat,       nbody, 4, 3, ANY, NOWHERE, "1", "body", "orientation of the principal axes of inertia")
CR_PARAM(body_mass,        nbody, 1, 1, NOT_NEGATIVE, NOWHERE, "kg", "-", "mass")
CR_PARAM(body_inertia,     nbody, 3, 3, NOT_NEGATIVE, BY(box), "kg m^2", "inertial", "principal moments of inertia")
CR_PARAM(body_invweight0,  nbody, 2, 2, NOT_NEGATIVE, FLOORED, "1/kg|1/(kg m^2)", "-", "mean inverse inertia in qpos0, translation and rotation (derived)")
CR_PARAM(body_gravcomp,    nbody, 1, 1, ANY, NOWHERE, "1", "-", "gravity compensation, in units of body weight")

// ---- joints and dofs
CR_INT  (jnt_type,         njnt, 1, RANGE(CR_JNT_FREE, CR_JNT_HINGE), "mjtJoint: 0 free, 1 ball, 2 slide, 3 hinge")
CR_INT  (jnt_qposadr,      njnt, 1, INDEX(nq), "first coordinate in qpos")
CR_INT  (jnt_dofadr,       njnt, 1, INDEX(nv), "first dof in qvel")
CR_INT  (jnt_bodyid,       njnt, 1, INDEX(nbody), "body")
CR_INT  (jnt_limited,      njnt, 1, RANGE(0, 1), "has limits")
CR_INT  (jnt_actfrclimited, njnt, 1, RANGE(0, 1), "total actuator force is limited")
CR_INT  (jnt_actgravcomp,  njnt, 1, RANGE(0, 1), "gravity compensation counts as actuator force")
CR_PARAM(jnt_solref,       njnt, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference of the limit")
CR_PARAM(jnt_solimp,       njnt, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance of the limit")
CR_PARAM(jnt_pos,          njnt, 3, 3, LENGTH, NOWHERE, "m", "body", "anchor")
CR_PARAM(jnt_axis,         njnt, 3, 3, ANY, NOWHERE, "1", "body", "axis, unit length")
CR_PARAM(jnt_stiffness,    njnt, 1, 1, ANY, BY(spring), "N/m|N m/rad", "-", "spring stiffness")
CR_PARAM(jnt_stiffnesspoly, njnt, 2, 2, ANY, BY(spring), "N/m^2|N/m^3|N m", "-", "spring: stiffness added by the first and second power of the displacement")
CR_PARAM(jnt_range,        njnt, 2, 2, ANY, NOWHERE, "m|rad", "-", "limits")
CR_PARAM(jnt_actfrcrange,  njnt, 2, 2, ANY, NOWHERE, "N|N m", "-", "range of the total actuator force")
CR_PARAM(jnt_margin,       njnt, 1, 1, ANY, NOWHERE, "m|rad", "-", "distance at which a limit becomes active")
CR_INT  (dof_bodyid,       nv, 1, INDEX(nbody), "body")
CR_INT  (dof_jntid,        nv, 1, INDEX(njnt), "joint")
CR_INT  (dof_parentid,     nv, 1, INDEX_OR_NONE(nv), "parent dof, -1 none")
CR_INT  (dof_treeid,       nv, 1, INDEX(ntree), "kinematic tree")
CR_PARAM(dof_solref,       nv, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference of friction loss")
CR_PARAM(dof_solimp,       nv, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance of friction loss")
CR_PARAM(dof_frictionloss, nv, 1, 1, NOT_NEGATIVE, AT_ZERO, "N|N m", "-", "dry friction")
CR_PARAM(dof_armature,     nv, 1, 1, NOT_NEGATIVE, NOWHERE, "kg|kg m^2", "-", "inertia added to the diagonal of M")
CR_PARAM(dof_damping,      nv, 1, 1, NOT_NEGATIVE, BY(damper), "N s/m|N m s/rad", "-", "viscous damping")
CR_PARAM(dof_dampingpoly,  nv, 2, 2, ANY, BY(damper), "N s^2/m^2|N s^3/m^3|N m", "-", "damping: coefficients of v |v| and v^3")
CR_PARAM(dof_invweight0,   nv, 1, 1, NOT_NEGATIVE, FLOORED, "1/kg|1/(kg m^2)", "-", "inverse inertia in qpos0 (derived)")
CR_INT  (tree_dofadr,      ntree, 1, INDEX(nv), "first dof of the tree")
CR_INT  (tree_dofnum,      ntree, 1, COUNT(nv), "number of dofs of the tree")
CR_INT  (M_rownnz,         nv, 1, COUNT(nv), "non-zeros in each row of M's lower triangle, diagonal last")
CR_INT  (M_rowadr,         nv, 1, INDEX(nC), "first non-zero of each row")
CR_INT  (M_colind,         nC, 1, INDEX(nv), "column of each non-zero")

// ---- geoms and sites
CR_INT  (geom_type,        ngeom, 1, RANGE(CR_GEOM_PLANE, CR_N_GEOM_TYPE - 1), "mjtGeom: 0 plane, 1 height field, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh")
CR_INT  (geom_contype,     ngeom, 1, ANY, "contact type bits")
CR_INT  (geom_conaffinity, ngeom, 1, ANY, "contact affinity bits")
CR_INT  (geom_condim,      ngeom, 1, RANGE(1, 6), "contact dimension")
CR_INT  (geom_bodyid,      ngeom, 1, INDEX(nbody), "body")
CR_INT  (geom_priority,    ngeom, 1, ANY, "contact priority")
CR_PARAM(geom_solmix,      ngeom, 1, 1, NOT_NEGATIVE, AT_ZERO, "1", "-", "weight when solref and solimp of two geoms are mixed")
CR_PARAM(geom_solref,      ngeom, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference")
CR_PARAM(geom_solimp,      ngeom, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance")
CR_PARAM(geom_size,        ngeom, 3, 3, EXTENT, NOWHERE, "m", "geom", "half sizes, radius, half length")
CR_CONST(geom_rbound,      ngeom, 1, EXTENT, "m", "-", "radius of the bounding sphere, 0 plane (derived)")
CR_PARAM(geom_pos,         ngeom, 3, 3, LENGTH, NOWHERE, "m", "body", "position")
CR_PARAM(geom_quat,        ngeom, 4, 3, ANY, NOWHERE, "1", "body", "orientation")
CR_PARAM(geom_friction,    ngeom, 3, 3, NOT_NEGATIVE, NOWHERE, "1|m", "-", "sliding, torsional, rolling friction")
CR_PARAM(geom_hunt_crossley, ngeom, 5, 5, NOT_NEGATIVE, NOWHERE, "N/m^n|N s/m^(n+1)|1|m/s|1", "-", "contact model hunt_crossley: stiffness, damping, exponent n (1 or more), transition velocity (above 0), static over sliding friction")
CR_INT  (geom_pressure_kind, ngeom, 1, RANGE(CR_PRESSURE_NONE, CR_PRESSURE_COMPLIANT), "pressure field: 0 none, 1 rigid, 2 compliant")
CR_PARAM(geom_pressure,    ngeom, 4, 4, NOT_NEGATIVE, NOWHERE, "Pa|s/m|m/s|m", "-", "pressure field: modulus (above 0 if compliant), dissipation, transition velocity of friction (above 0), thickness of a compliant half-space (above 0)")
CR_PARAM(geom_adhesion,    ngeom, 1, 1, ANY, NOWHERE, "N", "-", "force with which contacts pull; 0: they do not")
CR_PARAM(geom_surfacevel,  ngeom, 6, 6, ANY, NOWHERE, "m/s|rad/s", "geom", "velocity of the surface against the geom, linear then angular")
CR_PARAM(geom_fluid,       ngeom, 12, 12, ANY, BY(fluid), "-|m^3|kg m^2", "geom", "fluid: ellipsoid model on (0 or 1), blunt drag, slender drag, angular drag, Kutta lift, Magnus lift, virtual mass, virtual inertia per unit density (the latter two derived)")
CR_PARAM(geom_margin,      ngeom, 1, 1, ANY, NOWHERE, "m", "-", "distance below which a contact makes a force")
CR_CONST(geom_gap,         ngeom, 1, ANY, "m", "-", "added to the margin: distance below which a contact is listed")
CR_CONST(geom_cfd,         ngeom, 1, NOT_NEGATIVE, "m", "-", "contacts from distance: reach of contacts with this geom (the larger of two), 0: cfd_wc")
CR_INT  (site_bodyid,      nsite, 1, INDEX(nbody), "body")
CR_INT  (site_type,        nsite, 1, RANGE(CR_GEOM_PLANE, CR_N_GEOM_TYPE - 1), "shape, a mjtGeom: the zone of touch and insidesite sensors")
CR_CONST(site_size,        nsite, 3, EXTENT, "m", "site", "half sizes, radius, half length")
CR_PARAM(site_pos,         nsite, 3, 3, LENGTH, NOWHERE, "m", "body", "position")
CR_PARAM(site_quat,        nsite, 4, 3, ANY, NOWHERE, "1", "body", "orientation")

// ---- pressure fields (carom/contact.h)
CR_INT  (geom_pressure_vertadr, ngeom, 1, START(npressurevert), "first vertex of the pressure field, -1 none")
CR_INT  (geom_pressure_vertnum, ngeom, 1, COUNT(npressurevert), "number of its vertices")
CR_INT  (geom_pressure_tetadr, ngeom, 1, START(npressuretet), "first element of the pressure field, -1 none")
CR_INT  (geom_pressure_tetnum, ngeom, 1, COUNT(npressuretet), "number of its elements")
CR_CONST(pressure_rest,    npressurevert, 3, LENGTH, "m", "geom", "vertices are affine in geom_size: where they are at sizes of 0")
CR_CONST(pressure_place,   npressurevert, 9, ANY, "1", "geom", "their matrices, which multiply geom_size")
CR_CONST(pressure_level,   npressurevert, 1, NOT_NEGATIVE, "1", "-", "pressure at the vertex over the modulus: 0 on the surface, 1 where it is largest")
CR_INT  (pressure_tet,     npressuretet, 4, INDEX_OR_NONE(npressurevert), "vertices of the tetrahedron; of a triangle, counter-clockwise from outside, and -1")
CR_CONST(pressure_bound,   npressuretet, 24, ANY, "m|1", "geom", "least and greatest pressure_rest and pressure_place: row 0 of a geom of all its vertices, row k of the node of its tree whose middle is element k")

// ---- meshes and height fields
CR_INT  (geom_dataid,      ngeom, 1, BY_TYPE, "mesh or height field, -1 none")
CR_INT  (mesh_vertadr,     nmesh, 1, INDEX(nmeshvert), "first vertex")
CR_INT  (mesh_vertnum,     nmesh, 1, COUNT(nmeshvert), "number of vertices")
CR_INT  (mesh_graphadr,    nmesh, 1, INDEX_OR_NONE(nmeshgraph), "first integer of the hull graph, -1 none")
CR_INT  (mesh_polynum,     nmesh, 1, COUNT(nmeshpoly), "number of polygons")
CR_INT  (mesh_polyadr,     nmesh, 1, START(nmeshpoly), "first polygon")
CR_CONST(mesh_vert,        nmeshvert, 3, LENGTH, "m", "geom", "vertices")
CR_CONST(mesh_box,         nmesh, 6, ANY, "m", "geom", "box about the vertices: centre, half sizes (derived)")
CR_CONST(mesh_width,       nmesh, 1, NOT_NEGATIVE, "m", "-", "distance of the nearest polygon from the origin, 0 where that is outside (derived)")
CR_INT  (mesh_start,       nmesh, 27, INDEX(nmeshvert), "of the hull graph the vertex farthest towards each part of a box (part + 13), where searches begin (derived)")
CR_INT  (mesh_graph,       nmeshgraph, 1, BY_TYPE, "hull graphs: number of vertices, of faces, first edge of each vertex, vertex ids, neighbours with -1 after each vertex, faces")
CR_CONST(mesh_polynormal,  nmeshpoly, 3, ANY, "1", "geom", "outward normals of the polygons")
CR_INT  (mesh_polyvertadr, nmeshpoly, 1, START(nmeshpolyvert), "first corner of the polygon")
CR_INT  (mesh_polyvertnum, nmeshpoly, 1, COUNT(nmeshpolyvert), "number of corners of the polygon")
CR_INT  (mesh_polyvert,    nmeshpolyvert, 1, INDEX(nmeshvert), "corners of the polygons: vertices of their mesh")
CR_INT  (mesh_polymapadr,  nmeshvert, 1, START(nmeshpolymap), "first polygon of the vertex")
CR_INT  (mesh_polymapnum,  nmeshvert, 1, COUNT(nmeshpolymap), "number of polygons of the vertex")
CR_INT  (mesh_polymap,     nmeshpolymap, 1, INDEX(nmeshpoly), "polygons of the vertices: polygons of their mesh")
CR_INT  (hfield_nrow,      nhfield, 1, RANGE(2, CR_MAX_GRID / 2), "rows of the grid, along y")
CR_INT  (hfield_ncol,      nhfield, 1, RANGE(2, CR_MAX_GRID / 2), "columns of the grid, along x")
CR_INT  (hfield_adr,       nhfield, 1, INDEX(nhfielddata), "first height")
CR_PARAM(hfield_size,      nhfield, 4, 4, EXTENT, NOWHERE, "m", "geom", "half size along x and y, height of 1, depth of the base")
CR_PARAM(hfield_data,      nhfielddata, 1, 1, LENGTH, NOWHERE, "1", "-", "heights, from 0 to 1, row by row")

// ---- appearance, which no stage reads
CR_INT  (geom_group,       ngeom, 1, ANY, "group of geoms that viewers show or hide together")
CR_CONST(geom_rgba,        ngeom, 4, ANY, "1", "-", "colour and opacity, 0 to 1; those of the material where the geom has none of its own")
CR_CONST(site_rgba,        nsite, 4, ANY, "1", "-", "colour and opacity, as of geoms")
CR_CONST(tendon_rgba,      ntendon, 4, ANY, "1", "-", "colour and opacity, as of geoms")
CR_CONST(tendon_width,     ntendon, 1, NOT_NEGATIVE, "m", "-", "radius of the tendon as drawn")
CR_INT  (mesh_faceadr,     nmesh, 1, START(nmeshface), "first triangle as drawn")
CR_INT  (mesh_facenum,     nmesh, 1, COUNT(nmeshface), "number of triangles as drawn, 0 where only the hull is kept")
CR_INT  (mesh_face,        nmeshface, 3, INDEX(nmeshvert), "corners of the triangles: vertices of their mesh")

// ---- explicit pairs and excludes
CR_INT  (pair_dim,         npair, 1, RANGE(1, 6), "contact dimension")
CR_INT  (pair_geom1,       npair, 1, INDEX(ngeom), "first geom")
CR_INT  (pair_geom2,       npair, 1, INDEX(ngeom), "second geom")
CR_PARAM(pair_solref,      npair, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference, normal")
CR_PARAM(pair_solreffriction, npair, 2, 2, ANY, BY(friction_reference), "s|1", "-", "solver reference, friction")
CR_PARAM(pair_solimp,      npair, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance")
CR_PARAM(pair_margin,      npair, 1, 1, ANY, NOWHERE, "m", "-", "margin")
CR_PARAM(pair_adhesion,    npair, 1, 1, ANY, NOWHERE, "N", "-", "force with which contacts pull; 0: they do not")
CR_CONST(pair_gap,         npair, 1, ANY, "m", "-", "gap")
CR_CONST(pair_cfd,         npair, 1, NOT_NEGATIVE, "m", "-", "contacts from distance: reach, 0: cfd_wc")
CR_PARAM(pair_friction,    npair, 5, 5, NOT_NEGATIVE, NOWHERE, "1|m", "-", "friction: two tangents, spin, two rolls")
CR_INT  (exclude_body,     nexclude, 2, INDEX(nbody), "the two bodies, ascending")

// ---- equality constraints
CR_INT  (eq_type,          neq, 1, RANGE(0, CR_EQ_HIGHEST), "mjtEq: 0 connect, 1 weld, 2 joint, 3 tendon")
CR_INT  (eq_obj1id,        neq, 1, BY_TYPE, "first body, site, joint or tendon")
CR_INT  (eq_obj2id,        neq, 1, BY_TYPE, "second one; -1: a joint or tendon alone")
CR_INT  (eq_objtype,       neq, 1, RANGE(0, CR_OBJ_HIGHEST), "mjtObj of connect and weld: 1 bodies, 6 sites")
CR_INT  (eq_active0,       neq, 1, RANGE(0, 1), "is on at reset")
CR_PARAM(eq_solref,        neq, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference")
CR_PARAM(eq_solimp,        neq, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance")
CR_PARAM(eq_data,          neq, 12, 12, ANY, NOWHERE, "-", "-", "connect: two anchors; weld: anchor in body 2, in body 1, relative quaternion (four plain numbers, not kept at unit length), torque scale, whether the pose is that of qpos0; joint, tendon: five coefficients. The second anchor of a connect between bodies, and the pose of such a weld, are derived")

// ---- tendons
CR_INT  (tendon_adr,       ntendon, 1, INDEX(nwrap), "first path element")
CR_INT  (tendon_num,       ntendon, 1, COUNT(nwrap), "number of path elements")
CR_INT  (ten_J_rownnz,     ntendon, 1, COUNT(nv), "non-zeros of each row of the tendon Jacobian")
CR_INT  (ten_J_rowadr,     ntendon, 1, START(nJten), "first non-zero of each row")
CR_INT  (ten_J_colind,     nJten, 1, INDEX(nv), "column of each non-zero")
CR_INT  (tendon_actfrclimited, ntendon, 1, RANGE(0, 1), "total actuator force is limited")
CR_INT  (wrap_type,        nwrap, 1, RANGE(CR_WRAP_JOINT, CR_WRAP_CYLINDER), "mjtWrap: 1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder")
CR_INT  (wrap_objid,       nwrap, 1, BY_TYPE, "joint, site or geom; -1 for a pulley")
CR_PARAM(wrap_prm,         nwrap, 1, 1, ANY, NOWHERE, "1", "-", "joint: coefficient; pulley: divisor; sphere, cylinder: side site, -1 none (no derivative)")
CR_PARAM(tendon_actfrcrange, ntendon, 2, 2, ANY, NOWHERE, "N|N m", "-", "range of the total actuator force")
CR_INT  (tendon_limited,   ntendon, 1, RANGE(0, 1), "length is limited")
CR_PARAM(tendon_range,     ntendon, 2, 2, ANY, NOWHERE, "m|rad", "-", "limits of the length")
CR_PARAM(tendon_margin,    ntendon, 1, 1, ANY, NOWHERE, "m|rad", "-", "distance at which a limit becomes active")
CR_PARAM(tendon_solref_lim, ntendon, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference of the limit")
CR_PARAM(tendon_solimp_lim, ntendon, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance of the limit")
CR_PARAM(tendon_solref_fri, ntendon, 2, 2, ANY, NOWHERE, "s|1", "-", "solver reference of friction loss")
CR_PARAM(tendon_solimp_fri, ntendon, 5, 5, ANY, NOWHERE, "1", "-", "solver impedance of friction loss")
CR_PARAM(tendon_frictionloss, ntendon, 1, 1, NOT_NEGATIVE, AT_ZERO, "N|N m", "-", "dry friction")
CR_PARAM(tendon_length0,   ntendon, 1, 1, ANY, NOWHERE, "m|rad", "-", "length in qpos0 (derived)")
CR_PARAM(tendon_invweight0, ntendon, 1, 1, NOT_NEGATIVE, FLOORED, "1/kg|1/(kg m^2)", "-", "inverse inertia in qpos0 (derived)")
CR_PARAM(tendon_stiffness, ntendon, 1, 1, ANY, BY(spring), "N/m|N m/rad", "-", "spring stiffness")
CR_PARAM(tendon_stiffnesspoly, ntendon, 2, 2, ANY, BY(spring), "-", "-", "stiffness of second and third order")
CR_INT  (tendon_inertial,  ntendon, 1, RANGE(0, 1), "armature counts: set where the tendon, or an actuator on it, has some")
CR_PARAM(tendon_armature,  ntendon, 1, 1, NOT_NEGATIVE, BY(tendon_inertia), "kg|kg m^2", "-", "inertia against changes of length; only where tendon_inertial")
CR_PARAM(tendon_damping,   ntendon, 1, 1, ANY, BY(damper), "N s/m|N m s/rad", "-", "viscous damping")
CR_PARAM(tendon_dampingpoly, ntendon, 2, 2, ANY, BY(damper), "-", "-", "damping of second and third order")
CR_PARAM(tendon_lengthspring, ntendon, 2, 2, ANY, NOWHERE, "m|rad", "-", "lengths between which the spring is slack")

// ---- actuators
CR_INT  (actuator_trntype, nactuator, 1, RANGE(CR_TRN_JOINT, CR_TRN_SO3), "mjtTrn: 0 joint, 1 joint in parent, 2 slider-crank, 3 tendon, 4 site, 5 body, 6 orientation")
CR_INT  (actuator_dyntype, nactuator, 1, RANGE(CR_DYN_NONE, CR_DYN_PID), "mjtDyn: 0 none, 1 integrator, 2 filter, 3 filterexact, 4 muscle, 5 DC motor, 6 PID")
CR_INT  (actuator_gaintype, nactuator, 1, OR_ADDED(CR_GAIN_FIXED, CR_GAIN_PID), "mjtGain: 0 fixed, 1 affine, 2 muscle, 3 DC motor, 4 orientation, 5 PID, 6 and on: laws added to the model")
CR_INT  (actuator_biastype, nactuator, 1, OR_ADDED(CR_BIAS_NONE, CR_BIAS_SO3), "mjtBias: 0 none, 1 affine, 2 muscle, 3 DC motor, 4 orientation, 5 and on: laws added to the model")
CR_INT  (actuator_trnid,   nactuator, 2, BY_TYPE, "joint, tendon, site, body, or pin of the crank; reference site (-1 none), or slider")
CR_INT  (actuator_ctrladr, nactuator, 1, START(nu), "first control")
CR_INT  (actuator_ctrlnum, nactuator, 1, COUNT(nu), "number of controls")
CR_INT  (actuator_ctrlspec, nactuator, 1, ANY, "which inputs: PID, DC motor: bits 1 position, 2 velocity, 4 feedforward, 8 voltage; orientation: 1 rotation vector, 2 quaternion")
CR_INT  (actuator_outnum,  nactuator, 1, COUNT(nout), "number of force outputs")
CR_INT  (actuator_outadr,  nactuator, 1, INDEX(nout), "first force output")
CR_INT  (actuator_actadr,  nactuator, 1, INDEX_OR_NONE(na), "first activation, -1 none")
CR_INT  (actuator_actnum,  nactuator, 1, COUNT(na), "number of activations")
CR_INT  (actuator_actlimited, nactuator, 1, RANGE(0, 1), "activation is limited")
CR_INT  (actuator_actearly, nactuator, 1, RANGE(0, 1), "the force uses the activation of the next step")
CR_INT  (actuator_group,   nactuator, 1, ANY, "group")
CR_INT  (actuator_forcelimited, nactuator, 1, RANGE(0, 1), "force is limited")
CR_INT  (actuator_ctrllimited, nu, 1, RANGE(0, 1), "control is limited")
CR_PARAM(actuator_dynprm,  nactuator, 10, 10, ANY, BY(dynamics), "-", "-", "dynamics parameters")
CR_PARAM(actuator_gainprm, nactuator, 10, 10, ANY, BY(gain), "-", "-", "gain parameters")
CR_PARAM(actuator_biasprm, nactuator, 10, 10, ANY, BY(spring), "-", "-", "bias parameters")
CR_PARAM(actuator_actrange, nactuator, 2, 2, ANY, NOWHERE, "-", "-", "range of the activation")
CR_PARAM(actuator_forcerange, nactuator, 2, 2, ANY, NOWHERE, "N|N m", "-", "range of the force")
CR_PARAM(actuator_ctrlrange, nu, 2, 2, ANY, NOWHERE, "-", "-", "range of the control")
CR_PARAM(actuator_cranklength, nactuator, 1, 1, ANY, NOWHERE, "m", "-", "slider-crank: length of the rod")
CR_PARAM(actuator_damping, nactuator, 1, 1, ANY, BY(damper), "N s/m|N m s/rad", "-", "damping added to the joint or tendon, times gear^2")
CR_PARAM(actuator_dampingpoly, nactuator, 2, 2, ANY, BY(damper), "N s^2/m^2|N s^3/m^3|N m", "-", "coefficients of v |v| and v^3 added to the joint or tendon, times gear^2")
CR_PARAM(actuator_armature, nactuator, 1, 1, ANY, BY(actuator_inertia), "kg|kg m^2", "-", "armature added to the joint or tendon, times gear^2")
CR_PARAM(actuator_gear,    nout, 6, 6, ANY, BY(gear), "-", "-", "scale of length and force")
CR_PARAM(actuator_acc0,    nout, 1, 1, ANY, NOWHERE, "1/kg|1/(kg m^2)", "-", "norm of the acceleration that a unit force gives in qpos0 (derived)")
CR_PARAM(actuator_lengthrange, nout, 2, 2, ANY, NOWHERE, "m|rad", "-", "range of the length, as compiled")

// ---- sensors
CR_INT  (sensor_type,      nsensor, 1, RANGE(0, CR_N_SENSOR_TYPE - 1), "mjtSensor, see model/sensor_types.h")
CR_INT  (sensor_datatype,  nsensor, 1, RANGE(0, 3), "mjtDataType: 0 real, 1 positive, 2 axis, 3 quaternion; what a cutoff does")
CR_INT  (sensor_objtype,   nsensor, 1, RANGE(0, CR_OBJ_HIGHEST), "mjtObj of the object: 1 body at its inertial frame, 2 body, 3 joint, 5 geom, 6 site and more")
CR_INT  (sensor_objid,     nsensor, 1, BY_TYPE, "object")
CR_INT  (sensor_reftype,   nsensor, 1, RANGE(0, CR_OBJ_HIGHEST), "mjtObj of the reference frame, or of the second object")
CR_INT  (sensor_refid,     nsensor, 1, BY_TYPE, "reference frame, -1 world; or second object")
CR_INT  (sensor_intprm,    nsensor, 3, BY_TYPE, "parameters of contact sensors: which data, how contacts are reduced")
CR_INT  (sensor_dim,       nsensor, 1, COUNT(nsensordata), "numbers")
CR_INT  (sensor_adr,       nsensor, 1, START(nsensordata), "first number in sensordata")
CR_INT  (sensor_skip,      nsensor, 1, RANGE(0, 1), "1: not computed, its numbers stay 0")
CR_CONST(sensor_cutoff,    nsensor, 1, ANY, "-", "-", "bound of the numbers, 0 none; collision sensors: largest distance")

// ---- keyframes
CR_CONST(key_time,         nkey, 1, ANY, "s", "-", "time")
CR_CONST(key_qpos,         nkey, nq, ANY, "m|rad", "-", "coordinates")
CR_CONST(key_qvel,         nkey, nv, ANY, "m/s|rad/s", "-", "velocities")
CR_CONST(key_act,          nkey, na, ANY, "-", "-", "activations")
CR_CONST(key_ctrl,         nkey, nu, ANY, "-", "-", "controls")
CR_CONST(key_mpos,         nkeymocap, 3, ANY, "m", "world", "positions of mocap bodies, keyframe by keyframe")
CR_CONST(key_mquat,        nkeymocap, 4, ANY, "1", "world", "orientations of mocap bodies")
CR_CONST(mocap_pos0,       nmocap, 3, LENGTH, "m", "world", "position of mocap bodies at reset")
CR_CONST(mocap_quat0,      nmocap, 4, ANY, "1", "world", "orientation of mocap bodies at reset")

// ---- added stages
CR_PARAM(plugin_param,     npluginparam, 1, 1, ANY, NOWHERE, "-", "-", "parameters of added stages (carom/stage.h): weights of corrections")

// ---- names: offsets into `names`
CR_INT  (name_bodyadr,     nbody, 1, INDEX(nnames), "name of the body")
CR_INT  (name_jntadr,      njnt, 1, INDEX(nnames), "name of the joint")
CR_INT  (name_geomadr,     ngeom, 1, INDEX(nnames), "name of the geom")
CR_INT  (name_siteadr,     nsite, 1, INDEX(nnames), "name of the site")
CR_INT  (name_tendonadr,   ntendon, 1, INDEX(nnames), "name of the tendon")
CR_INT  (name_actuatoradr, nactuator, 1, INDEX(nnames), "name of the actuator")
CR_INT  (name_pairadr,     npair, 1, INDEX(nnames), "name of the pair")
CR_INT  (name_eqadr,       neq, 1, INDEX(nnames), "name of the equality constraint")
CR_INT  (name_sensoradr,   nsensor, 1, INDEX(nnames), "name of the sensor")
CR_INT  (name_keyadr,      nkey, 1, INDEX(nnames), "name of the keyframe")
CR_CHAR (names,            nnames, "all names, each 0-terminated")
// clang-format on

#undef CR_SIZE
#undef CR_OPT_I
#undef CR_OPT_R
#undef CR_INT
#undef CR_CHAR
#undef CR_CONST
#undef CR_PARAM
