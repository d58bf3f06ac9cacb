// SPDX-License-Identifier: Apache-2.0
// Learned functions: a network with weights and with the scales of its inputs and outputs. They are trained on arrays, of
// rows that stand alone or of sequences; saved, opened, exchanged as ONNX, and folded into weights for a correction
// (carom/correction.h). docs/networks.md shows how.
#ifndef CAROM_LEARNED_H
#define CAROM_LEARNED_H

#include "carom/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/// y = network((x - input_mean) / input_scale) output_scale + output_mean                [network.n1]
typedef struct cr_learned cr_learned;

/// With the first weights of a seed (cr_network_init), means 0 and scales 1.
/// Owner    the caller, cr_learned_destroy; the network is copied
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_learned_create(cr_learned** learned, const cr_network* network, uint64_t seed,
                                   cr_error* error);
CR_API void cr_learned_destroy(cr_learned* learned);

/// Its network, and its weights [nweight], which may be read and written. Both belong to it. NULL for NULL.
CR_API const cr_network* cr_learned_network(const cr_learned* learned);
CR_API cr_real* cr_learned_weights(cr_learned* learned);

/// Means and scales. Each of the four may be NULL: left as it is, or not wanted.
/// Shapes   input_mean[ninput], input_scale[ninput], output_mean[noutput], output_scale[noutput]
/// Errors   CR_ERR_ARG: a mean that is not finite, a scale that is not finite or not above 0
CR_API cr_status cr_learned_set_normalisation(cr_learned* learned, const cr_real* input_mean,
                                              const cr_real* input_scale,
                                              const cr_real* output_mean,
                                              const cr_real* output_scale, cr_error* error);
CR_API cr_status cr_learned_get_normalisation(const cr_learned* learned, cr_real* input_mean,
                                              cr_real* input_scale, cr_real* output_mean,
                                              cr_real* output_scale, cr_error* error);

/// Weights of its network with which the network alone, without means and scales, computes the same: for a correction or
/// for cr_network_forward.
/// Shapes   weight[nweight]
/// Errors   CR_ERR_UNSUPPORTED: outputs have means or scales, and the last layer is not dense with identity as its
///          activation
CR_API cr_status cr_learned_fold(const cr_learned* learned, cr_real* weight, cr_error* error);

/// Evaluates rows of sequences from a memory of 0.
/// Shapes   length[nsequence]: rows of each sequence; NULL: nsequence rows that stand alone.
///          input[rows][ninput], output[rows][noutput]
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_learned_predict(const cr_learned* learned, const int32_t* length, int nsequence,
                                    const cr_real* input, cr_real* output, cr_error* error);

/// The same of the end of each sequence alone: the output of its last row, or of a network that was trained with
/// cr_learning_data.ends what it was trained for. Sequences may overlap. Rows are in memory a few thousand at a time.
/// Shapes   first[nsequence]: row of input where each sequence begins, NULL: one behind the other; length[nsequence], NULL:
///          1; input[rows][ninput], output[nsequence][noutput]
/// Errors   CR_ERR_ARG naming the sequence; CR_ERR_MEMORY
CR_API cr_status cr_learned_predict_ends(const cr_learned* learned, const int32_t* first,
                                         const int32_t* length, int nsequence, const cr_real* input,
                                         cr_real* output, cr_error* error);

/// One row after the other, for outputs that become inputs again. memory becomes the one after the row. Nothing allocates.
/// A network in both directions has no such step: its outputs are NaN.
/// Shapes   input[ninput], memory[nmemory] (NULL without memory), output[noutput], room[cr_learned_nroom]
CR_API int cr_learned_nroom(const cr_learned* learned);
CR_API void cr_learned_step(const cr_learned* learned, const cr_real* input, cr_real* memory,
                            cr_real* output, cr_real* room);

/// Rows to learn from. Arrays are borrowed for the call.
typedef struct {
  size_t size;            // sizeof(cr_learning_data), set by the caller
  const int32_t* length;  // rows of each sequence; NULL: every row stands alone
  int nsequence;          // sequences, or rows that stand alone
  const cr_real* input;   // [rows][ninput], a sequence after the other
  const cr_real* target;  // [rows][noutput]
  const cr_real*
      weight;  // [rows], 0 or more: a factor of the row's loss, 0 for rows without target; NULL: 1
  const int32_t*
      first;  // [nsequence]: row where each sequence begins, so that sequences may overlap; NULL: one
              // behind the other. Rows of no sequence are not read
  /// One target and one weight a sequence, for its end: target[nsequence][noutput], weight[nsequence]. The end of a
  /// recurrent layer is its output of the last row, and of the direction backward that of the first row; dense layers
  /// behind the last recurrent one see it alone.                                          [network.s2]
  bool ends;
} cr_learning_data;

/// The loss of an error e = (output - target) / output_scale; a mean over all numbers, by the weights of their rows.
/// Equation SQUARES  e^2                                                                  [network.o1]
///          ABSOLUTE |e|                                                                  [network.o2]
///          HUBER    |e| < d ? e^2 / 2 : d (|e| - d / 2)                                  [network.o3]
typedef enum { CR_LEARNING_SQUARES, CR_LEARNING_ABSOLUTE, CR_LEARNING_HUBER } cr_learning_loss;

/// Step sizes from rate at the first epoch to final_rate at the last one.
typedef enum { CR_LEARNING_GEOMETRIC, CR_LEARNING_COSINE } cr_learning_schedule;

/// Mean loss over all rows, in the present scales.
/// delta    d of HUBER; 0: 1
/// Errors   CR_ERR_ARG naming the row; CR_ERR_NONFINITE; CR_ERR_MEMORY
CR_API cr_status cr_learned_evaluate(const cr_learned* learned, const cr_learning_data* data,
                                     cr_learning_loss loss, cr_real delta, cr_real* mean,
                                     cr_error* error);

/// How a learned function is trained. What a zero stands for is in brackets.
typedef struct {
  size_t size;  // sizeof(cr_learning_options), set by the caller
  cr_learning_loss loss;
  cr_real delta;  // of HUBER [1]
  /// First sets means and scales: mean and standard deviation of the rows to learn from. Weights of rows do not count; a
  /// number that never changes has the scale 1. Not where a training goes on.
  bool normalise;
  cr_real held_out;              // part of the sequences that is held aside, drawn from the seed
  const cr_learning_data* held;  // or other data to hold aside; NULL: none
  int epochs;                    // passes over all sequences, with those before [100]
  int batch;                     // sequences a step [all]
  cr_real rate, final_rate;      // step size, > 0, and that of the last epoch [rate]
  cr_learning_schedule schedule;
  int warmup;                   // steps over which the step size grows from 0 [none]
  cr_real b1, b2, eps;          // of Adam [0.9, 0.999, 1e-8]; below 0: none
  cr_real weight_decay;         // AdamW: each step takes rate times this part of a weight away
  cr_real clip;                 // a longer gradient is cut to this length [never]
  const cr_real* l2;            // [nweight]: adds l2_i w_i^2 / 2; NULL: none
  const int32_t* group;         // [nweight]: group of a weight, from 0; -1: none; NULL: no groups
  cr_real lasso;                // in groups: adds lasso f_i |w_i|; such weights become exactly 0
  cr_real group_lasso;          // adds group_lasso sqrt(sum g^2) |w of a group|: 0 as a whole
  const cr_real* lasso_factor;  // [nweight]: f, 0 or more; NULL: 1
  const cr_real* group_factor;  // [nweight]: g, 0 or more; NULL: f
  bool keep_last;               // keeps the weights of the last epoch, not of the best one
  int patience;   // ends after so many epochs without a lower loss of what is held aside [never]
  uint64_t seed;  // of what is held aside and of the order in every epoch
  int threads;    // the same bits for any number [1]
  bool
      go_on;  // goes on with the training that this function had before, from its last epoch, to the same digits as if it
  // had not ended. Data and options have to be the same; epochs, patience, threads and save may be others
  const char*
      save;  // cr_learned_save to this path after every `save_every` [1] epochs; NULL: never
  int save_every;
  bool (*stop)(
      void* context);  // asked between steps; true ends the training with CR_ERR_INTERRUPTED
  /// Called after every epoch with the mean loss of the epoch as it went on, and of what is held aside (NaN: nothing).
  void (*progress)(void* context, int epoch, cr_real loss, cr_real held);
  void* context;
} cr_learning_options;

/// How a training ended.
typedef struct {
  size_t size;  // sizeof(cr_learning_end), set by the caller
  cr_real loss,
      held_loss;  // means at the weights that are kept, without penalties; NaN: nothing is held aside
  cr_real start_loss;  // of the rows to learn from, at the start
  int epochs, steps;   // with those before
  int best_epoch;  // whose weights are kept: the last, or that of the lowest loss of what is held aside
  int nonzero;         // weights that are not 0
  const char* reason;  // in a few words; belongs to the library
} cr_learning_end;

/// Trains with AdamW, then keeps the weights of the best epoch. The training itself is kept too, for go_on.
/// Equation AdamW on loss + sum l2 w^2 / 2, then the proximal step of the lasso in Adam's metric  [network.o4]
/// Threads  the same bits for any number of them; OpenBLAS works with one thread of its own from then on
/// Errors   CR_ERR_ARG: options that are not sane, a row that is not finite; CR_ERR_NONFINITE with the epoch, where the loss is
///          no longer finite; CR_ERR_INTERRUPTED; CR_ERR_FORMAT: go_on of another training; CR_ERR_FILE; CR_ERR_MEMORY. After
///          an error weights are those of the best epoch so far
CR_API cr_status cr_learned_train(cr_learned* learned, const cr_learning_data* data,
                                  const cr_learning_options* options, cr_learning_end* end,
                                  cr_error* error);

/// A file of Carom's own with everything: layers, weights, means and scales, and the training to go on with. It is written
/// in one step: a file that exists is replaced when the new one is whole. Numbers are exact in double precision.
/// Errors   CR_ERR_FILE, CR_ERR_FORMAT naming what is damaged, CR_ERR_MEMORY
CR_API cr_status cr_learned_save(const cr_learned* learned, const char* path, cr_error* error);
CR_API cr_status cr_learned_open(cr_learned** learned, const char* path, cr_error* error);

/// ONNX files, opset 13. Rows that stand alone: input[rows][ninput]; networks that remember: input[time][sequences][ninput],
/// from a memory of 0. Weights are folded into nothing: the scales are nodes of their own (Sub, Div, Mul, Add).
/// single   in single precision, which all runtimes know; otherwise in double, which opens again to the same digits
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY; CR_ERR_UNSUPPORTED in a library without io (CAROM_IO=OFF)
CR_API cr_status cr_learned_save_onnx(const cr_learned* learned, const char* path, bool single,
                                      cr_error* error);

/// A chain of layers from the first input to the first output: Gemm, or MatMul and Add; Tanh, Elu, Relu, Softplus, Sigmoid, Sin
/// and x Sigmoid(x) behind them; GRU with linear_before_reset, LSTM, both forward or bidirectional, with what PyTorch writes around
/// them; Sub, Div, Mul and Add of constants before and behind all layers become means and scales. Numbers are float or double.
/// Errors   CR_ERR_UNSUPPORTED naming the node and its operator; CR_ERR_FORMAT: a damaged file; CR_ERR_FILE, CR_ERR_MEMORY
CR_API cr_status cr_learned_open_onnx(cr_learned** learned, const char* path, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
