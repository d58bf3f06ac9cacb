# SPDX-License-Identifier: Apache-2.0
# What Debian's policy wants of the files in a package, in the tree that CPack is about to pack.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/carom)
file(RENAME ${doc}/CHANGELOG.md ${doc}/NEWS)
file(REMOVE ${doc}/LICENSE)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "carom (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed is in NEWS.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(COPY ${CPACK_CAROM_SOURCE_DIR}/cmake/copyright DESTINATION ${doc})
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_carom ${share}/zsh/vendor-completions/_carom)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(COPY ${CPACK_CAROM_SOURCE_DIR}/cmake/lintian/carom DESTINATION ${share}/lintian/overrides)
file(GLOB texts ${share}/man/man1/*.1 ${doc}/changelog ${doc}/NEWS)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
