"""The pictures of a target, as numbers that a template draws: what is live over the lines of a kernel, and what stores
each element of an output."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Coverage, Growth, Line, MemoryPeak, Part, Tile

#: Units of a drawing; a page scales it.
WIDTH, HEIGHT = 640, 180
#: Tensors with a colour of their own; the others, which take least, are drawn as one.
COLOURS = 8
#: Lines whose numbers are written below, at most.
_NUMBERS = 12
#: Of a limit that is this many times as much as what is live, the drawing would be empty.
_FAR = 6
#: Sides of the drawing of a map.
_MAP_WIDTH, _MAP_HEIGHT, _LEAST = 640, 320, 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in the colour of that number, with what it says."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    says: str


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of a legend."""

    colour: int
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class OccupancyPicture:
    """The tensors live over the lines. `limit` is the height of the limit, None where it is too far up to be drawn."""

    memory: str
    bars: tuple[Bar, ...]
    numbers: tuple[tuple[float, str], ...]
    names: tuple[LegendEntry, ...]
    limit: float | None
    limit_bytes: int
    most: int
    at: str
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class Curve:
    """The bytes that are live at most for values of a dimension: `points` with what they say, and the `limit`; None
    where it is too far up to be drawn."""

    memory: str
    dimension: str
    points: tuple[tuple[float, float, str], ...]
    numbers: tuple[tuple[float, str], ...]
    limit: float | None
    limit_bytes: int
    others: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def line(self) -> str:
        """The points, as SVG has them."""
        return " ".join(f"{x},{y}" for x, y, _ in self.points)


@dataclass(frozen=True, slots=True)
class StoreMap:
    """The stores to each element of a tensor; colour -1 is nothing, -2 what data decide."""

    title: str
    bars: tuple[Bar, ...]
    names: tuple[LegendEntry, ...]
    scale: str
    width: float
    height: float


def occupancy(peak: MemoryPeak) -> OccupancyPicture | None:
    """The picture of a memory; None where it is not known what is live."""
    if not peak.places or not peak.tiles:
        return None
    order = sorted(peak.tiles, key=lambda one: -max((span.bytes for span in one.spans), default=0))
    colours = {id(one): min(number, COLOURS) for number, one in enumerate(order)}
    amounts = [[_bytes_at(one, place) for one in peak.tiles] for place in range(len(peak.places))]
    most = max(map(sum, amounts))
    if not most:
        return None
    top = _top(peak.limit, most)
    return OccupancyPicture(
        memory=peak.memory.upper(),
        bars=tuple(_bars(peak, amounts, colours, HEIGHT / top)),
        numbers=tuple(_numbers(peak.places)),
        names=tuple(_names(order)),
        limit=HEIGHT - peak.limit * HEIGHT / top if peak.limit <= top else None,
        limit_bytes=peak.limit,
        most=most,
        at=_values(peak.at),
    )


def curves(peak: MemoryPeak) -> list[Curve]:
    """A picture for each dimension that a memory fills with."""
    return [_curve(peak, one) for one in peak.along if max(one.bytes)]


def _curve(peak: MemoryPeak, growth: Growth) -> Curve:
    first, last = growth.values[0], growth.values[-1]
    top = _top(peak.limit, max(growth.bytes))
    across = [(value - first) * WIDTH / (last - first) for value in growth.values]
    points = tuple(
        (round(x, 1), round(HEIGHT - taken * HEIGHT / top, 1), f"{growth.dimension} = {value}: {taken} bytes")
        for x, value, taken in zip(across, growth.values, growth.bytes, strict=True)
    )
    shown = range(0, len(across), max(1, -(-len(across) // _NUMBERS)))
    return Curve(
        memory=peak.memory.upper(),
        dimension=growth.dimension,
        points=points,
        numbers=tuple((round(across[at], 1), str(growth.values[at])) for at in shown),
        limit=round(HEIGHT - peak.limit * HEIGHT / top, 1) if peak.limit <= top else None,
        limit_bytes=peak.limit,
        others=_values({name: value for name, value in peak.at.items() if name != growth.dimension}),
    )


def _top(limit: int, most: int) -> float:
    """The bytes that a drawing is high in which this many are live at most."""
    return max(limit if limit <= _FAR * most else most * 1.1, most)


def _bytes_at(tile: Tile, place: int) -> int:
    return sum(span.bytes for span in tile.spans if span.first <= place <= span.last)


def _bars(peak: MemoryPeak, amounts: Sequence[Sequence[int]], colours: dict[int, int], unit: float) -> list[Bar]:
    """The tensors one upon the other at each place; at places next to each other that are the same they are one."""
    step = WIDTH / len(peak.places)
    found: list[Bar] = []
    open_at: dict[int, tuple[int, float, int]] = {}

    def close(number: int, end: int) -> None:
        first, bottom, taken = open_at.pop(number)
        tile = peak.tiles[number]
        says = f"{tile.name}: {taken} bytes, {_lines(peak.places[first:end])}"
        x, y, width = first * step, HEIGHT - (bottom + taken * unit), (end - first) * step
        colour = colours[id(tile)]
        found.append(Bar(round(x, 1), round(y, 1), round(width, 1), round(taken * unit, 1), colour, says))

    for place, taken in enumerate([*amounts, [0] * len(peak.tiles)]):
        bottom = 0.0
        for number, amount in enumerate(taken):
            known = open_at.get(number)
            if known is not None and (not amount or known[1:] != (bottom, amount)):
                close(number, place)
            if amount and number not in open_at:
                open_at[number] = (place, bottom, amount)
            bottom += amount * unit
    return found


def _numbers(places: Sequence[Line]) -> list[tuple[float, str]]:
    """The numbers of some lines, with where they stand; of another file with its name."""
    step = max(1, -(-len(places) // _NUMBERS))
    found, file = [], places[0].file
    for position in range(0, len(places), step):
        one = places[position]
        named = f"{one.file.rpartition('/')[2]}:{one.line}" if one.file != file else str(one.line)
        found.append((round((position + 0.5) * WIDTH / len(places), 1), named))
    return found


def _names(order: Sequence[Tile]) -> list[LegendEntry]:
    named = []
    for number, one in enumerate(order[:COLOURS]):
        most = max((span.bytes for span in one.spans), default=0)
        line = f", line {one.place.line}" if one.place is not None else ""
        named.append(LegendEntry(number, one.name, f"{one.dtype}[{', '.join(one.shape)}]{line}: {most} bytes at most"))
    if len(order) > COLOURS:
        named.append(LegendEntry(COLOURS, f"{len(order) - COLOURS} others", ""))
    return named


def _lines(places: Sequence[Line]) -> str:
    numbers = [one.line for one in places]
    return f"line {numbers[0]}" if len(set(numbers)) == 1 else f"lines {numbers[0]} to {numbers[-1]}"


def coverage(one: Coverage) -> StoreMap | None:
    """The map of an output; None where one line stores all of it, or it has no elements."""
    if not one.rows or not one.columns or [part.store for part in one.parts] == [0]:
        return None
    wide = max(1.0, min(_MAP_WIDTH / one.columns, 32.0))
    high = max(1.0, min(_MAP_HEIGHT / one.rows, 32.0))
    bars = tuple(
        Bar(
            round(part.column * wide, 1),
            round(part.row * high, 1),
            round(max(part.columns * wide, 1.0), 1),
            round(max(part.rows * high, 1.0), 1),
            min(part.store, COLOURS),
            _says(one, part),
        )
        for part in one.parts
    )
    stores = [
        LegendEntry(min(number, COLOURS), f"line {line.line}", f"of {line.file}")
        for number, line in enumerate(one.stores)
    ]
    if any(part.store == -2 for part in one.parts):
        stores.append(LegendEntry(-2, "perhaps", "data decide whether it is stored"))
    if any(part.store == -1 for part in one.parts):
        stores.append(LegendEntry(-1, "nothing", "no line stores it"))
    rows, columns = one.each
    extents = ", ".join(map(str, one.shape))
    return StoreMap(
        title=f"{one.tensor}[{extents}]{f' for {_values(one.at)}' if one.at else ''}",
        bars=bars,
        names=tuple(stores),
        scale=f"Each row stands for {rows}, each column for {columns} elements." if rows * columns > 1 else "",
        width=max(one.columns * wide, _LEAST),
        height=max(one.rows * high, _LEAST),
    )


def _says(one: Coverage, part: Part) -> str:
    if part.store == -1:
        return "nothing stores it"
    if part.store == -2:
        return "data decide whether it is stored"
    return f"stored at {', then at '.join(part.order) or f'line {one.stores[part.store].line}'}"


def _values(at: dict[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in at.items())
