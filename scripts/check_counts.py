#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that laws and lists are written in one place. Usage: check_counts.py [--all]

Each row of the table is a pattern that at most so many files, or lines, of a folder may hold, or words that
so many functions may hold all of: a law that is written again, or a list that is kept by hand again, raises
the count. --all lists where each is held. Every run also plants one more than each row allows, which has to
fail.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# (what, pattern, folder, names of files, most of them, "files", "lines" or "functions"); a pattern of
# functions is words, all of which they hold; files of the folders in BESIDE[what] are not counted
TABLE = [
    ("the law of joint springs", r"jnt_stiffnesspoly", "src", "*.c", 2, "files"),
    ("the law of tendon springs", r"tendon_stiffnesspoly", "src", "*.c", 1, "files"),
    ("the laws of dampers", r"_dampingpoly", "src", "*.c", 3, "files"),
    ("the table of actuator laws", r"CR_GAIN_MUSCLE", "src", "*.c", 2, "files"),
    ("the loop over the stages", r"stage->vjp", "src", "*.c", 1, "files"),
    ("the pipeline table, which all others see as a schedule", r"\bcr_pipeline\b", "src", "*.c", 2,
     "files"),
    ("what evolves, which is model/state_table.h", "qpos qvel act", "src", "*.c", 13, "functions"),
    ("readers of a schedule", r"\bcri_schedule_of\b", "src", "*.c", 9, "files"),
    # the contact boundary: what a contact model owns is named in its folder alone
    ("the law of the convex contact model", r"solver/friction_cone", "src", "*.[ch]", 0, "files"),
    ("its zones", r"CR_STATE_QUADRATIC|CR_STATE_CONE|CR_STATE_LINEAR", "src", "*.[ch]", 0, "files"),
    ("the factor of its Newton matrix", r"->H_factor|->H_index", "src", "*.[ch]", 0, "files"),
    ("its cone", r"CR_CNSTR_CONTACT_ELLIPTIC", "src", "*.[ch]", 1, "files"),
    ("rows that it does not make or that move nothing", r"cri_latent_|cri_idle_", "src", "*.[ch]", 0, "files"),
]
CONTACT = ("src/constraint/", "src/solver/",)
BESIDE = {
    "the law of the convex contact model": CONTACT,
    "its zones": CONTACT,
    "the factor of its Newton matrix": CONTACT,
    "its cone": CONTACT,
    "rows that it does not make or that move nothing": CONTACT,
}


def functions(text):
    """(name, text) of each function of a C file that is laid out as clang-format does, without comments."""
    found, begun = [], []
    for line in re.sub(r"//[^\n]*", "", text).splitlines():
        if not begun and not re.match(r"[A-Za-z_]", line):
            continue
        begun.append(line)
        head = re.match(r"[^;{}=]*?(\w+)\([^;{}=]*\) \{", " ".join(begun))
        if line.startswith("}") or line.endswith((";", "}")) and (not head or len(begun) == 1):
            found += [(head[1], "\n".join(begun))] if head else []
            begun = []
    return found


def holders(pattern, files, unit):
    """Where a pattern is, of (path, text): a path for each file, line or function that has it."""
    found = []
    for path, text in files:
        if unit == "functions":
            found += [f"{path}:{name}" for name, body in functions(text)
                      if all(re.search(rf"\b{word}\b", body) for word in pattern.split())]
            continue
        n = sum(1 for line in text.splitlines() if re.search(pattern, line))
        found += [path] * (n if unit == "lines" else min(n, 1))
    return found


def example(pattern, unit):
    """A text that a pattern of plain words matches."""
    text = re.sub(r"\\.|[\^$]", "", pattern.split("|")[0])
    return f"static void f(void) {{\n  {text};\n}}\n" if unit == "functions" else text


def main():
    failed = 0
    for what, pattern, folder, names, most, unit in TABLE:
        files = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
                 for path in sorted((ROOT / folder).rglob(names))
                 if not str(path.relative_to(ROOT)).startswith(BESIDE.get(what, ("-",)))]
        found = holders(pattern, files, unit)
        if len(found) > most:
            failed = 1
            print(f"{what}: {len(found)} {unit} of {folder} hold {pattern}, {most} may: "
                  + ", ".join(found))
        elif "--all" in sys.argv:
            print(f"{what}: {len(found)} of {most}: " + ", ".join(found))
        planted = files + [(f"{folder}/planted{i}", example(pattern, unit)) for i in range(most + 1)]
        if len(holders(pattern, planted, unit)) <= most:
            failed = 1
            print(f"{what}: one more {pattern} is not seen")
    print("counts: " + ("too many" if failed else "nothing is written more often than it may be"))
    sys.exit(failed)


if __name__ == "__main__":
    main()
