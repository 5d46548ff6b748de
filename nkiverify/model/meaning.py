"""The values that operations compute with: numbers of some kind, and one operation in progress on them.

A declaration (`nkiverify.model.registry`) gives the meaning of an operation as a function of a `Step`, written once
over any `Numbers`: floating point, fields, marks of what is undefined. Arrays of numbers have a leading axis of
`lanes`: one lane in floating point, one per prime in fields; the other axes are the tile's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dtypes import DType
from nkiverify.model.operators import Operator

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"


class Numbers(ABC):
    """A kind of numbers, how they are stored, and the functions the engines compute on them."""

    #: The extent of the leading axis of every array.
    lanes: int

    @abstractmethod
    def buffer(self, elements: int, dtype: DType) -> Array:
        """Room for this many elements of `dtype`, contents arbitrary."""

    @abstractmethod
    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        """A strided view (lanes, *shape) of a buffer made for dtype `owner`; strides and offset in elements of
        `dtype`. The caller answers for the bounds."""

    @abstractmethod
    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        """All elements of a buffer, seen as `dtype`: (lanes, elements)."""

    @abstractmethod
    def entered(self, values: Array, dtype: DType) -> Array:
        """Elements of a NumPy array in their stored form, with the lanes in front."""

    @abstractmethod
    def read(self, stored: Array, dtype: DType) -> Array:
        """Stored elements as the engines' numbers."""

    @abstractmethod
    def exact(self, stored: Array, dtype: DType) -> Array:
        """Stored integers without the detour over float32."""

    @abstractmethod
    def convert(self, numbers: Array, dtype: DType) -> Array:
        """The engines' numbers as stored elements of `dtype`."""

    def nonzero(self, condition: Array) -> Array:
        """1 where a condition is not 0, else 0; or the condition itself, where `choose` does not mind."""
        return condition

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        """Numbers that are no integers, on their way to an integer dtype."""
        return numbers

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        """Integers as stored elements of an integer dtype: the bits that it has room for, the others are lost."""
        return self.convert(self.rounded(integers, dtype), dtype)

    def integral(self, numbers: Array) -> Array:
        """Integers, of a constant for example, as such: what operators on bits take."""
        return numbers.astype(np.int64) if numbers.dtype.kind == "f" else numbers

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        """Integers read from `dtype` as the numbers that their bits are without a sign."""
        return integers

    def single(self, integers: Array) -> Array:
        """Integers that were computed exactly, on their way to a float dtype."""
        return integers

    @abstractmethod
    def constant(self, value: float, rank: int) -> Array:
        """One number, as an array of `rank` axes that broadcasts; its first axis is the lanes."""

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        """A number that a select puts where it leaves out elements of `like`, for a result of this dtype."""
        return self.constant(value, like.ndim)

    @abstractmethod
    def unary(self, name: str, x: Array) -> Array:
        """A function of one number, by the operator's name."""

    @abstractmethod
    def binary(self, name: str, x: Array, y: Array) -> Array:
        """A function of two numbers, by the operator's name."""

    @abstractmethod
    def reduce(self, name: str, x: Array) -> Array:
        """The last axis reduced with an operator; it stays, with extent 1."""

    @abstractmethod
    def matmul(self, x: Array, y: Array) -> Array:
        """x (lanes, K, M) transposed, times y (lanes, K, N)."""

    @abstractmethod
    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        """r[i] = (x[i] op0 r[i - 1]) op1 y[i] along the last axis, r[-1] = initial; all (lanes, P, F)."""

    @abstractmethod
    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        """x where the condition is not 0, else y."""

    def every(self, x: Array, first: int, step: int) -> Array:
        """Each `step`-th column of rows (lanes, P, F), from one on."""
        return np.ascontiguousarray(x[..., first::step])

    def attached(self, columns: Sequence[Array]) -> Array:
        """Columns (lanes, P, 1) next to one another."""
        return np.concatenate([column.astype(columns[1].dtype) for column in columns], axis=2)

    def of_some(self, x: Array, function: Callable[[Array], Sequence[Array]], count: int) -> Sequence[Array]:
        """This many columns (lanes, P, 1) that a function makes of rows (lanes, P, F): zeros where these are empty."""
        if x.shape[-1]:
            return function(x)
        return [np.zeros_like(x, shape=(*x.shape[:-1], 1))] * count

    def out_of_range(self, name: str, x: Array) -> Array | None:
        """Where the argument of an activation function is outside its documented range; None for nowhere."""
        return None

    def integers(self, stored: Array, dtype: DType) -> Array:
        """Stored elements as indices, without lanes. Raises where they are not integers known in this run."""
        raise UnsupportedConstruct("indices that are no known integers")

    def index_ends(self, stored: Array, dtype: DType) -> tuple[Array, Array]:
        """The least and the greatest index that stored elements may be, without lanes: `integers` twice where they are
        known."""
        known = self.integers(stored, dtype)
        return known, known

    def around(self, x: Array) -> Array:
        """Numbers (lanes, P, 1), each of which may be any of its row (lanes, P, F). Raises where there are none."""
        raise UnsupportedConstruct("elements from places that are not known")

    def unpacked(self, packed: Array, dtype: DType) -> Array:
        """Packed elements (…, F), without lanes, as float32 values (…, F, 4). Raises where numbers are not such."""
        raise UnsupportedConstruct("packed elements that are no numbers")

    def packed(self, values: Array, dtype: DType) -> Array:
        """float32 values (…, F, 4) as packed elements (…, F): the inverse of `unpacked`."""
        raise UnsupportedConstruct("packed elements that are no numbers")

    def wants(self, name: str) -> None:  # noqa: B027 (most numbers are values)
        """Say that an operation needs the values themselves. Raises where numbers are not such values."""


class Step(Protocol):
    """An operation in progress, computed on `n`: the execution's numbers, or marks where `tracking`."""

    n: Numbers
    tracking: bool

    @property
    def name(self) -> str:
        """The documented name of the operation."""

    @property
    def written(self) -> tuple[str, ...]:
        """The parameters it writes."""

    @property
    def read_names(self) -> tuple[str, ...]:
        """The parameters it reads, apart from indices."""

    @property
    def only_read(self) -> str:
        """The parameter it reads, apart from indices."""

    @property
    def only_write(self) -> str:
        """The parameter it writes."""

    def has(self, name: str) -> bool:
        """True if a parameter is a tensor that is read."""

    def writes(self, name: str) -> bool:
        """True if a parameter is a tensor that is written."""

    def attribute(self, name: str, default: Any = None) -> Any:
        """A parameter that is no tensor."""

    def name_of(self, name: str) -> str:
        """The name of a parameter that is a member of an enumeration; "none" where it is not given."""

    def meet(self) -> None:
        """Wait until every program of the launch is here."""

    def exchanged(self, sent: Array) -> Array:
        """The elements that the program to receive from sends, for those that this one sends."""

    def flag(self, name: str) -> bool:
        """A parameter that is true or false; false where it is not there."""

    def integer(self, name: str) -> int:
        """A parameter that is an integer; 0 where it is not there."""

    def operator(self, name: str) -> Operator:
        """A parameter that names an operator."""

    def optional_operator(self, name: str) -> Operator | None:
        """As `operator`, or None."""

    def is_number(self, name: str, value: float) -> bool:
        """True if a parameter is this very number."""

    def refuse(self, construct: str) -> NoReturn:
        """Say that the operation has no values."""

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor parameter."""

    def dtype(self, name: str) -> DType:
        """The dtype of a tensor parameter."""

    def stored(self, name: str, *, previous: bool = False) -> Array:
        """The elements as they are stored, (lanes, *shape); `previous`: what a result holds before it is written."""

    def marks_of(self, name: str, rows: Array) -> Array:
        """In the pass over marks: those of some rows (1, rows, F), the only ones the operation reads."""

    def numbers(self, name: str, *, exact: bool = False, previous: bool = False) -> Array:
        """The engines' numbers of an operand, (lanes, *shape); `exact`: integers as such."""

    def rows(self, name: str, *, exact: bool = False, stored: bool = False, previous: bool = False) -> Array:
        """An operand as (lanes, P, F)."""

    def constant(self, name: str, rank: int) -> Array:
        """A numeric parameter as an array of `rank` axes that broadcasts."""

    def fill(self, name: str, like: Array) -> Array:
        """A numeric parameter that a select puts where it leaves out elements of `like`."""

    def column(self, name: str, *, exact: bool = False) -> Array | None:
        """A scalar operand: (lanes, P, 1) from a tile, or a constant; None where it is not given."""

    def required_column(self, name: str) -> Array:
        """As `column`, for one that is always given."""

    def aligned(self, name: str, rank: int, *, exact: bool = False) -> Array:
        """An operand with axes of extent 1 put between the lanes and its own, up to `rank` axes."""

    def entered(self, integers: Array) -> Array:
        """Integers (P, F) as numbers (lanes, P, F)."""

    def counted(self, name: str, count: int) -> Array:
        """This many integers from a parameter on, as numbers (lanes, 1, F)."""

    def affine(self, name: str) -> Array:
        """offset + partition * channel_multiplier + pattern, as integers (P, F) of 32 bits for a tensor parameter."""

    def where_affine(self, comparison: str, x: Array, y: Array) -> Array:
        """x (lanes, P, F) where the affine pattern compares to 0, else y."""

    def actual(self, name: str, data: Array) -> Array:
        """The numbers of an operand, in the pass over marks as well; `data` are what that pass works on."""

    def indices(self, name: str, *, previous: bool = False) -> Array:
        """An operand as integers (P, F), in both passes."""

    def gathered(self, name: str, by: str, *, stored: bool = False) -> Array:
        """Elements (lanes, P, F) of an operand, each of its partition and from where an index of another one says."""

    def check_places(self, name: str, places: Array, limit: int) -> None:
        """Raise where an index is outside what it indexes."""

    def integers_on_gpsimd(self, *names: str) -> bool:
        """True if 32-bit integers are computed exactly: all operands are such, none in PSUM, Vector not asked for."""

    def axes(self, name: str, operand: str) -> tuple[int, ...]:
        """The axes a parameter names, counted from 0 in the operand's shape."""

    def gathered_axes(self, name: str, axes: tuple[int, ...], *, exact: bool = False) -> Array:
        """An operand with these axes put last, as one."""

    def whole_lines(self, name: str, axes: tuple[int, ...]) -> None:
        """Refuse a mask that leaves out some of what these axes of an operand have together."""

    def first_of_rows(self, name: str) -> None:
        """Refuse a mask that leaves out, in a row of an operand, an element before one that it leaves."""

    def scattered_axes(self, values: Array, name: str, axes: tuple[int, ...]) -> Array:
        """The inverse of `gathered_axes`, for values of the same extents."""

    def reduced(self, name: str, op: str, axes: tuple[int, ...], *, exact: bool = False) -> Array:
        """An operand reduced over axes, which become one of extent 1 at the end."""

    def accumulate(
        self,
        engine: str,
        values: Array,
        *,
        operator: str | None = None,
        negate: bool = False,
        undefined: Array | None = None,
    ) -> None:
        """Do what `reduce_cmd` says with the accumulators of an engine; they go to `reduce_res` if it is given."""

    def cumulative_start(self, like: Array) -> Array | None:
        """The value that a cumulative operation starts from; None where that is the first element."""

    def keep(self, engine: str, value: Array, undefined: Array | None = None) -> None:
        """Leave (lanes, P, 1) in the accumulators of an engine; where `undefined` holds it is."""

    def write(
        self,
        name: str,
        values: Array,
        *,
        stored: bool = False,
        bits: bool = False,
        broadcast: bool = False,
        undefined: Array | None = None,
        because: str = "",
    ) -> None:
        """Store numbers, or `stored` elements, or the low `bits` of integers, as the result of this name: the same
        elements in row-major order, or `broadcast` to its shape. Where `undefined` holds they are marked, `because` of
        what."""

    def start_reduction(self, operator: str) -> None:
        """The result is to be joined, by an operator, to what it will be assigned to."""

    def drawn_bits(self, name: str) -> Array:
        """Random elements for a result of an integer dtype; refused where the run draws none."""

    def drawn(self, shape: tuple[int, ...], dtype: DType) -> Array:
        """Random numbers (lanes, *shape) from 0 on, below 1, as fine as the dtype has them just below 1; refused where
        the run draws none."""

    def set_generator(self, name: str) -> None:
        """Let the random numbers that follow be those of the state that a parameter holds."""

    def generator_state(self, name: str) -> Array:
        """The state that random numbers go on from, as elements of a result."""

    def seed(self, name: str) -> None:
        """Let the random numbers that follow be those of the number that a parameter gives."""

    def skipped(self, name: str) -> Array | None:
        """Where an operand that an index moves is out of bounds, and not read; None where it is nowhere."""

    def distinct(self, name: str) -> None:
        """Refuse indices that name an element of a result twice."""

    def joined(self, reduction: str, name: str, value: Array) -> Array:
        """A value joined by an operator to what a result holds; the value itself where nothing is written there."""

    def running_reduction(self, name: str) -> str | None:
        """The operator that joins an operand to what it is assigned to, if one does."""

    def set_register(self, name: str, number: int) -> None:
        """Let a register parameter hold a number."""

    def register_or_number(self, name: str) -> int | None:
        """The number a register parameter holds, or the constant in its place; None where it is not given."""

    def write_integers(self, name: str, values: Array) -> None:
        """Store integers known in this run; where an operand is undefined, so is the row."""

    def write_rows(self, name: str, values: Array, *, undefined_from: Sequence[str]) -> None:
        """Store numbers; where a row of these operands is undefined anywhere, the whole row of the result is."""

    def choose(self, name: str, condition_name: str, condition: Array, x: Array, y: Array) -> Array:
        """Store x where the condition is not 0, else y; what is not chosen need not be defined. Returns it."""

    def accumulate_product(self, product: Array) -> None:
        """Add a product to what its destination has accumulated, as `accumulate` says ("nc_matmul.accum_none")."""


Meaning = Callable[[Step], None]
