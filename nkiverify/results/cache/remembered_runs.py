"""Verdicts of earlier runs: looked up before a run, remembered after it.

Only conclusions are remembered: SUCCESSFUL, and FAILED with a witness that failed concretely. UNKNOWN, VACUOUS,
ERROR and contradictions are run again each time, and so is what reads more than modules and arguments. What another
engine leaves open besides a conclusion is kept with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.results.cache import store
from nkiverify.results.cache.key import Keys
from nkiverify.results.cache.store import CacheError
from nkiverify.verify.options import Options, phases_to_run


class VerdictCache:
    """The verdicts that are remembered for one set of options, in the folder `reports`.

    `started` is when the run began, in nanoseconds: files that were changed later may not be what was read.
    `problem` says what is wrong with the database: it is then left alone.
    """

    def __init__(self, options: Options, reports: Path, started: int) -> None:
        self._options = options
        self._started = started
        self._keys = Keys(options)
        self._path = store.database(reports)
        self.problem = ""

    def lookup(self, targets: Sequence[Target]) -> dict[str, list[Run]]:
        """By name, the runs of those targets that need not be run again."""
        digests = {}
        for target in targets:
            digest = self._keys.digest(target)
            if digest:
                digests.update({self._keys.slot(target, phase): digest for phase in self._phases(target)})
        try:
            found = store.load(self._path, digests)
        except CacheError as error:
            self.problem = str(error)
            return {}
        known = {}
        for target in targets:
            entries = [found.get(self._keys.slot(target, phase), []) for phase in self._phases(target)]
            if all(_fits(runs, target, phase) for runs, phase in zip(entries, self._phases(target), strict=True)):
                known[target.name] = [replace(run, cached=True) for runs in entries for run in runs]
        return known

    def remember(self, target: Target, runs: Iterable[Run]) -> None:
        """Remember the runs of a target that has finished if they are conclusions, and if its files are still what was
        read; else forget what is remembered of it."""
        if self.problem:
            return
        phases = self._phases(target)
        of: dict[int, list[Run]] = {phase: [] for phase in phases}
        for run in runs:
            of.setdefault(run.phase, []).append(run)
        now = Keys(self._options)
        digest = self._keys.digest(target)
        whole = all(_fits(of[phase], target, phase) for phase in phases)
        same = whole and digest and digest == now.digest(target) and now.unchanged_since(target, self._started)
        slots = {phase: now.slot(target, phase) for phase in phases}
        try:
            if same:
                store.save(self._path, [(slot, digest, of[phase]) for phase, slot in slots.items()])
            else:
                store.forget(self._path, slots.values())
        except CacheError as error:
            self.problem = str(error)

    def _phases(self, target: Target) -> tuple[int, ...]:
        return phases_to_run(target, self._options)


def _fits(runs: Sequence[Run], target: Target, phase: int) -> bool:
    """True if `runs` are the conclusions of `target` in `phase`: nothing else is remembered, nor believed."""
    counting = [run for run in runs if not run.advisory]
    return (
        bool(counting)
        and all((run.target, run.phase) == (target.name, phase) for run in runs)
        and all(run.expected is target.expect.get(phase) for run in runs)
        and all(concludes(run) for run in counting)
        and all(run.verdict is not Verdict.ERROR for run in runs)
    )


def concludes(run: Run) -> bool:
    """True if a run is a conclusion, which stays what it is as long as nothing changes."""
    if run.reads:
        return False
    if run.verdict is Verdict.FAILED:
        return run.is_plain and any(violation.replayed for violation in run.violations)
    return run.verdict is Verdict.SUCCESSFUL
