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

finish
