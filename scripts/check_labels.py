#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Labels of equations are global. A label [page.e3] in a comment is in docs/derivations/page.md, and no label
of the sources is without its page. Every run also plants one of each kind, which has to fail."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GLOBAL = re.compile(r"\[(\w+)\.([a-z]\d{1,2})\]")
BARE = re.compile(r"(?<![\w\]])\[[a-z]\d{1,2}\]")


def problems_of(where, text, pages):
    """What is wrong with the labels in the comments of a source."""
    for number, line in enumerate(text.splitlines(), 1):
        _, _, comment = line.partition("//")
        for page, label in GLOBAL.findall(comment):
            if page not in pages:
                yield f"{where}:{number}: there is no docs/derivations/{page}.md"
            elif not re.search(rf"(?<![\w.]){page}\.{label}(?!\w)", pages[page]):
                yield f"{where}:{number}: docs/derivations/{page}.md has no {page}.{label}"
        for label in BARE.findall(comment):
            yield f"{where}:{number}: of which page is {label}?"


def main():
    pages = {path.stem: path.read_text() for path in (ROOT / "docs/derivations").glob("*.md")}
    found, n = [], 0
    for top in ("include", "src", "tests"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            text = path.read_text()
            n += len(GLOBAL.findall(text))
            found += problems_of(path.relative_to(ROOT), text, pages)
    for planted in ("// [reference.e99]", "// [nowhere.e1]", "// [e1] of nothing"):
        if not list(problems_of("planted", planted, pages)):
            found.append(f"planted, and not seen: {planted}")
    print("\n".join(found) or f"labels: {n} labels of equations are in their pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
