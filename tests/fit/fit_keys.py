# SPDX-License-Identifier: Apache-2.0
"""Every key of a fit's configuration is in docs/tosses.md, in the row of its section."""
import os
import re
import sys
from pathlib import Path

root = Path(os.environ["CAROM_SOURCE_DIR"])
keys = re.findall(r"\n  X\((\w+), *(\w+),", (root / "src/fit/fit_keys.h").read_text())
text = (root / "docs/tosses.md").read_text()
rows = {row[0].strip("` "): row[1] for row in re.findall(r"^\| (`?\w+`?)[^|]*\| ([^|]*) \|$", text, re.M)}
missing = [f"{section}.{key}" for section, key in keys if f"`{key}`" not in rows.get(section, "")]
print(f"{len(keys)} keys, not in docs/tosses.md: {missing}")
sys.exit(1 if missing or len(keys) < 30 else 0)
