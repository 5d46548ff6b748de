"""What operations do to the marks of a concrete run: the transfer functions of the walk `marks.shadow`.

`sets.transfer` is the same for all shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from nkiverify.analysis.dependence import Marks, certain, dependent
from nkiverify.analysis.effects import LAST_STRICT_GENERATION, Does, Effect, Effects, adds_product, exchanges
from nkiverify.analysis.marks.findings import DEFINED, IN_VAIN, MAYBE, SURELY, UNWRITTEN, Fault, Notes
from nkiverify.analysis.marks.storages import Shadow, Shadows
from nkiverify.analysis.marks.unordered import ADDED, READ, WROTE, Unordered
from nkiverify.analysis.marks.windows import Window
from nkiverify.analysis.masks import Touched, masks_otherwise
from nkiverify.model.dependence import Link
from nkiverify.model.operation import Operation

#: Products that have been read out ("nc_matmul.accum_none_trap").
_PRODUCT, _READ_OUT = 1, 2


@dataclass(slots=True)
class _Step:
    """An operation that is executed, and the marks of what it reads; `lost` where these cannot be told."""

    operation: Operation
    marks: dict[str, Marks] = field(default_factory=dict)
    lost: bool = False

    def undefined_for(self, effect: Effect) -> bool:
        """Whether what is written may depend on undefined elements."""
        return any(mark.any() and effect.depends_on(name) is not Link.NOTHING for name, mark in self.marks.items())


class Transfer:
    """Executes operations on shadows, and notes what they do that is undefined.

    `in_vain` are positions of operations whose results are followed, as if they were not defined.
    """

    def __init__(
        self, generation: int, shadows: Shadows, unordered: Unordered, notes: Notes, in_vain: Collection[int]
    ) -> None:
        #: Writes of legacy kernels to arguments: faults unless the argument is returned.
        self.inputs: list[Fault] = []
        self.written_arguments = False
        self._generation = generation
        self._shadows = shadows
        self._unordered = unordered
        self._notes = notes
        self._in_vain = in_vain
        self._effects = Effects()
        self._reads: dict[Does, Callable[[_Step, Effect], None]] = {
            Does.WAIT: self._wait,
            Does.READ: self._read,
            Does.ACCUMULATE: self._accumulate,
            Does.JOIN: self._join,
        }
        self._writes = {Does.WRITE: self._write, Does.CLOBBER: self._clobber}

    def execute(self, operation: Operation) -> None:
        """An operation is executed."""
        effects = self._effects.of(operation)
        step = _Step(self._effects.explicit(operation))
        if not operation.declared.barrier:
            self._notes.findings.looked_at += len(step.operation.reads) + len(step.operation.writes)
        for effect in effects:
            if not effect.writes:
                self._reads[effect.does](step, effect)
                if step.lost:
                    return
        if exchanges(operation) and any(mark.any() for mark in step.marks.values()):
            self._notes.doubt("undefined elements that another program receives")
        for effect in effects:
            if effect.writes:
                self._writes[effect.does](step, effect)

    # --- what is read -------------------------------------------------------------------------------------------------

    def _wait(self, step: _Step, effect: Effect) -> None:
        """Programs take turns at barriers already: `marks.order`."""

    def _read(self, step: _Step, effect: Effect) -> None:
        """What is read has to be defined, where it counts: unwritten elements are given the mark of this read."""
        shadow = self._shadows.of(effect.view.storage)
        if effect.view.indirect_by is not None:
            mark = self._read_anywhere(shadow, tuple(int(extent) for extent in effect.view.shape))
        else:
            region = shadow.touched(effect)
            if not region.in_range:
                self._notes.doubt("a view that leaves its tensor")
                step.lost = True
                return
            mark = self._read_there(effect, shadow, region)
        step.marks[effect.argument] = mark
        if effect.decides or not step.operation.writes:
            self._notes.reaches(int(mark.max(initial=DEFINED)), decides=effect.decides)

    def _read_there(self, effect: Effect, shadow: Shadow, region: Window) -> Marks:
        values = region.read(shadow.marks, DEFINED)
        if not region.exact:
            values = self._surely_read(values, region.part)
        if shadow.products is not None and not adds_product(effect.operation):
            held = region.read(shadow.products, 0).max(axis=-1)
            if (held == _PRODUCT).any():
                region.write(shadow.products, np.where(held == _PRODUCT, _READ_OUT, held).astype(np.int32))
        self._unordered.use(effect, shadow, region, ADDED if effect.commutes else READ, sure=region.exact)
        if int(values.min(initial=0)) < DEFINED:
            values = self._notes.unwritten(effect, values)
        marks: Marks = values.max(axis=-1)
        return marks

    def _surely_read(self, values: Marks, part: Touched) -> Marks:
        """`values` where it is sure that they are read; elsewhere they are defined, or the verdict is open."""
        there = np.broadcast_to(True if part.must is None else part.must[..., None], values.shape)
        if (values[~there] != DEFINED).any():
            self._notes.doubt("a mask that does not fit what it leaves out")
        return np.where(there, values, DEFINED).astype(np.int32)

    def _read_anywhere(self, shadow: Shadow, shape: tuple[int, ...]) -> Marks:
        """A read whose place indices decide: what is unwritten anywhere may come in."""
        if int(shadow.marks.min(initial=0)) < DEFINED:
            self._notes.doubt("an indirect read of a tensor that is not written everywhere")
        if self._unordered.iterations and not isinstance(shadow.storage.identity, tuple):
            self._notes.doubt("an indirect read in iterations or programs without an order")
        most = max(DEFINED, int(shadow.marks.max(initial=DEFINED)))
        if SURELY < most < IN_VAIN and not (shadow.marks > SURELY).all():
            most -= SURELY
        return np.full(shape, most, np.int32)

    def _accumulate(self, step: _Step, effect: Effect) -> None:
        """What a matmul adds to has to be there, and to be of the same sum."""
        shadow, view = self._shadows.of(effect.view.storage), effect.view
        region = shadow.touched(effect) if effect.certain else None
        if region is None or not region.in_range:
            self._notes.doubt("a sum in PSUM at a place, or so often, as is known at run time only")
            return
        if shadow.products is None:
            return
        mode = step.operation.attributes.get("accumulate")
        values = region.read(shadow.marks, DEFINED).max(axis=-1)
        held = region.read(shadow.products, 0).max(axis=-1)
        if mode is True:
            self._notes.claim("df.accumulate_unwritten", view, values < DEFINED, accumulate=True)
            if self._generation <= LAST_STRICT_GENERATION:
                self._notes.claim("df.accumulate_other", view, (values >= DEFINED) & (held == 0), accumulate=True)
        else:
            self._notes.claim("df.accumulate_stale", view, held == _READ_OUT, accumulate=mode)
            values = np.where(held > 0, values, DEFINED)
        step.marks[effect.argument] = np.where(values < DEFINED, DEFINED, values).astype(np.int32)

    def _join(self, step: _Step, effect: Effect) -> None:
        """What is there need not be defined: it is nothing in the first iteration."""
        shadow = self._shadows.of(effect.view.storage)
        region = shadow.touched(effect) if effect.certain else None
        if region is not None and region.in_range:
            step.marks[effect.argument] = np.maximum(region.read(shadow.marks, DEFINED).max(axis=-1), DEFINED)

    # --- what is written ----------------------------------------------------------------------------------------------

    def _write(self, step: _Step, effect: Effect) -> None:
        """What is written has the marks of what it is computed from."""
        view, shadow = effect.view, self._shadows.of(effect.view.storage)
        region = self._written(step, effect, shadow)
        if region is None:
            return
        result = _computed(effect, region.view_shape, step.marks)
        if result.any() and not result.all() and region.meets_itself():
            self._notes.doubt("a view that several elements of a result are written to one place of")
        if self._notes.position in self._in_vain:
            result = np.full(region.view_shape, IN_VAIN + self._notes.position, np.int32)
        region.write(shadow.marks, result)
        if isinstance(view.storage.identity, tuple):
            self.written_arguments = True
            if view.legacy:
                shown = (("operand", effect.argument), ("of", tuple(view.shape)))
                position, name = self._notes.position, view.storage.name
                self.inputs.append(Fault("df.input_written", position, name, (), shown))
        if shadow.products is not None:
            region.write(shadow.products, _PRODUCT if adds_product(step.operation) else 0)
        self._unordered.use(effect, shadow, region, ADDED if effect.commutes else WROTE)

    def _clobber(self, step: _Step, effect: Effect) -> None:
        shadow = self._shadows.of(effect.view.storage)
        region = self._written(step, effect, shadow)
        if region is not None:
            region.write(shadow.marks, UNWRITTEN)

    def _written(self, step: _Step, effect: Effect, shadow: Shadow) -> Window | None:
        """What is written for certain; None where that cannot be said."""
        region = shadow.touched(effect)
        if masks_otherwise(step.operation):
            self._notes.doubt("a mask on an operation that is not element-wise")
        elif not region.exact:
            self._notes.doubt("a mask that does not fit what is written under it")
        if not effect.certain or not region.exact:
            shadow.marks[:] = np.where(shadow.marks == UNWRITTEN, MAYBE, shadow.marks)
            if self._unordered.iterations:
                self._notes.doubt("an indirect write in iterations or programs without an order")
        elif region.in_range:
            return region
        else:
            self._notes.doubt("a view that leaves its tensor")
        if step.undefined_for(effect):
            self._notes.doubt("undefined elements that an indirect or conditional write may have put somewhere")
        return None


def _computed(effect: Effect, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
    """Marks of a result: less than `SURELY` where it only may be computed from what is undefined."""
    result = dependent(effect.operation, effect.argument, shape, marks)
    if not (result > SURELY).any():
        return result
    sure = certain(effect.operation, effect.argument, shape, marks)
    perhaps = np.where((result > SURELY) & (result < IN_VAIN), result - SURELY, result)
    return np.where((sure > SURELY) & (result < IN_VAIN), sure, perhaps).astype(np.int32)
