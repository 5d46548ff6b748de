"""A shape program at one shape: the records that the concrete execution of that shape has to make, in their order.

The program, with its dimensions set to numbers and its loops gone through index by index, is a list of operations with
their operands, allocations, results, and iterations of loops without an order, as text. So is what a concrete execution
records: the two are compared item by item, which checks the frontend itself, whatever any phase claims. What may differ
is that a `Loop` stands for its iterations, and that a loop without an order in which nothing is executed may be left
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from math import prod
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Assume, Branch, Claim, Drawn, Item, Iteration, Loop, ParallelLoop, Program
from nkiverify.ir.walk import Path, Visitor, of_kind, ways_to
from nkiverify.model.indices import IndexTensor, Mask, MaskTerm
from nkiverify.model.recorded import Allocation, DeviceLoop, Executed, Returned, programs
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import as_term
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation


class CannotInstantiate(Exception):
    """The values of the dimensions do not say what the program does, or it does more than is compared."""


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item as text, with the places of its views in their storages: None of one that an index moves, as an index
    that is known at one shape moves it for good there."""

    text: str
    places: tuple[str | None, ...] = ()

    def agrees(self, other: ItemText | None) -> bool:
        """True if both may be of the same item."""
        if other is None or self.text != other.text:
            return False
        return all(None in (one, two) or one == two for one, two in zip(self.places, other.places, strict=True))

    def __str__(self) -> str:
        known = [f"[{place or 'where an index says'}]" for place in self.places]
        return " ".join([self.text, *(["with elements", *known] if known else [])])


_RETURNS = "returns "
_DRAWN = ItemText("indices drawn")
_MARKS = _BEGINS, _ITERATION, _ENDS = tuple(map(ItemText, ("loop without an order", "iteration", "its end")))


def instantiate(program: Program, values: Mapping[str, int], most: int | None = None) -> Instance:
    """The program at these values of its dimensions. Raises `CannotInstantiate`, also beyond `most` items."""
    given: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in program.dimensions}
    grid = programs(program.body)
    instance = Instance(most)
    try:
        for number, coordinates in enumerate(product(*(range(Valuation(given).term(atom.extent)) for atom in grid))):
            instance.in_launch = number > 0
            instance.at({**given, **dict(zip(grid, coordinates, strict=True))}).visit(program.body)
    except Undefined:
        raise CannotInstantiate("a condition on what no dimension decides") from None
    return instance


def claims_at(program: Program, values: Mapping[str, int]) -> int:
    """An estimate of how many claims the program has at these values: as if every loop went round as often as in the
    first iteration of those around it, and both arms of a branch on an iteration were taken."""
    given: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in program.dimensions}
    loops, grid = list(of_kind(program.body, Loop)), programs(program.body)
    first = Valuation({**given, **dict.fromkeys(grid, 0), **{loop.index: 0 for loop in loops}})

    def number(extent: Term) -> int:
        try:
            return first.term(extent)
        except Undefined:
            return 1

    def reached(path: Path) -> bool:
        decided = (one for one in path.conditions if isinstance(one, Condition) and not one.indices())
        return all(map(first.holds, decided))

    rounds = {loop: number(loop.extent) for loop in loops}
    found = sum(prod(rounds[loop] for loop in path.loops) for path, _ in ways_to(program.body, Claim) if reached(path))
    return found * prod(number(atom.extent) for atom in grid)


class Instance(Visitor[None]):
    """A program at one shape: `items` as text, in order, and its claims, of which some hold whatever the shape is."""

    def __init__(self, most: int | None) -> None:
        self.items: list[ItemText] = []
        self.claims: list[Claim] = []
        #: Whether what is executed outside of the launch has been visited.
        self.in_launch = False
        self._most = most
        self._given: dict[Atom, int] = {}
        self._here = Valuation({})

    def at(self, given: dict[Atom, int]) -> Instance:
        """Visit items with these values from here on."""
        self._given, self._here = given, Valuation(given)
        return self

    def before(self, item: Item) -> None:
        if self._most is not None and len(self.items) > self._most:
            raise CannotInstantiate("more items than are compared")

    def assume(self, item: Assume) -> Iterable[None]:
        if not self._here.holds(item.condition):
            raise CannotInstantiate(f"it is assumed that {item.condition}")
        return ()

    def claim(self, item: Claim) -> Iterable[None]:
        if item.condition is False and item.of_exception:
            raise CannotInstantiate("the path ends there, as an exception is raised")
        self.claims.append(item)
        return ()

    def branch(self, item: Branch) -> Iterable[None]:
        self.visit(item.then if self._here.holds(item.condition) else item.orelse)
        return ()

    def loop(self, item: Loop) -> Iterable[None]:
        around = self._given
        self.items += [_BEGINS] if item.parallel else []
        for number in range(self._here.term(item.extent)):
            self.items += [_ITERATION] if item.parallel else []
            self.at({**around, item.index: number}).visit(item.body)
        self.items += [_ENDS] if item.parallel else []
        self.at(around)
        return ()

    def recorded(self, item: Item) -> Iterable[None]:
        if isinstance(item, DeviceLoop):
            # A concrete execution runs its body once as well, or once for each iteration.
            return ()
        if self.in_launch and isinstance(item, Executed | Allocation) and not _program_of(item):
            return ()
        self.items.append(text_of(item, self._here))
        return ()


def _program_of(item: Executed | Allocation) -> tuple[object, ...]:
    """The coordinates of the program that executes an item; none outside of a launch."""
    return item.operation.program if isinstance(item, Executed) else item.program


def recorded_items(recorded: Iterable[Item]) -> list[ItemText]:
    """The records of a concrete execution, as the items of an instance are written."""
    here = Valuation({})
    return [text_of(item, here) for item in recorded]


def first_difference(symbolic: Sequence[ItemText], concrete: Sequence[ItemText]) -> str:
    """The first item in which an instance and the records of an execution differ; empty if none does.

    Where an instance draws indices itself, what is done for them is not known in it, and the concrete execution
    decides: then it may lack the loop that the indices are of."""
    left_out = _MARKS if _DRAWN in symbolic else ()
    compared = ([item for item in items if item not in left_out] for items in (symbolic, concrete))
    for number, (one, two) in enumerate(zip_longest(*map(_comparable, compared))):
        if one is None or not one.agrees(two):
            return f"item {number}: symbolic {one}, concrete {two}"
    if _DRAWN in concrete and _DRAWN not in symbolic:
        return "indices are drawn in the concrete execution only"
    return ""


def text_of(item: Item, here: Valuation) -> ItemText:
    """An item of either execution as text."""
    if isinstance(item, Executed):
        done = item.operation
        read = dict(done.reads)
        adds = done.attributes.get("accumulate")
        if isinstance(adds, Condition) and not here.holds(adds):
            # It may read what is there, and with these values it does not.
            del read["dst"]
        operands = [f"{name} = {_tensor(view, here)}" for name, view in read.items()]
        results = [f"{name} = {_tensor(view, here)}" for name, view in done.writes.items()]
        more = ", ".join(sorted(done.attributes)) + (", masked" if _is_masked(done.mask, here) else "")
        return ItemText(
            f"{_line(item.site)}: {done.name}({', '.join(operands)}; {more}) -> {', '.join(results)}",
            tuple(_place(view, here) for view in (*read.values(), *done.writes.values())),
        )
    if isinstance(item, Allocation):
        storage = item.storage
        said = f"{storage.dtype}[{_numbers(storage.shape, here)}] in {storage.buffer}"
        return ItemText(f"{_line(item.site)}: {said}")
    if isinstance(item, Returned):
        return ItemText(f"{_RETURNS}{', '.join(sorted({_tensor(tensor, here) for tensor in item.tensors}))}")
    if isinstance(item, ParallelLoop):
        return _BEGINS if item.begins else _ENDS
    if isinstance(item, Iteration):
        return _ITERATION
    assert isinstance(item, Drawn)
    return _DRAWN


def _comparable(items: Sequence[ItemText]) -> list[ItemText]:
    """The items with all results at the end, each once: a launch returns what each of its programs returns."""
    results = {item.text: item for item in items if item.text.startswith(_RETURNS)}
    others = (item for item in items if item.text not in results and item != _DRAWN)
    return [*_without_empty_loops(others), *(results[text] for text in sorted(results))]


def _without_empty_loops(items: Iterable[ItemText]) -> Iterator[ItemText]:
    pending: list[ItemText] = []
    for item in items:
        if item == _BEGINS:
            yield from pending
            pending = [item]
        elif pending and item == _ENDS:
            pending = []
        elif pending and item == _ITERATION:
            pending.append(item)
        else:
            yield from (*pending, item)
            pending = []
    yield from pending


def _is_masked(mask: Mask | None, here: Valuation) -> bool:
    """True if a mask leaves out something with these values, as far as a run of numbers looks."""
    if mask is None:
        return False

    def number(value: object) -> Any:
        term = as_term(value)
        return value if term is None else here.term(term)

    terms = [
        MaskTerm(
            IndexTensor(
                number(one.difference.base),
                tuple(map(number, one.difference.coefficients)),
                tuple(map(number, one.difference.shape)),
            ),
            one.relation,
        )
        for one in mask.terms
    ]
    host = here.holds(mask.host) if isinstance(mask.host, Condition) else mask.host
    return Mask(tuple(terms), host).without_known() is not None


def _tensor(view: Tensor, here: Valuation) -> str:
    return f"{view.dtype}[{_numbers(view.shape, here)}]"


def _place(view: Tensor, here: Valuation) -> str | None:
    """The first element of a view and its strides, of those dimensions that have more than one element."""
    shape = [_number(extent, here) for extent in view.shape]
    if view.indirect_by is not None:
        return None
    if 0 in shape:
        return "none"
    strides = [_number(stride, here) for extent, stride in zip(shape, view.strides, strict=True) if extent != 1]
    first = str(_number(view.offset, here))
    return f"{first} by {', '.join(map(str, strides))}" if strides else first


def _number(extent: object, here: Valuation) -> object:
    return here.term(term) if type(extent) is not int and (term := as_term(extent)) is not None else extent


def _numbers(extents: Iterable[object], here: Valuation) -> str:
    return ", ".join(str(_number(one, here)) for one in extents)


def _line(site: Site | None) -> int:
    return site.line if site is not None else 0
