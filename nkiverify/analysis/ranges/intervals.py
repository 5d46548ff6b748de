"""Numbers as intervals: every element is bounded by two float64, with what relations say besides them.

An array of numbers has four lanes: the least and the greatest finite number, whether it may be an infinity besides, and
its id (`relations`). There is no finite number where the least is greater than the greatest. Where an operation may go
wrong it is reported once, and its result is anything at all: NaN for both ends. Errs to too many numbers.

The engines compute in float32 and round when they store ("isa.fp32_internal"); results below the least normal number
may be 0. Sums are taken in any order.
"""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.ranges.interval_operators import IntervalOperators
from nkiverify.analysis.ranges.range_arithmetic import EMPTY, MINUS, PLUS, Parts, made, stacked
from nkiverify.analysis.ranges.range_findings import INTEGER, OVERFLOW
from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DTYPES, DType, DTypeKind, float32
from nkiverify.model.known_numbers import whole_range

CODES = {dtype: number for number, dtype in enumerate(DTYPES.values(), 1)}


class Intervals(IntervalOperators):
    """Intervals of numbers: how they are stored, and converted."""

    def returned(self, numbers: Array) -> None:
        """The kernel returns these numbers, or may."""

    # --- storage ------------------------------------------------------------------------------------------------------

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((self.lanes, elements))

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        _check_dtype(owner, dtype)
        steps = (buffer.strides[0], *(stride * 8 for stride in strides))
        found: Array = np.ndarray((self.lanes, *shape), np.float64, buffer, offset * 8, steps)
        return found

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        _check_dtype(owner, dtype)
        return buffer

    def entered(self, values: Array, dtype: DType) -> Array:
        if values.dtype.kind == "O":
            raise UnsupportedConstruct(f"an array of {values.dtype}")
        numbers = values.astype(np.float64)
        return self.convert(made(numbers, numbers), dtype)

    def arguments(self, shape: tuple[int, ...], dtype: DType, low: float, high: float) -> Array:
        """Stored elements of an argument: any number of the dtype from `low` to `high`, both of which it has."""
        ids = self.relations.fresh(int(np.prod(shape))).reshape(shape)
        self.relations.set_dtype(ids, CODES[dtype])
        return stacked(Parts(np.full(shape, low), np.full(shape, high), np.zeros(shape, np.int8), ids))

    def read(self, stored: Array, dtype: DType) -> Array:
        if dtype.is_packed:
            raise UnsupportedConstruct(f"ranges of {dtype} elements")
        if not dtype.is_integer or dtype.itemsize < 4:
            return stored
        part = Parts.of(stored)
        large = (np.abs(part.low) > 2**24) | (np.abs(part.high) > 2**24)
        rounded = Parts(np.float32(part.low), np.float32(part.high), part.flags, np.where(large, 0, part.ids))
        return stacked(rounded)

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        part, bits = Parts.of(integers), 2.0 ** (8 * dtype.itemsize)
        low = np.where(part.low >= 0, part.low, np.where(part.high < 0, part.low + bits, 0.0))
        high = np.where(part.low >= 0, part.high, np.where(part.high < 0, part.high + bits, bits - 1))
        return made(low, high)

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        part, whole = Parts.of(integers), whole_range(dtype)
        assert whole is not None
        inside = (part.low >= float(whole.low)) & (part.high <= float(whole.high))
        low, high = np.where(inside, part.low, float(whole.low)), np.where(inside, part.high, float(whole.high))
        return stacked(Parts(low, high, np.zeros_like(part.flags), self.relations.named(np.zeros_like(part.ids))))

    def single(self, integers: Array) -> Array:
        return self.read(integers, DTYPES["int32"])

    def convert(self, numbers: Array, dtype: DType) -> Array:
        part = Parts.of(numbers)
        self.findings.lost |= bool(self.findings.counted(np.isnan(part.low)).any())
        if dtype.is_packed or dtype.kind is DTypeKind.SCALE:
            if not part.low.any() and not part.high.any():
                return numbers
            raise UnsupportedConstruct(f"ranges of {dtype} elements")
        if dtype.kind is DTypeKind.BOOL:
            return stacked(part.truths())
        return self._to_integer(part, dtype) if dtype.is_integer else self._to_float(part, dtype)

    def _to_integer(self, part: Parts, dtype: DType) -> Array:
        whole = whole_range(dtype)
        assert whole is not None
        low, high = np.floor(part.low), np.ceil(part.high)
        beyond = (low < float(whole.low)) | (high > float(whole.high)) | (part.flags > 0)
        beyond &= ~part.empty | (part.flags > 0)
        if not self.findings.fills:
            self.tell(INTEGER, f"conversion to {dtype}", beyond, part)
        changed = Parts(low, high, np.zeros_like(part.flags), self.relations.named(np.zeros_like(part.ids)))
        return stacked(changed.poisoned(beyond))

    def _to_float(self, part: Parts, dtype: DType) -> Array:
        # A finite part that there is not stays so.
        empty = part.empty
        low, high = (np.where(empty, 0.0, end) for end in (part.low, part.high))
        with np.errstate(all="ignore"):
            ends = [number_formats.stored(end.astype(np.float32), dtype).astype(np.float64) for end in (low, high)]
        beyond = ~np.isfinite(ends[0]) | ~np.isfinite(ends[1])
        beyond &= ~(np.isnan(low) | np.isnan(high))
        flags = part.flags
        smallest = number_formats.smallest_normal(dtype)
        least = np.where((ends[0] > 0) & (ends[0] < smallest), 0.0, ends[0])
        most = np.where((ends[1] < 0) & (ends[1] > -smallest), 0.0, ends[1])
        nowhere = np.zeros(flags.shape, dtype=bool)
        if number_formats.stored(np.array([np.inf], np.float32), dtype)[0] != np.inf:
            nowhere = flags > 0
        if self.findings.fills and not nowhere.any():
            # A constant is what its dtype makes of it, and meant.
            gone = beyond & np.isinf(ends[0]) & (ends[0] == ends[1])
            flags = np.where(gone, np.where(ends[0] > 0, PLUS, MINUS), flags)
            empty, beyond = empty | gone, beyond & ~gone
        self.tell(OVERFLOW, f"conversion to {dtype}", beyond | nowhere, part)
        self._note_ends(part)
        ids = self._converted_ids(part.ids, dtype)
        changed = Parts(np.where(empty, EMPTY[0], least), np.where(empty, EMPTY[1], most), flags, ids)
        return stacked(changed.poisoned(beyond | nowhere))

    def _converted_ids(self, ids: Array, dtype: DType) -> Array:
        relations = self.relations
        if dtype == float32:
            return relations.named(ids)
        kept = relations.is_of(ids, CODES[dtype])
        others = np.where(kept, 0, ids)

        def rounded(number: float) -> float:
            return float(number_formats.stored(np.array([number], np.float32), dtype)[0])

        found = relations.named(np.where(kept, ids, relations.odd(("to", dtype), others, rounded)))
        relations.set_dtype(found, CODES[dtype])
        return found

    def constant(self, value: float, rank: int) -> Array:
        if value != value:
            raise UnsupportedConstruct("NaN as a constant")
        # Integers that float32 has not are computed exactly where they are given.
        exact = isinstance(value, int) and abs(value) >= 2**24
        with np.errstate(over="ignore"):
            number = np.full((1,) * (rank - 1), float(value) if exact else float(np.float32(value)))
        return made(number, number)

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        self.findings.fill(value)
        return self.constant(value, like.ndim)

    def integers(self, stored: Array, dtype: DType) -> Array:
        part = Parts.of(stored)
        if not (part.low == part.high).all():
            raise UnsupportedConstruct("indices that depend on an argument, in a run of ranges")
        return part.low.astype(np.int64)

    def index_ends(self, stored: Array, dtype: DType) -> tuple[Array, Array]:
        part = Parts.of(stored)
        if part.flags.any() or not (part.low <= part.high).all():
            raise UnsupportedConstruct("indices without a range")
        return np.floor(part.low).astype(np.int64), np.ceil(part.high).astype(np.int64)

    def around(self, x: Array) -> Array:
        part = Parts.of(x)
        low, high = part.low.min(axis=-1, keepdims=True), part.high.max(axis=-1, keepdims=True)
        flags = np.bitwise_or.reduce(part.flags, axis=-1, keepdims=True)
        return stacked(Parts(low, high, flags, np.zeros(low.shape, dtype=np.int32)))

    def wants(self, name: str) -> None:
        raise UnsupportedConstruct(f"ranges of {name}")


def _check_dtype(owner: DType, dtype: DType) -> None:
    if owner != dtype:
        raise UnsupportedConstruct(f"the bits of {owner} elements seen as {dtype}, in a run of ranges")
