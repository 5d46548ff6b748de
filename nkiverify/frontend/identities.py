"""Objects that are equal to themselves alone, where kernel code may have a copy in place of one.

What is read out of a list that a loop made is a copy each time, so that `==`, `in`, `index` or a key of a dictionary
would tell apart what is one object. `is` and `id` are rewritten; these are asked of the class, by code written in C as
well. So a class of which there are copies gets an `__eq__`, a `__hash__` and a `__repr__`, where it has those of
`object`, that end the run where a copy is asked, and are those of `object` in all other places. Errs to too much: two
elements of a list are not told apart either.
"""

from __future__ import annotations

from typing import Any

from nkiverify.foundation.source import identity
from nkiverify.symbolic.execution import execution_in_progress, unsupported


def watch(kind: type) -> None:
    """Objects of a class have copies from now on."""
    for name, watching in WATCHING.items():
        if getattr(kind, name) is getattr(object, name):
            type.__setattr__(kind, name, watching)


def _equal(self: Any, other: object) -> Any:
    if self is not other and type(self) is type(other):
        _refuse(self, other)
    return NotImplemented


def _hash(self: Any) -> int:
    _refuse(self)
    return identity(self)


def _text(self: Any) -> str:
    _refuse(self)
    return object.__repr__(self)


#: What `watch` gives a class, by name: no state of it.
WATCHING = {"__eq__": _equal, "__hash__": _hash, "__repr__": _text}


def _refuse(*values: object) -> None:
    run = execution_in_progress()
    if run is not None and any(map(run.is_copy, values)):
        raise unsupported(
            f"asking which {type(values[0]).__name__} it is that was read out of a list made in a loop",
            "compare attributes, or make the class a dataclass",
        )
