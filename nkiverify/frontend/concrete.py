"""The concrete run: ordinary ints, the same stubs, and a violated contract wherever one is.

This is what a witness is replayed in and what symbolic verdicts are compared with. The kernel is loaded as it is,
without instrumentation. Representatives of index grids are symbolic here as well; a condition on them is checked for
every element of the grid.
"""

from __future__ import annotations

import dis
import inspect
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from itertools import product as cartesian
from math import prod
from types import FrameType
from typing import Any, NoReturn, TypeVar

from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, InternalError, UnsupportedConstruct, described
from nkiverify.foundation.source import Site, frame_site, kernel_site, kernel_sites
from nkiverify.frontend.paths import FloatsMatter, Limits, Unsupported
from nkiverify.frontend.stated import StatedClaims
from nkiverify.frontend.tracebacks import limit_of_machine, our_entry, raised_by_chance
from nkiverify.frontend.traced_loops import TracedBodies, TracedLoops, TracedRange
from nkiverify.ir import program
from nkiverify.ir.contract import Contract, Severity
from nkiverify.ir.program import Assumed, Claim
from nkiverify.model import recorded
from nkiverify.model.contracts import contract
from nkiverify.model.current_execution import SHAPE_PHASES, Elements
from nkiverify.model.hardware import Hardware
from nkiverify.model.known_numbers import AllocationKey, Contents
from nkiverify.model.launch import current_launch
from nkiverify.model.operation import Operation
from nkiverify.model.policy import applied_policy
from nkiverify.model.state import LoopBody, ModelState
from nkiverify.model.tensor import Storage, Tensor, recorded_view
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.integers import Extent
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.values import as_term

#: Why a run that is longer than it may be gives no answer.
TOO_LONG = "a concrete run that takes too long"
#: What an execution comes to, apart from the contracts that it has found broken.
_COURSE = (
    *("model", "no_spills", "revision", "recorded", "bodies", "traced", "looked_at", "lacks_floats", "summarises"),
    "rounds_differ",
)


def _holds(condition: Condition) -> bool:
    """True if a condition holds for every element of its index grids."""
    from nkiverify.symbolic.enumeration import counterexample  # as late as this: few kernels have grids

    return counterexample(condition) is None


@dataclass(frozen=True, slots=True)
class BrokenContract:
    """One contract that a concrete run found broken."""

    contract: Contract
    site: Site | None
    quantities: tuple[tuple[str, object], ...]


class AllBroken(BaseException):
    """Every place that a replay was to reach has been seen to break its contract: the rest is not needed."""


#: What a concrete run notes, in order.
Recorded = recorded.Executed | recorded.Allocation | recorded.Returned | program.Unordered


class Observer:
    """A part that a concrete execution reports to. It changes nothing of what the execution answers; it may end it.

    Its methods are called from the kernel's call, whose frames are there to be examined.
    """

    def operation(self, run: ConcreteExecution) -> None:
        """An operation has been executed: the last item that `run` has recorded."""

    def returned(self, run: ConcreteExecution) -> None:
        """The kernel has returned: the last item of a run that records it."""

    def broken(self, run: ConcreteExecution, found: BrokenContract) -> None:
        """A contract was found broken, and noted."""

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Come to what this would have come to in an execution that has ended, and was not watched; False where what
        `run` has recorded does not tell."""
        return False


class ConcreteElements(Elements):
    """The elements of tensors in a concrete execution, which records what is executed: none are known."""

    #: Whether the model is to follow the numbers in tensors, as their elements are not known.
    followed = True
    #: Whether the bodies of device loops may change nothing whose state cannot be compared.
    strict = True

    def begin(self, run: ConcreteExecution) -> None:
        """Become a part of `run`."""
        # Not in a circle: elements are many bytes, which are to be free once nobody has them.
        self._run = weakref.ref(run)

    @property
    def run(self) -> ConcreteExecution:
        """The execution that this is a part of."""
        run = self._run()
        assert run is not None
        return run

    def are_those_of(self, other: ConcreteElements) -> bool:
        """True if an execution with these elements does what one with the others does."""
        return type(self) is type(other) is ConcreteElements

    def identity(self) -> object:
        """The identity of the allocation or register being made: its ordinal."""
        return self.run.ordinal()

    def allocated(self, storage: Storage) -> None:
        """Record an allocation."""
        self.run.recorded.append(recorded.Allocation(storage, kernel_site(), current_launch().program))

    def executed(self, operation: Operation) -> None:
        """Record an operation."""
        self.run.recorded.append(recorded.Executed(operation, *kernel_sites()))
        for observer in self.run.observers:
            observer.operation(self.run)

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """Record what the kernel returned."""
        self.run.recorded.append(recorded.Returned(tuple(map(recorded_view, chain(*programs))), by_parameter))
        for observer in self.run.observers:
            observer.returned(self.run)


class Order:
    """The order in which iterations of loops without one, and programs of a launch, are run: from first to last, but
    for the program that comes `first`, by its number among all (-1 for the last one).

    With `puts_back`, each iteration of a loop that is traced once finds the variables of Python as the first one did.
    """

    def __init__(self, puts_back: bool = False, first: int = 0) -> None:
        self.puts_back = puts_back
        self.first = first

    def iterated(self, iterable: Any, site: Site) -> Any:
        """The object that the `for` statement at `site` runs over, in place of `iterable`."""
        return iterable

    def iterations(self, run: ConcreteExecution, length: int) -> Iterable[int]:
        """The numbers of the iterations of the loop that has just begun in `run`."""
        return range(length)

    def programs(self, run: ConcreteExecution, grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The programs of a launch that are run."""
        if not self.first or prod(grid) <= 1:
            return cartesian(*map(range, grid))
        sizes = [prod(grid[axis + 1 :]) for axis in range(len(grid))]
        number = self.first % prod(grid)
        first = tuple(number // size % extent for size, extent in zip(sizes, grid, strict=True))
        return chain((first,), (program for program in cartesian(*map(range, grid)) if program != first))


class FromIterations(Order):
    """The order of a run that begins `for` statements at these iterations, where they have as many: a statement that
    has several of them, as it runs within itself, one after the other."""

    def __init__(self, starts: Mapping[Site, Sequence[int]], first: int = 0) -> None:
        super().__init__(first=first)
        self._starts = {site: list(numbers) for site, numbers in starts.items()}

    def iterated(self, iterable: Any, site: Site) -> Any:
        """The rest of `iterable` for the statement at `site`."""
        numbers = self._starts.get(site, [0])
        skipped = numbers.pop(0) if len(numbers) > 1 else numbers[0]
        return iterable[skipped:] if type(iterable) in (range, list, tuple) and skipped < len(iterable) else iterable


ObserverT = TypeVar("ObserverT", bound=Observer)


class _UnorderedRange(Sequence[int]):
    """A range whose iterations have no order: what is executed between two of its numbers is an iteration."""

    __slots__ = ("_plain", "_run")

    def __init__(self, plain: range, run: ConcreteExecution) -> None:
        self._plain = plain
        self._run = run

    def __iter__(self) -> Iterator[int]:
        return self._iterations(self._plain, drawn=not _begins_loop(sys._getframe(1)))

    def __reversed__(self) -> Iterator[int]:
        return self._iterations(self._plain[::-1], drawn=True)

    def _iterations(self, numbers: range, *, drawn: bool) -> Iterator[int]:
        run = self._run
        # Whoever runs over what a generator yields may take several numbers before it does anything.
        drawn |= bool(sys._getframe(1).f_code.co_flags & inspect.CO_GENERATOR)
        launched = current_launch().program
        loop, left = run.begin_loop(), True
        order = run.order.iterations(run, len(numbers))
        try:
            for number, value in run.traced.iterations((at, numbers[at]) for at in order):
                run.recorded.append(program.Iteration(loop, number, drawn, launched))
                yield value
            left = False
        finally:
            run.recorded.append(program.ParallelLoop(loop, False, launched, left))

    def __len__(self) -> int:
        return len(self._plain)

    def __contains__(self, value: object) -> bool:
        return value in self._plain

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _UnorderedRange(self._plain[key], self._run)
        self._run.drawn()
        return self._plain[key]


def _begins_loop(frame: FrameType) -> bool:
    """True if `frame` is about to run over something: with a `for`, so that nobody else gets at the iterator."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "GET_ITER"


class ConcreteExecution:
    """Executes a target on one choice of values.

    With `awaited`, contracts with their places, the run ends (by raising `AllBroken`) once all of them are broken.
    It ends as well, as unsupported, after `seconds` of this process, when it has examined this many `contracts`, or a
    moment after `decisive` is broken.
    With `stop_at_first` a broken contract raises `ContractViolation`; otherwise it is noted in `broken` and the kernel
    continues, as far as Python lets it. What is only warned of, or accepted, is noted in `tolerated` and stops nothing.
    With `stated`, each contract that is checked is stated there as a claim. What it comes to is reported to the
    `observers`, one after the other. `elements` is what tensors hold, `order` that of iterations and programs.
    """

    symbolic = False
    #: Kernel code reaches nothing outside of it; see `nkiverify.frontend.guard`.
    isolated = True

    def __init__(
        self,
        hardware: Hardware,
        stop_at_first: bool = True,
        seconds: float = 60.0,
        awaited: Iterable[tuple[str, Site | None]] = (),
        phases: frozenset[int] = frozenset(),
        records: bool = False,
        decisive: tuple[str, Site | None] | None = None,
        contracts: float = float("inf"),
        observers: Sequence[Observer] = (),
        elements: ConcreteElements | None = None,
        order: Order | None = None,
        stated: StatedClaims | None = None,
    ) -> None:
        self.hardware = hardware
        self.policy = applied_policy()
        self.phases = SHAPE_PHASES | phases
        self.elements = elements or ConcreteElements()
        self.model = ModelState(follows=self.elements.followed)
        self.no_spills = False
        self.revision: Callable[[], Extent] | None = None
        self.rests_on: frozenset[Assumed] = frozenset()
        self.about: Site | None = None
        self.stop_at_first = stop_at_first
        self._deadline = time.process_time() + seconds
        self._contracts = contracts if stated is None else stated.most
        self.observers = tuple(observers)
        self._awaited = {(rule, _line_of(site)) for rule, site in awaited}
        self._decisive = (decisive[0], _line_of(decisive[1])) if decisive is not None else None
        #: What the verdict depends on, and what is only warned of or accepted.
        self.broken: list[BrokenContract] = []
        self.tolerated: list[BrokenContract] = []
        self.stated = stated
        self.states_claims = stated is not None
        #: What ended the run before the kernel's end, or leaves a part of the launch out.
        self.unsupported_construct: Unsupported | None = None
        #: The exception of the kernel's own that ended it, where claims are stated.
        self.raised: Exception | SystemExit | None = None
        #: With `records`: the operations and allocations executed, in order.
        self.records = records or not phases <= SHAPE_PHASES
        self.recorded: list[Recorded] = []
        self.bodies = TracedBodies(strict=self.elements.strict)
        self.order = order or Order()
        self.traced = TracedLoops(self.order.puts_back)
        #: Whether numbers of floats were asked for that are not followed: what the run has shown does not count.
        self.lacks_floats = False
        #: True in the body of a device loop that goes round no time: it is traced all the same, and nothing executed.
        self.only_traced = False
        #: Whether the body of a device loop has been run once for all its rounds.
        self.summarises = False
        #: Whether claims rest on what another round of such a body leaves.
        self.rounds_differ = False
        self._count = 0
        #: How many contracts have been examined: how much there was to do.
        self.looked_at = 0
        self.elements.begin(self)

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Check that `condition` holds."""
        if not self._truth(condition):
            self.violated(rule, self.about or kernel_site(2), quantities)
        elif self.stated is not None:
            self.stated.state(rule, True, {}, self.rests_on)

    def suffices(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """State a claim that is enough for the contract; that it does not hold proves nothing."""
        if self.stated is not None:
            self.stated.state(rule, self._truth(condition), quantities, self.rests_on, sufficient=True)

    def leaves_open(self, rule: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """State a claim that is open where its condition does not hold."""
        if self.stated is not None:
            self.stated.state(rule, self._truth(condition), quantities, self.rests_on, why=why)

    def _truth(self, condition: object) -> bool:
        """True if a condition holds, for every element of a grid."""
        self.looked_at += 1
        if not self.looked_at % RunningBudget.CONTRACTS_BETWEEN_CLOCKS and self._is_to_stop():
            raise self.unsupported(TOO_LONG)
        if isinstance(condition, Condition):
            try:
                return _holds(condition)
            except UnsupportedConstruct as limit:
                raise self.unsupported(limit.construct) from None
        return bool(condition)

    def _is_to_stop(self) -> bool:
        if self.stated is not None:
            self.stated.paused = self.stated.paused or self.stated.repeats(self.looked_at, self.recorded)
        return self.overdue or (self.stated is not None and self.stated.paused)

    @property
    def overdue(self) -> bool:
        """True if the run has checked the contracts, or taken the time, that it may."""
        late = self.looked_at > self._contracts or time.process_time() > self._deadline
        return late or (self.stated is not None and self.stated.overdue)

    @property
    def claims(self) -> StatedClaims:
        """The claims that are stated, where any are."""
        assert self.stated is not None
        return self.stated

    @property
    def program(self) -> program.Program:
        """Those claims as a program."""
        return self.claims.program

    @property
    def limits(self) -> Limits:
        """The limits of an execution that states claims."""
        return self.claims.limits

    def violated(self, rule: Contract, site: Site | None, quantities: Mapping[str, object]) -> None:
        """Note that `rule` is broken, or raise."""
        if self.stated is not None:
            self.stated.broken(rule, site, quantities, self.rests_on)
        found = BrokenContract(rule, site, tuple(quantities.items()))
        decides = self.note(found)
        for observer in self.observers:
            observer.broken(self, found)
        if self._decisive == (rule.id, _line_of(site)):
            # What it is run for is seen; the others are searched for as long as that takes no time.
            self._decisive = None
            self._contracts = min(self._contracts, self.looked_at + RunningBudget.CONTRACTS_AFTERWARDS)
            self._deadline = min(self._deadline, time.process_time() + RunningBudget.SECONDS_AFTERWARDS)
        if self._awaited:
            self._awaited.discard((rule.id, _line_of(site)))
            if not self._awaited:
                raise AllBroken
        if self.stop_at_first and decides:
            shown = ", ".join(f"{name} = {value}" for name, value in quantities.items())
            raise ContractViolation(rule.id, f"{rule.statement} {shown}".strip(), site)

    def observer(self, kind: type[ObserverT]) -> ObserverT:
        """The observer of this kind that the run was given."""
        return next(one for one in self.observers if isinstance(one, kind))

    def decides(self, found: BrokenContract) -> bool:
        """True if the verdict depends on a broken contract."""
        return self.policy.severity(found.contract, found.site) is Severity.CLAIM

    def note(self, found: BrokenContract) -> bool:
        """Note a broken contract; whether the verdict depends on it."""
        decides = self.decides(found)
        (self.broken if decides else self.tolerated).append(found)
        return decides

    def takes_over(self, known: ConcreteExecution) -> bool:
        """Come to what `known`, an execution of the same kernel and shape, has come to at its end; False where that
        may not be what this one would come to, which is then of no more use."""
        kept = known.broken + known.tolerated
        if not (
            known.hardware == self.hardware
            and known.policy.policy == self.policy.policy
            and self.phases <= known.phases
            and all(one.contract.phase in self.phases for one in kept)
            and (known.records or not self.records)
            and not (kept and (self.stop_at_first or known.stop_at_first))
            and self.stated is known.stated is None
            and type(self.order) is type(known.order) is Order
            and self.order.puts_back is known.order.puts_back
            and known.looked_at <= self._contracts
            and known.elements.are_those_of(self.elements)
            and all(observer.catches_up(known) for observer in self.observers)
        ):
            return False
        for name in _COURSE:
            setattr(self, name, getattr(known, name))
        self.broken, self.tolerated = list(known.broken), list(known.tolerated)
        return True

    def assume(self, condition: object) -> None:
        """Nothing to do: what is assumed of ordinary values holds or was a claim."""

    def unsupported(self, construct: str, advice: str = "", at: Site | None = None) -> UnsupportedConstruct:
        """Remember that nothing can be concluded, whatever the kernel does with the exception to raise; `at` says
        where, if the kernel's code has been left."""
        site = at or kernel_site(2)
        if self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(construct, advice, site)
        return UnsupportedConstruct(construct, advice, site)

    def passes(self, error: BaseException) -> None:
        """Kernel code handles `error`: it must not where the error is about us rather than about the kernel."""
        if isinstance(error, UnsupportedConstruct):
            raise error
        limit = limit_of_machine(error)
        if limit is not None:
            raise self.unsupported(*limit)
        ours = isinstance(error, AttributeError | NotImplementedError) and our_entry(error) is not None
        if ours or raised_by_chance(error):
            raise self.unsupported(f"a handler for {described(error)}")

    def conclude(self, claims: Iterable[Claim]) -> None:
        """Make claims about what was recorded claims of the run; those that do not hold are broken contracts."""
        for one in claims:
            holds = one.condition is True
            self.claims.claim(
                one.contract, holds, one.site, one.stub, one.quantities, sufficient=one.sufficient, why=one.open
            )
            if not (holds or one.sufficient or one.open):
                self.note(BrokenContract(one.contract, one.site, one.quantities))

    def fresh_index(self, name: str, extent: Extent) -> Extent:
        """A representative of `range(extent)`, which conditions are checked for element by element."""
        size = as_term(extent)
        assert size is not None
        return terms.index(name, size, ("concrete", self.ordinal()), representative=True)  # type: ignore[return-value]

    def loop_range(self, start: Extent, stop: Extent, step: Extent, parallel: bool = False) -> object:
        """Python's range; if the iterations of a parallel one are to be recorded, a sequence that does so."""
        plain = range(start, stop, step)
        return _UnorderedRange(plain, self) if parallel and self.records else plain

    def trace(self) -> Iterator[None]:
        """The trace of the body of a device loop that goes round no time."""
        contents = self.model.contents
        self.only_traced = True
        yield from self.bodies.rounds((None,))
        self.only_traced = False
        self.model.contents = contents

    def traced_once(self, loop: object) -> object:
        """A loop of the legacy API, whose body is traced once."""
        return TracedRange(loop, self.traced) if isinstance(loop, range) else loop

    def placement(self, given: object) -> object:
        """The allocator that places what is allocated now: in such a loop, that of the first iteration."""
        return self.traced.placement(given, kernel_site(2))

    def begin_loop(self) -> int:
        """A loop without an order begins: what identifies it."""
        loop = self.ordinal()
        self.recorded.append(program.ParallelLoop(loop, True, current_launch().program))
        return loop

    def device_loop(self, body: LoopBody, *, begins: bool) -> None:
        """Note a body that is run once for all its rounds; an operation has the body that it is emitted in."""
        self.summarises |= body.once and not self.only_traced

    def round_index(self, number: Extent | None) -> None:
        """No iteration stands for others."""

    def found_by_round(self, body: LoopBody, *, after: bool = False) -> Contents:
        """The contents before the loop: nothing is guessed."""
        return body.before

    def check_rounds(self, body: LoopBody, missed: list[AllocationKey], left: Contents) -> None:
        """Note that claims rest on what other rounds leave: it stays unknown."""
        self.rounds_differ |= any(body.assumed[place].used for place in missed)

    def after_rounds(self, body: LoopBody, left: Contents) -> Contents:
        """The contents before the loop, or those that a round has left."""
        return body.before.joined(left)

    def run_time_number(self) -> None:
        """A number that is known is an integer."""

    def drawn(self, *, ordered: bool = False) -> None:
        """Note that elements of a range without an order are taken outside a loop."""
        self.recorded.append(program.Drawn(kernel_site(2), current_launch().program))

    def programs(self, grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The programs of a launch that are run."""
        return self.order.programs(self, grid)

    def one_for_all_programs(self, grid: tuple[Extent, ...], kernel: Callable[..., Any]) -> NoReturn:
        """Never asked: each program is run."""
        raise InternalError(f"one program for all of the launch {grid} of {kernel} in a concrete run")

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """The kernel has returned."""
        if self.records:
            self.elements.returned(*programs, by_parameter=by_parameter)

    def operation(self, operation: Operation) -> None:
        """An operation is executed."""
        self.elements.executed(operation)

    def allocation(self, storage: Storage) -> None:
        """A storage is allocated."""
        self.elements.allocated(storage)

    def floats_matter(self) -> FloatsMatter:
        """Remember that floats have to be followed, and return the signal to raise."""
        self.lacks_floats = True
        return FloatsMatter()

    def allocation_id(self) -> object:
        """The identity of the allocation or register being made."""
        return self.elements.identity()

    def ordinal(self) -> int:
        """Another number of this run."""
        self._count += 1
        return self._count

    def is_one_allocation(self, identity: object) -> bool:
        """Every allocation has its own number."""
        return True

    def is_of_another_iteration(self, identity: object) -> bool:
        """Every allocation has its own number."""
        return False

    def unroll_for(self, term: Term, use: str) -> None:
        """Every loop does run number by number."""

    def copied_on_read(self, parts: Sequence[object]) -> None:
        """A concrete run copies nothing."""

    def is_copy(self, value: object) -> bool:
        """No object stands for another one."""
        return False

    def decide(self, condition: Condition) -> bool:
        """The truth value of a condition on a grid, if all elements agree."""
        if _holds(condition):
            return True
        if _holds(condition.negation()):
            return False
        raise self.unsupported(f"control flow that depends on the element of an index grid: {condition}")

    def holds(self, condition: Condition) -> bool:
        """True if `condition` holds for every element of the grid."""
        return _holds(condition)

    def entails(self, condition: Condition | bool) -> bool:
        """True if `condition` holds for every element of the grid, as far as is seen at once."""
        return Facts().proves(condition)

    def forced_value(self, term: Term) -> int | None:
        """The value of `term` if all elements of the grid agree on it."""
        return Facts().value_of(term)

    def host_extents(self, extents: Sequence[Extent]) -> None:
        """Check that the integers of a shape have 32 bits."""
        for extent in extents:
            if not isinstance(extent, Term) and not INT32_MIN <= extent <= INT32_MAX:
                self.violated(contract("host.int32"), kernel_site(2), {"value": extent})

    def host_integer(self, value: Term, frame: FrameType) -> None:
        """Index grids are no host integers."""

    def computed_by_library(self, value: Term) -> None:
        """Index grids are no host integers."""

    def handed_back(self, value: Term, frame: FrameType) -> None:
        """Index grids are no host integers."""

    def host_number(self, value: int, frame: FrameType) -> None:
        """A broken contract."""
        self.violated(contract("host.int32"), frame_site(frame), {"value": value})

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        """Index grids are no host integers."""

    def host_zero_divisor(self, frame: FrameType) -> None:
        """A broken contract."""
        self.violated(contract("host.division_by_zero"), frame_site(frame), {"divisor": 0})


def _line_of(site: Site | None) -> tuple[str, int] | None:
    return (site.file, site.line) if site is not None else None


def innermost_kernel_site(error: BaseException) -> Site | None:
    """The line of kernel code that raised `error`, directly or in what it called."""
    from nkiverify.frontend.tracebacks import frame_site_of, kernel_entries

    entries = kernel_entries(error)
    return frame_site_of(entries[-1]) if entries else None
