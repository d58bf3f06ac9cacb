// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments of public functions, and the error sentences: a NULL, data
// of another model or integrator, a plain block for a twin, a call before the one it needs.
#ifndef CR_MODEL_MISUSE_H
#define CR_MODEL_MISUSE_H

#include "model/data.h"

/// The caller, and where the sentence goes; error may be NULL.
typedef struct {
  const char* name;  // of the public function
  cr_error* error;
} cri_call;

/// The error of a data block, also if the block is const; NULL without a block.
cr_error* cri_error_of(const cr_data* d);

/// Fails with "name: what is NULL".
cr_status cri_is_null(const cri_call* call, const char* what);

static inline cr_status cri_given(const cri_call* call, const void* argument, const char* what) {
  return argument != NULL ? CR_OK : cri_is_null(call, what);
}

/// The one rule for the member size of a public struct (carom/base.h): at least `least`, the size of the struct in
/// the first version that had it. Today that is all of it. More is allowed; bytes that this version does not know are
/// ignored. A version that adds a member keeps `least`, and reads the member only if `size` reaches behind it.
/// type: name of the struct, for the sentence.
cr_status cri_check_size(const cri_call* call, size_t size, size_t least, const char* type);

/// Copies a result to a caller's struct of this type, after the same check. Both begin with their size; the caller's stays.
cr_status cri_give(const cri_call* call, void* to, const void* from, size_t size, const char* type);

/// Checks that d has the sizes and room that m needs with its integrator. `role` is the kind of block that
/// is needed, `what` its name in the sentence.
cr_status cri_check_data(const cri_call* call, const cr_model* m, const cr_data* d,
                         cr_data_role role, const char* what);

/// Checks that d has the sizes of m, whatever its role.
cr_status cri_check_shape(const cri_call* call, const cr_model* m, const cr_data* d,
                          const char* what);

/// Checks that d is a plain block of m in which all of `done` has been computed.
cr_status cri_check_done(const cri_call* call, const cr_model* m, const cr_data* d, unsigned done);

/// Checks that d also has the sizes and room of m, another model named `what` that replaces its own.
cr_status cri_check_variant(const cri_call* call, const cr_model* m, const cr_data* d,
                            const char* what);

/// Checks that twin is a twin of d of this role, with room for as many contacts and rows.
cr_status cri_check_twin(const cri_call* call, const cr_model* m, const cr_data* d,
                         const cr_data* twin, cr_data_role role, const char* what);

/// Checks that work is another plain block as large as d.
cr_status cri_check_work(const cri_call* call, const cr_model* m, const cr_data* d,
                         const cr_data* work);

/// Whether the contact models in use know steps of the model's integrator.
/// Errors   CR_ERR_ARG
cr_status cri_check_method(const cri_call* call, const cr_model* m);

#endif
