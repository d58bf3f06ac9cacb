// SPDX-License-Identifier: Apache-2.0
// carom train: learns what a model does not know, by small networks within its steps.
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/train_policy.h"
#include "cli/train_run.h"
#include "command/interrupt.h"
#include "command/runs_config.h"
#include "command/setup.h"

static cr_status check(const cr_train_options* o, bool config, const cr_text_list* set,
                       cr_error* error) {
  const cr_fit_runs_options* r = &o->runs;
  if (r->start != NULL && strcmp(r->start, "measured") != 0 && strcmp(r->start, "reference") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--start %s: measured or reference expected", r->start);
  }
  if (o->keep != NULL && strcmp(o->keep, "best") != 0 && strcmp(o->keep, "last") != 0) {
    return cri_fail(error, CR_ERR_ARG, "--keep %s: best or last expected", o->keep);
  }
  if (!(o->weight_decay >= 0)) {
    return cri_fail(error, CR_ERR_ARG, "--weight-decay %g: 0 or more expected", o->weight_decay);
  }
  const char* stray = !config && set->n > 0
                          ? "--set belongs to a configuration, not to a model with runs"
                      : r->save != NULL && r->estimate.n == 0
                          ? "--save would do nothing: without --estimate the model stays as it is"
                      : r->held_runs.n > 0 && !isnan(r->held_out)
                          ? "--held-runs names what is held aside; leave out --held-out"
                          : NULL;
  return stray == NULL ? CR_OK : cri_fail(error, CR_ERR_ARG, "%s", stray);
}

// a task with a policy has options of its own
static bool names_task(int argc, char** argv) {
  bool is = false;
  for (int i = 0; i < argc && !is; i++) {
    is = argv[i][0] != '-' && cr_train_is_task(argv[i]);
  }
  return is;
}

int cr_cli_train(int argc, char** argv) {
  if (names_task(argc, argv)) {
    return cr_cli_train_policy(argc, argv);
  }
  cr_text_list set = {.n = 0};
  cr_train_options o = {.runs = {.command = "train",
                                 .weights = true,
                                 .seed = 1,
                                 .held_out = (double)NAN,
                                 .method = CR_METHOD_DEFAULTS}};
  const cr_option rows[] = {
      {"", CR_OPT_LIST, &o.runs.paths, "MODEL RUN... | CONFIG | TASK",
       "a model and files of measured signals, or a YAML file of them (docs/training.md); or a "
       "task with a policy to "
       "train: carom train TASK.yaml --help (docs/policies.md)"},
      {"--blueprint", CR_OPT_TEXT, &o.runs.blueprint, "FILE",
       "the corrections to train: YAML (docs/corrections.md), or weights to go on from"},
      {"--estimate", CR_OPT_LIST, &o.runs.estimate, "[KIND:]TARGET[=START[:LOW:HIGH]]",
       "numbers of the model to train beside the weights, as 'dof_damping[*]'"},
      {"--epochs", CR_OPT_COUNT, &o.epochs, "N", "passes over all windows (default 100)"},
      {"--batch", CR_OPT_COUNT, &o.batch, "N", "windows of a step (default: all)"},
      {"--learning-rate", CR_OPT_POSITIVE, &o.rate, "X",
       "step size of AdamW in the first epoch (default 0.01)"},
      {"--final-rate", CR_OPT_POSITIVE, &o.final_rate, "X",
       "step size in the last epoch, geometric between (default a hundredth of the first)"},
      {"--weight-decay", CR_OPT_REAL, &o.weight_decay, "X",
       "part of each number that a step of size 1 takes away (default 0)"},
      {"--patience", CR_OPT_COUNT, &o.patience, "N",
       "end after so many epochs in which runs held aside got no better (default: never)"},
      {"--adaptive-lasso", CR_OPT_FLAG, &o.adaptive, "",
       "divide the lasso of each input by how much the weights of --blueprint use it: a second "
       "training, of the weights of a first one"},
      {"--keep", CR_OPT_TEXT, &o.keep, "best|last",
       "the epoch with the lowest cost of the runs held aside, or the last (default: last where a "
       "correction has a lasso, else best)"},
      CR_RUNS_OPTIONS(o.runs, "", "a hundredth of its spread"),
      {"--start", CR_OPT_TEXT, &o.runs.start, "measured|reference",
       "states at the start are as measured (default), or the model's reference pose at rest"},
      {"--as-recorded", CR_OPT_FLAG, &o.runs.as_recorded, "",
       "take data whose velocities contradict positions or orientations"},
      {"--set", CR_OPT_LIST, &set, "KEY=VALUE", "change a value of the configuration: epochs=50"},
      CR_METHOD_OPTIONS(o.runs.method, "a divisor of the time between rows (default: that time)"),
      {"--out", CR_OPT_TEXT, &o.runs.out, "DIR",
       "folder of the results (default train_<name of MODEL or CONFIG>)"},
      {"--save", CR_OPT_TEXT, &o.runs.save, "FILE",
       "write the model with the numbers of --estimate, without corrections: .xml and .mjb are "
       "MuJoCo's files, any other a Carom model file"},
      {"--resume", CR_OPT_FLAG, &o.runs.resume, "", "go on where an interrupted training stopped"},
      {"--force", CR_OPT_FLAG, &o.runs.force, "", "overwrite the results of an earlier run in DIR"},
      {"--threads", CR_OPT_COUNT, &o.runs.threads, "N",
       "default: all processors; the result does not depend on it"},
      {"--seed", CR_OPT_INT, &o.runs.seed, "S",
       "of the runs held aside and the order of windows (default 1)"},
      {"--json", CR_OPT_FLAG, &o.runs.json, "", "print one JSON object"},
  };
  const cr_command_line line = {
      "train",
      "Trains corrections of a model, small networks, from recorded motion.",
      rows,
      (int)(sizeof rows / sizeof rows[0]),
      "--blueprint --epochs --held-out --out --save --resume --force --json",
      {"train arm.xml runs/*.csv --blueprint friction.yaml",
       "train arm.xml runs/*.csv --blueprint friction.yaml --epochs 300 --patience 30"}};
  cr_error error = {0};
  cr_help help = CR_HELP_NONE;
  int code = 0;
  cr_runs_config* config = NULL;
  cr_status status = cr_options_parse(&line, argc, argv, &help, &error);
  if (status == CR_OK && help != CR_HELP_NONE) {
    cr_options_print_help(&line, help);
    return 0;
  }
  cr_text_list* paths = &o.runs.paths;
  bool file = status == CR_OK && paths->n > 0 && !cr_runs_config_is_model(paths->text[0]);
  if (file && paths->n > 1) {
    status = cri_fail(&error, CR_ERR_ARG,
                      "one configuration expected; a model with runs ends in .xml, .urdf or .crm");
  } else if (file) {
    o.runs.config = paths->text[0];
    status = cr_runs_config_read(&config, o.runs.config, &line, argc, argv, &set, paths, &error);
  }
  status = status == CR_OK ? check(&o, file, &set, &error) : status;
  if (status == CR_OK) {
    cr_interrupt_catch();
    status = cr_train_run(&o, cr_interrupted, &code, &error);
  }
  if (status != CR_OK) {
    cr_runs_config_locate(config, argc, argv, &error);
    code = cr_cli_fail("train", o.runs.json, &error, NULL);
  }
  cr_runs_config_free(config);
  return code;
}
