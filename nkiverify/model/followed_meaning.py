"""The meaning of an operation on what is known of whole operands: its `Bounds`, where it takes element by element.

A meaning is a function of a `Step` and its numbers (`nkiverify.model.meaning`). Here an operand is one
`FollowedNumbers`, which stands for all elements it has, wherever they are: extents may be terms, and nothing is an
array. What a meaning writes as it has read it is copied, so that storages of the same numbers stay so. Errs to too many
numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.model.interval_arithmetic import TRUTH, TRUTHS, converted, is_between, number, of_operator, single
from nkiverify.model.known_numbers import UNKNOWN, Value
from nkiverify.model.operation import WRITTEN

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Meaning
    from nkiverify.model.operators import Operator
    from nkiverify.model.tensor import Tensor

#: Operators that take integers as they are stored.
_ON_BITS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"))


def written_by(meaning: Meaning, name: str, bounds: Bounds) -> None:
    """Write what the meaning of an operation of this name writes; nothing of a result that it refuses to compute."""
    try:
        meaning(_Step(name, bounds))  # type: ignore[arg-type]
    except UnsupportedConstruct:
        return


@dataclass(frozen=True, slots=True)
class FollowedNumbers:
    """Any number of a value; `exact`: as it is stored, not rounded to float32 yet. They are those of the operand that
    is their `source`, moved at most. A value of None is that of what is not written yet."""

    value: Value | None
    exact: bool = False
    source: str = ""

    @property
    def ndim(self) -> int:
        """Axes of an array of them: meanings ask for it."""
        return 3

    @property
    def rounded(self) -> Value:
        """The numbers as the engines compute with them."""
        value = UNKNOWN if self.value is None else self.value
        return single(value) if self.exact and value is not UNKNOWN else value

    def transpose(self, *axes: int) -> FollowedNumbers:
        """The same numbers at other places."""
        return self


class _Arithmetic:
    """Functions of numbers; of what is unknown nothing is known."""

    def constant(self, value: float, rank: int) -> FollowedNumbers:
        return FollowedNumbers(number(value), exact=True)

    def unary(self, name: str, x: FollowedNumbers) -> FollowedNumbers:
        return FollowedNumbers(TRUTH if name in TRUTHS else _unless_unknown(name, x.rounded))

    def binary(self, name: str, x: FollowedNumbers, y: FollowedNumbers) -> FollowedNumbers:
        if name in TRUTHS:
            return FollowedNumbers(TRUTH)
        if name not in _ON_BITS:
            return FollowedNumbers(_unless_unknown(name, x.rounded, y.rounded))
        if not (x.exact and y.exact) or x.value is None or y.value is None:
            return FollowedNumbers(UNKNOWN)
        return FollowedNumbers(of_operator(name, x.value, y.value), exact=True)

    def choose(self, condition: FollowedNumbers, x: FollowedNumbers, y: FollowedNumbers) -> FollowedNumbers:
        if x.value is None or y.value is None:
            return FollowedNumbers(y.rounded if x.value is None else x.rounded)
        known = x.value is not UNKNOWN and y.value is not UNKNOWN
        return FollowedNumbers(x.rounded.joined(y.rounded) if known else UNKNOWN)

    def unsigned(self, integers: FollowedNumbers, dtype: DType) -> FollowedNumbers:
        # A shift knows nothing of numbers with a sign.
        return integers

    def integral(self, x: FollowedNumbers) -> FollowedNumbers:
        return x

    def low_bits(self, integers: FollowedNumbers, dtype: DType) -> FollowedNumbers:
        value = UNKNOWN if integers.value is None else integers.value
        return FollowedNumbers(converted(value, dtype) if dtype.is_integer else UNKNOWN, exact=True)

    def exact(self, stored: FollowedNumbers, dtype: DType) -> FollowedNumbers:
        return stored

    def out_of_range(self, name: str, x: FollowedNumbers) -> None:
        """Nothing: outside its range a function may give anything; its numbers inside are those that are followed."""


def _unless_unknown(name: str, *operands: Value) -> Value:
    unknown = any(operand is UNKNOWN for operand in operands)
    return UNKNOWN if unknown else single(of_operator(name, *operands))


class _Step:
    """An operation in progress on such numbers, as a `Step` of what meanings of single elements ask for."""

    tracking = False
    n = _Arithmetic()

    def __init__(self, name: str, bounds: Bounds) -> None:
        self.name = name
        self._bounds = bounds

    @property
    def written(self) -> tuple[str, ...]:
        return self._bounds.written

    @property
    def only_write(self) -> str:
        (name,) = self.written
        return name

    @property
    def only_read(self) -> str:
        (name,) = (each for each in self._bounds.given if each not in WRITTEN and self.has(each))
        return name

    def has(self, name: str) -> bool:
        return self._bounds.tensor(name) is not None

    def attribute(self, name: str, default: Any = None) -> Any:
        return self._bounds.attribute(name, default)

    def flag(self, name: str) -> bool:
        return bool(self.attribute(name, False))

    def operator(self, name: str) -> Operator:
        found = self._bounds.operator(name)
        if found is None:
            self.refuse("an operation without an operator")
        return found

    def optional_operator(self, name: str) -> Operator | None:
        return self._bounds.operator(name)

    def is_number(self, name: str, value: int) -> bool:
        return not self.has(name) and is_between(self._bounds.elements(name), value, value)

    def refuse(self, construct: str) -> NoReturn:
        raise UnsupportedConstruct(construct)

    def _view(self, name: str) -> Tensor:
        found = self._bounds.tensor(self._target(name))
        if found is None:
            self.refuse(f"an operand {name} that is no tensor")
        return found

    def _target(self, name: str) -> str:
        return "result" if name == "dst" and name not in self.written else name

    def shape(self, name: str) -> tuple[Any, ...]:
        return tuple(self._view(name).shape)

    def dtype(self, name: str) -> DType:
        return self._view(name).dtype

    def stored(self, name: str) -> FollowedNumbers:
        return self.rows(name, exact=True)

    def rows(self, name: str, *, exact: bool = False, stored: bool = False, previous: bool = False) -> FollowedNumbers:
        if previous and self._bounds.before(name) is None:
            return FollowedNumbers(None)
        if self._bounds.undetermined(name):
            return FollowedNumbers(UNKNOWN, exact or stored, name)
        if not (exact or stored):
            return FollowedNumbers(self._bounds.numbers(name), source=name)
        bits = stored or not self.has(name) or self.dtype(name).is_integer
        return FollowedNumbers(self._bounds.elements(name) if bits else UNKNOWN, True, name)

    def numbers(self, name: str, *, exact: bool = False) -> FollowedNumbers:
        return self.rows(name, exact=exact)

    def aligned(self, name: str, rank: int, *, exact: bool = False) -> FollowedNumbers:
        return self.rows(name, exact=exact)

    def constant(self, name: str, rank: int) -> FollowedNumbers:
        return FollowedNumbers(self._bounds.elements(name), True, name)

    def fill(self, name: str, like: FollowedNumbers) -> FollowedNumbers:
        return self.constant(name, 0)

    def column(self, name: str, *, exact: bool = False) -> FollowedNumbers | None:
        if self.has(name):
            return self.rows(name, exact=exact)
        return None if self.attribute(name) is None else self.constant(name, 0)

    def integers_on_gpsimd(self, *names: str) -> bool:
        # Rounding moves the ends outwards: what is computed exactly is between them as well.
        return False

    def running_reduction(self, name: str) -> None:
        """None is in progress: what one leaves is in no tile that is followed."""

    def where_affine(self, comparison: str, x: FollowedNumbers, y: FollowedNumbers) -> FollowedNumbers:
        return self.n.choose(x, x, y)

    def choose(
        self, name: str, condition_name: str, condition: FollowedNumbers, x: FollowedNumbers, y: FollowedNumbers
    ) -> FollowedNumbers:
        found = self.n.choose(condition, x, y)
        self.write(name, found)
        return found

    def accumulate(self, engine: str, values: FollowedNumbers, **how: object) -> None:
        """Reductions are not followed."""

    def write(self, name: str, values: FollowedNumbers, **how: object) -> None:
        if values.source:
            self._bounds.copy(values.source, self._target(name))
        else:
            self._bounds.write(values.value, self._target(name))
