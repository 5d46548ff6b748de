"""The symbolic run: executes a target on every path and records the shape program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, UsageError, described
from nkiverify.foundation.source import Site, identity, kernel_site, kernel_sites
from nkiverify.frontend import identities
from nkiverify.frontend.claiming import Claiming
from nkiverify.frontend.paths import SIGNAL_OF_OURS, Limits, LostName, PathEnded
from nkiverify.frontend.ranges import SymRange, as_sequence
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.frontend.tracebacks import (
    frame_site_of,
    frames_of_libraries,
    kernel_entries,
    limit_of_machine,
    name_of,
    our_entry,
    raised_by_chance,
    raised_by_kernel,
    raised_in,
    undocumented,
)
from nkiverify.ir import program
from nkiverify.ir.program import DomainDimension
from nkiverify.model import recorded
from nkiverify.model.contracts import contract
from nkiverify.model.current_execution import SHAPE_PHASES, Elements
from nkiverify.model.hardware import Hardware
from nkiverify.model.launch import current_launch
from nkiverify.model.tensor import recorded_view
from nkiverify.symbolic import equal, terms
from nkiverify.symbolic.atoms import Atom, Condition, Term
from nkiverify.symbolic.execution import running, unsupported
from nkiverify.symbolic.integers import Extent, SymInt
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.substitution import contents, substitute
from nkiverify.symbolic.values import as_term

if TYPE_CHECKING:
    from nkiverify.frontend.carried_contents import CarriedByRounds
    from nkiverify.model.known_numbers import AllocationKey, Contents
    from nkiverify.model.operation import Operation
    from nkiverify.model.state import LoopBody
    from nkiverify.model.tensor import Storage, Tensor

#: More rounds than a device loop has that a register of 32 bits counts.
MOST_ROUNDS = 2**32

#: What a value computed from one computed from another, hundreds of times over, is, and what can be done about it.
TOO_DEEP = (
    "expressions nested as deeply as the kernel's",
    "lower --unwind, or bound the dimensions so that loops are shorter",
)


@dataclass(frozen=True, slots=True, eq=False)
class AllocationId:
    """The identity of an allocation: the site, its ordinal on the path, and the indices of the loops around it."""

    site: Site | None
    key: tuple[int, ...]
    indices: tuple[Term, ...]


class TargetRaised(Exception):
    """The target function itself, not the kernel, raises: the target has to be corrected."""

    def __init__(self, error: Exception | SystemExit) -> None:
        entry = error.__traceback__
        while entry is not None and entry.tb_next is not None:
            entry = entry.tb_next
        place = "" if entry is None else f" (line {entry.tb_lineno} of {entry.tb_frame.f_code.co_filename})"
        super().__init__(f"the target raises {described(error)}{place}")


class OpenLoop(Protocol):
    """A loop that is being summarised, as the execution of its body sees it."""

    def refuse_unbound(self, name: str | None) -> None:
        """Give up the loop if `name`, which could not be found, is one it has no value for at the start of the body."""

    def traced_index(self) -> Atom | None:
        """The number of its iteration, of a loop whose body is traced once."""


class SymbolicExecution(Claiming):
    """Executes a target for all values of its dimensions at once. The model asks it what
    `nkiverify.model.current_execution` says."""

    symbolic = True
    states_claims = True
    isolated = True
    only_traced = False
    elements = Elements()

    def __init__(
        self,
        hardware: Hardware,
        limits: Limits,
        unrolled: Mapping[Site, str],
        phases: frozenset[int] = frozenset(),
        records: bool = False,
        known: Context | None = None,
        puts_back: bool = False,
    ) -> None:
        """With `puts_back`, each iteration of a loop that is traced once finds the variables of Python as the first one
        did."""
        super().__init__(limits, unrolled, known)
        self.hardware = hardware
        self.puts_back = puts_back
        self.phases = SHAPE_PHASES | phases
        self.no_spills = False
        self.revision: Callable[[], Extent] | None = None
        #: Whether operations and allocations are recorded.
        self.records = records or not phases <= SHAPE_PHASES
        #: Local names that have no value after a loop: it is unrolled, or reading one is unsupported.
        self.names_without_value: dict[str, LostName] = {}
        #: Whether a path ends in an exception that no `raise` or `assert` of the kernel makes: what it calls may have
        #: minded that a value is symbolic.
        self.raised_within = False
        #: Copies made on reading, which kernel code has, with what they held.
        self._copies: list[tuple[Any, list[Any]]] = []
        self._copied: set[int] = set()
        #: The state that modules lead to, by the modules (`nkiverify.frontend.snapshot`).
        self.snapshots_of_modules: dict[frozenset[int], Snapshot] = {}
        #: The loops being summarised, outermost first.
        self.open_loops: list[OpenLoop] = []
        #: The loops over generators that are running, outermost first (`nkiverify.frontend.drawn_loops`).
        self.drawn_loops: list[object] = []

    # --- exploring ---------------------------------------------------------------------------------------------------

    def explore(self, execute: Callable[[], object]) -> None:
        """Execute every path; exceptions that leave `execute` on a path are claims that must fail.

        Raises `LoopNotSummarised` where a loop has to be unrolled: explore again in a new run that knows.
        """
        root = self._scopes[0]
        with running(self):
            while True:
                self.begin_path(root)
                self._copies.clear()
                self._copied.clear()
                self.try_depth = 0
                self.open_loops.clear()
                self.drawn_loops.clear()
                self.program.paths += 1
                try:
                    execute()
                except PathEnded:
                    if not self.path_has_ended:
                        self.stopped(UnsupportedConstruct(SIGNAL_OF_OURS))
                except UnsupportedConstruct as limit:
                    self.stopped(limit)
                except (Exception, SystemExit) as error:
                    self._path_raised(error)
                if self.unsupported_construct is not None:
                    return
                if self._given_up is not None:
                    raise self._given_up
                try:
                    self.check_copies()
                except UnsupportedConstruct:
                    return
                self.truncate(1)
                if not root.next_path():
                    return

    def _path_raised(self, error: Exception | SystemExit) -> None:
        if self.unsupported_construct is not None or self._given_up is not None or self._dead:
            return
        if isinstance(error, UsageError | InternalError):
            raise error
        if not kernel_entries(error):
            raise TargetRaised(error)
        self.truncate(1)
        try:
            self.refuse_lost_name(error)
            self.refuse_fault_of_model(error)
            # What a changed copy says is not what the object says that it stands for.
            self.check_copies()
        except UnsupportedConstruct:
            return
        self.claim_exception(error)

    def refuse_lost_name(self, error: BaseException) -> None:
        """Where `error` is about a local name whose value a summarised loop lost, nothing can be concluded."""
        name = name_of(error)
        if name is not None and name in self.names_without_value:
            lost = self.names_without_value[name]
            if lost.iterations is not None and lost.iterations <= ExploringBudget.UNROLLED_FOR_VALUES:
                raise self.give_up_loop(lost.site, f"`{name}` is read after it")
            raise self.unsupported(f"reading {lost} after it", "bind it after the loop")

    def copied_on_read(self, parts: Sequence[Any]) -> None:
        """Kernel code gets copies of what a list made in a loop holds: it must not change them."""
        for part in parts:
            self._copies.append((part, contents(part)))
            self._copied.add(identity(part))
            identities.watch(type(part))

    def is_copy(self, value: object) -> bool:
        """True if `value` may stand for an object that is also somewhere else."""
        return identity(value) in self._copied

    @property
    def copies(self) -> int:
        """How many copies have been made on reading on the present path."""
        return len(self._copies)

    def check_copies(self, since: int = 0) -> None:
        """End the run if a copy made on reading has been changed, of those made `since` there were so many."""
        for part, before in self._copies[since:]:
            now = contents(part)
            if len(now) != len(before) or any(one is not two for one, two in zip(now, before, strict=True)):
                raise self.changes_copy()

    def changes_copy(self) -> UnsupportedConstruct:
        """The signal that a copy made on reading has been changed."""
        return self.unsupported("changing an object that was read out of a list made in a loop")

    # --- what the model and the operators ask ------------------------------------------------------------------------

    def claim_exception(self, error: Exception | SystemExit) -> None:
        """The kernel raises `error` on the present path, which ends here."""
        if isinstance(error, RecursionError) and len(kernel_entries(error)) < ExploringBudget.RECURSION:
            # Not the kernel calls itself without end, but we go through what it has computed.
            raise self.unsupported(*TOO_DEEP)
        rule = contract("kernel.assert" if isinstance(error, AssertionError) else "kernel.exception")
        sites = [frame_site_of(entry) for entry in kernel_entries(error)]
        phase = 1
        if isinstance(error, ZeroDivisionError):
            rule, phase = contract("host.division_by_zero"), 2
        elif not raised_by_kernel(error):
            self.raised_within = True
        shown = (("exception", described(error)),)
        self.claim(rule, False, phase, sites[-1] if sites else None, quantities=shown)
        self._dead = True

    def refuse_fault_of_model(self, error: BaseException) -> None:
        """Where the model or a stub fails rather than the kernel, nothing can be concluded.

        What a stub raises on purpose says what is wrong with what it was given, as an exception of the kernel's own
        does; Python itself confirms it. But a name that is not there may be one that the stubs lack.
        """
        if isinstance(error, InternalError):
            raise error
        unknown = undocumented(error)
        if unknown is not None:
            raise self.unsupported(*unknown, frame_site_of(kernel_entries(error)[-1]))
        module = raised_in(error)
        on_purpose = isinstance(error, TypeError | ValueError | IndexError) and not raised_by_chance(error)
        if on_purpose and our_entry(error) is not None:
            return
        if module.startswith("nkiverify.model") or module.partition(".")[0] in ("nki", "neuronxcc"):
            raise self.unsupported(f"{type(error).__name__} in the model of NKI: {error}")

    def raised_by_us(self, error: BaseException) -> bool:
        """True if `error` was raised by code that is neither the kernel's nor a library's."""
        return raised_in(error).partition(".")[0] in ("nkiverify", "nki", "neuronxcc")

    def fresh_index(self, name: str, extent: Extent, least: int = 0) -> Extent:
        """An arbitrary element of `range(least, extent)`, of which there is at least one."""
        size = as_term(extent)
        assert size is not None
        key = (self._scopes[-1].key, self.next_ordinal())
        return terms.index(name, size, key, representative=True, least=least)  # type: ignore[return-value]

    def loop_range(self, start: Extent, stop: Extent, step: Extent, parallel: bool = False) -> object:
        """The form of `range(start, stop, step)` in this run."""
        if parallel and self.records:
            # Such a loop is summarised even where its length is known: one run of its body stands for any two.
            return SymRange.parallel_of(start, stop, step)
        return SymRange.of(start, stop, step)

    def traced_once(self, loop: object) -> object:
        """A loop of the legacy API: one run of its body stands for all, so that what it counts is seen."""
        symbolic = loop if isinstance(loop, SymRange) else as_sequence(loop)
        if not isinstance(symbolic, SymRange):
            return loop
        return SymRange(symbolic.start, symbolic.stop, symbolic.step, symbolic.parallel, traced=True)

    def placement(self, given: object) -> object:
        """The allocator that places what is allocated: in loops that are traced once, that of their first iterations
        ("leg.range_body_once"). A function that places tiles may ask for any number: those of all iterations are."""
        indices = [index for loop in self.open_loops if (index := loop.traced_index()) is not None]
        if not indices:
            return given
        from nkiverify.model.legacy_tensor import Allocator  # as late as this: of the legacy API

        first: dict[Atom, Term] = dict.fromkeys(indices, terms.constant(0))
        return given.with_numbers(lambda one: substitute(one, first)) if isinstance(given, Allocator) else given

    def drawn(self, *, ordered: bool = False) -> None:
        """Record that elements of a range without an order, or of one whose loop is traced once, are taken outside of a
        loop."""
        if ordered:
            self.program.carries = True
            return
        self.record(program.Drawn(kernel_site(2)))

    def operation(self, operation: Operation) -> None:
        """Record an operation."""
        self.check_alive()
        if self.recording:
            self._block.items.append(recorded.Executed(operation, *kernel_sites()))

    def allocation(self, storage: Storage) -> None:
        """Record an allocation."""
        if self.recording:
            self._block.items.append(recorded.Allocation(storage, kernel_site(2), current_launch().program))

    def device_loop(self, body: LoopBody, *, begins: bool) -> None:
        """Record where the body of a device loop begins and ends."""
        if self.records and self.recording:
            self._block.items.append(recorded.DeviceLoop(body, begins))

    def round_index(self, number: Extent | None) -> Term:
        """The iteration of a device loop that begins: the same term on each path that comes to it."""
        extent = as_term(MOST_ROUNDS if number is None else number)
        assert extent is not None
        return terms.index("round", extent, (self._scopes[-1].key, self.next_ordinal()))

    def found_by_round(self, body: LoopBody, *, after: bool = False) -> Contents:
        """The contents that an arbitrary round of a device loop finds, as far as they have been guessed."""
        guess = self._guess_of(body)
        return body.before if guess is None else guess.found(body.before, body.rounds, after=after)

    def check_rounds(self, body: LoopBody, missed: list[AllocationKey], left: Contents) -> None:
        """Raise the signal to raise where a claim rests on what a round finds, and it is guessed anew."""
        index = body.rounds.index
        if index is None or body.left:
            return
        # What a claim rests on may have been computed from others.
        matters = any(body.assumed[place].used for place in missed)
        guess = self.by_rounds.get(index.uid)
        if guess is None:
            if not matters:
                return
            from nkiverify.frontend.carried_contents import CarriedByRounds  # as late as this: few kernels need it

            guess = self.by_rounds[index.uid] = CarriedByRounds(index)
        if guess.refined(missed if matters else (), body.before, left, body.rounds, self.context.facts):
            raise self.rounds_carry()

    def after_rounds(self, body: LoopBody, left: Contents) -> Contents:
        """The contents after a device loop: those before it, or those that any round has left."""
        guess = self._guess_of(body)
        joined = body.before.joined(left)
        return joined if guess is None else guess.after(body.before, joined, body, self.context.facts)

    def _guess_of(self, body: LoopBody) -> CarriedByRounds | None:
        index = body.rounds.index
        return None if index is None else self.by_rounds.get(index.uid)

    def run_time_number(self) -> Term | None:
        """A number that is loaded once, by the one program that there is."""
        if not self.records or self._scopes[-1].indices or self.model.body is not None or current_launch().program:
            return None
        # No dimension of the domain: nothing is known of it.
        return terms.dimension(f"loaded {self._scopes[-1].key} {self.next_ordinal()}")

    @contextmanager
    def one_for_all_programs(self, grid: tuple[Extent, ...], kernel: Callable[..., Any]) -> Iterator[None]:
        """Within the block one program of a launch stands for all: it must leave nothing in Python that another one,
        executed before or after it in the same process, may find."""
        if all(equal(extent, 1) is True for extent in grid):
            yield
            return
        before = Snapshot(sys._getframe(1), [kernel], self.snapshots_of_modules)
        yield
        for change in before.changes():
            what = f"{change.describe()}, which a program of the launch changes and another one may find"
            raise unsupported(what, "make it anew in each program")

    def programs(self, grid: tuple[int, ...]) -> NoReturn:
        """Never asked: one program stands for all."""
        raise InternalError(f"programs of the launch {grid} in a symbolic run")

    def returned(self, *programs: tuple[Tensor, ...], by_parameter: bool = False) -> None:
        """Record what the kernel returned."""
        if self.records and self.recording:
            self._block.items.append(recorded.Returned(tuple(map(recorded_view, chain(*programs))), by_parameter))

    def allocation_id(self) -> AllocationId:
        """Identifies the allocation being made."""
        scope = self._scopes[-1]
        return AllocationId(kernel_site(2), (*scope.key, self.next_ordinal()), scope.indices)

    def is_one_allocation(self, identity: object) -> bool:
        """True if the allocation was made in this iteration of each loop around it."""
        if not isinstance(identity, AllocationId):
            return True
        scope = self._scopes[-1]
        depth = len(identity.key) - 1
        return identity.key[:depth] == scope.key[:depth] and all(
            one is two for one, two in zip(identity.indices, scope.indices[:depth], strict=True)
        )

    def is_of_another_iteration(self, identity: object) -> bool:
        """True if the allocation was made in another iteration of a loop that is running than the present one."""
        if not isinstance(identity, AllocationId):
            return False
        scope = self._scopes[-1]
        made = zip(identity.key, identity.indices, strict=False)
        for (loop, index), inside, here in zip(made, scope.key, scope.indices, strict=False):
            if loop != inside:
                return False
            if index is not here:
                return True
        return False

    # --- the domain --------------------------------------------------------------------------------------------------

    def dimension(self, described: DomainDimension) -> Term:
        """Add a dimension to the domain, with its range and divisibility assumed."""
        term = terms.of_atom(described.atom)
        if all(known.atom is not described.atom for known in self.program.dimensions):
            self.program.dimensions.append(described)
        self.assume(described.at_least(described.low), "domain")
        self.assume(described.at_most(described.greatest), "domain")
        if described.multiple_of != 1:
            self.assume(described.is_multiple(described.multiple_of), "domain")
        return term

    @contextmanager
    def trying(self) -> Iterator[None]:
        """The body of a `try` of the kernel: an exception in it may be handled."""
        depth = self.depth
        self.try_depth += 1
        try:
            yield
        except Exception as error:
            self.passes(error)
            raise
        finally:
            self.try_depth -= 1
            self.truncate(depth)

    def passes(self, error: BaseException) -> None:
        """Kernel code may handle or drop `error`: it must not if the error is about us rather than about the kernel."""
        self.refuse_limits(error)
        # A library may ask for the type of what it is given, which no symbolic value has.
        given = (value for frame in frames_of_libraries(error) for value in frame.f_locals.values())
        if self.may_be_about_us(error) or any(isinstance(value, SymInt | Condition | SymRational) for value in given):
            raise self.unsupported(described(error))

    def refuse_limits(self, error: BaseException) -> None:
        """Where `error` is about a limit of the machine, or a name that has no value, nothing can be concluded."""
        self.check_alive()
        limit = limit_of_machine(error)
        if limit is not None:
            raise self.unsupported(*limit)
        name = name_of(error)
        for loop in self.open_loops:
            loop.refuse_unbound(name)
        self.refuse_lost_name(error)

    def may_be_about_us(self, error: BaseException) -> bool:
        """True if `error` may be due to a symbolic value where the kernel would have an ordinary one: C code raises
        TypeError for it."""
        ours = isinstance(error, AttributeError | NotImplementedError) and self.raised_by_us(error)
        return ours or isinstance(error, TypeError)
