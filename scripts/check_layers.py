#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house runs in one direction. Usage: check_layers.py [BUILD_FOLDER]

Checks that a folder includes only itself and folders above it, that no files include each other in
a circle, that the core includes no third-party header, that programs use the public headers alone, that
every source has its test file, that no folder is overfull and no two files have one name, and that no stage
reads a field which a later folder makes. With a build folder, also that no two object files call each
other in a circle, and that programs call public functions alone.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# top to bottom; a folder may use what stands above it
FOLDERS = ["carom", "base", "math", "model", "access", "kinematics", "geometry", "collision", "pressure",
           "constraint", "force", "transmission", "actuator", "inertia", "law", "solver", "engine",
           "sensor", "event", "integrate", "rollout", "descent", "network", "augment", "parameter", "measure", "learn", "gradient", "search", "predict", "identify", "quasidynamic", "control", "policy", "tools", "io", "parity", "view", "render",
           "command", "bench", "fit", "task", "runs", "recorded", "walk", "notebook", "estimates", "jumps", "stiff", "physics", "study", "cli"]
NOT_CORE = {"tools", "io", "parity", "command", "bench", "fit", "view", "render", "task", "runs", "recorded", "walk", "notebook", "estimates", "jumps", "stiff", "physics", "study", "cli"}
# programs are clients of the library: the public headers are their only door to it. What knows no
# model they share with it: error sentences, numbers in text, random streams (base), files and JSON (tools)
PROGRAMS = {"command", "bench", "fit", "task", "runs", "recorded", "walk", "notebook", "estimates", "jumps", "stiff", "physics", "study", "cli"}
DOOR = PROGRAMS | {"carom", "base", "tools"}
# what names functions of folders below it without calling them: the pipeline is the one list of all stages
NAMES_ALL = {"src/engine/pipeline.c"}
# includes of programs that may go past the door, by file: none
PAST_DOOR = {}
SYSTEM = {f"{name}.h" for name in """assert complex ctype errno float inttypes limits math setjmp
          locale semaphore signal stdarg stdatomic stdbool stddef stdint stdio stdlib string time pthread unistd
          stdalign fcntl sys/file sys/stat""".split()}

# source files without a test file of their own, each with its reason
NO_TEST = {
    "src/math/eight_avx2.c": "the lines of eight.c for AVX2; test_eight.c runs them",
    "src/access/open_core.c": "only in a library without libmujoco; tests/install/core.long.sh uses it",
    "src/augment/blueprint_core.c": "only in a library without libmujoco; tests/install/core.long.sh uses it",
    "src/network/cblas_core.c": "only in a library without OpenBLAS; tests/install/core.long.sh uses it",
    "src/search/global_core.c": "only in a library without NLopt; tests/install/core.long.sh uses it",
    "src/walk/osqp_missing.c": "only in a build without OSQP; test_convex_qp.c uses it there",
    "src/math/eight_avx512.c": "the lines of eight.c for AVX-512; test_eight.c runs them",
}

# files of a folder at most
MOST_FILES = 40

problems = []


def rank(folder):
    """How far down a folder stands; one that is not listed is reported elsewhere."""
    return FOLDERS.index(folder) if folder in FOLDERS else 0


def files(*suffixes):
    """Every file of the library, as (path relative to the root, its folder's name)."""
    for top in ("include", "src"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in suffixes:
                yield path.relative_to(ROOT), path.relative_to(ROOT / top).parts[0]


def includes(path):
    """(line number, bracket or quote, name) of each include of a file."""
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def check_includes():
    """Checks direction and third-party headers; returns the graph of our own includes."""
    graph = {}
    for path, folder in files(".c", ".h"):
        graph[str(path)] = []
        if folder not in FOLDERS:
            problems.append(f"{path}: folder {folder} is not in the list of folders")
            continue
        for number, bracket, name in includes(path):
            where = f"{path}:{number}"
            target = name.split("/")[0] if "/" in name else folder
            if bracket == "<":
                library = ("nlopt" if folder in ("learn", "search") and "nlopt" in path.name else
                           "cblas" if str(path) == "src/network/cblas_products.c" else "")
                if folder not in NOT_CORE and name not in SYSTEM | {f"{library}.h"}:
                    problems.append(f"{where}: the core may not include <{name}>")
                continue
            if "/" not in name:
                problems.append(f'{where}: include "{folder}/{name}", not "{name}"')
            elif target not in FOLDERS:
                problems.append(f'{where}: "{name}" is in no folder of the list')
            elif rank(target) > rank(folder):
                problems.append(f'{where}: {folder} may not include "{name}", {target} is below it')
            elif folder not in NOT_CORE and target in NOT_CORE:
                problems.append(f'{where}: the core may not include "{name}"')
            elif folder == "tools" and target not in ("base", "tools"):
                problems.append(f'{where}: tools know no model; they may not include "{name}"')
            top = "include" if target == "carom" else "src"
            graph[str(path)].append(f"{top}/{name}")
    return graph


def check_door(graph):
    """Holds programs to the public headers; returns how many includes go past them."""
    past = {}
    for path, targets in graph.items():
        if path.split("/")[1] in PROGRAMS and path.startswith("src/"):
            inside = [name for name in targets if name.startswith("src/") and
                      name.split("/")[1] not in DOOR]
            past.update({path: inside} if inside else {})
    for path in sorted(past.keys() | PAST_DOOR.keys()):
        n, allowed = len(past.get(path, [])), PAST_DOOR.get(path, 0)
        if n > allowed:
            problems.append(f"{path}: programs use public headers alone, not " +
                            ", ".join(name.removeprefix("src/") for name in past[path]))
        elif n < allowed:
            problems.append(f"{path}: {n} includes past the public headers, PAST_DOOR says {allowed}")
    return sum(map(len, past.values()))


def circles(graph):
    """The strongly connected parts of a graph that have more than one node (Tarjan, 1972)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for following in graph.get(node, []):
            if following not in order:
                visit(following)
            if following in stack:
                low[node] = min(low[node], low[following])
        if low[node] == order[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1 or node in graph.get(node, []):
                found.append(sorted(part))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def calls(build):
    """Which object file uses a symbol of which other, from the symbol tables; and weak symbols."""
    defined, used, weak = {}, {}, set()
    for path in sorted(Path(build).glob("CMakeFiles/carom*.dir/src/**/*.c.o")):
        name = "/".join(path.parts[path.parts.index("CMakeFiles") + 2:]).removesuffix(".o")
        # the long double build repeats the core; an object may outlive its source
        if "carom_core_long.dir" in path.parts or not (ROOT / name).exists():
            continue
        output = subprocess.run(["nm", "-P", str(path)], capture_output=True, text=True, check=True)
        for symbol, kind, *_ in (line.split() for line in output.stdout.splitlines()):
            if kind in "VWvw":
                weak.add(f"{name}: {symbol} is weak; a function or table of a folder below is handed down")
            elif kind == "U":
                used.setdefault(name, set()).add(symbol)
            elif kind.isupper():
                defined[symbol] = name
    return {name: [defined[s] for s in symbols if s in defined and defined[s] != name]
            for name, symbols in used.items()}, sorted(weak)


def check_sizes(paths):
    """Folders with more files than a reader can look over, and names that two files of src/ have."""
    count, places = {}, {}
    for path in paths:
        folder = str(Path(path).parent)
        count[folder] = count.get(folder, 0) + 1
        if path.startswith("src/"):
            places.setdefault(Path(path).name, []).append(path)
    for folder, n in sorted(count.items()):
        if n > MOST_FILES:
            yield f"{folder} holds {n} files, {MOST_FILES} may be"
    for same in places.values():
        if len(same) > 1:
            yield "two files have one name: " + ", ".join(same)


def stages(text):
    """(folder, name, fields read, fields written) of each row of the pipeline table."""
    row = r"^CR_STAGE\((\w+), (\w+),(?:\s*\w+,)*\s*((?:F\(\w+\)\s*)+),\s*((?:F\(\w+\)\s*)+),\s*NEEDS\("
    return [(folder, name, re.findall(r"F\((\w+)\)", reads), re.findall(r"F\((\w+)\)", writes))
            for folder, name, reads, writes in re.findall(row, text, re.M)]


def check_data(table):
    """Stages that read a field which a later row, or a later folder, makes."""
    maker = {field: i for i, row in enumerate(table) for field in row[3]}
    for i, (folder, name, reads, _) in enumerate(table):
        for field in reads:
            other = table[maker[field]] if field in maker else None
            if other and maker[field] >= i:
                yield f"stage {name} reads {field}, which {other[1]} makes after it"
            elif other and rank(other[0]) > rank(folder):
                yield f"stage {name} of {folder} reads {field}, which {other[1]} of {other[0]} makes"


def check_house():
    """Sizes of folders, names of files, the order of data; and that each of these checks can fail."""
    paths = [str(path) for path, _ in files(".c", ".h")]
    text = (ROOT / "src/engine/pipeline_table.h").read_text()
    table = stages(text)
    tests = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*")
             if path.is_file() and "__pycache__" not in path.parts]
    problems.extend(check_sizes(paths + tests))
    problems.extend(check_data(table))
    if len(table) != text.count("\nCR_STAGE("):
        problems.append("check_layers cannot read every row of src/engine/pipeline_table.h")
    for folder, name, *_ in table:
        if f"src/{folder}/{name}.c" not in paths:
            problems.append(f"there is no src/{folder}/{name}.c, of which the pipeline table speaks")
    full = [f"tests/planted/file{i}.c" for i in range(MOST_FILES + 1)]
    twice = paths + ["src/planted/" + Path(paths[-1]).name]
    early = [(FOLDERS[-2], "first", [], ["x"]), (FOLDERS[1], "second", ["x"], ["y"])]
    late = [(FOLDERS[1], "first", ["x"], ["y"]), (FOLDERS[1], "second", [], ["x"])]
    for what, found in (("an overfull folder", check_sizes(full)), ("a name twice", check_sizes(twice)),
                        ("data of a later folder", check_data(early)), ("data of a later row", check_data(late))):
        if not list(found):
            problems.append(f"planted, and not seen: {what}")


def check_scripts():
    """A test of the command that counts its failures has to tell them at its end."""
    for path in sorted((ROOT / "tests").rglob("*.sh")):
        text = path.read_text()
        counts = re.search(r"^\. .*support/(cli|study)\.sh", text, re.M) and path.parent.name != "support"
        if counts and not re.search(r"^finish$", text, re.M):
            problems.append(f"{path.relative_to(ROOT)}: it does not end with `finish`, so it cannot fail")


def main():
    sys.setrecursionlimit(10000)
    check_scripts()
    includes_of = check_includes()
    past = check_door(includes_of)
    check_house()
    for circle in circles(includes_of):
        problems.append("these files include each other in a circle: " + ", ".join(circle))
    if len(sys.argv) > 1:
        graph, weak = calls(sys.argv[1])
        problems.extend(weak)
        for circle in circles(graph):
            problems.append("these files call each other in a circle: " + ", ".join(circle))
        for name, targets in graph.items():
            for target in set(targets):
                if rank(target.split("/")[1]) > rank(name.split("/")[1]) and name not in NAMES_ALL:
                    problems.append(f"{name} calls {target}, which is below it")
    for path, folder in files(".c"):
        test = Path("tests") / folder / f"test_{path.name}"
        if folder not in NOT_CORE and str(path) not in NO_TEST and not (ROOT / test).exists():
            problems.append(f"{path}: has no {test}")
    print("\n".join(problems) or
          f"layers: all files look one way; {past} includes of programs past the public headers")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
