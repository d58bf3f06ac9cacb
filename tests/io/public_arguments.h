// SPDX-License-Identifier: Apache-2.0
// Constants that public functions are called with: options, problems, small functions. For test_public.c alone.

static const char* const parameters[] = {"body_mass"};
static const char* const many_names[] = {"gravity"};
static const cr_real down[] = {0, 0, -9.81};
static const cr_real* const many_values[] = {down};
static const cr_real scale[] = {1};
static const cr_parameter_info mass = {.size = sizeof mass,
                                       .name = "mass",
                                       .target = "body_mass[box]",
                                       .transform = CR_TRANSFORM_LOG,
                                       .start = 1,
                                       .lower = 0.1,
                                       .upper = 10};
static const cr_parameter_info* const items[] = {&mass};

static cr_status square(void* context, int batch, const cr_real* x, cr_real* value,
                        cr_real* gradient, cr_error* error) {
  (void)context, (void)batch, (void)error;
  *value = x[0] * x[0];
  gradient[0] = 2 * x[0];
  return CR_OK;
}
static const cr_minimise_problem minimum = {.size = sizeof minimum, .n = 1, .evaluate = square};

static cr_status one_less(void* context, const cr_real* x, cr_real* residuals, cr_real* jacobian,
                          cr_error* error) {
  (void)context, (void)error;
  residuals[0] = x[0] - 1;
  if (jacobian != NULL) {
    jacobian[0] = 1;
  }
  return CR_OK;
}
static const cr_least_squares_problem squares = {
    .size = sizeof squares, .n = 1, .m = 1, .evaluate = one_less};
static const cr_least_squares_options squares_options = {.size = sizeof squares_options};
static const cr_real searched_low[] = {-1}, searched_high[] = {2};
static const cr_global_problem searched = {.size = sizeof searched,
                                           .n = 1,
                                           .lower = searched_low,
                                           .upper = searched_high,
                                           .evaluate = square};
static const cr_global_options search_options = {
    .size = sizeof search_options, .islands = 1, .population = 2, .generations = 2};
static const cr_global_result searched_out = {.size = sizeof searched_out};
static const cr_measurements_file as_it_is = {.size = sizeof as_it_is};
static const cr_fit_options fit_options = {.size = sizeof fit_options, .nthread = 1};
static const cr_cost_term cost_term = {.size = sizeof cost_term,
                                       .kind = CR_RESIDUAL_PLACE,
                                       .text = "qvel",
                                       .norm = CR_NORM_QUADRATIC,
                                       .weight = 1};
static const cr_equilibrium_options equilibrium_options = {
    .size = sizeof equilibrium_options, .iterations = 1, .tolerance = 1e9};
static const cr_smoothed_model_options smoothed_options = {.size = sizeof smoothed_options,
                                                           .nthread = 1};
static cr_linear_model linear_model = {.size = sizeof linear_model};
static const cr_plan_options plan_options = {.size = sizeof plan_options, .nstep = 3, .nthread = 1};
static const cr_observation observation = {.size = sizeof observation, .text = "qvel"};
static const cr_observation* const observations[] = {&observation};
static const cr_policy_options policy_options = {
    .size = sizeof policy_options, .observations = observations, .nobservation = 1};
static const cr_policy_training_options policy_training_options = {
    .size = sizeof policy_training_options, .nstep = 2, .noise = noise_of_all, .samples = 2};
static const cr_plan_options live_plan_options = {
    .size = sizeof live_plan_options, .method = CR_PLAN_ILQR, .nstep = 3, .nthread = 1};
static const cr_live_options live_options = {.size = sizeof live_options};
static const char* const view_plots[] = {"qpos[elbow]"};
static const cr_view_options view_options = {
    .size = sizeof view_options, .title = "a", .plots = view_plots, .nplot = 1};
static const cr_view_options bare_view_options = {.size = sizeof bare_view_options, .title = "a"};
static const cr_view_live live_page_options = {.size = sizeof live_page_options};
static const cr_view_motion view_motion = {.size = sizeof view_motion, .name = "still"};
static const cr_render_options render_options = {
    .size = sizeof render_options, .width = 16, .height = 16};
static const cr_film_options film_options = {.size = sizeof film_options};
static const cr_real sensor_noise[] = {CR_R(0.1)};
static const cr_quasidynamic_options quasidynamic_options = {.size = sizeof quasidynamic_options};
static const cr_contact_tree_options few_nodes = {.size = sizeof few_nodes, .nodes = 3};
static const cr_real mpc_numbers[6] = {1, 1, 1, 1, 1, 1};
static cr_status mpc_step(void* context, int worker, const cr_real* x, const cr_real* u,
                          cr_real* next, cr_real* A, cr_real* B, cr_error* error) {
  (void)context;
  (void)worker;
  (void)error;
  *next = *x + *u;
  if (A != NULL) {
    *A = 1;
  }
  if (B != NULL) {
    *B = 1;
  }
  return CR_OK;
}
static const cr_mpc_system mpc_system = {
    .size = sizeof mpc_system, .nx = 1, .nu = 1, .step = mpc_step};
static const cr_mpc_options mpc_options = {.size = sizeof mpc_options,
                                           .nstep = 2,
                                           .goal = mpc_numbers,
                                           .Q = mpc_numbers,
                                           .R = mpc_numbers,
                                           .nthread = 1};
static const cr_filter_options filter_options = {.size = sizeof filter_options,
                                                 .sensor_noise = sensor_noise};
static const cr_lbfgs_options lbfgs = {.size = sizeof lbfgs, .iterations = 9};
static const cr_adam_options adam = {.size = sizeof adam, .iterations = 9, .rate = 0.1};
static const cr_batch_options batch_options = {
    .size = sizeof batch_options, .nstep = 2, .nthread = 1};
static const cr_check_options few_states = {.size = sizeof few_states, .states = 1};
static cr_status one_stair(void* context, cr_real at, cr_real* value, int* contacts,
                           cr_error* error) {
  (void)context, (void)error;
  *value = at < CR_R(0.3) ? 1 : 2;
  *contacts = 0;
  return CR_OK;
}
static const cr_jump_sweep stair = {.size = sizeof stair, .function = one_stair, .n = 1, .to = 1};
static const cr_jumps_options jumps_options = {
    .size = sizeof jumps_options, .coordinate = "qvel[elbow]", .steps = 3};
static const cr_batch_input batch_input = {.size = sizeof batch_input};
static const cr_batch_output batch_output = {.size = sizeof batch_output};

static cr_status nothing(void* user, const cr_stage_call* call) {
  return user == NULL && call->nchange == 1 ? CR_OK : CR_ERR_ARG;
}
static const char* const changes[] = {"qfrc_passive"};
static const cr_stage_options stage_options = {.size = sizeof(cr_stage_options),
                                               .name = "nothing",
                                               .after = "passive",
                                               .changes = changes,
                                               .nchange = 1,
                                               .forward = nothing};
static const int32_t one_row = 1, no_row = 0;
static const cr_real ones[3] = {1, 1, 1}, noughts[3] = {0};
static const cr_learning_data learning_data = {.size = sizeof learning_data,
                                               .length = &one_row,
                                               .nsequence = 1,
                                               .input = ones,
                                               .target = ones};
static const cr_learning_options learning_options = {
    .size = sizeof learning_options, .epochs = 2, .rate = 0.01};
static const cr_layer layer = {.size = sizeof(cr_layer), .kind = CR_LAYER_GRU, .width = 3};
static const cr_correction_input input_of_correction = {.size = sizeof(cr_correction_input),
                                                        .place = "qvel"};
static const cr_correction_input* const inputs_of_correction[] = {&input_of_correction};
static const cr_correction_options correction_options = {.size = sizeof(cr_correction_options),
                                                         .name = "net",
                                                         .target = "qfrc_passive",
                                                         .inputs = inputs_of_correction,
                                                         .ninput = 1,
                                                         .layers = &layer,
                                                         .nlayer = 1};
static void no_force(void* user, cr_contact_call* call) { (void)user, (void)call; }
static const cr_contact_options contact_options = {.size = sizeof(cr_contact_options),
                                                   .name = "nothing",
                                                   .force = no_force,
                                                   .jvp = no_force,
                                                   .vjp = no_force};
static const cr_pressure_options pressure_options = {
    .size = sizeof(cr_pressure_options), .kind = "compliant", .modulus = 1000};

// ---- structs with a size, and what refers to one

static const cr_gradient_options gradient_options = {.size = sizeof gradient_options};
static const cr_urdf_options urdf_options = {.size = sizeof urdf_options};
static const cr_adaptive by_tolerance = {.size = sizeof by_tolerance, .rtol = 1e-6, .atol = 1e-6};
static const cr_adjoint backward = {.size = sizeof backward, .rtol = 1e-6, .atol = 1e-6};

// what a function gets for a struct at x: itself, or another one that refers to it
static void* itself(void* x) { return x; }
static void* in_list(void* x) {
  static const cr_parameter_info* list[1];
  list[0] = x;
  return list;
}
#define WITHIN(function, type, outer, member) \
  static void* function(void* x) {            \
    static type o;                            \
    o = outer;                                \
    o.member = x;                             \
    return &o;                                \
  }
WITHIN(in_fit, cr_fit_options, fit_options, adaptive)
WITHIN(in_fit_adjoint, cr_fit_options, fit_options, adjoint)
WITHIN(in_batch, cr_batch_options, batch_options, adaptive)
WITHIN(in_check, cr_check_options, few_states, urdf)
static void* in_contact_model(void* x) {
  static cr_contact_options o;
  o = contact_options;
  o.stages = x;
  o.nstage = 1;
  return &o;
}

static void* in_policy(void* x) {
  static const cr_observation* list[1];
  static cr_policy_options o;
  list[0] = x;
  o = policy_options;
  o.observations = list;
  return &o;
}

// an estimate by several processes
static const cr_processes one_process = {.size = sizeof one_process, .count = 1};
static void* in_estimate(void* x) {
  static cr_estimator_options o;
  o = estimator_options;
  o.processes = x;
  return &o;
}

static const cr_varied varied_mass = {
    .size = sizeof varied_mass, .name = "body_mass[box]", .sigma = 0.1};
static void* in_training(void* x) {
  static const cr_varied* list[1];
  static cr_policy_training_options o;
  list[0] = x;
  o = policy_training_options;
  o.varied = list;
  o.nvaried = 1;
  return &o;
}

static void* in_correction(void* x) {
  static const cr_correction_input* list[1];
  static cr_correction_options o;
  list[0] = x;
  o = correction_options;
  o.inputs = list;
  return &o;
}

// a problem of trust: nothing moves, the gradient is that of the first coordinate
static cr_status start(void* context, cr_rollout* r, const cr_real* step, cr_error* error) {
  (void)context, (void)r, (void)step, (void)error;
  return CR_OK;
}

static cr_status read_one(void* context, cr_rollout* r, cr_real* gradient, cr_error* error) {
  (void)context, (void)error;
  *gradient = cr_data_view(w.m, cr_rollout_bar(r), "qpos", NULL, NULL)[0];
  return CR_OK;
}
