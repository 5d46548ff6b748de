"""One operation being computed: its operands as arrays, its results stored.

An operation is computed up to twice by the same meaning: once on the marks of its operands, if one of them has elements
that are not defined (`tracking`), and once on the numbers. Arrays have the lanes in front: (lanes, P, F) for rows, with
all free axes as one, or (lanes, *shape).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import UNWRITTEN
from nkiverify.analysis.values.number_formats import STORED, Array, unit_roundoff
from nkiverify.analysis.values.operand_numbers import Operands, python_number
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.model.promotion import promoted
from nkiverify.model.register_contents import VirtualRegister

if TYPE_CHECKING:
    from nkiverify.model.operation import Operation

#: Without effect in a reduction, by its operator; for maxima the least finite float32 counts as that in any arithmetic.
_NEUTRAL = {"add": 0.0, "multiply": 1.0, "maximum": -3.4028234663852886e38, "minimum": 3.4028234663852886e38}
#: Why what a reduction gives is undefined where it begins with what registers hold.
_NOTHING_TO_GO_ON_WITH = "a reduction that goes on with registers that nothing has set (acc.reduce_needs_init)"


class OperationOnNumbers(Operands):
    """An operation in progress: its operands, what reduces them, and its results."""

    __slots__ = ()

    # --- reductions ---------------------------------------------------------------------------------------------------

    def axes(self, name: str, operand: str) -> tuple[int, ...]:
        """The axes a parameter names, counted from 0 in the operand's shape."""
        rank = len(self.shape(operand))
        given = self.attribute(name)
        numbers = tuple(given) if isinstance(given, Sequence | frozenset | set) else (given,)
        return tuple(sorted(int(axis) % rank for axis in numbers))

    def gathered_axes(self, name: str, axes: tuple[int, ...], *, exact: bool = False) -> Array:
        """An operand with these axes put last, as one."""
        found = self.numbers(name, exact=exact)
        kept = [axis for axis in range(found.ndim - 1) if axis not in axes]
        moved = found.transpose(0, *(axis + 1 for axis in (*kept, *axes)))
        return moved.reshape(*moved.shape[: 1 + len(kept)], -1)

    def whole_lines(self, name: str, axes: tuple[int, ...]) -> None:
        """Refuse a mask that leaves out some of what these axes of an operand have together."""
        valid = self._regions[name].valid
        if valid is not None and (valid != valid.any(axis=axes, keepdims=True)).any():
            raise UnsupportedConstruct(f"the values of {self.name} under a mask that leaves out a part of its axes")

    def first_of_rows(self, name: str) -> None:
        """Refuse a mask that leaves out, in a row of an operand, an element before one that it leaves."""
        valid = self._regions[name].valid
        if valid is not None:
            rows = valid.reshape(valid.shape[0], -1)
            if (rows[:, 1:] > rows[:, :-1]).any():
                raise UnsupportedConstruct(f"the values of {self.name} under a mask that leaves out earlier elements")

    def scattered_axes(self, values: Array, name: str, axes: tuple[int, ...]) -> Array:
        """The inverse of `gathered_axes`, for values of the same extents."""
        shape = self.shape(name)
        kept = [axis for axis in range(len(shape)) if axis not in axes]
        order = (*kept, *axes)
        split = values.reshape(values.shape[0], *(shape[axis] for axis in order))
        back = [0] * len(shape)
        for position, axis in enumerate(order):
            back[axis] = position
        return split.transpose(0, *(axis + 1 for axis in back))

    def reduced(self, name: str, op: str, axes: tuple[int, ...], *, exact: bool = False) -> Array:
        """An operand reduced over axes, which become one of extent 1 at the end."""
        lines = self.gathered_axes(name, axes, exact=exact)
        valid = self._regions[name].valid
        if valid is not None and not self.tracking:
            if op not in _NEUTRAL:
                raise UnsupportedConstruct(f"a masked reduction with {op}")
            kept = [axis for axis in range(valid.ndim) if axis not in axes]
            holds = valid.transpose((*kept, *axes)).reshape(lines.shape[1:])
            lines = np.where(holds, lines, self.n.constant(_NEUTRAL[op], lines.ndim))
        return self.n.reduce(op, lines)

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
        op = self.optional_operator("reduce_op")
        name = operator if op is None else op.name
        # Instructions without that parameter begin again.
        implied = "idle" if "reduce_cmd" in self._operation.attributes else "reset_reduce"
        command = str(getattr(self.attribute("reduce_cmd"), "name", implied))
        wanted = self.writes("reduce_res")
        if command == "idle" and self._operation.declared.behaviour.clobbers_when_idle:
            self._elements.accumulators(engine).marks[:, : values.shape[1]] = UNWRITTEN
        if name is None or (command == "idle" and not wanted):
            return
        if command == "idle":
            raise UnsupportedConstruct(
                f"reduce_res of {self.name} with reduce_cmd.idle: what it holds is not documented"
            )
        if command == "reset":
            total = np.broadcast_to(self.n.constant(_NEUTRAL.get(name, 0.0), 3), (values.shape[0], values.shape[1], 1))
        else:
            total = self.n.reduce(name, values)
            if command == "load_reduce":
                total = self.n.binary(name, self.required_column("reduce_init"), total)
            elif command == "reduce":
                total = self.n.binary(name, self._held(engine, values.shape[1]), total)
        bad = None if undefined is None else np.asarray(undefined.any(axis=-1, keepdims=True))
        self.keep(engine, total, undefined=bad)
        if wanted:
            result = self.n.unary("negative", total) if negate else total
            self.write("reduce_res", result, undefined=bad, because=f"{self.name} outside its documented range")

    def cumulative_start(self, like: Array) -> Array | None:
        """The value that a cumulative operation starts from; None where that is the first element."""
        command = str(getattr(self.attribute("reduce_cmd"), "name", "reset_reduce"))
        if command == "load_reduce":
            return np.broadcast_to(self.required_column("imm1"), like.shape)
        if command == "reduce":
            return self._held("vector", like.shape[1])
        return None

    def _held(self, engine: str, partitions: int) -> Array:
        """The contents of the accumulators of an engine for the first partitions; undefined before a reset."""
        registers = self._elements.accumulators(engine)
        if not self.tracking:
            return registers.values[:, :partitions]
        marks = registers.marks[:, :partitions]
        if (marks == UNWRITTEN).any():
            mark = self._elements.undefined_value(self._operation, _NOTHING_TO_GO_ON_WITH)
            marks = np.where(marks == UNWRITTEN, mark, marks)
        return marks

    def keep(self, engine: str, value: Array, undefined: Array | None = None) -> None:
        """Leave (lanes, P, 1) in the accumulators of an engine; where `undefined` holds it is."""
        registers = self._elements.accumulators(engine)
        partitions = value.shape[1]
        if self.tracking:
            registers.marks[:, :partitions] = value
            return
        registers.set(value)
        if not self._marked:
            registers.marks[:, :partitions] = 0
        if undefined is not None and undefined.any():
            mark = self._elements.undefined_value(
                self._operation, f"{self.name} outside its documented range", shown=True
            )
            registers.marks[:, :partitions] = np.where(undefined[:1], mark, registers.marks[:, :partitions])

    # --- results ------------------------------------------------------------------------------------------------------

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
        name = self._target(name)
        where = self._regions[name]
        cells = self._elements.cells(self._operation.writes[name])
        if not broadcast:
            values = values.reshape(values.shape[0], *where.shape)
        if self.tracking:
            storage.write_marks(cells, where, np.broadcast_to(values, (1, *where.shape)))
            return
        if stored:
            elements = values
        elif bits and where.dtype.is_integer:
            elements = self.n.low_bits(values, where.dtype)
        else:
            elements = self._converted(values, where.dtype)
        storage.write(self.n, cells, where, elements)
        if undefined is not None:
            # Nothing says what the polynomial of the sine gives beyond its range; other functions go on as they are.
            shown = not because.startswith("sin ")
            mark = self._elements.undefined_value(self._operation, because, shown=shown)
            bad = np.broadcast_to(undefined, values.shape) if broadcast else undefined.reshape(values.shape)
            current = storage.read_marks(cells, where) if self._marked else None
            poisoned = np.where(bad, np.uint32(mark), 0 if current is None else current)
            storage.write_marks(cells, where, poisoned[:1])
        elif not self._marked:
            storage.write_marks(cells, where, None)

    def _converted(self, values: Array, dtype: DType) -> Array:
        if dtype.is_integer and not self._moves_into(dtype):
            values = self.n.rounded(values, dtype)
        elif self._exact and not dtype.is_integer:
            values = self.n.single(values)
        return self.n.convert(values, dtype)

    def _moves_into(self, dtype: DType) -> bool:
        """True if the operation only moves integers that an integer dtype holds."""
        sources = [self.dtype(name) for name in self.read_names if name != "dst"]
        moves = self._operation.declared.behaviour.moves
        return moves and all(source.is_integer and promoted(source, dtype) == dtype for source in sources)

    def drawn_bits(self, name: str) -> Array:
        """Random elements for a result of an integer dtype; refused where the run draws none."""
        random, shape, dtype = self._random(), self.shape(name), self.dtype(name)
        if self.tracking:
            return np.zeros((1, *shape), dtype=np.uint32)
        bits = random.integers(0, 2 ** (8 * dtype.itemsize), (1, *shape), dtype=np.uint64)
        return bits.astype(f"uint{8 * dtype.itemsize}").view(STORED[dtype])

    def drawn(self, shape: tuple[int, ...], dtype: DType) -> Array:
        """Random numbers (lanes, *shape) from 0 on, below 1, as fine as the dtype has them just below 1; refused where
        the run draws none."""
        random, finest = self._random(), unit_roundoff(dtype)
        if not finest:
            self.refuse(f"the values of {self.name}: random numbers below 1 of {dtype}")
        if self.tracking:
            return np.zeros((1, *shape), dtype=np.uint32)
        return random.integers(0, round(1 / finest), (1, *shape)).astype(np.float32) * np.float32(finest)

    def seed(self, name: str) -> None:
        """Let the random numbers that follow be those of the number that a parameter gives."""
        self._random()
        number = int(self.indices(name).ravel()[0]) if self.has(name) else int(python_number(self.attribute(name)))
        if not self.tracking:
            self._elements.random = np.random.default_rng(number % 2**32)

    def set_generator(self, name: str) -> None:
        """Let the random numbers that follow be those of the state that a parameter holds."""
        self._random()
        state = self.stored(name)[0]
        if not self.tracking:
            self._elements.random = self._elements.generators.restored(state)

    def generator_state(self, name: str) -> Array:
        """The state that random numbers go on from, as elements of a result."""
        random, shape = self._random(), self.shape(name)
        return (np.zeros(shape, np.uint32) if self.tracking else self._elements.generators.of(random, shape))[None]

    def _random(self) -> np.random.Generator:
        random = self._elements.random
        if random is None:
            self.refuse(f"the values of {self.name}: which random numbers come is not documented")
        return random

    def start_reduction(self, operator: str) -> None:
        """The result is to be joined, by an operator, to what it will be assigned to."""
        self._elements.start_reduction(self._operation.writes[self.only_write], operator)

    def joined(self, reduction: str, name: str, value: Array) -> Array:
        """A value joined by an operator to what a result holds; the value itself where nothing is written there."""
        previous = self.numbers(name, previous=True)
        cells = self._elements.cells(self._operation.writes[self._target(name)])
        if self.tracking:
            # The pass over numbers comes after this one, which writes the marks.
            cells.fresh = previous == UNWRITTEN
            return np.where(cells.fresh, value, self.n.binary(reduction, previous, value))
        fresh, cells.fresh = cells.fresh, None
        result = self.n.binary(reduction, previous, value)
        return result if fresh is None else np.where(fresh, value, result)

    def running_reduction(self, name: str) -> str | None:
        """The operator that joins an operand to what it is assigned to, if one does."""
        return self._elements.running_reduction(self._operation.reads[name])

    def skipped(self, name: str) -> Array | None:
        """Where an operand that an index moves is out of bounds, and not read; None where it is nowhere."""
        valid = self._regions[name].valid
        moved = self._operation.reads[name].indirect_by is not None
        return None if not moved or valid is None or valid.all() else ~valid

    def distinct(self, name: str) -> None:
        """Refuse indices that name an element of a result twice."""
        where = self._regions[name]
        if where.positions is not None:
            named = where.positions if where.valid is None else where.positions[where.valid]
            if np.unique(named).size < named.size:
                self.refuse(f"{self.name} of indices that name a row twice: which addition counts is not documented")

    def set_register(self, name: str, number: int) -> None:
        """Let a register parameter hold a number."""
        register = self.attribute("result" if self.attribute(name) is None else name)
        assert isinstance(register, VirtualRegister)
        if not register.keeps:
            self._elements.set_register(register, number)

    def register_or_number(self, name: str) -> int | None:
        """The number a register parameter holds, or the constant in its place; None where it is not given."""
        given = self.attribute(name)
        if isinstance(given, VirtualRegister):
            return self._elements.register_number(given)
        return None if given is None else int(python_number(given))

    def write_integers(self, name: str, values: Array) -> None:
        """Store integers known in this run; where an operand is undefined, so is the row."""
        if not self.tracking:
            self.write(name, self.n.entered(values, self.dtype(name)), stored=True)
            return
        shape = self.shape(name)
        worst = np.zeros((1, shape[0], 1), dtype=np.uint32)
        for read in self.read_names:
            rows = self.rows(read).max(axis=2, keepdims=True)
            worst = np.maximum(worst, rows if rows.shape[1] == shape[0] else rows.max())
        size = int(np.prod(shape[1:]))
        self.write(name, np.broadcast_to(worst, (1, shape[0], size)), stored=True)

    def write_rows(self, name: str, values: Array, *, undefined_from: Sequence[str]) -> None:
        """Store numbers; where a row of these operands is undefined anywhere, the whole row of the result is."""
        if not self.tracking:
            self.write(name, values)
            return
        worst = np.max([self.rows(operand).max(axis=2, keepdims=True) for operand in undefined_from], axis=0)
        self.write(name, np.broadcast_to(worst, (1, values.shape[1], values.shape[2])))

    def choose(self, name: str, condition_name: str, condition: Array, x: Array, y: Array) -> Array:
        """Store x where the condition is not 0, else y; what is not chosen need not be defined. Returns it."""
        if not self.tracking or self._elements.numbers.lanes > 1:
            result = self.n.choose(self.n.nonzero(condition), x, y)
        else:
            view = self._operation.reads[condition_name]
            found = storage.read(self._elements.numbers, self._elements.cells(view), self._regions[condition_name])
            holds = (found != 0).reshape(condition.shape)
            result = np.maximum(condition, np.where(holds, x, y))
        shape = (result.shape[0], *self.shape(self._target(name)))
        if result.size == np.prod(shape):
            self.write(name, result)
        else:
            self.write(name, result, broadcast=True)
        return result

    def accumulate_product(self, product: Array) -> None:
        """Add a product to what its destination has accumulated, as `accumulate` says ("nc_matmul.accum_none")."""
        (name,) = self.written
        accumulate = accumulates(self._operation)
        cells = self._elements.cells(self._operation.writes[name])
        where = self._regions[name]
        grown = cells.has_grown(where)
        if accumulate is False or (accumulate is None and grown is False):
            result = product
        else:
            previous = self.rows(name, previous=True)
            if self.tracking:
                previous = self._noted(name, previous)
            result = self.n.binary("add", previous, product)
            if accumulate is None and not isinstance(grown, bool):
                result = np.where(grown.reshape(product.shape[1:]), result, product)
        self.write(name, result)
        if not self.tracking:
            cells.grow(where)


def accumulates(operation: Operation) -> bool | None:
    """The value of `accumulate` of a product; None where it is not given ("nc_matmul.accum_none")."""
    given = operation.attributes.get("accumulate")
    return None if given is None else bool(given)
