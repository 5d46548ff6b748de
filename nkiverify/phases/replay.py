"""Running a target on the values of a witness, in plain Python with ordinary ints."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from types import FrameType

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import Site, is_kernel_frame
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import TOO_LONG, AllBroken, BrokenContract, ConcreteExecution, innermost_kernel_site
from nkiverify.frontend.concrete_launch import rule_of
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.observe import Key, Observation, ObservingExecution, key_of, observed_in
from nkiverify.frontend.paths import FloatsMatter
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.ir.contract import Contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.placement import SUFFICIENT
from nkiverify.symbolic.execution import running

#: Seconds between two looks at the clock.
_LOOK_SECONDS = 0.1


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
    #: How many contracts were looked at: how much there was to do.
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


@contextmanager
def interrupted_in_time(run: ConcreteExecution) -> Iterator[None]:
    """End the run when its time is over also in a loop of the kernel that calls nothing of ours.

    Only the main thread of a process can be interrupted, and only kernel code is, which has nothing to clean up.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def look(number: int, frame: FrameType | None) -> None:
        if frame is not None and is_kernel_frame(frame) and run.overdue:
            raise run.unsupported(TOO_LONG)

    before = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LOOK_SECONDS, _LOOK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


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
) -> Replay:
    """Run `target` with its dimensions set to `values`, for at most `seconds` of this process, and so many `contracts`
    that are looked at.

    With `stop_at_first` the first broken contract raises and ends the run, as AWS's simulator would; otherwise the
    kernel goes on, until all contracts in `awaited` are broken or it ends, or a moment after `decisive`, one of them,
    is. `checked` makes host arithmetic beyond 32 bits a broken contract. The contracts of `phases` are looked at,
    besides those that every run looks at; `at_end` says what else is broken once the run is over.
    """
    rewriting = Rewriting.ARITHMETIC if checked else Rewriting.NONE
    run = ObservingExecution(hardware, stop_at_first, seconds, awaited, phases, decisive, contracts)
    run.model.follows_floats = False
    found = _replayed(target, values, run, rewriting, at_end)
    if not run.lacks_floats:
        return found
    run = ObservingExecution(hardware, stop_at_first, seconds, awaited, phases, decisive, contracts)
    return _replayed(target, values, run, rewriting, at_end)


def _replayed(
    target: Target,
    values: Mapping[str, int],
    run: ObservingExecution,
    rewriting: Rewriting,
    at_end: Callable[[ConcreteExecution, Hardware], Iterable[BrokenContract]] | None,
) -> Replay:
    kernel, space = load_kernel(target.kernel, target.root, rewriting)
    binding = ConcreteBinding(values)
    error: Exception | SystemExit | None = None
    unsupported = ""
    try:
        with space.active(), running(run), interrupted_in_time(run):
            target.function(Verification(binding, kernel))
    except OutsideDomain as outside:
        return Replay((), excluded=str(outside), looked_at=run.looked_at)
    except (AllBroken, FloatsMatter):
        pass
    except UnsupportedConstruct as limit:
        unsupported = limit.construct
    except (Exception, SystemExit) as raised:
        error = None if run.stop_at_first and run.broken else raised
    if at_end is not None and not unsupported and not run.lacks_floats:
        for found in at_end(run, run.hardware):
            run.note(found)
    observations = dict(run.observations)
    site = innermost_kernel_site(error) if error is not None else None
    seen = observed_in(error) if error is not None else None
    if error is not None and seen is not None:
        observations[key_of(rule_of(error).id, site)] = seen
    return Replay(
        tuple(run.broken),
        error,
        site,
        unsupported=unsupported,
        observations=observations,
        tolerated=tuple(run.tolerated),
        looked_at=run.looked_at,
        rejected=error is not None and binding.excludes(error),
    )
