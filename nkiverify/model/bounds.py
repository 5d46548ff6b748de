"""One operation in progress on what is known of numbers: intervals of what it reads become those of what it writes.

A declaration (`nkiverify.model.registry`) gives the bounds of an operation as a function of `Bounds`, as it gives its
meaning as a function of a `Step`. What an operation writes without saying what may be any number of its dtype. Errs to
too many numbers.
"""

from __future__ import annotations

from typing import Any, Protocol

from nkiverify.model.known_numbers import Value
from nkiverify.model.operators import Operator
from nkiverify.model.tensor import Tensor


class Bounds(Protocol):
    """One operation in progress, its arguments known by the names of parameters."""

    @property
    def given(self) -> tuple[str, ...]:
        """The parameters that are given."""

    @property
    def written(self) -> tuple[str, ...]:
        """The results whose numbers are followed."""

    def tensor(self, name: str) -> Tensor | None:
        """An operand that is a tensor."""

    def attribute(self, name: str, default: Any = None) -> Any:
        """A parameter that is no tensor."""

    def operator(self, name: str) -> Operator | None:
        """A parameter that names an operator, if it is given."""

    def elements(self, name: str) -> Value:
        """The elements of an operand as they are stored, the number in its place, or what a register holds."""

    def numbers(self, name: str) -> Value:
        """The numbers of an operand as the engines compute with them."""

    def before(self, name: str) -> Value | None:
        """The elements of a result before it is written; None where nothing has been written to it."""

    def undetermined(self, *names: str) -> bool:
        """True if an operand is known to be unknown: what depends on it, and on numbers next to it, is so too."""

    def count(self, name: str) -> Any:
        """How many elements each partition of an operand has."""

    def takes(self, result: str, source: str) -> None:
        """A result, or the only one where it is empty, has elements of a source as they are."""

    def has_taken(self, name: str, source: str) -> bool:
        """True if the elements of an operand have been taken from another, and neither has been written since."""

    def operated(
        self, op: Operator | None, left: str | Value, right: str | Value | None, reverse: object = False
    ) -> Value:
        """`left op right`, `right op left` where reversed, or the unary operator on `left`; operands by name."""

    def write(self, value: Value | None, name: str = "", *, partly: bool = False) -> None:
        """The only result, or that of this name, holds numbers that the engines have computed; None: not written yet.

        With `partly` some of its elements stay as they are."""

    def write_columns(self, *columns: tuple[Any, Any, Value], partly: bool = False) -> None:
        """The only result holds numbers in columns of each partition: the first column, the last one and the
        numbers."""

    def copy(self, source: str, name: str = "", *, partly: bool = False, some: bool = False) -> None:
        """The only result, or that of this name, holds the elements of an operand, or `some` of them, converted to its
        dtype."""

    def copy_partitions(self, source: str, *, partly: bool = False) -> None:
        """The only result holds in each partition what one of an operand has, converted to its dtype."""
