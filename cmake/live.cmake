# SPDX-License-Identifier: Apache-2.0
# The core as WebAssembly, with the functions of src/view/live.h: pages of carom view --live run it. clang, lld and wasi-libc make it
# (`make wasm` installs them); the compiler of the build does not matter.
set(CAROM_LIVE AUTO CACHE STRING "Put the core as WebAssembly into the library, for carom view --live: ON, OFF, or AUTO, where clang can make it")
find_program(CAROM_CLANG NAMES clang)
mark_as_advanced(CAROM_CLANG)
set(live_folder ${PROJECT_BINARY_DIR}/live)

# carom_live_possible(VARIABLE): true if clang compiles and links for WebAssembly
function(carom_live_possible variable)
  file(WRITE ${live_folder}/probe.c "#include <math.h>\n#include <stdio.h>\nint main(void) { return printf(\"%g\", sin(1.0)); }\n")
  set(status 1)
  if(CAROM_CLANG)
    execute_process(COMMAND ${CAROM_CLANG} --target=wasm32-wasi ${live_folder}/probe.c -o ${live_folder}/probe.wasm
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
  set(${variable} FALSE PARENT_SCOPE)
  if(status EQUAL 0)
    set(${variable} TRUE PARENT_SCOPE)
  endif()
endfunction()

# carom_live(VARIABLE SOURCES...): rules for the file; the variable is its path, or empty where there is none
function(carom_live variable)
  set(${variable} "" PARENT_SCOPE)
  if(CAROM_LIVE STREQUAL "OFF")
    return()
  endif()
  carom_live_possible(possible)
  if(NOT possible)
    if(CAROM_LIVE STREQUAL "ON")
      message(FATAL_ERROR "clang makes no WebAssembly here: run `make wasm`, or install clang, lld, wasi-libc and "
                          "libclang-rt-dev-wasm32, or set CAROM_LIVE=OFF")
    endif()
    return()
  endif()
  set(flags ${CAROM_FLAGS})  # sanitizers are for the machine of the build
  list(FILTER flags EXCLUDE REGEX "sanitize|frame-pointer")
  set(compile ${CMAKE_C_COMPILER_LAUNCHER} ${CAROM_CLANG} --target=wasm32-wasi -std=c17 -O2 -DNDEBUG -fvisibility=hidden ${flags}
      -D_POSIX_C_SOURCE=200809L -DCR_VERSION_TEXT="${PROJECT_VERSION}" -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src)
  set(objects)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    set(object ${live_folder}/${name}.o)
    add_custom_command(OUTPUT ${object} COMMAND ${compile} -MD -MF ${object}.d -c ${source} -o ${object}
                       DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(wasm ${live_folder}/live.wasm)
  add_custom_command(OUTPUT ${wasm}
    COMMAND ${CAROM_CLANG} --target=wasm32-wasi -mexec-model=reactor ${objects} -o ${wasm}
            -Wl,--gc-sections,--strip-all,--export=malloc,--export=free
    DEPENDS ${objects} VERBATIM)
  set(${variable} ${wasm} PARENT_SCOPE)
endfunction()
