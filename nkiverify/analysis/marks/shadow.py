"""The shadow memory: which elements a concrete run has written, and what it did that is documented as undefined.

It executes the operations that a concrete run recorded, on marks instead of numbers. Each element of a storage is
unwritten, or holds something well defined, or something that was computed from an unwritten element: the mark then
names the read where that came in. Only what reaches a tensor that the kernel returns, or an argument, is a fault;
registers and indices made of it are faults at once. Programs of a launch grid run interleaved at their barriers, and
what several of them, or several iterations of a legacy `affine_range`, do to one element is compared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from nkiverify.analysis.alike import stored_alike
from nkiverify.analysis.dependence import Marks, certain, dependent, matters
from nkiverify.analysis.effects import (
    REGISTERS,
    Command,
    Registers,
    command_of,
    exchanges,
    is_register_file,
    may_leave_out,
    reading_rule,
)
from nkiverify.analysis.marks.order import ABANDONED, DRAWN, Recorded, Running, SharedTensors, interleaved
from nkiverify.analysis.marks.windows import Places, Window, units_of
from nkiverify.analysis.masks import Touched, masks_otherwise, touched
from nkiverify.ir.program import Allocation, Drawn, Iteration, ParallelLoop, Returned
from nkiverify.ir.program import Operation as Executed
from nkiverify.model.indirection import IndirectionKind
from nkiverify.model.memory import PSUM, SHARED_HBM
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Storage, Tensor

#: Marks of elements. Greater ones number the reads of `Findings.origins`, downwards: of two, the earlier one wins. The
#: ones beyond `_SURELY` are what an element was computed from for sure.
UNWRITTEN, MAYBE, DEFINED = -1, -2, 0
_SURELY = 1 << 29
_FIRST_ORIGIN = _SURELY + (1 << 29) - 1
#: From here on marks are results of operations that are said to be in vain, by position; they win over others.
_IN_VAIN = 1 << 30

#: What may be undefined has come to an output.
_LEFT_OUT = "undefined elements that data, or the operation, may leave out"


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken contract: at the recorded item number `position`, about `element` of the tensor called `tensor`."""

    contract: str
    position: int
    tensor: str
    element: tuple[int, ...]
    quantities: tuple[tuple[str, object], ...] = ()


@dataclass(slots=True)
class Findings:
    """What a run did. `doubts` say what cannot be followed: without faults, they leave the verdict open."""

    faults: list[Fault] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    #: Reads of unwritten elements; those that reach an output are faults as well.
    origins: list[Fault] = field(default_factory=list)
    #: How many outputs, reads and writes were looked at.
    looked_at: int = 0
    #: Of the operations said to be in vain, those whose results reach something that counts.
    used: set[int] = field(default_factory=set)
    #: Stores of values that another program has stored to the same elements.
    alike: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class _Shadow:
    """The marks of one storage, one for each `unit` bytes, and for PSUM what the Tensor Engine did there."""

    storage: Storage
    unit: int
    marks: Marks
    #: 1: written by matmuls alone, 2: and read by something else since.
    products: Marks | None
    #: By parallel loop: the iteration that wrote (first row), read (second) or accumulated (third) an element.
    users: dict[object, Marks] = field(default_factory=dict)
    #: Parallel loops that were running when it was allocated: what it holds is private to their iterations.
    inside: frozenset[object] = frozenset()


#: An element used by more than one iteration (reads and accumulations only).
_SEVERAL = -1
_WROTE, _READ, _ADDED, _ALIKE = 0, 1, 2, 3
#: Products that have been read out ("nc_matmul.accum_none_trap").
_READ_OUT = 2
#: The last generation on which matmuls add to nothing but what matmuls wrote ("nc_matmul.accum_nonmatmul_init").
_LAST_STRICT_GENERATION = 3


def execute(items: Sequence[Recorded], generation: int, in_vain: Collection[int] = ()) -> Findings:
    """Execute what a concrete run recorded on hardware of `generation`.

    `in_vain` are positions of operations whose results are followed, as if they were not defined: see `Findings.used`.
    Of two of them that reach the same element, one is found.
    """
    return _executed(_Machine(items, generation, frozenset(in_vain)), items)


def first_reaching(items: Sequence[Recorded], generation: int, positions: Collection[int]) -> Fault | None:
    """The first read at one of `positions` that brings an unwritten element to an output, with the first such element.

    Of an operation that has several such operands, it is the first of them.
    """
    machine = _Machine(items, generation, frozenset(), frozenset(positions))
    _executed(machine, items)
    return machine.first_reached()


def undefined_outputs(items: Sequence[Recorded], generation: int) -> list[npt.NDArray[np.bool_]] | None:
    """Which elements of each tensor returned are unwritten or computed from such; None where that is not known."""
    machine = _Machine(items, generation)
    return None if _executed(machine, items).doubts else machine.undefined


def followed(
    items: Sequence[Recorded], generation: int
) -> tuple[Findings, list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] | None]:
    """What a run did, and of each tensor returned which elements may be undefined, and which are so for sure.

    They differ where data choose what is used. None where neither is known.
    """
    machine = _Machine(items, generation)
    findings = _executed(machine, items)
    known = set(findings.doubts) <= {_LEFT_OUT}
    return findings, list(zip(machine.undefined, machine.surely_undefined, strict=True)) if known else None


def _executed(machine: _Machine, items: Sequence[Recorded]) -> Findings:
    for position in interleaved(items):
        if position is None:
            machine.barrier()
        elif position == ABANDONED:
            machine.abandoned()
        else:
            machine.step(position, items[position])
    machine.finish()
    return machine.findings


class _Machine:
    def __init__(
        self,
        items: Sequence[Recorded],
        generation: int,
        in_vain: frozenset[int] = frozenset(),
        followed: frozenset[int] | None = None,
    ) -> None:
        self.findings = Findings()
        self._in_vain = in_vain
        #: The reads whose unwritten elements are told apart; those of other reads are then taken for defined.
        self._followed = followed
        #: For each of the origins, the number of its first element, and the elements.
        self._numbers: list[int] = []
        self._elements: list[Places] = []
        self._next = 0
        self._greatest = DEFINED
        self._generation = generation
        self._shadows: dict[int, _Shadow] = {}
        self._units = units_of(items)
        self._position = 0
        #: Tensors returned, each with the position of the item that says so, and what tells them apart.
        self._outputs: list[tuple[int, Tensor]] = []
        self._places: set[object] = set()
        self._seen: set[tuple[str, int]] = set()
        #: Parallel loops that are running; by loop, the iterations around the present operation. The programs of a
        #: launch are the loop 0.
        self._running: dict[object, Running] = {}
        self._programs_of: dict[object, tuple[object, ...]] = {}
        self._iterations: dict[object, int] = {}
        self._programs: dict[tuple[object, ...], int] = {}
        #: Writes of legacy kernels to arguments: faults unless the argument is returned.
        self._inputs: list[Fault] = []
        self._written_arguments = False
        self._shared = SharedTensors()
        #: Storages with the result of a loop_reduce: assigning one in each iteration sums up over them.
        self._running_sums: set[int] = set()
        self._registers = Registers()
        #: Of each tensor returned, which elements are not defined.
        self.undefined: list[npt.NDArray[np.bool_]] = []
        self.surely_undefined: list[npt.NDArray[np.bool_]] = []
        self._stored_alike = stored_alike(items)
        #: What the operation that is executed writes.
        self._operands: Mapping[str, Tensor] = {}
        #: Whether something that may be undefined, but need not be, has come to an output.
        self._perhaps = False

    # --- items --------------------------------------------------------------------------------------------------------

    def step(self, position: int, item: Recorded) -> None:
        self._position = position
        if isinstance(item, Executed):
            self._executes(item.operation.program)
            self._operation(self._registers.made_explicit(item.operation))
        elif isinstance(item, Allocation):
            self._executes(item.program)
            self._allocate(item)
        elif isinstance(item, Returned):
            self._return(position, item)
        elif isinstance(item, Iteration):
            self._iteration(item)
        elif isinstance(item, ParallelLoop):
            if item.begins:
                self._running[item.loop] = Running()
                self._programs_of[item.loop] = item.program
            elif item.loop in self._running:
                self._end(item.loop)
        elif isinstance(item, Drawn):
            self._doubt(DRAWN)

    def _iteration(self, item: Iteration) -> None:
        """A parallel loop goes on with its next iteration."""
        loop = self._running[item.loop]
        if loop.loses(ends=False):
            self._doubt(DRAWN)
        self._running[item.loop] = loop.next(item)

    def _end(self, key: object) -> None:
        """A parallel loop ends."""
        if self._running.pop(key).loses(ends=True):
            self._doubt(DRAWN)
        for shadow in self._shadows.values():
            shadow.users.pop(key, None)

    def _return(self, position: int, item: Returned) -> None:
        """What programs share, each of them returns."""
        for tensor in item.tensors:
            place = (id(self._shared.first(tensor.storage)), tensor.dtype, tensor.shape, tensor.strides, tensor.offset)
            if place not in self._places:
                self._places.add(place)
                self._outputs.append((position, tensor))

    def barrier(self) -> None:
        """All programs have come to a barrier: what they did before is done."""
        for shadow in self._shadows.values():
            shadow.users.pop(0, None)

    def abandoned(self) -> None:
        """Some programs have come to a barrier that others do not come to."""
        self._doubt("a barrier that not all programs come to")

    def _executes(self, program: tuple[object, ...]) -> None:
        """This program of a launch executes something, in the present iterations of its loops."""
        self._iterations = {}
        for key, loop in self._running.items():
            if self._programs_of[key] == program and loop.number >= 0:
                self._iterations[key] = loop.number
                if loop.empty:
                    self._running[key] = loop.executing()
        if program:
            self._iterations[0] = self._programs.setdefault(program, len(self._programs))

    def _allocate(self, item: Allocation) -> None:
        if not self._shared.allocate(item):
            return
        # What all programs see is not private to the one that allocates it first.
        others = {0} if item.storage.buffer is SHARED_HBM and item.program else set()
        self._make(item.storage, UNWRITTEN).inside = frozenset(self._iterations) - others

    def _make(self, storage: Storage, mark: int) -> _Shadow:
        unit = self._units.get(id(storage), storage.dtype.itemsize)
        size = int(storage.size) * (storage.dtype.itemsize // unit)
        products = np.zeros(size, np.int8).astype(np.int32) if storage.buffer is PSUM else None
        shadow = _Shadow(storage, unit, np.full(size, mark, np.int32), products)
        self._shadows[id(storage)] = shadow
        return shadow

    def _shadow(self, storage: Storage) -> _Shadow:
        storage = self._shared.first(storage)
        found = self._shadows.get(id(storage))
        if found is not None:
            return found
        # What was not allocated in the run is an argument, which holds well-defined numbers.
        return self._make(storage, UNWRITTEN if is_register_file(storage) else DEFINED)

    # --- operations ---------------------------------------------------------------------------------------------------

    def _operation(self, operation: Operation) -> None:
        if operation.name == "nisa.core_barrier":
            # It names the tensor that is waited for, and reads none of it.
            return
        self._operands = operation.writes
        findings = self.findings
        findings.looked_at += len(operation.reads) + len(operation.writes)
        product = _is_product(operation) and "dst" in operation.writes
        adds = self._adds_in_place(operation)
        marks: dict[str, Marks] = {}
        for argument, view in operation.reads.items():
            if product and argument == "dst":
                continue
            mark = self._read(operation, argument, view, added=adds and argument == "x")
            if mark is None:
                return
            marks[argument] = mark
            decides = argument.endswith(".index") or operation.name.startswith("nisa.register")
            if decides or not operation.writes:
                self._reaches(int(mark.max(initial=DEFINED)), decides=decides)
        if exchanges(operation) and any(mark.any() for mark in marks.values()):
            self._doubt("undefined elements that another program receives")
        for argument, view in operation.writes.items():
            shadow = self._shadow(view.storage)
            region = self._reach(operation, argument, shadow, view)
            if region is None:
                if any(mark.any() for name, mark in marks.items() if matters(operation, argument, name)):
                    self._doubt("undefined elements that an indirect or conditional write may have put somewhere")
                if product and operation.attributes.get("accumulate") is not False:
                    self._doubt("a sum in PSUM at a place, or so often, as is known at run time only")
                continue
            if product:
                self._accumulate(operation, shadow, region, view, marks)
            if argument == REGISTERS and command_of(operation) is Command.CLOBBER:
                region.write(shadow.marks, UNWRITTEN)
                continue
            result = self._computed(operation, argument, region.view_shape, marks)
            if result.any() and not result.all() and region.meets_itself():
                self._doubt("a view that several elements of a result are written to one place of")
            if adds and operation.name == "setitem":
                # It joins what is there, which is nothing in the first iteration.
                result = np.maximum(result, region.read(shadow.marks, DEFINED).max(axis=-1))
            if self._position in self._in_vain:
                result = np.full(region.view_shape, _IN_VAIN + self._position, np.int32)
            region.write(shadow.marks, result)
            self._written_arguments |= isinstance(view.storage.identity, tuple)
            if view.legacy and isinstance(view.storage.identity, tuple):
                shown = (("operand", argument), ("of", tuple(view.shape)))
                self._inputs.append(Fault("df.input_written", self._position, view.storage.name, (), shown))
            if shadow.products is not None:
                region.write(shadow.products, 1 if product else 0)
            self._use(shadow, region, _ADDED if adds or _joins(operation) else _WROTE, view)
            if operation.name == "nl.loop_reduce":
                self._running_sums.add(id(view.storage))

    def _computed(self, operation: Operation, argument: str, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
        """Marks of a result: less than `_SURELY` where it only may be computed from what is undefined."""
        result = dependent(operation, argument, shape, marks)
        if not (result > _SURELY).any():
            return result
        sure = certain(operation, argument, shape, marks)
        perhaps = np.where((result > _SURELY) & (result < _IN_VAIN), result - _SURELY, result)
        return np.where((sure > _SURELY) & (result < _IN_VAIN), sure, perhaps).astype(np.int32)

    def _adds_in_place(self, operation: Operation) -> bool:
        """Whether an operation adds to what is there: the sum does not depend on the order of iterations."""
        target, added = operation.writes.get("dst"), operation.reads.get("x")
        if operation.name == "nl.add" and target is not None and added is target:
            return True
        value = operation.reads.get("value")
        return operation.name == "setitem" and value is not None and id(value.storage) in self._running_sums

    def _read(self, operation: Operation, argument: str, view: Tensor, added: bool) -> Marks | None:
        """Marks of the elements read; unwritten ones are given the mark of this read."""
        shadow = self._shadow(view.storage)
        shape = tuple(int(extent) for extent in view.shape)
        if view.indirect_by is not None:
            return self._read_anywhere(shadow, shape)
        part = touched(operation, argument, writes=False)
        region = Window(shadow.unit, shadow.marks.size, view, part.may)
        if not region.in_range:
            self._doubt("a view that leaves its tensor")
            return None
        values = region.read(shadow.marks, DEFINED)
        if not part.exact:
            values = self._surely_read(values, part)
        if shadow.products is not None and not _is_product(operation):
            held = region.read(shadow.products, 0).max(axis=-1)
            if (held == 1).any():
                region.write(shadow.products, np.where(held == 1, 2, held).astype(np.int32))
        self._use(shadow, region, _ADDED if added else _READ, view, sure=part.exact)
        if int(values.min(initial=0)) < DEFINED:
            values = self._unwritten(argument, view, values)
        marks: Marks = values.max(axis=-1)
        return marks

    def _surely_read(self, values: Marks, part: Touched) -> Marks:
        """`values` where it is sure that they are read; elsewhere they are defined, or the verdict is open."""
        there = np.broadcast_to(True if part.must is None else part.must[..., None], values.shape)
        if (values[~there] != DEFINED).any():
            self._doubt("a mask that does not fit what it leaves out")
        return np.where(there, values, DEFINED).astype(np.int32)

    def _read_anywhere(self, shadow: _Shadow, shape: tuple[int, ...]) -> Marks:
        """A read whose place indices decide: what is unwritten anywhere may come in."""
        if int(shadow.marks.min(initial=0)) < DEFINED:
            self._doubt("an indirect read of a tensor that is not written everywhere")
        if self._iterations and not isinstance(shadow.storage.identity, tuple):
            self._doubt("an indirect read in iterations or programs without an order")
        most = max(DEFINED, int(shadow.marks.max(initial=DEFINED)))
        if _SURELY < most < _IN_VAIN and not (shadow.marks > _SURELY).all():
            most -= _SURELY
        return np.full(shape, most, np.int32)

    def _unwritten(self, argument: str, view: Tensor, values: Marks) -> Marks:
        """`values` with a new mark for those that are unwritten."""
        unwritten = values == UNWRITTEN
        if not unwritten.any():
            self._doubt("a read of elements that an indirect or skipped write may have left out")
            unwritten = values == MAYBE
        first = tuple(int(at) for at in np.argwhere(unwritten)[0][:-1])
        shown = (("operand", argument), ("element", first), ("of", tuple(view.shape)), ("buffer", str(view.buffer)))
        name = view.storage.name or argument
        if self._followed is not None and self._position not in self._followed:
            return np.where(values < DEFINED, DEFINED, values).astype(np.int32)
        self.findings.origins.append(Fault(reading_rule(view.storage), self._position, name, first, shown))
        self._numbers.append(self._next)
        mark: Marks | int = _FIRST_ORIGIN - self._next
        self._next += 1
        if self._followed is not None:
            there = unwritten.any(axis=-1)
            self._elements.append(np.argwhere(there))
            count = len(self._elements[-1])
            mark = np.zeros(there.shape, np.int32)
            mark[there] = _FIRST_ORIGIN - self._numbers[-1] - np.arange(count)
            mark = mark[..., None]
            self._next += count - 1
        return np.where(values < DEFINED, mark, values).astype(np.int32)

    def _reach(self, operation: Operation, argument: str, shadow: _Shadow, view: Tensor) -> Window | None:
        """What is written for certain; None where that cannot be said."""
        if masks_otherwise(operation):
            self._doubt("a mask on an operation that is not element-wise")
        part = touched(operation, argument, writes=True)
        if not part.exact and not masks_otherwise(operation):
            self._doubt("a mask that does not fit what is written under it")
        uncertain = view.indirect_by is not None or operation.body is not None or not part.exact
        if uncertain or _skips(operation) or may_leave_out(operation, argument):
            shadow.marks[:] = np.where(shadow.marks == UNWRITTEN, MAYBE, shadow.marks)
            if self._iterations:
                self._doubt("an indirect write in iterations or programs without an order")
            return None
        region = Window(shadow.unit, shadow.marks.size, view, part.must)
        if not region.in_range:
            self._doubt("a view that leaves its tensor")
            return None
        return region

    def _accumulate(
        self, operation: Operation, shadow: _Shadow, region: Window, view: Tensor, marks: dict[str, Marks]
    ) -> None:
        """A matmul into PSUM: what it adds to has to be there, and to be of the same sum."""
        mode = operation.attributes.get("accumulate")
        if mode is False or shadow.products is None:
            return
        values = region.read(shadow.marks, DEFINED).max(axis=-1)
        held = region.read(shadow.products, 0).max(axis=-1)
        if mode is True:
            self._claim("df.accumulate_unwritten", view, values < DEFINED, accumulate=True)
            if self._generation <= _LAST_STRICT_GENERATION:
                self._claim("df.accumulate_other", view, (values >= DEFINED) & (held == 0), accumulate=True)
        else:
            self._claim("df.accumulate_stale", view, held == _READ_OUT, accumulate=mode)
            values = np.where(held > 0, values, DEFINED)
        marks["dst"] = np.where(values < DEFINED, DEFINED, values).astype(np.int32)

    def _claim(self, contract: str, view: Tensor, broken: npt.NDArray[np.bool_], **quantities: object) -> None:
        if broken.any():
            first = tuple(int(at) for at in np.argwhere(broken)[0])
            shown = (("element", first), ("of", tuple(view.shape)), *quantities.items())
            self._fault(Fault(contract, self._position, view.storage.name or "dst", first, shown))

    # --- iterations and programs --------------------------------------------------------------------------------------

    def _use(self, shadow: _Shadow, region: Window, how: int, view: Tensor, *, sure: bool = True) -> None:
        """Compare with what other iterations of the parallel loops around have done to the same elements.

        Not `sure`: `region` may be more than is used.
        """
        if is_register_file(shadow.storage):
            # Iterations without an order reduce in registers one after the other.
            return
        for loop, number in self._iterations.items():
            if loop in shadow.inside or (shadow.storage.buffer.on_chip and loop == 0):
                continue
            users = shadow.users.get(loop)
            if users is None:
                users = shadow.users[loop] = np.zeros((4, shadow.marks.size), np.int32)
            mine = number + 1
            use = _ALIKE if loop == 0 and how == _WROTE and self._position in self._stored_alike else how
            clash = np.zeros(region.shape, bool)
            for which in (_WROTE, _READ, _ADDED, _ALIKE):
                seen = region.read(users[which], 0)
                others = (seen != 0) & (seen != mine)
                if use != which or use == _WROTE:
                    clash |= others
                elif use == _ALIKE and others.any():
                    self._alike_elsewhere(view, others)
            if clash.any() and not sure:
                self._doubt("a mask that does not fit what it leaves out")
            elif clash.any():
                first = tuple(int(at) for at in np.argwhere(clash)[0][:-1])
                contract, kind = ("df.programs", "program") if loop == 0 else ("df.affine_range", "iteration")
                shown = (("element", first), ("of", tuple(view.shape)), (kind, number))
                self._fault(Fault(contract, self._position, view.storage.name or "tensor", first, shown))
            seen = region.read(users[use], 0).max(axis=-1)
            region.write(users[use], np.where((seen != 0) & (seen != mine), _SEVERAL, mine).astype(np.int32))

    def _alike_elsewhere(self, view: Tensor, stored: npt.NDArray[np.bool_]) -> None:
        """Another program has stored the same values to the same elements."""
        first = tuple(int(at) for at in np.argwhere(stored)[0][:-1])
        argument = next(name for name, one in self._operands.items() if one is view)
        self.findings.alike.append(Fault("df.programs_same", self._position, argument, first))

    # --- outputs ------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Look at what the kernel returned, and at its arguments."""
        for loop in list(self._running):
            self._end(loop)
        returned = {tensor.storage.name for _, tensor in self._outputs if isinstance(tensor.storage.identity, tuple)}
        for fault in self._inputs:
            if fault.tensor not in returned:
                self._fault(fault)
        if not self._outputs and not self._written_arguments:
            self._doubt("nothing is returned, and no argument written")
        for position, tensor in self._outputs:
            self._position = position
            shadow = self._shadow(tensor.storage)
            region = Window(shadow.unit, shadow.marks.size, tensor)
            self.findings.looked_at += 1
            if not region.in_range:
                self._doubt("a view that leaves its tensor")
                continue
            marks = region.read(shadow.marks, DEFINED)
            self._output(tensor, marks.max(axis=-1), marks.min(axis=-1))
        for shadow in self._shadows.values():
            if shadow.marks.max(initial=0) > DEFINED and isinstance(shadow.storage.identity, tuple):
                self._reaches(int(shadow.marks.max()))
        if self._perhaps and not self.findings.faults:
            self._doubt(_LEFT_OUT)

    def _output(self, tensor: Tensor, marks: Marks, least: Marks) -> None:
        self.undefined.append((marks != DEFINED) | (least != DEFINED))
        self.surely_undefined.append((marks > _SURELY) | (least == UNWRITTEN))
        if (least == UNWRITTEN).any():
            first = tuple(int(at) for at in np.argwhere(least == UNWRITTEN)[0])
            missing = int((least == UNWRITTEN).sum())
            name = tensor.storage.name or "result"
            shown = (("element", first), ("of", tuple(tensor.shape)), ("unwritten", missing))
            self._fault(Fault("df.output_written", self._position, name, first, shown))
        elif (least == MAYBE).any():
            self._doubt("an output that indirect or conditional writes may have left out in part")
        for number in np.unique(marks[marks > DEFINED])[::-1]:
            self._reaches(int(number))

    # --- noting ------------------------------------------------------------------------------------------------------

    def _reaches(self, mark: int, *, decides: bool = True) -> None:
        """What `mark` stands for has come to an output, or to an operation that uses it at once."""
        if mark >= _IN_VAIN:
            self.findings.used.add(mark - _IN_VAIN)
        elif mark > _SURELY and decides:
            self._greatest = max(self._greatest, mark)
            self._fault(self.findings.origins[bisect_right(self._numbers, _FIRST_ORIGIN - mark) - 1])
        elif mark > DEFINED and decides:
            self._perhaps = True

    def first_reached(self) -> Fault | None:
        """The first of the elements told apart that has reached an output."""
        if self._greatest == DEFINED:
            return None
        number = _FIRST_ORIGIN - self._greatest
        at = bisect_right(self._numbers, number) - 1
        fault = self.findings.origins[at]
        element = tuple(int(part) for part in self._elements[at][number - self._numbers[at]])
        shown = tuple((name, element if name == "element" else value) for name, value in fault.quantities)
        return replace(fault, element=element, quantities=shown)

    def _fault(self, fault: Fault) -> None:
        key = (fault.contract, fault.position)
        if key not in self._seen:
            self._seen.add(key)
            self.findings.faults.append(fault)

    def _doubt(self, text: str) -> None:
        if text not in self.findings.doubts:
            self.findings.doubts.append(text)


def _joins(operation: Operation) -> bool:
    return _is_product(operation) and "dst" in operation.writes and operation.attributes.get("accumulate") is not False


def _is_product(operation: Operation) -> bool:
    return operation.name in ("nisa.nc_matmul", "nisa.nc_matmul_mx")


def _skips(operation: Operation) -> bool:
    """Whether a DMA leaves out what is out of bounds."""
    return getattr(operation.attributes.get("oob_mode"), "name", "") == "skip" and any(
        view.indirect_by is not None and view.indirect_by.kind is not IndirectionKind.ELEMENTS
        for view in (*operation.reads.values(), *operation.writes.values())
    )
