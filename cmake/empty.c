// SPDX-License-Identifier: Apache-2.0
// An object library needs one source, also where src/io is left out.
typedef int carom_empty;
