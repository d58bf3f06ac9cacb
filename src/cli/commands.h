// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each takes the arguments behind its name and returns the exit code.
#ifndef CR_CLI_COMMANDS_H
#define CR_CLI_COMMANDS_H

int cr_cli_check(int argc, char** argv);
int cr_cli_follow(int argc, char** argv);
int cr_cli_rollout(int argc, char** argv);
int cr_cli_grad(int argc, char** argv);
int cr_cli_batch(int argc, char** argv);
int cr_cli_fit(int argc, char** argv);
int cr_cli_train(int argc, char** argv);
int cr_cli_plan(int argc, char** argv);
int cr_cli_quasidynamic(int argc, char** argv);
int cr_cli_lqr(int argc, char** argv);
int cr_cli_bench(int argc, char** argv);
int cr_cli_estimate(int argc, char** argv);
int cr_cli_view(int argc, char** argv);
int cr_cli_render(int argc, char** argv);
int cr_cli_study(int argc, char** argv);

#endif
