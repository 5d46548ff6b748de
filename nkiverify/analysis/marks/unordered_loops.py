"""The accesses of iterations or programs without an order to one element, in a concrete run."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from nkiverify.analysis.effects import Effect, copies_onto_itself
from nkiverify.analysis.marks.mark_findings import Fault, Notes
from nkiverify.analysis.marks.order import DRAWN, Running
from nkiverify.analysis.marks.storages import Shadow, Shadows
from nkiverify.analysis.marks.windows import Window
from nkiverify.analysis.reduction_registers import is_register_file
from nkiverify.foundation.late import numpy as np
from nkiverify.ir.program import Iteration, ParallelLoop
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.recorded import Allocation

if TYPE_CHECKING:
    import numpy.typing as npt

#: What is done to an element. Sums in place commute with one another, and so do stores that all programs make the same.
WROTE, READ, ADDED, ALIKE = 0, 1, 2, 3
#: How many of these there are. What is done to an element for sure has these rows, what may be done the ones after.
_HOW = 4
#: An element used by more than one iteration (reads and accumulations only).
_SEVERAL = -1
#: The loop that the programs of a launch are the iterations of.
_PROGRAMS = 0
#: What programs do to elements that all of them store the same: the one that did so last, those that did so again, and
#: those that have read what they had stored themselves, which is the same wherever else it comes from.
_STORED_ALIKE = -1
_LAST, _AGAIN, _READ_BACK = 0, 1, 2
#: What an iteration has done to a tensor of its own is not written down.
_HANDED_ON = "a tensor that another iteration of an affine_range has allocated"
#: Where two programs copy elements onto themselves nothing changes, and published kernels do so; where the other one
#: stores to them in between, that may be lost.
_ONTO_ITSELF = "what a program copies onto itself and another one uses, with no barrier in between"
#: No document says that what a core has stored before it exchanges tiles with the other is done by then, nor that it
#: is not: published kernels rely on it.
_EXCHANGED = "what two programs do to the same elements with only a sendrecv in between"


class UnorderedLoops:
    """Follows loops without an order, and compares what their iterations use. `uniform`: the positions of stores that
    every program makes the same."""

    def __init__(self, shadows: Shadows, notes: Notes, uniform: Container[int]) -> None:
        self._shadows = shadows
        self._notes = notes
        self._alike = uniform
        #: Loops that are running; by loop, the iterations around the present operation.
        self._running: dict[object, Running] = {}
        self._programs_of: dict[object, tuple[object, ...]] = {}
        self._programs: dict[tuple[object, ...], int] = {}
        self.iterations: dict[object, int] = {}
        #: The storages that iterations of a loop have used.
        self._used: dict[object, list[Shadow]] = {}
        #: True from an exchange of tiles, or from a copy of elements onto themselves, to the next barrier.
        self._exchanged = self._copied = False

    def iteration(self, item: Iteration) -> None:
        """A loop continues with its next iteration."""
        loop = self._running[item.loop]
        if loop.loses(ends=False):
            self._notes.doubt(DRAWN)
        self._running[item.loop] = loop.next(item)

    def loop(self, item: ParallelLoop) -> None:
        """A loop begins or ends."""
        if item.begins:
            self._running[item.loop] = Running()
            self._programs_of[item.loop] = item.program
        elif item.loop in self._running:
            self._end(item.loop)

    def finish(self) -> None:
        """The run is over."""
        for loop in list(self._running):
            self._end(loop)

    def barrier(self) -> None:
        """All programs have come to a barrier: what they did before is done."""
        for shadow in self._shadows:
            shadow.users.pop(_PROGRAMS, None)
            shadow.users.pop(_STORED_ALIKE, None)
        self._exchanged = self._copied = False

    def exchange(self) -> None:
        """Programs have exchanged tiles: what they did before may be done, or may not."""
        for shadow in self._shadows:
            users = shadow.users.get(_PROGRAMS)
            if users is not None:
                users[_HOW:] = _joined(users[_HOW:], users[:_HOW])
                users[:_HOW] = 0
            stored = shadow.users.pop(_STORED_ALIKE, None)
            if users is not None and stored is not None:
                users[_HOW + READ] = _joined(users[_HOW + READ], stored[_READ_BACK])
        self._exchanged = True

    def _end(self, loop: object) -> None:
        if self._running.pop(loop).loses(ends=True):
            self._notes.doubt(DRAWN)
        for shadow in self._used.pop(loop, ()):
            shadow.users.pop(loop, None)

    def executes(self, program: tuple[object, ...]) -> None:
        """This program of a launch executes something, in the present iterations of its loops."""
        self.iterations = {}
        for key, loop in self._running.items():
            if self._programs_of[key] == program and loop.number >= 0:
                self.iterations[key] = loop.number
                if loop.empty:
                    self._running[key] = loop.executing()
        if program:
            self.iterations[_PROGRAMS] = self._programs.setdefault(program, len(self._programs))

    def allocated(self, item: Allocation, shadow: Shadow) -> None:
        """Tensors allocated in an iteration are private to it."""
        # What all programs see is not private to the one that allocates it first.
        others = {_PROGRAMS} if item.storage.buffer is SHARED_HBM and item.program else set()
        shadow.inside = {loop: number for loop, number in self.iterations.items() if loop not in others}

    def reached(self, shadow: Shadow) -> list[object]:
        """The loops around, and the launch, whose other iterations or programs have the same storage."""
        on_chip = shadow.storage.buffer.on_chip
        found = []
        for loop, number in self.iterations.items():
            if shadow.inside.get(loop, number) != number:
                self._notes.doubt(_HANDED_ON)
            elif loop not in shadow.inside and not (on_chip and loop == _PROGRAMS):
                found.append(loop)
        return found

    def use(
        self,
        effect: Effect,
        shadow: Shadow,
        region: Window,
        how: int,
        *,
        sure: bool = True,
        doubt: str = "a mask that does not fit what it leaves out",
    ) -> None:
        """Compare with what other iterations of the loops around have done to the same elements.

        Not `sure`: `region` may be more than is used, which is in `doubt` where others use it.
        """
        if is_register_file(shadow.storage):
            # Iterations without an order reduce in registers one after the other.
            return
        position, view = self._notes.position, effect.view
        onto_itself = copies_onto_itself(effect.operation)
        self._copied |= onto_itself
        for loop in self.reached(shadow):
            certain = sure and not (onto_itself and loop == _PROGRAMS)
            number = self.iterations[loop]
            users = shadow.users.get(loop)
            if users is None:
                users = shadow.users[loop] = np.zeros((2 * _HOW, shadow.marks.size), np.int32)
                if loop != _PROGRAMS:
                    self._used.setdefault(loop, []).append(shadow)
            mine = number + 1
            use = ALIKE if loop == _PROGRAMS and how == WROTE and position in self._alike else how
            row = use if certain else _HOW + use
            seen = users[:, region.there]
            others = (seen != 0) & (seen != mine)
            if not others.any() and use != ALIKE and not (use == READ and loop == _PROGRAMS):
                users[row, region.there] = mine
                continue
            clash, perhaps = np.zeros(region.count, bool), np.zeros(region.count, bool)
            used = np.full(region.count, mine, np.int32)
            if use == ALIKE and certain:
                clash |= _store_again(shadow, region, mine)
            elif use == READ and certain and loop == _PROGRAMS:
                used[_read_back(shadow, region, mine)] = 0
            for which in (WROTE, READ, ADDED, ALIKE):
                if use != which or use == WROTE:
                    clash |= others[which] & (used != 0) if which == ALIKE else others[which]
                    perhaps |= others[_HOW + which]
                elif use == ALIKE and others[which].any():
                    first = _first(region, others[which])
                    self._notes.findings.uniform.append(Fault("df.programs_same", position, effect.argument, first))
            if clash.any() and certain:
                contract, kind = ("df.programs", "program") if loop == _PROGRAMS else ("df.affine_range", "iteration")
                first = _first(region, clash)
                shown = (("element", first), ("of", tuple(view.shape)), (kind, number))
                name = view.storage.name or "tensor"
                self._notes.fault(Fault(contract, position, name, first, shown, storage=view.storage, view=view))
            elif clash.any() or perhaps.any():
                exchanged = loop == _PROGRAMS and self._exchanged
                copied = loop == _PROGRAMS and self._copied and sure
                reason = _EXCHANGED if exchanged else _ONTO_ITSELF if copied else doubt
                self._notes.doubt(reason, leaves_faults=sure and (exchanged or not certain))
            region.write(users[row], _joined(region.read(users[row]), used))


def _store_again(shadow: Shadow, region: Window, mine: int) -> npt.NDArray[np.bool_]:
    """Note that a program stores what all programs store the same; where others have read back what was there
    before."""
    stored = shadow.users.get(_STORED_ALIKE)
    if stored is None:
        stored = shadow.users[_STORED_ALIKE] = np.zeros((3, shadow.marks.size), np.int32)
    again: npt.NDArray[np.bool_] = region.read(stored[_LAST]) == mine
    read_back = region.read(stored[_READ_BACK])
    region.write(stored[_LAST], np.full(region.count, mine, np.int32))
    more = np.where(again, mine, 0).astype(np.int32)
    region.write(stored[_AGAIN], _joined(region.read(stored[_AGAIN]), more))
    met: npt.NDArray[np.bool_] = again & (read_back != 0) & (read_back != mine)
    return met


def _read_back(shadow: Shadow, region: Window, mine: int) -> npt.NDArray[np.bool_]:
    """Note that a program reads; where that is what it has stored itself, and all programs store once and the same."""
    stored = shadow.users.get(_STORED_ALIKE)
    if stored is None:
        return np.zeros(region.count, bool)
    own: npt.NDArray[np.bool_] = (region.read(stored[_LAST]) == mine) & (region.read(stored[_AGAIN]) == 0)
    more = np.where(own, mine, 0).astype(np.int32)
    region.write(stored[_READ_BACK], _joined(region.read(stored[_READ_BACK]), more))
    return own


def _joined(seen: npt.NDArray[np.int32], more: npt.NDArray[np.int32] | np.int32) -> npt.NDArray[np.int32]:
    """Who uses elements that are used by those `seen` and by those of `more`: 0 is nobody."""
    both = np.where((seen != 0) & (seen != more), _SEVERAL, more)
    return np.where(more == 0, seen, both).astype(np.int32)


def _first(region: Window, cells: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """The first element of a window that is in one of some cells."""
    return tuple(int(at) for at in np.argwhere(region.spread(cells.astype(np.int32), 0))[0][:-1])
