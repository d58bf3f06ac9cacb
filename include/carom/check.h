// SPDX-License-Identifier: Apache-2.0
// Compares a model with MuJoCo, field by field, and the gradient of its step with differences. This is
// carom check and carom follow. It needs a library built with libmujoco (CAROM_IO=ON);
// without it every function here is CR_ERR_UNSUPPORTED, with a sentence.
#ifndef CAROM_CHECK_H
#define CAROM_CHECK_H

#include "carom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A check and its findings. Belongs to one thread.
typedef struct cr_check cr_check;

/// A zero stands for the value in brackets.
typedef struct {
  size_t size;                  // sizeof(cr_check_options), set by the caller
  const cr_urdf_options* urdf;  // NULL: none
  int states;                   // random states to visit; 0: [20]
  int seed;
  const char*
      blueprint;  // corrections (cr_model_read_blueprint); NULL: none. An untrained one has to agree with
                  // MuJoCo, and its weights are among the parameters whose gradient is checked
} cr_check_options;

/// An empty check. Owner: the caller, cr_check_destroy.
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_check_create(cr_check** check, cr_error* error);
CR_API void cr_check_destroy(cr_check* check);

/// Checks the model of an MJCF or URDF file. Compares what both engines compute at states reached by
/// simulation under random controls and at their edges. Compares every entry of the gradient of a step with
/// differences. Tests the dot-product identity of jvp and vjp, and measures times. docs/parity.md says what is
/// compared, and where MuJoCo's number is left out. Findings so far are in the check, also after an error.
/// Errors   CR_ERR_ARG, also for a check that ran before; those of opening, CR_ERR_FORMAT for a Carom
///          model file; those of the steps, with the number of the state
CR_API cr_status cr_check_run(cr_check* check, const char* path, const cr_check_options* options,
                              cr_error* error);

/// Result of a check. Errors are relative. The texts are borrowed from the check.
typedef struct {
  size_t size;  // sizeof(cr_check_result), set by the caller
  bool opened;  // libmujoco took the file: counts are known
  bool passed;
  int nv, nbody, ngeom, nu;
  bool rk4;                     // the file's integrator is RK4; the times are then not all of RK4
  const char* why;              // why it did not pass: what exceeds which bound; "" if it passed
  double parity, parity_bound;  // worst field
  const char* worst_field;
  int states, edges;  // compared states, and edges of them
  int states_with_contact;
  int states_without_reference;  // MuJoCo's own solve did not converge
  int states_without_solution;   // of those: too stiff for double precision as well
  const char* mismatch;          // a list of contacts or rows that differs; "" where none does
  int convex_pairs;              // of general convex geoms in contact
  double convex_distance;        // difference of their distances, relative to the geoms' size
  int convex_other_normal, convex_other_count,
      convex_other_points;  // pairs for which MuJoCo has others
  double gradient, gradient_bound;
  const char* worst_gradient;  // field[entry]
  int samples, kinks, lost;    // entries: compared, at kinks, lost in round-off
  double edge;                 // of the gradient at edges: ends of ranges, keyframes ...
  const char* worst_edge;
  int edge_places, edge_samples, edge_kinks, edge_unvisited;
  const char* edge_why;                    // why the first of these was not visited
  double dot_product;                      // of the identity <bar, jvp tan> = <vjp bar, tan>
  double residual_mujoco, residual_carom;  // of the solves compared
  double timed_residual_mujoco, timed_residual_carom;      // of the solves timed
  double mj_step_us, step_us, step_vjp_us, transition_us;  // microseconds, medians
  const char* conflict;  // constraints that leave only rounding of their forces, first such state
  const char* doubt;     // which derivatives are undetermined, see cr_step_doubt
  double rounding,
      rounding_bound;  // largest share of the acceleration that rounding may be; above the bound
                       // it is reported
  const char* rounding_at;  // the joint
} cr_check_result;

/// Errors   CR_ERR_ARG, also for a size that is not set
CR_API cr_status cr_check_get_result(const cr_check* check, cr_check_result* result,
                                     cr_error* error);

/// A field that was compared. The name belongs to the library.
typedef struct {
  size_t size;  // sizeof(cr_check_field), set by the caller
  const char* name;
  double absolute, scale, relative;  // largest difference, largest value in MuJoCo
} cr_check_field;

/// Number of compared fields; field i of them.
/// Errors   CR_ERR_ARG if there is no field i
CR_API int cr_check_field_count(const cr_check* check);
CR_API cr_status cr_check_get_field(const cr_check* check, int i, cr_check_field* field,
                                    cr_error* error);

/// Kink i at an edge, in words: the slopes of both sides, where both sides can be reached. Only the first
/// few; NULL after the last. Owner: borrowed from the check.
CR_API const char* cr_check_get_kink(const cr_check* check, int i);

/// Kind i of places where MuJoCo's number is off and Carom's is not: its heading in docs/parity.md, how
/// often, and the worst one in words. NULL, and *times 0, after the last. times and worst may be NULL.
/// Owner    borrowed from the check
CR_API const char* cr_check_get_off(const cr_check* check, int i, int* times, const char** worst);

/// What opening the model found. Owner: borrowed from the check.
CR_API const cr_load_report* cr_check_get_report(const cr_check* check);

/// Runs Carom and MuJoCo side by side for nstep steps, each on its own. They start at the first keyframe or
/// the reference pose. Random controls change every ten steps. Both solve to round-off. After every step
/// carom[i] is the distance of the two states. twin[i] is the distance of MuJoCo from a MuJoCo moved by 1e-15
/// after ten steps: how the model itself magnifies small differences. options->states is not used.
/// Shapes   carom[nstep], twin[nstep], ncon[nstep], nefc[nstep]; each may be NULL. *done: steps until the
///          end, or until a state diverges in MuJoCo
/// Units    the largest difference of any coordinate, relative to the largest value so far of that kind
///          of number, and at least 1
/// Errors   those of opening; those of cr_step, with the number of the step
CR_API cr_status cr_follow(const char* path, const cr_check_options* options, int nstep,
                           double* carom, double* twin, int* ncon, int* nefc, int* done,
                           cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
