# SPDX-License-Identifier: Apache-2.0
# What src/io, src/cli, the optimisers and batched networks use: MuJoCo from the wheel that the Makefile fetches (or
# from CAROM_MUJOCO_DIR), the rest from the system. Imported targets count as system headers, so
# their warnings are not ours.
set(CAROM_THIRD_PARTY)        # targets
set(CAROM_THIRD_PARTY_FILES)  # files of libraries, but for libmujoco
set(CAROM_THIRD_PARTY_FLAGS)  # the same for a linker
set(CAROM_PKG_CONFIG)         # what pkg-config calls them
if(NOT CAROM_IO)
  return()
endif()

set(mujoco_fetched ${PROJECT_SOURCE_DIR}/build/third_party/mujoco/mujoco)
set(mujoco_default ${mujoco_fetched})
# a Python package that is built from its source archive has MuJoCo among the packages that build it
if(CAROM_PYTHON AND NOT EXISTS ${mujoco_fetched}/include/mujoco/mujoco.h)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
    "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
    OUTPUT_VARIABLE mujoco_default OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(DEFINED ENV{CAROM_MUJOCO_DIR})
  set(mujoco_default $ENV{CAROM_MUJOCO_DIR})
endif()
set(CAROM_MUJOCO_DIR ${mujoco_default}
    CACHE PATH "Folder of MuJoCo 4.0.0, with include/mujoco/mujoco.h and the library in . or lib")
file(GLOB mujoco_library ${CAROM_MUJOCO_DIR}/libmujoco.so.4* ${CAROM_MUJOCO_DIR}/lib/libmujoco.so.4*)
if(NOT mujoco_library OR NOT EXISTS ${CAROM_MUJOCO_DIR}/include/mujoco/mujoco.h)
  message(FATAL_ERROR "MuJoCo 4 is not in ${CAROM_MUJOCO_DIR}: run `make mujoco`, "
                      "or set CAROM_MUJOCO_DIR, or build the core alone with -DCAROM_IO=OFF")
endif()
list(GET mujoco_library 0 CAROM_MUJOCO_LIBRARY)
# names of our own, seen everywhere: a project that adds this folder may have a MuJoCo and an HDF5 too
add_library(carom::mujoco SHARED IMPORTED GLOBAL)
set_target_properties(carom::mujoco PROPERTIES
  IMPORTED_LOCATION ${CAROM_MUJOCO_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${CAROM_MUJOCO_DIR}/include)

# a MuJoCo that was there before stays where it is; the fetched one is installed too
set(CAROM_INSTALL_MUJOCO AUTO CACHE STRING
    "Install a copy of libmujoco beside libcarom: ON, OFF, or AUTO, where it was fetched")
set(mujoco_installed ${CAROM_INSTALL_MUJOCO})
if(CAROM_INSTALL_MUJOCO STREQUAL AUTO)
  set(mujoco_installed OFF)
  if(CAROM_MUJOCO_DIR STREQUAL mujoco_fetched)
    set(mujoco_installed ON)
  endif()
endif()

find_package(PkgConfig REQUIRED)
set(CAROM_PKG_CONFIG hdf5 nlopt openblas libcyaml expat zlib)
foreach(library IN LISTS CAROM_PKG_CONFIG)
  pkg_check_modules(carom_${library} REQUIRED IMPORTED_TARGET GLOBAL ${library})
  list(APPEND CAROM_THIRD_PARTY PkgConfig::carom_${library})
  list(APPEND CAROM_THIRD_PARTY_FILES ${carom_${library}_LINK_LIBRARIES})
  list(APPEND CAROM_THIRD_PARTY_FLAGS ${carom_${library}_LDFLAGS})
endforeach()
foreach(folder IN LISTS CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(REMOVE_ITEM CAROM_THIRD_PARTY_FLAGS -L${folder})
endforeach()
list(APPEND CAROM_THIRD_PARTY carom::mujoco)

# OSQP, of the command alone (carom study quadruped): its static library, where `make osqp` fetched it or a user has it
set(CAROM_OSQP_DIR ${PROJECT_SOURCE_DIR}/build/third_party/osqp
    CACHE PATH "Folder of OSQP 1, with include/osqp/osqp.h and the library in . or lib; may be missing")
find_library(CAROM_OSQP_LIBRARY NAMES osqpstatic osqp PATHS ${CAROM_OSQP_DIR} ${CAROM_OSQP_DIR}/lib NO_DEFAULT_PATH)
mark_as_advanced(CAROM_OSQP_LIBRARY)
if(EXISTS ${CAROM_OSQP_DIR}/include/osqp/osqp.h AND CAROM_OSQP_LIBRARY)
  add_library(carom::osqp UNKNOWN IMPORTED GLOBAL)
  set_target_properties(carom::osqp PROPERTIES
    IMPORTED_LOCATION ${CAROM_OSQP_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CAROM_OSQP_DIR}/include
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS};m")
endif()

# MPI, of the command alone
if(CAROM_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
