# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset aarch64 and of the wheel for AArch64: Debian's cross compiler; tests run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# libraries of the system, or those that scripts/fetch_aarch64.sh unpacked
if(DEFINED ENV{CAROM_AARCH64_ROOT})
  set(CMAKE_SYSROOT $ENV{CAROM_AARCH64_ROOT})
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
endif()
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
