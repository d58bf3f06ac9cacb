// SPDX-License-Identifier: Apache-2.0
// Models: everything that is constant during a simulation.
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model. It is read-only while simulations run; threads may share it then.
typedef struct cr_model cr_model;

/// Opens an MJCF or URDF file (compiled by libmujoco) or a Carom model file. A library built
/// without libmujoco opens Carom model files only.
/// Owner    the caller closes it with cr_model_destroy
/// Errors   CR_ERR_FILE, CR_ERR_FORMAT, CR_ERR_MODEL; CR_ERR_UNSUPPORTED if an unsupported feature of the
///          model could change its motion: the sentence names the first such feature
/// Thread   any, also several at once; the log handler of libmujoco and the locale stay as they are
CR_API cr_status cr_model_open(cr_model** model, const char* path, cr_error* error);

/// How a URDF file becomes a model (docs/urdf.md). MJCF and model files do not use this. All zero:
/// as libmujoco reads it, with the root link fixed to the world and no actuators.
typedef struct {
  size_t size;  // sizeof(cr_urdf_options), set by the caller
  const char*
      package_path;        // folder of the packages in package://; NULL: found from the file's own
  bool floating;           // the root link moves freely, by a joint 'floating_base'
  bool ground;             // a plane 'ground' at z = 0
  bool no_self_collision;  // the robot's shapes do not touch each other, only the ground
  cr_real servo_kp;        // a position servo on each joint, kp (ctrl - q) - kv v, if one of the
  cr_real servo_kv;        // gains is not zero; N m/rad or N/m, and times s
} cr_urdf_options;

/// Opens a file as cr_model_open does, with options for URDF; NULL: none.
CR_API cr_status cr_model_open_urdf(cr_model** model, const char* path,
                                    const cr_urdf_options* options, cr_error* error);

/// What opening a model found, in sentences with MuJoCo's own words.
typedef struct cr_load_report cr_load_report;

typedef enum {
  CR_LOAD_UNSUPPORTED,  // could change the motion: the model is refused; the report lists all of these
  CR_LOAD_IGNORED,      // cannot change the motion
  CR_LOAD_WARNING
} cr_load_finding;

/// An empty report. Owner: the caller, cr_load_report_destroy.
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_load_report_create(cr_load_report** report, cr_error* error);
CR_API void cr_load_report_destroy(cr_load_report* report);

/// Number of sentences of a kind; sentence i of them, NULL if there is none.
/// Owner    borrowed from the report
CR_API int cr_load_report_count(const cr_load_report* report, cr_load_finding kind);
CR_API const char* cr_load_report_get(const cr_load_report* report, cr_load_finding kind, int i);

/// Opens a file as cr_model_open_urdf does, and adds its findings to a report (NULL: no report), also
/// if the model is refused.
/// Errors   those of cr_model_open
CR_API cr_status cr_model_open_report(cr_model** model, const char* path,
                                      const cr_urdf_options* options, cr_load_report* report,
                                      cr_error* error);

/// Frees a model; NULL is allowed.
CR_API void cr_model_destroy(cr_model* model);

/// Writes Carom's own binary file, which opens without libmujoco. Never leaves half a file.
/// Errors   CR_ERR_FILE; CR_ERR_UNSUPPORTED if stages were added to the model, or an added contact model is
///          in use: a file holds no code
CR_API cr_status cr_model_save(const cr_model* model, const char* path, cr_error* error);

/// The bytes of the file that cr_model_save writes, in memory: to send a model, or to keep it inside something else.
/// bytes    NULL: only counts them
/// Shapes   bytes[room]; *n of them
/// Errors   CR_ERR_ARG if there is too little room; CR_ERR_MEMORY; CR_ERR_UNSUPPORTED as cr_model_save
CR_API cr_status cr_model_save_bytes(const cr_model* model, void* bytes, size_t room, size_t* n,
                                     cr_error* error);

/// Opens a model from these bytes. They are copied.
/// Owner    the caller closes it with cr_model_destroy
/// Errors   CR_ERR_FORMAT: other bytes, damaged ones, those of another version; CR_ERR_MODEL, CR_ERR_MEMORY
CR_API cr_status cr_model_open_bytes(cr_model** model, const void* bytes, size_t n,
                                     cr_error* error);

/// A count by MuJoCo's name ("nq", "nv", "nu", "na", "nbody", ...); -1 for an unknown name.
CR_API int cr_model_count(const cr_model* model, const char* name);

/// Number of a named object, -1 for an unknown name; its name, "" if it has none and NULL for
/// a number out of range. kind: "body", "joint", "geom", "site", "tendon", "actuator", "sensor",
/// "equality", "pair" or "keyframe".
/// Owner    the name is borrowed from the model
CR_API int cr_model_id(const cr_model* model, const char* kind, const char* name);
CR_API const char* cr_model_name(const cr_model* model, const char* kind, int id);

/// Name of control i (0 <= i < nu), as columns of tables have it: its actuator's; "name[k]" where the
/// actuator has several controls; "ctrl[i]" where it has no name, or a comma in it.
/// Shapes   text of `size` characters; CR_CONTROL_NAME are enough for all names
/// Errors   CR_ERR_ARG for a control that does not exist, a size that is too small
enum { CR_CONTROL_NAME = 160 };
CR_API cr_status cr_control_name(const cr_model* model, int i, char* text, int size,
                                 cr_error* error);

/// Adds a model to a fingerprint: its counts, options, integers and numbers, but not its names or stages that
/// were added. The same for the same bits, and most likely for no others. Begin with 0.
/// Equation FNV-1a, 64 bits [Fowler, Noll, Vo, The FNV hash function, 1991]
/// Errors   none; of NULL it is `hash`
CR_API uint64_t cr_model_fingerprint(const cr_model* model, uint64_t hash);

/// The numbers of a named place, as "body_mass[torso]", "geom_size[cube][0]" or "gravity".
/// Shapes   values[n], n the number of numbers the place has (docs/fields.md)
/// Errors   CR_ERR_NAME, CR_ERR_ARG (another n)
CR_API cr_status cr_model_get(const cr_model* model, const char* name, cr_real* values, int n,
                              cr_error* error);

/// Sets the numbers of a named place. The whole model is checked afterwards; if the check fails nothing
/// changes. Constants that MuJoCo derives when compiling are not updated: call cr_model_derive.
CR_API cr_status cr_model_set(cr_model* model, const char* name, const cr_real* values, int n,
                              cr_error* error);

/// Sets the numbers of several places: values[i] are those of names[i], as many as it has. The model is
/// checked once, when all are set; if the check fails nothing changes. Use it for numbers that are valid only
/// together, as both ends of a range.
/// Errors   CR_ERR_NAME, CR_ERR_ARG; CR_ERR_MODEL; CR_ERR_MEMORY
CR_API cr_status cr_model_set_many(cr_model* model, const char* const* names,
                                   const cr_real* const* values, int n, cr_error* error);

/// Options: numbers and choices that hold for the whole model, as in MJCF's <option> and Carom's own
/// (docs/fields.md lists them): "timestep", "integrator", "cone", "tolerance", "collision", "softness",
/// "cfd_wc" ... A choice also has words: integrator "euler", "rk4", "implicit", "implicitfast", "discrete",
/// "tsit5" and more (docs/integrators.md; the error sentence of a wrong word lists them); cone
/// "pyramidal" or "elliptic"; contact_model "convex", "hunt_crossley", "ncp" or one that was added (carom/contact.h);
/// friction_law "coulomb", "andersson", "hollars" or "brown"; collision
/// "hard", "soft" or "smooth"; cfd (contacts from distance, for a
/// model that only a backward pass uses) "off" or "on". If soft or smooth collision detection is
/// chosen and softness is 0, softness becomes 0.1. All options are checked together; if the check fails
/// nothing changes. Data made for one integrator are refused by another.
/// Errors   CR_ERR_NAME for an unknown option; CR_ERR_ARG for an unknown choice or a number that is no integer;
///          CR_ERR_MODEL for a value out of range
CR_API cr_status cr_model_get_option(const cr_model* model, const char* name, cr_real* value,
                                     cr_error* error);
CR_API cr_status cr_model_set_option(cr_model* model, const char* name, cr_real value,
                                     cr_error* error);
CR_API cr_status cr_model_set_choice(cr_model* model, const char* name, const char* choice,
                                     cr_error* error);
/// The word of a choice; NULL if the option is no choice.
CR_API const char* cr_model_get_choice(const cr_model* model, const char* name);

/// Flags by the names of MJCF's <flag>: "contact", "gravity", "warmstart" ..., and "override",
/// "invdiscrete", "diagexact". 1 if it is on, 0 if it is off, -1 for an unknown name.
CR_API int cr_model_get_flag(const cr_model* model, const char* flag);
CR_API cr_status cr_model_set_flag(cr_model* model, const char* flag, bool on, cr_error* error);

/// The time step in seconds.
CR_API cr_real cr_model_timestep(const cr_model* model);

/// A copy that shares nothing with the model: a variant with its own numbers and options.
/// Owner    the caller closes it with cr_model_destroy
/// Errors   CR_ERR_MEMORY; *copy is then NULL
CR_API cr_status cr_model_copy(cr_model** copy, const cr_model* model, cr_error* error);

/// Derives these constants again, after qpos0, masses, inertias, poses, sizes or gears were set (mj_setConst):
/// body_invweight0, dof_invweight0, tendon_invweight0, tendon_length0, actuator_acc0, bounding
/// spheres, the second anchors of connects and poses of welds that depend on qpos0, and added masses of
/// ellipsoids. docs/calls.md says what stays as compiled.
CR_API cr_status cr_model_derive(cr_model* model, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
