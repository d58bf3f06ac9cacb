// SPDX-License-Identifier: Apache-2.0
// A locale with a decimal comma that needs no package: made in the scratch folder.
#ifndef CR_TESTS_COMMA_LOCALE_H
#define CR_TESTS_COMMA_LOCALE_H

/// Makes the process print and read numbers with a decimal comma until comma_locale_end. Fails the test
/// if that does not work. The scratch folder must be open.
void comma_locale_begin(void);
void comma_locale_end(void);

#endif
