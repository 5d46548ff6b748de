"""Random kernels about limits: tiles of rows whole or ragged, sums of operands that memory bounds, tables of so many
columns, tiles in PSUM, buffers that change places. Sizes are such that the bounds of the domain are far apart: some are
at a tile, some beyond 4096 columns."""

from __future__ import annotations

import random
from collections.abc import Sequence

_HEADER = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
"""

_DTYPES = ("nl.float32", "nl.bfloat16", "nl.uint8", "x.dtype")
_ROWS = (32, 48, 64, 96, 128, 128, 128, 256)
_COLUMNS = (16, 100, 128, 512, 512, 2048)
#: How the column of a table is counted: before the loop, the column, at the end of each iteration.
_COUNTED: tuple[tuple[Sequence[str], str, Sequence[str]], ...] = (
    ((), "c", ()),
    ((), "c", ()),
    (("k = 0",), "k", ("k += 1",)),
    (("k = 0",), "k", ("if c % 3 != 2:", "    k += 1")),
    (("k, step = 0, 1",), "k", ("k, step = k + step, 3 - step",)),
    (("k = 1",), "k", ("k = k * 3 % 19",)),
)


def limited_kernel(source: random.Random) -> str:
    """A kernel that moves its input to its output, with limits of its own."""
    writer = _Writer(source)
    writer.write()
    return _HEADER + "\n".join(writer.lines) + "\n"


class _Writer:
    def __init__(self, source: random.Random) -> None:
        self.lines: list[str] = []
        self._source = source
        self._depth = 1

    def _add(self, *lines: str) -> None:
        self.lines += ["    " * self._depth + line for line in lines]

    def write(self) -> None:
        """Write the body, from the shape on."""
        one = self._source.choice((self._whole, self._whole, self._tiled, self._tiled, self._table, self._swapped))
        rows = self._rows()
        one(*rows)
        self._depth = 1
        self._add("return out")

    def _rows(self) -> tuple[str, str]:
        """Begin a loop over tiles of rows, or none: the rows of a tile, and their slice."""
        way = self._source.choice(("all", "all", "ragged", "ragged", "whole", "unchecked"))
        if way == "all":
            self._add(*(["assert R <= 128"] if self._source.random() < 0.7 else []))
            return "R", ":"
        tile = self._source.choice(_ROWS)
        if way == "whole":
            self._add(f"assert R % {tile} == 0")
        rounds = f"(R + {tile - 1}) // {tile}" if way == "ragged" else f"R // {tile}"
        self._add(f"for r in range({rounds}):")
        self._depth += 1
        if way == "ragged":
            self._add(f"rows = min({tile}, R - r * {tile})")
            return "rows", f"r * {tile} : r * {tile} + rows"
        return str(tile), f"r * {tile} : (r + 1) * {tile}"

    def _tile(self, name: str, rows: str, columns: str, dtype: str = "x.dtype", buffer: str = "sbuf") -> None:
        self._add(f"{name} = nl.ndarray(({rows}, {columns}), dtype={dtype}, buffer=nl.{buffer})")

    def _dtype(self) -> str:
        return self._source.choice(_DTYPES)

    def _whole(self, rows: str, part: str) -> None:
        """All columns of a tile at once, in several operands."""
        names = ["a", "b", "c"][: self._source.randint(1, 3)]
        for name in names:
            self._tile(name, self._fewer(rows) if name == "b" else rows, "C", self._dtype())
        self._combined(names, part, ":", rows)

    def _fewer(self, rows: str) -> str:
        return rows if not rows.isdigit() or self._source.random() < 0.8 else str(max(1, int(rows) // 2))

    def _combined(self, names: Sequence[str], part: str, columns: str, rows: str) -> None:
        first, last = names[0], names[-1]
        self._add(f"nisa.dma_copy(dst={first}, src=x[{part}, {columns}])")
        if len(names) == 2:
            self._add(f"nisa.tensor_copy(dst={last}, src={first})")
        elif len(names) == 3:
            self._add(f"nisa.dma_copy(dst={names[1]}, src=x[{part}, {columns}])")
            self._add(f"nisa.tensor_tensor(dst={last}, data1={first}, data2={names[1]}, op=nl.add)")
        if last == "c" and self._source.random() < 0.2:
            self._tile("d", rows, "1", "nl.float32")
            self._add("nisa.tensor_reduce(dst=d, op=nl.add, data=c, axis=1)")
        self._add(f"nisa.dma_copy(dst=out[{part}, {columns}], src={last})")

    def _tiled(self, rows: str, part: str) -> None:
        """Tiles of columns, now and then in PSUM."""
        tile = self._source.choice(_COLUMNS)
        ragged = self._source.random() < 0.5
        rounds = f"(C + {tile - 1}) // {tile}" if ragged else f"C // {tile}"
        self._add(f"for c in range({rounds}):")
        self._depth += 1
        width, columns = str(tile), f"c * {tile} : (c + 1) * {tile}"
        if ragged:
            self._add(f"width = min({tile}, C - c * {tile})")
            width, columns = "width", f"c * {tile} : c * {tile} + width"
        names = ["a", "b"][: self._source.randint(1, 2)]
        self._tile("a", rows, width)
        if "b" in names:
            in_psum = self._source.random() < 0.4
            self._tile("b", rows, width, "nl.float32" if in_psum else self._dtype(), "psum" if in_psum else "sbuf")
        if names[-1] == "b" and in_psum:
            self._combined(["a"], part, columns, rows)
            self.lines.pop()
            self._add("nisa.tensor_copy(dst=b, src=a)", "nisa.tensor_copy(dst=a, src=b)")
            self._add(f"nisa.dma_copy(dst=out[{part}, {columns}], src=a)")
        else:
            self._combined(names, part, columns, rows)

    def _table(self, rows: str, part: str) -> None:
        """A column of a table of a fixed size for each tile of columns."""
        tile, entries = self._source.choice((64, 128, 512, 512)), self._source.choice((4, 16, 16))
        if self._source.random() < 0.7:
            self.lines.insert(0, f"    assert C % {tile} == 0")
        self._tile("sums", rows, str(entries), "nl.float32")
        self._add("nisa.memset(sums, 0.0)")
        before, column, after = self._source.choice(_COUNTED)
        self._add(*before, f"for c in range(C // {tile}):")
        self._depth += 1
        self._tile("a", rows, str(tile))
        self._add(f"nisa.dma_copy(dst=a, src=x[{part}, c * {tile} : (c + 1) * {tile}])")
        self._add(f"nisa.tensor_reduce(dst=sums[:, {column} : {column} + 1], op=nl.add, data=a, axis=1)")
        self._add(f"nisa.dma_copy(dst=out[{part}, c * {tile} : (c + 1) * {tile}], src=a)", *after)

    def _swapped(self, rows: str, part: str) -> None:
        """Two buffers that change places, and a table."""
        tile, entries = self._source.choice((32, 128, 512)), self._source.choice((12, 16, 64))
        self.lines.insert(0, f"    assert C % {tile} == 0")
        self._tile("sums", rows, str(entries), "nl.float32")
        self._tile("cur", rows, str(tile))
        self._tile("nxt", rows, str(tile))
        self._add("nisa.memset(sums, 0.0)")
        self._add(f"nisa.dma_copy(dst=cur, src=x[{part}, 0:{tile}])")
        self._add(f"for c in range(C // {tile}):")
        self._depth += 1
        self._add(f"if c + 1 < C // {tile}:")
        self._add(f"    nisa.dma_copy(dst=nxt, src=x[{part}, (c + 1) * {tile} : (c + 2) * {tile}])")
        if self._source.random() < 0.6:
            self._add("nisa.tensor_reduce(dst=sums[:, c : c + 1], op=nl.add, data=cur, axis=1)")
        self._add(f"nisa.dma_copy(dst=out[{part}, c * {tile} : (c + 1) * {tile}], src=cur)")
        self._add("cur, nxt = nxt, cur")
