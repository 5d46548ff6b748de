"""Bodies of device loops in the walk of a concrete run: an iteration sees what it has written itself.

A body is recorded once, and may have no iteration. In it, what a line writes is there for the lines after it; behind
the loop it is there perhaps. What an iteration leaves for the next is not followed: where that is not defined, the
walk is in doubt.
"""

from __future__ import annotations

from nkiverify.analysis.element_marks import Marks
from nkiverify.analysis.marks.mark_findings import DEAD_STORE, DEFINED, MAYBE, SURELY, UNWRITTEN, Notes
from nkiverify.analysis.marks.storages import Shadow
from nkiverify.foundation.late import numpy as np
from nkiverify.model.operation import Operation
from nkiverify.model.state import LoopBody, Program, bodies


class DeviceBodies:
    """The bodies that programs are in, outermost first, and the storages that were written in each."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._inside: dict[Program | None, tuple[LoopBody, ...]] = {}
        self._written: dict[LoopBody, list[Shadow]] = {}
        self._zeros: dict[LoopBody, list[Shadow]] = {}

    def executes(self, operation: Operation) -> None:
        """An operation is executed: leave the bodies of its program that it is not in."""
        if operation.body is None and not self._inside:
            return
        program = operation.program
        around = tuple(bodies(operation.body))[::-1]
        inside = self._inside.get(program, ())
        if around != inside:
            for body in reversed([one for one in inside if one not in around]):
                self._leave(body)
            self._inside[program] = around

    def finish(self) -> None:
        """Leave all bodies."""
        for inside in self._inside.values():
            for body in reversed(inside):
                self._leave(body)
        self._inside.clear()

    def writes(self, operation: Operation, shadow: Shadow) -> None:
        """Keep what a storage holds before it is written in the bodies that `operation` is in, but for one that such a
        body allocates."""
        for body in bodies(operation.body):
            if body.is_around(shadow.storage.body):
                return
            if body not in shadow.before:
                products = None if shadow.products is None else shadow.products.copy()
                shadow.before[body] = shadow.marks.copy(), products
                self._written.setdefault(body, []).append(shadow)

    def rely_on_zeros(self, operation: Operation, shadow: Shadow) -> None:
        """Keep that `operation` multiplies what nothing has written by zeros of a storage, and so forgets it."""
        for body in bodies(operation.body):
            self._zeros.setdefault(body, []).append(shadow)

    def _leave(self, body: LoopBody) -> None:
        written = self._written.pop(body, [])
        if not {id(shadow) for shadow in self._zeros.pop(body, ())}.isdisjoint(map(id, written)):
            self._notes.doubt("zeros that another iteration of a device loop may write over", leaves_faults=True)
        for shadow in written:
            (before, products), after = shadow.before.pop(body), shadow.marks
            if products is not None and (products != shadow.products).any():
                self._notes.doubt("sums in PSUM that a device loop, perhaps in no iteration, begins or ends")
            undefined = (after > DEFINED) & (after < DEAD_STORE)
            if ((undefined | (after == UNWRITTEN)) & (after != before)).any():
                self._notes.doubt("undefined elements that an iteration of a device loop leaves", leaves_faults=True)
            shadow.marks = _either(before, after)
            shadow.zeros = None


def _either(one: Marks, other: Marks) -> Marks:
    """The marks of elements that are as in `one` or as in `other`."""
    perhaps = [np.where((marks > SURELY) & (marks < DEAD_STORE), marks - SURELY, marks) for marks in (one, other)]
    least, most = np.minimum(one, other), np.maximum(*perhaps)
    joined = np.where(least < DEFINED, MAYBE, most)
    return np.where(one == other, one, joined).astype(np.int32)
