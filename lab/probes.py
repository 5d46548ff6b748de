"""The reports of a draft kernel while it is run on ordinary ints, so that claims can be made as tight as possible.

A draft calls `note(k, value)` where the finished kernel has an assert about the value, or a tensor that must reach that
far.
"""

from __future__ import annotations

#: The values noted, by the number of the place.
noted: dict[int, set[int]] = {}


def note(place: int, value: object) -> None:
    """Remember that `value` was seen at `place`; what is no int is not remembered."""
    if isinstance(value, int):
        noted.setdefault(place, set()).add(int(value))
