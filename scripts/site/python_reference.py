# SPDX-License-Identifier: Apache-2.0
"""Pages of the Python API from the docstrings of the package and from the stubs that make_stubs.py writes."""
import ast
import re
import textwrap

from c_reference import escape

INTERNAL = {"arrays", "named", "manifold", "autodiff"}  # modules that no program imports
FIELD = re.compile(r"^(.*?) \[([^\]]*?)(?:, ([^\]]*))?\](?: (\S.*))?$")


def is_public(name):
    return not name.startswith("_") or name == "__init__"


def text_of(node):
    """The docstring of a node with the indentation that it has against its first line."""
    first = node.body[0] if node.body else None
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)):
        return ""
    return "\n".join(line.removeprefix(" " * first.col_offset) for line in first.value.value.splitlines())


def layout(node):
    """A docstring as Markdown: paragraphs, and what is laid out in columns or indented as code."""
    for block in re.split(r"\n\s*\n", text_of(node).strip()) if text_of(node) else []:
        lines = block.splitlines()
        if any(line.startswith("    ") or re.search(r"\S {3,}\S", line) for line in lines):
            language = "python" if lines[0].startswith("    ") else "text"
            yield f"```{language}\n{textwrap.dedent(block)}\n```\n"
        else:
            yield escape(" ".join(line.strip() for line in lines)) + "\n"


def contracts_of(node, places):
    """The functions of the C API whose contract a function has, as links."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "with_contract":
            links = [f"[`{a.value}`](../c/{places[a.value]}.md#{a.value})" for a in decorator.args if a.value in places]
            if links:
                yield f"In C: {', '.join(links)}\n"


def signature(node, name, indent=""):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, )?", "", arguments).removeprefix("/, ")
    head = f"{name}({arguments})"
    if len(head) <= 96:
        return head
    parts = re.split(r", (?![^\[({]*[\])}])", arguments)
    lines, line = [], " " * (len(name) + 1)
    for i, part in enumerate(parts):
        part += ", " if i + 1 < len(parts) else ")"
        if len(line) + len(part) > 96:
            lines.append(line.rstrip())
            line = " " * (len(name) + 1)
        line += part
    return f"{name}(" + "\n".join([*lines, line]).lstrip()


def function(node, owner, places):
    """A function or method: heading, signature, docstring, contract."""
    kinds = {getattr(d, "id", "") for d in node.decorator_list}
    name = owner.split(".")[-1] if node.name == "__init__" else node.name
    title = f"{owner}.{node.name}" if owner else node.name
    if node.name == "__init__":
        yield from ("```python", signature(node, name), "```", "")
    else:
        level = "###" if owner else "##"
        yield f"{level} {title} {{ #{title.lower()} }}\n"
        if "property" not in kinds:
            yield from ("```python", signature(node, name), "```", "")
    yield from layout(node)
    yield from contracts_of(node, places)


def fields_of(stub):
    """Rows of a table: the attributes of a stub that have a note."""
    for attribute, note in zip(stub.body, stub.body[1:]):
        if isinstance(attribute, ast.AnnAssign) and isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant):
            match = FIELD.match(note.value.value)
            meaning, unit, frame, shape = match.groups() if match else (note.value.value, "", "", "")
            yield f"| `{attribute.target.id}` | {escape(meaning)} | {escape(unit or '')} | {frame or ''} | {escape(shape or '')} |"


def class_of(node, stub, places):
    yield f"## {node.name} {{ #{node.name.lower()} }}\n"
    yield from layout(node)
    members = [m for m in node.body if isinstance(m, ast.FunctionDef) and is_public(m.name)
               and not any("setter" in ast.unparse(d) for d in m.decorator_list)]
    annotated = [ast.unparse(m) for m in node.body if isinstance(m, ast.AnnAssign)]
    if annotated:
        yield from ("```python", *annotated, "```", "")
    for member in sorted(members, key=lambda m: m.name != "__init__"):
        yield from function(member, node.name, places)
    rows = list(fields_of(stub)) if stub else []
    if rows:
        yield f"### Fields of {node.name} {{ #fields-of-{node.name.lower()} }}\n"
        yield from ("| attribute | meaning | unit | frame | shape |\n|---|---|---|---|---|", *rows, "")


def classes(tree):
    return {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}


def page(source, stub, name, places):
    tree = ast.parse(source.read_text())
    stubs = classes(ast.parse(stub.read_text())) if stub.exists() else {}
    out = [f"# carom.{name}" if name != "__init__" else "# carom", "", *layout(tree)]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            out += function(node, "", places)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            out += class_of(node, stubs.get(node.name), places)
    return "\n".join(out) + "\n"


def pages(package, stubs, places):
    """Path below the reference -> Markdown, of the modules that programs use, with an index."""
    modules = sorted(p.stem for p in package.glob("*.py") if not p.stem.startswith("_") and p.stem not in INTERNAL)
    index = ["Made from the docstrings of the package and its stubs. [Carom in Python](../../docs/python.md) is the page of jobs.",
             "", "`carom` itself has the names that most programs need: `carom.load`, `carom.Data`, `carom.rollout`, `carom.grad`, "
             "`carom.fit`, `carom.check` ...", "", "| module | what is in it |", "|---|---|"]
    made = {}
    for name in modules:
        doc = ast.get_docstring(ast.parse((package / f"{name}.py").read_text())) or ""
        index.append(f"| [`carom.{name}`]({name}.md) | {escape(' '.join(doc.split(chr(10) * 2)[0].split()))} |")
        made[f"{name}.md"] = page(package / f"{name}.py", stubs / f"{name}.pyi", name, places)
    top = page(package / "__init__.py", stubs / "__init__.pyi", "__init__", places).splitlines()
    return {"index.md": "\n".join(["# Python API", "", *index, "", *top[2:]]) + "\n", **made}
