"""The effects of operations on the marks of a concrete run: the transfer functions of the walk `marks.shadow`.

`sets.transfer` is the same for all shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from nkiverify.analysis.effects import (
    LAST_STRICT_GENERATION,
    Does,
    Effect,
    Effects,
    adds_product,
    begins_sum,
)
from nkiverify.analysis.element_marks import Marks, certain, dependent, exchanges
from nkiverify.analysis.marks.device_bodies import DeviceBodies
from nkiverify.analysis.marks.mark_findings import DEAD_STORE, DEFINED, MAYBE, SURELY, UNWRITTEN, Fault, Notes
from nkiverify.analysis.marks.storages import Shadow, Shadows
from nkiverify.analysis.marks.unordered_loops import ADDED, READ, WROTE, UnorderedLoops
from nkiverify.analysis.marks.windows import Window
from nkiverify.analysis.marks.zeros import factors, rows_of_scales, rows_of_zeros, writes_zeros
from nkiverify.analysis.masks import Touched, masks_otherwise
from nkiverify.analysis.side_effects import is_moved
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dependence import Link
from nkiverify.model.operation import Operation

if TYPE_CHECKING:
    import numpy.typing as npt

#: Why it is not known whether iterations or programs meet.
_CHOSEN = "elements that an index chooses, and that another iteration or program may use"

#: The same of what the body of a device loop writes.
_PERHAPS_NONE = (
    "elements that a device loop stores to, perhaps in no iteration, and another iteration or program may use"
)

#: What a write whose place is not known may do.
_SOMEWHERE = "undefined elements that an indirect or conditional write may have put somewhere"

#: Products that have been read out ("nc_matmul.accum_none_trap").
_PRODUCT, _READ_OUT = 1, 2


@dataclass(slots=True)
class Reading:
    """An operation that is executed, and the marks of what it reads; `lost` where these cannot be known."""

    operation: Operation
    effects: Sequence[Effect]
    #: None where all elements are defined, as they mostly are.
    marks: dict[str, Marks | None] = field(default_factory=dict)
    lost: bool = False

    @property
    def undefined(self) -> bool:
        """True if anything that is read is not defined."""
        return any(mark is not None for mark in self.marks.values())

    def undefined_for(self, effect: Effect) -> bool:
        """True if what is written may depend on undefined elements."""
        return any(
            mark is not None and effect.depends_on(name) is not Link.NOTHING for name, mark in self.marks.items()
        )

    def spread(self) -> dict[str, Marks]:
        """The marks of everything read, element by element."""
        shapes = {effect.argument: effect.view.shape for effect in self.effects if not effect.writes}
        return {
            name: np.zeros(tuple(map(int, shapes[name])), np.int32) if mark is None else mark
            for name, mark in self.marks.items()
        }

    def receiving(self, other: Reading) -> Reading:
        """The operation with what `other`, of another program, reads in place of what it reads itself."""
        return replace(self, marks=other.marks, lost=self.lost or other.lost)


class MarkTransfer:
    """Executes operations on shadows, and notes what they do that is undefined.

    `dead_stores` are positions of operations whose results are followed, as if they were not defined.
    """

    def __init__(
        self, generation: int, shadows: Shadows, unordered: UnorderedLoops, notes: Notes, dead_stores: Collection[int]
    ) -> None:
        #: Writes of legacy kernels to arguments: faults unless the argument is returned.
        self.inputs: list[Fault] = []
        self.written_arguments = False
        self._generation = generation
        self._shadows = shadows
        self._unordered = unordered
        self._notes = notes
        self._dead_stores = dead_stores
        self._effects = Effects(in_iterations=True)
        self._bodies = DeviceBodies(notes)
        self._reads: dict[Does, Callable[[Reading, Effect], None]] = {
            Does.WAIT: self._wait,
            Does.READ: self._read,
            Does.ACCUMULATE: self._accumulate,
            Does.JOIN: self._join,
        }
        self._writes: dict[Does, Callable[[Reading, Effect], None]] = {
            Does.WRITE: self._write,
            Does.CLOBBER: self._clobber,
        }

    def execute(self, operation: Operation) -> None:
        """An operation is executed."""
        reading = self.read(operation)
        if exchanges(operation) and reading.undefined:
            self._notes.doubt("undefined elements that another program receives")
        self.write(reading)

    def read(self, operation: Operation) -> Reading:
        """The reads of an operation, up to where it cannot be known."""
        self._bodies.executes(operation)
        effects = self._effects.of(operation)
        step = Reading(self._effects.explicit(operation), effects)
        if not operation.declared.behaviour.barrier:
            self._notes.findings.looked_at += len(step.operation.reads) + len(step.operation.writes)
        for effect in effects:
            if not effect.writes and not step.lost:
                self._reads[effect.does](step, effect)
        return step

    def write(self, step: Reading) -> None:
        """An operation writes what it has read something for."""
        if step.undefined:
            self._meet_zeros(step)
        for effect in step.effects:
            if effect.writes and not step.lost:
                self._writes[effect.does](step, effect)

    def finish(self) -> None:
        """The run is at its end."""
        self._bodies.finish()

    # --- what is read -------------------------------------------------------------------------------------------------

    def _wait(self, step: Reading, effect: Effect) -> None:
        """Programs take turns at barriers already: `marks.order`."""

    def _read(self, step: Reading, effect: Effect) -> None:
        """Claim that what is read is defined, where it counts: unwritten elements are given the mark of this read."""
        shadow = self._shadows.of(effect.view.storage)
        if is_moved(effect.view):
            mark: Marks | None = self._read_anywhere(effect, shadow)
        else:
            region = shadow.touched(effect)
            if not region.in_range:
                self._notes.doubt("a view that leaves its tensor")
                step.lost = True
                return
            mark = self._read_there(effect, shadow, region)
        step.marks[effect.argument] = mark
        if mark is not None and effect.indexes:
            self._notes.unwritten_index = True
        if mark is not None and (effect.decides or not step.operation.writes):
            self._notes.reaches(int(mark.max(initial=DEFINED)), decides=effect.decides)

    def _read_there(self, effect: Effect, shadow: Shadow, region: Window) -> Marks | None:
        if shadow.products is not None and not adds_product(effect.operation):
            held = region.read(shadow.products)
            if (held == _PRODUCT).any():
                region.write(shadow.products, np.where(held == _PRODUCT, _READ_OUT, held).astype(np.int32))
        self._unordered.use(effect, shadow, region, ADDED if effect.commutes else READ, sure=region.exact)
        cells = region.read(shadow.marks)
        if not cells.any():
            return None
        values = region.spread(cells, DEFINED)
        if not region.exact:
            values = self._surely_read(values, region.part)
        if begins_sum(effect):
            self._notes.claim("df.sum_unwritten", effect.view, (values == UNWRITTEN).any(axis=-1))
            values = np.where(values == UNWRITTEN, DEFINED, values).astype(np.int32)
        if int(values.min(initial=0)) < DEFINED:
            values = self._notes.unwritten(effect, values)
        return _unless_defined(values.max(axis=-1))

    def _surely_read(self, values: Marks, part: Touched) -> Marks:
        """`values` where it is sure that they are read; elsewhere they are defined, or the verdict is open."""
        there = np.broadcast_to(True if part.must is None else part.must[..., None], values.shape)
        if (values[~there] != DEFINED).any():
            self._notes.doubt("a mask that does not fit what it leaves out")
        return np.where(there, values, DEFINED).astype(np.int32)

    def _read_anywhere(self, effect: Effect, shadow: Shadow) -> Marks | None:
        """A read whose place indices decide: what is unwritten wherever they may point may come in."""
        region = shadow.anywhere(effect.view)
        marks = shadow.marks if region is None else region.read(shadow.marks)
        if int(marks.min(initial=0)) < DEFINED:
            self._notes.doubt("an indirect read of a tensor that is not written everywhere", leaves_faults=True)
        if region is not None:
            self._unordered.use(effect, shadow, region, READ, sure=False, doubt=_CHOSEN)
        elif self._unordered.reached(shadow) and not isinstance(shadow.storage.identity, tuple):
            self._notes.doubt("an indirect read in iterations or programs without an order")
        most = max(DEFINED, int(marks.max(initial=DEFINED)))
        if SURELY < most < DEAD_STORE and not (marks > SURELY).all():
            most -= SURELY
        return np.full(tuple(int(extent) for extent in effect.view.shape), most, np.int32) if most else None

    def _accumulate(self, step: Reading, effect: Effect) -> None:
        """The sum that a matmul adds to has to be there, and to be of the same sum."""
        shadow = self._shadows.of(effect.view.storage)
        region = shadow.touched(effect) if effect.certain else None
        if region is None or not region.in_range:
            self._notes.doubt("a sum in PSUM at a place, or so often, as is known at run time only")
            return
        if shadow.products is None:
            return
        mode = step.operation.attributes.get("accumulate")
        values, held = region.read(shadow.marks), region.read(shadow.products)
        if mode is True:
            self._claim("df.accumulate_unwritten", effect, region, values < DEFINED)
            if self._generation <= LAST_STRICT_GENERATION:
                self._claim("df.accumulate_other", effect, region, (values >= DEFINED) & (held == 0))
        else:
            self._claim("df.accumulate_stale", effect, region, held == _READ_OUT)
            values = np.where(held > 0, values, DEFINED)
        step.marks[effect.argument] = _spread_undefined(region, values)

    def _claim(self, contract: str, effect: Effect, region: Window, broken: npt.NDArray[np.bool_]) -> None:
        """A contract about what an accumulating matmul finds, and the cells where it is broken."""
        if broken.any():
            mode = effect.operation.attributes.get("accumulate")
            there = region.spread(broken.astype(np.int32), 0).max(axis=-1) != 0
            self._notes.claim(contract, effect.view, there, accumulate=mode)

    def _join(self, step: Reading, effect: Effect) -> None:
        """The contents need not be defined: it is nothing in the first iteration."""
        shadow = self._shadows.of(effect.view.storage)
        region = shadow.touched(effect) if effect.certain else None
        if region is not None and region.in_range:
            step.marks[effect.argument] = _spread_undefined(region, region.read(shadow.marks))

    def _meet_zeros(self, step: Reading) -> None:
        """Undefined elements in a row of a product whose other operand has nothing but zeros there is forgotten: the
        contract about it is contested, and what follows is as kernels rely on it."""
        for name, other in factors(step.operation).items():
            marks, effect = step.marks.get(name), self._reading_of(step, other)
            if marks is None or effect is None:
                continue
            shadow = self._shadows.of(effect.view.storage)
            rows = rows_of_zeros(shadow, effect)
            if rows is None or marks.shape[0] != len(rows):
                continue
            if name in step.operation.declared.behaviour.rows:
                rows = rows_of_scales(rows)
            met = rows.reshape(-1, *(1,) * (marks.ndim - 1)) & (marks > DEFINED) & (marks < DEAD_STORE)
            own = self._reading_of(step, name)
            if met.any() and own is not None:
                self._bodies.rely_on_zeros(step.operation, shadow)
                self._notes.claim("df.unwritten_times_zero", own.view, met, operand=name, zeros=other)
                step.marks[name] = _unless_defined(np.where(met, DEFINED, marks).astype(np.int32))

    @staticmethod
    def _reading_of(step: Reading, name: str) -> Effect | None:
        return next((one for one in step.effects if one.argument == name and not one.writes), None)

    # --- what is written ----------------------------------------------------------------------------------------------

    def _write(self, step: Reading, effect: Effect) -> None:
        """Give what is written the marks of what it is computed from."""
        view, shadow = effect.view, self._shadows.of(effect.view.storage)
        if isinstance(view.storage.identity, tuple):
            # Also where nobody knows which of its elements.
            self.written_arguments = True
            if view.legacy:
                shown = (("operand", effect.argument), ("of", tuple(view.shape)))
                self.inputs.append(Fault("df.input_written", self._notes.position, view.storage.name, (), shown))
        region = self._written(step, effect, shadow)
        if region is None:
            return
        if self._notes.position in self._dead_stores:
            region.write(shadow.marks, DEAD_STORE + self._notes.position)
        elif step.undefined:
            region = self._write_marks(shadow, region, effect, _computed(effect, region.view_shape, step.spread()))
        else:
            region.write(shadow.marks, DEFINED)
        if shadow.products is not None:
            region.write(shadow.products, _PRODUCT if adds_product(step.operation) else 0)
        shadow.filled(region, zero=writes_zeros(step.operation))
        sure = step.operation.body in (None, shadow.storage.body)
        how = ADDED if effect.commutes else WROTE
        self._unordered.use(effect, shadow, region, how, sure=sure, doubt=_PERHAPS_NONE)

    def _write_marks(self, shadow: Shadow, region: Window, effect: Effect, result: Marks) -> Window:
        """Write a mark for each element; the window as it is then."""
        if result.any() and not result.all() and region.meets_itself():
            self._notes.doubt("a view that several elements of a result are written to one place of")
        cells = region.gathered(result)
        if cells is None:
            # Marks may come in that are finer than any view of the tensor.
            shadow.cut(region.edges(result))
            region = shadow.touched(effect)
            cells = region.gathered(result)
        # Of elements that are written to one place, any may count.
        region.write(shadow.marks, int(result.max()) if cells is None else cells)
        return region

    def _clobber(self, step: Reading, effect: Effect) -> None:
        shadow = self._shadows.of(effect.view.storage)
        region = self._written(step, effect, shadow)
        if region is not None:
            region.write(shadow.marks, UNWRITTEN)
            shadow.filled(region, zero=False)

    def _written(self, step: Reading, effect: Effect, shadow: Shadow) -> Window | None:
        """The elements that are written for certain; None where that cannot be said."""
        region = shadow.touched(effect)
        if masks_otherwise(step.operation):
            self._notes.doubt("a mask on an operation that is not element-wise")
        elif not region.exact:
            self._notes.doubt("a mask that does not fit what is written under it")
        self._bodies.writes(step.operation, shadow)
        if not (effect.certain and region.exact and region.in_range):
            shadow.zeros = None
        if not effect.certain or not region.exact:
            reached = shadow.anywhere(effect.view) if is_moved(effect.view) else None
            if reached is None:
                shadow.marks[:] = np.where(shadow.marks == UNWRITTEN, MAYBE, shadow.marks)
            else:
                marks = reached.read(shadow.marks)
                reached.write(shadow.marks, np.where(marks == UNWRITTEN, MAYBE, marks).astype(np.int32))
                self._unordered.use(effect, shadow, reached, WROTE, sure=False, doubt=_CHOSEN)
            if reached is None and self._unordered.reached(shadow):
                self._notes.doubt("an indirect write in iterations or programs without an order")
        elif region.in_range:
            return region
        else:
            self._notes.doubt("a view that leaves its tensor")
        if step.undefined_for(effect):
            self._notes.doubt(_SOMEWHERE, leaves_faults=True)
        return None


def _unless_defined(marks: Marks) -> Marks | None:
    """Marks, or None where all elements are defined."""
    return marks if marks.any() else None


def _spread_undefined(region: Window, cells: Marks) -> Marks | None:
    """The marks of a window, element by element, where unwritten elements are nothing."""
    cells = np.maximum(cells, DEFINED)
    return region.spread(cells, DEFINED).max(axis=-1) if cells.any() else None


def _computed(effect: Effect, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
    """Marks of a result: less than `SURELY` where it only may be computed from what is undefined."""
    result = dependent(effect.operation, effect.argument, shape, marks)
    if not (result > SURELY).any():
        return result
    sure = certain(effect.operation, effect.argument, shape, marks)
    perhaps = np.where((result > SURELY) & (result < DEAD_STORE), result - SURELY, result)
    return np.where((sure > SURELY) & (result < DEAD_STORE), sure, perhaps).astype(np.int32)
