#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gradients of 10,000 steps within a limit on memory: the same digits as without, the process within it
# too. The walker of the tests, and the models named by CAROM_MEMORY_MODELS (a humanoid, say).
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

# limited NAME MODEL LIMITS...: what carom grad prints under each, but for the seconds
limited() {
  local name=$1 model=$2
  shift 2
  python3 - "$CAROM" "$model" "$@" << 'PYTHON' || fail "$name: not the same within limits"
import json, os, subprocess, sys
carom, model, limits = sys.argv[1], sys.argv[2], sys.argv[3:]
def run(limit):
    args = [carom, "grad", model, "--time", "10", "--timestep", "0.001", "--wrt", "qpos", "qvel", "body_mass", "ctrl",
            "--loss", "norm(qpos)^2 + 0.01 * norm(qvel)^2", "--json"]
    process = subprocess.Popen(args + (["--memory", limit] if limit else []), stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{model} within {limit}: failed")
    result = json.loads(text)
    seconds = result.pop("seconds")
    print(f"{os.path.basename(model)} {limit or 'without limit'}: forward {seconds['forward']:.2f} s, "
          f"backward {seconds['backward']:.2f} s, {usage.ru_maxrss / 1024:.1f} MiB at most")
    return result
free = run(None)
for limit in limits:
    if run(limit) != free:
        sys.exit(f"{model} within {limit}: another result")
PYTHON
}

limited walker "$data/walker.xml" 64M 4M 2M
for model in ${CAROM_MEMORY_MODELS:-}; do
  limited model "$model" 64M 8M 5M
done

# ---- a stiff case of a million steps: nothing is lost (its motion is linear: the gradient by the velocity
# it starts with is the loss divided by that), nothing leaks (half the time does not need half the memory),
# and a budget of steps that runs out says how far it came
stiff=("$data/double_pendulum.xml" --set jnt_stiffness=1e8 'qvel[0]=1' --integrator bosh3 --rtol 1e-6)
python3 - "$CAROM" "${stiff[@]}" << 'PYTHON' || fail "a million steps"
import json, os, subprocess, sys
def run(time):
    process = subprocess.Popen([sys.argv[1], "grad", *sys.argv[2:], "--time", time, "--max-steps", "3000000", "--memory",
                                "40M", "--loss", "qpos[0] + 0.1 * qvel[1]", "--wrt", "qvel", "--json"],
                               stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    result = json.loads(text)
    print(f"{result['steps']} steps: {result['seconds']}, {usage.ru_maxrss / 1024:.1f} MiB at most")
    assert status == 0 and abs(result["gradient"]["qvel"][0] / result["loss"] - 1) < 1e-4
    return result["steps"], usage.ru_maxrss
half, whole = run("0.21"), run("0.42")
assert whole[0] > 1000000 and whole[1] < 1.2 * half[1] + 2048
PYTHON
refused 3 "100000 steps end at time 0.0" rollout "${stiff[@]}" --max-steps 100000

finish
