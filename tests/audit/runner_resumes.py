#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run_tests.py all`, called again, goes on where it was on the same commit, and begins anew on another."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path("tree").absolute()
RAN, MENDED = ROOT / "build" / "ran", ROOT / "build" / "mended"
PRESETS = ("tests", "asan", "tsan")
CHECKS = ("layers", "names", "lengths", "counts", "headers", "links", "labels")


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)


def entry(name, label, script):
    """One line of a CTestTestfile: the entry says that it ran, then runs the script."""
    return (f'add_test({name} sh -c "echo $0 >> {RAN}; {script}" {name})\n'
            f"set_tests_properties({name} PROPERTIES LABELS {label} TIMEOUT 60)\n")


def make_tree():
    """A tree with the runner, builds that do nothing, and three entries; one fails until MENDED is there."""
    shutil.rmtree(ROOT, ignore_errors=True)
    (ROOT / "scripts").mkdir(parents=True)
    shutil.copy(Path(os.environ["CAROM_SOURCE_DIR"]) / "scripts" / "run_tests.py", ROOT / "scripts")
    for name in [f"check_{check}.py" for check in CHECKS] + ["make_fields.py", "check_format.sh"]:
        (ROOT / "scripts" / name).write_text("")
    (ROOT / "Makefile").write_text("release clang " + " ".join(PRESETS) + ": ;\n")
    (ROOT / ".gitignore").write_text("build\n")
    for preset in PRESETS:
        folder = ROOT / "build" / preset
        folder.mkdir(parents=True)
        (folder / "CTestTestfile.cmake").write_text(
            entry(f"{preset}/quick", "fast", "true") + entry(f"{preset}/slow", "long", "true")
            + entry(f"{preset}/broken", "long", f"test -e {MENDED}" if preset == "asan" else "true"))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")


def run(passed, failed, entries):
    """Runs everything; checks the last line, the exit status and which entries ran."""
    RAN.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, "scripts/run_tests.py", "all"], cwd=ROOT, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ran = sorted(RAN.read_text().split()) if RAN.exists() else []
    last = done.stdout.splitlines()[-1]
    said = last, ran, done.returncode == 0
    expected = f"{passed} passed, {failed} failed", sorted(entries), failed == 0
    if said != expected:
        sys.exit(f"{done.stdout}\nsaid {said}, expected {expected}")


def main():
    every = [f"{preset}/{name}" for preset in PRESETS for name in ("quick", "slow", "broken")]
    make_tree()
    run(17, 1, every)
    run(17, 1, ["asan/broken"])
    MENDED.touch()
    run(18, 0, ["asan/broken"])
    run(18, 0, [])
    git("commit", "-q", "--allow-empty", "-m", "two")
    run(18, 0, every)
    (ROOT / "Makefile").open("a").write("# a change of its own\n")
    run(18, 0, every)
    run(18, 0, every)


main()
