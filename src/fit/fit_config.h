// SPDX-License-Identifier: Apache-2.0
// The configuration of `carom fit`: a YAML file, --set on top, turned into plain numbers.
#ifndef CR_FIT_CONFIG_H
#define CR_FIT_CONFIG_H

#include "carom/estimator.h"
#include "carom/fit.h"
#include "fit/fit_keys.h"

#define CR_KEY_TYPE_TEXT const char*
#define CR_KEY_TYPE_INT int
#define CR_KEY_TYPE_BOOL bool
#define CR_KEY_TYPE_REAL double
#define CR_KEY_TYPE_CHOICE int
#define CR_KEY_TYPE_WORD int
#define CR_KEY_MEMBER(section, key, kind, otherwise, low, high, choices, text) \
  CR_KEY_TYPE_##kind key;

typedef struct {
  CR_FIT_KEYS_TOP(CR_KEY_MEMBER)
} cr_fit_top;
typedef struct {
  CR_FIT_KEYS_DATA(CR_KEY_MEMBER)
} cr_fit_data;
typedef struct {
  CR_FIT_KEYS_MADE(CR_KEY_MEMBER)
} cr_fit_made;
typedef struct {
  CR_FIT_KEYS_LOSS(CR_KEY_MEMBER)
} cr_fit_loss;
typedef struct {
  CR_FIT_KEYS_CFD(CR_KEY_MEMBER)
} cr_fit_cfd;
typedef struct {
  CR_FIT_KEYS_PARAMETERS(CR_KEY_MEMBER)
} cr_fit_parameter;
typedef struct {
  CR_FIT_KEYS_OPTIMISERS(CR_KEY_MEMBER)
} cr_fit_optimiser;

enum { CR_METHOD_ADAM, CR_METHOD_LBFGS };  // the choices of optimisers.method
enum {
  CR_NO_ESTIMATOR,
  CR_FIRST_ESTIMATOR
};  // of optimisers.estimator; behind the latter as in cr_estimator_kind
enum { CR_FIT_STAGES = 8 };

typedef struct {
  cr_fit_top top;
  cr_fit_data data;
  cr_fit_made made;
  cr_fit_loss loss;
  cr_fit_cfd cfd;  // use is false if the configuration has no such section
  cr_fit_parameter parameters[CR_MAX_PARAMETERS];
  cr_fit_optimiser stages[CR_FIT_STAGES];
  int nparameter, nstage;
  void* raw;  // owns the texts
} cr_fit_config;

/// Reads a configuration and applies n --set assignments to it. Free with cr_fit_config_free.
/// Errors   those of tools/config.h; CR_ERR_FORMAT for values that do not go together
cr_status cr_fit_config_read(cr_fit_config* config, const char* path, const char* const* set, int n,
                             cr_error* error);

void cr_fit_config_free(cr_fit_config* config);

/// The parameters as cr_parameters_create takes them; their texts belong to the configuration.
/// Shapes   items[nparameter]
void cr_fit_config_parameters(const cr_fit_config* config, cr_parameter_info* items);

/// All values that decide the numbers of a fit, as text: not the folder, nor where the data lies, nor
/// how long a stage may take. The caller frees; NULL where there is no memory.
char* cr_fit_config_text(const cr_fit_config* config);

#endif
