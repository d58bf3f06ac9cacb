// SPDX-License-Identifier: Apache-2.0
// A tossed cube with ten unknowns: the unknowns, their starts, the tosses, and how well a set of
// numbers predicts them.
#ifndef CR_STUDY_CUBE_H
#define CR_STUDY_CUBE_H

#include "carom/fit.h"
#include "notebook/notebook.h"

enum { CR_CUBE_SIDE, CR_CUBE_N = 10 };

/// One of the unknowns, in the order of cri_cube_items.
typedef struct {
  const char *name, *field;
  double tuned;        // the published tuned start
  double low, high;    // a random start lies between, uniform in its logarithm
  double least, most;  // bounds
} cr_cube_unknown;
extern const cr_cube_unknown cri_cube_unknowns[CR_CUBE_N];

typedef struct {
  cr_model* m;
  cr_parameter_info items[CR_CUBE_N];
  cr_recordings* tosses;
  int ntrain, nother;  // the first to fit and score, the next to see how far that carries
  bool made;           // not recorded
} cr_cube;

/// Opens scene and tosses; without recorded ones it makes some, and writes folder/tosses.h5. Free with
/// cri_cube_free, also after an error.
/// change   what the cube of made tosses has besides the truth; NULL: nothing
/// Errors   those of scene and file, and of `change`; CR_ERR_ARG if there are fewer than two tosses
cr_status cri_cube_open(cr_cube* cube, const cr_notebook* book,
                        cr_status (*change)(cr_model* m, cr_error* error), cr_error* error);

void cri_cube_free(cr_cube* cube);

/// The cube with the numbers p, of cube->items. Owner: the caller, cr_model_destroy. Errors: those of parameters.
cr_status cri_cube_model(const cr_cube* cube, const cr_real* p, cr_model** m, cr_error* error);

/// Start 0 is the published tuned one, 1 and 2 are random with the published sides of 60 and 140 mm,
/// the others random.
void cri_cube_start(int start, cr_real p[CR_CUBE_N]);

/// The parameters that tosses were made with.
extern const cr_real cri_cube_truth[CR_CUBE_N];

/// The mean absolute error of whole predicted tosses, over the first ones, with the quaternion's four
/// numbers in place of the matrix's nine: the other way to read the published score.
/// Errors   those of parameters and rollouts
cr_status cri_cube_score_quaternions(const cr_cube* cube, const cr_real* p, cr_real* score,
                                     cr_error* error);

#endif
