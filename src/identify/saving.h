// SPDX-License-Identifier: Apache-2.0
// The state of a search as bytes, for cr_search.save and resume: what search it is of, where it stands, the noises, x with the
// starts, and the damping. Bytes are those of the machine; a state is read where it was written.
#ifndef CR_IDENTIFY_SAVING_H
#define CR_IDENTIFY_SAVING_H

#include "identify/search.h"

/// Legs of a search: those of the coarse stage, one for the starts alone, then a leg a round.
enum { CRI_COARSE_LEGS = 3, CRI_FIRST_ROUND = 4, CRI_MOST_ROUNDS = 12 };

/// Says which model, parameters, measurements and options a state is of: the first integers of its head, `kind` the very first.
/// The parameters stand at their starts afterwards.
/// Shapes   identity[CRI_N_IDENTITY]
/// Errors   those of cri_parameters_apply
enum { CRI_N_IDENTITY = 7 };
cr_status cri_saving_identity(const cri_problem* problem, const cr_measurements* ms,
                              const cr_identification_options* options, int64_t kind,
                              int64_t* identity, cr_error* error);

struct cri_saving {
  const cr_search* options;
  cri_search* whole;    // the search over the windows asked for
  cr_search_end* end;   // of the rounds before
  int leg;              // the present one
  bool resumed;         // a state was read, and its leg has not begun
  int from_leg, count;  // of that state: leg, numbers of its x with the starts
  cr_damped_state from;
  cr_real* numbers;  // what `from` points to
  int64_t identity[CRI_N_IDENTITY + 1];
  char* bytes;
  size_t room;
};

/// For a search that saves or resumes. The parameters stand at their starts afterwards. Free with cri_saving_free, also after an
/// error.
/// Errors   CR_ERR_MEMORY; those of cri_parameters_apply
cr_status cri_saving_create(cri_saving* saving, cri_search* whole, const cr_measurements* ms,
                            const cr_identification_options* options, const cr_search* search,
                            cr_search_end* end, cr_error* error);
void cri_saving_free(cri_saving* saving);

/// Reads the state to resume: x, starts and noises go into the whole search, steps, rounds and the cost at the start into `end`.
/// Errors   CR_ERR_FORMAT: a state of another search, with what differs; one that is damaged; CR_ERR_MEMORY
cr_status cri_saving_read(cri_saving* saving, cr_error* error);

/// Where a leg of `count` numbers goes on, NULL: it begins.
/// Errors   CR_ERR_FORMAT: the state is of another leg
cr_status cri_saving_resume(cri_saving* saving, int count, const cr_damped_state** from,
                            cr_error* error);

/// Hands the state of a leg to cr_search.save, where there is one.
/// Errors   those of cr_search.save; CR_ERR_MEMORY
cr_status cri_saving_save(cri_saving* saving, const cri_search* leg, const cr_damped_state* at,
                          cr_error* error);

#endif
