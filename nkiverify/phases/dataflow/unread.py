"""Parts of an input that are never read: a range that a kernel leaves out, the tail that a loop over whole tiles drops.

The sets of what may be read say at which shapes something is left out; where they cannot, small shapes and larger ones
are run. What is reported is a range, as in `x[:, 640:]`: one that is left out on purpose is a warning to be ignored,
while every other column, or what a mask or an index picks, is not reported of but where a larger shape reads all of the
input.

For that the sizes to try come from the program: where it divides a dimension by a constant, the dimension is set to one
more than that, and to a multiple of it. Concrete runs decide. What may be read counts as read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from nkiverify.analysis.effects import Does, Effects
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.marks.windows import window
from nkiverify.foundation.budget import WarningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Storage
from nkiverify.phases.dataflow.tails import tails

if TYPE_CHECKING:
    import numpy.typing as npt

#: What is said of elements that are no range.
IN_PART = " in part"


@dataclass(frozen=True, slots=True)
class UnreadRange:
    """An input of which `elements` (as in Python, `[:, 512:]`) are not read at the shape `values`, and all at `larger`,
    if at any that was run.

    `position` is the last operation that reads it, `operand` what it is there, `first` the first element left out.
    """

    values: dict[str, int]
    larger: dict[str, int] | None
    name: str
    elements: str
    position: int
    operand: str
    first: tuple[int, ...]

    @property
    def message(self) -> str:
        """Both shapes in words: of the larger one, the sizes that differ."""
        at = f" for {_in_words(self.values)}" if self.values else ""
        if self.larger is None:
            return f"{self.name}{self.elements} is never read{at}"
        changed = {name: value for name, value in self.larger.items() if value != self.values[name]}
        left_out = f"{self.name}{self.elements} is never read for {_in_words(self.values)}"
        return f"{left_out}, all of {self.name} is for {_in_words(changed)}"


def _in_words(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def unread_ranges(
    shapes: Iterable[dict[str, int]],
    run: Callable[[dict[str, int]], Sequence[Recorded] | None],
    left_out: Collection[str],
) -> Iterator[UnreadRange]:
    """The inputs of which a range is never read at one of some shapes, at the first of them, but for those `left_out`.
    What is no range at another of these shapes is none."""
    found: dict[str, UnreadRange] = {}
    for values in shapes:
        for name, one in reads_of(run(values) or ()).items():
            if name in left_out or one.there.all():
                continue
            elements = as_slices(~one.there)
            first = tuple(int(at) for at in np.argwhere(~one.there)[0])
            new = UnreadRange(values, None, name, elements, one.position, one.operand, first)
            found[name] = new if elements.endswith(IN_PART) else found.get(name, new)
    yield from (one for one in found.values() if not one.elements.endswith(IN_PART))


@dataclass(slots=True)
class Read:
    """The elements of an input that a run reads."""

    storage: Storage
    there: npt.NDArray[np.bool_]
    position: int
    operand: str


def unread_tails(
    program: Program, dimensions: Sequence[DomainDimension], run: Callable[[dict[str, int]], Sequence[Recorded] | None]
) -> Iterator[UnreadRange]:
    """The inputs that are read in part at some shape and wholly at a larger one, each once.

    `run` gives what a concrete run on a shape records; None where it cannot be known.
    """
    reported: set[str] = set()
    for smaller, larger in islice(tails(program, dimensions), WarningBudget.PAIRS_OF_SHAPES):
        recorded = run(smaller)
        left_out = {
            name: one for name, one in reads_of(recorded or ()).items() if name not in reported and not one.there.all()
        }
        if not left_out:
            continue
        more = run(larger)
        whole = reads_of(more) if more is not None else {}
        for name, one in left_out.items():
            if name in whole and whole[name].there.all():
                reported.add(name)
                first = tuple(int(at) for at in np.argwhere(~one.there)[0])
                yield UnreadRange(smaller, larger, name, as_slices(~one.there), one.position, one.operand, first)


def reads_of(recorded: Sequence[Recorded]) -> dict[str, Read]:
    """The elements of each input that are read at all, by its name; of inputs that share a name none are reported."""
    layouts = Layouts(recorded)
    effects = Effects()
    last: dict[Storage, tuple[int, str]] = {}
    marks: dict[Storage, npt.NDArray[np.int32]] = {}
    for position, item in enumerate(recorded):
        if not isinstance(item, Executed):
            continue
        for effect in effects.of(item.operation):
            storage = effect.view.storage
            if effect.does is not Does.READ or not isinstance(storage.identity, tuple):
                continue
            cells = layouts.cells(storage)
            seen = marks.setdefault(storage, np.zeros(cells.count, np.int32))
            read = window(effect, layouts, storage, cells)
            if effect.view.indirect_by is None and read.in_range:
                read.write(seen, 1)
            else:
                # Any of it, as the indices have it.
                seen[:] = 1
            last[storage] = (position, effect.argument)
    names = Counter(storage.name for storage in last)
    alone = {storage: of for storage, of in last.items() if names[storage.name] == 1}
    return {storage.name: _read(layouts, marks[storage], storage, *of) for storage, of in alone.items()}


def _read(layouts: Layouts, seen: npt.NDArray[np.int32], storage: Storage, position: int, argument: str) -> Read:
    """The part of an input that is read, cell by cell, element by element."""
    ends = layouts.cells(storage).ends
    shape = tuple(int(extent) for extent in storage.shape)
    units = np.repeat(seen != 0, np.diff(ends)).reshape(*shape, storage.dtype.itemsize // layouts.unit(storage))
    return Read(storage, np.asarray(units.any(axis=-1)), position, argument)


def as_slices(missing: npt.NDArray[np.bool_]) -> str:
    """Elements as a key: `[:, 512:]`; where they are no box, the least box around them, and that it is one."""
    keys: list[str] = []
    box = 1
    for axis, extent in enumerate(missing.shape):
        others = tuple(other for other in range(missing.ndim) if other != axis)
        there = np.flatnonzero(missing.any(axis=others))
        start, stop = int(there[0]), int(there[-1]) + 1
        box *= stop - start
        keys.append(f"{start or ''}:{'' if stop == extent else stop}")
    text = f"[{', '.join(keys)}]"
    return text if box == int(missing.sum()) else f"{text}{IN_PART}"
