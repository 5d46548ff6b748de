"""Random small kernels with random domains: host arithmetic, loops, lists, objects, tensors, both APIs."""

from __future__ import annotations

import random

from lab.arithmetic import HEADER as _ARITHMETIC_HEADER
from lab.arithmetic import HostArithmetic
from lab.carried import CLASSES, Carried
from lab.draft import Draft
from lab.expressions import Scope
from lab.sameness import HELPERS, Sameness
from lab.statements import Writer
from lab.subject import Axis

#: The upper bound of a wide dimension, in steps.
WIDE = 1000

_HEADER = """\
import contextlib
import math
from dataclasses import dataclass, replace

import nki.isa as nisa
import nki.language as nl
"""

_LEGACY_HEADER = """\
import math

import neuronxcc.nki.language as nl
"""


def draft(source: random.Random) -> Draft:
    """A random kernel with a random domain."""
    if source.random() < 0.12:
        return _legacy_draft(source)
    if source.random() < 0.1:
        return arithmetic_draft(source)
    if source.random() < 0.4:
        return _carried_draft(source)
    if source.random() < 0.12:
        return sameness_draft(source)
    axes = _axes(source)
    writer = Writer(source)
    if source.random() < 0.3:
        writer.helper()
    writer.scope = Scope([axis.name for axis in axes])
    for _ in range(source.choice((1, 1, 2, 2, 3))):
        start = writer.name("v")
        writer.line(f"{start} = {writer.expression(0)}")
        writer.scope.ints.append(start)
    for make in (writer.new_list, writer.new_object, writer.new_dict):
        if source.random() < 0.2:
            make(0)
    if source.random() < 0.8:
        writer.for_loop(3)
    writer.body(3, 1, 6)
    if not writer.claims or source.random() < 0.5:
        writer.claim()
    writer.line(f"return {writer.claimed()}")
    names = ", ".join(axis.name for axis in axes)
    helpers = "".join(f"\n\n{text}" for text in writer.helpers)
    kernel = f"{_HEADER}{helpers}\n\ndef kernel({names}):\n" + "\n".join(writer.lines) + "\n"
    unwind = source.choice((2, 3, 4, 8, 8))
    assumptions = _assumptions(source, axes)
    return _finished(writer, kernel, axes, assumptions, unwind)


def _carried_draft(source: random.Random) -> Draft:
    """One loop that carries state, with exact claims about it."""
    axes = (Axis("n", 0, 7, 1, tuple(range(8))),) if source.random() < 0.6 else _axes(source)
    writer = Carried(source)
    writer.scope = Scope([axis.name for axis in axes])
    writer.write()
    names = ", ".join(axis.name for axis in axes)
    kernel = f"{_HEADER}\n\n{CLASSES}def kernel({names}):\n" + "\n".join(writer.lines) + "\n    return 0\n"
    return _finished(writer, kernel, axes, _assumptions(source, axes), source.choice((2, 4, 8, 8)))


def sameness_draft(source: random.Random) -> Draft:
    """A loop that keeps something of each iteration, or replaces it by what is equal and not the same."""
    axes = (Axis("n", 0, 7, 1, tuple(range(8))),)
    writer = Sameness(source)
    writer.scope = Scope([axis.name for axis in axes])
    writer.write()
    kernel = f"{_HEADER}\n\n{HELPERS}def kernel(n):\n" + "\n".join(writer.lines) + "\n    return 0\n"
    return _finished(writer, kernel, axes, (), source.choice((2, 4, 8, 8)))


def arithmetic_draft(source: random.Random) -> Draft:
    """Host arithmetic in all its forms."""
    axes = _axes(source)[:2]
    writer = HostArithmetic(source, axes)
    writer.write()
    names = ", ".join(axis.name for axis in axes)
    kernel = f"{_ARITHMETIC_HEADER}\n\ndef kernel({names}):\n" + "\n".join(writer.lines) + "\n"
    return Draft(
        kernel=kernel,
        axes=axes,
        arguments=tuple(axis.name for axis in axes),
        assumptions=_assumptions(source, axes),
        returns_int=True,
        claims=(),
        in_loops=frozenset(),
        pads=(),
        unwind=8,
    )


def _axes(source: random.Random) -> tuple[Axis, ...]:
    count = source.choice((1, 1, 2, 2, 2, 3))
    most = {1: 8, 2: 5, 3: 3}[count]
    axes = []
    for name in "nmk"[:count]:
        step = source.choice((1, 1, 1, 1, 2, 3, 4))
        low = source.choice((0, 0, 0, 1, 1, 2, 3, -2)) if step == 1 else source.choice((0, 1, step))
        first = -(-low // step)
        values = tuple(step * (first + position) for position in range(source.randint(min(4, most), most)))
        # Much wider than what is tried, but a kernel can still be run on a witness from it.
        high = WIDE * step if source.random() < 0.12 else values[-1]
        axes.append(Axis(name, low, high, step, values))
    return tuple(axes)


def _assumptions(source: random.Random, axes: tuple[Axis, ...]) -> tuple[str, ...]:
    if source.random() < 0.7:
        return ()
    if len(axes) > 1:
        return (source.choice(("n <= m", "n + m >= 2", "m % 2 == 0", "n < m + 3", "n != m")),)
    return (source.choice(("n % 2 == 0", "n != 3", "n >= 1")),)


def _legacy_draft(source: random.Random) -> Draft:
    """Index tensors and masks over tensors of a symbolic size, in tiles that do not divide them."""
    axes = _axes(source)[:2]
    writer = Writer(source)
    writer.scope = Scope([axis.name for axis in axes])
    tile = source.choice((2, 3, 4))
    first, last = axes[0].name, axes[-1].name
    rows = source.choice((f"max(1, {first})", f"max(1, {first} + {tile})", f"max(1, 2 * {first})"))
    columns = source.choice((f"max(1, {last})", "4", f"max(1, {last}) + 1"))
    pad = writer.place()
    writer.pads.append(pad)
    w = writer.line
    w(f"rows = {rows}")
    w(f"columns = {columns}")
    w(f"x = nl.ndarray((rows + PAD_{pad}, columns), dtype=nl.float32, buffer=nl.shared_hbm)")
    w("out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)")
    shift = source.choice(("0", "0", "1", "2", last if axes[-1].low >= 0 else "0"))
    limit = source.choice(("rows", "rows", "rows - 1", f"min(rows, {source.randint(1, 6)})", "rows + 1"))
    ranger = source.choice(("range", "nl.affine_range", "nl.sequential_range"))
    trips = source.choice((f"(rows + {tile - 1}) // {tile}", f"math.ceil(rows / {tile})", f"rows // {tile} + 1"))
    with writer.block(f"for t in {ranger}({trips}):"):
        stride = source.choice((f"t * {tile}", f"{tile} * t", f"t * {source.choice((1, tile, tile + 1))}"))
        w(f"base = {stride}")
        if source.random() < 0.5:
            w(f"i_p, i_f = nl.mgrid[0:{tile}, 0:columns]")
        else:
            w(f"i_p = nl.arange({tile})[:, None]")
            w("i_f = nl.arange(columns)[None, :]")
        w(f"__fit__({pad}, min({limit} - 1, base + {tile - 1}) + {shift} - rows + 1)")
        extra = source.choice(("", "", f" & (i_f < columns - {source.choice((0, 1))})"))
        mask = f"(base + i_p < {limit}){extra}"
        if source.random() < 0.1:
            mask = f"base + i_p <= {limit} - 1"
        column = source.choice(("i_f", "i_f", "i_f + 0", "columns - 1 - i_f"))
        w(f"part = nl.load(x[base + i_p + {shift}, {column}], mask=({mask}))")
        if source.random() < 0.7:
            store_limit = source.choice((limit, limit, "rows"))
            w(f"nl.store(out[base + i_p, i_f], value=part, mask=(base + i_p < {store_limit}))")
        if source.random() < 0.4:
            writer.scope.ints += ["base", "t", "rows", "columns"]
            writer.claim()
    w(f"return {writer.expression(1)}")
    names = ", ".join(axis.name for axis in axes)
    kernel = f"{_LEGACY_HEADER}\n\ndef kernel({names}):\n" + "\n".join(writer.lines) + "\n"
    assumptions = _assumptions(source, axes)
    return _finished(writer, kernel, axes, assumptions, 8)


def _finished(writer: Writer, kernel: str, axes: tuple[Axis, ...], assumptions: tuple[str, ...], unwind: int) -> Draft:
    return Draft(
        kernel=kernel,
        axes=axes,
        arguments=tuple(axis.name for axis in axes),
        assumptions=assumptions,
        returns_int=True,
        claims=tuple(writer.claims),
        in_loops=frozenset(writer.in_loops),
        pads=tuple(writer.pads),
        unwind=unwind,
    )
