# SPDX-License-Identifier: Apache-2.0
"""The data in a page of carom view (docs/view.md)."""
import array
import base64
import json
import sys


def read(path):
    """The object in the page."""
    text = open(path, encoding="utf-8").read()
    begin = text.index('id="carom-data">') + len('id="carom-data">')
    return json.loads(text[begin:text.index("</script>", begin)])


def unpack(packed):
    """The numbers of a packed array, one after the other."""
    numbers = array.array({"f4": "f", "u4": "I", "u2": "H"}[packed["of"]], base64.b64decode(packed["data"]))
    if sys.byteorder == "big":
        numbers.byteswap()
    if packed["of"] != "u2":
        return list(numbers)
    low, step = packed["low"], packed["step"]
    return [low[i % len(low)] + step[i % len(low)] * k for i, k in enumerate(numbers)]


def rows(packed, columns):
    """The same, row by row."""
    flat = unpack(packed)
    return [flat[i:i + columns] for i in range(0, len(flat), columns)]
