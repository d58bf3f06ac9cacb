#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Declarations and docstrings of the public headers, for cffi and for Python.

    make_cdef.py CC INCLUDE_FOLDER OUT_CDEF OUT_DOCS

OUT_CDEF is what the C preprocessor makes of carom/carom.h, without the system headers: there is no second list of
functions. OUT_DOCS is a Python file with the contract of each function, struct and enumeration.
"""
import pprint
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SYSTEM = ("stdbool.h", "stddef.h", "stdint.h")


def declarations(compiler, include):
    """All declarations of the public API, one text without comments and directives."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM:
            (Path(empty) / name).touch()
        text = subprocess.run(
            [compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", str(include), "-x", "c", "-"],
            input="#include <carom/carom.h>\n", capture_output=True, text=True, check=True).stdout
    return re.sub(r'__attribute__\(\(visibility\("default"\)\)\)\s*', "", text)


def names(code):
    """What a piece of a header declares: functions, or the name of a type."""
    found = re.findall(r"\b(cr_[a-z0-9_]+)\s*\(", code)
    if "CR_API" in code and found:
        return found[:1]
    match = re.match(r"typedef (?:struct|enum)\s*(?:\{.*\}\s*(\w+)|(\w+) \w+);", code, re.S)
    return [match[1] or match[2]] if match else []


def pieces(text):
    """Pairs of (comment of '///' lines, declaration behind it); declarations in a row share a comment."""
    comment, code, depth, fresh = [], [], 0, False
    for line in text.splitlines():
        if line.startswith("///") and depth == 0:
            if not fresh:
                comment, fresh = [], True
            comment.append(line[3:].removeprefix(" "))
            continue
        fresh = fresh and not line.strip()
        if not line.strip() or line.startswith(("#", "//", 'extern "C"', "}")) and not code:
            if not line.strip() and not code:
                comment = [] if not fresh else comment
            continue
        code.append(re.sub(r"\s*//.*", "", line))
        depth += line.count("{") - line.count("}")
        if depth == 0 and code[-1].rstrip().endswith(";"):
            yield "\n".join(comment), "\n".join(code)
            code = []


def contracts(include):
    """Name -> contract, as the headers have it."""
    docs = {}
    for header in sorted((include / "carom").glob("*.h")):
        for comment, code in pieces(header.read_text()):
            for name in names(code):
                docs[name] = comment
    return docs


def main(compiler, include, out_cdef, out_docs):
    include = Path(include)
    Path(out_cdef).write_text(declarations(compiler, include))
    Path(out_docs).write_text(
        "# Made by make_cdef.py from the public headers: contracts by name.\n"
        f"CONTRACTS = {pprint.pformat(contracts(include), width=120)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
