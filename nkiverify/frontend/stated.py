"""The claims of a concrete execution of a launch whose sizes are all numbers: a shape program without a variable.

Each contract that is checked is a claim whose condition is true or false, stated once for each line; operations are
kept in the order of the execution, for the phases that are about a kernel as a whole. So the verdict is made by the
same rules as that of a symbolic run, and holds for this launch: nothing was left out, or `unsupported_construct` of
the execution says what.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.source import Site, frame_site, identity, instruction_of, kernel_frame
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.tracebacks import stub_of
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Assumed, Claim, Program
from nkiverify.model.contracts import contract
from nkiverify.model.policy import applied_policy
from nkiverify.model.recorded import Executed

#: Contracts of phase 2, whoever states them.
_ARITHMETIC = frozenset({"host.int32", "host.division_by_zero"})


class StatedClaims:
    """The claims that a concrete execution states, as a `program` that engines decide."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.program = Program()
        #: True once the execution has been stopped because it checks the same again and again.
        self.paused = False
        self._policy = applied_policy()
        self._end = now() + limits.seconds
        self._stated: set[tuple[object, ...]] = set()
        #: The same by where CPython says that it is, which differs for one instruction: asked first.
        self._met: set[tuple[object, ...]] = set()

    @property
    def most(self) -> float:
        """Contracts that may be checked."""
        return float("inf") if self.limits.claims is None else self.limits.claims

    @property
    def overdue(self) -> bool:
        """True if the execution has taken the time that it may, by the clock."""
        return now() > self._end

    def state(
        self,
        rule: Contract,
        holds: bool,
        quantities: Mapping[str, object],
        rests_on: frozenset[Assumed],
        *,
        sufficient: bool = False,
        why: str = "",
    ) -> None:
        """State a claim about the statement that is being executed, unless it has been."""
        frame = kernel_frame(3)
        at = (identity(frame.f_code), frame.f_lasti) if frame is not None else None
        met = (rule.id, holds, sufficient, at, why, rests_on)
        if met in self._met:
            return
        self._met.add(met)
        place = instruction_of(frame) if frame is not None else None
        key = (rule.id, holds, sufficient, place, why, rests_on)
        if key in self._stated:
            return
        self._stated.add(key)
        stub, _ = stub_of(sys._getframe(2))
        site = frame_site(frame) if frame is not None else None
        self.claim(rule, holds, site, stub, tuple(quantities.items()), rests_on, sufficient=sufficient, why=why)

    def broken(
        self, rule: Contract, site: Site | None, quantities: Mapping[str, object], rests_on: frozenset[Assumed]
    ) -> None:
        """State a claim that does not hold, once for each site."""
        key = (rule.id, False, False, site)
        if key not in self._stated:
            self._stated.add(key)
            stub, _ = stub_of(sys._getframe(2))
            self.claim(rule, False, site, stub, tuple(quantities.items()), rests_on)

    def claim(
        self,
        rule: Contract,
        holds: bool,
        site: Site | None,
        stub: str = "",
        quantities: tuple[tuple[str, object], ...] = (),
        rests_on: frozenset[Assumed] = frozenset(),
        *,
        sufficient: bool = False,
        why: str = "",
    ) -> None:
        """Put a claim into the program; with `why`, one that is open for this reason unless it holds."""
        self.program.body.items.append(
            Claim(
                len(self.program.body.items) + 1,
                rule,
                holds,
                phase_of(rule),
                site,
                stub,
                quantities,
                sufficient=sufficient,
                severity=self._policy.severity(rule, site),
                open=why,
                rests_on=rests_on,
            )
        )

    def repeats(self, checked: int, recorded: Sequence[object]) -> bool:
        """True if an execution that has `checked` this many contracts is to stop where it repeats itself, and does:
        there are this many for each claim that one check of all iterations of the loops should be cheaper than going
        on: its cost may grow with the square of the claims."""
        after, claims = self.limits.repeats_after, len(self.program.body.items)
        each = claims if self.limits.repeats_claims is None else min(claims, self.limits.repeats_claims)
        if after is None or checked < max(RunningBudget.CONTRACTS_BEFORE_REPEATING, each * claims):
            return False
        return not after or executes_more(recorded, after)


def executes_more(recorded: Sequence[object], most: int) -> bool:
    """True if a run has executed an operation behind this many operations and allocations."""
    return any(type(one) is Executed for one in recorded[most + 1 :])


def phase_of(rule: Contract) -> int:
    """The phase whose verdict a concrete run decides that breaks `rule`."""
    return 2 if rule.id in _ARITHMETIC else rule.phase


def rule_of(error: Exception | SystemExit) -> Contract:
    """The contract that a kernel breaks by raising `error`."""
    if isinstance(error, ZeroDivisionError):
        return contract("host.division_by_zero")
    return contract("kernel.assert" if isinstance(error, AssertionError) else "kernel.exception")
