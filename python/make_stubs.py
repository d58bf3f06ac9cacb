#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Type stubs of carom.Model and carom.Data: their methods from the source, their fields from the field tables.

    make_stubs.py ROOT OUT_FOLDER        writes model.pyi and data.pyi
"""
import ast
import re
import sys
from pathlib import Path

ROW = re.compile(r"^(CR_[A-Z_]+)\s*\((.*)\)\s*$")
HEAD = '"""Made by make_stubs.py from the source and the field tables."""\n'


def rows(path):
    """Rows of a field table: the macro and its arguments."""
    for line in path.read_text().splitlines():
        match = ROW.match(line)
        if match:
            parts = re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,()]+(?:\([^)]*\))?)', match[2])
            yield match[1], [part.strip().strip('"') for part in parts if part.strip()]


def attribute(name, kind, note):
    return f"    {name}: {kind}\n    {note!r}\n"


def model_fields(root):
    """Counts, options and fields of a model as attributes."""
    for macro, a in rows(root / "src/model/model_fields.h"):
        if macro == "CR_SIZE":
            yield attribute(a[0], "int", a[-1])
        elif macro == "CR_OPT_R":
            yield attribute(a[0], "float", f"{a[-1]} [{a[-2]}]")
        elif macro == "CR_OPT_I":
            yield attribute(a[0], "Union[str, float]" if a[1].startswith("CHOICE") else "float", a[-1])
        elif macro in ("CR_PARAM", "CR_CONST"):
            yield attribute(a[0], "FieldArray", f"{a[-1]} [{a[-3]}, {a[-2]}] {a[1]} x {a[2]}")
        elif macro == "CR_INT":
            yield attribute(a[0], "FieldArray", f"{a[-1]} {a[1]} x {a[2]}")


def data_fields(root):
    """Fields of data that can be read as attributes."""
    for macro, a in rows(root / "src/model/data_fields.h"):
        if macro in ("CR_STATE", "CR_REAL"):
            yield attribute(a[0], "FieldArray", f"{a[-1]} [{a[-3]}, {a[-2]}] {a[1]} x {a[2]}")
        elif macro == "CR_INDEX":
            yield attribute(a[0], "FieldArray", f"{a[-1]} {a[1]} x {a[2]}")


def function(node, indent):
    """A function's signature and docstring."""
    lines = [f"@{ast.unparse(d)}" for d in node.decorator_list if "with_contract" not in ast.unparse(d)]
    lines.append(f"def {node.name}({ast.unparse(node.args)}) -> {RETURNS.get(node.name, 'Any')}:")
    doc = ast.get_docstring(node)
    lines += [f'    """{doc}"""'] if doc else []
    return "".join(f"{indent}{line}\n" for line in lines) + f"{indent}    ...\n"


RETURNS = {"load": "Model", "copy": "Self", "corrected": "Model", "over": "Self", "set": "Self", "step": "Self", "forward": "Self", "reset": "Self",
           "set_state": "Self", "count": "int", "id": "int", "names": "List[str]", "control_names": "List[str]",
           "flag": "bool", "fingerprint": "int", "save": "None", "__init__": "None", "__setitem__": "None",
           "__setattr__": "None", "__repr__": "str", "inverse": "np.ndarray", "state": "np.ndarray", "full_m": "np.ndarray"}


def stub(source, name, fields):
    """The stub of a module: its functions and classes; one class gets fields."""
    out = [HEAD, "from typing import Any, List, NamedTuple, Self, Union\n\nimport numpy as np\n\n"
                 "from carom.arrays import FieldArray\nfrom carom.model import Model\nfrom carom.named import HasObjects\n\n"]
    if name == "Model":
        out[1] = out[1].replace("from carom.model import Model\n", "")
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            out.append(function(node, "") + "\n")
        elif isinstance(node, ast.ClassDef):
            out.append(f"class {node.name}({', '.join(ast.unparse(base) for base in node.bases)}):\n")
            out.append(f'    """{ast.get_docstring(node)}"""\n')
            out += [f"    {ast.unparse(part)}\n" for part in node.body if isinstance(part, ast.AnnAssign)]
            out += fields if node.name == name else []
            hidden = ("__getattr__", "__reduce__", "__dir__")
            out += [function(part, "    ") for part in node.body if isinstance(part, ast.FunctionDef)
                    and part.name not in hidden and (not part.name.startswith("_") or part.name.startswith("__"))]
    return "".join(out)


def main(root, out):
    root, out = Path(root), Path(out)
    model = ["    findings: dict\n", *model_fields(root)]
    data = ["    model: Model\n", *data_fields(root)]
    (out / "model.pyi").write_text(stub(root / "python/carom/model.py", "Model", model))
    (out / "data.pyi").write_text(stub(root / "python/carom/data.py", "Data", data))


if __name__ == "__main__":
    main(*sys.argv[1:])
