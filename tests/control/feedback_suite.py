#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom lqr on every model of dm_control's suite against SciPy. Usage: feedback_suite.py CAROM FOLDER

Where a feedback exists, the closed loop is stable and the gain is that of solve_discrete_are to 1e-8. Where carom says that there
is none, Hautus' test agrees: an eigenvalue outside the open unit circle that no control reaches. Costs that fade, as --discount has
them, then have a gain again, and that too is SciPy's. Models without controls, and one whose pegs never rest, are listed by name.
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.linalg

NO_CONTROLS = {"lqr.xml", "swimmer.xml"}  # templates: the suite adds bodies and motors when it runs
NO_REST = {"manipulator.xml"}  # pegs and a ball in one place at the start
DISCOUNT = 0.999


def lqr(carom, model, *options):
    """(exit code, what was printed, JSON object or the sentence)."""
    done = subprocess.run([carom, "lqr", str(model), "--json", *options], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stdout + done.stderr


def gain_of(A, B, nv, na, discount):
    """SciPy's gain for the weights of carom lqr."""
    Q = np.diag([1.0] * nv + [0.1] * nv + [1.0] * na)
    A, B = A * np.sqrt(discount), B * np.sqrt(discount)
    P = scipy.linalg.solve_discrete_are(A, B, Q, np.eye(B.shape[1]))
    return np.linalg.solve(np.eye(B.shape[1]) + B.T @ P @ B, B.T @ P @ A)


def reached(A, B):
    """The least singular value of (A - l, B) over all eigenvalues l outside the open unit circle, over the largest."""
    least = 1.0
    for value in np.linalg.eigvals(A):
        if abs(value) >= 1 - 1e-9:
            sizes = np.linalg.svd(np.hstack([A - value * np.eye(len(A)), B]), compute_uv=False)
            least = min(least, sizes[-1] / sizes[0])
    return least


def check(carom, model):
    """One model: (problem or "", what was found)."""
    code, found = lqr(carom, model, "--settle", "100")
    faded = code != 0 and "the doubling does not end" in found
    if faded:
        code, found = lqr(carom, model, "--settle", "100", "--discount", str(DISCOUNT))
    if code != 0:
        expected = "no controls" if model.name in NO_CONTROLS else "still accelerates" if model.name in NO_REST else None
        return "" if expected and expected in found else found, "refused"
    A, B, K = (np.array(found[key]) for key in ("A", "B", "gain"))
    na = len(found["act"])
    nv = (len(A) - na) // 2
    reference = gain_of(A, B, nv, na, DISCOUNT if faded else 1.0)
    error = np.abs(K - reference).max() / np.abs(reference).max()
    line = f"radius {found['radius']:.9f}, gain {error:.1e} from SciPy's, least singular value {reached(A, B):.1e}"
    if error > 1e-8:
        return f"the gain is {error:.1e} from SciPy's", line
    if faded:
        return "" if reached(A, B) < 1e-10 else "a feedback exists, and was not found", line
    return "" if found["radius"] < 1 and found["end"] < found["farthest"] else "the closed loop does not come to rest", line


def main():
    """All models; the exit status is 1 if one has a problem."""
    problems = 0
    models = sorted(Path(sys.argv[2]).glob("*.xml"))
    assert len(models) > 15, "where are the models?"
    for model in models:
        problem, line = check(sys.argv[1], model)
        print(f"{'FAILED' if problem else 'ok':6} {model.stem:14} {line}{': ' + problem if problem else ''}", flush=True)
        problems += problem != ""
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
