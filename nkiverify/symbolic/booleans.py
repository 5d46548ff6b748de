"""Conditions as Python sees them: asking for the truth value of one splits the run."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from nkiverify.symbolic import conditions
from nkiverify.symbolic.conditions import Comparison, Condition, Junction
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.stands_for import StandsFor, missing_attribute
from nkiverify.symbolic.texts import guarded


class SymBool(StandsFor, Condition):
    """A condition with Python's operators. `&`, `|` and `~` build conditions; `and`, `or`, `not` and `if` split the
    run."""

    __slots__ = ()
    _stands_for = bool

    def __bool__(self) -> bool:
        run = execution_in_progress()
        if run is None:
            raise unsupported(f"the truth value of {self} outside a run")
        return run.decide(self)

    def __and__(self, other: object) -> Any:
        return conditions.conjunction((self, other)) if isinstance(other, Condition | bool) else NotImplemented

    def __or__(self, other: object) -> Any:
        return conditions.disjunction((self, other)) if isinstance(other, Condition | bool) else NotImplemented

    def __xor__(self, other: object) -> Any:
        if not isinstance(other, Condition | bool):
            return NotImplemented
        return differ(self, other)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> NoReturn:
        # ~True is -2 in Python: a kernel that writes it means something else than it says.
        raise unsupported("`~` on a condition", "write `not` or compare the other way round")

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Condition | bool):
            return conditions.negate(differ(self, other))
        return self._as_int() == other

    def __ne__(self, other: object) -> Any:
        return differ(self, other) if isinstance(other, Condition | bool) else self._as_int() != other

    def __lt__(self, other: object) -> Any:
        return self._as_int() < other

    def __le__(self, other: object) -> Any:
        return self._as_int() <= other

    def __gt__(self, other: object) -> Any:
        return self._as_int() > other

    def __ge__(self, other: object) -> Any:
        return self._as_int() >= other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __index__(self) -> int:
        return int(bool(self))

    __int__ = __index__

    def _as_int(self) -> Any:
        return conditions.as_number(self)

    def __add__(self, other: object) -> Any:
        return self._as_int() + other

    def __radd__(self, other: object) -> Any:
        return other + self._as_int()

    def __sub__(self, other: object) -> Any:
        return self._as_int() - other

    def __rsub__(self, other: object) -> Any:
        return other - self._as_int()

    def __mul__(self, other: object) -> Any:
        return self._as_int() * other

    def __rmul__(self, other: object) -> Any:
        return other * self._as_int()

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(bool, name)

    def __format__(self, spec: str) -> str:
        # What Python takes of a bool does not depend on which.
        format(True, spec)
        return guarded(super().__repr__(), bool, sys._getframe(1))

    def __str__(self) -> str:
        return guarded(super().__repr__(), bool, sys._getframe(1))

    def __repr__(self) -> str:
        return guarded(super().__repr__(), bool, sys._getframe(1))


class SymComparison(SymBool, Comparison):
    """A comparison with Python's operators."""

    __slots__ = ()


class SymJunction(SymBool, Junction):
    """A conjunction or disjunction with Python's operators."""

    __slots__ = ()


conditions.use_condition_classes(SymComparison, SymJunction)


def differ(left: Condition | bool, right: Condition | bool) -> Condition | bool:
    """True if exactly one of two conditions holds."""
    return conditions.disjunction(
        (
            conditions.conjunction((left, conditions.negate(right))),
            conditions.conjunction((conditions.negate(left), right)),
        )
    )
