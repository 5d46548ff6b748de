"""Names that a mistyped one may have been meant for, in messages. `difflib` is imported when one is made: most runs
make none."""

from __future__ import annotations

from collections.abc import Iterable


def near_names(name: str, known: Iterable[str], most: int = 1, similarity: float = 0.6) -> list[str]:
    """At most `most` of the `known` names that are similar to `name`, the most similar one first."""
    from difflib import get_close_matches

    return get_close_matches(name, set(known), most, similarity)


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """`; did you mean …?` where names like `name` are known, else nothing."""
    close = near_names(name, known, most)
    return f"; did you mean {' or '.join(close)}?" if close else ""
