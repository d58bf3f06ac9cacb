// SPDX-License-Identifier: Apache-2.0
// The carom command: finds the subcommand and hands over.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "carom/base.h"
#include "cli/commands.h"
#include "command/options.h"

static const struct {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* summary;
} commands[] = {
    {"check", cr_cli_check, "compare a model with MuJoCo, and its gradients with differences"},
    {"follow", cr_cli_follow, "run side by side with MuJoCo until chaos separates the two"},
    {"rollout", cr_cli_rollout, "simulate"},
    {"grad", cr_cli_grad, "gradient of a loss of a rollout"},
    {"batch", cr_cli_batch, "many rollouts and gradients, over threads and machines"},
    {"fit", cr_cli_fit, "identify parameters from recorded motion"},
    {"train", cr_cli_train, "train corrections of a model, small networks, from recorded motion"},
    {"plan", cr_cli_plan, "controls that make the cost of a motion low, once or while it runs"},
    {"quasidynamic", cr_cli_quasidynamic, "poses of servos in contact, from rest to rest"},
    {"lqr", cr_cli_lqr, "feedback that holds a model at an equilibrium"},
    {"estimate", cr_cli_estimate, "states from recorded sensors, by a Kalman filter"},
    {"view", cr_cli_view, "a page that shows a model and its motion in a browser"},
    {"render", cr_cli_render, "films and pictures of a model and its motion"},
    {"bench", cr_cli_bench, "time a step and its derivatives against MuJoCo"},
    {"study", cr_cli_study, "repeat a published experiment, its figures beside ours"},
};
enum { N_COMMANDS = (int)(sizeof commands / sizeof commands[0]) };

static const char about[] = "a differentiable rigid-body simulator for hard contact";

static void print_usage(FILE* to) {
  (void)fprintf(to,
                "carom %s: %s\n\n"
                "usage: carom COMMAND ... (carom help COMMAND says more)\n\n",
                cr_version(), about);
  for (int i = 0; i < N_COMMANDS; i++) {
    (void)fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
  }
  (void)fprintf(to,
                "\n"
                "    carom check model.xml                    is it supported, and right?\n"
                "    carom rollout model.xml --out motion.h5  simulate it for a second\n");
}

// the same for programs, see cr_help_row
static void print_rows(void) {
  cr_help_row("carom", cr_version(), "", about);
  for (int i = 0; i < N_COMMANDS; i++) {
    cr_help_row("command", commands[i].name, "", commands[i].summary);
  }
}

static bool is_one_of(const char* text, const char* a, const char* b, const char* c) {
  return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

// a command and its arguments; -1 if there is none of this name
static int run_command(const char* name, int argc, char** argv) {
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(name, commands[i].name) == 0) {
      return commands[i].run(argc, argv);
    }
  }
  return -1;
}

static int run(int argc, char** argv) {
  if (argc > 1) {
    char help[] = "--help", all[] = "--help-all";
    char* ask[] = {strcmp(argv[1], all) == 0 ? all : help, NULL};
    bool wants_help =
        is_one_of(argv[1], "help", "--help", "-h") || strcmp(argv[1], "--help-all") == 0;
    bool of_command = wants_help && argc > 2;
    int code = of_command ? run_command(argv[2], 1, ask) : run_command(argv[1], argc - 2, argv + 2);
    if (code >= 0) {
      return code;
    }
    if (is_one_of(argv[1], "version", "--version", "-V")) {
      (void)printf("%s\n", cr_version());
      return 0;
    }
    if (wants_help && !of_command) {
      print_usage(stdout);
      return 0;
    }
    if (cr_help_asked(argv[1]) == CR_HELP_ROWS) {
      print_rows();
      return 0;
    }
    argv += of_command;
    cri_nearest nearest;
    cri_nearest_begin(&nearest, argv[1], strlen(argv[1]));
    for (int i = 0; i < N_COMMANDS; i++) {
      cri_nearest_offer(&nearest, commands[i].name);
    }
    (void)fprintf(stderr, "carom: unknown command '%s'%s\n\n", argv[1], cri_nearest_hint(&nearest));
  }
  print_usage(stderr);
  return 2;
}

int main(int argc, char** argv) {
  // a file that may not grow is an error of its writer, and does not end the process
  (void)signal(SIGXFSZ, SIG_IGN);
  int code = run(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    (void)fprintf(stderr, "carom: standard output cannot be written: %s\n", strerror(errno));
    return code == 0 ? 2 : code;
  }
  return code;
}
