#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation site of the Markdown pages, the public headers, the Python package and the command.

    make_site.py CAROM OUT_FOLDER       CAROM is the built command; the site is in OUT_FOLDER/site

Pages stay as they are for a code host. Here they are copied to OUT_FOLDER/pages, with the same folders, so that their
links hold. docs/README.md lists them: its headings are the sections of the site. A link to a source file leads to a page
with that source, a link to a header to its reference.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import c_reference
import python_reference

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^\s*```")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "bash", ".yaml": "yaml", ".xml": "xml", ".txt": "text", ".json": "json"}


def anchor(text, separator="-"):
    """The anchor of a heading as code hosts make it, and scripts/check_links.py."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


# ---- pages of the tree

def listed_pages():
    """The Markdown pages of the site: README, CHANGELOG, CONTRIBUTING, TESTING, docs, and the pages of bench."""
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                             capture_output=True, text=True).stdout.split()
    names = tracked or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md") if "build" not in p.relative_to(ROOT).parts]
    return sorted(n for n in names if n.startswith(("docs/", "bench/")) or "/" not in n or n == "tests/audit/README.md")


def reference_of(target):
    """The reference page of a header, or of all of them."""
    if target == ROOT / "include/carom":
        return "reference/c/index.md"
    return f"reference/c/{target.stem}.md" if target.parent == ROOT / "include/carom" and target.suffix == ".h" else None


class Pages:
    """The pages that are laid out, and the source files that they name."""

    def __init__(self, folder):
        self.folder, self.sources = folder, set()
        self.known = set(listed_pages())

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def target_of(self, page, path):
        """Where a link of a page leads within the site, as a path below its top; None where there is nothing."""
        there = Path(os.path.normpath(ROOT / Path(page).parent / path))
        if not there.exists():
            return None
        name = str(there.relative_to(ROOT))
        if reference_of(there):
            return reference_of(there)
        if there.is_dir():
            inside = f"{name}/README.md"
            return inside if inside in self.known else None
        if name in self.known:
            return name
        if there.suffix in (".png", ".svg"):
            shutil.copyfile(there, self.placed(name))
            return name
        self.sources.add(name)
        return f"source/{name}.md"

    def placed(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def linked(self, page, line):
        """A line with its links as the site has them."""
        def change(match):
            text, path, heading = match[1], match[2], match[3] or ""
            if not path or re.match(r"[a-z]+:", path):
                return match[0]
            target = self.target_of(page, path)
            if target is None:
                return match[0]  # mkdocs says that it leads nowhere
            return f"{text}({os.path.relpath(target, Path(page).parent)}{heading})"
        return LINK.sub(change, line)

    def add(self, name):
        """A page of the tree: links changed, and a blank line before lists and tables, which this Markdown needs."""
        out, fenced, before = [], False, ""
        for line in (ROOT / name).read_text().splitlines():
            fenced ^= bool(FENCE.match(line))
            if not fenced and not line.startswith("    "):
                begins = re.match(r"([-*]|\d+\.) |\|", line)
                inside = re.match(r"\s*([-*]|\d+\.) |\||  ", before)
                if begins and before.strip() and not inside:
                    out.append("")
                line = self.linked(name, line)
            out.append(line)
            before = line
        self.write(name, "\n".join(out) + "\n")

    def add_sources(self):
        """A page for each source file that a page names."""
        for name in sorted(self.sources):
            path = ROOT / name
            self.write(f"source/{name}.md", f"# {name}\n\n```{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text().rstrip()}\n```\n")


# ---- references

def told(text):
    """A help text as Markdown, its pages as links."""
    return c_reference.prose(text, {}, "")


def add_commands(pages, carom):
    """The reference of the command line, from the help that the command prints for programs."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import make_manual
    index, entries = ["# Commands", "", "Made from the help of the command. [Commands](../../docs/commands.md) says how options go "
                      "together, and what exit codes mean.", "", "| command | what it does |", "|---|---|"], []
    _, *listed = make_manual.rows(carom)
    for row in listed:
        c = make_manual.command_of(carom, row.name, row.help)
        index.append(f"| [`carom {c.name}`]({c.name}.md) | {c_reference.escape(c.brief)} |")
        out = [f"# carom {c.name}", "", c.summary, ""]
        out += [f"    carom {c.name} {c.positional.argument if c.positional else ''} [options]", ""]
        out += [f"    {example}" for example in c.examples]
        out += ["", "| option | what it does |", "|---|---|"]
        if c.positional:
            out.append(f"| `{c.positional.argument}` | {told(c.positional.help)} |")
        out += [f"| `{(o.name + ' ' + o.argument).strip()}` | {told(o.help)} |" for o in c.options]
        if c.words:
            out += ["", "| name | what it is |", "|---|---|"] + [f"| `{w.name}` | {c_reference.escape(w.help)} |" for w in c.words]
        pages.write(f"reference/commands/{c.name}.md", "\n".join(out) + "\n")
        entries.append({f"carom {c.name}": f"reference/commands/{c.name}.md"})
    pages.write("reference/commands/index.md", "\n".join(index) + "\n")
    return {"Commands": ["reference/commands/index.md", *entries]}


def add_reference(pages, title, folder, prefix, suffix, made):
    """Pages that are made, below reference/FOLDER; returns their part of the contents."""
    for name, text in made.items():
        pages.write(f"reference/{folder}/{name}", text)
    rest = [{f"{prefix}{name.removesuffix('.md')}{suffix}": f"reference/{folder}/{name}"} for name in made if name != "index.md"]
    return {title: [f"reference/{folder}/index.md", *rest]}


def add_languages(pages, stubs):
    """The references of C and of Python."""
    c, places = c_reference.pages(ROOT / "include")
    stubs.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, ROOT / "python/make_stubs.py", ROOT, stubs], check=True)
    python = python_reference.pages(ROOT / "python/carom", stubs, places)
    return [add_reference(pages, "C API", "c", "carom/", ".h", c),
            add_reference(pages, "Python API", "python", "carom.", "", python)]


# ---- the contents

def title(name):
    for line in (ROOT / name).read_text().splitlines():
        if line.startswith("# "):
            return line[2:].replace("`", "").strip()
    return name


def entries(pages, page):
    """(heading, [page]) of each section of a page of contents."""
    found = []
    for line in (ROOT / page).read_text().splitlines():
        if line.startswith("## "):
            found.append((line[3:].strip(), []))
        match = re.match(r"(?:- |\| )\[([^\]]*)\]\(([^)#\s]*)\)", line)
        if match and found:
            target = pages.target_of(page, match[2])
            if target and target.endswith(".md") and not target.startswith(("reference/", "source/")):
                found[-1][1].append((match[1].replace("`", ""), target))
    return found


def nav_of(pages, references):
    """The contents of docs/README.md as mkdocs wants them; the contents of a folder stand below its README."""
    nav, seen = [{"Carom": "README.md"}], {"README.md", "docs/README.md"}
    for heading, items in entries(pages, "docs/README.md"):
        below = ["docs/README.md"] if len(nav) == 1 else []
        for text, target in items:
            seen.add(target)
            if target.endswith("/README.md"):
                parts = [{part: [{t: p} for t, p in inner]} for part, inner in entries(pages, target) if inner]
                seen |= {p for _, inner in entries(pages, target) for _, p in inner}
                below.append({text: [target, *parts]})
            else:
                below.append({text: target})
        nav.append({heading: below + (references if heading == "Reference" else [])})
    more = sorted(pages.known - seen)
    folders = sorted(n for n in more if n.count("/") > 1)
    missing = [n for n in more if n.startswith("docs/") and n not in folders]
    if missing:
        sys.exit(f"make_site: docs/README.md does not list {', '.join(missing)}")
    rest = [{title(n): n} for n in more]
    sources = [{n: f"source/{n}.md"} for n in sorted(pages.sources)]
    nav.append({"More": rest + [{"Sources that pages name": sources}]})
    return nav


def main(carom, out):
    out = Path(out).resolve()
    for part in ("pages", "stubs", "site"):
        shutil.rmtree(out / part, ignore_errors=True)
    pages = Pages(out / "pages")
    for name in sorted(pages.known):
        pages.add(name)
    references = [add_commands(pages, carom), *add_languages(pages, out / "stubs")]
    pages.add_sources()
    for asset in ("site.css", "iframe-worker.js"):
        shutil.copyfile(HERE / asset, pages.placed(f"assets/{asset}"))
    import yaml
    nav = nav_of(pages, references)
    config = (HERE / "mkdocs.yml").read_text() + yaml.safe_dump({"docs_dir": str(out / "pages"), "site_dir": str(out / "site"), "nav": nav}, sort_keys=False)
    (out / "mkdocs.yml").write_text(config)
    env = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", out / "mkdocs.yml"], env=env)
    if done.returncode == 0:
        print(f"Open {out / 'site' / 'index.html'}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
