"""Random kernels about what is written, read and kept: loads, stores, copies and sums of tiles over pieces of two axes.

A kernel moves its input to its output in stages. Each covers an axis by pieces in one of many ways (tiles with a tail,
single rows backwards, halves, every other column, masks); now and then a bound is off by one, a condition leaves a
piece out, or undefined elements are copied somewhere. Loops have all the forms that Python has for them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from lab.pieces import Lines
from lab.subject import Axis, Subject

_HEADER = """\
import nki
import nki.isa as nisa
import nki.language as nl


def moved(dst, src):
    nisa.dma_copy(dst, src)
"""

_LEGACY_HEADER = """\
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
"""

#: Columns that make capacity an issue: 32 KiB of float32 in each partition.
_WIDE = 8192


def moving_subject(source: random.Random) -> Subject:
    """A random kernel of an input of R by C, with a domain."""
    legacy = source.random() < 0.3
    wide = not legacy and source.random() < 0.12
    grid = not legacy and not wide and source.random() < 0.2
    writer = _Legacy(source) if legacy else _Writer(source, wide=wide, grid=grid)
    writer.write()
    step = _WIDE if wide else source.choice((1, 1, 1, 2))
    axes = (
        _axis("R", 1, source.randint(3, 6), source),
        _axis("C", step, source.randint(2, 4), source),
    )
    dims = ", ".join(f"v.dim({axis.name!r}, {axis.low}, {axis.high}, multiple_of={axis.multiple_of})" for axis in axes)
    harness = ["def target(v):", f"    R, C = {dims}"]
    if wide or source.random() < 0.2:
        harness.append("    v.no_spills()")
    harness.append(f"    v.call(v.tensor('x', (R, C), float32){', grid=2' if grid else ''})")
    header = _LEGACY_HEADER if legacy else _HEADER
    decorator = "@nki.jit\n" if grid else ""
    kernel = f"{header}\n\n{decorator}def kernel(x):\n" + "\n".join(writer.lines) + "\n"
    return Subject(kernel, "\n".join(harness) + "\n", axes, source.choice((2, 8)))


def _axis(name: str, step: int, most: int, source: random.Random) -> Axis:
    values = tuple(step * (position + 1) for position in range(most))
    high = values[-1] if source.random() < 0.5 else step * 100 if step < _WIDE else values[-1]
    return Axis(name, step, high, step, values)


class _Writer(Lines):
    """Kernels of the current API."""

    def __init__(self, source: random.Random, *, wide: bool, grid: bool) -> None:
        super().__init__(source)
        self._wide = wide
        self._grid = grid
        self._places = not grid and self.chance(0.25)
        #: Tiles of R by C that something has been put into.
        self._full: list[str] = []

    def write(self) -> None:
        """Write the body of the kernel."""
        self.line("R, C = x.shape")
        if self._grid:
            self.line("me = nl.program_id(0)")
        self.line("out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)")
        if self.chance(self.wrongness):
            with self.block(f"if {self.condition('R')}:"):
                self.line("return out")
        if self._grid:
            self._programs()
        elif self.chance(0.15) and not self._wide:
            self._products()
        elif self.chance(0.12) and not self._wide:
            self._handed_on()
        elif self.chance(0.35):
            self._tile_by_tile()
        else:
            self._stages()
        self.line("return out")

    # --- tensors -----------------------------------------------------------------------------------------------------

    def tile(self, rows: str, columns: str, memory: str = "nl.sbuf") -> str:
        name = self.name("t")
        place = f", address=(0, {self._place()})" if self._places and memory == "nl.sbuf" else ""
        self.line(f"{name} = nl.ndarray(({rows}, {columns}), dtype=x.dtype, buffer={memory}{place})")
        return name

    def _place(self) -> str:
        size = f"{4 * _WIDE} * (C // {_WIDE})" if self._wide else "32 * C"
        base = self.random.randrange(4)
        if self.indices and self.chance(0.5):
            return f"{size} * ({self.indices[-1]} % {self.random.choice((2, 3))} + {base})"
        return f"{size} * {base}"

    def part(self, name: str, axis: int, a: str, b: str) -> str:
        """A range of an axis of a tensor of R by C."""
        if self.chance(0.1):
            size = f"nl.ds({a}, {b} - {a})"
            return f"{name}[{size}, :]" if axis == 0 else f"{name}[:, {size}]"
        return f"{name}[{a}:{b}, :]" if axis == 0 else f"{name}[:, {a}:{b}]"

    def axis(self) -> tuple[int, str]:
        return (0, "R") if self._wide or self.chance(0.5) else (1, "C")

    def disturb(self) -> None:
        """Copy undefined elements somewhere, or allocate something that is not used."""
        if not self._full or not self.chance(self.wrongness / 2):
            return
        junk, (axis, n) = self.tile("R", "C"), self.axis()
        target = self.random.choice([*self._full, "out"])
        a, b = self.random.choice((("0", "1"), (f"{n} - 1", n), (f"{n} // 2", n)))
        with self.block(f"if {self.condition(n)}:"):
            self.line(f"nisa.dma_copy({self.part(target, axis, a, b)}, {self.part(junk, axis, a, b)})")

    # --- kinds of kernels --------------------------------------------------------------------------------------------

    def _stages(self) -> None:
        """Fill a tile, work on copies of it, store the last one."""
        now = self.tile("R", "C")
        axis, n = self.axis()
        how = self.random.choice(("nisa.dma_copy", "moved"))
        source = "x.reshape((R, C))" if self.chance(0.1) else "x"
        now_ = now
        self.pieces(n, lambda a, b: self.line(f"{how}({self.part(now_, axis, a, b)}, {self.part(source, axis, a, b)})"))
        self._full.append(now)
        for _ in range(self.random.randrange(3)):
            self.disturb()
            now = self._stage(now)
            self._full.append(now)
        self.disturb()
        axis, n = self.axis()
        final = now
        self.pieces(
            n, lambda a, b: self.line(f"nisa.dma_copy({self.part('out', axis, a, b)}, {self.part(final, axis, a, b)})")
        )
        self.disturb()

    def _stage(self, source: str) -> str:
        kind = self.random.randrange(6)
        target = self.tile("R", "C", self.random.choice(("nl.sbuf", "nl.sbuf", "nl.shared_hbm")))
        axis, n = self.axis()
        if kind == 0 and "hbm" not in self.lines[-1]:
            column = self.tile("R", "1")
            self.line(f"nisa.tensor_reduce({column}, nl.add, {source}, axis=1)")
            self.line(f"nisa.memset({target}, 1.0)")
            self.line(f"nisa.tensor_scalar({target}, {target}, nl.multiply, {column})")
        elif kind == 1 and "hbm" not in self.lines[-1] and not self._wide:
            self.pieces(
                "C",
                lambda a, b: self.line(
                    f"nisa.tensor_tensor({self.part(target, 1, a, b)}, {self.part(source, 1, a, b)}, "
                    f"{self.part(source, 1, a, b)}, nl.add)"
                ),
            )
        elif kind == 2 and "hbm" not in self.lines[-1]:
            half = f"{target}.view(nl.bfloat16)"
            self.line(f"nisa.memset({half}, 0.0)" if not self.tampered() else f"nisa.memset({half}[:, 0:C], 0.0)")
        else:
            self.pieces(
                n,
                lambda a, b: self.line(
                    f"nisa.dma_copy({self.part(target, axis, a, b)}, {self.part(source, axis, a, b)})"
                ),
            )
        return target

    def _tile_by_tile(self) -> None:
        """Load, copy and store in each iteration, in tiles of their own, in turns of a few, or kept by a list."""
        kind = self.random.randrange(4)
        if not self._wide and self.chance(0.35):
            self._flattened()
        elif kind == 0:
            self.pieces("R", self._through_own_tile)
        elif kind == 1:
            self._in_turns()
        elif kind == 2:
            self._kept()
        else:
            self._ahead()

    def _through_own_tile(self, a: str, b: str) -> None:
        tile = self.tile(f"{b} - {a}", "C")
        axis, n = self.axis()
        if axis == 0:
            self.line(f"nisa.dma_copy({tile}, x[{a}:{b}, :])")
            self.line(f"nisa.dma_copy(out[{a}:{b}, :], {tile})")
            return
        self.pieces(n, lambda c, d: self.line(f"nisa.dma_copy({tile}[:, {c}:{d}], x[{a}:{b}, {c}:{d}])"))
        self.line(f"nisa.dma_copy(out[{a}:{b}, :], {tile})")

    def _in_turns(self) -> None:
        count = self.random.choice((2, 3))
        self.line("turns = []")
        with self.block(f"for k in range({count}):"):
            self.indices.append("k")
            tile = self.tile("1", "C")
            self.indices.pop()
            self.line(f"turns.append({tile})")
        modulus = count if not self.tampered() else 2
        with self.loop("R", "range") as i:
            with self.block("if True:" if not self.tampered() else f"if {self.condition('R')}:"):
                self.line(f"nisa.dma_copy(turns[{i} % {modulus}], x[{i}:{i} + 1, :])")
            self.line(f"nisa.dma_copy(out[{i}:{i} + 1, :], turns[{i} % {count}])")

    def _kept(self) -> None:
        self.line("kept = []")
        with self.loop("R") as i:
            tile = self.tile("1", "C")
            with self.block("if True:" if not self.tampered() else f"if {self.condition('R')}:"):
                self.line(f"nisa.dma_copy({tile}, x[{i}:{i} + 1, :])")
            self.line(f"kept.append({tile})")
        with self.loop("R") as i:
            at = self.random.choice((i, f"R - 1 - {i}"))
            self.line(f"nisa.dma_copy(out[{i}:{i} + 1, :], kept[{at}])")

    def _flattened(self) -> None:
        """The input as one row, whose elements are found by products of dimensions."""
        self.line("out = nl.ndarray((1, R * C), dtype=x.dtype, buffer=nl.shared_hbm)")
        row = self.tile("1", "R * C")
        r, c = self.name("r"), self.name("c")
        if self.chance(0.4):
            loops = [f"for p in range({'R * C - 1' if self.tampered() else 'R * C'}):"]
            self.line(loops[0])
            self._indent += 1
            self.line(f"{r}, {c} = p // C, p % C")
        else:
            loops = [
                f"for {r} in range({'R - 1' if self.tampered() else 'R'}):",
                f"for {c} in range({'C - 1' if self.tampered() else 'C'}):",
            ]
            for head in loops:
                self.line(head)
                self._indent += 1
        place = self.random.choice((f"{r} * C + {c}", f"{c} * R + {r}", f"{r} * C + (C - 1 - {c})"))
        wrong = self.random.choice((f"{r} * R + {c}", f"{c} * C + {r}", f"{r} * C + {c} + 1", f"{r} * (C + 1) + {c}"))
        self.line(f"at = {wrong if self.tampered() else place}")
        with self.block("if 0 <= at < R * C:"):
            self.line(f"nisa.dma_copy({row}[:, nl.ds(at, 1)], x[{r}:{r} + 1, {c}:{c} + 1])")
        self._indent -= len(loops)
        self.line(f"nisa.dma_copy(out, {row})")

    def _ahead(self) -> None:
        """A kernel in which the next iteration stores what one has loaded."""
        now, then = self.tile("1", "C"), self.tile("1", "C")
        if not self.tampered():
            self.line(f"nisa.dma_copy({now}, x[0:1, :])")
        with self.loop("R", "range") as i:
            with self.block(f"if {i} + 1 < R:"):
                self.line(f"nisa.dma_copy({then}, x[{i} + 1:{i} + 2, :])")
            self.line(f"nisa.dma_copy(out[{i}:{i} + 1, :], {now})")
            with self.block("if True:" if not self.tampered() else f"if {self.condition('R')}:"):
                guard = "True" if self.chance(0.4) else f"{i} + 1 < R"
                with self.block(f"if {guard}:"):
                    self.line(f"nisa.tensor_copy({now}, {then})")

    def _products(self) -> None:
        """Sums of products in PSUM, over tiles of rows."""
        self.line("out = nl.ndarray((C, C), dtype=nl.float32, buffer=nl.shared_hbm)")
        outer = self.random.choice(("1", "2"))
        shared = self.tile("C", "C", "nl.psum") if self.chance(0.4) else ""
        with self.loop(outer, "range"):
            total = shared or self.tile("C", "C", "nl.psum")
            if self.chance(0.15):
                self.line(f"nisa.memset({total}, 0.0)")
            first = self.name("first")
            self.line(f"{first} = True")
            mode = self.random.choice(("None", "None", "counted", "counted", "True"))
            with self.loop("R", "range") as k:
                tile = self.tile("1", "C")
                self.line(f"nisa.dma_copy({tile}, x[{k}:{k} + 1, :])")
                given = self.random.choice((f"{k} > 0", f"{k} != 0", f"{k} >= 1", f"{k}"))
                given = f"{k} > 1" if self.tampered() else given
                self.line(f"nisa.nc_matmul({total}, {tile}, {tile}, accumulate={given if mode == 'counted' else mode})")
                if self.tampered():
                    self.line(f"nl.copy({total})")
            copy = self.tile("C", "C")
            self.line(f"nisa.tensor_copy({copy}, {total})")
        self.pieces("C", lambda a, b: self.line(f"nisa.dma_copy(out[:, {a}:{b}], {copy}[:, {a}:{b}])"))

    def _handed_on(self) -> None:
        """A tile and a sum that iterations hand on to one another: what each does to them is in any order."""
        kept, junk, row = self.tile("1", "C"), self.tile("1", "C"), self.tile("1", "C")
        square, total = self.tile("C", "C"), self.tile("C", "C", "nl.psum")
        self.line(f"nisa.dma_copy({row}, x[0:1, :])")
        ways: tuple[Callable[[str], str], ...]
        if self.chance(0.5):
            ways = (
                lambda i: f"nisa.dma_copy(out[{i}:{i} + 1, :], {kept})",
                lambda i: f"nisa.dma_copy({kept}, x[{i}:{i} + 1, :])",
                lambda i: f"nisa.tensor_copy({kept}, {junk})",
                lambda i: f"nisa.memset({kept}, 1.0)",
            )
            begin, end, always = ways[3], ways[0], ways[0]
        else:
            mode = self.random.choice(("None", "True", "True"))
            ways = (
                lambda i: f"nisa.nc_matmul({total}, {row}, {row}, accumulate={mode})",
                lambda i: f"nisa.nc_matmul({total}, {row}, {row}, accumulate=False)",
                lambda i: f"nisa.tensor_copy({square}, {total})",
                lambda i: f"nisa.memset({total}, 0.0)",
            )
            begin, end, always = ways[1], ways[2], lambda i: f"nisa.dma_copy(out[{i}:{i} + 1, :], {row})"
        if self.chance(0.8):
            self.line(begin("0"))
        with self.loop("R") as i:
            self.line(always(i))
            for _ in range(self.random.choice((1, 1, 2, 3))):
                way = self.random.choice(ways)
                with self.block(f"if {self.condition('R')}:" if self.chance(0.3) else "if True:"):
                    if self.chance(0.25):
                        with self.loop("C"):
                            self.line(way(i))
                    else:
                        self.line(way(i))
        self.line(self.random.choice(ways)("0") if self.chance(0.3) else end("0"))
        if always is not end:
            self.line(f"nisa.tensor_copy({square}, {total})")
            self.line(f"nisa.dma_copy(out[0:1, :], {square}[0:1, :])")

    def _programs(self) -> None:
        """The rows dealt out to two programs, perhaps through HBM with a barrier."""
        half = "R // 2" if self.tampered() else "(R + 1) // 2"
        self.line(f"half = {half}")
        if self.chance(0.5):
            self.line("low, high = me * half, min(R, me * half + half)")
            with self.block("if low < high:"):
                tile = self.tile("high - low", "C")
                self.line(f"nisa.dma_copy({tile}, x[low:high, :])")
                last = "high - 1" if self.tampered() else "high"
                with self.block(f"if low < {last}:"):
                    self.line(f"nisa.dma_copy(out[low:{last}, :], {tile}[0:{last} - low, :])")
            return
        scratch = self.tile("R", "C", "nl.shared_hbm")
        with self.loop("half", "range") as i:
            row = f"me * half + {i}"
            with self.block(f"if {row} < R:"):
                self.line(f"nisa.dma_copy({scratch}[nl.ds({row}, 1), :], x[nl.ds({row}, 1), :])")
        if not self.tampered():
            self.line(f"nisa.core_barrier({scratch}, (0, 1))")
        with self.loop("half", "range") as i:
            row = self.random.choice((f"me * half + {i}", f"(1 - me) * half + {i}", f"2 * {i} + me"))
            with self.block(f"if {row} < R:"):
                self.line(f"nisa.dma_copy(out[nl.ds({row}, 1), :], {scratch}[nl.ds({row}, 1), :])")


class _Legacy(Lines):
    """Kernels of the legacy API: masks, returned tiles, loops without an order."""

    def ranger(self) -> str:
        return self.random.choice(("nl.affine_range", "nl.affine_range", "nl.sequential_range", "range"))

    def write(self) -> None:
        """Write the body of the kernel."""
        self.line("R, C = x.shape")
        self.line("out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)")
        kind = self.random.randrange(4)
        if kind == 0 or self.chance(0.3):
            self._masked_tiles()
        elif kind == 1:
            self.pieces("R", self._through_tile)
        elif kind == 2:
            self._columns()
        else:
            self._summed()
        self.line("return out")

    def _through_tile(self, a: str, b: str) -> None:
        tile = self.name("t")
        self.line(f"{tile} = nl.load(x[{a}:{b}, :])")
        self.line(f"nl.store(out[{a}:{b}, :], {self._worked(tile)})")

    def _worked(self, tile: str) -> str:
        return self.random.choice((tile, f"nl.add({tile}, 1.0)", f"nl.multiply({tile}, {tile})", f"{tile} + {tile}"))

    def _masked_tiles(self) -> None:
        rows, columns = self.random.choice((2, 3, 4)), self.random.choice((2, 3, 5))
        more = "" if not self.tampered() else " - 1"
        with self.loop(f"(R + {rows - 1 - self.tampered()}) // {rows}") as i:
            inner = self.chance(0.6)
            with self.loop(f"(C + {columns - 1 - self.tampered()}) // {columns}" if inner else "1") as j:
                width = str(columns) if inner else "C"
                p, f = self.name("p"), self.name("f")
                if self.chance(0.5):
                    self.line(f"{p}, {f} = nl.mgrid[0:{rows}, 0:{width}]")
                else:
                    self.line(f"{p}, {f} = nl.arange({rows})[:, None], nl.arange({width})[None, :]")
                row = f"{i} * {rows} + {p}"
                column = f"{j} * {columns} + {f}" if inner else f
                mask = f"({row} < R)" + (f" & ({column} < C)" if inner or self.chance(0.3) else "")
                tile = self.name("t")
                loaded = mask if not self.tampered() else mask.replace("< R", f"< R{more or ' - 1'}")
                self.line(f"{tile} = nl.load(x[{row}, {column}], mask={loaded})")
                if self.chance(0.3):
                    self.line(f"{tile} = nl.add({tile}, {tile}, mask={mask})")
                elif self.chance(0.3):
                    self.line(f"{tile} = {self._worked(tile)}")
                stored = mask if not self.tampered() else mask.replace("< C", f"< C{more or ' - 1'}")
                self.line(f"nl.store(out[{row}, {column}], {tile}, mask={stored})")

    def _columns(self) -> None:
        """A tile filled by columns, read by rows or columns."""
        self.line("t = nl.ndarray((nl.par_dim(R), C), dtype=x.dtype, buffer=nl.sbuf)")
        self.pieces("C", lambda a, b: self.line(f"t[:, {a}:{b}] = nl.load(x[:, {a}:{b}])"))
        if self.chance(0.4):
            shift = self.random.choice(("0", "0", "1"))
            with self.loop(f"C - {shift}") as i:
                self.line(f"t[:, {i}:{i} + 1] = nl.add(t[:, {i} + {shift}:{i} + {shift} + 1], 1.0)")
        self.pieces("C", lambda a, b: self.line(f"nl.store(out[:, {a}:{b}], t[:, {a}:{b}])"))

    def _summed(self) -> None:
        """A sum over rows in a tile that loops share."""
        fill = "nl.ndarray" if self.tampered() else "nl.zeros"
        self.line(f"total = {fill}((1, C), dtype=x.dtype, buffer=nl.sbuf)")
        with self.loop("R") as i:
            self.line(f"t = nl.load(x[{i}:{i} + 1, :])")
            how = "total[...] = nl.multiply(total, t)" if self.tampered() else "total += t"
            with self.block("if True:" if not self.tampered() else f"if {self.condition('R')}:"):
                self.line(how)
            if self.tampered():
                self.line(f"nl.store(out[{i}:{i} + 1, :], total)")
        self.pieces("R", lambda a, b: self._stored_rows(a, b))

    def _stored_rows(self, a: str, b: str) -> None:
        with self.loop(f"{b} - {a}") as i:
            self.line(f"nl.store(out[{a} + {i}:{a} + {i} + 1, :], total)")
