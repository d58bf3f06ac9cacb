// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP for commands that save what they have and end with exit code 130.
#ifndef CR_COMMAND_INTERRUPT_H
#define CR_COMMAND_INTERRUPT_H

#include <stdbool.h>

/// From here on such a signal sets a mark; a second one ends the process at once.
void cr_interrupt_catch(void);

/// True once a signal has come, whatever the context; any thread may ask.
bool cr_interrupted(void* context);

#endif
