"""Text made from symbolic values.

Kernels put numbers into messages and names. Text made from a symbolic number is fine for that, but it is not the text
of any one number: comparing it, hashing it or measuring it has no answer, so `SymText` refuses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from nkiverify.frontend.seen import shown
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.stands_for import StandsFor, missing_attribute
from nkiverify.symbolic.texts import TextConversion, only_shows


class SymText(StandsFor):
    """Text with that of symbolic values in it: to be shown, not to be examined.

    It is no `str`: C code would read its characters.
    """

    __slots__ = ("_integers", "_text")
    _stands_for = str

    def __init__(self, text: str, integers: tuple[Term, ...] = ()) -> None:
        self._text = text
        #: What it is the text of, as far as that are integers.
        self._integers = integers

    def _refuse(self, *arguments: object) -> NoReturn:
        run = execution_in_progress()
        for integer in self._integers:
            again = run.unroll_for(integer, "text that is used as data") if run is not None else None
            if again is not None:
                raise again
        raise unsupported("using text made from a symbolic value as data", "use it in messages and names only")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = _refuse
    __contains__ = __len__ = __getitem__ = __iter__ = __mul__ = __rmul__ = __mod__ = _refuse

    def __eq__(self, other: object) -> Any:
        return self._refuse() if isinstance(other, str | SymText) else NotImplemented

    __ne__ = __eq__

    def __bool__(self) -> bool:
        """The text of a number is never empty, and what empties this one empties that of every number."""
        return bool(self._text)

    def __add__(self, other: object) -> Any:
        if not isinstance(other, str | SymText):
            return NotImplemented
        return SymText(self._text + str(other), self._integers + integers_in(other))

    def __radd__(self, other: object) -> Any:
        return SymText(str(other) + self._text, self._integers) if isinstance(other, str) else NotImplemented

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(str, name)

    def __format__(self, spec: str) -> str:
        return format(self._shown(sys._getframe(1)), spec)

    def __str__(self) -> str:
        return self._shown(sys._getframe(1))

    def __repr__(self) -> str:
        return repr(self._shown(sys._getframe(1)))

    def _shown(self, frame: FrameType) -> str:
        """The text, for what makes text of it that is guarded in turn, or shows it."""
        if TextConversion.active:
            TextConversion.symbolic = True
            TextConversion.integers += self._integers
        elif execution_in_progress() is not None and not only_shows(frame):
            self._refuse()
        return self._text


def integers_in(text: Any) -> tuple[Term, ...]:
    """The symbolic integers that `text` was made from; none for plain text."""
    return text._integers if isinstance(text, SymText) else ()


def to_text(value: Any, convert: Callable[[Any], str]) -> Any:
    """`convert(value)`, guarded where a symbolic number goes into it."""
    if isinstance(value, SymText):
        return SymText(convert(value._text), value._integers)
    if isinstance(value, str | int | float | bytes | None):
        return convert(value)
    return made_text(lambda: convert(value))


def made_text(make: Callable[[], str]) -> Any:
    """The text that `make` gives, guarded where a symbolic number goes into it."""
    before = TextConversion.symbolic, TextConversion.integers
    TextConversion.symbolic, TextConversion.integers = False, ()
    TextConversion.active += 1
    try:
        text = make()
        return SymText(text, TextConversion.integers) if TextConversion.symbolic else text
    finally:
        TextConversion.active -= 1
        TextConversion.symbolic, TextConversion.integers = before


def percent(form: str, values: Any) -> Any:
    """`form % values`, guarded where a symbolic number goes into it."""
    return made_text(lambda: form % values)


def joined(*parts: Any) -> Any:
    """An f-string: plain strings, and `(value, conversion, spec)` for what stands in braces."""
    texts = [part if isinstance(part, str) else _formatted(*part) for part in parts]
    whole = "".join(text if isinstance(text, str) else str(text) for text in texts)
    integers = tuple(integer for text in texts for integer in integers_in(text))
    return SymText(whole, integers) if any(isinstance(text, SymText) for text in texts) else shown(whole)


def _formatted(value: Any, conversion: int, spec: Any) -> Any:
    converters: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    if isinstance(spec, SymText):
        spec._refuse()
    if conversion in converters:
        value = to_text(value, converters[conversion])
    return to_text(value, lambda it: format(it, spec))
