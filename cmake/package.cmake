# SPDX-License-Identifier: Apache-2.0
# The Debian package, by `make deb`: what is installed, in /usr, with libmujoco.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME carom)
set(CPACK_PACKAGE_VENDOR "The Carom authors")
set(CPACK_PACKAGE_CONTACT "The Carom authors <maintainers@carom.invalid>" CACHE STRING
    "Maintainer of the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "differentiable rigid-body simulator for hard contact")
set(CPACK_PACKAGE_DESCRIPTION
"Simulates articulated rigid bodies in hard contact and differentiates the
simulation end to end: gradients by initial state, controls and physical
parameters. A C library and a command; reads MJCF, URDF and its own files.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_CAROM_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CAROM_MUJOCO_DIR} ${CAROM_MUJOCO_DIR}/lib)
# who is packed with a program that links libcarom depends on this package; the loader's cache
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs "libcarom ${soversion} carom (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/package/shlibs ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
string(CONCAT CPACK_DEBIAN_PACKAGE_SUGGESTS
    "gnuplot-nox, libosmesa6, ffmpeg, pkg-config, libhdf5-dev, libnlopt-dev, libopenblas-dev, libcyaml-dev, libyaml-dev, "
    "libexpat1-dev, zlib1g-dev")
include(CPack)
