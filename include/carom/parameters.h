// SPDX-License-Identifier: Apache-2.0
// Parameters of the user's choice, mapped to fields of a model. They give a variant of the model for every
// value, and gradients by the free numbers that an optimiser (carom/minimise.h) moves.
#ifndef CAROM_PARAMETERS_H
#define CAROM_PARAMETERS_H

#include "carom/data.h"
#include "carom/minimise.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most numbers of parameters at once.
enum { CR_MAX_PARAMETERS = 4096 };

/// Maps the free number x that an optimiser moves to the parameter p.
typedef enum {
  CR_TRANSFORM_NONE,      // p = x
  CR_TRANSFORM_LOG,       // p = exp(x)
  CR_TRANSFORM_SOFTPLUS,  // p = log(1 + exp(x))
  CR_TRANSFORM_BOUNDED    // p = 1 / (1 + exp(-x)); of a parameter lower + (upper - lower) of that
} cr_transform;

/// p(x), increasing; x(p), -infinity if p is at or below the lowest value of the transform, infinity if it is
/// at or above the highest; dp/dx.
CR_API cr_real cr_transform_value(cr_transform transform, cr_real x);
CR_API cr_real cr_transform_inverse(cr_transform transform, cr_real p);
CR_API cr_real cr_transform_slope(cr_transform transform, cr_real x);

typedef enum {
  CR_FIT_FIELD,     // one number of a model field: "body_mass[cube]", "geom_friction[floor][0]"
  CR_FIT_BOX_SIDE,  // side s of a cube, by its geom: sizes s/2, inertia m s^2/6 about each axis
  CR_FIT_DIRECTION,  // a row of unit length, "jnt_axis[elbow]", "body_quat[imu]": as many numbers p = x / |x|, from
                     // those of the model; transform, start, bounds and prior do not count
  CR_FIT_TIED,  // one value p for all numbers of the target
  CR_FIT_SCALE,  // a factor p on the numbers that the model has, which keeps their ratios; start 0: 1
  CR_FIT_OFFSET,  // p is added to the numbers that the model has
  CR_FIT_INERTIA,  // mass, centre of mass and inertia of the body that the target names: ten numbers p = x of its
  // pseudo-inertia, from those of the model, and every x is that of a real body; transform,
  // start, bounds and prior do not count
  CR_FIT_SHAPE,  // one number of a geom's size, "geom_size[shank][1]", alone on its body with its centre at the
                 // centre of mass: the mass stays and the moments follow
  CR_FIT_DENSITY  // a factor p on the mass and the moments that the named body has in the model; start 0: 1
} cr_fit_kind;

/// A parameter. A target of CR_FIT_TIED, CR_FIT_SCALE and CR_FIT_OFFSET is several places at will, separated by
/// blanks or commas: "dof_damping", "dof_damping[*]", "dof_damping[leg_*]", "geom_friction[*][0]". In a
/// bracket * stands for all rows, and a pattern with * for the named objects that it fits.
typedef struct {
  size_t size;         // sizeof(cr_parameter_info), set by the caller
  const char* name;    // its name in sentences; at most 63 characters
  const char* target;  // a number of a field, a geom, a body, or places; at most 511 characters
  cr_fit_kind kind;
  cr_transform transform;
  cr_real start, lower, upper;  // of p; bounds may be infinite, but with CR_TRANSFORM_BOUNDED
  cr_real prior, prior_sd;      // a Gaussian on p, its mean and standard deviation; sd 0: none
} cr_parameter_info;

/// The name of one number of a field, as a target.
typedef struct {
  char text[128];
} cr_parameter_target;

/// The numbers that a target of several places stands for, one name each: "dof_damping[*]" gives
/// "dof_damping[hip]", "dof_damping[knee]" ... *n tells how many there are; names may be NULL.
/// Shapes   names[capacity]; fills at most so many
/// Errors   CR_ERR_NAME, CR_ERR_ARG (not a field that can be fitted)
CR_API cr_status cr_parameter_expand(const cr_model* m, const char* target,
                                     cr_parameter_target* names, int capacity, int* n,
                                     cr_error* error);

/// Parameters bound to a model, and a variant of it that holds their values.
typedef struct cr_parameters cr_parameters;

/// Binds 1 to CR_MAX_PARAMETERS parameters, of as many numbers at most, to m, and makes the variant at their
/// starts. m need not outlive it.
/// Owner    the caller, cr_parameters_destroy
/// Errors   CR_ERR_NAME (unknown field or geom); CR_ERR_ARG naming the parameter: a place that is
///          not one number of a parameter field, a direction that is not a row of unit length, a derived field, a geom that is not the only one of
///          its body or not about its centre of mass, a scale of zeros, a body whose inertia no mass with
///          volume has, two parameters for one number, a start outside its bounds or that the
///          transform cannot reach, a prior that is not finite; CR_ERR_MEMORY
CR_API cr_status cr_parameters_create(cr_parameters** parameters, const cr_model* m,
                                      const cr_parameter_info* const* items, int n,
                                      cr_error* error);
CR_API void cr_parameters_destroy(cr_parameters* parameters);

/// Number of numbers, the n of all calls below: one a parameter, of a direction three or four, of an inertia ten, in
/// the order of the list.
CR_API int cr_parameters_count(const cr_parameters* parameters);

/// The variant of the model with the values set last, derived constants (body_invweight0 ...) included.
/// Owner    borrowed; its numbers change with cr_parameters_set
CR_API const cr_model* cr_parameters_model(const cr_parameters* parameters);

/// Model fields whose cotangents are needed, for cr_rollout_create.
/// Owner    borrowed from the parameters
CR_API const char* const* cr_parameters_fields(const cr_parameters* parameters, int* n);

/// x of the starts; x of the bounds, infinite if open; p of x.
/// Shapes   x[n], lower[n], upper[n], p[n]
/// Errors   CR_ERR_ARG
CR_API cr_status cr_parameters_get_start(const cr_parameters* parameters, cr_real* x,
                                         cr_error* error);
CR_API cr_status cr_parameters_get_bounds(const cr_parameters* parameters, cr_real* lower,
                                          cr_real* upper, cr_error* error);
CR_API cr_status cr_parameters_get_values(const cr_parameters* parameters, const cr_real* x,
                                          cr_real* p, cr_error* error);

/// Puts the parameters of x into the variant, and derives its constants.
/// Shapes   x[n]
/// Errors   CR_ERR_MODEL where the variant is not valid (a negative mass), CR_ERR_SINGULAR; the variant
///          then has values that cannot be used
CR_API cr_status cr_parameters_set(cr_parameters* parameters, const cr_real* x, cr_error* error);

/// The same of the parameters themselves, without bounds and transforms.
/// Shapes   p[n]
CR_API cr_status cr_parameters_set_values(cr_parameters* parameters, const cr_real* p,
                                          cr_error* error);

/// The name of number i for reports: that of its parameter, and behind it which of its numbers: "side",
/// "imu[0]", "shin.log_scale". Ends with a zero byte, cut to fit.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_parameters_number_name(const cr_parameters* parameters, int i, char* text,
                                           size_t size, cr_error* error);

/// The priors: residual[i] = (p_i - prior_i) / sd_i and its derivative by x_i, both 0 where there is none. Half the
/// sum of squares of the residuals is the negative logarithm of the prior density.
/// Shapes   x[n], residual[n], derivative[n]
CR_API cr_status cr_parameters_prior(const cr_parameters* parameters, const cr_real* x,
                                     cr_real* residual, cr_real* derivative, cr_error* error);

/// What a report tells: p itself, but of CR_FIT_INERTIA the mass, the centre of mass (3) and the inertia about it
/// (xx, yy, zz, xy, xz, yz) along the axes of the body; with the derivative by x, so that intervals follow.
/// Shapes   x[n], values[count], jacobian[count n], rows of n; it may be NULL
/// Units    kg, m, kg m^2
CR_API int cr_parameters_report_count(const cr_parameters* parameters);
CR_API cr_status cr_parameters_report_name(const cr_parameters* parameters, int i, char* text,
                                           size_t size, cr_error* error);
CR_API cr_status cr_parameters_report_values(const cr_parameters* parameters, const cr_real* x,
                                             cr_real* values, cr_real* jacobian, cr_error* error);

/// The gradient by x, from cotangents of fields of the variant. These are in cr_rollout_bar after
/// cr_rollout_gradient, or in a twin after cr_step_vjp. The gradient includes derived constants. The
/// call clears the cotangents of parameters in bar.
/// Map      (bar, x) -> x_bar = (d fields / dp . dp/dx)' bar
/// Shapes   x[n], x_bar[n], overwritten: the caller sums over rollouts
/// Errors   CR_ERR_ARG if bar lacks one of cr_parameters_fields; CR_ERR_SINGULAR
/// Smooth   everywhere. The side of a cube does not matter in free flight: its gradient there is
///          exactly zero
CR_API cr_status cr_parameters_gradient(cr_parameters* parameters, cr_data* bar, const cr_real* x,
                                        cr_real* x_bar, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
