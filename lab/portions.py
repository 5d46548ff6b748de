"""Portions of a campaign: `k/N`, a part of its cases by their names, so that the parts together are all of them."""

from __future__ import annotations

import argparse
import zlib

#: The number of a portion, from 1, and how many there are.
Portion = tuple[int, int]


def a_portion(text: str) -> Portion:
    """`k/N` as two numbers, k from 1 to N."""
    portion, _, portions = text.partition("/")
    if not (portion.isdecimal() and portions.isdecimal() and 1 <= int(portion) <= int(portions)):
        raise argparse.ArgumentTypeError(f"a portion is like 2/30, the first is 1/30, not {text!r}")
    return int(portion), int(portions)


def in_portion(name: str, portion: Portion) -> bool:
    """True if the case of this name is of the portion."""
    return zlib.crc32(name.encode()) % portion[1] == portion[0] - 1
