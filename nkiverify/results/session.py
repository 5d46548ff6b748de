"""One invocation of the verifier: what was run, how it ended, and the exit status that follows."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from nkiverify import __version__
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import AcceptedFinding, Basis, KernelAnswer, KernelWarning, Run, Verdict
from nkiverify.model.versions import NEWEST


class ExitStatus(enum.IntEnum):
    """The exit status of the process."""

    AS_EXPECTED = 0
    MISMATCH = 1
    USAGE = 2
    UNKNOWN = 3
    INTERNAL_ERROR = 4
    NOTHING_VERIFIED = 5
    INTERRUPTED = 130


#: Which status wins where runs of one invocation ask for several.
PRECEDENCE: tuple[ExitStatus, ...] = (
    ExitStatus.INTERRUPTED,
    ExitStatus.MISMATCH,
    ExitStatus.INTERNAL_ERROR,
    ExitStatus.USAGE,
    ExitStatus.UNKNOWN,
    ExitStatus.NOTHING_VERIFIED,
)


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of what the verdicts were computed with."""

    nkiverify: str
    python: str
    platform: str
    z3: str

    @staticmethod
    def installed() -> Versions:
        """The versions of this process, read from the installed packages' metadata: none of them is imported."""
        import platform
        from importlib import metadata

        try:
            z3 = metadata.version("z3-solver")
        except metadata.PackageNotFoundError:
            z3 = ""
        return Versions(__version__, platform.python_version(), platform.platform(), z3)


@dataclass(frozen=True, slots=True)
class Session:
    """The finished runs of one invocation, in the order of the manifest, and its circumstances.

    `root` is the folder that paths are shown relative to, `seconds` the wall-clock time, `not_run` the targets that
    were selected and have no verdict because the run was stopped before.
    """

    runs: tuple[Run, ...]
    root: Path
    started: datetime
    seconds: float
    processes: int
    #: Of this process where nothing is said.
    versions: Versions | None = None
    command: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    interrupted: bool = False
    #: The version of NKI that was verified for.
    nki: str = NEWEST
    #: Warnings of ignores that match nothing.
    unused: tuple[KernelWarning, ...] = ()
    #: Whether what was to verify the rest could not be reached any more.
    lost: bool = False
    #: What is said of kernels whose domain was inferred.
    answers: tuple[KernelAnswer, ...] = ()
    #: Result files that could not be written, each with the reason.
    unwritten: tuple[str, ...] = ()

    @property
    def made_with(self) -> Versions:
        """The versions that the runs were made with, looked up when they are asked for."""
        return self.versions or Versions.installed()

    @property
    def unexpected(self) -> tuple[Run, ...]:
        """The runs that do not count as a pass."""
        return tuple(run for run in telling(self.runs) if status_of(run) is not ExitStatus.AS_EXPECTED)

    @property
    def refused(self) -> tuple[str, ...]:
        """The things that were refused to modules of kernels, each once."""
        return tuple(dict.fromkeys(reported for run in self.runs for reported in run.refused))

    @property
    def exit_status(self) -> ExitStatus:
        """The status that wins by `PRECEDENCE`; 5 where there is no run at all."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        statuses = [ExitStatus.INTERNAL_ERROR] if self.lost or self.unwritten else []
        if not self.runs and not statuses:
            return ExitStatus.NOTHING_VERIFIED
        return worst([*statuses, *map(status_of, self.runs)])


def status_of(run: Run) -> ExitStatus:
    """The exit status that one run asks for.

    A FAILED whose witness does not fail concretely is our contradiction, not the kernel's: an internal error. A
    SUCCESSFUL up to a bound is no proof: it counts as UNKNOWN unless it is accepted by name.
    """
    if run.basis is Basis.DISAGREEMENT:
        return ExitStatus.MISMATCH
    if run.advisory and run.verdict is not Verdict.FAILED:
        # What is left open, or proved, next to the run that counts changes nothing.
        return ExitStatus.AS_EXPECTED
    if run.verdict is Verdict.UNKNOWN:
        return ExitStatus.UNKNOWN
    if run.verdict is Verdict.VACUOUS:
        return ExitStatus.NOTHING_VERIFIED
    if run.basis is Basis.USAGE:
        return ExitStatus.USAGE
    if run.verdict is Verdict.ERROR or run.basis is Basis.NOT_REPLAYED:
        return ExitStatus.INTERNAL_ERROR
    wanted = run.expected if run.expected is not None else Verdict.SUCCESSFUL
    if run.verdict is not wanted:
        return ExitStatus.MISMATCH
    return ExitStatus.UNKNOWN if run.lacks_proof else ExitStatus.AS_EXPECTED


def counting(runs: Iterable[Run]) -> list[Run]:
    """The runs without those that another engine adds besides them."""
    return [run for run in runs if not run.advisory]


def telling(runs: Sequence[Run]) -> list[Run]:
    """The runs that say something: without those next to another that change nothing, or only repeat its refutation."""
    refuted = {(run.target, run.phase) for run in counting(runs) if run.verdict is Verdict.FAILED}
    return [
        run
        for run in runs
        if not run.advisory
        or run.basis is Basis.DISAGREEMENT
        or (status_of(run) is not ExitStatus.AS_EXPECTED and (run.target, run.phase) not in refuted)
    ]


def warned(runs: Iterable[Run]) -> list[tuple[Run, KernelWarning]]:
    """The warnings, each with its run; without those of a run that is FAILED as expected, which are no news."""
    return [
        (run, warning)
        for run in runs
        if run.verdict is not Verdict.FAILED or status_of(run) is not ExitStatus.AS_EXPECTED
        for warning in run.warnings
    ]


def all_warnings(session: Session) -> list[KernelWarning]:
    """The warnings of all runs, and of the session."""
    return [*(warning for _, warning in warned(session.runs)), *session.unused]


def accepted(runs: Iterable[Run]) -> list[AcceptedFinding]:
    """The findings that the user accepts, each rule and line once."""
    found = {(one.rule, one.file, one.line): one for run in counting(runs) for one in run.accepted}
    return [found[key] for key in sorted(found)]


def is_open(run: Run) -> bool:
    """True if `run`, of another engine besides the one that counts, comes to no conclusion."""
    return run.basis is not Basis.DISAGREEMENT and run.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED)


def attached(run: Run, other: Run | None) -> str:
    """The answer of `other`, of another engine, about the claims of `run`, in a word; empty where there is none."""
    if other is None:
        return ""
    if other.basis is Basis.DISAGREEMENT:
        return "DISAGREES"
    if is_open(other):
        return "open"
    # Where the engine that counts comes to no conclusion, there is nothing to agree with.
    return "agrees" if other.verdict is run.verdict else other.verdict.value


def worst(statuses: Iterable[ExitStatus]) -> ExitStatus:
    """The status that wins by `PRECEDENCE`."""
    asked = set(statuses)
    return next((status for status in PRECEDENCE if status in asked), ExitStatus.AS_EXPECTED)
