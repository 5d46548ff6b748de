"""The run of a launch whose sizes are all numbers: plain Python, and a shape program without a variable.

Loops, lists, NumPy and `program_id` are what they are in Python. Each contract that is looked at is a claim whose
condition is true or false, stated once for each line; operations are kept in the order of the run, for the phases that
look at a kernel as a whole. So the verdict is made by the same rules as that of a symbolic run, and holds for this
launch: nothing was left out, or `unsupported_construct` says what.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product as cartesian

from nkiverify.foundation.clock import now
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, described
from nkiverify.foundation.source import Site, frame_site, identity, instruction_of, kernel_frame, kernel_site
from nkiverify.frontend.concrete import (
    CLAIMS_BETWEEN_LOOKS,
    TOO_LONG,
    BrokenContract,
    ConcreteElements,
    ConcreteExecution,
    Recorded,
    innermost_kernel_site,
)
from nkiverify.frontend.observe import BreakObserver, key_of, observed_in
from nkiverify.frontend.paths import Limits, Unsupported
from nkiverify.frontend.tracebacks import (
    kernel_entries,
    limit_of_machine,
    our_entry,
    raised_by_chance,
    stub_of,
    undocumented,
)
from nkiverify.frontend.traced_loops import LEFT
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Claim, Program
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.recorded import Executed
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.enumeration import counterexample

#: Programs of a launch grid that are all run. Of a larger grid those at its corners are, and some beside them.
MAX_PROGRAMS = 64
#: Operations and allocations of a concrete run in which dead stores are looked for.
MAX_RECORDED = 6_000
#: Contracts that a launch has looked at, at least, where it is said to repeat itself.
REPEATS_FROM = 10_000
#: Contracts of phase 2, whoever states them.
_ARITHMETIC = frozenset({"host.int32", "host.division_by_zero"})


class ConcreteLaunch(ConcreteExecution):
    """Executes a target on numbers, and records the claims as a program that engines decide."""

    states_claims = True

    def __init__(
        self,
        hardware: Hardware,
        limits: Limits,
        phases: frozenset[int] = frozenset(),
        elements: ConcreteElements | None = None,
    ) -> None:
        most = float("inf") if limits.claims is None else limits.claims
        breaks = BreakObserver()
        observers = (breaks,)
        super().__init__(
            hardware, False, limits.seconds, (), phases, contracts=most, observers=observers, elements=elements
        )
        self.observations = breaks.observations
        self.limits = limits
        self.program = Program()
        #: What ended the run before the kernel's end, or leaves a part of the launch out.
        self.unsupported_construct: Unsupported | None = None
        #: The exception of the kernel's own that ended it.
        self.raised: Exception | SystemExit | None = None
        #: True once it has been stopped because it looks at the same again and again.
        self.paused = False
        self._end = now() + limits.seconds
        self._stated: set[tuple[object, ...]] = set()
        #: The same by where CPython says that it is, which differs for one instruction: asked first.
        self._met: set[tuple[object, ...]] = set()

    # --- claims -------------------------------------------------------------------------------------------------------

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """State a claim, which holds or does not."""
        if self._truth(condition):
            self._state(rule, True, {})
        else:
            self.violated(rule, self.about or kernel_site(2), quantities)

    def suffices(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """State a claim that is enough for the contract."""
        self._state(rule, self._truth(condition), quantities, sufficient=True)

    def leaves_open(self, rule: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """State a claim that is open where its condition does not hold."""
        self._state(rule, self._truth(condition), quantities, why=why)

    def _truth(self, condition: object) -> bool:
        self.looked_at += 1
        if not self.looked_at % CLAIMS_BETWEEN_LOOKS:
            self.paused = self.paused or self.repeats()
            if self.paused or self.overdue:
                raise self.unsupported(TOO_LONG)
        if isinstance(condition, Condition):
            try:
                return counterexample(condition) is None
            except UnsupportedConstruct as limit:
                raise self.unsupported(limit.construct) from None
        return bool(condition)

    def _state(
        self,
        rule: Contract,
        holds: bool,
        quantities: Mapping[str, object],
        *,
        sufficient: bool = False,
        why: str = "",
    ) -> None:
        frame = kernel_frame(3)
        at = (identity(frame.f_code), frame.f_lasti) if frame is not None else None
        met = (rule.id, holds, sufficient, at, why, self.rests_on)
        if met in self._met:
            return
        self._met.add(met)
        place = instruction_of(frame) if frame is not None else None
        key = (rule.id, holds, sufficient, place, why, self.rests_on)
        if key in self._stated:
            return
        self._stated.add(key)
        stub, _ = stub_of(sys._getframe(2))
        site = frame_site(frame) if frame is not None else None
        self.claim(rule, holds, site, stub, tuple(quantities.items()), sufficient=sufficient, why=why)

    def claim(
        self,
        rule: Contract,
        holds: bool,
        site: Site | None,
        stub: str = "",
        quantities: tuple[tuple[str, object], ...] = (),
        *,
        sufficient: bool = False,
        why: str = "",
    ) -> None:
        """Put a claim into the program; with `why`, one that is open for this reason unless it holds."""
        number = len(self.program.body.items) + 1
        phase = phase_of(rule)
        severity = self.policy.severity(rule, site)
        self.program.body.items.append(
            Claim(
                number,
                rule,
                holds,
                phase,
                site,
                stub,
                quantities,
                sufficient=sufficient,
                severity=severity,
                open=why,
                rests_on=self.rests_on,
            )
        )

    def conclude(self, claims: Iterable[Claim]) -> None:
        """Make claims about what was recorded claims of the run; those that do not hold are broken contracts."""
        for one in claims:
            holds = one.condition is True
            self.claim(one.contract, holds, one.site, one.stub, one.quantities, sufficient=one.sufficient, why=one.open)
            if not (holds or one.sufficient or one.open):
                self.note(BrokenContract(one.contract, one.site, one.quantities))

    def violated(self, rule: Contract, site: Site | None, quantities: Mapping[str, object]) -> None:
        """A claim that does not hold."""
        key = (rule.id, False, False, site)
        if key not in self._stated:
            self._stated.add(key)
            stub, _ = stub_of(sys._getframe(1))
            self.claim(rule, False, site, stub, tuple(quantities.items()))
        super().violated(rule, site, quantities)

    @property
    def overdue(self) -> bool:
        """True if the run has looked at the contracts, or taken the time, that it may; also of the clock."""
        return super().overdue or now() > self._end

    def repeats(self) -> bool:
        """True if the run is to stop where it repeats itself, and does: so many contracts have been looked at for each
        claim that one look at all iterations of the loops, whose cost grows with the square of the claims, should be
        cheaper than going on."""
        after = self.limits.repeats_after
        if after is None or self.looked_at < max(REPEATS_FROM, len(self.program.body.items) ** 2):
            return False
        return not after or executes_more(self.recorded, after)

    # --- how it ends --------------------------------------------------------------------------------------------------

    def unsupported(self, construct: str, advice: str = "", at: Site | None = None) -> UnsupportedConstruct:
        """Remember that nothing can be concluded, whatever the kernel does with the exception to raise; `at` says
        where, if the kernel's code has been left."""
        site = at or kernel_site(2)
        if self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(construct, advice, site)
        return UnsupportedConstruct(construct, advice, site)

    def stopped(self, limit: UnsupportedConstruct) -> None:
        """The run has ended at a construct that is not understood."""
        if self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(limit.construct, limit.advice, limit.site)

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

    def ended(self, error: Exception | SystemExit) -> None:
        """The kernel has raised `error`. Raises `InternalError` where that is the model's fault."""
        if isinstance(error, InternalError):
            raise error
        if raised_by_chance(error):
            fault = fault_of_model(error)
            if not self.broken:
                raise fault
            # What is already known to be wrong with the kernel may be what we stumble over.
            raise self.unsupported(str(fault))
        if isinstance(error, AttributeError | NotImplementedError) and our_entry(error) is not None:
            # The stubs may lack it.
            raise self.unsupported(described(error), at=innermost_kernel_site(error))
        unknown = undocumented(error)
        if unknown is not None:
            raise self.unsupported(*unknown, innermost_kernel_site(error))
        self.raised = error
        rule = rule_of(error)
        site = innermost_kernel_site(error)
        seen = observed_in(error)
        if seen is not None:
            self.observations[key_of(rule.id, site)] = seen
        self.claim(rule, False, site, quantities=(("exception", described(error)),))

    def finish(self) -> None:
        """The kernel has come to its end."""
        if self.bodies.open and self.raised is None and self.unsupported_construct is None:
            self.unsupported_construct = Unsupported(LEFT, "let its body come to its end", None)
        if 2 in self.phases and not any(claim.phase == 2 for claim in self.program.body.items if type(claim) is Claim):
            # Each integer was looked at when it was made.
            self.claim(contract("host.int32"), True, None)

    # --- programs of a launch grid ------------------------------------------------------------------------------------

    def programs(self, grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The programs of a launch that are run; where these are not all, that is remembered."""
        total = 1
        for extent in grid:
            total *= extent
        if total <= MAX_PROGRAMS:
            yield from cartesian(*map(range, grid))
            return
        chosen = [sorted({0, 1, extent // 2, extent - 2, extent - 1} & set(range(extent))) for extent in grid]
        found = list(cartesian(*chosen))
        yield from found
        if self.unsupported_construct is None:
            advice = f"launch at most {MAX_PROGRAMS} programs"
            text = f"a launch of {total} programs, of which {len(found)} were run"
            self.unsupported_construct = Unsupported(text, advice, None)


def executes_more(recorded: Sequence[Recorded], most: int) -> bool:
    """True if a run has executed an operation behind so many operations and allocations."""
    return any(type(one) is Executed for one in recorded[most + 1 :])


def rule_of(error: Exception | SystemExit) -> Contract:
    """The contract that a kernel breaks by raising `error`."""
    if isinstance(error, ZeroDivisionError):
        return contract("host.division_by_zero")
    return contract("kernel.assert" if isinstance(error, AssertionError) else "kernel.exception")


def phase_of(rule: Contract) -> int:
    """The phase whose verdict a concrete run decides that breaks `rule`."""
    return 2 if rule.id in _ARITHMETIC else rule.phase


def fault_of_model(error: BaseException) -> InternalError:
    """The exception where code of ours fails on numbers: a fault of ours, with both places."""
    entry = our_entry(error)
    ours = f"{entry.tb_frame.f_globals.get('__name__', '')}:{entry.tb_lineno}" if entry is not None else "?"
    place = f", called at {innermost_kernel_site(error)}" if kernel_entries(error) else ""
    return InternalError(f"please report this: {described(error)}, raised in {ours}{place}")
