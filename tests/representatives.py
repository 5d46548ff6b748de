"""Cases of which one of each kind is a test, and the others are of the campaigns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import pytest

Case = TypeVar("Case")


def representatives(
    cases: Iterable[Case], kind: Callable[[Case], Hashable], name: Callable[[Case], str], parts: int = 0
) -> list[object]:
    """Cases as named parameters, all but the first of each kind marked; of tuples the first `parts`, if given."""
    seen: set[Hashable] = set()
    found: list[object] = []
    for case in cases:
        marks = pytest.mark.campaign if kind(case) in seen else ()
        seen.add(kind(case))
        values = case[:parts] if parts and isinstance(case, tuple) else (case,)
        found.append(pytest.param(*values, marks=marks, id=name(case)))
    return found
