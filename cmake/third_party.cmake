# SPDX-License-Identifier: Apache-2.0
# What src/io, src/cli and the optimisers use: MuJoCo from the wheel that the Makefile fetches (or
# from CAROM_MUJOCO_DIR), the rest from the system. Imported targets count as system headers, so
# their warnings are not ours.
set(CAROM_THIRD_PARTY)
if(NOT CAROM_IO)
  return()
endif()

set(mujoco_default ${PROJECT_SOURCE_DIR}/build/third_party/mujoco/mujoco)
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
list(GET mujoco_library 0 mujoco_library)
add_library(mujoco::mujoco SHARED IMPORTED)
set_target_properties(mujoco::mujoco PROPERTIES
  IMPORTED_LOCATION ${mujoco_library}
  INTERFACE_INCLUDE_DIRECTORIES ${CAROM_MUJOCO_DIR}/include)

find_package(PkgConfig REQUIRED)
foreach(library IN ITEMS hdf5 nlopt libcyaml expat)
  pkg_check_modules(${library} REQUIRED IMPORTED_TARGET ${library})
  list(APPEND CAROM_THIRD_PARTY PkgConfig::${library})
endforeach()
list(APPEND CAROM_THIRD_PARTY mujoco::mujoco)

# MPI, of the command alone
if(CAROM_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
