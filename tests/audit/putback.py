#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts mended defects back, one at a time, and demands that the audit finds each of them.

Each patch of putback/ says in its first lines what it puts back, in which seeds that shows, and as what finding:

    seeds: 17 22
    finds: gradient qpos

Such a finding has to be unexplained with the patch, and there must be none without it.

    putback.py                               # all of them
    putback.py muscle_at_zero
    putback.py muscle_at_zero --search 1 40  # other seeds that show it
"""
import argparse
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import audit
import carom
import reference

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEFT_OUT = shutil.ignore_patterns("build", "tests", ".*")


class Defect:
    """A patch: its sentence, its seeds, and what is found."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        lines = path.read_text(encoding="utf-8").splitlines()
        said = dict(x.split(": ", 1) for x in lines[:4] if x.startswith(("seeds: ", "finds: ")))
        self.sentence, self.seeds = lines[0], [int(x) for x in said["seeds"].split()]
        self.kind, *self.fields = said["finds"].split()

    def fits(self, f):
        """Whether a finding is one that the defect makes."""
        return f["class"] == "unexplained" and f["kind"] == self.kind and (not self.fields or f.get("field") in self.fields)


class Tree:
    """A copy of the sources, which is patched and built."""

    def __init__(self, folder, mujoco, jobs):
        self.folder, self.build, self.jobs = folder, folder / "build", jobs
        shutil.rmtree(folder, ignore_errors=True)  # what an earlier run built of a patched file would look newer
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        self.run("cmake", "-S", folder, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g",
                 "-DCAROM_TESTS=OFF", *([f"-DCAROM_MUJOCO_DIR={mujoco}"] if mujoco else []))

    @staticmethod
    def run(*words):
        """A command that must succeed."""
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def make(self, out):
        """Builds; the library and the command in a folder of their own."""
        self.run("cmake", "--build", self.build, "-j", self.jobs, "--target", "carom_shared", "carom")
        out.mkdir(parents=True, exist_ok=True)
        library = shutil.copy(self.build / "libcarom.so", out / "libcarom.so")
        return types.SimpleNamespace(lib=carom.load(str(library)), carom=str(shutil.copy(self.build / "carom", out / "carom")), out=out)

    def patched(self, defect, out):
        """The same with a defect; the tree is as it was afterwards."""
        self.run("patch", "-p1", "-d", self.folder, "-i", defect.path)
        try:
            return self.make(out)
        finally:
            self.run("patch", "-p1", "-R", "-d", self.folder, "-i", defect.path)


def found(built, defect, seed):
    """Findings of a seed that the defect makes."""
    events = defect.kind.startswith("events")
    options = types.SimpleNamespace(carom=built.carom if events else "", only="events" if events else None, events_every=1)
    result = audit.apart(built.lib, options, seed, str(built.out / f"{seed}.xml"))
    return [f for f in result.get("findings", []) if defect.fits(f)]


def search(right, wrong, defect, first, count):
    """Prints seeds that show a defect."""
    for seed in range(first, first + count):
        if found(wrong, defect, seed) and not found(right, defect, seed):
            print(seed, flush=True)


def main():
    """Builds, runs the seeds, prints a table."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("names", nargs="*", help="patches, all if none is named")
    a.add_argument("--search", nargs=2, type=int, metavar=("FIRST", "COUNT"), help="print seeds among these that show the defects")
    a.add_argument("--mujoco", default=os.environ.get("CAROM_MUJOCO_DIR"), help="folder of MuJoCo, if it is not fetched into build/")
    a.add_argument("--jobs", default="2", help="of the build")
    a.add_argument("--out", default=str(ROOT / "build/putback"), help="folder of the copy, the builds and the models")
    o = a.parse_args()
    reference.quiet()
    out, missed = Path(o.out), []
    mujoco = o.mujoco or next(map(str, (ROOT / "build/third_party/mujoco").glob("mujoco")), None)
    tree = Tree(out / "tree", mujoco, o.jobs)
    right = tree.make(out / "mended")
    defects = [Defect(p) for p in sorted((HERE / "putback").glob("*.patch"))]
    if unknown := set(o.names) - {d.name for d in defects}:
        a.error(f"no such patch: {', '.join(sorted(unknown))}")
    for defect in (d for d in defects if not o.names or d.name in o.names):
        wrong = tree.patched(defect, out / defect.name)
        if o.search:
            search(right, wrong, defect, *o.search)
            continue
        for seed in defect.seeds:
            with_it, without = found(wrong, defect, seed), found(right, defect, seed)
            said = "not found" if not with_it else "found, but also without it" if without else "found"
            missed += [] if said == "found" else [f"{defect.name} in {seed}"]
            print(f"{defect.name}, seed {seed}: {said}", flush=True)
    if missed:
        sys.exit("The audit does not find " + ", ".join(missed))


if __name__ == "__main__":
    main()
