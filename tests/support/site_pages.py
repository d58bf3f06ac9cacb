# SPDX-License-Identifier: Apache-2.0
"""What is in a built site, for tests/site/site.long.sh. Usage: site_pages.py SOURCE CAROM OUT; the site is OUT/site."""
import html
import json
import re
import subprocess
import sys
from pathlib import Path

source, carom, site = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) / "site"
wrong = []


def demand(condition, what):
    if not condition:
        wrong.append(what)


def text_of(name):
    path = site / name
    demand(path.exists(), f"there is no page {name}")
    return path.read_text() if path.exists() else ""


# every page of docs, and those beside it
pages = [p.relative_to(source) for p in source.glob("docs/**/*.md")]
demand(len(pages) > 60, f"only {len(pages)} pages")
for page in pages:
    text_of(str(page.with_suffix(".html")).replace("README.html", "index.html"))
for name in ("index", "CHANGELOG", "CONTRIBUTING", "TESTING", "bench/RESULTS", "bench/PEERS"):
    text_of(f"{name}.html")

# every exported function has its place in the reference of C, and the contract of one is all there
reference = {p.stem: p.read_text() for p in (site / "reference/c").glob("*.html")}
anchors = {a for text in reference.values() for a in re.findall(r'id="([\w.-]+)"', text)}
missing = [f for f in (source / "cmake/symbols.txt").read_text().split() if f not in anchors]
demand(not missing, f"not in the reference of C: {missing}")
for words in ("Limits the memory that grows with the number of steps", "CR_ERR_MEMORY", "size_t bytes"):
    demand(words in html.unescape(re.sub(r"<[^>]*>", "", reference["rollout"])), f"cr_rollout_set_memory: no {words}")

# every option of every command
commands = [r.split("\t") for r in subprocess.run([carom, "--help=rows"], capture_output=True, text=True).stdout.splitlines()][1:]
demand(len(commands) > 10, "commands")
for _, command, *_ in commands:
    page = html.unescape(text_of(f"reference/commands/{command}.html"))
    for row in subprocess.run([carom, command, "--help=rows"], capture_output=True, text=True).stdout.splitlines():
        kind, name = row.split("\t")[:2]
        if name.startswith("--"):
            demand(f"<code>{name}" in page, f"carom {command}: {name}")

demand("fit_<name of CONFIG>" in html.unescape(re.sub(r"<[^>]*>", "", text_of("reference/commands/fit.html"))), "carom fit: <name>")

# what a program in Python uses
for module, names in {"index": ["step"], "model": ["Model", "load"], "data": ["Data", "Data.step", "Data.jacobian"],
                      "rollouts": ["Batch", "rollout"], "gradient": ["grad"], "fitting": ["fit"], "torch": [], "jax": []}.items():
    page = text_of(f"reference/python/{module}.html")
    for name in names:
        demand(f'id="{name.lower()}"' in page, f"carom.{module}: {name}")
demand("qfrc_applied" in text_of("reference/python/data.html"), "fields of carom.Data")

# the search
index = json.loads((site / "search/search_index.json").read_text())["docs"]
demand(len(index) > 1000, f"{len(index)} entries in the search")
for words in ("cr_rollout_gradient", "geom_friction", "--events", "Can I trust this gradient"):
    demand(any(words in d["title"] or words in html.unescape(d["text"]) for d in index), f"the search does not know {words}")

# nothing comes from elsewhere, and every link leads to a file, with its heading
for path in site.rglob("*.html"):
    text = path.read_text()
    for address in re.findall(r'(?:src|href)="([^"]+)"', text):
        if re.match(r"(https?:)?//", address):
            is_link = re.search(rf'<a [^>]*href="{re.escape(address)}"', text)
            demand(is_link, f"{path.relative_to(site)} fetches {address}")
        elif not re.match(r"[a-z]+:|#|$", address) and path.name != "404.html":
            there = path.parent / html.unescape(address).split("#")[0].split("?")[0]
            demand(there.exists(), f"{path.relative_to(site)}: there is no {address}")
print("\n".join(wrong[:40]) or f"{len(index)} entries in the search, {len(anchors)} places in the reference of C")
sys.exit(bool(wrong))
