"""Random programs of index arithmetic: every element lies in the interval that is known of it.

Each operation is computed on numbers and on intervals (`tests.values.followed`), which compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from tests.values.followed import FollowedElements, OutsideItsInterval
from tests.values.library import nisa, nki, nl, simulate

ROWS, COLUMNS = 16, 8
DTYPES = (nl.int32, nl.uint32, nl.int16, nl.uint16, nl.uint8, nl.float32, nl.bfloat16, nl.float16)
ARITHMETIC = (nl.add, nl.subtract, nl.multiply, nl.maximum, nl.minimum, nl.equal, nl.less, nl.logical_and, nl.greater)
BITS = (nl.bitwise_and, nl.bitwise_or, nl.bitwise_xor, nl.left_shift, nl.right_shift)
FUNCTIONS = (nl.copy, nl.abs, nl.square, nl.relu, nl.sign)
CONSTANTS = (0, 1, 2, 3, 7, 16, 100, 255, 4096, 65535, 2**20, 2**24 - 1, 2**24 + 1, -1, -5, -1000)
FRACTIONS = (0.5, 1.5, -0.25, 3.75, 1e6 + 0.5)


class Writer:
    """Writes one random program: calls that a contract forbids are left out."""

    def __init__(self, random: np.random.Generator, arguments: list[Any]) -> None:
        self._random = random
        self.tiles = [self._tile(argument.dtype) for argument in arguments]
        for tile, argument in zip(self.tiles, arguments, strict=True):
            nisa.dma_copy(dst=tile, src=argument)
        self.calls = 0

    def one_of(self, choices: Any) -> Any:
        """One of some things."""
        return choices[int(self._random.integers(len(choices)))]

    def _tile(self, dtype: Any = None, shape: tuple[int, ...] = (ROWS, COLUMNS)) -> Any:
        return nl.ndarray(shape, dtype=self.one_of(DTYPES) if dtype is None else dtype, buffer=nl.sbuf)

    def number(self) -> Any:
        """A constant."""
        return self.one_of(CONSTANTS if self._random.integers(4) else FRACTIONS)

    def step(self) -> None:
        """One more operation, or none."""
        writes = self.one_of(STEPS)
        try:
            result = writes(self)
        except (ContractViolation, UnsupportedConstruct, TypeError):
            return
        self.calls += 1
        if result is not None:
            self.tiles.append(result)

    def target(self) -> Any:
        """A tile to write to: a new one, or one there is, or a part of it."""
        kind = int(self._random.integers(4))
        if kind > 1:
            return self._tile()
        tile = self.one_of(self.tiles)
        return tile if kind else tile[0 : ROWS // 2, :]

    def source(self, like: Any) -> Any:
        """A tile to read, of the shape of another."""
        tile = self.one_of(self.tiles)
        return tile[0 : like.shape[0], :]


def _copied(w: Writer) -> Any:
    dst = w.target()
    nisa.tensor_copy(dst=dst, src=w.source(dst))
    return _new(dst)


def _new(dst: Any) -> Any:
    return dst if dst.shape == (ROWS, COLUMNS) else None


def _scalar(w: Writer) -> Any:
    dst, ops = w.target(), BITS if w.one_of((0, 0, 1)) else ARITHMETIC
    second = w.one_of((None, w.one_of(ops)))
    amount = (1, 2, 5, 31) if ops is BITS else None
    nisa.tensor_scalar(
        dst=dst,
        data=w.source(dst),
        op0=w.one_of(ops),
        operand0=w.one_of(amount) if amount else w.number(),
        reverse0=bool(w.one_of((0, 0, 1))),
        op1=second,
        operand1=None if second is None else w.one_of(amount) if amount else w.number(),
    )
    return _new(dst)


def _column(w: Writer) -> Any:
    dst, column = w.target(), w._tile(nl.float32, (ROWS, 1))
    nisa.tensor_copy(dst=column, src=w.one_of(w.tiles)[:, 0:1])
    nisa.tensor_scalar(dst=dst, data=w.source(dst), op0=w.one_of(ARITHMETIC), operand0=column[0 : dst.shape[0], :])
    return _new(dst)


def _tensors(w: Writer) -> Any:
    dst = w.target()
    nisa.tensor_tensor(dst=dst, data1=w.source(dst), data2=w.source(dst), op=w.one_of(ARITHMETIC + BITS))
    return _new(dst)


def _activated(w: Writer) -> Any:
    dst = w.target()
    nisa.activation(dst=dst, op=w.one_of(FUNCTIONS), data=w.source(dst), scale=w.one_of((1.0, 2.0, 0.5, -3.0)))
    return _new(dst)


def _counted(w: Writer) -> Any:
    dst = w.target()
    nisa.iota(dst, [[w.one_of((1, -3, 40)), COLUMNS]], w.one_of((0, 5, -9)), w.one_of((0, 8, -1)))
    return _new(dst)


def _filled(w: Writer) -> Any:
    dst = w.target()
    nisa.memset(dst=dst, value=w.number())
    return _new(dst)


def _predicated(w: Writer) -> Any:
    dst, test = w.one_of(w.tiles), w._tile(nl.uint8)
    nisa.tensor_scalar(dst=test, data=w.one_of(w.tiles), op0=nl.greater, operand0=w.number())
    nisa.tensor_copy_predicated(dst=dst, src=w.one_of((w.source(dst), w.number())), predicate=test)


def _selected(w: Writer) -> Any:
    dst = w._tile(nl.float32)
    nisa.affine_select(dst, [[1, COLUMNS]], -1, w.one_of(w.tiles), float(w.number()), cmp_op=nl.less, offset=3)
    return dst


def _reduced(w: Writer) -> Any:
    dst, short = w._tile(), w._tile(nl.float32, (ROWS, 1))
    nisa.tensor_reduce(dst=short, op=w.one_of((nl.add, nl.maximum, nl.minimum)), data=w.one_of(w.tiles), axis=1)
    nisa.tensor_scalar(dst=dst, data=w.one_of(w.tiles), op0=w.one_of(ARITHMETIC), operand0=short)
    return dst


def _scanned(w: Writer) -> Any:
    dst, ones = w._tile(), w._tile(nl.float32)
    nisa.memset(dst=ones, value=1.0)
    ops = w.one_of(((nl.add, nl.add), (nl.multiply, nl.add), (nl.maximum, nl.maximum)))
    data = (ones, w.one_of(w.tiles)) if ops[0] is nl.multiply else (w.one_of(w.tiles), w.one_of(w.tiles))
    nisa.tensor_tensor_scan(dst=dst, data0=data[0], data1=data[1], initial=float(w.number()), op0=ops[0], op1=ops[1])
    return dst


def _cumulated(w: Writer) -> Any:
    dst, data = w._tile(nl.float32), w._tile(nl.float32)
    nisa.tensor_copy(dst=data, src=w.one_of(w.tiles))
    nisa.tensor_scalar_cumulative(dst, data, nl.multiply, w.one_of((nl.add, nl.maximum)), float(w.one_of((1, 2, -1))))
    return dst


def _found(w: Writer) -> Any:
    dst, best, data = w._tile(nl.uint32), w._tile(nl.float32), w._tile(nl.float32)
    # No NaN: what is not equal to itself is not found.
    nisa.tensor_copy(dst=data, src=w.one_of([tile for tile in w.tiles if tile.dtype in (nl.int32, nl.uint32)]))
    nisa.max8(dst=best, src=data)
    nisa.nc_find_index8(dst=dst, data=data, vals=w.one_of((best, w.one_of(w.tiles))))
    return dst


def _turned(w: Writer) -> Any:
    source = w.one_of(w.tiles)
    turned = nl.ndarray((COLUMNS, ROWS), dtype=source.dtype, buffer=nl.sbuf)
    nisa.nc_transpose(dst=turned, data=source, engine=nisa.engine.vector)
    dst = w._tile(source.dtype)
    nisa.nc_transpose(dst=dst, data=turned, engine=nisa.engine.vector)
    return dst


def _seen(w: Writer) -> Any:
    source = w.one_of(w.tiles)
    other = {nl.int32: nl.uint32, nl.uint32: nl.int32, nl.int16: nl.uint16, nl.uint16: nl.int16}.get(source.dtype)
    if other is None:
        raise TypeError("not seen as another dtype")
    dst = w._tile(other)
    nisa.tensor_copy(dst=dst, src=source.view(other))
    return dst


def _shuffled(w: Writer) -> Any:
    source = w.one_of(w.tiles)
    dst = w.one_of([tile for tile in w.tiles if tile.dtype == source.dtype])
    lanes = [(lane + 1) % ROWS if w._random.integers(3) else 255 for lane in range(ROWS)] + [255] * (32 - ROWS)
    nisa.nc_stream_shuffle(dst=dst, src=source, shuffle_mask=lanes)


def _functions(w: Writer) -> Any:
    one, two = w.one_of(w.tiles), w.one_of(w.tiles)
    name = w.one_of(
        ("add", "max", "sum", "subtract", "multiply", "maximum", "minimum", "less", "floor", "negative", "bitwise_and")
    )
    if name in ("max", "sum"):
        sums = getattr(nl, name)(one, axis=1, keepdims=True)
        dst = w._tile()
        nisa.tensor_scalar(dst=dst, data=two, op0=nl.add, operand0=sums)
        return dst
    return getattr(nl, name)(one) if name in ("floor", "negative") else getattr(nl, name)(one, two)


def _fused(w: Writer) -> Any:
    dst, ops = w.target(), (nl.add, nl.subtract, nl.multiply, nl.maximum, nl.minimum)
    nisa.scalar_tensor_tensor(
        dst=dst, data=w.source(dst), op0=w.one_of(ops), operand0=w.number(), op1=w.one_of(ops), operand1=w.source(dst)
    )
    return _new(dst)


def _chosen(w: Writer) -> Any:
    test = w._tile(nl.uint8)
    nisa.tensor_scalar(dst=test, data=w.one_of(w.tiles), op0=nl.greater, operand0=w.number())
    return nl.where(test, w.one_of(w.tiles), w.one_of((w.one_of(w.tiles), w.number())), dtype=w.one_of(DTYPES))


def _made(w: Writer) -> Any:
    dtype = w.one_of(DTYPES)
    made = w.one_of((nl.zeros, nl.ones))((ROWS, COLUMNS), dtype=dtype, buffer=nl.sbuf)
    row = nl.ndarray((1, COLUMNS), dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=row, src=made[0:1, :])
    return w.one_of((made, nl.invert(w.one_of(w.tiles)), nl.copy(w.one_of(w.tiles), dtype=dtype)))


STEPS: tuple[Callable[[Writer], Any], ...] = (
    _copied, _scalar, _scalar, _column, _tensors, _tensors, _activated, _counted, _filled, _predicated, _selected,
    _reduced, _scanned, _cumulated, _found, _turned, _seen, _shuffled, _functions, _fused, _chosen, _made,
)  # fmt: skip


def _run(seed: int, steps: int = 40) -> int:
    random = np.random.default_rng(seed)
    done = 0

    def kernel(a: Any, b: Any, c: Any) -> Any:
        nonlocal done
        writer = Writer(random, [a, b, c])
        for _ in range(steps):
            writer.step()
        done = writer.calls
        out = nl.ndarray((ROWS, COLUMNS), dtype=writer.tiles[-1].dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=writer.tiles[-1])
        return out

    def numbers(low: int, high: int, dtype: Any) -> Any:
        return random.integers(low, high, (ROWS, COLUMNS), dtype=dtype, endpoint=True)

    with np.errstate(all="ignore"):
        simulate(
            nki.jit(kernel),
            numbers(0, int(random.integers(1, 1000)), np.int32),
            numbers(int(random.integers(2**31)), 2**32 - 1, np.uint32),
            random.uniform(-1e5, 1e5, (ROWS, COLUMNS)).astype(np.float32),
        )
    return done


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_every_element_lies_in_the_interval_that_is_known_of_it(seed: int) -> None:
    before = FollowedElements.known
    assert _run(seed) > 5
    assert FollowedElements.known > before


@pytest.mark.filterwarnings("ignore")
def test_a_bound_that_is_too_narrow_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from nkiverify.model import interval_arithmetic as arithmetic

    rules = {**arithmetic._BINARY, "add": lambda one, other: one}
    monkeypatch.setattr(arithmetic, "_BINARY", rules)
    with pytest.raises(OutsideItsInterval):
        for seed in range(20):
            _run(seed)
