"""Running a target on the values of a witness, concretely with ordinary ints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from nkiverify.execute.runner import execute
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.concrete import (
    BrokenContract,
    ConcreteElements,
    ConcreteExecution,
    FromIterations,
    Order,
    innermost_kernel_site,
)
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.observe import BreakObserver, Key, Observation, key_of, observed_in
from nkiverify.frontend.stated import rule_of
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.placement import SUFFICIENT


@dataclass(frozen=True, slots=True)
class Replay:
    """The course of a concrete run. `raised` is the exception that ended it, `excluded` why the values are no legal
    input."""

    broken: tuple[BrokenContract, ...]
    raised: Exception | SystemExit | None = None
    raised_at: Site | None = None
    excluded: str = ""
    unsupported: str = ""
    observations: Mapping[Key, Observation] = field(default_factory=dict)
    #: Broken contracts that the verdict does not depend on.
    tolerated: tuple[BrokenContract, ...] = ()
    #: How many contracts were examined: how much there was to do.
    looked_at: int = 0
    #: Whether `raised` is an assert of the kernel that may be part of the domain.
    rejected: bool = False

    @property
    def failed(self) -> bool:
        """True if anything is wrong with the kernel on these values."""
        return not self.excluded and (bool(self.broken) or self.raised is not None)

    def confirms(self, rule: Contract, site: Site | None) -> bool:
        """True if the run broke this very contract at this line."""
        if self.excluded:
            return False
        for found in (*self.broken, *self.tolerated):
            if found.contract.id == rule.id and (rule.id in SUFFICIENT or _same_line(found.site, site)):
                return True
        return self.raised is not None and rule.id == rule_of(self.raised).id and _same_line(self.raised_at, site)


def _same_line(one: Site | None, two: Site | None) -> bool:
    """True if two sites are in one statement, as far as their spans tell."""
    if one is None or two is None:
        return one is two
    return one.file == two.file and one.line <= _last_line(two) and two.line <= _last_line(one)


def _last_line(site: Site) -> int:
    return max(site.line, site.end_line)


@of_stage(Stage.REPLAYING)
def replay(
    target: Target,
    values: Mapping[str, int],
    hardware: Hardware,
    *,
    stop_at_first: bool = False,
    checked: bool = False,
    awaited: Sequence[tuple[str, Site | None]] = (),
    decisive: tuple[str, Site | None] | None = None,
    seconds: float = 20.0,
    contracts: float = float("inf"),
    phases: frozenset[int] = frozenset(),
    at_end: Callable[[ConcreteExecution, Hardware], Iterable[BrokenContract]] | None = None,
    first: int = 0,
    starts: Mapping[Site, Sequence[int]] | None = None,
) -> Replay:
    """Run `target` with its dimensions set to `values`, for at most `seconds` of this process, and this many
    `contracts` that are examined.

    With `stop_at_first` the first broken contract raises and ends the run, as AWS's simulator would; otherwise the
    kernel continues, until all contracts in `awaited` are broken or it ends, or a moment after `decisive`, one of them,
    is. `checked` makes host arithmetic beyond 32 bits a broken contract. The contracts of `phases` are examined,
    besides those that every run looks at; `at_end` says what else is broken once the run is over. The program of a
    launch with the number `first` is run before the others. `for` statements begin at the iterations that `starts`
    says.
    """
    rewriting = Rewriting.ARITHMETIC if checked else Rewriting.NONE

    def make(elements: ConcreteElements | None = None) -> ConcreteExecution:
        return ConcreteExecution(
            hardware,
            stop_at_first,
            seconds,
            awaited,
            phases,
            decisive=decisive,
            contracts=contracts,
            observers=(BreakObserver(),),
            order=FromIterations(starts, first) if starts else Order(first=first),
            records=elements is not None,
            elements=elements,
        )

    ending = execute(target, values, make, rewriting)
    if ending.limit is not None and ending.run.summarises:
        # As late as this: it brings the simulator. Where numbers are known each round finds what those before it left.
        from nkiverify.analysis.values.known_run import KnownElements

        known = execute(target, values, lambda: make(KnownElements()), rewriting)
        ending = known if known.limit is None else ending
    run = ending.run
    if ending.outside:
        return Replay((), excluded=ending.outside, looked_at=run.looked_at)
    error = None if run.stop_at_first and run.broken else ending.raised
    broken, tolerated = list(run.broken), list(run.tolerated)
    if at_end is not None and ending.limit is None and not run.lacks_floats:
        # Not noted in the run, which may answer others.
        for found in at_end(run, run.hardware):
            (broken if run.decides(found) else tolerated).append(found)
    observations = dict(run.observer(BreakObserver).observations)
    site = innermost_kernel_site(error) if error is not None else None
    seen = observed_in(error) if error is not None else None
    if error is not None and seen is not None:
        observations[key_of(rule_of(error).id, site)] = seen
    return Replay(
        tuple(broken),
        error,
        site,
        unsupported=ending.limit.construct if ending.limit is not None else "",
        observations=observations,
        tolerated=tuple(tolerated),
        looked_at=run.looked_at,
        rejected=ending.rejected,
    )
