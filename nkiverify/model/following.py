"""Following the numbers in tensors: an operation that is called says the bounds of what it writes (`model.bounds`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model import contents
from nkiverify.model.access import Access
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dtypes import float32
from nkiverify.model.extents import is_sequence, same
from nkiverify.model.followed_meaning import written_by
from nkiverify.model.interval_arithmetic import TRUTH, TRUTHS, converted, number, of_operator, single
from nkiverify.model.known_numbers import UNKNOWN, Value
from nkiverify.model.operation import WRITTEN
from nkiverify.model.operators import Operator
from nkiverify.model.register_contents import VirtualRegister, held_by
from nkiverify.model.registry import Declaration
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.execution import unsupported


class Following:
    """One operation in progress, as `nkiverify.model.bounds` has it; `targets` are its results that are followed."""

    def __init__(self, given: Mapping[str, Any], targets: Mapping[str, Tensor]) -> None:
        self._given = given
        self._targets = targets
        #: Where the operation leaves out elements, those of its results stay.
        self._partly = given.get("mask") is not None
        self._written: set[str] = set()

    # --- operands -----------------------------------------------------------------------------------------------------

    @property
    def given(self) -> tuple[str, ...]:
        """The parameters that are given."""
        return tuple(self._given)

    @property
    def written(self) -> tuple[str, ...]:
        """The results whose numbers are followed."""
        return tuple(self._targets)

    def tensor(self, name: str) -> Tensor | None:
        value = self._targets.get(name, self._given.get(name))
        if isinstance(value, Access):
            return value.view  # type: ignore[no-any-return]
        return value if isinstance(value, Tensor) else None

    def attribute(self, name: str, default: Any = None) -> Any:
        """A parameter that is no tensor."""
        return self._given.get(name, default)

    def operator(self, name: str) -> Operator | None:
        """A parameter that names an operator, if it is given."""
        value = self._given.get(name)
        return value if isinstance(value, Operator) else None

    def elements(self, name: str) -> Value:
        """The elements of an operand as they are stored, the number in its place, or what a register holds."""
        view = self.tensor(name)
        if view is not None:
            return contents.any_of_dtype(contents.held_or_unknown(view), view)
        value = self._given.get(name)
        if isinstance(value, VirtualRegister):
            return held_by(value) or UNKNOWN
        return number(value)

    def numbers(self, name: str) -> Value:
        """The numbers of an operand as the engines compute with them."""
        return single(self.elements(name))

    def before(self, name: str) -> Value | None:
        """The elements of a result before it is written; None where nothing has been written to it."""
        view = self.tensor(name)
        return None if view is None else contents.held(view)

    def undetermined(self, *names: str) -> bool:
        """True if an operand is known to be unknown: what depends on it, and on numbers next to it, is so too."""
        views = [self.tensor(name) for name in names]
        return any(view is not None and contents.is_unknown(view) for view in views)

    def holds_integers(self, *names: str) -> bool:
        """True if none of these operands is a tensor of anything but integers."""
        views = [self.tensor(name) for name in names]
        return all(view is None or view.dtype.is_integer for view in views)

    def count(self, name: str) -> Any:
        """How many elements each partition of an operand has."""
        view = self.tensor(name)
        assert view is not None
        return view.free_size

    # --- elements that are among those of another operand -------------------------------------------------------------

    def takes(self, result: str, source: str) -> None:
        taken, data = self._targets.get(result) or next(iter(self._targets.values())), self.tensor(source)
        if data is None or not (data.on_chip and taken.on_chip):
            return
        # float32 has every number of the other floats.
        if data.dtype != taken.dtype and not (taken.dtype == float32 and data.dtype.is_float):
            return
        model = current_execution().model
        times = model.times_written(taken.storage), model.times_written(data.storage)
        model.taken[taken.storage.identity] = _Taken(taken, data, times, model.entered)

    def has_taken(self, name: str, source: str) -> bool:
        taken, data = self.tensor(name), self.tensor(source)
        if taken is not None:
            contents.followed(taken.storage)
        model = current_execution().model
        known = None if taken is None else model.taken.get(taken.storage.identity)
        if taken is None or data is None or not isinstance(known, _Taken):
            return False
        times = model.times_written(taken.storage), model.times_written(data.storage)
        unchanged = known.times == times and known.entered == model.entered
        return unchanged and _same_view(known.taken, taken) and _same_view(known.source, data)

    # --- operators ----------------------------------------------------------------------------------------------------

    def operated(
        self, op: Operator | None, left: str | Value, right: str | Value | None, reverse: object = False
    ) -> Value:
        """`left op right`, `right op left` where reversed, or the unary operator on `left`."""
        if op is None:
            return UNKNOWN
        if op.name in TRUTHS:
            return TRUTH
        named = [name for name in (left, right) if isinstance(name, str)]
        if op.bitvec:
            return self._on_bits(op, left, right, reverse, named)
        if self.undetermined(*named):
            return UNKNOWN
        one = self.numbers(left) if isinstance(left, str) else left
        if op.arity == 1 or right is None:
            return single(of_operator(op.name, one))
        other = self.numbers(right) if isinstance(right, str) else right
        return single(of_operator(op.name, other, one) if reverse else of_operator(op.name, one, other))

    def _on_bits(
        self, op: Operator, left: str | Value, right: str | Value | None, reverse: object, named: list[str]
    ) -> Value:
        """An operator on the bits of integers, which are not converted: a result has those of the narrowest."""
        if right is None or not self.holds_integers(*named):
            return UNKNOWN
        one, other = (self.elements(part) if isinstance(part, str) else part for part in (left, right))
        result = of_operator(op.name, other, one) if reverse else of_operator(op.name, one, other)
        for name in named:
            view = self.tensor(name)
            if view is not None:
                result = converted(result, view.dtype)
        return result

    # --- results ------------------------------------------------------------------------------------------------------

    def write(self, value: Value | None, name: str = "", *, partly: bool = False) -> None:
        """The only result, or that of this name, holds numbers that the engines have computed."""
        for target in (name,) if name else tuple(self._targets):
            view = self._targets.get(target)
            if view is not None:
                found = UNKNOWN if value is None else contents.stored(value, view)
                contents.wrote(view, found, partly=partly or self._partly)
                self._written.add(target)

    def write_columns(self, *columns: tuple[Any, Any, Value], partly: bool = False) -> None:
        """The only result holds numbers in columns: the first, the last, and the numbers."""
        target, into = next(iter(self._targets.items()))
        found = [(first, last, contents.stored(value, into)) for first, last, value in columns]
        contents.wrote_columns(into, found, partly=partly or self._partly)
        self._written.add(target)

    def copy_partitions(self, source: str, *, partly: bool = False) -> None:
        """The only result holds in each partition what one of an operand has, in each column."""
        view, (target, into) = self.tensor(source), next(iter(self._targets.items()))
        columns = [] if view is None else contents.moved_columns(view, into)
        if len(columns) > 1:
            contents.wrote_columns(into, columns, partly=partly or self._partly)
            self._written.add(target)
        else:
            self.copy(source, target, partly=partly, some=True)

    def copy(self, source: str, name: str = "", *, partly: bool = False, some: bool = False) -> None:
        """The only result, or that of this name, holds the elements of an operand, or `some` of them."""
        view = self.tensor(source)
        if view is None:
            self.write(self.elements(source), name, partly=partly)
            return
        for target in (name,) if name else tuple(self._targets):
            into = self._targets.get(target)
            if into is not None:
                value = contents.moved(view, into)
                if value is not None and some and value.exact:
                    value = replace(value, exact=False)
                contents.wrote(into, value, partly=partly or self._partly)
                self._written.add(target)

    def finish(self) -> None:
        """Note that what has been written may be anything."""
        for name, view in self._targets.items():
            if name not in self._written:
                contents.overwritten(view)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A view whose elements were taken from another one, when both had been written so often."""

    taken: Tensor
    source: Tensor
    times: tuple[int, int]
    #: How many bodies of loops had been entered: what another iteration has taken is not known to be there.
    entered: int


def _same_view(one: Tensor, two: Tensor) -> bool:
    return (
        one.storage is two.storage
        and one.dtype == two.dtype
        and one.ndim == two.ndim
        and one.indirect_by is two.indirect_by is None
        and same(one.offset, two.offset)
        and all(map(same, one.shape + one.strides, two.shape + two.strides))
    )


def followed_among(targets: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The results whose numbers are followed; most operations have none."""
    return {name: view for name, view in targets.items() if contents.tracked(view.storage)}


def follow(declared: Declaration, given: Mapping[str, Any], followed: Mapping[str, Tensor]) -> None:
    """An operation writes to results that are `followed`: what it says of them is what they hold, else anything."""
    bounds = Following(given, followed)
    if declared.bounded:
        assert declared.computes is not None
        written_by(declared.computes, declared.name, bounds)
    elif declared.computes_bounds is not None:
        declared.computes_bounds(bounds)
    bounds.finish()


def following(function: Callable[..., Any], declared: Declaration) -> Callable[..., Any]:
    """`function`, which states the contracts of an operation, and after it what is known of what it writes."""
    names = tuple(inspect.signature(function).parameters)
    written = tuple(name for name in names if name in WRITTEN)
    if not written and declared.host:
        return function

    def execute(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        model = current_execution().model
        if not (written or (model.follows and isinstance(result, Tensor) and contents.tracked(result.storage))):
            return result
        given = dict(zip(names, args, strict=False))
        given.update(kwargs)
        targets = {place: view for name in written for place, view in views_in(name, given.get(name))}
        for view in targets.values():
            if view.legacy:
                overwrites(view)
        if not model.follows:
            return result
        if isinstance(result, Tensor) and not declared.host:
            targets["result"] = result
        followed = followed_among(targets)
        if followed:
            follow(declared, given, followed)
        return result

    return execute


def overwrites(view: Tensor) -> None:
    """Something is written to a legacy tile: the mask of what made it says no longer where it holds something."""
    run = current_execution()
    if run.symbolic and run.model.entered and view.storage in run.model.assigned:
        raise unsupported("writing to a tile that has been assigned as its mask says", "assign it after that")
    run.model.overwritten.add(view.storage)


def views_in(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    """The tensors, or sequences of them, given for a parameter, by what records call them."""
    if isinstance(value, Access):
        yield name, value.view
    elif isinstance(value, Tensor):
        yield name, value
    elif is_sequence(value):
        for position, part in enumerate(value):
            yield from views_in(f"{name}[{position}]", part)
