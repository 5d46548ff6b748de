"""State that an attempt to summarise a loop has changed is put back before the kernel runs anew, whatever holds it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.soundness.trap import Trap, complaints

#: What holds the state: how it is made, how iteration i changes it, and a number that is 0 before any has.
HOLDERS = {
    "list": ("held = []", "held.append(1)", "len(held)"),
    "dictionary": ("held = {}", "held[i] = 1", "len(held)"),
    "set": ("held = set()", "held.add(i)", "len(held)"),
    "list of a class": ("class Held(list): pass\nheld = Held()", "held.append(1)", "len(held)"),
    "dictionary of a class": ("class Held(dict): pass\nheld = Held()", "held[i] = 1", "len(held)"),
    "set of a class": ("class Held(set): pass\nheld = Held()", "held.add(i)", "len(held)"),
    "deque of a class": (
        "import collections\nclass Held(collections.deque): pass\nheld = Held()",
        "held.append(i)",
        "len(held)",
    ),
    "counter": ("import collections\nheld = collections.Counter()", "held['k'] += 1", "held['k']"),
    "attribute of a counter": (
        "import collections\nheld = collections.Counter()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "slot of a class of a library": (
        "import fractions\nheld = fractions.Fraction(1)",
        "held._numerator = held._numerator + 1 + i",
        "held._numerator - 1",
    ),
    "default dictionary": ("import collections\nheld = collections.defaultdict(int)", "held[i] += 1", "len(held)"),
    "ordered dictionary": ("import collections\nheld = collections.OrderedDict()", "held[i] = 1", "len(held)"),
    "attribute": ("class Held: count = 0\nheld = Held()", "held.count = held.count + 1 + i", "held.count"),
    "added attribute": ("class Held: pass\nheld = Held()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "attribute of a list of a class": (
        "class Held(list): pass\nheld = Held()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "slot": (
        "class Held:\n    __slots__ = ('seen',)\nheld = Held()",
        "held.seen = i",
        "int(hasattr(held, 'seen'))",
    ),
    "class": ("class Held: pass", "Held.seen = i", "int(hasattr(Held, 'seen'))"),
    "function": ("def held(): pass", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "exception": ("held = ValueError()", "held.seen = i", "int(hasattr(held, 'seen'))"),
    "global name": ("held = 0", "globals()['held'] = held + 1 + i", "held"),
    "remembered calls": (
        "import functools\n@functools.lru_cache\ndef held(i): return i",
        "held(i)",
        "held.cache_info().currsize",
    ),
    "remembered calls of a few": (
        "import functools\n@functools.lru_cache(maxsize=2)\ndef held(i): return i",
        "held(i)",
        "held.cache_info().misses",
    ),
    "array": ("import numpy as np\nheld = np.zeros(4, dtype=int)", "held[0] = held[0] + 1 + i", "int(held[0])"),
    "bytes": ("held = bytearray(1)", "held[0] = held[0] + 1", "held[0]"),
    "generator": ("import itertools\nheld = itertools.count()", "next(held)", "0 if repr(held) == 'count(0)' else 1"),
}


@pytest.mark.parametrize("seen", [0, 1])
@pytest.mark.parametrize("holder", HOLDERS)
def test_the_kernel_begins_with_the_state_it_was_called_in(holder: str, seen: int, tmp_path: Path) -> None:
    made, changed, counted = HOLDERS[holder]
    source = f"{made}\n\ndef kernel(n):\n    before = {counted}\n    for i in range(n):\n        {changed}\n"
    source += f"        if i > 2: break\n    assert before == {seen}\n"
    trap = Trap(holder, textwrap.dedent(source), tried=range(4))
    assert complaints(trap, tmp_path) == []
