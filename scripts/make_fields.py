#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/fields.md from the field tables and the pipeline table; --check only compares."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^(CR_[A-Z_]+)\s*\((.*)\)\s*$")


def split(arguments):
    """Arguments of a macro row; quoted texts hold commas."""
    parts = re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,]+)', arguments)
    return [p.strip().strip('"').replace("|", "\\|") for p in parts if p.strip()]


def rows(path):
    for line in (ROOT / path).read_text().splitlines():
        match = ROW.match(line)
        if match:
            yield match[1], split(match[2])


def shape(count, width):
    return count if str(width) == "1" else f"{count} x {width}"


def model_lines():
    yield "| field | shape | unit | frame | parameter | meaning |"
    yield "|---|---|---|---|---|---|"
    for kind, a in rows("src/model/model_fields.h"):
        if kind == "CR_PARAM":
            name, count, width, tangent, _, _, unit, frame, text = a
            note = "yes" if width == tangent else f"yes, {tangent} numbers a row"
            yield f"| `{name}` | {shape(count, width)} | {unit} | {frame} | {note} | {text} |"
        elif kind == "CR_CONST":
            name, count, width, _, unit, frame, text = a
            yield f"| `{name}` | {shape(count, width)} | {unit} | {frame} | - | {text} |"
        elif kind == "CR_INT":
            name, count, width, text = *a[:3], a[-1]
            yield f"| `{name}` | {shape(count, width)} | - | - | - | {text} |"
        elif kind == "CR_OPT_R":
            name, unit, text = a[0], *a[-2:]
            yield f"| `{name}` | option | {unit} | - | - | {text} |"
        elif kind == "CR_OPT_I":
            name, text = a[0], a[-1]
            yield f"| `{name}` | option | - | - | - | {text} |"


def data_lines():
    yield "| field | shape | unit | frame | derivative | meaning |"
    yield "|---|---|---|---|---|---|"
    words = {"SAME": "same shape", "QPOS": "nv numbers", "ROT": "ambient, turned",
             "FRAME": "ambient, turned", "NONE": "-"}
    for kind, a in rows("src/model/data_fields.h"):
        if kind in ("CR_STATE", "CR_REAL"):
            name, count, width, tangent, unit, frame, text = a
            text = ("**input**: " if kind == "CR_STATE" else "") + text
            yield (f"| `{name}` | {shape(count, width)} | {unit} | {frame} | {words[tangent]} "
                   f"| {text} |")
        elif kind == "CR_OP":
            name, left, right, nnz, text = a
            yield f"| `{name}` | {left} x {right}, sparse | - | - | operator | {text} |"
        elif kind == "CR_INDEX":
            name, count, width, _, text = a
            yield f"| `{name}` | {shape(count, width)} | - | - | - | {text} |"


def stage_lines():
    text = (ROOT / "src/engine/pipeline_table.h").read_text()
    yield "| stage | file | reads | writes |"
    yield "|---|---|---|---|"
    for folder, name, reads, writes in re.findall(
            r"^CR_STAGE\((\w+), (\w+), \w+, \w+,\n?\s*(.*?),\n?\s*((?:F\(\w+\)\s*)+),\s*NEEDS\(", text,
            re.S | re.M):
        fields = [", ".join(f"`{f}`" for f in re.findall(r"F\((\w+)\)", part))
                  for part in (reads, writes)]
        yield f"| `{name}` | `src/{folder}/{name}.c` | {fields[0]} | {fields[1]} |"


def page():
    lines = ["# Fields and stages", "",
             "Made by `scripts/make_fields.py` from `src/model/model_fields.h`, "
             "`src/model/data_fields.h` and `src/engine/pipeline_table.h`. "
             "Conventions: [conventions.md](conventions.md).", "",
             "## The pipeline, in the order of computation", ""]
    lines += stage_lines()
    lines += ["", "## State and computed fields (`cr_data`)", ""]
    lines += data_lines()
    lines += ["", "## Model fields and options (`cr_model`)", ""]
    lines += model_lines()
    return "\n".join(lines) + "\n"


def main():
    target = ROOT / "docs/fields.md"
    if "--check" in sys.argv:
        if not target.exists() or target.read_text() != page():
            print("docs/fields.md is not what scripts/make_fields.py makes: run it")
            return 1
        return 0
    target.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
