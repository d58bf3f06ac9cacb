# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: docs/install.md. All paths between installed files are relative,
# so that the tree works wherever it is moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CAROM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
set(CAROM_PRIVATE_DIR ${CMAKE_INSTALL_LIBDIR}/carom)

# carom_relative(VARIABLE FROM TO): the way from one folder of the installed tree to another
function(carom_relative variable from to)
  file(RELATIVE_PATH way ${CMAKE_INSTALL_PREFIX}/${from} ${CMAKE_INSTALL_PREFIX}/${to})
  string(REGEX REPLACE "/$" "" way ${way})
  set(${variable} ${way} PARENT_SCOPE)
endfunction()
foreach(kind IN ITEMS BIN LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    message(FATAL_ERROR "CMAKE_INSTALL_${kind}DIR is ${CMAKE_INSTALL_${kind}DIR}: "
                        "a folder relative to the prefix is expected")
  endif()
endforeach()

# ---- libmujoco: a copy beside the library, or the place where it is

set(mujoco_rpath)
set(CAROM_MUJOCO_LINK)
set(CAROM_MUJOCO_FROM_PACKAGE)
if(CAROM_IO)
  get_filename_component(mujoco_file ${CAROM_MUJOCO_LIBRARY} REALPATH)
  get_filename_component(mujoco_name ${CAROM_MUJOCO_LIBRARY} NAME)
  get_filename_component(mujoco_folder ${CAROM_MUJOCO_LIBRARY} DIRECTORY)
  if(mujoco_installed)
    install(FILES ${mujoco_file} DESTINATION ${CAROM_PRIVATE_DIR} RENAME ${mujoco_name}
            PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(GLOB mujoco_licences ${CAROM_MUJOCO_DIR}/LICENSE* ${CAROM_MUJOCO_DIR}/THIRD_PARTY_NOTICES
         ${CAROM_MUJOCO_DIR}/../mujoco_core-*.dist-info/licenses/*)
    if(NOT mujoco_licences)
      message(FATAL_ERROR "The licence of MuJoCo is not in ${CAROM_MUJOCO_DIR}: "
                          "a copy of MuJoCo is not installed without it (CAROM_INSTALL_MUJOCO)")
    endif()
    install(FILES ${mujoco_licences} DESTINATION ${CMAKE_INSTALL_DOCDIR}/mujoco)
    set(mujoco_rpath ${CAROM_PRIVATE_DIR})
    set(CAROM_MUJOCO_LINK "-L\${libdir}/carom -l:${mujoco_name} -Wl,-rpath,\${libdir}/carom")
    carom_relative(way ${CAROM_PACKAGE_DIR} ${CAROM_PRIVATE_DIR})
    set(CAROM_MUJOCO_FROM_PACKAGE "\${CMAKE_CURRENT_LIST_DIR}/${way}/${mujoco_name}")
  else()
    set(CAROM_MUJOCO_LINK "-L${mujoco_folder} -l:${mujoco_name} -Wl,-rpath,${mujoco_folder}")
    set(CAROM_MUJOCO_FROM_PACKAGE ${CAROM_MUJOCO_LIBRARY})
  endif()
endif()

# OSQP, where it was fetched, is part of the command
if(TARGET carom::osqp)
  file(GLOB osqp_licences ${CAROM_OSQP_DIR}/LICENSE*)
  install(FILES ${osqp_licences} DESTINATION ${CMAKE_INSTALL_DOCDIR}/osqp)
endif()

# folders of other libraries where the loader would not look by itself
set(foreign_rpath)
foreach(file IN LISTS CAROM_THIRD_PARTY_FILES)
  get_filename_component(file ${file} REALPATH)
  get_filename_component(folder ${file} DIRECTORY)
  list(APPEND foreign_rpath ${folder})
endforeach()
if(CAROM_IO AND NOT mujoco_installed)
  list(APPEND foreign_rpath ${mujoco_folder})
endif()
list(REMOVE_DUPLICATES foreign_rpath)
list(REMOVE_ITEM foreign_rpath ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})

# carom_runpath(TARGET FOLDER): where an installed program or library finds libmujoco
function(carom_runpath target folder)
  set(paths)
  if(mujoco_rpath)
    carom_relative(way ${folder} ${mujoco_rpath})
    list(APPEND paths "$ORIGIN/${way}")
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${paths};${foreign_rpath}")
endfunction()

# ---- libraries, headers, the command

carom_runpath(carom_shared ${CMAKE_INSTALL_LIBDIR})
install(TARGETS carom_shared EXPORT carom-targets DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS carom_static EXPORT carom-static-targets DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# the linker of one gcc refuses what another one's -flto left, even beside code that needs no -flto
if(CMAKE_STRIP AND CMAKE_C_FLAGS_RELEASE MATCHES "-flto" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  install(CODE "execute_process(COMMAND ${CMAKE_STRIP} -R .gnu.lto_* -R .gnu.debuglto_* -N __gnu_lto_v1
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libcarom.a\")")
endif()

if(TARGET carom)
  carom_runpath(carom ${CMAKE_INSTALL_BINDIR})
  install(TARGETS carom DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# ---- man pages and completion, made of the command's own help; a program for another machine or
# with a sanitizer is not run while building

if(TARGET carom AND NOT CMAKE_CROSSCOMPILING AND NOT CAROM_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/man1/carom.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make_manual.py $<TARGET_FILE:carom> ${manual}
    DEPENDS carom ${PROJECT_SOURCE_DIR}/scripts/make_manual.py
    COMMENT "Man pages and completion" VERBATIM)
  add_custom_target(carom_manual ALL DEPENDS ${manual}/man1/carom.1)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${manual}/bash/carom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/zsh/_carom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/fish/carom.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# ---- for CMake: find_package(carom)

install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${CAROM_PACKAGE_DIR})
install(EXPORT carom-static-targets NAMESPACE carom:: DESTINATION ${CAROM_PACKAGE_DIR})
configure_package_config_file(cmake/carom-config.cmake.in ${PROJECT_BINARY_DIR}/carom-config.cmake
  INSTALL_DESTINATION ${CAROM_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
# before 1.0 a minor version may change the API
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake ${PROJECT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${CAROM_PACKAGE_DIR})

# ---- for pkg-config

carom_relative(CAROM_PC_TO_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig .)
# flags rather than Requires.private: that would ask everyone for the packages of a static link
list(JOIN CAROM_THIRD_PARTY_FLAGS " " CAROM_PC_LIBRARIES)
configure_file(cmake/carom.pc.in ${PROJECT_BINARY_DIR}/carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
