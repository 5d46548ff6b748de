"""The elements of tensors in a launch where those of some arguments are given: what is computed from them is computed.

In addition to the concrete execution, operations whose operands are all known numbers are computed as the simulator
computes them. So an index is what it is, a device loop goes round as often as it does, and phase 4 sees which elements
an indirect access touches. What is not known, as a float of an argument that is not given, stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.analysis.values.known_views import resolved
from nkiverify.foundation.late import numpy as np
from nkiverify.frontend.concrete import ConcreteElements
from nkiverify.model.known_numbers import Interval
from nkiverify.model.operation import Operation, infers_sum
from nkiverify.model.tensor import Register, Storage, Tensor
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.analysis.values.known_storages import KnownNumbers

#: Iterations up to which a device loop is executed one by one.
_MOST_ITERATIONS = 1 << 10


class KnownElements(ConcreteElements):
    """Elements that are computed from those of arguments, where some are given."""

    _found: KnownNumbers | None = None

    def are_those_of(self, other: ConcreteElements) -> bool:
        """True of elements of the same kind; where nothing has been known, of those that never know anything."""
        return type(other) is KnownElements or (self._found is None and type(other) is ConcreteElements)

    def given(self, storage: Storage) -> None:
        """An argument exists whose elements are given: what is computed is computed where operations are recorded."""
        self.run.records = True
        self._found = self._found or _numbers()

    @property
    def _numbers(self) -> KnownNumbers | None:
        """The numbers that are known, where what is executed is executed for one iteration."""
        return None if self.run.model.stands_for_iterations or self.run.only_traced else self._found

    def executed(self, operation: Operation) -> None:
        """Note an operation, with the elements that its indices choose; compute what it writes."""
        if self.run.only_traced:
            return
        numbers = self._numbers
        if numbers is None:
            super().executed(operation)
            self._lose(operation)
            return
        operation = resolved(operation, numbers.numbers_in)
        if not infers_sum(operation):
            operation = replace(operation, body=None)
        operation = replace(
            operation,
            reads={name: _placed(numbers, operation, view) for name, view in operation.reads.items()},
            writes={name: _placed(numbers, operation, view) for name, view in operation.writes.items()},
        )
        super().executed(operation)
        if not numbers.compute(operation):
            self._lose(operation)

    def _lose(self, operation: Operation) -> None:
        if self._found is None:
            return
        for view in operation.writes.values():
            self._found.lose(view)
        for name in ("dst", "result"):
            register = operation.attributes.get(name)
            if isinstance(register, Register) and not register.keeps:
                self._found.registers.pop(register.identity, None)

    # --- indices and registers ----------------------------------------------------------------------------------------

    def index_range(self, index: Tensor | Register) -> Interval | None:
        """The least and the greatest number of an index tensor or register, where they are known."""
        numbers = self._numbers
        if numbers is None:
            return None
        if isinstance(index, Register):
            number = numbers.registers.get(index.identity)
            return None if number is None else Interval(number, number)
        return numbers.defined_range(index) if numbers.knows_all(index) else None

    def register_number(self, register: Register) -> int | None:
        """The number a register holds, where it is known."""
        numbers = self._numbers
        return None if numbers is None else numbers.registers.get(register.identity)

    def iterations(self, register: Register, start: object, stop: object, step: object) -> Iterator[None] | None:
        """The iterations of a device loop, where its bounds are known."""
        given = [self.register_number(bound) if isinstance(bound, Register) else bound for bound in (start, stop, step)]
        bounds = [bound for bound in given if isinstance(bound, int)]
        if len(bounds) < len(given) or len(range(*bounds)) > _MOST_ITERATIONS:
            return None
        if self._found is None and self.run.records:
            # Known without anything that is given: from here on, what the iterations compute from it is computed.
            self._found = _numbers()
        numbers = self._numbers
        if numbers is None:
            return None
        return self._rounds(numbers, register, range(*bounds)) if range(*bounds) else self.run.trace()

    def _rounds(self, numbers: KnownNumbers, register: Register, values: range) -> Iterator[None]:
        """The rounds of a device loop, its register set in each."""
        for number in self.run.bodies.rounds(values):
            numbers.registers[register.identity] = number
            yield

    def while_rounds(self, condition: Callable[[], Register]) -> Iterator[None] | None:
        """The rounds of a device loop whose condition is known."""
        number = self.register_number(condition())
        if number is None:
            return None
        return self.run.bodies.rounds(self._while(condition)) if number else self.run.trace()

    def _while(self, condition: Callable[[], Register]) -> Iterator[None]:
        while number := self.register_number(condition()):
            yield
        if number is None:
            raise unsupported("a while_loop whose condition is known in its first rounds only")

    def tested(self, register: Register) -> bool | None:
        """True if a bare `while register:` continues, where the number is known."""
        number = self.register_number(register)
        return None if number is None else self.run.bodies.test(number != 0)


def _numbers() -> KnownNumbers:
    # As late as this: it brings the simulator.
    from nkiverify.analysis.values.known_storages import KnownNumbers

    return KnownNumbers()


def _placed(numbers: KnownNumbers, operation: Operation, view: Tensor) -> Tensor:
    """A view whose elements are chosen one by one, with the elements that it has."""
    moves = view.indirect_by
    if moves is None or moves.is_known:
        return view
    region = numbers.region_of(operation, view)
    if region is None or region.positions is None:
        return view
    found = view.with_layout(view.shape, view.strides)
    found.indirect_by = replace(moves, elements=np.asarray(region.positions))
    return found
