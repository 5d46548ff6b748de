"""Random kernels about one operation: operands of which not all is written, through views, under masks, in loops.

Kernel number i of a seed is always the same. Every kernel takes tensors `x` (float32) and `u` (uint8), the dimension
`n`, and how many columns its result has: as many as an operation makes, or in a loop so many for each iteration.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from lab.operation_calls import CALLS, Call, Slot

#: What `n` goes to.
MOST = 4
ROWS, COLUMNS = 64, 64

CURRENT_HEADER = """\
import nki.isa as nisa
import nki.language as nl
"""
LEGACY_HEADER = """\
import numpy as np

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
"""


@dataclass(frozen=True, slots=True)
class Written:
    """A kernel about `call` as text; its result has `rows`, and `columns` for each of up to `times` iterations.

    `other_order` is the same kernel with the iterations of its loops without an order the other way round, "" where it
    has none.
    """

    name: str
    call: Call
    text: str
    rows: int
    columns: int
    times: int
    other_order: str


def written(number: int, seed: int, calls: tuple[Call, ...] = CALLS) -> Written:
    """Kernel `number` of the campaign of `seed`."""
    source = random.Random(f"{seed}/{number}")
    call = calls[number % len(calls)]
    writer = _Legacy(source, call) if call.legacy else _Current(source, call)
    return writer.write(f"k{number}")


#: Heads of loops over `{r}(n)`; `{i}` is the index. What reverses the order of the iterations, for all but the last.
_FORMS = (
    "for {i} in {r}(n):",
    "for o{i}, {i} in enumerate({r}(n)):",
    "for o{i}, {i} in zip(range(n), {r}(n)):",
    "for {i} in reversed({r}(n)):",
    "for {i} in list({r}(n)):",
    "for {i} in iter({r}(n)):",
    "for {i} in [o{i} for o{i} in {r}(n)]:",
    "for {i} in (o{i} for o{i} in {r}(n)):",
    "for {i} in {r}(n):\n    if {i} > 1:\n        break",
    "for {i} in {r}(n):\n    if {i} == 1:\n        continue",
)
_ENDS_EARLY = "break"


class _Writer:
    #: Ranges of which the iterations come one after the other, and others.
    ranges: tuple[str, ...]
    header: str

    def __init__(self, source: random.Random, call: Call) -> None:
        self.random = source
        self.call = call
        self.lines: list[str] = []
        self._indent = 1
        #: The index of the loop around, "" outside.
        self.index = ""
        self._names = 0

    def chance(self, of: float) -> bool:
        return self.random.random() < of

    def name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def line(self, text: str) -> None:
        for part in text.split("\n"):
            self.lines.append("    " * self._indent + part)

    def write(self, name: str) -> Written:
        """Write the kernel."""
        stored = self.random.choice(self.call.results)
        looped = self.chance(0.6)
        times = MOST if looped else 1
        rows = stored.rows
        self.line(f"out = nl.ndarray(({rows}, width), dtype=nl.{stored.dtype}, buffer=nl.shared_hbm)")
        partial = {slot.name for slot in self.call.operands if self.chance(0.5)}
        if self.call.operands:
            partial.add(self.random.choice(self.call.operands).name)
        inside = {slot.name for slot in self.call.operands if looped and self.chance(0.4)}
        bound = {
            slot.name: self.operand(slot, partly=slot.name in partial, looped=looped)
            for slot in self.call.operands
            if slot.name not in inside
        }
        depth = self._indent
        place = f"0:{stored.columns}"
        carried = ""
        if looped:
            if self.chance(0.25) and stored.shape == self.call.results[0].shape:
                carried = self._carried(stored, bound)
            self._loop()
            place = f"{self.index} * {stored.columns} : {self.index} * {stored.columns} + {stored.columns}"
        for slot in self.call.operands:
            if slot.name in inside:
                bound[slot.name] = self.operand(slot, partly=slot.name in partial, looped=looped)
        found = self.issue(bound, stored)
        self.line(f"nisa.dma_copy(dst=out[0:{rows}, {place}], src={found})")
        if carried:
            self.keep(carried, found)
        self._spoil(bound)
        self._indent = depth
        self.index = ""
        self.line("return out")
        text = f"def {name}(x, u, n, width):\n" + "\n".join(self.lines) + "\n"
        unordered = self.call.legacy and "affine_range" in text and _ENDS_EARLY not in text
        return Written(name, self.call, text, rows, stored.columns, times, _reordered(text) if unordered else "")

    def _loop(self) -> None:
        form = self.random.choice(_FORMS) if self.chance(0.7) else _FORMS[0]
        ranger = self.random.choice(self.ranges)
        if self.chance(0.12):
            other = self.name("i")
            self.line(f"for {other} in {self.random.choice(self.ranges)}(2):")
            self._indent += 1
        self.index = self.name("i")
        head, _, rest = form.format(r=ranger, i=self.index).partition("\n")
        if self.chance(0.08):
            # State without a closed form: the loop is run iteration by iteration.
            self.line("state = {}")
            rest = f"{rest}\n    state['last'] = 2 * state.get('last', 0) + 1".strip("\n")
        self.line(head)
        if rest:
            self.line(rest)
        self._indent += 1

    def count(self, inner: bool = True) -> str:
        """A number from 1 to `MOST` that goes with the dimension or the iteration."""
        options = ["n", "n", str(self.random.randint(1, MOST))]
        if self.index and inner:
            options += [f"({self.index} + 1)"] * 2 + [f"(n - {self.index})"]
        return self.random.choice(options)

    def condition(self) -> str:
        options = ["n > 1", "n > 2", "n < 4", "n != 2"]
        if self.index:
            options += [f"{self.index} > 0", f"{self.index} < n - 1", f"{self.index} == 0"]
        return self.random.choice(options)

    # --- operands -----------------------------------------------------------------------------------------------------

    def operand(self, slot: Slot, *, partly: bool, looped: bool) -> str:
        raise NotImplementedError

    def put(self, base: str, slot: Slot, rows: str, columns: str) -> str:
        """A statement that writes elements of a tensor."""
        raise NotImplementedError

    def issue(self, bound: dict[str, str], stored: Slot) -> str:
        """Issue the operation; the result that is stored."""
        raise NotImplementedError

    def keep(self, carried: str, found: str) -> None:
        """Let the next iteration find this result."""
        raise NotImplementedError

    def declare(self, slot: Slot, rows: int, columns: int, dtype: str = "") -> str:
        base = self.name(slot.name)
        memory = {"hbm": "private_hbm"}.get(slot.memory, slot.memory)
        self.line(f"{base} = nl.ndarray(({rows}, {columns}), dtype=nl.{dtype or slot.dtype}, buffer=nl.{memory})")
        return base

    def fill(self, base: str, slot: Slot, rows: int, columns: int, *, partly: bool) -> None:
        """Write all of a tensor, or a part of it."""
        everything = f"0:{rows}", f"0:{columns}"
        if not partly:
            self.line(self.put(base, slot, *everything))
            return
        quarter, fourth = rows // MOST, columns // MOST
        kind = self.random.randrange(10)
        if kind == 0:
            return
        if kind in (1, 2) and quarter:
            self.line(self.put(base, slot, f"0 : {quarter} * {self.count()}", everything[1]))
        elif kind in (3, 4) and fourth:
            self.line(self.put(base, slot, everything[0], f"0 : {fourth} * {self.count()}"))
        elif kind == 5 and fourth:
            self.line(self.put(base, slot, everything[0], f"{fourth} * ({self.count()} - 1) : {columns}"))
        elif kind == 6 and columns > 1:
            self.line(self.put(base, slot, everything[0], f"0:{columns}:2"))
            if quarter:
                self.line(self.put(base, slot, f"0 : {quarter} * {self.count()}", f"1:{columns}:2"))
        elif kind == 7 and fourth and quarter:
            self.line(self.put(base, slot, f"0:{rows // 2}", everything[1]))
            self.line(self.put(base, slot, everything[0], f"{columns // 2} : {columns // 2} + {self.count()} // 4 + 1"))
        elif kind == 8 and fourth:
            index = self.name("f")
            head = self.random.choice(_FORMS).format(r=self.random.choice(self.ranges), i=index)
            self.line(head.partition("\n")[0])
            self._indent += 1
            self.line(self.put(base, slot, everything[0], f"{fourth} * {index} : {fourth} * {index} + {fourth}"))
            self._indent -= 1
        else:
            self.line(f"if {self.condition()}:")
            self._indent += 1
            self.line(self.put(base, slot, *everything))
            self._indent -= 1

    def _carried(self, stored: Slot, bound: dict[str, str]) -> str:
        """A tile that an operand is in each iteration, and into which the result goes then."""
        fitting = [
            slot
            for slot in self.call.operands
            if (slot.shape, slot.dtype, slot.memory) == (stored.shape, stored.dtype, "sbuf") and slot.name in bound
        ]
        if not fitting or stored.memory != "sbuf" or len(stored.shape) != 2:
            return ""
        slot = self.random.choice(fitting)
        base = self.declare(slot, slot.rows, slot.columns)
        self.fill(base, slot, slot.rows, slot.columns, partly=self.chance(0.3))
        bound[slot.name] = base
        return base

    def _spoil(self, bound: dict[str, str]) -> None:
        """Overwrite what a later iteration reads with undefined elements, now and then."""
        simple = [
            slot for slot in self.call.operands if re.fullmatch(r"\w+", bound[slot.name]) and slot.memory == "sbuf"
        ]
        if not self.index or not simple or not self.chance(0.1):
            return
        slot = self.random.choice(simple)
        junk = self.declare(slot, slot.rows, slot.columns)
        self.line(f"if {self.condition()}:")
        self._indent += 1
        self.line(f"nisa.dma_copy(dst={bound[slot.name]}, src={junk})")
        self._indent -= 1


class _Current(_Writer):
    """Kernels of the current API."""

    header = CURRENT_HEADER
    ranges = ("range", "range", "nl.affine_range", "nl.sequential_range")

    def put(self, base: str, slot: Slot, rows: str, columns: str) -> str:
        there = f"{base}[{rows}, {columns}]"
        source = {"float32": "x", "uint8": "u"}.get(slot.dtype)
        if slot.memory != "hbm" and (slot.memory == "psum" or source is None or self.chance(0.3)):
            return f"nisa.memset({there}, 1)"
        return f"nisa.dma_copy(dst={there}, src={source or 'x'}[{rows}, {columns}])"

    def operand(self, slot: Slot, *, partly: bool, looped: bool) -> str:
        base, view = self._view(slot, result=False)
        self.fill(base.name, base, base.rows, base.columns, partly=partly)
        return view

    def _view(self, slot: Slot, *, result: bool) -> tuple[Slot, str]:
        """A tensor, and a view of it that is the operand."""
        rows, columns = slot.rows, slot.columns
        flat = len(slot.shape) == 2
        shaped = "" if flat else f".reshape_dim(1, {slot.shape[1:]})"
        kinds = ["plain"] * 3 + ["slice"]
        # Functions of the language compare shapes.
        any_rank = self.call.name.startswith("nisa.")
        if flat:
            kinds += ["stride", "reversed"]
            if self.index:
                kinds += ["piece", "piece"]
            if rows <= 32 and slot.memory == "sbuf":
                kinds += ["lanes"]
            if slot.dtype == "float32" and slot.memory == "sbuf":
                kinds += ["bytes"]
            if columns > 1 and columns % 2 == 0 and any_rank:
                kinds += ["split"]
            if slot.memory == "hbm":
                kinds += ["turned", "folded"]
            if not result:
                kinds += ["repeated"] if columns > 1 else []
                kinds += ["row"] if rows > 1 and slot.dtype == "float32" and slot.memory == "sbuf" else []
                kinds += ["column"] if columns > 1 and slot.dtype == "float32" and slot.memory == "sbuf" else []
                kinds += ["windows"] if columns == 8 and any_rank else []
        kind = self.random.choice(kinds)

        def made(p: int, f: int, dtype: str = "") -> Slot:
            name = self.declare(slot, p, f, dtype)
            return Slot(name, (p, f), dtype or slot.dtype, slot.memory)

        if kind == "slice":
            base = made(rows, columns + 3)
            return base, f"{base.name}[:, 2:{columns + 2}]{shaped}"
        if kind == "stride":
            base, first = made(rows, 2 * columns), self.random.randrange(2)
            return base, f"{base.name}[:, {first}:{2 * columns}:2]"
        if kind == "reversed":
            base = made(rows, columns)
            return base, f"{base.name}.ap([[{columns}, {rows}], [-1, {columns}]], offset={columns - 1})"
        if kind == "piece":
            base = made(rows, MOST * columns)
            at = self.random.choice((self.index, f"(n - 1 - {self.index})", f"({MOST - 1} - {self.index})"))
            return base, f"{base.name}[:, {at} * {columns} : {at} * {columns} + {columns}]"
        if kind == "lanes":
            base = made(ROWS, columns)
            return base, f"{base.name}[32:{32 + rows}, :]"
        if kind == "bytes":
            base = made(rows, 2 * columns, "bfloat16")
            return base, f"{base.name}.view(nl.float32)"
        if kind == "split":
            base = made(rows, columns)
            steps = self.random.choice(("[1, 2], [2, {}]", "[{}, 2], [1, {}]")).format(columns // 2, columns // 2)
            return base, f"{base.name}.ap([[{columns}, {rows}], {steps}], offset=0)"
        if kind == "turned":
            base = made(columns, rows)
            return base, f"{base.name}.ap([[1, {rows}], [{rows}, {columns}]], offset=0)"
        if kind == "folded":
            base = made(columns, rows)
            return base, f"{base.name}.reshape(({rows}, {columns}))"
        if kind == "repeated":
            base, width = made(rows, 4), self.random.randrange(4)
            return base, f"{base.name}.ap([[4, {rows}], [0, {columns}]], offset={width})"
        if kind == "windows":
            base = made(rows, columns)
            return base, f"{base.name}.ap([[8, {rows}], [1, 4], [2, 2]], offset=1)"
        if kind == "row":
            base = made(1, columns)
            return base, f"nl.broadcast_to({base.name}, ({rows}, {columns}))"
        if kind == "column":
            base = made(rows, 1)
            return base, f"nl.broadcast_to({base.name}, ({rows}, {columns}))"
        base = made(rows, columns)
        return base, base.name + (shaped and f".reshape({slot.shape})")

    def issue(self, bound: dict[str, str], stored: Slot) -> str:
        views, found = dict(bound), ""
        for slot in self.call.results:
            base, view = self._view(slot, result=True)
            if self.chance(0.2):
                self.fill(base.name, base, base.rows, base.columns, partly=self.chance(0.5))
            views[slot.name] = view
            if slot is stored:
                found = view
        for statement in self.call.text.split("; "):
            self.line(statement.format(**views))
        if stored.memory == "psum":
            copy = self.name("t")
            self.line(f"{copy} = nl.ndarray({stored.shape}, dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"nisa.tensor_copy({copy}, {found})")
            found = copy
        return found

    def keep(self, carried: str, found: str) -> None:
        self.line(f"nisa.tensor_copy({carried}, {found})")


class _Legacy(_Writer):
    """Kernels of the legacy API."""

    header = LEGACY_HEADER
    ranges = ("range", "nl.affine_range", "nl.affine_range", "nl.sequential_range")

    def __init__(self, source: random.Random, call: Call) -> None:
        super().__init__(source, call)
        self._masked = "{m}" in call.text and self.chance(0.5)

    def put(self, base: str, slot: Slot, rows: str, columns: str) -> str:
        there = f"{base}[{rows}, {columns}]"
        source = {"float32": "x", "uint8": "u"}.get(slot.dtype)
        if slot.memory == "hbm":
            return f"nl.store({there}, nl.load(x[{rows}, {columns}]))"
        if source is None:
            return f"{there} = 1"
        if self.chance(0.25) and ":2" not in columns[-2:]:
            (_, high), (low, right) = rows.split(":"), columns.split(":")
            grid = f"q, w = nl.mgrid[0:{slot.rows}, 0:{slot.columns}]\n"
            mask = f"(q < {high.strip()}) & (w < {right.strip()}) & (w >= {low.strip()})"
            return f"{grid}{base}[q, w] = nl.load({source}[q, w], mask={mask})"
        return f"{there} = nl.load({source}[{rows}, {columns}])"

    def operand(self, slot: Slot, *, partly: bool, looped: bool) -> str:
        rows, columns = slot.rows, slot.columns
        flat = len(slot.shape) == 2
        kinds = ["plain"] * 2 + (["slice", "stride", "reversed"] if flat and columns > 1 else [])
        kinds += ["piece", "piece"] if self.index and flat else []
        kinds += (
            ["row", "column"]
            if flat and columns > 1 and rows > 1 and not self._masked and slot.memory == "sbuf"
            else []
        )
        kind = self.random.choice(kinds)
        shape = {
            "slice": (rows, columns + 3), "stride": (rows, 2 * columns), "piece": (rows, MOST * columns),
            "row": (1, columns), "column": (rows, 1),
        }.get(kind, (rows, columns))  # fmt: skip
        base = self.declare(slot, *shape)
        self.fill(base, Slot(base, shape, slot.dtype, slot.memory), *shape, partly=partly)
        if not flat:
            return f"{base}.reshape({slot.shape})"
        if kind in ("row", "column"):
            return f"nl.broadcast_to({base}, shape=({rows}, {columns}))"
        indexed = (self._masked and columns > 1) or kind in ("stride", "reversed")
        if not indexed:
            if kind == "piece":
                return f"{base}[0:{rows}, {self.index} * {columns} : {self.index} * {columns} + {columns}]"
            return f"{base}[0:{rows}, 2:{columns + 2}]" if kind == "slice" else base
        i, j = self._grid(slot)
        column = {
            "slice": f"{j} + 2", "stride": f"2 * {j}", "reversed": f"{columns - 1} - {j}",
            "piece": f"{self.index} * {columns} + {j}",
        }.get(kind, j)  # fmt: skip
        return f"{base}[{i}, {column}]"

    def _grid(self, slot: Slot) -> tuple[str, str]:
        """The names of the indices of a shape."""
        names = f"i{slot.rows}x{slot.columns}", f"j{slot.rows}x{slot.columns}"
        head = f"{', '.join(names)} = nl.mgrid[0:{slot.rows}, 0:{slot.columns}]"
        if not any(line.strip() == head and len(line) - len(line.lstrip()) <= 4 for line in self.lines):
            self.lines.insert(0, "    " + head)
        return names

    def _mask(self) -> str:
        wide = max(self.call.operands, key=lambda slot: slot.columns * slot.rows)
        (i, j), rows, columns = self._grid(wide), wide.rows // MOST or 1, wide.columns // MOST or 1
        options = [
            f"{i} < {rows} * {self.count()}", f"{j} < {columns} * {self.count()}", f"{j} >= {columns} * {self.count()}",
            f"({i} < {rows} * {self.count()}) & ({j} < {columns} * {self.count()})",
            f"{i} + {self.random.choice((1, 2, 4))} * {j} < {self.random.randint(4, 30)}",
            f"{j} + 1 < {self.count()}", f"{i} >= 4 * n", f"{j} < 0 * {i} + 3",
        ]  # fmt: skip
        return f", mask=({self.random.choice(options)})"

    def issue(self, bound: dict[str, str], stored: Slot) -> str:
        views = {**bound, "m": self._mask() if self._masked else ""}
        for slot in self.call.results:
            if slot.memory == "hbm":
                base = self.declare(slot, slot.rows, slot.columns)
                i, j = self._grid(slot)
                views[slot.name] = f"{base}[{i}, {j}]" if self._masked else base
                bound[slot.name] = base
        for statement in self.call.text.split("; "):
            self.line(statement.format(**views))
        return bound.get(stored.name, stored.name)

    def keep(self, carried: str, found: str) -> None:
        self.line(f"{carried}[...] = {found}")


def _reordered(text: str) -> str:
    """The kernel with the iterations of loops over `affine_range` the other way round."""
    found = []
    for line in text.split("\n"):
        if "for " in line and "affine_range" in line and line.rstrip().endswith(":"):
            head, _, over = line.rstrip()[:-1].partition(" in ")
            line = f"{head} in list({over.replace('nl.affine_range', 'range')})[::-1]:"
        found.append(line)
    return "\n".join(found)
