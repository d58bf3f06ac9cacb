#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the extension against a libcarom that is there, for tests: no CMake, a few seconds.

    build_here.py LIBCAROM_SO OUT_FOLDER

OUT_FOLDER/carom is then the package: links to python/carom and the module beside them. Nothing is done where the module
is newer than its sources.
"""
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
HEADERS = [HERE / "src" / name for name in ("helpers.h", "array_map.h", "xla_calls.h")]
CODE = sorted((HERE / "src").glob("*.c"))
SOURCES = [*sorted((HERE / "src").glob("*")), HERE / "make_cdef.py", HERE / "make_module.py",
           *sorted((INCLUDE / "carom").glob("*.h"))]


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def link(package):
    """The Python files of the package, linked into a folder."""
    package.mkdir(parents=True, exist_ok=True)
    for file in (HERE / "carom").iterdir():
        target = package / file.name
        if file.name != "__pycache__" and not target.exists():
            target.symlink_to(file)


def main(library, out):
    library, out = Path(library).resolve(), Path(out)
    package = out / "carom"
    link(package)
    run(sys.executable, HERE / "make_stubs.py", HERE.parent, package)
    module = package / "_carom.abi3.so"
    if module.exists() and all(module.stat().st_mtime > s.stat().st_mtime for s in SOURCES):
        return
    compiler = os.environ.get("CC", "gcc")
    run(sys.executable, HERE / "make_cdef.py", compiler, INCLUDE, out / "cdef.h", package / "_contracts.py")
    run(sys.executable, HERE / "make_module.py", out / "cdef.h", out / "_carom.c", *HEADERS)
    run(compiler, "-std=c17", "-O2", "-fPIC", "-shared", "-ffp-contract=off", *os.environ.get("CFLAGS", "").split(), "-o", module, out / "_carom.c",
        *CODE, f"-I{INCLUDE}", f"-I{HERE / 'src'}", f"-I{sysconfig.get_paths()['include']}",
        library, f"-Wl,-rpath,{library.parent}")


if __name__ == "__main__":
    main(*sys.argv[1:])
