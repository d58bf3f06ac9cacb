// SPDX-License-Identifier: Apache-2.0
// What every other header needs: the real type, status codes, the error sentence.
#ifndef CAROM_BASE_H
#define CAROM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CR_API __attribute__((visibility("default")))

/// The real type. The product is double. The same sources also build with long double, for tests only:
/// there fourth-order differences check a tangent to 1e-12.
#ifdef CR_LONG_DOUBLE
typedef long double cr_real;
#else
typedef double cr_real;
#endif

/// Every status: name, the exit code a command gives it, one sentence.
#define CR_STATUS_LIST(X)                                                                    \
  X(CR_OK, 0, "success")                                                                     \
  X(CR_ERR_ARG, 2, "an argument is wrong")                                                   \
  X(CR_ERR_MEMORY, 2, "out of memory")                                                       \
  X(CR_ERR_FILE, 2, "a file cannot be read or written")                                      \
  X(CR_ERR_FORMAT, 2, "a file does not have the format expected")                            \
  X(CR_ERR_MODEL, 2, "the model is not valid")                                               \
  X(CR_ERR_UNSUPPORTED, 2, "the model uses a feature that is not supported")                 \
  X(CR_ERR_NAME, 2, "a name does not resolve")                                               \
  X(CR_ERR_CAPACITY, 3, "more contacts or constraint rows than the data block has room for") \
  X(CR_ERR_NONFINITE, 3, "a value is not finite")                                            \
  X(CR_ERR_SOLVER, 3, "the constraint solver did not converge")                              \
  X(CR_ERR_DIVERGED, 3, "the state diverged")                                                \
  X(CR_ERR_BUDGET, 3, "the steps allowed do not reach the end")                              \
  X(CR_ERR_SINGULAR, 3, "the inertia matrix is not positive definite")                       \
  X(CR_ERR_INTERRUPTED, 130, "interrupted")

#define CR_STATUS_ENUM(name, exit_code, text) name,
typedef enum { CR_STATUS_LIST(CR_STATUS_ENUM) CR_N_STATUS } cr_status;
#undef CR_STATUS_ENUM

/// A sentence that names the file, element and field at fault.
typedef struct {
  cr_status status;
  char text[512];
} cr_error;

/// One sentence for a status; "unknown status" for an unknown value.
CR_API const char* cr_status_text(cr_status status);

/// The exit code a command gives a status: 0 done, 2 bad input, 3 numerical failure, 130 interrupted.
CR_API int cr_status_exit_code(cr_status status);

// Structs of options and results begin with `size_t size`, which the caller sets to sizeof the struct: one rule for
// all. Smaller than in the first version that had the struct, so also 0: CR_ERR_ARG. Larger, from a later version's
// header: accepted, and the bytes behind the known members are ignored.

/// "major.minor.patch" of the library.
CR_API const char* cr_version(void);

#ifdef __cplusplus
}
#endif
#endif
