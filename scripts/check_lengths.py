#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Function and file lengths. Usage: check_lengths.py [--all]

Prints, folder by folder, the median and 90th percentile of the function lengths and the share of
lines in functions over 100; lists what is worth a look with --all. Fails on a function over 120
lines without "// LONG: reason" on the line above it, and on a file over 1500 lines.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FUNCTION, LOOK_FUNCTION, MAX_FILE, LOOK_FILE, MAX_PARAMETERS = 120, 80, 1500, 900, 8

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
                   r"""|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""", re.S | re.M)


def blank(text):
    """Comments, literals and preprocessor lines become spaces; lines keep their numbers."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def opening(text, closing):
    """Where the parenthesis that closes at `closing` opens."""
    depth = 0
    for i in range(closing, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0:
            return i
    return 0


def parameters(text):
    """How many commas of the list are not inside inner parentheses, plus one."""
    depth, count = 0, 1
    for character in text:
        depth += (character in "([") - (character in ")]")
        count += character == "," and depth == 0
    return count


def functions(text):
    """(name, first line, last line, number of parameters) of each function of a C file."""
    text = blank(text)
    depth, head, found = 0, 0, None
    for i, character in enumerate(text):
        if character == "{":
            before = text[head:i].rstrip()
            if depth == 0 and before.endswith(")") and "=" not in before:
                open_at = opening(text, head + len(before) - 1)
                match = re.search(r"(\w+)\s*$", text[head:open_at])
                if match:
                    first = text.count("\n", 0, head + match.start()) + 1
                    count = parameters(text[open_at + 1:head + len(before) - 1])
                    found = (match[1], first, count)
            # extern "C" { is no level: its quotes are blank by now
            if depth == 0 and before.strip() == "extern":
                head = i + 1
                continue
            depth += 1
        elif character == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                head = i + 1
                if found:
                    yield found[0], found[1], text.count("\n", 0, i) + 1, found[2]
                    found = None
        elif character == ";" and depth == 0:
            head = i + 1


def percentile(values, share):
    """The smallest value that at least `share` of the values do not exceed."""
    values = sorted(values)
    return values[max(0, -(-len(values) * share // 100) - 1)]


def main():
    show_all = "--all" in sys.argv[1:]
    folders, problems, look = {}, [], []
    for top in ("include", "src", "tests", "bench", "examples", "python"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            name = path.relative_to(ROOT)
            lines = path.read_text().splitlines()
            if len(lines) > MAX_FILE:
                problems.append(f"{name}: {len(lines)} lines, more than {MAX_FILE}")
            elif len(lines) > LOOK_FILE:
                look.append(f"{name}: {len(lines)} lines")
            for function, first, last, count in functions("\n".join(lines)):
                length = last - first + 1
                folders.setdefault(str(name.parent), []).append(length)
                where = f"{name}:{first}: {function}"
                # the return type may stand on a line of its own
                above = lines[max(0, first - 3):first - 1]
                excused = any(line.strip().startswith("// LONG: ") for line in above)
                if length > MAX_FUNCTION and not excused:
                    problems.append(f"{where} has {length} lines, more than {MAX_FUNCTION}")
                elif length > LOOK_FUNCTION:
                    look.append(f"{where} has {length} lines")
                if count > MAX_PARAMETERS:
                    look.append(f"{where} has {count} parameters")

    print("folder                 functions median  p90  max  share over 100")
    for folder, lengths in sorted(folders.items()):
        share = 100 * sum(n for n in lengths if n > 100) / sum(lengths)
        print(f"{folder:24} {len(lengths):7} {percentile(lengths, 50):6} "
              f"{percentile(lengths, 90):4} {max(lengths):4} {share:6.0f} %")
    if look:
        print(f"worth a look: {len(look)}" + ("" if show_all else " (--all lists them)"))
        print("\n".join(look) + "\n" if show_all else "", end="")
    print("\n".join(problems) or "lengths: within the limits")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
