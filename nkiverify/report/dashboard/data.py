"""The contents of the dashboard, put together from the results, the manifest, the contracts and the history."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.report.changes import Changes, changes_since
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

    `stale` says that a file it is about is younger than the results, `rerun` is the command that runs just this.
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
class Cell:
    """The runs of one family in one phase by one engine, counted: state, verdict with qualifier, number."""

    counts: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One family, with a cell for each column of the matrix."""

    family: str
    targets: int
    cells: tuple[Cell, ...]


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

    `changes` are those since each earlier session that can be compared, the last one first.
    """

    results: Results
    targets: tuple[TargetPage, ...]
    columns: tuple[tuple[int, str], ...]
    matrix: tuple[MatrixRow, ...]
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
    def verdicts(self) -> list[tuple[str, int]]:
        """How many runs ended in each verdict, those without a run left out."""
        counts = Counter(run.verdict for run in self.counting)
        return [(verdict.value, counts[verdict]) for verdict in Verdict if counts[verdict]]

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
    history_problem: str = "",
    lowered: Mapping[str, Mapping[str, str]] | None = None,
    ours: bool = False,
) -> Page:
    """The page for `results`; `root` is the folder that their paths are relative to.

    `lowered` has the programs that the second engine is given, by target; `before` earlier sessions to compare with,
    newest first. Targets that are not in `manifest` any more are shown without their description.
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
        _target(name, anchors[name], runs, known.get(name), sources, began, programs.get(name, {}), command)
        for name, runs in runs_of.items()
    )
    columns = tuple(sorted({(run.phase, run.engine) for run in results.runs}))
    this = next((session for session in reversed(past) if session.started == results.started), None)
    earlier = [session for session in past if this is None or session.id < this.id]
    # What was not run again says nothing about time.
    uniform = [session for session in earlier if session.runs == len(counting(results.runs)) and not session.cached]
    return Page(
        results=results,
        targets=targets,
        columns=columns,
        matrix=tuple(_matrix(targets, columns)),
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


def _matrix(targets: Sequence[TargetPage], columns: Sequence[tuple[int, str]]) -> Iterable[MatrixRow]:
    families: dict[str, list[TargetPage]] = {}
    for target in targets:
        families.setdefault(target.family, []).append(target)
    for family, members in families.items():
        cells = []
        for phase, engine in columns:
            runs = [run for target in members for run in target.runs if (run.phase, run.engine) == (phase, engine)]
            counts = Counter((state(run), _counted_as(run)) for run in runs)
            order = sorted(counts.items(), key=lambda item: (STATES.index(item[0][0]), item[0][1]))
            cells.append(Cell(tuple((*found, number) for found, number in order)))
        yield MatrixRow(family, len(members), tuple(cells))


def _counted_as(run: Run) -> str:
    """The verdict as a cell of the matrix counts it. Reasons of an UNKNOWN are too many to count apart."""
    words = run.verdict.value
    if run.qualifier and run.verdict is not Verdict.UNKNOWN and state(run) != "open":
        words += f" ({run.qualifier})"
    return words if status_of(run) is not ExitStatus.MISMATCH else f"{words}, not as expected"


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
