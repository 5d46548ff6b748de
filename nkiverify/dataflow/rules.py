"""What phase 4 warns of: the rules, apart from what finds them out, so that they are said without loading it."""

from __future__ import annotations

#: What the rules say, by id.
RULES = {
    "df.unused": "Nothing that reaches an output uses what this line writes.",
    "df.overwritten": "All that this line writes is overwritten before anything reads it.",
    "df.unwritten_unused": "This line reads an element that nothing has written; no output depends on it.",
}
