#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone, as C11 and as C++17, in double and in long double, and
includes nothing but <stdbool.h>, <stddef.h>, <stdint.h> and other public headers.
Usage: check_headers.py [INCLUDE_FOLDER]"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = re.compile(r"<std(bool|def|int)\.h>|\"carom/[\w/]+\.h\"|<carom/[\w/]+\.h>")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
MODES = [["gcc", "-std=c11", "-x", "c", "-Wstrict-prototypes"], ["g++", "-std=c++17", "-x", "c++"]]


def main():
    problems = []
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "include"
    headers = sorted(folder.rglob("*.h"))
    if not headers:
        problems.append(f"{folder}: there are no headers")
    for path in headers:
        name = path.relative_to(folder)
        for included in re.findall(r"^\s*#\s*include\s*(\S+)", path.read_text(), re.M):
            if not ALLOWED.fullmatch(included):
                problems.append(f"{name}: a public header may not include {included}")
        for mode in MODES:
            for precision in ([], ["-DCR_LONG_DOUBLE"]):
                # twice: the include guard holds
                source = f'#include "{name}"\n#include "{name}"\n'
                done = subprocess.run(
                    mode + precision + WARNINGS + ["-fsyntax-only", f"-I{folder}", "-"],
                    input=source, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    problems.append(f"{name}: {' '.join(mode + precision)}\n{done.stderr}")
    print("\n".join(problems) or f"headers: {len(headers)} compile alone as C11 and C++17")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
