# SPDX-License-Identifier: Apache-2.0
# What Debian's policy wants of the files in a package, in the tree that CPack is about to pack.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/carom)
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
file(REMOVE ${doc}/LICENSE)
file(COPY ${CPACK_CAROM_SOURCE_DIR}/cmake/copyright DESTINATION ${doc})
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_carom ${share}/zsh/vendor-completions/_carom)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(GLOB texts ${share}/man/man1/*.1 ${doc}/changelog)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
