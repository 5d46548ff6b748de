"""Statements about tensors: tiles, slices, tails, instructions whose operands have shapes that depend on the domain."""

from __future__ import annotations

from lab.structures import Structures


class Tiles(Structures):
    """Writes what makes and reads tensors."""

    def _extent(self) -> str:
        return f"max(1, {self.expression(1)})" if self.chance(0.5) else self.positive()

    def new_tile_statement(self, depth: int) -> None:
        name = self.name("tile")
        pad = self.place()
        self.pads.append(pad)
        extent = f"{self.expression(1)} + PAD_{pad}"
        buffer = self.random.choice(("nl.sbuf", "nl.sbuf", "nl.shared_hbm"))
        size = self.name("n")
        self.line(f"{size} = {extent}")
        self.line(f"{name} = nl.ndarray((128, {size}), dtype=nl.float32, buffer={buffer})")
        self.scope.tiles.append((name, f"{size}:{pad}"))

    def slice(self, depth: int) -> None:
        name, about = self.random.choice(self.scope.tiles)
        size, _, pad = about.partition(":")
        start = self.expression(1) if self.chance(0.4) else f"max(0, {self.expression(1)})"
        length = self._extent()
        begin, end = self.name("s"), self.name("z")
        self.line(f"{begin} = {start}")
        self.line(f"{end} = {begin} + {length}")
        # By how much the tile is too small for this.
        self.line(f"__fit__({pad}, {end} - ({size} - PAD_{pad}))")
        part = f"{name}[0:128, {begin}:{end}]"
        kind = self.random.randrange(5)
        if kind == 0:
            self.line(f"nisa.memset(dst={part}, value=0.0)")
        elif kind == 1:
            other = self.name("copy")
            self.line(f"{other} = nl.ndarray((128, {length}), dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"nisa.dma_copy(dst={other}, src={part})")
        elif kind == 2:
            self.line(f"{self.name('part')} = {name}[0:128, nl.ds({begin}, {end} - {begin})]")
        else:
            self.line(f"{self.name('part')} = {part}")

    def tail(self, depth: int) -> None:
        """Tiles of a fixed size over an extent they do not divide."""
        size = self.random.choice((2, 3, 4))
        total = self.name("n")
        tile, index = self.name("tile"), self.name("i")
        name = self.name("x")
        pad = self.place()
        self.pads.append(pad)
        self.line(f"{total} = max(1, {self.expression(1)})")
        self.line(f"{name} = nl.ndarray((128, {total} + PAD_{pad}), dtype=nl.float32, buffer=nl.shared_hbm)")
        trips = self.random.choice(
            (f"({total} + {size - 1}) // {size}", f"math.ceil({total} / {size})", f"-(-{total} // {size})")
        )
        with self.block(f"for {index} in {self.random.choice(('range', 'nl.affine_range'))}({trips}):"):
            self.scope.ints.append(index)
            width, start = self.name("w"), self.name("s")
            self.line(f"{start} = {index} * {size}")
            rest = self.random.choice(
                (
                    f"min({size}, {total} - {start})",
                    f"min({start} + {size}, {total}) - {start}",
                    f"{size} if {start} + {size} <= {total} else {total} - {start}",
                )
            )
            self.line(f"{width} = {rest}")
            self.line(f"{tile} = nl.ndarray((128, {size}), dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"__fit__({pad}, {start} + {width} - {total})")
            self.line(f"nisa.dma_copy(dst={tile}[0:128, 0:{width}], src={name}[0:128, {start}:{start} + {width}])")
            self.scope.ints += [width, start]
            self.loop_body(depth)

    def tile_pair(self, depth: int) -> None:
        """An instruction whose operands have shapes that depend on the domain."""
        one, two = self._extent(), self._extent()
        common = self.name("n")
        a, b, c = self.name("a"), self.name("b"), self.name("c")
        self.line(f"{common} = max(1, min({one}, {two}))")
        kind = self.random.randrange(3)
        if kind == 0:
            other = self.random.choice((common, common, one))
            for name, extent in ((a, common), (b, other), (c, common)):
                self.line(f"{name} = nl.ndarray((128, {extent}), dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"nisa.tensor_tensor(dst={c}, data1={a}, data2={b}, op=nl.add)")
        elif kind == 1:
            rows = self.random.choice(("128", common, f"min(128, {common})"))
            self.line(f"{a} = nl.ndarray(({rows}, {common}), dtype=nl.bfloat16, buffer=nl.sbuf)")
            self.line(f"{b} = nl.ndarray(({a}.shape[0], {two}), dtype=nl.bfloat16, buffer=nl.sbuf)")
            self.line(f"{c} = nl.ndarray(({common}, {two}), dtype=nl.float32, buffer=nl.psum)")
            self.line(f"nisa.nc_matmul(dst={c}, stationary={a}, moving={b})")
        else:
            self.line(f"{a} = nl.ndarray((128, {common}), dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"{b} = nl.ndarray((128, {one}), dtype=nl.float32, buffer=nl.sbuf)")
            self.line(f"nisa.tensor_copy(dst={a}, src={b}[0:128, 0:{common}])")

    def tile_list(self, depth: int) -> None:
        name, index = self.name("tiles"), self.name("i")
        pad = self.place()
        self.pads.append(pad)
        bound = self.variable()
        self.scope.ints.append(index)
        extent = f"max(1, {self.expression(1)}) + PAD_{pad}"
        self.scope.ints.remove(index)
        tensor = f"nl.ndarray((128, {extent}), dtype=nl.float32, buffer=nl.sbuf)"
        if self.chance(0.5):
            self.line(f"{name} = [{tensor} for {index} in range({bound})]")
        else:
            self.line(f"{name} = []")
            with self.block(f"for {index} in range({bound}):"):
                self.scope.ints.append(index)
                if self.chance(0.3):
                    self.body(depth - 1, 1, 1)
                self.line(f"{name}.append({tensor})")
        self.scope.tile_lists.append((name, pad))

    def read_tile_list(self, depth: int) -> None:
        name, pad = self.random.choice(self.scope.tile_lists)
        index = self.expression(1)
        end = self.name("z")
        with self.block(f"if {name}:" if self.chance(0.6) else f"if 0 <= {index} < len({name}):"):
            tile = self.name("tile")
            self.line(f"{tile} = {name}[{index if 'len' in self.lines[-1] else f'{index} % len({name})'}]")
            self.line(f"{end} = max(1, {self.expression(1)})")
            self.line(f"__fit__({pad}, {end} - ({tile}.shape[1] - PAD_{pad}))")
            self.line(f"{self.name('part')} = {tile}[0:128, 0:{end}]")
