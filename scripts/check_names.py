#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the built libraries export and use. Usage: check_names.py BUILD_FOLDER [--write]

libcarom.so exports what the public headers declare, all of it and nothing else, and what
cmake/symbols.txt lists, so that a change of it is seen in a commit (--write writes the list); every symbol of
libcarom.a starts with cr_ or cri_; the core never prints, exits or reads the environment, and keeps
no state of its own (a variable that can change). Numbers in text go through base/locale.c, which knows no
decimal comma.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake" / "symbols.txt"
FORBIDDEN = {"printf", "__printf_chk", "vprintf", "puts", "putchar", "stdout", "stderr", "perror",
             "exit", "_exit", "abort", "getenv", "secure_getenv", "setenv", "rand", "srand", "random"}
# that depend on the locale of the host program
OF_LOCALE = {"strtod", "strtof", "strtold", "atof", "vsnprintf", "__vsnprintf_chk", "sscanf",
             "__isoc99_sscanf", "setlocale"}


def symbols(path, *options):
    """Rows (object file, name, section class, section) of a library's symbols."""
    output = subprocess.run(["nm", "-f", "sysv", *options, str(path)], capture_output=True,
                            text=True, check=True).stdout
    member = path.name
    for line in output.splitlines():
        match = re.match(r"Symbols from .*\[(.*)\]:$", line)
        if match:
            member = match[1]
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and columns[0] != "Name":
            yield member, columns[0], columns[2], columns[6]


def public_names():
    """Functions and variables that the public headers declare."""
    names = set()
    for path in sorted((ROOT / "include").rglob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.S)
        text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
        for declaration in re.findall(r"\bCR_API\b([^;{]*)", text):
            match = re.search(r"\b(\w+)\s*(?:\(|\[|$)", declaration.strip())
            names.add(match[1])
    return names


def differences(exported):
    """Where the list in git and the library differ."""
    listed = set(LIST.read_text().split())
    how = f"python3 scripts/check_names.py {sys.argv[1]} --write writes it"
    yield from (f"libcarom.so exports {name}, which {LIST.name} does not list; {how}"
                for name in sorted(exported - listed))
    yield from (f"{LIST.name} lists {name}, which libcarom.so does not export: programs that use it "
                f"will not start; {how}" for name in sorted(listed - exported))


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    build = Path(sys.argv[1])
    problems = []

    exported = {name for _, name, kind, _ in
                symbols(build / "libcarom.so", "-D", "--defined-only") if kind.isupper()}
    declared = public_names()
    if sys.argv[2:]:
        LIST.write_text("\n".join(sorted(exported)) + "\n")
    problems += differences(exported)
    problems += [f"libcarom.so exports {name}, which no public header declares"
                 for name in sorted(exported - declared)]
    problems += [f"{name} is declared in a public header, but libcarom.so does not export it"
                 for name in sorted(declared - exported)]
    problems += [f"the public name {name} does not start with cr_"
                 for name in sorted(declared) if not name.startswith("cr_")]

    # sanitizers and compilers add names that start with two underscores
    for member, name, kind, _ in symbols(build / "libcarom.a", "--defined-only", "--extern-only"):
        if kind.isupper() and not name.startswith(("cr_", "cri_", "__")):
            problems.append(f"{member}: {name} starts with neither cr_ nor cri_")

    for member, name, kind, _ in symbols(build / "libcarom.a"):
        if kind == "U" and name.split("@")[0] in OF_LOCALE and not member.startswith("locale.c"):
            problems.append(f"{member}: {name} depends on the locale; base/locale.h has what does not")

    for member, name, kind, section in symbols(build / "libcarom_core.a"):
        if kind == "U" and name.split("@")[0] in FORBIDDEN:
            problems.append(f"{member}: the core uses {name}")
        writable = re.match(r"\.(data|bss|tdata|tbss)\b(?!\.rel\.ro)", section)
        if writable and kind.upper() in "BDGS" and not name.startswith("__"):
            problems.append(f"{member}: the variable {name} can change; the core keeps no state")

    print("\n".join(problems) or f"names: {len(exported)} public names, all declared")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
