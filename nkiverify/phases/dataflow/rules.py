"""The rules of the warnings of phase 4, apart from what finds them out, so that they are said without loading it."""

from __future__ import annotations

#: What the rules say, by id.
RULES = {
    "df.unused": "Nothing that reaches an output uses what this line writes.",
    "df.overwritten": "All that this line writes is overwritten before anything reads it.",
    "df.programs_same": "Every program of the launch stores the same values to the same elements: one would do.",
    "df.input_unread": "A part of an input is never read at this size, and all of it is at a larger one.",
    "df.unwritten_unused": "This line reads an element that nothing has written; no output depends on it.",
}
