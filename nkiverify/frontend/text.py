"""Text made from symbolic values.

Kernels put numbers into messages and names. Text made from a symbolic number is fine for that, but it is not the text
of
any one number: comparing it, hashing it or measuring it has no answer, so `SymText` refuses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from nkiverify.run import unsupported
from nkiverify.source import KERNEL_MARKER
from nkiverify.symbolic.stands_for import StandsFor
from nkiverify.symbolic.values import TextConversion, missing_attribute


class SymText(StandsFor):
    """Text with that of symbolic values in it: to be shown, not to be looked at.

    It is no `str`: C code would read its characters.
    """

    __slots__ = ("_text",)
    _stands_for = str

    def __init__(self, text: str) -> None:
        self._text = text

    def _refuse(self, *arguments: object) -> NoReturn:
        raise unsupported("using text made from a symbolic value as data", "use it in messages and names only")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = _refuse
    __contains__ = __len__ = __getitem__ = __iter__ = __mul__ = __rmul__ = __mod__ = __bool__ = _refuse

    def __add__(self, other: object) -> Any:
        return SymText(self._text + str(other)) if isinstance(other, str | SymText) else NotImplemented

    def __radd__(self, other: object) -> Any:
        return SymText(str(other) + self._text) if isinstance(other, str) else NotImplemented

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(str, name)

    def __format__(self, spec: str) -> str:
        return self.__str__()

    def __str__(self) -> str:
        if TextConversion.active:
            TextConversion.symbolic = True
        elif KERNEL_MARKER in sys._getframe(1).f_globals:
            self._refuse()
        return self._text

    __repr__ = __str__


def to_text(value: Any, convert: Callable[[Any], str]) -> Any:
    """`convert(value)`, guarded where a symbolic number goes into it."""
    if isinstance(value, SymText):
        return value
    if isinstance(value, str | int | float | bytes | None):
        return convert(value)
    before, TextConversion.symbolic = TextConversion.symbolic, False
    TextConversion.active += 1
    try:
        text = convert(value)
        return SymText(text) if TextConversion.symbolic else text
    finally:
        TextConversion.active -= 1
        TextConversion.symbolic = before


def joined(*parts: Any) -> Any:
    """An f-string: plain strings, and `(value, conversion, spec)` for what stands in braces."""
    texts = [part if isinstance(part, str) else _formatted(*part) for part in parts]
    whole = "".join(text if isinstance(text, str) else str(text) for text in texts)
    return SymText(whole) if any(isinstance(text, SymText) for text in texts) else whole


def _formatted(value: Any, conversion: int, spec: Any) -> Any:
    converters: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    if isinstance(spec, SymText):
        spec._refuse()
    if conversion in converters:
        value = to_text(value, converters[conversion])
    return to_text(value, lambda it: format(it, spec))
