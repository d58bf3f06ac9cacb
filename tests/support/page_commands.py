# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages as a reader would, and compares what they print with what the page shows.

    page_commands.py SOURCE CAROM PAGE...

A block ```sh is run by bash, all blocks of a page one after the other in one folder, a copy of the tree in which build/ has
the command. A block ```c title="FILE" is written to FILE. A block ```text behind commands is what they print: its lines
have to appear in this order. In them `...` stands for anything, and numbers may differ by a thousandth."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r'^```(sh|text|c)(?: title="([^"]*)")?\n(.*?)^```$', re.S | re.M)
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def alike(line, shown):
    """Does a line agree with the one that the page shows?"""
    parts = [NUMBER.sub("\0", p) for p in shown.split("...")]
    pattern = ".*".join(re.escape(p).replace("\0", rf"({NUMBER.pattern})") for p in parts)
    match = re.fullmatch(pattern, line.rstrip())
    wanted = [n for p in shown.split("...") for n in NUMBER.findall(p)]
    return match is not None and all(abs(float(a) - float(b)) <= 1e-3 * abs(float(b)) + 1e-14 for a, b in zip(match.groups(), wanted))


def missing(printed, shown):
    """The first line of a block that does not appear behind those before it; None if all do."""
    lines = iter(printed.splitlines())
    for wanted in filter(str.strip, shown.splitlines()):
        if not any(alike(line, wanted.rstrip()) for line in lines):
            return wanted
    return None


def copy_of(source, carom, folder):
    for name in ("examples", "tests/data", "tests/scenes", "include"):
        shutil.copytree(source / name, folder / name)
    (folder / "build").symlink_to(Path(carom).resolve().parent)


def run(source, carom, page):
    """Mistakes of a page."""
    printed, commands = "", 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of(source, carom, folder)
        for kind, title, text in BLOCK.findall(page.read_text()):
            if kind == "c" and title:
                (folder / title).write_text(text)
            elif kind == "sh":
                done = subprocess.run(["bash", "-e", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
                printed, commands = done.stdout, commands + 1
                # a gradient that is not trusted ends with 1
                if done.returncode != 0:
                    yield f"{page.name}: exit code {done.returncode}: {text}{done.stderr}"
            elif kind == "text":
                line = missing(printed, text)
                if line is not None:
                    yield f"{page.name}: '{line}' is not in what is printed:\n{printed[:2000]}"
    if commands == 0:
        yield f"{page.name}: no commands"


def main(source, carom, *pages):
    # a line that is not printed, and one with another number, are found
    assert missing("a 1.0\nb 2\n", "a 1\nb ...") is None and missing("b 2\na 1\n", "a 1\nb 2") == "b 2"
    assert missing("a 1.01\n", "a 1") == "a 1" and missing("a = 5\n", "a = 5 m") == "a = 5 m"
    wrong = [w for page in pages for w in run(Path(source), carom, Path(source) / page)]
    print("\n".join(wrong) or f"{len(pages)} pages: their commands print what they show")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
