"""The table of meanings, by the operation's name."""

from __future__ import annotations

from collections.abc import Callable

from nkiverify.model.meaning import Meaning

MEANINGS: dict[str, Meaning] = {}


def meaning(*names: str) -> Callable[[Meaning], Meaning]:
    """Enter a function as the meaning of the operations of these names."""

    def enter(function: Meaning) -> Meaning:
        for name in names:
            assert name not in MEANINGS, name
            MEANINGS[name] = function
        return function

    return enter
