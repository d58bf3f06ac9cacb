# SPDX-License-Identifier: Apache-2.0
# Compiler flags, one place for all targets. Whether a warning is an error is CMake's own switch,
# CMAKE_COMPILE_WARNING_AS_ERROR, which the presets turn on.

# no fused multiply-add: results must not depend on what the compiler found to contract. Nobody reads
# errno after a square root, nor the floating-point flags: neither changes a digit.
set(CAROM_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(CAROM_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
                   -Wmissing-prototypes -Wvla)

if(CAROM_SANITIZE)
  list(APPEND CAROM_FLAGS -fsanitize=${CAROM_SANITIZE} -fno-sanitize-recover=all
              -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CAROM_SANITIZE})
  # gcc's own notes: its flow analysis sees values as maybe unset behind sanitizer checks
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND CAROM_WARNINGS -Wno-maybe-uninitialized)
  endif()
endif()

find_package(Threads REQUIRED)

# carom_target(NAME [LONG_DOUBLE]): include folders, flags, warnings and the core's two libraries.
function(carom_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG_DOUBLE" "" "")
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE ${CAROM_FLAGS} ${CAROM_WARNINGS})
  target_compile_definitions(${name} PRIVATE CR_VERSION_TEXT="${PROJECT_VERSION}"
                             _POSIX_C_SOURCE=200809L)
  if(arg_LONG_DOUBLE)
    target_compile_definitions(${name} PUBLIC CR_LONG_DOUBLE)
  else()
    # in long double every plain literal would be promoted; in double a promotion is a float
    target_compile_options(${name} PRIVATE -Wdouble-promotion)
  endif()
  # not the target: who links an installed libcarom.a would have to find it first
  target_link_libraries(${name} PUBLIC m ${CMAKE_THREAD_LIBS_INIT})
endfunction()
