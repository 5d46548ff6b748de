"""The changes since an earlier session: better, worse, slower, faster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run
from nkiverify.results.run_history import PastRun, PastSession
from nkiverify.results.session import ExitStatus, counting, status_of
from nkiverify.results.wording import phases

#: What takes this much longer, or shorter, than before and differs by as many milliseconds is reported.
_RATIO, _MILLISECONDS = 1.5, 200.0


@dataclass(frozen=True, slots=True)
class Change:
    """A change in phases of one target: `kind` is worse, better, other, new, gone, slower or faster."""

    kind: str
    target: str
    words: str


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since one session, the gravest first."""

    since: PastSession
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class SinceCommit:
    """The findings of a run of the targets that changed since a commit, besides those about them at the commit.

    `left_out` is how many targets did not change; `problem` says why there are no verdicts of the commit.
    """

    commit: str
    changes: tuple[Change, ...]
    left_out: int
    problem: str = ""


_KINDS = ("worse", "gone", "other", "better", "new", "slower", "faster")


def changes_since(session: PastSession, before: Sequence[PastRun], now: Iterable[Run]) -> Changes:
    """The differences between the runs of `session` and those of `now`."""
    return Changes(session, compared(before, now))


def compared(before: Sequence[PastRun], now: Iterable[Run]) -> tuple[Change, ...]:
    """The differences between two sides, the gravest first. Times of remembered runs are not compared."""
    old = {(run.target, run.phase): run for run in before if not run.advisory}
    new = {(run.target, run.phase): run for run in counting(now)}
    found: dict[tuple[str, str, str], list[int]] = {}
    for target, phase in sorted({*old, *new}):
        kind, words = _change(old.get((target, phase)), new.get((target, phase)))
        if kind:
            found.setdefault((kind, target, words), []).append(phase)
    slow = list(_times(old, new))
    changes = [Change(kind, target, f"{phases(at)}: {words}") for (kind, target, words), at in found.items()]
    return tuple(sorted((*changes, *slow), key=lambda one: (_KINDS.index(one.kind), one.target)))


def _change(old: PastRun | None, new: Run | None) -> tuple[str, str]:
    if old is None and new is not None:
        return "new", _ending(new.verdict.value, new.qualifier)
    if new is None and old is not None:
        return "gone", f"was {_ending(old.verdict, old.qualifier)}"
    assert old is not None and new is not None
    then, now = _ending(old.verdict, old.qualifier), _ending(new.verdict.value, new.qualifier)
    if then == now:
        return "", ""
    passes = status_of(new) is ExitStatus.AS_EXPECTED
    kind = "other" if passes == old.as_expected else "better" if passes else "worse"
    return kind, f"{then} → {now}"


def _times(old: Mapping[tuple[str, int], PastRun], new: Mapping[tuple[str, int], Run]) -> Iterable[Change]:
    """Targets that took longer or shorter in the phases that both sessions ran."""
    then: dict[str, float] = {}
    now: dict[str, float] = {}
    for (target, phase), run in new.items():
        past = old.get((target, phase))
        if past is not None and not (past.cached or run.cached):
            then[target] = then.get(target, 0.0) + past.milliseconds
            now[target] = now.get(target, 0.0) + run.milliseconds
    for target, milliseconds in now.items():
        least, most = sorted((then[target], milliseconds))
        if most - least >= _MILLISECONDS and most >= _RATIO * least:
            kind = "slower" if milliseconds > then[target] else "faster"
            yield Change(kind, target, f"{then[target] / 1000:.1f} s → {milliseconds / 1000:.1f} s")


def _ending(verdict: str, qualifier: str) -> str:
    return f"{verdict} ({qualifier})" if qualifier else verdict
