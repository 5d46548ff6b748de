"""Checking a kernel of which nothing is known but its text: what it is given is inferred, its domain derived."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import Decision, EmbeddedEngine
from nkiverify.execute.runner import remembering
from nkiverify.foundation.budget import DerivingBudget
from nkiverify.foundation.clock import counting, now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Basis, MemoryPeak, Run, Verdict, Violation
from nkiverify.frontend.domain.expressions import names_in
from nkiverify.frontend.domain.syntax import parse
from nkiverify.frontend.language_rules import findings
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.seen import read_by
from nkiverify.frontend.target import Target
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware, hardware_asked_for, hardware_named
from nkiverify.model.policy import applied
from nkiverify.phases import DATAFLOW, MEMORY
from nkiverify.products.derive.domain_answers import DomainAnswer, Instead
from nkiverify.project.inference import DEFAULT_DTYPE, Inferred, KernelText
from nkiverify.project.request import Request, request
from nkiverify.project.requested import verdicts
from nkiverify.project.vacuous import counted, passed
from nkiverify.symbolic.terms import fresh
from nkiverify.verify.exploration import Exploration, explore
from nkiverify.verify.options import DEFAULT_HARDWARE, Options

if TYPE_CHECKING:
    from nkiverify.products.derive.statements import Derived

#: What `known_numbers.Undeclared` says would close a claim about an index, where it says which range.
_ASKED_FOR = re.compile(r"--arg (\w+)='\w+\[[^]]*\] in (?!LOW)([^']+)'")
#: A dimension that has one value.
_IS_VALUE = re.compile(r"\w+ == \d+")
_INTEGER_PHASES = (1, 2, 3)
_PHASES = frozenset({*_INTEGER_PHASES, 4})


@fresh()
def answer(
    reference: str,
    base: Path,
    given: Sequence[str],
    where: Sequence[str],
    grid: str | None,
    hardware: str | None,
    options: Options,
    no_spills: bool = False,
    assume_asserts: bool = False,
) -> DomainAnswer:
    """For which shapes the kernel `PATH::NAME` is legal; what is not `given` is inferred, as is the hardware where it
    is None.

    Raises `UsageError` where something has to be given first.
    """
    clock = time.perf_counter()
    path, _, name = reference.partition("::")
    kernel = KernelText.of(path, name, base)
    found = kernel.inferred(given)
    launched = grid if grid is not None else found.grid
    if "[" in name:
        launched = ""
    if found.missing:
        needs = ", ".join(f"{one.name} ({one.why})" for one in found.missing)
        example = f"--arg {found.missing[0].name}=…"
        raise UsageError(f"{reference} needs {example}: nothing tells what to give {needs}")
    with applied(options.policy), counting(options.unhurried), remembering():
        begin = now()

        def asked_with(assumed: AssumedFacts) -> Request:
            inferred = kernel.inferred(given, assumed.ranks) if assumed.ranks else found
            arguments = (*given, *inferred.with_dtypes(assumed.dtypes, assumed.ranges))
            return request(
                reference, base, arguments, where, launched or None, assume_asserts=assume_asserts, no_spills=no_spills
            )

        trials = _Trials(found, hardware, options, begin, asked_with)
        first = trials.verified(AssumedFacts(hardware or found.hardware or DEFAULT_HARDWARE))
        best = trials.best(first)
    seconds = time.perf_counter() - clock
    reads = read_by([str((base / path).resolve())])
    inferred = kernel.inferred(given, best.assumed.ranks).with_dtypes(best.assumed.dtypes, best.assumed.ranges)
    return DomainAnswer(
        reference,
        (*given, *inferred),
        launched,
        inferred,
        found.grid if grid is None else "",
        hardware=best.assumed.hardware,
        inferred_hardware="" if hardware or best.assumed.hardware == DEFAULT_HARDWARE else best.assumed.hardware,
        instead=None if best is first else _instead(first, best, dict(found.ranks)),
        runs=tuple(replace(run, reads=reads) for run in best.runs),
        derived=best.derived,
        seconds=seconds,
        language=tuple(findings(best.asked.kernel)),
    )


@dataclass(frozen=True, slots=True)
class AssumedFacts:
    """The hardware; by the names of arguments the dtypes and ranks that are not those which are assumed first, and
    ranges of the integers in tables of indices."""

    hardware: str
    dtypes: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)

    @property
    def of_arguments(self) -> tuple[tuple[tuple[str, object], ...], ...]:
        """The assumptions about arguments."""
        return tuple(self.dtypes.items()), tuple(self.ranges.items()), tuple(self.ranks.items())


@dataclass(frozen=True, slots=True)
class _Verified:
    """The verdicts with some assumptions, and the domain, where one was searched for."""

    assumed: AssumedFacts
    asked: Request
    runs: tuple[Run, ...]
    derived: Derived | None

    @property
    def fails(self) -> bool:
        """True if no shape is found for which the kernel is proved to be legal."""
        return not self.derived.proved if self.derived is not None else not passed(self.runs)

    @property
    def is_of_one_shape(self) -> bool:
        """True if the domain gives every dimension that it speaks of a value."""
        stated = self.derived.preconditions if self.derived is not None else ()
        return bool(stated) and all(_IS_VALUE.fullmatch(one.text) for one in stated)

    @property
    def failures(self) -> tuple[Violation, ...]:
        """The failures whatever the shape is."""
        if self.derived is not None:
            return self.derived.bugs
        return tuple(one for run in self.runs for one in run.violations)


class _Trials:
    """Verifies a kernel with what is assumed first, and with something else where it can only fail with that."""

    def __init__(
        self,
        found: Inferred,
        hardware: str | None,
        options: Options,
        begin: float,
        asked_with: Callable[[AssumedFacts], Request],
    ) -> None:
        self._found = found
        self._fixed = bool(hardware or found.hardware)
        self._options = options
        self._begin = begin
        self._ask = asked_with
        self._requests: dict[object, Request] = {}

    def verified(self, assumed: AssumedFacts) -> _Verified:
        """The verdicts with these assumptions."""
        asked = self._request(assumed)
        return _Verified(assumed, asked, *_verified(asked, assumed.hardware, self._options, self._begin))

    def _request(self, assumed: AssumedFacts) -> Request:
        if assumed.of_arguments not in self._requests:
            self._requests[assumed.of_arguments] = self._ask(assumed)
        return self._requests[assumed.of_arguments]

    def best(self, at: _Verified) -> _Verified:
        """The verdicts with other assumptions than those of `at`, as long as the kernel comes further with them."""
        found = self._with_dtypes(at)
        return self._with_ranks(at) or found if found.fails or found.is_of_one_shape else found

    def _with_ranks(self, at: _Verified) -> _Verified | None:
        """The verdicts with another rank of a tensor that nothing states: the first one for which the kernel is legal
        anywhere. Or else, where it fails, that with which it comes furthest before it does, if that is another one."""
        ranks = tuple(zip(self._found.ranks, self._found.least_ranks, strict=True))
        others = [(name, other) for by in (1, -1) for (name, rank), least in ranks if (other := rank + by) >= least]
        furthest, found = self._progress(at), None
        for name, rank in others[: DerivingBudget.RANKS]:
            again = self._with_dtypes(self.verified(replace(at.assumed, ranks={name: rank})))
            if (
                not again.fails
                and not again.is_of_one_shape
                and Verdict.SUCCESSFUL in {run.verdict for run in again.runs}
            ):
                return again
            reached = self._progress(again)
            if at.fails and reached > furthest:
                furthest, found = reached, again
        return found

    def _progress(self, at: _Verified) -> tuple[bool, int, int]:
        """How far the kernel comes where it fails for every shape."""
        from nkiverify.products.derive.assumptions import progress

        model, target = hardware_named(at.assumed.hardware), self._target_for(at.assumed)({})
        shapes = [one.values for one in at.failures[: DerivingBudget.SHAPES_OF_DTYPES]]
        return max((progress(target, shape, model, self._left()) for shape in shapes), default=(False, -1, 0))

    def _with_dtypes(self, at: _Verified) -> _Verified:
        for _ in range(DerivingBudget.ASSUMPTIONS):
            assumed = self._other(at) if at.fails else None
            if assumed is None:
                break
            at = self.verified(assumed)
        if not at.fails or not at.failures or not self._found.tensors or at.assumed.dtypes:
            return at
        from nkiverify.products.derive.assumptions import progress

        dtypes = dict.fromkeys(self._found.tensors, "f32")
        target_for, model = self._target_for(at.assumed), hardware_named(at.assumed.hardware)
        if not any(
            progress(target_for(dtypes), one.values, model, self._left())
            > progress(target_for({}), one.values, model, self._left())
            for one in at.failures[: DerivingBudget.SHAPES_OF_DTYPES]
        ):
            return at
        again = self.verified(replace(at.assumed, dtypes=dtypes))
        return at if again.derived is None or again.fails else again

    def _left(self) -> float:
        return max(
            DerivingBudget.LEAST_SECONDS,
            DerivingBudget.SHARE_OF_A_KERNEL * self._options.timeout - (now() - self._begin),
        )

    def _other(self, at: _Verified) -> AssumedFacts | None:
        """The hardware that an operation needs, or the dtypes, with which the kernel comes further."""
        needed = (hardware_asked_for(one.contract, one.message) for one in at.failures)
        later = next(filter(None, needed), "") if not self._fixed else ""
        if later and later != at.assumed.hardware:
            return replace(at.assumed, hardware=later)
        ranges = {name: text for name, text in _ranges_missing(at) if name not in at.assumed.ranges}
        if ranges:
            return replace(at.assumed, ranges={**at.assumed.ranges, **ranges})
        if not at.failures or not (self._found.tensors or self._found.dtypes):
            return None
        from nkiverify.products.derive.assumptions import other_dtypes

        shapes = [one.values for one in at.failures[: DerivingBudget.SHAPES_OF_DTYPES]]
        model = hardware_named(at.assumed.hardware)
        dtypes = other_dtypes(self._found, self._target_for(at.assumed), shapes, model, self._left())
        return replace(at.assumed, dtypes={**at.assumed.dtypes, **dtypes}) if dtypes else None

    def _target_for(self, assumed: AssumedFacts) -> Callable[[Mapping[str, str]], Target]:
        """The target with some dtypes, what else is assumed being as it is."""
        return lambda dtypes: self._request(replace(assumed, dtypes={**assumed.dtypes, **dtypes})).target(
            assumed.hardware, False
        )


def _ranges_missing(at: _Verified) -> Iterator[tuple[str, str]]:
    """The arguments whose integers decide what is open, as they are indices, with the range that an index must have."""
    # A phase that fails as the kernel accepts too much may be open on the domain as well.
    open_too = at.derived.runs if at.derived is not None else ()
    for run in (*at.runs, *open_too):
        if run.verdict is Verdict.UNKNOWN:
            for name, text in _ASKED_FOR.findall(run.advice):
                yield name, text.replace(" ", "")


def _instead(first: _Verified, best: _Verified, ranks: Mapping[str, int]) -> Instead | None:
    """The first failure with the assumptions that were made first."""
    if not first.failures:
        return None
    changed = [f"with {name} of rank {ranks[name]}" for name in best.assumed.ranks]
    if best.assumed.dtypes != first.assumed.dtypes:
        changed.append(f"with {DEFAULT_DTYPE} for tensors without a known dtype")
    if best.assumed.hardware != first.assumed.hardware:
        changed.append(f"on {first.assumed.hardware}")
    return Instead(", ".join(changed), first.failures[0])


def _verified(asked: Request, hardware: str, options: Options, begin: float) -> tuple[tuple[Run, ...], Derived | None]:
    """The verdicts on all shapes that the kernel's own asserts let pass, or else on the domain that is derived. Its
    time has run since `begin`."""

    def target_for(texts: tuple[str, ...]) -> Target:
        more = tuple(parse("--where", text) for text in texts)
        restricted = replace(asked, where=(*asked.where, *more)) if more else asked
        return restricted.target(hardware, False)

    asked.outcome.returned = False

    def left() -> float:
        return max(DerivingBudget.LEAST_SECONDS, DerivingBudget.SHARE_OF_A_KERNEL * options.timeout - (now() - begin))

    def share(seconds: float) -> Options:
        return replace(options, timeout=seconds, share_of=options.timeout)

    target = target_for(())
    model = hardware_named(hardware)
    try:
        exploration = explore(target, model, Limits(seconds=options.timeout / 2, asked=options.timeout), _PHASES)
    except UnsupportedConstruct:
        return tuple(verdicts(asked, hardware, share(left()))), None
    if not exploration.run.program.dimensions:
        return tuple(verdicts(asked, hardware, share(left()))), None
    engine = EmbeddedEngine(exploration.run.program)
    engine.limit(left() / 2)
    decisions = [one for phase in _INTEGER_PHASES for one in engine.decide(phase, hard=False)]

    def holds() -> bool:
        shown = all(map(_shown, decisions)) and all(map(_shown, engine.decide_unwinding()))
        return shown and _flows(exploration, options, left() / 2)

    if exploration.run.unsupported_construct is None and holds():
        runs = tuple(verdicts(asked, hardware, share(left() / 2)))
        if passed(runs):
            from nkiverify.products.derive.statements import already_proved

            if not asked.outcome.returned:
                return runs, None
            return runs, already_proved(exploration, runs, now() - begin)
    from nkiverify.products.derive.derivation import derive

    grid = frozenset(name.id for extent in asked.grid or () for name in names_in(extent))
    derived = derive(
        target_for,
        exploration,
        decisions,
        model,
        options,
        min(DerivingBudget.SHARE_OF_DERIVING * options.timeout, left()),
        grid,
    )
    runs = _with_failures(target, derived, model, left())
    if not derived.runs and runs:
        # Of a kernel that nothing is proved of, an editor has to know the tiles all the same.
        runs = (replace(runs[0], memory=_tiles(exploration, left())), *runs[1:])
    return tuple(counted(runs, asked, hardware, options.phases)), derived


def _shown(one: Decision) -> bool:
    return one.outcome.holds


def _flows(exploration: Exploration, options: Options, seconds: float) -> bool:
    """True if nothing is open in phase 4."""
    if DATAFLOW.number not in (options.phases or _PHASES):
        return True
    from nkiverify.phases.dataflow.claims import DataflowClaims  # as late as this: islpy is slow to load

    found = exploration.claimed(DATAFLOW, seconds)
    return isinstance(found, DataflowClaims) and found.ended is None and not found.proof.open


def _tiles(exploration: Exploration, seconds: float) -> tuple[MemoryPeak, ...]:
    """The peaks of the memories as phase 3 tells them, without its verdict."""
    if exploration.run.unsupported_construct is not None:
        return ()
    return MEMORY.peaks(exploration.claimed(MEMORY, seconds), exploration.run.program)


def _with_failures(target: Target, derived: Derived, hardware: Hardware, seconds: float) -> tuple[Run, ...]:
    """The verdicts on the domain; FAILED in each phase in which a shape that the kernel accepts fails, with the stores
    to its output where some of it is not written, if that takes no longer than this many seconds."""
    failures = [*derived.bugs, *(one.failure for one in derived.accepted if one.failure is not None)]
    by_phase: dict[int, list[Violation]] = {}
    for one in failures:
        by_phase.setdefault(contract(one.contract).phase, []).append(one)
    runs = {run.phase: run for run in derived.runs}
    for phase, violations in by_phase.items():
        plain = runs.get(phase) or Run(
            target.name, target.kernel, target.family, target.kind, phase, EmbeddedEngine.name, None, Verdict.FAILED
        )
        runs[phase] = replace(
            plain,
            verdict=Verdict.FAILED,
            basis=Basis.REFUTED,
            qualifier="",
            reason="",
            violations=tuple(violations),
            suffices=derived.where if derived.proved and derived.is_said else (),
        )
        unwritten = next((one for one in violations if one.contract == "df.output_written"), None)
        if unwritten is not None:
            from nkiverify.phases.dataflow.trial import stores

            runs[phase] = replace(runs[phase], coverage=stores(target, unwritten.values, hardware, seconds))
    return tuple(run for _, run in sorted(runs.items()))
