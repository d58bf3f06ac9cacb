#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds, runs and counts the tests. Usage: run_tests.py {fast|all|lint}

A test is one cmocka test, one script of tests/ or one house check. It counts once, however often it
runs (double, long double, sanitizers): it passed if it passed everywhere. The last line is
"N passed, N failed"; the exit status is 0 when none failed.

`all` takes hours. Stopped and called again on the same commit, it does not repeat what passed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

BEGAN = time.time()
ROOT = Path(__file__).resolve().parent.parent
JOBS = str(os.cpu_count() or 1)
LINE = re.compile(r"^\[\s+(RUN|OK|FAILED|SKIPPED)\s+\] (\w+)$")

CHECKS = [
    ("layers", ["python3", "scripts/check_layers.py", "build/tests"]),
    ("names", ["python3", "scripts/check_names.py", "build/tests"]),
    ("lengths", ["python3", "scripts/check_lengths.py"]),
    ("counts", ["python3", "scripts/check_counts.py"]),
    ("fields", ["python3", "scripts/make_fields.py", "--check"]),
    ("headers", ["python3", "scripts/check_headers.py"]),
    ("links", ["python3", "scripts/check_links.py"]),
    ("labels", ["python3", "scripts/check_labels.py"]),
    ("format", ["sh", "scripts/check_format.sh"]),
]
TIDY = ("clang-tidy", ["sh", "scripts/run_tidy.sh", "build/tests"])

# what to do, and with what: the preset to build, (preset, label) to test, checks to run. The release
# build comes first: what a user's first `make` builds must not break.
FAST = [("build", "release"), ("build", "tests"), ("test", ("tests", "fast")), ("checks", CHECKS),
        ("build", "asan"), ("test", ("asan", "fast"))]
PLANS = {
    "fast": FAST,
    "all": FAST + [("test", ("tests", "long")), ("test", ("asan", "long")), ("build", "tsan"),
                   ("test", ("tsan", "fast")), ("test", ("tsan", "long")), ("build", "clang")],
    "lint": [("checks", CHECKS + [TIDY])],
}

DONE = ROOT / "build" / "tests_done.json"  # what passed of `all`, and the commit
SLICE = {"fast": 20, "long": 1}  # entries of `all` that one call of ctest runs, remembered when it ends

verdicts = {}  # name of a test -> True while it passed in every run so far
runs = []      # (title, passed, failed, skipped, seconds)


def commit():
    """The commit of the tree; None where it has changes of its own, or is no checkout."""
    status, changes = command(["git", "status", "--porcelain", "--untracked-files=no"])
    if status != 0 or changes.strip():
        return None
    return command(["git", "rev-parse", "HEAD"])[1].strip()


class Memory:
    """What passed of a plan on one commit: parts, and entries of parts that have not passed yet. Without a
    commit nothing is remembered."""

    def __init__(self, head):
        self.head, self.parts, self.entries = head, {}, {}
        try:
            done = json.loads(DONE.read_text())
        except (OSError, ValueError):
            return
        if head is not None and done.get("commit") == head:
            self.parts, self.entries = done["parts"], done.get("entries", {})

    def write(self):
        """Writes it where the tree is still the commit. The file is whole at any time."""
        if self.head is None or self.head != commit():
            return
        new = DONE.with_suffix(".new")
        new.write_text(json.dumps({"commit": self.head, "parts": self.parts, "entries": self.entries}))
        new.replace(DONE)

    def add_part(self, key, part):
        """Remembers a part that passed: what record() takes."""
        self.parts[key] = part
        self.entries.pop(part[0], None)
        self.write()

    def add_entries(self, title, said):
        """Remembers those entries of a part that passed: {name: (outcomes, skipped, seconds)}."""
        passed = {name: one for name, one in said.items() if all(ok for _, ok in one[0])}
        self.entries.setdefault(title, {}).update(passed)
        self.write()


def record(title, outcomes, skipped, seconds):
    """Adds the outcomes of one part, a list of (key, passed), to the verdicts and the table."""
    for key, passed in outcomes:
        verdicts[key] = verdicts.get(key, True) and passed
    passed = sum(1 for _, ok in outcomes if ok)
    runs.append((title, passed, len(outcomes) - passed, skipped, seconds))
    print(f"== {title}: {passed} passed, {len(outcomes) - passed} failed, {seconds / 60:.1f} min, "
          f"{(time.time() - BEGAN) / 60:.1f} min since the start", flush=True)


def command(arguments):
    """Runs a command from the root of the tree, quietly; returns its status and its output."""
    done = subprocess.run(arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def build(preset):
    """Builds a preset; one that fails counts as a failed test. Returns what record() takes."""
    start = time.time()
    print(f"== build {preset}", flush=True)
    status, output = command(["make", "--no-print-directory", preset])
    if status != 0:
        print("\n".join(output.splitlines()[-80:]), flush=True)
    title = f"build {preset}"
    return title, [] if status == 0 else [(title, False)], 0, time.time() - start


def outcomes_of(case):
    """What a CTest entry says: (name, passed) of each of its tests, the number it skipped, its seconds."""
    entry = case.get("name").removesuffix(".long_double")
    entry_passed = case.get("status") == "run"
    state = {}
    for line in (case.findtext("system-out") or "").splitlines():
        match = LINE.match(line)
        if match:
            state[match[2]] = match[1]
    skipped = sum(1 for word in state.values() if word == "SKIPPED")
    outcomes = [(f"{entry}: {test}", word == "OK")
                for test, word in state.items() if word != "SKIPPED"]
    if not outcomes and not skipped:
        outcomes.append((entry, entry_passed))
    elif not entry_passed and all(ok for _, ok in outcomes):
        outcomes.append((f"{entry}: ended badly", False))
    return outcomes, skipped, float(case.get("time") or 0)


def ctest(preset, *selection):
    """Calls ctest on a preset's build; returns what each entry said, {name: outcomes_of}, and the output."""
    arguments = ["ctest", "--test-dir", f"build/{preset}", "--output-on-failure",
                 "--test-output-size-passed", "10000000", "--test-output-size-failed", "10000000"]
    # the thread sanitizer of gcc 12 cannot start where the kernel scatters addresses widely
    if preset == "tsan" and command(["setarch", "-R", "true"])[0] == 0:
        arguments = ["setarch", "-R"] + arguments
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        status, output = command(arguments + ["--output-junit", str(report), *selection])
        cases = ElementTree.parse(report).getroot().iter("testcase") if report.exists() else []
        said = {case.get("name"): outcomes_of(case) for case in cases}
    if status != 0 and all(ok for one in said.values() for _, ok in one[0]):
        said["ctest"] = [(f"ctest {preset} {' '.join(selection)}", False)], 0, 0.0
    return said, output


def names_of(preset, label):
    """The names of the entries of a label."""
    output = command(["ctest", "--test-dir", f"build/{preset}", "-L", f"^{label}$", "--show-only=json-v1"])[1]
    return [test["name"] for test in json.loads(output[output.index("{"):])["tests"]]


def test(preset, label, memory):
    """Runs the entries of a label that have not passed before. Returns what record() takes."""
    title, names = f"{preset}, {label}", names_of(preset, label)
    said = {name: one for name, one in memory.entries.get(title, {}).items() if name in names}
    before = f": {len(said)} of {len(names)} entries passed before" if said else ""
    print(f"== test {title}{before}", flush=True)
    start = time.time() - sum(one[2] for one in said.values()) / int(JOBS)
    rest = [name for name in names if name not in said]
    slices = [rest[i:i + SLICE[label]] for i in range(0, len(rest), SLICE[label])]
    with ThreadPoolExecutor(int(JOBS)) as pool:
        calls = [pool.submit(ctest, preset, "-R", f"^({'|'.join(map(re.escape, one))})$") for one in slices]
        try:
            for call in as_completed(calls):
                more, output = call.result()
                print(output, flush=True)
                said.update(more)
                memory.add_entries(title, more)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    slowest = sorted(said, key=lambda name: -said[name][2])[:5]
    print("slowest: " + ", ".join(f"{name} {said[name][2]:.0f} s" for name in slowest), flush=True)
    missing = [(f"{name}: did not run", False) for name in names if name not in said]
    outcomes = [one for entry in said.values() for one in entry[0]] + missing
    return title, outcomes, sum(entry[1] for entry in said.values()), time.time() - start


def checks(table):
    """Runs the house checks side by side: each says what is wrong and fails. Returns what record() takes."""
    start, outcomes = time.time(), []
    with ThreadPoolExecutor(int(JOBS)) as pool:
        said = list(pool.map(lambda check: command(check[1]), table))
    for (name, _), (status, output) in zip(table, said):
        print(f"== check {name}: {'passed' if status == 0 else 'FAILED'}\n{output}", end="")
        outcomes.append((f"check {name}", status == 0))
    return "house checks", outcomes, 0, time.time() - start


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PLANS:
        sys.exit(__doc__)
    memory, broken = Memory(commit() if sys.argv[1] == "all" else None), set()
    for kind, what in PLANS[sys.argv[1]]:
        key = "checks" if kind == "checks" else f"{kind} {what}"
        if key in memory.parts and kind != "build":
            print(f"== {key}: passed before, on the same commit", flush=True)
            record(*memory.parts[key])
            continue
        if kind == "test" and what[0] in broken:
            continue
        part = test(*what, memory) if kind == "test" else {"build": build, "checks": checks}[kind](what)
        record(*part)
        passed = all(ok for _, ok in part[1])
        if kind == "build" and not passed:
            broken.add(what)
        if passed:
            memory.add_part(key, part)

    print("\n== summary")
    for title, passed, failed, skipped, seconds in runs:
        print(f"{title:20} {passed:5} passed {failed:4} failed {skipped:4} skipped {seconds:7.1f} s")
    failures = sorted(key for key, ok in verdicts.items() if not ok)
    for key in failures:
        print(f"failed: {key}")
    print(f"{len(verdicts) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures or not verdicts else 0)


if __name__ == "__main__":
    main()
