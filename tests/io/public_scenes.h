// SPDX-License-Identifier: Apache-2.0
// What some public functions are called with: pages and pictures of motions, rows of quasi-dynamic steps and policies. test_public.c includes this file
// once.

static const char text_of_servo[] =
    "<mujoco><worldbody><body name='box'><joint name='elbow' axis='0 0 1'/><geom name='rod' "
    "size='.1'/></body>"
    "<body name='wall' pos='.1 0 0'><joint type='slide'/><geom "
    "size='.1'/></body></worldbody><actuator><position joint='elbow' "
    "kp='9'/></actuator></mujoco>";

// a servo beside a wall, stepped
static void make_quasidynamic(void) {
  const cr_real at = 0, start[2] = {0, 0};
  cr_real next[2];
  w.servo_model = open_text("servo.xml", text_of_servo);
  must(cr_quasidynamic_create(&w.quasidynamic, w.servo_model, &quasidynamic_options, &error));
  must(cr_quasidynamic_batch_create(&w.quasidynamic_batch, w.servo_model, &quasidynamic_options, 1,
                                    &error));
  must(
      cr_contact_tree_grow(&w.contact_plan, w.servo_model, NULL, start, start, &few_nodes, &error));
  must(cr_quasidynamic_set_parameters(w.quasidynamic, parameters, 1));
  must(cr_quasidynamic_step(w.quasidynamic, start, &at, next));
  w.touches.size = sizeof w.touches;
  must(cr_smoothed_mpc_create(&w.mpc, &mpc_system, &mpc_options, &error));
  w.mpc_result.size = sizeof w.mpc_result;
}

// a page, and one with the motion of a file
static void make_views(void) {
  must(cr_view_create(&w.view, w.m, &view_options, &error));
  must(cr_view_create(&w.shown, w.m, &view_options, &error));
  must(cr_rollout_run(w.rollout, w.m, 2, NULL, &error));
  (void)snprintf(seen_path, sizeof seen_path, "%s", scratch_path("seen.h5"));
  (void)snprintf(page_path, sizeof page_path, "%s", scratch_path("seen.html"));
  must(cr_rollout_save(w.rollout, w.m, seen_path, NULL, 0, &error));
  must(cr_rollout_restore(w.rollout, w.m, 0, &error));
  must(cr_view_read(w.shown, seen_path, NULL, 0, &error));
}

static void make_pictures(void) {
  must(cr_render_create(&w.render, w.m, model_path, NULL, &render_options, &error));
  must(cr_render_create(&w.drawn, w.m, model_path, NULL, &render_options, &error));
  must(cr_render_read(w.drawn, seen_path, &error));
  (void)snprintf(picture_path, sizeof picture_path, "%s", scratch_path("seen.png"));
}

// jumps of a stair
static void make_jumps(void) {
  must(cr_jumps_find(&w.jumps, &stair, &error));
  w.jumps_result.size = sizeof w.jumps_result;
  w.jump.size = sizeof w.jump;
}

#define JUMP_ROWS                                                   \
  ROW(cr_jumps_find, "O\212e", STATUS, 0, NULL, NULL),              \
      ROW(cr_jumps_of_model, "OMD\213e", STATUS, 0, NULL, NULL),    \
      ROW(cr_jumps_get_result, "\214\215e", STATUS, 0, NULL, NULL), \
      ROW(cr_jumps_get, "\214\216e", STATUS, 0, NULL, NULL),        \
      ROW(cr_jumps_destroy, "a", NOTHING, 0, NULL, NULL),

#define JUMP_LETTERS                                                              \
  {'\212', (void*)(uintptr_t)&stair}, {'\213', (void*)(uintptr_t)&jumps_options}, \
      {'\214', w.jumps}, {'\215', &w.jumps_result}, {'\216', &w.jump},

#define JUMP_SIZES                                                             \
  SIZED(cr_jump_sweep, &stair, cr_jumps_find, 1, itself),                      \
      SIZED(cr_jumps_options, &jumps_options, cr_jumps_of_model, 3, itself),   \
      SIZED(cr_jumps_result, &w.jumps_result, cr_jumps_get_result, 1, itself), \
      SIZED(cr_jump, &w.jump, cr_jumps_get, 1, itself),

#define QUASIDYNAMIC_ROWS                                                             \
  ROW(cr_quasidynamic_create, "O\200ae", STATUS, 0, NULL, NULL),                      \
      ROW(cr_quasidynamic_destroy, "i", NOTHING, 0, NULL, NULL),                      \
      ROW(cr_quasidynamic_step, "\201YYX", STATUS, 0, NULL, NULL),                    \
      ROW(cr_quasidynamic_jacobian, "\201xz", STATUS, 0, NULL, NULL),                 \
      ROW(cr_quasidynamic_set_parameters, "\201P", STATUS, 0, NULL, NULL),            \
      ROW(cr_quasidynamic_columns, "\201", NOTHING, 0, NULL, NULL),                   \
      ROW(cr_quasidynamic_parameter_jacobian, "\201X", STATUS, 0, NULL, NULL),        \
      ROW(cr_quasidynamic_displacement, "\201", POINTER, 0, NULL, NULL),              \
      ROW(cr_quasidynamic_residual, "\201", NOTHING, 0, NULL, NULL),                  \
      ROW(cr_quasidynamic_contacts, "\201", COUNT, 0, NULL, NULL),                    \
      ROW(cr_quasidynamic_get_contact, "\201\202e", STATUS, 0, NULL, NULL),           \
      ROW(cr_quasidynamic_hold, "\201YX", STATUS, 0, NULL, NULL),                     \
      ROW(cr_quasidynamic_way, "\201YYXI", STATUS, 0, NULL, NULL),                    \
      ROW(cr_quasidynamic_error, "\201", NOTHING, 0, NULL, NULL),                     \
      ROW(cr_quasidynamic_batch_create, "O\200ae", STATUS, 0, NULL, NULL),            \
      ROW(cr_quasidynamic_batch_destroy, "i", NOTHING, 0, NULL, NULL),                \
      ROW(cr_quasidynamic_batch_run, "\203YYXxze", STATUS, 0, NULL, NULL),            \
      ROW(cr_contact_tree_grow, "O\200aYYae", STATUS, 0, NULL, NULL),                 \
      ROW(cr_contact_plan_destroy, "i", NOTHING, 0, NULL, NULL),                      \
      ROW(cr_contact_plan_poses, "\204", COUNT, 0, NULL, NULL),                       \
      ROW(cr_contact_plan_nodes, "\204", COUNT, 0, NULL, NULL),                       \
      ROW(cr_contact_plan_distance, "\204", NOTHING, 0, NULL, NULL),                  \
      ROW(cr_contact_plan_get, "\204xzi", NOTHING, 0, NULL, NULL),                    \
      ROW(cr_smoothed_mpc_create, "O\207\206e", STATUS, 0, NULL, NULL),               \
      ROW(cr_smoothed_mpc_create_quasidynamic, "O\200a\206e", STATUS, 0, NULL, NULL), \
      ROW(cr_smoothed_mpc_destroy, "i", NOTHING, 0, NULL, NULL),                      \
      ROW(cr_smoothed_mpc_set_start, "\205Ye", STATUS, 0, NULL, NULL),                \
      ROW(cr_smoothed_mpc_ctrl, "\205", POINTER, 0, NULL, NULL),                      \
      ROW(cr_smoothed_mpc_improve, "\205ae", STATUS, 0, NULL, NULL),                  \
      ROW(cr_smoothed_mpc_states, "\205", POINTER, 0, NULL, NULL),                    \
      ROW(cr_smoothed_mpc_cost, "\205", NOTHING, 0, NULL, NULL),                      \
      ROW(cr_smoothed_mpc_best, "\205ii", NOTHING, 0, NULL, NULL),

#define POLICY_ROWS                                                              \
  ROW(cr_policy_create, "OM\222e", STATUS, 0, NULL, NULL),                       \
      ROW(cr_policy_destroy, "i", NOTHING, 0, NULL, NULL),                       \
      ROW(cr_policy_ninput, "\221", COUNT, 0, NULL, NULL),                       \
      ROW(cr_policy_nweight, "\221", COUNT, 0, NULL, NULL),                      \
      ROW(cr_policy_weights, "\221", POINTER, 0, NULL, NULL),                    \
      ROW(cr_policy_weights_bar, "\221", POINTER, 0, NULL, NULL),                \
      ROW(cr_policy_init, "\221e", STATUS, 0, NULL, NULL),                       \
      ROW(cr_policy_control, "\221MDXe", STATUS, 0, NULL, NULL),                 \
      ROW(cr_policy_attach, "iRne", STATUS, 0, NULL, NULL),                      \
      ROW(cr_policy_training_create, "OMD\020\222\224e", STATUS, 0, NULL, NULL), \
      ROW(cr_policy_training_destroy, "i", NOTHING, 0, NULL, NULL),              \
      ROW(cr_policy_training_policy, "\223", POINTER, 0, NULL, NULL),            \
      ROW(cr_policy_training_restart, "i", NOTHING, 0, NULL, NULL),              \
      ROW(cr_policy_training_estimate, "\223\177e", STATUS, 0, NULL, NULL),      \
      ROW(cr_policy_training_step, "\223ae", STATUS, 0, NULL, NULL),             \
      ROW(cr_policy_training_iterations, "i", NOTHING, 0, NULL, NULL),           \
      ROW(cr_policy_training_memory_size, "i", NOTHING, 0, NULL, NULL),          \
      ROW(cr_policy_training_get_memory, "\223Xe", STATUS, 0, NULL, NULL),       \
      ROW(cr_policy_training_set_memory, "\223Xe", STATUS, 0, NULL, NULL),
