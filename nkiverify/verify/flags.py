"""The ESBMC flags of a target, as far as the embedded engine heeds them."""

from __future__ import annotations

import shlex

from nkiverify.foundation.errors import UsageError


def unwind_of(flags: str) -> int | None:
    """The bound of `--unwind N` in `flags`, if it is there. Raises `UsageError` where it is no positive integer."""
    words = shlex.split(flags)
    for position, word in enumerate(words):
        name, separator, value = word.partition("=")
        if name != "--unwind":
            continue
        text = value if separator else words[position + 1] if position + 1 < len(words) else ""
        if not text.isdigit() or int(text) < 1:
            raise UsageError(f"--unwind needs a positive integer, in the flags {flags!r}")
        return int(text)
    return None
