"""Symbolic values say which built-in class they stand for."""

from __future__ import annotations

import abc
import sys

from nkiverify.symbolic.execution import unsupported

#: The packages whose code sees a symbolic value as what it is: those of the model itself.
_OURS = frozenset({"nkiverify", "nki", "neuronxcc"})
#: The names of the module whose classes ask in the place of whoever asks about one of them.
_ABSTRACT = vars(abc)


class StandsFor:
    """A value that stands for one of a built-in class, and says so to code that asks for its class: to kernels, and to
    libraries that are installed, which would return another value for another class."""

    __slots__ = ()
    _stands_for: type = object

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        asking = sys._getframe(1)
        if asking.f_globals is _ABSTRACT and asking.f_back is not None:
            asking = asking.f_back
        name = asking.f_globals.get("__name__") or ""
        return type(self) if name.partition(".")[0] in _OURS else self._stands_for


_EXAMPLES: dict[type, object] = {int: 0, float: 0.5, bool: True, str: "text", range: range(0)}


def missing_attribute(stands_for: type, name: str) -> BaseException:
    """The exception for an attribute that a symbolic value lacks: the value it stands for may have it."""
    # Asked of an object: a class also has the attributes of its metaclass.
    if hasattr(_EXAMPLES.get(stands_for), name) and not name.startswith("__array"):
        return unsupported(f"the attribute `{name}` of a symbolic {stands_for.__name__}")
    return AttributeError(f"'{stands_for.__name__}' object has no attribute '{name}'")
