#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the digits of two builds. Usage: compare_digits.py BEFORE AFTER BOUND

Prints quantities that differ by more than BOUND of their scale, or of SMALL if the scale is less, and the largest
difference of each quantity. Exits with 1 if something differs or is missing on one side."""
import sys
from decimal import Decimal

SMALL = 1e-3  # below it a number may be round-off of larger ones


def read(path):
    rows = {}
    for line in open(path, encoding="utf-8"):
        model, quantity, *rest = line.split(" ", 3)
        rows[model, quantity] = (rest[0], rest[1]) if quantity != "refused:" else ("refused", "0")
    return rows


def main():
    before, after, bound = read(sys.argv[1]), read(sys.argv[2]), float(sys.argv[3])
    bad, worst = 0, {}
    for key in sorted(before.keys() | after.keys()):
        if key not in before or key not in after:
            bad += 1
            print(*key, "only", "before" if key in before else "after")
            continue
        (x, scale), (y, _) = before[key], after[key]
        if x == y:
            continue
        size = max(float(scale), SMALL)
        off = float(abs(Decimal(x) - Decimal(y))) / size if "nan" not in x + y and "inf" not in x + y else float("inf")
        worst[key[1]] = max(worst.get(key[1], (0, "")), (off, key[0]))
        if not off <= bound:
            bad += 1
            print(*key, x, y, f"off by {off:.1e}")
    for quantity, (off, model) in sorted(worst.items()):
        print(f"{quantity:28} at most {off:.1e}, {model}")
    print(f"{len(before)} numbers, {bad} differ by more than {bound:g}")
    sys.exit(bad > 0)


main()
