"""The shadow memory: which elements a concrete run has written, and what it did that is documented as undefined.

It executes the operations that a concrete run recorded, on marks instead of numbers. Each element of a storage is
unwritten, or holds something well defined, or something that was computed from an unwritten element: the mark then
names the read where that came in. Only what reaches a tensor that the kernel returns, or an argument, is a fault;
registers and indices made of it are faults at once. Programs of a launch grid run interleaved at their barriers, and
what several of them, or several iterations of a legacy `affine_range`, do to one element is compared.

The walk over all shapes is `nkiverify.analysis.sets.flow`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from nkiverify.analysis.element_marks import Marks, distinct
from nkiverify.analysis.marks.mark_findings import DEFINED, MAYBE, SURELY, UNWRITTEN, Fault, Findings, Notes
from nkiverify.analysis.marks.mark_transfer import MarkTransfer, Reading
from nkiverify.analysis.marks.order import (
    ABANDONED,
    DRAWN,
    Exchange,
    Recorded,
    Unmatched,
    interleaved,
    repeats_meeting,
    unmatched,
)
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.marks.storages import Shadows
from nkiverify.analysis.marks.unordered_loops import UnorderedLoops
from nkiverify.analysis.reduction_registers import Command, command_of, reading_rule
from nkiverify.analysis.uniform import stored_alike
from nkiverify.foundation.clock import now
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import assigned_name
from nkiverify.ir.program import Drawn, Iteration, ParallelLoop
from nkiverify.model.dependence import REDUCTION_RESULT
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

#: The time was over before the end of the run.
LATE = "time-out"
#: What may be undefined has come to an output.
_LEFT_OUT = "undefined elements that data, or the operation, may leave out"


def execute(
    items: Sequence[Recorded],
    generation: int,
    dead_stores: Collection[int] = (),
    seconds: float = float("inf"),
    accepted: Callable[[Fault], bool] = lambda fault: False,
    layouts: Layouts | None = None,
) -> Findings:
    """Execute what a concrete run recorded on hardware of `generation`; a doubt where that takes this many `seconds`.

    `dead_stores` are positions of operations whose results are followed, as if they were not defined: see
    `Findings.used`. Of two of them that reach the same element, one is found; so it is with reads of unwritten
    elements, of which those that are `accepted` give defined ones. `layouts` are those of the items, if they are known.
    """
    walk = _Walk(items, generation, Notes(accepted=accepted), frozenset(dead_stores), layouts)
    return walk.run(now() + seconds)


def first_reaching(
    items: Sequence[Recorded], generation: int, positions: Collection[int], layouts: Layouts | None = None
) -> Fault | None:
    """The first read at one of `positions` that brings an unwritten element to an output, with the first such element.

    Of an operation that has several such operands, it is the first of them.
    """
    notes = Notes(frozenset(positions))
    walk = _Walk(items, generation, notes, layouts=layouts)
    walk.run()
    first = notes.first_reached()
    return walk.placed(first) if first is not None else None


def followed(
    items: Sequence[Recorded], generation: int
) -> tuple[Findings, list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] | None]:
    """The findings of a run, and of each tensor returned which elements may be undefined, and which are so for sure.

    They differ where data choose what is used. None where neither is known.
    """
    walk = _Walk(items, generation, Notes())
    findings = walk.run()
    known = set(findings.doubts) <= {_LEFT_OUT}
    return findings, list(zip(walk.undefined, walk.surely_undefined, strict=True)) if known else None


def _waits(found: Unmatched, item: Recorded) -> Fault:
    """The fault that a program waits for ever."""
    assert isinstance(item, Executed)
    view = next(iter(item.operation.reads.values()))
    shown = (("program", found.program), ("because", found.because))
    return Fault(found.contract, found.position, view.storage.name, (), shown, storage=view.storage)


class _Walk:
    def __init__(
        self,
        items: Sequence[Recorded],
        generation: int,
        notes: Notes,
        dead_stores: frozenset[int] = frozenset(),
        layouts: Layouts | None = None,
    ) -> None:
        self._items = items
        self._notes = notes
        self._shadows = Shadows(layouts or Layouts(items))
        self._unordered = UnorderedLoops(self._shadows, notes, stored_alike(items))
        self._transfer = MarkTransfer(generation, self._shadows, self._unordered, notes, dead_stores)
        #: Tensors returned, each with the position of the item that says so, and what tells them apart.
        self._outputs: list[tuple[int, Tensor]] = []
        self._by_parameter = True
        self._places: set[object] = set()
        #: Of each tensor returned, which elements are not defined.
        self.undefined: list[npt.NDArray[np.bool_]] = []
        self.surely_undefined: list[npt.NDArray[np.bool_]] = []

    def run(self, end: float = float("inf")) -> Findings:
        """The findings of the run, as far as it can be followed until `end`, in seconds of the clock."""
        waiting = unmatched(self._items)
        if waiting is not None:
            # What comes after it never happens.
            self._notes.fault(_waits(waiting, self._items[waiting.position]))
            return self._notes.findings
        if repeats_meeting(self._items):
            self._notes.doubt("a barrier or an exchange in a device loop, which programs may go round unequally often")
        for position in interleaved(self._items):
            if now() > end:
                self._notes.doubt(LATE)
                return self._notes.findings
            if position is None:
                self._unordered.barrier()
            elif isinstance(position, Exchange):
                self._exchange(position)
            elif position == ABANDONED:
                self._notes.doubt("a barrier or an exchange that not all programs come to")
            else:
                self._notes.position = position
                self._step(self._items[position])
        self._unordered.finish()
        self._transfer.finish()
        self._finish()
        faults = self._notes.findings.faults
        faults[:] = [self.placed(one) for one in faults]
        return self._notes.findings

    def placed(self, fault: Fault) -> Fault:
        """A fault with the name that the kernel has for its tensor, and with the places that it is about."""
        if fault.storage is None:
            return fault
        shadow = self._shadows.of(fault.storage)
        name = fault.storage.name or assigned_name(shadow.made) or fault.tensor
        place = fault.place
        reported = (("at", place),) if place is not None and place != fault.element else ()
        left = self._without_sum(fault) if fault.contract == reading_rule(fault.storage) else ()
        return replace(fault, tensor=name, made=shadow.made, quantities=(*fault.quantities, *reported, *left))

    def _without_sum(self, fault: Fault) -> tuple[tuple[str, object], ...]:
        """The operation whose sum the tensor of a fault was to have, as a quantity, where its command is idle: what is
        there then is not documented."""
        for item in islice(reversed(self._items), len(self._items) - fault.position, None):
            view = item.operation.writes.get(REDUCTION_RESULT) if isinstance(item, Executed) else None
            if view is not None and view.storage is fault.storage:
                assert isinstance(item, Executed)
                if command_of(item.operation) not in (Command.NOTHING, Command.CLOBBER):
                    break
                return (("left_by", item.operation.name),)
        return ()

    def _exchange(self, exchange: Exchange) -> None:
        """All programs send at the same time; then each has what another one has sent."""
        reading: dict[int, Reading] = {}
        for position, _ in exchange.received:
            reading[position] = self._transfer.read(self._operation_at(position))
        for position, source in exchange.received:
            self._operation_at(position)
            self._transfer.write(reading[position].receiving(reading[source]))
        self._unordered.exchange()

    def _operation_at(self, position: int) -> Operation:
        """The operation recorded there, which is now examined."""
        item = self._items[position]
        assert isinstance(item, Executed)
        self._notes.position = position
        self._unordered.executes(item.operation.program)
        return item.operation

    # --- items --------------------------------------------------------------------------------------------------------

    def _step(self, item: Recorded) -> None:
        if isinstance(item, Executed):
            self._unordered.executes(item.operation.program)
            self._transfer.execute(item.operation)
            for view in item.operation.writes.values():
                self._shadows.of(view.storage).stored = item.site
        elif isinstance(item, Allocation):
            self._unordered.executes(item.program)
            made = self._shadows.allocate(item)
            if made is not None:
                self._unordered.allocated(item, made)
        elif isinstance(item, Returned):
            self._returned(item)
        elif isinstance(item, Iteration):
            self._unordered.iteration(item)
        elif isinstance(item, ParallelLoop):
            self._unordered.loop(item)
        elif isinstance(item, Drawn):
            self._notes.doubt(DRAWN)

    def _returned(self, item: Returned) -> None:
        """A shared tensor is returned by each program."""
        self._by_parameter &= item.by_parameter
        for tensor in item.tensors:
            storage = self._shadows.first(tensor.storage)
            place = (id(storage), tensor.dtype, tensor.shape, tensor.strides, tensor.offset)
            if place not in self._places:
                self._places.add(place)
                self._outputs.append((self._notes.position, tensor))

    # --- outputs ------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Look at what the kernel returned, and at its arguments."""
        notes = self._notes
        returned = {tensor.storage.name for _, tensor in self._outputs if isinstance(tensor.storage.identity, tuple)}
        for fault in self._transfer.inputs:
            if not self._outputs and self._by_parameter:
                notes.fault(replace(fault, contract="df.output_parameter"))
            elif fault.tensor not in returned:
                notes.fault(fault)
        if not self._outputs and not self._transfer.written_arguments:
            notes.doubt("nothing is returned, and no argument written")
        for position, tensor in self._outputs:
            notes.position = position
            shadow = self._shadows.of(tensor.storage)
            region = shadow.shown(tensor)
            notes.findings.looked_at += 1
            if not region.in_range:
                notes.doubt("a view that leaves its tensor")
                continue
            cells = region.read(shadow.marks)
            if cells.any():
                marks = region.spread(cells, DEFINED)
                self._output(tensor, marks.max(axis=-1), marks.min(axis=-1))
            else:
                nothing = np.broadcast_to(False, region.view_shape)
                self.undefined.append(nothing)
                self.surely_undefined.append(nothing)
        for shadow in self._shadows:
            if shadow.marks.max(initial=0) > DEFINED and isinstance(shadow.storage.identity, tuple):
                notes.reaches(int(shadow.marks.max()))
        if notes.perhaps and not notes.findings.faults:
            notes.doubt(_LEFT_OUT, leaves_faults=True)
        if notes.unwritten_index and not notes.findings.faults:
            notes.doubt("an index that nothing has written, of elements that nothing uses", leaves_faults=True)

    def _output(self, tensor: Tensor, marks: Marks, least: Marks) -> None:
        notes = self._notes
        self.undefined.append((marks != DEFINED) | (least != DEFINED))
        self.surely_undefined.append((marks > SURELY) | (least == UNWRITTEN))
        if (least == UNWRITTEN).any():
            first = tuple(int(at) for at in np.argwhere(least == UNWRITTEN)[0])
            missing = int((least == UNWRITTEN).sum())
            name = tensor.storage.name or "result"
            shown = (("element", first), ("of", tuple(tensor.shape)), ("unwritten", missing))
            shadow = self._shadows.of(tensor.storage)
            site = shadow.stored or shadow.made
            fault = Fault("df.output_written", notes.position, name, first, shown, site, storage=tensor.storage)
            notes.fault(fault)
        elif (least == MAYBE).any():
            notes.doubt("an output that indirect or conditional writes may have left out in part", leaves_faults=True)
        for number in distinct(marks[marks > DEFINED])[::-1]:
            notes.reaches(int(number))
