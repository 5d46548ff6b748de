"""Text made from symbolic values.

Kernels put numbers into messages and names. Text made from a symbolic number is fine for that, but it is not the text
of
any one number: comparing it, hashing it or measuring it has no answer, so `SymText` refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from nkiverify.run import unsupported
from nkiverify.symbolic import terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.terms import Term


class SymText(str):
    """A string with the text of symbolic values in it: to be shown, not to be looked at."""

    __slots__ = ()

    def _refuse(self, *arguments: object) -> NoReturn:
        raise unsupported("using text made from a symbolic value as data", "use it in messages and names only")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = _refuse
    __contains__ = __len__ = __getitem__ = __iter__ = _refuse
    startswith = endswith = find = index = replace = isdigit = strip = _refuse
    split = encode = _refuse  # type: ignore[assignment]

    def __add__(self, other: str) -> SymText:
        return SymText(str.__add__(self, other))

    def __radd__(self, other: str) -> SymText:
        return SymText(str.__add__(other, self))

    def __format__(self, spec: str) -> str:
        return str.__str__(self)

    def __str__(self) -> str:
        return self


def is_symbolic_value(value: object) -> bool:
    """Whether the text of `value` depends on the shapes."""
    return (isinstance(value, Term) and value.constant is None) or isinstance(value, Condition | SymRational)


def to_text(value: Any, convert: Callable[[Any], str]) -> str:
    """`convert(value)`, guarded where the value is symbolic."""
    if isinstance(value, Term):
        text = terms.render(value)
        return text if value.constant is not None else SymText(text)
    if is_symbolic_value(value):
        return SymText(repr(value))
    if isinstance(value, SymText):
        return value
    if isinstance(value, tuple):
        parts = [to_text(part, repr) for part in value]
        joined = str.__add__("(" + ", ".join(str.__str__(part) for part in parts), ",)" if len(parts) == 1 else ")")
        return SymText(joined) if any(isinstance(part, SymText) for part in parts) else convert(value)
    return convert(value)


def joined(*parts: Any) -> str:
    """An f-string: plain strings, and `(value, conversion, spec)` for what stands in braces."""
    texts: list[str] = []
    symbolic = False
    for part in parts:
        if isinstance(part, str):
            symbolic = symbolic or isinstance(part, SymText)
            texts.append(part)
            continue
        value, conversion, spec = part
        text = _formatted(value, conversion, spec)
        symbolic = symbolic or isinstance(text, SymText)
        texts.append(text)
    whole = "".join(str.__str__(text) for text in texts)
    return SymText(whole) if symbolic else whole


def _formatted(value: Any, conversion: int, spec: str) -> str:
    if isinstance(value, SymText):
        return value
    if isinstance(value, Term | tuple) or is_symbolic_value(value):
        text = to_text(value, repr if conversion in (ord("r"), ord("a")) else str)
        if isinstance(text, SymText) or conversion != -1:
            return text
        if isinstance(value, Term):
            return format(value.constant, spec)
    if conversion == ord("r"):
        value = repr(value)
    elif conversion == ord("s"):
        value = str(value)
    elif conversion == ord("a"):
        value = ascii(value)
    return format(value, spec)
