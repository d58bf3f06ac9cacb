# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks of a folder, each from a clean kernel, and says how long each took.

    run_notebooks.py FOLDER [--keep]      --keep writes texts and pictures into the files; pages of motions are left out

A notebook has to run to its end, to draw a picture, and to show a motion. As it is in git it may have at most 100 kB.
"""
import importlib.util
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

LARGEST = 100_000


def outputs(notebook, kind):
    """All outputs of a kind, as "image/png"."""
    return [out["data"][kind] for cell in notebook.cells for out in cell.get("outputs", ()) if kind in out.get("data", {})]


def without_pages(notebook):
    """The same notebook, with neither pages of motions nor what changes from run to run."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        cell["outputs"] = [out for out in cell.get("outputs", ()) if "<iframe" not in out.get("data", {}).get("text/html", "")] \
            if cell.cell_type == "code" else None
        if cell["outputs"] is None:
            del cell["outputs"]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def run(path, keep):
    """What is wrong with a notebook; None: nothing."""
    if path.stat().st_size > LARGEST:
        return f"it has {path.stat().st_size} bytes, {LARGEST} may be: leave pages of motions out"
    notebook = nbformat.read(path, as_version=4)
    if "import torch" in "".join(cell.source for cell in notebook.cells) and importlib.util.find_spec("torch") is None:
        print(f"{path.name}: skipped, there is no PyTorch")
        return None
    begun = time.monotonic()
    try:
        NotebookClient(notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    except CellExecutionError as failure:
        return str(failure)
    print(f"{path.name}: {time.monotonic() - begun:.1f} s")
    if not outputs(notebook, "image/png"):
        return "it draws no picture"
    if not any('<iframe srcdoc="&lt;!DOCTYPE html&gt;' in html for html in outputs(notebook, "text/html")):
        return "it shows no motion"
    if keep:
        nbformat.write(without_pages(notebook), path)
    return None


def main(folder, *options):
    paths = sorted(Path(folder).glob("*.ipynb"))
    problems = {path.name: run(path, "--keep" in options) for path in paths}
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    if not paths:
        print(f"{folder}: there is no notebook")
    sys.exit(1 if not paths or any(problems.values()) else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
