// SPDX-License-Identifier: Apache-2.0
// Every public function as call_NAME(a): called with pointers from a row of test_public.c, which includes this file once, behind
// the things that functions are called with.

// ---- a row

typedef enum { STATUS, POINTER, COUNT, NOTHING } kind_of_result;

// Arguments, a letter for each pointer; a small letter may be NULL:
//   M model  N model backward  D data  T tangents  B cotangents  W second block  E error  O made here
//   S name  U path  X Y Z numbers  I count  P names of parameters  J K Jacobians  R rollout
//   Q expression  L loss  A options, none here  C context  G batch  F G's options  V input  H output
//   1 a field  2 a place  3 a report  4 names  5 their values  6 a gradient  7 trust  8 its problem
//   % parameters  & bound  ( what is minimised, < and > how  ; squares and : how  = and ^ of a search
//   @ recordings  { one run  ~ a fit  } its options  [ its size  ] its value
//   | measurements  / a channel  ? where one goes
//   _ identification, solved  - its options  . how it is solved  , its end  " an estimate  ` errors of a place
//   ' a correction  \ what a model says of it  (blank) a layer; of a network I
//   \20 a cost  \21 a term  \22 a planner  \23 its options  \24 a live one  \25 its options  \26 what it reports
//   \27 Jacobians of sensors  \30 a filter  \31 its options
//   \200 a model with a servo  \201 its quasi-dynamic steps  \202 a contact of them  \203 many side by side  \204 a plan  \211 options of a pressure field
//   \212 a sweep  \213 a sweep of a model  \214 jumps  \215 their result  \216 a jump
//   \32 a page  \33 its options  \34 a motion of it  \35 a page with a motion
//   \36 pictures  \37 their options  \10 pictures of a motion  \13 a film
//   \221 a policy  \222 its options  \223 a training of one  \224 its options  \225 what an iteration came to
//   \11 gradients that work side by side  \12 options of an estimate  \177 the estimate  \14 how a page simulates
//   * MuJoCo's model  + MuJoCo's data  9 a check  ! one that ran  # its result  $ a field of it  ) a stage
// Needs: what has to be called before it: (f)orward, (s)tep, (i)nverse, any of these (k), a (r)un; of the
// gradient a run (u), and the gradient itself (g)
typedef struct {
  const char *name, *arguments;
  kind_of_result returns;
  char needs;
  const char* text;  // S and U
  const char* second;
  long (*call)(void** a);
} row;

// ---- the calls, each from a row of pointers

#define CALL(name, ...)               \
  static long call_##name(void** a) { \
    (void)a;                          \
    return (long)name(__VA_ARGS__);   \
  }
#define CALL_VOID(name, ...)          \
  static long call_##name(void** a) { \
    (void)a;                          \
    name(__VA_ARGS__);                \
    return 0;                         \
  }
#define CALL_POINTER(name, ...) \
  static long call_##name(void** a) { return name(__VA_ARGS__) != NULL ? 1 : 0; }
// what is made is let go again
#define CALL_MAKE(name, release, ...) \
  static long call_##name(void** a) { \
    w.slot = NULL;                    \
    long status = name(__VA_ARGS__);  \
    release(w.slot);                  \
    return status;                    \
  }

CALL_POINTER(cr_status_text, (cr_status)(a == NULL))
CALL(cr_status_exit_code, CR_OK)
static long call_cr_version(void** a) { return a != NULL && cr_version() != NULL; }
CALL_MAKE(cr_model_open, cr_model_destroy, a[0], a[1], a[2])
CALL_MAKE(cr_model_open_urdf, cr_model_destroy, a[0], a[1], a[2], a[3])
CALL_MAKE(cr_load_report_create, cr_load_report_destroy, a[0], a[1])
CALL_VOID(cr_load_report_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_load_report_count, a[0], CR_LOAD_WARNING)
CALL_VOID(cr_load_report_get, a[0], CR_LOAD_WARNING, 0)
CALL_MAKE(cr_model_open_report, cr_model_destroy, a[0], a[1], a[2], a[3], a[4])
CALL(cr_model_set_many, a[0], a[1], a[2], 1, a[3])
CALL(cr_data_get, a[0], a[1], a[2], a[3], 1, a[4])
CALL(cr_data_set, a[0], a[1], a[2], a[3], 1, a[4])
CALL(cr_data_check, a[0], a[1], a[2])
CALL(cr_step_doubt, a[0], a[1], a[2], 16)
CALL(cr_parameter_jacobian_width, a[0], 0)
CALL(cr_rollout_get_states, a[0], a[1], 0, 3, a[2], a[3], a[4], a[5], a[6])
CALL(cr_rollout_restore, a[0], a[1], 1, a[2])
CALL(cr_rollout_forward, a[0], a[1], 1, a[2])
CALL(cr_rollout_switches, a[0], a[1], a[2], a[3])
CALL_VOID(cr_rollout_uncounted_time, a[0])
CALL(cr_rollout_save, a[0], a[1], a[2], a[3], 1, a[4])
CALL(cr_controls_read, a[0], a[1], 2, (cr_real)0.002, a[2], a[3])
CALL_MAKE(cr_check_create, cr_check_destroy, a[0], a[1])
CALL_VOID(cr_check_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_check_run, a[0], a[1], a[2] == NULL ? &few_states : a[2], a[3])
CALL(cr_check_get_result, a[0], a[1], a[2])
CALL(cr_check_field_count, a[0])
CALL(cr_check_get_field, a[0], 0, a[1], a[2])
CALL_VOID(cr_check_get_kink, a[0], 0)
CALL_VOID(cr_check_get_off, a[0], 0, a[1], a[2])
CALL_POINTER(cr_check_get_report, a[0])
CALL_MAKE(cr_jumps_find, cr_jumps_destroy, a[0], a[1], a[2])
CALL_MAKE(cr_jumps_of_model, cr_jumps_destroy, a[0], a[1], a[2], a[3], a[4])
CALL(cr_jumps_get_result, a[0], a[1], a[2])
CALL(cr_jumps_get, a[0], 0, a[1], a[2])
CALL_VOID(cr_jumps_destroy, NULL)
CALL(cr_follow, a[0], a[1], 2, a[2], a[3], a[4], a[5], a[6], a[7])
#define CALL_NUMBER(name, ...) \
  static long call_##name(void** a) { return a != NULL && name(__VA_ARGS__) == name(__VA_ARGS__); }
CALL_NUMBER(cr_transform_value, CR_TRANSFORM_LOG, 1)
CALL_NUMBER(cr_transform_inverse, CR_TRANSFORM_LOG, 1)
CALL_NUMBER(cr_transform_slope, CR_TRANSFORM_LOG, 1)
CALL_MAKE(cr_parameters_create, cr_parameters_destroy, a[0], a[1], a[2], 1, a[3])
CALL_VOID(cr_parameters_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_parameters_count, a[0])
CALL_POINTER(cr_parameters_model, a[0])
CALL_POINTER(cr_parameters_fields, a[0], a[1])
CALL(cr_parameters_get_start, a[0], a[1], a[2])
CALL(cr_parameters_get_bounds, a[0], a[1], a[2], a[3])
CALL(cr_parameters_get_values, a[0], a[1], a[2], a[3])
CALL(cr_parameter_expand, a[0], a[1], a[2], 2, a[3], a[4])
CALL(cr_parameters_number_name, a[0], 0, a[1], 64, a[2])
CALL(cr_parameters_prior, a[0], a[1], a[2], a[3], a[4])
CALL(cr_parameters_report_count, a[0])
CALL(cr_parameters_report_name, a[0], 0, a[1], 64, a[2])
CALL(cr_parameters_report_values, a[0], a[1], a[2], a[3], a[4])
static long call_cr_parameters_set_values(void** a) {
  w.numbers[2][0] = 1;  // a mass
  return cr_parameters_set_values(a[0], a[1], a[2]);
}
CALL_MAKE(cr_recordings_create, cr_recordings_destroy, a[0], a[1], (cr_real)0.002, a[2])
CALL_VOID(cr_recordings_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
static long call_cr_recordings_add(void** a) {
  static char name[16];
  static int n;
  (void)snprintf(name, sizeof name, "%d", n++);  // one that is not taken
  if (a[1] != NULL) {
    ((cr_recording_info*)a[1])->name = name;
  }
  return cr_recordings_add(a[0], a[1], a[2]);
}
CALL_MAKE(cr_recordings_read, cr_recordings_destroy, a[0], a[1], a[2], a[3])
CALL(cr_recordings_write, a[0], a[1], a[2], a[3])
CALL(cr_recordings_count, a[0])
CALL(cr_recordings_get, a[0], 0, a[1], a[2])
CALL_VOID(cr_recordings_interval, a[0])
CALL(cr_recordings_doubt, a[0], a[1], 16, a[2])
CALL_MAKE(cr_measurements_create, cr_measurements_destroy, a[0], a[1], a[2])
CALL_VOID(cr_measurements_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
// of runs that last for one call
static long call_cr_measurements_begin(void** a) {
  cr_measurements* own = NULL;
  if (a[0] != NULL) {
    must(cr_measurements_create(&own, w.m, &error));
  }
  long status = cr_measurements_begin(own, a[1] != NULL ? "new" : NULL, 0, a[2]);
  cr_measurements_destroy(own);
  return status;
}
static long call_cr_measurements_add(void** a) {
  cr_measurements* own = NULL;
  if (a[0] != NULL) {
    must(cr_measurements_create(&own, w.m, &error));
    must(cr_measurements_begin(own, "own", 0, &error));
  }
  long status = cr_measurements_add(own, a[1], a[2]);
  cr_measurements_destroy(own);
  return status;
}
static long call_cr_measurements_read(void** a) {
  cr_measurements* own = NULL;
  if (a[0] != NULL) {
    must(cr_measurements_create(&own, w.m, &error));
  }
  long status = cr_measurements_read(own, a[1], a[2], a[3]);
  cr_measurements_destroy(own);
  return status;
}
CALL(cr_measurements_count, a[0])
CALL(cr_measurements_channels, a[0], 0)
CALL_POINTER(cr_measurements_name, a[0], 0)
CALL_VOID(cr_measurements_group, a[0], 0)
CALL(cr_measurements_get, a[0], 0, 0, a[1], a[2])
CALL(cr_measurements_set_noise, a[0], a[1], (cr_real)0.1, a[2])
CALL(cr_measurements_set_delay, a[0], a[1], (cr_real)0.1, a[2])
CALL(cr_measurements_doubt, a[0], 0, a[1], 0, a[2], a[3], a[4])
CALL_MAKE(cr_identification_create, cr_identification_destroy, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_identification_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_identification_count, a[0])
CALL_POINTER(cr_identification_name, a[0], 0)
CALL(cr_identification_get_start, a[0], a[1], a[2])
CALL(cr_identification_solve, a[0], a[1], a[2], a[3], a[4])
CALL(cr_identification_get_bounds, a[0], a[1], a[2], a[3])
static long call_cr_identification_descend(void** a) {
  cr_real x[4];
  cr_status status = cr_identification_descend(a[0], 2, a[1], a[2], a[3]);
  if (status == CR_OK) {  // what it forgot is asked for later
    must(cr_identification_get_start(a[0], x, &error));
    must(cr_identification_solve(a[0], &two_steps, x, &w.end, &error));
  }
  return status;
}
static long call_cr_identification_train(void** a) {
  cr_real x[4];
  cr_status status = cr_identification_train(a[0], a[1], a[2], a[3], a[4]);
  if (status == CR_OK) {  // intervals are asked for later
    must(cr_identification_get_start(a[0], x, &error));
    must(cr_identification_solve(a[0], &two_steps, x, &w.end, &error));
  }
  return status;
}
static long call_cr_identification_take(void** a) {
  cr_real x[4];
  cr_status status = cr_identification_take(a[0], a[1], a[2]);
  if (status == CR_OK) {
    must(cr_identification_get_start(a[0], x, &error));
    must(cr_identification_solve(a[0], &two_steps, x, &w.end, &error));
  }
  return status;
}
CALL(cr_identification_evaluate, a[0], CR_RUNS_TRAIN, a[1], a[2], a[3], a[4])
CALL(cr_identification_get, a[0], 0, a[1], a[2])
CALL(cr_identification_report_count, a[0])
CALL(cr_identification_get_report, a[0], 0, a[1], a[2])
CALL(cr_identification_profile, a[0], 0, a[1], a[2])
CALL(cr_identification_get_scale, a[0], a[1], a[2], a[3])
CALL(cr_identification_information, a[0], 0, a[1], a[2], a[3])
CALL(cr_design_order, a[0], 1, 1, a[1], a[2] != NULL ? scale : NULL, a[3], a[4], a[5])
CALL(cr_design_deviations, a[0], 1, a[1] != NULL ? scale : NULL, a[2], a[3])
CALL(cr_identification_get_combination, a[0], a[1], a[2], a[3])
CALL(cr_identification_covariance, a[0], a[1], a[2], a[3])
CALL(cr_identification_untold, a[0], 0, a[1], 64, a[2], a[3])
CALL(cr_identification_places, a[0])
CALL(cr_identification_get_place, a[0], CR_RUNS_TRAIN, 0, a[1], a[2])
CALL(cr_identification_windows, a[0], CR_RUNS_TRAIN)
CALL(cr_identification_get_state, a[0], 0, a[1], a[2], a[3], a[4], a[5], a[6])
CALL(cr_identification_predict, a[0], 0, 0, a[1], a[2])
CALL_MAKE(cr_fit_create, cr_fit_destroy, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_fit_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_fit_get_info, a[0], CR_FIT_TRAIN, a[1], a[2])
CALL(cr_fit_set_batch, a[0], 1, a[1])
CALL(cr_fit_threads, a[0])
CALL(cr_gradient_estimate, a[0], a[1], 1, a[2], a[3], a[4])
CALL(cr_estimator_for, a[0])
CALL(cr_smoothed_model, a[0], a[1], a[2], a[3], a[4])
CALL_MAKE(cr_smoothed_objective_create, cr_smoothed_objective_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_smoothed_objective_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_smoothed_objective_evaluate, a[0], CR_ALL_DATA, a[1], a[2], a[3], a[4])
CALL(cr_fit_evaluate, a[0], CR_FIT_TRAIN, CR_ALL_DATA, a[1], a[2], a[3])
CALL(cr_fit_objective, a[0], CR_ALL_DATA, a[1], a[2], a[3], a[4])
CALL(cr_parameters_set, a[0], a[1], a[2])
CALL(cr_parameters_gradient, a[0], a[1], a[2], a[3], a[4])
CALL(cr_minimise_lbfgs, a[0], a[1], a[2], a[3], a[4])
CALL(cr_minimise_adam, a[0], a[1], a[2], a[3], a[4])
CALL(cr_minimise_levenberg_marquardt, a[0], a[1], a[2], a[3], a[4])
CALL(cr_minimise_global, a[0], a[1], a[2], a[3], a[4])
CALL(cr_trust_measure, a[0], a[1], a[2])
static long call_cr_trust_word(void** a) {
  return a != NULL && cr_trust_word(CR_TRUST_YES) != NULL;
}
CALL_MAKE(cr_gradient_create, cr_gradient_destroy, a[0], a[1], 2, a[2], 1, a[3], a[4])
CALL_VOID(cr_gradient_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL_POINTER(cr_gradient_rollout, a[0])
CALL(cr_gradient_count, a[0], 0)
CALL_POINTER(cr_gradient_get, a[0], 0)
CALL(cr_gradient_compute, a[0], a[1], a[2])
CALL(cr_gradient_scale, a[0], 0, a[1], a[2])
CALL(cr_gradient_differences, a[0], 0, 1e-6, a[1], a[2])
CALL(cr_gradient_two_slopes, a[0], 0, a[1], 16, a[2], a[3])
CALL(cr_gradient_trust, a[0], 0, a[1], a[2])
CALL_VOID(cr_model_destroy, a[0] == NULL ? NULL : open_text("closed.xml", text_of_other))
CALL(cr_model_save, a[0], a[1], a[2])
static unsigned char model_bytes[1 << 16];
static size_t nmodel_bytes;
CALL(cr_model_save_bytes, a[0], a[1] == NULL ? NULL : model_bytes, sizeof model_bytes,
     a[2] == NULL ? NULL : &nmodel_bytes, a[3])
static const void* bytes_of_model(const void* given) {
  must(cr_model_save_bytes(w.m, model_bytes, sizeof model_bytes, &nmodel_bytes, &error));
  return given == NULL ? NULL : model_bytes;
}
CALL_MAKE(cr_model_open_bytes, cr_model_destroy, a[0], bytes_of_model(a[1]), nmodel_bytes, a[2])
CALL(cr_model_count, a[0], a[1])
CALL(cr_model_id, a[0], a[1], a[2])
CALL_POINTER(cr_model_name, a[0], a[1], 0)
CALL(cr_model_get, a[0], a[1], a[2], 3, a[3])
CALL(cr_model_set, a[0], a[1], a[2], 3, a[3])
CALL(cr_control_name, a[0], 0, a[1], 64, a[2])
CALL_VOID(cr_model_fingerprint, a[0], 0)
CALL(cr_model_timestep, a[0])
CALL(cr_model_get_option, a[0], a[1], a[2], a[3])
CALL(cr_model_set_option, a[0], a[1], (cr_real)0.002, a[2])
CALL_POINTER(cr_model_get_choice, a[0], a[1])
CALL(cr_model_set_choice, a[0], a[1], a[2], a[3])
CALL(cr_model_get_flag, a[0], a[1])
CALL(cr_model_set_flag, a[0], a[1], true, a[2])
static long call_cr_field_count(void** a) { return a == NULL ? 0 : cr_field_count(); }
CALL_POINTER(cr_enum_word, a[0], 1)
CALL(cr_enum_value, a[0], a[1])
CALL(cr_field_get, a[0], 0, a[1], a[2])
CALL(cr_field_move, a[0], field_of_mass(), a[1], a[2], 1, a[3])
CALL_POINTER(cr_model_numbers, a[0], a[1], a[2], a[3])
CALL_POINTER(cr_model_integers, a[0], a[1], a[2], a[3])
CALL_POINTER(cr_data_integers, a[0], a[1], a[2], a[3], a[4])
CALL(cr_number_name, a[0], field_of_mass(), 1, false, a[1], CR_NUMBER_NAME, a[2])
CALL(cr_model_place, a[0], a[1], a[2], a[3])
CALL_MAKE(cr_model_copy, cr_model_destroy, a[0], a[1], a[2])
CALL(cr_model_derive, a[0], a[1])
// of a copy: data of the model itself would be too old
static long call_cr_model_add_stage(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_add_stage(copy, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_model_add_state(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_add_state(copy, 1, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_model_add_parameters(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_add_parameters(copy, 1, a[1], a[2], a[3]);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_model_add_correction(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_add_correction(copy, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_model_read_blueprint(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_read_blueprint(copy, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
#define NET(x) ((x) != NULL ? w.network : NULL)
CALL(cr_model_save_blueprint, a[0] != NULL ? w.corrected : NULL, a[1], a[2])
CALL(cr_model_correction_count, a[0] != NULL ? w.corrected : NULL)
CALL(cr_model_get_correction, a[0] != NULL ? w.corrected : NULL, 0, a[1], a[2])
CALL(cr_correction_get_usage, a[0] != NULL ? w.corrected : NULL, 0, 0, a[1], a[2])
CALL(cr_correction_get_weights, a[0] != NULL ? w.corrected : NULL, 0, a[1], a[2])
CALL_MAKE(cr_network_create, cr_network_destroy, a[0], 2, a[1], 1, a[2])
CALL_MAKE(cr_network_create_for_sequences, cr_network_destroy, a[0], 2, a[1], 1, a[2])
CALL(cr_network_nlayer, NET(a[0]))
CALL(cr_network_get_layer, NET(a[0]), 0, a[1], a[2])
CALL_VOID(cr_network_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_network_ninput, NET(a[0]))
CALL(cr_network_noutput, NET(a[0]))
CALL(cr_network_nweight, NET(a[0]))
CALL(cr_network_nmemory, NET(a[0]))
CALL(cr_network_nroom, NET(a[0]))
CALL(cr_network_weight_range, NET(a[0]), 0, a[1], a[2], a[3], a[4])
CALL(cr_network_init, NET(a[0]), 1, true, a[1], a[2])
CALL_VOID(cr_network_forward, NET(a[0]), a[1], a[2], a[3], a[4], a[5], a[6])
CALL_VOID(cr_network_jvp, NET(a[0]), a[1], a[2], a[3], a[4], a[5], a[6], a[7])
CALL_VOID(cr_network_vjp, NET(a[0]), a[1], a[2], a[3], a[4], a[5], a[6], a[7])
CALL_MAKE(cr_sequences_create, cr_sequences_destroy, a[0], NET(a[1]), a[2])
CALL_VOID(cr_sequences_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_sequences_set_lengths, a[0], a[1] != NULL ? &one_row : NULL, 1, a[2])
CALL(cr_sequences_nrow, a[0])
CALL(cr_sequences_forward, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
static long call_cr_sequences_jvp(void** a) {
  // the calls before may have set lengths
  must(cr_sequences_forward(w.sequences, w.numbers[0], w.numbers[1], NULL, w.numbers[2], NULL,
                            &error));
  return cr_sequences_jvp(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}
static long call_cr_sequences_vjp(void** a) {
  must(cr_sequences_forward(w.sequences, w.numbers[0], w.numbers[1], NULL, w.numbers[2], NULL,
                            &error));
  return cr_sequences_vjp(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}
#define SOME(x) ((x) != NULL ? ones : NULL)
#define NOUGHT(x) ((x) != NULL ? noughts : NULL)
CALL(cr_network_input_groups, NET(a[0]), a[1] != NULL ? (int32_t*)(void*)w.numbers[3] : NULL, a[2])
CALL_MAKE(cr_learned_create, cr_learned_destroy, a[0], NET(a[1]), 1, a[2])
CALL_VOID(cr_learned_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL_POINTER(cr_learned_network, a[0])
CALL_POINTER(cr_learned_weights, a[0])
CALL(cr_learned_set_normalisation, a[0], SOME(a[1]), SOME(a[2]), NOUGHT(a[3]), SOME(a[4]), a[5])
CALL(cr_learned_get_normalisation, a[0], a[1], a[2], a[3], a[4], a[5])
CALL(cr_learned_fold, a[0], a[1], a[2])
CALL(cr_learned_predict, a[0], a[1] != NULL ? &one_row : NULL, 1, a[2], a[3], a[4])
CALL(cr_learned_predict_ends, a[0], a[1] != NULL ? &no_row : NULL, a[2] != NULL ? &one_row : NULL,
     1, a[3], a[4], a[5])
CALL(cr_learned_nroom, a[0])
CALL_VOID(cr_learned_step, a[0], a[1], a[2], a[3], a[4])
CALL(cr_learned_evaluate, a[0], a[1], CR_LEARNING_SQUARES, 0, a[2], a[3])
CALL(cr_learned_train, a[0], a[1], a[2], a[3], a[4])
CALL(cr_learned_save, a[0], a[1], a[2])
CALL(cr_learned_save_onnx, a[0], a[1], true, a[2])
CALL_MAKE(cr_learned_open_onnx, cr_learned_destroy, a[0], a[1], a[2])
CALL_MAKE(cr_learned_open, cr_learned_destroy, a[0], a[1], a[2])
static long call_cr_model_add_contact_model(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_add_contact_model(copy, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_model_set_contact_pair(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_set_contact_pair(copy, 0, 1, a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
// a geom of a shape that can have a pressure field
static int first_solid(const cr_model* m) {
  int geom = 0;
  while (m != NULL && geom < m->ngeom && (m->geom_type[geom] < 2 || m->geom_type[geom] > 6)) {
    geom++;
  }
  return geom;
}
static long call_cr_model_set_pressure(void** a) {
  cr_model* copy = NULL;
  if (a[0] != NULL) {
    must(cr_model_copy(&copy, a[0], &error));
  }
  long status = cr_model_set_pressure(copy, first_solid(copy), a[1], a[2]);
  cr_model_destroy(copy);
  return status;
}
// Y has room for a face
static long call_cr_pressure_faces(void** a) {
  return cr_pressure_faces(a[0], a[1], 0, 1, 1, a[2], a[3], a[4]);
}
static long call_cr_pressure_corners(void** a) {
  return cr_pressure_corners(a[0], a[1], 0, 1, 1, a[2], a[3], a[4], a[5]);
}
// of the system that a solver gets
static void** system_arguments;
static bool of_matrix;
static cr_status ask(void* user, cr_contact_system* s) {
  void** a = system_arguments;
  const cr_contact_system* system = a[0] != NULL ? s : NULL;
  *(cr_status*)user = of_matrix ? cr_contact_matrix(system, a[1], a[2])
                                : cr_contact_residual(system, a[1], a[2], a[3]);
  return CR_ERR_INTERRUPTED;
}
static long call_of_system(void** a, bool matrix) {
  cr_status status = CR_OK;
  cr_model* copy;
  cr_data* d;
  cr_contact_options o = contact_options;
  o.solve = ask;
  o.user = &status;
  system_arguments = a;
  of_matrix = matrix;
  must(cr_model_copy(&copy, w.m, &error));
  must(cr_model_set_choice(copy, "cone", "elliptic", &error));
  must(cr_model_add_contact_model(copy, &o, &error));
  must(cr_model_set_choice(copy, "contact_model", o.name, &error));
  must(cr_data_create(&d, copy, &error));
  assert_int_equal(cr_step(copy, d), CR_ERR_INTERRUPTED);
  cr_data_destroy(d);
  cr_model_destroy(copy);
  return status;
}
static long call_cr_contact_residual(void** a) { return call_of_system(a, false); }
static long call_cr_contact_matrix(void** a) { return call_of_system(a, true); }
CALL_POINTER(cr_model_get_contact_pair, a[0], 0, 1)
CALL_POINTER(cr_model_stage, a[0], 0)
CALL_MAKE(cr_data_create, cr_data_destroy, a[0], a[1], a[2])
CALL_MAKE(cr_data_create_room, cr_data_destroy, a[0], a[1], 500, a[2])
CALL_VOID(cr_data_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_data_reset, a[0], a[1])
CALL_MAKE(cr_data_create_tangent, cr_data_destroy, a[0], a[1], a[2], a[3])
CALL_MAKE(cr_data_create_cotangent, cr_data_destroy, a[0], a[1], a[2], a[3])
CALL_POINTER(cr_data_view, a[0], a[1], a[2], a[3], a[4])
CALL_POINTER(cr_data_numbers, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_data_time, a[0])
CALL_POINTER(cr_data_error, a[0])
CALL(cr_forward, a[0], a[1])
CALL(cr_forward_jvp, a[0], a[1], a[2])
CALL(cr_forward_vjp, a[0], a[1], a[2])
CALL(cr_two_slopes, a[0], a[1], a[2], 0, a[3], 16, a[4])
CALL(cr_step, a[0], a[1])
CALL_VOID(cr_solver_residual, a[0])
CALL(cr_step_stages, a[0])
CALL(cr_step_watched, a[0], a[1], NULL, a[2])
CALL(cr_step_jvp_watched, a[0], a[1], a[2], NULL, a[3])
CALL(cr_step_vjp_watched, a[0], a[1], a[2], NULL, a[3])
#define CALL_MAKE_MUJOCO(name, ...)   \
  static long call_##name(void** a) { \
    w.slot = NULL;                    \
    long status = name(__VA_ARGS__);  \
    mj_deleteModel(w.slot);           \
    return status;                    \
  }
CALL_MAKE_MUJOCO(cr_mujoco_compile, a[0], a[1], a[2], a[3], a[4])
CALL_MAKE(cr_model_from_mujoco, cr_model_destroy, a[0], a[1], a[2], a[3])
CALL(cr_mujoco_save, a[0], a[1], a[2], a[3], a[4])
CALL(cr_state_from_mujoco, a[0], a[1], a[2], a[3])
CALL(cr_advance, a[0], a[1])
CALL(cr_step_jvp, a[0], a[1], a[2], a[3])
CALL(cr_step_vjp, a[0], a[1], a[2], a[3], a[4])
CALL(cr_state_size, a[0], CR_STATE_PHYSICS)
CALL(cr_state_get, a[0], a[1], a[2], CR_STATE_PHYSICS)
CALL(cr_state_copy, a[0], a[1], a[2], CR_STATE_INTEGRATION)
CALL(cr_state_set, a[0], a[1], a[2], CR_STATE_CTRL)
CALL(cr_data_reset_keyframe, a[0], a[1], 0)
CALL(cr_integrate_pos, a[0], a[1], a[2], 1, a[3])
CALL(cr_differentiate_pos, a[0], a[1], 1, a[2], a[3], a[4])
CALL(cr_inverse, a[0], a[1])
CALL(cr_inverse_jvp, a[0], a[1], a[2])
CALL(cr_inverse_vjp, a[0], a[1], a[2])
CALL(cr_jac, a[0], a[1], a[2], a[3], a[4], 1)
CALL(cr_jac_body, a[0], a[1], a[2], a[3], 1)
CALL(cr_jac_body_com, a[0], a[1], a[2], a[3], 1)
CALL(cr_jac_geom, a[0], a[1], a[2], a[3], 0)
CALL(cr_jac_site, a[0], a[1], a[2], a[3], 0)
CALL(cr_jac_subtree_com, a[0], a[1], a[2], 1)
CALL(cr_jac_dot, a[0], a[1], a[2], a[3], a[4], 1)
CALL(cr_angmom_mat, a[0], a[1], a[2], 1)
CALL(cr_apply_ft, a[0], a[1], a[2], a[3], a[4], 1, a[5])
CALL(cr_full_m, a[0], a[1], a[2])
CALL(cr_mul_m, a[0], a[1], a[2], a[3])
CALL(cr_solve_m, a[0], a[1], a[2], a[3])
CALL(cr_rne, a[0], a[1], true, a[2])
CALL(cr_contact_count, a[0])
CALL(cr_contact_get, a[0], a[1], 0, a[2])
CALL(cr_geom_distance, a[0], a[1], 0, 1, 1, a[2], a[3])
CALL(cr_tendon_path, a[0], a[1], 0, a[2], 64, a[3])
CALL(cr_object_velocity, a[0], a[1], CR_FRAME_BODY, 1, a[2], true)
CALL(cr_object_acceleration, a[0], a[1], CR_FRAME_BODY, 1, a[2], true)
CALL_MAKE(cr_jacobian_create, cr_jacobian_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_jacobian_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_step_jacobian, a[0], a[1], a[2], a[3], a[4], a[5])
CALL_VOID(cr_jacobian_fallback, a[0])
CALL_POINTER(cr_jacobian_error, a[0])
CALL_MAKE(cr_sensor_jacobian_create, cr_sensor_jacobian_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_sensor_jacobian_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_sensordata_jacobian, a[0], a[1], a[2], a[3], a[4])
CALL_POINTER(cr_sensor_jacobian_error, a[0])
CALL_MAKE(cr_parameter_jacobian_create, cr_parameter_jacobian_destroy, a[0], a[1], a[2], a[3], 1,
          false, a[4])
CALL_VOID(cr_parameter_jacobian_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_parameter_jacobian_columns, a[0])
CALL(cr_step_parameter_jacobian, a[0], a[1], a[2], a[3])
CALL_POINTER(cr_parameter_jacobian_error, a[0])
CALL_MAKE(cr_expression_create, cr_expression_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_expression_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
// as a run sees it
static long call_cr_expression_loss(void** a) {
  cr_real value = 0;
  cr_loss loss = cr_expression_loss(a[0], false);
  return (long)loss.value(loss.context, w.m, w.d, 1, &value);
}
CALL_MAKE(cr_cost_create, cr_cost_destroy, a[0], a[1], a[2])
CALL_VOID(cr_cost_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_cost_add, a[0], a[1], a[2])
CALL(cr_cost_count, a[0])
CALL_POINTER(cr_cost_name, a[0], 0)
static long call_cr_cost_loss(void** a) {
  cr_real value = 0;
  cr_loss loss = cr_cost_loss(a[0], 1, 1);
  return (long)loss.value(loss.context, w.m, w.d, 1, &value);
}
CALL_VOID(cr_cost_part, a[0], 0)
CALL(cr_cost_gauss_newton, a[0], a[1], a[2], 1, a[3], a[4], a[5], a[6])
static long call_cr_equilibrium(void** a) {
  return (long)cr_equilibrium(a[0], a[1], a[2] == NULL ? &equilibrium_options : a[2], a[3]);
}
// a system of one state, all numbers 1
static const cr_real* one_or_null(const void* x) { return x == NULL ? NULL : scale; }
static long call_cr_quasidynamic_create(void** a) {
  w.slot = NULL;
  long status =
      cr_quasidynamic_create(a[0], a[1], a[2] == NULL ? &quasidynamic_options : a[2], a[3]);
  cr_quasidynamic_destroy(w.slot);
  return status;
}
CALL_VOID(cr_quasidynamic_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_quasidynamic_step, a[0], a[1], a[2], a[3])
CALL(cr_quasidynamic_jacobian, a[0], a[1], a[2])
CALL(cr_quasidynamic_set_parameters, a[0], a[1], 1)
CALL(cr_quasidynamic_columns, a[0])
CALL(cr_quasidynamic_parameter_jacobian, a[0], a[1])
CALL_POINTER(cr_quasidynamic_displacement, a[0])
CALL_VOID(cr_quasidynamic_residual, a[0])
CALL(cr_quasidynamic_contacts, a[0])
CALL(cr_quasidynamic_get_contact, a[0], 0, a[1], a[2])
CALL(cr_quasidynamic_hold, a[0], a[1], a[2])
CALL(cr_quasidynamic_way, a[0], a[1], a[2], CR_R(0.001), 1, 1, a[3], a[4])
CALL_POINTER(cr_quasidynamic_error, a[0])
CALL_MAKE(cr_quasidynamic_batch_create, cr_quasidynamic_batch_destroy, a[0], a[1], a[2], 1, a[3])
CALL_VOID(cr_quasidynamic_batch_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_quasidynamic_batch_run, a[0], 1, a[1], a[2], a[3], a[4], a[5], a[6])
static long call_cr_contact_tree_grow(void** a) {
  w.slot = NULL;
  long status =
      cr_contact_tree_grow(a[0], a[1], a[2], a[3], a[4], a[5] == NULL ? &few_nodes : a[5], a[6]);
  cr_contact_plan_destroy(w.slot);
  return status;
}
CALL_VOID(cr_contact_plan_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_contact_plan_poses, a[0])
CALL(cr_contact_plan_nodes, a[0])
CALL_VOID(cr_contact_plan_distance, a[0])
CALL_VOID(cr_contact_plan_get, a[0], 0, a[1], a[2], a[3])
CALL_MAKE(cr_smoothed_mpc_create, cr_smoothed_mpc_destroy, a[0], a[1], a[2], a[3])
CALL_MAKE(cr_smoothed_mpc_create_quasidynamic, cr_smoothed_mpc_destroy, a[0], a[1], a[2], a[3],
          a[4])
CALL_VOID(cr_smoothed_mpc_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_smoothed_mpc_set_start, a[0], a[1], a[2])
CALL_POINTER(cr_smoothed_mpc_ctrl, a[0])
CALL(cr_smoothed_mpc_improve, a[0], a[1], a[2])
CALL_POINTER(cr_smoothed_mpc_states, a[0])
CALL_VOID(cr_smoothed_mpc_cost, a[0])
CALL_VOID(cr_smoothed_mpc_best, a[0], NULL, NULL)
CALL_MAKE(cr_filter_create, cr_filter_destroy, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_filter_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL_POINTER(cr_filter_data, a[0])
CALL_POINTER(cr_filter_covariance, a[0])
CALL(cr_filter_correct, a[0], a[1], a[2], a[3], a[4], a[5])
CALL(cr_filter_predict, a[0], a[1], a[2])
CALL(cr_lqr, 1, 1, one_or_null(a[0]), one_or_null(a[1]), one_or_null(a[2]), one_or_null(a[3]), a[4],
     a[5], a[6])
CALL(cr_spectral_radius, 1, a[0], a[1], a[2])
CALL_MAKE(cr_planner_create, cr_planner_destroy, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_planner_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_planner_set_start, a[0], a[1], a[2])
CALL_POINTER(cr_planner_knots, a[0], a[1])
CALL_VOID(cr_planner_restart, a[0] == NULL ? NULL : w.planner)
CALL(cr_planner_improve, a[0], a[1], a[2])
CALL(cr_planner_shift, a[0], 1, a[1])
CALL(cr_planner_control, a[0], 0, a[1], a[2], a[3])
CALL_POINTER(cr_planner_ctrl, a[0])
CALL_VOID(cr_planner_gain, a[0] == NULL ? NULL : w.planner, 0)
CALL_VOID(cr_planner_memory_size, a[0] == NULL ? NULL : w.planner)
static cr_real plan_memory[1 << 10];
static void* plan_room(void* x) {
  bool fits = cr_planner_memory_size(w.planner) <= sizeof plan_memory / sizeof plan_memory[0];
  assert_true(fits);
  return x == NULL ? NULL : plan_memory;
}
CALL(cr_planner_get_memory, a[0], plan_room(a[1]), a[2])
CALL(cr_planner_set_memory, a[0], plan_room(a[1]), cr_planner_memory_size(w.planner), a[2])
CALL_MAKE(cr_policy_create, cr_policy_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_policy_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_policy_ninput, a[0])
CALL(cr_policy_nweight, a[0])
CALL_POINTER(cr_policy_weights, a[0])
CALL_POINTER(cr_policy_weights_bar, a[0])
CALL(cr_policy_init, a[0], 1, a[1])
CALL(cr_policy_control, a[0], a[1], a[2], 0, a[3], a[4])
// the rollout has no policy afterwards
static long call_cr_policy_attach(void** a) {
  long status = (long)cr_policy_attach(a[0] == NULL ? NULL : w.policy, a[1], a[2], a[3]);
  (void)cr_policy_attach(NULL, a[1], NULL, NULL);
  return status;
}
CALL_MAKE(cr_policy_training_create, cr_policy_training_destroy, a[0], a[1], a[2], a[3], a[4], a[5],
          a[6])
CALL_VOID(cr_policy_training_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL_POINTER(cr_policy_training_policy, a[0])
CALL_VOID(cr_policy_training_restart, a[0] == NULL ? NULL : w.training)
CALL(cr_policy_training_estimate, a[0], 0, a[1], a[2])
CALL(cr_policy_training_step, a[0], a[1], a[2])
CALL_VOID(cr_policy_training_iterations, a[0] == NULL ? NULL : w.training)
CALL_VOID(cr_policy_training_memory_size, a[0] == NULL ? NULL : w.training)
CALL(cr_policy_training_get_memory, a[0], plan_room(a[1]), a[2])
CALL(cr_policy_training_set_memory, a[0], plan_room(a[1]),
     cr_policy_training_memory_size(w.training), a[2])
CALL_MAKE(cr_live_plan_create, cr_live_plan_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_live_plan_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_live_plan_observe, a[0], a[1], 0, a[2])
CALL(cr_live_plan_control, a[0], 0, a[1], a[2], a[3])
CALL(cr_live_plan_get_report, a[0], a[1], a[2])
CALL_MAKE(cr_view_create, cr_view_destroy, a[0], a[1], a[2], a[3])
CALL_VOID(cr_view_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_view_begin, a[0], a[1], a[2])
// a state is the first of a motion: the same one twice is refused
static void* with_motion(void* view) {
  if (view != NULL) {
    must(cr_view_begin(view, &view_motion, &error));
  }
  return view;
}
CALL(cr_view_take, with_motion(a[0]), a[1], a[2])
CALL(cr_view_read, a[0], a[1], a[2], 0, a[3])
// on a page of its own, which takes no more motions. A build without a compiler for WebAssembly has no core for it
static long call_cr_view_set_live(void** a) {
  cr_view* page = NULL;
  must(cr_view_create(&page, w.m, &bare_view_options, &error));
  long status = cr_view_set_live(a[0] == NULL ? NULL : page, a[1], a[2], a[3]);
  cr_view_destroy(page);
  return status == CR_ERR_UNSUPPORTED && cr_view_core_size == 0 ? CR_OK : status;
}
CALL(cr_view_states, a[0], 0)
CALL(cr_view_save, a[0], a[1], a[2])
CALL_MAKE(cr_render_create, cr_render_destroy, a[0], a[1], a[2], a[3], a[4], a[5])
CALL_VOID(cr_render_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_render_begin, a[0], a[1])
static void* with_pictures(void* render) {
  if (render != NULL) {
    must(cr_render_begin(render, &error));
  }
  return render;
}
CALL(cr_render_take, with_pictures(a[0]), a[1], a[2])
CALL(cr_render_read, a[0], a[1], a[2])
CALL_VOID(cr_render_time, a[0])
CALL(cr_render_frames, a[0], a[1], a[2])
// a machine may have no OpenGL
static long drawn(cr_status status) { return status == CR_ERR_UNSUPPORTED ? CR_OK : status; }
static long call_cr_render_draw(void** a) { return drawn(cr_render_draw(a[0], 0, a[1], a[2])); }
static long call_cr_render_save(void** a) { return drawn(cr_render_save(a[0], a[1], a[2], a[3])); }
CALL_MAKE(cr_rollout_create, cr_rollout_destroy, a[0], a[1], 3, a[2], 1, a[3])
CALL_VOID(cr_rollout_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL_POINTER(cr_rollout_data, a[0])
CALL_POINTER(cr_rollout_ctrl, a[0])
CALL_VOID(cr_rollout_set_control, a[0], NULL, a[1])
CALL_VOID(cr_rollout_set_control_bar, a[0], NULL, a[1])
CALL(cr_rollout_set_adaptive, a[0], a[1], a[2], a[3])
CALL(cr_rollout_set_memory, a[0], a[1], 0, a[2])
CALL_VOID(cr_rollout_steps, a[0], a[1], a[2], a[3])
CALL(cr_rollout_uncounted, a[0])
CALL_POINTER(cr_rollout_doubt, a[0])
CALL(cr_rollout_set_adjoint, a[0], a[1], a[2], a[3])
CALL_VOID(cr_rollout_adjoint_steps, a[0], a[1], a[2])
CALL(cr_rollout_run, a[0], a[1], 2, a[2], a[3])
CALL_VOID(cr_rollout_loss, a[0])
CALL(cr_rollout_gradient, a[0], a[1], a[2], a[3], a[4])
CALL_POINTER(cr_rollout_bar, a[0])
CALL_POINTER(cr_rollout_ctrl_bar, a[0])
CALL_MAKE(cr_batch_create, cr_batch_destroy, a[0], a[1], a[2], a[3], a[4])
CALL_VOID(cr_batch_destroy, a[0] == NULL ? NULL : (w.slot = NULL))
CALL(cr_batch_threads, a[0])
CALL(cr_batch_kept_size, a[0])
CALL(cr_batch_run, a[0], 2, a[1], NULL, a[2], a[3], a[4])
