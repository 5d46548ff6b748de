"""Elements whose numbers are watched: of a kernel on ranges, and in the simulator on inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.range_findings import DIVISION, INTEGER, INVALID, OVERFLOW, RangeFindings
from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements, ValueAllocation
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site, kernel_site
from nkiverify.frontend.concrete import TOO_LONG
from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.model.known_numbers import whole_range
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Storage, Tensor

#: The stored elements (lanes, *shape) of an argument of the kernel.
Fill = Callable[[Storage], Array]

if TYPE_CHECKING:
    from nkiverify.model.operation import Operation


@dataclass(frozen=True, slots=True)
class RangeLimits:
    """The seconds of this process that a run may take, and the elements that it may write."""

    seconds: float
    elements: int


class WatchedElements(ComputedElements):
    """Elements that are computed on numbers which tell `findings` what goes wrong with them, at most this many."""

    def __init__(self, numbers: Numbers, findings: RangeFindings, most: int) -> None:
        super().__init__(numbers)
        self.findings = findings
        self._most = most
        #: Elements that were written, and the lines that did.
        self.work = 0
        self.lines: set[Site | None] = set()
        #: Operations that are not followed, and why, in order.
        self.unfollowed: list[tuple[str, Site | None]] = []
        #: What arguments of the kernel hold.
        self.fill: Fill | None = None
        #: The elements of what the kernel returned, where they are kept.
        self.results: list[Array] | None = None
        #: Who wants to hear of each operation once it has been computed.
        self.wrote: Callable[[Operation, Site | None], None] | None = None

    def executed(self, operation: Operation) -> None:
        """Compute an operation; what is not followed may be anything."""
        findings = self.findings
        findings.operation, findings.site = operation.name, kernel_site(2)
        findings.fills = not operation.reads
        findings.left = ()
        self.lines.add(findings.site)
        self.work += sum(int(np.prod(view.shape)) for view in operation.writes.values())
        if self.work > self._most or self.run.overdue:
            raise self.unsupported(TOO_LONG)
        try:
            if operation.mask is not None:
                regions = self._regions(operation)
                valid = (regions[name].valid for name in operation.writes)
                findings.left = tuple(each for each in valid if each is not None)
            super().executed(operation)
        except UnsupportedConstruct as limit:
            if not isinstance(self.numbers, Intervals) or operation.declared.behaviour.decides:
                raise
            self.unfollowed.append((limit.construct, findings.site))
            self._forget(operation)
        if self.wrote is not None:
            self.wrote(operation, findings.site)

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """Keep what the kernel returned."""
        super().returned(*programs, by_parameter=by_parameter)
        parts = programs[0] if programs else ()
        for part in parts if self.results is not None or isinstance(self.numbers, Intervals) else ():
            numbers = storage.read(self.numbers, self.cells(part), self._plain(part))
            if self.results is not None:
                self.results.append(numbers)
            if isinstance(self.numbers, Intervals):
                self.numbers.returned(numbers)

    def cells(self, tensor: Tensor) -> Cells:
        """The contents of the storage a tensor is a view of; arguments are filled when they are first asked for."""
        made = tensor.storage
        if isinstance(made.identity, ValueAllocation) or made.identity in self.arguments or self.fill is None:
            return super().cells(tensor)
        cells = Cells(self.numbers, int(made.size), made.dtype, written=True)
        elements = self.fill(made).reshape(self.numbers.lanes, -1)
        self.numbers.flat(cells.buffer, made.dtype, made.dtype)[...] = elements
        self.arguments[made.identity] = cells
        return cells

    def written(self, operation: Operation) -> Iterator[tuple[str, Tensor, Array]]:
        """Each result of an operation that has been computed: its parameter, the tensor, a copy of its elements."""
        for name, view in operation.writes.items():
            where = self._plain(view) if view.indirect_by is None else self._indirect(operation, view)
            yield name, view, np.array(storage.read(self.numbers, self.cells(view), where))

    def _forget(self, operation: Operation) -> None:
        """Say that what an operation writes may be anything."""
        for view in operation.writes.values():
            where = self._plain(view) if view.indirect_by is None else self._indirect(operation, view)
            cells = self.cells(view)
            anything = np.zeros((self.numbers.lanes, *where.shape))
            anything[:2] = np.nan
            storage.write(self.numbers, cells, where, anything)
            storage.write_marks(cells, where, None)
        for engine in ("scalar", "vector"):
            registers = self.accumulators(engine)
            registers.values[:2] = np.nan


class WatchedFloats(Floats):
    """The simulator's arithmetic; where numbers that are finite give one that is not, or none, that is reported."""

    def __init__(self, findings: RangeFindings) -> None:
        super().__init__()
        self.findings = findings

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        self.findings.fill(value)
        return self.constant(value, like.ndim)

    def unary(self, name: str, x: Array) -> Array:
        result = super().unary(name, x)
        if result.dtype.kind == "f" and name not in ("copy", "negative", "abs"):
            contract = {"reciprocal": DIVISION, "log": INVALID, "rsqrt": INVALID, "sqrt": INVALID}.get(name, OVERFLOW)
            if name == "reciprocal":
                # One of a number that is not 0 is too great, not undefined.
                self._look(OVERFLOW, name, np.where(x == 0, 0, result), x)
            self._look(contract, name, result, x)
        return result

    def binary(self, name: str, x: Array, y: Array) -> Array:
        result = super().binary(name, x, y)
        if result.dtype.kind == "f":
            if name in ("divide", "power"):
                zero = np.broadcast_to(y == 0 if name == "divide" else (x == 0) & (y < 0), result.shape)
                self._look(DIVISION, name, np.where(zero, result, 0), x, y)
                result_elsewhere = np.where(zero, 0, result)
                self._look(OVERFLOW, name, result_elsewhere, x, y)
            else:
                self._look(OVERFLOW, name, result, x, y)
        return result

    def reduce(self, name: str, x: Array) -> Array:
        result = super().reduce(name, x)
        if result.dtype.kind == "f":
            least, most = x.min(axis=-1, keepdims=True), x.max(axis=-1, keepdims=True)
            self._look(OVERFLOW, "sum" if name == "add" else name, result, least, most)
        return result

    def matmul(self, x: Array, y: Array) -> Array:
        result = super().matmul(x, y)
        rows = np.broadcast_to(np.abs(x).max(axis=1)[:, :, None], result.shape)
        self._look(OVERFLOW, "matmul", result, rows, np.abs(y).max(axis=1)[:, None, :])
        return result

    def convert(self, numbers: Array, dtype: DType) -> Array:
        result = super().convert(numbers, dtype)
        if numbers.dtype.kind == "f" and dtype.is_float and not self.findings.fills:
            self._look(OVERFLOW, f"conversion to {dtype}", result.astype(np.float32), numbers)
        elif dtype.kind in (DTypeKind.SIGNED, DTypeKind.UNSIGNED) and not self.findings.fills:
            whole = whole_range(dtype)
            assert whole is not None
            with np.errstate(invalid="ignore"):
                beyond = (np.rint(numbers) < float(whole.low)) | (np.rint(numbers) > float(whole.high))
            self._tell(INTEGER, f"conversion to {dtype}", np.asarray(beyond & np.isfinite(numbers)), numbers)
        return result

    def _look(self, contract: str, name: str, result: Array, *operands: Array) -> None:
        finite = np.isfinite(result)
        if finite.all():
            return
        given = [np.isfinite(operand) for operand in operands]
        ends = ~finite & np.logical_and.reduce(np.broadcast_arrays(*given))
        self._tell(
            INVALID if contract == OVERFLOW and np.isnan(result[ends]).any() else contract, name, ends, *operands
        )
        if self.findings.found:
            # What infinities lead to that were reported is not reported besides.
            return
        # Of infinities that are meant, where none of them was NaN.
        undefined = np.isnan(result) & ~ends
        for operand in operands:
            undefined &= ~np.isnan(operand)
        self._tell(INVALID, name, undefined, *operands)

    def _tell(self, contract: str, name: str, where: Array, *operands: Array) -> None:
        if where.any():

            def shown(at: tuple[int, ...]) -> str:
                place = (0, *at)
                return " and ".join(f"{np.broadcast_to(one, where.shape)[place]:.9g}" for one in operands)

            self.findings.tell(contract, name, where[0], shown)


def first_lines(unfollowed: Sequence[tuple[str, Site | None]]) -> str:
    """The first of the operations that are not followed, as text."""
    construct, site = unfollowed[0]
    return construct if site is None else f"{construct} at {site}"
