"""The contents of the dashboard, put together from the results, the manifest, the contracts and the history."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict, Violation
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.report.changes import Changes, changes_since
from nkiverify.report.dashboard.costs import TargetCost
from nkiverify.report.dashboard.marks import Marks, marks
from nkiverify.report.dashboard.repository_files import RepositoryFiles
from nkiverify.report.dashboard.upstream import FILES
from nkiverify.results import wording
from nkiverify.results.file import Results
from nkiverify.results.run_history import PastRun, PastSession
from nkiverify.results.session import ExitStatus, counting, is_open, status_of, telling, warned
from nkiverify.verify.options import PHASES


@dataclass(frozen=True, slots=True)
class TargetPage:
    """A target with its runs. `anchor` is its id within the page, `code` the function that states its domain.

    `stale` says that a file it is about is younger than the results, `rerun` is the command that runs just this; `cost`
    is there where it was asked for.
    """

    name: str
    anchor: str
    kernel: str
    file: str
    function: str
    family: str
    kind: str
    flags: str
    tags: tuple[str, ...]
    hardware: str
    description: str
    code: str
    code_place: str
    code_line: int
    harness: str
    runs: tuple[Run, ...]
    marks: Marks
    lowered: Mapping[str, str]
    stale: bool
    rerun: str
    cost: TargetCost | None = None

    def attached(self, phase: int) -> list[str]:
        """The answers of other engines next to the run that counts: a name and what it says."""
        return [f"{other.engine}: {_word(other)}" for other in self.others(phase)]

    def disputed(self, phase: int) -> bool:
        """True if another engine contradicts the run that counts."""
        return any(_word(other) == "disagrees" for other in self.others(phase))

    @property
    def ordered(self) -> list[Run]:
        """The runs that count, those that end in anything but a proof first."""
        return sorted(counting(self.runs), key=lambda run: (self.settled(run), run.phase))

    def settled(self, run: Run) -> bool:
        """True if there is nothing to find out about `run`: it is proved as expected, and nobody contradicts it."""
        return state(run) == "pass" and not run.warnings and not self.disputed(run.phase)

    def others(self, phase: int) -> list[Run]:
        """The runs of other engines in a phase."""
        return [run for run in self.runs if run.advisory and run.phase == phase]

    @property
    def endings(self) -> list[Run]:
        """A run for each way in which the runs of the target ended."""
        return list({(state(run), wording.verdict(run)): run for run in self.runs if state(run) != "open"}.values())


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The run of a target in a phase, with what the other engine says next to it: `agrees`, `disagrees`, `open`, or
    nothing."""

    run: Run
    other: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One target, with the runs of each phase that the matrix has a column for."""

    target: TargetPage
    cells: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True, slots=True)
class MatrixFamily:
    """The targets of one family."""

    family: str
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """Runs that ended in one and the same way, for one cause. What is to be said of it is said of the first."""

    runs: tuple[Run, ...]

    @property
    def first(self) -> Run:
        """The run that is shown."""
        return self.runs[0]


@dataclass(frozen=True, slots=True)
class Cause:
    """A violation, and others that say the same at other places of a kernel."""

    first: Violation
    others: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class ContractRow:
    """A contract, and the targets of these results that refute it."""

    contract: Contract
    refuted_by: tuple[TargetPage, ...]


@dataclass(frozen=True, slots=True)
class KernelFile:
    """A file with kernels: what its docstring says, and the targets of each of its functions.

    `upstream` is the published file that it is after, empty for our own.
    """

    upstream: str
    file: str
    title: str
    functions: tuple[tuple[str, tuple[TargetPage, ...]], ...]


@dataclass(frozen=True, slots=True)
class ComparedTimes:
    """Seconds of the runs that two sides have in common."""

    runs: int
    here: float
    there: float


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that is shown. `ours` for the targets that come with nkiverify, `root` is what paths are relative to.

    `changes` are those since each earlier session that can be compared, the last one first; `failed_last` are earlier
    runs that did not end as expected, of what these results have no run of.
    """

    results: Results
    targets: tuple[TargetPage, ...]
    phases: tuple[int, ...]
    matrix: tuple[MatrixFamily, ...]
    contracts: tuple[ContractRow, ...]
    kernels: tuple[KernelFile, ...]
    sources: Mapping[str, str]
    past: tuple[PastSession, ...]
    this_session: PastSession | None
    before: PastSession | None
    predecessor: ComparedTimes
    disagreements: tuple[tuple[Run, ...], ...]
    history_problem: str
    changes: tuple[Changes, ...]
    failed_last: tuple[PastRun, ...]
    ours: bool
    root: Path

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs, in the order of the manifest."""
        return self.results.runs

    @property
    def counting(self) -> tuple[Run, ...]:
        """The runs that count: those of another engine besides them are about the same claims."""
        return tuple(counting(self.runs))

    @property
    def attached(self) -> list[tuple[str, int]]:
        """The answers of the other engine next to the runs that count, in a word, and how often."""
        counts = Counter(_word(run) for run in self.runs if run.advisory)
        return [(word, counts[word]) for word in ("agrees", "open", "disagrees") if counts[word]]

    @property
    def cached(self) -> int:
        """How many runs were remembered, and not run again."""
        return sum(run.cached for run in self.counting)

    @property
    def claims(self) -> int:
        """The claims of all runs that count."""
        return sum(run.claims for run in self.counting)

    @property
    def unexpected(self) -> tuple[Run, ...]:
        """The runs that do not count as a pass."""
        return tuple(run for run in telling(self.runs) if status_of(run) is not ExitStatus.AS_EXPECTED)

    @property
    def refuted(self) -> tuple[Run, ...]:
        """The runs that are FAILED as they are expected to be."""
        return tuple(run for run in self.counting if run.verdict is Verdict.FAILED and state(run) == "refuted")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The runs that do not count as a pass, those with one cause together, the gravest first."""
        return tuple(sorted(grouped(self.unexpected), key=lambda one: STATES.index(state(one.first))))

    @property
    def expected_findings(self) -> tuple[Finding, ...]:
        """The runs that are FAILED as expected, those with one cause together."""
        return grouped(self.refuted)

    @property
    def verdicts(self) -> list[tuple[str, int]]:
        """How many runs ended in each verdict, those without a run left out."""
        counts = Counter(run.verdict for run in self.counting)
        return [(verdict.value, counts[verdict]) for verdict in Verdict if counts[verdict]]

    @property
    def costed(self) -> tuple[TargetPage, ...]:
        """The targets whose costs were asked for."""
        return tuple(target for target in self.targets if target.cost is not None)

    @property
    def warnings(self) -> int:
        """How many warnings there are, without those of runs that are FAILED as expected."""
        return len(warned(self.runs))

    @property
    def bounded(self) -> int:
        """How many verdicts hold up to a bound."""
        return sum(run.is_bounded for run in self.counting)

    @property
    def assumptions(self) -> list[tuple[str, list[str]]]:
        """The assumptions about dimensions, with the names of the targets it was assumed for."""
        found: dict[str, list[str]] = {}
        for target in self.targets:
            for run in target.runs:
                for assumption in run.assumptions:
                    names = found.setdefault(assumption, [])
                    if target.name not in names:
                        names.append(target.name)
        return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def assemble(
    results: Results,
    *,
    root: Path,
    manifest: Sequence[Target] = (),
    contracts: Sequence[Contract] = (),
    past: Sequence[PastSession] = (),
    before: Sequence[tuple[PastSession, Sequence[PastRun]]] = (),
    last: Sequence[PastRun] = (),
    history_problem: str = "",
    lowered: Mapping[str, Mapping[str, str]] | None = None,
    costs: Mapping[str, TargetCost] | None = None,
    ours: bool = False,
) -> Page:
    """The page for `results`; `root` is the folder that their paths are relative to.

    `lowered` has the programs that the second engine is given, by target, `costs` what they cost; `before` earlier
    sessions to compare with, newest first; `last` the last recorded run of each target, phase and engine. Targets that
    are not in `manifest` any more are shown without their description.
    """
    known = {target.name: target for target in manifest}
    runs_of: dict[str, list[Run]] = {}
    for run in results.runs:
        runs_of.setdefault(run.target, []).append(run)
    anchors = _anchors(runs_of)
    began = _timestamp(results.started)
    programs = lowered or {}
    sources = RepositoryFiles(root)
    command = "python verify.py" if ours else "nkiverify run"
    targets = tuple(
        replace(
            _target(name, anchors[name], runs, known.get(name), sources, began, programs.get(name, {}), command),
            cost=(costs or {}).get(name),
        )
        for name, runs in runs_of.items()
    )
    phases = tuple(sorted({run.phase for run in results.runs}))
    this = next((session for session in reversed(past) if session.started == results.started), None)
    earlier = [session for session in past if this is None or session.id < this.id]
    # What was not run again says nothing about time.
    uniform = [session for session in earlier if session.runs == len(counting(results.runs)) and not session.cached]
    return Page(
        results=results,
        targets=targets,
        phases=phases,
        matrix=tuple(_matrix(targets, phases)),
        contracts=tuple(_contract_rows(contracts, targets)),
        kernels=tuple(_kernel_files(targets, sources)),
        sources=_shown(targets, sources),
        past=tuple(past),
        this_session=this,
        before=uniform[-1] if uniform and not any(run.cached for run in results.runs) else None,
        predecessor=_against_predecessor(results.runs) if ours else ComparedTimes(0, 0.0, 0.0),
        disagreements=tuple(_disagreements(results.runs)),
        history_problem=history_problem,
        changes=tuple(changes_since(session, runs, results.runs) for session, runs in before),
        failed_last=tuple(_failed_last(last, results.runs, known)),
        ours=ours,
        root=root,
    )


def state(run: Run) -> str:
    """How a run is coloured: one of `STATES`; `open` is what another engine leaves open next to the run that counts."""
    status = status_of(run)
    if run.advisory and is_open(run):
        return "open"
    if status is ExitStatus.AS_EXPECTED:
        if run.verdict is Verdict.FAILED:
            return "refuted"
        return "pass" if run.is_plain else "bounded"
    if status is ExitStatus.MISMATCH:
        return "mismatch"
    if run.is_bounded:
        return "bounded"
    return "unknown" if status in (ExitStatus.UNKNOWN, ExitStatus.NOTHING_VERIFIED) else "error"


#: From the gravest to the plainest.
STATES: tuple[str, ...] = ("mismatch", "error", "unknown", "bounded", "pass", "refuted", "open")


def _word(run: Run) -> str:
    if run.basis is Basis.DISAGREEMENT:
        return "disagrees"
    return "open" if state(run) == "open" else "agrees"


def phase_name(phase: int) -> str:
    """The claims of a phase."""
    return PHASES.get(phase, "")


def _anchors(names: Iterable[str]) -> dict[str, str]:
    """An id for each name: the name itself, as far as it can stand in an address."""
    anchors: dict[str, str] = {}
    for name in names:
        plain = "target-" + re.sub(r"[^A-Za-z0-9_.-]+", "_", name)
        anchor, number = plain, 2
        while anchor in anchors.values():
            anchor, number = f"{plain}-{number}", number + 1
        anchors[name] = anchor
    return anchors


def _target(
    name: str,
    anchor: str,
    runs: Sequence[Run],
    target: Target | None,
    sources: RepositoryFiles,
    began: float,
    lowered: Mapping[str, str],
    command: str,
) -> TargetPage:
    first = runs[0]
    file, _, function = first.kernel.partition("::")
    code, code_line, place, stale = "", 0, "", False
    harness_file = ""
    if target is not None:
        harness = Path(target.file)
        harness_file = wording.relative(target.file, sources.root)
        code, code_line = sources.function(harness_file, target.name, target.line)
        place = f"{harness.parent.name}/{harness.name}:{target.line}"
        stale = _younger(harness, began)
    return TargetPage(
        name=name,
        anchor=anchor,
        kernel=first.kernel,
        file=file,
        function=function,
        family=first.family,
        kind=first.kind.value,
        flags=first.flags,
        tags=first.tags,
        hardware=target.hardware if target is not None else "",
        description=target.description if target is not None else "",
        code=code,
        code_place=place,
        code_line=code_line,
        harness=harness_file,
        runs=tuple(runs),
        marks=marks(runs),
        lowered=lowered,
        stale=stale or _younger(sources.root / file, began),
        rerun=f"{command} {shlex.quote(name)}",
    )


def _matrix(targets: Sequence[TargetPage], phases: Sequence[int]) -> Iterable[MatrixFamily]:
    families: dict[str, list[MatrixRow]] = {}
    for target in targets:
        runs = counting(target.runs)
        cells = tuple(
            tuple(MatrixCell(run, _others_say(target, run)) for run in runs if run.phase == phase) for phase in phases
        )
        families.setdefault(target.family, []).append(MatrixRow(target, cells))
    for family, rows in families.items():
        yield MatrixFamily(family, tuple(rows))


def _others_say(target: TargetPage, run: Run) -> str:
    """The gravest word of other engines next to a run."""
    words = {_word(other) for other in target.others(run.phase)}
    return next((word for word in ("disagrees", "open", "agrees") if word in words), "")


def grouped(runs: Iterable[Run]) -> tuple[Finding, ...]:
    """The runs that ended in one way for one cause together, in the order of the first of each."""
    found: dict[object, list[Run]] = {}
    for run in runs:
        causes = tuple((one.contract, one.file, one.line, one.said or one.message) for one in run.violations)
        # Without a place, nothing says that the reason is the same.
        key = (wording.verdict(run), run.reason, run.place, causes) if causes or run.place else (run.target, run.phase)
        found.setdefault(key, []).append(run)
    return tuple(Finding(tuple(one)) for one in found.values())


def causes(violations: Iterable[Violation]) -> tuple[Cause, ...]:
    """The violations that say the same of one rule together: where one slice is too long, its copies are."""
    found: dict[tuple[str, str], list[Violation]] = {}
    for one in violations:
        found.setdefault((one.contract, one.said or one.comparison or one.message), []).append(one)
    return tuple(Cause(one[0], tuple(one[1:])) for one in found.values())


def _failed_last(last: Sequence[PastRun], runs: Sequence[Run], known: Mapping[str, Target]) -> Iterable[PastRun]:
    """The last runs that were not as expected, of targets that there are still, where these results have none."""
    now = {(run.target, run.phase) for run in runs}
    return (
        one
        for one in last
        if not one.as_expected and not one.advisory and (one.target, one.phase) not in now
        if not known or one.target in known
    )


def _contract_rows(contracts: Sequence[Contract], targets: Sequence[TargetPage]) -> Iterable[ContractRow]:
    refuted: dict[str, list[TargetPage]] = {}
    for target in targets:
        for id in dict.fromkeys(violation.contract for run in target.runs for violation in run.violations):
            refuted.setdefault(id, []).append(target)
    for contract in sorted(contracts, key=lambda contract: contract.id):
        yield ContractRow(contract, tuple(refuted.get(contract.id, ())))


def _kernel_files(targets: Sequence[TargetPage], sources: RepositoryFiles) -> Iterable[KernelFile]:
    files: dict[str, dict[str, list[TargetPage]]] = {}
    for target in targets:
        files.setdefault(target.file, {}).setdefault(target.function, []).append(target)
    for file, functions in sorted(files.items()):
        rows = tuple((name, tuple(found)) for name, found in functions.items())
        yield KernelFile(FILES.get(file, ""), file, sources.docstring(file), rows)


def _shown(targets: Sequence[TargetPage], sources: RepositoryFiles) -> dict[str, str]:
    """The text of each file that a run is about, as far as it lies inside `root`."""
    files = {target.file for target in targets} | {file for target in targets for file in target.marks}
    files -= {target.harness for target in targets}
    found = {file: sources.text(file) for file in sorted(files)}
    return {file: text for file, text in found.items() if text}


def _against_predecessor(runs: Sequence[Run]) -> ComparedTimes:
    """The times of runs that the predecessor, another verifier, has made as well."""
    seconds = json.loads((resources.templates() / "predecessor.json").read_text(encoding="utf-8"))["seconds"]
    common = [
        (run.milliseconds / 1000, seconds[run.target][str(run.phase)])
        for run in runs
        if run.engine == "embedded" and str(run.phase) in seconds.get(run.target, {})
    ]
    return ComparedTimes(len(common), sum(here for here, _ in common), sum(there for _, there in common))


def _disagreements(runs: Sequence[Run]) -> Iterable[tuple[Run, ...]]:
    """Runs of the same target and phase of which one engine proves what another refutes."""
    uniform: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        uniform.setdefault((run.target, run.phase), []).append(run)
    for group in uniform.values():
        both = {Verdict.SUCCESSFUL, Verdict.FAILED} <= {run.verdict for run in group}
        if both or any(run.basis is Basis.DISAGREEMENT for run in group):
            yield tuple(group)


def _timestamp(started: str) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except ValueError:
        return float("inf")


def _younger(path: Path, began: float) -> bool:
    try:
        return path.stat().st_mtime > began
    except (OSError, ValueError):
        return False
