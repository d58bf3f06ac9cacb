# SPDX-License-Identifier: Apache-2.0
"""The type stubs name every field, count, option and method, and docstrings have the contracts of the headers."""
import ast
from pathlib import Path

import pytest

import carom


def members(name, cls):
    tree = ast.parse((Path(carom.__file__).parent / f"{name}.pyi").read_text())
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls).body
    return {node.target.id if isinstance(node, ast.AnnAssign) else node.name for node in body
            if isinstance(node, (ast.AnnAssign, ast.FunctionDef))}


@pytest.mark.parametrize("name, cls, kinds", [("model", "Model", ("int", "const", "param")),
                                              ("data", "Data", ("state", "real", "index"))])
def test_stubs_name_everything(name, cls, kinds):
    stubbed = members(name, cls)
    fields = {field.name for field in carom.fields().values() if field.kind in kinds}
    assert fields <= stubbed
    public = {member for member in vars(getattr(carom, cls)) if not member.startswith("_")}
    assert public <= stubbed
    if cls == "Model":
        assert {"nq", "nbody", "timestep", "integrator", "cfd_wc", "findings"} <= stubbed
    inherited = {"body", "joint", "geom"}
    own = stubbed - fields - public - inherited
    model = carom.load("<mujoco/>")
    target = model if cls == "Model" else carom.Data(model)
    for member in own - {"model"}:
        assert hasattr(target, member), member


def test_docstrings_have_the_contracts():
    assert "Equation H qacc' = -r'" in carom.jacobian.__doc__
    assert "FNV" not in (carom.Model.copy.__doc__ or "") and "CR_ERR_MEMORY" in carom.Model.copy.__doc__
    for name in ("load", "jvp", "vjp", "rollout", "grad", "fit", "check", "Batch"):
        assert getattr(carom, name).__doc__


def test_names_that_are_loaded_later():
    """What type checkers see is what there is, and every name is that of its module, whatever was loaded before."""
    import importlib
    import subprocess
    import sys
    tree = ast.parse(Path(carom.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING")
    seen = {alias.name: node.module for node in guarded.body for alias in node.names}
    assert seen == {name: f"carom.{module}" for name, module in carom._LATER.items()}
    for name, module in seen.items():
        assert getattr(carom, name) is getattr(importlib.import_module(module), name)
    assert set(carom._LATER) <= set(dir(carom))
    for first in ("carom.field_table", "carom.data", "carom.gym" if importlib.util.find_spec("gymnasium") else "carom.model"):
        code = f"import carom, sys; assert 'numpy' not in sys.modules; import {first}; assert callable(carom.fields)"
        subprocess.run([sys.executable, "-c", code], check=True)
