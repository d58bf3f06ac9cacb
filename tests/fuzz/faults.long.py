# SPDX-License-Identifier: Apache-2.0
"""Every allocation of a command fails in turn, and every write, fsync, rename, open and close. Each run
ends with exit code 2 or 3 and one sentence, or goes on to the same results; it does not crash, and a
good file that was there is still there, or the new one. Crashes inside libraries count apart, by name."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

CAROM, BUILD, SOURCE = (os.environ[k] for k in ("CAROM", "CAROM_BUILD_DIR", "CAROM_SOURCE_DIR"))
STRIDE = int(os.environ.get("STRIDE", "1"))
DATA = SOURCE + "/tests/data/"
FIT = ["fit", SOURCE + "/examples/cube_side.yaml", "--set", "made.tosses=3", "made.rows=20",
       "optimisers.0.iterations=2", "--threads", "1", "--force", "--out", "fit"]
BATCH = ["batch", DATA + "walker.xml", "--time", "0.01", "--count", "6", "--chunk", "3", "--threads", "1",
         "--random", "qvel=0.5", "--loss", "norm(qpos)^2", "--wrt", "qpos", "--out", "out.h5", "--force"]
ROLL = ["rollout", DATA + "walker.xml", "--time", "0.01"]
TRAIN = ["train", DATA + "driven_arm.xml", "run.h5", "--blueprint", "net.yaml", "--epochs", "2", "--threads", "1",
         "--learning-rate", "0.001", "--force", "--out", "train"]
NET = """corrections:
  - name: friction
    target: qfrc_passive[hip]
    inputs: [{place: 'qvel[hip]'}]
    layers: [{width: 2}]
    lasso: 0.01
"""
COMMANDS = {
    "rollout": ROLL + ["--out", "out.h5", "--force"],
    "save": ROLL + ["--save-model", "out", "--force"],
    "model": ["rollout", "good.crm", "--time", "0.01", "--json"],
    "grad": ["grad", DATA + "sensors.xml", "--time", "0.01", "--loss", "norm(qpos)^2", "--wrt", "qpos",
             "body_mass", "--json"],
    "jacobian": ["grad", DATA + "walker.xml", "--jacobian", "--csv", "out.csv", "--force"],
    "batch": BATCH,
    "resume": BATCH + ["--resume"],
    "fit": FIT,
    "train": TRAIN,
    "plan": ["plan", SOURCE + "/examples/tasks/cartpole.yaml", "--set", "horizon=0.1", "planner.iterations=3", "--threads", "1",
             "--out", "plan", "--force"],
    "check": ["check", DATA + "walker.xml", "--states", "1"],
}
KINDS = ["malloc", "write:ENOSPC", "write:EIO", "write:EINTR", "write:short", "fsync", "rename", "open",
         "close"]
# the most runs of one command with one kind of fault: spread over all
MOST = int(os.environ.get("MOST", "150"))


def run(arguments, fault, n, count=None):
    kind, _, how = fault.partition(":")
    env = dict(os.environ, LD_PRELOAD=BUILD + "/tests/libcarom_faults.so",
               CAROM_FAULT=f"{kind}:{n}" + (":" + how if how else ""))
    options = "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0"
    env["ASAN_OPTIONS"] = options
    if count:
        env["CAROM_FAULT_COUNT"] = count
    try:
        return subprocess.run([CAROM] + arguments, env=env, capture_output=True, text=True,
                              timeout=240)
    except subprocess.TimeoutExpired:
        return None


def results(folder):
    """What the command leaves, without what is temporary."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith((".tmp", ".part", ".gp", ".png")):
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return found


def checksum(data):
    """FNV-1a, as src/base/fingerprint.h has it."""
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value.to_bytes(8, "little")


def without_times(content):
    return re.sub(rb"[0-9.e-]+\s+s\b", b"s", content)


def whole(name, content, good):
    """A result file is a good one: as it was or as it becomes; those of a fit that grow are lines. A saved training has its
    checksum."""
    if name.endswith("training.state"):
        return checksum(content[:-8]) == content[-8:]
    if name.endswith(("history.csv", "cost.csv", "checkpoint.txt", "result.json", "tosses.h5")):
        return name.endswith(("history.csv", "cost.csv")) or len(content) > 0
    if name.endswith("report.html"):  # it says how long things took
        content = without_times(content)
        return any(content == without_times(x) for x in good.get(name, []))
    return content in good.get(name, []) or len(content) in [len(x) for x in good.get(name, [])]


def fault_of(p, good, folder, usual):
    if p is None:
        return "hangs"
    if p.returncode in (0, 1) and p.returncode != usual:
        return f"exit code {p.returncode} instead of {usual}, or 2 or 3"
    text = p.stderr
    if p.returncode < 0 or "Sanitizer" in text or "runtime error" in text:
        return f"crashes ({p.returncode}): {text[-300:]}"
    if p.returncode not in (0, 1, 2, 3):
        return f"exit code {p.returncode}"
    sentences = [line for line in text.splitlines() if line.startswith("carom")]
    if p.returncode in (2, 3) and not sentences:
        return f"exit code {p.returncode} without a sentence: {text[-200:]}"
    if any(line.count("\n") for line in sentences):
        return "more than a line"
    for name, content in results(folder).items():
        if not whole(name, content, good):
            return f"{name} has {len(content)} bytes"
    return None


def main():
    failures, tally, top = 0, collections.Counter(), tempfile.mkdtemp(dir=BUILD, prefix="faults.")
    os.chdir(top)
    subprocess.run([CAROM] + ROLL + ["--save-model", "good.crm"], check=True, capture_output=True)
    subprocess.run([CAROM, "rollout", DATA + "driven_arm.xml", "--time", "0.1", "--out", "run.h5"], check=True,
                   capture_output=True)
    with open("net.yaml", "w", encoding="utf-8") as file:
        file.write(NET)
    only = sys.argv[1:]
    for name, arguments in COMMANDS.items():
        if only and name not in only:
            continue
        for fault in KINDS:
            for entry in os.listdir("."):
                if entry not in ("good.crm", "run.h5", "net.yaml"):
                    (shutil.rmtree if os.path.isdir(entry) else os.unlink)(entry)
            # once for the files as they are to be, once more for how many calls there are
            run(arguments, "none", 1)
            before = results(".")
            first = run(arguments, fault, -1, "count")
            if first is None or first.returncode not in (0, 1):
                print("FAILED:", name, "does not run:", first and first.stderr)
                failures += 1
                break
            total = int(open("count").read())
            os.unlink("count")
            after = results(".")
            good = {k: [x[k] for x in (before, after) if k in x] for k in {**before, **after}}
            step = max(STRIDE, -(-total // MOST))
            for n in range(1, total + 1, step):
                if name == "resume":
                    for entry in ("out.h5", "out.h5.part"):
                        if os.path.exists(entry):
                            os.unlink(entry)
                    subprocess.run([CAROM] + BATCH, capture_output=True, check=False)
                    os.rename("out.h5", "out.h5.part")
                p = run(arguments, fault, n)
                why = fault_of(p, good, ".", first.returncode)
                tally["crash or hang" if why else f"exit {p.returncode}"] += 1
                if why:
                    failures += 1
                    print(f"FAILED: {name}, {fault} {n} of {total}: {why}", flush=True)
            print(f"{name}, {fault}: {total} calls", flush=True)
    print(dict(tally))
    shutil.rmtree(top)
    return failures > 0


sys.exit(main())
