# SPDX-License-Identifier: Apache-2.0
"""The Python of the pages runs as it stands, in its order, and prints what they say."""
import contextlib
import importlib.util
import io
import re

import pytest

from conftest import SOURCE

BLOCK = re.compile(r"^```(python)?\n(.*?)^```\n", re.S | re.M)


def examples(page):
    """Pairs of code and output."""
    blocks = [(language, text) for language, text in BLOCK.findall((SOURCE / page).read_text())]
    for (language, code), (following, output) in zip(blocks, [*blocks[1:], ("", "")]):
        if language == "python":
            yield code, output if following != "python" else ""


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_page(page, monkeypatch):
    monkeypatch.chdir(SOURCE)
    names = {}
    found = list(examples(page))
    assert found
    for code, output in found:
        needed = re.match(r"# needs (\w+)", code)
        if needed and importlib.util.find_spec(needed[1]) is None:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == output, code
