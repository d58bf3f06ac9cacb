// SPDX-License-Identifier: Apache-2.0
// Contact models of one's own: what turns the motion of two surfaces at a contact into forces. Pressure fields: contact
// over the surface on which two bodies meet.
#ifndef CAROM_CONTACT_H
#define CAROM_CONTACT_H

#include "carom/data.h"
#include "carom/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CR_MAX_CONTACT_DIM = 6,     // rows of a contact
  CR_MAX_CONTACT_BENDS = 2,   // moments at which its law bends that events find
  CR_MAX_CONTACT_MODELS = 8,  // that a model can carry
  CR_MAX_CONTACT_NAME = 47
};

/// What the force of a contact may depend on; of `dim` rows: the normal, two tangents, the spin about the
/// normal, two rolls about the tangents. A contact is a sample: a point with a normal, which may stand for
/// an area and have a stiffness of its own. Tangents and cotangents have the same members.
typedef struct {
  cr_real e
      [CR_MAX_CONTACT_DIM];  // acceleration of the second geom against the first, less the reference
                             // acceleration (efc_aref): below 0 along the normal where it pushes
  cr_real D[CR_MAX_CONTACT_DIM];  // constraint mass of the rows (efc_D)
  cr_real friction[5];            // contact_friction
  cr_real mu;                     // contact_mu
  cr_real area;                   // contact_area: m^2, 0 of a point
  cr_real stiffness;              // contact_stiffness: N/m, 0 where it has none of its own
  cr_real hunt_crossley[5];       // contact_hunt_crossley
  // 0 unless cr_contact_options.motion asks for them
  cr_real gap;                           // distance less the margin: m, negative in penetration
  cr_real weight;                        // contact_weight
  cr_real velocity[CR_MAX_CONTACT_DIM];  // of the second geom against the first (efc_vel)
} cr_contact_numbers;

/// What a law gets: one contact.
typedef struct {
  size_t size;  // sizeof(cr_contact_call)
  const cr_model* model;
  int contact;  // its number in the fields contact_...
  int geom[2];
  int dim;  // rows: 1, 3, 4 or 6
  const cr_contact_numbers* at;
  // jvp: their tangents. vjp: their cotangents, 0 at first, to be set
  cr_contact_numbers* twin;
  // dim numbers along the rows, N and N m. force: the force on the second geom, 0 at first, to be set;
  // jvp: its tangent, 0 at first, to be set; vjp: its cotangent
  cr_real* force;
  int zone;  // force sets it: which smooth piece of the law this is, from 0 on
  // bends sets them: numbers that change sign where the law bends
  cr_real bend[CR_MAX_CONTACT_BENDS];
} cr_contact_call;

typedef void cr_contact_function(void* user, cr_contact_call* call);

/// The equation for the acceleration, as a solver of one's own gets it:
///   g(a) = M a - tau - J' f(J a - aref) = 0
/// over the dofs dof[ndof], those of all trees that rows move. M is the effective mass matrix of the integrator at hand.
typedef struct {
  size_t size;  // sizeof(cr_contact_system)
  const cr_model* model;
  int nv, ndof;
  const int32_t* dof;
  cr_real* qacc;  // nv numbers: where to start, to be made the solution; at other dofs it stays
  cr_real* room;  // nv^2 + 8 nv numbers for the solver's own use: nothing allocates inside a step
  void* equation;
} cr_contact_system;

/// Finds qacc, or says why not.
typedef cr_status cr_contact_solver(void* user, cr_contact_system* system);

/// g[nv] at a[nv], 0 at other dofs, and its largest entry over the largest of the forces that it sums up; either may be
/// NULL. The matrix H[nv nv] = dg/da there, row by row, 0 outside the dofs of the system.
/// Errors   CR_ERR_ARG for NULL, and outside a call of a solver
CR_API cr_status cr_contact_residual(const cr_contact_system* system, const cr_real* a, cr_real* g,
                                     cr_real* share);
CR_API cr_status cr_contact_matrix(const cr_contact_system* system, const cr_real* a, cr_real* H);

/// A contact model.
typedef struct {
  size_t size;       // sizeof(cr_contact_options), set by the caller
  const char* name;  // letters, digits and _; the word for the option contact_model
  // The law f of one contact, its tangent and its cotangent; all three are needed. The force is 0 where e and
  // what else it depends on say that the surfaces do not touch
  cr_contact_function *force, *jvp, *vjp;
  cr_contact_function* bends;  // where the law bends, for events; NULL: nowhere
  // The law depends on gap, velocity or weight: Jacobians of a step then go column by column
  bool motion;
  // The law depends on which way the tangents point, also where friction is alike both ways
  bool directed;
  // A solver of its own, where the option contact_model chooses this contact model. It has to leave less than
  // 1e-10 of the forces; NULL: Newton's method. Derivatives take the matrix at the solution in either case
  cr_contact_solver* solve;
  void* user;  // for all functions; stays the caller's
  // Stages of its own (carom/stage.h), which run only where the contact model is in use: they make what
  // its law reads, as contact_area, efc_aref or plugin_state_dot. Added as by cr_model_add_stage, in this order
  const cr_stage_options* stages;
  int nstage;
} cr_contact_options;

/// Gives a model a contact model, which cr_model_set_choice(model, "contact_model", name) then chooses. The
/// acceleration a is the solution of  M a = tau + J' f(J a - aref), f the law in each contact, and MuJoCo's in all
/// rows that are no contacts. It holds in steps of all integrators and methods, in events, inverse dynamics,
/// rollouts and batches, and in all their derivatives, by the implicit function theorem. f need not have a
/// potential: its derivative may be unsymmetric.
/// Smooth     f has to be continuous; where it bends `zone` changes
/// Contacts   have to be along normal and tangents: cone "elliptic". Where events switch a contact off its force
///            is 0, whatever the law says
/// Solver     its own, or Newton's method with a dense factor over all dofs that rows move
/// Owner      texts are copied; `user` is borrowed until the model and its copies are closed
/// Thread     the functions run on every thread that steps: equal calls have to give equal numbers
/// Data       made for another contact model are refused: make them when it is chosen
/// Errors     CR_ERR_ARG for NULL, sizes, names and too many; CR_ERR_NAME for a name that there is; CR_ERR_MEMORY;
///            those of cr_model_add_stage. The model then is as it was
CR_API cr_status cr_model_add_contact_model(cr_model* model, const cr_contact_options* options,
                                            cr_error* error);

/// Chooses the contact model of the contacts of two geoms ("convex", "hunt_crossley", "ncp", or one that was added), also where an explicit
/// <pair> makes them; geom2 -1: of geom1 with all others. It holds before the option contact_model; of several that
/// fit a contact the one that was set last. All contacts are solved for together, whatever their contact models.
/// Solver     as soon as a pair, or the option, says another than "convex", Newton's method solves for all; or the
///            solver of the contact model that the option chooses, where that has one
/// Errors     CR_ERR_ARG for a geom that there is not; CR_ERR_NAME; CR_ERR_MEMORY
CR_API cr_status cr_model_set_contact_pair(cr_model* model, int geom1, int geom2,
                                           const char* contact_model, cr_error* error);

/// The contact model of the contacts of two geoms; NULL for what is no geom.
CR_API const char* cr_model_get_contact_pair(const cr_model* model, int geom1, int geom2);

// ---- pressure fields

/// The elements of a body, for a pressure field: tetrahedra, or triangles that close. Initialise with
/// {.size = sizeof(cr_pressure_solid)}. Arrays stay the caller's; they are copied.
typedef struct {
  size_t size;  // sizeof(cr_pressure_solid)
  int nvert;
  // nvert x 3, m, in the frame of the geom (geom_xpos, geom_xmat)
  const cr_real* vertex;
  // nvert: pressure over the modulus, 0 on the boundary; NULL: distance from the boundary over the largest one of a vertex
  const cr_real* level;
  int ntet;
  // ntet x 4; of a rigid body their boundary counts
  const int32_t* tet;
  int nface;
  // nface x 3, instead of tetrahedra. A compliant body is a fan of tetrahedra from its centroid, whose level is 1: each
  // triangle has to face it, as those of convex bodies do
  const int32_t* face;
} cr_pressure_solid;

/// A pressure field of a geom. Initialise with {.size = sizeof(cr_pressure_options)}.
typedef struct {
  size_t size;       // sizeof(cr_pressure_options)
  const char* kind;  // "compliant" or "rigid"
  cr_real
      modulus;  // Pa, above 0, of a compliant body: pressure at the points farthest from its surface
  cr_real
      dissipation;  // s/m, 0 or more: the pressure of faces that approach at v is 1 + dissipation v times as large
  cr_real transition;  // m/s: slip velocity at which friction has 1/sqrt(2) of its limit; 0: 0.01
  cr_real
      thickness;  // m, above 0, of a compliant plane: depth at which its pressure is the modulus
  int around;  // edges around a circle, a multiple of 4 from 4 to 128; 0: 24. Of no effect on boxes, meshes and planes
  const cr_pressure_solid*
      solid;  // elements instead of those of the shape; NULL: those of the shape
} cr_pressure_options;

/// Gives a geom a pressure field (docs/pressure.md). Two geoms with fields have forces over their contact surface, and no
/// contacts, if one of them is compliant and one is no plane. With other geoms a geom keeps its contacts.
/// Shapes     sphere, capsule, ellipsoid, cylinder, box; meshes, of the triangles drawn, which have to close; any shape with
///            elements that are given; plane
/// Parameters the numbers become geom_pressure[geom], a parameter as any other; friction is geom_friction[geom][0]
/// Sizes      geom_size may change later, as long as no tetrahedron is turned inside out; meshes and given elements do not
///            follow it
/// Data       made before do not fit the model any more
/// Errors     CR_ERR_ARG for NULL, a geom that there is not, numbers out of range, a geom that has a field, elements that are
///            flat, coincide or do not close; CR_ERR_UNSUPPORTED for other shapes and a model that borrows its numbers;
///            CR_ERR_MEMORY. The model then is as it was
CR_API cr_status cr_model_set_pressure(cr_model* model, int geom,
                                       const cr_pressure_options* options, cr_error* error);

/// A face of the surface on which two geoms with pressure fields meet, in the world.
typedef struct {
  cr_real area;       // m^2
  cr_real pos[3];     // centre of pressure, m
  cr_real normal[3];  // unit, from the first geom to the second
  cr_real
      pressure;  // mean, Pa: area times pressure is the force on the second geom along the normal, at rest
  cr_real gradient[2][3];  // of the pressure of each geom there, Pa/m; 0 of a rigid one
} cr_pressure_face;

/// The faces between two geoms at the poses of `data` (geom_xpos, geom_xmat), after cr_forward, in a fixed order. Dissipation and friction do not
/// count. There are none between geoms that keep their contacts.
/// Shapes   faces[most], NULL if most is 0; count: how many there are, also if they are more than `most`
/// Errors   CR_ERR_ARG for NULL, a geom that there is not, `most` below 0; CR_ERR_MODEL for sizes at which tetrahedra are flat
CR_API cr_status cr_pressure_faces(const cr_model* model, const cr_data* data, int geom1, int geom2,
                                   int most, cr_pressure_face* faces, int* count, cr_error* error);

/// The corners of the faces of cr_pressure_faces, face after face, in the world: counter-clockwise around the normal.
/// Shapes   ncorner[number of faces], corner[most x 3], NULL if most is 0; count: corners in all, also if they are more than
///          `most`; ncorner may be NULL
/// Errors   those of cr_pressure_faces
CR_API cr_status cr_pressure_corners(const cr_model* model, const cr_data* data, int geom1,
                                     int geom2, int most, cr_real* corner, int32_t* ncorner,
                                     int* count, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
