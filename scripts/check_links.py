#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that links lead somewhere: every relative link of every tracked Markdown page, with its
heading if it names one, and every path of the tree that a page names in backquotes. Each page of
docs/ is listed in docs/README.md, which is the contents of the site."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:bench|cmake|docs|examples|include|scripts|src|tests)/[\w./-]+\w)`")


def headings(page):
    """The anchors of a page's headings: letters in lower case, with hyphens for spaces."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in page.read_text().splitlines() if line.startswith("#")}


def problems_of(page):
    """What a page points at in vain."""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        where = f"{page.relative_to(ROOT)}:{number}"
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            if not there.exists():
                yield f"{where}: there is no {target}"
            elif anchor and anchor not in headings(there):
                yield f"{where}: {path or 'this page'} has no heading #{anchor}"
        for path in NAMED.findall(line):
            if not (ROOT / path).exists():
                yield f"{where}: names {path}, which is not there"


def unlisted(names):
    """Pages of docs/ that docs/README.md does not list."""
    contents = set(LINK.findall((ROOT / "docs/README.md").read_text()))
    for name in names:
        folder, _, page = name.rpartition("/")
        if folder == "docs" and page != "README.md" and page not in contents:
            yield f"{name}: docs/README.md does not list it"


listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
names = listed.stdout.split() or [str(p) for p in ROOT.rglob("*.md") if "build" not in p.parts]
found = [problem for name in names for problem in problems_of(ROOT / name)] + list(unlisted(names))
print("\n".join(found) or f"links: {len(names)} pages point at what is there")
sys.exit(1 if found else 0)
